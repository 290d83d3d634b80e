#!/bin/bash
# How many instructions a direct command, a frame, a state and a switch of tasks take in the whole program, from Lua to the
# driver and back, by valgrind's callgrind: the same on every run of a build, so that changes are seen that no clock shows.
#     tests/bench/instructions.sh [PROGRAM]      the one of ./run unless said
# Two runs of each, 500 and 2,500 long, are subtracted. In virtual time the instructions of scripts are counted, too, which
# takes about a fifth; a frame in real time depends on how it is woken. callgrind_annotate shows where they go: KEEP=FOLDER
# keeps its files there.
set -eu
cd "${BASH_SOURCE%/*}/../.."
program=${1:-build/release/robotalk}
if ! command -v valgrind >/dev/null; then
    echo "skipped: valgrind is not installed"
    exit 0
fi
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP-}" ] || trap 'rm -rf "$work"' EXIT

# instructions NAME N [OPTION]: of one run
instructions() {
    local log=$work/$1.$2${3-}.log
    valgrind --tool=callgrind --callgrind-out-file="$work/$1.$2${3-}.out" \
        "$program" run ${3+"$3"} tests/bench/instructions.lua "$1" "$2" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
    sed -n 's/.*Collected : //p' "$log"
}

# each WHAT NAME [OPTION]
each() {
    local few many
    few=$(instructions "$2" 500 "${@:3}")
    many=$(instructions "$2" 2500 "${@:3}")
    printf '%-44s %7d instructions\n' "$1" $(((many - few) / 2000))
}

each "direct command, virtual time" direct --virtual
each "direct command, real time" direct
each "frame of base and ten joints, virtual time" frame --virtual
each "state of these, virtual time" state --virtual
each "rt.sleep, virtual time" sleep --virtual
each "rt.wake and rt.wait of two tasks, in turns" wake --virtual
