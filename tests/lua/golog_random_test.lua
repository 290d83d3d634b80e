-- Random Golog programs against the published semantics (De Giacomo, Lespérance, Levesque 2000; guarded execution of
-- IndiGolog, reactive Golog): a reference of Trans and Final, written anew here, says what they can do.
local golog = require "robotalk.golog"
local with = require "tests.lua.golog_plans"
local extent = require "tests.lua.extent"

local planned, all_plans, words_of, deepened = with.planned, with.all, with.words_of, with.deepened

-- The reference has states as numbers and programs as tables, and enumerates Trans and Final as they are printed,
-- with copies instead of undoing. Programs may do 4 actions and 9 steps. A state is the number, and STOPPED more when
-- the interrupts are stopped. An interrupt is while(running, if(cond, body, ?false)).

local MOST_ACTIONS, MOST_STEPS, STOPPED = 4, 9, 10
local TOLD = { 2, 0 }
local PROGRAMS = extent(1000, 200) -- random ones in each test

local ref = {}
function ref.final(p, s)
  local k = p[1]
  if k == "nil" or k == "star" or k == "each" then return true
  elseif k == "act" or k == "test" then return false
  elseif k == "seq" or k == "both" or k == "prior" then return ref.final(p[2], s) and ref.final(p[3], s)
  elseif k == "choice" then return ref.final(p[2], s) or ref.final(p[3], s)
  elseif k == "when" then return ref.final(s % STOPPED == p[2] and p[3] or p[4], s)
  elseif k == "loop" then return s % STOPPED ~= p[2] or ref.final(p[3], s)
  elseif k == "interrupt" then return s >= STOPPED or s == p[2] and ref.final(p[3], s)
  elseif k == "pick" then
    for n = 0, 2 do
      if ref.final(p[2](n), s) then return true end
    end
    return false
  elseif k == "call" then return ref.final(p[2](), s)
  elseif k == "guarded" then return s % STOPPED == p[2] or ref.final(p[3], s)
  elseif k == "rules" then return ref.final(p[3], s) end
end
-- All (rest, state, action) of one step.
function ref.trans(p, s, out)
  local k = p[1]
  local function add(rest, state, action) out[#out + 1] = { rest, state, action } end
  local function of(q, wrap)
    local list = {}
    ref.trans(q, s, list)
    for _, t in ipairs(list) do add(wrap(t[1]), t[2], t[3]) end
    return #list > 0
  end
  if k == "act" then
    if p[2] == "inc" and s % STOPPED < 3 then add({ "nil" }, s + 1, "inc") end
    if p[2] == "dec" and s % STOPPED > 0 then add({ "nil" }, s - 1, "dec") end
    if p[2] == "note" then add({ "nil" }, s, "note") end
    if p[2] == "look" then -- what it will tell is x afterwards: any value goes
      for _, x in ipairs(TOLD) do add({ "nil" }, s - s % STOPPED + x, "look") end
    end
    if p[2] == "stop_interrupts" then add({ "nil" }, s % STOPPED + STOPPED, "stop_interrupts") end
  elseif k == "test" then
    if s % STOPPED == p[2] then add({ "nil" }, s) end
  elseif k == "seq" then
    of(p[2], function(r) return { "seq", r, p[3] } end)
    if ref.final(p[2], s) then of(p[3], function(r) return r end) end
  elseif k == "choice" then
    of(p[2], function(r) return r end)
    of(p[3], function(r) return r end)
  elseif k == "star" then
    of(p[2], function(r) return { "seq", r, p } end)
  elseif k == "when" then
    of(s % STOPPED == p[2] and p[3] or p[4], function(r) return r end)
  elseif k == "pick" then
    for n = 0, 2 do of(p[2](n), function(r) return r end) end
  elseif k == "call" then
    of(p[2](), function(r) return r end)
  elseif k == "guarded" then
    if s % STOPPED ~= p[2] then of(p[3], function(r) return { k, p[2], r } end) end
  elseif k == "rules" then
    local list = {}
    ref.trans(p[3], s, list)
    for _, t in ipairs(list) do
      local rest = { k, p[2], t[1] }
      add(t[3] and { "seq", p[2], rest } or rest, t[2], t[3])
    end
  elseif k == "interrupt" then
    if s == p[2] then of(p[3], function(r) return { "seq", r, p } end) end
  elseif k == "loop" then
    if s % STOPPED == p[2] then of(p[3], function(r) return { "seq", r, p } end) end
  elseif k == "both" or k == "prior" then
    local first = of(p[2], function(r) return { k, r, p[3] } end)
    if k == "both" or not first then of(p[3], function(r) return { k, p[2], r } end) end
  elseif k == "each" then
    of(p[2], function(r) return { "both", r, p } end)
  end
end
function ref.plans(p, s, set, words, actions, steps)
  if ref.final(p, s) then set[words] = true end
  if steps == MOST_STEPS then return end
  local list = {}
  ref.trans(p, s, list)
  for _, t in ipairs(list) do
    local more = t[3] and (words == "" and t[3] or words .. " " .. t[3]) or words
    local count = actions + (t[3] and 1 or 0)
    if count <= MOST_ACTIONS then ref.plans(t[1], t[2], set, more, count, steps + 1) end
  end
end

-- Random programs: of the reference, and ours. They are made from a domain with one number.
local function programs(senses)
  local d = golog.domain()
  local x = d:fluent("x", 0)
  local act = {
    inc = d:action("inc", { pre = function() return x() < 3 end, effect = function() x:set(x() + 1) end }),
    dec = d:action("dec", { pre = function() return x() > 0 end, effect = function() x:set(x() - 1) end }),
    note = senses and d:action("look", { sense = function() end, tells = TOLD, effect = function(v) x:set(v) end })
      or d:action("note"),
  }
  local seed = 1
  local function random(n) -- Park and Miller's minimal generator
    seed = seed * 48271 % 2147483647
    return seed % n + 1
  end
  local function is(n) return function() return x() == n end end
  local make
  local function program_of(depth) -- one that does something
    local p, q = make(depth - 1)
    return p, q, random(3) - 1
  end
  local KINDS = {
    function()
      local name = ({ "inc", "dec", "note" })[random(3)]
      return { "act", name == "note" and senses and "look" or name }, act[name]()
    end,
    function()
      local n = random(3) - 1
      return { "test", n }, golog.test(is(n))
    end,
    function() return { "nil" }, golog.nothing end,
    function() return { "act", "stop_interrupts" }, d.stop_interrupts() end,
    function() -- x == n? then an action, then another test
      local name, more = ({ "inc", "dec", "note" })[random(senses and 2 or 3)], random(3) - 1
      local function theirs(n) return { "seq", { "test", n }, { "seq", { "act", name }, { "test", n + more } } } end
      local function ours(n) return { golog.test(is(n)), act[name](), golog.test(is(n + more)) } end
      return { "pick", theirs }, golog.pick({ 0, 1, 2 }, ours)
    end,
    function(depth)
      local p, q = program_of(depth)
      return { "star", p }, golog.star(q)
    end,
    function(depth)
      local p, q = program_of(depth)
      return { "each", p }, golog.each(q)
    end,
    function(depth)
      local p, q = program_of(depth)
      return { "call", function() return p end }, golog.proc("call", function() return q end)()
    end,
    function(depth)
      local p, q, n = program_of(depth)
      return { "loop", n, p }, golog.loop(is(n), q)
    end,
    function(depth)
      local p, q, n = program_of(depth)
      return { "interrupt", n, p }, golog.interrupt(is(n), q)
    end,
    function(depth)
      local p, q, n = program_of(depth)
      return { "interrupt", n, p }, golog.interrupt({ 0, 1, 2 }, function(k) return k == n and x() == n end,
        function() return q end)
    end,
  }
  KINDS.guarded = function(depth)
    local p, q, n = program_of(depth)
    return { "guarded", n, p }, golog.guarded(function() return x() ~= n end, q)
  end
  KINDS.rules = function(depth)
    local p, q = program_of(depth)
    local r, t = make(depth - 1)
    return { "rules", r, p }, golog.rules(t, q)
  end
  for kind, construct in pairs { seq = golog.seq, choice = golog.choice, both = golog.both, prior = golog.prior } do
    KINDS[kind] = function(depth)
      local p, q = program_of(depth)
      local r, t = make(depth - 1)
      return { kind, p, r }, construct(q, t)
    end
  end
  KINDS.when = function(depth)
    local p, q, n = program_of(depth)
    local r, t = make(depth - 1)
    return { "when", n, p, r }, golog.when(is(n), q, t)
  end
  local names = { 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "seq", "seq", "seq", "choice", "both", "prior", "prior",
    "when", "guarded", "rules" }
  function make(depth) return KINDS[names[random(depth == 0 and 7 or #names)]](depth) end
  return d, x, make
end

-- Whether a plan with branches can be made, by Trans and Final: an action that tells something needs a way to the end
-- for all that it may tell.
function ref.solvable(p, s, goal, actions, steps)
  if ref.final(p, s) and s % STOPPED == goal then return true end
  if steps == 0 then return false end
  local list, looks = {}, {}
  ref.trans(p, s, list)
  for i, t in ipairs(list) do
    if not t[3] or actions > 0 then
      local found = ref.solvable(t[1], t[2], goal, t[3] and actions - 1 or actions, steps - 1)
      if found and t[3] ~= "look" then return true end
      looks[i] = found
    end
  end
  -- outcomes of one action stand together, in the order of TOLD
  local i = 1
  while list[i] do
    if list[i][3] == "look" then
      if looks[i] and looks[i + 1] then return true end
      i = i + 1
    end
    i = i + 1
  end
  return false
end

-- The configurations of a program after an action, or at its end without one; nil when there are too many to look at.
local function after(configurations, name, value)
  local next_ones, more = {}, configurations
  for _ = 1, MOST_STEPS do -- tests
    local tested = {}
    for _, c in ipairs(more) do
      local list = {}
      ref.trans(c[1], c[2], list)
      for _, t in ipairs(list) do
        if not t[3] then
          tested[#tested + 1] = t
        elseif t[3] == name and (not value or t[2] % STOPPED == value) then
          next_ones[#next_ones + 1] = t
        end
      end
      if not name and ref.final(c[1], c[2]) then next_ones[#next_ones + 1] = c end
    end
    more = tested
    if #more > 50 or #next_ones > 50 then return nil end
  end
  return next_ones
end
-- Whether a plan can be made and ends at the goal, in each branch, as far as there are not too many ways to look at.
local function is_right(plan, configurations, goal)
  for i, step in ipairs(plan) do
    if configurations and (i < #plan or not plan.branches) then configurations = after(configurations, step.name) end
  end
  if not configurations then return true end
  for _, branch in ipairs(plan.branches or {}) do
    if not is_right(branch.plan, after(configurations, plan[#plan].name, branch.value), goal) then return false end
  end
  if plan.branches then return #plan.branches == #TOLD end
  for _, c in ipairs(after(configurations) or { { "nil", goal } }) do
    if c[2] % STOPPED == goal then return true end
  end
  return false
end

-- A program of the reference as text.
local show
function show(p)
  if type(p) ~= "table" then return type(p) == "function" and show(p(0)) or tostring(p) end
  local words = {}
  for i, v in ipairs(p) do words[i] = show(v) end
  return "(" .. table.concat(words, " ") .. ")"
end

describe("random programs", function()
  it("have the plans that the published semantics give them", function()
    local d, x, make = programs()
    local plans, compared = 0, 0
    for _ = 1, PROGRAMS do
      local p, q = make(3)
      local got, expected = all_plans(d, q, MOST_ACTIONS, MOST_STEPS), {}
      expect.equal(x(), 0)
      if got then
        compared = compared + 1
        ref.plans(p, 0, expected, "", 0, 0)
        expect.equal(words_of(expected), words_of(got))
        for _ in pairs(expected) do plans = plans + 1 end
      end
    end
    expect.truthy(compared > 0.9 * PROGRAMS, compared)
    expect.truthy(plans > 0.7 * PROGRAMS, plans)
  end)
  it("have the first of their shortest plans, by its frontier", function()
    local d, x, make = programs()
    local found, none = 0, 0
    for _ = 1, PROGRAMS do
      local _, q = make(3)
      local goal = { golog.star(q), golog.test(function() return x() == 2 end) }
      local expected = deepened(d, goal, 4, 20000)
      if expected ~= "ELIMIT" then
        expect.equal(expected, planned(d, goal, { deepen = true, depth = 4 }))
        if expected == "none" then none = none + 1 else found = found + 1 end
      end
    end
    expect.truthy(found > 0.1 * PROGRAMS and none > 0.4 * PROGRAMS, found .. " " .. none)
  end)
  it("have plans with branches when there is a way for all that may be sensed", function()
    local d, x, make = programs(true)
    local found, none = 0, 0
    for i = 1, 0.8 * PROGRAMS do
      local p, q = make(2)
      local goal = i % 3
      p = { "seq", p, { "star", { "choice", { "act", "inc" }, { "act", "dec" } } } }
      local what = { q, golog.star(golog.choice(d.actions.inc(), d.actions.dec())),
        golog.test(function() return x() == goal end) }
      local plan, _, code = d:plan(what, { branches = true, depth = 3, deepen = i % 2 == 0, nodes = 20000 })
      if plan then
        found = found + (plan.branches and 1 or 0)
        expect.truthy(is_right(plan, { { p, 0 } }, goal), tostring(plan))
      elseif code == "ENOPLAN" then
        none = none + 1
        expect.equal(ref.solvable(p, 0, goal, 3, 7), false)
      end
    end
    expect.truthy(found > extent(40, 5) and none > 0.3 * PROGRAMS, found .. " " .. none)
  end)
  it("do online what their semantics allow, whatever happens", function()
    local d, x, make = programs()
    local trace, at, value
    local event = d:exogenous("event", function(n) x:set(n) end)
    for name, action in pairs(d.actions) do
      local effect = name ~= "event" and action.effect or function() end
      action.effect = name == "event" and action.effect or function()
        effect()
        trace[#trace + 1] = name
        if #trace == at then d:happens(event(value)) end
        if at and #trace == 12 then error "enough" end
      end
    end
    local reset = d:action("reset", { effect = function()
      x:set(0)
      d.interrupts:set(true)
    end })
    local done, ended, searched = 0, 0, 0
    for i = 1, PROGRAMS do
      local p, q = make(3)
      d.queue, trace, at = {}, {}, nil
      d:run(reset())
      -- along a plan, unless it may end at once
      local plan = ref.final(p, 0) and "" or planned(d, q, { depth = 4, nodes = 20000 })
      if plan ~= "ELIMIT" then
        searched = searched + 1
        local report = d:run(golog.search(q, { depth = 4, nodes = 20000 }), { patience = 0 })
        local words = {}
        for k, step in ipairs(report) do words[k] = step.name end
        expect.equal(plan, report.done and table.concat(words, " ") or "none", show(p))
      end
      d:run(reset())
      -- without a search every step is taken for good; and something happens after one of them
      trace, at, value = {}, i % 4, i % 3
      local ok, report = pcall(d.run, d, q, { patience = 0 })
      expect.truthy(ok or tostring(report):find "enough", tostring(report))
      local configurations = { { p, 0 } }
      for k, name in ipairs(trace) do
        configurations = after(configurations, name)
        if not configurations then break end
        expect.truthy(configurations[1], show(p) .. ": " .. table.concat(trace, " ", 1, k))
        for _, c in ipairs(k == at and configurations or {}) do c[2] = c[2] - c[2] % STOPPED + value end
      end
      if ok and report.done then
        done = done + 1
        configurations = configurations and after(configurations) or { true }
        expect.truthy(configurations[1], show(p) .. ": " .. table.concat(trace, " "))
      elseif ok then
        ended = ended + 1
      end
    end
    expect.truthy(done > 0.3 * PROGRAMS and ended > 0.1 * PROGRAMS and searched > 0.5 * PROGRAMS,
      done .. " " .. ended .. " " .. searched)
  end)
end)
