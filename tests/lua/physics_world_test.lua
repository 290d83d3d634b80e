-- What stands in a world, for robots that have weight.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local weight = require "tests.lua.weight"
local world = require "robotalk.world"

-- fn(a Pioneer with physics, its description) in a world, which is empty afterwards. wheels: friction of its shapes.
local function with(what, fn, wheels)
  local robot
  local _ <close> = setmetatable({}, { __close = function()
    if robot then robot:close() end
    pcall(drivers.remove, "pioneer2")
    assert(world.open {})
  end })
  assert(world.open(what))
  local pioneer = descriptor.load "pioneer2"
  pioneer.base.driver, pioneer.drivers.camera.driver = "physics", "physics"
  for _, shape in ipairs(pioneer.links[0].shapes) do shape.friction = wheels end
  robot = rt.connect("local:" .. assert(rt.add_robot(pioneer)))
  fn(robot, pioneer)
end

local function drive(robot, speed, seconds)
  robot:set_speed { x = speed }
  rt.sleep(seconds)
  local state = robot:state()
  robot:stop()
  return state
end

describe("a world with physics", function()
  it("has ramps that robots climb, as high as their slope says", function()
    with({ ramps = { { position = { 0.6, 0 }, length = 2, height = 0.3 } } }, function(robot)
      local state = drive(robot, 0.3, 7)
      expect.truthy(state.x > 1.5, state.x)
      -- its wheels stand on the face, its root link is over the middle between them
      expect.near(state.pose[3], 0.15 * (state.x - 0.6), 0.005)
    end)
  end)

  it("has boxes that stand fast without a mass, and are pushed with one", function()
    local crate = { size = { 0.3, 0.6, 0.3 }, position = { 0.8, 0 }, mass = 0.5, friction = 0.3 }
    with({ boxes = { crate }, floor = { friction = 0.3 } }, function(robot)
      expect.truthy(drive(robot, 0.3, 4).x > 0.8)
    end)
    crate.mass = nil
    with({ boxes = { crate } }, function(robot)
      expect.truthy(drive(robot, 0.3, 4).x < 0.65)
    end)
  end)

  it("takes the lesser of two frictions: ice is slippery, and so are smooth wheels", function()
    local crate = { name = "crate", size = { 0.2, 0.2, 0.1 }, position = { 0.8, 0 }, raised = 0.1, mass = 1 }
    local ramp = { position = { 0, 0 }, length = 1, height = 0.1, friction = 1 } -- a slope of 0.1
    for friction, slides in pairs { [0.01] = true, [0.5] = false } do
      crate.friction = friction
      with({ boxes = { crate }, ramps = { ramp } }, function()
        rt.sleep(2)
        local x = assert(rt.thing "crate").position[1]
        expect.equal(x < 0.75, slides, x)
      end)
    end
    local function gained(floor, wheels)
      local way
      with({ floor = { friction = floor } }, function(robot) way = drive(robot, 0.5, 0.5).x end, wheels)
      return way
    end
    local usual, most = gained(), 0.01 * 9.81 * 0.5 ^ 2 / 2 -- all weight on wheels that slip
    expect.truthy(usual > 2 * most, usual)
    for _, case in ipairs { { 0.01 }, { nil, 0.01 }, { 0.01, 1 } } do
      local way = gained(case[1], case[2])
      expect.truthy(way > 0.1 * most and way < 1.05 * most, way)
    end
  end)

  -- three of 5 cm, which have no more than 1.5e-4 kg m2 of their own beside their motor's
  it("holds a base on omni wheels that pushes against a wall", function()
    local function wheel(heading)
      local x, y = 0.15 * math.cos(heading), 0.15 * math.sin(heading)
      return { type = "cylinder", size = { 0.05, 0.03 }, position = { x, y, 0.05 },
        attitude = { 0, math.pi / 2, heading }, roll = "omni" }
    end
    for _, heading in ipairs { 0, math.rad(40) } do
      assert(world.open { boxes = { { size = { 0.1, 4, 0.5 }, position = { 1, 0 } } } })
      do
        local robot <close> = weight.add { name = "omni", base = { holonomic = true, driver = "physics" },
          links = { [0] = { name = "hull", mass = 10, com = { 0, 0, 0.1 }, inertia = { 0.2, 0.2, 0.2 },
            attitude = { 0, 0, heading }, shapes = { wheel(0), wheel(2 * math.pi / 3), wheel(-2 * math.pi / 3),
              { type = "cylinder", size = { 0.2, 0.2 }, position = { 0, 0, 0.15 } } } } } }
        robot:set_speed { x = 0.5 * math.cos(heading), y = -0.5 * math.sin(heading) }
        expect.truthy(weight.watch(robot, 20) < math.rad(2))
        expect.near(0.75, robot:state().x, 0.02) -- the wall's side at 0.95, and its own 0.2 m
      end
      core.remove_robot "omni"
      weight.tidy_up()
    end
  end)

  it("is furnished anew while robots stand in it", function()
    with({}, function(robot)
      assert(world.open { boxes = { { size = { 0.2, 2, 0.5 }, position = { 1, 0 } } } })
      expect.truthy(drive(robot, 0.3, 5).x < 0.9)
    end)
  end)

  it("goes on at its pace when physics refuses what is said anew, with a step of its own", function()
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "w"))
    assert(file:write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"))
    file:close()
    with({}, function(robot)
      local heap = {} -- at one place: more touches than there is room for
      for i = 1, 150 do heap[i] = { file = path, position = { 50, 5 }, mass = 100 } end
      local good, why, code = world.open { meshes = heap, step = 0.0005 }
      expect.equal(good, nil)
      expect.equal(code, "EDEVICE")
      expect.truthy(why:find "^too much touches at once: there is room for %d+ contacts and %d+ forces$", why)
      robot:set_speed { x = 0.3 }
      rt.sleep(2)
      local from = robot:state().x
      rt.sleep(1)
      expect.near(robot:state().x - from, 0.3, 0.01)
    end)
    os.remove(path)
  end)

  it("has things as far away as they may be, which are not lost", function()
    with({ balls = { { radius = 0.1, position = { 1e6, 0 }, mass = 1 } } }, function(robot)
      expect.truthy(drive(robot, 0.3, 2).x > 0.4)
    end)
  end)

  it("is refused with the place of what physics does not take", function()
    local surround, path = core.surround, os.tmpname()
    local _ <close> = setmetatable({}, { __close = function()
      core.surround = surround
      os.remove(path)
      os.remove(path .. ".xml")
    end })
    local function refused(text, ending, message)
      local file <close> = assert(io.open(path .. ending, "w"))
      assert(file:write(text))
      file:close()
      core.surround = function() return nil, "the physics cannot be built: " .. message, "EDEVICE" end
      local good, why, code = world.open(path .. ending)
      expect.equal(good, nil)
      expect.equal(code, "EDEVICE")
      return (why:gsub(path:gsub("%p", "%%%0"), "FILE"))
    end
    local shed = "return {\n boxes = { { size = { 1, 1, 1 }, position = { 0, 0 } },\n"
      .. " { size = { 1, 1, 1 }, position = { 3, 0 }, name = 'crate' } } }"
    expect.equal(refused(shed, "", "thing #0: too thin"), "FILE:2: boxes[1]: too thin")
    expect.equal(refused(shed, "", "thing crate: too thin"), "FILE:3: boxes[2]: too thin")
    expect.equal(refused(shed, "", "it is full"), "FILE: the physics cannot be built: it is full")
    expect.equal(refused('<mujoco><worldbody>\n<geom size="1"/></worldbody></mujoco>', ".xml", "thing #0: too thin"),
      "FILE.xml:2:1: too thin")
    core.surround = function() return nil, "thing #0: too thin", "EDEVICE" end
    expect.equal(select(2, world.open { balls = { { radius = 1, position = { 0, 0 } } } }), "balls[1]: too thin")
  end)

  it("keeps its things where they are while its only robot is described anew", function()
    with({ boxes = { { size = { 0.2, 0.2, 0.2 }, position = { 0.6, 0 }, mass = 0.5 } } }, function(robot, pioneer)
      robot:go_to { x = 1 } -- it pushes the box before it
      robot:go_to { x = 0.55 }
      local x = robot:state().x
      assert(robot:reload(pioneer))
      rt.sleep(1)
      expect.near(robot:state().x, x, 0.01) -- where the box was at first
    end)
  end)

  it("has things where they begin for another robot that gets its weight, of the same name, too", function()
    with({ boxes = { { size = { 0.2, 0.2, 0.2 }, position = { 0.6, 0 }, mass = 0.5 } } }, function(robot, pioneer)
      robot:go_to { x = 1 } -- it pushes the box before it
      drivers.remove "pioneer2"
      local simple = descriptor.load "pioneer2"
      local other <close> = rt.connect("local:" .. assert(rt.add_robot(simple)))
      local range = other:sense("sonar3").range
      assert(other:reload(pioneer))
      rt.sleep(0.2)
      expect.near(range, other:sense("sonar3").range, 0.05)
    end)
  end)

  it("has robots at their height, whether they have weight or not", function()
    local function rover(driver)
      local wheels = {}
      for i, y in ipairs { 0.1, -0.1 } do
        wheels[i] = { type = "cylinder", size = { 0.06, 0.02 }, position = { 0, y, -0.02 }, roll = "wheel",
          attitude = { math.pi / 2, 0, 0 } }
      end
      return { name = "rover", base = { speed = { x = 0.5, theta = 2 }, driver = driver },
        links = { [0] = { name = "hull", mass = 3, inertia = { 0.02, 0.02, 0.03 }, position = { 0, 0, 0.08 },
          shapes = { { type = "box", size = { 0.3, 0.16, 0.06 } }, wheels[1], wheels[2],
            { type = "sphere", size = 0.02, position = { 0.1, 0, -0.06 }, roll = "caster" },
            { type = "sphere", size = 0.02, position = { -0.1, 0, -0.06 }, roll = "caster" } } } } }
    end
    local robot <close> = rt.connect("local:" .. assert(rt.add_robot(rover "sim")))
    local _ <close> = setmetatable({}, { __close = function() drivers.remove "rover" end })
    for _, driver in ipairs { "sim", "physics", "sim", "physics" } do
      assert(robot:reload(rover(driver)))
      expect.near(robot:state().pose[3], 0.08, 0.002)
      rt.sleep(0.5)
      expect.near(robot:state().pose[3], 0.08, 0.002)
    end
  end)

  for _, name in ipairs(world.names()) do
    it("may be one that comes along: " .. name, function()
      with(name, function(robot)
        local place = robot:state()
        rt.sleep(1)
        local state = robot:state()
        for i = 1, 3 do expect.near(state.pose[i], place.pose[i], 0.005) end
      end)
    end)
  end
end)
