#!/bin/bash
# Robots as RCML files, and back; every body that comes along is read by another program, without a word from it.
. "${BASH_SOURCE%/*}/lib.sh"

convert_robots
[ ${#files[@]} -ge 8 ]

# such a file is a robot, by its ending or its first bytes, compressed or not
"$ROBOTALK" check "${files[@]}" >"$work/out"
[ "$(grep -c ': good; ' "$work/out")" = ${#files[@]} ]
says 'pioneer2.wrl: good; pioneer2: 2 links, 2 dofs, it goes over the floor, 1 control frame, 10.2 kg, sensors: 16 sonar'
gzip -c "$work/asimo.wrl" >"$work/asimo.bin"
"$ROBOTALK" repl "$work/asimo.bin" -e 'robot:set_joint("skullbase", { pan = 0.5 })' >"$work/out"
says '^SUCCESS'
cat >"$work/look.lua" <<'LUA'
local robot <close> = require "robotalk".connect(arg[1])
print(robot:set_joint("head", { pan = 0.5 }))
LUA
"$ROBOTALK" run "$work/look.lua" "$work/pioneer2.wrl" --virtual >"$work/out"
says '^SUCCESS'

# what is wrong has its line and column
printf '#VRML V2.0 utf8\nTransform { children Shap { }\n  translation 1 2 }\n' >"$work/bad.wrl"
fails 1 "$ROBOTALK" check "$work/bad.wrl"
says 'bad.wrl:2:22: there is no node type Shap'
says 'bad.wrl:3:[0-9]*: expected a number'
fails 1 "$ROBOTALK" convert "$work/bad.wrl" "$work/bad.lua"
says 'bad.wrl:2:22: '

# what is drawn by faces is kept in files beside the result, and shown by the next RCML file
mkdir "$work/meshes"
cat >"$work/tent.wrl" <<'WRL'
#VRML V2.0 utf8
Transform { scale 2 2 2 children Shape { geometry IndexedFaceSet {
  coord Coordinate { point [ 0 0 0, 1 0 0, 1 0 1, 0 0 1, 0.5 1 0.5 ] } coordIndex [ 0 1 4 -1 1 2 4 -1 2 3 4 -1 3 0 4 -1 ] } } }
WRL
"$ROBOTALK" convert "$work/tent.wrl" "$work/meshes/tent.lua" 2>"$work/notes"
says 'tent.wrl:2: note: faces are kept as meshes in files, tent_1.wrl and on' notes
grep -q 'coordIndex \[ 0, 1, 4, -1' "$work/meshes/tent_1.wrl"
"$ROBOTALK" convert "$work/meshes/tent.lua" "$work/meshes/again.wrl"
grep -A 4 'scale 2 2 2' "$work/meshes/again.wrl" | grep -q 'url \[ "tent_1.wrl" \]'
"$ROBOTALK" check "$work/meshes/again.wrl"
# what it shows by other files is still beside itself
printf '#VRML V2.0 utf8\nInline { url "tent_1.wrl" }\n' >"$work/meshes/camp.wrl"
"$ROBOTALK" convert "$work/meshes/camp.wrl" "$work/meshes/camp.lua" 2>"$work/notes"
says 'camp.wrl:1: note: links.0..shapes.1..file: tent_1.wrl is neither STL nor OBJ: with physics nothing touches it' notes
[ "$(wc -l <"$work/notes")" = 1 ]
"$ROBOTALK" convert "$work/meshes/camp.wrl" "$work/camp.lua" 2>"$work/notes"
says 'camp.wrl:2: note: tent_1.wrl stands beside this file, and not beside the result: copy it there' notes

# a server gives a robot's meshes where the RCML file has them
cat >"$work/meshes/cart.lua" <<'LUA'
return { name = "cart", base = {}, links = { [0] = { name = "body", shapes = {
  { type = "mesh", file = "tent_1.wrl" }, { type = "mesh", file = "../tent.wrl" }, { type = "mesh", file = "cart.wrl" },
  { type = "mesh", file = "nowhere.wrl" }, { type = "mesh", file = "server.key" } } } } }
LUA
echo secret >"$work/meshes/server.key"
if command -v curl >/dev/null; then
    : >"$work/log"
    "$ROBOTALK" serve "$work/meshes/cart.lua" --listen rctp://127.0.0.1:0 2>"$work/log" &
    server=$!
    eventually says "at rctp://127.0.0.1:" log
    url=$(grep -o 'rctp://127[0-9.:]*' "$work/log")
    url=${url/rctp/http}
    curl -fsS "$url/cart.wrl" >"$work/cart.wrl"
    grep -q 'url \[ "tent_1.wrl" \]' "$work/cart.wrl"
    curl -fsSi "$url/tent_1.wrl" >"$work/got"
    says '^Content-Type: model/vrml' got
    curl -fsS "$url/tent_1.wrl" | cmp - "$work/meshes/tent_1.wrl"
    eventually says 'cart: mesh nowhere.wrl is not given to viewers: it is not beside the descriptor' log
    eventually says 'cart: mesh cart.wrl is not given to viewers: a robot or a mesh has this name' log
    lacks '\.\./tent' log
    curl -fsS "$url/" >"$work/list"
    lacks key list
    fails 1 "$ROBOTALK" convert "${url/http/rctp}/nobody" "$work/none.lua"
    says "^robotalk: error: there is no robot 'nobody' at 127.0.0.1:"
    fails 1 "$ROBOTALK" repl "${url/http/rctp}/nobody" -e 1
    says "its robots are: cart$"
    end_server
fi
# what stands around robots has a file of its own, which a robot's file shows where the address says so
for name in maze arena living_room soccer table; do
    "$ROBOTALK" convert "$name" "$work/$name.room.wrl"
    files+=("$work/$name.room.wrl")
done
refuses 'a world becomes a .wrl file' "$ROBOTALK" convert maze "$work/maze.urdf"
if command -v curl >/dev/null; then
    : >"$work/log"
    "$ROBOTALK" serve pioneer2 --world arena --listen 'rctp://127.0.0.1:0?world' --listen rctp://127.0.0.1:0 2>"$work/log" &
    server=$!
    eventually says "at rctp://127.0.0.1:.*$" log
    until [ "$(grep -c 'at rctp://' "$work/log")" = 2 ]; do sleep 0.05; done
    mapfile -t urls < <(grep -o 'rctp://127[0-9.:]*' "$work/log")
    curl -fsS "${urls[0]/rctp/http}/world.wrl" | cmp - "$work/arena.room.wrl"
    curl -fsS "${urls[0]/rctp/http}/pioneer2.wrl" >"$work/shown.wrl"
    says 'url \[ "world.wrl" \]' shown.wrl
    curl -fsS "${urls[0]/rctp/http}/" >"$work/list"
    [ "$(sed -n '/^$/,$p' "$work/list" | sed -n 2p)" = /world.wrl ] # it is no robot
    curl -fsS "${urls[1]/rctp/http}/pioneer2.wrl" >"$work/alone.wrl"
    lacks world.wrl alone.wrl
    fails 22 curl -fsS "${urls[1]/rctp/http}/world.wrl"
    # it is the same robot
    "$ROBOTALK" convert "$work/shown.wrl" "$work/shown.lua" 2>/dev/null
    "$ROBOTALK" convert "$work/alone.wrl" "$work/alone.lua" 2>/dev/null
    cmp "$work/shown.lua" "$work/alone.lua"
    end_server
fi
# an input is not written over, and where there is no place for files there are boxes
"$ROBOTALK" convert "$work/meshes/tent_1.wrl" "$work/meshes/tent.urdf" 2>"$work/notes"
says 'in files, tent_2.wrl and on' notes
# nor is a file of somebody's, as one that the input shows; the same mesh again has its file again
printf '#VRML V2.0 utf8\nShape { geometry Sphere { } }\n' >"$work/hut_1.wrl"
cp "$work/hut_1.wrl" "$work/before"
sed '2i Inline { url "hut_1.wrl" }' "$work/tent.wrl" >"$work/hut.wrl"
for _ in 1 2; do
    "$ROBOTALK" convert "$work/hut.wrl" "$work/hut.lua" 2>"$work/notes"
    cmp "$work/hut_1.wrl" "$work/before"
    says 'in files, hut_2.wrl and on' notes
done
"$ROBOTALK" convert "$work/tent.wrl" - >"$work/out" 2>"$work/notes"
says 'of an IndexedFaceSet there is the box around it' notes
lacks mesh

command -v tovrmlx3d >/dev/null || skip "tovrmlx3d (view3dscene) is not installed: no RCML file was read by it"
tovrmlx3d --encoding=classic "$work/meshes/tent_1.wrl" >"$work/read.x3d" 2>"$work/complaints"
[ ! -s "$work/complaints" ]
for file in "${files[@]}"; do
    tovrmlx3d --encoding=xml "$file" >"$work/read.x3d" 2>"$work/complaints"
    [ ! -s "$work/complaints" ]
    [[ $file != *.room.wrl ]] || continue
    # all of it was read: its last node is RCML_Robot, whose last object is the last
    grep -q "ProtoInstance name='RCML_TextOutput'\|ProtoInstance name=\"RCML_TextOutput\"" "$work/read.x3d"
done

# it finds what is wrong: a prototype that is not there
sed 's/^PROTO Site \[/PROTO Sight [/' "$work/asimo.wrl" >"$work/wrong.wrl"
tovrmlx3d --encoding=xml "$work/wrong.wrl" >/dev/null 2>"$work/complaints" || true
says 'Site' complaints
