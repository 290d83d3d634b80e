-- Common code of the verbs that run a script: a world, the script as the main task, and a clean end.
local core = require "robotalk.core"

-- signal: the number of the one that has ended the program. interrupt: a function that handles SIGINT: true if
-- the program is to continue. finish: called when the program's robots have halted, however it ends: false if
-- a part could not be finished, which is printed then.
local script = {}
local SIGINT = 2

---Runs fn as the main task: true and its results, or false and the error with the script's line. limit:
---the time of the world at which it is ended, or nil.
function script.main(fn, limit)
  local task = require "robotalk.task"
  local t = task.spawn(fn)
  t.name = "main"
  t.watched = true
  core.hear_signals()
  task.handle("signal", function(number)
    if number == SIGINT and script.interrupt and script.interrupt() then return end
    script.signal = number
    t:cancel()
  end)
  local ended = task.run_main(t, limit)
  if not ended then
    require "robotalk.log".say("info", "the time of --until is over: the script is ended")
    t:cancel()
  end
  task.cancel_all()
  require "robotalk.drivers".shut_down()
  if t.state == "failed" then return false, t.message end
  if not ended or t.state == "cancelled" then return true end
  return true, table.unpack(t.results, 1, t.results.n)
end

---The same for a function that uses the server at that address: true, or false on an error, which is printed then.
function script.ask(url, fn)
  local ok, message = script.main(fn)
  if not ok then script.complain(("%s: %s"):format(url, message)) end
  return ok
end

local Failure = { __tostring = function(self) return self.why end }

---Raises an error that is no mistake of a script; it is printed without a traceback.
function script.fail(why) error(setmetatable({ why = why }, Failure), 0) end

---Opens a world ({ virtual =, seed =, spin = }) in which scripts have that budget, s: true; or prints why not. The
---numbers of math.random follow from the seed, too.
function script.open(world, budget)
  local ok, why = core.open(world)
  if world.virtual then math.randomseed(world.seed or 1) end
  if ok then ok, why = pcall(core.hear_signals) end
  if ok and budget then core.budget(budget) end
  if ok then require "robotalk.robot.beside".install() end
  if not ok then script.complain(why) end
  return ok
end

---Options of verbs that read a part of a recording.
script.FROM = { "from", "S", "from that time on, s since the first message", number = { 0 } }
script.TO = { "to", "S", "until that time", number = { 0 } }

---The option --connect of verbs whose first argument is an address.
script.CONNECT = { "connect", "URL", "the same as URL" }

---The option --log-format of verbs that write a log.
script.LOG = { "log-format", "FORMAT", "format of the log: text, journal, json (docs/lua.md); by default text,\n"
  .. (" "):rep(25) .. "and journal when systemd's journal reads it" }

---The option --world of verbs with simulated robots.
script.WORLD = { "world", "FILE",
  "the scenery around simulated robots: a file, or the name of a bundled world, as maze\n"
    .. (" "):rep(25) .. "(docs/worlds.md)" }

---Sets up the scenery: a name, a file or a table; file: that of the table; nil: none. true; or prints its
---errors.
function script.surround(what, file)
  if not what then return true end
  local ok, why = require "robotalk.world".open(what, file)
  for line in (ok and "" or why):gmatch "[^\n]+" do script.complain(line) end
  return ok
end

script.PHYSICS = { "physics", nil,
  "simulated robots have weight: the driver physics in place of sim (docs/physics.md)" }

---Sets whether descriptors that are opened from now on are simulated with physics.
function script.physics(on) require "robotalk.descriptor.records".physical = on == true end

---The option --record of verbs whose robots are of this process.
script.RECORD = { "record", "FILE",
  "records this process's robots, and what commands them, into a new file (docs/recordings.md)" }

---Begins that: a recorder, or nil; on an error, which is printed, also true.
function script.record(args)
  if not args.record then return nil end
  local recorder, why = require "robotalk.recorder".begin(args.record)
  if not recorder then script.complain(("record: %s: %s"):format(args.record, why)) end
  return recorder, not recorder
end

---Finishes it: false when it could not be written, which is printed.
function script.finish_record(recorder)
  if not recorder then return true end
  local ok, why = recorder:close()
  if not ok then script.complain(("record: %s: %s"):format(recorder.path, why)) end
  return ok == true
end

---Rows of texts as lines in columns, the columns of `right` to the right.
function script.columns(rows, right)
  local width, lines = {}, {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do width[i] = math.max(width[i] or 0, utf8.len(cell) or #cell) end
  end
  for k, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do
      local pad = (" "):rep(width[i] - (utf8.len(cell) or #cell))
      cells[i] = right and right[i] and pad .. cell or cell .. pad
    end
    lines[k] = table.concat(cells, "  "):gsub("%s+$", "")
  end
  return lines
end

---Prints the error of a script; into a log of another format than text as a line of that.
function script.complain(message)
  if core.log_format() then return require "robotalk.log".say("error", "%s", message) end
  core.say("err", ("robotalk: error: %s\n"):format(message))
end

return script
