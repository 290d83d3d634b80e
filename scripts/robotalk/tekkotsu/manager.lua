-- Assigns the dofs of a robot to motion commands, like Tekkotsu's motion manager. A motion command has dofs
-- from its beginning to its end. A newer one takes over the dofs that it needs; the older one continues with the rest,
-- or ends if it needs them all. All of them send to one session, in which a newer set-point supersedes an older one.
-- Made by `begin`; ended by `finish`, by `leave` of its owner, by a newer command, or by a stop or a panic.
local core = require "robotalk.core"
local task = require "robotalk.task"

local manager = { WALK = "walk" } -- a walk has this, besides the dofs of the legs

---The reason of a command that has lost dofs to a newer one; its signal is MODIFIED.
manager.TAKEN = "a newer command has taken over"

local Command = {}
Command.__index = Command

-- robot -> { [dof] = the command that has it }
local holders = setmetatable({}, { __mode = "k" })
local begun = 0 -- number of commands so far

-- The commands that have dofs, in the order in which they began.
local function commands(of)
  local list, listed = {}, {}
  for _, command in pairs(of) do
    if not listed[command] then list[#list + 1] = command end
    listed[command] = true
  end
  table.sort(list, function(a, b) return a.number < b.number end)
  return list
end

-- The dofs of a robot that motion commands have.
local function held(robot)
  local of = holders[robot]
  if not of then
    of = {}
    holders[robot] = of
    table.insert(robot.client.listeners, function(what) -- at once, before a task is woken
      for _, command in ipairs(commands(of)) do
        if what == "stopped" then command:fail("INTERRUPTED", "the robot was stopped") end
        if what == "panicked" then command:fail("PANIC", "the robot was in panic") end
      end
    end)
  end
  return of
end

---The descriptor's values of a dof: limit, speed, acceleration.
function manager.describe(body, joint, dof)
  for _, one in pairs(body.descriptor.joints) do
    for k, described in ipairs(one.name == joint and one.dofs or {}) do
      if (described.name or tostring(k - 1)) == dof then return described end
    end
  end
  return {}
end

---The key of a joint's dof in motion commands.
function manager.dof(joint, dof) return joint .. "." .. dof end

---The dofs of all legs: { joint =, dof = } each, in the order of the body's: a simulated run is the same again.
function manager.legs(body)
  local legs, list = {}, {}
  for name, joint in pairs(body.joints) do
    if type(name) == "string" and joint.leg > 0 then legs[#legs + 1] = joint end
  end
  table.sort(legs, function(a, b) return a.number < b.number end)
  for _, joint in ipairs(legs) do
    for _, dof in ipairs(joint.names) do list[#list + 1] = { joint = joint.name, dof = dof } end
  end
  return list
end

---Begins a motion command that has these dofs from now on. options: owner, for `leave`; whole: it ends when it loses
---any dof; on_end(taker): called when it is ended early, with the newer command if one has taken over. `finish` ends
---it; so does its <close> variable.
function manager.begin(robot, dofs, options)
  local of = held(robot)
  begun = begun + 1
  local self = setmetatable({ number = begun, robot = robot, owner = options.owner, whole = options.whole,
    on_end = options.on_end, stops = robot.stops, dofs = {}, under_way = {}, word = "SUCCESS" }, Command)
  for _, dof in ipairs(dofs) do self.dofs[dof] = true end
  for _, dof in ipairs(dofs) do
    local before = of[dof]
    of[dof] = self
    if before and before ~= self then before:lose(dof, self) end
  end
  return self
end

---Ends the commands of an owner: their dofs stop where they are.
function manager.leave(robot, owner)
  for _, command in ipairs(commands(held(robot))) do
    if command.owner == owner then command:stop "its client has gone" end
  end
end

---The command that has a dof, or nil.
function manager.holder(robot, dof) return held(robot)[dof] end

---Sends a command without waiting for its result.
function manager.post(robot, cmd)
  local ticket = not robot.closed and robot:send { cmd }
  -- the client keeps a result until it is taken
  if ticket then task.spawn(function() robot:result(ticket) end).background = true end
end

---The robot was commanded to walk or to stand without this module: commands that have the walk or the legs lose them.
---When its legs are taken it is stopped; not for an owner that is `served`, which is notified past this module, too.
function manager.yield_to_walk(robot, owner, stands)
  local dofs = { manager.WALK }
  for _, part in ipairs(stands and {} or manager.legs(robot:describe())) do
    dofs[#dofs + 1] = manager.dof(part.joint, part.dof)
  end
  local command = manager.begin(robot, dofs, { owner = owner, whole = true, on_end = function(taker)
    if not taker or taker:has(manager.WALK) or taker.owner.served then return end
    manager.post(robot, { op = "set_speed", x = 0, y = 0, theta = 0 })
  end })
  if stands then command:finish() end
end

-- ---- a motion command ----

---Whether it still has a dof.
function Command:has(dof) return self.dofs[dof] == true end

-- Signals from the best to the worst.
local RANK = { SUCCESS = 1, MODIFIED = 2, NA = 3, BUSY = 4, INTERRUPTED = 5, ERROR = 6, PANIC = 7 }

---Records a result: the worst one becomes the command's. INTERRUPTED, ERROR, PANIC and a lost robot are failures.
function Command:note(word, why)
  local rank = RANK[word] or 8
  self.failed = self.failed or rank >= RANK.INTERRUPTED
  if rank > (RANK[self.word] or 8) then self.word, self.why = word, why end
  task.wake(self)
end

-- Handles its end, for any cause.
local function over(self)
  self.ended = true
  local of = held(self.robot)
  for dof in pairs(self.dofs) do
    if of[dof] == self then of[dof] = nil end
  end
  task.wake(self)
end

---Ends it. Its joints still move to their goals.
function Command:finish()
  if not self.ended then over(self) end
end
Command.__close = Command.finish

-- Stops its moving dofs, except those that a newer command has.
function Command:hold()
  local of, robot = held(self.robot), self.robot
  local dofs = {}
  for dof, sent in pairs(self.under_way) do
    if not of[dof] then dofs[#dofs + 1] = { name = dof, sent = sent } end
  end
  if not dofs[1] then return end
  table.sort(dofs, function(a, b) return a.name < b.name end)
  task.spawn(function()
    local state, body = not robot.closed and robot:state(), robot:describe()
    for _, one in ipairs(state and dofs or {}) do
      local dof, sent = one.name, one.sent
      local joint = body.joints[sent.joint]
      local speed, index = state.speed[joint.first + joint.index[sent.dof] + 1], joint.index[sent.dof]
      local described = manager.describe(body, sent.joint, sent.dof)
      -- as far ahead as the stopping distance, so that it does not swing back
      local to = state.joints[sent.joint][sent.dof] + speed * math.abs(speed) / (2 * (described.acceleration or 1e9))
      local limit = described.limit or { to, to }
      local cmd = { op = "set_joint", joint = joint.number, mask = 1 << index, value = { 0, 0, 0, 0, 0, 0 } }
      cmd.value[index + 1] = math.max(limit[1], math.min(limit[2], to))
      if not of[dof] then manager.post(robot, cmd) end
    end
  end).background = true
end

---Ends it because the robot has ended it.
function Command:fail(word, why)
  self:note(word, why)
  self:finish()
end

---Ends it early and stops what it has set in motion.
function Command:stop(why)
  if self.ended then return end
  self:fail("INTERRUPTED", why)
  self:hold()
  if self.on_end then self.on_end() end
end

-- A newer command has taken a dof; without a taker, a command past this manager has.
function Command:lose(dof, taker)
  if self.ended then return end
  self.dofs[dof] = nil
  if taker then
    self.taken = true
    self:note("MODIFIED", manager.TAKEN)
  end
  if not self.whole and next(self.dofs) then return end
  over(self)
  self:hold()
  if self.on_end then self.on_end(taker) end
end

-- Waits for the result of a set-point.
local function collect(self, dof, ticket)
  local word, why, result = self.robot:result(ticket)
  local sent = self.under_way[dof]
  local newest = sent and sent.ticket == ticket
  local past = word == "INTERRUPTED" and result.reason == "axis" -- the gait has taken the leg
  if word == "MODIFIED" and result.reason == "superseded" then
    if not newest then return end -- by its own next one
    past = true
  end
  if past then word, why = "BUSY", "something else moves it" end -- past this manager
  if newest then self.under_way[dof] = nil end
  if self:has(dof) then -- otherwise a newer command has the dof, and this result does not count
    self:note(word, why and dof .. ": " .. why)
    if word == "BUSY" then
      held(self.robot)[dof] = nil
      self:lose(dof)
    end
  end
  task.wake(self)
end

---Sends set-points for those dofs that it still has, without waiting; their results are recorded on arrival. Each:
---{ joint =, dof =, to = rad or m, speed = greatest on the way, rad/s or m/s; nil: the dof's own }.
function Command:send(goals)
  if self.stops ~= self.robot.stops then return self:fail("INTERRUPTED", "the robot was stopped") end
  local joints, cmds, sent = self.robot:describe().joints, {}, {}
  for _, goal in ipairs(goals) do
    local dof = manager.dof(goal.joint, goal.dof)
    local joint = joints[goal.joint] -- nil: the robot was reloaded, and no longer has the dof
    if joint and self:has(dof) and not self.ended then
      local index = joint.index[goal.dof]
      local cmd = { op = "set_joint", joint = joint.number, mask = 1 << index, value = { 0, 0, 0, 0, 0, 0 },
        speed = goal.speed }
      cmd.value[index + 1] = goal.to
      cmds[#cmds + 1], sent[#sent + 1] = cmd, dof
      self.under_way[dof] = { joint = goal.joint, dof = goal.dof }
    end
  end
  if #cmds == 0 then return end
  local first, message = self.robot:send(cmds)
  if not first then return self:note(nil, message) end
  for i, dof in ipairs(sent) do
    local ticket = first + i - 1
    self.under_way[dof].ticket = ticket
    task.spawn(collect, self, dof, ticket).background = true
  end
end

---Waits until its state changes, for at most that long.
function Command:wait(seconds) task.wait(self, seconds) end

---Waits until that time. False: it has ended or failed before.
function Command:wait_until(time)
  while not self.ended and not self.failed and core.now() < time do task.wait(self, time - core.now()) end
  return not self.ended and not self.failed
end

---Waits until all its dofs have arrived, or it ends or fails; at most that many seconds, if given.
function Command:settle(seconds)
  local until_ = core.now() + (seconds or math.huge)
  while next(self.under_way) and not self.ended and not self.failed and core.now() < until_ do
    task.wait(self, seconds and until_ - core.now())
  end
end

return manager
