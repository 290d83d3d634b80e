"""Commands, results, the state, panics and mistakes."""
import math
import tempfile
import unittest

import robotalk as rt
from robotalk._robot import robots
from serving import Case, PATIENCE, Server, eventually


class Commands(Case):
    def setUp(self):
        self.robot = self.connect()

    def test_a_robot_goes_to_a_place_and_says_so(self):
        before = self.robot.state()
        result = self.robot.go_to(x=before.x + 0.05, y=before.y)
        self.assertTrue(result)
        self.assertEqual((result.op, result.signal, result.reason, result.why), ("go_to", "SUCCESS", "none", None))
        self.assertGreater(result.finished, result.executed)
        self.assertLessEqual(result.executed, rt.now() + result.uncertainty)
        self.assertRegex(str(result), r"^SUCCESS: took \d")
        state = self.robot.state()
        self.assertAlmostEqual(state.x, before.x + 0.05, places=3)
        self.assertEqual(state.pose[0], state.x)
        self.assertEqual(list(state.joints), ["head"])
        self.assertFalse(state.panic)
        self.assertIsNone(state.frames)
        more = self.robot.state(forces=True, frames=True, goals=True)
        self.assertEqual(list(more.goals), ["head"])
        self.assertEqual(len(more.frames["gaze"]["position"]), 3)
        places = self.robot.go_to([{"x": before.x, "y": before.y}, {"x": before.x + 0.01, "y": before.y}], speed=0.2)
        self.assertEqual((places.signal, places.reason), ("SUCCESS", "none"))

    def test_dofs_are_named_numbered_or_listed(self):
        for values in ({"pan": 0.01}, {0: 0.02}, [0.03, 0.01]):
            self.assertEqual(self.robot.set_joint("head", values).signal, "SUCCESS")
        self.assertEqual(self.robot.set_joint("head", pan=0, tilt=0, speed=0.2).signal, "SUCCESS")
        clipped = self.robot.set_joint("head", tilt=9)
        self.assertTrue(clipped)
        self.assertEqual((clipped.signal, clipped.reason, clipped.clipped), ("MODIFIED", "limit", ["head"]))
        self.assertEqual(self.robot.set_joint_speed("head", pan=0).signal, "SUCCESS")
        na = self.robot.step(leg=1)
        self.assertFalse(na)
        self.assertEqual(na.signal, "NA")
        self.assertIsNone(na.executed)

    def test_a_move_has_parts(self):
        result = self.robot.move(base={"speed": {"theta": 0.1}}, head={"pan": 0.05})
        self.assertEqual(result.signal, "SUCCESS")
        self.assertEqual(self.robot.stop("base").signal, "SUCCESS")
        self.assertEqual(self.robot.stop(head=True).signal, "SUCCESS")
        self.assertEqual(self.robot.stop(own=True).signal, "SUCCESS")
        eventually(lambda: not self.robot.state().moving)

    def test_must_raises_unless_it_is_carried_out(self):
        self.assertEqual(self.robot.must.set_joint("head", tilt=9).signal, "MODIFIED")
        with self.assertRaises(rt.Refused) as caught:
            self.robot.must.step(leg=1)
        self.assertEqual((caught.exception.code, caught.exception.result.op), ("NA", "step"))
        self.assertRegex(str(caught.exception), "^step: NA, ")

    def test_a_panic_latches_until_the_reset(self):
        self.robot.set_speed(x=0.1)
        self.robot.panic()
        eventually(lambda: self.robot.state().panic)
        self.assertEqual(self.robot.set_speed(x=0.1).signal, "PANIC")
        self.robot.reset()
        self.assertFalse(self.robot.state().panic)
        self.assertEqual(self.robot.set_speed(x=0).signal, "SUCCESS")

    def test_what_is_begun_can_be_awaited_or_taken_back(self):
        motion = self.robot.begin("go_to", x=50)
        eventually(lambda: self.robot.state().moving)
        self.assertFalse(motion.done())
        with self.assertRaises(TimeoutError):
            motion.wait(0.05)
        self.assertEqual(motion.cancel(), 1)
        self.assertEqual(motion.wait().signal, "INTERRUPTED")
        self.assertTrue(motion.done())
        self.assertIs(self.robot.result(motion), motion.wait())

    def test_the_results_of_what_nobody_awaits_are_dropped(self):
        for _ in range(100):
            self.robot.begin("set_joint", "head", pan=0)
        self.robot.must.stop()
        eventually(lambda: self.robot.state() and not self.robot._client.forgotten)

    def test_a_command_that_takes_too_long_is_taken_back(self):
        with self.assertRaises(rt.Timeout) as caught:
            self.robot.go_to(x=50, timeout=0.2)
        self.assertEqual(caught.exception.code, "ETIMEOUT")
        eventually(lambda: not self.robot.state().moving)

    def test_a_time_out_names_what_has_no_answer(self):
        motion = self.robot.begin("go_to", x=50)
        with self.robot.session("playback", duration=9) as tape:
            tape.frame(0, head={"pan": 0})
            tape.frame(9, head={"pan": 0})
            for text, fn, *args in (
                    ("go_to of pioneer2: no answer within 0.05 s", motion.wait, 0.05),
                    ("finish of pioneer2: no answer within 0.3 s", tape.finish, 0.3),
                    ("picture by camera of pioneer2: no answer within 0 s", lambda: self.robot.camera().frame(timeout=0))):
                with self.subTest(text):
                    self.assertEqual(str(self.fails("ETIMEOUT", fn, *args)), text)
        motion.cancel()

    def test_a_bus_counts_its_messages(self):
        self.assertRaises(rt.Error, self.robot.bus)
        with rt.connect("arm004") as arm:
            arm.home()
            bus = arm.bus()
            self.assertLessEqual(bus["messages"], bus["slots"])
            self.assertEqual(sum(dof["messages"] for joint in bus["joints"].values() for dof in joint.values()), bus["messages"])

    def test_an_override_slows_down(self):
        self.robot.override(0.5)
        self.assertEqual(self.robot.state().override, 0.5)
        self.robot.override(1)
        self.assertRaisesRegex(ValueError, "override: want 0, or 0.001 to 1, got 2", self.robot.override, 2)

    def test_mistakes_raise_with_the_name_of_the_field(self):
        robot = self.robot
        for kind, pattern, fn, args, fields in (
                (ValueError, "pioneer2 has no joint 'hed'; did you mean 'head'\\? It has head, root", robot.set_joint, ("hed",), {"pan": 1}),
                (ValueError, "head has no dof 'pam'; did you mean 'pan'", robot.set_joint, ("head",), {"pam": 1}),
                (ValueError, "set_joint head: want at least one of pan, tilt", robot.set_joint, ("head",), {}),
                (TypeError, "head: want values by dofs \\(pan, tilt\\)", robot.set_joint, ("head", 1), {}),
                (TypeError, "head: want values by dofs", robot.set_joint, ("head", [1, 2, 3]), {}),
                (TypeError, "head.pan: want a finite number, got str", robot.set_joint, ("head",), {"pan": "1"}),
                (TypeError, "head: want values by dofs", robot.set_joint, ("head", {0.0, 1.0}), {}),
                (TypeError, "timeout: want a finite number, got str", robot.go_to, (), {"x": 0, "timeout": "1"}),
                (TypeError, "timeout: want a finite number, got str", robot.session, (), {"timeout": "1"}),
                (ValueError, "session.delay: want at most 1e\\+09 s", robot.session, ("delay",), {"delay": 1e30}),
                (ValueError, "go_to.start: 1e\\+300 s is no instant", robot.go_to, (), {"x": 0, "start": 1e300}),
                (ValueError, "want a sensor, got none", robot.sense, ([],), {}),
                (ValueError, "go_to.x: want a finite number, got nan", robot.go_to, (), {"x": math.nan}),
                (ValueError, "go_to has no field 'z'", robot.go_to, (), {"x": 1, "z": 1}),
                (ValueError, "go_to: want x, y or both", robot.go_to, (), {"theta": 1}),
                (TypeError, "go_to: want fields by name, got int", robot.go_to, (1,), {}),
                (ValueError, "pioneer2 has no control frame 'hand'", robot.set_frame, ("hand",), {"position": (0, 0, 0)}),
                (TypeError, "set_frame gaze: want position", robot.set_frame, ("gaze",), {}),
                (TypeError, "stop: head: want True, got 1", robot.stop, (), {"head": 1}),
                (TypeError, "a frame's base wants one of speed", robot.move, (), {"base": {"spede": {}}}),
                (ValueError, "frame: head.pan and gaze both move head.pan", robot.move, (),
                 {"head": {"pan": 0.1}, "gaze": {"position": (1, 0, 0), "attitude": False}}),
                (ValueError, "pioneer2 has no command 'dance'", robot.begin, ("dance",), {}),
                (ValueError, "session has no option 'mod'", robot.session, (), {"mod": 1})):
            with self.subTest(pattern):
                self.assertRaisesRegex(kind, pattern, fn, *args, **fields)

    def test_failures_have_codes(self):
        self.fails("EURL", rt.connect, "http://x")
        self.fails("EADDRESS", rt.connect, "unix:/nobody/there")
        self.assertIsInstance(self.fails("EADDRESS", rt.connect, "unix:/nobody/there"), ConnectionError)
        self.fails("ENONE", rt.connect, self.server.url + "#nobody")
        self.fails("EMODE", self.robot.session, "waltz")
        self.assertRaisesRegex(ValueError, "role: want watch, drive or operate, got king", rt.connect, "pioneer2", role="king")
        watcher = self.connect(role="watch")
        self.assertEqual(watcher.set_speed(x=0.1).reason, "role")
        watcher.close()
        self.fails("ECLOSED", watcher.state)
        self.fails("ECLOSED", watcher.go_to, x=1)
        watcher.close()

    def test_commands_without_a_wait_have_tickets(self):
        with self.robot.session("delay", delay=0.05) as session:
            self.assertFalse(session.blocking)
            tickets = [session.set_joint("head", pan=0.01 * i) for i in range(3)]
            results = [session.result(ticket, PATIENCE) for ticket in tickets]
            self.assertEqual(results[2].signal, "SUCCESS")
            self.assertGreater(results[2].executed - results[2].scheduled, -0.001)
            self.fails("ENONE", session.result, tickets[0], 1)
            self.assertEqual(session.status()["unanswered"], 0)


    def test_sessions_that_nobody_has_any_more_end(self):
        for _ in range(40):  # a server has room for 16
            self.robot.session("playback", duration=1).frame(0, head={"pan": 0})

    def test_a_sequence_may_be_longer_than_a_server_has_room_for(self):
        for errors in (False, True):
            with self.robot.session("playback", duration=3, errors=errors) as tape:
                for i in range(12000):
                    tape.frame(i * 2.5e-4, head={"pan": 1e-5 * i})
                report = tape.finish(PATIENCE)
            self.assertEqual((report.played, report.refused, set(report.signals) <= {"SUCCESS", "MODIFIED"}), (12000, 0, True), report)

    def test_a_wait_may_be_endless(self):
        self.assertEqual(self.robot.begin("set_joint", "head", pan=0).wait(math.inf).signal, "SUCCESS")


class Kinematics(unittest.TestCase):
    def test_a_model_needs_no_robot(self):
        model = rt.model("puma560")
        home, first = model.home(), model.index("shoulder")
        pose = model.fk(home, "hand")
        goal = [pose["position"][0], pose["position"][1], pose["position"][2] - 0.02]
        posture = model.ik("hand", position=goal, attitude=pose["attitude"])
        self.assertLess(max(abs(a - b) for a, b in zip(model.fk(posture, "hand")["position"], goal)), 1e-5)
        moved = list(home)
        moved[first] += 1e-6
        column = [row[first] for row in model.jacobian(home, "hand")][:3]
        for slope, a, b in zip(column, pose["position"], model.fk(moved, "hand")["position"]):
            self.assertAlmostEqual(slope, (b - a) / 1e-6, places=4)
        self.assertEqual(len(model.fk(home)), len(model._body.links))
        for kind, pattern, fn, *args in (
                (ValueError, "q: want 6 numbers, got 1", model.fk, [0]), (TypeError, r"q\[0\]: want a finite", model.fk, "six"),
                (ValueError, "puma560 has no control frame 'hnd'; did you mean 'hand'", model.jacobian, home, "hnd"),
                (rt.Error, "^no posture found: 14.3 m", lambda: model.ik("hand", position=(9, 9, 9))),
                (rt.Error, "^there is no robot 'puma561', did you mean puma560", rt.model, "puma561")):
            with self.subTest(pattern):
                self.assertRaisesRegex(kind, pattern, fn, *args)


class Servers(unittest.TestCase):
    """Descriptions and scripts of servers."""

    def test_a_description_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(joint):
                with open(folder + "/one.lua", "w", encoding="utf-8") as file:
                    file.write('return { name = "one", joints = { { name = "%s", driver = "sim", dofs = { { speed = 1 } } } } }' % joint)
            write("old")
            with rt.connect(folder + "/one.lua") as robot:
                write("new")
                self.assertEqual(set(robot.reload()), {"kept", "dropped"})
                self.assertEqual(robot.set_joint("new", 0).signal, "SUCCESS")
                self.assertEqual(robot.model.index("new"), 0)
                self.assertRaisesRegex(rt.Error, "want the description of one, got that of pioneer2", robot.reload, "pioneer2")
                write('"bad')
                self.assertRaisesRegex(rt.Error, "one.lua:1: ", robot.reload)
                self.assertEqual(robot.set_joint("new", 0).signal, "SUCCESS")

    def test_scripts_are_listed_ended_and_begun(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/idle.lua", "w", encoding="utf-8") as file:
                file.write("require 'robotalk'.sleep(1e6)")
            server = Server("pioneer2", "--run", folder + "/idle.lua")
            self.addCleanup(server.close)
            with rt.connect(server.url, timeout=PATIENCE) as robot:
                scripts = rt.scripts(robot)
                self.assertEqual([row["name"] for row in scripts.list()], ["idle"])
                for what, state in (("stop", "stopped"), ("start", "running"), ("reload", "running")):
                    getattr(scripts, what)("idle")
                    eventually(lambda: scripts.list()[0]["state"] == state)
                self.assertRaisesRegex(rt.Error, "no script", scripts.start, "idler")
                self.assertEqual([row["name"] for row in rt.scripts(server.url).list()], ["idle"])
                self.assertEqual(len(robots), 1)  # a connection for each call


class Names(Case):
    """Robots by name or file, in servers of the program's own."""

    def test_connections_to_one_name_share_a_robot(self):
        with rt.connect("pioneer2") as one, rt.connect("pioneer2") as other:
            process = one._server.process
            self.assertIs(one._server, other._server)
            self.assertEqual(one.name, "pioneer2")
            one.must.go_to(x=0.02)
            self.assertAlmostEqual(other.state().x, 0.02, places=3)
            one.close()
            self.assertFalse(other.state().panic)
            self.assertIsNone(process.poll())
        self.assertIsNotNone(process.poll())

    def test_a_robot_that_is_none_is_said_as_the_program_says_it(self):
        error = self.fails("EFAILED", rt.connect, "pioner2")
        self.assertRegex(str(error), "^there is no robot 'pioner2', did you mean pioneer2")


if __name__ == "__main__":
    unittest.main()
