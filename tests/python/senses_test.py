"""Readings, pictures, broadcasts, sequences, leases, stops by others and notices."""
import unittest

import numpy as np

import robotalk as rt
from serving import Case, PATIENCE, eventually


class Senses(Case):
    robots = ("pioneer2", "aibo_ers7")

    def setUp(self):
        self.robot = self.connect()

    def test_readings_are_arrays_with_names(self):
        sonar = self.robot.sense("sonar")
        self.assertEqual((sonar.type, len(sonar), sonar.range), ("sonar", 16, 5.0))
        np.testing.assert_array_equal(sonar.ranges, np.full(16, 5.0))
        self.assertEqual(sonar[3].name, "sonar3")
        one = self.robot.sense("sonar3")
        self.assertEqual((one.name, one.number > 0, one.age >= 0, list(one.ranges)), ("sonar3", True, True, [5.0]))
        self.assertIs(self.robot.sense("bumper").pressed, False)
        both = self.robot.sense(["sonar0", "bumper"])
        self.assertIsNone(both.type)
        self.assertEqual(len(both), 1 + len(self.robot.sense({"kind": "bumper"})))
        self.assertRegex(str(self.fails("NA", self.robot.sense, "sonor")), "robot pioneer2 has no sensor sonor; did you mean sonar\\?")
        dog = rt.connect(self.server.url + "#aibo_ers7", timeout=PATIENCE)
        self.addCleanup(dog.close)
        acceleration = next(s for s in dog.body.sensors.values() if s.kind == "accelerometer")
        self.assertEqual(dog.sense(acceleration.name).acceleration.shape, (3,))
        self.assertEqual(set(dog.state().joints), {j.name for j in dog.body.joints.values() if j.dofs})

    def test_watches_and_broadcasts_give_what_is_new(self):
        with self.robot.watch("sonar", rate=100) as watch:
            numbers = [tuple(reading.number for reading in watch.next(PATIENCE)) for _ in range(5)]  # one of them is new
        self.assertEqual(sorted(set(numbers)), numbers)
        self.assertEqual(list(watch), [])
        with self.robot.broadcast(0.01) as states:
            times = [state.time for state, _ in zip(states, range(5))]
        self.assertEqual(sorted(set(times)), times)
        seen = []
        with self.robot.watch("sonar3", seen.append, rate=50):
            eventually(lambda: len(seen) >= 3)
        self.assertEqual(seen[0].name, "sonar3")
        self.assertRaisesRegex(ValueError, "watch: rate", self.robot.watch, "sonar", rate=5000)
        self.assertRaisesRegex(ValueError, "broadcast: period", self.robot.broadcast, 0)

    def test_pictures_are_arrays(self):
        camera = self.robot.camera()
        jpeg = camera.frame(timeout=PATIENCE)
        self.assertEqual((jpeg.format, jpeg.bytes[:2], jpeg.array.shape), ("jpeg", b"\xff\xd8", (240, 320, 3)))
        rgb = camera.frame(format="rgb", newer=jpeg, timeout=PATIENCE)
        self.assertGreater(rgb.number, jpeg.number)
        self.assertEqual((rgb.array.shape, rgb.array.dtype, rgb.array.tobytes()), ((240, 320, 3), np.dtype("u1"), rgb.bytes))
        gray = camera.frame(format="gray", width=80, timeout=PATIENCE)
        self.assertEqual(gray.array.shape, (60, 80))
        with camera.watch(format="gray", width=80) as watch:
            numbers = [watch.next(PATIENCE).number for _ in range(4)]
        self.assertEqual(sorted(set(numbers)), numbers)
        self.assertRaisesRegex(ValueError, "format: want jpeg, rgb or gray, got png", camera.frame, format="png")
        self.assertRaisesRegex(TypeError, "frame has no option 'size'", camera.frame, size=1)
        self.fails("NA", self.robot.camera, "back")

    def test_a_watch_that_is_dropped_ends(self):
        for _ in range(20):  # a session may have 8
            for _ in self.robot.broadcast(0.02):
                break

    def test_frames_do_not_wait_for_others(self):
        with self.robot.session("playback", duration=0.5) as tape:
            for i in range(9):
                tape.frame(i * 0.02, head={"pan": 0.01 * i})
            eventually(lambda: not tape._tape.pending)
            self.assertEqual(sum(tape.finish(PATIENCE).signals.values()), 9)

    def test_a_tape_is_played(self):
        with self.robot.session("playback", duration=0.5) as tape:
            for i in range(6):
                tape.frame(i * 0.1, base={"speed": {"theta": 0.1 * (i % 2)}}, head={"pan": 0.05 * i})
            report = tape.finish(PATIENCE)
        self.assertEqual((report.frames, report.played, report.underruns), (6, 6, 0))
        self.assertEqual(sum(report.signals.values()), 6)
        self.assertRegex(str(report), r"^6 frames, 6 commands played: ")
        t = np.arange(0, 0.5, 0.05)
        with self.robot.session("playback", duration=0.5, errors=True) as tape:
            tape.frames(t, head=np.stack([0.1 * np.sin(t), 0 * t], 1), base=np.zeros((10, 3)))
            self.assertEqual(tape.finish(PATIENCE).frames, 10)
            self.assertRaisesRegex(ValueError, "frames: head: want a row for each of 10 times, got 9", tape.frames, t, head=np.zeros((9, 2)))

    def test_arrays_of_other_kinds_and_shapes(self):
        for good in (np.zeros(2, "f4"), np.zeros(2, int), np.zeros(2, ">f8"), np.zeros(4)[::2], [np.float32(0), np.float64(0)], {np.int64(0): 0}):
            self.assertEqual(self.robot.set_joint("head", good).signal, "SUCCESS", good)
        for bad in (np.zeros(2, bool), np.zeros(2, complex), np.array(["0", "1"]), np.zeros(3), np.zeros((1, 2)), np.zeros((2, 2)), np.array(0.0)):
            self.assertRaises(TypeError, self.robot.set_joint, "head", bad)
        t, rows = np.arange(3) * 0.1, np.zeros((3, 2))
        rows[2, 1] = np.nan
        with self.robot.session("playback", duration=0.5) as tape:
            for pattern, parts in (("frames: head: row 2: want finite numbers", {"head": rows}), ("frames: base: want three", {"base": np.zeros((3, 4))})):
                self.assertRaisesRegex((TypeError, ValueError), pattern, tape.frames, t, **parts)
            self.assertEqual(tape._tape.frames, 0)  # none was sent
            tape.frames(t, head=np.zeros((2, 3)).T)
            self.assertEqual(tape.finish(PATIENCE).frames, 3)

    def test_leases_are_asked_for_and_given(self):
        asked, notices, other = [], [], self.connect(apart=True, name="other")
        self.robot.on_notice(lambda *what: notices.append(what[0]))
        self.assertTrue(self.robot.set_speed(theta=0.1))
        busy = other.set_speed(theta=0.1)
        self.assertEqual((busy.signal, busy.reason), ("BUSY", "lease"))
        self.assertRegex(busy.holder, r"^.*@.* \d+$")
        self.assertRegex(busy.why, "another client holds the lease of what the command moves: ")
        self.assertEqual([(row["own"], row["parts"]) for row in other.holders()], [(False, ["base"])])
        self.robot.on_asked(lambda what: asked.append(what) or len(asked) > 1)
        self.fails("ELEASE", other.take, "base")
        self.assertEqual(asked[0]["parts"], ["base"])
        self.fails("ELEASE", other.take, base=True)  # who was refused is refused for a while
        self.robot.release()
        other.take("base")
        self.assertTrue(other.set_speed(theta=0))
        eventually(lambda: "asked" in notices)
        other.release()

    def test_a_stop_by_another_client_holds_until_resume(self):
        stopped, other = [], self.connect(apart=True, name="stopper")
        self.robot.on_stopped(stopped.append)
        self.assertTrue(self.robot.set_speed(theta=0.1))
        other.stop()
        result = self.robot.set_speed(theta=0.1)
        self.assertEqual((result.signal, result.reason), ("INTERRUPTED", "stopped"))
        self.assertRegex(result.by, r"^stopper \d+$")
        self.assertEqual(self.robot.stopped()["by"], result.by)
        eventually(lambda: stopped)
        self.assertEqual([row["own"] for row in self.robot.latches()], [True])
        self.robot.resume()
        self.assertIsNone(self.robot.stopped())
        self.fails("ENONE", self.robot.resume)
        self.assertTrue(self.robot.set_speed(theta=0))
        other.stop()
        self.fails("ENONE", other.resume)
        other.resume(all=True)
        eventually(lambda: self.robot.stopped() is None)


if __name__ == "__main__":
    unittest.main()
