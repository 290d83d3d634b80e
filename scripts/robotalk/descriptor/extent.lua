-- The space that a robot takes up with all its dofs at home, as objects of a world (world/things.lua).
local check = require "robotalk.descriptor.check"
local fields = require "robotalk.descriptor.fields"
local spatial = require "robotalk.robot.spatial"
local things = require "robotalk.world.things"

local extent = {}

-- Of a robot without shapes, m: as in the core (core/robot/world/surroundings.c).
local RADIUS <const>, HEIGHT <const> = 0.2, 0.3
local DIRECTIONS <const> = 64 -- in which the reach of a part is computed

-- Numbers of links that have a shape for collisions: their other shapes have no contacts.
local function solid_links(flat)
  local solid = {}
  for _, shape in ipairs(flat.shape) do solid[shape.link] = solid[shape.link] or shape.solid == 1 end
  return solid
end

-- The reach of a part, m: from the upright line through 0, down and up.
local function reach_of(part)
  local x, y, z = part.position[1], part.position[2], part.position[3]
  local up = things.reach(part, { 0, 0, 1 })
  local aside = 0
  for i = 0, DIRECTIONS - 1 do
    local angle = i * 2 * math.pi / DIRECTIONS
    local along = { math.cos(angle), math.sin(angle), 0 }
    aside = math.max(aside, x * along[1] + y * along[2] + things.reach(part, along))
  end
  -- between two of these directions it may reach a little farther
  return aside / math.cos(math.pi / DIRECTIONS), z - up, z + up
end

-- Adds the reach of a robot around the upright line through the origin of its root link.
local function measured(parts)
  local radius, low, high = 0, math.huge, -math.huge
  for _, part in ipairs(parts) do
    local aside, below, above = reach_of(part)
    radius, low, high = math.max(radius, aside), math.min(low, below), math.max(high, above)
  end
  return { parts = parts, radius = radius, low = low, high = high }
end

---The space of a robot, in the frame of its root link: { parts = objects, radius = around the upright line through the
---origin, low =, high = }, m. made: the result of descriptor.check.
function extent.of(made)
  local flat, parts, solid = made.records, {}, solid_links(made.records)
  local poses = require "robotalk.descriptor".poses(made.body, flat)
  local root = flat.link[1] or { position = { 0, 0, 0 }, attitude = { 0, 0, 0 } }
  local back = spatial.transpose(spatial.from_angles(root.attitude))
  for i, shape in ipairs(flat.shape) do
    local word = fields.word(check.words.shape, shape.kind)
    local mesh = word == "mesh" and made.triangles[i] or nil
    if (shape.solid == 1 or not solid[shape.link]) and (mesh or word ~= "mesh") then
      local pose = poses[shape.link + 1]
      local r = pose.rotation
      local there = spatial.compose({ p = spatial.turn(back, spatial.sub(pose.position, root.position)),
        r = spatial.multiply(back, { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7], r[8], r[9] } }) },
        { p = shape.position, r = spatial.from_angles(shape.attitude) })
      parts[#parts + 1] = things.solid { shape = word, mesh = mesh, size = shape.size, position = there.p,
        attitude = spatial.to_angles(there.r) }
    end
  end
  if #parts == 0 then
    parts[1] = { shape = "cylinder", size = { RADIUS, HEIGHT, 0 }, position = { 0, 0, HEIGHT / 2 },
      attitude = { 0, 0, 0 } }
  end
  return measured(parts)
end

---Its parts when its root link has that position and that attitude.
function extent.at(one, position, attitude)
  local place, out = { p = position, r = spatial.from_angles(attitude) }, {}
  for i, part in ipairs(one.parts) do
    local there = spatial.compose(place, { p = part.position, r = spatial.from_angles(part.attitude) })
    out[i] = { shape = part.shape, size = part.size, position = there.p, attitude = spatial.to_angles(there.r) }
  end
  return out
end

return extent
