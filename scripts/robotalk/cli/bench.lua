local core = require "robotalk.core"
local json = require "robotalk.json"
local near = require "robotalk.mistakes.near"
local script = require "robotalk.cli.script"

-- Those of robotalk-bench, in its order, and the one that is a script.
local NAMES = { "start", "direct", "frame", "rctp", "player", "gamebots", "lateness", "robots", "panic", "neighbour",
  "crowd", "queue", "pipeline", "kinematics", "ordering", "steady", "ffi", "tls", "scripts", "readings", "pictures",
  "rcml", "network", "slow", "physics", "cameras", "world", "golog" }
local known = {}
for _, name in ipairs(NAMES) do known[name] = true end

local function amount(x) return (x < 100 and "%.3g" or "%.0f"):format(x) end

-- The one benchmark that is a script: as a table or as JSON, like the others.
local function golog(as_json)
  local shows = core.is_terminal(2)
  local rows, note = require "benchmarks.golog".run(function(text)
    if shows then core.say("err", "\r\27[K" .. text) end
  end)
  local status, list = 0, {}
  local lines = { ("%-46s %14s %14s  %-13s %8s %s"):format("", "ours", "SWI-Prolog", "", "ratio", "goal") }
  for i, r in ipairs(rows) do
    local reached = r.ratio and r.ratio >= r.goal
    if not r.ratio then status = 1 end
    list[i] = json.record({ "limit", "ratio", "reached" }, { name = "golog", what = r.what, unit = r.unit,
      ours = r.ours, limit = r.limit, ratio = r.ratio, goal = r.goal, reached = reached })
    lines[#lines + 1] = ("%-46s %14s %14s  %-13s %8s >=%-4g %s"):format(r.what, amount(r.ours),
      r.limit and amount(r.limit) or "-", r.unit, r.ratio and ("%.3g"):format(r.ratio) or "-", r.goal,
      not r.ratio and "not measured" or reached and "reached" or "NOT REACHED")
  end
  core.say("out", as_json and json.encode(list) .. "\n" or table.concat(lines, "\n") .. "\n")
  if note then script.complain("bench: " .. note) end
  return status
end

return {
  usage = "[NAME … | golog] [--json]",
  details = ("NAME: %s,\n%s; all of these unless one is named.\ngolog, beside SWI-Prolog, is run by itself."):format(
    table.concat(NAMES, ", ", 1, 8), table.concat(NAMES, ", ", 9, #NAMES - 1)),
  names = function() return NAMES end,
  options = { { "json", nil, "as JSON" } },
  example = "robotalk bench direct queue",
  exits = "0 all were measured, whether goals are reached or not; 1 some were not measured; 2 wrong usage",
  main = function(args)
    local words = table.move(args, 1, #args, 1, {})
    for _, word in ipairs(words) do
      local meant = near(word, NAMES)
      if not known[word] then
        script.complain(("bench: there is no '%s'%s are %s"):format(word,
          meant and (", did you mean %s? There"):format(meant) or "; there", table.concat(NAMES, ", ")))
        return 2
      elseif word == "golog" and #words > 1 then
        script.complain "bench: golog is run by itself"
        return 2
      end
    end
    if words[1] == "golog" then return golog(args.json) end
    if args.json then words[#words + 1] = "--json" end
    local why = core.run_beside("robotalk-bench", words)
    script.complain("bench: " .. why .. " (it is built beside the program when a C++ compiler is there)")
    return 1
  end,
}
