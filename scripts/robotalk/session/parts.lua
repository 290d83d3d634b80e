-- The parts of a frame as commands: those that one move carries, and separate ones.
local checked = require "robotalk.mistakes.checked"
local cmds = require "robotalk.session.commands"
local frames = require "robotalk.session.frame"
local keys = require "robotalk.session.keys"
local mistake = require "robotalk.mistakes.mistake"

local next, type, include_setpoints = next, type, frames.include_setpoints

local velocity = { x = true, y = true, theta = true }
local BASE = { set_speed = "base.set_speed", go_to = "base.go_to" } -- their names in a frame

-- The command of a frame's base.
local function base_part(values)
  if type(values) ~= "table" then mistake("frame: base: want a table, got %s", type(values)) end
  local op, fields = next(values)
  if next(values, op) ~= nil or not (op == "speed" or op == "go_to" or (op == "stop" and fields)) then
    local names = {}
    for name_ in pairs(values) do names[#names + 1] = tostring(name_) end
    table.sort(names)
    mistake("a frame's base wants one of speed = {…}, go_to = {…} and stop = true, not %s",
      op == nil and "nothing" or table.concat(names, ", "))
  end
  if op == "stop" then return { op = "stop", base = 1 } end
  if op == "speed" then op = "set_speed" end
  if op == "go_to" then cmds.check_place(fields, BASE[op]) else cmds.check_fields(fields, velocity, BASE[op]) end
  local theta = fields.theta or (op ~= "go_to" and 0)
  return { op = op, x = fields.x, y = fields.y, theta = theta, speed = fields.speed,
    acceleration = fields.acceleration }
end

-- A joint's part of a frame: set-points; speeds of dofs that have a velocity and no set-point; forces.
local function joint_parts(self, name, values)
  local joint = self.body.joints[name]
  local fields = type(values) == "table" and values or {}
  if not (fields.velocity or fields.force) or joint.index.velocity or joint.index.force then
    return { cmds.servo(self, "set_joint", name, values) }
  end
  local set, along, speeds, mask, commands, taken = {}, {}, {}, 0, {}, 0
  for key, x in pairs(values) do
    if key ~= "velocity" and key ~= "force" then
      local dof = keys.place(joint, values, key)
      mask = mask | (dof and 1 << dof or 0)
      set[key] = x
    end
  end
  local velocities = values.velocity and keys.table_of(joint, values.velocity, name .. ".velocity") or {}
  for key, x in pairs(velocities) do
    local dof = keys.place(joint, velocities, key)
    if not dof then checked.refuse(name, "dof", key, joint.names) end
    local of = mask >> dof & 1 == 1 and along or speeds
    if of[joint.names[dof + 1]] then mistake("%s.velocity: '%s' is there twice", name, joint.names[dof + 1]) end
    of[joint.names[dof + 1]] = x
  end
  if next(along) then set.velocity = along end
  if next(set) then commands[1] = cmds.servo(self, "set_joint", name, set) end
  if next(speeds) then commands[#commands + 1] = cmds.servo(self, "set_joint_speed", name, speeds) end
  if values.force then commands[#commands + 1] = cmds.servo(self, "set_joint_force", name, values.force) end
  for _, cmd in ipairs(commands) do
    if taken & cmd.mask ~= 0 then mistake("frame: %s: a dof has a force and something else", name) end
    taken = taken | cmd.mask
  end
  return commands
end

-- Fields that no command to a joint has.
local OF_FRAMES = { "position", "attitude", "straight", "linear", "angular", "torque" }

-- Whether a part whose name a joint and a control frame share is for the control frame: by its fields.
local function is_for_frame(body, name, fields)
  local index = body.joints[name].index
  for _, field in ipairs(body.frames[name] and OF_FRAMES or {}) do
    if fields[field] ~= nil and not index[field] then return true end
  end
  return false
end

-- The commands of one other part of a frame: of a joint, or of a control frame a pose, a velocity or a force.
local function parts_by_name(self, name, values)
  local fields = type(values) == "table" and values or {}
  if self.body.joints[name] and not is_for_frame(self.body, name, fields) then
    return joint_parts(self, name, values)
  end
  if fields.linear or fields.angular then return { cmds.frame_command(self, "set_frame_speed", name, values) } end
  if fields.force or fields.torque then return { cmds.frame_command(self, "set_frame_force", name, values) } end
  local cmd, message = cmds.pose_command(self, name, values)
  if not cmd then mistake("frame: %s: where it is cannot be asked: %s", name, message) end
  return { cmd }
end

---All commands of a frame, or a mistake when a part is wrong. One move has all parts, except those that a move cannot
---carry, which are sent first, separately; a single part stays its own command. The same frame gives the same bytes:
---parts are in the body's order.
local function parts_of(self, parts, start)
  if type(parts) ~= "table" then mistake("frame: want a table of parts, got %s", type(parts)) end
  local body, known = self.body, frames.numbered(self.body)
  local slots, shares = known.parts, known.shares
  local sent, move, wanted, found, moved = {}, { op = "move", start = start }, 0, 0, 0
  local only -- the last part of the move: its command, or its name
  for _ in next, parts do wanted = wanted + 1 end
  for i = 1, #slots do
    local slot = slots[i]
    local name = slot.name
    local values = parts[name]
    if values ~= nil then
      found = found + 1
      if slot.names and include_setpoints(move, slot, values) then
        moved, only = moved + 1, name
      else
        for _, cmd in ipairs(i == 1 and { base_part(values) } or parts_by_name(self, name, values)) do
          cmd.start = start
          if frames.include(move, body, cmd) then
            moved, only = moved + 1, cmd
          else
            sent[#sent + 1] = cmd
          end
        end
      end
    end
  end
  for name in next, found < wanted and parts or {} do
    if name ~= "base" and not body.frames[name] then cmds.find_joint(self, name, { "base" }) end
  end
  if moved == 1 and type(only) == "string" then
    only = parts_by_name(self, only, parts[only])[1]
    only.start = start
  end
  sent[#sent + 1] = moved > 1 and move or only
  if shares or found > 1 and (move.frames or #sent > 1) then
    local wrong = frames.contradiction(body, sent)
    if wrong then mistake("frame: %s", wrong) end
  end
  return sent
end

return parts_of
