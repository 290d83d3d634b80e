-- A robot behind RCTP (paper 001, spec/rctp.md), as a driver: it drives the base and all joints of its robot, which
-- have the same names there. Commands go out as messages and end by their statuses; the state and the readings of
-- sensors come as outputs. drivers = { body = { script = "rctp", url = "rctp://192.168.0.5/asimo" } }
local link = require "robotalk.rctp_link"
local objects = require "robotalk.rctp_objects"
local rctp_commands = require "robotalk.rctp_commands"
local robots = require "robotalk.rctp_robot"
local task = require "robotalk.task"

local driver = { options = {
  { "url", "text", max = 255, needed = true, doc = "rctp://HOST[:PORT]/ROBOT" },
  { "rate", "number", least = 0.1, most = 1000, doc = "1/s: how often the state is told; 20 unless said" },
  { "token_file", "text", max = 1023, doc = "the file with the token that the server asks for" },
} }
local ALIVE = 0.15 -- s between signs of life: less than a third of the shortest usual deadman time
local SEEN = 1 -- s: for the first state

-- Fields of the device: there, whether the robot there is in panic, as far as was told; here, whether this one was
-- halted by a panic, whose reset is passed on with the next command; echo, whether the panic there of which will be
-- told next is this one's own.

-- What the object of a joint takes: the first of these that the joint takes.
local function op_of(servo)
  local takes = {}
  for _, word in ipairs(type(servo) == "table" and servo or { servo }) do takes[word] = true end
  return takes.setpoint and "set_joint" or takes.speed and "set_joint_speed" or "set_joint_force"
end

-- Its joints in the order of their numbers: { name, number, first, dofs, op }. `first` is how many dofs those before it
-- have; parameter i of its object is dof dofs[i], those that follow others left out. And all dofs; and whether it has a
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
    joint.first, joint.dofs, joint.op = #all, {}, op_of((described[joint.name] or {}).servo)
    for k = 1, #joint.names do
      local dof = (described[joint.name].dofs or {})[k] or {}
      all[#all + 1] = { mimic = dof.mimic }
      if not dof.mimic and described[joint.name].servo then joint.dofs[#joint.dofs + 1] = k end
    end
  end
  return list, all, body.descriptor.base ~= nil
end

-- ---- what comes ----

-- What comes on a connection. One that has been replaced only tells what became of its last commands.
local function watch(self, client)
  local pending = self.pending
  while not client.closed do
    local list, message = client:receive(link.patience(self))
    if not list then return link.lose(self, message, client) end
    local current = self.client == client
    for _, one in ipairs(list) do
      if one.code and one.subject ~= 0 then
        pending:hear(one)
      elseif one.code and current then
        local over = link.hear(self, one)
        if over then return link.lose(self, over, client) end
      elseif one.values and current then
        self.seen = objects.tell(self, one) or self.seen
      end
    end
    if self.seen then task.wake(self) end
  end
end

local function beat(self, client)
  while self.client == client and not self.lost do
    task.sleep(ALIVE)
    local ok, message, code = client:alive()
    if not ok and code ~= "EPANIC" and code ~= "EFULL" then return link.lose(self, message, client) end
  end
end

local JOBS = { pending = rctp_commands.new, watch = watch, beat = beat }

function driver.open(self, config)
  self.options = robots.begin(self, config)
  self.joints, self.all, self.has_base = joints_of(self.robot)
  local ok, message, code = link.open(self, config, JOBS)
  -- who has connected knows where the robot is
  if ok and next(self.objects.states) and not self.seen then task.wait(self, SEEN) end
  robots.told(self.robot, ok, message, code)
  if not ok then return nil, message end
  return {}
end

-- ---- commands ----

-- Sends a command, whose status will end it.
local function ask(self, done, object, send, ...)
  self.pending:add(object, done)
  local ok, _, code = send(self.client, object, ...)
  if ok then return end
  self.pending:drop(object)
  done("error", code == "EFULL" and "full" or "link")
end

local function say(self, done, words) ask(self, done, self.words, self.client.say, words) end

local SERVOS = { set_joint = true, set_joint_speed = true, set_joint_force = true }

-- What was commanded holds no more.
local function forget(self)
  for _, joint in ipairs(self.joints) do joint.last = nil end
end

local function servo(self, cmd, done)
  local object, values, joint = nil, {}, nil
  for _, one in ipairs(self.joints) do
    if one.number == cmd.joint then joint, object = one, one.object end
  end
  if not object then return done("na", "unsupported") end
  if cmd.op ~= joint.op then return done("na", "servo") end
  if (cmd.speed or 0) > 0 then return done("na", "unsupported") end -- no message has it
  for i, k in ipairs(joint.dofs) do
    if cmd.mask >> (k - 1) & 1 == 1 then
      values[i] = cmd.value[k]
      joint.last = joint.last or {}
      joint.last[i] = values[i]
    elseif not object.masked then
      local now = joint.op == "set_joint" and (joint.now and joint.now[i] or object.values[i])
      values[i] = joint.last and joint.last[i] or now or 0
    end
  end
  ask(self, done, object, self.client.control, values)
end

local function drive(self, cmd, done)
  if not self.base then return done("na", "unsupported") end
  local values = self.base.count == 3 and { cmd.x, cmd.y, cmd.theta } or { cmd.x, cmd.theta }
  if self.base.count < 3 and cmd.y ~= 0 then return done("na", "holonomic") end
  ask(self, done, self.base, self.client.control, values)
end

-- Says something of its own, whose status is nobody's: true; nil, message, code.
local function say_only(self, words)
  local ok, message, code = self.client:say(self.words, words)
  if ok then self.pending:add(self.words, function() end) end
  return ok, message, code
end

-- After a panic here and its reset, the one there ends, too.
local function reset(self)
  self.here = false
  say_only(self, "reset")
end

function driver.start(self, cmd, done)
  if self.lost then return done("error", "link") end
  if self.here then reset(self) end
  if cmd.op ~= "stop" and self.refusal then
    local signal, reason = link.refused(self)
    if signal then return done(signal, reason) end
  end
  if cmd.op == "stop" or cmd.op == "home" then forget(self) end
  if cmd.op == "stop" then
    say(self, done, "stop")
  elseif cmd.op == "home" then
    say(self, done, "home")
  elseif cmd.op == "go_to" then
    say(self, done, ("go_to %.9g %.9g %.9g %.9g"):format(cmd.x, cmd.y, cmd.theta, cmd.speed or 0))
  elseif cmd.op == "set_speed" then
    drive(self, cmd, done)
  elseif SERVOS[cmd.op] then
    servo(self, cmd, done)
  else
    done("na", "unsupported")
  end
end

-- C has sent the stop, but within this process; a panic is told, too.
function driver.halted(self, why)
  if not self.words then return end -- it never had a connection
  forget(self)
  if self.within then
    say_only(self, "stop")
  else
    self.pending:add(self.words, function() end)
  end
  if why ~= "panic" then return end
  self.here = true
  if not self.there then self.echo = say_only(self, "panic") end
end

function driver.close(self)
  robots.over(self)
  if self.client then self.client:close() end
end

return driver
