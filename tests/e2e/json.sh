#!/bin/bash
# What every verb prints by --json is read back by a reader that is not ours, and by the strict one of the tests.
. "${BASH_SOURCE%/*}/lib.sh"

cat >"$work/read.lua" <<'LUA'
local strict = dofile "tests/json.lua"
for line in io.lines(arg[1]) do strict.read(line) end
LUA
cat >"$work/read.py" <<'PY'
import json, sys
def refuse(word): raise ValueError(word)
for line in open(sys.argv[1], encoding="utf-8", errors="strict"):
    json.loads(line, parse_constant=refuse)
PY
declare -A tried
# is_json STATUS VERB ARGUMENT…: one line of JSON after the other
is_json() {
    local got=0
    tried[$2]=1
    "$ROBOTALK" "${@:2}" --json >"$work/said" 2>"$work/err" || got=$?
    [ "$got" = "$1" ] || { echo "expected status $1, got $got: ${*:2}" >&2; return 1; }
    [ -s "$work/said" ]
    lua5.4 "$work/read.lua" "$work/said"
    if command -v python3 >/dev/null; then python3 "$work/read.py" "$work/said"; fi
}

is_json 0 check asimo puma560 tests/urdf/arm.urdf
says '"errors":\[\],.*"name":"asimo"' said
is_json 0 check tests/mot/nod.mot
printf 'return { name = "x\\xff\\"\\n", modle = 1 }\n' >"$work/$(printf 'bad\xff"name').lua"
is_json 1 check "$work"/bad*.lua
says '"links":null,"name":null' said
brief || is_json 0 experiment congestion between --out "$work/plots.d"
is_json 0 experiment bodies --out "$work/plots.d"
brief || is_json 0 experiment teleoperation --out "$work/plots.d"
brief || grep -q '</svg>' "$work/plots.d/teleoperation.svg"
# of ordering: ordering.sh
is_json 0 experiment faults --runs 3
"$ROBOTALK" serve pioneer2 --listen "unix:$work/socket" 2>"$work/log" &
server=$!
eventually test -S "$work/socket"
is_json 0 ping "unix:$work/socket"
says '"p50_s":.*"p90_s":.*"p99_s":' said
for verb in ping "watch --once" scripts; do is_json 0 $verb --connect "unix:$work/socket"; done
refuses 'ping: want one address, got 2' "$ROBOTALK" ping "unix:$work/socket" --connect "unix:$work/socket"
USER=anna "$ROBOTALK" repl --connect "unix:$work/socket" -e 'robot:set_speed { x = 0.1 }' -e 'robot:holders()[1].holder' >"$work/holder"
says '^anna@[^ ]* [0-9]*$' holder
env -u LOGNAME USER= "$ROBOTALK" repl -e 'require "robotalk.server.whoami" "x"' >"$work/holder"
says "^$(id -un)@[^ ]* (x)$" holder
is_json 0 watch "unix:$work/socket" --once
is_json 0 ros2 list "dds://$(($$ % 200 + 20))" --seconds 0.1
is_json 0 snapshot "unix:$work/socket" "$work/eye.jpg"
"$ROBOTALK" images "$work/kept.d" --listen "images+unix:$work/images.sock" 2>"$work/keeper" &
keeper=$!
cat >"$work/send.lua" <<'LUA'
local camera <const> = require "robotalk".connect "pioneer2":camera()
local sender <close> = assert(require "robotalk.images".dial(..., { lossless = true }))
assert(sender:put(camera:frame().bytes))
LUA
eventually test -S "$work/images.sock"
"$ROBOTALK" run "$work/send.lua" "images+unix:$work/images.sock"
kill $keeper
is_json 0 images "$work/kept.d" --list
says '"number":1,"source":"unknown","time":"20' said
cat >"$work/write.lua" <<'LUA'
local file <close> = assert(require "robotalk.mcap".create(...))
assert(file:message(file:channel { topic = "/a\xff" }, 1, {}))
LUA
"$ROBOTALK" run "$work/write.lua" "$work/a.mcap"
is_json 0 mcap "$work/a.mcap"
says '"finished":true,.*"messages":1,' said
is_json 0 scripts "unix:$work/socket"
says '^\[\]$' said
kill $server
XDG_CONFIG_HOME=$work/config.d is_json 0 keys list
is_json 1 doctor --root "$work/nowhere"
refuses "there is no 'nothing'; there are run, build, test, bench" "$ROBOTALK" doctor nothing
if [ -x "$(dirname "$ROBOTALK")/robotalk-bench" ]; then
    brief || is_json 0 bench queue
    # without LuaJIT and SWI-Prolog there is nothing to compare with, which is not a goal that was reached
    unmeasured() { env PATH="$work/nothing" "$(command -v "$ROBOTALK")" bench "$@"; }
    fails 1 unmeasured ffi
    says '^ffi .*not measured$'
    says '^0 of 1 reached, 1 not measured$'
    fails 1 unmeasured ffi --json
    says '"ratio":null,.*"reached":null}'
fi
tried[bench]=1 # the others take too long here, and have the same writers

# every verb that has the option
for verb in $("$ROBOTALK" --help | sed -n 's/^  \([a-z][a-z0-9]*\)  .*/\1/p'); do
    if "$ROBOTALK" "$verb" --help | grep -q -e '^  --json'; then [ "${tried[$verb]-}" ]; fi
done
