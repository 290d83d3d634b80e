-- Search, the look-ahead of IndiGolog (Sardina, De Giacomo, Lespérance, Levesque 2004) [I]: a part of a program is
-- executed only along a plan that reaches its end.
local checked = require "robotalk.checked"
local machine = require "robotalk.golog.machine"
local compile = require "robotalk.golog.program".compile

local END = machine.END
local look_ahead

local function exec_follow(m, node, rest)
  local search = node
  if m.store.version ~= node.version then -- the world is not as the plan expects: search again
    search = look_ahead(m, node.from, node.options)
    if not search then return m:fail("the search finds no way any more", node) end
  end
  local step = search.steps[search.index]
  if not step then return rest end
  local following = { exec = exec_follow, final = search.final, steps = search.steps, index = search.index + 1,
    version = m.store.version + step.writes, from = step.from, options = node.options }
  return step.node.exec(m, step.node, { following, rest })
end
local function final_follow(m, node)
  if m.store.version == node.version then return node.steps[node.index] == nil end
  return machine.final(m, node.from)
end

-- One search within a bound on the actions: the result, and its machine.
local function ahead_of(m, k, depth, nodes)
  local ahead = machine.new(m.store, { depth = depth, nodes = nodes })
  ahead.residual, ahead.interrupting = {}, m.interrupting
  local mark, version = m.store.top, m.store.version
  local found = ahead:solve(k)
  m.store:undo(mark)
  m.store.version = version
  return found, ahead
end

---Searches for a plan from k without executing anything: a node that follows the plan; nil when there is none.
function look_ahead(m, k, options)
  local most, nodes = options.depth or m.search_depth or math.huge, options.nodes or m.search_nodes
  local depth = options.deepen and 0 or most
  local found, ahead
  repeat
    found, ahead = ahead_of(m, k, depth, nodes)
    depth = depth + 1
    if nodes then nodes = nodes - ahead.nodes end
  until found or not ahead.cut or depth > most
  if found ~= true then return nil end
  local steps = {}
  for i = 1, ahead.length do
    local after = ahead.residual[i]
    steps[i] = { node = ahead.plan[i], writes = after.writes, from = after.whole }
  end
  return { exec = exec_follow, final = final_follow, steps = steps, index = 1, version = m.store.version, from = k,
    options = options }
end

local function exec_search(m, node, rest)
  if not m.online then return { node.body, rest } end -- offline, the search covers the program as a whole
  local follow = look_ahead(m, { node.body, END }, node.options)
  if not follow then return m:fail("the search finds no way", node) end
  return { follow, rest }
end

local OPTIONS = { depth = true, nodes = true, deepen = true }

---The program, but only along a plan that reaches its end [I]: online a plan is searched first, and again when the
---world is not as expected. Plans are not conditional: sensing actions end the search unless they have an `assume`.
---options: depth, nodes, deepen, as of plan.
return function(body, options)
  body = compile(body, "search")
  return { exec = exec_search, final = function(m) return body.final(m, body) end, body = body,
    options = checked.options(options, OPTIONS, "search") }
end
