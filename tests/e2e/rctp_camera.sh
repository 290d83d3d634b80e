#!/bin/bash
# A camera of a robot behind RCTP, between two programs: its pictures by TLS from a server that asks for a token; and a server that
# goes and comes back while somebody looks.
. "${BASH_SOURCE%/*}/lib.sh"
cd "$work"

# by TLS, with the token of one who may only watch
"$ROBOTALK" keys server 127.0.0.1 >out
"$ROBOTALK" keys token anna watch >out
"$ROBOTALK" serve pioneer2 --listen "rctp+tls://127.0.0.1:0?allow=$work/config/robotalk/allow" 2>tls &
server=$!
eventually says "at rctp+tls://" tls
url=$(grep -o 'rctp+tls://[0-9.:]*' tls)/pioneer2
fails 1 "$ROBOTALK" snapshot "$url" one.jpg
"$ROBOTALK" snapshot "$url" one.jpg --token-file anna.token --json >out
says '"width":320'
[ "$(head -c 2 one.jpg | od -An -tx1)" = " ff d8" ]
end_server

# a server that goes, and another one at its place
"$ROBOTALK" serve pioneer2 --listen "rctp+unix:s" 2>first &
server=$!
eventually test -S s
cat >watcher.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "rctp+unix:s#pioneer2"
local camera = robot:camera()
local watch <close> = camera:watch()
print(watch:next(60) and "a picture")
local picture, why, code
repeat
  picture, why, code = camera:frame { timeout = 60 }
  rt.sleep(0.05)
until not picture
print(why, code)
repeat
  picture = camera:frame { timeout = 60 }
  rt.sleep(0.05)
until picture
print("another one")
LUA
"$ROBOTALK" run watcher.lua >seen 2>said &
watcher=$!
eventually says "^a picture$" seen
end_server
eventually says "^camera camera of robot pioneer2 gives no picture	NA$" seen
eventually says "pioneer2: camera camera gives no pictures: " said
"$ROBOTALK" serve pioneer2 --listen "rctp+unix:s" 2>second &
eventually says "^another one$" seen
ends_with 0 "$watcher"
