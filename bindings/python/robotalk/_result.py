"""The result of a command."""
from ._library import NO_TIME
from ._messages import BY_OP, REASONS, SIGNALS

GOOD = {"SUCCESS": True, "MODIFIED": True}


def clock(seconds):
    return "%.3g ms" % (seconds * 1e3) if abs(seconds) < 0.9995 else "%.3g s" % seconds


def add(names, name):
    return names if name in names else names + [name]


class Result:
    """True when the command was carried out (SUCCESS, or MODIFIED: as far as the body can)."""

    off = parts = left_out = clipped = by = obstacle = holder = None
    superseded = False

    def __init__(self, numbers, parts, cmd, body):
        (self.id, op, sign, reason, scheduled, executed, finished, uncertainty, position, rotation, self.holder_number) = numbers
        self.op, self.signal = BY_OP[op].name, SIGNALS[sign]
        self.reason, why = REASONS.get(reason, ("unknown", "unknown"))
        self.why = why or None
        self.scheduled = None if scheduled == NO_TIME else scheduled / 1e9
        self.executed, self.finished = None if executed == NO_TIME else executed / 1e9, finished / 1e9
        self.uncertainty = uncertainty / 1e9
        if reason or sign != 5:
            self.look(position, rotation, parts, cmd, body)

    def look(self, position, rotation, parts, cmd, body):
        if self.signal == "MODIFIED" and (position or rotation):
            self.off = {"position": position, "rotation": rotation}
            self.why = self.why or "it has come to rest beside its goal"
        self.superseded = self.reason == "superseded"
        rows = []
        for part in parts:
            name, dof = body.named(part.kind, part.number)
            row = {"part": name, "dof": dof, "signal": SIGNALS[part.signal], "reason": REASONS.get(part.reason, ("unknown",))[0]}
            if row["signal"] == "NA":
                self.left_out = add(self.left_out or [], name)
            if row["reason"] == "limit":
                self.clipped = add(self.clipped or [], name)
            rows.append(row)
        self.parts = rows or None
        if not rows and cmd and self.signal == "MODIFIED" and self.reason in ("limit", "holonomic"):
            self.clipped = list(dict.fromkeys(cmd.names))
        if not rows and cmd and self.signal == "NA" and cmd.op == "move":
            self.left_out = list(dict.fromkeys(cmd.names))

    @property
    def lateness(self):
        """executed - scheduled; None: it never began, or had no date."""
        return None if self.executed is None or self.scheduled is None else self.executed - self.scheduled

    def __bool__(self):
        return self.signal in GOOD

    def __str__(self):
        words = ["took " + clock(self.finished - self.executed)] if self.executed is not None else []
        if self.lateness is not None and self.lateness >= 1e-3:
            words.append("began %s late" % clock(self.lateness))
        if self.off:
            words.append("off by %.3g m, %.3g rad" % (self.off["position"], self.off["rotation"]))
        if self.left_out:
            words.append("left out: " + " ".join(self.left_out))
        if self.superseded:
            words.append("superseded")
        if self.clipped:
            words.append("clipped: " + " ".join(self.clipped))
        return "%s%s: %s" % (self.signal, ", " + self.why if self.why else "", ", ".join(words) or "never began")

    __repr__ = __str__
