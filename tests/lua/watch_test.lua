-- Watching sensors: readings as they come, the newest or all of them.
local rt = require "robotalk"
local drivers = require "robotalk.drivers"

-- fn(robot, device) with a robot whose sensors a driver of the test has: a scan, a bumper.
local function with(fn)
  local device
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write "return DRIVER_OF_TEST"
  file:close()
  rawset(_G, "DRIVER_OF_TEST",
    { open = function(self) device = self return {} end, start = function() end, halted = function() end })
  local name
  local _ <close> = setmetatable({}, { __close = function()
    rawset(_G, "DRIVER_OF_TEST", nil)
    if name then drivers.remove(name) end
    os.remove(path)
  end })
  name = assert(rt.add_robot { name = "eyes", base = {}, links = { [0] = { name = "hull" } },
    sensors = { { name = "scan", type = "laser", count = 2, link = "hull", driver = "eyes", rate = 20 },
      { name = "touch", type = "bumper", link = "hull", driver = "eyes" },
      { name = "gyro", type = "gyroscope", link = "hull" } },
    drivers = { eyes = { script = path } } })
  local robot <close> = rt.connect "local:eyes"
  rt.sleep(0.01)
  fn(robot, device)
end

describe("watch", function()
  it("gives each new reading once, and of several the newest", function()
    with(function(robot, device)
      local seen = {}
      local handle <close> = robot:watch("scan", { rate = 10 }, function(reading) seen[#seen + 1] = reading.range end)
      rt.sleep(0.5)
      expect.equal(#seen, 0)
      device:sensed("scan", { 1, 2 })
      rt.sleep(0.3)
      expect.equal(table.concat(seen, " "), "1.0")
      for i = 2, 5 do
        device:sensed("scan", { i, i })
        rt.sleep(0.01)
      end
      rt.sleep(0.3)
      expect.equal(table.concat(seen, " "), "1.0 5.0")
      handle:cancel()
      device:sensed("scan", { 6, 6 })
      rt.sleep(0.3)
      expect.equal(#seen, 2)
    end)
  end)

  it("comes as often as asked for, of a simulated sensor", function()
    with(function(robot)
      local times = {}
      local handle <close> = robot:watch("gyro", { rate = 25 }, function(reading) times[#times + 1] = reading.time end)
      rt.sleep(2.01)
      expect.equal(#times, 51)
      for i = 2, #times do expect.near(times[i] - times[i - 1], 0.04, 1e-6) end
      handle:cancel()
    end)
  end)

  it("waits in a task", function()
    with(function(robot, device)
      local touch <close> = robot:watch "touch"
      local reading, message, code = touch:next(0.5)
      expect.equal(reading, nil)
      expect.equal(message, "no reading has come in time")
      expect.equal(code, "ETIMEOUT")
      rt.spawn(function()
        rt.sleep(0.3)
        device:sensed("touch", true)
      end)
      local began = rt.now()
      expect.equal(touch:next().pressed, true)
      expect.near(rt.now() - began, 0.3, 0.021)
      touch:cancel()
      expect.equal(select(3, touch:next()), "ECLOSED")
    end)
  end)

  it("goes on after a lost link", function()
    with(function(robot, device)
      local seen = 0
      local _ <close> = robot:watch("scan", { rate = 50 }, function() seen = seen + 1 end)
      device:sensed("scan", { 1, 1 })
      rt.sleep(0.1)
      expect.equal(seen, 1)
      robot.client.link:kill()
      rt.sleep(5)
      device:sensed("scan", { 2, 2 })
      rt.sleep(0.1)
      expect.truthy(seen >= 2)
    end)
  end)

  it("follows a robot that is described anew, and ends when the sensor is gone", function()
    local d = { name = "rover", base = {}, links = { [0] = { name = "hull" } }, sensors = {
      { name = "a", type = "sonar", link = "hull" }, { name = "b", type = "compass", link = "hull" } } }
    local name = assert(rt.add_robot(d))
    local robot <close> = rt.connect("local:" .. name)
    local watch <close> = robot:watch("b", { rate = 10 })
    expect.truthy(watch:next(1).heading)
    table.remove(d.sensors, 1)
    assert(robot:reload(d))
    local before = rt.now()
    expect.truthy(watch:next(2).time >= before)
    d.sensors = nil
    assert(robot:reload(d))
    local reading, _, code
    repeat reading, _, code = watch:next(2) until not reading
    expect.equal(code, "NA")
    drivers.remove(name)
  end)

  it("tells all readings, and how many were lost", function()
    with(function(robot, device)
      local numbers, dropped = {}, {}
      device:sensed("scan", { 0, 0 })
      local _ <close> = robot:watch("scan", { all = true }, function(reading)
        numbers[#numbers + 1] = reading.number
        dropped[#dropped + 1] = reading.dropped
      end)
      rt.sleep(0.02)
      for i = 1, 500 do
        device:sensed("scan", { i, i })
        rt.sleep(0.001)
      end
      rt.sleep(0.2)
      expect.equal(#numbers, 501)
      for i, number in ipairs(numbers) do expect.equal(number, i) end
      expect.equal(#dropped, 0)
      for i = 1, 500 do device:sensed("scan", { i, i }) end -- more at once than are kept
      rt.sleep(0.2)
      expect.equal(numbers[#numbers], 1001)
      expect.equal(dropped[1], 1001 - 501 - (#numbers - 501))
    end)
  end)

  it("ends when the server refuses it, and says how many there may be", function()
    with(function(robot)
      local watches = {}
      for i = 1, 8 do watches[i] = assert(robot:watch("gyro", { rate = 10 })) end
      local none, message, code = robot:watch("gyro", { rate = 10 })
      expect.equal(none, nil)
      expect.equal(message, "a session has at most 8 broadcasts and watches at a time")
      expect.equal(code, "ELIMIT")
      watches[1]:cancel()
      local beats = robot.beats
      robot.beats = {} -- as if the server had fewer places than we think
      local first, ninth = assert(robot:watch("gyro", { rate = 10 })), assert(robot:watch("gyro", { rate = 10 }))
      expect.truthy(first:next(1))
      expect.equal(select(3, ninth:next(1)), "ELIMIT")
      expect.equal(select(3, ninth:next(1)), "ECLOSED")
      robot.beats = beats
    end)
  end)

  it("says NA for what is not there, and raises for what cannot be", function()
    with(function(robot)
      expect.equal(select(3, robot:watch("sonar", function() end)), "NA")
      expect.raises("watch: rate: want times a second", robot.watch, robot, "scan", { rate = 0 })
      expect.raises("watch has no option 'often'", robot.watch, robot, "scan", { often = 1 })
      expect.raises("watch: want a function, got number", robot.watch, robot, "scan", {}, 5)
    end)
  end)
end)
