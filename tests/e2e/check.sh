#!/bin/bash
# `robotalk check`: robots, configurations, scripts and modes, each with all that is wrong, and nothing of it is run.
. "${BASH_SOURCE%/*}/lib.sh"
ROBOTALK=$(realpath "$ROBOTALK")
cd "$work"

cat >script.lua <<'LUA'
io.open("ran", "w"):close()
local rt, golog = require "robotalk", require "robotalk.golg"
local helper = require "helper"
local robot <close> = rt.conect("pioneer2")
local other <close> = rt.connect("pioneer3")
local dog <close> = rt.connect "aibo_ers7"
dog:set_joint("haed", { tilt = 1 })
dog:go_too { x = 1 }
dog:set_frame("gaze", {})
rt.sleeep(1)
local turret = rt.connect("./turret.lua")
LUA
echo 'return require "robotalk.tree".sequnce {} .. require "nowhere"' >helper.lua
printf 'return {\n  name = "turret", modle = 1,\n}\n' >turret.lua
fails 1 "$ROBOTALK" check script.lua
cp out script.out
for line in \
    "script.lua:2: there is no module 'robotalk.golg'; did you mean robotalk.golog?" \
    "helper.lua:1: there is no module 'nowhere'" \
    "script.lua:4: rt has no function or field 'conect'; did you mean connect?" \
    "script.lua:5: there is no robot 'pioneer3'; did you mean pioneer2?" \
    "script.lua:7: aibo_ers7 has no joint 'haed'; did you mean head?" \
    "script.lua:8: dog has no method 'go_too'; did you mean go_to?" \
    "script.lua:10: rt has no function or field 'sleeep'; did you mean sleep?" \
    "turret.lua:2: modle: did you mean 'model'?"; do
    grep -qF -- "$line" script.out || { echo "expected: $line"; exit 1; }
done
[ ! -e ran ]

# dofs, fields and sensors that a command names
cat >fields.lua <<'LUA'
local robot <close> = require "robotalk".connect("pioneer2")
robot:set_joint("head", { pann = 1 })
robot:set_joint("head", { pan = 1, speed = 2, start = 3, velocity = { pan = 1 } })
robot:set_joint("head", { 1, 2 })
robot:sense "sonr"
robot:watch({ "sonar", "sonar17" }, print)
robot:sense { kind = "sonar" }
robot:go_to { xx = 1, speed = 1 }
robot:set_frame("hand", {})
robot:move { head = { tlt = 1, velocity = { pn = 1 } }, haed = 1, base = { speed = { z = 1 } }, start = 1 }
robot:go_to { { x = 1 }, { zz = 2 } }
robot:begin("set_joint", "head", { pann = 1 })
robot:begin("go_too", {})
local tape <close> = robot:session { mode = "delay" }
tape:frame(0, { head = { pann = 1, ["0"] = 1 }, gaze = { position = { 1, 0, 0 }, strait = true } })
robot.must:set_frame("gaze", { positon = { 1, 0, 0 } })
local state = assert(robot:state())
print(state.joints.head.pann, state.joints.haed, state.joints.head.pan, state.joints.head[0])
local arm <close> = require "robotalk".connect "asimo"
arm:move { l_hand = { fingers = 1, force = { thumb = 1 } }, r_hand = { linear = { 0, 0, 0 }, position = 1 } }
arm:move { neck = 1, l_elbow = { l_elbow = 1, velocity = { pitch = 1 } } }
LUA
fails 1 "$ROBOTALK" check fields.lua
cp out fields.out
[ "$(cut -d: -f2 fields.out | paste -sd ' ')" = "2 5 6 8 9 10 10 10 10 11 12 13 15 15 16 18 18 20 21" ]
for line in "2: pioneer2.head has no dof 'pann'; did you mean pan?" "5: pioneer2 has no sensor 'sonr'; did you mean sonar?" \
    "8: go_to has no field 'xx'; did you mean x?" "9: pioneer2 has no control frame 'hand'; there are root, gaze"; do
    grep -qF -- "fields.lua:$line" fields.out || { echo "expected: $line"; exit 1; }
done

# what cannot start: options that a driver in Lua lacks or does not know, and drivers that there are not
cat >board.lua <<'LUA'
os.execute "touch ran"
local driver = { options = { { "port", "text", max = 255, needed = true } } }
function driver.open() return {} end
function driver.start(_, _, done) done "success" end
return driver
LUA
cat >two.lua <<'LUA'
return { name = "two", joints = { { name = "eye", driver = "e", dofs = { { name = "pan" } } } },
  cameras = { { name = "c", link = 0, width = 64, height = 48, fov = 1, driver = "v" } },
  drivers = { e = { script = "board.lua",
    prot = 3 }, v = { driver = "v4l3" } } }
LUA
fails 1 "$ROBOTALK" check two.lua
for line in "two.lua:3: drivers.e.port: expected a text, got nothing" "two.lua:4: drivers.e.prot: did you mean 'port'?" \
    "two.lua:4: drivers.v: there is no driver 'v4l3'"; do
    grep -qF -- "$line" out || { echo "expected: $line"; exit 1; }
done
[ ! -e ran ]

# names by their scopes: one that is used again is another one, and what several values have in common is known
cat >names.lua <<'LUA'
local rt, tree, golog = require "robotalk", require("robotalk.tree"), require "robotalk.golog"
do
  local robot <close> = rt.connect "pioneer2"
  robot:set_joint("haed", 1)
  robot:frme(0, {})
end
do
  local robot = assert(rt.try_connect("aibo_ers7"))
  robot:set_joint("haed", 1)
  local tape <close> = robot:session { mode = "delay" }
  tape:frme(0, {})
  rt.spawn(function(robot) robot:anything() end):cancle()
end
local robot
robot = rt.connect "asimo"
robot:hom()
tree.sequnce {}
golog.domain():fluant "x"
local other = rt.connect "pioneer2"
other = rt.connect "asimo"
other:set_joint("rigth", 1)
other:hom()
other = { hom = print }
local odd = rt.connect "pioneer2"
odd = { hom = print }
odd:hom()
for robot = 1, 2 do robot:any() end
LUA
fails 1 "$ROBOTALK" check names.lua
cp out names.out
[ "$(cut -d: -f2 names.out | paste -sd ' ')" = "4 5 9 11 12 16 17 18" ]
for line in "4: pioneer2 has no joint 'haed'" "9: aibo_ers7 has no joint 'haed'" "11: tape has no method 'frme'" \
    "12: robotalk.Task has no method 'cancle'; did you mean cancel?" "17: tree has no function or field 'sequnce'" \
    "18: robotalk.golog.Domain has no method 'fluant'"; do
    grep -qF -- "names.lua:$line" names.out || { echo "expected: $line"; exit 1; }
done

# a dot for a colon and a colon for a dot, where it is sure what is called
cat >dots.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
robot.stop()
robot.go_to { x = 1 }
robot.sense "sonar"
robot.stop(robot)
local t = rt.spawn(print)
t.cancel()
rt:look { from = { 1, 1, 1 }, to = { 0, 0, 0 } }
pcall(robot.stop, robot)
print(robot.body.name, robot:camera().frame())
local function any(x) robot.stop(x) end
any(robot)
LUA
fails 1 "$ROBOTALK" check dots.lua
cp out dots.out
[ "$(cut -d: -f2 dots.out | paste -sd ' ')" = "3 4 5 8 9 11" ]
for line in "3: stop: call it with a colon: robot:stop()" "4: go_to: call it with a colon: robot:go_to{…}" \
    "5: sense: call it with a colon: robot:sense(…)" "8: cancel: call it with a colon: t:cancel()" \
    "9: look: call it with a dot: rt.look" "11: frame: call it with a colon: camera:frame()"; do
    grep -qF -- "dots.lua:$line" dots.out || { echo "expected: $line"; exit 1; }
done

cat >bridged.lua <<'LUA'
local bridge = require "robotalk.bridge"
local pictures = bridge.images { evry = 0.1, to = "images://localhost" }
return bridge.new { behaviors = { bridge.quit, bridge.parse, pictures } }
LUA
fails 1 "$ROBOTALK" check bridged.lua
says "^bridged.lua:2: bridge.images has no option 'evry'; did you mean every?"
says "^bridged.lua:3: bridge.new has no option 'behaviors'; did you mean behaviours?"
"$ROBOTALK" check "$here/scripts/behaviors/careful.lua"

# a long chain is no trouble
{ echo 'local a0 = require "robotalk"'; for ((i = 1; i < 120; i++)); do echo "local a$i = a$((i - 1))"; done; echo 'a119.conect()'; } >chain.lua
fails 1 "$ROBOTALK" check chain.lua
says "^chain.lua:121: a119 has no function or field 'conect'"
{ echo 'local a = require "robotalk"'; for ((i = 0; i < 30000; i++)); do echo "b = a a = b"; done; echo 'a.conect()'; } >chain.lua
"$ROBOTALK" check chain.lua
echo 'local x = = 3' >syntax.lua
fails 1 "$ROBOTALK" check syntax.lua
says '^syntax.lua:1: unexpected symbol'
printf '#!/usr/bin/env robotalk\nlocal rt = require "robotalk"\nprint(= 3)' >shebang.lua
fails 1 "$ROBOTALK" check shebang.lua
says '^shebang.lua:3: unexpected symbol'

cat >conf.lua <<'LUA'
return {
  robots = { "pioneer2", "pioneer3",
    { name = "x", modle = 2 }, "pioneer2", "./turret.lua" },
  listen = { "robotlk://localhost", "unix:/tmp/x", "gti://localhost" },
  modes = { "nomode.lua" },
}
LUA
fails 1 "$ROBOTALK" check conf.lua
cp out conf.out
for line in "conf.lua:2: robots[2]: there is no robot 'pioneer3', did you mean pioneer2?" \
    "conf.lua:3: robots[3].modle: did you mean 'model'?" \
    "conf.lua:3: robots[4]: the name pioneer2 is taken by robots[1]" \
    "turret.lua:2: modle: did you mean 'model'?" \
    "conf.lua:4: listen[1]: expected an address" \
    "conf.lua:5: modes[1]: nomode.lua: No such file"; do
    grep -qF -- "$line" conf.out || { echo "expected: $line"; exit 1; }
done
printf 'return { robots = {},\n listn = { "unix:x" } }\n' >misspelt.lua
for verb in check serve; do
    fails 1 "$ROBOTALK" $verb misspelt.lua
    says "misspelt.lua:2: listn: did you mean 'listen'? expected robots, listen, modes, translators, scripts, vehicles, world or lease"
done

# of very many mistakes the first are told
printf 'return { robots = {},\n%s}\n' "$(printf 'key%d = 1, ' {1..20000})" >many.lua
fails 1 "$ROBOTALK" check many.lua
says 'many.lua: there are more; these are the first'
[ "$(wc -l <out)" -lt 110 ]

# a camera's folder that is not there, which serve waits for
cat >reader.lua <<'LUA'
return { name = "reader", base = {}, links = { [0] = { name = "hull" } },
  cameras = { { name = "eye", link = "hull", driver = "photos" } },
  drivers = { photos = { driver = "folder",
    folder = "photographs" } } }
LUA
printf 'return { robots = {\n  "./reader.lua" } }\n' >readers.lua
fails 1 "$ROBOTALK" check reader.lua
says "^reader.lua:4: drivers.photos.folder: there is no folder 'photographs', as seen from here$"
fails 1 "$ROBOTALK" check readers.lua
says "^readers.lua:2: robots.1.: reader.lua:4: drivers.photos.folder: there is no folder 'photographs'"
mkdir photographs
"$ROBOTALK" check reader.lua readers.lua >out
[ "$(grep -c ': good' out)" = 2 ]

# what stands around robots
cat >room.lua <<'LUA'
return {
  walls = { { points = { { -2, -2 }, { 2, -2 }, { 2, 2 } } } },
  boxes = { { size = { 1, 1, 1 }, position = { 1, 0 } } },
}
LUA
"$ROBOTALK" check room.lua | grep -qx 'room.lua: good; a world of 3 things'
printf '<mujoco>\n<worldbody><geom type="box" size="1 1 1"/></worldbody>\n</mujoco>\n' >scene.xml
"$ROBOTALK" check scene.xml | grep -qx 'scene.xml: good; a world of 1 thing'
sed -i 's/box/bowl/' scene.xml
fails 1 "$ROBOTALK" check scene.xml
says "^scene.xml:2:12: <geom type='bowl'>: expected plane, box,"
"$ROBOTALK" check maze --svg maze.svg | grep -qx 'maze: good; a world of 16 things, and 1 place to start from'
grep -q '>maze<' maze.svg
[ "$("$ROBOTALK" run --names --world | paste -sd ' ')" = 'arena living_room maze soccer table' ]
sed 's/points/ponts/; s/1, 0/1/' room.lua >shed.lua
fails 1 "$ROBOTALK" check shed.lua
says "^shed.lua:2: walls\[1\].ponts: did you mean 'points'?"
says '^shed.lua:3: boxes\[1\].position: expected two numbers { x, y } in m, got { 1 }'
fails 1 "$ROBOTALK" run --virtual --world shed.lua script.lua
[ "$(grep -c '^robotalk: error: shed.lua:' out)" = 3 ]
printf 'return { robots = { "pioneer2" },\n world = "./%s.lua" }\n' shed >hall.lua
for verb in check serve; do
    fails 1 "$ROBOTALK" $verb hall.lua
    says 'hall.lua:2: world: .*shed.lua:3: boxes\[1\].position: expected two numbers'
done
printf 'return { robots = {}, world = { balls = {\n { position = { 1, 2 } } } } }\n' >hall.lua
fails 1 "$ROBOTALK" check hall.lua
says '^hall.lua:2: world.balls\[1\].radius: expected a number, got nothing'
echo 'return { robots = 5, listen = true }' >number.lua
fails 1 "$ROBOTALK" check number.lua
says '^number.lua:1: robots: expected a list, got number'
says '^number.lua:1: listen: expected a list, got boolean'
for lease in 0 0.05 3601 '"5"' 0/0; do
    echo "return { lease = $lease }" >lease.lua
    fails 1 "$ROBOTALK" check lease.lua
    says '^lease.lua:1: lease: expected seconds, 0.1 to 3600, got '
done
echo 'return { name = "b", bus = { rate = 500 }, joints = { { name = "a", dofs = { {} } } } }' >bus.lua
"$ROBOTALK" check bus.lua | grep -q 'a bus of 500 messages a second, order planned$'
"$ROBOTALK" check --json pioneer2 >numbers # as programs in C name them
grep -qF '"joints":[{"first":0,"name":"root","names":[],"number":0},{"first":0,"name":"head","names":["pan","tilt"],"number":1}]' numbers
grep -qF '"frames":[{"name":"root","number":0},{"name":"gaze","number":1}]' numbers
grep -qF '"name":"sonar3","number":3,"position":[0.166,0.027,0.18],"range":[0.1,5],"rate":10,"type":"sonar","unit":"m"' numbers
grep -qF '"cameras":[{"height":240,"name":"camera","number":0,"rate":25,"width":320}]' numbers
"$ROBOTALK" check pioneer2 | grep -q ', sensors: 16 sonar, 2 bumper$'
echo 'return { blocking = false, arived = function() end }' >mode.lua
fails 1 "$ROBOTALK" check mode.lua
says '^mode.lua:1: mode mode: arived: expected one of'

# what is good is good, whatever it is, and told by itself
echo 'return { robots = { "pioneer2" } }' >good.lua
"$ROBOTALK" check --json asimo good.lua "$here"/scripts/behaviors/*.lua "$here"/scripts/robotalk/modes/*.lua \
    "$here"/scripts/drivers/*.lua "$here/tests/mot/nod.mot" "$here/tests/lua/lease_test.lua" >good
[ "$(grep -c '"good":true' good)" = "$(wc -l <good)" ]
for kind in robot:1 configuration:1 mode:4 motion:1; do
    [ "$(grep -c "\"kind\":\"${kind%:*}\"" good)" = "${kind#*:}" ]
done

# angles of a world in degrees; and what is no robot and no world is not drawn
cat >turned.lua <<'LUA'
return { boxes = { { size = { 1, 2, 1 }, position = { 3, 0 }, heading = 90 },
    { size = { 1, 2, 1 }, position = { -3, 0 }, attitude = { 0, 90, 0 } } },
  ramps = { { position = { 0, 4 }, length = 1, height = 0.2, heading = 1.5 } },
  start = { { 0, 0, 90 } } }
LUA
fails 0 "$ROBOTALK" check turned.lua
cp out turned.out
for line in "1: note: boxes[1].heading: 90 rad are 14.3 turns: are these degrees?" "2: note: boxes[2].attitude[2]: 90 rad" \
    "4: note: start[1]: 90 rad"; do
    grep -qF -- "turned.lua:$line" turned.out || { echo "expected: $line"; exit 1; }
done
[ "$(grep -c note: turned.out)" = 3 ]
echo 'print(1)' >plain.lua
fails 1 "$ROBOTALK" check plain.lua --svg plain.svg
says "^plain.lua: --svg draws robots and worlds; this is a script"
[ ! -e plain.svg ]

# a recording of a gamepad is no Lua
printf 'N: Two Levers\nB: 00 0b 00 00 00 00 00 00 00\n' >two.evemu
fails 0 "$ROBOTALK" check two.evemu
says '^two.evemu: good; a recording of an input device (.*: Two Levers)'
echo 'N' >two.evemu
fails 1 "$ROBOTALK" check two.evemu
says '^two.evemu: line 1: expected a recording'
