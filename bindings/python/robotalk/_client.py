"""The process's loop, on a thread of the library that never needs the interpreter's lock, and its connections."""
import ctypes
import os
import signal
import struct
import threading
import time
import weakref
from ctypes import byref, c_char, c_int

from . import _library
from ._errors import Error, closed, failure
from ._library import SECOND, code_of, error_of, lib, quick
from ._messages import BY_OP, COMMAND_SIZE, NOTICES, QUERIES, STATE

SLICE = SECOND // 20  # of a wait: so long Ctrl-C may have to wait
RESULT, REPLY, NOTICE, LINK = 1, 2, 3, 4
ETIMEOUT, ECLOSED = -15, -23
OPEN = QUERIES["open"]
KNOWN = 60  # s that a measurement of the link holds
Command = c_char * COMMAND_SIZE

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
    """In a child after fork: the connections are the parent's."""
    global world, loop
    world = loop = None
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
    if timeout is None:
        timeout = 1e9
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
        self.lock, self.event = threading.Lock(), _library.Event()
        self.listeners, self.thread, self.changes, self.measured, self.dismissed = [], None, 0, -KNOWN, False
        self.forgotten, self.watches, self.awaited = set(), {}, {}
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

    def close(self):
        handle, self.handle = self.handle, None
        clients.discard(self)
        return handle

    def dismiss(self):
        handle = self.handle
        if handle is not None:
            self.dismissed = True
            lib.robo_client_dismiss(handle.pointer)

    def failure(self, handle, status):
        """The exception for a refused call."""
        why = lib.robo_client_why(handle.pointer) if code_of(status) in ("ELINK", "ETOKEN", "EROLE") else b""
        return error_of(status, why)

    # ---- events ----

    def look(self):
        """Takes the events that have come. Another thread may be about it already."""
        if self.thread is None and self.lock.acquire(False):
            try:
                self.drain(self.hold())
            finally:
                self.lock.release()

    def drain(self, handle):
        event = self.event
        while lib.robo_next_event(handle.pointer, byref(event), 32) == 1:
            kind = event.kind
            if kind == RESULT or kind == REPLY:
                id = event.id
                if id in self.forgotten:
                    self.forgotten.discard(id)
                    lib.robo_drop(handle.pointer, id)
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

    # ---- queries ----

    def request(self, handle, session, op, fields):
        """Sends a query: its row, and its id."""
        row = QUERIES[op]
        body = None
        if fields is not None:
            body = ctypes.create_string_buffer(row.request.size)
            row.request.pack(body, 0, fields)
        id = lib.robo_request(handle.pointer, session, row.op, body)
        if id < 0:
            raise self.failure(handle, id)
        return row, id

    def await_(self, handle, id, timeout, forget=True):
        """Waits for an answer. forget: after the timeout nobody asks for it again."""
        def step(ns):
            return lib.robo_wait(handle.pointer, id, ns) if self.handle is handle else ECLOSED
        status = until(step, timeout)
        if status < 0:
            if status == ETIMEOUT and forget:
                self.forgotten.add(id)
            raise self.failure(handle, status)

    def take(self, handle, id, row, more=False):
        reply = STATE if row.name in ("state", "broadcast") and not more else row.reply
        buffer = ctypes.create_string_buffer(max(1, reply.size))
        status = lib.robo_take_reply(handle.pointer, id, buffer, reply.size)
        if status < 0:
            raise self.failure(handle, status)
        return reply.unpack(buffer.raw) if status else None

    def query(self, session, op, fields=None, timeout=5, more=False):
        """Sends a query and waits for its answer, a dict."""
        handle = self.hold()
        row, id = self.request(handle, session, op, fields)
        self.await_(handle, id, timeout)
        return self.take(handle, id, row, more)

    def open(self, options, timeout, probe):
        """Opens a session: its number and the server's answer."""
        handle = self.hold()
        if options.mode == b"playback":
            lib.robo_client_probe(handle.pointer, 20, int(probe * SECOND))
            self.probing(handle, probe)
        id = ctypes.c_int64()
        number = lib.robo_session_begin(handle.pointer, byref(options), byref(id))
        if number < 0:
            raise self.failure(handle, number)
        try:
            self.await_(handle, id.value, timeout)
            answer = self.take(handle, id.value, OPEN)
        except BaseException:
            lib.robo_session_end(handle.pointer, number)
            raise
        if answer["holds"] and time.monotonic() - self.measured > KNOWN:
            for _ in range(4):
                lib.robo_client_train(handle.pointer, 10)
                self.probing(handle, timeout)
            self.measured = time.monotonic()
        return number, answer

    def timing(self):
        timing = _library.Timing()
        status = lib.robo_client_timing(self.hold().pointer, byref(timing))
        if status < 0:
            raise error_of(status)
        return timing

    def probing(self, handle, timeout):
        """Waits for the end of a measurement."""
        end = time.monotonic() + timeout
        while time.monotonic() < end and self.timing().probing and lib.robo_client_state(handle.pointer) == 1:
            time.sleep(0.002)


def follow(reference):
    """The thread of a connection's events."""
    while True:
        client = reference()
        handle = client and client.handle
        if handle is None:
            return
        del client
        if lib.robo_poll(handle.pointer, SLICE) <= 0:
            continue
        client = reference()
        if client is None:
            return
        with client.lock:
            client.drain(handle)


def spawn(fn, *args):
    """Calls a program's function on a thread of its own, where it may wait."""
    threading.Thread(target=fn, args=args, name="robotalk " + getattr(fn, "__name__", "call"), daemon=True).start()


# ---- commands ----

RESULT_STRUCT = struct.Struct("<IHBB4q2dI4x")
Result = c_char * RESULT_STRUCT.size


def send(client, handle, session, commands, count=1):
    """Sends commands, without waiting: the id of the first."""
    if client.dismissed and threading.current_thread() is threading.main_thread():
        client.dismissed = False
        lib.robo_client_readmit(handle.pointer)
    id = lib.robo_send(handle.pointer, session, commands, count)
    if id < 0:
        raise client.failure(handle, id)
    return id


def result(client, handle, id, timeout, has_parts):
    """Waits for the result of a command: the numbers of its struct, and its parts."""
    pointer = handle.pointer
    if lib.robo_wait(pointer, id, SLICE if timeout is None else max(0, min(SLICE, int(timeout * SECOND)))) < 0:
        client.await_(handle, id, timeout and max(0, timeout - SLICE / SECOND), False)
    raw, parts = Result(), ()
    count = lib.robo_parts(pointer, id, None, 0) if has_parts else 0
    if count > 0:
        parts = (_library.Part * count)()
        lib.robo_parts(pointer, id, parts, count)
    status = lib.robo_take(pointer, id, raw, RESULT_STRUCT.size)
    if status < 0:
        raise client.failure(handle, status)
    return RESULT_STRUCT.unpack(raw), parts
