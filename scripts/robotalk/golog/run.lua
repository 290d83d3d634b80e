-- Online execution (IndiGolog): one step after the other, each executed before the next is chosen. Commands of robots
-- take time; meanwhile other branches continue. Exogenous actions are applied between steps.
local actions = require "robotalk.golog.action"
local core = require "robotalk.core"
local latch = require "robotalk.session.latch"
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
  local action, robot = node.action, handle.robot
  local start = node.start and run.begin + node.start
  if action.command then
    if not robot then
      error(("action %s is a command: run(program, { robot = … }) says of whom, or its field robot"):format(
        actions.label(node)), 0)
    end
    local dated = start and start > core.now() and start or nil
    local word, why = actions.give(robot, node, handle.command or actions.command_now(node), dated)
    if type(word) ~= "number" then return word, why end
    handle.ticket = word -- of a session that does not wait
    return robot:result(word)
  end
  if start and start > core.now() then task.sleep(start - core.now()) end
  if not (action.sense or action.run) then
    handle.entry.start = core.now() - run.begin -- as any action that takes no time
    return "SUCCESS"
  end
  if action.sense then
    handle.value = action.sense(robot, table.unpack(node, 1, node.n))
    return "SUCCESS"
  end
  local word, why = action.run(robot, table.unpack(node, 1, node.n))
  if word == nil and why ~= nil then return "ERROR", why end -- the world's failure
  return type(word) == "string" and word or "SUCCESS", why
end

local SUCCEEDED = { SUCCESS = true, MODIFIED = true }

-- Starts a command as a task of its own, whose result `gather` takes.
function Run:start(handle)
  local node = handle.node
  local label = actions.label(node)
  handle.robot = handle.robot or self.robot
  self.machine.told[node] = nil
  handle.entry = self:note { label = label, name = node.action.name, start = core.now() - self.begin }
  local t = task.spawn(label, function()
    local by, word, why = latch.attempt(self.waits, perform, self, node, handle)
    handle.stopped = by and (node.action.sense or not SUCCEEDED[word])
    if not handle.stopped then return word, why end
    return node.action.sense and "INTERRUPTED" or word, "stopped by " .. by
  end)
  t.watched = true
  handle.task = t
  self.pending[t] = handle
  task.tell(t, self.ended)
end

-- Takes the results of the commands that have ended.
function Run:gather()
  local ended = self.ended
  for i, t in ipairs(ended) do
    local handle = self.pending[t]
    ended[i], self.pending[t] = nil, nil
    if handle then
      local ok, word, why = t:wait()
      if ok then
        handle.word, handle.why = word or "ERROR", why
      else
        handle.word, handle.why, handle.broken = "ERROR", word, true
      end
      handle.done = true
    end
  end
end

-- Finishes a command that has ended: its effect, or its `outcome` for other signals. False: the program cannot go on.
function Run:finish(handle)
  local node, action = handle.node, handle.node.action
  handle.entry.stop, handle.entry.word = core.now() - self.begin, handle.word
  self.domain.signal, self.domain.why = handle.word, handle.why
  if handle.broken then error(handle.why, 0) end
  if handle.word == "PANIC" or handle.stopped then return false end
  local store = self.domain.store
  if action.outcome then
    store:apply(action.outcome, handle.word, handle.why, table.unpack(node, 1, node.n))
    return true
  end
  if not SUCCEEDED[handle.word] then return false end
  if action.sense then
    self.machine.told[node] = { value = handle.value }
    if action.effect then store:apply(action.effect, handle.value, table.unpack(node, 1, node.n)) end
  elseif action.effect then
    store:apply(action.effect, table.unpack(node, 1, node.n))
  end
  return true
end

-- Stops the robot of a command that was cancelled. Axes that its task has moved by sessions brake as the task ends, and
-- no others; a ticket is withdrawn; joints, control frames and the base are stopped if the action names
-- them. A robot that is not of this library is stopped as a whole: its moving axes are not known.
local function stop_robot(handle)
  local robot, stops = handle.robot, handle.node.action.stops
  if not robot then return end
  if handle.ticket and robot.cancel then robot:cancel(handle.ticket) end
  if stops == false then return end
  if stops == true or stops == nil and not robot.client then
    if robot.stop then robot:stop(robot.client and { own = true } or nil) end
  elseif stops then
    local named = { own = true }
    for _, name in ipairs(type(stops) == "table" and stops or { stops }) do named[name] = true end
    robot:stop(named)
  end
end

-- The end of a program by a command's signal.
local function failure(handle)
  return false, handle.word, ("%s: %s"):format(actions.label(handle.node), handle.why or handle.word)
end

-- Cancels a command that an interrupt has replaced, or that has lost its guard.
function Run:cancel(handle)
  if handle.done or handle.again then return end
  handle.again = true
  self.pending[handle.task] = nil
  handle.entry.stop, handle.entry.word = core.now() - self.begin, "INTERRUPTED"
  handle.task:cancel()
  stop_robot(handle)
end

-- Without its guard the rest of a program ends: commands in progress are cancelled; completed ones stay done.
function Run:drop(k)
  for _, handle in ipairs(actions.handles_in(k, {})) do
    self:cancel(handle)
    if handle.done and not self:finish(handle) and (handle.word == "PANIC" or handle.stopped) then
      return failure(handle)
    end
  end
  return true
end

-- Applies the effects of exogenous actions that have happened.
function Run:observe()
  local domain = self.domain
  while domain.queue[1] do
    local node = table.remove(domain.queue, 1)
    self.machine.acts = self.machine.acts + 1
    if node.action.effect then domain.store:apply(node.action.effect, table.unpack(node, 1, node.n)) end
    self:note { label = actions.label(node), name = node.action.name, start = core.now() - self.begin,
      word = "happened" }
  end
  domain.store:commit()
end

function Run:immediate(node)
  local now = core.now() - self.begin
  self:note { label = actions.label(node), name = node.action.name, start = now, stop = now }
  if node.action.effect then self.domain.store:apply(node.action.effect, table.unpack(node, 1, node.n)) end
end

-- One step from k: "final", "step" and the continuation, or false.
local function step(m, k)
  if machine.final(m, k) then return "final" end
  m.choices, m.top, m.ctx, m.trigger, m.calls = {}, 0, nil, nil, 0
  m.chosen, m.handle, m.ended, m.taken_over, m.dropped = nil, nil, nil, {}, nil
  return m:solve(k)
end

local THOUGHT = {}

-- Makes steps; any other yield there is a forbidden wait.
local function mind(m, k)
  while true do k = coroutine.yield(THOUGHT, step(m, k)) end
end

-- One step, in a coroutine of the run's own, since conditions may not wait.
function Run:think(k)
  local m, co = self.machine, self.mind
  local ok, tag, result = coroutine.resume(co, k)
  m.store.writing = false
  if ok and tag == THOUGHT then return result end
  local why = not ok and debug.traceback(co, tag) or "a condition of the program waits: it may only look"
  coroutine.close(co)
  error(why, 0)
end

-- Why no step is possible from k: the failures of the branches that were tried, the first ten.
function Run:reasons(k)
  local m, list, seen = self.machine, {}, {}
  m.trace = function(_, why, node)
    local text = node and node.action and actions.label(node) .. ": " .. why or why
    if not seen[text] and #list < 10 then
      seen[text] = true
      list[#list + 1] = text
    end
  end
  self:think(k)
  m.trace = nil
  return table.concat(list, "; ")
end

-- Waits for a possible change: true; false when nothing can change, or nothing has for too long.
function Run:wait()
  if self.ended[1] then return true end
  local busy = next(self.pending) ~= nil
  if not busy and not self.domain.listens and not self.poll then return false end
  self.idle = not busy and (self.idle or core.now()) or nil
  local left = self.idle and self.patience and self.idle + self.patience - core.now()
  if left and left <= 0 then return false end
  task.wait(self.ended, self.poll and math.min(self.poll, left or self.poll) or left)
  return true
end

function Run:go(k)
  local m = self.machine
  while true do
    self:gather()
    self:observe()
    local result = self:think(k)
    if result == "final" then
      return self:drop(k) -- it may end with commands whose guard does not hold
    elseif result == "step" then
      k, self.idle = m.next, nil
      for _, branch in ipairs(m.taken_over) do
        for _, handle in ipairs(actions.handles_in(branch, {})) do self:cancel(handle) end
      end
      local ok, word, why = self:drop(m.dropped or machine.END)
      if not ok then return false, word, why end
      if m.ended or m.chosen then m.acts = m.acts + 1 end
      if m.ended then
        if not self:finish(m.ended) then return failure(m.ended) end
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
        or "nothing can be done, and nothing can change that", self:reasons(k))
    end
  end
end

---Runs a program in the task that calls it: a report, its steps in order; done, or word and why it ended.
return function(domain, what, options)
  local node = program.compile(what, "run")
  local run = setmetatable({ domain = domain, robot = options.robot, pending = {}, ended = {}, steps = 0,
    begin = core.now(), poll = options.poll, patience = options.patience, log = options.log or 10000,
      waits = options.on_stop == "wait", report = setmetatable({ actions = 0 }, Report) }, Run)
  run.machine = machine.new(domain.store, { online = true, nodes = math.huge })
  run.machine.interrupting = function() return domain.interrupts() end
  run.machine.told = setmetatable({}, { __mode = "k" }) -- the last sensed values of actions
  run.machine.search_nodes, run.machine.search_depth = options.nodes, options.depth
  run.mind = coroutine.create(function(k) return mind(run.machine, k) end)
  domain.store:commit()
  domain.runs[run] = true
  local ok, done, word, why = pcall(run.go, run, { node, machine.END })
  domain.runs[run], domain.store.writing = nil, false -- also when an effect has failed
  for _, handle in pairs(run.pending) do run:cancel(handle) end
  if not ok then error(done, 0) end
  local report = run.report
  report.done, report.word, report.why, report.seconds = done, word, why, core.now() - run.begin
  return report
end
