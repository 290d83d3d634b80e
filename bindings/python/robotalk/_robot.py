"""Robots: connections to servers, or to a server of this program's own for a robot by its name or file."""
import atexit
import ctypes
import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from . import _client, _library, _model
from ._client import Client, LINK, spawn
from ._errors import failure, said
from ._messages import QUERIES
from ._session import RETAINED, Session, open_session

RELOADS = 30  # s: time for a robot to open its drivers
PATIENCE = 15  # s: for a script to be loaded, and for another to end before
ROLES = {"watch": 1, "drive": 2, "operate": 3}
OF_ROBOT = {"panicked", "reset", "stopped", "leases", "changed", "removed", "latched", *RETAINED}
# The server ends when its lifeline does: when this program closes it, or has ended in whatever way.
LIFELINE = 'exec 3<&0; (read _ <&3; kill $$ 2>/dev/null) & exec "$@" </dev/null 3<&-'
servers = {}


def listens(path):
    """Whether a server accepts connections at a socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


class Server:
    """A server of this program's own, in a process of its own, shared by the connections to the same robot."""

    def __init__(self, what, options):
        self.users, self.what, self.folder = 0, what, tempfile.mkdtemp(prefix="robotalk-")
        self.url = "unix:%s/socket" % self.folder
        words = [_library.program(), "serve", what, "--listen", self.url]
        for name, value in options.items():
            words += ["--" + name] if value is True else ["--" + name, str(value)] if value not in (None, False) else []
        with open(self.folder + "/log", "wb") as log:
            self.process = subprocess.Popen(["/bin/sh", "-c", LIFELINE, "sh", *words], stdin=subprocess.PIPE, stdout=log,
                                            stderr=log, start_new_session=True)

    def wait(self, timeout):
        end = time.monotonic() + timeout
        while not listens(self.folder + "/socket"):
            if self.process.poll() is not None or time.monotonic() > end:
                raise failure("EFAILED" if self.process.poll() is not None else "ETIMEOUT",
                              self.log() or "the server of the robot does not start")
            time.sleep(0.005)

    def log(self):
        with open(self.folder + "/log", encoding="utf-8", errors="replace") as log:
            return said(log.read())

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def forget():
    """In a child after fork: a lifeline has one end less."""
    for server in servers.values():
        server.process.stdin.close()
    servers.clear()


os.register_at_fork(after_in_child=forget)


def serve(what, options, timeout):
    key = (what, tuple(sorted(options.items())))
    with _client.guard:
        server = servers.get(key)
        if server is None or server.process.poll() is not None:
            server = servers[key] = Server(what, options)
        server.users += 1
        server.key = key
    try:
        server.wait(timeout)
    except BaseException:
        leave(server)
        raise
    return server


def leave(server):
    with _client.guard:
        server.users -= 1
        if server.users:
            return
        if servers.get(server.key) is server:
            del servers[server.key]
    server.close()


def name_of_program():
    """anna@desk (patrol.py)"""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "somebody"
    name = "%s@%s" % (user, socket.gethostname().partition(".")[0])
    script = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "python"
    return "".join(c if c.isprintable() else "?" for c in "%s (%s)" % (name[:31], script[-28:]))


def token_of(token, token_file):
    if token is not None and token_file is not None:
        raise TypeError("connect: want token or token_file, got both")
    if token is not None:
        return token
    path = token_file or os.environ.get("ROBOTALK_TOKEN_FILE")
    if not path:
        return os.environ.get("ROBOTALK_TOKEN")
    try:
        if os.stat(path).st_mode & 0o077:
            raise failure("ETOKEN", "%s: others may read it; type: chmod 600 %s" % (path, path))
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError as error:
        raise failure("ESYSTEM", "%s: %s" % (path, error.strerror)) from None


class Robot(Session):
    """A robot: a connection, and a session in direct mode."""

    def __init__(self, client, server, options):
        self._server = server
        number, info = open_session(client, None, timeout=10, **options)
        self._client, self._number, self._closed, self._body = client, number, False, None
        self._describe()
        client.name = self._body.name
        super().__init__(client, number, self._body, "direct", info)

    def session(self, mode="direct", **options):
        body = self.body
        number, info = open_session(self._client, body.name, mode, **options)
        return Session(self._client, number, body, mode, info, options.get("at"))

    def describe(self):
        return self.body

    @property
    def model(self):
        """Its kinematics."""
        return _model.Model(self.body)

    def reload(self, what=None):
        what = what or self._server and self._server.what
        if what is None:
            raise failure("ENONE", "robot %s does not run in a server of this program: want a name or a file" % self.name)
        body, client = _model.read(what), self._client
        if body.name != self.name:
            raise failure("EINVAL", "want the description of %s, got that of %s" % (self.name, body.name))
        id = client.call(_library.lib.robo_client_reload, self._number, body.pointer)
        client.await_(id, RELOADS, "reload")
        answer = client.take(id, QUERIES["reload"])
        self._describe()
        return {"kept": answer["kept"], "dropped": answer["dropped"]}

    def log(self, *words):
        print("robotalk: info: %s:" % self.name, *words, file=sys.stderr)

    def bus(self):
        bus = self._query("bus")
        del bus["order"]
        told, age = bus.pop("told"), bus.pop("age")
        rows = {name: {dof: {"messages": told[joint.first + k], "age": age[joint.first + k]}
                       for k, dof in enumerate(joint.names) if age[joint.first + k] >= 0}
                for name, joint in self.body.joints.items()}
        return {**bus, "joints": {name: row for name, row in rows.items() if row}}

    def clock(self):
        timing = self._client.timing()
        return {"offset": timing.offset / 1e9, "uncertainty": timing.uncertainty / 1e9, "drift": timing.drift * 1e6,
                "least": timing.least / 1e9, "median": timing.median / 1e9, "jitter": timing.jitter / 1e9}

    def on_notice(self, fn):
        def listen(kind, name, session, value):
            if kind == LINK or name in OF_ROBOT and session != self._number:
                return
            words = None
            if name in RETAINED:
                words = self._about(name)
            elif name in ("panicked", "reset"):
                words = self._news().panic_name.decode("utf-8", "replace")
            elif name == "fault":
                words = self._client.why().decode("utf-8", "replace")
            spawn(fn, name, value / 1e6 if name == "override" else value, words)
        self._client.listen(listen)

    @property
    def aio(self):
        """The same methods as coroutines (robotalk.aio)."""
        from .aio import Aio
        return Aio(self)

    def close(self):
        super().close()
        if not self._client.close():
            return
        robots.discard(self)
        if self._server:
            leave(self._server)


robots = set()


def connect(what, *, role="operate", token=None, token_file=None, timeout=6, reconnect=True, deadman=None, expiry=None, name=None,
            apart=False, world=None, physics=False):
    if not isinstance(what, str):
        raise TypeError("connect: want a robot's name or an address, got %s" % type(what).__name__)
    if role not in ROLES:
        raise ValueError("connect: role: want watch, drive or operate, got %s" % role)
    server, url = None, what
    if ":" not in what:
        server = serve(what, {"world": world, "physics": physics or None}, max(timeout, 6))
        url = server.url
    elif world or physics:
        raise ValueError("connect: world and physics are of a simulated robot, not of one at %s" % what)
    try:
        secret = token_of(token, token_file) if not server else None
        options = _library.ClientOptions(size=ctypes.sizeof(_library.ClientOptions), reconnect=int(reconnect), role=ROLES[role],
                                         name=(name_of_program() if name is None else name).encode(), apart=int(apart),
                                         token=secret.encode() if secret else None)
        client = Client(url, options, timeout)
        try:
            robot = Robot(client, server, {"deadman": deadman, **({} if expiry is None else {"expiry": expiry})})
        except BaseException:
            client.close()
            raise
    except BaseException:
        if server:
            leave(server)
        raise
    robots.add(robot)
    return robot


class Scripts:
    """The scripts of a server: that of a robot, or at an address, with a connection for each call."""

    def __init__(self, where):
        self._where = where

    def _at(self, fn):
        if isinstance(self._where, Robot):
            return fn(self._where)
        with connect(self._where) as robot:
            return fn(robot)

    def list(self):
        return self._at(lambda robot: robot._list("script", 0))

    def _tell(self, what, name):
        self._at(lambda robot: robot._client.query(0, "script_" + what, {"name": name}, PATIENCE))

    def start(self, name):
        self._tell("start", name)

    def stop(self, name):
        self._tell("stop", name)

    def reload(self, name):
        self._tell("reload", name)


def scripts(where):
    return Scripts(where)


@atexit.register
def close_all():
    for robot in list(robots):
        robot.close()
