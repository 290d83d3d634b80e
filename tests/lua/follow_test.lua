-- A follower and its leader, which a hand moves: what is followed, how fast, and what ends it.
local core = require "robotalk.core"
local drivers = require "robotalk.drivers"
local enable = require "robotalk.follow.enable"
local follow = require "robotalk.follow"
local near = require "tests.lua.near"
local pads = require "tests.lua.pads"
local rt = require "robotalk"

local REST <const> = 0.2 -- s after which the follower is at rest

-- fn(it): it.hold, whether it is held; it.leader, it.follower; it.states, the states and reasons that were reported.
-- how: options of follow, and leader, follower, channel, enable; load, of the gripper; deaf, whether it.lost ends the
-- encoders' readings.
local function pair(how, fn)
  local it <close> = setmetatable({ hold = false, states = {} }, { __close = function(self)
    self.over = true
    self.task:wait(5)
    self.leader:close()
    self.follower:close()
    for _, name in ipairs(core.robots()) do drivers.remove(name) end
  end })
  it.leader = rt.connect("local:" .. assert(rt.add_robot(how.leader or "so101_leader")))
  it.name = assert(rt.add_robot(how.follower or "so101_follower"))
  it.follower = rt.connect("local:" .. it.name, { channel = how.channel })
  if how.load then -- as a driver that measures it reports it
    local broadcast = it.follower.broadcast
    function it.follower.broadcast(self, period, take, options)
      return broadcast(self, period, function(state)
        state.forces = { gripper = { gripper = how.load } }
        take(state)
      end, options)
    end
  end
  if how.deaf then
    local watch = it.leader.watch
    function it.leader.watch(self, what, take)
      return watch(self, what, function(reading) if not it.lost then take(reading) end end)
    end
  end
  it.task = rt.spawn("follow", function()
    return follow.run(it.leader, it.follower, function(now, self)
      if it.over then return nil, "over" end
      if it.fails then error "the pedal" end
      if how.enable then return how.enable.held(now, self) end
      return it.hold, "released"
    end, { mode = how.mode, delay = how.delay, on_state = function(state, why)
      table.insert(it.states, why and state .. ": " .. why or state)
      it.state, it.why = state, why
    end })
  end)
  rt.sleep(0.1)
  function it.at(joint, of) return core.robot_state(of or it.name).position[it.place(joint)] end
  function it.place(joint) return it.follower:describe().joints[joint].first + 1 end
  fn(it)
end

-- The greatest speed of the follower within those seconds.
local function fastest(it, seconds)
  local most, till = 0, rt.now() + seconds
  while rt.now() < till do
    rt.sleep(0.005)
    for _, speed in ipairs(core.robot_state(it.name).speed) do most = math.max(most, math.abs(speed)) end
  end
  return most
end

local function caught_up(it)
  it.hold = true
  rt.sleep(4)
  expect.equal("following", it.state, it.why)
end

-- The leader swings, at about 1.6 rad/s in the middle.
local function swing(it)
  local began = rt.now()
  return rt.spawn(function()
    while true do
      local t = 4 * (rt.now() - began)
      it.leader:begin("set_joint", "shoulder_pan", { shoulder_pan = 0.4 * math.sin(t),
        velocity = { shoulder_pan = 1.6 * math.cos(t) } })
      rt.sleep(0.01)
    end
  end)
end

-- It comes to rest in time and stays there, and the reason is reported.
local function comes_to_rest(it, pattern, seconds)
  rt.sleep(seconds or REST)
  expect.equal("disabled", it.state)
  expect.truthy(it.why:find(pattern), it.why)
  local before = it.at "shoulder_pan"
  expect.near(0, core.robot_state(it.name).speed[it.place "shoulder_pan"], 1e-6)
  rt.sleep(1)
  expect.near(before, it.at "shoulder_pan", 1e-6)
end

describe("a follower", function()
  it("comes to rest when the caller's function fails", function()
    pair({}, function(it)
      caught_up(it)
      local swings = swing(it)
      rt.sleep(0.3)
      it.fails = true
      local _, why = it.task:wait()
      expect.truthy(why:find "the pedal", why)
      swings:cancel()
      comes_to_rest(it, "over")
    end)
  end)

  it("moves only while something is held, and slowly until it is where its leader is", function()
    pair({}, function(it)
      it.leader:set_joint("shoulder_pan", 1)
      rt.sleep(0.5)
      expect.equal(0.0, it.at "shoulder_pan")
      it.hold = true
      expect.truthy(fastest(it, 1.9) <= follow.EASE + 1e-6)
      expect.same({ "easing" }, it.states)
      rt.sleep(0.3)
      expect.same({ "easing", "following" }, it.states)
      near(it.at "shoulder_pan", 1, 1e-3)
      it.leader:set_joint("shoulder_pan", 0)
      rt.sleep(0.5) -- the leader is faster
      near(it.at "shoulder_pan", 0, 1e-3)
    end)
  end)

  it("follows within 0.01 rad, and comes to rest within 0.2 s of the release", function()
    pair({}, function(it)
      caught_up(it)
      local swinging <close> = swing(it)
      rt.sleep(1)
      local worst = 0
      for _ = 1, 200 do
        rt.sleep(0.01)
        worst = math.max(worst, math.abs(it.at "shoulder_pan" - it.at("shoulder_pan", "so101_leader")))
      end
      expect.truthy(worst < 0.01, worst)
      it.hold = false
      comes_to_rest(it, "released")
      swinging:cancel()
    end)
  end)

  it("moves no faster than it can come to rest in time", function()
    pair({}, function(it)
      caught_up(it)
      it.leader:begin("set_joint", "wrist_roll", 2.5) -- at up to 7 rad/s
      expect.truthy(fastest(it, 0.8) <= 0.17 * 12 + 1e-6)
      it.hold = false
      rt.sleep(REST)
      expect.near(0, fastest(it, 0.5), 1e-6)
    end)
  end)

  it("follows no further than its own limits, without a refusal", function()
    local d = { from = "so101_follower", name = "short",
      joints = { { name = "elbow_flex", dofs = { { limit = { -0.5, 0.5 } } } } } }
    pair({ follower = d }, function(it)
      caught_up(it)
      it.leader:set_joint("elbow_flex", 1.4)
      rt.sleep(0.2)
      near(it.at "elbow_flex", 0.5, 1e-6)
      it.leader:set_joint("elbow_flex", 0.2)
      rt.sleep(0.5)
      near(it.at "elbow_flex", 0.2, 1e-3)
      expect.equal("following", it.state)
    end)
  end)

  it("opens its gripper by the whole range of the trigger", function()
    pair({}, function(it)
      caught_up(it)
      for trigger, gripper in pairs { [0] = -0.174533, [math.rad(45)] = 1.74533, [math.rad(22.5)] = 0.785398 } do
        it.leader:set_joint("gripper", trigger)
        rt.sleep(1)
        near(it.at "gripper", gripper, 1e-3)
      end
    end)
  end)

  it("is ended by a panic, and goes on after a reset when it is held again", function()
    pair({}, function(it)
      caught_up(it)
      local swinging <close> = swing(it)
      rt.sleep(1)
      it.follower:panic()
      comes_to_rest(it, "[Pp]anic", 0.35) -- as the robot's policy has it
      assert(it.follower:reset())
      rt.sleep(1)
      expect.equal("disabled", it.state) -- it was not released
      it.hold = false
      rt.sleep(0.1)
      it.hold = true
      rt.sleep(0.1)
      expect.truthy(it.state ~= "disabled", it.why)
      swinging:cancel()
    end)
  end)

  it("is ended by a stop, by another client that drives it, and by a new description", function()
    pair({}, function(it)
      local other <close> = rt.connect("local:" .. it.name, { apart = true, name = "other" })
      caught_up(it)
      local swinging <close> = swing(it)
      rt.sleep(1)
      other:stop()
      comes_to_rest(it, "stopped by other")
      it.hold = false
      rt.sleep(0.1)
      it.hold = true
      comes_to_rest(it, "stopped by other")
      it.hold = false
      rt.sleep(0.1)
      assert(it.follower:resume())
      it.hold = true
      rt.sleep(0.1)
      expect.equal("easing", it.state, it.why)
      assert(other:take(nil, { timeout = 10 }))
      comes_to_rest(it, "another client holds the lease", 1)
      assert(other:release())
      it.hold = false
      rt.sleep(0.1)
      it.hold = true
      rt.sleep(0.1)
      expect.equal("easing", it.state, it.why)
      assert(it.follower:reload { from = "so101_follower",
        joints = { { name = "gripper", dofs = { { speed = 1 } } } } })
      comes_to_rest(it, "described anew", 0.5)
      swinging:cancel()
    end)
  end)

  it("is ended when its leader is lost", function()
    pair({}, function(it)
      caught_up(it)
      local swinging <close> = swing(it)
      rt.sleep(1)
      swinging:cancel()
      drivers.remove "so101_leader"
      comes_to_rest(it, "leader's readings are 0.1%d s old", 0.1 + REST)
    end)
  end)

  it("follows, and is, an arm of servos", function()
    local function arm(name, torque)
      return { from = name, drivers = { arm = { driver = "servos", port = "simulated", torque = torque } } }
    end
    pair({ leader = arm("so101_leader", false), follower = arm("so101_follower", true) }, function(it)
      caught_up(it)
      rt.sleep(2)
      expect.equal("following", it.state, it.why)
      near(it.at "gripper", it.at("gripper", "so101_leader") * 1.919863 / math.rad(45) - 0.174533, 0.03)
    end)
  end)

  it("is ended when an encoder of its leader is old, though its state is new", function()
    pair({ deaf = true }, function(it)
      caught_up(it)
      local swinging <close> = swing(it)
      rt.sleep(1)
      it.lost = true -- as of a servo that does not answer
      comes_to_rest(it, "leader's readings are 0.1%d s old", 0.1 + REST)
      swinging:cancel()
    end)
  end)

  it("stops by itself when the link is silent", function()
    pair({ channel = { latency = 0.02 } }, function(it)
      caught_up(it)
      local swinging <close> = swing(it)
      rt.sleep(1)
      it.follower.client.link:stall(2, 2)
      rt.sleep(0.6)
      expect.near(0, core.robot_state(it.name).speed[it.place "shoulder_pan"], 1e-6)
      swinging:cancel()
    end)
  end)

  for _, how in ipairs { { mode = "delay", delay = 0.3 }, { mode = "playback" } } do
    it("does over a bad link what its leader did, later: " .. how.mode, function()
      how.channel = { latency = 0.02, jitter = 0.04, loss = 0.02, again = 0.1 }
      pair(how, function(it)
        it.hold = true
        rt.sleep(8)
        expect.equal("following", it.state, it.why)
        local swinging <close> = swing(it)
        local led, followed = {}, {}
        for i = 1, 1500 do
          rt.sleep(0.01)
          led[i], followed[i] = it.at("shoulder_pan", "so101_leader"), it.at "shoulder_pan"
        end
        local best = math.huge
        for lag = how.mode == "delay" and 30 or 0, how.mode == "delay" and 30 or 700 do
          local worst = 0
          for i = 800, 1500 do worst = math.max(worst, math.abs(followed[i] - led[i - lag])) end
          best = math.min(best, worst)
        end
        expect.truthy(best < 0.02, best)
        it.hold = false
        comes_to_rest(it, "released", REST + 0.06)
        swinging:cancel()
      end)
    end)
  end

  it("is felt by its leader's gripper, where that has forces", function()
    local d = { from = "so101_leader", joints = { { name = "gripper", servo = { "setpoint", "speed", "force" } } } }
    pair({ leader = d, load = 0.2 }, function(it)
      caught_up(it)
      local function felt() return it.leader:state({ forces = true }).forces.gripper.gripper end
      near(felt(), -0.2 * (1.74533 + 0.174533) / math.rad(45), 1e-3) -- the same power for hand and gripper
      it.hold = false
      rt.sleep(0.1)
      expect.near(0, felt(), 1e-6)
    end)
  end)
end)

describe("what is held", function()
  it("is a key at a terminal; a space panics", function()
    local screen = { events = {}, shown = {} }
    function screen:next()
      local events = self.events
      self.events = {}
      return events
    end
    function screen:show(lines) self.shown = lines end
    function screen.drain() end
    function screen.close() end
    local function press(key, kind) table.insert(screen.events, { key = key, kind = kind or "press" }) end
    local key <close> = enable.key(screen)
    pair({ enable = key }, function(it)
      table.insert(screen.events, { kitty = 2 })
      press "e"
      rt.sleep(0.05)
      expect.equal("easing", it.state)
      press("e", "release")
      rt.sleep(0.05)
      expect.equal("disabled: released", it.states[#it.states])
      press "e"
      rt.sleep(0.05)
      press "space"
      rt.sleep(0.1)
      expect.truthy(screen.shown[1]:find "panic", screen.shown[1])
      expect.equal(true, it.follower:state().panic)
      press "q"
      local why = it.task:wait(1)
      expect.truthy(why)
    end)
  end)

  it("is a button of a gamepad, and is over when that is unplugged", function()
    local R1 <const> = 0x137
    local file <close> = pads.file(pads.text(pads.twin({ pads.button(1, R1, 1), pads.button(2, R1, 0) }, 3)))
    local pad <close> = assert(enable.pad(file.path))
    pair({ enable = pad }, function(it)
      rt.sleep(4)
      expect.same({ "easing", "following", "disabled: released" }, it.states)
      local _, why = it.task:wait(1)
      expect.truthy(why:find "unplugged", why)
    end)
    expect.same({ n = 3, [2] = "Twin Sticks has no button pedal", [3] = "ENONE" },
      table.pack(enable.pad(file.path, "pedal")))
  end)

  it("may be nothing, of a simulated robot only", function()
    local function run(...)
      return pcall(assert(loadfile("scripts/behaviors/leader_follower.lua", "t",
        setmetatable({ print = function() end }, { __index = _G }))), ...)
    end
    expect.equal(true, (run("--always", "--hand", "--seconds", "3")))
    local d <close> = pads.file([[return { from = "so101_follower", name = "metal", cameras = false,
      drivers = { arm = { driver = "servos", port = "/dev/ttyACM0" }, eye = false } }]], os.tmpname() .. ".lua")
    local ok, why = run("so101_leader", d.path, "--always")
    expect.equal(false, ok)
    expect.truthy(why:find "%-%-always is for simulated robots", why)
    ok, why = run(d.path, "so101_follower", "--always") -- as a leader
    expect.equal(false, ok)
    expect.truthy(why:find "needs torque = false", why)
    ok, why = run("--speed", "3")
    expect.equal(false, ok)
    expect.truthy(why:find "there is no option %-%-speed; there are %-%-pad", why)
    expect.truthy(select(2, run("a", "b", "c")):find "unexpected c; expected %[LEADER")
    ok, why = run("--delay", "soon")
    expect.equal(false, ok)
    expect.truthy(why:find "%-%-delay wants a number", why)
  end)

  it("is checked", function()
    expect.raises("follow: want a function, got nil", follow.run, 1, 2)
    expect.raises("follow: mode: want newest, delay or playback, got", follow.run, 1, 2, print, { mode = "fast" })
    expect.raises("follow has no option 'deley'; did you mean 'delay'", follow.run, 1, 2, print, { deley = 1 })
  end)
end)
