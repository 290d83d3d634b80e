-- Set-points with velocities: a dof that follows a trajectory instead of stopping at each of its points.
local rt = require "robotalk"
local with_robot = require "tests.lua.with_robot"

local A, W, DT = 0.4, 2, 0.01

-- A sine of the head at 100 Hz, seen between its frames: the greatest distance from it, once the head has caught up.
local function dance(robot, velocity, duration)
  local tape <close> = robot:session { mode = "playback", duration = duration, spacing = DT }
  for i = 0, duration // DT do
    local t = i * DT
    tape:frame(t, { head = { pan = A * math.sin(W * t), velocity = velocity and { pan = A * W * math.cos(W * t) } },
      base = { speed = { x = 0 } } })
  end
  tape:frame(duration + DT, { head = { pan = A * math.sin(W * duration) } })
  local begun, off
  local watch = rt.spawn(function()
    while true do
      rt.sleep(DT / 3)
      local state = robot:state()
      begun = begun or state.joints.head.pan ~= 0 and state.time
      if begun and state.time - begun > 1 and state.time - begun < duration - 0.1 then
        -- the stream began up to DT before the head was seen to move
        local here, least = state.joints.head.pan, math.huge
        for k = 0, 100 do
          least = math.min(least, math.abs(here - A * math.sin(W * (state.time - begun + k * DT / 100))))
        end
        off = math.max(off or 0, least)
      end
    end
  end)
  local report = tape:finish()
  watch:cancel()
  return off, report
end

describe("set-points with velocities", function()
  it("are followed without a stop at each", with_robot(function(robot)
    -- 2 A w^2 dt^2 / 2 as the tangents are off the sine, see tests/unit/sim_test.c, and micrometres of the wire
    local off, report = dance(robot, true, 4)
    expect.truthy(off < A * W ^ 2 * DT ^ 2 + 1e-5)
    expect.equal(0, #report.concerned)
    -- without them the head must be able to brake for each: v^2 / 2 a behind, less what it goes in a period
    robot:set_joint("head", { pan = 0 })
    expect.truthy(dance(robot, false, 4) > 10 * off)
    expect.near(A * math.sin(W * 4), robot:state().joints.head.pan, 1e-6)
  end))

  it("move on, until the session is silent or says something else", with_robot(function(robot)
    local signal, why = robot:set_joint("head", { pan = 0.2, velocity = { pan = 0.3 } })
    expect.equal("SUCCESS", signal, why)
    local before = robot:state().joints.head.pan
    rt.sleep(0.5)
    expect.near(before + 0.15, robot:state().joints.head.pan, 1e-5)
    expect.equal("SUCCESS", (robot:set_joint("head", { pan = 0 })))
    rt.sleep(0.5)
    expect.near(0, robot:state().joints.head.pan, 1e-6)
    robot:set_joint("head", { pan = 0, velocity = { pan = 0.3 } })
    robot:stop("head")
    before = robot:state().joints.head.pan
    rt.sleep(0.5)
    expect.equal(before, robot:state().joints.head.pan)
  end))

  it("brake before the end of the joint", with_robot(function(robot)
    local joint = robot:describe().joints.head
    local limits = robot:describe().limits.dof[joint.first + joint.index.pan + 1]
    robot:set_joint("head", { pan = 0, velocity = { pan = 1 } })
    rt.sleep(limits.high + 3)
    expect.near(limits.high, robot:state().joints.head.pan, 1e-6)
  end))

  it("are clipped to the speed of the dof, which is told", with_robot(function(robot)
    local signal, _, result = robot:begin("set_joint", "head", { pan = -0.5, velocity = { pan = 50 } })
      :wait(1)
    expect.equal("MODIFIED", signal)
    expect.equal("pan.velocity", result.beyond[1].what)
    expect.equal(50, result.beyond[1].asked)
  end))

  it("are checked", with_robot(function(robot)
    expect.raises("'tilt' has no set.point", robot.set_joint, robot, "head", { pan = 0, velocity = { tilt = 1 } })
    expect.raises("'wag' has no set.point", robot.set_joint, robot, "head", { pan = 0, velocity = { wag = 1 } })
    expect.raises("want a table of dofs", robot.set_joint, robot, "head", { pan = 0, velocity = 1 })
    expect.raises("finite number", robot.set_joint, robot, "head", { pan = 0, velocity = { pan = 0 / 0 } })
    expect.raises("no dof 'velocity'", robot.set_joint_speed, robot, "head", { pan = 0, velocity = { pan = 1 } })
  end))

  it("are braked when the task that gave them is cancelled", with_robot(function(robot)
    local task = rt.spawn(function()
      robot:set_joint("head", { pan = 0, velocity = { pan = 0.2 } })
      rt.sleep(100)
    end)
    rt.sleep(0.5)
    task:cancel()
    rt.sleep(0.5)
    local before = robot:state().joints.head.pan
    expect.truthy(before > 0.05)
    rt.sleep(0.5)
    expect.equal(before, robot:state().joints.head.pan)
  end))
end)
