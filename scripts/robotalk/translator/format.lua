-- Formats of values of a device or an object, and the check of values. A format is { type =, count =,
-- names =, units = }: control, video, audio, text or binary; of control the number of dofs, their names and their
-- units, as far as they are known.
local printable = require "robotalk.text.text".printable

local format = {}

local TYPES <const> = { control = true, video = true, audio = true, text = true, binary = true }
local MOST <const> = 4096 -- dofs
local LONGEST <const> = 63 -- bytes of a name, or of a unit

local function finite(x) return math.type(x) ~= nil and x - x == 0 end

-- The error in a name or a unit, which may be left out; nil: none.
local function word_fault(word)
  if word == nil then return end
  if type(word) ~= "string" then return ("expected a text, got %s"):format(type(word)) end
  if #word > LONGEST then return ("expected at most %d bytes, got %d"):format(LONGEST, #word) end
  if printable(word) ~= word then return "expected a text without control characters" end
end

---The errors of a table that describes a format: a list of { path =, message = }.
function format.faults(said)
  local faults = {}
  local function add(path, form, ...) faults[#faults + 1] = { path = path, message = form:format(...) } end
  if type(said) ~= "table" then
    add("", "expected a table, got %s", type(said))
    return faults
  end
  if not TYPES[said.type] then
    add("type", "expected control, video, audio, text or binary, got %s", tostring(said.type))
  end
  local function look(path, word)
    local fault = word_fault(word)
    if fault then add(path, "%s", fault) end
  end
  look("unit", said.unit)
  local dofs = said.dofs
  if dofs == nil or math.type(dofs) == "integer" and dofs >= 1 and dofs <= MOST then return faults end
  if type(dofs) ~= "table" or #dofs < 1 or #dofs > MOST then
    add("dofs", "expected a number of 1 to %d, or a list", MOST)
    return faults
  end
  for i = 1, #dofs do
    local dof, path = dofs[i], ("dofs[%d]"):format(i)
    if type(dof) == "string" then
      look(path, dof)
    elseif type(dof) == "table" then
      look(path .. ".name", dof.name)
      look(path .. ".unit", dof.unit)
    else
      add(path, "expected a name, or { name =, unit = }, got %s", type(dof))
    end
  end
  return faults
end

---The format in a table's fields type, dofs (a number, or a list of names or { name =, unit = }) and unit
---(of all dofs); nil, why when there is none.
function format.of(said)
  local fault = format.faults(said)[1]
  if fault then return nil, (fault.path == "" and "" or fault.path .. ": ") .. fault.message end
  local f, dofs = { type = said.type, names = {}, units = {} }, said.dofs
  if dofs == nil then
    f.unit = said.unit
    return f
  end
  f.count = type(dofs) == "table" and #dofs or dofs
  for i = 1, f.count do
    local dof = type(dofs) == "table" and dofs[i] or {}
    if type(dof) == "string" then dof = { name = dof } end
    f.names[i], f.units[i] = dof.name or false, dof.unit or said.unit or false
  end
  return f
end

---The format of an object's parameters.
function format.of_object(object) return format.of { type = object.type, dofs = object.parameters } end

local function control_fault(f, values)
  if type(values) ~= "table" then return ("expected a list of numbers, got a %s"):format(type(values)) end
  local count = f and f.count
  if count and #values ~= count then return ("expected %d values, got %d"):format(count, #values) end
  if #values == 0 or #values > MOST then return ("expected 1 to %d values, got %d"):format(MOST, #values) end
  for i = 1, #values do
    local x = values[i]
    if type(x) ~= "boolean" and not finite(x) then
      return ("value %d: expected a finite number, got %s"):format(i, x ~= x and "NaN" or
        type(x) == "number" and tostring(x) or type(x))
    end
  end
end

local PIXELS <const> = { rgb = 3, gray = 1 }

local function picture_fault(p)
  if type(p) ~= "table" or type(p.bytes) ~= "string" then return "expected a picture with bytes" end
  if p.format == "jpeg" then return end
  local size = PIXELS[p.format]
  if not size then return ("expected a picture of the format jpeg, rgb or gray, got %s"):format(tostring(p.format)) end
  if math.type(p.width) ~= "integer" or math.type(p.height) ~= "integer" or #p.bytes ~= p.width * p.height * size then
    return "expected as many bytes as its width and height say"
  end
end

---The error in values of that format; nil: none. count: of the dofs, if the format has none; nil: any.
function format.fault(f, values, count)
  if f.type == "control" then return control_fault(f.count and f or { count = count }, values) end
  if f.type == "video" then return picture_fault(values) end
  if type(values) ~= "string" then return ("expected a text, got a %s"):format(type(values)) end
  if f.type == "text" and (not utf8.len(values) or values:find("\0", 1, true)) then
    return "expected a text of UTF-8 without NUL"
  end
end

---The default format: a translator without a type returns the type that it receives.
function format.guess(values)
  if type(values) == "string" then return { type = "binary" } end
  return { type = type(values) == "table" and values.bytes and "video" or "control" }
end

return format
