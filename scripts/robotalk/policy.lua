-- Policies: a function from the newest observation to a chunk of actions, set-points of joints at a fixed rate, which
-- are played as frames of a sequence (docs/policy.md). Action k of a chunk belongs to the instant k / rate after its
-- observation. The server has each chunk as a whole, and a newer one replaces what has not begun: the arm goes on while
-- the function computes, and rests at the end of the last chunk when no other comes.
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local dofs_in = require "robotalk.robot.dofs"
local good = require "robotalk.session.signals".good
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local AHEAD <const> = 0.005 -- s before its instant at which a frame must be at the server

local SHARE <const> = 0.8   -- of its acceleration that a dof's plan has: the rest is for following it
local TAIL <const> = 30     -- frames for coming to rest behind the last action, at most

local function clamp(x, least, most) return math.max(least, math.min(most, x)) end

local Policy = {}
Policy.__index = Policy
Policy.__name = "robotalk.Policy"

-- ---- observations ----

-- The newest observation; nil, why: a part of it is missing, or older than the policy's bound; nil, why, code: no link.
local function observe(self)
  local robot, joints = self.robot, {}
  local state, why, code = robot:state()
  if not state then return nil, why, code end
  local observation, oldest, what = { time = state.time, state = state, position = joints }, state.time, "state"
  for i, dof in ipairs(self.dofs) do joints[i] = state.position[dof.place] end
  for _, name in ipairs(self.observes) do
    local part
    local camera = robot:camera(name)
    if camera then
      part, why = camera:frame { format = "rgb", timeout = self.age }
    else
      part, why = robot:sense(name)
    end
    if not part then return nil, why end
    observation[name] = part
    if part.time < oldest then oldest, what = part.time, name end
  end
  local age = core.now() - oldest
  if age > self.age then return nil, ("%s is %.2f s old"):format(what, age) end
  return observation
end

-- ---- chunks ----

-- The set-points of a plan, a list of { at = instant, … }, at an instant: on the line between two of them.
local function value_at(plan, at, i)
  local before = plan[1]
  for _, row in ipairs(plan) do
    if row.at >= at then
      local share = row.at > before.at and (at - before.at) / (row.at - before.at) or 1
      return before[i] + math.max(0, share) * (row[i] - before[i])
    end
    before = row
  end
  return before[i]
end

-- Raises unless a chunk is a list of actions, each a number for every dof.
local function check(self, actions)
  if type(actions) ~= "table" or #actions == 0 then mistake "policy: want a list of actions from the function" end
  for k, action in ipairs(actions) do
    local n = type(action) == "table" and #action or 0
    if n ~= #self.dofs then mistake("policy: action %d: want %d numbers, got %d", k, #self.dofs, n) end
    for i = 1, n do
      local x = action[i]
      if not math.type(x) or x - x ~= 0 then
        mistake("policy: action %d: %s: want a number, got %s", k, self.dofs[i].joint, tostring(x))
      end
    end
  end
end

-- The next point of a dof on its way to a target, and its speed: it may speed up and brake only so much.
local function approach(dof, x, v, target, rate)
  local left, step = target - x, dof.acceleration / rate
  local most = math.min(dof.speed, math.sqrt(2 * dof.acceleration * math.abs(left))) -- it can stop there
  v = v + clamp(clamp(left * rate, -most, most) - v, -step, step)
  return x + v / rate, v
end

-- The plan that a chunk makes of the old one, from the first action that can be on time: little by little over the
-- actions that the old chunk still has; it ends at rest. How many actions are too late.
local function blend(self, time, actions)
  local clock, rate, old = self.robot:clock(), self.rate, self.plan
  local soonest = core.now() + AHEAD + (clock and clock.least or 0) / 2
  local first = math.max(0, math.ceil((soonest - time) * rate))
  local overlap = math.max(0, math.floor((self.ends - time) * rate + 1.5) - first)
  local plan, n = {}, #actions - first
  for i, dof in ipairs(n > 0 and self.dofs or {}) do
    local at = time + first / rate
    local x = value_at(old, at - 1 / rate, i)
    local v = (value_at(old, at, i) - x) * rate
    for k = 1, n + TAIL do
      at = time + (first + k - 1) / rate
      local was, share = value_at(old, at, i), math.min(1, k / (overlap + 1))
      local target = clamp(was + share * (actions[math.min(first + k, #actions)][i] - was), dof.low, dof.high)
      if k > n and math.abs(v) < 1e-3 and math.abs(target - x) < 1e-3 then break end
      x, v = approach(dof, x, v, target, rate)
      plan[k] = plan[k] or { at = at }
      plan[k][i] = x
    end
  end
  for k = 2, #plan do -- a dof that is at rest earlier stays there
    for i = 1, #self.dofs do plan[k][i] = plan[k][i] or plan[k - 1][i] end
  end
  return plan, math.min(first, #actions)
end

-- Sends a plan as frames; each set-point has the velocity that leads to the next one, the last one rests.
local function play(self, session, plan)
  for k, row in ipairs(plan) do
    local parts, after = {}, plan[k + 1] or row
    for i, dof in ipairs(self.dofs) do
      local part = parts[dof.joint] or { velocity = {} }
      local velocity = (after[i] - row[i]) * self.rate
      part[dof.dof], part.velocity[dof.dof] = row[i], clamp(velocity, -dof.speed, dof.speed)
      parts[dof.joint] = part
    end
    local ok, message, code = session:frame(row.at - session.epoch, parts)
    if not ok then return nil, message, code end
  end
  return session:flush()
end

-- ---- the run ----

-- Whether all frames that have ended were played, or replaced: true; false, why; nil, message, code of a lost link.
local function goes_on(session)
  local tickets = session.tickets
  while tickets[1] do
    local word, why, result = session:result(tickets[1], 0)
    if not word and result == "ETIMEOUT" then return true end
    table.remove(tickets, 1)
    if not word then return nil, why, result end
    if not good[word] then return false, ("%s: %s"):format(word, why or "") end
  end
  return true
end

-- One observation and its chunk; false, why: the policy has ended.
local function step(self, session)
  local counts = self.counts
  local observation, why, lost = observe(self)
  if lost then return nil, why, lost end
  if not observation then
    counts.stale = counts.stale + 1
  else
    counts.calls = counts.calls + 1
    local actions
    actions, why = self.fn(observation)
    if actions == nil then return false, why or "the policy has ended" end
    check(self, actions)
    if #actions == 1 then -- is held until the next one is due
      local action = actions[1]
      actions = { action }
      for k = 2, self.every + 1 do actions[k] = action end
    end
    if self.over then return false end
    local plan, dropped = blend(self, observation.time, actions)
    counts.dropped = counts.dropped + dropped
    why = #plan == 0 and ("the function took %.2f s"):format(core.now() - observation.time) or nil
    counts.late = counts.late + (why and 1 or 0)
    if not why then
      local going, word, code = goes_on(session)
      if not going then return going, word, code end
      if plan[1].at > self.ends + 1.5 / self.rate and counts.chunks > 0 then counts.holds = counts.holds + 1 end
      going, word, code = play(self, session, plan)
      if not going then return nil, word, code end
      counts.chunks, counts.frames = counts.chunks + 1, counts.frames + #plan
      local kept = {} -- the old one is played until the new one begins
      for _, row in ipairs(self.plan) do
        if row.at < plan[1].at - 1e-6 and row.at > plan[1].at - 3 / self.rate then kept[#kept + 1] = row end
      end
      self.plan = table.move(plan, 1, #plan, #kept + 1, kept)
      self.ends = observation.time + (#actions - 1) / self.rate
    end
  end
  if why then self.on_hold(why) end
  return goes_on(session)
end

---Runs the policy from where the robot is, for that many seconds or until it ends: why, and counts; or nil, message,
---code. It then brakes. A later run begins anywhere, also after a stop.
function Policy:run(seconds)
  if self.session then mistake "run: the policy runs already" end
  if seconds ~= nil then checked.value(seconds, checked.seconds, "run", "seconds") end
  local robot, began = self.robot, core.now()
  self.over = nil
  local state, message, code = robot:state()
  if not state then return nil, message, code end
  local session
  session, message, code = robot:session { mode = "playback", newest = true, spacing = 1 / self.rate, at = core.now() }
  if not session then return nil, message, code end
  local listeners = robot.client.listeners
  local function listen(op, number)
    if number == session.number and (op == "stopped" or op == "panicked") then self:stop(op) end
  end
  table.insert(listeners, listen)
  self.session = session
  local _ <close> = setmetatable({}, { __close = function()
    for i, one in ipairs(listeners) do if one == listen then table.remove(listeners, i) break end end
    self.session = nil
    session:close()
  end })
  self.counts = { calls = 0, chunks = 0, frames = 0, dropped = 0, late = 0, stale = 0, holds = 0 }
  self.plan, self.ends = { { at = core.now() } }, -math.huge
  for i, dof in ipairs(self.dofs) do self.plan[1][i] = state.position[dof.place] end
  local next_ = core.now()
  while not self.over do
    local going, why, what = step(self, session)
    if self.over then break end
    if going == nil then return nil, why, what end
    if not going then return why, self.counts end
    next_ = math.max(next_ + self.every / self.rate, core.now())
    local ends = seconds and began + seconds or math.huge
    task.wait(self, math.max(0, math.min(next_, ends) - core.now()))
    if core.now() >= ends then self.over = self.over or "its time is over" end
  end
  return self.over, self.counts
end

---Ends the run, from another task: the robot brakes at once, also while the function computes.
function Policy:stop(why)
  self.over = self.over or why or "stopped"
  if self.session then self.session:close() end
  task.wake(self)
end

colon.methods(Policy, "policy")

local function names(x) return type(x) ~= "table" and "a list of names" end
local OPTIONS <const> = { rate = checked.period, every = checked.count, age = checked.period,
  joints = names, observe = names, on_hold = checked.fn }

-- The dofs of joints by their names, or of all that take set-points, in the order of a posture, with their limits.
local function dofs_of(body, wanted)
  local all, joints, list = {}, {}, {}
  for _, dof in ipairs(dofs_in(body)) do
    local limits, joint = dof.limits, all[dof.joint] or {}
    local is_bounded = limits.low <= limits.high
    if not joint[1] then joints[#joints + 1] = dof.joint end
    all[dof.joint] = joint
    joint[#joint + 1] = { joint = dof.joint, dof = dof.dof, place = dof.place,
      low = is_bounded and limits.low or -math.huge, high = is_bounded and limits.high or math.huge,
      speed = limits.speed > 0 and limits.speed or math.huge,
      acceleration = limits.acceleration > 0 and SHARE * limits.acceleration or math.huge }
  end
  for _, name in ipairs(wanted or joints) do
    local joint = body.joints[name] and all[body.joints[name].name]
    for _, dof in ipairs(joint or checked.refuse(body.name, "joint", name, joints)) do list[#list + 1] = dof end
  end
  return list
end

local policy = {}

---A policy of a robot. fn(observation) returns a chunk, a list of actions; nil, why ends the run. options: rate,
---actions a second (30); every, actions between two observations (8); age, s that an observation may be old (0.2);
---joints, of which an action has set-points, in that order (all); observe, names of cameras and sensors; on_hold(why),
---called when there is no chunk.
function policy.new(robot, options, fn)
  options = checked.options(options, OPTIONS, "policy")
  checked.value(fn, checked.fn, "policy", "the function")
  local body, there = robot:describe(), {}
  for _, camera in ipairs(body.cameras) do there[camera.name] = true end
  for _, sensor in ipairs(body.sensors) do there[sensor.name], there[sensor.kind] = true, true end
  for _, name in ipairs(options.observe or {}) do
    if not there[name] then checked.refuse(body.name, "sensor or camera", name, checked.names(there)) end
  end
  return setmetatable({ robot = robot, fn = fn, rate = options.rate or 30, every = options.every or 8,
    age = options.age or 0.2, observes = options.observe or {}, dofs = dofs_of(body, options.joints),
    on_hold = options.on_hold or function() end }, Policy)
end

return policy
