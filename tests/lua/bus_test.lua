-- Joints on a bus (paper 004, as an option of any driver): the arm of the paper and others, on a simulated line.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"

-- The arm of paper 004 with another bus and other options of its line, given to fn; what fn returns.
local function with_arm(bus, line, fn)
  local d = assert(descriptor.load "arm004")
  d.bus, d.deadman = bus, 1e6
  d.drivers = { arm = { driver = "simbus" } }
  for name, value in pairs(line or {}) do d.drivers.arm[name] = value end
  assert(rt.add_robot(d))
  local result
  do
    local robot <close> = rt.connect "local:arm004"
    result = fn(robot)
  end
  core.remove_robot "arm004"
  return result
end

local function tool(robot) return robot.model:fk(robot:state().position, "tool").position end

-- Root mean square deviation, m, of the tool from a circle that a script steers it along: every 10 ms it sets the speed
-- of the circle plus 10 /s times what is missing.
local function circle(robot)
  local center, sum, n = tool(robot), 0, 300
  local function wanted(t)
    return { center[1], center[2] + 0.0125 * math.sin(4 * t), center[3] + 0.0125 * (1 - math.cos(4 * t)) }
  end
  for i = 1, n do
    local t = (i - 1) * 0.01
    local w, p, v = wanted(t), tool(robot), { 0, 0.05 * math.cos(4 * t), 0.05 * math.sin(4 * t) }
    for k = 1, 3 do v[k] = v[k] + 10 * (w[k] - p[k]) end
    robot:set_frame_speed("tool", { linear = v, angular = { 0, 0.3 * math.cos(9 * t), 0 } })
    rt.sleep(0.01)
    w, p = wanted(t + 0.01), tool(robot)
    for k = 1, 3 do sum = sum + (w[k] - p[k]) ^ 2 end
  end
  return math.sqrt(sum / n)
end

local function drive(order, rate) return with_arm({ order = order, rate = rate }, { rate = rate }, circle) end

describe("a bus", function()
  it("carries a hand at rates at which going round loses it", function()
    local round, updated, optimal, planned = drive("sequential", 30), drive("updated", 30), drive("optimal", 30),
      drive("planned", 30)
    expect.truthy(optimal < 0.01 and planned < 0.01, ("optimal %.4f, planned %.4f m"):format(optimal, planned))
    expect.truthy(round > 5 * optimal and updated > 5 * optimal, ("%.4f and %.4f m"):format(round, updated))
  end)
  it("comes closer with every message more", function()
    local last = math.huge
    for _, rate in ipairs { 30, 60, 120, 300, 1200 } do
      local rms = drive("optimal", rate)
      expect.truthy(rms < last, ("%d messages a second: %.5f m after %.5f m"):format(rate, rms, last))
      last = rms
    end
    expect.truthy(last < 3e-4, last)
  end)
  it("tells what it has sent, to whom, and how far it is behind", function()
    with_arm({ rate = 500, max_age = 0.2 }, nil, function(robot)
      expect.equal(robot:set_joint("joint2", { q = 0.2 }), "SUCCESS")
      local bus = robot:bus()
      expect.equal(bus.order, "planned")
      expect.equal(bus.rate, 500)
      expect.truthy(bus.messages > 100 and bus.messages <= bus.slots, bus.messages)
      local sum = 0
      for i = 1, 7 do
        local q = bus.joints["joint" .. i].q
        sum = sum + q.messages
        expect.truthy(q.age >= 0 and q.age <= 0.2 + 7 / 500, q.age)
      end
      expect.equal(sum, bus.messages)
      expect.truthy(bus.joints.joint2.q.messages > bus.messages / 2)
      expect.truthy(bus.error < 0.01 and bus.rms > 0)
      expect.equal(bus.refused + bus.lost, 0)
    end)
    local robot <close> = rt.connect "pioneer2"
    local bus, message, code = robot:bus()
    expect.equal(bus, nil)
    expect.equal(message, "robot pioneer2 has no bus")
    expect.equal(code, "ENONE")
  end)
  it("is there for drivers of buses, whatever the descriptor says", function()
    with_arm(nil, nil, function(robot)
      expect.equal(robot:set_joint("joint2", { q = 0.2 }), "SUCCESS")
      expect.equal(robot:bus().order, "planned")
      expect.equal(robot:bus().rate, 1000)
    end)
  end)
  it("plans the order of up to 10 dofs, unless the descriptor says otherwise", function()
    local function order_of(count, bus, driver)
      local d = { name = "arm", links = {}, joints = {}, bus = bus, drivers = { arm = { driver = driver or "sim" } } }
      for i = 1, count do
        d.joints[i] = { name = "j" .. i, parent = i - 1, driver = "arm", position = { 0, 0, 0.1 },
          dofs = { { name = "q", speed = 1, acceleration = 5 } } }
      end
      assert(rt.add_robot(d))
      local robot <close> = assert(rt.connect "local:arm")
      local described = robot:describe().descriptor.bus
      local order = robot:bus().order
      expect.truthy(not bus or described.order == order, order)
      expect.equal(robot:set_joint("j1", { q = 0.05 }), "SUCCESS")
      core.remove_robot "arm"
      return order
    end
    expect.equal(order_of(10, { rate = 1000 }), "planned")
    expect.equal(order_of(11, { rate = 1000 }), "optimal")
    expect.equal(order_of(10, nil, "simbus"), "planned")
    expect.equal(order_of(11, nil, "simbus"), "optimal")
    expect.equal(order_of(10, { rate = 1000, order = "optimal" }), "optimal")
    expect.equal(order_of(11, { rate = 1000, order = "greatest" }), "greatest")
  end)
  it("serves queued frames", function()
    local function play(order)
      return with_arm({ order = order, rate = 200 }, { rate = 200 }, function(robot)
        local session <close> = assert(robot:session { mode = "playback", duration = 3 })
        local start = robot:state().joints
        for i = 0, 30 do
          local part = {}
          for k = 1, 7 do
            part["joint" .. k] = { q = start["joint" .. k].q + 0.2 * math.sin(i / 5 + k) - 0.2 * math.sin(k) }
          end
          session:frame(i * 0.1, part)
        end
        local report = session:finish()
        expect.equal(report.underruns + report.refused, 0)
        expect.equal(report.signals.SUCCESS + report.signals.MODIFIED, 31) -- MODIFIED: the next one takes over
        rt.sleep(1)
        local worst = 0
        for k = 1, 7 do
          local q = robot:state().joints["joint" .. k].q
          worst = math.max(worst, math.abs(q - start["joint" .. k].q - 0.2 * math.sin(6 + k) + 0.2 * math.sin(k)))
        end
        return worst
      end)
    end
    for _, order in ipairs { "sequential", "synchronised", "optimal" } do
      local worst = play(order)
      expect.truthy(worst < 1e-3, ("%s: %.5f rad"):format(order, worst))
    end
  end)
  it("keeps watchdogs quiet by its greatest age", function()
    local function far(max_age)
      return with_arm({ rate = 200, max_age = max_age }, { watchdog = 0.1 }, function(robot)
        local before = robot:state().joints.joint1.q
        robot:set_joint_speed("joint1", { q = 0.1 })
        rt.sleep(5)
        return robot:state().joints.joint1.q - before
      end)
    end
    expect.truthy(math.abs(far(0.05) - 0.5) < 1e-3)
    expect.truthy(far(nil) < 0.1) -- the drive has stopped itself: nobody told it again
  end)
  it("repairs what is lost on the way", function()
    with_arm({ rate = 500 }, { loss = 0.3 }, function(robot)
      expect.equal(robot:set_joint("joint4", { q = -1 }), "SUCCESS")
      local to = tool(robot)
      to[3] = to[3] + 0.05
      expect.equal(robot:set_frame("tool", { position = to }), "SUCCESS")
      local bus = robot:bus()
      expect.truthy(bus.lost > 0.2 * bus.messages and bus.lost < 0.4 * bus.messages, bus.lost)
      expect.truthy(math.abs(tool(robot)[3] - to[3]) < 1e-4)
    end)
  end)
  it("takes no more than its line does", function()
    with_arm({ rate = 500 }, { rate = 100 }, function(robot)
      local begin = rt.now()
      expect.equal(robot:set_joint("joint4", { q = -1 }), "SUCCESS")
      local bus = robot:bus()
      expect.truthy(bus.refused > 0)
      expect.truthy(bus.messages <= 100 * (rt.now() - begin) + 2, bus.messages)
    end)
  end)
  it("halts as the body wants it, and is silent until the reset", function()
    with_arm({ rate = 500, max_age = 0.05 }, nil, function(robot)
      local ticket = robot:send { { op = "set_joint", joint = 2, mask = 1, value = { 1, 0, 0, 0, 0, 0 } } }
      rt.sleep(0.2)
      robot:panic()
      local sent = robot:bus().messages
      expect.equal(robot:result(ticket), "PANIC")
      rt.sleep(1)
      expect.equal(robot:bus().messages, sent)
      expect.truthy(not robot:state().moving)
      robot:reset()
      rt.sleep(1)
      expect.truthy(robot:bus().messages > sent)
      expect.equal(robot:set_joint("joint2", { q = -0.5 }), "SUCCESS")
    end)
  end)
  it("is described anew while it runs", function()
    with_arm({ rate = 500, order = "sequential" }, nil, function(robot)
      local d = assert(descriptor.load "arm004")
      d.bus = { rate = 300, order = "planned", weights = { z = 5, joints = 0.3 } }
      assert(robot:reload(d))
      expect.equal(robot:bus().order, "planned")
      expect.equal(robot:bus().rate, 300)
      local weights = robot:describe().descriptor.bus.weights
      expect.equal(weights.z, 5)
      expect.equal(weights.joints, 0.3)
      expect.equal(weights.x, nil) -- as unless said
      expect.equal(robot:home(), "SUCCESS")
    end)
  end)
  it("is the same for the simulator, whose base is not on it", function()
    local d = assert(descriptor.load "pioneer2")
    d.name, d.bus = "wired", { rate = 300 }
    d.joints.head = nil
    assert(rt.add_robot(d))
    do
      local robot <close> = rt.connect "local:wired"
      expect.equal(robot:go_to { x = 0.3, y = 0, theta = 0 }, "SUCCESS")
      expect.equal(robot:set_joint("head", { pan = 0.4, tilt = -0.1 }), "SUCCESS")
      local bus = robot:bus()
      expect.truthy(bus.joints.head.pan.messages > 10 and bus.joints.head.tilt.messages > 10)
      expect.truthy(math.abs(robot:state().joints.head.pan - 0.4) < 1e-3)
    end
    core.remove_robot "wired"
  end)
  it("tells what is wrong with the frames of a CAN bus", function()
    local function wrong(options)
      local _, message = descriptor.read(([[return { name = "x",
        joints = { { name = "a", driver = "arm", servo = { "speed", "setpoint" }, dofs = { {} } } },
        drivers = { arm = { driver = "can", port = "can0", %s } } }]]):format(options), "x.lua")
      return message
    end
    expect.equal(wrong "a = 'velocity node=1 scale=1000'", nil)
    local function expects(options, what)
      local message = wrong(options)
      expect.truthy(message and message:find("x.lua:3: drivers.arm" .. what, 1, true), message)
    end
    expect.equal(wrong "['a.0'] = 'velocity node=1 scale=1000'", nil)
    expects("bitrate = 500000", ': expected a = "LAYOUT …": the frames of this dof')
    expects("a = 'velocity node=200 scale=1'",
      ".a: expected node=1…127, scale=, speed_scale=, zero= or cyclic, got node=200")
    expects("a = 'position node=1 scale=1'", ".a: a joint with speeds wants the layout velocity")
    expects("a = 'velocity node=1 scale=1', bitrate = -1", ".bitrate: expected a whole number, 1 to 1000000, got -1")
    expects("a = 'velocity node=1 scale=1', bitrate = '500000'",
      '.bitrate: expected a whole number, 1 to 1000000, got "500000"')
    expects("a = 'velocity node=1 scale=1', bitrat = 500000",
      ".bitrat: did you mean 'bitrate'? expected one of port, bitrate, baud, timeout, patience")
    expects("a = 'velocity node=1 scale=1', b = 'velocity node=2 scale=1'", ".b: expected one of port, bitrate")
  end)
  it("is checked where it is written", function()
    local function wrong(bus, joints)
      local _, message = descriptor.read(("return { name = 'x', links = {}, joints = { %s }, bus = { %s } }"):format(
        joints or "{ name = 'a', parent = 0, dofs = { {} } }", bus), "x.lua")
      return message
    end
    expect.truthy(wrong "order = 'optimal'":find("bus.order: expected a rate too", 1, true), wrong "order = 'optimal'")
    expect.truthy(wrong "rate = 0":find("bus.rate: ", 1, true), wrong "rate = 0")
    expect.truthy(wrong "rate = 100, order = 'best'":find("bus.order: ", 1, true))
    expect.truthy(wrong "rate = 100, weights = { x = -1 }":find("bus.weights.x: ", 1, true))
    expect.truthy(wrong "rate = 100, weights = { xx = 1 }":find("xx", 1, true))
    local many = {}
    for i = 1, 11 do many[i] = ("{ name = 'j%d', parent = %d, dofs = { {} } }"):format(i, i - 1) end
    local message = wrong("rate = 100, order = 'planned'", table.concat(many, ", "))
    expect.truthy(message and message:find("bus.order: expected at most 10 dofs for planned, got 11", 1, true), message)
  end)
end)
