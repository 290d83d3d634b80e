local core = require "robotalk.core"
local script = require "robotalk.cli.script"

return {
  summary = "the benchmarks, each beside its own limit in the same run",
  usage = "[NAME …] [--json]",
  options = { { "json", nil, "as JSON" } },
  example = "robotalk bench direct queue",
  exits = "0 they ran, whether goals are reached or not; 1 they could not; 2 wrong usage",
  main = function(args)
    local words = table.move(args, 1, #args, 1, {})
    if args.json then words[#words + 1] = "--json" end
    local why = core.run_beside("robotalk-bench", words)
    script.complain("bench: " .. why .. " (it is built beside the program when a C++ compiler is there)")
    return 1
  end,
}
