-- Which things are inside of others, and what it takes to see that: instructions are counted, which no machine changes.
local overlap = require "robotalk.world.overlap"

local function instructions(fn)
  local thousands = 0
  debug.sethook(function() thousands = thousands + 1 end, "", 1000)
  local _ <close> = setmetatable({}, { __close = function() debug.sethook() end })
  fn()
  return thousands * 1000
end

-- Planks of 30 m by 10 mm that lie side by side, 20 mm from one to the next.
local function planks(count, heading)
  local out = {}
  for i = 1, count do
    local far = i * 0.02
    out[i] = { shape = "box", size = { 30, 0.01, 0.1 }, attitude = { 0, 0, heading }, mass = 5,
      position = { -far * math.sin(heading), far * math.cos(heading), 0.05 } }
  end
  return out
end

local SHAPES <const> = { "box", "cylinder", "sphere", "capsule" }

local function any_thing(random)
  local function u(low, high) return low + (high - low) * random() end
  return { shape = SHAPES[1 + math.floor(4 * random())], size = { u(0.05, 1), u(0.05, 1), u(0.05, 1) }, mass = 1,
    attitude = { u(-3, 3), u(-1.5, 1.5), u(-3, 3) }, position = { u(-1, 1), u(-1, 1), u(-1, 1) } }
end

-- Numbers from 0 to 1, the same ones each time.
local function lots(seed)
  return function()
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648
  end
end

describe("whether things are inside of others", function()
  it("takes few instructions of planks that lie side by side, aslant", function()
    local found
    local took = instructions(function() found = overlap.find(planks(200, math.pi / 4)) end)
    expect.equal(#found, 0)
    expect.truthy(took < 5e6, took) -- for 19,900 pairs
  end)

  it("is seen of planks of which one lies across, too", function()
    local all = planks(20, math.pi / 4)
    all[10].attitude[3] = math.pi / 4 + 0.1
    expect.truthy(#overlap.find(all) > 1)
  end)

  it("is seen of capsules by their round ends", function()
    local function meet(by)
      local function capsule(x, roll)
        return { shape = "capsule", size = { 0.5, 2, 0 }, position = { x, 0, 0 }, attitude = { 0, roll, 0 } }
      end
      return overlap.meet(capsule(0, math.pi / 2), capsule(1.5 + 0.5 + by, 0), 0)
    end
    expect.equal(meet(-0.01), true) -- one lies, to 1.5 m along x; the other stands beside its end
    expect.equal(meet(0.01), false)
  end)

  it("is as one by one, whatever they are and however they are turned", function()
    local random, meeting = lots(7), 0
    for _ = 1, 2000 do
      local one, other = any_thing(random), any_thing(random)
      local meets = overlap.meet(one, other, 0.001)
      expect.equal(#overlap.find { one, other } == 1, meets)
      meeting = meeting + (meets and 1 or 0)
    end
    expect.truthy(meeting > 300 and meeting < 1500, meeting)
  end)
end)
