"""Sequences of frames: commands that share a time stamp, on the time line of a session."""
import time

from . import _commands
from ._body import number
from ._client import now
from ._commands import merged
from ._errors import failure

BATCH, EVERY = 100, 0.02  # commands a package; s for which frames are gathered
AHEAD, BEHIND = 3540, 9  # s before and after its date that the first frame may be sent
BASE = ("x", "y", "theta")


def frame(self, t, parts=None, **more):
    t, given = number(t, "frame: time"), merged(parts, more, "frame")
    start = (now() - t if self._epoch is None else self._epoch) + t
    if not self._frames and not -BEHIND <= start - now() <= AHEAD:
        raise ValueError("frame: time: a sequence is sent at most %d s before its date and %d s after it, this one %.0f s before it"
                         % (AHEAD, BEHIND, start - now()))
    commands = _commands.parts(self.body, given, start, self._posture)
    self._epoch = start - t
    self._frames += 1
    self._pending += commands
    if len(self._pending) >= BATCH or now() - self._flushed > EVERY:
        self.flush()


def frames(self, times, **parts):
    """Frames from arrays: a row of each part for each of the times; of the base rows of x, y, theta, its velocity."""
    times = [number(t, "frames: times[%d]" % i) for i, t in enumerate(times)]
    for name, rows in parts.items():
        if len(rows) != len(times):
            raise ValueError("frames: %s: want a row for each of %d times, got %d" % (name, len(times), len(rows)))
    for i, t in enumerate(times):
        self.frame(t, {name: {"speed": dict(zip(BASE, rows[i]))} if name == "base" else rows[i] for name, rows in parts.items()})


def flush(self):
    self._flushed = now()
    while self._pending:
        package, self._pending = self._pending[:BATCH], self._pending[BATCH:]
        first = self._send(package)
        for i, cmd in enumerate(package):
            self._keep(first + i, cmd)
            self._tickets.append(first + i)


def count(table, *keys):
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = table.get(keys[-1], 0) + 1


class Report:
    """The result of a sequence."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __str__(self):
        def counts(rows):
            rows = sorted("%d %s" % (n, reason) for reason, n in rows.items() if reason != "none")
            return " (%s)" % ", ".join(rows) if rows else ""
        signals = ", ".join(sorted("%d %s%s" % (n, signal, counts(self.reasons[signal])) for signal, n in self.signals.items()))
        text = ("%d frames, %d commands played: %s; start delay %.3f s (%.3f s would have sufficed), worst lateness %.2f ms, "
                "%d underruns, %d never begun" % (self.frames, self.played, signals, self.delay, self.needed, self.worst * 1e3,
                                                  self.underruns, self.refused))
        if self.left_out:
            text += "; left out: " + counts(self.left_out)[2:-1]
        if self.paused:
            text += "; paused %d times, %.3f s in all" % (self.paused, self.added)
        return text

    __repr__ = __str__


def finish(self, timeout=None):
    end = None if timeout is None else time.monotonic() + timeout

    def left():
        return None if end is None else max(0, end - time.monotonic())
    self.flush()
    self._query("finish", None, 60 if end is None else left())
    if self._info["errors"]:  # results of errors only come: settled when nothing is unanswered
        while self._query("status")["unanswered"]:
            if end is not None and time.monotonic() > end:
                raise failure("ETIMEOUT", "no answer in time")
            time.sleep(0.01)
    signals, reasons, left_out, clipped, concerned = {}, {}, {}, {}, []
    while self._tickets:
        id = self._tickets[0]
        cmd = self._given.get(id)
        try:
            result = self._await(id, cmd, left())
        except Exception as error:
            if getattr(error, "code", None) != "ENONE":  # else it was read before, or is SUCCESS and was not sent
                raise
            result = None
        self._tickets.pop(0)
        self._given.pop(id, None)
        if result is None:
            continue
        count(signals, result.signal)
        count(reasons, result.signal, result.reason)
        for name in result.left_out or ():
            count(left_out, name)
        for name in result.clipped or ():
            count(clipped, name)
        if result.signal != "SUCCESS" and not (result.superseded and not result.clipped):
            concerned.append({"t": cmd.start - self._epoch, "op": result.op, "signal": result.signal, "reason": result.reason,
                              "clipped": result.clipped, "left_out": result.left_out, "off": result.off})
    status, pauses = self._query("status"), self._query("pauses")
    if self._info["errors"] and status["succeeded"]:
        signals["SUCCESS"] = signals.get("SUCCESS", 0) + status["succeeded"]
        reasons.setdefault("SUCCESS", {})["none"] = status["succeeded"]
    rows, earlier = [], pauses["added"] - sum(pauses["later"])
    for i, due in enumerate(pauses["due"]):
        rows.append({"at": due, "t": due - (self._epoch or 0) - status["delay"] - earlier, "added": pauses["later"][i],
                     "path": pauses["path"][i], "turn": pauses["turn"][i], "dof": pauses["dof"][i]})
        earlier += pauses["later"][i]
    return Report(frames=self._frames, played=status["executed"], signals=signals, reasons=reasons, left_out=left_out,
                  clipped=clipped, concerned=concerned, delay=status["delay"], needed=status["needed"], worst=status["worst"],
                  underruns=status["underruns"], refused=status["refused"], paused=pauses["count"], added=pauses["added"], pauses=rows)
