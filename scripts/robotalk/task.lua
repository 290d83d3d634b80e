-- Tasks: coroutines that wait without stopping one another. A task waits for a key, and another one or an event wakes
-- the key. All waits (sleep, an answer, a port) are made of that.
local core = require "robotalk.core"
local mistake = require "robotalk.mistake"
local trace = require "robotalk.trace"

local task = {}

local Task = {}
Task.__index = Task
Task.__name = "robotalk.Task"

local CANCELLED = setmetatable({}, { __tostring = function() return "the task was cancelled" end })

local running, isyieldable, yield = coroutine.running, coroutine.isyieldable, coroutine.yield
local may_yield, resume_slice, next_event = core.may_yield, core.resume, core.next
local now, alarm_at = core.now, core.alarm

local LAST <const> = 9e9          -- s: no clock goes on until then
local current                     -- the task that runs, nil between them
local closing = false             -- while the <close> variables of an ended task are closed
local ready, first, last = {}, 1, 0 -- the tasks that run next; each is there once
local waiting = {}                -- key -> the first task that waits; it knows the last, and each the next
local resting, rests = {}, 0      -- tasks that sleep until the world has gone on
local alarms = {}                 -- handle of core.alarm -> task
local alive = {}                  -- all tasks that have not ended
local spawned = 0                 -- how many there have been
local deferred = {}               -- functions to call before the world goes on
local handlers = {}               -- kind of event -> function(a, b)

---How many tasks have failed that nobody has waited for, also afterwards.
task.unheard = 0

---Reports a task that failed; the terminal and the test runner replace it.
function task.on_failure(t, message)
  core.log(("robotalk: error: task %s: %s\n"):format(t.name, message))
end

-- What a task is resumed with, in its `given`: one of these, a packed list, or nil for nothing.
local WOKEN <const>, TIMED_OUT <const> = 1, 2

local function make_ready(t, given)
  last = last + 1
  ready[last] = t
  t.given = given
end

local function forget_alarm(t)
  if t.alarm then
    alarms[t.alarm] = nil
    core.disarm(t.alarm)
    t.alarm = nil
  end
end

-- The key of a task that sleeps, which nobody wakes.
local SLEEP = {}

local function enlist(t, key)
  t.key = key
  local head = waiting[key]
  if not head then
    waiting[key], t.tail = t, t
    return
  end
  local tail = head.tail
  tail.after, t.before, head.tail = t, tail, t
end

local function forget_wait(t)
  local key = t.key
  if key ~= nil then
    t.key = nil
    if key ~= SLEEP then
      local before, after = t.before, t.after
      if before then before.after = after else waiting[key] = after end
      if after then
        after.before = before
        if not before then after.tail = t.tail end
      elseif before then
        waiting[key].tail = before
      end
      t.before, t.after, t.tail = nil, nil, nil
    end
  end
  forget_alarm(t)
end

-- Closes its <close> variables.
local function let_go(t)
  local before = closing
  closing = true
  local ok, trouble = core.unwind(t.co)
  closing = before
  return ok, trouble
end

---What was raised, as text. Whatever makes a text of it is the script's, and so has a budget: most, s, if that is less
---than a script's.
function task.text_of(message, most)
  if type(message) == "string" then return message end
  local ok, text = core.resume(coroutine.create(tostring), most, message)
  if ok == true then return text[1] end
  return ("an error that cannot be told: %s"):format(type(text) == "string" and text or type(text))
end

-- It has ended, with what is a part of it: who waits for it goes on.
local function tell_end(t)
  t.over = true
  if t.parts and next(t.parts) then return end -- the last of them tells
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

-- It has ended: ok and its results, packed; or not and what it raised.
local function finish(t, ok, outcome)
  if ok then
    t.state, t.results = "done", outcome
    -- one that was cancelled and has kept that for itself drives nothing on
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
    let_go(t)
  else
    t.state = "failed"
    local message = outcome
    t.message = type(message) == "string" and trace(debug.traceback(t.co, message)) or task.text_of(message, t.most)
    for object, abandon in pairs(t.charges or {}) do abandon(object, t) end
    local closed, trouble = let_go(t)
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

-- It has been resumed: what core.resume has returned.
local function resumed(t, ok, outcome)
  current = nil
  if ok == 0 and t.key ~= nil then
    t.state = "waiting"
  elseif ok == 0 then
    t.watched = false
    finish(t, false, "it has yielded without waiting for anything")
  else
    if ok == nil then forget_wait(t) end -- cut off
    finish(t, ok, outcome)
  end
end

-- Resumes a task that is ready.
local function resume(t)
  local given = t.given
  current, t.state = t, "running"
  if given == WOKEN then
    resumed(t, resume_slice(t.co, t.most, true))
  elseif given == TIMED_OUT then
    resumed(t, resume_slice(t.co, t.most, nil, "no answer in time", "ETIMEOUT"))
  elseif given then
    t.given = nil
    resumed(t, resume_slice(t.co, t.most, table.unpack(given, 1, given.n)))
  else
    resumed(t, resume_slice(t.co, t.most))
  end
end

-- A task of that function. From a driver's task it has the command, `job`, and `most`, the seconds that it may compute.
local function start(name, fn, ...)
  if type(fn) ~= "function" then mistake("spawn: want a function, got %s", type(fn)) end
  spawned = spawned + 1
  local t = setmetatable({ state = "ready", number = spawned, named = name ~= nil, job = current and current.job,
    most = current and current.most }, Task)
  t.co = coroutine.create(fn)
  local info = not name and debug.getinfo(fn, "S")
  t.name = name or ("%s:%d"):format(info.short_src, info.linedefined)
  alive[t] = true
  make_ready(t, select("#", ...) > 0 and table.pack(...) or nil)
  return t
end

---spawn(fn, …) or spawn(name, fn, …): starts fn(…) as a task; it runs when the caller waits. Without a name the
---function's file and line are its name.
function task.spawn(name, ...)
  if type(name) == "string" then return start(name, ...) end
  return start(nil, name, ...)
end

---Whether that was raised since a task was cancelled.
function task.is_cancelling(message) return rawequal(message, CANCELLED) end

---The task, which has not begun, is a part of the one that runs: that ends after it, and what it has set going when it
---ends well is from then on what that one has set going.
function task.take_part(t)
  if not current then return end
  t.part_of = current
  current.parts = current.parts or {}
  current.parts[t] = true
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

---The running task has charge of that object from now on: should it fail, abandon(object, task) is called, and should
---it be cancelled, abandon(object, task, true), which must not wait. The task, or nil when none runs.
function task.take_charge(object, abandon)
  local t = current
  if not t then return nil end
  local charges = t.charges
  if not charges then
    charges = setmetatable({}, { __mode = "k" })
    t.charges = charges
  end
  charges[object] = abandon
  return t
end

---The task that is running, or nil.
function task.self() return current end

---Whether what runs now is a task that may wait.
function task.can_wait()
  return current ~= nil and running() == current.co and isyieldable() and not current.cancelled
    and not closing
end

---Whether what runs now belongs to a task that has been cancelled or has failed, and is to end.
function task.is_ending() return closing or (current ~= nil and current.cancelled == true) end

local function woken(t, ...)
  if t.cancelled then error(CANCELLED, 0) end
  return ...
end

-- The running task, if it may wait here and now; raises otherwise.
local function waiter()
  local t = current
  if t and may_yield(t.co) and not closing and not t.cancelled then return t end
  if closing then mistake "cannot wait here: the task is ending" end
  if not t or running() ~= t.co then
    mistake "cannot wait here: this is not a task (robotalk.spawn makes one)"
  end
  if not isyieldable() then
    mistake "cannot wait here: this was called by a function of C, as string.gsub and table.sort are, or by a finalizer"
  end
  error(CANCELLED, 0)
end

local function set_alarm(t, timeout)
  -- at least a nanosecond: the rest of a wait may be below the clock's resolution, and would stay so for ever
  local at = now() + (timeout > 1e-9 and timeout or timeout > 0 and 1e-9 or 0)
  if at < LAST then
    local alarm = alarm_at(at)
    alarms[alarm] = t
    t.alarm = alarm
  end
end

---Waits until somebody wakes the key: true and what was given to wake; or nil, message, "ETIMEOUT". timeout: seconds;
---beyond the end of all clocks, for ever.
function task.wait(key, timeout)
  local t = waiter()
  if key == nil or key ~= key then mistake("wait: want a key, got %s", key == nil and "nothing" or "NaN") end
  if timeout ~= nil and (type(timeout) ~= "number" or timeout ~= timeout) then
    mistake("wait: want seconds, got %s", type(timeout) == "number" and "NaN" or type(timeout))
  end
  if timeout then set_alarm(t, timeout) end
  enlist(t, key)
  return woken(t, yield())
end

---Wakes all that wait for the key, in the order in which they came.
function task.wake(key, ...)
  local t = waiting[key]
  if not t then return end
  waiting[key] = nil
  local given = select("#", ...) > 0 and table.pack(true, ...) or WOKEN
  while t do
    local after = t.after
    t.key, t.before, t.after, t.tail = nil, nil, nil, nil
    if t.alarm then forget_alarm(t) end
    make_ready(t, given)
    t = after
  end
end

---Lets the others run for at least that long, and with 0 until the world has gone on.
function task.sleep(seconds)
  if type(seconds) ~= "number" or not (seconds >= 0 and seconds < 9e9) then mistake "sleep: want seconds, 0 or more" end
  local t = waiter()
  if seconds > 0 then
    set_alarm(t, seconds)
  else
    rests = rests + 1
    resting[rests] = t
  end
  t.key = SLEEP
  yield()
  if t.cancelled then error(CANCELLED, 0) end
end

---Calls fn once, before the world goes on: for work that is better done together.
function task.defer(fn) deferred[#deferred + 1] = fn end

---What a kind of event of the core is for.
function task.handle(kind, fn) handlers[kind] = fn end

---Ends the task at its wait; what it holds by <close> is let go of. A task cannot refuse: every wait of it
---raises from now on.
function Task:cancel()
  if not alive[self] or self.cancelled then return end
  self.cancelled = true
  if self.key ~= nil then
    forget_wait(self)
    make_ready(self)
  elseif self.state == "ready" then
    self.state = "cancelled" -- it has not begun
    self.results = { n = 0 }
    tell_end(self)
  end
end
Task.__close = Task.cancel

---"ready", "running", "waiting", "done", "failed" or "cancelled"
function Task:status() return self.state end

---Waits for its end: true and what it returned; or nil, message, code (EFAILED, ECANCELLED, ETIMEOUT).
function Task:wait(timeout)
  self.watched = true
  if alive[self] then
    local ok, message, code = task.wait(self, timeout)
    if not ok and alive[self] then return nil, message, code end -- else it has ended at that very instant
  end
  if self.unheard then self.unheard, task.unheard = nil, task.unheard - 1 end
  if self.state == "done" then return true, table.unpack(self.results, 1, self.results.n) end
  if self.state == "cancelled" then return nil, tostring(CANCELLED), "ECANCELLED" end
  return nil, self.message, "EFAILED"
end

function Task:__tostring() return ("task %s (%s)"):format(self.name, self.state) end

handlers.timer = function(handle)
  local t = alarms[handle]
  if t then
    alarms[handle] = nil
    t.alarm = nil
    forget_wait(t)
    make_ready(t, TIMED_OUT)
  end
end

local ROUNDS = 100 -- of a turn

-- The world has gone on.
local function end_rests()
  for i = 1, rests do
    local t = resting[i]
    resting[i] = nil
    if t.key == SLEEP then -- it was not cancelled meanwhile
      t.key = nil
      make_ready(t)
    end
  end
  rests = 0
end

-- Calls the handlers of what has happened.
local function take_events()
  for kind, a, b in next_event do
    local handler = handlers[kind]
    if handler then handler(a, b) end
  end
end

-- One turn: what has happened, everybody who is ready, then what was deferred; and again. Tasks that wake each other
-- without end have the world go on now and then: false, some are ready still.
local function turn()
  for _ = 1, ROUNDS do
    take_events()
    if first > last and not deferred[1] then return true end
    local stop = last -- tasks that become ready meanwhile run after the events
    while first <= stop do
      local t = ready[first]
      ready[first] = nil
      first = first + 1
      if alive[t] then resume(t) end -- else it was cancelled before it began
    end
    if first > last then first, last = 1, 0 end
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
    if t.key ~= nil then
      forget_wait(t)
      t.cancelled = true
      make_ready(t)
    end
  end
end

---Runs until the task has ended, or until the time has come: whether it has ended. Not from inside a task.
function task.run_main(t, limit)
  assert(not current, "run_main inside a task")
  if limit and limit >= LAST then limit = nil end
  while alive[t] do
    local idle = turn()
    if not alive[t] then break end
    if not idle or rests > 0 then
      core.step(core.now())
      end_rests()
      if limit and core.now() >= limit then return false end
    elseif not core.step(limit) then
      if limit and core.now() >= limit then return false end
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
  local me = current
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

---Cancels all tasks but the one that runs, and lets them end.
function task.cancel_all()
  for t in pairs(alive) do
    if t ~= current then t:cancel() end
  end
  if current then task.sleep(0) else turn() end
end

---How many tasks have not ended.
function task.count()
  local n = 0
  for t in pairs(alive) do
    if not t.background then n = n + 1 end
  end
  return n
end

return task
