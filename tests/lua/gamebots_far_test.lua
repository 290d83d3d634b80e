-- luacheck: no max line length
-- The driver of robots behind USARSim's protocol, by what real servers were seen to say (spec/gamebots.md, sections of
-- GEO, CONF, EFF; both dialects): sensors that stand elsewhere in the list, scans, cars, flyers, grippers.
local rt = require "robotalk"
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local serve = require "tests.lua.gamebots_port"

-- A rover whose driver finds that server: fn(robot, port, what was logged, what C writes in a panic, the port now).
local function with(answers, d, fn)
  local dial, log, device_port = core.dial, core.log, core.device_port
  local _ <close> = setmetatable({}, { __close = function()
    core.dial, core.log, core.device_port = dial, log, device_port
  end })
  local port, said, halt = serve(answers, 300), {}, nil
  core.dial = function()
    if port.over then port = serve(answers, 300) end
    return port
  end
  core.device_port = function(_, _, bytes) halt = bytes return true end
  core.log = function(text) said[#said + 1] = text end
  d.name, d.links = "rover", d.links or { [0] = { name = "hull" } }
  if d.base == nil then d.base = { speed = { x = 2, y = 2, theta = 3 }, acceleration = { x = 9, y = 9, theta = 9 } } end
  if d.base then d.base.driver = "far" else d.base = nil end
  d.drivers = { far = { script = "gamebots", url = "gamebots://nowhere/P2AT" } }
  local name = assert(rt.add_robot(d))
  do
    local robot <close> = rt.connect("local:" .. name)
    rt.sleep(0.1)
    fn(robot, port, function() return table.concat(said) end, halt, function() return port end)
  end
  drivers.remove(name)
end

local CONF <const> = "CONF {Type GroundVehicle} {Name P2AT} {SteeringType SkidSteered} {Mass 14.0} {MaxSpeed 5.48} "
  .. "{MaxTorque 40.0} {MaxFrontSteer 0} {MaxRearSteer 0}"
local GEO <const> = "GEO {Type GroundVehicle} {Name P2AT} {Dimensions 0.5,0.5,0.3} {COG 0,0,0} {WheelRadius 0.1} "
  .. "{WheelSeparation 0.4} {WheelBase 0.3}"

local function answers(more)
  local all = { ["GETCONF {Type Robot}"] = CONF, ["GETGEO {Type Robot}"] = GEO }
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end

local function sonars()
  local list = {}
  for i, y in ipairs { 0.1, 0, -0.1 } do -- left, ahead, right
    list[i] = { name = "eye" .. i, type = "sonar", link = "hull", range = { 0.1, 5 }, position = { 0.2, y, 0.1 },
      attitude = { 0, 0, 5 * y } }
  end
  return { sensors = list }
end

describe("sensors behind a server of USARSim", function()
  -- there F1 is on the right: y is to the right, and a heading clockwise
  local places = {
    ut2004 = "GEO {Type Sonar} {Name F1 Location 0.2000,0.1000,-0.1000 Orientation 0.0000,0.0000,0.5000 Mount HARD} "
      .. "{Name F2 Location 0.2,0,-0.1 Orientation 0,0,0 Mount HARD} {Name F3 Location 0.2,-0.1,-0.1 Orientation 0,0,-0.5 Mount HARD}",
    udk = "GEO {Type Sonar}{Name F1} {Location 0.2000,0.1000,-0.1000} {Orientation 0.0,0.0,0.5} {Mount P3AT}"
      .. "{Name F2} {Location 0.2, 0, -0.1} {Orientation 0,0,0} {Mount P3AT} {Name F3} {Location 0.2 -0.1 -0.1} {Orientation 0,0,5.7832} {Mount P3AT}",
  }
  for dialect, geo in pairs(places) do
    it("are found by where they stand, " .. dialect, function()
      with(answers { ["GETGEO {Type Sonar}"] = geo }, sonars(), function(robot, port)
        expect.equal("GETCONF {Type Sonar}", port.got[4])
        expect.equal("GETGEO {Type Sonar}", port.got[5])
        port.tell "SEN {Time 1} {Type Sonar} {Name F1 Range 1.0} {Name F2 Range 2.0} {Name F3 Range 3.0}"
        rt.sleep(0.1)
        expect.equal(3.0, robot:sense("eye1").range)
        expect.equal(2.0, robot:sense("eye2").range)
        expect.equal(1.0, robot:sense("eye3").range)
      end)
    end)
  end

  it("are taken in their order where they stand elsewhere, which is said", function()
    with(answers { ["GETGEO {Type Sonar}"] = places.udk:gsub("0%.2000", "0.9000") }, sonars(), function(robot, port, said)
      port.tell "SEN {Time 1} {Type Sonar} {Name F1 Range 1.0} {Name F2 Range 2.0} {Name F3 Range 3.0}"
      rt.sleep(0.1)
      expect.equal(1.0, robot:sense("eye1").range)
      expect.truthy(said():find("its Sonar stand elsewhere than ours", 1, true), said())
    end)
  end)

  it("are taken by name where they stand elsewhere, and nothing is said of an order", function()
    local geo = places.udk:gsub("0%.2000", "0.9000"):gsub("F(%d)", "Eye%1")
    with(answers { ["GETGEO {Type Sonar}"] = geo }, sonars(), function(robot, port, said)
      port.tell "SEN {Time 1} {Type Sonar} {Name Eye2 Range 2.0} {Name Eye1 Range 1.0} {Name Eye3 Range 3.0}"
      rt.sleep(0.1)
      expect.equal(1.0, robot:sense("eye1").range)
      expect.equal(nil, said():find("their order", 1, true), said())
    end)
  end)

  it("see nothing where they say the farthest that they see", function()
    with(answers { ["GETCONF {Type Sonar}"] = "CONF {Type Sonar} {Name F1} {MaxRange 3.0000} {MinRange 0.1} {BeamAngle 0.35} {Name F2} {MaxRange 3.0}" },
      sonars(), function(robot, port)
        port.tell "SEN {Time 1} {Type Sonar} {Name F1 Range 3.0000} {Name F2 Range 2.9} {Name F3 Range 3.0}"
        rt.sleep(0.1)
        expect.equal(5.0, robot:sense("eye1").range) -- the end of ours
        expect.near(2.9, robot:sense("eye2").range, 1e-9)
        expect.equal(3.0, robot:sense("eye3").range) -- of F3 nothing was said
      end)
  end)

  it("know nothing where a range of -1 says so", function()
    local d = sonars()
    d.sensors[4] = { name = "scan", type = "laser", link = "hull", count = 3, fov = math.rad(180), range = { 0, 8 } }
    with(answers(), d, function(robot, port)
      port.tell "SEN {Time 1} {Type Sonar} {Name F1 Range 1.0} {Name F2 Range 2.0} {Name F3 Range 3.0}"
      port.tell "SEN {Time 1} {Type Sonar} {Name F1 Range -1.0000} {Name F2 Range 2.5} {Name F3 Range 3.0}"
      port.tell "SEN {Time 1} {Type RangeScanner} {Name lms200} {FOV 3.1416} {Range -1.0000,2.0000,-1}"
      rt.sleep(0.1)
      expect.equal(nil, robot:sense("eye1").range) -- not the 1.0 of before
      expect.equal(2.5, robot:sense("eye2").range)
      local ranges = robot:sense("scan").ranges
      expect.equal(false, ranges[1]) -- and not 8, the end of ours
      expect.equal(2.0, ranges[2])
      expect.equal(false, ranges[3])
    end)
  end)

  local function scanner(count, fov)
    return { sensors = { { name = "scan", type = "laser", link = "hull", count = count, fov = fov, range = { 0, 8 } } } }
  end

  -- 181 beams from the right to the left, a degree each: beam n is of n cm
  local function beams()
    local list = {}
    for i = 1, 181 do list[i] = ("%.2f"):format(i / 100) end
    return table.concat(list, ",")
  end

  it("scan at the same angles, though over another one", function()
    with(answers(), scanner(3, math.rad(90)), function(robot, port)
      port.tell("SEN {Time 1} {Type RangeScanner} {Name lms200} {Resolution 0.0174} {FOV 3.14159265} {Range " .. beams() .. "}")
      rt.sleep(0.1)
      local scan = robot:sense "scan"
      expect.near(0.46, scan.ranges[1], 1e-6) -- 45 degrees to the right of the middle, the 91st
      expect.near(0.91, scan.ranges[2], 1e-6)
      expect.near(1.36, scan.ranges[3], 1e-6)
    end)
  end)

  it("scan what the server tells of its angle, and know nothing beyond", function()
    with(answers { ["GETCONF {Type RangeScanner}"] = "CONF {Type RangeScanner} {Name lms200} {MaxRange 1.5} {MinRange 0} {Resolution 0.0174} {Fov 1.5708} {Paning False} {Tilting False}" },
      scanner(5, math.rad(180)), function(robot, port)
        port.tell("SEN {Time 1} {Type RangeScanner} {Name lms200} {Range " .. beams() .. "}")
        rt.sleep(0.1)
        local scan = robot:sense "scan"
        expect.equal(false, scan.ranges[1]) -- 90 degrees to the right: theirs sees 45
        expect.near(0.01, scan.ranges[2], 1e-6)
        expect.near(0.91, scan.ranges[3], 1e-6)
        expect.equal(8.0, scan.ranges[4]) -- 1.81 m, beyond 1.5
        expect.equal(false, scan.ranges[5])
      end)
  end)
end)

describe("what is described of a robot behind a server of USARSim", function()
  it("bounds its speeds, though the server's robot could be faster", function()
    local d = { base = { speed = { x = 0.5, theta = 1 }, acceleration = { x = 9, theta = 9 } },
      links = { [0] = { name = "hull" }, { name = "cam" } }, joints = {
        { name = "Pan", driver = "far", parent = "hull", child = "cam", servo = "speed", dofs = { { axis = { 1, 0, 0 }, speed = 0.3 } } } } }
    with(answers(), d, function(robot, port)
      local function modified(word, _, result) return word .. " " .. tostring(result.reason) end
      expect.equal("MODIFIED limit", modified(robot:set_speed { x = -1 }))
      expect.equal("DRIVE {Left -5.0000} {Right -5.0000}", port.got[#port.got]) -- 0.5 m/s, of wheels of 0.1 m
      expect.equal("MODIFIED limit", modified(robot:set_speed { theta = 2 }))
      expect.equal("DRIVE {Left -2.0000} {Right 2.0000}", port.got[#port.got]) -- 1 rad/s, 0.4 m apart
      expect.equal("SUCCESS", (robot:set_speed { x = 0.5 }))
      expect.equal("MODIFIED limit", modified(robot:set_joint_speed("Pan", -1)))
      expect.equal("MISPKG {Name Pan} {Link 1} {Value -0.3000} {Order 1}", port.got[#port.got])
      expect.equal("SUCCESS", (robot:set_joint_speed("Pan", 0.3)))
    end)
  end)
end)

describe("a car behind a server of USARSim", function()
  local car = { ["GETCONF {Type Robot}"] = CONF:gsub("SkidSteered", "AckermanSteered") }

  it("is driven by a speed and an angle", function()
    with(answers(car), {}, function(robot, port, _, halt)
      -- wheels of 0.1 m, axles 0.3 m apart: 0.4 m/s are 4 rad/s; 0.5 rad/s to the left atan(0.5 * 0.3 / 0.4), and right is positive
      expect.equal("SUCCESS", (robot:set_speed { x = 0.4, theta = 0.5 }))
      expect.equal("DRIVE {Speed 4.0000} {FrontSteer -0.3588} {RearSteer 0.0000}", port.got[#port.got])
      expect.equal("SUCCESS", (robot:set_speed { x = -0.4, theta = 0.5 }))
      expect.equal("DRIVE {Speed -4.0000} {FrontSteer 0.3588} {RearSteer 0.0000}", port.got[#port.got])
      local word, _, result = robot:set_speed { theta = 0.5 } -- it cannot turn where it stands
      expect.equal("MODIFIED limit", word .. " " .. result.reason)
      word, _, result = robot:set_speed { x = 0.9 } -- of 5.48 rad/s, as others are
      expect.equal("MODIFIED limit", word .. " " .. result.reason)
      expect.equal("DRIVE {Speed 5.4800} {FrontSteer 0.0000} {RearSteer 0.0000}", port.got[#port.got])
      robot:stop()
      expect.equal("DRIVE {Speed 0.0000} {FrontSteer 0.0000} {RearSteer 0.0000}", port.got[#port.got])
      expect.equal("DRIVE {Speed 0.0000} {FrontSteer 0.0000} {RearSteer 0.0000}\r\n", halt) -- what C writes in a panic
    end)
  end)
end)

describe("a flyer behind a server of USARSim", function()
  local ut2004 = { ["GETCONF {Type Robot}"] = "CONF {Type AerialVehicle} {Name AirRobot} {SteeringType Unknown} {Mass 1.0} {MaxSpeed 0}",
    ["GETGEO {Type Robot}"] = "GEO {Type AerialVehicle} {Name AirRobot} {Dimensions 1,1,0.3} {COG 0,0,0}" }
  local udk = { ["GETCONF {Type Robot}"] = "CONF {Name AirRobot} {Type AerialVehicle} {SteeringType Unknown} {Mass 1.0} {MaxSpeed 0}",
    ["GETGEO {Type Robot}"] = ut2004["GETGEO {Type Robot}"] }
  local function body()
    return { base = { holonomic = true, speed = { x = 2, y = 2, theta = 3 }, acceleration = { x = 9, y = 9, theta = 9 } },
      sensors = { { name = "here", type = "pose", link = "hull" } } }
  end

  it("is driven by velocities", function()
    local began = core.now()
    with(ut2004, body(), function(robot, port)
      expect.truthy(core.now() - began < 1, "it has no wheels to wait for")
      expect.equal("SUCCESS", (robot:set_speed { x = 0.5, y = 0.25, theta = 0.5 }))
      expect.equal("DRIVE {LinearVelocity 0.5000} {LateralVelocity -0.2500} {AltitudeVelocity 0.0000} {RotationalVelocity -0.5000}", port.got[#port.got])
      robot:stop()
      expect.equal("DRIVE {LinearVelocity 0.0000} {LateralVelocity 0.0000} {AltitudeVelocity 0.0000} {RotationalVelocity 0.0000}", port.got[#port.got])
    end)
  end)

  it("flies by the dofs of its root, up and down, too", function()
    local function slide(name, axis) return { name = name, type = "prismatic", axis = axis, speed = 1, acceleration = 9 } end
    local d = { base = false, links = { [0] = { name = "hull" } }, joints = { [0] = { name = "flight", parent = "world", child = "hull",
      driver = "far", servo = "speed", dofs = { slide("x", { 1, 0, 0 }), slide("y", { 0, 1, 0 }), slide("z", { 0, 0, 1 }),
        { name = "yaw", axis = { 0, 0, 1 }, speed = 2, acceleration = 9 }, { name = "roll", axis = { 1, 0, 0 }, speed = 1, acceleration = 9 } } } } }
    with(ut2004, d, function(robot, port, _, _, current)
      expect.equal("SUCCESS", (robot:set_joint_speed("flight", { z = 0.5, yaw = 0.25 })))
      rt.sleep(0.1)
      expect.equal("DRIVE {LinearVelocity 0.0000} {LateralVelocity 0.0000} {AltitudeVelocity 0.5000} {RotationalVelocity -0.2500}", port.got[#port.got])
      expect.equal("MODIFIED", (robot:set_joint_speed("flight", { roll = 0.5 })))
      -- a quarter turn to the left: along x of the world is to the right
      port.tell "SEN {Type INS} {Name INS} {Location 1.0,-2.0,-3.0} {Orientation 0.0,0.0,4.71238898}"
      port.tell "STA {Type AerialVehicle} {Time 1} {Battery 1000} {View -1}"
      rt.sleep(0.1)
      local state = robot:state()
      expect.equal("1.0 2.0 3.0", ("%.1f %.1f %.1f"):format(state.position[1], state.position[2], state.position[3]))
      expect.near(math.pi / 2, state.position[4], 1e-6)
      robot:set_joint_speed("flight", { x = 0.4, z = 0, yaw = 0 })
      rt.sleep(0.1)
      expect.equal("DRIVE {LinearVelocity 0.0000} {LateralVelocity 0.4000} {AltitudeVelocity 0.0000} {RotationalVelocity 0.0000}",
        (port.got[#port.got]:gsub("%-0%.0000", "0.0000")))
      local lines = #port.got
      expect.equal("SUCCESS", (robot:set_speed { x = 0.5 })) -- the core's own way there: speeds at its rate
      rt.sleep(1)
      expect.truthy(#port.got - lines <= 25, "a line each 50 ms at most")
      robot:stop()
      rt.sleep(0.1)
      expect.equal("DRIVE {LinearVelocity 0.0000} {LateralVelocity 0.0000} {AltitudeVelocity 0.0000} {RotationalVelocity 0.0000}",
        (port.got[#port.got]:gsub("%-0%.0000", "0.0000")))
      -- after a lost link it knows no speed of before
      robot:set_joint_speed("flight", { z = 0.5 })
      rt.sleep(0.1)
      port:close()
      rt.sleep(3)
      expect.truthy(current() ~= port)
      for _, line in ipairs(current().got) do expect.truthy(not line:find "^DRIVE.*[1-9]", line) end
      expect.equal("SUCCESS", (robot:set_joint_speed("flight", { yaw = 0.25 })))
      rt.sleep(0.1)
      expect.equal("DRIVE {LinearVelocity 0.0000} {LateralVelocity 0.0000} {AltitudeVelocity 0.0000} {RotationalVelocity -0.2500}",
        (current().got[#current().got]:gsub("%-0%.0000", "0.0000")))
    end)
  end)

  it("turns in degrees in udk, and tells where it is by INS", function()
    with(udk, body(), function(robot, port)
      robot:set_speed { theta = math.rad(90) }
      expect.equal("DRIVE {LinearVelocity 0.0000} {LateralVelocity 0.0000} {AltitudeVelocity 0.0000} {RotationalVelocity -90.0000}", port.got[#port.got])
      port.tell "SEN {Type INS} {Name INS} {Location 1.0000,2.0000,-3.0000} {Orientation 0.0000,0.0000,6.0000}"
      rt.sleep(0.1)
      local here = robot:sense "here"
      expect.equal("1.0 -2.0 3.0", table.concat(here.position, " "))
      expect.near(2 * math.pi - 6, here.attitude[3], 1e-6)
      port.tell "STA {Time 1} {Battery 1000} {Type AerialVehicle}"
      rt.sleep(0.1)
      expect.near(-2, robot:state().y, 1e-6)
    end)
  end)
end)

describe("a gripper behind a server of USARSim", function()
  local function hand()
    return { links = { [0] = { name = "hull" }, { name = "finger" } },
      joints = { { name = "Grip", driver = "far", dofs = { { type = "prismatic", axis = { 0, -1, 0 }, limit = { 0, 0.1 } } } } },
      sensors = { { name = "g", type = "gripper", link = "finger", range = { 0, 0.2 } },
        { name = "inner", type = "beam", link = "finger" } } }
  end

  for dialect, words in pairs { ut2004 = { "{Open}", "{Closed}" }, udk = { "{Off}", "{On}" } } do
    it("is opened and closed, and told so, " .. dialect, function()
      with(answers(), hand(), function(robot, port)
        port.tell("EFF {Type Gripper} {Name Grip} " .. words[2])
        rt.sleep(0.1)
        expect.equal("closed", robot:sense("g").state)
        local done
        rt.spawn(function() done = robot:set_joint("Grip", 0.1) end)
        rt.sleep(0.1)
        expect.equal("SET {Type Gripper} {Name Grip} {Opcode OPEN}", port.got[#port.got])
        expect.equal(nil, done)
        port.tell("EFF {Type Gripper} {Name Grip} " .. words[1])
        rt.sleep(0.3)
        expect.equal("SUCCESS", done)
        local gripper = robot:sense "g"
        expect.equal("open", gripper.state)
        expect.equal(0.2, gripper.width)
        expect.near(0.1, robot:state().joints.Grip.Grip, 1e-9)
        port.tell "SEN {Time 1} {Type Touch} {Name inner} {Touch True}"
        rt.sleep(0.1)
        expect.equal(true, robot:sense("inner").broken)
      end)
    end)
  end

  it("is found by the name of its sensor, and alone by any", function()
    for _, name in ipairs { "g", "Gripper1" } do
      with(answers(), hand(), function(robot, port)
        port.tell("EFF {Time 1} {Type Gripper} {Name " .. name .. "} {Open}")
        rt.sleep(0.1)
        expect.equal("open", robot:sense("g").state)
        rt.spawn(function() robot:set_joint("Grip", 0) end)
        rt.sleep(0.1)
        expect.equal("SET {Type Gripper} {Name " .. name .. "} {Opcode CLOSE}", port.got[#port.got])
      end)
    end
    local two = hand()
    two.links[2] = { name = "claw" }
    two.joints[2] = { name = "Claw", driver = "far", parent = "hull", child = "claw", dofs = { { type = "prismatic", axis = { 0, 1, 0 }, limit = { 0, 0.1 } } } }
    two.sensors[3] = { name = "h", type = "gripper", link = "claw", range = { 0, 0.2 } }
    with(answers(), two, function(robot, port)
      port.tell "EFF {Type Gripper} {Name Gripper1} {Open}" -- which of them is not said
      port.tell "EFF {Type Gripper} {Name h} {Closed}"
      rt.sleep(0.1)
      expect.equal(nil, robot:sense "g")
      expect.equal("closed", robot:sense("h").state)
    end)
  end)

  it("goes anywhere where a package tells where it is", function()
    with(answers(), hand(), function(robot, port)
      port.tell "MISSTA {Time 1} {Name Grip} {Link 1} {Value 0.0000} {Torque 0.00}"
      rt.sleep(0.1)
      local done
      rt.spawn(function() done = robot:set_joint("Grip", 0.05) end)
      rt.sleep(0.1)
      expect.equal("MISPKG {Name Grip} {Link 1} {Value 0.0500} {Order 0}", port.got[#port.got])
      port.tell "MISSTA {Time 1} {Name Grip} {Link 1} {Value 0.0500} {Torque 0.00}"
      rt.sleep(0.1)
      expect.equal("moving", robot:sense("g").state)
      expect.equal(nil, done)
      port.tell "MISSTA {Time 1} {Name Grip} {Link 1} {Value 0.0500} {Torque 0.00}"
      rt.sleep(0.1)
      expect.equal("stopped", robot:sense("g").state)
      expect.equal("SUCCESS", done)
      expect.near(0.1, robot:sense("g").width, 1e-9)
    end)
  end)
end)

describe("what a lost link leaves moving behind a server of USARSim", function()
  local STILL <const> = "DRIVE {Left 0.0000} {Right 0.0000}"
  local TURNS <const> = "MISSTA {Time 1} {Name Pan} {Link 1} {Value 0.2000} {Torque 0.00}"

  -- Pan turns and takes speeds, Tilt takes positions alone; both about the axis that has the same sign there.
  local function body()
    return { links = { [0] = { name = "hull" }, { name = "cam" }, { name = "eye" } }, joints = {
      { name = "Pan", driver = "far", parent = "hull", child = "cam", servo = { "setpoint", "speed" }, dofs = { { axis = { 1, 0, 0 }, speed = 2 } } },
      { name = "Tilt", driver = "far", parent = "hull", child = "eye", dofs = { { axis = { 1, 0, 0 }, speed = 2 } } } } }
  end

  -- The place of the first of the lines that is that one, at `from` or behind it; nil: there is none.
  local function place(got, text, from)
    for i = from or 1, #got do if got[i] == text then return i end end
  end

  local function move(robot, port)
    port.tell "MISSTA {Time 1} {Name Pan} {Link 1} {Value 0.1000} {Torque 0.00}"
    port.tell "MISSTA {Time 1} {Name Tilt} {Link 1} {Value 0.3000} {Torque 0.00}"
    rt.sleep(0.1)
    expect.equal("SUCCESS", (robot:set_speed { x = 0.2 }))
    expect.equal("SUCCESS", (robot:set_joint_speed("Pan", 0.4)))
  end

  it("is told to stand on the next connection when a stop does not go out", function()
    with(answers(), body(), function(robot, port, said, _, now)
      move(robot, port)
      port.full = true
      expect.equal("ERROR", (robot:stop()))
      rt.sleep(3)
      expect.truthy(now() ~= port)
      expect.truthy(place(now().got, STILL))
      expect.truthy(said():find("a stop does not go out", 1, true))
    end)
  end)

  it("is told to stand though its lines are more than a frame of a port", function()
    local many = { links = { [0] = { name = "hull" } }, joints = {} }
    local got = answers()
    for i = 1, 90 do
      many.links[i] = { name = "l" .. i }
      many.joints[i] = { name = "Joint" .. i, driver = "far", parent = "hull", child = "l" .. i, dofs = { { axis = { 1, 0, 0 } } } }
    end
    with(got, many, function(robot, port)
      local write, most = port.write, 0
      function port.write(self, bytes)
        most = math.max(most, #bytes)
        return write(self, bytes)
      end
      for i = 1, 90 do port.tell(("MISSTA {Time 1} {Name Joint%d} {Link 1} {Value 0.1000}"):format(i)) end
      rt.spawn(function() robot:home() end)
      rt.sleep(0.2)
      local from = #port.got
      expect.equal("SUCCESS", (robot:stop()))
      expect.equal(STILL, port.got[from + 1])
      expect.equal("MISPKG {Name Joint1} {Link 1} {Value 0.1000} {Order 0}", port.got[from + 2])
      expect.equal("MISPKG {Name Joint90} {Link 1} {Value 0.1000} {Order 0}", port.got[from + 91])
      expect.truthy(most > 3000 and most <= 4032, most) -- spec/drivers.md, section 5
    end)
  end)

  it("is told to stand before a connection is closed on which nothing comes", function()
    with(answers(), body(), function(robot, port, said)
      move(robot, port)
      local from = #port.got
      rt.sleep(5.2)
      expect.truthy(said():find("nothing has come in time", 1, true), said())
      expect.truthy(place(port.got, STILL, from + 1), table.concat(port.got, "\n", from))
      -- where it is was told 5 s ago: a goal there would turn it back
      expect.truthy(place(port.got, "MISPKG {Name Pan} {Link 1} {Value 0.0000} {Order 1}", from + 1))
    end)
  end)

  it("stands on the next connection, before any command", function()
    with(answers(), body(), function(robot, port, _, _, current)
      move(robot, port)
      rt.spawn(function() robot:set_joint("Tilt", 0.5) end)
      rt.sleep(0.1)
      port:close()
      rt.sleep(0.7)
      local got = current().got
      expect.truthy(current() ~= port)
      expect.truthy(got[1]:find "^INIT", got[1])
      expect.equal(STILL, got[2])
      expect.equal("MISPKG {Name Pan} {Link 1} {Value 0.0000} {Order 1}", got[3])
      local word, _, result = robot:set_speed { x = 0.1 } -- not before the joints are held
      expect.equal("ERROR link", word .. " " .. result.reason)
      current().tell(TURNS)
      current().tell "MISSTA {Time 1} {Name Tilt} {Link 1} {Value 0.4000} {Torque 0.00}"
      rt.sleep(0.1)
      local held = "MISPKG {Name Pan} {Link 1} {Value 0.2000} {Order 0}"
      expect.truthy(place(got, held), table.concat(got, "\n"))
      expect.truthy(place(got, "MISPKG {Name Tilt} {Link 1} {Value 0.4000} {Order 0}"), table.concat(got, "\n"))
      local drives = place(got, "DRIVE {Left 1.0000} {Right 1.0000}")
      expect.equal(nil, drives)
      expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
    end)
  end)

  it("stands after a panic that came meanwhile", function()
    with(answers(), body(), function(robot, port, _, _, current)
      move(robot, port)
      port:close()
      rt.sleep(0.1)
      robot:panic()
      rt.sleep(0.6)
      expect.truthy(current() ~= port)
      expect.equal(STILL, current().got[2])
      expect.equal("MISPKG {Name Pan} {Link 1} {Value 0.0000} {Order 1}", current().got[3])
      current().tell(TURNS)
      rt.sleep(2.5) -- Tilt was not moved
      local got = current().got
      expect.truthy(place(got, "MISPKG {Name Pan} {Link 1} {Value 0.2000} {Order 0}"), table.concat(got, "\n"))
      robot:reset()
      expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
    end)
  end)

  it("is not driven by a server that does not tell what its robot is, or its wheels' radius", function()
    for _, lacks in ipairs { "GETCONF {Type Robot}", "GETGEO {Type Robot}" } do
      local some = answers()
      some[lacks] = nil
      with(some, {}, function(robot, port, said, _, current)
        local why = lacks:find "CONF" and "does not tell what its robot is" or "does not tell the radius of its wheels"
        rt.sleep(2.1)
        expect.truthy(said():find(why, 1, true), said())
        rt.sleep(3) -- the second time it is no news
        expect.equal(1, select(2, said():gsub(why, "")), said())
        expect.truthy(port.over)
        rt.sleep(0.6) -- a later connection
        expect.truthy(current() ~= port and not current().over)
        local word, _, result = robot:set_speed { x = 0.1 }
        expect.equal("ERROR link", word .. " " .. result.reason)
        for _, line in ipairs(current().got) do expect.truthy(not line:find "^DRIVE.*[1-9]", line) end
      end)
    end
  end)
end)
