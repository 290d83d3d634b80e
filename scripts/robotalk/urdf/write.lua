-- From a descriptor to URDF text. A joint of several dofs becomes a chain of joints with one each, whose names are the
-- joint's and the dof's with a dot between, as are those of the links between them: urdf.read with fold makes one joint
-- of them again. Control frames become fixed links. A link's frame begins at its joint: if a descriptor has
-- it elsewhere, everything in it is moved. Engines can load the output: links that move have a mass, links with a
-- mass have a physical inertia (urdf/unsaid.lua has the defaults).
local names_of_dofs = require "robotalk.descriptor.dofs"
local fields = require "robotalk.descriptor.fields"
local left_out = require "robotalk.descriptor.left_out"
local shapes = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"
local unsaid = require "robotalk.urdf.unsaid"
local escape = require "robotalk.text.xml".escape

local writer = {}
writer.__index = writer

-- ---- text ----

-- The shortest text that reads as the same number.
local function number(x)
  x = x + 0.0
  if x == 0 then return "0" end
  for digits = 15, 17 do
    local s = ("%." .. digits .. "g"):format(x)
    if tonumber(s) == x or digits == 17 then return s end
  end
end

local function numbers(v)
  local out = {}
  for i, x in ipairs(v) do out[i] = number(x) end
  return table.concat(out, " ")
end

function writer:line(depth, form, ...)
  self.lines[#self.lines + 1] = ("  "):rep(depth) .. form:format(...)
end

function writer:note(form, ...)
  local message = form:format(...)
  if self.said[message] then return end
  self.said[message] = true
  self.notes[#self.notes + 1] = { message = message }
end

-- Counts a link for a common note.
function writer:tell_of(form, name)
  local names = self.told[form]
  if not names then
    names = {}
    self.told[form], self.told[#self.told + 1] = names, form
  end
  names[#names + 1] = ("'%s'"):format(name)
end

-- The common notes; form: text with a %s for the names.
function writer:tell()
  for _, form in ipairs(self.told) do
    local names = self.told[form]
    local more = #names > 6 and (" and %d more"):format(#names - 6) or ""
    self:note(form, table.concat(names, ", ", 1, math.min(#names, 6)) .. more)
  end
end

-- The fields of each kind that URDF holds, as a joint, a link or an attribute of these.
local KEEPS <const> = {
  robot = { name = true, links = true, joints = true, frames = true },
  joint = { name = true, parent = true, child = true, inboard = true, outboard = true, position = true, rest = true,
    dofs = true },
  dof = { name = true, type = true, axis = true, limit = true, speed = true, acceleration = true,
    force = true, mimic = true },
  frame = { name = true, link = true, position = true, attitude = true },
  shape = { type = true, size = true, position = true, attitude = true, colour = true, file = true, solid = true },
}

-- Reports the fields of a table that URDF cannot hold, once each.
function writer:leave_out(t, kind)
  for _, name in ipairs(left_out.beside(kind, t, KEEPS[kind])) do
    self:note("%s", left_out.says(name, kind, "URDF"))
  end
end

-- A name that is not used in the file yet.
local function unique(used, name)
  local out, n = name, 1
  while used[out] do
    n = n + 1
    out = ("%s~%d"):format(name, n)
  end
  used[out] = true
  return out
end

-- ---- the descriptor's numbers ----

local function greatest(x)
  if type(x) == "table" then return math.max(math.abs(x[1]), math.abs(x[2])) end
  return x or 0
end

local function rotation(turn)
  if not turn then return spatial.identity() end
  return type(turn[1]) == "table" and turn or spatial.from_angles(turn)
end

local function pose_of(t)
  return { p = t.position or { 0, 0, 0 }, r = rotation(t.attitude), angles = t.attitude }
end

-- Links by number, each { number, link, name, com, shift }, and joints in their order, each with parent and child.
local function collect(self, d)
  local last = 0
  for n in pairs(d.links or {}) do last = math.max(last, n) end
  for n, joint in pairs(d.joints or {}) do
    last = math.max(last, n)
    if math.type(joint.child) then last = math.max(last, joint.child) end
  end
  self.links, self.joints = {}, {}
  local number_of, joint_name = {}, {}
  for n, joint in pairs(d.joints or {}) do
    if joint.child == nil or joint.child == n then joint_name[n] = joint.name end
  end
  for n = 0, last do
    local link = (d.links or {})[n] or {}
    local name = link.name or joint_name[n] or ("link%d"):format(n)
    number_of[name] = number_of[name] or n
    self.links[n] = { number = n, link = link, com = link.com or { 0, 0, 0 }, shift = { 0, 0, 0 }, name = name }
  end
  local function link_at(x) return self.links[math.type(x) and x or number_of[x]] end
  self.link_at = link_at
  for n = 0, last do
    local joint = (d.joints or {})[n]
    if joint then
      local child = link_at(joint.child or n)
      local parent = joint.parent
      if parent == nil then parent = n == 0 and "world" or child.number - 1 end
      child.joint = { joint = joint, child = child, parent = parent ~= "world" and link_at(parent) or nil,
        name = joint.name or ("joint%d"):format(n), dofs = joint.dofs or {} }
      self.joints[#self.joints + 1] = child.joint
    end
  end
end

-- URDF begins a link's frame at its joint.
local function move_frames(self)
  for _, j in ipairs(self.joints) do
    if not j.joint.position and j.joint.outboard then
      j.child.shift = spatial.add(j.child.com, j.joint.outboard)
      if spatial.length(j.child.shift) > 0 then
        self:note("link '%s': its frame is moved to its joint", j.child.name)
      end
    end
  end
end

-- The origin of a joint, in its parent's frame.
local function origin_of(j)
  local joint, parent = j.joint, j.parent
  local rest = { r = rotation(joint.rest) }
  if joint.rest and type(joint.rest[1]) == "number" then rest.angles = joint.rest end
  local com = parent and parent.com or { 0, 0, 0 }
  rest.p = joint.position or spatial.add(com, joint.inboard or { 0, 0, 0 })
  if parent then rest.p = spatial.sub(rest.p, parent.shift) end
  return rest
end

-- ---- elements ----

function writer:origin(depth, pose)
  local angles = pose.angles or spatial.to_angles(pose.r)
  if spatial.length(pose.p) == 0 and spatial.length(angles) == 0 then return end
  self:line(depth, '<origin xyz="%s" rpy="%s"/>', numbers(pose.p), numbers(angles))
end

-- The element of a shape, with its sizes as attributes of their names, or all in one.
local function geometry(shape, size)
  if shape.type == "mesh" then
    return ('<mesh filename="%s" scale="%s"/>'):format(escape(shape.file or ""), numbers(size))
  end
  local out, names = "<" .. shape.type, shapes.kinds[shape.type].each
  for i, name in ipairs(names or {}) do out = ('%s %s="%s"'):format(out, name, number(size[i])) end
  return names and out .. "/>" or ('%s size="%s"/>'):format(out, numbers(size))
end

-- The size of a shape as in its records; nil if it has no extent.
local function size_of(shape)
  local size = fields.shape_size(shape)
  for i = 1, size and #size or 0 do if size[i] == 0 then return nil end end
  return size
end

function writer:shape(shape, shift, link)
  local element = shape.solid and "collision" or "visual"
  local size = size_of(shape)
  if not size then
    self:note("link '%s': a %s without extent is left out", link, shape.type)
    return
  end
  local pose = pose_of(shape)
  pose.p = spatial.sub(pose.p, shift)
  self:line(2, "<%s>", element)
  self:origin(3, pose)
  self:line(3, "<geometry>%s</geometry>", geometry(shape, size))
  if shape.colour then
    local rgba = {}
    for byte in shape.colour:gmatch "%x%x" do rgba[#rgba + 1] = tonumber(byte, 16) / 255 end
    rgba[4] = rgba[4] or 1
    self:line(3, '<material name="%s"><color rgba="%s"/></material>', escape(shape.colour), numbers(rgba))
  end
  self:line(2, "</%s>", element)
  self:leave_out(shape, "shape")
end

-- m: the inertia about the centre of mass at p.
function writer:inertial(p, mass, m)
  self:line(2, "<inertial>")
  self:origin(3, { p = p, r = spatial.identity() })
  self:line(3, '<mass value="%s"/>', number(mass))
  self:line(3, '<inertia ixx="%s" ixy="%s" ixz="%s" iyy="%s" iyz="%s" izz="%s"/>', number(m[1][1]), number(m[1][2]),
    number(m[1][3]), number(m[2][2]), number(m[2][3]), number(m[3][3]))
  self:line(2, "</inertial>")
end

function writer:filler(name)
  self:tell_of(("%g kg and %g kg*m2 stand for the mass of links that move, where it is not known: %%s"):format(
    unsaid.MASS, unsaid.INERTIA), name)
  local moment = unsaid.INERTIA
  self:inertial({ 0, 0, 0 }, unsaid.MASS, spatial.tensor { moment, moment, moment })
end

-- The inertia of a link that has a mass.
function writer:inertia(entry)
  local link = entry.link
  local m = link.inertia and spatial.tensor(link.inertia)
  if not m or spatial.principal(m)[1] < unsaid.LEAST then
    self:tell_of("the inertia of a ball of water stands for that of links where it is not known or next to nothing: %s",
      entry.name)
    local moment = unsaid.moment(link.mass)
    return spatial.tensor { moment, moment, moment }
  end
  local balanced = spatial.balance(m)
  if balanced ~= m then
    self:note("link '%s': no body has its inertia, whose greatest principal moment is larger than the other two "
      .. "together: these are written as large as they must be", entry.name)
  end
  return balanced
end

function writer:link(entry)
  local link, moves = entry.link, entry.joint and #entry.joint.dofs > 0
  local mass = link.mass or 0
  if mass == 0 and link.inertia then self:note("link '%s': an inertia without a mass is left out", entry.name) end
  if mass == 0 and not moves and #(link.shapes or {}) == 0 then
    self:line(1, '<link name="%s"/>', escape(entry.urdf))
    return
  end
  self:line(1, '<link name="%s">', escape(entry.urdf))
  if mass > 0 then
    self:inertial(spatial.sub(entry.com, entry.shift), mass, self:inertia(entry))
  elseif moves then
    self:filler(entry.name)
  end
  for _, shape in ipairs(link.shapes or {}) do self:shape(shape, entry.shift, entry.name) end
  self:line(1, "</link>")
end

-- The links between the dofs of a joint.
function writer:chain_links(j)
  for _, name in ipairs(j.between) do
    self:line(1, '<link name="%s">', escape(name))
    self:filler(name)
    self:line(1, "</link>")
  end
end

function writer:joint(name, kind, parent, child, pose, dof)
  self:line(1, '<joint name="%s" type="%s">', escape(name), kind)
  self:origin(2, pose)
  self:line(2, '<parent link="%s"/>', escape(parent))
  self:line(2, '<child link="%s"/>', escape(child))
  if dof then self:dof(kind, dof) end
  self:line(1, "</joint>")
end

-- The standard requires one for every joint that is not continuous, with effort and velocity.
function writer:limit(kind, dof)
  local limit, force, speed, acceleration = dof.limit, greatest(dof.force), greatest(dof.speed),
    greatest(dof.acceleration)
  if kind == "continuous" and force == 0 and speed == 0 and acceleration == 0 then return end
  if kind == "prismatic" and not limit then limit = { -unsaid.FAR, unsaid.FAR } end
  local function or_far(x, what, attribute)
    if x > 0 then return number(x) end
    self:note('%s="%s" stands for the greatest %s of dofs where it is not known: 0 would say that they have none',
      attribute, number(unsaid.FAR), what)
    return number(unsaid.FAR)
  end
  self:line(2, '<limit%s effort="%s" velocity="%s"%s/>',
    limit and (' lower="%s" upper="%s"'):format(number(limit[1]), number(limit[2])) or "",
    or_far(force, "force", "effort"), or_far(speed, "speed", "velocity"),
    acceleration > 0 and (' acceleration="%s"'):format(number(acceleration)) or "")
end

function writer:dof(kind, dof)
  self:line(2, '<axis xyz="%s"/>', numbers(dof.axis or { 0, 0, 1 }))
  self:limit(kind, dof)
  local mimic = dof.mimic
  local target = mimic and self.target(mimic.joint, mimic.dof)
  if target then
    self:line(2, '<mimic joint="%s" multiplier="%s" offset="%s"/>', escape(target), number(mimic.ratio or 1),
      number(mimic.shift or 0))
  elseif mimic then
    self:note("a dof that follows '%s', which is not there, moves by itself", tostring(mimic.joint))
  end
  self:leave_out(dof, "dof")
end

local function kind_of(dof)
  if dof.type == "prismatic" then return "prismatic" end
  return dof.limit and "revolute" or "continuous"
end

-- A joint and its dofs; a joint without dofs is fixed.
function writer:chain(j)
  local parent = j.parent and j.parent.urdf or self.world
  local pose = origin_of(j)
  if not j.parent then pose = spatial.compose(pose_of(j.child.link), pose) end
  local count = #j.dofs
  if count == 0 then self:joint(j.urdf[1], "fixed", parent, j.child.urdf, pose) end
  for i, dof in ipairs(j.dofs) do
    local child = j.between[i] or j.child.urdf
    self:joint(j.urdf[i], kind_of(dof), parent, child, pose, dof)
    parent, pose = child, spatial.nowhere()
  end
  self:leave_out(j.joint, "joint")
end

-- ---- the whole ----

-- The names in the file; each dof is a joint there.
local function name_all(self)
  self.link_names, self.joint_names = {}, {}
  for n = 0, #self.links do self.links[n].urdf = unique(self.link_names, self.links[n].name) end
  local by_name = {}
  for _, j in ipairs(self.joints) do
    j.urdf, j.dof_number, j.between = {}, {}, {} -- names of joints and of the links between them; numbers by name
    if #j.dofs < 2 then j.urdf[1] = unique(self.joint_names, j.name) end
    for i, name in ipairs(names_of_dofs(j)) do
      local dof = j.dofs[i]
      j.dof_number[tostring(i - 1)] = j.dof_number[tostring(i - 1)] or i
      j.dof_number[name] = i
      if #j.dofs > 1 then j.urdf[i] = unique(self.joint_names, j.name .. "." .. name) end
      if i < #j.dofs then j.between[i] = unique(self.link_names, j.urdf[i]) end
      if #j.dofs == 1 and dof.name and name ~= j.name then self:note("the name of a joint's only dof is left out") end
    end
    by_name[j.name] = by_name[j.name] or j
  end
  function self.target(joint, dof)
    local j = by_name[joint]
    return j and j.urdf[dof == nil and 1 or j.dof_number[dof] or 0]
  end
end

-- URDF needs one root: several of them, or one that moves, are attached to a link of their own.
local function add_world(self)
  local roots = {}
  for n = 0, #self.links do
    local entry = self.links[n]
    if not entry.joint or not entry.joint.parent then roots[#roots + 1] = entry end
  end
  local only = roots[1]
  if #roots == 1 and (not only.joint or #only.joint.dofs == 0) then
    for _, name in ipairs { "position", "attitude" } do
      if only.link[name] ~= nil then self:note("%s", left_out.says(name, "root link", "URDF")) end
    end
    only.joint = nil
    return
  end
  self.world = unique(self.link_names, "world")
  self:line(1, '<link name="%s"/>', escape(self.world))
  for _, entry in ipairs(roots) do
    if not entry.joint then
      self:joint(unique(self.joint_names, entry.urdf .. "_fixed"), "fixed", self.world, entry.urdf, pose_of(entry.link))
    end
  end
end

function writer:frame(frame)
  local entry = self.link_at(frame.link or 0)
  local name = unique(self.link_names, frame.name)
  if name ~= frame.name then self:note("frame '%s' is called '%s': a link has its name", frame.name, name) end
  local pose = pose_of(frame)
  pose.p = spatial.sub(pose.p, entry.shift)
  self:line(1, '<link name="%s"/>', escape(name))
  self:joint(unique(self.joint_names, name .. "_fixed"), "fixed", entry.urdf, name, pose)
  self:leave_out(frame, "frame")
end

---A checked descriptor's table as URDF text, and notes { message } of omitted fields.
function writer.write(d)
  local self = setmetatable({ lines = {}, notes = {}, said = {}, told = {} }, writer)
  collect(self, d)
  name_all(self)
  move_frames(self)
  self:line(0, '<?xml version="1.0"?>')
  self:line(0, '<robot name="%s">', escape(d.name))
  add_world(self)
  for n = 0, #self.links do
    local entry = self.links[n]
    if entry.joint then self:chain_links(entry.joint) end
    self:link(entry)
  end
  for _, j in ipairs(self.joints) do
    if j.child.joint == j then self:chain(j) end
  end
  local last = 0
  for n in pairs(d.frames or {}) do last = math.max(last, n) end
  for n = 1, last do if d.frames[n] then self:frame(d.frames[n]) end end
  self:line(0, "</robot>")
  self:tell()
  self:leave_out(d, "robot")
  return table.concat(self.lines, "\n") .. "\n", self.notes
end

return writer
