#!/bin/bash
# A robot with weight finds a ball in the living room by its camera, and has it before its bumper in the end. One that is not
# in sight is looked for from elsewhere; and given up, when it is nowhere.
. "${BASH_SOURCE%/*}/lib.sh"
run=("$ROBOTALK" run --physics --virtual --until 150)
need_opengl "no ball was seen"

fails 0 "${run[@]}" --world living_room scripts/behaviors/push_ball.lua
says 'the ball is near: 4[0-9] pixels of 320'
says 'it is at the bumper'
says 'there it lies: [34][0-9] pixels'

brief && exit
# living_room.lua X Y: with the ball there
living_room() { sed "s/position = { 1.3, 0.25 }/position = { $1, $2 }/" scripts/worlds/living_room.lua >"$work/room.lua"; }
living_room 3.1 -1.75 # far off, and behind the pot
fails 0 "${run[@]}" --world "$work/room.lua" scripts/behaviors/push_ball.lua
says 'no ball is in sight from place 1 of 3'
says 'the ball is near'

living_room -1.6 0.9 # behind the wall
fails 1 "${run[@]}" --world "$work/room.lua" scripts/behaviors/push_ball.lua
says 'no ball is in sight from place 3 of 3'
says 'it gives up after [34][0-9] s: it has got to no ball'
lacks 'near:'
