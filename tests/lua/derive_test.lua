-- luacheck: no max line length
-- A descriptor that is from another one: what it takes over, what it says itself, and what is wrong with it.
local descriptor = require "robotalk.descriptor"

local function of(fields) return assert(descriptor.made(fields)).descriptor end

local function wrong(text) return select(2, descriptor.read(text, "x.lua")) end

-- The text of a file of this test, in a folder of its own.
local function with_files(files, fn)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  local _ <close> = setmetatable({}, { __close = function() os.execute("rm -r " .. folder) end })
  for name, text in pairs(files) do
    local file <close> = assert(io.open(folder .. "/" .. name, "w"))
    file:write(text)
  end
  fn(folder)
end

describe("a descriptor from another", function()
  it("is that one but for what it says", function()
    local all, pioneer = of { from = "pioneer2", name = "mine", deadman = 2 }, assert(descriptor.load "pioneer2")
    expect.equal(all.name, "mine")
    expect.equal(all.deadman, 2)
    expect.equal(all.from, nil)
    expect.equal(all.model, pioneer.model)
    expect.equal(#all.sensors, 18)
    expect.equal(all.links[1].mass, 1.2)
  end)

  it("joins tables of fields, and records of one name", function()
    local all = of { from = "pioneer2", name = "mine", base = { speed = { x = 0.5 } },
      joints = { { name = "head", position = { 0, 0, 1 } } }, sensors = { { name = "sonar15", rate = 5 } } }
    expect.equal(all.base.speed.theta, nil) -- a value is said as a whole
    expect.equal(all.base.speed.x, 0.5)
    expect.equal(all.base.acceleration.x, 0.3)
    expect.equal(all.joints[1].position[3], 1)
    expect.equal(#all.joints[1].dofs, 2)
    expect.equal(#all.sensors, 18)
    expect.equal(all.sensors[16].rate, 5)
    expect.equal(all.sensors[16].position[1], -0.157)
  end)

  it("adds records behind those that there are", function()
    local all = of { from = "pioneer2", name = "mine", sensors = { { name = "here", type = "pose", link = "base" } },
      links = { { name = "plate" } }, joints = { { name = "lift", parent = "base", child = "plate", dofs = { { type = "prismatic" } } } } }
    expect.equal(#all.sensors, 19)
    expect.equal(all.sensors[19].name, "here")
    expect.equal(all.joints[2].name, "lift")
    expect.equal(all.links[2].name, "plate")
    expect.equal(all.joints[1].name, "head")
  end)

  it("has its own shapes and dofs in place of those that there are", function()
    local all = of { from = "pioneer2", name = "mine", links = { [0] = { shapes = { { type = "sphere", size = { 0.2 } } } } },
      joints = { { name = "head", dofs = { { name = "nod", axis = { 0, -1, 0 } } } } }, widgets = false }
    expect.equal(#all.links[0].shapes, 1)
    expect.equal(all.links[0].mass, 9)
    expect.equal(#all.joints[1].dofs, 1)
    expect.equal(all.joints[1].dofs[1].limit, nil)
    local wheels = 0
    for _, shape in ipairs(assert(descriptor.load "pioneer2_laser").links[0].shapes) do
      wheels = wheels + (shape.roll == "wheel" and 1 or 0)
    end
    expect.equal(wheels, 2)
  end)

  it("lacks what is false", function()
    local all = of { from = "pioneer2", name = "mine", cameras = false, battery = false,
      joints = { { name = "head", driver = "sim" } }, drivers = { camera = false }, frames = { false } }
    expect.equal(#all.frames, 0)
    expect.equal(all.cameras, nil)
    expect.equal(all.battery, nil)
    expect.equal(all.drivers.camera, nil)
  end)

  it("keeps a driver's options, unless it names another driver", function()
    local all = of { from = "pioneer2_player", name = "mine", drivers = { p2os = { timeout = 3 } } }
    expect.equal(all.drivers.p2os.url, "player://localhost:6665")
    expect.equal(all.drivers.p2os.timeout, 3)
    all = of { from = "pioneer2_player", name = "mine", drivers = { p2os = { driver = "sim" } } }
    expect.equal(all.drivers.p2os.url, nil)
  end)

  it("keeps where the joints are wired when it names another driver, unless that is a script", function()
    local servos = { from = "so101_follower", name = "mine", drivers = { arm = { driver = "servos", port = "/dev/x",
      gripper = "sts3215 id=9" } } }
    local arm = of(servos).drivers.arm
    expect.equal(arm.port, "/dev/x")
    expect.equal(arm.shoulder_pan, "sts3215 id=1")
    expect.equal(arm.gripper, "sts3215 id=9")
    with_files({ ["a.lua"] = [[return { name = "a", joints = { { name = "head", driver = "neck", dofs = { {}, { name = "tilt" } } } },
      drivers = { neck = { driver = "can", port = "vcan0", ["head.0"] = "x", ["head.tilt"] = "y" } } }]] }, function(folder)
      local function neck(entry)
        local text = ('return { from = "%s/a.lua", name = "b", drivers = { neck = { %s } } }'):format(folder, entry)
        return assert(descriptor.read(text, "b.lua")).drivers.neck
      end
      local as_sim = neck 'driver = "sim"'
      expect.equal(as_sim.port, nil)
      expect.equal(as_sim["head.0"] .. as_sim["head.tilt"], "xy")
      expect.equal(neck 'driver = "lua", script = "evid30", port = "/dev/x"'["head.0"], nil)
    end)
  end)

  it("may be from a file beside it, which is from another", function()
    with_files({ ["a.lua"] = 'return { from = "pioneer2", name = "a", deadman = 1 }',
      ["b.lua"] = 'return { from = "./a.lua", name = "b", model = "of a" }' }, function(folder)
      local all = assert(descriptor.load(folder .. "/b.lua"))
      expect.equal(all.name, "b")
      expect.equal(all.deadman, 1)
      expect.equal(#all.sensors, 18)
    end)
  end)

  it("is refused with its line when that is not there, or comes back to itself", function()
    expect.equal(wrong '\nreturn { from = "pioner", name = "x" }',
      'x.lua:2: from: expected a robot that comes along, or a path, got "pioner"; did you mean "pioneer2"?')
    expect.equal(wrong "return { from = 7, name = 'x' }",
      "x.lua:1: from: expected a text of at most 255 characters, got 7")
    with_files({ ["a.lua"] = 'return { from = "./a.lua", name = "a" }', ["b.lua"] = "return 7" }, function(folder)
      expect.truthy(select(2, descriptor.load(folder .. "/a.lua")):find("a.lua: from: expected at most 8 descriptors", 1, true))
      local _, message = descriptor.read(('return { from = "%s/b.lua" }'):format(folder), "x.lua")
      expect.truthy(message:find("b.lua:1: expected the file to return a table", 1, true), message)
      expect.truthy(wrong(('return { from = "%s/c.lua" }'):format(folder)):find "x.lua:1: from: ")
    end)
    with_files({ ["a.urdf"] = "<?xml version='1.0'?>\n<robot/>" }, function(folder)
      expect.equal(wrong(('return { from = "%s/a.urdf" }'):format(folder)),
        ("x.lua:1: from: expected a descriptor in Lua, as robotalk convert %s/a.urdf %s/a.lua writes it"):format(folder, folder))
    end)
  end)

  it("is told what is wrong with what it says", function()
    expect.equal(wrong 'return { from = "pioneer2", name = "x",\nbase = { sped = 1 } }',
      "x.lua:2: base.sped: did you mean 'speed'? expected one of driver, holonomic, speed, acceleration, translator")
    -- an item of its own list, whose number there is another
    expect.equal(wrong 'return { from = "pioneer2", name = "x",\nsensors = { { name = "here", type = "pose", link = 7 } } }',
      'x.lua:2: sensors[19].link: expected the number or the name of a link (base, camera), got 7')
  end)

  it("is told which of its lists was replaced, when that makes the other file wrong", function()
    expect.equal(wrong 'return { from = "pioneer2", name = "x",\njoints = { { name = "head",\ndofs = { { name = "pan" } } } } }',
      "robots/pioneer2.lua:96: widgets[3].dof: expected a dof of joint 'head', got \"tilt\"; since x.lua:3 replaces the "
        .. "list joints[1].dofs as a whole")
  end)

  it("is asked about new names that are nearly inherited ones, unless it says what they hang on", function()
    expect.equal(wrong 'return { from = "pioneer2", name = "x",\nsensors = { { name = "sonra", rate = 5, type = "pose" } } }',
      "x.lua:2: sensors[19].link: expected a link, got nothing; 'sonra' is new: did you mean 'sonar0'?")
    with_files({ ["x.lua"] = 'return { from = "pioneer2", name = "x", joints = {\n{ name = "haed", dofs = { {} } },\n'
      .. '{ name = "heap", parent = "camera", dofs = { {} } } } }' }, function(folder)
      local notes = assert(descriptor.open(folder .. "/x.lua")).notes()
      expect.equal(1, #notes)
      expect.equal("2 joints[2]: 'haed' is new: did you mean 'head'?", notes[1].line .. " " .. notes[1].message)
    end)
  end)

  it("that cannot start is refused with what check says, and the line", function()
    with_files({ ["x.lua"] = 'return { from = "pioneer2", name = "x", joints = { { name = "head", driver = "eye" } },\n'
      .. 'drivers = { camera = false,\neye = { driver = "lua", script = "eye.lua" } } }',
      ["eye.lua"] = 'return { options = { { "port", "text", needed = true } }, open = function() end, start = function() end }' },
      function(folder)
        local made, name = assert(descriptor.open(folder .. "/x.lua")), folder .. "/x.lua"
        local _, message = descriptor.add(name)
        expect.equal(made.missing()[1], message)
        expect.truthy(message:find("/x.lua:3: drivers.eye.port: expected", 1, true), message)
      end)
  end)

  it("is told what is wrong in the other file, with its name and line", function()
    with_files({ ["a.lua"] = 'return { from = "pioneer2", name = "a", sensors = {\n{ name = "here", type = "pose", link = 7 } } }',
      ["b.lua"] = 'return { from = "./a.lua", name = "b",\nsensors = { { name = "sonar3", rate = -1 } },\ndrivers = { camera = { script = "c.lua" } } }',
      ["c.lua"] = 'return { from = "./b.lua", name = "c", sensors = { { name = "here", link = 8 } } }' }, function(folder)
      local _, message = descriptor.load(folder .. "/b.lua")
      expect.equal((message:gsub("expected[^\n]*", "…")), ("F/b.lua:2: sensors[4].rate: …\nF/a.lua:2: sensors[19].link: …"):gsub("F", folder))
      _, message = descriptor.load(folder .. "/c.lua")
      expect.truthy(message:find("c.lua:1: sensors[19].link: ", 1, true), message)
      expect.truthy(message:find("b.lua:2: sensors[4].rate: ", 1, true), message)
    end)
  end)
end)
