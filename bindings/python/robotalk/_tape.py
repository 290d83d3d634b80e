"""Sequences of frames: commands that share a time stamp, on the time line of a session."""
import collections
import itertools
import threading
import time
import weakref

from . import _commands
from ._body import number, three
from ._client import now
from ._commands import merged
from ._errors import Error, Timeout, late
from ._messages import numpy

BATCH, ROOM, EVERY = 100, 4096, 0.02  # commands a package; s for which frames are gathered, by the thread for events twice that at most
AHEAD, BEHIND = 3540, 9  # s before and after its date that the first frame may be sent
BASE = ("x", "y", "theta")


class Tape:
    """The frames of a session: those that wait for others, those without an answer, and what came of the rest."""

    def __init__(self, session):
        self.session, self.client, self.lock = weakref.proxy(session), session._client, threading.RLock()
        self.pending, self.unanswered, self.frames, self.flushed = [], collections.deque(), 0, 0
        self.signals, self.reasons, self.left_out, self.clipped, self.concerned = {}, {}, {}, {}, []

    def add(self, commands):
        client = self.client
        with self.lock:
            self.frames += 1
            self.pending += commands
            if len(self.pending) >= BATCH or now() - self.flushed > EVERY:
                self.flush()
            elif self.late not in client.bursts:
                client.listen(None)
                client.bursts.add(self.late)

    def late(self):
        """Sends what waits for frames that do not come; what fails then fails again in the next call."""
        if now() - self.flushed > EVERY and self.lock.acquire(False):  # else another thread sends
            self.client.bursts.discard(self.late)
            try:
                self.flush()
            except (Error, ReferenceError):
                pass
            finally:
                self.lock.release()

    def flush(self):
        with self.lock:
            self.flushed = now()
            while self.pending:
                self.wait()
                revision = self.pending[0].revision
                package = list(itertools.takewhile(lambda cmd: cmd.revision == revision, self.pending[:BATCH]))
                first = self.session._send(package)
                del self.pending[:len(package)]
                self.unanswered += ((first + i, cmd) for i, cmd in enumerate(package))
            if not self.session._info["errors"]:
                self.take(lambda: 0, ("ETIMEOUT",))

    def wait(self):
        """Until the server has room for frames that wait."""
        if not self.session._info["errors"]:
            self.take(lambda: None, keep=ROOM)
        while len(self.unanswered) > ROOM and self.session._query("status")["unanswered"] > ROOM:
            time.sleep(0.01)

    def take(self, left, ends=(), keep=0):
        """Counts answers, in the order of commands, until an error of these codes, or until no more than `keep` are awaited."""
        with self.lock:
            while len(self.unanswered) > keep:
                id, cmd = self.unanswered[0]
                try:
                    self.count(self.session._await(id, cmd, left()), cmd)
                except Error as error:
                    if error.code in ends:
                        return
                    if error.code != "ENONE":  # else it is SUCCESS and was not sent
                        raise
                self.unanswered.popleft()

    def count(self, result, cmd):
        count(self.signals, result.signal)
        count(self.reasons, result.signal, result.reason)
        for name in result.left_out or ():
            count(self.left_out, name)
        for name in result.clipped or ():
            count(self.clipped, name)
        if result.signal != "SUCCESS" and not (result.superseded and not result.clipped):
            self.concerned.append({"t": cmd.start - self.session._epoch, "op": result.op, "signal": result.signal, "reason": result.reason, "why": result.why,
                                   "clipped": result.clipped, "left_out": result.left_out, "off": result.off})


def frame(self, t, parts=None, **more):
    t, given = number(t, "frame: time"), merged(parts, more, "frame")
    start = (now() - t if self._epoch is None else self._epoch) + t
    if not self._tape.frames and not -BEHIND <= start - now() <= AHEAD:
        raise ValueError("frame: time: a sequence is sent at most %d s before its date and %d s after it, this one %.0f s before it"
                         % (AHEAD, BEHIND, start - now()))
    body = self.body
    commands = _commands.parts(body, given, start, self._posture)
    for cmd in commands:
        cmd.revision = body.revision
    self._epoch = start - t
    self._tape.add(commands)


def frames(self, times, **parts):
    """Frames from arrays: a row of each part for each of the times; of the base rows of x, y, theta, its velocity."""
    times = [number(t, "frames: times[%d]" % i) for i, t in enumerate(times)]
    for name, rows in parts.items():
        if len(rows) != len(times):
            raise ValueError("frames: %s: want a row for each of %d times, got %d" % (name, len(times), len(rows)))
        bad = numpy.argwhere(~numpy.isfinite(numpy.asarray(rows, float))) if numpy else ()
        if len(bad):  # before the first of them is sent
            raise ValueError("frames: %s: row %d: want finite numbers" % (name, bad[0][0]))
    for i, t in enumerate(times):
        self.frame(t, {name: {"speed": dict(zip(BASE, three(rows[i], "frames: base")))} if name == "base" else rows[i]
                       for name, rows in parts.items()})


def flush(self):
    self._tape.flush()


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
    tape = self._tape
    tape.flush()
    try:
        self._query("finish", None, 60 if end is None else left())
        while self._info["errors"] and self._query("status")["unanswered"]:  # results of errors only come: settled when there are none
            time.sleep(min(0.01, left() or 0.01))
            if left() == 0:
                raise late("finish", self.name, timeout)
        tape.take(left)
    except Timeout:
        raise late("finish", self.name, 60 if end is None else timeout) from None
    status, pauses = self._query("status"), self._query("pauses")
    if self._info["errors"] and status["succeeded"]:
        tape.signals["SUCCESS"] = tape.signals.get("SUCCESS", 0) + status["succeeded"]
        tape.reasons.setdefault("SUCCESS", {})["none"] = status["succeeded"]
    rows, earlier = [], pauses["added"] - sum(pauses["later"])
    for i, due in enumerate(pauses["due"]):
        rows.append({"at": due, "t": due - (self._epoch or 0) - status["delay"] - earlier, "added": pauses["later"][i],
                     "path": pauses["path"][i], "turn": pauses["turn"][i], "dof": pauses["dof"][i]})
        earlier += pauses["later"][i]
    return Report(frames=tape.frames, played=status["executed"], signals=tape.signals, reasons=tape.reasons, left_out=tape.left_out,
                  clipped=tape.clipped, concerned=tape.concerned, delay=status["delay"], needed=status["needed"], worst=status["worst"],
                  underruns=status["underruns"], refused=status["refused"], paused=pauses["count"], added=pauses["added"], pauses=rows)
