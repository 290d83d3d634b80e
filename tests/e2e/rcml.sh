#!/bin/bash
# Robots as RCML files, and back; every body that comes along is read by another program, without a word from it.
. "${BASH_SOURCE%/*}/lib.sh"

files=()
for body in scripts/robots/*.lua; do
    name=${body##*/}
    "$ROBOTALK" convert "$body" "$work/${name%.*}.wrl"
    files+=("$work/${name%.*}.wrl")
done
[ ${#files[@]} -ge 8 ]

command -v tovrmlx3d >/dev/null || skip "tovrmlx3d (view3dscene) is not installed: no RCML file was read by it"
for file in "${files[@]}"; do
    tovrmlx3d --encoding=xml "$file" >"$work/read.x3d" 2>"$work/complaints"
    [ ! -s "$work/complaints" ]
    # all of it was read: its last node is RCML_Robot, whose last object is the last
    grep -q "ProtoInstance name='RCML_TextOutput'\|ProtoInstance name=\"RCML_TextOutput\"" "$work/read.x3d"
done

# it finds what is wrong: a prototype that is not there
sed 's/^PROTO Site \[/PROTO Sight [/' "$work/asimo.wrl" >"$work/wrong.wrl"
tovrmlx3d --encoding=xml "$work/wrong.wrl" >/dev/null 2>"$work/complaints" || true
says 'Site' complaints
