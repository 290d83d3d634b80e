-- A hosted script from inside: its own Lua state runs its file, from the first line to the end. The server's
-- side of it is robotalk.server.supervisor.
local beside = require "robotalk.robot.beside"
local core = require "robotalk.core"
local log = require "robotalk.log"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local MOST_REPORTED <const>, PERIOD <const> = 10, 60 -- failures of tasks; seconds

local left -- the call of os.exit: { good =, why = }

-- Functions of the program as a whole are not available. print writes to the log, which waits for no reader.
local function furnish(name, main)
  function _G.print(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    log.say("info", "%s: %s", name, table.concat(words, "\t"))
  end
  local reported, unreported, since = 0, 0, -math.huge
  function task.on_failure(t, message)
    local now = core.uptime()
    if now - since >= PERIOD then
      if unreported > 0 then log.say("error", "%s: %d further tasks have failed", name, unreported) end
      reported, unreported, since = 0, 0, now
    end
    if reported == MOST_REPORTED then unreported = unreported + 1 return end
    reported = reported + 1
    log.say("error", "%s: task %s: %s%s", name, t.name, message,
      reported == MOST_REPORTED and ("; those that follow within %g s are counted"):format(PERIOD) or "")
  end
  rawset(debug, "sethook", function() mistake("sethook: script %s lives in a server, whose hook this is", name) end)
  local set_locale = os.setlocale
  rawset(os, "setlocale", function(locale, category) return locale == nil and set_locale(nil, category) or nil end)
  rawset(os, "exit", function(code)
    local good = code == nil or code == true or code == 0
    left = left or { good = good, why = ("it has called os.exit(%s)"):format(tostring(code)) }
    core.hosted_leave()
    main():cancel()
    local me = task.self()
    if me then
      me.leaves = true -- its interruption is a cancellation
      me:cancel()
    end
    core.hosted_exit()
  end)
end

-- Runs the script as the main task: true; or false and why it has failed.
local function run(main)
  task.handle("signal", function()
    core.hosted_leave()
    main:cancel()
    task.cancel_others() -- now: tasks that have not begun might start others without end
  end)
  main.name, main.watched, main.on_end = "main", true, core.hosted_leave
  task.run_main(main)
  task.cancel_all()
  if left then return left.good, left.why end
  if main.state == "failed" then return false, main.message end
  local failed = task.unheard
  if failed == 0 or main.state == "cancelled" then return true end
  return false, ("%d %s failed"):format(failed, failed == 1 and "task of it has" or "tasks of it have")
end

---The function that runs the script of that name; or nil and why its file cannot be loaded. given: a text of Lua, the
---table that robotalk.server.supervisor makes.
return function(name, given)
  local options = load(given, "=given", "t", {})()
  core.budget(options.seconds, options.memory)
  core.hosted_name = name
  local fn, why = loadfile(options.file, "t")
  if not fn then return nil, why end
  local rt, modes = require "robotalk", require "robotalk.modes"
  modes.added = options.modes
  for _, function_ in ipairs { "connect", "try_connect" } do
    local connect = rt[function_]
    rt[function_] = function(robot, ...) return connect(robot or core.robots()[1], ...) end
  end
  beside.install()
  local main
  furnish(name, function() return main end)
  _G.arg = table.move(options.args, 1, #options.args, 1, { [0] = options.file })
  return function()
    main = task.spawn(function()
      local made = beside.run(options.file, fn, table.unpack(arg))
      if not options.bridge then return end
      if not require "robotalk.bridge".is(made) then
        error(("%s returns no bridge: expected return bridge.new { … }"):format(options.file), 0)
      end
      made:run()
    end)
    return run(main)
  end
end
