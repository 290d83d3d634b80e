-- A leader arm that a hand moves, and a follower that does the same, at 100 Hz, as long as something is held: the
-- key e, a button of a gamepad, or a pedal. It moves slowly until it is where the leader is.
--   robotalk run leader_follower.lua [LEADER [FOLLOWER]] [--pad auto|DEVICE [--button NAME]] [--mode newest|playback]
--       [--delay S]        names, files or addresses (so101_leader so101_follower): docs/drive.md
--   robotalk run --virtual leader_follower.lua --always --hand --seconds 20
-- --always: nothing needs to be held; --hand: a hand is simulated; both for simulated robots. --delay S: mode delay.
local arguments = require "robotalk.arguments"
local descriptor = require "robotalk.descriptor"
local enable = require "robotalk.follow.enable"
local follow = require "robotalk.follow"
local operator = require "robotalk.follow.operator"
local rt = require "robotalk"

local USAGE <const> = "[LEADER [FOLLOWER]] [--pad auto|DEVICE [--button NAME]] [--mode newest|delay|playback]"
  .. " [--delay S] [--seconds S] [--always] [--hand]"
local OPTIONS <const> = { { "pad", "DEVICE" }, { "button", "NAME" }, { "mode", "MODE" }, { "always" }, { "hand" },
  { "delay", "seconds", number = true }, { "seconds", "seconds", number = true } }

local given, wrong = arguments.read({ options = OPTIONS }, { ... })
if not given then error(wrong, 0) end
if given[3] then error(("unexpected %s; expected %s"):format(given[3], USAGE), 0) end
if given.help then return print("robotalk run leader_follower.lua " .. USAGE) end
local mode = given.mode or given.delay and "delay" or "newest"
local names = { given[1] or "so101_leader", given[2] or "so101_follower" }

-- Whether nothing that a robot of that name or file drives is of metal.
local function is_simulated(name)
  if descriptor.dry then return true end
  local made = not name:find "://" and descriptor.open(name)
  for _, driver in pairs(made and made.descriptor.drivers or {}) do
    if driver.driver ~= "sim" and driver.port ~= "simulated" then return false end
  end
  return made and true or false
end

for n, option in ipairs { "hand", "always" } do -- the hand moves the leader, what is enabled the follower
  if given[option] and not is_simulated(names[n]) then
    error(("--%s is for simulated robots, and %s may be of metal"):format(option, names[n]), 0)
  end
end

local made = not given.hand and not names[1]:find "://" and descriptor.open(names[1])
for entry, driver in pairs(made and made.descriptor.drivers or {}) do
  if driver.driver == "servos" and driver.torque ~= false then
    error(("a hand cannot move servos that have torque: drivers.%s of %s needs torque = false"):format(entry,
      names[1]), 0)
  end
end

local leader <close> = rt.connect(names[1])
local follower <close> = rt.connect(names[2])
local source, why
if given.always then source = enable.always()
elseif given.pad then source, why = enable.pad(given.pad, given.button)
else source, why = enable.key() end
if not source then error(("nothing can be held: %s"):format(why), 0) end
local holds <close> = source -- luacheck: ignore
local moving <close> = given.hand and operator.move(leader) -- luacheck: ignore

local began = rt.now()
local over, sent, code = follow.run(leader, follower, function(now, self)
  if given.seconds and now - began >= given.seconds then return nil, "its time is over" end
  return source.held(now, self)
end, { mode = mode, delay = given.delay, on_state = function(state, reason)
  if given.always or given.pad then print(reason and reason ~= "" and state .. ": " .. reason or state) end
end })
if not over then error(("%s (%s)"):format(sent, code), 0) end
print(("%d commands: %s"):format(sent, over))
