-- Driving by keys at the terminal, and by a gamepad. Motions end by themselves: keys that are not repeated count as
-- released (drive/hand.lua), and the robot stops when it receives nothing (its deadman) or when the session ends.
local cmds = require "robotalk.session.commands"
local core = require "robotalk.core"
local face = require "robotalk.drive.face"
local gamepad = require "robotalk.gamepad"
local latch = require "robotalk.session.latch"
local mistake = require "robotalk.mistakes.mistake"
local movers = require "robotalk.session.movers"
local pilots = require "robotalk.drive.pilot"
local retained = require "robotalk.session.retained"
local screens = require "robotalk.screen"
local seen = require "robotalk.watch.seen"
local sticks = require "robotalk.drive.stick"
local task = require "robotalk.task"

local Drive = {}
Drive.__index = Drive

local DEADMAN <const> = 0.5 -- s; at most, also of a robot that has none
local EXPIRY <const> = 0.5  -- s of age beyond which a robot does not begin the command of a key
local FRAME <const> = 0.1   -- s between two pictures
local REPLUG <const> = 1    -- s between two looks for a gamepad that was unplugged
local STAND <const> = 0.5   -- s that a stop may take before the program is stopped

local spec = core.spec()

---A text for the user, until the next.
function Drive:say(form, ...) self.message = form:format(...) end

-- ---- commands ----

-- The pilot's output as a command.
local function command_of(self, action)
  if action.op == "stop" then return { op = "stop", scope = 1 } end
  if action.op == "speed" then return { op = "set_speed", x = action.x, y = action.y, theta = action.turn } end
  local dof, speed = self.pilot.parts.dofs[action.number], action.speed
  if dof.by_speed then return cmds.servo(self.session, "set_joint_speed", dof.joint, { [dof.dof] = speed }) end
  if speed == 0 then
    local stop = movers.stop_of(false, { dof.place - 1 })
    stop.scope = 1
    return stop
  end
  local goal = speed > 0 and dof.high or dof.low
  if goal - goal ~= 0 then goal = speed > 0 and 1e3 or -1e3 end -- it turns without end
  return cmds.servo(self.session, "set_joint", dof.joint, { [dof.dof] = goal, speed = math.abs(speed) })
end

local FINE <const> = { SUCCESS = true, MODIFIED = true, INTERRUPTED = true }
local LASTING <const> = { set_speed = true, set_joint_speed = true } -- answered when they begin

-- Reports a refusal of the robot; nothing is tried again until all keys were released.
local function hear(self, ticket, sent)
  local word, why, result = self.session:result(ticket)
  if FINE[word] and LASTING[result.op] then self.answer = core.now() - sent end
  if FINE[word] or self.over then return end
  self.pilot:block(why or "it did not answer")
  local holder = word == "BUSY" and result.holder
  self:say("%s: %s%s", word or "no answer", why or "", holder and "; t asks for it" or "")
end

local function send(self, actions)
  if #actions == 0 then return end
  local list = {}
  for i, action in ipairs(actions) do list[i] = command_of(self, action) end
  local first, why = self.session:send(list)
  if not first then
    self.pilot:block(why)
    return self:say("%s", why)
  end
  for i = 1, #list do
    local t = task.spawn(hear, self, first + i - 1, core.now())
    t.background, t.name = true, "drive"
  end
end

local function panic(self)
  self.pilot:block "panic"
  if not self.robot then
    self.panics = true
    return self:say "PANIC: it is sent as soon as there is a connection"
  end
  local ok, why = self.robot:panic()
  self.panics = not ok
  self:say(ok and "PANIC: sent. r resets" or "PANIC: it is sent as soon as the link is back: %s", why)
end

-- ---- questions, and slow calls ----

-- y or n: fn(yes).
local function ask(self, text, fn) self.question = { text = text, answer = fn } end

local function beside(name, fn)
  local t = task.spawn(fn)
  t.background, t.name = true, name
  return t
end

local function reset(self)
  ask(self, "reset: the robot takes commands again. Sure? y, n", function(yes)
    if not yes then return end
    beside("reset", function()
      local ok, why = self.robot:reset()
      self:say("%s", ok and "the panic is over" or "not reset: " .. why)
    end)
  end)
end

local function take(self)
  self:say "asking for the robot …"
  beside("take", function()
    local ok, why = self.session:take(nil, { timeout = 10 })
    self:say("%s", ok and "the robot is yours" or "not yours: " .. why)
  end)
end

-- Stops everything, whoever moves it; the others wait for a resume then.
local function stop_all(self)
  self.pilot:block "stopped"
  self.pilot.sent = {}
  local ticket, why = self.session:send { { op = "stop" } }
  if not ticket then return self:say("no stop was sent: %s", why) end
  self:say "stopping everything …"
  beside("stop", function()
    local word, reason = self.session:result(ticket)
    if not FINE[word] then return self:say("%s: %s", word or "the stop was not answered", reason or "") end
    local names = {}
    for _, row in ipairs(latch.made(self.session) or {}) do names[#names + 1] = row.name end
    self:say("everything is stopped; %s", #names == 0 and "nobody else has moved the robot"
      or ("%s: no motion until g resumes"):format(latch.names(names)))
  end)
end

-- After a stop by another client this one resumes; otherwise all clients that stops have latched.
local function go_on(self)
  beside("resume", function()
    local ok, why, code = self.session:resume(not self.session:stopped() and { all = true } or nil)
    self:say("%s", ok and "the stop is over" or code == "ENONE" and why or "still stopped: " .. why)
  end)
end

-- Another client asks for the axes of this one: an answer within the time that the lease leaves.
local function asked(self, what)
  local answer
  ask(self, ("%s asks for %s: y gives, n keeps; no answer gives"):format(what.holder, table.concat(what.parts, ", ")),
    function(yes)
      answer = yes
      task.wake(what)
    end)
  local mine = self.question
  task.wait(what, 5)
  if self.question == mine then self.question = nil end
  return answer
end

-- ---- keys ----

local function take_key(self, event)
  local key = event.key
  if event.gone then self.over = true end
  if not key or event.kind == "release" then return end
  if self.question and (key == "y" or key == "n") then
    local answer = self.question.answer
    self.question = nil
    return answer(key == "y")
  end
  if key == "ctrl-c" or key == "ctrl-d" then
    self.over = true
  elseif key == "escape" and event.kind ~= "repeat" then
    if not self.session then return self:say "no stop was sent: there is no connection" end
    stop_all(self)
  elseif key == "ctrl-z" then
    self.stops = true
  elseif key == "space" then
    panic(self)
  elseif self.robot and key == "r" then
    reset(self)
  elseif self.session and key == "t" then
    take(self)
  elseif self.session and key == "g" then
    go_on(self)
  elseif key == "h" or key == "?" or key == "/" then
    self.help = not self.help
  end
end

-- ---- a gamepad ----

-- A report of the gamepad, or nil: it is gone.
local function take_pad(self, stick, pad)
  local shares, panicked, why = stick:take(pad and pad.axes or {}, pad and pad.buttons or {})
  local unknown = self.pilot:push(shares)
  if unknown and self.robot then
    self.pilot:push(nil)
    stick:bar()
    why = ("the robot has no %s"):format(unknown)
  end
  if why then self:say("the gamepad moves nothing: %s", why) end
  if pad then
    self.pad = ("gamepad %s: %s"):format(pad.name, stick.barred and "release " .. self.enable
      or not shares and ("hold %s to drive"):format(self.enable)
      or stick.waits and "let go of the stick" or "drives")
  end
  if panicked then panic(self) end
  self.screen:post { pad = true }
end

-- Passes reports on, until the gamepad is gone.
local function follow(self, stick, pad)
  local _ <close> = setmetatable({}, { __close = function() self.pilot:push(nil) end }) -- however it ends
  local ok, why
  repeat
    take_pad(self, stick, pad)
    ok, why = pad:wait()
  until not ok
  take_pad(self, stick)
  stick:bar()
  self.pad = why
  self:say("stopped: %s", why)
end

-- Drives by a gamepad, in parallel to the keys; one that was unplugged may be plugged in again.
local function use_pad(self, options)
  local mapping, message, code = sticks.mapping(options.mapping)
  if not mapping then return nil, message, code end
  local stick = sticks.new(mapping)
  local function open() return gamepad.open(options.gamepad, { dead = mapping.dead }) end
  local pad
  pad, message, code = open()
  if not pad then return nil, message, code end
  self.enable, message, code = stick:enable_of(pad)
  if not self.enable then
    pad:close()
    return nil, message, code
  end
  local t = beside("gamepad", function()
    while pad do
      local now <close> = pad
      follow(self, stick, now)
      pad = nil
      while not (pad or now.recording or self.over) do
        task.sleep(REPLUG)
        pad = open()
      end
    end
  end)
  table.insert(self.leaves, function() t:cancel() end)
  return true
end

-- Stops the driven axes: the ticket of that, if it could be sent.
local function halt(self)
  self.pilot:block "stopped"
  self.pilot.sent = {}
  return self.session and self.session:send { { op = "stop", scope = 1 } }
end

-- Stops the robot, and then the program.
local function pause(self)
  self.stops = false
  local ticket = halt(self)
  if ticket then self.session:result(ticket, STAND) end
  self.screen:pause()
end

-- ---- the robot ----

local NEWS <const> = {
  panicked = "PANIC: the robot takes no commands; r resets", reset = "the panic is over",
  deadman = "the robot stopped: it heard nothing from here", stopped = "another client stopped the robot",
  latched = "stopped by another client; g goes on",
  lost = "another client drives now", shutdown = "the server ends", removed = "the robot was removed",
}

-- Calls fn as the others of a list, until self is closed.
local function join(self, listeners, fn)
  table.insert(listeners, fn)
  table.insert(self.leaves, function()
    for i, one in ipairs(listeners) do
      if one == fn then return table.remove(listeners, i) end
    end
  end)
end

-- Listens to notices of the server and to changes of the link: nothing moves on by itself after one.
local function listen(self)
  local client, number = self.robot.client, self.session.number
  join(self, client.listeners, function(op, session, value)
    local words = session == number and retained.words(op, client.link:session(number))
    if words then self:say("%s", words) end
    if session ~= number or not NEWS[op] or op == "latched" and value == 0 then return end
    if op ~= "reset" then self.pilot:block(NEWS[op]) end
    self:say("%s", NEWS[op])
  end)
  join(self, client.link_listeners, function()
    local state, why = client.link:state()
    if state == "up" then
      if self.down then self:say "the link is back" end
      if self.panics then panic(self) end
    else
      self:say("the link is lost: %s", why or "no answer")
      self.pilot.sent = {} -- the robot stops by its deadman
    end
    self.down = state ~= "up"
    self.pilot:block "the link"
  end)
  self.session:on_asked(function(what) return asked(self, what) end)
end

-- The keys drive the robot as it is now.
local function fit(self)
  local body = self.robot:describe()
  self.joints = body.joints
  self.pilot:fit(pilots.parts(body, spec.commands))
end

-- Begins to drive a robot: true; or nil, message, code.
local function mount(self, robot)
  self.robot, self.connecting = robot, nil -- from here on a panic can be sent
  fit(self)
  if self.panics then panic(self) end
  local own = robot:describe().deadman
  local session, message, code = robot:session { deadman = own > 0 and math.min(own, DEADMAN) or DEADMAN,
    expiry = EXPIRY, newest = true }
  if not session then return nil, message, code end
  if self.over then -- the user did not wait
    session:close()
    return true
  end
  self.session = session
  listen(self)
  self.seen = seen.open(robot, session)
  return true
end

local function connect(self, where)
  local robot, message, code = require "robotalk.robot".try_connect(where, { role = "operate",
    name = require "robotalk.server.whoami" "drive" })
  local ok
  if robot then
    if self.over then return robot:close() end
    self.owned = robot
    ok, message, code = mount(self, robot)
  end
  if not ok then self.failed, self.over = { message, code }, true end
  task.wake(self.screen)
end

local function begin(self, robot)
  local ok, message, code = mount(self, robot)
  if not ok then self.failed, self.over = { message, code }, true end
  task.wake(self.screen)
end

-- The reason why the robot cannot be driven now; nil: it can.
local function trouble(self, now)
  local state = self.seen and self.seen.state
  if not state then return "connecting" end
  if self.down then return "the link is lost" end
  if self.panics or state.panic then return "panic" end
  local stopped = self.session:stopped()
  if stopped then return ("stopped by %s; g goes on"):format(stopped.by) end
  if now - self.seen.came > DEADMAN then return ("nothing was heard for %.1f s"):format(now - self.seen.came) end
end

local function turn(self)
  local now = core.now()
  if self.stops then return pause(self) end
  if self.panics and self.robot and not self.down then panic(self) end
  if self.robot and self.robot:describe().joints ~= self.joints then fit(self) end
  if self.session then send(self, self.pilot:step(now, trouble(self, now))) end
  if now >= self.next_picture then
    self.next_picture = now + FRAME
    local columns, rows = self.screen:size()
    self.screen:show(face(self, columns, rows, now))
  end
  local until_ = math.min(self.next_picture, self.pilot:due(now) or math.huge)
  local events = self.screen:next(until_)
  for _, event in ipairs(self.pilot:take(events, core.now())) do take_key(self, event) end
end

local NO_PARTS <const> = { dofs = {} }

local drive = {}

---Drives by keys until the user ends it: a robot, or one by its name or address. true; or nil, message, code. options:
---gamepad, the path of one or "auto", and mapping, a file. given: a screen in place of the terminal's.
function drive.run(where, options, given)
  if type(where) ~= "string" and not (type(where) == "table" and where.client and where.session) then
    mistake("drive: want a robot or an address, got %s", type(where))
  end
  local opened, message, code
  if not given then opened, message, code = screens.open() end
  local screen <close> = given or opened
  if not screen then return nil, message, code end
  local pilot = pilots.new(NO_PARTS, os.getenv "SSH_CONNECTION" ~= nil)
  local self <close> = setmetatable({ screen = screen, pilot = pilot, next_picture = 0, connecting = where,
    message = "", leaves = {} }, Drive)
  if options and options.gamepad then
    opened, message, code = use_pad(self, options)
    if not opened then return nil, message, code end
  end
  -- in parallel to the keys, which are read from now on
  beside("connect", function() (type(where) == "string" and connect or begin)(self, where) end)
  while not self.over do turn(self) end
  halt(self)
  screen:drain()
  if self.failed then return nil, self.failed[1], self.failed[2] end
  return true
end

function Drive:__close()
  self.over = true
  for _, leave in ipairs(self.leaves) do leave() end
  if self.seen then self.seen:close() end
  if self.session then self.session:close() end
  if self.owned then self.owned:close() end
end

return drive
