-- The elevator of Levesque et al. 1997, the first of all Golog programs: it serves all calls, and parks.
--   robotalk run --virtual scripts/behaviors/elevator.lua [FLOOR …]      the floors that call (3 5)
local golog = require "robotalk.golog"

local calls = {}
for _, word in ipairs { ... } do calls[assert(tonumber(word), "want the numbers of floors")] = true end
if not next(calls) then calls = { [3] = true, [5] = true } end

local building = golog.domain()
local floor, on = building:fluent("floor", 4), building:relation("on", calls)
local up = building:action("up", { pre = function(n) return floor() < n end, effect = function(n) floor:set(n) end,
  duration = 4 })
local down = building:action("down", { pre = function(n) return floor() > n end, effect = function(n) floor:set(n) end,
  duration = 4 })
local turn_off = building:action("turn_off", { pre = function(n) return on(n) end,
  effect = function(n) on:set(n, false) end })
local open, close = building:action("open", { duration = 3 }), building:action("close", { duration = 2 })

local go_to = golog.proc("go_to", function(n)
  return golog.choice(golog.test(function() return floor() == n end), up(n), down(n))
end)
local serve = golog.proc("serve", function(n) return { go_to(n), turn_off(n), open(), close() } end)
local park = golog.when(function() return floor() == 0 end, open(), { down(0), open() })

local plan = assert(building:plan { golog.loop(function() return on:any() end, golog.pick(on, serve)), park })
print(plan)
return plan
