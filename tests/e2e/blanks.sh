#!/bin/bash
# The tree can be configured and compiled where names of folders have blanks: the shortest file of C shows it.
. "${BASH_SOURCE%/*}/lib.sh"
ln -s "$PWD" "$work/my robots"
cmake -G Ninja -S "$work/my robots" -B "$work/my build" -D ROBOTALK_TESTS=OFF -D ROBOTALK_BENCH=OFF >"$work/out" 2>&1
ninja -C "$work/my build" CMakeFiles/robo_core.dir/core/base/wakeup.c.o >"$work/out" 2>&1
