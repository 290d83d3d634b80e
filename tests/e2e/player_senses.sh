#!/bin/bash
# A robot behind a Player server of ours with each kind of device that the driver knows: laser or ranger, sonar, bumper, battery,
# camera and gripper, whose readings and pictures here are those of the robot there, and whose gripper opens and closes.
. "${BASH_SOURCE%/*}/lib.sh"
cd "$work"
cat >seer.lua <<LUA
return { from = "pioneer2_gripper", name = "seer", deadman = ${ROBOTALK_PATIENCE:-300},
  sensors = {
    { name = "scan", type = "laser", link = "base", position = { 0, 0, 0.1 }, count = 5, fov = 2, range = { 0, 8 } },
    { name = "back", type = "infrared", link = "base", position = { 0, 0, 0.1 }, attitude = { 0, 0, math.pi }, range = { 0.05, 2 } },
    { name = "hull", type = "bumper", link = "base", count = 4 },
    { name = "power", type = "battery", link = "base" },
  } }
LUA
cat >room.lua <<'LUA'
return { boxes = { { size = { 0.2, 4, 1 }, position = { 3.1, 0 } }, { size = { 0.2, 4, 1 }, position = { -1.1, 0 } } },
  balls = { { radius = 0.03, position = { 0.35, 0 } } } }
LUA
"$ROBOTALK" serve ./seer.lua --world room.lua --listen "player://127.0.0.1:0?rate=50" 2>log &
server=$!
eventually says "at player://127.0.0.1:" log
port=$(grep -o 'player://127[0-9.:]*' log | head -n 1)
port=${port##*:}
behind() { # FILE OPTIONS: the same body, but its lift, behind that server
    cat >"$1.lua" <<LUA
return { from = "./seer.lua", name = "$1",
  base = { driver = "p2os" },
  joints = { { name = "head", driver = "p2os" }, { name = "gripper", driver = "p2os" }, { name = "right_paddle", driver = "p2os" } },
  sensors = { { name = "gripper", driver = "p2os" } },
  drivers = { p2os = { driver = "player", url = "player://127.0.0.1:$port", timeout = 60, $2 } } }
LUA
}
behind here 'bumper = "bumper:0"'
# a laser is ranger:2 there, behind the sonars and the infrared ones; the sonars as a ranger, too
behind there 'laser = "ranger:2", sonar = "ranger:0"'
cat >senses.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(("./%s.lua"):format(arg[1]))
local function eventually(what, fn)
  for _ = 1, 3000 do
    local value = fn()
    if value then return value end
    rt.sleep(0.02)
  end
  error(what .. ": never")
end
eventually("a connection", function() return robot:set_speed {} == "SUCCESS" end)
local scan = eventually("a scan", function() return robot:sense "scan" end)
print(("scan %d of %.2f m ahead"):format(#scan.ranges, scan.ranges[3]))
print("hull", #eventually("a bumper", function() return robot:sense "hull" end).switches, robot:sense("hull").pressed)
local power = eventually("the battery", function() return robot:sense "power" end)
print(("power %.1f of %.0f V"):format(power.charge, power.voltage))
local gripper = eventually("the gripper", function() return robot:sense "gripper" end)
print("gripper", gripper.state, gripper.width, gripper.outer, gripper.inner, gripper.holding)
print("open", robot:set_joint("gripper", 0.1025))
gripper = eventually("open", function()
  local g = robot:sense "gripper"
  return g.state == "open" and g
end)
print(("it is %s, %.3f m"):format(gripper.state, gripper.width), gripper.holding, robot:sense("outer_beam").broken)
print("half", robot:set_joint("gripper", 0.03)) -- Player knows but open and closed
print("closed", eventually("closed", function() return robot:sense("gripper").state == "closed" end))
local picture = eventually("a picture", function() return robot:camera():frame() end)
print("picture", picture.width, picture.height)
LUA
for robot in here there; do
    "$ROBOTALK" run senses.lua $robot >out 2>err || { cat out err; false; }
    says "^scan 5 of 3.00 m ahead"
    says "^hull.4.false"
    says "^power 1.0 of 13 V"
    says "^gripper.closed.0.0.true.false.true"
    says "^open.SUCCESS"
    says "^it is open, 0.205 m.false.true"
    says "^half.MODIFIED"
    says "^closed.true"
    says "^picture.320.240"
    lacks "the server has no" err
done
end_server
