-- Messages of ROS 2, and the topics of a robot. gen.lua makes C tables of them for protocols/ros/, and spec/ros.md for people;
-- scripts/robotalk/ros2/cdr.lua reads and writes messages by them. Layouts are those of the published definitions: common_interfaces,
-- rcl_interfaces, unique_identifier_msgs, tf2 (geometry2), control_msgs and rmw_dds_common.
--
-- A message: { name = "package/msg/Name", dds = its name in DDS, fields = { { name = , type = , count = } }, old = }
--   type   bool, int8, uint8, int16, uint16, int32, uint32, float32, float64, string, or the name of another message
--   count  nil: one; a number: an array of that many; 0: a sequence
--   old    texts of JSON that ROS 1 has in another way: { field = its name }; ahead: what is put before the first field
-- A name with ":humble" has the layout of ROS 2 Humble, where later ones differ; ":kilted" that of Kilted and later, where Jazzy differs.
local messages, by_name = {}, {}

local function message(name, fields, old)
  local dds = name:gsub(":.*", ""):gsub("/([^/]+)$", "::dds_::%1_"):gsub("/", "::")
  local m = { name = name, dds = dds, fields = {}, old = old or {} }
  for text in fields:gmatch "[^,]+" do
    local field, type, count = text:match "^%s*([%w_]+) ([%w_:]+)(%[?%d*%]?)$"
    m.fields[#m.fields + 1] = { name = field, type = by_name[type] and by_name[type].name or type,
      count = count ~= "" and (tonumber(count:match "%d+") or 0) or nil }
  end
  messages[#messages + 1], by_name[name], by_name[name:match "[^/]+$"] = m, m, m
end
-- IDL has no empty struct
local EMPTY = "structure_needs_at_least_one_member uint8"

message("builtin_interfaces/msg/Time", "sec int32, nanosec uint32", { sec = "secs", nanosec = "nsecs" })
message("builtin_interfaces/msg/Duration", "sec int32, nanosec uint32", { sec = "secs", nanosec = "nsecs" })
message("std_msgs/msg/Header", "stamp Time, frame_id string", { ahead = '"seq":0,' })
message("std_msgs/msg/String", "data string")
message("std_srvs/srv/Trigger_Request", EMPTY)
message("std_srvs/srv/Trigger_Response", "success bool, message string")
message("unique_identifier_msgs/msg/UUID", "uuid uint8[16]")
message("rosgraph_msgs/msg/Clock", "clock Time")

message("geometry_msgs/msg/Vector3", "x float64, y float64, z float64")
message("geometry_msgs/msg/Point", "x float64, y float64, z float64")
message("geometry_msgs/msg/Quaternion", "x float64, y float64, z float64, w float64")
message("geometry_msgs/msg/Pose", "position Point, orientation Quaternion")
message("geometry_msgs/msg/PoseStamped", "header Header, pose Pose")
message("geometry_msgs/msg/PoseWithCovariance", "pose Pose, covariance float64[36]")
message("geometry_msgs/msg/Twist", "linear Vector3, angular Vector3")
message("geometry_msgs/msg/TwistStamped", "header Header, twist Twist")
message("geometry_msgs/msg/TwistWithCovariance", "twist Twist, covariance float64[36]")
message("geometry_msgs/msg/Transform", "translation Vector3, rotation Quaternion")
message("geometry_msgs/msg/TransformStamped", "header Header, child_frame_id string, transform Transform")
message("tf2_msgs/msg/TFMessage", "transforms TransformStamped[]")
message("nav_msgs/msg/Odometry", "header Header, child_frame_id string, pose PoseWithCovariance, twist TwistWithCovariance")

message("sensor_msgs/msg/JointState", "header Header, name string[], position float64[], velocity float64[], effort float64[]")
message("sensor_msgs/msg/LaserScan", "header Header, angle_min float32, angle_max float32, angle_increment float32, time_increment float32," ..
  "scan_time float32, range_min float32, range_max float32, ranges float32[], intensities float32[]")
local RANGE = "header Header, radiation_type uint8, field_of_view float32, min_range float32, max_range float32, range float32"
message("sensor_msgs/msg/Range", RANGE .. ", variance float32")
message("sensor_msgs/msg/Range:humble", RANGE)
message("sensor_msgs/msg/Imu", "header Header, orientation Quaternion, orientation_covariance float64[9], angular_velocity Vector3," ..
  "angular_velocity_covariance float64[9], linear_acceleration Vector3, linear_acceleration_covariance float64[9]")
message("sensor_msgs/msg/BatteryState", "header Header, voltage float32, temperature float32, current float32, charge float32," ..
  "capacity float32, design_capacity float32, percentage float32, power_supply_status uint8, power_supply_health uint8," ..
  "power_supply_technology uint8, present bool, cell_voltage float32[], cell_temperature float32[], location string, serial_number string")
message("sensor_msgs/msg/CompressedImage", "header Header, format string, data uint8[]")

message("diagnostic_msgs/msg/KeyValue", "key string, value string")
message("diagnostic_msgs/msg/DiagnosticStatus", "level uint8, name string, message string, hardware_id string, values KeyValue[]")
message("diagnostic_msgs/msg/DiagnosticArray", "header Header, status DiagnosticStatus[]")

message("trajectory_msgs/msg/JointTrajectoryPoint", "positions float64[], velocities float64[], accelerations float64[], effort float64[]," ..
  "time_from_start Duration")
message("trajectory_msgs/msg/JointTrajectory", "header Header, joint_names string[], points JointTrajectoryPoint[]")
message("trajectory_msgs/msg/MultiDOFJointTrajectoryPoint", "transforms Transform[], velocities Twist[], accelerations Twist[]," ..
  "time_from_start Duration")
message("trajectory_msgs/msg/MultiDOFJointTrajectory", "header Header, joint_names string[], points MultiDOFJointTrajectoryPoint[]")

message("action_msgs/msg/GoalInfo", "goal_id UUID, stamp Time")
message("action_msgs/msg/GoalStatus", "goal_info GoalInfo, status int8")
message("action_msgs/msg/GoalStatusArray", "status_list GoalStatus[]")
message("action_msgs/srv/CancelGoal_Request", "goal_info GoalInfo")
message("action_msgs/srv/CancelGoal_Response", "return_code int8, goals_canceling GoalInfo[]")

message("control_msgs/msg/JointTolerance", "name string, position float64, velocity float64, acceleration float64")
message("control_msgs/msg/JointComponentTolerance", "joint_name string, component uint16, position float64, velocity float64," ..
  "acceleration float64")
local FOLLOW = "control_msgs/action/FollowJointTrajectory_"
message(FOLLOW .. "Goal", "trajectory JointTrajectory, multi_dof_trajectory MultiDOFJointTrajectory, path_tolerance JointTolerance[]," ..
  "component_path_tolerance JointComponentTolerance[], goal_tolerance JointTolerance[]," ..
  "component_goal_tolerance JointComponentTolerance[], goal_time_tolerance Duration")
message(FOLLOW .. "Result", "error_code int32, error_string string")
local DONE, MULTI = "header Header, joint_names string[], desired JointTrajectoryPoint, actual JointTrajectoryPoint, error JointTrajectoryPoint",
  "multi_dof_joint_names string[], multi_dof_desired MultiDOFJointTrajectoryPoint, multi_dof_actual MultiDOFJointTrajectoryPoint," ..
  "multi_dof_error MultiDOFJointTrajectoryPoint"
message(FOLLOW .. "Feedback", DONE .. "," .. MULTI)
message(FOLLOW .. "Feedback:kilted", DONE .. ", index int32," .. MULTI .. ", multi_dof_index int32")
message(FOLLOW .. "SendGoal_Request", "goal_id UUID, goal FollowJointTrajectory_Goal")
message(FOLLOW .. "SendGoal_Response", "accepted bool, stamp Time")
message(FOLLOW .. "GetResult_Request", "goal_id UUID")
message(FOLLOW .. "GetResult_Response", "status int8, result FollowJointTrajectory_Result")
message(FOLLOW .. "FeedbackMessage", "goal_id UUID, feedback FollowJointTrajectory_Feedback")
message(FOLLOW .. "FeedbackMessage:kilted", "goal_id UUID, feedback FollowJointTrajectory_Feedback:kilted")

-- ros_discovery_info, which ROS 2 reads nodes from
local NODES = "node_namespace string, node_name string, reader_gid_seq Gid[], writer_gid_seq Gid[]"
message("rmw_dds_common/msg/Gid", "data uint8[16]")
message("rmw_dds_common/msg/NodeEntitiesInfo", NODES)
message("rmw_dds_common/msg/ParticipantEntitiesInfo", "gid Gid, node_entities_info_seq NodeEntitiesInfo[]")
message("rmw_dds_common/msg/Gid:humble", "data uint8[24]")
message("rmw_dds_common/msg/NodeEntitiesInfo:humble", (NODES:gsub("Gid", "Gid:humble")))
message("rmw_dds_common/msg/ParticipantEntitiesInfo:humble", "gid Gid:humble, node_entities_info_seq NodeEntitiesInfo:humble[]")

-- Of robotalk's own topics between servers and operators (spec/dds.md). The first 16 octets are the key of a sample.
message("robotalk/msg/Robot", "id uint8[16], server uint8[16], name string, kind string, host string, axes string[], sensors string[]," ..
  "cameras string[]")
message("robotalk/msg/State", "id uint8[16], panic_id uint8[16], stamp Time, epoch uint32, panic bool, moving bool, panic_name string," ..
  "charge float64, position float64[3], attitude float64[3], linear float64[3], angular float64[3], positions float64[], speeds float64[]")
message("robotalk/msg/States", "server uint8[16], states State[]")
message("robotalk/msg/Reading", "name string, stamp Time, values float64[]")
message("robotalk/msg/Readings", "id uint8[16], readings Reading[]")
message("robotalk/msg/Lease", "holder uint32, name string, base bool, axes uint8[], until Time")
message("robotalk/msg/Leases", "id uint8[16], epoch uint32, leases Lease[]")
message("robotalk/msg/Panic", "id uint8[16], name string, robots uint8[]")
message("robotalk/msg/Bytes", "id uint8[16], processed uint32, kind uint32, bytes uint8[]")

-- Topics of a robot: { name, message, QoS }. QoS: reliable or not (best effort); latched: transient local, else volatile; depth of the
-- history. A reader that is reliable finds no writer that is not. of: what such a topic is of, one each; NAME/ is put before the topic's. rate: how
-- often a message is sent a second, at most.
local function qos(reliable, depth, latched) return { reliable = reliable, latched = latched or false, depth = depth } end
return {
  messages = messages,
  named = by_name,
  topics = {
    { "cmd_vel", "geometry_msgs/msg/Twist", qos(false, 1), doc = "clients publish it, as Twist or TwistStamped" },
    { "odom", "nav_msgs/msg/Odometry", qos(true, 10), doc = "the root link in `world`" },
    { "tf", "tf2_msgs/msg/TFMessage", qos(true, 100), doc = "the root link in `world`, other links in the root link" },
    { "joint_states", "sensor_msgs/msg/JointState", qos(true, 10), doc = "all dofs", constant = "JOINTS" },
    { "robot_description", "std_msgs/msg/String", qos(true, 1, true), doc = "URDF", constant = "DESCRIPTION" },
    { "tf_static", "tf2_msgs/msg/TFMessage", qos(true, 1, true), doc = "the frames of sensors, ROBOT/SENSOR/scan, range or imu, in their links" },
    { "battery_state", "sensor_msgs/msg/BatteryState", qos(true, 10), rate = 10, constant = "BATTERY",
      doc = "its battery; of robots whose descriptor has one, or a sensor of it" },
    { "diagnostics", "diagnostic_msgs/msg/DiagnosticArray", qos(true, 10), rate = 1,
      doc = "level 2: it is in panic; 1: it has fallen, something is in its way, or a device was lost since the last message; 0" },
    { "clock", "rosgraph_msgs/msg/Clock", qos(false, 1), doc = "of virtual time: the world's instant, without a robot's name" },
    { "scan", "sensor_msgs/msg/LaserScan", qos(false, 5), of = "laser", doc = "a reading" },
    { "range", "sensor_msgs/msg/Range", qos(false, 5), of = "sonar or infrared", doc = "a reading; the least of its values" },
    { "imu", "sensor_msgs/msg/Imu", qos(false, 5), of = "imu", doc = "a reading" },
    { "image/compressed", "sensor_msgs/msg/CompressedImage", qos(false, 5), of = "camera", doc = "a picture, JPEG", constant = "IMAGE" },
  },
}
