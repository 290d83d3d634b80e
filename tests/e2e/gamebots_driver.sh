#!/bin/bash
# Robots behind our own server of Gamebots, as the driver gamebots has them: a car, what flies, a laser and a gripper, in both dialects,
# and by TLS.
. "${BASH_SOURCE%/*}/lib.sh"
command -v openssl >/dev/null || skip "there is no openssl"
cd "$work"
for name in robot anna; do
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$name" \
        -keyout $name.key -out $name.pem 2>/dev/null
done
cat >seer.lua <<LUA
return { from = "pioneer2_gripper", name = "seer", deadman = ${ROBOTALK_PATIENCE:-300},
  sensors = { { name = "scan", type = "laser", link = "base", position = { 0, 0, 0.1 }, count = 7, fov = math.rad(180), range = { 0, 8 } } } }
LUA
cat >car.lua <<LUA
return { from = "pioneer2", name = "car", deadman = ${ROBOTALK_PATIENCE:-300}, links = { [0] = { position = { 0, -9, 0 } } } }
LUA
cat >room.lua <<'LUA'
return { boxes = { { size = { 0.2, 4, 1 }, position = { 3.1, 0 } } }, balls = { { radius = 0.03, position = { 0.35, 0 } } } }
LUA
cat >config.lua <<LUA
return {
  robots = { "./seer.lua", "./car.lua", "flyer" }, world = "./room.lua",
  listen = { "unix:$work/rt", "gamebots+unix:$work/gb", "gamebots+unix:$work/udk?udk",
    "gamebots+tls://127.0.0.1:0?cert=$work/robot.pem&key=$work/robot.key&clients=$work/anna.pem" },
  vehicles = { { class = "Hummer", robot = "car", wheel_radius = 0.1, wheel_base = 0.5, steering = "ackerman" } },
}
LUA
"$ROBOTALK" check config.lua
"$ROBOTALK" serve config.lua 2>log &
server=$!
eventually says "listening at gamebots+tls://127" log
tls=$(grep -o 'gamebots+tls://127[0-9.:]*' log | head -n 1)
cat >far.lua <<'LUA'
local rt = require "robotalk"
local what, url = arg[1], arg[2]
local function eventually(name, fn)
  for _ = 1, 3000 do
    local value = fn()
    if value then return value end
    rt.sleep(0.02)
  end
  error(name .. ": never")
end
local bodies = {
  car = { name = "car", base = { driver = "far", speed = { x = 1, theta = 2 } } },
  flyer = { name = "flyer", base = { driver = "far", holonomic = true, speed = { x = 1, y = 1, theta = 2 } },
    sensors = { { name = "here", type = "pose", link = "hull" } } },
  bird = { name = "bird", joints = { [0] = { name = "flight", parent = "world", child = "hull", driver = "far", servo = "speed",
    dofs = { { name = "x", type = "prismatic", axis = { 1, 0, 0 }, speed = 1 }, { name = "y", type = "prismatic", axis = { 0, 1, 0 }, speed = 1 },
      { name = "z", type = "prismatic", axis = { 0, 0, 1 }, speed = 1 }, { name = "yaw", axis = { 0, 0, 1 }, speed = 1 } } } } },
  seer = { name = "seer", base = { driver = "far", speed = { x = 1, theta = 2 } },
    joints = { { name = "gripper", driver = "far", dofs = { { type = "prismatic", axis = { 0, 1, 0 }, limit = { 0, 0.1025 } } } } },
    sensors = { { name = "gripper", type = "gripper", link = "finger", range = { 0, 0.205 } },
      { name = "outer_beam", type = "beam", link = "finger" }, { name = "inner_beam", type = "beam", link = "finger" },
      { name = "scan", type = "laser", link = "hull", count = 3, fov = math.rad(60), range = { 0, 8 } } } },
}
bodies.panic = bodies.car
local body = bodies[what]
body.deadman, body.links = 300, { [0] = { name = "hull" }, what == "seer" and { name = "finger" } or nil }
body.drivers = { far = { script = "gamebots", url = url, name = arg[3] } }
local name = assert(rt.add_robot(body))
local robot <close> = rt.connect("local:" .. name)
eventually("a connection", function()
  return (what == "bird" and robot:set_joint_speed("flight", { z = 0 }) or robot:set_speed {}) == "SUCCESS"
end)
if what == "car" then
  print("turn", robot:set_speed { theta = 0.5 })
  print("drive", robot:set_speed { x = 0.2, theta = 0.2 })
  eventually("a turn", function() return robot:state().theta > 0.1 and robot:state().x > 0.05 end)
elseif what == "flyer" then
  print("fly", robot:set_speed { x = 0.1, y = 0.1, theta = 0.2 })
  eventually("a way", function()
    local state = robot:state()
    return state.x > 0.05 and state.y > 0.05 and state.theta > 0.1
  end)
  print("here", eventually("INS", function() return robot:sense "here" end).position[3])
elseif what == "bird" then
  local from = robot:state().position[3]
  print("rise", robot:set_joint_speed("flight", { z = 0.2, yaw = 0.1 }))
  eventually("a way up", function() return robot:state().position[3] > from + 0.1 and robot:state().position[4] > 0.05 end)
elseif what == "panic" then
  -- a panic here stops the robot there, while the connection lives
  local there <close> = rt.connect(arg[4])
  print("drive", robot:set_speed { x = 0.3 })
  eventually("a way", function() return there:state().velocity.x > 0.2 end)
  print("panic", robot:panic())
  eventually("a stop", function() return not there:state().moving end)
  robot:reset()
  print("again", robot:set_speed { x = 0.1 })
  eventually("a way again", function() return there:state().moving end)
else
  local scan = eventually("a scan", function() return robot:sense "scan" end)
  print(("scan %.2f %.2f %.2f"):format(scan.ranges[1], scan.ranges[2], scan.ranges[3]))
  print("gripper", eventually("the gripper", function() return robot:sense "gripper" end).state)
  print("open", robot:set_joint("gripper", 0.1025))
  eventually("open", function() return robot:sense("gripper").opening > 0.999 end)
  eventually("the ball", function() return robot:sense("outer_beam").broken end) -- told by a line of its own
  print(("open %.3f"):format(robot:sense("gripper").width), robot:sense("outer_beam").broken, robot:sense("inner_beam").broken)
  print("close", robot:set_joint("gripper", 0))
  eventually("closed", function() return robot:sense("gripper").state == "closed" end)
end
print("stop", robot:stop())
LUA
drive() { "$ROBOTALK" run far.lua "$@" >out 2>err || { cat out err; false; }; }
for where in gb udk; do
    drive car gamebots+unix:$work/$where Hummer
    says "^turn.MODIFIED"
    says "^drive.SUCCESS"
    says "^stop.SUCCESS"
    drive flyer gamebots+unix:$work/$where AirRobot
    says "^fly.SUCCESS"
    says "^here.1.5"
    drive bird gamebots+unix:$work/$where AirRobot
    says "^rise.SUCCESS"
    says "^stop.SUCCESS"
    drive seer gamebots+unix:$work/$where seer
    # a wall at 3 m: at 30 degrees 3 / cos 30 = 3.46 m
    says "^scan 3.46 3.00 3.46"
    says "^gripper.closed"
    says "^open.SUCCESS"
    says "^open 0.205.true.false"
    says "^close.SUCCESS"
done
for url in gamebots+unix:$work/gb gamebots+unix:$work/udk; do
    drive panic $url Hummer unix:$work/rt#car
    says "^again.SUCCESS"
done
# by TLS the script stops it, not C
drive panic "$tls/Hummer?trust=robot.pem&cert=anna.pem&key=anna.key" Hummer unix:$work/rt#car
says "^again.SUCCESS"
drive car "$tls/Hummer?trust=robot.pem&cert=anna.pem&key=anna.key"
says "^drive.SUCCESS"
says "^stop.SUCCESS"
end_server
