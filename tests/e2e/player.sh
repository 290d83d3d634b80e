#!/bin/bash
# Paper 000's robot behind Player: `serve pioneer2` speaks Player's protocol, and pioneer2_player is the robot behind it, driven by the
# script that drives any other. A shell that knows nothing of this house reads the banner and asks for the list of devices.
. "${BASH_SOURCE%/*}/lib.sh"
# a busy machine is no silence
sed "s/deadman = 0.5/deadman = ${ROBOTALK_PATIENCE:-300}/" scripts/robots/pioneer2.lua >"$work/pioneer2.lua"
sed 's|from = "pioneer2"|from = "./pioneer2.lua"|' scripts/robots/pioneer2_player.lua >"$work/pioneer2_player.lua"
"$ROBOTALK" serve "$work/pioneer2.lua" --listen player://127.0.0.1:0 2>"$work/log" &
server=$!
eventually says "at player://127.0.0.1:" log
port=$(grep -o 'player://127[0-9.:]*' "$work/log" | head -n 1)
port=${port##*:}
cd "$work"

# a client by hand: the banner, then DEVLIST (interface 1, request, subtype 1)
exec 3<>"/dev/tcp/127.0.0.1/$port"
head -c 32 <&3 | tr -d '\0' >banner
says '^Player v.3.1.1' banner
printf '\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\0' >&3
head -c 48 <&3 | od -An -v -tx1 -w4 | tr -d ' ' >reply
sed -n 3,6p reply >kind # interface, index, type ACK, subtype
[ "$(tr '\n' ' ' <kind)" = "00000001 00000000 00000004 00000001 " ]
[ "$(sed -n 11p reply)" = "$(sed -n 12p reply)" ] # the count, twice
# position2d, ptz, sonar, ranger, bumper, power, camera
[ "$(sed -n 11p reply)" = 00000007 ]
exec 3<&-

# the robot behind it
sed -i "s|player://localhost:6665|player://127.0.0.1:$port|" pioneer2_player.lua
cat >drive.lua <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "./pioneer2_player.lua"
repeat rt.sleep(0.05) until robot:set_speed {} == "SUCCESS" -- until it is connected
print("head", robot:set_joint("head", { pan = 0.5, tilt = 0.25 }))
local state = robot:state()
print(("pan %.1f tilt %.2f"):format(state.joints.head.pan, state.joints.head.tilt))
print("go", robot:go_to { x = 0.3 })
print(("at %.1f"):format(robot:state().x))
repeat rt.sleep(0.05) until robot:sense "sonar0"
print(("sonar %.0f m"):format(robot:sense("sonar0").range)) -- nothing stands there: the end of its range
LUA
"$ROBOTALK" run drive.lua >out 2>err || { cat out err; false; }
says "^head.SUCCESS"
says "^pan 0.5 tilt 0.25"
says "^go.SUCCESS"
says "^at 0.3"
says "^sonar 5 m"
says "a base, 0.44 m long, 0.37 m wide" err
lacks "connection is lost" err
end_server
