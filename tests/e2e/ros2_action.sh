#!/bin/bash
# The action follow_joint_trajectory of an arm, by a process that knows nothing but topics of DDS and the layouts of messages.
. "${BASH_SOURCE%/*}/lib.sh"
domain=$(($$ % 200 + 20)) long=${ROBOTALK_PATIENCE:-300}
cd "$work"
printf 'return { from = "so101_follower", name = "arm", deadman = %s }\n' "$long" >arm.lua
sed "s/deadman = 0.5/deadman = $long/" "$here/scripts/robots/pioneer2.lua" >pioneer2.lua
"$ROBOTALK" serve arm.lua pioneer2.lua --listen "dds://$domain" 2>server &
server=$!
cat >node.lua <<'LUA'
local core, rt, cdr = require "robotalk.core", require "robotalk", require "robotalk.ros2.cdr"
local long = tonumber(arg[2])
local BASE <const>, FOLLOW <const> = ("/%s/follow_joint_trajectory/_action/"):format(arg[3]), "control_msgs/action/FollowJointTrajectory_"
local NUMBER <const>, NONE <const> = string.pack("<I8i8", 0x1122334455667788, 7), { sec = 0, nanosec = 0 }
local function open(name, type, write, lasting)
  return assert(core.dds(arg[1], { name = name, type = cdr.dds_type(type), write = write, reliable = true, lasting = lasting, depth = 10 }))
end
local function await(topic, type, skip, fn)
  local late = core.uptime() + long
  while core.uptime() < late do
    local event, _, bytes = topic:take()
    if event == "sample" then
      if skip then assert(bytes:sub(5, 20) == NUMBER) end
      local m = assert(cdr.decode(type, bytes, skip))
      if not fn or fn(m) then return m end
    else
      rt.sleep(0.01)
    end
  end
  error("no such message of " .. type, 2)
end
local function service(name, type)
  local ask, answer = open("rq" .. BASE .. name .. "Request", type .. "_Request", true), open("rr" .. BASE .. name .. "Reply", type .. "_Response")
  while ask:readers() == 0 do rt.sleep(0.01) end
  return function(request, later)
    assert(ask:put(assert(cdr.encode(type .. "_Request", request, NUMBER))))
    local function reply() return await(answer, type .. "_Response", 16) end
    return later and reply or reply()
  end
end
local send, result = service("send_goal", FOLLOW .. "SendGoal"), service("get_result", FOLLOW .. "GetResult")
local cancel = service("cancel_goal", "action_msgs/srv/CancelGoal")
local feedback = open("rt" .. BASE .. "feedback", FOLLOW .. "FeedbackMessage")
local status = open("rt" .. BASE .. "status", "action_msgs/msg/GoalStatusArray", false, true)
local function id(n) return { uuid = ("%016d"):format(n) } end
local function goal(n, names, points)
  return { goal_id = id(n), goal = { trajectory = { header = { stamp = NONE, frame_id = "" }, joint_names = names, points = points },
    multi_dof_trajectory = { header = { stamp = NONE, frame_id = "" }, joint_names = {}, points = {} }, path_tolerance = {},
    component_path_tolerance = {}, goal_tolerance = {}, component_goal_tolerance = {}, goal_time_tolerance = NONE } }
end
local function point(seconds, positions, velocities)
  return { positions = positions, velocities = velocities or {}, accelerations = {}, effort = {},
    time_from_start = { sec = seconds // 1 | 0, nanosec = seconds % 1 * 1e9 // 1 | 0 } }
end
local function tell(what, r)
  print(what, r.status, r.result.error_code, r.result.error_string)
  io.flush()
end
local function near(a, b) return math.abs(a - b) < 0.003 end
return { open = open, await = await, send = send, result = result, cancel = cancel, feedback = feedback, status = status, id = id, goal = goal,
  point = point, tell = tell, near = near, NONE = NONE, FOLLOW = FOLLOW }
LUA
cat >client.lua <<'LUA'
local rt, node = require "robotalk", require "node"
local await, send, result, cancel, feedback, status = node.await, node.send, node.result, node.cancel, node.feedback, node.status
local id, goal, point, tell, near, NONE, FOLLOW = node.id, node.goal, node.point, node.tell, node.near, node.NONE, node.FOLLOW
local joints = node.open("rt/arm/joint_states", "sensor_msgs/msg/JointState")
print("accepted", send(goal(1, { "shoulder_lift", "shoulder_pan" }, { point(0.5, { 0.1, 0.2 }), point(1, { 0.2, 0 }) })).accepted)
local done = result({ goal_id = id(1) }, true)
local f = await(feedback, FOLLOW .. "FeedbackMessage", nil, function(m) return m.feedback.desired.time_from_start.nanosec > 0 end).feedback
print(table.concat(f.joint_names, " "), #f.desired.positions, #f.actual.velocities, #f.error.positions)
tell("ended", done())
await(joints, "sensor_msgs/msg/JointState", nil, function(m) return near(m.position[1], 0) and near(m.position[2], 0.2) end)

-- a cubic through points with velocities
print("accepted", send(goal(2, { "wrist_roll" }, { point(0.5, { 0.3 }, { 0.4 }), point(1, { 0.4 }, { 0 }) })).accepted)
tell("ended", result({ goal_id = id(2) }, true)())

-- what is refused: a joint that is not there, times that run backwards, an id twice, numbers that are none
print(send(goal(3, { "nobody" }, { point(1, { 0 }) })).accepted, send(goal(3, { "wrist_roll" }, { point(1, { 0 }), point(0.5, { 0 }) })).accepted,
  send(goal(1, { "wrist_roll" }, { point(1, { 0 }) })).accepted, send(goal(3, { "wrist_roll" }, { point(1, { 0 / 0 }) })).accepted,
  send(goal(3, { "wrist_roll" }, { point(1, { 0, 1 }) })).accepted, send(goal(3, {}, {})).accepted)
tell("unknown", result { goal_id = id(3) })

-- cancelled; replaced by another; a panic
send(goal(4, { "wrist_roll" }, { point(900, { 0 }) }))
done = result({ goal_id = id(4) }, true)
print("cancelled", #cancel({ goal_info = { goal_id = { uuid = ("\0"):rep(16) }, stamp = NONE } }).goals_canceling)
tell("ended", done())
print("nothing to cancel", cancel({ goal_info = { goal_id = id(4), stamp = NONE } }).return_code)
local two = goal(3, { "wrist_roll" }, { point(1, { 0 }) })
two.goal.multi_dof_trajectory = { joint_names = { "base" }, points = { {} } }
print("several dofs", send(two).accepted)
send(goal(5, { "wrist_roll" }, { point(900, { 0 }) }))
print("an older one", cancel({ goal_info = { goal_id = { uuid = ("\0"):rep(16) }, stamp = { sec = 1, nanosec = 0 } } }).return_code)
done = result({ goal_id = id(5) }, true)
send(goal(6, { "wrist_flex" }, { point(900, { 0 }) }))
tell("ended", done())
done = result({ goal_id = id(6) }, true)
local robot <close> = rt.connect(arg[1] .. "/arm")
robot:panic()
tell("ended", done())
print("accepted", send(goal(7, { "wrist_roll" }, { point(1, { 0 }) })).accepted)
local list = await(status, "action_msgs/msg/GoalStatusArray", nil, function(m) return m.status_list[1].status == 6 end).status_list
for _, g in ipairs(list) do io.write(tonumber(g.goal_info.goal_id.uuid), ":", g.status, " ") end
print()
LUA
"$ROBOTALK" run client.lua "dds://$domain" "$long" arm >out 2>said
cat >expected <<'TEXT'
accepted	true
shoulder_pan shoulder_lift	2	2	2
ended	4	0	
accepted	true
ended	4	0	
false	false	false	false	false	false
unknown	0	-1	there is no such goal
cancelled	1
ended	5	0	cancelled
nothing to cancel	3
several dofs	false
an older one	0
ended	5	-1	another goal has come
ended	6	-4	panic: the robot is in panic until someone resets it
accepted	false
6:6 5:5 4:5 2:4 1:4 
TEXT
diff expected out
says "has no nobody" server

# a goal beyond a limit; a speed beyond one on the way; half the speed; the base is stopped meanwhile; the robot is removed
cat >more.lua <<'LUA'
local rt, cdr, core, node = require "robotalk", require "robotalk.ros2.cdr", require "robotalk.core", require "node"
local send, result, id, goal, point, tell, near = node.send, node.result, node.id, node.goal, node.point, node.tell, node.near
local robot <close> = rt.connect(arg[1] .. "/pioneer2", { expiry = false })
local function play(what, n, ...)
  assert(send(goal(n, { "head.pan" }, { ... })).accepted)
  tell(what, result({ goal_id = id(n) }, true)())
end
play("beyond", 11, point(1, { 9 }))
play("back", 12, point(3, { 0 }))
play("too fast", 13, point(0.01, { 1 }), point(4, { 0.5 }))
print(near(robot:state().joints.head.pan, 0.5))
robot:override(0.25)
local began = core.uptime()
play("slow", 14, point(0.5, { 0.2 }))
print(core.uptime() - began > 1.4, near(robot:state().joints.head.pan, 0.2))
robot:override(1)
local TWIST <const> = "geometry_msgs/msg/Twist"
local velocity = node.open("rt/pioneer2/cmd_vel", TWIST, true)
while velocity:readers() == 0 do rt.sleep(0.01) end
assert(send(goal(15, { "head.pan" }, { point(1.5, { 0 }) })).accepted)
local done = result({ goal_id = id(15) }, true)
velocity:put(cdr.encode(TWIST, { linear = { x = 0.2 } })) -- and no other: the deadman stops the base
tell("its base stops", done())
print(not robot:state().moving)
assert(send(goal(16, { "head.pan" }, { point(900, { 1 }) })).accepted)
print(result({ goal_id = id(16) }, true) ~= nil)
rt.sleep(1e6)
LUA
cat >other.lua <<'LUA'
local node = require "node"
print(node.send(node.goal(21, { "head.tilt" }, { node.point(1, { 0 }) })).accepted)
LUA
"$ROBOTALK" run more.lua "dds://$domain" "$long" pioneer2 >more 2>said &
client=$!
done_with() { [ "$(wc -l <more)" -ge "$1" ]; }
eventually done_with 9
cat >expected <<'TEXT'
beyond	6	-5	modified: a value was clipped to the limit of the body
back	4	0	
too fast	4	0	
true
slow	4	0	
true	true
its base stops	4	0	
true
true
TEXT
diff expected more
# another process does not take it away; it ends with its own
"$ROBOTALK" run other.lua "dds://$domain" "$long" pioneer2 >out
says '^false$'
eventually says "pioneer2: a trajectory is refused: expected no goal of another client in progress" server
cat >idle.lua <<'LUA'
local node = require "node"
print "ready"
io.flush()
print(node.await(node.status, "action_msgs/msg/GoalStatusArray", nil, function(m) return m.status_list[1].status == 5 end) ~= nil)
LUA
"$ROBOTALK" run idle.lua "dds://$domain" "$long" pioneer2 >idle &
eventually says ready idle
lacks true idle
kill "$client"
eventually says true idle
end_server
