-- Worlds in MJCF: what becomes of them, and what is refused by its name.
local world = require "robotalk.world"

local function written(text)
  local path = os.tmpname()
  os.remove(path)
  path = path .. ".xml"
  local file <close> = assert(io.open(path, "w"))
  assert(file:write(text))
  return path, setmetatable({}, { __close = function() os.remove(path) end })
end

local function read(text)
  local path, _ <close> = written(text)
  local room, message = world.read(path)
  return room, message and (message:gsub(path:gsub("%p", "%%%0"), "FILE"))
end

local function things(inside)
  local room, message = read("<mujoco>" .. inside .. "</mujoco>")
  if not room then error(message) end
  return room.things, room
end

local function near(want, got)
  expect.equal(#got, #want)
  for i, x in ipairs(want) do expect.near(got[i], x, 1e-9) end
end

local function refused(inside, message)
  expect.equal(select(2, read("<mujoco>\n" .. inside .. "\n</mujoco>")), message)
end

describe("a world in MJCF", function()
  it("has geoms of half sizes, in bodies that are turned in degrees", function()
    local list, room = things [[<option gravity="0 0 -1.62" timestep="0.001"/><worldbody>
      <geom type="plane" size="0 0 1" rgba="1 0 0 1" friction="0.4 0.1 0.1"/>
      <body pos="1 2 3" euler="0 0 90">
        <geom name="post" type="box" size="1 2 3" pos="1 0 1" rgba="0 1 0 0.5"/>
        <body pos="0 0 1"><geom type="sphere" size="0.5" pos="0 1 0"/></body>
      </body>
      <light pos="0 0 4" dir="0 1 -1"/> </worldbody>]]
    expect.equal(#list, 2)
    near({ 2, 4, 6 }, list[1].size)
    near({ 1, 3, 4 }, list[1].position)
    near({ 0, 0, math.pi / 2 }, list[1].attitude)
    expect.equal(list[1].name, "post")
    expect.equal(list[1].mass, nil)
    expect.equal(("%x"):format(list[1].colour), "ff0080")
    near({ 0, 2, 4 }, list[2].position)
    expect.equal(("%x %g"):format(room.floor.colour, room.floor.friction), "ff0000ff 0.4")
    expect.equal(("%g %g"):format(room.gravity, room.step), "1.62 0.001")
    near({ 0, 1, -1 }, room.lights[1].direction)
  end)

  it("is turned by quaternions, axes and angles, two axes or one", function()
    local quarter = math.sqrt(0.5)
    local function turned(how)
      return things(('<worldbody><geom type="box" size="1 1 1" %s/></worldbody>'):format(how))[1].attitude
    end
    for _, turn in ipairs { ('quat="%.17g 0 0 %.17g"'):format(quarter, quarter), 'axisangle="0 0 2 90"',
      'xyaxes="0 2 0 -1 0.5 0"', 'euler="0 0 90"' } do
      near({ 0, 0, math.pi / 2 }, turned(turn))
    end
    near({ 0, math.pi / 2, 0 }, turned 'zaxis="1 0 0"')
    -- capital letters turn about fixed axes, as our own angles do; small ones about axes that turn along, in the other
    -- order the same
    local function box(sequence, angles)
      return things(('<compiler angle="radian" eulerseq="%s"/><worldbody><geom type="box" size="1 1 1" euler="%s"/>'
        .. '</worldbody>'):format(sequence, angles))[1].attitude
    end
    near({ 0.5, 1, 0.25 }, box("XYZ", "0.5 1 0.25"))
    near({ 0.5, 1, 0.25 }, box("zyx", "0.25 1 0.5"))
  end)

  it("has bodies that move as one, with the masses of their geoms", function()
    local list = things [[<worldbody><body name="hammer" pos="0 0 1"><freejoint/>
      <geom type="cylinder" fromto="0 0 0 0 0 0.4" size="0.02" density="500"/>
      <geom type="box" size="0.05 0.03 0.03" pos="0 0 0.43" mass="0.5"/></body></worldbody>]]
    expect.equal(list[1].name, "hammer")
    near({ 0, 0, 1.2 }, list[1].position)
    near({ 0.02, 0.4, 0 }, list[1].size)
    expect.near(list[1].mass, 500 * math.pi * 0.02 ^ 2 * 0.4, 1e-12)
    expect.equal(list[1].part_of, nil)
    expect.equal(list[2].part_of, 1)
    expect.equal(list[2].mass, 0.5)
    assert(world.open {}) -- and the core takes them
  end)

  it("has capsules, whose length is that of their cylinder", function()
    local list = things [[<worldbody><body pos="0 0 1"><joint type="free"/>
      <geom type="capsule" size="0.1 0.5" euler="0 90 0" mass="3"/></body></worldbody>]]
    expect.equal(#list, 1)
    expect.equal(list[1].shape, "capsule")
    near({ 0.1, 1, 0 }, list[1].size)
    near({ 0, 0, 1 }, list[1].position)
    near({ 0, math.pi / 2, 0 }, list[1].attitude)
    expect.equal(list[1].mass, 3)
    local heavy = things [[<worldbody><body pos="0 0 1"><freejoint/>
      <geom type="capsule" size="0.1 0.5" density="100"/></body></worldbody>]]
    expect.near(heavy[1].mass, 100 * math.pi * (0.01 + 4 / 3 * 0.001), 1e-9)
  end)

  it("has the sky of a gradient, which is half way down at the horizon", function()
    local _, room = things [[<asset><texture type="skybox" builtin="gradient" rgb1="0 0 1" rgb2="1 0.2 0"/>
      <texture type="2d" builtin="gradient" rgb1="1 1 1"/></asset>]]
    expect.equal(("%x %x"):format(room.sky.top, room.sky.horizon), "ffff 801a80ff")
    expect.equal(room.floor.texture, "checker")
    -- what cannot be seen has a colour all the same
    expect.equal(("%x"):format(things('<worldbody><geom size="1" rgba="0 0 0 0"/></worldbody>')[1].colour), "1010100")
  end)

  it("has a floor of squares where its material has a texture, and of one colour otherwise", function()
    local assets = '<asset><material name="grid" texture="grid"/><material name="red" rgba="1 0 0 1"/></asset>'
    for material, want in pairs { grid = "checker nil", red = "plain 4278190335" } do
      local _, room = things(assets .. ('<worldbody><geom type="plane" size="1 1 1" material="%s"/></worldbody>')
        :format(material))
      expect.equal(("%s %s"):format(room.floor.texture, room.floor.colour), want)
    end
  end)

  it("stands in the simulation without physics", function()
    local path, _ <close> =
      written '<mujoco><worldbody><geom type="box" size="1 1 1" pos="0 0 1"/></worldbody></mujoco>'
    expect.equal(world.open(path), true)
    assert(world.open {})
  end)
end)

describe("of MJCF is refused, with its place,", function()
  it("what moves otherwise, or is not known", function()
    refused('<worldbody><body><joint type="hinge"/><geom size="1"/></body></worldbody>',
      "FILE:2:18: <joint type='hinge'>: expected a free joint: no other is read here")
    refused('<tendon><fixed name="a"/></tendon>', "FILE:2:1: <tendon>: expected compiler, option, visual, "
      .. "statistic, size, default, asset, worldbody: no other part is read here")
    refused('<worldbody><geom type="ellipsoid" size="1 1 1"/><frame/></worldbody>',
      "FILE:2:12: <geom type='ellipsoid'>: expected plane, box, cylinder, sphere, mesh or capsule\n"
      .. "FILE:2:49: <frame> in <worldbody>: expected geom, body or light")
    refused('<worldbody><body><inertial mass="1"/><freejoint/><geom size="1" user="soft"/></body></worldbody>',
      "FILE:2:18: <inertial> in <body>: expected none: a body weighs what its geoms do\n"
      .. "FILE:2:50: <geom user>: expected none: it is not read here")
    refused('<option><flag gravity="disable" eulerdamp="disable"/></option>',
      "FILE:2:9: <flag gravity='disable'>: expected none: it is not read here")
    refused('<worldbody><body><body><freejoint/><geom size="1"/></body></body></worldbody>',
      "FILE:2:24: <freejoint>: expected it once, in a body of the world's")
    refused('<worldbody><geom type="plane" size="1 1 1" pos="0 0 1"/></worldbody>',
      "FILE:2:12: <geom type='plane'>: expected the floor, at z = 0: walls are boxes here")
  end)

  it("what is wrong", function()
    refused('<worldbody><geom type="box" size="1 nan 1"/><geom type="box"/><geom size="0"/></worldbody>',
      "FILE:2:12: <geom size='1 nan 1'>: expected 3 numbers\nFILE:2:45: <geom>: expected a size\n"
      .. "FILE:2:63: <geom size='0'>: expected sizes above 0")
    refused('<option gravity="1 0 0" timestep="1"/>',
      "FILE:2:1: <option gravity='1 0 0'>: expected 0 0 and 0 to -1000\n"
      .. "FILE:2:1: <option timestep='1'>: expected 0.0001 to 0.02")
    refused('<asset><mesh file="nowhere.stl"/></asset>',
      "FILE:2:8: <mesh file='nowhere.stl'>: there is no such file beside the world's")
    refused('<worldbody><geom type="mesh" mesh="m"/></worldbody>',
      "FILE:2:12: <geom mesh='m'>: there is no such mesh among the assets")
    refused('<worldbody><body pos="0 0 1"><freejoint/><geom size="1" mass="1e9"/></body></worldbody>',
      "FILE:2:42: mass: expected 0.1 to 25000 kg for each cubic metre, got 2.39e+08")
    refused('<worldbody><body pos="0 0 1"><freejoint/><geom size="1"/></body><geom size="1" pos="0 0 2"/></worldbody>',
      "FILE:2:42: it begins inside of 2:65: expected things that move to be free of others")
    refused('<worldbody><body pos="1e308 0 0"><body pos="1e308 0 0"><geom size="1" pos="0 1e308 0"/></body></body>'
      .. '</worldbody>', "FILE:2:56: expected nothing longer, or farther away, than 1e+06 m")
    refused("<worldbody>", "FILE:3:3: mismatched tag")
  end)

  it("all of it at once, in the order of the file", function()
    refused([[<compiler angel="radian"/><option timestep="1" gravity="0 0 1"/><asset><mesh file="gone.stl"/></asset>
<worldbody>
<body pos="0 0 1"><freejoint/><geom size="0.1" mass="1e9" rgba="1"/></body>
<body pos="0 0 1"><freejoint/><geom size="0.2"/><geom size="0"/></body>
<body name="a"><freejoint/><geom type="mesh" mesh="gone"/></body>
<geom name="a" type="box" size="1 1"/>
</worldbody>]],
      "FILE:2:1: <compiler angel>: expected none: it is not read here\n"
      .. "FILE:2:27: <option gravity='0 0 1'>: expected 0 0 and 0 to -1000\n"
      .. "FILE:2:27: <option timestep='1'>: expected 0.0001 to 0.02\n"
      .. "FILE:2:72: <mesh file='gone.stl'>: there is no such file beside the world's\n"
      .. "FILE:4:31: <geom rgba='1'>: expected 4 numbers\n"
      .. "FILE:5:49: <geom size='0'>: expected sizes above 0\n"
      .. "FILE:7:1: <geom size='1 1'>: expected 3 numbers\n"
      .. "FILE:7:1: expected a name of its own, got that of 6:1")
    -- with angles that are known
    refused([[<worldbody>
<body pos="0 0 1"><freejoint/><geom size="0.1" mass="1e9" rgba="1"/></body>
<body pos="0 0 1"><freejoint/><geom size="0.2"/><geom size="0"/></body>
<body pos="0 0 a"><freejoint/><geom size="5"/></body>
</worldbody>]],
      "FILE:3:31: <geom rgba='1'>: expected 4 numbers\n"
      .. "FILE:3:31: mass: expected 0.1 to 25000 kg for each cubic metre, got 2.39e+11\n"
      .. "FILE:4:31: it begins inside of 3:31: expected things that move to be free of others\n"
      .. "FILE:4:49: <geom size='0'>: expected sizes above 0\n"
      .. "FILE:5:1: <body pos='0 0 a'>: expected 3 numbers")
  end)
end)
