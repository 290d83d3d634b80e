-- The robot of a file without joints, from its RCML_Robot alone: a control input is a joint that has
-- the input's parameters for dofs, so that a client of RCTP finds its object to ASSIGN under that name; a video
-- output is a camera.
local scene = require "robotalk.rcml.scene"
local spatial = require "robotalk.robot.spatial"

local MOST_DOFS = 6
local BASE = { x = true, y = true, theta = true }
local ORDERS = { ["x theta"] = true, ["x y theta"] = true } -- in which the base's speeds go out

-- Objects of a kind, in lists of the robot or by the name of their type.
local function objects(robot, list, kind)
  local out = {}
  for _, field in ipairs { list, kind } do
    for _, node in ipairs(scene.nodes(robot, field)) do
      if node.type == kind then out[#out + 1] = node end
    end
  end
  return out
end

local function limit_of(parameter)
  local range = scene.get(parameter, "value_range")
  return type(range) == "table" and #range == 2 and { scene.radians(range[1]), scene.radians(range[2]) } or nil
end

-- The base: speeds in x, y, theta. nil: it is no base.
local function base_of(node, parameters, said)
  if scene.text(node, "name") ~= "base" then return nil end
  local speed, slides, names = {}, nil, {}
  for i, parameter in ipairs(parameters) do names[i] = scene.text(parameter, "name") or "" end
  for _, name in ipairs(names) do
    if not BASE[name:lower()] then return nil end
  end
  local order = table.concat(names, " ")
  if not ORDERS[order] then
    said:fail(node, "base: expected the parameters x, theta, or x, y, theta, in that order, got %s", order)
    return {}
  end
  for i, parameter in ipairs(parameters) do
    local name = names[i]
    local limit = limit_of(parameter)
    slides = slides or name == "y" or nil
    speed[name] = limit and math.max(math.abs(limit[1]), math.abs(limit[2])) or nil
  end
  return { speed = next(speed) and speed or nil, holonomic = slides, translator = scene.text(node, "translator") }
end

local function joint_of(robot, node, parameters, root)
  local dofs, names = {}, {}
  for i, parameter in ipairs(parameters) do
    local name = (scene.text(parameter, "name") or "dof" .. i):sub(1, 31)
    if names[name] then name = "dof" .. i end
    names[name] = true
    dofs[i] = { name = name, type = "revolute", axis = { 0, 0, 1 }, limit = limit_of(parameter) }
  end
  local link = { shapes = {}, node = node, com = { 0, 0, 0 }, mass = 0 }
  return { name = robot:name("joint", node, "input"), node = node, child_link = link, parent_link = root, dofs = dofs,
    at = { 0, 0, 0 }, center = { 0, 0, 0 }, rest = spatial.identity(), translator = scene.text(node, "translator") }
end

---Adds the objects of an RCML_Robot to a robot of one link without joints.
return function(robot, root, said)
  local list = robot.list
  for _, node in ipairs(objects(robot.rcml, "inputs", "RCML_ControlInput")) do
    local parameters = scene.nodes(node, "RCML_ControlInputData")
    local base = base_of(node, parameters, said)
    if base then robot.base = base
    elseif #parameters > MOST_DOFS then
      said:note(node, "a control input of %d parameters is left out: a joint has at most %d dofs", #parameters,
        MOST_DOFS)
    else
      list[#list + 1] = joint_of(robot, node, parameters, root)
    end
  end
  for _, node in ipairs(objects(robot.rcml, "outputs", "RCML_VideoOutput")) do
    table.insert(robot.cameras, { name = robot:name("camera", node, "camera"), link = root, node = node, order = 0,
      position = { 0, 0, 0 }, attitude = spatial.identity(), width = scene.get(node, "xsize"),
      height = scene.get(node, "ysize"), rate = scene.get(node, "samplerate"),
      translator = scene.text(node, "translator") })
  end
end
