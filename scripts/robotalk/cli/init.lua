-- The program: its verbs, and the parsing of their arguments. A verb is a module robotalk.cli.NAME that
-- returns { usage, options = { { name, value, doc } … }, example, exits, main = function(args) }, and
-- names = function(words): completions after these words, besides files; takes_address: its
-- first argument is an address, which --connect gives, too.
local core = require "robotalk.core"

local arguments = require "robotalk.arguments"
local verbs = require "robotalk.cli.verbs"

local function out(form, ...) core.say("out", form:format(...)) end
local function err(form, ...) core.say("err", "robotalk: " .. form:format(...) .. "\n") end

local SIGNALS = { "SIGHUP", "SIGINT", "SIGQUIT", [15] = "SIGTERM" }

local function help()
  out("robotalk %s: a scriptable robot runtime\n\n", core.version)
  out("  robotalk VERB [ARGUMENT …]    robotalk VERB --help tells more\n\n")
  for _, name in ipairs(verbs) do
    out("  %-11s %s\n", name, verbs.summary(name))
  end
  out("\nWithout a verb: a prompt with a simulated Pioneer 2.\nExample: robotalk experiment congestion\n")
  return 0
end

local JSON = "; text is UTF-8, and what is not known, NaN or infinite is null"

local function help_of(name, verb)
  out("usage: robotalk %s %s\n\n%s\n", name, verb.usage, verbs.summary(name))
  if verb.details then out("\n%s\n", verb.details) end
  if #verb.options > 0 then out("\nOptions:\n") end
  for _, option in ipairs(verb.options) do
    local form = option.otherwise and "[=%s]" or option[2] and " %s" or ""
    out("  --%-20s %s%s\n", option[1] .. form:format(option[2]), option[3],
      option[1] == "json" and JSON or "")
  end
  out("  --%-20s %s\n", "help", "this page")
  out("\nExample: %s\nExit codes: %s, 128 + N ended by signal N\n", verb.example,
    verb.exits or "0 done, 1 failed, 2 wrong usage")
  return 0
end

-- The command for files of another verb, or nil.
local function other_verb(name, args)
  if name ~= "repl" and name ~= "serve" then return end
  for _, path in ipairs(args) do
    local kind = path:find "%.lua$" and require "robotalk.cli.kind"(path)
    if kind == "script" then return ("%s is a script: robotalk run %s"):format(path, path) end
    if kind == "configuration" and name == "repl" then
      return ("%s is the configuration of a server: robotalk serve %s"):format(path, path)
    end
  end
end

return function(argv)
  -- robotalk-faults: options alone are those of the experiment faults
  if core.fault_run and not (argv[1] and argv[1]:find "^[^-]") then
    argv = table.move(argv, 1, #argv, 3, { "experiment", "faults" })
  end
  local name = argv[1]
  if name == "--help" or name == "-h" or name == "help" then return help() end
  if name == "--version" then out("robotalk %s\n", core.version) return 0 end
  local first = 2
  local is_verb = false
  for _, verb in ipairs(verbs) do is_verb = is_verb or verb == name end
  if not is_verb then
    -- no verb: the prompt, with a robot's name or options
    if name and not name:find("^%-") and not core.script("robots/" .. name .. ".lua") and not name:find("[./]") then
      local words = table.move(verbs, 1, #verbs, 1, {})
      for _, robot in ipairs(core.scripts "robots") do words[#words + 1] = robot end
      err("there is no verb '%s'%s are %s", name, arguments.hint(name, words), table.concat(verbs, ", "))
      return 2
    end
    name, first = "repl", 1
  end
  local verb = require("robotalk.cli." .. name)
  if argv[first] == "--names" then -- completion in the shell asks
    local names = argv[#argv] == "--world" and core.scripts "worlds"
      or verb.names and verb.names(table.move(argv, first + 1, #argv, 1, {}))
    for _, one in ipairs(names or {}) do out("%s\n", one) end
    return 0
  end
  local args, why = arguments.read(verb, table.move(argv, first, #argv, 1, {}))
  if not args then
    err("%s: %s", name, why)
    return 2
  end
  if args.help then return help_of(name, verb) end
  if args["log-format"] and not pcall(core.log_format, args["log-format"]) then
    err("%s: --log-format: expected text, journal or json, got %s", name, args["log-format"])
    return 2
  end
  -- an address is the first argument, or that of --connect
  if args.connect and verb.takes_address then table.insert(args, 1, args.connect) end
  local other = other_verb(name, args)
  if other then
    err("%s", other)
    return 2
  end
  local status = verb.main(args, argv)
  local ended_by = require("robotalk.cli.script").signal
  if not ended_by then return status end
  -- to the log, which never waits: a pipe that nobody reads must not hold up a signal
  core.log(("robotalk: info: %s: ended by %s\n"):format(name, SIGNALS[ended_by] or "signal " .. ended_by))
  return 128 + ended_by, ended_by
end
