-- Worlds in VRML97: what was converted comes back, but for what such a file cannot say.
local core = require "robotalk.core"
local kind = require "robotalk.cli.kind"
local spatial = require "robotalk.robot.spatial"
local world = require "robotalk.world"

-- A file with that text, which is removed with the second value.
local function written(text, ending)
  local path = os.tmpname()
  os.remove(path)
  path = path .. (ending or ".wrl")
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(text))
  return path, setmetatable({}, { __close = function() os.remove(path) end })
end

local function near(want, got)
  for i = 1, 3 do expect.near(got[i] or 0, want[i] or 0, 1e-6) end
end

describe("a world of VRML97", function()
  it("has the things that stood in the world which was converted", function()
    for _, name in ipairs(world.names()) do
      local room = assert(world.read(name))
      local path, _ <close> = written(core.rcml_room(room))
      expect.equal(kind(path), "world")
      local back = assert(world.read(path))
      expect.equal(#back.things, #room.things)
      for i, thing in ipairs(room.things) do
        local one = back.things[i]
        expect.equal(one.shape, thing.shape)
        expect.equal(one.painted, thing.painted)
        expect.equal(one.mass, nil)
        near(thing.size, one.size)
        near(thing.position, one.position)
        local r, q = spatial.from_angles(thing.attitude), spatial.from_angles(one.attitude)
        for k = 1, thing.shape == "box" and 3 or 0 do near(r[k], q[k]) end
        if thing.colour then expect.equal(one.colour, thing.colour) end
      end
      expect.equal(back.floor.colour, room.floor.colour)
      local _ <close> = setmetatable({}, { __close = function() assert(world.open {}) end })
      expect.equal(world.open(path), true)
    end
  end)

  it("has the sky of the one that was converted", function()
    local _, room = world.errors({ sky = { top = "#204060", horizon = "#e0c0a0" } }, "sky.lua", "")
    local path, _ <close> = written(core.rcml_room(room))
    local sky = assert(world.read(path)).sky
    expect.equal(("%08x %08x"):format(sky.top, sky.horizon), "204060ff e0c0a0ff")
  end)

  it("may be another's, which is drawn with y up", function()
    local path, _ <close> = written [[#VRML V2.0 utf8
Transform { translation 2 0.5 -3 children Shape {
  appearance Appearance { material Material { diffuseColor 1 0 0 } } geometry Box { size 1 1 1 } } }
Inline { url "chair.wrl" }
]]
    expect.equal(kind(path), "robot")
    local room = assert(world.read(path))
    expect.equal(#room.things, 1)
    expect.near(room.things[1].position[3], 0.5, 1e-6)
    expect.equal(("%08x"):format(room.things[1].colour), "ff0000ff")
    local _, _, notes = world.errors(nil, path, assert(core.read_file(path, 1000)))
    expect.truthy(table.concat(notes, "\n"):find("chair.wrl is left out: expected what is drawn in this file", 1, true),
      notes[1])
  end)

  it("is refused with the place of what is wrong", function()
    local function refused(text)
      local path, _ <close> = written(text)
      local room, message, code = world.read(path)
      expect.equal(room, nil)
      expect.equal(code, "EINVAL")
      return (message:gsub(path:gsub("%p", "%%%0"), "FILE"))
    end
    expect.truthy(refused "#VRML V2.0 utf8\nShape {\n geometry Bax { }\n}":find "^FILE:3:%d+: ")
    expect.equal(refused "#VRML V2.0 utf8\nShape { geometry Box { size 2e6 1 1 } }",
      "FILE:2:1: expected nothing longer, or farther away, than 1e+06 m")
    local descriptor = require "robotalk.descriptor"
    expect.equal(refused(descriptor.rcml(descriptor.load "pioneer2")),
      "FILE:1:1: expected what stands around robots, got a robot")
    local shapes = { "#VRML V2.0 utf8" }
    for i = 1, 1030 do shapes[i + 1] = "Shape { geometry Sphere { } }" end
    expect.equal(refused(table.concat(shapes, "\n")), "FILE:1:1: expected less than 1024 shapes")
  end)
end)
