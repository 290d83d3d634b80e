local configuration = require "robotalk.cli.config"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local kind_of = require "robotalk.cli.kind"
local script = require "robotalk.cli.script"
local latch = require "robotalk.session.latch"
local log = require "robotalk.log"
local retained = require "robotalk.session.retained"
local printable = require "robotalk.text.text".printable

-- Adds the flags of the Golog-Tekkotsu interface and the robot's name to its addresses.
local function mean_gti(args, listen, name)
  local options = {}
  for word in (args["gti-format"] or "little"):gmatch "[^, ]+" do
    if word ~= "little" and word ~= "big" and word ~= "packed" and word ~= "radians" then
      script.fail("--gti-format: expected little, big, packed, radians, got " .. word)
    end
    if word == "big" then options.byte_order = "big" else options[word] = word ~= "little" or nil end
  end
  options.deadman = args["gti-deadman"]
  if options.deadman and not (options.deadman >= 0 and options.deadman <= 86400) then
    script.fail("--gti-deadman: expected seconds, 0: none")
  end
  local any = false
  for i, url in ipairs(listen) do
    if url:find "^gti[:+]" then
      listen[i], any = require "robotalk.gti".address(url, name, options), true
    end
  end
  return any
end

-- The robot that the interface's clients drive, and its balls.
local function give_dog(args, name)
  local robot, message = require "robotalk".try_connect("local:" .. name)
  if not robot then script.fail(message) end
  local balls = {}
  for i, text in ipairs(args.ball or {}) do
    local x, y, color = text:match "^([^,]+),([^,]+),?(%a*)$"
    if not (tonumber(x) and tonumber(y)) then script.fail("--ball: expected X,Y[,COLOR] in metres, got " .. text) end
    balls[i] = { color = color ~= "" and color or "pink", position = { tonumber(x), tonumber(y) } }
  end
  local camera = args["gti-camera"]
  if camera then
    if balls[1] then script.fail "--gti-camera: its pictures do not show the balls of --ball: want one of them" end
    local there, why = robot:camera(camera)
    if not there then script.fail("--gti-camera: " .. why) end
  end
  local field = balls[1] and require "robotalk.field".open { balls = balls }
  local dog = require "robotalk.aibo".new(robot, { field = field, camera = camera, motions = args.motions })
  return require "robotalk.gti".serve(dog, { listen = false, alone = true })
end

-- The options of addresses, for --help.
local function options_of()
  local lines, values = {}, { flag = "", number = "=NUMBER", file = "=FILE", role = "=ROLE", text = "=TEXT" }
  local protocols, tls, door = core.protocols()
  protocols[#protocols + 1] = { name = "…", options = door }
  protocols[#protocols + 1] = { name = "…+tls", options = tls }
  for _, protocol in ipairs(protocols) do
    for _, option in ipairs(protocol.options) do
      lines[#lines + 1] = ("  %s://…?%s%s: %s%s"):format(protocol.name, option.name, values[option.type], option.doc,
        option.type == "number" and (" (%g)"):format(option.otherwise) or "")
    end
  end
  return table.concat(lines, "\n")
end

-- The complete command to type instead of a refused address; an address of a file must be changed there.
local function mend(why, args, files)
  return (why:gsub("Type: (.*)robotalk serve … %-%-listen (%S+)$", function(first, url)
    for old, file in pairs(files) do
      if old:find("://" .. url:match "://(.*):%d+$", 1, true) then
        return ('%s "%s" in place of "%s" in %s'):format(
          first == "" and "Write" or ("Type: %s; then write"):format(first:gsub(" && $", "")), url, old, file)
      end
    end
    local words = {}
    for i, word in ipairs(args) do words[i] = word .. " " end
    return ("Type: %srobotalk serve %s--listen %s"):format(first, table.concat(words), url)
  end))
end

-- A server at those addresses, of any protocol. files: address -> the file that has it. lease: s, or nil.
local function serve(args, urls, files, config)
  local server, why = require "robotalk".serve { listen = urls, lease = config.lease, translators = config.translators,
    vehicles = config.vehicles, stall = args.stall and { 0, args.stall } }
  if not server then
    local taken = urls[1]:find "%?www=" and why:find "in use"
      and "; at another port: --listen 'rctp://localhost:PORT?www=DIR'"
    script.fail(mend(why, args, files) .. (taken or ""))
  end
  for i, url in ipairs(server:urls()) do
    if urls[i]:find "^gti" then
      local robot = urls[i]:match "#(.+)$" or urls[i]:match "^gti[+tls]*://[^/?#]*/([^?#]+)"
      log.say("info", "Golog-Tekkotsu interface to %s at %s", robot or core.robots()[1], url)
    else
      log.say("info", "listening at %s", url)
    end
  end
  return server
end

-- The error in the options of the server's scripts; nil: none.
local function wrong_with(list)
  local supervisor = require "robotalk.server.supervisor"
  local names = {}
  for _, options in ipairs(list) do
    local option, wrong = supervisor.wrong(options)
    if option then return ("script %s: %s: %s"):format(options.file, option, wrong) end
    local name = supervisor.name_of(options)
    if names[name] then return ("there is a script '%s' already"):format(name) end
    names[name] = true
  end
end

-- Notices that are no events of the robot.
local QUIET = { changed = true, leases = true, asked = true, lost = true, answered = true }

-- A server with bridges has them at its addresses of Gamebots.
local function bridge_addresses(listen, files)
  local any = false
  for i, url in ipairs(listen) do
    local with, bridged = require "robotalk.gamebots".bridged(url)
    listen[i], files[with], any = with, files[url], any or bridged
  end
  return any
end

-- Episodes of the first robot, which clients begin and keep; closed, it drops the one under way.
local function record_episodes(args)
  local episodes = require "robotalk.server.episodes"
  local robot, why = require "robotalk".try_connect("local:" .. core.robots()[1])
  local ok = robot
  if robot then ok, why = episodes.open(args.episodes, robot, { task = args.task, fps = args.fps }) end
  if not ok then script.fail("--episodes: " .. why) end
  return { close = function()
    episodes.close()
    robot:close()
  end }
end

-- Clients of an image server are disconnected if there is no camera: their protocol cannot tell them why.
local function look_for_cameras(listen, watchers)
  local cameras = {}
  for _, watcher in ipairs(watchers) do cameras[watcher:describe().name] = next(watcher:describe().cameras) ~= nil end
  for _, url in ipairs(listen) do
    local name = url:match "^upis[^:]*://[^/?]*/([^/?]+)" or url:match "^upis%+%l+:[^#?]*#([^/?]+)" or core.robots()[1]
    if url:find "^upis[:+]" and not cameras[name] then
      log.say("warning", "%s: %s: its clients are sent away", url, cameras[name] == nil and "there is no robot " .. name
        or ("robot %s has no camera"):format(name))
    end
  end
end

-- Logs events of a robot, whatever their cause.
local function watch(name)
  local watcher, why = require "robotalk".try_connect("local:" .. name)
  if not watcher then script.fail(why) end
  local say = log.limited(20)
  watcher:on_notice(function(what)
    local told, differs = retained.words(what, watcher.client.link:session(watcher.number))
    local level = what ~= "blocked" and (differs or not told) and "warning" or "info"
    if what == "blocked" and not differs then return end
    local who = (what == "panicked" or what == "reset") and retained.text(what, watcher.client.link, watcher.number)
    what = told or what
    if what == "latched" then return end -- concerns this watcher, which moves nothing
    if what == "stopped" then
      local number, others
      number, who, others = core.robot_stopper(name)
      if number and not others then level = "info" end -- the driving client has stopped it, or no client did
      local waits = {}
      for i, row in ipairs(watcher:latches() or {}) do waits[i] = printable(row.name) end
      who = number and ("%s %d"):format(who == "" and "a client" or printable(who), number)
      what = who and "stopped by " .. who or what
      if #waits > 0 then what = ("%s; wait for resume: %s"):format(what, latch.names(waits)) end
    end
    if QUIET[what] then return end
    say({ level, client = who and who ~= "" and printable(who) or nil }, "robot %s: %s", name, what)
  end)
  return watcher
end

return {
  usage = "[CONFIG.lua] [ROBOT …] [--listen URL] [--run SCRIPT.lua] [--bridge SCRIPT.lua] [--world FILE]\n"
    .. "[--record FILE] [--episodes DIR [--task TEXT]]",
  details = "ROBOT: a name (pioneer2) or a descriptor's path. CONFIG.lua returns\n"
    .. "{ robots = { … }, listen = { … }, modes = { … }, translators = { … }, scripts = { … },\n"
    .. "vehicles = { … }, world = \"FILE\" }.\n"
    .. "SIGINT, SIGTERM, SIGQUIT and SIGHUP, which is a closed terminal, stop it: robots are halted,\n"
    .. "clients are told. Only this machine can connect; for others use ssh -L 7600:localhost:7600, or\n"
    .. "--listen 'robotalk+tls://HOST?cert=FILE&key=FILE&clients=FILE' (TLS 1.3; gti+tls:// too): docs/tls.md.\n"
    .. "Options stand in an address, with & or a comma between them:\n" .. options_of(),
  options = {
    { "listen", "URL", "robotalk://host[:port] or unix:PATH; several times for several (robotalk://localhost:7600 "
      .. "and rctp://localhost:7077). "
      .. "gti://localhost[:port] or gti+unix:PATH serves a robot, the first unless one is named "
      .. "(gti://localhost/NAME, gti+unix:PATH#NAME), to clients of the Golog-Tekkotsu interface. "
      .. "rctp://localhost[:port] serves a page at http://localhost:7077 (docs/page.md), RCML files and robots by RCTP "
      .. "(docs/network.md). "
      .. "gamebots://localhost[:port] serves robots to clients of USARSim, and upis://localhost[:port] pictures "
      .. "(docs/usarsim.md). player://localhost[:port] serves a robot to clients of Player (docs/player.md). "
      .. "rosbridge://localhost[:port] serves robots to pages of roslib, foxglove://localhost[:port] to Foxglove "
      .. "(docs/foxglove.md)",
      many = true },
    { "run", "SCRIPT.lua", "runs a script in the server, in a Lua state and on a thread of its own (docs/scripts.md); "
      .. "several times for several", many = true },
    { "bridge", "SCRIPT.lua", "runs a script of behaviours between clients of Gamebots and a robot (docs/bridge.md); "
      .. "several times for several robots", many = true },
    { "restart", "WHEN", "whether scripts of --run are started again: never (default), failure, always" },
    { "www", "DIR", "serves the files of that folder as pages at http://localhost:7078 (docs/page.md)" },
    { "mode", "FILE", "adds a custom command mode; may be repeated", many = true },
    { "translator", "FILE", "gives clients of RCTP a translator (docs/translators.md); several times for several",
      many = true },
    { "stall", "SECONDS", "injects congestion: a random wait up to that long before each package is read",
      number = true },
    { "gti", "URL", "the same as --listen gti://localhost[:port] or --listen gti+unix:PATH, written "
      .. "robotalk://localhost[:10700] or unix:PATH" },
    { "gti-format", "WORDS", "options of all gti addresses: little or big, packed, radians (default: little)" },
    { "gti-deadman", "SECONDS", "their option deadman (default: 30; 0: never)", number = true },
    { "gti-camera", "NAME", "balls of the interface's queries are looked for in the pictures of that camera "
      .. "(docs/aibo.md)" },
    { "motions", "DIR", "where the interface's motion files are (default: .)" },
    { "ball", "X,Y[,COLOR]", "a ball lies there, in metres, for the interface's queries: pink, orange, yellow or "
      .. "green; several times for several; no camera shows it", many = true },
    script.WORLD,
    script.PHYSICS,
    script.RECORD,
    script.LOG,
    { "episodes", "DIR", "a data set of LeRobot, new or continued, with episodes of the first robot, which the cockpit "
      .. "begins and keeps (docs/datasets.md)" },
    { "task", "TEXT", "what is done in the next episodes" },
    { "fps", "N", "their frames a second (30)", number = { 1, 1000, whole = true } },
    { "still", nil, "does not watch the robots' files: by default a changed file is applied to its robot" },
    { "spin", nil, "sleep and then spin before each command: lateness under a microsecond, at the price of a core" },
  },
  names = function() return core.scripts "robots" end,
  example = "robotalk serve pioneer2 --listen unix:/tmp/robotalk.sock",
  exits = "0 done, 1 failed, 2 wrong usage, 3 a driver could not be stopped and robots were halted",
  main = function(args)
    if not script.open({ spin = args.spin }, 10) then return 1 end -- the budget is for files that are read at the start
    local rt = require "robotalk"
    local task = require "robotalk.task"
    local config = { robots = {}, listen = args.listen or {}, modes = args.mode or {},
      translators = args.translator or {}, scripts = {}, vehicles = {} }
    local surroundings, whose_world = args.world, nil
    script.physics(args.physics)
    if args.stall and not (args.stall >= 0 and args.stall <= 3600) then
      script.complain "--stall: expected seconds, at most 3600"
      return 2
    end
    if args.restart and require "robotalk.server.supervisor".wrong { file = "x", restart = args.restart } then
      script.complain(("--restart: expected never, failure, always, got %s"):format(args.restart))
      return 2
    end
    local whose, files = {}, {} -- the file that has a robot's table, and an address
    for _, word in ipairs(args) do
      local kind, value, text = kind_of(word)
      if kind == "configuration" then
        local wrong = configuration.errors(value, word, text)
        for _, line in ipairs(wrong) do script.complain(line) end
        if wrong[1] then return 1 end
        if not surroundings then surroundings, whose_world = value.world, word end
        value.world = nil
        config.lease, value.lease = value.lease or config.lease, nil
        for key, list in pairs(value) do
          for _, entry in ipairs(list) do
            whose[entry] = type(entry) == "table" and word or nil
            files[entry] = key == "listen" and word or nil
          end
          table.move(list, 1, #list, #config[key] + 1, config[key])
        end
      else
        table.insert(config.robots, word)
      end
    end
    if not script.surround(surroundings, whose_world) then return 1 end
    local scripts = {}
    for i, file in ipairs(args.run or {}) do scripts[i] = { file = file, restart = args.restart } end
    for _, options in ipairs(config.scripts) do
      scripts[#scripts + 1] = type(options) == "string" and { file = options } or options
    end
    for _, file in ipairs(args.bridge or {}) do scripts[#scripts + 1] = { file = file, bridge = true } end
    local wrong = wrong_with(scripts)
    if wrong then
      script.complain(wrong)
      return 1
    end
    if #config.robots == 0 then config.robots[1] = "pioneer2" end
    local listen = config.listen
    if #listen == 0 then listen[1], listen[2] = "robotalk://localhost", "rctp://localhost" end
    for _, one in ipairs(scripts) do
      if one.bridge and not bridge_addresses(listen, files) then
        script.complain(("%s is a bridge: expected an address of Gamebots, as --listen gamebots://localhost"):format(
          one.file))
        return 2
      end
    end
    if args.gti then
      table.insert(listen, (args.gti:gsub("^robotalk([:+])", "gti%1"):gsub("^unix:", "gti+unix:")))
    end
    local status = 0
    local recorder, trouble = script.record(args)
    if trouble then return 1 end
    local ok, message = script.main(function()
      for _, mode in ipairs(config.modes) do
        local name, why = rt.add_mode(mode)
        if not name then script.fail(why) end
      end
      for i, path in ipairs(config.translators) do
        -- it must not need other files, or clients could not run it: it is checked contained, as on a client
        local faults = require "robotalk.translator.file".wrong(path)
        if faults[1] then script.fail(table.concat(faults, "\n")) end
        local name, why = require "robotalk.translator".add(path)
        if not name then script.fail(why) end
        config.translators[i] = name
      end
      for _, robot in ipairs(config.robots) do
        local name, why = descriptor.add(robot, whose[robot])
        if not name then script.fail(why) end
        log.say("info", "robot %s", name)
      end
      local watchers = {} -- held here: an unreferenced one is collected, and its connection closed
      for _, name in ipairs(core.robots()) do watchers[#watchers + 1] = watch(name) end
      if not args.still then
        for _, name in ipairs(core.robots()) do require "robotalk.server.reload".watch(name) end
      end
      local recorded = args.episodes and record_episodes(args)
      local interface = mean_gti(args, listen, core.robots()[1]) and give_dog(args, core.robots()[1])
      local start, why = require "robotalk.server.supervisor".prepare(scripts)
      if not start then script.fail(why) end
      local server = serve(args, listen, files, config)
      local www = args.www and args.www:gsub("[%c &,%%]", function(c) return ("%%%02X"):format(c:byte()) end)
      local pages = www and serve(args, { "rctp://localhost:7078?www=" .. www }, files, {})
      look_for_cameras(listen, watchers)
      start()
      task.handle("signal", function(number)
        script.signal = number
        task.wake("signal", number)
      end)
      core.budget(1) -- of drivers, and of files that are read again
      local _, number = task.wait("signal")
      log.say("info", "signal %s: halting robots, telling clients", number or "?")
      require "robotalk.server.supervisor".stop_all()
      server:close()
      if recorded then recorded.close() end
      if pages then pages:close() end
      if interface then interface:close() end
      for _, watcher in ipairs(watchers) do watcher:close() end
    end)
    if not script.finish_record(recorder) then status = 1 end
    if not ok then
      log.say("error", "%s", message)
      status = 1
    end
    core.close()
    return status
  end,
}
