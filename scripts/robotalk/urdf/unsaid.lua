-- Default numbers that URDF, or an engine that loads it, requires when none is known.
local unsaid = {}

---A limit, speed or force that has no effect. 0 would be read as "not at all".
unsaid.FAR = 1e9

---kg, kg*m2: of a link that moves. Engines refuse those without a mass.
unsaid.MASS, unsaid.INERTIA = 1e-3, 1e-6

---Whether a link of urdf/source.lua has a mass only because engines need one.
function unsaid.is_filled(link)
  local m, com = link.inertia, link.com
  if link.mass ~= unsaid.MASS or not m or com[1] ~= 0 or com[2] ~= 0 or com[3] ~= 0 then return false end
  for i = 1, 3 do
    for k = 1, 3 do if m[i][k] ~= (i == k and unsaid.INERTIA or 0) then return false end end
  end
  return true
end

---kg*m2: engines ignore smaller ones.
unsaid.LEAST = 1e-12

local WATER = 1000 -- kg/m3

---The moment of inertia, about any axis, of a link with only a mass: that of a ball of water.
function unsaid.moment(mass)
  local radius = (3 * mass / (4 * math.pi * WATER)) ^ (1 / 3)
  return math.max(0.4 * mass * radius * radius, unsaid.LEAST)
end

return unsaid
