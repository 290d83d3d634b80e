#!/bin/bash
# A disk that is full: what was there stays, and it is an error. The disk is one of 64 KiB in memory, in a mount namespace of
# its own; where that is not allowed, this is skipped.
set -eu
if [ "${1-}" != inside ]; then
    unshare -rm true 2>/dev/null || exit 77
    exec unshare -rm bash "$0" inside
fi
trap 'echo "${BASH_SOURCE[0]}:$LINENO: failed: $BASH_COMMAND" >&2' ERR
disk=$(mktemp -d)
trap 'cd /; umount "$disk" || true; rmdir "$disk"' EXIT
mount -t tmpfs -o size=64k none "$disk" || { trap - EXIT; rmdir "$disk"; exit 77; }

for verb in "convert asimo asimo.lua" "convert asimo asimo.urdf" "check asimo --svg asimo.svg" \
    "experiment bodies --out ."; do
    rm -f "$disk"/*
    cd "$disk"
    file=${verb##* }
    [ "$file" = . ] || echo before >"$file"
    dd if=/dev/zero of=filler bs=4096 2>/dev/null || true
    status=0
    # shellcheck disable=SC2086
    out=$("$ROBOTALK" $verb 2>&1) || status=$?
    [ $status = 1 ] || { echo "$verb: expected status 1, got $status"; exit 1; }
    grep -q 'No space left on device' <<<"$out"
    [ "$file" = . ] || [ "$(cat "$file")" = before ]
    # nothing else has been left there
    [ -z "$(find . -type f ! -name filler ! -name "$file")" ]
    cd /
done
