-- The calibration of servos: what follows from the ticks that a joint went through, and how a descriptor reads it.
local calibration = require "robotalk.servos_calibration"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"

local STS = { middle = 2048, tick = 2 * math.pi / 4096 }

local function matches(pattern, text) expect.truthy(text and text:find(pattern), text) end

local function joint(least, most, middle, also)
  local one = { name = "elbow", id = 3, model = STS, sign = 1, scale = 1, low = -1.7, high = 1.7, least = least,
    most = most, middle = middle }
  for key, value in pairs(also or {}) do one[key] = value end
  return one
end

local function row(one)
  local text = assert(calibration.text({ one }, "--"))
  return core.data(text, "@x").elbow
end

local function refusal(one)
  local text, why = calibration.text({ one }, "--")
  expect.equal(nil, text)
  return why
end

describe("a calibration", function()
  it("has the middle of the range at the middle of the described limits", function()
    local r = row(joint(1000, 3000, 2010))
    expect.equal(2000, r.zero)
    expect.near(-1000 * STS.tick, r.limit[1], 1e-3)
    expect.near(1000 * STS.tick, r.limit[2], 1e-3)
    -- a gripper that is at 0 where it is closed, and turns against its servo
    r = row(joint(1000, 2000, 1500, { low = 0, high = 1, sign = -1 }))
    expect.near(1500 + 0.5 / STS.tick, r.zero, 0.1)
    expect.near(0.5 - 500 * STS.tick, r.limit[1], 1e-3)
    expect.near(0.5 + 500 * STS.tick, r.limit[2], 1e-3)
    expect.equal(-1, r.sign)
  end)

  it("keeps the described limits of a joint that turned all around", function()
    local r = row(joint(0, 4095, 2000))
    expect.equal(2000, r.zero)
    expect.equal(1.7, r.limit[2])
  end)

  it("refuses what no joint does, and says why", function()
    matches("elbow: it was not moved: 2000 to 2003, a range of nothing", refusal(joint(2000, 2003, 2001)))
    matches("its middle, 3500, lies outside", refusal(joint(1000, 3000, 3500)))
    matches("to one side only", refusal(joint(2000, 3000, 2001)))
    local crossing = { name = "elbow", id = 3, model = STS, sign = 1, scale = 1 }
    for _, ticks in ipairs { 4000, 4090, 5 } do calibration.take(crossing, ticks) end
    crossing.middle = 4050
    matches("crosses the end of the encoder.*set%-middle 3", refusal(crossing))
  end)

  it("is read from a file of LeRobot", function()
    local one = joint()
    local text = '{ "elbow": { "id": 3, "drive_mode": 1, "homing_offset": -40, "range_min": 900, "range_max": 3100 } }'
    expect.truthy(calibration.from_lerobot({ one }, text))
    expect.equal(-1, row(one).sign)
    expect.equal(2000, row(one).zero)
    local _, why = calibration.from_lerobot({ joint(nil, nil, nil, { id = 4 }) }, text)
    matches("servo 3 there, and servo 4 of this robot", why)
    _, why = calibration.from_lerobot({ joint(nil, nil, nil, { name = "wrist" }) }, text)
    matches("wrist: it is not in that file", why)
    for _, other in ipairs { "[]", "", "7", "null", text .. "}" } do
      _, why = calibration.from_lerobot({ one }, other)
      matches("expected a calibration of LeRobot", why)
    end
    expect.truthy(calibration.from_lerobot({ one }, (text:gsub("elbow", "arm_elbow")))) -- as LeKiwi has them
    _, why = calibration.from_lerobot({ one }, (text:gsub("900", "900.5")))
    matches("elbow: there is no range_min", why)
    _, why = calibration.from_lerobot({ one }, '{ "elbow": 3 }')
    matches("elbow: it is not in that file", why)
    expect.truthy(calibration.from_lerobot({ one }, (text:gsub("3100", "900"))))
    matches("a range of nothing", refusal(one))
  end)
end)

-- A robot whose entry names a file with that text; nil, message.
local function made_with(text)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local arm = { driver = "servos", port = "/dev/ttyACM0", calibration = path,
    elbow = "sts3215 id=3 sign=1 zero=7 torque=0.5" }
  local report, made = descriptor.check({ name = "arm", drivers = { arm = arm }, joints = {
    { name = "elbow", driver = "arm", servo = "setpoint", dofs = { { limit = { -1, 1 } } } } } })
  os.remove(path)
  return made, report and report[1].path .. ": " .. report[1].message
end

describe("the buses of a robot", function()
  it("have the joints with a range, and the other servos", function()
    local function moved(name, driver, servo)
      return { name = name, parent = "base", child = name, driver = driver, servo = servo, dofs = { { speed = 3 } } }
    end
    local report, made = descriptor.check({ name = "two",
      links = { [0] = { name = "base" }, { name = "left" }, { name = "right" }, { name = "roller" } },
      joints = { moved("left", "a", "setpoint"), moved("right", "b", "setpoint"), moved("roller", "b", "speed") },
      drivers = { a = { driver = "servos", port = "simulated", left = "sts3215 id=1" },
        b = { driver = "servos", port = "simulated", right = "xl430 id=1", roller = "xl430 id=2" } } })
    expect.equal(nil, report and report[1].message)
    local buses = calibration.buses(made, { sts3215 = STS, xl430 = STS })
    expect.equal(2, #buses)
    expect.equal("left", buses[1].joints[1].name)
    expect.same({}, buses[1].wheels)
    expect.equal(1, #buses[2].joints)
    expect.same({ "roller" }, buses[2].wheels)
  end)
end)

describe("a descriptor with a calibration", function()
  it("has its zero, sign and limits", function()
    local made = made_with "return { elbow = { id = 3, zero = 1990.5, sign = -1, limit = { -1.2, 1.3 } } }"
    local flat = made.records
    expect.equal("sts3215 id=3 torque=0.5 zero=1990.5 sign=-1", flat.device[1].options.elbow)
    expect.equal(nil, flat.device[1].options.calibration)
    expect.equal(1.3, flat.dof[1].high)
  end)

  it("needs no file for simulated servos", function()
    local function message(port)
      local report = descriptor.check({ name = "arm", drivers = { arm = { driver = "servos", port = port,
        calibration = "none.calibration.lua", elbow = "sts3215 id=3" } }, joints = {
        { name = "elbow", driver = "arm", servo = "setpoint", dofs = { { limit = { -1, 1 } } } } } }, "/tmp/arm.lua")
      return report and report[1].message
    end
    expect.equal(nil, message "simulated")
    matches("no file none.calibration.lua; robotalk calibrate /tmp/arm.lua writes it", message "/dev/none")
  end)

  it("is refused with one of another robot", function()
    local function refused(text, why)
      local made, message = made_with(text)
      expect.equal(nil, made)
      matches("^drivers.arm.calibration: .*" .. why, message)
    end
    refused("return { elbow = { id = 4, zero = 0, sign = 1, limit = { 0, 1 } } }", "servo 4, and this is servo 3")
    refused("return { elbow = { id = 3, zero = 0, sign = 1, limit = { 1, 1 } } }", "expected limit")
    refused("return { elbow = { id = 3, zero = 0, sign = 2, limit = { 0, 1 } } }", "expected sign")
    refused("return { wrist = {} }", "wrist: no such servo")
    refused("return 1", "expected the file to return a table")
  end)
end)
