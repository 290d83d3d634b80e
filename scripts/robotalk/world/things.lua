-- The objects of a world's table for the core (core.surround), each with its path in the table.
local check = require "robotalk.descriptor.check"
local shape = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"

local things = {}

local PAINT <const> = 0.004 -- m, thickness of a line on the floor: a thinner one has stripes of its own shadow

local function attitude_of(d) return d.attitude or { 0.0, 0.0, d.heading or 0.0 } end

---The reach of an object along a direction of the world, m, from its position; of a mesh from the middle of its box.
function things.reach(thing, along)
  local own = spatial.turn(spatial.transpose(spatial.from_angles(thing.attitude)), along) -- in the thing's axes
  local kind, size = thing.shape, thing.size
  if kind == "mesh" then kind, size = "box", things.box(thing) end
  return spatial.dot(own, shape.farthest(kind, size, own))
end

---The size of a mesh's bounding box, m along its axes, and the position of its middle from the origin.
function things.box(thing)
  local low, high = thing.mesh:box()
  local size, middle = {}, {}
  for i = 1, 3 do
    size[i] = (high[i] - low[i]) * thing.size[i]
    middle[i] = (high[i] + low[i]) / 2 * thing.size[i]
  end
  return size, spatial.turn(spatial.from_angles(thing.attitude), middle)
end

---The bounding box of a mesh as an object in its place; other objects unchanged.
function things.solid(thing)
  if thing.shape ~= "mesh" then return thing end
  local size, away = things.box(thing)
  return { shape = "box", size = size, position = spatial.add(thing.position, away), attitude = thing.attitude,
    mass = thing.mass }
end

-- Puts an object on the floor, or above it.
local function put(thing, d)
  local above = (d.raised or 0) + things.reach(thing, { 0, 0, 1 })
  if thing.mesh then above = above - select(2, things.box(thing))[3] end
  thing.position = { d.position[1], d.position[2], above }
  return thing
end

local function dressed(thing, d)
  thing.colour, thing.friction, thing.mass, thing.name = d.colour, d.friction, d.mass, d.name
  thing.moves = d.moves
  return thing
end

-- Boxes along points, one after the other; each is as much longer as it is wide, so that corners are closed.
local function add_along(out, d, wide, high, dress)
  local points = d.points
  for i = 1, d.closed and #points or #points - 1 do
    local a, b = points[i], points[i % #points + 1]
    local dx, dy = b[1] - a[1], b[2] - a[2]
    out[#out + 1] = dress { shape = "box", size = { math.sqrt(dx * dx + dy * dy) + wide, wide, high },
      position = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, high / 2 }, attitude = { 0, 0, math.atan(dy, dx) } }
  end
end

local add = {}

function add.walls(out, d)
  add_along(out, d, d.thickness or 0.1, d.height or 1.0, function(thing) return dressed(thing, d) end)
end

function add.marks(out, d)
  add_along(out, d, d.width or 0.05, PAINT, function(thing)
    thing.painted, thing.colour = true, d.colour or 0xffffffff
    return thing
  end)
end

-- A list of solids has the sizes of a shape, or a field with all of them, before its other fields.
local function add_solids(kind, fields)
  return function(out, d)
    local size = d.size or {}
    for i = 1, d.size and 0 or 3 do size[i] = i <= kind.sizes and (d[fields[i][1]] or fields[i].default) or 0 end
    out[#out + 1] = dressed(put({ shape = kind[1], size = size, attitude = attitude_of(d) }, d), d)
  end
end

function add.meshes(out, d)
  local scale = d.scale or { 1 }
  out[#out + 1] = dressed(put({ shape = "mesh", mesh = d.mesh, attitude = attitude_of(d),
    size = { scale[1], scale[2] or scale[1], scale[3] or scale[1] } }, d), d)
end

-- The upper face of a plate goes from its lower edge to the height.
function add.ramps(out, d)
  local thick, heading = d.thickness or 0.05, d.heading or 0
  local slope = math.atan(d.height, d.length)
  local ahead = d.length / 2 + thick / 2 * math.sin(slope)
  out[#out + 1] = dressed({ shape = "box", attitude = { 0, -slope, heading },
    size = { math.sqrt(d.length ^ 2 + d.height ^ 2), d.width or 1.0, thick },
    position = { d.position[1] + ahead * math.cos(heading), d.position[2] + ahead * math.sin(heading),
      (d.raised or 0) + d.height / 2 - thick / 2 * math.cos(slope) } }, d)
end

function add.steps(out, d)
  local rise, depth, heading = d.rise or 0.17, d.depth or 0.28, d.heading or 0
  for i = 1, d.count do
    local ahead = (i - 0.5) * depth
    out[#out + 1] = dressed({ shape = "box", size = { depth, d.width or 1.0, i * rise }, attitude = { 0, 0, heading },
      position = { d.position[1] + ahead * math.cos(heading), d.position[2] + ahead * math.sin(heading),
        i * rise / 2 } }, d)
  end
end

-- The properties of an object, except its place.
local function somewhere(d)
  local out = {}
  for name, value in pairs(d) do out[name] = value end
  out.position, out.raised, out.heading, out.attitude = { 0, 0 }, nil, nil, nil
  return out
end

things.PAINT = PAINT
things.LIGHTEST, things.HEAVIEST = 0.1, 25000 -- kg/m3: thin foam, and more than any metal

-- The lists of a world's table, in their order.
things.LISTS = {}
for _, field in ipairs(check.kinds.world) do
  local entry = field[2]:match "^list (%l+)$"
  for _, kind in ipairs(shape.kinds) do
    if entry and kind.entry == entry then add[field[1]] = add_solids(kind, check.kinds[entry]) end
  end
  if add[field[1]] then table.insert(things.LISTS, field[1]) end
end

---The objects of a checked world's table, in the order of these lists; each has its path in the table. Objects that
---are `unsure` (world/mistakes.lua) are left out, and those that are `lost` are anywhere.
function things.of(good)
  local out = {}
  for _, list in ipairs(things.LISTS) do
    for i, d in ipairs(good[list] or {}) do
      local first = #out + 1
      if d and not d.unsure then add[list](out, d.lost and somewhere(d) or d) end
      for k = first, #out do out[k].path, out[k].lost = ("%s[%d]"):format(list, i), d.lost end
    end
  end
  return out
end

---The volume of an object, m3; of a mesh that of its box.
function things.volume(thing)
  local solid = things.solid(thing)
  return shape.volume(solid.shape, solid.size)
end

return things
