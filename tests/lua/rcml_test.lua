-- Robots as RCML files and back, and files of others as robots: what each node becomes, and what a file that is wrong
-- is told.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local left_out = require "robotalk.descriptor.left_out"
local rcml = require "robotalk.rcml"

local function read(text, name) return rcml.read("#VRML V2.0 utf8\n" .. text, name or "some.wrl", {}) end

-- The descriptor of a file, which the checker has nothing to say of.
local function robot(text)
  local out, notes = read(text)
  if not out then error(("%d:%d: %s"):format(notes[1].line, notes[1].column, notes[1].message)) end
  local report = descriptor.check(out)
  expect.equal(nil, report and report[1].path .. ": " .. report[1].message)
  return out, notes
end

local function lines_of(list)
  local lines = {}
  for i, e in ipairs(list) do lines[i] = ("%d:%d: %s"):format(e.line, e.column, e.message) end
  return table.concat(lines, "\n")
end

local function near(want, got, what)
  expect.equal(type(want), type(got), what)
  if type(want) == "table" then
    for key in pairs(got) do expect.equal(true, want[key] ~= nil, what .. " has no " .. tostring(key)) end
    for key, value in pairs(want) do near(value, got[key], what .. "." .. tostring(key)) end
  elseif type(want) == "number" then
    expect.near(want, got, 1e-6 * math.max(1, math.abs(want)), what) -- a float has 24 bits
  else
    expect.equal(want, got, what)
  end
end

-- OpenHRP's prototypes, as far as they matter.
local OPENHRP = [[
PROTO Joint [ exposedField SFVec3f center 0 0 0 exposedField MFNode children [ ] exposedField MFFloat llimit [ ]
  exposedField MFFloat ulimit [ ] exposedField MFFloat lvlimit [ ] exposedField MFFloat uvlimit [ ]
  exposedField SFString name "" exposedField SFRotation rotation 0 0 1 0 exposedField SFVec3f translation 0 0 0
  exposedField SFString jointType "" exposedField SFInt32 jointId -1 exposedField SFVec3f jointAxis 0 0 1 ]
{ Transform { center IS center children IS children rotation IS rotation translation IS translation } }
PROTO Segment [ exposedField SFVec3f centerOfMass 0 0 0 exposedField MFNode children [ ] exposedField SFFloat mass 0
  exposedField MFFloat momentsOfInertia [ 0 0 0 0 0 0 0 0 0 ] exposedField SFString name "" ]
{ Group { children IS children } }
PROTO Humanoid [ exposedField MFNode humanoidBody [ ] exposedField SFString name "" exposedField MFNode joints [ ] ]
{ Group { children IS humanoidBody } }
PROTO ForceSensor [ exposedField SFVec3f translation 0 0 0 exposedField SFRotation rotation 0 0 1 0 ]
{ Transform { translation IS translation rotation IS rotation } }
PROTO VisionSensor [ exposedField SFVec3f translation 0 0 0 exposedField SFRotation rotation 0 0 1 0
  exposedField SFFloat fieldOfView 0.785398 exposedField SFString name "" exposedField SFInt32 width 320
  exposedField SFInt32 height 240 exposedField SFFloat frameRate 30 exposedField SFInt32 sensorId -1 ]
{ Transform { translation IS translation rotation IS rotation } }
]]

describe("a robot that comes along, as an RCML file and back", function()
  for _, name in ipairs(descriptor.names()) do
    it("says the same of " .. name, function()
      local made = assert(descriptor.open(name))
      local out, notes = rcml.read(core.rcml(made.body), name .. ".wrl", {})
      expect.equal("", lines_of(notes))
      local _, again = descriptor.check(out)
      local _, want = descriptor.from_configuration(core.configuration(made.body))
      local _, got = descriptor.from_configuration(core.configuration(again.body))
      near(want, got, name)
    end)
  end

  it("has an object for all that can be commanded, and for all that it tells", function()
    local scene = core.vrml_read(core.rcml(assert(descriptor.open "pioneer2").body))
    local node = scene.nodes[#scene.nodes]
    expect.equal("RCML_Robot", node.type)
    local function names(list)
      local out = {}
      for i, object in ipairs(list) do out[i] = object.fields.name end
      return table.concat(out, " ")
    end
    expect.equal("base head joints gaze command home stop", names(node.fields.inputs))
    local outputs = names(node.fields.outputs)
    expect.equal("base_state head_state joints_state gaze_state sonar0", outputs:match "^%S+ %S+ %S+ %S+ %S+")
    expect.equal("rear_bumper camera notices", outputs:match "%S+ %S+ %S+$")
    local head = node.fields.inputs[2].fields.RCML_ControlInputData
    expect.equal("pan", head[1].fields.name)
    near({ -1.7453293, 1.7453293 }, head[1].fields.value_range, "range of pan")
  end)

  it("has each joint, and each control frame under a name of its own", function()
    local function inputs(name)
      local scene, out = core.vrml_read(core.rcml(assert(descriptor.open(name)).body)), {}
      for i, object in ipairs(scene.nodes[#scene.nodes].fields.inputs) do
        out[i] = ("%s %d"):format(object.fields.name, #(object.fields.RCML_ControlInputData or {}))
      end
      return table.concat(out, ", ")
    end
    expect.equal("joint1 1, joint2 1, joint3 1, joint4 1, joint5 1, joint6 1, joint7 1, joints 7, tool 6",
      inputs("arm004"):match "^(.*), command")
    -- 34 dofs (Honda); l_hand is a joint, the control frame of that name comes after it
    expect.equal("base 3, skullbase 3, vl5 1, l_shoulder 3, l_elbow 1, l_wrist 3, l_hand 2, r_shoulder 3, r_elbow 1, "
      .. "r_wrist 3, r_hand 2, l_hip 3, l_knee 1, l_ankle 2, r_hip 3, r_knee 1, r_ankle 2, joints 34, l_hand_2 6, "
      .. "r_hand_2 6, l_sole 6, r_sole 6, gaze 6, crown 6", inputs("asimo"):match "^(.*), command")
    expect.equal("base 3, head 2, neck 1, LFr 2, LFr_knee 1",
      inputs("aibo_ers7"):match "^[^,]+, [^,]+, [^,]+, [^,]+, [^,]+")
  end)

  it("names the translators of its base, joints, control frames, cameras and sensors", function()
    local report, made = descriptor.check { name = "all", base = { translator = "wheels" },
      links = { [0] = {}, {} }, joints = { { translator = "scroll", dofs = { {}, {} } } },
      frames = { { name = "tip", link = 1 }, { name = "end", link = 1, translator = "claw" } },
      cameras = { { name = "eye", link = 0, translator = "rgb" } },
      sensors = { { name = "nose", link = 0, type = "sonar", translator = "echo_2" } } }
    expect.equal(nil, report)
    local function check(body)
      local found = {}
      for _, object in ipairs(core.rcml_objects(body)) do
        if object.translator ~= "" then found[#found + 1] = object.name .. " " .. object.translator end
      end
      expect.equal("base wheels, joint1 scroll, tip pose, end claw, base_state wheels, joint1_state scroll, "
        .. "tip_state pose, end_state claw, nose echo_2, eye rgb", table.concat(found, ", "))
    end
    check(made.body)
    local text = core.rcml(made.body)
    expect.truthy(text:find 'RCML_VideoOutput {\n *name "eye"\n *translator "rgb"')
    local out, notes = rcml.read(text, "all.wrl", {})
    expect.equal("", lines_of(notes))
    check(select(2, descriptor.check(out)).body)
    -- over the wire, too
    local again = descriptor.from_configuration(core.configuration(made.body))
    expect.equal("wheels", again.base.translator)
    expect.equal("claw", again.frames[2].translator)
    check(select(2, descriptor.check(again)).body)
  end)

  it("may be a chain of as many joints as a robot has", function()
    local d = { name = "snake", links = { [0] = {} }, joints = {} }
    for i = 1, 511 do
      d.links[i] = { shapes = { { type = "sphere", size = 0.1 } } }
      d.joints[i] = { parent = i - 1, child = i, position = { 0.1, 0, 0 }, dofs = { {} } }
    end
    local report, made = descriptor.check(d)
    expect.equal(nil, report)
    local out, notes = rcml.read(core.rcml(made.body), "snake.wrl", {})
    expect.equal("", lines_of(notes))
    expect.equal(510, out.joints[511].parent)
    local _, again = descriptor.check(out)
    near(select(2, descriptor.from_configuration(core.configuration(made.body))),
      select(2, descriptor.from_configuration(core.configuration(again.body))), "snake")
  end)

  it("has H-Anim's names when it is a humanoid", function()
    local text = core.rcml(assert(descriptor.open "asimo").body)
    expect.equal(true, text:find("DEF hanim_l_knee Joint", 1, true) ~= nil)
    expect.equal(true, text:find('name "l_knee"', 1, true) ~= nil)
    expect.equal(true, text:find("DEF hanim_HumanoidRoot Joint", 1, true) ~= nil)
  end)

  it("brings back what no robot that comes along has", function()
    local body = { name = "odd", panic = { arm = { a = 0.5 } },
      links = {
        [0] = { name = "base", position = { 1, 2, 3 }, attitude = { 0.1, 0.2, 0.3 }, shapes = {
          { type = "box", size = { 1, 2, 3 }, solid = true, colour = "#11223344" },
          { type = "mesh", file = "x.stl", size = { 2, 2, 2 } },
          { type = "mesh", file = "y.stl", colour = "#ff8000", solid = true } } },
        [1] = { name = "lower", com = { 0, 0, 0.5 }, mass = 2, inertia = { 0.1, 0.1, 0.1, 0.01, 0.02, 0.03 } },
        [2] = { name = "upper" } },
      joints = {
        [1] = { name = "arm", parent = 0, child = 1, inboard = { 0.1, 0, 0 }, outboard = { 0, 0, -0.7 }, leg = 1,
          rest = { 0.4, -0.5, 0.6 }, servo = { "speed", "force" }, dofs = {
            { name = "a", axis = { 0, 0.6, 0.8 }, limit = { -1, 1 }, speed = 2, acceleration = 3, force = 4,
              home = 0.25 },
            { name = "b", type = "prismatic", axis = { 1, 0, 0 } } } },
        [2] = { name = "wrist", parent = 1, child = 2, position = { 0, 0, 1 }, dofs = {
          { name = "c", mimic = { joint = "arm", dof = "a", ratio = -0.5, shift = 0.1 } } } } },
      frames = { { name = "tip", link = 2, position = { 0, 0, 0.2 }, attitude = { 0, 1, 0 }, servo = "speed",
        speed = 0.5, turn = 1 } },
      sensors = { { name = "nose", link = 2, type = "gas", values = "ethanol methane", range = { 0, 5 }, rate = 3 },
        { name = "scan", link = 0, type = "laser", count = 181, fov = math.pi, range = { 0.1, 30 }, unit = "m" } },
      widgets = { { name = "a \"quoted\" knob", type = "knob", command = "set_joint_speed", joint = "arm", dof = "a",
        range = { -1, 0.5 }, step = 0.1 } } }
    local report, made = descriptor.check(body)
    expect.equal(nil, report and report[1].path .. ": " .. report[1].message)
    local out = rcml.read(core.rcml(made.body), "odd.wrl", {})
    local bad, again = descriptor.check(out)
    expect.equal(nil, bad and bad[1].path .. ": " .. bad[1].message)
    local _, want = descriptor.from_configuration(core.configuration(made.body))
    local _, got = descriptor.from_configuration(core.configuration(again.body))
    near(want, got, "odd")
  end)

  it("says whole degrees and short decimals again as they were", function()
    local made = assert(descriptor.open "pioneer2")
    local out = rcml.read(core.rcml(made.body), "pioneer2.wrl", {})
    expect.equal(math.rad(100), out.joints[1].dofs[1].limit[2])
    expect.equal(1.8, out.base.speed.x)
    expect.equal(0.12, out.joints[1].position[1])
    expect.equal(math.rad(90), out.links[0].shapes[2].attitude[1])
  end)

  it("is the same file when the reader's scene is written again", function()
    local made = assert(descriptor.open "asimo")
    local scene = core.vrml_read(core.rcml(made.body))
    local out = rcml.read(core.vrml_write(scene), "asimo.wrl", {})
    local _, again = descriptor.check(out)
    local _, want = descriptor.from_configuration(core.configuration(made.body))
    near(want, select(2, descriptor.from_configuration(core.configuration(again.body))), "asimo")
  end)
end)

describe("a robot of OpenHRP", function()
  it("has a dof for each joint that turns or slides", function()
    local r = robot(OPENHRP .. [[
      DEF Sample Humanoid { name "sample" humanoidBody [ DEF WAIST Joint { jointType "free" translation 0 0 0.7
        children [
          DEF WAIST_LINK Segment { mass 27 centerOfMass 0 0 0.04 momentsOfInertia [ 1 0 0 0 2 0 0 0 3 ] }
          DEF LEG Joint { jointType "rotate" jointAxis 0 1 0 translation 0 0.1 -0.1 llimit [ -1 ] ulimit [ 2 ]
            uvlimit [ 3 ] lvlimit [ -3 ] children DEF LEG_LINK Segment { mass 2 } }
          DEF SLIDE Joint { jointType "slide" jointAxis 0 0 1 } ] } ] }]])
    expect.equal("sample", r.name)
    expect.equal("WAIST_LINK", r.links[0].name)
    near({ 0, 0, 0.7 }, r.links[0].position, "position")
    expect.equal(27, r.links[0].mass)
    near({ 1, 2, 3 }, r.links[0].inertia, "inertia")
    near({ 0, 0.1, -0.1 }, r.joints[1].position, "position of LEG")
    expect.equal("LEG", r.joints[1].name)
    near({ 0, 1, 0 }, r.joints[1].dofs[1].axis, "axis")
    near({ -1, 2 }, r.joints[1].dofs[1].limit, "limit")
    expect.equal(3, r.joints[1].dofs[1].speed)
    expect.equal("prismatic", r.joints[2].dofs[1].type)
  end)

  it("has no limits where they are beyond any robot's, as of OpenHRP, and says so", function()
    local r, notes = robot(OPENHRP .. [[
      Humanoid { humanoidBody Joint { jointType "free" children [
        Joint { name "a" jointType "rotate" llimit -1e16 ulimit 1e16 lvlimit -1e16 uvlimit 1e16 }
        Joint { name "b" jointType "slide" llimit -1 ulimit 1e16 uvlimit 5 } ] } }]])
    expect.equal(nil, r.joints[1].dofs[1].limit)
    expect.equal(nil, r.joints[1].dofs[1].speed)
    near({ -1, 2e6 }, r.joints[2].dofs[1].limit, "limit")
    expect.equal(5, r.joints[2].dofs[1].speed)
    expect.equal("a limit or greatest speed beyond 2e+06 is none (2 times)", notes[1].message)
  end)

  it("has joints within Transforms where they are in their parent", function()
    local r = robot(OPENHRP .. [[
      Humanoid { humanoidBody Joint { jointType "free" children Transform { translation 0 0 1 rotation 0 0 1 1.5707963
        children Joint { name "j" jointType "rotate" translation 1 0 0 } } } }]])
    near({ 0, 1, 1 }, r.joints[1].position, "position")
    near({ 0, 0, math.rad(90) }, r.joints[1].rest, "rest")
  end)

  it("makes one link of two that a fixed joint holds, with one mass", function()
    local r, notes = robot(OPENHRP .. [[
      Humanoid { humanoidBody Joint { jointType "free" children [ Segment { mass 1 }
        Joint { jointType "fixed" translation 2 0 0
          children Segment { mass 3 children Shape { geometry Box { } } } } ] } }]])
    expect.equal(nil, r.links[1])
    expect.equal(4, r.links[0].mass)
    near({ 1.5, 0, 0 }, r.links[0].com, "centre of mass")
    near({ 2, 0, 0 }, r.links[0].shapes[1].position, "position of the box")
    expect.equal("a fixed joint makes one link of two", notes[1].message)
  end)

  it("has sensors and cameras, which look along x here", function()
    local r = robot(OPENHRP .. [[
      Humanoid { humanoidBody Joint { jointType "free" children Segment { children [
        DEF HAND ForceSensor { translation 0 0 1 }
        VisionSensor { name "eye" rotation 0.57735027 -0.57735027 -0.57735027 2.0943951
          width 640 height 480 frameRate 15 } ] } } }]])
    expect.equal("force", r.sensors[1].type)
    expect.equal("HAND", r.sensors[1].name)
    near({ 0, 0, 1 }, r.sensors[1].position, "position")
    expect.equal(640, r.cameras[1].width)
    expect.equal(15, r.cameras[1].rate)
    expect.equal(nil, r.cameras[1].attitude) -- its -z was turned to x
  end)

  it("has an axis by a letter in older files", function()
    local r = robot((OPENHRP:gsub("SFVec3f jointAxis 0 0 1", 'SFString jointAxis "Z"')) .. [[
      Humanoid { humanoidBody Joint { jointType "free" children Joint { jointType "rotate" jointAxis "Y" } } }]])
    near({ 0, 1, 0 }, r.joints[1].dofs[1].axis, "axis")
  end)
end)

describe("a humanoid of H-Anim alone", function()
  local HANIM = (OPENHRP:gsub("exposedField SFString jointType.-jointAxis 0 0 1", ""))

  it("is turned into the robot's axes, and its joints turn about all three", function()
    local r = robot(HANIM .. [[
      DEF Human Humanoid { humanoidBody DEF hanim_HumanoidRoot Joint { children
        DEF hanim_l_hip Joint { name "l_hip" center 0.1 0.9 0 llimit [ -1 -2 -3 ] ulimit [ 1 2 3 ]
          children Segment { children Shape { geometry Box { size 1 2 3 } } } } } }]])
    expect.equal("l_hip", r.joints[1].name)
    -- x to the left there, y up: y and z here
    near({ 0, 0.1, 0.9 }, r.joints[1].inboard, "inboard")
    expect.equal(3, #r.joints[1].dofs)
    near({ 0, 1, 0 }, r.joints[1].dofs[1].axis, "axis x")
    near({ -2, 2 }, r.joints[1].dofs[2].limit, "limit about y")
  end)
end)

describe("a world without joints", function()
  it("is one link with its shapes, z up", function()
    local r = robot [[Transform { translation 1 2 3 children Shape {
      appearance Appearance { material Material { diffuseColor 1 0 0 transparency 0.5 } }
      geometry Sphere { radius 0.5 } } }]]
    expect.equal("some", r.name)
    local shape = r.links[0].shapes[1]
    expect.equal("sphere", shape.type)
    near({ 3, 1, 2 }, shape.position, "position")
    expect.equal("#ff000080", shape.colour)
  end)

  it("has an upright cylinder for one along y", function()
    local shape = robot("Shape { geometry Cylinder { radius 1 height 5 } }").links[0].shapes[1]
    expect.equal("cylinder", shape.type)
    near({ 1, 5 }, shape.size, "size")
    -- its z is up, turned about it by a quarter
    near({ 0, 0, math.rad(90) }, shape.attitude, "attitude")
  end)

  it("has the box around what has faces, and says so", function()
    local r, notes = robot [[Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 1 2 0, 0 0 3 ] }
      coordIndex [ 0 1 2 -1 0 1 3 -1 ] } }]]
    local shape = r.links[0].shapes[1]
    expect.equal("box", shape.type)
    near({ 1, 2, 3 }, shape.size, "size")
    near({ 1.5, 0.5, 1 }, shape.position, "position")
    expect.equal("2:18: of an IndexedFaceSet there is the box around it", lines_of(notes))
  end)

  it("has meshes in files of their own, where there is a place for them", function()
    local meshes = require "robotalk.rcml.meshes".new("desk", function(name) return name == "desk_2.wrl" end)
    local out, notes = rcml.read([[#VRML V2.0 utf8
      PROTO Blue [ ] { Appearance { material Material { diffuseColor 0 0 1 } } }
      DEF plate Shape { appearance DEF paint Blue { } geometry IndexedFaceSet {
        coord Coordinate { point [ 0 0 0, 1 0 0, 1 2 0 ] } coordIndex [ 0 1 2 -1 ] } }
      Transform { translation 0 1 0 scale 2 1 1 children USE plate }
      Transform { scale -1 1 1 children USE plate }
      Shape { geometry Extrusion { } }
      Switch { whichChoice -1 choice Shape { geometry ElevationGrid { } } }]], "desk.wrl", { meshes = meshes })
    expect.equal("3:64: faces are kept as meshes in files, desk_1.wrl and on; for collisions there is the box around "
      .. "(4 times)", lines_of(notes))
    local _, made = descriptor.check(out)
    local list = out.links[0].shapes
    expect.equal(8, #list)
    local function mesh(i, file, ...)
      expect.equal("mesh", list[i].type)
      expect.equal(file, list[i].file)
      expect.equal(nil, list[i].solid)
      expect.same({ ... }, list[i].size or {})
      expect.equal("box", list[i + 1].type)
      expect.equal(true, list[i + 1].solid)
    end
    mesh(1, "desk_1.wrl")
    near({ 0, 0.5, 1 }, list[2].position, "middle of the box")
    mesh(3, "desk_1.wrl", 2.0, 1.0, 1.0)
    near({ 0, 0, 1 }, list[3].position, "position")
    mesh(5, "desk_3.wrl") -- it is mirrored there; desk_2.wrl is somebody's
    mesh(7, "desk_4.wrl")
    expect.equal(3, #meshes.files)
    local function shape(i)
      local scene = core.vrml_read(meshes.files[i].text)
      expect.equal(0, #scene.errors + #scene.warnings)
      return scene.nodes[1]
    end
    local plate = shape(1)
    expect.equal("Shape", plate.type)
    expect.same({ 0, 0, 0, 1, 0, 0, 1, 2, 0 }, plate.fields.geometry.fields.coord.fields.point)
    expect.equal("Blue", plate.fields.appearance.type)
    expect.same({ -1, 1, 1 }, shape(2).fields.scale)
    expect.equal("IndexedFaceSet", shape(2).fields.children[1].fields.geometry.type)
    -- and in the file of the robot
    local named = {}
    for name in core.rcml(made.body):gmatch 'Inline {%s+url %[ "([^"]*)"' do named[#named + 1] = name end
    expect.equal("desk_1.wrl desk_1.wrl desk_3.wrl desk_4.wrl", table.concat(named, " "))
  end)

  it("stretches shapes by the scale of Transforms", function()
    local shape = robot([[Transform { scale 2 3 4 children Transform { translation 1 1 1 children
      Shape { geometry Box { size 1 1 1 } } } }]]).links[0].shapes[1]
    near({ 2, 3, 4 }, shape.size, "size")
    near({ 4, 2, 3 }, shape.position, "position")
  end)

  it("shows what its switches and prototypes show", function()
    local r = robot [[PROTO Ball [ field SFFloat r 1 ] { Shape { geometry Sphere { radius IS r } } }
      Switch { whichChoice 1 choice [ Ball { } Ball { r 3 } ] }
      Switch { choice Ball { r 7 } }
      LOD { level [ Ball { r 4 } Ball { r 5 } ] }]]
    expect.equal(2, #r.links[0].shapes)
    expect.equal(3, r.links[0].shapes[1].size[1])
    expect.equal(4, r.links[0].shapes[2].size[1])
  end)

  it("shows a node that is used twice twice", function()
    local r = robot [[DEF a Shape { geometry Box { } } Transform { translation 0 1 0 children USE a }]]
    expect.equal(2, #r.links[0].shapes)
    near({ 0, 0, 1 }, r.links[0].shapes[2].position, "position")
  end)
end)

describe("the RCML part of a file", function()
  local function errors_of(text)
    local _, list = read(text)
    return lines_of(list)
  end
  local function control(fields, data)
    return ("RCML_Robot { inputs RCML_ControlInput { %s RCML_ControlInputData RCML_ControlInputData { %s } } }"):format(
      fields, data or "")
  end

  it("may be as the paper prints it", function()
    robot [[RCML_Robot { RCML_ControlInput RCML_ControlInput { name "camera" time_unit 10ms command_mode Time_Driven
      command_interval -1 0 RCML_ControlInputData [ RCML_ControlInputData {
        name "pan_move" value_type float_type value_range -1.57 1.57 control_type h_scroll } ] } }]]
  end)

  it("says what a robot takes that has no joints in its file", function()
    local r, notes = robot [[Shape { geometry Box { } }
      RCML_Robot { name "minolta" inputs [
        RCML_ControlInput { name "base" RCML_ControlInputData [ RCML_ControlInputData { name "x" value_range [ -2 1 ] }
          RCML_ControlInputData { name "theta" value_range [ ] } ] }
        RCML_ControlInput { name "camera" translator "turret" RCML_ControlInputData [
          RCML_ControlInputData { name "pan" value_range [ -1.7453293 1.7453293 ] }
          RCML_ControlInputData { name "tilt" value_range [ ] } ] }
        RCML_ControlInput { name "arm" RCML_ControlInputData [ RCML_ControlInputData { name "a" }
          RCML_ControlInputData { name "b" } RCML_ControlInputData { name "c" } RCML_ControlInputData { name "d" }
          RCML_ControlInputData { name "e" } RCML_ControlInputData { name "f" } RCML_ControlInputData { name "g" } ] } ]
        outputs RCML_VideoOutput { name "eye" translator "jpeg" xsize 320 ysize 240 samplerate 15 } }]]
    expect.equal("minolta", r.name) -- whatever its file is called
    expect.equal(2, r.base.speed.x)
    expect.equal("camera", r.joints[1].name)
    expect.equal("pan", r.joints[1].dofs[1].name)
    expect.equal(math.rad(100), r.joints[1].dofs[1].limit[2])
    expect.equal(nil, r.joints[1].dofs[2].limit)
    expect.equal(nil, r.joints[2])
    expect.equal("a control input of 7 parameters is left out: a joint has at most 6 dofs", notes[1].message)
    expect.equal(320, r.cameras[1].width)
    expect.equal("jpeg", r.cameras[1].translator)
    expect.equal("turret", r.joints[1].translator)
    expect.equal(1, #r.links[0].shapes)
  end)

  it("is refused when the base's speeds are not in the order in which they go out", function()
    local function base(...)
      local list = {}
      for i, name in ipairs { ... } do list[i] = ('RCML_ControlInputData { name "%s" }'):format(name) end
      return errors_of(('RCML_Robot { inputs RCML_ControlInput { name "base" RCML_ControlInputData [ %s ] } }'):format(
        table.concat(list, " ")))
    end
    expect.equal("", base("x", "theta"))
    expect.equal("", base("x", "y", "theta"))
    for _, names in ipairs { { "theta", "x" }, { "x" }, { "x", "y" }, { "X", "THETA" } } do
      expect.equal("2:21: base: expected the parameters x, theta, or x, y, theta, in that order, got "
        .. table.concat(names, " "), base(table.unpack(names)))
    end
    expect.equal("", base("left", "right")) -- a joint of that name
  end)

  -- As the paper prints it: fields by types, aliases, one value without brackets.
  local PAPER <const> = [[#VRML V2.0 utf8
RCML_Robot { name "paper"
  server RCML_Server { os "SunOS" url "rctp://lab.example/paper" }
  RCML_ControlInput RCML_ControlInput { name "head" time_stamp_size 4 time_unit 5ms data_mask TRUE
    command_mode Event_Driven control_lock TRUE command_interval 10 100 RCML_ControlInputData [
      RCML_ControlInputData { name "pan" value_range -1.57 1.57 range_scale 2 control_type v_scroll }
      RCML_ControlInputData { name "gear" value_type integer_type value_range [ ] }
      RCML_ControlInputData { name "lamp" value_type bool_type } ] }
  inputs [ RCML_TextInput { name "say" translator "t" } RCML_BinaryInput { name "blob" }
    RCML_AudioInput { name "ear" bits 8 } RCML_VideoInput { name "screen" channel 2 url [ "a" "b" ] } ]
  outputs RCML_AudioOutput { name "voice" samplerate 8000 } }
]]

  it("is kept by convert, with all parameters", function()
    local made, notes = descriptor.of_rcml(PAPER, "paper.wrl")
    expect.truthy(made, notes)
    expect.same({
      name = "paper",
      server = { os = "SunOS", url = { "rctp://lab.example/paper" } },
      inputs = {
        { type = "RCML_TextInput", name = "say", translator = "t" }, { type = "RCML_BinaryInput", name = "blob" },
        { type = "RCML_AudioInput", name = "ear", bits = 8 },
        { type = "RCML_VideoInput", name = "screen", channel = 2, url = { "a", "b" } },
        { type = "RCML_ControlInput", name = "head", time_stamp_size = 4, time_unit = "5ms", data_mask = true,
          command_mode = 1, control_lock = true, command_interval = { 10, 100 }, RCML_ControlInputData = {
            { name = "pan", value_range = { -1.57, 1.57 }, range_scale = { 2 }, control_type = 1 },
            { name = "gear", value_type = 1, value_range = {} }, { name = "lamp", value_type = 2 } } },
      },
      outputs = { { type = "RCML_AudioOutput", name = "voice", samplerate = 8000 } },
    }, made.descriptor.rcml)
    expect.truthy(notes[#notes].message:find "kept for files")
    local text = descriptor.rcml(made.descriptor)
    local again = descriptor.of_rcml(text, "again.wrl")
    expect.same(made.descriptor.rcml, again.descriptor.rcml)
    local source = require "robotalk.descriptor.write".write(made.descriptor, {})
    expect.equal(text, descriptor.rcml(assert(descriptor.read(source, "paper.lua"))))
    local _, count = text:gsub("PROTO RCML_ControlInput %[", "")
    expect.equal(1, count)
  end)

  it("is kept of a file of ours where it is not what follows from the robot", function()
    local body = assert(descriptor.open "pioneer2").body
    local own = core.rcml(body, { url = "rctp://localhost/pioneer2", pictures = "http://localhost/" })
    expect.equal(nil, descriptor.of_rcml(own, "p.wrl").descriptor.rcml)
    local served = own:gsub("time_stamp_size 0", "time_stamp_size 6", 1)
    expect.equal(6, descriptor.of_rcml(served, "p.wrl").descriptor.rcml.inputs[1].time_stamp_size)
  end)

  it("has notes of what is not kept", function()
    local _, notes = descriptor.of_rcml([[#VRML V2.0 utf8
PROTO RCML_TextInput [ field SFString name "" field SFInt32 lines 1 ] { Script { } }
RCML_Robot { inputs RCML_TextInput { name "say" lines 3 } server RCML_Client { } }
]], "odd.wrl")
    expect.equal("RCML_Client is left out of server\nlines of RCML_TextInput is left out",
      notes[1].message .. "\n" .. notes[2].message)
  end)

  it("is checked in a descriptor", function()
    local function wrong(field)
      local lines = {}
      for i, one in ipairs(descriptor.check { name = "r", links = { [0] = {} }, rcml = field } or {}) do
        lines[i] = one.path .. ": " .. one.message
      end
      return table.concat(lines, "\n")
    end
    expect.equal("", wrong { inputs = { { type = "RCML_TextInput", name = "say" } } })
    expect.equal("rcml: expected a table, got 3", wrong(3))
    expect.truthy(wrong({ nme = "x" }):find("rcml.nme: did you mean 'name'?", 1, true))
    expect.equal("rcml.inputs[1].name: expected a text, got 3",
      wrong { inputs = { { type = "RCML_TextInput", name = 3 } } })
    expect.truthy(wrong({ inputs = { { type = "RCML_TextOutput" } } })
      :find("rcml.inputs[1].type: expected one of", 1, true))
    expect.equal("rcml.inputs[1]: time_stamp_size: expected 0, 2, 4, 6 or 8 bytes, got 3", wrong { inputs = {
      { type = "RCML_ControlInput", name = "a", time_stamp_size = 3, RCML_ControlInputData = { { name = "x" } } } } })
    expect.equal("rcml.inputs: expected a list: items without names", wrong { inputs = { a = {} } })
  end)

  it("is refused for values that the paper does not have", function()
    expect.truthy(read(control 'name "a" time_stamp_size 6 command_interval [ 10 100 ]'))
    expect.equal("2:21: time_stamp_size: expected 0, 2, 4, 6 or 8 bytes, got 3",
      errors_of(control 'name "a" time_stamp_size 3'))
    expect.equal("2:21: time_unit: expected a whole number and us, ms or s, got 1min",
      errors_of(control 'name "a" time_unit "1min"'))
    expect.equal("2:21: command_interval: expected the least before the greatest, got [ 100 10 ]",
      errors_of(control 'name "a" command_interval [ 100 10 ]'))
    expect.equal("2:21: RCML_ControlInput: expected a name, by which it is assigned", errors_of(control ""))
    expect.equal("value_type: expected 0 to 2, got 3",
      errors_of(control('name "a"', "value_type 3")):match "^%d+:%d+: (.*)$")
    expect.equal("value_range: expected the least before the greatest, got [ 1 0 ]",
      errors_of(control('name "a"', "value_range [ 1 0 ]")):match "^%d+:%d+: (.*)$")
  end)

  it("is refused for two objects of one name, and for an output among the inputs", function()
    expect.equal("expected each name once, got 'a', as at line 2",
      errors_of('RCML_Robot { inputs [ RCML_TextInput { name "a" } RCML_TextInput { name "a" } ] }')
        :match "^%d+:%d+: (.*)$")
    expect.equal("expected an RCML node of inputs, such as RCML_ControlInput, got RCML_TextOutput",
      errors_of('RCML_Robot { inputs RCML_TextOutput { name "a" } }'):match "^%d+:%d+: (.*)$")
  end)
end)

describe("a descriptor that becomes an RCML file", function()
  it("is compared with what that file says, and what that has no place for is named", function()
    local d = descriptor.read([[return { name = "r", base = { driver = "null", speed = { x = 1 } },
      links = { [0] = { name = "a", shapes = {
        { type = "box", size = 0.5, attitude = { 0, 0, 1 }, friction = 0.3 } } } } }]], "r.lua")
    local back = rcml.read(descriptor.rcml(d), "r.wrl", {})
    expect.equal("left out, since RCML has no place for it: driver of a base, friction of a shape",
      left_out.compare(d, back, "RCML")[1].message)
  end)
end)

describe("a file that is wrong", function()
  it("is refused with the place of each error", function()
    local out, errors = read "Transform { children Shap { } translation 1 2 }"
    expect.equal(nil, out)
    expect.equal("2:22: there is no node type Shap", lines_of { errors[1] }:match "^[^,]+")
    expect.equal(true, #errors >= 2)
  end)

  it("is refused when two joints have one number, or dofs lack their types", function()
    local text = core.rcml(assert(descriptor.open "arm004").body)
    local out, errors = rcml.read((text:gsub("number 2\n", "number 1\n")), "arm.wrl", {})
    expect.equal(nil, out)
    local first = "joint 1: expected each number once; there is another at line"
    expect.equal(true, lines_of(errors):find(first, 1, true) ~= nil)
    out, errors = rcml.read((text:gsub('dofType %[ "rotate" %]', "dofType [ ]")), "arm.wrl", {})
    expect.equal(nil, out)
    expect.equal(true, lines_of(errors):find("dofType and dofAxis: expected one for each", 1, true) ~= nil)
  end)

  it("has nothing in it, as when it ends behind its first lines", function()
    for _, text in ipairs { "", "# what it is", "PROTO Nothing [ ] { Group { } }" } do
      local out, errors = read(text)
      expect.equal(nil, out)
      expect.equal("there is nothing in this file, expected a node", errors[1].message)
    end
  end)

  it("is told of by its bytes, when they are compressed and end too early", function()
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "wb"))
    file:write "\x1f\x8b\8\0\0\0\0\0\2\3" -- a header of gzip
    file:flush()
    local made, message = descriptor.open(path)
    os.remove(path)
    expect.equal(nil, made)
    expect.equal(path .. ": what gzip has compressed ends too early, at byte 10 of 10", message)
  end)

  it("is told where the descriptor that it makes is wrong", function()
    local folder = os.tmpname()
    local file <close> = assert(io.open(folder, "wb"))
    file:write("#VRML V2.0 utf8\n", OPENHRP, 'Humanoid { humanoidBody Joint { jointType "free" children\n',
      'Joint { jointType "rotate" jointAxis 0 0 0 } } }\n')
    file:flush()
    local made, message = descriptor.open(folder)
    os.remove(folder)
    expect.equal(nil, made)
    expect.equal(true, message:find(":%d+:%d+: as a descriptor, joints%[1%]%.dofs%[1%]%.axis: ") ~= nil, message)
  end)
end)
