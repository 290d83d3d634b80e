-- Search, the look-ahead of IndiGolog (Sardina, De Giacomo, Lespérance, Levesque 2004) [I]: a part of a program is
-- executed only along a plan that reaches its end.
local checked = require "robotalk.mistakes.checked"
local frontier = require "robotalk.golog.frontier"
local machine = require "robotalk.golog.machine"
local compile = require "robotalk.golog.program".compile

local END = machine.END
local look_ahead

-- A node that follows a plan: `path` are the plan's steps, each with its action, its number of writes, the rest
-- of the program after it, and its branches, if the last step is a sensing action; `index` is the next step, `version`
-- that of the store if only the plan has written, `from` the rest of the program.

-- Its position, within the branch that the world has taken; nil when that is none of the plan's, or when the world
-- is not as the plan expects.
local function expected(m, node)
  local path, version = node.path, node.version
  if node.index > #path and path.branches then
    local told, taken = m.told[path[#path].node], nil
    for _, branch in ipairs(path.branches) do
      if told and rawequal(told.value, branch.value) then taken = branch end
    end
    if not taken then return nil end
    node = { path = taken.plan, index = 1, from = node.from }
    version = version + taken.writes
  end
  return m.store.version == version and node or nil
end

-- A plan without actions leads from k to its end by tests, which are a step.
local function finish(m, k, rest, searched)
  if searched and not machine.final(m, k) then return m:step(rest) end
  return rest
end

local final_follow
local function exec_follow(m, node, rest)
  local at, searched = expected(m, node), false
  if not at then at, searched = look_ahead(m, node.from, node.options), true end
  if not at then return m:fail("the search finds no way any more", node) end
  local step = at.path[at.index]
  if not step then return finish(m, node.from, rest, searched) end
  local following = { exec = exec_follow, final = final_follow, path = at.path, index = at.index + 1,
    version = m.store.version + step.writes, from = step.from, options = node.options }
  return step.node.exec(m, step.node, { following, rest })
end
function final_follow(m, node)
  local at = expected(m, node)
  if at then return at.path[at.index] == nil end
  return machine.final(m, node.from)
end

-- The plan that a machine has found.
local function path_of(ahead)
  local path = { branches = ahead.branches }
  for i = 1, ahead.length do
    local after = ahead.residual[i]
    path[i] = { node = ahead.plan[i], writes = after.writes, from = after.whole }
  end
  return path
end

---Searches for a plan from k without executing anything: a node that follows the plan; nil when there is none.
function look_ahead(m, k, options)
  local version = m.store.version
  local _ <close> = m.store:imagine()
  local ahead = machine.new(m.store, { depth = options.depth or m.search_depth, nodes = options.nodes
    or m.search_nodes })
  ahead.residual, ahead.interrupting, ahead.keep = {}, m.interrupting, options.branches and path_of
  if frontier.search_of(options)(ahead, k) ~= true then return nil end
  return { exec = exec_follow, final = final_follow, path = path_of(ahead), index = 1, version = version, from = k,
    options = options }
end

local function exec_search(m, node, rest)
  if not m.online then return { node.body, rest } end -- offline, the search covers the program as a whole
  local k = { node.body, END }
  local follow = look_ahead(m, k, node.options)
  if not follow then return m:fail("the search finds no way", node) end
  if not follow.path[1] then return finish(m, k, rest, true) end
  return { follow, rest }
end

---The program, but only along a plan that reaches its end [I]: online a plan is searched first, and again when the
---world is not as expected. A sensing action ends the search unless it has an `assume`; with `branches` the plan has a
---branch for each value that the action `tells`, and follows the one that comes true [I: searchc].
---options: depth, nodes, deepen, branches, as of plan.
return function(body, options)
  body = compile(body, "search")
  return { exec = exec_search, final = function(m) return body.final(m, body) end, body = body,
    options = checked.options(options, frontier.OPTIONS, "search") }
end
