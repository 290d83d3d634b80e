"""python3 tests/bench/python.py URL BLOCKS ROUNDS: direct commands, each sent when the one before is answered: for each block the
us of the round trips in the middle. With "pictures" and s in the place of BLOCKS and ROUNDS: pictures a second."""
import sys
import time

import robotalk as rt


def rounds(robot, n):
    took, clock = [], time.perf_counter_ns
    for i in range(n):
        begin = clock()
        robot.set_speed(x=0.1 * (i & 1))
        took.append(clock() - begin)
    return sorted(took)[n // 2] / 1000


def pictures(robot, seconds):
    with robot.camera().watch(format="rgb", window=1 << 24) as watch:
        watch.next()
        n, total, end = 0, 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            total += watch.next().array[0, 0, 0]
            n += 1
    return n / seconds


with rt.connect(sys.argv[1]) as robot:
    if sys.argv[2] == "pictures":
        print(pictures(robot, float(sys.argv[3])))
    else:
        rounds(robot, int(sys.argv[3]))  # warm
        for _ in range(int(sys.argv[2])):
            print(rounds(robot, int(sys.argv[3])))
