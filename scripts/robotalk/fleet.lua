-- Fleets: the robots of a domain of DDS, as all its servers publish them (spec/dds.md).
local cdr = require "robotalk.ros2.cdr"
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local connect = require "robotalk.robot".try_connect
local samples = require "robotalk.fleet.samples"
local task = require "robotalk.task"
local together = require "robotalk.task.together"
local whoami = require "robotalk.server.whoami"

local REPEAT <const> = 0.1 -- s between two samples of a panic that has not reached all
local PANIC <const> = 5 -- s for a panic to reach all
local SILENT <const> = 0.8 -- s without a state, after which a robot is gone
local STANDBY <const>, ASK <const> = 0.5, 0.2 -- s of silence after which another standby is the first; for it to speak
local CALM <const> = 2 -- s after a panic

-- 16 octets that nobody else has.
local function new_id()
  local chance <close> = assert(io.open("/dev/urandom", "rb"))
  return chance:read(16)
end

local Fleet = {}
Fleet.__index = Fleet

-- The domain and what follows it in an address, without its options; and those.
local function split(url)
  local place, options = url:match "^(dds://[^?]*)(.*)$"
  return place and place:gsub("/$", ""), options
end

-- The entry of a robot, made with the first sample of its key.
local function entry_of(self, key)
  local e = self.known[key]
  if not e then
    e = { key = key, leases = {} }
    self.known[key] = e
  end
  return e
end

-- Two robots may have one name: then it means neither.
local function mark_duplicates(self)
  local count = {}
  for _, e in pairs(self.known) do
    if e.name then count[e.name] = (count[e.name] or 0) + 1 end
  end
  for _, e in pairs(self.known) do e.duplicate = (count[e.name] or 0) > 1 end
end

local function join(self, e)
  e.gone = nil
  for _, fn in ipairs(self.joins) do task.spawn("fleet", fn, e, self) end
end

local function leave(self, e, why)
  if e.gone then return end
  e.gone = why
  for _, fn in ipairs(self.leaves) do task.spawn("fleet", fn, e, self) end
end

local function on_robot(self, event, key, m)
  if event == "sample" then
    local e = entry_of(self, key)
    local anew = not e.name
    e.name, e.kind, e.host, e.axes, e.sensors, e.cameras = m.name, m.kind, m.host, m.axes, m.sensors, m.cameras
    e.url = ("%s/%s%s"):format(self.place, m.name, self.options)
    mark_duplicates(self)
    if anew then join(self, e) end
    return
  end
  local e = self.known[key]
  self.known[key] = nil
  mark_duplicates(self)
  if e and e.name then leave(self, e, event == "lost" and "its server has gone" or "it was removed") end
end

local function on_states(self, event, _, m)
  if event ~= "sample" then return end
  for _, state in ipairs(m.states) do
    local e = entry_of(self, state.id)
    state.id, state.at = nil, core.now()
    state.charge = state.charge == state.charge and state.charge or nil
    e.state = state
    if state.panic then e.panicked = core.now() end
    if e.gone then join(self, e) end
  end
  task.wake(self)
end

-- States come each 0.1 s: a server that sends none is gone, or cut off, until it sends again.
local function watch(self)
  while #self.parts > 0 do
    task.sleep(SILENT / 16)
    for _, e in pairs(self.known) do
      if e.name and e.state and core.now() - e.state.at > SILENT then
        leave(self, e, ("its server has been silent for %.1f s"):format(SILENT))
      end
    end
  end
end

local function on_leases(self, event, key, m)
  local e = event == "sample" and entry_of(self, key) or self.known[key]
  if e then e.leases = event == "sample" and m.leases or {} end
  task.wake(self)
end

-- ---- selection ----

local SELECT = { name = true, gone = checked.flag, kind = checked.text, host = checked.text, charge = checked.bound,
  panic = checked.flag,
  near = function(x) return type(x) ~= "table" and "{ x, y, radius }, m" end }

-- Whether a text is one of those, each of which may end with "*".
local function is_named(name, wanted)
  for _, one in ipairs(type(wanted) == "table" and wanted or { wanted }) do
    if one == name or one:sub(-1) == "*" and name:sub(1, #one - 1) == one:sub(1, -2) then return true end
  end
  return false
end

local function is_selected(e, select)
  local state, near = e.state, select.near
  if select.name and not is_named(e.name, select.name) then return false end
  if select.kind and e.kind ~= select.kind or select.host and e.host ~= select.host then return false end
  if select.panic ~= nil and not (state and state.panic == select.panic) then return false end
  if select.charge and not (state and (state.charge or 1) >= select.charge) then return false end
  if not near then return true end
  local p = state and state.position
  return p ~= nil and (p[1] - near[1]) ^ 2 + (p[2] - near[2]) ^ 2 <= near[3] ^ 2
end

---The robots that are in the domain now, by name. select: name, a text or a list of them, of which each may end with
---"*"; kind; host; charge, a battery's least, 0 to 1; panic; near = { x, y, radius }, m; gone = true: those of silent
---servers, too. Each: name, kind, host, url, axes, sensors, cameras, leases, state (nil: none has come yet), duplicate
---(another robot has the same name).
function Fleet:robots(select)
  select = checked.options(select, SELECT, "robots")
  local list = {}
  for _, e in pairs(self.known) do
    if e.name and (not e.gone or select.gone) and is_selected(e, select) then list[#list + 1] = e end
  end
  table.sort(list, function(a, b)
    if a.name ~= b.name then return a.name < b.name end
    return a.key < b.key
  end)
  return list
end

---Waits until so many robots and their states are there, at most `timeout` s: the list; or nil, message, "ETIMEOUT".
function Fleet:await(count, timeout, select)
  local late = core.now() + (timeout or 10)
  while true do
    local list, states = self:robots(select), 0
    for _, e in ipairs(list) do states = states + (e.state and 1 or 0) end
    if states >= count then return list end
    local left = late - core.now()
    if left <= 0 then return nil, ("%d of %d robots are there"):format(states, count), "ETIMEOUT" end
    task.wait(self, math.min(left, 0.1))
  end
end

---Calls fn(robot), as a task, for each robot that appears, and for those that are there already.
function Fleet:on_join(fn)
  table.insert(self.joins, fn)
  for _, e in ipairs(self:robots()) do task.spawn("fleet", fn, e, self) end
end

---Calls fn(robot), as a task, for each robot that is gone: robot.gone says why.
function Fleet:on_leave(fn) table.insert(self.leaves, fn) end

-- The only robot of that name, or that is an entry; nil, message, code.
local function find(self, which)
  if type(which) == "table" then return which end
  local found = self:robots { name = which }
  if #found == 1 then return found[1] end
  if #found > 1 then return nil, ("%d robots are called %s"):format(#found, which), "EADDRESS" end
  return nil, ("no robot %s in %s"):format(which, self.place), "ENONE"
end

---Connects to a robot of the fleet, by name or as robots() lists it: as rt.try_connect.
function Fleet:connect(which, options)
  local e, message, code = find(self, which)
  if not e then return nil, message, code end
  if e.duplicate then return nil, ("two robots are called %s"):format(e.name), "EADDRESS" end
  return connect(e.url, options)
end

-- ---- panic ----

local function panic_of(self, id, robots)
  return assert(cdr.encode("robotalk/msg/Panic", { id = id, name = self.name, robots = robots }))
end

-- Names of those whose states do not have that panic yet.
local function left_of(list, id)
  local names = {}
  for _, e in ipairs(list) do
    if not e.gone and not (e.state and e.state.panic_id == id) then names[#names + 1] = e.name end
  end
  return names
end

---Panics all robots of the domain, or those that are selected, and repeats it until each has reported its latch: true,
---and the number of robots; or nil, message with those that have not within `timeout` (5 s), "ETIMEOUT". It lasts in
---the domain, also for robots that come later, until reset() of this fleet.
function Fleet:panic(select, timeout)
  local id = new_id()
  local list, keys = self:robots(select), {}
  if select and #list == 0 then return nil, "no robot is selected", "ENONE" end -- a list without robots would mean all
  for i, e in ipairs(list) do keys[i] = e.key end
  local bytes = panic_of(self, id, select and table.concat(keys) or "")
  self.panics[#self.panics + 1] = id
  local late = core.now() + (timeout or PANIC)
  while true do
    local good, message, code = self.panic_topic:put(bytes)
    if not good and code ~= "ETIMEOUT" then return nil, message, code end
    local again = core.now() + REPEAT
    repeat
      local left = left_of(list, id)
      if #left == 0 then return true, #list end
      if core.now() >= late then return nil, "no latch is known of " .. table.concat(left, ", "), "ETIMEOUT" end
      task.wait(self, again - core.now())
    until core.now() >= again
  end
end

---Ends the panics of this fleet: none begins any more at robots that come, and robots whose last panic is one of them
---are reset. true; or nil, message with the robots that were not, and the code of the first.
function Fleet:reset()
  local wrong, first = {}, nil
  local own = {}
  for _, id in ipairs(self.panics) do
    own[id] = true
    self.panic_topic:dispose(id)
  end
  self.panics = {}
  local tasks = {}
  for _, e in ipairs(self:robots { panic = true }) do
    if own[e.state.panic_id] then
      tasks[#tasks + 1] = task.spawn("reset " .. e.name, function()
        local r, message, code = self:connect(e)
        local good = r
        if r then
          good, message, code = r:reset()
          r:close()
        end
        if not good then
          wrong[#wrong + 1], first = ("%s: %s"):format(e.name, message), first or code
        end
      end)
    end
  end
  together.all(tasks)
  if #wrong > 0 then return nil, table.concat(wrong, "; "), first end
  return true
end

-- ---- standby ----

-- After a panic nobody has a lease for a moment: its driver goes first.
local function is_free(e)
  return e.state ~= nil and not e.gone and #e.leases == 0 and core.now() - (e.panicked or -CALM) >= CALM
end

-- Until a standby speaks again: seldom, as long as the robot is not free.
local function pause(self, e, free)
  local again = core.now() + (free and ASK / 2 or 1)
  while core.now() < again and (free or not is_free(e)) do task.wait(self, again - core.now()) end
end

---Waits until nobody has a lease of the robot, and takes all of it. Of several that stand by the one with the greatest
---strength (1) asks first: the domain's readers receive its samples alone. The robot, connected; or nil, message,
---code.
function Fleet:stand_by(which, options)
  options = checked.options(options, { strength = checked.count, timeout = checked.seconds }, "stand_by")
  local e, message, code = find(self, which)
  if not e then return nil, message, code end
  local late = options.timeout and core.now() + options.timeout or math.huge
  local robot, why, kind = self:connect(e) -- before it is needed: its connection takes longer than its question
  if not robot then return nil, why, kind end
  local form = samples.form("standbys", "Panic", false)
  form.reliable, form.strength = true, options.strength or 1
  local said <close> = samples.open(self.url, form, "write")
  local mine = said:guid()
  local heard, first = {}, nil
  local _ <close> = samples.listen(self.url, form, nil, function(event, key, _, _, guid)
    if event == "sample" and key == e.key then heard[guid], first = core.now(), guid end
  end)
  local bytes = panic_of(self, e.key, "")
  local free -- since when it is
  while core.now() < late and self.known[e.key] == e do
    free = is_free(e) and (free or core.now()) or nil
    said:put(bytes)
    local alone = first == mine or not first or core.now() - heard[first] > STANDBY
    if free and alone and core.now() - free >= ASK and robot:take(nil, { timeout = 0.5 }) then return robot end
    pause(self, e, free)
  end
  robot:close()
  if self.known[e.key] ~= e then return nil, ("%s: %s"):format(e.name, e.gone), "EGONE" end
  return nil, "others have its leases", "ETIMEOUT"
end

-- ---- life ----

function Fleet:close()
  for _, part in ipairs(self.parts) do part:close() end
  self.parts = {}
  task.wake(self)
end
Fleet.__close, Fleet.__gc = Fleet.close, Fleet.close

-- Its topics: name, type, whether those that come later get the newest; and the function that takes a sample.
local READ <const> = { { "robots", "Robot", true, on_robot }, { "states", "States", false, on_states },
  { "leases", "Leases", true, on_leases } }

local fleet = {}

---The robots of a domain: url is dds://DOMAIN[/PARTITION]. options: name, of this operator for others. nil, message,
---code.
function fleet.open(url, options)
  options = checked.options(options, { name = checked.text }, "fleet")
  local place, rest = split(tostring(url))
  if not place then mistake("fleet: want an address dds://DOMAIN[/PARTITION], got %s", tostring(url)) end
  local self = setmetatable({ url = url, place = place, options = rest, known = {}, joins = {}, leaves = {},
    panics = {}, parts = {}, name = options.name or whoami() }, Fleet)
  for _, row in ipairs(READ) do
    local name, type, lasts, fn = table.unpack(row)
    local part, message, code = samples.listen(url, samples.form(name, type, lasts), type, function(...)
      fn(self, ...)
    end)
    if not part then
      self:close()
      return nil, message, code
    end
    table.insert(self.parts, part)
  end
  self.panic_topic = assert(samples.open(url, samples.form("panics", "Panic", true), "write"))
  table.insert(self.parts, self.panic_topic)
  task.spawn("fleet", watch, self).background = true
  return self
end

return fleet
