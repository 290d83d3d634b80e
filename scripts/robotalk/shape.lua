-- The kinds of shapes: a list of the rows of spec/descriptor.lua, and each by its name, with `radii`, how many of its
-- sizes are radii, the first ones; `round`: about its z axis; `ball`: about all. Their geometry is that of the core
-- (core/body/shape.c), in the frame of the shape with its middle at 0; sizes are a list, as descriptors have them.
-- A mesh has no geometry here.
local core = require "robotalk.core"
local spatial = require "robotalk.robot.spatial"

local shape = { kinds = {} }

for i, row in ipairs(require("spec.descriptor").words.shape) do
  local kind = setmetatable({ radii = 0 }, { __index = row })
  for k, name in ipairs(row.each or {}) do if name == "radius" then kind.radii = k end end
  kind.round, kind.ball = kind.radii > 0, kind.radii == kind.sizes
  shape.kinds[i], shape.kinds[row[1]] = kind, kind
end

---m3; of a mesh NaN.
shape.volume = core.shape_volume

---The point that is farthest in a direction.
function shape.farthest(kind, size, d) return { core.shape_farthest(kind, size, d[1], d[2], d[3]) } end

---Half the sides of the box around it, m.
function shape.half(kind, size)
  local x = core.shape_farthest(kind, size, 1, 0, 0)
  local _, y = core.shape_farthest(kind, size, 0, 1, 0)
  return { x, y, (select(3, core.shape_farthest(kind, size, 0, 0, 1))) }
end

---The radius of a sphere around it, m.
function shape.radius(kind, size)
  local half, row = shape.half(kind, size), shape.kinds[kind]
  return row.ball and half[1] or math.sqrt(half[1] ^ 2 + (row.round and 0 or half[2] ^ 2) + half[3] ^ 2)
end

---Applies fn to each radius, and to half of each length.
function shape.each_half(kind, size, fn)
  local row, out = shape.kinds[kind], {}
  for i = 1, row.sizes do out[i] = i <= row.radii and fn(size[i]) or 2 * fn(size[i] / 2) end
  return out
end

---The names of all kinds: "a, b or c".
function shape.names()
  local names = {}
  for i, kind in ipairs(shape.kinds) do names[i] = kind[1] end
  return table.concat(names, ", ", 1, #names - 1) .. " or " .. names[#names]
end

local PARTS <const> = 48 -- of a circle that is drawn

---Points of a shape that is turned by r, from its middle: seen along any of these axes of the frame around it (1 to 3),
---the hull of these points is its outline.
function shape.points(kind, size, r, axes)
  local points, back = {}, spatial.transpose(r)
  local function add(d) points[#points + 1] = spatial.turn(r, shape.farthest(kind, size, d)) end
  if not shape.kinds[kind].round then
    for i = 0, 7 do add { (i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2 & 1) - 0.5 } end
    return points
  end
  for _, axis in ipairs(axes) do
    for i = 0, PARTS - 1 do
      local d, angle = { 0, 0, 0 }, i * 2 * math.pi / PARTS
      d[axis % 3 + 1], d[(axis + 1) % 3 + 1] = math.cos(angle), math.sin(angle)
      add(spatial.turn(back, d))
    end
  end
  return points
end

return shape
