-- The constructs of Golog, ConGolog and IndiGolog as nodes of a program. Each has exec, its execution, and final,
-- whether it may end without a step (see machine.lua). Sources by construct:
--   Levesque, Reiter, Lespérance, Lin, Scherl 1997, "GOLOG: a logic programming language for dynamic domains"  [G]
--   De Giacomo, Lespérance, Levesque 2000, "ConGolog, a concurrent programming language …"                     [C]
--   Sardina, De Giacomo, Lespérance, Levesque 2004, "On the semantics of deliberation in IndiGolog …"          [I]
local machine = require "robotalk.golog.machine"
local mistake = require "robotalk.mistakes.mistake"
local state = require "robotalk.golog.state"

local type, select, unpack = type, select, table.unpack

local program = {}
local END = machine.END
local MOST_CALLS = 100000 -- consecutive procedure calls without an action: an endless recursion
local MOST_COPIES = 100   -- of an `each`, begun in a row without an action

local function yes() return true end
local function no() return false end

local compile

---A condition: a function, or a fluent without arguments.
local function check_condition(cond, what)
  if type(cond) ~= "function" and not state.is_fluent(cond) then
    mistake("%s: want a function for the condition, got %s", what, type(cond))
  end
  return cond
end
program.check_condition = check_condition

-- The source line of a condition, for people.
local function place_of(cond)
  if type(cond) == "table" then return cond.name end
  local info = debug.getinfo(cond, "S")
  return ("%s:%d"):format(info.short_src, info.linedefined)
end

-- ---- sequence, nothing, functions as programs ----

local function exec_seq(_, node, rest)
  for i = #node, 1, -1 do rest = { node[i], rest } end
  return rest
end
local function final_all(m, node)
  for i = 1, #node do
    if not node[i].final(m, node[i]) then return false end
  end
  return true
end

-- A function in place of a program returns the program when its turn comes.
local function exec_lazy(_, node, rest) return { compile(node.fn(), nil, node.fn), rest } end
local function final_lazy(m, node)
  local body = compile(node.fn(), nil, node.fn)
  return body.final(m, body)
end

---A program as a node: a node, a list of programs one after the other, or a function that returns one. from: the
---function that has returned it, whose line is in the message of a mistake: no line of the script runs then.
function compile(x, what, from)
  if type(x) == "table" then
    if x.exec then return x end
    if x.is_action then return x() end
    if getmetatable(x) == nil then
      local node = { exec = exec_seq, final = final_all }
      for i = 1, #x do
        local one = compile(x[i], what)
        if one ~= program.nothing then node[#node + 1] = one end
      end
      return node[1] and node or program.nothing
    end
  elseif type(x) == "function" then
    return { exec = exec_lazy, final = final_lazy, fn = x }
  end
  local form = "%s%s: want a program (an action, a list of programs, a construct), got %s"
  if type(from) ~= "function" then mistake(form, "", what or "program", type(x)) end
  error(form:format(place_of(from) .. ": ", what or "program", type(x)), 0)
end
program.compile = compile
machine.compile(compile)

---Programs one after the other [G]; a plain list is the same.
function program.seq(...) return compile({ ... }, "seq") end

---Does nothing, and may end at once [C].
program.nothing = { exec = exec_seq, final = yes }

-- ---- tests ----

local function exec_test(m, node, rest)
  m.nodes = m.nodes + 1
  if node.cond() then return m:step(rest) end
  return m:fail(node.name or ("the test of %s is false"):format(place_of(node.cond)), node)
end

---A step without an action that is possible while cond() holds [C].
function program.test(cond, name)
  return { exec = exec_test, final = no, cond = check_condition(cond, "test"), name = name }
end

-- ---- choices ----

local function exec_choice(m, node, rest)
  if #node == 0 then return m:fail("there is nothing to choose from", node) end
  if #node > 1 then m:others(node, 2, rest) end
  return { node[1], rest }
end
local function final_any(m, node)
  for i = 1, #node do
    if node[i].final(m, node[i]) then return true end
  end
  return false
end

---One of the programs, tried in this order [G].
function program.choice(...)
  local node = { exec = exec_choice, final = final_any, ... }
  for i = 1, select("#", ...) do node[i] = compile(node[i], "choice") end
  return node
end

local function check_domain(domain)
  if type(domain) ~= "table" then
    mistake("pick: want a list, a relation, or a function that gives one, got %s", type(domain))
  end
end

-- The objects that an argument is picked from: a list, and the values of the relation that decide which of them hold.
local function objects_of(domain)
  if type(domain) == "function" then
    domain = domain()
    check_domain(domain)
  end
  if state.is_relation(domain) then return domain:objects(), domain.values end
  return domain
end
local next_place = machine.next_place

local function exec_pick(m, node, rest)
  local list, values = objects_of(node.domain)
  local first = next_place(list, 0, values)
  if not first then return m:fail("there is nothing to pick from", node) end
  local second = next_place(list, first, values)
  local body = node.body
  if second then m:others(list, second, rest, body, values) end
  return { compile(body(list[first]), "pick", body), rest }
end
local function final_pick(m, node)
  local list, values = objects_of(node.domain)
  local i = next_place(list, 0, values)
  while i do
    local body = compile(node.body(list[i]), "pick", node.body)
    if body.final(m, body) then return true end
    i = next_place(list, i, values)
  end
  return false
end

-- The program for an object: from a function, or an action with that argument.
local function check_body(body, what)
  if type(body) ~= "function" and not (type(body) == "table" and body.is_action) then
    mistake("%s: want a function that gives the program, got %s", what, type(body))
  end
  return body
end

---body(x) for one x of the domain, tried in its order [G]. domain: a list, a relation (its objects, sorted), or a
---function that returns one when its turn comes.
function program.pick(domain, body)
  if type(domain) ~= "function" then check_domain(domain) end
  return { exec = exec_pick, final = final_pick, domain = domain, body = check_body(body, "pick") }
end

-- ---- star, if, while ----

-- Between two rounds. A round without an action would repeat for ever without a change. A round without a step means
-- that the body may end here, and so may the loop, whatever its condition [C: Final].
local function exec_back(m, node, rest)
  if m:acted_since(node) then return node.loop.exec(m, node.loop, rest) end
  if m.stamp == node.stamp then return rest end
  m:could_step() -- as in the round before, in the same state: programs of lower priority get no turn
  return m:fail("a round of the loop did nothing", node.loop)
end
local function final_back(m, node) return node.loop.final(m, node.loop) end
local function round(m, loop, body, rest)
  return { body, { m:note { exec = exec_back, final = final_back, loop = loop, like = loop,
    stamp = m.stamp }, rest } }
end

local function exec_star(m, node, rest)
  if m.online then -- a step if possible: whether it may end here was checked before
    m:otherwise(rest)
    return round(m, node, node.body, rest)
  end
  m:otherwise(round(m, node, node.body, rest))
  return rest
end

---The program any number of times, none at all included [G]. Offline fewer times come first, online a step does.
function program.star(body) return { exec = exec_star, final = yes, body = compile(body, "star") } end

local function branch_of(node) return node.cond() and node.yes or node.no end
local function exec_when(_, node, rest) return { branch_of(node), rest } end
local function final_when(m, node)
  local branch = branch_of(node)
  return branch.final(m, branch)
end

---If cond() then one program else the other (nothing unless given); the test and the first step are one [C].
function program.when(cond, does, otherwise)
  return { exec = exec_when, final = final_when, cond = check_condition(cond, "when"), yes = compile(does, "when"),
    no = otherwise == nil and program.nothing or compile(otherwise, "when") }
end

local function exec_loop(m, node, rest)
  if not node.cond() then return rest end
  return round(m, node, node.body, rest)
end
local function final_loop(m, node) return not node.cond() or node.body.final(m, node.body) end

---While cond() the program; the test and the first step are one [C].
function program.loop(cond, body)
  return { exec = exec_loop, final = final_loop, cond = check_condition(cond, "loop"), body = compile(body, "loop") }
end

-- ---- procedures ----

local function exec_call(m, node, rest)
  m.calls = m.calls + 1
  if m.calls > MOST_CALLS then return m:fail(("procedure %s calls itself and does nothing"):format(node.name), node) end
  return { compile(node.fn(unpack(node, 1, node.n)), node.name, node.fn), rest }
end
local function final_call(m, node)
  m.finals = (m.finals or 0) + 1
  if m.finals > 200 then -- a recursion that never makes a step does not end either
    m.finals = m.finals - 1
    return false
  end
  local body = compile(node.fn(unpack(node, 1, node.n)), node.name, node.fn)
  local result = body.final(m, body)
  m.finals = m.finals - 1
  return result
end

---A procedure [G]: a function that, called with arguments, returns the program fn(arguments), made when its turn
---comes. So procedures may call themselves and one another.
function program.proc(name, fn)
  if type(fn) ~= "function" then mistake("proc %s: want a function that gives the program, got %s", name, type(fn)) end
  return function(...) return { exec = exec_call, final = final_call, name = name, fn = fn, n = select("#", ...),
    ... } end
end

-- ---- concurrency ----

local exec_both, final_both
-- Branches side by side. One that has ended is left out, so that a long run does not grow.
local function join(left, right, prior)
  if left == END and right[2] == END then return right[1] end
  if right == END and left[2] == END then return left[1] end
  return { exec = exec_both, final = final_both, left = left, right = right, prior = prior }
end

local function enter(m, node, rest, side, guard)
  local k, other = node.left, node.right
  if side == "right" then k, other = other, k end
  m.ctx = { side = side, other = other, after = rest, prior = node.prior, guard = guard, join = join, outer = m.ctx }
  return k
end
local function exec_right(m, node, rest) return enter(m, node.of, rest, "right") end
local function exec_steps(m, node, rest)
  node = node.of
  if node.left == END then return enter(m, node, rest, "right") end
  if node.right ~= END then
    local guard = node.prior and {} or nil
    m:otherwise({ { exec = exec_right, of = node }, rest }, guard)
    return enter(m, node, rest, "left", guard)
  end
  return enter(m, node, rest, "left")
end

function exec_both(m, node, rest)
  if final_both(m, node) then
    if node.left == END and node.right == END then return rest end
    if not m.online then
      m:otherwise { { exec = exec_steps, of = node }, rest }
      return rest
    end
    m:otherwise(rest) -- a step if possible: whether all may end was checked before
  end
  return exec_steps(m, { of = node }, rest)
end
function final_both(m, node) return machine.final(m, node.left) and machine.final(m, node.right) end

local function nest(prior, what, ...)
  local list = { ... }
  if #list == 0 then return program.nothing end
  local node = compile(list[#list], what)
  for i = #list - 1, 1, -1 do node = join({ compile(list[i], what), END }, { node, END }, prior) end
  return node
end

---The programs at the same time: their steps in any order [C].
function program.both(...) return nest(false, "both", ...) end

---The programs at the same time; one makes a step only when none before it can [C].
function program.prior(...) return nest(true, "prior", ...) end

-- The end of a copy, which notes where it began.
local function exec_last(_, _, rest) return rest end

-- A copy begins besides later ones. They are counted from the last action on, in the whole program.
local function exec_one_more(m, node, rest)
  local all = node.of
  if m.online and m.copies_at ~= m.acts then m.copies, m.copies_at = 0, m.acts end
  m.copies = m.copies + 1
  if m.copies > MOST_COPIES then
    m:could_step() -- as those before, in the same state
    return m:fail("so many copies in a row, and nothing done", all)
  end
  m.ctx = { side = "left", other = { all, END }, after = rest, prior = false, join = join, outer = m.ctx }
  return { all.body, { m:note { exec = exec_last, final = yes, like = program.nothing, copy = true }, END } }
end
local function exec_each(m, node, rest)
  local more = { { exec = exec_one_more, of = node }, rest }
  m:otherwise(m.online and rest or more)
  return m.online and more or rest
end

---The program any number of times, all at the same time [C].
function program.each(body) return { exec = exec_each, final = yes, body = compile(body, "each") } end

-- ---- interrupts ----

local function exec_interrupt(m, node, rest)
  if not m.interrupting() then return rest end
  if not node.domain then
    if not node.cond() then return m:fail(("the interrupt on %s is not called for"):format(place_of(node.cond)),
      node) end
    m.trigger = m.stamp
    return round(m, node, node.body, rest)
  end
  local list, all, values = {}, objects_of(node.domain)
  local i = next_place(all, 0, values)
  while i do
    if node.cond(all[i]) then list[#list + 1] = all[i] end
    i = next_place(all, i, values)
  end
  if #list == 0 then return m:fail(("the interrupt on %s is not called for"):format(place_of(node.cond)), node) end
  m.trigger = m.stamp
  local again = round(m, node, compile(node.body(list[1]), "interrupt", node.body), rest)
  if #list > 1 then m:others(list, 2, again[2], node.body) end
  return again
end
-- while(running, if(cond, body, ?false)) [C]
local function final_interrupt(m, node)
  if not m.interrupting() then return true end
  if not node.domain then return node.cond() and node.body.final(m, node.body) end
  local list, values = objects_of(node.domain)
  local i = next_place(list, 0, values)
  while i do
    if node.cond(list[i]) then
      local body = compile(node.body(list[i]), "interrupt", node.body)
      if body.final(m, body) then return true end
    end
    i = next_place(list, i, values)
  end
  return false
end

---Whenever cond() the program, again and again, until the interrupts are stopped [C]. With a domain: whenever cond(x)
---for one of its objects, body(x). It comes before others in a `prior`; when it becomes active, commands of the
---others are cancelled, and begin again when their turn comes.
function program.interrupt(...)
  local domain, cond, body = ...
  if select("#", ...) == 2 then
    return { exec = exec_interrupt, final = final_interrupt, cond = check_condition(domain, "interrupt"),
      body = compile(cond, "interrupt") }
  end
  return { exec = exec_interrupt, final = final_interrupt, domain = domain, cond = check_condition(cond, "interrupt"),
    body = check_body(body, "interrupt") }
end

return program
