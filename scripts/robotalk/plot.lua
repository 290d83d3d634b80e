-- Plots as SVG: panels side by side, each with curves of x and y on equal scales; charts of y against x.
local escape = require "robotalk.text.xml".escape

local plot = {}

local WIDTH, HEIGHT, MARGIN, HEAD = 280, 240, 34, 40
local CHART = { width = 790, height = 400, left = 66, top = 40, right = 566, bottom = 350 }

---A round number near a positive one: 1, 2 or 5 times a power of ten.
function plot.round(raw)
  local power = 10 ^ math.floor(math.log(raw, 10))
  return power * (raw / power < 1.5 and 1 or raw / power < 3.5 and 2 or raw / power < 7.5 and 5 or 10)
end

-- Round steps for an axis, about `count` of them.
local function ticks(low, high, count)
  local step = plot.round((high - low) / count)
  local list = {}
  for i = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do list[#list + 1] = i * step end
  return list
end

-- For a logarithmic axis: powers of ten, and 2 and 5 times these if there are few.
local function powers(low, high)
  local list, few = {}, high / low < 2000
  for power = math.floor(math.log(low, 10)), math.ceil(math.log(high, 10)) do
    for _, digit in ipairs(few and { 1, 2, 5 } or { 1 }) do
      local x = digit * 10.0 ^ power
      if x >= low * (1 - 1e-9) and x <= high * (1 + 1e-9) then list[#list + 1] = x end
    end
  end
  return list
end

---The range of the finite numbers of panels' curves: of x, of y.
function plot.bounds(panels, logarithmic)
  local low, high = { math.huge, math.huge }, { -math.huge, -math.huge }
  for _, panel in ipairs(panels) do
    for _, curve in ipairs(panel.curves) do
      for _, point in ipairs(curve) do
        for i = 1, 2 do
          local x = point[i]
          if math.abs(x) < math.huge and (x > 0 or not logarithmic) then
            low[i], high[i] = math.min(low[i], x), math.max(high[i], x)
          end
        end
      end
    end
  end
  return low[1], high[1], low[2], high[2]
end

-- ---- parts of all pictures ----

-- An empty picture: its lines, and a function that adds one.
local function canvas(width, height, title)
  local out = {}
  local function p(form, ...) out[#out + 1] = form:format(...) end
  p('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" '
    .. 'font-size="10" fill="#222">', width, height, width, height)
  p('<rect width="100%%" height="100%%" fill="white"/>')
  p('<text x="12" y="22" font-size="14" font-weight="bold">%s</text>', escape(title))
  return out, p
end

-- A frame { left =, top =, right =, bottom =, at = function(x, y) } with a grid at these x and y.
local function grid(p, frame, xs, ys)
  p('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="#bbb"/>', frame.left, frame.top,
    frame.right - frame.left, frame.bottom - frame.top)
  for _, x in ipairs(xs) do
    local px = frame.at(x, ys[1] or 1)
    p('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#eee"/>', px, frame.top, px, frame.bottom)
    p('<text x="%.1f" y="%.1f" text-anchor="middle" fill="#777">%g</text>', px, frame.bottom + 12, x)
  end
  for _, y in ipairs(ys) do
    local _, py = frame.at(xs[1] or 1, y)
    p('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#eee"/>', frame.left, py, frame.right, py)
    p('<text x="%.1f" y="%.1f" text-anchor="end" fill="#777">%g</text>', frame.left - 4, py + 3, y)
  end
end

-- The attributes of a curve.
local function stroke(curve, width)
  return ('fill="none" stroke="%s" stroke-width="%g"%s'):format(curve.color or "#1f77b4", curve.width or width,
    curve.dash and (' stroke-dasharray="%s"'):format(curve.dash) or "")
end

-- A line through points of the picture.
local function line(p, curve, points)
  local list = {}
  for i, q in ipairs(points) do list[i] = ("%.1f,%.1f"):format(q[1], q[2]) end
  p('<polyline points="%s" %s/>', table.concat(list, " "), stroke(curve, 1.5))
end

-- Dots that move along curves { points =, color = } whose points are equal times apart. They start again together when
-- the longest is at its end, after that many seconds. Viewers without animation leave them out.
local function dots(p, curves, seconds)
  local most = 0
  for _, curve in ipairs(curves) do most = math.max(most, #curve.points) end
  local stride = math.max(1, most // 250)
  for _, curve in ipairs(curves) do
    local list = {}
    for i = 1, most, stride do
      local q = curve.points[math.min(i, #curve.points)]
      list[#list + 1] = ("%.1f,%.1f"):format(q[1], q[2])
    end
    p('<circle r="5" fill="%s" stroke="white" visibility="hidden"><set attributeName="visibility" to="visible"/>'
      .. '<animateMotion dur="%gs" repeatCount="indefinite" values="%s"/></circle>', curve.color, seconds,
      table.concat(list, ";"))
  end
end

-- A line of the legend.
local function entry(p, x, y, curve, name)
  p('<line x1="%d" y1="%d" x2="%d" y2="%d" %s/>', x, y, x + 20, y, stroke(curve, 2))
  p('<text x="%d" y="%d">%s</text>', x + 26, y + 3, escape(name))
end

-- ---- pictures ----

---SVG text of panels { title =, note =, curves = { { {x, y}, …, color =, width =, dash =, moves = } } } in columns, all
---on the same scale, or each on its own one; legend: { { text, color } }. With `seconds`, dots move for that time along
---curves with `moves`.
function plot.panels(title, panels, columns, legend, seconds, own)
  local moving = {}
  local x0, x1, y0, y1, scale
  local function fit(some)
    x0, x1, y0, y1 = plot.bounds(some)
    local pad = 0.05 * math.max(x1 - x0, y1 - y0, 1e-9)
    x0, x1, y0, y1 = x0 - pad, x1 + pad, y0 - pad, y1 + pad
    scale = math.min((WIDTH - MARGIN - 8) / (x1 - x0), (HEIGHT - MARGIN - HEAD) / (y1 - y0))
  end
  fit(panels)
  local rows = (#panels + columns - 1) // columns
  local out, p = canvas(columns * WIDTH + 16, rows * HEIGHT + 64, title)
  for i, text in ipairs(legend or {}) do entry(p, 12 + (i - 1) * 150, 38, { color = text[2] }, text[1]) end
  for i, panel in ipairs(panels) do
    if own then fit { panel } end
    local left, top = 8 + (i - 1) % columns * WIDTH + MARGIN, 48 + (i - 1) // columns * HEIGHT + HEAD
    local bottom, right = top + (y1 - y0) * scale, left + (x1 - x0) * scale
    local function at(x, y) return left + (x - x0) * scale, bottom - (y - y0) * scale end
    p('<text x="%.1f" y="%.1f" font-size="12" font-weight="bold">%s</text>', left, top - 20, escape(panel.title))
    p('<text x="%.1f" y="%.1f" fill="#555">%s</text>', left, top - 7, escape(panel.note or ""))
    grid(p, { left = left, top = top, right = right, bottom = bottom, at = at }, ticks(x0, x1, 5), ticks(y0, y1, 4))
    for _, curve in ipairs(panel.curves) do
      local points = {}
      for k, q in ipairs(curve) do points[k] = { at(q[1], q[2]) } end
      line(p, curve, points)
      if curve.moves then moving[#moving + 1] = { points = points, color = curve.color } end
    end
  end
  if seconds then dots(p, moving, seconds) end
  p "</svg>\n"
  return table.concat(out, "\n")
end

-- The ends of an axis, for no number, one or many.
local function span(low, high)
  if low < high then return low, high end
  if low == math.huge then low = 1 end
  return low, low + 1
end

-- The fractions of the line from height a to height b between which it is inside; more than 1 and less than 0 when it
-- is outside.
local function inside(a, b, top, bottom)
  local rise = b - a
  if rise == 0 and a >= top and a <= bottom then return 0, 1 end
  if rise == 0 or rise ~= rise then return 2, -1 end
  local u, v = (top - a) / rise, (bottom - a) / rise
  return math.max(0, math.min(u, v)), math.min(1, math.max(u, v))
end

-- The parts of a line through these points that lie between top and bottom, without points closer than half a pixel to
-- the one before. A point whose y is NaN is a gap.
local function cut(points, top, bottom)
  local parts, part = {}, nil
  local function add(x, y)
    local last = part and part[#part]
    if last and math.abs(last[1] - x) < 0.5 and math.abs(last[2] - y) < 0.5 then return end
    if not part then
      part = {}
      parts[#parts + 1] = part
    end
    part[#part + 1] = { x, y }
  end
  for i = 2, #points do
    local a, b = points[i - 1], points[i]
    local u, v = inside(a[2], b[2], top, bottom)
    if u <= v then
      add(a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2]))
      add(a[1] + v * (b[1] - a[1]), a[2] + v * (b[2] - a[2]))
    end
    if v < 1 then part = nil end
  end
  return parts
end

---SVG text of one chart { title =, x =, y = what the axes are, logarithmic = both of them, low =, high = of y,
---level = a y to mark, marks = { { x =, name =, color = } }, curves = { { {x, y}, …, name =, color =, width =,
---dash = } } }. Curves beyond low and high, and infinite values, are cut at the frame.
function plot.chart(chart)
  local x0, x1, y0, y1 = plot.bounds({ chart }, chart.logarithmic)
  x0, x1 = span(x0, x1)
  y0, y1 = span(chart.low or y0, chart.high or y1)
  local scale = chart.logarithmic and math.log or function(x) return x end
  local width, height = CHART.right - CHART.left, CHART.bottom - CHART.top
  local frame = setmetatable({}, { __index = CHART })
  function frame.at(x, y)
    local px, py = (scale(x) - scale(x0)) / (scale(x1) - scale(x0)), (scale(y) - scale(y0)) / (scale(y1) - scale(y0))
    if py == py then py = math.max(-100, math.min(py, 100)) end -- infinity, log 0: far out
    if px - px ~= 0 then py = 0 / 0 end -- nowhere
    return CHART.left + px * width, CHART.bottom - py * height
  end
  local out, p = canvas(CHART.width, CHART.height, chart.title)
  local steps = chart.logarithmic and powers or ticks
  grid(p, frame, steps(x0, x1, 8), steps(y0, y1, 6))
  p('<text x="%.1f" y="%d" font-size="12" text-anchor="middle">%s</text>', CHART.left + width / 2, CHART.bottom + 34,
    escape(chart.x))
  p('<text transform="translate(18 %.1f) rotate(-90)" font-size="12" text-anchor="middle">%s</text>',
    CHART.top + height / 2, escape(chart.y))
  if chart.level then
    local _, y = frame.at(x0, chart.level)
    line(p, { color = "#777", width = 1, dash = "5 4" }, { { CHART.left, y }, { CHART.right, y } })
  end
  for _, mark in ipairs(chart.marks or {}) do
    local x = frame.at(mark.x, y0)
    line(p, { color = mark.color, width = 1, dash = "2 3" }, { { x, CHART.top }, { x, CHART.bottom } })
    p('<text x="%.1f" y="%d" fill="%s">%s</text>', x + 2, CHART.top + 10, mark.color, escape(mark.name))
  end
  for number, curve in ipairs(chart.curves) do
    local points = {}
    for i, q in ipairs(curve) do points[i] = { frame.at(q[1], q[2]) } end
    for _, part in ipairs(cut(points, CHART.top, CHART.bottom)) do line(p, curve, part) end
    entry(p, CHART.right + 14, CHART.top - 8 + 18 * number, curve, curve.name or number)
  end
  p "</svg>\n"
  return table.concat(out, "\n")
end

return plot
