#!/bin/bash
# What ./run starts at a terminal: a robot in a living room, and a greeting whose lines do what they say. Without MuJoCo
# it opens all the same, and says what is missing.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"
starts=$(sed -n 's/^ *exec "$build\/robotalk" \(repl .*\)/\1/p' run)
[[ $starts = 'repl pioneer2 --serve '* ]]
starts=${starts/--serve /} # others may listen at its port now
ROBOTALK=$(realpath "$ROBOTALK")
cd "$work"
export XDG_STATE_HOME=$work/state
types() { # LINE…: all that the prompt shows, in $work/shown
    printf '%s\r' "$@" quit | timeout 300 script -qfc "$ROBOTALK $starts" /dev/null | tr -d '\r' >"$work/shown"
}

types 'robot:go_to{ x = 0.3 }' 'robot:sense("sonar").range' 'snapshot()' 'snapshot "world"' 'snapshot "nose"'
says '^It stands in living_room, with weight' shown || skip "MuJoCo (libmujoco2.2.2) is not installed: no weight was tried"
for line in 'robot:go_to{ x = 1 } *drives' 'robot:sense("sonar").range *how far' \
    'snapshot() *saves a picture by its camera; snapshot "world" one of the world'; do
    says "^  $line" shown
done
says '^SUCCESS: took' shown
says '^[01]\.[0-9]*$' shown
says 'has no camera nose' shown
if ! grep 'OpenGL\|EGL' shown; then
    says '^camera.jpg, 320 x 240 pixels$' shown
    says '^world.jpg, 640 x 480 pixels$' shown
    for file in camera world; do [ "$(head -c 3 $file.jpg | od -An -tx1)" = ' ff d8 ff' ]; done
fi

# a library that is damaged is as good as none
mkdir broken.d
: >broken.d/libmujoco.so.2.2.2
export LD_LIBRARY_PATH=$work/broken.d
types 'robot:go_to{ x = 0.3 }' 'snapshot()'
says 'the robot is moved without physics: no weight, no pictures of the world' shown
says '^It stands in living_room, without weight' shown
says '^SUCCESS: took' shown
says '^camera.jpg, 320 x 240 pixels$' shown
lacks 'snapshot "world" what' shown
# but who asks for it in a script, where nobody reads along, gets none
fails 1 "$ROBOTALK" repl pioneer2 --physics -e 'robot:state().x'
says 'physics needs MuJoCo'
