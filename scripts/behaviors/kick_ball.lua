-- An AIBO finds a ball, goes there, kicks it and celebrates: a Golog program over the actions of paper 002.
--   robotalk run --virtual scripts/behaviors/kick_ball.lua [X Y]      where the ball lies, in metres (0.8 0.5)
local rt = require "robotalk"
local golog = require "robotalk.golog"
local aibo = require "robotalk.aibo"
local fields = require "robotalk.field"

local x, y = ...
local robot <close> = rt.connect "aibo_ers7"
local field <close> = fields.open { balls = { { color = "pink", position = { tonumber(x) or 0.8, tonumber(y)
  or 0.5 } } },
  noise = 0.3 }
local dog = aibo.new(robot, { field = field, motions = (arg and arg[0] or "scripts/behaviors/x"):match "^(.*)/" })

local world = golog.domain()
local seen, near, kicked = world:fluent("seen", false), world:fluent("near", false), world:fluent("kicked", false)
local misses, tries = world:fluent("misses", 0), world:fluent("tries", 0) -- looks without a ball in a row; approaches

-- The head looks for the ball; it knows afterwards whether there is one.
local look = world:action("look", {
  sense = function() return dog:search_ball "pink" end,
  assume = function() return true end,
  effect = function(found)
    seen:set(found)
    near:set(false)
    misses:set(found and 0 or misses() + 1)
  end,
})
-- It is nowhere around: is it below the chest, where the head does not see?
local back_away = world:action("back_away", { run = function() return dog:walk_for(-100, 0, 0, 3) end })
-- It is nowhere ahead: what is behind?
local turn_around = world:action("turn_around", { run = function() return dog:walk_for(0, 0, 1.2, 2.2) end })

-- Walks until the ball lies before the left foot, which is 62 mm off the middle; loses sight of it, and fails, or
-- not.
local FOOT, BEFORE = 0.062, 0.17
local approach = world:action("approach", {
  run = function()
    local lost = 0
    for _ = 1, 600 do
      local ahead, left = dog:place_of_ball "pink"
      lost = ahead and 0 or lost + 1
      if lost > 15 then break end
      if ahead then
        if math.abs(left - FOOT) < 0.012 and ahead < BEFORE then
          dog:stop_walk()
          return "SUCCESS"
        end
        dog:track "pink"
        local turn = math.atan(left - FOOT, math.max(ahead - 0.1, 0.05))
        local slow = ahead < BEFORE + 0.05
        dog:walk(math.max(40, 600 * (ahead - BEFORE)), slow and 1500 * (left - FOOT) or 0,
          slow and 0 or 1.5 * turn)
      end
      rt.sleep(1 / 15)
    end
    dog:stop_walk()
    return "ERROR", "the ball is lost"
  end,
  outcome = function(signal)
    tries:set(tries() + 1)
    if signal == "SUCCESS" then near:set(true) else seen:set(false) end
  end,
})
local kick = world:action("kick", {
  pre = function() return near() end,
  sense = function()
    dog:walk_for(180, 0, 0, 1.6)
    return field:ball("pink").rolled > 0.3
  end,
  effect = function(hit) kicked:set(hit) near:set(false) seen:set(false) end,
})
local celebrate = world:action("celebrate", { run = function() return dog:motion "celebrate.mot" end })

-- Three turns and a step back, twice; then it is nowhere. An approach may fail ten times.
local function hopeless() return misses() >= 8 or tries() >= 10 end
local function below() return misses() % 4 == 3 end
local find = golog.proc("find", function()
  return { look(), golog.loop(function() return not seen() and not hopeless() end,
    { golog.when(below, back_away(), turn_around()), look() }) }
end)
local play = golog.loop(function() return not kicked() and not hopeless() end,
  golog.when(near, kick(), golog.when(seen, approach(), find())))

local report = world:run({ play, golog.when(kicked, celebrate()) }, { robot = robot })
print(report)
local ball = field:ball "pink"
if not kicked() then print "the dog gives up: it cannot find the ball, or not get at it" end
print(("the ball has rolled %.2f m, to %.2f, %.2f"):format(ball.rolled, ball.x, ball.y))
return report.done and kicked() and ball.rolled
