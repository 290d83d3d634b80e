-- The scripts of a server: each has a Lua state and a thread of its own (robotalk.hosted is its side), may be started
-- again when it ends, and is started, stopped and replaced while robots and the other scripts continue. This is the
-- main script's side, which manages them.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local log = require "robotalk.log"
local mistake = require "robotalk.mistakes.mistake"
local modes = require "robotalk.modes"
local near = require "robotalk.mistakes.near"
local task = require "robotalk.task"

local supervisor = {}

---The conditions under which an ended script is started again.
supervisor.restarts = { "never", "failure", "always" }

local FIRST <const>, MOST <const> = 1, 60 -- s: the pause before a script is started again, which doubles
local LONG <const> = 60                   -- s: running time after which the pause is the first again
local ENDING <const> = 3                  -- s: time for a script to end after a stop
local PROOF <const> = 0.2                 -- s: start and replace report a failure within that time
local PHASES <const> = { building = 1, built = 2, running = 3, left = 4, gone = 5 }

---The machine that runs them; tests replace it.
supervisor.machine = { host = core.host, go = core.hosted_go, stop = core.hosted_stop, state = core.hosted_state,
  close = core.hosted_close }

local all = {}  -- in the order in which they were added
local seen = {} -- handle of a state -> { phase =, failed =, why = }, of those that a task waits for

local function find(name)
  for _, one in ipairs(all) do if one.name == name then return one end end
end

-- ---- one state of a script ----

---Called by the machine when the phase of a state has changed.
function supervisor.heard(handle)
  local phase, failed, why = supervisor.machine.state(handle)
  if not phase then return end -- it is closed
  if phase == "gone" then supervisor.machine.close(handle) end
  local state = seen[handle]
  if state then state.phase, state.failed, state.why = PHASES[phase], failed, why end
  task.wake(handle)
end
task.handle("hosted", function(handle) supervisor.heard(handle) end)

-- Waits until the state has reached that phase: its entry in `seen`; nil when it does not in time.
local function await(handle, phase, timeout)
  local until_ = timeout and core.now() + timeout
  while seen[handle].phase < PHASES[phase] do
    if until_ and core.now() >= until_ then return nil end
    task.wait(handle, until_ and until_ - core.now())
  end
  return seen[handle]
end

-- A new state with the file loaded: its handle; or nil, message, code.
local function build(one)
  local head = "return { file = %q, seconds = %q, memory = %q, bridge = %s, args = {"
  local lines = { head:format(one.file, one.seconds, one.memory, one.bridge) }
  for _, word in ipairs(one.args) do lines[#lines + 1] = ("%q,"):format(word) end
  lines[#lines + 1] = "}, modes = {"
  for name, text in pairs(modes.added) do lines[#lines + 1] = ("[%q] = %q,"):format(name, text) end
  lines[#lines + 1] = "} }"
  local handle, why, code = supervisor.machine.host(one.name, table.concat(lines, "\n"))
  if not handle then return nil, why, code end
  seen[handle] = { phase = PHASES.building }
  local state = await(handle, "built")
  if not state.failed then return handle end
  seen[handle] = nil
  return nil, state.why, "EINVAL"
end

-- ---- a script, from its start until it is not started again ----

local function tell(level, one, form, ...) log.say(level, "script %s: %s", one.name, form:format(...)) end

-- It has ended, and no other state takes its place.
local function settle(one, state)
  if one.ending then
    one.state, one.why = "stopped", ""
    tell("info", one, "stopped")
  elseif state.failed then
    one.state, one.why = "failed", state.why
    tell("error", one, "failed: %s", state.why)
  else
    one.state, one.why = "ended", ""
    tell("info", one, "ended")
  end
  task.wake(one)
end

local function is_again(one) return one.restart == "always" or one.restart == "failure" and one.state == "failed" end

-- Runs a built state.
local function launch(one, handle)
  one.handle, one.state, one.why = handle, "running", ""
  one.since, one.starts = core.now(), one.starts + 1
  tell("info", one, one.starts == 1 and "started" or "started, for the %d. time", one.starts)
  supervisor.machine.go(handle) -- after that: the log has its lines behind these
  task.wake(one)
end

-- Waits, and builds a state again, until there is one: its handle and the pause after it; nil when it is to end.
local function again(one, pause)
  while true do
    tell("info", one, "is started again in %g s", pause)
    one.state = "waiting"
    local at = core.now() + pause
    while core.now() < at and not one.ending do task.wait(one, at - core.now()) end
    if one.ending then return nil end
    pause = math.min(2 * pause, MOST)
    local handle, why = build(one)
    if handle and not one.ending then return handle, pause end
    if handle then supervisor.machine.stop(handle) end
    if one.ending then return nil end
    one.why = why
    tell("error", one, "%s", why)
  end
end

local function keep(one)
  local pause = FIRST
  repeat
    local state = await(one.handle, "left")
    seen[one.handle] = nil
    local handle = one.next
    one.handle, one.next = nil, nil
    if handle then
      pause = FIRST
    else
      settle(one, state)
      if core.now() - one.since >= LONG then pause = FIRST end
      one.since = core.now()
      if not one.ending and is_again(one) then handle, pause = again(one, pause) end
    end
    if handle then launch(one, handle) end
  until not one.handle
  if one.state == "waiting" then one.state = "stopped" end
  one.supervisor = nil
  task.wake(one)
end

-- ---- commands ----

-- A command to a script; a second one is refused meanwhile.
local function command(name, fn)
  local one = find(name)
  if not one then
    local names = {}
    for i, other in ipairs(all) do names[i] = other.name end
    local meant = near(name, names)
    local hint = meant and (", did you mean '%s'? Scripts"):format(meant) or "; scripts"
    return nil, ("there is no script '%s'%s are: %s"):format(tostring(name), hint,
      #names > 0 and table.concat(names, ", ") or "none"), "ENONE"
  end
  if one.busy then return nil, ("script %s is being started, stopped or replaced already"):format(name), "EEXISTS" end
  one.busy = true
  local _ <close> = setmetatable({}, { __close = function() one.busy = false end })
  return fn(one)
end

-- Waits a while until done(): true; or nil, message, code.
local function ended(one, done)
  local until_ = core.now() + ENDING
  while not done() and core.now() < until_ do task.wait(one, until_ - core.now()) end
  if done() then return true end
  return nil, ("script %s does not end when it is told to"):format(one.name), "ETIMEOUT"
end

local function finish(one)
  if not one.supervisor then return true end
  one.ending = true
  if one.handle then supervisor.machine.stop(one.handle) else task.wake(one) end
  return ended(one, function() return not one.supervisor end)
end

-- Runs a built state, of a script without a supervisor task.
local function run(one, handle)
  one.ending = false
  launch(one, handle)
  one.supervisor = task.spawn("script " .. one.name, keep, one)
  one.supervisor.background = true
  return true
end

local function begin(one)
  if one.handle then return nil, ("script %s runs already"):format(one.name), "EEXISTS" end
  finish(one) -- it waits to be started again
  one.state = "starting"
  local handle, why, code = build(one)
  if not handle then
    one.state, one.why = "failed", why
    return nil, why, code
  end
  return run(one, handle)
end

local function replace(one)
  if not one.handle then return begin(one) end
  local handle, why, code = build(one)
  if not handle then return nil, why, code end
  if not one.handle then -- it has ended meanwhile, and perhaps waits to be started again
    finish(one)
    return run(one, handle)
  end
  local before = one.starts
  one.next = handle
  supervisor.machine.stop(one.handle)
  local ok, late, timeout = ended(one, function() return one.starts > before or not one.supervisor end)
  if ok then return true end
  one.next, one.ending, seen[handle] = nil, true, nil
  supervisor.machine.stop(handle)
  return nil, late, timeout
end

-- The same for one that runs from now on, unless it has failed at once; another command may come meanwhile.
local function prove(name, ok, message, code)
  if not ok then return nil, message, code end
  local one = find(name)
  local starts, until_ = one.starts, core.now() + PROOF
  while one.state == "running" and not one.ending and one.starts == starts and core.now() < until_ do
    task.wait(one, until_ - core.now())
  end
  if one.why == "" or one.starts ~= starts then return true end
  return nil, ("script %s has begun, and failed: %s"):format(name, (one.why:gsub("\n.*", ""))), "EINVAL"
end

---Whether a script of that name exists.
function supervisor.has(name) return find(name) ~= nil end

---Starts a script that does not run: true; or nil, message, code.
function supervisor.start(name) return prove(name, command(name, begin)) end

---Ends a script; its connections are closed, which stops its motions, and it is not started again: true; or nil,
---message, code.
function supervisor.stop(name) return command(name, finish) end

---Replaces a script by its present file: the new state is built first, then the old one is ended, and the new one
---begins. true; or nil, message, code, and the old one continues, unless the new one has begun and failed at once.
function supervisor.reload(name) return prove(name, command(name, replace)) end

---All scripts, as tables: name, file, state (starting, running, ending, waiting to be started again, ended, failed,
---stopped; stuck: not interruptible), restart, starts, since (as rt.now()), memory (bytes), seconds (of processor
---time), and why it has failed.
function supervisor.list()
  local list = {}
  for i, one in ipairs(all) do
    local row = { name = one.name, file = one.file, state = one.state, restart = one.restart, starts = one.starts,
      since = one.since, memory = 0, seconds = 0, why = one.why }
    if one.handle then
      local _, _, _, memory, seconds, stuck = supervisor.machine.state(one.handle)
      row.memory, row.seconds = memory or 0, seconds or 0
      if one.ending or one.next then row.state = "ending" end
      if stuck then row.state, row.why = "stuck", stuck end
    end
    list[i] = row
  end
  return list
end

-- ---- adding them ----

local OPTIONS <const> = { file = true, name = true, args = true, restart = true, seconds = true, memory = true,
  bridge = true }

local function is_texts(list)
  if type(list) ~= "table" then return false end
  for _, word in ipairs(list) do
    if type(word) ~= "string" then return false end
  end
  return true
end

local function is_one_of(word, words)
  for _, other in ipairs(words) do if word == other then return true end end
  return false
end

---The name of a script with those options, whose file is a text.
function supervisor.name_of(options) return options.name or (options.file:match "([^/]*)$":gsub("%.lua$", "")) end

-- The type of each option, in the order of the messages.
local CHECKS <const> = {
  { "file", function(file) return type(file) == "string" end, "the path of a script" },
  { "name", function(name) return type(name) == "string" and name:find "^[%w_.-]+$" and #name <= 31 end,
    "1 to 31 letters, digits, _, - or ." },
  { "args", is_texts, "a list of texts" },
  { "restart", function(word) return is_one_of(word, supervisor.restarts) end,
    table.concat(supervisor.restarts, ", ") },
  { "seconds", function(n) return math.type(n) and n > 0 and n < 1e6 end, "seconds, above 0 and below 1e6" },
  { "memory", function(n) return math.type(n) == "integer" and n >= 1 and n <= 1 << 20 end, "MiB, 1 or more" },
  { "bridge", function(flag) return type(flag) == "boolean" end, "true or false" },
}

---The error in the options of a script: the option and a message; nothing when they are valid.
function supervisor.wrong(options)
  for _, name in ipairs(checked.names(options)) do
    if not OPTIONS[name] then
      local names = checked.names(OPTIONS)
      local meant = near(name, names)
      local hint = meant and ("did you mean '%s'? "):format(meant) or ""
      return name, ("%sexpected %s"):format(hint, table.concat(names, ", "))
    end
  end
  for _, check in ipairs(CHECKS) do
    local option, is_right, expected = table.unpack(check)
    local value = options[option]
    if option == "name" and value == nil then value = supervisor.name_of(options) end
    if (value ~= nil or option == "file") and not is_right(value) then return option, "expected " .. expected end
  end
end

---Adds a script, which supervisor.start starts. options: file; name (that of the file), args, restart (never, failure,
---always), seconds (of processor time between two waits of a task, 10), memory (MiB, 512), bridge (it returns one,
---which runs: then the defaults are restart failure and seconds 1). Its name; or nil, message, code.
function supervisor.add(options)
  options = checked.options(options, OPTIONS, "add_script")
  local option, why = supervisor.wrong(options)
  if option then mistake("add_script: %s: %s", option, why) end
  local name = supervisor.name_of(options)
  if find(name) then return nil, ("there is a script '%s' already"):format(name), "EEXISTS" end
  local bridge = options.bridge == true -- its robot waits for it
  all[#all + 1] = { name = name, file = options.file, args = options.args or {}, bridge = bridge,
    restart = options.restart or (bridge and "failure" or "never"), seconds = options.seconds or (bridge and 1 or 10),
    memory = options.memory or 512, state = "stopped", starts = 0, since = core.now(), why = "" }
  return name
end

-- Removes them again.
local function forget(list)
  for _, one in ipairs(list) do
    for i = #all, 1, -1 do
      if all[i] == one then table.remove(all, i) end
    end
    if one.handle then
      supervisor.machine.stop(one.handle)
      seen[one.handle] = nil
    end
  end
end

---Adds scripts, and builds them: a function that runs them; or nil, message, code, and none of them is added.
function supervisor.prepare(list)
  local added = {}
  for _, options in ipairs(list) do
    local name, why, code = supervisor.add(options)
    local one = name and find(name)
    if one then
      added[#added + 1] = one
      one.state, one.busy = "starting", true
      one.handle, why, code = build(one)
    end
    if not one or not one.handle then
      forget(added)
      return nil, why, code
    end
  end
  return function()
    for _, one in ipairs(added) do
      one.busy = false
      run(one, one.handle)
    end
  end
end

---Adds a script and starts it: its name; or nil, message, code, and it is not added.
function supervisor.begin(options)
  local start, why, code = supervisor.prepare { options }
  if not start then return nil, why, code end
  start()
  return supervisor.name_of(options)
end

---Ends all scripts, and waits a while for that.
function supervisor.stop_all()
  local tasks = {}
  for i, one in ipairs(all) do tasks[i] = task.spawn(supervisor.stop, one.name) end
  for _, t in ipairs(tasks) do t:wait(ENDING) end
end

return supervisor
