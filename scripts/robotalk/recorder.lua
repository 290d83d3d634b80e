-- Recorders: what the robots of this process do, into a file of MCAP (docs/recordings.md).
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"

local Recorder = {}
local recorder = { Recorder = Recorder }

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

colon.methods(Recorder, "recorder")

return recorder
