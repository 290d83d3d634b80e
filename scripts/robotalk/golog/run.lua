-- Online execution (IndiGolog): one step after the other, each executed before the next is chosen. Commands of robots
-- take time; meanwhile other branches go on. Exogenous actions are applied between steps.
local core = require "robotalk.core"
local machine = require "robotalk.golog.machine"
local program = require "robotalk.golog.program"
local task = require "robotalk.task"

local Run = {}
Run.__index = Run

local Report = {}
Report.__index = Report
function Report:__tostring()
  local lines = {}
  for i, step in ipairs(self) do
    lines[i] = ("%9.3f s %9.3f s  %-32s %s"):format(step.start, step.stop or step.start, step.label, step.word or "")
  end
  lines[#lines + 1] = self.done and ("done in %.3f s, %d actions"):format(self.seconds, self.actions)
    or ("ended by %s after %.3f s, %d actions%s"):format(self.word or "a dead end", self.seconds, self.actions,
      self.why and ": " .. self.why or "")
  return table.concat(lines, "\n")
end

-- Of very long runs only the last entries are kept.
function Run:note(entry)
  local report = self.report
  report.actions = report.actions + (entry.word == "happened" and 0 or 1)
  if #report == self.log then table.remove(report, 1) end
  report[#report + 1] = entry
  return entry
end

-- Executes an action: its signal and why.
local function perform(run, node, handle)
  local action = node.action
  local start = node.start and run.begin + node.start
  if action.command then
    if not run.robot then
      error(("action %s is a command: run(program, { robot = … }) says of whom"):format(program.label(node)), 0)
    end
  elseif start and start > core.now() then
    task.sleep(start - core.now())
  end
  if action.sense then
    handle.value = action.sense(run.robot, table.unpack(node, 1, node.n))
    return "SUCCESS"
  elseif action.command then
    local command = handle.command or table.pack(action.command(table.unpack(node, 1, node.n)))
    local method, a, b = command[1], command[2], command[3]
    if type(method) ~= "string" or type(run.robot[method]) ~= "function" then
      error(("action %s: command: want the name of a method of the robot, got %s"):format(program.label(node),
        type(method) == "string" and method or type(method)), 0)
    end
    if start and start > core.now() then
      local dated = { start = start }
      for name, value in pairs(b or a or {}) do dated[name] = value end
      if b then b = dated else a = dated end
    end
    local word, why = run.robot[method](run.robot, a, b)
    if type(word) == "number" then word, why = run.robot:result(word) end -- a session that does not wait
    return word, why
  end
  local word, why = action.run(run.robot, table.unpack(node, 1, node.n))
  if word == nil and why ~= nil then return "ERROR", why end -- the world's failure
  return type(word) == "string" and word or "SUCCESS", why
end

-- Starts a command as a task of its own; its end wakes the run.
function Run:start(handle)
  local node = handle.node
  handle.entry = self:note { label = program.label(node), name = node.action.name, start = core.now() - self.begin }
  self.pending[handle] = true
  handle.task = task.spawn(function()
    local word, why = perform(self, node, handle)
    handle.word, handle.why, handle.done = word or "ERROR", why, true
    task.wake(self)
  end)
  handle.task.watched = true
  local watcher = task.spawn(function()
    local ok, message = handle.task:wait()
    if not ok and not handle.done then
      handle.word, handle.why, handle.done, handle.broken = "ERROR", message, true, not handle.cancelled
      task.wake(self)
    end
  end)
  watcher.background = true
end

local SUCCEEDED = { SUCCESS = true, MODIFIED = true }

-- Finishes a command that has ended: its effect, or its `outcome` for other signals. False: the program cannot go on.
function Run:finish(handle)
  local node, action = handle.node, handle.node.action
  self.pending[handle] = nil
  handle.entry.stop, handle.entry.word = core.now() - self.begin, handle.word
  self.domain.signal, self.domain.why = handle.word, handle.why
  if handle.broken then error(handle.why, 0) end
  if handle.word == "PANIC" then return false end
  local store = self.domain.store
  if action.outcome then
    store:apply(action.outcome, handle.word, handle.why, table.unpack(node, 1, node.n))
    return true
  end
  if not SUCCEEDED[handle.word] then return false end
  if action.sense then
    if action.effect then store:apply(action.effect, handle.value, table.unpack(node, 1, node.n)) end
  elseif action.effect then
    store:apply(action.effect, table.unpack(node, 1, node.n))
  end
  return true
end

-- Cancels the commands in branches that an interrupt has taken over from.
local function handles_in(k, list)
  local node = k[1]
  if not node then return list end
  if node.handle then list[#list + 1] = node.handle end
  if node.left then
    handles_in(node.left, list)
    handles_in(node.right, list)
  end
  return list
end

function Run:cancel(handle)
  if handle.done or handle.again then return end
  handle.again, handle.cancelled = true, true
  self.pending[handle] = nil
  handle.entry.stop, handle.entry.word = core.now() - self.begin, "INTERRUPTED"
  handle.task:cancel()
  if self.robot and (handle.node.action.command or handle.node.action.stops ~= false) then self.robot:stop() end
end

-- Applies the effects of exogenous actions that have happened.
function Run:observe()
  local domain = self.domain
  while domain.queue[1] do
    local node = table.remove(domain.queue, 1)
    self.machine.acts = self.machine.acts + 1
    if node.action.effect then domain.store:apply(node.action.effect, table.unpack(node, 1, node.n)) end
    self:note { label = program.label(node), name = node.action.name, start = core.now() - self.begin,
      word = "happened" }
  end
  domain.store:commit()
end

function Run:immediate(node)
  local left = (node.start or 0) + self.begin - core.now()
  if left > 0 then task.sleep(left) end
  local now = core.now() - self.begin
  self:note { label = program.label(node), name = node.action.name, start = now, stop = now }
  if node.action.effect then self.domain.store:apply(node.action.effect, table.unpack(node, 1, node.n)) end
end

-- One step from k: "final", "step" and the continuation, or false. Conditions run in a coroutine that may not wait.
local function think(m, k)
  local co = coroutine.create(function()
    if machine.final(m, k) then return "final" end
    m.choices, m.top, m.ctx, m.trigger, m.calls = {}, 0, nil, nil, 0
    m.chosen, m.handle, m.ended, m.taken_over = nil, nil, nil, {}
    return m:solve(k)
  end)
  local ok, result = coroutine.resume(co)
  m.store.writing = false
  if not ok then error(debug.traceback(co, result), 0) end
  if coroutine.status(co) ~= "dead" then error("a condition of the program waits: it may only look", 0) end
  return result
end

-- Why no step is possible from k: the failures of the branches that were tried, the first ten.
local function reasons(m, k)
  local list, seen = {}, {}
  m.trace = function(_, why, node)
    local text = node and node.action and program.label(node) .. ": " .. why or why
    if not seen[text] and #list < 10 then
      seen[text] = true
      list[#list + 1] = text
    end
  end
  think(m, k)
  m.trace = nil
  return table.concat(list, "; ")
end

-- Waits until something may have changed: true; false when nothing can change, or nothing has for too long.
function Run:wait()
  local busy = next(self.pending) ~= nil
  if not busy and not self.domain.listens and not self.poll then return false end
  self.idle = not busy and (self.idle or core.now()) or nil
  local left = self.idle and self.patience and self.idle + self.patience - core.now()
  if left and left <= 0 then return false end
  task.wait(self, self.poll and math.min(self.poll, left or self.poll) or left)
  return true
end

function Run:go(k)
  local m = self.machine
  while true do
    self:observe()
    local result = think(m, k)
    if result == "final" then
      if not next(self.pending) then return true end
      if not self:wait() then return true end
    elseif result == "step" then
      k, self.idle = m.next, nil
      for _, branch in ipairs(m.taken_over) do
        for _, handle in ipairs(handles_in(branch, {})) do self:cancel(handle) end
      end
      if m.ended or m.chosen then m.acts = m.acts + 1 end
      if m.ended then
        if not self:finish(m.ended) then
          return false, m.ended.word, ("%s: %s"):format(program.label(m.ended.node), m.ended.why or m.ended.word)
        end
      elseif m.chosen then
        if m.handle then self:start(m.handle) else self:immediate(m.chosen) end
      end
      self.domain.store:commit()
      self.steps = self.steps + 1
      if self.steps % 1000 == 0 then task.sleep(0) end -- let others run, too
    elseif result == "nodes" then
      return false, nil, "the bound on nodes was reached"
    elseif not self:wait() then
      return false, nil, ("%s: %s"):format(self.idle and "nothing could be done for too long"
        or "nothing can be done, and nothing can change that", reasons(m, k))
    end
  end
end

---Runs a program in the task that calls it: a report, its steps in order; done, or word and why it ended.
return function(domain, what, options)
  local run = setmetatable({ domain = domain, robot = options.robot, pending = {}, steps = 0, begin = core.now(),
    poll = options.poll, patience = options.patience, log = options.log or 10000,
      report = setmetatable({ actions = 0 }, Report) }, Run)
  run.machine = machine.new(domain.store, { online = true, nodes = math.huge })
  run.machine.interrupting = function() return domain.interrupts() end
  run.machine.search_nodes, run.machine.search_depth = options.nodes, options.depth
  domain.store:commit()
  domain.runs[run] = true
  local ok, done, word, why = pcall(run.go, run, { program.compile(what, "run"), machine.END })
  domain.runs[run] = nil
  for handle in pairs(run.pending) do run:cancel(handle) end
  if not ok then error(done, 0) end
  local report = run.report
  report.done, report.word, report.why, report.seconds = done, word, why, core.now() - run.begin
  return report
end
