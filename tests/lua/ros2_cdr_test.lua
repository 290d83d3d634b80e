-- The codec of messages of ROS 2, against the vectors of tests/ros, whose bytes are another implementation's.
local cdr = require "robotalk.ros2.cdr"
local json = require "robotalk.json"
local ros = require "spec.ros"

local function unhex(hex)
  return (hex:gsub("%s", ""):gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end))
end

local DIGIT = {}
for i = 0, 63 do DIGIT[("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"):byte(i + 1)] = i end
local function unbase64(text)
  return (text:gsub("=", ""):gsub("(.)(.)(.?)(.?)", function(...)
    local bits, n = 0, 0
    for _, digit in ipairs { ... } do
      if digit ~= "" then bits, n = bits << 6 | DIGIT[digit:byte()], n + 6 end
    end
    return (string.pack(">I4", bits << 32 - n)):sub(1, n // 8)
  end))
end

-- JSON as the codec has it: NaN for null, octets for base64.
local function meant(type, x)
  if x == json.null then return -(0 / 0) end -- the sign of NaN in the vectors
  local message
  for _, m in ipairs(ros.messages) do if m.name == type then message = m end end
  if not message then return x end
  local out = {}
  for _, f in ipairs(message.fields) do
    local v = x[f.name]
    if f.count and f.type == "uint8" then
      v = unbase64(v)
    elseif f.count then
      local list = {}
      for i, one in ipairs(v) do list[i] = meant(f.type, one) end
      v = list
    else
      v = meant(f.type, v)
    end
    out[f.name] = v
  end
  return out
end

local function same(path, a, b)
  if type(a) == "table" and type(b) == "table" then
    for key in pairs(a) do same(path .. "." .. key, a[key], b[key]) end
    for key in pairs(b) do if a[key] == nil then error(path .. "." .. key .. ": is too much", 0) end end
  elseif a ~= b and (a == a or b == b) then
    error(("%s: expected %s, got %s"):format(path, a, b), 0)
  end
end

local vectors = {}
do
  local lines = {}
  for line in io.lines "tests/ros/vectors.txt" do lines[#lines + 1] = line end
  for i = 1, #lines, 3 do
    local type = lines[i]:match "[%w_/:]+$"
    vectors[#vectors + 1] = { big = type ~= lines[i], type = type, bytes = unhex(lines[i + 2]),
      means = meant(type, assert(json.decode(lines[i + 1]))) }
  end
end

describe("messages of ROS 2", function()
  it("are read as what the vectors mean, and written as their bytes", function()
    expect.truthy(#vectors > 30)
    for _, v in ipairs(vectors) do
      same(v.type, v.means, assert(cdr.decode(v.type, v.bytes)))
      if not v.big then expect.equal(v.bytes, cdr.encode(v.type, v.means), v.type) end
    end
  end)

  it("that are cut off, or too long, are refused with their place", function()
    for _, v in ipairs(vectors) do
      for n = 0, #v.bytes - 1 do
        local message, why = cdr.decode(v.type, v.bytes:sub(1, n))
        expect.equal(nil, message)
        expect.truthy(why:find "expected .*at byte %d+$", why)
      end
      local _, why = cdr.decode(v.type, v.bytes .. "\0\0\0\0")
      expect.truthy(why:find "expected the end of the message, at byte %d+$", why)
    end
    for _, case in ipairs {
      { "std_msgs/msg/String", "00010000 ffffffff 41", "data: expected more bytes, at byte 8" },
      { "std_msgs/msg/String", "00010000 03000000 410000",
        "data: expected a text with one NUL, at its end, at byte 8" },
      { "std_srvs/srv/Trigger_Response", "00010000 02000000 01000000 00",
        "success: expected 0 or 1, at byte 4" },
      { "action_msgs/msg/GoalStatusArray", "00010000 ffffffff 00",
        "status_list: expected a count of no more elements than follow, at byte 8" },
    } do
      expect.equal(case[3], select(2, cdr.decode(case[1], unhex(case[2]))))
    end
  end)

  it("may lack fields, and are not written with values that do not fit", function()
    local twist = "geometry_msgs/msg/Twist"
    expect.equal(("\0"):rep(52 - 4), cdr.encode(twist, {}):sub(5))
    expect.equal(0.5, cdr.decode(twist, cdr.encode(twist, { angular = { z = 0.5 } })).angular.z)
    for why, case in pairs {
      ["geometry_msgs/msg/Twist: linear.x: expected a number"] = { twist, { linear = { x = "fast" } } },
      ["geometry_msgs/msg/Twist: linear: expected no other fields than those of geometry_msgs/msg/Vector3"] =
        { twist, { linear = { X = 1 } } },
      ["there is no message 'Twist'; spec/ros.md lists them"] = { "Twist", {} },
      ["unique_identifier_msgs/msg/UUID: uuid: expected 16 of them"] =
        { "unique_identifier_msgs/msg/UUID", { uuid = "abc" } },
      ["std_msgs/msg/Header: stamp.nanosec: expected a whole number, 0 to 4294967295"] =
        { "std_msgs/msg/Header", { stamp = { nanosec = -1 } } },
      ["sensor_msgs/msg/JointState: name[2]: expected a text without NUL"] =
        { "sensor_msgs/msg/JointState", { name = { "a", 1 } } },
    } do
      local _, raised = pcall(cdr.encode, table.unpack(case))
      expect.truthy(raised:find(why, 1, true), raised)
    end
  end)

  it("of services have 16 bytes before them", function()
    local head, type = ("0123456789abcdef"), "std_srvs/srv/Trigger_Response"
    local bytes = cdr.encode(type, { success = true, message = "done" }, head)
    expect.equal(head, bytes:sub(5, 20))
    expect.equal("done", cdr.decode(type, bytes, 16).message)
    expect.equal("std_srvs::srv::dds_::Trigger_Response_", cdr.dds_type(type))
  end)
end)
