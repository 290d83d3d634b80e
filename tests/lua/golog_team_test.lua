-- Golog online with several robots: whose each action is, and what is stopped and goes on when one is interrupted.
local core = require "robotalk.core"
local rt = require "robotalk"
local golog = require "robotalk.golog"

local function words(report)
  local list = {}
  for i, step in ipairs(report) do list[i] = step.label .. (step.word and "=" .. step.word or "") end
  return table.concat(list, " ")
end

describe("a program of several robots", function()
  local descriptor = require "robotalk.descriptor"
  -- Two Pioneers, and actions that say whose they are.
  local function team()
    local d = golog.domain()
    local w = { d = d, robots = {}, made = {} }
    for _, name in ipairs { "anna", "bert" } do
      local what = assert(descriptor.open "pioneer2")
      local body = {}
      for key, value in pairs(what.descriptor or what) do body[key] = value end
      body.name = name
      assert(rt.add_robot(body))
      w.robots[name] = assert(rt.connect(name))
    end
    local function whose(who) return w.robots[who] end
    w.go = d:action("go", { robot = whose, duration = 4,
      command = function(_, x) return "go_to", { x = x, y = 0, theta = 0 } end })
    w.look = d:action("look", { robot = whose, duration = 1,
      command = function(_, pan) return "set_joint", "head", { pan = pan } end })
    w.drive = d:action("drive", { robot = whose, run = function(robot, who)
      expect.equal(robot, w.robots[who])
      robot:set_speed { x = 0.2 }
      rt.sleep(3)
      return (robot:set_speed { x = 0 })
    end })
    local alarm = d:fluent("alarm")
    w.alarm, w.hit = alarm, d:exogenous("hit", function(who) alarm:set(who) end)
    w.rest = d:action("rest", { robot = whose, run = function() rt.sleep(1) end,
      effect = function() alarm:set(nil) end })
    w.interrupt = golog.interrupt({ "anna", "bert" }, function(who) return alarm() == who end, w.rest)
    return setmetatable(w, { __close = function()
      for name, robot in pairs(w.robots) do
        robot:close()
        core.remove_robot(name)
      end
    end })
  end
  it("gives each command to whose it is", function()
    local w <close> = team()
    local report = w.d:run(golog.both(w.go("anna", 0.5), w.go("bert", 0.3)))
    expect.truthy(report.done, tostring(report))
    expect.near(0.5, w.robots.anna:state().x, 0.01)
    expect.near(0.3, w.robots.bert:state().x, 0.01)
    local nobody = w.d:action("nobody", { robot = function() end, command = function() return "home" end })
    local ok, why = pcall(w.d.run, w.d, nobody())
    expect.truthy(not ok and why:find("says of whom, or its field robot", 1, true), why)
    ok, why = pcall(w.d.action, w.d, "x", { robot = 3 })
    expect.truthy(not ok and why:find("want a robot or a function for robot, got number", 1, true), why)
  end)
  it("leaves the others alone when one is interrupted", function()
    local w <close> = team()
    local speeds = {}
    rt.spawn(function()
      rt.sleep(1)
      w.d:happens(w.hit "bert")
      rt.sleep(0.9)
      for name, robot in pairs(w.robots) do speeds[name] = robot:state().twist[1] end
    end)
    local branches = golog.both(golog.prior(w.interrupt, { w.drive "bert", w.d.stop_interrupts() }), w.drive "anna")
    local report = w.d:run(branches)
    expect.truthy(report.done, tostring(report))
    expect.near(0.2, speeds.anna, 1e-6)
    expect.near(0, speeds.bert, 1e-6)
    local text = words(report)
    expect.truthy(text:find("drive(bert)=INTERRUPTED", 1, true) and text:find("drive(anna)=SUCCESS", 1, true), text)
  end)
  it("stops only the axes that the action has taken", function()
    local w <close> = team()
    local anna = w.robots.anna
    for _, moves in ipairs { w.go("anna", 1), w.drive "anna" } do
      rt.spawn(function()
        rt.sleep(0.5)
        w.d:happens(w.hit "anna")
      end)
      -- the head turns slowly all the time; the base is interrupted
      local nod = w.d:action("nod", { robot = anna, command = function()
        return "set_joint", "head", { pan = anna:state().joints.head.pan > 0 and -0.8 or 0.8, speed = 0.6 }
      end })
      local report = w.d:run(golog.both(nod(), golog.prior(w.interrupt, { moves, w.d.stop_interrupts() })))
      local text = words(report)
      expect.truthy(report.done and text:find("nod()=SUCCESS", 1, true) and text:find("INTERRUPTED", 1, true), text)
      w.d:run(w.d:action("again", { effect = function() w.d.interrupts:set(true) end })())
    end
  end)
  it("stops what an action names, or all, or what is no robot of this library", function()
    local w <close> = team()
    local anna = w.robots.anna
    local function interrupted(spec)
      local act = w.d:action("act", spec)
      rt.spawn(function()
        rt.sleep(0.5)
        w.d:happens(w.hit "anna")
      end)
      local report = w.d:run(golog.prior(w.interrupt, { act(), w.d.stop_interrupts() }), { patience = 1 })
      expect.equal("INTERRUPTED", report[1].word)
      expect.truthy(report.done, tostring(report))
      w.d:run(w.d:action("again", { effect = function() w.d.interrupts:set(true) end })())
    end
    -- a helper of its own moves the head and the base
    local first = true
    local function helped(robot)
      if not first then return end
      first = false
      rt.spawn(function()
        robot:set_speed { x = 0.2 }
        robot:set_joint_speed("head", { pan = 0.1 })
      end)
      rt.sleep(9)
    end
    interrupted { robot = anna, run = helped, stops = "base" }
    expect.near(0, anna:state().twist[1], 1e-6)
    local pan = anna:state().joints.head.pan
    rt.sleep(0.5)
    expect.near(pan + 0.05, anna:state().joints.head.pan, 0.01)
    first = true
    interrupted { robot = anna, run = helped, stops = true }
    rt.sleep(0.5)
    expect.near(0, anna:state().twist[1], 1e-6)
    local calls = {}
    local toy = { stop = function() calls[#calls + 1] = "stop" end, hop = function()
      calls[#calls + 1] = "hop"
      if #calls == 1 then rt.sleep(9) end
      return "SUCCESS"
    end }
    interrupted { robot = toy, command = function() return "hop" end }
    expect.equal("hop stop hop", table.concat(calls, " "))
  end)
  it("takes back what a session that does not wait still has", function()
    local w <close> = team()
    local later <close> = assert(w.robots.anna:session { mode = "delay", delay = 0.2 })
    w.robots.later = later
    rt.spawn(function()
      rt.sleep(1)
      w.d:happens(w.hit "anna")
      rt.sleep(0.9)
      expect.near(0, w.robots.anna:state().twist[1], 0.02)
    end)
    local report = w.d:run(golog.prior(w.interrupt, { w.go("later", 0.5), w.d.stop_interrupts() }), { patience = 9 })
    w.robots.later = nil
    expect.truthy(report.done, tostring(report))
    expect.equal("go(later, 0.5)=INTERRUPTED hit(anna)=happened rest(anna)=SUCCESS go(later, 0.5)=SUCCESS "
      .. "stop_interrupts()", words(report))
  end)
  it("plays of a plan what is each one's", function()
    local w <close> = team()
    local plan = assert(w.d:plan { w.go("anna", 0.5), w.look("bert", 0.4), w.go("bert", 0.2) })
    expect.equal(w.robots.bert, plan[2].robot)
    local _, anna, bert = rt.all(function() return plan:play(w.robots.anna) end,
      function() return plan:play(w.robots.bert) end)
    expect.equal(1, anna.played)
    expect.equal(2, bert.played)
    expect.near(0.5, w.robots.anna:state().x, 0.01)
    expect.near(0.2, w.robots.bert:state().x, 0.01)
    local ok, why = pcall(plan.play, assert(w.d:plan { w.go("anna", 0.5) }), w.robots.bert)
    expect.truthy(not ok and why:find "no action of the plan is of this robot", why)
  end)
end)
