-- A session with a robot in one command mode: commands by name, frames, the state. In a blocking mode (direct) a
-- command waits and returns its result; in the others it returns a ticket at once.
local broadcast = require "robotalk.session.broadcast"
local checked = require "robotalk.mistakes.checked"
local clipped = require "robotalk.session.clipped"
local colon = require "robotalk.mistakes.colon"
local cmds = require "robotalk.session.commands"
local core = require "robotalk.core"
local far = require "robotalk.robot.far"
local frames = require "robotalk.session.frame"
local latch = require "robotalk.session.latch"
local lease = require "robotalk.session.lease"
local mistake = require "robotalk.mistakes.mistake"
local modes = require "robotalk.modes"
local movers = require "robotalk.session.movers"
local must = require "robotalk.session.must"
local paced = require "robotalk.task.paced"
local good = require "robotalk.session.signals".good
local parts_of = require "robotalk.session.parts"
local Result = require "robotalk.session.result"
local retained = require "robotalk.session.retained"
local states = require "robotalk.session.state"
local task = require "robotalk.task"

local Session = {}
Session.__index = Session
Session.__name = "robotalk.Session"

local spec = core.spec()
local is_ending, now, setmetatable = task.is_ending, core.now, setmetatable
local RESET = 5 -- seconds that a reset waits for
local OPERATE = 3 -- the role that may reset
local MOST = 300 -- commands in a package
local KEPT <const> = 8192 -- newest commands whose values are kept: as many as may wait
local PERIOD, BEATS = { 0.001, 3600 }, 8 -- s; of a session's broadcasts, and their greatest number
local AT_LIMIT <const> = 2e-3 -- rad, or m, from a limit: a control frame's dofs stop just before the limit
local TRAINS = 4 -- seconds for measuring the delays of the link of a sequence

-- Signals in capitals, and reasons as text, by their names.
local SIGNALS, WHY = {}, {}
for signal in pairs(spec.signals) do SIGNALS[signal] = signal:upper() end
for reason, why in pairs(spec.reasons) do WHY[reason] = why ~= "" and why or nil end

-- The holder of the lease for which a command was refused: its name and its number. nil: not known yet, for a
-- command that was INTERRUPTED before the notice of the holder.
local function holder_of(self, result)
  local there = far.of(self.client)
  if there and there:holder() then return (there:holder()) end
  local known = self.client.link:session(self.number)
  if not known then return "a client" end
  if result.signal ~= "BUSY" and known.holder == 0 and known.holder_name == "" then return nil end
  return lease.name(known.holder, known.holder_name)
end

-- A result for a script: the signal in capitals, then why as text, then the whole result.
local function word(self, result, message, code)
  if not result then return nil, message, code end
  if result.parts then frames.name(self.body, result) end
  local reason = result.reason
  local signal, why = SIGNALS[result.signal] or result.signal:upper(), WHY[reason]
  result.signal = signal
  if reason == "stopped" then result.by = latch.note(self) end
  if signal == "MODIFIED" and not why and result.off then
    why = "it has come to rest beside its goal" -- by no limit: a weight or an obstacle holds it off
  end
  if why then
    if result.reason == "lease" then
      result.holder = holder_of(self, result)
      why = result.holder and ("%s: %s"):format(why, result.holder) or why
    elseif result.by then
      why = "stopped by " .. result.by
    end
    local text = retained.text(reason, self.client.link, self.number) or ""
    if reason == "blocked" then
      local moves = spec.commands[result.op].moves
      if moves ~= "root" and result.op ~= "move" then text = "" end -- an obstacle is the base's
      result.obstacle = text:match ".+"
    end
    if text ~= "" then why = ("%s: %s"):format(why, text) end
    result.why = why
  end
  if result.reason == "superseded" then result.superseded = true end
  return signal, why, setmetatable(result, Result)
end

local function closed() return nil, "the session is closed", "ECLOSED" end

-- Keeps commands until their results arrive, which then report how far they were beyond the limits.
local function keep(self, first, commands)
  local given = self.given
  for i = 1, #commands do
    given[first + i - 1] = commands[i]
    given[first + i - 1 - KEPT] = nil
  end
end

-- Adds to a result the values of the command that were beyond the limits, and their parts.
local function note_clipped(self, cmd, result)
  local limited = result.clipped or result.reason == "limit" or result.reason == "holonomic"
  if not cmd or not limited and (result.signal ~= "NA" or cmd.op ~= "move") then return end
  if result.signal == "NA" then
    local _, names = clipped(self.body, cmd)
    result.left_out = result.left_out or names -- all of it
  elseif result.signal == "MODIFIED" then
    local beyond, names = clipped(self.body, cmd)
    result.beyond, result.clipped = beyond, result.clipped or names
  end
end

-- The dofs that stopped a control frame: those that move it and are at a limit of theirs, in the form of clipped,
-- except for the values that they would have needed.
local function note_limits(self, cmd, result)
  if cmd.op ~= "set_frame" or result.reason ~= "limit" or not result.beyond or result.beyond[1] then return end
  local state = task.can_wait() and self:state()
  if not state then return end
  local moves = {}
  for _, dof in ipairs(frames.dofs_of(self.body, cmds.find_frame(self, result.clipped[1]))) do moves[dof] = true end
  for name, joint in pairs(self.body.joints) do
    for k = 1, joint.dofs do
      local limits, at = self.body.limits.dof[joint.first + k], state.position[joint.first + k]
      local limit = at >= limits.high - AT_LIMIT and limits.high or at <= limits.low + AT_LIMIT and limits.low
      if name == joint.name and moves[joint.first + k - 1] and limits.low <= limits.high and limit then
        result.beyond[#result.beyond + 1] = { part = name, what = joint.names[k], limit = limit }
      end
    end
  end
  table.sort(result.beyond, function(a, b) return a.part < b.part or a.part == b.part and a.what < b.what end)
end

-- After a lost link: whether the numbers in commands still mean what they did, as soon as that is known.
local function is_same(self)
  local unverified = self.body.unverified
  while self.body.unverified == unverified and not (unverified.failed or self.closed) and task.can_wait()
    and self.client.link:state() == "up" do
    task.wait(self.client, 1)
  end
  return unverified.same
end

local function is_stop(commands) return #commands == 1 and commands[1].op == "stop" end

-- The id of the first and the task that runs, if one does; or nil, message, code.
local function submit(self, commands)
  if self.closed then return closed() end
  local body = self.body
  if body.unverified and not is_stop(commands) and not is_same(self) then
    return nil, "the link was lost, and the robot's description may have changed: send the command again", "ELINK"
  end
  local first, message, code = self.client.link:send(self.number, commands, body.revision & 255)
  if not first then return nil, message, code end
  local t = movers.note(self, commands)
  if not self.blocking or #commands > 1 then keep(self, first, commands) end
  return first, t
end

---Sends commands as one package, at most MOST; ids, or nil, message, code.
function Session:send(commands)
  local n = type(commands) == "table" and #commands or 0
  for i = 1, n do n = type(commands[i]) == "table" and n or 0 end
  if n < 1 or n > MOST then mistake("send: want a list of 1 to %d commands", MOST) end
  local first, message, code = submit(self, commands)
  if not first then return nil, message, code end
  return first
end

-- Waits for the result of a ticket. When the link goes down before that arrives, it is unknown what the robot did: that
-- is nil, message, ELINK (ETOKEN when the server does not accept this client any more), and no result.
local function await(self, id, timeout, ticket, brief)
  local result, message, code = self.client:await(id, timeout, self, ticket, brief)
  if result and result.reason == "link" and not result.executed then
    local state, why, lost = self.client.link:state()
    if state ~= "up" then return nil, why or "the link was lost before the answer came", lost or "ELINK" end
  end
  return word(self, result, message, code)
end

-- Sends one command. Returns its result when the mode blocks, otherwise its ticket; also the ticket in a task that is
-- ending: a <close> of that may stop a robot, but not wait. Fields that each command reads or sets are false rather
-- than nil, for which Lua would ask the metatables, too.
local function command(self, cmd)
  local begun = now()
  -- a mode that holds takes 0 for an instant, too
  if self.info.holds ~= 0 and cmd.op ~= "stop" then cmd.start = cmd.start or begun end
  local id, t, code = submit(self, { cmd })
  if not id then
    if self.blocking then return paced(cmd.op, begun, nil, t, code) end
    return nil, t, code
  end
  if not self.blocking or is_ending() then return id end
  if t then t.awaits, t.ticket = self, id end -- its cancel takes the command back
  local signal, why, result = await(self, id)
  t.awaits = false
  if result and result.reason ~= "none" then
    note_clipped(self, cmd, result)
    note_limits(self, cmd, result)
  end
  if self.moves == t then self.moves = false end
  if good[signal] then return signal, why, result end
  if signal == "BUSY" and result.reason == "lease" then movers.note_refused(self, cmd, t) end
  return paced(cmd.op, begun, signal, why, result)
end

-- The result of a ticket; brief: of a frame's parts only those that were left out or clipped.
local function result_of(self, ticket, timeout, brief)
  local signal, why, result = await(self, ticket, timeout, true, brief)
  if signal then
    note_clipped(self, self.given[ticket], result)
    self.given[ticket] = nil
  end
  return signal, why, result
end

---Waits for the result of a ticket: signal, why, result; or nil, message, code when it does not come in time.
function Session:result(ticket, timeout)
  if math.type(ticket) ~= "integer" or ticket < 1 or ticket >= 1 << 32 then
    mistake("result: want a ticket, got %s", math.type(ticket) and ("%.14g"):format(ticket) or type(ticket))
  end
  if timeout ~= nil then checked.value(timeout, checked.timeout, "result", "timeout") end
  return result_of(self, ticket, timeout)
end

-- Sends a query and waits for its answer; names: of a state.
local function query(self, op, fields, timeout, names)
  if self.closed then return closed() end
  local answer, message, code = self.client:query(self, op, fields, timeout, names)
  if answer then return answer end -- only this: a prompt shows all returned values
  return nil, message, code
end

local planar = { x = true, y = true, theta = true, start = true }
local bound = { speed = true, acceleration = true }

-- Drives to one place after another, until one is not reached. All places are checked before the first one.
local function go_along(self, places)
  if not self.blocking then
    mistake "go_to: a list of places is for a session that waits for each of them, not for begin (a task can do it)"
  end
  local goals, signal, why, result = {}, nil, nil, nil
  for key, goal in pairs(places) do
    if math.type(key) == "integer" then
      cmds.check_place(goal, ("go_to[%d]"):format(key), true)
      goals[key] = { speed = places.speed, acceleration = places.acceleration }
      for name, value in pairs(goal) do goals[key][name] = value end
    elseif bound[key] then
      cmds.check_number(goal, "go_to", key)
    else
      mistake("go_to: '%s': beside a list of places only speed and acceleration may stand, for all of them",
        tostring(key))
    end
  end
  for _, goal in ipairs(goals) do
    signal, why, result = self:go_to(goal)
    if signal ~= "SUCCESS" and not (signal == "MODIFIED" and result.reason == "limit") then break end
  end
  return signal, why, result
end

---Drives or walks to a place on the floor of the world: x, y in metres, 0 if only the other one is given; theta in
---radians, without it as it arrives; start: when (0: now). speed, acceleration: the greatest on the way, m/s and m/s2;
---turning is limited by the same fraction. Or to a list of places, one after the other, with a stop at each; speed
---and acceleration beside the list are those of places without their own.
function Session:go_to(goal)
  if type(goal) == "table" and type(goal[1]) == "table" then return go_along(self, goal) end
  cmds.check_place(goal, "go_to", true)
  return command(self, { op = "go_to", x = goal.x, y = goal.y, theta = goal.theta or false, start = goal.start,
    speed = goal.speed, acceleration = goal.acceleration })
end

---Velocity of the base in its own frame until changed: x ahead and y left in m/s, theta in rad/s.
function Session:set_speed(speed)
  cmds.check_fields(speed, planar, "set_speed")
  return command(self, { op = "set_speed", x = speed.x, y = speed.y, theta = speed.theta, start = speed.start })
end

-- The field `start` of a table that may be left out.
local function start_of(fields, what)
  if fields == nil then return nil end
  if type(fields) ~= "table" then mistake("%s: want a table, got %s", what, type(fields)) end
  return fields.start
end

-- The dofs of a joint or a control frame by its name.
local function named_dofs(self, name)
  local joint, frame = self.body.joints[name], self.body.frames[name]
  if frame and not joint then return frames.dofs_of(self.body, frame) end
  joint = cmds.find_joint(self, name, { "base", "own", "start" })
  local dofs = {}
  for k = 0, joint.dofs - 1 do dofs[k + 1] = joint.first + k end
  return dofs
end

-- The axes that a table names, or a text, as of a stop; none: { }. others: further fields that it may have.
local function named_axes(self, what, op, others)
  if type(what) == "string" then what = { [what] = true } end
  if what ~= nil and type(what) ~= "table" then mistake("%s: want a table, got %s", op, type(what)) end
  local dofs, any = {}, false
  for name, wanted in pairs(what or {}) do
    if name ~= "start" and wanted ~= true then
      mistake("%s: %s: want true, got %s", op, tostring(name), tostring(wanted))
    end
    if not (others and others[name]) then
      any = true
      if name ~= "base" then
        local more = named_dofs(self, name)
        table.move(more, 1, #more, #dofs + 1, dofs)
      end
    end
  end
  if not any then return {} end
  local part = movers.stop_of(what.base, dofs)
  if part.base == 0 and part.bytes == 0 then mistake("%s: what it names has no dofs", op) end
  return part
end

---Stops all motions of all clients; or the named parts: stop("head"), stop { base = true, head = true }, joints and
---control frames. own = true: only the motions and the queued or held commands of this session. start: when (now).
function Session:stop(what)
  if type(what) == "string" then what = { [what] = true } end
  local cmd = { op = "stop", start = start_of(what, "stop") }
  local part = named_axes(self, what, "stop", { start = true, own = true })
  cmd.scope, cmd.base, cmd.bytes, cmd.mask = what and what.own and 1 or nil, part.base, part.bytes, part.mask
  if not cmd.start then self.stops = (self.stops or 0) + 1 end -- senders of several commands check it
  return command(self, cmd)
end

---Every joint to its rest position; speed, acceleration: the greatest of each dof.
function Session:home(bounds)
  bounds = bounds == nil and {} or bounds
  cmds.check_fields(bounds, { start = true, speed = true, acceleration = true }, "home")
  return command(self, { op = "home", start = bounds.start, speed = bounds.speed,
    acceleration = bounds.acceleration })
end

---Moves a control frame to a pose in the root link's frame, straight: position { x, y, z } in m, attitude { roll,
---pitch, yaw } in rad; default: unchanged, if six dofs or more move it; false: any. straight = true: it ends on its
---line rather than leave it to get closer. speed, acceleration: the greatest on the line, m/s and m/s2; it turns
---slower by the same ratio.
function Session:set_frame(frame, pose)
  local cmd, message, code = cmds.pose_command(self, frame, pose)
  if not cmd then return nil, message, code end
  return command(self, cmd)
end

-- All other commands, as in their rows: to a joint with values by names of its dofs, to a control frame with lists of
-- three numbers, default 0; the rest, such as step, with their fields by name.
for op, kind in pairs(spec.commands) do
  if kind.moves == "joint" then
    Session[op] = function(self, joint, values) return command(self, cmds.servo(self, op, joint, values)) end
  elseif kind.moves == "frame" and not Session[op] then
    Session[op] = function(self, frame, values) return command(self, cmds.frame_command(self, op, frame, values)) end
  elseif not Session[op] and not kind.parts then
    local allowed = { start = true }
    for _, field in ipairs(kind.fields) do allowed[field.name] = true end
    Session[op] = function(self, fields)
      cmds.check_fields(fields, allowed, op)
      local cmd = { op = op }
      for name, value in pairs(fields) do cmd[name] = value end
      return command(self, cmd)
    end
  end
end

---Moves the base, joints and control frames together: parts as of a frame of a sequence, and start, when. It begins
---as a whole or not at all, except for parts that the body lacks, and has one result: MODIFIED where parts were left
---out or clipped.
function Session:move(parts)
  local others, start = {}, nil
  if type(parts) ~= "table" then mistake("move: want a table of parts, got %s", type(parts)) end
  for name, values in pairs(parts) do if name ~= "start" then others[name] = values end end
  if parts.start ~= nil then start = cmds.check_number(parts.start, "move.start") end
  local commands = parts_of(self, others, start)
  if #commands == 0 then mistake "move: want at least one part" end
  for i = 1, #commands - 1 do
    if commands[i].op ~= "stop" then
      mistake("move: a %s with a speed or an acceleration is no part of a move", commands[i].op)
    end
  end
  for i = 1, #commands - 1 do command(self, commands[i]) end
  return command(self, commands[#commands])
end

require "robotalk.session.motion".add_begin(Session, spec.commands)
lease.add(Session, query, named_axes)
latch.add(Session, query)
require "robotalk.session.tape"(Session, { parts_of = parts_of, result_of = result_of, query = query,
  check_number = cmds.check_number, note_mover = movers.note, note_end = movers.note_end })

---The session's queues, and counts of its commands; stopped: as of stopped().
function Session:status()
  local status, message, code = query(self, "status")
  if not status then return nil, message, code end
  status.stopped = self:stopped()
  return status
end

---Cancels a command, by its ticket or its motion, which brakes if it is in progress; or all that have not begun: their
---number.
function Session:cancel(ticket)
  if type(ticket) == "table" then ticket = ticket.ticket end
  local answer, message, code = query(self, "cancel", { command = ticket or 0 })
  if not answer then return nil, message, code end
  return answer.count
end

---The fraction of their speeds for all motions of the robot, of all clients: 0, or 0.001 to 1. Motions
---slow down or gain speed within their limits and stay on their paths; the clocks of sequences slow down, too. 0 is a
---feed hold: motions continue with the next fraction. It stays until it is changed or the server ends.
function Session:override(share)
  cmds.check_number(share, "override")
  if share ~= 0 and (share < 0.001 or share > 1) then mistake("override: want 0, or 0.001 to 1, got %g", share) end
  local answer, message, code = query(self, "override", { share = share })
  if not answer then return nil, message, code end
  if share ~= 1 and far.of(self.client) then
    return nil, "the robot elsewhere cannot be slowed down: it stops, and takes no motions before override(1)", "NA"
  end
  return true
end

---The robot's present state, as in spec/api.lua: x, y, theta in m and rad, joints.head.pan, battery, moving, panic,
---time and more; or nil, message, code. options: forces = true: forces.head.pan, N or N*m, where they are known;
---frames = true: frames.hand, position and attitude as of set_frame; goals = true: goals.head.pan, the goal in force.
function Session:state(options)
  local more = options ~= nil and states.more_of(options, "state") or nil
  return query(self, "state", more and { more = more }, nil, states.names_of(self.body))
end

require "robotalk.session.sensing"(Session, query)
require "robotalk.pictures".add(Session)

---Calls fn with the state every period seconds, until the handle's cancel. It continues after a lost link.
---options: as of state.
function Session:broadcast(period, fn, options)
  cmds.check_number(period, "broadcast: period")
  if period < PERIOD[1] or period > PERIOD[2] then
    mistake("broadcast: period: want seconds, %g to %g, got %g", PERIOD[1], PERIOD[2], period)
  end
  if type(fn) ~= "function" then mistake("broadcast: want a function, got %s", type(fn)) end
  local more = options ~= nil and states.more_of(options, "broadcast") or nil
  if self.closed then return closed() end
  if #self.beats >= BEATS then return nil, ("a session has at most %d broadcasts"):format(BEATS), "ELIMIT" end
  return broadcast.open(self, period, fn, more)
end

---Stops the robot at once, empties all its queues, and latches. All clients may, also by a closed session, while its
---connection has another one. A robot that represents a remote one is in panic when this returns: the panic is sent
---also when the script ends just after it.
function Session:panic()
  if far.of(self.client) and pcall(core.robot_panic, self.client.here, true) then return true end
  local number = self.closed and next(self.client.sessions) or self.number
  return self.client.link:flag(number, "panic")
end

---Ends a panic, and waits until it has ended, also that of a remote robot that this one represents: true; or nil,
---message, code. No command from before it is ever run. Where it cannot wait, in a task that is ending or outside of
---tasks, it returns when the message is sent.
function Session:reset()
  if self.closed then return closed() end
  local link, there = self.client.link, far.of(self.client)
  if not task.can_wait() then return link:flag(self.number, "reset") end
  local until_, sent, before = core.now() + RESET, nil, there and there:resets()
  while true do
    local state, message, code = query(self, "state", nil, until_ - core.now())
    local known = link:session(self.number) or {}
    if code == "ERANGE" then -- a reading that the wire cannot carry: earlier answers have the epoch and the panic
      state = { epoch = known.epoch, panic = known.panic and 1 or 0 }
    end
    if not state then return nil, message, code end
    -- commands are answered PANIC until this session has the robot's notice
    if known.epoch == state.epoch and known.panic == (state.panic ~= 0) then
      if not known.panic and sent and there then return there:await_reset(before, until_) end
      if not known.panic then return true end
      if sent and sent ~= state.epoch then return nil, "there was another panic meanwhile", "EPANIC" end
      if known.role < OPERATE then return nil, "the role of this connection does not allow a reset", "EROLE" end
      if not sent then link:flag(self.number, "reset") end
      sent = state.epoch
    end
    if core.now() >= until_ then return nil, "no answer in time", "ETIMEOUT" end
    task.wait(self.client, math.min(0.1, until_ - core.now()))
  end
end

---Ends the session: its queued commands are dropped, its motions stop. Tasks that wait for its answers get them,
---or nil, message, ECLOSED.
function Session:close() self.client:end_session(self) end
Session.__close = Session.close
function Session:__tostring() return ("%s in %s mode"):format(self.body.name, self.mode) end

colon.methods(Session, "robot")

---Makes a session object of an opened session. fields: of the object.
local function make(class, client, number, info, body, mode, fields)
  local session = setmetatable({ client = client, number = number, body = body, mode = mode,
    blocking = info.blocking ~= 0, closed = false, whole = false, info = info, opening = info.opening, pending = {},
    tickets = {}, beats = {}, limbs = {}, given = {}, errors = info.errors ~= 0 and {} or nil }, class)
  for name, value in pairs(fields or {}) do session[name] = value end
  session.must = must(session)
  client.sessions[number] = session
  return session
end

-- The options of a session: those that the server gets by name; local ones; and those that it gets as text, for
-- the mode.
local REQUEST = { mode = true, delay = true, duration = true, deadman = true, gap = true, expiry = true,
  timeout = true, errors = true, newest = true }
local OWN = { at = true, probe = true }
local OPTIONS = { spacing = true }
for _, set in ipairs { REQUEST, OWN } do for name in pairs(set) do OPTIONS[name] = true end end

---Opens a session on a client. body: the robot's joints, as far as known.
local function open(client, body, options)
  local mode = options.mode or "direct"
  local request, extra = { robot = body.name, mode = mode }, {}
  if modes.comes_along(mode) then checked.options(options, OPTIONS, "session") end -- a user's own knows its options
  if options.at then cmds.check_number(options.at, "session: at") end
  if options.timeout ~= nil then checked.value(options.timeout, checked.timeout, "session", "timeout") end
  for name, value in pairs(options) do
    if REQUEST[name] then
      request[name] = value
    elseif not OWN[name] then
      extra[#extra + 1] = ("%s=%s"):format(name, tostring(value))
    end
  end
  table.sort(extra)
  if #extra > 0 then request.options = table.concat(extra, ",") end
  -- the gap of evenly spaced frames is their spacing
  if tonumber(options.spacing) and not options.gap then request.gap = tonumber(options.spacing) end
  if mode == "playback" then client:probe(20, options.probe or 1) end
  local number, info, code = client:open(request)
  if not number then return nil, info, code end
  if info.holds ~= 0 then client:train(options.probe or TRAINS) end
  return make(Session, client, number, info, body, mode, { epoch = options.at })
end

return { open = open, make = make, query = query, Session = Session }
