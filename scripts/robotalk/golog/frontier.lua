-- The shortest plan of a program: a breadth-first search by one action, by two, and so on. A place on the frontier is a
-- state of the fluents and the rest of the program there; its successors depend on nothing else, so of equal places
-- only the first is kept. The plan is the one that iterative deepening would find. Iterative deepening is
-- used instead if conditions or effects turn out to depend on more than fluents.
local actions = require "robotalk.golog.action"
local checked = require "robotalk.mistakes.checked"
local machine = require "robotalk.golog.machine"

local END = machine.END

local frontier = {}

---The options of a search for a plan.
frontier.OPTIONS = { depth = checked.bound, nodes = checked.bound, deepen = checked.flag, branches = checked.flag }

-- ---- when the rest of a program is the same ----

-- A table for a and b, the same for the same ones.
local function pair(pairs_, a, b)
  local of = pairs_[a]
  if not of then
    of = {}
    pairs_[a] = of
  end
  local one = of[b]
  if not one then
    one = {}
    of[b] = one
  end
  return one
end

local canonical

-- Nodes are equal only to themselves; those that a machine makes while it runs are interchangeable, once an
-- action was made after them.
local function canonical_node(self, node)
  if node.inner then return pair(self.pairs, canonical(self, node.inner), node.join) end
  if not node.left then return node.like or node end
  return pair(self.pairs, pair(self.pairs, canonical(self, node.left), canonical(self, node.right)), node.prior)
end

-- A table that is the same for equal continuations. Their ends are shared and examined once.
function canonical(self, k)
  local known, list = self.known, {}
  while k ~= END and not known[k] do
    list[#list + 1] = k
    k = k[2]
  end
  local key = k == END and END or known[k]
  for i = #list, 1, -1 do
    key = pair(self.pairs, canonical_node(self, list[i][1]), key)
    known[list[i]] = key
  end
  return key
end

-- ---- places ----

-- Puts the store and the machine into the state of a place.
local function go_to(self, place)
  local m, at, way, n = self.machine, self.at, self.way, 0
  local one = place
  while one.depth > self.depth or at[one.depth] ~= one do
    n = n + 1
    way[n] = one
    one = one.parent
  end
  if self.depth > one.depth then m.store:undo(m.marks[one.depth + 1]) end
  for i = n, 1, -1 do
    one = way[i]
    local depth = one.depth
    at[depth], m.plan[depth], m.marks[depth] = one, one.node, m.store.top
    m.store:redo(one.writes, one.hash)
  end
  self.depth = place.depth
  m.top, m.length, m.ctx, m.trigger, m.calls, m.copies = 0, place.depth, nil, nil, 0, 0
  m.stamp, m.acted = place.stamp, place.stamp
end

-- Whether the program may end at the store's place, by tests alone; without `all` only as far as known
-- without trying an action.
local function ends(self, place, all)
  local scout = self.scout
  scout.resting = all and "all" or "first"
  scout.top, scout.ctx, scout.trigger, scout.calls, scout.copies, scout.stamp, scout.acted = 0, nil, nil, 0, 0, 0, 0
  local before = scout.nodes
  local found = scout:solve(place.k)
  self.machine.nodes = self.machine.nodes + scout.nodes - before
  return found == true
end

-- The place that an action has led to; nil when it was reached before. The first, second, fourth, eighth, … of those is
-- compared with the one that was first.
local function reached(self, parent)
  local m = self.machine
  local store, k = m.store, m.next
  local key, hash, depth = canonical(self, k), store.hash, parent.depth + 1
  local seen = self.seen[key]
  if not seen then
    seen = {}
    self.seen[key] = seen
  end
  local first = seen[hash]
  if first then
    self.again = self.again + 1
    if self.again < self.compare then return nil end
    self.compare = 2 * self.compare
  end
  local place = { parent = parent, depth = depth, k = k, node = m.plan[depth], stamp = m.stamp, hash = hash,
    writes = store:written(m.marks[depth]) }
  if first then
    self.doubts[#self.doubts + 1] = { place, first }
    return nil
  end
  seen[hash] = place
  return place
end

-- ---- check of places ----

-- Executes the actions that lead to a place again: whether they are possible, and lead there.
local function relive(self, place)
  local way, store = {}, self.machine.store
  while place.parent do
    table.insert(way, 1, place)
    place = place.parent
  end
  for _, one in ipairs(way) do
    if not actions.foresee(store, one.node) or store.hash ~= one.hash then return false end
  end
  return true
end

-- The possible actions at a place that is reached again, and their results, as text; nil when it is not reached.
local function prospects(self, place)
  local store, list = self.machine.store, {}
  local _ <close> = store:imagine()
  if not relive(self, place) then return nil end
  local m = machine.new(store, { nodes = self.machine.most_nodes })
  m.interrupting, m.levels = self.machine.interrupting, true
  local found = m:solve(place.k)
  while found == "step" do
    list[#list + 1] = actions.label(m.plan[m.length]) .. " " .. store.hash
    found = m:again()
  end
  list[#list + 1] = tostring(found)
  return table.concat(list, "\n")
end

-- Whether the places that were taken for equal are equal, and the possible ends of the plan can be reached.
local function sure(self, last)
  if not self.doubts[1] and not last then return true end
  go_to(self, self.at[0])
  for _, two in ipairs(self.doubts) do
    local one = prospects(self, two[1])
    if not one or one ~= prospects(self, two[2]) then return false end
  end
  self.doubts = {}
  if not last then return true end
  local _ <close> = self.machine.store:imagine()
  return relive(self, last)
end

-- ---- the search ----

-- The first place of a level, from an index, where the program may end; nil when there is none.
local function first_end(self, level, from)
  for i = from, #level do
    go_to(self, level[i])
    if ends(self, level[i], true) then return level[i] end
  end
end

-- Adds the places that can be reached from one by an action to a level: as Machine:solve, true when the program may end
-- here; or true and the first of them where that is seen at once.
local function expand(self, place, level)
  local m = self.machine
  go_to(self, place)
  local mark, found, last = m.store.top, m:solve(place.k), nil
  while found == "step" do
    local child = reached(self, place)
    level[#level + 1] = child
    if child and ends(self, child) then
      found, last = true, child
    else
      found = m:again()
    end
  end
  m.store:undo(mark)
  m.length = place.depth
  return found, last
end

-- The plan that ends at a place: the machine and the store are there.
local function arrive(self, place)
  go_to(self, place)
  local residual = self.machine.residual
  while residual and place.parent do
    residual[place.depth] = { whole = place.k, writes = place.writes.n // 3 }
    place = place.parent
  end
  return true
end

-- All levels: as Machine:solve; nil when the check of places fails.
local function levels(self, root)
  local m, level = self.machine, { root }
  while level[1] and level[1].depth < m.most_depth do
    local next_level = {}
    for i, place in ipairs(level) do
      local found, last = expand(self, place, next_level)
      if last then
        last = first_end(self, level, i) or first_end(self, next_level, 1) or last
      elseif found == true then
        last = place
      end
      if not sure(self, last) then return nil end
      if last then return arrive(self, last) end
      if found then return found end
    end
    level = next_level
  end
  local last = first_end(self, level, 1)
  if last then return sure(self, last) and arrive(self, last) or nil end
  return m.nodes > m.most_nodes and "nodes"
end

---Searches from k by iterative deepening: as Machine:solve.
function frontier.deepen(m, k)
  local most, depth, top = m.most_depth, 0, m.store.top
  m.levels = nil
  repeat
    m.store:undo(top)
    m.choices, m.top, m.length, m.stamp, m.acted, m.ctx, m.trigger, m.calls, m.copies = {}, 0, 0, 0, 0, nil,
      nil, 0, 0
    m.most_depth, m.cut = depth, false
    local found = m:solve(k)
    if found then return found end
    depth = depth + 1
  until not m.cut or depth > most
  return false
end

---Searches from k: as Machine:solve; then m.plan is set, and the store is at the plan's end.
function frontier.solve(m, k)
  local store = m.store
  local top = store.top
  store:hash_from_now()
  local root = { depth = 0, k = k, stamp = 0, hash = store.hash }
  local self = { machine = m, scout = machine.new(store, { nodes = m.most_nodes }), at = { [0] = root }, depth = 0,
    way = {}, pairs = {}, known = {}, seen = {}, again = 0, compare = 1, doubts = {} }
  self.scout.interrupting, m.levels = m.interrupting, true
  local found = levels(self, root)
  if found ~= nil then return found end
  store:undo(top)
  return frontier.deepen(m, k)
end

---The search for options: depth first, or for the shortest plan; for plans with branches, whose longest branch
---counts, iterative deepening.
function frontier.search_of(options)
  if not options.deepen then return machine.solve end
  return options.branches and frontier.deepen or frontier.solve
end

return frontier
