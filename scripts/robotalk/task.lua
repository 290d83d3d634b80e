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

local running, isyieldable = coroutine.running, coroutine.isyieldable

local LAST <const> = 9e9          -- s: no clock goes on until then
local current                     -- the task that runs, nil between them
local closing = false             -- while the <close> variables of an ended task are closed
local ready, first, last = {}, 1, 0 -- the tasks that run next, and their arguments
local waiting = {}                -- key -> list of tasks
local alarms = {}                 -- handle of core.alarm -> task
local alive = {}                  -- all tasks that have not ended
local spawned = 0                 -- how many there have been
local deferred = {}               -- functions to call before the world goes on
local handlers = {}               -- kind of event -> function(a, b)

---Reports a task that failed; the terminal and the test runner replace it.
function task.on_failure(t, message)
  core.log(("robotalk: error: task %s: %s\n"):format(t.name, message))
end

local function make_ready(t, ...)
  ready[last + 1] = table.pack(t, ...)
  last = last + 1
end

local function forget_alarm(t)
  if t.alarm then
    alarms[t.alarm] = nil
    core.disarm(t.alarm)
    t.alarm = nil
  end
end

local function forget_wait(t)
  local key = t.key
  if key ~= nil then
    local list = waiting[key]
    for i = 1, #list do
      if list[i] == t then table.remove(list, i) break end
    end
    if #list == 0 then waiting[key] = nil end
    t.key = nil
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
  if ok then return text end
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

local function finish(t, ok, ...)
  t.results = table.pack(...)
  if ok then
    t.state = "done"
    local heir = t.part_of
    for object, abandon in pairs(heir and alive[heir] and t.charges or {}) do
      heir.charges = heir.charges or setmetatable({}, { __mode = "k" })
      heir.charges[object] = abandon
      abandon(object, t, false, heir)
    end
  elseif t.cancelled and rawequal(..., CANCELLED) then
    t.state = "cancelled"
    for object, abandon in pairs(t.charges or {}) do abandon(object, t, true) end
    let_go(t)
  else
    t.state = "failed"
    local message = ...
    t.message = type(message) == "string" and trace(debug.traceback(t.co, message)) or task.text_of(message, t.most)
    for object, abandon in pairs(t.charges or {}) do abandon(object, t) end
    local closed, trouble = let_go(t)
    if not closed and not rawequal(trouble, message) then
      t.message = t.message .. "\nand while closing: " .. task.text_of(trouble, t.most)
    end
    if not t.watched then task.on_failure(t, t.message) end
  end
  tell_end(t)
end

local function resumed(t, before, ok, ...)
  current = before
  if ok == nil then -- cut off
    forget_wait(t)
    finish(t, false, ...)
  elseif coroutine.status(t.co) == "suspended" then
    if t.key == nil and not t.queued then
      t.watched = false
      finish(t, false, "it has yielded without waiting for anything")
    else
      t.state = "waiting"
    end
  else
    finish(t, ok, ...)
  end
end

local function resume(t, ...)
  local before = current
  current = t
  t.state = "running"
  resumed(t, before, core.resume(t.co, t.most, ...))
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
  make_ready(t, ...)
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

---Waits until somebody wakes the key: true and what was given to wake; or nil, message, "ETIMEOUT". timeout: seconds;
---beyond the end of all clocks, for ever.
function task.wait(key, timeout)
  if closing then mistake "cannot wait here: the task is ending" end
  local t = current
  if not t or running() ~= t.co then
    mistake "cannot wait here: this is not a task (robotalk.spawn makes one)"
  end
  if not isyieldable() then
    mistake "cannot wait here: this was called by a function of C, as string.gsub and table.sort are, or by a finalizer"
  end
  if key == nil or key ~= key then mistake("wait: want a key, got %s", key == nil and "nothing" or "NaN") end
  if timeout ~= nil and (type(timeout) ~= "number" or timeout ~= timeout) then
    mistake("wait: want seconds, got %s", type(timeout) == "number" and "NaN" or type(timeout))
  end
  if t.cancelled then error(CANCELLED, 0) end
  local alarm
  if timeout then
    -- at least a nanosecond: the rest of a wait may be below the clock's resolution, and would stay so for ever
    local at = core.now() + (timeout > 0 and math.max(timeout, 1e-9) or 0)
    alarm = at < LAST and core.alarm(at)
  end
  local list = waiting[key]
  if not list then
    list = {}
    waiting[key] = list
  end
  list[#list + 1] = t
  if alarm then
    alarms[alarm] = t
    t.alarm = alarm
  end
  t.key = key
  return woken(t, coroutine.yield())
end

---Wakes all that wait for the key, in the order in which they came.
function task.wake(key, ...)
  local list = waiting[key]
  if not list then return end
  waiting[key] = nil
  for i = 1, #list do
    local t = list[i]
    if rawequal(t.key, key) then
      t.key = nil
      forget_alarm(t)
      make_ready(t, true, ...)
    end
  end
end

---Lets the others run for at least that long.
function task.sleep(seconds)
  if type(seconds) ~= "number" or not (seconds >= 0 and seconds < 9e9) then mistake "sleep: want seconds, 0 or more" end
  task.wait({}, seconds)
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
    if not ok then return nil, message, code end
  end
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
    make_ready(t, nil, "no answer in time", "ETIMEOUT")
  end
end

local ROUNDS = 100 -- of a turn

-- One turn: everybody who is ready, then what was deferred, then what has happened; and again. Tasks that wake each
-- other without end have the world go on now and then: false, some are ready still.
local function turn()
  for _ = 1, ROUNDS do
    if first > last and not deferred[1] then return true end
    local stop = last -- tasks that become ready meanwhile run after the events
    while first <= stop do
      local entry = ready[first]
      ready[first] = nil
      first = first + 1
      if alive[entry[1]] then resume(table.unpack(entry, 1, entry.n)) end
    end
    if first > last then first, last = 1, 0 end
    if deferred[1] then
      local now = deferred
      deferred = {}
      for _, fn in ipairs(now) do fn() end
    end
    task.take_events()
  end
  return false
end

function task.take_events()
  for kind, a, b in core.next do
    local handler = handlers[kind]
    if handler then handler(a, b) end
  end
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
    task.take_events()
    local idle = turn()
    if not alive[t] then break end
    if not idle then
      core.step(core.now())
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
