#!/bin/bash
# memory_program.sh PROGRAM: runs a script that does much, again and again, with one allocation of the whole program
# failing: the first twenty, and then ever fewer of those that follow. It may say that there is no memory and fail; it
# may not crash, abort, leak or hang.
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS="${ASAN_OPTIONS-}:exitcode=99:abort_on_error=0" UBSAN_OPTIONS="${UBSAN_OPTIONS-}:exitcode=99:abort_on_error=0"
export ROBOTALK_FAIL_COUNT=$work/count ROBOTALK_FAIL_AT=0
step=8
[ "${ROBOTALK_LONG-}" ] && step=32
"$program" run tests/memory_scene.lua || exit 1
most=$(cat "$work/count")
runs=0 wrong=0
for ((n = 1; n <= most; n += n < 20 ? 1 : n / step)); do
    got=0
    ROBOTALK_FAIL_AT=$n timeout "${ROBOTALK_PATIENCE:-300}" "$program" run tests/memory_scene.lua >"$work/out" 2>&1 || got=$?
    runs=$((runs + 1))
    case $got in
    0 | 1 | 70) ;;
    *) wrong=$((wrong + 1))
       echo "allocation $n of $most fails: status $got"
       cat "$work/out" ;;
    esac
done
echo "$runs runs, $wrong went wrong"
[ $wrong = 0 ]
