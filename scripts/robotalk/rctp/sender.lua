-- The timing of messages of control objects to a server of RCTP (spec/rctp.md, Time): not before its minimum interval
-- has passed since the last frame, with control_lock not before it permits the next frame, and at least once in its
-- maximum interval if it is time driven. Waiting messages share a frame; of two for the same dofs the newer one.
local core = require "robotalk.core"
local task = require "robotalk.task"

local rctp_sender = {}

local ALL <const> = -1 -- dofs
local MARGIN <const> = 0.001 -- s more than the minimum interval
local TRIES <const> = 3 -- of a message that arrives too early nevertheless, since frames travel unevenly
local LATE <const> = 5 -- s: a permission is missing, as after a frame that was refused whole
local SHARE <const> = 1 / 3 -- of the maximum interval, between two frames

-- Field drops: numbers of objects -> how often their waiting messages were dropped.
local Sender = {}
Sender.__index = Sender

---For the messages of a client, whose commands are added to `pending` as they are sent. rules, of the server: { least,
---most = s, 0 for none; event, whether keep-alives are enough; lock }.
function rctp_sender.new(client, pending, rules)
  return setmetatable({ client = client, pending = pending, least = rules.least or 0, most = rules.most or 0,
    event = rules.event, lock = rules.lock, queue = {}, drops = {}, sent = core.now(), free = 0, waits = false },
    Sender)
end

-- Whether the messages of two commands of an object have a dof in common; without a mask each has all of them.
local function meet(object, one, other)
  return not object.masked or (one.dofs or ALL) & (other.dofs or ALL) ~= 0
end

-- Of two commands the message of the newer one is sent: the older one has ended, or is included in it.
local function replace(older, newer)
  local all = { older, table.unpack(older.carries or {}) }
  older.carries = nil
  for _, one in ipairs(all) do
    if (one.dofs or ALL) & (newer.dofs or ALL) ~= 0 then
      one.done("modified", "superseded")
    else
      newer.carries = newer.carries or {}
      table.insert(newer.carries, one)
    end
  end
end

---Sends values of a control object, { [place] = value }, as soon as allowed. command: as of Pending:add; its
---end is also reported when it could not be sent. silent: it has no status, since the message commands nothing.
function Sender:send(object, values, command, silent)
  for i = #self.queue, 1, -1 do
    local waits = self.queue[i]
    if waits.object == object and meet(object, waits.command, command) then
      table.remove(self.queue, i)
      replace(waits.command, command)
    end
  end
  self.queue[#self.queue + 1] = { object = object, values = values, command = command, silent = silent,
    drops = self.drops[object.id] }
  self:flush()
  if self.queue[1] then task.wake(self) end
end

---Drops the waiting messages of that object, or those dofs of it; they are not sent again either when the server
---reports that they were too early.
function Sender:drop(object, dofs)
  self.drops[object.id] = (self.drops[object.id] or 0) + 1
  for i = #self.queue, 1, -1 do
    local waits = self.queue[i]
    if waits.object == object and (waits.command.dofs or ALL) & (dofs or ALL) ~= 0 then
      table.remove(self.queue, i).command.done("interrupted", "stopped")
    end
  end
end

-- Handles a message that was too early for the server: puts it first, unless a newer one was sent. Whether it is sent
-- again.
local function try_again(self, message)
  local object, command = message.object, message.command
  message.tries = (message.tries or 0) + 1
  self.waits = false -- such a frame uses no permission
  if message.drops ~= self.drops[object.id] then return false end -- it was stopped meanwhile
  for _, other in ipairs(self.queue) do
    if other.object == object and meet(object, command, other.command) then
      replace(command, other.command)
      return true
    end
  end
  local newer = self.pending:has(object, function(other) return meet(object, command, other) end)
  if newer or message.tries > TRIES then return false end
  table.insert(self.queue, 1, message)
  task.wake(self)
  return true
end

---A frame of commands was sent.
function Sender:note_sent()
  local now = core.now()
  self.sent, self.waits = now, self.lock
  self.free = self.least > 0 and now + self.least + MARGIN or now
end

---Sends waiting messages, if allowed now.
function Sender:flush()
  local now, list = core.now(), self.queue
  self.waits = self.waits and now < self.sent + LATE
  if not list[1] or self.waits or now < self.free then return end
  self.queue = {}
  local ok, _, why = self.client:controls(list)
  local sent = false
  for _, message in ipairs(list) do sent = sent or ok and not message.code end
  if sent then self:note_sent() end -- otherwise the server has no frame after which to permit the next one
  for _, message in ipairs(list) do
    local command, code = message.command, message.code or not ok and why
    if code then
      command.done("error", code == "EFULL" and "full" or code == "ERANGE" and "range" or "link")
    elseif not message.silent then
      command.stamp, command.again = message.stamp, function() return try_again(self, message) end
      self.pending:add(message.object, command)
    end
  end
end

---The server permits the next frame.
function Sender:permit()
  self.waits = false
  self:flush()
end

---The time until the next call of flush, s, at most that.
function Sender:pause(longest)
  if self.most > 0 then longest = math.min(longest, self.most * SHARE) end
  if self.queue[1] and not self.waits then longest = math.min(longest, math.max(0, self.free - core.now())) end
  return longest
end

---Whether the server must get a frame although there is no command to send.
function Sender:is_due()
  return self.most > 0 and not self.event and not self.waits and not self.queue[1]
    and core.now() - self.sent >= self.most * SHARE
end

return rctp_sender
