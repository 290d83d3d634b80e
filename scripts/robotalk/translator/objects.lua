-- The objects of a robot at hand (paper 001, 2.2), as translator.pair takes them: those of its RCML file that move, and
-- its cameras. Inputs take commands: the base, each joint, all joints in one, control frames. Outputs tell where these
-- are now, under the same name with _state behind it, and the cameras'.
local core = require "robotalk.core"
local frames = require "robotalk.frame"

local FIRST_OP <const> = 256 -- a body's commands are bits from this number on
local WAYS <const> = { "x", "y", "theta" }
local POSE <const> = { "x", "y", "z", "roll", "pitch", "yaw" }

-- What is commanded: the first of these that a joint or a control frame takes, and the units of what slides and turns.
local SETPOINT <const> = { bit = 1, quantity = "position", joint = "set_joint", frame = "set_frame", slides = "m",
  turns = "rad" }
local SPEED <const> = { bit = 2, quantity = "speed", joint = "set_joint_speed", frame = "set_frame_speed",
  slides = "m/s", turns = "rad/s" }
local FORCE <const> = { bit = 4, quantity = "force", joint = "set_joint_force", frame = "set_frame_force",
  slides = "N", turns = "N*m" }

local function servo_of(bits)
  for _, servo in ipairs { SETPOINT, SPEED, FORCE } do
    if bits & servo.bit ~= 0 then return servo end
  end
end

-- A range; a bound of 0 or without an end is none that is known.
local function range(low, high)
  if low < high and high - low < math.huge then return { low, high } end
end

local function base_of(body, output)
  local list, limits = {}, body.limits
  local function add(name, unit, bound)
    list[#list + 1] = { name = name, unit = unit, range = bound and range(-bound, bound) }
  end
  for i, way in ipairs(WAYS) do
    local turns = way == "theta"
    if output then
      add(way, turns and "rad" or "m")
    elseif way ~= "y" or limits.holonomic ~= 0 then
      add(way, turns and "rad/s" or "m/s", limits.base_speed[i])
    end
  end
  for i, way in ipairs(output and WAYS or {}) do
    add(way .. "_speed", way == "theta" and "rad/s" or "m/s", limits.base_speed[i])
  end
  return list
end

-- The dofs of a joint that follow no other; whole: of all joints' object, where a dof has its joint's name before its
-- own.
local function joint_of(body, joint, output, whole, list)
  local servo = servo_of(joint.servo)
  for k, name in ipairs(servo and joint.names or {}) do
    local dof = body.limits.dof[joint.first + k]
    local of = output and SETPOINT or servo
    if dof.mimics == 0 then
      local bound = of == SPEED and dof.speed or dof.force
      list[#list + 1] = { name = whole and joint.name ~= name and joint.name .. "." .. name or name,
        unit = dof.kind == 1 and of.slides or of.turns, joint = joint.name, dof = name, op = servo.joint,
        range = of == SETPOINT and range(dof.low, dof.high) or of ~= SETPOINT and range(-bound, bound) or nil }
    end
  end
  return list
end

local function frame_of(servo, output)
  local list = {}
  for i, name in ipairs(POSE) do
    local of = output and SETPOINT or servo
    list[i] = { name = name, unit = i <= 3 and of.slides or of.turns }
  end
  return list
end

local function knows(body, command)
  return body.commands >> (core.spec().commands[command].number - FIRST_OP) & 1 == 1
end

local function in_order(parts)
  local list = {}
  for _, part in pairs(parts) do list[#list + 1] = part end
  table.sort(list, function(a, b) return a.number < b.number end)
  return list
end

-- Those that move, as inputs or as outputs.
local function add_movers(body, output, add)
  local joints, all = in_order(body.joints), {}
  if knows(body, "set_speed") and joints[1].dofs == 0 then add("base", "base", nil, base_of(body, output)) end
  for _, joint in ipairs(joints) do
    local list = joint_of(body, joint, output, false, {})
    if #list > 0 then add(joint.name, "joint", joint.name, list) end
    joint_of(body, joint, output, true, all)
  end
  if #all > 0 then add("joints", "joints", nil, all) end
  for _, frame in ipairs(in_order(body.frames)) do
    local servo = servo_of(frame.servo)
    if servo and knows(body, servo.frame) and #frames.dofs_of(body, frame) > 0 then
      add(frame.name, "frame", frame.name, frame_of(servo, output), servo.frame)
    end
  end
end

local LONGEST <const> = 40 -- bytes of a part's name in that of its object

-- The name of an object, as the RCML file has it: of what can stand in a line of HTTP, and with a number behind it when
-- an object before it has the name.
local function name_of(taken, name, suffix)
  local plain = (name == "" and "unnamed" or name:sub(1, LONGEST)) .. suffix
  plain = plain:gsub("[^%w_%-.:\x80-\xFF]", "_")
  local unique, n = plain, 1
  while taken[unique] do
    n = n + 1
    unique = ("%s_%d"):format(plain, n)
  end
  taken[unique] = true
  return unique
end

---The objects of a robot's body: a list.
return function(body)
  local list, taken = {}, {}
  local function add(direction)
    local output = direction == "output"
    add_movers(body, output, function(name, part, of, parameters, op)
      list[#list + 1] = { name = name_of(taken, name, output and "_state" or ""), type = "control",
        direction = direction, translator = part == "frame" and "pose" or "", parameters = parameters, part = part,
        of = of, op = op }
    end)
  end
  add "input"
  -- of these the file has objects, too
  name_of(taken, "command", "")
  for _, widget in ipairs(body.descriptor.widgets or {}) do
    if widget.type == "button" and (widget.command or "") ~= "" then name_of(taken, widget.name, "") end
  end
  add "output"
  for _, sensor in ipairs(body.sensors) do name_of(taken, sensor.name, "") end
  for _, camera in ipairs(body.cameras) do
    list[#list + 1] = { name = name_of(taken, camera.name, ""), type = "video", direction = "output", translator = "",
      part = "camera", of = camera.name }
  end
  return list
end
