-- Watched programs: guarded execution, `gexec` of IndiGolog [I], and rules that are followed after
-- every action, Reiter's reactive Golog (2001, "Knowledge in Action", chapter 8) [R]. The rest of the program is
-- the continuation `inner`; after each of its steps `join` puts it back under watch.
local actions = require "robotalk.golog.action"
local machine = require "robotalk.golog.machine"
local program = require "robotalk.golog.program"

local watch = {}
local END = machine.END

local function exec_inner(m, node, rest)
  m.ctx = { side = "left", after = rest, join = node.of.join, outer = m.ctx }
  return node.of.inner
end

local function exec_watched(m, node, rest)
  if machine.final(m, node.inner) then
    if node.inner == END then return rest end
    if not m.online then
      m:otherwise { { exec = exec_inner, of = node }, rest }
      return rest
    end
    m:otherwise(rest) -- a step if possible: whether it may end was checked before
  end
  return exec_inner(m, { of = node }, rest)
end
local function final_watched(m, node) return machine.final(m, node.inner) end

-- Without its guard a program has ended. Its command in progress is dropped, which is a step.
local function exec_guarded(m, node, rest)
  if node.cond() then return exec_watched(m, node, rest) end
  if m.online and actions.handles_in(node.inner, {})[1] then
    m.dropped = node.inner
    return m:step(rest)
  end
  return rest
end
local function final_guarded(m, node) return not node.cond() or final_watched(m, node) end

---The program as long as cond() holds, before each step. As soon as it does not, the program has ended, and a command
---of it in progress is cancelled [I: gexec; the guard is not made true at the beginning].
function watch.guarded(cond, body)
  program.check_condition(cond, "guarded")
  local join
  function join(inner)
    return { exec = exec_guarded, final = final_guarded, cond = cond, inner = inner, join = join }
  end
  return join { program.compile(body, "guarded"), END }
end

---The program, and after each of its actions the program `rules`, to its end, before it continues [R].
function watch.rules(rules, body)
  rules = program.compile(rules, "rules")
  local join
  function join(inner, _, _, acts)
    return { exec = exec_watched, final = final_watched, inner = inner, join = join }, acts == "done" and rules or nil
  end
  return (join { program.compile(body, "rules"), END })
end

return watch
