-- Simulated readings that are worse than the truth: noise, drop-outs, latency and slip, as the descriptor says.
local descriptor = require "robotalk.descriptor"

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
