-- Results of commands: each of the seven signals, for the reason that paper 000 (III.C) gives for it.
local rt = require "robotalk"
local with_robot = require "tests.lua.with_robot"

describe("a Pioneer 2", function()
  it("drives to a place and says SUCCESS", with_robot(function(robot)
    expect.equal("SUCCESS", (robot:go_to { x = 1.0, y = 0.5, theta = math.pi / 2 }))
    local state = robot:state()
    expect.near(1.0, state.x, 1e-6)
    expect.near(0.5, state.y, 1e-6)
    expect.near(math.pi / 2, state.theta, 1e-6)
    expect.equal(false, state.moving)
  end))

  it("cannot move sideways: MODIFIED", with_robot(function(robot)
    local signal, why = robot:set_speed { x = 0.2, y = 0.1 }
    expect.equal("MODIFIED", signal)
    expect.truthy(why:find "sideways")
    expect.equal("SUCCESS", (robot:stop()))
  end))

  it("clips what is beyond its limits: MODIFIED", with_robot(function(robot)
    local signal, why = robot:set_joint("head", { pan = 3 })
    expect.equal("MODIFIED", signal)
    expect.truthy(why:find "limit")
    expect.near(math.rad(100), robot:state().joints.head.pan, 1e-6) -- the D30's limit
  end))

  it("has a method for every command", with_robot(function(robot)
    for op, kind in pairs(require "robotalk.core".spec().commands) do
      expect.equal("function", type(robot[op]), op)
      expect.equal(op ~= "stop" and op ~= "move", kind.goal ~= kind.lasting, op)
    end
  end))

  it("knows what belongs to which command", with_robot(function(robot)
    expect.raises("no dof 'speed'", function() robot:set_joint_speed("head", { pan = 1, speed = 1 }) end)
    expect.raises("no dof 'value'", function() robot:set_joint("head", { pan = 1, value = 1 }) end)
    expect.raises("no field 'torque'", function() robot:set_frame_speed("root", { torque = { 0, 0, 0 } }) end)
  end))

  it("has no legs: NA", with_robot(function(robot)
    expect.equal("NA", (robot:step { leg = 0, x = 0.1 }))
  end))

  it("is BUSY while it drives to a place", with_robot(function(robot)
    local t = rt.spawn(function() return robot:go_to { x = 1 } end)
    local other <close> = robot:session()
    rt.sleep(0.1)
    expect.equal("BUSY", (other:set_speed { x = 0.1 }))
    local _, signal = t:wait()
    expect.equal("SUCCESS", signal)
  end))

  it("says INTERRUPTED for what a stop has ended", with_robot(function(robot)
    local t = rt.spawn(function() return robot:go_to { x = 1 } end)
    rt.sleep(1)
    expect.equal("SUCCESS", (robot:stop()))
    local _, signal, why = t:wait()
    expect.equal("INTERRUPTED", signal)
    expect.truthy(why:find "stop")
  end))

  it("says PANIC until it is reset, and runs nothing from before", with_robot(function(robot)
    local t = rt.spawn(function() return robot:go_to { x = 1 } end)
    rt.sleep(1)
    robot:panic()
    local _, signal = t:wait()
    expect.equal("PANIC", signal)
    local x = robot:state().x
    expect.equal("PANIC", (robot:set_speed { x = 0.1 }))
    robot:reset()
    rt.sleep(1)
    expect.equal(x, robot:state().x)
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
  end))

  it("refuses what is no number with the script's line", with_robot(function(robot)
    expect.raises("commands_test.lua:%d+: .*finite number", function() robot:set_speed { x = 0 / 0 } end)
    expect.raises("commands_test.lua:%d+: .*no field 'z'", function() robot:go_to { z = 1 } end)
    expect.raises("no joint 'arm'; it has head", function() robot:set_joint("arm", { a = 1 }) end)
    expect.raises("no dof 'roll'; it has pan, tilt", function() robot:set_joint("head", { roll = 1 }) end)
  end))

  it("moves its head at the D30's speed", with_robot(function(robot)
    robot:set_joint("head", { pan = math.rad(-100) })
    local begin = rt.now()
    robot:set_joint("head", { pan = math.rad(100) })
    -- 200 deg at 80 deg/s, and 80/500 s more for the ramps
    expect.near(200 / 80 + 80 / 500, rt.now() - begin, 1e-3)
  end))

  it("runs a command at its start", with_robot(function(robot)
    local at = rt.now() + 2
    local signal, _, result = robot:set_speed { x = 0.1, start = at }
    expect.equal("SUCCESS", signal)
    expect.near(at, result.executed, 1e-6)
    expect.near(0, result.lateness, 1e-9)
    robot:stop()
  end))

  it("has a descriptor that limits how long its clients may be silent", function()
    local usual <close> = rt.connect("pioneer2")
    local limited = usual:describe().descriptor
    limited.name, limited.deadman_limit, limited.gap_limit = "limited", 1.5, 4
    rt.add_robot(limited)
    local robot <close> = rt.connect("local:limited")
    local session <close> = robot:session { mode = "delay", delay = 1, deadman = 60, gap = 60 }
    expect.equal(1.5, session.info.deadman)
    expect.equal(4, session.info.gap)
    local plain <close> = robot:session { mode = "delay", delay = 1 }
    expect.equal(0.5, plain.info.deadman)
    expect.equal(0.5, plain.info.gap)
    local none, why, code = robot:session { mode = "delay", delay = 1, gap = -1 }
    expect.equal(nil, none)
    expect.truthy(why:find("gap: expected seconds, 0 to 3600", 1, true))
    expect.equal("ERANGE", code)
    require "robotalk.core".remove_robot("limited")
  end)

  it("is reset also when its state cannot be told", function()
    local robot <close> = rt.connect "pioneer2"
    robot:panic()
    rt.sleep(1)
    local query = robot.client.query
    robot.client.query = function(self, session, op, ...)
      if op == "state" then return nil, "a value is outside the range of its field", "ERANGE" end
      return query(self, session, op, ...)
    end
    expect.equal(true, robot:reset())
    robot.client.query = nil
    expect.equal(false, robot:state().panic)
    expect.equal("SUCCESS", (robot:set_speed { x = 0.1 }))
  end)

  it("tells of its notices to tasks, which may wait, and fail alone", function()
    local task = require "robotalk.task"
    local before, failures, heard = task.on_failure, {}, {}
    task.on_failure = function(_, message) failures[#failures + 1] = message end
    local _ <close> = setmetatable({}, { __close = function() task.on_failure = before end })
    local robot <close> = rt.connect "pioneer2"
    robot:on_notice(function(what) error("not " .. what) end)
    robot:on_notice(function(what)
      rt.sleep(0.1)
      heard[#heard + 1] = what
    end)
    robot:panic()
    rt.sleep(1)
    robot:reset()
    rt.sleep(1)
    expect.equal("panicked reset", table.concat(heard, " "))
    expect.truthy(#failures == 2 and failures[1]:find "commands_test.lua:%d+: not panicked", failures[1])
    expect.raises("commands_test.lua:%d+: on_notice: want a function, got nil", function() robot:on_notice() end)
    local tape <close> = assert(robot:session { mode = "delay", delay = 1 })
    for _, t in ipairs { 1e300, -9e9 } do
      expect.raises("commands_test.lua:%d+: frame: time: want seconds", function()
        tape:frame(t, { base = { speed = { x = 0 } } })
      end)
    end
  end)

  it("says what is of the robot once, whatever sessions a connection has", function()
    local robot <close> = rt.connect "pioneer2"
    local told = {}
    robot:on_notice(function(what, value) told[#told + 1] = value ~= 0 and what .. " " .. tostring(value) or what end)
    local dance <close> = robot:session { mode = "playback", duration = 1 }
    dance:frame(0, { head = { pan = 0.1 } })
    robot:override(0.5)
    rt.sleep(0.1)
    robot:override(1)
    rt.sleep(0.1)
    dance:finish()
    expect.equal("override 0.5 override 1.0", table.concat(told, " "))
  end)

  it("says who panicked and who reset that, as far as it was a client", function()
    local robot <close> = rt.connect "pioneer2"
    local anna <close> = rt.connect("local:pioneer2", { name = "anna" })
    local told = {}
    robot:on_notice(function(what, _, words) told[#told + 1] = what .. " " .. words end)
    for _, by in ipairs { "anna", "none" } do
      if by == "anna" then anna:panic() else require "robotalk.core".robot_panic("pioneer2", true) end
      rt.sleep(0.1)
      anna:reset()
      rt.sleep(0.1)
    end
    expect.equal("panicked anna, reset anna, panicked , reset anna", table.concat(told, ", "))
  end)

  it("stops by itself when its script is silent (deadman 0.5 s)", function()
    local robot <close> = rt.connect("pioneer2", { reconnect = false })
    local told
    robot:on_notice(function(what) told = told or what end)
    robot:set_speed { x = 0.3 }
    robot.client.link:cut(true)
    rt.sleep(3)
    -- 0.5 s of silence, then 0.3 m/s at 0.3 m/s2 come to rest in a second
    local state = require "robotalk.core".robot_state("pioneer2")
    expect.equal(0, state.moving)
    robot.client.link:cut(false)
    rt.sleep(1)
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
  end)

  it("tells its battery", with_robot(function(robot)
    local before = robot:state().battery
    rt.sleep(600)
    expect.truthy(robot:state().battery < before)
  end))
end)

describe("a robot of several simulated devices", function()
  it("answers also when all dofs of one follow those of another", function()
    local joint, mimic = { name = "a", driver = "x", dofs = { {} } }, { joint = "a" }
    assert(rt.add_robot { name = "pair", joints = { joint, { name = "b", driver = "y", dofs = { { mimic = mimic } } } },
      drivers = { x = { driver = "sim" }, y = { driver = "sim" } } })
    local robot <close> = rt.connect("local:pair")
    for _, command in ipairs { robot.stop, robot.home } do
      local ok, word = rt.spawn(command, robot):wait(5)
      expect.equal("SUCCESS", ok and word)
    end
    robot:close()
    require "robotalk.drivers".remove "pair"
  end)

  it("sends home what takes set-points, and leaves the rest as it is", function()
    assert(rt.add_robot { name = "pair", joints = { { name = "a", dofs = { {} } },
      { name = "b", servo = "speed", dofs = { {} } } } })
    local robot <close> = rt.connect("local:pair")
    robot:set_joint("a", { ["0"] = 0.1 })
    robot:set_joint_speed("b", { ["0"] = 0.2 })
    rt.sleep(1)
    expect.equal("SUCCESS", (robot:home()))
    expect.near(0.2, robot:state().speed[2], 1e-9)
    robot:stop()
    robot:close()
    require "robotalk.drivers".remove "pair"
  end)
end)

describe("two robots", function()
  it("in one world do not know of each other", function()
    local descriptor = require "robotalk.descriptor"
    local robots = {}
    for i = 1, 2 do
      local d = descriptor.load "pioneer2"
      d.name = "robot" .. i
      robots[i] = rt.connect(rt.add_robot(d))
    end
    robots[1]:go_to { x = 1 }
    expect.near(1, robots[1]:state().x, 1e-6)
    expect.equal(0, robots[2]:state().x)
    for i = 1, 2 do
      robots[i]:close()
      require "robotalk.core".remove_robot("robot" .. i)
    end
  end)
end)

describe("connecting", function()
  it("takes no option that it does not know", function()
    local ok, message = pcall(rt.connect, "pioneer2", { deadmann = 0.1 })
    expect.equal(false, ok)
    expect.truthy(message:find("connect has no option 'deadmann'", 1, true), message)
    ok, message = pcall(rt.connect, "pioneer2", 0.1)
    expect.equal(false, ok)
    expect.truthy(message:find("want a table of options", 1, true), message)
  end)
  it("tells which robot is not there", function()
    local robot <close> = rt.connect("pioneer2")
    local other, message, code = rt.try_connect("local:none")
    expect.equal(nil, other)
    expect.equal("no robot 'none' there; those there: pioneer2", message)
    expect.equal("ENONE", code)
    expect.equal("ActivMedia Pioneer 2-DX with a Sony EVI-D30", robot:describe().model)
    expect.equal("pioneer2 in direct mode", tostring(robot))
  end)
end)
