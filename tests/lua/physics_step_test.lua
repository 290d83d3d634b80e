-- Steps of one foot, of robots with weight.
local rt = require "robotalk"
local core = require "robotalk.core"
local weight = require "tests.lua.weight"

local FEET <const> = { aibo_ers7 = { "LFr_foot", "RFr_foot", "LBk_foot", "RBk_foot" },
  aibo_ers210 = { "LFr_foot", "RFr_foot", "LBk_foot", "RBk_foot" }, asimo = { "l_sole", "r_sole" } }

-- Where its feet are, along the axes of a root that was there; their heights from the floor on which it stood.
local function feet_of(robot, name, root)
  local state = robot:state { frames = true }
  local x, y, turn = weight.way(root or state, state)
  local c, s, feet = math.cos(turn), math.sin(turn), {}
  for i, frame in ipairs(FEET[name]) do
    local at = state.frames[frame].position
    feet[i] = { x + c * at[1] - s * at[2], y + s * at[1] + c * at[2], state.z + at[3] }
  end
  return feet, state
end

-- Makes that step: what is answered, where feet and root were and are, how far it leant, and how high the foot was.
local function step(robot, name, leg, x, y, theta, speed)
  local before, from = feet_of(robot, name)
  local word, why, highest = nil, nil, -1
  local lean = weight.lean_of(robot, function()
    local task = rt.spawn(function()
      word, why = robot:step { leg = leg, x = x, y = y, theta = theta, speed = speed }
    end)
    while not word do
      rt.sleep(0.02)
      highest = math.max(highest, feet_of(robot, name)[leg][3] - before[leg][3])
    end
    task:wait()
  end)
  rt.sleep(0.3)
  local after, to = feet_of(robot, name, from)
  return { word = word, why = why, before = before, after = after, lean = lean, from = from, to = to,
    highest = highest }
end

local function near_to(x, y, foot, within)
  expect.near(x, foot[1], within)
  expect.near(y, foot[2], within)
end

describe("a step of an AIBO with weight", function()
  for name, lift in pairs { aibo_ers7 = 0.01, aibo_ers210 = 0.005 } do
    it("is one of each foot, while the others bear it: " .. name, function()
      local robot <close> = weight.add(name)
      rt.sleep(1)
      for leg = 1, 4 do
        local foot = feet_of(robot, name)[leg]
        local x, y = foot[1] + 0.03, foot[2] * 1.1
        local s = step(robot, name, leg, x, y)
        expect.equal("SUCCESS", s.word)
        expect.truthy(s.lean < math.rad(3), s.lean)
        expect.truthy(s.highest > lift, s.highest)
        near_to(x, y, s.after[leg], 0.012)
        for other = 1, 4 do
          if other ~= leg then near_to(s.before[other][1], s.before[other][2], s.after[other], 0.012) end
        end
        local dx, dy, turn = weight.way(s.from, s.to)
        expect.near(0, dx, 0.012)
        expect.near(0, dy, 0.012)
        expect.near(0, turn, 0.06)
      end
      expect.equal("SUCCESS", (robot:go_to { x = robot:state().x + 0.1, y = robot:state().y }))
      core.remove_robot(name)
    end)
  end

  it("goes as far as the leg", function()
    local robot <close> = weight.add "aibo_ers7"
    rt.sleep(1)
    local s = step(robot, "aibo_ers7", 1, 5, 0.067)
    expect.equal("MODIFIED", s.word)
    expect.equal("a value was clipped to the limit of the body", s.why)
    expect.truthy(s.after[1][1] > s.before[1][1] + 0.03, s.after[1][1])
    expect.truthy(s.lean < math.rad(3), s.lean)
    core.remove_robot "aibo_ers7"
  end)

  it("is of the legs alone, and one at a time", function()
    local robot <close> = weight.add "aibo_ers7"
    rt.sleep(1)
    expect.equal("NA", (robot:step { leg = 5, x = 0.1 }))
    local foot = feet_of(robot, "aibo_ers7")[1]
    local first = rt.spawn(function() return (robot:step { leg = 1, x = foot[1] + 0.02, y = foot[2] }) end)
    rt.sleep(0.2)
    expect.equal("BUSY", (robot:step { leg = 2, x = 0.1, y = -0.067 }))
    expect.equal("BUSY", (robot:set_joint("LFr", { rotor = 0, elvtr = 0 })))
    expect.equal("SUCCESS", select(2, first:wait()))
    expect.equal("SUCCESS", (robot:set_joint("LFr", { rotor = -0.4, elvtr = 0.1 })))
    core.remove_robot "aibo_ers7"
  end)

  it("comes to its end before it walks", function()
    local robot <close> = weight.add "aibo_ers7"
    rt.sleep(1)
    for wait = 0.2, 1.4, 0.4 do
      local from, foot = robot:state(), feet_of(robot, "aibo_ers7")[3]
      rt.spawn(function() robot:step { leg = 3, x = foot[1] + 0.02, y = foot[2] } end)
      rt.sleep(wait)
      expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
      expect.truthy(weight.watch(robot, 4) < math.rad(10))
      local way = weight.way(from, robot:state())
      expect.truthy(way > 0.2 and way < 0.4, way)
      expect.equal("SUCCESS", (robot:stop()))
    end
    core.remove_robot "aibo_ers7"
  end)

  it("is held by a panic, on its other feet", function()
    local robot <close> = weight.add "aibo_ers7"
    rt.sleep(1)
    local foot, word = feet_of(robot, "aibo_ers7")[1], nil
    rt.spawn(function() word = robot:step { leg = 1, x = foot[1] + 0.02, y = foot[2] } end)
    rt.sleep(1.3)
    robot:panic()
    expect.truthy(weight.watch(robot, 2) < math.rad(10))
    expect.equal("PANIC", word)
    robot:reset()
    foot = feet_of(robot, "aibo_ers7")[1]
    expect.equal("SUCCESS", (robot:step { leg = 1, x = foot[1], y = foot[2] }))
    core.remove_robot "aibo_ers7"
  end)

  it("is none of a body that lies", function()
    local robot <close> = weight.add "aibo_ers7"
    rt.sleep(1)
    weight.drop_at { 0.05, 0.09 }
    rt.sleep(2)
    expect.equal("ERROR", (robot:step { leg = 1, x = 0.1, y = 0.067 }))
    core.remove_robot "aibo_ers7"
    weight.tidy_up()
  end)
end)

describe("a step of ASIMO with weight", function()
  it("ends with its weight between its feet", function()
    local robot <close> = weight.add "asimo"
    rt.sleep(1)
    -- ahead, aside, turned, and slowly
    for _, way in ipairs { { 1, 0.15, 0.0625 }, { 2, 0.1, -0.1, -0.2 }, { 1, 0, 0.15 },
      { 2, -0.1, -0.0625, 0, 0.1 } } do
      local s = step(robot, "asimo", table.unpack(way))
      local leg, x, y = table.unpack(way)
      expect.equal("SUCCESS", s.word)
      expect.truthy(s.lean < math.rad(2), s.lean)
      expect.near(0.04, s.highest, 0.008)
      near_to(x, y, s.after[leg], 0.015)
      near_to(s.before[3 - leg][1], s.before[3 - leg][2], s.after[3 - leg], 0.01)
      local dx = weight.way(s.from, s.to)
      expect.near((x + s.before[3 - leg][1]) / 2, dx, 0.02)
    end
    expect.truthy(robot:sense("upright").upright)
    expect.equal("SUCCESS", (robot:go_to { x = robot:state().x + 0.3, y = robot:state().y }))
    core.remove_robot "asimo"
  end)

  it("goes not over its other foot, and no further than a step of its walk", function()
    local robot <close> = weight.add "asimo"
    rt.sleep(1)
    local s = step(robot, "asimo", 1, 0, -0.2)
    expect.equal("MODIFIED", s.word)
    expect.truthy(s.after[1][2] > 0.045, s.after[1][2])
    s = step(robot, "asimo", 2, 3, -0.06)
    expect.equal("MODIFIED", s.word)
    expect.truthy(s.after[2][1] > 0.1 and s.after[2][1] < 0.22, s.after[2][1])
    expect.truthy(s.lean < math.rad(2), s.lean)
    core.remove_robot "asimo"
  end)
end)

describe("a step right after a panic and its reset", function()
  it("begins anew, and is made", function()
    local robot <close> = weight.add "aibo_ers7"
    rt.sleep(1)
    robot:set_speed { x = 0.1 }
    rt.sleep(1.03)
    robot:panic()
    robot:reset()
    local at = feet_of(robot, "aibo_ers7")[1]
    local s = step(robot, "aibo_ers7", 1, at[1] + 0.03, at[2])
    expect.truthy(s.highest > 0.01, s.highest)
    near_to(at[1] + 0.03, at[2], s.after[1], 0.025) -- the body has been on its way
    core.remove_robot "aibo_ers7"
  end)
end)

describe("a step of who has no feet", function()
  it("is NA", function()
    local robot <close> = weight.add "pioneer2"
    expect.equal("NA", (robot:step { leg = 1, x = 0.1 }))
    core.remove_robot "pioneer2"
  end)
end)
