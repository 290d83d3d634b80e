local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local play = require "robotalk.mcap.play"
local script = require "robotalk.cli.script"
local token = require "robotalk.server.token"

local function say(form, ...) core.say("out", form:format(...) .. "\n") end

-- The name of the robot to play on: a bundled one, by a name that a file may choose, or one that is described in
-- the recording, which is simulated here.
local function robot_of(path, args)
  if args.robot then return args.robot end
  local name, why = args.of, nil
  if not name then name, why = play.name_of(path) end
  if why then script.fail(why) end
  for _, known in ipairs(core.scripts "robots") do if known == name then return name end end
  local recording <close>, about = require "robotalk.mcap.compare".open(path)
  local block = recording and about.blocks[("%s.0.block"):format(name)]
  if not block then
    script.fail(("%s: its robot, %q, is none of those that come along: want --robot"):format(path, name))
  end
  local made
  made, why = require "robotalk".add_robot(descriptor.from_configuration(block))
  return made and "local:" .. made or script.fail(why)
end

-- Plays it to its end.
local function play_it(path, args)
  local robot <close> = require "robotalk".connect(robot_of(path, args))
  local joints = {}
  for joint in (args.joints or ""):gmatch "[^,%s]+" do joints[#joints + 1] = joint end
  local report, why = play.run(robot, path, { rate = args.rate, loop = args.loop, from = args.from, to = args.to,
    joints = args.joints and joints, base = args.base, max_distance = args["max-distance"], of = args.of,
    episode = args.episode, on_note = function(line) say("%s", line) end })
  if not report then script.fail(why) end
  say("%d frames, worst lateness %.2f ms, %d underruns, %d never begun", report.frames, report.worst * 1e3,
    report.underruns, report.refused)
  local clipped = {}
  for joint, n in pairs(report.clipped) do clipped[#clipped + 1] = ("%s (%d)"):format(joint, n) end
  table.sort(clipped)
  if clipped[1] then say("frames in which a joint was at a limit: %s", table.concat(clipped, ", ")) end
end

-- Lists the episodes of a data set: the exit code.
local function list(path)
  local set <close>, why = require "robotalk.dataset".open(path)
  if not set then
    script.complain(why)
    return 1
  end
  say("%s: version %s of %s, %g frames a second, %d episode%s", path, set.version:sub(2), set.robot or "?", set.fps,
    #set.episodes, #set.episodes == 1 and "" or "s")
  for _, episode in ipairs(set.episodes) do
    say("%s; %s", require "robotalk.dataset.session".words(set, episode), table.concat(episode.tasks, "; "))
  end
  return 0
end

-- Runs it again: the exit code.
local function compare_it(args)
  local compare = require "robotalk.mcap.compare"
  local recording <close>, about = compare.open(args[1])
  if not recording then
    script.complain(about)
    return 1
  end
  if not (script.open({ virtual = true, seed = about.seed }, 60) and script.surround(args.world)) then return 1 end
  script.physics(args.physics)
  local ok, same, found = script.main(function() return compare.run(recording, about, args.record) end)
  if not ok then
    script.complain(("%s: %s"):format(args[1], same))
    return 1
  end
  if same then
    say("%s: %d results, %d notices and %d states are equal", args[1], found.result, found.notice, found.state)
  else
    say("%s: %s", args[1], found)
  end
  return same and 0 or 1
end

return {
  usage = "FILE | FOLDER [--episode N]\n"
    .. "[--robot ROBOT] [--rate R] [--loop] [--from S] [--to S] [--joints NAMES] [--base] [--of NAME]\n"
    .. "[--max-distance RAD] [--virtual] [--physics] [--record FILE]\n"
    .. "FILE --compare [--world FILE] [--physics] [--record FILE]",
  details = "Plays the joints of a recording, at the recorded times, from its first pose, to which they move slowly.\n"
    .. "ROBOT: a name, a file or an address; without it a simulated robot as the recorded one, by its description\n"
    .. "in the recording if it does not come along.",
  options = {
    { "robot", "ROBOT", "on this robot; it plays the joints of the recording whose names it has" },
    token.option,
    { "rate", "R", "R times faster than recorded (default: 1)", number = { 0.01, 100 } },
    { "loop", nil, "again and again, until it is stopped" },
    script.FROM,
    script.TO,
    { "joints", "NAMES", "these joints alone, or dofs of joints: head.pan,head.tilt" },
    { "episode", "N", "FOLDER is a data set of LeRobot: the actions of this episode, from 0; without it the\n"
      .. (" "):rep(25) .. "episodes are listed (docs/datasets.md)",
      number = { 0, whole = true } },
    { "base", nil, "the recorded velocities of the base, too: nothing brings it back to the recorded way" },
    { "of", "NAME", "the recorded robot, where there are several" },
    { "max-distance", "RAD", "of a joint to the first pose, rad or m (default: 1); otherwise nothing moves",
      number = { 0 } },
    { "virtual", nil, "simulated time" },
    { "compare", nil, "instead: runs its clients again in simulated time; the first result, notice or state\n"
      .. (" "):rep(25) .. "that differs is shown" },
    script.WORLD,
    script.PHYSICS,
    script.RECORD,
  },
  example = "robotalk play drive.mcap --rate 0.5",
  exits = "0 played, or equal, 1 refused, stopped, or different, 2 wrong usage",
  main = function(args)
    token.file = args["token-file"]
    local function refuse(form, ...)
      script.complain(("play: " .. form):format(...))
      return 2
    end
    if #args ~= 1 then return refuse("want one file, got %d names", #args) end
    if (args.to or math.huge) <= (args.from or 0) then
      return refuse("expected --from less than --to, got %s and %s", args.from or 0, args.to)
    end
    for _, name in ipairs(args.compare and { "robot", "rate", "loop", "from", "to", "joints", "episode", "base", "of",
      "max-distance" } or {}) do
      if args[name] then return refuse("--compare takes no --%s", name) end
    end
    if args.compare then return compare_it(args) end
    if not args.episode and core.real_path(args[1] .. "/") then return list(args[1]) end
    if not script.open({ virtual = args.virtual }, 10) then return 1 end
    script.physics(args.physics)
    local recorder, trouble = script.record(args)
    if trouble then return 1 end
    local ok, why = script.main(function() play_it(args[1], args) end)
    local recorded = script.finish_record(recorder)
    if not ok then script.complain(why) end
    return ok and recorded and 0 or 1
  end,
}
