-- Latches by stops: methods of sessions. A stop of everything by another client latches this one: its commands are
-- INTERRUPTED, stopped, until the program resumes. spec/robotalk.md, section 4.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local far = require "robotalk.robot.far"
local lease = require "robotalk.session.lease"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local latch = {}

local OWN <const>, ALL <const>, ONE <const> = 0, 1, 2 -- scopes of the query resume
local LOOK <const> = 0.5 -- s between two checks for the end of a latch, which a notice reports at once
local MOST <const> = 600 -- rows that are listed at most
local NAMED <const> = 3 -- clients of a list whose names are told

---The first names of a list, and how many more there are, in words.
function latch.names(list)
  local words = table.concat(list, ", ", 1, math.min(#list, NAMED))
  return #list > NAMED and ("%s and %d more"):format(words, #list - NAMED) or words
end

-- The latch of the client: { stop, by, since }, or nil.
local function latched(self)
  local known = self.client.link:session(self.number)
  if known and known.latched then
    return { stop = known.stop, by = lease.name(known.stopper, known.stopper_name), since = known.stopped_at }
  end
  local there = far.of(self.client)
  return there and there:stopped(), there
end

---Called when a task gets a result with the reason stopped: the name of the client whose stop has latched this one; or
---nil.
function latch.note(self)
  local t, by = task.self(), latched(self)
  if not by then return nil end
  if t then t.stopped = self end
  self.client.seen_stop = by.stop
  return by.by
end

---Calls fn. If a latching stop has ended a command of fn, or of a task that it has waited for, the first result is the
---name of the client that stopped, otherwise nil; then the results of fn. waits: after such an end it waits for a
---resume, and calls fn again.
function latch.attempt(waits, fn, ...)
  local t = task.self()
  while true do
    t.stopped = nil
    local results = table.pack(fn(...))
    local by = t.stopped and t.stopped:stopped()
    if not by then return nil, table.unpack(results, 1, results.n) end
    if not waits then return by.by, table.unpack(results, 1, results.n) end
    while t.stopped:stopped() do task.wait(t.stopped.client, LOOK) end
  end
end

---The rows of session:latches() that the newest stop of the session's client has latched; nil, message, code.
function latch.made(session)
  local rows, message, code = session:latches()
  if not rows then return nil, message, code end
  local known, made = session.client.link:session(session.number) or { stop = 0 }, {}
  for _, row in ipairs(rows) do -- while the client is latched itself it knows the number of that older stop only
    if known.latched and row.stop > known.stop or row.stop == known.stop and not known.latched then
      made[#made + 1] = row
    end
  end
  return made
end

---The duration of a latch and its client, as text.
function latch.words(by, since)
  return ("stopped by %s %.0f s ago, waits for resume"):format(by, math.max(0, core.now() - since))
end

---Adds the methods to a class of sessions. query: sends one, and waits for its answer.
function latch.add(Session, query)
  ---The stop that latches this client: { by, since }, the name of the client that stopped and an instant as
  ---rt.now(); or nil.
  function Session:stopped()
    local by = latched(self)
    if not by then return nil end
    self.client.seen_stop = by.stop
    return { by = by.by, since = by.since }
  end

  ---Calls fn, as a task, when a stop by another client has latched this one, with what stopped() returns.
  function Session:on_stopped(fn)
    if type(fn) ~= "function" then mistake("on_stopped: want a function, got %s", type(fn)) end
    table.insert(self.client.listeners, function(op, session, number)
      if op ~= "latched" or number == 0 or session ~= self.number then return end
      task.spawn(function()
        local by = self:stopped()
        if by then fn(by) end
      end).background = true
    end)
  end

  ---The clients that stops have latched: a list of { client, name, called, own, stop, by, since, connected }.
  function Session:latches()
    local rows = {}
    for index = 0, MOST - 1 do
      local row, message, code = query(self, "latch", { index = index })
      if not row then
        if code ~= "ENONE" then return nil, message, code end
        break
      end
      rows[index + 1] = { client = row.client, name = lease.name(row.client, row.name), called = row.name,
        own = row.own ~= 0,
        stop = row.stop, by = lease.name(row.by, row.stopper), since = row.since,
        connected = row.connected ~= 0 }
    end
    return rows
  end

  -- Resumes all clients, or that one: the newest stop of their list counts.
  local function resume_others(self, client)
    local rows, message, code = self:latches()
    if not rows then return nil, message, code end
    local stop
    for _, row in ipairs(rows) do
      if not client or row.client == client then stop = math.max(stop or 0, row.stop) end
    end
    if not stop then
      return nil, client and ("no client %d waits for resume"):format(client) or "no stop holds anybody", "ENONE"
    end
    return query(self, "resume", { stop = stop, scope = client and ONE or ALL, client = client })
  end

  ---Resumes after a stop by another client: true. A stop that was not reported to the program yet, by a result, by
  ---stopped() or by on_stopped, stays: nil, message, ESTOPPED, which reports it. nil, message, ENONE: no stop holds it.
  ---all = true: resumes all clients that stops have latched; client = NUMBER: that one. Both are for the client whose
  ---stop it was, and for the role operate.
  function Session:resume(options)
    options = checked.options(options, { all = true, client = true }, "resume")
    local answer, message, code
    if options.all or options.client then
      answer, message, code = resume_others(self, options.client)
    else
      local by, there = latched(self)
      if not by then
        return nil, "no stop holds this client; resume { all = true } resumes the others", "ENONE"
      end
      if by.stop ~= self.client.seen_stop then
        self.client.seen_stop = by.stop
        return nil, ("%s has stopped the robot"):format(by.by), "ESTOPPED"
      end
      if there then return there:resume() end
      answer, message, code = query(self, "resume", { stop = by.stop, scope = OWN })
    end
    if not answer then return nil, message, code end
    return true
  end
end

return latch
