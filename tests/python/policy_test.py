"""Policies: chunks of a function on a thread of its own; what late, dead, stale and stopped ones do."""
import threading
import time
import unittest

import numpy as np

import robotalk as rt
from serving import Case, eventually

PAN = {"joints": ["shoulder_pan"], "age": 60}  # the machine may be busy


def to(place):
    return lambda seen: np.full((16, 1), place)


class Policies(Case):
    robots = ("so101_follower",)

    def setUp(self):
        self.robot = self.connect()
        self.robot.set_joint("shoulder_pan", 0)

    def pan(self):
        return self.robot.state().joints["shoulder_pan"]["shoulder_pan"]

    def stands(self):
        before = self.pan()
        time.sleep(0.3)
        return abs(self.pan() - before) < 1e-9

    def stopped(self, policy, fn, why):
        """fn ends a run that goes on by itself, and the arm stands."""
        answers, policy.counts = [], None
        thread = threading.Thread(target=lambda: answers.append(policy.run()))
        thread.start()
        eventually(lambda: policy.counts and policy.counts["chunks"] > 1)
        fn()
        thread.join()
        self.assertEqual(answers, [why])
        eventually(self.stands)
        self.assertTrue(self.stands())

    def test_chunks_are_played(self):
        seen = []

        def network(observation):
            seen.append(observation)
            return [[0.4]] * 16 if len(seen) < 5 else "there"
        policy = rt.policy(self.robot, network, observe=["gripper", "wrist"], **PAN)
        self.assertEqual(policy.run(), "there")
        self.assertEqual((policy.counts["calls"], policy.counts["stale"]), (5, 0))
        self.assertGreater(policy.counts["chunks"], 0)
        self.assertEqual((seen[0].position.shape, seen[0].wrist.format, seen[0].gripper.name), ((1,), "rgb", "gripper"))
        self.assertTrue(0 < self.pan() <= 0.4 + 0.01)
        one = rt.policy(self.robot, lambda seen: [[0.5]], **PAN)
        self.assertEqual((one.run(1), one.counts["chunks"] > 0, self.pan() > 0.4), ("its time is over", True, True))
        whole = rt.policy(self.robot, lambda seen: [seen.position] * 16, age=60)
        self.assertEqual((whole.run(0.5), len(self.robot.body.dof)), ("its time is over", 6))

    def test_set_points_are_continuous_whatever_the_function_says(self):
        policy, calls = rt.policy(self.robot, lambda seen: calls.append(1) or [[len(calls) % 2 * 2 - 1.0]] * 16, **PAN), []
        sent, frame = [], rt.Session.frame
        self.addCleanup(setattr, rt.Session, "frame", frame)
        rt.Session.frame = lambda session, t, parts: sent.append((t, parts["shoulder_pan"]["shoulder_pan"])) or frame(session, t, parts)
        policy.run(2)
        limits, played = self.robot.body.dof[0], {}
        for t, place in sent:  # a newer chunk replaces what is later
            played = {at: x for at, x in played.items() if at < t - 1e-6} | {t: place}
        times, places = np.array(sorted(played)), np.array([played[t] for t in sorted(played)])
        self.assertGreater(np.ptp(places), 0.1)
        self.assertLessEqual(np.abs(np.diff(places) / np.maximum(np.diff(times), 1 / 30)).max(), limits.speed + 1e-9)

    def test_a_late_or_dead_function_holds_the_arm(self):
        held = []
        late = rt.policy(self.robot, lambda seen: time.sleep(0.7) or [[0.4]] * 16, on_hold=held.append, **PAN)
        self.assertEqual(late.run(2), "its time is over")
        self.assertGreater(late.counts["late"], 0)
        self.assertRegex(held[0], "the function took 0|the function took [0-9.]+ s")
        self.assertAlmostEqual(self.pan(), 0)
        never = threading.Event()
        self.addCleanup(never.set)
        dead = rt.policy(self.robot, lambda seen: [[0.3]] * 30 if dead.counts["calls"] == 1 else never.wait() or [[0.0]], **PAN)
        self.assertEqual(dead.run(2.5), "its time is over")  # it ends although the function does not
        self.assertEqual(dead.counts["calls"], 2)

    def test_an_old_observation_is_not_given(self):
        held = []
        policy = rt.policy(self.robot, to(0.4), joints=["shoulder_pan"], age=1e-9, on_hold=held.append)
        policy.run(0.5)
        self.assertEqual((policy.counts["calls"], policy.counts["stale"]), (0, len(held)))
        self.assertRegex(held[0], "^state is [0-9.]+ s old$")
        self.assertEqual(self.pan(), 0)

    def test_stops_latch_it(self):
        policy = rt.policy(self.robot, to(0.4), **PAN)
        self.stopped(policy, policy.stop, "stopped")
        self.stopped(policy, self.robot.stop, "stopped")
        self.stopped(policy, lambda: (self.robot.panic(), self.robot.reset()), "panicked")
        other = self.connect(apart=True, name="helper")
        self.stopped(policy, other.stop, "stopped")
        self.assertRegex(policy.run(2), "INTERRUPTED: stopped by helper")
        self.robot.stopped()
        self.robot.resume()
        self.robot.panic()
        self.assertEqual(policy.run(2), "PANIC: the robot is in panic until someone resets it")
        self.robot.reset()
        self.assertEqual(policy.run(0.5), "its time is over")

    def test_mistakes_raise(self):
        def wrong(seen):
            raise KeyError("no idea")
        self.assertRaisesRegex(KeyError, "no idea", rt.policy(self.robot, wrong, **PAN).run, 5)
        for actions in ([], [[1, 2]], [1.0]):
            self.assertRaisesRegex(ValueError, "policy: want a chunk of actions", rt.policy(self.robot, lambda seen: actions, **PAN).run, 5)
        self.assertRaisesRegex(ValueError, "action 1: shoulder_pan: want a finite number, got nan",
                               rt.policy(self.robot, lambda seen: [[0], [float("nan")]], **PAN).run, 5)
        self.assertRaisesRegex(ValueError, "no sensor or camera 'wirst'; did you mean 'wrist'", rt.policy, self.robot, wrong, observe=["wirst"])
        self.assertRaisesRegex(ValueError, "no joint 'shoulder_pin'; did you mean", rt.policy, self.robot, wrong, joints=["shoulder_pin"])
        self.assertTrue(self.stands())


if __name__ == "__main__":
    unittest.main()
