"""The description of a robot: its parts by name, as its server describes it."""
import ctypes
import math
from ctypes import byref, c_void_p

from ._errors import refuse
from ._library import error_of, lib, quick
from ._messages import named

FLAT = named("robo_configuration")
SECTIONS = []
while quick.robo_sections()[len(SECTIONS)].noun:
    _row = quick.robo_sections()[len(SECTIONS)]
    SECTIONS.append((_row.noun.decode(), named(_row.record.decode()), _row.count, _row.first, _row.size))


class Part(dict):
    """A record of a description: its fields, as attributes and by name."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def records(description):
    """The records of a struct robo_description by the nouns of their sections, and its own fields."""
    flat = Part(FLAT.unpack(ctypes.string_at(description, FLAT.size)))
    for noun, message, count, first, size in SECTIONS:
        n = ctypes.c_uint16.from_address(description + count).value
        at = c_void_p.from_address(description + first).value
        raw = ctypes.string_at(at, n * size) if n else b""
        flat[noun] = [Part(message.unpack(raw, i * size)) for i in range(n)]
    return flat


class Body:
    """A robot's description: name, model, joints, frames, sensors, cameras and links by their names."""

    def __init__(self, block, revision):
        self.pointer, why = c_void_p(), ctypes.create_string_buffer(192)
        status = lib.robo_body_read(block, len(block), None, byref(self.pointer), why)
        if status < 0:
            raise error_of(status, why.value)
        flat = records(lib.robo_body_description(self.pointer))
        self.revision, self.block = revision, block
        self.name, self.model, self.deadman, self.dof = flat["name"], flat["model"], flat["deadman"], flat["dof"]
        self.dofs, self.records = len(flat["dof"]), flat
        self.joint, self.links = flat["joint"], flat["link"]
        for noun in ("joint", "frame", "sensor", "camera", "link"):
            for number, part in enumerate(flat[noun]):
                part["number"] = number
        for joint in self.joint:
            joint["names"] = [dof.name for dof in self.dof[joint.first:joint.first + joint.dofs]]
            joint["index"] = {name: k for k, name in enumerate(joint.names)}
        self.joints = {joint.name: joint for joint in self.joint}
        self.frames = {frame.name: frame for frame in flat["frame"]}
        self.sensors = {sensor.name: sensor for sensor in flat["sensor"]}
        self.cameras = {camera.name: camera for camera in flat["camera"]}

    def __del__(self, release=lib.robo_body_release):
        if getattr(self, "pointer", None):
            release(self.pointer)

    def find(self, what, noun, name, others=()):
        there = getattr(self, what).get(name)
        if there is None:
            refuse(self.name, noun, name, getattr(self, what), others)
        return there

    def chain(self, frame):
        """The dofs that move a control frame, by their numbers."""
        link, dofs = frame.link, []
        by_child = {joint.child: joint for joint in self.joint}
        while link in by_child and len(dofs) <= self.dofs:
            joint = by_child.pop(link)
            dofs += range(joint.first, joint.first + joint.dofs)
            link = joint.parent
        return dofs

    def named(self, kind, number):
        """The name of a part of a move, and that of its dof."""
        if kind == 0:
            return "base", None
        if kind == 2:
            for frame in self.frames.values():
                if frame.number == number:
                    return frame.name, None
        for joint in self.joint:
            if kind == 1 and joint.first <= number < joint.first + joint.dofs:
                return joint.name, joint.names[number - joint.first]
        return "%s %d" % (("base", "dof", "frame")[kind], number), None

    def parts(self, base, mask):
        """The names of the axes of a mask of dofs: base, joints, or single dofs of them."""
        names = ["base"] if base else []
        for joint in self.joint:
            has = [name for k, name in enumerate(joint.names, joint.first) if k // 8 < len(mask) and mask[k // 8] >> k % 8 & 1]
            names += [joint.name] if has and len(has) == joint.dofs else [joint.name + "." + name for name in has]
        return names


# ---- values of a script ----


def number(x, what, *names):
    """x as a finite float; messages name it `what` % names."""
    if type(x) is float and x - x == 0:
        return x
    what = what % names if names else what
    try:
        kind = getattr(getattr(x, "dtype", None), "kind", "f")  # numpy's of numbers; torch has none
        value = float(x) if not isinstance(x, (str, bytes, bool)) and kind in "fiu" else None
    except (TypeError, ValueError, OverflowError):
        value = None
    if value is None:
        raise TypeError("%s: want a finite number, got %s" % (what, type(x).__name__))
    if not math.isfinite(value):
        raise ValueError("%s: want a finite number, got %s" % (what, value))
    return value


def three(x, what, *names):
    """Three finite numbers."""
    what = what % names if names else what
    try:
        values = list(x)
    except TypeError:
        values = ()
    if isinstance(x, str) or len(values) != 3:
        raise TypeError("%s: want three numbers" % what)
    return [number(v, "%s[%d]", what, i) for i, v in enumerate(values)]


def place(joint, key):
    """The place of a dof in its joint by its name or number, or None."""
    found = joint.index.get(key)
    if found is None and joint.dofs == 1 and key == joint.name:
        return 0
    if found is None and hasattr(key, "__index__") and not isinstance(key, bool) and 0 <= key < joint.dofs:
        return int(key)
    return found


def of_joint(joint, values, what):
    """Values of a joint, { place: number }: by names or numbers of its dofs, a list of all, or a number for the only one."""
    if hasattr(values, "items"):
        items = values.items()
    elif isinstance(values, (int, float)) and not isinstance(values, bool) or getattr(values, "shape", None) == ():
        if joint.dofs != 1:
            raise TypeError("%s: want values by dofs (%s), got a number" % (what, ", ".join(joint.names)))
        items = [(0, values)]
    else:
        try:
            values = list(values) if not isinstance(values, (str, bytes, set, frozenset)) else None
        except TypeError:
            values = None
        if values is None or len(values) != joint.dofs:
            raise TypeError("%s: want values by dofs (%s), or a list of all" % (what, ", ".join(joint.names)))
        items = enumerate(values)
    found = {}
    for key, value in items:
        k = place(joint, key)
        if k is None:
            refuse(joint.name, "dof", key, joint.names)
        if k in found:
            raise ValueError("%s: '%s' is there twice" % (what, joint.names[k]))
        found[k] = number(value, "%s.%s", what, joint.names[k])
    return found
