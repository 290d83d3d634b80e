-- Robots whose links are meshes of files: what is read of them, and what touches them.
local rt = require "robotalk"
local core = require "robotalk.core"
local descriptor = require "robotalk.descriptor"

local BEAM = "v 0 0 0\nv 2 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
local FLAT = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

-- A folder with these files, which goes with the test.
local function folder_with(files)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir '%s'"):format(folder)))
  for name, text in pairs(files) do
    local file <close> = assert(io.open(folder .. "/" .. name, "wb"))
    assert(file:write(text))
  end
  return folder, setmetatable({}, { __close = function() os.execute(("rm -r '%s'"):format(folder)) end })
end

-- An arm with these shapes, that is held out level, 1 m above the floor.
local function arm(shapes)
  return { name = "arm", links = { [0] = { name = "foot" },
      [1] = { name = "beam", mass = 1, com = { 0.5, 0, 0 }, inertia = { 0.01, 0.01, 0.01 }, shapes = shapes } },
    joints = { { name = "shoulder", position = { 0, 0, 1 }, driver = "physics", servo = "setpoint",
      dofs = { { name = "lift", axis = { 0, -1, 0 }, limit = { -2, 2 }, speed = 2, acceleration = 10,
        force = 50 } } } } }
end

-- What is wrong with an arm of these shapes, as lines.
local function wrong(shapes, file)
  local lines = {}
  for i, one in ipairs((descriptor.check(arm(shapes), file))) do lines[i] = one.path .. ": " .. one.message end
  return table.concat(lines, "\n")
end

describe("the mesh of a link", function()
  it("touches the floor", function()
    local folder, _ <close> = folder_with { ["beam.obj"] = BEAM }
    for file, outcome in pairs { ["beam.obj"] = "ERROR", ["none.obj"] = "SUCCESS" } do
      assert(descriptor.add(arm { { type = "mesh", file = file, solid = true } }, folder .. "/arm.lua"))
      local robot <close> = rt.connect "local:arm"
      expect.equal(outcome, (robot:set_joint("shoulder", -0.9))) -- its end is at 1 - 2 sin(0.9) = -0.57 m
      core.remove_robot "arm"
    end
  end)

  it("is an error, with its place, when it is damaged or flat and something would touch it", function()
    local folder, _ <close> = folder_with { ["flat.obj"] = FLAT, ["bad.stl"] = "solid\nfacet\n", ["beam.OBJ"] = BEAM }
    local file = folder .. "/arm.lua"
    expect.equal("links[1].shapes[2].file: flat.obj: expected a body with a volume: this one is flat\n"
      .. "links[1].shapes[3].file: bad.stl: line 2: the file ends within a facet",
      wrong({ { type = "mesh", file = "beam.OBJ" }, { type = "mesh", file = "flat.obj" },
        { type = "mesh", file = "bad.stl" } }, file))
  end)

  it("is left out when it is damaged and only to be seen, or of a format that is not read", function()
    local folder, _ <close> = folder_with { ["flat.obj"] = FLAT, ["look.dae"] = "<COLLADA/>" }
    local report, made = descriptor.check(arm { { type = "box", size = { 1, 0.1, 0.1 }, solid = true },
      { type = "mesh", file = "flat.obj" }, { type = "mesh", file = "look.dae" } }, folder .. "/arm.lua")
    expect.equal(nil, report)
    expect.equal(0, #made.absent)
  end)

  it("is an error when there are too many files, or one is too large", function()
    local files, shapes = {}, {}
    for i = 1, 65 do
      files[i .. ".obj"] = BEAM
      shapes[i] = { type = "mesh", file = i .. ".obj" }
    end
    files["65.obj"] = (" "):rep((8 << 20) + 1)
    local folder, _ <close> = folder_with(files)
    expect.equal("links[1].shapes[65].file: expected at most 64 files", wrong(shapes, folder .. "/arm.lua"))
    expect.truthy(wrong({ shapes[65] }, folder .. "/arm.lua"):find("^links%[1%]%.shapes%[1%]%.file: .*65%.obj"))
  end)

  it("that is not there is a note", function()
    local folder, _ <close> = folder_with { ["arm.lua"] = [[
return { name = "arm", links = { [0] = { name = "foot",
  shapes = { { type = "mesh", file = "gone.stl" } } }, [1] = { name = "hand" } },
  joints = { { name = "wrist", driver = "sim", dofs = { { axis = { 0, 0, 1 } } } } } }]] }
    local notes = assert(descriptor.open(folder .. "/arm.lua")).notes()
    expect.equal("links[0].shapes[1].file: gone.stl is not beside the descriptor: nothing touches it",
      notes[1].message)
    expect.equal(2, notes[1].line)
  end)
end)
