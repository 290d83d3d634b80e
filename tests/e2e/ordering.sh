#!/bin/bash
# The experiment of command ordering from outside: its files, its results as JSON, what it refuses.
. "${BASH_SOURCE%/*}/lib.sh"
"$ROBOTALK" experiment ordering line --json --out "$work/new/out" >"$work/json" 2>"$work/err"
[ ! -s "$work/err" ] # no progress where nobody looks
grep -q '"experiment":"ordering"' "$work/json"
grep -q '"task":"line"' "$work/json"
lua5.4 - "$work/json" <<<'dofile "tests/json.lua".read(io.open(arg[1]):read "a")'
[ "$(ls "$work/new/out" | tr '\n' ' ')" = "ordering-line.csv ordering-line.svg " ]
grep -q '</svg>' "$work/new/out/ordering-line.svg"
for scheme in A B C D E F O; do
    [ "$(grep -c "^[0-9]*,$scheme,[0-9.e+-]*,[0-9]*$" "$work/new/out/ordering-line.csv")" -ge 50 ]
done

"$ROBOTALK" experiment ordering servos --json --out "$work/none" >"$work/json"
lua5.4 - "$work/json" <<'LUA'
local rows = dofile "tests/json.lua".read(io.open(arg[1]):read "a").runs
assert(#rows == 12 and rows[12].servos == 20 and rows[12].baud == 1000000)
assert(math.floor(rows[12].Feetech.all.messages) == 1470 and rows[12].Dynamixel.F.force < 2)
LUA
[ ! -e "$work/none" ] # it has no files

mkdir "$work/empty"
cd "$work/empty"
refuses 'expected one of line, oscillation, force, countertop, servos, all, got circle' "$ROBOTALK" experiment ordering circle
refuses 'got force' "$ROBOTALK" experiment ordering line force
refuses 'expected one of paper, between, rough, got line' "$ROBOTALK" experiment congestion line
refuses 'has no tasks' "$ROBOTALK" experiment bodies line
fails 1 "$ROBOTALK" experiment ordering --real
says 'the arm is simulated'
[ -z "$(ls)" ]
