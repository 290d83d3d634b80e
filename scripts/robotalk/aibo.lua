-- The actions of paper 002, the Golog-Tekkotsu interface, on an AIBO and, as far as its body allows, on every other
-- robot: queries of sensors and balls, searching with the head, moving joints, playing motions, walking. Every action
-- is dated: `at` is a time of robotalk.now(), 0 or nil means now. Units are the interface's: degrees, millimetres a
-- second, radians a second. Actions that wait for their end return a result like every command. Actions overlap, and
-- the newest takes the axes that it needs (tekkotsu/manager.lua; the table is in spec/gti.md).
local checked = require "robotalk.mistakes.checked"
local colon = require "robotalk.mistakes.colon"
local core = require "robotalk.core"
local manager = require "robotalk.tekkotsu.manager"
local mistake = require "robotalk.mistakes.mistake"
local motion = require "robotalk.tekkotsu.motion"
local names = require "robotalk.tekkotsu.names"
local player = require "robotalk.tekkotsu.play"
local rise = require "robotalk.tekkotsu.rise"
local sight = require "robotalk.tekkotsu.eye"
local spatial = require "robotalk.robot.spatial"
local tekkotsu = require "robotalk.tekkotsu.sensed"
local task = require "robotalk.task"

local aibo = {}

local Aibo = {}
Aibo.__index = Aibo

local SCAN = 1.2     -- rad/s of a head that searches
local STALLED = 0.3  -- s: time without motion after which a search has ended
local STANDING = 2   -- s: time that legs may take to stand

local OPTIONS = { field = true, camera = true, motions = true, model = true }

---The actions over a robot. Balls are seen either by `field`, a field with balls, which computes how a camera would
---see them; or by `camera`, the name of the robot's camera, or true, the first, in whose pictures their colors are
---searched; without both there are none. Further options: motions, the folder of motion files; model, whose names
---of outputs and sensors count (ERS7).
function aibo.new(robot, options)
  options = checked.options(options, OPTIONS, "aibo")
  local camera = options.camera or nil
  if camera and options.field then mistake "aibo: want a field or a camera, got both" end
  if camera and camera ~= true and type(camera) ~= "string" then
    mistake("aibo: camera: want its name, or true, got %s", type(camera))
  end
  local name = type(camera) == "string" and camera or nil
  return setmetatable({ robot = robot, camera = name, eyes = options.field or camera and sight.open(name),
    motions = options.motions or ".", model = options.model or "ERS7" }, Aibo)
end

---The same dog for another user: `leave` ends the commands of only one of them.
function Aibo:another()
  return setmetatable({ robot = self.robot, camera = self.camera, eyes = self.eyes, motions = self.motions,
    model = self.model }, Aibo)
end

---Ends the commands that were begun here: a walk, a search, motions, moving joints. They stop where they are.
function Aibo:leave() manager.leave(self.robot, self) end

---Whether it walks by a command of ours.
function Aibo:walks()
  local walk = manager.holder(self.robot, manager.WALK)
  return walk ~= nil and walk.owner == self
end

-- Waits for the time of an action.
local function await(at)
  local left = (at or 0) - core.now()
  if left > 0 then task.sleep(left) end
end

-- ---- queries ----

-- For bodies without these sensors: no object is near.
local NOTHING_THERE = { NearIRDist = 500, FarIRDist = 1500, ChestIRDist = 900, IRDist = 900 }

-- The readings of the body's sensors that these names need, by the names of the sensors; nil, message, code when they
-- cannot be asked for.
local function readings(robot, list)
  local body, wanted, by = robot:describe(), {}, {}
  for _, name in ipairs(list) do
    local sensor = tekkotsu.sensor(name)
    if body.sensors[sensor] and not by[sensor] then
      by[sensor] = true
      wanted[#wanted + 1] = sensor
    end
  end
  if #wanted == 0 then return by end
  local told, message, code = robot:sense(wanted)
  if not told and code ~= "NA" then return nil, message, code end
  for _, reading in ipairs(told or {}) do
    if reading then by[reading.name] = reading end
  end
  return by
end

-- In Tekkotsu's units.
local function sensor(state, sensed, name)
  local reading = sensed[tekkotsu.sensor(name)]
  local value = type(reading) == "table" and tekkotsu.value(reading, name)
  if value then return value end
  if name == "PowerRemain" then return state.battery end
  if name == "PowerVoltage" then return state.voltage end
  return NOTHING_THERE[name] or 0
end

---querySensors: values of joints (degrees), sensors and buttons (Tekkotsu's units) by name, GTI's atoms or Tekkotsu's
---names, in that order. Raises for a name that is none; a joint that the body has not reads 0.
function Aibo:query_sensors(list, at)
  await(at)
  local state, message, code = self.robot:state()
  if not state then return nil, message, code end
  local body, meant, values = self.robot:describe(), {}, {}
  for i, atom in ipairs(list) do
    meant[i] = names.of_atom(atom, self.model)
    if not meant[i] then error(("query_sensors: there is no sensor or joint %s"):format(tostring(atom)), 2) end
  end
  local sensed
  sensed, message, code = readings(self.robot, meant)
  if not sensed then return nil, message, code end
  for i, name in ipairs(meant) do
    local joint, dof = names.place(body, name)
    values[i] = joint and math.deg(state.joints[joint][dof]) or sensor(state, sensed, name)
  end
  return values
end

-- The image of a ball.
local function look(self, color, options)
  return self.eyes and self.eyes:see(self.robot, color, options) or { visible = false }
end

-- The description of the camera in use; nil: there is none.
local function lens_of(self)
  for _, one in ipairs(self.robot:describe().descriptor.cameras or {}) do
    if not self.camera or one.name == self.camera then return one end
  end
end

---queryBall: the image of a ball in the camera: true, x and y of its middle and its area (generalised coordinates); or
---false, and the reason and a code when the camera has no picture. options: pixels.
function Aibo:query_ball(color, at, options)
  await(at)
  local seen = look(self, color, options)
  if seen.code then return false, seen.why, seen.code end
  if not seen.visible then return false end
  return true, seen.x, seen.y, seen.area
end

---The position of a ball that the camera sees, from the body's middle: metres ahead and to the left; nil when it is
---not seen, or appears to be in the air. It is the ray through the middle of the ball's image, down to the floor: so
---it is as exact as the joints' angles are. diameter: the ball's (0.08).
function Aibo:place_of_ball(color, diameter)
  local seen, camera = look(self, color), lens_of(self)
  if not seen.visible or not camera then return nil end
  local state = self.robot:state()
  local pose = self.robot.model:fk(state.position)[(camera.link or 0) + 1]
  local r, lean = pose.rotation, state.attitude
  local level = spatial.from_angles { lean[1], lean[2], 0 } -- the body sways when it walks
  local head = { p = pose.position, r = { { r[1], r[2], r[3] }, { r[4], r[5], r[6] }, { r[7], r[8], r[9] } } }
  local tangent = math.tan(camera.fov / 2)
  local lens = spatial.turn(level, spatial.place(head, camera.position or { 0, 0, 0 }))
  local ray = spatial.turn(level, spatial.turn(head.r, { 1, -seen.x * tangent, -seen.y * tangent }))
  if ray[3] > -1e-3 then return nil end
  local t = (state.z + lens[3] - (diameter or 0.08) / 2) / -ray[3]
  return lens[1] + t * ray[1], lens[2] + t * ray[2]
end

-- ---- the dofs ----

-- The joint, dof, limit and speed of one of Tekkotsu's outputs; nil when the body has none.
local function place(body, output)
  local joint, dof = names.place(body, output)
  if not joint then return nil end
  local described = manager.describe(body, joint, dof)
  return { joint = joint, dof = dof, limit = described.limit or { -1.5, 1.5 }, speed = described.speed or 1 }
end

local function dofs_of(parts)
  local list = {}
  for i, part in ipairs(parts) do list[i] = manager.dof(part.joint, part.dof) end
  return list
end

local function clip(x, limit) return math.max(limit[1], math.min(limit[2], x)) end

-- Begins a motion command of ours.
local function begin(self, parts, whole)
  return manager.begin(self.robot, dofs_of(parts), { owner = self, whole = whole })
end

-- A leg dof that a command has, or nil.
local function some_leg(command)
  for _, part in ipairs(manager.legs(command.robot:describe())) do
    if command:has(manager.dof(part.joint, part.dof)) then return part end
  end
end

-- The gait keeps the legs until the dog stands: a command with leg dofs waits for that.
local function await_legs(command)
  local robot, leg = command.robot, some_leg(command)
  local late = core.now() + STANDING
  while leg and not command.ended and core.now() < late do
    local state = robot:state()
    if not state then return end
    local at = state.joints[leg.joint][leg.dof]
    if robot:set_joint(leg.joint, { [leg.dof] = at }) ~= "BUSY" then return end -- also without a motion
    command:wait(0.03)
  end
end

-- ---- the head ----

-- The dofs of the gaze: pan, and the tilts, the head's before the neck's.
local function eyes(body)
  local list = {}
  for _, output in ipairs { "NECK:nod", "NECK:tilt" } do
    local part = place(body, output)
    local again = part and list[1] and list[1].joint == part.joint and list[1].dof == part.dof
    if part and not again then list[#list + 1] = part end
  end
  return place(body, "NECK:pan"), list
end

-- A command that needs all dofs of the head; pan, and the others. nil: there is no head.
local function begin_head(self)
  local pan, tilts = eyes(self.robot:describe())
  if not pan then return nil end
  return begin(self, { pan, table.unpack(tilts) }, true), pan, tilts
end

-- Turns towards a ball by half of the error, since the head moves on while the picture is old.
local function follow(self, command, pan, tilts, seen)
  local state = self.robot:state()
  if not state then return end
  local tangent, goals = math.tan(((lens_of(self) or {}).fov or 1) / 2), {}
  -- turns a dof by as much of an angle as it can: the remaining angle
  local function turn(part, angle)
    local now = state.joints[part.joint][part.dof]
    local to = clip(now + angle, part.limit)
    if math.abs(to - now) > 1e-4 then goals[#goals + 1] = { joint = part.joint, dof = part.dof, to = to } end
    return angle - (to - now)
  end
  turn(pan, -0.5 * math.atan(seen.x * tangent))
  local missing = -0.5 * math.atan(seen.y * tangent)
  for _, part in ipairs(tilts) do missing = turn(part, missing) end
  command:send(goals)
end

---Turns the head towards a ball that the camera sees, by half of the error. Returns the image, as see of a field.
function Aibo:track(color)
  local seen = look(self, color)
  if seen.visible then
    local command <close>, pan, tilts = begin_head(self)
    if command then follow(self, command, pan, tilts, seen) end
  end
  return seen
end

-- Turns until the ball is in the middle of the picture, and then stands.
local function point(self, command, pan, tilts, color, seconds)
  local late = core.now() + seconds
  repeat
    local seen = look(self, color)
    if not seen.visible then return false end
    if math.abs(seen.x) < 0.05 and math.abs(seen.y) < 0.05 then
      command:settle(1)
      return not command.ended and not command.failed, command.why
    end
    follow(self, command, pan, tilts, seen)
    if not command:wait_until(core.now() + 1 / 15) then return false, command.why end
  until core.now() >= late
  return false
end

---Turns the head until a ball is in the middle of the picture, within 0.05, for at most that many seconds (2). Returns
---whether it is; false and why when the head was taken.
function Aibo:point_at(color, seconds)
  local command <close>, pan, tilts = begin_head(self)
  if not command then return false end
  return point(self, command, pan, tilts, color, seconds or 2)
end

-- Pans to an edge until the ball is seen. True: it is; false: it is not, and the head is there; nil: the head does not
-- get there.
local function sweep(self, command, pan, edge, color)
  local robot = self.robot
  local before = robot:state()
  command:send { { joint = pan.joint, dof = pan.dof, to = edge, speed = SCAN } }
  local late, moved = core.now() + 2 * (pan.limit[2] - pan.limit[1]) / SCAN, core.now()
  while true do
    if command.ended or command.failed then return nil end
    if look(self, color).visible then return true end
    if not command.under_way[manager.dof(pan.joint, pan.dof)] then return false end
    command:wait_until(core.now() + 1 / 30)
    local state = robot:state()
    if not before or not state or state.panic or state.epoch ~= before.epoch then return nil end
    local at = state.joints[pan.joint][pan.dof]
    if math.abs(at - before.joints[pan.joint][pan.dof]) > 1e-3 then before, moved = state, core.now() end
    if core.now() - moved > STALLED or core.now() > late then return nil end
  end
end

local searches = setmetatable({}, { __mode = "k" }) -- robot -> the search in progress

-- One search at a time: two that take the head from each other find nothing.
local function my_turn(robot)
  while searches[robot] do task.wait(searches[robot]) end
  searches[robot] = setmetatable({}, { __close = function(turn)
    searches[robot] = nil
    task.wake(turn)
  end })
  return searches[robot]
end

---searchBall: the head scans from side to side, level and lower, until the camera sees the ball, and is left pointing
---at it: true; false when there is none, and the head stays where it is; false and why when another command moves the
---head. A search waits for one that is in progress.
function Aibo:search_ball(color, at)
  await(at)
  if not self.eyes then return false end
  local _ <close> = my_turn(self.robot)
  local first = look(self, color)
  if first.code then return false, first.why, first.code end
  local command <close>, pan, tilts = begin_head(self)
  if not command then return false end
  for _, height in ipairs { -0.15, -0.7 } do
    local left, goals = height, {}
    for k = #tilts, 1, -1 do -- the neck first, then the head
      local part = tilts[k]
      local to = clip(left, part.limit)
      goals[#goals + 1] = { joint = part.joint, dof = part.dof, to = to }
      left = left - to
    end
    command:send(goals)
    local state = self.robot:state()
    local side = state and state.joints[pan.joint][pan.dof] > 0 and 1 or -1
    for _, goal in ipairs { side, -side } do
      local seen = sweep(self, command, pan, goal > 0 and pan.limit[2] or pan.limit[1], color)
      if seen then return point(self, command, pan, tilts, color, 2) end
      if seen == nil then return false, command.why or "the head does not move" end
    end
  end
  return false
end

-- ---- motion ----

-- The result of a motion command.
local function outcome(command) return command.word, command.why end

---moveJoints: { { name, degrees, speed = percent of the joint's greatest }, … } at the same time; names as for
---query_sensors. Returns the worst signal. Legs stop walking for it.
function Aibo:move_joints(list, at)
  local body, goals = self.robot:describe(), {}
  for i, one in ipairs(list) do
    local name = names.of_atom(one[1], self.model)
    if not name then error(("move_joints: there is no joint %s"):format(tostring(one[1])), 2) end
    local goal = place(body, name)
    if not goal then return "NA", "the body has no joint " .. one[1] end
    goal.to, goal.speed = math.rad(one[2]), one.speed and goal.speed * one.speed / 100 or nil
    goals[i] = goal
  end
  await(at)
  local command <close> = begin(self, goals)
  await_legs(command)
  command:send(goals)
  command:settle()
  return outcome(command)
end

---motion: plays a motion sequence file of the folder of motions. NA with why for a missing or invalid one.
---Legs stop walking for it. Joints that newer commands take are left out. begun(legs), if given, is called when
---it has its joints; legs: whether some are of legs.
function Aibo:motion(file, at, begun)
  local sequence, why = motion.load(self.motions .. "/" .. file, { model = self.model })
  if not sequence then return "NA", why end
  await(at)
  local tracks = player.tracks(self.robot, sequence)
  local command <close> = begin(self, tracks)
  if begun then begun(some_leg(command) ~= nil) end
  await_legs(command)
  player.perform(command, sequence, tracks)
  -- a motion's frames are followed as closely as the body can
  if command.word == "MODIFIED" and not command.taken then return "SUCCESS" end
  return outcome(command)
end

-- Begins a walk: its command, and its result. A walk of speed zero ends the one before and has no axes.
local function set_out(self, dx, dy, da)
  local robot, stands = self.robot, dx == 0 and dy == 0 and da == 0
  local dofs = stands and {} or dofs_of(manager.legs(robot:describe()))
  dofs[#dofs + 1] = manager.WALK
  local command = manager.begin(robot, dofs, { owner = self, whole = true, on_end = function(taker)
    if taker and taker:has(manager.WALK) then return end
    manager.post(robot, { op = "set_speed", x = 0, y = 0, theta = 0 })
  end })
  local word, why, result = robot:set_speed { x = dx / 1000, y = dy / 1000, theta = da }
  if stands then
    command:finish()
  elseif word ~= "SUCCESS" and word ~= "MODIFIED" then
    command:stop "it was refused" -- the walk before it has ended, too, and nothing else would stop it
  end
  return command, word, why, result
end

---walk: with that velocity, mm/s ahead and to the left, rad/s to the left, until changed. MODIFIED when it is more than
---the legs can.
function Aibo:walk(dx, dy, da, at)
  await(at)
  return select(2, set_out(self, dx, dy, da))
end

---walk for that many seconds. A newer walk, or a command that takes the legs, ends it early, and it stops nothing then.
function Aibo:walk_for(dx, dy, da, seconds, at)
  await(at)
  local command, word, why, result = set_out(self, dx, dy, da)
  if word ~= "SUCCESS" and word ~= "MODIFIED" then return word, why, result end
  local late = core.now() + seconds
  if command.ended then task.sleep(seconds) end -- it stands for that time
  local _ <close> = setmetatable({}, { __close = function() command:stop "the task was ended" end })
  while not command.ended and core.now() < late do command:wait(late - core.now()) end
  if command.ended then return outcome(command) end
  return self:stop_walk()
end

---Gets up after a fall, by postures of its legs, and stands at home: SUCCESS; ERROR and why when it still lies
---after four attempts. An upright dog goes to its home posture.
function Aibo:get_up(at)
  await(at)
  return rise.up(self)
end

---Stands.
function Aibo:stop_walk(at) return self:walk(0, 0, 0, at) end

colon.methods(Aibo, "aibo")

return aibo
