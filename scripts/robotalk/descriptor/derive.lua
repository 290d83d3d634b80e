-- Descriptors that vary another one: `from` names it, and a value beside it replaces the inherited one.
-- Tables of fields are joined field by field; the robot's own records (links, joints, frames, cameras, sensors,
-- widgets) by their names or, where they have none, by their numbers; a list within a record, as shapes and dofs,
-- replaces the inherited one. A part that is false is left out.
local beside = require "robotalk.robot.beside"
local check = require "robotalk.descriptor.check"
local copy = require "robotalk.descriptor.copy"
local core = require "robotalk.core"
local near = require "robotalk.mistakes.near"

local derive = {}

local DEPTH <const> = 8 -- descriptors in a row, each from the next
local LARGEST <const> = 16 << 20 -- bytes of a file

local merge -- (theirs, ours, kind): both of that kind

-- For a joined table, the keys in our part: { [its key] = our key, if that differs }.
local joined = setmetatable({}, { __mode = "k" })

-- For a joined table, the keys of lists of records that ours replaced: { [key] = true }.
local replaced = setmetatable({}, { __mode = "k" })

-- For joined rows, the new ones whose name may be a slip: { [key] = the inherited name }.
local slips = setmetatable({}, { __mode = "k" })

-- The inherited name that is probably meant by that of a new row, which does not say what it hangs on.
local function meant_by(item, names)
  if type(item) ~= "table" or type(item.name) ~= "string" or item.parent or item.child or item.link then return nil end
  local meant = near(item.name, names)
  -- "wheel3" beside "wheel2" is no slip
  return meant and meant:gsub("%d", "") ~= item.name:gsub("%d", "") and meant or nil
end

-- The inherited record that ours changes: that of its name, or, without a name, that of its number.
local function place_of(item, key, out, places, numbered)
  if type(item) == "table" and item.name ~= nil then return places[item.name] end
  return numbered and out[key] ~= nil and key or nil
end

-- Records in a row: new ones follow the inherited ones.
local function rows(theirs, ours, kind, numbered)
  local out, places, last, keys, names = copy(theirs), {}, 0, {}, {}
  joined[out], slips[out] = keys, {}
  for key, item in pairs(theirs) do
    if type(item) == "table" and item.name ~= nil then
      places[item.name] = key
      if type(item.name) == "string" then names[#names + 1] = item.name end
    end
    if math.type(key) == "integer" then last = math.max(last, key) end
  end
  table.sort(names)
  for _, key in ipairs(check.keys_of(ours)) do
    local item = ours[key]
    local at = place_of(item, key, out, places, numbered)
    if not at then
      at = (numbered and out[key] == nil or math.type(key) ~= "integer") and key or last + 1
      if math.type(at) == "integer" then last = math.max(last, at) end
      slips[out][at] = meant_by(item, names)
    end
    keys[at] = key
    if item == false and numbered then item = nil end
    out[at] = type(item) == "table" and type(out[at]) == "table" and merge(out[at], item, kind) or item
  end
  return out
end

-- The options of an entry that are named after joints, dofs of them, or wheels: JOINT, JOINT.DOF, or wheelN.
local function wiring(entry, joints)
  local named, out = {}, {}
  for _, joint in pairs(type(joints) == "table" and joints or {}) do
    if type(joint) == "table" and joint.name then named[joint.name] = true end
  end
  for option, value in pairs(entry) do
    local text = type(option) == "string" and option or ""
    if named[option] or named[text:match "^(.*)%.[^.]*$"] or text:match "^wheel%d+$" then out[option] = value end
  end
  return out
end

-- Entries by their names; one that names another driver does not inherit the options of the former driver, except
-- where its joints are wired.
local function entries(theirs, ours, joints)
  local out = copy(theirs)
  joined[out] = {}
  for name, entry in pairs(ours) do
    local old = out[name]
    if type(entry) == "table" and type(old) == "table" then
      local scripted = (entry.script or old.script) ~= old.script
      local another = scripted or (entry.driver or old.driver) ~= old.driver
      entry = merge(another and (scripted and {} or wiring(old, joints)) or old, entry)
    end
    out[name] = entry or nil
  end
  return out
end

local JOIN = {
  list = function(theirs, ours, kind) return rows(theirs, ours, kind, false) end,
  numbered = function(theirs, ours, kind) return rows(theirs, ours, kind, true) end,
  named = function(theirs, ours, _, robot) return entries(theirs, ours, robot.joints) end,
}

function merge(theirs, ours, kind)
  local out, types = copy(theirs), {}
  joined[out], replaced[out] = {}, copy(replaced[theirs] or {})
  for _, field in ipairs(check.kinds[kind] or {}) do types[field[1]] = field[2] end
  for key, value in pairs(ours) do
    local how, inner = (types[key] or ""):match "^(%l+) (%l+)$"
    if how and value == false then
      out[key] = nil
    elseif how and (how ~= "list" or kind == "robot") and type(value) == "table" and type(out[key]) == "table" then
      out[key] = JOIN[how](out[key], value, inner, theirs)
    else
      local old = out[key]
      replaced[out][key] = how and type(old) == "table" and type(value) == "table" or nil
      out[key] = value
    end
  end
  return out
end
JOIN.one = merge

-- The table that a descriptor's file returns, the file, and its text; nil and the error.
local function other_of(name, file)
  local text, path = core.script("robots/" .. name .. ".lua"), "robots/" .. name .. ".lua"
  if not text then
    if not name:find "[./]" then
      local meant = near(name, core.scripts "robots")
      return nil, ("expected a robot that comes along, or a path, got %q%s"):format(name,
        meant and ("; did you mean %q?"):format(meant) or "")
    end
    local why
    path = file and beside.find(file, name) or name
    text, why = core.read_file(path, LARGEST)
    if not text then return nil, why end
  end
  if text:find "^%s*<" or text:find "^#VRML" then
    local as = name:match "^(.-)%.?[^.]*$" .. ".lua"
    return nil, ("expected a descriptor in Lua, as robotalk convert %s %s writes it"):format(name, as)
  end
  local other, message = core.data(text, "@" .. path)
  if message then return nil, message end
  if type(other) ~= "table" then return nil, ("%s:1: expected the file to return a table"):format(path) end
  return other, path, text
end

-- A place in a descriptor: { value, path, file, text } in one file, without a text in the first one; or, of a table
-- that was joined, { whole, ours, theirs }, the latter two such places. Returns the place of a key in it; nil: there is
-- none.
local function inside(place, key)
  if not place.whole then
    local value = type(place.value) == "table" and place.value[key]
    return value and { value = value, path = check.join(place.path, key), file = place.file, text = place.text } or nil
  end
  local whole, keys = place.whole[key], joined[place.whole]
  local ours, theirs = inside(place.ours, keys[key] or key), inside(place.theirs, key)
  return ours and theirs and joined[whole] and { whole = whole, ours = ours, theirs = theirs } or ours or theirs
end

-- A descriptor with everything that it inherits, and its place.
local function derived(description, place, report, depth)
  local name = type(description) == "table" and description.from
  -- the check reports the error in a name
  if not name or type(name) ~= "string" or name == "" or #name > 255 then return description, place end
  local function refuse(form, ...)
    report:add("from", (depth > 0 and place.file:gsub("%%", "%%%%") .. ": from: " or "") .. form, ...)
    return description, place
  end
  if depth == DEPTH then return refuse("expected at most %d descriptors in a row, each from the next", DEPTH) end
  local other, path, text = other_of(name, place.file)
  if not other then return refuse("%s", path) end
  local theirs
  other, theirs = derived(other, { value = other, path = "", file = path, text = text }, report, depth + 1)
  local out = merge(other, description, "robot")
  out.from = nil
  return out, { whole = out, ours = place, theirs = theirs }
end

-- Adds { path =, name = } of each list within a record that was replaced, and { path =, name =, meant = } of each new
-- record whose name may be a slip.
local function changes_in(whole, path, lists, new)
  for _, key in ipairs(joined[whole] and check.keys_of(whole) or {}) do
    local value, at = whole[key], check.join(path, key)
    if replaced[whole] and replaced[whole][key] then lists[#lists + 1] = { path = at, name = whole.name } end
    local meant = slips[whole] and slips[whole][key]
    if meant then new[#new + 1] = { path = at, name = value.name, meant = meant } end
    changes_in(value, at, lists, new)
  end
  return lists, new
end

---The whole descriptor, with everything that it inherits; unchanged if it has no `from`. Errors are added to the
---report. file: its path, or nil. Then a function: for a path in the whole, the path in the file that has it, this
---file, and its text, which is nil for the descriptor itself. Then lists: { path =, name = } of each list of a named
---record that replaced an inherited one, and { path =, name =, meant = } of each new record whose name is nearly an
---inherited one.
function derive.whole(description, file, report)
  local whole, top = derived(description, { value = description, path = "", file = file }, report, 0)
  return whole, function(path)
    local place, rest = top, path
    while rest ~= "" do
      local key, after = rest:match "^[.%[]?([^.%[%]]+)%]?(.*)$"
      local inner = key and inside(place, math.tointeger(key) or key)
      if not inner then break end
      place, rest = inner, after
    end
    while place.whole do place = place.ours end
    return place.path .. rest, place.file, place.text
  end, changes_in(whole, "", {}, {})
end

return derive
