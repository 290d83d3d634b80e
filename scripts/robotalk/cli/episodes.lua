-- The verb record with --episodes: a robot, what teaches it, and the episodes of a data set (docs/datasets.md).
local core = require "robotalk.core"
local beside = require "robotalk.robot.beside"
local dataset = require "robotalk.dataset"
local script = require "robotalk.cli.script"
local session = require "robotalk.dataset.session"
local task = require "robotalk.task"

local episodes = {}

---Options of the verb.
episodes.OPTIONS = {
  { "episodes", "DIR", "in place of a recording a data set of LeRobot, new or continued, whose episodes keys begin" },
  { "task", "TEXT", "what is done in the next episodes" },
  { "leader", "ROBOT", "this arm is followed while E is held; without it the keys of drive move the robot" },
  { "gamepad", "DEVICE", "a gamepad moves the robot, too, as of drive", otherwise = "auto" },
  { "script", "FILE", "a script teaches: it runs in each episode, with the robot's name and the episode's index" },
  { "count", "N", "so many episodes of the script, without keys; it returns false for one to drop",
    number = { 1, whole = true } },
  { "fps", "N", "frames a second (30)", number = { 1, 1000, whole = true } },
  { "lerobot", "VERSION", "3.0 (default) or 2.1" },
  { "virtual", nil, "simulated time, with --count" },
  script.PHYSICS,
  script.WORLD,
}

-- The mistake in the options, or nil.
local function wrong_of(args)
  return #args > 1 and ("want one address or robot, got %d"):format(#args)
    or args.lerobot and args.lerobot ~= "3.0" and args.lerobot ~= "2.1" and "--lerobot: expected 3.0 or 2.1"
    or args.count and not args.script and "--count is of episodes of a script: want --script, too"
    or args.virtual and not args.count and "--virtual has no keys: want --count, too"
    or args.script and (args.leader or args.gamepad) and "want one teacher: --script, or --leader, or --gamepad"
    or args.leader and args.gamepad and "want one teacher: --script, or --leader, or --gamepad"
    or not args.count and not (core.is_terminal(0) and core.is_terminal(1)) and "no terminal: only --count needs none"
    or nil
end

-- Episodes of a script, without keys.
local function repeated(set, fn, name, path, count)
  for _ = 1, count do
    local ok, why = set:begin()
    if not ok then script.fail(why) end
    if beside.run(path, fn, name, set.info.total_episodes) == false then
      set:drop()
      core.say("out", "dropped: the script has returned false\n")
    else
      local about
      about, why = set:keep()
      if not about then script.fail(why) end
      core.say("out", session.words(set, about) .. "\n")
    end
  end
end

-- Episodes by keys, while something teaches.
local function by_keys(set, robot, args, teach)
  local screen, why = require "robotalk.screen".open()
  if not screen then script.fail(why) end
  local keys <close> = session.new(set, screen, teach)
  local _ <close> = setmetatable({}, { __close = function() keys:finish() end })
  if teach then return session.run(keys) end
  local ok
  if args.leader then
    local leader <close> = require "robotalk".connect(args.leader)
    local source <close> = require "robotalk.follow.enable".key(keys)
    ok, why = require "robotalk.follow".run(leader, robot, source.held)
  else
    ok, why = require "robotalk.drive".run(robot, args, keys)
  end
  if not ok then script.fail(why) end
end

-- Records them; raises what is to be printed. name: of a robot.
local function run(name, args)
  local fn, why
  if args.script then fn, why = loadfile(args.script, "t") end
  if why then script.fail(why) end
  local robot <close> = require "robotalk".connect(name)
  local set
  set, why = dataset.create(args.episodes, { robot = robot, fps = args.fps, task = args.task,
    version = args.lerobot })
  if not set then script.fail(why) end
  local _ <close> = set
  local _ <close> = setmetatable({}, { __close = function()
    core.say("out", ("%s: %d episodes, %d frames\n"):format(set.path, set.info.total_episodes, set.info.total_frames))
  end })
  if set.note then core.say("err", set.note) end
  if args.count then return repeated(set, fn, name, args.script, args.count) end
  by_keys(set, robot, args, fn and function(index)
    return task.spawn("script", function() return beside.run(args.script, fn, name, index) end)
  end)
end

---The verb, with --episodes: its status.
function episodes.main(args)
  local wrong = wrong_of(args)
  if wrong then
    script.complain("record: " .. wrong)
    return 2
  end
  if not script.open({ virtual = args.virtual }, 10) or not script.surround(args.world) then return 1 end
  script.physics(args.physics)
  local ok, why = script.main(function() run(args[1] or "robotalk://localhost", args) end)
  if not ok then script.complain(why) end
  return ok and 0 or 1
end

return episodes
