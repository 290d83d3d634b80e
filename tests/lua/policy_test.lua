-- Policies: chunks at their instants, blended, on the robot's clock; what late, dead, stale and stopped ones do.
local rt = require "robotalk"

local RATE <const>, CHUNK <const> = 30, 16
local PAN <const> = { joints = { "shoulder_pan" } }
local function sine(t) return 0.3 * math.sin(2 * t) end

-- A chunk of a trajectory, from an instant on.
local function chunk(at, time)
  local actions = {}
  for k = 0, CHUNK - 1 do actions[k + 1] = { at(time + k / RATE) } end
  return actions
end

local function arm(fn)
  return function()
    local robot <close> = rt.connect "so101_follower"
    fn(robot)
  end
end

local function pan(robot) return robot:state().joints.shoulder_pan.shoulder_pan end

-- Watches the arm until the handle is cancelled: its greatest speed and acceleration, and samples of time and place.
local function watched(robot)
  local seen, before = { speed = 0, acceleration = 0 }, nil
  seen.task = rt.spawn(function()
    while true do
      local state = robot:state()
      local speed = state.speed[1]
      if before then
        seen.speed = math.max(seen.speed, math.abs(speed))
        seen.acceleration = math.max(seen.acceleration, math.abs(speed - before.speed) / (state.time - before.time))
      end
      before = { time = state.time, speed = speed, place = state.position[1] }
      seen[#seen + 1] = before
      rt.sleep(0.002)
    end
  end)
  return seen
end

-- The arm moves, and has kept the limits of its body throughout.
local function smooth(robot, seen)
  local limits = robot:describe().limits.dof[1]
  seen.task:cancel()
  expect.truthy(seen.speed > 0.1 and seen.speed <= limits.speed + 1e-9)
  expect.truthy(seen.acceleration <= limits.acceleration + 1e-3, ("%.2f rad/s2"):format(seen.acceleration))
end

describe("a policy", function()
  it("plays action k of a chunk k / rate after its observation", arm(function(robot)
    local policy = rt.policy(robot, PAN, function(seen)
      expect.equal(1, #seen.position)
      expect.equal(seen.state.position[1], seen.position[1])
      return chunk(sine, seen.time)
    end)
    local watch = watched(robot)
    local why, counts = policy:run(3)
    expect.equal("its time is over", why)
    expect.equal(12, counts.calls) -- every eighth action
    expect.equal(0, counts.late + counts.holds + counts.stale)
    for _, now in ipairs(watch) do
      if now.time > watch[1].time + 1 then expect.near(sine(now.time), now.place, 2e-3) end
    end
    smooth(robot, watch)
  end))

  it("holds a single action until the next one is due", arm(function(robot)
    for _, every in ipairs { 8, 1 } do
      local watch, goal = watched(robot), every == 1 and -0.3 or 0.3
      local options = { joints = PAN.joints, every = every }
      local _, counts = rt.policy(robot, options, function() return { { goal } } end):run(3)
      expect.equal(counts.calls, counts.chunks)
      expect.near(goal, pan(robot), 1e-2)
      smooth(robot, watch)
    end
  end))

  it("whose function takes half a chunk drops the actions that are over, and is as exact", arm(function(robot)
    local policy = rt.policy(robot, PAN, function(seen)
      rt.sleep(0.25)
      return chunk(sine, seen.time)
    end)
    local watch = watched(robot)
    local _, counts = policy:run(3)
    expect.equal(0, counts.late)
    expect.truthy(counts.dropped >= 7 * counts.chunks)
    for _, now in ipairs(watch) do
      if now.time > watch[1].time + 1 then expect.near(sine(now.time), now.place, 0.02) end
    end
    smooth(robot, watch)
  end))

  it("that contradicts itself, or is late, never makes the arm jump", arm(function(robot)
    local calls, held = 0, {}
    local policy = rt.policy(robot, { joints = PAN.joints, on_hold = function(why) held[#held + 1] = why end },
      function(seen)
        calls = calls + 1
        if calls % 5 == 0 then rt.sleep(0.9) end -- longer than a chunk
        local to = calls % 2 == 0 and 1 or -1
        return chunk(function() return to end, seen.time)
      end)
    local watch = watched(robot)
    local _, counts = policy:run(10)
    expect.truthy(counts.late >= 3 and counts.holds >= 3 and counts.holds <= counts.late)
    expect.equal(counts.late, #held)
    expect.truthy(held[1]:find "0.90 s")
    smooth(robot, watch)
  end))

  it("blends the chunk that is played with the one that follows", arm(function(robot)
    local calls = 0
    local policy = rt.policy(robot, PAN, function(seen)
      calls = calls + 1
      return chunk(function() return calls > 3 and 0.04 or 0 end, seen.time)
    end)
    local watch = watched(robot)
    policy:run(1.6)
    local begun, ended
    for _, now in ipairs(watch) do
      begun = begun or now.place > 0.002 and now.time
      ended = ended or now.place > 0.038 and now.time
    end
    expect.near(0.2, ended - begun, 0.03) -- alone the dof would take 2 sqrt(0.04 / 12) = 0.12 s for all of it
    expect.near(0.04, pan(robot), 1e-3)
    smooth(robot, watch)
  end))

  it("that never answers holds the arm at the end of its chunk, until it is stopped", arm(function(robot)
    local calls = 0
    local policy = rt.policy(robot, PAN, function(seen)
      calls = calls + 1
      if calls == 2 then rt.wait "never" end
      return chunk(function() return 0.3 end, seen.time)
    end)
    local run = rt.spawn(function() return policy:run() end)
    rt.sleep(2)
    local state = robot:state()
    expect.near(0.3, state.position[1], 1e-3)
    expect.near(0, state.speed[1], 1e-9)
    rt.sleep(5)
    expect.equal(state.position[1], pan(robot))
    expect.equal(2, calls)
    policy:stop("enough")
    rt.wake "never"
    local _, why = run:wait(1)
    expect.equal("enough", why)
  end))

  it("gets no observation that is too old, and tells what is", function()
    local robot <close> = rt.connect "pioneer2"
    local held = {}
    local policy = rt.policy(robot, { joints = { "head" }, observe = { "sonar" }, age = 0.01, every = 1,
      on_hold = function(why) held[#held + 1] = why end }, function(seen)
        expect.truthy(rt.now() - seen.sonar.time <= 0.01)
        return { { 0, 0 }, { 0, 0 } }
      end)
    local _, counts = policy:run(2)
    expect.truthy(counts.calls > 3 and counts.stale > 3)
    expect.equal(counts.stale, #held)
    expect.truthy(held[1]:find "^sonar is 0.0%d s old$", held[1])
  end)

  it("ends when its function does, and begins anew", arm(function(robot)
    local calls = 0
    local policy = rt.policy(robot, PAN, function(seen)
      calls = calls + 1
      if calls % 4 == 0 then return nil, "picked" end
      return chunk(function() return 0.3 end, seen.time)
    end)
    for run = 1, 2 do
      expect.equal("picked", (policy:run()))
      expect.equal(4 * run, calls)
    end
  end))
end)

describe("a stop of a policy", function()
  -- A run that is stopped after a second by fn: why it has ended; afterwards the arm stands.
  local function stopped(robot, fn, answer)
    local calls = 0
    local policy = rt.policy(robot, PAN, function(seen)
      calls = calls + 1
      if answer then answer(calls) end
      return chunk(sine, seen.time)
    end)
    local run = rt.spawn(function() return policy:run(20) end)
    rt.sleep(1)
    fn()
    local before = calls
    rt.sleep(1)
    local place = pan(robot)
    rt.sleep(1)
    expect.equal(place, pan(robot))
    expect.equal("done", run:status())
    expect.truthy(calls <= before + 1)
    return (select(2, run:wait())), policy
  end

  it("by another client latches it until a resume, and until it is run again", arm(function(robot)
    local other <close> = rt.connect("local:so101_follower", { apart = true, name = "helper" })
    local why, policy = stopped(robot, function() other:stop() end)
    expect.equal("stopped", why)
    why = policy:run(1)
    expect.truthy(why:find "INTERRUPTED: stopped by helper", why)
    expect.truthy(robot:stopped())
    robot:resume()
    expect.equal("its time is over", (policy:run(1)))
  end))

  it("by its own program ends it, also while the arm holds", arm(function(robot)
    expect.equal("stopped", (stopped(robot, function() robot:stop() end)))
    expect.equal("stopped", (stopped(robot, function() robot:stop() end, function(calls)
      if calls == 2 then rt.sleep(1.2) end -- the first chunk is over when the stop comes
    end)))
  end))

  it("is a panic, too", arm(function(robot)
    local why, policy = stopped(robot, function()
      robot:panic()
      robot:reset()
    end)
    expect.equal("panicked", why)
    expect.equal("its time is over", (policy:run(1)))
  end))

  it("is an error of its function, which has the line of the script", arm(function(robot)
    local policy = rt.policy(robot, PAN, function(seen)
      if seen.time > rt.now() - 1 and pan(robot) > 0.05 then error "no idea" end
      return chunk(function() return 0.3 end, seen.time)
    end)
    assert_raises("policy_test.lua:%d+: no idea", policy.run, policy)
    rt.sleep(0.5)
    local place = pan(robot)
    rt.sleep(0.5)
    expect.equal(place, pan(robot))
    expect.equal("its time is over", (rt.policy(robot, PAN, function(seen) return chunk(sine, seen.time) end):run(1)))
  end))
end)

describe("mistakes of a policy", function()
  it("raise at the line of the script", arm(function(robot)
    local function given(actions)
      local policy = rt.policy(robot, PAN, function() return actions end)
      return function() policy:run(1) end
    end
    assert_raises("policy_test.lua:%d+: policy: want a list of actions", given {})
    assert_raises("action 2: want 1 numbers, got 2", given { { 0 }, { 0, 1 } })
    assert_raises("action 1: shoulder_pan: want a number, got %-?nan", given { { 0 / 0 } })
    assert_raises("policy has no option 'rates'; did you mean 'rate'", rt.policy, robot, { rates = 3 }, print)
    assert_raises("has no joint 'elbow'", rt.policy, robot, { joints = { "elbow" } }, print)
    assert_raises("so101_follower has no sensor or camera 'wirst'; did you mean .wrist.%? It", rt.policy, robot,
      { observe = { "gripper", "wirst" } }, print)
    assert_raises("the function: want a function", rt.policy, robot, {})
  end))
end)
