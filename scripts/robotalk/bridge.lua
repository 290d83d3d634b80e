-- The bridge of paper 003: the user's behaviours between a client of Gamebots and a robot (docs/bridge.md). The
-- server's thread receives the client's lines and carries out the wishes of the behaviours, by the client's own session
-- with the robot; here is the control pipeline, a loop at Player's rate at most: read the state, run the active
-- behaviours in their order, hand over. The end of an epoch (core/robotalk/bridge.h) ends all earlier commands: then
-- all behaviours are stopped, and wait for new lines.
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local log = require "robotalk.log"
local mistake = require "robotalk.mistakes.mistake"
local near = require "robotalk.mistakes.near"
local stock = require "robotalk.bridge.stock"
local task = require "robotalk.task"
local trace = require "robotalk.mistakes.trace"

local bridge = { quit = stock.quit, parse = stock.parse, drive = stock.drive, ptz = stock.ptz, images = stock.images }

local PERIOD <const> = 0.01 -- s of a cycle at least: Player's rate
local AGAIN <const> = 1 -- s until another failure is reported
local AXES <const> = { "x", "y", "z", "theta" }
local SERVOS <const> = { setpoint = true, speed = true, force = true }
local STOCK <const> = { [stock.quit] = true, [stock.parse] = true, [stock.drive] = true, [stock.ptz] = true }
-- these take no lines; the user's behaviours may
local DEAF <const> = { [stock.quit.step] = true, [stock.drive.step] = true, [stock.ptz.step] = true,
  [stock.Images.step] = true }

-- Each bridge's handle to the server's side; behaviours must not use it.
local port_of = setmetatable({}, { __mode = "k" })

local Bridge = {}
Bridge.__index = Bridge
Bridge.__name = "robotalk.Bridge"

local function stop(self, behaviour)
  if not behaviour.stop then return end
  local ok, why = pcall(behaviour.stop, behaviour, self)
  if ok then return end
  if task.is_cancelling(why) then error(why, 0) end
  log.say("error", "bridge: %s: stop: %s", behaviour.name, tostring(why))
end

-- Earlier commands are void: all behaviours stop, and their wishes are dropped.
local function forget(self)
  self.wish, self.sent = { dofs = {} }, { dofs = {} }
  for _, behaviour in ipairs(self.behaviours) do stop(self, behaviour) end
end

-- ---- for behaviours ----

---The behaviour of that name; nil: there is none.
function Bridge:find(name)
  for _, behaviour in ipairs(self.behaviours) do
    if behaviour.name == name then return behaviour end
  end
end

---The behaviour that handles messages of that type; nil: none does.
function Bridge:taker(type) return self.takers[type] end

---Calls the function that a behaviour has for a message.
function Bridge:deliver(taker, message)
  local whose = self.current
  self.current = taker -- to which an error belongs
  taker.messages[message.type](taker, self, message)
  self.current = whose
end

---The lines that are new in this cycle, one after the other.
function Bridge:lines() return function() return port_of[self]:line() end end

---The motions that a line commands: { stops =, velocity = { x, y, z, theta }, { dof, value, servo, camera }, … }, and
---the answer; nil: it moves nothing.
function Bridge:mean(line) return port_of[self]:mean(line) end

---Has the server answer a line that moves nothing.
function Bridge:pass(line) return port_of[self]:pass(self.view.user, line) end

---Sends lines to the client, each with or without its end.
function Bridge:say(text)
  if not text:find "\n$" then text = text .. "\r\n" end
  return port_of[self]:say(self.view.user, text)
end

---Sends RES: whether a message of that type was carried out, and otherwise why not.
function Bridge:answer(type, good, why)
  local reason = not good and why and (" {Reason %s}"):format(why:gsub("[{}\r\n]", "_"), nil) or ""
  local status = good and "OK" or "Failed"
  return self:say(("RES {Type %s} {Name %s} {Status %s}%s"):format(type, self.user or "", status, reason))
end

---Wishes a velocity of the base in this cycle: x, y, z, m/s, theta, rad/s; missing ones are 0. A later wish
---replaces it.
function Bridge:set_speed(velocity)
  if type(velocity) ~= "table" then mistake("set_speed: want a table, got %s", type(velocity)) end
  for name, value in pairs(velocity) do
    if name ~= "x" and name ~= "y" and name ~= "z" and name ~= "theta" then
      checked.refuse("a velocity", "axis", name, AXES)
    end
    if type(value) ~= "number" or value - value ~= 0 then mistake("set_speed: %s: want a finite number", name) end
  end
  self.wish.velocity = { x = velocity.x or 0, y = velocity.y or 0, z = velocity.z or 0, theta = velocity.theta or 0 }
end

-- The error in the wish for a dof; nil: none.
local function wrong_goal(self, goal)
  if type(goal) ~= "table" then return ("want a table, got %s"):format(type(goal)) end
  local dof, value, dofs = goal.dof, goal.value, self.robot:describe().dofs
  if math.type(dof) ~= "integer" or dof < 1 or dof > dofs then
    return ("dof: want 1 to %d, got %s"):format(dofs, tostring(dof))
  end
  if type(value) ~= "number" or value - value ~= 0 then return "value: want a finite number" end
  if not SERVOS[goal.servo] then
    return ("servo: want setpoint, speed or force, got %s"):format(tostring(goal.servo))
  end
end

---The same of a dof: { dof = its number from 1, value, servo = "setpoint", "speed" or "force" }.
function Bridge:set_dof(goal)
  local wrong = wrong_goal(self, goal)
  if wrong then mistake("set_dof: %s", wrong) end
  self.wish.dofs[goal.dof] = goal
end

local function set(self, what, servo, name, values)
  local joints = self.robot:describe().joints
  local joint = joints[name] or checked.refuse(self.robot:describe().name, "joint", name, checked.names(joints))
  if type(values) == "number" then values = { [joint.names[1]] = values } end
  if type(values) ~= "table" then mistake("%s: want a table of dofs, got %s", what, type(values)) end
  for dof, value in pairs(values) do
    local place = joint.index[dof] or checked.refuse(name, "dof", dof, joint.names)
    if type(value) ~= "number" or value - value ~= 0 then mistake("%s: %s: want a finite number", what, dof) end
    self:set_dof { dof = joint.first + place + 1, value = value, servo = servo }
  end
end

---Positions of dofs of a joint, by their names; a number for a joint's first.
function Bridge:set_joint(joint, values) set(self, "set_joint", "setpoint", joint, values) end

---Speeds of them.
function Bridge:set_joint_speed(joint, values) set(self, "set_joint_speed", "speed", joint, values) end

---Stops all motions, and drops the wishes of this cycle.
function Bridge:stop() self.wish = { stops = true, dofs = {} } end

---Ends the client's connection; the robot stops.
function Bridge:quit()
  forget(self)
  port_of[self]:quit(self.view.user)
end

-- ---- the loop ----

-- A behaviour has failed: nothing of this cycle moves the robot, which stops. The same failure is reported once, and
-- others once a second at most, since a message with a number in it differs in each cycle.
local function fail(self, behaviour, why)
  forget(self)
  if self.failed == why then return end
  self.failed = why
  if self.told and core.now() < self.told + AGAIN then return port_of[self]:fail(self.view.user, "") end
  self.told = core.now()
  local first = why:match("^[^\n]*"):gsub("^.*/([^/]-:%d+: )", "%1") -- without folders, which do not concern the client
  log.say("error", "bridge: %s: %s", behaviour.name, why)
  port_of[self]:fail(self.view.user, ("%s: %s"):format(behaviour.name, first))
end

-- The error in the wishes, which behaviours can write to; nil: none.
local function wrong_wish(self)
  local wish = self.wish
  if type(wish) ~= "table" or type(wish.dofs) ~= "table" then
    return "want what set_speed, set_dof and stop make of it"
  end
  if wish.velocity ~= nil and type(wish.velocity) ~= "table" then return "velocity: want a table, or nil" end
  for _, axis in ipairs(wish.velocity and AXES or {}) do
    local value = wish.velocity[axis]
    if type(value) ~= "number" or value - value ~= 0 then return ("velocity.%s: want a finite number"):format(axis) end
  end
  for dof, goal in pairs(wish.dofs) do
    local wrong = wrong_goal(self, goal) or goal.dof ~= dof and "dof: want its number"
    if wrong then return ("dofs[%s]: %s"):format(tostring(dof), wrong) end
  end
end

local function traced(message) return type(message) == "string" and trace(debug.traceback(message, 2)) or message end

-- Runs the active behaviours, in their order. false: one has failed.
local function run(self, now)
  for _, behaviour in ipairs(self.behaviours) do
    local user = self.view.user
    if behaviour.active and behaviour.step then
      self.current = behaviour
      local ok, why = xpcall(behaviour.step, traced, behaviour, self, now)
      if not ok and task.is_cancelling(why) then error(why, 0) end
      local wrong = ok and wrong_wish(self)
      if wrong then ok, why = false, "bridge.wish: " .. wrong end
      if not ok then return fail(self, self.current, task.text_of(why)) end
    end
    if user ~= self.view.user then return false end
  end
  return true
end

local function same(a, b)
  for _, axis in ipairs(AXES) do if not b or a[axis] ~= b[axis] then return false end end
  return true
end

-- The new wishes of this cycle: within an epoch, wishes that were handed over stay in force.
local function news(wish, sent)
  local list = { stops = wish.stops }
  local any = wish.stops
  if wish.stops then sent.velocity, sent.dofs = nil, {} end
  if wish.velocity and not same(wish.velocity, sent.velocity) then
    list.velocity, sent.velocity, any = wish.velocity, wish.velocity, true
  end
  for dof, goal in pairs(wish.dofs) do
    local before = sent.dofs[dof]
    if not before or before.value ~= goal.value or before.servo ~= goal.servo then
      list[#list + 1], sent.dofs[dof], any = goal, goal, true
    end
  end
  return any and list
end

-- Reads the robot's state: whether it exists. A removed robot may have been added again.
local function see(self)
  local state = self.robot:state()
  if not state then
    local robot = require "robotalk".try_connect("local:" .. self.robot_name)
    if not robot then return false end
    self.robot:close()
    self.robot, state = robot, robot:state()
  end
  self.state = state
  return state ~= nil
end

-- One cycle: true while a client is connected; nil, message, code when the bridge is closed.
local function cycle(self)
  local view, why, code = port_of[self]:look()
  if not view then return nil, why, code end
  local before = self.view
  self.view, self.panic = view, view.panic
  self.user = view.user ~= 0 and view.name or nil
  if not before or before.epoch ~= view.epoch then forget(self) end
  if not before or before.user ~= view.user then self.failed, self.told = nil, nil end
  if not self.user then return false end
  if not see(self) then return true end
  self.wish = { dofs = {} }
  if not run(self, core.now()) then return true end
  self.failed = nil
  local list = news(self.wish, self.sent)
  if list then port_of[self]:hand_over(view.epoch, list) end
  return true
end

---Runs it until the task is cancelled or the script is to end: nil, message, code. The robot is of this process.
function Bridge:run()
  local rt = require "robotalk"
  self.robot = rt.connect("local:" .. (self.name or core.robots()[1] or ""))
  local _ <close> = setmetatable({}, { __close = function() self.robot:close() end })
  self.robot_name = self.robot:describe().name
  local port <close>, handle, code = core.bridge(self.robot_name)
  if not port then error(("bridge: %s (%s)"):format(handle, code), 0) end
  local _ <close> = setmetatable({}, { __close = function()
    self.view, self.user = nil, nil
    forget(self)
  end })
  port_of[self] = port
  while true do
    local begin = core.now()
    local busy, why, closed = cycle(self)
    if busy == nil then return nil, why, closed end
    if busy then
      task.sleep(math.max(0, begin + PERIOD - core.now()))
    else
      task.wait("bridge" .. handle)
    end
  end
end

task.handle("bridge", function(handle) task.wake("bridge" .. handle) end)

-- ---- making one ----

local OPTIONS <const> = { behaviours = true, robot = checked.text }

local function check_behaviour(i, one)
  local what = ("bridge.new: behaviours[%d]"):format(i)
  if one == stock.images then mistake("%s: want bridge.images {}, got bridge.images", what) end
  if type(one) ~= "table" then mistake("%s: want a table, got %s", what, type(one)) end
  checked.value(one.name, checked.text, what, "name")
  what = ("%s (%s)"):format(what, one.name)
  if one.step == nil and next(one.messages or {}) == nil then
    local meant = near("step", checked.names(one))
    mistake("%s: want a function step, or messages%s", what, meant and (", got '%s'"):format(meant) or "")
  end
  if one.step ~= nil then checked.value(one.step, checked.fn, what, "step") end
  if one.stop ~= nil then checked.value(one.stop, checked.fn, what, "stop") end
  for type_, fn in pairs(one.messages or {}) do
    checked.value(fn, checked.fn, what, "messages." .. tostring(type_))
    if type_ ~= tostring(type_):upper() then mistake("%s: messages.%s: want a type in upper case", what, type_) end
  end
end

---A bridge with those behaviours, which run in their order; quit comes first. robot: its name; default: the first.
function bridge.new(options)
  options = checked.options(options, OPTIONS, "bridge.new")
  local given = options.behaviours
  if type(given) ~= "table" then mistake("bridge.new: behaviours: want a list, got %s", type(given)) end
  local self = setmetatable({ behaviours = {}, takers = {}, name = options.robot, wish = { dofs = {} },
    sent = { dofs = {} } }, Bridge)
  local hears = false
  for i, one in ipairs(given) do
    check_behaviour(i, one)
    hears = hears or one.step and not DEAF[one.step]
    if one == stock.quit and i ~= 1 then mistake "bridge.new: quit comes first: no behaviour acts before it" end
    if self:find(one.name) then mistake("bridge.new: there are two behaviours '%s'", one.name) end
    if STOCK[one] then one = setmetatable({}, { __index = one }) end -- each bridge has its own
    self.behaviours[i] = one
    if one.begin then one:begin() end
    for type_ in pairs(one.messages or {}) do
      local other = self.takers[type_]
      if other then mistake("bridge.new: two behaviours take %s: %s and %s", type_, other.name, one.name) end
      self.takers[type_] = one
    end
  end
  if not hears then mistake "bridge.new: behaviours: none takes the client's lines: want bridge.parse, as a rule" end
  return self
end

---Whether a value is a bridge: the result of a server's script.
function bridge.is(value) return getmetatable(value) == Bridge end

colon.methods(Bridge, "bridge")

bridge.Bridge = Bridge
return bridge
