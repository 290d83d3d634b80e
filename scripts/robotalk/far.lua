-- Robots of this process that stand for one elsewhere, behind a protocol with leases of its own: who drives that one is
-- known to their driver, by whose entry here leases are asked for, and what became of a reset: holder, take, release,
-- resets and await_reset, of robotalk.rctp.robot.
local far = {}

local robots = {} -- name of the robot here -> entry
local clients = {} -- name -> the connections of this process to it, as keys

---The driver of the robot of that name has such an entry, or nil: no more.
function far.set(name, entry) robots[name] = entry end

---The entry of the robot of that name; nil: there is nothing behind it but its devices.
function far.get(name) return robots[name] end

---A connection of this process is to the robot of that name, and hears what far.tell tells.
function far.join(client, name)
  client.here = name
  clients[name] = clients[name] or setmetatable({}, { __mode = "k" })
  clients[name][client] = true
end

---The entry of the robot that a connection is to; nil.
function far.of(client) return client.here and robots[client.here] end

---Tells all connections to a robot a notice of the one elsewhere, and its value.
function far.tell(name, op, value)
  local list = {}
  for client in pairs(clients[name] or {}) do list[#list + 1] = client end
  table.sort(list, function(a, b) return a.handle < b.handle end)
  for _, client in ipairs(list) do client:tell_all(op, value) end
end

return far
