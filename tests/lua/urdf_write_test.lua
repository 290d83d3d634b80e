-- URDF out: what is written reads as the same robot.
local descriptor = require "robotalk.descriptor"
local spatial = require "robotalk.robot.spatial"
local urdf = require "robotalk.urdf"
local urdf_text = require "tests.lua.urdf_text"
local read, robot, poses, same_poses = urdf_text.read, urdf_text.robot, urdf_text.poses, urdf_text.same_poses
local lines_of, lines_of_messages, near = urdf_text.lines_of, urdf_text.lines_of_messages, urdf_text.near

describe("A descriptor as URDF", function()
  it("reads as the same robot", function()
    for _, name in ipairs { "arm.urdf", "wrist.urdf", "wild.urdf" } do
      for _, fold in ipairs { false, true } do
        local d = read(name, { fold = fold })
        local back, errors = urdf.read(urdf.write(d), "", { fold = true })
        expect.truthy(back, back or lines_of(errors))
        expect.equal(nil, descriptor.check(back))
        if fold then expect.equal(#d.joints, #back.joints) end
        local want, got = poses(d), poses(back)
        for link in pairs(want) do want[link] = got[link] and want[link] end -- folded away
        for number, joint in ipairs(d.joints) do
          if joint.outboard then want[d.links[number].name] = nil end -- its frame is moved to its joint
        end
        expect.truthy(next(want))
        same_poses(want, got)
      end
    end
  end)

  it("keeps masses, limits, mimics and colours", function()
    local d = read "arm.urdf"
    local back = urdf.read(urdf.write(d))
    near(d.links[0].inertia, back.links[0].inertia, "inertia")
    near(d.links[0].com, back.links[0].com, "com")
    expect.equal("#ff800080", back.links[0].shapes[3].colour)
    local dof, same = d.joints[1].dofs[1], back.joints[1].dofs[1]
    near(dof.limit, same.limit, "limit")
    expect.equal(dof.speed, same.speed)
    expect.equal(dof.force, same.force)
  end)

  it("keeps capsules", function()
    local pill = { type = "capsule", size = { 0.25, 2 } }
    local text = urdf.write { name = "pill", links = { [0] = { shapes = { pill } } } }
    expect.truthy(text:find('<capsule radius="0.25" length="2"/>', 1, true), text)
    local shape = urdf.read(text).links[0].shapes[1]
    expect.equal("capsule", shape.type)
    near({ 0.25, 2 }, shape.size, "size")
  end)

  -- The text of a descriptor that is written, read and written so many times.
  local function written(d, times, options)
    local text = urdf.write(d)
    for _ = 2, times do text = urdf.write((assert(urdf.read(text, "", options)))) end
    return text
  end

  it("is the same text after each round", function()
    for _, name in ipairs { "arm.urdf", "wrist.urdf", "wild.urdf" } do
      local d = read(name)
      expect.equal(written(d, 2), written(d, 1), name)
    end
    for _, name in ipairs { "pioneer2", "pioneer2_fast", "aibo_ers7", "aibo_ers210", "asimo", "puma560", "arm004",
      "flyer" } do
      local d = assert(descriptor.load(name))
      expect.equal(written(d, 3), written(d, 2), name)
      expect.equal(written(d, 3, { fold = true }), written(d, 2, { fold = true }), name)
    end
    -- numbers at random, shapes of both kinds in any order
    math.randomseed(5)
    local function r() return 2 * math.random() - 1 end
    for _ = 1, 30 do
      local parts = {}
      for i = 0, 3 do
        parts[#parts + 1] = ([[<link name="l%d"><inertial><origin xyz="%.17g %.17g %.17g" rpy="%.17g %.17g %.17g"/>
          <mass value="%.17g"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="%.17g" ixz="0" iyz="0"/></inertial>]]):format(
            i, r(), r(), r(), 3 * r(), r(), 3 * r(), 1 + math.random(), 0.3 * r())
        for _ = 1, 4 do
          local element = math.random(2) == 1 and "visual" or "collision"
          parts[#parts + 1] = ([[<%s><origin xyz="%.17g 0 1" rpy="%.17g %.17g %.17g"/><geometry><sphere radius="%.17g"/>
            </geometry></%s>]]):format(element, r(), 3 * r(), r(), 3 * r(), 1 + r() / 2, element)
        end
        parts[#parts + 1] = "</link>"
        if i > 0 then
          parts[#parts + 1] = ([[<joint name="j%d" type="%s"><origin xyz="%.17g 0 1" rpy="%.17g %.17g %.17g"/>
            <axis xyz="%.17g %.17g %.17g"/><parent link="l%d"/><child link="l%d"/></joint>]]):format(i,
            math.random(2) == 1 and "fixed" or "continuous", r(), 3 * r(), r(), 3 * r(), r(), r(), r(),
            math.random(0, i - 1), i)
        end
      end
      local d = assert(robot(table.concat(parts)))
      expect.equal(written(d, 2), written(d, 1))
    end
  end)

  it("has masses and inertias that an engine takes", function()
    local text, notes = urdf.write { name = "r",
      links = { [0] = { name = "base" }, { name = "known", mass = 2, inertia = { 0.1, 0.1, 0.15 } },
        { name = "heavy", mass = 1 },
        { name = "flat", mass = 1, com = { 1, 0, 0 }, inertia = { 1, 2, 6, 0.5, 0.1, 0.2 } },
        { name = "light" }, { name = "tiny", mass = 1e-9, inertia = { 1e-18, 1e-18, 1e-18 } } },
      joints = { { dofs = { { name = "a" } }, name = "j" }, { dofs = { { name = "b" } }, name = "k" },
        { dofs = { { name = "c" }, { name = "d", axis = { 1, 0, 0 } } }, name = "l" },
        { dofs = { { name = "e" } }, name = "m" }, { dofs = { { name = "f" } }, name = "n" } } }
    local said = lines_of_messages(notes)
    expect.truthy(said:find("0.001 kg and 1e-06 kg*m2 stand for the mass of links that move, where it is not known: "
      .. "'l.c', 'light'", 1, true), said)
    expect.truthy(said:find("the inertia of a ball of water stands for that of links where it is not known or next "
      .. "to nothing: 'heavy', 'tiny'", 1, true), said)
    expect.truthy(said:find("link 'flat': no body has its inertia", 1, true), said)
    local d, read_notes = urdf.read(text)
    expect.truthy(d and not lines_of(read_notes):find "no body", lines_of(read_notes))
    local by_name = {}
    for _, link in pairs(d.links) do by_name[link.name] = link end
    expect.equal(nil, by_name.base.mass) -- it does not move
    near({ 0.1, 0.1, 0.15 }, by_name.known.inertia, "inertia")
    near({ 1e-6, 1e-6, 1e-6 }, by_name.light.inertia, "inertia")
    near({ 1e-6, 1e-6, 1e-6 }, by_name["l.c"].inertia, "inertia")
    -- 2/5 m r^2 with 4/3 pi r^3 1000 kg/m3 = 1 kg
    local moment = 0.4 * (3 / (4000 * math.pi)) ^ (2 / 3)
    near({ moment, moment, moment }, by_name.heavy.inertia, "inertia")
    -- the greatest moment and its axis stay, the others have become greater by the same
    local was, axis = spatial.principal(spatial.tensor { 1, 2, 6, 0.5, 0.1, 0.2 })
    local is, now = spatial.principal(spatial.tensor(by_name.flat.inertia))
    expect.near(was[3], is[3], 1e-9)
    expect.near(is[3] * (1 + 1e-9), is[1] + is[2], 1e-12)
    expect.near(was[2] - was[1], is[2] - is[1], 1e-9)
    expect.near(1, math.abs(spatial.dot(axis, now)), 1e-12)
    expect.equal(1.0, by_name.flat.mass)
    near({ 1, 0, 0 }, by_name.flat.com, "com")
  end)

  it("says that a force or speed is not known, not that there is none", function()
    local text, notes = urdf.write { name = "r", links = {}, joints = {
      { dofs = { { limit = { -1, 1 } } } }, { dofs = { { limit = { -1, 1 }, speed = 2, force = 3 } } },
      { dofs = { {} } },
      { dofs = { { speed = 2 } } }, { dofs = { { type = "prismatic" } } } } }
    local limits = {}
    for limit in text:gmatch "<limit[^>]*>" do limits[#limits + 1] = limit end
    expect.equal('<limit lower="-1" upper="1" effort="1000000000" velocity="1000000000"/>\n' ..
      '<limit lower="-1" upper="1" effort="3" velocity="2"/>\n<limit effort="1000000000" velocity="2"/>\n' ..
      '<limit lower="-1000000000" upper="1000000000" effort="1000000000" velocity="1000000000"/>',
      table.concat(limits, "\n"))
    expect.truthy(lines_of_messages(notes):find(
      'effort="1000000000" stands for the greatest force of dofs where it is not known', 1, true))
    local d, read_notes = urdf.read(text)
    expect.equal(nil, d.joints[1].dofs[1].force)
    expect.equal(nil, d.joints[1].dofs[1].speed)
    expect.equal(3.0, d.joints[2].dofs[1].force)
    expect.truthy(not lines_of(read_notes):find "effort" and not lines_of(read_notes):find "velocity")
  end)

  it("has no shapes without extent", function()
    local text, notes = urdf.write { name = "r", links = { [0] = { name = "a", shapes = { { type = "box" },
      { type = "sphere", size = 0 }, { type = "box", size = 0.5 },
      { type = "mesh", file = "a.stl", size = 0.001 } } } } }
    local shapes = {}
    for shape in text:gmatch "<geometry>(.-)</geometry>" do shapes[#shapes + 1] = shape end
    expect.equal('<box size="0.5 0.5 0.5"/>\n<mesh filename="a.stl" scale="0.001 0.001 0.001"/>',
      table.concat(shapes, "\n"))
    expect.truthy(lines_of_messages(notes):find("link 'a': a box without extent is left out", 1, true))
  end)

  it("names each field that it has no place for, also one that the specification has got since", function()
    local robot_kind = require "robotalk.descriptor.check".kinds.robot
    table.insert(robot_kind, { "serial", "text", max = 31, doc = "for this test" })
    local _, notes = urdf.write { name = "r", serial = "x", joints = {}, links = { [0] = { name = "a",
      shapes = { { type = "box", size = 0.5, friction = 0.3, roll = "caster" } } } } }
    table.remove(robot_kind)
    expect.equal("roll of a shape has no place in URDF and is left out\n"
      .. "friction of a shape has no place in URDF and is left out\n"
      .. "serial of a robot has no place in URDF and is left out", lines_of_messages(notes))
  end)

  it("makes chains of joints of several dofs", function()
    local text, notes = urdf.write {
      name = "a & b", deadman = 0.5, base = { speed = { x = 1 } },
      links = { [0] = { name = "trunk", mass = 1, com = { 0, 0, 0.5 } },
        { name = "head", mass = 1, com = { 0.1, 0, 0 } } },
      joints = { { name = "neck", parent = "trunk", inboard = { 0, 0, 0.5 }, outboard = { -0.2, 0, 0 }, dofs = {
        { name = "pan", limit = { -1, 1 }, speed = 2 },
        { name = "tilt", axis = { 0, 1, 0 }, mimic = { joint = "neck", dof = "pan", ratio = 0.5 } } } } },
      frames = { { name = "eye", link = "head", position = { 0.2, 0, 0 } } },
    }
    local said = lines_of_messages(notes)
    for _, want in ipairs { "link 'head': its frame is moved to its joint", "deadman of a robot has no place in URDF",
      "base of a robot has no place in URDF" } do
      expect.truthy(said:find(want, 1, true), said)
    end
    local d = urdf.read(text, "", { fold = true })
    expect.equal("a & b", d.name)
    expect.equal("neck", d.joints[1].name)
    expect.equal("pan tilt", d.joints[1].dofs[1].name .. " " .. d.joints[1].dofs[2].name)
    near({ 0, 0, 1 }, d.joints[1].position, "position") -- 0.5 above the centre of mass
    -- the joint is 0.2 behind the centre of mass, so 0.1 behind where the head's frame was
    near({ 0.2, 0, 0 }, d.links[1].com, "com")
    near({ 0.3, 0, 0 }, d.frames[1].position, "frame")
    expect.equal("pan", d.joints[1].dofs[2].mimic.dof)
    expect.equal(0.5, d.joints[1].dofs[2].mimic.ratio)
  end)

  it("hangs several roots on a world", function()
    local d, notes = urdf.read((urdf.write {
      name = "two", links = { [0] = { name = "one" }, { name = "other", position = { 1, 2, 3 } } },
      joints = { { name = "free", parent = "world", dofs = { { type = "prismatic" } } } },
    }))
    expect.equal("world", d.links[0].name)
    expect.equal("one", d.frames[1].name)
    near({ 1, 2, 3 }, d.joints[1].position, "position")
    expect.equal(nil, d.joints[1].dofs[1].limit)
    expect.truthy(lines_of(notes):find "no limit is taken")
  end)
end)
