-- Four-legged robots of one's own, with weight and nothing said of how they walk.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"

-- The inertia of a rod of that mass and length along z.
local function rod(mass, length)
  local across = mass / 12 * length * length
  return { across, across, across / 5 }
end

-- Three dofs a leg. m: masses and lengths, in kg and m.
local function quadruped(m)
  local bend = 0.5 -- rad, of hips; knees twice as much the other way: feet are below the hips
  local height = (m.thigh + m.shin) * math.cos(bend) + m.foot
  local links = { [0] = { name = "trunk", mass = m.trunk, inertia = m.inertia, position = { 0, 0, height },
    shapes = { { type = "box", size = { 2.2 * m.ahead, 1.6 * m.aside, 0.4 * m.ahead } } } } }
  local joints, frames = {}, {}
  local function hinge(name, leg, parent, position, axis, home)
    joints[#joints + 1] = { name = name, leg = leg, parent = parent, position = position, driver = "legs",
      dofs = { { axis = axis, limit = { -2.4, 1.6 }, speed = 8, acceleration = 100, force = m.force, home = home } } }
  end
  for i, leg in ipairs { { "fl", 1, 1 }, { "fr", 1, -1 }, { "hl", -1, 1 }, { "hr", -1, -1 } } do
    local name = leg[1]
    links[#links + 1] = { name = name .. "_hip", mass = m.masses[1], inertia = rod(m.masses[1], m.thigh / 2) }
    links[#links + 1] = { name = name .. "_thigh", mass = m.masses[2], com = { 0, 0, -m.thigh / 2 },
      inertia = rod(m.masses[2], m.thigh) }
    links[#links + 1] = { name = name .. "_shin", mass = m.masses[3], com = { 0, 0, -m.shin / 2 },
      inertia = rod(m.masses[3], m.shin),
      shapes = { { type = "sphere", size = m.foot, position = { 0, 0, -m.shin } } } }
    hinge(name .. "_roll", i, "trunk", { leg[2] * m.ahead, leg[3] * m.aside, 0 }, { 1, 0, 0 })
    hinge(name .. "_pitch", i, nil, { 0, 0, 0 }, { 0, 1, 0 }, bend)
    hinge(name .. "_knee", i, nil, { 0, 0, -m.thigh }, { 0, 1, 0 }, -2 * bend)
    frames[i] = { name = name, link = name .. "_shin", position = { 0, 0, -m.shin - m.foot } }
  end
  return { name = "beast", links = links, joints = joints, frames = frames,
    base = { driver = "legs", holonomic = true, speed = { x = 0.2, y = 0.1, theta = 0.8 },
      acceleration = { x = 0.5, y = 0.5, theta = 2 } },
    sensors = { { name = "imu", type = "imu", link = "trunk" } },
    drivers = { legs = { driver = "physics", feet = "fl fr hl hr" } } }
end

-- Shins of 0.12 kg are as light as a hobbyist's, of which a knee moves 4e-4 kg m2, and bears eighty times that.
local KINDS <const> = {
  { "as small as a cat", { trunk = 1.4, inertia = { 0.002, 0.006, 0.007 }, ahead = 0.09, aside = 0.06,
    masses = { 0.05, 0.06, 0.04 }, thigh = 0.075, shin = 0.075, foot = 0.01, force = 4 } },
  { "with light shins", { trunk = 3, inertia = { 0.01, 0.03, 0.035 }, ahead = 0.15, aside = 0.09,
    masses = { 0.15, 0.2, 0.12 }, thigh = 0.11, shin = 0.1, foot = 0.015, force = 15 } },
  { "of 30 kg", { trunk = 18, inertia = { 0.3, 1.1, 1.2 }, ahead = 0.3, aside = 0.16,
    masses = { 1.2, 1.2, 0.5 }, thigh = 0.26, shin = 0.26, foot = 0.025, force = 90 } },
}

-- The greatest of what it felt as pushing it up, and the least, in m/s2.
local function feel(robot, seconds)
  local least, most = math.huge, -math.huge
  for _ = 1, seconds / 0.01 do
    rt.sleep(0.01)
    local up = robot:sense("imu").acceleration[3]
    least, most = math.min(least, up), math.max(most, up)
  end
  return least, most
end

for _, kind in ipairs(KINDS) do
  describe("a four-legged robot of one's own, " .. kind[1], function()
    local robot

    before_each(function()
      assert(rt.add_robot(quadruped(kind[2])))
      robot = rt.connect("local:beast", { deadman = 1000 })
      rt.sleep(1)
    end)

    after_each(function()
      robot:close()
      core.remove_robot "beast"
    end)

    it("stands still", function()
      local from = robot:state()
      local least, most = feel(robot, 5)
      local to = robot:state()
      expect.near(9.80665, least, 0.05)
      expect.near(9.80665, most, 0.05)
      expect.near(from.x, to.x, 0.002)
      expect.near(from.y, to.y, 0.002)
      expect.near(from.z, to.z, 0.001)
      expect.near(from.theta, to.theta, 0.005)
    end)

    it("goes half a metre and turns", function()
      local from = robot:state()
      expect.equal("SUCCESS", (robot:go_to { x = from.x + 0.5, y = from.y }))
      local to = robot:state()
      expect.near(from.x + 0.5, to.x, 0.035)
      expect.near(from.y, to.y, 0.035)
      expect.equal("SUCCESS", (robot:set_speed { theta = 0.5 }))
      rt.sleep(3)
      expect.near(1.5, robot:state().theta - to.theta, 0.2)
      expect.equal("SUCCESS", (robot:stop()))
      expect.near(from.z, robot:state().z, 0.02)
    end)

    -- As its feet come to stand its weight takes it on, back where its thighs are behind its feet.
    it("stands where it was sent, and not where it was when it stopped", function()
      local far = 0
      for _, way in ipairs { { 0.3, 0.2, 0.5 }, { -0.2, 0.3, -0.5 }, { 0.1, -0.4, 0.8 } } do
        local from = robot:state()
        local goal = { x = from.x + way[1], y = from.y + way[2], theta = from.theta + way[3] }
        expect.equal("SUCCESS", (robot:go_to(goal)))
        rt.sleep(0.5)
        local to = robot:state()
        local off = math.sqrt((to.x - goal.x) ^ 2 + (to.y - goal.y) ^ 2)
        expect.truthy(off < 0.03, off)
        far = far + off / 3
      end
      expect.truthy(far < 0.02, far)
    end)

    it("walks level, ahead and aside", function()
      for _, v in ipairs { { x = 0.15, y = 0 }, { x = 0, y = 0.08 }, { x = -0.15, y = 0 } } do
        local from, lean = robot:state(), 0
        robot:set_speed(v)
        for _ = 1, 80 do
          rt.sleep(0.05)
          local attitude = robot:state().attitude
          lean = math.max(lean, math.abs(attitude[1]), math.abs(attitude[2]))
        end
        local to = robot:state()
        local c, s = math.cos(from.theta), math.sin(from.theta)
        expect.near(4 * v.x, c * (to.x - from.x) + s * (to.y - from.y), 0.08)
        expect.near(4 * v.y, c * (to.y - from.y) - s * (to.x - from.x), 0.04)
        expect.truthy(lean < math.rad(4), lean)
        robot:stop()
      end
    end)
  end)
end

describe("options of legs", function()
  it("that are for their weight may stand there for the driver walk, too", function()
    local d = quadruped(KINDS[1][2])
    d.drivers.legs = { driver = "walk", feet = "fl fr hl hr", bandwidth = 6, damping = 1, tolerance = 0.02,
      step = 0.001, selfcollision = false }
    expect.equal(nil, (descriptor.check(d)))
    d.drivers.legs.bandwith = 6
    expect.equal("drivers.legs.bandwith", descriptor.check(d)[1].path)
  end)
end)
