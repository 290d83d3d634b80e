-- A Pioneer drives its rounds; a call, which is an exogenous action, gets a visit first, and a low battery sends the
-- robot home.
--   robotalk run --virtual scripts/behaviors/patrol.lua [ROUNDS]
local rt = require "robotalk"
local golog = require "robotalk.golog"

local rounds = tonumber((...)) or 2
local robot <close> = rt.connect "pioneer2"
local world = golog.domain()

local PLACES = { gate = { 0.8, 0 }, store = { 0.8, 0.8 }, office = { 0, 0.8 }, home = { 0, 0 } }
local ROUND = { "gate", "store", "office", "home" }

local at = world:fluent("at", "home")
local done = world:fluent("done", 0)              -- rounds
local called = world:relation("called")           -- places of calls
local low = world:fluent("low", false)            -- the battery

local go = world:action("go", {
  pre = function(place) return at() ~= place end,
  command = function(place) return "go_to", { x = PLACES[place][1], y = PLACES[place][2], theta = 0 } end,
  effect = function(place) at:set(place) end, duration = 5,
})
local look_round = world:action("look_round", { run = function()
  robot:set_joint("head", { pan = 1.2 })
  robot:set_joint("head", { pan = -1.2 })
  return (robot:set_joint("head", { pan = 0 }))
end, duration = 4 })
local greet = world:action("greet", { effect = function(place) called:set(place, false) end })
local round_done = world:action("round_done", { effect = function() done:set(done() + 1) end })
local charge = world:action("charge", { run = function() rt.sleep(3) end, effect = function() low:set(false) end })
local calls = world:exogenous("calls", function(place) called:set(place, true) end)
local runs_low = world:exogenous("runs_low", function() low:set(true) end)

local visit = golog.proc("visit", function(place)
  return golog.when(function() return at() ~= place end, go(place))
end)
local one_round = {}
for i, place in ipairs(ROUND) do one_round[i] = { visit(place), look_round() } end
local patrol = golog.loop(function() return done() < rounds end, { one_round, round_done() })

-- The exogenous actions of the world meanwhile.
rt.spawn(function()
  rt.sleep(6)
  world:happens(calls "office")
  rt.sleep(12)
  world:happens(runs_low())
end)

local report = world:run(golog.prior(
  golog.interrupt(low, { visit "home", charge() }),
  golog.interrupt(called, function(place) return called(place) end, function(place) return { visit(place),
    greet(place) } end),
  { patrol, world.stop_interrupts() }), { robot = robot })
print(report)
return report
