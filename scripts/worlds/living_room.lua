-- A living room, 5 by 4 m, with a pink ball on the carpet: for robots that look for it.
local WOOD, CLOTH = "#9b6b43", "#5b7a99"

---@type robotalk.descriptor.world
return {
  floor = { texture = "stripes", colour = "#c79a6b", other = "#bd9062", tile = 0.14 },
  walls = { { points = { { -1, -2 }, { 4, -2 }, { 4, 2 }, { -1, 2 } }, closed = true, height = 2.4,
    colour = "#efe9dc" } },
  boxes = {
    -- a sofa
    { size = { 1.8, 0.8, 0.4 }, position = { 1.4, 1.5 }, colour = CLOTH, name = "sofa" },
    { size = { 1.8, 0.2, 0.4 }, position = { 1.4, 1.8 }, raised = 0.4, colour = CLOTH },
    { size = { 0.2, 0.6, 0.2 }, position = { 0.6, 1.4 }, raised = 0.4, colour = CLOTH },
    { size = { 0.2, 0.6, 0.2 }, position = { 2.2, 1.4 }, raised = 0.4, colour = CLOTH },
    -- a table and its legs
    { size = { 0.9, 0.6, 0.04 }, position = { 3.0, 0.2 }, raised = 0.41, colour = WOOD, name = "table" },
    { size = { 0.05, 0.05, 0.41 }, position = { 2.6, -0.05 }, colour = WOOD },
    { size = { 0.05, 0.05, 0.41 }, position = { 3.4, -0.05 }, colour = WOOD },
    { size = { 0.05, 0.05, 0.41 }, position = { 2.6, 0.45 }, colour = WOOD },
    { size = { 0.05, 0.05, 0.41 }, position = { 3.4, 0.45 }, colour = WOOD },
    -- a shelf
    { size = { 0.3, 1.2, 1.8 }, position = { 3.8, -1.3 }, colour = WOOD, name = "shelf" },
    -- a carton that may be pushed
    { size = { 0.35, 0.3, 0.25 }, position = { 0.6, -1.5 }, heading = 0.5, mass = 0.8, name = "carton",
      colour = "#b08d57" },
  },
  pillars = {
    { radius = 0.15, height = 0.02, position = { -0.8, 1.8 }, colour = "#444444" }, -- a lamp
    { radius = 0.015, height = 1.5, position = { -0.8, 1.8 }, raised = 0.02, colour = "#444444" },
    { radius = 0.18, height = 0.25, position = { -0.8, 1.8 }, raised = 1.52, colour = "#fff3c4" },
    { radius = 0.16, height = 0.3, position = { 2.6, -1.6 }, colour = "#a65e3a" }, -- a pot
  },
  balls = { { radius = 0.045, position = { 1.3, 0.25 }, mass = 0.15, colour = "#ff4fa0",
    name = "ball" } },
  marks = { { points = { { 0.4, 0 }, { 2.4, 0 } }, width = 1.6, colour = "#8c3b3b" } }, -- a carpet
  -- it has no ceiling: two lamps high above
  lights = { { position = { 0.8, -0.8, 7 }, colour = "#fff6e4" }, { position = { 2.6, 0.9, 6 }, colour = "#807c74" } },
  start = { { 0, 0 }, { 0, -1, math.pi / 4 }, { 0, 1, -math.pi / 4 } },
  view = { from = { -0.88, -1.88, 1.8 }, to = { 1.3, 0.4, 0 } },
}
