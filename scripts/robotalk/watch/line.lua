-- A robot as one line of text: a pure function of a view (watch/seen.lua).
local latch = require "robotalk.session.latch"

local function milliseconds(s) return s and ("%.0f ms"):format(s * 1e3) or "?" end

return function(view)
  local parts = { view.robot }
  local function add(form, ...) parts[#parts + 1] = form:format(...) end
  if view.x then
    add("x %.3f y %.3f theta %.3f", view.x, view.y, view.theta)
    for _, joint in ipairs(view.joints) do add("%s %.3f", joint.name, joint.position) end
    add("%s", view.panic and "PANIC" or view.moving and "moves" or "stands")
    add("state %s old", milliseconds(view.age))
  else
    add "no state yet"
  end
  for _, reading in ipairs(view.readings) do
    add("%s %s, %s old", reading.type, reading.range and ("%.3f"):format(reading.range) or "?",
      milliseconds(reading.age))
  end
  for _, holder in ipairs(view.holders) do add("%s drives %s", holder.holder, table.concat(holder.parts, ", ")) end
  for _, one in ipairs(view.latches) do add("%s: %s", one.name, latch.words(one.by, one.since)) end
  if view.obstacle then add("in the way: %s", view.obstacle) end
  local trip = view.link.round_trip
  add("%s", not view.link.up and "link LOST" or "link " .. (trip and milliseconds(trip) or "up"))
  return (table.concat(parts, "; "):gsub("%c", "?"))
end
