-- Makes commands from the tables that scripts write: fields are checked, joints, dofs and control frames found by their
-- names. `self` is a session, in whose body names are looked up.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local frames = require "robotalk.session.frame"
local keys = require "robotalk.session.keys"
local mistake = require "robotalk.mistakes.mistake"

local math_type, next, type = math.type, next, type
local spec = core.spec()

local cmds = {}

---x as a finite number. Messages name it `what`, or `what.field`.
local function check_number(x, what, field)
  if not (math_type(x) and x - x == 0) then
    mistake("%s%s: want a finite number, got %s", what, field and "." .. field or "",
      type(x) == "number" and (x ~= x and "NaN" or x) or type(x))
  end
  return x
end
cmds.check_number = check_number

---Raises unless it is a table of finite numbers with these fields, at most: name -> true.
function cmds.check_fields(fields, allowed, what)
  if type(fields) ~= "table" then mistake("%s: want a table, got %s", what, type(fields)) end
  for name, value in next, fields do
    if not allowed[name] then checked.refuse(what, "field", name, checked.names(allowed)) end
    if not (math_type(value) and value - value == 0) then check_number(value, what, name) end -- no call for a number
  end
end

local PLACE <const> = { x = true, y = true, theta = true, start = true, speed = true, acceleration = true }
local PART <const> = { x = true, y = true, theta = true, speed = true, acceleration = true }

---Raises unless it is a place that go_to can go to. dated: whether it may have a start.
function cmds.check_place(goal, what, dated)
  if type(goal) == "table" and goal[1] ~= nil then
    mistake("%s: want x and y by name, { x = 1, y = 0 }, got a list", what)
  end
  cmds.check_fields(goal, dated and PLACE or PART, what)
  if goal.x == nil and goal.y == nil then
    mistake("%s: want x, y or both, got neither; to turn in place, give those of robot:state() and theta", what)
  end
end

local bound = { speed = true, acceleration = true } -- of goals: maximum values, 0 for the limits

---A joint by its name. others: further names that may have been meant, beside those of control
---frames.
function cmds.find_joint(self, name, others)
  local joint = self.body.joints[name]
  if not joint then
    local meant = {}
    for other in pairs(others and self.body.frames or {}) do meant[other] = true end
    for _, other in ipairs(others or {}) do meant[other] = true end
    checked.refuse(self.body.name, "joint", name, checked.names(self.body.joints), meant)
  end
  return joint
end

local START = { start = true } -- fields of all commands
local POSE = { start = true, straight = true } -- and a pose

-- By command: the names of its quantities.
local quantities = {}
for op, kind in pairs(spec.commands) do
  quantities[op] = {}
  for _, field in ipairs(kind.fields) do if field.unit ~= "" then quantities[op][field.name] = true end end
end

-- { pan = 0.2 }, velocities of a joint's set-points, into a servo command.
local function add_velocities(joint, cmd, velocities)
  local list, given, what = { 0, 0, 0, 0, 0, 0 }, 0, joint.name .. ".velocity"
  velocities = keys.table_of(joint, velocities, what)
  for dof, value in pairs(velocities) do
    local index = keys.place(joint, velocities, dof)
    if not index or cmd.mask >> index & 1 == 0 then mistake("%s: '%s' has no set-point", what, tostring(dof)) end
    if given >> index & 1 == 1 then mistake("%s: '%s' is there twice", what, joint.names[index + 1]) end
    given = given | 1 << index
    list[index + 1] = check_number(value, what, dof)
  end
  cmd.velocities, cmd.velocity = #list, list
end

---{ pan = 0.4 } of a joint, or a number for its only dof, as the fields of a servo command.
function cmds.servo(self, op, name, values)
  local joint = self.body.joints[name] or cmds.find_joint(self, name)
  local index, mask, value = joint.index, 0, { 0, 0, 0, 0, 0, 0 }
  local cmd = { op = op, joint = joint.number, mask = 0, value = value }
  if type(values) ~= "table" then values = keys.table_of(joint, values, op .. " " .. name) end
  for dof, x in next, values do
    local i = index[dof] or not quantities[op][dof] and dof ~= "start" and keys.place(joint, values, dof) or nil
    local velocities = not i and dof == "velocity" and quantities[op][dof]
    if not (i or dof == "start" or velocities or bound[dof] and quantities[op][dof]) then
      checked.refuse(name, "dof", dof, joint.names, quantities[op])
    end
    if not (velocities or math_type(x) and x - x == 0) then check_number(x, name, dof) end
    if i then
      if mask >> i & 1 == 1 then mistake("%s: '%s' is there twice", name, joint.names[i + 1]) end
      mask = mask | 1 << i
      value[i + 1] = x
    elseif not velocities then
      cmd[dof] = x
    end
  end
  if mask == 0 then mistake("%s %s: want at least one of %s", op, name, table.concat(joint.names, ", ")) end
  cmd.mask = mask
  if values.velocity and not index.velocity then add_velocities(joint, cmd, values.velocity) end
  return cmd
end

---A control frame by its name.
function cmds.find_frame(self, name)
  local frame = self.body.frames[name]
  if not frame then checked.refuse(self.body.name, "control frame", name, checked.names(self.body.frames)) end
  return frame
end

---Lists of three numbers by name as the fields of a command to a control frame; `needed` must be there.
function cmds.frame_command(self, op, name, values, needed)
  local cmd = { op = op, frame = cmds.find_frame(self, name).number }
  if type(values) ~= "table" then mistake("%s %s: want a table, got %s", op, name, type(values)) end
  for key, value in pairs(values) do
    if key == "start" or bound[key] and quantities[op][key] then
      cmd[key] = check_number(value, name, key)
    elseif quantities[op][key] then
      if type(value) ~= "table" or #value ~= 3 then mistake("%s %s.%s: want three numbers", op, name, key) end
      for i = 1, 3 do check_number(value[i], name, ("%s[%d]"):format(key, i)) end
      cmd[key] = { value[1], value[2], value[3] }
    else
      checked.refuse(op, "field", key, checked.names(quantities[op]), op == "set_frame" and POSE or START)
    end
  end
  if needed and not cmd[needed] then mistake("%s %s: want %s = { x, y, z }", op, name, needed) end
  return cmd
end

---A pose for a control frame: without an attitude it keeps the one that this has now, if it has the dofs for that; with
---attitude = false any will do; straight = true: it ends on its line rather than leave it. nil, message, code when the
---robot's state cannot be read.
function cmds.pose_command(self, name, values)
  local fields, straight = values, type(values) == "table" and values.straight
  local free = type(values) == "table" and values.attitude == false
  if free or straight ~= nil then
    fields = {}
    for key, value in pairs(values) do
      if key ~= "straight" and not (free and key == "attitude") then fields[key] = value end
    end
    if straight and type(straight) ~= "boolean" then mistake("set_frame %s.straight: want true or false", name) end
  end
  local cmd = cmds.frame_command(self, "set_frame", name, fields, "position")
  free = free or not cmd.attitude and #frames.dofs_of(self.body, cmds.find_frame(self, name)) < 6
  cmd.free = (free and 1 or 0) | (straight and 2 or 0)
  if free then
    cmd.attitude = { 0, 0, 0 }
  elseif not cmd.attitude then
    local state, message, code = self:state()
    if not state then return nil, message, code end
    cmd.attitude = self.body.kinematics:fk(state.position, name).attitude
  end
  return cmd
end

return cmds
