local beside = require "robotalk.beside"
local core = require "robotalk.core"
local log = require "robotalk.log"
local script = require "robotalk.cli.script"
local token = require "robotalk.token"

return {
  usage = "SCRIPT.lua [ARG …] [--connect URL] [--virtual] [--until SECONDS] [--dry-run]",
  details = "The script runs as a task: everything that waits lets its other tasks run.\n"
    .. "It may compute for 10 s between two waits, and take 512 MiB.\n"
    .. "Modules that a file requires are looked for beside it first.\n"
    .. "--connect is for scripts that leave their robot open, robotalk.connect(); a script that names its robot gets\n"
    .. "that one, and a warning says so.\n"
    .. "What run does not know of the words after the script is the script's, but for what is nearly one of run's own\n"
    .. "options; all after -- is.",
  script = true,
  options = {
    { "connect", "URL", "what robotalk.connect() without a name connects to (default: pioneer2, simulated)" },
    token.option,
    { "virtual", nil, "simulated time: as fast as the machine can, the same for the same seed" },
    -- harmless: a word that is nearly this one is the script's, as --speed
    { "seed", "N", "of everything random in simulated time", number = true, harmless = true },
    { "until", "SECONDS", "ends the script at that time of its world", number = true },
    script.WORLD,
    script.PHYSICS,
    { "dry-run", nil, "nothing reaches hardware: every driver is the simulator, and no other machine is connected to" },
    { "spin", nil, "sleep and then spin before each command: lateness under a microsecond, at the price of a core" },
  },
  example = "robotalk run scripts/behaviors/square.lua --virtual --until 60",
  exits = "0 the script has ended, 1 it failed, 2 wrong usage, 3 it could not be stopped and robots were halted,\n"
    .. "4 it has ended, but a task that it spawned failed and nobody waited for that",
  main = function(args)
    token.file = args["token-file"]
    if not args[1] then
      script.complain("run: which script? (robotalk run --help)")
      return 2
    end
    local world = { virtual = args.virtual, seed = args.seed and math.floor(args.seed), spin = args.spin }
    if not script.open(world, 10) then return 1 end
    if not script.surround(args.world) then return 1 end
    script.physics(args.physics)
    local fn, message = loadfile(args[1], "t")
    if not fn then
      script.complain(message)
      return 1
    end
    local rt, task = require "robotalk", require "robotalk.task"
    require "robotalk.descriptor".dry = args["dry-run"]
    local unused = args.connect -- until the script asks for it, or was told that it does not
    for _, function_ in ipairs { "connect", "try_connect" } do
      local connect = rt[function_]
      rt[function_] = function(name, options)
        if unused and name ~= nil and name ~= unused then
          log.say("warning", "run: the script names its robot, %s; --connect %s is for robotalk.connect() without a"
            .. " name", tostring(name), unused)
        end
        unused = nil
        return connect(name or args.connect or "pioneer2", options)
      end
    end
    arg = table.move(args, 2, #args, 1, { [0] = args[1] })
    local ok, why = script.main(function() return beside.run(args[1], fn, table.unpack(arg)) end,
      args["until"] and core.now() + math.max(0, args["until"]))
    if not ok then
      script.complain(why)
      return 1
    end
    local failed = task.unheard
    if failed == 0 then return 0 end
    script.complain(("run: %d %s failed; exit code 4"):format(failed, failed == 1 and "task has" or "tasks have"))
    return 4
  end,
}
