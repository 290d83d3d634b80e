-- Joints on topics of ROS 2, for the driver ros2: joint_states, and a controller of trajectories, by its topic or its
-- action. A command to some joints is a trajectory of all, in which the others go on to their goals.
local angles = require "robotalk.ros2.angles"
local core = require "robotalk.core"
local follow = require "robotalk.ros2.follow"
local log = require "robotalk.log"
local task = require "robotalk.task"

local arm = {}

local NEAR <const> = { [0] = 0.02, 0.003 } -- a goal is reached: rad, m, by the kind of a dof
local SPEED <const>, BRAKE <const> = 1, 5 -- rad/s, rad/s2: where the descriptor has no limits
local SHORTEST <const>, PATIENCE <const>, SETTLES <const> = 0.1, 3, 1 -- s: of a trajectory; after it; after a result

-- The device's dofs, in its order: joint, index in it, ros (the name there), and limits.
local function dofs_of(self, flat, names)
  local list = {}
  for number, joint in ipairs(flat.joint) do
    for k = 1, joint.device == self.number and joint.dofs or 0 do
      local d = flat.dof[joint.first + k]
      local name = joint.dofs > 1 and ("%s.%s"):format(joint.name, d.name) or joint.name
      list[#list + 1] = { joint = number - 1, index = k, ros = names[name] or name, at = 0, speed = 0, low = d.low,
        high = d.high, most = d.speed > 0 and d.speed or SPEED, brake = d.acceleration > 0 and d.acceleration or BRAKE,
        home = d.home, follows = d.mimics ~= 0 or joint.servo == 0, near = NEAR[d.kind] }
      names[name] = nil
    end
  end
  return list
end

local function finite(x) return x and angles.finite { x } and x end

-- Whether its position has come within the time after which a topic is silent.
local function is_fresh(self, dof) return dof.heard and core.now() - dof.heard <= (self.config.timeout or 1) end

-- A message of joint_states, of all joints or of some.
local function hear(self, message)
  local there = {}
  for i, name in ipairs(message.name) do there[name] = i end
  local at, speeds, forces, silent = {}, {}, {}, nil
  for i, dof in ipairs(self.dofs) do
    local k = there[dof.ros]
    local x = k and finite(message.position[k])
    if k and not x then return dof.ros .. ": expected a finite position" end
    if k then -- NaN is what a controller does not know
      dof.at, dof.heard = x, core.now()
      dof.speed, dof.force = finite(message.velocity[k]) or 0, finite(message.effort[k])
    end
    if not dof.follows and not is_fresh(self, dof) then silent = dof end
    at[i], speeds[i], forces[i] = dof.at, dof.speed, dof.force or false
  end
  if silent then return ("expected a position of %s, too"):format(silent.ros) end
  self:report { position = at, speed = speeds, force = forces }
end

-- A trajectory of one point, for each dof that has a motor; to(dof): its position, and the seconds that it needs.
local function trajectory(self, to)
  local names, positions, velocities, longest = {}, {}, {}, SHORTEST
  for _, dof in ipairs(self.dofs) do
    if not dof.follows then
      local x, seconds = to(dof)
      names[#names + 1], positions[#names + 1], velocities[#names + 1] = dof.ros, x + 0.0, 0.0
      longest = math.max(longest, seconds)
    end
  end
  local whole = math.floor(longest)
  return { joint_names = names, points = { { positions = positions, velocities = velocities,
    time_from_start = { sec = whole, nanosec = math.floor((longest - whole) * 1e9) } } } }, longest
end

-- Sends the trajectory to the newest goals, as a cubic: its peak is half as fast again as its mean.
local function send(self)
  local a = self.arm
  local points, seconds = trajectory(self, function(dof)
    local goal = dof.goal or dof.at
    local away = math.abs(goal - dof.at)
    return goal, math.max(1.5 * away / math.min(dof.most, dof.slow or math.huge), math.sqrt(6 * away / dof.brake))
  end)
  a.news, a.due = false, core.now() + seconds
  a.newest = a.action and a.action:send(points) or a.topic and a.topic:put(points)
end

---Opens the topics of the device's joints, if it has any.
function arm.begin(self, flat, absolute, listen, open)
  local names, config = {}, self.config
  for name, ros in (config.names or ""):gmatch "([^%s=]+)=(%S+)" do names[name] = ros end
  self.dofs = dofs_of(self, flat, names)
  if next(names) then error(("names: there is no joint '%s' of one dof, or joint.dof"):format(next(names)), 0) end
  if #self.dofs == 0 then return end
  listen({ name = absolute(config.joint_states or "joint_states"), message = "sensor_msgs/msg/JointState", depth = 10,
    needed = true }, hear)
  if config.follow and config.trajectory then error("trajectory, follow: expected one of them", 0) end
  if not config.follow and not config.trajectory then return end -- they are only shown
  self.arm = {}
  if config.follow then
    self.arm.action = follow.new(absolute(config.follow), open, listen, function(number, why)
      if number == self.arm.newest then self.arm.ended, self.arm.why = number, why end -- else another replaced it
    end)
  else
    self.arm.topic = open { name = absolute(config.trajectory), message = "trajectory_msgs/msg/JointTrajectory",
      write = true, reliable = true, needed = true }
  end
end

---Ends all motion: cancels all goals; a controller by its topic gets a trajectory that ends here. true, or false.
function arm.halt(self)
  local a = self.arm
  a.news = false
  for _, dof in ipairs(self.dofs) do dof.goal = nil end
  if a.action then return a.action:cancel() == true end
  for _, dof in ipairs(self.dofs) do
    if not dof.follows and not is_fresh(self, dof) then return false end -- where it is, is not known
  end
  return a.topic:put((trajectory(self, function(dof) -- it brakes from where it is
    local seconds = math.abs(dof.speed) / dof.brake
    return dof.at + dof.speed * (core.now() - (dof.heard or 0) + seconds / 2), seconds
  end))) == true
end

local function is_there(goals)
  for dof, goal in pairs(goals) do if math.abs(dof.at - goal) > dof.near then return false end end
  return true
end

---set_joint, home
function arm.servo(self, cmd, done)
  if (cmd.acceleration or 0) > 0 then return done("na", "bounds") end
  local a, goals, clipped = self.arm, {}, false
  for _, dof in ipairs(self.dofs) do
    local x = cmd.op == "home" and dof.home or dof.joint == cmd.joint and cmd.value[dof.index] or nil
    if x and not dof.follows then
      local within = dof.low < dof.high and math.max(dof.low, math.min(dof.high, x)) or x
      goals[dof], clipped = within, clipped or within ~= x
      dof.goal, dof.slow = within, (cmd.speed or 0) > 0 and cmd.speed or nil
    end
  end
  a.news = true
  task.sleep(0) -- commands that begin together are one trajectory
  if a.news then send(self) end
  local failed, reached
  while not failed and not is_there(goals) do
    local ended = a.newest and a.ended == a.newest
    reached = ended and not a.why and (reached or core.now()) or nil
    if reached and core.now() > reached + SETTLES then break end
    failed = not a.newest and "link" or (ended and a.why or core.now() > a.due + PATIENCE) and "device"
    if not failed then task.wait(self, 0.2) end
  end
  for dof, goal in pairs(goals) do -- others may move it then
    if dof.goal == goal then dof.goal = nil end
  end
  if failed == "device" then log.say("error", "%s: ros2: controller: %s", self.robot, a.why or "it is late") end
  if failed then return done("error", failed) end
  done(clipped and "modified" or "success", clipped and "limit" or nil)
end

return arm
