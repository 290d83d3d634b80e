-- The actions of paper 002, the Golog-Tekkotsu interface, on an AIBO and, as far as its body allows, on every other
-- robot: sensors and ball are asked for, the head searches, joints move, motions play, and it walks. Every action is
-- dated: `at` is a time of robotalk.now(), 0 or nil means now. Units are the interface's: degrees, millimetres a
-- second, radians a second. What waits for its end gives the robot's word like every command.
local core = require "robotalk.core"
local motion = require "robotalk.tekkotsu.motion"
local names = require "robotalk.tekkotsu.names"
local player = require "robotalk.tekkotsu.player"
local task = require "robotalk.task"

local aibo = {}

local Aibo = {}
Aibo.__index = Aibo

-- Greatest walking speeds, mm/s and rad/s (Tekkotsu, CMPackWalkMC).
local MOST = { 180, 140, 1.8 }
local SCAN = 1.2 -- rad/s of a head that searches

---The actions over a robot. options: field, an arena with balls; motions, the folder of motion files; model, whose
---names of outputs and sensors count (ERS7).
function aibo.new(robot, options)
  options = options or {}
  return setmetatable({ robot = robot, field = options.field, motions = options.motions or ".",
    model = options.model or "ERS7" },
    Aibo)
end

-- Waits for the time of an action.
local function await(at)
  local left = (at or 0) - core.now()
  if left > 0 then task.sleep(left) end
end

local function dated(at, fields)
  fields.start = at and at > core.now() and at or nil
  return fields
end

-- ---- asking ----

-- Sensors that the simulation has no obstacles for tell their greatest range; nobody presses buttons.
local NOTHING_THERE = { NearIRDist = 500, FarIRDist = 1500, ChestIRDist = 900, IRDist = 900 }

local function sensor(state, name)
  if NOTHING_THERE[name] then return NOTHING_THERE[name] end
  -- gravity along the body's own axes, as an accelerometer at rest feels it: backward, left, down
  local roll, pitch = state.attitude[1], state.attitude[2]
  if name == "BAccel" then return -9.8 * math.sin(pitch) end
  if name == "LAccel" then return 9.8 * math.sin(roll) * math.cos(pitch) end
  if name == "DAccel" then return -9.8 * math.cos(roll) * math.cos(pitch) end
  if name == "PowerRemain" then return state.battery end
  if name == "PowerVoltage" then return state.voltage end
  return 0
end

---querySensors: values of joints (degrees), sensors and buttons (Tekkotsu's units) by name, GTI's atoms or Tekkotsu's
---names, in that order. Raises for a name that is none; a joint that the body has not reads 0.
function Aibo:query_sensors(list, at)
  await(at)
  local state, message, code = self.robot:state()
  if not state then return nil, message, code end
  local body, values = self.robot:describe(), {}
  for i, atom in ipairs(list) do
    local name = names.of_atom(atom, self.model)
    if not name then error(("query_sensors: there is no sensor or joint %s"):format(tostring(atom)), 2) end
    local joint, dof = names.place(body, name)
    values[i] = joint and math.deg(state.joints[joint][dof]) or sensor(state, name)
  end
  return values
end

---queryBall: what the camera sees of a ball: true, x and y of its middle and its area (generalised coordinates); or
---false. options: pixels.
function Aibo:query_ball(color, at, options)
  await(at)
  local seen = self.field and self.field:see(self.robot, color, options) or { visible = false }
  if not seen.visible then return false end
  return true, seen.x, seen.y, seen.area
end

---Where a ball lies that the camera sees, from the body's middle: metres ahead and to the left; nil when it is not
---seen, or looks as if it were in the air. By the ray through the middle of the picture's ball, down to the floor: so
---it is as good as the joints' angles are. diameter: the ball's (0.08).
function Aibo:place_of_ball(color, diameter)
  local seen = self.field and self.field:see(self.robot, color) or { visible = false }
  local body = self.robot:describe()
  local camera = body.descriptor.cameras and body.descriptor.cameras[1]
  if not seen.visible or not camera then return nil end
  local state = self.robot:state()
  local pose = self.robot.model:fk(state.position)[(camera.link or 0) + 1]
  local r, eye = pose.rotation, pose.position
  local function turned(v)
    return { r[1] * v[1] + r[2] * v[2] + r[3] * v[3], r[4] * v[1] + r[5] * v[2] + r[6] * v[3],
      r[7] * v[1] + r[8] * v[2] + r[9] * v[3] }
  end
  local tangent, place = math.tan(camera.fov / 2), turned(camera.position or { 0, 0, 0 })
  local ray = turned { 1, -seen.x * tangent, -seen.y * tangent }
  local high = state.z + eye[3] + place[3] - (diameter or 0.08) / 2
  if ray[3] > -1e-3 then return nil end
  local t = high / -ray[3]
  return eye[1] + place[1] + t * ray[1], eye[2] + place[2] + t * ray[2]
end

-- ---- the head ----

-- The dofs that look about: pan, and those that look up and down with their limits, the head's before the neck's.
local function eyes(robot)
  local body = robot:describe()
  local list = {}
  for _, output in ipairs { "NECK:nod", "NECK:tilt" } do
    local joint, dof = names.place(body, output)
    if joint and not (list[1] and list[1].joint == joint and list[1].dof == dof) then
      list[#list + 1] = { joint = joint, dof = dof }
    end
  end
  local joint, dof = names.place(body, "NECK:pan")
  local function range(part)
    for _, one in pairs(body.descriptor.joints) do
      if one.name == part.joint then
        for k, d in ipairs(one.dofs) do
          if (d.name or tostring(k - 1)) == part.dof then return d.limit or { -1.5, 1.5 } end
        end
      end
    end
  end
  for _, part in ipairs(list) do part.limit = range(part) end
  return joint and { joint = joint, dof = dof, limit = range { joint = joint, dof = dof } }, list
end

local function clip(x, limit) return math.max(limit[1], math.min(limit[2], x)) end

-- Sends a set-point and does not wait for it: the next one takes over.
local function aim(robot, part, angle, speed)
  local joint = robot:describe().joints[part.joint]
  local cmd = { op = "set_joint", joint = joint.number, mask = 1 << joint.index[part.dof], value = { 0, 0, 0, 0, 0, 0 },
    speed = speed }
  cmd.value[joint.index[part.dof] + 1] = clip(angle, part.limit)
  return robot:send { cmd }
end

---Turns the head towards a ball that the camera sees, by half of what is missing: the head is under way while the
---picture is old. What it sees: as of arena's see.
function Aibo:track(color)
  local seen = self.field and self.field:see(self.robot, color) or { visible = false }
  local pan, tilts = eyes(self.robot)
  if not seen.visible or not pan then return seen end
  local tangent = math.tan((self.robot:describe().descriptor.cameras[1].fov or 1) / 2)
  local state = self.robot:state()
  aim(self.robot, pan, state.joints[pan.joint][pan.dof] - 0.5 * math.atan(seen.x * tangent))
  local missing = -0.5 * math.atan(seen.y * tangent)
  for _, part in ipairs(tilts) do
    local now = state.joints[part.joint][part.dof]
    local to = clip(now + missing, part.limit)
    if math.abs(to - now) > 1e-4 then aim(self.robot, part, to) end
    missing = missing - (to - now)
  end
  return seen
end

---Turns the head until a ball is in the middle of the picture, within 0.05, for at most so many seconds (2): whether
---it is.
function Aibo:point_at(color, seconds)
  local until_ = core.now() + (seconds or 2)
  repeat
    local seen = self:track(color)
    if not seen.visible then return false end
    if math.abs(seen.x) < 0.05 and math.abs(seen.y) < 0.05 then return true end
    task.sleep(1 / 15)
  until core.now() >= until_
  return false
end

---searchBall: the head scans from side to side, level and lower, until the camera sees the ball, and is left pointing
---at it: true; false when it is nowhere, and the head stays somewhere.
function Aibo:search_ball(color, at)
  await(at)
  local pan, tilts = eyes(self.robot)
  if not pan or not self.field then return false end
  for _, height in ipairs { -0.15, -0.7 } do
    local left = height
    for k = #tilts, 1, -1 do -- the neck first, then the head
      local part = tilts[k]
      local to = clip(left, part.limit)
      aim(self.robot, part, to)
      left = left - to
    end
    local side = self.robot:state().joints[pan.joint][pan.dof] > 0 and 1 or -1
    for _, goal in ipairs { side, -side } do
      local edge = goal > 0 and pan.limit[2] or pan.limit[1]
      aim(self.robot, pan, edge, SCAN)
      repeat
        if self.field:see(self.robot, color).visible then return self:point_at(color) end
        task.sleep(1 / 30)
        local state = self.robot:state()
        if state.panic then return false end
      until math.abs(state.joints[pan.joint][pan.dof] - edge) < 0.02
    end
  end
  return false
end

-- ---- moving ----

---moveJoints: { { name, degrees, speed = percent of the joint's greatest }, … } at the same time; names as for
---query_sensors. The word of the worst.
function Aibo:move_joints(list, at)
  local body, joints = self.robot:describe(), {}
  for _, one in ipairs(list) do
    local name = names.of_atom(one[1], self.model)
    if not name then error(("move_joints: there is no joint %s"):format(tostring(one[1])), 2) end
    local joint, dof = names.place(body, name)
    if not joint then return "NA", "the body has no joint " .. one[1] end
    joints[joint] = joints[joint] or { dofs = {} }
    joints[joint].dofs[dof] = math.rad(one[2])
    if one.speed then
      local most
      for _, d in pairs(body.descriptor.joints) do
        if d.name == joint then most = d.dofs[body.joints[joint].index[dof] + 1].speed end
      end
      joints[joint].dofs.speed = math.max(joints[joint].dofs.speed or 0, (most or 1) * one.speed / 100)
    end
  end
  local worst, waits = "SUCCESS", {}
  -- whoever ends the task that waits here ends these too
  local _ <close> = setmetatable({}, { __close = function()
    for _, wait in ipairs(waits) do wait:cancel() end
  end })
  for joint, one in pairs(joints) do
    waits[#waits + 1] = task.spawn(function() return self.robot:set_joint(joint, dated(at, one.dofs)) end)
  end
  for _, wait in ipairs(waits) do
    local ok, word, why = wait:wait()
    if not ok then error(word, 0) end
    if word == nil then return nil, why end
    if word ~= "SUCCESS" then worst = word end
  end
  return worst
end

---motion: plays a motion sequence file of the folder of motions. NA with why for one that is not there or not good.
function Aibo:motion(file, at)
  local sequence, why = motion.load(self.motions .. "/" .. file, { model = self.model })
  if not sequence then return "NA", why end
  await(at)
  local report, message, code = player.play(self.robot, sequence)
  if not report then return nil, message, code end
  for _, word in ipairs { "PANIC", "ERROR", "INTERRUPTED", "BUSY" } do
    if report.signals[word] then return word end
  end
  return "SUCCESS"
end

---walk: with that velocity, mm/s ahead and to the left, rad/s to the left, until changed.
function Aibo:walk(dx, dy, da, at)
  return self.robot:set_speed(dated(at, { x = clip(dx, { -MOST[1], MOST[1] }) / 1000,
    y = clip(dy, { -MOST[2], MOST[2] }) / 1000, theta = clip(da, { -MOST[3], MOST[3] }) }))
end

---walk for so many seconds.
function Aibo:walk_for(dx, dy, da, seconds, at)
  local word, why, result = self:walk(dx, dy, da, at)
  if word ~= "SUCCESS" and word ~= "MODIFIED" then return word, why, result end
  task.sleep(seconds)
  return self:stop_walk()
end

---Stands.
function Aibo:stop_walk(at) return self.robot:set_speed(dated(at, { x = 0, y = 0, theta = 0 })) end

return aibo
