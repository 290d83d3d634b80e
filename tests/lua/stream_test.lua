-- Streams of poses: hands on a figure of eight of 12 cm, at up to 0.3 m/s, in virtual time. The poses of a hand are
-- computed here from the positions of the joints. With HANDS=1 in the environment each run prints lag and error.
local rt = require "robotalk"
local extent = require "tests.lua.extent"

local ARM = { l_shoulder = { pitch = -0.5, roll = 0.3 }, l_elbow = { pitch = 1.3 },
  r_shoulder = { pitch = -0.5, roll = -0.3 }, r_elbow = { pitch = 1.3 } }
-- robot, control frame, posture from which it begins
local HANDS <const> = { { "puma560", "hand" }, { "flyer", "gaze" }, { "asimo", "l_hand", ARM },
  extent({ "asimo", "r_hand", ARM }) }
local SECONDS <const>, BETWEEN <const> = 5, 0.004
local W <const> = 0.3 / math.sqrt(0.1 ^ 2 + 0.12 ^ 2) -- 0.3 m/s in the middle of the figure

-- A position on the figure at t seconds.
local function eight(from, t)
  local s = math.max(0, math.min(1, t))
  return { from[1] + s * 0.05 * math.sin(2 * W * t), from[2] + s * 0.12 * math.sin(W * t),
    from[3] + s * 0.05 * (math.cos(W * t) - 1) }
end

local function off(a, b) return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2 + (a[3] - b[3]) ^ 2) end

-- Where the frame was, every 4 ms, while fn ran.
local function track(robot, frame, fn)
  local seen = {}
  local watch <close> = robot:broadcast(BETWEEN, function(s)
    seen[#seen + 1] = { time = s.time, at = robot.model:fk(s.position, frame).position, speed = s.speed }
  end)
  local _ = watch
  fn()
  return seen
end

-- The RMS of the distances between where the frame was and where want(t) says it should have been `lag` seconds before.
local function rms(seen, want, begin, lag, first, last)
  local sum, n = 0, 0
  for _, s in ipairs(seen) do
    local t = s.time - begin - lag
    if t > first and t < last then sum, n = sum + off(want(t), s.at) ^ 2, n + 1 end
  end
  return math.sqrt(sum / n)
end

-- One row of the table: the lag at which the error is least.
local function print_row(case, hz, mode, missed, error_at)
  local least, lag = math.huge, 0
  for l = 0, 0.3, 0.005 do
    local e = error_at(l)
    if e < least then least, lag = e, l end
  end
  print(("%-8s %-7s %4d Hz %-9s RMS %4.1f mm, least %4.1f mm at a lag of %3.0f ms"):format(case[1], case[2], hz, mode,
    1e3 * missed, 1e3 * least, 1e3 * lag))
end

-- The greatest speeds of a robot's dofs.
local function robot_limits(name)
  local robot <close>, limits = rt.connect(name), {}
  for _, joint in ipairs(robot:describe().descriptor.joints) do
    for _, dof in ipairs(joint.dofs or {}) do limits[#limits + 1] = dof.speed end
  end
  return limits
end

local function wait_until(t) if t > rt.now() then rt.sleep(t - rt.now()) end end

-- Streams the figure in one of the modes; the states, the begin of it, the delay of the mode and the last motion.
local function stream(case, hz, mode, pace)
  local robot <close> = rt.connect(case[1])
  robot:home()
  if case[3] then robot:move(case[3]) end
  local frame, pose = case[2], robot.model:fk(robot:state().position, case[2])
  local function want(t) return eight(pose.position, t) end
  local begin, delay, last = rt.now(), 0, nil
  if pace then robot:override(pace) end
  local seen = track(robot, frame, function()
    local session <close> = mode == "delay" and robot:session { mode = "delay", delay = 0.15 }
      or mode == "playback" and robot:session { mode = "playback", duration = SECONDS, at = begin + 1 }
      or mode == "newest" and robot:session { newest = true, expiry = 0.5 } or nil
    if mode == "delay" or mode == "playback" then delay = mode == "delay" and 0.15 or 1 end
    for i = 0, SECONDS * hz do
      local t = i / hz
      local goal = { position = want(t), attitude = pose.attitude }
      if mode ~= "playback" then wait_until(begin + t) end
      if delay > 0 then
        session:frame(t, { [frame] = goal })
        if mode == "delay" then session:flush() end
      else
        last = (session or robot):begin("set_frame", frame, goal)
      end
    end
    if mode == "playback" then session:flush() end
    wait_until(begin + (SECONDS + 1.5) / (delay > 0 and pace or 1) + delay)
  end)
  if pace then robot:override(1) end
  return seen, want, begin, delay, last and last:wait(1)
end

describe("a stream of poses", function()
  for _, case in ipairs(HANDS) do
    for _, hz in ipairs(extent({ 10, 50, 100 }, { 10, 100 })) do
      it(("moves %s, %s, at %d Hz"):format(case[1], case[2], hz), function()
        local lag, most = hz == 10 and 0.16 or 0.06, hz == 10 and 0.01 or 0.005
        for _, mode in ipairs { "direct", "newest", "delay", "playback" } do
          local seen, want, begin, delay, last = stream(case, hz, mode)
          local function error_at(l) return rms(seen, want, begin, l + delay, 1, SECONDS) end
          local missed = error_at(lag)
          if os.getenv "HANDS" then print_row(case, hz, mode, missed, error_at) end
          expect.truthy(missed <= most, ("%s: %.1f mm RMS at a lag of %g s"):format(mode, 1e3 * missed, lag))
          expect.near(0, off(seen[#seen].at, want(SECONDS)), 2e-4, mode .. ": the last pose is reached")
          if mode == "direct" then expect.equal("SUCCESS", last) end
        end
      end)
    end
  end

  it("keeps its path at an override, where its clock slows down with it", function()
    for _, mode in ipairs { "delay", "playback" } do
      local seen, want = stream(HANDS[1], 50, mode, 0.3)
      for i = 1, #seen, 20 do
        local nearest = math.huge
        for t = 0, SECONDS, 0.01 do nearest = math.min(nearest, off(seen[i].at, want(t))) end
        expect.truthy(nearest < 0.005, ("%s: %.1f mm off its path"):format(mode, 1e3 * nearest))
      end
      expect.near(0, off(seen[#seen].at, want(SECONDS)), 2e-4, mode .. ": the last pose is reached")
    end
  end)

  it("moves at an override, at that share of its speed", function()
    for _, mode in ipairs { "direct", "newest" } do
      local seen, _, begin = stream(HANDS[1], 50, mode, 0.3)
      local limits, far, slowest, from = robot_limits(HANDS[1][1]), 0, math.huge, nil
      for _, s in ipairs(seen) do
        if s.time > begin + 1 and s.time < begin + SECONDS then
          for k, v in ipairs(s.speed) do expect.truthy(math.abs(v) <= 0.3 * limits[k] * 1.01) end
          if not from or s.time - from.time >= 0.2 then
            slowest = math.min(slowest, from and off(from.at, s.at) / (s.time - from.time) or slowest)
            far, from = far + (from and off(from.at, s.at) or 0), s
          end
        end
      end
      expect.truthy(slowest > 0.02, ("%s: as slow as %.3f m/s"):format(mode, slowest))
      expect.truthy(far <= 0.3 * 0.5 * (SECONDS - 1), ("%s: %.2f m"):format(mode, far))
    end
  end)

  it("moves each dof of a mouth as its poses say", function()
    local robot <close> = rt.connect("aibo_ers7")
    local function want(t)
      return { -0.6 + 0.1 * math.sin(2 * t), 0.3 * math.sin(t), 0.2 * math.sin(1.5 * t), -0.4 + 0.1 * math.sin(3 * t) }
    end
    local places <const> = {}
    for i, at in ipairs { { "neck", "tilt" }, { "head", "pan" }, { "head", "nod" }, { "mouth", "mouth" } } do
      places[i] = robot.model:index(at[1], at[2])
    end
    local first = want(0)
    robot:move { neck = first[1], head = { pan = first[2], nod = first[3] }, mouth = first[4] }
    local posture, begin, worst = robot:state().position, rt.now(), 0
    local watch <close> = robot:broadcast(0.01, function(s)
      local q = want(s.time - begin - 0.06)
      for i, place in ipairs(places) do
        if s.time > begin + 1 then worst = math.max(worst, math.abs(s.position[place] - q[i])) end
      end
    end)
    local _ = watch
    for i = 0, 200 do
      local q = want(i / 50)
      for k, place in ipairs(places) do posture[place] = q[k] end
      local pose = robot.model:fk(posture, "mouth")
      wait_until(begin + i / 50)
      robot:begin("set_frame", "mouth", { position = pose.position, attitude = pose.attitude })
    end
    expect.truthy(worst < 0.03, ("%.3f rad off"):format(worst))
  end)
end)

describe("a hand of fewer than six dofs", function()
  it("holds its position on the line, and tells what is left of its attitude", function()
    local robot <close> = rt.connect("aibo_ers7") -- a neck of three, and a mouth
    robot:move { neck = -0.5, head = { nod = 0.3 }, mouth = -0.4 }
    local from = robot.model:fk(robot:state().position, "mouth")
    local p = from.position
    local turned = { from.attitude[1], from.attitude[2], from.attitude[3] + 0.5 }
    local word, _, result
    local goal = { p[1] - 0.01, p[2] + 0.03, p[3] + 0.01 }
    local seen = track(robot, "mouth", function()
      word, _, result = robot:set_frame("mouth", { position = goal, attitude = turned })
    end)
    for _, s in ipairs(seen) do
      local t = off(s.at, p) / off(goal, p)
      local line = { p[1] - 0.01 * t, p[2] + 0.03 * t, p[3] + 0.01 * t }
      expect.truthy(off(s.at, line) < 1e-3, ("%.4f m off its line"):format(off(s.at, line)))
    end
    expect.equal("MODIFIED", word)
    expect.truthy(result.off.position < 5e-4 and result.off.rotation > 0.05,
      ("%.4f m, %.3f rad"):format(result.off.position, result.off.rotation))
  end)
end)
