-- Where things of a world are now, by their names.
local core = require "robotalk.core"
local records = require "robotalk.descriptor.records"
local rt = require "robotalk"

local ROOM = { balls = { { name = "ball", radius = 0.05, position = { 0.5, 0 }, mass = 0.1 } },
  boxes = { { name = "crate", size = { 0.2, 0.4, 0.6 }, position = { -2, 1 }, heading = 0.5 } } }

-- A Pioneer drives half a metre ahead in that room; where the ball is then.
local function pushed(physical)
  local _ <close> = setmetatable({}, { __close = function() assert(rt.world {}) end })
  assert(rt.world(ROOM))
  records.physical = physical
  local name = assert(rt.add_robot "pioneer2")
  records.physical = false
  local robot <close> = rt.connect("local:" .. name)
  local began = rt.thing "ball"
  expect.near(0.5, began.position[1], 1e-6)
  expect.near(0.05, began.position[3], 1e-3)
  robot:go_to { x = 0.5 }
  local crate = rt.thing "crate"
  expect.same({ -2, 1, 0.3 }, crate.position)
  expect.same({ 0, 0, 0.5 }, crate.attitude)
  local now = rt.thing "ball"
  robot:close()
  core.remove_robot(name)
  return now
end

describe("a thing of a world", function()
  it("is where it has been pushed to, where there is physics", function()
    local ball = pushed(true)
    expect.truthy(ball.position[1] > 0.65, ball.position[1]) -- the body's front is 0.19 m before its axle
    expect.near(0.05, ball.position[3], 5e-3)
  end)
  it("stays where it is in the simple simulator", function()
    expect.same({ 0.5, 0, 0.05 }, pushed(false).position)
  end)
  it("is told that it is none, and wants a name", function()
    local pose, message, code = rt.thing "ball"
    expect.equal(nil, pose)
    expect.equal("there is nothing called 'ball' in this world ENONE", message .. " " .. code)
    expect.raises("^tests/lua/thing_test.lua:%d+: thing: want the name of a thing of the world, got number",
      function() rt.thing(5) end)
  end)
end)

describe("rt.world", function()
  it("takes a name, a file or a table, and tells what is wrong with it", function()
    assert(rt.world "living_room")
    expect.truthy(rt.thing "ball")
    assert(rt.world {})
    expect.equal(nil, (rt.thing "ball"))
    local ok, message, code = rt.world "livng_room"
    expect.equal(nil, ok)
    expect.truthy(message:find("did you mean living_room", 1, true), message)
    expect.equal("ENONE", code)
    expect.raises("^tests/lua/thing_test.lua:%d+: world: boxes%[1%]", function() rt.world { boxes = { 5 } } end)
  end)
end)
