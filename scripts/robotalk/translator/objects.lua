-- The objects of a connected robot (paper 001, 2.2), for translator.pair: those of its RCML file that move, and
-- its cameras. Inputs accept commands: the base, each joint, all joints in one, control frames. Outputs are their
-- present positions, and the cameras' pictures. The list comes from C; this module adds the method of the robot that
-- commands each.
local core = require "robotalk.core"

-- By the commanded part.
local JOINT_OPS <const> = { position = "set_joint", speed = "set_joint_speed", force = "set_joint_force" }
local FRAME_OPS <const> = { position = "set_frame", speed = "set_frame_speed", force = "set_frame_force" }
local MOVERS <const> = { base = true, joint = true, joints = true, frame = true }

-- The names of the parts of a body by their numbers.
local function names_of(parts)
  local names = {}
  for _, part in pairs(parts) do names[part.number] = part.name end
  return names
end

-- By the numbers of dofs: the names of their joints, and their own.
local function dofs_of(body)
  local dofs = {}
  for _, joint in pairs(body.joints) do
    for k, name in ipairs(joint.names) do dofs[joint.first + k - 1] = { joint = joint.name, name = name } end
  end
  return dofs
end

-- A parameter; an infinite bound is unknown.
local function parameter_of(p, part, input, dofs)
  local made = { name = p.name, unit = p.unit }
  if p.low < p.high and p.high - p.low < math.huge then made.range = { p.low, p.high } end
  if part == "joint" or part == "joints" then
    made.joint, made.dof = dofs[p.which].joint, dofs[p.which].name
    made.op = input and JOINT_OPS[p.quantity] or nil
    if part == "joint" then made.name = made.dof end -- as in its methods
  end
  return made
end

---The objects of a robot's body: a list.
return function(body)
  local list, dofs = {}, dofs_of(body)
  local joints, frames = names_of(body.joints), names_of(body.frames)
  for _, object in ipairs(assert(core.rcml_objects(body.kinematics))) do
    local part, input = object.part, object.direction == "input"
    local made = { name = object.name, type = object.type, direction = object.direction,
      translator = object.translator, part = part }
    if MOVERS[part] then
      made.parameters = {}
      for i, p in ipairs(object.parameters) do made.parameters[i] = parameter_of(p, part, input, dofs) end
      if part == "joint" then made.of = joints[object.number] end
      if part == "frame" then
        made.of, made.op = frames[object.number], input and FRAME_OPS[object.parameters[1].quantity] or nil
      end
      list[#list + 1] = made
    elseif part == "camera" then
      made.of = body.cameras[object.number + 1].name
      list[#list + 1] = made
    end
  end
  return list
end
