#!/bin/bash
# A disk that is full: what was there stays, and it is an error. The disk is one of 64 KiB in memory, in a mount namespace of
# its own; where that is not allowed, this is skipped.
if [ "${1-}" != inside ]; then
    unshare -rm true 2>/dev/null || { echo "skipped: no namespaces here"; exit 77; }
    exec unshare -rm bash "$0" inside
fi
. "${BASH_SOURCE%/*}/lib.sh"
disk=$work/disk
mkdir "$disk"
mount -t tmpfs -o size=64k none "$disk" || skip "no file system can be mounted here"

verbs=("convert asimo asimo.lua" "convert asimo asimo.urdf" "check asimo --svg asimo.svg" "experiment bodies --out .")
cat >"$work/short.lua" <<'LUA'
local rt = require "robotalk"
local robot <close> = rt.connect "pioneer2"
rt.sleep(0.1)
LUA
if (need_opengl "no film was made"); then
    verbs+=("run $work/short.lua --virtual --physics --film-size 80x60 --film film.gif")
fi
for verb in "${verbs[@]}"; do
    rm -f "$disk"/*
    cd "$disk"
    file=${verb##* }
    [ "$file" = . ] || echo before >"$file"
    dd if=/dev/zero of=filler bs=4096 2>/dev/null || true
    # shellcheck disable=SC2086
    fails 1 "$ROBOTALK" $verb
    says 'No space left on device'
    [ "$file" = . ] || [ "$(cat "$file")" = before ]
    # nothing else has been left there
    [ -z "$(find . -type f ! -name filler ! -name "$file")" ]
    cd /
done
umount "$disk"
