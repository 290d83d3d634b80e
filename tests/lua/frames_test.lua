-- Control frames: a PUMA's hand is driven by set-points, speeds and forces in space; a body that flies answers go_to
-- and set_speed with the dofs of its root.
local rt = require "robotalk"
local near = require "tests.lua.near"

local function hand(robot, name) return robot.model:fk(robot:state().position, name or "hand") end

-- A session whose hand is on its way, 0.2 m back, and the ticket of that.
local function draw_back(robot)
  local session = assert(robot:session { mode = "delay", delay = 0 })
  local p = hand(robot).position
  return session, session:set_frame("hand", { position = { p[1] - 0.2, p[2], p[3] } })
end

describe("the hand of a PUMA 560", function()
  it("goes to a pose, and on a straight line", function()
    local robot <close> = rt.connect("puma560")
    local from = hand(robot)
    local to = { from.position[1] + 0.05, from.position[2] + 0.2, from.position[3] - 0.15 }
    local attitude = { 0.1, math.pi / 2 - 0.3, 0.2 } -- it points ahead at home
    local off = 0
    local watch <close> = robot:broadcast(0.02, function(state)
      local p = robot.model:fk(state.position, "hand").position
      -- the distance from the line from where it was to where it goes
      local d, n, along = {}, 0, 0
      for i = 1, 3 do
        d[i] = to[i] - from.position[i]
        n = n + d[i] ^ 2
        along = along + d[i] * (p[i] - from.position[i])
      end
      local sum = 0
      for i = 1, 3 do sum = sum + (p[i] - from.position[i] - d[i] * along / n) ^ 2 end
      off = math.max(off, math.sqrt(sum))
    end)
    local _ = watch
    expect.equal(robot:set_frame("hand", { position = to, attitude = attitude }), "SUCCESS")
    local pose = hand(robot)
    near(pose.position, to, 2e-5, "position")
    near(pose.attitude, attitude, 1e-4, "attitude")
    expect.truthy(off < 0.001, ("%g m off the line"):format(off))
    rt.sleep(0.1)
    expect.truthy(not robot:state().moving)
  end)
  it("keeps its attitude unless told", function()
    local robot <close> = rt.connect("puma560")
    local before = hand(robot)
    local p = before.position
    expect.equal(robot:set_frame("hand", { position = { p[1], p[2] + 0.1, p[3] } }), "SUCCESS")
    near(hand(robot).rotation, before.rotation, 1e-4, "rotation")
  end)
  it("gets as near as it can to what is out of reach", function()
    local robot <close> = rt.connect("puma560")
    local before = hand(robot).position[1]
    local word, why = robot:set_frame("hand", { position = { 2, 0, 0.7 } })
    expect.equal(word, "MODIFIED")
    expect.equal(why, "a value was clipped to the limit of the body")
    expect.truthy(hand(robot).position[1] > before + 0.05, "stretched out")
    rt.sleep(0.5)
    expect.truthy(not robot:state().moving)
  end)
  it("gets to a position with any attitude", function()
    local robot <close> = rt.connect("puma560")
    local p = hand(robot).position
    local to = { p[1] + 0.05, p[2] + 0.3, p[3] - 0.2 }
    expect.equal(robot:set_frame("hand", { position = to, attitude = false }), "SUCCESS")
    near(hand(robot).position, to, 2e-5, "position")
  end)
  it("needs no attitude where there are too few dofs for one", function()
    local d = { name = "planar", joints = {}, frames = { { name = "tip", link = 2, position = { 0.3, 0, 0 } } } }
    for i = 1, 2 do d.joints[i] = { name = "j" .. i, position = { i > 1 and 0.3 or 0, 0, 0 }, dofs = { { name = "q",
      home = 0.5 } } } end
    assert(rt.add_robot(d))
    local robot <close> = rt.connect("local:planar")
    expect.equal(robot:set_frame("tip", { position = { 0.1, 0.4, 0 } }), "SUCCESS")
    near(hand(robot, "tip").position, { 0.1, 0.4, 0 }, 2e-5, "position")
    robot:close()
    require "robotalk.core".remove_robot("planar")
  end)
  it("moves at a speed until told otherwise", function()
    local robot <close> = rt.connect("puma560")
    local before = hand(robot).position
    expect.equal(robot:set_frame_speed("hand", { linear = { 0, 0.1, 0 } }), "SUCCESS")
    rt.sleep(1)
    near(hand(robot).position, { before[1], before[2] + 0.1, before[3] }, 0.005, "a second later")
    expect.equal(robot:set_frame_speed("hand", {}), "SUCCESS")
    rt.sleep(0.5)
    expect.truthy(not robot:state().moving)
    expect.equal(robot:set_frame_speed("hand", { linear = { 9, 0, 0 } }), "MODIFIED")
    expect.equal(robot:stop(), "SUCCESS")
  end)
  it("is pushed by a force", function()
    local robot <close> = rt.connect("puma560")
    local before = hand(robot).position
    expect.equal(robot:set_frame_force("hand", { force = { 0, 20, 0 } }), "SUCCESS")
    rt.sleep(0.3)
    expect.equal(robot:stop(), "SUCCESS")
    expect.truthy(hand(robot).position[2] > before[2] + 0.01, "it has moved along")
  end)
  it("yields to who takes one of its joints, and stops the others", function()
    local robot <close> = rt.connect("puma560")
    local session <close>, ticket = draw_back(robot)
    rt.sleep(0.3)
    session:set_joint("waist", { q = 0.5 })
    expect.equal(session:result(ticket), "MODIFIED")
    rt.sleep(5)
    local state = robot:state()
    expect.truthy(not state.moving)
    near({ state.joints.waist.q }, { 0.5 }, 1e-9, "waist")
  end)
  it("ends on its line when that is asked for", function()
    for _, case in ipairs { { "puma560", "hand", { 0, 0, -0.9 } }, { "puma560", "hand", { 0.9, 0.2, -0.4 } } } do
      local off, way = {}, {}
      for _, straight in ipairs { false, true } do
        local robot <close> = rt.connect(case[1])
        robot:home()
        local from, by = hand(robot, case[2]), case[3]
        local worst, length = 0, math.sqrt(by[1] ^ 2 + by[2] ^ 2 + by[3] ^ 2)
        local watch <close> = robot:broadcast(0.004, function(state)
          local p, along, sum = robot.model:fk(state.position, case[2]).position, 0, 0
          for i = 1, 3 do along = along + (p[i] - from.position[i]) * by[i] / length end
          for i = 1, 3 do sum = sum + (p[i] - from.position[i] - along * by[i] / length) ^ 2 end
          worst = math.max(worst, math.sqrt(sum))
        end)
        local _ = watch
        local goal = { position = {}, attitude = from.attitude, straight = straight }
        for i = 1, 3 do goal.position[i] = from.position[i] + by[i] end
        local word, _, result = robot:set_frame(case[2], goal)
        expect.equal("MODIFIED", word)
        expect.equal("limit", result.reason)
        off[straight], way[straight] = result.off.position, worst
      end
      expect.truthy(way[false] > 0.01, ("%.4f m off its line"):format(way[false]))
      expect.truthy(way[true] < 3e-4, ("%.4f m off its line"):format(way[true]))
      expect.truthy(off[true] > 0.01, off[true])
    end
  end)
  it("is stopped by a panic, and by silence", function()
    local robot <close> = rt.connect("puma560")
    local session <close>, ticket = draw_back(robot)
    rt.sleep(0.2)
    robot:panic()
    expect.equal(session:result(ticket), "PANIC")
    rt.sleep(2)
    expect.truthy(not robot:state().moving)
  end)
  it("is no joint: what cannot be says why", function()
    local robot <close> = rt.connect("puma560")
    local wheels <close> = rt.connect("pioneer2")
    expect.equal(wheels:set_frame("root", { position = { 0, 0, 0 }, attitude = { 0, 0, 0 } }), "NA")
    expect.equal(wheels:set_frame_speed("root", { linear = { 0, 0, 0.1 } }), "NA")
    local word, why = robot:result(robot:send { { op = "set_frame", frame = 9 } })
    expect.equal(word, "ERROR")
    expect.equal(why, "the robot has no such control frame")
  end)
  it("is found by inverse kinematics, with what stands in the way", function()
    local robot <close> = rt.connect("puma560")
    local model = robot.model
    local q, report = model:ik("hand", { position = { 0.5, 0.2, 0.6 }, attitude = { math.pi, 0, 0 } })
    expect.truthy(q)
    expect.truthy(report.singularity > 0 and report.position_error < 1e-6)
    near(model:fk(q, "hand").position, { 0.5, 0.2, 0.6 }, 1e-6, "position")
    local none, message, code, tried = model:ik("hand", { position = { 3, 0, 0 } })
    expect.truthy(none == nil and code == "ENONE")
    expect.truthy(message:find("no posture found", 1, true))
    expect.truthy(tried.position_error > 1)
  end)
end)

describe("a flying body", function()
  it("goes and turns by the dofs of its root", function()
    local robot <close> = rt.connect("flyer")
    expect.equal(robot:go_to { x = 1, y = -0.5, theta = 2 }, "SUCCESS")
    local state = robot:state()
    near({ state.x, state.y, state.z, state.theta }, { 1, -0.5, 1.5, 2 }, 1e-4, "pose")
    near({ state.joints.flight.x, state.joints.flight.yaw }, { 1, 2 }, 1e-4, "dofs")
    expect.equal(robot:set_speed { x = 0.3, theta = 0.5 }, "SUCCESS")
    rt.sleep(2)
    state = robot:state()
    near(state.twist, { 0.3, 0, 0 }, 1e-3, "twist")
    near(state.spin, { 0, 0, 0.5 }, 1e-3, "spin")
    expect.truthy(state.theta > 2.8, "turning on")
    expect.equal(robot:stop(), "SUCCESS")
  end)
  it("rises and rolls as control frame 0, and by its joint", function()
    local robot <close> = rt.connect("flyer")
    expect.equal(robot:set_frame("root", { position = { 0, 0, 0.5 }, attitude = { 0.4, 0, 1 } }), "SUCCESS")
    local state = robot:state()
    near(state.pose, { 0, 0, 2 }, 1e-4, "pose")
    near(state.attitude, { 0.4, 0, 1 }, 1e-4, "attitude")
    expect.equal(robot:set_joint("flight", { z = -1, pitch = 0.3 }), "SUCCESS")
    near({ robot:state().z }, { 0.5 }, 1e-9, "height")
  end)
end)
