-- Whether a command was carried out: rt.ok, robot.must, and the pace of what was not.
local core = require "robotalk.core"
local rt = require "robotalk"

describe("ok", function()
  it("is true for SUCCESS and MODIFIED, and for no other signal that there is", function()
    local good, count = { SUCCESS = true, MODIFIED = true }, 0
    for name in pairs(core.spec().signals) do
      count = count + 1
      expect.equal(good[name:upper()] or false, rt.ok(name:upper()), name)
    end
    expect.equal(7, count)
  end)

  it("takes what a command returns, and its result", function()
    local robot <close> = rt.connect "pioneer2"
    expect.equal(true, rt.ok(robot:set_joint("head", { pan = 0.1 })))
    expect.equal(true, rt.ok(robot:set_joint("head", { pan = 9 })))
    expect.equal(false, rt.ok(robot:step { leg = 1, x = 0.1 }))
    local _, _, result = robot:set_joint("head", { pan = 9 })
    expect.equal(true, rt.ok(result))
    robot:panic()
    _, _, result = robot:set_joint("head", { pan = 0 })
    expect.equal(false, rt.ok(result))
    robot:reset()
    local session <close> = assert(robot:session { mode = "delay", delay = 0 })
    local ticket = session:set_joint("head", { pan = 0.1 })
    expect.raises("ok_test.lua:%d+: ok: want a signal or a result, got a ticket", function() rt.ok(ticket) end)
    expect.equal(true, rt.ok(session:result(ticket)))
    robot:close()
    expect.equal(false, rt.ok(robot:set_joint("head", { pan = 0 })))
  end)

  it("raises for what is no signal", function()
    expect.raises("ok_test.lua:%d+: ok: want a signal or a result, got 'succes'", function() rt.ok "succes" end)
    expect.raises("got boolean", function() rt.ok(true) end)
    expect.raises("got table", function() rt.ok {} end)
  end)
end)

describe("must", function()
  it("returns what a command does, and raises at the script's line when it was not carried out", function()
    local robot <close> = rt.connect "pioneer2"
    local word, why = robot.must:set_joint("head", { pan = 9 })
    expect.equal("MODIFIED, a value was clipped to the limit of the body", word .. ", " .. why)
    expect.equal(0.0, robot.must:state().x)
    expect.raises("ok_test.lua:%d+: step: NA, this body has no", function() robot.must:step { leg = 1, x = 0.1 } end)
    expect.raises("ok_test.lua:%d+: go_to: call it with a colon", function() robot.must.go_to { x = 1 } end)
    local session <close> = assert(robot:session { mode = "delay", delay = 0 })
    expect.equal("integer", math.type(session.must:set_joint("head", { pan = 0 })))
    robot:close()
    local good, failure = pcall(function() robot.must:go_to { x = 1 } end)
    expect.equal("false go_to: the session is closed ECLOSED", ("%s %s %s"):format(good, failure.message, failure.code))
  end)
end)

describe("a loop of commands that are refused", function()
  -- Rounds of a loop in a second of the script's clock.
  local function rounds(fn)
    local count, start = 0, rt.now()
    while rt.now() - start < 1 and count < 1000 do
      fn()
      count = count + 1
    end
    return count
  end

  it("goes round once in 10 ms, whatever refuses them", function()
    local robot <close> = rt.connect "pioneer2"
    local function step() return robot:step { leg = 1, x = 0.1 } end
    local function look() return robot:set_joint("head", { pan = 0.8 }) end
    expect.equal("NA", step())
    expect.near(100, rounds(step), 1)
    local other <close> = rt.connect("local:pioneer2", { name = "other", apart = true })
    other:begin("go_to", { x = 9 })
    local function drive() return robot:set_speed { x = 0.1 } end
    expect.equal("BUSY", drive())
    expect.near(100, rounds(drive), 1)
    robot:panic()
    expect.equal("PANIC", look())
    expect.near(100, rounds(look), 1)
    expect.near(100, rounds(function() return robot:begin("set_joint", "head", { pan = 0.8 }):wait() end), 1)
    expect.equal(1000, rounds(function() robot:stop() end))
    robot:reset()
    robot:close()
    expect.near(100, rounds(look), 1) -- nil, ECLOSED
  end)
end)
