-- Pushes a pink ball by what its camera sees, and nothing else: turns until it sees the ball, drives towards it, and on
-- for a while when it is near. Then it backs off, and looks where the ball is.
--   robotalk run --physics --virtual --world living_room scripts/behaviors/push_ball.lua
local rt = require "robotalk"

local SPEED, TURN = 0.35, 0.8 -- m/s; rad/s, while it looks around
local GAIN = 1.6              -- rad/s for a ball at the border of the picture
local NEAR = 45               -- pixels of the ball's width: it is 0.7 m away
local PUSH = 3                -- s for which it drives on then
local BACK, BEHIND = -0.25, 3 -- m/s and s: so far that it sees the floor before it again
local LEAST = 60              -- pixels of a region that may be the ball

local robot <close> = rt.connect(nil, { deadman = 1 })
local eye = robot:camera()

local function look()
  local picture = assert(eye:frame())
  return picture:blob("pink", { least = LEAST }), picture.width
end

robot:set_joint("head", { tilt = -0.3 }) -- the ball lies on the floor
local ball, width
repeat
  ball, width = look()
  local aside = ball and 1 - 2 * ball.x / width -- 1: the left border
  robot:set_speed { x = ball and SPEED or 0, theta = ball and GAIN * aside or TURN }
  rt.sleep(0.04)
until ball and ball.width >= NEAR

print(("the ball is near: %d pixels of %d"):format(ball.width, width))
robot:set_speed { x = SPEED }
rt.sleep(PUSH)
robot:stop()
print(look() and "it has rolled away" or "it is at the bumper, where the camera sees nothing")
robot:set_speed { x = BACK }
rt.sleep(BEHIND)
robot:stop()
ball = look()
print(ball and ("there it lies: %d pixels"):format(ball.width) or "it is gone")
