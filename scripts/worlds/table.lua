-- A table with cubes to grasp, where the puma560 stands: its own table, which is part of its descriptor, is a
-- millimetre higher and covers this one. The cubes lie on it within its reach; a small one, of 25 mm, within that of an
-- arm on this table, such as the so101_follower.
local TOP = 0.75 -- m

local function cube(name, x, y, colour, heading, size, mass)
  size = size or 0.05
  return { name = name, size = { size, size, size }, position = { x, y }, raised = TOP, heading = heading or 0,
    mass = mass or 0.08, friction = 1, colour = colour }
end
local function leg(x, y)
  return { size = { 0.06, 0.06, TOP - 0.05 }, position = { x, y }, colour = "#8a6a45" }
end

---@type robotalk.descriptor.world
return {
  floor = { texture = "checker", colour = "#dfe3e6", other = "#d2d7db", tile = 0.5 },
  boxes = {
    { size = { 1.6, 1.2, 0.049 }, position = { 0.3, 0 }, raised = TOP - 0.05, colour = "#a9835a", name = "table" },
    leg(-0.4, -0.5), leg(-0.4, 0.5), leg(1.0, -0.5), leg(1.0, 0.5),
    cube("red", 0.55, 0.15, "#d23b3b"), cube("green", 0.55, -0.15, "#3ba55c", 0.4), cube("blue", 0.7, 0, "#3b6fd2"),
    cube("yellow", 0.45, 0.35, "#e2c22f", 0.8), cube("small", 0.24, 0.09, "#1fb8c9", 0.5, 0.025, 0.016),
    -- a tray to put them on
    { size = { 0.2, 0.2, 0.01 }, position = { 0.4, -0.4 }, raised = TOP, colour = "#6f7780", name = "tray" },
  },
  pillars = { { radius = 0.03, height = 0.1, position = { 0.75, -0.3 }, raised = TOP, mass = 0.2, colour = "#cfa7e0",
    name = "can" } },
  balls = { { radius = 0.03, position = { 0.75, 0.3 }, raised = TOP, mass = 0.06, colour = "#ff4fa0", name = "ball" } },
  -- dim, since the camera above the table sees all reflected light
  lights = { { position = { 0.4, -0.8, 2.2 }, direction = { 0, 0.4, -1 }, colour = "#707070" },
    { position = { 0.4, 0.8, 2.2 }, direction = { 0, -0.4, -1 }, colour = "#707070" } },
  start = { { 0, 0, 0, TOP - 0.001 } },
  view = { from = { 2.5, -1.95, 2.05 }, to = { 0.3, 0, 0.81 } },
}
