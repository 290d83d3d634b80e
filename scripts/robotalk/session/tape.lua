-- Sequences of frames: a session's frame, flush and finish, and the report of the played sequence.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local frames = require "robotalk.session.frame"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local BATCH = 100 -- commands a package; more wait for the next
local MOST = 60000 -- bytes

local Report = {}
Report.__index = Report

local function how_far(pause)
  local parts = {}
  if pause.path > 0 then parts[#parts + 1] = ("%.1f mm"):format(pause.path * 1e3) end
  if pause.turn > 0 then parts[#parts + 1] = ("%.3f rad"):format(pause.turn) end
  if pause.dof > 0 then parts[#parts + 1] = ("%.3f of a dof"):format(pause.dof) end
  return #parts > 0 and ", off by " .. table.concat(parts, " and ") or ""
end

-- "58 superseded, 2 limit"
local function counts(reasons)
  local parts = {}
  for reason, n in pairs(reasons) do if reason ~= "none" then parts[#parts + 1] = ("%d %s"):format(n, reason) end end
  table.sort(parts)
  return #parts > 0 and (" (%s)"):format(table.concat(parts, ", ")) or ""
end

function Report:__tostring()
  local signals = {}
  for signal, n in pairs(self.signals) do
    signals[#signals + 1] = ("%d %s%s"):format(n, signal, counts(self.reasons[signal]))
  end
  table.sort(signals)
  local text = ("%d frames, %d commands played: %s; start delay %.3f s (%.3f s would have sufficed), worst lateness "
    .. "%.2f ms, %d underruns, %d never begun"):format(self.frames, self.played, table.concat(signals, ", "),
    self.delay, self.needed, self.worst * 1e3, self.underruns, self.refused)
  if next(self.left_out) then text = ("%s; left out: %s"):format(text, counts(self.left_out):sub(3, -2)) end
  if self.paused == 0 then return text end
  local pauses = {}
  for i, pause in ipairs(self.pauses) do
    pauses[i] = ("at %.2f s for %.3f s%s"):format(pause.t, pause.added, how_far(pause))
  end
  return ("%s; paused %d times, %.3f s in all: %s"):format(text, self.paused, self.added, table.concat(pauses, "; "))
end

-- The pauses of a sequence: the time on its own time line, the delay of all later frames, and the distance that the
-- robot moved beyond the place where the missing frame should have begun.
local function list(answer, epoch, delay)
  local pauses, earlier = {}, answer.added
  for i = 1, #answer.due do earlier = earlier - answer.later[i] end
  for i = 1, #answer.due do
    pauses[i] = { at = answer.due[i], t = answer.due[i] - epoch - delay - earlier, added = answer.later[i],
      path = answer.path[i], turn = answer.turn[i], dof = answer.dof[i] }
    earlier = earlier + answer.later[i]
  end
  return pauses
end

-- Seconds before its date at which the first frame may be sent. From an hour on a server treats it as an instant of
-- another clock, and begins at once; a minute is more than the difference of the clocks.
local AHEAD <const> = 3540
-- Seconds after its date until which it may be sent: from 10 s on a server does the same.
local BEHIND <const> = 9

-- The number of commands from the nth on that fit into one package.
local function batch(commands, from)
  local n, bytes = 0, 0
  while n < BATCH and commands[from + n] do
    bytes = bytes + frames.bytes(commands[from + n])
    if n > 0 and bytes > MOST then break end
    n = n + 1
  end
  return n
end

-- Counts the names of a list, which may be nil.
local function tally(into, names)
  for i = 1, names and #names or 0 do into[names[i]] = (into[names[i]] or 0) + 1 end
end

-- For a session with results of errors only: waits until all its commands have ended.
local function settle(self, left)
  while not self.settled do
    if self.closed then return nil, "the session is closed", "ECLOSED" end
    local state, message, code = self.client.link:state()
    if state ~= "up" then return nil, message, code or "ELINK" end
    local wait = left()
    if wait and wait <= 0 then return nil, "no answer in time", "ETIMEOUT" end
    task.wait(self.client, wait)
  end
  return true
end

-- Records the result of a command for the report, unless it is SUCCESS or a later command has superseded it.
local function note_concerned(self, cmd, why, result)
  if result.signal == "SUCCESS" or (result.superseded and not result.clipped) then return end
  local concerned = self.counted.concerned
  concerned[#concerned + 1] = { t = cmd and cmd.start and cmd.start - (self.epoch or 0), op = result.op,
    signal = result.signal, reason = result.reason, why = why, clipped = result.clipped, beyond = result.beyond,
    left_out = result.left_out, off = result.off }
end

---Adds the methods below to a class of sessions. of: functions of session.lua: parts_of, result_of, query,
---check_number, note_mover, note_end.
return function(Session, of)
  -- Sends the gathered frames, in packages of many commands.
  function Session:flush()
    local pending, i = self.pending, 1
    self.pending = {}
    while pending[i] do
      local package = table.move(pending, i, i + batch(pending, i) - 1, 1, {})
      i = i + #package
      local first, message, code = self:send(package)
      if not first then
        self.trouble = self.trouble or { message, code }
        return nil, message, code
      end
      for k = 0, self.errors and -1 or #package - 1 do self.tickets[#self.tickets + 1] = first + k end
    end
    return true
  end

  ---Adds a frame, one command whose parts begin together, at t seconds on the time line of the sequence, which begins
  ---with the first frame now, or at the session's `at`.
  ---parts: { base = { speed = {…} | go_to = {…} | stop = true }, JOINT = { DOF = set-point, … } or a number }.
  ---Frames are gathered and sent in packages whenever the task waits. true; or nil, message, code of a link that
  ---was lost meanwhile.
  function Session:frame(t, parts)
    of.check_number(t, "frame: time")
    if self.trouble then return nil, self.trouble[1], self.trouble[2] end
    if self.closed then return nil, "the session is closed", "ECLOSED" end
    local epoch = self.epoch or core.now() - t
    local start = epoch + t
    if not (math.abs(t) < 9e9 and math.abs(start) < 9e9) then -- 64 bits in ns
      mistake("frame: time: want seconds of a sequence, got %g", t)
    end
    if not self.frames and start - core.now() > AHEAD then
      mistake("frame: a sequence is sent within %d s of its date, this one %.0f s before it", AHEAD,
        start - core.now())
    end
    if not self.frames and core.now() - start > BEHIND then
      mistake("frame: a sequence is sent no later than %d s after its date, this one %.0f s after it", BEHIND,
        core.now() - start)
    end
    local commands = of.parts_of(self, parts, start)
    self.epoch = epoch
    if #self.pending == 0 then task.defer(function() if not self.closed then self:flush() end end) end
    table.move(commands, 1, #commands, #self.pending + 1, self.pending)
    of.note_mover(self, commands)
    self.plays = task.self() or self.plays
    self.frames = (self.frames or 0) + 1
    return true
  end

  ---Ends the sequence: waits until all frames have been played; returns a report.
  ---concerned: frames that were neither done nor superseded, in order: t of the frame, op, signal, reason; clipped,
  ---beyond, left_out, off as of a result.
  ---timeout: seconds to wait for at most, for ever by default. After ETIMEOUT the caller may wait again: the results
  ---until then are in the next report, too.
  function Session:finish(timeout)
    if timeout ~= nil then checked.value(timeout, checked.timeout, "finish", "timeout") end
    local until_ = timeout and core.now() + timeout
    local function left() return until_ and math.max(0, until_ - core.now()) end
    local ok, message, code = self:flush()
    if not ok then return nil, message, code end
    self.settled = not self.errors
    ok, message, code = of.query(self, "finish", nil, left() or 60)
    if not ok then return nil, message, code end
    ok, message, code = settle(self, left)
    if not ok then return nil, message, code end
    self.counted = self.counted or { signals = {}, reasons = {}, left_out = {}, clipped = {}, concerned = {} }
    local tickets = self.errors or self.tickets
    local n = #tickets -- those that are added meanwhile belong to the next report
    local signals, reasons = self.counted.signals, self.counted.reasons
    local left_out, clipped, concerned = self.counted.left_out, self.counted.clipped, self.counted.concerned
    for i = 1, n do
      local cmd = self.given[tickets[i]]
      local signal, why, result = of.result_of(self, tickets[i], left(), true)
      if signal then
        note_concerned(self, cmd, why, result)
        signals[signal] = (signals[signal] or 0) + 1
        reasons[signal] = reasons[signal] or {}
        reasons[signal][result.reason] = (reasons[signal][result.reason] or 0) + 1
        tally(left_out, result.left_out)
        tally(clipped, result.clipped)
      elseif result ~= "ENONE" then -- otherwise it has been read before
        return nil, why, result
      end
    end
    of.note_end(self)
    if self.plays == task.self() then self.plays = nil end
    local status, pauses
    status, message, code = of.query(self, "status", nil, left() or 60)
    if not status then return nil, message, code end
    pauses, message, code = of.query(self, "pauses", nil, left() or 60)
    if not pauses then return nil, message, code end
    if self.errors == tickets then
      table.move(tickets, n + 1, #tickets + n, 1)
      local count = status.succeeded - (self.succeeded or 0)
      if count > 0 then
        signals.SUCCESS, reasons.SUCCESS = (signals.SUCCESS or 0) + count, reasons.SUCCESS or {}
        reasons.SUCCESS.none = (reasons.SUCCESS.none or 0) + count
      end
      self.succeeded, self.counted = status.succeeded, nil
    elseif self.tickets == tickets then
      self.tickets, self.counted = table.move(tickets, n + 1, #tickets, 1, {}), nil
    end
    return setmetatable({ frames = self.frames or 0, played = status.executed, signals = signals,
      reasons = reasons, left_out = left_out, clipped = clipped, concerned = concerned,
      delay = status.delay, needed = status.needed, worst = status.worst,
      underruns = status.underruns, refused = status.refused, paused = pauses.count, added = pauses.added,
      pauses = list(pauses, self.epoch or 0, status.delay) }, Report)
  end
end
