-- Robots as a table, a line each: a pure function of views (watch/seen.lua).
local latch = require "robotalk.session.latch"
local text = require "robotalk.watch.text"

local function number(form, x) return x and form:format(x) or "-" end

local function milliseconds(s) return s and ("%.0f"):format(math.min(s * 1e3, 1e7)) or "-" end

-- The obstacle, the latched clients and the holders of leases, in short.
local function driven(view)
  local words = { view.obstacle and "in the way: " .. view.obstacle or nil }
  for _, one in ipairs(view.latches) do
    words[#words + 1] = ("%s: %s"):format(one.own and "this program" or one.name, latch.words(one.by, one.since))
  end
  for _, holder in ipairs(view.holders) do
    local name = holder.own and "this program" or holder.holder
    words[#words + 1] = ("%s: %s"):format(name, table.concat(holder.parts, " "))
  end
  return table.concat(words, "; ")
end

-- The columns: name, width, content.
local COLUMNS <const> = {
  { "robot", 12, function(view) return view.robot end },
  { "", 6, function(view)
    return not view.link.up and "LOST" or view.panic and "PANIC" or view.moving and "moves"
      or view.x and "stands" or "?"
  end },
  { "trip/ms", 7, function(view) return milliseconds(view.link.round_trip) end, wide = true },
  { "late/ms", 7, function(view) return milliseconds(view.late) end, wide = true },
  { "age/ms", 7, function(view) return milliseconds(view.age) end },
  { "x/m", 7, function(view) return number("%.2f", view.x) end },
  { "y/m", 7, function(view) return number("%.2f", view.y) end },
  { "deg", 5, function(view) return view.theta and ("%.0f"):format(math.deg(view.theta) % 360) or "-" end },
  { "m/s", 5, function(view) return view.velocity and ("%.2f"):format(view.velocity.x) or "-" end },
  { "bat", 4, function(view) return view.battery and ("%.0f%%"):format(100 * view.battery) or "-" end },
}
local WIDE <const> = 98 -- columns; in fewer some are left out for the last, the holders
local WORDS <const> = 2 -- columns on the left whose words begin on the left, too

local function row_of(get, style, columns)
  local cells = {}
  for i, column in ipairs(COLUMNS) do
    local cell = text.pad(get(column), column[2], style)
    local word = cell:match "^(.-) *$"
    if columns >= WIDE or not column.wide then
      cells[#cells + 1] = i > WORDS and (" "):rep(#cell - #word) .. word or cell
    end
  end
  return table.concat(cells, " ")
end

---At most rows lines of at most that many columns.
return function(views, columns, rows, style)
  if rows < 1 or columns < 1 then return {} end
  local head = row_of(function(column) return column[1] end, style, columns) .. "  driven by"
  local lines = { text.paint(text.fit(head, columns, style), "strong", style) }
  for i, view in ipairs(views) do
    local line = row_of(function(column) return column[3](view) end, style, columns) .. "  " .. driven(view)
    local bad = view.panic or not view.link.up or view.age and view.age > 1
    if i < rows then lines[i + 1] = text.paint(text.fit(line, columns, style), bad and "red" or nil, style) end
  end
  if #views >= rows and rows > 1 then
    lines[rows] = text.fit(("... %d more"):format(#views - rows + 2), columns, style)
  end
  return lines
end
