-- A Sony EVI-D30 or D31 on a serial line: a pan-tilt head that speaks VISCA (Sony, "EVI-D30/D31 Command List"). Pan
-- is ±880 counts for ±100 deg, tilt ±300 for ±25 deg; 24 speeds up to 80 deg/s and 20 up to 50 deg/s. The camera
-- counts pan to the right, robots to the left: the sign is turned here.
--
-- A command is acknowledged (90 4s FF) when it gets one of the camera's two sockets s, and completed (90 5s FF)
-- when it has been done.
local drivers = require "robotalk.drivers"
local core = require "robotalk.core"
local task = require "robotalk.task"

local PAN, TILT = 880 / math.rad(100), 300 / math.rad(25)
local PAN_STEP, TILT_STEP = math.rad(80 / 24), math.rad(2.5)
local STOP = "\x81\x01\x06\x01\x18\x14\x03\x03\xFF"
local BAUD = 9600

local driver = {}

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

-- Sorts what the camera says: acknowledgements to whoever sent last, completions by their socket.
local function listen(self)
  local buffer = ""
  while true do
    local bytes, message = drivers.read(self.port)
    if not bytes then
      self:fault("link")
      core.say("err", ("robotalk: error: evid30: %s\n"):format(message))
      return
    end
    buffer = buffer .. bytes
    for frame in buffer:gmatch("([^\xFF]*)\xFF") do
      local kind, socket = (frame:byte(2) or 0) >> 4, (frame:byte(2) or 0) & 15
      if kind == 4 then
        self.completed[socket] = nil
        task.wake("ack" .. self.handle, socket)
      elseif kind == 5 and #frame == 10 then
        self:report { position = { -from_nibbles(frame:sub(3, 6)) / PAN, from_nibbles(frame:sub(7, 10)) / TILT } }
      elseif kind == 5 then
        self.completed[socket] = true
        task.wake(("done%d.%d"):format(self.handle, socket), true)
      elseif kind == 6 and socket == 0 then
        task.wake("ack" .. self.handle, nil) -- refused before it got a socket
      elseif kind == 6 then
        task.wake(("done%d.%d"):format(self.handle, socket), false)
      end
    end
    buffer = buffer:match("([^\xFF]*)$")
    if #buffer > 16 then buffer = "" end -- longer than any frame: noise
  end
end

-- Asks where the head is, ten times a second.
local function watch(self)
  while true do
    self.port:write "\x81\x09\x06\x12\xFF"
    task.sleep(0.1)
  end
end

function driver.open(self, config)
  if type(config.port) ~= "string" then return nil, "expected port = the path of a serial line" end
  local port, message = core.serial(config.port, config.baud or BAUD)
  if not port then return nil, message end
  self.port = port
  self.target, self.completed = { 0, 0 }, {}
  port:write "\x88\x30\x01\xFF" -- address set
  port:write "\x81\x01\x00\x01\xFF" -- interface clear
  self:spawn("listen", function() listen(self) end)
  self:spawn("watch", function() watch(self) end)
  return { halt = STOP, port = port }
end

-- Sends a command and waits for its completion: true; or false when the camera refuses or is silent.
local function perform(self, bytes, at_once)
  self.port:write(bytes)
  local ok, socket = task.wait("ack" .. self.handle, 1)
  if not ok or not socket then return false end
  if at_once or self.completed[socket] then return true end -- both may have come in one read
  local heard, completed = task.wait(("done%d.%d"):format(self.handle, socket), 30)
  return heard and completed
end

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
    answer(done, perform(self, STOP))
  elseif cmd.op == "home" then
    self.target = { 0, 0 }
    answer(done, perform(self, "\x81\x01\x06\x04\xFF"))
  elseif cmd.op == "set_joint" then
    local wanted, clipped = self.target, false
    for i, most in ipairs { math.rad(100), math.rad(25) } do
      if cmd.mask >> (i - 1) & 1 == 1 then
        wanted[i] = clamp(cmd.value[i], -most, most)
        clipped = clipped or wanted[i] ~= cmd.value[i]
      end
    end
    local pan = cmd.speed > 0 and clamp(round(cmd.speed / PAN_STEP), 1, 24) or 24
    local tilt = cmd.speed > 0 and clamp(round(cmd.speed / TILT_STEP), 1, 20) or 20
    answer(done, perform(self, "\x81\x01\x06\x02" .. string.char(pan, tilt)
      .. nibbles(round(-wanted[1] * PAN)) .. nibbles(round(wanted[2] * TILT)) .. "\xFF"), clipped)
  elseif cmd.op == "set_joint_speed" then
    local pan, tilt = cmd.value[1], cmd.value[2]
    local function way(x, plus, minus) return x > 0 and plus or x < 0 and minus or 3 end
    answer(done, perform(self, "\x81\x01\x06\x01" .. string.char(
      clamp(round(math.abs(pan) / PAN_STEP), 1, 24), clamp(round(math.abs(tilt) / TILT_STEP), 1, 20),
      way(pan, 1, 2), way(tilt, 1, 2)) .. "\xFF", true))
  else
    done("na", "unsupported")
  end
end

function driver.close(self)
  if self.port then self.port:close() end
end

return driver
