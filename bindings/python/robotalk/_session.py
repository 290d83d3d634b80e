"""A session with a robot in one command mode: commands by name, the state, leases, stops and panics."""
import ctypes
import sys
import time
from ctypes import byref, c_char, c_int, c_int64, c_uint32

from . import _commands, _pictures, _readings, _state, _tape
from ._body import Body, number
from ._client import FOREVER, NOTICE, now, spawn
from ._errors import Error, Refused, closed, failure, late, refuse
from ._library import SECOND, SessionOptions, lib, quick, struct
from ._messages import COMMANDS, NOTICES
from ._result import Result
from ._state import State

OPERATE, RESET = 3, 5  # the role that may reset; s that a reset waits
TAKEN, BRAKING, REFUSED = 1, 2, 4  # states of the query take
RETAINED = {row.name: row for row in NOTICES.values() if row.retained}
KEPT = max((row.request.size + 7) // 8 * 8 for row in RETAINED.values())
News = struct("robo_session_news", open=c_int, blocking=c_int, panic=c_int, epoch=c_uint32, deadman=c_int64, holder=c_uint32,
              holder_name=c_char * 64, retained=c_int64 * (KEPT // 8 * len(RETAINED)), told=c_uint32, latched=c_int, stop=c_uint32,
              stopper=c_uint32, stopper_name=c_char * 64, stopped_at=c_int64, panic_name=c_char * 64)
TIMES = ("delay", "duration", "deadman", "gap", "expiry")
KEEP = 8192  # commands whose results are kept until they are asked for
MODES = ("direct", "delay", "playback", "broadcast")
UNSET = object()


def called(number, name):
    """How a client is called: its name, and its number at the server."""
    if number == 0:
        return "the program that serves it"
    name = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
    return "%s %d" % ("".join(c if c.isprintable() else "?" for c in name) or "a client", number)


class Must:
    """The methods of a session, raising Refused for signals other than SUCCESS and MODIFIED."""

    def __init__(self, session):
        self._session = session

    def __getattr__(self, name):
        method = getattr(self._session, name)

        def must(*args, **fields):
            result = method(*args, **fields)
            if isinstance(result, Result) and not result:
                raise Refused("%s: %s%s" % (name, result.signal, ", " + result.why if result.why else ""), result)
            return result
        return must

    def __dir__(self):
        return dir(self._session)


class Motion:
    """A command that was begun: wait for its result, or cancel it. In a coroutine `await motion`."""

    def __init__(self, session, cmd, id):
        self.session, self.cmd, self.ticket, self.op, self.name = session, cmd, id, cmd.op, (*cmd.names, None)[0]
        self.outcome = None

    def wait(self, timeout=None):
        """Its result; Timeout when it has not come in time."""
        if self.outcome is None:
            self.outcome = self.session._await(self.ticket, self.cmd, timeout)
        return self.outcome

    def done(self):
        """Whether it has ended."""
        try:
            return self.wait(0) is not None
        except TimeoutError:
            return False

    def cancel(self):
        """Takes the command back; it brakes if it is in progress."""
        return self.session.cancel(self)

    def __await__(self):
        from .aio import outcome
        return outcome(self).__await__()

    def __del__(self):
        if self.outcome is None and not sys.is_finalizing():
            self.session._client.forget(self.ticket)


class Session:
    must = property(Must)

    def __init__(self, client, number, body, mode, info, at=None):
        self._client, self._number, self._body, self._info, self._epoch = client, number, body, info, at
        self._changes, self._seen, self._closed, self._given = client.changes, None, False, {}
        self.mode, self.blocking, self._holds = mode, bool(info["blocking"]), bool(info["holds"])
        self._tape = _tape.Tape(self)

    # ---- what all calls need ----

    @property
    def name(self):
        """The robot's name."""
        return self.body.name

    @property
    def body(self):
        """The robot's description; the new one after a reload."""
        client = self._client
        if client.thread is None:
            client.look()
        if self._changes != client.changes:
            self._describe()
        return self._body

    def _describe(self):
        self._changes, block, revision = self._client.changes, b"", None
        end = time.monotonic() + 10
        while True:
            piece = self._query("configuration", {"offset": len(block)})
            if revision not in (None, piece["revision"]):
                block = b""  # the robot was reloaded meanwhile
            else:
                block += piece["bytes"]
            revision = piece["revision"]
            if len(block) >= piece["size"] and block:
                break
            if time.monotonic() > end or not piece["count"]:
                raise failure("ETIMEOUT", "the configuration does not come to an end")
        if not self._body or (self._body.block, self._body.revision) != (block, revision):
            self._body = Body(block, revision)

    def _query(self, op, fields=None, timeout=5, more=False):
        if self._closed:
            raise closed()
        return self._client.query(self._number, op, fields, timeout, more)

    def _news(self):
        news = News()
        self._client.call(quick.robo_session_news, self._number, byref(news))
        return news

    def _posture(self):
        return self.state().position

    def _send(self, commands):
        if self._closed:
            raise closed()
        return self._client.send(self._number, commands)

    def _await(self, id, cmd, timeout):
        result = Result(*self._client.result(id, timeout, cmd and cmd.op), cmd, self._body)
        if result.why:
            if result.reason == "link" and result.executed is None and quick.robo_client_state(self._client.hold().pointer) != 1:
                raise failure("ELINK", "%s: the link was lost before the answer came" % self._client.name)
            self._explain(result)
        return result

    def _explain(self, result):
        about = self._about(result.reason)
        result.why += ": " + about if about else ""
        if result.reason == "blocked":
            result.obstacle = about or None
        if result.reason not in ("lease", "stopped", "changed"):
            return
        news = self._news()
        if result.reason == "lease":
            result.holder = called(news.holder, news.holder_name)
            result.why += ": " + result.holder
        elif result.reason == "stopped" and news.latched:
            self._seen, result.by = news.stop, called(news.stopper, news.stopper_name)
            result.why = "stopped by " + result.by
        elif result.reason == "changed":
            self._changes = None

    def _about(self, name):
        """The first field of the newest retained notice of that name, if it is a text; or None."""
        row = RETAINED.get(name)
        news = row and self._news()
        told = news and news.told >> row.retained - 1 & 1
        text = next(iter(row.request.unpack(bytes(news.retained), (row.retained - 1) * KEPT).values())) if told else None
        return text if isinstance(text, str) else None

    def _do(self, cmd, timeout):
        """Sends a command; its result, or its ticket in a mode that does not wait."""
        if timeout is not None:
            timeout = number(timeout, "timeout")
        if self._holds and cmd.op != "stop" and cmd.start is None:
            cmd.start = now()
        id = self._send([cmd])
        if not self.blocking:
            self._keep(id, cmd)
            return id
        try:
            return self._await(id, cmd, timeout)
        except TimeoutError:
            self._take_back(id)
            raise

    def _keep(self, id, cmd):
        """Keeps a command for its result, and the results of the newest ones."""
        self._given[id] = cmd
        if len(self._given) > KEEP:
            oldest = next(iter(self._given))
            del self._given[oldest]
            self._client.call(quick.robo_drop, oldest)

    def _take_back(self, id):
        _, query = self._client.request(self._number, "cancel", {"command": id})
        self._client.forgotten.update((id, query))

    # ---- commands ----

    def go_to(self, goal=None, *, timeout=None, **fields):
        if isinstance(goal, (list, tuple)) and goal and hasattr(goal[0], "items"):
            if not self.blocking:
                raise ValueError("go_to: a list of places is for a session that waits for each of them, not for begin")
            goals, result = [_commands.plain("go_to", {**fields, **one}, "go_to[%d]" % i) for i, one in enumerate(goal)], None
            for cmd in goals:
                cmd.revision = self.body.revision
                result = self._do(cmd, timeout)
                if result.signal != "SUCCESS" and not (result.signal == "MODIFIED" and result.reason == "limit"):
                    break
            return result
        return self._do(_commands.plain("go_to", _commands.merged(goal, fields, "go_to")), timeout)

    def stop(self, what=None, *, timeout=None, **parts):
        return self._do(self._command("stop", [what], parts), timeout)

    def move(self, parts=None, *, timeout=None, **more):
        return self._do(self._command("move", [parts], more), timeout)

    def _command(self, op, args, fields):
        """The command that a method with these arguments gives."""
        body, row = self.body, COMMANDS.get(op)
        if row is None:
            refuse(body.name, "command", op, COMMANDS)
        if row.moves == "joint" or row.moves == "frame" or op == "move" or op == "stop":
            cmd = self._made(body, row, op, [*args, None, None], fields)
        else:
            cmd = _commands.plain(op, _commands.merged(args[0] if args else None, fields, op))
        cmd.revision = body.revision
        return cmd

    def _made(self, body, row, op, args, fields):
        if op == "stop":
            own, start = fields.pop("own", False), fields.pop("start", None)
            fields = _commands.axes(body, args[0], fields, op)
            return _commands.Cmd(op, {**fields, "scope": int(own)}, start and number(start, "stop.start"))
        if op == "move":
            start = fields.pop("start", None)
            commands = _commands.parts(body, _commands.merged(args[0], fields, op), start and number(start, "move.start"), self._posture)
            if len(commands) != 1:
                raise ValueError("move: want at least one part; %s is no part of a move" % commands[0].op if commands else
                                 "move: want at least one part")
            return commands[0]
        if row.moves == "joint":
            return _commands.servo(body, op, args[0], args[1], fields)
        return _commands.frame(body, op, args[0], _commands.merged(args[1], fields, "%s %s" % (op, args[0])), self._posture)

    def begin(self, op, *args, **fields):
        cmd = self._command(op, args, fields)
        return Motion(self, cmd, self._send([cmd]))

    def result(self, ticket, timeout=None):
        if isinstance(ticket, Motion):
            return ticket.wait(timeout)
        return self._await(ticket, self._given.pop(ticket, None), timeout)

    def cancel(self, ticket=None):
        id = ticket.ticket if isinstance(ticket, Motion) else ticket or 0
        return self._query("cancel", {"command": id})["count"]

    def override(self, share):
        share = number(share, "override")
        if share != 0 and not 0.001 <= share <= 1:
            raise ValueError("override: want 0, or 0.001 to 1, got %g" % share)
        self._query("override", {"share": share})

    def status(self):
        status = self._query("status")
        status["stopped"] = self.stopped()
        return status

    def state(self, *, forces=False, frames=False, goals=False):
        more = forces + 2 * frames + 4 * goals
        return State(self.body, self._query("state", {"more": more} if more else None, more=bool(more)))

    # ---- panics ----

    def panic(self):
        self._client.call(lib.robo_client_panic, self._number)

    def reset(self):
        end, sent = time.monotonic() + RESET, None
        while True:
            state, news = self._query("state"), self._news()
            # commands are answered PANIC until this session has the robot's notice
            if news.epoch == state["epoch"] and bool(news.panic) == bool(state["panic"]):
                if not news.panic:
                    return
                if sent not in (None, news.epoch):
                    raise failure("EPANIC", "there was another panic meanwhile")
                if self._client.call(lib.robo_client_role) < OPERATE:
                    raise failure("EROLE", "the role of this connection does not allow a reset")
                if sent is None:
                    self._client.call(lib.robo_client_reset, self._number)
                sent = news.epoch
            if time.monotonic() > end:
                raise late("reset", self.name, RESET)
            time.sleep(0.005)

    # ---- stops by others ----

    def stopped(self):
        news = self._news()
        if not news.latched:
            return None
        self._seen = news.stop
        return {"by": called(news.stopper, news.stopper_name), "since": news.stopped_at / SECOND}

    def latches(self):
        return [{"client": row["client"], "name": called(row["client"], row["name"]), "called": row["name"], "own": bool(row["own"]),
                 "stop": row["stop"], "by": called(row["by"], row["stopper"]), "since": row["since"],
                 "connected": bool(row["connected"])} for row in self._list("latch")]

    def resume(self, *, all=False, client=None):
        if all or client is not None:
            stops = [row["stop"] for row in self.latches() if client in (None, row["client"])]
            if not stops:
                raise failure("ENONE", "no client %d waits for resume" % client if client else "no stop holds anybody")
            self._query("resume", {"stop": max(stops), "scope": 2 if client else 1, "client": client or 0})
            return
        news = self._news()
        if not news.latched:
            raise failure("ENONE", "no stop holds this client; resume(all=True) resumes the others")
        if news.stop != self._seen:
            self._seen = news.stop
            raise failure("ESTOPPED", "%s has stopped the robot" % called(news.stopper, news.stopper_name))
        self._query("resume", {"stop": news.stop, "scope": 0})

    def on_stopped(self, fn):
        def listen(kind, name, session, value):
            by = kind == NOTICE and name == "latched" and value and session == self._number and self.stopped()
            if by:
                spawn(fn, by)
        self._client.listen(listen)

    # ---- leases ----

    def _list(self, op, session=None):
        rows = []
        while True:
            try:
                rows.append(self._client.query(self._number if session is None else session, op, {"index": len(rows)}))
            except Error as error:
                if error.code == "ENONE":
                    return rows
                raise

    def holders(self):
        return [{"holder": called(row["holder"], row["name"]), "own": bool(row["own"]), "left": row["left"],
                 "parts": self.body.parts(row["base"], row["mask"])} for row in self._list("holder")]

    def take(self, what=None, *, force=False, timeout=None, **parts):
        axes = _commands.axes(self.body, what, parts, "take")
        end, open_ = None if timeout is None else time.monotonic() + timeout, False
        try:
            while True:
                answer = self._query("take", {**axes, "force": int(force), "revision": self.body.revision & 255})
                force, state = False, answer["state"]
                open_ = state > BRAKING and state != REFUSED
                if state == TAKEN:
                    return
                holder = called(answer["holder"], answer["name"])
                if state == REFUSED:
                    raise failure("ELEASE", holder + " keeps it")
                if end is not None and time.monotonic() > end:
                    raise failure("ETIMEOUT", "take of %s: %s after %.3g s" % (
                        self.name, "what moved does not stand" if state == BRAKING else holder + " has it", timeout))
                time.sleep(0.05)
        finally:
            if open_ and not self._closed:
                self._query("release", {**axes, "asked": 1, "revision": self.body.revision & 255})

    def release(self, what=None, **parts):
        axes = _commands.axes(self.body, what, parts, "release")
        self._query("release", {**axes, "revision": self.body.revision & 255})

    def on_asked(self, fn):
        notice = NOTICES["asked"].request

        def answer(asked):
            gives = fn({"holder": called(asked["holder"], asked["name"]), "due": asked["due"],
                        "parts": self.body.parts(asked["base"], asked["mask"])})
            if gives is not None:
                self._query("give", {"holder": asked["holder"], "give": int(bool(gives))})

        def listen(kind, name, session, value):
            if kind != NOTICE or name != "asked" or session != self._number:
                return
            buffer = ctypes.create_string_buffer(notice.size)
            self._client.call(quick.robo_session_asked, session, value, buffer)  # ENONE: it is over
            spawn(answer, notice.unpack(buffer.raw))
        self._client.listen(listen)

    # ---- sensors, cameras, sequences ----

    sense, watch, camera, broadcast = _readings.sense, _readings.watch, _pictures.camera, _state.broadcast
    frame, frames, flush, finish = _tape.frame, _tape.frames, _tape.flush, _tape.finish

    # ---- life ----

    def close(self):
        if not self._closed:
            self._client.end(self._number)
        self._closed = True

    def __del__(self):  # a server has room for 16 sessions of a connection
        if not sys.is_finalizing() and not getattr(self, "_closed", True):
            self.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return "<robotalk.%s: %s in %s mode%s>" % (type(self).__name__, self._body.name, self.mode, ", closed" if self._closed else "")


def method(op, row):
    """The method of a command that is none of those above, as in its row."""
    if row.moves in ("joint", "frame"):
        def command(self, part, values=None, *, timeout=None, **fields):
            return self._do(self._command(op, (part, values), fields), timeout)
    else:
        def command(self, values=None, *, timeout=None, **fields):
            return self._do(self._command(op, (values,), fields), timeout)
    command.__name__, command.__qualname__, command.__doc__ = op, "Session." + op, row.doc
    return command


for _op, _row in COMMANDS.items():
    if not hasattr(Session, _op):
        setattr(Session, _op, method(_op, _row))


def open_session(client, robot, mode="direct", *, delay=None, duration=None, deadman=None, gap=None, expiry=UNSET, errors=False,
                 newest=False, spacing=None, at=None, probe=1, timeout=10, **extra):
    """A session on a client: its number, and the answer."""
    if mode in MODES and extra:
        refuse("session", "option", next(iter(extra)), [*TIMES, "mode", "errors", "newest", "spacing", "at", "probe", "timeout"])
    if spacing is not None:
        gap = number(spacing, "session.spacing") if gap is None else gap
        extra["spacing"] = spacing
    options = SessionOptions(size=ctypes.sizeof(SessionOptions), robot=robot.encode() if robot else None, mode=mode.encode(),
                             options=",".join("%s=%s" % pair for pair in sorted(extra.items())).encode() or None,
                             errors_only=bool(errors), newest=bool(newest))
    expiry = None if expiry is UNSET else -1e-6 if expiry is False else expiry
    for name, value in (("delay", delay), ("duration", duration), ("deadman", deadman), ("gap", gap), ("expiry", expiry)):
        if value is not None:
            if abs(number(value, "session." + name)) > FOREVER:
                raise ValueError("session.%s: want at most %g s, got %g" % (name, FOREVER, value))
            setattr(options, name, round(value * SECOND))
    return client.open(options, timeout, probe)
