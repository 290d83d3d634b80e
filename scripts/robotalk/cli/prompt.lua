-- The prompt: lines are read, run as tasks and their values shown; events of the robot are printed between them.
local core = require "robotalk.core"
local complete = require "robotalk.cli.complete"
local help = require "robotalk.cli.help"
local near = require "robotalk.mistakes.near"
local pretty = require "robotalk.cli.pretty"
local script = require "robotalk.cli.script"
local lease = require "robotalk.session.lease"
local retained = require "robotalk.session.retained"
local shell = require "robotalk.shell"
local task = require "robotalk.task"
local Result = require "robotalk.session.result"

local prompt = {}

---A piece of input as an expression, or as a statement; nil, why, incomplete.
function prompt.compile(text, env)
  local fn = load("return " .. text, "=input", "t", env)
  if fn then return fn end
  local why
  fn, why = load(text, "=input", "t", env)
  return fn, why, why and why:find("<eof>$") ~= nil
end

-- The name that was meant by one that does not exist, or nil. Underscores count for nothing.
local function nearest(env, name, kind)
  local names = {}
  if kind == "global" then
    for key in pairs(env) do names[key] = true end
    for key in pairs(_G) do names[key] = true end
  end
  for _, class in ipairs { "robotalk.Robot", "robotalk.Session", "robotalk" } do
    for _, row in ipairs(kind ~= "global" and help.class(class).functions or {}) do names[row[1]] = true end
  end
  local sorted = {}
  for key in pairs(names) do if type(key) == "string" then sorted[#sorted + 1] = key end end
  table.sort(sorted)
  return near(name, sorted)
end

---An error with the name that was meant; in one line, unless the traceback has user's files.
function prompt.plain(env, message)
  if type(message) ~= "string" then return tostring(message) end
  message = message:gsub("\nstack traceback:\n.*$", "") -- of an error in this library
  local first, rest = message:gsub("\n  called at input:[^\n]*", ""):match("^([^\n]*)(.*)$")
  local kind, name = first:match("%(([%a]+) '([%w_]+)'%)$")
  if not first:find("nil value", 1, true) then name = nil end
  if first:find("^input:.*'goto'") then kind, name = "method", "goto" end -- a word of Lua
  local meant = name and nearest(env, name, kind)
  return (meant and ("%s; did you mean %s?"):format(first, meant) or first) .. rest
end

-- The values of a piece of input as a text. A command's result is printed in one line.
local function told(values)
  local parts = {}
  local is_result = getmetatable(values[values.n]) == Result
  for i = 1, values.n do
    if not (is_result and values[i] == nil) then parts[#parts + 1] = pretty(values[i]) end
  end
  if is_result and values[values.n].reason == "lease" and values[1] == "BUSY" then
    parts[#parts + 1] = "robot:take() asks for it"
  end
  return table.concat(parts, is_result and ": " or "  ")
end

---Runs a piece of input as a task of its own, so that it can be interrupted, and prints its values; `_` is the first
---of them. false: it failed. errors: their output ("err"). begun(task): optional.
function prompt.evaluate(fn, env, errors, begun)
  local t = task.spawn(function()
    local values = table.pack(fn())
    if values.n == 0 then return end
    env._ = values[1]
    return told(values) -- here: it calls the values' __tostring, which may fail or take long as the input may
  end)
  t.name = "input"
  if begun then begun(t) end
  local good, text, code = t:wait()
  if not good then text = code == "ECANCELLED" and "interrupted" or prompt.plain(env, text) end
  if text then core.say(good and "out" or errors or "err", text .. "\n") end
  return good and true or false
end

-- ---- history ----

local function history_file()
  local state = os.getenv "XDG_STATE_HOME" or (os.getenv "HOME" or ".") .. "/.local/state"
  shell.make_folder(state .. "/robotalk")
  return state .. "/robotalk/history"
end

-- Whether two texts compile to the same program.
local function same(a, b)
  local f, g = load(a), load(b)
  return f and g and string.dump(f, true) == string.dump(g, true)
end

-- Whether a text holds a token: one that was made here, or one that is passed to connect.
local function tells_token(text)
  return text:find("rtk_%x%x%x%x%x%x%x%x") or text:find "%f[%w_]token%s*=%s*[\"'%[]"
end

---Input of several lines for the history: one line without comments; if that would be another program, line by
---line. Input with a token is not kept: the history is a file.
function prompt.remembered(text)
  text = text:gsub("\n+$", "")
  if not text:find("%S") or tells_token(text) then return {} end
  local line = text:gsub("%-%-[^\n]*", ""):gsub("%s*\n%s*", " ")
  if not text:find("\n", 1, true) then return { text } end
  if same(text, line) or same("return " .. text, "return " .. line) then return { line } end
  local lines = {}
  for part in text:gmatch("[^\n]+") do lines[#lines + 1] = part end
  return lines
end

-- ---- events ----

local NEWS = {
  panicked = "PANIC: the robot is stopped and takes no commands until robot:reset()",
  reset = "the panic is over",
  deadman = "the deadman stopped the robot: this program was silent too long",
  stopped = "another client stopped the robot",
  changed = "the robot was described anew",
  removed = "the robot was removed",
  shutdown = "the server ends",
  lost = "another client drives now what this one has driven",
}

-- Prints events of the robot and its link. quiet(): whether an event is the answer to the input.
local function listen(robot, quiet)
  local client, up = robot.client, true
  local function say(text) core.say("out", "-- " .. text .. "\n") end
  table.insert(client.link_listeners, function()
    local state, why, code = client.link:state()
    if code == "ETOKEN" then return say(why .. "; the prompt does not connect again") end
    if (state == "up") == up or state == "closed" then return end
    up = state == "up"
    say(up and "the link is back"
      or ("the link is lost: %s; the prompt connects again by itself"):format(why or "no answer"))
  end)
  local known = ""
  table.insert(client.listeners, function(what, _, value)
    if what == "leases" then
      task.spawn(function()
        local words = lease.words(robot:holders() or {})
        if words ~= known and not quiet() then say(words) end
        known = words
      end).background = true
    end
    if quiet() then return end
    if what == "latched" and value ~= 0 then
      say(("stopped by %s; robot:resume() goes on"):format((robot:stopped() or { by = "another client" }).by))
    end
    local words = retained.words(what, client.link:session(robot.number))
    if words then say(words) end
    if NEWS[what] and not (what == "stopped" and robot:stopped()) then say(NEWS[what]) end -- its latch was said
  end)
  for _, words in ipairs(retained.all(client.link:session(robot.number))) do say(words) end
  robot:on_asked(function(asked) -- no answer: the user's own function may have one
    say(("%s asks to take over %s and gets it in %.0f s; robot:release() gives it now, "
      .. "robot:on_asked(fn) answers later requests")
      :format(asked.holder, table.concat(asked.parts, ", "), math.max(0, asked.due - core.now())))
  end)
end

-- ---- the main loop ----

-- The next line, from the terminal's prompt or from a pipe; nil at the end, false when it was interrupted.
local function reader(env, terminal)
  if not terminal then return function() return io.read("L") end end
  task.handle("line", function() task.wake("line") end)
  return function(text)
    core.prompt(text, function(line, word) return complete(env, line, word) end)
    local _, interrupted = task.wait("line")
    if interrupted then return false end
    local line = core.line()
    return line and line .. "\n"
  end
end

local function is_end(text)
  local word = text:match("^%s*(%a+)%s*%(?%s*%)?%s*$")
  return word == "quit" or word == "exit"
end

---Reads and runs lines until their end or quit; false when one of a pipe failed. At a terminal Ctrl-C stops the motions
---of this program (bindings/lua/watchdog.c), ends the tasks that lines have begun, and clears the line.
function prompt.converse(env, robot)
  local terminal = core.is_terminal(0)
  local file = terminal and history_file()
  if file then core.history("load", file) end
  -- also when a signal ends the program
  local _ <close> = setmetatable({}, { __close = function() if file then core.history("save", file) end end })
  local read, text, good = reader(env, terminal), "", true
  local errors = terminal and "out" or "err" -- at a terminal they are printed between the prompts
  local busy, interrupted
  local before = {} -- tasks that no line has begun
  for _, t in ipairs(task.list()) do before[t] = true end
  if terminal then core.hear_signals(true) end
  script.interrupt = terminal and function()
    interrupted = true
    if busy then busy:cancel() else task.wake("line", true) end
    return true
  end
  if terminal then listen(robot, function() return busy ~= nil end) end
  while true do
    local line = read(text == "" and "> " or ">> ")
    if line == nil or (text == "" and line and is_end(line)) then break end
    text = line and text .. line or ""
    local fn, why, incomplete = prompt.compile(text, env)
    if fn or not incomplete or line == "\n" then
      for _, part in ipairs(terminal and prompt.remembered(text) or {}) do core.history("add", part) end
      if fn then
        good = prompt.evaluate(fn, env, errors, function(t) busy = t end) and good
        busy = nil
      elseif text:find("%S") then
        core.say(errors, prompt.plain(env, why) .. "\n")
        good = false
      end
      text = ""
    end
    if interrupted then
      core.prompt_off() -- input that is typed meanwhile waits for the next prompt
      for _, t in ipairs(task.list()) do
        if not before[t] then t:cancel() end
      end
      core.say("out", "\nstop: ")
      local word, trouble = robot:stop { own = true }
      core.say("out", (word or trouble) .. "\n")
      interrupted = nil
      core.hear_signals(true) -- it may command again, and the next is the first again
    end
  end
  if text:find("%S") then
    core.say(errors, select(2, prompt.compile(text, env)) .. "\n")
    good = false
  end
  script.interrupt = nil
  if terminal then core.hear_signals() end
  return terminal or good
end

return prompt
