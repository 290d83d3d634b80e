-- A base on topics of ROS 2, for the driver ros2: cmd_vel, at a rate while it moves, and odom.
local angles = require "robotalk.ros2.angles"
local core = require "robotalk.core"
local task = require "robotalk.task"

local base = {}

local ZEROS <const> = 5 -- messages of zero speed at the rate, after the first one
local GAIN <const> = 1.5 -- 1/s: the speed of an approach, of what is left
local FACING <const> = 0.3 -- rad to the place beyond which it only turns
local WALK <const>, TURN <const> = 0.2, 0.5 -- m/s, rad/s: where the descriptor has no limit
local NEAR <const>, STRAIGHT <const> = 0.05, 0.1 -- m, rad: a place is reached
local STUCK <const> = 5 -- s without progress, after which a base counts as blocked
local REST <const> = 0.02 -- m/s, rad/s: it stands at its goal

-- Messages of time, in the far robot's own clock, which may be a simulation's: it goes on from its newest odometry.
local function stamp(self)
  local from = self.stamp
  if not from then return nil end
  local ns = from.sec * 1000000000 + from.nanosec + math.floor((core.now() - self.stamped) * 1e9)
  return { sec = ns // 1000000000, nanosec = ns % 1000000000 }
end

local function publish(self)
  local v = self.velocity or { 0, 0, 0 }
  local message = { linear = { x = v[1], y = v[2] }, angular = { z = v[3] } }
  if self.config.stamped then message = { header = { stamp = stamp(self) }, twist = message } end
  self.sent = core.now()
  return self.cmd_vel:put(message)
end

---Sets the velocity, x, y and about z, and sends it at once: true; nil, message.
function base.move(self, x, y, theta)
  local moves = x ~= 0 or y ~= 0 or theta ~= 0
  self.velocity, self.zeros = moves and { x + 0.0, y + 0.0, theta + 0.0 } or nil, ZEROS
  task.wake(self.beats)
  return publish(self)
end

-- Repeats the velocity while it moves, and zeros for a while afterwards.
local function beat(self)
  while true do
    local left = self.sent + 1 / (self.config.rate or 10) - core.now()
    if not self.velocity and self.zeros == 0 then
      task.wait(self.beats)
    elseif left > 0 then
      task.wait(self.beats, left)
    else
      if not self.velocity then self.zeros = self.zeros - 1 end
      publish(self)
    end
  end
end

function base.begin(self, flat)
  self.limits, self.beats = { speed = flat.base_speed, holonomic = flat.holonomic ~= 0 }, {}
  self.sent, self.zeros, self.pose, self.twist = 0, 0, { 0, 0, 0 }, { 0, 0, 0 }
  self:spawn("beat", function() beat(self) end)
end

---Takes a message of odometry; or returns what is wrong with it.
function base.hear(self, message)
  local at, v = message.pose.pose, message.twist.twist
  local _, _, yaw = angles.of(at.orientation)
  local pose, twist = { at.position.x, at.position.y, yaw }, { v.linear.x, v.linear.y, v.angular.z }
  if not angles.finite(pose) or not angles.finite(twist) then return "pose, twist: expected finite numbers" end
  self.pose, self.twist = pose, twist
  self.stamp, self.stamped = message.header.stamp, core.now()
  self:report { pose = pose, twist = twist }
end

local function near(x) return (x + math.pi) % (2 * math.pi) - math.pi end -- from -pi to pi

-- A value within a limit, where there is one, and whether it was beyond.
local function cut(x, most)
  if most <= 0 or math.abs(x) <= most then return x, false end
  return x > 0 and most or -most, true
end

---set_speed
function base.drive(self, cmd, done)
  local limit, holonomic = self.limits.speed, self.limits.holonomic
  local x, cut_x = cut(cmd.x, limit[1])
  local y, cut_y = cut(holonomic and cmd.y or 0, limit[2])
  local theta, cut_theta = cut(cmd.theta, limit[3])
  if not base.move(self, x, y, theta) then return done("error", "link") end
  local reason = cmd.y ~= 0 and not holonomic and "holonomic" or (cut_x or cut_y or cut_theta) and "limit" or nil
  done(reason and "modified" or "success", reason)
end

-- Speeds towards a goal; what is left of the way, and of the turn; arrived: it only turns.
local function towards(self, cmd, walk, turn, arrived)
  local pose = self.pose
  local dx, dy = cmd.x - pose[1], cmd.y - pose[2]
  local away = math.sqrt(dx * dx + dy * dy)
  local ahead, final = math.min(walk, GAIN * away), near(cmd.theta - pose[3])
  local x, y, facing = 0, 0, final
  if self.limits.holonomic then
    local c, s = math.cos(pose[3]), math.sin(pose[3])
    local share = away > 1e-9 and ahead / away or 0
    x, y = share * (c * dx + s * dy), share * (c * dy - s * dx)
  elseif not arrived then
    facing = near(math.atan(dy, dx) - pose[3])
    x = math.abs(facing) < FACING and ahead or 0
  end
  return x, y, math.max(-turn, math.min(turn, GAIN * facing)), away, math.abs(final)
end

---go_to: it turns, drives and turns again, by odometry. Its task ends at a wait when the command is over.
function base.go_to(self, cmd, done)
  if (cmd.acceleration or 0) > 0 then return done("na", "bounds", base.move(self, 0, 0, 0)) end
  local limit = self.limits.speed
  local walk, turn = limit[1] > 0 and limit[1] or WALK, limit[3] > 0 and limit[3] or TURN
  local share = cmd.speed > 0 and math.min(1, cmd.speed / walk) or 1
  local best, late, arrived = math.huge, core.now() + STUCK, false
  self.goal = cmd
  local _ <close> = setmetatable({}, { __close = function()
    if self.goal ~= cmd then return end -- another one has taken over
    self.goal = nil
    if self.velocity then self.velocity, self.zeros = nil, ZEROS end -- zeros follow, unless another command comes first
  end })
  while self.goal == cmd do
    local x, y, theta, away, off = towards(self, cmd, share * walk, share * turn, arrived)
    arrived = away < (arrived and 2 * NEAR or NEAR)
    if arrived and off < STRAIGHT then break end
    if away + off < best - NEAR / 10 or core.now() > self.stamped + 1 then -- nearer, or not known
      best, late = away + off, core.now() + STUCK
    end
    if core.now() > late then return done("error", "blocked") end
    if not base.move(self, x, y, theta) then return done("error", "link") end
    task.sleep(1 / (self.config.rate or 10))
  end
  base.move(self, 0, 0, 0)
  late = core.now() + 1
  while core.now() < late and (math.abs(self.twist[1]) > REST or math.abs(self.twist[3]) > REST) do task.sleep(0.05) end
  done "success"
end

return base
