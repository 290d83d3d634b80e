-- Golog online (IndiGolog): actions as commands of a simulated Pioneer 2, exogenous actions, sensing, search,
-- interrupts.
local core = require "robotalk.core"
local rt = require "robotalk"
local golog = require "robotalk.golog"
local extent = require "tests.lua.extent"
local task = require "robotalk.task"

local function words(report)
  local list = {}
  for i, step in ipairs(report) do list[i] = step.label .. (step.word and "=" .. step.word or "") end
  return table.concat(list, " ")
end

-- A robot that goes between places, and looks around meanwhile.
local function driver()
  local d = golog.domain()
  local w = { d = d, at = d:fluent("at", "home"), seen = d:fluent("seen", 0), robot = rt.connect "pioneer2" }
  local place = { home = { 0, 0 }, door = { 0.5, 0 }, desk = { 0.5, 0.5 } }
  w.go = d:action("go", {
    pre = function(to) return w.at() ~= to end,
    command = function(to) return "go_to", { x = place[to][1], y = place[to][2], theta = 0 } end,
    effect = function(to) w.at:set(to) end, duration = 4,
  })
  w.look = d:action("look", {
    command = function(pan) return "set_joint", "head", { pan = pan } end,
    effect = function() w.seen:set(w.seen() + 1) end, duration = 1,
  })
  return w
end

describe("a program on a robot", function()
  it("does one command after the other and tells what became of each", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local report = w.d:run({ w.go "door", w.look(0.5), w.go "home" }, { robot = w.robot })
    expect.truthy(report.done)
    expect.equal(words(report), "go(door)=SUCCESS look(0.5)=SUCCESS go(home)=SUCCESS")
    expect.equal(w.at(), "home")
    expect.truthy(report[2].start >= report[1].stop and report.seconds > 2)
    expect.truthy(math.abs(w.robot:state().x) < 0.01)
    expect.truthy(tostring(report):find("go%(home%)%s+SUCCESS\ndone in [%d.]+ s, 3 actions"))
  end)
  it("does things at the same time", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local report = w.d:run(golog.both(w.go "door", { w.look(0.5), w.look(-0.5) }), { robot = w.robot })
    expect.truthy(report.done)
    expect.equal(report[1].start, 0)
    expect.equal(report[2].start, 0) -- the head moves while the wheels do
    expect.truthy(report[3].stop < report[1].stop)
    expect.equal(w.seen(), 2)
    expect.equal(w.at(), "door")
  end)
  it("does them at their times", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local d, when = w.d, {}
    local note = d:action("note", { run = function() when[#when + 1] = rt.now() end })
    local mark = d:action("mark")
    local begin = rt.now()
    local report = d:run({ golog.at(2, w.look(0.5)), golog.at(1, w.look(0)), golog.at(6, note()), golog.at(7, mark()) },
      { robot = w.robot })
    expect.truthy(report.done, tostring(report))
    expect.equal(report[1].start, 0) -- given to the robot at once, and done at its time
    expect.truthy(report[1].stop > 2 and report[2].start == report[1].stop)
    expect.equal(when[1], begin + 6)
    expect.equal(report[4].start, 7)
    local plan = d:plan { golog.at(2, w.look(0.5)), golog.at(1, w.look(0)), golog.at(6, mark()) }
    expect.equal(plan[1].start, 2)
    expect.equal(plan[2].start, 3)
    expect.equal(plan[3].start, 6)
    expect.equal(pcall(golog.at, -1, mark()), false)
    expect.equal(pcall(golog.at, 1, golog.nothing), false)
    local ok, why = pcall(d.run, d, w.look(0))
    expect.truthy(not ok and why:find("action look(0) is a command: run(program, { robot = … }) says of whom", 1,
      true), why)
    for got, command in pairs { ["nil"] = function() end, jump = function() return "jump" end } do
      ok, why = pcall(d.run, d, d:action("do_" .. got, { command = command })(), { robot = w.robot })
      expect.truthy(not ok and why:find(("action do_%s(): command: want the name of a method of the robot, got %s")
        :format(got, got), 1, true), why)
    end
    for got, duration in pairs { nan = 0 / 0, string = "long" } do
      ok, why = pcall(d.plan, d, d:action("last_" .. got, { duration = function() return duration end })())
      expect.truthy(not ok and why:find("duration: want seconds, 0 or more, got %-?" .. got), why)
    end
  end)
  it("sees every signal", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local heard = w.d:fluent("heard", "")
    local report = w.d:run({ w.d:action("far", { command = function() return "set_joint", "head",
      { pan = 99 } end })() },
      { robot = w.robot })
    expect.truthy(report.done)
    expect.equal(w.d.signal, "MODIFIED") -- clipped, and done
    local jump = w.d:action("jump", { command = function() return "step", { leg = 1, x = 0, y = 0, theta = 0 } end,
      outcome = function(signal, why) heard:set(signal .. ": " .. why) end })
    report = w.d:run({ jump(), w.look(0.1) }, { robot = w.robot })
    expect.truthy(report.done) -- the program has an answer to it
    expect.truthy(heard():find "^NA: ", heard())
    local hop = w.d:action("hop", { command = function() return "step", { leg = 1, x = 0, y = 0, theta = 0 } end })
    report = w.d:run({ hop(), w.look(0.1) }, { robot = w.robot })
    expect.truthy(not report.done)
    expect.equal(report.word, "NA")
    expect.truthy(report.why:find "^hop%(%): ")
    expect.equal(#report, 1)
    expect.truthy(tostring(report):find "ended by NA after")
  end)
  it("chooses by what is so when it comes to it, and does not go back", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local never = golog.test(function() return false end)
    local report = w.d:run({ golog.choice({ w.go "home" }, { w.go "door", never }, w.look(0.2)) }, { robot = w.robot })
    expect.truthy(not report.done) -- go(home) cannot be done here; go(door) can, and what follows is seen too late
    expect.equal(words(report), "go(door)=SUCCESS")
    expect.truthy(report.why:find "^nothing can be done, and nothing can change that: the test of .*:%d+ is false$",
      report.why)
    -- search looks ahead
    report = w.d:run(golog.search { golog.choice({ w.go "home", never }, { w.go "desk", never }, w.look(0.2)) },
      { robot = w.robot })
    expect.truthy(report.done)
    expect.equal(words(report), "look(0.2)=SUCCESS")
    report = w.d:run({ w.look(0.3), golog.search { golog.choice({ w.go "home", never }, { w.go "desk", never }) } },
      { robot = w.robot })
    expect.truthy(not report.done) -- the search fails after an action outside it
    expect.equal(words(report), "look(0.3)=SUCCESS")
  end)
  it("is interrupted by a panic, and says so", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    rt.spawn(function()
      rt.sleep(0.5)
      w.robot:panic()
    end)
    local report = w.d:run(golog.both({ w.go "desk", w.go "home" }, golog.seq()), { robot = w.robot })
    expect.truthy(not report.done)
    expect.equal(report.word, "PANIC")
    expect.equal(w.at(), "home") -- it did not get there
    w.robot:reset()
  end)
  it("cancels what is under way when an interrupt takes over, and begins it anew", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local d = w.d
    local alarm = d:fluent("alarm", false)
    local bump = d:exogenous("bump", function() alarm:set(true) end)
    local back_off = d:action("back_off", { run = function(robot)
      robot:set_speed { x = -0.1 }
      rt.sleep(0.5)
      return (robot:set_speed { x = 0 })
    end, effect = function() alarm:set(false) end })
    rt.spawn(function()
      rt.sleep(0.8)
      d:happens(bump())
    end)
    local report = d:run(golog.prior(golog.interrupt(alarm, back_off()), { w.go "desk", d.stop_interrupts() }),
      { robot = w.robot })
    expect.truthy(report.done, tostring(report))
    expect.equal(words(report),
      "go(desk)=INTERRUPTED bump()=happened back_off()=SUCCESS go(desk)=SUCCESS stop_interrupts()")
    expect.equal(w.at(), "desk")
    expect.truthy(math.abs(w.robot:state().y - 0.5) < 0.01)
    expect.truthy(report[3].start >= 0.8 and report[4].start >= report[3].stop)
  end)
  it("thinks again when the world is not as it was expected", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local d = w.d
    local blocked = d:relation("blocked", {})
    local closes = d:exogenous("closes", function(to) blocked:set(to, true) end)
    local pass = d:action("pass", { pre = function(to) return not blocked(to) end,
      command = function() return "set_joint", "head", { pan = 0.1 } end })
    rt.spawn(function()
      rt.sleep(0.5)
      d:happens(closes "left")
    end)
    local report = d:run(golog.search { w.go "door", golog.choice(pass "left", pass "right"), w.go "home" },
      { robot = w.robot })
    expect.truthy(report.done, tostring(report))
    expect.equal(words(report), "go(door)=SUCCESS closes(left)=happened pass(right)=SUCCESS go(home)=SUCCESS")
    -- and when there is no way any more, it ends
    report = d:run(golog.search { pass "right", pass "left" }, { robot = w.robot, patience = 5 })
    expect.truthy(not report.done and #report == 0)
    expect.equal(report.why, "nothing could be done for too long: the search finds no way")
    expect.equal(report.seconds, 5)
  end)
  it("may come to its end by tests alone", function()
    local d = golog.domain()
    local n = d:fluent("n", 0)
    local add = d:action("add", { run = function() rt.sleep(1) end, effect = function() n:set(n() + 1) end })
    local more = d:exogenous("more", function() n:set(n() + 1) end)
    local function at_least(k) return golog.test(function() return n() >= k end) end
    local report = d:run(golog.search(at_least(0)))
    expect.truthy(report.done, tostring(report))
    report = d:run({ golog.search(at_least(0)), add() })
    expect.truthy(report.done, tostring(report))
    expect.equal("add()=SUCCESS", words(report))
    -- and so when it is searched again, after the world has done the rest
    rt.spawn(function()
      rt.sleep(0.5)
      d:happens(more())
    end)
    report = d:run({ golog.search { golog.star(add()), at_least(3) }, add() })
    expect.truthy(report.done, tostring(report))
    expect.equal("add()=SUCCESS more()=happened add()=SUCCESS", words(report))
  end)
  it("thinks again inside the first round of a loop", function()
    local d = golog.domain()
    local floor = d:fluent("floor", 1)
    local up = d:action("up", { run = function() rt.sleep(1) end, effect = function() floor:set(floor() + 1) end })
    local rests = d:action("rests", { run = function() rt.sleep(1) end })
    local sinks = d:exogenous("sinks", function() floor:set(floor() - 1) end)
    local below = function() return floor() < 4 end
    local found = {}
    for name, climb in pairs {
      loop = golog.loop(below, up()),
      loop_of_two = golog.loop(below, { rests(), up() }),
      star = { golog.star(up()), golog.test(function() return floor() == 4 end) },
      nested = golog.loop(below, { rests(), golog.loop(below, up()) }),
      beside = golog.both(golog.loop(below, up()), golog.nothing),
      interrupt = golog.prior(golog.interrupt(below, up()), d.stop_interrupts()),
    } do
      for _, after in ipairs { 0.5, 1.5, 2.5 } do
        local set = d:action("set", { effect = function()
          floor:set(1)
          d.interrupts:set(true)
        end })
        d:run(set())
        rt.spawn(function()
          rt.sleep(after)
          d:happens(sinks())
        end)
        local report = d:run(golog.search(climb), { patience = 1 })
        if not report.done or floor() ~= 4 then found[#found + 1] = name .. " " .. after .. ": " .. tostring(report) end
      end
    end
    expect.equal("", table.concat(found, "\n"))
  end)
  it("senses into fluents", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local d = w.d
    local pan = d:fluent("pan", 0)
    local feel = d:action("feel", { sense = function(robot) return robot:state().joints.head.pan end,
      effect = function(value) pan:set(value) end })
    local report = d:run({ w.look(0.4), feel(), golog.when(function() return pan() > 0.3 end, w.look(0)) },
      { robot = w.robot })
    expect.truthy(report.done)
    expect.equal(words(report), "look(0.4)=SUCCESS feel()=SUCCESS look(0)=SUCCESS")
    expect.truthy(math.abs(pan() - 0.4) < 1e-6)
    -- plans do not know what will be sensed, unless they are told what to assume
    local plan, message = d:plan { feel(), golog.test(function() return pan() > 5 end) }
    expect.equal(plan, nil)
    expect.equal(message, "there is no plan")
    expect.truthy(d:explain { feel() }:find("what it will sense is not known before", 1, true))
    local guess = d:action("guess", { sense = function() return 1 end, assume = function() return 7 end,
      effect = function(value) pan:set(value) end })
    expect.equal(#d:plan { guess(), golog.test(function() return pan() > 5 end) }, 1)
  end)
  it("senses readings of a sensor", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local d = w.d
    local clear = d:fluent("clear", 0)
    -- 5 m is as far as its sonar sees, and nothing stands there
    local look = d:action("look", { sense = function(robot) return robot:sense("sonar").range end,
      effect = function(value) clear:set(value) end })
    local report = d:run({ look(), golog.when(function() return clear() > 4.9 end, w.go "door") }, { robot = w.robot })
    expect.equal("look()=SUCCESS go(door)=SUCCESS", words(report))
    expect.near(5, clear(), 1e-9)
  end)
  it("follows the branch that comes true", function()
    local d = golog.domain()
    local at, open = d:fluent("at"), d:fluent("open")
    local real, tries, thought = nil, 0, 0
    local come = d:action("come", { run = function() rt.sleep(1) end, effect = function() at:set "door" end })
    local look = d:action("look", { sense = function()
      rt.sleep(1)
      tries = tries + 1
      if type(real) == "table" then return real[tries] end
      return real
    end, tells = { true, false }, effect = function(value) open:set(value) end })
    local pass = d:action("pass", { pre = function()
      thought = thought + 1
      return open() == true
    end, effect = function() at:set "room" end })
    local round = d:action("round", { run = function() rt.sleep(5) end, effect = function() at:set "room" end })
    local there = golog.test(function() return at() == "room" end)
    local function ways(value, what)
      real, tries, thought = value, 0, 0
      d:run(d:action("reset", { effect = function()
        at:set "hall"
        open:set(nil)
      end })())
      local report = d:run(golog.search(what, { branches = true, depth = 6 }), { patience = 1 })
      return (report.done and "" or "not done ") .. words(report):gsub("=SUCCESS", "")
    end
    local once = { come(), look(), golog.choice(pass(), round()), there }
    expect.equal("come() look() pass()", ways(true, once))
    expect.equal(3, thought) -- in the search for each value, and when it is done: it was not searched again
    expect.equal("come() look() round()", ways(false, once))
    expect.equal("come() look() round()", ways("ajar", once)) -- not foreseen: it is searched again, from there
    -- two in a row
    local twice = { look(), come(), look(), golog.choice(pass(), round()), there }
    expect.equal("look() come() look() pass()", ways({ false, true }, twice))
    expect.equal("look() come() look() round()", ways({ true, false }, twice))
    -- the world changes meanwhile, and while it looks
    local slams = d:exogenous("slams", function() open:set(false) end)
    for after, expected in pairs { [0.5] = "come() slams()=happened look() pass()",
      [1.5] = "come() look() slams()=happened pass()", [2.5] = "come() look() wait() slams()=happened round()" } do
      local wait = d:action("wait", { run = function() rt.sleep(1) end })
      rt.spawn(function()
        rt.sleep(after)
        d:happens(slams())
      end)
      local what = after < 2 and once or { come(), look(), wait(), golog.choice(pass(), round()), there }
      expect.equal(expected, ways(true, what))
    end
    -- beside others, and interrupted
    local busy = d:fluent("busy", 0)
    local knock = d:exogenous("knock", function() busy:set(1) end)
    local answer = d:action("answer", { run = function() rt.sleep(1) end, effect = function() busy:set(0) end })
    rt.spawn(function()
      rt.sleep(1.5)
      d:happens(knock())
    end)
    real = true
    d:run(d:action("again", { effect = function() at:set "hall" end })())
    local report = d:run(golog.prior(golog.interrupt(function() return busy() == 1 end, answer()),
      { golog.search(once, { branches = true }), d.stop_interrupts() }))
    expect.truthy(report.done, tostring(report))
    expect.equal("come()=SUCCESS look()=INTERRUPTED knock()=happened answer()=SUCCESS look()=SUCCESS pass() "
      .. "stop_interrupts()", words(report))
  end)
  it("waits for what the world does", function()
    local d = golog.domain()
    local open = d:fluent("open", false)
    local opens = d:exogenous("opens", function() open:set(true) end)
    local enter = d:action("enter", { pre = function() return open() end })
    rt.spawn(function()
      rt.sleep(3)
      d:happens(opens())
    end)
    local report = d:run(enter())
    expect.truthy(report.done)
    expect.equal(words(report), "opens()=happened enter()")
    expect.equal(report.seconds, 3)
  end)
  it("goes round for as long as it likes in bounded memory", function()
    local d = golog.domain()
    local n = d:fluent("n", 0)
    local tick = d:action("tick", { effect = function() n:set(n() + 1) end })
    collectgarbage()
    local before, rounds = collectgarbage "count", extent(200000, 40000) -- a step of each would be more than may remain
    local report = d:run(golog.loop(function() return n() < rounds end, tick()), { log = 100 })
    expect.truthy(report.done)
    expect.equal(n(), rounds)
    expect.equal(#report, 100)
    expect.equal(report.actions, rounds)
    report[1] = nil
    collectgarbage()
    expect.truthy(collectgarbage "count" - before < 1000, collectgarbage "count" - before)
  end)
  it("takes one task for a command and no coroutine for anything else", function()
    local d = golog.domain()
    local n = d:fluent("n", 0)
    local tick = d:action("tick", { run = function() rt.sleep(0.1) end, effect = function() n:set(n() + 1) end })
    local mark = d:action("mark", { effect = function() n:set(n() + 1) end })
    local function made(what)
      local before, count = {}, 0
      for of, name in pairs { [coroutine] = "create", [core] = "task" } do
        before[of] = of[name]
        of[name] = function(...)
          count = count + 1
          return before[of](...)
        end
      end
      local report = d:run(what)
      coroutine.create, core.task = before[coroutine], before[core] -- luacheck: ignore
      expect.truthy(report.done)
      return count
    end
    local before = made {}
    local function times(p, m)
      local last = n() + m
      return golog.loop(function() return n() < last end, p)
    end
    expect.equal(made(times(tick(), 100)) - before, 100)
    expect.equal(made(times(golog.search { tick(), tick() }, 100)) - before, 100)
    expect.equal(made(times(mark(), 100)) - before, 0)
  end)
  it("ends when somebody else cancels a task of it", function()
    local d, begin = golog.domain(), rt.now()
    local victim
    local bad = d:action("bad", { run = function()
      victim = task.self()
      rt.sleep(9)
    end })
    rt.spawn(function()
      rt.sleep(1)
      victim:cancel()
    end)
    local ok, message = pcall(d.run, d, golog.both(bad(), d:action("good", { run = function() rt.sleep(99) end })()))
    expect.truthy(not ok and message:find "cancelled", message)
    expect.equal(begin + 1, rt.now())
  end)
  it("cancels a command whose guard does not hold any more, and goes on", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local d = w.d
    local clear = d:fluent("clear", true)
    local comes = d:exogenous("comes", function() clear:set(false) end)
    for _, rest in ipairs { { w.look(0.5) }, {} } do
      rt.spawn(function()
        rt.sleep(1)
        d:happens(comes())
      end)
      local report = d:run({ golog.guarded(clear, { w.go "desk", w.go "home" }), rest }, { robot = w.robot })
      expect.truthy(report.done, tostring(report))
      expect.equal("go(desk)=INTERRUPTED comes()=happened" .. (rest[1] and " look(0.5)=SUCCESS" or ""), words(report))
      expect.near(1, report[1].stop, 1e-9)
      rt.sleep(1)
      expect.equal("home", w.at())
      expect.equal(false, w.robot:state().moving)
      d:run(d:action("clears", { effect = function() clear:set(true) end })())
    end
    -- what was done in the same instant is done
    local n = d:fluent("n", 0)
    local slow = d:action("slow", { run = function() rt.sleep(1) end, effect = function() n:set(n() + 1) end })
    local fast = d:action("fast", { run = function() rt.sleep(1) end, effect = function() clear:set(false) end })
    local report = d:run(golog.both(fast(), { golog.guarded(clear, { slow(), slow() }) }))
    expect.truthy(report.done, tostring(report))
    expect.equal(1, n())
    expect.equal("fast()=SUCCESS slow()=SUCCESS", words(report))
  end)
  it("follows its rules when a command has ended", function()
    local d = golog.domain()
    local dirty = d:fluent("dirty", 0)
    local paint = d:action("paint", { run = function() rt.sleep(2) end,
      effect = function() dirty:set(dirty() + 2) end })
    local wipe = d:action("wipe", { run = function() rt.sleep(1) end, effect = function() dirty:set(dirty() - 1) end })
    local report = d:run(golog.rules(golog.loop(function() return dirty() > 0 end, wipe()), { paint(), paint() }))
    expect.truthy(report.done, tostring(report))
    expect.equal("paint()=SUCCESS wipe()=SUCCESS wipe()=SUCCESS paint()=SUCCESS wipe()=SUCCESS wipe()=SUCCESS",
      words(report))
    expect.equal(8, report.seconds)
  end)
  it("cancels what goes on beside rules that have begun, too", function()
    for _, watched in ipairs { "guarded", "interrupt" } do
      local d = golog.domain()
      local clear = d:fluent("clear", true)
      local comes = d:exogenous("comes", function() clear:set(false) end)
      local mark = d:action "mark"
      local drive = d:action("drive", { run = function() rt.sleep(2) end })
      local rule = d:action("rule", { run = function() rt.sleep(1) end })
      local clears = d:action("clears", { run = function() rt.sleep(3) end, effect = function() clear:set(true) end })
      local what = golog.rules(rule(), golog.both(drive(), mark()))
      rt.spawn(function()
        rt.sleep(0.5)
        d:happens(comes())
      end)
      local report = d:run(watched == "guarded" and { golog.guarded(clear, what), clears() }
        or golog.prior(golog.interrupt(function() return not clear() end, clears()), { what, d.stop_interrupts() }))
      expect.truthy(report.done, tostring(report))
      expect.equal("drive()", report[1].label)
      expect.equal("INTERRUPTED", report[1].word)
      expect.equal(0.5, report[1].stop)
      expect.equal("INTERRUPTED", report[3].word)
      expect.equal(watched == "guarded" and 3.5 or 7.5, report.seconds)
    end
  end)
  it("goes on with other branches while one waits for a time, which an interrupt cancels", function()
    local d = golog.domain()
    local clear = d:fluent("clear", true)
    local comes = d:exogenous("comes", function() clear:set(false) end)
    local step = d:action("step", { run = function() rt.sleep(1) end })
    local mark = d:action "mark"
    local clears = d:action("clears", { effect = function() clear:set(true) end })
    local report = d:run(golog.both(golog.at(5, mark()), { step(), step() }))
    expect.truthy(report.done, tostring(report))
    expect.equal(5, report.seconds)
    expect.equal("mark()=SUCCESS step()=SUCCESS step()=SUCCESS", words(report))
    expect.equal(5, report[1].start)
    expect.equal(2, report[3].stop)
    rt.spawn(function()
      rt.sleep(1.5)
      d:happens(comes())
    end)
    report = d:run(golog.prior(golog.interrupt(function() return not clear() end, clears()),
      { golog.at(5, mark()), d.stop_interrupts() }))
    expect.truthy(report.done, tostring(report))
    expect.equal("mark()=INTERRUPTED comes()=happened clears() mark()=SUCCESS stop_interrupts()", words(report))
    expect.equal(1.5, report[3].start)
    expect.equal(5, report.seconds)
  end)
  it("closes the fluents again when an effect fails", function()
    local d = golog.domain()
    local x = d:fluent("x", 0)
    for _, run in ipairs { false, function() end } do
      local bad = d:action("bad", { run = run or nil, effect = function() error "no such thing" end })
      expect.equal(false, pcall(d.run, d, bad()))
      local ok, message = pcall(x.set, x, 1)
      expect.truthy(not ok and message:find "only effects change fluents", message)
      expect.equal(0, x())
    end
  end)
  it("raises what an action of the program raises", function()
    local d = golog.domain()
    local bad = d:action("bad", { run = function() error "no such thing" end })
    local ok, message = pcall(d.run, d, bad())
    expect.truthy(not ok and message:find "no such thing", message)
  end)
  it("tells the action, and its command's line, when the robot refuses that", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local here = debug.getinfo(1, "l").currentline
    local steer = w.d:action("steer", { command = function(x) return "go_to", { x = x, teta = 0 } end })
    local nod = w.d:action("nod", { command = function() return "nod_head" end })
    local function refused(what, fn)
      local ok, message = pcall(fn)
      expect.truthy(not ok and message:find(what), message)
    end
    local place = "^tests/lua/golog_run_test.lua:%d: action "
    local function run(what) return function() w.d:run(what, { robot = w.robot }) end end
    refused(place:format(here + 1) .. "steer%(1%): go_to has no field 'teta'; did you mean 'theta'%?", run(steer(1)))
    refused(place:format(here + 2) .. "nod%(%): command: want the name of a method of the robot", run(nod()))
    local plan = assert(w.d:plan(steer(1)))
    local from = debug.getinfo(1, "l").currentline
    refused(place:format(from + 1) .. "steer%(1%): go_to has no field 'teta'", function() plan:play(w.robot) end)
  end)
end)

describe("a plan", function()
  it("prints as a timed table, is rehearsed, and is played on a robot", function()
    local w <close> = setmetatable(driver(), { __close = function(self) self.robot:close() end })
    local plan = assert(w.d:plan { w.go "door", w.look(0.5), w.look(-0.5), w.go "home" })
    expect.equal(tostring(plan), "    0.000 s  go(door)\n    4.000 s  look(0.5)\n    5.000 s  look(-0.5)\n"
      .. "    6.000 s  go(home)\n   10.000 s  end, 4 actions")
    expect.equal(plan:rehearse(), true)
    local x = w.robot:state().x
    expect.equal(w.at(), "home")
    local report = assert(plan:play(w.robot))
    expect.equal(report.played, 4)
    expect.equal(report.signals.SUCCESS, 4)
    expect.equal(report.underruns, 0)
    expect.truthy(math.abs(w.robot:state().x - x) < 0.01)
    -- the world has changed since
    w.d:run(w.go "door", { robot = w.robot })
    local ok, message, code, which = plan:rehearse()
    expect.equal(ok, nil)
    expect.equal(message, "action 1, go(door): its precondition does not hold")
    expect.equal(code, "EPLAN")
    expect.equal(which, 1)
    local think = w.d:action("think", { effect = function() w.at:set "nowhere" end })
    local refused, why = pcall(function() return w.d:plan(think()):play(w.robot) end)
    expect.truthy(not refused and why:find("play: action think() has no command", 1, true), why)
  end)
  it("knows durations and commands from the fluents that each action finds", function()
    local d = golog.domain()
    local robot <close> = assert(rt.connect "pioneer2")
    local at = d:fluent("at", 0)
    local go = d:action("go", {
      pre = function(to) return to ~= at() end,
      effect = function(to) at:set(to) end,
      duration = function(to) return 4 * math.abs(to - at()) + 1 end,
      command = function(to) return "set_joint", "head", { pan = (to - at()) / 10 } end,
    })
    local plan = assert(d:plan { go(1), go(2), go(0) })
    expect.equal(tostring(plan), "    0.000 s  go(1)\n    5.000 s  go(2)\n   10.000 s  go(0)\n"
      .. "   19.000 s  end, 3 actions")
    expect.equal(at(), 0)
    local pans = {}
    for i, step in ipairs(plan) do pans[i] = step.command[3].pan end
    expect.equal(table.concat(pans, " "), "0.1 0.1 -0.2")
    expect.equal(assert(plan:play(robot)).signals.SUCCESS, 3)
    expect.near(-0.2, robot:state().joints.head.pan, 1e-3)
    -- so do the commands of a program that runs: those that another branch's effect follows, too
    local heard = {}
    local tell = d:action("tell", { command = function()
      heard[#heard + 1] = at()
      return "set_joint", "head", { pan = 0 }
    end })
    local mark = d:action("mark", { effect = function() at:set(7) end })
    expect.truthy(d:run(golog.prior(tell(), mark()), { robot = robot }).done)
    expect.truthy(d:run({ golog.both(tell(), mark()) }, { robot = robot }).done)
    expect.equal(table.concat(heard, " "), "0 7")
    -- a command that asks the robot cannot be told in advance: it is called when it is played
    local nod = d:action("nod", { command = function()
      return "set_joint", "head", { pan = robot:state().joints.head.pan + 0.1 }
    end, duration = 1 })
    expect.equal(assert(assert(d:plan { nod() }):play(robot)).signals.SUCCESS, 1)
    expect.near(0.1, robot:state().joints.head.pan, 1e-3)
  end)
end)
