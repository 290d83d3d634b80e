-- The writer of JSON (RFC 8259) for every verb that prints it.
local utf8_of = require "robotalk.text.text".utf8

local json = {}

---Represents null where Lua's nil would leave a field out.
json.null = setmetatable({}, { __tostring = function() return "null" end })

local DEEPEST = 100
local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r",
  ["\t"] = "\\t" }

local function string_of(s)
  return '"' .. utf8_of(s):gsub('[%c"\\]', function(c) return ESCAPES[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

-- As few digits as read back as the same number. JSON has no NaN and no infinity: null.
local function number_of(x)
  if x ~= x or x == math.huge or x == -math.huge then return "null" end
  if math.type(x) == "integer" then return ("%d"):format(x) end
  for digits = 15, 17 do
    local text = ("%." .. digits .. "g"):format(x)
    if digits == 17 or tonumber(text) == x then return text end
  end
end

-- The number of items of a list; nil: it is a record.
local function length_of(x)
  local n = 0
  for key in pairs(x) do
    if math.type(key) ~= "integer" then return nil end
    n = n + 1
  end
  return #x == n and n or nil
end

local Record = {} -- the metatable of records that may be empty

local encode

local function record_of(x, depth)
  local keys, values, parts = {}, {}, {}
  for key, value in pairs(x) do
    if type(key) ~= "string" and type(key) ~= "number" then error("a key of a record is a " .. type(key), 0) end
    key = tostring(key)
    keys[#keys + 1], values[key] = key, value
  end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = string_of(key) .. ":" .. encode(values[key], depth) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(x, depth)
  local kind = type(x)
  if x == nil or rawequal(x, json.null) then return "null" end
  if kind == "string" then return string_of(x) end
  if kind == "number" then return number_of(x) end
  if kind == "boolean" then return tostring(x) end
  if kind ~= "table" then error("a " .. kind .. " is no value of JSON", 0) end
  if depth == DEEPEST then error("more than 100 tables in each other", 0) end
  local n = getmetatable(x) ~= Record and length_of(x)
  if not n then return record_of(x, depth + 1) end
  local parts = {}
  for i = 1, n do parts[i] = encode(x[i], depth + 1) end
  return "[" .. table.concat(parts, ",") .. "]"
end

---A value as JSON on one line; keys are sorted, so equal values give equal texts. A table is a list when its keys are 1
---to n, also the empty one, unless it went through json.record; otherwise a record. Text is UTF-8, with U+FFFD for
---invalid bytes; numbers have all digits; nil, NaN and infinities are null. Raises for functions and for cyclic
---tables.
function json.encode(x) return encode(x, 0) end

---A copy of a table as a record, also when it is empty, with null for missing fields of these names.
function json.record(names, x)
  local record = setmetatable({}, Record)
  for _, name in ipairs(names) do record[name] = json.null end
  for key, value in pairs(x) do record[key] = value end
  return record
end

return json
