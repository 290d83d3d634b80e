-- The verb drive: a robot is driven by keys.
local script = require "robotalk.cli.script"
local core = require "robotalk.core"
local token = require "robotalk.server.token"

-- Prints the devices that may drive.
local function list()
  local rows = require "robotalk.gamepad".list()
  for _, row in ipairs(rows) do
    core.say("out", row.why and row.why .. "\n" or ("%s  %-8s  %s\n"):format(row.path, row.kind, row.name))
  end
  if #rows == 0 then core.say("out", "there are no devices in /dev/input\n") end
  return 0
end

return {
  usage = "[URL | ROBOT] [--gamepad[=DEVICE] [--mapping FILE]] [--token-file FILE]",
  takes_address = true,
  details = "Arrows or WASD drive while they are held, Q and E in curves; I K J L move the head; 1 to 9 choose a\n"
    .. "joint, U and O move it; + and - change the speed. The space bar is a panic, R resets; T asks who drives for\n"
    .. "the robot. Esc stops everything, whoever moves it: other clients that have moved the robot wait for a resume\n"
    .. "then. G resumes this program after a stop by another client; else all clients that stops hold. Ctrl-C ends,\n"
    .. "and stops only what these keys moved. A tap drives for 0.7 s; what is held stops within 0.5 s\n"
    .. "of its release, and at once where the terminal reports releases. URL: robotalk://localhost by default,\n"
    .. "or rctp://HOST; ROBOT is simulated here. With a gamepad the keys go on. It drives while its button R1 is\n"
    .. "held, or what the mapping names, and each stick only after it was let go; East (B, circle) is a panic.",
  names = function() return core.scripts "robots" end,
  options = { script.CONNECT, token.option, script.WORLD,
    { "gamepad", "DEVICE", "drives by a gamepad, too: auto (without a device), /dev/input/eventN or a recording;\n"
      .. (" "):rep(25) .. "list: shows the devices, and ends", otherwise = "auto" },
    { "mapping", "FILE", "what its axes and buttons do (docs/drive.md)" },
  },
  example = "robotalk drive robotalk://localhost:7600/pioneer2",
  exits = "0 ended by the user, 1 failed, 2 wrong usage or no terminal",
  main = function(args)
    token.file = args["token-file"]
    if #args > 1 then
      script.complain(("drive: want one robot, got %d"):format(#args))
      return 2
    end
    if args.mapping and not args.gamepad then
      script.complain "drive: --mapping is of a gamepad: want --gamepad, too"
      return 2
    end
    if args.gamepad == "list" then
      if not script.open {} then return 1 end
      return list()
    end
    if not (core.is_terminal(0) and core.is_terminal(1)) then
      script.complain "drive: this is no terminal; keys can only be held at one (ssh -t gives one)"
      return 2
    end
    if not script.open {} or not script.surround(args.world) then return 1 end
    local ok, message = script.main(function()
      local driven, why = require "robotalk.drive".run(args[1] or "robotalk://localhost", args)
      if not driven then script.fail(why) end
    end)
    if not ok then script.complain(message) end
    return ok and 0 or 1
  end,
}
