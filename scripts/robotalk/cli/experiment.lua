local core = require "robotalk.core"
local json = require "robotalk.json"
local near = require "robotalk.mistakes.near"
local script = require "robotalk.cli.script"

local names = core.scripts "experiments"

-- The error in the arguments after an experiment's name: there may be none, or one of its tasks.
local function wrong_words(name, args, tasks)
  local word = args[3] or args[2]
  if not word then return end
  if not tasks then return ("experiment %s: it has no tasks; what is %s?"):format(name, word) end
  for _, task in ipairs(tasks) do
    if task == word and not args[3] then return end
  end
  local meant = not args[3] and near(word, tasks)
  return ("experiment %s: expected one of %s, got %s%s"):format(name, table.concat(tasks, ", "), word,
    meant and ("; did you mean %s?"):format(meant) or "")
end

-- A whole number from an option, or nil and an error text.
local function whole(args, name, least)
  local n = args[name] and math.tointeger(args[name])
  if args[name] and (not n or n < least) then
    return nil, ("experiment: --%s wants a whole number of %d or more"):format(name, least)
  end
  return n
end

-- Adds the arguments about pictures to the options; or nil and an error text.
local function with_pictures(args, options)
  options.rate, options.quality = args.rate, args.quality and math.tointeger(args.quality)
  if args.rate and not (args.rate > 0 and args.rate <= 1000) then
    return nil, "experiment: --rate wants frames a second, more than 0, at most 1000"
  end
  if args.quality and not (options.quality and options.quality >= 1 and options.quality <= 100) then
    return nil, "experiment: --quality wants a whole number from 1 to 100"
  end
  if args.size then
    local width, height = args.size:match "^(%d+)x(%d+)$"
    options.width, options.height = math.tointeger(width), math.tointeger(height)
    local function good(n) return n and n >= 16 and n <= 4096 end
    if not (good(options.width) and good(options.height)) then
      return nil, "experiment: --size wants pixels, 16x16 to 4096x4096, as 640x480"
    end
  end
  return options
end

-- The options of the experiment, or nil and an error text.
local function options_of(args, experiment)
  for _, name in ipairs { "runs", "from", "jobs", "all", "trace", "frames", "trials", "rate", "size", "quality",
    "servers", "operators" } do
    if args[name] and not (experiment.options and experiment.options[name]) then
      return nil, ("experiment %s: it has no option --%s"):format(args[1], name)
    end
  end
  local options = { seed = args.seed and math.floor(args.seed), real = args.real, what = args[2],
    out = args.out or "out", all = args.all, trace = args.trace }
  for name, least in pairs { runs = 1, from = 0, jobs = 1, frames = 1, trials = 1, servers = 3, operators = 2 } do
    local n, why = whole(args, name, least)
    if why then return nil, why end
    options[name] = n
  end
  return with_pictures(args, options)
end

return {
  usage = "NAME [TASK] [--seed N] [--real] [--out DIR] [--json]\n"
    .. "       robotalk experiment faults [--runs N] [--from SEED] [--jobs N] [--all] [--seed SEED [--trace]]\n"
    .. "       robotalk experiment fleet [--servers N] [--operators N] [--seed N] [--out DIR] [--json]\n"
    .. "       robotalk experiment images [TASK] [--frames N] [--trials N] [--rate R] [--size WxH] [--quality Q]",
  details = "ordering has tasks: line, oscillation, force, countertop, servos; congestion: paper, between, rough; "
    .. "images: paced, unpaced, link, cuts, hour; teleoperation: course, hold.\nWithout one, all are done; of ordering "
    .. "the first four, of images the first three, of teleoperation the first.\n"
    .. "ordering servos compares ways to send goals to serial servos, and writes no files. "
    .. "Trials of images that DIR has\nare not done again.",
  options = {
    { "seed", "N", "seed of simulated time (default 1); faults: repeats that one run", number = true },
    { "real", nil, "real sockets in real time instead of a simulated network" },
    { "out", "DIR", "writes CSV files and an SVG plot there (default: out)" },
    { "json", nil, "the results as JSON instead of a table" },
    { "runs", "N", "faults: number of worlds, each from the next seed (default 10000)", number = true },
    { "from", "SEED", "faults: the first seed (default 1)", number = true },
    { "jobs", "N", "faults: processes that share the runs (default 2)", number = true },
    { "all", nil, "faults: continues after a finding and counts them" },
    { "trace", nil, "faults: every event of the run" },
    { "frames", "N", "images: frames of a trial (default 1000; link, cuts 300; hour: one minute)", number = true },
    { "trials", "N", "images: trials of each test (default 20; hour 60)", number = true },
    { "rate", "R", "images: frames a second of paced runs (default 100; link, cuts 30)", number = true },
    { "size", "WxH", "images: pixels (default 640x480)" },
    { "servers", "N", "fleet: 3 or more (default 50)", number = true },
    { "operators", "N", "fleet: 2 or more, and one who is late (default 10)", number = true },
    { "quality", "Q", "images: quality of JPEG, 1 to 100 (default 80)", number = true },
  },
  names = function(words)
    if not words[1] then return names end
    local known = not words[2] and core.script("experiments/" .. words[1] .. ".lua")
    return known and require("experiments." .. words[1]).tasks or {}
  end,
  example = "robotalk experiment congestion --out out",
  exits = "0 done, 1 failed or something found, 2 wrong usage",
  main = function(args, argv)
    local name = args[1]
    if not name or not core.script("experiments/" .. name .. ".lua") then
      local meant = near(name, names)
      script.complain(("experiment: %s There are: %s"):format(not name and "which one?"
        or ("there is no '%s'%s."):format(name, meant and (", did you mean %s?"):format(meant) or ""),
        table.concat(names, ", ")))
      return 2
    end
    local experiment = require("experiments." .. name)
    if experiment.program and not core.fault_run then
      local why = core.run_beside(experiment.program, argv)
      script.complain("experiment: " .. why .. " (it is built beside the program)")
      return 1
    end
    local trouble = wrong_words(name, args, experiment.tasks)
    if trouble then
      script.complain(trouble)
      return 2
    end
    local options
    options, trouble = options_of(args, experiment)
    if not options then
      script.complain(trouble)
      return 2
    end
    local shows = core.is_terminal(2)
    local function progress(text) if shows then core.say("err", "\r\27[K" .. text) end end
    local begin = os.clock()
    local ok, results, text = pcall(experiment.run, options, progress)
    progress("")
    if not ok then
      script.complain(tostring(results))
      return 1
    end
    if args.json then
      core.say("out", json.encode { experiment = name, runs = experiment.json(results) } .. "\n")
    else
      core.say("out", text)
      if not args.real and not options.trace and not experiment.processes then
        core.say("out", ("%.1f s of processor time\n"):format(os.clock() - begin))
      end
    end
    return results.failed and 1 or 0
  end,
}
