-- A connection to a server for tasks: hands the core's events to the tasks that wait for them.
local core = require "robotalk.core"
local modes = require "robotalk.modes"
local task = require "robotalk.task"

local Client = {}
Client.__index = Client

local clients = setmetatable({}, { __mode = "v" }) -- handle -> client

task.handle("client", function(handle)
  local client = clients[handle]
  if client then client:pump() end
end)

local CLOSING = 1 -- s: time for the server to answer the commands that the end of a session has ended
local FORGOTTEN = {} -- marks an answer that no task will take
local KNOWN <const> = 60 -- s for which a measurement of the link holds
local UNREAD = 1 << 17 -- answers to tickets that are kept until a task asks for them; the oldest are dropped

local function key_of(client, id) return client.handle << 32 | id end

---Begins to connect. nil, message, code for an address that cannot be.
local function connect(url, options)
  modes.need()
  local other = url:match "^(rctp)[+:]" or url:match "^(gti)[+:]"
  if other then
    return nil, ("expected an address of RoboTalk, robotalk://host[:port] or unix:PATH, got one of %s"):format(
      other:upper()), "EURL"
  end
  local link, handle, code = core.connect(url, options)
  if not link then return nil, handle, code end
  local client = setmetatable({ link = link, handle = handle, sessions = {}, broadcasts = {},
    listeners = {}, -- called with each notice: op, session, value
    link_listeners = {}, -- called when the link may be up or down
    measured = {}, -- "probe" and "train": when this link was measured, and for how long
    awaited = {}, unread = { first = 1, last = 0 } }, Client)
  clients[handle] = client
  return client
end

-- Keeps an answer that no task waits for.
local function keep(client, id)
  if not client.link:has(id) then return end -- it was taken before its event
  local unread = client.unread
  unread.last = unread.last + 1
  unread[unread.last] = id
  if unread.last - unread.first >= UNREAD then
    client.link:take(unread[unread.first])
    unread[unread.first] = nil
    unread.first = unread.first + 1
  end
end

-- Hands the received answers to the waiting tasks.
function Client:pump()
  for kind, op, session, id in self.link.next, self.link do
    if kind == "link" then
      self.measured = {}
      for _, listener in ipairs(self.link_listeners) do listener() end
      task.wake(self)
    elseif kind == "notice" then
      local settled = op == "settled" and self.sessions[session]
      if settled then settled.settled = true end
      for _, listener in ipairs(self.listeners) do listener(op, session, id) end
      task.wake(self)
    elseif kind == "result" and self.sessions[session] and self.sessions[session].errors then
      table.insert(self.sessions[session].errors, id)
    elseif (op == "broadcast" or op == "watch" or op == "view") and self.broadcasts[id] then
      self.broadcasts[id]:wake()
    elseif op == "sync" then
      task.wake(self)
    elseif self.awaited[id] == FORGOTTEN then
      self.awaited[id] = nil
      self.link:take(id)
    elseif self.awaited[id] then
      task.wake(key_of(self, id))
    elseif op == "open" and self.sessions[session] and self.sessions[session].opening ~= id then
      -- a session is open again after a lost link: its broadcasts continue
      if self.reopened then self.reopened(session) end
      for _, broadcast in ipairs(self.sessions[session].beats) do
        broadcast:lose()
        broadcast:ask()
      end
    else
      keep(self, id)
    end
  end
end

---Passes a notice that does not come from its server to the listeners of all its sessions.
function Client:tell_all(op, value)
  if self.closed then return end
  local numbers = {}
  for number in pairs(self.sessions) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for _, number in ipairs(numbers) do
    for _, listener in ipairs(self.listeners) do listener(op, number, value or 0) end
  end
  task.wake(self)
end

---Waits until the link is up: true; or nil, message, code.
function Client:up(timeout)
  local until_ = core.now() + (timeout or 6)
  while true do
    local state, message, code = self.link:state()
    if state == "up" then return true end
    if state == "down" and not self.patient then return nil, message, code end
    if state == "closed" then return nil, "the connection is closed", "ECLOSED" end
    local left = until_ - core.now()
    if left <= 0 then return nil, message or "no answer in time", code or "ETIMEOUT" end
    task.wait(self, left)
  end
end

-- Waits for the end of link:probe or link:train, or for its timeout.
local function await_probe(self, until_)
  while core.now() < until_ do
    local clock = self.link:clock()
    if self.link:state() ~= "up" or (clock and clock.probing == 0) then return end
    task.wait(self, math.max(0, until_ - core.now()))
  end
end

-- Measures the link, unless this connection has measured it for as long a short time ago.
local function measure(self, what, seconds, run)
  local last = self.measured[what]
  if last and last.seconds >= seconds and core.now() - last.at < KNOWN then return end
  run()
  if self.link:state() == "up" then self.measured[what] = { at = core.now(), seconds = seconds } end
end

---Measures the clock offset with up to that many exchanges, and waits for them; not again within a minute.
function Client:probe(count, seconds)
  measure(self, "probe", seconds, function()
    self.link:probe(count, seconds)
    await_probe(self, core.now() + seconds)
  end)
end

local function send_trains(self, seconds)
  local begin, sent, size = core.now(), 0, 4
  while sent < 100 and size >= 2 do
    self.link:train(size)
    await_probe(self, begin + 2 * seconds) -- its end, before anything else waits behind it
    sent = sent + size
    local took, left = core.now() - begin, begin + seconds - core.now()
    if left <= 0 or self.link:state() ~= "up" then return end
    size = took > 0 and math.min(32, math.floor(left * sent / took)) or 32
  end
end

---Lets the server measure the link: sends trains of up to 100 packages for about that many seconds, and waits for
---their end; not again within a minute.
function Client:train(seconds)
  measure(self, "train", seconds, function() send_trains(self, seconds) end)
end

-- One wait for an answer: client, id, other, an older wait for the same, session if its end ends the wait, and kept,
-- the answer that the link had when it was closed. If the wait ends without an answer, by an error, a timeout or its
-- task's cancellation, a later answer is dropped, unless another task waits, or a ticket may still ask for it.
local Wait = {}
function Wait:__close()
  local client, id = self.client, self.id
  local newer = client.awaited[id]
  if newer ~= self then
    while newer.other ~= self do newer = newer.other end
    newer.other = self.other
    return
  end
  client.awaited[id] = self.other
  if self.other or self.over or client.closed then return end
  if client.link:take(id) == false then client.awaited[id] = FORGOTTEN end
end

---The answer to a query or the result of a command, waiting for it; or nil, message, code. session: its end ends the
---wait; ticket: if it has not arrived, a task may ask again; form: as of link:take.
function Client:await(id, timeout, session, ticket, form)
  local answer, message, code = self.link:take(id, form)
  if answer ~= false then return answer, message, code end
  local until_ = timeout and core.now() + timeout or math.huge
  local other = self.awaited[id]
  local wait <close> = setmetatable({ client = self, id = id, session = session, over = ticket,
    other = other ~= FORGOTTEN and other or nil }, Wait)
  self.awaited[id] = wait
  while true do
    -- the server answers the commands that the close has ended; wait for that, but not for ever
    local ended = session and session.closed
    local left = (ended and math.min(until_, ended + CLOSING) or until_) - core.now()
    if left <= 0 then
      if ended then return nil, "the session is closed", "ECLOSED" end
      return nil, "no answer in time", "ETIMEOUT"
    end
    task.wait(key_of(self, id), left < 1e9 and left or nil)
    if wait.kept then return table.unpack(wait.kept, 1, 3) end
    answer, message, code = self.link:take(id, form)
    if answer ~= false then
      wait.over = true
      return answer, message, code
    end
  end
end

---Sends a query and waits for its reply; names: of a state.
function Client:query(session, op, fields, timeout, names)
  local number = type(session) == "table" and session.number or session
  local id, message, code = self.link:request(number, op, fields)
  if not id then return nil, message, code end
  return self:await(id, timeout or 5, type(session) == "table" and session or nil, nil, names)
end

---Sends a query and drops its reply.
function Client:tell(session, op, fields)
  local id = self.link:request(session.number, op, fields)
  if id and self.link:take(id) == false then self.awaited[id] = FORGOTTEN end
end

---Opens a session: its number and the server's reply; or nil, message, code.
function Client:open(options)
  local number, id, code = self.link:open(options)
  if not number then return nil, id, code end
  local answer, message
  answer, message, code = self:await(id, options.timeout or 10)
  if not answer then
    self.link:close_session(number)
    return nil, message, code
  end
  answer.opening = id
  return number, answer
end

-- The waits in progress, in the order of their ids; with a session, only those for its answers.
local function waits(client, session)
  local ids = {}
  for id, wait in pairs(client.awaited) do
    if wait ~= FORGOTTEN and (not session or wait.session == session) then ids[#ids + 1] = id end
  end
  table.sort(ids)
  return ids
end

---Ends a session: each waiting task gets its answer, or nil, message, code.
function Client:end_session(session)
  if session.closed then return end
  while session.beats[1] do session.beats[1]:cancel() end
  session.closed = core.now()
  self.sessions[session.number] = nil
  self.link:close_session(session.number)
  for _, id in ipairs(waits(self, session)) do task.wake(key_of(self, id)) end
end

---Ends the connection with its sessions. Each waiting task gets its answer if there is one, otherwise nil, message,
---code.
function Client:close()
  if self.closed then return end
  local numbers = {}
  for number in pairs(self.sessions) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for _, number in ipairs(numbers) do self:end_session(self.sessions[number]) end
  self.closed = true
  clients[self.handle] = nil
  local ids = waits(self)
  for _, id in ipairs(ids) do
    local answer, message, code = self.link:take(id)
    local wait = answer ~= false and self.awaited[id] or nil
    while wait do wait.kept, wait = { answer, message, code }, wait.other end
  end
  self.link:close()
  for _, id in ipairs(ids) do task.wake(key_of(self, id)) end
  task.wake(self)
end
Client.__close = Client.close

return { connect = connect }
