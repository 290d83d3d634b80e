#!/bin/bash
# Who may come in: keys that robotalk keys makes, lists, roles, and what a server says that would let in everybody.
. "${BASH_SOURCE%/*}/lib.sh"
cd "$work"
export XDG_CONFIG_HOME=$work/config

# nobody may listen elsewhere without keys and a list; what to type is said whole
fails 1 "$ROBOTALK" serve pioneer2 asimo --listen robotalk://0.0.0.0:0
says "robotalk keys server && robotalk keys token anna drive && robotalk serve pioneer2 asimo --listen robotalk+tls://0.0.0.0:0"
fails 1 "$ROBOTALK" serve aibo_ers7 --listen gti://0.0.0.0:0
says "listed client keys. Type: robotalk keys server && robotalk keys client anna drive && robotalk serve aibo_ers7 --listen gti+tls"
echo 'return { robots = { "pioneer2" }, listen = { "unix:a", "robotalk://0.0.0.0:0" } }' >all.lua
fails 1 "$ROBOTALK" serve all.lua
says 'Type: robotalk keys server && robotalk keys token anna drive; then write "robotalk+tls://0.0.0.0:0" in place of "robotalk://0.0.0.0:0" in all.lua'
"$ROBOTALK" keys server
"$ROBOTALK" keys token anna drive
"$ROBOTALK" keys token olga operate
"$ROBOTALK" keys client bob watch
for file in anna.token bob.key config/robotalk/allow config/robotalk/server.key; do
    [ "$(stat -c %a $file)" = 600 ]
done
lacks "$(cat anna.token)" config/robotalk/allow # its hash alone is kept
"$ROBOTALK" keys list >out
says "anna *drive *token"
"$ROBOTALK" keys list --json >out
says '"kind":"key","name":"bob","role":"watch"'
fails 1 "$ROBOTALK" keys token anna drives
says "expected a role"
fails 1 "$ROBOTALK" keys token anna drive
says "there is such a file already"
refuses "did you mean token" "$ROBOTALK" keys tokens

# what is there need not be made again
fails 1 "$ROBOTALK" serve all.lua
says 'list of who may come in. Write "robotalk+tls://0.0.0.0:0" in place of "robotalk://0.0.0.0:0" in all.lua'
fails 1 "$ROBOTALK" serve --listen robotalk://0.0.0.0:0
says "list of who may come in. Type: robotalk serve --listen robotalk+tls://0.0.0.0:0"
"$ROBOTALK" serve pioneer2 --listen robotalk+tls://0.0.0.0:0 --listen "robotalk://localhost:0?role=watch" 2>log &
server=$!
eventually says "listening at robotalk://localhost:" log
port=$(sed -n 's/.*robotalk+tls:..0.0.0.0:\([0-9]*\).*/\1/p' log)
here_port=$(sed -n 's/.*robotalk:..localhost:\([0-9]*\).*/\1/p' log)
url="robotalk+tls://127.0.0.1:$port?trust=config/robotalk/server.pem"
drives='print(robot:set_speed{ x = 0.1 })'
"$ROBOTALK" repl --connect "$url&token=anna.token" -e "$drives" >out
says "SUCCESS"
"$ROBOTALK" repl --connect "$url" --token-file anna.token -e "$drives" >out
says "SUCCESS"
ROBOTALK_TOKEN_FILE=anna.token "$ROBOTALK" repl --connect "$url" -e "$drives" >out
says "SUCCESS"
ROBOTALK_TOKEN=$(cat olga.token) "$ROBOTALK" run /dev/stdin >out <<LUA
local rt = require "robotalk"
local robot <close> = rt.connect "$url"
print(robot:panic(), robot:reset())
local anna <close> = rt.connect("$url", { token_file = "anna.token" })
print(anna:set_speed{ x = 0.1 })
print(select(2, rt.try_connect("$url", { token = "wrong" })))
LUA
says "true.*true"
says "SUCCESS"
says "does not let this client in: it does not know the token"
"$ROBOTALK" repl --connect "$url&cert=bob.pem&key=bob.key" -e "$drives" >out
says "ERROR.*role"
"$ROBOTALK" repl --connect "robotalk://localhost:$here_port" -e "$drives" >out
says "ERROR.*role"
# who is revoked is let out, without a restart
cat >drives.lua <<LUA
local rt = require "robotalk"
local robot = rt.connect("$url", { token_file = "anna.token", reconnect = false })
print(robot:set_speed{ x = 0.1 })
while robot:state() do rt.sleep(0.05) end
print "let out"
LUA
"$ROBOTALK" run drives.lua >driver &
driver=$!
eventually says SUCCESS driver
# this one would connect again by itself; it hears why it may not, and leaves it
sed 's/, reconnect = false//; s/while robot:state.*/local why; repeat rt.sleep(0.05) why = { robot:state() } until why[3] == "ETOKEN" print(why[2])/' drives.lua >again.lua
"$ROBOTALK" run again.lua >again &
again=$!
eventually says BUSY again
cp config/robotalk/allow allow.kept
"$ROBOTALK" keys revoke anna >out
says 'anna still drives where a connection is open, until its server reads the list: robotalk keys reload URL'
fails 1 "$ROBOTALK" keys reload "$url&cert=bob.pem&key=bob.key"
says "the role of this connection does not allow that"
cp allow.kept config/robotalk/allow
"$ROBOTALK" keys revoke anna --reload "$url" --token-file olga.token >out
says "read again for 2 addresses; 2 connections end"
"$ROBOTALK" scripts "$url" --token-file olga.token >/dev/null
wait $driver
says "let out" driver
wait $again
says "does not let this client in" again
cp allow.kept config/robotalk/allow
"$ROBOTALK" keys reload "$url&token=olga.token" >out
says "0 connections end"

# the server is known from the first time on, and no other may come in its place
at=127.0.0.1:$port
"$ROBOTALK" ping "robotalk+tls://$at?token=anna.token" >out 2>&1
says "$at is new here: from now on it is known by its key"
"$ROBOTALK" ping "robotalk+tls://$at?token=anna.token" >out 2>&1
lacks "new here"
sed -i 's/ [0-9a-f]\{4\}/ 0000/' config/robotalk/known_servers
fails 1 "$ROBOTALK" ping "robotalk+tls://$at?token=anna.token"
says "it shows another key than before.*robotalk keys forget $at"
"$ROBOTALK" keys forget $at
"$ROBOTALK" ping "robotalk+tls://$at?token=anna.token" >out 2>&1
says "new here"
fails 1 "$ROBOTALK" ping "$url"
says "it wants a token (--token-file FILE"
chmod 644 anna.token
fails 1 "$ROBOTALK" ping "$url&token=anna.token"
says "only its owner may read"
fails 1 "$ROBOTALK" ping "$url&token=$(cat olga.token)"
says "all users of a machine see"
fails 1 "$ROBOTALK" ping "$url" --token-file "$(cat olga.token)" # its words do not tell it either
says "got a token: all users of a machine see"
lacks "$(cat olga.token)"
fails 1 env ROBOTALK_TOKEN=x "$ROBOTALK" ping robotalk://192.0.2.1
says "others could read the token on its way"
end_server

# a list that others may read is none
chmod 640 config/robotalk/allow
fails 1 "$ROBOTALK" serve pioneer2 --listen robotalk+tls://0.0.0.0:0
says "allow: expected a file that only its owner may read (chmod 600)"
# keys mends this user's own, and says so; of others it says what to type
chmod 666 config/robotalk/allow
fails 0 "$ROBOTALK" keys list --json
says "robotalk: $work/config/robotalk/allow had mode 666; now only its owner may read it"
says "others could write $work/config/robotalk/allow"
[ "$(stat -c %a config/robotalk/allow)" = 600 ]
fails 0 "$ROBOTALK" keys list
lacks "robotalk: "
cp config/robotalk/allow "another list"
chmod 644 "another list"
fails 0 "$ROBOTALK" keys list --list "another list"
says "another list has mode 644, so it is not taken: chmod 600 'another list'"
[ "$(stat -c %a "another list")" = 644 ]
if [ "$(id -u)" = 0 ]; then
    chown 1 config/robotalk/server.key
    fails 0 "$ROBOTALK" keys list
    says 'server.key belongs to another user, so it is not taken: chown "$USER"'
    chown 0 config/robotalk/server.key
fi
"$ROBOTALK" keys revoke anna >out
lacks anna config/robotalk/allow
fails 1 "$ROBOTALK" keys revoke anna
says "nobody is called anna"

# a page in a browser speaks HTTP, and is not heard
"$ROBOTALK" serve pioneer2 aibo_ers7 --listen gti://127.0.0.1:0/aibo_ers7 2>dog &
eventually says "interface to aibo_ers7 at gti://127.0.0.1:" dog
port=$(grep -o 'gti://[0-9.:]*' dog)
exec 9<>"/dev/tcp/127.0.0.1/${port##*:}"
printf 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\n' >request
cat request >&9 # at once: the shell writes line by line, and the first is the last that is taken
[ "$(cat <&9 | wc -c)" = 0 ]
eventually says "it speaks HTTP, and this address does not" dog
kill %%

# the interface of dogs is for those who may drive
"$ROBOTALK" serve aibo_ers7 --listen "gti+tls://127.0.0.1:0?allow=config/robotalk/allow" 2>hound &
eventually says "at gti+tls://127.0.0.1:" hound
url=$(grep -o 'gti+tls://[0-9.:]*' hound)
cat >dog.lua <<LUA
local gti = require "robotalk.gti"
local dog <close> = gti.connect "$url?trust=config/robotalk/server.pem&cert=bob.pem&key=bob.key"
print(dog and dog:query_sensors { "NECK:pan" })
LUA
come() { # on a busy machine the handshake may not end in time
    "$ROBOTALK" run dog.lua >out
    says "it may not drive, and its protocol is for nothing else" hound
}
eventually come
lacks "table:"
kill %%
