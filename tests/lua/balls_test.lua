-- What robots feel and see of balls and walls, in both simulators where they can.
local rt = require "robotalk"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local world = require "robotalk.world"

-- fn(a robot of that descriptor) in a world, which is empty afterwards.
local function with(what, d, fn)
  local robot
  local _ <close> = setmetatable({}, { __close = function()
    if robot then robot:close() end
    pcall(drivers.remove, d.name)
    assert(world.open {})
  end })
  assert(world.open(what))
  robot = rt.connect("local:" .. assert(rt.add_robot(d)))
  fn(robot)
end

local function pioneer(driver)
  local d = descriptor.load "pioneer2"
  d.base.driver = driver
  if driver == "physics" then d.drivers.camera.driver = driver end
  table.insert(d.sensors, { name = "eye", type = "infrared", link = "base", position = { 0.2, 0, 0.1 },
    range = { 0.02, 3 } })
  return d
end

local function switches(reading)
  local list = {}
  for i, on in ipairs(reading.switches) do list[i] = on and "x" or "-" end
  return table.concat(list)
end

for _, driver in ipairs { "sim", "physics" } do
  describe("a Pioneer by " .. driver, function()
    it("feels with its front bumper what it drives into, and with the rear one what it backs into", function()
      local wall = { size = { 0.2, 3, 0.5 }, position = { 1, 0 } }
      with({ boxes = { wall } }, pioneer(driver), function(robot)
        expect.equal(switches(robot:sense "front_bumper"), "-----")
        robot:set_speed { x = 0.3 }
        local watch <close> = robot:watch "front_bumper"
        local touch
        repeat touch = assert(watch:next(10)) until touch.pressed
        expect.equal(switches(touch):sub(3, 3), "x") -- the middle one of five, from right to left
        expect.equal(robot:sense("rear_bumper").pressed, false)
        robot:stop()
      end)
      wall.position = { -1, 0 }
      with({ boxes = { wall } }, pioneer(driver), function(robot)
        robot:set_speed { x = -0.3 }
        local watch <close> = robot:watch "rear_bumper"
        repeat local touch = assert(watch:next(10)) until touch.pressed
        expect.equal(robot:sense("front_bumper").pressed, false)
        robot:stop()
      end)
    end)

    it("sees a ball, and not one that is behind a box", function()
      local ball = { radius = 0.1, position = { 1.3, 0 }, mass = 0.1 }
      with({ balls = { ball } }, pioneer(driver), function(robot)
        rt.sleep(0.1)
        expect.near(robot:sense("eye").range, 1.0, 2e-3)
      end)
      with({ balls = { ball }, boxes = { { size = { 0.1, 0.5, 0.5 }, position = { 0.75, 0 } } } }, pioneer(driver),
        function(robot)
          rt.sleep(0.1)
          expect.near(robot:sense("eye").range, 0.5, 2e-3)
        end)
    end)
  end)
end

-- A leg that hangs from a frame: its foot swings through what lies before it.
local function kicker()
  return { name = "kicker",
    links = { [0] = { name = "frame", position = { 0, 0, 0.5 }, mass = 10, inertia = { 1, 1, 1 } },
      { name = "leg", mass = 0.5, com = { 0, 0, -0.2 }, inertia = { 0.01, 0.01, 0.01 },
        shapes = { { type = "box", size = { 0.04, 0.04, 0.4 }, position = { 0, 0, -0.23 } } } } },
    joints = { { name = "hip", parent = 0, child = 1, driver = "physics", servo = { "setpoint", "speed" },
      dofs = { { name = "swing", axis = { 0, -1, 0 }, limit = { -1.5, 1.5 }, speed = 6, acceleration = 60 } } } },
    sensors = { { name = "toe", type = "contact", link = "leg", rate = 500 },
      { name = "load", type = "torque", link = "leg" },
      { name = "eye", type = "sonar", link = "frame", position = { 0.05, 0, -0.4 }, range = { 0, 5 } } } }
end

describe("a foot", function()
  it("kicks a ball, and feels it", function()
    local ball = { radius = 0.1, position = { 0.3, 0 }, mass = 0.1 }
    with({ balls = { ball } }, kicker(), function(robot)
      rt.sleep(0.2)
      expect.equal(robot:sense("toe").pressed, false)
      expect.near(robot:sense("eye").range, 0.15, 5e-3)
      local felt = false
      local watch = robot:watch("toe", function(toe) felt = felt or toe.pressed end)
      robot:set_joint("hip", 1.2)
      rt.sleep(0.5)
      watch:cancel()
      expect.truthy(felt)
      expect.truthy(robot:sense("eye").range > 0.5, robot:sense("eye").range) -- it has rolled away
      expect.truthy(math.abs(robot:sense("load").torque) > 0.1)
    end)
  end)
end)
