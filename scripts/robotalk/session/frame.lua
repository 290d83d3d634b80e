-- A frame: one command of all parts that begin at one instant. This module makes it from its parts, and adds names to
-- the parts of its result.
local core = require "robotalk.core"

local math_type, next, type = math.type, next, type
local kinds = core.spec().commands

-- Groups of dofs by the kind of their values.
local GROUPS = { [1] = "setpoints", [2] = "speeds", [4] = "forces" }
local ZERO = { 0, 0, 0 }

local known = setmetatable({}, { __mode = "k" }) -- body -> the result of numbered, of a revision

local function before(a, b)
  if a.first ~= b.first then return a.first < b.first end
  return a.number < b.number
end

---The parts of a body by number: parts, all parts of a frame in their order, the base, joints by
---their dofs, control frames; joint, by its number; of, joints by the numbers of their dofs; chains, the dofs that move
---control frames, as far as they are known; leaders, the dofs that mimicking dofs follow; shares: whether parts other
---than control frames may depend on each other.
local function numbered(body)
  local k = known[body]
  if k and k.joints == body.joints then return k end -- each description has its own
  local joints, frames = {}, {}
  k = { joints = body.joints, parts = { { name = "base" } }, joint = {}, of = {}, chains = {}, leaders = {} }
  for name, joint in pairs(body.joints) do
    if name ~= "base" then joints[#joints + 1] = joint end
    k.joint[joint.number] = joint
    for dof = joint.first, joint.first + joint.dofs - 1 do k.of[dof] = joint end
  end
  for name, frame in pairs(body.frames) do
    if name ~= "base" and not body.joints[name] then frames[#frames + 1] = frame end
  end
  for i, dof in ipairs(body.limits.dof) do
    if dof.mimics > 0 then k.leaders[i - 1] = dof.mimics - 1 end
  end
  k.shares = next(k.leaders) ~= nil or k.joint[0].dofs > 0
  table.sort(joints, before)
  table.sort(frames, before)
  table.move(joints, 1, #joints, 2, k.parts)
  table.move(frames, 1, #frames, #k.parts + 1, k.parts)
  known[body] = k
  return k
end

---The dofs that move a control frame, by their numbers.
local function dofs_of(body, frame)
  local chains = numbered(body).chains
  if chains[frame.number] then return chains[frame.number] end
  local link, dofs = frame.link, {}
  for _ = 1, body.links do
    for _, joint in pairs(body.joints) do
      if joint.child == link then
        for k = 0, joint.dofs - 1 do dofs[#dofs + 1] = joint.first + k end
        link = joint.parent
        break
      end
    end
  end
  chains[frame.number] = dofs
  return dofs
end

-- The group of a move for a servo command: its set-points, speeds or forces.
local function group_of(move, servo)
  local name = GROUPS[servo]
  local group = move[name]
  if not group then
    group = { dofs = {}, value = {} }
    move[name] = group
  end
  return group
end

---Adds set-points of a joint behind those of a move. false: not all values are set-points.
local function include_setpoints(move, joint, values)
  local index, names = joint.index, joint.names
  if type(values) ~= "table" or next(values) == nil then return false end
  for dof, x in next, values do
    if not (index[dof] and math_type(x) and x - x == 0) then return false end
  end
  local group, first = move.setpoints or group_of(move, 1), joint.first - 1
  local dofs, value, limit, velocity = group.dofs, group.value, group.limit, group.velocity
  local n = #dofs
  for k = 1, #names do
    local x = values[names[k]]
    if x then
      n = n + 1
      dofs[n], value[n] = first + k, x
      if limit then limit[n] = 0 end
      if velocity then velocity[n] = 0 end
    end
  end
  return true
end

local function zeros(n)
  local list = {}
  for i = 1, n do list[i] = 0 end
  return list
end

-- Adds the dofs of a command to a joint behind those of their group.
local function add_dofs(move, joint, cmd, servo)
  local group = group_of(move, servo)
  local dofs, n = group.dofs, #group.dofs
  if cmd.speed and not group.limit then group.limit = zeros(n) end
  if cmd.velocity and not group.velocity then group.velocity = zeros(n) end
  for k = 1, joint.dofs do
    if cmd.mask >> k - 1 & 1 == 1 then
      n = n + 1
      dofs[n], group.value[n] = joint.first + k - 1, cmd.value[k]
      if group.limit then group.limit[n] = cmd.speed or 0 end
      if group.velocity then group.velocity[n] = cmd.velocity and cmd.velocity[k] or 0 end
    end
  end
end

local function six(a, b)
  a, b = a or ZERO, b or ZERO
  return { a[1], a[2], a[3], b[1], b[2], b[3] }
end

local function control_frame(cmd)
  return { frame = cmd.frame, servo = kinds[cmd.op].servo, free = cmd.free or 0,
    values = six(cmd.position or cmd.linear or cmd.force, cmd.attitude or cmd.angular or cmd.torque) }
end

-- Whether a move cannot carry a command: a stop, and bounds other than the speed of dofs.
local function goes_alone(cmd)
  return cmd.op == "stop" or cmd.acceleration ~= nil or (cmd.speed ~= nil and cmd.joint == nil)
end

---Makes a plain command a part of a move. Those to joints come in the order of their dofs. false: a move cannot carry
---it.
local function include(move, body, cmd)
  local kind = kinds[cmd.op]
  if goes_alone(cmd) then return false end
  if kind.moves == "joint" then
    add_dofs(move, numbered(body).joint[cmd.joint], cmd, kind.servo)
  elseif kind.moves == "frame" then
    move.frames = move.frames or {}
    table.insert(move.frames, control_frame(cmd))
  else
    local goes = cmd.op == "go_to"
    move[goes and "place" or "speed"] = { cmd.x or 0, cmd.y or 0, cmd.theta or not goes and 0 }
  end
  return true
end

-- The name of a part: the base, a joint and one of its dofs, a control frame.
local function name_of(body, part)
  if part.kind == "base" then return "base" end
  if part.kind == "frame" then
    for name, frame in pairs(body.frames) do if frame.number == part.number then return name end end
  end
  local joint = part.kind == "dof" and numbered(body).of[part.number]
  if joint then return joint.name, joint.names[part.number - joint.first + 1] end
  return ("%s %d"):format(part.kind, part.number)
end

-- A part and its dof as one name.
local function full_name(body, number)
  local joint, dof = name_of(body, { kind = "dof", number = number })
  return joint == dof and joint or joint .. "." .. dof
end

-- Calls claim(dof, part) for each dof that a command of a frame moves; part: "base" or the name of a control frame if
-- that moves it, false when it is named itself.
local function each_dof(body, cmd, claim)
  local k = numbered(body)
  for _, group in pairs(GROUPS) do
    for _, dof in ipairs(cmd[group] and cmd[group].dofs or {}) do claim(dof, false) end
  end
  for i = 0, cmd.joint and k.joint[cmd.joint].dofs - 1 or -1 do
    local dof = k.joint[cmd.joint].first + i
    if cmd.mask >> i & 1 == 1 then claim(dof, false) end
  end
  if cmd.place or cmd.op == "go_to" or cmd.op == "set_speed" or cmd.op == "move" and cmd.speed then
    local root = k.joint[0]
    for dof = root.first, root.first + root.dofs - 1 do claim(dof, "base") end
  end
  for _, part in ipairs(cmd.frames or { cmd.frame and cmd }) do
    for name, frame in pairs(body.frames) do
      if frame.number == part.frame then
        for _, dof in ipairs(dofs_of(body, frame)) do claim(dof, name) end
      end
    end
  end
end

---The contradiction in the commands of a frame, as text: two parts that move the same dof, or a dof and the one
---that it mimics. nil: none.
local function contradiction(body, commands)
  local wrong, parts = nil, {}
  for _, cmd in ipairs(commands) do
    each_dof(body, cmd, function(dof, part)
      if parts[dof] ~= nil and parts[dof] ~= part then
        local name = full_name(body, dof)
        wrong = wrong or ("%s and %s both move %s"):format(parts[dof] or name, part or name, name)
      end
      parts[dof] = part
    end)
  end
  for dof, leader in pairs(numbered(body).leaders) do
    if parts[dof] ~= nil and parts[leader] ~= nil then
      wrong = wrong or ("%s follows %s, and cannot be moved beside it"):format(full_name(body, dof),
        full_name(body, leader))
    end
  end
  return wrong
end

-- Adds a name once to a list that may not exist yet.
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

return { numbered = numbered, dofs_of = dofs_of, contradiction = contradiction,
  include = include, include_setpoints = include_setpoints, name = name, bytes = bytes }
