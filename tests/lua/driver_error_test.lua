-- Drivers in Lua: what they answer, and what becomes of their errors (spec/drivers.md, section 5).
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local test = require "tests.lua.test_driver"
local recorder, with, begin, rests, words = test.recorder, test.with, test.begin, test.rests, test.words

describe("a driver in Lua", function()
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
      expect.truthy(count >= 3 and text:find "driver_error_test.lua", text)
    end)
  end)

  it("gets nil for values that were not commanded, of set-points and of speeds", function()
    local heard = {}
    local function start(_, cmd, done)
      local value = cmd.value
      heard[#heard + 1] = value and ("%s %s %s %s"):format(cmd.op, value[1], value[2], value[3])
      done "success"
    end
    with({ open = function() return {} end, start = start }, function(robot)
      robot:set_joint("head", { tilt = 1 })
      robot:set_joint_speed("head", { pan = 0.5 })
      robot:move { head = { pan = 1, tilt = 0.25 } }
      expect.equal("set_joint nil 1.0 nil, set_joint_speed 0.5 nil nil, set_joint 1.0 0.25 nil", words(heard))
    end)
  end)

  it("that does not open, or fails to, answers ERROR, device", function()
    for _, open in ipairs { function() error "no such lamp" end, function() return nil, "no such lamp" end } do
      with({ open = open, start = function() end }, function(robot, log)
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
      local _, count = table.concat(log):gsub("driver_error_test.lua:%d+: it has computed for 1.0 s", "")
      expect.equal(2, count)
    end)
  end)

  it("that raises what computes without end is ended after a second, too", function()
    core.budget(0)
    local object = setmetatable({}, { __tostring = function() while true do end end })
    with({ open = function() return {} end, start = function() error(object) end }, function(robot, log)
      expect.equal("ERROR", (robot:go_to { x = 1 }))
      rt.sleep(0.1)
      expect.truthy(table.concat(log):find "driver_error_test.lua:%d+: it has computed for 1.0 s", table.concat(log))
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
      with({ open = open, start = function() end }, function(robot, log)
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
        ["start: expected a function, got nothing"] = { open = function() end, strat = function() end },
        ["open: expected a function, got nothing"] = { start = function() end },
        ["driver_error_test.lua:%d+: no index"] = setmetatable({}, { __index = function() error "no index" end }),
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
      rests(heard)
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
end)
