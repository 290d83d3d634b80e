-- ASIMO with weight: it stands, moves what it has, and walks by preview control of the zero moment point.
local rt = require "robotalk"
local core = require "robotalk.core"
local weight = require "tests.lua.weight"
local lean_of, way = weight.lean_of, weight.way

-- It stands.
local function asimo()
  local robot = weight.add "asimo"
  rt.sleep(1)
  return robot
end

local function sleep(seconds)
  return function() rt.sleep(seconds) end
end

-- Where its soles are, in the frame of its root.
local function soles(robot)
  local frames = robot:state({ frames = true }).frames
  return frames.l_sole, frames.r_sole
end

describe("ASIMO with weight", function()
  it("stands for ten seconds where it is", function()
    local robot <close> = asimo()
    local from = robot:state()
    expect.truthy(lean_of(robot, sleep(10)) < 0.01)
    local x, y, turn = way(from, robot:state())
    expect.truthy(math.abs(x) < 2e-3 and math.abs(y) < 2e-3 and math.abs(turn) < 2e-3, x)
    expect.near(from.z, robot:state().z, 2e-3)
    core.remove_robot "asimo"
  end)

  it("waves and does not fall", function()
    local robot <close> = asimo()
    local lean = lean_of(robot, function()
      expect.equal("SUCCESS", (robot:set_joint("r_shoulder", { pitch = -2.5, roll = -0.4 })))
      for _ = 1, 3 do
        expect.equal("SUCCESS", (robot:set_joint("r_shoulder", { roll = -1 })))
        expect.equal("SUCCESS", (robot:set_joint("r_shoulder", { roll = -0.2 })))
      end
    end)
    expect.truthy(lean < 0.02, lean)
    core.remove_robot "asimo"
  end)

  -- 53.6 kg less the feet, which are below the sensors; between legs that are held the weight is as it happens to be.
  it("feels its weight on its feet, and that it stands", function()
    local robot <close> = asimo()
    local sum = 0
    for _, foot in ipairs { "l_foot_force", "r_foot_force" } do sum = sum + robot:sense(foot).force[3] end
    expect.near((53.6 - 2 * 1.2) * 9.80665, sum, 1)
    expect.near(9.80665, robot:sense("imu").acceleration[3], 0.05)
    expect.truthy(robot:sense("upright").upright)
    core.remove_robot "asimo"
  end)

  -- Hips and ankles turn by 0.064 rad, hips are 0.47 m above the ankles: 3 cm.
  it("shifts its weight", function()
    local robot <close> = asimo()
    local from = robot:state()
    local joints = { l_hip = 0.064, r_hip = 0.064, l_ankle = -0.064, r_ankle = -0.064 }
    local tasks = {}
    for joint, roll in pairs(joints) do
      tasks[#tasks + 1] = rt.spawn(function()
        expect.equal("SUCCESS", (robot:set_joint(joint, { roll = roll })))
      end)
    end
    for _, task in ipairs(tasks) do task:wait() end
    rt.sleep(1)
    local _, y, turn = way(from, robot:state())
    expect.near(-0.03, y, 0.01)
    expect.near(0, turn, 0.01)
    -- of 6.25 cm to either foot it is 3 cm nearer to the right one: that bears about three quarters
    expect.truthy(robot:sense("r_foot_force").force[3] > 2 * robot:sense("l_foot_force").force[3])
    expect.near(0, robot:state().attitude[1], 0.02)
    core.remove_robot "asimo"
  end)

  it("walks a metre ahead, straight, and ends with its feet beside each other", function()
    local robot <close> = asimo()
    local from = robot:state()
    local lean = lean_of(robot, function()
      expect.equal("SUCCESS", (robot:set_speed { x = 0.3 }))
      rt.sleep(4)
      expect.equal("SUCCESS", (robot:stop()))
    end)
    expect.truthy(lean < 0.05, lean)
    local x, y, turn = way(from, robot:state())
    expect.near(0.3 * 4, x, 0.1)
    expect.near(0, y, 0.03)
    expect.near(0, turn, 0.05)
    local left, right = soles(robot)
    expect.near(left.position[1], right.position[1], 0.01)
    expect.near(0.125, left.position[2] - right.position[2], 0.01)
    from = robot:state()
    rt.sleep(2)
    x, y = way(from, robot:state())
    expect.truthy(math.abs(x) < 5e-3 and math.abs(y) < 5e-3, x)
    core.remove_robot "asimo"
  end)

  it("walks from knees that were bent, and rises as it does", function()
    local robot <close> = asimo()
    local tasks = {}
    for _, side in ipairs { "l", "r" } do
      for joint, pitch in pairs { _knee = 0.9, _hip = -0.46, _ankle = -0.44 } do
        tasks[#tasks + 1] = rt.spawn(function()
          expect.equal("SUCCESS", (robot:set_joint(side .. joint, { pitch = pitch })))
        end)
      end
    end
    for _, task in ipairs(tasks) do task:wait() end
    rt.sleep(1)
    local from = robot:state()
    expect.near(0.515, from.z, 0.003)
    robot:set_speed { x = 0.2 }
    local lean = lean_of(robot, sleep(4))
    expect.truthy(lean < 0.03, lean)
    local to = robot:state()
    expect.near(0.533, to.z, 0.003)
    expect.near(0.6, (way(from, to)), 0.15)
    core.remove_robot "asimo"
  end)

  -- The foot in the air lands, the other one is set beside it, both in 0.4 s, and the weight comes to rest.
  it("stops within a second and a half", function()
    local robot <close> = asimo()
    for phase = 0, 3 do
      robot:set_speed { x = 0.3 }
      rt.sleep(3 + phase * 0.2)
      local from, took = rt.now(), nil
      local lean = lean_of(robot, function()
        expect.equal("SUCCESS", (robot:stop()))
        took = rt.now() - from
        rt.sleep(1)
      end)
      expect.truthy(took > 0.7 and took < 1.6, took)
      expect.truthy(lean < 0.05, lean)
      local left, right = soles(robot)
      expect.near(left.position[1], right.position[1], 0.01)
    end
    core.remove_robot "asimo"
  end)

  it("walks back, sideways and turns as fast as it is told", function()
    local robot <close> = asimo()
    for _, v in ipairs { { x = -0.2 }, { y = 0.06 }, { y = -0.06 }, { theta = 0.3 }, { theta = -0.3 } } do
      robot:set_speed(v)
      rt.sleep(2)
      local from, lean = robot:state(), lean_of(robot, sleep(4))
      expect.truthy(lean < 0.05, lean)
      local x, y, turn = way(from, robot:state())
      expect.near(4 * (v.x or 0), x, 0.05)
      expect.near(4 * (v.y or 0), y, 0.05)
      expect.near(4 * (v.theta or 0), turn, 0.15)
      expect.equal("SUCCESS", (robot:stop()))
    end
    core.remove_robot "asimo"
  end)

  it("goes to a place, and looks where it should", function()
    local robot <close> = asimo()
    expect.equal("SUCCESS", (robot:go_to { x = 0.6, y = 0.3, theta = math.pi / 2 }))
    local s = robot:state()
    expect.near(0.6, s.x, 0.03)
    expect.near(0.3, s.y, 0.03)
    expect.near(math.pi / 2, s.theta, 0.05)
    core.remove_robot "asimo"
  end)

  it("waves while it walks", function()
    local robot <close> = asimo()
    local from = robot:state()
    robot:set_speed { x = 0.3 }
    local lean = lean_of(robot, function()
      for _ = 1, 2 do
        expect.equal("SUCCESS", (robot:set_joint("r_shoulder", { pitch = -2.5 })))
        expect.equal("SUCCESS", (robot:set_joint("r_shoulder", { pitch = 0.3 })))
      end
    end)
    expect.truthy(lean < 0.05, lean)
    local x, y = way(from, robot:state())
    expect.truthy(x > 0.7, x)
    expect.near(0, y, 0.05)
    core.remove_robot "asimo"
  end)

  -- Its steps are 0.2 m long, in 0.4 s; some of that is for what is to be made good.
  it("goes no faster than its legs", function()
    local robot <close> = asimo()
    expect.equal("MODIFIED", (robot:set_speed { x = 0.6 }))
    rt.sleep(3)
    local from, lean = robot:state(), lean_of(robot, sleep(4))
    expect.truthy(lean < 0.06, lean)
    expect.near(1.8, (way(from, robot:state())), 0.2)
    core.remove_robot "asimo"
  end)

  it("stops in the middle of a step when it panics, stays up and walks on", function()
    local robot <close> = asimo()
    for _, speed in ipairs { 0.1, 0.3 } do
      robot:set_speed { x = speed }
      rt.sleep(3.1)
      expect.truthy(robot:panic())
      local lean = lean_of(robot, sleep(2))
      expect.truthy(lean < 0.1, lean)
      expect.truthy(robot:reset())
      local from = robot:state()
      expect.equal("SUCCESS", (robot:set_speed { x = speed }))
      rt.sleep(3)
      expect.truthy((way(from, robot:state())) > speed, speed)
      expect.equal("SUCCESS", (robot:stop()))
    end
    core.remove_robot "asimo"
  end)

  it("falls when its ankles point its feet down, and says so", function()
    local robot <close> = asimo()
    local told
    robot:on_notice(function(what, on) told = told or what == "fallen" and on end)
    local other = rt.spawn(function() return robot:set_joint("l_ankle", { pitch = 0.3 }) end)
    robot:set_joint("r_ankle", { pitch = 0.3 })
    other:wait()
    rt.sleep(3)
    expect.equal(1, told)
    expect.equal(false, robot:sense("upright").upright)
    expect.equal("ERROR", (robot:go_to { x = 1 }))
    core.remove_robot "asimo"
  end)

  it("walks the same to the bit again", function()
    local function last()
      local robot <close> = asimo()
      robot:set_speed { x = 0.2, theta = 0.1 }
      rt.sleep(3)
      local s = robot:state()
      core.remove_robot "asimo"
      return s.pose
    end
    expect.same(last(), last())
  end)
end)
