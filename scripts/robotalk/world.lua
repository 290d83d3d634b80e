-- What stands around simulated robots: a Lua file that only computes and returns a table, checked like a descriptor
-- (docs/sensors.md).
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local descriptor = require "robotalk.descriptor"
local mistake = require "robotalk.mistake"

local world = {}

local LARGEST, MOST = 1 << 20, 4096 -- bytes of a file; things

local function add_wall(things, wall)
  local points, height, thick = wall.points, wall.height or 1.0, wall.thickness or 0.1
  for i = 1, wall.closed and #points or #points - 1 do
    local a, b = points[i], points[i % #points + 1]
    local dx, dy = b[1] - a[1], b[2] - a[2]
    things[#things + 1] = { shape = "box", size = { math.sqrt(dx * dx + dy * dy) + thick, thick, height },
      position = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, height / 2 }, heading = math.atan(dy, dx) }
  end
end

local function things_of(d)
  local things = {}
  for _, wall in ipairs(d.walls or {}) do if wall then add_wall(things, wall) end end
  for _, b in ipairs(d.boxes or {}) do
    things[#things + 1] = { shape = "box", size = b.size, heading = b.heading,
      position = { b.position[1], b.position[2], (b.raised or 0) + b.size[3] / 2 } }
  end
  for _, p in ipairs(d.pillars or {}) do
    local height = p.height or 1.0
    things[#things + 1] = { shape = "cylinder", size = { p.radius, height, 0 },
      position = { p.position[1], p.position[2], height / 2 } }
  end
  for _, b in ipairs(d.balls or {}) do
    things[#things + 1] = { shape = "sphere", size = { b.radius, 0, 0 },
      position = { b.position[1], b.position[2], b.radius } }
  end
  return things
end

-- The things of a table, and a report of what is wrong with it.
local function examine(value)
  local report, things = check.report(), nil
  local ok, trouble = pcall(function()
    local good = check.world(value, report)
    for i, box in ipairs(#report == 0 and good.boxes or {}) do
      for _, side in ipairs(box.size) do
        if side <= 0 then report:expected(("boxes[%d].size"):format(i), "three sizes above 0", box.size) break end
      end
    end
    if #report > 0 then return end
    things = things_of(good)
    if #things > MOST then
      report:add("", "expected at most %d things in all, a wall counts one for each part", MOST)
    end
  end)
  if not ok and trouble ~= check.FULL then error(trouble, 0) end
  return things, report
end

---Sets up what stands in this process's world: a file, or a table as such a file returns. true; nil, message (a line
---"file:line: what, expected what" for everything that is wrong), code.
function world.open(what)
  local value, text = what, nil
  if type(what) == "string" then
    local message, code
    text, message, code = core.read_file(what, LARGEST)
    if not text then return nil, message, code end
    value, message = core.data(text, "@" .. what)
    if message then return nil, message, "EINVAL" end
  elseif type(what) ~= "table" then
    mistake("world: want a file or a table, got %s", type(what))
  end
  if type(value) ~= "table" then
    return nil, ("%s:1: expected the file to return a table, got %s"):format(what, type(value)), "EINVAL"
  end
  local things, report = examine(value)
  if #report > 0 then
    if text then return nil, table.concat(descriptor.lines_of(report, text, what), "\n"), "EINVAL" end
    mistake("world: %s: %s", report[1].path, report[1].message)
  end
  return core.surround(things)
end

return world
