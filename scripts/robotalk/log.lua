-- The log: lines about robots for their operator, to which the core adds their time. Writing never waits for a reader.
local core = require "robotalk.core"
local printable = require "robotalk.text.text".printable
local task = require "robotalk.task"

local log = {}

---A line, without control characters. level: "info", "warning" or "error"; or { that, robot = NAME,
---client = NAME }, which the line is about. Text after a newline is indented: only a time begins a line.
function log.say(level, form, ...)
  local about = type(level) == "table" and level or { level }
  local text = select("#", ...) > 0 and form:format(...) or form
  text = printable(text):gsub("\n(%S)", "\n  %1")
  core.log(("robotalk: %s: %s\n"):format(about[1], text), about.robot, about.client)
end

---A rate limiter for log lines: `most` at once, then one a second. The others are counted.
function log.limited(most)
  local left, since, left_out = most, core.now(), 0
  local function tell()
    if left_out > 0 then log.say("warning", "%d more lines of this kind were left out", left_out) end
    left_out = 0
  end
  return function(level, form, ...)
    local now = core.now()
    left, since = math.min(most, left + now - since), now
    if left >= 1 then
      left = left - 1
      tell()
      return log.say(level, form, ...)
    end
    left_out = left_out + 1
    if left_out > 1 then return end
    -- the count is logged also when no further line follows
    task.spawn(function()
      task.sleep(1)
      tell()
    end).background = true
  end
end

return log
