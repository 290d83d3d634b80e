-- A robot that speaks ROS 2, without ROS here (docs/from_ros2.md), as a driver: a base by cmd_vel and odom, joints by a
-- controller of trajectories and joint_states, sensors and cameras by their topics.
-- drivers = { far = { script = "ros2", url = "dds://0", namespace = "/robot1" } }
local arms = require "robotalk.ros2.arm"
local base = require "robotalk.ros2.base"
local core = require "robotalk.core"
local log = require "robotalk.log"
local senses = require "robotalk.ros2.senses"
local task = require "robotalk.task"
local topics = require "robotalk.ros2.topics"

local driver = { bounds = true, frames = false, options = {
  { "url", "text", max = 255, needed = true, doc = "dds://DOMAIN, with its options; ROS_DOMAIN_ID is 0 unless said" },
  { "namespace", "text", max = 255, doc = "of names without a slash in front: /robot1" },
  { "cmd_vel", "text", max = 255, doc = "the topic that drives the base" },
  { "stamped", "flag", doc = "cmd_vel is a TwistStamped, in place of a Twist" },
  { "odom", "text", max = 255, doc = "the topic with the position of the base" },
  { "joint_states", "text", max = 255, doc = "the topic with the positions of the joints" },
  { "trajectory", "text", max = 255, doc = "the topic of a controller of the joints: …/joint_trajectory" },
  { "follow", "text", max = 255, doc = "in its place, its action: …/follow_joint_trajectory" },
  { "names", "text", max = 4095, doc = "JOINT=NAME or JOINT.DOF=NAME …: joints that have other names there" },
  { "scan", "text", max = 1023, doc = "the topic of lasers, or SENSOR=TOPIC …; likewise imu, battery, image" },
  { "imu", "text", max = 1023 },
  { "battery", "text", max = 1023 },
  { "image", "text", max = 1023 },
  { "rate", "number", least = 1, most = 100, doc = "1/s: how often a lasting speed is sent; 10 unless said" },
  { "timeout", "number", least = 0.1, most = 60, doc = "s of silence after which the robot is lost; 1 unless said" },
} }
local FIRST <const> = 3 -- s for the first messages

-- Fields of the device: topics, all that are open; needs, those without which the robot is lost, with the instant of
-- their last good message; lost, the reason, or nil; bad: topics whose last message was wrong.

-- Reports a topic whose messages are wrong, once until one is good again.
local function wrong(self, topic, text)
  if text and core.now() < self.from then return end -- others may complete it
  if text and not self.bad[topic.name] then log.say("error", "%s: ros2: %s: %s", self.robot, topic.name, text) end
  self.bad[topic.name] = text or nil
end

local function open_topic(self, is)
  local topic = assert(topics.open(self.config.url, is))
  self.topics[#self.topics + 1] = topic
  if is.needed then self.needs[#self.needs + 1] = topic end
  return topic
end

-- Reads a topic, as a task. hear(device, message, head): returns what is wrong with a message.
local function listen(self, is, hear)
  local topic = open_topic(self, is)
  self:spawn(is.name, function()
    for _ = 1, math.huge do
      local event, message, head = topic:next(nil, is.head, not is.depth)
      if not event then return end
      local why = event == "bad" and message or event == "sample" and hear(self, message, head) or nil
      topic.heard = event ~= "lost" and (why and topic.heard or core.now()) or nil
      if event ~= "lost" then wrong(self, topic, why) end
      task.wake(self)
      task.sleep(0)
    end
  end)
end

-- Why this robot cannot be driven now: the first topic that is silent, or that nobody reads.
local function trouble_of(self)
  local late = self.config.timeout or 1
  for _, topic in ipairs(self.needs) do
    local why
    if topic.write then
      local unread = topic.core:readers() == 0 and "no reader of it matches"
      why = (unread or self.lost) and topic:trouble() or unread
    elseif not topic.heard or core.now() - topic.heard > late then
      why = topic:trouble() or (self.bad[topic.name] and "no good message for %g s" or "silent for %g s"):format(late)
    end
    if why then return ("%s: %s"):format(topic.name, why) end
  end
end

-- Stops everything there, however much of it still listens. own: only if this device has moved it since the last stop.
local function halt(self, own)
  if own and not self.moved then return true end
  self.goal, self.moved = nil, false
  local ok = not self.cmd_vel or base.move(self, 0, 0, 0)
  return (not self.arm or arms.halt(self)) and ok
end

-- Watches the topics: a robot that is lost stops, as far as it hears, and its commands end.
local function live(self)
  local said
  while true do
    local why = trouble_of(self)
    if why and not self.lost then
      halt(self, true)
      self.lost = why
      self:fault "link"
    elseif self.lost and not why then
      if said then log.say("info", "%s: ros2: it is there again", self.robot) end
      self.lost, said = nil, nil
      task.wake(self)
    end
    if why and why ~= said and core.now() >= self.from then
      log.say("error", "%s: ros2: %s", self.robot, why)
      said = why
    end
    task.wait(self, (self.config.timeout or 1) / 4)
  end
end

function driver.open(self, config)
  self.topics, self.needs, self.bad, self.lost = {}, {}, {}, "nothing was heard yet"
  self.namespace, self.from = config.namespace or "", core.now() + FIRST
  local me <close> = require "robotalk".connect("local:" .. self.robot)
  local flat = core.records(me:describe().kinematics)
  local function absolute(name) return topics.absolute(self.namespace, name) end
  local function hear(is, fn) return listen(self, is, fn) end
  local opened, why = pcall(function()
    if flat.device[self.number + 1].base then
      base.begin(self, flat)
      hear({ name = absolute(config.odom or "odom"), message = "nav_msgs/msg/Odometry", needed = true }, base.hear)
      self.cmd_vel = open_topic(self, { name = absolute(config.cmd_vel or "cmd_vel"), write = true, reliable = true,
        message = config.stamped and "geometry_msgs/msg/TwistStamped" or "geometry_msgs/msg/Twist", needed = true })
    end
    arms.begin(self, flat, absolute, hear, function(is) return open_topic(self, is) end)
    senses.begin(self, hear)
  end)
  if not opened then return nil, tostring(why) end
  for _, camera in pairs(self.cameras) do
    self:spawn(camera.name, function() senses.watch(self, camera, config.timeout or 1, wrong) end)
  end
  self:spawn("live", function() live(self) end)
  while self.lost and core.now() < self.from do task.wait(self, self.from - core.now()) end
  return {}
end

function driver.start(self, cmd, done)
  if cmd.op == "stop" then
    local ok = halt(self, cmd.own) and not self.lost
    return done(ok and "success" or "error", not ok and "link" or nil)
  end
  if self.lost then return done("error", "link") end
  self.moved = true
  if cmd.op == "set_speed" and self.cmd_vel then
    self.goal = nil
    base.drive(self, cmd, done)
  elseif cmd.op == "go_to" and self.cmd_vel then
    base.go_to(self, cmd, done)
  elseif (cmd.op == "set_joint" or cmd.op == "home") and self.arm then
    arms.servo(self, cmd, done)
  else
    done("na", "unsupported")
  end
end

function driver.halted(self, why) halt(self, why ~= "panic" and why ~= "stop") end

function driver.close(self)
  for _, topic in ipairs(self.topics or {}) do topic:close() end
end

return driver
