-- Simulated readings that are worse than the truth: noise, drop-outs, latency and slip, as the descriptor says.
local rt = require "robotalk"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"

-- What is wrong with a rover that has this sensor, behind "x.lua:2: sensors[1].".
local function wrong(sensor)
  local _, message = descriptor.read(([[return { name = "x", base = {}, links = {},
    sensors = { { name = "s", link = 0, %s } } }]]):format(sensor), "x.lua")
  return message and message:gsub("x.lua:2: sensors%[1%]%.", "")
end

describe("errors of a sensor", function()
  it("may be a number, or one for each unit of its readings", function()
    expect.equal(wrong [[type = "sonar", noise = 0.01, bias = -0.1, resolution = 0.001, noise_scale = 0.02]], nil)
    expect.equal(wrong [[type = "imu", noise = { 0.1, 0.01, 0.02 }, bias = { 0.1 }]], nil)
    expect.equal(wrong [[type = "odometry", noise = { 0.01, 0.02 }, slip = 0.02, latency = 0.1]], nil)
    expect.equal(wrong [[type = "smell", noise = 0.01]], nil)
    expect.equal(wrong [[type = "sonar", noise = { 0.1, 0.2 }]],
      "noise: expected one number: the readings of a sensor of type sonar are in m, got { 0.1, 0.2 }")
    expect.equal(wrong [[type = "odometry", bias = { 1, 2, 3 }]],
      "bias: expected at most 2 numbers: the readings of a sensor of type odometry are in m, rad, "
      .. "got { 1.0, 2.0, 3.0 }")
  end)

  it("that cannot be are told all at once", function()
    expect.equal(wrong([[type = "imu", noise = { 0.1, -1 }, bias = 0/0, resolution = {}, ]]
      .. [[noise_scale = -1, dropout = 1.5, latency = -1, slip = 1/0]]), table.concat({
      "noise: expected a number, or a list of up to three, 0 or more, got { 0.1, -1 }",
      "noise_scale: expected a number, 0 to 10, got -1",
      "bias: expected a number, or a list of up to three, got NaN",
      "resolution: expected a number, or a list of up to three, 0 or more, got {}",
      "dropout: expected a number, 0 to 1, got 1.5",
      "latency: expected a number in s, 0 to 10, got -1",
      "slip: expected a number, 0 to 1, got inf" }, "\n"))
  end)

  it("are none of sensors that tell yes and no, and slip is the wheels'", function()
    expect.equal(wrong [[type = "bumper", noise = 0.1, noise_scale = 1, dropout = 0.1]],
      "noise: expected none: a sensor of type bumper tells yes and no\n"
      .. "noise_scale: expected none: a sensor of type bumper tells yes and no")
    expect.equal(wrong [[type = "laser", slip = 0.1]],
      "slip: expected none: only odometry is counted, by wheels that slip")
  end)

  it("have as much latency as readings that are under way can be kept", function()
    expect.equal(wrong [[type = "imu", latency = 0.5]], nil)
    expect.equal(wrong [[type = "imu", latency = 0.6]],
      "latency: expected at most 0.5 s, 50 readings at 100 a second, got 0.6")
    expect.equal(wrong [[type = "imu", latency = 0.001, rate = 2000]],
      "rate: expected at most 1000 readings a second of a sensor with latency, got 2000")
  end)
end)

-- A rover whose hull weighs something, with these sensors, moved by that driver.
local function with(driver, sensors, fn)
  for _, sensor in ipairs(sensors) do sensor.link = "hull" end
  local name = assert(rt.add_robot { name = "rover", sensors = sensors,
    base = { driver = driver, speed = { x = 1, theta = 2 }, acceleration = { x = 1, theta = 4 } },
    links = { [0] = { name = "hull", mass = 10, inertia = { 1, 1, 1 }, com = { 0, 0, 0.1 },
      shapes = { { type = "box", size = { 0.3, 0.2, 0.1 }, position = { 0, 0, 0.2 } } } } } })
  local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
  local robot <close> = rt.connect("local:" .. name)
  fn(robot)
end

for _, driver in ipairs { "sim", "physics" } do
  describe("a sensor that is as wrong as it says, moved by " .. driver, function()
    it("has noise, of which the state knows nothing", function()
      with(driver, { { name = "gps", type = "gps", rate = 100, noise = 0.5, bias = 2 } }, function(robot)
        local sum, squares, n = 0, 0, 1000
        for _ = 1, n do
          local x = robot:sense("gps").position[1]
          sum, squares = sum + x, squares + x * x
          rt.sleep(0.01)
        end
        local mean = sum / n
        expect.near(mean, 2, 4 * 0.5 / math.sqrt(n))
        expect.near(math.sqrt(squares / n - mean * mean), 0.5, 0.1 * 0.5) -- which is known to 2.2 %
        expect.near(robot:state().x, 0, 1e-3)
      end)
    end)

    it("leaves readings out, and a watch hears of as many as come", function()
      with(driver, { { name = "heading", type = "compass", rate = 50, dropout = 0.25 } }, function(robot)
        local count = 0
        local watch = robot:watch("heading", { all = true }, function() count = count + 1 end)
        rt.sleep(10)
        watch:cancel()
        expect.near(count, 375, 4 * math.sqrt(500 * 0.25 * 0.75))
      end)
    end)

    it("tells late what it has measured in time", function()
      with(driver, { { name = "late", type = "pose", rate = 50, latency = 0.2 }, { name = "here", type = "pose" } },
        function(robot)
          local nothing, message, code = robot:sense "late"
          expect.equal(nothing, nil)
          expect.equal(code, "NA", message)
          robot:set_speed { x = 0.5 }
          rt.sleep(3)
          local late, here = robot:sense "late", robot:sense "here"
          expect.near(late.age, 0.2, 0.0201)
          expect.near(here.position[1] - late.position[1], 0.5 * late.age, 0.01)
          robot:stop()
        end)
    end)

    it("counts a way that is not the way it goes", function()
      with(driver, { { name = "wheels", type = "odometry", slip = 0.1 } }, function(robot)
        expect.equal(robot:go_to { x = 2 }, "SUCCESS")
        local state, wheels = robot:state(), robot:sense "wheels"
        expect.near(state.x, 2, 0.02)
        local off = math.sqrt((wheels.x - state.x) ^ 2 + (wheels.y - state.y) ^ 2)
        expect.truthy(off > 0.01 and off < 1, off)
      end)
    end)
  end)
end

describe("torques", function()
  it("are what the motors of a joint do", function()
    local name = assert(rt.add_robot { from = "puma560", name = "puma",
      joints = { { name = "shoulder", driver = "physics" } },
      sensors = { { name = "up", type = "torque", link = "shoulder", bias = 100 },
        { name = "other", type = "torque", link = "elbow" } } })
    local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
    local robot <close> = rt.connect("local:" .. name)
    rt.sleep(1)
    local forces = robot:state({ forces = true }).forces.shoulder
    expect.truthy(math.abs(forces.q) > 1, forces.q)
    expect.near(robot:sense("up").torque, forces.q + 100, 1e-6)
    expect.equal(#robot:sense("up").torques, 1)
    expect.equal(robot:describe().sensors.up.unit, "N m or N")
    expect.equal(select(3, robot:sense "other"), "NA") -- nobody knows what moves an arm of the driver sim
  end)
end)
