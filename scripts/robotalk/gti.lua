-- The Golog-Tekkotsu interface (paper 002; spec/gti.md): a server by which any of its clients drives a robot of ours,
-- and a client for a robot that runs the paper's server.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local say = require "robotalk.log".say
local manager = require "robotalk.tekkotsu.manager"
local names = require "robotalk.tekkotsu.names"
local task = require "robotalk.task"

local gti = { COLORS = { [0] = "pink", "orange", "yellow", "green" } }

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

-- Writes all of it: true; nil, message, code when the other side is gone, or takes nothing for so many seconds.
local function write(port, bytes, patience)
  local late, pause = core.now() + patience, 0.001
  while true do
    local n, message, code = port:write(bytes)
    if not n then return nil, message, code end
    bytes = bytes:sub(n + 1)
    if #bytes == 0 then return true end
    if n > 0 then late, pause = core.now() + patience, 0.001 end
    if core.now() >= late then return nil, "nothing is taken", "ETIMEOUT" end
    task.sleep(pause) -- nothing tells when there is room
    pause = math.min(2 * pause, 0.05)
  end
end

-- ---- the server ----

local function log(level, form, ...) say(level, "gti: %s", form:format(...)) end

-- A client that is served: its connection, its dog, and what it has begun.
local Guest = {}
Guest.__index = Guest

local WAITING = 64 -- commands with replies that may wait behind a search
local DEADMAN = 30 -- s

-- What an action without a reply has come to, for the log: each refusal, and once that it is done in part.
function Guest:tell(what, word, why)
  local text = ("%s: %s%s"):format(what, word or "failed", why and ": " .. why or "")
  if word == "MODIFIED" and why ~= manager.TAKEN and text ~= self.told then
    log("info", "%s", text)
    self.told = text
  elseif word ~= "SUCCESS" and word ~= "MODIFIED" then
    log("warning", "%s", text)
  end
end

-- Begins an action. It goes on while the next command is received, as motion commands do in Tekkotsu.
function Guest:begin(what, fn)
  local t
  t = task.spawn(function()
    self:tell(what, fn())
    self.tasks[t] = nil
  end)
  t.background = true
  self.tasks[t] = true
end

-- What cannot be done, counted and logged.
function Guest:refuse(form, ...)
  self.server.errors = self.server.errors + 1
  log("warning", form, ...)
end

local ACTIONS = {}
function ACTIONS.move_joints(self, request)
  local list = {}
  for i, one in ipairs(request.list) do
    local name = one.joint < names.JOINTS and self.server.sensors[one.joint]
    if not name then return self:refuse("there is no joint %d: none is moved", one.joint) end
    list[i] = { name, one.angle, speed = one.speed > 0 and one.speed or nil }
  end
  self:begin("move_joints", function() return self.dog:move_joints(list) end)
end
function ACTIONS.motion(self, request)
  if request.file:find "[/\\]" or request.file:find "^%." then -- the folder of motions and no other
    return self:refuse("motion: want the name of a file, got %q", request.file)
  end
  self:begin("motion " .. request.file, function() return self.dog:motion(request.file) end)
end
function ACTIONS.walk(self, request)
  self:begin("walk", function() return self.dog:walk(request.dx, request.dy, request.da) end)
end
function ACTIONS.walk_for(self, request)
  local seconds = math.max(0, math.min(request.seconds, 3600))
  self:begin("walk", function() return self.dog:walk_for(request.dx, request.dy, request.da, seconds) end)
end

local ANSWERS = {}
function ANSWERS.query_sensors(self, request)
  local list, places = {}, {}
  for i, place in ipairs(request.list) do
    local name = self.server.sensors[place]
    if name then
      list[#list + 1], places[#list + 1] = name, i
    else
      self:refuse("there is no sensor %d", place)
    end
  end
  local values, all = self.dog:query_sensors(list) or {}, {}
  for i = 1, #request.list do all[i] = 0 end
  for k, i in ipairs(places) do
    all[i] = values[k] or 0
    if self.server.radians and request.list[i] < names.JOINTS then all[i] = math.rad(all[i]) end
  end
  return all
end
function ANSWERS.query_ball(self, request) return self.dog:query_ball(gti.COLORS[request.color]) end
function ANSWERS.search_ball(self, request)
  local found, why = self.dog:search_ball(gti.COLORS[request.color])
  if why then log("warning", "search_ball: %s", why) end
  return found
end

function Guest:answer(request)
  local results = table.pack(ANSWERS[request.type](self, request))
  return write(self.port, self.side:reply(request.type, table.unpack(results, 1, results.n)), DEADMAN)
end

-- Answers what waits, in order: a search may take long.
function Guest:answer_all()
  while self.waiting[1] and self:answer(self.waiting[1]) do table.remove(self.waiting, 1) end
  self.answering = nil
end

-- Carries a command out, or begins to. Why the connection is over, if it is.
function Guest:take(request)
  if ACTIONS[request.type] then
    ACTIONS[request.type](self, request)
  elseif request.type ~= "search_ball" and not self.answering then
    return not self:answer(request) and "the client takes no reply" or nil
  elseif #self.waiting == WAITING then
    return ("more than %d commands wait for their replies"):format(WAITING)
  else
    table.insert(self.waiting, request)
    if not self.answering then
      self.answering = task.spawn(self.answer_all, self)
      self.answering.background = true
    end
  end
end

-- Reads until the client goes. Whatever it has begun meanwhile, its bytes and its end are seen at once.
function Guest:attend()
  local server = self.server
  while true do
    local bytes, _, code = drivers.read(self.port, server.deadman)
    local requests, over
    if bytes then
      requests, over = self.side:feed(bytes)
    elseif code ~= "ETIMEOUT" then
      return
    elseif self.dog:walks() then
      log("warning", "nothing has come from a client for %g s while the dog walks: it stands", server.deadman)
      self:begin("stop", function() return self.dog:stop_walk() end)
    end
    for _, request in ipairs(requests or {}) do
      local why = self:take(request)
      if why then
        over = why
        break
      end
    end
    if over then return self:refuse("%s: the connection is closed", over) end
  end
end

-- The robot stands then: nobody is there any more who would stop it.
function Guest:close()
  if not self.server.guests[self] then return end
  self.server.guests[self] = nil
  if self.answering then self.answering:cancel() end
  for t in pairs(self.tasks) do t:cancel() end
  self.dog:leave()
  self.port:close()
end
Guest.__close = Guest.close

local Server = {}
Server.__index = Server

---One client at a port, until it goes. Waits for that.
function Server:attend(port)
  local guest <close> = setmetatable({ server = self, port = port, dog = self.dog:another(),
    side = core.gti(self.format), tasks = {}, waiting = {} }, Guest)
  self.guests[guest] = true
  guest:attend()
end

-- Accepts clients for ever.
local function accept(self, listening)
  while true do
    local client, message = listening:accept()
    if client then
      local attending
      attending = task.spawn(function()
        self:attend(client)
        self.tasks[attending] = nil
      end)
      attending.background = true
      self.tasks[attending] = true
    elseif client == false then
      task.wait("readable" .. listening:handle())
    else
      log("error", "%s", message) -- too many files are open, say: it may get better
      task.sleep(1)
    end
  end
end

---Serves the actions of an `aibo` to clients of the interface. options: listen, gti://localhost[:port] or
---gti+unix:PATH (gti://localhost, which is port 10700), false: nowhere, `attend` gives it clients; byte_order (little),
---packed; radians, querySensors tells joints in them; deadman, s (30; false: none): the dog stands when it walks for a
---client of whom nothing is heard for so long. A server with port and close; nil, message, code. Only clients of this
---machine can connect.
function gti.serve(dog, options)
  options = options or {}
  local self = setmetatable({ dog = dog, format = { byte_order = options.byte_order, packed = options.packed },
    sensors = gti.sensors(dog.model), deadman = options.deadman == nil and DEADMAN or options.deadman or nil,
    radians = options.radians, listening = {}, guests = {}, tasks = {}, errors = 0 }, Server)
  if options.listen ~= false then
    local listening, port, code = core.listen(options.listen or "gti://localhost")
    if not listening then return nil, port, code end
    self.listening, self.port = listening, port
  end
  for _, one in ipairs(self.listening) do
    local t = task.spawn(accept, self, one)
    t.background = true
    self.tasks[t] = true
  end
  return self
end

---Ends it and its connections.
function Server:close()
  for guest in pairs(self.guests) do guest:close() end
  for t in pairs(self.tasks) do t:cancel() end
  for _, one in ipairs(self.listening) do one:close() end
  self.tasks, self.listening = {}, {}
end
Server.__close = Server.close

-- ---- the client ----

local Client = {}
Client.__index = Client

---A client at a port that is connected. options as of connect.
function gti.client(port, options)
  options = options or {}
  local side = core.gti { byte_order = options.byte_order, packed = options.packed,
    short_walk = options.short_walk }
  return setmetatable({ port = port, side = side, radians = options.radians, rest = "",
    sensors = gti.sensors(options.model), patience = options.patience or 10 }, Client)
end

---Connects to a server of the interface: a robot that runs the paper's, or ours. options: byte_order, packed, radians
---as of serve; short_walk, walks until changed are sent with 24 bytes; timeout, s, of connecting (1); patience, s,
---for a reply (10; a search gets 60). nil, message, code.
function gti.connect(url, options)
  options = options or {}
  if descriptor.dry then return nil, "a dry run connects to nobody else: " .. url, "EADDRESS" end
  local port, message, code = core.dial(url, options.timeout or 1)
  if not port then return nil, message, code end
  return gti.client(port, options)
end

-- The connection is over: a reply that comes late would be taken for the next command's.
function Client:lose(message)
  if not self.lost then
    self.lost = message
    task.wake("readable" .. self.port:handle())
    self.port:close()
    task.wake(self)
  end
  return nil, self.lost, "ELINK"
end

-- One at a time: `what` is "writing" or "asking". A task that is cancelled before it is through ends the connection.
local function alone(self, what)
  while self[what] do task.wait(self) end
  self[what] = setmetatable({}, { __close = function(turn)
    self[what] = nil
    task.wake(self)
    if not turn.through then self:lose "a command was broken off" end
  end })
  return self[what]
end

-- Sends a command, whole.
local function send(self, bytes)
  local turn <close> = alone(self, "writing")
  if self.lost then
    turn.through = true
    return self:lose()
  end
  local ok, message, code = write(self.port, bytes, self.patience)
  -- a device takes nothing while it is halted, and nothing of a command that is over; else the robot is gone
  turn.through = ok or code == "EPANIC" or code == "ENONE"
  if turn.through then return ok, message, code end
  return self:lose "the robot is gone"
end

-- Reads a reply of that size.
local function receive(self, size, patience)
  local late = core.now() + patience
  while not self.lost and #self.rest < size do
    local bytes, message = self.port:read()
    if bytes then
      self.rest = self.rest .. bytes
    elseif bytes == nil then
      return self:lose(message)
    elseif core.now() >= late then
      return self:lose(("no reply has come for %g s"):format(patience))
    else
      task.wait("readable" .. self.port:handle(), late - core.now())
    end
  end
  if self.lost then return self:lose() end
  local reply = self.rest:sub(1, size)
  self.rest = self.rest:sub(size + 1)
  return reply
end

-- Sends a command and waits for its reply, if it has one. Those with a reply go one at a time, since replies do not
-- say what they answer; those without do not wait for them: a stop is sent while the head searches. A reply that does
-- not come in time ends the connection.
function Client:ask(request, patience)
  local bytes, size = self.side:encode(request)
  if size == 0 and request.type ~= "query_sensors" then return send(self, bytes) end
  local turn <close> = alone(self, "asking")
  local reply, message, code = send(self, bytes)
  if reply then reply, message, code = receive(self, size, patience or self.patience) end
  turn.through = true
  if not reply then return nil, message, code end
  return self.side:read_reply(request, reply)
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
  local places = self:places(list)
  local reply, message, code = self:ask { type = "query_sensors", list = places }
  if not reply then return nil, message, code end
  for i, place in ipairs(self.radians and places or {}) do
    if place < names.JOINTS then reply.value[i] = math.deg(reply.value[i]) end
  end
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
function Client:close() self:lose "the connection is closed" end
Client.__close = Client.close

return gti
