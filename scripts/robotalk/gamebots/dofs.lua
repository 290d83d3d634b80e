-- The dofs of a robot behind a server of Gamebots: the link of a package of each, or the velocity of a flying
-- vehicle, and its direction there.
local lines = require "robotalk.gamebots.lines"

local gamebots_dofs = {}

local THERE <const>, SLID <const> = math.rad(2), 0.002 -- rad; m of a sliding dof: tolerance of a goal
local SPEED <const> = 2 -- of a joint's servos

-- 1 or -1: there a dof is positive about the axis x, y or z of that frame to which its own is closest.
local function sign_of(axis)
  local most, t = 1, lines.turn(axis)
  for i = 2, 3 do if math.abs(t[i]) > math.abs(t[most]) then most = i end end
  return t[most] < 0 and -1 or 1
end

---The joints on the server: name of the joint -> package, first link; nil, message.
function gamebots_dofs.packages(text)
  local map = {}
  for word in (text or ""):gmatch "%S+" do
    local joint, package, link = word:match "^([^=]+)=([^:{}]+):?(%d*)$"
    if not joint then return nil, ("packages: want JOINT=PACKAGE or JOINT=PACKAGE:LINK, got %s"):format(word) end
    map[joint] = { package, math.tointeger(tonumber(link)) or 1 }
  end
  return map
end

-- The velocity of a flying vehicle for a dof of the root: 1 to 3 along x, y, z of the world, 4 about z; false: none.
local function flight_of(says)
  local axis = says.axis or { 0, 0, 1 }
  for i = 1, 3 do
    if math.abs(axis[i]) > 0.9 then
      if says.type == "prismatic" then return { i, axis[i] } end
      return i == 3 and { 4, axis[3] }
    end
  end
  return false
end

---Its dofs in the order of the device; the first dof of the joint that moves a link, by that link's number; and the
---greatest speeds of the base, along x, y and about z, 0 for unknown ones; nil: there is no base.
function gamebots_dofs.list(robot, map)
  local me <close> = require "robotalk".connect("local:" .. robot)
  local body, joints, list, described, moves = me:describe(), {}, {}, {}, {}
  for _, joint in pairs(body.descriptor.joints or {}) do described[joint.name] = joint end
  for name, joint in pairs(body.joints) do
    if type(name) == "string" then joints[#joints + 1] = joint end
  end
  table.sort(joints, function(a, b) return a.number < b.number end)
  for _, joint in ipairs(joints) do
    local package = map[joint.name] or { joint.name, 1 }
    for k in ipairs(joint.names) do
      local says = described[joint.name].dofs[k]
      list[#list + 1] = { joint = joint.number, name = joint.name:lower(), index = k - 1,
        package = package[1], link = package[2] + k - 1,
        sign = sign_of(says.axis or { 0, 0, 1 }), limit = says.limit, home = says.home or 0, at = 0,
        follows = says.mimic ~= nil, speeds = joint.servo & SPEED ~= 0, speed = says.speed or 0,
        there = says.type == "prismatic" and SLID or THERE, flies = joint.number == 0 and flight_of(says) or nil }
      if k == 1 then moves[joint.child] = list[#list] end
    end
  end
  return list, moves, body.descriptor.base and body.limits.base_speed
end

---A value clipped to `most`, either way, and whether it was within; most 0: unknown.
function gamebots_dofs.cut(value, most)
  if most <= 0 or math.abs(value) <= most then return value, false end
  return value > 0 and most or -most, true
end

return gamebots_dofs
