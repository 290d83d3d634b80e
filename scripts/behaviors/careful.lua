-- A bridge (docs/bridge.md) with a behaviour of its own: what the user of a client of USARSim tells the robot is slowed
-- down near obstacles, by the sonars that look where it drives, and it does not touch them. Turning is always free.
--   robotalk serve pioneer2 --listen gamebots://localhost --bridge scripts/behaviors/careful.lua
local bridge = require "robotalk.bridge"

local FREE <const>, STOP <const> = 1.0, 0.3 -- m: from here on it is slowed, and here it stands

local careful = { name = "careful", active = true }

-- The nearest that sonars see ahead (way 1) or behind (way -1), m.
local function nearest(robot, way)
  local least = math.huge
  for _, sonar in ipairs(robot:sense "sonar" or {}) do
    local mount = robot:describe().sensors[sonar.name]
    if math.cos(mount.attitude[3]) * way > 0.5 then least = math.min(least, sonar.range or STOP) end
  end
  return least
end

-- It stands behind drive in the list, so what that wishes in this cycle is there.
function careful.step(_, b)
  local wished = b.wish.velocity
  if not wished or wished.x == 0 then return end
  local space = nearest(b.robot, wished.x > 0 and 1 or -1)
  local share = math.max(0, math.min(1, (space - STOP) / (FREE - STOP)))
  b:set_speed { x = wished.x * share, theta = wished.theta }
end

return bridge.new { behaviours = { bridge.quit, bridge.parse, bridge.drive, careful, bridge.ptz } }
