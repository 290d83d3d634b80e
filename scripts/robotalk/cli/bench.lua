local core = require "robotalk.core"
local json = require "robotalk.json"
local near = require "robotalk.mistakes.near"
local script = require "robotalk.cli.script"

-- Those of robotalk-bench, in its order, and those that are scripts.
local NAMES = { "start", "direct", "frame", "rctp", "player", "gamebots", "lateness", "robots", "panic", "neighbour",
  "crowd", "queue", "pipeline", "kinematics", "ordering", "steady", "ffi", "tls", "scripts", "readings", "pictures",
  "rcml", "network", "slow", "physics", "cameras", "world", "python", "servos", "record", "websocket",
  "golog", "follow", "dds" }
local known = {}
for _, name in ipairs(NAMES) do known[name] = true end

local function amount(x) return (x < 100 and "%.3g" or "%.0f"):format(x) end

local function progress(text)
  if core.is_terminal(2) then core.say("err", "\r\27[K" .. text) end
end

-- Benchmarks that are scripts: as a table or as JSON, like the others.
local scripts = {}

function scripts.golog(as_json)
  local rows, note = require "benchmarks.golog".run(progress)
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

function scripts.follow(as_json)
  local list, lines = {}, { ("%-56s %8s  %-4s %8s"):format("", "ours", "", "goal") }
  for i, r in ipairs(require "benchmarks.follow".run(progress)) do
    list[i] = json.record({ "goal", "reached" }, { name = "follow", what = r.what, unit = r.unit, ours = r.ours,
      goal = r.most, reached = r.reached })
    lines[#lines + 1] = ("%-56s %8s  %-4s %8s %s"):format(r.what, amount(r.ours), r.unit,
      r.most and "<=" .. amount(r.most) or "-", r.reached and "reached" or r.most and "NOT REACHED" or "")
  end
  core.say("out", as_json and json.encode(list) .. "\n" or table.concat(lines, "\n") .. "\n")
  return 0
end

function scripts.dds(as_json)
  local rows, note = require "benchmarks.dds".run(progress)
  local list, lines = {}, { ("%-52s %8s %8s  %-4s %6s %6s"):format("", "ours", "limit", "", "ratio", "goal") }
  for i, r in ipairs(rows) do
    local reached = r.ratio and r.ratio <= r.goal
    list[i] = json.record({ "limit", "ratio", "goal", "reached" }, { name = "dds", what = r.what, unit = r.unit,
      ours = r.ours, limit = r.limit, ratio = r.ratio, goal = r.goal, reached = reached })
    lines[#lines + 1] = ("%-52s %8s %8s  %-4s %6s %6s %s"):format(r.what, amount(r.ours),
      r.limit and amount(r.limit) or "", r.unit, r.ratio and amount(r.ratio) or "", r.goal and "<=" .. r.goal or "",
      reached and "reached" or r.ratio and "NOT REACHED" or r.goal and "not measured" or "")
  end
  core.say("out", as_json and json.encode(list) .. "\n" or table.concat(lines, "\n") .. "\n")
  if note then script.complain("bench: " .. note) end
  return note and 1 or 0
end

return {
  usage = "[NAME … | golog | follow | dds] [--json]",
  details = ("NAME: %s,\n%s; all of these unless one is named.\n"
    .. "golog, beside SWI-Prolog, follow, in simulated time, and dds, beside ddsperf, are run by themselves."):format(
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
      elseif scripts[word] and #words > 1 then
        script.complain(("bench: %s is run by itself"):format(word))
        return 2
      end
    end
    if scripts[words[1]] then return scripts[words[1]](args.json) end
    if args.json then words[#words + 1] = "--json" end
    local why = core.run_beside("robotalk-bench", words)
    script.complain("bench: " .. why .. " (it is built beside the program when a C++ compiler is there)")
    return 1
  end,
}
