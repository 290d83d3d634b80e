-- Primitive actions as nodes of a program: an action with its arguments, its execution in a plan and in the world,
-- and its properties before that: command, robot, effect.
local machine = require "robotalk.golog.machine"
local mistake = require "robotalk.mistakes.mistake"

local type, select, unpack = type, select, table.unpack

local actions = {}
local END = machine.END

local function no() return false end

-- Calls fn with an action's arguments.
local function call(fn, node)
  local n = node.n
  if n > 2 then return fn(unpack(node, 1, n)) end
  if n == 0 then return fn() end
  if n == 1 then return fn(node[1]) end
  return fn(node[1], node[2])
end

---An action's present command: the name of a method and its arguments, as a list.
function actions.command_now(node) return { call(node.action.command, node) } end

---The same; nil when the action has none, or one that does not depend on fluents alone: it queries the robot,
---and so is called when its turn comes.
function actions.command_of(node)
  local ok, command = pcall(actions.command_now, node)
  return ok and command or nil
end

-- The results of a command's method; or raises its error, with the action's name. An error without a line
-- of the script gets that of the function that returns the command.
local function told(node, ok, ...)
  if ok then return ... end
  local message = ...
  if type(message) ~= "string" then error(message, 0) end
  local place, what = message:match "^([^\n]-:%d+: )(.*)$"
  if not place then
    local info = debug.getinfo(node.action.command, "S")
    place, what = ("%s:%d: "):format(info.short_src, info.linedefined), message
  end
  error(("%saction %s: %s"):format(place, actions.label(node), what), 0)
end

-- command: the name of a method and its arguments.
local function give(robot, command, start)
  local method, a, b = command[1], command[2], command[3]
  if type(method) ~= "string" or type(robot[method]) ~= "function" then
    error(("command: want the name of a method of the robot, got %s"):format(
      type(method) == "string" and method or type(method)), 0)
  end
  if not start then return robot[method](robot, a, b) end
  local last = b == nil and a or b or {}
  if type(last) == "number" then last = { [0] = last } end -- of a joint's only dof
  local dated = { start = start }
  for name, value in pairs(last) do dated[name] = value end
  if b == nil then return robot[method](robot, dated) end
  return robot[method](robot, a, dated)
end

---Sends the command of an action to a robot or a session, dated if start is a number: the results of the method.
function actions.give(robot, node, command, start)
  return told(node, pcall(give, robot, command, start))
end

---The robot of an action, by the present fluents; nil when it names none.
function actions.robot_of(node)
  local robot = node.action.robot
  if type(robot) == "function" then return (call(robot, node)) end
  return robot
end

local function durative(action) return action.run or action.command or action.sense end

-- A command in progress: this branch makes no step until it has ended.
local function exec_wait(m, node, rest)
  local handle = node.handle
  if handle.again then return { handle.node, rest } end -- an interrupt has cancelled it: it begins again
  if not handle.done then
    m:could_step() -- it takes time: programs of lower priority wait for it
    return m:fail("a command is under way", node)
  end
  m.ended = handle
  return m:step(rest, "done")
end

---Adds the commands in progress in the rest of a program to a list. They need not be in its first part:
---rules that have begun come before the program that they watch.
function actions.handles_in(k, list)
  while k ~= END do
    local node = k[1]
    if node.handle then list[#list + 1] = node.handle end
    if node.left then
      actions.handles_in(node.left, list)
      actions.handles_in(node.right, list)
    end
    if node.inner then actions.handles_in(node.inner, list) end
    k = k[2]
  end
  return list
end

-- Whether an action fails at once, without a trace.
local function skips_action(m, node)
  if m.trace or m.online or m.resting == "first" then return false end
  if m.resting then return true end
  local pre = node.action.pre
  if not pre or call(pre, node) then return false end
  m.nodes = m.nodes + 1
  return true
end

-- The possible values of a sensing action.
local function told_by(node)
  local values = node.action.tells
  if type(values) == "function" then values = call(values, node) end
  if type(values) ~= "table" or values[1] == nil then
    error(("action %s: tells: want a list of values, got %s"):format(actions.label(node),
      type(values) == "table" and "none" or type(values)), 0)
  end
  return values
end

-- The plan branches: the possible values of the action are assumed, one after the other, and the rest of the program
-- must reach its end after each of them. m.keep returns the part of the successful machine that is kept.
local function exec_branches(m, node, rest)
  if m.residual then
    m.open = { writes = 0 }
    m.residual[m.length] = m.open
  end
  local k = m:step(rest, "done")
  if not k then return nil end
  local store, branches = m.store, {}
  for i, value in ipairs(told_by(node)) do
    local _ <close> = store:imagine()
    local before = store.version
    actions.assume(store, node, value)
    local writes = store.version - before
    local ahead = m:branch()
    local found = ahead:solve(k)
    m.nodes, m.cut = m.nodes + ahead.nodes, m.cut or ahead.cut
    if found ~= true then return m:fail(("there is no plan if it tells %s"):format(tostring(value)), node) end
    branches[i] = { value = value, writes = writes, plan = m.keep(ahead) }
  end
  m.branches = branches
  return END
end

local function exec_action(m, node, rest)
  local action = node.action
  local pre = action.pre
  if m.resting then return m:rest() end
  m.nodes = m.nodes + 1
  if pre and not call(pre, node) then return m:fail("its precondition does not hold", node) end
  if m.online then
    m.chosen = node
    if durative(action) or node.start then -- a time is waited for as a command is
      m.handle = { node = node, robot = actions.robot_of(node), command = action.command and actions.command_of(node) }
      return m:step({ { exec = exec_wait, final = no, handle = m.handle }, rest }, "begun")
    end
    return m:step(rest, "done")
  end
  local branches = action.sense and action.tells and m.keep
  if action.sense and not action.assume and not branches then
    return m:fail("what it will sense is not known before", node)
  end
  local length = m.length + 1
  if length > m.most_depth then
    m.cut = true
    return m:fail("the plan is too long", node)
  end
  local store, effect = m.store, action.effect
  m.plan[length], m.marks[length], m.length, m.calls, m.copies = node, store.top, length, 0, 0
  if branches then return exec_branches(m, node, rest) end
  local before = store.version
  if effect then
    store.writing = true
    if action.sense then
      effect(call(action.assume, node), unpack(node, 1, node.n))
    else
      call(effect, node)
    end
    store.writing = false
  end
  if m.residual then
    m.open = { writes = store.version - before }
    m.residual[length] = m.open
  end
  return m:step(rest, "done")
end

---Whether an action is possible now.
function actions.is_possible(node)
  local pre = node.action.pre
  return not pre or not not call(pre, node)
end

---Applies the effect of a sensing action.
function actions.assume(store, node, value)
  local effect = node.action.effect
  if effect then store:apply(effect, value, unpack(node, 1, node.n)) end
end

---Applies an action to the fluents, as far as its effect is known before; false when its precondition does not hold,
---or its sensed value is not known.
function actions.foresee(store, node)
  local action = node.action
  if not actions.is_possible(node) or action.sense and not action.assume then return false end
  if action.sense then
    actions.assume(store, node, call(action.assume, node))
  elseif action.effect then
    store:apply(action.effect, unpack(node, 1, node.n))
  end
  return true
end

local function term(action, ...)
  return { exec = exec_action, final = no, skips = skips_action, action = action, n = select("#", ...), ... }
end

local MOST_KEPT = 10000 -- terms of an action
local KEEPS = { number = true, string = true, boolean = true }

---An action with its arguments, as a call of the action returns it. Terms of up to two plain arguments are made once
---and kept.
function actions.term(action, ...)
  local n, a, b = select("#", ...), ...
  if n == 0 then a = true end
  local terms = action[n] -- by its argument, or by the first and then the second
  local one = terms and terms[a]
  if n == 2 and one then one = one[b] end
  if one then return one end
  one = term(action, ...)
  if terms and KEEPS[type(a)] and (n < 2 or KEEPS[type(b)]) and a == a and b == b and action.count < MOST_KEPT then
    action.count, one.kept = action.count + 1, true
    if n == 2 then
      terms[a] = terms[a] or {}
      terms, a = terms[a], b
    end
    terms[a] = one
  end
  return one
end

---An action at a time, in seconds from the begin of the run or the plan: not before it. A command is sent to the
---robot at once, with that start, and so begins on time.
function actions.at(seconds, action)
  if type(seconds) ~= "number" or seconds ~= seconds or seconds < 0 then mistake "at: want seconds, 0 or more" end
  if type(action) == "table" and action.is_action then action = action() end
  if type(action) ~= "table" or action.exec ~= exec_action then mistake "at: want an action" end
  local dated = term(action.action, unpack(action, 1, action.n))
  dated.start = seconds
  return dated
end

---name(arguments) of an action, for people.
function actions.label(node)
  if node.label then return node.label end
  local words = {}
  for i = 1, node.n do
    local x = node[i]
    words[i] = type(x) == "number" and ("%.10g"):format(x) or tostring(x)
  end
  local label = ("%s(%s)"):format(node.action.name, table.concat(words, ", "))
  if node.kept then node.label = label end
  return label
end

return actions
