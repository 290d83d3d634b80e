-- Converts the sensor lines of a server of Gamebots to readings of the driver's robot: by name, otherwise
-- by position, otherwise by order within a kind.
local lines = require "robotalk.gamebots.lines"
local places = require "robotalk.gamebots.places"

local gamebots_senses = {}

local FULL <const> = 3600 -- s of a full battery, until the server has reported more
local FAMILIES <const> = { sonar = { "sonar", "range" }, ir = { "infrared", "range" }, touch = { "bumper", "touch" } }
local ALONE <const> = { rangescanner = "laser", odometry = "odometry", groundtruth = "pose", ins = "pose", imu = "imu",
  accel = "accelerometer", gyro = "gyroscope", magneticcompass = "compass" }

-- Kinds that USARSim calls touch sensors.
local TOUCHES <const> = { button = true, contact = true, beam = true }

---Sorts the device's sensors by their kinds.
function gamebots_senses.begin(self)
  local kinds, list = {}, {}
  for _, sensor in pairs(self.sensors) do list[#list + 1] = sensor end
  table.sort(list, function(a, b) return a.number < b.number end)
  for _, sensor in ipairs(list) do
    local kind = TOUCHES[sensor.kind] and "bumper" or sensor.kind
    kinds[kind] = kinds[kind] or {}
    table.insert(kinds[kind], sensor)
  end
  self.kinds, self.ranges, self.full = kinds, {}, FULL
end

-- The number of a sonar of USARSim, F1 to F8, R1 to R8, then S17 and so on; nil: it has another name.
local function place_of(name)
  local letter, number = name:match "^([frs])(%d+)$"
  number = tonumber(number)
  return number and (letter == "r" and number + 8 or number) or nil
end

-- The sensor and the index of its value with that name.
local function sought(self, kind, name, place)
  local list, first = self.kinds[kind] or {}, 0
  for _, sensor in ipairs(list) do
    local own = sensor.name:lower()
    if own == name then return sensor, 1 end
    local k = name:sub(1, #own) == own and sensor.count > 1 and tonumber(name:sub(#own + 1))
    if k and k >= 1 and k <= sensor.count then return sensor, math.tointeger(k) end
  end
  local there = places.find(self, kind, name)
  if there then return there, 1 end
  for _, sensor in ipairs(self.pairs[kind] and {} or list) do
    if place and place > first and place <= first + sensor.count then return sensor, place - first end
    first = first + sensor.count
  end
end

-- A range in our convention: below 0 is unknown, and the maximum of theirs means no object.
local function range(x, most)
  if x < 0 or x ~= x then return 0 / 0 end
  return most and x >= most and math.huge or x
end

local function family(self, line, kind, key)
  local told = {}
  for i, value in ipairs(lines.values(line, key)) do
    local name, text = value[1], value[2]:lower()
    local sensor, k = sought(self, kind, name, place_of(name) or i)
    local x, most = tonumber(text), places.setting(self, kind, name, "maxrange")
    if kind == "bumper" then
      x = text == "true" or text == "1"
    else
      x = x and range(x, most)
    end
    if sensor and x ~= nil then
      local list = self.ranges[sensor] or {}
      list[k], self.ranges[sensor], told[sensor] = x, list, true
    end
  end
  for sensor in pairs(told) do
    if #self.ranges[sensor] == sensor.count then self:sensed(sensor.name, self.ranges[sensor]) end
  end
end

-- A scan resampled to the sensor's beams, both from right to left, at the same angles where both have a field of
-- view; beams outside of theirs are unknown.
local function scan(line, sensor, self)
  local list = lines.numbers(lines.find(line, "range"))
  if not list or #list == 0 then return nil end
  local name = (lines.find(line, "name") or ""):lower()
  local most = places.setting(self, "laser", name, "maxrange")
  local fov = lines.number(line, "fov") or places.setting(self, "laser", name, "fov") or 0
  local wide, values, last = fov > 0 and sensor.fov > 0 and sensor.fov / fov or 1, {}, sensor.count - 1
  for i = 0, last do
    local share = last > 0 and 0.5 + wide * (i / last - 0.5) or 0.5
    local x = list[math.floor(share * (#list - 1) + 0.5) + 1]
    values[i + 1] = x and range(x, most) or 0 / 0
  end
  return values
end

local function triple(line, name) return lines.turn(lines.numbers(lines.find(line, name))) end

-- An angle from -pi to pi.
local function near(x) return (x + math.pi) % (2 * math.pi) - math.pi end

local function attitude(line, name)
  local list = triple(line, name)
  return list and { near(list[1]), near(list[2]), near(list[3]) }
end

local READ = {
  laser = scan,
  odometry = function(line)
    local at = triple(line, "pose")
    return at and { x = at[1], y = at[2], theta = at[3] }
  end,
  pose = function(line)
    local place, turned = triple(line, "location"), attitude(line, "orientation")
    return place and turned and { position = place, attitude = turned }
  end,
  imu = function(line)
    local a, w = triple(line, "xyzacceleration"), triple(line, "angularvel")
    local turned = attitude(line, "rotation")
    return a and w and turned and { acceleration = a, spin = w, attitude = turned }
  end,
  accelerometer = function(line)
    local a = triple(line, "xyzacceleration")
    return a and { acceleration = a }
  end,
  gyroscope = function(line)
    local w = triple(line, "angularvel")
    return w and { spin = w }
  end,
  compass = function(line)
    local heading = lines.number(line, "heading")
    return heading and { heading = -heading }
  end,
}

---A line SEN. Returns the position of the base in it, by odometry or, of a flying vehicle, by INS: x, y, theta, z.
function gamebots_senses.hear(self, line)
  local type = (lines.find(line, "type") or ""):lower()
  local group, kind = FAMILIES[type], ALONE[type]
  if group then return family(self, line, group[1], group[2]) end
  if not kind then return nil end
  local list, name = self.kinds[kind] or {}, (lines.find(line, "name") or ""):lower()
  local sensor = #list == 1 and list[1] or sought(self, kind, name)
  local reading = sensor and READ[kind](line, sensor, self)
  if reading then self:sensed(sensor.name, reading) end
  if kind == "odometry" then return triple(line, "pose") end
  -- a flying vehicle has no odometry
  local place, turned = triple(line, "location"), attitude(line, "orientation")
  return type == "ins" and self.flies and place and turned and { place[1], place[2], turned[3], place[3] } or nil
end

---The dof of the gripper of that name there: the name of its package, its joint or its sensor here; an only gripper has
---any name. nil: it is none of ours.
function gamebots_senses.gripper(self, name)
  local all, found = {}, nil
  for _, sensor in ipairs(self.kinds.gripper or {}) do
    local dof = self.moves[sensor.link]
    if dof and dof.limit then
      all[#all + 1] = dof
      if sensor.name:lower() == name then found = dof end
    end
  end
  for _, dof in ipairs(self.dofs) do -- a package or a joint may be one without a sensor
    if dof.limit and (dof.package:lower() == name or dof.name == name) then return dof end
  end
  return found or #all == 1 and all[1] or nil
end

---The grippers, from the position of each dof and the last state of their beams.
function gamebots_senses.grippers(self)
  for _, sensor in ipairs(self.kinds.gripper or {}) do
    local dof = self.moves[sensor.link]
    local limit = dof and dof.limit
    if dof and dof.known and limit then
      local opening = math.max(0, math.min(1, (dof.at - limit[1]) / (limit[2] - limit[1])))
      local state = opening > 0.98 and "open" or opening < 0.02 and "closed" or dof.moves and "moving" or "stopped"
      local wide = sensor.high - sensor.low
      self:sensed(sensor.name, { state = state, opening = opening,
        width = wide > 0 and sensor.low + opening * wide or nil })
    end
  end
end

---The battery of a line STA, in remaining seconds; the greatest value so far is a full one.
function gamebots_senses.battery(self, line)
  local left = lines.number(line, "battery")
  if not left or left < 0 then return end
  self.full = math.max(self.full, left)
  for _, sensor in ipairs(self.kinds.battery or {}) do
    self:sensed(sensor.name, { charge = left / self.full, voltage = 0 / 0, current = 0 / 0 })
  end
end

return gamebots_senses
