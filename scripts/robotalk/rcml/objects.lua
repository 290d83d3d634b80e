-- Checks an RCML_Robot (paper 001, 3.4; spec/rcml.md): its objects have names, and the fields that determine packets
-- of RCTP have valid values.
local scene = require "robotalk.rcml.scene"

local UNITS = { us = true, ms = true, s = true }
local SIZES = { [0] = true, [2] = true, [4] = true, [6] = true, [8] = true }
local WAYS = { "Input", "Output" }
local KINDS = { "Video", "Audio", "Control", "Text", "Binary" }

local function show(value)
  if type(value) == "number" then return ("%.7g"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local out = {}
  for i, x in ipairs(value) do out[i] = show(x) end
  return "[ " .. table.concat(out, " ") .. " ]"
end

local function check_group(node, said)
  local get = function(field) return scene.get(node, field) end
  if not SIZES[get "time_stamp_size"] then
    said:fail(node, "time_stamp_size: expected 0, 2, 4, 6 or 8 bytes, got %s", show(get "time_stamp_size"))
  end
  local count, unit = tostring(get "time_unit"):match "^(%d+) ?(%a+)$"
  if not count or not UNITS[unit] or tonumber(count) == 0 then
    said:fail(node, "time_unit: expected a whole number and us, ms or s, got %s", show(get "time_unit"))
  end
  local mode = get "command_mode"
  if mode ~= 0 and mode ~= 1 then said:fail(node, "command_mode: expected 0 or 1, got %s", show(mode)) end
  local interval = get "command_interval"
  if type(interval) ~= "table" or #interval ~= 2 then
    said:fail(node, "command_interval: expected two numbers, the least and the greatest, got %s", show(interval))
  elseif interval[1] >= 0 and interval[2] >= 0 and interval[1] > interval[2] then
    said:fail(node, "command_interval: expected the least before the greatest, got %s", show(interval))
  end
end

local function check_parameter(node, said)
  for field, most in pairs { value_type = 2, control_type = 1 } do
    local value = scene.get(node, field)
    if type(value) ~= "number" or value < 0 or value > most then
      said:fail(node, "%s: expected 0 to %d, got %s", field, most, show(value))
    end
  end
  local range = scene.get(node, "value_range") or {}
  for i = 1, #range - 1, 2 do
    if range[i] > range[i + 1] then
      said:fail(node, "value_range: expected the least before the greatest, got %s", show(range))
    end
  end
end

-- An object of inputs or outputs. names: those so far, with their nodes.
local function check_object(node, way, names, said)
  local kind = node.type:match("^RCML_(%a+)" .. way .. "$")
  local known = false
  for _, k in ipairs(KINDS) do known = known or k == kind end
  if not known then
    said:fail(node, "expected an RCML node of %s, such as RCML_Control%s, got %s", way:lower() .. "s", way, node.type)
    return
  end
  local name = scene.text(node, "name")
  if not name then
    said:fail(node, "%s: expected a name, by which it is assigned", node.type)
  elseif names[name] then
    said:fail(node, "expected each name once, got '%s', as at line %d", name, names[name].line)
  else
    names[name] = node
  end
  if kind ~= "Control" then return end
  check_group(node, said)
  local parameters = scene.nodes(node, node.type .. "Data")
  if #parameters == 0 then said:fail(node, "expected parameters in %sData, got none", node.type) end
  for _, parameter in ipairs(parameters) do
    if parameter.type == node.type .. "Data" then check_parameter(parameter, said)
    else said:fail(parameter, "expected %sData, got %s", node.type, parameter.type) end
  end
end

local objects = { KINDS = KINDS }

---The objects of an RCML_Robot. way: "input" or "output".
function objects.list(robot, way)
  local list = { table.unpack(scene.nodes(robot, way .. "s")) }
  for _, kind in ipairs(KINDS) do -- as in the paper
    local name = ("RCML_%s%s"):format(kind, way:gsub("^%l", string.upper))
    for _, node in ipairs(scene.nodes(robot, name)) do list[#list + 1] = node end
  end
  return list
end

---Adds the errors of an RCML_Robot to the report.
function objects.check(robot, said)
  local names = {}
  for _, way in ipairs(WAYS) do
    for _, node in ipairs(objects.list(robot, way:lower())) do check_object(node, way, names, said) end
  end
end

return objects
