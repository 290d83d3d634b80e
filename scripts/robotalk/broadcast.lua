-- The handle of a broadcast: a query that the server answers every period, until it is cancelled. After a lost link it
-- is asked anew.
local task = require "robotalk.task"
local states = require "robotalk.state"

local Broadcast = {}
Broadcast.__index = Broadcast

-- Begins the broadcast at the server, also again after a lost link.
function Broadcast:ask()
  local session = self.session
  local id, message, code = session.client.link:request(session.number, "broadcast",
    { period = self.period, more = self.more })
  if not id then return nil, message, code end
  self.id = id
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

-- Takes the newest state that has come; nil or false: none, or one of another body, before we have heard of that.
function Broadcast:take()
  local session = self.session
  if not self.id then return nil end
  local state, _, code = session.client.link:take(self.id, states.names_of(session.body))
  if state == nil and code ~= "EBODY" then self:lose() end
  return state
end

---Ends the broadcast.
function Broadcast:cancel()
  if self.over then return end
  self.over = true
  local session = self.session
  for i, handle in ipairs(session.beats) do
    if handle == self then table.remove(session.beats, i) break end
  end
  local id = self.id
  self:lose()
  if id then session.client:tell(session, "broadcast_cancel", { broadcast = id }) end
  self.task:cancel()
end
Broadcast.__close = Broadcast.cancel

---Begins a broadcast to fn, in a task of its own: a handle; or nil, message, code. more: as of a state.
local function open(session, period, fn, more)
  local handle = setmetatable({ session = session, period = period, more = more }, Broadcast)
  local ok, message, code = handle:ask()
  if not ok then return nil, message, code end
  session.beats[#session.beats + 1] = handle
  handle.task = task.spawn(function()
    local _ <close> = handle
    while true do
      local state = handle:take()
      if state then fn(state) end
      task.wait(handle)
    end
  end)
  handle.task.name = "broadcast"
  handle.task.background = true
  return handle
end

return { open = open }
