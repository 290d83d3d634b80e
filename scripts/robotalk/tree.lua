-- Behaviour trees over tasks: docs/tree.md. A node is run in the task that calls it, and may wait there. Its children
-- run in the same task; only those that other nodes may end have tasks of their own. When the task is cancelled the
-- nodes are halted, and its motions stop, as for all tasks.
local caller = require "robotalk.mistakes.caller"
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local latch = require "robotalk.session.latch"
local mistake = require "robotalk.mistakes.mistake"
local outcome = require "robotalk.tree.outcome"
local task = require "robotalk.task"
local together = require "robotalk.task.together"

local tree = {}

local Node = {}
Node.__index = Node
Node.__name = "robotalk.tree.Node"

-- ---- running a node ----

local function change(node, now, why)
  node.now, node.why, node.since = now, why, core.now()
  node.counts[now] = (node.counts[now] or 0) + 1
  local at = node
  while at do
    for _, fn in ipairs(at.listeners or {}) do fn(node) end
    at = at.parent
  end
end

-- From the start of a node its children show their states in this run.
local function rest(node)
  for _, child in ipairs(node) do
    if child.now ~= "running" then
      child.now, child.why, child.since = "idle", nil, nil
      rest(child)
    end
  end
end

-- One run of a node. It ends without an outcome when its task is cancelled, or by an error.
local Run = {}
Run.__index = Run
function Run:__close(trouble)
  if not self.over then
    change(self.node, (trouble == nil or task.is_cancelling(trouble)) and "halted" or "error",
      not task.is_cancelling(trouble) and trouble and task.text_of(trouble):match "^[^\n]*" or nil)
  end
end

---Runs it, and its children: true; or false and why, and the name of the client whose stop has ended it, if one has.
function Node:run()
  if self.now == "running" then mistake("the node '%s' is running", self.name) end
  if task.is_ending() then task.sleep(0) end -- a leaf before it has not let the cancellation through: this raises it
  local run <close> = setmetatable({ node = self }, Run)
  rest(self)
  change(self, "running")
  local ok, why, by = self.work(self)
  run.over = true
  change(self, ok and "success" or "failure", why)
  return ok, why, by
end

-- Runs a child for its parent. The reason of a failure begins with its name, so that the whole is a path to the leaf.
-- Then the name of the client whose stop has ended it: in that case no further node is tried.
local function run(child)
  local ok, why, by = child:run()
  if ok then return true end
  return false, why and ("%s: %s"):format(child.name, why) or child.name, by
end

-- ---- making nodes ----

local function make(kind, name, work)
  return setmetatable({ kind = kind, name = name, work = work, now = "idle", counts = {} }, Node)
end

-- The file and line of a function.
local function place_of(fn)
  local info = debug.getinfo(fn, "S")
  return ("%s:%d"):format(info.short_src:match "[^/]*$", info.linedefined)
end

-- Whether the node, or one above it, waits for a resume after a stop by another client.
local function waits(node)
  while node do
    if node.options and node.options.on_stop then return node.options.on_stop == "wait" end
    node = node.parent
  end
  return false
end

-- A leaf's work by the function for its outcome.
local function attempt(fn)
  return function(node)
    local by, ok, why = latch.attempt(waits(node), fn)
    if ok or not by then return ok, why end
    return false, "stopped by " .. by, by
  end
end

local function leaf(fn)
  local place = place_of(fn)
  return make("action", place, attempt(function() return outcome(place, fn()) end))
end


local seconds, count = checked.seconds, checked.count

-- Adds a kind of nodes. most: children; options: types by name; needed: the required one.
local function kind(word, most, options, needed, work)
  options.name, options.on_stop = checked.text, checked.on_stop
  tree[word] = function(list)
    if type(list) ~= "table" or getmetatable(list) then
      mistake("%s: want a table { name = …, child, … }, got %s", word, getmetatable(list) and "a node" or type(list))
    end
    local node, children = make(word, list.name or word, work), {}
    for key, value in pairs(list) do
      if math.type(key) ~= "integer" then
        if not options[key] then checked.refuse(word, "field", key, checked.names(options)) end
        checked.value(value, options[key], word, key)
      elseif key < 1 then
        mistake("%s: want children from 1 on, got one at %d", word, key)
      elseif list[key - 1] == nil and key > 1 then
        mistake("%s: child %d is nil", word, key - 1) -- a name that is misspelt
      end
    end
    if needed and list[needed] == nil then mistake("%s: %s is missing", word, needed) end
    if #list == 0 or #list > most then
      mistake("%s: want %s, got %d", word, most == 1 and "one child" or "children", #list)
    end
    if list.need and list.need > #list then mistake("%s: need: %d of %d children", word, list.need, #list) end
    for i, child in ipairs(list) do
      if type(child) == "function" then child = leaf(child) end
      if getmetatable(child) ~= Node then
        mistake("%s: child %d: want a node or a function, got %s", word, i, type(child))
      end
      if child.parent or children[child] then
        mistake("%s: child %d: the node '%s' stands in a tree already", word, i, child.name)
      end
      node[i], children[child] = child, true
    end
    for _, child in ipairs(node) do child.parent = node end -- after all checks
    node.options = list
    return node
  end
end

---A leaf: { name = …, function }. The function returns true or SUCCESS, or another value and why. on_stop: as of all
---nodes, its reaction when a stop by another client has ended its command: fail, whatever nodes are above it, or wait
---for a resume and try again.
function tree.action(list)
  local fn_ = type(list) == "table" and list[1]
  if type(fn_) ~= "function" or #list > 1 then mistake "action: want { name = …, function }" end
  for key in pairs(list) do
    if key ~= "name" and key ~= "on_stop" and key ~= 1 then
      checked.refuse("action", "field", key, { "name", "on_stop" })
    end
  end
  if list.on_stop ~= nil then checked.value(list.on_stop, checked.on_stop, "action", "on_stop") end
  local node = leaf(fn_)
  node.options = list
  if list.name ~= nil then
    checked.value(list.name, checked.text, "action", "name")
    node.name = list.name
  end
  return node
end

---A leaf that sends a command to a robot: command(robot, "go_to", { x = 1 }), or by a session.
function tree.command(robot, op, ...)
  if type(robot) ~= "table" or type(op) ~= "string" or type(robot[op]) ~= "function" then
    mistake("command: want a robot and the name of one of its commands, got %s", tostring(op))
  end
  local args, first = table.pack(...), ...
  local title = type(first) == "string" and op .. " " .. first or op
  local _, place = caller()
  return make("command", title, attempt(function()
    local ok, word, why, result = pcall(robot[op], robot, table.unpack(args, 1, args.n))
    if not ok then
      -- a mistake is the script's, and no line of it runs now
      if type(word) == "string" and not word:find "^[^\n]-:%d+: " then word = place .. word end
      error(word, 0)
    end
    if math.type(word) == "integer" and robot.result then word, why, result = robot:result(word) end -- a ticket
    return outcome(title, word, why, result)
  end))
end

-- ---- the kinds of nodes ----

kind("sequence", math.huge, {}, nil, function(node)
  for _, child in ipairs(node) do
    local ok, why, by = run(child)
    if not ok then return false, why, by end
  end
  return true
end)

kind("fallback", math.huge, {}, nil, function(node)
  local last
  for _, child in ipairs(node) do
    local ok, why, by = run(child)
    if ok then return true end
    if by then return false, why, by end
    last = why
  end
  return false, last
end)

-- Functions, run in tasks of their own under these names.
local function apart(names, ...)
  local group = together.group("tree", ...)
  for i, t in ipairs(group) do t.name = names[i] end
  return group
end

kind("parallel", math.huge, { need = count }, nil, function(node)
  local need, done, failed, functions, names, last = node.options.need or #node, 0, 0, {}, {}, nil
  for i, child in ipairs(node) do functions[i], names[i] = function() return run(child) end, child.name end
  local group <close> = apart(names, table.unpack(functions))
  for n = 1, #node do
    group:wait(n)
    local ended = group.ended[n]
    local good, ok, why, by = ended:wait()
    if not good then
      group:finish(ended)
      error(ok, 0)
    end
    if by then
      group:finish()
      return false, why, by
    end
    if ok then done = done + 1 else failed, last = failed + 1, why end
    if done >= need or failed > #node - need then break end
  end
  group:finish()
  return done >= need, done < need and last or nil
end)

-- Runs a child until its end, or until the other, a function or { timeout = s }, ends: whether the child has ended,
-- its outcome, why it failed, and the client whose stop has ended it.
local function race(child, other)
  local group <close> = apart({ child.name, child.parent.name }, function() return run(child) end, other)
  local in_time, first = group:wait(1), group.ended[1]
  group:finish(first)
  if not in_time then return false end
  local good, ok, why, by = first:wait()
  if not good then error(ok, 0) end
  return first == group[1], ok, why, by
end

local PERIOD = 0.05 -- s between two rounds that may take no time

kind("guard", 1, { when = checked.fn, period = checked.period }, "when", function(node)
  local place = place_of(node.options.when)
  local function holds() return outcome(place, node.options.when()) end
  local held, trouble = holds()
  if not held then return false, trouble or "the condition does not hold" end
  local ended, ok, why, by = race(node[1], function()
    repeat
      task.sleep(node.options.period or PERIOD)
      held, trouble = holds()
    until not held
  end)
  if not ended then return false, trouble or "the condition no longer holds" end
  return ok, why, by
end)

kind("timeout", 1, { seconds = seconds }, "seconds", function(node)
  local ended, ok, why, by = race(node[1], { timeout = node.options.seconds })
  if not ended then return false, ("no end after %g s"):format(node.options.seconds) end
  return ok, why, by
end)

local INSTANT, HASTY = 1e-3, 100 -- s; rounds in a row

-- Repeats until its outcome is the one that ends it, or that many times. Endless rounds that take no
-- time would block simulated time, and take a whole core of real time.
local function again(node, ends)
  local times, pause = node.options.times or math.huge, node.options.pause or 0
  local endless, n, hasty = times == math.huge and pause == 0, 0, 0
  while true do
    local begin = core.now()
    local ok, why, by = run(node[1])
    n = n + 1
    if by or ok == ends or n >= times then return ok, why, by end
    hasty = endless and core.now() - begin < INSTANT and hasty + 1 or 0
    task.sleep(hasty > HASTY and PERIOD or pause) -- lets others run, whatever it is
  end
end
kind("retry", 1, { times = count, pause = seconds }, nil, function(node) return again(node, true) end)
kind("loop", 1, { times = count, pause = seconds }, nil, function(node) return again(node, false) end)

kind("invert", 1, {}, nil, function(node)
  local ok, why, by = run(node[1])
  if by then return false, why, by end
  return not ok, ok and node[1].name .. " succeeded" or nil
end)
kind("succeed", 1, {}, nil, function(node)
  local _, why, by = run(node[1])
  if by then return false, why, by end
  return true
end)
kind("fail", 1, {}, nil, function(node)
  local ok, why, by = run(node[1])
  return false, why or ok and node[1].name .. " succeeded" or nil, by
end)

-- ---- inspection ----

---The state of a node and its children, as a table.
function Node:state()
  local counts, children = self.counts, {}
  for i, child in ipairs(self) do children[i] = child:state() end
  return { name = self.name, kind = self.kind, state = self.now, why = self.why, since = self.since,
    runs = counts.running or 0, succeeded = counts.success or 0, failed = counts.failure or 0,
    halted = counts.halted or 0, children = children }
end

---The first node of that name, itself or below it; or nil.
function Node:find(wanted)
  if self.name == wanted then return self end
  for _, child in ipairs(self) do
    local found = child:find(wanted)
    if found then return found end
  end
end

---Calls fn(node) whenever its state or that of a node below it changes. fn must not wait.
function Node:on_change(listener)
  if type(listener) ~= "function" then mistake("on_change: want a function, got %s", type(listener)) end
  self.listeners = self.listeners or {}
  table.insert(self.listeners, listener)
end

local WORDS = { { "success", "succeeded" }, { "failure", "failed" }, { "halted", "halted" },
  { "error", "ended by an error" } }

local function rows(node, depth, lines)
  local counts = node.counts
  local title = node.name == node.kind and node.kind or ("%s (%s)"):format(node.name, node.kind)
  local parts = {}
  for _, row in ipairs(WORDS) do
    if counts[row[1]] then parts[#parts + 1] = ("%d %s"):format(counts[row[1]], row[2]) end
  end
  local age = node.since and ("%8.1f s"):format(core.now() - node.since) or (" "):rep(10)
  local line = ("%-7s %s  %s%s"):format(node.now, age, ("  "):rep(depth), title)
  if #parts > 0 then line = line .. ": " .. table.concat(parts, ", ") end
  if node.why then line = line .. "; " .. node.why end
  lines[#lines + 1] = line
  for _, child in ipairs(node) do rows(child, depth + 1, lines) end
  return lines
end

---As text: a line a node, with its state, its start, its number of ends, and why it failed.
function Node:__tostring() return table.concat(rows(self, 0, {}), "\n") end

colon.methods(Node, "node")

return tree
