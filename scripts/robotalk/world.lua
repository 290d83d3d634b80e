-- What stands around simulated robots: a Lua file that only computes and returns a table, checked like a descriptor
-- (docs/sensors.md).
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local descriptor = require "robotalk.descriptor"
local mistake = require "robotalk.mistake"

local world = {}

local LARGEST, MOST = 1 << 20, 4096 -- bytes of a file; things
local FARTHEST = 1e6                -- m, that a thing may be long, or away

local function add_wall(things, wall)
  local points, height, thick = wall.points, wall.height or 1.0, wall.thickness or 0.1
  for i = 1, wall.closed and #points or #points - 1 do
    local a, b = points[i], points[i % #points + 1]
    local dx, dy = b[1] - a[1], b[2] - a[2]
    things[#things + 1] = { shape = "box", size = { math.sqrt(dx * dx + dy * dy) + thick, thick, height },
      position = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, height / 2 }, attitude = { 0, 0, math.atan(dy, dx) } }
  end
end

local function things_of(d)
  local things = {}
  for _, wall in ipairs(d.walls or {}) do if wall then add_wall(things, wall) end end
  for _, b in ipairs(d.boxes or {}) do
    things[#things + 1] = { shape = "box", size = b.size, attitude = { 0, 0, b.heading or 0 },
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

-- The part of the table that a thing beyond what there can be was made of: its path; nil: all can be.
local function too_far(good)
  for _, list in ipairs { "walls", "boxes", "pillars", "balls" } do
    for i, one in ipairs(good[list] or {}) do
      for _, thing in ipairs(one and things_of { [list] = { one } } or {}) do
        for k = 1, 3 do
          if thing.size[k] > FARTHEST or math.abs(thing.position[k]) > FARTHEST then
            return ("%s[%d]"):format(list, i)
          end
        end
      end
    end
  end
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
    local far = too_far(good)
    if far then return report:add(far, "expected nothing longer, or farther away, than %g m", FARTHEST) end
    things = things_of(good)
    if #things > MOST then
      report:add("", "expected at most %d things in all, a wall counts one for each part", MOST)
    end
  end)
  if not ok and trouble ~= check.FULL then error(trouble, 0) end
  return things, report
end

---Whether what a data file returns is a world, and no robot.
function world.is(value)
  if type(value) ~= "table" or value.name ~= nil or value.links ~= nil then return false end
  for _, field in ipairs(check.kinds.world) do if value[field[1]] ~= nil then return true end end
  return false
end

---What is wrong with a table as a file returns it: a list of { path =, message = }, with `more` when there is more of
---it; and its things, nil when anything is wrong.
function world.check(value)
  local things, report = examine(value)
  return report, #report == 0 and things or nil
end

---What is wrong with what a file returns, as lines "file:line: what, expected what"; text: the file's.
function world.errors(value, file, text)
  if type(value) ~= "table" then
    return { ("%s:1: expected the file to return a table, got %s"):format(file, type(value)) }
  end
  local report, things = world.check(value)
  return descriptor.lines_of(report, text, file), things
end

---Reads a file: its things; nil, message with a line for everything that is wrong, code.
function world.read(file)
  local text, message, code = core.read_file(file, LARGEST)
  if not text then return nil, message, code end
  local value
  value, message = core.data(text, "@" .. file)
  if message then return nil, message, "EINVAL" end
  local errors, things = world.errors(value, file, text)
  if #errors > 0 then return nil, table.concat(errors, "\n"), "EINVAL" end
  return things
end

---Sets up what stands in this process's world: a file, or a table as such a file returns. true; nil, message, code as
---of read.
function world.open(what)
  if type(what) == "string" then
    local things, message, code = world.read(what)
    if not things then return nil, message, code end
    return core.surround { things = things }
  end
  if type(what) ~= "table" then mistake("world: want a file or a table, got %s", type(what)) end
  local report, things = world.check(what)
  if #report > 0 then mistake("world: %s: %s", report[1].path, report[1].message) end
  return core.surround { things = things }
end

return world
