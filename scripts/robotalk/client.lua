-- A connection to a server, from inside tasks: what the core notes becomes answers for whoever waits.
local core = require "robotalk.core"
local task = require "robotalk.task"

local Client = {}
Client.__index = Client

local clients = setmetatable({}, { __mode = "v" }) -- handle -> client

task.handle("client", function(handle)
  local client = clients[handle]
  if client then client:pump() end
end)

local function key_of(client, id) return client.handle << 32 | id end

---Begins to connect. nil, message, code for an address that cannot be.
local function connect(url, options)
  local link, handle, code = core.connect(url, options)
  if not link then return nil, handle, code end
  local client = setmetatable({ link = link, handle = handle, broadcasts = {}, listeners = {} }, Client)
  clients[handle] = client
  return client
end

-- Hands out what has come.
function Client:pump()
  for kind, op, session, id in self.link.next, self.link do
    if kind == "link" then
      task.wake(self)
      if self.on_link then self.on_link(op) end
    elseif kind == "notice" then
      for _, listener in ipairs(self.listeners) do listener(op, session, id) end
    elseif op == "broadcast" and self.broadcasts[id] then
      self.broadcasts[id]()
    elseif op == "sync" then
      task.wake(self)
    else
      task.wake(key_of(self, id))
    end
  end
end

---Waits until the link is up: true; or nil, message, code.
function Client:up(timeout)
  local until_ = core.now() + (timeout or 6)
  while true do
    local state, message, code = self.link:state()
    if state == "up" then return true end
    if state == "down" and not self.patient then return nil, message, code end
    if state == "closed" then return nil, "the connection is closed", "ELINK" end
    local left = until_ - core.now()
    if left <= 0 then return nil, message or "no answer in time", code or "ETIMEOUT" end
    task.wait(self, left)
  end
end

---Measures the clock with up to that many exchanges; waits for them.
function Client:probe(count, seconds)
  self.link:probe(count, seconds)
  local until_ = core.now() + seconds
  while core.now() < until_ do
    local clock = self.link:clock()
    if self.link:state() ~= "up" or (clock and clock.probing == 0) then return end
    task.wait(self, math.max(0, until_ - core.now()))
  end
end

---The answer to a query or the result of a command, waiting for it; or nil, message, code.
function Client:await(id, timeout)
  local until_ = core.now() + (timeout or math.huge)
  while true do
    local answer, message, code = self.link:take(id)
    if answer ~= false then return answer, message, code end
    local left = until_ - core.now()
    if left <= 0 then return nil, "no answer in time", "ETIMEOUT" end
    task.wait(key_of(self, id), left < 1e9 and left or nil)
  end
end

---Asks and waits.
function Client:query(session, op, fields, timeout)
  local id, message, code = self.link:ask(session, op, fields)
  if not id then return nil, message, code end
  return self:await(id, timeout or 5)
end

---Opens a session: its number and what the server said; or nil, message, code.
function Client:open(options)
  local number, id, code = self.link:open(options)
  if not number then return nil, id, code end
  local answer, message
  answer, message, code = self:await(id, options.timeout or 10)
  if not answer then
    self.link:close_session(number)
    return nil, message, code
  end
  return number, answer
end

function Client:close()
  clients[self.handle] = nil
  self.link:close()
  task.wake(self)
end
Client.__close = Client.close

return { connect = connect }
