-- The state of a remote robot, with its age: its state ten times a second, its path, the readings of its
-- range sensors, its leases. It commands nothing and holds no lease.
local core = require "robotalk.core"
local behind = require "robotalk.robot.far"
local task = require "robotalk.task"

local Seen = {}
Seen.__index = Seen

local PERIOD <const> = 0.1    -- s between two states, and readings
local HOLDERS <const> = 1     -- s between two queries of the leases
local TRAIL <const>, STEP <const> = 400, 0.05 -- kept places of the path, m between two
local SPIN <const> = 0.2      -- rad between two
local RANGES <const> = { sonar = true, laser = true, infrared = true }

-- Adds its place to the path; of two near places only the newer one stays.
local function walk(trail, state)
  local last = trail[#trail]
  if last and (state.x - last.x) ^ 2 + (state.y - last.y) ^ 2 < STEP * STEP
    and math.abs(state.theta - last.theta) < SPIN then return end
  trail[#trail + 1] = { x = state.x, y = state.y, theta = state.theta }
  if #trail > TRAIL then table.remove(trail, 1) end
end

local function ranges_of(body)
  local kinds = {}
  for _, sensor in ipairs(body.sensors) do kinds[sensor.kind] = RANGES[sensor.kind] end
  return kinds
end

-- Sends missing queries; failures are reported by `trouble`, and queried again.
local function ask(self)
  local message
  self.trouble = nil
  if not self.states or self.states.over then
    self.states, message = self.session:broadcast(PERIOD, function(state)
      self.state, self.came = state, core.now()
      walk(self.trail, state)
    end)
    self.trouble = message
  end
  for kind in pairs(ranges_of(self.body)) do
    if not self.watched[kind] or self.watched[kind].over then
      self.watched[kind], message = self.session:watch({ kind = kind }, { rate = 1 / PERIOD }, function(reading)
        self.ranges[kind] = reading
      end)
      self.trouble = self.trouble or message
    end
  end
end

-- The description may have changed: earlier readings are void.
local function renew(self)
  local body = self.robot:describe()
  if body == self.body and body.joints == self.joints then return end
  self.body, self.joints, self.ranges = body, body.joints, {}
  local kinds = ranges_of(body)
  for kind, handle in pairs(self.watched) do
    if not kinds[kind] then
      handle:cancel()
      self.watched[kind] = nil
    end
  end
  ask(self)
end

local seen = {}

---Watches a robot by that session, which stays the caller's.
function seen.open(robot, session)
  local self = setmetatable({ robot = robot, session = session, body = robot:describe(), trail = {}, ranges = {},
    holders = {}, latches = {}, watched = {} }, Seen)
  self.joints = self.body.joints
  ask(self)
  self.task = task.spawn(function()
    while true do
      self.latches = session:latches() or self.latches
      local holders = session:holders()
      if holders then self.holders, self.asked = holders, core.now() end
      task.sleep(HOLDERS)
      ask(self)
    end
  end)
  self.task.background, self.task.name = true, "holders"
  return self
end

-- The rays of a sensor's reading, begin and end on the floor of the world, and whether they have hit an object.
local function add_rays(rays, sensor, reading, pose, link)
  local p, roll_pitch_yaw = sensor.position, sensor.attitude
  local c, s = math.cos(pose.theta), math.sin(pose.theta)
  -- from the link's frame over the root's to the world's
  local function on_floor(x, y, z, far)
    if link then
      local r, o = link.rotation, link.position
      x, y = r[1] * x + r[2] * y + r[3] * z + far * o[1], r[4] * x + r[5] * y + r[6] * z + far * o[2]
    end
    return c * x - s * y + far * pose.x, s * x + c * y + far * pose.y
  end
  local fx, fy = on_floor(p[1], p[2], p[3], 1)
  local n, flat = #reading.ranges, math.cos(roll_pitch_yaw[2])
  for i, range in ipairs(reading.ranges) do
    local yaw = roll_pitch_yaw[3] + (n > 1 and sensor.fov * ((i - 1) / (n - 1) - 0.5) or 0)
    if range then
      local dx, dy = on_floor(math.cos(yaw) * flat, math.sin(yaw) * flat, -math.sin(roll_pitch_yaw[2]), 0)
      rays[#rays + 1] = { from = { fx, fy }, to = { fx + range * dx, fy + range * dy },
        hit = range < sensor.range[2] * 0.999 }
    end
  end
end

-- The number of a link; for an unknown one the root's.
local function number_of(body, name)
  for number, link in pairs(body.descriptor.links) do
    if link.name == name then return number end
  end
  return 0
end

-- The rays of all range sensors, from the robot's present pose.
local function rays_of(self, state)
  local rays, links = {}, nil
  for kind, group in pairs(self.ranges) do
    local i = 0
    for _, sensor in ipairs(self.body.sensors) do
      if sensor.kind == kind then
        i = i + 1
        if group[i] then
          local link = number_of(self.body, sensor.link)
          if link > 0 then links = links or self.body.kinematics:fk(state.position) end
          add_rays(rays, sensor, group[i], state, link > 0 and links[link + 1] or nil)
        end
      end
    end
  end
  return rays
end

local function joints_of(body, state)
  local list = {}
  for _, joint in pairs(body.joints) do
    for k, name in ipairs(joint.names) do
      local place = joint.first + k
      local dof = body.limits.dof[place]
      list[#list + 1] = { name = joint.dofs == 1 and joint.name or joint.name .. "." .. name, place = place,
        position = state.position[place], speed = state.speed[place], low = dof.low, high = dof.high }
    end
  end
  table.sort(list, function(a, b) return a.place < b.place end)
  return list
end

---The view at an instant, as a plain table: robot, link { up, why, round_trip, jitter, offset }; age of the
---state and its lateness, s; x, y, theta, velocity, battery, override, moving, panic; joints, a list with limits;
---readings, a list with ages; holders, and their age; latches,
---as of session:latches(); rays and trail, for the map; obstacle: its name;
---trouble: why a part is missing.
function Seen:view(now)
  renew(self)
  local link, state = self.session.client.link, self.state
  local word, why = link:state()
  -- the connection to a robot behind another protocol is one within this process, without figures of the remote link
  local clock = not behind.of(self.session.client) and link:clock() or {}
  local view = { robot = self.body.name, link = { up = word == "up", why = why, round_trip = clock.median,
    jitter = clock.jitter, offset = clock.offset }, holders = self.holders, latches = self.latches,
    holders_age = self.asked and now - self.asked, trail = self.trail, rays = {}, joints = {}, readings = {},
    trouble = self.trouble }
  local known = self.session.client.link:session(self.session.number)
  view.obstacle = known and known.retained.blocked and known.retained.blocked.name:match ".+" or nil
  for kind, group in pairs(self.ranges) do
    view.readings[#view.readings + 1] = { type = kind, range = group.range, ranges = group.ranges,
      age = group.time and math.max(0, now - group.time) or 0 }
  end
  table.sort(view.readings, function(a, b) return a.type < b.type end)
  if not state then return view end
  view.age, view.late = math.max(0, now - state.time), math.max(0, self.came - state.time)
  for _, name in ipairs { "x", "y", "theta", "velocity", "battery", "override", "moving", "panic" } do
    view[name] = state[name]
  end
  -- a battery without a description and without reports has an unknown charge
  if not self.body.descriptor.battery and view.battery == 0 then view.battery = nil end
  if #state.position == self.body.dofs then
    view.joints, view.rays = joints_of(self.body, state), rays_of(self, state)
  end
  return view
end

function Seen:close()
  self.task:cancel()
  if self.states then self.states:cancel() end
  for _, handle in pairs(self.watched) do handle:cancel() end
end

return seen
