-- Follows a wall by sonars alone: the wall stays at the left hand (or the right), 0.45 m away. So the robot
-- drives round corners, inner and outer ones, and round objects at the wall; gaps of less than a metre are ignored. It
-- ends after a lap, after the time, or when another client stops the robot.
--   robotalk run --physics --virtual --world living_room scripts/behaviors/follow_wall.lua [left|right] [SECONDS]
local rt = require "robotalk"

local DISTANCE = 0.45              -- m, from the sonars to the wall
local CLOSE = 0.35                 -- m: a nearer object, in any direction, is the wall from then on
local SPEED, TURN = 0.25, 1        -- m/s; rad/s, at most
local rad, clamp = math.rad, function(x, least, most) return math.max(least, math.min(most, x)) end

local hand = ... == "right" and -1 or 1
local seconds = tonumber((select(2, ...))) or 300
local robot <close> = rt.connect(nil, { deadman = 1 }) -- it stops when the script ends or fails

-- The direction of each sonar, seen from the hand: 0 straight to that side, 90 degrees ahead, 180 to the other side.
local angles = {}
for name, sensor in pairs(robot:describe().sensors) do
  if sensor.type == "sonar" then angles[name] = rad(90) - hand * sensor.attitude[3] end
end

-- The distance and the angle of the wall: the middle of the readings that are nearly as small as the smallest. Until a
-- wall is found all sonars count, then only those that do not point to the other side or back.
local found
local function wall()
  local ranges, nearest = {}, math.huge
  for _, sonar in ipairs(assert(robot:sense "sonar")) do
    local angle, range = angles[sonar.name], sonar.range
    if not found or angle > rad(-70) and angle < rad(110) or range < CLOSE then
      ranges[sonar.name], nearest = range, math.min(nearest, range)
    end
  end
  local aside, ahead = 0, 0
  for name, range in pairs(ranges) do
    local weight = math.max(0, nearest + 0.15 - range)
    aside, ahead = aside + weight * math.cos(angles[name]), ahead + weight * math.sin(angles[name])
  end
  return nearest, math.atan(ahead, aside)
end

-- Whether it is back at the point where it has found the wall. Only this function reads the position.
local away = 0
local function lap()
  local here = robot:state()
  local distance = math.sqrt((here.x - found.x) ^ 2 + (here.y - found.y) ^ 2)
  away = math.max(away, distance)
  return away > 1 and distance < 0.3 and math.cos(here.theta - found.theta) > 0.7
end

local began = rt.now()
local function over()
  local stopped = robot:stopped()
  return stopped and "stopped by " .. stopped.by or rt.now() - began > seconds and "its time is over"
end
repeat
  local distance, angle = wall()
  -- The wall belongs at 0; but more ahead when it is too far, so that it comes nearer, and more behind when too near.
  local wish = clamp(6 * (distance - DISTANCE), -0.5, 0.8)
  robot:set_speed {
    x = SPEED * math.max(0, math.cos(angle)) ^ 2, -- slow where it has to turn, and 0 towards the wall
    theta = hand * clamp(3 * (wish - angle), -TURN, TURN),
  }
  rt.sleep(0.1) -- as often as sonars measure
  if not found and math.abs(distance - DISTANCE) < 0.05 and math.abs(angle) < 0.3 then found = robot:state() end
until found and lap() or over()
robot:stop { own = true }
print(over() or ("a lap of %.0f s"):format(rt.now() - began))
