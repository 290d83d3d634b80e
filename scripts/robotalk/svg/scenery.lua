-- A picture of a world from above, as SVG: x to the right, y up, on its floor; movable objects have a thicker edge.
local escape = require "robotalk.text.xml".escape
local outline = require "robotalk.svg.outline"
local plot = require "robotalk.plot"
local shape = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"
local things_of = require "robotalk.world.things"

local room = {}

local WIDTH <const>, HIGHEST <const>, EDGE <const>, HEAD <const> = 960, 900, 36, 56 -- pixels
local GREY <const>, FLOOR <const> = 0xb8c0c8ff, 0xf2f0ebff

local function colour_of(rgba, otherwise)
  local colour = rgba and rgba ~= 0 and rgba or otherwise
  return ("#%06x"):format(colour >> 8), (colour & 255) / 255
end

-- The outline of an object, seen from above; not of balls.
local function outline_of(thing)
  local solid, points = things_of.solid(thing), {}
  for i, p in ipairs(shape.points(solid.shape, solid.size, spatial.from_angles(solid.attitude), { 3 })) do
    points[i] = { solid.position[1] + p[1], solid.position[2] + p[2] }
  end
  return outline(points)
end

-- Objects with their outlines, the highest last.
local function drawn(things)
  local out = {}
  for i, thing in ipairs(things) do
    out[i] = { thing = thing, order = i, corners = not shape.kinds[thing.shape].ball and outline_of(thing) or nil,
      top = thing.painted and 0 or thing.position[3] + things_of.reach(thing, { 0, 0, 1 }) }
  end
  table.sort(out, function(a, b)
    if a.top ~= b.top then return a.top < b.top end
    return a.order < b.order
  end)
  return out
end

-- The bounds of the picture, along x and y.
local function ends_of(list, start)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  local function add(x, y, by)
    x0, x1, y0, y1 = math.min(x0, x - by), math.max(x1, x + by), math.min(y0, y - by), math.max(y1, y + by)
  end
  for _, one in ipairs(list) do
    for _, p in ipairs(one.corners or {}) do add(p[1], p[2], 0) end
    if not one.corners then add(one.thing.position[1], one.thing.position[2], one.thing.size[1]) end
  end
  for _, place in ipairs(start) do add(place[1], place[2], 0.3) end
  if x0 > x1 then add(0, 0, 1) end
  local pad = math.max(0.04 * math.max(x1 - x0, y1 - y0), 0.01)
  return x0 - pad, x1 + pad, y0 - pad, y1 + pad
end

---SVG of a room (world.check). title: what is written above it.
function room.svg(what, title)
  local list = drawn(what.things)
  local x0, x1, y0, y1 = ends_of(list, what.start)
  local scale = math.min((WIDTH - 2 * EDGE) / (x1 - x0), HIGHEST / (y1 - y0))
  local wide, high = (x1 - x0) * scale, (y1 - y0) * scale
  local left, height = (WIDTH - wide) / 2, HEAD + high + 56
  local out = {}
  local function put(form, ...) out[#out + 1] = form:format(...) end
  local function x_of(x) return left + (x - x0) * scale end
  local function y_of(y) return HEAD + (y1 - y) * scale end
  put('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="0 0 %d %.0f" '
    .. 'font-family="sans-serif">', WIDTH, height, WIDTH, height)
  put '<rect width="100%%" height="100%%" fill="#ffffff"/>'
  put('<text x="%d" y="32" font-size="18" fill="#1f3a55">%s</text>', EDGE, escape(title))
  put('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>', left, HEAD, wide, high,
    (colour_of(what.floor and what.floor.colour, FLOOR)))
  for _, one in ipairs(list) do
    local thing = one.thing
    local colour, opacity = colour_of(thing.colour, GREY)
    local edge = thing.painted and "" or thing.mass and ' stroke="#1f3a55" stroke-width="1.6"'
      or ' stroke="#7c8894" stroke-width="0.6"'
    if one.corners then
      local texts = {}
      for i, p in ipairs(one.corners) do texts[i] = ("%.1f,%.1f"):format(x_of(p[1]), y_of(p[2])) end
      put('<polygon points="%s" fill="%s" fill-opacity="%.2f"%s/>', table.concat(texts, " "), colour, opacity, edge)
    else
      put('<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" fill-opacity="%.2f"%s/>', x_of(thing.position[1]),
        y_of(thing.position[2]), thing.size[1] * scale, colour, opacity, edge)
    end
  end
  for i, place in ipairs(what.start) do
    local x, y, heading = x_of(place[1]), y_of(place[2]), place[3] or 0
    put('<circle cx="%.1f" cy="%.1f" r="7" fill="#ffffff" stroke="#d0342c" stroke-width="1.6"/>', x, y)
    put('<path d="M%.1f %.1fl%.1f %.1f" stroke="#d0342c" stroke-width="1.6"/>', x, y, 16 * math.cos(heading),
      -16 * math.sin(heading))
    put('<text x="%.1f" y="%.1f" font-size="9" text-anchor="middle" fill="#d0342c">%d</text>', x, y + 3, i)
  end
  local metres, y = plot.round(120 / scale), height - 26
  put('<path d="M%d %.1fv-8m0 4h%.1fm0 -4v8" stroke="#1f3a55" stroke-width="1.2" fill="none"/>', EDGE, y,
    metres * scale)
  put('<text x="%d" y="%.1f" font-size="11" fill="#1f3a55">%g m</text>', EDGE, y - 10, metres)
  put('<text x="%d" y="%.1f" font-size="10" fill="#555555">%d things; x to the right, y up; dark edges: '
    .. 'what could be moved, red: where robots start</text>', EDGE, y + 16, #what.things)
  put "</svg>\n"
  return table.concat(out, "\n")
end

return room
