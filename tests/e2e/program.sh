#!/bin/bash
# The program from outside: help, exit codes, a server that is stopped by a signal, a panic that is heard elsewhere.
set -eu
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
fails() { # fails STATUS command…
    local want=$1 got=0
    shift
    "$@" >"$work/out" 2>&1 || got=$?
    [ "$got" = "$want" ] || { echo "expected status $want, got $got: $*"; cat "$work/out"; exit 1; }
}

"$ROBOTALK" --help | grep -q experiment
for verb in repl serve run check convert experiment ping test bench; do
    "$ROBOTALK" $verb --help | grep -q '^Example: robotalk'
done
fails 2 "$ROBOTALK" dance
fails 2 "$ROBOTALK" run --fast x.lua
grep -q 'there are --connect' "$work/out"
fails 1 "$ROBOTALK" run "$work/none.lua"
echo 'error("no")' >"$work/bad.lua"
fails 1 "$ROBOTALK" run --virtual "$work/bad.lua"
grep -q 'bad.lua:1: no' "$work/out"
echo 'print((require "robotalk".connect "unix:nobody"))' >"$work/dry.lua"
"$ROBOTALK" run "$work/dry.lua" --dry-run | grep -q nil
fails 1 "$ROBOTALK" ping "unix:$work/nobody"
fails 1 "$ROBOTALK" serve --listen robotalk://0.0.0.0:0
grep -q 'only this machine' "$work/out"
printf 'return {\n  name = "x",\n  base = { speed = { x = -1 } },\n}\n' >"$work/robot.lua"
fails 1 "$ROBOTALK" check "$work/robot.lua"
grep -q 'robot.lua:3: base.speed.x: expected a number, 0 or more' "$work/out"

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
dofs=$(grep -o '"dofs":[0-9]*' "$work/checked" | sort -u)
[ "$dofs" = '"dofs":8' ]
"$ROBOTALK" check asimo --svg "$work/asimo.svg" | grep -q '34 dofs'
grep -q '</svg>' "$work/asimo.svg"
fails 1 "$ROBOTALK" check tests/descriptors/nonsense.lua
[ "$(grep -c '^tests/descriptors/nonsense.lua:[0-9]*: ' "$work/out")" = 34 ]
printf '<robot name="x"><link name="a"/><xacro:b/></robot>' >"$work/x.urdf"
fails 1 "$ROBOTALK" check "$work/x.urdf"
grep -q 'xacro' "$work/out"

cat >"$work/config.lua" <<'LUA'
return { robots = { "pioneer2", "pioneer2_fast" }, listen = { "robotalk://127.0.0.1:0", "robotalk://[::1]:0" } }
LUA
"$ROBOTALK" serve "$work/config.lua" 2>"$work/log" &
server=$!
for _ in $(seq 50); do grep -q '::1' "$work/log" && break; sleep 0.1; done
url=$(grep -o 'robotalk://127.*' "$work/log")
[ "$("$ROBOTALK" repl --connect "$url/pioneer2_fast" -e 'robot:describe().name')" = pioneer2_fast ]
"$ROBOTALK" ping "$url" --json | grep -q '"robot":"pioneer2"'
fails 1 "$ROBOTALK" ping "$url/none"
kill -INT $server
fails 130 wait $server

# a served robot is described anew when its file changes; a client sees it, a bad file changes nothing
thing() { echo "return { name = 'thing', base = {}, joints = { { name = '$1', dofs = { {} } } } }" >"$work/new"; mv "$work/new" "$work/thing.lua"; }
thing head
"$ROBOTALK" serve "$work/thing.lua" --listen "unix:$work/t" 2>"$work/log" &
server=$!
for _ in $(seq 50); do [ -S "$work/t" ] && break; sleep 0.1; done
thing tail
for _ in $(seq 50); do grep -q 'described anew' "$work/log" && break; sleep 0.1; done
"$ROBOTALK" repl --connect "unix:$work/t" -e 'robot:set_joint("tail", { ["0"] = 0.1 })' | grep -q SUCCESS
"$ROBOTALK" convert "unix:$work/t" - | grep -q 'name = "tail"'
echo 'return {' >"$work/thing.lua"
for _ in $(seq 50); do grep -q 'goes on as it was' "$work/log" && break; sleep 0.1; done
grep -q 'robot thing goes on as it was: .*thing.lua:2' "$work/log"
"$ROBOTALK" repl --connect "unix:$work/t" -e 'robot:set_joint("tail", { ["0"] = 0 })' | grep -q SUCCESS
kill -TERM $server
fails 143 wait $server

"$ROBOTALK" run scripts/behaviors/square.lua --virtual | grep -q 'corner 4: SUCCESS'

"$ROBOTALK" serve pioneer2 --listen "unix:$work/s" 2>"$work/log" &
server=$!
for _ in $(seq 50); do [ -S "$work/s" ] && break; sleep 0.1; done
cat >"$work/listen.lua" <<'LUA'
local rt = require "robotalk"
local robot = assert(rt.connect(arg[1], { reconnect = false }))
robot:on_notice(function(what) print(what) end)
print "ready"
io.stdout:flush()
rt.sleep(3)
LUA
"$ROBOTALK" run "$work/listen.lua" "unix:$work/s" >"$work/heard" &
listener=$!
for _ in $(seq 50); do grep -q ready "$work/heard" && break; sleep 0.1; done
"$ROBOTALK" repl --connect "unix:$work/s" -e 'robot:panic()' >/dev/null
for _ in $(seq 50); do grep -q 'robot pioneer2: panicked' "$work/log" && break; sleep 0.1; done
kill -TERM $server
fails 143 wait $server
wait $listener || true
grep -q panicked "$work/heard"
grep -q shutdown "$work/heard"
grep -q 'signal 15' "$work/log"
grep -q 'robot pioneer2: panicked' "$work/log"
[ ! -e "$work/s" ]
