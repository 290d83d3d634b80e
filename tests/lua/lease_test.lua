-- Who drives holds a lease: what a script sees of it.
local rt = require "robotalk"

describe("a lease", function()
  it("is taken by the first command, and names its holder to the others", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local other <close> = rt.connect("local:pioneer2", { name = "second", apart = true })
    expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
    local signal, why, result = other:go_to { x = 1 }
    expect.equal("BUSY", signal)
    expect.equal("lease", result.reason)
    expect.truthy(result.holder:find "^first %d+$")
    expect.truthy(why:find(result.holder, 1, true))
    expect.equal("SUCCESS", (other:set_joint("head", { pan = 0.2 })))
    expect.equal("BUSY", (robot:set_joint("head", { pan = 0 })))
  end)

  it("is that of the program, whatever connections and sessions it has", function()
    local robot <close> = rt.connect "pioneer2"
    local again <close> = rt.connect "local:pioneer2"
    local tape <close> = robot:session { mode = "delay", delay = 0.1 }
    expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
    expect.equal("SUCCESS", (again:set_speed { x = 0.2 }))
    expect.equal("SUCCESS", (tape:result(tape:set_speed { x = 0.1 })))
  end)

  it("ends with its connection, and 5 s after its use", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local other <close> = rt.connect("local:pioneer2", { apart = true })
    local third = rt.connect("local:pioneer2", { apart = true })
    expect.equal("SUCCESS", (third:set_speed { x = 0 }))
    expect.equal("BUSY", (robot:set_speed { x = 0 }))
    third:close()
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
    rt.sleep(4.9)
    expect.equal("BUSY", (other:set_speed { x = 0 }))
    rt.sleep(0.2)
    expect.equal("SUCCESS", (other:set_speed { x = 0 }))
  end)

  it("that was refused stops nobody when its script fails or is cancelled", function()
    local robot <close> = rt.connect("pioneer2", { apart = true })
    local other <close> = rt.connect("local:pioneer2", { apart = true })
    local drive = rt.spawn(function() return robot:go_to { x = 0.5 } end)
    rt.sleep(0.1)
    local fails = rt.spawn(function()
      expect.equal("BUSY", (other:set_speed { x = 0.2 }))
      error "oops"
    end)
    expect.equal(nil, (fails:wait()))
    local waits = rt.spawn(function()
      expect.equal("BUSY", (other:set_speed { x = 0.2 }))
      rt.sleep(10)
    end)
    rt.sleep(0.1)
    waits:cancel()
    expect.equal("SUCCESS", (select(2, drive:wait())))
  end)

  it("is not needed to stop and to panic", function()
    local robot <close> = rt.connect("pioneer2", { apart = true })
    local other <close> = rt.connect("local:pioneer2", { apart = true, role = "watch" })
    robot:set_speed { x = 0.3 }
    expect.equal("SUCCESS", (other:stop()))
    expect.equal(false, robot:state().moving)
    other:panic()
    rt.sleep(0.1)
    expect.equal("PANIC", (robot:set_speed { x = 0 }))
    expect.equal(true, robot:reset())
  end)

  it("is seen by all", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local other <close> = rt.connect("local:pioneer2", { name = "second", apart = true, role = "watch" })
    local told = 0
    other:on_notice(function(what) if what == "leases" then told = told + 1 end end)
    expect.same({}, other:holders())
    robot:set_speed { x = 0 }
    robot:set_joint_speed("head", { tilt = 0 })
    rt.sleep(1)
    expect.equal(1, told)
    local holder = other:holders()[1]
    expect.truthy(holder.holder:find "^first %d+$")
    expect.same({ "base", "head.tilt" }, holder.parts)
    expect.equal(false, holder.own)
    expect.near(4, holder.left, 1e-6)
    expect.equal(true, robot:holders()[1].own)
    robot:set_joint("head", { pan = 0 })
    expect.same({ "base", "head" }, robot:holders()[1].parts)
    rt.sleep(5)
    expect.same({}, other:holders())
  end)

  it("is taken over, when its holder gives it or says nothing", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local other <close> = rt.connect("local:pioneer2", { name = "second", apart = true })
    local notices = {}
    robot:on_notice(function(what) notices[#notices + 1] = what end)
    local motion = robot:begin("go_to", { x = 5, speed = 0.2 })
    local before = rt.now()
    expect.equal(true, other:take "base")
    expect.near(5.3, rt.now() - before, 0.5) -- 5 s of silence, and the robot has to brake
    local signal, _, result = motion:wait()
    expect.equal("INTERRUPTED", signal)
    expect.equal("lease", result.reason)
    expect.equal("BUSY", (robot:set_speed { x = 0.1 }))
    expect.equal("SUCCESS", (other:set_speed { x = 0.1 }))
    expect.same({ "asked", "lost", "leases", "held" }, notices)
    expect.equal(true, robot:take "head") -- free
    local asked
    other:on_asked(function(question)
      asked = question
      return asked.parts[1] ~= "base" or nil
    end)
    before = rt.now()
    expect.equal(true, robot:take { base = true })
    expect.truthy(rt.now() - before >= 5)
    expect.truthy(asked.holder:find "^first %d+$")
    expect.same({ "base" }, asked.parts)
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
  end)

  it("is refused or given by the holder's script", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local other <close> = rt.connect("local:pioneer2", { name = "second", apart = true })
    local keeps = true
    robot:on_asked(function() return not keeps end)
    robot:set_speed { x = 0.2 }
    local ok, why, code = other:take()
    expect.equal(nil, ok)
    expect.truthy(why:find "^first %d+ keeps it$")
    expect.equal("ELEASE", code)
    expect.equal("SUCCESS", (robot:set_speed { x = 0.2 }))
    keeps = false
    expect.equal("ELEASE", select(3, other:take())) -- who was refused does not ask again at once
    rt.sleep(5)
    robot:set_speed { x = 0.2 }
    expect.equal(true, other:take())
    expect.equal(false, other:state().moving)
    ok, why, code = robot:take(nil, { force = true })
    expect.equal(nil, ok)
    expect.equal("EROLE", code)
    expect.truthy(why:find "takeover")
  end)

  it("is asked for by several, who are told apart", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local second <close> = rt.connect("local:pioneer2", { name = "second", apart = true })
    local third <close> = rt.connect("local:pioneer2", { name = "third", apart = true })
    local asked = {}
    robot:on_asked(function(question)
      asked[#asked + 1] = question.holder:match "^%a+"
      return question.holder:find "^third" ~= nil
    end)
    robot:set_speed { x = 0 }
    local words = {}
    rt.all(function() words[2] = select(3, second:take()) or "taken" end,
      function() words[3] = select(3, third:take()) or "taken" end)
    expect.same({ [2] = "ELEASE", [3] = "taken" }, words)
    table.sort(asked)
    expect.same({ "second", "third" }, asked)
  end)

  it("is not got by who has waited long enough, or has gone", function()
    local robot <close> = rt.connect("pioneer2", { apart = true })
    local other <close> = rt.connect("local:pioneer2", { apart = true })
    local motion = robot:begin("go_to", { x = 20, speed = 0.1 })
    local ok, _, code = other:take("base", { timeout = 1 })
    expect.equal(nil, ok)
    expect.equal("ETIMEOUT", code)
    local asks = rt.spawn(function() other:take "base" end)
    rt.sleep(1)
    asks:cancel()
    rt.sleep(9)
    expect.equal(true, robot:state().moving)
    expect.equal(true, robot:holders()[1].own)
    robot:cancel(motion)
  end)

  it("is given back", function()
    local robot <close> = rt.connect("pioneer2", { apart = true })
    local other <close> = rt.connect("local:pioneer2", { apart = true })
    robot:set_speed { x = 0.3 }
    robot:set_joint("head", { pan = 0 })
    rt.sleep(0.5)
    expect.equal(true, robot:release "base")
    expect.equal("braking", (select(3, other:set_speed { x = 0.1 })).reason)
    rt.sleep(1)
    expect.equal("SUCCESS", (other:set_speed { x = 0.1 }))
    expect.same({ "head.pan" }, robot:holders()[1].own and robot:holders()[1].parts or robot:holders()[2].parts)
    expect.equal(true, robot:release())
    expect.equal("SUCCESS", (other:set_joint("head", { pan = 0.1 })))
    expect.raises("leg", robot.release, robot, "leg")
  end)

  it("changes hands while frames are queued and on their way", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local far <close> = rt.connect("local:pioneer2", { name = "far", apart = true, channel = { latency = 0.2 } })
    local tape <close> = far:session { mode = "delay", delay = 0.5 }
    far:on_asked(function() return true end)
    local tickets, begin = {}, rt.now() + 0.1
    local sends = rt.spawn(function()
      for i = 1, 60 do
        tickets[i] = tape:move { base = { speed = { x = 0.2 } }, head = { pan = 0.01 * i }, start = begin + 0.05 * i }
        rt.sleep(0.05)
      end
    end)
    rt.sleep(2)
    expect.equal(true, robot:take "base")
    local taken = rt.now()
    expect.equal("SUCCESS", (robot:set_speed { x = -0.1 }))
    for _ = 1, 30 do
      rt.sleep(0.1)
      robot:set_speed { x = -0.1 }
      expect.truthy(robot:state().velocity.x <= 0)
    end
    sends:wait()
    local before, after = 0, 0
    for i = 1, 60 do
      local signal, _, result = tape:result(tickets[i], 10)
      if result.executed then
        expect.truthy(result.executed < taken)
        before = before + 1
      else
        expect.truthy(signal == "INTERRUPTED" or signal == "BUSY")
        expect.equal("lease", result.reason)
        after = after + 1
      end
    end
    expect.truthy(before > 10 and after > 20)
  end)

  it("is asked for anew when the robot was described anew", function()
    local robot <close> = rt.connect("pioneer2", { name = "first", apart = true })
    local other <close> = rt.connect("local:pioneer2", { name = "second", apart = true })
    robot:set_joint_speed("head", { pan = 0 })
    local took, code
    local takes = rt.spawn(function()
      local ok, _, why = other:take "head"
      took, code = ok, why
    end)
    rt.sleep(1)
    robot:set_joint_speed("head", { pan = 0 })
    assert(robot:reload "pioneer2")
    local before = rt.now()
    takes:wait()
    expect.equal(nil, code)
    expect.equal(true, took)
    expect.near(5, rt.now() - before, 1)
    expect.equal("SUCCESS", (other:set_joint("head", { pan = 0.1 })))
  end)

  it("wants a name that is one", function()
    for _, name in ipairs { ("x"):rep(64), "a\nb", 7 } do
      expect.raises("name", rt.connect, "pioneer2", { name = name })
    end
  end)
end)
