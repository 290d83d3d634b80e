#!/bin/bash
# Robots as nodes of ROS 2, met by a process that knows nothing but topics of DDS and the layouts of messages: topics, velocities with their deadman,
# services in the dialect of rmw_cyclonedds, the graph in both of its layouts.
. "${BASH_SOURCE%/*}/lib.sh"
domain=$(($$ % 200 + 20)) long=${ROBOTALK_PATIENCE:-300}
cd "$work"
sed "s/deadman = 0.5/deadman = $long/" "$here/scripts/robots/pioneer2.lua" >pioneer2.lua
sed "s/name = \"pioneer2\"/name = \"sec-ond\"/" pioneer2.lua >second.lua
sed "s/name = \"pioneer2\"/name = \"sec_ond\"/" pioneer2.lua >third.lua
"$ROBOTALK" serve pioneer2.lua second.lua third.lua --listen "dds://$domain/site?deadman=$long" 2>server &
server=$!
cat >node.lua <<'LUA'
local core, rt, cdr = require "robotalk.core", require "robotalk", require "robotalk.ros2.cdr"
local long = tonumber(arg[2])
local function open(name, type, options)
  local form = { name = name, type = cdr.dds_type(type), depth = 10, partition = "" }
  for key, value in pairs(options or {}) do form[key] = value end
  return assert(core.dds(arg[1], form))
end
local LATCHED, WRITES = { reliable = true, lasting = true, depth = 1 }, { write = true, reliable = true }
-- The newest message of a topic for which fn is true.
local function await(topic, type, fn)
  local late = core.uptime() + long
  while core.uptime() < late do
    local event, _, bytes = topic:take()
    if event == "sample" then
      local m = assert(cdr.decode(type, bytes))
      if not fn or fn(m) then return m end
    else
      rt.sleep(0.01)
    end
  end
  error("no such message of " .. type, 2)
end
local ODOM, TWIST = "nav_msgs/msg/Odometry", "geometry_msgs/msg/Twist"

local graph = open("ros_discovery_info", "rmw_dds_common/msg/ParticipantEntitiesInfo", LATCHED)
local nodes = await(graph, "rmw_dds_common/msg/ParticipantEntitiesInfo", function(m) return #m.node_entities_info_seq == 2 end)
local names = {}
for i, node in ipairs(nodes.node_entities_info_seq) do
  names[i] = node.node_namespace .. node.node_name
  assert(#node.reader_gid_seq >= 6 and #node.writer_gid_seq >= 10)
end
table.sort(names)
print(table.concat(names, " "))

local odom = open("rt/pioneer2/odom", ODOM)
local m = await(odom, ODOM)
print(m.header.frame_id, m.child_frame_id, #m.pose.covariance)
m = await(open("rt/sec_ond/joint_states", "sensor_msgs/msg/JointState"), "sensor_msgs/msg/JointState")
print(table.concat(m.name, " "), #m.position)
m = await(open("rt/pioneer2/robot_description", "std_msgs/msg/String", LATCHED), "std_msgs/msg/String")
print(m.data:match '<robot name="%w+"')
local frames = {}
local tf = open("rt/tf", "tf2_msgs/msg/TFMessage")
while not (frames["pioneer2/base"] and frames["sec-ond/base"]) do
  for _, t in ipairs(await(tf, "tf2_msgs/msg/TFMessage").transforms) do frames[t.child_frame_id] = t.header.frame_id end
end
print(frames["pioneer2/base"], frames["sec-ond/base"])
m = await(open("rt/pioneer2/camera/image/compressed", "sensor_msgs/msg/CompressedImage"), "sensor_msgs/msg/CompressedImage")
print(m.format, m.data:sub(1, 2) == "\xff\xd8")
await(open("rt/pioneer2/sonar3/range", "sensor_msgs/msg/Range"), "sensor_msgs/msg/Range")
await(open("rt/pioneer2/diagnostics", "diagnostic_msgs/msg/DiagnosticArray"), "diagnostic_msgs/msg/DiagnosticArray")

-- a velocity, with a stamp and without one: the one robot that is meant
local function drive(topic, message)
  local late = core.uptime() + long
  repeat
    topic:put(message)
    rt.sleep(0.02)
    local event, _, bytes = odom:take()
    local speed = event == "sample" and cdr.decode(ODOM, bytes).twist.twist.linear.x or 0
  until speed > 0.05 or core.uptime() > late
  assert(core.uptime() <= late, "it does not drive")
end
local plain = open("rt/pioneer2/cmd_vel", TWIST, WRITES)
local still = { x = 0, y = 0, z = 0 }
local ahead, zero = { linear = { x = 0.2, y = 0, z = 0 }, angular = still }, { linear = still, angular = still }
drive(plain, cdr.encode(TWIST, ahead))
plain:put(cdr.encode(TWIST, zero))
await(odom, ODOM, function(o) return o.twist.twist.linear.x == 0 end)
local STAMPED <const> = "geometry_msgs/msg/TwistStamped"
local stamped = open("rt/pioneer2/cmd_vel", STAMPED, WRITES)
drive(stamped, cdr.encode(STAMPED, { header = { stamp = { sec = 0, nanosec = 0 }, frame_id = "" }, twist = ahead }))
plain:put "\0\1\0\0 no velocity"
m = await(open("rt/sec_ond/odom", ODOM), ODOM)
print(m.twist.twist.linear.x)

-- services: the number of a request comes back
local ASK, ANSWER = "std_srvs/srv/Trigger_Request", "std_srvs/srv/Trigger_Response"
local function call(service)
  local ask, answer = open("rq/pioneer2/" .. service .. "Request", ASK, WRITES), open("rr/pioneer2/" .. service .. "Reply", ANSWER, { reliable = true })
  local number = string.pack("<I8i8", 0x1122334455667788, 7)
  while ask:readers() == 0 do rt.sleep(0.01) end
  local late = core.uptime() + long
  ask:put(cdr.encode(ASK, { structure_needs_at_least_one_member = 0 }, number))
  repeat
    local event, _, bytes = answer:take()
    if event == "sample" then
      assert(bytes:sub(5, 20) == number)
      local reply = cdr.decode(ANSWER, bytes, 16)
      return print(service, reply.success, reply.message)
    end
    if answer:readers() == 0 then rt.sleep(0.01) end
  until core.uptime() > late
end
call "stop"
await(odom, ODOM, function(o) return o.twist.twist.linear.x == 0 end)
call "panic"
local DIAGNOSTICS <const> = "diagnostic_msgs/msg/DiagnosticArray"
local diagnostics = open("rt/pioneer2/diagnostics", DIAGNOSTICS)
plain:put(cdr.encode(TWIST, ahead))
m = await(diagnostics, DIAGNOSTICS, function(d) return d.status[1].name == "pioneer2: clients" end)
print(m.status[1].level, m.status[1].message)
call "reset"

-- a stop by another client holds it until a velocity of zero
local robot <close> = rt.connect((arg[1]:gsub("anywhere", "site/pioneer2")))
plain:put(cdr.encode(TWIST, zero)) -- since the reset
rt.sleep(0.1)
drive(plain, cdr.encode(TWIST, ahead))
robot:stop()
plain:put(cdr.encode(TWIST, ahead))
m = await(diagnostics, DIAGNOSTICS, function(d) return d.status[1].message:find "holds" ~= nil end)
print(m.status[1].message)
plain:put(cdr.encode(TWIST, zero))
rt.sleep(0.1)
drive(plain, cdr.encode(TWIST, ahead))
LUA
"$ROBOTALK" run node.lua "dds://$domain/anywhere" "$long" >out 2>said
cat >expected <<'TEXT'
/pioneer2 /sec_ond
world	pioneer2/base	36
head.pan head.tilt	2
<robot name="pioneer2"
world	world
jpeg	true
0.0
stop	true	done
panic	true	done
1	pioneer2: panic: the robot is in panic until someone resets it
reset	true	done
pioneer2: a stop by another client holds this one: a velocity of zero ends that, or 5 s without one
TEXT
diff expected out

# a client that has gone: the robot stops
says "panicked by ROS 2 node" server
says "/sec_ond/.*: another robot has that name in ROS" server
"$ROBOTALK" serve pioneer2.lua --listen "dds://$((domain + 1))?humble&root" 2>humble &
cat >humble.lua <<'LUA'
local core, rt, cdr = require "robotalk.core", require "robotalk", require "robotalk.ros2.cdr"
local INFO <const> = "rmw_dds_common/msg/ParticipantEntitiesInfo:humble"
local graph = core.dds(arg[1], { name = "ros_discovery_info", type = cdr.dds_type(INFO), reliable = true, lasting = true, depth = 1 })
local event, _, bytes
repeat
  rt.sleep(0.01)
  event, _, bytes = graph:take()
until event == "sample"
print(#cdr.decode(INFO, bytes).gid.data, cdr.decode(INFO, bytes).node_entities_info_seq[1].node_name)
local names = {}
for _, e in ipairs(graph:list()) do names[e.topic] = true end
print(names["rt/cmd_vel"], names["rq/stopRequest"])
LUA
"$ROBOTALK" run humble.lua "dds://$((domain + 1))" >out
says '^24	pioneer2$'
says '^true	true$'
end_server
