#!/bin/bash
# A robot that speaks ROS 2 (tests/ros2/far_robot.lua, a process of its own) as a robot here: it drives and its arm moves; stop and panic
# reach it; it is killed, and comes again; its messages are wrong.
. "${BASH_SOURCE%/*}/lib.sh"
domain=$(($$ % 200 + 20)) patience=${ROBOTALK_PATIENCE:-300}
cd "$work"
far() {
    "$ROBOTALK" run "$here/tests/ros2/far_robot.lua" "dds://$domain" /robot1 "${1-}" >far 2>said &
    far=$!
    eventually says ready far
}
cat >robot.lua <<LUA
return {
  name = "r", deadman = $patience,
  links = { [0] = { name = "base" }, { name = "upper" }, { name = "lower" } },
  base = { driver = "body", speed = { x = 0.5, theta = 1 } },
  joints = { { name = "pan", driver = "arm", servo = "setpoint", dofs = { { limit = { -2, 2 }, speed = 2 } } },
    { name = "elbow", parent = "upper", driver = "arm", servo = "setpoint", dofs = { { limit = { -1, 1 }, speed = 2 } } } },
  sensors = { { name = "laser", type = "laser", link = "base", driver = "body", count = 9, fov = 3.14 },
    { name = "imu", type = "imu", link = "base", driver = "body" }, { name = "battery", type = "battery", link = "base", driver = "body" } },
  cameras = { { name = "eye", link = "base", driver = "body" } },
  drivers = { body = { script = "ros2", url = "dds://$domain", namespace = "/robot1", timeout = 30 },
    arm = { script = "ros2", url = "dds://$domain", namespace = "/robot1", timeout = 30, names = "pan=shoulder",
      follow = "arm_controller/follow_joint_trajectory" } },
}
LUA
"$ROBOTALK" check robot.lua >out
cat >drive.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1], { expiry = false, timeout = tonumber(arg[2]) })
local words = { ... }
local function show(word, why) print(word, why) io.flush() end
local jobs = {
  trip = function()
    for _ = 1, 1000 do -- it connects by itself, now or later
      if robot:set_speed {} == "SUCCESS" and robot:set_joint("elbow", { 0 }) == "SUCCESS" then break end
      rt.sleep(0.1)
    end
    show(robot:go_to { x = 0.2 })
    show(robot:go_to { x = 0.2, y = 0.1, theta = 2 })
    local s = robot:state()
    print(("at %.1f %.1f %.0f"):format(s.x, s.y, s.theta))
    show(robot:set_joint("pan", { 0.5 }))
    show(robot:set_joint("elbow", { 3 }))
    s = robot:state()
    print(("joints %.1f %.1f"):format(s.joints.pan.pan, s.joints.elbow.elbow))
    print("scan", table.concat(robot:sense "laser".ranges, " "))
    print("senses", robot:sense "imu".acceleration[3], robot:sense "battery".charge, robot:camera():frame().width)
    show(robot:set_speed { x = 9 })
  end,
  far = function() -- what was stopped may still brake
    local word, why
    repeat word, why = robot:go_to { x = 1000 } until word ~= "BUSY"
    show(word, why)
  end,
  drive = function() show(robot:set_speed { x = 0.2 }) rt.sleep(1e6) end,
  pan = function() show(robot:set_joint("pan", { robot:state().joints.pan.pan < 0 and 1 or -1 })) end,
  stop = function() show(robot:stop()) end,
  panic = function() show(robot:panic()) end,
  reset = function() show(robot:reset()) end,
}
for i = 3, #words do jobs[words[i]]() end
LUA
serve() {
    "$ROBOTALK" serve robot.lua --listen unix:s 2>server &
    server=$!
    eventually says "listening at unix" server
}
drive() { "$ROBOTALK" run drive.lua unix:s "$patience" "$@" >out 2>>said; }
counts() { [ "$(grep -c -- "$1" far)" -ge "$2" ]; }

far
serve
drive trip
[ "$(sed 's/\ttook.*//; s/, clipped.*//' out | cut -f 1)" = "SUCCESS
SUCCESS
at 0.2 0.1 2
SUCCESS
MODIFIED
joints 0.5 1.0
scan
senses
MODIFIED" ]
says "scan.8.0 8.0 8.0 8.0 1.5 8.0\|scan.8 8 8 8 1.5 8"
says "senses.9.81.0.75.8"
lacks bad far
eventually says halts far # its client has gone

# what there is in the domain, of nodes with both layouts; and the body
"$ROBOTALK" run "$here/tests/ros2/far_robot.lua" "dds://$domain" /robot2 humble >other 2>>said &
other=$!
eventually says ready other
listed() { "$ROBOTALK" ros2 list "dds://$domain" "$@" >out && says "$what"; }
what="^/robot1/odom *nav_msgs/msg/Odometry *1 *1 *reliable$" eventually listed
what="^/robot1/robot_description *std_msgs/msg/String *1 *0 *reliable, transient local$" eventually listed
what="^/robot1/arm_controller/follow_joint_trajectory *control_msgs/action/FollowJointTrajectory *1 *1$" eventually listed
what='"nodes":\[{"name":"/robot1/far","publishers":1,"subscribers":0},{"name":"/robot2/far"' eventually listed --json
refuses "ros2: want list" "$ROBOTALK" ros2
kill -KILL "$other"
for url in "ros2://$domain/robot1/robot_description" "dds://$domain/robot1/robot_description"; do "$ROBOTALK" convert "$url" body.lua; done
"$ROBOTALK" check body.lua >out
says "far: 3 links, 2 dofs"
fails 1 "$ROBOTALK" convert "ros2://$domain/robot1/odom" -
says "/robot1/odom: it has the type nav_msgs/msg/Odometry there, expected std_msgs/msg/String"

# a stop, and a panic of another client
# begin JOB…: its client drives on; the far robot does
begin() {
    local before=$(grep -c drives far || true)
    "$ROBOTALK" run drive.lua unix:s "$patience" "$@" >driving 2>>said &
    driving=$!
    eventually counts drives $((before + 1))
}
begin drive
before=$(grep -c halts far || true) cancels=$(grep -c "cancel all" far || true)
drive stop
eventually counts halts $((before + 1))
eventually counts "cancel all" $((cancels + 1))
kill -KILL "$driving"
begin reset far
before=$(grep -c halts far || true) cancels=$(grep -c "cancel all" far || true)
drive panic
eventually counts halts $((before + 1))
eventually counts "cancel all" $((cancels + 1))
eventually says PANIC driving

# it is killed: its robot is lost; it comes again
begin reset far
kill -KILL "$far"
ends_with 0 "$driving"
says "ERROR.the link" driving
eventually says "error: r: ros2: /robot1/odom: nobody writes it" server
far
eventually says "r: ros2: it is there again" server
drive trip
lacks ERROR
kill -KILL "$far"

# another type; no number
far "stamped nan"
eventually says "r: ros2: /robot1/odom: pose, twist: expected finite numbers" server
eventually says "r: ros2: /robot1/cmd_vel: it has the type geometry_msgs/msg/TwistStamped there, expected geometry_msgs/msg/Twist" server
"$ROBOTALK" run drive.lua unix:s "$patience" drive >out 2>>said &
eventually says "ERROR"
end_server
kill -KILL "$far"

# a controller by its topic, a base with stamps
sed -i 's|follow = .*|trajectory = "arm_controller/joint_trajectory" } },|; s|timeout = 30 },|timeout = 30, stamped = true },|' robot.lua
far stamped
serve
drive trip
lacks "ERROR"
says trajectory far
lacks "no stamp" far
drive pan stop
says SUCCESS
before=$(grep -c trajectory far)
end_server # it was stopped, so that it is not stopped again
sleep 0.5
[ "$(grep -c trajectory far)" = "$before" ]

# silence
sed -i 's/timeout = 30/timeout = 1/' robot.lua
serve
stopped() { drive stop && says SUCCESS; }
eventually stopped
kill -STOP "$far"
eventually says "r: ros2: /robot1/odom: silent for 1 s" server
kill -CONT "$far"
eventually says "r: ros2: it is there again" server
end_server
