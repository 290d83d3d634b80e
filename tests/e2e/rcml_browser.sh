#!/bin/bash
# Every body that comes along, as an RCML file, in X_ITE in a browser without a window: read without a word, its shapes drawn, and
# the RCML part found beside them. X_ITE comes by npm, once, into build/vrml.
. "${BASH_SOURCE%/*}/lib.sh"

find_browser "no RCML file was read by X_ITE"

convert_robots
node tests/vrml/read.mjs "$modules" "$chromium" "${files[@]}" >"$work/out" 2>&1
says '^pioneer2.wrl: 5 nodes, 5 shapes, pioneer2: base head joints gaze command home stop$'
says '^asimo.wrl: 5 nodes, 20 shapes, asimo: base skullbase '
says '^arm004.wrl: 5 nodes, 8 shapes, '
[ "$(grep -c ' shapes, ' "$work/out")" = ${#files[@]} ]

# it finds what is wrong: a prototype that is not there
sed 's/^PROTO Site \[/PROTO Sight [/' "$work/asimo.wrl" >"$work/wrong.wrl"
fails 1 node tests/vrml/read.mjs "$modules" "$chromium" "$work/wrong.wrl"
says 'Site'
