"""A robot's state, once or repeatedly."""
from ._body import number
from ._watch import Watch


class State:
    """A robot's state: SI; x ahead, y left, z up."""

    def __init__(self, body, s):
        self.time, self.epoch, self.panic, self.moving = s["time"], s["epoch"], bool(s["panic"]), bool(s["moving"])
        self.pose, self.attitude, self.twist, self.spin = s["pose"], s["attitude"], s["twist"], s["spin"]
        self.x, self.y, self.z = (float(v) for v in self.pose)
        self.theta = float(self.attitude[2])
        self.velocity = {"x": float(self.twist[0]), "y": float(self.twist[1]), "theta": float(self.spin[2])}
        self.battery, self.voltage, self.override = s["charge"], s["voltage"], s["override"]
        self.position, self.speed = s["position"], s["speed"]
        self.joints = self.by_joint(body, self.position)
        self.forces = self.frames = self.goals = None
        if s.get("force") is not None and len(s["force"]):
            self.forces = self.by_joint(body, [f if k else None for f, k in zip(s["force"], s["known"])])
        if s.get("goal") is not None and len(s["goal"]):
            self.goals = self.by_joint(body, [g if k else None for g, k in zip(s["goal"], s["aimed"])])
        if s.get("x") is not None and len(s["x"]):
            rows = list(zip(*(s[name] for name in ("x", "y", "z", "roll", "pitch", "yaw"))))
            self.frames = {f.name: {"position": list(rows[f.number][:3]), "attitude": list(rows[f.number][3:])} for f in body.frames.values()}

    @staticmethod
    def by_joint(body, values):
        return {joint.name: {name: None if values[k] is None else float(values[k]) for k, name in enumerate(joint.names, joint.first)
                             if k < len(values)} for joint in body.joint if joint.dofs}

    def __repr__(self):
        return "<robotalk.State: x %.3f, y %.3f, theta %.3f%s%s>" % (self.x, self.y, self.theta, ", moving" * self.moving,
                                                                    ", in panic" * self.panic)


def broadcast(self, period, fn=None, *, forces=False, frames=False, goals=False):
    period, more = number(period, "broadcast.period"), forces + 2 * frames + 4 * goals
    if not 0.001 <= period <= 3600:
        raise ValueError("broadcast: period: want seconds, 0.001 to 3600, got %g" % period)

    def take(id, row):
        answer = self._client.take(id, row, bool(more))
        return (answer["time"], lambda: State(self._body, answer)) if answer else (None, None)
    return Watch(self, "broadcast", lambda body: {"period": period, "more": more}, take, fn)
