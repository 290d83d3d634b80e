-- Maps keys to motions: the held keys at an instant give the speeds of the base and joints. It commands
-- nothing itself and has no clock: drive.lua asks it for the commands to send.
local hand = require "robotalk.drive.hand"

local Pilot = {}
Pilot.__index = Pilot

local pilot = {}

-- The axis and the share of each key, -1 to 1.
local AXES <const> = {
  up = { x = 1 }, w = { x = 1 }, down = { x = -1 }, s = { x = -1 },
  left = { turn = 1 }, a = { turn = 1 }, right = { turn = -1 }, d = { turn = -1 },
  q = { x = 1, turn = 1 }, e = { x = 1, turn = -1 }, [","] = { y = 1 }, ["."] = { y = -1 },
  j = { pan = 1 }, l = { pan = -1 }, i = { tilt = 1 }, k = { tilt = -1 }, u = { chosen = -1 }, o = { chosen = 1 },
}
-- Without a base the arrows move the chosen joint.
local BASELESS <const> = { left = { chosen = -1 }, right = { chosen = 1 }, a = { chosen = -1 }, d = { chosen = 1 } }

-- Speeds at the share 1, if the body allows them: m/s, rad/s; of joints by their kind.
local SPEED <const>, TURN <const>, REVOLUTE <const>, PRISMATIC <const> = 0.3, 0.8, 0.5, 0.1
local STEP <const>, LEAST <const>, GREATEST <const> = 1.25, 0.1, 20
local PERIOD <const> = 0.02 -- s between two changes of speeds by a stick, at least
local HANDS <const> = 3 -- different keys that a hand presses at once; more are not typed, for example a paste

-- ---- the axes ----

-- 0 as a limit: none is known.
local function within(speed, limit) return limit and limit > 0 and math.min(speed, limit) or speed end

-- The first dof of that name, preferably of a head or a neck.
local function find(dofs, names)
  for _, head in ipairs { true, false } do
    for n, dof in ipairs(dofs) do
      if names[dof.dof] and (not head or dof.joint:find "head" or dof.joint:find "neck") then return n end
    end
  end
end

local PAN <const>, TILT <const> = { pan = true, yaw = true }, { tilt = true, pitch = true, nod = true }

---The parts of a body that keys can drive: base with the limits of x, y, turn, or nil; dofs, a list of { joint, dof,
---speed, limit, prismatic, low, high, by_speed, place }; pan and tilt, their numbers, and their directions.
function pilot.parts(body, commands)
  local parts = { dofs = {} }
  local limits = body.limits
  if body.commands >> (commands.set_speed.number - 256) & 1 == 1 then
    parts.base = { x = limits.base_speed[1], y = limits.holonomic ~= 0 and limits.base_speed[2] or nil,
      turn = limits.base_speed[3] }
  end
  local joints = {}
  for _, joint in pairs(body.joints) do joints[#joints + 1] = joint end
  table.sort(joints, function(a, b) return a.number < b.number end)
  for _, joint in ipairs(joints) do
    for k, name in ipairs(joint.names) do
      local dof = limits.dof[joint.first + k]
      if joint.servo & 3 ~= 0 and dof.mimics == 0 then
        parts.dofs[#parts.dofs + 1] = { joint = joint.name, dof = name, limit = dof.speed, prismatic = dof.kind == 1,
          low = dof.low, high = dof.high, by_speed = joint.servo & 2 ~= 0, place = joint.first + k, axis = dof.axis }
      end
    end
  end
  parts.pan, parts.tilt = find(parts.dofs, PAN), find(parts.dofs, TILT)
  parts.left = parts.pan and (parts.dofs[parts.pan].axis[3] < 0 and -1 or 1)
  parts.up = parts.tilt and (parts.dofs[parts.tilt].axis[2] > 0 and -1 or 1)
  return parts
end

---parts: as above. far: whether the keys come over a network.
function pilot.new(parts, far)
  return setmetatable({ parts = parts, hand = hand.new(far), share = 1, chosen = #parts.dofs > 0 and 1 or nil,
    sent = {} }, Pilot)
end

---The robot has other parts; held keys do not count any more.
function Pilot:fit(parts)
  self.parts, self.chosen = parts, #parts.dofs > 0 and 1 or nil
  self:block "the robot is new"
end

-- ---- keys ----

function Pilot:axes_of(key) return not self.parts.base and BASELESS[key] or AXES[key] end

---Speeds at the present share: x, y, turn.
function Pilot:speeds()
  local base = self.parts.base or {}
  return within(SPEED * self.share, base.x), within(SPEED * self.share, base.y), within(TURN * self.share, base.turn)
end

function Pilot:speed_of(n)
  local dof = self.parts.dofs[n]
  return within((dof.prismatic and PRISMATIC or REVOLUTE) * self.share, dof.limit)
end

-- In a terminal that reports no releases the opposite key ends a key at once.
local function end_opposites(self, key)
  local mine = self:axes_of(key)
  for other in pairs(self.hand.keys) do
    for axis, sign in pairs(self:axes_of(other) or {}) do
      if (mine[axis] or sign) * sign < 0 then self.hand.keys[other] = nil end
    end
  end
end

local function choose(self, n)
  if self.parts.dofs[n] then
    self.hand:clear()
    self.chosen = n
  end
end

local function set_share(self, share) self.share = math.max(LEAST, math.min(GREATEST, share)) end

-- A key that was pressed: true if it was one of these.
local function press(self, key, now)
  if self:axes_of(key) then
    if not self.hand.releases then end_opposites(self, key) end
    self.hand:press(key, now)
  elseif key:find "^%d$" then
    choose(self, key == "0" and 10 or tonumber(key))
  elseif key == "tab" then
    choose(self, (self.chosen or 0) % math.max(1, #self.parts.dofs) + 1)
  elseif key == "+" or key == "=" then
    set_share(self, self.share * STEP)
  elseif key == "-" then
    set_share(self, self.share / STEP)
  else
    return false
  end
  return true
end

---Takes events of the screen; returns unused events as a list. It does not use the space, which is returned first.
function Pilot:take(events, now)
  local rest, different, kinds = {}, 0, {}
  for _, event in ipairs(events) do
    if event.key and event.kind ~= "release" and not kinds[event.key] then
      different, kinds[event.key] = different + 1, true
    end
  end
  for _, event in ipairs(events) do
    local key = event.key
    if key == "space" then
      if event.kind ~= "release" then table.insert(rest, 1, event) end
    elseif event.kitty then
      self.hand.releases = event.kitty & 2 ~= 0
    elseif event.focus == false or event.resumed then
      self:block "the window was left"
    elseif key and event.kind == "release" then
      self.hand:release(key, now)
    elseif key and (different > HANDS and self:axes_of(key) or press(self, key, now)) then
      self.touched = now
    else
      rest[#rest + 1] = event
    end
  end
  return rest
end

-- ---- a stick ----

---What a stick asks for: shares by the names of axes, added to those of keys; dofs: by joint and dof. nil: it is not
---held. Returns a dof that the robot does not have, if there is one.
function Pilot:push(shares)
  self.stick = shares
  for name in pairs(shares and shares.dofs or {}) do
    if not self:dof_named(name) then return name end
  end
end

function Pilot:dof_named(name)
  for n, dof in ipairs(self.parts.dofs) do
    if dof.joint .. "." .. dof.dof == name then return n end
  end
end

-- ---- output ----

---Nothing moves until all keys were released. why: for people.
function Pilot:block(why) self.blocked = why end

-- The speeds of the held keys: x, y, turn, and of dofs by number.
local function wanted(self, now)
  local axes, want = {}, { dofs = {} }
  for key in pairs(self.hand.keys) do
    if self.hand:holds(key, now) then
      for axis, sign in pairs(self:axes_of(key) or {}) do axes[axis] = (axes[axis] or 0) + sign end
    end
  end
  local stick = self.stick or { dofs = {} }
  for axis, share in pairs(stick) do
    if axis ~= "dofs" then axes[axis] = (axes[axis] or 0) + share end
  end
  for axis, sign in pairs(axes) do axes[axis] = math.max(-1, math.min(1, sign)) end
  local x, y, turn = self:speeds()
  local base = self.parts.base
  want.x, want.y, want.turn = 0, 0, 0
  if base then
    want.x, want.turn = (axes.x or 0) * x, (axes.turn or 0) * turn
    want.y = base.y and (axes.y or 0) * y or 0
  end
  local function dof(n, sign)
    if n and sign and sign ~= 0 then want.dofs[n] = sign * self:speed_of(n) end
  end
  for name, share in pairs(stick.dofs) do dof(self:dof_named(name), share) end
  dof(self.chosen, axes.chosen)
  local pan, tilt = self.parts.pan, self.parts.tilt -- nil without a head
  dof(pan, pan and axes.pan and axes.pan * self.parts.left)
  dof(tilt, tilt and axes.tilt and axes.tilt * self.parts.up)
  return want
end

local NOTHING <const> = { x = 0, y = 0, turn = 0, dofs = {} }

local function is_rest(want) return want.x == 0 and want.y == 0 and want.turn == 0 and next(want.dofs) == nil end

---Whether a key that moves something is held, or the stick's button.
function Pilot:holds(now)
  if self.stick then return true end
  for key in pairs(self.hand.keys) do
    if self:axes_of(key) and self.hand:holds(key, now) then return true end
  end
  return false
end

---The commands to send now, a list: { op = "speed", x =, y =, turn = }, { op = "dof", number =, speed = }, or { op =
---"stop" }: all axes that this pilot moves. trouble: why the robot cannot be driven now, or nil.
function Pilot:step(now, trouble)
  if trouble then self.blocked = trouble end
  if not trouble and not self:holds(now) then self.blocked = nil end
  local want = self.blocked and NOTHING or wanted(self, now)
  local sent, list = self.sent, {}
  self.waits = self.stick and not is_rest(want) and now < (self.next_change or 0) -- a stop does not wait
  if self.waits then return list end
  sent = { x = sent.x or 0, y = sent.y or 0, turn = sent.turn or 0, dofs = sent.dofs or {} }
  self.sent = want
  if is_rest(want) then
    if not is_rest(sent) then list[1] = { op = "stop" } end
    return list
  end
  if want.x ~= sent.x or want.y ~= sent.y or want.turn ~= sent.turn then
    list[1] = { op = "speed", x = want.x, y = want.y, turn = want.turn }
  end
  self.next_change = now + PERIOD
  for n = 1, #self.parts.dofs do
    local speed = want.dofs[n] or 0
    if speed ~= (sent.dofs[n] or 0) then list[#list + 1] = { op = "dof", number = n, speed = speed } end
  end
  return list
end

---The time of the next step that has work without a key; nil: never.
function Pilot:due(now)
  local due = self.hand:due(now)
  return self.waits and math.min(due or self.next_change, self.next_change) or due
end

return pilot
