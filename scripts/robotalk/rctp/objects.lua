-- The objects of a robot behind RCTP that its driver here uses: their requests on a connection, and the values of
-- outputs. Each must fit the local body, and on a later connection be as it was on the first.
--
-- Fields of the device that this module sets: layouts, by names of objects as they were when a connection was used
-- last; found, the latest ones.
local rctp_objects = {}

local NUMBER <const> = 1e9 -- greater values are invalid

-- Raises a refusal, for the caller that catches it.
local function refuse(code, form, ...) error({ form:format(...), code }, 0) end

-- Requests an object with that number of parameters; nil: there is none.
local function want(self, client, name, least, most)
  local object, message, code, headers = client:assign(name)
  -- the first of them also shows whether there is such a robot
  local known = object or code == "ENONE" and (name ~= "command" or headers.objects)
  if not known then error({ message, code, headers }, 0) end
  if object and least and (object.kind ~= "control" or object.count < least or object.count > (most or least)) then
    refuse("EBODY", "%s: it has %d parameters: expected %d", name, object.count, most or least)
  end
  local layout = object and object.layout or "none"
  if (self.layouts[name] or layout) ~= layout then
    refuse("EBODY", "the robot there has other objects than before: %s: %s, was %s", name, layout, self.layouts[name])
  end
  self.found[name] = layout
  return object
end

-- The inputs for the controlling client.
local function want_inputs(self, client, all)
  for _, joint in ipairs(self.joints) do
    if joint.dofs[1] then all.inputs[joint.name] = want(self, client, joint.name, #joint.dofs) end
  end
  all.base = self.has_base and want(self, client, "base", 2, 3) or nil
end

local REFUSALS = { ELEASE = true, EROLE = true, EPANIC = true }

-- The same; a client that may not have them now gets all other objects, and the reason.
local function try_inputs(self, client, all)
  local ok, why = pcall(want_inputs, self, client, all)
  if ok then return end
  if type(why) ~= "table" or not REFUSALS[why[2]] then error(why, 0) end
  all.inputs, all.base = {}, nil
  all.refusal = { message = why[1], code = why[2], headers = why[3] or {} }
end

-- The objects of joint positions: one for all, or one for each.
local function want_positions(self, client, all)
  local count = 0
  for _, joint in ipairs(self.joints) do count = count + #joint.dofs end
  if count == 0 then return end
  local whole = want(self, client, "joints_state", count)
  if whole then all.states[whole.id] = { joints = self.joints } end
  for _, joint in ipairs(whole and {} or self.joints) do
    local one = joint.dofs[1] and want(self, client, joint.name .. "_state", #joint.dofs)
    if one then all.states[one.id] = { joints = { joint } } end
  end
end

-- The object of a sensor. If a joint has the same name, the sensor has a number behind its name there, like the second
-- of any two objects of one name: the first unused number.
local function want_sensor(self, client, name, count)
  local taken, n, object = { base = true, joints = true }, 1, name
  for _, joint in ipairs(self.joints) do taken[joint.name], taken[joint.name .. "_state"] = true, true end
  while taken[object] or client.objects[object] do
    n = n + 1
    object = ("%s_%d"):format(name, n)
  end
  return want(self, client, object, count)
end

---Makes the objects found last the expected ones of later connections: they are used now.
function rctp_objects.keep(self)
  for name, layout in pairs(self.found) do self.layouts[name] = layout end
end

---Requests all of them: { inputs = by joints' names, base, words, states and sensors by numbers, refusal = { message,
---code, headers } when the inputs are refused }. wanted: whether inputs are requested. Raises { message, code } when
---the remote robot cannot be used.
function rctp_objects.assign(self, client, wanted)
  local all = { inputs = {}, states = {}, sensors = {} }
  self.found = {}
  all.words = want(self, client, "command")
  if not (all.words and all.words.kind == "text") then
    refuse("EBODY", "the robot there takes no words: it could not be stopped")
  end
  if wanted then try_inputs(self, client, all) end
  want_positions(self, client, all)
  local base = self.has_base and want(self, client, "base_state", 3, 6)
  if base then all.states[base.id] = { base = true } end
  for name, sensor in pairs(self.sensors) do
    local object = want_sensor(self, client, name, sensor.count)
    if object then all.sensors[object.id] = name end
  end
  return all
end

-- ---- their values ----

local function is_number(x) return x and x == x and x >= -NUMBER and x <= NUMBER end

-- The values of some joints. Dofs that follow others are not sent, and no state is reported before all are known.
local function tell_joints(self, joints, values)
  local position, i = {}, 0
  for _, joint in ipairs(joints) do
    joint.now = joint.now or {}
    for n = 1, #joint.dofs do
      i = i + 1
      if is_number(values[i]) then joint.now[n] = values[i] end
    end
  end
  for _, joint in ipairs(self.joints) do
    for k = 1, #joint.names do position[joint.first + k] = 0 end
    for n, k in ipairs(joint.dofs) do
      if not (joint.now and joint.now[n]) then return end
      position[joint.first + k] = joint.now[n]
    end
  end
  self:report { position = position }
end

local function tell_base(self, values)
  local function three(from)
    local list = { table.unpack(values, from, from + 2) }
    return is_number(list[1]) and is_number(list[2]) and is_number(list[3]) and list or nil
  end
  self:report { pose = three(1), twist = three(4) }
end

-- A value that was not sent is not known; one that is too great is beyond the sensor's range.
local function tell_sensor(self, name, values)
  local list = {}
  for i = 1, self.sensors[name].count do
    local x = values[i]
    list[i] = is_number(x) and x or x and x > 0 and math.huge or 0 / 0
  end
  self:sensed(name, list)
end

---Handles the values of an output: true when it is one of these.
function rctp_objects.tell(self, message)
  local state, sensor = self.objects.states[message.id], self.objects.sensors[message.id]
  if state and state.joints then
    tell_joints(self, state.joints, message.values)
  elseif state then
    tell_base(self, message.values)
  elseif sensor then
    tell_sensor(self, sensor, message.values)
  end
  return state ~= nil or sensor ~= nil
end

return rctp_objects
