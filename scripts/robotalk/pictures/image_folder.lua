-- Rewinds a folder of pictures: by time, by step, by range. Each query reads the folder again, so it
-- includes pictures that a server has added meanwhile; nothing is written, and no server is needed. One picture is
-- found without reading all of them.
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local checked = require "robotalk.mistakes.checked"
local instant = require "robotalk.text.instant"
local mistake = require "robotalk.mistakes.mistake"

local MOST <const> = 1 << 24 -- bytes of a picture

local Folder = {}
Folder.__index = Folder

local function entry_of(folder, number, time, size, source)
  return { number = number, time = time / 1e6, us = time, size = size, source = source,
    file = ("%s/%012d.jpg"):format(folder.path, number) }
end

local function check_picture(what, entry)
  if type(entry) == "table" and math.type(entry.number) == "integer" and type(entry.file) == "string" then return end
  mistake("%s: want a picture, as list, at and step give them, got %s", what,
    type(entry) == "table" and "another table" or type(entry))
end

-- us of a script's time in s.
local function us_of(time) return math.tointeger((math.max(0, math.min(time, 9e9)) * 1e6 + 0.5) // 1) end

local RANGE = { from = checked.bound, to = checked.bound, source = checked.text }

---The pictures, the oldest first: { number, time, size, source, file }, time in s of the epoch; nil, message, code.
---options: from, to (such times, both of them included), source.
function Folder:list(options)
  options = checked.options(options, RANGE, "list")
  local list, message, code = core.image_list(self.path)
  if not list then return nil, message, code end
  local from, to = us_of(options.from or 0), us_of(options.to or 9e9)
  local found = {}
  for place = 1, list:count() do
    local entry = entry_of(self, list:entry(place))
    if entry.us >= from and entry.us <= to and (not options.source or entry.source == options.source) then
      found[#found + 1] = entry
    end
  end
  return found
end

local function oldest_of(folder, source)
  local list = folder:list { source = source }
  return list and list[1]
end

-- Why there is no picture: the name of a source is easily confused with a robot's. time: in us; nil for a query by
-- steps.
local function absence(folder, source, time)
  local oldest = time and oldest_of(folder, source)
  if oldest and time < oldest.us then
    return ("%s: there is no picture so far back: the oldest is of %s"):format(folder.path, instant.text(oldest.us))
  end
  if core.image_find(folder.path, nil, 0, 0, source) then
    return ("%s: there is no picture so far back or ahead"):format(folder.path)
  end
  if not source then return ("%s: there is no picture"):format(folder.path) end
  local all, known, names = core.image_list(folder.path), {}, {}
  for place = 1, all and all:count() or 0 do known[select(4, all:entry(place))] = true end
  for name in pairs(known) do names[#names + 1] = name end
  table.sort(names)
  return ("%s: there is no picture of %s; there are those of %s"):format(folder.path, source,
    #names > 0 and table.concat(names, ", ", 1, math.min(#names, 10)) or "nobody")
end

-- The picture that many steps after that number, or after the newest of that time, in us, or before.
local function find(folder, time, number, step, source)
  local found, us, size, of = core.image_find(folder.path, time, number, step, source)
  if found then return entry_of(folder, found, us, size, of) end
  local message, code = us, size
  return nil, code == "ENONE" and absence(folder, source, time) or message, code
end

---The newest picture of that time, s of the epoch, or before; nil, message, code: ENONE when there is none.
---options: source; step: that many further, -1: the one before.
function Folder:at(time, options)
  checked.value(time, checked.bound, "at", "time")
  options = checked.options(options, { source = checked.text, step = true }, "at")
  local step = options.step or 0
  if not math.tointeger(step) then mistake("at: step: want a whole number, got %s", tostring(step)) end
  return find(self, us_of(time), 0, math.tointeger(step), options.source)
end

---The picture that is `step` from the newest, or from the given one; -1: the one before. nil, message,
---code. options: source.
function Folder:step(step, from, options)
  if from ~= nil then check_picture("step", from) end
  if not math.tointeger(step) then mistake("step: want a whole number, got %s", tostring(step)) end
  options = checked.options(options, { source = checked.text }, "step")
  return find(self, nil, from and from.number or 0, math.tointeger(step), options.source)
end

---The JPEG of one of these; nil, message, code: ENONE when it was removed meanwhile.
function Folder:read(entry)
  check_picture("read", entry)
  return core.read_file(entry.file, MOST)
end

colon.methods(Folder, "folder")

-- A folder by its path; nil, message, code: it cannot be read, or has no index.
local function open(path)
  if type(path) ~= "string" then mistake("open: want the path of a folder, got %s", type(path)) end
  local newest, message, code = core.image_find(path)
  if not newest and code ~= "ENONE" then return nil, message, code end
  return setmetatable({ path = path }, Folder)
end

return { open = open, Folder = Folder }
