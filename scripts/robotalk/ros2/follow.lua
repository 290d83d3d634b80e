-- The action FollowJointTrajectory of a controller, as a client, in the dialect of rmw_cyclonedds: requests and replies
-- begin with a number of the client and one of the request.
local follow = {}

local ACTION <const> = "control_msgs/action/FollowJointTrajectory_"

local Follow = {}
Follow.__index = Follow

-- One of its services: the topics of requests and replies.
local function service(open, listen, name, what, types, hear)
  local request = open { name = name, wire = ("rq%s/_action/%sRequest"):format(name, what), write = true,
    message = types .. "_Request", reliable = true, depth = 10, needed = true }
  listen({ name = name, wire = ("rr%s/_action/%sReply"):format(name, what), message = types .. "_Response",
    reliable = true, depth = 10, head = 16 }, hear)
  return request
end

---name: absolute; open, listen: as of the driver. over(number, why): the goal with that number has ended; why: nil when
---it was reached.
function follow.new(name, open, listen, over)
  local self = setmetatable({ number = 0, waits = {} }, Follow)
  -- The goal that a reply is about; nil: it is another client's.
  local function goal_of(head)
    local client, number = ("<i8i8"):unpack(head)
    local goal = client == self.client and self.waits[number]
    self.waits[number] = nil
    return goal
  end
  self.results = service(open, listen, name, "get_result", ACTION .. "GetResult", function(_, message, head)
    local goal = goal_of(head)
    if not goal then return end
    local status, result = message.status, message.result
    over(goal, status ~= 4 and ("status %d, error %d %s"):format(status, result.error_code, result.error_string)
      or nil)
  end)
  self.goals = service(open, listen, name, "send_goal", ACTION .. "SendGoal", function(_, message, head)
    local goal = goal_of(head)
    if not goal then return end
    if not message.accepted then return over(goal, "the goal is refused") end
    self:ask(self.results, { goal_id = self:id(goal) }, goal)
  end)
  self.cancels = service(open, listen, name, "cancel_goal", "action_msgs/srv/CancelGoal", function() end)
  local high, low = ("<i8i8"):unpack((self.goals.core:guid()))
  self.client = high ~ low
  return self
end

function Follow:id(goal) return { uuid = ("<i8i8"):pack(self.client, goal) } end

-- Sends a request whose reply is about a goal.
function Follow:ask(topic, request, goal)
  self.number = self.number + 1
  self.waits[self.number] = goal
  return topic:put(request, ("<i8i8"):pack(self.client, self.number))
end

---Sends a trajectory, which replaces those before it: its number; nil, message.
function Follow:send(trajectory)
  local goal = self.number + 1
  local ok, message = self:ask(self.goals, { goal_id = self:id(goal), goal = { trajectory = trajectory } }, goal)
  return ok and goal, message
end

---Cancels all goals, also those of other clients: true; nil, message.
function Follow:cancel()
  self.waits = {}
  return self:ask(self.cancels, {}) -- of no goal, at no time: all
end

return follow
