-- Frames that carry speeds and forces: of joints and of control frames.
local drivers = require "robotalk.drivers"
local rt = require "robotalk"

local ARM = { name = "arm", joints = {
  { name = "waist", servo = { "setpoint", "speed", "force" }, dofs = { { speed = 2 } } },
  { name = "wrist", servo = { "setpoint", "speed", "force" }, dofs = { { name = "bend" }, { name = "turn" } } } } }

local function with_arm(fn)
  return function()
    local name = rt.add_robot(ARM)
    local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
    local robot <close> = rt.connect(name)
    fn(robot)
  end
end

describe("a frame", function()
  it("turns joints at speeds, alone and beside set-points", with_arm(function(robot)
    expect.equal("SUCCESS",
      (robot:move { waist = { velocity = 0.2 }, wrist = { bend = 0.1, velocity = { turn = -0.3 } } }))
    local before = robot:state()
    rt.sleep(1)
    local after = robot:state()
    expect.near(0.2, after.joints.waist.waist - before.joints.waist.waist, 0.01)
    expect.near(-0.3, after.joints.wrist.turn - before.joints.wrist.turn, 0.01)
    expect.near(0.1, after.joints.wrist.bend, 1e-6)
    expect.equal("set_joint_speed", select(3, robot:move { waist = { velocity = { [0] = 0 } } }).op)
    rt.sleep(1)
    expect.near(0, robot:state().speed[1], 1e-6)
  end))

  it("plays a sequence of speeds", with_arm(function(robot)
    local tape <close> = assert(robot:session { mode = "playback", duration = 2 })
    for i = 0, 19 do tape:frame(i * 0.1, { waist = { velocity = 0.5 }, wrist = { velocity = { bend = -0.25 } } }) end
    tape:frame(2, { waist = { velocity = 0 }, wrist = { velocity = { bend = 0 } } })
    local report = assert(tape:finish())
    expect.equal(21, report.played)
    rt.sleep(1)
    expect.near(1, robot:state().joints.waist.waist, 0.1)
    expect.near(-0.5, robot:state().joints.wrist.bend, 0.05)
  end))

  it("presses with forces", with_arm(function(robot)
    local _, _, result = robot:move { waist = { force = 0 }, wrist = { velocity = { turn = 0 } } }
    expect.equal("SUCCESS", result.signal)
    expect.equal("move", result.op)
    expect.equal("set_joint_force", select(3, robot:move { waist = { force = 0 } }).op)
  end))

  it("moves hands at speeds", function()
    local robot <close> = rt.connect "puma560"
    robot:set_joint("elbow", -0.5)
    local before = robot:state { frames = true }.frames.hand.position
    expect.equal("SUCCESS", (robot:move { hand = { linear = { 0, 0, 0.05 } }, base = { stop = true } }))
    rt.sleep(1)
    local after = robot:state { frames = true }.frames.hand.position
    expect.near(0.05, after[3] - before[3], 0.02)
    robot:stop()
  end)

  it("raises for a dof with a force and a velocity or a set-point, and for a hand with a pose and a velocity",
    with_arm(function(robot)
      expect.raises("parts_test.lua:%d+: frame: waist: a dof has a force and something else",
        function() robot:move { waist = { velocity = 0.1, force = 1 } } end)
      expect.raises("a dof has a force and something else",
        function() robot:move { waist = { waist = 0.1, force = 1 } } end)
      for _, what in ipairs { "force", "velocity" } do
        expect.raises("wrist has no dof 'bnd'; did you mean 'bend'",
          function() robot:move { wrist = { [what] = { bnd = 1 } } } end)
      end
      expect.raises("wrist.velocity: 'bend' is there twice",
        function() robot:move { wrist = { velocity = { bend = 1, [0] = 1 } } } end)
      expect.raises("want at least one of bend, turn",
        function() robot:move { wrist = { speed = 1, velocity = { bend = 1 } } } end)
      local puma <close> = rt.connect "puma560"
      expect.raises("set_frame_speed has no field 'position'",
        function() puma:move { hand = { position = { 1, 0, 0 }, linear = { 0, 0, 1 } } } end)
    end))
end)
