-- Robots from above, x ahead (up) and y left, with their paths and the readings of range sensors: a pure function.
local canvas = require "robotalk.screen.canvas"

local GRID <const>, RAY <const>, TRAIL <const>, HIT <const> = 1, 2, 3, 4
local LAYERS <const> = { { letter = "+", color = "faint" }, { letter = ":", color = "faint" },
  { letter = ".", color = "blue" }, { letter = "*", color = "yellow" } }
local LEAST <const> = 1 -- m from the middle to the edge
local MARGIN <const> = 1.15
local APART <const> = 5 -- columns between two lines of the grid, at least

local HEADS <const> = { utf8 = { "↑", "↖", "←", "↙", "↓", "↘", "→", "↗" },
  ascii = { "^", "\\", "<", "/", "v", "\\", ">", "/" } }

local function head_of(theta, style)
  local heads = style.utf8 and HEADS.utf8 or HEADS.ascii
  return heads[math.floor(theta / (math.pi / 4) + 0.5) % 8 + 1]
end

local function is_place(x, y) return x and y and x - x == 0 and y - y == 0 end

-- The bounds of the map: smallest and greatest x and y.
local function bounds(views)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  local function add(x, y)
    if is_place(x, y) then
      x0, x1, y0, y1 = math.min(x0, x), math.max(x1, x), math.min(y0, y), math.max(y1, y)
    end
  end
  for _, view in ipairs(views) do
    add(view.x, view.y)
    for _, place in ipairs(view.trail) do add(place.x, place.y) end
    for _, ray in ipairs(view.rays) do if ray.hit then add(ray.to[1], ray.to[2]) end end
  end
  if x0 > x1 then return -LEAST, LEAST, -LEAST, LEAST end
  return x0, x1, y0, y1
end

-- The smallest of 1, 2, 5 times a power of ten that is not below a number.
local function round_up(x)
  local power = 10.0 ^ math.floor(math.log(x, 10))
  for _, step in ipairs { 1, 2, 5 } do
    if step * power >= x * (1 - 1e-9) then return step * power end
  end
  return 10 * power
end

---Lines, `rows` of `columns` each; and the spacing of the grid, m.
return function(views, columns, rows, style)
  local c = canvas.new(columns, rows, LAYERS, style)
  local x0, x1, y0, y1 = bounds(views)
  local cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
  -- m of a column; a row is as high as two columns are wide
  local scale = math.max(MARGIN * math.max(x1 - x0, 2 * LEAST) / (2 * rows), MARGIN * math.max(y1 - y0, 2 * LEAST)
    / columns)
  scale = round_up(scale * 20) / 20 -- so that it seldom changes
  local grid = round_up(APART * scale)
  cx, cy = math.floor(cx / grid + 0.5) * grid, math.floor(cy / grid + 0.5) * grid
  local across, down = c.across / scale, c.down / (2 * scale)
  local function place(x, y) return c.width // 2 - (y - cy) * across, c.height // 2 - (x - cx) * down end
  for i = -math.floor(rows * scale / grid) - 1, math.floor(rows * scale / grid) + 1 do
    for k = -math.floor(columns * scale / grid) - 1, math.floor(columns * scale / grid) + 1 do
      local x, y = place(cx + i * grid, cy + k * grid)
      c:dot(x, y, GRID)
    end
  end
  for _, view in ipairs(views) do
    for _, ray in ipairs(view.rays) do
      local fx, fy = place(ray.from[1], ray.from[2])
      local tx, ty = place(ray.to[1], ray.to[2])
      if ray.hit and is_place(fx, fy) and is_place(tx, ty) then
        c:line(fx, fy, tx, ty, RAY, 4)
        c:dot(tx, ty, HIT)
      end
    end
    local before
    for _, there in ipairs(view.trail) do
      local x, y = place(there.x, there.y)
      c:line(before and before[1] or x, before and before[2] or y, x, y, TRAIL)
      before = { x, y }
    end
  end
  for _, view in ipairs(views) do
    if is_place(view.x, view.y) then
      local x, y = place(view.x, view.y)
      c:write(x, y, head_of(view.theta, style) .. view.robot, view.panic and "red" or "strong")
    end
  end
  return c:lines(), grid
end
