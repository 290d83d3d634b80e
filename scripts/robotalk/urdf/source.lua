-- The elements of a URDF file (wiki.ros.org/urdf/XML) as plain records, unchanged: links and joints by name,
-- in the file's order. urdf/tree.lua checks whether they make one robot.
--
--   link   { name, node, mass, com, inertia, shapes }   mass, com, inertia: nil if the file has no usable one
--   shape  { type, size, pose, colour, file, solid, node }
--   joint  { name, node, type, parent, child, pose, axis, low, high, speed, acceleration, force, mimic }
--   mimic  { joint, ratio, shift, node }
local shapes = require "robotalk.shape"
local spatial = require "robotalk.robot.spatial"
local unsaid = require "robotalk.urdf.unsaid"

local source = {}

source.BOUND = 2e6 -- m, kg, …: the bound of a record of the configuration block (spec/descriptor.lua)
local TURN = 2 * math.pi
local MANY_TURNS = 2 * TURN -- a limit beyond them may be in degrees

local reader = {}
reader.__index = reader

-- ---- attributes ----

-- A number in the format of C's strtod, without hexadecimals: nil, and the expected format.
local function to_number(text)
  if not text:find "^[+-]?%d+%.?%d*[eE]?[+-]?%d*$" and not text:find "^[+-]?%.%d+[eE]?[+-]?%d*$" then
    local word = text:lower():match "^[+-]?(%a+)$"
    if word == "inf" or word == "infinity" or word == "nan" then return nil, "a finite number" end
    return nil, "a number"
  end
  local x = tonumber(text)
  if not x then return nil, "a number" end
  x = x + 0.0
  if x - x ~= 0 then return nil, "a finite number" end
  return x
end

function reader:wrong(who, node, attribute, form, ...)
  self.report:fail(node, "%s: <%s %s='%s'>: " .. form, who, node.name, attribute, node.attributes[attribute], ...)
end

-- nil if there is none, or if it is wrong, which is reported.
function reader:number(who, node, attribute)
  local text = node.attributes[attribute]
  if not text then return nil end
  local x, expected = to_number(text:match "^%s*(.-)%s*$")
  if not x then self:wrong(who, node, attribute, "expected %s", expected) end
  return x
end

local COUNTS = { [3] = "three", [4] = "four" }

function reader:vector(who, node, attribute, count)
  local text = node.attributes[attribute]
  if not text then return nil end
  local v = {}
  for word in text:gmatch "%S+" do
    local x, expected = to_number(word)
    if not x then return self:wrong(who, node, attribute, "expected %s numbers, '%s' is not %s",
      COUNTS[count], word, expected) end
    v[#v + 1] = x
  end
  if #v ~= count then return self:wrong(who, node, attribute, "expected %s numbers, found %d", COUNTS[count], #v) end
  return v
end

function reader:place(who, node, attribute)
  local v = self:vector(who, node, attribute, 3)
  for i = 1, v and 3 or 0 do
    if math.abs(v[i]) > source.BOUND then
      return self:wrong(who, node, attribute, "expected no more than %.0f m", source.BOUND)
    end
  end
  return v
end

-- nil if there is none; an attribute that is required and missing, or empty, is an error.
function reader:text(who, node, attribute)
  local text = node.attributes[attribute]
  if not text or text == "" then
    self.report:fail(node, "%s<%s>: expected %s='…'", who == node.name and "" or who .. ": ", node.name, attribute)
    return nil
  end
  return text
end

-- ---- elements ----

-- The children whose names are in `known` (name -> "one" or "list"), by name; notes of all others.
function reader:children(who, node, known)
  local found = {}
  for name, kind in pairs(known) do if kind == "list" then found[name] = {} end end
  for _, child in ipairs(node.children) do
    local kind = known[child.name]
    if kind == "list" then
      table.insert(found[child.name], child)
    elseif kind and not found[child.name] then
      found[child.name] = child
    elseif kind then
      self.report:note(child, "%s: a second <%s> is skipped", who, child.name)
    else
      self.report:note_kind(child.name .. " " .. node.name, child, "<%s> in <%s> is skipped", child.name, node.name)
    end
  end
  return found
end

function reader:pose(who, node)
  if not node then return spatial.nowhere() end
  local pose = { p = self:place(who, node, "xyz") or { 0, 0, 0 } }
  local angles = self:vector(who, node, "rpy", 3) or { 0, 0, 0 }
  pose.r = spatial.from_angles(angles)
  if math.max(math.abs(angles[1]), math.abs(angles[2]), math.abs(angles[3])) <= TURN then pose.angles = angles end
  return pose
end

function reader:inertial(who, node, link)
  local found = self:children(who, node, { origin = "one", mass = "one", inertia = "one" })
  local pose = self:pose(who, found.origin)
  local mass = found.mass and self:number(who, found.mass, "value")
  local m, given = {}, false
  for _, name in ipairs { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" } do
    local x = found.inertia and self:number(who, found.inertia, name) or 0
    m[#m + 1], given = x, given or x ~= 0
  end
  if not mass or mass <= 0 or mass > source.BOUND then
    -- a link of mass 0 without inertia is a usual way to say that it has none
    if (mass and mass ~= 0) or given then
      self.report:note(found.mass or node, "%s: a mass of %s kg with an inertial is left out, and the inertia",
        who, mass and ("%.14g"):format(mass) or "unknown")
    end
    return
  end
  link.mass, link.com = mass, pose.p
  if not found.inertia then return end
  local inertia = spatial.turn_inertia(pose.r, spatial.tensor(m))
  if spatial.is_definite(inertia) then
    link.inertia = inertia
    local defect = spatial.triangle_defect(inertia)
    if defect > spatial.SLIGHT then
      self.report:note(found.inertia, "%s: the inertia is kept, but no body has it: its greatest principal moment is "
        .. "%.3g %% larger than the other two together", who, 100 * defect)
    end
  elseif given then
    self.report:note(found.inertia, "%s: the inertia is left out: no body has it", who)
  else
    self.report:note(found.inertia, "%s: an inertia of 0 is left out", who)
  end
end

-- ---- shapes ----

local COLOUR = { "r", "g", "b", "a" }

function reader:colour(who, node)
  local rgba = self:vector(who, node, "rgba", 4)
  if not rgba then
    if not node.attributes.rgba then self.report:fail(node, "%s: <color>: expected rgba='…'", who) end
    return nil
  end
  local bytes = {}
  for i = 1, 4 do
    if rgba[i] < 0 or rgba[i] > 1 then
      self.report:note(node, "%s: <color rgba='%s'>: %s is brought within 0 and 1", who, node.attributes.rgba,
        COLOUR[i])
    end
    bytes[i] = math.floor(math.min(math.max(rgba[i], 0), 1) * 255 + 0.5)
  end
  return ("#%02x%02x%02x"):format(table.unpack(bytes, 1, 3)) ..
    (bytes[4] ~= 255 and ("%02x"):format(bytes[4]) or "")
end

-- A material: its own colour, or its name, whose colour may be anywhere in the file.
function reader:material(who, node)
  local found = self:children(who, node, { color = "one", texture = "one" })
  if found.texture then
    self.report:note_kind("texture", found.texture, "<texture> in <material> is skipped")
  end
  local name = node.attributes.name
  local colour = found.color and self:colour(who, found.color)
  if colour and name and name ~= "" and not self.materials[name] then self.materials[name] = colour end
  return { colour = colour, name = not found.color and not found.texture and name or nil, node = node }
end

local function positive(v)
  for i = 1, #v do if v[i] <= 0 or v[i] > source.BOUND then return false end end
  return true
end

-- The one number of a round shape; 0 for a missing one, which is reported.
function reader:length(who, node, attribute)
  if not node.attributes[attribute] then
    self.report:fail(node, "%s: <%s>: expected %s='…'", who, node.name, attribute)
    return nil
  end
  return self:number(who, node, attribute)
end

-- The sizes of a shape are attributes of their names, or all in one.
local function sized(kind)
  return function(self, who, node)
    if not kind.each then
      if not node.attributes.size then return self.report:fail(node, "%s: <%s>: expected size='…'", who, node.name) end
      return self:vector(who, node, "size", 3)
    end
    local size, whole = {}, true
    for i, name in ipairs(kind.each) do
      size[i] = self:length(who, node, name)
      whole = whole and size[i] ~= nil
    end
    return whole and size or nil
  end
end

local GEOMETRY = {
  mesh = function(self, who, node)
    if not node.attributes.scale then return { 1, 1, 1 } end
    local text = node.attributes.scale
    local first, more = text:match "^%s*(%S+%s+%S+%s+%S+)%s+(%S.-)%s*$"
    if first then
      self.report:note(node, "%s: <mesh scale='%s'>: expected three numbers: '%s' is skipped", who, text, more)
      node.attributes.scale = first
    end
    local scale = self:vector(who, node, "scale", 3)
    for i = 1, scale and 3 or 0 do
      if scale[i] < 0 then
        scale[i] = -scale[i]
        self.report:note_kind("mirrored", node,
          "%s: <mesh scale='%s'> mirrors the mesh; it is kept as it stands in its file", who, node.attributes.scale)
      end
    end
    return scale
  end,
}
for _, kind in ipairs(shapes.kinds) do GEOMETRY[kind[1]] = GEOMETRY[kind[1]] or sized(kind) end

function reader:shape(who, node, solid)
  local found = self:children(who, node, { origin = "one", geometry = "one", material = "one" })
  local shape = { solid = solid, node = node, pose = self:pose(who, found.origin) }
  if found.material then shape.material = self:material(who, found.material) end
  if not found.geometry then return self.report:fail(node, "%s: <%s>: expected <geometry>", who, node.name) end
  for _, child in ipairs(found.geometry.children) do
    local read = GEOMETRY[child.name]
    if not read then
      self.report:note_kind(child.name .. " geometry", child, "<%s> in <geometry> is skipped", child.name)
    elseif shape.type then
      self.report:note(child, "%s: a second shape in <geometry> is skipped", who)
    else
      shape.type, shape.size = child.name, read(self, who, child)
      if child.name == "mesh" then shape.file = self:text(who, child, "filename") end
    end
  end
  if #found.geometry.children == 0 then
    return self.report:fail(found.geometry, "%s: <geometry>: expected %s", who, shapes.names "<%s>")
  end
  if not shape.size then return nil end
  if not positive(shape.size) then
    self.report:note(node, "%s: a <%s> without extent is left out", who, shape.type)
    return nil
  end
  return shape
end

function reader:link(node)
  local name = self:text("link", node, "name")
  local who = ("link '%s'"):format(name or "")
  local found = self:children(who, node, { inertial = "one", visual = "list", collision = "list" })
  local link = { name = name, node = node, shapes = {} }
  if found.inertial then self:inertial(who, found.inertial, link) end
  for _, child in ipairs(node.children) do -- both in the file's order
    if child.name == "visual" or child.name == "collision" then
      table.insert(link.shapes, (self:shape(who, child, child.name == "collision")))
    end
  end
  return link
end

-- ---- joints ----

local TYPES = { revolute = true, continuous = true, prismatic = true, fixed = true, floating = true, planar = true }
local ONE = { revolute = true, continuous = true, prismatic = true }

function reader:axis(who, node, joint)
  local v = node and self:vector(who, node, "xyz", 3) or { 1, 0, 0 }
  if joint.type == "fixed" or joint.type == "floating" then return nil end
  if node and not node.attributes.xyz then self.report:note(node, "%s: <axis> without xyz: it is x", who) end
  if spatial.length(v) == 0 then
    self:wrong(who, node, "xyz", "expected a direction")
    v = { 1, 0, 0 }
  end
  -- a vector of length 1 up to rounding is not rounded again
  return math.abs(spatial.length(v) - 1) < 1e-9 and v or spatial.unit(v)
end

-- A usable limit; files write 0 or less for an unknown one, ours unsaid.FAR.
function reader:greatest(who, node, attribute)
  local x = self:number(who, node, attribute)
  if not x or (x > 0 and x <= source.BOUND) then return x end
  if x == unsaid.FAR then return nil end
  self.report:note_kind(x == 0 and attribute or {}, node, "%s: <limit %s='%s'> is left out", who, attribute,
    node.attributes[attribute])
  return nil
end

function reader:range(who, node, joint)
  local low, high = self:number(who, node, "lower"), self:number(who, node, "upper")
  if joint.type == "continuous" then
    if low or high then
      self.report:note_kind("continuous limit", node, "%s: lower and upper of a continuous joint are left out", who)
    end
    return
  end
  if not node.attributes.lower and not node.attributes.upper then
    self.report:note(node, "%s: <limit> without lower and upper: no limit is taken", who)
    return
  elseif not node.attributes.lower or not node.attributes.upper then
    self.report:note(node, "%s: <limit> without %s: it is 0", who, node.attributes.lower and "upper" or "lower")
  end
  -- the standard's default is 0
  low, high = low or 0.0, high or 0.0
  if low > high then low, high, joint.reversed = high, low, node end
  if joint.type == "revolute" and math.max(-low, high) > MANY_TURNS and math.max(-low, high) <= source.BOUND then
    self.report:note(node, "%s: limits from %.14g to %.14g rad: are these degrees?", who, low, high)
  end
  if math.max(-low, high) > source.BOUND then
    if low >= -source.BOUND or high <= source.BOUND then
      -- only one side is a limit
      joint.low, joint.high = math.max(low, -source.BOUND), math.min(high, source.BOUND)
      if joint.low > joint.high then joint.low, joint.high = nil, nil end
    end
    self.report:note(node, "%s: limits beyond %.0f: %s", who, source.BOUND,
      joint.low and ("%.14g to %.14g is taken"):format(joint.low, joint.high) or "no limit is taken")
  else
    joint.low, joint.high = low, high
  end
end

function reader:limit(who, node, joint)
  if not node then
    if joint.type == "revolute" or joint.type == "prismatic" then
      self.report:note(joint.node, "%s: %s without <limit>: no limit is taken", who, joint.type)
    end
    return
  end
  if ONE[joint.type] then
    self:range(who, node, joint)
    joint.speed, joint.force = self:greatest(who, node, "velocity"), self:greatest(who, node, "effort")
    joint.acceleration = self:greatest(who, node, "acceleration")
  elseif joint.type ~= "fixed" then
    self.report:note(node, "%s: <limit> of a %s joint is left out: it says not which dof it is for", who, joint.type)
  end
end

function reader:mimic(who, node, joint)
  local mimic = { node = node, joint = self:text(who, node, "joint"),
    ratio = self:number(who, node, "multiplier") or 1.0, shift = self:number(who, node, "offset") or 0.0 }
  if not mimic.joint then return end
  if ONE[joint.type] then
    joint.mimic = mimic
  else
    self.report:note(node, "%s: <mimic> of a %s joint is left out", who, joint.type)
  end
end

function reader:joint(node)
  local name = self:text("joint", node, "name")
  local who = ("joint '%s'"):format(name or "")
  local found = self:children(who, node, { origin = "one", parent = "one", child = "one", axis = "one", limit = "one",
    mimic = "one" })
  local joint = { name = name, node = node, type = self:text(who, node, "type") }
  if joint.type and not TYPES[joint.type] then
    self:wrong(who, node, "type", "expected revolute, continuous, prismatic, fixed, floating or planar")
    joint.type = nil
  end
  for _, end_name in ipairs { "parent", "child" } do
    if found[end_name] then
      joint[end_name] = self:text(who, found[end_name], "link")
      joint[end_name .. "_node"] = found[end_name]
    else
      self.report:fail(node, "%s: expected <%s link='…'>", who, end_name)
    end
  end
  joint.pose = self:pose(who, found.origin)
  joint.axis = self:axis(who, found.axis, joint)
  if joint.type then self:limit(who, found.limit, joint) end
  if joint.type and found.mimic then self:mimic(who, found.mimic, joint) end
  return joint
end

-- ---- the whole ----

-- The elements of xacro, the macros of ROS; any other name of its is a macro of the file's own.
local XACRO = {}
for word in ("arg attribute call element eval if include insert_block macro property unless"):gmatch "%S+" do
  XACRO["xacro:" .. word] = true
end

-- Removes macros that were not expanded: other programs do not know these elements and skip them.
local function skip_leftovers(root, report)
  local left = {}
  for _, child in ipairs(root.children) do
    if child.name:find "^xacro:" and not XACRO[child.name] then
      report:note(child, "<%s> is skipped: xacro did not expand it", child.name)
    else
      left[#left + 1] = child
    end
  end
  root.children = left
end

-- Whether a file still has to be processed by xacro: the first such element or attribute.
local function find_macro(root)
  local todo = { root }
  while #todo > 0 do
    local node = table.remove(todo)
    if node.name:find "^xacro:" then return node, ("<%s>"):format(node.name) end
    -- elements of other programs are not read
    if node.name ~= "gazebo" and node.name ~= "transmission" and node.name ~= "ros2_control" then
      local first -- attributes have no order: the first by the alphabet
      for name, text in pairs(node.attributes) do
        if text:find "%$[{(]" and (not first or name < first) then first = name end
      end
      if first then return node, node.attributes[first] end
    end
    for i = #node.children, 1, -1 do todo[#todo + 1] = node.children[i] end
  end
  return nil
end

local function index(report, list, what)
  local named = {}
  for _, record in ipairs(list) do
    local other = named[record.name]
    if other then
      report:fail(record.node, "%s '%s': there is one of this name in line %d already", what, record.name,
        other.node.line)
    elseif record.name then
      named[record.name] = record
    end
  end
  return named
end

-- Colours by name: of the whole file's materials, and of those within a visual.
local function paint(self, links)
  for _, link in ipairs(links) do
    for _, shape in ipairs(link.shapes) do
      local material = shape.material
      if material then
        shape.colour = material.colour or material.name and self.materials[material.name]
        if material.name and material.name ~= "" and not shape.colour and not self.plain[material.name] then
          self.report:note_kind("material " .. material.name, material.node,
            "there is no colour for the material '%s'", material.name)
        end
      end
    end
  end
end

---The records of a file: { name, links, joints, node, link_named, joint_named }; nil when it is no URDF at all.
---Errors are in the report in both cases.
function source.read(core, text, report)
  -- white space before the declaration is no XML, but usual: blank lines are kept, for the count of lines
  local blank, rest = text:match "^(%s+)(<%?xml.*)$"
  local skipped = blank and select(2, blank:gsub("\n", "")) or 0
  local root, why, line, column = core.xml_parse(rest or text)
  if not root then
    report:fail({ line = line + skipped, column = column }, "not XML: %s", why)
    return nil
  end
  if skipped > 0 then
    local todo = { root }
    while #todo > 0 do
      local node = table.remove(todo)
      node.line = node.line + skipped
      table.move(node.children, 1, #node.children, #todo + 1, todo)
    end
  end
  if root.name == "robot" then skip_leftovers(root, report) end
  local macro, what = find_macro(root)
  if macro then
    report:fail(macro, "%s has to go through xacro first: run `xacro file.xacro > file.urdf`", what)
    return nil
  end
  if root.name ~= "robot" then
    report:fail(root, "<%s>: expected <robot>", root.name)
    return nil
  end
  local self = setmetatable({ report = report, materials = {}, plain = {} }, reader)
  local found = self:children("robot", root, { link = "list", joint = "list", material = "list" })
  for _, node in ipairs(found.material) do
    local name = self:text("material", node, "name")
    local material = self:material(("material '%s'"):format(name or ""), node)
    if name and not material.colour then self.plain[name] = true end -- a texture, or nothing
  end
  local robot = { node = root, name = root.attributes.name, links = {}, joints = {} }
  for _, node in ipairs(found.link) do table.insert(robot.links, self:link(node)) end
  for _, node in ipairs(found.joint) do table.insert(robot.joints, self:joint(node)) end
  paint(self, robot.links)
  robot.link_named = index(report, robot.links, "link")
  robot.joint_named = index(report, robot.joints, "joint")
  if #robot.links == 0 then report:fail(root, "<robot>: expected at least one <link>") end
  return robot
end

return source
