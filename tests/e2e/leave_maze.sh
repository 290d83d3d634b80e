#!/bin/bash
# A robot leaves the maze by its laser: from its start at either hand, and from other places; it is out when it says so,
# and has touched nothing. What it says of places whose walls lead nowhere: that its time is over.
. "${BASH_SOURCE%/*}/lib.sh"
cat >"$work/bumped.lua" <<'LUA'
return { from = "pioneer2_laser", name = "bumped", sensors = { { name = "hull", type = "bumper", link = "base" } } }
LUA
cat >"$work/witness.lua" <<'LUA'
local rt = require "robotalk"
local connect = rt.connect
local watcher <close> = connect((arg[0]:gsub("witness", "bumped")))
function rt.connect(_, options) return connect("local:bumped", options) end
local touches = 0
local witness <close> = rt.spawn(function()
  local before
  while true do
    rt.sleep(0.02)
    local now = watcher:sense("hull").pressed
    if now and not before then touches = touches + 1 end
    before = now
  end
end)
assert(loadfile("scripts/behaviors/leave_maze.lua"))(...)
local state = watcher:state()
print(("%d touches, at x = %.2f, it moves: %s"):format(touches, state.x, state.moving))
LUA
leave=("$ROBOTALK" run --virtual "$work/witness.lua")
out() { # the maze's eastern wall is at x = 5.4, and its robots end at 0.3 m from their middle
    says '^out after [0-9]* s'
    says '^0 touches, at x = \(5.[7-9]\|6\).*, it moves: false'
}

hands=(right)
brief || hands+=(left)
for hand in "${hands[@]}"; do
    fails 0 "${leave[@]}" --physics --world maze $hand
    out
done
starts=('2 * CELL, 2 * CELL, 0' '4 * CELL, 0, 4')
brief || starts+=('0, 4 * CELL, 1' '3 * CELL, 3 * CELL, 2.5')
for start in "${starts[@]}"; do
    sed "s/^  start = .*/  start = { { $start } },/" scripts/worlds/maze.lua >"$work/elsewhere.lua"
    fails 0 "${leave[@]}" --world "$work/elsewhere.lua"
    out
done

sed 's/at(5, 4), at(5, 0)/at(5, 5), at(5, 0)/' scripts/worlds/maze.lua >"$work/closed.lua"
fails 0 "${leave[@]}" --world "$work/closed.lua" right 200
says '^its time is over'
says 'it moves: false'
