#!/bin/bash
# The cockpit in a browser without a window: it drives, loses its link and gets it back, refuses to drive by a view that has frozen, panics while
# the page is busy; two contend for a robot; the rules of axe-core find nothing.
. "${BASH_SOURCE%/*}/lib.sh"
find_browser "the cockpit was not shown in a browser"

"$ROBOTALK" serve pioneer2 puma560 --listen "rctp://127.0.0.1:0" --listen "rctp://127.0.0.1:0?role=watch" --episodes "$work/set" --task wave 2>"$work/log" &
server=$!
listens() { [ "$(grep -c "at rctp://127.0.0.1:" "$work/log")" = 2 ]; }
eventually listens
mapfile -t places < <(grep -o '://127[0-9.:]*' "$work/log")
place=http${places[0]}
page() { node tests/browser/cockpit.mjs "$modules" "$chromium" "$place" "$@" >"$work/out" 2>&1; }

page drive controls lost frozen busy contend still episodes axe
cat >"$work/expected" <<'END'
small true
key drives, release stops
pad turns, release stops
slider turns the head
dragging the picture turns the head
a window that is left stops
Esc stops what is held 0
a modifier stops what is held 0
Esc stops from within a text
held ends by typed 0 true true
held ends by esc 0 true true
held ends by panic 0 true true
completed set_joint
space in a text 0
plots
without its button 0
pushed before 0
gamepad drives, release stops
lost stops
back drives
lost panic 0
sent again
after its reset 0
slow 1 0 0
slow 1 0 0
reset meanwhile 0
taken back 0
after 409 0
after 303 1
after 303 1
after 303 2
after 303 3
frozen stops
the page refuses
back
server success error expired
panic while it was busy
reset
pressed while it was busy
given
stopped and resumed
still true true true true true
still true true true true true
kept Not recording; 1 episode, … frames; dropped
light true 0
dark true 0
narrow true 0
END
diff "$work/expected" "$work/out"
place=http${places[1]} page watch
says '^watches true$'
page arm
says '^out of reach$'
grep -q '^no three.js$' "$work/out" || for what in space dragged 'Esc ends a drag in space true' 'not so far'; do says "^$what\$"; done
[ "$(curl -s -o "$work/out" -w '%{http_code}' "$place/cockpit/nobody")" = 404 ]
end_server
