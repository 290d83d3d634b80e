-- The override: one share of the speeds of all motions, within their accelerations and on their paths. The Pioneer
-- gains and loses 0.3 m/s a second, up to 1.8.
local rt = require "robotalk"
local with_robot = require "tests.lua.with_robot"

-- The time over a way d from rest to rest at most at v with a.
local function trapezoid(d, v, a)
  if v * v / a > d then return 2 * math.sqrt(d / a) end
  return d / v + v / a
end

local function time_of(word, why, result)
  expect.equal("SUCCESS", word, why)
  return result.finished - result.executed
end

describe("an override", function()
  it("scales goals and speeds, and no accelerations", with_robot(function(robot)
    expect.equal(true, robot:override(0.1))
    expect.near(0.1, robot:state().override, 1e-9)
    expect.near(trapezoid(1, 0.18, 0.3), time_of(robot:go_to { x = 1 }), 1e-6)
    expect.near(trapezoid(1, 0.02, 0.3), time_of(robot:go_to { x = 2, speed = 0.2 }), 1e-6)
    robot:set_speed { x = 1 }
    rt.sleep(1)
    expect.near(0.1, robot:state().twist[1], 1e-9)
    robot:override(1)
    rt.sleep(4)
    expect.near(1, robot:state().twist[1], 1e-9)
  end))

  it("is followed by what is under way", with_robot(function(robot)
    local m = robot:begin("go_to", { x = 3, speed = 0.6 })
    rt.sleep(2.5) -- 0.6 m on the ramp, 0.3 m at speed
    local x = robot:state().x
    robot:override(0.5)
    local now = rt.now()
    local _, _, result = m:wait()
    -- from 0.6 to 0.3 m/s in 1 s and 0.45 m, to rest in 1 s and 0.15 m, and the rest at 0.3 m/s
    expect.near(2 + (3 - x - 0.6) / 0.3, result.finished - now, 2e-3)
    expect.near(3, robot:state().x, 1e-6)
    robot:override(1)
  end))

  it("of 0 holds motions where they have braked to, and they go on from there", with_robot(function(robot)
    local m = robot:begin("go_to", { x = 2, y = 1 })
    local head = robot:begin("set_joint", "head", { pan = 1, speed = 0.2 })
    rt.sleep(3)
    robot:override(0)
    rt.sleep(3)
    local there = robot:state()
    expect.equal(0, there.twist[1])
    expect.equal(false, there.moving)
    rt.sleep(20)
    local later = robot:state()
    expect.equal(there.x, later.x)
    expect.equal(there.joints.head.pan, later.joints.head.pan)
    expect.equal(false, m:done() or head:done())
    -- on the line to its goal
    expect.near(0, (later.x * 1 - later.y * 2) / math.sqrt(5), 1e-6)
    expect.truthy(later.x > 0.1 and later.x < 1.9, later.x)
    robot:override(1)
    expect.equal("SUCCESS", (m:wait()))
    expect.equal("SUCCESS", (head:wait()))
    expect.near(2, robot:state().x, 1e-6)
    expect.near(1, robot:state().joints.head.pan, 1e-9)
  end))

  it("leaves who has arrived where he is, whatever his speed was before", with_robot(function(robot)
    for _, away in ipairs { 1, 0 } do
      robot:set_speed { x = 0.1 }
      rt.sleep(1)
      expect.equal("SUCCESS", (robot:go_to { x = away }))
      local x = robot:state().x
      robot:override(0.5)
      rt.sleep(2)
      robot:override(1)
      rt.sleep(2)
      expect.near(x, robot:state().x, 1e-9)
    end
  end))

  it("leaves an arc the arc that it is", with_robot(function(robot)
    robot:set_speed { x = 0.5, theta = 0.5 } -- a circle of 1 m
    rt.sleep(3)
    local function middle(s) return s.x - math.sin(s.theta), s.y + math.cos(s.theta) end
    local x, y = middle(robot:state())
    for _, share in ipairs { 0.3, 0, 0.7, 1 } do
      robot:override(share)
      rt.sleep(2.5)
      local there = robot:state()
      local x1, y1 = middle(there)
      expect.near(x, x1, 1e-5)
      expect.near(y, y1, 1e-5)
      expect.near(0.5 * share, there.twist[1], 1e-9)
    end
  end))

  it("is no hindrance to a stop, nor to what is begun while it holds", with_robot(function(robot)
    robot:set_speed { x = 0.6 }
    rt.sleep(3)
    robot:override(0.5)
    rt.sleep(2)
    expect.near(1, time_of(robot:stop()), 1e-3) -- 0.3 m/s at 0.3 m/s2
    robot:override(0)
    local x = robot:state().x
    local m = robot:begin("go_to", { x = x + 0.5 })
    expect.equal("SUCCESS", (robot:set_speed { x = 0 }))
    expect.equal("superseded", select(3, m:wait()).reason)
    m = robot:begin("go_to", { x = x + 0.5 })
    rt.sleep(5)
    expect.near(x, robot:state().x, 1e-9)
    expect.equal(true, m:cancel())
    expect.equal("SUCCESS", (robot:stop()))
    m = robot:begin("go_to", { x = x + 0.5 })
    robot:override(1)
    expect.equal("SUCCESS", (m:wait()))
    expect.near(x + 0.5, robot:state().x, 1e-6)
  end))

  it("is told to all, and stays when who set it is gone", with_robot(function(robot)
    local other = rt.connect "local:pioneer2"
    local told
    robot:on_notice(function(what, value) if what == "override" then told = value end end)
    other:override(0.25)
    rt.sleep(0.1)
    expect.near(0.25, told, 1e-9)
    other:close()
    rt.sleep(0.1)
    expect.near(0.25, robot:state().override, 1e-9)
    expect.raises("want 0, or 0.001 to 1", robot.override, robot, 1.5)
  end))

  it("is told, too, where the first one is 0", with_robot(function(robot)
    local told
    robot:on_notice(function(what, value) if what == "override" then told = value end end)
    robot:override(0)
    rt.sleep(0.1)
    expect.equal(0.0, told)
  end))

  it("slows down the clock of a sequence, and holds it", with_robot(function(robot)
    local tape <close> = robot:session { mode = "playback", duration = 4 }
    for i = 0, 40 do tape:frame(i * 0.1, { head = { pan = i * 0.01 } }) end
    local t = rt.spawn(function() return tape:finish() end)
    rt.sleep(0.1)
    local begun = rt.now()
    while robot:state().joints.head.pan < 0.1 do rt.sleep(0.01) end
    robot:override(0.5)
    local a = rt.now()
    while robot:state().joints.head.pan < 0.2 do rt.sleep(0.01) end
    expect.near(2, rt.now() - a, 0.15) -- 1 s of the tape
    robot:override(0)
    rt.sleep(0.3)
    local pan = robot:state().joints.head.pan
    rt.sleep(10)
    expect.equal(pan, robot:state().joints.head.pan)
    robot:override(1)
    local b = rt.now()
    local _, report = t:wait()
    expect.near(2, rt.now() - b, 0.2)
    expect.truthy(rt.now() - begun > 14)
    expect.equal(41, report.played)
    expect.equal(0, report.refused)
    expect.near(0.4, robot:state().joints.head.pan, 1e-9)
  end))

  it("slows down a hand on its line, and holds it there", function()
    local robot <close> = rt.connect "puma560"
    expect.equal("SUCCESS", (robot:set_frame("hand", { position = { 0.5, 0.2, 0.67 }, attitude = false })))
    local attitude = robot.model:fk(robot:state().position, "hand").attitude
    local function hand() return robot.model:fk(robot:state().position, "hand").position end
    local function down(z)
      return robot:begin("set_frame", "hand", { position = { 0.5, 0.2, z }, attitude = attitude })
    end
    local whole = time_of(down(0.47):wait())
    local m = down(0.67)
    rt.sleep(whole / 2)
    robot:override(0)
    rt.sleep(1)
    for _, joint in pairs(robot:state().speed) do expect.equal(0, joint) end
    rt.sleep(1)
    local there = hand()
    rt.sleep(2)
    local p = hand()
    expect.near(there[3], p[3], 1e-5)
    expect.truthy(p[3] > 0.48 and p[3] < 0.66, p[3])
    expect.truthy(math.sqrt((p[1] - 0.5) ^ 2 + (p[2] - 0.2) ^ 2) < 3e-4, "off its line")
    expect.equal(false, m:done())
    robot:override(1)
    expect.equal("SUCCESS", (m:wait()))
    robot:override(0.5)
    expect.near(2 * whole, time_of(down(0.47):wait()), 0.3 * whole)
    robot:set_frame_speed("hand", { linear = { 0, 0, 0.1 } })
    rt.sleep(0.5)
    local z, t = hand()[3], rt.now()
    rt.sleep(0.5)
    expect.near(0.05, (hand()[3] - z) / (rt.now() - t), 1e-3)
    robot:override(0)
    rt.sleep(1)
    z = hand()[3]
    rt.sleep(1)
    expect.near(z, hand()[3], 1e-6)
  end)

  it("holds who walks, and lets him walk on", function()
    local robot <close> = rt.connect "asimo"
    local m = robot:begin("go_to", { x = 2 })
    rt.sleep(2)
    robot:override(0)
    rt.sleep(3)
    local x = robot:state().x
    rt.sleep(3)
    expect.near(x, robot:state().x, 1e-9)
    expect.truthy(x > 0.02 and x < 1.98, x)
    expect.equal(false, m:done())
    robot:override(1)
    expect.equal("SUCCESS", (m:wait()))
    expect.near(2, robot:state().x, 1e-3)
  end)

  it("lets nobody walk off who was stopped while it held him", function()
    for _, name in ipairs { "asimo", "aibo_ers7" } do
      local robot <close> = rt.connect(name)
      for _, stop in ipairs { robot.stop, function() robot:set_speed { x = 0 } end } do
        robot:override(0)
        robot:set_speed { x = 0.05 }
        rt.sleep(0.4)
        stop(robot)
        local x = robot:state().x
        robot:override(1)
        rt.sleep(1)
        expect.near(x, robot:state().x, 1e-9)
        robot:stop()
      end
    end
  end)

  it("slows down the joints of a bus", function()
    local robot <close> = rt.connect "arm004"
    local name
    for joint, what in pairs(robot:describe().joints) do
      if type(joint) == "string" and what.dofs > 0 and (not name or joint < name) then name = joint end
    end
    local dof = robot:describe().joints[name].names[1]
    local from = robot:state().joints[name][dof]
    robot:override(0.2)
    expect.near(trapezoid(0.3, 0.05, 2), time_of(robot:set_joint(name, { [dof] = from + 0.3, speed = 0.25 })), 0.3)
    local m = robot:begin("set_joint", name, { [dof] = from, speed = 0.25 })
    rt.sleep(2)
    robot:override(0)
    rt.sleep(1)
    local there = robot:state().joints[name][dof]
    rt.sleep(2)
    expect.near(there, robot:state().joints[name][dof], 2e-3)
    expect.equal(false, m:done())
    robot:override(1)
    expect.equal("SUCCESS", (m:wait()))
  end)
end)
