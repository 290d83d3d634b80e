-- JSON (RFC 8259): the writer for every verb that prints it, and a reader.
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

-- ---- reading ----

local LETTERS = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }
local WORDS = { ["true"] = true, ["false"] = false, null = json.null }

local function fail(at, what) error({ ("byte %d: expected %s"):format(at, what) }, 0) end

local function escaped(at, letter, text)
  if letter ~= "u" then return LETTERS[letter] or fail(at, "an escape"), at + 2 end
  local code, next_ = tonumber(text:match("^%x%x%x%x", at + 2) or fail(at, "four hexadecimal digits"), 16), at + 6
  local low = code & 0xfc00 == 0xd800 and text:match("^\\u([dD][c-fC-F]%x%x)", next_)
  if low then return utf8.char(0x10000 + ((code & 0x3ff) << 10 | tonumber(low, 16) & 0x3ff)), next_ + 6 end
  return utf8.char(code & 0xf800 == 0xd800 and 0xfffd or code), next_
end

-- The text whose first letter is at that place, and where it is over.
local function text_at(text, at)
  local whole, after = text:match('^([^"\\%c]*)"()', at)
  if whole then return whole, after end
  local parts = {}
  while true do
    local part, mark, place = text:match('^([^"\\%c]*)(["\\])()', at)
    if not part then fail(at, "the end of a text") end
    parts[#parts + 1] = part
    if mark == '"' then return table.concat(parts), place end
    parts[#parts + 1], at = escaped(place - 1, text:sub(place, place), text)
  end
end

local function value_at(text, at, depth)
  at = text:match("^[ \t\r\n]*()", at)
  local letter = text:sub(at, at)
  if letter == '"' then return text_at(text, at + 1) end
  if letter ~= "{" and letter ~= "[" then
    local word, after = text:match("^([%w.+-]+)()", at)
    if WORDS[word] ~= nil then return WORDS[word], after end
    local whole, exponent = (word or ""):match "^(-?%d+%.?%d*)(.*)$"
    if not whole or whole:find "%.$" or whole:find "^-?0%d" or not (exponent .. "e0"):find "^[eE][+-]?%d+" then
      fail(at, "a value")
    end
    return tonumber(word) or fail(at, "a value"), after
  end
  if depth == DEEPEST then fail(at, "at most 100 values in each other") end
  local list, close, n = {}, letter == "{" and "}" or "]", 0
  at = text:match("^[ \t\r\n]*()", at + 1)
  if text:sub(at, at) == close then return list, at + 1 end
  repeat
    n = n + 1
    local key = n
    if close == "}" then
      at = text:match('^[ \t\r\n]*"()', at) or fail(at, "a name")
      key, at = text_at(text, at)
      at = text:match("^[ \t\r\n]*:()", at) or fail(at, "a colon")
    end
    list[key], at = value_at(text, at, depth + 1)
    at = text:match("^[ \t\r\n]*()", at)
    letter, at = text:sub(at, at), at + 1
    if letter ~= "," and letter ~= close then fail(at - 1, "a comma or " .. close) end
  until letter == close
  return list, at
end

---The value of a text of JSON, with json.null for null; nil, message. Numbers without a point or exponent are integers.
function json.decode(text)
  local ok, value, after = pcall(value_at, text, 1, 0)
  if not ok and type(value) ~= "table" then error(value, 0) end
  if not ok then return nil, value[1] end
  after = text:match("^[ \t\r\n]*()", after)
  if after > #text then return value end
  return nil, ("byte %d: expected the end"):format(after)
end

return json
