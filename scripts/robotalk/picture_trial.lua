-- One trial of paper 003's tests of pictures: frames are taken from a camera and compressed, handed to a receiver in
-- a process of its own, and read back from its disk.
local core = require "robotalk.core"
local images = require "robotalk.images"
local shell = require "robotalk.shell"
local statistics = require "robotalk.statistics"
local task = require "robotalk.task"

local trial = {}

local PATIENCE = 30 -- seconds for a single picture, or an answer
local WORDS = 512 -- of 8 bytes, unpacked at once
local FORM = "<" .. ("i8"):rep(WORDS)
local PRIME = 0x100000001B3 -- of the hash FNV-1a of 64 bits

local function must(result, message)
  if not result then error(message or "failed", 0) end
  return result
end

---A checksum of 64 bits: FNV-1a over words of 8 bytes; the last one is filled up with zeros.
function trial.checksum(bytes)
  local size = #bytes
  local sum = 0xCBF29CE484222325 ~ size
  bytes = bytes .. ("\0"):rep(-size % 8)
  local at, left = 1, #bytes // 8
  while left > 0 do
    local n = math.min(left, WORDS)
    local words = { (n == WORDS and FORM or "<" .. ("i8"):rep(n)):unpack(bytes, at) }
    for i = 1, n do sum = (sum ~ words[i]) * PRIME end
    at, left = words[n + 1], left - n
  end
  return sum
end

-- ---- the receiver ----

local Receiver = {}
Receiver.__index = Receiver

local function contents(path)
  local file <close> = io.open(path)
  return file and file:read "a" or ""
end

-- The script of a server that stores nothing: it prints its address, and runs until it is ended.
local SERVE = [[
local rt = require "robotalk"
local server <close> = assert(require "robotalk.images".serve(nil, { listen = { "images://127.0.0.1:0" } }))
print(server:urls()[1])
io.stdout:flush()
while true do rt.sleep(3600) end
]]

---Starts an image server as a process of its own, which ends when this one does: `robotalk images DIR`; without a
---folder a script of the same server that stores nothing. options: dir, most, bytes that it stores; log, a file for
---its output.
function trial.receive(options)
  local arguments, input = "run /dev/stdin", "<<'END' &\n" .. SERVE .. "END"
  if options.dir then
    arguments = ("images %s --listen images://127.0.0.1:0 --most %d"):format(shell.quoted(options.dir), options.most)
    input = "</dev/null &"
  end
  os.remove(options.log) -- one of a run that was killed names a port that nobody listens to
  -- it ends when the other end of this pipe is closed
  local pipe = must(io.popen(([[exec 3<&0 2>/dev/null
    "$(readlink /proc/$PPID/exe)" %s >%s 2>&1 %s
    p=$!; cat <&3 >/dev/null; kill $p; wait $p]]):format(arguments, shell.quoted(options.log), input), "w"))
  local receiver = setmetatable({ pipe = pipe, dir = options.dir, log = options.log }, Receiver)
  local late = core.now() + PATIENCE
  repeat
    task.sleep(0.02)
    receiver.port = math.tointeger(tonumber(contents(options.log):match "images://127%.0%.0%.1:(%d+)"))
  until receiver.port or core.now() > late
  if not receiver.port then
    receiver:close()
    error("the receiver did not start: " .. contents(options.log), 0)
  end
  return receiver
end

---A connection to it; over a bad link when `weather` is given (core.relay).
function Receiver:dial(options, weather)
  local port = self.port
  if weather then
    local lag = { to = port }
    for name, value in pairs(weather) do lag[name] = value end
    self.relay = must(core.relay(lag))
    port = self.relay:port()
  end
  return must(images.dial(("images://127.0.0.1:%d"):format(port), options))
end

function Receiver:close()
  if self.relay then self.relay:close() end
  self.pipe:close()
end

-- ---- a camera ----

---Adds a robot with a camera of that size that shows a test card, and connects to it.
function trial.camera(width, height)
  local rt = require "robotalk"
  local name = rt.add_robot { name = "watcher", base = {}, links = { [0] = { name = "body" } },
    cameras = { { name = "eye", link = "body", width = width, height = height, rate = 1000, driver = "pattern" } } }
  local robot = rt.connect(name)
  return must(robot:camera "eye"), robot
end

-- ---- a trial ----

local function sleep_until(t)
  local left = t - core.now()
  if left > 0 then task.sleep(left) end
end

---Takes that many frames, at that rate or (nil) as fast as possible, and hands them to a sender, if there is one; each
---is answered. options: camera, frames, rate, quality, sender; relay, whose link is cut in the middle; progress(share).
---A record: seconds, from the due time of the first
---to the end of the last; frames_per_second, bytes, sums, and the time of a frame: median, p99, worst, s.
function trial.run(options)
  local camera, sender, rate, frames = options.camera, options.sender, options.rate, options.frames
  local sums, took, bytes = {}, {}, 0
  local ask = { quality = options.quality, timeout = PATIENCE }
  ask.newer = must(camera:frame(ask)) -- the camera has a client from now on
  collectgarbage()
  local begin = core.now()
  for i = 1, frames do
    if rate then sleep_until(begin + i / rate) end
    local due = core.now()
    local picture = must(camera:frame(ask))
    if options.relay and i == frames // 2 + 1 then options.relay:cut() end
    if sender then must(sender:put(picture.bytes)) end
    took[i] = core.now() - due
    sums[i] = trial.checksum(picture.bytes)
    bytes = bytes + #picture.bytes
    ask.newer = picture
    if options.progress and i % 100 == 0 then options.progress(i / frames) end
  end
  if sender then must(sender:finish(PATIENCE)) end
  local seconds = core.now() - begin
  return { seconds = seconds, frames = frames, frames_per_second = frames / seconds, bytes = bytes, sums = sums,
    middle = statistics.quantile(took, 0.5), p99 = statistics.quantile(took, 0.99), worst = took[#took] }
end

-- Counts a picture by its place among the sent ones, nil when it is none of them, and the next expected place.
local function judge(which, next)
  if not which or which > next then return "wrong" end
  return which == next and "whole" or "twice"
end

---Reads the pictures after number `after` of a receiver's folder, and compares them with the checksums of
---the sent ones: numbers of whole, lost, wrong (other bytes, or another order) and twice stored pictures (after a lost
---link unanswered ones are sent again); and the number of the last one.
function trial.verify(dir, after, sums)
  local place, result, next, last = {}, { whole = 0, lost = 0, wrong = 0, twice = 0 }, 1, after
  for i, sum in ipairs(sums) do place[sum] = i end
  local store = must(images.open(dir))
  for _, entry in ipairs(must(store:list())) do
    if entry.number > after then
      last = entry.number
      local which = place[trial.checksum(store:read(entry) or "")]
      local word = judge(which, next)
      result[word] = result[word] + 1
      next = math.max(next, (which or 0) + 1)
    end
  end
  result.lost = #sums - result.whole
  return result, last
end

return trial
