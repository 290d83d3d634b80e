-- A frame: plain commands of one instant become one command that moves all of it together, and what became of its
-- parts gets their names.
local core = require "robotalk.core"

local spec = core.spec()

-- Groups of dofs by what their values are.
local GROUPS = { [1] = "setpoints", [2] = "speeds", [4] = "forces" }
local ZERO = { 0, 0, 0 }

-- The dofs of commands to joints, group by group, in the order of their numbers.
local function gather(body, dofs, move)
  local joints = {}
  for _, joint in pairs(body.joints) do joints[joint.number] = joint end
  for _, cmd in ipairs(dofs) do
    local joint = joints[cmd.joint]
    for k = 1, #joint.names do
      if cmd.mask >> k - 1 & 1 == 1 then
        local name = GROUPS[spec.commands[cmd.op].servo]
        local group = move[name] or {}
        move[name] = group
        group[#group + 1] = { dof = joint.first + k - 1, value = cmd.value[k], limit = cmd.speed }
      end
    end
  end
  for _, name in pairs(GROUPS) do
    local group = move[name]
    if group then
      table.sort(group, function(a, b) return a.dof < b.dof end)
      local all = { dofs = {}, value = {} }
      for i, dof in ipairs(group) do
        all.dofs[i], all.value[i] = dof.dof, dof.value
        if dof.limit then all.limit = all.limit or {} end
      end
      for i, dof in ipairs(all.limit and group or {}) do all.limit[i] = dof.limit or 0 end
      move[name] = all
    end
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

---The plain commands as one move. One alone stays what it is, and a stop goes first: it is no part of anything.
local function join(body, commands)
  local sent, parts = {}, {}
  for _, cmd in ipairs(commands) do table.insert(cmd.op == "stop" and sent or parts, cmd) end
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
  for name, joint in pairs(body.joints) do
    local k = part.number - joint.first
    if part.kind == "dof" and type(name) == "string" and k >= 0 and k < #joint.names then
      return name, joint.names[k + 1]
    end
  end
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
