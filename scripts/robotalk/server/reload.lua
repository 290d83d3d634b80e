-- Reloads the descriptions of robots of this process while they run: on demand, when their file changes, or when a
-- client of a server asks for it. The new description is built and checked first; an invalid one is rejected and the
-- old one stays.
local beside = require "robotalk.robot.beside"
local core = require "robotalk.core"
local task = require "robotalk.task"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"

local reload = {}

local say = require "robotalk.log".say

---The body of robot `name` from `what`: a file or a descriptor; nil, message, code.
function reload.body(name, what)
  local made, message, code, report
  if type(what) == "string" then
    made, message, code = descriptor.open(what)
    if not made then return nil, message, code end
  else
    report, made = descriptor.check(what, beside.caller())
    if report then return nil, ("%s: %s"):format(report[1].path, report[1].message), "EINVAL" end
  end
  if made.records.name ~= name then
    return nil, ("expected the description of %s, got that of %s"):format(name, made.records.name), "EINVAL"
  end
  return descriptor.placed(made, what, beside.caller(), true).body
end

---Applies that body to a robot of this process. A table { kept =, dropped = } of queued commands; or nil, message, code
---and its number, and the robot is unchanged, or, if the fifth result is true, without devices.
function reload.become(body)
  local records = core.records(body)
  local loads, why = drivers.check(records)
  if not loads then return nil, why, "EDEVICE" end
  drivers.release(records.name, "changed")
  local done, message, code, number, lost = core.reload_robot(body)
  local claimed
  claimed, why = drivers.claim()
  if not done then return nil, message, code, number, lost end
  if not claimed then return nil, why, "EDEVICE" end
  return done
end

---Loads the description of robot `name` again, from `what` (a file or a descriptor; default: its origin) and
---applies it to the running robot. A table { kept =, dropped = } of queued commands; or nil, message, code, and whether
---the robot has no devices now; else it is unchanged.
function reload.now(name, what)
  what = what or descriptor.origin[name]
  if not what then return nil, ("robot %s does not come from a file"):format(name), "ENONE" end
  local body, message, code = reload.body(name, what)
  if not body then return nil, message, code end
  local done, lost, _
  done, message, code, _, lost = reload.become(body)
  return done, message, code, lost
end

local function watch(name, path, period)
  local seen = descriptor.stamp[name] -- of the file that was read: it may have changed since
  local told -- the newest warning
  while true do
    task.sleep(period)
    local stamp = core.file_stamp(path)
    -- a file that is being written is read again when it no longer changes
    if stamp and stamp ~= seen and stamp == (task.sleep(period / 4) or core.file_stamp(path)) then
      seen = stamp
      local again = task.spawn(reload.now, name) -- after an error in a file, too, it is read again
      local ended, report, message, _, lost = again:wait()
      if not ended then report, message = nil, report end
      if lost then seen = nil end -- its devices may come back
      if report then
        told = nil
        say("info", "robot %s: described anew by %s; %d queued commands kept, %d dropped", name, path, report.kept,
          report.dropped)
      elseif message ~= told then
        told = message
        say("warning", "robot %s %s: %s", name, lost and "has no devices" or "goes on as it was", message)
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
