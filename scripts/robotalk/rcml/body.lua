-- The robot of a file: Joints, Segments and Sites of H-Anim 1.1 with the extensions of OpenHRP and this program
-- (spec/rcml.md), or, if there are none, one link with all visible shapes. The result is a descriptor.
local scene = require "robotalk.rcml.scene"
local sensors = require "robotalk.descriptor.sensors"
local spatial = require "robotalk.robot.spatial"
local walker = require "robotalk.rcml.walk"

local body = {}
body.__index = body

function body.new(said)
  return setmetatable({ said = said, links = {}, joints = {}, frames = {}, cameras = {}, sensors = {}, list = {},
    names = {}, nodes = {}, drawn = {} }, body) -- drawn: shape -> its node
end

-- ---- names and numbers ----

local MOST_NAME = 31

-- A unique name: that of the file, or DEF, without hanim_.
function body:name(of, node, instead)
  local name = scene.text(node, "name") or node.name and node.name:gsub("^hanim_", "") or instead
  name = #name > MOST_NAME and name:sub(1, MOST_NAME):gsub("[\xC0-\xFF]?[\x80-\xBF]*$", "") or name
  local taken = self.names[of] or {}
  self.names[of] = taken
  local out, n = name, 1
  while taken[out] do
    n = n + 1
    out = ("%s_%d"):format(name:sub(1, MOST_NAME - 4), n)
  end
  if out ~= name then self.said:note(node, "a second %s '%s' is called '%s'", of, name, out) end
  taken[out] = true
  return out
end

-- ---- joints ----

local AXES = { X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 }, ["-X"] = { -1, 0, 0 }, ["-Y"] = { 0, -1, 0 },
  ["-Z"] = { 0, 0, -1 } }

-- An entry of a list, in its unit; nil: there is none.
local function nth(list, i, unit)
  local x = type(list) == "table" and list[i] or nil
  return x and unit and unit(x) or x
end

local function unit_of(dof) return dof.type == "revolute" and scene.radians or nil end

-- The axis of a joint of one dof: three numbers, or a letter as in older files of OpenHRP.
local function axis_of(self, node)
  local axis = scene.get(node, "jointAxis")
  if type(axis) == "string" then
    local known = AXES[axis:upper()]
    if not known then self.said:fail(node, "jointAxis: expected X, Y or Z or three numbers, got %q", axis) end
    return known or AXES.Z
  end
  return type(axis) == "table" and #axis == 3 and axis or AXES.Z
end

local NEVER <const> = 2e6 -- rad, m, and per second: a greater value means no limit, as the 1e16 of some programs

-- Limits and greatest speed of dof i.
local function limits(said, node, i, dof)
  local unit = unit_of(dof)
  local low, high = nth(scene.get(node, "llimit"), i, unit), nth(scene.get(node, "ulimit"), i, unit)
  if low and high and low <= high then dof.limit = { math.max(low, -NEVER), math.min(high, NEVER) } end
  local least = nth(scene.get(node, "lvlimit"), i, unit) or 0
  local most = nth(scene.get(node, "uvlimit"), i, unit) or 0
  local speed = math.max(math.abs(least), math.abs(most))
  if speed > 0 and speed <= NEVER then dof.speed = speed end
  if dof.limit and dof.limit[1] == -NEVER and dof.limit[2] == NEVER then dof.limit = nil end
  if math.max(speed, -(low or 0), high or 0) > NEVER then
    said:note_kind("open", node, "a limit or greatest speed beyond %.0e is none", NEVER)
  end
  return dof
end

-- The dofs that our own files have besides OpenHRP's fields.
local function own_dofs(self, node, base)
  local dofs, names = {}, scene.get(node, "dofName")
  local types, axes = scene.get(node, "dofType") or {}, scene.get(node, "dofAxis") or {}
  if #types ~= #names or #axes ~= 3 * #names then
    self.said:fail(node, "dofType and dofAxis: expected one for each of the %d in dofName", #names)
    return dofs
  end
  for i, name in ipairs(names) do
    local dof = limits(self.said, node, i, { name = name, type = types[i] == "slide" and "prismatic" or "revolute",
      axis = spatial.turn(base, { table.unpack(axes, 3 * i - 2, 3 * i) }) })
    dof.acceleration = nth(scene.get(node, "dofAcceleration"), i, unit_of(dof))
    dof.force, dof.home = nth(scene.get(node, "dofForce"), i), nth(scene.get(node, "dofHome"), i, unit_of(dof))
    local follows, retreats = nth(scene.get(node, "dofFollows"), i), nth(scene.get(node, "dofRetreats"), i)
    if follows and follows >= 0 then
      local tie = scene.get(node, "dofRatioShift") or {}
      dof.mimic = { number = follows, ratio = tie[2 * i - 1], shift = tie[2 * i] }
    end
    if retreats == 1 then dof.retreat = nth(scene.get(node, "dofRetreat"), i, unit_of(dof)) or 0 end
    -- the file's floats may be a little beyond each other
    if dof.limit and dof.home then dof.home = math.min(math.max(dof.home, dof.limit[1]), dof.limit[2]) end
    dofs[i] = dof
  end
  return dofs
end

-- Of plain H-Anim: a joint turns about all three axes.
local function ball(said, node, base)
  local dofs = {}
  for i, letter in ipairs { "X", "Y", "Z" } do
    dofs[i] = limits(said, node, i,
      { name = letter:lower(), type = "revolute", axis = spatial.turn(base, AXES[letter]) })
  end
  return dofs
end

-- The dofs of a Joint; none: it is fixed.
local function dofs_of(self, node, base, root)
  local kind, names = scene.text(node, "jointType"), scene.get(node, "dofName")
  if type(names) == "table" and #names > 0 then return own_dofs(self, node, base) end
  if kind == "rotate" or kind == "slide" then
    local axis = spatial.turn(base, axis_of(self, node))
    return { limits(self.said, node, 1, { type = kind == "slide" and "prismatic" or "revolute", axis = axis }) }
  end
  if root or kind == "fixed" or node.fields.jointType ~= nil and not kind then return {} end
  if kind then
    self.said:note(node, "a joint of type '%s' is taken for a fixed one", kind)
    return {}
  end
  return ball(self.said, node, base)
end

---A Joint at a place: a link of its own, or, if it is fixed, a part of the link that it is in. The place within it.
function body:joint(node, place)
  local base, root = place.base, place.link == nil
  if root and not self.human then -- a Joint outside of a Humanoid
    base = node.fields.jointAxis ~= nil and spatial.identity() or walker.HOUSE
    place = { pose = { p = { 0, 0, 0 }, r = base }, by = place.by }
  end
  local local_pose = scene.pose(node)
  local inner = spatial.compose(place.pose, local_pose)
  local dofs = dofs_of(self, node, base, root)
  if #dofs == 0 and not root then
    self.said:note_kind("fixed", node, "a fixed joint makes one link of two")
    return { link = place.link, base = base, pose = inner, by = place.by }
  end
  local center = scene.vector(node, "center", 3) or { 0, 0, 0 }
  local translation = scene.vector(node, "translation", 3) or { 0, 0, 0 }
  local link = { shapes = {}, node = node, com = { 0, 0, 0 }, mass = 0 }
  local turned = spatial.multiply(inner.r, spatial.transpose(base))
  local joint = { node = node, child_link = link, parent_link = place.link, dofs = dofs,
    servo = scene.get(node, "servo"), leg = scene.get(node, "leg"), number = scene.get(node, "number"), rest = turned,
    translator = scene.text(node, "translator"),
    at = spatial.place(place.pose, spatial.add(translation, center)), center = spatial.turn(base, center) }
  if root and #dofs == 0 then
    link.position, link.attitude = inner.p, turned
  elseif root then -- the surrounding nodes place the link; its dofs count from there
    link.position, link.attitude = place.pose.p, spatial.multiply(place.pose.r, spatial.transpose(base))
    joint.at = spatial.turn(base, spatial.add(translation, center))
    joint.rest = spatial.multiply(spatial.multiply(base, local_pose.r), spatial.transpose(base))
  end
  joint.name = self:name("joint", node, root and "root" or "joint")
  if root and joint.name == "HumanoidRoot" then joint.name = "root" end
  self.list[#self.list + 1] = joint
  return walker.root(link, base)
end

---Adds a Segment to its link: a name, a mass.
function body:segment(node, place)
  local link = place.link
  if not link then return end
  if not link.named then
    link.named, link.name = true, self:name("link", node, "link")
    link.number = scene.get(node, "number")
  end
  local mass = scene.get(node, "mass") or 0
  local com = spatial.place(place.pose, scene.vector(node, "centerOfMass", 3) or { 0, 0, 0 })
  local moments, inertia = scene.vector(node, "momentsOfInertia", 9), nil
  if moments and (moments[1] ~= 0 or moments[5] ~= 0 or moments[9] ~= 0) then
    inertia = spatial.turn_inertia(place.pose.r, { { table.unpack(moments, 1, 3) }, { table.unpack(moments, 4, 6) },
      { table.unpack(moments, 7, 9) } })
  end
  link.parts = link.parts or {}
  table.insert(link.parts, { mass = math.max(mass, 0), com = com, inertia = inertia })
end

---A control frame.
function body:frame(node, place)
  if not place.link then return end
  local turned = spatial.multiply(place.pose.r, spatial.transpose(place.base))
  table.insert(self.frames, { name = self:name("control frame", node, "frame"), link = place.link, node = node,
    position = place.pose.p, attitude = turned, servo = scene.get(node, "servo"), speed = scene.get(node, "speed"),
    turn = scene.get(node, "turn"), number = scene.get(node, "number"), translator = scene.text(node, "translator") })
end

-- Our kind of a sensor of OpenHRP, and the turn from its axes to ours.
local FOREIGN = { ForceSensor = "force", Gyro = "gyroscope", AccelerationSensor = "accelerometer",
  RangeSensor = "laser" }
-- its -z is our x, its y our z
local LOOKS = { { 0, -1, 0 }, { 0, 0, 1 }, { -1, 0, 0 } }

-- A camera of OpenHRP; this program writes its own in the same way.
local function camera(node, out)
  out.width, out.height = scene.get(node, "width"), scene.get(node, "height")
  out.rate, out.fov = scene.get(node, "frameRate"), scene.radians(scene.get(node, "fieldOfView") or 0)
  return out
end

local function own_sensor(node, out)
  out.type = scene.text(node, "type") or "sensor"
  local kind, count = sensors.kinds[out.type], scene.get(node, "count")
  if kind and kind.many and not sensors.of_dofs[out.type] and count > 1 then out.count = count end
  for _, field in ipairs { "opening", "fov" } do
    local value = scene.get(node, field)
    if value ~= 0 then out[field] = scene.radians(value) end
  end
  for _, field in ipairs { "rate", "noise_scale", "dropout", "latency", "slip" } do
    local value = scene.get(node, field)
    if value ~= 0 then out[field] = value end
  end
  for _, field in ipairs { "noise", "bias", "resolution" } do
    local list = scene.get(node, field)
    if type(list) == "table" and #list > 0 then out[field] = list end
  end
  out.unit, out.values = scene.text(node, "unit"), scene.text(node, "values")
  local range = scene.get(node, "range")
  out.range = type(range) == "table" and #range == 2 and range or nil
  return out
end

-- A scan of OpenHRP's goes from -scanAngle/2 to scanAngle/2 about its y, in steps.
local function scanner(node, out)
  local angle, step = scene.get(node, "scanAngle") or math.pi, scene.get(node, "scanStep") or 0.1
  out.fov = angle
  out.count = math.min(2048, math.floor(angle / math.max(step, 1e-4) + 0.5) + 1)
  out.range = { scene.get(node, "minDistance") or 0, scene.get(node, "maxDistance") or 10 }
  out.rate = scene.get(node, "scanRate")
  return out
end

---A sensor or a camera.
function body:sensor(node, place)
  if not place.link then return end
  local looks = node.type == "VisionSensor" or node.type == "RangeSensor"
  local turned = spatial.multiply(place.pose.r, looks and LOOKS or spatial.transpose(place.base))
  local own = node.type == "RoboTalk_Sensor" or node.type == "VisionSensor" -- OpenHRP counts each type by itself
  local out = { link = place.link, position = place.pose.p, attitude = turned, node = node,
    order = own and scene.get(node, "sensorId") or math.maxinteger, translator = scene.text(node, "translator") }
  if node.type == "VisionSensor" then
    out.name = self:name("camera", node, "camera")
    table.insert(self.cameras, camera(node, out))
    return
  end
  out.name = self:name("sensor", node, FOREIGN[node.type] or "sensor")
  if node.type == "RoboTalk_Sensor" then own_sensor(node, out)
  else out.type = FOREIGN[node.type] end
  table.insert(self.sensors, node.type == "RangeSensor" and scanner(node, out) or out)
end

---A Humanoid. Its place in the file does not matter: it is the robot. Its joints are in our axes if
---they are those of a robot, as in OpenHRP, otherwise in H-Anim's.
function body:humanoid(walk, node)
  if self.human then
    self.said:note_kind("second", node, "a second Humanoid is left out: a descriptor is one robot")
    return
  end
  self.human = node
  local first = scene.nodes(node, "joints")[1] or scene.nodes(node, "humanoidBody")[1]
  while first and first.type ~= "Joint" do first = scene.nodes(first, "children")[1] end
  local robotic = first and first.fields.jointAxis ~= nil
  local base = robotic and spatial.identity() or walker.HOUSE
  walk:nodes(scene.nodes(node, "humanoidBody"), { pose = { p = { 0, 0, 0 }, r = base }, by = { 1, 1, 1 }, base = base })
end

return body
