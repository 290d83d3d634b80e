-- URDF in: what each element becomes, and what a file that is wrong is told. Out: urdf_write_test.lua.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local spatial = require "robotalk.robot.spatial"
local urdf = require "robotalk.urdf"
local urdf_text = require "tests.lua.urdf_text"
local FOLDER, text_of, read, robot = urdf_text.FOLDER, urdf_text.text_of, urdf_text.read, urdf_text.robot
local lines_of, near, poses, same_poses = urdf_text.lines_of, urdf_text.near, urdf_text.poses, urdf_text.same_poses

local function expect_lines(want, got) expect.equal(table.concat(want, "\n"), lines_of(got)) end

describe("XML", function()
  it("becomes tables with places", function()
    local root = core.xml_parse "<a x='1'>text\n <b/><c><d y='&lt;'/></c></a>"
    expect.equal("a", root.name)
    expect.equal("1", root.attributes.x)
    expect.equal(2, #root.children)
    local d = root.children[2].children[1]
    expect.equal("<", d.attributes.y)
    expect.equal(2, d.line)
    expect.equal(9, d.column) -- after " <b/><c>"
  end)

  it("is bounded, and told where it is wrong", function()
    local function wrong(text)
      local root, message, line, column = core.xml_parse(text)
      expect.equal(nil, root)
      return ("%d:%d: %s"):format(line, column, message)
    end
    expect.equal("1:9: mismatched tag", wrong "<a><b></a>")
    expect.equal("1:1: no element found", wrong "")
    expect.equal("1:4: undefined entity", wrong "<a>&x;</a>")
    expect.equal("1:193: elements are nested deeper than 64", wrong(("<a>"):rep(65))) -- 64 * 3 before the 65th
    expect.truthy(core.xml_parse(("<a>"):rep(64) .. ("</a>"):rep(64)))
    expect.truthy(wrong("<a>" .. ("<b/>"):rep(200000) .. "</a>"):find "more than 200000 elements")
    expect.equal("1:1: longer than 16 MiB", wrong((" "):rep(16 * 1024 * 1024 + 1)))
    expect.truthy(wrong "<!DOCTYPE a><a/>":find "DOCTYPE")
  end)
end)

describe("Angles", function()
  it("come back from their rotation, near a quarter turn of pitch too", function()
    for _, pitch in ipairs { 0, 0.3, -1.2, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-7, math.pi / 2 - 1e-11 } do
      local r = spatial.from_angles { 0.4, pitch, -2.5 }
      near(r, spatial.from_angles(spatial.to_angles(r)), "pitch " .. pitch)
    end
  end)

  it("turn about fixed axes: roll first, yaw last", function()
    -- x to y by the yaw alone; then y by roll to z, which the yaw leaves
    near({ 0, 1, 0 }, spatial.turn(spatial.from_angles { 0, 0, math.pi / 2 }, { 1, 0, 0 }), "yaw")
    near({ 0, 0, 1 }, spatial.turn(spatial.from_angles { math.pi / 2, 0, math.pi / 2 }, { 0, 1, 0 }), "roll, yaw")
    near({ 0, 0, -1 }, spatial.turn(spatial.from_angles { 0, math.pi / 2, 0 }, { 1, 0, 0 }), "pitch")
  end)
end)

describe("A URDF file", function()
  it("is links, joints and frames", function()
    local d, notes = read("arm.urdf", { package_paths = { FOLDER .. "/packages" } })
    expect.equal("arm", d.name)
    expect.equal(8, #d.links + 1)
    local names = {}
    for i = 0, 7 do names[#names + 1] = d.links[i].name end
    expect.equal("base upper_arm carriage disc puck drone finger1 finger2", table.concat(names, " "))
    expect.equal(nil, descriptor.check(d))
    expect_lines({
      "3:1: URDF does not say whether the root moves: there is no base",
      "47:5: <dynamics> in <joint> is skipped",
      "51:3: joint 'slide': 0 is beyond its limits; home is the nearest position to it",
      "102:3: <transmission> in <robot> is skipped (2 times)",
      "104:3: <gazebo> in <robot> is skipped",
    }, notes)
    expect.equal(true, notes[3].guess)
    expect.equal("joints[2].dofs[1].home", notes[3].path)
    expect.equal(nil, notes[1].guess)
  end)

  it("merges what is fixed, by the parallel axis theorem", function()
    local d = read "arm.urdf"
    local base = d.links[0]
    -- 2 kg at (0, 0, 0.1) and 2 kg at (1, 0, 0.1): each 0.5 m from (0.5, 0, 0.1), which adds 2 * 2 * 0.25 about y and
    -- z; the weight's 0.03 and 0.05 change places by the quarter turn about z
    expect.equal(4.0, base.mass)
    near({ 0.5, 0, 0.1 }, base.com, "com")
    near({ 0.02 + 0.05, 0.02 + 0.03 + 1, 0.01 + 0.04 + 1 }, base.inertia, "inertia")
    near({ 1, 0, 0.1 }, d.frames[1].position, "frame")
    near({ 0, 0, math.pi / 2 }, d.frames[1].attitude, "frame")
    expect.equal("weight", d.frames[1].name)
    expect.equal(0, d.frames[1].link)
    -- the shoulder is 0.5 m above the weight and turned with it
    local shoulder = d.joints[1]
    expect.equal(0, shoulder.parent)
    near({ 1, 0, 0.6 }, shoulder.position, "shoulder")
    -- a quarter turn about z in front of a rotation: its rows are minus the second, the first, the third
    local r = spatial.from_angles { 0.1, 0.2, 0.3 }
    near({ { -r[2][1], -r[2][2], -r[2][3] }, r[1], r[3] }, shoulder.rest, "rest")
  end)

  it("has dofs for every type of joint", function()
    local d = read "arm.urdf"
    local shoulder, slide, wheel = d.joints[1].dofs[1], d.joints[2].dofs[1], d.joints[3].dofs[1]
    expect.equal("revolute", shoulder.type)
    near({ 0, 1, 0 }, shoulder.axis, "axis") -- of length 1
    near({ -1, 1.5 }, shoulder.limit, "limit")
    expect.equal(2.0, shoulder.speed)
    expect.equal(30.0, shoulder.force)
    expect.equal(nil, shoulder.home)
    expect.equal("prismatic", slide.type)
    near({ 1, 0, 0 }, slide.axis, "axis") -- x unless said
    expect.equal(0.1, slide.home)
    expect.equal("revolute", wheel.type)
    expect.equal(nil, wheel.limit)
    local function kinds(joint)
      local words = {}
      for _, dof in ipairs(joint.dofs) do
        words[#words + 1] = ("%s %s %g %g %g"):format(dof.name, dof.type:sub(1, 1), table.unpack(dof.axis))
      end
      return table.concat(words, ", ")
    end
    expect.equal("x p 1 0 0, y p 0 1 0, theta r 0 0 1", kinds(d.joints[4]))
    expect.equal("x p 1 0 0, y p 0 1 0, z p 0 0 1, yaw r 0 0 1, pitch r 0 1 0, roll r 1 0 0", kinds(d.joints[5]))
  end)

  it("moves in the plane normal to the axis", function()
    for _, axis in ipairs { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 }, { 1, 2, -3 } } do
      local d = robot(([[<link name="a"/><link name="b"/><joint name="j" type="planar"><parent link="a"/>
        <child link="b"/><axis xyz="%g %g %g"/></joint>]]):format(table.unpack(axis)))
      local x, y, n = d.joints[1].dofs[1].axis, d.joints[1].dofs[2].axis, d.joints[1].dofs[3].axis
      local length = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2)
      near({ axis[1] / length, axis[2] / length, axis[3] / length }, n, "normal")
      -- right-handed: x cross y is the normal
      near({ x[2] * y[3] - x[3] * y[2], x[3] * y[1] - x[1] * y[3], x[1] * y[2] - x[2] * y[1] }, n, "cross")
      expect.near(1, x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2, 1e-12)
    end
  end)

  it("flies by roll, pitch, yaw about fixed axes", function()
    local d = robot [[<link name="a"/><link name="b"/><joint name="j" type="floating"><parent link="a"/>
      <child link="b"/></joint>]]
    local q = { 1, 2, 3, 0.3, 0.2, 0.1 } -- x, y, z, yaw, pitch, roll
    local free = poses(d, function(n) return q[n] end).b
    local fixed = robot [[<link name="a"/><link name="b"/><joint name="j" type="fixed"><origin xyz="1 2 3"
      rpy="0.1 0.2 0.3"/><parent link="a"/><child link="b"/></joint>]]
    near({ 0.1, 0.2, 0.3 }, fixed.frames[1].attitude, "attitude")
    near({ 1, 2, 3 }, free.p, "position")
    near(spatial.from_angles { 0.1, 0.2, 0.3 }, free.r, "rotation")
  end)

  it("follows mimics to the joint that moves by itself", function()
    local d = read "arm.urdf"
    local first, second = d.joints[6].dofs[1].mimic, d.joints[7].dofs[1].mimic
    -- 2 * (0.5 * shoulder + 0.25) - 1
    expect.equal("shoulder", first.joint)
    expect.equal(nil, first.ratio) -- 1
    expect.equal(-0.5, first.shift)
    expect.equal("shoulder", second.joint)
    expect.equal(0.5, second.ratio)
    expect.equal(0.25, second.shift)
  end)

  it("leaves out a mimic that would never move", function()
    local d, notes = robot [[<link name="a"/><link name="b"/><link name="c"/>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
      <joint name="k" type="continuous"><parent link="a"/><child link="c"/><mimic joint="j" multiplier="0"/></joint>]]
    expect.equal(nil, d.joints[2].dofs[1].mimic)
    expect.truthy(lines_of(notes):find("3:76: joint 'k': <mimic> with a multiplier of 0 is left out", 1, true))
    expect.equal(nil, descriptor.check(d))
  end)

  it("has shapes, coloured by name or by themselves", function()
    local d, notes = read("arm.urdf", { package_paths = { "nowhere", FOLDER .. "/packages" } })
    local box, ball, cylinder = table.unpack(d.links[0].shapes)
    expect.equal("box", box.type)
    near({ 0.2, 0.3, 0.1 }, box.size, "size")
    near({ 0, 0, 0.05 }, box.position, "position")
    expect.equal("#808080", box.colour) -- round(0.5 * 255) is 128
    expect.equal(nil, box.solid)
    expect.equal("sphere", ball.type)
    expect.equal(true, ball.solid)
    near({ 0.25 }, ball.size, "size")
    expect.equal("cylinder", cylinder.type)
    near({ 0.1, 0.4 }, cylinder.size, "size")
    near({ 1, 0.5, 0.1 }, cylinder.position, "position") -- 0.5 along the weight's x, which is the base's y
    near({ 0, 0, math.pi / 2 }, cylinder.attitude, "attitude")
    expect.equal("#ff800080", cylinder.colour)
    local mesh = d.links[3].shapes[1]
    expect.equal("#ff800080", mesh.colour) -- a material of another link
    expect.equal(FOLDER .. "/packages/arm_description/meshes/hand.stl", mesh.file)
    near({ 0.001, 0.001, 0.001 }, mesh.size, "scale")
    expect.equal(nil, lines_of(notes):find "mesh")
    -- from a folder of the package itself
    d = urdf.read(text_of "arm.urdf", "", { folder = FOLDER .. "/packages/arm_description/urdf" })
    expect.equal(FOLDER .. "/packages/arm_description/meshes/hand.stl", d.links[3].shapes[1].file)
    d, notes = urdf.read(text_of "arm.urdf")
    expect.equal("package://arm_description/meshes/hand.stl", d.links[3].shapes[1].file)
    expect.truthy(lines_of(notes):find "was not found; its name is kept")
  end)

  it("loads though numbers in it make no sense", function()
    local d, notes = read "wild.urdf"
    expect.equal(nil, descriptor.check(d))
    expect.equal("a robot whose name is longe~1", d.name)
    expect.equal(nil, d.links[0].mass)
    expect.equal(1, #d.links[0].shapes)
    expect.equal(1.0, d.links[1].mass)
    expect.equal(nil, d.links[1].inertia)
    near({ -1, 1 }, d.joints[1].dofs[1].limit, "limit")
    expect.equal(nil, d.joints[1].dofs[1].speed)
    expect.equal(nil, d.joints[2].dofs[1].limit)
    near({ 0.5, 2e6 }, d.joints[3].dofs[1].limit, "limit")
    expect_lines({
      "1:1: robot 'a robot whose name is longer than a record can hold': a name has at most 31 bytes: it is called " ..
        "'a robot whose name is longe~1'",
      "1:1: URDF does not say whether the root moves: there is no base",
      "3:15: link 'base': a mass of -1 kg with an inertial is left out, and the inertia",
      "4:5: link 'base': a <box> without extent is left out",
      "5:23: <ellipsoid> in <geometry> is skipped",
      "6:5: mesh 'nowhere.dae' was not found; its name is kept",
      "6:23: link 'base': <mesh scale='1 -1 1'> mirrors the mesh; it is kept as it stands in its file",
      "6:79: there is no colour for the material 'unknown'",
      "9:32: link 'arm': the inertia is left out: no body has it",
      "12:32: link 'hand': an inertia of 0 is left out",
      "13:5: <sensor> in <link> is skipped",
      "17:5: joint 'turned': <limit velocity='0'> is left out",
      "17:5: joint 'turned': <limit effort='-5'> is left out",
      "17:5: joint 'turned': lower is above upper: they are taken the other way round",
      "19:3: joint 'unlimited': prismatic without <limit>: no limit is taken",
      "23:3: joint 'far': 0 is beyond its limits; home is the nearest position to it",
      "25:5: joint 'far': limits beyond 2000000: 0.5 to 2000000 is taken",
    }, notes)
  end)

  it("loads as in ROS, with a note on what is strange", function()
    local d, notes = robot [[
      <xacro:sensors_of_ours parent="a"/>
      <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5"/></inertial></link>
      <link name="b"><visual><geometry><mesh filename="file:///no/b.stl" scale="2 2 2 1"/></geometry></visual></link>
      <link name="c"/><link name="d"/><link name="e"/>
      <joint name="free" type="revolute"><parent link="a"/><child link="b"/><limit effort="1" velocity="1"/></joint>
      <joint name="half" type="revolute"><parent link="b"/><child link="c"/>
        <limit lower="-1" effort="1" velocity="1"/><mimic joint="nobody"/></joint>
      <joint name="degrees" type="revolute"><parent link="c"/><child link="d"/>
        <limit lower="-90" upper="90" effort="1" velocity="1"/></joint>
      <joint name="turned" type="prismatic"><parent link="d"/><child link="e"/>
        <limit lower="2" upper="1" effort="1" velocity="1"/></joint>]]
    expect.equal(nil, descriptor.check(d))
    expect_lines({
      "1:1: URDF does not say whether the root moves: there is no base",
      "1:23: <xacro:sensors_of_ours> is skipped: xacro did not expand it",
      "2:49: link 'a': the inertia is kept, but no body has it: its greatest principal moment is 150 % larger than the "
        .. "other two together",
      "3:22: mesh 'file:///no/b.stl' was not found; its name is kept",
      "3:40: link 'b': <mesh scale='2 2 2 1'>: expected three numbers: '1' is skipped",
      "5:77: joint 'free': <limit> without lower and upper: no limit is taken",
      "7:9: joint 'half': <limit> without upper: it is 0",
      "7:52: joint 'half': <mimic joint='nobody'>: there is no such joint: it moves by itself",
      "9:9: joint 'degrees': limits from -90 to 90 rad: are these degrees?",
      "10:7: joint 'turned': 0 is beyond its limits; home is the nearest position to it",
      "11:9: joint 'turned': lower is above upper: they are taken the other way round",
    }, notes)
    near({ 1, 1, 5 }, d.links[0].inertia, "inertia")
    near({ 2, 2, 2 }, d.links[1].shapes[1].size, "scale")
    near({ -1, 0 }, d.joints[2].dofs[1].limit, "limit")
    expect.equal(nil, d.joints[2].dofs[1].mimic)
    near({ 1, 2 }, d.joints[4].dofs[1].limit, "limit")
    for _, note in ipairs(notes) do
      if note.message:find "other way round" then expect.equal("joints[4].dofs[1].limit", note.path) end
    end
  end)

  it("is told everything that is wrong at once", function()
    local d, errors = read "wrong.urdf"
    expect.equal(nil, d)
    expect_lines({
      "3:13: link 'base': <origin xyz='0 0'>: expected three numbers, found 2",
      "3:42: link 'base': <box size='1 2 big'>: expected three numbers, 'big' is not a number",
      "4:13: link 'base': <geometry>: expected box, cylinder, sphere, mesh or capsule",
      "5:26: link 'base': <cylinder>: expected length='…'",
      "6:15: link 'base': <mass value='heavy'>: expected a number",
      "8:3: <link>: expected name='…'",
      "9:3: link 'base': there is one of this name in line 2 already",
      "12:5: joint 'elbow': <origin xyz='0 0 nan'>: expected three numbers, 'nan' is not a finite number",
      "12:5: joint 'elbow': <origin rpy='0, 0, 0'>: expected three numbers, '0,' is not a number",
      "14:5: joint 'elbow': <axis xyz='0 0 0'>: expected a direction",
      "15:5: joint 'elbow': <limit upper='x'>: expected a number",
      "17:3: joint 'ball': <joint type='spherical'>: expected revolute, continuous, prismatic, fixed, floating or " ..
        "planar",
      "18:26: joint 'ball': <child link='nobody'>: there is no such link",
      "20:3: joint 'elbow': expected <child link='…'>",
      "20:3: joint 'elbow': there is one of this name in line 11 already",
      "24:26: link 'arm' hangs on the joints 'elbow' and 'second': expected one",
      "28:5: joint 'mesh': <origin xyz='0 0 1e9'>: expected no more than 2000000 m",
      "29:5: joint 'mesh': <limit upper='1e999'>: expected a finite number",
      "31:38: link 'far': <mesh>: expected filename='…'",
    }, errors)
  end)

  it("must be one tree of links", function()
    for name, message in pairs {
      ["circle.urdf"] = "6:3: links hang on each other in a circle: b, a",
      ["roots.urdf"] = "3:3: 2 links hang on no joint, expected one root: 'one', 'two'",
      ["mimics.urdf"] = "4:43: joint 'a': <mimic joint='b'>: joints mimic each other in a circle",
      ["macros.urdf"] = "2:3: <xacro:property> has to go through xacro first: run `xacro file.xacro > file.urdf`",
      ["doctype.urdf"] = "2:17: not XML: expected no DOCTYPE: entities are not expanded",
    } do
      local d, errors = read(name)
      expect.equal(nil, d)
      expect.equal(message, lines_of(errors), name)
    end
    local _, errors = robot '<link name="${prefix}base"/>'
    expect.equal("1:17: ${prefix}base has to go through xacro first: run `xacro file.xacro > file.urdf`",
      lines_of(errors))
    _, errors = urdf.read "<model/>"
    expect.equal("1:1: <model>: expected <robot>", lines_of(errors))
    _, errors = robot ""
    expect.equal("1:1: <robot>: expected at least one <link>", lines_of(errors))
    _, errors = urdf.read "<robot><link name='a'"
    expect.equal("1:8: not XML: unclosed token", lines_of(errors))
    -- lines before the declaration are no XML, but counted
    _, errors = urdf.read "\n\n<?xml version='1.0'?>\n<model/>"
    expect.equal("4:1: <model>: expected <robot>", lines_of(errors))
  end)
end)

-- A robot of n links in a row; each joint of the given type.
local function chain(n, kind)
  local parts = { '<link name="l0"/>' }
  for i = 1, n do
    parts[#parts + 1] = ([[<link name="l%d"/>
      <joint name="j%d" type="%s"><parent link="l%d"/><child link="l%d"/></joint>]]):format(i, i, kind, i - 1, i)
  end
  return table.concat(parts)
end

describe("A URDF file beyond the limits", function()
  it("has too many dofs or links: an error says how many", function()
    expect.truthy(robot(chain(511, "continuous")))
    local _, errors = robot(chain(512, "continuous"))
    expect.equal("1:1: 513 links, those that are fixed to each other counted as one: expected at most 512",
      lines_of(errors))
    _, errors = robot(chain(100, "floating"))
    expect.equal("1:1: 600 dofs: expected at most 512", lines_of(errors))
    -- 10,000 in a row that are fixed are one link
    local d = robot(chain(10000, "fixed"))
    expect.equal(0, #d.links)
    expect.equal(255, #d.frames) -- with the root's own 256
  end)

  it("has too many shapes: the rest is left out", function()
    local ball = "<visual><geometry><sphere radius='1'/></geometry></visual>"
    local d, notes = robot('<link name="a">' .. ball:rep(1034) .. "</link>")
    expect.equal(1024, #d.links[0].shapes)
    expect.truthy(lines_of(notes):find("more than 1024 shapes: the rest is left out (10 times)", 1, true))
  end)

  it("has long names: each gets one of its own", function()
    local long = ("x"):rep(40)
    local d, notes = robot(([[<link name="base"/><link name="%s1"/><link name="%s2"/>
      <joint name="%s3" type="continuous"><parent link="base"/><child link="%s1"/></joint>
      <joint name="%s4" type="continuous"><parent link="base"/><child link="%s2"/></joint>]]):gsub("%%s", long))
    expect.equal(("x"):rep(27) .. "~1", d.links[1].name)
    expect.equal(("x"):rep(27) .. "~2", d.links[2].name)
    expect.equal(("x"):rep(27) .. "~2", d.joints[2].name)
    expect.equal(5, #notes) -- one of each, and the one on the base
    expect.equal(nil, descriptor.check(d))
    -- no half characters: é has two bytes, the 14th would be cut
    d = robot(('<link name="%s"/>'):format(("é"):rep(20)))
    expect.equal(("é"):rep(13) .. "~1", d.links[0].name)
  end)
end)

describe("A chain of joints", function()
  it("is one joint when its axes meet", function()
    local apart, together = read "wrist.urdf", read("wrist.urdf", { fold = true })
    expect.equal(4, #apart.joints)
    near({ 0, 0, 0.5 }, apart.joints[1].rest, "rest") -- angles, as the file has them
    expect.equal(2, #together.joints)
    expect.equal(nil, descriptor.check(together))
    local wrist = together.joints[1]
    expect.equal("wrist", wrist.name)
    expect.equal("roll pitch yaw", table.concat({ wrist.dofs[1].name, wrist.dofs[2].name, wrist.dofs[3].name }, " "))
    expect.equal("hand", together.links[1].name)
    expect.equal(2.0, wrist.dofs[2].speed)
    -- what is left has the same poses, in the same order of dofs
    local want = poses(apart)
    want.a, want.b = nil, nil
    same_poses(want, poses(together))
  end)

  it("is one joint whatever its axes are, and moves as before", function()
    math.randomseed(1)
    local function random() return 2 * math.random() - 1 end
    for _ = 1, 100 do
      -- frames turned at random; each revolute joint somewhere on its axis, which goes through one point
      local count, point = math.random(2, 6), { random(), random(), random() }
      local parts, above = { '<link name="l0"/>' }, spatial.nowhere()
      for i = 1, count do
        local axis, at = spatial.unit { random(), random(), random() }, { random(), random(), random() }
        local kind = math.random(3) == 1 and "prismatic" or "continuous"
        local r = spatial.from_angles { 3 * random(), 1.5 * random(), 3 * random() }
        if kind == "continuous" then at = spatial.add(point, spatial.scale(spatial.turn(r, axis), random())) end
        local back = spatial.transpose(above.r)
        local p = spatial.turn(back, spatial.sub(at, above.p))
        local angles = spatial.to_angles(spatial.multiply(back, r))
        parts[#parts + 1] = ([[<link name="l%d"/><joint name="j%d" type="%s"><parent link="l%d"/><child link="l%d"/>
          <origin xyz="%.17g %.17g %.17g" rpy="%.17g %.17g %.17g"/><axis xyz="%.17g %.17g %.17g"/></joint>]])
          :format(i, i, kind, i - 1, i, p[1], p[2], p[3], angles[1], angles[2], angles[3], table.unpack(axis))
        above = { p = at, r = r }
      end
      local text = "<robot name='r'>" .. table.concat(parts) .. "</robot>"
      local last = "l" .. count
      local apart, together = urdf.read(text), urdf.read(text, "", { fold = true })
      expect.equal(1, #together.joints)
      expect.equal(count, #together.joints[1].dofs)
      same_poses({ [last] = poses(apart)[last] }, poses(together))
    end
  end)

  it("is no joint when its axes miss each other", function()
    local text = text_of "wrist.urdf":gsub('xyz="0.1 0 0"', 'xyz="0.1 0 0.001"', 1) -- pitch a millimetre above roll
    local d = urdf.read(text, "", { fold = true })
    expect.equal("wrist_roll", d.joints[1].name)
    expect.equal(1, #d.joints[1].dofs)
  end)

  it("stays one when something is between its joints", function()
    for _, what in ipairs { '<inertial><mass value="1"/></inertial>',
      '<visual><geometry><sphere radius="1"/></geometry></visual>' } do
      local d = urdf.read((text_of "wrist.urdf":gsub('<link name="a"/>', '<link name="a">' .. what .. "</link>")), "",
        { fold = true })
      expect.equal(3, #d.joints)
      expect.equal("wrist_roll", d.joints[1].name)
    end
  end)
end)
