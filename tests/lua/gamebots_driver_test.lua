-- The driver of robots behind USARSim's protocol: against our own server, in a loop, and against a stand-in that says
-- what real servers were seen to say. In simulated time.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local serve = require "tests.lua.gamebots_port"

-- The Pioneer 2, behind such a server.
local function far_pioneer(url, more)
  local d = assert(descriptor.load "pioneer2")
  d.name, d.cameras = "here", nil
  local options = { script = "gamebots", url = url }
  for key, value in pairs(more or {}) do options[key] = value end
  d.base.driver, d.drivers, d.joints[1].driver = "far", { far = options }, "far"
  return d
end

describe("a robot behind our own server", function()
  local function with(options, fn)
    local there <close> = rt.connect "pioneer2"
    local package = options == "" and "head=CameraPanTilt" or nil -- the earlier dialect calls it so
    local name = assert(rt.add_robot(far_pioneer("gamebots+local:pioneer2" .. options, { packages = package })))
    do
      local here <close> = rt.connect("local:" .. name)
      fn(here, there)
    end
    drivers.remove(name)
    rt.sleep(1) -- its connection is over, and the robot there stands
  end

  for _, options in ipairs { "", "?udk" } do
    it("drives, turns its head and sees" .. options, function()
      with(options, function(here, there)
        local before = there:state()
        expect.equal("SUCCESS", (here:set_speed { x = 0.2, theta = 0.3 }))
        rt.sleep(2)
        local state, seen = there:state(), here:state()
        expect.truthy(state.theta - before.theta > 0.2, state.theta) -- to the left, there and here
        expect.near(state.theta, seen.theta, 0.1)
        expect.near(state.x, seen.x, 0.1)
        expect.equal("SUCCESS", (here:stop()))
        rt.sleep(1)
        expect.equal(false, there:state().moving)
        expect.equal("SUCCESS", (here:set_joint("head", { pan = 0.5, tilt = -0.2 })))
        expect.near(0.5, there:state().joints.head.pan, 0.05)
        expect.near(-0.2, there:state().joints.head.tilt, 0.05)
        expect.near(0.5, here:state().joints.head.pan, 0.05)
        expect.near(there:sense "sonar9".range, here:sense "sonar9".range, 0.1)
      end)
    end)
  end

  it("stops there in a panic here", function()
    with("", function(here, there)
      here:set_speed { x = 0.3 }
      rt.sleep(1)
      expect.equal(true, there:state().moving)
      here:panic()
      rt.sleep(2)
      expect.equal(false, there:state().moving)
      here:reset()
      expect.equal("SUCCESS", (here:set_speed { x = 0.1 }))
    end)
  end)
end)

-- As USARSim's manual and its clients have them.
local P2AT = {
  ["GETCONF {Type Robot}"] = "CONF {Type GroundVehicle} {Name P2AT} {SteeringType SkidSteered} {Mass 14.0} "
    .. "{MaxSpeed 5.48} {MaxTorque 40.0} {MaxFrontSteer 0} {MaxRearSteer 0}",
  ["GETGEO {Type Robot}"] = "GEO {Type GroundVehicle} {Name P2AT} {Dimensions 0.5,0.5,0.3} {COG 0,0,0} "
    .. "{WheelRadius 0.1} {WheelSeparation 0.4} {WheelBase 0.3}",
}
local STA = "STA {Type GroundVehicle} {Time 19.07} {FrontSteer 0.0000} {RearSteer 0.0000} {LightToggle False} "
  .. "{LightIntensity 0} {Battery 1192} {View -1}"

-- Runs fn(robot, port, said, dials) with a robot here whose driver finds that server.
local function with(answers, more, fn)
  local dial, log, said, port, dials = core.dial, core.log, {}, serve(answers, 50), { count = 0 }
  local _ <close> = setmetatable({}, { __close = function() core.dial, core.log = dial, log end })
  local device_port = core.device_port
  local _ <close> = setmetatable({}, { __close = function() core.device_port = device_port end })
  core.dial = function()
    dials.count = dials.count + 1
    if dials.refused then return nil, "nobody listens" end
    if port.over then port = serve(answers, 50) end
    return port
  end
  core.device_port = function() return true end
  core.log = function(text) said[#said + 1] = text end
  local name = assert(rt.add_robot(far_pioneer("gamebots://nowhere/USARBot.P2AT", more)))
  do
    local robot <close> = rt.connect("local:" .. name)
    rt.sleep(0.1)
    fn(robot, function() return port end, function() return table.concat(said) end, dials)
  end
  drivers.remove(name)
end

describe("a robot behind a server of USARSim", function()
  it("asks for its class, and drives by speeds of wheels", function()
    with(P2AT, { name = "R1", location = "4.5,1.9,1.8", packages = "head=CameraPanTilt" }, function(robot, port)
      expect.equal("INIT {ClassName USARBot.P2AT} {Name R1} {Location 4.5,1.9,1.8}", port().got[1])
      -- 0.2 m/s and 0.5 rad/s to the left, of wheels of 0.1 m that are 0.4 m apart: (0.2 -+ 0.1) / 0.1
      expect.equal("SUCCESS", (robot:set_speed { x = 0.2, theta = 0.5 }))
      expect.equal("DRIVE {Left 1.0000} {Right 3.0000}", port().got[#port().got])
      local word, _, result = robot:set_speed { x = 1 } -- 10 rad/s, of 5.48
      expect.equal("MODIFIED limit", word .. " " .. result.reason)
      expect.equal("DRIVE {Left 5.4800} {Right 5.4800}", port().got[#port().got])
      robot:stop()
      expect.equal("DRIVE {Left 0.0000} {Right 0.0000}", port().got[#port().got])
    end)
  end)

  it("moves joints of a package until the server tells that they are there, and stand", function()
    with(P2AT, { packages = "head=CameraPanTilt" }, function(robot, port)
      local done
      local there = "MISSTA {Time 19.07} {Name CameraPanTilt} {Link 1} {Value -0.3000} {Torque -20.00} "
        .. "{Link 2} {Value 0.1000} {Torque -20.00}"
      rt.spawn(function() done = robot:set_joint("head", { pan = 0.3, tilt = 0.1 }) end)
      rt.sleep(0.2)
      expect.equal("MISPKG {Name CameraPanTilt} {Link 1} {Value -0.3000} {Order 0} {Link 2} {Value 0.1000} {Order 0}",
        port().got[#port().got]) -- there a pan is positive to the right, a tilt upwards
      expect.equal(nil, done)
      port().tell "MISSTA {Time 19} {Name CameraPanTilt} {Link 1} {Value -0.2900} {Link 2} {Value 0.0900}" -- near
      rt.sleep(0.1)
      port().tell(there)
      rt.sleep(0.1)
      expect.equal(nil, done)
      port().tell(there)
      rt.sleep(0.2)
      expect.equal("SUCCESS", done)
      done = nil
      rt.spawn(function() done = robot:set_joint("head", { pan = 0.4 }) end)
      rt.sleep(0.1)
      port().tell "MISSTA {Time 20} {Name CameraPanTilt} {Link 1} {Value -0.4000} {Link 2} {Value 0.1000}"
      rt.sleep(0.8) -- a server that tells of changes alone
      expect.equal("SUCCESS", done)
      local word, _, result = robot:set_joint("head", { pan = 0 }) -- nothing tells that it moves
      expect.equal("ERROR device", word .. " " .. result.reason)
    end)
  end)

  it("tells what sensors say, in the shapes of both dialects", function()
    with(P2AT, {}, function(robot, port)
      port().tell(STA)
      port().tell "SEN {Time 19.1} {Type Sonar} {Name F1 Range 2.5098} {Name F2 Range 3.3153} {Name R1 Range 1.5}"
      port().tell "SEN {Type Odometry} {Name Odometry} {Pose 1.5,0.5,0.25}"
      rt.sleep(0.2)
      port().tell(STA)
      rt.sleep(0.2)
      expect.near(2.5098, robot:sense "sonar0".range, 1e-6)
      expect.near(3.3153, robot:sense "sonar1".range, 1e-6)
      expect.near(1.5, robot:sense "sonar8".range, 1e-6)
      local state = robot:state()
      expect.near(1.5, state.x, 1e-6)
      expect.near(-0.5, state.y, 1e-6) -- to the right there
      expect.near(-0.25, state.theta, 1e-6)
      port().tell "SEN {Time 19.3} {Type Sonar} {Name F1} {Range 0.7000}"
      port().tell "SEN {Type Sonar} {Name F1 Range x} {Name}} {{"
      rt.sleep(0.2)
      expect.near(0.7, robot:sense "sonar0".range, 1e-6)
    end)
  end)

  it("goes on by its speeds when its odometry falls silent", function()
    with(P2AT, {}, function(robot, port)
      port().tell "SEN {Type Odometry} {Name Odometry} {Pose 1.0,0,0}"
      robot:set_speed { x = 0.2 }
      rt.sleep(0.5)
      port().tell(STA)
      rt.sleep(0.1)
      expect.near(1.0, robot:state().x, 1e-6) -- what was told counts for a second
      for _ = 1, 2 do
        rt.sleep(0.75)
        port().tell(STA)
      end
      rt.sleep(0.1)
      expect.near(1.4, robot:state().x, 0.05) -- 2 s and 0.2 m/s
      port().tell "SEN {Type Odometry} {Name Odometry} {Pose 1.25,0,0}"
      port().tell(STA)
      rt.sleep(0.1)
      expect.near(1.25, robot:state().x, 1e-6)
    end)
  end)

  it("lets others run while it reads what has piled up", function()
    with(P2AT, {}, function(_, port)
      local turns = 0
      local there = port()
      there.tell(STA:rep(30, "\r\n"))
      local pieces = #there.out // 300
      expect.truthy(pieces >= 8, pieces)
      while there.out ~= "" do
        rt.sleep(0)
        turns = turns + 1
      end
      expect.truthy(turns >= pieces, turns)
    end)
  end)

  it("says ERROR link while the link is lost, and comes back", function()
    with(P2AT, {}, function(robot, port, said, dials)
      dials.refused = true
      port():close()
      rt.sleep(0.1)
      local word, _, result = robot:set_speed { x = 0.1 }
      expect.equal("ERROR link", word .. " " .. result.reason)
      expect.truthy(said():find("gamebots: the connection is lost", 1, true), said())
      dials.refused = false
      rt.sleep(4)
      expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
      expect.truthy(said():find("connected again", 1, true), said())
    end)
  end)

  it("says why the server has no robot for it", function()
    with({ ["INIT"] = "RES {Type INIT} {Name here} {Status Failed} {Reason no robot of class X is free}" }, {},
      function(robot, _, said)
        local word, _, result = robot:set_speed { x = 0.1 }
        expect.equal("ERROR link", word .. " " .. result.reason)
        expect.equal(1, select(2, said():gsub("no robot of class X is free", "")), said())
      end)
  end)
end)
