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
