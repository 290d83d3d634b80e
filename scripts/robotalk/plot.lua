-- Plots as SVG: panels side by side, each with curves of x and y on equal scales.
local escape = require "robotalk.xml".escape

local plot = {}

local WIDTH, HEIGHT, MARGIN, HEAD = 280, 240, 34, 40

---A round number near a positive one: 1, 2 or 5 times a power of ten.
function plot.round(raw)
  local power = 10 ^ math.floor(math.log(raw, 10))
  return power * (raw / power < 1.5 and 1 or raw / power < 3.5 and 2 or raw / power < 7.5 and 5 or 10)
end

-- Round steps for an axis, about `count` of them.
local function ticks(low, high, count)
  local step = plot.round((high - low) / count)
  local list = {}
  for i = math.ceil(low / step), math.floor(high / step) do list[#list + 1] = i * step end
  return list
end

local function bounds(panels)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  for _, panel in ipairs(panels) do
    for _, curve in ipairs(panel.curves) do
      for _, p in ipairs(curve) do
        x0, x1 = math.min(x0, p[1]), math.max(x1, p[1])
        y0, y1 = math.min(y0, p[2]), math.max(y1, p[2])
      end
    end
  end
  return x0, x1, y0, y1
end

---SVG text of panels { title =, note =, curves = { { {x, y}, …, color =, width =, dash = } } } in columns, all on the
---same scale; legend: { { text, color } }.
function plot.panels(title, panels, columns, legend)
  local x0, x1, y0, y1 = bounds(panels)
  local pad = 0.05 * math.max(x1 - x0, y1 - y0, 1e-9)
  x0, x1, y0, y1 = x0 - pad, x1 + pad, y0 - pad, y1 + pad
  local scale = math.min((WIDTH - MARGIN - 8) / (x1 - x0), (HEIGHT - MARGIN - HEAD) / (y1 - y0))
  local rows = (#panels + columns - 1) // columns
  local width, height = columns * WIDTH + 16, rows * HEIGHT + 64
  local out = {}
  local function p(form, ...) out[#out + 1] = form:format(...) end
  p('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" '
    .. 'font-size="10" fill="#222">', width, height, width, height)
  p('<rect width="100%%" height="100%%" fill="white"/>')
  p('<text x="12" y="22" font-size="14" font-weight="bold">%s</text>', escape(title))
  for i, entry in ipairs(legend or {}) do
    p('<line x1="%d" y1="38" x2="%d" y2="38" stroke="%s" stroke-width="2"/>', 12 + (i - 1) * 150, 32 + (i - 1) * 150,
      entry[2])
    p('<text x="%d" y="41">%s</text>', 38 + (i - 1) * 150, escape(entry[1]))
  end
  for i, panel in ipairs(panels) do
    local left, top = 8 + (i - 1) % columns * WIDTH + MARGIN, 48 + (i - 1) // columns * HEIGHT + HEAD
    local bottom, right = top + (y1 - y0) * scale, left + (x1 - x0) * scale
    local function at(x, y) return left + (x - x0) * scale, bottom - (y - y0) * scale end
    p('<text x="%.1f" y="%.1f" font-size="12" font-weight="bold">%s</text>', left, top - 20, escape(panel.title))
    p('<text x="%.1f" y="%.1f" fill="#555">%s</text>', left, top - 7, escape(panel.note or ""))
    p('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="#bbb"/>', left, top, right - left,
      bottom - top)
    for _, x in ipairs(ticks(x0, x1, 5)) do
      local px = at(x, y0)
      p('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#eee"/>', px, top, px, bottom)
      p('<text x="%.1f" y="%.1f" text-anchor="middle" fill="#777">%g</text>', px, bottom + 12, x)
    end
    for _, y in ipairs(ticks(y0, y1, 4)) do
      local _, py = at(x0, y)
      p('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#eee"/>', left, py, right, py)
      p('<text x="%.1f" y="%.1f" text-anchor="end" fill="#777">%g</text>', left - 4, py + 3, y)
    end
    for _, curve in ipairs(panel.curves) do
      local points = {}
      for k, q in ipairs(curve) do points[k] = ("%.1f,%.1f"):format(at(q[1], q[2])) end
      p('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"%s/>', table.concat(points, " "),
        curve.color or "#1f77b4", curve.width or 1.5,
        curve.dash and (' stroke-dasharray="%s"'):format(curve.dash) or "")
    end
  end
  p "</svg>\n"
  return table.concat(out, "\n")
end

return plot
