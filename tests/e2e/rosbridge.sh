#!/bin/bash
# Clients of roslib drive robots, see them, stop them; what is refused; the example of docs/foxglove.md.
. "${BASH_SOURCE%/*}/lib.sh"
find_modules doors "no client of roslib was tried"
mkdir "$work/js.d"
ln -s "$PWD/$modules" "$work/js.d/node_modules"
cp tests/doors/rosbridge.mjs "$work/js.d"
sed -n '/^```js$/,/^```$/p' docs/foxglove.md | sed -n '/roslib/,/^```$/p' | sed '$d' >"$work/js.d/own.mjs"
sed 's/name = "pioneer2_laser"/name = "second"/' scripts/robots/pioneer2_laser.lua >"$work/second.lua"

"$ROBOTALK" serve pioneer2_laser "$work/second.lua" --listen "rosbridge://127.0.0.1:0" 2>"$work/log" &
server=$!
eventually says "at rosbridge://127.0.0.1:" log
place=ws$(grep -o '://127[0-9.:]*' "$work/log")
client() { node "$work/js.d/rosbridge.mjs" "$place" "$@" >"$work/out" 2>&1 || { cat "$work/out"; false; }; }

client drive
says '^odom world pioneer2_laser/base true 0.3$'
says '^silence stops it$'
says '^second true 0.5$'
client look
says '^tf world>pioneer2_laser/base pioneer2_laser/base>pioneer2_laser/camera'
says '^joints head.pan head.tilt 2$'
says '^scan 181 8 -1.57$'
says '^picture jpeg ffd8ff$'
says '^model pioneer2_laser true true$'
says '^param true$'
says '^topics true true$'
says '^services /stop /reset /resume /panic /second/stop'
says '^type nav_msgs/msg/Odometry$'
client throttle
says '^throttled true true$'
client stop
for word in stop resume panic reset; do says "^$word true$"; done
says '^held 0$'
says '^own true true$'
client wrong
says '^status error /fly: nothing here listens'
says '^status error /odom: its type is nav_msgs/msg/Odometry$'
says '^status error /tf: messages are not compressed'
says '^status error fragment: there is no such operation$'
says '^no service: there is no such service$'
lacks never

# a page of another server is refused, and what is no WebSocket is told
curl -s -o "$work/out" -w '%{http_code}' -H 'Origin: https://evil.example' -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
    -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' "http${place#ws}" >"$work/status"
says '^403$' status
says 'a page of another server asks'
curl -s "http${place#ws}" >"$work/out"
says 'here is a WebSocket of rosbridge'

sed -i "s|ws://localhost:9090|$place|" "$work/js.d/own.mjs"
node "$work/js.d/own.mjs" >"$work/out"
says '^x = [0-9]'
end_server
