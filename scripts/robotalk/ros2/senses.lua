-- Sensors and cameras on topics of ROS 2, for the driver ros2.
local angles = require "robotalk.ros2.angles"
local core = require "robotalk.core"
local task = require "robotalk.task"
local topics = require "robotalk.ros2.topics"

local senses = {}

local UNKNOWN <const>, FULL_TURN <const> = 0 / 0, 2 * math.pi

-- Each: a reading of a message; nil, and what is wrong with it. sensor: its record in the description.
local READ = {}

-- Both scans are from right to left. Each beam is the nearest one there; beams outside of that scan are unknown.
function READ.laser(m, sensor)
  local step, n, values = m.angle_increment, #m.ranges, {}
  if not angles.finite { m.angle_min, step } or step == 0 then return nil, "angle_increment: expected an angle" end
  for i = 1, sensor.count do
    local angle = sensor.count > 1 and sensor.fov * ((i - 1) / (sensor.count - 1) - 0.5) or 0
    local k = (angle - m.angle_min) / step
    if k < -0.5 or k >= n - 0.5 then k = ((angle - m.angle_min) % FULL_TURN) / step end
    local x = k > -0.5 and m.ranges[math.floor(k + 0.5) + 1] or UNKNOWN
    values[i] = x > m.range_max and math.huge or x >= m.range_min and x or UNKNOWN
  end
  return values
end

function READ.imu(m)
  local q, a, w = m.orientation, m.linear_acceleration, m.angular_velocity
  if not angles.finite { q.x, q.y, q.z, q.w, a.x, a.y, a.z, w.x, w.y, w.z } then return nil, "want finite numbers" end
  local turned = { UNKNOWN, UNKNOWN, UNKNOWN } -- a covariance of -1: it has no orientation
  if m.orientation_covariance[1] ~= -1 then turned = { angles.of(q) } end
  return { acceleration = { a.x, a.y, a.z }, spin = { w.x, w.y, w.z }, attitude = turned }
end

function READ.battery(m) return { charge = m.percentage, voltage = m.voltage, current = -m.current } end

local KINDS <const> = {
  laser = { "scan", "sensor_msgs/msg/LaserScan" }, imu = { "imu", "sensor_msgs/msg/Imu" },
  battery = { "battery", "sensor_msgs/msg/BatteryState" },
}
local DEFAULTS <const> = { scan = "scan", imu = "imu", battery = "battery_state", image = "image/compressed" }

-- The topic of a sensor: an option is a topic of all its kind, or NAME=TOPIC of each.
local function topic_of(self, option, name)
  local text = self.config[option] or DEFAULTS[option]
  if not text:find "=" then return topics.absolute(self.namespace, text) end
  local topic = (" " .. text):match("%s" .. name:gsub("%p", "%%%0") .. "=(%S+)")
  return topic and topics.absolute(self.namespace, topic)
end

---Reads the topics of the device's sensors. listen: as of the driver.
function senses.begin(self, listen)
  for _, sensor in pairs(self.sensors) do
    local kind, read = KINDS[sensor.kind], READ[sensor.kind]
    local name = kind and topic_of(self, kind[1], sensor.name)
    if name then
      listen({ name = name, message = kind[2], needed = sensor.kind == "laser" }, function(_, message)
        local reading, why = read(message, sensor)
        if reading then self:sensed(sensor.name, reading) end
        return why
      end)
    end
  end
end

---Reads the pictures of a camera, as long as a client watches it. wrong: as of the driver.
function senses.watch(self, camera, timeout, wrong)
  local is = { name = topic_of(self, "image", camera.name), message = "sensor_msgs/msg/CompressedImage" }
  while is.name do
    self:no_picture(camera.name) -- clients wait for one
    while not self:looked(camera.name) do task.sleep(0.2) end
    local topic <close> = assert(topics.open(self.config.url, is))
    while self:looked(camera.name) do
      local event, message = topic:next(core.now() + timeout, 0, true)
      local why = event == "bad" and message or nil
      if event == "sample" then
        local ok, refused = nil, ("format: expected jpeg, got %s"):format(message.format)
        if message.format:lower():find "jpe?g" then ok, refused = self:pictured(camera.name, message.data) end
        why = not ok and refused or nil
      end
      why = why or not event and topic:trouble() or nil
      if why or not event then self:no_picture(camera.name, why ~= nil) end
      wrong(self, topic, why)
    end
  end
end

return senses
