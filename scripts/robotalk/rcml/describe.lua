-- A descriptor from the parts of a file (rcml/body.lua): numbers as in the file, otherwise in the order of the
-- file; masses of one link; and the fields of the whole.
local scene = require "robotalk.rcml.scene"
local spatial = require "robotalk.robot.spatial"

local round, round_all = scene.round, scene.round_all

-- ---- numbers ----

-- Numbers the elements of a list: the given number, otherwise the smallest free one, from `first` on. Returns them in
-- order of their numbers.
local function number_all(list, first, said, what)
  local taken, next_free = {}, first
  for _, one in ipairs(list) do
    local number = one.number
    if number and number >= first then
      if taken[number] then
        said:fail(one.node, "%s %d: expected each number once; there is another at line %d", what, number,
          taken[number].node.line or 0)
      end
      if number > 65535 then said:fail(one.node, "%s: expected a number of at most 65535, got %d", what, number) end
      taken[number] = one
    else
      one.number = nil
    end
  end
  for _, one in ipairs(list) do
    if not one.number then
      while taken[next_free] do next_free = next_free + 1 end
      one.number, taken[next_free] = next_free, one
    end
  end
  table.sort(list, function(a, b) return a.number < b.number end)
end

-- Sensors and cameras have an order and no numbers.
local function order_all(list)
  local place = {}
  for i, one in ipairs(list) do place[one] = i end
  table.sort(list, function(a, b)
    if a.order ~= b.order then return a.order < b.order end
    return place[a] < place[b]
  end)
end

-- ---- links ----

-- The masses of a link's Segments as one.
local function weigh(link, said)
  local parts, mass, com = link.parts or {}, 0, { 0, 0, 0 }
  for _, part in ipairs(parts) do
    mass = mass + part.mass
    com = spatial.add(com, spatial.scale(part.com, part.mass))
  end
  -- the centre is given also for a mass of 0
  com = mass > 0 and #parts > 1 and spatial.scale(com, 1 / mass) or parts[1] and parts[1].com or com
  link.mass, link.com = mass, com
  local inertia, known
  for _, part in ipairs(parts) do
    local away = #parts > 1 and spatial.point_inertia(part.mass, spatial.sub(part.com, com)) or nil
    local there = part.inertia and away and spatial.sum(part.inertia, away) or part.inertia or away
    inertia, known = inertia and spatial.sum(inertia, there) or there, known or part.inertia
  end
  inertia = known and inertia
  if inertia and spatial.trace(inertia) > 0 and not spatial.is_definite(inertia) then
    said:note(link.node, "the inertia of link '%s' is none that a body can have, and is left out", link.name or "")
    inertia = nil
  end
  link.inertia = inertia
end

local function is_zero(v) return v[1] == 0 and v[2] == 0 and v[3] == 0 end
local function unless_zero(v)
  local out = round_all(v)
  return not is_zero(out) and out or nil
end

-- { xx, yy, zz, xy, xz, yz }, the last three only where there are any; nil: none.
local function tensor(m)
  if not m then return nil end
  local out = round_all { m[1][1], m[2][2], m[3][3], m[1][2], m[1][3], m[2][3] }
  -- small moments have more digits behind the point
  for i, x in ipairs { m[1][1], m[2][2], m[3][3] } do out[i] = tonumber(("%.8g"):format(x)) + 0.0 end
  if out[4] == 0 and out[5] == 0 and out[6] == 0 then out = { out[1], out[2], out[3] } end
  return not (out[1] == 0 and out[2] == 0 and out[3] == 0) and out or nil
end

local function link_of(link)
  return { name = link.name, mass = link.mass > 0 and round(link.mass) or nil, com = unless_zero(link.com),
    inertia = tensor(link.inertia), shapes = #link.shapes > 0 and link.shapes or nil,
    position = link.position and unless_zero(link.position) or nil,
    attitude = link.attitude and scene.angles(link.attitude) or nil }
end

-- ---- joints ----

local function dof_of(dof)
  local out = {}
  for key, value in pairs(dof) do out[key] = value end
  out.axis = round_all(dof.axis)
  for _, key in ipairs { "acceleration", "force" } do if out[key] == 0 then out[key] = nil end end
  -- the default home position
  local unsaid = out.limit and math.min(math.max(0, out.limit[1]), out.limit[2]) or 0
  if out.home == unsaid then out.home = nil end
  out.mimic, out.retreat = nil, nil
  return out
end

local function joint_of(joint)
  local parent, child = joint.parent_link, joint.child_link
  local out = { name = joint.name, parent = parent and parent.number or "world", child = child.number,
    leg = joint.leg and joint.leg > 0 and joint.leg or nil, rest = scene.angles(joint.rest),
    translator = joint.translator }
  if is_zero(round_all(joint.center)) then
    out.position = round_all(joint.at)
  else
    out.inboard = round_all(parent and spatial.sub(joint.at, parent.com) or joint.at)
    out.outboard = round_all(spatial.sub(joint.center, child.com))
  end
  if #joint.dofs > 0 then
    out.dofs = {}
    if type(joint.servo) == "table" and #joint.servo > 0 then out.servo = joint.servo end
    for i, dof in ipairs(joint.dofs) do out.dofs[i] = dof_of(dof) end
  end
  return out
end

-- Dofs that follow others, by name; where dofs go on a panic.
local function tie(robot, out, said)
  local flat, posture = {}, {}
  for _, joint in ipairs(robot.list) do
    for _, dof in ipairs(joint.dofs) do flat[#flat + 1] = { joint = joint, dof = dof } end
  end
  for _, joint in ipairs(robot.list) do
    for i, dof in ipairs(joint.dofs) do
      local there = out.joints[joint.number].dofs[i]
      if dof.mimic then
        local leader = flat[dof.mimic.number + 1]
        if leader then
          there.mimic = { joint = leader.joint.name, dof = leader.dof.name, ratio = dof.mimic.ratio,
            shift = dof.mimic.shift ~= 0 and dof.mimic.shift or nil }
        else
          said:fail(joint.node, "dofFollows: there is no dof %d", dof.mimic.number)
        end
      end
      if dof.retreat and dof.name then
        posture[joint.name] = posture[joint.name] or {}
        posture[joint.name][dof.name] = dof.retreat
      end
    end
  end
  return next(posture) and posture or nil
end

-- ---- the whole ----

local function positive(node, field)
  local x = scene.get(node, field)
  return type(x) == "number" and x > 0 and x or nil
end

local function plane(node, field, holonomic)
  local v = scene.vector(node, field, 3)
  if not v then return nil end
  local out = { x = v[1] ~= 0 and v[1] or nil, y = (holonomic or v[2] ~= 0) and v[2] ~= 0 and v[2] or nil,
    theta = v[3] ~= 0 and scene.radians(v[3]) or nil }
  return next(out) and out or nil
end

local function widget_of(node, joints)
  local out = { name = scene.text(node, "name") or "widget", type = scene.text(node, "type") or "label",
    command = scene.text(node, "command"), step = positive(node, "step") }
  local range = scene.get(node, "range")
  out.range = type(range) == "table" and #range == 2 and range or nil
  local joint = joints[scene.get(node, "joint")]
  if joint then
    local dof = joint.dofs and joint.dofs[scene.get(node, "dof") + 1]
    out.joint, out.dof = joint.name, dof and dof.name or nil
  end
  return out
end

-- The fields of RoboTalk_Robot.
local function add_whole(node, out, root)
  local holonomic = scene.get(node, "holonomic") or nil
  out.model, out.deadman = scene.text(node, "model"), scene.get(node, "deadman")
  out.deadman_limit, out.gap_limit = positive(node, "deadmanLimit"), positive(node, "gapLimit")
  local panic = scene.text(node, "panic")
  if panic and panic ~= "retreat" then out.panic = panic end
  out.commands = scene.get(node, "commands")
  local drives = false
  for _, name in ipairs(out.commands or {}) do drives = drives or name == "set_speed" end
  if drives and not (root and #root.dofs > 0) then
    out.base = { holonomic = holonomic, speed = plane(node, "baseSpeed", holonomic),
      acceleration = plane(node, "baseAcceleration", holonomic), translator = scene.text(node, "baseTranslator") }
  end
  local capacity, voltage = positive(node, "battery"), positive(node, "voltage")
  if capacity or voltage then out.battery = { capacity = capacity, voltage = voltage } end
  local weights = scene.vector(node, "busWeight", 7)
  local order, rate = scene.text(node, "busOrder") or "none", positive(node, "busRate")
  if rate or order ~= "none" or weights then
    out.bus = { rate = rate, order = order, max_age = positive(node, "busAge") }
    if weights then
      out.bus.weights = { x = weights[1], y = weights[2], z = weights[3], roll = weights[4], pitch = weights[5],
        yaw = weights[6], joints = weights[7] }
    end
  end
  local widgets = {}
  for i, widget in ipairs(scene.nodes(node, "widgets")) do widgets[i] = widget_of(widget, out.joints) end
  out.widgets = #widgets > 0 and widgets or nil
end

local function mounted(list, first)
  local out = {}
  for i, one in ipairs(list) do
    local t = {}
    for key, value in pairs(one) do t[key] = value end
    t.node, t.number, t.order, t.link = nil, nil, nil, one.link.number
    t.position, t.attitude = unless_zero(one.position), scene.angles(one.attitude)
    for _, key in ipairs { "speed", "turn", "fov", "rate", "width", "height" } do
      if t[key] == 0 then t[key] = nil end
    end
    if type(t.servo) ~= "table" or #t.servo == 0 then t.servo = nil end
    out[first and one.number or i] = t
  end
  return next(out) and out or nil
end

---The descriptor's table from the parts, and the nodes that its parts came from, by their paths ("joints[3]").
return function(robot, name, said)
  local links, out, nodes = {}, { name = name, links = {}, joints = {} }, {}
  for i, joint in ipairs(robot.list) do
    links[i] = joint.child_link
    joint.child_link.name = joint.child_link.name or joint.name
  end
  number_all(links, 0, said, "link")
  number_all(robot.list, 0, said, "joint")
  number_all(robot.frames, 1, said, "control frame")
  order_all(robot.sensors)
  order_all(robot.cameras)
  for _, link in ipairs(links) do
    weigh(link, said)
    out.links[link.number], nodes[("links[%d]"):format(link.number)] = link_of(link), link.node
  end
  for _, joint in ipairs(robot.list) do
    local made = joint_of(joint)
    nodes[("joints[%d]"):format(joint.number)] = joint.node
    -- a root that nothing moves is a descriptor's own joint 0
    local plain = not joint.parent_link and #joint.dofs == 0
    if not (plain and joint.number == 0 and joint.name == "root") then out.joints[joint.number] = made end
    if plain then made.position, made.rest, made.inboard, made.outboard = nil, nil, nil, nil end
  end
  local posture = #said.errors == 0 and tie(robot, out, said) or nil
  out.frames, out.sensors, out.cameras = mounted(robot.frames, true), mounted(robot.sensors), mounted(robot.cameras)
  if robot.whole then add_whole(robot.whole, out, robot.list[1]) end
  out.panic, out.base = posture or out.panic, robot.base or out.base
  return out, nodes
end
