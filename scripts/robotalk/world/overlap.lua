-- Objects inside of others: physics would throw movable ones apart. The test of two convex bodies is that of
-- Gilbert, Johnson and Keerthi: their Minkowski difference has the origin inside.
local shape = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"

local reach_of = require "robotalk.world.things".reach

local overlap = {}

local SLACK <const> = 0.001 -- m, by which they may be inside of each other
local MOST <const> = 64     -- turns of the search; after that they are taken to be apart
local ENOUGH <const> = 101  -- reported ones, and one that shows that there are more

-- An object for the search: its middle and a function that returns the point that is farthest in a direction.
-- by: m, by which it is shrunk on each side, but to no less than four fifths of its size.
local function body_of(thing, by)
  local r = spatial.from_angles(thing.attitude)
  local back = spatial.transpose(r)
  local size = shape.each_half(thing.shape, thing.size, function(half) return math.max(half - by, 0.8 * half) end)
  return { middle = thing.position, far = function(d)
    return spatial.add(thing.position, spatial.turn(r, shape.farthest(thing.shape, size, spatial.turn(back, d))))
  end }
end

local dot, cross, sub = spatial.dot, spatial.cross, spatial.sub

-- The part of a simplex that is nearest to the origin, the newest point first, and the direction from it to the origin;
-- true: the origin is inside.
local function nearest_of_line(s)
  local a, b = s[1], s[2]
  local ab, ao = sub(b, a), spatial.scale(a, -1)
  if dot(ab, ao) > 0 then return s, cross(cross(ab, ao), ab) end
  return { a }, ao
end

local function nearest_of_triangle(s)
  local a, b, c = s[1], s[2], s[3]
  local ab, ac, ao = sub(b, a), sub(c, a), spatial.scale(a, -1)
  local normal = cross(ab, ac)
  if dot(cross(normal, ac), ao) > 0 then
    if dot(ac, ao) > 0 then return { a, c }, cross(cross(ac, ao), ac) end
    return nearest_of_line { a, b }
  end
  if dot(cross(ab, normal), ao) > 0 then return nearest_of_line { a, b } end
  if dot(normal, ao) > 0 then return { a, b, c }, normal end
  return { a, c, b }, spatial.scale(normal, -1)
end

local function nearest_of_tetrahedron(s)
  local a, b, c, d = s[1], s[2], s[3], s[4]
  local ab, ac, ad, ao = sub(b, a), sub(c, a), sub(d, a), spatial.scale(a, -1)
  if dot(cross(ab, ac), ao) > 0 then return nearest_of_triangle { a, b, c } end
  if dot(cross(ac, ad), ao) > 0 then return nearest_of_triangle { a, c, d } end
  if dot(cross(ad, ab), ao) > 0 then return nearest_of_triangle { a, d, b } end
  return s, true
end

local NEAREST <const> = { nil, nearest_of_line, nearest_of_triangle, nearest_of_tetrahedron }

local function meet(one, other)
  local function point(d) return sub(one.far(d), other.far(spatial.scale(d, -1))) end
  local towards = sub(other.middle, one.middle)
  if spatial.length(towards) < 1e-12 then return true end
  local first = point(towards)
  local simplex, d = { first }, spatial.scale(first, -1)
  for _ = 1, MOST do
    local length = spatial.length(d)
    if length < 1e-12 then return true end -- the origin is on the simplex
    d = spatial.scale(d, 1 / length)
    local p = point(d)
    if dot(p, d) < 0 then return false end
    table.insert(simplex, 1, p)
    simplex, d = NEAREST[#simplex](simplex)
    if d == true then return true end
  end
  return false
end

-- Of a sphere around it.
local function radius_of(thing) return shape.radius(thing.shape, thing.size) end

-- An object's half extents along its own axes, m, and these, as directions of the world: the shortest first.
local function axes_of(thing)
  local axes, half = spatial.transpose(spatial.from_angles(thing.attitude)), shape.half(thing.shape, thing.size)
  local out = {}
  for i, axis in ipairs(axes) do out[i] = { half = half[i], axis[1], axis[2], axis[3] } end
  table.sort(out, function(a, b) return a.half < b.half end)
  return out
end

-- Whether an object's own axes separate it from another one, such as planks side by side, aslant to the world. Round
-- objects count as their bounding boxes. Without tables, since it is called for most pairs.
local function is_beside(one, other)
  local p, q, theirs = one.thing.position, other.thing.position, other.axes
  local x, y, z = q[1] - p[1], q[2] - p[2], q[3] - p[3]
  local a, b, c = theirs[1], theirs[2], theirs[3]
  for _, u in ipairs(one.axes) do
    local ux, uy, uz = u[1], u[2], u[3]
    local reach = a.half * math.abs(a[1] * ux + a[2] * uy + a[3] * uz)
      + b.half * math.abs(b[1] * ux + b[2] * uy + b[3] * uz) + c.half * math.abs(c[1] * ux + c[2] * uy + c[3] * uz)
    if math.abs(x * ux + y * uy + z * uz) >= u.half + reach then return true end
  end
  return false
end

---Whether two objects, which are no meshes, overlap by more than `slack`, m.
function overlap.meet(one, other, slack)
  return spatial.length(sub(one.position, other.position)) < radius_of(one) + radius_of(other)
    and meet(body_of(one, slack / 2), body_of(other, slack / 2))
end

---Two lists of numbers of objects: ones that could move, and for each another one that it overlaps, by more than
---1 mm. Meshes are left out, since the engine handles their hulls, and objects that are `unsure` or `lost`
---(world/mistakes.lua).
function overlap.find(things)
  local around = {} -- the candidates: the ends along x, and the object for the search when it is needed
  for i, thing in ipairs(things) do
    if not thing.painted and not thing.unsure and not thing.lost and thing.shape ~= "mesh" then
      local reach, aside, up = reach_of(thing, { 1, 0, 0 }), reach_of(thing, { 0, 1, 0 }), reach_of(thing, { 0, 0, 1 })
      around[#around + 1] = { number = i, thing = thing, low = thing.position[1] - reach,
        high = thing.position[1] + reach, left = thing.position[2] - aside, right = thing.position[2] + aside,
        below = thing.position[3] - up, above = thing.position[3] + up, radius = radius_of(thing),
        axes = axes_of(thing) }
    end
  end
  table.sort(around, function(a, b)
    if a.low ~= b.low then return a.low < b.low end
    return a.number < b.number
  end)
  local movers, into = {}, {}
  local function are_level(a, b) -- their ends along y and z
    return a.left < b.right and b.left < a.right and a.below < b.above and b.below < a.above
  end
  local function moves(one) return one.thing.mass or one.thing.moves end
  local function whole(thing, number) return thing.part_of or number end
  for i, a in ipairs(around) do
    for k = i + 1, #around do
      local b = around[k]
      if b.low >= a.high then break end
      if (moves(a) or moves(b)) and whole(a.thing, a.number) ~= whole(b.thing, b.number)
        and are_level(a, b) and not is_beside(a, b) and not is_beside(b, a)
        and spatial.length(sub(a.thing.position, b.thing.position)) < a.radius + b.radius
        and meet(body_of(a.thing, SLACK / 2), body_of(b.thing, SLACK / 2)) then
        local first, second = a, b
        if not moves(first) or moves(second) and second.number > first.number then first, second = b, a end
        movers[#movers + 1], into[#into + 1] = first.number, second.number
        if #movers == ENOUGH then return movers, into end
      end
    end
  end
  return movers, into
end

return overlap
