-- What a state tells more to who asks: forces, and poses of control frames.
local rt = require "robotalk"
local core = require "robotalk.core"
local near = require "tests.lua.near"
local with = require("tests.lua.test_driver").with

-- Denavit-Hartenberg parameters of a PUMA 560 in the standard form: d, a, alpha; and home, in degrees.
local ARM = { { 0.67183, 0, 90, 0 }, { 0, 0.4318, 0, 45 }, { 0.15005, 0.0203, -90, -180 }, { 0.4318, 0, 90, 0 },
  { 0, 0, -90, 45 }, { 0, 0, 0, 0 } }

-- Where a point of the last link is: the product of the links' transforms, from the hand to the foot.
local function place_of(point, q)
  local x, y, z = point[1], point[2], point[3]
  for i = #ARM, 1, -1 do
    local d, a, alpha, turn = ARM[i][1], ARM[i][2], math.rad(ARM[i][3]), q[i]
    y, z = math.cos(alpha) * y - math.sin(alpha) * z, math.sin(alpha) * y + math.cos(alpha) * z
    x, z = x + a, z + d
    x, y = math.cos(turn) * x - math.sin(turn) * y, math.sin(turn) * x + math.cos(turn) * y
  end
  return { x, y, z }
end

local function home()
  local q = {}
  for i, row in ipairs(ARM) do q[i] = math.rad(row[4]) end
  return q
end

describe("a state", function()
  it("has the velocity as set_speed takes it", function()
    local robot <close> = rt.connect "pioneer2"
    robot:set_speed { x = 0.2, theta = 0.3 }
    rt.sleep(2)
    local velocity = robot:state().velocity
    expect.near(0.2, velocity.x, 1e-6)
    expect.near(0, velocity.y, 1e-6)
    expect.near(0.3, velocity.theta, 1e-6)
    expect.equal("SUCCESS", (robot:set_speed(velocity)))
  end)

  it("comes alone, with nothing behind it", function()
    local robot <close> = rt.connect("pioneer2")
    expect.equal(1, select("#", robot:state()))
    expect.equal(1, select("#", robot:holders()))
  end)

  it("has all fields that travel, and names on them", function()
    local robot <close> = rt.connect("pioneer2")
    local state = assert(robot:state())
    for name in pairs(core.robot_state(robot:describe().name)) do
      if name ~= "dofs" and name ~= "charge" then expect.truthy(state[name] ~= nil, name) end
    end
    expect.equal(state.panic, false)
    expect.equal(state.moving, false)
    expect.equal(math.type(state.epoch), "integer")
    expect.equal(state.joints.head.pan, 0)
    expect.equal(state.joints.head[0], 0) -- by number, too
    expect.equal(state.joints.head.nothing, nil)
    expect.equal(state.dofs, nil)
  end)

  it("has empty tables of what was asked for and the body lacks", function()
    local name = assert(rt.add_robot { name = "bare", base = {} })
    local robot <close> = rt.connect("local:" .. name)
    local state = assert(robot:state { forces = true, frames = true })
    expect.equal(next(state.forces), nil)
    expect.equal(next(state.joints), nil)
    expect.equal(next(state.frames), "root")
    expect.equal(next(state.frames, "root"), nil)
    core.remove_robot(name)
  end)

  it("tells no more than was asked for", function()
    local robot <close> = rt.connect("puma560")
    local state = assert(robot:state())
    for _, name in ipairs { "forces", "force", "known", "frames", "roll", "pitch", "yaw" } do
      expect.equal(state[name], nil, name)
    end
    expect.equal(assert(robot:state { forces = true }).frames, nil)
    expect.equal(assert(robot:state { frames = true, forces = false }).forces, nil)
    expect.raises("no option 'torques'", function() robot:state { torques = true } end)
    expect.raises("true or false", function() robot:state { forces = 1 } end)
  end)

  it("has the position goals in force", function()
    local robot <close> = rt.connect("so101_follower")
    local high = robot:describe().limits.dof[1].high
    local function goals() return assert(robot:state { goals = true }).goals end
    local function has(pan, tilt)
      local now = goals()
      expect.equal(now.shoulder_pan.shoulder_pan, pan and math.floor(pan * 1e6 + 0.5) / 1e6)
      expect.equal(now.elbow_flex.elbow_flex, tilt)
    end
    has(nil, nil)
    local motion = robot:begin("set_joint", "shoulder_pan", 9)
    rt.sleep(0.1)
    has(high, nil)
    motion:wait()
    has(high, nil)
    robot:set_joint_speed("shoulder_pan", -0.1)
    has(nil, nil)
    robot:home()
    has(0, 0)
    robot:stop { shoulder_pan = true }
    has(nil, 0)
    robot:panic()
    has(nil, nil)
    robot:reset()
  end)

  it("tells poses of control frames", function()
    local robot <close> = rt.connect("puma560")
    local state = assert(robot:state { frames = true })
    near(state.frames.hand.position, place_of({ 0, 0, 0.0563 }, home()), 2e-6, "at home")
    near(state.frames.hand.attitude[2], math.pi / 2, 2e-6, "it points ahead")
    local q = home()
    q[1], q[5] = 0.5, -0.25
    expect.equal(robot:set_joint("waist", { q = q[1] }), "SUCCESS")
    expect.equal(robot:set_joint("wrist_bend", { q = q[5] }), "SUCCESS")
    state = assert(robot:state { frames = true })
    local pose = robot.model:fk(state.position, "hand")
    near(state.frames.hand.position, place_of({ 0, 0, 0.0563 }, q), 1e-5, "turned")
    near(state.frames.hand.position, pose.position, 1e-5)
    near(state.frames.hand.attitude, pose.attitude, 1e-5)
  end)

  it("tells the force that was set, and none that nobody knows", function()
    local robot <close> = rt.connect("puma560")
    local forces = assert(robot:state { forces = true }).forces
    expect.equal(forces.waist.q, nil) -- at rest by set-points
    expect.equal(robot:set_joint_force("waist", { q = -1.5 }), "SUCCESS")
    expect.equal(robot:set_joint_force("flange", { q = 30 }), "MODIFIED") -- its greatest is 21.3 N*m
    forces = assert(robot:state { forces = true }).forces
    near(forces.waist.q, -1.5)
    near(forces.flange.q, 21.3)
    expect.equal(forces.elbow.q, nil)
    robot:stop()
    expect.equal(assert(robot:state { forces = true }).forces.waist.q, nil)
  end)

  it("tells them every period, too", function()
    local robot <close> = rt.connect("puma560")
    expect.equal(robot:set_joint_force("waist", { q = 2 }), "SUCCESS")
    local told, plain = {}, {}
    local watch <close> = robot:broadcast(0.01, function(state) told[#told + 1] = state end,
      { forces = true, frames = true })
    local other <close> = robot:broadcast(0.01, function(state) plain[#plain + 1] = state end)
    rt.sleep(0.1)
    local _, _ = watch, other
    expect.truthy(#told >= 5 and #plain >= 5)
    for _, state in ipairs(told) do
      near(state.forces.waist.q, 2)
      near(state.frames.hand.position, robot.model:fk(state.position, "hand").position, 1e-5)
    end
    expect.equal(plain[1].forces, nil)
    expect.equal(plain[1].frames, nil)
  end)

  it("tells forces that a driver in Lua reports", function()
    local device
    with({ open = function(self) device = self return {} end, start = function(_, _, done) done "success" end },
      function(robot)
        local function forces() return assert(robot:state { forces = true }).forces.head end
        expect.equal(next(forces()), nil)
        device:report { force = { 1.25, false } }
        expect.equal(forces().pan, 1.25)
        expect.equal(forces().tilt, nil)
        device:report { position = { 0.5 }, force = { -2, 0 } }
        expect.equal(forces().pan, -2)
        expect.equal(forces().tilt, 0)
        device:report { force = { false } }
        expect.equal(forces().pan, nil)
        expect.equal(forces().tilt, 0)
      end)
  end)
end)
