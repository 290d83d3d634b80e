-- The values of a command that are beyond the limits of a body: for a result of MODIFIED, limit, the clipped values
-- and their limits.
local core = require "robotalk.core"

local kinds = core.spec().commands
local PLANAR = { "x", "y", "theta" }
local SERVO = { setpoints = 1, speeds = 2, forces = 4 } -- groups of a frame

-- A limit that a description leaves open.
local function or_none(limit) return limit > 0 and limit or math.huge end

local function length(v, from) return math.sqrt(v[from] ^ 2 + v[from + 1] ^ 2 + v[from + 2] ^ 2) end

local function of_base(body, goes, v, bounds, add)
  local limits = body.limits
  add "base"
  if goes then
    add("base", "speed", bounds.speed or 0, or_none(limits.base_speed[1]))
    add("base", "acceleration", bounds.acceleration or 0, or_none(limits.base_acceleration[1]))
    return
  end
  for i, axis in ipairs(PLANAR) do
    local sideways = i == 2 and limits.holonomic == 0
    add("base", axis, v[i], sideways and 0 or or_none(limits.base_speed[i]))
  end
end

local function of_dof(body, joint, k, servo, value, bounds, add)
  local dof, name = body.limits.dof[joint.first + k], joint.names[k]
  add(joint.name)
  if servo ~= SERVO.setpoints then
    add(joint.name, name, value, or_none(servo == SERVO.speeds and dof.speed or dof.force))
    return
  end
  if dof.low <= dof.high then add(joint.name, name, value, dof.high, dof.low) end
  add(joint.name, name .. ".speed", bounds.speed or 0, or_none(dof.speed))
  add(joint.name, name .. ".velocity", bounds.velocity or 0, or_none(dof.speed))
  add(joint.name, name .. ".acceleration", bounds.acceleration or 0, or_none(dof.acceleration))
end

-- v: six numbers.
local function of_frame(body, number, servo, v, bounds, add)
  for name, frame in pairs(body.frames) do
    if frame.number == number then
      add(name)
      if servo == SERVO.setpoints then
        add(name, "speed", bounds.speed or 0, or_none(frame.speed))
      elseif servo == SERVO.speeds then
        add(name, "linear", length(v, 1), or_none(frame.speed))
        add(name, "angular", length(v, 4), or_none(frame.turn))
      end
    end
  end
end

-- A frame's groups of dofs.
local function of_groups(body, cmd, add)
  for group, servo in pairs(SERVO) do
    local set = cmd[group] or { dofs = {} }
    for i, number in ipairs(set.dofs) do
      for name, joint in pairs(body.joints) do
        local k = number - joint.first + 1
        if name == joint.name and k >= 1 and k <= joint.dofs then
          of_dof(body, joint, k, servo, set.value[i],
            { speed = set.limit and set.limit[i], velocity = set.velocity and set.velocity[i] }, add)
        end
      end
    end
  end
end

local NONE, ZERO = {}, { 0, 0, 0 }

local function look(body, cmd, add)
  local kind = kinds[cmd.op]
  if cmd.op == "move" then
    if cmd.place or cmd.speed then of_base(body, cmd.place, cmd.place or cmd.speed, NONE, add) end
    of_groups(body, cmd, add)
    for _, part in ipairs(cmd.frames or NONE) do of_frame(body, part.frame, part.servo, part.values, NONE, add) end
  elseif kind.moves == "root" then
    of_base(body, cmd.op == "go_to", { cmd.x or 0, cmd.y or 0, cmd.theta or 0 }, cmd, add)
  elseif kind.moves == "joint" then
    for _, joint in pairs(body.joints) do
      for k = 1, joint.number == cmd.joint and joint.dofs or 0 do
        if cmd.mask >> k - 1 & 1 == 1 then
          of_dof(body, joint, k, kind.servo, cmd.value[k], { speed = cmd.speed, acceleration = cmd.acceleration,
            velocity = cmd.velocity and cmd.velocity[k] }, add)
        end
      end
    end
  elseif kind.moves == "frame" then
    local linear, angular = cmd.linear or ZERO, cmd.angular or ZERO
    of_frame(body, cmd.frame, kind.servo, { linear[1], linear[2], linear[3], angular[1], angular[2], angular[3] },
      cmd, add)
  end
end

---The parts of a command that were beyond the body's limits: { { part, what, asked, limit }, … }; part: "base", a joint
---or a control frame; what: its dof or quantity; in the order of their names. Empty where the limit is one of the
---device's own, or of a posture. Then the names of all the parts that the command has, in order.
return function(body, cmd)
  local beyond, names = {}, {}
  look(body, cmd, function(part, what, asked, high, low)
    if not what then
      names[part] = true
    elseif asked > high or asked < (low or -high) then
      beyond[#beyond + 1] = { part = part, what = what, asked = asked, limit = asked > high and high or low or -high }
    end
  end)
  table.sort(beyond, function(a, b) return a.part < b.part or a.part == b.part and a.what < b.what end)
  local list = {}
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return beyond, list
end
