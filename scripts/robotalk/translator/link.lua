-- A joined pair: values of a device become a command to the robot, and values of the robot are shown by a device. A
-- command whose values cannot be translated is not sent.
local colon = require "robotalk.mistakes.colon"
local format = require "robotalk.translator.format"
local mistake = require "robotalk.mistakes.mistake"

local Link = {}
Link.__index = Link
Link.__name = "robotalk.translator.Link"

-- ---- commands, by the kind of object ----

local put = {}

function put.base(robot, _, values) return robot:set_speed(values) end

function put.joint(robot, object, values) return robot[object.parameters[1].op](robot, object.of, values) end

-- Set-points of all joints begin together; other servos take theirs one after the other.
function put.joints(robot, object, _, list)
  local parts, others, joints = {}, {}, {}
  for i, p in ipairs(object.parameters) do
    local of = p.op == "set_joint" and parts or others
    if not of[p.joint] then
      of[p.joint] = {}
      if of == others then joints[#joints + 1] = p end
    end
    of[p.joint][p.dof] = list[i]
  end
  local word, why, result
  for _, p in ipairs(joints) do
    word, why, result = robot[p.op](robot, p.joint, others[p.joint])
    if word ~= "SUCCESS" and word ~= "MODIFIED" then return word, why, result end
  end
  if next(parts) == nil then return word, why, result end
  return robot:move(parts)
end

local FIRST <const> = { set_frame = "position", set_frame_speed = "linear", set_frame_force = "force" }
local SECOND <const> = { set_frame = "attitude", set_frame_speed = "angular", set_frame_force = "torque" }

function put.frame(robot, object, _, v)
  return robot[object.op](robot, object.of,
    { [FIRST[object.op]] = { v[1], v[2], v[3] }, [SECOND[object.op]] = { v[4], v[5], v[6] } })
end

-- ---- values of the robot ----

local get = {}

function get.base(robot)
  local state, message, code = robot:state()
  if not state then return nil, message, code end
  local v = state.velocity
  return { state.x, state.y, state.theta, v.x, v.y, v.theta }
end

function get.joint(robot, object)
  local state, message, code = robot:state()
  if not state then return nil, message, code end
  local values = {}
  for i, p in ipairs(object.parameters) do values[i] = state.joints[p.joint][p.dof] end
  return values
end
get.joints = get.joint

function get.frame(robot, object)
  local state, message, code = robot:state { frames = true }
  if not state then return nil, message, code end
  local frame = state.frames[object.of]
  local p, a = frame.position, frame.attitude
  return { p[1], p[2], p[3], a[1], a[2], a[3] }
end

function get.camera(robot, object, options)
  local camera, message, code = robot:camera(object.of)
  if not camera then return nil, message, code end
  return camera:frame(options)
end

-- ---- the link ----

-- The error in values for an object; nil: none. order: the places of its parameters among them.
local function fault_of(object, order, values)
  local fault = format.fault(format.of_object(object), values)
  if fault then return fault end
  for i, p in ipairs(object.parameters) do
    if type(values[order[i]]) == "boolean" and p.type ~= "bool" then
      return ("value %d: expected a finite number, got boolean"):format(order[i])
    end
  end
end

---Sends the device's values: the results of the robot's command; or nil, message, code, and nothing was sent.
function Link:put(values)
  local object, list = self.object, values
  if not put[object.part] or object.direction == "output" then
    mistake("put: object %s takes no commands", object.name)
  end
  if self.translator then
    local message, code
    list, message, code = self.translator:to_standard(values)
    if not list then return nil, message, code end
  end
  local fault = fault_of(object, self.order, list)
  if fault then
    if not self.translator then mistake("put: %s", fault) end
    return nil, ("translator %s: %s"):format(self.translator.name, fault), "EFAILED"
  end
  local ordered, named = {}, {}
  for i, p in ipairs(object.parameters) do
    ordered[i] = list[self.order[i]]
    named[p.name] = ordered[i]
  end
  return put[object.part](self.robot, object, named, ordered)
end

---The robot's present values in the device's format; or nil, message, code. present: the device's own values, where
---a search begins; options: of a camera's frame.
function Link:get(present, options)
  local object = self.object
  if not get[object.part] or object.direction ~= "output" then mistake("get: object %s tells nothing", object.name) end
  local values, message, code = get[object.part](self.robot, object, options)
  if not values then return nil, message, code end
  if object.type == "control" then
    local ordered = {}
    for i, value in ipairs(values) do ordered[self.order[i]] = value end
    values = ordered
  end
  if not self.translator then return values end
  return self.translator:from_standard(values, present)
end

---Ends its translator. The robot stays.
function Link:close()
  if self.translator then self.translator:close() end
end
Link.__close = Link.close

function Link:__tostring() return ("%s with %s"):format(self.device.name, self.object.name) end

-- The object for a translator: its parameters in the order of the standard values.
local function seen(object, order)
  local parameters = {}
  for i, p in ipairs(object.parameters or {}) do
    parameters[order[i]] = { name = p.name, unit = p.unit, range = p.range, scale = p.scale, type = p.type,
      control = p.control }
  end
  return { name = object.name, type = object.type, parameters = parameters }
end

local link = { Link = Link }

---Joins a pair on a robot: open(name, context) opens its translator. The link; or nil, message, code.
function link.join(pair, robot, open)
  local device, object, translator = pair.device, pair.object, nil
  if pair.translator then
    local context, message, code = {}
    for key, value in pairs(device.options or {}) do context[key] = value end
    context.object = seen(object, pair.order)
    context.device = { name = device.name, type = device.type, dofs = device.dofs, unit = device.unit }
    context.model = device.model or context.model
    translator, message, code = open(pair.translator, context)
    if not translator then return nil, message, code end
  end
  return setmetatable({ device = device, object = object, robot = robot, order = pair.order or {},
    translator = translator }, Link)
end

colon.methods(Link, "link")

return link
