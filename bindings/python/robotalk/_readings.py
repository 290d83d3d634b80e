"""Readings of sensors, with the names of their values (spec/sensors.lua)."""
import math

from ._body import number
from ._client import now
from ._errors import failure, lacking
from ._made import OWN_RATE, SENSORS
from ._messages import array
from ._watch import Watch


class Reading:
    """A reading: its values by name. One of several sensors: their readings as [0], [1] …"""

    def __init__(self, **fields):
        self.__dict__.update(fields)
        self._all = [self]

    def __getitem__(self, index):
        return self._all[index]

    def __len__(self):
        return len(self._all)

    def __repr__(self):
        return "<robotalk.Reading: %s>" % ", ".join("%s=%s" % pair for pair in vars(self).items() if pair[0][0] != "_")


def known(x):
    return None if math.isnan(x) else x


def mean(row, values):
    """A value of a kind, from its numbers in a row."""
    count, each = row.get("count", 1), float(values[0])
    if count > 1:
        return array(values[:count])
    if math.isnan(each):
        return None
    return each == 1 if row.get("flag") else row["words"][round(each) - 1] if "words" in row else each


def combined(how, values):
    """The singular of a value of which there are many."""
    if how == "any":
        return any(v == 1 for v in values)
    there = [float(v) for v in values if not math.isnan(v)]
    return (min(there) if how == "least" else there[0]) if there else None


def many(kind, values):
    row = kind["values"][0]
    return {kind["many"]: array([v == 1 for v in values]) if row.get("flag") else array(values),
            row["name"]: combined(kind["of"], values)}


def rate_of(sensor):
    return sensor.rate or SENSORS.get(sensor.kind, {"rate": OWN_RATE})["rate"]


def reading(sensor, n, at, values):
    kind, fields = SENSORS.get(sensor.kind), {}
    if kind is None:
        names = sensor.get("values", "").split() or ["value"]
        fields = {name: known(float(v)) for name, v in zip(names, values)}
        fields["unit"] = sensor.get("unit") or None
    elif "many" in kind:
        fields = many(kind, values)
    else:
        at_value = 0
        for row in kind["values"]:
            fields[row["name"]] = mean(row, values[at_value:])
            at_value += row.get("count", 1)
    return Reading(name=sensor.name, type=sensor.kind, number=n, time=at, age=max(0.0, now() - at), **fields)


def find(body, what):
    """The sensors of a name, of a kind, or of a list of names."""
    names = [what["kind"]] if hasattr(what, "items") else [what] if isinstance(what, str) else list(what)
    found = []
    for name in names:
        if not isinstance(name, str):
            raise TypeError("want the name of a sensor, got %s" % type(name).__name__)
        more = [body.sensors[name]] if name in body.sensors and not hasattr(what, "items") else [
            sensor for sensor in body.sensors.values() if sensor.kind == name]
        if not more:
            raise lacking(body.name, "sensor", name, dict.fromkeys([s.kind for s in body.sensors.values()] + list(body.sensors)))
        found += more
    if not found:
        raise ValueError("want a sensor, got none")
    return found


def question(sensors):
    mask = bytearray(max(s.number for s in sensors) // 8 + 1)
    for sensor in sensors:
        mask[sensor.number // 8] |= 1 << sensor.number % 8
    return {"mask": mask}


def named(body, sensors, answer):
    """An answer to sense or watch as one reading."""
    found, at = {}, 0
    for i, k in enumerate(answer["sensor"]):
        count = answer["values"][i]
        sensor = next((s for s in body.sensors.values() if s.number == k), None)
        if sensor is None:
            raise failure("EBODY", "the readings are of other sensors than the robot has")
        if answer["number"][i]:
            found[k] = reading(sensor, answer["number"][i], answer["time"][i], answer["value"][at:at + count])
        at += count
    if not found:
        raise failure("NA", "%s of robot %s: no reading has come yet" % (", ".join(s.name for s in sensors), body.name))
    if len(sensors) == 1:
        return found[sensors[0].number]
    rows = [found.get(s.number) for s in sensors]
    there = [row for row in rows if row]
    kinds = {row.type for row in there}
    group = Reading(type=kinds.pop() if len(kinds) == 1 else None, time=min(r.time for r in there), age=max(r.age for r in there))
    kind = SENSORS.get(group.type)
    if kind and "many" in kind:
        values = [v for s, row in zip(sensors, rows) for v in (getattr(row, kind["many"]) if row else [math.nan] * s.count)]
        vars(group).update(many(kind, [float(v) for v in values]))
    group._all = rows
    return group


def sense(self, what):
    sensors = find(self.body, what)
    return named(self.body, sensors, self._query("sense", question(sensors)))


def watch(self, what, fn=None, *, rate=None):
    rate = min(1000, max(map(rate_of, find(self.body, what)))) if rate is None else number(rate, "watch.rate")
    if not 1 / 3600 <= rate <= 1000:
        raise ValueError("watch: rate: want times a second, at most 1000, got %g" % rate)

    def take(id, row):
        answer = self._client.take(id, row)
        return (tuple(answer["number"]), lambda: named(self.body, find(self.body, what), answer)) if answer else (None, None)
    return Watch(self, "watch", lambda body: {"period": 1 / rate, **question(find(body, what))}, take, fn)
