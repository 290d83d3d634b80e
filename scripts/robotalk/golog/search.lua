-- Search, the look-ahead of IndiGolog (Sardina, De Giacomo, Lespérance, Levesque 2004) [I]: a part of a program is
-- executed only along a plan that reaches its end.
local checked = require "robotalk.checked"
local frontier = require "robotalk.golog.frontier"
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

---Searches for a plan from k without executing anything: a node that follows the plan; nil when there is none.
function look_ahead(m, k, options)
  local version = m.store.version
  local _ <close> = m.store:imagine()
  local ahead = machine.new(m.store, { depth = options.depth or m.search_depth, nodes = options.nodes
    or m.search_nodes })
  ahead.residual, ahead.interrupting = {}, m.interrupting
  local search = options.deepen and frontier.solve or machine.solve
  if search(ahead, k) ~= true then return nil end
  local steps = {}
  for i = 1, ahead.length do
    local after = ahead.residual[i]
    steps[i] = { node = ahead.plan[i], writes = after.writes, from = after.whole }
  end
  return { exec = exec_follow, final = final_follow, steps = steps, index = 1, version = version, from = k,
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
