"""A server in a process of its own, for tests: PYTHONPATH=bindings/python ROBOTALK=… ROBOTALK_LIBRARY=… python3 tests/python/…_test.py"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import robotalk as rt
from robotalk._robot import listens

PATIENCE = float(os.environ.get("ROBOTALK_PATIENCE", 300))  # s; the limit only ends what hangs
PROGRAM = os.environ["ROBOTALK"]


def eventually(what, message="never so"):
    """Waits until what() is true: its value."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = what()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(message)


class Server:
    """robotalk serve WORD …, at a socket in a folder of its own, and at `more` addresses."""

    def __init__(self, *words, more=()):
        self.folder = tempfile.mkdtemp()
        self.url = "unix:%s/s" % self.folder
        with open(self.folder + "/log", "wb") as log:
            urls = [word for url in [*more, self.url] for word in ("--listen", url)]  # the socket is there when all are
            self.process = subprocess.Popen([PROGRAM, "serve", *words, *urls], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(lambda: listens(self.folder + "/s") or self.process.poll() is not None)

    def log(self):
        with open(self.folder + "/log", encoding="utf-8") as log:
            return log.read()

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)


class Case(unittest.TestCase):
    """Tests with a server for all of them."""
    robots = ("pioneer2",)

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.robots)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def connect(self, **options):
        robot = rt.connect(self.server.url, timeout=PATIENCE, **options)
        self.addCleanup(robot.close)
        return robot

    def fails(self, code, fn, *args, **fields):
        with self.assertRaises(rt.Error) as caught:
            fn(*args, **fields)
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception


def python(code, **options):
    """A Python program with the package, as a process; its output can be read. A shell that runs tests in the background ignores Ctrl-C."""
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + code
    return subprocess.Popen([sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
