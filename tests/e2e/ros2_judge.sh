#!/bin/bash
# Robots as nodes of ROS 2, read and driven by another vendor's DDS, eProsima's, which rmw_fastrtps uses: tests/ros/judge.cc, with readers that
# fastddsgen makes of tests/ros/judge.idl.
. "${BASH_SOURCE%/*}/lib.sh"
command -v fastddsgen >/dev/null && [ -e /usr/include/fastrtps/Domain.h ] || skip "no fastddsgen or libfastrtps-dev: no other vendor was asked"
domain=$(($$ % 200 + 20)) long=${ROBOTALK_PATIENCE:-300}
fastddsgen -replace -d "$work" tests/ros/judge.idl >"$work/generator" 2>&1
cd "$work"
g++ -std=c++17 -O0 -w -I. -o judge.program judge.cxx judgePubSubTypes.cxx "$here/tests/ros/judge.cc" -lfastrtps -lfastcdr -lpthread
cat >robot.lua <<LUA
return { from = "pioneer2_laser", name = "judged", deadman = $long,
  sensors = { { name = "imu", type = "imu", link = "base" }, { name = "battery", type = "battery", link = "base" } } }
LUA
"$ROBOTALK" serve robot.lua --listen "dds://$domain/site" 2>server &
eventually says "listening" server
./judge.program "$domain" judged "$long" >out 2>said
cat >expected <<'TEXT'
odom: judged/base in world, |q| = 1.000, stamp 1
node: /judged, with the writer of odom
joint_states: head.pan head.tilt, 2 positions, 2 velocities
robot_description: 1
tf: 1
tf_static: 1
scan: 1
range: type 0, 1
imu: g 9.8
battery_state: present 1, share 1
diagnostics: judged: robot, level 0, 5 values
image: jpeg, 1
cmd_vel: it drives, and stops by its deadman: 1
cmd_vel, with a stamp: 1
TEXT
diff expected out
says "no velocity has come for the deadman time" server
