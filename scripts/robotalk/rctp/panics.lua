-- Panics of a remote robot behind RCTP and of the local robot that represents it: each is one of the other, too, and
-- ends with a reset of the remote robot or, if it was given locally, with a local reset (spec/rctp.md).
--
-- Each reported remote panic is a new local one, also while the local robot is in panic: an earlier local reset does
-- not end it. Local panics are sent to the remote robot: by C in the thread that halts the local one, if C writes to
-- the connection, otherwise by this module. drivers/claim counts both, so that none is taken for the other.
--
-- Fields of the device that this module sets: said, the number of local panics that were sent to the remote robot;
-- written, the number of these that C has sent; unsure, whether the remote robot may have missed the newest; made, the
-- local number of the newest remote panic, and made_at, its time; number, the number of the newest remote panic in its
-- resets: nil when none is known on this connection; before, the same on the previous connection; lately, the number of
-- panics of both sides without a pause, and lately_at, the last; reset_count, the number of local resets that were
-- handled, and refused, { message, code } when the last was refused there; apart, the time until which a link that was
-- given up for them is left: nil when it is not.
local core = require "robotalk.core"
local task = require "robotalk.task"

local rctp_panics = {}

local LEAVES <const> = 0.1 -- s: a server that ends may halt its robots by a panic, and then reports its end
local SILENT <const> = 1 -- s: within this time a server reports a lasting panic on a new connection
local STAMP <const> = 1 -- of the text that C writes, which no other text has
local MANY <const>, LATELY <const> = 100, 1 -- panics without a pause of that many s: robots behind one another
local CODES <const> = { role = "EROLE", link = "ETIMEOUT" } -- of reasons why a reset is refused there
local APART <const> = 60 -- s: for the operator to reset both, and to correct the addresses

---Begins: the origin of an earlier panic, for example after a change of the description, is not known.
function rctp_panics.open(self)
  local panics = core.device_panics(self.handle)
  self.said, self.written, self.unsure = panics.given, panics.written, false
  self.lately, self.lately_at, self.reset_count = 0, core.now(), 0
end

-- Counts panics of both sides. The remote robot may be one behind this one: then each panic of one causes one of the
-- other for ever, and no reset is of the newest. Their number shows that: why the link is given up, or nil.
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

---Waits while a given up link is left: true; false when it was not given up.
function rctp_panics.stay_apart(self)
  if not self.apart then return false end
  while core.now() < self.apart do task.wait(self.life, self.apart - core.now()) end
  self.apart = nil
  return true
end

---Whether this robot is in panic.
function rctp_panics.lasts(self) return core.device_panics(self.handle).now end

---The frame that C writes for a local panic.
function rctp_panics.frame(client, words) return client:text_frame(words, "panic", STAMP) end

-- Makes a remote panic a local one.
local function make(self)
  self.made, self.made_at = core.device_panic(self.handle), core.now()
end

-- Ends the local panic that a remote one has caused, if there is no other.
local function unmake(self)
  if self.made then core.device_reset(self.handle, self.made) end
end

-- ---- sending ----

-- Waits for the answer to an own panic or reset: done(signal, text, reason). field: their count in the pending
-- commands.
local function await(self, stamp, field, done)
  local pending = self.pending
  pending[field] = pending[field] + 1
  pending:add(self.words, { stamp = stamp, done = function(signal, reason, text)
    pending[field] = pending[field] - 1
    if pending == self.pending then done(signal, text or "", reason) end
  end })
end

local function number_of(text) return math.tointeger(tonumber(text:match "reset (%d+)")) end

-- Waits for the answer to a sent panic, which has its number.
local function await_panic(self, stamp)
  await(self, stamp, "panics", function(signal, text)
    if signal ~= "success" then return end
    self.number = number_of(text) or self.number
    if self.pending.panics == 0 then self.unsure = false end
  end)
end

-- Sends the local panic.
local function say(self)
  local stamp = self.client:say(self.words, "panic")
  if stamp then await_panic(self, stamp) end
end

---Handles a halt of this robot by a panic. Why the link is to be given up, or nil.
function rctp_panics.halted(self)
  local panics = core.device_panics(self.handle)
  local given, by_c = panics.given - self.said, panics.written - self.written
  self.said, self.written = panics.given, panics.written
  if given == 0 then return nil end
  self.unsure = true
  if not self.words or self.lost then -- it is sent when there is a connection: at once, except those of a ring
    local now = core.now()
    if self.apart and self.apart - now <= APART - LATELY then self.apart = now end
    task.wake(self.life)
    return nil
  end
  for _ = 1, by_c do await_panic(self, STAMP) end
  if by_c == 0 then say(self) end
  return count(self, given)
end

---Handles a local reset: the remote panic ends, too; otherwise the local robot is in panic again. A local panic whose
---number has not arrived yet is reset without a number, which the server relates to it.
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

---Whether a reset was sent whose result is not known yet.
function rctp_panics.is_resetting(self) return self.pending ~= nil and self.pending.resets > 0 end

---The number of local resets that it has handled.
function rctp_panics.resets(self) return self.reset_count end

---Waits until an instant for the remote result of a local reset, before which there were that many: true; or nil,
---message, code.
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

-- ---- receiving ----

---503 of the session: the remote robot is in panic. Why the link is to be given up, or nil.
function rctp_panics.hear(self, text)
  local number, before = number_of(text), self.before
  if number and number == self.number then return nil end -- this one's own, whose answer has arrived before
  -- a lasting panic is reported again when a connection begins
  local known = rctp_panics.lasts(self) and number and number == before
  self.number, self.before = number, nil
  if not known then make(self) end
  return count(self, 1)
end

---200 of the session: the remote panic was reset by any client.
function rctp_panics.over(self)
  self.again = 0
  unmake(self)
  task.wake(self.answered)
end

---The link is lost: a panic reported just before was the end of its server, unless the link was given up here.
function rctp_panics.lose(self)
  if not self.apart and self.made_at and core.now() - self.made_at < LEAVES then unmake(self) end
end

---A connection comes into use.
function rctp_panics.begin(self)
  self.before, self.number = self.number or self.before, nil
end

---Synchronizes panics on it: a local panic is sent, and one that has ended there ends here. code: that of
---refused inputs, EPANIC while the remote robot is in panic, which hear() receives next. anew: after a lost link, over
---which messages may have been lost.
function rctp_panics.agree(self, code, anew)
  local panics = core.device_panics(self.handle)
  if not panics.now then return end
  if panics.given_now then -- sent again, since it may have been reset there
    if anew and (self.unsure or code ~= "EPANIC") then say(self) end
  elseif code == "EPANIC" then
    return
  elseif code == "EROLE" then -- without requested inputs only a lasting panic is reported
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
