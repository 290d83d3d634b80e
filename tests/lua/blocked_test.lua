-- What a base is answered that has something in its way, and who is told.
local rt = require "robotalk"
local seen = require "robotalk.watch.seen"

-- A robot of that name that has driven ahead until it stands at a crate; what it was told, as texts, and its place.
local function at_crate(name)
  assert(rt.world { boxes = { { name = "crate", size = { 0.2, 1, 0.5 }, position = { 1, 0 } } } })
  local robot = rt.connect(name)
  local heard = {}
  robot:on_notice(function(what, value, words)
    if what == "blocked" then heard[#heard + 1] = value == 1 and words or "free" end
  end)
  robot:set_speed { x = 0.3 }
  rt.sleep(20)
  expect.equal(false, robot:state().moving)
  return robot, heard, robot:state().x
end

local function says(want, word, why, result)
  expect.equal(want, ("%s %s %s"):format(word, why, result.obstacle))
end

local IN_THE_WAY <const> = "something is in the way: crate crate"

for _, name in ipairs { "pioneer2", "aibo_ers7" } do
  describe("a base at an obstacle, of " .. name, function()
    it("is told so at once by name, does what can be done, and goes away from it", function()
      local robot <close>, heard, x = at_crate(name)
      expect.same({ "crate" }, heard)
      local began = rt.now()
      says("ERROR " .. IN_THE_WAY, robot:set_speed { x = 0.3 })
      expect.near(0.01, rt.now() - began, 1e-6)
      says("MODIFIED " .. IN_THE_WAY, robot:set_speed { x = 3, theta = 0.4 })
      rt.sleep(1)
      expect.near(x, robot:state().x, 0.02)
      expect.truthy(robot:state().theta > 0.01)
      says("MODIFIED " .. IN_THE_WAY, robot:move { base = { speed = { x = 3, theta = -0.4 } } })
      rt.sleep(1)
      says("ERROR " .. IN_THE_WAY, robot:go_to { x = 3 })
      expect.same({ "crate", "free", "crate" }, heard)
      expect.equal("SUCCESS", (robot:set_speed { x = -0.1 }))
      rt.sleep(2)
      expect.truthy(robot:state().x < x - 0.05)
      expect.same({ "crate", "free", "crate", "free" }, heard)
      robot:set_speed {}
    end)
  end)
end

-- Depth of a circle in a box (`size`, along the axes) or a pillar.
local function depth(thing, x, y, radius)
  local dx, dy = math.abs(x - thing.position[1]), math.abs(y - thing.position[2])
  if thing.radius then return radius + thing.radius - (dx * dx + dy * dy) ^ 0.5 end
  local a, b = dx - thing.size[1] / 2, dy - thing.size[2] / 2
  local out = (math.max(a, 0) ^ 2 + math.max(b, 0) ^ 2) ^ 0.5
  return radius - (out > 0 and out or math.max(a, b))
end

local function between(low, high) return low + math.random() * (high - low) end

-- A base of that name whose box reaches that far, about a point so far ahead of its origin and aside.
local function boxy(name, long, wide, ahead, aside, holonomic)
  return { name = name, base = { driver = "sim", holonomic = holonomic,
    speed = { x = 1, y = holonomic and 1 or 0, theta = 2 },
      acceleration = { x = 2, y = holonomic and 2 or nil, theta = 4 } },
    links = { [0] = { name = "hull",
      shapes = { { type = "box", size = { long, wide, 0.3 }, position = { ahead, aside, 0.15 } } } } } }
end

describe("a base that is off the middle of its body", function()
  it("turns and goes back wherever it was stopped, and never gets through", function()
    local stopped = 0
    for i = 1, 60 do
      local long, wide, holonomic = between(0.2, 1.2), between(0.2, 0.5), i % 3 == 0
      local ahead, aside = between(-0.5, 0.5) * long, i % 2 == 0 and 0 or between(-0.5, 0.5) * wide
      local radius, off = (long * long + wide * wide) ^ 0.5 / 2, (ahead * ahead + aside * aside) ^ 0.5
      local most = math.min(2 * off, radius / 2) + 0.005 + 1e-5
      local thing = i % 2 == 0 and { size = { between(0.02, 0.5), between(0.02, 4), 1 } }
        or { radius = between(0.02, 0.5), height = 1 }
      thing.position = { between(2.6, 3), between(-1, 1) }
      assert(rt.world(thing.size and { boxes = { thing } } or { pillars = { thing } }))
      local name = assert(rt.add_robot(boxy("boxy", long, wide, ahead, aside, holonomic)))
      local robot = rt.connect(name)
      local case = ("case %d: %.3f x %.3f at %.3f, %.3f"):format(i, long, wide, ahead, aside)
      local function look()
        local is = robot:state()
        local c, s = math.cos(is.theta), math.sin(is.theta)
        expect.truthy(depth(thing, is.x + c * ahead - s * aside, is.y + s * ahead + c * aside, radius) <= most, case)
        return is
      end
      local word = robot:go_to { x = 2 * thing.position[1], y = 2 * thing.position[2] }
      local there = look()
      if word == "ERROR" then
        stopped = stopped + 1
        if off > radius / 4 then -- its body would swing into the thing: it drives back
          expect.equal("SUCCESS", (robot:set_speed { x = -0.3 }), case)
          rt.sleep(1)
          expect.truthy(((robot:state().x - there.x) ^ 2 + (robot:state().y - there.y) ^ 2) ^ 0.5 > 0.2, case)
        else
          expect.equal("SUCCESS", (robot:go_to { x = there.x, y = there.y, theta = between(-3, 3) }), case)
          look()
          expect.equal("SUCCESS", (robot:set_speed { theta = 1 }), case)
          rt.sleep(between(0, 3))
          look()
          expect.equal("SUCCESS", (robot:go_to { x = 0 }), case)
        end
        look()
      end
      for _ = 1, 30 do -- from the thing's side, to and fro
        robot:set_speed { x = between(-1, 1), y = holonomic and between(-1, 1) or nil,
          theta = math.random(2) == 1 and between(-2, 2) or 0 }
        rt.sleep(between(0, 0.4))
        look()
        if math.random(4) == 1 then
          robot:go_to { x = thing.position[1] + between(-1, 1), y = thing.position[2] + between(-1, 1) }
          look()
        end
      end
      robot:close()
      require "robotalk.drivers".remove(name)
    end
    expect.truthy(stopped > 30, stopped)
  end)

  it("goes along a wall that it touches, also when it is not quite parallel", function()
    assert(rt.world { walls = { { points = { { 2, -3 }, { 2, 3 } }, height = 1, thickness = 0.1 } } })
    local robot <close> = rt.connect "pioneer2"
    expect.equal("ERROR", (robot:go_to { x = 3, y = 0 }))
    local there = robot:state()
    for _, y in ipairs { 0.1, 1, -1 } do
      local heading = y > 0 and math.pi / 2 or -math.pi / 2
      expect.equal("SUCCESS", (robot:go_to { x = there.x + 0.002 * y, y = y, theta = heading }))
    end
    expect.equal("ERROR", (robot:go_to { x = 3, y = -1 }))
    expect.near(there.x, robot:state().x, 0.006)
  end)

  for _, place in ipairs { "living_room", "arena" } do
    it("turns and goes back in " .. place, function()
      assert(rt.world(place))
      local stopped, back = 0, 0
      for _, name in ipairs { "pioneer2", "pioneer2_laser", "aibo_ers7", boxy("long", 1.2, 0.4, 0, 0) } do
        local added = type(name) == "table" and assert(rt.add_robot(name))
        local robot = rt.connect(added or name)
        local start <const> = robot:state()
        for _ = 1, 8 do
          local from = robot:state()
          local word = robot:go_to { x = start.x + between(-3, 3), y = start.y + between(-3, 3) }
          if word == "ERROR" then
            local there = robot:state()
            stopped = stopped + 1
            expect.equal("SUCCESS", (robot:go_to { x = there.x, y = there.y, theta = between(-3, 3) }))
            back = back + (robot:go_to { x = from.x, y = from.y } == "SUCCESS" and 1 or 0)
          end
        end
        robot:close()
        if added then require "robotalk.drivers".remove(added) end
      end
      expect.truthy(stopped >= 12, stopped)
      expect.truthy(back >= stopped - 1, stopped - back) -- another thing may be where its tail turns
    end)
  end
end)

describe("what is in the way", function()
  it("is known to clients that come later, and is seen by watch", function()
    local robot <close> = at_crate "pioneer2"
    local other <close> = rt.connect("local:pioneer2", { apart = true, role = "watch" })
    local name
    other:on_notice(function(what, _, words) name = what == "blocked" and words end)
    local look = seen.open(other, other)
    rt.sleep(0.5)
    expect.equal("crate", name)
    expect.equal("crate", look:view(rt.now()).obstacle)
    robot:set_speed { x = -0.1 }
    rt.sleep(0.5)
    expect.equal(nil, look:view(rt.now()).obstacle)
    look:close()
  end)

  it("may be another robot, or a thing without a name", function()
    assert(rt.world { balls = { { radius = 0.3, position = { -1, 0 } } } })
    assert(rt.add_robot { from = "pioneer2", name = "post",
      links = { [0] = { name = "base", position = { 1, 0, 0 } } } })
    local robot <close> = rt.connect "pioneer2"
    local _, _, result = robot:go_to { x = 2 }
    expect.equal("post", result.obstacle)
    robot:set_speed { x = -0.5 }
    rt.sleep(10)
    _, _, result = robot:set_speed { x = -0.5 }
    expect.equal("a ball", result.obstacle)
    require "robotalk.drivers".remove "post"
  end)
end)

describe("a base with weight", function()
  it("calls a thing without a name what one without physics does", function()
    local weight = require "tests.lua.weight"
    for _, thing in ipairs { { walls = { { points = { { 1, -1 }, { 1, 1 } } } } },
      { pillars = { { radius = 0.5, position = { 1.5, 0 } } } } } do
      assert(rt.world(thing))
      local light = rt.connect "pioneer2"
      local _, words = light:go_to { x = 2 }
      light:close()
      local heavy <close> = weight.add { from = "pioneer2", name = "heavy" }
      expect.equal(words, (select(2, heavy:go_to { x = 2 })))
      expect.equal(thing.walls and "something is in the way: a box" or "something is in the way: a pillar", words)
      heavy:close()
      require "robotalk.drivers".remove "heavy"
    end
  end)

  it("says after 0.5 s that it comes nowhere, against what, and when it goes again", function()
    local weight = require "tests.lua.weight"
    assert(rt.world { boxes = { { name = "crate", size = { 0.2, 1, 0.5 }, position = { 1, 0 } } } })
    local robot <close> = weight.add "pioneer2"
    local heard = {}
    robot:on_notice(function(what, value, words)
      if what == "blocked" then heard[#heard + 1] = { value == 1 and words or "free", rt.now() } end
    end)
    robot:set_speed { x = 0.3 }
    repeat rt.sleep(0.01) until robot:state().x > 0.69
    local there = rt.now()
    rt.sleep(2)
    expect.equal(1, #heard)
    expect.equal("crate", heard[1][1])
    expect.near(there + 0.6, heard[1][2], 0.2)
    robot:set_speed { x = 0.3 } -- again, and it is no other news
    rt.sleep(1)
    expect.equal(1, #heard)
    robot:set_speed { x = -0.2 }
    rt.sleep(2) -- a second of it until it would have no speed ahead
    expect.equal("free", heard[2] and heard[2][1])
    local word, _, result = robot:go_to { x = 3 }
    expect.equal("ERROR crate", ("%s %s"):format(word, result.obstacle))
  end)
end)
