-- luacheck: no max line length
-- A small robot that speaks ROS 2, as a process of its own, for tests: robotalk run far_robot.lua URL NAMESPACE [FLAGS]. A base on two wheels
-- (cmd_vel, odom, tf, scan, imu, battery_state, an image), which stops after 0.5 s without cmd_vel, and an arm of two joints with a
-- controller, by its action in the dialect of rmw_cyclonedds and by its topic. It prints a line for each command.
-- FLAGS: stamped: cmd_vel is a TwistStamped; nan: its position is NaN; humble: its node is one of ROS 2 Humble.
local cdr = require "robotalk.ros2.cdr"
local core = require "robotalk.core"
local rt = require "robotalk"
local topics = require "robotalk.ros2.topics"

local url, namespace, flags = arg[1], arg[2], " " .. (arg[3] or "") .. " "
local URDF <const> = [[<robot name="far"><link name="base_link"/><link name="upper"/><link name="lower"/>
<joint name="shoulder" type="revolute"><parent link="base_link"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" velocity="2" effort="1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="2" effort="1"/></joint></robot>]]
local JPEG <const> = "\xff\xd8\xff\xc0\0\11\8\0\8\0\8\1\1\17\0\xff\xda\0\8\1\1\0\0\63\0picture\xff\xd9" -- 8 x 8 pixels

local function has(flag) return flags:find(" " .. flag .. " ", 1, true) ~= nil end
local function say(form, ...)
  print(form:format(...))
  io.flush()
end
local function name(text) return topics.absolute(namespace, text) end
local function writer(text, message, more)
  local is = { name = name(text), message = message, write = true, reliable = true, depth = 10 }
  for key, value in pairs(more or {}) do is[key] = value end
  return assert(topics.open(url, is))
end
local function reader(text, message, hear, more)
  local is = { name = name(text), message = message, depth = 10 }
  for key, value in pairs(more or {}) do is[key] = value end
  local topic = assert(topics.open(url, is))
  rt.spawn(function()
    while true do
      local event, value, head = topic:next(nil, is.head)
      if event == "sample" then hear(value, head) end
      if event == "bad" then say("bad %s: %s", text, value) end
    end
  end)
  return topic
end

-- ---- the base ----

local x, y, heading, speed, turn, commanded = 0, 0, 0, 0, 0, -9
local function hear_twist(m)
  local v = m.twist or m
  local was = speed ~= 0 or turn ~= 0
  speed, turn, commanded = v.linear.x, v.angular.z, core.now()
  if (speed ~= 0 or turn ~= 0) ~= was then say(was and "halts" or "drives") end
  if m.twist and m.header.stamp.sec == 0 then say("no stamp") end
end
reader("cmd_vel", has "stamped" and "geometry_msgs/msg/TwistStamped" or "geometry_msgs/msg/Twist", hear_twist)

-- ---- the arm ----

local JOINTS <const> = { "shoulder", "elbow" }
local arm = {}
for _, joint in ipairs(JOINTS) do arm[joint] = { at = 0, speed = 0 } end
local goal -- { id, number, head }: the one in progress
local action = "arm_controller/follow_joint_trajectory/_action/"
local FOLLOW <const> = "control_msgs/action/FollowJointTrajectory_"
local wants = {} -- id -> head of the request for its result
local done = {}  -- id -> status
local function wire(direction, what) return { wire = ("%s%s%s"):format(direction, name(action .. what),
  direction == "rq" and "Request" or "Reply"), head = 16 } end
local goals = writer("goals", FOLLOW .. "SendGoal_Response", wire("rr", "send_goal"))
local results = writer("results", FOLLOW .. "GetResult_Response", wire("rr", "get_result"))
local cancels = writer("cancels", "action_msgs/srv/CancelGoal_Response", wire("rr", "cancel_goal"))

local function tell(id)
  if not wants[id] or not done[id] then return end
  results:put({ status = done[id], result = { error_code = done[id] == 4 and 0 or -1 } }, wants[id])
  wants[id] = nil
end
local function finish(status)
  if not goal then return end
  done[goal] = status
  tell(goal)
  goal = nil
end
-- Of one point; zero for both speeds: a cubic.
local function follow(points)
  if #points.joint_names ~= #JOINTS or #points.points ~= 1 then return false end
  local at = points.points[1].time_from_start
  for i, joint in ipairs(points.joint_names) do
    local a = arm[joint]
    if not a then return false end
    a.from, a.to, a.began, a.took = a.at, points.points[1].positions[i], core.now(), at.sec + at.nanosec / 1e9
  end
  return true
end
reader("goals", FOLLOW .. "SendGoal_Request", function(m, head)
  local good = follow(m.goal.trajectory)
  finish(5)
  say("goal %s", good and "accepted" or "refused")
  if good then goal = m.goal_id.uuid end
  goals:put({ accepted = good }, head)
end, wire("rq", "send_goal"))
reader("results", FOLLOW .. "GetResult_Request", function(m, head)
  wants[m.goal_id.uuid] = head
  tell(m.goal_id.uuid)
end, wire("rq", "get_result"))
reader("cancels", "action_msgs/srv/CancelGoal_Request", function(m, head)
  say("cancel %s", m.goal_info.goal_id.uuid == ("\0"):rep(16) and "all" or "one")
  for _, a in pairs(arm) do a.to = nil end
  finish(5)
  cancels:put({}, head)
end, wire("rq", "cancel_goal"))
reader("arm_controller/joint_trajectory", "trajectory_msgs/msg/JointTrajectory", function(m)
  if follow(m) then say("trajectory") end
end)

-- ---- what it tells ----

local odom = writer("odom", "nav_msgs/msg/Odometry")
local tf = writer("/tf", "tf2_msgs/msg/TFMessage")
local joint_states = writer("joint_states", "sensor_msgs/msg/JointState")
local scan = writer("scan", "sensor_msgs/msg/LaserScan", { reliable = false })
local imu = writer("imu", "sensor_msgs/msg/Imu", { reliable = false })
local battery = writer("battery_state", "sensor_msgs/msg/BatteryState")
local image = writer("image/compressed", "sensor_msgs/msg/CompressedImage", { reliable = false })
local description <const> = writer("robot_description", "std_msgs/msg/String", { lasting = true, depth = 1 })
description:put { data = URDF }

-- The node, as ROS 2 names it: all that this process has belong to it.
local nodes = writer("/ros_discovery_info", "rmw_dds_common/msg/ParticipantEntitiesInfo" .. (has "humble" and ":humble" or ""),
  { wire = "ros_discovery_info", lasting = true, depth = 1 })
local function gid(guid) return { data = has "humble" and guid .. ("\0"):rep(8) or guid } end
local _, participant = nodes.core:guid()
nodes:put { gid = gid(participant), node_entities_info_seq = { { node_namespace = namespace, node_name = "far",
  reader_gid_seq = {}, writer_gid_seq = { gid((odom.core:guid())) } } } }

local function move_arm(now)
  local reached = goal ~= nil
  for _, a in pairs(arm) do
    local was = a.at
    if a.to then
      local s = math.min(1, (now - a.began) / a.took)
      a.at = a.from + (a.to - a.from) * s * s * (3 - 2 * s)
      if s < 1 then reached = false else a.to = nil end
    end
    a.speed = (a.at - was) / 0.02
  end
  if reached then finish(4) end
end

local ranges = {}
for i = 1, 360 do ranges[i] = i > 170 and i < 190 and 1.5 or math.huge end
say("ready %d", #cdr.encode("sensor_msgs/msg/LaserScan", { ranges = ranges }))
for tick = 1, math.huge do
  rt.sleep(0.02)
  local now = core.now()
  if now - commanded > 0.5 and (speed ~= 0 or turn ~= 0) then
    speed, turn = 0, 0
    say "times out"
  end
  heading = heading + turn * 0.02
  x, y = x + speed * math.cos(heading) * 0.02, y + speed * math.sin(heading) * 0.02
  move_arm(now)
  local header = { stamp = { sec = 1000 + math.floor(now), nanosec = 0 }, frame_id = "odom" }
  local turned = { z = math.sin(heading / 2), w = math.cos(heading / 2) }
  odom:put { header = header, child_frame_id = "base_link", pose = { pose = { position = { x = has "nan" and 0 / 0 or x, y = y },
    orientation = turned } }, twist = { twist = { linear = { x = speed }, angular = { z = turn } } } }
  tf:put { transforms = { { header = header, child_frame_id = "base_link", transform = { translation = { x = x, y = y }, rotation = turned } } } }
  local list, positions, speeds = {}, {}, {}
  for i, joint in ipairs(JOINTS) do list[i], positions[i], speeds[i] = joint, arm[joint].at, arm[joint].speed end
  list[3], positions[3], speeds[3] = "wheel", 0, 0
  joint_states:put { name = list, position = positions, velocity = speeds }
  if tick % 5 == 0 then
    scan:put { header = header, angle_min = -math.pi, angle_max = math.pi, angle_increment = math.pi / 180, range_min = 0.1, range_max = 8, ranges = ranges }
    imu:put { orientation = turned, linear_acceleration = { z = 9.81 }, angular_velocity = { z = turn } }
    battery:put { percentage = 0.75, voltage = 12, current = -1 }
    image:put { format = "jpeg", data = JPEG }
  end
end
