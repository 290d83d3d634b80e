#!/bin/bash
# Robots whose joints are servos, on a bus of simulated servos behind a pseudo-terminal: each differs from the bundled robot by its
# driver alone, and moves as that does.
. "${BASH_SOURCE%/*}/lib.sh"
bus=${ROBOTALK%/*}/tests/robotalk-servo-bus
[ -x "$bus" ] || skip "there is no $bus: no servo was moved"

cat >"$work/moves.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1])
local joint, dof, to = arg[2], arg[3], tonumber(arg[4])
print(robot:set_joint(joint, { [dof] = to }))
local at = robot:state().joints[joint][dof]
print(math.abs(at - to) < 0.04 and "it is there" or "it is at " .. at) -- as near as the driver takes for reached
LUA
# metal NAME BAUD SERVOS ENTRY OPTIONS JOINT DOF TO: that bundled robot with these servos
metal() {
    "$bus" --baud "$2" "$3" >"$work/path.s" &
    eventually test -s "$work/path.s"
    cat >"$work/metal.lua" <<LUA
return { from = "$1", name = "metal", base = false, cameras = false,
  drivers = { $4 = { driver = "servos", port = "$(cat "$work/path.s")", baud = $2, timeout = 10$5 }, eye = false } }
LUA
    fails 0 "$ROBOTALK" run "$work/moves.lua" "$work/metal.lua" "${@:6}"
    kill $!
    rm "$work/path.s"
}

metal so101_follower 1000000 sts3215:1-6 arm '' wrist_flex wrist_flex 0.5
says 'SUCCESS'
says 'it is there'
metal so101_follower 1000000 sts3215:1-6 arm '' gripper gripper 1.2
says 'it is there'
metal so101_leader 1000000 sts3215:1-6 arm ', torque = false' elbow_flex elbow_flex 0.5
says 'NA' # a hand moves it
metal pan_tilt 57600 xl430:1-2 neck '' head tilt -0.4
says 'it is there'
metal lekiwi 1000000 sts3215:1-6 arm '' shoulder_pan shoulder_pan -0.3
says 'it is there'
