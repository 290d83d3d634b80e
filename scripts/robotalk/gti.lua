-- The Golog-Tekkotsu interface (paper 002; spec/gti.md): a server by which any of its clients drives a robot of ours,
-- and a client for a robot that runs the paper's server.
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local names = require "robotalk.tekkotsu.names"
local task = require "robotalk.task"

local gti = { PORT = 10700, COLORS = { [0] = "pink", "orange", "yellow", "green" } }

---Names of what query_sensors may ask for, by their places on the wire, from 0: 18 joints, sensors, buttons.
function gti.sensors(model)
  local list, n = {}, 0
  local function add(from, most)
    for i = 1, most or #from do
      list[n] = from[i]
      n = n + 1
    end
  end
  add(names.outputs(model), names.JOINTS)
  add(names.sensors(model))
  add(names.buttons(model))
  return list
end

-- Writes all of it; false when the other side is gone.
local function write(port, bytes)
  while #bytes > 0 do
    local n = port:write(bytes)
    if not n then return false end
    bytes = bytes:sub(n + 1)
    if #bytes > 0 then task.sleep(0.001) end
  end
  return true
end

-- ---- the server ----

local Server = {}
Server.__index = Server

local function log(level, form, ...) core.say("err", ("robotalk: %s: gti: %s\n"):format(level, form:format(...))) end

-- What an action without a reply has come to, for the log.
local function tell(what, word, why)
  if word ~= "SUCCESS" and word ~= "MODIFIED" then log("warning", "%s: %s%s", what, word or "failed",
    why and ": " .. why or "") end
end

-- Actions that go on while the next command is received, as motion commands do in Tekkotsu.
local function meanwhile(self, what, fn)
  local t = task.spawn(function() tell(what, fn()) end)
  t.background = true
  self.tasks[t] = true
end

local HANDLERS = {}
function HANDLERS.query_sensors(self, request)
  local list = {}
  for i, place in ipairs(request.list) do
    local name = self.sensors[place]
    if not name then
      self.errors = self.errors + 1
      name = self.sensors[0]
      log("warning", "there is no sensor %d", place)
    end
    list[i] = name
  end
  return self.dog:query_sensors(list) or {}
end
function HANDLERS.query_ball(self, request) return self.dog:query_ball(gti.COLORS[request.color]) end
function HANDLERS.search_ball(self, request) return self.dog:search_ball(gti.COLORS[request.color]) end
function HANDLERS.move_joints(self, request)
  local list = {}
  for i, one in ipairs(request.list) do
    local name = one.joint < names.JOINTS and self.sensors[one.joint]
    if not name then
      self.errors = self.errors + 1
      return log("warning", "there is no joint %d", one.joint)
    end
    list[i] = { name, one.angle, speed = one.speed > 0 and one.speed or nil }
  end
  meanwhile(self, "move_joints", function() return self.dog:move_joints(list) end)
end
function HANDLERS.motion(self, request)
  if request.file:find "[/\\]" or request.file:find "^%." then -- the folder of motions and no other
    self.errors = self.errors + 1
    return log("warning", "motion: want the name of a file, got %q", request.file)
  end
  meanwhile(self, "motion " .. request.file, function() return self.dog:motion(request.file) end)
end
function HANDLERS.walk(self, request) tell("walk", self.dog:walk(request.dx, request.dy, request.da)) end
function HANDLERS.walk_for(self, request)
  local seconds = math.max(0, math.min(request.seconds, 3600))
  meanwhile(self, "walk", function() return self.dog:walk_for(request.dx, request.dy, request.da, seconds) end)
end

local REPLIES = { query_sensors = true, query_ball = true, search_ball = true }

-- One client until it goes. Then the robot stands: nobody is there any more who would stop it.
function Server:attend(port)
  local session = core.gti(self.format)
  while not self.closed do
    local bytes = drivers.read(port)
    if not bytes then break end
    local requests, over = session:feed(bytes)
    for _, request in ipairs(requests) do
      local results = table.pack(HANDLERS[request.type](self, request))
      if REPLIES[request.type] and not write(port, session:reply(request.type, table.unpack(results, 1,
        results.n))) then
        over = "the client is gone"
      end
    end
    if over then
      self.errors = self.errors + 1
      log("warning", "%s: the connection is closed", over)
      break
    end
  end
  port:close()
  self.clients[port] = nil
  tell("stop", self.dog:stop_walk())
end

---Serves the actions of an `aibo` to clients of the interface. options: listen, robotalk://localhost:PORT or
---unix:PATH (robotalk://localhost:10700); byte_order (little), packed. A server with port and close; nil, message,
---code. Only clients of this machine can connect.
function gti.serve(dog, options)
  options = options or {}
  local listening, port, code = core.listen(options.listen or ("robotalk://localhost:%d"):format(gti.PORT))
  if not listening then return nil, port, code end
  local self = setmetatable({ dog = dog, port = port, format = { byte_order = options.byte_order,
    packed = options.packed },
    sensors = gti.sensors(dog.model), listening = listening, clients = {}, tasks = {}, errors = 0 }, Server)
  for _, one in ipairs(listening) do
    local t = task.spawn(function()
      while true do
        local client, message = one:accept()
        if client == nil then return log("error", "%s", message) end
        if client then
          self.clients[client] = true
          local attending = task.spawn(function() self:attend(client) end)
          attending.background = true
          self.tasks[attending] = true
        else
          task.wait("readable" .. one:handle())
        end
      end
    end)
    t.background = true
    self.tasks[t] = true
  end
  return self
end

---Ends it and its connections.
function Server:close()
  if self.closed then return end
  self.closed = true
  for t in pairs(self.tasks) do t:cancel() end
  for client in pairs(self.clients) do client:close() end
  for _, one in ipairs(self.listening) do one:close() end
end
Server.__close = Server.close

-- ---- the client ----

local Client = {}
Client.__index = Client

---Connects to a server of the interface: a robot that runs the paper's, or ours. options as of serve. nil, message,
---code.
function gti.connect(url, options)
  options = options or {}
  local port, message, code = core.dial(url, options.timeout or 1)
  if not port then return nil, message, code end
  return setmetatable({ port = port, side = core.gti { byte_order = options.byte_order, packed = options.packed,
    short_walk = options.short_walk },
    rest = "", sensors = gti.sensors(options.model), busy = false }, Client)
end

-- Sends a command and waits for its reply; one at a time, since replies do not say what they answer.
function Client:ask(request, timeout)
  while self.busy do task.wait(self) end
  self.busy = true
  local bytes, size = self.side:encode(request)
  local function done(...)
    self.busy = false
    task.wake(self)
    return ...
  end
  if not write(self.port, bytes) then return done(nil, "the robot is gone", "ELINK") end
  while #self.rest < size do
    local more, message, code = drivers.read(self.port, timeout or 10)
    if not more then return done(nil, message, code == "EDEVICE" and "ELINK" or code) end
    self.rest = self.rest .. more
  end
  local reply = self.rest:sub(1, size)
  self.rest = self.rest:sub(size + 1)
  if request.type ~= "query_sensors" and size == 0 then return done(true) end -- nothing is replied to it
  return done(self.side:read_reply(request, reply))
end

-- The places on the wire of names.
function Client:places(list)
  local places = {}
  for i, atom in ipairs(list) do
    local name = names.of_atom(atom)
    for place = 0, #self.sensors do
      if name and self.sensors[place] == name then places[i] = place break end
    end
    if not places[i] then error(("gti: there is no sensor or joint %s"):format(tostring(atom)), 3) end
  end
  return places
end

---The actions, as of robotalk.aibo: query_sensors(list), query_ball(color), search_ball(color), move_joints(list),
---motion(file), walk(dx, dy, da), walk_for(dx, dy, da, seconds), stop_walk(). nil, message, code when the link fails.
function Client:query_sensors(list)
  local reply, message, code = self:ask { type = "query_sensors", list = self:places(list) }
  if not reply then return nil, message, code end
  return reply.value
end

local function color_of(name)
  for number, color in pairs(gti.COLORS) do if color == name then return number end end
  error(("gti: want pink, orange, yellow or green, got %s"):format(tostring(name)), 3)
end

function Client:query_ball(color)
  local reply, message, code = self:ask { type = "query_ball", color = color_of(color) }
  if not reply then return nil, message, code end
  if not reply.visible then return false end
  return true, reply.x, reply.y, reply.area
end

function Client:search_ball(color)
  local reply, message, code = self:ask({ type = "search_ball", color = color_of(color) }, 60)
  if not reply then return nil, message, code end
  return reply.found
end

function Client:move_joints(list)
  local wanted, joints = {}, {}
  for i, one in ipairs(list) do wanted[i] = one[1] end
  for i, place in ipairs(self:places(wanted)) do
    joints[i] = { joint = place, angle = list[i][2], speed = list[i].speed or 0 }
  end
  return self:ask { type = "move_joints", list = joints }
end

function Client:motion(file) return self:ask { type = "motion", file = file } end
function Client:walk(dx, dy, da) return self:ask { type = "walk", dx = dx, dy = dy, da = da } end
function Client:walk_for(dx, dy, da, seconds)
  return self:ask { type = "walk_for", dx = dx, dy = dy, da = da, seconds = seconds }
end
function Client:stop_walk() return self:walk(0, 0, 0) end

---Ends the connection; the server lets the robot stand.
function Client:close() self.port:close() end
Client.__close = Client.close

return gti
