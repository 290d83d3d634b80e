-- An AIBO finds a pink ball by its camera, walks there, around obstacles that its infrared sees, kicks it with the
-- nearer foot, checks whether it is gone, and celebrates: a Golog program over the actions of paper 002. When it
-- falls on its way it gets up and continues.
--   robotalk run --physics --virtual --world living_room scripts/behaviors/kick_ball.lua
--   robotalk run --physics --virtual --world soccer scripts/behaviors/kick_ball.lua orange      a ball of another color
-- Without --physics there are no pictures of a world, so a field computes how the camera would see its ball:
--   robotalk run --virtual scripts/behaviors/kick_ball.lua [X Y]      position of the ball, in metres (0.8 0.5)
local rt = require "robotalk"
local golog = require "robotalk.golog"
local aibo = require "robotalk.aibo"
local fields = require "robotalk.field"

local FOOT, AIM = 0.075, 0.185   -- m: position of the ball for a kick, to the side and ahead of the dog's middle
local ASIDE, AHEAD = 0.015, 0.015 -- m: tolerance of that while the dog walks
local HELD = 4                   -- looks in a row with the ball there, so that the dog is slow when it stops
local FARTHEST = 0.225           -- m ahead at which a foot still hits it
local SLOW = 0.25                -- m: at a shorter distance the dog does not turn, but walks sideways
local FARTHER = 0.2              -- m: increase of the distance that counts as a kick
local GLANCE = 2                 -- s of walking between two glances at its way
local CLOSE = 350                -- mm from its nose: a nearer object is in the way
local BEFORE = 0.65              -- m ahead: with a nearer ball a glance would see the ball itself

local color, x, y = "pink", ...
if x and not tonumber(x) then color, x, y = ... end
local robot <close> = rt.connect "aibo_ers7"
local _, _, without = rt.look { from = { 1, 1, 1 }, to = { 0, 0, 0 }, width = 16, height = 16 }
local field <close> = without == "EDEVICE" and fields.open { noise = 0.3, balls = { { color = color,
  position = { tonumber(x) or 0.8, tonumber(y) or 0.5 } } } } or nil
local dog = aibo.new(robot, { field = field, camera = not field or nil,
  motions = (arg and arg[0] or "scripts/behaviors/x"):match "^(.*)/" })
local sees, why_not, code = dog:query_ball(color)
if not sees and code then
  print("the camera gives no picture: " .. why_not)
  return false
end

local world = golog.domain()
local seen, near, kicked = world:fluent("seen", false), world:fluent("near", false), world:fluent("kicked", false)
local fallen, blocked = world:fluent("fallen", false), world:fluent("blocked", false)
-- looks without a ball in a row; approaches, and attempts to get up
local misses, tries = world:fluent("misses", 0), world:fluent("tries", 0)

local falls = world:exogenous("falls", function() fallen:set(true) near:set(false) seen:set(false) end)
robot:on_notice(function(what, value) if what == "fallen" and value == 1 then world:happens(falls()) end end)
local get_up = world:action("get_up", {
  run = function() return dog:get_up() end,
  outcome = function(signal)
    tries:set(tries() + 1)
    fallen:set(signal ~= "SUCCESS")
  end,
})

-- The head looks for the ball; it knows afterwards whether there is one.
local look = world:action("look", {
  sense = function() return (dog:search_ball(color)) end,
  assume = function() return true end,
  effect = function(found)
    seen:set(found)
    near:set(false)
    misses:set(found and 0 or misses() + 1)
  end,
})
-- The ball is not around: is it below the chest, where the head does not see?
local back_away = world:action("back_away", { outcome = function() end,
  run = function() return dog:walk_for(-100, 0, 0, 3) end })
-- The ball is not ahead: is it behind?
local turn_around = world:action("turn_around", { outcome = function() end,
  run = function() return dog:walk_for(0, 0, 1.2, 2.2) end })

-- A glance: the head scans the floor ahead, from right to left, and returns to the ball, while the infrared in the
-- nose measures distances. Returns the side with the larger distance, 1 left or -1 right; nil: nothing is
-- in the way.
local IN_THE_WAY = "something stands in the way"
local function glance()
  local neck = { "neckTilt1", "neckPan", "neckTilt2" }
  local before, right, left = dog:query_sensors(neck), CLOSE, CLOSE
  for pan = -30, 30, 10 do
    dog:move_joints { { "neckTilt1", -20 }, { "neckPan", pan }, { "neckTilt2", 0 } }
    local there = dog:query_sensors { "NearIRDist" }[1]
    if pan < 0 then right = math.min(right, there) else left = math.min(left, there) end
  end
  for i, name in ipairs(neck) do before[i] = { name, before[i] } end
  dog:move_joints(before)
  if math.min(right, left) == CLOSE then return nil end
  return left < right and -1 or 1
end

-- Walks sideways for a second while an object is in the way, and ahead otherwise: after three seconds ahead it is past
-- the object. If five seconds sideways are not enough it tries the other side.
local way -- the side on which it walks around
local go_around = world:action("go_around", {
  run = function()
    local aside, on, word = 0, 0, "SUCCESS"
    while on < 3 and aside < 15 and word == "SUCCESS" do
      if glance() then
        word = dog:walk(0, way * 80, 0)
        aside = aside + 1
        if aside == 5 then way = -way end
      else
        word = dog:walk(140, 0, 0)
        on = on + 1
      end
      rt.sleep(1)
    end
    return dog:stop_walk()
  end,
  outcome = function() blocked:set(false) seen:set(false) end,
})

local function clamp(v, most) return math.max(-most, math.min(most, v)) end

-- Walks until the ball lies in front of a foot; fails when the ball is out of sight for a while, an object is in the
-- way, or the dog falls.
local side = 1 -- of the foot: 1 left, -1 right
local approach = world:action("approach", {
  run = function()
    local lost, held, word, why = 0, 0, "SUCCESS", nil
    local due = rt.now() -- of a glance
    for _ = 1, 900 do
      local ahead, left = dog:place_of_ball(color)
      lost = ahead and 0 or lost + 1
      if lost > 15 then break end
      if ahead and ahead > BEFORE and math.abs(left) < 0.3 * ahead and rt.now() > due then
        way = glance()
        if way then
          dog:stop_walk()
          return "ERROR", IN_THE_WAY
        end
        due = rt.now() + GLANCE
      elseif ahead then
        if ahead > SLOW then side = left < 0 and -1 or 1 end
        local off, speed = left - side * FOOT, clamp(1000 * (ahead - AIM), 140)
        held = math.abs(off) < ASIDE and math.abs(ahead - AIM) < AHEAD and held + 1 or 0
        dog:track(color)
        if held == HELD then
          held = 0
          dog:stop_walk()
          robot:stop { own = true } -- until its feet stand
          rt.sleep(0.2)
          ahead, left = dog:place_of_ball(color)
          if ahead and ahead < FARTHEST and math.abs(left - side * FOOT) < 1.5 * ASIDE then return "SUCCESS" end
        elseif ahead < SLOW then
          word, why = dog:walk(speed, clamp(1000 * off, 60), 0)
        else
          word, why = dog:walk(speed, 0, clamp(1.5 * math.atan(off, ahead - 0.1), 1))
        end
        if word ~= "SUCCESS" and word ~= "MODIFIED" then return word, why end
      end
      rt.sleep(1 / 15)
    end
    dog:stop_walk()
    return "ERROR", "the ball is lost"
  end,
  outcome = function(signal, why)
    tries:set(tries() + 1)
    near:set(signal == "SUCCESS")
    blocked:set(why == IN_THE_WAY)
    if signal ~= "SUCCESS" then seen:set(false) end
  end,
})
local kick = world:action("kick", {
  pre = function() return near() end,
  sense = function()
    local leg = side > 0 and "lFrRotor" or "rFrRotor"
    local stands = dog:query_sensors { leg }[1]
    local before = dog:place_of_ball(color)
    dog:move_joints { { "neckTilt1", 0 }, { "neckPan", 0 }, { "neckTilt2", 0 } } -- out of the way
    dog:move_joints { { leg, 43 } }
    dog:move_joints { { leg, stands } }
    local after = dog:search_ball(color) and dog:place_of_ball(color)
    return before and after and after > before + FARTHER and after
  end,
  effect = function(hit) kicked:set(hit) near:set(false) seen:set(false) end,
})
local celebrate = world:action("celebrate", { run = function() return dog:motion "celebrate.mot" end })

-- Three turns and a step back, twice; then there is no ball. An approach may fail ten times.
local function hopeless() return misses() >= 8 or tries() >= 10 end
local function missed() return misses() > 0 end
local function below() return misses() % 4 == 3 end
local find = golog.proc("find", function()
  return { golog.when(missed, golog.when(below, back_away(), turn_around())), look() }
end)
local play = golog.loop(function() return not kicked() and not hopeless() end,
  golog.when(fallen, get_up(), golog.when(blocked, go_around(), golog.when(near, kick(),
    golog.when(seen, approach(), find())))))

local report = world:run({ play, golog.when(kicked, celebrate()) }, { robot = robot })
print(report)
if kicked() then
  print(("the ball was kicked: the dog sees it %.2f m ahead"):format(kicked()))
else
  print "the dog gives up: it cannot find the ball, or not get at it"
end
local ball = field and field:ball(color)
if ball then print(("the ball has rolled %.2f m, to %.2f, %.2f"):format(ball.rolled, ball.x, ball.y)) end
return report.done and kicked()
