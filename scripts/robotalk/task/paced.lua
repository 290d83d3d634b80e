-- The pace of commands that are refused: a loop that repeats one fills neither a core nor a link, and in a virtual
-- world time advances.
local core = require "robotalk.core"
local signals = require "robotalk.session.signals"
local task = require "robotalk.task"

local PAUSE <const> = 0.01 -- s, of the script's clock

---Returns the results of a command that was waited for, its signal first. When it was refused, or not sent, at least
---PAUSE has passed since `begun`. A stop never waits.
return function(op, begun, signal, ...)
  local left = begun + PAUSE - core.now()
  if left > 0 and not signals.good[signal] and op ~= "stop" and task.can_wait() then task.sleep(left) end
  return signal, ...
end
