-- A gripper with weight holds a cube by friction alone. Places are those of scripts/worlds/table.lua, whose red cube is
-- 50 mm wide and lies at 0.55, 0.15; the fingers' q is half of what is between them.
local rt = require "robotalk"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local world = require "robotalk.world"
local extent = require "tests.lua.extent"

local DOWN = { math.pi, 0, 0 }

-- fn(a PUMA with weight whose hand is above the red cube, its description); panic: its policy
local function with(fn, panic)
  local robot
  local _ <close> = setmetatable({}, { __close = function()
    if robot then robot:close() end
    pcall(drivers.remove, "puma560_gripper")
    assert(world.open {})
  end })
  assert(world.open "table")
  local arm = descriptor.load "puma560_gripper"
  arm.drivers.arm.driver, arm.panic = "physics", panic
  robot = rt.connect("local:" .. assert(rt.add_robot(arm)))
  local parts, posture = {}, robot.model:ik("hand", { position = { 0.5, 0, 0.35 }, attitude = DOWN })
  for i, name in ipairs { "waist", "shoulder", "elbow", "wrist_roll", "wrist_bend", "flange" } do
    parts[name] = { q = posture[i] }
  end
  expect.equal(robot:move(parts), "SUCCESS")
  expect.equal(robot:set_frame("hand", { position = { 0.55, 0.15, 0.15 } }), "SUCCESS")
  fn(robot, arm)
end

local function go(robot, height)
  return (robot:set_frame("hand", { position = { 0.55, 0.15, height }, attitude = DOWN }))
end

local function force(robot)
  return select(2, next(robot:state({ forces = true }).forces.gripper))
end

-- It closes on the cube, where it gets no further and presses by 25 mm of its spring, 14.8 N, or by a force. Then
-- it lifts the cube.
local function grip(robot, by)
  expect.equal(go(robot, 0.025), "SUCCESS")
  expect.equal(robot:set_joint("gripper", 0), "MODIFIED")
  if by then robot:set_joint_force("gripper", by) end
  expect.equal(go(robot, 0.25), "SUCCESS")
  rt.sleep(0.2)
  expect.near(by or -14.8, force(robot), 0.05)
end

-- It holds with that force for two seconds; and when the cube is gone, it gets no further than 5 mm.
local function holds(robot, by)
  local from = robot:state().position[7]
  for _ = 1, 20 do
    rt.sleep(0.1)
    expect.near(by or -14.8, force(robot), 0.1)
  end
  expect.near(from, robot:state().position[7], 0.0001)
  assert(world.open {})
  rt.sleep(1)
  expect.truthy(robot:state().position[7] < from - 0.001)
  expect.near(from, robot:state().position[7], 0.0052)
  expect.near(0, force(robot), 0.01)
end

describe("a gripper with weight that is halted", function()
  for _, by in ipairs(extent({ false, -40, -140 }, { false, -140 })) do
    local how = by and ("with %g N"):format(by) or "by its spring"
    for _, policy in ipairs { "hold", "brake" } do
      it(("goes on holding %s in a panic: %s, and after its reset"):format(how, policy), function()
        with(function(robot)
          grip(robot, by)
          robot:panic()
          rt.sleep(1)
          expect.near(by or -14.8, force(robot), 0.1)
          robot:panic() -- once more
          robot:reset()
          holds(robot, by)
        end, policy)
      end)
    end

    it("goes on holding " .. how .. " after a stop", function()
      with(function(robot)
        grip(robot, by)
        expect.equal(robot:stop(), "SUCCESS")
        holds(robot, by)
      end)
    end)

    it("gets no further at the next stops when the cube is gone, " .. how, function()
      with(function(robot)
        grip(robot, by)
        robot:stop()
        local from = robot:state().position[7]
        assert(world.open {})
        for _ = 1, 4 do
          rt.sleep(0.5)
          robot:stop()
        end
        expect.near(from, robot:state().position[7], 0.0055)
      end)
    end)

    it("lets go " .. how .. " in a panic that is limp", function()
      with(function(robot)
        grip(robot, by)
        robot:panic()
        rt.sleep(0.1)
        expect.equal(force(robot), 0.0)
        robot:reset()
        expect.near(0, force(robot), 0.5)
      end, "limp")
    end)
  end

  it("holds while an override of 0 holds all, and presses on as it was told afterwards", function()
    with(function(robot)
      grip(robot, -40)
      robot:override(0)
      rt.sleep(1)
      expect.near(-40, force(robot), 0.1)
      robot:override(1)
      rt.sleep(1)
      expect.near(-40, force(robot), 0.1)
      assert(world.open {})
      rt.sleep(1)
      expect.truthy(robot:state().position[7] < 0.001)
    end)
  end)

  it("goes on holding when it is described anew, in a panic, too", function()
    for _, by in ipairs { false, -40 } do
      with(function(robot, arm)
        grip(robot, by)
        assert(robot:reload(arm))
        assert(robot:reload(arm))
        robot:panic()
        assert(robot:reload(arm))
        rt.sleep(0.5)
        robot:reset()
        holds(robot, by)
      end)
    end
  end)

  it("goes on holding when what it is described anew as is refused", function()
    local spare = os.tmpname()
    local path = spare .. ".obj"
    local file <close> = assert(io.open(path, "w"))
    assert(file:write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"))
    file:close()
    with(function(robot, arm)
      grip(robot, -40)
      local heap = descriptor.load "puma560_gripper" -- in one place: more touches than there is room for
      heap.drivers.arm.driver = arm.drivers.arm.driver
      for i = 1, 120 do
        table.insert(heap.links, { name = "x" .. i, mass = 1, inertia = { 0.1, 0.1, 0.1 },
          shapes = { { type = "mesh", file = path } } })
        table.insert(heap.joints, { name = "j" .. i, child = "x" .. i, parent = "world",
          inboard = { 50, 5 + 0.001 * i, -0.001 }, driver = "arm",
          dofs = { { axis = { 0, 0, 1 }, limit = { -1, 1 } } } })
      end
      expect.truthy(not robot:reload(heap))
      holds(robot, -40)
    end)
    os.remove(path)
    os.remove(spare)
  end)

  it("holds nothing any more where it was elsewhere meanwhile", function()
    with(function(robot, arm)
      grip(robot, -40)
      local simple = descriptor.load "puma560_gripper"
      assert(robot:reload(simple))
      expect.equal(robot:set_joint("gripper", 0.04), "SUCCESS")
      assert(robot:reload(arm))
      rt.sleep(0.5)
      expect.near(0, force(robot), 0.1)
      expect.near(0.04, robot:state().position[7], 0.0002)
    end)
  end)

  it("opens when it is told to", function()
    with(function(robot)
      grip(robot, -40)
      robot:stop()
      expect.equal(robot:set_joint("gripper", 0.04), "SUCCESS")
      expect.equal(robot:set_joint("gripper", 0), "SUCCESS") -- what it held has fallen
    end)
  end)
end)

describe("a gripper with weight", function()
  it("holds a cube for two minutes, sinks in by little, and does not tremble", function()
    with(function(robot)
      expect.equal(go(robot, 0.025), "SUCCESS")
      local word, _, result = robot:set_joint("gripper", 0)
      expect.equal(word, "MODIFIED")
      expect.equal(result.reason, "blocked")
      expect.equal(robot:set_joint_force("gripper", -60), "SUCCESS") -- 30 N from each side
      expect.equal(go(robot, 0.25), "SUCCESS")
      rt.sleep(extent(120, 20)) -- what creeps by 0.3 mm a second has fallen then
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
