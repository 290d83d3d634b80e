-- Recorders: what the robots of this process do, or those of a server, into a file of MCAP (docs/recordings.md).
local checked = require "robotalk.mistakes.checked"
local client = require "robotalk.robot.client"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local mcap = require "robotalk.mcap"
local mistake = require "robotalk.mistakes.mistake"
local robots = require "robotalk.watch.robots"
local task = require "robotalk.task"
local token = require "robotalk.server.token"

local Recorder, Fetched = {}, {}
local recorder = { Recorder = Recorder }
Fetched.__index = Fetched

Recorder.__index = Recorder
Recorder.__name = "robotalk.Recorder"

local function bounded(least, most)
  return function(x)
    return not (type(x) == "number" and x >= least and x <= most) and ("%g to %g a second"):format(least, most)
  end
end
local OPTIONS = { rate = bounded(1, 1000), images = bounded(0, 100), compression = checked.text }

---Begins a new file for a robot of this process, by its name, or for all, also those that are added later: a recorder;
---nil, message, code. options: rate (states a second, 50), images (pictures a second of each camera, 0),
---compression ("zstd", "lz4", "": the first whose library is there).
function recorder.begin(path, name, options)
  if type(path) ~= "string" then mistake("record: want the path of a file, got %s", type(path)) end
  options = checked.options(options, OPTIONS, "record")
  local made, message, code = core.record(path, name, options.rate, options.images, options.compression)
  if not made then return nil, message, code end
  return setmetatable({ core = made, path = path }, Recorder)
end

---Messages in the file, or on their way there, and how many were lost, since memory or the disk was full.
function Recorder:counts()
  local messages, lost = self.core:counts()
  if messages then self.messages, self.lost = messages, lost end
  return self.messages, self.lost
end

---Finishes the file: true; nil, message, code, where the disk was full or could not be written. The file has what could
---be written.
function Recorder:close()
  self:counts()
  return self.core:close()
end

function Recorder:__close() self:close() end

local POLL <const>, PIECE <const> = 0.05, 16384 -- s; bytes of an answer

---Begins a new file for the robot of an address, or for all robots of its server (role watch): its `next` writes
---what came; nil, message, code. options: rate and images, whole numbers.
function recorder.fetch(url, path, options)
  local who, message, code = token.of {}
  if message then return nil, message, code end
  local c
  c, message, code = client.connect(url, { reconnect = false, token = who, role = "watch", name = "record" })
  if not c then return nil, message, code end
  local self = setmetatable({ client = c, path = path, lost = 0,
    fields = { robot = select(2, robots.split(url)) or "", rate = options.rate, images = options.images } }, Fetched)
  local ok
  ok, message, code = c:up()
  if ok then self.piece, message, code = c:query(0, "recording", self.fields) end
  if self.piece then self.writer, message, code = mcap.create(path) end
  if self.writer then return self end
  c:close()
  return nil, message, code
end

---Writes a piece and asks for the next one: true; nil, message, code: the server is gone, or the disk is full.
function Fetched:next()
  local ok, message, code = self.writer.core:feed(self.piece.bytes)
  if not ok then return nil, ("%s: %s"):format(self.path, message), code end
  self.lost = self.piece.lost
  if self.piece.count < PIECE then task.sleep(POLL) end
  ok, message, code = self.client:query(0, "recording", self.fields)
  if not ok then return nil, message, code end
  self.piece = ok
  return true
end

---Finishes the file: true; nil, message, code.
function Fetched:close()
  self.client:close()
  return self.writer:close()
end

colon.methods(Recorder, "recorder")

return recorder
