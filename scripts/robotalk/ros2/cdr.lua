-- Messages of ROS 2 as bytes of CDR (XCDR1), by the tables of spec/ros.lua. A message is a table with its fields'
-- names: numbers, booleans, texts, lists, tables of messages within it; octets (arrays and sequences of uint8) are
-- strings.
local ros = require "spec.ros"

local cdr = {}

local PACK = { bool = "I1", int8 = "i1", uint8 = "I1", int16 = "i2", uint16 = "I2", int32 = "i4", uint32 = "I4",
  float32 = "f", float64 = "d", string = "I4" }
local INTEGER = "^u?int"

local full, least = {}, {} -- least: bytes of each type, at least
for type, form in pairs(PACK) do least[type] = string.packsize("<" .. form) end
for _, m in ipairs(ros.messages) do
  full[m.name], least[m.name] = m, 0
  for _, f in ipairs(m.fields) do
    least[m.name] = least[m.name] + (f.count == 0 and 4 or least[f.type] * (f.count or 1))
  end
end

local function message_of(type)
  return full[type] or error(("there is no message '%s'; spec/ros.md lists them"):format(type), 3)
end

-- Raises, up to the pcall of encode or decode.
local function fail(path, form, ...)
  error({ ("%s: expected %s"):format(table.concat(path):gsub("^%.", ""), form:format(...)) })
end

-- The result of a function, or nil and its message.
local function try(fn, ...)
  local good, result = pcall(fn, ...)
  if good then return result end
  if type(result) ~= "table" then error(result, 0) end
  return nil, result[1]
end

local function is_octets(f) return f.count and f.type == "uint8" end

-- ---- writing ----

local put_message

local function align(out, size)
  local gap = -out.size % size
  out[#out + 1], out.size = ("\0"):rep(gap), out.size + gap
end

local function put(out, type, x)
  local size = least[type]
  align(out, size)
  out[#out + 1], out.size = string.pack("<" .. PACK[type], x), out.size + size
end

local function put_bytes(out, text) out[#out + 1], out.size = text, out.size + #text end

local function put_one(out, path, t, x)
  if full[t] then
    put_message(out, path, full[t], x)
  elseif t == "string" then
    if x == nil then x = "" end
    if type(x) ~= "string" or x:find("\0", 1, true) then fail(path, "a text without NUL") end
    put(out, t, #x + 1)
    put_bytes(out, x .. "\0")
  elseif t == "bool" then
    if x ~= nil and type(x) ~= "boolean" then fail(path, "true or false") end
    put(out, t, x and 1 or 0)
  else
    if x == nil then x = 0 end
    if type(x) ~= "number" then fail(path, "a number") end
    if t:find(INTEGER) then
      local bits = least[t] * 8
      local low, high = 0, (1 << bits) - 1
      if t:sub(1, 1) == "i" then low, high = -(1 << bits - 1), (1 << bits - 1) - 1 end
      x = math.tointeger(x)
      if not x or x < low or x > high then fail(path, "a whole number, %d to %d", low, high) end
    end
    put(out, t, x)
  end
end

local function put_field(out, path, f, x)
  if not f.count then return put_one(out, path, f.type, x) end
  local octets = is_octets(f)
  if x == nil then x = octets and ("\0"):rep(f.count) or {} end
  if type(x) ~= (octets and "string" or "table") then fail(path, octets and "a string of octets" or "a list") end
  local n = #x
  if f.count > 0 and n ~= f.count and (octets or next(x) ~= nil) then fail(path, "%d of them", f.count) end
  if f.count == 0 then put(out, "uint32", n) end
  if octets then return put_bytes(out, x) end
  for i = 1, math.max(n, f.count) do
    path[#path + 1] = ("[%d]"):format(i)
    put_one(out, path, f.type, x[i])
    path[#path] = nil
  end
end

function put_message(out, path, m, value)
  if value == nil then value = {} end
  if type(value) ~= "table" then fail(path, "a table") end
  local known = 0
  for _, f in ipairs(m.fields) do
    if value[f.name] ~= nil then known = known + 1 end
    path[#path + 1] = "." .. f.name
    put_field(out, path, f, value[f.name])
    path[#path] = nil
  end
  for _ in pairs(value) do known = known - 1 end
  if known < 0 then fail(path, "no other fields than those of %s", m.name) end
end

local function write(m, value, head)
  local out = { "\0\1\0\0", head or "", size = 0 }
  put_message(out, {}, m, value)
  return table.concat(out)
end

---The bytes of a message, little-endian. Missing fields are 0, false, "" or empty. Raises for values that do not fit.
---@param type string as "nav_msgs/msg/Odometry"
---@param value table
---@param head? string the 16 bytes before the messages of services in the dialect of rmw_cyclonedds
---@return string bytes
function cdr.encode(type, value, head)
  local bytes, message = try(write, message_of(type), value, head)
  return bytes or error(type .. ": " .. message, 2)
end

-- ---- reading ----

local get_message

local function take(from, path, size)
  local at = from.at
  if #from.bytes - at + 1 < size then fail(path, "more bytes, at byte %d", at - 1) end
  from.at = at + size
  return at
end

local function get(from, path, t)
  local size = least[t]
  take(from, path, (5 - from.at) % size)
  return (string.unpack(from.order .. PACK[t], from.bytes, take(from, path, size)))
end

local function get_one(from, path, t)
  if full[t] then return get_message(from, path, full[t]) end
  local x = get(from, path, t)
  if t == "bool" then
    if x > 1 then fail(path, "0 or 1, at byte %d", from.at - 2) end
    return x == 1
  elseif t == "string" and x == 0 then
    return ""
  elseif t == "string" then
    local at = take(from, path, x)
    if from.bytes:find("\0", at, true) ~= at + x - 1 then
      fail(path, "a text with one NUL, at its end, at byte %d", at - 1)
    end
    return from.bytes:sub(at, at + x - 2)
  end
  return x
end

local function get_field(from, path, f)
  if not f.count then return get_one(from, path, f.type) end
  local n = f.count > 0 and f.count or get(from, path, "uint32")
  if n > (#from.bytes - from.at + 1) // least[f.type] then
    fail(path, "a count of no more elements than follow, at byte %d", from.at - 1)
  end
  if is_octets(f) then
    local at = take(from, path, n)
    return from.bytes:sub(at, at + n - 1)
  end
  local list = {}
  for i = 1, n do
    path[#path + 1] = ("[%d]"):format(i)
    list[i] = get_one(from, path, f.type)
    path[#path] = nil
  end
  return list
end

function get_message(from, path, m)
  local value = {}
  for _, f in ipairs(m.fields) do
    path[#path + 1] = "." .. f.name
    value[f.name] = get_field(from, path, f)
    path[#path] = nil
  end
  return value
end

local function read(m, bytes, head)
  local from = { bytes = bytes, at = 5 + head, order = bytes:byte(2) == 0 and ">" or "<" }
  if #bytes < from.at - 1 or bytes:byte(1) ~= 0 or bytes:byte(2) > 1 then
    fail({ m.name }, "a header of CDR, 00 00 or 00 01, and two bytes, at byte 0")
  end
  local value = get_message(from, {}, m)
  if #bytes - from.at >= 3 then fail({ m.name }, "the end of the message, at byte %d", from.at - 1) end
  return value
end

---The message of bytes of either byte order. Takes no more values than there are bytes.
---@param type string
---@param bytes string
---@param head? integer how many bytes are before the message, as of encode: 16
---@return table? value, string message nil: what was expected, and where
function cdr.decode(type, bytes, head) return try(read, message_of(type), bytes, head or 0) end

---How DDS calls a type: "nav_msgs::msg::dds_::Odometry_".
---@param type string
---@return string
function cdr.dds_type(type) return message_of(type).dds end

return cdr
