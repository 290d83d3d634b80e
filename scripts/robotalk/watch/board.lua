-- A fleet as lines of text: a table, beside it a map where there is room, below it news and the keys. A pure function
-- of views (watch/fleet.lua).
local map = require "robotalk.watch.map"
local rows_of = require "robotalk.watch.rows"
local text = require "robotalk.watch.text"

local TABLE <const>, LEAST <const>, LOW <const> = 80, 24, 4 -- columns beside the map; of the map; rows of it, at least
local NEWS <const> = 4 -- lines
local KEYS <const> = "P panic of all, p of one; R reset of all, r of one; Enter: look; T: map; Q: end"

local function number(form, x) return x and form:format(x) or "-" end

-- Who panicked it, since when it is silent, and the holders of leases.
local function rest(view)
  local words = {}
  if not view.link.up then words[1] = ("silent for %.0f s"):format(view.age or 0) end
  if view.panic then words[#words + 1] = "panic by " .. view.panic_name end
  for _, holder in ipairs(view.holders) do
    words[#words + 1] = ("%s: %s"):format(holder.holder, table.concat(holder.parts, " "))
  end
  return table.concat(words, "; ")
end

local MARKS <const> = { [true] = ">", [false] = " " } -- of the selected one; none where keys select none
local SHAPE <const> = { wide = 100, words = 4, last = "driven by", rest = rest,
  is_bad = function(view) return view.panic or not view.link.up end,
  { "robot", 13, function(view) return (MARKS[view.selected] or "") .. view.robot end },
  { "", 6, function(view)
    return not view.link.up and "SILENT" or view.panic and "PANIC" or view.moving and "moves" or view.x and "stands"
      or "?"
  end },
  { "kind", 16, function(view) return view.kind end, wide = true },
  { "host", 9, function(view) return view.host end },
  { "age/ms", 6, function(view) return number("%.0f", view.age and math.min(view.age * 1e3, 999999)) end },
  { "x/m", 6, function(view) return number("%.1f", view.x) end },
  { "y/m", 6, function(view) return number("%.1f", view.y) end },
  { "bat", 4, function(view) return number("%.0f%%", view.battery and 100 * view.battery) end },
}

---At most rows lines of at most that many columns. more: nil, for the table alone; else { news: the newest last,
---place: the address, map: whether there is to be one }.
return function(views, columns, rows, style, more)
  if rows < 1 or columns < 1 then return {} end
  if not more then return rows_of(SHAPE, views, columns, rows, style) end
  local tail = rows > 2 * NEWS and table.move(more.news, math.max(1, #more.news - NEWS + 1), #more.news, 1, {}) or {}
  table.insert(tail, #views > 0 and KEYS or "no robot is in " .. more.place .. " yet; Q: end")
  local room = math.max(1, rows - #tail)
  local beside = more.map and columns > TABLE + LEAST and room > LOW
  local first = 1
  for i, view in ipairs(views) do
    if view.selected then first = math.max(1, i - math.max(0, room - 3)) end
  end
  local lines = rows_of(SHAPE, views, beside and TABLE or columns, room, style, first)
  if beside then
    local drawn, grid = map(views, columns - TABLE - 1, room - 1, style)
    table.insert(drawn, text.pad(("x up, y left; grid %g m"):format(grid), columns - TABLE - 1, style))
    for row = 1, room do lines[row] = drawn[row] .. " " .. (lines[row] or "") end
  end
  for row = #lines + 1, room do lines[row] = "" end
  for i, line in ipairs(tail) do
    if room + i <= rows then lines[room + i] = text.paint(text.fit(line, columns, style), "faint", style) end
  end
  return lines
end
