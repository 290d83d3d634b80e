#!/bin/bash
# A robot follows walls by its sonars: whole laps at either hand, as far from the wall as it says, and without a touch.
. "${BASH_SOURCE%/*}/lib.sh"
cat >"$work/bumped.lua" <<'LUA'
return { from = "pioneer2", name = "bumped", sensors = { { name = "hull", type = "bumper", link = "base" } } }
LUA
# Runs the behaviour on a robot that feels touches, and tells what it does not tell itself: touches, and how far it
# was from the western wall of the living room, whose face is at x = -0.95, where it drives along that.
cat >"$work/witness.lua" <<'LUA'
local rt = require "robotalk"
local connect = rt.connect
local watcher <close> = connect((arg[0]:gsub("witness", "bumped")))
function rt.connect(_, options) return connect("local:bumped", options) end
local sleep, fails = rt.sleep, select(3, ...)
if fails then
  function rt.sleep(seconds)
    if rt.now() > 5 and seconds == 0.1 then error "it fails" end
    return sleep(seconds)
  end
end
local touches, least, most = 0, math.huge, 0
local witness <close> = rt.spawn(function()
  local before
  while true do
    rt.sleep(0.02)
    local now, state = watcher:sense("hull").pressed, watcher:state()
    if now and not before then
      touches = touches + 1
      print(("touched at %.2f, %.2f"):format(state.x, state.y))
    end
    before = now
    if math.abs(state.y) < 0.5 and state.x < 0 and math.abs(math.sin(state.theta)) > 0.99 then
      local gap = state.x + 0.95 - 0.136 -- the sonars are 0.136 m aside of its middle
      least, most = math.min(least, gap), math.max(most, gap)
    end
  end
end)
print(pcall(assert(loadfile "scripts/behaviors/follow_wall.lua"), ...))
sleep(1)
print("it moves: " .. tostring(watcher:state().moving))
print(("%d touches, %.2f to %.2f m from the wall"):format(touches, least, most))
LUA
follow=("$ROBOTALK" run --virtual "$work/witness.lua")

hands=(right)
brief || hands+=(left)
for hand in "${hands[@]}"; do
    fails 0 "${follow[@]}" --physics --world living_room $hand
    says '^a lap of [67][0-9] s'
    says '^0 touches, 0.4[0-9] to 0.[45][0-9]* m from the wall'
    says '^it moves: false'
done
for simulation in --physics ""; do
    fails 0 "${follow[@]}" $simulation --world arena
    says '^a lap of [23][0-9] s'
    says '^0 touches'
done
fails 0 "${follow[@]}" --world arena left 5
says '^its time is over'
says '^it moves: false'

# and when it fails on its way
fails 0 "${follow[@]}" --world arena left 50 fails
says '^false.*it fails'
says '^it moves: false'
