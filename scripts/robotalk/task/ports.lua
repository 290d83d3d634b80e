-- Ports of core.serial, core.pty and core.dial, as tasks read them.
local core = require "robotalk.core"
local task = require "robotalk.task"

local ports = {}

local HASTY <const> = 16 -- reads in a row that need not wait
local rows = setmetatable({}, { __mode = "k" }) -- port -> their number

task.handle("readable", function(handle) task.wake("readable" .. handle) end)

---Waits for bytes until the instant `late`; nil: for ever. The bytes; false when there were none by then; or nil,
---message, code at the end of input. A peer that sends without a pause does not keep other tasks from running.
function ports.read(port, late)
  local row = (rows[port] or 0) + 1
  if row > HASTY then
    task.sleep(0)
    row = 1
  end
  while true do
    local bytes, message, code = port:read()
    rows[port] = row
    if bytes ~= false then return bytes, message, code end
    local left = late and late - core.now()
    if left and left <= 0 then return false end
    task.wait("readable" .. port:handle(), left)
    row = 0
  end
end

return ports
