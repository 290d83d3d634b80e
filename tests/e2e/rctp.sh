#!/bin/bash
# robotalk serve --listen rctp://: the greeting by curl, and the conversation that paper 001 prints, typed by a shell; then the robot
# moves by bytes that a shell writes. A client of the RoboTalk protocol looks on.
. "${BASH_SOURCE%/*}/lib.sh"
command -v curl >/dev/null || skip "there is no curl for the greeting"
# a busy machine is no silence
sed "s/deadman = 0.5/deadman = ${ROBOTALK_PATIENCE:-300}/" scripts/robots/pioneer2.lua >"$work/p2.lua"
grep -q "deadman = ${ROBOTALK_PATIENCE:-300}" "$work/p2.lua"
"$ROBOTALK" serve "$work/p2.lua" --listen rctp://127.0.0.1:0 --listen "unix:$work/robotalk" 2>"$work/log" &
server=$!
eventually says "at rctp://127.0.0.1:" log
port=$(grep -o 'rctp://127[0-9.:]*' "$work/log")
port=${port##*:}
cd "$work"

# the greeting
curl -fsS "http://127.0.0.1:$port/" >list
says "^/pioneer2.wrl$" list
curl -fsS "http://localhost:$port/pioneer2.wrl" >file
[ "$(head -n 1 file)" = "#VRML V2.0 utf8" ]
says "RCML_Robot {" file
says "\"rctp://localhost:$port/pioneer2\"" file
curl -sSi -H 'Host: evil.example' "http://127.0.0.1:$port/pioneer2.wrl" >evil
says "^HTTP/1.1 421 " evil
lacks VRML evil
curl -sSi -H 'Origin: http://evil.example' "http://127.0.0.1:$port/pioneer2.wrl" >page
says "^HTTP/1.1 403 " page

# what is made of the address is what is made of the file, with its panel and battery
cp file pioneer2.wrl
"$ROBOTALK" convert pioneer2.wrl near.lua
"$ROBOTALK" convert "rctp://127.0.0.1:$port/pioneer2" far.lua
cmp near.lua far.lua
fails 1 "$ROBOTALK" keys reload "rctp://127.0.0.1:$port"
says "expected an address of RoboTalk, .* --listen unix:PATH" out

# what speaks another protocol than the address says
cat >wrong.lua <<'LUA'
local rt = require "robotalk"
print(select(2, rt.try_connect("robotalk://127.0.0.1:" .. arg[1], { timeout = 0.5 })))
print(select(2, rt.try_connect("rctp+unix:robotalk")))
LUA
"$ROBOTALK" run wrong.lua "$port" >wrong
# the number that the client draws may hold the end of a line: then the server answers it at once
says "\(no answer in time\|not a RoboTalk package\); perhaps it speaks another protocol than this address says" wrong
says "closed the connection without an answer: expected a server of HTTP" wrong

# no verb takes the answer of this process for that of the server
fails 1 "$ROBOTALK" ping "rctp://127.0.0.1:$port"
says "expected an address of RoboTalk, .* got one of RCTP" out

# answer EXPECTED: the lines that come next on the connection, up to an empty one
answer() {
    local line got=
    while read -r -t "${ROBOTALK_PATIENCE:-300}" line <&3; do
        got+=${line%$'\r'}$'\n'
        [ "$line" != $'\r' ] || break
    done
    [ "$got" = "$1" ] || { echo "expected: $1got: $got" >&2; return 1; }
}

# the negotiation, as it is printed
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'ASSIGN head RCTP/1.0\r\n\r\n' >&3
answer $'RCTP/1.0 201 OK\nID: 1\nCurrent Value: 0 0\nCurrent-Value: 0 0\nDirection: input\nMode: control\nLayout: 2f stamp=0 mask=no\nCommand-Interval: -1 0\nCommand-Mode: time\nControl-Lock: no\nDeadman-ms: '"$((${ROBOTALK_PATIENCE:-300} * 1000))"$'\n\n'
printf 'ASSIGN base RCTP/1.0\r\n\r\n' >&3
answer $'RCTP/1.0 201 OK\nID: 2\nCurrent Value: 0 0\nCurrent-Value: 0 0\nDirection: input\nMode: control\nLayout: 2f stamp=0 mask=no\nCommand-Interval: -1 0\nCommand-Mode: time\nControl-Lock: no\nDeadman-ms: '"$((${ROBOTALK_PATIENCE:-300} * 1000))"$'\n\n'
# one client controls the robot, and others may look on
exec 4<>"/dev/tcp/127.0.0.1/$port"
printf 'ASSIGN base RCTP/1.0\r\n\r\n' >&4
read -r -t "${ROBOTALK_PATIENCE:-300}" line <&4
[ "${line%$'\r'}" = "RCTP/1.0 409 Busy" ]
exec 4<&-
printf 'GO RCTP/1.0\r\n\r\n' >&3
answer $'RCTP/1.0 201 OK\nTime-Unit-ms: 10\n\n'

# the live session: a frame of 9 bytes, base: 0.25 m/s ahead, 0 rad/s
printf '\x00\x09\x02\x3e\x80\x00\x00\x00\x00\x00\x00' >&3
moves() { [ "$("$ROBOTALK" repl --connect "unix:$work/robotalk" -e 'print(robot:state().moving)')" = "$1" ]; }
eventually moves true
# its end is the robot's stop, and others may drive
exec 3<&-
eventually moves false
"$ROBOTALK" repl --connect "unix:$work/robotalk" -e 'print(robot:set_speed { x = 0 })' >drives
says SUCCESS drives

# abuse: a clear answer, a closed door, and the server goes on
abuse() { # BYTES STATUS
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf "$1" >&3
    timeout "${ROBOTALK_PATIENCE:-300}" cat <&3 >abused
    exec 3<&-
    says "$2" abused
}
abuse 'GET / HTTP/1.1\r\n\r\n' '^HTTP/1.1 400 '
abuse 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n' '^HTTP/1.1 400 '
abuse "GET /$(printf '%09000d' 0) HTTP/1.1\r\n" '^HTTP/1.1 414 '
abuse 'ASSIGN base RCTP/9.9\r\n\r\n' '^HTTP/1.1 505 '
curl -fsS "http://127.0.0.1:$port/" >list
end_server

# by a UNIX socket, and by TLS with a token
"$ROBOTALK" keys server 127.0.0.1 >out
"$ROBOTALK" keys token anna watch >out
"$ROBOTALK" serve pioneer2 --listen "rctp+unix:$work/rctp" \
    --listen "rctp+tls://127.0.0.1:0?allow=$work/config/robotalk/allow" 2>log &
server=$!
eventually says "at rctp+tls://127.0.0.1:" log
curl -fsS --unix-socket "$work/rctp" http://any.example/pioneer2.wrl >file
says '"rctp://any.example/pioneer2"' file
tls=https://$(grep -o 'rctp+tls://[0-9.:]*' log | cut -d/ -f3)
curl -ksSi "$tls/pioneer2.wrl" >stranger
says "^HTTP/1.1 401 " stranger
says "^WWW-Authenticate: Bearer" stranger
lacks VRML stranger
curl -ksSi -H 'Authorization: Bearer rtk_wrong' "$tls/" >stranger
says "^HTTP/1.1 401 " stranger
curl -kfsS -H "Authorization: Bearer $(cat anna.token)" "$tls/pioneer2.wrl" >file
says "RCML_Robot {" file
says "\"rctp+tls://127.0.0.1:.*/pioneer2\"" file
eventually says "is dropped: " log
end_server
