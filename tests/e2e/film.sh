#!/bin/bash
# robotalk run --film: a GIF and a folder of PNG of a run in simulated time, the same for the same run; and what is none.
. "${BASH_SOURCE%/*}/lib.sh"
cat >"$work/turn.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
local view, why = rt.look { from = { 1, 1, 1 }, to = { 0, 0, 0 }, width = 16, height = 16 }
if not view then print("nothing is seen: " .. why) end
robot:set_joint("head", { pan = 0.5 })
rt.sleep(1)
LUA
run=("$ROBOTALK" run "$work/turn.lua" --virtual --until 1)

fails 0 "${run[@]}" --physics
! grep 'OpenGL\|EGL' "$work/out" || skip "OpenGL (libegl1, libgl1-mesa-dri) is not installed: no film was made"
lacks 'nothing is seen'
look=(--physics --film-view=1,1,0.6,0,0,0.2 --film-size 160x120 --film-rate 10)
fails 0 "${run[@]}" "${look[@]}" --film "$work/one.gif"
fails 0 "${run[@]}" "${look[@]}" --film "$work/two.gif"
cmp "$work/one.gif" "$work/two.gif"
[ "$(head -c 6 "$work/one.gif")" = GIF89a ]
fails 0 "${run[@]}" "${look[@]}" --film "$work/pictures.d"
[ "$(ls "$work/pictures.d" | wc -l)" = 11 ] # at 0, 0.1 … 1 s
! cmp -s "$work/pictures.d/00001.png" "$work/pictures.d/00006.png"

# those of an earlier film that was longer are gone; others are not, nor are any when no film is made
touch "$work/pictures.d/00500.png"
fails 0 "${run[@]}" "${look[@]}" --film-rate 5 --film "$work/pictures.d"
[ "$(ls "$work/pictures.d" | wc -l)" = 7 ]
fails 1 "${run[@]}" --film "$work/pictures.d"
[ "$(ls "$work/pictures.d" | wc -l)" = 7 ]

fails 1 "${run[@]}" --film "$work/none.gif"
says 'film: .*none.gif: no robot of this world has physics'
fails 1 "${run[@]}" "${look[@]}" --film ''
says "film: '': no folder can be made"
lacks mkdir
fails 1 "${run[@]}" --film "$work/nowhere/x.gif"
refuses 'film-size: expected pixels, as 480x360' "${run[@]}" --film "$work/x.gif" --film-size 160
refuses 'film-view: expected six numbers' "${run[@]}" --film "$work/x.gif" --film-view 1,2,3
refuses 'film-rate: expected pictures a second' "${run[@]}" --film "$work/x.gif" --film-rate 1000
