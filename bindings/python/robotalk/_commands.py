"""Commands of a script as structs of the library: fields are checked, parts are found by their names."""
import ctypes
import math
import struct
from ctypes import POINTER, c_char, cast

from ._body import number, of_joint, place, three
from ._errors import refuse
from ._model import Model
from ._library import Move, MoveDof, MoveFrame, NO_TIME, SECOND
from ._messages import BODY, COMMANDS, COMMAND_SIZE

HEAD = struct.Struct("<HBxIq")
SETPOINT, SPEED, FORCE = 1, 2, 4
PLACE, VELOCITY, VELOCITIES, LIMITS = 1, 2, 8, 16  # enum robo_move_part
PLANAR = ("x", "y", "theta")
Command = c_char * COMMAND_SIZE
# By command: its quantities by name, without the numbers and masks of parts.
QUANTITIES = {op: [name for name, field in row.request.fields.items() if field.unit or name == "leg"] for op, row in COMMANDS.items()}
SERVOS = {"set_joint": SETPOINT, "set_joint_speed": SPEED, "set_joint_force": FORCE}


class Cmd:
    """One command: its op, its fields, when, the names of the parts that it moves, the revision of the body whose numbers it has."""

    base, dofs, frames = None, (), ()  # of a move

    def __init__(self, op, fields=(), start=None, names=(), revision=0):
        self.op, self.fields, self.start, self.names, self.revision = op, dict(fields), start, names, revision

    def numbers(self, body):
        """The dofs that it moves, each with the part that does: "base", a control frame, or None where it is named itself."""
        root = body.joint[0]
        if self.base or self.op in ("go_to", "set_speed"):
            yield from ((dof, "base") for dof in range(root.first, root.first + root.dofs))
        yield from ((dof[1], None) for dof in self.dofs)
        if "joint" in self.fields:
            first = body.joint[self.fields["joint"]].first
            yield from ((first + k, None) for k in range(6) if self.fields["mask"] >> k & 1)
        for frame in self.frames if self.op == "move" else [self.fields] if "frame" in self.fields else []:
            there = next(f for f in body.frames.values() if f.number == frame["frame"])
            yield from ((dof, there.name) for dof in body.chain(there))


def write(commands):
    """An array of struct robo_cmd, and what it points to."""
    buffer, keep = Command() if len(commands) == 1 else (c_char * (COMMAND_SIZE * len(commands)))(), []
    for i, cmd in enumerate(commands):
        at, row = COMMAND_SIZE * i, COMMANDS[cmd.op]
        try:
            HEAD.pack_into(buffer, at, row.op, cmd.revision & 255, 0, NO_TIME if cmd.start is None else round(cmd.start * SECOND))
        except (OverflowError, struct.error):
            raise ValueError("%s.start: %g s is no instant" % (cmd.op, cmd.start)) from None
        if cmd.op == "move":
            move = move_of(cmd)
            keep.append(move)
            struct.pack_into("<Q", buffer, at + BODY, ctypes.addressof(move))
        else:
            row.request.pack(buffer, at + BODY, cmd.fields)
    return buffer, keep


def move_of(cmd):
    dofs, frames = sorted(cmd.dofs), cmd.frames
    array, places = (MoveDof * len(dofs))(), (MoveFrame * len(frames))()
    move = Move(dofs=len(dofs), frames=len(frames), dof=cast(array, POINTER(MoveDof)), frame=cast(places, POINTER(MoveFrame)))
    if cmd.base:
        move.parts, move.base[:] = cmd.base
    for to, (servo, dof, value, velocity, limit) in zip(array, dofs):
        to.dof, to.servo, to.value, to.velocity, to.limit = dof, servo, value, velocity or 0, limit or 0
        move.parts |= (velocity is not None and VELOCITIES) | (limit is not None and LIMITS)
    for to, fields in zip(places, frames):
        to.frame, to.servo, to.free, to.value[:] = fields["frame"], fields["servo"], fields["free"], fields["value"]
    move.keep = array, places
    return move


# ---- single commands ----


def merged(fields, more, what):
    """Fields from a dict and from keywords."""
    if fields is None:
        return more
    if not hasattr(fields, "items"):
        raise TypeError("%s: want fields by name, got %s" % (what, type(fields).__name__))
    return {**fields, **more}


def read(cmd, fields, what, others=()):
    """Puts fields by name into a command: its start, and quantities."""
    for name, value in fields.items():
        if name != "start" and name not in QUANTITIES[cmd.op]:
            refuse(what, "field", name, [*QUANTITIES[cmd.op], "start"], others)
        if value is None:
            continue
        if name == "start":
            cmd.start = number(value, "%s.start", what)
        else:
            cmd.fields[name] = (three if COMMANDS[cmd.op].request.fields[name].many else number)(value, "%s.%s", what, name)
    return cmd


def plain(op, fields, what=None):
    """A command to the base, to a leg or to all joints: numbers by name."""
    what = what or op
    cmd = read(Cmd(op, names=("base",) if COMMANDS[op].moves == "root" else ()), fields, what)
    if op == "go_to":
        if "x" not in cmd.fields and "y" not in cmd.fields:
            raise ValueError("%s: want x, y or both, got neither; to turn in place, give those of robot.state() and theta" % what)
        cmd.fields.setdefault("theta", math.nan)
    return cmd


def servo(body, op, name, values, fields):
    """A command to dofs of a joint. Names that are no fields of the command are dofs."""
    joint = body.find("joints", "joint", name)
    own, named = {"start", *QUANTITIES[op]} - {"value"} - set(joint.index), values is None or hasattr(values, "items")
    fields = {**(values or {}), **fields} if named else dict(fields)
    dofs = {key: fields.pop(key) for key in [*fields] if key not in own}
    for key in dofs:
        if place(joint, key) is None:
            refuse(name, "dof", key, joint.names, QUANTITIES[op])
    if dofs and not named:
        raise TypeError("%s: want values as one argument or by name, not both" % name)
    velocity, found = fields.pop("velocity", None) if "velocity" in own else None, of_joint(joint, dofs if named else values, name)
    if not found:
        raise ValueError("%s %s: want at least one of %s" % (op, name, ", ".join(joint.names)))
    cmd = read(Cmd(op, names=(joint.name,)), fields, name)
    cmd.fields.update(joint=joint.number, mask=sum(1 << k for k in found), value=[found.get(k, 0.0) for k in range(6)])
    if velocity is not None:
        along = of_joint(joint, velocity, name + ".velocity")
        for k in along:
            if k not in found:
                raise ValueError("%s.velocity: '%s' has no set-point" % (name, joint.names[k]))
        cmd.fields["velocity"] = [along.get(k, 0.0) for k in range(6)]
    return cmd


def frame(body, op, name, fields, posture):
    """A command to a control frame: lists of three numbers. posture(): the present one."""
    there = body.find("frames", "control frame", name)
    fields, free = dict(fields), 0
    cmd = Cmd(op, {"frame": there.number}, names=(there.name,))
    if op == "set_frame":
        free = 2 if fields.pop("straight", None) else 0
        if fields.get("attitude") is False or fields.get("attitude") is None and len(body.chain(there)) < 6:
            free |= 1
            fields["attitude"] = (0, 0, 0)
        cmd.fields["free"] = free
    read(cmd, fields, "%s %s" % (op, name), ("straight",))
    if op == "set_frame":
        if "position" not in cmd.fields:
            raise TypeError("%s %s: want position=(x, y, z)" % (op, name))
        if "attitude" not in cmd.fields:
            cmd.fields["attitude"] = list(Model(body).fk(posture(), name)["attitude"])
    return cmd


def axes(body, what, named, op):
    """The axes that names say, as fields of a stop, a take or a release; none: all."""
    if isinstance(what, str):
        named = {what: True, **named}
    elif what is not None:
        named = {**(what if hasattr(what, "items") else dict.fromkeys(what, True)), **named}
    if not named:
        return {}
    dofs = []
    for name, wanted in named.items():
        if wanted is not True:
            raise TypeError("%s: %s: want True, got %r" % (op, name, wanted))
        if name != "base":
            there = body.frames.get(name)
            if there is not None and name not in body.joints:
                dofs += body.chain(there)
            else:
                joint = body.find("joints", "joint", name, [*body.frames, "base", "own", "start"])
                dofs += range(joint.first, joint.first + joint.dofs)
    mask = bytearray(max(dofs) // 8 + 1 if dofs else 0)
    for dof in dofs:
        mask[dof // 8] |= 1 << dof % 8
    if "base" not in named and not mask:
        raise ValueError("%s: what it names has no dofs" % op)
    return {"base": int("base" in named), "mask": mask}


# ---- frames ----


def base_part(values):
    fields = dict(values) if hasattr(values, "items") else None
    if fields is None or len(fields) != 1 or next(iter(fields)) not in ("speed", "go_to", "stop"):
        raise TypeError("a frame's base wants one of speed={…}, go_to={…} and stop=True, not %s" % (
            ", ".join(sorted(map(str, fields))) or "nothing" if fields is not None else type(values).__name__))
    (op, value), = fields.items()
    if op == "stop":
        return Cmd("stop", {"base": 1}, names=("base",))
    op = "set_speed" if op == "speed" else op
    cmd = plain(op, merged(value, {}, "base." + op), "base." + op)
    return cmd


def joint_parts(body, name, values):
    """Set-points; speeds of dofs that have a velocity and no set-point; forces."""
    joint = body.joints[name]
    if not hasattr(values, "items") or not ({"velocity", "force"} & set(values)) or {"velocity", "force"} & set(joint.index):
        return [servo(body, "set_joint", name, values, {})]
    fields = dict(values)
    velocity = of_joint(joint, fields.pop("velocity", {}), name + ".velocity")
    force = of_joint(joint, fields.pop("force", {}), name + ".force")
    set_ = {place(joint, key) for key in fields}
    along = {k: v for k, v in velocity.items() if k in set_}
    speeds = {k: v for k, v in velocity.items() if k not in set_}
    if set(force) & (set(velocity) | set_):
        raise ValueError("frame: %s: a dof has a force and something else" % name)
    found = []
    if fields:
        found.append(servo(body, "set_joint", name, None, {**fields, **({"velocity": along} if along else {})}))
    if speeds:
        found.append(servo(body, "set_joint_speed", name, speeds, {}))
    if force:
        found.append(servo(body, "set_joint_force", name, force, {}))
    return found


def part(body, name, values, posture):
    """The commands of one part of a frame."""
    fields = set(values) if hasattr(values, "items") else set()
    of_frame = fields & {"position", "attitude", "straight", "linear", "angular", "torque"}
    if name == "base":
        return [base_part(values)]
    if name in body.joints and not (name in body.frames and of_frame - set(body.joints[name].index)):
        return joint_parts(body, name, values)
    if name not in body.frames:
        body.find("joints", "joint", name, ["base", *body.frames])
    op = "set_frame_speed" if fields & {"linear", "angular"} else "set_frame_force" if fields & {"force", "torque"} else "set_frame"
    return [frame(body, op, name, merged(values, {}, name), posture)]


def include(move, body, cmd):
    """Makes a command a part of a move; False: a move cannot carry it."""
    fields = cmd.fields
    if cmd.op == "stop" or "acceleration" in fields or "speed" in fields and "joint" not in fields:
        return False
    if cmd.op in SERVOS:
        first, limit = body.joint[fields["joint"]].first, fields.get("speed")
        for k in range(6):
            if fields["mask"] >> k & 1:
                velocity = fields["velocity"][k] if "velocity" in fields else None
                move.dofs.append((SERVOS[cmd.op], first + k, fields["value"][k], velocity, limit))
    elif "frame" in fields:
        linear = fields.get("position") or fields.get("linear") or fields.get("force") or [0.0] * 3
        angular = fields.get("attitude") or fields.get("angular") or fields.get("torque") or [0.0] * 3
        move.frames.append({"frame": fields["frame"], "servo": COMMANDS[cmd.op].servo, "free": fields.get("free", 0),
                            "value": linear + angular})
    else:
        move.base = PLACE if cmd.op == "go_to" else VELOCITY, [fields.get(name, 0.0) for name in PLANAR]
    move.names += cmd.names
    return True


def contradiction(body, commands):
    """Raises when two parts move the same dof, or one moves a dof and another the one that it mimics."""
    parts = {}

    def full(dof):
        joint, name = body.named(1, dof)
        return joint if joint == name else "%s.%s" % (joint, name)
    for cmd in commands:
        for dof, by in cmd.numbers(body):
            if parts.setdefault(dof, by) != by:
                raise ValueError("frame: %s and %s both move %s" % (parts[dof] or full(dof), by or full(dof), full(dof)))
    for dof in parts:
        leader = body.dof[dof].mimics - 1
        if leader in parts:
            raise ValueError("frame: %s follows %s, and cannot be moved beside it" % (full(dof), full(leader)))


def parts(body, given, start, posture):
    """The commands of a frame: one move has all parts, except those that it cannot carry, which come before it."""
    if not hasattr(given, "items"):
        raise TypeError("frame: want parts by name, got %s" % type(given).__name__)
    move, sent, only = Cmd("move", start=start), [], []
    move.dofs, move.frames = [], []
    for name, values in given.items():
        for cmd in part(body, name, values, posture):
            cmd.start = start
            (only if include(move, body, cmd) else sent).append(cmd)
    sent += [move] if len(only) > 1 else only
    if len(given) > 1:
        contradiction(body, sent)
    return sent
