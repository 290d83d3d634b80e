-- A frame: plain commands of one instant become one command that moves all of it together, and what became of its
-- parts gets their names.
local core = require "robotalk.core"

local spec = core.spec()

-- Groups of dofs by what their values are.
local GROUPS = { [1] = "setpoints", [2] = "speeds", [4] = "forces" }
local ZERO = { 0, 0, 0 }

local numbered = setmetatable({}, { __mode = "k" }) -- body -> its joints by their numbers, of a revision

local function joints_of(body)
  local known = numbered[body]
  if not known or known.revision ~= body.revision then
    known = { revision = body.revision, of = {} } -- of: by the numbers of their dofs
    for _, joint in pairs(body.joints) do
      known[joint.number] = joint
      for dof = joint.first, joint.first + joint.dofs - 1 do known.of[dof] = joint end
    end
    numbered[body] = known
  end
  return known
end

-- The dofs of commands to joints, group by group, in the order of their numbers.
local function gather(body, commands, move)
  local joints, values, limits, velocities = joints_of(body), {}, {}, {}
  for i = 1, #commands do
    local cmd = commands[i]
    local joint, mask = joints[cmd.joint], cmd.mask
    local first, group = joint.first, GROUPS[spec.commands[cmd.op].servo]
    local value = values[group] or {}
    values[group] = value
    for k = 1, #joint.names do
      if mask >> k - 1 & 1 == 1 then
        value[first + k] = cmd.value[k]
        if cmd.speed then
          limits[group] = limits[group] or {}
          limits[group][first + k] = cmd.speed
        end
        if cmd.velocity then
          velocities[group] = velocities[group] or {}
          velocities[group][first + k] = cmd.velocity[k]
        end
      end
    end
  end
  for group, value in pairs(values) do
    local dofs, list, n = {}, {}, 0
    local limit, most = limits[group] and {}, limits[group]
    local velocity, onward = velocities[group] and {}, velocities[group]
    for dof = 1, body.dofs do
      if value[dof] then
        n = n + 1
        dofs[n], list[n] = dof - 1, value[dof]
        if most then limit[n] = most[dof] or 0 end
        if onward then velocity[n] = onward[dof] or 0 end
      end
    end
    move[group] = { dofs = dofs, value = list, limit = limit, velocity = velocity }
  end
end

local function six(a, b)
  a, b = a or ZERO, b or ZERO
  return { a[1], a[2], a[3], b[1], b[2], b[3] }
end

local function control_frame(cmd)
  return { frame = cmd.frame, servo = spec.commands[cmd.op].servo, free = cmd.free or 0,
    values = six(cmd.position or cmd.linear or cmd.force, cmd.attitude or cmd.angular or cmd.torque) }
end

-- What a move cannot carry: a stop, and bounds but for the speed of dofs.
local function goes_alone(cmd)
  return cmd.op == "stop" or cmd.acceleration ~= nil or (cmd.speed ~= nil and cmd.joint == nil)
end

---The plain commands as one move. One alone stays what it is, and so does what a move cannot carry, which goes first.
local function join(body, commands)
  local sent, parts = {}, {}
  for _, cmd in ipairs(commands) do table.insert(goes_alone(cmd) and sent or parts, cmd) end
  if #parts < 2 then
    sent[#sent + 1] = parts[1]
    return sent
  end
  local move, dofs = { op = "move", start = parts[1].start }, {}
  for _, cmd in ipairs(parts) do
    local moves = spec.commands[cmd.op].moves
    if moves == "root" then
      move[cmd.op == "go_to" and "place" or "speed"] = { cmd.x or 0, cmd.y or 0, cmd.theta or 0 }
    elseif moves == "frame" then
      move.frames = move.frames or {}
      table.insert(move.frames, control_frame(cmd))
    else
      dofs[#dofs + 1] = cmd
    end
  end
  gather(body, dofs, move)
  sent[#sent + 1] = move
  return sent
end

-- What a part is called: the base, a joint and one of its dofs, a control frame.
local function name_of(body, part)
  if part.kind == "base" then return "base" end
  if part.kind == "frame" then
    for name, frame in pairs(body.frames) do if frame.number == part.number then return name end end
  end
  local joint = part.kind == "dof" and joints_of(body).of[part.number]
  if joint then return joint.name, joint.names[part.number - joint.first + 1] end
  return ("%s %d"):format(part.kind, part.number)
end

-- Adds a name to a list that may not be there yet, once.
local function add(list, name)
  list = list or {}
  for _, other in ipairs(list) do if other == name then return list end end
  list[#list + 1] = name
  return list
end

---Gives the parts of a result their names: part, dof; and the result left_out and clipped, the names of those parts.
local function name(body, result)
  for _, part in ipairs(result.parts or {}) do
    part.part, part.dof = name_of(body, part)
    part.kind, part.number = nil, nil
    part.signal = part.signal:upper()
    if part.signal == "NA" then result.left_out = add(result.left_out, part.part) end
    if part.reason == "limit" then result.clipped = add(result.clipped, part.part) end
  end
end

---Bytes that a command takes on the wire, at most.
local function bytes(cmd)
  if cmd.op ~= "move" then return 96 end
  local n = 128 + 52 * #(cmd.frames or {})
  for _, group in pairs(GROUPS) do if cmd[group] then n = n + 32 * #cmd[group].dofs end end
  return n
end

return { join = join, name = name, bytes = bytes }
