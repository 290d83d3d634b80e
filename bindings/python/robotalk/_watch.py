"""Subscriptions: the state, readings or pictures that the server sends repeatedly."""
import sys
import threading
import time

from ._client import SLICE, spawn
from ._errors import Error, failure, late
from ._library import SECOND

AGAIN = 0.2  # s until it is asked for again, when the description changes or the link is down


class Watch:
    """An iterator over new values; of several that have come meanwhile it gives the newest. With fn a thread calls that."""

    def __init__(self, session, op, fields, take, fn=None):
        self._session, self._op, self._fields, self._take = session, op, fields, take
        self._id, self._told, self._over, self._fresh = None, None, False, threading.Event()
        self._client = session._client
        self._client.listen(None)
        self._ask()
        if fn is not None:
            spawn(self._run, fn)

    def _ask(self):
        body = self._session.body
        self._changes = self._client.changes
        row, self._id = self._client.request(self._session._number, self._op, self._fields(body))
        self._row = row
        self._client.watches[self._id] = self._fresh

    def _run(self, fn):
        for value in self:
            fn(value)

    def _newest(self):
        """The newest value that was not returned yet, or None."""
        told, value = self._take(self._id, self._row)
        if told is None or told == self._told:
            return None
        self._told = told
        return value()

    def next(self, timeout=None):
        """Waits for a value that was not returned yet; Timeout when none comes in time."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            if self._over or self._session._closed or self._client.handle is None:
                raise failure("ECLOSED", "it is cancelled, or the session is closed")
            self._fresh.clear()
            try:
                if self._changes != self._client.changes:  # another description, or another link
                    self._lose()
                    self._ask()
                value = self._newest()
                if value is not None:
                    return value
                wait = SLICE / SECOND
            except Error as error:
                if error.code not in ("ELINK", "ENONE", "EBODY"):
                    raise
                wait, self._changes = AGAIN, None
            left = wait if end is None else end - time.monotonic()
            if left <= 0:
                raise late(self._op, self._client.name, timeout)
            self._fresh.wait(min(left, wait))

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.next()
        except Error as error:
            if error.code == "ECLOSED":
                raise StopIteration from None
            raise

    def _lose(self):
        self._client.watches.pop(self._id, None)
        try:
            self._client.request(self._session._number, "broadcast_cancel", {"broadcast": self._id})
        except Error:
            pass

    def cancel(self):
        """Ends it."""
        if not self._over:
            self._over = True
            self._lose()
            self._fresh.set()

    def __del__(self):
        if not sys.is_finalizing() and getattr(self, "_id", None) is not None:
            self.cancel()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cancel()
