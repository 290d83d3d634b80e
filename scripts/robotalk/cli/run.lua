local beside = require "robotalk.robot.beside"
local core = require "robotalk.core"
local film = require "robotalk.pictures.film"
local log = require "robotalk.log"
local script = require "robotalk.cli.script"
local token = require "robotalk.server.token"

-- The film of a run, by its options; nil: no film, or an error, which is printed: then the exit code, too.
local function film_of(args)
  if not args.film then return nil end
  local options, place = { rate = args["film-rate"] }, {}
  for x in (args["film-view"] or ""):gmatch "[^,%s]+" do place[#place + 1] = tonumber(x) or 0 / 0 end
  if #place > 0 then
    options.from, options.to = { place[1], place[2], place[3] }, { place[4], place[5], place[6] }
  end
  local wide, high = (args["film-size"] or "480x360"):match "^(%d+)x(%d+)$"
  options.width, options.height = math.tointeger(wide), math.tointeger(high)
  local finite = #place == 0 or #place == 6
  for _, x in ipairs(place) do finite = finite and x - x == 0 end
  local wrong = not finite and "--film-view: expected six numbers in m, X,Y,Z,X,Y,Z: from where, to where"
    or not (wide and options.width >= 1 and options.width <= 4096 and options.height >= 1 and options.height <= 4096)
    and "--film-size: expected pixels, as 480x360, each at most 4096"
    or options.rate and not (options.rate >= 0.1 and options.rate <= 100)
    and "--film-rate: expected pictures a second, 0.1 to 100"
  local recording, why
  if not wrong then recording, why = film.begin(args.film, options) end
  if recording then return recording end
  script.complain(wrong or "film: " .. why)
  return nil, wrong and 2 or 1
end

-- The script of a file, or, where there is none, the bundled behaviour of that name.
local function load_script(path)
  local text = not core.file_stamp(path) and core.script("behaviors/" .. path:gsub("%.lua$", "") .. ".lua")
  if text then return load(text, "@" .. path, "t") end
  return loadfile(path, "t")
end

return {
  usage = "SCRIPT.lua [ARG …] [--connect URL] [--virtual] [--until SECONDS] [--film FILE] [--record FILE]\n"
    .. "[--dry-run]",
  details = "SCRIPT.lua is a file, or a bundled behaviour: leader_follower.lua, square.lua … (scripts/behaviors).\n"
    .. "The script runs as a task: everything that waits lets its other tasks run.\n"
    .. "It may compute for 10 s between two waits, and take 512 MiB.\n"
    .. "Modules that a file requires are looked for beside it first.\n"
    .. "--connect is for scripts that leave their robot open, robotalk.connect(); a script that names its robot gets\n"
    .. "that one, and a warning says so.\n"
    .. "What run does not know of the words after the script is the script's, but for what is nearly one of run's own\n"
    .. "options; all after -- is.",
  script = true,
  options = {
    { "connect", "URL", "robot of robotalk.connect() without a name (default: pioneer2, simulated)" },
    token.option,
    { "virtual", nil, "simulated time: as fast as the machine can, the same for the same seed" },
    -- harmless: a word that is nearly this one is the script's, as --speed
    { "seed", "N", "seed of simulated time", number = true, harmless = true },
    { "until", "SECONDS", "ends the script at that time of its world", number = true },
    script.WORLD,
    script.PHYSICS,
    { "film", "FILE", "a film of the robots that have physics: .gif; .mp4 by ffmpeg; otherwise a folder of PNG" },
    { "film-view", "X,Y,Z,X,Y,Z",
      "from where, and what is in its middle, m (default: the world's view, else -2.5,-2.5,2,0,0,0.2)" },
    { "film-size", "WxH", "its pixels (default: 480x360)" },
    { "film-rate", "N", "pictures a second of the world's clock (default: 12.5)", number = true },
    script.RECORD,
    script.LOG,
    { "dry-run", nil, "nothing reaches hardware: every driver is the simulator, and no other machine is contacted" },
    { "spin", nil, "sleep and then spin before each command: lateness under a microsecond, at the price of a core" },
  },
  example = "robotalk run scripts/behaviors/square.lua --virtual --until 60",
  exits = "0 the script has ended, 1 it failed or returned false, 2 wrong usage,\n"
    .. "3 it could not be stopped and robots were halted,\n"
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
    local fn, message = load_script(args[1])
    if not fn then
      script.complain(message)
      return 1
    end
    local recording, status = film_of(args)
    if status then return status end
    script.finish = recording and function()
      local pictures, trouble = recording:close()
      if not pictures then script.complain(("film: %s: %s"):format(args.film, trouble)) end
      return pictures ~= nil
    end
    local rt, task = require "robotalk", require "robotalk.task"
    local recorder, trouble = script.record(args)
    if trouble then return 1 end
    require "robotalk.descriptor".dry = args["dry-run"]
    local unused = args.connect -- until the script uses it, or the warning was printed
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
    local ok, why = script.main(function() -- why: or the value of the script
      if recording then recording:start() end
      return beside.run(args[1], fn, table.unpack(arg))
    end, args["until"] and core.now() + math.max(0, args["until"]))
    local recorded = script.finish_record(recorder)
    if not ok then
      if recording then recording:close() end
      script.complain(why)
      return 1
    end
    if not recorded then return 1 end
    if recording and not script.finish() then return 1 end
    local failed = task.unheard
    if failed > 0 then
      script.complain(("run: %d %s failed; exit code 4"):format(failed, failed == 1 and "task has" or "tasks have"))
      return 4
    end
    local bridge = package.loaded["robotalk.bridge"] -- of the script's, if it has one
    if bridge and bridge.is(why) then
      script.complain(("run: the script has returned a bridge, which a server runs: robotalk serve ROBOT "
        .. "--listen gamebots://localhost --bridge %s"):format(args[1]))
      return 1
    end
    if why == false then script.complain "run: the script has returned false; exit code 1" end
    return why == false and 1 or 0
  end,
}
