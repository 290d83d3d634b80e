-- An AIBO that runs the server of the Golog-Tekkotsu interface (paper 002, spec/gti.md), as a driver: joints by
-- moveJoints, the base by walk, the state and the readings of sensors by querySensors ten times a second. It drives all
-- joints of its robot, those that have Tekkotsu's names. The interface does not report the base's pose: it is estimated
-- from the commanded speeds. drivers = { body = { script = "gti", url = "gti://192.168.0.5", byte_order = "little" } }
local core = require "robotalk.core"
local gti = require "robotalk.gti"
local names = require "robotalk.tekkotsu.names"
local sensed = require "robotalk.tekkotsu.sensed"
local task = require "robotalk.task"

local driver = { options = {
  { "url", "text", max = 255, needed = true, doc = "gti://HOST[:PORT] or gti+unix:PATH" },
  { "byte_order", "word", words = { "little", "big" }, doc = "little unless said" },
  { "packed", "flag", doc = "its structures have no gaps" },
  { "radians", "flag", doc = "angles are in radians, not degrees" },
  { "short_walk", "flag", doc = "walk commands are of the short form" },
} }
local PERIOD, THERE = 0.1, math.rad(2) -- s, rad
-- rad, s: a joint that has not come closer by so much for so long has failed. The interface does not report refusals.
local NEARER, PATIENCE = math.rad(0.2), 2

-- Its dofs in the order of the device, each with Tekkotsu's name.
local function dofs_of(robot)
  local me = require "robotalk".connect("local:" .. robot)
  local body, by_position, list = me:describe(), {}, {}
  for i = 1, names.JOINTS do
    local name = names.outputs()[i]
    local joint, dof = names.place(body, name)
    if joint then by_position[joint .. "." .. dof] = name end
  end
  local joints = {}
  for name, joint in pairs(body.joints) do
    if type(name) == "string" then joints[#joints + 1] = joint end
  end
  table.sort(joints, function(a, b) return a.number < b.number end)
  for _, joint in ipairs(joints) do
    for k, dof in ipairs(joint.names) do
      local described
      for _, one in pairs(body.descriptor.joints) do
        if one.name == joint.name then described = one.dofs[k] end
      end
      local name = by_position[joint.name .. "." .. dof]
      list[#list + 1] = { joint = joint.number, index = k - 1, name = name, speed = described.speed or 1,
        leg = name and name:find "^[LR][FB][rk]:" ~= nil, home = described.home or 0, limit = described.limit, at = 0 }
    end
  end
  me:close()
  return list
end

-- Updates the estimate of the base's pose.
local function reckon(self)
  local now, v = core.now(), self.velocity
  local dt = now - self.reckoned
  local x, y, theta = table.unpack(self.pose)
  local c, s = math.cos(theta + v[3] * dt / 2), math.sin(theta + v[3] * dt / 2)
  self.pose = { x + (c * v[1] - s * v[2]) * dt, y + (s * v[1] + c * v[2]) * dt, theta + v[3] * dt }
  self.reckoned = now
end

local function all_joints(self)
  local list = {}
  for i, dof in ipairs(self.dofs) do list[i] = dof.name or "MOUTH" end
  return list
end

-- Stops joints where they are. values: of all joints, in degrees, as just reported.
local function hold(self, values)
  self.holds = false
  local list = {}
  for i, dof in ipairs(self.dofs) do
    if dof.name then list[#list + 1] = { dof.name, values[i] } end
  end
  if list[1] then self.client:move_joints(list) end
end

-- The sensors whose readings the interface has: { sensor, from }, the index of its first value in the query.
-- The names of their values are added to the list.
local function add_sensors(self, list)
  local there, told = {}, {}
  for _, name in ipairs(names.sensors()) do there[name] = true end
  for _, name in ipairs(names.buttons()) do there[name] = true end
  for _, sensor in pairs(self.sensors) do
    local known = sensed.names(sensor)
    if known and there[known[1]] and sensor.count == (sensor.kind == "accelerometer" and 3 or 1) then
      told[#told + 1] = { sensor = sensor, from = #list + 1 }
      table.move(known, 1, #known, #list + 1, list)
    end
  end
  return told
end

local function watch(self)
  local list = all_joints(self)
  local told = add_sensors(self, list)
  while true do
    local values, message, code = self.client:query_sensors(list)
    for _, x in ipairs(values or {}) do
      if x ~= x or math.abs(x) > 1e9 then values, message = nil, "a joint or a sensor tells what none can" end
    end
    if values then
      local position = {}
      for i, dof in ipairs(self.dofs) do
        dof.at = dof.name and math.rad(values[i]) or 0
        position[i] = dof.at
      end
      reckon(self)
      self:report { position = position, pose = self.pose, twist = self.velocity }
      for _, one in ipairs(told) do self:sensed(one.sensor.name, sensed.reading(one.sensor, values, one.from)) end
      if self.holds then hold(self, values) end
      task.wake(self)
    elseif code ~= "EPANIC" then -- halted: no query before the reset
      core.log(("robotalk: error: gti: %s\n"):format(message))
      self.lost = true
      task.wake(self)
      self:fault "link"
      return
    end
    task.sleep(PERIOD)
  end
end

function driver.open(self, config)
  local client, message = gti.connect(config.url, { byte_order = config.byte_order, packed = config.packed,
    radians = config.radians, short_walk = config.short_walk })
  if not client then return nil, message end
  self.client, self.velocity, self.pose, self.reckoned = client, { 0, 0, 0 }, { 0, 0, 0 }, core.now()
  self.dofs = dofs_of(self.robot)
  self:spawn("watch", function() watch(self) end)
  return { halt = (client.side:encode { type = "walk" }), port = client.port }
end

local function walking(self) return self.velocity[1] ~= 0 or self.velocity[2] ~= 0 or self.velocity[3] ~= 0 end

-- Moves dofs to angles and waits until they are there.
local function move(self, goals, speed, done)
  local list, clipped, legs = {}, false, false
  for dof, to in pairs(goals) do
    if not dof.name then return done("na", "unsupported") end
    local within = dof.limit and math.max(dof.limit[1], math.min(dof.limit[2], to)) or to
    clipped, legs, goals[dof] = clipped or within ~= to, legs or dof.leg, within
    list[#list + 1] = { dof.name, math.deg(within), speed = speed > 0 and math.min(100, 100 * speed / dof.speed) or 0 }
  end
  if legs and walking(self) then return done("busy", "axis") end
  if not self.client:move_joints(list) then return done("error", "link") end
  local nearest, late = math.huge, core.now() + PATIENCE
  while not self.lost do
    local away = 0
    for dof, to in pairs(goals) do away = math.max(away, math.abs(dof.at - to)) end
    if away < THERE then return done(clipped and "modified" or "success", clipped and "limit" or nil) end
    if legs and walking(self) then return done("interrupted", "axis") end
    if away < nearest - NEARER then nearest, late = away, core.now() + PATIENCE end
    if core.now() > late then return done("error", "device") end
    task.wait(self, PERIOD * 2)
  end
  done("error", "link")
end

function driver.start(self, cmd, done)
  if cmd.op == "set_speed" or cmd.op == "stop" then
    reckon(self)
    local v = cmd.op == "stop" and { 0, 0, 0 } or { cmd.x, cmd.y, cmd.theta }
    self.velocity = v
    local ok = self.client:walk(1000 * v[1], 1000 * v[2], v[3])
    self.holds = self.holds or cmd.op == "stop" -- at the next query: this task may be replaced before
    while cmd.op == "stop" and self.holds and not self.lost do task.wait(self) end
    done(ok and "success" or "error", not ok and "link" or nil)
  elseif cmd.op == "set_joint" or cmd.op == "home" then
    local goals = {}
    self.holds = false
    for _, dof in ipairs(self.dofs) do
      if cmd.op == "home" then
        goals[dof] = dof.name and dof.home or nil
      elseif dof.joint == cmd.joint and cmd.mask >> dof.index & 1 == 1 then
        goals[dof] = cmd.value[dof.index + 1]
      end
    end
    move(self, goals, cmd.op == "home" and 0 or cmd.speed, done)
  else
    done("na", "unsupported")
  end
end

-- C has sent the stop of the walk; this stops the joints, too. When the robot is removed, the end of the connection
-- does both.
function driver.halted(self, why)
  reckon(self)
  self.velocity = { 0, 0, 0 }
  self:report { pose = self.pose, twist = self.velocity }
  local values = (why == "panic" or why == "stop") and self.client:query_sensors(all_joints(self))
  if values then hold(self, values) end
end

function driver.close(self)
  if self.client then self.client:close() end
end

return driver
