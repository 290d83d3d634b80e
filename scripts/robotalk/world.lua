-- The scenery around simulated robots: a Lua file that only computes and returns a table, checked like a descriptor
-- (docs/worlds.md), or MJCF or VRML97 (world/mjcf.lua, world/vrml.lua). They are found by name among the embedded ones,
-- or by path.
local core = require "robotalk.core"
local check = require "robotalk.descriptor.check"
local descriptor = require "robotalk.descriptor"
local mistake = require "robotalk.mistakes.mistake"
local mistakes = require "robotalk.world.mistakes"
local near = require "robotalk.mistakes.near"
local vrml = require "robotalk.world.vrml"

local world = {}

local LARGEST, LARGEST_VRML = 1 << 20, 8 << 20 -- bytes of a file

---Whether a file is a world in MJCF, by its name and its text.
function world.is_mjcf(name, text) return name:lower():find "%.xml$" ~= nil and text:find("<mujoco", 1, true) ~= nil end

-- The reader of a file that is no Lua; nil: it is.
local function reader_of(file, text)
  if vrml.is(file, text) then return vrml end
  return world.is_mjcf(file, text) and require "robotalk.world.mjcf" or nil
end

-- The room of a text in such a form; its errors, as lines in the order of the file; omitted parts in the same
-- form.
local function read_by(reader, text, file)
  local room, errors, left = reader.read(text, file)
  local lines, notes, report = {}, {}, check.report()
  if room then
    local ok, trouble = pcall(function()
      mistakes.of_names(room.names, report)
      mistakes.of_things(room.things, report)
    end)
    if not ok and trouble ~= check.FULL then error(trouble, 0) end
  end
  for _, one in ipairs(report) do
    local line, column, field = one.path:match "^(%d+):(%d+)%.?(.*)$"
    errors[#errors + 1] = { line = tonumber(line) or 1, column = tonumber(column) or 1,
      message = (line and field ~= "" and field .. ": " or "") .. one.message }
  end
  for i, one in ipairs(errors) do one.order = i end
  table.sort(errors, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    if a.column ~= b.column then return a.column < b.column end
    return a.order < b.order
  end)
  for i, one in ipairs(errors) do lines[i] = ("%s:%d:%d: %s"):format(file, one.line, one.column, one.message) end
  if report.more then lines[#lines + 1] = file .. ": there are more; these are the first" end
  for i, one in ipairs(left or {}) do
    notes[i] = ("%s:%d:%d: note: %s"):format(file, one.line, one.column, one.message)
  end
  return #lines == 0 and room or nil, lines, notes
end

local MOST_KEYS <const> = 1000 -- that are compared with similar words
local FIELDS, OF_ROBOTS = {}, {}
for i, field in ipairs(check.kinds.world) do FIELDS[i] = field[1] end
for _, field in ipairs(check.kinds.robot) do OF_ROBOTS[field[1]] = true end

---Whether the value of a data file is a world, and no robot: it has a list of one; or similar words,
---and no field of a robot.
function world.is(value)
  if type(value) ~= "table" or value.links ~= nil then return false end
  for _, field in ipairs(FIELDS) do
    if value[field] ~= nil and not OF_ROBOTS[field] then return true end
  end
  for field in pairs(OF_ROBOTS) do
    if value[field] ~= nil then return false end
  end
  local left = MOST_KEYS
  for key in pairs(value) do
    if left == 0 or near(key, FIELDS) then return left > 0 end
    left = left - 1
  end
  return false
end

---The errors of a file's table: a list of { path =, message = }, with `more` when there are more of
---them; and its room, nil on any error: { things =, lights =, floor =, start =, view =, gravity =, step = }.
---file: next to which its meshes are.
world.check = mistakes.of

---The errors of a file's value, as lines "file:line: what, expected what"; text: the file's, the only input for
---MJCF. Then its room; and lines on omitted parts.
function world.errors(value, file, text)
  local reader = reader_of(file, text)
  if reader then
    local room, lines, notes = read_by(reader, text, file)
    return lines, room, notes
  end
  if type(value) ~= "table" then
    return { ("%s:1: expected the file to return a table, got %s"):format(file, type(value)) }
  end
  local report, room = world.check(value, file)
  local odd = check.report()
  if room then mistakes.note_degrees(value, odd) end
  local notes = descriptor.lines_of(odd, text, file)
  for i, line in ipairs(notes) do notes[i] = line:gsub(":%d+: ", "%0note: ", 1) end
  return descriptor.lines_of(report, text, file), room, notes
end

---Names of the embedded worlds.
function world.names() return core.scripts "worlds" end

---The text of an embedded world or a file, and its path; nil, message, code.
function world.text(name)
  local path = "worlds/" .. name .. ".lua"
  local text = core.script(path)
  if text then return text, path end
  if name:find "[./]" then
    local why, code
    text, why, code = core.read_file(name, vrml.is(name, "") and LARGEST_VRML or LARGEST)
    if not text then return nil, why, code end
    return text, name
  end
  local meant = near(name, world.names())
  return nil, ("there is no world '%s'%s that come along: %s"):format(name,
    meant and (", did you mean %s? Those"):format(meant) or "; those", table.concat(world.names(), ", ")), "ENONE"
end

-- A refusal of the scenery, with the place in the file of the object that it names. text: the file's, nil: a
-- table, whose file may be known.
local function refused(room, message, file, text)
  local mark, name, what = message:match "thing (#?)([^:]+): (.*)$"
  local thing
  for i, one in ipairs(room.things) do
    if what and (mark == "#" and i - 1 == tonumber(name) or mark == "" and one.name == name) then thing = one break end
  end
  if not thing then return file and ("%s: %s"):format(file, message) or message end
  if not text then return ("%s%s: %s"):format(file and file .. ": " or "", thing.path, what) end
  if reader_of(file, text) then return ("%s:%s: %s"):format(file, thing.path, what) end
  return descriptor.lines_of({ { path = thing.path, message = what } }, text, file)[1]
end

---Reads a file, or an embedded world: its room, and the file's path and text; nil, message with a line for each
---error, code.
function world.read(name)
  local text, file, code = world.text(name)
  if not text then return nil, file, code end
  local value, message
  if not reader_of(file, text) then value, message = core.data(text, "@" .. file) end
  if message then return nil, message, "EINVAL" end
  local errors, room = world.errors(value, file, text)
  if #errors > 0 then return nil, table.concat(errors, "\n"), "EINVAL" end
  return room, file, text
end

---Sets up the scenery of this process's world: a name, a file, or a table as such a file returns; file: that of the
---table. true; nil, message, code as of read, also when the physics of existing robots refuses it.
function world.open(what, file)
  local room, text
  if type(what) == "string" then
    room, file, text = world.read(what)
    if not room then return nil, file, text end
  elseif type(what) == "table" then
    local report
    report, room = world.check(what, file)
    if #report > 0 then mistake("world: %s: %s", report[1].path, report[1].message) end
  else
    mistake("world: want a name, a file or a table, got %s", type(what))
  end
  local ok, message, code = core.surround(room)
  if not ok then return nil, refused(room, message, file, text), code end
  require "robotalk.descriptor.start".set(room.start, room.things)
  require "robotalk.pictures.film".view = room.view
  return true
end

return world
