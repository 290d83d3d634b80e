-- Writes a descriptor as a Lua file that people can edit: fields in the order of spec/descriptor.lua, units
-- beside their first use, guesses marked in place. Loaded again, the file gives an equal descriptor.
local check = require "robotalk.descriptor.check"

local WIDTH = 120
local kinds = check.kinds

-- ---- single values ----

local function is_reduced(a, b)
  while b ~= 0 do a, b = b, a % b end
  return math.abs(a) == 1
end

-- An angle that is a simple fraction of a turn, as people write it; nil for others.
local function angle(x)
  for decimals = 0, 3 do
    local degrees = ("%%.%df"):format(decimals):format(math.deg(x))
    if math.rad(tonumber(degrees)) == x then return ("rad(%s)"):format(degrees) end
  end
  for part = 1, 12 do
    local times = math.floor(x * part / math.pi + 0.5)
    if is_reduced(times, part) and times * math.pi / part == x then
      return ("%smath.pi%s"):format(times == 1 and "" or times == -1 and "-" or ("%d * "):format(times),
        part == 1 and "" or (" / %d"):format(part))
    end
  end
end

-- The fewest digits that read back equal; angles with many digits as fractions of a turn.
local function number(x, is_angle)
  if x ~= x then return "0/0" end
  if x == math.huge or x == -math.huge then return x > 0 and "math.huge" or "-math.huge" end
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x == math.floor(x) and math.abs(x) < 1e15 then return ("%d"):format(x) end
  local digits, enough = 1, 17
  while digits < enough do -- what some digits tell, more tell as well
    local middle = (digits + enough) // 2
    if tonumber(("%%.%dg"):format(middle):format(x)) == x then enough = middle else digits = middle + 1 end
  end
  return digits > 6 and is_angle and math.abs(x) < 100 and angle(x) or ("%%.%dg"):format(digits):format(x)
end

local function is_name(key)
  return type(key) == "string" and key:find("^[%a_][%w_]*$") and load("local " .. key) ~= nil
end

local function key_text(key)
  if is_name(key) then return key end
  return type(key) == "string" and (("[%q]"):format(key):gsub("\\\n", "\\n")) or ("[%s]"):format(tostring(key))
end

-- The text of a comment, in one line.
local function comment(text) return (text:gsub("%c+", " ")) end

local function note_text(note) return (note.guess and "guess: " or "") .. comment(note.message) end

-- ---- fields ----

-- The unit of a field, within its table; dofs turn or slide.
local function unit_of(field, holder)
  local unit = field.unit
  if not unit or not unit:find("^dof") then return unit end
  local slides = holder and holder.type == "prismatic"
  if unit == "dof force" then return slides and "N" or "N*m" end
  return unit:gsub("dof", slides and "m" or "rad")
end

local function is_angle(field, holder)
  if field[2] == "panic" then return true end
  local unit = unit_of(field, holder)
  return unit ~= nil and unit:find("^rad") ~= nil
end

local PLANE = { x = 1, y = 2, theta = 3 }

-- The fields of a kind that a table has, in the order of the specification; the driver's own after them, by name.
local function ordered(value, kind)
  local keys, seen = {}, {}
  for _, field in ipairs(kinds[kind]) do
    if value[field[1]] ~= nil then keys[#keys + 1] = field end
    seen[field[1]] = true
  end
  for _, key in ipairs(check.keys_of(value)) do
    if not seen[key] then
      if kind ~= "driver" then error(("a descriptor's %s has no field '%s'"):format(kind, tostring(key)), 0) end
      keys[#keys + 1] = { key, "any" }
    end
  end
  return keys
end

-- The kind of table that a field holds, and its form: "list", "dof".
local function nested(field) return field[2]:match("^(%l+) (%l+)$") end

-- The field that describes the items of a field's table.
local function item_of(field)
  local _, kind = nested(field)
  return kind and { "", "item", of = kind } or { "", "item", angle = field.angle or is_angle(field) }
end

-- ---- lines ----

local Writer = {}
Writer.__index = Writer

function Writer:line(indent, text) self.lines[#self.lines + 1] = ("  "):rep(indent) .. text end

-- The remarks on a path, as a comment; "" if there are none.
function Writer:remark(path)
  local notes = self.notes[path]
  if not notes then return "" end
  self.notes[path] = nil
  local texts = {}
  for i, note in ipairs(notes) do texts[i] = note_text(note) end
  return " -- " .. table.concat(texts, "; ")
end

function Writer:has_remarks_within(path)
  for key in pairs(self.notes) do
    if key:sub(1, #path) == path and key:find("^[.%[]", #path + 1) then return true end
  end
  return false
end

function Writer:number(x, as_angle)
  local text = number(x, as_angle)
  if text:find("^rad") then self.turns = true end
  return text
end

-- Of a table without a kind: its items in a row, then all other keys.
function Writer:parts(value, field)
  local parts, item, count = {}, item_of(field), #value
  for i = 1, count do parts[i] = self:inline(value[i], item) end
  local keys = check.keys_of(value)
  if field[2] == "plane" then
    table.sort(keys, function(a, b) return (PLANE[a] or math.huge) < (PLANE[b] or math.huge) end)
  end
  for _, key in ipairs(keys) do
    if not (math.type(key) == "integer" and key >= 1 and key <= count) then
      local of_plane = field[2] == "plane" and { key, "number", angle = key == "theta" }
      parts[#parts + 1] = key_text(key) .. " = " .. self:inline(value[key], of_plane or item)
    end
  end
  return parts
end

-- A value on one line.
function Writer:inline(value, field, holder)
  if type(value) == "string" then return (("%q"):format(value):gsub("\\\n", "\\n")) end
  if type(value) == "number" then return self:number(value, field.angle or is_angle(field, holder)) end
  if type(value) ~= "table" then return tostring(value) end
  local how, kind = nested(field)
  local parts
  if how == "one" or field.of then
    parts = {}
    for i, f in ipairs(ordered(value, kind or field.of)) do
      parts[i] = key_text(f[1]) .. " = " .. self:inline(value[f[1]], f, value)
    end
  else
    parts = self:parts(value, how and field or { field[1], field[2], angle = field.angle or is_angle(field, holder) })
  end
  return #parts == 0 and "{}" or "{ " .. table.concat(parts, ", ") .. " }"
end

-- The units of a field, and of its parts, that were not printed before: "kg"; "capacity J, voltage V".
function Writer:units(value, field, holder, named, out)
  local unit = unit_of(field, holder)
  local how, kind = nested(field)
  if unit and not self.told[field[1] .. unit] then
    out.told[#out.told + 1] = field[1] .. unit
    out.text[#out.text + 1] = (named and field[1] .. " " or "") .. unit:gsub("%*", " "):gsub("(%a)(%d)", "%1^%2")
  elseif type(value) == "table" and (how == "one" or field.of) then
    for _, f in ipairs(ordered(value, kind or field.of)) do self:units(value[f[1]], f, value, true, out) end
  elseif type(value) == "table" and how == "list" and #value == 1 then
    self:units(value[1], { "", "item", of = kind }, nil, true, out)
  end
  return out
end

-- A comment with these units, where the line has room for it.
function Writer:units_comment(value, field, holder, room)
  local out = self:units(value, field, holder, field.of ~= nil, { told = {}, text = {} })
  local text = " -- " .. table.concat(out.text, ", ")
  if #out.text == 0 or #text > room then return "" end
  for _, unit in ipairs(out.told) do self.told[unit] = true end
  return text
end

-- Items that are no tables, as many on a line as there is room for.
function Writer:fill(indent, parts)
  local row = ""
  for _, part in ipairs(parts) do
    if row ~= "" and 2 * indent + #row + #part + 2 > WIDTH then
      self:line(indent, row)
      row = ""
    end
    row = row .. (row == "" and "" or " ") .. part .. ","
  end
  if row ~= "" then self:line(indent, row) end
end

local function has_tables(value)
  for _, x in pairs(value) do if type(x) == "table" then return true end end
  return false
end

-- A value that may take several lines: `lead` before it, a comma after it.
function Writer:value(indent, lead, value, field, path, holder)
  local one = self:inline(value, field, holder)
  local how, kind = nested(field)
  local own = kind or field.of
  local within = type(value) == "table" and self:has_remarks_within(path)
  local room = WIDTH - 2 * indent - #lead - #one - 1
  if type(value) ~= "table" or room >= 0 and not within and how ~= "numbered" and how ~= "named" then
    local remark = self:remark(path)
    if remark == "" then remark = self:units_comment(value, field, holder, room) end
    self:line(indent, lead .. one .. "," .. remark)
    return
  end
  self:line(indent, lead .. "{" .. self:remark(path))
  if how == "one" or (not how and own) then
    for _, f in ipairs(ordered(value, own)) do
      self:value(indent + 1, key_text(f[1]) .. " = ", value[f[1]], f, check.join(path, f[1]), value)
    end
  elseif not own and not within and not has_tables(value) then
    self:fill(indent + 1, self:parts(value, field))
  else
    local item = item_of(field)
    for _, key in ipairs(check.keys_of(value)) do
      local head = (how == "numbered" or math.type(key) ~= "integer" or key < 1 or key > #value)
        and key_text(key) .. " = " or ""
      self:value(indent + 1, head, value[key], item, check.join(path, key))
    end
  end
  self:line(indent, "},")
end

local write = {}

---Lua source of a descriptor. notes: { { path =, message =, guess = } … }, remarks that are put where they belong;
---those without a path, or on parts that were not written, are put at the head. Raises for an unknown field.
function write.write(description, notes)
  local self = setmetatable({ lines = {}, notes = {}, told = {} }, Writer)
  local head = { ("-- %s%s. SI units; x ahead, y left, z up; angles in radians."):format(
    comment(description.name or "a robot"), description.model and ", " .. comment(description.model) or "") }
  if #head[1] > WIDTH then head[1] = head[1]:gsub("%. (SI units; )", ".\n-- %1") end
  for _, note in ipairs(notes or {}) do
    if note.path and note.path ~= "" then
      self.notes[note.path] = self.notes[note.path] or {}
      table.insert(self.notes[note.path], note)
    else
      head[#head + 1] = "-- " .. note_text(note)
    end
  end
  for _, field in ipairs(ordered(description, "robot")) do
    self:value(1, key_text(field[1]) .. " = ", description[field[1]], field, field[1], description)
  end
  for _, path in ipairs(check.keys_of(self.notes)) do
    for _, note in ipairs(self.notes[path]) do
      head[#head + 1] = ("-- %s: %s"):format(comment(path), note_text(note))
    end
  end
  if self.turns then head[#head + 1] = "local rad = math.rad\n" end
  head[#head + 1] = "---@type robotalk.Descriptor\nreturn {"
  self:line(0, "}\n")
  return table.concat(head, "\n") .. "\n" .. table.concat(self.lines, "\n")
end

return write
