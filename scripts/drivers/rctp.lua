-- A robot behind RCTP (paper 001, spec/rctp.md), as a driver: it drives the base and all joints of its robot, which
-- have the same names there. Commands go out as messages and end by their statuses; the state and the readings of
-- sensors come as outputs. drivers = { body = { script = "rctp", url = "rctp://192.168.0.5/asimo" } }
local core = require "robotalk.core"
local link = require "robotalk.rctp.link"
local objects = require "robotalk.rctp.objects"
local panics = require "robotalk.rctp.panics"
local parts = require "robotalk.rctp.parts"
local pictures = require "robotalk.rctp.pictures"
local rctp_commands = require "robotalk.rctp.commands"
local robots = require "robotalk.rctp.robot"
local rctp_sender = require "robotalk.rctp.sender"
local task = require "robotalk.task"

local driver = { parts = true, bounds = true, frames = false, options = {
  { "url", "text", max = 255, needed = true, doc = "rctp://HOST[:PORT]/ROBOT" },
  { "rate", "number", least = 0.1, most = 1000, doc = "1/s: how often the state is told; 20 unless said" },
  { "token_file", "text", max = 1023, doc = "the file with the token that the server asks for" },
} }
local ALIVE = 0.15 -- s between signs of life: less than a third of the shortest usual deadman time
local SIGN <const> = 32 -- bytes of a sign of life
local SEEN = 1 -- s: for the first state
local STILL = 1e-4 -- rad, m, and per second: an axis that changes by less is at rest
local NEAR = 0.05 -- rad, m: distance within which a goal is reached

-- Fields of the device, besides those of rctp_link: told, the newest values of states by numbers of their objects;
-- base_told, those of the base; moved, the time of the last motion reported; sender, of rctp_sender; driven, the
-- speeds of the base, as long as they last.

-- Kinds of commands of a joint's object: the first of these that the joint accepts.
local function op_of(servo)
  local takes = {}
  for _, word in ipairs(type(servo) == "table" and servo or { servo }) do takes[word] = true end
  return takes.setpoint and "set_joint" or takes.speed and "set_joint_speed" or "set_joint_force"
end

-- Its joints in the order of their numbers: { name, number, first, dofs, op }. `first` is the number of dofs before it;
-- parameter i of its object is dof dofs[i], without dofs that follow others. Then all dofs, and whether it has a
-- base.
local function joints_of(robot)
  local me <close> = require "robotalk".connect("local:" .. robot)
  local body, list, all = me:describe(), {}, {}
  for name, joint in pairs(body.joints) do
    if type(name) == "string" then list[#list + 1] = { name = name, number = joint.number, names = joint.names } end
  end
  table.sort(list, function(a, b) return a.number < b.number end)
  local described = {}
  for _, joint in pairs(body.descriptor.joints) do described[joint.name] = joint end
  for _, joint in ipairs(list) do
    local says = described[joint.name] or {}
    joint.first, joint.dofs, joint.op = #all, {}, op_of(says.servo)
    for k = 1, #joint.names do
      local dof = (says.dofs or {})[k] or {}
      all[#all + 1] = { mimic = dof.mimic }
      if not dof.mimic and says.servo then joint.dofs[#joint.dofs + 1] = k end
    end
  end
  return list, all, body.descriptor.base ~= nil
end

-- ---- messages of the server ----

-- Stores the values of a state, and the time of its last motion.
local function look(self, message)
  local state, before = self.objects.states[message.id], self.told[message.id]
  if not state then return end
  for i, value in pairs(message.values) do
    if not before or math.abs(value - (before[i] or 0)) > STILL then self.moved = core.now() end
  end
  self.told[message.id] = message.values
  if state.base then self.base_told = message.values end
end

-- Forgets the commands of the joints, or of the base, and does not send those that wait.
local function forget_joints(self)
  for _, joint in ipairs(self.joints) do
    joint.last = nil
    if joint.object then self.sender:drop(joint.object) end
  end
end

local function forget_base(self)
  self.driven = nil
  if self.base then self.sender:drop(self.base) end
end

-- what: as of rctp_parts.of; nil: all.
local function forget(self, what)
  if not what or what.base then forget_base(self) end
  if not what then return forget_joints(self) end
  for _, part in ipairs(what.joints) do
    local joint = part[1]
    for i, k in ipairs(joint.dofs) do
      if joint.last and part.dofs >> (k - 1) & 1 == 1 then joint.last[i] = nil end
    end
    if joint.object then self.sender:drop(joint.object, part.dofs) end
  end
end

-- Receives the messages of a connection, some at a time: other tasks run in between. A replaced connection only
-- reports the results of its last commands. Returns the reason of its end.
local function watch(self, client)
  local pending = self.pending
  while not client.closed do
    local list, message = client:receive(link.patience(self))
    if not list then return message end
    local current = self.client == client
    for _, one in ipairs(list) do
      if one.code == 100 and one.subject ~= 0 and current then
        self.sender:permit()
      elseif one.code and one.subject ~= 0 then
        pending:hear(one)
      elseif one.code and current then
        if one.code >= 400 then forget(self) end -- the server may have stopped the axes
        local over = link.hear(self, one)
        if over then return over end
      elseif one.values and current then
        look(self, one)
        self.seen = objects.tell(self, one) or self.seen
      end
    end
    if self.seen then task.wake(self) end
    task.sleep(0)
  end
end

local function nobody() end

-- Values of a joint's object that change nothing, all or none: its last command, or its reported position.
local function held(joint)
  local values = {}
  for i = 1, joint.object.count do
    local rests = joint.op == "set_joint" and joint.now and joint.now[i] or joint.op == "set_joint_speed" and 0 or nil
    values[i] = joint.last and joint.last[i] or rests
  end
  return #values == joint.object.count and values or nil
end

-- The frame of commands that a time driven server needs while there is no command: it must neither move a resting axis
-- nor restart a stopped one. It is a mask of 0; otherwise the lasting speeds of the base, unless the base drives to a
-- goal; otherwise the position or goal of a joint, unless all are on their way home. Motions in progress continue with
-- it. If none of these is possible there is no frame, and the server may end the session.
local function idle(self)
  local function moves(what)
    return self.pending:has(self.words, function(command) return command.moves == what end)
  end
  for _, joint in ipairs(self.joints) do
    local object = joint.object
    if object and object.masked then return object, {}, { done = nobody, dofs = 0 }, true end
  end
  if self.base and not moves "base" then
    local rest = self.base.count == 3 and { 0, 0, 0 } or { 0, 0 }
    return self.base, self.driven or rest, { done = nobody }
  end
  for _, joint in ipairs(self.joints) do
    local values = joint.object and not moves "joints" and held(joint)
    if values then return joint.object, values, { done = nobody, goal = true, dofs = 0 } end
  end
end

-- Sends that frame, if there is one. In a panic only signs of life reach the port: here it is one.
local function keep(self, client)
  local object, values, command, silent = idle(self)
  if not object then return end
  if not panics.lasts(self) then return self.sender:send(object, values, command, silent) end
  local frame = client:control_frame(object, values)
  if not frame or #frame > SIGN then return end
  if not self.within then core.device_sign(self.handle, frame) end
  if client.port:write(frame) then self.sender:note_sent() end
  if not self.within then core.device_sign(self.handle, client:alive_frame()) end
end

-- Sends waiting messages and signs of life, and gives up commands without an end. Returns the reason of the
-- connection's end.
local function beat(self, client)
  local pending, sender, next_sign = self.pending, self.sender, 0
  while self.client == client and not self.lost do
    sender:flush()
    if sender:is_due() and not self.refusal then keep(self, client) end
    if core.now() >= next_sign then
      next_sign = core.now() + ALIVE
      local ok, message, code = client:alive()
      if not ok and code ~= "EPANIC" and code ~= "EFULL" then return message end
      pending:give_up(self.moved)
    end
    task.wait(sender, sender:pause(math.max(0, next_sign - core.now())))
  end
end

-- A task without which the remote robot must not move: unless it ends with this robot, its end closes the connection.
local function vital(name, fn)
  return function(self, client)
    local why
    local _ <close> = setmetatable({}, { __close = function(_, raised)
      if not task.is_cancelling(raised) then link.lose(self, why or name .. " has failed", client) end
    end })
    why = fn(self, client)
  end
end

-- The commands of a new connection.
local function pending_of(self, client, all)
  local pending, input = rctp_commands.new(), all.base or select(2, next(all.inputs))
  self.told, self.base_told, self.moved, self.driven = {}, nil, core.now(), nil
  self.sender = rctp_sender.new(client, pending, input and input.rules or {})
  return pending
end

local JOBS = { pending = pending_of, watch = vital("watch", watch), beat = vital("beat", beat) }

function driver.open(self, config)
  self.options = robots.begin(self, config)
  self.joints, self.all, self.has_base = joints_of(self.robot)
  local ok, message, code = link.open(self, config, JOBS)
  -- a connected client knows the robot's position
  if ok and next(self.objects.states) and not self.seen then task.wait(self, SEEN) end
  if ok then pictures.open(self, config.url) end
  robots.told(self.robot, ok, message, code)
  if not ok then return nil, message end
  return {}
end

-- ---- commands ----

-- Sends text that begins a motion of "base", "joints" or neither; reached: as of Pending:add.
local function begin_words(self, done, words, moves, reached)
  local stamp, _, code = self.client:say(self.words, words)
  if not stamp then return done("error", code == "EFULL" and "full" or "link") end
  self.pending:add(self.words, { done = done, goal = true, moves = moves, reached = reached, stamp = stamp })
end

local SERVOS = { set_joint = true, set_joint_speed = true, set_joint_force = true }

-- The value of a dof without a command in a message of its joint.
local function kept(joint, object, i)
  if joint.last and joint.last[i] then return joint.last[i] end
  return joint.op == "set_joint" and (joint.now and joint.now[i] or object.values[i]) or 0
end

-- Whether the dofs of a joint have reached their goals.
local function is_there(joint, values)
  for i, value in pairs(values) do
    if not joint.now or math.abs((joint.now[i] or math.huge) - value) > NEAR then return false end
  end
  return true
end

-- The end of a command to a joint: later commands do not repeat unreached values for dofs that they leave out.
local function ending(joint, values, done)
  return function(signal, reason)
    for i, value in pairs(signal ~= "success" and reason ~= "superseded" and values or {}) do
      if joint.last and joint.last[i] == value then joint.last[i] = nil end
    end
    done(signal, reason)
  end
end

local function has_bounds(cmd, carried)
  return (cmd.acceleration or 0) > 0 or not carried and (cmd.speed or 0) > 0
end

local function servo(self, cmd, done)
  local object, joint = nil, nil
  for _, one in ipairs(self.joints) do
    if one.number == cmd.joint then joint, object = one, one.object end
  end
  if not object then return done("na", "unsupported") end
  if cmd.op ~= joint.op then return done("na", "servo") end
  if has_bounds(cmd) then return done("na", "bounds") end -- no message has them
  local values, wanted = {}, {}
  joint.last = joint.last or {}
  for i, k in ipairs(joint.dofs) do
    if cmd.mask >> (k - 1) & 1 == 1 then
      wanted[i], values[i] = cmd.value[k], cmd.value[k]
    elseif not object.masked then
      values[i] = kept(joint, object, i)
    end
  end
  for i, value in pairs(wanted) do joint.last[i] = value end
  self.sender:send(object, values, { done = ending(joint, wanted, done), goal = cmd.op == "set_joint", dofs = cmd.mask,
    reached = function() return is_there(joint, wanted) end })
end

local function drive(self, cmd, done)
  if not self.base then return done("na", "unsupported") end
  local values = self.base.count == 3 and { cmd.x, cmd.y, cmd.theta } or { cmd.x, cmd.theta }
  if self.base.count < 3 and cmd.y ~= 0 then return done("na", "holonomic") end
  self.driven = values
  self.sender:send(self.base, values, { done = function(signal, reason)
    if signal ~= "success" and signal ~= "modified" and self.driven == values then self.driven = nil end
    done(signal, reason)
  end })
end

local function go_to(self, cmd, done)
  if has_bounds(cmd, true) then return done("na", "bounds") end -- the text has a speed
  forget_base(self)
  local function is_near()
    local at = self.base_told
    return at and math.abs(at[1] - cmd.x) < NEAR and math.abs(at[2] - cmd.y) < NEAR
  end
  begin_words(self, done, ("go_to %.9g %.9g %.9g %.9g"):format(cmd.x, cmd.y, cmd.theta, cmd.speed or 0), "base",
    is_near)
end

local stop

-- Stops everything, or the parts that the stop names; everything, too, if the server does not know stops with names.
-- For a time driven server an empty frame ends a stop that still brakes: here a new command has ended that stop
-- before.
function stop(self, cmd, done)
  local words, what = parts.of(self, cmd)
  if not words then return done "success" end
  forget(self, what)
  begin_words(self, function(signal, reason)
    if reason == "superseded" then signal, reason = "success", nil end
    if what and reason == "range" then return stop(self, {}, done) end
    done(signal, reason)
  end, words, nil, function() return true end)
end

function driver.start(self, cmd, done)
  if self.lost then return done("error", "link") end
  if cmd.op ~= "stop" and self.refusal then
    local signal, reason = link.refused(self)
    if signal then return done(signal, reason) end
  end
  if cmd.op == "stop" and cmd.own and self.refusal then
    done "success" -- this client moves nothing there, and another client may drive
  elseif cmd.op == "stop" then
    stop(self, cmd, done)
  elseif cmd.op == "home" then
    if has_bounds(cmd) then return done("na", "bounds") end
    forget_joints(self)
    begin_words(self, done, "home", "joints")
  elseif cmd.op == "go_to" then
    go_to(self, cmd, done)
  elseif cmd.op == "set_speed" then
    drive(self, cmd, done)
  elseif SERVOS[cmd.op] then
    servo(self, cmd, done)
  else
    done("na", "unsupported")
  end
end

-- C has sent the stop, except within this process, and except for a connection that only watches: the latter stops the
-- remote robot for a stop that was given here, and not at its own end. A panic is sent, too.
function driver.halted(self, why)
  if self.words then -- it has had a connection
    forget(self)
    local brake = { done = nobody, goal = true, stamp = 0 } -- that of the frame that C sends
    if not self.armed then
      local wanted = why == "stop" or not self.refusal
      brake.stamp = wanted and self.client:say(self.words, "stop own") or nil
    end
    if brake.stamp then self.pending:add(self.words, brake) end
  end
  local over = why == "panic" and panics.halted(self)
  if over then link.lose(self, over) end
end

function driver.reset(self) panics.reset(self) end

function driver.close(self)
  robots.over(self)
  if self.client then self.client:close() end
end

return driver
