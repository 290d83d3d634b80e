#!/bin/bash
# Robots whose joints are servos, on a bus of simulated servos behind a pseudo-terminal: each differs from the bundled robot by its
# driver alone, and moves as that does.
. "${BASH_SOURCE%/*}/lib.sh"
bus=${ROBOTALK%/*}/robotalk-servo-bus
[ -x "$bus" ] || skip "there is no $bus: no servo was moved"

cat >"$work/moves.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1])
local joint, dof, to = arg[2], arg[3], tonumber(arg[4])
print(robot:set_joint(joint, { [dof] = to }))
local at = robot:state().joints[joint][dof]
print(math.abs(at - to) < 0.04 and "it is there" or "it is at " .. at) -- as near as the driver takes for reached
if not arg[5] then return end
print(robot:go_to { x = 0.1, y = 0.1, theta = 0.5 })
local pose = robot:state()
print(math.abs(pose.x - 0.1) + math.abs(pose.y - 0.1) + math.abs(pose.theta - 0.5) < 0.06 and "the base is there"
  or ("the base is at %g %g %g"):format(pose.x, pose.y, pose.theta))
robot:set_speed { x = 0.1 } -- and it is stopped by the end of the session
LUA
# A busy machine answers late, so that these have latency.
# metal NAME BAUD SERVOS ENTRY OPTIONS JOINT DOF TO [BASE]: that bundled robot with these servos; its wheels have the ids 7 to 9
metal() {
    local wheels=() base='base = false, '
    if [ "${9:-}" ]; then wheels=(--register 7:33=1 --register 8:33=1 --register 9:33=1) base=; fi
    : >"$work/path.s"
    "$bus" --baud "$2" "${wheels[@]}" "$3" >"$work/path.s" &
    eventually test -s "$work/path.s"
    cat >"$work/metal.lua" <<LUA
return { from = "$1", name = "metal", ${base}cameras = false,
  drivers = { $4 = { driver = "servos", port = "$(cat "$work/path.s")", baud = $2, timeout = 10, latency = 0.02$5 }, eye = false } }
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
metal lekiwi 1000000 sts3215:1-9 arm '' shoulder_pan shoulder_pan -0.3 base
says 'it is there'
says 'SUCCESS'
says 'the base is there'
metal lekiwi 1000000 sts3215:1-6 arm '' shoulder_pan shoulder_pan -0.3 # its arm alone
says 'it is there'
