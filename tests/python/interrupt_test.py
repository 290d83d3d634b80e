"""Ctrl-C, signals, the end of the program, and forks."""
import os
import signal
import subprocess
import unittest

from serving import Case, eventually, python

HEAD = "import robotalk as rt, time, sys, os, threading, signal\nrobot = rt.connect(%r, timeout=60)\n"


class Ends(Case):
    def setUp(self):
        self.watcher = self.connect(name="watcher", role="operate")
        eventually(lambda: not self.watcher.state().moving)

    def start(self, code):
        """A program that drives; waits until it does."""
        program = python(HEAD % self.server.url + code)
        self.addCleanup(self.end, program)
        eventually(lambda: self.watcher.state().moving or program.poll() is not None)
        self.assertIsNone(program.poll(), program.poll() is not None and program.stderr.read())
        return program

    @staticmethod
    def end(program):
        program.kill()
        program.communicate()

    def stands(self):
        eventually(lambda: not self.watcher.state().moving)

    def test_ctrl_c_ends_a_call_and_halts_first(self):
        program = self.start("""
try:
    robot.go_to(x=100)
except KeyboardInterrupt:
    state = robot.state()
    print("interrupted", state.moving and state.twist[0] > 0.21)
    print(robot.set_speed(x=0).signal)  # the main thread goes on
    time.sleep(100)
""")
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.stdout.readline()[:11], "interrupted")
        self.assertEqual(program.stdout.readline(), "SUCCESS\n")
        self.stands()

    def test_ctrl_c_halts_a_program_that_is_elsewhere(self):
        program = self.start("""
try:
    robot.set_speed(x=0.1)
    time.sleep(100)
except KeyboardInterrupt:
    print("caught")
    time.sleep(100)
""")
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.stdout.readline(), "caught\n")
        self.stands()
        self.assertIsNone(program.poll())

    def test_after_ctrl_c_other_threads_command_nothing(self):
        program = self.start("""
def drive():
    while True:
        signal_ = robot.set_speed(x=0.1).signal
        if signal_ != "SUCCESS":
            print(signal_)
            return
thread = threading.Thread(target=drive, daemon=True)
try:
    thread.start()
    time.sleep(100)
except KeyboardInterrupt:
    thread.join()
    time.sleep(100)
""")
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.stdout.readline(), "INTERRUPTED\n")
        self.stands()

    def test_ctrl_c_cancels_coroutines(self):
        program = self.start("""
import asyncio, robotalk.aio
robot.close()
async def main():
    async with await robotalk.aio.connect(%r) as robot:
        try:
            await robot.go_to(x=100)
        finally:
            print("cancelled")
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
""" % self.server.url)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.communicate()[0], "cancelled\ninterrupted\n")
        self.stands()

    def test_a_handler_of_the_program_is_called_after_the_halt(self):
        program = self.start("""
signal.signal(signal.SIGINT, lambda *_: print("mine"))
with rt.connect(%r, timeout=60) as again:
    robot.set_speed(x=0.1)
    while True:
        time.sleep(0.01)
""" % self.server.url)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.stdout.readline(), "mine\n")
        self.stands()

    def test_a_program_that_ends_in_any_way_stops_its_robot(self):
        for how in ("sys.exit(0)", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)", "os.kill(os.getpid(), signal.SIGTERM)",
                    "raise RuntimeError", "os.abort()"):
            with self.subTest(how):
                program = python(
                    HEAD % self.server.url + "robot.set_speed(x=0.1)\nprint('drives')\nsys.stdin.readline()\n" + how, stdin=subprocess.PIPE)
                self.assertEqual(program.stdout.readline(), "drives\n")
                self.assertTrue(self.watcher.state().moving)
                program.communicate("\n")
                self.stands()

    def test_a_robot_by_its_name_ends_with_a_program_that_is_killed(self):
        program = python("import robotalk as rt\nrobot = rt.connect('pioneer2', timeout=60)\nrobot.set_speed(x=0.1)\n"
                         "print(robot._server.process.pid)\nrobot.go_to(x=100)", stdin=subprocess.DEVNULL)
        server = int(program.stdout.readline())
        os.kill(server, 0)
        program.kill()
        program.communicate()

        def gone():
            try:
                with open("/proc/%d/stat" % server, encoding="utf-8") as file:
                    return " Z " in file.read()  # nobody waits for it
            except OSError:
                return True
        eventually(gone)

    def test_a_fork_leaves_the_robots_to_the_parent(self):
        program = self.start("""
robot.set_speed(x=0.1)
pid = os.fork()
if pid == 0:
    try:
        robot.state()
    except rt.Error as error:
        print(error.code)
    with rt.connect(%r, apart=True, name="child") as own:
        print(own.set_speed(x=0.1).signal)
    sys.stdout.flush()
    os._exit(0)
os.waitpid(pid, 0)
print(robot.state().moving, robot.set_speed(x=0).signal)
time.sleep(100)
""" % self.server.url)
        self.assertEqual([program.stdout.readline() for _ in range(3)], ["ECLOSED\n", "BUSY\n", "True SUCCESS\n"])


if __name__ == "__main__":
    unittest.main()
