local core = require "robotalk.core"
local script = require "robotalk.cli.script"

local names = {}
for _, path in ipairs(core.scripts()) do names[#names + 1] = path:match("^experiments/([%w_]+)%.lua$") end

-- What is wrong with the words behind an experiment's name; they are none, or one of its tasks.
local function wrong_words(name, args, tasks)
  local word = args[3] or args[2]
  if not word then return end
  if not tasks then return ("experiment %s: it has no tasks; what is %s?"):format(name, word) end
  for _, task in ipairs(tasks) do
    if task == word and not args[3] then return end
  end
  return ("experiment %s: expected one of %s, got %s"):format(name, table.concat(tasks, ", "), word)
end

return {
  summary = "repeats an experiment of the papers: " .. table.concat(names, ", "),
  usage = "NAME [TASK] [--seed N] [--real] [--out DIR] [--json]",
  details = "ordering has tasks: line, oscillation, force; without one, all of them.",
  options = {
    { "seed", "N", "of everything random in simulated time (default 1)", number = true },
    { "real", nil, "real sockets in real time instead of a simulated network" },
    { "out", "DIR", "writes CSV files and an SVG plot there (default: out)" },
    { "json", nil, "the results as JSON instead of a table" },
  },
  example = "robotalk experiment congestion --out out",
  main = function(args)
    local name = args[1]
    if not name or not core.script("experiments/" .. name .. ".lua") then
      script.complain(("experiment: which one? There are: %s"):format(table.concat(names, ", ")))
      return 2
    end
    local experiment = require("experiments." .. name)
    local trouble = wrong_words(name, args, experiment.tasks)
    if trouble then
      script.complain(trouble)
      return 2
    end
    local shows = core.is_terminal(2)
    local function progress(text) if shows then core.say("err", "\r\27[K" .. text) end end
    local begin = os.clock()
    local ok, results, text = pcall(experiment.run, { seed = args.seed and math.floor(args.seed), real = args.real,
      what = args[2], out = args.out or "out" }, progress)
    progress("")
    if not ok then
      script.complain(tostring(results))
      return 1
    end
    if args.json then
      core.say("out", script.json { experiment = name, runs = experiment.json(results) } .. "\n")
    else
      core.say("out", text)
      if not args.real then core.say("out", ("%.1f s of processor time\n"):format(os.clock() - begin)) end
    end
    return 0
  end,
}
