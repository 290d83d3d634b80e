-- The sensors of a descriptor: the kind of each (spec/sensors.lua), and the number of its values.
local check = require "robotalk.descriptor.check"
local fields = require "robotalk.descriptor.fields"
local near = require "robotalk.mistakes.near"
local spec = require "spec.sensors"
local tree = require "robotalk.descriptor.tree"

local sensors = { NOBODY = 255 } -- in place of a device: there are no readings

local kinds, names, reserved = {}, {}, {}
for i, kind in ipairs(spec.kinds) do kinds[kind[1]], names[i] = kind, kind[1] end
for _, name in ipairs(spec.reserved) do reserved[name] = true end

---Kinds by their names; and the kind of custom types.
sensors.kinds, sensors.own = kinds, spec.own

---Names of the values of a custom type, from the words of its `values`.
function sensors.words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return #list > 0 and list or { "value" }
end

---The number of values of a kind that is not `many`.
local function values_of(kind)
  local n = 0
  for _, value in ipairs(kind.values) do n = n + (value.count or 1) end
  return n
end

-- A custom type: the number of its names.
local function count_own(sensor, path, report)
  local meant = not sensor.values and near(sensor.type, names)
  if meant then
    report:add(path .. ".type",
      "expected a kind of sensor, or names of its values in `values`, got %s; did you mean %s?",
      check.show(sensor.type), meant)
  end
  if sensor.count then
    report:add(path .. ".count", "expected none: a type of one's own has the values that it names")
  end
  local words, seen = sensors.words(sensor.values or ""), {}
  for _, word in ipairs(words) do
    if not word:find "^[%a_][%w_]*$" or reserved[word] then
      report:add(path .. ".values", "expected names of letters, digits and _, none of them %s, got %s",
        table.concat(spec.reserved, ", "), check.show(word))
    elseif seen[word] then
      report:add(path .. ".values", "expected each name once, got %s twice", check.show(word))
    end
    seen[word] = true
  end
  return #words
end

-- Kinds with a value for each dof of the joint that moves their link.
local OF_DOFS <const> = { encoder = "where they are", torque = "what moves them" }
sensors.of_dofs = OF_DOFS

-- dofs: of the joint that moves its link.
local function count_of(sensor, dofs, path, report)
  local kind = kinds[sensor.type]
  if not kind then return count_own(sensor, path, report) end
  if sensor.values then
    report:add(path .. ".values", "expected none: what a sensor of type %s tells has names", sensor.type)
  end
  if sensor.type == "gripper" and dofs == 0 then
    report:add(path .. ".link", "expected a link that dofs move: a gripper tells how far its joint is open")
  end
  if not kind.many then
    if sensor.count then
      report:add(path .. ".count", "expected none: a reading of a sensor of type %s has %d values", sensor.type,
        values_of(kind))
    end
    return values_of(kind)
  end
  local tells = OF_DOFS[sensor.type]
  local own = tells and dofs or 1
  if own == 0 then
    report:add(path .. ".link", "expected a link that dofs move: a sensor of type %s tells %s", sensor.type, tells)
  elseif sensor.count == 0 or tells and (sensor.count or own) ~= own then
    report:add(path .. ".count", "expected %s, got %d", tells and own or "1 to 2048", sensor.count)
  end
  return sensor.count or own
end

-- The units of a kind's values, one for each list of errors; none for a kind of booleans and words.
local function units_of(kind)
  local units = {}
  for _, value in ipairs(kind and kind.values or { {} }) do
    if value.flag or value.words then return {} end
    local unit = value.unit or ""
    if units[#units] ~= unit then units[#units + 1] = unit end
  end
  return units
end

local ERRORS <const> = { "noise", "bias", "resolution" } -- lists by units
local AHEAD <const> = 50 -- readings that are measured and still delayed, at most
local STEADY <const> = 1000 -- readings a second of sensors that are measured without a query, at most

-- The errors of simulated readings.
local function check_errors(sensor, path, report)
  local kind = kinds[sensor.type]
  local units = units_of(kind)
  for _, name in ipairs(ERRORS) do
    local list = sensor[name]
    if list and #units == 0 then
      report:add(("%s.%s"):format(path, name), "expected none: a sensor of type %s tells yes and no", sensor.type)
    elseif list and #list > #units then
      local what = table.concat(units, ", "):gsub("^dof", "that of a dof,"):gsub(",$", ""):gsub("^$", "one unit")
      report:expected(("%s.%s"):format(path, name), ("%s: the readings of a sensor of type %s are in %s"):format(
        #units == 1 and "one number" or ("at most %d numbers"):format(#units), sensor.type, what), list)
    end
  end
  if sensor.noise_scale and #units == 0 then
    report:add(path .. ".noise_scale", "expected none: a sensor of type %s tells yes and no", sensor.type)
  end
  if sensor.slip and sensor.type ~= "odometry" then
    report:add(path .. ".slip", "expected none: only odometry is counted, by wheels that slip")
  end
  local rate = sensor.rate and sensor.rate > 0 and sensor.rate or (kind or spec.own).rate
  if sensor.latency and sensor.latency * rate > AHEAD then
    report:add(path .. ".latency", "expected at most %g s, %d readings at %g a second, got %g", AHEAD / rate, AHEAD,
      rate, sensor.latency)
  end
  local steady = (sensor.latency or 0) > 0 and "latency" or (sensor.slip or 0) > 0 and "slip"
  if steady and rate > STEADY then
    report:add(path .. ".rate", "expected at most %d readings a second of a sensor with %s, got %g", STEADY, steady,
      rate)
  end
end

-- The dofs of the joint whose child is that link.
local function dofs_of(make, link)
  local number = make.joint_of[link]
  local joint = number and make.out.joint[number + 1]
  return joint and joint.dofs or 0
end

---The records of a descriptor's sensors. device: the number of the default device for readings, or
---nil; device_of(name, path): that of an entry of drivers.
function sensors.add(make, device, device_of)
  local list = make.d.sensors or {}
  for i, sensor in ipairs(list) do
    local path = ("sensors[%d]"):format(i)
    local record = fields.record("sensor", sensor or {}, {}, path, make)
    record.values = sensor and sensor.values or ""
    record.count = sensor and sensor.type and count_of(sensor, dofs_of(make, record.link), path, make.report) or 1
    if sensor and sensor.type then check_errors(sensor, path, make.report) end
    record.device = sensor and sensor.driver and device_of(sensor.driver, path .. ".driver") or device or sensors.NOBODY
    make.out.sensor[i] = record
  end
  tree.twice(list, "sensors", "sensors", make.report)
end

local OF_EACH <const> = { dof = "rad or m", ["dof force"] = "N m or N" } -- units of values that are one for each dof

---The description of a sensor by its record, with the defaults of its kind: name, type, number, count;
---rate, readings a second; range, minimum and maximum, nil for none; unit, nil if its values have several; values: a
---list of { name, unit, count }; its place: link (a name), position, attitude; opening, fov.
function sensors.known(record, number, links)
  local kind, values, unit = kinds[record.kind], {}, nil
  for i, value in ipairs(kind and kind.values or sensors.words(record.values)) do
    local one = type(value) == "table"
    values[i] = { name = one and value[1] or value,
      count = kind and kind.many and record.count or one and value.count or 1,
      unit = one and value.unit or not kind and record.unit ~= "" and record.unit or nil }
    values[i].unit = OF_EACH[values[i].unit] or values[i].unit
    unit = i == 1 and values[i].unit or unit == values[i].unit and unit or nil
  end
  local range = record.low < record.high and { record.low, record.high } or kind and kind.range
  return { name = record.name, type = record.kind, kind = record.kind, number = number, count = record.count,
    rate = record.rate > 0 and record.rate or kind and kind.rate or sensors.own.rate,
    range = range and { range[1], range[2] } or nil, unit = record.unit ~= "" and record.unit or unit,
    values = values, link = links[record.link + 1].name, position = record.position, attitude = record.attitude,
    opening = record.opening, fov = record.fov }
end

---The written table of a record.
function sensors.written(record)
  local kind = kinds[record.kind]
  local many = kind and kind.many and record.count ~= 1 and not OF_DOFS[record.kind]
  return fields.written("sensor", record, { count = many and record.count or nil,
    values = record.values ~= "" and record.values or nil })
end

return sensors
