"""The process's loop, on a thread of the library that never needs the interpreter's lock, and its connections."""
import ctypes
import math
import os
import signal
import struct
import threading
import time
import weakref
from ctypes import byref, c_char, c_int

from . import _library
from ._body import number
from ._commands import write
from ._errors import Error, closed, failure, late
from ._library import SECOND, code_of, error_of, lib, quick
from ._messages import BY_OP, NOTICES, QUERIES, STATE

SLICE = SECOND // 20  # of a wait: so long Ctrl-C may have to wait
BURST = SECOND // 50  # of a wait while frames are gathered
RESULT, REPLY, NOTICE, LINK = 1, 2, 3, 4
ETIMEOUT = -15
OPEN = QUERIES["open"]
FOREVER = 1e9
KNOWN = 60  # s that a measurement of the link holds
RESULT_STRUCT = struct.Struct("<IHBB4q2dI4x")
Answer = c_char * RESULT_STRUCT.size
EVENT_SIZE = ctypes.sizeof(_library.Event)

# ---- the process ----

guard = threading.RLock()
world = loop = None
clients = weakref.WeakSet()
handler = None


def start():
    """The world and its loop, from the first connection on."""
    global world, loop
    with guard:
        if loop is None:
            world = world or lib.robo_open(None)
            opened = lib.robo_loop_open(world)
            if not opened:
                raise failure("ESYSTEM", "no loop: out of memory or descriptors")
            lib.robo_loop_share(opened)
            if lib.robo_loop_start(opened) < 0:
                raise failure("ESYSTEM", "no thread for the loop")
            loop = opened
        watch_interrupts()


def now():
    """Seconds of the clock of all instants."""
    if world is None:
        start()
    return quick.robo_now(world) / SECOND


def forget():
    """In a child after fork: the connections are the parent's, and a lock may be another thread's."""
    global world, loop, guard
    world, loop, guard = None, None, threading.RLock()
    for client in list(clients):
        client.handle.abandon()
        client.handle = None
    clients.clear()


os.register_at_fork(after_in_child=forget)

# ---- Ctrl-C ----


def on_interrupt(number, frame):
    """The robots halt first. Commands of other threads are INTERRUPTED from now on, until the main thread gives one."""
    for client in list(clients):
        client.dismiss()
    if callable(handler):
        handler(number, frame)


def watch_interrupts():
    global handler
    if threading.current_thread() is not threading.main_thread():
        return
    there = signal.getsignal(signal.SIGINT)
    if callable(there) and there is not on_interrupt:
        handler = there
        signal.signal(signal.SIGINT, on_interrupt)


# ---- a connection ----


class Handle:
    """A client of the library: whoever calls one holds this, and the last one closes it."""

    def __init__(self, pointer):
        self.pointer = pointer

    def abandon(self):
        self.pointer = None

    def __del__(self, disconnect=lib.robo_disconnect):
        if self.pointer:
            disconnect(self.pointer)


def until(step, timeout):
    """Calls step(ns) in slices until it does not return ETIMEOUT, for `timeout` s; the last status."""
    timeout = FOREVER if timeout is None or timeout == math.inf else min(FOREVER, number(timeout, "timeout"))
    status = step(max(0, min(SLICE, int(timeout * SECOND))))
    if status != ETIMEOUT:
        return status
    end = time.monotonic() + timeout - SLICE / SECOND
    while status == ETIMEOUT and time.monotonic() < end:
        status = step(SLICE)
    return status


class Client:
    def __init__(self, url, options, timeout):
        start()
        error, why = c_int(), ctypes.create_string_buffer(256)
        pointer = lib.robo_client_open(loop, url.encode(), byref(options), byref(error), why)
        if not pointer:
            raise error_of(error.value, why.value)
        self.handle = Handle(pointer)
        self.lock, self.event, self.name = threading.Lock(), _library.Event(), url  # the robot's, when it is known
        self.event_at = byref(self.event)
        self.listeners, self.thread, self.changes, self.measured, self.dismissed = [], None, 0, -KNOWN, False
        self.forgotten, self.watches, self.awaited = set(), {}, {}
        self.bursts = set()  # calls that send frames which wait for others
        status = until(lambda ns: lib.robo_client_wait(pointer, ns, why), timeout)
        if status < 0:
            raise error_of(status, why.value)
        clients.add(self)

    def hold(self):
        """The handle, for a few calls."""
        handle = self.handle
        if handle is None:
            raise closed()
        return handle

    def call(self, function, *args, refused=False):
        """Calls a function of the library, which fails by a negative number; another thread may close the client meanwhile."""
        handle = self.hold()
        found = function(handle.pointer, *args)
        if found is not None and found < 0:
            raise self.failure(found, refused)
        return found

    def close(self):
        """Whether it was open. The last call that uses it disconnects."""
        with guard:
            there, self.handle = self.handle is not None, None
        clients.discard(self)
        return there

    def dismiss(self):
        handle = self.handle
        if handle is not None:
            self.dismissed = True
            lib.robo_client_dismiss(handle.pointer)

    def why(self):
        """What the server has said last of a refusal, or why the link is down."""
        handle = self.hold()
        return quick.robo_client_why(handle.pointer)

    def failure(self, status, refused=False):
        """The exception for a call that has failed, or that the server has refused."""
        code = code_of(status)
        why = self.why() if code in ("ELINK", "ETOKEN", "EROLE") or refused and code != "ECLOSED" else b""
        return error_of(status, self.name.encode() + b": " + why if why and code == "ELINK" else why)

    def forget(self, id):
        """Nobody asks for this answer again."""
        handle = self.handle
        if handle is not None:
            self.forgotten.add(id)
            if quick.robo_wait(handle.pointer, id, 0) != ETIMEOUT:  # it has come, or was taken
                self.forgotten.discard(id)
                quick.robo_drop(handle.pointer, id)

    # ---- events ----

    def look(self):
        """Takes the events that have come. Another thread may be about it already."""
        handle = self.hold()
        if self.lock.acquire(False):
            try:
                self.drain(handle)
            finally:
                self.lock.release()

    def drain(self, handle):
        event, at, next_event = self.event, self.event_at, quick.robo_next_event
        while next_event(handle.pointer, at, EVENT_SIZE) == 1:
            kind = event.kind
            if kind == RESULT or kind == REPLY:
                id = event.id
                if id in self.forgotten:
                    self.forgotten.discard(id)
                    quick.robo_drop(handle.pointer, id)
                elif id in self.watches:
                    self.watches[id].set()
                elif id in self.awaited:
                    self.awaited[id]()
                continue
            if kind == LINK and event.op == 0 or kind == NOTICE and event.op == NOTICES["changed"].op:
                self.changes += 1
                for fresh in list(self.watches.values()):
                    fresh.set()
            if self.listeners:
                name = BY_OP[event.op].name if kind == NOTICE and event.op in BY_OP else "up" if event.op == 0 else code_of(-event.op)
                for listener in list(self.listeners):
                    try:
                        listener(kind, name, event.session, event.id)
                    except Error:
                        pass  # it is closed meanwhile

    def listen(self, listener):
        """Calls listener(kind, name, session, value) for notices and for the link, on a thread for events, which None only starts."""
        if listener:
            self.listeners.append(listener)
        with guard:
            if self.thread is None:
                self.thread = threading.Thread(target=follow, args=(weakref.ref(self),), name="robotalk events", daemon=True)
                self.thread.start()

    # ---- commands ----

    def send(self, session, commands):
        """Sends commands, without waiting: the id of the first."""
        if self.dismissed and threading.current_thread() is threading.main_thread():
            self.dismissed = False
            self.call(quick.robo_client_readmit)
        buffer, keep = write(commands)
        return self.call(quick.robo_send, session, buffer, len(commands))

    def result(self, id, timeout, op):
        """Waits for the result of a command: the numbers of its struct, and its parts."""
        handle, answer, parts = self.hold(), Answer(), ()
        pointer = handle.pointer
        if timeout is not None or lib.robo_wait(pointer, id, SLICE) < 0:
            self.await_(id, timeout, op or "command", False)
        if op == "move" or op is None:
            parts = (_library.Part * max(0, quick.robo_parts(pointer, id, None, 0)))()
            quick.robo_parts(pointer, id, parts, len(parts))
        self.call(quick.robo_take, id, answer, RESULT_STRUCT.size)
        return RESULT_STRUCT.unpack(answer), parts

    # ---- queries ----

    def request(self, session, op, fields=None):
        """Sends a query: its row, and its id."""
        row, body = QUERIES[op], None
        if fields is not None:
            body = ctypes.create_string_buffer(row.request.size)
            row.request.pack(body, 0, fields)
        return row, self.call(quick.robo_request, session, row.op, body)

    def await_(self, id, timeout, what, forget=True):
        """Waits for an answer to `what`. forget: after the timeout nobody asks for it again."""
        def step(ns):
            handle = self.hold()
            return lib.robo_wait(handle.pointer, id, ns)
        status = until(step, timeout)
        if status == ETIMEOUT:
            if forget:
                self.forgotten.add(id)
            raise late(what, self.name, timeout)
        if status < 0:
            raise self.failure(status)

    def take(self, id, row, more=False):
        reply = STATE if row.name in ("state", "broadcast") and not more else row.reply
        buffer = ctypes.create_string_buffer(max(1, reply.size))
        return reply.unpack(buffer.raw) if self.call(quick.robo_take_reply, id, buffer, reply.size, refused=True) else None

    def query(self, session, op, fields=None, timeout=5, more=False):
        """Sends a query and waits for its answer, a dict."""
        row, id = self.request(session, op, fields)
        self.await_(id, timeout, op)
        return self.take(id, row, more)

    def open(self, options, timeout, probe):
        """Opens a session: its number and the server's answer."""
        if options.mode == b"playback":
            self.call(lib.robo_client_probe, 20, int(probe * SECOND))
            self.probing(probe)
        id = ctypes.c_int64()
        number = self.call(lib.robo_session_begin, byref(options), byref(id))
        try:
            self.await_(id.value, timeout, "session")
            answer = self.take(id.value, OPEN)
        except BaseException:
            self.end(number)
            raise
        if answer["holds"] and time.monotonic() - self.measured > KNOWN:
            for _ in range(4):
                self.call(lib.robo_client_train, 10)
                self.probing(timeout)
            self.measured = time.monotonic()
        return number, answer

    def end(self, number):
        """Ends a session."""
        handle = self.handle
        if handle is not None:
            lib.robo_session_end(handle.pointer, number)

    def timing(self):
        timing = _library.Timing()
        self.call(lib.robo_client_timing, byref(timing))
        return timing

    def probing(self, timeout):
        """Waits for the end of a measurement."""
        end = time.monotonic() + timeout
        while time.monotonic() < end and self.timing().probing and self.call(lib.robo_client_state) == 1:
            time.sleep(0.002)


def follow(reference):
    """The thread of a connection's events."""
    bursts = None
    while True:
        client = reference()
        handle = client and client.handle
        if handle is None:
            return
        del client
        came = lib.robo_poll(handle.pointer, BURST if bursts else SLICE) > 0
        client = reference()
        if client is None:
            return
        if came:
            with client.lock:
                client.drain(handle)
        bursts = client.bursts
        for send in list(bursts):
            send()


def spawn(fn, *args):
    """Calls a program's function on a thread of its own, where it may wait."""
    threading.Thread(target=fn, args=args, name="robotalk " + getattr(fn, "__name__", "call"), daemon=True).start()

