-- Plays a recording on a robot: the joints of foxglove.JointStates, or the actions of an episode of a data set, as
-- set-points with their velocities, in a session of mode playback (docs/recordings.md). A recording is read as it is
-- played.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local datasets = require "robotalk.dataset.reader"
local dofs_in = require "robotalk.robot.dofs"
local features = require "robotalk.dataset.features"
local good = require "robotalk.session.signals".good
local guarded = require "robotalk.mistakes.guarded"
local mistake = require "robotalk.mistakes.mistake"
local mcap = require "robotalk.mcap"
local task = require "robotalk.task"

local fail <const>, need <const> = guarded.fail, guarded.need
local EASE <const> = 0.5  -- rad/s, or m/s, on the way to the first pose
local FAR <const> = 1     -- rad, or m, that a dof may be away from it, by default
local AHEAD <const> = 1   -- s by which frames are sent before their instants
local HOLE <const> = 3    -- times the usual time between two instants
local REVOLUTE <const> = 0 -- kind of a dof
local REST <const> = 0.5  -- s that a way between two rounds takes besides its length

-- The channels of a schema, by the names of their robots, and a list of these.
local function recorded(info, schema)
  local channels, names = {}, {}
  for _, channel in ipairs(info.channels) do
    local name = channel.schema and channel.schema.name == schema and channel.topic:match "^/?(.-)/?[^/]*$"
    if name then channels[name], names[#names + 1] = channel, name end
  end
  return channels, names
end

-- The channels to play: those of the joints and, if it is wanted, of the base. nil, message.
local function channels_of(recording, robot, options)
  local joints, names = recorded(recording:info(), "foxglove.JointStates")
  local bases, others = recorded(recording:info(), "foxglove.Odometry")
  if options.base and #names == 0 then names = others end
  local name = options.of or #names == 1 and names[1] or robot
  local list = { joints[name], (options.base or nil) and bases[name] }
  if list[1] or list[2] then return { joints = list[1], base = list[2] } end
  return nil, #names == 0 and "it has no states of joints (foxglove.JointStates)"
    or ("it has nothing of %s, but of %s"):format(name, table.concat(names, ", "))
end

local function finite(x) return type(x) == "number" and x - x == 0 and x or nil end

-- The joints of a message, { position =, velocity = } by their names; what is no number is left out.
local function joints_of(value)
  local list = type(value) == "table" and value.joints
  local joints = {}
  for _, joint in ipairs(type(list) == "table" and list or {}) do
    if type(joint) == "table" and type(joint.name) == "string" then
      joints[joint.name] = { position = finite(joint.position), velocity = finite(joint.velocity) }
    end
  end
  return joints
end

-- The velocity of the base, { x =, y =, theta = }; nil: the message has none.
local function base_of(value)
  local v, w = type(value) == "table" and value.linear_velocity, type(value) == "table" and value.angular_velocity
  if type(v) ~= "table" or type(w) ~= "table" then return nil end
  local base = { x = finite(v.x), y = finite(v.y), theta = finite(w.z) }
  return base.x and base.y and base.theta and base
end

-- An iterator over instants: { time, joints (positions and velocities by name), base }.
local function instants(recording, channels, options)
  local topics = {}
  for _, channel in pairs(channels) do topics[#topics + 1] = channel.topic end
  local following = recording:messages { topic = topics, from = options.from, to = options.to }
  local m = following()
  return function()
    if not m then return nil end
    local instant, ns = { time = m.time }, m.ns
    repeat
      if m.channel == channels.joints then
        instant.joints = joints_of(m.value)
      else
        instant.base = base_of(m.value)
      end
      m = following()
    until not m or m.ns ~= ns
    return instant
  end
end

-- ---- sources: instants(), an iterator; duration, s; spacing, s between two instants; base: it has that of a base; to
-- be closed ----

local function is_folder(path) return core.real_path(path .. "/") ~= nil end

local function of_recording(path, body, options)
  if is_folder(path) then fail("ERANGE", "%s: of a data set one episode is played: want its number", path) end
  local recording = need(mcap.open(path))
  local channels, why = channels_of(recording, body.name, options)
  local duration = recording:info().duration
  if not channels then
    recording:close()
    fail("ERANGE", "%s: %s", path, why)
  end
  return setmetatable({ instants = function() return instants(recording, channels, options) end, duration = duration,
    spacing = duration / (channels.joints or channels.base).messages, base = channels.base ~= nil },
    { __close = function() recording:close() end })
end

-- The instant of a frame of a data set, as features has it.
local function instant_of(rows, frame, base)
  local instant, numbers = { time = frame.time, joints = {} }, frame.action or frame.state
  local speed = { x = 0, y = 0, theta = 0 }
  for _, row in ipairs(rows) do
    local number = finite(numbers[row.name])
    local value = number and features.value(row, number) or nil
    if row.joint then instant.joints[row.name:match "^(.*)%.pos$"] = value and { position = value }
    else speed[row.base] = value or 0 end
  end
  instant.base = base and speed or nil
  return instant
end

local function of_dataset(path, body, options)
  local set, list, rows, base = need(datasets.open(path)), {}, features.of(body), false
  for _, row in ipairs(rows) do base = base or options.base == true and row.base ~= nil end
  for frame in need(set:episode(options.episode)) do
    if frame.time >= (options.from or 0) and frame.time <= (options.to or math.huge) then
      list[#list + 1] = instant_of(rows, frame, base)
    end
  end
  return setmetatable({ duration = list[1] and list[#list].time or 0, spacing = 1 / set.fps, base = base,
    instants = function()
      local n = 0
      return function()
        n = n + 1
        return list[n]
      end
    end }, { __close = function() end })
end

-- The dofs of the robot that the recording has; names of those that it lacks.
local function dofs_of(body, joints, names)
  local wanted, left, list = {}, {}, {}
  for _, name in ipairs(names or {}) do wanted[name] = false end
  for name in pairs(joints) do
    local joint = name:match "^(.*)%.[^.]*$" or name
    for _, one in ipairs { name, joint } do
      if not names or wanted[one] ~= nil then wanted[one], left[name] = true, true end
    end
  end
  for name, is_there in pairs(wanted) do
    if not is_there then mistake("play: the recording has no joint '%s'", name) end
  end
  for _, dof in ipairs(dofs_in(body)) do
    if left[dof.name] then list[#list + 1], left[dof.name] = dof, nil end
  end
  return list, checked.names(left)
end

-- ---- frames ----

-- Both: a function that tells where each dof is.
local function pose(instant) return function(d) return instant.joints[d.name].position end end
local function posture(state) return function(d) return state.position[d.place] end end

-- The greatest way of a dof from a pose to that of an instant; where it is too long, its name and what is to be said.
local function way_of(self, from, instant)
  local to, way, name = pose(instant), 0, nil
  for _, d in ipairs(self.dofs) do
    local length = math.abs(to(d) - from(d))
    if length > way then way, name = length, d.name end
  end
  return way, way > self.most and name, ("%.2f away (at most %g)"):format(way, self.most)
end

-- Says once of each dof that it cannot follow.
local function look_at_speed(self, d, speed)
  local most = d.limits.speed
  if most <= 0 or math.abs(speed) <= 1.001 * most or self.slow[d.name] then return end
  self.slow[d.name] = true
  local unit = d.limits.kind == REVOLUTE and "rad/s" or "m/s"
  self.note(("%s comes later, or not so far: at %.2f s it would have to move at %.2f %s, and it can do %.2f %s"):format(
    d.name, self.time, math.abs(speed), unit, most, unit))
end

-- The parts of a frame of an instant: set-points on the lines by which the dofs come to the next one, with its
-- velocities; at the last instant that of rest. In a recording without velocities they are those between the two.
local function parts_of(self, instant, next_one)
  local parts, base = {}, instant.base
  local time = next_one and next_one.time - instant.time
  self.time = instant.time
  for _, d in ipairs(self.dofs) do
    local part = parts[d.joint] or { velocity = {} }
    local x, joint = instant.joints[d.name].position, next_one and next_one.joints[d.name]
    local v = joint and (joint.velocity or (joint.position - x) / time) or 0
    parts[d.joint] = part
    part[d.dof], part.velocity[d.dof] = joint and joint.position - v * time or x, v * self.rate
    look_at_speed(self, d, v * self.rate)
  end
  if base then
    local rate = next_one and self.rate or 0
    parts.base = { speed = { x = rate * base.x, y = rate * base.y, theta = rate * base.theta } }
  end
  return parts
end

-- The parts of a slow way to the pose of an instant.
local function ease_to(self, instant)
  local parts = {}
  for _, d in ipairs(self.dofs) do
    parts[d.joint] = parts[d.joint] or { speed = EASE }
    parts[d.joint][d.dof] = instant.joints[d.name].position
  end
  return parts
end

-- Whether all of these are numbers, as long as the recording goes on.
local function is_whole(dofs, instant)
  for _, d in ipairs(dofs) do
    local joint = instant.joints and instant.joints[d.name]
    if not (joint and joint.position) then return false end
  end
  return true
end

-- Takes the results, of which one that is no SUCCESS ends it.
local function look(self)
  local list = self.tape.errors
  self.tape.errors = {}
  for _, ticket in ipairs(list) do
    local signal, why, result = self.tape:result(ticket, 0)
    if signal and not good[signal] then fail("ESTOPPED", "%s: %s", signal, why or "the robot does not go on") end
    for _, name in ipairs(result and result.clipped or {}) do self.clipped[name] = (self.clipped[name] or 0) + 1 end
  end
end

-- Sends a frame, AHEAD of its instant.
local function send(self, t, parts)
  while self.tape.epoch and self.tape.epoch + t - AHEAD > core.now() do
    task.sleep(math.min(0.1, self.tape.epoch + t - AHEAD - core.now()))
    look(self)
  end
  need(self.tape:frame(t, parts))
end

-- The instants from one to the next, which is far behind it, as on a disk that was full: on straight lines, while the
-- base stands.
local function hole(self, instant, next_one)
  local list, n = {}, math.ceil((next_one.time - instant.time) / self.spacing)
  local _, name, far = way_of(self, pose(instant), next_one)
  if name then
    fail("ERANGE", "%s: between %.2f and %.2f s it has nothing, and then %s is %s", self.path, instant.time,
      next_one.time, name, far)
  end
  for k = 0, n do
    list[k + 1] = { time = instant.time + k / n * (next_one.time - instant.time), joints = {},
      base = self.moves_base and { x = 0, y = 0, theta = 0 } }
    for _, d in ipairs(self.dofs) do
      local from, to = instant.joints[d.name].position, next_one.joints[d.name].position
      list[k + 1].joints[d.name] = { position = from + k / n * (to - from) }
    end
  end
  return list
end

-- Plays it once, from `at` on the sequence's time line: when it ends there, and its last instant.
local function round(self, following, first, at)
  local began, last, instant = first.time, first, first
  while instant do
    local next_one = following()
    while next_one and not (is_whole(self.dofs, next_one) and next_one.time > instant.time) do
      next_one = following()
    end
    local is_far = next_one and next_one.time - instant.time > HOLE * self.spacing
    local list = is_far and hole(self, instant, next_one) or { instant, next_one }
    for k = 1, math.max(1, #list - 1) do
      local parts = parts_of(self, list[k], list[k + 1])
      if next(parts) then send(self, at + (list[k].time - began) / self.rate, parts) end
    end
    last, instant = instant, next_one
  end
  return at + (last.time - began) / self.rate, last
end

local function positive(x) return not (type(x) == "number" and x > 0 and x <= 100) and "a number, 0.01 to 100" end
local OPTIONS <const> = { rate = positive, loop = true, from = checked.seconds, to = checked.seconds, base = true,
  joints = true, max_distance = checked.seconds, of = checked.text, on_note = checked.fn,
  episode = function(x) return not (math.type(x) == "integer" and x >= 0) and "a whole number, 0 or more" end }

local play = {}

---The name of the first robot of a recording, by its path, or of a data set, which is a folder; nil, message, code.
play.name_of = guarded.by(function(path)
  if is_folder(path) then return need(datasets.open(path)).robot end
  local recording <close> = need(mcap.open(path))
  local _, names = recorded(recording:info(), "foxglove.JointStates")
  local _, others = recorded(recording:info(), "foxglove.Odometry")
  return names[1] or others[1] or fail("ERANGE", "%s: it has no states of joints (foxglove.JointStates)", path)
end)

-- Moves to the first pose, which is not far.
local function begin(self, robot, first)
  local way, name, far = way_of(self, posture(need(robot:state())), first)
  if name then fail("ERANGE", "%s: %s is %s from where it begins", self.path, name, far) end
  if way == 0 then return end
  self.note(("to the first pose, %.2f away"):format(way))
  local signal, why = robot:move(ease_to(self, first))
  if not good[signal] then fail("ESTOPPED", "%s: %s", signal or "no answer", why or "") end
end

---Plays the recording of a path on a robot: a report, as of finish, and names of joints that the robot lacks; nil,
---message, code. options: rate (times faster, 1); loop (until it is stopped); from, to (s of the recording); joints (a
---list of names); base (its velocities, too); max_distance (of a dof to the first pose, rad or m, 1); of (the recorded
---robot); episode (the path is a data set, and this is the index of what is played); on_note (a function of a line for
---people).
play.run = guarded.by(function(robot, path, options)
  options = checked.options(options, OPTIONS, "play")
  local body = robot:describe()
  local source <close> = (options.episode and of_dataset or of_recording)(path, body, options)
  local following = source.instants()
  local first = following() or fail("ERANGE", "%s: it has nothing in this range", path)
  local self = { path = path, rate = options.rate or 1, clipped = {}, slow = {}, most = options.max_distance or FAR,
    moves_base = source.base, spacing = source.spacing, note = options.on_note or function() end }
  local missing
  self.dofs, missing = dofs_of(body, first.joints or {}, options.joints)
  if #missing > 0 then self.note(("%s has no %s"):format(body.name, table.concat(missing, ", "))) end
  if #self.dofs == 0 and not source.base then fail("ERANGE", "%s: it has no joint of %s", path, body.name) end
  if not is_whole(self.dofs, first) then fail("ERANGE", "%s: its first pose is not known", path) end
  begin(self, robot, first)
  local speeds = body.limits.base_speed
  if speeds and math.max(table.unpack(speeds)) > 0 and not options.base then
    self.note "the base stays where it is (option base: it gets the recorded velocities)"
  end

  local length = (math.min(options.to or math.huge, source.duration) - first.time) / self.rate
  local tape <close> = need(robot:session { mode = "playback", errors = true, gap = HOLE * self.spacing / self.rate,
    duration = not options.loop and length > 0 and length or nil })
  self.tape = tape
  local at = 0
  repeat
    local last
    at, last = round(self, following, first, at)
    if options.loop then
      following = source.instants()
      local way, name, far = way_of(self, pose(last), first)
      if name then fail("ERANGE", "%s: %s ends %s from where it begins", path, name, far) end
      send(self, at, ease_to(self, first))
      at, first = at + way / EASE + REST, following()
    end
  until not options.loop
  local report = need(tape:finish())
  for name, n in pairs(self.clipped) do report.clipped[name] = (report.clipped[name] or 0) + n end
  return report, missing
end)

return play
