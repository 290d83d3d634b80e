-- What the network does to a client, in the simulated one.
local rt = require "robotalk"
local core = require "robotalk.core"

describe("a link that is cut", function()
  for _, mode in ipairs { "direct", "delay", "playback", "broadcast" } do
    it("stops the robot in " .. mode .. " mode", function()
      local robot <close> = rt.connect("pioneer2", { reconnect = false })
      local session <close> = robot:session { mode = mode, delay = 0.2, duration = 1 }
      if mode == "direct" then
        session:set_speed { x = 0.3 }
      else
        for i = 0, 10 do session:frame(i * 0.1, { base = { speed = { x = 0.3 } } }) end
      end
      rt.sleep(0.1)
      robot.client.link:cut(true)
      -- frames already there are played to their end (1.2 s), then 0.5 s of silence, then braking: 1 s
      rt.sleep(4)
      expect.equal(0, core.robot_state("pioneer2").moving)
    end)
  end
end)

describe("a link that breaks", function()
  it("fails what waits with ELINK, and comes back with its sessions", function()
    local robot <close> = rt.connect("pioneer2")
    local session <close> = robot:session { mode = "delay", delay = 1 }
    local t = rt.spawn(function() return robot:go_to { x = 5 } end)
    rt.sleep(1)
    robot.client.link:kill()
    local ok, signal, why, code = t:wait()
    expect.truthy(ok)
    expect.equal(nil, signal)
    expect.equal("ELINK", code, why)
    -- the robot stopped with its client's session, and is there again for the one that comes back
    rt.sleep(3)
    expect.equal(0, core.robot_state("pioneer2").moving)
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
    session:frame(0, { base = { speed = { x = 0 } } })
    expect.equal(1, session:finish(10).signals.SUCCESS)
  end)
end)

describe("a bad network", function()
  it("that sends twice does nothing twice", function()
    local robot <close> = rt.connect("pioneer2", { channel = { latency = 0.01, jitter = 0.005, duplicate = 0.5 } })
    for _ = 1, 50 do expect.equal("SUCCESS", (robot:set_speed { x = 0 })) end
    expect.equal(50, robot:status().executed)
  end)

  it("that changes the order loses nothing", function()
    local robot <close> = rt.connect("pioneer2", { channel = { latency = 0.01, jitter = 0.05, reorder = 0.5 } })
    local session <close> = robot:session { mode = "delay", delay = 1 }
    local begin = rt.now()
    for i = 0, 50 do
      session:frame(i * 0.02, { base = { speed = { x = 0 } } })
      rt.sleep(0.02)
    end
    local report = assert(session:finish(30))
    expect.equal(51, report.signals.SUCCESS)
    expect.near(0, report.worst, 1e-9)
    expect.truthy(rt.now() > begin)
  end)

  it("gives the same from the same seed", function()
    local function run(seed)
      assert(core.open { virtual = true, seed = seed })
      require "robotalk.modes".install()
      local robot <close> = rt.connect("pioneer2", { channel = { latency = 0.02, jitter = 0.05, loss = 0.1 } })
      local log = {}
      for i = 1, 30 do
        robot:set_speed { x = i / 100 }
        log[i] = ("%.9f %.9f"):format(rt.now(), robot:state().x)
      end
      robot:stop()
      return table.concat(log, "\n")
    end
    expect.equal(run(7), run(7))
    expect.truthy(run(7) ~= run(8))
  end)
end)

describe("a command that is old when it arrives", function()
  it("is refused in direct mode, not run late", function()
    -- a round trip of 0.8 s is certainly within the second; of one of 1.4 s the clocks cannot tell the way there
    for latency, word in pairs { [0.4] = "SUCCESS", [0.7] = "ERROR", [1.2] = "ERROR" } do
      local robot <close> = rt.connect("pioneer2", { timeout = 30, channel = { latency = latency } })
      local signal, why = robot:set_speed { x = 0.1 }
      expect.equal(word, signal)
      if word == "ERROR" then expect.truthy(why:find "expiry") end
      expect.equal(word == "ERROR" and 0 or 1, core.robot_state("pioneer2").moving)
      expect.equal("SUCCESS", (robot:set_speed { x = 0 })) -- a speed of zero has no age
    end
  end)

  it("is an underrun in delay mode, and refused a second later", function()
    local robot <close> = rt.connect("pioneer2")
    local session <close> = robot:session { mode = "delay", delay = 0 }
    rt.sleep(5)
    session.epoch = rt.now() - 0.5 -- the sequence began half a second ago
    session:frame(0, { base = { speed = { x = 0 } } })
    rt.sleep(0.1)
    expect.equal(1, session:status().underruns)
    expect.near(0.5, session:status().worst, 1e-3)
    session.epoch = rt.now() - 3
    session:frame(0, { base = { speed = { x = 0.3 } } })
    local report = session:finish(10)
    expect.equal(1, report.refused)
    expect.equal(1, report.signals.ERROR)
  end)
end)

describe("the clock", function()
  it("is known to within what is said", function()
    local robot <close> = rt.connect("pioneer2", { channel = { latency = 0.03, jitter = 0.1 } })
    rt.sleep(10)
    local clock = robot:clock()
    -- both ends of a simulated link have one clock: the true offset is 0
    expect.truthy(math.abs(clock.offset) <= clock.uncertainty)
    expect.truthy(clock.uncertainty < 0.1)
    expect.truthy(clock.exchanges >= 8)
  end)
end)

describe("a session", function()
  it("can be opened sixteen times, and no more", function()
    local robot <close> = rt.connect("pioneer2")
    local sessions = {}
    local why, code
    for i = 1, 16 do
      sessions[i], why, code = robot:session {}
      if not sessions[i] then break end
    end
    expect.equal(15, #sessions) -- robot itself is one
    expect.equal("ELIMIT", code, why)
    for _, s in ipairs(sessions) do s:close() end
  end)

  it("takes back what has not begun", function()
    local robot <close> = rt.connect("pioneer2")
    local session <close> = robot:session { mode = "delay", delay = 5 }
    for i = 0, 9 do session:frame(i, { base = { speed = { x = 0 } } }) end
    rt.sleep(0.1)
    expect.equal(10, session:status().queued)
    expect.equal(10, session:cancel())
    expect.equal(0, session:status().queued)
    local report = session:finish(10)
    expect.equal(10, report.signals.INTERRUPTED)
  end)

  it("of an unknown mode is refused", function()
    local robot <close> = rt.connect("pioneer2")
    local session, why, code = robot:session { mode = "telepathy" }
    expect.equal(nil, session)
    expect.equal("EMODE", code)
    expect.truthy(why:find "telepathy")
  end)

  it("drops what it has queued and stops what it moves when it ends", function()
    local robot <close> = rt.connect("pioneer2")
    do
      local session <close> = robot:session { mode = "delay", delay = 0 }
      session:frame(0, { base = { speed = { x = 0.3 } } })
      session:frame(2, { base = { speed = { x = 0.5 } } })
      rt.sleep(1.5)
      expect.truthy(robot:state().moving)
    end
    rt.sleep(3)
    expect.equal(false, robot:state().moving)
  end)
end)

describe("connecting", function()
  it("to a robot that is not there names those that are", function()
    local robot, why, code = rt.try_connect("pioneer3")
    expect.equal(nil, robot)
    expect.equal("ENONE", code)
    expect.truthy(why:find "pioneer2")
  end)

  it("to what is no address says what was expected", function()
    local robot, why, code = rt.try_connect("http://localhost")
    expect.equal(nil, robot)
    expect.equal("EURL", code)
    expect.truthy(why:find "robotalk://host")
  end)
end)
