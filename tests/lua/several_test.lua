-- What a connection may do: watch, drive, operate.
local rt = require "robotalk"

describe("a connection's role", function()
  it("lets a watcher ask, stop and panic, and no more", function()
    local robot <close> = rt.connect "pioneer2"
    local watcher <close> = rt.connect("local:pioneer2", { role = "watch" })
    expect.equal("SUCCESS", (robot:set_speed { x = 0.3 }))
    local signal, why, result = watcher:set_speed { x = 1 }
    expect.equal("ERROR", signal)
    expect.equal("role", result.reason)
    expect.truthy(why:find "role")
    rt.sleep(0.2)
    expect.equal(true, watcher:state().moving)
    expect.equal("SUCCESS", (watcher:stop()))
    expect.equal(false, watcher:state().moving)
    watcher:panic()
    rt.sleep(0.1)
    local ok, words, code = watcher:reset()
    expect.equal(nil, ok)
    expect.equal("EROLE", code)
    expect.truthy(words:find "role")
    expect.truthy(robot:state().panic)
    expect.equal(true, robot:reset())
  end)

  it("lets who drives override, and no watcher", function()
    local robot <close> = rt.connect("pioneer2", { role = "drive" })
    local watcher <close> = rt.connect("local:pioneer2", { role = "watch" })
    for _, share in ipairs { 0, 0.5, 1 } do
      local ok, words, code = watcher:override(share)
      expect.equal(nil, ok)
      expect.equal("EROLE", code)
      expect.truthy(words:find "role")
    end
    expect.equal(1, robot:state().override)
    expect.equal(true, robot:override(0.5))
    expect.equal(0.5, watcher:state().override)
  end)

  it("lets a driver command, but not reset", function()
    local driver <close> = rt.connect("pioneer2", { role = "drive" })
    expect.equal("SUCCESS", (driver:set_speed { x = 0.3 }))
    driver:panic()
    rt.sleep(0.1)
    local ok, _, code = driver:reset()
    expect.equal(nil, ok)
    expect.equal("EROLE", code)
    local operator <close> = rt.connect "local:pioneer2"
    expect.equal(true, operator:reset())
  end)

  it("is one of three", function()
    local ok, words = pcall(rt.connect, "pioneer2", { role = "admin" })
    expect.equal(false, ok)
    expect.truthy(tostring(words):find "watch, drive or operate")
  end)
end)

describe("a session that is told of errors only", function()
  local function play(errors)
    local robot <close> = rt.connect "pioneer2"
    local tape <close> = robot:session { mode = "playback", duration = 2, errors = errors }
    local signals = {}
    local link = getmetatable(tape.client.link).__index
    local next_ = link.next
    link.next = function(...)
      local kind, op, session, id = next_(...)
      if kind == "result" then signals[#signals + 1] = op end
      return kind, op, session, id
    end
    for i = 0, 40 do
      tape:frame(i * 0.05, { head = i == 20 and { pan = 100 } or nil, base = { speed = { x = 0.1 } } })
    end
    tape:frame(2.1, { base = { stop = true } })
    local report = tape:finish()
    link.next = next_
    return report, signals, tape:status()
  end

  it("hears of these alone, and its report is the same", function()
    local all, heard = play(false)
    local errors, few, status = play(true)
    expect.equal(all.played, errors.played)
    for signal, n in pairs(all.signals) do expect.equal(n, errors.signals[signal], signal) end
    expect.truthy(#few < #heard / 2)
    expect.equal(0, status.unanswered)
    expect.truthy(status.succeeded >= 40)
  end)

  it("is settled when nothing was sent, and again", function()
    local robot <close> = rt.connect "pioneer2"
    local session <close> = robot:session { mode = "delay", delay = 0.1, errors = true }
    expect.equal(nil, next(session:finish(5).signals))
    session:set_speed { x = 0.1 }
    session:set_speed { x = 0.2 }
    expect.equal(2, session:finish(5).signals.SUCCESS)
    session:set_speed { x = 0 }
    expect.equal(1, session:finish(5).signals.SUCCESS)
  end)

  it("is none in a mode whose calls wait", function()
    local robot <close> = rt.connect "pioneer2"
    local session <close> = robot:session { mode = "direct", errors = true }
    expect.equal("SUCCESS", (session:set_speed { x = 0.1 }))
  end)
end)

describe("a stop of one's own motion", function()
  it("leaves what others move", function()
    local robot <close> = rt.connect "pioneer2"
    local other <close> = rt.connect "local:pioneer2"
    expect.equal("SUCCESS", (other:set_speed { x = 0.3 }))
    expect.equal("SUCCESS", (robot:set_joint_speed("head", { pan = 0.2 })))
    rt.sleep(1)
    expect.equal("SUCCESS", (robot:stop { own = true }))
    local state = robot:state()
    expect.near(0, state.speed[robot:describe().joints.head.first + 1], 1e-6)
    expect.truthy(state.twist[1] > 0.2)
    expect.equal("SUCCESS", (other:set_speed { x = 0.2 })) -- and needs no word of it
    expect.equal("SUCCESS", (robot:stop { own = true }))
    expect.truthy(robot:state().twist[1] > 0.1)
    expect.equal("SUCCESS", (robot:stop()))
    expect.near(0, robot:state().twist[1], 1e-6)
  end)
end)
