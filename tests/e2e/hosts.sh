#!/bin/bash
# Where no name resolves, not even localhost, the program serves there and connects. /etc/hosts is empty in a mount
# namespace of this script's own; where that is not allowed, and localhost resolves, this is skipped.
if [ "${1-}" != inside ] && getent ahosts localhost >/dev/null; then
    unshare -rm true 2>/dev/null || { echo "skipped: no namespaces here"; exit 77; }
    exec unshare -rm bash "$0" inside
fi
. "${BASH_SOURCE%/*}/lib.sh"
if [ "${1-}" = inside ]; then
    for file in hosts resolv.conf; do [ ! -e /etc/$file ] || mount --bind /dev/null /etc/$file; done
    ! getent ahosts localhost >"$work/out" || skip "localhost resolves without a file"
fi
"$ROBOTALK" serve --listen robotalk://localhost:0 2>"$work/log" &
eventually says 'listening at robotalk://localhost:' log
"$ROBOTALK" ping "$(grep -o 'robotalk://localhost:[0-9]*' "$work/log")" --json | grep -q '"robot":"pioneer2"'
