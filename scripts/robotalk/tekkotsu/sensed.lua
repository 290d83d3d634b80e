-- Conversion between Tekkotsu's named sensor values, in its units (mm, m/s2 backward, left and down; 0 or 1), and the
-- readings of a robot's sensors (docs/sensors.md), both ways.
local sensed = {}

-- The accelerations backward, to the left and down: an axis of the accelerometer, and the sign.
local AXES = { BAccel = { 1, 1 }, LAccel = { 2, 1 }, DAccel = { 3, -1 } }
local ACCELEROMETER = "Accel" -- its name in descriptors; infrared sensors, buttons and paws have Tekkotsu's names

---The sensor of a descriptor with the value of that name of Tekkotsu's.
function sensed.sensor(name) return AXES[name] and ACCELEROMETER or name end

---The value of a name in a reading; nil: none.
function sensed.value(reading, name)
  local axis = AXES[name]
  if axis then return reading.acceleration[axis[1]] and axis[2] * reading.acceleration[axis[1]] end
  if reading.ranges then return reading.range and 1000 * reading.range end
  return reading.pressed and 1 or 0
end

---Tekkotsu's names for a sensor's reading; nil: none.
function sensed.names(sensor)
  if sensor.kind == "accelerometer" and sensor.name == ACCELEROMETER then return { "BAccel", "LAccel", "DAccel" } end
  if sensor.kind == "infrared" or sensor.kind == "button" then return { sensor.name } end
end

---The reading, for a driver, from the values of these names, beginning with values[from].
function sensed.reading(sensor, values, from)
  if sensor.kind == "infrared" then return values[from] / 1000 end
  if sensor.kind == "button" then return values[from] ~= 0 end
  local list = {}
  for i, name in ipairs(sensed.names(sensor)) do list[AXES[name][1]] = AXES[name][2] * values[from + i - 1] end
  return { acceleration = list }
end

return sensed
