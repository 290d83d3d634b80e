-- Motions as objects: cancelled, changed, and stopped by axis. The Pioneer gains and loses 0.3 m/s a second; its head
-- turns with what its descriptor says.
local rt = require "robotalk"
local with_robot = require "tests.lua.with_robot"

describe("a motion", function()
  it("keeps the heading of arrival unless one is said, also in a frame, and goes along a list of places", function()
    local robot <close> = rt.connect "pioneer2"
    expect.equal("SUCCESS", robot:go_to { x = 0.3, y = 0.3 })
    expect.near(math.pi / 4, robot:state().theta, 1e-6)
    expect.equal("SUCCESS", robot:go_to { x = 0.3, y = 0.3 }) -- it is there
    expect.near(math.pi / 4, robot:state().theta, 1e-6)
    expect.equal("SUCCESS", robot:go_to { x = 0.3, y = 0.6, theta = 0 })
    expect.near(0, robot:state().theta, 1e-6)
    expect.equal("SUCCESS", robot:move { base = { go_to = { x = 0.3, y = 0.9 } }, head = { pan = 0.2 } })
    expect.near(math.pi / 2, robot:state().theta, 1e-6)
    local begin = rt.now()
    expect.equal("SUCCESS", robot:go_to { { x = 0.3, y = 1.2 }, { x = 0.3, y = 1.5 }, { x = 0.3, y = 1.8, theta = 0 } })
    local took = rt.now() - begin
    expect.near(1.8, robot:state().y, 1e-6)
    expect.near(0, robot:state().theta, 1e-6)
    expect.truthy(took < 10, took) -- it turns at the end alone
    for words, goal in pairs {
      ["go_to: 'start': beside a list of places only speed and acceleration"] = { { x = 1 }, start = 1 },
      ["go_to%.speed: want a finite number, got string"] = { { x = 1 }, speed = "x" },
      ["go_to%[1%]: want x and y by name"] = { { 1, 0 } }, ["go_to: want x and y by name"] = { 1, 0 },
      ["go_to: want x, y or both, got neither; to turn in place, give those of robot:state"] = { theta = 1 },
      ["go_to: want x, y or both, got neither"] = {}, ["go_to%[2%]: want x, y or both"] = { { x = 1 }, { theta = 1 } },
      ["go_to has no field 'z'; it has"] = { x = 1, z = 1 }, ["did you mean 'x'"] = { X = 1 },
    } do
      expect.raises(words, robot.go_to, robot, goal)
    end
    expect.raises("base%.go_to: want x, y or both", robot.move, robot, { base = { go_to = {} }, head = { pan = 0 } })
    expect.raises("for a session that waits for each of them, not for begin",
      robot.begin, robot, "go_to", { { x = 1 } })
    expect.raises("go_to%[2%] has no field 'z'", function() robot:go_to { { x = 1 }, { z = 1 } } end)
    expect.near(0.3, robot:state().x, 1e-6) -- it has not gone to the first one
    local flyer <close> = rt.connect "flyer"
    flyer:go_to { x = 0.2, y = 0, theta = 0.5 }
    expect.equal("SUCCESS", flyer:go_to { x = 0.2, y = 0.2 })
    expect.near(0.5, flyer:state().theta, 1e-3)
  end)
  it("is cancelled while it is under way, and brakes within its limits", with_robot(function(robot)
    local m = assert(robot:begin("go_to", { x = 2 }))
    expect.equal(false, m:done())
    rt.sleep(1)
    local state = robot:state()
    expect.near(0.15, state.x, 1e-3)
    expect.equal(true, m:cancel())
    local signal, why, result = m:wait()
    expect.equal("INTERRUPTED", signal)
    expect.equal("cancelled", result.reason)
    expect.truthy(why:find "took the command back")
    expect.equal(true, m:done())
    rt.sleep(2)
    local v = 0.3 * (result.finished - result.executed) -- what it had when it began to brake
    expect.near(2 * v * v / (2 * 0.3), robot:state().x, 1e-4)
    expect.equal(0, robot:state().twist[1])
    expect.equal(false, m:cancel())
  end))

  it("is waited for as often as anybody likes", with_robot(function(robot)
    local m = assert(robot:begin("set_joint", "head", { pan = 0.3 }))
    local _, _, code = m:wait(0.01)
    expect.equal("ETIMEOUT", code)
    local other = rt.spawn(function() return m:wait() end)
    expect.equal("SUCCESS", (m:wait()))
    expect.equal("SUCCESS", (m:wait()))
    expect.equal("SUCCESS", select(2, other:wait()))
    expect.near(0.3, robot:state().joints.head.pan, 1e-9)
  end))

  it("tells its end when a task that waited for it was cancelled", with_robot(function(robot)
    local m = assert(robot:begin("set_joint", "head", { pan = 0.3 }))
    local waits = rt.spawn(function() m:wait() end)
    rt.sleep(0.01)
    waits:cancel()
    rt.sleep(2)
    expect.equal(true, m:done())
    expect.equal("SUCCESS", (m:wait()))
  end))

  it("is waited for by one task when another has waited long enough", with_robot(function(robot)
    local m = assert(robot:begin("set_joint", "head", { pan = 0.3 }))
    local first = rt.spawn(function() return m:wait() end)
    local second = rt.spawn(function() return m:wait(0.02) end)
    rt.sleep(0.01)
    expect.equal("ETIMEOUT", select(3, m:wait(0.005)))
    expect.equal("ETIMEOUT", select(4, second:wait()))
    expect.equal("SUCCESS", select(2, first:wait(5)))
    expect.equal("SUCCESS", (m:wait()))
  end))

  it("that has not begun is taken back", with_robot(function(robot)
    local m = assert(robot:begin("go_to", { x = 2, start = rt.now() + 1 }))
    expect.equal(true, m:cancel())
    expect.equal("cancelled", select(3, m:wait()).reason)
    rt.sleep(2)
    expect.equal(0, robot:state().x)
  end))

  it("ends with the block that holds it", with_robot(function(robot)
    do
      local _ <close> = assert(robot:begin("go_to", { x = 2 }))
      rt.sleep(1)
    end
    rt.sleep(2)
    expect.near(0.3, robot:state().x, 0.01)
  end))

  it("gets another goal without a stop, where that lies ahead", with_robot(function(robot)
    local m = assert(robot:begin("go_to", { x = 1 }))
    rt.sleep(1)
    local further = assert(m:retarget { x = 2 })
    local _, _, result = m:wait()
    expect.equal("MODIFIED", result.signal)
    expect.equal("superseded", result.reason)
    expect.equal("SUCCESS", (further:wait()))
    expect.near(2, robot:state().x, 1e-6)
    -- as if it had been asked for at once: 2 sqrt(d / a)
    local all = select(3, further:wait()).finished - result.executed
    expect.near(2 * math.sqrt(2 / 0.3), all, 1e-3)
  end))

  it("turns round where its new goal lies behind", with_robot(function(robot)
    local m = assert(robot:begin("go_to", { x = 1 }))
    rt.sleep(1)
    local back = assert(m:retarget { x = -0.5 })
    expect.equal("SUCCESS", (back:wait()))
    local state = robot:state()
    expect.near(-0.5, state.x, 1e-6)
    expect.near(math.pi, state.theta % (2 * math.pi), 1e-6)
  end))

  it("of another session stays as it is", with_robot(function(robot)
    local other <close> = robot:session()
    local m = assert(robot:begin("go_to", { x = 1 }))
    rt.sleep(0.5)
    expect.equal("BUSY", (other:go_to { x = 2 }))
    expect.equal(0, other:cancel(m))
    expect.equal("SUCCESS", (m:wait()))
    expect.near(1, robot:state().x, 1e-6)
  end))

  it("is of a command that there is", with_robot(function(robot)
    expect.raises("begin has no command 'dance'; it has go_to", robot.begin, robot, "dance")
    expect.raises("go_to has no field 'z'", robot.begin, robot, "go_to", { z = 1 })
  end))
end)

describe("a task that is cancelled", function()
  it("has its own motion stopped", with_robot(function(robot)
    local t = rt.spawn(function() robot:go_to { x = 2 } end)
    local head = rt.spawn(function() return robot:set_joint("head", { pan = 1 }) end)
    rt.sleep(1)
    t:cancel()
    rt.sleep(2)
    expect.near(0.3, robot:state().x, 0.01)
    expect.equal("SUCCESS", select(2, head:wait()))
  end))

  it("has what it began stopped, unless it let go of it", with_robot(function(robot)
    local kept, left
    local t = rt.spawn(function()
      kept = robot:begin("go_to", { x = 2 })
      left = robot:begin("set_joint", "head", { pan = 1, speed = 0.2 }):detach()
      rt.sleep(100)
    end)
    rt.sleep(1)
    t:cancel()
    expect.equal("INTERRUPTED", (kept:wait()))
    expect.equal("SUCCESS", (left:wait()))
    expect.near(1, robot:state().joints.head.pan, 1e-9)
  end))

  it("has the speeds that it set brake, and no others", with_robot(function(robot)
    robot:set_joint_speed("head", { tilt = 0.05 })
    local t = rt.spawn(function()
      robot:set_speed { x = 0.3 }
      rt.sleep(100)
    end)
    rt.sleep(1)
    t:cancel()
    rt.sleep(1.5)
    expect.equal(0, robot:state().twist[1])
    local tilt = robot:state().joints.head.tilt
    rt.sleep(1)
    expect.near(0.05, robot:state().joints.head.tilt - tilt, 1e-3)
  end))

  it("has a joint that it swings brake", with_robot(function(robot)
    local t = rt.spawn(function()
      robot:set_joint_speed("head", { pan = 0.1 })
      rt.sleep(100)
    end)
    robot:set_speed { x = 0.1 }
    rt.sleep(1)
    t:cancel()
    rt.sleep(1)
    local state = robot:state()
    expect.equal(0, state.speed[1])
    expect.near(0.1, state.twist[1], 1e-6)
  end))

  it("has frames that it gave taken back", with_robot(function(robot)
    local tape <close> = robot:session { mode = "delay", delay = 1 }
    local t = rt.spawn(function()
      for i = 0, 9 do tape:frame(i * 0.2, { head = { pan = i * 0.1 } }) end
      tape:finish()
    end)
    rt.sleep(1.5)
    t:cancel()
    rt.sleep(2)
    local pan = robot:state().joints.head.pan
    expect.truthy(pan > 0 and pan < 0.4, pan)
  end))

  it("has all that stopped, too, when it keeps the cancellation for itself", with_robot(function(robot)
    local function swings() robot:set_speed { x = 0.3 } pcall(rt.sleep, 100) end
    for i, fn in ipairs {
      swings,
      function() pcall(rt.sleep, 100) robot:set_speed { x = 0.3 } end, -- after it was cancelled
      function() pcall(robot.go_to, robot, { x = 9 }) end,
      function() rt.all(swings) end,
      function() rt.any(function() pcall(rt.sleep, 100) robot:begin("go_to", { x = 9 }) end, { timeout = 50 }) end,
    } do
      local t = rt.spawn(fn)
      rt.sleep(1)
      t:cancel()
      rt.sleep(1.5)
      expect.truthy(t:status() == "done" or t:status() == "cancelled", t:status())
      expect.equal("0 false", ("%g %s"):format(robot:state().twist[1], robot:state().moving), i)
    end
  end))

  it("leaves others what they have taken over", with_robot(function(robot)
    local t = rt.spawn(function() robot:go_to { x = 2 } end)
    rt.sleep(1)
    local m = robot:begin("go_to", { x = 1 })
    t:wait()
    t:cancel()
    expect.equal("SUCCESS", (m:wait()))
    expect.near(1, robot:state().x, 1e-6)
  end))
end)

describe("a stop", function()
  it("of a joint leaves the base alone", with_robot(function(robot)
    local drive = robot:begin("go_to", { x = 1 })
    local head = robot:begin("set_joint", "head", { pan = 1, speed = 0.2 })
    rt.sleep(1)
    expect.equal("SUCCESS", (robot:stop "head"))
    expect.equal("stopped", select(3, head:wait()).reason)
    local pan = robot:state().joints.head.pan
    expect.truthy(pan > 0.1 and pan < 0.25, pan)
    expect.equal("SUCCESS", (drive:wait()))
    expect.equal(pan, robot:state().joints.head.pan)
  end))

  it("of the base leaves the head alone, whoever moves it", with_robot(function(robot)
    local other <close> = robot:session()
    local drive = other:begin("go_to", { x = 1 })
    local head = other:begin("set_joint", "head", { pan = 1, speed = 0.2 })
    rt.sleep(1)
    local signal, _, result = robot:stop { base = true }
    expect.equal("SUCCESS", signal)
    expect.near(1, result.finished - result.executed, 0.01) -- 0.3 m/s at 0.3 m/s2
    expect.equal("stopped", select(3, drive:wait()).reason)
    expect.near(0.3, robot:state().x, 0.01)
    expect.equal("SUCCESS", (head:wait()))
    -- nobody has to hear of such a stop first
    expect.equal("SUCCESS", (other:set_speed { x = 0.1 }))
  end))

  it("names what there is", with_robot(function(robot)
    expect.raises("has no joint 'haed'", robot.stop, robot, "haed")
    expect.raises("head: want true, got 1", robot.stop, robot, { head = 1 })
  end))

  it("of a hand stops its arm and no more", function()
    local robot <close> = rt.connect "asimo"
    local function raise(hand)
      local p = robot.model:fk(robot:state().position, hand).position
      local goal = { p[1] + 0.05, p[2], p[3] + 0.05 }
      return assert(robot:begin("set_frame", hand, { position = goal, attitude = false })), p[3]
    end
    local function height(hand) return robot.model:fk(robot:state().position, hand).position[3] end
    local right, from = raise "r_hand"
    local neck = assert(robot:begin("set_joint", "skullbase", { pan = 0.3, speed = 0.1 }))
    rt.sleep(1.5)
    expect.equal("SUCCESS", (robot:stop "r_hand"))
    expect.equal("stopped", select(3, right:wait()).reason)
    local there = height "r_hand"
    expect.truthy(there > from + 0.005 and there < from + 0.045, there - from)
    expect.equal("SUCCESS", (neck:wait()))
    expect.near(there, height "r_hand", 1e-9)
  end)
end)

-- The time over a way d from rest to rest at most at v with a: v / a to gain it, as long to brake.
local function trapezoid(d, v, a)
  if v * v / a > d then return 2 * math.sqrt(d / a) end
  return d / v + v / a
end

describe("a goal with a speed and an acceleration", function()
  local function time_of(word, _, result)
    expect.equal("SUCCESS", word)
    return result.finished - result.executed
  end

  it("is driven to no faster", with_robot(function(robot)
    expect.near(trapezoid(1, 0.2, 0.1), time_of(robot:go_to { x = 1, speed = 0.2, acceleration = 0.1 }), 1e-6)
    expect.near(trapezoid(1, 0.2, 0.3), time_of(robot:go_to { x = 2, speed = 0.2 }), 1e-6)
    expect.near(trapezoid(1, 1.8, 0.1), time_of(robot:go_to { x = 3, acceleration = 0.1 }), 1e-6)
    local signal, why = robot:go_to { x = 3.5, speed = 5 }
    expect.equal("MODIFIED", signal)
    expect.truthy(why:find "limit")
    expect.near(trapezoid(1, 0.2, 0.3), time_of(robot:go_to { { x = 4.5 }, speed = 0.2 }), 1e-6)
    expect.near(trapezoid(1, 0.1, 0.3),
      time_of(robot:go_to { { x = 4.5 }, { x = 5.5, speed = 0.1 }, speed = 0.2 }), 1e-6)
  end))

  it("is turned to by the same shares of the limits", with_robot(function(robot)
    local turn, gain = math.rad(360) / 2, math.rad(100) / 3
    expect.near(trapezoid(3, turn, gain),
      time_of(robot:go_to { x = 0, theta = 3, speed = 0.9, acceleration = 0.1 }), 1e-6)
  end))

  it("is of a joint, or of all of them", with_robot(function(robot)
    expect.near(trapezoid(1, 0.5, 0.25),
      time_of(robot:set_joint("head", { pan = 1, speed = 0.5, acceleration = 0.25 })), 1e-6)
    expect.near(trapezoid(1, 0.4, 0.8), time_of(robot:home { speed = 0.4, acceleration = 0.8 }), 1e-6)
  end))

  it("is of a control frame: 1.875 times the mean, 5.77 times the length by the square of the time", function()
    local robot <close> = rt.connect "puma560"
    expect.equal("SUCCESS", (robot:set_frame("hand", { position = { 0.5, 0.2, 0.67 }, attitude = false })))
    local attitude = robot.model:fk(robot:state().position, "hand").attitude
    local function move(dz, bounds)
      bounds.position, bounds.attitude = { 0.5, 0.2, 0.67 + dz }, attitude
      return time_of(robot:set_frame("hand", bounds))
    end
    local slow = move(-0.1, { speed = 0.05 })
    expect.near(1.875 * 0.1 / 0.05, slow, 0.4)
    expect.truthy(slow >= 1.875 * 0.1 / 0.05)
    local soft = move(0, { acceleration = 0.05 })
    expect.near(math.sqrt(5.7735 * 0.1 / 0.05), soft, 0.4)
    expect.truthy(soft >= math.sqrt(5.7735 * 0.1 / 0.05))
  end)

  it("cannot be negative, nor of what sets a speed", with_robot(function(robot)
    expect.equal("range", select(3, robot:go_to { x = 1, speed = -1 }).reason)
    expect.equal("range", select(3, robot:set_joint("head", { pan = 1, acceleration = -1 })).reason)
    expect.raises("set_speed has no field 'acceleration'", robot.set_speed, robot, { x = 1, acceleration = 1 })
    expect.raises("head has no dof 'acceleration'", robot.set_joint_speed, robot, "head", { pan = 1, acceleration = 1 })
  end))

  it("in a frame keeps its bounds beside other parts", with_robot(function(robot)
    local tape <close> = robot:session { mode = "delay", delay = 0.1 }
    local begun = rt.now()
    tape:frame(0, { base = { go_to = { x = 0.5, speed = 0.1 } }, head = { pan = 0.2, tilt = 0.1 } })
    local report = tape:finish()
    expect.equal("SUCCESS", next(report.signals))
    expect.equal(nil, next(report.signals, "SUCCESS"))
    expect.near(trapezoid(0.5, 0.1, 0.3) + 0.1, rt.now() - begun, 0.05)
    expect.near(0.2, robot:state().joints.head.pan, 1e-9)
    expect.raises("a go_to with a speed or an acceleration is no part of a move", robot.move, robot,
      { base = { go_to = { x = 1, speed = 0.1 } }, head = { pan = 0 } })
  end))

  it("in a frame keeps an acceleration of a joint, too", with_robot(function(robot)
    local tape <close> = robot:session { mode = "delay", delay = 0.1 }
    local begun = rt.now()
    tape:frame(0, { base = { speed = { x = 0 } }, head = { pan = 1, acceleration = 0.25 } })
    tape:finish()
    expect.near(2 * math.sqrt(1 / 0.25) + 0.1, rt.now() - begun, 0.05)
  end))
end)

describe("a session that keeps only the newest", function()
  it("supersedes what waits for one of its axes, a frame as a whole", with_robot(function(robot)
    local stream <close> = robot:session { newest = true }
    local now = rt.now()
    local early = stream:begin("set_joint", "head", { pan = 0.1, start = now + 0.5 })
    local frame = stream:begin("move", { head = { pan = 0.5 }, base = { speed = { x = 0.1 } }, start = now + 1 })
    local base = stream:begin("set_speed", { x = 0.2, start = now + 1 })
    expect.equal("superseded", select(3, frame:wait()).reason)
    frame = stream:begin("move", { head = { pan = 0.3, tilt = 0.1 }, base = { speed = { x = 0 } }, start = now + 0.8 })
    expect.equal("superseded", select(3, base:wait()).reason)
    expect.equal("SUCCESS", (early:wait())) -- it began before
    expect.equal("SUCCESS", (frame:wait()))
    expect.near(0.3, robot:state().joints.head.pan, 1e-9)
  end))

  it("is also in a mode that holds: what is held is replaced when it is released", with_robot(function(robot)
    local stream <close> = robot:session { mode = "playback", newest = true, spacing = 0.1, at = rt.now() + 0.5 }
    for i = 0, 10 do stream:frame(i * 0.1, { head = { pan = 0.5 } }) end
    stream:flush()
    for i = 5, 7 do stream:frame(i * 0.1 + 0.01, { head = { pan = 0.2 } }) end
    local report = stream:finish()
    expect.equal(0, report.paused)
    expect.equal(14, report.frames)
    expect.near(0.2, robot:state().joints.head.pan, 1e-9)
  end))
end)
