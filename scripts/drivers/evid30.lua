-- A Sony EVI-D30 or D31 on a serial line: a pan-tilt head that speaks VISCA (Sony, "EVI-D30/D31 Command List"). Pan
-- is ±880 counts for ±100 deg, tilt ±300 for ±25 deg; 24 speeds up to 80 deg/s and 20 up to 50 deg/s. The camera
-- counts pan to the right, robots to the left: the sign is turned here.
--
-- A command is acknowledged (90 4s FF) when it gets one of the camera's two sockets s, and completed (90 5s FF)
-- when it has ended.
local drivers = require "robotalk.drivers"
local core = require "robotalk.core"
local task = require "robotalk.task"

local PAN, TILT = 880 / math.rad(100), 300 / math.rad(25)
local PAN_STEP, TILT_STEP = math.rad(80 / 24), math.rad(2.5)
local STOP = "\x81\x01\x06\x01\x18\x14\x03\x03\xFF"
local BAUD = 9600
local PATIENCE, LONGEST = 1, 30 -- s until a command is acknowledged, and until the head is there

local driver = { options = {
  { "port", "text", max = 255, needed = true, doc = "the path of a serial line" },
  { "baud", "whole", least = 50, most = 4e6, doc = "9600 unless said" },
} }

local function clamp(x, low, high) return math.max(low, math.min(high, x)) end
local function round(x) return math.floor(x + 0.5) end

-- Four bytes with a hexadecimal digit each, the highest first.
local function nibbles(n)
  n = n & 0xFFFF
  return string.char(n >> 12, n >> 8 & 15, n >> 4 & 15, n & 15)
end

local function from_nibbles(s)
  local a, b, c, d = s:byte(1, 4)
  local n = (a & 15) << 12 | (b & 15) << 8 | (c & 15) << 4 | d & 15
  return n >= 0x8000 and n - 0x10000 or n
end

-- The camera's present answer. Commands that it has not answered in time are lost.
local function oldest(self)
  while self.sent[1] and core.now() - self.sent[1].at > PATIENCE do table.remove(self.sent, 1) end
  return table.remove(self.sent, 1)
end

-- Handles the camera's messages. Acknowledgements come in the order of the commands, completions by their socket.
local function listen(self)
  local buffer = ""
  while true do
    local bytes, message = drivers.read(self.port)
    if not bytes then
      self:fault("link")
      core.log(("robotalk: error: evid30: %s\n"):format(message))
      return
    end
    buffer = buffer .. bytes
    for frame in buffer:gmatch("([^\xFF]*)\xFF") do
      local kind, socket = (frame:byte(2) or 0) >> 4, (frame:byte(2) or 0) & 15
      if kind == 5 and #frame == 10 then
        self.at = { -from_nibbles(frame:sub(3, 6)) / PAN, from_nibbles(frame:sub(7, 10)) / TILT }
        self:report { position = self.at }
      elseif kind == 4 or kind == 6 and socket == 0 then -- accepted, or refused before it got a socket
        local sent = oldest(self)
        self.doing[socket] = kind == 4 and sent or nil
        if sent then task.wake(sent, kind == 4) end
      elseif (kind == 5 or kind == 6) and self.doing[socket] then
        local sent = self.doing[socket]
        self.doing[socket] = nil
        sent.ended = kind == 5 and "done" or "refused"
        task.wake(sent)
      end
    end
    buffer = buffer:match("([^\xFF]*)$")
    if #buffer > 16 then buffer = "" end -- longer than any frame: noise
  end
end

-- Asks for the head's position, ten times a second.
local function watch(self)
  while true do
    self.port:write "\x81\x09\x06\x12\xFF"
    task.sleep(0.1)
  end
end

function driver.open(self, config)
  local port, message = core.serial(config.port, config.baud or BAUD)
  if not port then return nil, message end
  self.port = port
  self.at, self.target, self.speed = { 0, 0 }, { 0, 0 }, { 0, 0 } -- rad, rad/s
  self.sent, self.doing = {}, {} -- commands not acknowledged yet, in order; those in progress, by socket
  port:write "\x88\x30\x01\xFF" -- address set
  port:write "\x81\x01\x00\x01\xFF" -- interface clear
  self:spawn("listen", function() listen(self) end)
  self:spawn("watch", function() watch(self) end)
  return { halt = STOP, port = port }
end

local function expect(self)
  local sent = { at = core.now() }
  table.insert(self.sent, sent)
  return sent
end

-- Sends a command and waits for its completion: true; or false when the camera refuses or is silent.
local function perform(self, bytes, at_once)
  if self.port:write(bytes) ~= #bytes then return false end
  local sent = expect(self)
  local answered, taken = task.wait(sent, PATIENCE)
  if not answered or not taken then return false end
  if not at_once and not sent.ended then task.wait(sent, LONGEST) end
  return at_once or sent.ended == "done"
end

-- The head stands or brakes: its goals are dropped.
local function forget_goals(self) self.target, self.speed = { table.unpack(self.at) }, { 0, 0 } end

local function answer(done, ok, clipped)
  if not ok then
    done("error", "device")
  elseif clipped then
    done("modified", "limit")
  else
    done("success")
  end
end

function driver.start(self, cmd, done)
  if cmd.op == "stop" then
    forget_goals(self)
    answer(done, perform(self, STOP))
  elseif cmd.op == "home" then
    self.target, self.speed = { 0, 0 }, { 0, 0 }
    answer(done, perform(self, "\x81\x01\x06\x04\xFF"))
  elseif cmd.op == "set_joint" then
    local wanted, clipped = self.target, false
    for i, most in ipairs { math.rad(100), math.rad(25) } do
      if cmd.mask >> (i - 1) & 1 == 1 then
        wanted[i] = clamp(cmd.value[i], -most, most)
        clipped = clipped or wanted[i] ~= cmd.value[i]
      elseif self.speed[i] ~= 0 then
        wanted[i] = self.at[i] -- the camera has only one of both: a speed of this dof ends
      end
    end
    self.speed = { 0, 0 }
    local pan = cmd.speed > 0 and clamp(round(cmd.speed / PAN_STEP), 1, 24) or 24
    local tilt = cmd.speed > 0 and clamp(round(cmd.speed / TILT_STEP), 1, 20) or 20
    answer(done, perform(self, "\x81\x01\x06\x02" .. string.char(pan, tilt)
      .. nibbles(round(-wanted[1] * PAN)) .. nibbles(round(wanted[2] * TILT)) .. "\xFF"), clipped)
  elseif cmd.op == "set_joint_speed" then
    self.target = { table.unpack(self.at) }
    for i = 1, 2 do
      if cmd.mask >> (i - 1) & 1 == 1 then self.speed[i] = cmd.value[i] end
    end
    local pan, tilt = self.speed[1], self.speed[2]
    local function way(x, plus, minus) return x > 0 and plus or x < 0 and minus or 3 end
    answer(done, perform(self, "\x81\x01\x06\x01" .. string.char(
      clamp(round(math.abs(pan) / PAN_STEP), 1, 24), clamp(round(math.abs(tilt) / TILT_STEP), 1, 20),
      way(pan, 1, 2), way(tilt, 1, 2)) .. "\xFF", true))
  else
    done("na", "unsupported")
  end
end

-- C has written STOP, which the camera answers too.
function driver.halted(self)
  expect(self)
  forget_goals(self)
end

function driver.close(self)
  if self.port then self.port:close() end
end

return driver
