-- rt.ok: whether a command was carried out.
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
