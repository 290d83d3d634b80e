"""robotalk for asyncio: the methods of a robot as coroutines. `robot = await robotalk.aio.connect("pioneer2")`, or robot.aio.

A task that is cancelled while it awaits a command takes the command back: it brakes. Other calls wait on threads.
"""
import asyncio

from . import _client, _robot
from ._messages import COMMANDS


async def outcome(motion):
    """Awaits the result of a motion."""
    client, loop = motion.session._client, asyncio.get_running_loop()
    done = loop.create_future()

    def tell():
        if not done.done():
            done.set_result(None)
    client.awaited[motion.ticket] = lambda: loop.call_soon_threadsafe(tell)
    client.listen(None)
    try:
        while True:
            try:
                return motion.wait(0)
            except TimeoutError:
                await asyncio.wait([done], timeout=0.05)
    except asyncio.CancelledError:
        motion.session._take_back(motion.ticket)
        raise
    finally:
        client.awaited.pop(motion.ticket, None)


class Aio:
    """A robot, a session, a camera or a watch whose methods are coroutines."""

    def __init__(self, what):
        self.sync = what

    def __getattr__(self, name):
        what = getattr(self.sync, name)
        if not callable(what):
            return what
        if name in COMMANDS and self.sync.blocking:
            async def command(*args, timeout=None, **fields):
                motion = self.sync.begin(name, *args, **fields)
                return await (asyncio.wait_for(outcome(motion), timeout) if timeout is not None else outcome(motion))
            return command

        async def call(*args, **fields):
            found = await asyncio.to_thread(what, *args, **fields)
            return Aio(found) if type(found).__name__ in ("Session", "Camera", "Watch") else found
        return call

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await asyncio.to_thread(self.sync.cancel if hasattr(self.sync, "next") else self.sync.close)

    def __aiter__(self):
        return self

    async def __anext__(self):
        value = await asyncio.to_thread(next, self.sync, None)
        if value is None:
            raise StopAsyncIteration
        return value


async def connect(*args, **options):
    """As robotalk.connect."""
    _client.start()  # on this thread, where Ctrl-C arrives
    return Aio(await asyncio.to_thread(_robot.connect, *args, **options))

