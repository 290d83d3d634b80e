-- Tekkotsu's names of what sensors tell, in its units (mm, m/s2 backward, left and down; 0 or 1), and the readings of a
-- robot's sensors (docs/sensors.md) that have it: both ways.
local sensed = {}

-- What an accelerometer feels backward, to the left and down: an axis of its own, and the sign.
local AXES = { BAccel = { 1, 1 }, LAccel = { 2, 1 }, DAccel = { 3, -1 } }
local ACCELEROMETER = "Accel" -- as descriptors call it; infrared sensors, buttons and paws have Tekkotsu's names

---The sensor of a descriptor that tells what Tekkotsu calls so.
function sensed.sensor(name) return AXES[name] and ACCELEROMETER or name end

---What a reading tells of a name; nil: nothing.
function sensed.value(reading, name)
  local axis = AXES[name]
  if axis then return reading.acceleration[axis[1]] and axis[2] * reading.acceleration[axis[1]] end
  if reading.ranges then return reading.range and 1000 * reading.range end
  return reading.pressed and 1 or 0
end

---Tekkotsu's names that a sensor's reading is made of; nil: of none.
function sensed.names(sensor)
  if sensor.kind == "accelerometer" and sensor.name == ACCELEROMETER then return { "BAccel", "LAccel", "DAccel" } end
  if sensor.kind == "infrared" or sensor.kind == "button" then return { sensor.name } end
end

---The reading, as a driver gives it, from the values of these names, beginning with values[from].
function sensed.reading(sensor, values, from)
  if sensor.kind == "infrared" then return values[from] / 1000 end
  if sensor.kind == "button" then return values[from] ~= 0 end
  local list = {}
  for i, name in ipairs(sensed.names(sensor)) do list[AXES[name][1]] = AXES[name][2] * values[from + i - 1] end
  return { acceleration = list }
end

return sensed
