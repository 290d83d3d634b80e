-- Descriptors that are another one with changes: `from` names it, and what is said beside that is said in place of what
-- it says. Tables of fields are joined field by field; records by their names or, where they have none, by their
-- numbers. A part that is false is not there.
local beside = require "robotalk.beside"
local check = require "robotalk.descriptor.check"
local core = require "robotalk.core"

local derive = {}

local DEPTH <const> = 8 -- descriptors in a row, each from the next
local LARGEST <const> = 16 << 20 -- bytes of a file

local function copy(t)
  local out = {}
  for key, value in pairs(t) do out[key] = value end
  return out
end

local merge -- (theirs, ours, kind): both of that kind

-- Which of their records ours means: that of its name, else, if it has none, that of its number.
local function place_of(item, key, out, places, numbered)
  if type(item) == "table" and item.name ~= nil then return places[item.name] end
  return numbered and out[key] ~= nil and key or nil
end

-- Records in a row: ours that are none of theirs come behind them.
local function rows(theirs, ours, kind, numbered)
  local out, places, last = copy(theirs), {}, 0
  for key, item in pairs(theirs) do
    if type(item) == "table" and item.name ~= nil then places[item.name] = key end
    if math.type(key) == "integer" then last = math.max(last, key) end
  end
  for _, key in ipairs(check.keys_of(ours)) do
    local item = ours[key]
    local at = place_of(item, key, out, places, numbered)
    if not at then
      at = (numbered and out[key] == nil or math.type(key) ~= "integer") and key or last + 1
      if math.type(at) == "integer" then last = math.max(last, at) end
    end
    out[at] = type(item) == "table" and type(out[at]) == "table" and merge(out[at], item, kind) or item
  end
  return out
end

-- Entries by their names; one that names another driver has none of the options that were meant for the one before.
local function entries(theirs, ours)
  local out = copy(theirs)
  for name, entry in pairs(ours) do
    local old = out[name]
    local both = type(entry) == "table" and type(old) == "table"
    local another = both and ((entry.driver or old.driver) ~= old.driver or (entry.script or old.script) ~= old.script)
    if both and not another then
      entry, old = copy(old), entry
      for key, value in pairs(old) do entry[key] = value end
    end
    out[name] = entry or nil
  end
  return out
end

local JOIN = {
  list = function(theirs, ours, kind) return rows(theirs, ours, kind, false) end,
  numbered = function(theirs, ours, kind) return rows(theirs, ours, kind, true) end,
  named = entries,
}

function merge(theirs, ours, kind)
  local out, types = copy(theirs), {}
  for _, field in ipairs(check.kinds[kind] or {}) do types[field[1]] = field[2] end
  for key, value in pairs(ours) do
    local how, inner = (types[key] or ""):match "^(%l+) (%l+)$"
    if how and value == false then
      out[key] = nil
    elseif how and type(value) == "table" and type(out[key]) == "table" then
      out[key] = JOIN[how](out[key], value, inner)
    else
      out[key] = value
    end
  end
  return out
end
JOIN.one = merge

-- The table that a descriptor's file returns, and the file; nil, what is wrong.
local function other_of(name, file)
  local text, path = core.script("robots/" .. name .. ".lua"), "robots/" .. name .. ".lua"
  if not text then
    if not name:find "[./]" then return nil, ("expected a robot that comes along, or a path, got %q"):format(name) end
    local why
    path = file and beside.find(file, name) or name
    text, why = core.read_file(path, LARGEST)
    if not text then return nil, why end
  end
  local other, message = core.data(text, "@" .. path)
  if message then return nil, message end
  if type(other) ~= "table" then return nil, ("%s:1: expected the file to return a table"):format(path) end
  return other, path
end

---What a descriptor says with all that it takes over from the one that it is from; itself if it is from none. What is
---wrong is added to the report. file: where it stands, or nil.
function derive.whole(description, file, report, depth)
  local name = type(description) == "table" and description.from
  if name == nil or name == false then return description end
  if type(name) ~= "string" or name == "" or #name > 255 then return description end -- the check says so
  if (depth or 0) == DEPTH then
    report:add("from", "expected at most %d descriptors in a row, each from the next", DEPTH)
    return description
  end
  local other, path = other_of(name, file)
  if not other then
    report:add("from", "%s", path)
    return description
  end
  other = derive.whole(other, path, report, (depth or 0) + 1)
  local out = merge(other, description, "robot")
  out.from = nil
  return out
end

return derive
