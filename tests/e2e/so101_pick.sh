#!/bin/bash
# An SO-101 with weight lifts the cube that its camera sees, wherever it lies within reach.
. "${BASH_SOURCE%/*}/lib.sh"
run=("$ROBOTALK" run --physics --virtual --until 60)
need_opengl "no cube was seen"

cat >"$work/lifted.lua" <<'LUA'
local rt = require "robotalk"
local keeper <close> = rt.connect "so101_follower" -- the robot lasts as long as its connections
local lifted = assert(loadfile "scripts/behaviors/so101_pick.lua")(...)
rt.sleep(5)
print(("it is %.2f m above the table"):format(rt.thing("small").position[3] - 0.75))
return lifted
LUA
# small X Y HEADING: the table with the cube there
small() { sed "s/cube(\"small\", [^,]*, [^,]*, \([^,]*\), [^,]*/cube(\"small\", $1, $2, \1, $3/" scripts/worlds/table.lua >"$work/here.lua"; }

fails 0 "${run[@]}" --world table "$work/lifted.lua"
says 'cyan cube at 0\.2\(39\|40\|41\), 0\.0\(89\|90\|91\) m, turned by 2[89] degrees'
says '^lifted, the gripper holds it 0\.2'
says 'it is 0\.\(1[89]\|2[01]\) m above the table'

# an orange one, by a robot that is derived
small 0.2 -0.1 1.2
sed -i '/"small"/s/#1fb8c9/#ff7a00/' "$work/here.lua"
echo 'return { from = "so101_follower", name = "mine" }' >"$work/mine.lua"
fails 0 "${run[@]}" --world "$work/here.lua" scripts/behaviors/so101_pick.lua orange "$work/mine.lua"
says 'orange cube at 0\.\(199\|200\|201\), -0\.\(099\|10[01]\) m'

small 0.9 0.3 0
fails 1 "${run[@]}" --world "$work/here.lua" scripts/behaviors/so101_pick.lua
says 'it gives up: nothing cyan is in sight'

# a body of metal by its simulator; and without a camera it does not move
cat >"$work/metal.lua" <<'LUA'
return { from = "so101_follower", name = "metal", drivers = { arm = { driver = "servos", port = "/dev/none" } } }
LUA
fails 0 "${run[@]}" --world table --dry-run scripts/behaviors/so101_pick.lua cyan "$work/metal.lua"
says '^lifted, the gripper holds it 0.2'
fails 1 "$ROBOTALK" run --virtual scripts/behaviors/so101_pick.lua
says 'it gives up: its camera shows a test card'

brief && exit
while read -r x y heading; do
    small "$x" "$y" "$heading"
    fails 0 "${run[@]}" --world "$work/here.lua" "$work/lifted.lua"
    says 'it is 0\.\(1[89]\|2[01]\) m above the table'
done <<'END'
0.05 0.24 -0.4
0.02 -0.22 0.2
0.35 0 0.2
0.15 0.05 0.785
END
