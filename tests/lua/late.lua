-- late(client, seconds): a client of RCTP whose live session has a link that takes so long each way, in simulated time.
local rt = require "robotalk"
local core = require "robotalk.core"
local task = require "robotalk.task"

-- Calls fn(item) for each item that is put into the list that this returns, so much later.
local function delay(seconds, fn)
  local list = {}
  local function run()
    while list[1] do
      local item = table.remove(list, 1)
      task.sleep(math.max(0, item.at - core.now()))
      fn(item)
    end
    list.runs = false
  end
  return function(item)
    item.at = core.now() + seconds
    list[#list + 1] = item
    if list.runs then return end
    list.runs = true
    rt.spawn(run)
  end
end

local function begin(client, seconds)
  local port, receive, come = client.port, client.receive, {}
  local send = delay(seconds, function(item) pcall(port.write, port, item.bytes) end)
  local arrive = delay(seconds, function(item)
    come[#come + 1] = item
    task.wake(come)
  end)
  client.port = setmetatable({ write = function(_, bytes)
    send { bytes = bytes }
    return #bytes
  end }, { __index = function(_, name) return function(_, ...) return port[name](port, ...) end end })
  local behind = setmetatable({ port = port, rest = client.rest }, { __index = client })
  rt.spawn(function()
    repeat
      local list, message, code = receive(behind)
      arrive { list, message, code }
    until not list
  end)
  function client.receive(_, timeout)
    local late = core.now() + (timeout or math.huge)
    while not come[1] and core.now() < late do task.wait(come, late - core.now()) end
    if not come[1] then return nil, "no answer in time", "ETIMEOUT" end
    return table.unpack(table.remove(come, 1), 1, 3)
  end
end

return function(client, seconds)
  local go = client.go
  function client.go(...)
    local ok, message, code = go(...)
    if ok then begin(client, seconds) end
    return ok, message, code
  end
  return client
end
