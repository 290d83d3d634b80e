-- Worlds in MJCF, the format of MuJoCo: their scenery becomes objects like those of our own files.
-- That is the floor, and all kinds of shapes, in bodies that are fixed or have a free joint.
-- Any other element that would change motions is refused by name; unknown visual elements are left out.
local beside = require "robotalk.robot.beside"
local core = require "robotalk.core"
local defaults = require "robotalk.world.mjcf_defaults"
local keys_of = require("robotalk.descriptor.check").keys_of
local reader = require "robotalk.world.mjcf_reader"
local report = require "robotalk.urdf.report"
local shape = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"

local mjcf = {}

local CLEAR <const> = require("robotalk.descriptor.check").CLEAR

local Reader <const>, towards <const>, words <const> = reader.Reader, reader.towards, reader.words

local LARGEST_MESH <const>, DEEPEST <const> = 8 << 20, 64 -- bytes; bodies in bodies
local DENSITY <const> = 1000                              -- kg/m3, MuJoCo's own
local SMOOTHEST <const>, ROUGHEST <const> = 0.001, 10     -- coefficients of sliding, as in our own files

local function colour_of(rgba)
  local out = 0
  for i = 1, 4 do
    out = out << 8 | math.floor(math.min(math.max(rgba and rgba[i] or i == 4 and 1 or 0, 0), 1) * 255 + 0.5)
  end
  return out ~= 0 and out or CLEAR -- 0: none is given
end

-- ---- geoms ----

-- A geom between two points along z: its pose, and half its length; nil: it has no such points.
function Reader:between(node)
  local f = self:numbers(node, "fromto", 6, 6)
  if not f then return nil end
  local a, b = { f[1], f[2], f[3] }, { f[4], f[5], f[6] }
  -- MuJoCo's z axis goes from the second point to the first
  local way = spatial.sub(a, b)
  if spatial.length(way) == 0 then
    self:wrong(node, "fromto", "<geom fromto='%s'>: expected two points", node.attributes.fromto)
    return nil
  end
  return { p = spatial.scale(spatial.add(a, b), 0.5), r = towards(way) }, spatial.length(way) / 2
end

function Reader:mesh_of(node)
  local name = node.attributes.mesh or ""
  local mesh = self.meshes[name]
  if not mesh then
    if mesh == nil then
      self:wrong(node, "mesh", "<geom mesh='%s'>: there is no such mesh among the assets", name)
    end
    return nil
  end
  return { shape = "mesh", mesh = mesh.mesh, size = mesh.scale }
end

-- The shape of a geom, and its pose in the body's frame; nil: it has none, or is wrong.
function Reader:solid(node)
  local kind = node.attributes.type or node.attributes.mesh and "mesh" or "sphere"
  local pose, half = self:pose(node), nil
  if kind == "mesh" then return self:mesh_of(node), pose end
  local row = shape.kinds[kind]
  if not row then
    self:wrong(node, "type", "<geom type='%s'>: expected plane, %s", kind, shape.names())
    return nil
  end
  local count = row.sizes
  if node.attributes.fromto and not row.ball then
    pose, half = self:between(node)
    if not pose then return nil end
    count = count - 1
  end
  local size = self:numbers(node, "size", count, 3)
  if not size then
    if not node.attributes.size then self:fail(node, "<geom>: expected a size") end
    return nil
  end
  for i = 1, count do
    if size[i] <= 0 then
      self:wrong(node, "size", "<geom size='%s'>: expected sizes above 0", node.attributes.size)
      return nil
    end
  end
  if half then size[row.sizes] = half end
  local full = {}
  for i = 1, 3 do full[i] = i > row.sizes and 0 or i > row.radii and 2 * size[i] or size[i] end
  return { shape = kind, size = full }, pose
end

-- The coefficient of sliding friction; nil: none is given.
function Reader:friction_of(node)
  local list = self:numbers(node, "friction", 1, 3)
  local x = list and list[1]
  if x and not (x >= 0 and x <= ROUGHEST) then
    self:wrong(node, "friction", "<geom friction='%s'>: expected 0 to %g", node.attributes.friction, ROUGHEST)
    return nil
  end
  return x and math.max(x, SMOOTHEST)
end

-- The colour of the named material; nil: none is named.
function Reader:material_of(node)
  local name = node.attributes.material
  if name and not self.materials[name] then
    self:wrong(node, "material", "<geom material='%s'>: there is no such material among the assets", name)
  end
  return self.materials[name or ""]
end

-- A plane is the floor, and only that.
function Reader:plane(node, place)
  local pose, size = self:pose(node), self:numbers(node, "size", 3, 3)
  if size and math.min(size[1], size[2], size[3]) < 0 then
    self:wrong(node, "size", "<geom size='%s'>: expected sizes of 0, without end, or above", node.attributes.size)
  end
  local there = spatial.compose(place, pose)
  if self.has_floor then return self:fail(node, "<geom type='plane'>: expected one floor") end
  if math.abs(there.p[3]) > 1e-9 or math.abs(there.r[3][3] - 1) > 1e-9 then
    return self:fail(node, "<geom type='plane'>: expected the floor, at z = 0: walls are boxes here")
  end
  self.has_floor = true
  local has_texture = self.textured[node.attributes.material] or false
  local material = self:material_of(node)
  local rgba = self:numbers(node, "rgba", 4, 4, not has_texture and material or nil)
  self.room.floor = { texture = has_texture and "checker" or "plain", colour = rgba and colour_of(rgba),
    friction = self:friction_of(node) }
end

-- Records the name of an object, or of a body that moves.
function Reader:name(node, name)
  if name then table.insert(self.room.names, { name = name, path = ("%d:%d"):format(node.line, node.column) }) end
end

-- The mass of a geom; nil: unknown, or wrong.
function Reader:mass_of(node, solid)
  local before = self.failures
  local mass, density = self:number(node, "mass"), self:number(node, "density", DENSITY)
  for name, value in pairs { mass = mass or 0, density = density } do
    if value < 0 then self:wrong(node, name, "<geom %s='%s'>: expected 0 or more", name, node.attributes[name]) end
  end
  if self.failures > before then return nil end
  if mass or density == 0 then return mass or 0 end
  if solid.mesh then
    self:fail(node, "<geom mesh='%s'>: expected a mass: the volume is not known here", node.attributes.mesh)
    return nil
  end
  return density * shape.volume(solid.shape, solid.size)
end

-- Adds a geom's object. body: the state of a body that moves; nil: it is fixed. class: that of the bodies around.
function Reader:geom(node, place, body, class)
  local before = self.failures
  self:check(node)
  if body then body.geoms = body.geoms + 1 end
  if not defaults.fill(self, node, class) then
    if body then body.unsure = true end
    return
  end
  if node.attributes.type == "plane" then
    if body then return self:fail(node, "<geom type='plane'>: expected none in a body that moves") end
    return self:plane(node, place)
  end
  if not body then self:name(node, node.attributes.name) end
  local solid, pose = self:solid(node)
  local unsure = self.unsure or self.failures > before
  local friction = self:friction_of(node)
  local rgba = self:numbers(node, "rgba", 4, 4, self:material_of(node))
  if not solid then
    if body then body.unsure = true end
    return
  end
  local mass = body and self:mass_of(node, solid)
  if body and not mass then body.unsure = true end
  local painted = self:number(node, "contype", 1) == 0 and self:number(node, "conaffinity", 1) == 0
  local there = spatial.compose(place, pose)
  local thing = { shape = solid.shape, mesh = solid.mesh, size = solid.size, position = there.p,
    attitude = spatial.to_angles(there.r), colour = rgba and colour_of(rgba), friction = friction,
    painted = painted or nil, unsure = unsure or nil, path = ("%d:%d"):format(node.line, node.column) }
  if body then
    -- parts without a mass move with the rest
    thing.mass, thing.moves = mass and mass > 0 and mass or nil, true
  else
    thing.name = node.attributes.name
  end
  table.insert(body and body.things or self.room.things, thing)
end

-- ---- bodies ----

-- Adds the objects of a body that moves: the first one that has a mass has the others as its parts.
function Reader:add_body(node, body)
  if body.geoms == 0 then return self:fail(node, "<body>: expected a geom in what moves") end
  local first
  for _, thing in ipairs(body.things) do first = first or thing.mass and thing end
  if not first then
    if not body.unsure then return self:fail(node, "<body>: expected a geom with a mass above 0 in what moves") end
    first = body.things[1]
    if not first then return end
  end
  table.insert(self.room.things, first)
  first.name = body.name
  local number = #self.room.things
  for _, thing in ipairs(body.things) do
    if thing ~= first then
      thing.part_of = number
      table.insert(self.room.things, thing)
    end
  end
end

-- Elements without meaning for scenery.
local ASIDE <const> = words "camera site keyframe sensor custom"

-- Reports an element that is left out; false: it is none of these.
function Reader:leave_out(node)
  if not ASIDE[node.name] then return false end
  self.said:note_kind(node.name, node, "<%s>: it is left out", node.name)
  return true
end

-- body: the moving body that it belongs to, or nil. class: that of the bodies around it.
function Reader:body(node, place, body, depth, class)
  local before, unsure, outer = self.failures, self.unsure, body
  self:check(node)
  if depth > DEEPEST then return self:fail(node, "<body>: expected at most %d bodies in each other", DEEPEST) end
  if node.attributes.childclass and defaults.has(self, node, "childclass") then class = node.attributes.childclass end
  place = spatial.compose(place, self:pose(node))
  self.unsure = unsure or self.failures > before
  for _, child in ipairs(node.children) do
    local free = child.name == "freejoint" or child.name == "joint" and child.attributes.type == "free"
    if free and (depth > 1 or body) then
      self:fail(child, "<%s>: expected it once, in a body of the world's", child.name)
    elseif free then
      self:check(child)
      body = { name = node.attributes.name or child.attributes.name, things = {}, geoms = 0 }
      self:name(node, body.name)
    end
  end
  for _, child in ipairs(node.children) do
    if child.name == "geom" then self:geom(child, place, body, class)
    elseif child.name == "body" then self:body(child, place, body, depth + 1, class)
    elseif child.name == "joint" and child.attributes.type ~= "free" then
      self:fail(child, "<joint type='%s'>: expected a free joint: no other is read here",
        child.attributes.type or "hinge")
    elseif child.name == "inertial" then
      self:fail(child, "<inertial> in <body>: expected none: a body weighs what its geoms do")
    elseif child.name ~= "freejoint" and child.name ~= "joint" and not self:leave_out(child) then
      self:fail(child, "<%s> in <body>: expected geom, body or freejoint", child.name)
    end
  end
  if body and not outer then self:add_body(node, body) end
  self.unsure = unsure
end

function Reader:light(node, place)
  self:check(node)
  defaults.fill(self, node)
  local rgb = self:numbers(node, "diffuse", 3, 3)
  local there = spatial.place(place, self:numbers(node, "pos", 3, 3, { 0, 0, 0 }))
  local direction = self:numbers(node, "dir", 3, 3, { 0, 0, -1 })
  for _, x in ipairs(there) do
    if math.abs(x) > core.farthest then
      return self:fail(node, "<light>: expected nothing farther away than %g m", core.farthest)
    end
  end
  if spatial.length(direction) < 1e-9 then return self:fail(node, "<light dir>: expected a direction, not all 0") end
  table.insert(self.room.lights, { position = there, direction = spatial.turn(place.r, direction),
    colour = rgb and colour_of(rgb), sun = node.attributes.directional == "true" })
end

local sections = {}

function sections.compiler(self, node)
  local before = self.failures
  self:check(node)
  local angle, sequence = node.attributes.angle or "degree", node.attributes.eulerseq or "xyz"
  if angle ~= "degree" and angle ~= "radian" then
    self:fail(node, "<compiler angle='%s'>: expected degree or radian", angle)
  end
  if not sequence:find "^[xyzXYZ][xyzXYZ][xyzXYZ]$" then
    self:fail(node, "<compiler eulerseq='%s'>: expected three letters of x, y, z", sequence)
    sequence = "xyz"
  end
  self.angle, self.sequence = angle == "radian" and 1 or math.pi / 180, sequence
  self.folder, self.unsure = node.attributes.meshdir, self.failures > before
end

-- Parts of the physics that can be switched off.
local MOVES <const> = words "gravity contact constraint"

function sections.option(self, node)
  self:check(node)
  local gravity, step = self:numbers(node, "gravity", 3, 3), self:number(node, "timestep")
  if gravity and (gravity[1] ~= 0 or gravity[2] ~= 0 or gravity[3] > 0 or gravity[3] < -1000) then
    self:fail(node, "<option gravity='%s'>: expected 0 0 and 0 to -1000", node.attributes.gravity)
  elseif gravity then
    self.room.gravity = gravity[3] == 0 and -1 or -gravity[3]
  end
  if step and not (step >= 1e-4 and step <= 0.02) then
    self:fail(node, "<option timestep='%s'>: expected 0.0001 to 0.02", node.attributes.timestep)
  end
  self.room.step = step
  for _, child in ipairs(node.children) do
    for _, name in ipairs(child.name == "flag" and keys_of(child.attributes, 100) or {}) do
      if MOVES[name] and child.attributes[name] == "disable" then
        self:fail(child, "<flag %s='disable'>: expected none: it is not read here", name)
      end
    end
    if child.name ~= "flag" then self:fail(child, "<%s> in <option>: expected flag", child.name) end
  end
end

function Reader:mesh(node)
  local before = self.failures
  self:check(node)
  defaults.fill(self, node)
  local file = node.attributes.file
  if not file then return self:fail(node, "<mesh>: expected a file") end
  local name = node.attributes.name or file:match "([^/]*)%.%w+$" or file
  local path = beside.find(self.file, (self.folder and self.folder .. "/" or "") .. file)
  self.meshes[name] = false
  if not path then return self:fail(node, "<mesh file='%s'>: there is no such file beside the world's", file) end
  local bytes, why = core.read_file(path, LARGEST_MESH)
  local mesh
  if bytes then mesh, why = core.mesh(bytes) end
  if not mesh then return self:fail(node, "<mesh file='%s'>: %s", file, why) end
  local scale = self:numbers(node, "scale", 3, 3, { 1, 1, 1 })
  if math.min(scale[1], scale[2], scale[3]) <= 0 then
    self:wrong(node, "scale", "<mesh scale='%s'>: expected three numbers above 0", node.attributes.scale)
  end
  if self.failures > before then return end
  self.meshes[name] = { mesh = mesh, scale = scale }
end

-- Of textures the gradient of a sky: MuJoCo's goes from straight above to straight below.
function Reader:sky(node)
  if node.attributes.type ~= "skybox" or node.attributes.builtin ~= "gradient" then return end
  local above = self:numbers(node, "rgb1", 3, 3, { 0.8, 0.8, 0.8 })
  local below = self:numbers(node, "rgb2", 3, 3, { 0.5, 0.5, 0.5 })
  local middle = {}
  for i = 1, 3 do middle[i] = (above[i] + below[i]) / 2 end
  self.room.sky = { top = colour_of(above), horizon = colour_of(middle) }
end

function sections.asset(self, node)
  for _, child in ipairs(node.children) do
    if child.name == "mesh" then
      self:mesh(child)
    elseif child.name == "material" then
      self:check(child)
      defaults.fill(self, child)
      self.textured[child.attributes.name or ""] = child.attributes.texture ~= nil
      self.materials[child.attributes.name or ""] = self:numbers(child, "rgba", 4, 4, { 1, 1, 1, 1 })
    elseif child.name == "texture" then
      self:sky(child)
    else
      self:fail(child, "<%s> in <asset>: expected mesh, material or texture", child.name)
    end
  end
end

function sections.worldbody(self, node)
  local place = spatial.nowhere()
  for _, child in ipairs(node.children) do
    if child.name == "geom" then self:geom(child, place)
    elseif child.name == "body" then self:body(child, place, nil, 1)
    elseif child.name == "light" then self:light(child, place)
    elseif not self:leave_out(child) then
      self:fail(child, "<%s> in <worldbody>: expected geom, body or light", child.name)
    end
  end
end

sections.default = defaults.read

-- Looks, and sizes of MuJoCo's own memory.
for _, name in ipairs { "visual", "statistic", "size" } do sections[name] = function() end end

-- Elements on which others depend come first, wherever they are.
local ORDER <const> = { "compiler", "option", "visual", "statistic", "size", "default", "asset", "worldbody" }

---The room of a text in MJCF, as of world.check, whose objects have "line:column" for their paths, with the names
---in the text (mistakes.of_names); nil: the text is no XML. A list of errors { line =, column =, message = }:
---on errors the room has the readable parts. Notes on omitted parts have the same form. file: next to which its
---meshes are.
function mjcf.read(text, file)
  local root, message, line, column = core.xml_parse(text)
  if not root then return nil, { { line = line or 1, column = column or 1, message = message } } end
  local self = setmetatable({ said = report.new(), failures = 0, told = {}, file = file, meshes = {}, materials = {},
    textured = {}, classes = {}, missing = {}, angle = math.pi / 180, sequence = "xyz",
    room = { things = {}, lights = {}, start = {}, names = {}, floor = { texture = "checker" } } }, Reader)
  if root.name ~= "mujoco" then
    self:fail(root, "<%s>: expected <mujoco>", root.name)
  else
    self:check(root)
    for _, child in ipairs(root.children) do
      if not sections[child.name] and not self:leave_out(child) then
        self:fail(child, "<%s>: expected " .. table.concat(ORDER, ", ") .. ": no other part is read here", child.name)
      end
    end
    for _, name in ipairs(ORDER) do
      for _, child in ipairs(root.children) do
        if child.name == name then sections[name](self, child) end
      end
    end
  end
  return self.room, self.said.errors, self.said:sorted(self.said.notes)
end

return mjcf
