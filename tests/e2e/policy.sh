#!/bin/bash
# The example of docs/policy.md: a network that is trained on recorded episodes picks cubes that it has not seen; also by Python, on a served robot.
. "${BASH_SOURCE%/*}/lib.sh"
need_opengl "no cube was seen"
python=/usr/bin/python3
$python -c 'import numpy' || skip "numpy is missing"
cp docs/policy/* "$work"
ROBOTALK=$(realpath "$ROBOTALK") tree=$PWD
cd "$work"

fails 0 "$ROBOTALK" run --physics --virtual teach.lua 60 episodes.txt
says '^taught by \(5[5-9]\|60\) of 60'
fails 0 $python train.py episodes.txt network.json
fails 0 "$ROBOTALK" run --physics --virtual pick.lua network.json
says '^picked \([89]\|10\) of 10'

grep -qE '__(asan|tsan)_init' "$ROBOTALK" && exit # Python cannot load its library
# one start in real time, over a socket
cat >world.lua <<'LUA'
return {
  boxes = { { name = "table", size = { 1.6, 1.2, 0.05 }, position = { 0.3, 0 }, raised = 0.7, colour = "#a9835a" },
    { name = "cube", size = { 0.025, 0.025, 0.025 }, position = { 0.24, 0.03 }, raised = 0.75, mass = 0.016, friction = 1, colour = "#1fb8c9" } },
  lights = { { position = { 0.4, -0.8, 2.2 }, direction = { 0, 0.4, -1 }, colour = "#707070" },
    { position = { 0.4, 0.8, 2.2 }, direction = { 0, -0.4, -1 }, colour = "#707070" } },
  start = { { 0, 0, 0, 0.749 } },
}
LUA
cat >pick.py <<'PYTHON'
import json

import numpy as np
import robotalk as rt

with open("network.json") as file:
    trained = {name: [np.array(p) for p in value] if name == "net" else np.array(value) for name, value in json.load(file).items()}
look = dict(shoulder_pan=0, shoulder_lift=-0.43, elbow_flex=0.15, wrist_flex=1.66, wrist_roll=0.05, gripper=0.6)


def network(seen):
    if robot.state(frames=True).frames["hand"]["position"][2] > 0.13 and seen.position[5] < 0.3:
        return "up"
    red, green, blue = np.moveaxis(seen.wrist.array.astype(int), 2, 0)
    rows, columns = np.nonzero((np.minimum(green, blue) > 1.6 * red) & (abs(green - blue) < 0.5 * blue))  # cyan
    blob = [1, columns.mean() / 80 - 1, rows.mean() / 80 - 0.75, len(rows) ** 0.5 / 40] if len(rows) else [0] * 4
    x = (np.concatenate([seen.position, blob]) - trained["mean"][:10]) / trained["spread"][:10]
    for k in range(0, len(trained["net"]), 2):
        x = trained["net"][k] @ x + trained["net"][k + 1]
        x = np.tanh(x) if k < len(trained["net"]) - 2 else x
    return seen.position + (x * trained["spread"][10:] + trained["mean"][10:]).reshape(16, 6)


with rt.connect("./arm.lua", world="world.lua", physics=True, timeout=60) as robot:
    for _ in range(3):  # the machine may be busy
        robot.move(look)
        policy = rt.policy(robot, network, every=4, observe=["wrist"], age=1)
        why = policy.run(30)
        print(why, policy.counts)
        gripper = robot.state().joints["gripper"]["gripper"]
        if why == "up" and 0 < gripper < 0.3:
            print("lifted by Python")
            break
PYTHON
build=$(dirname "$ROBOTALK")
ROBOTALK_LIBRARY=$build/librobotalk.so PYTHONPATH=$tree/bindings/python fails 0 $python pick.py
says '^lifted by Python'
