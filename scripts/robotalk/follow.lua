-- A follower moves as its leader, which a hand moves, as long as something is held (docs/drive.md).
--   disabled -> easing: the goal approaches the leader slowly -> following -> disabled
-- Every command is a set-point with its velocity, so that the follower does not stop between two of them.
local checked = require "robotalk.mistakes.checked"
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"
local task = require "robotalk.task"

local PERIOD <const> = 0.01   -- s between two set-points
local OLD <const> = 0.1       -- s of age beyond which the leader's readings count as none
local EASE <const> = 0.5      -- rad/s, or m/s, at most until the follower is where its leader is
local OFF <const> = 0.1       -- rad, or m, by which it may be elsewhere then
local AHEAD <const> = 0.05    -- s by which a set-point is ahead of the leader, at most
local BRAKE <const> = 0.17    -- s that each dof may take to come to rest: 0.2 s with a period and the command's way
local DEADMAN <const> = 0.3   -- s of silence after which the follower stops by itself, at most
local FEEL <const> = 0.05     -- s between two looks at the follower, and forces to the leader
local PATIENCE <const> = 5    -- s until both have reported

-- ---- dofs ----

local function clamp(x, least, most) return math.max(least, math.min(most, x)) end

-- The dofs that both robots have, by the names of joint and dof. Those of a gripper are scaled, range to range.
local function pairs_of(leader, follower)
  local list = {}
  for name, joint in pairs(follower.joints) do
    local other = leader.joints[name]
    for k, dof in ipairs(other and joint.servo & 1 ~= 0 and joint.names or {}) do
      local place = other.index[dof]
      if place then
        local to, from = follower.limits.dof[joint.first + k], leader.limits.dof[other.first + place + 1]
        local scaled = name:find "gripper" and to.low < to.high and from.low < from.high
        local scale = scaled and (to.high - to.low) / (from.high - from.low) or 1
        local bounded = to.low <= to.high
        list[#list + 1] = { joint = name, dof = dof, from = other.first + place + 1, to = joint.first + k,
          scale = scale, shift = scaled and to.low - scale * from.low or 0, low = bounded and to.low or -math.huge,
          high = bounded and to.high or math.huge, -- from this speed it comes to rest in time
          speed = math.min(to.speed > 0 and to.speed or math.huge,
            to.acceleration > 0 and BRAKE * to.acceleration or math.huge) }
      end
    end
  end
  table.sort(list, function(a, b) return a.to < b.to end)
  return list
end

-- A dof's set-point and velocity for a reading of the leader, ahead by that time, within the follower's limits.
local function wanted(pair, state, ahead)
  local asked = pair.scale * (state.position[pair.from] + ahead * state.speed[pair.from]) + pair.shift
  local goal = clamp(asked, pair.low, pair.high)
  return goal, goal == asked and clamp(pair.scale * state.speed[pair.from], -pair.speed, pair.speed) or 0
end

-- ---- commands ----

local function enter(self, state, why)
  self.state, self.why = state, why
  self.on_state(state, why)
end

-- The follower brakes, and drops what waits. It does not wait for the answer.
local function release(self, why)
  local session = self.session
  self.session, self.motions = nil, {}
  if session then
    session:begin("stop", { own = true })
    task.spawn(function() session:close() end).background = true
  end
  if self.feels then self.leader:begin("set_joint_force", self.feels.joint, { [self.feels.dof] = 0 }) end
  self.armed = false
  enter(self, "disabled", why)
end

-- The reason why a command has ended that should not have; nil: there is none.
local function refusal(self)
  local left = {}
  for _, motion in ipairs(self.motions) do
    if motion:done() then
      local word, why = motion:wait(0)
      if word ~= "SUCCESS" and word ~= "MODIFIED" then return ("%s: %s"):format(word or "no answer", why or "") end
    else
      left[#left + 1] = motion
    end
  end
  self.motions = left
end

-- The reason why the follower must not move; nil: it may.
local function trouble(self, now)
  local leads, there, stopped = self.leads, self.there, self.follower:stopped()
  if stopped then return "stopped by " .. stopped.by end
  if not (leads and there) then return ("the %s does not report"):format(leads and "follower" or "leader") end
  local age = now - math.min(leads.time, self.read and self.read.time or math.huge)
  if age > OLD then return ("the leader's readings are %.2f s old"):format(age) end
  if there.panic then return "the follower is in panic" end
  for _, pair in ipairs(self.pairs or {}) do
    local x = leads.position[pair.from]
    if x ~= x then return ("the leader does not report where its %s is"):format(pair.joint) end
  end
  if self.session and (self.joints[1] ~= self.leader:describe().joints
    or self.joints[2] ~= self.follower:describe().joints) then return "the robots were described anew" end
  return refusal(self)
end

local SESSIONS <const> = { newest = { newest = true }, delay = { mode = "delay", newest = true },
  playback = { mode = "playback", spacing = PERIOD } }

-- Begins to approach the leader, from where the follower is.
local function begin(self)
  local leader, follower = self.leader:describe(), self.follower:describe()
  self.joints, self.pairs = { leader.joints, follower.joints }, pairs_of(leader, follower)
  if #self.pairs == 0 then
    return release(self, ("%s and %s have no joint in common"):format(leader.name, follower.name))
  end
  local options = { deadman = follower.deadman > 0 and math.min(follower.deadman, DEADMAN) or DEADMAN }
  for name, value in pairs(SESSIONS[self.mode]) do options[name] = value end
  if options.mode == "delay" then options.delay = self.delay end
  local session, why = self.follower:session(options)
  if not session then return release(self, why) end
  self.session, self.armed, self.last = session, false, nil
  for _, pair in ipairs(self.pairs) do
    pair.goal = clamp(self.there.position[pair.to], pair.low, pair.high)
    local joint = leader.joints[pair.joint]
    if pair.joint:find "gripper" and joint.servo & 4 ~= 0 then self.feels = pair end
  end
  enter(self, "easing")
end

-- Whether a dof is about where its goal is; with playback it is there by a delay later that is not known here.
local function is_near(self, pair)
  local off = math.abs(self.there.position[pair.to] - pair.goal)
  return off < OFF + EASE * self.delay or self.mode == "playback"
end

-- Sends the set-points for the newest reading of the leader.
local function send(self)
  local state = self.leads
  if self.last and state.time <= self.last then return end
  local step = EASE * (self.last and math.min(state.time - self.last, OLD) or PERIOD)
  local clock = self.mode == "newest" and self.follower:clock() -- what the link takes at least, each way
  local ahead = clock and clock.least and math.min(clock.least / 2, AHEAD) or 0
  local parts, there = {}, true
  self.last = state.time
  for _, pair in ipairs(self.pairs) do
    local goal, velocity = wanted(pair, state, ahead)
    local bound = pair.speed
    if not pair.there then
      local to = clamp(goal, pair.goal - step, pair.goal + step)
      pair.there = to == goal and is_near(self, pair)
      there, bound = there and pair.there, math.min(bound, EASE)
      velocity = to == goal and clamp(velocity, -bound, bound) or to > pair.goal and bound or -bound
      goal = to
    end
    pair.goal = goal
    local part = parts[pair.joint] or { velocity = {} }
    part[pair.dof], part.velocity[pair.dof] = goal, velocity
    part.speed = bound < math.huge and math.min(part.speed or bound, bound) or part.speed
    parts[pair.joint] = part
  end
  parts.start = self.mode ~= "newest" and state.time or nil
  local motion, why = self.session:begin("move", parts)
  if not motion then return release(self, why) end
  self.motions[#self.motions + 1], self.sent = motion, self.sent + 1
  if there and self.state == "easing" then enter(self, "following") end
end

-- The load of the follower's gripper, in the leader's, against the hand.
local function feel(self)
  local pair, forces = self.feels, self.there.forces
  local load = pair and forces and forces[pair.joint] and forces[pair.joint][pair.dof]
  if not (load and self.session) then return end
  if self.felt and self.felt:done() then self.felt:wait(0) end
  self.felt = self.leader:begin("set_joint_force", pair.joint, { [pair.dof] = -load * pair.scale })
end

local function step(self)
  local now = core.now()
  local held, why = self.enable(now, self)
  if held == nil then return false, why end
  local wrong = trouble(self, now)
  if self.session then
    if not held or wrong then release(self, wrong or why or "released") end
  elseif not held then
    self.armed = true -- it has to be pressed again after each end
  elseif self.armed then
    if wrong then release(self, wrong) else begin(self) end
  end
  if self.session then send(self) end
  return true
end

local OPTIONS <const> = { mode = function(x) return not SESSIONS[x] and "newest, delay or playback" end,
  delay = checked.seconds, on_state = checked.fn }

local follow = { EASE = EASE }

---Lets a robot follow another one, until enable returns nil: the reason, and the number of commands. enable(now,
---self): whether it is held, or nil and why it is over (follow/enable.lua). options: mode, newest (the default), delay
---or playback; delay, s (0), of the mode delay; on_state(state, why), called with disabled, easing, following
---(nothing). nil, message, code: a robot cannot be watched.
function follow.run(leader, follower, enable, options)
  if type(enable) ~= "function" then mistake("follow: want a function, got %s", type(enable)) end
  options = checked.options(options, OPTIONS, "follow")
  local self = { leader = leader, follower = follower, enable = enable, state = "disabled", motions = {}, sent = 0,
    mode = options.mode or "newest", delay = options.delay or 0, on_state = options.on_state or function() end }
  local leads, message, code = leader:broadcast(PERIOD, function(state)
    self.leads = state
    task.wake(self)
  end)
  local led <close> = leads
  if not led then return nil, message, code end
  -- the state has the last position of a servo that its driver has lost, an encoder also its age
  local encoders <close> = leader:watch({ kind = "encoder" }, function(reading) self.read = reading end)
  local there
  there, message, code = follower:broadcast(FEEL, function(state)
    self.there = state
    feel(self)
  end, { forces = true })
  local reports <close> = there
  if not reports then return nil, message, code end
  local on, why, late = true, nil, core.now() + PATIENCE
  while not (self.leads and self.there and (self.read or not encoders)) and core.now() < late do
    task.wait(self, PERIOD)
  end
  local _ <close> = setmetatable({}, { __close = function() -- also when enable or on_state raises
    if self.session then release(self, why or "it is over") end
  end })
  while on do
    task.wait(self, PERIOD)
    on, why = step(self)
  end
  return why or self.why or "it is over", self.sent
end

return follow
