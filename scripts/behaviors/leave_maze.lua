-- Leaves a maze by its laser alone. The rule: one hand stays at the wall. It leads out of every maze whose walls are
-- connected; otherwise it may lead round and round. The robot is out when there is no object near or far ahead.
--   robotalk run --physics --virtual --world maze scripts/behaviors/leave_maze.lua [left|right] [SECONDS]
local rt = require "robotalk"

local DISTANCE = 0.5      -- m, from the laser to the wall at the hand
local CORNER = 0.9        -- m: no wall within this at the hand: a corner, which the robot drives round
local STOP = 0.55         -- m: with a wall nearer ahead it turns on the spot
local OPEN = 2            -- m: free space as large as nowhere in the maze
local SPEED, TURN = 0.3, 0.8 -- m/s, rad/s
local deg, rad, clamp = math.deg, math.rad, function(x, least, most) return math.max(least, math.min(most, x)) end

local hand = ... == "left" and 1 or -1
local seconds = tonumber((select(2, ...))) or 600
local robot <close> = rt.connect("pioneer2_laser", { deadman = 1 }) -- it stops when the script ends or fails
local fov = robot:describe().sensors.laser.fov

-- The smallest reading of the laser between two angles, in degrees from straight ahead towards the hand: distance and
-- angle.
local function nearest(from, to)
  local ranges = assert(robot:sense "laser").ranges
  local least, where = math.huge, nil
  for i, range in ipairs(ranges) do
    local angle = hand * deg(fov * ((i - 1) / (#ranges - 1) - 0.5))
    if range < least and angle >= from and angle <= to then least, where = range, angle end
  end
  return least, where
end

local began = rt.now()
local function over()
  local stopped = robot:stopped()
  return stopped and "stopped by " .. stopped.by or rt.now() - began > seconds and "its time is over"
end

while nearest(-70, 70) < OPEN and not over() do
  local distance, angle = nearest(30, 90)
  if nearest(-35, 35) < STOP then
    robot:set_speed { theta = -hand * TURN }
  elseif distance > CORNER then
    robot:set_speed { x = SPEED, theta = hand * SPEED / DISTANCE } -- an arc about the corner
  else
    -- The wall belongs at 90 degrees; but more ahead when it is too far, so that it comes nearer, and more behind when
    -- it is too near.
    local wish = rad(90) - clamp(3 * (distance - DISTANCE), -0.5, 0.3)
    robot:set_speed { x = SPEED, theta = hand * clamp(2 * (rad(angle) - wish), -TURN, TURN) }
  end
  rt.sleep(0.1) -- as often as the laser measures
end

if not over() then -- it drives out with all of it
  robot:set_speed { x = SPEED }
  rt.sleep(3)
end
robot:stop { own = true }
print(over() or ("out after %.0f s"):format(rt.now() - began))
