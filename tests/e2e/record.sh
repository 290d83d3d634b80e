#!/bin/bash
# What robots do, recorded by run and serve: the same bytes for the same run; a full disk; no tokens; an end by a signal.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/scene.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
robot:go_to { x = 0.3 }
robot:set_speed { x = 0.2, theta = 0.3 }
rt.sleep(0.3)
robot:panic()
robot:reset()
print(robot:home())
LUA
cat >"$work/all.lua" <<'LUA'
local recording <close> = assert(require "robotalk.mcap".open(arg[1]))
for m in recording:messages() do print(m.topic, m.ns, m.bytes) end
LUA
list() { "$ROBOTALK" run "$work/all.lua" --virtual "$1"; }

for i in 1 2; do "$ROBOTALK" run "$work/scene.lua" --virtual --record "$work/$i.mcap" >"$work/out"; done
cmp "$work/1.mcap" "$work/2.mcap"
"$ROBOTALK" mcap "$work/1.mcap" --check
fails 1 "$ROBOTALK" run "$work/scene.lua" --virtual --record "$work/1.mcap"
says '1.mcap: File exists'
lacks SUCCESS
list "$work/1.mcap" >"$work/out"
says '/pioneer2/log.*"message":"panicked"'

# a token opens the door and is nowhere in the file
cd "$work"
"$ROBOTALK" keys server >out
"$ROBOTALK" keys token anna drive >out
"$ROBOTALK" serve pioneer2 --listen robotalk+tls://localhost:0 --record served.mcap 2>log &
server=$!
eventually says "listening at robotalk" log
url=$(sed -n 's/.*listening at //p' log)
"$ROBOTALK" repl "$url/pioneer2" --token-file anna.token -e 'robot:set_speed{ x = 0.1 }' >out
says SUCCESS
kill -TERM "$server"
ends_with 143 "$server"
list served.mcap >messages
says '/pioneer2/session.*"client":' messages
says '/pioneer2/command.*set_speed' messages
lacks "$(cat anna.token)" messages
cd "$here"

# a full disk: that is said once, and the run goes on
if unshare -rm true 2>/dev/null; then
    mkdir "$work/disk"
    cat >"$work/full.sh" <<'SH'
mount -t tmpfs -o size=32k none "$work/disk" || exit 77
"$ROBOTALK" run "$work/scene.lua" --virtual --record "$work/disk/full.mcap"
SH
    export work
    fails 1 unshare -rm bash "$work/full.sh"
    says '^SUCCESS'
    says 'No space left on device'
    [ "$(grep -c 'the robots go on' "$work/out")" = 1 ]
fi

# other programs know its messages
find_modules mcap "no recording was checked against the schemas of Foxglove"
cat >"$work/look.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2_laser"
local recorder <close> = assert(robot:record(arg[1], { images = 5 }))
robot:go_to { x = 0.3 }
robot:panic()
LUA
"$ROBOTALK" run "$work/look.lua" --virtual --world living_room "$work/look.mcap"
node tests/mcap/shown.mjs "$modules" "$work/look.mcap" "$work/1.mcap" >"$work/out"
says '^look.mcap: foxglove.CompressedImage .*JointStates .*LaserScan .*Log .*Odometry .*robotalk.state '
