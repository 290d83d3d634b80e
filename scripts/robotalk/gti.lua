-- The Golog-Tekkotsu interface (paper 002; spec/gti.md): a server with which any of its clients drives a robot of this
-- process, and a client for a robot that runs the paper's server.
local aibo = require "robotalk.aibo"
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local questions = require "robotalk.server.questions"
local say = require "robotalk.log".say
local manager = require "robotalk.tekkotsu.manager"
local names = require "robotalk.tekkotsu.names"
local task = require "robotalk.task"

local gti = { COLORS = { [0] = "pink", "orange", "yellow", "green" } }

---Names for query_sensors, by their numbers on the wire, from 0: 18 joints, sensors, buttons.
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

-- Writes all of it: true; nil, message, code when the peer has disconnected, or takes nothing for that many seconds.
local function write(port, bytes, patience)
  local late, pause = core.now() + patience, 0.001
  while true do
    local n, message, code = port:write(bytes)
    if not n then return nil, message, code end
    bytes = bytes:sub(n + 1)
    if #bytes == 0 then return true end
    if n > 0 then late, pause = core.now() + patience, 0.001 end
    if core.now() >= late then return nil, "nothing is taken", "ETIMEOUT" end
    task.sleep(pause) -- there is no event for room to write
    pause = math.min(2 * pause, 0.05)
  end
end

-- ---- the server ----
-- The server's thread speaks the interface (protocols/gti/server.c) and commands the base. It asks here for the rest.

local function log(level, form, ...) say(level, "gti: %s", form:format(...)) end

local dogs = {}   -- name of a robot -> its dog
local guests = {} -- number of a connection -> its guest
local alone = setmetatable({}, { __mode = "k" }) -- dog -> true: its connection moves only for the interface

-- A served client: its dog, its running actions, and its unanswered questions.
local Guest = {}
Guest.__index = Guest

-- The result of an action without a reply, for the log: each refusal, and once that it is done in part.
function Guest:tell(what, word, why)
  local text = ("%s: %s%s"):format(what, word or "failed", why and ": " .. why or "")
  if word == "MODIFIED" and why ~= manager.TAKEN and text ~= self.told then
    log("info", "%s", text)
    self.told = text
  elseif word ~= "SUCCESS" and word ~= "MODIFIED" then
    log("warning", "%s", text)
  end
end

-- Carries a question out by fn, until that has ended or the client has disconnected. Answers that fn has not given then
-- are unknown. Its motions continue while the next command is received, as motion commands do in Tekkotsu.
function Guest:begin(question, fn)
  local t
  t = task.spawn(function()
    local _ <close> = setmetatable({}, { __close = function()
      self.tasks[t] = nil
      if self.open[question.number] then self:answer(question, false) end
    end })
    fn()
  end)
  t.background = true
  self.tasks[t] = true
end

function Guest:answer(question, ...)
  self.open[question.number] = nil
  core.answer(question.number, ...)
end

-- Each carries a question out and answers it. They begin in the order of the questions.
local ACTIONS = {}

function ACTIONS.move_joints(self, question)
  local list = {}
  for i = 1, #question, 3 do
    list[#list + 1] = { self.sensors[math.tointeger(question[i])], question[i + 1],
      speed = question[i + 2] > 0 and question[i + 2] or nil }
  end
  self:begin(question, function()
    self:answer(question, true)
    self:tell("move_joints", self.dog:move_joints(list))
  end)
end

function ACTIONS.motion(self, question)
  self:begin(question, function()
    self:tell("motion " .. question.text, self.dog:motion(question.text, nil, function(legs)
      self:answer(question, true, legs) -- then the server ends a walk that is older than this
    end))
  end)
end

-- A stop by another client has ended for this client (the server decides that), so it also ends for the connection that
-- moves the joints for it, unless there has been another stop since. A connection that the script's own program shares
-- is resumed only by that program.
function ACTIONS.resume(self, question)
  self:begin(question, function()
    local robot = self.dog.robot
    if self.alone and robot:stopped() and robot.client.seen_stop <= question[1] then robot:resume() end
    self:answer(question, true)
  end)
end

-- The server walks; motions here lose the legs to that.
function ACTIONS.walk(self, question)
  self:begin(question, function()
    manager.yield_to_walk(self.dog.robot, self.dog, question[1] == 0 and question[2] == 0 and question[3] == 0)
    self:answer(question, true)
  end)
end

function ACTIONS.query_sensors(self, question)
  self:begin(question, function()
    local list, places, all = {}, {}, {}
    for i, place in ipairs(question) do
      local name = self.sensors[math.tointeger(place)]
      all[i] = 0
      if name then
        list[#list + 1], places[#places + 1] = name, i
      else
        log("warning", "there is no sensor %d", place)
      end
    end
    for k, value in ipairs(self.dog:query_sensors(list) or {}) do all[places[k]] = value end
    self:answer(question, true, table.unpack(all))
  end)
end

function ACTIONS.query_ball(self, question)
  self:begin(question, function()
    local visible, x, y, area = self.dog:query_ball(gti.COLORS[question[1]])
    if visible then return self:answer(question, true, true, x, y, area) end
    if x and x ~= self.blind then log("warning", "query_ball: %s", x) end -- why the camera has no picture
    self.blind = x
    self:answer(question, true, false)
  end)
end

function ACTIONS.search_ball(self, question)
  self:begin(question, function()
    local found, why = self.dog:search_ball(gti.COLORS[question[1]])
    if why then log("warning", "search_ball: %s", why) end
    self:answer(question, true, found)
  end)
end

-- Ends its actions.
function Guest:leave()
  for t in pairs(self.tasks) do t:cancel() end
  for number in pairs(self.open) do core.answer(number, false) end
  self.open = {}
  self.dog:leave()
end

local waiting, working = {}, false -- questions in order of arrival; whether a task takes them

-- The dog of a robot, or of the first: that of serve, otherwise one without vision.
local function dog_of(name)
  if name == "" then name = core.robots()[1] or name end
  if not dogs[name] or dogs[name].robot.closed then
    local robot, message = require "robotalk".try_connect("local:" .. name, { apart = true, name = "GTI" })
    if not robot then return nil, message end
    dogs[name] = aibo.new(robot)
    alone[dogs[name]] = true
  end
  return dogs[name]
end

local function take(question)
  local number, guest = question.guest, guests[question.guest]
  if question.action == "gone" then
    guests[number] = nil
    if guest then guest:leave() end
    return core.answer(question.number, true)
  end
  if not guest then
    local dog, message = dog_of(question.robot)
    if not dog then
      log("warning", "%s: %s", question.action, message)
      return core.answer(question.number, false)
    end
    local own = alone[dog]
    dog = dog:another()
    dog.served = true
    guest = setmetatable({ dog = dog, alone = own, sensors = gti.sensors(dog.model), tasks = {}, open = {} }, Guest)
    guests[number] = guest
  end
  guest.open[question.number] = true
  ACTIONS[question.action](guest, question)
end

local function work()
  local _ <close> = setmetatable({}, { __close = function() working = false end })
  while waiting[1] do take(table.remove(waiting, 1)) end
end

questions.handle("gti", function(question)
  waiting[#waiting + 1] = question
  if not working then
    working = true
    task.spawn(work).background = true
  end
end)

---An address of the interface to a robot, with options of serve's.
function gti.address(listen, name, options)
  local words = {}
  for _, flag in ipairs { "packed", "radians", "short_walk" } do
    if options[flag] then words[#words + 1] = flag end
  end
  if options.byte_order == "big" then words[#words + 1] = "big" end
  if options.deadman ~= nil then words[#words + 1] = ("deadman=%.17g"):format(options.deadman or 0) end
  listen = listen:gsub("^robotalk([:+])", "gti%1"):gsub("^unix:", "gti+unix:")
  local place, given, robot = listen:match "^([^?#]*)%??([^#]*)#?(.*)$"
  if given ~= "" then table.insert(words, 1, given) end
  local asked = words[1] and "?" .. table.concat(words, "&") or ""
  if place:find "^gti%+unix:" then return place .. asked .. "#" .. (robot ~= "" and robot or name) end
  if not place:find "^gti[+tls]*://[^/]+/." and not place:find "^gti%+local:." then
    place = place:gsub("/$", "") .. (place:find("://", 1, true) and "/" or "") .. name
  end
  return place .. asked
end

local Server = {}
Server.__index = Server

local SERVE = { listen = true, alone = true, byte_order = true, packed = true, radians = true, short_walk = true,
  deadman = true }
local CONNECT = { byte_order = true, packed = true, radians = true, short_walk = true, timeout = true,
  patience = true, model = true }

---Serves the actions of an `aibo`, whose robot is of this program, to clients of the interface. options: listen,
---gti://localhost[:port], gti+tls:// or gti+unix:PATH (gti://localhost, which is port 10700), false: nowhere but
---within this process, at gti+local:NAME; byte_order (little), packed; radians, querySensors returns joints in them;
---deadman, s (30; false: none): the dog stands when the client that it walks for is silent for that time; alone: the
---dog's connection moves it only for these clients, so that a stop latches joints and motions like walks, and
---robot:resume() is never needed. A server with port and close; nil, message, code. Only clients of this machine can
---connect, or those that TLS has authenticated.
function gti.serve(dog, options)
  options = checked.options(options, SERVE, "serve")
  local name = dog.robot:describe().name
  local self = setmetatable({ name = name, dog = dog }, Server)
  if options.listen ~= false then
    local server, message, code = core.serve { listen = {
      gti.address(options.listen or "gti://localhost", name, options) } }
    if not server then return nil, message, code end
    self.server = server
    self.port = math.tointeger(server:urls()[1]:match ":(%d+)$") or 0
  end
  dogs[name], alone[dog] = dog, options.alone
  return self
end

---Ends it and its connections.
function Server:close()
  if self.server then self.server:close() end
  if dogs[self.name] == self.dog then dogs[self.name] = nil end
end
Server.__close = Server.close

-- ---- the client ----

local Client = {}
Client.__index = Client

---A client at a port that is connected. options as of connect.
function gti.client(port, options)
  options = checked.options(options, CONNECT, "connect")
  local side = core.gti { byte_order = options.byte_order, packed = options.packed,
    short_walk = options.short_walk }
  return setmetatable({ port = port, side = side, radians = options.radians, rest = "",
    sensors = gti.sensors(options.model), patience = options.patience or 10 }, Client)
end

---Connects to a server of the interface: a robot that runs the paper's, or ours. options: byte_order, packed, radians
---as of serve; short_walk, walks until changed are sent with 24 bytes; these may be in the address, too
---(gti://HOST?packed); timeout, s, of connecting (1); patience, s, for a reply (10; a search gets 60). nil, message,
---code.
function gti.connect(url, options)
  options = checked.options(options, CONNECT, "connect")
  if descriptor.dry then return nil, "a dry run connects to nobody else: " .. url, "EADDRESS" end
  local port, given, code = core.dial(url, options.timeout or 1)
  if not port then return nil, given, code end
  return gti.client(port, { byte_order = options.byte_order or (given.big and "big" or nil),
    packed = options.packed or given.packed, radians = options.radians or given.radians,
    short_walk = options.short_walk or given.short_walk, model = options.model, patience = options.patience })
end

-- Ends the connection: a late reply would be taken for the next command's.
function Client:lose(message)
  if not self.lost then
    self.lost = message
    task.wake("readable" .. self.port:handle())
    self.port:close()
    task.wake(self)
  end
  return nil, self.lost, "ELINK"
end

-- One at a time: `what` is "writing" or "asking". A task that is cancelled before its end ends the connection.
local function in_turn(self, what)
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
  local turn <close> = in_turn(self, "writing")
  if self.lost then
    turn.through = true
    return self:lose()
  end
  local ok, message, code = write(self.port, bytes, self.patience)
  -- a device takes nothing while it is halted, and nothing of an ended command; otherwise the robot was removed
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
-- name their commands; those without do not wait for them: a stop is sent while the head searches. A reply that
-- is late ends the connection.
function Client:ask(request, patience)
  local bytes, size = self.side:encode(request)
  if size == 0 and request.type ~= "query_sensors" then return send(self, bytes) end
  local turn <close> = in_turn(self, "asking")
  local reply, message, code = send(self, bytes)
  if reply then reply, message, code = receive(self, size, patience or self.patience) end
  turn.through = true
  if not reply then return nil, message, code end
  return self.side:read_reply(request, reply)
end

-- The numbers on the wire of names.
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
