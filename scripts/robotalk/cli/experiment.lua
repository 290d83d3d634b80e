local core = require "robotalk.core"
local script = require "robotalk.cli.script"

local names = {}
for _, path in ipairs(core.scripts()) do names[#names + 1] = path:match("^experiments/([%w_]+)%.lua$") end

return {
  summary = "repeats an experiment of the papers: " .. table.concat(names, ", "),
  usage = "NAME [--seed N] [--real] [--out DIR] [--json]",
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
    local shows = core.is_terminal(2)
    local function progress(text) if shows then core.say("err", "\r\27[K" .. text) end end
    local begin = os.clock()
    local ok, results, text = pcall(experiment.run, { seed = args.seed and math.floor(args.seed), real = args.real,
      out = args.out or "out" }, progress)
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
