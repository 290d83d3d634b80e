-- A gripper with weight holds a cube by friction alone. Places are those of scripts/worlds/table.lua, whose red cube is
-- 50 mm wide and lies at 0.55, 0.15; the fingers' q is half of what is between them.
local rt = require "robotalk"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local world = require "robotalk.world"

local DOWN = { math.pi, 0, 0 }

-- fn(a PUMA with weight whose hand is above the red cube)
local function with(fn)
  local robot
  local _ <close> = setmetatable({}, { __close = function()
    if robot then robot:close() end
    pcall(drivers.remove, "puma560_gripper")
    assert(world.open {})
  end })
  assert(world.open "table")
  local arm = descriptor.load "puma560_gripper"
  arm.drivers.arm.driver = "physics"
  robot = rt.connect("local:" .. assert(rt.add_robot(arm)))
  local parts, posture = {}, robot.model:ik("hand", { position = { 0.5, 0, 0.35 }, attitude = DOWN })
  for i, name in ipairs { "waist", "shoulder", "elbow", "wrist_roll", "wrist_bend", "flange" } do
    parts[name] = { q = posture[i] }
  end
  expect.equal(robot:move(parts), "SUCCESS")
  expect.equal(robot:set_frame("hand", { position = { 0.55, 0.15, 0.15 } }), "SUCCESS")
  fn(robot)
end

local function go(robot, height)
  return (robot:set_frame("hand", { position = { 0.55, 0.15, height }, attitude = DOWN }))
end

describe("a gripper with weight", function()
  it("holds a cube for two minutes, sinks in by little, and does not tremble", function()
    with(function(robot)
      expect.equal(go(robot, 0.025), "SUCCESS")
      local word, _, result = robot:set_joint("gripper", 0)
      expect.equal(word, "MODIFIED")
      expect.equal(result.reason, "blocked")
      expect.equal(robot:set_joint_force("gripper", -60), "SUCCESS") -- 30 N from each side
      expect.equal(go(robot, 0.25), "SUCCESS")
      rt.sleep(120) -- what creeps by 0.3 mm a second has fallen then
      local state, gripper = robot:state(), robot:sense "gripper"
      expect.near(0.025, state.position[7], 0.0003)
      expect.near(state.position[7], state.position[8], 0.0002) -- the other one, which follows
      for i = 1, 8 do expect.near(0, state.speed[i], 1e-6) end
      expect.equal(gripper.state, "stopped")
      expect.near(0.05, gripper.width, 0.0006)
      robot:set_joint("gripper", 0.04)
      expect.equal(robot:set_joint("gripper", 0), "SUCCESS") -- it has fallen: nothing is there now
    end)
  end)

  it("closes where there is nothing", function()
    with(function(robot)
      expect.equal(robot:set_joint("gripper", 0), "SUCCESS")
      rt.sleep(0.2)
      expect.equal(robot:sense("gripper").state, "closed")
    end)
  end)
end)
