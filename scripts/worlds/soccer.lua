-- A soccer field as four-legged robots played on (6 by 4 m), with an orange ball in its middle, a yellow and a blue
-- goal, and four beacons beside it.
local X, Y, LINE = 3, 2, 0.025 -- m: half of the field, and how wide its lines are
local WHITE, PINK, YELLOW, BLUE, GREEN = "#ffffff", "#ff69b4", "#ffd800", "#1e6fff", "#2e8b3d"

local function line(...) return { points = { ... }, width = LINE, colour = WHITE } end
local function area(side)
  return line({ side * X, 0.65 }, { side * (X - 0.65), 0.65 }, { side * (X - 0.65), -0.65 }, { side * X, -0.65 })
end
local circle = { points = {}, closed = true, width = LINE, colour = WHITE }
for i = 1, 32 do
  circle.points[i] = { 0.36 * math.cos(i * math.pi / 16), 0.36 * math.sin(i * math.pi / 16) }
end

local function goal(side, colour)
  local x = side * X
  return { points = { { x, 0.45 }, { x + side * 0.3, 0.45 }, { x + side * 0.3, -0.45 }, { x, -0.45 } }, height = 0.3,
    thickness = 0.05, colour = colour }
end

local pillars = {}
local function beacon(x, y, low, high)
  pillars[#pillars + 1] = { radius = 0.05, height = 0.2, position = { x, y }, colour = WHITE }
  pillars[#pillars + 1] = { radius = 0.05, height = 0.1, position = { x, y }, raised = 0.2, colour = low }
  pillars[#pillars + 1] = { radius = 0.05, height = 0.1, position = { x, y }, raised = 0.3, colour = high }
end
beacon(-1.5, Y + 0.3, YELLOW, PINK)
beacon(-1.5, -Y - 0.3, PINK, YELLOW)
beacon(1.5, Y + 0.3, BLUE, PINK)
beacon(1.5, -Y - 0.3, PINK, BLUE)

---@type robotalk.descriptor.world
return {
  floor = { colour = GREEN },
  walls = { goal(-1, YELLOW), goal(1, BLUE),
    { points = { { -3.6, -2.6 }, { 3.6, -2.6 }, { 3.6, 2.6 }, { -3.6, 2.6 } }, closed = true, height = 0.2,
      colour = "#3b4a3d" } },
  pillars = pillars,
  marks = { { points = { { -X, -Y }, { X, -Y }, { X, Y }, { -X, Y } }, closed = true, width = LINE, colour = WHITE },
    line({ 0, -Y }, { 0, Y }), area(-1), area(1), circle },
  balls = { { radius = 0.043, position = { 0, 0 }, mass = 0.12, friction = 0.8, colour = "#ff7a00", name = "ball" } },
  lights = { { position = { -1.5, 0, 5 } }, { position = { 1.5, 0, 5 } } },
  -- two of each side, who look at the other's goal
  start = { { -1, 0.5 }, { 1, 0.5, math.pi }, { -2.6, 0 }, { 2.6, 0, math.pi } },
  view = { from = { 0, -4.4, 3.2 }, to = { 0, -0.2, 0 } },
}
