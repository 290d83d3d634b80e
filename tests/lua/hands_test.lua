-- Control frames of all bodies on their ways: never past the goal, on the line, at rest at the end, and told by how
-- much they missed. What a frame does is computed here from the positions of the joints, not by what moves it.
local rt = require "robotalk"
local random = require "robotalk.core".random
local extent = require "tests.lua.extent"

local LENGTHS = { 0.02, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5 }
local OVERSHOOT, OFF_LINE, TURN = 2e-4, 3e-4, 2e-3 -- m, m, rad

local function sub(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function norm(a) return math.sqrt(dot(a, a)) end

-- The angle between two rotations, row by row.
local function angle(a, b)
  local sum = 0
  for i = 1, 9 do sum = sum + (a[i] - b[i]) ^ 2 end
  return 2 * math.asin(math.min(1, math.sqrt(sum / 8)))
end

local function rotation_of(attitude)
  local sr, cr = math.sin(attitude[1]), math.cos(attitude[1])
  local sp, cp = math.sin(attitude[2]), math.cos(attitude[2])
  local sy, cy = math.sin(attitude[3]), math.cos(attitude[3])
  return { cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
    sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr }
end

local function direction()
  local v
  repeat v = { 2 * random() - 1, 2 * random() - 1, 2 * random() - 1 } until norm(v) < 1 and norm(v) > 0.1
  local n = norm(v)
  return { v[1] / n, v[2] / n, v[3] / n }
end

-- Notes how often dofs turn round while fn runs, and the states; what fn returns.
local function watched(robot, fn)
  local seen, turns, sense = {}, 0, {}
  local watch <close> = robot:broadcast(0.002, function(state)
    seen[#seen + 1] = state
    for i, v in ipairs(state.speed) do
      if math.abs(v) > 2e-3 then
        if sense[i] and sense[i] * v < 0 then turns = turns + 1 end
        sense[i] = v
      end
    end
  end)
  local _ = watch
  return seen, function() return turns end, fn()
end

-- The dofs of all joints, one behind the other.
local function dofs_of(robot)
  local dofs = {}
  for _, joint in ipairs(robot:describe().descriptor.joints) do dofs[#dofs + 1] = joint.dofs and joint.dofs[1] end
  return dofs
end

-- These states, 2 ms from each other but for the first, are within the dofs' limits and accelerations.
local function expect_within(dofs, seen)
  for k = 2, #seen do
    for n, dof in ipairs(dofs) do
      local q, v = seen[k].position[n], seen[k].speed[n]
      expect.truthy(q >= dof.limit[1] - 1e-6 and q <= dof.limit[2] + 1e-6, ("dof %d at %.3f"):format(n, q))
      local span = seen[k].time - seen[k - 1].time
      expect.truthy(k == 2 or math.abs(span - 0.002) < 1e-5, span)
      expect.truthy(math.abs(v - seen[k - 1].speed[n]) <= 1.01 * dof.acceleration * span + 1e-6)
    end
  end
end

-- One motion: how it was answered, and what the frame did. goal: position, and attitude unless any will do.
local function move(robot, frame, goal)
  local model, begin = robot.model, rt.now()
  local from = model:fk(robot:state().position, frame)
  local seen, turns, word, _, result = watched(robot, function()
    local word, why, result = robot:set_frame(frame, { position = goal.position, attitude = goal.attitude or false })
    return word, why, result
  end)
  local took = rt.now() - begin
  rt.sleep(0.3)
  local final = model:fk(robot:state().position, frame)
  local out = { word = word, result = result, took = took, turns = turns(), over = 0, beside = 0, turned = 0,
    off = norm(sub(final.position, goal.position)), moving = robot:state().moving,
    off_turn = goal.attitude and angle(final.rotation, rotation_of(goal.attitude)) or 0 }
  -- past the goal, or past where it came to rest
  local there = word == "SUCCESS" and goal or final
  local line, rotation = sub(there.position, from.position), goal.attitude and
    (word == "SUCCESS" and rotation_of(goal.attitude) or final.rotation)
  local far, turn = norm(line), rotation and angle(from.rotation, rotation)
  for _, state in ipairs(seen) do
    local pose = model:fk(state.position, frame)
    local e = sub(pose.position, there.position)
    if far > 1e-6 then
      local along = dot(e, line) / far
      out.over = math.max(out.over, along)
      out.beside = math.max(out.beside, math.sqrt(math.max(0, dot(e, e) - along * along)))
    end
    if rotation then out.turned = math.max(out.turned, angle(from.rotation, pose.rotation) - turn) end
  end
  return out
end

-- Frames, where their bodies begin, and what their dofs allow.
local frames = {
  { "puma560", "hand", attitude = true },
  { "arm004", "tool", attitude = true, off_line = 1e-3 }, -- a bus of 1200 messages a second
  { "flyer", "root", attitude = true, always = true },
  { "flyer", "gaze", attitude = true, always = true },
  { "asimo", "l_hand", attitude = true, start = { l_shoulder = { pitch = -0.5, roll = 0.3 }, l_elbow = { pitch = 1.3 },
    l_hand = { fingers = 0.8 } } },
  { "asimo", "r_hand", attitude = true },
  { "asimo", "l_sole", attitude = true },
  { "aibo_ers7", "camera", start = { neck = { tilt = -0.7 }, head = { pan = 0.3, nod = 0.3 } } },
  { "aibo_ers7", "mouth", start = { neck = { tilt = -0.7 }, mouth = { mouth = -0.4 } } },
  { "aibo_ers7", "LFr_foot", few = true }, { "aibo_ers7", "RFr_foot", few = true },
  { "aibo_ers7", "LBk_foot", few = true }, { "aibo_ers7", "RBk_foot", few = true },
  { "pioneer2", "gaze", curved = true, few = true },
}

-- Goals in all directions, turned by themselves every other time.
local function check(case, robot, times)
  local successes = 0
  for n = 1, times do
    for _, length in ipairs(LENGTHS) do
      expect.equal(robot:home(), "SUCCESS")
      for joint, values in pairs(case.start or {}) do expect.equal(robot:set_joint(joint, values), "SUCCESS") end
      local pose, d = robot.model:fk(robot:state().position, case[2]), direction()
      local goal = { position = {}, attitude = case.attitude and { table.unpack(pose.attitude) } }
      for i = 1, 3 do goal.position[i] = pose.position[i] + length * d[i] end
      if case.attitude and n % 2 == 0 then goal.attitude[n % 3 + 1] = goal.attitude[n % 3 + 1] + 2 * random() - 1 end
      local done = move(robot, case[2], goal)
      local what = ("%s %s, %.2f m: %s, "):format(case[1], case[2], length, done.word)
      local function holds(x, what_else, ...) expect.truthy(x, what .. what_else:format(...)) end
      holds(done.over <= OVERSHOOT, "%.2f mm past its goal", done.over * 1e3)
      holds(done.turned <= TURN, "%.2f mrad past its goal", done.turned * 1e3)
      holds(case.curved or done.beside <= (case.off_line or OFF_LINE), "%.2f mm off its line", done.beside * 1e3)
      holds(done.took < 8, "after %.1f s", done.took)
      holds(done.turns < 100, "%d times to and fro", done.turns)
      holds(not done.moving, "and moves on")
      if done.word == "SUCCESS" then
        successes = successes + 1
        holds(done.off < 2e-4 and done.off_turn < 1e-3, "%.3f mm off", done.off * 1e3)
        holds(done.result.off == nil, "with an error")
      else
        holds(done.word == "MODIFIED" and not case.always, "unexpectedly")
        expect.near(done.off, done.result.off.position, 3e-4, what .. "position")
        expect.near(done.off_turn, done.result.off.rotation, 1e-3, what .. "rotation")
      end
    end
  end
  return successes
end

describe("a control frame", function()
  for _, case in ipairs(frames) do
    it(("of %s, %s, stops at its goal"):format(case[1], case[2]), function()
      local robot <close> = rt.connect(case[1])
      local successes = check(case, robot, extent(2, 1))
      expect.truthy(case.few or successes > 0, ("%d successes"):format(successes))
    end)
  end
  it("gets to what two dofs can see", function()
    local robot <close> = rt.connect("pioneer2")
    for _ = 1, 5 do
      local there = { 3 * random() - 1.5, 0.8 * random() - 0.4 }
      local goal = robot.model:fk(there, "gaze")
      expect.equal(robot:set_frame("gaze", { position = goal.position, attitude = goal.attitude }), "SUCCESS")
      expect.near(there[1], robot:state().joints.head.pan, 1e-3)
    end
  end)
end)

describe("a goal out of reach", function()
  -- m from the goal at most: what a search from many postures finds, and a little
  local cases = {
    { "puma560", "hand", { 1.2, 0, 0.3 } }, { "puma560", "hand", { 2, 0, 0.3 } },
    { "puma560", "hand", { 1.2, 0.55, 0.67 } }, { "puma560", "hand", { 0.1, 0.05, 0.7 } },
    { "arm004", "tool", { 2, 0, 0 } }, { "arm004", "tool", { 0.3, -0.9, 0.9 } },
    { "asimo", "l_hand", { 0.6, 0.3, 0.2 } }, { "asimo", "r_hand", { 0.2, 0.8, 0.1 } },
    { "aibo_ers7", "LFr_foot", { 0.3, 0.1, 0 } },
  }
  for _, case in ipairs(cases) do
    local name, frame, position = table.unpack(case)
    it(("is told by how much it is missed: %s at %g %g %g"):format(name, table.unpack(position)), function()
      local robot <close> = rt.connect(name)
      for _, free in ipairs { true, false } do
        robot:home()
        local pose = robot.model:fk(robot:state().position, frame)
        local done = move(robot, frame, { position = position, attitude = not free and pose.attitude or nil })
        expect.equal(done.word, "MODIFIED")
        expect.near(done.off, done.result.off.position, 3e-4)
        expect.near(done.off_turn, done.result.off.rotation, 1e-3)
        expect.truthy(done.took < 8 and done.turns < 100, ("%.1f s, %d times to and fro"):format(done.took, done.turns))
        expect.truthy(not done.moving and done.over < OVERSHOOT, ("%.2f mm past"):format(done.over * 1e3))
      end
    end)
  end
  it("is approached as near as the arm gets", function()
    local robot <close> = rt.connect("puma560")
    for _, position in ipairs { { 2, 0, 0.3 }, { 1.2, 0.55, 0.67 }, { 0.2, -1.5, 1 } } do
      robot:home()
      local _, _, _, tried = robot.model:ik("hand", { position = position })
      local _, _, result = robot:set_frame("hand", { position = position, attitude = false })
      expect.near(tried.position_error, result.off.position, 2e-3)
    end
  end)
end)

describe("a hand", function()
  it("follows a stream of poses without stopping", function()
    local robot <close> = rt.connect("puma560")
    local session <close> = assert(robot:session { mode = "delay", delay = 0 })
    local from, begin, last = robot.model:fk(robot:state().position, "hand"), rt.now(), nil
    local seen = watched(robot, function()
      for i = 1, 30 do
        local p = from.position
        last = session:set_frame("hand", { position = { p[1], p[2] + 0.0075 * i, p[3] }, attitude = from.attitude })
        rt.sleep(0.05)
      end
    end)
    local slowest, before = math.huge, nil
    for _, state in ipairs(seen) do
      local y = robot.model:fk(state.position, "hand").position[2]
      if state.time - begin > 0.5 then slowest = math.min(slowest, before and (y - before) / 0.002 or slowest) end
      before = y
    end
    expect.truthy(slowest > 0.13, ("%.3f m/s of 0.15"):format(slowest))
    expect.equal(session:result(last), "SUCCESS")
  end)
  it("does not swing where its arm ends, whatever its speed", function()
    for _, case in ipairs { { "puma560", "hand" }, { "arm004", "tool" } } do
      local robot <close> = rt.connect(case[1])
      local dofs = dofs_of(robot)
      for i = 1, extent(8, 3) do
        robot:home()
        local d, speed = direction(), ({ 0.1, 0.25, 0.5 })[i % 3 + 1]
        local seen, turns = watched(robot, function()
          robot:set_frame_speed(case[2], { linear = { d[1] * speed, d[2] * speed, d[3] * speed } })
          for _ = 1, 25 do rt.sleep(0.4) robot:state() end -- it has a deadman
        end)
        expect.truthy(turns() < 40, ("%d times to and fro"):format(turns()))
        expect_within(dofs, seen)
        for k = 2, #seen do
          for n, dof in ipairs(dofs) do expect.truthy(math.abs(seen[k].speed[n]) <= dof.speed + 1e-6) end
        end
        robot:stop()
      end
    end
  end)
  it("does not swing where a force leads it, and its joints stay within their limits", function()
    local robot <close> = rt.connect("puma560")
    local dofs = dofs_of(robot)
    for i = 1, extent(8, 3) do
      robot:home()
      local d, force = direction(), ({ 1, 20, 100 })[i % 3 + 1]
      local seen, turns = watched(robot, function()
        robot:set_frame_force("hand", { force = { d[1] * force, d[2] * force, d[3] * force } })
        for _ = 1, 25 do rt.sleep(0.4) robot:state() end
      end)
      expect.truthy(turns() < 40, ("%d times to and fro"):format(turns()))
      expect_within(dofs, seen)
      robot:stop()
    end
  end)
  it("goes nowhere when it cannot bend", function()
    -- one joint, at its limit: nothing nearer to the goal can be had
    assert(rt.add_robot { name = "knee", joints = { { name = "j", dofs = { { name = "q", limit = { 0, 1 } } } } },
      frames = { { name = "tip", link = 1, position = { 0.3, 0, 0 } } } })
    do
      local robot <close> = rt.connect("local:knee")
      local word, _, result = robot:set_frame("tip", { position = { 0.2, -0.2, 0 }, attitude = false })
      expect.equal(word, "MODIFIED")
      expect.near(math.sqrt(0.05), result.off.position, 1e-3)
      expect.near(0, robot:state().joints.j.q, 1e-3)
    end
    require "robotalk.core".remove_robot "knee"
  end)
end)
