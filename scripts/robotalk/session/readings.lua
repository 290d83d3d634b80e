-- Readings of sensors, with names: the sensors that a name selects, and the names of their values
-- (spec/sensors.lua).
local core = require "robotalk.core"
local missing = require "robotalk.mistakes.missing"
local mistake = require "robotalk.mistakes.mistake"
local sensors = require "robotalk.descriptor.sensors"

local readings = { MOST = 2048 } -- values of all sensors of one query

-- ---- which sensors ----

-- The sensors of a kind, in their order.
local function of_kind(body, kind)
  local list = {}
  for _, sensor in ipairs(body.sensors) do
    if sensor.kind == kind then list[#list + 1] = sensor end
  end
  return list
end

-- nil, message, "NA" for sensors that the robot lacks.
local function unknown(body, name)
  local names, seen = {}, {}
  for _, key in ipairs { "kind", "name" } do
    for _, sensor in ipairs(body.sensors) do
      if not seen[sensor[key]] then names[#names + 1] = sensor[key] end
      seen[sensor[key]] = true
    end
  end
  return nil, ("robot %s has no sensor %s%s"):format(body.name, name, missing(name, names)), "NA"
end

local function numbers_of(list)
  local bytes = {}
  for _, sensor in ipairs(list) do
    local at = sensor.number // 8 + 1
    for i = #bytes + 1, at do bytes[i] = 0 end
    bytes[at] = bytes[at] | 1 << sensor.number % 8
  end
  return { bytes = #bytes, mask = string.char(table.unpack(bytes)) }
end

---The query for one sensor.
function readings.question(sensor) return numbers_of { sensor } end

-- Queries for the sensors of a list, each for as many as fit into one answer.
local function questions_of(list)
  local all, part, values = {}, {}, 0
  for _, sensor in ipairs(list) do
    if values + sensor.count > readings.MOST then
      all[#all + 1] = numbers_of(part)
      part, values = {}, 0
    end
    part[#part + 1] = sensor
    values = values + sensor.count
  end
  all[#all + 1] = numbers_of(part)
  return all
end

---The sensors of a name, that of one or otherwise of a kind; or those of { kind = … }; or of a list of names:
---{ sensors, questions, one = whether it is one by its own name, what = for people }. nil, message, "NA" when the robot
---has none of that name.
function readings.find(body, what, caller)
  if type(what) == "string" and body.senses[what] then return body.senses[what] end
  local kind = type(what) == "table" and what.kind
  local names = kind and { kind } or type(what) == "table" and what or { what }
  local list, one = {}, type(what) == "string" and body.sensors[what] ~= nil
  if #names == 0 then mistake("%s: want the name of a sensor or of a kind, or a list of them", caller) end
  for _, name in ipairs(names) do
    if type(name) ~= "string" then mistake("%s: want the name of a sensor, got %s", caller, type(name)) end
    local more = not kind and body.sensors[name] and { body.sensors[name] } or of_kind(body, name)
    if #more == 0 then return unknown(body, name) end
    table.move(more, 1, #more, #list + 1, list)
  end
  local set = { sensors = list, questions = questions_of(list), one = one, what = table.concat(names, ", ") }
  if type(what) == "string" then body.senses[what] = set end
  return set
end

---Adds the sensors to a robot's body, from the records of its description, by number and by name.
function readings.describe(body, flat)
  body.sensors, body.senses = {}, {}
  for i, record in ipairs(flat.sensor) do
    local sensor = sensors.known(record, i - 1, flat.link)
    body.sensors[i], body.sensors[sensor.name] = sensor, sensor
  end
end

-- ---- values ----

-- The singular name of a value of which there are many.
local combine = {}

function combine.least(list)
  local least
  for _, x in ipairs(list) do
    if x and (not least or x < least) then least = x end
  end
  return least
end

function combine.any(list)
  for _, x in ipairs(list) do
    if x then return true end
  end
  return false
end

function combine.first(list) return list[1] or nil end

-- `count` of the values from `from` on. A flag becomes true or false; false in a list of numbers: unknown.
local function slice(values, from, count, flag)
  local list = table.move(values, from, from + count - 1, 1, {})
  if flag then
    for i, x in ipairs(list) do list[i] = x == 1 end
  end
  return list
end

local function put_named(reading, kind, values, from)
  for _, row in ipairs(kind.values) do
    local n, x = row.count or 1, values[from] or nil
    if n > 1 then
      reading[row[1]] = slice(values, from, n)
    elseif x and row.flag then
      reading[row[1]] = x == 1
    elseif x and row.words then
      reading[row[1]] = row.words[math.floor(x + 0.5)]
    else
      reading[row[1]] = x
    end
    from = from + n
  end
end

---One reading: name, type, number, time, age, and its values by name. values[from] is its first value.
function readings.name(sensor, number, time, values, from)
  local reading = { name = sensor.name, type = sensor.kind, number = number, time = time,
    age = math.max(0.0, core.now() - time) }
  local kind = sensors.kinds[sensor.kind]
  if not kind then
    for i, value in ipairs(sensor.values) do reading[value.name] = values[from + i - 1] or nil end
    reading.unit = sensor.unit
  elseif kind.many then
    local row = kind.values[1]
    reading[kind.many] = slice(values, from, sensor.count, row.flag)
    reading[row[1]] = combine[kind.of](reading[kind.many])
  else
    put_named(reading, kind, values, from)
  end
  return reading
end

-- Readings of a query for several sensors: a list of them, with the time and age of the oldest; for sensors of
-- one kind that may have many values also these, in the order of the sensors; for one sensor also all its values.
local function group(set, list)
  local all, first = { age = 0.0 }, nil
  for i, sensor in ipairs(set.sensors) do
    local reading = list[sensor.number] or false
    all[i] = reading
    if reading then
      first = first or reading
      all.time = math.min(all.time or reading.time, reading.time)
      all.age = math.max(all.age, reading.age)
      if reading.type ~= first.type then first = { type = false } end
    end
  end
  local kind = first and sensors.kinds[first.type]
  all.type = first and first.type or nil
  if kind and kind.many then
    local values = {}
    for i, sensor in ipairs(set.sensors) do
      for k = 1, sensor.count do values[#values + 1] = all[i] and all[i][kind.many][k] or false end
    end
    all[kind.many], all[kind.values[1][1]] = values, combine[kind.of](values)
  end
  if #set.sensors == 1 then -- a kind of one sensor is that sensor, whatever its name is
    for name, value in pairs(all[1] or {}) do all[name] = value end
  end
  return all
end

-- Adds the readings of an answer to a list by the number of their sensor. false: an impossible answer.
local function take(body, answer, list)
  local from = 1
  for i, number in ipairs(answer.sensor) do
    local sensor, count = body.sensors[number + 1], answer.values[i]
    if not sensor or #answer.value < from + count - 1 or (answer.number[i] > 0
      and count ~= sensor.count) then return false end
    if answer.number[i] > 0 then
      list[#list + 1] = readings.name(sensor, answer.number[i], answer.time[i], answer.value, from)
      list[number] = list[#list]
    end
    from = from + count
  end
  return true
end

---The readings of answers, one after the other; nil, message, code when they are of another body, as between a change
---of a robot's description and its notice.
function readings.list(body, answers)
  local list = {}
  for _, answer in ipairs(answers) do
    if not take(body, answer, list) then return nil, "the readings are of other sensors than the robot has", "EBODY" end
  end
  return list
end

-- A reading of one sensor is also a list of one reading, like that of a kind with one sensor: the result for a script
-- has the same form whether a sensor has the name of its kind or not.
local ONE <const> = { __index = function(reading, key) return key == 1 and reading or nil end,
  __len = function() return 1 end }

---The result of a query for a script: one reading, or those of a group. nil, message, "NA" when there is none yet.
function readings.of(body, set, answers)
  local list, message, code = readings.list(body, answers)
  if not list then return nil, message, code end
  if #list == 0 then
    return nil, ("%s of robot %s: no reading has come yet"):format(set.what, body.name), "NA"
  end
  if set.one then return setmetatable(list[1], ONE) end
  return group(set, list)
end

-- ---- from a driver ----

local function number_of(x, name)
  if x == true or x == false then return x and 1 or 0 end
  if type(x) ~= "number" then mistake("sensed: %s: want a number, got %s", name, type(x)) end
  return x
end

-- The number of a word; raises for an unknown one.
local function number_of_word(word, words, name)
  for i, known in ipairs(words) do
    if word == known then return i end
  end
  mistake("sensed: %s: want one of %s, got %s", name, table.concat(words, ", "), tostring(word))
end

-- One value, or n in a row, behind those of a list; nil: not known.
local function append(list, value, n, name, words)
  if words and type(value) == "string" then value = number_of_word(value, words, name) end
  if n == 1 then
    list[#list + 1] = value == nil and 0 / 0 or number_of(value, name)
    return
  end
  if value ~= nil and (type(value) ~= "table" or #value ~= n) then mistake("sensed: %s: want a list of %d numbers",
    name, n) end
  for i = 1, n do list[#list + 1] = value == nil and 0 / 0 or number_of(value[i], name) end
end

---The values of a reading in their order, from the driver's argument: a number, a list, or values by name; NaN for
---unknown ones.
function readings.values(sensor, given)
  local kind, list = sensors.kinds[sensor.kind], {}
  if type(given) ~= "table" then given = { given } end
  if given[1] ~= nil or kind and kind.many then
    given = kind and given[kind.many] or given
    for i, x in ipairs(given) do list[i] = number_of(x, sensor.name) end
  else
    local rows = kind and kind.values or sensors.words(sensor.values)
    for _, row in ipairs(rows) do
      local name = type(row) == "table" and row[1] or row
      append(list, given[name], type(row) == "table" and row.count or 1, name, type(row) == "table" and row.words)
    end
  end
  if #list ~= sensor.count then
    mistake("sensed: %s: want %d value%s, got %d", sensor.name, sensor.count, sensor.count == 1 and "" or "s", #list)
  end
  return list
end

return readings
