-- Who waits when a session or a connection is closed, a link is lost, or a task is ended; and resets.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"

-- What a task that is in fn learns when `close` is called after a second: its results.
local function learns(fn, close)
  local t = rt.spawn(fn)
  rt.sleep(1)
  close()
  local results = table.pack(t:wait(5))
  expect.truthy(results[1], results[2])
  return table.unpack(results, 2, results.n)
end

local links = { ideal = {}, slow = { channel = { latency = 0.1 } } }

for link, options in pairs(links) do
  describe("over a link that is " .. link, function()
    it("a session that is closed answers the command that it ends", function()
      local robot <close> = rt.connect("pioneer2", options)
      local session = robot:session { mode = "direct" }
      local signal, why = learns(function() return session:go_to { x = 50 } end, function() session:close() end)
      expect.equal("INTERRUPTED", signal)
      expect.truthy(why:find "closed")
      expect.equal(nil, next(robot.client.awaited))
    end)

    it("a session that is closed wakes who waits for a ticket or for the end of a sequence", function()
      local robot <close> = rt.connect("pioneer2", options)
      local tape = robot:session { mode = "delay", delay = 100 }
      for i = 0, 3 do tape:frame(i, { base = { speed = { x = 0.1 } } }) end
      local ticket
      local waiter = rt.spawn(function()
        ticket = tape:set_speed { x = 0 }
        return tape:result(ticket)
      end)
      local _, message, code = learns(function() return tape:finish() end, function() tape:close() end)
      expect.equal("ECLOSED", code, message)
      local ok, signal = waiter:wait(5)
      expect.truthy(ok)
      expect.equal("INTERRUPTED", signal)
    end)

    it("a connection that is closed wakes who waits on it", function()
      local robot = rt.connect("pioneer2", options)
      local session = robot:session { mode = "delay", delay = 100 }
      local other = rt.spawn(function() return session:result(session:set_speed { x = 0 }) end)
      local signal, why, code = learns(function() return robot:go_to { x = 50 } end, function() robot:close() end)
      if link == "ideal" then
        expect.equal("INTERRUPTED", signal) -- the answer was there before the connection went
      else
        expect.equal(nil, signal)
        expect.equal("ECLOSED", code, why)
      end
      expect.truthy(other:wait(5))
      for _, what in ipairs { "state", "status", "stop", "reset", "finish" } do
        local _, message, c = session[what](session)
        expect.equal("ECLOSED", c, what .. ": " .. tostring(message))
      end
    end)
  end)
end

describe("a server that does not answer any more", function()
  it("holds up nobody who closes a session", function()
    local robot <close> = rt.connect("pioneer2")
    local session = robot:session { mode = "direct" }
    local _, message, code = learns(function() return session:go_to { x = 50 } end, function()
      robot.client.link:cut(true)
      session:close()
    end)
    expect.equal("ECLOSED", code, message)
  end)
end)

describe("a broadcast", function()
  it("goes on over a link that is lost, until it is cancelled", function()
    local robot <close> = rt.connect("pioneer2")
    local beats = 0
    local eye <close> = robot:broadcast(0.1, function() beats = beats + 1 end)
    rt.sleep(1)
    robot.client.link:kill()
    rt.sleep(0.05)
    beats = 0
    rt.sleep(2)
    expect.truthy(beats > 10, beats)
    eye:cancel()
    rt.sleep(0.2)
    beats = 0
    rt.sleep(1)
    expect.equal(0, beats)
  end)

  it("ends with its session, and says nothing", function()
    local failures = {}
    local task = require "robotalk.task"
    local before = task.on_failure
    task.on_failure = function(_, message) failures[#failures + 1] = message end
    local robot = rt.connect("pioneer2")
    robot:broadcast(0.1, function() end)
    rt.sleep(0.5)
    robot:close()
    rt.sleep(0.5)
    task.on_failure = before
    expect.equal(nil, failures[1])
  end)
end)

describe("a session that is closed", function()
  it("takes no frame, and its panic still stops the robot", function()
    local robot <close> = rt.connect "pioneer2"
    local tape = robot:session { mode = "delay", delay = 0.1 }
    tape:close()
    expect.equal("nil the session is closed ECLOSED", ("%s %s %s"):format(tape:frame(0, { head = { pan = 1 } })))
    expect.equal(true, tape:panic())
    rt.sleep(0.1)
    expect.truthy(robot:state().panic)
    robot:reset()
  end)
end)

describe("a broadcast", function()
  it("that the server would refuse is refused", function()
    local robot <close> = rt.connect "pioneer2"
    for _, period in ipairs { 0, -1, 0.0005, 3601 } do
      expect.raises("closing_test.lua:%d+: broadcast: period: want seconds, 0.001 to 3600", robot.broadcast, robot,
        period, print)
    end
    for _ = 1, 8 do assert(robot:broadcast(1, function() end)) end
    local last, message, code = robot:broadcast(1, function() end)
    expect.equal("nil a session has at most 8 broadcasts ELIMIT", ("%s %s %s"):format(last, message, code))
  end)
end)

describe("a task that is ending", function()
  it("stops its robot by what it holds, and needs not wait for it", function()
    local robot <close> = rt.connect("pioneer2", { channel = { latency = 0.02 } })
    local answers = {}
    for name, how in pairs { cancelled = function(t) t:cancel() end, failed = function() end } do
      local t = rt.spawn(function()
        local _ <close> = setmetatable({}, { __close = function() answers[name] = robot:stop() end })
        robot:set_speed { x = 0.3 }
        rt.sleep(1)
        if name == "failed" then error "on purpose" end
        rt.sleep(100)
      end)
      rt.sleep(0.5)
      how(t)
      local ok, message, code = t:wait(5)
      expect.equal(nil, ok)
      expect.equal(name == "failed" and "EFAILED" or "ECANCELLED", code)
      expect.truthy(not message:find "while closing", message)
      expect.equal("integer", math.type(answers[name]))
      rt.sleep(2)
      expect.equal(0, core.robot_state("pioneer2").moving)
    end
  end)

  it("leaves no answer behind that nobody will take", function()
    local robot <close> = rt.connect("pioneer2", { channel = { latency = 0.05 } })
    local ids = {}
    for i = 1, 100 do
      local t = rt.spawn(function() robot:state() end)
      rt.sleep(0.001 * i)
      for id in pairs(robot.client.awaited) do ids[id] = true end
      t:cancel()
    end
    rt.sleep(1)
    expect.truthy(next(ids))
    for id in pairs(ids) do expect.equal(false, robot.client.link:has(id)) end
    expect.equal(nil, next(robot.client.awaited))
  end)
end)

describe("finish", function()
  it("works when results were read before", function()
    local robot <close> = rt.connect("pioneer2")
    local tape <close> = robot:session { mode = "delay", delay = 0.1 }
    for i = 0, 3 do tape:frame(i * 0.1, { base = { speed = { x = 0.1 } } }) end
    tape:flush()
    expect.equal("SUCCESS", (tape:result(tape.tickets[2])))
    local report = assert(tape:finish())
    expect.equal(3, report.signals.SUCCESS)
    expect.equal(4, report.played)
  end)
end)

describe("reset", function()
  for link, options in pairs(links) do
    it("has ended the panic when it returns, over a link that is " .. link, function()
      local robot <close> = rt.connect("pioneer2", options)
      local other <close> = rt.connect("local:pioneer2", options)
      for i = 1, 50 do
        local panics = i % 2 == 0 and robot or other
        panics:panic()
        if i % 5 == 0 then panics:panic() end
        if panics == other then rt.sleep(0.1 + i * 0.005) end
        expect.equal(true, (robot:reset()))
        expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
        rt.sleep(1)
        expect.equal("SUCCESS", (other:set_speed { x = 0 }))
      end
    end)
  end

  it("of no panic is done at once", function()
    local robot <close> = rt.connect("pioneer2")
    expect.equal(true, (robot:reset()))
  end)

  it("does not wait for ever for a server that is mute", function()
    local robot <close> = rt.connect("pioneer2")
    robot:panic()
    robot.client.link:cut(true)
    local begin = rt.now()
    local _, _, code = robot:reset()
    expect.equal("ETIMEOUT", code)
    expect.truthy(rt.now() - begin < 6)
  end)
end)

describe("what is not finished", function()
  it("leaves no robot and no connection behind when the task that connects is cancelled", function()
    for _, seconds in ipairs { 0.5, 2.5, 5.5 } do -- as it connects, opens its session, asks what the robot is
      local t = rt.spawn(rt.connect, "pioneer2", { channel = { latency = 1 } })
      rt.sleep(seconds)
      expect.equal("waiting", t:status())
      t:cancel()
      rt.sleep(0)
      expect.equal(0, #core.robots())
      expect.equal(false, core.live().clients)
    end
  end)

  it("is told with the reason that the server gives", function()
    local robot, why, code = rt.try_connect("pioneer2", { expiry = -5 })
    expect.equal(nil, robot)
    expect.equal("ERANGE", code, why)
    expect.equal(0, #core.robots())
  end)

  it_really("reading from a port that is closed ends", function()
    local port, path = core.pty()
    local hold <close> = core.serial(path)
    local reader = rt.spawn(drivers.read, port)
    rt.sleep(0)
    port:close()
    local _, bytes, _, code = reader:wait()
    expect.equal(nil, bytes)
    expect.equal("ECLOSED", code)
    expect.equal("ECLOSED", select(3, port:write "x"))
    hold:close()
  end)
end)
