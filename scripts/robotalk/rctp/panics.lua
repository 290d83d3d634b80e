-- Panics of a robot behind RCTP and of the robot here that stands for it: each is one of the other, too, and ends with
-- a reset there or, if it was given here, here (spec/rctp.md).
--
-- Each panic that is told from there is a new one here, also while this robot is in panic: a reset that was made here
-- before is not of it. Of those that are given here, the robot there is told: by C in the thread that halts this one,
-- where C writes to the connection, else here. drivers/claim counts both, so that none is taken for the other.
--
-- Fields of the device that this module sets: said, how many panics of those given here that robot was told of;
-- written, how many of them by C; unsure, whether that robot may not have heard of the newest; made, the number here
-- of the newest that was told from there, and made_at, when; number, of the newest there that is one here, as its
-- resets name it: nil when none is known on this connection; before, likewise of the one before; lately, how many
-- there were of either side without a pause, and lately_at, the last; reset_count, how many resets here it has heard
-- of, and refused, { message, code } when the last is not one there; apart, until when a link is left that was given
-- up for them: nil when it is not.
local core = require "robotalk.core"
local task = require "robotalk.task"

local rctp_panics = {}

local LEAVES <const> = 0.1 -- s: a server that ends halts its robots, which is a panic, and then says that it ends
local SILENT <const> = 1 -- s: a server has told within that of a panic that lasts when a connection begins
local STAMP <const> = 1 -- of the text that C writes, which no other text has
local MANY <const>, LATELY <const> = 100, 1 -- panics without a pause of that many s: they go round
local CODES <const> = { role = "EROLE", link = "ETIMEOUT" } -- of reasons why a reset is none there
local APART <const> = 60 -- s: for who resets both, and mends what is behind what

---Begins: of a panic of before, as when a robot is described anew, it is not known whose it was.
function rctp_panics.open(self)
  local panics = core.device_panics(self.handle)
  self.said, self.written, self.unsure = panics.given, panics.written, false
  self.lately, self.lately_at, self.reset_count = 0, core.now(), 0
end

-- Counts panics of either side. The robot there may be one behind this one: then each panic of one is one of the other
-- for ever, and no reset is of the newest. That shows by how many there are: why the link is given up, or nil.
local function count(self, panics)
  local now = core.now()
  if now - self.lately_at > LATELY then self.lately = 0 end
  self.lately_at = now
  self.lately = self.lately + panics
  if self.lately < MANY then return nil end
  self.lately, self.apart = 0, now + APART
  return ("%d panics without a pause of %g s: the robot there seems to be behind this one, too, "
    .. "or somebody says many"):format(MANY, LATELY)
end

---Waits as long as a link is left that was given up: true; false when it was not given up.
function rctp_panics.stay_apart(self)
  if not self.apart then return false end
  while core.now() < self.apart do task.wait(self.life, self.apart - core.now()) end
  self.apart = nil
  return true
end

---Whether this robot is in panic.
function rctp_panics.lasts(self) return core.device_panics(self.handle).now end

---The frame that C writes when a panic is given here.
function rctp_panics.frame(client, words) return client:text_frame(words, "panic", STAMP) end

-- Makes a panic there one here.
local function make(self)
  self.made, self.made_at = core.device_panic(self.handle), core.now()
end

-- Ends the panic here that was told from there, if there is no other.
local function unmake(self)
  if self.made then core.device_reset(self.handle, self.made) end
end

-- ---- what is said there ----

-- Waits for the answer to a panic or a reset of one's own: done(signal, text, reason). field: of the commands under
-- way, how many of these there are.
local function await(self, stamp, field, done)
  local pending = self.pending
  pending[field] = pending[field] + 1
  pending:add(self.words, { stamp = stamp, done = function(signal, reason, text)
    pending[field] = pending[field] - 1
    if pending == self.pending then done(signal, text or "", reason) end
  end })
end

local function number_of(text) return math.tointeger(tonumber(text:match "reset (%d+)")) end

-- Waits for the answer to a panic that was said, which tells its number.
local function await_panic(self, stamp)
  await(self, stamp, "panics", function(signal, text)
    if signal ~= "success" then return end
    self.number = number_of(text) or self.number
    if self.pending.panics == 0 then self.unsure = false end
  end)
end

-- Says the panic that was given here.
local function say(self)
  local stamp = self.client:say(self.words, "panic")
  if stamp then await_panic(self, stamp) end
end

---This robot was halted by a panic. Why the link is to be given up, or nil.
function rctp_panics.halted(self)
  local panics = core.device_panics(self.handle)
  local given, by_c = panics.given - self.said, panics.written - self.written
  self.said, self.written = panics.given, panics.written
  if given == 0 then return nil end
  self.unsure = true
  if not self.words or self.lost then -- it is said when there is a connection: at once, but not those of a ring
    local now = core.now()
    if self.apart and self.apart - now <= APART - LATELY then self.apart = now end
    task.wake(self.life)
    return nil
  end
  for _ = 1, by_c do await_panic(self, STAMP) end
  if by_c == 0 then say(self) end
  return count(self, given)
end

---Its panic was reset here: the one there ends, too; or this one is in panic as that one is. Of one whose number is
---still to come, since it was given here, a server knows that a reset without number is of it.
function rctp_panics.reset(self)
  local words = self.pending and self.pending.panics > 0 and "reset" or self.number and "reset " .. self.number
  self.reset_count, self.refused = self.reset_count + 1, nil
  task.wake(self.answered)
  if not words or self.lost then return end
  local stamp = self.client:say(self.words, words)
  if not stamp then return end
  await(self, stamp, "resets", function(signal, text, reason)
    if signal == "success" then
      self.again = 0
    elseif not self.lost then
      self.refused = { text ~= "" and text or "the robot there does not end its panic", CODES[reason] or "EPANIC" }
      if not rctp_panics.lasts(self) then make(self) end
    end
    task.wake(self.answered)
  end)
end

---Whether a reset is on its way of which it is not known yet what became of it.
function rctp_panics.is_resetting(self) return self.pending ~= nil and self.pending.resets > 0 end

---How many resets here it has heard of.
function rctp_panics.resets(self) return self.reset_count end

---Waits until an instant for what became there of a reset here, before which there were so many: true; or nil, message,
---code.
function rctp_panics.await_reset(self, before, late)
  while self.reset_count == before or rctp_panics.is_resetting(self) do
    if self.lost then return nil, "the link to the robot there is lost", "ELINK" end
    if self.reset_count == before and rctp_panics.lasts(self) then
      return nil, "there was another panic meanwhile", "EPANIC"
    end
    if not task.wait(self.answered, late - core.now()) then return nil, "no answer in time", "ETIMEOUT" end
  end
  if self.lost then return nil, "the link to the robot there is lost", "ELINK" end
  if self.refused then return nil, table.unpack(self.refused) end
  return true
end

-- ---- what is told from there ----

---503 of the session: the robot there is in panic. Why the link is to be given up, or nil.
function rctp_panics.hear(self, text)
  local number, before = number_of(text), self.before
  if number and number == self.number then return nil end -- this one's own, whose answer was here before
  -- what lasts is told again when a connection begins
  local known = rctp_panics.lasts(self) and number and number == before
  self.number, self.before = number, nil
  if not known then make(self) end
  return count(self, 1)
end

---200 of the session: the panic there is over, by whomever.
function rctp_panics.over(self)
  self.again = 0
  unmake(self)
  task.wake(self.answered)
end

---The link is lost: a panic that was told just before was the end of its server, unless the link was given up here.
function rctp_panics.lose(self)
  if not self.apart and self.made_at and core.now() - self.made_at < LEAVES then unmake(self) end
end

---A connection is used from now on.
function rctp_panics.begin(self)
  self.before, self.number = self.number or self.before, nil
end

---What has to be agreed on then: a panic here is one there, and what is over there is over here. code: of what
---refuses inputs there, EPANIC while that robot is in panic, as hear() is told next. anew: after a lost link, of which
---it is not known what was heard.
function rctp_panics.agree(self, code, anew)
  local panics = core.device_panics(self.handle)
  if not panics.now then return end
  if panics.given_now then -- said again, where it may have been reset there
    if anew and (self.unsure or code ~= "EPANIC") then say(self) end
  elseif code == "EPANIC" then
    return
  elseif code == "EROLE" then -- who has not asked for inputs is told only of a panic that lasts
    local client = self.client
    self:spawn("agree", function()
      task.sleep(SILENT)
      if self.client == client and not self.lost and not self.number then unmake(self) end
    end)
  else
    unmake(self)
  end
end

return rctp_panics
