-- luacheck: no max line length
-- What a descriptor says of a body beside its geometry: panic policies, followers, forces, homes.
local rt = require "robotalk"
local core = require "robotalk.core"
local near = require "tests.lua.near"

-- A robot of one joint q at 1 rad/s2, and a grip that follows it; extra: further fields.
local function with(extra, fn)
  local d = { name = "thing", base = { speed = { x = 1 }, acceleration = { x = 0.5 } },
    links = { [0] = { name = "base" }, { name = "arm", mass = 2, com = { 0.5, 0, 0 }, inertia = { 0.1, 0.1, 0.25 } }, { name = "grip" } },
    joints = {
      { name = "arm", servo = { "setpoint", "speed", "force" }, dofs = { { name = "q", limit = { -3, 3 }, speed = 2, acceleration = 1, force = 4 } } },
      { name = "grip", parent = 1, dofs = { { name = "left", limit = { -9, 9 }, mimic = { joint = "arm", ratio = -0.5, shift = 0.1 } },
        { name = "right", home = 0.25 } } },
    } }
  for key, value in pairs(extra) do d[key] = value end
  assert(rt.add_robot(d))
  do
    local robot <close> = rt.connect("local:thing")
    fn(robot)
  end
  core.remove_robot("thing")
end

-- One second after a panic at 1 rad/s and 1 m/s: how far the arm and the base have come since.
local function after_panic(panic)
  local arm, base
  with({ panic = panic }, function(robot)
    robot:set_joint_speed("arm", { q = 1 })
    robot:set_speed { x = 1 }
    rt.sleep(2)
    local before = robot:state()
    near(before.speed[1], 1)
    robot:panic()
    rt.sleep(10)
    local state = robot:state()
    expect.truthy(state.panic and not state.moving)
    arm, base = state.joints.arm.q - before.joints.arm.q, state.x - before.x
  end)
  return arm, base
end

describe("panic", function()
  it("holds: everything stands at once", function()
    local arm, base = after_panic "hold"
    near(arm, 0)
    near(base, 0)
  end)
  it("brakes within the acceleration limits", function()
    local arm, base = after_panic "brake"
    near(arm, 1 ^ 2 / (2 * 1), 1e-6) -- v^2 / 2a
    near(base, 1 ^ 2 / (2 * 0.5), 1e-6)
  end)
  it("goes limp: joints run out at a fifth of their acceleration, until their limit", function()
    local arm, base = after_panic "limp"
    -- it was at 1.5 and 2.5 rad would be its way; its limit is at 3
    near(arm, 1.5, 1e-6)
    near(base, 1, 1e-6)
  end)
  it("retreats to a posture", function()
    with({ panic = { arm = { q = -1 } } }, function(robot)
      robot:set_joint("arm", { q = 0.8 })
      robot:panic()
      expect.equal(robot:set_joint("arm", { q = 0 }), "PANIC")
      rt.sleep(10)
      near(robot:state().joints.arm.q, -1)
      robot:reset()
      rt.sleep(0.1)
      expect.equal(robot:set_joint("arm", { q = 0 }), "SUCCESS")
    end)
  end)
end)

describe("a dof that follows another", function()
  it("is where it should be, and takes no commands", function()
    with({}, function(robot)
      near(robot:state().joints.grip.left, 0.1)
      robot:set_joint("arm", { q = 1 })
      near(robot:state().joints.grip.left, -0.4)
      local word, why = robot:set_joint("grip", { left = 1 })
      expect.equal(word, "NA")
      expect.equal(why, "the joint does not take this type of servo command")
      expect.equal(robot:set_joint("grip", { right = 1 }), "SUCCESS")
      expect.equal(robot:home(), "SUCCESS")
      near(robot:state().joints.grip.right, 0.25)
    end)
  end)
end)

describe("a force", function()
  it("accelerates what hangs on the dof", function()
    with({}, function(robot)
      -- the arm about its joint: 0.25 + 2 * 0.5^2 = 0.75 kg m2
      expect.equal(robot:set_joint_force("arm", { q = 0.75 }), "SUCCESS")
      rt.sleep(0.5)
      near(robot:state().speed[1], 0.5, 1e-6)
      expect.equal(robot:set_joint_force("arm", { q = 0 }), "SUCCESS")
      rt.sleep(0.5)
      near(robot:state().speed[1], 0.5, 1e-6) -- no friction
      expect.equal(robot:set_joint_force("arm", { q = -40 }), "MODIFIED") -- 4 N m is all it has
      robot:stop()
    end)
  end)
end)
