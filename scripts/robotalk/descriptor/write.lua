-- Writes a descriptor as a Lua file that people can go on with: fields in the order of spec/descriptor.lua, units
-- beside their first use, guesses marked where they stand. Loaded again, the file gives an equal descriptor.
local check = require "robotalk.descriptor.check"

local WIDTH = 110
local kinds = check.kinds

-- The fewest digits that read back equal; turns by simple fractions as math.rad(…).
local function number(x)
  if math.type(x) == "integer" then return tostring(x) end
  if x == math.floor(x) and math.abs(x) < 1e15 then return ("%d"):format(x) end
  local degrees = math.deg(x)
  local whole = math.floor(degrees * 4 + 0.5) / 4
  if math.abs(degrees) >= 1 and math.rad(whole) == x then return ("rad(%g)"):format(whole) end
  for digits = 1, 17 do
    local text = ("%%.%dg"):format(digits):format(x)
    if tonumber(text) == x then return text end
  end
  return ("%.17g"):format(x)
end

local function is_name(key)
  return type(key) == "string" and key:find("^[%a_][%w_]*$") and load("local " .. key) ~= nil
end

local function key_text(key)
  if is_name(key) then return key end
  return type(key) == "string" and ("[%q]"):format(key) or ("[%s]"):format(tostring(key))
end

local Writer = {}
Writer.__index = Writer

function Writer:line(indent, text) self.lines[#self.lines + 1] = ("  "):rep(indent) .. text end

-- The remarks on what stands at a path, as a comment; "" if there are none.
function Writer:remark(path)
  local notes = self.notes[path]
  if not notes then return "" end
  self.notes[path] = nil
  local texts = {}
  for i, note in ipairs(notes) do texts[i] = (note.guess and "guess: " or "") .. note.message:gsub("\n", " ") end
  return " -- " .. table.concat(texts, "; ")
end

local function has_remarks(self, path)
  for key in pairs(self.notes) do
    if key:sub(1, #path) == path and key:find("^[.%[]", #path + 1) then return true end
  end
  return false
end

-- The fields of a kind that a table has, in the order of the specification; whatever else it has, by name.
local function ordered(value, kind)
  local keys, seen = {}, {}
  for _, field in ipairs(kinds[kind] or {}) do
    if value[field[1]] ~= nil then keys[#keys + 1] = field end
    seen[field[1]] = true
  end
  for _, key in ipairs(check.keys_of(value)) do
    if not seen[key] then
      if kinds[kind] and kind ~= "driver" then error(("a descriptor's %s has no field '%s'"):format(kind, key), 0) end
      keys[#keys + 1] = { key, "any" }
    end
  end
  return keys
end

-- What kind of table a field holds, and how: "list", "dof".
local function nested(field)
  local how, kind = (field and field[2] or ""):match("^(%l+) (%l+)$")
  return how, kind
end

-- A value on one line.
function Writer:inline(value, field)
  if type(value) == "string" then return ("%q"):format(value):gsub("\\\n", "\\n") end
  if type(value) == "number" then return number(value) end
  if type(value) ~= "table" then return tostring(value) end
  local how, kind = nested(field)
  local parts = {}
  if how == "one" or (field and field.of) then
    for _, f in ipairs(ordered(value, kind or field.of)) do
      parts[#parts + 1] = key_text(f[1]) .. " = " .. self:inline(value[f[1]], f)
    end
  else
    local item = kind and { "", "", of = kind }
    for i, x in ipairs(value) do parts[i] = self:inline(x, item) end
    local count = #value
    for _, key in ipairs(check.keys_of(value)) do
      if not (math.type(key) == "integer" and key >= 1 and key <= count) then
        parts[#parts + 1] = key_text(key) .. " = " .. self:inline(value[key], item)
      end
    end
  end
  return #parts == 0 and "{}" or "{ " .. table.concat(parts, ", ") .. " }"
end

local function unit_of(self, field)
  if not field or not field.unit or self.told[field[1] .. field.unit] then return "" end
  self.told[field[1] .. field.unit] = true
  local unit = field.unit
  if unit:find("^dof") then return "" end
  return " -- " .. unit:gsub("%*", " "):gsub("(%a)(%d)", "%1^%2")
end

-- A value that may take several lines: `lead` stands before it, a comma behind.
function Writer:value(indent, lead, value, field, path)
  local one = self:inline(value, field)
  local how, kind = nested(field)
  local own = kind or (field and field.of)
  if type(value) ~= "table" or (#one + #lead + 2 * indent < WIDTH and not has_remarks(self, path)
    and not (how == "numbered" or how == "named")) then
    local remark = self:remark(path)
    self:line(indent, lead .. one .. "," .. (remark ~= "" and remark or unit_of(self, field)))
    return
  end
  self:line(indent, lead .. "{" .. self:remark(path))
  if how == "one" or (not how and own) then
    for _, f in ipairs(ordered(value, own)) do
      self:value(indent + 1, key_text(f[1]) .. " = ", value[f[1]], f, check.join(path, f[1]))
    end
  else
    local item = own and { "", "", of = own }
    local numbered = how == "numbered"
    for _, key in ipairs(check.keys_of(value)) do
      local head = (numbered or type(key) == "string" or key < 1 or key > #value) and key_text(key) .. " = " or ""
      self:value(indent + 1, head, value[key], item, check.join(path, key))
    end
  end
  self:line(indent, "},")
end

local write = {}

---Lua source of a descriptor. notes: { { path =, message =, guess = } … }, remarks that are put where they belong;
---those without a path stand at the head. Raises for what is no field of a descriptor.
function write.write(description, notes)
  local self = setmetatable({ lines = {}, notes = {}, told = {} }, Writer)
  self:line(0, ("-- %s%s. SI units; x ahead, y left, z up; angles in radians."):format(description.name or "a robot",
    description.model and ", " .. description.model or ""))
  for _, note in ipairs(notes or {}) do
    if note.path then
      self.notes[note.path] = self.notes[note.path] or {}
      table.insert(self.notes[note.path], note)
    else
      self:line(0, "-- " .. note.message:gsub("\n", " "))
    end
  end
  local head = #self.lines
  self:line(0, "---@type robotalk.Descriptor")
  self:line(0, "return {")
  for _, field in ipairs(ordered(description, "robot")) do
    self:value(1, key_text(field[1]) .. " = ", description[field[1]], field, field[1])
  end
  self:line(0, "}")
  -- remarks on what was not written
  for _, path in ipairs(check.keys_of(self.notes)) do
    for _, note in ipairs(self.notes[path]) do
      head = head + 1
      table.insert(self.lines, head, ("-- %s: %s%s"):format(path, note.guess and "guess: " or "",
        (note.message:gsub("\n", " "))))
    end
  end
  local text = table.concat(self.lines, "\n") .. "\n"
  if text:find("%f[%w]rad%(") then
    text = text:gsub("%-%-%-@type", "local rad = math.rad\n\n---@type", 1)
  end
  return text
end

return write
