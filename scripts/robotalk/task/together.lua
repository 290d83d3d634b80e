-- Waiting for several tasks: for the first that ends, or for all. A function among them is started as a task.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local together = {}

-- The tasks of one wait, in the order in which they were given. ended: those that have ended, in that order. own: the
-- tasks that were started here. keep: the others continue when the wait is over.
local Group = {}
Group.__index = Group

-- Cancels the tasks that have not ended.
function Group:cancel()
  for _, t in ipairs(self) do
    task.untell(t, self.ended)
    if self.own[t] or not self.keep then t:cancel() end
  end
end
Group.__close = Group.cancel

local function is_plain(x) return type(x) == "table" and getmetatable(x) == nil end

-- The arguments: a list, its length, and the options, either behind them or in the same table.
local function read(...)
  local count, list = select("#", ...), { ... }
  local last = list[count]
  if not is_plain(last) then return list, count, {} end
  if count > 1 or #last == 0 then return list, count - 1, last end
  local options = {}
  for key, value in pairs(last) do
    if math.type(key) ~= "integer" then options[key] = value end
  end
  return last, #last, options
end

local OPTIONS = { timeout = "number", keep = "boolean" }

local function check_options(what, options)
  for key, value in pairs(options) do
    local kind = OPTIONS[key]
    if not kind then checked.refuse(what, "option", key, checked.names(OPTIONS)) end
    if type(value) ~= kind or value ~= value then
      mistake("%s: %s: want a %s, got %s", what, key, kind, value ~= value and "NaN" or type(value))
    end
  end
end

---A group, to be held by <close>. what: the name of the function in messages of mistakes.
local function open(what, ...)
  local list, count, options = read(...)
  check_options(what, options)
  local me = task.self()
  for i = 1, count do
    local x = list[i]
    if x == me and me then mistake("%s: argument %d is the task that would wait", what, i) end
    if not (type(x) == "function" or task.is_task(x)) then
      mistake("%s: argument %d: want a task or a function, got %s", what, i, type(x))
    end
  end
  local group = setmetatable({ own = {}, ended = {}, keep = options.keep,
    late = options.timeout and core.now() + options.timeout }, Group)
  for i = 1, count do
    local t = list[i]
    if type(t) == "function" then
      t = task.spawn(t)
      task.take_part(t)
      group.own[t] = true
    end
    t.watched = true
    group[i] = t
  end
  for _, t in ipairs(group) do task.tell(t, group.ended) end
  return group
end

---Waits until that many have ended, or for the end of the time: true; or nil, message, code. Tasks that have ended by
---then count, also when the time is over at the same instant.
function Group:wait(count)
  while #self.ended < count do
    local ok, message, code = task.wait(self.ended, self.late and math.max(0, self.late - core.now()))
    if not ok and #self.ended < count then return nil, message, code end
  end
  return true
end

---Ends the wait: the rest is cancelled and has released its resources. told: the task whose result the caller gets; an
---error of another one is reported here.
function Group:finish(told)
  self:cancel()
  for _, t in ipairs(self) do
    if self.own[t] or not self.keep then t:wait() end
    if t ~= told and self.own[t] and t:status() == "failed" then task.on_failure(t, t.message) end
  end
end

-- nil, message, code and the place of a task that has not completed.
local function failure(group, t)
  local _, message, code = t:wait()
  for i, other in ipairs(group) do
    if other == t then return nil, t.named and ("task %s: %s"):format(t.name, message) or message, code, i end
  end
end

together.group = open

---any(task or function, …, options?), or any { task or function, …, option = … }: waits for the first that ends: its
---place in the list and its results; or nil, message, code, and its place when it failed. The rest is cancelled,
---also when the time is over and when the waiting task is cancelled. options: timeout (s), keep (true: tasks, other
---than functions, continue).
function together.any(...)
  local group <close> = open("any", ...)
  if #group == 0 then mistake "any: want tasks or functions" end
  local ok, message, code = group:wait(1)
  local first = group.ended[1]
  group:finish(first)
  if not ok then return nil, message, code end
  if first:status() ~= "done" then return failure(group, first) end
  for i, t in ipairs(group) do
    if t == first then return i, select(2, t:wait()) end
  end
end

---all, with the same arguments: waits for all: true and the first value of each; or nil, message,
---code, and the place of the first that failed. Then the rest is cancelled, as by any.
function together.all(...)
  local group <close> = open("all", ...)
  local values = {}
  for n = 1, #group do
    local ok, message, code = group:wait(n)
    local t = group.ended[n]
    if not ok or t:status() ~= "done" then
      group:finish(t)
      if not ok then return nil, message, code end
      return failure(group, t)
    end
  end
  for i, t in ipairs(group) do values[i] = select(2, t:wait()) end
  return true, table.unpack(values, 1, #group)
end

return together
