-- RCTP from Lua: our client and the driver of robots behind it, against our server. Within this process, in simulated
-- time.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local rctp = require "robotalk.rctp"

-- A robot here by that name, and its double behind RCTP: fn(far, real).
local function with_far(fn, url)
  assert(rt.add_robot "pioneer2")
  local d = assert(descriptor.load "pioneer2")
  d.name = "far"
  for _, joint in pairs(d.joints) do joint.driver = "body" end
  d.base.driver, d.drivers, d.cameras = "body", { body = { script = "rctp", url = url or "rctp+local:pioneer2" } }, nil
  for _, sensor in pairs(d.sensors) do sensor.driver = "body" end
  d.frames[1].servo = { "setpoint", "speed" }
  assert(rt.add_robot(d))
  do
    local far <close> = rt.connect "local:far"
    local real <close> = rt.connect "local:pioneer2"
    fn(far, real)
  end
  drivers.remove "far"
  if core.robots()[1] then drivers.remove "pioneer2" end
end

describe("a robot behind RCTP", function()
  it("takes commands as one that is here", function()
    with_far(function(far, real)
      expect.equal((far:set_joint("head", { pan = 0.5 })), "SUCCESS")
      expect.near(real:state().joints.head.pan, 0.5, 1e-4)
      expect.near(far:state().joints.head.pan, 0.5, 1e-2)
      expect.equal((far:set_joint("head", { pan = 9 })), "MODIFIED") -- the body there has that limit
      expect.equal((far:go_to { x = 0.5, y = 0.1 }), "SUCCESS")
      expect.near(real:state().x, 0.5, 0.02)
      expect.near(far:state().x, 0.5, 0.02)
      expect.equal((real:home()), "BUSY") -- the lease is with the client that drives it
      expect.equal((far:set_joint("head", { pan = 0.1, speed = 0.2 })), "NA") -- no message says how fast
      expect.equal((far:set_joint_speed("head", { pan = 0.1 })), "NA") -- its object takes set-points
      expect.equal((far:set_speed { x = 0.1, y = 0.1 }), "NA") -- it cannot go sideways
    end)
  end)

  it("says what its protocol does not carry", function()
    with_far(function(far, real)
      local function answer(word, why) return ("%s: %s"):format(word, why) end
      local bounds = "NA: what moves it takes no greatest speed or acceleration"
      local drive = far:begin("go_to", { x = 1, speed = 0.2 }) -- that has a word for it
      rt.sleep(2)
      expect.near(real:state().twist[1], 0.2, 0.01)
      drive:cancel()
      far:stop()
      expect.equal(bounds, answer(far:go_to { x = 1, acceleration = 0.2 }))
      expect.equal(bounds, answer(far:set_joint("head", { pan = 0.1, speed = 0.2 })))
      expect.equal(bounds, answer(far:home { speed = 0.2 }))
      local servo = "NA: the joint does not take this type of servo command" -- of what frames are moved by
      local gaze = real:state { frames = true }.frames.gaze
      expect.equal(servo, answer(far:set_frame("gaze", { position = gaze.position })))
      expect.equal(servo, answer(far:set_frame_speed("gaze", { angular = { 0, 0, 0.1 } })))
      expect.equal(servo, answer(far:move { gaze = { position = gaze.position } }))
      expect.equal("NA", (select(3, far:override(0.5))))
      expect.equal("NA: what moves it cannot be slowed down: it moves while the override is 1",
        answer(far:set_speed { x = 0.1 }))
      expect.equal(true, far:override(1))
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
    end)
  end)

  it("is meant by the address of its RCML file, too", function()
    assert(rt.add_robot "pioneer2")
    for _, url in ipairs { "rctp+local:pioneer2.wrl", "rctp+local:pioneer2" } do
      local robot <close> = rt.try_connect(url)
      expect.truthy(robot, url)
    end
    drivers.remove "pioneer2"
  end)

  it("moves on at a speed while its client is there", function()
    with_far(function(far, real)
      expect.equal((far:set_speed { x = 0.2 }), "SUCCESS")
      rt.sleep(3) -- longer than both deadman times
      expect.near(real:state().x, 0.6, 0.1)
      expect.equal((far:stop()), "SUCCESS")
      expect.near(real:state().twist[1], 0, 1e-6)
    end)
  end)

  -- a stamp of 2 bytes in units of 1 ms wraps after 65.536 s
  for _, way in ipairs { "?stamp=4", "?stamp=2&unit=0.001", "?stamp=8&mask" } do
    it("says when its commands begin, to a server that wants to know: " .. way, function()
      with_far(function(far, real)
        for i, pause in ipairs { 0, 2, 70 } do
          rt.sleep(pause)
          expect.equal((far:set_joint("head", { pan = 0.1 * i })), "SUCCESS")
          expect.near(real:state().joints.head.pan, 0.1 * i, 1e-4)
        end
        expect.equal((far:home()), "SUCCESS")
      end, "rctp+local:pioneer2" .. way)
    end)
  end

  it("senses what is sensed there", function()
    with_far(function(far, real)
      rt.sleep(0.5)
      local here, there = far:sense { "sonar0" }, real:sense { "sonar0" }
      expect.near(here[1].range, there[1].range, 0.05)
    end)
  end)

  it("ends a command by a stop", function()
    with_far(function(far, real)
      local word
      local drive = rt.spawn(function() word = far:go_to { x = 5 } end)
      rt.sleep(1)
      expect.equal((far:stop()), "SUCCESS")
      drive:wait(1)
      expect.equal(word, "INTERRUPTED")
      rt.sleep(0.1)
      expect.equal(real:state().moving, false)
    end)
  end)

  it("stops a part and leaves the rest, as one that is here", function()
    with_far(function(far, real)
      local go, look = far:begin("go_to", { x = 2 }), far:begin("set_joint", "head", { pan = 1.5 })
      rt.sleep(0.3)
      expect.equal((far:stop "head"), "SUCCESS")
      expect.equal((look:wait()), "INTERRUPTED")
      local pan = real:state().joints.head.pan
      expect.truthy(pan > 0.05 and pan < 1.4, pan)
      expect.equal((far:set_joint("head", { pan = 1.5, tilt = 0.1 })), "SUCCESS")
      look = far:begin("set_joint", "head", { pan = -1.5 })
      rt.sleep(0.1)
      look:cancel() -- what a motion moves brakes, what others move goes on
      rt.sleep(0.5)
      pan = real:state().joints.head.pan
      expect.truthy(pan > -1.4 and not go.signal, pan)
      expect.equal((go:wait()), "SUCCESS")
      expect.near(real:state().x, 2, 0.02)
      expect.near(real:state().joints.head.pan, pan, 1e-6)
      expect.equal((far:set_speed { x = 0.2 }), "SUCCESS")
      look = far:begin("set_joint", "head", { tilt = -0.2 })
      far:stop "base"
      expect.equal((look:wait()), "SUCCESS")
      expect.near(real:state().twist[1], 0, 1e-6)
    end)
  end)

  it("tells of a sensor that is called as a joint is", function()
    assert(rt.add_robot "pioneer2_gripper")
    do
      local far <close> = rt.connect "rctp+local:pioneer2_gripper"
      local real <close> = rt.connect "local:pioneer2_gripper"
      expect.equal((far:set_joint("gripper", { 0.03 })), "SUCCESS")
      rt.sleep(0.5)
      local there = real:sense("gripper")
      expect.truthy(there.width > 0.01)
      expect.near(far:sense("gripper").width, there.width, 1e-6)
    end
    drivers.remove "pioneer2_gripper"
  end)

  it("panics with the one there, and is reset with it", function()
    with_far(function(far, real)
      far:panic()
      rt.sleep(0.2)
      expect.truthy(real:state().panic)
      expect.equal((far:set_speed { x = 0.2 }), "PANIC")
      far:reset()
      rt.sleep(0.2)
      expect.equal((far:set_speed { x = 0.2 }), "SUCCESS")
      expect.equal(real:state().panic, false)
      real:panic() -- somebody else's there
      rt.sleep(0.2)
      expect.truthy(far:state().panic)
    end)
  end)

  it("panics again with the one there, when that was reset by somebody else", function()
    with_far(function(far, real)
      far:panic()
      rt.sleep(0.2)
      real:reset()
      rt.sleep(0.2)
      far:reset()
      real:panic()
      rt.sleep(0.2)
      expect.truthy(far:state().panic)
      expect.equal((far:set_speed { x = 0.2 }), "PANIC")
      expect.truthy(real:state().panic)
    end)
  end)

  it("leaves a dof alone that it was not told, after home and stop", function()
    with_far(function(far, real)
      expect.equal((far:set_joint("head", { pan = 0.5 })), "SUCCESS")
      expect.equal((far:home()), "SUCCESS")
      rt.sleep(0.2) -- until that is told
      expect.equal((far:set_joint("head", { tilt = 0.1 })), "SUCCESS")
      expect.near(real:state().joints.head.pan, 0, 1e-2)
      local pan = rt.spawn(function() far:set_joint("head", { pan = 0.8 }) end)
      rt.sleep(0.1)
      far:stop()
      pan:wait(1)
      rt.sleep(0.2)
      local stood = real:state().joints.head.pan
      far:set_joint("head", { tilt = 0 })
      expect.near(real:state().joints.head.pan, stood, 1e-2)
    end)
  end)

  it("is lost when the one there goes", function()
    with_far(function(far)
      far:set_speed { x = 0.2 }
      local log, said = core.log, ""
      core.log = function(text) said = said .. text end
      drivers.remove "pioneer2"
      rt.sleep(0.5)
      core.log = log
      expect.truthy(said:find("rctp: gone: the robot was removed", 1, true))
      local word, _, result = far:set_speed { x = 0.2 }
      expect.equal(word, "ERROR")
      expect.equal(result.reason, "link")
    end)
  end)

  it("does not open while another client controls it", function()
    assert(rt.add_robot "pioneer2")
    do
      local other <close> = assert(rctp.dial "rctp+local:pioneer2")
      expect.truthy(assert(other:assign "head").control)
      local second <close> = assert(rctp.dial "rctp+local:pioneer2")
      local _, _, code = second:assign "base"
      expect.equal(code, "ELEASE")
      expect.truthy(second:assign "base_state") -- but may be watched
    end
    drivers.remove "pioneer2"
  end)
end)

describe("rt.connect to rctp", function()
  local function with_real(fn)
    assert(rt.add_robot "pioneer2")
    fn()
    drivers.remove "pioneer2"
  end

  it("makes a robot here of one there, by its file", function()
    with_real(function()
      do
        local far <close> = rt.connect "rctp+local:pioneer2"
        expect.equal(far:describe().name, "pioneer2_2") -- the name is taken here
        expect.equal((far:set_joint("head", { pan = 0.5 })), "SUCCESS")
        expect.equal((far:go_to { x = 0.3 }), "SUCCESS")
        expect.near(far:state().x, 0.3, 0.02)
        expect.near(far:sense { "sonar0" }[1].range, 5, 0.1)
      end
      expect.equal(#core.robots(), 1) -- it has gone with its connection
      local again <close> = rt.connect "rctp+local:pioneer2"
      expect.near(again:state().x, 0.3, 0.02) -- and where it is, is known at once
    end)
  end)

  it("says who cannot be reached, and why", function()
    local _, message, code = rt.try_connect "rctp+local:nobody"
    expect.equal(code, "ENONE")
    expect.equal(message, "there is no robot 'nobody' at localhost; its robots are: none")
    with_real(function()
      _, message, code = rt.try_connect "rctp+local:pioneer3"
      expect.equal(code, "ENONE")
      expect.equal(message, "there is no robot 'pioneer3' at localhost; its robots are: pioneer2")
    end)
    _, message, code = rt.try_connect "rctp://localhost:1/pioneer2?rate=20"
    expect.equal(code, "EURL")
    expect.equal(message, "the address of a robot has no options: expected rctp://HOST/ROBOT, got "
      .. "'rctp://localhost:1/pioneer2?rate=20'")
  end)

  it("runs a behaviour as on any robot", function()
    with_real(function()
      local far <close> = rt.connect "rctp+local:pioneer2"
      local look = rt.spawn(function()
        while true do
          far:set_joint("head", { pan = 0.8 })
          far:set_joint("head", { pan = -0.8 })
        end
      end)
      for _, place in ipairs { { 0.5, 0 }, { 0.5, 0.5 } } do
        expect.equal((far:go_to { x = place[1], y = place[2] }), "SUCCESS")
      end
      look:cancel()
      expect.near(far:state().y, 0.5, 0.02)
    end)
  end)
end)

describe("a client of RCTP", function()
  local function with_client(fn)
    assert(rt.add_robot "pioneer2")
    do
      local client <close> = assert(rctp.dial "rctp+local:pioneer2")
      fn(client)
    end
    drivers.remove "pioneer2"
  end

  it("is told what objects there are and how they are laid out", function()
    with_client(function(client)
      local head = assert(client:assign "head")
      expect.equal(head.kind, "control")
      expect.equal(head.count, 2)
      expect.equal(#head.values, 2)
      local _, message, code = client:assign "nose"
      expect.equal(code, "ENONE")
      expect.truthy((message):find("nose: 404", 1, true))
    end)
  end)

  it("is told why it gets no object", function()
    with_client(function(client)
      local real <close> = rt.connect "local:pioneer2"
      real:panic()
      local _, message, code = client:assign "base"
      expect.equal(code, "EPANIC")
      expect.truthy(message:find("base: 503 the robot is in panic, until it is reset", 1, true))
      client.ask = function() return 503, {}, "Not Ready" end -- as another server may answer
      _, message, code = client:assign "base"
      expect.equal(code, "EDEVICE")
      expect.equal(message, "base: 503 Not Ready")
    end)
  end)

  it("moves a joint by one message and hears of it", function()
    with_client(function(client)
      local head = assert(client:assign "head")
      assert(client:go { report = "all" })
      assert(client:control(head, { 0.1, 0 }))
      local list = assert(client:receive(2))
      expect.equal(list[1].code, 200)
      expect.equal(list[1].subject, head.id)
    end)
  end)

  it("has the codec raise what is the script's mistake", function()
    local side = core.rctp()
    expect.raises("want 1 to 254", side.assign, side, 255, {})
    expect.raises("types", side.assign, side, 1, { types = "x" })
    expect.raises("no object", side.control, side, 1, {})
    side:assign(1, { types = "fib", stamp_size = 2 })
    local bytes = side:control(1, { 1.0, -2, 1 }, 256)
    expect.equal(bytes, "\0\x0c\1\1\0\x3f\x80\0\0\xff\xff\xff\xfe\1") -- spec/rctp.md, with a stamp
    local list, rest, why = side:feed(bytes .. "\0")
    expect.equal(list[1].values[2], -2)
    expect.equal(list[1].stamp, 256)
    expect.equal(rest, "\0")
    expect.equal(why, nil)
    local _, _, code = side:control(1, { 1.0, 0.5, 1 })
    expect.equal(code, "ERANGE")
    expect.equal(select(3, side:feed "\0\0"), "a frame of nothing")
    -- a frame says where the next one begins: what cannot be read is dropped with the rest of its frame
    list, rest, why = side:feed("\0\3\9\1\1" .. "\0\2\1\0" .. bytes)
    expect.same({ id = 9, why = "a message is of an object that was not assigned" }, list[1])
    expect.same({ id = 1, why = "a message is longer than its frame" }, list[2])
    expect.equal(list[3].values[2], -2)
    expect.equal(rest .. tostring(why), "nil")
    side:assign(2, { types = "fff", masked = true })
    list = side:feed("\0\7\2\9\0\0\0\0\0" .. bytes) -- the bit of a 4th parameter, of which nobody knows the size
    expect.same({ id = 2, why = "mask: expected 0 in the bits above the last parameter" }, list[1])
    expect.equal(list[2].values[2], -2)
  end)
end)

describe("over sockets, a robot behind RCTP", function()
  -- The descriptor of a robot that is as patient as the test is: a busy machine is no silence of its client's.
  local function with_server(fn)
    local d = assert(descriptor.load "pioneer2")
    d.deadman = expect.patience
    assert(rt.add_robot(d))
    do
      local server <close> = assert(core.serve { listen = { "rctp://localhost:0" } })
      local real <close> = rt.connect "local:pioneer2"
      fn(server:urls()[1], real, server)
    end
    drivers.remove "pioneer2"
  end

  local function soon(is)
    local late = rt.now() + expect.patience
    while not is() and rt.now() < late do rt.sleep(0.01) end
    expect.truthy(is())
  end

  it_really("is stopped and halted by bytes that C writes", function()
    with_server(function(url, real)
      local far <close> = rt.connect(url .. "/pioneer2", { expiry = false })
      local function drives() return real:state().twist[1] > 0.05 end
      expect.equal((far:set_speed { x = 0.3 }), "SUCCESS")
      soon(drives)
      expect.equal((far:stop()), "SUCCESS")
      soon(function() return not drives() end)
      expect.equal((far:set_speed { x = 0.3 }), "SUCCESS")
      soon(drives)
      far:panic()
      soon(function() return real:state().panic end)
      far:reset()
      expect.equal((far:set_speed { x = 0.3 }), "SUCCESS")
      soon(drives)
    end)
  end)

  it_really("gives signs of life also in a panic", function()
    local dial, signs = rctp.dial, 0
    rctp.dial = function(...)
      local client = assert(dial(...))
      local alive = client.alive
      function client.alive(self)
        local ok, message, code = alive(self)
        signs = ok and signs + 1 or 0
        return ok, message, code
      end
      return client
    end
    with_server(function(url, real)
      local far <close> = rt.connect(url, { expiry = false })
      rctp.dial = dial
      far:panic()
      soon(function() return real:state().panic end)
      signs = 0
      soon(function() return signs >= 3 end)
      expect.equal(far:state().panic, true)
    end)
  end)

  it_really("answers ERROR, link when the server has gone", function()
    with_server(function(url, _, server)
      local far <close> = rt.connect(url, { expiry = false })
      expect.equal((far:set_speed { x = 0.1 }), "SUCCESS")
      local log = core.log
      core.log = function() end
      server:close()
      local result
      soon(function()
        local _
        _, _, result = far:set_speed { x = 0.1 }
        return result.reason == "link"
      end)
      core.log = log
    end)
  end)
end)

describe("names beyond ASCII", function()
  it("are those of robots and joints behind RCTP, too", function()
    assert(rt.add_robot { name = "rüdi", links = { [0] = { name = "body" }, { name = "kopf" } }, joints = {
      [0] = { name = "wurzel", child = 0 },
      { name = "tête", parent = 0, child = 1, servo = "setpoint",
        dofs = { { name = "angle", type = "revolute", axis = { 0, 0, 1 }, limit = { -1, 1 } } } } } })
    do
      local far <close> = assert(rt.connect "rctp+local:rüdi")
      local real <close> = rt.connect "local:rüdi"
      expect.equal((far:set_joint("tête", { angle = 0.5 })), "SUCCESS")
      expect.near(real:state().joints["tête"].angle, 0.5, 1e-3)
    end
    drivers.remove "rüdi"
  end)
end)
