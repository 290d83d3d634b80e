#!/bin/bash
# A robot with weight finds a ball in the living room by its camera alone, and has it before its bumper in the end.
. "${BASH_SOURCE%/*}/lib.sh"
run=("$ROBOTALK" run --physics --virtual --until 40)
cat >"$work/view.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
local view, why = rt.look { from = { 1, 1, 1 }, to = { 0, 0, 0 }, width = 16, height = 16 }
if not view then print("nothing is seen: " .. why) end
LUA
fails 0 "${run[@]}" "$work/view.lua"
! grep 'OpenGL\|EGL' "$work/out" || skip "OpenGL (libegl1, libgl1-mesa-dri) is not installed: no ball was seen"

fails 0 "${run[@]}" --world living_room scripts/behaviors/push_ball.lua
says 'the ball is near: 4[0-9] pixels of 320'
says 'it is at the bumper'
says 'there it lies: [34][0-9] pixels'
