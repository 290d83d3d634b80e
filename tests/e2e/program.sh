#!/bin/bash
# The program from outside: help, exit codes, a server that is stopped by a signal, a panic that is heard elsewhere.
. "${BASH_SOURCE%/*}/lib.sh"

"$ROBOTALK" --help | grep -q experiment
# libraries are loaded by what needs them
[ "$(LD_DEBUG=files "$ROBOTALK" --help 2>&1 | grep -cE 'libedit|libexpat|libssl' || true)" = 0 ]
for verb in repl serve run check convert experiment ping test bench; do
    "$ROBOTALK" $verb --help | grep -q '^Example: robotalk'
done
fails 2 "$ROBOTALK" dance
refuses 'there are --connect' "$ROBOTALK" run --fast x.lua
# a misspelt option that keeps hardware from moving is never taken for the script's own
for word in --dry-runn --dryrun --virtal --vitrual --untill=60; do
    refuses 'did you mean --' "$ROBOTALK" run scripts/behaviors/square.lua $word
done
echo 'print(...)' >"$work/words.lua"
[ "$("$ROBOTALK" run "$work/words.lua" --speed 3 --virtual -- --virtal)" = "--speed	3	--virtal" ]
for word in --until=1e300 --seed=0x1p9999 --seed=1e30; do
    refuses 'wants a number, at most 2^53' "$ROBOTALK" run "$work/words.lua" $word
done
for seconds in 1e10 -1e10; do
    "$ROBOTALK" run "$work/words.lua" --virtual --until $seconds
done
refuses '^robotalk: error: --stall: expected seconds' "$ROBOTALK" serve --stall -1
fails 1 "$ROBOTALK" serve pioneer2 pioneer2 --listen "unix:$work/twice"
says 'the name pioneer2 is taken'
refuses 'repl: want one robot, got 2' "$ROBOTALK" repl pioneer2 asimo -e 1
refuses 'repl: want a robot or --connect, got both: asimo' "$ROBOTALK" repl asimo --connect unix:nobody -e 1
refuses 'ping: want one address, got 2' "$ROBOTALK" ping unix:nobody unix:nobody
for count in 0 -5 2.5; do
    refuses '^robotalk: ping: --count: expected a whole number, 1 or more' "$ROBOTALK" ping unix:nobody --count $count
done
fails 1 "$ROBOTALK" serve --listen tcp:4
says 'tcp:4 is nothing to listen at: expected robotalk://host'
fails 1 "$ROBOTALK" test "$work/no folder"
says 'there is no file or folder .*no folder'
fails 1 "$ROBOTALK" run "$work/none.lua"
echo 'error("no")' >"$work/bad.lua"
fails 1 "$ROBOTALK" run --virtual "$work/bad.lua"
says 'bad.lua:1: no'
echo 'print(select(2, require "robotalk".try_connect "unix:nobody"))' >"$work/dry.lua"
"$ROBOTALK" run "$work/dry.lua" --dry-run | grep -q 'a dry run connects to nobody else'
fails 1 "$ROBOTALK" ping "unix:$work/nobody"
fails 1 "$ROBOTALK" serve --listen robotalk://0.0.0.0:0
says 'that takes TLS and a list of who may come in'
printf 'return {\n  name = "x",\n  base = { speed = { x = -1 } },\n}\n' >"$work/robot.lua"
fails 1 "$ROBOTALK" check "$work/robot.lua"
says 'robot.lua:3: base.speed.x: expected a number, 0 or more'

# descriptions: there and back, a picture, what is wrong with a file
fails 2 "$ROBOTALK" convert "$work/robot.lua"
fails 2 "$ROBOTALK" convert "$work/robot.lua" "$work/x.txt"
fails 1 "$ROBOTALK" convert "$work/robot.lua" "$work/x.lua"
for robot in asimo puma560 flyer; do
    "$ROBOTALK" convert $robot "$work/$robot.urdf" 2>/dev/null
    "$ROBOTALK" convert --fold "$work/$robot.urdf" "$work/$robot.lua" 2>/dev/null
    "$ROBOTALK" check --quiet "$work/$robot.urdf" "$work/$robot.lua" --json >"$work/checked"
    [ "$(grep -c '"good":true' "$work/checked")" = 2 ]
done
dofs=$(grep -o '"dofs":[0-9][0-9]*' "$work/checked" | sort -u)
[ "$dofs" = '"dofs":8' ]
"$ROBOTALK" check asimo --svg "$work/asimo.svg" | grep -q '34 dofs'
grep -q '</svg>' "$work/asimo.svg"
cat >"$work/noted.lua" <<'END'
return {
  name = "noted", base = {}, bus = { rate = 100 },
  joints = { { name = "arm", driver = "sin", dofs = { { name = "a" } } } },
}
END
fails 1 "$ROBOTALK" check "$work/noted.lua"
says "noted.lua:.*: drivers.sin: there is no driver 'sin'"
sed -i 's/driver = "sin", //' "$work/noted.lua"
"$ROBOTALK" check "$work/noted.lua" 2>&1 | grep -q 'noted.lua:2: note: bus: no joint hangs on it'
fails 1 "$ROBOTALK" check tests/descriptors/nonsense.lua
[ "$(grep -c '^tests/descriptors/nonsense.lua:[0-9]*: ' "$work/out")" = 34 ]
printf '<robot name="x"><link name="a"/><xacro:include filename="b"/></robot>' >"$work/x.urdf"
fails 1 "$ROBOTALK" check "$work/x.urdf"
says xacro

echo 'return { robots = "asimo" }' >"$work/config.lua"
fails 1 "$ROBOTALK" serve "$work/config.lua" --listen "unix:$work/c"
says 'config.lua:1: robots: expected a list, got string'
for list in '{ 5 }' '{ {} }' '{ a = "unix:a" }'; do
    echo "return { robots = { 'pioneer2' }, listen = $list }" >"$work/config.lua"
    fails 1 "$ROBOTALK" serve "$work/config.lua"
    says '^robotalk: error: .*config.lua:1: listen.*: expected a list of texts, got'
done
printf 'return {\n  robots = { "pioneer2", {},\n    "pioneer3" } }\n' >"$work/config.lua"
fails 1 "$ROBOTALK" serve "$work/config.lua" --listen "unix:$work/c"
says '^robotalk: error: .*config.lua:2: robots\[2\].name: expected a text, got nothing$'
says "^robotalk: error: .*config.lua:3: robots\[3\]: there is no robot 'pioneer3', did you mean pioneer2"
cat >"$work/config.lua" <<'LUA'
return { robots = { "pioneer2", "pioneer2_fast" }, listen = { "robotalk://127.0.0.1:0", "robotalk://[::1]:0" } }
LUA
"$ROBOTALK" serve "$work/config.lua" 2>"$work/log" &
server=$!
eventually says '::1' log
url=$(grep -o 'robotalk://127.*' "$work/log")
[ "$("$ROBOTALK" repl --connect "$url/pioneer2_fast" -e 'robot:describe().name')" = pioneer2_fast ]
"$ROBOTALK" ping "$url" --json | grep -q '"robot":"pioneer2"'

# a script that leaves its robot open gets that of --connect, and of one that names its own that is told
echo 'local rt = require "robotalk"; print(rt.connect(...):describe().name)' >"$work/open.lua"
fails 0 "$ROBOTALK" run "$work/open.lua" --connect "$url/pioneer2_fast"
says '^pioneer2_fast$'
lacks warning
fails 0 "$ROBOTALK" run "$work/open.lua" asimo --connect "$url"
says "warning: run: the script names its robot, asimo; --connect $url is for robotalk.connect() without a name"
says '^asimo$'
fails 1 "$ROBOTALK" ping "$url/none"
says "$url/none: no robot 'none' there; those there: "
kill -INT $server
ends_with 130 $server

# a served robot is described anew when its file changes; a client sees it, a bad file changes nothing
thing() { echo "return { name = 'thing', base = {}, joints = { { name = '$1', dofs = { {} } } } }" >"$work/new"; mv "$work/new" "$work/thing.lua"; }
thing head
: >"$work/log"
"$ROBOTALK" serve "$work/thing.lua" --listen "unix:$work/t" 2>"$work/log" &
server=$!
eventually test -S "$work/t"
thing tail
eventually says 'described anew' log
"$ROBOTALK" repl --connect "unix:$work/t" -e 'robot:set_joint("tail", { ["0"] = 0.1 })' | grep -q SUCCESS
"$ROBOTALK" convert "unix:$work/t" - | grep -q 'name = "tail"'
echo 'return {' >"$work/thing.lua"
eventually says 'robot thing goes on as it was: .*thing.lua:2' log
"$ROBOTALK" repl --connect "unix:$work/t" -e 'robot:set_joint("tail", { ["0"] = 0 })' | grep -q SUCCESS
end_server

# dofs that have no name are written with the one that they go by
echo 'return { name = "x", joints = { { dofs = { {} } }, { name = "w", dofs = { {}, { axis = { 0, 1, 0 } } } } } }' >"$work/x.lua"
"$ROBOTALK" convert "$work/x.lua" - >"$work/out"
says 'dofs = { { name = "joint1" } }'
says 'dofs = { { name = "yaw" }, { name = "pitch", axis = { 0, 1, 0 } } }'

"$ROBOTALK" run scripts/behaviors/square.lua --virtual | grep -q 'corner 4: SUCCESS'

: >"$work/log"
"$ROBOTALK" serve pioneer2 --listen "unix:$work/s" 2>"$work/log" &
server=$!
eventually test -S "$work/s"
write_listener
"$ROBOTALK" run "$work/listen.lua" "unix:$work/s" >"$work/heard" &
listener=$!
eventually says ready heard
"$ROBOTALK" repl --connect "unix:$work/s" -e 'robot:panic()' >/dev/null
eventually says 'robot pioneer2: panicked' log
end_server
eventually says panicked heard
eventually says shutdown heard
kill $listener
says 'signal 15' log
[ ! -e "$work/s" ]
