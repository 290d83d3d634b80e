#!/bin/bash
# What robots do, recorded by run and serve: the same bytes for the same run; a full disk; no tokens; an end by a signal.
# It is played, and happens again.
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
"$ROBOTALK" play --compare "$work/1.mcap" --record "$work/again.mcap" >"$work/out"
says '1.mcap: 3 results, [0-9]* notices and [0-9]* states are equal'
"$ROBOTALK" test "$work/1.mcap" "$work/again.mcap" >"$work/out"
says '^2 passed, 0 failed'
fails 1 "$ROBOTALK" play "$work/1.mcap" --compare --physics
says ' s, pioneer2: the state: .*: expected .*, got .* (perhaps '
fails 1 "$ROBOTALK" test --physics "$work/1.mcap"
says '1.mcap: happens again'
"$ROBOTALK" play "$work/1.mcap" --virtual --rate 2 >"$work/out"
says ' frames, worst lateness 0.00 ms, 0 underruns, 0 never begun'
fails 2 "$ROBOTALK" play "$work/1.mcap" --rate 0
fails 1 "$ROBOTALK" run "$work/scene.lua" --virtual --record "$work/1.mcap"
says '1.mcap: File exists'
lacks SUCCESS
list "$work/1.mcap" >"$work/out"
says '/pioneer2/log.*"message":"panicked"'

# a run that Ctrl-C ends, of a robot that no file describes any more
cat >"$work/turret.lua" <<'LUA'
return { name = "turret", joints = { { name = "head", driver = "head", servo = { "setpoint", "speed" },
  dofs = { { name = "pan", limit = { -math.rad(100), 1.7 }, speed = 1.4 } } } }, drivers = { head = { driver = "sim" } } }
LUA
cat >"$work/sway.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1])
for i = 1, 200 do
  if i == 2 then print "sways" io.flush() end
  robot:set_joint("head", { pan = i % 2 })
end
LUA
"$ROBOTALK" run "$work/sway.lua" "$work/turret.lua" --record "$work/sway.mcap" >"$work/sway" &
run=$!
eventually says sways sway
kill -INT "$run"
ends_with 130 "$run"
rm "$work/turret.lua"
"$ROBOTALK" play --compare "$work/sway.mcap" >"$work/out"
says 'sway.mcap: [0-9]* results, '
"$ROBOTALK" play "$work/sway.mcap" --virtual >"$work/out"
says ' frames, worst lateness 0.00 ms, 0 underruns, 0 never begun'

# of a served robot by its address, with the role watch; Ctrl-C and the end of the server finish the file
cd "$work"
"$ROBOTALK" serve pioneer2 --listen unix:at 2>log &
server=$!
eventually test -S at
"$ROBOTALK" record unix:at -o all.mcap >all 2>all.log &
all=$!
"$ROBOTALK" record "unix:at#pioneer2" -o one.mcap --rate 100 >one 2>one.log &
one=$!
eventually test -s all.mcap && eventually test -s one.mcap
"$ROBOTALK" repl unix:at -e 'robot:go_to{ x = 0.1 }' >out
says SUCCESS
sleep 0.3
kill -INT "$all"
ends_with 0 "$all"
says '^all.mcap: finished, [0-9]* messages in [0-9.]* s$' all
end_server
ends_with 1 "$one"
says 'unix:at#pioneer2: ' one.log
says '^one.mcap: finished, ' one
for file in all one; do
    "$ROBOTALK" mcap $file.mcap --check >out
    list $file.mcap >messages
    says '/pioneer2/result.*"op":"go_to","signal":"success"' messages
done
fails 2 "$ROBOTALK" record unix:at
fails 2 "$ROBOTALK" record unix:at -o x.mcap --rate 0
fails 1 "$ROBOTALK" record unix:at -o x.mcap
fails 1 "$ROBOTALK" record pioneer2 -o one.mcap
says 'one.mcap: .*File exists'
"$ROBOTALK" record pioneer2 -o here.mcap --rate 1000 >here 2>here.log &
one=$!
eventually test -s here.mcap
sleep 0.5
kill -STOP "$one"
sleep 0.3
kill -CONT "$one"
sleep 0.1
kill -INT "$one"
ends_with 0 "$one"
says '^here.mcap: finished, ' here
says '^here.mcap: [0-9]* states of [0-9]*: this machine is too slow for --rate 1000$' here
cd "$here"

# a token opens the door and is nowhere in the file
cd "$work"
"$ROBOTALK" keys server >out
"$ROBOTALK" keys token anna drive >out
: >log
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
