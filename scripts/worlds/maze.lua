-- A maze of 5 by 5 cells of 1.2 m with one way out, in the middle of whose first cell the world's origin is: for robots
-- of up to 0.6 m. It leads to the gap in the eastern wall, at its northern end; beyond that the floor is free.
local CELL = 1.2 -- m
local function at(column, row) return { (column - 0.5) * CELL, (row - 0.5) * CELL } end

-- Walls between crossings of the grid: column and row from, and to.
local inner = {
  { 1, 0, 1, 1 }, { 1, 2, 1, 4 }, { 2, 1, 2, 3 }, { 3, 2, 3, 3 }, { 4, 3, 4, 4 }, { 1, 1, 2, 1 }, { 3, 1, 5, 1 },
  { 0, 2, 1, 2 }, { 3, 2, 4, 2 }, { 2, 3, 3, 3 }, { 1, 4, 4, 4 },
}

local walls = {
  { points = { at(5, 4), at(5, 0), at(0, 0), at(0, 5), at(5, 5) }, height = 0.6, thickness = 0.06, colour = "#c9b38a" },
}
for i, one in ipairs(inner) do
  walls[i + 1] = { points = { at(one[1], one[2]), at(one[3], one[4]) }, height = 0.6, thickness = 0.06,
    colour = "#d8c8a6" }
end

---@type robotalk.descriptor.world
return {
  floor = { texture = "checker", colour = "#e4e2dc", other = "#d4d1c8", tile = 0.6 },
  walls = walls,
  marks = { { points = { at(5, 4.5), at(5.8, 4.5) }, width = CELL - 0.2, colour = "#4caf50" } }, -- the way out
  start = { { 0, 0, math.pi / 2 } },
  view = { from = { 2.4, -3.2, 6.5 }, to = { 2.4, 2, 0 } },
}
