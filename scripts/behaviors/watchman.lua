-- A watchman as a behaviour tree: rounds past four corners, with a look to both sides in each; when the battery is low
-- the round is given up, and the robot drives home and charges.
--   robotalk run --virtual scripts/behaviors/watchman.lua [ROUNDS]      how many whole rounds (2)
local rt, tree = require "robotalk", require "robotalk.tree"

local rounds = tonumber((...)) or 2
local robot <close> = rt.connect "pioneer2"

local charge = 1 -- of a battery that lasts a minute
local battery <close> = rt.spawn("battery", function()
  while true do
    rt.sleep(0.1)
    charge = math.max(0, charge - 0.1 / 60)
  end
end)
local function charged() return charge > 0.3, battery.name .. " is low" end

local function look(name, pan)
  return tree.action { name = name, function() return robot:set_joint("head", { pan = pan }) end }
end

local function corner(name, x, y)
  return tree.sequence { name = name,
    tree.retry { name = "again if it is held", times = 3, pause = 1, tree.command(robot, "go_to", { x = x, y = y }) },
    tree.timeout { seconds = 5,
      tree.sequence { name = "look", look("left", 1), look("right", -1), look("ahead", 0) } } }
end

local round = tree.guard { name = "while charged", when = charged,
  tree.sequence { name = "round",
    corner("door", 1, 0), corner("window", 1, 1), corner("shelf", 0, 1), corner("desk", 0, 0) } }

local charging = tree.sequence { name = "charging",
  tree.action { name = "home", function() return robot:go_to { x = 0, y = 0 } end },
  tree.action { name = "wait", function()
    rt.sleep(5)
    charge = 1
    return true
  end } }

local watch = tree.loop { name = "watch", times = rounds,
  tree.retry { name = "a whole round", times = 3, tree.fallback { name = "round or charging", round,
    tree.invert { name = "then again", charging } } } }

watch:on_change(function(node)
  local kind = node:state().state
  if node.kind == "guard" or node.name == "charging" or kind == "halted" and node.kind == "command" then
    print(("%6.1f s  %-8s %s%s"):format(rt.now(), kind, node.name, node:state().why and ": " .. node:state().why or ""))
  end
end)

local ok, why = watch:run()
print(watch)
if not ok then error(why, 0) end
return watch
