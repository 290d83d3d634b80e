-- What a robot senses: readings of sensors by name, from simulated bodies and from drivers.
local rt = require "robotalk"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local core = require "robotalk.core"

-- A rover with one sensor of each kind, standing at 1, 2 and looking along y.
local function rover(sensors, more)
  local d = { name = "rover", base = { speed = { x = 1, theta = 2 }, acceleration = { x = 1, theta = 4 } },
    battery = { capacity = 1000, voltage = 12 }, links = { [0] = { name = "hull", position = { 1, 2, 0 },
      attitude = { 0, 0, math.pi / 2 } } },
    sensors = sensors }
  for _, sensor in ipairs(sensors) do sensor.link = sensor.link or "hull" end
  for key, value in pairs(more or {}) do d[key] = value end
  return d
end

local function with(d, fn)
  local name = assert(rt.add_robot(d))
  local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
  local robot <close> = rt.connect("local:" .. name)
  fn(robot)
end

-- What is wrong with a rover that has this sensor, behind "x.lua:2: sensors[1].".
local function wrong(sensor)
  local _, message = descriptor.read(([[return { name = "x", base = {}, links = {},
    joints = { { dofs = { {} } } }, sensors = { { name = "s", link = 0, %s } } }]]):format(sensor), "x.lua")
  return message and message:gsub("^x.lua:2: sensors%[1%]%.", "")
end

describe("sense", function()
  it("tells the newest reading of a sensor", function()
    local robot <close> = rt.connect "pioneer2"
    local reading = robot:sense "sonar3"
    expect.equal(reading.name, "sonar3")
    expect.equal(reading.type, "sonar")
    expect.equal(reading.number, 1)
    expect.equal(reading.range, 5.0)
    expect.equal(#reading.ranges, 1)
    expect.equal(reading.time, rt.now())
    expect.equal(reading.age, 0.0)
    rt.sleep(0.04) -- it pings ten times a second
    reading = robot:sense "sonar3"
    expect.equal(reading.number, 1)
    expect.near(reading.age, 0.04, 1e-9)
    rt.sleep(0.06)
    expect.equal(robot:sense("sonar3").number, 2)
  end)

  it("tells all sensors of a kind as one", function()
    local robot <close> = rt.connect "pioneer2"
    local ring = robot:sense "sonar"
    expect.equal(#ring, 16)
    expect.equal(#ring.ranges, 16)
    expect.equal(ring[4].name, "sonar3")
    expect.equal(ring.range, 5.0)
    expect.equal(ring.type, "sonar")
    expect.equal(ring.time, rt.now())
    local two = robot:sense { "sonar0", "sonar15" }
    expect.equal(#two, 2)
    expect.equal(two[2].name, "sonar15")
    expect.equal(#two.ranges, 2)
  end)

  it("takes a kind of one sensor for that sensor, whatever it is called", function()
    for _, name in ipairs { "asimo", "aibo_ers7" } do
      local robot <close> = rt.connect(name)
      local reading = robot:sense "upright"
      expect.equal(true, reading.upright, name)
      expect.equal("upright", reading.type)
    end
    local dog <close> = rt.connect "aibo_ers7"
    local reading = dog:sense "upright"
    expect.equal("Upright", reading.name)
    expect.equal(true, reading[1].upright)
    with(rover { { name = "front", type = "sonar", range = { 0, 5 } } }, function(robot)
      expect.equal(robot:sense("sonar").ranges[1], robot:sense("sonar")[1].range)
      expect.equal("front", robot:sense("sonar").name)
    end)
  end)
  it("says NA for what is not there, and raises for what is no name", function()
    local robot <close> = rt.connect "pioneer2"
    local reading, message, code = robot:sense "sonr"
    expect.equal(reading, nil)
    expect.equal(message, "robot pioneer2 has no sensor sonr; did you mean sonar? "
      .. "It has sonar, bumper, sonar0, sonar1, sonar2, sonar3, sonar4, sonar5 and 12 more")
    expect.equal(code, "NA")
    expect.equal(select(3, robot:sense { "sonar", "laser" }), "NA")
    expect.raises("sense: want the name of a sensor or of a kind", robot.sense, robot)
    expect.raises("sense: want the name of a sensor, got number", robot.sense, robot, { 1 })
  end)

  it("tells the motion of a simulated body", function()
    with(rover { { name = "imu", type = "imu", position = { 0.5, 0, 0 } }, { name = "here", type = "pose",
      position = { 0.5, 0, 0.1 } },
      { name = "gps", type = "gps" }, { name = "wheels", type = "odometry" }, { name = "north", type = "compass" },
      { name = "gyro", type = "gyroscope" } }, function(robot)
      local still = robot:sense "imu"
      expect.near(still.acceleration[3], 9.80665, 1e-6)
      expect.near(still.attitude[3], math.pi / 2, 1e-6)
      local here = robot:sense "here"
      expect.near(here.position[1], 1, 1e-6)
      expect.near(here.position[2], 2.5, 1e-6)
      expect.near(here.position[3], 0.1, 1e-6)
      robot:set_speed { x = 0.5, theta = 1 }
      rt.sleep(2)
      robot:sense "imu"
      rt.sleep(0.01)
      -- steadily on a circle of 0.5 m: inwards half of it, and half again for the lever of half a metre
      local round = robot:sense "imu"
      expect.near(round.spin[3], 1, 1e-6)
      expect.near(round.acceleration[1], -0.5, 1e-2)
      expect.near(round.acceleration[2], 0.5, 1e-2)
      expect.near(robot:sense("gyro").spin[3], 1, 1e-6)
      local state, wheels = robot:state(), robot:sense "wheels"
      expect.near(wheels.x, state.y - 2, 1e-6)
      expect.near(wheels.y, 1 - state.x, 1e-6)
      expect.near(wheels.theta, state.theta - math.pi / 2, 1e-6)
      expect.near(robot:sense("gps").position[2], state.y, 1e-6)
      expect.near(math.cos(robot:sense("north").heading), math.cos(state.theta), 1e-6)
      robot:stop()
    end)
  end)

  it("tells what else a simulated body has", function()
    with(rover({ { name = "scan", type = "laser", count = 181, fov = 3.14, range = { 0, 8 } }, { name = "hull",
      type = "bumper", count = 3 },
      { name = "power", type = "battery" }, { name = "arm", type = "encoder", link = "arm" }, { name = "wrist",
        type = "force" } },
      { joints = { { name = "arm", parent = "hull", dofs = { { name = "a", home = 0.25 }, { name = "b",
        type = "prismatic", home = 0.5 } } } } }),
      function(robot)
        expect.equal(#robot:sense("scan").ranges, 181)
        expect.equal(#robot:sense("scan")[1].ranges, 181)
        expect.equal(#robot:sense({ kind = "laser" })[1].ranges, 181)
        expect.equal(robot:sense("scan").range, 8.0)
        expect.equal(robot:sense("hull").pressed, false)
        expect.equal(#robot:sense("bumper").switches, 3)
        local power = robot:sense "power"
        expect.near(power.charge, 1, 1e-3)
        expect.near(power.voltage, 12, 0.1)
        expect.equal(power.current, nil)
        expect.equal(table.concat(robot:sense("arm").positions, " "), "0.25 0.5")
        local _, message, code = robot:sense "wrist"
        expect.equal(message, "wrist of robot rover: no reading has come yet")
        expect.equal(code, "NA")
      end)
  end)

  it("asks in parts for more than one answer holds", function()
    local sensors = {}
    for i = 1, 4 do sensors[i] = { name = "scan" .. i, type = "laser", count = 1081 } end
    with(rover(sensors), function(robot)
      local all = robot:sense "laser"
      expect.equal(#all.ranges, 4 * 1081)
      expect.equal(all[4].name, "scan4")
    end)
  end)

  it("follows a robot that is described anew", function()
    local sensors = { { name = "a", type = "sonar" }, { name = "b", type = "bumper" } }
    with(rover(sensors), function(robot)
      expect.equal(robot:sense("a").range, 5.0)
      assert(robot:reload(rover { sensors[2], { name = "c", type = "laser", count = 3 } }))
      expect.equal(select(3, robot:sense "a"), "NA")
      expect.equal(#robot:sense("laser").ranges, 3)
    end)
  end)

  it("says beforehand what there is: describe has unit, range, rate and place of each sensor", function()
    with(rover { { name = "ping", type = "sonar", position = { 0.1, 0, 0 } },
      { name = "scan", type = "laser", count = 7, rate = 40, range = { 0.5, 3 } },
      { name = "nose", type = "smell", values = "lavender coffee", unit = "ppm" }, { name = "imu", type = "imu" },
      { name = "heat", type = "temperature" } }, function(robot)
      local known = robot:describe().sensors
      expect.equal(#known, 5)
      local ping, scan, nose = known.ping, known.scan, known.nose
      expect.equal(("%s %s %g %g..%g %s %g"):format(ping.type, ping.unit, ping.rate, ping.range[1], ping.range[2],
        ping.link, ping.position[1]), "sonar m 10 0..5 hull 0.1")
      expect.equal(("%s %g %g..%g %d"):format(scan.unit, scan.rate, scan.range[1], scan.range[2],
        scan.values[1].count), "m 40 0.5..3 7")
      expect.equal(nose.unit .. " " .. nose.values[2].name .. " " .. nose.values[2].unit, "ppm coffee ppm")
      expect.equal(known.imu.unit, nil)
      expect.equal(known.imu.values[2].name .. " " .. known.imu.values[2].unit, "spin rad/s")
      expect.equal(known.imu.range, nil)
      expect.equal(known.heat.unit, "K")
    end)
  end)

  it("is for whoever may watch, also of a session", function()
    local robot <close> = rt.connect("pioneer2", { role = "watch" })
    expect.equal(#robot:sense("sonar").ranges, 16)
    local session <close> = robot:session { mode = "delay", delay = 1 }
    expect.equal(session:sense("sonar0").range, 5.0)
  end)
end)

-- A rover whose readings come from a driver of the test.
local function with_driver(sensors, driver, fn)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write "return DRIVER_OF_TEST"
  file:close()
  rawset(_G, "DRIVER_OF_TEST", driver)
  local _ <close> = setmetatable({}, { __close = function()
    rawset(_G, "DRIVER_OF_TEST", nil)
    os.remove(path)
  end })
  for _, sensor in ipairs(sensors) do sensor.driver = "eyes" end
  with(rover(sensors, { drivers = { eyes = { script = path } } }), fn)
end

describe("a driver in Lua", function()
  it("gives readings of its sensors", function()
    local device
    with_driver({ { name = "scan", type = "laser", count = 3, range = { 0, 8 } }, { name = "power", type = "battery" },
      { name = "touch", type = "bumper", count = 2 }, { name = "nose", type = "smell", values = "lavender coffee",
        unit = "ppm" },
      { name = "warm", type = "temperature" } },
      { open = function(self) device = self return {} end, start = function() end, halted = function() end },
        function(robot)
        rt.sleep(0.01)
        expect.equal(select(3, robot:sense "scan"), "NA")
        device:sensed("scan", { 1, math.huge, 0.25 }, rt.now() - 0.5)
        device:sensed("power", { voltage = 11.5, charge = 0.5 })
        device:sensed("touch", { false, true })
        device:sensed("nose", { coffee = 3 })
        device:sensed("warm", 300)
        local scan = robot:sense "scan"
        expect.equal(table.concat(scan.ranges, " "), "1.0 8.0 0.25")
        expect.equal(scan.range, 0.25)
        expect.near(scan.age, 0.5, 1e-6)
        expect.equal(robot:sense("power").voltage, 11.5)
        expect.equal(robot:sense("power").current, nil)
        expect.equal(robot:sense("touch").switches[2], true)
        expect.equal(robot:sense("touch").pressed, true)
        local nose = robot:sense "nose"
        expect.equal(nose.coffee, 3.0)
        expect.equal(nose.lavender, nil)
        expect.equal(nose.unit, "ppm")
        expect.equal(robot:sense("warm").temperature, 300.0)
        device:sensed("warm", 310, rt.now() - 10) -- too late: a newer one is known
        expect.equal(robot:sense("warm").temperature, 300.0)
        expect.raises("sensed: scan: want 3 values, got 2", device.sensed, device, "scan", { 1, 2 })
        expect.raises("has no sensor nowhere", device.sensed, device, "nowhere", 1)
        expect.raises("want numbers, at most 1e9", device.sensed, device, "warm", 1e10)
        expect.raises("want a number, got string", device.sensed, device, "warm", "hot")
      end)
  end)
end)

describe("sensors of a descriptor", function()
  it("are checked where they are written", function()
    expect.equal(wrong 'type = "laser", count = 181, rate = 20, fov = 3', nil)
    expect.equal(wrong 'type = "smell"', nil)
    expect.equal(wrong 'type = "sonr"',
      'type: expected a kind of sensor, or names of its values in `values`, got "sonr"'
      .. "; did you mean sonar?")
    expect.equal(wrong 'type = "imu", count = 3',
      "count: expected none: a reading of a sensor of type imu has 9 values")
    expect.equal(wrong 'type = "sonar", values = "a"',
      "values: expected none: what a sensor of type sonar tells has names")
    expect.equal(wrong 'type = "smell", values = "a a"', 'values: expected each name once, got "a" twice')
    expect.truthy(wrong 'type = "smell", values = "time"':find "^values: expected names of letters, digits and _")
    expect.equal(wrong 'type = "encoder"',
      "link: expected a link that dofs move: a sensor of type encoder tells where they are")
    expect.truthy(wrong 'type = "laser", count = 3000':find "^count: expected a whole number, 0 to 2048")
    expect.equal(wrong 'type = "laser", count = 0', "count: expected 1 to 2048, got 0")
  end)

  it("come back from the block as they were written", function()
    local d = rover { { name = "scan", type = "laser", count = 181, rate = 20.0, fov = 3.0, driver = "rover_laser" },
      { name = "nose", type = "smell", values = "lavender coffee" }, { name = "imu", type = "imu" } }
    d.drivers = { rover_laser = { driver = "sim" } }
    local flat = core.records(core.body(descriptor.records(d)))
    expect.equal(flat.sensor[1].device, 1)
    expect.equal(flat.sensor[3].device, 0)
    local back = require "robotalk.descriptor.user"(flat).sensors
    expect.equal(back[1].count, 181)
    expect.equal(back[1].rate, 20.0)
    expect.equal(back[1].fov, 3.0)
    expect.equal(back[2].values, "lavender coffee")
    expect.equal(back[3].count, nil)
  end)
end)
