-- luacheck: no max line length
-- A gripper as a reading: of a simulated one, whose beams look into the world, and of a driver's. Widths and places are
-- those of scripts/robots/pioneer2_gripper.lua: 0.205 m between open paddles, beams 0.31 and 0.355 m before the axle.
local rt = require "robotalk"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local world = require "robotalk.world"

local OPEN <const> = 0.1025 -- m, of each paddle

local function with(balls, fn)
  local _ <close> = setmetatable({}, { __close = function() world.open {} end })
  assert(world.open { balls = balls })
  local robot <close> = rt.connect "pioneer2_gripper"
  fn(robot)
end

describe("a gripper", function()
  it("is closed, moving, open, stopped", function()
    with({}, function(robot)
      local gripper = robot:sense "gripper"
      expect.equal(gripper.type, "gripper")
      expect.equal(gripper.state, "closed")
      expect.equal(gripper.opening, 0.0)
      expect.equal(gripper.holding, false)
      local opens = rt.spawn(function() return robot:set_joint("gripper", OPEN) end)
      rt.sleep(0.5)
      gripper = robot:sense "gripper"
      expect.equal(gripper.state, "moving")
      expect.truthy(gripper.opening > 0.1 and gripper.opening < 0.9)
      expect.near(gripper.width, 0.205 * gripper.opening, 1e-6)
      robot:stop()
      opens:wait()
      rt.sleep(0.5)
      expect.equal(robot:sense("gripper").state, "stopped")
      expect.equal(robot:set_joint("gripper", OPEN), "SUCCESS")
      rt.sleep(0.1)
      gripper = robot:sense "gripper"
      expect.equal(gripper.state, "open")
      expect.near(gripper.width, 0.205, 1e-6)
    end)
  end)

  it("sees what stands between its paddles, and holds it when it is closed", function()
    with({ { radius = 0.02, position = { 0.36, 0 } } }, function(robot)
      robot:set_joint("gripper", OPEN)
      rt.sleep(0.1)
      local gripper = robot:sense "gripper"
      expect.equal(gripper.outer, true)
      expect.equal(gripper.inner, false)
      expect.equal(gripper.holding, false) -- it is open
      expect.equal(robot:sense("outer_beam").broken, true)
      expect.equal(table.concat({ tostring(robot:sense("beam").beams[1]), tostring(robot:sense("beam").beams[2]) }, " "),
        "true false")
      robot:set_joint("gripper", 0)
      rt.sleep(0.1)
      expect.equal(robot:sense("gripper").holding, true)
      robot:set_joint("lift", 0.08) -- above the ball
      rt.sleep(0.1)
      expect.equal(robot:sense("gripper").holding, false)
    end)
  end)

  it("is watched until it is there", function()
    with({}, function(robot)
      local watch <close> = robot:watch "gripper"
      local task = rt.spawn(function() return robot:set_joint("gripper", OPEN) end)
      local states = {}
      repeat
        local gripper = watch:next(1)
        if states[#states] ~= gripper.state then states[#states + 1] = gripper.state end
      until gripper.state == "open"
      expect.equal(table.concat(states, " "), "closed moving open")
      task:wait()
    end)
  end)

  it("may be a driver's own, which says a word for its state", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write [[local driver = {}
      function driver.open(self) rawset(_G, "GRIPPER_OF_TEST", self) return {} end
      function driver.start(_, _, done) done "na" end
      function driver.halted() end
      return driver]]
    file:close()
    local name = assert(rt.add_robot { name = "hand", links = { [0] = { name = "arm" }, { name = "finger" } },
      joints = { { name = "grip", driver = "hand", dofs = { { limit = { 0, 1 } } } } },
      sensors = { { name = "g", type = "gripper", link = "finger" } }, drivers = { hand = { script = path } } })
    local _ <close> = setmetatable({}, { __close = function()
      drivers.remove(name)
      os.remove(path)
    end })
    local robot <close> = rt.connect("local:" .. name)
    rt.sleep(0.01)
    local device = rawget(_G, "GRIPPER_OF_TEST")
    device:sensed("g", { state = "error", holding = true })
    local gripper = robot:sense "g"
    expect.equal(gripper.state, "error")
    expect.equal(gripper.holding, true)
    expect.equal(gripper.outer, nil) -- not known
    expect.equal(gripper.width, nil)
    expect.raises("sensed: state: want one of open, closed, moving, error, stopped, got ajar", device.sensed, device, "g",
      { state = "ajar" })
  end)

  it("hangs on a link that dofs move", function()
    local _, message = descriptor.read([[return { name = "x", base = {},
      sensors = { { name = "g", type = "gripper", link = 0 } }, links = { [0] = {} } }]], "x.lua")
    expect.truthy(message:find("2: sensors[1].link: expected a link that dofs move: a gripper tells", 1, true), message)
  end)
end)
