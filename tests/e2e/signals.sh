#!/bin/bash
# Whatever ends the program halts the metal first: a robot whose driver is a script has a device behind a pseudo-terminal,
# which writes down what it hears.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/device.lua" <<'LUA'
local core, drivers = require "robotalk.core", require "robotalk.drivers"
local port, path = core.pty()
local hold <close> = core.serial(path) -- else reading fails as long as nobody has opened the other end
local place = assert(io.open(arg[1] .. "/path.new", "w"))
place:write(path)
place:close()
os.rename(arg[1] .. "/path.new", arg[1] .. "/path")
while true do
  local bytes = assert(drivers.read(port))
  local heard = assert(io.open(arg[1] .. "/heard", "a"))
  heard:write(bytes)
  heard:close()
end
LUA
"$ROBOTALK" run "$work/device.lua" "$work" &
eventually test -s "$work/path"
write_thing "core.serial(config.port)" "$(cat "$work/path")"

tell() { "$ROBOTALK" repl --connect "unix:$work/socket" -e "robot:$1()" >"$work/told"; }

# A program that a signal ends: it exits with 128 + the signal's number, and the last that the device hears is its halt.
ends_by() { # ends_by STATUS SIGNAL command…
    local want=$1 signal=$2
    shift 2
    : >"$work/heard"
    rm -f "$work/socket"
    "$@" >"$work/log" 2>&1 &
    local server=$!
    eventually tell stop # from when the device is its driver's
    eventually says 'open stop' heard
    kill -"$signal" $server
    ends_with "$want" $server
    eventually says 'halt $' heard
}
serve=("$ROBOTALK" serve "$work/robot.lua" --listen "unix:$work/socket")
ends_by 130 INT "${serve[@]}"
[ ! -e "$work/socket" ] # nor does it leave a socket behind
ends_by 143 TERM "${serve[@]}"
ends_by 129 HUP "${serve[@]}"
ends_by 131 QUIT "${serve[@]}"
[ ! -e "$work/socket" ]

# a script, and the prompt, likewise; a server goes on when the script has forgotten it
cat >"$work/script.lua" <<'LUA'
local rt = require "robotalk"
rt.connect(arg[1])
rt.serve { listen = { "unix:" .. arg[2] } }
collectgarbage()
rt.sleep(1e6)
LUA
ends_by 129 HUP "$ROBOTALK" run "$work/script.lua" "$work/robot.lua" "$work/socket"

# the terminal is closed: whoever holds its other end goes
ends_by 137 KILL script -qfc "exec ${serve[*]@Q}" /dev/null
eventually test ! -e "$work/socket"

# a script that leaves in a hurry
: >"$work/heard"
echo 'require "robotalk".connect(arg[1]):set_joint("head", { ["0"] = 1 }); os.exit(0)' >"$work/hurry.lua"
"$ROBOTALK" run "$work/hurry.lua" "$work/robot.lua"
eventually says 'open set_joint halt' heard # the one before may still be halting

# faults; a sanitizer would exit in its own way
ulimit -c 0
own="handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:$own" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}:$own" TSAN_OPTIONS="${TSAN_OPTIONS:-}:$own"
ends_by 139 SEGV "${serve[@]}"
ends_by 134 ABRT "${serve[@]}"
ends_by 135 BUS "${serve[@]}"
ends_by 136 FPE "${serve[@]}"
ends_by 132 ILL "${serve[@]}"

# nohup: the terminal may go, the server stays
: >"$work/heard"
rm -f "$work/socket"
(trap "" HUP; exec "${serve[@]}") 2>/dev/null &
server=$!
eventually test -S "$work/socket"
kill -HUP $server
"$ROBOTALK" repl --connect "unix:$work/socket" -e 'robot:set_joint("head", { ["0"] = 1 })' | grep -q SUCCESS
end_server


# the benchmark beside SWI-Prolog leaves nothing running, whatever ends it: here `timeout`, below which that is run, never ends
if command -v setpriv >/dev/null; then
    mkdir "$work/bin"
    printf '#!/bin/sh\necho $$ >"%s"\nexec sleep 1000\n' "$work/sleeps" >"$work/bin/timeout"
    chmod +x "$work/bin/timeout"
    for signal in TERM KILL; do
        rm -f "$work/sleeps"
        PATH=$work/bin:$PATH "$ROBOTALK" bench golog >"$work/bench" 2>&1 &
        bench=$!
        eventually test -s "$work/sleeps"
        kill -$signal $bench
        eventually test ! -e "/proc/$(cat "$work/sleeps")"
    done
fi
