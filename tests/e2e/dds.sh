#!/bin/bash
# Servers and clients of one domain of DDS, as processes: a robot there is the same object as by any other address; a server and a client are killed.
. "${BASH_SOURCE%/*}/lib.sh"
domain=$(($$ % 200 + 20))
cd "$work"
sed "s/deadman = 0.5/deadman = ${ROBOTALK_PATIENCE:-300}/" "$here/scripts/robots/pioneer2.lua" >p2.lua
serve() {
    : >server
    "$ROBOTALK" serve p2.lua --listen "dds://$domain/site" 2>server &
    server=$!
    eventually says "listening at dds://$domain/site" server
}
serve
cat >client.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1], { expiry = false, reconnect = true, timeout = tonumber(arg[2]) })
while true do
  print(robot:set_joint("head", { pan = 0.1 }) or "no link")
  io.flush()
  rt.sleep(0.05)
end
LUA
"$ROBOTALK" run client.lua "dds://$domain/site/pioneer2" "${ROBOTALK_PATIENCE:-300}" >client 2>said &
client=$!
last() { [ "$(tail -n 1 client | cut -f 1)" = "$1" ]; }
eventually last SUCCESS

# a robot that is not there; a domain that is none
fails 1 "$ROBOTALK" run client.lua "dds://$domain/site/nobody"
says "no robot nobody in domain $domain, partition site"
fails 1 "$ROBOTALK" run client.lua "dds://300/nobody"
says "expected a domain of 0 to 232"
fails 1 "$ROBOTALK" serve p2.lua --listen "dds://$domain?peer=192.0.2.1"
says "security=FOLDER"

# a server that is killed, and starts again
kill -KILL "$server"
eventually last "no link"
serve
eventually last SUCCESS

# a client that is killed: its lease is free again
kill -KILL "$client"
"$ROBOTALK" run client.lua "dds://$domain/site/pioneer2" "${ROBOTALK_PATIENCE:-300}" >client 2>said &
client=$!
eventually last SUCCESS
end_server
eventually last "no link"
