-- A picture of a body: from the front, the side and above, in one scale, as SVG. Shapes as filled outlines; sticks from
-- joint to joint; circles for revolute dofs, squares for prismatic ones; crossed circles for centres of mass; small
-- axes for control frames.
local check = require "robotalk.descriptor.check"
local fields = require "robotalk.descriptor.fields"
local outline = require "robotalk.svg.outline"
local plot = require "robotalk.plot"
local shape = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"
local escape = require "robotalk.text.xml".escape

local body = {}

local WIDTH, HEIGHT, GAP, HEAD = 960, 460, 36, 64 -- pixels
-- colours of links without one of their own
local COLOURS = { "#d3dde6", "#e6d8cf", "#d5e3d3", "#e3d5e3", "#e6e3cf", "#cfe3e3" }

-- A view: maps a point of the world to the paper, and to its distance from the viewer.
local VIEWS = {
  { name = "front", right = "y", up = "z", at = function(p) return p[2], p[3], p[1] end },
  { name = "side", right = "x", up = "z", at = function(p) return p[1], p[3], -p[2] end },
  { name = "top", right = "-y", up = "x", at = function(p) return -p[2], p[1], p[3] end },
}

local function pose_of(p)
  local r = p.rotation
  return { p = p.position, r = { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7], r[8], r[9] } } }
end

-- World points whose convex hull is the shape, from all views; nil for a mesh, of which only the position is known.
local function hull(one, pose)
  local kind = fields.word(check.words.shape, one.kind)
  if kind == "mesh" then return nil end
  local points = shape.points(kind, one.size, pose.r, { 1, 2, 3 })
  for i, p in ipairs(points) do points[i] = spatial.add(pose.p, p) end
  return points
end

-- All drawn parts, in world coordinates: { shapes, sticks, joints, masses, frames, names }.
local function scene_of(flat, poses)
  local scene = { shapes = {}, sticks = {}, joints = {}, masses = {}, frames = {}, points = {} }
  local links, joint_of = {}, {}
  local function seen(p) scene.points[#scene.points + 1] = p return p end
  for i, pose in ipairs(poses) do links[i] = pose_of(pose) end
  -- collision shapes are drawn where a link has no visible ones
  local pictured, named = {}, {}
  for _, s in ipairs(flat.shape) do pictured[s.link] = pictured[s.link] or s.solid == 0 end
  for _, s in ipairs(flat.shape) do
    local pose = spatial.compose(links[s.link + 1], { p = s.position, r = spatial.from_angles(s.attitude) })
    if s.solid == 0 or not pictured[s.link] then
      local points = hull(s, pose)
      for _, p in ipairs(points or {}) do seen(p) end
      local colour = s.colour ~= 0 and ("#%06x"):format(s.colour >> 8) or COLOURS[s.link % #COLOURS + 1]
      scene.shapes[#scene.shapes + 1] = { points = points, middle = seen(pose.p), colour = colour,
        name = not named[s.link] and flat.link[s.link + 1].name or nil }
      named[s.link] = true
    end
  end
  for i, j in ipairs(flat.joint) do
    local child = links[j.child + 1]
    local point = spatial.place(child, spatial.add(flat.link[j.child + 1].com, j.outboard))
    if j.dofs == 0 then point = child.p end
    joint_of[j.child] = point
    if j.dofs > 0 or i == 1 then seen(point) end
    local kinds = {}
    for k = 1, j.dofs do kinds[k] = fields.word(check.words.dof, flat.dof[j.first + k].kind) end
    scene.joints[i] = { at = point, kinds = kinds, name = j.name }
  end
  local moved = {}
  for _, j in ipairs(flat.joint) do moved[j.child] = j.dofs > 0 end
  for _, j in ipairs(flat.joint) do
    if j.parent ~= check.WORLD then
      scene.sticks[#scene.sticks + 1] = { joint_of[j.parent], joint_of[j.child], thin = not moved[j.parent] }
    end
  end
  for i, l in ipairs(flat.link) do
    if l.mass > 0 then scene.masses[#scene.masses + 1] = seen(spatial.place(links[i], l.com)) end
  end
  for i, f in ipairs(flat.frame) do
    local pose = spatial.compose(links[f.link + 1], { p = f.position, r = spatial.from_angles(f.attitude) })
    if i > 1 then
      scene.frames[#scene.frames + 1] = { pose = pose, name = f.name }
      scene.sticks[#scene.sticks + 1] = { joint_of[f.link], seen(pose.p), thin = true }
    end
  end
  return scene
end

local function bounds(view, points)
  local b = { math.huge, -math.huge, math.huge, -math.huge }
  for _, p in ipairs(points) do
    local u, v = view.at(p)
    b[1], b[2], b[3], b[4] = math.min(b[1], u), math.max(b[2], u), math.min(b[3], v), math.max(b[4], v)
  end
  return b
end

-- One view into a rectangle of the paper: left, bottom, and pixels a metre.
local Drawing = {}
Drawing.__index = Drawing

function Drawing:xy(p)
  local u, v, near = self.view.at(p)
  return self.left + (u - self.bounds[1]) * self.scale, self.bottom - (v - self.bounds[3]) * self.scale, near
end

function Drawing:put(form, ...) self.out[#self.out + 1] = form:format(...) end

function Drawing:line(a, b, colour, width)
  local x1, y1 = self:xy(a)
  local x2, y2 = self:xy(b)
  self:put('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>', x1, y1, x2, y2, colour,
    width)
end

function Drawing:shapes(shapes)
  local order = {}
  for i, s in ipairs(shapes) do order[i] = { s, select(3, self.view.at(s.middle)), i } end
  table.sort(order, function(a, b)
    if a[2] ~= b[2] then return a[2] < b[2] end
    return a[3] < b[3]
  end)
  for _, entry in ipairs(order) do
    local s = entry[1]
    self.order[#self.order + 1] = s
    if s.points then
      local flat, texts = {}, {}
      for i, p in ipairs(s.points) do flat[i] = { self:xy(p) } end
      local corners = outline(flat)
      for i, p in ipairs(corners) do texts[i] = ("%.1f,%.1f"):format(p[1], p[2]) end
      s.corners = corners
      self:put('<polygon points="%s" fill="%s" fill-opacity="0.75" stroke="#7c8894" stroke-width="0.8"/>',
        table.concat(texts, " "), s.colour)
    else
      local x, y = self:xy(s.middle)
      self:put('<path d="M%.1f %.1fh8m-4 -4v8" stroke="#7c8894" stroke-width="0.8" fill="none"/>', x - 4, y)
    end
  end
end

local function width_of(text) return 5.2 * (utf8.len(text) or #text) end

-- Writes a name from `left` on if it fits on the paper and overlaps no other. Returns whether it did.
function Drawing:text(left, base, text, colour)
  local right = left + width_of(text)
  if left < 2 or right > WIDTH - 2 then return false end
  for _, r in ipairs(self.names) do
    if left < r[2] + 3 and right > r[1] - 3 and math.abs(base - r[3]) < 9 then return false end
  end
  self.names[#self.names + 1] = { left, right, base }
  self:put('<text x="%.1f" y="%.1f" font-size="9" fill="%s" stroke="#ffffff" stroke-opacity="0.8" stroke-width="2.5" '
    .. 'stroke-linejoin="round" paint-order="stroke">%s</text>', left, base, colour, escape(text))
  return true
end

-- A name beside a point, where there is room for it.
function Drawing:name(x, y, text, colour)
  local width = width_of(text)
  for _, side in ipairs { { 6, -4 }, { 6, 10 }, { -6 - width, -4 }, { -6 - width, 10 } } do
    if self:text(x + side[1], y + side[2], text, colour) then return end
  end
end

-- Whether a point is within an outline.
local function is_inside(corners, x, y)
  for i, b in ipairs(corners) do
    local a = corners[i > 1 and i - 1 or #corners]
    if (b[1] - a[1]) * (y - a[2]) - (b[2] - a[2]) * (x - a[1]) < 0 then return false end
  end
  return true
end

-- Whether a text from `left` on lies within a shape, and no nearer shape covers its middle.
function Drawing:is_upon(s, left, base, width)
  for _, corner in ipairs { { left, base }, { left + width, base }, { left, base - 7 }, { left + width, base - 7 } } do
    if not is_inside(s.corners, corner[1], corner[2]) then return false end
  end
  local covered = false
  for i = #self.order, 1, -1 do
    local other = self.order[i]
    if other == s then return not covered end
    covered = covered or other.corners and is_inside(other.corners, left + width / 2, base - 3)
  end
end

-- The name of a link upon its first shape, where there is room for it.
function Drawing:link_name(s)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  for _, p in ipairs(s.corners) do
    x0, x1, y0, y1 = math.min(x0, p[1]), math.max(x1, p[1]), math.min(y0, p[2]), math.max(y1, p[2])
  end
  local width = width_of(s.name)
  if y1 - y0 < 24 then return end
  local places = { { x0 + 4, y1 - 5 }, { x0 + 4, y0 + 11 }, { (x0 + x1 - width) / 2, (y0 + 3 * y1) / 4 } }
  for _, at in ipairs(places) do
    if self:is_upon(s, at[1], at[2], width) and self:text(at[1], at[2], s.name, "#6b7680") then return end
  end
end

function Drawing:joint(j)
  local x, y = self:xy(j.at)
  local n = #j.kinds
  if n == 0 then return end
  local turns = 0
  for _, kind in ipairs(j.kinds) do if kind == "revolute" then turns = turns + 1 end end
  if turns < n then
    self:put('<rect x="%.1f" y="%.1f" width="8" height="8" fill="#ffffff" stroke="#1f3a55" stroke-width="1.2"/>',
      x - 4, y - 4)
  end
  -- a ring for every turn, one within the other
  for i = 1, turns do
    self:put('<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" stroke="#1f3a55" stroke-width="1.2"/>', x, y,
      3.2 + 2 * (turns - i), i == turns and turns == n and "#ffffff" or "none")
  end
end

function Drawing:frame(f)
  for k, colour in ipairs { "#d0342c", "#2a9d3a", "#2a62c9" } do
    local along = { f.pose.r[1][k], f.pose.r[2][k], f.pose.r[3][k] }
    local tip = spatial.add(f.pose.p, spatial.scale(along, 16 / self.scale))
    local x, y = self:xy(f.pose.p)
    local tip_x, tip_y, near = self:xy(tip)
    if math.abs(tip_x - x) + math.abs(tip_y - y) > 1 then
      self:line(f.pose.p, tip, colour, 1.6)
    elseif near > select(3, self:xy(f.pose.p)) then -- towards the viewer
      self:put('<circle cx="%.1f" cy="%.1f" r="1.8" fill="%s"/>', x, y, colour)
    end
  end
end

function Drawing:scene(scene)
  self:shapes(scene.shapes)
  for _, s in ipairs(scene.sticks) do self:line(s[1], s[2], s.thin and "#9aa5b1" or "#1f3a55", s.thin and 0.8 or 2) end
  for _, p in ipairs(scene.masses) do
    local x, y = self:xy(p)
    self:put('<path d="M%.1f %.1fh7m-3.5 -3.5v7" stroke="#8a4b00" stroke-width="0.7" fill="none"/>', x - 3.5, y)
    self:put('<circle cx="%.1f" cy="%.1f" r="3.5" fill="none" stroke="#8a4b00" stroke-width="0.7"/>', x, y)
  end
  for _, j in ipairs(scene.joints) do self:joint(j) end
  for _, f in ipairs(scene.frames) do self:frame(f) end
  for _, f in ipairs(scene.frames) do
    local x, y = self:xy(f.pose.p)
    self:name(x, y, f.name, "#2a62c9")
  end
  for _, j in ipairs(scene.joints) do
    local x, y = self:xy(j.at)
    if #j.kinds > 0 then self:name(x, y, j.name, "#1f3a55") end
  end
  for _, s in ipairs(scene.shapes) do if s.name and s.points then self:link_name(s) end end
  self:put('<text x="%.1f" y="%.1f" font-size="12" text-anchor="middle" fill="#1f3a55">%s</text>', self.middle,
    self.bottom + 18, self.view.name)
  self:put('<text x="%.1f" y="%.1f" font-size="10" text-anchor="middle" fill="#555555">%s to the right, %s up</text>',
    self.middle, self.bottom + 31, self.view.right, self.view.up)
end

---SVG of a body: its records (descriptor.records) and the poses of its links in the world ([1] is link 0), each
---{ position =, rotation = nine numbers row by row }.
function body.svg(flat, poses)
  local scene = scene_of(flat, poses)
  local boxes, wide, high, most = {}, {}, {}, 0
  for i, view in ipairs(VIEWS) do
    local b = bounds(view, scene.points)
    boxes[i], most = b, math.max(most, b[2] - b[1], b[4] - b[3])
  end
  -- the same margin everywhere, so that the same height is on one level in the front and side views
  local pad = most > 0 and 0.04 * most or 0.5
  for i, b in ipairs(boxes) do
    boxes[i] = { b[1] - pad, b[2] + pad, b[3] - pad, b[4] + pad }
    wide[i], high[i] = boxes[i][2] - boxes[i][1], boxes[i][4] - boxes[i][3]
  end
  -- side by side on one floor, with the rest of the width between them
  local scale = math.min((WIDTH - 4 * GAP) / (wide[1] + wide[2] + wide[3]), HEIGHT / math.max(table.unpack(high)))
  local gap = math.max(GAP, (WIDTH - (wide[1] + wide[2] + wide[3]) * scale) / 4)
  local floor = HEAD + math.max(table.unpack(high)) * scale
  local height = floor + 84
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="0 0 %d %.0f" font-family="sans-serif">')
      :format(WIDTH, height, WIDTH, height),
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ('<text x="%d" y="28" font-size="18" fill="#1f3a55">%s</text>'):format(GAP, escape(flat.name)),
    ('<text x="%d" y="46" font-size="11" fill="#555555">%s</text>'):format(GAP, escape(flat.model)),
  }
  local left = gap
  for i, view in ipairs(VIEWS) do
    setmetatable({ view = view, bounds = boxes[i], left = left, bottom = floor, scale = scale, out = out, names = {},
      order = {}, middle = left + wide[i] * scale / 2 }, Drawing):scene(scene)
    left = left + wide[i] * scale + gap
  end
  local metres = plot.round(120 / scale)
  local y = height - 30
  out[#out + 1] = ('<path d="M%d %.1fv-8m0 4h%.1fm0 -4v8" stroke="#1f3a55" stroke-width="1.2" fill="none"/>')
    :format(GAP, y, metres * scale)
  out[#out + 1] = ('<text x="%d" y="%.1f" font-size="11" fill="#1f3a55">%g m</text>'):format(GAP, y - 12, metres)
  out[#out + 1] = ('<text x="%d" y="%.1f" font-size="10" fill="#555555">%d links, %d dofs; rings: turning dofs, '
    .. 'squares: sliding ones, crossed circles: centres of mass, red, green, blue: x, y, z of control frames</text>')
    :format(GAP, y + 18, #flat.link, #flat.dof)
  out[#out + 1] = "</svg>\n"
  return table.concat(out, "\n")
end

return body
