#!/bin/bash
# A camera's pictures in a browser without a window: in a tab of their own, and in a page of the same server; not in a page of
# another one. What the browser shows is read from the pixels of its canvas.
. "${BASH_SOURCE%/*}/lib.sh"
find_browser "no camera was shown in a browser"

"$ROBOTALK" serve pioneer2 --listen rctp://127.0.0.1:0 --listen "unix:$work/robotalk" 2>"$work/log" &
eventually says "at rctp://127.0.0.1:" log
place=http$(grep -o '://127[0-9.:]*' "$work/log")

show() { node tests/browser/pictures.mjs "$modules" "$chromium" "$place" "$@" >"$work/out" 2>&1; }

# goes_up: five pictures, each with a greater number and a later time than the one before
goes_up() {
    [ "$(wc -l <"$work/out")" = 5 ] && sort -nuc "$work/out" && sort -nuc -k2 "$work/out"
}

ways=(page)
brief || ways+=(tab)
for how in "${ways[@]}"; do
    show "/pioneer2/camera/camera?rate=5" "$how"
    goes_up
done
fails 1 node tests/browser/pictures.mjs "$modules" "$chromium" "$place" /pioneer2/camera/camera other
says '^nothing$'
