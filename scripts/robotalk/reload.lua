-- Reloads the descriptions of robots of this process while they run: on demand, or when their file changes. The new
-- description is built and checked first; a wrong one leaves the old one running.
local core = require "robotalk.core"
local task = require "robotalk.task"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"

local reload = {}

local say = require "robotalk.log".say

---Loads the description of robot `name` again, from `what` (a file or a descriptor; where it came from unless said) and
---lets the robot go on with it. A table { kept =, dropped = } of queued commands; or nil, message, code, and the robot
---is as it was.
function reload.now(name, what)
  what = what or descriptor.origin[name]
  if not what then return nil, ("robot %s does not come from a file"):format(name), "ENONE" end
  local made, message, code, report
  if type(what) == "string" then
    made, message, code = descriptor.open(what)
    if not made then return nil, message, code end
  else
    report, made = descriptor.check(what)
    if report then return nil, ("%s: %s"):format(report[1].path, report[1].message), "EINVAL" end
  end
  local flat = made.records
  if flat.name ~= name then
    return nil, ("expected the description of %s, got that of %s"):format(name, flat.name), "EINVAL"
  end
  local loads, why = drivers.check(flat)
  if not loads then return nil, why, "EDEVICE" end
  drivers.release(name, "changed")
  local done
  done, message, code = core.reload_robot(made.body)
  local claimed
  claimed, why = drivers.claim()
  if not done then return nil, message, code end
  if not claimed then return nil, why, "EDEVICE" end
  return done
end

local function watch(name, path, period)
  local seen = core.file_stamp(path)
  while true do
    task.sleep(period)
    local stamp = core.file_stamp(path)
    -- a file that is being written is read again when it no longer changes
    if stamp and stamp ~= seen and stamp == (task.sleep(period / 4) or core.file_stamp(path)) then
      seen = stamp
      local again = task.spawn(reload.now, name) -- after an error in a file, too, it is read again
      local ended, report, message = again:wait()
      if not ended then report, message = nil, report end
      if report then
        say("info", "robot %s: described anew by %s; %d queued commands kept, %d dropped", name, path, report.kept,
          report.dropped)
      else
        say("warning", "robot %s goes on as it was: %s", name, message)
      end
    end
  end
end

---Watches the file that a robot came from, in a task of its own; nil when it came from none.
function reload.watch(name, period)
  local path = descriptor.origin[name]
  if not path or not core.file_stamp(path) then return nil end
  local t = task.spawn(watch, name, path, period or 0.5)
  t.name, t.background = "watch " .. path, true
  return t
end

return reload
