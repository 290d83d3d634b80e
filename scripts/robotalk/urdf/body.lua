-- From bodies (urdf/tree.lua) to a descriptor: masses lumped, shapes and frames placed, dofs named, and all values
-- within the limits of a configuration block (spec/descriptor.lua).
local kinds = require("robotalk.descriptor.check").kinds
local spatial = require "robotalk.robot.spatial"
local mesh = require "robotalk.urdf.mesh"
local source = require "robotalk.urdf.source"

local body = {}

-- The greatest length of a field's text.
local function longest(kind, name)
  for _, field in ipairs(kinds[kind]) do
    if field[1] == name then return field.max end
  end
end

local LINKS, DOFS, SHAPES = kinds.link.max, kinds.dof.max, kinds.shape.max
local FRAMES = kinds.frame.max - 1 -- frame 0 is the root's own
local NAME, FILE = longest("link", "name"), longest("shape", "file")

local STEP = 1e-9 -- of the block's numbers
local ROOT = "root" -- frame 0 and joint 0, which need not be written

-- Rounding error of an exact 0 after sines and cosines.
local function clean(v, small)
  local out = {}
  for i, x in ipairs(v) do
    if type(x) == "table" then
      out[i] = clean(x, small)
    else
      out[i] = math.abs(x) < (small or 1e-15) and 0 or x
    end
  end
  return out
end

local function is_zero(v) return v[1] == 0 and v[2] == 0 and v[3] == 0 end
local function unless_zero(v) return not is_zero(v) and v or nil end

-- Sums of positions may exceed the range of a record.
local function is_within(v)
  return math.max(math.abs(v[1]), math.abs(v[2]), math.abs(v[3])) <= source.BOUND
end

-- ---- names ----

local names = {}
names.__index = names

-- Names of one kind; those that fit are kept, whatever the order.
local function new_names(report, what, wanted)
  local self = setmetatable({ report = report, what = what, used = {}, next = {} }, names)
  for _, name in ipairs(wanted) do
    if #name <= NAME then self.used[name] = (self.used[name] or 0) + 1 end
  end
  return self
end

-- other: the other owner of that name.
function names:take(name, node, other)
  if #name <= NAME and self.used[name] == 1 and not other then return name end
  if #name <= NAME then self.used[name] = self.used[name] - 1 end -- the last one keeps it
  local short
  local stem = name:sub(1, NAME - 4)
  if #stem < #name then stem = stem:gsub("[\xC0-\xFF][\x80-\xBF]*$", "") end -- no half characters
  repeat
    self.next[stem] = (self.next[stem] or 0) + 1
    short = stem .. "~" .. self.next[stem]
  until not self.used[short]
  self.used[short] = 1
  self.report:note(node, "%s '%s': %s: it is called '%s'", self.what, name,
    #name > NAME and ("a name has at most %d bytes"):format(NAME) or other or "there is another of this name",
    short)
  return short
end

-- ---- masses ----

-- Whether an inertia is still physical after the rounding of a configuration block.
local function is_kept(m)
  local rounded = {}
  for i = 1, 3 do
    rounded[i] = {}
    for k = 1, 3 do
      if math.abs(m[i][k]) > source.BOUND then return false end
      rounded[i][k] = math.floor(m[i][k] / STEP + 0.5) * STEP
    end
  end
  return spatial.is_definite(m) and spatial.is_definite(rounded)
end

-- The sum of a body's links: mass, centre of mass, and inertia about it along the body's axes.
local function lump(b, number, report)
  local mass, moment, unknown, known, com = 0, { 0, 0, 0 }, nil, false, nil
  for _, part in ipairs(b.parts) do
    local link = part.link
    if link.mass then
      local place = spatial.place(part.pose, link.com)
      com = mass == 0 and place -- of one link it is not rounded again
      mass = mass + link.mass
      moment = spatial.add(moment, spatial.scale(place, link.mass))
      if link.inertia then known = true else unknown = link end
    end
  end
  if mass == 0 then return nil end
  if mass > source.BOUND then
    report:note(b.link.node, "link '%s': a mass of %.14g kg with all that is fixed to it is left out", b.link.name,
      mass)
    return nil
  end
  com = com or spatial.scale(moment, 1 / mass)
  local inertia = spatial.tensor { 0, 0, 0 }
  for _, part in ipairs(b.parts) do
    local link = part.link
    if link.mass then
      if link.inertia then inertia = spatial.sum(inertia, spatial.turn_inertia(part.pose.r, link.inertia)) end
      local away = spatial.sub(spatial.place(part.pose, link.com), com)
      inertia = spatial.sum(inertia, spatial.point_inertia(link.mass, away))
    end
  end
  if not known then return mass, com end
  if not is_kept(inertia) then
    report:note(b.link.node, "link '%s': its inertia is too small or too large to be kept and is left out", b.link.name)
    return mass, com
  end
  if unknown then
    report:guess(unknown.node, ("links[%d].inertia"):format(number),
      "link '%s', which has a mass and no inertia, counts as a point in that of '%s'", unknown.name, b.link.name)
  end
  return mass, com, inertia
end

-- ---- shapes ----

local function mesh_file(shape, report, options)
  local name = mesh.find(shape.file, options)
  if not name then
    name = shape.file
    report:note_kind("mesh " .. (name:match "^%a+://[^/]*" or ""), shape.node,
      "mesh '%s' was not found; its name is kept", name)
  end
  if #name <= FILE then return name end
  report:note(shape.node, "mesh '%s': a file's name has at most %d bytes; the shape is left out", name, FILE)
  return nil
end

-- The pose in a body of an object with that pose in a part of it; objects of the first part are not rounded again.
local function placed(b, part, pose) return part == b.parts[1] and pose or spatial.compose(part.pose, pose) end

local function angles_of(pose) return unless_zero(clean(pose.angles or spatial.to_angles(pose.r))) end

-- at: its pose in the body.
local function shape_of(shape, at, report, options)
  if not is_within(at.p) then
    report:note(shape.node, "a shape that is farther away than %.0f m is left out", source.BOUND)
    return nil
  end
  local out = {
    type = shape.type,
    size = shape.size,
    position = unless_zero(clean(at.p)),
    attitude = angles_of(at),
    colour = shape.colour,
    solid = shape.solid or nil,
  }
  if shape.type == "mesh" then
    out.file = mesh_file(shape, report, options)
    if not out.file then return nil end
  end
  return out
end

local function shapes_of(b, state)
  local shapes = {}
  for _, part in ipairs(b.parts) do
    for _, shape in ipairs(part.link.shapes) do
      if state.shapes == SHAPES then
        state.report:note_kind("shapes", shape.node, "more than %d shapes: the rest is left out", SHAPES)
      else
        local out = shape_of(shape, placed(b, part, shape.pose), state.report, state.options)
        if out then
          state.shapes = state.shapes + 1
          shapes[#shapes + 1] = out
        end
      end
    end
  end
  return #shapes > 0 and shapes or nil
end

-- ---- links and frames ----

local function check_place(v, node, what, name, report)
  if not is_within(v) then report:fail(node, "%s '%s' is farther away than %.0f m", what, name, source.BOUND) end
end

local function link_of(b, number, state)
  local mass, com, inertia = lump(b, number, state.report)
  b.com = com or { 0, 0, 0 }
  check_place(b.com, b.link.node, "the centre of mass of link", b.link.name, state.report)
  return {
    name = state.link_names:take(b.link.name, b.link.node),
    mass = mass,
    com = com and unless_zero(clean(com)),
    inertia = inertia and spatial.components(clean(inertia, 1e-15 * spatial.trace(inertia))),
    shapes = shapes_of(b, state),
  }
end

-- A link that a fixed joint has merged: its frame is a control frame that has its name.
local function add_frames(b, number, state)
  for i = 2, #b.parts do
    local part = b.parts[i]
    if #state.frames == FRAMES then
      state.report:note_kind("frames", part.link.node,
        "more than %d control frames: those of further links are left out", FRAMES)
    else
      check_place(part.pose.p, part.link.node, "link", part.link.name, state.report)
      table.insert(state.frames, {
        name = state.link_names:take(part.link.name, part.link.node,
          part.link.name == ROOT and "the root link's own frame is called this"),
        link = number,
        position = unless_zero(clean(part.pose.p)),
        attitude = angles_of(part.pose),
      })
    end
  end
end

-- ---- joints ----

local function dof_of(dof, path, report)
  local joint = dof.joint
  local out = { name = dof.name, type = dof.type, axis = clean(dof.axis) }
  if joint.low then out.limit = { joint.low, joint.high } end
  if joint.low and joint.reversed then
    report:guess(joint.reversed, path .. ".limit",
      "joint '%s': lower is above upper: they are taken the other way round", joint.name)
  end
  out.speed, out.acceleration, out.force = joint.speed, joint.acceleration, joint.force
  if joint.low and not joint.mimic and (joint.low > 0 or joint.high < 0) then
    out.home = joint.low > 0 and joint.low or joint.high
    report:guess(joint.node, path .. ".home", "joint '%s': 0 is beyond its limits; home is the nearest position to it",
      joint.name)
  end
  return out
end

-- Names of dofs within a joint, as short as they must be.
local function name_dofs(dofs, report)
  local wanted = {}
  for _, dof in ipairs(dofs) do wanted[#wanted + 1] = dof.name end
  local taken = new_names(report, "dof", wanted)
  for _, dof in ipairs(dofs) do if dof.name then dof.name = taken:take(dof.name, dof.joint.node) end end
end

local function rest_of(pose)
  if pose.angles then return angles_of(pose) end
  local rows, angles = clean(pose.r), clean(spatial.to_angles(pose.r))
  return not is_zero(angles) and rows or nil
end

local function joint_of(b, number, state)
  local out = { parent = b.parent.number, dofs = {} }
  out.name = state.joint_names:take(b.name, b.joints[1].node, b.name == ROOT and "the root's own joint is called this")
  b.joint_name = out.name
  if b.offset then
    -- the joint is not where the child's frame begins
    out.inboard = clean(spatial.sub(b.pose.p, b.parent.com))
    out.outboard = clean(spatial.sub(spatial.scale(b.offset, -1), b.com))
    check_place(out.inboard, b.joints[1].node, "joint", b.name, state.report)
    check_place(out.outboard, b.joints[1].node, "joint", b.name, state.report)
  else
    out.position = clean(b.pose.p)
    check_place(out.position, b.joints[1].node, "joint", b.name, state.report)
  end
  out.rest = rest_of(b.pose)
  name_dofs(b.dofs, state.report)
  for i, dof in ipairs(b.dofs) do
    dof.joint.body = b
    dof.joint.dof_name = #b.dofs > 1 and dof.name or nil
    dof.name = #b.dofs == 1 and out.name or dof.name
    out.dofs[i] = dof_of(dof, ("joints[%d].dofs[%d]"):format(number, i), state.report)
  end
  return out
end

-- ---- mimics ----

-- The joint at the end of a chain of mimics, and the mapping from its position to this one's: { joint, ratio, shift },
-- or false where the chain is broken, which is reported once.
local function follow(joint, robot, report, known)
  local chain = {}
  local at, on_the_way = joint, {}
  while known[at] == nil and at.mimic and not on_the_way[at] do
    on_the_way[at] = true
    chain[#chain + 1] = at
    local target = robot.joint_named[at.mimic.joint]
    if not target then
      report:note(at.mimic.node, "joint '%s': <mimic joint='%s'>: there is no such joint: it moves by itself", at.name,
        at.mimic.joint)
      at.mimic = nil
      chain[#chain] = nil
      break
    elseif target.type == "fixed" or target.type == "floating" or target.type == "planar" then
      report:note(at.mimic.node, "joint '%s': <mimic joint='%s'> is left out: that joint is %s", at.name,
        at.mimic.joint, target.type)
      at.mimic = nil
      chain[#chain] = nil
      break
    end
    at = target
  end
  if on_the_way[at] and at.mimic and known[at] == nil then
    report:fail(at.mimic.node, "joint '%s': <mimic joint='%s'>: joints mimic each other in a circle", at.name,
      at.mimic.joint)
    for _, j in ipairs(chain) do known[j] = false end
  end
  local base = known[at]
  if base == nil then base = { joint = at, ratio = 1.0, shift = 0.0 } end
  for i = #chain, 1, -1 do
    local j = chain[i]
    if known[j] == nil and base then
      local m = j.mimic
      base = { joint = base.joint, ratio = m.ratio * base.ratio, shift = m.ratio * base.shift + m.shift }
      if math.max(math.abs(base.ratio), math.abs(base.shift)) > source.BOUND then
        report:fail(m.node, "joint '%s': <mimic>: expected a multiplier and an offset within %.0f", j.name,
          source.BOUND)
        base = false
      end
    end
    if known[j] == nil then known[j] = base end
  end
  return known[joint]
end

local function resolve_mimics(robot, report)
  local known = {}
  for _, joint in ipairs(robot.joints) do
    if joint.mimic and joint.mimic.joint then joint.follows = follow(joint, robot, report, known) or nil end
  end
end

local function add_mimics(bodies, joints, report)
  for number, b in ipairs(bodies) do
    for i, dof in ipairs(b.dofs) do
      local f = dof.joint.follows
      if f and math.abs(f.ratio) < STEP then
        report:note(dof.joint.mimic.node, "joint '%s': <mimic> with a multiplier of 0 is left out", dof.joint.name)
      elseif f and dof.joint.mimic then
        joints[number - 1].dofs[i].mimic = { joint = f.joint.body.joint_name, dof = f.joint.dof_name,
          ratio = f.ratio ~= 1 and f.ratio or nil, shift = f.shift ~= 0 and f.shift or nil }
      end
    end
  end
end

-- ---- the whole ----

local function robot_name(robot, file, report)
  local name = robot.name
  if not name or name == "" then
    name = file and file:match "([^/]-)%.?[^./]*$" or ""
    if name == "" then name = "robot" end
    report:guess(robot.node, "name", "<robot>: expected name='…'; it is called '%s'", name)
  end
  return new_names(report, "robot", { name }):take(name, robot.node)
end

local function count_limits(robot, bodies, report)
  local dofs = 0
  for _, b in ipairs(bodies) do dofs = dofs + #b.dofs end
  if #bodies > LINKS then
    report:fail(robot.node, "%d links, those that are fixed to each other counted as one: expected at most %d", #bodies,
      LINKS)
  end
  if dofs > DOFS then report:fail(robot.node, "%d dofs: expected at most %d", dofs, DOFS) end
  return #bodies <= LINKS and dofs <= DOFS
end

-- Names of links, of which some become frames, and of joints.
local function all_names(bodies)
  local links, joints = {}, {}
  for _, b in ipairs(bodies) do
    joints[#joints + 1] = b.name
    for _, part in ipairs(b.parts) do links[#links + 1] = part.link.name end
  end
  return links, joints
end

---The descriptor of bodies, nil when there is an error. file: the URDF file's name; options: as of urdf.read.
function body.describe(robot, bodies, file, report, options)
  resolve_mimics(robot, report)
  if not count_limits(robot, bodies, report) then return nil end
  local links, joints = all_names(bodies)
  local state = { report = report, options = options, shapes = 0, frames = {},
    link_names = new_names(report, "link", links), joint_names = new_names(report, "joint", joints) }
  local out = { name = robot_name(robot, file, report), links = {}, joints = {} }
  for i, b in ipairs(bodies) do
    b.number = i - 1
    out.links[b.number] = link_of(b, b.number, state)
    add_frames(b, b.number, state)
    if b.parent then out.joints[b.number] = joint_of(b, b.number, state) end
  end
  if #state.frames > 0 then out.frames = state.frames end
  if #report.errors > 0 then return nil end
  add_mimics(bodies, out.joints, report)
  if #out.joints == 0 then
    out.joints = nil
    report:note(robot.node, "no joint moves: it wants a base to do anything")
  end
  report:note(robot.node, "URDF does not say whether the root moves: there is no base")
  return out
end

return body
