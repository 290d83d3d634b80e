#!/bin/bash
# A robot's servos are calibrated at a terminal, while shafts of a simulated bus are turned by hand; the descriptor reads the file. So is a file of LeRobot.
. "${BASH_SOURCE%/*}/lib.sh"
bus=${ROBOTALK%/*}/robotalk-servo-bus
[ -x "$bus" ] || skip "there is no $bus: nothing was calibrated"
command -v script >/dev/null || skip "there is no script(1) here"

# arm OPTIONS: the robot, whose entry has these
arm() {
    cat >"$work/arm.lua" <<LUA
return { name = "arm",
  links = { [0] = { name = "base" }, { name = "arm" }, { name = "hand" } },
  joints = {
    { name = "elbow", parent = "base", child = "arm", driver = "arm", servo = "setpoint", dofs = { { limit = { -1.7, 1.7 } } } },
    { name = "jaw", parent = "arm", child = "hand", driver = "arm", servo = "setpoint", dofs = { { limit = { 0, 1 } } } } },
  drivers = { arm = { driver = "servos", port = "$port", elbow = "sts3215 id=1", jaw = "sts3215 id=2 sign=-1"$1 } } }
LUA
}
mkfifo "$work/hand.fifo" "$work/keys.fifo"
exec 7<>"$work/hand.fifo" 8<>"$work/keys.fifo"
"$bus" sts3215:1-2 --hand "$work/hand.fifo" >"$work/path.s" &
eventually test -s "$work/path.s"
port=$(cat "$work/path.s")
arm ''

begin() {
    : >"$work/shown"
    printf -v command 'stty cols 100 rows 30; %q calibrate %q; echo "status $?"' "$(realpath "$ROBOTALK")" "$work/arm.lua"
    script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.fifo" >"$work/shown" &
    eventually says 'Hold the robot' shown
    printf '\r' >&8
    eventually says 'to the middle' shown
}
turn() { # turn ID ANGLE TICKS: by hand, until the program has seen it
    echo "$1 $2" >&7
    eventually says "$3" shown
}

# elbow: 1000 to 3000, jaw: 1500 to 2200
begin
turn 1 3.2 2086
turn 2 2.8502 1858
printf '\r' >&8
eventually says 'whole ranges' shown
turn 1 1.5340 1000
turn 1 4.6020 3000
turn 2 2.3010 1500
turn 2 3.3748 2200
printf '\r' >&8
eventually says 'status 0' shown
says 'calibration = "arm.calibration.lua"' shown
cp "$work/arm.calibration.lua" "$work/written"
says '\["elbow"\] = { id = 1, zero = 2000.0, sign = 1, limit = { -1.53[0-9]*, 1.53[0-9]* } }' written
says '\["jaw"\] = { id = 2, zero = 217[56].[0-9], sign = -1, limit = { -0.036[0-9], 1.036[0-9] } }' written

# a descriptor reads it; a limit that it sets holds
arm ', calibration = "arm.calibration.lua"'
"$ROBOTALK" check "$work/arm.lua"
"$ROBOTALK" repl "$work/arm.lua" -e 'robot:set_joint("elbow", { elbow = 1.6 })' -e 'robot:state().joints.elbow.elbow' >"$work/out" 2>&1
says 'MODIFIED'
says '1.5[23]'

# refused: a joint that was not moved, and a servo that does not answer; the file stays
begin
printf '\r' >&8
eventually says 'whole ranges' shown
printf '\r' >&8
eventually says 'status 1' shown
says 'elbow: it was not moved: .*a range of nothing' shown
says 'jaw: it was not moved' shown
cmp "$work/arm.calibration.lua" "$work/written"
sed -i 's/id=2/id=5/' "$work/arm.lua"
printf -v command '%q calibrate %q; echo "status $?"' "$(realpath "$ROBOTALK")" "$work/arm.lua"
script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.fifo" >"$work/shown"
says 'no servo answers to id 5; those that answer: 1, 2' shown
fails 1 "$ROBOTALK" check "$work/arm.lua"
says 'arm.lua:6: drivers.arm.calibration: jaw: it is that of servo 2, and this is servo 5'

# LeRobot's file, without servos and without a terminal
arm ', calibration = "arm.calibration.lua"'
cat >"$work/follower.json" <<'JSON'
{ "elbow": { "id": 1, "drive_mode": 0, "homing_offset": -1470, "range_min": 900, "range_max": 3200 },
  "jaw": { "id": 2, "drive_mode": 1, "homing_offset": 12, "range_min": 2000, "range_max": 3000 } }
JSON
"$ROBOTALK" calibrate "$work/arm.lua" --from "$work/follower.json"
cp "$work/arm.calibration.lua" "$work/written"
says 'elbow.*zero = 2050.0, sign = 1' written
"$ROBOTALK" check "$work/arm.lua"
sed -i 's/"id": 2/"id": 3/' "$work/follower.json"
fails 1 "$ROBOTALK" calibrate "$work/arm.lua" --from "$work/follower.json"
says 'jaw: it is servo 3 there, and servo 2 of this robot'
refuses 'want the file of one robot' "$ROBOTALK" calibrate
refuses 'this is no terminal' "$ROBOTALK" calibrate "$work/arm.lua"
rm "$work/arm.calibration.lua"
fails 1 "$ROBOTALK" check "$work/arm.lua"
says "there is no file arm.calibration.lua; robotalk calibrate $work/arm.lua writes it"

# two buses, one after the other; a wheel has no range
mkfifo "$work/other.fifo"
exec 9<>"$work/other.fifo"
"$bus" sts3215:1-2 --hand "$work/other.fifo" >"$work/other.s" &
eventually test -s "$work/other.s"
cat >"$work/arm.lua" <<LUA
return { name = "two", links = { [0] = { name = "base" }, { name = "left" }, { name = "right" }, { name = "roller" } },
  joints = {
    { name = "left", parent = "base", child = "left", driver = "a", servo = "setpoint", dofs = { { limit = { -1.7, 1.7 } } } },
    { name = "right", parent = "base", child = "right", driver = "b", servo = "setpoint", dofs = { { limit = { -1.7, 1.7 } } } },
    { name = "roller", parent = "base", child = "roller", driver = "b", servo = "speed", dofs = { { speed = 3 } } } },
  drivers = { a = { driver = "servos", port = "$port", left = "sts3215 id=1" },
    b = { driver = "servos", port = "$(cat "$work/other.s")", right = "sts3215 id=1", roller = "sts3215 id=2" } } }
LUA
begin
says 'drivers.b: roller: without a range' shown
says 'drivers.a: Hold' shown
turn 1 3.2 2086
printf '\r' >&8
eventually says 'whole ranges' shown
turn 1 1.5340 1000
turn 1 4.6327 3020 # 3000 was shown at the beginning
printf '\r' >&8
eventually says 'drivers.b: Hold' shown
printf '\r' >&8
eventually says 'drivers.b: Move each' shown
turn 1 3.25 2119 7>&9
printf '\r' >&8
eventually says 'drivers.b: Move all' shown
turn 1 1.6 1043 7>&9
turn 1 4.7 3064 7>&9
printf '\r' >&8
eventually says 'status 0' shown
says 'drivers.b of .* reads it' shown
cp "$work/arm.a.calibration.lua" "$work/written"
says '\["left"\] = { id = 1, zero = 2010.0' written
cp "$work/arm.b.calibration.lua" "$work/written"
says '\["right"\] = { id = 1, zero = 205[34].[05]' written
fails 1 "$ROBOTALK" calibrate "$work/arm.lua" --from "$work/follower.json"
says 'it has several buses'
