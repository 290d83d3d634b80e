-- Blocks world: turns a tower over in the smallest number of moves, and prints why fewer are not enough.
--   robotalk run --virtual scripts/behaviors/blocks.lua [BLOCKS]      the height of the tower (4)
local golog = require "robotalk.golog"

local high = tonumber((...)) or 4
local names, places, under, top = {}, { "table" }, {}, {}
for i = 1, high do
  names[i] = string.char(96 + i)
  places[i + 1] = names[i]
end
for i, name in ipairs(names) do
  under[name] = names[i + 1] or "table"
  if names[i + 1] then top[names[i + 1]] = name end
end

local world = golog.domain()
under, top = world:relation("under", under), world:relation("top", top) -- the block below each block; the one on top
local move = world:action("move", {
  pre = function(x, y) return x ~= y and not top(x) and not top(y) and under(x) ~= y end,
  effect = function(x, y)
    if under(x) ~= "table" then top:set(under(x), false) end
    under:set(x, y)
    if y ~= "table" then top:set(y, x) end
  end,
  duration = 1,
})
local any = golog.pick(names, function(x) return golog.pick(places, function(y) return move(x, y) end) end)
local turned = golog.test(function()
  for i = 2, high do
    if under(names[i]) ~= names[i - 1] then return false end
  end
  return true
end, "the tower is not turned over")

local plan = assert(world:plan({ golog.star(any), turned }, { deepen = true }))
print(plan)
print(world:explain({ golog.star(any), turned }, { depth = 1 }))
return plan
