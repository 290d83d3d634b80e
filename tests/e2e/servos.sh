#!/bin/bash
# Servos are set up: found, shown, given ids, rates, modes and torque, on a simulated bus in the program and on one behind a pseudo-terminal.
. "${BASH_SOURCE%/*}/lib.sh"
bus=${ROBOTALK%/*}/robotalk-servo-bus
[ -x "$bus" ] || skip "there is no $bus: no servo was set up"

servos() { "$ROBOTALK" servos "$port" --baud 1000000 "$@" >"$work/out" 2>&1; }
refused() { fails 1 "$ROBOTALK" servos "$port" --baud 1000000 "${@:2}" && says "$1"; }
begin() { # begin SERVOS [OPTIONS]: $port is a bus of them
    : >"$work/path.s"
    "$bus" "$@" >"$work/path.s" &
    served=$!
    eventually test -s "$work/path.s"
    port=$(cat "$work/path.s")
}
end() { kill $served && wait $served || true; }

# without hardware, at all rates
"$ROBOTALK" servos --simulate sts3215:1-6 >"$work/out"
says '^   6  sts3215 *1000000 *2048 *0.0 *7.4 V *[0-9]* *off *none$'
[ "$(wc -l <"$work/out")" = 7 ]
fails 1 "$ROBOTALK" servos --simulate sts3216:1-6
says 'want sts3215.*: sts3216:1-6'

mkfifo "$work/hand.fifo"
exec 7<>"$work/hand.fifo"
begin sts3215:1-3 --hand "$work/hand.fifo"
servos
says '^   3  sts3215'
# ids: what was given is there, what is taken or missing is refused
servos set-id 3 7
servos
says '^   7  sts3215'
lacks '^   3 '
refused 'id 1 is taken by an sts3215' set-id 7 1
refused 'no servo answers to id 3; those that answer: 1, 2, 7' set-id 3 4
refused 'expected an id from 0 to 252' set-id 7 254
# torque, which the EEPROM does not want
servos hold 1,2
servos
says '^   1 .* on '
says '^   7 .* off '
refused 'servo 1 has torque.*release it first' set-mode 1 velocity
servos release
servos
lacks ' on '
# modes, middles and rates
servos set-mode 1 velocity
refused 'servo 1 is not in mode position' hold 1
refused 'sts3215 has no mode current; expected one of position, velocity' set-mode 2 current
turned() { servos && grep -q "^   2 .* $1 " "$work/out"; }
echo "2 4.6" >&7 # rad: 2999 of 4096 ticks
eventually turned 2999
servos set-middle 2
turned 2048
refused 'sts3215 has no 9600 baud' set-baud 7 9600
servos set-baud 7 115200
"$ROBOTALK" servos "$port" --baud 115200 >"$work/out"
says '^   7  sts3215 *115200'
# one program at a time
cat >"$work/arm.lua" <<LUA
return { name = "arm", joints = { { name = "elbow", driver = "arm", servo = "setpoint", dofs = { {} } } },
  drivers = { arm = { driver = "servos", port = "$port", elbow = "sts3215 id=2" } } }
LUA
"$ROBOTALK" repl "$work/arm.lua" -e 'print "it has the port"' -e 'rt.sleep(600)' >"$work/driver" 2>&1 &
driver=$!
eventually says 'it has the port' driver
refused 'Device or resource busy' release
kill $driver
wait $driver || true
end

begin xl430:1-2
servos
says '^   2  xl430'
servos set-id 2 5
servos hold 5
refused 'release it first' set-id 5 6
servos release
servos set-mode 1 velocity
servos set-baud 5 57600
end

# two servos that answer to one id
begin sts3215:1-2 --fault twin:2@0
servos
says '^   1 .* none$'
says '^   2 .*two servos with one id'
refused 'servo 2: .*connect it alone' set-id 2 3
end

# at a terminal, again and again
if command -v script >/dev/null; then
    mkfifo "$work/keys.fifo"
    exec 8<>"$work/keys.fifo"
    printf -v command 'stty cols 100 rows 30; %q servos --simulate sts3215:1-2 --live; echo "status $?"' \
        "$(realpath "$ROBOTALK")"
    script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.fifo" >"$work/shown" &
    eventually says 'sts3215' shown
    printf q >&8
    eventually says 'status 0' shown
fi

refuses 'want a port' "$ROBOTALK" servos
refuses "there is no 'turn'" "$ROBOTALK" servos "$work/none" turn
refuses 'set-id: want 2 values, got 1' "$ROBOTALK" servos "$work/none" set-id 1
refuses 'expected ids as 1-3,6' "$ROBOTALK" servos "$work/none" release 3-1
refuses 'live wants a terminal' "$ROBOTALK" servos "$work/none" --live
fails 1 "$ROBOTALK" servos "$work/none"
says 'none: No such file'
