#!/bin/bash
# robotalk serve --bridge: a script of the user's between a client of USARSim and the robot, over sockets. It stops when its client goes,
# and when the script hangs, fails or is stopped; the client's connection goes on, and new commands alone move the robot. Pictures go to an
# image server while a client is there.
. "${BASH_SOURCE%/*}/lib.sh"
command -v nc >/dev/null || skip "there is no nc for the client"
cat >"$work/mine.lua" <<'LUA'
local bridge = require "robotalk.bridge"
local mine = { name = "mine", active = false, messages = {} }
function mine.messages.HANG(self) self.active = true end
function mine.messages.BREAK() error "it broke" end
function mine.messages.HORN(_, b, message) b:answer("Horn", message:number "Times" == 3) end
function mine.step() while true do end end
return bridge.new { behaviours = { bridge.quit, bridge.parse, bridge.drive, bridge.ptz, mine } }
LUA
echo 'return 1' >"$work/none.lua"
echo 'return bridge..' >"$work/wrong.lua"

# wrong use is told at once
refuses "is a bridge: expected an address of Gamebots, as --listen gamebots://localhost" "$ROBOTALK" serve pioneer2 --listen "unix:$work/rt" --bridge "$work/mine.lua"
fails 1 "$ROBOTALK" serve pioneer2 --listen "gamebots+unix:$work/gb" --bridge "$work/wrong.lua"
says "wrong.lua:.: unexpected symbol"

"$ROBOTALK" serve pioneer2 --listen "gamebots+unix:$work/gb" --listen "unix:$work/rt" --bridge "$work/mine.lua" 2>"$work/log" &
server=$!
eventually says "script mine: started" log
cat >"$work/look.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect(arg[1])
local state = robot:state()
os.exit((state.moving and "moves" or "rests") == arg[2] and 0 or 1)
LUA
robot() { "$ROBOTALK" run "$work/look.lua" "unix:$work/rt" "$1"; }

# client: a connection whose lines are said by `tell LINE`, until `hang_up`
client() {
    mkfifo "$work/in.fifo" 2>/dev/null || true
    : >"$work/got"
    nc -U "$work/gb" <"$work/in.fifo" >"$work/got" &
    talk=$!
    exec 3>"$work/in.fifo"
    tell 'INIT {ClassName USARBot.P2DX} {Name R1}'
    eventually says "STA {Type GroundVehicle}" got
}
tell() { printf '%s\r\n' "$1" >&3; }
hang_up() {
    exec 3>&-
    kill -KILL "$talk"
    wait "$talk" || true
}
drives() { # again when a busy machine has taken silence for a script that hangs
    tell 'DRIVE {Left 2.0} {Right 2.0}'
    robot moves
}
drive() { eventually drives; }

client
drive
tell 'HORN {Times 3}'
eventually says "RES {Type Horn} {Name R1} {Status OK}" got
tell 'GETCONF {Type Robot}'
eventually says "CONF {Type GroundVehicle} {Name P2DX}" got

# the link is cut: it stops, and a new client's new command moves it
hang_up
eventually robot rests
client
robot rests
drive

# a behaviour that raises
tell 'BREAK'
eventually robot rests
eventually says "RES {Type Bridge} {Name R1} {Status Failed} {Reason mine: mine.lua:4: it broke}" got
eventually says "bridge: mine: .*mine.lua:4: it broke" log
drive

# one that hangs is cut off with its line, and the script is started again
tell 'HANG'
eventually robot rests
eventually says "{Status Failed} {Reason its script does not answer: the robot stops}" got
eventually says "script mine: failed: .*mine.lua:6: it has computed for" log
eventually says "RES {Type Bridge} {Name R1} {Status OK}" got
robot rests
drive

# an operator stops the script, and starts it
"$ROBOTALK" scripts "unix:$work/rt" stop mine
eventually robot rests
eventually says "{Status Failed} {Reason no script runs: the robot stops}" got
: >"$work/got"
tell 'DRIVE {Left 2.0} {Right 2.0}'
eventually says "STA {Type GroundVehicle}" got
robot rests
"$ROBOTALK" scripts "unix:$work/rt" start mine
eventually says "RES {Type Bridge} {Name R1} {Status OK}" got
drive
"$ROBOTALK" scripts "unix:$work/rt" reload mine
eventually robot rests
drive

# the client is done
tell 'QUIT'
eventually robot rests
exec 3>&-
eventually says "script mine: started" log
end_server

# image transfer: begins with the client, at its pace, and ends with it
cat >"$work/pictures.lua" <<LUA
local bridge = require "robotalk.bridge"
return bridge.new { behaviours = { bridge.quit, bridge.parse, bridge.drive,
  bridge.images { every = 0.05, to = "images+unix:$work/im" } } }
LUA
"$ROBOTALK" images "$work/kept.d" --listen "images+unix:$work/im" 2>"$work/images" &
keeper=$!
: >"$work/log"
"$ROBOTALK" serve pioneer2 --listen "gamebots+unix:$work/gb" --listen "unix:$work/rt" --bridge "$work/pictures.lua" 2>"$work/log" &
server=$!
eventually says "script pictures: started" log
eventually says "listening at images" images
kept() { [ "$(find "$work/kept.d" -name '*.jpg' | wc -l)" -ge "$1" ]; }
client
drive
eventually kept 10
tell 'IMAGES {Every 0.1}'
eventually says "RES {Type Images} {Name R1} {Status OK}" got
hang_up
eventually robot rests
count() { find "$work/kept.d" -name '*.jpg' | wc -l; }
is_over() {
    local before
    before=$(count)
    sleep 0.3
    [ "$before" = "$(count)" ]
}
eventually is_over
client
eventually kept $(($(count) + 3))
hang_up
kill "$server" "$keeper"
ends_with 143 "$server"
ends_with 143 "$keeper"

# what returns no bridge fails, and is told
: >"$work/log"
"$ROBOTALK" serve pioneer2 --listen "gamebots+unix:$work/gb" --bridge "$work/none.lua" 2>"$work/log" &
server=$!
eventually says "none.lua returns no bridge: expected return bridge.new" log
end_server
