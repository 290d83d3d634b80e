"""Policies: chunks of actions that a function makes of the newest observation, played in playback mode, as by scripts/robotalk/policy.lua."""
import math
import threading
import types

from ._body import number
from ._client import NOTICE, now, spawn
from ._errors import Error, refuse
from ._messages import numpy as np

AHEAD, SHARE, TAIL = 0.005, 0.8, 30
NOTICED = 0.5  # s for the notice of a stop or a panic, behind the results of what it has ended


class Policy:
    def __init__(self, robot, fn, rate, every, age, joints, observe, on_hold):
        self._robot, self._fn, self._observe, self._hold = robot, fn, list(observe), on_hold or (lambda why: None)
        self._rate, self._every, self._age = number(rate, "policy.rate"), number(every, "policy.every"), number(age, "policy.age")
        body = robot.body
        if joints is None:
            joints = [j.name for j in sorted(body.joints.values(), key=lambda j: j.first)
                      if j.servo & 1 and j.dofs and not any(body.dof[j.first + k].mimics for k in range(j.dofs))]
        self._joints = [body.find("joints", "joint", name) for name in joints]
        there = {*body.cameras, *body.sensors, *(sensor.kind for sensor in body.sensors.values())}
        for name in self._observe:
            if name not in there:
                refuse(body.name, "sensor or camera", name, there)
        self._places = [k for joint in self._joints for k in range(joint.first, joint.first + joint.dofs)]
        dofs = [body.dof[k] for k in self._places]
        self._low, self._high = np.array([(d.low, d.high) if d.low <= d.high else (-math.inf, math.inf) for d in dofs]).T
        self._speed = np.array([d.speed or math.inf for d in dofs])
        self._step = SHARE * np.array([d.acceleration or math.inf for d in dofs]) / self._rate
        self._over, self._session, self._wake, self.counts = None, None, threading.Event(), None

    def _see(self):
        """The newest observation, or a text: why there is none."""
        state, robot = self._robot.state(), self._robot
        parts = {}
        for name in self._observe:
            try:
                parts[name] = robot.camera(name).frame(format="rgb", timeout=self._age) if name in robot.body.cameras else robot.sense(name)
            except Error as error:
                if error.code not in ("ETIMEOUT", "NA"):
                    raise
                return str(error)
        time, name = min([(state.time, "state"), *((part.time, name) for name, part in parts.items())])
        if now() - time > self._age:
            return "%s is %.2f s old" % (name, now() - time)
        return types.SimpleNamespace(time=state.time, state=state, position=np.asarray(state.position)[self._places], **parts)

    def _ask(self, seen, end):
        """What the function answers, on a thread of its own; None: the run is over before that."""
        answer = []

        def ask():
            try:
                answer.append((self._fn(seen), None))
            except BaseException as error:
                answer.append((None, error))
            self._wake.set()
        spawn(ask)
        self._rest(end, answer)
        if answer and answer[0][1]:
            raise answer[0][1]
        return answer[0][0] if answer else None

    def _rest(self, end, answer=()):
        while now() < end and not answer and self._over is None:
            self._wake.wait(min(0.5, max(0, end - now())))
            self._wake.clear()

    def _at(self, time):
        """The set-points of the plan at an instant."""
        return np.array([np.interp(time, self._times, column) for column in self._rows.T])

    def _blend(self, time, actions):
        """The plan that a chunk makes of the old one, from its first action that can be on time: its number, and the rows, which end at rest."""
        rate, rows = self._rate, []
        first = max(0, math.ceil((now() + AHEAD + self._robot.clock()["least"] / 2 - time) * rate))
        overlap, begin = max(0, math.floor((self._ends - time) * rate + 1.5) - first), time + first / rate
        x = self._at(begin - 1 / rate)
        v = (self._at(begin) - x) * rate
        for k in range(1, len(actions) - first + TAIL + 1 if first < len(actions) else 0):
            was = self._at(begin + (k - 1) / rate)
            target = np.clip(was + min(1, k / (overlap + 1)) * (actions[min(first + k, len(actions)) - 1] - was), self._low, self._high)
            if first + k > len(actions) and np.abs([v, target - x]).max() < 1e-3:
                break
            brakes = np.minimum(self._speed, np.sqrt(2 * self._step * rate * np.abs(target - x)))  # from this speed it can stop there
            v = v + np.clip(np.clip((target - x) * rate, -brakes, brakes) - v, -self._step, self._step)
            x = x + v / rate
            rows.append(x)
        return min(first, len(actions)), begin + np.arange(len(rows)) / rate, np.array(rows)

    def _play(self, session, times, rows):
        speeds = np.clip(np.diff(rows, axis=0, append=rows[-1:]) * self._rate, -self._speed, self._speed)
        with session._tape.lock:
            session._tape.flushed = math.inf  # all of it is one package
            for t, row, along in zip(times, rows, speeds):
                values, parts = iter(zip(row, along)), {}
                for joint in self._joints:
                    pairs = {name: next(values) for name in joint.names}
                    parts[joint.name] = {**{name: x for name, (x, _) in pairs.items()}, "velocity": {name: v for name, (_, v) in pairs.items()}}
                session.frame(t - session._epoch, parts)
            session.flush()

    def _refusal(self, session):
        """Why a frame has ended that should not have; None: none has."""
        tape = session._tape
        with tape.lock:
            tape.take(lambda: 0, ("ETIMEOUT",))
            bad, tape.concerned = [row for row in tape.concerned if row["signal"] not in ("SUCCESS", "MODIFIED")], []
        if bad:
            self._rest(now() + NOTICED)
        return "%s: %s" % (bad[0]["signal"], bad[0]["why"]) if bad else None

    def _turn(self, session, end):
        """One observation and its chunk; a text: why the run ends."""
        counts, seen = self.counts, self._see()
        if isinstance(seen, str):
            counts["stale"] += 1
            self._hold(seen)
            return self._refusal(session)
        counts["calls"] += 1
        actions = self._ask(seen, end)
        if actions is None or isinstance(actions, str) or self._over:
            return self._over or actions or (now() < end and "the policy has ended" or None)
        actions = np.asarray(actions, float)
        if actions.ndim != 2 or not len(actions) or actions.shape[1] != len(self._places):
            raise ValueError("policy: want a chunk of actions, rows of %d numbers, got shape %s" % (len(self._places), actions.shape))
        for k, i in np.argwhere(~np.isfinite(actions)):
            raise ValueError("policy: action %d: %s: want a finite number, got %s" % (
                k, self._robot.body.named(1, self._places[i])[0], actions[k, i]))
        if len(actions) == 1:  # is held until the next one is due
            actions = actions.repeat(math.ceil(self._every) + 1, 0)
        dropped, times, rows = self._blend(seen.time, actions)
        counts["dropped"] += dropped
        refused = self._refusal(session)
        if refused is None and not len(rows):
            counts["late"] += 1
            self._hold("the function took %.2f s" % (now() - seen.time))
        elif refused is None:
            counts["holds"] += bool(counts["chunks"] and times[0] > self._ends + 1.5 / self._rate)
            self._play(session, times, rows)
            counts["chunks"] += 1
            counts["frames"] += len(rows)
            kept = (self._times < times[0] - 1e-6) & (self._times > times[0] - 3 / self._rate)
            self._times, self._rows = np.append(self._times[kept], times), np.concatenate([self._rows[kept], rows])
            self._ends = seen.time + (len(actions) - 1) / self._rate
        return refused or self._refusal(session)

    def run(self, seconds=None):
        if self._session:
            raise RuntimeError("run: the policy runs already")
        robot, begun, self._over = self._robot, now(), None
        self.counts = dict.fromkeys(("calls", "chunks", "frames", "dropped", "late", "stale", "holds"), 0)
        end = math.inf if seconds is None else begun + number(seconds, "run.seconds")
        position = np.asarray(robot.state().position)
        session = robot.session("playback", newest=True, spacing=1 / self._rate, at=begun)

        def listen(kind, name, number, value):
            if kind == NOTICE and number == session._number and name in ("stopped", "panicked"):
                self.stop(name)
        robot._client.listen(listen)
        self._session, next_, self._ends = session, now(), -1e9
        self._times, self._rows = np.array([next_]), position[None, self._places]
        try:
            while self._over is None:
                why = self._turn(session, end) or ("its time is over" if now() >= end else None)
                self._over = self._over or why
                next_ = max(next_ + self._every / self._rate, now())
                self._rest(min(next_, end))
        except Error:
            if self._over is None:  # else it is of the session, which stop has closed
                raise
        finally:
            self._session = None
            robot._client.listeners.remove(listen)
            session.close()
        return self._over

    def stop(self, why="stopped"):
        session, self._over = self._session, self._over or why
        if session:
            session.close()
        self._wake.set()


def policy(robot, fn, *, rate=30, every=8, age=0.2, joints=None, observe=(), on_hold=None):
    if np is None:
        raise ImportError("a policy needs numpy")
    return Policy(robot, fn, rate, every, age, joints, observe, on_hold)
