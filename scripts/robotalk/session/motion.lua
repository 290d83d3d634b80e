-- A motion: a command that runs in the background. session:begin makes it; when the task that began it is
-- cancelled, it brakes.
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local paced = require "robotalk.task.paced"
local task = require "robotalk.task"

local Motion = {}
Motion.__index = Motion
Motion.__name = "robotalk.Motion"

-- The running motions of a task.
local function live(t)
  local motions = {}
  for _, motion in ipairs(t.motions or {}) do
    if not motion:done() then motions[#motions + 1] = motion end
  end
  t.motions = motions
  return motions
end

---Makes the motion of a ticket. name: of its joint or control frame, if the command has one.
local function make(session, ticket, op, name)
  local motion = setmetatable({ session = session, ticket = ticket, op = op, name = name, begun = core.now() }, Motion)
  local t = task.self()
  if t then
    local motions = live(t)
    motions[#motions + 1] = motion
    motion.task = t
  end
  return motion
end

---Waits for its end, for that many seconds at most: signal, why, result, the same for each call; or nil,
---message, code.
function Motion:wait(timeout)
  if not self.word then
    local word = table.pack(self.session:result(self.ticket, timeout))
    if not self.word then -- otherwise another task has waited too, and was first
      if word[3] == "ETIMEOUT" then return table.unpack(word, 1, 3) end
      self.word = word
      return paced(self.op, self.begun, table.unpack(word, 1, 3))
    end
  end
  return table.unpack(self.word, 1, 3)
end

---Whether it is over.
function Motion:done()
  if self.word then return true end
  local client = self.session.client
  return client.closed ~= nil or self.session.closed ~= false or client.link:has(self.ticket)
end

---It brakes, or never begins: true when it had not ended, otherwise false; or nil, message, code. A task
---that is ending does not wait for that: nil.
function Motion:cancel()
  if self:done() then return false end
  if not task.can_wait() then
    self.session.client:tell(self.session, "cancel", { command = self.ticket })
    return nil, "it cannot be waited for here", "ETIMEOUT"
  end
  local count, message, code = self.session:cancel(self.ticket)
  if not count then return nil, message, code end
  return count > 0
end
Motion.__close = Motion.cancel

---Another goal of the same command, joint or control frame: its motion, which begins at the present speed of the axes.
---This one ends MODIFIED, superseded.
function Motion:retarget(values)
  if self.name then return self.session:begin(self.op, self.name, values) end
  return self.session:begin(self.op, values)
end

---The motion continues when the task that began it is cancelled. Returns the motion.
function Motion:detach()
  local motions = self.task and self.task.motions or {}
  for i, motion in ipairs(motions) do
    if motion == self then
      table.remove(motions, i)
      break
    end
  end
  return self
end

function Motion:__tostring()
  return ("%s%s (%s)"):format(self.op, self.name and " " .. self.name or "",
    self.word and (self.word[1] or self.word[2]) or "under way")
end

colon.methods(Motion, "motion")

---Cancels the motions that a cancelled task has begun by this session.
local function take_back(session, t)
  for _, motion in ipairs(live(t)) do
    if motion.session == session then motion:cancel() end
  end
end

---A task has ended as a part of another, to which its motions by this session belong from now on.
local function hand_over(session, t, heir)
  local motions = live(heir)
  for _, motion in ipairs(live(t)) do
    if motion.session == session then
      motions[#motions + 1], motion.task = motion, heir
    end
  end
end

---Adds `begin` to a class of sessions. commands: those of the specification.
local function add_begin(Session, commands)
  local names = {}
  for op in pairs(commands) do if Session[op] then names[#names + 1] = op end end
  table.sort(names)
  ---Sends a command and does not wait for its end: its motion; or nil, message, code. op: "go_to", "set_joint" …, with
  ---the arguments of that method.
  function Session:begin(op, ...)
    if not (commands[op] and Session[op]) then checked.refuse("begin", "command", op, names) end
    -- the same session, but commands are not waited for
    self.unwaited = self.unwaited
      or setmetatable({ blocking = false, whole = self }, { __index = self, __newindex = self })
    local ticket, message, code = self[op](self.unwaited, ...)
    if not ticket then return nil, message, code end
    local name = ...
    return make(self, ticket, op, type(name) == "string" and name or nil)
  end
end

return { Motion = Motion, add_begin = add_begin, take_back = take_back, hand_over = hand_over }
