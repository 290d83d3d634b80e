-- Dofs by name, by number and by a plain number: those of a URDF file, and those to which a descriptor gives no name.
local descriptor = require "robotalk.descriptor"
local drivers = require "robotalk.drivers"
local rt = require "robotalk"

local ARM = [[
<robot name="arm">
  <link name="base"/><link name="a"/><link name="b"/><link name="hand"/>
  <joint name="waist" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="2" effort="10"/></joint>
  <joint name="elbow" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="b"/><child link="hand"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.4" velocity="0.5" effort="10"/></joint>
</robot>]]

-- A robot of a URDF file with that text.
local function urdf(text)
  local path = os.tmpname() .. ".urdf"
  local file <close> = assert(io.open(path, "w"))
  file:write(text)
  file:flush()
  local robot = rt.connect(path)
  os.remove(path)
  return robot
end

local WRIST = { name = "wrist", joints = {
  { name = "ball", servo = { "setpoint", "speed" },
    dofs = { { axis = { 1, 0, 0 } }, { axis = { 0, -1, 0 } }, { axis = { 0.1, 1, 0 } }, { type = "prismatic" } } },
  { name = "tail", servo = { "setpoint", "speed", "force" }, dofs = { { limit = { -1, 1 } } } },
  { name = "speed", dofs = { {} } },
  { name = "two", dofs = { { name = "pitch" }, { axis = { 0, 1, 0 } } } } } }

describe("a joint of one dof", function()
  it("of a URDF arm is commanded by a plain number", function()
    local robot <close> = urdf(ARM)
    expect.equal("SUCCESS", (robot:set_joint("waist", 0.4)))
    expect.near(0.4, robot:state().joints.waist.waist, 1e-3)
    expect.equal("SUCCESS", (robot:begin("set_joint", "slide", 0.2):wait()))
    expect.near(0.2, robot:state().joints.slide.slide, 1e-3)
    expect.equal("SUCCESS", (robot:move { waist = 0.1, elbow = { 0.3 }, slide = { slide = 0.1 } }))
    local joints = robot:state().joints
    expect.near(0.1, joints.waist.waist, 1e-3)
    expect.near(0.3, joints.elbow.elbow, 1e-3)
    expect.near(0.1, joints.slide.slide, 1e-3)
  end)

  it("is commanded by its number, its name and a list, and by text as before", function()
    local name = rt.add_robot(WRIST)
    local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
    local robot <close> = rt.connect(name)
    for _, values in ipairs { { [0] = 0.4 }, { 0.4 }, { ["0"] = 0.4 }, { tail = 0.4 }, 0.4,
      { [0] = 0.4, speed = 1 } } do
      robot:set_joint("tail", 0)
      expect.equal("SUCCESS", (robot:set_joint("tail", values)))
      expect.near(0.4, robot:state().joints.tail.tail, 1e-3)
    end
    expect.equal("SUCCESS", (robot:set_joint_speed("tail", -0.2)))
    rt.sleep(1)
    expect.near(0.2, robot:state().joints.tail.tail, 0.05)
    expect.equal("SUCCESS", (robot:set_joint_force("tail", 0)))
    robot:set_joint("tail", { 0, velocity = 0.1 })
    rt.sleep(1)
    expect.near(0.1, robot:state().joints.tail.tail, 0.05)
  end)

  it("has another name for its dof when that is given, and the joint's as well", function()
    local robot <close> = rt.connect "puma560"
    expect.equal("SUCCESS", (robot:set_joint("waist", { waist = 0.1 })))
    expect.equal("SUCCESS", (robot:set_joint("waist", 0.2)))
    expect.near(0.2, robot:state().joints.waist.q, 1e-3)
  end)

  it("is moved so by frames of a sequence", function()
    local robot <close> = urdf(ARM)
    local tape <close> = assert(robot:session { mode = "delay", delay = 0.1 })
    tape:frame(0, { waist = 0.2, elbow = { [0] = 0.1 } })
    tape:frame(1, { waist = { waist = 0.4, velocity = 0.1 } })
    local report = assert(tape:finish(20))
    expect.equal(2, report.played)
    expect.near(0.4, robot:state().joints.waist.waist, 0.1)
    expect.near(0.1, robot:state().joints.elbow.elbow, 1e-3)
  end)
end)

describe("a dof without a name", function()
  it("is called as its joint, or after its axis among several", function()
    local flat = assert(descriptor.made(WRIST)).records
    local names = {}
    for i, dof in ipairs(flat.dof) do names[i] = dof.name end
    expect.equal("roll pitch pitch2 z tail yaw pitch pitch2", table.concat(names, " "))
  end)

  it("has that name in states and descriptions, and its number still", function()
    local name = rt.add_robot(WRIST)
    local _ <close> = setmetatable({}, { __close = function() drivers.remove(name) end })
    local robot <close> = rt.connect(name)
    robot:set_joint("ball", { roll = 0.1, pitch = 0.2 })
    local ball = robot:state { forces = true }.joints.ball
    expect.near(0.1, ball.roll, 1e-3)
    expect.equal(ball.roll, ball["0"])
    expect.equal(ball.pitch, ball[1])
    expect.equal(nil, ball.nod)
    expect.equal(nil, ball["9"])
    expect.equal("roll", robot:describe().joints.ball.names[1])
    expect.equal("tail", robot:describe().descriptor.joints[2].dofs[1].name)
    expect.equal(robot.model:index("ball", "pitch"), robot.model:index("ball", 1))
    expect.equal(robot.model:index("tail"), robot.model:index("tail", "0"))
    expect.raises("no dof '4'", function() robot.model:index("ball", 4) end)
  end)

  it("is followed and retreated to by its number as before", function()
    local d = { name = "old", panic = { tail = { ["0"] = 0.2 } }, joints = { { name = "tail", dofs = { {} } },
      { name = "fin", dofs = { { mimic = { joint = "tail", dof = "0" } } } } } }
    local flat = assert(descriptor.made(d)).records
    expect.equal(1, flat.dof[2].mimics)
    expect.equal(0.2, flat.dof[1].retreat)
  end)

  it("is written by convert with its name", function()
    local path = os.tmpname() .. ".urdf"
    local file = assert(io.open(path, "w"))
    file:write(ARM)
    file:close()
    local d = assert(descriptor.load(path))
    os.remove(path)
    expect.truthy(require "robotalk.descriptor.write".write(d):find('name = "waist", type', 1, true))
    local text, notes = require "robotalk.urdf".write(d)
    expect.truthy(text:find('<joint name="waist"', 1, true))
    for _, note in ipairs(notes) do expect.truthy(not note.message:find "name", note.message) end
    expect.truthy(require "robotalk.urdf".write(WRIST):find('name="ball.roll"', 1, true))
  end)
end)

describe("values of a joint of several dofs", function()
  it("may be a list of all, or numbers from 0 on", function()
    local robot <close> = rt.connect "pioneer2"
    robot:set_joint("head", { 0.1, 0.2 })
    expect.near(0.1, robot:state().joints.head.pan, 1e-3)
    expect.near(0.2, robot:state().joints.head.tilt, 1e-3)
    robot:set_joint("head", { [0] = 0.3 })
    robot:set_joint("head", { [0] = 0.3, [1] = 0.4 })
    expect.near(0.3, robot:state().joints.head.pan, 1e-3)
    expect.near(0.4, robot:state().joints.head.tilt, 1e-3)
    robot:set_joint("head", { ["1"] = 0.1 })
    expect.near(0.1, robot:state().joints.head.tilt, 1e-3)
  end)

  it("raise where it is not clear which dof is meant", function()
    local robot <close> = rt.connect "pioneer2"
    expect.raises("names_test.lua:%d+: head: is %[1%] a number of a dof, from 0, or the first of a list",
      function() robot:set_joint("head", { 0.1 }) end)
    expect.raises("a table of dofs %(pan, tilt%), got number", function() robot:set_joint("head", 0.1) end)
    expect.raises("head has no dof '2'", function() robot:set_joint("head", { [0] = 0.1, [2] = 0.1 }) end)
    expect.raises("want names %(pan, tilt%), or all 2", function() robot:set_joint("head", { 0.1, 0.1, 0.1 }) end)
    expect.raises("head has no dof '2.5'", function() robot:set_joint("head", { [2.5] = 0.1 }) end)
    expect.raises("head: 'pan' is there twice", function() robot:set_joint("head", { pan = 0.1, [0] = 0.1 }) end)
    expect.raises("head.velocity: 'pan' is there twice",
      function() robot:set_joint("head", { pan = 0.1, velocity = { pan = 0.1, [0] = 0.1 } }) end)
    expect.raises("want a table of dofs %(pan, tilt%), got boolean", function() robot:move { head = true } end)
  end)
end)
