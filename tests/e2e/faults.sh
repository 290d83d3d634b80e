#!/bin/bash
# The fault simulator from outside: what it prints, that a seed gives the same run, what it refuses.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fails() { # fails STATUS TEXT command…
    local want=$1 text=$2 got=0
    shift 2
    "$@" >"$work/log" 2>&1 || got=$?
    [ "$got" = "$want" ] && grep -q -- "$text" "$work/log" || { echo "status $got: $*"; cat "$work/log"; exit 1; }
}
run() { "$ROBOTALK" experiment faults "$@"; }

run --runs 50 --from 7 --jobs 3 >"$work/out" 2>"$work/err"
[ ! -s "$work/err" ] # no progress where nobody looks
grep -q '^50 runs, ' "$work/out"
grep -q 'the next seed is 57$' "$work/out"
grep -q '^every invariant held$' "$work/out"

run --seed 12 --trace >"$work/one"
run --seed 12 --trace >"$work/two"
[ "$(wc -l <"$work/one")" -gt 20 ]
cmp "$work/one" "$work/two"
run --seed 12 >"$work/out"
grep -q '^seed 12: every invariant holds$' "$work/out"

run --runs 10 --json >"$work/json"
grep -q '"experiment":"faults"' "$work/json"
grep -q '"next":11' "$work/json"

fails 2 '--runs wants a whole number of 1 or more' run --runs 0
fails 2 '--jobs wants a whole number' run --jobs 1.5
fails 2 'has no option --runs' "$ROBOTALK" experiment congestion --runs 3
