local core = require "robotalk.core"
local script = require "robotalk.cli.script"
local log = require "robotalk.log"

-- Formats a value for people: tables one level deep.
local function pretty(x, depth)
  if type(x) == "string" then return depth and ("%q"):format(x) or x end
  local meta = getmetatable(x)
  if type(x) ~= "table" or (meta and meta.__tostring) then
    return math.type(x) == "float" and ("%.6g"):format(x) or tostring(x)
  end
  if depth and depth > 1 then return "{…}" end
  local parts, n = {}, #x
  for i = 1, math.min(n, 12) do parts[i] = pretty(x[i], (depth or 0) + 1) end
  if n > 12 then parts[#parts + 1] = "…" end
  local keys = {}
  for k in pairs(x) do
    if not (math.type(k) == "integer" and k >= 1 and k <= n) then keys[#keys + 1] = k end
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, k in ipairs(keys) do
    parts[#parts + 1] = ("%s = %s"):format(type(k) == "string" and k or "[" .. tostring(k) .. "]",
      pretty(x[k], (depth or 0) + 1))
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

-- A line as an expression, or as a statement; nil, why, incomplete.
local function compile(text, env)
  local fn = load("return " .. text, "=input", "t", env)
  if fn then return fn end
  local why
  fn, why = load(text, "=input", "t", env)
  return fn, why, why and why:find("<eof>$") ~= nil
end

-- The error text of a piece of input. Lines of this program do not help the user: a traceback is shown only if it
-- leads through a file of the user's.
local function plain(message)
  local first, trace = message:match("^(.-)(\nstack traceback:\n.*)$")
  for line in (trace or ""):gmatch("\n\t([^\n]*)") do
    if not (line:find("^%[C%]:") or line:find("^robotalk/") or line:find("^input:") or line:find("^%(%.%.%.")) then
      return message
    end
  end
  return first or message
end

-- Runs a piece of input as a task of its own, so that it can be interrupted, and prints its values; `_` is the first of
-- them.
local function evaluate(fn, env, begun)
  local t = require "robotalk.task".spawn(fn)
  t.name = "input"
  if begun then begun(t) end
  local values = table.pack(t:wait())
  if not values[1] then
    core.say("out", (values[3] == "ECANCELLED" and "interrupted" or plain(values[2])) .. "\n")
    return false
  end
  if values.n > 1 then
    local parts = {}
    for i = 2, values.n do parts[#parts + 1] = pretty(values[i]) end
    env._ = values[2]
    core.say("out", table.concat(parts, "  ") .. "\n")
  end
  return true
end

-- Everything that the word before the cursor may become: globals, fields of what stands before the last dot, methods of
-- what stands before a colon.
local function complete(env, word)
  local path, mark, last = word:match("^(.-)([.:]?)([%w_]*)$")
  local where = env
  for name in path:gmatch("[%w_]+") do
    if type(where) ~= "table" then return {} end
    where = where[name]
  end
  local found, seen = {}, {}
  local depth = 0
  while type(where) == "table" and depth < 5 do
    for key, value in pairs(where) do
      if type(key) == "string" and key:sub(1, #last) == last and not seen[key] and not key:find("^__")
        and (mark ~= ":" or type(value) == "function") then
        seen[key] = true
        found[#found + 1] = path .. mark .. key
      end
    end
    local meta = getmetatable(where)
    where = meta and type(meta.__index) == "table" and meta.__index or nil
    depth = depth + 1
  end
  table.sort(found)
  return found
end

local function history_file()
  local state = os.getenv "XDG_STATE_HOME" or (os.getenv "HOME" or ".") .. "/.local/state"
  os.execute(("mkdir -p '%s/robotalk' 2>/dev/null"):format((state:gsub("'", "'\\''"))))
  return state .. "/robotalk/history"
end

-- The next line, from the terminal's prompt or from a pipe; nil at the end, false when it was interrupted.
local function reader(env)
  local task = require "robotalk.task"
  if not core.is_terminal(0) then return function() return io.read("L") end end
  task.handle("line", function() task.wake("line") end)
  return function(prompt)
    core.prompt(prompt, function(word) return complete(env, word) end)
    local _, interrupted = task.wait("line")
    if interrupted then return false end
    local line = core.line()
    return line and line .. "\n"
  end
end

local HELP = [[
robot:go_to{ x = 1, y = 0, theta = 0 }     drives to a place in the world
robot:set_speed{ x = 0.2, theta = 0.1 }    drives on until told otherwise
robot:set_joint("head", { pan = 0.4 })     moves a joint
robot:stop()   robot:state()   robot:panic()   robot:reset()
robot:describe().joints                    what there is to be moved
Tab completes: robot: and Tab shows all that the robot can do. Ctrl-C ends what runs and stops the robot; Ctrl-D ends.
scripts/meta/robotalk.lua says what everything takes and returns.
]]

-- Ctrl-C ends what the line does and clears it, and stops the robot.
local function converse(env, robot)
  local task = require "robotalk.task"
  local terminal = core.is_terminal(0)
  local file = terminal and history_file()
  if file then core.history("load", file) end
  -- also when a signal ends the program
  local _ <close> = setmetatable({}, { __close = function() if file then core.history("save", file) end end })
  local read, text = reader(env), ""
  local busy, interrupted
  script.interrupt = terminal and function()
    interrupted = true
    if busy then busy:cancel() else task.wake("line", true) end
    return true
  end
  while true do
    local line = read(text == "" and "> " or ">> ")
    if line == nil then break end
    text = line and text .. line or ""
    local fn, why, incomplete = compile(text, env)
    if fn or not incomplete or line == "\n" then
      if terminal and text:find("%S") then core.history("add", (text:gsub("\n+$", ""):gsub("\n", " "))) end
      if fn then
        evaluate(fn, env, function(t) busy = t end)
        busy = nil
      elseif text:find("%S") then
        core.say("out", why .. "\n")
      end
      text = ""
    end
    if interrupted then
      core.prompt_off() -- input that is typed meanwhile waits for the next prompt
      core.say("out", "\nstop: ")
      local word, trouble = robot:stop()
      core.say("out", (word or trouble) .. "\n")
      interrupted = nil
      core.hear_signals() -- the next is the first again
    end
  end
  script.interrupt = nil
end

return {
  summary = "a prompt with a robot",
  usage = "[ROBOT] [--connect URL] [--role ROLE] [-e CODE] [-i] [--serve]",
  details = "robot is the robot, rt the library; values are printed, _ is the last. "
    .. "The robot goes on while you type.\n"
    .. "At a terminal Ctrl-C ends what runs and stops the robot; without one, and with -e alone, what runs may\n"
    .. "compute for 10 s between two waits, as a script may.",
  short = { e = "execute", i = "interactive" },
  options = {
    { "connect", "URL", "a robot elsewhere (default: ROBOT, or pioneer2, simulated in this process)" },
    { "role", "ROLE", "what the connection may do: watch, drive or operate (default)" },
    { "execute", "CODE", "(-e) runs this and ends; several times for several", many = true },
    { "interactive", nil, "(-i) the prompt after -e" },
    { "serve", nil, "serves the robot at robotalk://localhost too" },
  },
  example = [[robotalk repl pioneer2 -e 'robot:go_to{ x = 1 }']],
  exits = "0 done, 1 failed, 2 wrong usage, 3 what ran could not be stopped and robots were halted",
  main = function(args)
    local prompts = not args.execute or args.interactive
    local terminal = prompts and core.is_terminal(0)
    if not script.open({}, not terminal and 10 or nil) then return 1 end
    local rt = require "robotalk"
    local failed = false
    local ok, message = script.main(function()
      local robot, why = rt.connect(args.connect or args[1] or "pioneer2", { role = args.role })
      if not robot then script.fail(why) end
      local server
      if args.serve then
        server, why = rt.serve()
        if not server then script.fail(why) end
        for _, url in ipairs(server:urls()) do log.say("info", "listening at %s", url) end
      end
      for _, name in ipairs(core.robots()) do require "robotalk.reload".watch(name) end
      local help = setmetatable({}, { __tostring = function() return (HELP:gsub("\n$", "")) end })
      local env = setmetatable({ rt = rt, robot = robot, help = help }, { __index = _G })
      for _, code in ipairs(args.execute or {}) do
        local fn, trouble = compile(code, env)
        if not fn then script.fail(trouble) end
        failed = not evaluate(fn, env) or failed
      end
      if prompts then
        if terminal then
          local body = robot:describe()
          core.say("out", ("robotalk %s: robot is %s%s; robot:go_to{ x = 1 } drives it. help tells more; end with "
            .. "Ctrl-D.\n"):format(rt.version, body.name, body.model ~= "" and ", " .. body.model or ""))
        end
        converse(env, robot)
      end
      if server then server:close() end
      robot:close()
    end)
    core.prompt_off()
    if not ok then script.complain(message) end
    return (ok and not failed) and 0 or 1
  end,
}
