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
for verb in repl serve run check experiment ping test bench; do
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
wait $server

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
kill -TERM $server
wait $server
wait $listener || true
grep -q panicked "$work/heard"
grep -q shutdown "$work/heard"
grep -q 'signal 15' "$work/log"
grep -q 'robot pioneer2: panicked' "$work/log"
[ ! -e "$work/s" ]
