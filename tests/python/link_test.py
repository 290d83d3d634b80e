"""A server through a bad link, and links that are lost."""
import ctypes
import socket
import unittest

import robotalk as rt
from robotalk._library import SECOND, lib, struct
from serving import PATIENCE, Server, eventually

Lag = struct("robo_test_lag", size=ctypes.c_size_t, delay=ctypes.c_int64, jitter=ctypes.c_int64, loss=ctypes.c_double,
             again=ctypes.c_int64, rate=ctypes.c_double, window=ctypes.c_size_t, seed=ctypes.c_uint64)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Link(unittest.TestCase):
    def setUp(self):
        port = free_port()
        self.server = Server("pioneer2", more=["robotalk://127.0.0.1:%d" % port])
        self.addCleanup(self.server.close)
        self.relay = ctypes.c_void_p()
        lag = Lag(size=ctypes.sizeof(Lag), delay=SECOND // 30, jitter=SECOND // 30, loss=0.05, seed=1)
        self.assertEqual(lib.robo_test_relay_open(port, ctypes.byref(lag), ctypes.byref(self.relay)), 0)
        self.addCleanup(lib.robo_test_relay_close, self.relay)
        self.url = "robotalk://127.0.0.1:%d" % lib.robo_test_relay_port(self.relay)

    def connect(self):
        robot = rt.connect(self.url, timeout=PATIENCE, deadman=10)  # a segment may be lost again and again
        self.addCleanup(robot.close)
        return robot

    def test_over_a_bad_link_all_is_as_over_a_good_one(self):
        robot = self.connect()
        self.assertEqual(robot.go_to(x=0.1).signal, "SUCCESS")
        self.assertGreater(robot.clock()["median"], 0.06)
        self.assertAlmostEqual(robot.state().x, 0.1, places=2)
        self.assertEqual(robot.camera().frame(timeout=PATIENCE).array.shape, (240, 320, 3))
        with robot.session("playback", duration=1, timeout=PATIENCE) as tape:
            for i in range(11):
                tape.frame(i * 0.1, head={"pan": 0.03 * i})
            report = tape.finish(PATIENCE)
        self.assertEqual((report.played, report.underruns), (11, 0))
        self.assertGreater(report.delay, 0.03)

    def test_a_link_that_is_lost_is_said_and_comes_back(self):
        robot, direct = self.connect(), rt.connect(self.server.url, timeout=PATIENCE)
        self.addCleanup(direct.close)
        motion = robot.begin("go_to", x=100)
        eventually(lambda: direct.state().moving)
        with robot.watch("sonar", rate=50) as watch:
            watch.next(PATIENCE)
            lib.robo_test_relay_cut(self.relay)
            try:
                self.assertEqual(motion.wait(PATIENCE).reason, "link")  # it is up again already
            except ConnectionError as error:
                self.assertEqual((error.code, str(error)[:10]), ("ELINK", "pioneer2: "))
            eventually(lambda: not direct.state().moving)

            def back():
                try:
                    return robot.set_joint("head", pan=0.1)
                except rt.LinkError:
                    return None
            self.assertEqual(eventually(back).signal, "SUCCESS")
            watch.next(PATIENCE)
            watch.next(PATIENCE)

    def test_who_waits_for_a_server_that_is_gone_is_told(self):
        robot = self.connect()
        self.server.process.kill()
        with self.assertRaises(rt.LinkError):
            robot.go_to(x=100)
        with self.assertRaises(rt.LinkError):
            robot.state()


if __name__ == "__main__":
    unittest.main()
