-- Drivers in Lua: what reaches the script of stops, panics and its end (spec/drivers.md, section 5).
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local test = require "tests.lua.test_driver"
local recorder, with, begin, rests, words = test.recorder, test.with, test.begin, test.rests, test.words

describe("a driver in Lua", function()
  it("never starts a command that was halted before its task ran", function()
    local driver, heard = recorder()
    with(driver, function(robot)
      local next_event = core.device_next
      core.device_next = function(...) -- the panic comes as soon as the script has taken the command
        local event = table.pack(next_event(...))
        if event[1] == "start" then core.robot_panic("thing", true) end
        return table.unpack(event, 1, event.n)
      end
      expect.equal("PANIC", (robot:go_to { x = 1 }))
      core.device_next = next_event
      rt.sleep(1)
      expect.equal("halted: panic", words(heard))
    end)
  end)

  it("hears of a panic, and what it does ends", function()
    local driver, heard = recorder()
    with(driver, function(robot)
      local word = begin(robot.go_to, robot, { x = 1 })
      expect.truthy(heard.steps > 5)
      robot:panic()
      expect.equal("PANIC", word())
      rt.sleep(0.01)
      local steps = heard.steps
      expect.equal("go_to, go_to ends, halted: panic", words(heard))
      rt.sleep(1)
      robot:reset()
      rt.sleep(1)
      expect.equal(steps, heard.steps)
      word = begin(robot.go_to, robot, { x = 1 }) -- the next command after the reset begins
      expect.truthy(heard.steps > steps)
      robot:stop()
      expect.equal("INTERRUPTED", word())
    end)
  end)

  it("starts nothing between a halt and the reset, nor before it has dealt with the halt", function()
    local driver, heard = recorder()
    local halted = driver.halted
    driver.halted = function(...)
      rt.sleep(0.5)
      halted(...)
    end
    with(driver, function(robot)
      robot:panic()
      rt.sleep(0.1)
      expect.equal("PANIC", (robot:go_to { x = 1 }))
      robot:reset()
      rt.sleep(0.1)
      local word = begin(robot.go_to, robot, { x = 1 })
      expect.equal("", words(heard))
      rt.sleep(0.5)
      expect.equal("halted: panic, go_to", words(heard))
      robot:stop()
      expect.equal("INTERRUPTED", word())
    end)
  end)

  it("hears of a reset at once, and before the next command begins", function()
    local driver, heard = recorder()
    driver.reset = function()
      rt.sleep(0.5)
      heard[#heard + 1] = "reset"
    end
    with(driver, function(robot)
      robot:panic()
      robot:reset()
      local word = begin(robot.go_to, robot, { x = 1 })
      expect.equal("halted: panic", words(heard))
      rt.sleep(0.5)
      expect.equal("halted: panic, reset, go_to", words(heard))
      robot:stop()
      expect.equal("INTERRUPTED", word())
      robot:reset() -- of no panic
      rt.sleep(0.1)
      expect.equal("halted: panic, reset, go_to, go_to ends, stop", words(heard))
    end)
  end)

  it("hears of a reset also when its robot goes at once", function()
    local driver, heard = recorder()
    driver.reset = function() heard[#heard + 1] = "reset" end
    with(driver, function(robot)
      local word = begin(robot.go_to, robot, { x = 1 })
      robot:panic()
      expect.equal("PANIC", word())
      rt.sleep(0.1)
      robot:reset()
    end)
    expect.equal("go_to, go_to ends, halted: panic, reset, halted: removed, close", words(heard))
  end)

  it("is cut off when it takes too long over a halt", function()
    local driver, heard = recorder()
    driver.halted = function() rt.sleep(1e6) end
    with(driver, function(robot, log)
      robot:panic()
      rt.sleep(3)
      expect.truthy(table.concat(log):find "halted: it took too long")
      robot:reset()
      rt.sleep(0.1)
      local word = begin(robot.go_to, robot, { x = 1 })
      expect.equal("go_to", words(heard))
      robot:stop()
      expect.equal("INTERRUPTED", word())
    end)
  end)

  it("begins no command later than its expiry, but speeds of zero, and what has no expiry", function()
    local driver, heard = recorder()
    local halted = driver.halted
    driver.halted = function(...)
      for _ = 1, 8 do rt.sleep(0.2) end
      halted(...)
    end
    with(driver, function(robot)
      local session <close> = robot:session { expiry = false }
      local patient <close> = robot:session { expiry = 2 }
      for _, sent in ipairs {
        { by = robot, { pan = 0.5 }, word = "ERROR", reason = "expired" },
        { by = patient, { pan = 0.5 }, word = "INTERRUPTED", reason = "stopped" },
        { by = session, { pan = 0.5 }, word = "INTERRUPTED", reason = "stopped" },
      } do
        robot:panic()
        rt.sleep(0.1)
        robot:reset()
        local t = rt.spawn(sent.by.set_joint, sent.by, "head", sent[1])
        rt.sleep(1.6)
        expect.equal("halted: panic" .. (sent.reason == "stopped" and ", set_joint" or ""), words(heard))
        robot:stop()
        local _, signal, _, result = t:wait(1)
        expect.equal(sent.word, signal)
        expect.equal(sent.reason, result.reason)
        while #heard > 0 do table.remove(heard) end
      end
      robot:panic()
      rt.sleep(0.1)
      robot:reset()
      local t = rt.spawn(robot.set_speed, robot, { x = 0 })
      rt.sleep(1.6)
      expect.equal("halted: panic, set_speed", words(heard))
      robot:stop()
      expect.equal("INTERRUPTED", select(2, t:wait(1)))
    end)
  end)

  it("goes on with a stop when what came behind it is too late", function()
    local driver, heard = recorder()
    local start = driver.start
    driver.start = function(self, cmd, done)
      if cmd.op ~= "stop" then return start(self, cmd, done) end
      heard[#heard + 1] = "stop"
      local _ <close> = setmetatable({}, { __close = function() heard[#heard + 1] = "stop ends" end })
      rt.sleep(3)
      done "success"
      heard[#heard + 1] = "it stands"
    end
    with(driver, function(robot)
      begin(robot.stop, robot)
      local next_event = core.device_next
      core.device_next = function() end -- the script is busy with other things
      local joint, base = rt.spawn(robot.set_joint, robot, "head", { pan = 0.5, tilt = 0.5 }),
        rt.spawn(robot.go_to, robot, { x = 1 })
      rt.sleep(1.1)
      core.device_next = next_event
      local later = rt.spawn(robot.set_joint, robot, "head", { tilt = 0.2 })
      rt.sleep(0.1)
      expect.equal("MODIFIED", select(2, joint:wait(1)))
      expect.equal("ERROR", select(2, base:wait(1)))
      rt.sleep(3)
      expect.equal("stop, set_joint, it stands, stop ends", words(heard))
      robot:stop()
      expect.equal("INTERRUPTED", select(2, later:wait(1)))
    end)
  end)

  it("is told of a stop, and what it does ends", function()
    local driver, heard = recorder()
    with(driver, function(robot)
      local word = begin(robot.go_to, robot, { x = 1 })
      expect.equal("SUCCESS", (robot:stop()))
      expect.equal("INTERRUPTED", word())
      rests(heard)
      expect.equal("go_to, go_to ends, stop", words(heard))
    end)
  end)

  it("is told of a stop before what is sent behind it, and goes on with it for the other axes", function()
    local driver, heard = recorder()
    local start = driver.start
    driver.start = function(self, cmd, done)
      if cmd.op ~= "stop" then return start(self, cmd, done) end
      done "success"
      local _ <close> = setmetatable({}, { __close = function() heard[#heard + 1] = "stop ends" end })
      heard[#heard + 1] = "stop"
      rt.sleep(1)
    end
    with(driver, function(robot)
      local word = begin(robot.go_to, robot, { x = 1 })
      rt.spawn(robot.stop, robot)
      rt.spawn(robot.set_joint, robot, "head", { pan = 0.5 })
      expect.equal("INTERRUPTED", word())
      rt.sleep(0.1)
      expect.equal("go_to, go_to ends, stop, set_joint", words(heard))
      rt.spawn(robot.set_joint, robot, "head", { tilt = 0.5 })
      rt.sleep(0.1)
      expect.equal("go_to, go_to ends, stop, set_joint, set_joint", words(heard)) -- the base still brakes
      rt.spawn(robot.set_speed, robot, { x = 0.1 })
      rt.sleep(0.1)
      expect.equal("go_to, go_to ends, stop, set_joint, set_joint, set_speed, stop ends", words(heard))
      robot:stop()
    end)
  end)

  it("that does not come to a stop is halted in time, whatever comes behind it", function()
    local driver, heard = recorder()
    with(driver, function(robot)
      local moving = begin(robot.go_to, robot, { x = 1 })
      local next_event, waiting = core.device_next, {}
      core.device_next = function() end
      for _ = 1, 4 do
        rt.spawn(robot.stop, robot)
        waiting[#waiting + 1] = rt.spawn(robot.set_joint, robot, "head", { pan = 0.5 })
        rt.sleep(0.14)
      end
      core.device_next = next_event
      rt.spawn(robot.set_joint, robot, "head", { tilt = 0.5 })
      rt.sleep(0.1)
      expect.equal("INTERRUPTED", moving())
      expect.equal("go_to, go_to ends, halted: stop, set_joint", words(heard))
      for _, t in ipairs(waiting) do expect.equal("INTERRUPTED", select(2, t:wait(1))) end
      robot:stop()
    end)
  end)

  it("that works on all it can is halted by a stop", function()
    local driver, heard = recorder()
    with(driver, function(robot, _, descriptor)
      descriptor.joints = {}
      for i = 1, 11 do
        local dofs = {}
        for k = 1, i < 11 and 6 or 4 do dofs[k] = { name = "d" .. k } end
        descriptor.joints[i] = { name = "j" .. i, driver = "all", parent = i - 1, dofs = dofs }
      end
      assert(robot:reload(descriptor))
      rt.sleep(0.1)
      for i = 1, 64 do
        rt.spawn(robot.set_joint, robot, "j" .. (i - 1) // 6 + 1, { ["d" .. (i - 1) % 6 + 1] = 1 })
      end
      rt.sleep(0.1)
      -- it has room for three commands a dof: those that end, and as many stops as are left
      local stops = {}
      for i = 1, 3 * 64 - 64 + 1 do stops[i] = rt.spawn(robot.stop, robot, "j" .. i % 11 + 1) end
      for _, t in ipairs(stops) do assert(t:wait()) end
      rt.sleep(0.1)
      rests(heard)
      local all = words(heard)
      expect.truthy(all:find "set_joint ends, halted: stop$" and not all:find "stop,", all)
    end)
  end)

  it("stops when its client falls silent, or closes its session", function()
    local driver, heard = recorder()
    with(driver, function(robot)
      local _, waiter = begin(robot.go_to, robot, { x = 1 })
      robot.client.link:cut(true)
      rt.sleep(2)
      expect.equal("go_to, go_to ends, stop", words(heard))
      waiter:cancel()
    end)
    driver, heard = recorder()
    with(driver, function(robot)
      local session = robot:session { mode = "delay", delay = 0 }
      session:go_to { x = 1 }
      rt.sleep(0.1)
      session:close()
      rt.sleep(0.1)
      expect.equal("go_to, go_to ends, stop", words(heard))
    end)
  end)

  it("ends what is overtaken on the same dofs, and nothing else", function()
    local driver, heard = recorder()
    with(driver, function(robot)
      local pan = begin(robot.set_joint, robot, "head", { pan = 1 })
      local tilt = begin(robot.set_joint, robot, "head", { tilt = 1 })
      expect.equal("set_joint, set_joint", words(heard))
      local again = begin(robot.set_joint, robot, "head", { tilt = 0.5 })
      expect.equal("MODIFIED", tilt())
      expect.equal("set_joint, set_joint, set_joint ends, set_joint", words(heard))
      robot:stop()
      expect.equal("INTERRUPTED", pan())
      expect.equal("INTERRUPTED", again())
    end)
  end)

  it("goes on with a speed that it has answered, until the next command for the base", function()
    local steps = 0
    with({
      open = function() return {} end,
      halted = function() end,
      start = function(self, cmd, done)
        done "success"
        self:spawn("drive", function() -- a task of the command, since a command's task starts it
          while cmd.op == "set_speed" and cmd.x ~= 0 do
            rt.sleep(0.01)
            steps = steps + cmd.x
          end
        end)
      end,
    }, function(robot)
      expect.equal("SUCCESS", (robot:set_speed { x = 1 }))
      rt.sleep(0.5)
      local before = steps
      expect.truthy(before > 30)
      expect.equal("SUCCESS", (robot:set_speed { x = -1 }))
      rt.sleep(0.2)
      expect.truthy(steps < before)
      expect.equal("SUCCESS", (robot:stop()))
      before = steps
      rt.sleep(0.5)
      expect.equal(before, steps)
      expect.equal("SUCCESS", (robot:set_speed { x = 1 }))
      rt.sleep(0.1)
      robot:panic()
      rt.sleep(0.1)
      before = steps
      rt.sleep(0.5)
      expect.equal(before, steps)
    end)
  end)

  -- How a driver is told that it goes while it works on a command.
  local function told(go)
    local driver, heard = recorder()
    with(driver, function(robot, _, descriptor)
      local word = begin(robot.go_to, robot, { x = 1 })
      go(robot, descriptor)
      expect.equal("go_to, halted: ", words(heard):sub(1, 15))
      expect.equal("INTERRUPTED", word() or "INTERRUPTED")
      rests(heard)
    end)
    return words(heard):match "halted: (%a+), close"
  end

  it("may let go of its robot in its close: each device is closed once", function()
    local driver = recorder()
    local open, closed = {}, 0
    driver.open = function(config)
      open[#open + 1] = config
      return {}
    end
    driver.close = function()
      closed = closed + 1
      drivers.release("pair", "removed")
    end
    with(driver, function(_, log, thing)
      local one = { script = thing.drivers.all.script }
      assert(rt.add_robot { name = "pair", base = { driver = "wheels", speed = { x = 1, theta = 1 } },
        joints = { { name = "head", driver = "neck", servo = { "setpoint" }, dofs = { { name = "pan" } } } },
        drivers = { wheels = one, neck = one } })
      rt.sleep(0.01)
      expect.equal(3, #open)
      drivers.remove "pair"
      expect.equal(2, closed)
      expect.equal("", table.concat(log, "\n"))
    end)
  end)

  it("is told why it goes: its robot is removed", function()
    expect.equal("removed", told(function() drivers.remove "thing" end))
  end)
  it("is told why it goes: its robot is described anew", function()
    expect.equal("changed", told(function(robot, descriptor) assert(robot:reload(descriptor)) end))
  end)
  it("is told why it goes: the program ends", function()
    expect.equal("shutdown", told(function(robot)
      drivers.shut_down()
      expect.equal("ERROR", (robot:set_joint("head", { pan = 1 }))) -- nobody is there any more
      robot:stop()
    end))
  end)

  it("cannot keep the others from being halted and closed when it goes", function()
    local untold = setmetatable({}, { __tostring = function(self) error(self, 0) end })
    core.budget(0.2)
    for _, bad in ipairs { function() while true do end end, function() error(untold) end, coroutine.yield } do
      local driver, heard = recorder()
      for _, name in ipairs { "halted", "close" } do
        local before = driver[name]
        driver[name] = function(self, ...)
          before(self, ...)
          if self.config.bad then bad() end
        end
      end
      with(driver, function(robot, _, descriptor)
        descriptor.joints[2] = { name = "arm", driver = "bad", dofs = { { name = "lift" } } }
        descriptor.joints[3] = { name = "tail", driver = "last", dofs = { { name = "wag" } } }
        descriptor.drivers.bad = { script = descriptor.drivers.all.script, bad = 1 }
        descriptor.drivers.last = { script = descriptor.drivers.all.script }
        assert(robot:reload(descriptor))
        rt.sleep(0.01)
        drivers.remove "thing"
      end)
      expect.equal("halted: changed, close" .. (", halted: removed, close"):rep(3), words(heard))
    end
  end)

  it("says so when a panic cannot reach the metal", function()
    with({ open = function() return {} end, start = function() end }, function(_, log)
      expect.truthy(table.concat(log):find "neither halt bytes nor halted", table.concat(log))
    end)
  end)
end)
