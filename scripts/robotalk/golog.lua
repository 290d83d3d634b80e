-- Golog, ConGolog and IndiGolog in Lua: fluents, actions and programs over them; offline they become plans, online
-- they run as robot commands. docs/golog.md is the introduction; golog/program.lua has the constructs and
-- their sources.
local colon = require "robotalk.mistakes.colon"
local actions = require "robotalk.golog.action"
local checked = require "robotalk.mistakes.checked"
local frontier = require "robotalk.golog.frontier"
local machine = require "robotalk.golog.machine"
local mistake = require "robotalk.mistakes.mistake"
local plan = require "robotalk.golog.plan"
local program = require "robotalk.golog.program"
local run = require "robotalk.golog.run"
local state = require "robotalk.golog.state"
local task = require "robotalk.task"
local watch = require "robotalk.golog.watch"

local golog = { seq = program.seq, nothing = program.nothing, test = program.test, choice = program.choice,
  pick = program.pick, star = program.star, when = program.when, loop = program.loop, proc = program.proc,
  both = program.both, prior = program.prior, each = program.each, interrupt = program.interrupt,
  guarded = watch.guarded, rules = watch.rules, search = require "robotalk.golog.search", at = actions.at }

local Domain = {}
Domain.__index = Domain
local Action = { __call = actions.term }

-- The fields of an action: their type, or types and words for them.
local FIELDS = { pre = "function", effect = "function", run = "function", command = "function", sense = "function",
  assume = "function", outcome = "function",
  tells = { table = true, ["function"] = true, words = "a list or a function" },
  duration = { number = true, ["function"] = true, words = "seconds or a function" },
  robot = { table = true, userdata = true, ["function"] = true, words = "a robot or a function" },
  stops = { boolean = true, string = true, table = true, words = "true, false or names of what moves" } }

---The model of a world: its fluents and actions.
function golog.domain()
  local store = state.new()
  local domain = setmetatable({ store = store, actions = {}, queue = {}, runs = {}, listens = false }, Domain)
  domain.interrupts = state.fluent(store, "interrupts", true)
  ---An action that ends all interrupts of the program: for the lowest place of a `prior` [C].
  domain.stop_interrupts = domain:action("stop_interrupts", { effect = function() domain.interrupts:set(false) end })
  return domain
end

---A fluent without arguments: f() reads it, f:set(value) writes it inside an effect.
function Domain:fluent(name, initial)
  if type(name) ~= "string" then mistake("fluent: want a name, got %s", type(name)) end
  return state.fluent(self.store, name, initial)
end

---A fluent with one to three arguments: r(a, b) reads it (false where nothing is known), r:set(a, b, value) writes it
---inside an effect, r:each() lists the first arguments for which it holds. initial: values by first, second, …
---argument.
function Domain:relation(name, initial)
  if type(name) ~= "string" then mistake("relation: want a name, got %s", type(name)) end
  if initial ~= nil and type(initial) ~= "table" then
    mistake("relation %s: want a table of values, got %s", name, type(initial))
  end
  return state.relation(self.store, name, initial)
end

---A primitive action: called with arguments it is a program of one step. pre(…): whether it is possible; effect(…):
---its effect on fluents. One of these makes it an action in the world: command(…), a robot's method and its
---arguments; run(robot, …), a function that may wait, and may return a signal; sense(robot, …), a function
---that may wait, whose value is the first argument of the effect (assume(…): the value that plans assume; tells: a list
---of the possible values for plans with branches, or a function of the arguments that gives one). outcome(signal, why,
---…) instead of effect: for every signal; without it a program ends when one of its commands ends with ERROR, NA, BUSY,
---INTERRUPTED or PANIC. duration: seconds, or a function of the arguments, for timed plans. robot: a
---robot or a function of the arguments, by default the program's. stops: parts that an interrupt stops besides those
---that the action has moved: names of joints, control frames and base, or true, the whole robot.
function Domain:action(name, spec)
  spec = spec or {}
  if type(name) ~= "string" then mistake("action: want a name, got %s", type(name)) end
  if type(spec) ~= "table" then mistake("action %s: want a table, got %s", name, type(spec)) end
  local action, ways = setmetatable({ [0] = {}, {}, {}, name = name, is_action = true, count = 0 }, Action), 0
  for field, value in pairs(spec) do
    local kind = FIELDS[field]
    if not kind then checked.refuse("action " .. name, "field", field, checked.names(FIELDS)) end
    local several = type(kind) == "table"
    if not (several and kind[type(value)] or kind == type(value)) then
      mistake("action %s: want %s for %s, got %s", name, several and kind.words or "a " .. kind, field, type(value))
    end
    action[field] = value
    if field == "run" or field == "command" or field == "sense" then ways = ways + 1 end
  end
  if ways > 1 then mistake("action %s: want one of command, run and sense", name) end
  for _, field in ipairs { "assume", "tells" } do
    if spec[field] and not spec.sense then mistake("action %s: %s is of actions that sense", name, field) end
  end
  self.actions[name] = action
  return action
end

---An action that the world does: effect(…) when it happens. Called with arguments it is for `happens`.
function Domain:exogenous(name, effect)
  if type(effect) ~= "function" then mistake("exogenous %s: want a function, got %s", name, type(effect)) end
  self.listens = true
  return self:action(name, { effect = effect })
end

---Reports that an exogenous action has happened; running programs see it before their next step. From any task, any
---time.
function Domain:happens(what)
  if type(what) ~= "table" or not what.action then mistake "happens: want an action with its arguments" end
  self.queue[#self.queue + 1] = what
  for one in pairs(self.runs) do task.wake(one.ended) end
end

-- The options of a search's explanation, and of a run.
local EXPLAIN = { depth = checked.bound, nodes = checked.bound, lines = checked.count, branches = checked.flag }
local function robot(x) return type(x) ~= "table" and type(x) ~= "userdata" and "a robot" end
local RUN = { robot = robot, poll = checked.period, patience = checked.seconds, depth = checked.bound,
  nodes = checked.bound, log = checked.count, on_stop = checked.on_stop }

-- Searches, and undoes everything. search: machine.solve, or another search. Returns the search's result; the machine;
-- the result of keep(machine) for a solution.
local function solve(domain, node, options, search, keep)
  local m = machine.new(domain.store, options)
  m.keep = options.branches and keep
  m.interrupting = function() return domain.interrupts() end
  local co = coroutine.create(function()
    local _ <close> = domain.store:imagine()
    local found = search(m, { node, machine.END })
    return found, found == true and keep and keep(m)
  end)
  local ok, found, kept = coroutine.resume(co)
  local why = not ok and type(found) == "string" and debug.traceback(co, found) or found
  local waits = coroutine.status(co) == "suspended"
  coroutine.close(co)
  if not ok then error(why, 0) end
  if waits then error("a condition of the program waits: it may only look", 0) end
  return found, m, kept
end

---Searches for a plan of a program without executing anything, depth first [G: Do]: a plan; or nil, message, code.
---options: depth, nodes, the most actions and the most steps of the search; deepen: the first of the shortest plans;
---branches: one for each possible value of a sensing action.
function Domain:plan(what, options)
  options = checked.options(options, frontier.OPTIONS, "plan")
  local function keep(m) return plan.of(self, m) end
  local found, m, result = solve(self, program.compile(what, "plan"), options, frontier.search_of(options), keep)
  if found == true then
    result.visited = m.nodes
    return result
  end
  if found == "nodes" then return nil, "no plan was found within the bound on nodes", "ELIMIT" end
  return nil, "there is no plan", "ENOPLAN"
end

---Why there is no plan: a text, a tree of the actions that were tried, with the failures after them. options: as of
---plan, and lines, the most lines (200).
function Domain:explain(what, options)
  options = checked.options(options, EXPLAIN, "explain")
  local most = options.lines or 200
  local root, count = { children = {}, order = {} }, 0
  local node_at
  function node_at(m)
    local at = m.parent and node_at(m.parent) or root
    for i = 1, m.length do
      local label = actions.label(m.plan[i])
      if not at.children[label] then
        at.children[label] = { children = {}, order = {}, reasons = {} }
        at.order[#at.order + 1] = label
      end
      at = at.children[label]
    end
    return at
  end
  root.reasons = {}
  local function trace(m, why, node)
    if count > 10 * most then return end
    local at = node_at(m)
    local text = node and node.action and actions.label(node) .. ": " .. why or why
    if not at.reasons[text] then
      at.reasons[text] = true
      at.reasons[#at.reasons + 1] = text
      count = count + 1
    end
  end
  local found = solve(self, program.compile(what, "explain"), { depth = options.depth,
    nodes = options.nodes or 100000, trace = trace, branches = options.branches }, machine.solve, function() end)
  if found == true then return "there is a plan" end
  local lines = {}
  local function write(at, indent)
    for _, text in ipairs(at.reasons) do lines[#lines + 1] = indent .. "- " .. text end
    for _, label in ipairs(at.order) do
      lines[#lines + 1] = indent .. label
      write(at.children[label], indent .. "  ")
    end
  end
  write(root, "")
  if #lines > most then
    local left = #lines - most
    lines = table.move(lines, 1, most, 1, {})
    lines[#lines + 1] = ("… and %d %s more"):format(left, left == 1 and "line" or "lines")
  end
  return table.concat(lines, "\n")
end

---Runs a program in this task, step by step: a report that prints well; done, or word and why it ended. options:
---robot, which gets the commands; poll, seconds after which conditions are evaluated again without an event; patience,
---seconds for which it waits when no step is possible (without end, if the domain has exogenous actions); depth and
---nodes, bounds of searches; log, the most steps that the report keeps (10000), the last ones; on_stop, what it does
---when a stop by another client has ended an action: fail, which ends the program whatever outcome the action has, or
---wait, for a resume, after which the action begins again.
function Domain:run(what, options) return run(self, what, checked.options(options, RUN, "run")) end

---A list of the whole numbers from low to high, to pick from.
function golog.range(low, high)
  if not (type(low) == "number" and type(high) == "number" and math.tointeger(low) and math.tointeger(high)) then
    mistake("range: want two whole numbers, got %s and %s", tostring(low), tostring(high))
  end
  local list = {}
  for i = low, high do list[#list + 1] = i end
  return list
end

colon.methods(Domain, "domain")

return golog
