-- Watching a fleet: the robots of a domain of DDS as views (watch/seen.lua), of what their servers publish.
local core = require "robotalk.core"
local fleets = require "robotalk.fleet"

local Fleet = {}
Fleet.__index = Fleet

local LINE <const>, STEP <const> = 200, 0.02 -- points of a robot's trail; m between two

-- What a lease is of: the base, and the joints of its dofs.
local function parts_of(e, lease)
  local parts, seen = { lease.base and "base" or nil }, {}
  for i, axis in ipairs(e.axes) do
    local joint, byte = axis:match "^[^.]+", lease.axes:byte((i - 1) // 8 + 1) or 0
    if byte >> (i - 1) % 8 & 1 == 1 and not seen[joint] then seen[joint], parts[#parts + 1] = true, joint end
  end
  return parts
end

local function trail_of(self, e)
  local trail, p = self.trails[e.key] or {}, e.state.position
  self.trails[e.key] = trail
  local last = trail[#trail]
  if not last or (p[1] - last[1]) ^ 2 + (p[2] - last[2]) ^ 2 > STEP ^ 2 then trail[#trail + 1] = { p[1], p[2] } end
  if #trail > LINE then table.remove(trail, 1) end
  return trail
end

local function view_of(self, e, now)
  local view = { robot = e.duplicate and e.name .. "@" .. e.host or e.name, link = { up = not e.gone, why = e.gone },
    holders = {}, latches = {}, trail = {}, rays = {}, joints = {}, readings = {}, holders_age = 0 }
  for i, lease in ipairs(e.leases) do
    view.holders[i] = { holder = lease.name, own = false, parts = parts_of(e, lease) }
  end
  local s = e.state
  if not s then return view end
  view.age, view.trail = now - s.at, trail_of(self, e)
  view.x, view.y, view.theta = s.position[1], s.position[2], s.attitude[3]
  view.velocity, view.override = { x = s.linear[1], y = s.linear[2], theta = s.angular[3] }, 1
  view.battery, view.moving, view.panic = s.charge, s.moving, s.panic
  return view
end

function Fleet:views()
  local views, now = {}, core.now()
  for i, e in ipairs(self.fleet:robots { gone = true }) do views[i] = view_of(self, e, now) end
  return views
end

function Fleet:settle() self.fleet:await(1 << 30, 1) end

function Fleet:close() self.fleet:close() end
Fleet.__close = Fleet.close

local fleet = {}

---The fleet of an address dds://DOMAIN[/PARTITION], once a robot is there, at most `wait` s; nil, message, code.
function fleet.open(url, wait)
  local opened, message, code = fleets.open(url)
  if not opened then return nil, message, code end
  local list
  list, message, code = opened:await(1, wait)
  if list then return setmetatable({ fleet = opened, trails = {} }, Fleet) end
  opened:close()
  return nil, message, code
end

return fleet
