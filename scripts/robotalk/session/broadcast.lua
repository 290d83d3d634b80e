-- The handle of a query that the server answers repeatedly until it is cancelled: the state every period, readings of
-- sensors, or pictures. After a lost link the query is sent again.
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local task = require "robotalk.task"
local states = require "robotalk.session.state"

local MOST = 8 -- broadcasts and watches of a session: the server's limit
local AGAIN = 0.2 -- s until a watch is requested again that the server has ended, since the description has changed

local Broadcast = {}
Broadcast.__index = Broadcast

-- Sends the query, also after a lost link.
function Broadcast:ask()
  local session = self.session
  local fields, message, code = self.fields(session.body)
  local id
  if fields then id, message, code = session.client.link:request(session.number, self.op, fields) end
  if not id then return nil, message, code end
  self.id, self.revision = id, session.body.revision
  self.again, self.told = nil, nil
  session.client.broadcasts[id] = self
  return true
end

function Broadcast:wake() task.wake(self) end

-- The server no longer has it.
function Broadcast:lose()
  if not self.id then return end
  self.session.client.broadcasts[self.id] = nil
  self.id = nil
end

-- Takes the newest answer, a state with its names; false: none; nil, message, code: the server has ended
-- it, or, EBODY, the state is of another body, and the notice of that has not arrived yet.
function Broadcast:take()
  if not self.id then return false end
  local session = self.session
  local names = self.op == "broadcast" and states.names_of(session.body) or nil
  local answer, message, code = session.client.link:take(self.id, names)
  if answer == nil and code ~= "EBODY" then self:lose() end
  return answer, message, code
end

-- Ends it at the server.
local function tell_end(self)
  local id = self.id
  self:lose()
  if id then self.session.client:tell(self.session, "broadcast_cancel", { broadcast = id }) end
end

---Ends it.
function Broadcast:cancel()
  if self.over then return end
  self.over = true
  for i, handle in ipairs(self.session.beats) do
    if handle == self then table.remove(self.session.beats, i) break end
  end
  tell_end(self)
  task.wake(self)
  if self.task then self.task:cancel() end
end
Broadcast.__close = Broadcast.cancel

-- Begins one in a session: a handle; or nil, message, code. op, fields(body): the query; name(body, answer):
-- the value for the script, nil for an answer that is skipped.
local function begin(session, op, fields, name)
  local others = 0
  for _, other in ipairs(session.beats) do others = others + (other.op ~= "record" and 1 or 0) end
  if others >= MOST then
    return nil, ("a session has at most %d broadcasts and watches at a time"):format(MOST), "ELIMIT"
  end
  local handle = setmetatable({ session = session, op = op, fields = fields, name = name }, Broadcast)
  local ok, message, code = handle:ask()
  if not ok then return nil, message, code end
  session.beats[#session.beats + 1] = handle
  return handle
end

-- Its task: fn gets what next(handle) returns, until that is nil.
local function run(handle, fn, next_)
  handle.task = task.spawn(function()
    local _ <close> = handle
    for value in function() return next_(handle) end do fn(value) end
  end)
  handle.task.name, handle.task.background = handle.op, true
end

---Begins a broadcast of the state to fn, in a task of its own: a handle; or nil, message, code. more: as of a state.
local function open(session, period, fn, more)
  local function fields() return { period = period, more = more } end
  local handle, message, code = begin(session, "broadcast", fields)
  if not handle then return nil, message, code end
  local looked = false
  run(handle, fn, function()
    while true do
      if looked then task.wait(handle) end
      looked = true
      local state = handle:take()
      if state then return state end
    end
  end)
  return handle
end

-- ---- a watch ----

local Watch = setmetatable({}, { __index = Broadcast })
Watch.__index = Watch
Watch.__close = Broadcast.cancel

-- The numbers of an answer's readings: a new one makes the sum greater. For a picture: its number.
local function told_by(answer)
  if type(answer.number) ~= "table" then return answer.number end
  local told = 0
  for _, number in ipairs(answer.number) do told = told + number end
  return told
end

-- The newest answer that was not taken yet, or nil. The numbers of sensors are those of the body of the query.
local function fresh(self)
  local body = self.session.body
  if self.id and self.revision ~= body.revision then tell_end(self) end
  local answer, message, code = self:take()
  if answer and self.revision == body.revision then
    local told = told_by(answer)
    if told == self.told then return nil end
    self.told = told
    return self.name(body, answer)
  end
  if code and code ~= "ENONE" and code ~= "ELINK" and code ~= "EBODY" then
    self.refused = { message, code }
  elseif not self.id and (code or self.revision ~= body.revision) then
    -- the description has changed, and its notice may not have arrived yet
    if code then self.revision = nil end
    self.again = self.again or core.now() + AGAIN
  end
end

-- Sends the query again when that is due: false, message, code when there is nothing to watch any more.
local function renew(self)
  if self.refused then return false, self.refused[1], self.refused[2] end
  if self.id or not self.again or core.now() < self.again then return true end
  self.again = nil
  local ok, message, code = self:ask()
  if ok or code == "ELINK" then return true end
  return false, message, code
end

---Waits for a new reading: the newest; nil, message, code: none in time, or there will be none.
function Watch:next(timeout)
  local until_ = timeout and core.now() + timeout or math.huge
  while true do
    if self.over then return nil, "it was cancelled", "ECLOSED" end
    if self.session.closed then return nil, "the session is closed", "ECLOSED" end
    local reading = fresh(self)
    if reading then return reading end
    local ok, message, code = renew(self)
    if not ok then
      self:cancel()
      return nil, message, code
    end
    local left = math.min(until_, self.again or math.huge) - core.now()
    if until_ <= core.now() then
      return nil, ("no %s has come in time"):format(self.op == "view" and "picture" or "reading"), "ETIMEOUT"
    end
    task.wait(self, left < 1e9 and left or nil)
  end
end

---Begins a watch of sensors, or of a camera, op view: a handle; or nil, message, code. With fn, a task calls it with
---each answer; otherwise :next() returns them.
local function watch(session, op, fields, name, fn)
  local handle, message, code = begin(session, op, fields, name)
  if not handle then return nil, message, code end
  setmetatable(handle, Watch)
  if fn then run(handle, fn, Watch.next) end
  return handle
end

-- ---- all readings, none left out ----

local Record = setmetatable({}, { __index = Broadcast })
Record.__index = Record
Record.__close = Broadcast.cancel

---Begins to fetch readings by fetch(handle), a list of them; nil, message, code ends it. every: s between two calls.
---With fn, a task calls it with each reading; otherwise :next() returns them.
local function record(session, fetch, every, fn)
  local handle = setmetatable({ session = session, op = "record", fetch = fetch, every = every, first = 1, kept = {} },
    Record)
  session.beats[#session.beats + 1] = handle
  if fn then run(handle, fn, Record.next) end
  return handle
end

---Waits for the next reading.
function Record:next(timeout)
  local until_ = timeout and core.now() + timeout or math.huge
  while true do
    local reading = self.kept[self.first]
    if reading then
      self.first = self.first + 1
      return reading
    end
    if self.over then return nil, "it was cancelled", "ECLOSED" end
    local list, message, code = self:fetch()
    if not list then return nil, message, code end
    self.kept, self.first = list, 1
    if #list == 0 then
      local left = until_ - core.now()
      if left <= 0 then return nil, "no reading has come in time", "ETIMEOUT" end
      task.wait(self, math.min(left, self.every))
    end
  end
end

-- The server has no state of it: after a lost link it continues by itself.
function Record.ask() return true end

colon.methods(Broadcast, "handle")
colon.methods(Watch, "watch")
colon.methods(Record, "watch")

return { open = open, watch = watch, record = record }
