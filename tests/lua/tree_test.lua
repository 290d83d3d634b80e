-- Behaviour trees: what nodes come to, what is ended with them, and what is seen of it.
local rt = require "robotalk"
local tree = require "robotalk.tree"

-- A leaf that takes so long and then comes to that; it notes what happens to it.
local log = {}
local function leaf(name, seconds, outcome, why)
  return tree.action { name = name, function()
    local _ <close> = setmetatable({}, { __close = function(_, trouble)
      log[#log + 1] = name .. (trouble and " cut" or "")
    end })
    rt.sleep(seconds)
    return outcome, why
  end }
end
local function taken(node)
  log = {}
  local begin = rt.now()
  local ok, why = node:run()
  return ("%s %s at %g: %s"):format(ok, why, math.floor((rt.now() - begin) * 100 + 0.5) / 100, table.concat(log, ", "))
end

describe("a tree's", function()
  it("sequence ends with the first child that fails", function()
    expect.equal("true nil at 3: a, b", taken(tree.sequence { leaf("a", 1, true), leaf("b", 2, "SUCCESS") }))
    expect.equal("false b: BUSY: taken at 2: a, b",
      taken(tree.sequence { leaf("a", 1, true), leaf("b", 1, "BUSY", "taken"), leaf("c", 1, true) }))
  end)

  it("fallback ends with the first that succeeds", function()
    expect.equal("true nil at 2: a, b",
      taken(tree.fallback { leaf("a", 1, false), leaf("b", 1, true), leaf("c", 1, true) }))
    expect.equal("false b: no link at 2: a, b",
      taken(tree.fallback { leaf("a", 1, nil), leaf("b", 1, nil, "no link") }))
  end)

  it("parallel has a threshold, and ends the rest when it is decided", function()
    local function three(need, x, y, z)
      return tree.parallel { need = need, leaf("a", 1, x), leaf("b", 2, y), leaf("c", 3, z) }
    end
    expect.equal("true nil at 3: a, b, c", taken(three(nil, true, true, true)))
    expect.equal("false a at 1: a, b cut, c cut", taken(three(nil, false, true, true)))
    expect.equal("true nil at 2: a, b, c cut", taken(three(2, true, true, true)))
    expect.equal("true nil at 3: a, b, c", taken(three(2, true, false, true)))
    expect.equal("false b at 2: a, b, c cut", taken(three(2, false, false, true)))
    expect.equal("true nil at 1: a, b cut, c cut", taken(three(1, true, true, true)))
  end)

  it("guard looks at its condition before and while its child runs", function()
    local fine = true
    local function guarded() return tree.guard { when = function() return fine, "it rains" end, leaf("a", 2, true) } end
    expect.equal("true nil at 2: a", taken(guarded()))
    rt.spawn(function() rt.sleep(1.01) fine = false end)
    expect.equal("false it rains at 1.05: a cut", taken(guarded()))
    expect.equal("false it rains at 0: ", taken(guarded()))
    expect.equal("false the condition does not hold at 0: ",
      taken(tree.guard { when = function() return false end, leaf("a", 1, true) }))
  end)

  it("retry, loop, timeout, invert, succeed and fail do what they are called", function()
    expect.equal("false a: no at 5: a, a, a", taken(tree.retry { times = 3, pause = 1, leaf("a", 1, false, "no") }))
    local n = 0
    local function third() n = n + 1 return n >= 3 end
    expect.equal("true nil at 0: ", taken(tree.retry { third }))
    expect.equal("true nil at 2: a, a", taken(tree.loop { times = 2, leaf("a", 1, true) }))
    expect.equal("false a at 1: a", taken(tree.loop { leaf("a", 1, false) }))
    expect.equal("true nil at 1: a", taken(tree.timeout { seconds = 2, leaf("a", 1, true) }))
    expect.equal("false no end after 2 s at 2: a cut", taken(tree.timeout { seconds = 2, leaf("a", 5, true) }))
    expect.equal("true nil at 1: a", taken(tree.invert { leaf("a", 1, false) }))
    expect.equal("false a succeeded at 1: a", taken(tree.invert { leaf("a", 1, true) }))
    expect.equal("true nil at 1: a", taken(tree.succeed { leaf("a", 1, false) }))
    expect.equal("false a succeeded at 1: a", taken(tree.fail { leaf("a", 1, true) }))
  end)

  it("retry and loop without end let the world go on, also when a round takes no time", function()
    for _, make in ipairs { tree.retry, tree.loop } do
      local rounds, open = 0, rt.now() + 10
      local failing = make == tree.retry
      local begin = rt.now()
      make { function()
        rounds = rounds + 1
        return failing == (rt.now() >= open)
      end }:run()
      expect.near(10, rt.now() - begin, 0.051)
      expect.truthy(rounds > 250 and rounds < 350, rounds)
    end
    expect.raises("guard: period: want seconds, more than 0, got 0", tree.guard, { when = print, period = 0, print })
  end)

  it("leaves succeed by what they return", function()
    local function of(...)
      local values = table.pack(...)
      local ok, why = tree.action { function() return table.unpack(values, 1, values.n) end }:run()
      return ("%s %s"):format(ok, why)
    end
    expect.equal("true nil", of(true))
    expect.equal("true nil", of(3))
    expect.equal("true nil", of "SUCCESS")
    expect.equal("true nil", of("MODIFIED", "clipped", { clipped = { "base" } }))
    expect.equal("false MODIFIED: out of reach", of("MODIFIED", "out of reach", { off = { position = 0.4 } }))
    expect.equal("false MODIFIED: superseded", of("MODIFIED", "superseded", { superseded = true }))
    expect.equal("false PANIC", of "PANIC")
    expect.equal("false the link is lost", of(nil, "the link is lost", "ELINK"))
    expect.equal("false nil", of(false))
    expect.raises("tree_test.lua:%d+ returned nothing: want true, false", of)
    expect.raises('returned "succes", which is no signal', of, "succes")
  end)
end)

describe("a tree that drives", function()
  it("stops when its guard fails, and may drive on at once", function()
    local robot <close> = rt.connect "pioneer2"
    local fine = true
    rt.spawn(function() rt.sleep(2) fine = false end)
    local drive = tree.fallback {
      tree.guard { name = "fine", when = function() return fine end, tree.command(robot, "go_to", { x = 20 }) },
      tree.sequence { tree.action { name = "look", function()
        expect.truthy(robot:state().x < 2, robot:state().x)
        return true
      end }, tree.command(robot, "go_to", { x = 0 }) } }
    expect.equal(true, (drive:run()))
    expect.near(0, robot:state().x, 0.01)
    expect.equal("halted", drive:find "go_to":state().state)
  end)

  it("stops with its task, also what a child that has ended has set going", function()
    local robot <close> = rt.connect "pioneer2"
    local drive = tree.sequence { name = "drive",
      tree.timeout { seconds = 5, tree.command(robot, "set_speed", { x = 0.3 }) },
      tree.parallel { leaf("a", 50, true), tree.command(robot, "set_joint", "head", { pan = 1, speed = 0.01 }) } }
    local t = rt.spawn("drive", drive.run, drive)
    rt.sleep(3)
    expect.truthy(robot:state().moving)
    t:cancel()
    rt.sleep(1)
    expect.equal(false, robot:state().moving)
    expect.equal("halted halted", drive:state().state .. " " .. drive:find "set_joint head":state().state)
    expect.equal("success", drive:find "set_speed":state().state)
    expect.equal("SUCCESS", (robot:go_to { x = 0 }))
  end)

  it("does not go on when a leaf keeps the cancellation for itself", function()
    local robot <close> = rt.connect "pioneer2"
    local drive = tree.sequence { function() pcall(rt.sleep, 9) return true end,
      tree.command(robot, "set_speed", { x = 0.3 }) }
    local t = rt.spawn(drive.run, drive)
    rt.sleep(1)
    t:cancel()
    expect.equal(nil, (t:wait()))
    rt.sleep(1)
    expect.near(0, robot:state().x, 1e-9)
    expect.equal("halted", drive:state().state)
    expect.equal("idle", drive[2]:state().state)
  end)

  it("waits for the result of a command in a mode that does not", function()
    local robot <close> = rt.connect "pioneer2"
    local session <close> = robot:session { mode = "delay", delay = 0.5 }
    local begin = rt.now()
    expect.equal(true, (tree.command(session, "go_to", { x = 0.5 }):run()))
    expect.truthy(rt.now() - begin > 1)
    expect.near(0.5, robot:state().x, 0.01)
  end)

  it("fails by a panic", function()
    local robot <close> = rt.connect "pioneer2"
    local go = tree.command(robot, "go_to", { x = 20 })
    rt.spawn(function() rt.sleep(1) robot:panic() end)
    local ok, why = go:run()
    expect.equal(false, ok)
    expect.truthy(why:find "^PANIC" or why:find "^INTERRUPTED", why)
  end)
end)

describe("an error in a tree", function()
  it("ends it, names the leaf's line, and stops the others", function()
    for _, make in ipairs { tree.sequence, tree.parallel,
      function(list) return tree.timeout { seconds = 9, list[1] } end,
      function(list) return tree.guard { when = function() return true end, list[1] } end } do
      log = {}
      local function mistaken() rt.sleep(1) error "a mistake" end
      local broken = make { tree.action { name = "broken", mistaken }, leaf("b", 5, true) }
      local t = rt.spawn(broken.run, broken)
      local ok, why, code = t:wait()
      expect.equal("nil EFAILED", ("%s %s"):format(ok, code))
      expect.truthy(why:find "^tests/lua/tree_test.lua:%d+: a mistake" , why)
      expect.equal("error", broken:state().state)
      expect.equal("error", broken:find "broken":state().state)
      expect.truthy(broken:find "broken":state().why:find "a mistake$")
      expect.equal(log[1], make == tree.parallel and "b cut" or nil)
    end
  end)

  it("may be in the arguments of a command: the line is that which made the node", function()
    local robot <close> = rt.connect "pioneer2"
    local wrong = tree.timeout { seconds = 9, tree.command(robot, "set_joint", "hed", { pan = 1 }) }
    expect.raises("^tests/lua/tree_test.lua:%d+: pioneer2 has no joint 'hed'", wrong.run, wrong)
  end)

  it("of a child that nobody can tell any more is logged by the child's name", function()
    local task = require "robotalk.task"
    local before, heard = task.on_failure, {}
    task.on_failure = function(t, message) heard[#heard + 1] = t.name .. ": " .. message:match "[^:]*$" end
    local function fails(name) return tree.action { name = name, function() rt.sleep(1) error(name) end } end
    local both = tree.parallel { fails "a", fails "b" }
    expect.equal(false, pcall(both.run, both))
    task.on_failure = before
    expect.equal("b:  b", table.concat(heard, ", "))
  end)

  it("may be in a guard's condition", function()
    expect.raises("^tree_test.lua:%d+ returned nothing: want true, false", function()
      tree.guard { when = function() end, leaf("a", 5, true) }:run()
    end)
    local n, nothing = 0, nil
    local t = tree.guard { when = function() n = n + 1 return n < 3 or nothing.there end, leaf("a", 5, true) }
    expect.raises("tree_test.lua:%d+: attempt to index a nil value %(upvalue 'nothing'%)", t.run, t)
    expect.equal("halted", t:find "a":state().state)
  end)
end)

describe("the state of a tree", function()
  it("is a table, and a text", function()
    local seen = {}
    local root = tree.sequence { name = "all", leaf("a", 1, true), tree.retry { times = 2, leaf("b", 1, false, "no") } }
    root:on_change(function(node) seen[#seen + 1] = node.name .. " " .. node:state().state end)
    expect.equal("idle", root:state().state)
    local t = rt.spawn(root.run, root)
    local begin = rt.now()
    rt.sleep(1.5)
    local state = root:state()
    expect.equal("running sequence 1 0", ("%s %s %d %d"):format(state.state, state.kind, state.runs, state.succeeded))
    expect.near(begin, state.since, 1e-6)
    expect.equal("success", state.children[1].state)
    expect.near(begin + 1, state.children[1].since, 1e-6)
    expect.equal("b", state.children[2].children[1].name)
    expect.equal("running      1.5 s  all (sequence)\nsuccess      0.5 s    a (action): 1 succeeded\n"
      .. "running      0.5 s    retry\nrunning      0.5 s      b (action)", tostring(root))
    t:wait()
    expect.equal("all running, a running, a success, retry running, b running, b failure, b running, b failure, "
      .. "retry failure, all failure", table.concat(seen, ", "))
    expect.truthy(tostring(root):find("failure      0.0 s      b (action): 2 failed; no", 1, true), tostring(root))
    expect.equal(root:find "b", root[2][1])
    expect.equal(nil, root:find "c")
  end)
end)

describe("mistakes in trees", function()
  it("are told where they are made", function()
    local function a() return true end
    for _, case in ipairs {
      { "sequence has no field 'nmae'; did you mean 'name'", tree.sequence, { nmae = "x", a } },
      { "retry: on_stop: want 'fail' or 'wait', got 'halt'", tree.retry, { on_stop = "halt", a } },
      { "retry has no field 'time'; did you mean 'times'%? It has name, on_stop, pause, times", tree.retry,
        { time = 3, a } },
      { "retry: times: want a whole number of 1 or more, got 0", tree.retry, { times = 0, a } },
      { "timeout: seconds is missing", tree.timeout, { a } },
      { "timeout: seconds: want seconds, 0 or more, got %-1", tree.timeout, { seconds = -1, a } },
      { "guard: when is missing", tree.guard, { a } },
      { "guard: when: want a function", tree.guard, { when = true, a } },
      { "invert: want one child, got 2", tree.invert, { a, a } },
      { "sequence: want children, got 0", tree.sequence, {} },
      { "sequence: child 2 is nil", tree.sequence, { a, nil, a } },
      { "parallel: child 1 is nil", tree.parallel, { nil, a } },
      { "sequence: child 2: want a node or a function, got string", tree.sequence, { a, "b" } },
      { "sequence: want a table", tree.sequence, a },
      { "parallel: need: 3 of 2 children", tree.parallel, { need = 3, a, a } },
      { "action: want { name = …, function }", tree.action, { name = "x" } },
      { "action has no field 'nam'", tree.action, { nam = "x", a } },
    } do
      expect.raises("tree_test.lua:%d+: " .. case[1], function() case[2](case[3]) end)
    end
    local robot <close> = rt.connect "pioneer2"
    expect.raises("tree_test.lua:%d+: command: want a robot and the name of one of its commands, got goto",
      function() tree.command(robot, "goto", {}) end)
    local node = tree.action { name = "x", a }
    local _ = tree.sequence { node }
    expect.raises("child 1: the node 'x' stands in a tree already", function() tree.sequence { node } end)
    local free = tree.action { name = "free", a }
    expect.raises("child 2: the node 'free' stands in a tree already", function() tree.sequence { free, free } end)
    expect.raises("child 2: want a node", function() tree.sequence { free, 5 } end)
    expect.equal(true, (tree.sequence { free }:run())) -- what has failed has not taken it
    expect.raises("want children from 1 on, got one at 0", function() tree.sequence { [0] = a, a } end)
    local slow = leaf("slow", 5, true)
    local t = rt.spawn(slow.run, slow)
    rt.sleep(1)
    expect.raises("the node 'slow' is running", slow.run, slow)
    t:cancel()
  end)
end)
