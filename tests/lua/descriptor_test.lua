-- luacheck: no max line length
-- Descriptors: all that is wrong is told at once, with its line; what is right goes over the wire and comes back.
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"
local extent = require "tests.lua.extent"

local function lines_of(text)
  local lines = {}
  for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
  return lines
end

local function wrong(text) return select(2, descriptor.read(text, "x.lua")) end

describe("a descriptor full of nonsense", function()
  it("is told all of it, line by line", function()
    local good, message, code = descriptor.load("tests/descriptors/nonsense.lua")
    expect.truthy(not good)
    expect.equal(code, "EINVAL")
    local expected = {
      '4: links[2].name: expected a name of its own: links[1] is called "leg" too',
      "5: links[1].mass: expected a number in kg, 0 to 2e+06, got -1",
      "5: links[2].mass: expected a number in kg, 0 to 2e+06, got -2",
      "9: joints[1].position: expected either a position or inboard and outboard, got both",
      "10: joints[1].rest: expected a rotation: rows of unit length at right angles, right-handed, got { {…}, {…}, {…} }",
      "12: joints[1].dofs[1].limit: expected two numbers, the lower first, got { 1, 0 }",
      "13: joints[1].dofs[2].axis: expected a direction { x, y, z }, not all 0, got { 0, 0, 0 }",
      "13: joints[1].dofs[2].home: expected a position within its limit, got 2",
      '13: joints[1].dofs[2].name: expected a name of its own: dof 1 is called "a" too',
      "17: modle: did you mean 'model'? expected one of name, model, from, deadman, deadman_limit, gap_limit, "
        .. "panic, base, battery, bus, links, joints, frames, cameras, sensors, widgets, drivers, rcml, commands",
      '17: deadman: expected a number in s, 0 to 1e+06, got "soon"',
      "18: panic.arm.dof: expected a dof of joint 'arm', got \"b\"",
      "20: links[0].inertia: expected an inertia that is positive definite, got { 1, -1, 1 }",
      "22: links[3]: expected a joint whose child it is, or a position in the world as roots have it",
      "23: links[5].position: expected none: joint 'and_round' says where this link is; only roots have a place in the world",
      '27: joints[2].servo: expected "setpoint", "speed" or "force" or a list of them, got "sped"',
      "27: joints[2].parent: expected the number or the name of a link (base, leg, leg, lost, first, second), got 7",
      '27: joints[2].name: expected a name of its own: joints[1] is called "arm" too',
      '28: joints[2].dofs[1].type: expected "revolute" or "prismatic", got "rotary"',
      "28: joints[2].dofs[1].speed: expected a number, 0 or more, got -1",
      '28: joints[2].dofs[1].mimic.joint: expected the name of a joint, got "nobody"',
      "29: joints[3].parent: expected a link that hangs on a root: link 4 is its own ancestor",
      "30: joints[4].parent: expected a link that hangs on a root: link 5 is its own ancestor",
      "31: joints[5].child: expected a link that no other joint moves: joint 'round' has link 4 for its child too",
      '33: frames[1].link: expected the number or the name of a link (base, leg, leg, lost, first, second), got "nobody"',
      "33: frames[2].name: expected a text, got nothing",
      "33: frames[2].servo: expected none: no dof moves this control frame",
      "34: cameras[1].fov: expected a number in rad, 0 to 6.284, got 7",
      '35: widgets[1].type: expected "slider", "knob", "number", "button", "pad" or "label", got "lever"',
      '35: widgets[1].command: expected the name of a command, got "fly"',
      "36: drivers.camera.port: expected a text, a number, true or false, got {}",
      '37: base.speed.x: expected a number, 0 or more, got "fast"',
      "37: base.speed.z: expected one of x, y, theta",
      '38: commands[1]: expected the name of a command, got "jump"',
    }
    local told, there = lines_of(message), {}
    for _, line in ipairs(told) do there[line] = true end
    for _, line in ipairs(expected) do
      local whole = "tests/descriptors/nonsense.lua:" .. line
      expect.truthy(there[whole], "not told: " .. whole .. "\nbut:\n" .. message)
    end
    expect.equal(#told, #expected)
    local before = 0
    for _, line in ipairs(told) do
      local number = tonumber(line:match(":(%d+):"))
      expect.truthy(number >= before, "in the order of the file")
      before = number
    end
  end)
end)

describe("a translator", function()
  it("has a name of letters, digits and _", function()
    local function joint(name) return ("return { name = 'x', joints = { { translator = %q, dofs = { {} } } } }"):format(name) end
    expect.equal(nil, wrong(joint "my_stick2"))
    expect.equal(nil, wrong(joint ""))
    expect.equal("x.lua:1: joints[1].translator: expected the name of a translator: letters, digits and _, got "
      .. '"../stick.lua"', wrong(joint "../stick.lua"))
    expect.equal("x.lua:1: base.translator: expected the name of a translator: letters, digits and _, got \"a b\"",
      wrong "return { name = 'x', base = { translator = 'a b' } }")
    expect.truthy(wrong(joint(("x"):rep(64))):find("expected a text of at most 63 characters", 1, true))
  end)
end)

describe("a link without a name", function()
  it("has that of its joint, also as a parent", function()
    local d = assert(descriptor.read([[return { name = "x", joints = {
      { name = "arm", parent = "base", dofs = { {} } },
      { name = "left", parent = "arm", dofs = { {} } }, { name = "right", parent = "arm", dofs = { {} } } } }]], "x.lua"))
    local joints = descriptor.records(d).joint
    expect.equal("0 1 1", ("%d %d %d"):format(joints[2].parent, joints[3].parent, joints[4].parent))
  end)
end)

describe("a joint whose parent is no link", function()
  it("is told once, and nothing of what hangs on it", function()
    local one = "{ name = %q, parent = %s, dofs = { {} } },"
    local message = wrong("return { name = 'x', joints = {" .. one:format("a", "'bse'") .. one:format("b", "'a'")
      .. one:format("c", "'b'") .. "} }")
    expect.equal("x.lua:1: joints[1].parent: expected the number or the name of a link (base, a, b, c), got \"bse\"", message)
  end)
end)

describe("a descriptor file", function()
  it("sees what computes, and nothing else", function()
    local d = assert(descriptor.read([[
      local names = { "left", "right" }
      local joints = {}
      for i, name in ipairs(names) do
        joints[i] = { name = string.format("%s_%d", name:upper(), i), dofs = { {} } }
      end
      return { name = "x", base = { speed = { x = math.pi } }, joints = joints }]], "x.lua"))
    expect.equal("RIGHT_2", d.joints[2].name)
    expect.truthy(wrong("return { name = os.getenv 'HOME' }"):find("x.lua:1: attempt to index a nil value", 1, true))
    expect.truthy(wrong("return require 'x'"):find("x.lua:1: attempt to call a nil value", 1, true))
    for _, name in ipairs { "io", "load", "pcall", "setmetatable", "coroutine", "debug", "next", "_G" } do
      expect.truthy(descriptor.read(("return { name = 'x', base = {}, deadman = %s and 0 }"):format(name), "x.lua"), name)
    end
  end)
  it("is text, and comes to an end", function()
    local code = string.dump(function() return {} end)
    expect.truthy(wrong(code):find("attempt to load a binary chunk", 1, true))
    expect.equal("x.lua:2: it computes too long", wrong("local x = 0\nwhile true do x = x + 1 end"))
    -- one that takes minutes to compile
    expect.equal("x.lua:1: it computes too long", wrong("return " .. ("a or "):rep(200000) .. "a"))
    expect.equal("x.lua:2: it wants more than 32 MiB of memory",
      wrong("local s = 'x'\nfor _ = 1, 60 do s = s .. s end"))
    expect.equal("x.lua:2: it wants more than 32 MiB of memory",
      wrong("local t = {}\nfor i = 1, 1e9 do t[i] = {} end"))
    expect.truthy(wrong("return {"):find("x.lua:1: unexpected symbol near <eof>", 1, true))
    expect.equal(wrong("return 7"), "x.lua:1: expected the file to return a table, got number")
  end)
  it("cannot call what takes long within one instruction", function()
    for _, name in ipairs { "string.rep", "string.find", "string.gsub", "string.gmatch", "string.match", "table.move",
      "('x').rep", "('x').gsub" } do
      expect.truthy(wrong(("return %s('x', 'y')"):format(name)):find "x.lua:1: attempt to call a nil value", name)
    end
    local long = "local t = {} for i = 1, 1e5 do t[i] = 'x' end local s = 'x' for _ = 1, 14 do s = s .. s end\n"
    for _, call in ipairs { "table.insert(t, 1, 'x')", "table.remove(t, 1)", "table.concat(t)", "table.sort(t)",
      "table.unpack(t)", "string.upper(s)", "s:lower()", "s:reverse()", "s:byte(1, -1)", "string.format('%s', s)" } do
      expect.truthy(wrong(long .. call):find "x.lua:2: .*a text or a list of more than 4096 is too long here", call)
    end
    expect.truthy(wrong("table.sort { 'b', 'a' }"):find "to sort other than numbers")
  end)
  it("changes nothing for others, whatever it does to what it sees", function()
    local huge, max = math.huge, math.max
    expect.truthy(wrong("math.max = function() while true do end end math.huge = 0 string.format = nil\n"
      .. "ipairs = nil return { name = 'x', base = { speed = { x = 'fast' } } }"):find "x.lua:2: base.speed.x: expected")
    expect.equal(huge, math.huge)
    expect.equal(max, math.max)
    expect.equal("xx", ("x"):rep(2))
    assert(descriptor.read("return { name = 'x', base = { speed = { x = math.max(1, 2) } }, joints = { { name = "
      .. "('h'):upper(), dofs = { { limit = { -1, math.huge - math.huge == 0 and 0 or 1 } } } } } }", "x.lua"))
  end)
  it("may return tables in themselves, but not too deep", function()
    expect.truthy(wrong("local d = { name = 'x', base = {} } d.links = { [0] = d } return d"):find "x.lua:1: links")
    expect.truthy(wrong("local d = {} for _ = 1, 1000 do d = { d } end return d"):find "to a depth of 100")
    expect.truthy(wrong("return { name = function() end }"):find "x.lua:1: name: expected a text.*, got function")
  end)
  it("may name one text in many places, but not so that it fills who reads it", function()
    local long = "local s = 'x' for _ = 1, 20 do s = s .. s end local t = {} for i = 1, %d do t[i] = s end return t"
    expect.truthy(wrong(long:format(30)):find "name: expected a text")
    expect.truthy(wrong(long:format(40)):find ":1: expected at most 32 MiB of texts")
  end)

  it("tells the line of a name that cannot be printed", function()
    expect.equal("x.lua:2: name: the robot has no name that can be printed", wrong("return {\nname = 'a\\1b', base = {} }"))
    expect.truthy(wrong("return {\nname = 'a\u{9B}2J', base = {} }"):find("no name that can be printed", 1, true))
  end)
  it("tells of too much", function()
    local joints = {}
    for i = 1, 103 do joints[i] = "{ dofs = { {}, {}, {}, {}, {} } }" end
    expect.truthy(wrong("return { name = 'x', joints = { " .. table.concat(joints, ",") .. " } }")
      :find("expected at most 512 dofs in all, got 515", 1, true))
    expect.truthy(wrong("return { name = 'x', joints = { { dofs = { {}, {}, {}, {}, {}, {}, {} } } } }")
      :find("joints[1].dofs[7]: expected at most 6", 1, true))
    expect.truthy(wrong("return { name = 'x', joints = { [2] = { dofs = { {} } } } }")
      :find("joints[2]: expected no gap: [1] is missing", 1, true))
  end)
  it("tells of the first hundred things that are wrong, and cuts what is long", function()
    local told = lines_of(wrong "local d = { name = 'x' } for i = 1, 1e5 do d['key' .. i] = i end return d")
    expect.equal(101, #told)
    expect.equal("x.lua: there are more; these are the first", told[101])
    expect.truthy(#wrong("local k = 'k' for _ = 1, 20 do k = k .. k end return { name = 'x', [k] = 1 }") < 300)
    expect.truthy(wrong("return { name = 'x', ['a\\27[2Jb\\n'] = 1 }"):find("a?[2Jb?: expected one of", 1, true))
    -- places are looked for in what is no larger than descriptions are
    expect.truthy(wrong("return {\nname = 5, links = {" .. ("{},"):rep(7e4) .. "} }"):find "x.lua:1: name: expected")
  end)
  it("is a file, not something without an end", function()
    for _, path in ipairs { "/dev/zero", "/dev/null", "." } do
      local good, message, code = descriptor.load(path)
      expect.truthy(not good)
      expect.equal(path .. ": expected a file, got a folder, a device or a pipe", message)
      expect.equal("ENONE", code)
    end
  end)
  it("may have nothing that moves, but such a robot cannot be added", function()
    local d = assert(descriptor.read("return { name = 'stone' }", "x.lua"))
    local name, message, code = descriptor.add(d)
    expect.truthy(not name)
    expect.equal(code, "EINVAL")
    expect.truthy(message:find("nothing of it moves", 1, true))
  end)
end)

describe("a number beyond what any may be", function()
  it("is refused with the bound", function()
    local function refused(link)
      local report = descriptor.check { name = "x", links = { [0] = link }, joints = {} }
      return report[1].path .. ": " .. report[1].message
    end
    expect.equal("links[0].inertia: expected moments { xx, yy, zz }, { xx, yy, zz, xy, xz, yz } or three rows, none "
      .. "beyond 2e+06, got { 1000000000.0, 1, 1 }", refused { inertia = { 1e9, 1, 1 } })
    expect.equal("links[0].mass: expected a number in kg, 0 to 2e+06, got 100000000.0", refused { mass = 1e8 })
    expect.equal("links[0].com: expected three numbers { x, y, z } in m, none beyond 2e+06, got { 0, 0, -3000000.0 }",
      refused { com = { 0, 0, -3e6 } })
  end)
end)

describe("a descriptor that may not be meant", function()
  local function notes_of(text)
    local path = os.tmpname()
    local file <close> = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local made, message = descriptor.open(path)
    os.remove(path)
    local lines = {}
    for i, note in ipairs(assert(made, message).notes()) do lines[i] = note.line .. ": " .. note.message end
    return table.concat(lines, "\n")
  end

  it("has an inertia that no body has, or limits in degrees", function()
    expect.equal("4: links[1].inertia: no body has it: its greatest principal moment is 150 % larger than the other two "
      .. "together\n6: joints[1].dofs[1].limit: 143 rad are 23 turns: are these degrees?", notes_of [[
return { name = "x",
  links = {
    [0] = { name = "flat", mass = 1, inertia = { 1, 2, 3 } },
    { name = "arm", mass = 1, inertia = { 1, 1, 5 } } },
  joints = { { position = { 0, 0, 1 },
    dofs = { { name = "a", limit = { -143, 143 } }, { name = "b", type = "prismatic", limit = { 0, 143 } },
      { name = "c", limit = { -12, 12 } } } } } }]])
    expect.equal("1: base.speed.theta: 60 rad/s are 9.5 turns: are these degrees?\n2: joints[1].dofs[1].speed: 60 rad/s are "
      .. "9.5 turns: are these degrees?\n3: frames[1].attitude: 90 rad are 14 turns: are these degrees?", notes_of [[
return { name = "x", base = { speed = { theta = 60 } }, links = { [0] = { name = "base" }, { name = "arm" } },
  joints = { { dofs = { { limit = { -2, 2 }, speed = 60 }, { speed = 60 }, { limit = { -12, 12 }, speed = 60 } } } },
  frames = { { name = "a", link = "arm", attitude = { 0, 0, 90 } }, { name = "b", link = "arm", attitude = { 0, 0, 6 } } } }]])
  end)

  it("has links of a mass that nothing of that size has", function()
    expect.equal("2: links[0].mass: 3e+04 kg are 3.75e+06 kg for each cubic metre of its shapes: expected 0.1 to 25000\n"
      .. "3: links[1].mass: 1e-07 kg are 2.39e-05 kg for each cubic metre of its shapes: expected 0.1 to 25000", notes_of [[
return { name = "x", links = {
    [0] = { name = "foot", mass = 30000, inertia = { 1, 1, 1 }, shapes = { { type = "box", size = 0.2 } } },
    { name = "arm", mass = 1e-7, inertia = { 1e-9, 1e-9, 1e-9 }, shapes = { { type = "sphere", size = 0.1 } } },
    { name = "hand", mass = 1, inertia = { 1, 1, 1 } } },
  joints = { { dofs = { {} } }, { dofs = { {} } } } }]])
  end)

  it("has a driver that nothing names, and is simulated", function()
    local text = 'return { name = "x", base = { driver = "wheels" },\n  drivers = { wheels = { driver = "sim" },\n'
      .. '    body = { script = "rctp", url = "rctp://localhost/x" } } }'
    expect.equal('3: drivers.body: nothing names it: expected driver = "body" in the base, in joints, sensors or '
      .. "cameras; else they are simulated", notes_of(text))
    expect.equal("", notes_of((text:gsub("wheels", "body", 1):gsub("wheels.-\n", ""))))
  end)
end)

describe("the size of a shape", function()
  local function complaint(shape)
    local _, message = descriptor.read(("return { name = 'x', base = {},\nlinks = { [0] = { shapes = { %s } } } }"):format(
      shape), "x.lua")
    return message
  end
  it("has as many numbers as its type takes", function()
    for shape, message in pairs {
      ["{ type = 'box', size = { 0.4, 0.3 } }"] = "3 numbers, got { 0.4, 0.3 }",
      ["{ type = 'cylinder', size = { 0.4 } }"] = "2 numbers, got { 0.4 }",
      ["{ type = 'cylinder', size = { 0.4, 1, 1 } }"] = "2 numbers, got { 0.4, 1.0, 1.0 }",
      ["{ type = 'sphere', size = { 0.4, 0.3 } }"] = "one number, got { 0.4, 0.3 }",
      ["{ type = 'mesh', file = 'a.stl', size = { 1, 1 } }"] = "3 numbers, got { 1.0, 1.0 }",
    } do expect.equal("x.lua:2: links[0].shapes[1].size: expected " .. message, complaint(shape)) end
  end)
  it("is of what can roll, where a shape rolls", function()
    local function roll(link, shape)
      local _, message = descriptor.read(("return { name = 'x', base = {}, links = { [0] = {}, [1] = {} },\n"
        .. "joints = { { dofs = { {} } } } }"):gsub(link == 0 and "%[0%] = {}" or "%[1%] = {}",
        ("[%d] = { shapes = { %s } }"):format(link, shape)), "x.lua")
      return message
    end
    expect.equal(nil, roll(0, "{ type = 'cylinder', size = { 0.1, 0.1 }, attitude = { 1.57, 0, 0 },"
      .. " roll = 'wheel' }"))
    expect.equal(nil, roll(0, "{ type = 'cylinder', size = { 0.1, 0.1 }, attitude = { 0, -1, 0 }, roll = 'omni' }"))
    local upright = "expected an axle that lies, as with attitude = { math.pi / 2, 0, 0 }: this one is upright, and "
      .. "rolls nowhere"
    expect.equal("x.lua:1: links[0].shapes[1].roll: " .. upright,
      roll(0, "{ type = 'cylinder', size = { 0.1, 0.1 }, roll = 'wheel' }"))
    expect.equal("x.lua:1: links[0].shapes[1].attitude: " .. upright,
      roll(0, "{ type = 'cylinder', size = { 0.1, 0.1 }, attitude = { 0, 0.05, 2 }, roll = 'omni' }"))
    expect.equal(nil, roll(0, "{ type = 'sphere', size = { 0.1 }, roll = 'caster' }"))
    expect.equal("x.lua:1: links[0].shapes[1].roll: expected none of a box: a wheel is a cylinder, got \"wheel\"",
      roll(0, "{ type = 'box', size = 1, roll = 'wheel' }"))
    expect.equal("x.lua:1: links[1].shapes[1].roll: expected none, since only shapes of link 0 carry the robot, got \"omni\"",
      roll(1, "{ type = 'cylinder', size = { 0.1, 0.1 }, roll = 'omni' }"))
  end)
  it("may be one number for all three", function()
    for shape, want in pairs { ["{ type = 'box', size = 0.5 }"] = "0.5 0.5 0.5", ["{ type = 'mesh' }"] = "1.0 1.0 1.0",
      ["{ type = 'mesh', size = { 2 } }"] = "2.0 2.0 2.0", ["{ type = 'sphere', size = 2 }"] = "2.0 0 0" } do
      local d = assert(descriptor.read(("return { name = 'x', base = {}, links = { [0] = { shapes = { %s } } } }"):format(
        shape), "x.lua"))
      expect.equal(want, table.concat(descriptor.records(d).shape[1].size, " "))
    end
  end)
end)

-- A random descriptor with all that a descriptor can have; random is math.random of a seed of its own.
local function random_descriptor(seed)
  math.randomseed(seed)
  local function r() return math.random() * 2 - 1 end
  local function place() return { r(), r(), r() } end
  local d = { name = "r" .. seed, model = "random", deadman = math.random(10) / 8, links = {}, joints = {}, frames = {},
    base = { holonomic = math.random() < 0.5, speed = { x = 1, theta = 2 } }, battery = { capacity = 5e5,
      voltage = 12 },
    bus = { rate = 1000, order = "optimal", max_age = 0.25 }, cameras = {}, sensors = {}, widgets = {} }
  local n = math.random(1, 12)
  for i = 0, n do
    local a, b, c = math.random() + 0.1, math.random() + 0.1, math.random() + 0.1
    d.links[i] = { name = "l" .. i, mass = math.random() * 5, com = place(), inertia = { a, b, c, 0.01 * r(),
      0.01 * r(), 0.01 * r() },
      shapes = { { type = "box", size = { 1, 2, 3 }, position = place(), attitude = place(), colour = "#12345678" },
        { type = "mesh", file = "m" .. i .. ".stl", size = { 1, 1, 1 }, solid = true } } }
    if i > 0 then
      local j = { name = "j" .. i, parent = math.random(0, i - 1), child = i, dofs = {}, rest = place(),
        servo = { "setpoint", "speed" }, leg = math.random(0, 2), translator = i % 2 == 0 and "scroll" or nil }
      if math.random() < 0.5 then j.position = place() else j.inboard, j.outboard = place(), place() end
      for k = 1, math.random(1, 4) do
        local low = r()
        j.dofs[k] = { name = "d" .. k, type = math.random() < 0.5 and "revolute" or "prismatic", axis = place(),
          limit = math.random() < 0.7 and { low, low + 1 } or nil, speed = 1 + math.random(), acceleration = 3,
            force = 9 }
      end
      d.joints[i] = j
      d.frames[i] = { name = "f" .. i, link = i, position = place(), attitude = place(), speed = 0.5, turn = 1 }
    end
  end
  d.links[n + 1] = { name = "table", position = place(), attitude = place() }
  d.joints[1].dofs[#d.joints[1].dofs + 1] = { name = "follower", mimic = { joint = "j" .. n, dof = "d1", ratio = -2,
    shift = 0.5 } }
  d.cameras[1] = { name = "eye", link = n, width = 320, height = 240, fov = 1, rate = 25, position = place(),
    translator = "jpeg" }
  d.base.translator = seed % 2 == 0 and "wheels" or nil
  d.sensors[1] = { name = "s", type = "sonar", link = 0, range = { 0.1, 5 }, unit = "m", opening = 0.25,
    noise = 0.01, noise_scale = 0.02, bias = -0.125, resolution = 0.001, dropout = 0.1, latency = 0.25 }
  d.sensors[2] = { name = "i", type = "imu", link = 0, noise = { 0.5, 0.25 }, bias = { 0, 0, -0.5 } }
  d.sensors[3] = { name = "o", type = "odometry", link = 0, resolution = { 0.5, 0.25 }, slip = 0.0625 }
  d.widgets[1] = { name = "w", type = "slider", command = "set_joint", joint = "j1", dof = "d1", range = { -1, 1 },
    step = 0.1 }
  d.panic = math.random() < 0.5 and "limp" or { j1 = { d1 = d.joints[1].dofs[1].limit and d.joints[1].dofs[1].limit[1] or 0 } }
  return d
end

describe("random descriptors", function()
  it("come back from the wire, and from a Lua file, as they were", function()
    for seed = 1, extent(60, 12) do
      local d = random_descriptor(seed)
      local report = descriptor.check(d)
      expect.truthy(not report, report and report[1].path .. ": " .. report[1].message)
      local block = descriptor.configuration(d)
      local back = assert(descriptor.from_configuration(block))
      expect.truthy(descriptor.configuration(back) == block, "back from the wire: " .. seed)
      local again, why = descriptor.read(require "robotalk.descriptor.write".write(d), "x.lua")
      expect.truthy(again, why)
      expect.truthy(descriptor.configuration(again) == block, "back from a file: " .. seed)
    end
  end)
  it("come back from an RCML file as they were, but for what floats leave of numbers", function()
    local function compare(want, got, path)
      expect.equal(type(want), type(got), path)
      if type(want) == "table" then
        for key in pairs(got) do expect.truthy(want[key] ~= nil, path .. "." .. tostring(key)) end
        for key, value in pairs(want) do compare(value, got[key], path .. "." .. tostring(key)) end
      elseif type(want) == "number" then
        expect.near(want, got, 2e-6 * math.max(1, math.abs(want)), path)
      else
        expect.equal(want, got, path)
      end
    end
    for seed = 1, extent(40, 8) do
      local _, made = descriptor.check(random_descriptor(seed))
      local out, notes = require "robotalk.rcml".read(core.rcml(made.body), "r.wrl", {})
      expect.truthy(out, not out and notes[1].message)
      local report, again = descriptor.check(out)
      expect.truthy(not report, report and report[1].path .. ": " .. report[1].message)
      local _, want = descriptor.from_configuration(core.configuration(made.body))
      local _, got = descriptor.from_configuration(core.configuration(again.body))
      compare(want, got, "r" .. seed)
    end
  end)
  it("have Jacobians that are the differences of their poses", function()
    local worst = 0
    for seed = 1, 30 do
      local d = random_descriptor(seed)
      local flat = descriptor.records(d)
      local model = descriptor.model(d)
      local q = {}
      for i = 1, #flat.dof do q[i] = math.random() * 2 - 1 end
      local frame = "f" .. math.random(#d.frames)
      local j = model:jacobian(q, frame)
      for k = 1, #q do
        local a, b = { table.unpack(q) }, { table.unpack(q) }
        a[k], b[k] = q[k] - 1e-6, q[k] + 1e-6
        local pa, pb = model:fk(a, frame), model:fk(b, frame)
        for i = 1, 3 do worst = math.max(worst, math.abs((pb.position[i] - pa.position[i]) / 2e-6 - j[i][k])) end
      end
    end
    expect.truthy(worst < 1e-7, ("off by %g"):format(worst))
  end)
end)

describe("a configuration block", function()
  local block = descriptor.configuration(random_descriptor(7))
  it("that is cut short is refused, with the byte", function()
    for n = 0, #block - 1, 7 do
      local body, message, code = core.read_body(block:sub(1, n))
      expect.truthy(not body)
      expect.equal(code, "EBODY")
      expect.truthy(message:find("^configuration block, byte %d+: "), message)
    end
  end)
  it("of an earlier version, which ends the header before what came later, is read", function()
    local LATER <const> = 64 -- the base's translator
    local header, size = (">I2I4"):unpack(block, 7)
    local offsets = { (">I4I4I4I4I4I4I4I4"):unpack(block, 13) }
    for i = 1, 8 do offsets[i] = offsets[i] - LATER end
    local older = block:sub(1, 6) .. (">I2I4I4I4I4I4I4I4I4I4"):pack(header - LATER, size - LATER,
      table.unpack(offsets, 1, 8)) .. block:sub(45, header - LATER) .. block:sub(header + 1)
    expect.equal(size - LATER, #older)
    expect.equal(block, core.configuration(assert(core.read_body(older)))) -- of seed 7 the base has none
    local shorter = older:sub(1, 6) .. (">I2"):pack(43) .. older:sub(9)
    expect.truthy(not core.read_body(shorter))
  end)
  it("with a byte changed is refused or makes sense", function()
    math.randomseed(3)
    local times, refused = extent(2000, 500), 0
    for _ = 1, times do
      local at = math.random(#block)
      local bytes = block:sub(1, at - 1) .. string.char(math.random(0, 255)) .. block:sub(at + 1)
      local body, message = core.read_body(bytes)
      if body then
        -- whatever it is, it can be computed with and written again, also by way of its records
        expect.truthy(body:fk(body:home()))
        expect.equal(core.configuration(core.body(core.records(body))), core.configuration(body))
      else
        refused = refused + 1
        expect.truthy(message:find("^configuration block"), message)
      end
    end
    expect.truthy(refused > times / 20)
  end)
end)
