-- A room of a rescue arena, after the yellow one of NIST that USARSim has: walls of 1.2 m as a maze, a ramp of 10
-- degrees up to a platform and another one down, a step field, rubble, and people who lie there and have to be found.
local WALL, SKIN, CLOTH = "#e0cf6a", "#e8b89a", "#3f6fb5"
local RISE, RUN = 0.2, 0.2 / math.tan(math.rad(10)) -- m, of a ramp

-- A person who lies on the floor, the head ahead.
local people, heads = {}, {}
local function lay(x, y, heading)
  local ahead = { x + 0.45 * math.cos(heading), y + 0.45 * math.sin(heading) }
  people[#people + 1] = { radius = 0.13, height = 0.6, position = { x, y }, colour = CLOTH,
    attitude = { 0, math.pi / 2, heading } }
  heads[#heads + 1] = { radius = 0.1, position = ahead, colour = SKIN }
end
lay(-2.2, 2.0, 0.4)
lay(3.2, -1.9, 2.2)

-- Blocks of wood of uneven heights, 4 by 4.
local boxes = {
  { size = { 1.2, 1.2, RISE }, position = { 0.6, 1.8 }, colour = "#b09468", name = "platform" },
  { size = { 0.4, 0.6, 0.3 }, position = { -0.6, -1.6 }, heading = 0.4, colour = "#9a8f80" },
  -- rubble that can be pushed away
  { size = { 0.3, 0.2, 0.2 }, position = { -2.6, -0.4 }, heading = 0.8, mass = 1.5, name = "carton",
    colour = "#a08060" },
  { size = { 0.15, 0.12, 0.1 }, position = { -1.7, -0.3 }, heading = 0.3, mass = 2, name = "brick1",
    colour = "#b5533c" },
  { size = { 0.15, 0.12, 0.1 }, position = { -1.9, -0.75 }, heading = 1.9, mass = 2, name = "brick2",
    colour = "#b5533c" },
}
local heights = { 5, 10, 5, 8, 8, 5, 12, 5, 5, 9, 5, 10, 10, 5, 8, 5 } -- cm
for i, height in ipairs(heights) do
  boxes[#boxes + 1] = { size = { 0.2, 0.2, height / 100 }, colour = i % 2 == 0 and "#b09468" or "#c4aa80",
    position = { 2.2 + (i - 1) % 4 * 0.2, 0.3 + (i - 1) // 4 * 0.2 } }
end

---@type robotalk.descriptor.world
return {
  floor = { colour = "#8f8a80", texture = "stripes", other = "#878278", tile = 1.2 },
  walls = {
    { points = { { -4, -3 }, { 4, -3 }, { 4, 3 }, { -4, 3 } }, closed = true, height = 1.2, colour = WALL },
    { points = { { -2.6, -3 }, { -2.6, -1.4 } }, height = 1.2, colour = WALL },
    { points = { { -4, 0.6 }, { -1.2, 0.6 }, { -1.2, 1.2 } }, height = 1.2, colour = WALL },
    { points = { { 0, -3 }, { 0, -0.6 }, { 1.6, -0.6 } }, height = 1.2, colour = WALL },
    { points = { { 2.6, -3 }, { 2.6, -1.4 } }, height = 1.2, colour = WALL },
  },
  boxes = boxes,
  pillars = { { radius = 0.06, height = 1.2, position = { 1.2, -1.9 }, colour = "#7a7f85" }, people[1], people[2],
    -- a pipe that rolls
    { radius = 0.05, height = 0.5, position = { 1.1, 0.2 }, attitude = { math.pi / 2, 0, 0.2 }, mass = 3,
      colour = "#7a7f85", name = "pipe" } },
  balls = heads,
  ramps = {
    { position = { 0 - RUN, 1.8 }, length = RUN, height = RISE, width = 1.2, colour = "#b09468" },
    { position = { 1.2 + RUN, 1.8 }, heading = math.pi, length = RUN, height = RISE, width = 1.2, colour = "#b09468" },
  },
  steps = { { position = { 3.0, 1.6 }, heading = math.pi / 2, count = 4, rise = 0.1, depth = 0.3, width = 0.8,
    colour = "#9c9488" } },
  lights = { { position = { -2, 0, 3 } }, { position = { 2, 0, 3 } } },
  start = { { -3.3, -2.2, math.pi / 2 }, { -3.3, -1.2, math.pi / 2 } },
  view = { from = { -1, -6.5, 6 }, to = { 0, -0.4, 0 } },
}
