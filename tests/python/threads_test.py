"""Threads, the interpreter's lock, coroutines, and arrays without numpy."""
import asyncio
import ctypes
import threading
import time
import unittest

import robotalk as rt
import robotalk.aio
from serving import Case, PATIENCE, python


class Threads(Case):
    robots = ("pioneer2", "aibo_ers7")

    def test_threads_use_one_robot_at_once(self):
        robot, results = self.connect(), []

        def work(k):
            for i in range(50):
                results.append(robot.set_joint("head", pan=0.001 * (i + k)).signal if k == 0 else robot.state().epoch)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 200)
        self.assertEqual(set(results), {"SUCCESS", robot.state().epoch})

    def test_threads_play_sequences_at_once(self):
        robot, reports = self.connect(), []

        def play():
            for _ in range(15):
                with robot.session("playback", duration=0.1) as tape:
                    for i in range(3):
                        tape.frame(i * 0.01, head={"pan": 0.01 * i})
                    reports.append(tape.finish(PATIENCE).frames)
        threads = [threading.Thread(target=play) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(reports, [3] * 60)
        self.assertTrue(robot._client.thread.is_alive())

    def test_who_holds_the_interpreter_holds_up_no_robot(self):
        robot = self.connect(deadman=0.3)
        robot.on_notice(lambda name, value, words: seen.append(name))
        seen = []
        robot.set_speed(theta=0.2)
        ctypes.PyDLL(None).usleep(1000000)  # with the lock held, three times the deadman time
        self.assertTrue(robot.state().moving)
        self.assertNotIn("deadman", seen)
        robot.set_speed(theta=0)

    def test_a_close_ends_calls_of_other_threads(self):
        robot, caught = rt.connect(self.server.url + "#aibo_ers7"), []

        def wait():
            try:
                caught.append(robot.camera().frame(newer=Newer(), timeout=None))
            except rt.Error as error:
                caught.append(error.code)

        class Newer:
            number = 1 << 40
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.1)
        robot.close()
        thread.join()
        self.assertIn(caught[0], ("ECLOSED", "ENONE"))

    def test_coroutines(self):
        async def main():
            async with await robotalk.aio.connect(self.server.url) as robot:
                pan, turn = await asyncio.gather(robot.set_joint("head", pan=0.2), robot.set_speed(theta=0))
                self.assertEqual((pan.signal, turn.signal), ("SUCCESS", "SUCCESS"))
                self.assertAlmostEqual((await robot.state()).joints["head"]["pan"], 0.2, places=3)
                task = asyncio.create_task(robot.go_to(x=50))
                while not (await robot.state()).moving:
                    await asyncio.sleep(0)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                while (await robot.state()).moving:
                    await asyncio.sleep(0.01)
                with self.assertRaises(TimeoutError):
                    await robot.go_to(x=50, timeout=0.1)
                motion = await robot.begin("set_joint", "head", pan=0)
                self.assertEqual((await motion).signal, "SUCCESS")
                async with await robot.watch("sonar", rate=50) as watch:
                    async for reading in watch:
                        self.assertEqual(len(reading), 16)
                        break
        asyncio.run(main())

    def test_without_numpy_there_are_lists(self):
        program = python("import sys\nsys.modules['numpy'] = None\nimport robotalk as rt\nrobot = rt.connect(%r, timeout=60)\n"
                         "print(type(robot.state().position).__name__, type(robot.sense('sonar').ranges).__name__, robot.set_joint('head', [0, 0]).signal)"
                         % self.server.url)
        said, why = program.communicate()
        self.assertEqual(said, "list list SUCCESS\n", why)


if __name__ == "__main__":
    unittest.main()
