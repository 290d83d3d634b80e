-- Robots of this process that represent a remote robot, behind a protocol with leases of its own. Their driver knows
-- the holder of the remote robot; its entry here asks for leases, and has the results of resets: holder, take, release,
-- resets and await_reset, of robotalk.rctp.robot.
local far = {}

local robots = {} -- name of the local robot -> entry
local clients = {} -- name -> the connections of this process to it, as keys

---Sets the entry of the robot of that name; nil: removes it.
function far.set(name, entry) robots[name] = entry end

---The entry of the robot of that name; nil: it represents no remote robot.
function far.get(name) return robots[name] end

---Registers a connection of this process to the robot of that name for notices of far.tell.
function far.join(client, name)
  client.here = name
  clients[name] = clients[name] or setmetatable({}, { __mode = "k" })
  clients[name][client] = true
end

---The entry of the robot that a connection is to; nil.
function far.of(client) return client.here and robots[client.here] end

---Passes a notice of the remote robot, and its value, to all connections to a robot.
function far.tell(name, op, value)
  local list = {}
  for client in pairs(clients[name] or {}) do list[#list + 1] = client end
  table.sort(list, function(a, b) return a.handle < b.handle end)
  for _, client in ipairs(list) do client:tell_all(op, value) end
end

return far
