-- The verb repl: a robot and a prompt for it.
local core = require "robotalk.core"
local help = require "robotalk.cli.help"
local latch = require "robotalk.session.latch"
local lease = require "robotalk.session.lease"
local log = require "robotalk.log"
local look = require "robotalk.cli.look"
local prompt = require "robotalk.cli.prompt"
local script = require "robotalk.cli.script"
local token = require "robotalk.server.token"

-- A first command for this robot.
local function example(body)
  if body.descriptor.base then return "robot:go_to{ x = 1 }" end
  for name, joint in pairs(body.joints) do
    if type(name) == "string" and joint.dofs > 0 then
      local values = joint.dofs == 1 and "0.2" or ("{ %s = 0.2 }"):format(joint.names[1])
      return ('robot:set_joint("%s", %s)'):format(name, values)
    end
  end
  return "robot:state()"
end

-- Suggestions for a robot in a world: lines of an input and its effect.
local function tries(body, physics)
  local lines = { { example(body), body.descriptor.base and "drives; drive(robot) by keys" or "moves" } }
  for _, sensor in ipairs(body.sensors) do
    if sensor.type == "sonar" then
      lines[2] = { 'robot:sense("sonar").range', "how far the nearest thing is, m" }
      break
    end
  end
  if #body.cameras > 0 then
    table.insert(lines, { "snapshot()", "saves a picture by its camera" .. (physics
      and '; snapshot "world" one of the world' or "") })
  end
  for i, line in ipairs(lines) do lines[i] = ("  %-28s%s\n"):format(line[1], line[2]) end
  return table.concat(lines)
end

local function banner(version, robot, urls, world, physics)
  local body, holders = robot:describe(), robot:holders() or {}
  for i, url in ipairs(urls) do
    local page = url:match "^rctp(://.*)$"
    if page then
      core.say("out", ("http%s/ is its page.\n"):format(page))
      urls = table.move(urls, 1, i - 1, 1, {})
      break
    end
  end
  core.say("out", ("robotalk %s: robot is %s%s%s.\n%s; help tells more; quit ends.\n"):format(version,
    body.name, body.model ~= "" and ", " .. body.model or "",
    #urls > 0 and ", served at " .. table.concat(urls, ", ") or "",
    world and ("It stands in %s, %s weight. Type\n%s"):format(world, physics and "with" or "without",
      tries(body, physics)) .. "Tab completes" or "Try " .. example(body)))
  if #holders > 0 then core.say("out", lease.words(holders) .. ".\n") end
  for _, one in ipairs(robot:latches() or {}) do
    core.say("out", ("%s: %s.\n"):format(one.name, latch.words(one.by, one.since)))
  end
end

-- The robot, and whether it has physics: a prompt opens without physics if that is not installed, and prints so.
local function connect(name, args, prompts)
  local rt = require "robotalk"
  local options = { role = args.role }
  local robot, why, code = rt.try_connect(name, options)
  if robot or not (args.physics and prompts and code == "EDEVICE") then return robot, args.physics, why end
  script.physics(false)
  robot = rt.try_connect(name, options)
  if robot then log.say("warning", "the robot is moved without physics: no weight, no pictures of the world") end
  return robot, false, why
end

return {
  usage = "[ROBOT] [--connect URL] [--role ROLE] [-e CODE] [-i] [--serve]",
  details = "robot is the robot, rt the library, drive(robot) drives it by keys, watch(robot) shows it;\n"
    .. "snapshot() saves a picture by its camera, snapshot \"world\" one of the world;\n"
    .. "values are printed, _ is the last. "
    .. "The robot goes on while you type.\n"
    .. "At a terminal Ctrl-C ends what lines have begun and stops what this program moves; without one,\n"
    .. "and with -e alone, what runs may compute for 10 s between two waits, as a script may.",
  names = function() return core.scripts "robots" end,
  short = { e = "execute", i = "interactive" },
  options = {
    { "connect", "URL", "a robot of a server (default: ROBOT, or pioneer2, simulated in this process)" },
    token.option,
    { "role", "ROLE", "role of the connection: watch, drive or operate (default)" },
    { "execute", "CODE", "(-e) runs this and ends; may be repeated", many = true },
    { "interactive", nil, "(-i) the prompt after -e" },
    script.WORLD,
    script.PHYSICS,
    { "serve", nil, "serves the robot at robotalk://localhost and http://localhost:7077 too" },
  },
  example = [[robotalk repl pioneer2 -e 'robot:go_to{ x = 1 }']],
  exits = "0 done, 1 failed, 2 wrong usage, 3 what ran could not be stopped and robots were halted",
  main = function(args)
    token.file = args["token-file"]
    if #args > 1 or (args[1] and args.connect) then
      script.complain(#args > 1 and ("repl: want one robot, got %d"):format(#args)
        or ("repl: want a robot or --connect, got both: %s"):format(args[1]))
      return 2
    end
    local prompts = not args.execute or args.interactive
    script.physics(args.physics)
    local terminal = prompts and core.is_terminal(0)
    if not script.open({}, not terminal and 10 or nil) or not script.surround(args.world) then return 1 end
    local rt = require "robotalk"
    local failed = false
    local ok, message = script.main(function()
      local robot, physics, why = connect(args.connect or args[1] or "pioneer2", args, prompts)
      if not robot then script.fail(why) end
      local server
      if args.serve then
        server, why = rt.serve { listen = { "robotalk://localhost", "rctp://localhost" } }
        if not server then server = rt.serve() end -- another server has the page's port
        if not server and not prompts then script.fail(why) end
        if not server then log.say("warning", "%s; the robot is not served", why) end
      end
      for _, name in ipairs(core.robots()) do require "robotalk.server.reload".watch(name) end
      local env = setmetatable({ rt = rt, robot = robot, help = help.page(), drive = rt.drive,
        watch = rt.watch, snapshot = look.snapshot(robot) }, { __index = _G })
      for _, code in ipairs(args.execute or {}) do
        local fn, trouble = prompt.compile(code, env)
        if not fn then script.fail(trouble) end
        failed = not prompt.evaluate(fn, env) or failed
      end
      if prompts then
        if terminal then banner(rt.version, robot, server and server:urls() or {}, args.world, physics) end
        failed = not prompt.converse(env, robot) or failed
      elseif server then
        for _, url in ipairs(server:urls()) do log.say("info", "listening at %s", url) end
      end
      if server then server:close() end
      robot:close()
    end)
    core.prompt_off()
    if not ok then script.complain(message) end
    return (ok and not failed) and 0 or 1
  end,
}
