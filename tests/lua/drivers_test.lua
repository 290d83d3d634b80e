-- Drivers in Lua: what reaches the script, and the metal, of stops, panics and errors (spec/drivers.md, section 5).
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local task = require "robotalk.task"

-- Fields of a driver whose commands run until they are cancelled. It writes down what happens, a word each, and counts
-- the steps of a loop that a command has begun.
local function recorder()
  local heard = { steps = 0 }
  return {
    open = function() return {} end,
    start = function(_, cmd, done)
      heard[#heard + 1] = cmd.op
      if cmd.op == "stop" then return done "success" end
      local _ <close> = setmetatable({}, { __close = function() heard[#heard + 1] = cmd.op .. " ends" end })
      while true do
        rt.sleep(0.01)
        heard.steps = heard.steps + 1
      end
    end,
    halted = function(_, why) heard[#heard + 1] = "halted: " .. why end,
    close = function() heard[#heard + 1] = "close" end,
  }, heard
end

-- fn(robot, log, descriptor) with a robot that this driver moves: a base, and a head with two dofs. log: what was said.
local function with(driver, fn, config)
  local path, say, on_failure, log = os.tmpname(), core.log, task.on_failure, {}
  local file = assert(io.open(path, "w"))
  file:write "return DRIVER_OF_TEST"
  file:close()
  rawset(_G, "DRIVER_OF_TEST", driver)
  core.log = function(text) log[#log + 1] = text end
  task.on_failure = function(_, message) log[#log + 1] = message end
  local _ <close> = setmetatable({}, { __close = function()
    core.log, task.on_failure = say, on_failure
    rawset(_G, "DRIVER_OF_TEST", nil)
    os.remove(path)
  end })
  local device = { script = path }
  for key, value in pairs(config or {}) do device[key] = value end
  local descriptor = { name = "thing", base = { driver = "all", speed = { x = 1, theta = 1 } },
    joints = { { name = "head", driver = "all", servo = { "setpoint", "speed" },
      dofs = { { name = "pan" }, { name = "tilt" } } } },
    drivers = { all = device } }
  assert(rt.robot(descriptor))
  local robot = assert(rt.connect("local:thing", { reconnect = false }))
  rt.sleep(0.01) -- the driver opens
  fn(robot, log, descriptor)
  robot:close()
  if core.robots()[1] then drivers.remove "thing" end
  rt.sleep(0.01) -- its tasks end
end

-- Calls fn(...) as a task: a function that waits for what it returns, and the task.
local function begin(fn, ...)
  local t = rt.spawn(fn, ...)
  rt.sleep(0.1)
  return function() return select(2, t:wait(300)) end, t
end

local function words(heard) return table.concat(heard, ", ") end

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

  it("is told of a stop, and what it does ends", function()
    local driver, heard = recorder()
    with(driver, function(robot)
      local word = begin(robot.go_to, robot, { x = 1 })
      expect.equal("SUCCESS", (robot:stop()))
      expect.equal("INTERRUPTED", word())
      local steps = heard.steps
      rt.sleep(1)
      expect.equal(steps, heard.steps)
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
      expect.equal("SUCCESS", (robot:stop()))
      rt.sleep(0.1)
      local steps = heard.steps
      rt.sleep(1)
      expect.equal(steps, heard.steps)
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

  it("answers ERROR, device for an error in it, at once or later, and logs it", function()
    local fail
    with({ open = function() return {} end, start = function(self) fail(self) end }, function(robot, log)
      for _, how in ipairs {
        function() error "broken" end,
        function() rt.sleep(0.1) error "broken" end,
        function(self) self:spawn("part", function() rt.sleep(0.1) error "broken" end) end,
        function() error(nil) end,
      } do
        fail = how
        local signal, why = robot:go_to { x = 1 }
        expect.equal("ERROR", signal)
        expect.truthy(why:find "device", why)
      end
      local text, count = table.concat(log), 0
      for _ in text:gmatch "broken" do count = count + 1 end
      expect.truthy(count >= 3 and text:find "drivers_test.lua", text)
    end)
  end)

  it("that does not open, or fails to, answers ERROR, device", function()
    for _, open in ipairs { function() error "no such lamp" end, function() return nil, "no such lamp" end } do
      with({ open = open }, function(robot, log)
        local signal, why = robot:go_to { x = 1 }
        expect.equal("ERROR", signal)
        expect.truthy(why:find "device", why)
        expect.truthy(table.concat(log):find "no such lamp")
        robot:panic()
        rt.sleep(0.1)
        robot:reset()
        rt.sleep(0.1)
        expect.equal("ERROR", (robot:go_to { x = 1 }))
      end)
    end
  end)

  it("that computes without end is ended after a second, at a prompt, too", function()
    core.budget(0)
    local function spin() while true do end end
    with({ open = function() return {} end, start = function() rt.spawn(spin) spin() end }, function(robot, log)
      expect.equal("ERROR", (robot:go_to { x = 1 }))
      rt.sleep(0.1)
      local _, count = table.concat(log):gsub("drivers_test.lua:%d+: it has computed for 1.0 s", "")
      expect.equal(2, count)
    end)
  end)

  it("reads what comes without a pause, and lets others run", function()
    core.budget(0.05)
    local reads = 0
    local port = { read = function() reads = reads + 1 return "x" end }
    local reader <close> = rt.spawn(function() while true do drivers.read(port) end end)
    for _ = 1, 10 do rt.sleep(0) end
    expect.equal("waiting", reader:status())
    expect.truthy(reads >= 100, reads)
  end)

  it("cannot report what no answer can tell", function()
    with({ open = function() return {} end, start = function(self, _, done)
      self:report { position = { 1e300 } }
      done "success"
    end }, function(robot, log)
      expect.equal("ERROR", (robot:set_joint("head", { pan = 1 })))
      expect.truthy(table.concat(log):find "field 'position' wants numbers, at most 1e9")
      expect.equal(0.0, robot:state().joints.head.pan)
    end)
  end)

  it("whose open gives what is none answers ERROR, device", function()
    local untold = setmetatable({}, { __tostring = function(self) error(self, 0) end })
    for _, open in ipairs {
      function() return true end,
      function() return { port = 5, halt = "halt " } end,
      function() return setmetatable({}, { __index = function() error(untold) end }) end,
      function() return nil, untold end,
    } do
      with({ open = open }, function(robot, log)
        local word = begin(robot.go_to, robot, { x = 1 })
        expect.equal("ERROR", word())
        expect.truthy(table.concat(log):find "robotalk: error: thing: driver")
        robot:stop()
      end)
    end
  end)

  it("whose file gives what is none is not loaded, and the robot goes on", function()
    local driver, heard = recorder()
    with(driver, function(robot, _, descriptor)
      for text, none in pairs {
        ["expected a table of functions, got number"] = 5,
        ["close: expected a function, got boolean"] = { close = true },
        ["drivers_test.lua:%d+: no index"] = setmetatable({}, { __index = function() error "no index" end }),
      } do
        rawset(_G, "DRIVER_OF_TEST", none)
        local report, why = robot:reload(descriptor)
        expect.equal(nil, report)
        expect.truthy(why:find(text), why)
      end
      robot:stop()
      expect.equal("stop", words(heard))
    end)
  end)

  it("that is lost ends its commands", function()
    local driver, heard = recorder()
    local start, device = driver.start, nil
    driver.start = function(self, ...)
      device = self
      start(self, ...)
    end
    with(driver, function(robot)
      local word = begin(robot.go_to, robot, { x = 1 })
      device:fault "link"
      expect.equal("ERROR", word())
      local steps = heard.steps
      rt.sleep(1)
      expect.equal(steps, heard.steps)
      expect.equal("go_to, go_to ends", words(heard))
    end)
  end)

  it("answers once: what it says of a command that is over is not heard", function()
    local answer
    with({ open = function() return {} end, halted = function() end,
      start = function(_, cmd, done)
        if cmd.op == "stop" then return done "success" end
        answer = done
      end }, function(robot)
      local word = begin(robot.go_to, robot, { x = 1 })
      robot:stop()
      expect.equal("INTERRUPTED", word())
      answer "success"
      word = begin(robot.go_to, robot, { x = 1 })
      answer("modified", "limit")
      answer "success"
      expect.equal("MODIFIED", word())
    end)
  end)

  it("answers once for itself, and not for the robot's other devices", function()
    local stops = 0
    with({ open = function() return {} end, halted = function() end,
      start = function(_, cmd, done)
        if cmd.op ~= "stop" then return end
        stops = stops + 1
        if stops == 2 then rt.sleep(1) end
        done "success"
        done "success"
      end }, function(robot, _, descriptor)
      descriptor.drivers.head = descriptor.drivers.all
      descriptor.joints[1].driver = "head"
      assert(robot:reload(descriptor))
      rt.sleep(0.1)
      local asked = rt.now()
      expect.equal("SUCCESS", (robot:stop()))
      expect.equal(2, stops)
      expect.truthy(rt.now() - asked > 0.9, "the slower device still stops")
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
      local steps = heard.steps
      rt.sleep(1)
      expect.equal(steps, heard.steps)
    end)
    return words(heard):match "halted: (%a+), close"
  end

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

  it("is not opened in a dry run, nor when its robot is described anew in one", function()
    local driver, heard = recorder()
    local open, opened = driver.open, 0
    driver.open = function()
      opened = opened + 1
      return open()
    end
    local dry = require "robotalk.descriptor"
    local _ <close> = setmetatable({}, { __close = function() dry.dry = false end })
    dry.dry = true
    with(driver, function(robot, _, descriptor)
      expect.equal("SUCCESS", (robot:go_to { x = 0.1 }))
      expect.truthy(descriptor.drivers.all, "what the script has written stays as it is")
      assert(robot:reload(descriptor))
      rt.sleep(0.1)
      expect.equal("SUCCESS", (robot:go_to { x = 0 }))
    end)
    expect.equal("", words(heard))
    expect.equal(0, opened)
    expect.equal("EADDRESS", select(3, require "robotalk.gti".connect "unix:nobody"))
  end)

  it("says so when a panic cannot reach the metal", function()
    with({ open = function() return {} end, start = function() end }, function(_, log)
      expect.truthy(table.concat(log):find "neither halt bytes nor halted", table.concat(log))
    end)
  end)
end)

-- ---- with a device behind a pseudo-terminal ----

-- A device that writes down the frames that it hears, each a word with a blank behind it.
local function metal()
  local port, path = core.pty()
  local self = { path = path, port = port, hold = core.serial(path), heard = {} }
  self.task = rt.spawn(function()
    local rest = ""
    while true do
      local bytes = drivers.read(port)
      if not bytes then return end
      rest = (rest .. bytes):gsub("(%S+) ", function(word)
        self.heard[#self.heard + 1] = word
        return ""
      end)
    end
  end)
  self.task.background = true
  function self.close()
    self.task:cancel()
    self.port:close()
    self.hold:close()
    rt.sleep(0) -- its task ends
  end
  return self
end

-- Waits until the device has heard the word once more.
local function hears(device, word, seen)
  return expect.eventually("the device hears " .. word, function()
    for i = seen + 1, #device.heard do
      if device.heard[i] == word then return i end
    end
  end)
end

-- A driver of that device. act(self, cmd, done): what its commands do.
local function writer(act)
  return {
    open = function(self, config)
      self.port = core.serial(config.port)
      self.port:write "open "
      return { halt = "halt ", port = self.port }
    end,
    start = act,
    close = function(self) self.port:close() end,
  }
end

describe("the metal of a driver in Lua", function()
  it_really("hears nothing of a command after its halt", function()
    local device, refused = metal(), {}
    with(writer(function(self, _, done)
      core.robot_panic("thing", true) -- between the start of the command and its first write
      for _ = 1, 2 do
        local _, _, code = self.port:write "motion "
        refused[#refused + 1] = code
      end
      core.robot_panic("thing", false)
      for _ = 1, 2 do
        local _, _, code = self.port:write "motion "
        refused[#refused + 1] = code
      end
      done "success"
      rt.sleep(10)
      self.port:write "motion "
    end), function(robot)
      expect.equal("PANIC", (robot:go_to { x = 1 }))
      hears(device, "halt", 0)
      expect.equal("EPANIC EPANIC EPANIC EPANIC", table.concat(refused, " "))
      expect.equal("open, halt", words(device.heard))
    end, { port = device.path })
    device.close()
  end)

  it_really("hears what the script's own tasks write again after the reset, and what halted writes before", function()
    local device, codes, self = metal(), {}, nil
    local driver = writer(function(_, _, done) done "success" end)
    local open = driver.open
    driver.open = function(me, config)
      self = me
      return open(me, config)
    end
    driver.halted = function(me)
      me.port:write "halted "
      rt.sleep(0.01)
      me.port:write "halted "
    end
    with(driver, function(robot)
      local function poll()
        local n, _, code = self.port:write "poll "
        codes[#codes + 1] = n or code
      end
      hears(device, "open", 0)
      poll()
      hears(device, "poll", 0)
      core.robot_panic("thing", true)
      poll()
      hears(device, "halted", hears(device, "halted", 0))
      poll()
      expect.equal("5 EPANIC EPANIC", table.concat(codes, " "))
      core.robot_panic("thing", false)
      expect.eventually("it may write again", function()
        poll()
        return codes[#codes] == 5
      end)
      hears(device, "poll", 5)
      expect.equal("open, poll, halt, halted, halted, poll", words(device.heard))
      robot:stop()
    end, { port = device.path })
    device.close()
  end)

  it_really("hears nothing of a command after the stop that ended it", function()
    local device = metal()
    with(writer(function(self, cmd, done)
      if cmd.op == "stop" then
        self.port:write "stop "
        return done "success"
      end
      self.port:write "motion "
      rt.wait(device)
      self.port:write "motion "
      done "success"
    end), function(robot)
      for round = 1, 3 do
        local word = begin(robot.go_to, robot, { x = 1 })
        hears(device, "motion", 2 * round - 1)
        expect.equal("SUCCESS", (robot:stop()))
        expect.equal("INTERRUPTED", word())
        rt.wake(device) -- it would go on
        rt.sleep(0)
        hears(device, "stop", 2 * round)
      end
      expect.equal("open, motion, stop, motion, stop, motion, stop", words(device.heard))
    end, { port = device.path })
    device.close()
  end)

  -- A script that writes motions, again and again, without ever letting go of its thread, until it may not any more:
  -- why not, and what the device has heard. during(self): what goes on meanwhile, on other threads.
  local function busy(during)
    local device, why = metal(), nil
    with(writer(function(self, cmd, done)
      if cmd.op == "stop" then
        self.port:write "stop "
        return done "success"
      end
      during(self)
      local late = rt.now() + 20
      repeat
        local again = rt.now() + 0.005
        why = select(3, self.port:write "motion ")
        while rt.now() < again do end
      until why or rt.now() > late
      done "success"
    end), function(robot)
      expect.equal("INTERRUPTED", (robot:go_to { x = 1 }))
      expect.equal("SUCCESS", (robot:stop()))
      hears(device, "stop", 0)
    end, { port = device.path })
    device.close()
    return why, words(device.heard)
  end

  it_really("hears nothing of a command after another client's stop, however busy the script is", function()
    local path, other, server = os.tmpname(), nil, nil
    os.remove(path)
    local why, heard = busy(function()
      server = assert(rt.serve { listen = { "unix:" .. path } })
      other = assert(rt.connect("unix:" .. path .. "#thing"))
      rt.spawn(other.stop, other)
      rt.sleep(0) -- it is sent; the server's thread acts on it, now or soon
    end)
    if why then expect.equal("ENONE", why) else expect.truthy(not heard:find "motion", heard) end
    expect.truthy(not heard:find "stop, motion" and not heard:find "halt, motion", heard)
    other:close()
    server:close()
  end)

  it_really("hears nothing of a command after the deadman's stop, however busy the script is", function()
    local why, heard = busy(function() end) -- nobody gives a sign of life meanwhile
    expect.equal("ENONE", why)
    expect.truthy(not heard:find "stop, motion" and not heard:find "halt, motion", heard)
  end)

  it_really("hears the halt when the script is too busy for a stop", function()
    local device, heard, whys = metal(), "", {}
    device.task:cancel()
    local driver = writer(function(self, cmd, done)
      if cmd.op == "stop" then
        self.port:write "stop "
        return done "success"
      end
      self.port:write "motion "
      local late = rt.now() + 20 -- never lets go until the halt is there: nobody gives a sign of life
      while not heard:find "halt" and rt.now() < late do heard = heard .. (device.port:read() or "") end
      done "success"
    end)
    driver.halted = function(_, why) whys[#whys + 1] = why end
    with(driver, function(robot)
      expect.equal("INTERRUPTED", (robot:go_to { x = 1 }))
      expect.equal("open motion halt ", heard)
      expect.equal("SUCCESS", (robot:stop()))
      expect.equal("stop", table.concat(whys, " "))
      expect.equal("stop ", expect.eventually("the device hears it", function() return device.port:read() end))
    end, { port = device.path })
    device.close()
  end)

  it_really("hears the halt when it is opened in a panic, or its robot goes", function()
    local device = metal()
    local driver = writer(function(_, _, done) done "success" end)
    local open = driver.open
    driver.open = function(...)
      core.robot_panic("thing", true)
      return open(...)
    end
    with(driver, function() hears(device, "halt", 1) end, { port = device.path })
    hears(device, "halt", 2)
    device.close()
  end)

  it_really("never hears a motion between a halt and the reset, whichever thread halts it", function()
    local device, path, running, self = metal(), os.tmpname(), 0, nil
    os.remove(path)
    with(writer(function(me, cmd, done)
      if cmd.op == "stop" then return done "success" end
      local _ <close> = setmetatable({}, { __close = function() running = running - 1 end })
      self, running = me, running + 1
      -- busy for about as long as a package is on its way: the panic comes now, or a moment before or after
      local late = rt.now() + cmd.x * 4e-3
      while rt.now() < late do end
      me.port:write "motion "
      done "success"
    end), function(robot)
      local _ <close> = assert(rt.serve { listen = { "unix:" .. path } })
      local other <close> = assert(rt.connect("unix:" .. path .. "#thing"))
      expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
      local done = 1 -- motions that are there for certain
      for round = 1, 200 do
        local mover = rt.spawn(robot.set_speed, robot, { x = round % 20 / 20 })
        if round % 4 == 0 then -- the motion is there; or it is about to come
          done = done + (select(2, mover:wait()) == "SUCCESS" and 1 or 0)
        else
          rt.sleep(0)
        end
        other:panic() -- the server's thread halts, while this one moves
        mover:wait()
        while not other:state().panic or running > 0 do rt.sleep(0.001) end
        other:reset()
        while not self.port:write "reset " do rt.sleep(0.001) end
      end
      self.port:write "end "
      hears(device, "end", 0)
      local halted, motions, halts = false, 0, 0
      for i, word in ipairs(device.heard) do
        expect.truthy(not (halted and word == "motion"), ("a motion after a halt: word %d"):format(i))
        motions, halts = motions + (word == "motion" and 1 or 0), halts + (word == "halt" and 1 or 0)
        halted = word == "halt" or halted and word ~= "reset"
      end
      expect.equal(200, halts)
      expect.truthy(done > 1 and motions >= done and motions <= 201, ("%d of %d"):format(motions, done))
    end, { port = device.path })
    device.close()
  end)
end)
