-- Plans of Golog programs as words, for tests.
local machine = require "robotalk.golog.machine"
local program = require "robotalk.golog.program"

local plans = {}

---The names of a plan's actions.
function plans.text(plan)
  local words = {}
  for i, step in ipairs(plan) do words[i] = step.name end
  return table.concat(words, " ")
end

---The plan's actions as words; "none" without one.
function plans.planned(d, what, options)
  local plan, message, code = d:plan(what, options)
  if plan then return plans.text(plan) end
  assert(message and code)
  return code == "ENOPLAN" and "none" or code
end

---The first of the shortest plans, found depth first within ever larger bounds.
function plans.deepened(d, what, most, nodes)
  for depth = 0, most do
    local words = plans.planned(d, what, { depth = depth, nodes = nodes })
    if words ~= "none" then return words end
  end
  return "none"
end

---All plans of at most `depth` actions, as a set of words.
function plans.all(d, what, depth, steps)
  local m, set = machine.new(d.store, { depth = depth, nodes = 20000, steps = steps }), {}
  m.interrupting = function() return d.interrupts() end
  local found = m:solve { program.compile(what), machine.END }
  while found == true do
    local words = {}
    for i = 1, m.length do words[i] = m.plan[i].action.name end
    set[table.concat(words, " ")] = true
    found = m:again()
  end
  d.store:undo(0)
  return found == false and set -- else there are too many to look at
end

---A set of words as one text.
function plans.words_of(set)
  local list = {}
  for key in pairs(set) do list[#list + 1] = key == "" and "-" or key end
  table.sort(list)
  return table.concat(list, " | ")
end

return plans
