-- From links and joints of URDF to bodies of a descriptor: links that fixed joints connect are one body, and one
-- joint of up to six dofs connects a body to its parent.
--
-- body { link, parts, parent, pose, offset, dofs, joints, name } link record of the URDF link whose frame is the
-- body's; parts: { { link, pose } } of all of its links, this one first, poses in the body's frame parent body, nil
-- for the root; pose: of the joint in the parent's frame; offset: where the body's frame begins in the joint's, nil
-- for the same place joints the URDF joints it moves by, one unless folded; dofs { name, type, axis, joint } in the
-- joint's frame
local spatial = require "robotalk.robot.spatial"
local unsaid = require "robotalk.urdf.unsaid"

local tree = {}

local MEET = 1e-6 -- m: axes that come this near to a point meet there; files round to it

-- ---- is it a tree? ----

-- Joins the records: link.hangs (joints below it), link.held (the joint above it). Whether every joint found its links.
local function join(robot, report)
  local whole = true
  for _, link in ipairs(robot.links) do link.hangs = {} end
  for _, joint in ipairs(robot.joints) do
    for _, which in ipairs { "parent", "child" } do
      local name = joint[which]
      joint[which] = name and robot.link_named[name]
      if name and not joint[which] then
        report:fail(joint[which .. "_node"], "joint '%s': <%s link='%s'>: there is no such link", joint.name or "",
          which, name)
      end
      whole = whole and joint[which] ~= nil
    end
    local child = joint.child
    if child and child.held then
      whole = false
      report:fail(joint.child_node, "link '%s' hangs on the joints '%s' and '%s': expected one", child.name,
        child.held.name or "", joint.name or "")
    elseif child and joint.parent then
      child.held = joint
      table.insert(joint.parent.hangs, joint)
    end
  end
  return whole
end

local function find_roots(robot)
  local roots = {}
  for _, link in ipairs(robot.links) do if not link.held then roots[#roots + 1] = link end end
  return roots
end

-- Links in a circle: each circle is reported once.
local function find_circles(robot, report)
  local walk = {} -- link -> the number of the walk that visited it
  for i, start in ipairs(robot.links) do
    local link = start
    while link and not walk[link] do
      walk[link] = i
      link = link.held and link.held.parent
    end
    if link and walk[link] == i then
      local names, at = {}, link
      repeat
        if #names < 8 then table.insert(names, 1, at.name) end
        at = at.held.parent
      until at == link
      report:fail(link.held.node, "links hang on each other in a circle: %s", table.concat(names, ", "))
    end
  end
end

local function quoted(links)
  local names = {}
  for i, link in ipairs(links) do
    if i > 6 then
      names[#names + 1] = "…"
      break
    end
    names[#names + 1] = ("'%s'"):format(link.name)
  end
  return table.concat(names, ", ")
end

-- The root, or nil when links and joints make no tree.
local function find_root(robot, report)
  if not join(robot, report) or #report.errors > 0 then
    find_circles(robot, report)
    return nil
  end
  local roots = find_roots(robot)
  find_circles(robot, report)
  if #roots > 1 then
    -- quoted by itself: a list of names is longer than other texts of messages
    report:fail(roots[2].node, "%d links hang on no joint, expected one root: " .. quoted(roots):gsub("%%", "%%%%"),
      #roots)
  end
  return #report.errors == 0 and roots[1] or nil
end

-- ---- dofs ----

-- Two directions in the plane normal to an axis; for z they are x and y. In this order they turn about it.
local function plane_of(axis)
  local k = 1
  for i = 2, 3 do if math.abs(axis[i]) >= math.abs(axis[k]) then k = i end end
  local e = { 0, 0, 0 }
  e[k % 3 + 1] = 1
  local u = spatial.unit(spatial.sub(e, spatial.scale(axis, spatial.dot(e, axis))))
  return u, spatial.cross(axis, u)
end

local function dofs_of(joint)
  local kind, axis = joint.type, joint.axis
  if kind == "planar" then
    local u, v = plane_of(axis)
    return {
      { name = "x", type = "prismatic", axis = u, joint = joint },
      { name = "y", type = "prismatic", axis = v, joint = joint },
      { name = "theta", type = "revolute", axis = axis, joint = joint },
    }
  elseif kind == "floating" then
    -- in this order the angles are roll, pitch, yaw about fixed axes, as everywhere
    return {
      { name = "x", type = "prismatic", axis = { 1, 0, 0 }, joint = joint },
      { name = "y", type = "prismatic", axis = { 0, 1, 0 }, joint = joint },
      { name = "z", type = "prismatic", axis = { 0, 0, 1 }, joint = joint },
      { name = "yaw", type = "revolute", axis = { 0, 0, 1 }, joint = joint },
      { name = "pitch", type = "revolute", axis = { 0, 1, 0 }, joint = joint },
      { name = "roll", type = "revolute", axis = { 1, 0, 0 }, joint = joint },
    }
  end
  return { { type = kind == "prismatic" and "prismatic" or "revolute", axis = axis, joint = joint } }
end

-- ---- fixed joints ----

-- Bodies in the order of the tree: a body, then all bodies below it, in the file's order.
local function merge(root)
  local bodies, todo = {}, { { link = root } }
  while #todo > 0 do
    local at = table.remove(todo)
    local body, pose = at.body, at.pose
    if not body then
      local joint = at.joint
      body = { link = at.link, parts = {}, children = {}, parent = at.parent, pose = at.hung,
        name = joint and joint.name, joints = { joint }, dofs = joint and dofs_of(joint) or {} }
      pose = spatial.nowhere()
      bodies[#bodies + 1] = body
      if at.parent then table.insert(at.parent.children, body) end
    end
    table.insert(body.parts, { link = at.link, pose = pose })
    for i = #at.link.hangs, 1, -1 do
      local joint = at.link.hangs[i]
      local hung = at.link == body.link and joint.pose or spatial.compose(pose, joint.pose)
      if joint.type == "fixed" then
        todo[#todo + 1] = { link = joint.child, body = body, pose = hung }
      else
        todo[#todo + 1] = { link = joint.child, parent = body, hung = hung, joint = joint }
      end
    end
  end
  return bodies
end

-- ---- chains of joints that are one joint ----

-- The point where all lines { p, d } meet, `near` if they do there; nil: nowhere.
local function meeting(lines, near)
  local function all_through(p)
    for _, line in ipairs(lines) do
      if spatial.length(spatial.cross(line.d, spatial.sub(p, line.p))) > MEET then return false end
    end
    return true
  end
  for i = 2, #lines do
    -- two axes in a row along each other are one dof, not two
    if spatial.length(spatial.cross(lines[i - 1].d, lines[i].d)) < 1e-6 then return nil end
  end
  if all_through(near) then return near end
  if #lines == 1 then return lines[1].p end
  -- the point of the first axis that is nearest to the second
  local a, b = lines[1], lines[2]
  local w, c = spatial.sub(b.p, a.p), spatial.dot(a.d, b.d)
  local t = (spatial.dot(w, a.d) - c * spatial.dot(w, b.d)) / (1 - c * c)
  local p = spatial.add(a.p, spatial.scale(a.d, t))
  return all_through(p) and p or nil
end

local function is_empty(body)
  local link = body.link
  return #body.parts == 1 and #body.children == 1 and (not link.mass or unsaid.is_filled(link)) and #link.shapes == 0
end

local function prefix_of(name) return name:match "^(.+)%.[^.]+$" end

-- The joint of a whole chain of bodies, or nil when their axes do not meet.
local function fold_chain(chain)
  local g, lines, turns = nil, {}, {}
  for _, body in ipairs(chain) do
    g = g and spatial.compose(g, body.pose) or body.pose
    local d = spatial.turn(g.r, body.dofs[1].axis)
    turns[#turns + 1] = d
    if body.dofs[1].type == "revolute" then lines[#lines + 1] = { p = g.p, d = d } end
  end
  local p = meeting(lines, g.p)
  if not p then return nil end
  local back = spatial.transpose(g.r)
  local axes = {}
  for i, d in ipairs(turns) do axes[i] = spatial.unit(spatial.turn(back, d)) end
  local offset = spatial.turn(back, spatial.sub(g.p, p))
  return { pose = { p = p, r = g.r }, axes = axes, offset = spatial.length(offset) > MEET and offset or nil }
end

-- The common part of the names of a chain's joints up to a dot, a bar or the like, and the rest of each name.
local function name_chain(chain)
  local names, common = {}, chain[1].name
  for i, body in ipairs(chain) do
    names[i] = body.name
    while #common > 0 and body.name:sub(1, #common) ~= common do common = common:sub(1, -2) end
  end
  common = common:match "^(.+[_.%-/ ])[^_.%-/ ]*$"
  local rest = {}
  for i, name in ipairs(names) do
    rest[i] = common and name:sub(#common + 1) or name
    if rest[i] == "" then return names[1], names end
  end
  return common and common:sub(1, -2) or names[1], rest
end

local function fold_at(body, report)
  local chain, folded = { body }, nil
  while #chain < 6 do
    local last = chain[#chain]
    local below = is_empty(last) and last.children[1]
    if not below or #below.dofs ~= 1 or prefix_of(below.name) ~= prefix_of(body.name) then break end
    chain[#chain + 1] = below
    local f = fold_chain(chain)
    if not f then
      chain[#chain] = nil
      break
    end
    folded = f
  end
  if not folded then return nil end
  local last = chain[#chain]
  local name, dof_names = name_chain(chain)
  report:note(body.joints[1].node, "joints '%s' to '%s' are one joint '%s' of %d dofs", body.name, last.name, name,
    #chain)
  local dofs, joints = {}, {}
  for i, b in ipairs(chain) do
    local dof = b.dofs[1]
    dofs[i] = { name = dof_names[i], type = dof.type, axis = folded.axes[i], joint = dof.joint }
    joints[i] = b.joints[1]
    b.gone = i < #chain
  end
  last.dofs, last.joints, last.name = dofs, joints, name
  last.parent, last.pose, last.offset = body.parent, folded.pose, folded.offset
  return last
end

local function fold(bodies, report)
  local left = {}
  for _, body in ipairs(bodies) do
    if not body.gone then
      -- a body comes before those below it, so that a chain is found at its top
      if body.parent and #body.dofs == 1 and #body.joints == 1 then fold_at(body, report) end
      if not body.gone then left[#left + 1] = body end
    end
  end
  return left
end

---The bodies of the records, the root first and each after its parent; nil when they make no tree.
function tree.build(robot, report, options)
  local root = find_root(robot, report)
  if not root then return nil end
  local bodies = merge(root)
  return options.fold and fold(bodies, report) or bodies
end

return tree
