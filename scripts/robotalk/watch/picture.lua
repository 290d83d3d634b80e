-- Robots as lines of text: a map, and beside it the state of each: a pure function of views (watch/seen.lua).
local latch = require "robotalk.session.latch"
local map = require "robotalk.watch.map"
local text = require "robotalk.watch.text"

local SIDE <const>, LEAST <const> = 36, 24 -- columns beside the map; of the map, at least
local LOW <const> = 4 -- rows, with less there is no map
local NAME <const>, BAR <const> = 12, 12
local STALE <const> = 1 -- s

local function age(seconds)
  if not seconds then return "-" end
  return seconds < 0.9995 and ("%.0f ms"):format(seconds * 1e3) or ("%.1f s"):format(seconds)
end

-- The position of a joint between its limits.
local function bar(joint, style)
  local span = joint.high - joint.low
  if not (span > 0 and span < math.huge) then return (" "):rep(BAR) end
  local at = math.floor((joint.position - joint.low) / span * (BAR - 3) + 0.5)
  at = math.max(0, math.min(BAR - 3, at))
  local dash, mark = style.utf8 and "─" or "-", style.utf8 and "●" or "#"
  return "[" .. dash:rep(at) .. mark .. dash:rep(BAR - 3 - at) .. "]"
end

local function joint_line(joint, style)
  local name = text.pad(joint.name, NAME, style)
  return ("%s %s %+7.2f"):format(name, bar(joint, style), joint.position)
end

local function holder_line(holder)
  return ("%s: %s"):format(table.concat(holder.parts, " "), holder.own and "this program" or holder.holder)
end

local function link_line(view)
  local link = view.link
  if not link.up then return "link LOST: " .. (link.why or "no answer") end
  if not link.round_trip then return "link up" end
  return ("link up, %s round trip, +%s"):format(age(link.round_trip), age(link.jitter))
end

-- The lines on one robot, as { text, color }.
local function lines_of(view, style)
  local lines = {}
  local function add(color, form, ...) lines[#lines + 1] = { form:format(...), color } end
  add("strong", "%s%s", view.robot, view.panic and "  PANIC" or view.moving and "  moves" or "")
  if view.panic then lines[1][2] = "red" end
  add(not view.link.up and "red" or nil, "%s", link_line(view))
  if view.trouble then add("red", "%s", view.trouble) end
  add(view.age and view.age > STALE and "red" or nil, "state %s old, came %s late", age(view.age), age(view.late))
  if view.obstacle then add("red", "in the way: %s", view.obstacle) end
  if view.x then
    add(nil, "x %.2f y %.2f m, %.0f deg", view.x, view.y, math.deg(view.theta))
    add(nil, "%.2f m/s, %.2f rad/s%s%s", view.velocity.x, view.velocity.theta,
      view.battery and (", battery %.0f %%"):format(100 * view.battery) or "",
      view.override ~= 1 and (", override %g"):format(view.override) or "")
  end
  for _, reading in ipairs(view.readings) do
    add(reading.age > STALE and "red" or nil, "%s: %s, %s old", reading.type,
      reading.range and ("%.2f m"):format(reading.range) or "nothing", age(reading.age))
  end
  for _, holder in ipairs(view.holders) do add("yellow", "%s", holder_line(holder)) end
  if #view.holders == 0 then add("faint", "nobody drives it") end
  for _, one in ipairs(view.latches) do
    add("yellow", "%s waits for resume:", one.own and "this program" or one.name)
    add("yellow", "  %s", (latch.words(one.by, one.since):gsub(",.*", "")))
  end
  for _, joint in ipairs(view.joints) do add(nil, "%s", joint_line(joint, style)) end
  return lines
end

-- As many of them as fit, the same number for each robot, unless another has fewer.
local function gather(views, rows, style)
  local list, all = {}, {}
  for i, view in ipairs(views) do list[i] = lines_of(view, style) end
  local left, share = rows, {}
  for i = 1, #list do share[i] = 0 end
  repeat -- a line for each in turn
    local before = left
    for i, lines in ipairs(list) do
      if left > 0 and share[i] < #lines then share[i], left = share[i] + 1, left - 1 end
    end
  until left == before
  for i, lines in ipairs(list) do
    for k = 1, share[i] do
      local more = #lines - share[i] + 1
      all[#all + 1] = k == share[i] and more > 1 and { ("... %d more"):format(more), "faint" } or lines[k]
    end
  end
  return all
end

---views: a list; columns, rows: of the terminal. At most that many lines.
return function(views, columns, rows, style)
  if rows < 1 or columns < 1 then return {} end
  local wide = columns >= SIDE + LEAST + 1 and rows >= LOW
  local side = gather(views, rows, style)
  local lines = {}
  if not wide then
    for i, line in ipairs(side) do lines[i] = text.paint(text.fit(line[1], columns, style), line[2], style) end
    return lines
  end
  local width = columns - SIDE - 1
  local drawn, grid = map(views, width, rows - 1, style)
  table.insert(drawn, text.pad(("x up, y left; grid %g m"):format(grid), width, style))
  for row = 1, rows do
    local beside = side[row] and text.paint(text.fit(side[row][1], SIDE, style), side[row][2], style) or ""
    lines[row] = (drawn[row] .. " " .. beside)
  end
  return lines
end
