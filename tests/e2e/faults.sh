#!/bin/bash
# The fault simulator from outside: what it prints, that a seed gives the same run, what it refuses.
. "${BASH_SOURCE%/*}/lib.sh"
run() { "$ROBOTALK" experiment faults "$@"; }

run --runs 50 --from 7 --jobs 3 >"$work/out" 2>"$work/err"
[ ! -s "$work/err" ] # no progress where nobody looks
says '^50 runs, '
says 'the next seed is 57$'
says '^every invariant held$'
# the processes that share the runs take the processor time, which is not known here
[ "$(grep -c 'processor time' "$work/out" || true)" = 0 ]

run --seed 12 --trace >"$work/one"
run --seed 12 --trace >"$work/two"
[ "$(wc -l <"$work/one")" -gt 20 ]
cmp "$work/one" "$work/two"
run --seed 12 >"$work/out"
says '^seed 12: every invariant holds$'

run --runs 10 --json >"$work/json"
says '"experiment":"faults"' json
says '"next":11' json

refuses '--runs wants a whole number of 1 or more' run --runs 0
refuses '--jobs wants a whole number' run --jobs 1.5
refuses 'has no option --runs' "$ROBOTALK" experiment congestion --runs 3
