#!/bin/bash
# rt.connect to a robot behind RCTP, in processes of their own: its server is killed, starts again, and is told to end; and a
# server that asks for tokens lets a client watch.
. "${BASH_SOURCE%/*}/lib.sh"
# a busy machine is no silence
sed "s/deadman = 0.5/deadman = ${ROBOTALK_PATIENCE:-300}/" scripts/robots/pioneer2.lua >"$work/p2.lua"
grep -q "deadman = ${ROBOTALK_PATIENCE:-300}" "$work/p2.lua"
cd "$work"
cat >client.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect("rctp+unix:rctp#pioneer2", { expiry = false })
while true do
  local word, _, result = robot:set_joint("head", { pan = 0.1 })
  io.write(word, " ", result.reason, " ", tostring(robot:state().panic), "\n")
  io.flush()
  rt.sleep(0.05)
end
LUA
serve() {
    : >server
    "$ROBOTALK" serve p2.lua --listen "rctp+unix:rctp" 2>server &
    server=$!
    eventually says "at rctp+unix:" server
}
serve
"$ROBOTALK" run client.lua >client 2>said &
client=$!
last() { [ "$(tail -n 1 client)" = "$1" ]; }
eventually last "SUCCESS none false"
kill -KILL "$server"
eventually last "ERROR link false"
serve
eventually last "SUCCESS none false"
eventually says "pioneer2: rctp: connected again after" said

# the end of a server is no panic here
end_server
eventually last "ERROR link false"
lacks true client
serve
eventually last "SUCCESS none false"

# a server that is silent is away, too
kill -STOP "$server"
eventually last "ERROR link false"
kill -CONT "$server"
eventually last "SUCCESS none false"

# a second client watches; the first goes, and it drives
"$ROBOTALK" run client.lua >second 2>said2 &
second=$!
eventually says "BUSY lease false" second
kill "$client"
drives() { [ "$(tail -n 1 second)" = "SUCCESS none false" ]; }
eventually drives
kill "$second" # else it comes back, and has what others want to drive
end_server

# who only looks on stops nobody by leaving, however it leaves
cat >drive.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect("unix:real", { expiry = false })
robot:take()
while true do
  io.write((robot:set_speed { theta = 0.1 }), "\n")
  io.flush()
  rt.sleep(0.05)
end
LUA
cat >look.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect("rctp+unix:rctp#pioneer2")
io.write(tostring(robot:state().moving), "\n")
io.flush()
if arg[1] then rt.sleep(1e6) end
LUA
: >server
"$ROBOTALK" serve p2.lua --listen rctp+unix:rctp --listen unix:real 2>server &
server=$!
eventually says "at unix:real" server
"$ROBOTALK" run drive.lua >driven 2>said4 &
driver=$!
eventually says SUCCESS driven
looks() { "$ROBOTALK" run look.lua >looked && says true looked; } # what is driven moves a moment later
eventually looks
for signal in INT KILL; do
    : >looked
    "$ROBOTALK" run look.lua stay >looked 2>said5 &
    looker=$!
    eventually says true looked
    kill -"$signal" "$looker"
    ends_with $((128 + $(kill -l "$signal"))) "$looker"
done
# nor does a server that ends, whose robot this one is
printf 'return { from = "./p2.lua", name = "behind", base = { driver = "far" }, joints = { { name = "head", driver = "far" } },
  drivers = { camera = false, far = { script = "rctp", url = "rctp+unix:rctp#pioneer2" } } }' >behind.lua
"$ROBOTALK" serve behind.lua --listen unix:behind 2>said7 &
behind=$!
eventually says "at unix:behind" said7
moves() { [ "$("$ROBOTALK" repl --connect unix:behind -e 'print(robot:state().moving)')" = true ]; }
eventually moves
kill -TERM "$behind"
ends_with 143 "$behind"
"$ROBOTALK" ping unix:real >out
lacks "stopped by" server
lacks "panicked" server
# the last word of one that only looks on is heard
cat >panic.lua <<'LUA'
local far <close> = require "robotalk".connect("rctp+unix:rctp#pioneer2", { role = "watch" })
far:panic()
LUA
"$ROBOTALK" run panic.lua
eventually says "pioneer2: panicked" server
"$ROBOTALK" repl unix:real -e 'robot:reset()' >out
kill "$driver"

# a panic that C has written, and a reset before its number is told
cat >again.lua <<'LUA'
local rt = require "robotalk"
local real <close> = rt.connect("unix:real", { expiry = false })
local far <close> = rt.connect "rctp+unix:rctp#pioneer2"
local before, late = real:state().epoch, rt.now() + 20
for i = 1, 3 do
  far:panic()
  far:reset()
  while real:state().epoch < before + i or real:state().panic or far:state().panic do
    assert(rt.now() < late, "it stays in panic")
    rt.sleep(0.05)
  end
end
LUA
"$ROBOTALK" run again.lua

# a panic of its own, which was reset there, does not come again when control goes to another
cat >taken.lua <<'LUA'
local rt = require "robotalk"
local real <close> = rt.connect("unix:real", { expiry = false })
local far <close> = rt.connect "rctp+unix:rctp#pioneer2"
while far:set_speed { x = 0 } ~= "SUCCESS" do rt.sleep(0.05) end
far:panic()
while not real:state().panic do rt.sleep(0.05) end
real:reset()
assert(real:take("base", { timeout = 60 }))
for _ = 1, 10 do
  rt.sleep(0.05)
  assert(not real:state().panic, "it is in panic again")
end
print(real:set_speed { x = 0 })
LUA
"$ROBOTALK" run taken.lua >taken 2>said6 || { cat taken said6; false; }
says SUCCESS taken
end_server

# a script that lives in a server makes no robots, and is told so
cat >hosted.lua <<'LUA'
print(require "robotalk".try_connect("rctp+unix:rctp#pioneer2"))
LUA
: >server
"$ROBOTALK" serve p2.lua --listen "rctp+unix:rctp" --run hosted.lua 2>server &
server=$!
eventually says "a hosted script makes none" server
end_server

# a token, by TLS, that may only watch
"$ROBOTALK" keys server 127.0.0.1 >out
"$ROBOTALK" keys token anna watch >out
: >server
"$ROBOTALK" serve p2.lua --listen "rctp+tls://127.0.0.1:0?allow=$work/config/robotalk/allow" 2>server &
server=$!
eventually says "at rctp+tls://127.0.0.1:" server
url=$(grep -o 'rctp+tls://[0-9.:]*' server)
cat >watch.lua <<'LUA'
local rt = require "robotalk"
print(select(2, rt.try_connect(arg[1], { token = "rtk_wrong" })))
print(select(2, rt.try_connect(arg[1])))
local robot <close> = rt.connect(arg[1], { token_file = "anna.token", expiry = false })
local word, _, result = robot:set_speed { x = 0.1 }
print(word, result.reason)
print((robot:stop()))
LUA
"$ROBOTALK" run watch.lua "$url/pioneer2" >out 2>said3
why="${url#*://}/pioneer2.wrl: the server does not let this client in: it"
[ "$(cat out)" = "$why does not know the token	ETOKEN
$why asks for a token, and was told none	ETOKEN
ERROR	role
SUCCESS" ] || { cat out; false; }
fails 1 "$ROBOTALK" convert "$url/pioneer2" far.lua
says "asks for a token, and was told none" out
"$ROBOTALK" convert "$url/pioneer2" far.lua --token-file anna.token 2>err
"$ROBOTALK" check far.lua >out
says "pioneer2: 2 links, 2 dofs" out
end_server
