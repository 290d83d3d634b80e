-- Pushes a pink ball by its camera: turns until it sees the ball, drives towards it, and on for a while when
-- it is near. Then it backs off, and looks for the ball again. After a whole turn without a ball it looks from another
-- place, where its sonars have seen room; it gives up without a ball after three turns, or two minutes.
--   robotalk run --physics --virtual --world living_room scripts/behaviors/push_ball.lua
local rt = require "robotalk"

local SPEED, TURN = 0.35, 0.8 -- m/s; rad/s, while it looks around
local GAIN = 1.6              -- rad/s for a ball at the border of the picture
local NEAR = 45               -- pixels of the ball's width: it is 0.7 m away
local PUSH = 3                -- s for which it drives on then
local BACK, BEHIND = -0.25, 3 -- m/s and s: far enough to see the floor in front of it again
local LEAST = 60              -- pixels of a region that may be the ball
local WHOLE = 2 * math.pi / TURN + 0.5 -- s of a whole turn, and to get going
local PLACES, PATIENCE = 3, 120        -- places for a look around, and s for everything
local FAR, CLEAR = 1.2, 0.6            -- m: to the next place at most; free space that is kept in front of its sonars

local robot <close> = rt.connect(nil, { deadman = 1 })
local eye = robot:camera()

local function look()
  local picture = assert(eye:frame())
  return picture:blob("pink", { least = LEAST }), picture.width
end

local began = rt.now()
local function over() return robot:stopped() or rt.now() - began > PATIENCE end

-- Until the ball is near: its width in pixels, and that of the picture. Nil: no ball in a whole turn.
local way, room -- in the last turn: the heading with most room, and that room
local function approach()
  local seen = rt.now()
  way, room = 0, 0
  repeat
    local ball, width = look()
    local aside = ball and 1 - 2 * ball.x / width -- 1: the left border
    robot:set_speed { x = ball and SPEED or 0, theta = ball and GAIN * aside or TURN }
    if ball and ball.width >= NEAR then return ball.width, width end
    if ball then
      seen, room = rt.now(), 0
    else
      local free = math.min(robot:sense("sonar3").range, robot:sense("sonar4").range)
      if free > room then way, room = robot:state().theta, free end
    end
    rt.sleep(0.04)
  until over() or rt.now() - seen > WHOLE
  robot:stop { own = true }
end

local function go_on()
  local here, far = robot:state(), math.max(0, math.min(FAR, room - CLEAR))
  robot:go_to { x = here.x + far * math.cos(way), y = here.y + far * math.sin(way), theta = way }
end

robot:set_joint("head", { tilt = -0.3 }) -- the ball lies on the floor
local pixels, width
for place = 1, PLACES do
  pixels, width = approach()
  if pixels or over() then break end
  print(("no ball is in sight from place %d of %d"):format(place, PLACES))
  if place < PLACES then go_on() end
end
if not pixels then
  local stopped = robot:stopped()
  print(("it gives up after %.0f s: %s"):format(rt.now() - began,
    stopped and "stopped by " .. stopped.by or "it has got to no ball"))
  return false
end

print(("the ball is near: %d pixels of %d"):format(pixels, width))
robot:set_speed { x = SPEED }
rt.sleep(PUSH)
robot:stop { own = true }
print(look() and "it has rolled away" or "it is at the bumper, where the camera sees nothing")
robot:set_speed { x = BACK }
rt.sleep(BEHIND)
robot:stop { own = true }
local ball = look()
print(ball and ("there it lies: %d pixels"):format(ball.width) or "it is gone")
