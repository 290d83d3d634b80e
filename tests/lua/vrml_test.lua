-- Scenes of VRML97 and RCML as tables, and back.
local core = require "robotalk.core"

local HEAD = "#VRML V2.0 utf8\n"

local function read(body) return core.vrml_read(HEAD .. body) end

local function read_right(body)
  local scene = read(body)
  expect.equal(0, #scene.errors)
  return scene
end

describe("a scene as tables", function()
  it("has its nodes with type, name, place and the fields that were given", function()
    local scene = read_right "DEF ARM Transform {\n  translation 0 0 1.5\n  children [ Shape { } ]\n}"
    local arm = scene.nodes[1]
    expect.equal(1, #scene.nodes)
    expect.equal("Transform", arm.type)
    expect.equal("ARM", arm.name)
    expect.equal("vrml", arm.origin)
    expect.equal(2, arm.line)
    expect.equal(9, arm.column)
    expect.same({ "translation", "children" }, arm.order)
    expect.same({ 0, 0, 1.5 }, arm.fields.translation)
    expect.equal("Shape", arm.fields.children[1].type)
    expect.equal(4, arm.fields.children[1].line)
  end)

  it("finds the default of a field that was not given, and pairs does not show it", function()
    local box = read_right("Box { }").nodes[1]
    expect.same({ 2, 2, 2 }, box.fields.size)
    expect.equal(nil, next(box.fields))
  end)

  it("has values of each kind as what Lua has for them", function()
    local scene = read_right [[
      Shape { appearance NULL geometry IndexedFaceSet { ccw FALSE coordIndex [ 0 1 -1 ]
        coord Coordinate { point [ 1 2 3, 4 5 6 ] } } }
      WorldInfo { title "t" info [ "a" "b" ] }
      PixelTexture { image 1 1 1 0xff } TimeSensor { startTime 2.5 }]]
    local face = scene.nodes[1].fields.geometry.fields
    expect.equal(false, scene.nodes[1].fields.appearance)
    expect.equal(false, face.ccw)
    expect.same({ 0, 1, -1 }, face.coordIndex)
    expect.equal("integer", math.type(face.coordIndex[1]))
    expect.same({ 1, 2, 3, 4, 5, 6 }, face.coord.fields.point)
    expect.equal("t", scene.nodes[2].fields.title)
    expect.same({ "a", "b" }, scene.nodes[2].fields.info)
    expect.same({ 1, 1, 1, 255 }, scene.nodes[3].fields.image)
    expect.equal(2.5, scene.nodes[4].fields.startTime)
  end)

  it("has the same table where USE was written", function()
    local scene = read_right "DEF A Shape { } Group { children [ USE A USE A ] }"
    expect.equal(true, rawequal(scene.nodes[1], scene.nodes[2].fields.children[2]))
  end)

  it("has the body of an instance, with its values in place", function()
    local scene = read_right [[
      PROTO Joint [ exposedField SFVec3f translation 1 0 0 exposedField MFNode children [ ] field SFString name "" ] {
        Transform { translation IS translation children IS children }
      }
      Joint { name "knee" children Shape { } }
      Joint { }]]
    local knee, other = scene.nodes[1], scene.nodes[2]
    expect.equal("proto", knee.origin)
    expect.equal("knee", knee.fields.name)
    expect.same({ 1, 0, 0 }, knee.fields.translation)
    expect.equal("Transform", knee.body[1].type)
    expect.equal(true, rawequal(knee.body[1].fields.children[1], knee.fields.children[1]))
    expect.equal("", other.fields.name)
    expect.equal(0, #other.body[1].fields.children)
    expect.equal("Joint", scene.protos[1].name)
    expect.equal("SFString", scene.protos[1].fields[3].type)
    expect.truthy(scene.proto_text:find("children IS children", 1, true))
  end)

  it("has the ROUTEs of a prototype in each instance, between its own nodes", function()
    local scene = read_right [[PROTO P [ ] { DEF T TimeSensor { } DEF U ScalarInterpolator { }
      ROUTE T.fraction_changed TO U.set_fraction } P { } P { }]]
    for _, instance in ipairs(scene.nodes) do
      expect.equal(1, #instance.routes)
      expect.equal(true, rawequal(instance.body[1], instance.routes[1].from))
      expect.equal(true, rawequal(instance.body[2], instance.routes[1].to))
    end
  end)

  it("leaves out a prototype's ROUTE of a node that is not in its instances", function()
    local scene = read [[
      PROTO P [ ] { Group { children DEF T TimeSensor { } children [ ] } DEF U ScalarInterpolator { }
      ROUTE T.fraction_changed TO U.set_fraction } P { } ]]
    expect.equal(nil, scene.nodes[1].routes)
  end)

  it("has ROUTEs, and what a Script declares", function()
    local scene = read_right [[
      DEF T TimeSensor { }
      DEF S Script { eventIn SFFloat f field SFNode self USE S field SFBool on TRUE }
      ROUTE T.fraction_changed TO S.f]]
    local script = scene.nodes[2]
    expect.equal("T", scene.routes[1].from.name)
    expect.equal("fraction_changed", scene.routes[1].event)
    expect.equal(true, rawequal(scene.routes[1].to, script))
    expect.equal("eventIn", script.declared[1].access)
    expect.equal(true, rawequal(script.declared[2].value, script))
    expect.equal(true, script.declared[3].value)
  end)

  it("lists what is wrong with its place, and keeps the rest", function()
    local scene = read "Box { size 1 2 } Fog { radius 1 }\nSphere { radius 1 radius 2 }\nEXTERNPROTO X [ ] \"x.wrl\""
    expect.equal(2, #scene.errors)
    expect.same({ line = 2, column = 16, message = "expected a number, got }" }, scene.errors[1])
    expect.equal("Fog has no field radius, expected one of color, visibilityRange, fogType", scene.errors[2].message)
    expect.equal("radius is given twice, the last holds", scene.warnings[1].message)
    expect.equal(4, scene.notes[1].line)
    expect.equal(2, scene.nodes[3].fields.radius)
  end)

  it("knows RCML nodes that are not declared, and the paper's aliases", function()
    local scene = read_right [[RCML_ControlInputData { name "pan_move" value_type float_type
      value_range -1.57 1.57 control_type v_scroll }]]
    local pan = scene.nodes[1]
    expect.equal("rcml", pan.origin)
    expect.equal(0, pan.fields.value_type)
    expect.near(1.57, pan.fields.value_range[2], 1e-6)
    expect.equal(1, pan.fields.control_type)
    expect.same({ 1 }, pan.fields.range_scale)
  end)
end)

describe("a scene of tables as text", function()
  local function write_again(body)
    local first = read_right(body)
    local text = core.vrml_write(first)
    local second = core.vrml_read(text)
    expect.equal(0, #second.errors)
    expect.equal(text, core.vrml_write(second))
    return text
  end

  it("is what a reader makes the same tables of", function()
    local sphere = { type = "Sphere", fields = { radius = 0.25 } }
    local shape = { type = "Shape", fields = { geometry = sphere, appearance = false } }
    local text = core.vrml_write { comment = "for people\nin lines", nodes = {
      { type = "Transform", name = "ARM", fields = { rotation = { 0, 0, 1, 0.1 }, children = { shape } } } } }
    expect.equal(text, [[
#VRML V2.0 utf8
# for people
# in lines
DEF ARM Transform {
  rotation 0 0 1 0.1
  children [
    Shape {
      geometry Sphere {
        radius 0.25
      }
      appearance NULL
    }
  ]
}
]])
  end)

  it("is the same again when it is read and written", function()
    write_again [[
      PROTO P [ field MFNode c DEF X Shape { } eventIn SFBool on ] {
        Group { children IS c }
        DirectionalLight { set_on IS on }
      }
      DEF A Shape { geometry DEF B Box { size 1 2 3 } }
      P { c [ USE A DEF A P { } ] }
      Shape { geometry USE B }
      DEF S Script { url [ "javascript:" "b\"\\" ] eventOut SFBool out field MFNode n [ USE S USE A ] }
      PixelTexture { image 1 2 3 0xffffff 0x102030 }
      Background { skyColor [ 0.1 0.2 0.3 1e-7 1 1234567 ] }
      TimeSensor { startTime 0.1 cycleInterval 1e300 }
      ROUTE S.out TO A.on]]
  end)

  it("declares the RCML nodes that it uses", function()
    local text = write_again [[RCML_Robot { inputs RCML_ControlInput { RCML_ControlInputData { name "x" } } }]]
    expect.truthy(text:find("PROTO RCML_ControlInputData [", 1, true))
    expect.truthy(text:find("field MFInt32 command_interval [ -1, 0 ]", 1, true))
    expect.equal(nil, text:find("PROTO RCML_VideoInput", 1, true))
  end)

  it("has DEF and USE where a table stands twice", function()
    local shape = { type = "Shape" }
    local text = core.vrml_write { nodes = { { type = "Group", fields = { children = { shape, shape } } } } }
    expect.truthy(text:find("DEF node Shape { }\n    USE node", 1, true))
  end)

  it("may have instances of PROTOs that are given as text", function()
    local text = core.vrml_write { proto_text = "PROTO J [ field SFString name \"\" ] { Group { } }",
      nodes = { { type = "J", fields = { name = "knee" } } } }
    expect.truthy(text:find('J {\n  name "knee"\n}', 1, true))
  end)

  it("raises what is wrong with the path", function()
    local function wrong(scene, message)
      local ok, why = pcall(core.vrml_write, scene)
      expect.equal(false, ok)
      expect.equal(message, why)
    end
    local function group(child) return { nodes = { { type = "Group", fields = { children = { child } } } } } end
    wrong({ nodes = { { type = "Sphare" } } }, "nodes[1].type: there is no node type Sphare")
    wrong(group { type = "Box", fields = { radius = 1 } }, "nodes[1].children[1].radius: Box has no such field")
    wrong(group { type = "Box", fields = { size = { 1, 2 } } },
      "nodes[1].children[1].size: expected as many numbers as its type has, or a multiple")
    wrong(group { type = "Box", fields = { size = { 1, 2, 3, 4, 5, 6 } } },
      "nodes[1].children[1].size: expected as many numbers as its type has")
    wrong(group { type = "Sphere", fields = { radius = "x" } }, "nodes[1].children[1].radius: expected a number")
    wrong(group { type = "Sphere", fields = { radius = 0 / 0 } },
      "nodes[1].children[1].radius: what is no value of its type, or longer than a file may have it")
    wrong(group { type = "Shape", fields = { geometry = 5 } }, "nodes[1].children[1].geometry: expected a node")
    wrong(group { type = "Shape", name = "a b" }, "nodes[1].children[1].name: expected a name as VRML97 has them")
    wrong({ nodes = { { type = "WorldInfo", fields = { info = { 1 } } } } },
      "nodes[1].info[1]: expected a string, without zeros")
    wrong({ nodes = {}, proto_text = "PROTO" },
      "proto_text:1:6: expected a name for the PROTO, got the end of the file")
    local loop = { type = "Group", fields = {} }
    loop.fields.children = { loop }
    wrong({ nodes = { loop } }, "the scene is too long for a file, or a node stands in itself")
  end)
end)

describe("a scene that takes more memory than a script may spend on one", function()
  -- bindings/lua/vrml.c: 128 MiB, of which a value takes 16 bytes and an empty node 512
  for what, text in pairs {
    values = "Coordinate { point [ " .. ("1 "):rep(9 << 20) .. "] }",
    nodes = ("Group{}"):rep(270000),
  } do
    it("is refused, and does not end the script: " .. what, function()
      local scene, message = core.vrml_read("#VRML V2.0 utf8\n" .. text)
      expect.equal(nil, scene)
      expect.equal("its nodes take more than 128 MiB of memory", message)
    end)
  end
end)

describe("the node types", function()
  it("that need no declaration are 54 of VRML97 and 15 of RCML", function()
    local count = {}
    for _, kind in ipairs(core.vrml_kinds()) do count[kind.origin] = (count[kind.origin] or 0) + 1 end
    expect.same({ vrml = 54, rcml = 15 }, count)
  end)
end)
