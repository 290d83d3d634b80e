-- The machine that runs Golog programs, by the transition semantics of ConGolog (De Giacomo, Lespérance, Levesque
-- 2000): Trans, one step of a program, and Final, whether it may end here; Do is steps until it may end. A running
-- program is a continuation, a list { node, rest } that ends in END; node.exec(machine, node, rest) returns the next
-- continuation, or nil when it cannot go on; the latest choice is then made differently. Neither the Lua stack nor the
-- C stack grows with a program.
--
-- A branch of a concurrent program runs until it has made one step; ctx describes its place: { side, other = the other
-- branch, after = what follows, prior, guard, outer = ctx }.
local type = type

local machine = {}

local END, HALT = {}, {}
local MOST_TESTS = 1000 -- consecutive tests on one path of a search: programs of tests alone never end
machine.END = END

local Machine = {}
Machine.__index = Machine

---A machine for what follows an action whose outcome is assumed.
function Machine:branch()
  local ahead = machine.new(self.store, { depth = self.most_depth - self.length, nodes = self.most_nodes - self.nodes,
    trace = self.trace })
  ahead.interrupting, ahead.keep, ahead.parent = self.interrupting, self.keep, self
  if self.residual then ahead.residual = {} end
  return ahead
end

---Sets the function that makes a program a node: the constructs depend on the machine, not the other way
---round.
function machine.compile(compile) Machine.compile = compile end

---options: online: it halts after one step, and the caller applies effects; depth, nodes, steps: bounds on actions,
---on the whole search, and on steps of one path; trace: a function that is called for each failure.
function machine.new(store, options)
  local most = math.huge
  return setmetatable({ store = store, online = options.online, trace = options.trace, era = {}, choices = {}, top = 0,
    plan = {}, marks = {}, length = 0, stamp = 0, acted = 0, acts = 0, calls = 0, copies = 0, nodes = 0,
    most_depth = options.depth or most, most_nodes = options.nodes or most,
    most_steps = options.steps or most }, Machine)
end

-- The next index in a list after i; of a relation, the next object that holds now.
local function next_place(list, i, values)
  i = i + 1
  if values then
    while list[i] ~= nil and not values[list[i]] do i = i + 1 end
  end
  return list[i] ~= nil and i or nil
end
machine.next_place = next_place

-- A new choice point; its table is reused.
local function entry_of(m)
  local top = m.top + 1
  m.top = top
  local entry = m.choices[top]
  if not entry then
    entry = {}
    m.choices[top] = entry
  end
  entry.mark, entry.length, entry.stamp = m.store.top, m.length, m.stamp
  entry.ctx, entry.trigger, entry.acted = m.ctx, m.trigger, m.acted
  entry.calls, entry.copies = m.calls, m.copies
  return entry
end

---Adds k as an alternative. guard: unless the branch of higher priority has made a step.
function Machine:otherwise(k, guard)
  local entry = entry_of(self)
  entry.k, entry.guard, entry.list = k, guard, nil
end

---Adds list[at] before k, and the later items of the list, as alternatives. body: gives the program for an item;
---values: of the relation whose objects the list holds.
function Machine:others(list, at, k, body, values)
  local entry = entry_of(self)
  entry.list, entry.at, entry.k, entry.body, entry.values = list, at, k, body, values
end

-- Backtracks: undoes everything since the latest choice and takes its next alternative: the continuation, or nil when
-- there is none left.
local function backtrack(m)
  local choices, store = m.choices, m.store
  while m.top > 0 do
    local entry = choices[m.top]
    if store.top > entry.mark then store:undo(entry.mark) end
    m.length, m.stamp, m.ctx = entry.length, entry.stamp, entry.ctx
    m.trigger, m.acted, m.calls, m.copies = entry.trigger, entry.acted, entry.calls, entry.copies
    local list = entry.list
    if list then
      local k, body, values, i = entry.k, entry.body, entry.values, entry.at
      repeat
        local node = list[i]
        if body then
          node = body(node)
          if type(node) ~= "table" or not node.exec then node = m.compile(node, "pick", body) end
        end
        if values then
          i = next_place(list, i, values)
        else
          i = list[i + 1] ~= nil and i + 1
        end
        local skips = node.skips
        if not skips or not skips(m, node) then
          entry.at = i
          if not i then m.top = m.top - 1 end
          return { node, k }
        end
      until not i
      m.top = m.top - 1
    else
      m.top = m.top - 1
      -- a branch of lower priority goes on only if the higher one cannot
      if not (entry.guard and entry.guard.stepped) then return entry.k end
    end
  end
end

---Fails here. why: a text for people, with its arguments.
function Machine:fail(why, node)
  if self.trace then self:trace(why, node) end
  return nil
end

---Notes the present point of the run in a node, for acted_since.
function Machine:note(node)
  node.era, node.progress = self.era, self.length + self.acts
  return node
end

---Whether an action was made after that. Tests are steps too, but change nothing. A search that continues from within
---the plan of another one has a new count, and an action was made there.
function Machine:acted_since(node) return node.era ~= self.era or node.progress ~= self.length + self.acts end

---Marks a step as possible without making it: branches of lower priority then wait.
function Machine:could_step()
  local ctx = self.ctx
  while ctx do
    if ctx.guard then ctx.guard.stepped = true end
    ctx = ctx.outer
  end
end

-- The whole program around k, the rest of the branch that has made a step; nil when that was the last one of a copy
-- that did nothing: it would be begun again for ever.
local function whole(m, k, acts)
  local ctx = m.ctx
  while ctx do
    local last = k[1]
    if last and last.copy then
      if not acts and not m:acted_since(last) then return nil end
      k = END
    end
    local left, right = k, ctx.other
    if ctx.side == "right" then left, right = right, k end
    local node, before = ctx.join(left, right, ctx.prior, acts)
    k = { node, ctx.after }
    if before then k = { before, k } end
    ctx = ctx.outer
  end
  return k
end

---Makes a step, with k as the rest; acts: it was an action, "done" or "begun". Within branches the whole program is put
---together again around k.
function Machine:step(k, acts)
  local triggered, stamp = self.trigger == self.stamp, self.stamp + 1
  self.stamp = stamp
  if self.ctx then self:could_step() end
  if acts then
    self.acted = stamp
  elseif stamp - self.acted > MOST_TESTS and not self.online then
    return self:fail "so many tests in a row, and nothing done"
  end
  if stamp > self.most_steps then return self:fail "the program has made too many steps" end
  if self.ctx then
    k = whole(self, k, acts)
    if not k then return self:fail "a copy of the program did nothing" end
    local ctx = triggered and self.taken_over and self.ctx
    while ctx do
      if ctx.prior and ctx.side == "left" then self.taken_over[#self.taken_over + 1] = ctx.other end
      ctx = ctx.outer
    end
    self.ctx = nil
  end
  if self.open then -- what follows the action that was just planned
    self.open.whole, self.open = k, nil
  end
  if self.online or acts and self.levels then
    self.next = k
    return HALT
  end
  return k
end

---Replaces an action in a search without actions: it halts at the first one, or continues with other alternatives.
function Machine:rest()
  if self.resting == "first" then return HALT end
  return nil
end

---Whether a continuation may end without a step.
function machine.final(m, k)
  while k ~= END do
    local node = k[1]
    if not node.final(m, node) then return false end
    k = k[2]
  end
  return true
end

---Runs from k. true: the program has ended; "step": a step was made, machine.next follows (online); false: it cannot;
---"nodes": the bound was reached.
function Machine:solve(k)
  while true do
    if k == nil then
      k = backtrack(self)
      if k == nil then return false end
    elseif k == HALT then
      return "step"
    elseif k == END then
      if self.ctx == nil and not self.online then return true end
      k = self:fail("nothing is left to do in this branch") -- an end is no step
    else
      local node = k[1]
      k = node.exec(self, node, k[2])
      if self.nodes > self.most_nodes then return "nodes" end
    end
  end
end

machine.solve = Machine.solve

---Continues after a solution, to the next one.
function Machine:again() return self:solve(nil) end

---Undoes everything.
function Machine:undo(mark)
  self.store:undo(mark)
  self.choices, self.top = {}, 0
end

return machine
