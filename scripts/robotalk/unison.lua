-- One instant on several robots, of any servers: sequences in playback mode that begin together, or not at all.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local session = require "robotalk.session"
local task = require "robotalk.task"
local together = require "robotalk.task.together"

local WITHIN <const>, LEAD <const> = 0.01, 2 -- s
local DRIFT <const> = 200e-6 -- s a second: that of two clocks at most, as core/net/clock_sync.c has it
local LOOK <const> = 0.02 -- s between two looks at the robots
local BEGUN <const> = 5 -- s after the instant for the answers that all have begun
local CODES <const> = { PANIC = "EPANIC", BUSY = "ELEASE" } -- of a frame's signal

local Unison = {}
Unison.__index = Unison

---Ends the sessions: frames that wait are dropped, robots that move brake.
function Unison:close()
  for _, one in pairs(self.sessions) do one:close() end
end
Unison.__close = Unison.close

-- Calls fn(i) for each robot, all at the same time: true; or nil, message with the robot's name, and code.
local function each(self, fn)
  local tasks, wrong = {}, nil
  for i, robot in ipairs(self.robots) do
    tasks[i] = function()
      local good, message, code = fn(i)
      if not good and not wrong then wrong = { ("%s: %s"):format(robot.body.name, message), code } end
    end
  end
  local good, message, code = together.all(tasks)
  if good and wrong then return nil, table.unpack(wrong) end
  return good, message, code
end

-- The offset of a robot's clock, and how far its first frame may begin beside the instant by that: the offset's
-- uncertainty, and the drift until then.
local function clock_of(self, i)
  local clock = self.robots[i]:clock()
  if not clock then return nil, "the connection is closed", "ECLOSED" end
  return clock.offset, clock.uncertainty + DRIFT * math.max(0, self.at - core.now())
end

-- Why a robot has refused a frame: nil, message, code.
local function refusal(one)
  for _, ticket in ipairs(one.tickets) do
    local signal, why, result = one:result(ticket, 0)
    if signal and not result.executed then
      local code = CODES[signal] or result.reason == "stopped" and "ESTOPPED" or "ECLOSED"
      return nil, ("%s%s"):format(signal, why and ", " .. why or ""), code
    end
  end
  return nil, "it has refused a frame", "ECLOSED"
end

-- The server's counters of a robot's session; nil, message, code when it has refused a frame.
local function status_of(one, timeout)
  local status, message, code = session.query(one, "status", nil, timeout)
  if status and status.refused > 0 then return refusal(one) end
  return status, message, code
end

-- The newest notices and clock of a robot, without a query: true when it may begin; or nil, message, code.
local function look(self, i)
  local one, link = self.sessions[i], self.robots[i].client.link
  local state, message, code = link:state()
  if state ~= "up" then return nil, message or "the link is lost", code or "ELINK" end
  local news = link:session(one.number)
  if not news or not news.open then return nil, "the session is closed", "ECLOSED" end
  if news.panic then return nil, "the robot is in panic", "EPANIC" end
  if news.latched then return nil, "it was stopped by " .. news.stopper_name, "ESTOPPED" end
  local offset, uncertainty = clock_of(self, i)
  if offset and math.abs(offset - self.offset[i]) > uncertainty + self.uncertainty[i] then
    return nil, "its clock was set", "ERANGE"
  end
  return true
end

-- Sends a robot its whole sequence, which its server keeps until the instant.
local function send(self, i, frames)
  local one, name = self.sessions[i], self.robots[i].body.name
  one.epoch = self.at
  local offset, before, code = clock_of(self, i)
  if not offset then return nil, ("%s: %s"):format(name, before), code end
  frames(one, i)
  if not one.frames then mistake("unison: there is no frame for %s", name) end
  local good, message, kind = one:flush()
  if not good then return nil, ("%s: %s"):format(name, message), kind end
  self.offset[i], self.uncertainty[i] = offset, math.max(before, select(2, clock_of(self, i)) or 0)
  if self.uncertainty[i] > self.within then
    return nil, ("%s: its clock is known to %.3g ms, not within %.3g ms"):format(name, 1e3 * self.uncertainty[i],
      1e3 * self.within), "ERANGE"
  end
  return true
end

-- The end of the sequence is there: its mode has nothing to wait for, and begins at the instant. Later than this a word
-- to the others would not reach all of them before it.
local function confirm(self, i)
  local due = self.at - LOOK - 2 * math.max(table.unpack(self.uncertainty))
  local one = self.sessions[i]
  local good, message, code = session.query(one, "finish", nil, math.max(0, due - core.now()))
  if good then good, message, code = status_of(one, math.max(0, due - core.now())) end
  if code == "ETIMEOUT" then message = "its frames come too late: want a greater lead" end
  return good, message, code
end

-- Waits until the robot has begun: true; or nil, message, code.
local function begins(self, i)
  while true do
    local status, message, code = status_of(self.sessions[i])
    if not status then return nil, message, code end
    self.late[i] = status.delay
    if status.executed > 0 then return true end
    if core.now() > self.at + BEGUN then return nil, "it has not begun", "ETIMEOUT" end
    task.sleep(LOOK)
  end
end

local OWN <const> = { at = true, lead = true, within = true } -- the others are for sessions
local OPTIONS <const> = { at = checked.timeout, lead = checked.seconds, within = checked.period,
  duration = checked.seconds, spacing = checked.period, gap = checked.period, deadman = checked.period,
  probe = checked.seconds, timeout = checked.timeout }

local function run(self, options, frames)
  local given = { mode = "playback" }
  for name in pairs(OPTIONS) do if not OWN[name] then given[name] = options[name] end end
  local good, message, code = each(self, function(i)
    local one, why, kind = self.robots[i]:session(given)
    self.sessions[i] = one
    return one, why, kind
  end)
  if not good then return nil, message, code end
  self.at = options.at or core.now() + (options.lead or LEAD)
  for i in ipairs(self.robots) do
    good, message, code = send(self, i, frames)
    if not good then return nil, message, code end
  end
  good, message, code = each(self, function(i) return confirm(self, i) end)
  while good and core.now() < self.at do
    good, message, code = each(self, function(i) return look(self, i) end)
    task.sleep(math.max(0, math.min(LOOK, self.at - core.now())))
  end
  if good then good, message, code = each(self, function(i) return begins(self, i) end) end
  return good, message, code
end

local unison = {}

---Lets robots, which are connected, begin a sequence each at one instant of rt.now(). frames(session, i) adds all
---frames of robot i. Returns when all have begun: { at =, sessions =, uncertainty =, late = }; or nil, message, code
---when one of them does not, and then the others do not begin either, or brake.
function unison.begin(robots, options, frames)
  options = checked.options(options, OPTIONS, "unison")
  checked.value(frames, checked.fn, "unison", "frames")
  if type(robots) ~= "table" or #robots == 0 then mistake "unison: want a list of robots" end
  for i, robot in ipairs(robots) do
    if type(robot) ~= "table" or not robot.clock then mistake("unison: robot %d: want a connected robot", i) end
  end
  local self = setmetatable({ robots = robots, within = options.within or WITHIN, sessions = {}, offset = {},
    uncertainty = {}, late = {} }, Unison)
  local kept = false
  local _ <close> = setmetatable({}, { __close = function() if not kept then self:close() end end })
  local good, message, code = run(self, options, frames)
  if not good then return nil, message, code end
  kept = true
  return self
end

return unison
