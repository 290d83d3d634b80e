#!/bin/bash
# A robot with weight finds a ball in the living room by its camera alone, and has it before its bumper in the end.
. "${BASH_SOURCE%/*}/lib.sh"
run=("$ROBOTALK" run --physics --virtual --until 40)
need_opengl "no ball was seen"

fails 0 "${run[@]}" --world living_room scripts/behaviors/push_ball.lua
says 'the ball is near: 4[0-9] pixels of 320'
says 'it is at the bumper'
says 'there it lies: [34][0-9] pixels'
