-- Tasks: coroutines that wait without stopping one another. A task waits for a key, and another one or an event wakes
-- the key. All waits (sleep, an answer, a port) are made of that. Waiting, waking and resuming
-- are in the core (bindings/lua/task.c); begin and end of tasks are here.
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local trace = require "robotalk.mistakes.trace"

local task = {}

local Task = {}
Task.__index = Task
Task.__name = "robotalk.Task"

local CANCELLED = setmetatable(core.cancelled, { __tostring = function() return "the task was cancelled" end })

local current, run_ready, next_event = core.current, core.run_ready, core.next
local step, now, resting = core.step, core.now, core.resting

local LAST <const> = 9e9          -- s: no clock reaches that
local alive = {}                  -- all tasks that have not ended
local spawned = 0                 -- number of tasks so far
local deferred = {}               -- functions to call before the world's time advances
local handlers = {}               -- kind of event -> function(a, b)

---The running task, or nil.
task.self = current

---Whether the running code is a task that may wait.
task.can_wait = core.can_wait

---Whether the running code belongs to a task that has been cancelled or has failed, and is to end.
task.is_ending = core.is_ending

---wait(key [, timeout]): waits until the key is woken: true and the arguments of wake; or nil, message,
---"ETIMEOUT". timeout: seconds; beyond the end of all clocks, for ever.
task.wait = core.wait

---wake(key, …): wakes all tasks that wait for the key, in order of arrival.
task.wake = core.wake

---sleep(seconds): lets the others run for at least that long, and with 0 until the world's next turn.
task.sleep = core.sleep

---The number of failed tasks whose end was not waited for, also afterwards.
task.unheard = 0

---Reports a task that failed; the terminal and the test runner replace it.
function task.on_failure(t, message)
  core.log(("robotalk: error: task %s: %s\n"):format(t.name, message))
end

---A raised value as text. Its conversion is code of the script, and so has a budget: most, s, if that is less
---than a script's.
function task.text_of(message, most)
  if type(message) == "string" then return message end
  local ok, text = core.resume(coroutine.create(tostring), most, message)
  if ok == true then return text[1] end
  return ("an error that cannot be told: %s"):format(type(text) == "string" and text or type(text))
end

-- A task has ended, with its parts: tasks that wait for it continue.
local function tell_end(t)
  t.over = true
  if t.parts and next(t.parts) then return end -- the last of them reports
  alive[t] = nil
  local whole = t.part_of
  if whole then
    whole.parts[t] = nil
    if whole.over then tell_end(whole) end
  end
  for _, list in ipairs(t.told or {}) do
    list[#list + 1] = t
    task.wake(list)
  end
  task.wake(t)
end

-- A task has ended: ok and its results, packed; or not ok and its error.
local function finish(t, ok, outcome)
  if ok == 0 then
    t.watched, ok, outcome = false, false, "it has yielded without waiting for anything"
  elseif ok == nil and t.leaves then -- interrupted
    outcome = CANCELLED
  end
  if t.on_end then t.on_end() end
  if ok then
    t.state, t.results = "done", outcome
    -- the motions of a task that has caught its cancellation stop, too
    for object, abandon in pairs(t.cancelled and t.charges or {}) do abandon(object, t, true) end
    local heir = not t.cancelled and t.part_of
    for object, abandon in pairs(heir and alive[heir] and t.charges or {}) do
      heir.charges = heir.charges or setmetatable({}, { __mode = "k" })
      heir.charges[object] = abandon
      abandon(object, t, false, heir)
    end
  elseif t.cancelled and rawequal(outcome, CANCELLED) then
    t.state = "cancelled"
    for object, abandon in pairs(t.charges or {}) do abandon(object, t, true) end
    core.unwind(t.co, true)
  else
    t.state = "failed"
    local message = outcome
    t.message = type(message) == "string" and trace(debug.traceback(t.co, message)) or task.text_of(message, t.most)
    for object, abandon in pairs(t.charges or {}) do abandon(object, t) end
    local closed, trouble = core.unwind(t.co, true)
    if not closed and not rawequal(trouble, message) then
      t.message = t.message .. "\nand while closing: " .. task.text_of(trouble, t.most)
    end
    if not t.watched then
      t.unheard, task.unheard = true, task.unheard + 1
      task.on_failure(t, t.message)
    end
  end
  tell_end(t)
end

---The task and those that it starts may compute for that many seconds without waiting, if that is less than a script's.
function task.allow(t, most)
  t.most = most
  core.allow(t.handle, most)
end

-- A task of that function. From a driver's task it has the command, `job`, and `most`, the seconds that it may compute.
local function start(name, fn, ...)
  if type(fn) ~= "function" then mistake("spawn: want a function, got %s", type(fn)) end
  spawned = spawned + 1
  local by = current()
  local t = setmetatable({ number = spawned, named = name ~= nil, job = by and by.job }, Task)
  t.handle, t.co = core.task(t, fn, ...)
  if by and by.most then task.allow(t, by.most) end
  local info = not name and debug.getinfo(fn, "S")
  t.name = name or ("%s:%d"):format(info.short_src, info.linedefined)
  alive[t] = true
  return t
end

---spawn(fn, …) or spawn(name, fn, …): starts fn(…) as a task; it runs when the caller waits. Without a name the
---function's file and line are its name.
function task.spawn(name, ...)
  if type(name) == "string" then return start(name, ...) end
  return start(nil, name, ...)
end

---Whether a value was raised because a task was cancelled.
function task.is_cancelling(message) return rawequal(message, CANCELLED) end

---Makes the task, which has not begun, a part of the running one: that ends after it, and lasting motions of one that
---ends without an error belong to the running one from then on.
function task.take_part(t)
  local whole = current()
  if not whole then return end
  t.part_of = whole
  whole.parts = whole.parts or {}
  whole.parts[t] = true
end

---Whether x is a task.
function task.is_task(x) return getmetatable(x) == Task end

---Appends the task to the list when it ends, or now if it has ended, and wakes the list.
function task.tell(t, list)
  if not alive[t] then
    list[#list + 1] = t
    return task.wake(list)
  end
  t.told = t.told or {}
  table.insert(t.told, list)
end

---No longer.
function task.untell(t, list)
  for i, other in ipairs(t.told or {}) do
    if other == list then return table.remove(t.told, i) end
  end
end

---All tasks that have not ended, in the order of their start; those of the library itself are left out.
function task.list()
  local list = {}
  for t in pairs(alive) do
    if not t.background then list[#list + 1] = t end
  end
  table.sort(list, function(a, b) return a.number < b.number end)
  return list
end

---Makes the running task responsible for that object: if it fails, abandon(object, task) is called, and if
---it is cancelled, abandon(object, task, true), which must not wait. The task, or nil when none runs.
function task.take_charge(object, abandon)
  local t = current()
  if not t then return nil end
  local charges = t.charges
  if not charges then
    charges = setmetatable({}, { __mode = "k" })
    t.charges = charges
  end
  charges[object] = abandon
  return t
end

---Calls fn once, before the world's time advances: for work that is better done together.
function task.defer(fn) deferred[#deferred + 1] = fn end

---Sets the handler of a kind of event of the core.
function task.handle(kind, fn) handlers[kind] = fn end

---Ends the task at its wait; its <close> variables are closed. A task cannot refuse: every wait of it
---raises from now on.
function Task:cancel()
  if not alive[self] or self.cancelled then return end
  self.cancelled = true
  if core.cancel(self.handle) then -- it has not begun
    self.state, self.results = "cancelled", { n = 0 }
    tell_end(self)
  end
end
Task.__close = Task.cancel

---"ready", "running", "waiting", "done", "failed" or "cancelled"
function Task:status() return self.state or core.task_state(self.handle) end

---Waits for its end: true and its results; or nil, message, code (EFAILED, ECANCELLED, ETIMEOUT).
function Task:wait(timeout)
  self.watched = true
  if alive[self] then
    local ok, message, code = task.wait(self, timeout)
    if not ok and alive[self] then return nil, message, code end -- otherwise it has ended at that very instant
  end
  if self.unheard then self.unheard, task.unheard = nil, task.unheard - 1 end
  local t = current()
  if t and self.stopped then t.stopped = self.stopped end -- latch.lua
  if self.state == "done" then return true, table.unpack(self.results, 1, self.results.n) end
  if self.state == "cancelled" then return nil, tostring(CANCELLED), "ECANCELLED" end
  return nil, self.message, "EFAILED"
end

function Task:__tostring() return ("task %s (%s)"):format(self.name, self:status()) end

colon.methods(Task, "task")

local ROUNDS = 100 -- of a turn

-- One turn: events, all ready tasks, then deferred functions; and again. Tasks that become ready meanwhile
-- run after the events. Tasks that wake each other without end let the world's time advance now and then: false, some
-- are still ready.
local function turn()
  for _ = 1, ROUNDS do
    for kind, a, b in next_event do
      local handler = handlers[kind]
      if handler then handler(a, b) end
    end
    local t, ok, outcome = run_ready()
    if not t and not deferred[1] then return true end
    while t and t ~= true do -- one has ended
      finish(t, ok, outcome)
      t, ok, outcome = run_ready()
    end
    if deferred[1] then
      local functions = deferred
      deferred = {}
      for _, fn in ipairs(functions) do fn() end
    end
  end
  return false
end

local function fail_all()
  for t in pairs(alive) do
    if t:status() == "waiting" then t:cancel() end
  end
end

---Runs until the task has ended, or until the time has come: whether it has ended. Not from inside a task.
function task.run_main(t, limit)
  assert(not current(), "run_main inside a task")
  if limit and limit >= LAST then limit = nil end
  local held, since = 0, nil -- number of turns in a row with a task still ready or resting, and their first instant
  while alive[t] do
    local idle = turn()
    if not alive[t] then break end
    if not idle or resting() then
      local instant = now()
      held, since = instant == since and held + 1 or 0, instant
      if held >= ROUNDS and core.is_virtual() then
        step() -- simulated time advances to the next due event, if any: otherwise such tasks would block it for ever
      else
        step(instant)
      end
      core.end_rests()
      if limit and now() >= limit then return false end
    elseif not step(limit) then
      if limit and now() >= limit then return false end
      if core.is_virtual() then
        t.message = "nothing can wake this task any more"
        fail_all()
      end
    end
  end
  return true
end

---Waits until all other tasks have ended, or for that long.
function task.run(seconds)
  local me = current()
  if not me then mistake "run: this is not a task" end
  if seconds ~= nil and (type(seconds) ~= "number" or seconds ~= seconds) then
    mistake("run: want seconds, got %s", type(seconds) == "number" and "NaN" or type(seconds))
  end
  local until_ = seconds and core.now() + seconds
  while true do
    local other
    for t in pairs(alive) do
      if t ~= me and not t.background then other = t break end
    end
    if not other or (until_ and core.now() >= until_) then return not other end
    other.watched = other.watched or false
    task.wait(other, until_ and math.max(0, until_ - core.now()))
  end
end

---Cancels all tasks except the running one.
function task.cancel_others()
  local me = current()
  for t in pairs(alive) do
    if t ~= me then t:cancel() end
  end
end

---The same, and lets them end.
function task.cancel_all()
  task.cancel_others()
  if current() then task.sleep(0) else turn() end
end

---The number of tasks that have not ended.
function task.count()
  local n = 0
  for t in pairs(alive) do
    if not t.background then n = n + 1 end
  end
  return n
end

return task
