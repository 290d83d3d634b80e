-- The connection of a driver of a robot behind RCTP: it begins, may or may not command, is lost, is restored,
-- and is replaced by another one when the remote robot is free.
--
-- Fields of the device that this module sets: client; objects, of rctp_objects; words, base, and each joint's object;
-- lost, whether there is no connection; refusal, why it may not command, { code, message, holder, left, trouble }, the
-- last the error of the latest check: nil when it may; armed, whether C writes a stop when this robot
-- is halted. Fields for panics are in rctp_panics.
local core = require "robotalk.core"
local far = require "robotalk.robot.far"
local log = require "robotalk.log"
local objects = require "robotalk.rctp.objects"
local panics = require "robotalk.rctp.panics"
local rctp = require "robotalk.rctp"
local printable = require "robotalk.text.text".printable
local task = require "robotalk.task"

local rctp_link = {}

-- s: between two attempts to reconnect; for connecting, during which all tasks wait; for all replies
local FIRST <const>, LAST <const>, DIAL <const>, REPLIES <const> = 0.5, 5, 1, 15
local SILENT <const>, PERIODS <const> = 3, 3 -- limits of a link without its due outputs: s, and periods of them
local LEAST <const>, MOST <const> = 1, 10 -- s between two checks whether the robot is free
local RETIRED <const> = 3 -- s: for the last statuses of a replaced connection
local TEXT_STAMP <const> = 4 -- bytes, by which statuses name their texts
local RESET <const> = 1 -- s: for the remote robot to report the end of its panic
local ANSWER <const> = 5 -- s: for the answer to a resume

-- ---- a connection ----

-- A live session, which is not used yet: its client, and its objects; nil, message, code. wanted: whether inputs are
-- requested.
local function negotiate(self, wanted)
  local client, message, code = rctp.dial(self.config.url, { timeout = self.options.timeout or DIAL,
    token = self.options.token, name = self.options.name, late = core.now() + REPLIES, layouts = function()
      return require "robotalk.rctp.robot".layouts(self.config.url, self.options)
    end })
  if not client then return nil, message, code end
  local kept
  local _ <close> = setmetatable({}, { __close = function() if not kept then client:close() end end })
  local ok, all = pcall(objects.assign, self, client, wanted)
  if not ok and not (type(all) == "table" and all[2]) then error(all, 0) end
  if not ok then return nil, all[1], all[2] end
  if not wanted then all.refusal = { code = "EROLE", message = "this connection only watches" } end
  ok, message, code = client:go { report = "all", rate = self.rate, text_stamp = TEXT_STAMP }
  if not ok then return nil, message, code end
  kept = true
  objects.keep(self)
  return client, all
end

-- The reason why it may not command, and the time of the next check.
local function note_refusal(self, refusal)
  self.refusal = refusal
  if not refusal then return end
  local headers = refusal.headers or {}
  local holder, after = headers.holder, tonumber(headers["retry-after"])
  refusal.holder = holder ~= "" and holder or nil
  refusal.left = after or 0
  self.again = core.now() + math.max(LEAST, math.min(after or LEAST, MOST))
end

-- The bytes that C writes when this robot is halted: a stop while this connection controls the remote robot; nothing
-- for one that only watches, since its end must not stop another client. In a panic both write the panic.
local function arm(self)
  local armed = not self.refusal
  if self.within or armed == self.armed then return true end
  self.armed = armed
  local stop = armed and self.client:text_frame(self.words, "stop own") or ""
  local ok, message = core.device_port(self.handle, self.client.port, stop)
  if not ok then return nil, message end
  return core.device_alarm(self.handle, panics.frame(self.client, self.words))
end

-- Uses this connection for the device from now on, instead of the one before. anew: there was none for a while.
local function adopt(self, client, all, anew)
  local before = self.client
  self.client, self.objects, self.pending = client, all, self.jobs.pending(self, client, all)
  self.words, self.base = all.words, all.base
  for _, joint in ipairs(self.joints) do joint.object, joint.last = all.inputs[joint.name], nil end
  note_refusal(self, all.refusal)
  self.lost, self.seen, self.armed = false, false, nil
  if not self.within then core.device_sign(self.handle, client:alive_frame()) end
  local ok, message = arm(self)
  if not ok then return rctp_link.lose(self, message) end
  panics.begin(self)
  panics.agree(self, all.refusal and all.refusal.code, anew)
  self:spawn("watch", function() self.jobs.watch(self, client) end)
  self:spawn("beat", function() self.jobs.beat(self, client) end)
  if before and not before.closed then
    self:spawn("retire", function()
      local _ <close> = before -- also when the robot is removed
      task.sleep(RETIRED)
    end)
  end
end

---The time for which that connection may be silent, s; nil: for ever.
function rctp_link.patience(self)
  return next(self.objects.states) and math.max(SILENT, PERIODS / self.rate) or nil
end

local function note_loss(self, message)
  self.lost, self.why = true, message
  log.say("error", "%s: rctp: %s (%s)", self.robot, message, self.config.url)
end

---The link is lost: commands in progress end, and the link is tried again. client: the lost connection;
---a replaced one does not count.
function rctp_link.lose(self, message, client)
  if self.lost or client and client ~= self.client then return end
  if self.client then self.client:close() end
  note_loss(self, message)
  panics.lose(self)
  self:fault "link"
  task.wake(self.life)
  task.wake(self.answered)
end

-- ---- main task ----

-- Tries a lost link until it is restored.
local function come_back(self)
  local since, pause, why = core.now(), FIRST, self.why
  if not panics.stay_apart(self) then task.sleep(pause) end
  while true do
    local client, all = negotiate(self, self.wanted)
    if client then
      adopt(self, client, all, true)
      return log.say("info", "%s: rctp: connected again after %.1f s", self.robot, core.now() - since)
    end
    if all ~= why then log.say("error", "%s: rctp: %s (%s)", self.robot, all, self.config.url) end
    why = all
    pause = math.min(2 * pause, LAST)
    task.sleep(pause)
  end
end

-- Requests refused inputs again, by another connection: one that may command replaces the one before.
local function try_again(self)
  local client, all, code = negotiate(self, true)
  if not client then
    self.again, self.refusal.trouble = core.now() + LEAST, { all, code }
  elseif all.refusal then
    client:close()
    note_refusal(self, all.refusal)
  else
    adopt(self, client, all)
  end
end

-- Gives the robot back: a connection that only watches replaces the one before, until the next command.
local function give_back(self)
  local before, client, all, code = self.client, negotiate(self, false)
  self.kept = not client and { all, code } or nil
  if not client then return end
  adopt(self, client, all)
  before:close()
  self.refusal, self.again = { code = "free" }, 0
end

-- The task of a device that does all this.
local function live(self)
  while true do
    if self.asked then
      if not self.lost then self.asked(self) end
      self.asked, self.turn = nil, self.turn + 1
      task.wake(self.answered)
    elseif self.lost and self.options.reconnect ~= false then
      come_back(self)
    else
      task.wait(self.life)
    end
  end
end

-- Has that task carry out a job, and waits for it.
local function ask(self, what)
  while self.asked and self.asked ~= what do task.wait(self.answered) end
  self.asked = what
  task.wake(self.life)
  local turn = self.turn
  while self.turn == turn do task.wait(self.answered) end
end

---Takes control of the remote robot, if it is free: true when it has it. now: also shortly after a check.
function rctp_link.claim(self, now)
  -- a reset that was just sent has not been carried out there yet
  if panics.is_resetting(self) then task.wait(self.answered, RESET) end
  if self.refusal and self.wanted and not self.lost and (now or core.now() >= self.again) then ask(self, try_again) end
  return not self.refusal and not self.lost
end

---Gives the remote robot back, if this connection controls it: true; or nil, message, code, and it is kept.
function rctp_link.release(self)
  self.kept = nil
  if not self.refusal and not self.lost then ask(self, give_back) end
  if self.refusal and not self.lost then return true end
  return nil, table.unpack(self.kept or { "the link to the robot there is lost", "ELINK" })
end

-- The answer to a command of a client that may not command.
local SIGNALS = { EROLE = { "error", "role" }, EPANIC = { "panic", "panic" } }

---The obstacle to a command to the remote robot: signal and reason; nothing when it may be sent.
function rctp_link.refused(self)
  if not self.refusal or rctp_link.claim(self) then return nil end
  if self.lost then return "error", "link" end
  return table.unpack(SIGNALS[self.refusal.code] or { "busy", "lease" })
end

---Handles a status of the whole session. A text: the session has ended.
function rctp_link.hear(self, status)
  local text, code = printable(status.text or ""), status.code
  if code == 503 and text:find "^panic" then
    return panics.hear(self, text)
  elseif code == 100 and text:find "^free" then
    self.again = 0
  elseif code == 100 and text:find "^resume" then
    self.latch = nil
  elseif code == 200 then
    panics.over(self)
  elseif code == 409 and text:find "^lease" then
    note_refusal(self, { code = "ELEASE", message = text })
    self.again = 0 -- the next check names it
    local ok, why = arm(self)
    if not ok then return why end
    far.tell(self.robot, "lost")
    far.tell(self.robot, "stopped")
  elseif code == 409 then
    local by, number = text:match "^stopped: by (.-); .* resume (%d+)"
    self.latch = by and { by = by, stop = tonumber(number), since = core.now() } or self.latch
    far.tell(self.robot, "stopped")
    if by then far.tell(self.robot, "latched", self.latch.stop) end
  elseif code == 408 then
    far.tell(self.robot, "deadman")
  elseif code == 410 or code == 503 or code == 400 then
    return text ~= "" and text or "the session is over"
  end
end

---Ends the latch that a stop by another client of the remote robot has set: true; or nil, message, code.
function rctp_link.resume(self)
  local answer
  local stamp = self.latch and not self.lost and self.client:say(self.words, "resume " .. self.latch.stop)
  if not stamp then return nil, "the link to the robot there is lost", "ELINK" end
  self.pending:add(self.words, { stamp = stamp, done = function(signal, _, text)
    answer = { signal == "success", text }
    task.wake(self.answered)
  end })
  local late = core.now() + ANSWER
  while not answer and not self.lost and task.wait(self.answered, late - core.now()) do end
  if not answer then return nil, "no answer in time", "ETIMEOUT" end
  if not answer[1] then return nil, answer[2] or "there was another stop meanwhile", "ESTOPPED" end
  self.latch = nil
  return true
end

---Begins, also without its server, except with options.at_once: true; nil, message, code. jobs:
---pending(self, client, all), a table for commands in progress; watch(self, client) and beat(self, client),
---tasks of a connection.
function rctp_link.open(self, config, jobs)
  self.config, self.jobs, self.layouts, self.again, self.turn = config, jobs, {}, 0, 0
  self.rate, self.life, self.answered = config.rate or 20, {}, {}
  self.wanted = self.options.role ~= "watch"
  panics.open(self)
  self.within = config.url:find "^rctp%+local:" ~= nil or config.url:find "^rctp%+tls:" ~= nil
  local client, all, code = negotiate(self, self.wanted)
  if client then
    adopt(self, client, all, true)
  elseif self.options.at_once or code == "EURL" then
    return nil, all, code
  else
    self.objects = { states = {}, sensors = {} }
    note_loss(self, all)
  end
  self:spawn("life", function() live(self) end)
  return true
end

return rctp_link
