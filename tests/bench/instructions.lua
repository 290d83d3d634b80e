-- What tests/bench/instructions.sh counts: `direct N` gives N direct commands, `frame N` plays N frames of a base and
-- ten joints, 20 ms apart, `state N` reads that robot's state, `sleep N` sleeps, in `wake N` two tasks wake each other.
local rt = require "robotalk"

local what, n = arg[1], tonumber(arg[2])

local joints, links = {}, { [0] = { name = "base" } }
for i = 1, 10 do
  links[i] = { name = "link" .. i }
  joints[i] = { name = "joint" .. i, parent = i - 1, child = i, position = { 0, 0, 0.1 }, servo = { "setpoint" },
    dofs = { { name = "q", type = "revolute", axis = { 0, 1, 0 }, limit = { -2, 2 }, speed = 2, acceleration = 8 } } }
end
local name = assert(rt.add_robot { name = "ten", links = links, joints = joints,
  base = { driver = "sim", speed = { x = 1, theta = 2 }, acceleration = { x = 1, theta = 4 } } })

local robot <close> = rt.connect(name)
if what == "direct" then
  for i = 1, n do robot:set_speed { x = 0.1 + (i % 7) * 0.01 } end
elseif what == "state" then
  for _ = 1, n do robot:state() end
elseif what == "sleep" then
  for _ = 1, n do rt.sleep(1e-6) end -- so short that the robot does nothing meanwhile
elseif what == "wake" then
  local here, there = {}, {}
  rt.spawn(function() for _ = 1, n do rt.wait(there) rt.wake(here) end end)
  rt.sleep(0)
  for _ = 1, n do rt.wake(there) rt.wait(here) end
else
  local tape <close> = assert(robot:session { mode = "playback", delay = 0.1 })
  for i = 1, n do
    local a = 0.1 + (i % 7) * 0.01
    local parts = { base = { speed = { x = a, theta = a } } }
    for k = 1, 10 do parts["joint" .. k] = { q = a } end
    assert(tape:frame(i * 0.02, parts))
    rt.sleep(0.02)
  end
  assert(tape:finish().played == n)
end
