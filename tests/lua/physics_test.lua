-- Robots with weight: the driver physics, as scripts meet it.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local records = require "robotalk.descriptor.records"
local world = require "robotalk.world"

-- An arm that is held out level, of 1 kg.
local function arm(driver, more)
  local options = more or {}
  options.driver = driver
  return { name = "arm",
    links = { [0] = { name = "foot" },
      [1] = { name = "arm", mass = 1, com = { 0.5, 0, 0 }, inertia = { 0.01, 0.01, 0.01 } } },
    joints = { { name = "shoulder", position = { 0, 0, 1 }, driver = "motor", servo = { "setpoint", "speed", "force" },
      dofs = { { name = "lift", axis = { 0, -1, 0 }, limit = { -2, 2 }, speed = 2, acceleration = 10 } } } },
    drivers = { motor = options } }
end

local function position(robot) return robot:state().joints.shoulder.lift end

describe("a robot with weight", function()
  it("sags by what its servo gives way", function()
    assert(rt.add_robot(arm("physics", { bandwidth = 2 })))
    local robot <close> = rt.connect "local:arm"
    rt.sleep(4)
    -- 0.5 m * 9.80665 N on (0.25 + 0.01) kg m2 * (2 pi * 2 Hz)^2
    expect.near(-0.1192, position(robot), 1e-3)
    core.remove_robot "arm"
  end)

  it("does not say that a limit has clipped where its hand has sagged to", function()
    local puma = descriptor.load "puma560"
    puma.drivers.arm.driver, puma.frames[1].servo = "physics", nil
    for _, joint in pairs(puma.joints) do joint.servo = { "setpoint" } end -- by speeds it would come back to its path
    local robot <close> = rt.connect("local:" .. assert(rt.add_robot(puma)))
    local at = robot.model:fk(robot:state().position, "hand").position
    local word, why, result = robot:set_frame("hand", { position = { at[1], at[2] + 0.1, at[3] } })
    expect.equal("MODIFIED", word)
    expect.equal("none", result.reason)
    expect.equal("it has come to rest beside its goal", why)
    expect.truthy(result.off.position > 1e-3, result.off.position)
    word, why = robot:set_frame("hand", { position = { 2, 0, 0.7 } }) -- out of reach
    expect.equal("MODIFIED", word)
    expect.equal("a value was clipped to the limit of the body", why)
    core.remove_robot "puma560"
  end)

  it("keeps its hand on the line when nothing is said of its servos, as in a URDF file", function()
    local puma = descriptor.load "puma560"
    puma.drivers.arm.driver, puma.frames[1].servo = "physics", nil
    for _, joint in pairs(puma.joints) do joint.servo = nil end
    local robot <close> = rt.connect("local:" .. assert(rt.add_robot(puma)))
    local at = robot.model:fk(robot:state().position, "hand").position
    expect.equal("SUCCESS", robot:set_frame("hand", { position = { at[1], at[2] + 0.1, at[3] } }))
    expect.near(at[2] + 0.1, robot.model:fk(robot:state().position, "hand").position[2], 1e-3)
    expect.equal("SUCCESS", robot:set_frame_speed("hand", { linear = { 0, -0.1, 0 } }))
    expect.equal("SUCCESS", robot:set_joint_speed("waist", 0.1))
    robot:stop()
    core.remove_robot "puma560"
  end)

  it("becomes one without, and back, while sessions stay", function()
    assert(rt.add_robot(arm "sim"))
    local robot <close> = rt.connect "local:arm"
    expect.equal("SUCCESS", (robot:set_joint("shoulder", 0.5)))
    expect.equal(0.5, position(robot))
    assert(robot:reload(arm("physics", { bandwidth = 3 })))
    rt.sleep(3)
    local sag = 0.5 - position(robot)
    expect.truthy(sag > 0.02 and sag < 0.06, sag)
    expect.equal("SUCCESS", (robot:set_joint("shoulder", 1, { })))
    assert(robot:reload(arm "sim"))
    expect.near(1, position(robot), 0.1)
    expect.equal("SUCCESS", (robot:set_joint("shoulder", -1)))
    expect.equal(-1.0, position(robot))
    core.remove_robot "arm"
  end)

  it("tells how much of real time is reached, which is all in virtual time", function()
    local d = arm "physics"
    d.sensors = { { name = "pace", type = "physics", link = 0, values = "share", rate = 1 } }
    assert(rt.add_robot(d))
    local robot <close> = rt.connect "local:arm"
    expect.equal(1.0, robot:sense "pace".share)
    core.remove_robot "arm"
  end)

  it("is refused when no link can weigh that, with the link's line", function()
    local function wrong(link)
      local d = arm "physics"
      for key, value in pairs(link) do d.links[1][key] = value end
      local report = descriptor.check(d)
      return report and report[1].path .. ": " .. report[1].message
    end
    local box = { { type = "box", size = { 0.1, 0.1, 0.1 } } }
    expect.equal(nil, wrong { shapes = box })
    expect.equal("links[1].mass: expected 1e-06 to 1e+03 kg for shapes of that size, got 2e+06",
      wrong { mass = 2e6, shapes = box })
    expect.equal("links[1].mass: expected 1e-06 to 1e+03 kg for shapes of that size, got 1e-07",
      wrong { mass = 1e-7, shapes = box })
    expect.equal("links[1].mass: expected 1e-06 to 1e+05 kg, got 2e+06", wrong { mass = 2e6 })
    expect.equal("links[1].inertia: expected at most 1e+04 kg m2 of 1 kg, got 1e+05",
      wrong { inertia = { 1e5, 1e5, 1e5 } })
    expect.equal(nil, wrong { mass = 0, shapes = box }) -- it is not known
  end)

  it("has a hull that is said to turn less than its wheels do", function()
    local wheel = { type = "cylinder", size = { 0.06, 0.02 }, attitude = { math.pi / 2, 0, 0 }, roll = "wheel",
      position = { 0, 0.2, 0 } }
    assert(rt.add_robot { name = "cart", base = { driver = "wheels" },
      links = { [0] = { name = "hull", position = { 0, 0, 0.06 }, mass = 3, inertia = { 1e-4, 1e-4, 1e-4 },
        shapes = { wheel } } },
      drivers = { wheels = { driver = "physics" } } })
    core.remove_robot "cart"
  end)

  it("says what its driver does not know", function()
    local report = descriptor.check(arm("physics", { bandwith = 3 }))
    expect.equal("drivers.motor.bandwith", report[1].path)
  end)
end)

describe("--physics", function()
  local function drivers(d)
    records.physical = true
    local report, made = descriptor.check(d)
    records.physical = false
    expect.equal(nil, report)
    local list = {}
    for i, device in ipairs(made.records.device) do list[i] = device.driver end
    return list
  end
  it("has the driver physics in place of sim", function()
    expect.same({ "physics" }, drivers(arm "sim"))
    expect.same({ "physics", "physics" }, drivers(assert(descriptor.open "pioneer2").descriptor))
  end)
  it("has it for bodies on legs", function()
    for _, name in ipairs { "aibo_ers7", "aibo_ers210", "asimo" } do
      expect.same({ "physics", "physics" }, drivers(assert(descriptor.open(name)).descriptor))
    end
  end)
  it("leaves robots alone that are elsewhere", function()
    for _, driver in ipairs(drivers(assert(descriptor.open "pioneer2_player").descriptor)) do
      expect.truthy(driver ~= "physics", driver)
    end
  end)
end)

describe("a Pioneer with weight", function()
  it("drives, looks and grips", function()
    records.physical = true
    assert(rt.add_robot "pioneer2_gripper")
    records.physical = false
    local name = core.robots()[1]
    local robot <close> = rt.connect("local:" .. name)
    expect.equal("SUCCESS", (robot:go_to { x = 0.5, y = 0.2, theta = 1 }))
    local s = robot:state()
    expect.near(0.5, s.x, 0.02)
    expect.near(0.2, s.y, 0.02)
    expect.near(1, s.theta, 0.03)
    expect.equal("SUCCESS", (robot:home()))
    core.remove_robot(name)
  end)
  it("has as much between its paddles as their width says", function()
    local _ <close> = setmetatable({}, { __close = function()
      core.remove_robot "pioneer2_gripper"
      assert(world.open {})
    end })
    assert(world.open { boxes = { { name = "block", size = { 0.05, 0.1, 0.1 }, position = { 0.55, 0 }, mass = 1 } } })
    records.physical = true
    assert(rt.add_robot "pioneer2_gripper")
    records.physical = false
    local robot <close> = rt.connect "local:pioneer2_gripper"
    expect.equal("SUCCESS", (robot:set_joint("gripper", 0.1025)))
    expect.equal("SUCCESS", (robot:go_to { x = 0.2 }))
    local word, why = robot:set_joint("gripper", 0)
    expect.equal("MODIFIED", word, why)
    rt.sleep(0.2)
    expect.near(0.1, robot:sense("gripper").width, 0.002) -- the block's
  end)
  it("turns on four wheels about what its weight makes it turn about, and arrives all the same", function()
    local shapes = { { type = "box", size = { 0.4, 0.3, 0.12 }, position = { 0, 0, 0.12 } } }
    for _, x in ipairs { 0.14, -0.14 } do
      for _, y in ipairs { 0.17, -0.17 } do
        shapes[#shapes + 1] = { type = "cylinder", size = { 0.05, 0.03 }, position = { x, y, 0.05 },
          attitude = { math.pi / 2, 0, 0 }, roll = "wheel" }
      end
    end
    local name = assert(rt.add_robot { name = "skid", base = { driver = "body", speed = { x = 0.5, theta = 1.5 },
      acceleration = { x = 1, theta = 3 } }, drivers = { body = { driver = "physics" } },
      links = { [0] = { name = "hull", mass = 5.5, com = { 0.028, 0, 0.1 }, inertia = { 0.05, 0.08, 0.11 },
        shapes = shapes } } })
    local robot <close> = rt.connect("local:" .. name)
    local took = 0 -- it tries again until it is near enough: one goal alone is a matter of luck
    local places = { { x = 0.8, y = 0.5, theta = 1 }, { x = 0, y = 0, theta = 0 }, { x = 1, y = -0.5, theta = 2 } }
    for _, place in ipairs(places) do
      local word, why, result = robot:go_to(place)
      expect.equal("SUCCESS", word, why)
      took = took + result.finished - result.executed
      local s = robot:state()
      expect.near(0, math.sqrt((s.x - place.x) ^ 2 + (s.y - place.y) ^ 2), 0.025)
    end
    expect.truthy(took < 60, took) -- the first alone: 39 s, and ERROR
    robot:close()
    core.remove_robot(name)
  end)
  it("flies, if it is one that does", function()
    records.physical = true
    assert(rt.add_robot "flyer")
    records.physical = false
    local robot <close> = rt.connect "local:flyer"
    rt.sleep(1)
    expect.near(1.5, robot:state().z, 1e-3)
    expect.equal("SUCCESS", (robot:set_joint("flight", { x = 1, z = 0.5 })))
    expect.near(2, robot:state().z, 0.02)
    core.remove_robot "flyer"
  end)
end)
