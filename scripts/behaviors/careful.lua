-- A bridge (docs/bridge.md) with a custom behaviour for clients of USARSim: the robot slows down near obstacles, by the
-- sonars that point in the direction of motion, and does not touch them. Turning is always free.
--   robotalk serve pioneer2 --listen gamebots://localhost --bridge scripts/behaviors/careful.lua
local bridge = require "robotalk.bridge"

local FREE <const>, STOP <const> = 1.0, 0.3 -- m: distances at which it begins to slow down, and stops

local careful = { name = "careful", active = true }

-- The smallest reading of the sonars ahead (way 1) or behind (way -1), m.
local function nearest(robot, way)
  local least = math.huge
  for _, sonar in ipairs(robot:sense "sonar" or {}) do
    local mount = robot:describe().sensors[sonar.name]
    if math.cos(mount.attitude[3]) * way > 0.5 then least = math.min(least, sonar.range or STOP) end
  end
  return least
end

-- It is behind drive in the list, so the wishes of drive in this cycle are set.
function careful.step(_, b)
  local wished = b.wish.velocity
  if not wished or wished.x == 0 then return end
  local space = nearest(b.robot, wished.x > 0 and 1 or -1)
  local share = math.max(0, math.min(1, (space - STOP) / (FREE - STOP)))
  b:set_speed { x = wished.x * share, theta = wished.theta }
end

return bridge.new { behaviours = { bridge.quit, bridge.parse, bridge.drive, careful, bridge.ptz } }
