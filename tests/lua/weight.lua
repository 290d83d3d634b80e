-- Robots with weight, as --physics has them, for tests: how far they lean, how far they come, and what makes them fall.
local rt = require "robotalk"
local records = require "robotalk.descriptor.records"
local world = require "robotalk.world"

local weight = {}

-- Adds a robot that comes along, or that of a descriptor; a connection to it, whose silence stops nothing.
function weight.add(what)
  records.physical = true
  local name, why = rt.add_robot(what)
  records.physical = false
  assert(name, why)
  return rt.connect("local:" .. name, { deadman = 1000 })
end

local function lean_more(robot, lean)
  local attitude = robot:state().attitude
  return math.max(lean, math.abs(attitude[1]), math.abs(attitude[2]))
end

-- Goes on for so many seconds; the greatest lean on the way, in rad.
function weight.watch(robot, seconds)
  local till, lean = rt.now() + seconds, 0
  while rt.now() < till - 1e-9 do
    rt.sleep(0.05)
    lean = lean_more(robot, lean)
  end
  return lean
end

-- Likewise, while it does that.
function weight.lean_of(robot, act)
  local lean, over = 0, false
  local task = rt.spawn(function()
    while not over do
      rt.sleep(0.05)
      lean = lean_more(robot, lean)
    end
  end)
  act()
  over = true
  task:wait()
  return lean
end

-- How far it came from there, ahead and to the left as it looked then, and how far it turned.
function weight.way(from, to)
  local c, s = math.cos(from.theta), math.sin(from.theta)
  local x, y = to.x - from.x, to.y - from.y
  return c * x + s * y, c * y - s * x, (to.theta - from.theta + math.pi) % (2 * math.pi) - math.pi
end

-- A list of what the robot says of its falls from here on: 1, it has fallen; 0, it is up again.
function weight.falls_of(robot)
  local heard = {}
  robot:on_notice(function(what, value) if what == "fallen" then heard[#heard + 1] = value end end)
  return heard
end

-- Drops 4 kg from 0.9 m, which knock an AIBO over; tidy_up takes them away again.
function weight.drop_at(place)
  assert(world.open { boxes = { { size = { 0.1, 0.1, 0.1 }, position = place, raised = 0.9, mass = 4 } } })
end

function weight.tidy_up() assert(world.open {}) end

return weight
