-- Robots as a table, a line each: a pure function of views (watch/seen.lua).
local latch = require "robotalk.session.latch"
local rows_of = require "robotalk.watch.rows"

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

local SHAPE <const> = { wide = 98, words = 2, last = "driven by", rest = driven,
  is_bad = function(view) return view.panic or not view.link.up or view.age and view.age > 1 end,
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

---At most rows lines of at most that many columns.
return function(views, columns, rows, style) return rows_of(SHAPE, views, columns, rows, style) end
