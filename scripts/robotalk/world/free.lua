-- Free places in a world, for robots without a start position.
local overlap = require "robotalk.world.overlap"
local things_of = require "robotalk.world.things"

local free = {}

local GAP <const> = 0.1       -- m, that is left around a robot, so that it can go away
local OVER <const> = 0.005    -- m: objects up to that height are driven over (drivers/sim/scene.c)
local SLACK <const> = 0.005   -- m, by which coarse shapes may be in one another
local THIN <const> = 0.02     -- m, the width of the path to a place
local RINGS <const> = 24      -- of places that are tried, half a robot and its gap apart

-- An object with its bounding box, for a fast rejection.
local function bounded(thing)
  local p = thing.position
  local x, y = things_of.reach(thing, { 1, 0, 0 }), things_of.reach(thing, { 0, 1, 0 })
  local z = things_of.reach(thing, { 0, 0, 1 })
  return { thing = thing, low = { p[1] - x, p[2] - y, p[3] - z }, high = { p[1] + x, p[2] + y, p[3] + z } }
end

-- Whether an object meets one of those.
local function meets(thing, others)
  local a = bounded(thing)
  for _, b in ipairs(others) do
    local apart = false
    for k = 1, 3 do apart = apart or a.low[k] >= b.high[k] or b.low[k] >= a.high[k] end
    if not apart and overlap.meet(thing, b.thing, SLACK) then return true end
  end
  return false
end

---Whether one of the objects meets one of the others, by more than the tolerance of coarse shapes.
function free.meet(things, others)
  local around = {}
  for i, other in ipairs(others) do around[i] = bounded(other) end
  for _, thing in ipairs(things) do
    if meets(thing, around) then return true end
  end
  return false
end

-- Directions of a ring of n places, n a multiple of 4, as parts of n from straight ahead: at the left, at the right,
-- and from there on behind and ahead.
local function around(n)
  local list, quarter = {}, n // 4
  for by = 0, quarter do
    for _, one in ipairs { quarter + by, 3 * quarter - by, quarter - by, 3 * quarter + by } do list[#list + 1] = one end
  end
  return list
end

---A free place near { x, y, heading }, with that heading; nil: there is none. extent: of a robot
---(descriptor/extent.lua), with its root link at that height. stands: existing objects; robots: parts of robots.
---Places with a free path from there come first.
function free.beside(place, extent, height, stands, robots)
  local heading, reach = place[3] or 0, extent.radius + GAP
  local low, high = height + extent.low + OVER, height + extent.high
  local fast, all = {}, {}
  for _, thing in ipairs(stands) do
    if not thing.painted then
      local solid = bounded(things_of.solid(thing))
      all[#all + 1] = solid
      if not thing.mass then fast[#fast + 1] = solid end
    end
  end
  for _, part in ipairs(robots) do all[#all + 1] = bounded(part) end
  local middle, tall = (low + high) / 2, math.max(high - low, OVER)
  local function is_free(x, y)
    return not meets({ shape = "cylinder", size = { reach, tall, 0 }, position = { x, y, middle },
      attitude = { 0, 0, 0 } }, all)
  end
  local function is_open(x, y)
    local dx, dy = x - place[1], y - place[2]
    return not meets({ shape = "box", size = { math.sqrt(dx * dx + dy * dy), THIN, tall },
      position = { place[1] + dx / 2, place[2] + dy / 2, middle }, attitude = { 0, 0, math.atan(dy, dx) } }, fast)
  end
  local function rounded(x) return math.floor(x * 1000 + 0.5) / 1000 end
  local hidden
  for ring = 1, RINGS do
    for _, part in ipairs(around(8 * ring)) do
      local angle = heading + part / (8 * ring) * 2 * math.pi
      local x = rounded(place[1] + ring * reach / 2 * math.cos(angle))
      local y = rounded(place[2] + ring * reach / 2 * math.sin(angle))
      if is_free(x, y) then
        local spot = { x, y, heading }
        if is_open(x, y) then return spot end
        hidden = hidden or spot
      end
    end
  end
  return hidden
end

return free
