-- Models of MJCF in the form that people publish: classes of defaults, shapes to be seen beside shapes to be touched.
local core = require "robotalk.core"
local world = require "robotalk.world"

-- A tetrahedron of OBJ in a file whose name is given; removed when it goes out of scope.
local function mesh()
  local path = os.tmpname()
  os.remove(path)
  path = path .. ".obj"
  local file <close> = assert(io.open(path, "w"))
  assert(file:write("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"))
  return path, setmetatable({}, { __close = function() os.remove(path) end })
end

-- What is wrong with a model, its room, and what is left out of it; FILE stands for its name.
local function read(inside)
  local errors, room, notes = world.errors(nil, "FILE.xml", "<mujoco>\n" .. inside .. "\n</mujoco>")
  return table.concat(errors, "\n"):gsub("FILE.xml", "FILE"), room, (table.concat(notes, "\n"):gsub("FILE.xml", "FILE"))
end

local function things(inside)
  local errors, room, notes = read(inside)
  if errors ~= "" then error(errors) end
  return room.things, room, notes
end

describe("a published model", function()
  it("has shapes that are seen alone, and weigh nothing, in what moves", function()
    local path, _ <close> = mesh()
    local list, room, notes = things(([[<default>
      <geom solimp="0.998 0.998 0.001"/>
      <default class="mug">
        <joint damping="1"/>
        <default class="visual">
          <geom type="mesh" group="2" contype="0" conaffinity="0" mass="0" material="clay"/>
        </default>
        <default class="collision">
          <geom type="box" group="3" rgba="0.5 0.6 0.7 0.3" density="400" friction="0.7 0.1 0.1"/>
          <default class="handle"><geom type="capsule" size="0.008" mass="0.02"/></default>
        </default>
        <site size="0.001" group="4"/>
      </default>
    </default>
    <asset>
      <material name="clay" rgba="1 0 0 1" specular="0.5"/>
      <mesh name="mug" file="%s" scale="0.8 0.8 0.8"/>
    </asset>
    <worldbody>
      <camera name="closeup" pos="0.5 0 0.3"/>
      <geom name="table" type="box" size="0.4 0.4 0.2" pos="0 0 0.2"/>
      <body name="mug" pos="0 0 0.45" childclass="mug">
        <freejoint/>
        <geom class="visual" mesh="mug"/>
        <geom class="collision" size="0.04 0.04 0.045" pos="0.05 0.02 0.02"/>
        <geom class="handle" fromto="0.1 0 0.02 0.1 0 0.06"/>
        <site name="grip" pos="0.1 0 0.04"/><site name="rim"/>
      </body>
    </worldbody>
    <keyframe><key name="home" qpos="0 0 0.45 1 0 0 0"/></keyframe>]]):format(path))
    expect.equal(#list, 4)
    -- what has a mass comes first, and is the body
    local cup, seen, handle = list[2], list[3], list[4]
    expect.equal(cup.name .. " " .. cup.shape, "mug box")
    expect.near(cup.mass, 400 * 0.08 * 0.08 * 0.09, 1e-12)
    expect.equal(cup.friction, 0.7)
    expect.equal(("%x"):format(cup.colour), "8099b34d")
    expect.equal(cup.painted, nil)
    expect.equal(seen.shape .. " " .. tostring(seen.painted) .. " " .. tostring(seen.mass), "mesh true nil")
    expect.equal(("%x"):format(seen.colour), "ff0000ff")
    expect.equal(seen.part_of .. " " .. handle.part_of, "2 2")
    -- a class within another has what that says, and what it says itself
    expect.equal(handle.shape .. " " .. handle.friction, "capsule 0.7")
    expect.equal(handle.mass, 0.02)
    -- what is of no account is left out, which is told
    expect.equal(notes, "FILE:21:7: note: <camera>: it is left out\n"
      .. "FILE:28:9: note: <site>: it is left out (2 times)\nFILE:31:5: note: <keyframe>: it is left out")
    local _ <close> = setmetatable({}, { __close = function() assert(world.open {}) end })
    assert(core.surround(room))
  end)

  it("has turns and places of its own, whatever its class says", function()
    local list = things [[<default><geom type="box" size="1 1 1" euler="0 0 90" pos="0 0 5"/>
      <default class="flat"><geom size="1 1 0.1"/></default></default>
      <worldbody><body childclass="flat"><geom/><geom quat="1 0 0 0" pos="0 0 1" class="main"/></body></worldbody>]]
    expect.near(list[1].attitude[3], math.pi / 2, 1e-9)
    expect.near(list[1].position[3], 5, 1e-9)
    expect.near(list[1].size[3], 0.2, 1e-9)
    expect.near(list[2].attitude[3], 0, 1e-9)
    expect.near(list[2].position[3], 1, 1e-9)
    expect.near(list[2].size[3], 2, 1e-9)
  end)

  it("has lights, materials and meshes of classes", function()
    local _, room = things [[<default class="all"><light directional="true"/><material rgba="0 1 0 1"/></default>
      <asset><material name="green"/></asset>
      <worldbody><light dir="0 0 -1"/><geom type="plane" size="0 0 1" material="green"/></worldbody>]]
    expect.equal(room.lights[1].sun, true)
    expect.equal(("%x"):format(room.floor.colour), "ff00ff")
  end)
end)

describe("of a published model is refused, each once and with its place,", function()
  it("what moves by joints, and what holds or drives that", function()
    expect.equal(read [[<compiler angle="radian"/>
<option cone="elliptic" impratio="10"/>
<default>
<default class="arm"><joint axis="0 0 1"/><geom type="box" size="0.1 x"/></default>
<default class="arm"/><default/><geoms/>
</default>
<asset><mesh file="link.stl"/></asset>
<worldbody>
<body childclass="am">
<inertial mass="1" pos="0 0 0"/>
<geom class="see" mesh="link"/><geom class="see" mesh="link"/>
<body><joint name="pan" class="arm"/><geom class="arm"/><geom class="arm"/></body>
</body>
</worldbody>
<tendon/><equality/><actuator/>]], (([[FILE:5:43: <geom size='0.1 x'>: expected 1 to 3 numbers
FILE:6:1: <default class='arm'>: expected a class of its own
FILE:6:23: <default>: expected a class
FILE:6:33: <geoms> in <default>: expected geom, mesh, material, light, or what is left out here
FILE:8:8: <mesh file='link.stl'>: there is no such file beside the world's
FILE:10:1: <body childclass='am'>: there is no such class among the defaults
FILE:11:1: <inertial> in <body>: expected none: a body weighs what its geoms do
FILE:12:1: <geom class='see'>: there is no such class among the defaults
FILE:13:7: <joint type='hinge'>: expected a free joint: no other is read here
FILE:16:1: <tendon>PART
FILE:16:10: <equality>PART
FILE:16:21: <actuator>PART]]):gsub("PART",
      ": expected compiler, option, visual, statistic, size, default, asset, worldbody: no other part is read here")))
  end)

  it("what moves and weighs nothing, or less", function()
    expect.equal(read [[<worldbody>
<body pos="0 0 1"><freejoint/><geom size="0.1" mass="0"/><geom size="0.2" density="0"/></body>
<body pos="0 0 3"><freejoint/><geom size="0.1" mass="-1"/></body>
<body pos="0 0 5"><freejoint/><geom size="0.1" density="-1"/></body>
</worldbody>]], [[FILE:3:1: <body>: expected a geom with a mass above 0 in what moves
FILE:4:31: <geom mass='-1'>: expected 0 or more
FILE:5:31: <geom density='-1'>: expected 0 or more]])
  end)

  it("what is wrong of a geom, of whatever parts it is made", function()
    local path, _ <close> = mesh()
    for geom, want in pairs {
      ['type="plane" size="x"'] = "<geom size='x'>: expected 3 numbers",
      ['type="plane" size="1 -1 1"'] = "<geom size='1 -1 1'>: expected sizes of 0, without end, or above",
      ['type="box" size="1 1"'] = "<geom size='1 1'>: expected 3 numbers",
      ['type="capsule" size="x" fromto="0 0 0 0 0 1"'] = "<geom size='x'>: expected 1 to 3 numbers",
      ['type="capsule" size="1" fromto="0 0 1 0 0 1"'] = "<geom fromto='0 0 1 0 0 1'>: expected two points",
      ['type="capsule" size="1 1e7"'] = "expected nothing longer, or farther away, than 1e+06 m",
      ['size="1" quat="0 0 0 0"'] = "<geom quat='0 0 0 0'>: expected a direction, not all 0",
      ['size="1" zaxis="0 0 0"'] = "<geom zaxis='0 0 0'>: expected a direction, not all 0",
      ['size="1" axisangle="0 0 0 90"'] = "<geom axisangle='0 0 0 90'>: expected a direction, not all 0",
      ['size="1" friction="-1"'] = "<geom friction='-1'>: expected 0 to 10",
      ['size="1" material="gold"'] = "<geom material='gold'>: there is no such material among the assets",
      ['size="1" name="' .. ("a"):rep(64) .. '"'] = "expected a name of at most 63 characters",
      ['class="gone"'] = "<geom class='gone'>: there is no such class among the defaults",
    } do
      expect.equal(read("<worldbody><geom " .. geom .. "/></worldbody>"), "FILE:2:12: " .. want)
    end
    expect.equal(read '<worldbody><light pos="0 0 1e300"/></worldbody>',
      "FILE:2:12: <light>: expected nothing farther away than 1e+06 m")
    expect.equal(read(([[<asset><mesh name="m" file="%s"/></asset><worldbody>
<body pos="0 0 1"><freejoint/><geom type="mesh" mesh="m" mass="x"/></body></worldbody>]]):format(path)),
      "FILE:3:31: <geom mass='x'>: expected 1 number")
    expect.equal(read [[<worldbody><body pos="0 0 1"><freejoint/><geom type="capsule" size="0.1 0.1" mass="1e9"/></body>
</worldbody>]], "FILE:2:42: mass: expected 0.1 to 25000 kg for each cubic metre, got 9.55e+10")
    expect.near(things('<worldbody><geom size="1" friction="0"/></worldbody>')[1].friction, 0.001, 1e-12) -- the least
  end)
end)
