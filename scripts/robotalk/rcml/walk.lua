-- Walks the tree of a file: Transforms and groups give places, Joints and Segments links, and the parts of a link are
-- passed on.
local shapes = require "robotalk.rcml.shapes"
local scene = require "robotalk.rcml.scene"
local spatial = require "robotalk.robot.spatial"

local walker = {}
walker.__index = walker

local MOST_DEEP = 2048 -- as the reader's

-- VRML has y up, and people look along z: in our axes x is z, y is x, z is y.
walker.HOUSE = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } }

---robot: the result: { links, joints, frames, cameras, sensors }, see rcml/body.lua. said: the report. meshes:
---the store of shapes drawn by faces (rcml/meshes.lua); nil: none.
function walker.new(robot, said, folder, meshes)
  return setmetatable({ robot = robot, said = said, folder = folder, meshes = meshes, deep = 0, shapes = 0 }, walker)
end

-- The state of a walk: the link that it is in, the pose of the file's axes there in that link's frame, their
-- scale; the axes of the file in those of a link; hidden: for collisions; roll: as of shapes.
local function at(place, pose, by, changes)
  local out = { link = place.link, base = place.base, hidden = place.hidden, roll = place.roll, pose = pose, by = by }
  for key, value in pairs(changes or {}) do out[key] = value end
  return out
end

local ONE = { 1, 1, 1 }

-- The place within a Transform, or a node with its fields.
local function within(self, node, place)
  local pose, by, scale = scene.pose(node), place.by, scene.vector(node, "scale", 3)
  pose.p = { pose.p[1] * by[1], pose.p[2] * by[2], pose.p[3] * by[3] }
  if scale and (scale[1] ~= 1 or scale[2] ~= 1 or scale[3] ~= 1) then
    if not (by[1] == by[2] and by[2] == by[3]) then
      self.said:note_kind("scale", node, "stretched along axes of two frames: shapes are about as they should be")
    end
    by = { by[1] * scale[1], by[2] * scale[2], by[3] * scale[3] }
  end
  return at(place, spatial.compose(place.pose, pose), by)
end

function walker:add_shape(node, place, make)
  if not place.link or not place.link.shapes then return end
  if self.shapes == shapes.MOST then
    self.said:note_kind("shapes", node, "shapes beyond the first %d are left out", shapes.MOST)
    return
  end
  -- hidden shapes need no mesh
  local shape, box = make(node, place.pose, place.by, self.said, self.folder, not place.hidden and self.meshes or nil)
  if not shape then return end
  self.shapes = self.shapes + 1
  shape.solid, shape.roll = place.hidden or nil, place.roll
  self.robot.drawn[shape] = node
  table.insert(place.link.shapes, shape)
  if box and self.shapes < shapes.MOST then
    self.shapes = self.shapes + 1
    table.insert(place.link.shapes, box)
  end
end

-- ---- node types ----

local kinds = {}

function kinds.Transform(self, node, place) self:nodes(scene.nodes(node, "children"), within(self, node, place)) end

local function group(self, node, place) self:nodes(scene.nodes(node, "children"), place) end
for _, kind in ipairs { "Group", "Anchor", "Billboard", "Collision" } do kinds[kind] = group end

function kinds.LOD(self, node, place) self:node(scene.nodes(node, "level")[1], place) end

-- Hidden shapes of a link are for collisions.
function kinds.Switch(self, node, place)
  local which, choice = scene.get(node, "whichChoice"), scene.nodes(node, "choice")
  if which >= 0 then self:node(choice[which + 1], place)
  elseif place.segment then self:nodes(choice, at(place, place.pose, place.by, { hidden = true, segment = true })) end
end

function kinds.Shape(self, node, place) self:add_shape(node, place, shapes.make) end
function kinds.Inline(self, node, place) self:add_shape(node, place, shapes.mesh) end
kinds.RoboTalk_Mesh = kinds.Inline

local ROLLS <const> = { wheel = true, omni = true, caster = true }

function kinds.RoboTalk_Wheel(self, node, place)
  local roll = scene.get(node, "roll")
  self:nodes(scene.nodes(node, "children"),
    at(place, place.pose, place.by, { roll = ROLLS[roll] and roll or nil, segment = place.segment }))
end

function kinds.Segment(self, node, place)
  self.robot:segment(node, place)
  self:nodes(scene.nodes(node, "children"), at(place, place.pose, place.by, { segment = true }))
end

function kinds.Joint(self, node, place)
  local inner = self.robot:joint(node, place)
  if inner then self:nodes(scene.nodes(node, "children"), inner) end
end

function kinds.Site(self, node, place)
  local inner = within(self, node, place)
  self.robot:frame(node, inner)
  self:nodes(scene.nodes(node, "children"), inner)
end

function kinds.Humanoid(self, node, place) self.robot:humanoid(self, node, place) end

function kinds.RoboTalk_Robot(self, node) self.robot.whole = node end
function kinds.RCML_Robot(self, node) self.robot.rcml = node end

local function sensor(self, node, place)
  local inner = within(self, node, place)
  self.robot:sensor(node, inner)
  self:nodes(scene.nodes(node, "children"), inner)
end
for _, kind in ipairs { "RoboTalk_Sensor", "VisionSensor", "ForceSensor", "Gyro", "AccelerationSensor",
  "RangeSensor" } do
  kinds[kind] = sensor
end

-- ---- the walk ----

function walker:nodes(list, place)
  for _, node in ipairs(list) do self:node(node, place) end
end

---Handles a node; one of another type is handled as the first node of its PROTO.
function walker:node(node, place)
  if not node or node.type == nil then return end
  if self.deep == MOST_DEEP then
    self.said:note_kind("deep", node, "nodes within more than %d others are left out", MOST_DEEP)
    return
  end
  self.deep = self.deep + 1
  local kind = kinds[node.type]
  -- a Shape of a file is one of VRML; what is a Joint is one by its name, wherever it was declared
  if kind then kind(self, node, place)
  elseif node.body and node.body[1] then self:node(node.body[1], place) end
  self.deep = self.deep - 1
end

---The place at the root of a link, whose axes are the file's, or ours in a file with VRML's axes: base.
function walker.root(link, base)
  return { link = link, pose = { p = { 0, 0, 0 }, r = base }, by = ONE, base = base }
end

return walker
