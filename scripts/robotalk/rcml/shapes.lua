-- Shapes of a VRML97 file as those of a link. Box, Cylinder and Sphere stay so; a shape drawn by faces is a
-- mesh in a file of its own, or its bounding box.
local core = require "robotalk.core"
local scene = require "robotalk.rcml.scene"
local spatial = require "robotalk.robot.spatial"

local shapes = {}

shapes.MOST = 1024 -- of a robot

-- ---- bounding boxes ----

local function new_extent()
  local far = math.huge
  return { least = { far, far, far }, most = { -far, -far, -far } }
end

local function include(extent, x, y, z)
  local point = { x, y, z }
  for i = 1, 3 do
    extent.least[i] = math.min(extent.least[i], point[i])
    extent.most[i] = math.max(extent.most[i], point[i])
  end
end

local function include_points(extent, points)
  for i = 1, #points - 2, 3 do include(extent, points[i], points[i + 1], points[i + 2]) end
end

-- A cross-section is turned along the spine: it stays within its greatest radius of it.
local function include_extrusion(extent, node)
  local radius, widest = 0, 0
  local section, scales, spine = node.fields.crossSection or {}, node.fields.scale or {}, node.fields.spine or {}
  for i = 1, #section - 1, 2 do radius = math.max(radius, math.sqrt(section[i] ^ 2 + section[i + 1] ^ 2)) end
  for _, x in ipairs(scales) do widest = math.max(widest, math.abs(x)) end
  radius = radius * widest
  for i = 1, #spine - 2, 3 do
    include(extent, spine[i] - radius, spine[i + 1] - radius, spine[i + 2] - radius)
    include(extent, spine[i] + radius, spine[i + 1] + radius, spine[i + 2] + radius)
  end
end

local function include_grid(extent, node)
  local f = node.fields
  for _, height in ipairs(f.height or {}) do
    include(extent, 0, height, 0)
    include(extent, math.max(0, (f.xDimension - 1) * f.xSpacing), height, math.max(0, (f.zDimension - 1) * f.zSpacing))
  end
end

-- { middle, size } of the bounding box of a geometry; nil: it is empty.
local function box_around(node)
  local extent = new_extent()
  if node.type == "Extrusion" then include_extrusion(extent, node)
  elseif node.type == "ElevationGrid" then include_grid(extent, node)
  else
    local coord = scene.nodes(node, "coord")[1]
    if coord then include_points(extent, coord.fields.point or {}) end
  end
  if extent.least[1] > extent.most[1] then return nil end
  local middle = spatial.scale(spatial.add(extent.least, extent.most), 0.5)
  return { middle = middle, size = spatial.sub(extent.most, extent.least) }
end

-- ---- one shape ----

local UPRIGHT = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } } -- VRML's cylinders lie along y, ours along z

-- "#rrggbb", or with an alpha that is not 1 "#rrggbbaa".
local function colour_text(rgb, alpha)
  local out = "#"
  local function byte(x) return math.floor(math.min(math.max(x, 0), 1) * 255 + 0.5) end
  for i = 1, 3 do out = out .. ("%02x"):format(byte(rgb[i])) end
  return byte(alpha) < 255 and out .. ("%02x"):format(byte(alpha)) or out
end

local function colour_of(node)
  local appearance = scene.nodes(node, "appearance")[1]
  local material = appearance and scene.nodes(appearance, "material")[1]
  local rgb = material and scene.given(material, "diffuseColor")
  return rgb and colour_text(rgb, 1 - (scene.get(material, "transparency") or 0)) or nil
end

local ONE <const> = { 1, 1, 1 }

local function scaled(size, by)
  local out = {}
  for i, x in ipairs(size) do out[i] = scene.round(math.abs(x * by[i])) end
  return out
end

-- Kinds that one node of VRML draws, by its type.
local KINDS <const> = {}
for _, kind in ipairs(require("robotalk.shape").kinds) do
  if kind.vrml and #kind.vrml == 1 then KINDS[kind.vrml[1][1]] = kind end
end

local FACES <const> = { IndexedFaceSet = true, Extrusion = true, ElevationGrid = true }

-- A geometry as a shape: { type, size, p = its middle, r = }; nil: it has no volume.
local function solid_of(node, by, said)
  local widest, kind = math.max(by[1], by[3]), node.type
  local cone = kind == "Cone"
  if cone then said:note_kind(kind, node, "a Cone is taken for a cylinder of its base") end
  local known = KINDS[cone and "Cylinder" or kind]
  if known then
    local size, fields = {}, known.vrml[1]
    if not known.round then return { type = known[1], size = scaled(scene.get(node, fields[2]), by) } end
    for i = 1, known.sizes do
      local factor = known.ball and math.max(widest, by[2]) or i <= known.radii and widest or by[2]
      size[i] = scene.round(scene.get(node, cone and i == 1 and "bottomRadius" or fields[i + 1]) * factor)
    end
    return { type = known[1], size = size, r = not known.ball and UPRIGHT or nil }
  end
  if FACES[kind] then
    local box = box_around(node)
    if not box then return nil end
    return { type = "box", size = scaled(box.size, by), p = { box.middle[1] * by[1], box.middle[2] * by[2],
      box.middle[3] * by[3] } }
  end
  said:note_kind(kind, node, "%s is left out: it has no volume", node.fields and kind or "a geometry")
end

local function placed(shape, pose)
  local there = spatial.compose(pose, { p = shape.p or { 0, 0, 0 }, r = shape.r or spatial.identity() })
  local position = scene.round_all(there.p)
  shape.p, shape.r = nil, nil
  if spatial.length(position) > 0 then shape.position = position end
  shape.attitude = scene.angles(there.r)
  return shape
end

local function size_of(by)
  local size = scaled(ONE, by)
  return (size[1] ~= 1 or size[2] ~= 1 or size[3] ~= 1) and size or nil
end

---The shape of a Shape node at a pose in its link's frame, its axes scaled by `by`; nil: it has no shape
---here. meshes: stores shapes drawn by faces in files; such a shape is then a mesh, and its bounding box, for
---collisions, is the second result. nil: there is only the box.
function shapes.make(node, pose, by, said, _, meshes)
  local geometry = scene.nodes(node, "geometry")[1]
  local shape = geometry and solid_of(geometry, by, said)
  if not shape then return nil end
  local faces = FACES[geometry.type]
  local kept = faces and meshes and meshes:keep(node, by)
  if faces and not kept then
    said:note_kind("faces", geometry, "of an %s there is the box around it", geometry.type)
  elseif kept then
    said:note_kind("kept", geometry,
      "faces are kept as meshes in files, %s and on; for collisions there is the box around", kept)
    shape.solid = true
    return placed({ type = "mesh", file = kept, size = size_of(by) }, pose), placed(shape, pose)
  end
  shape.colour = colour_of(node)
  return placed(shape, pose)
end

---A mesh of an Inline, or of our own node for one with a colour: a file, relative to the descriptor.
function shapes.mesh(node, pose, by, said, folder, meshes)
  local url = node.fields.url and node.fields.url[1]
  if not url or url == "" or #url > 127 then
    said:note(node, "an Inline without a file's name of at most 127 bytes is left out")
    return nil
  end
  if folder and not url:find "^%a+:" and not core.file_stamp(url:sub(1, 1) == "/" and url or folder .. "/" .. url) then
    said:note_kind("missing", node, "%s is not there", url)
  elseif meshes and meshes.elsewhere and not url:find "^/" and not url:find "^%a+:" then
    said:note_kind("elsewhere", node, "%s stands beside this file, and not beside the result: copy it there", url)
  end
  if by[1] < 0 or by[2] < 0 or by[3] < 0 then
    said:note_kind("mirror", node, "a Transform mirrors %s, which is kept as it stands", url)
  end
  local rgba = node.type == "RoboTalk_Mesh" and scene.vector(node, "colour", 4)
  return placed({ type = "mesh", file = url, size = size_of(by), colour = rgba and colour_text(rgba, rgba[4]) or nil },
    pose)
end

return shapes
