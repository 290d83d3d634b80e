#!/bin/bash
# Looking at a fleet: lines of text and JSON; at a terminal panics, resets, one robot of it, and who comes and goes.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"
export LC_ALL=C.UTF-8
site=dds://$(($$ % 200 + 20))/hall

"$ROBOTALK" serve pioneer2 so101_follower --listen "$site?noros" 2>"$work/first" &
"$ROBOTALK" serve puma560 --listen "$site?noros" 2>"$work/second" &
second=$!
all() {
    "$ROBOTALK" watch "$site" --once --json >"$work/out"
    [ "$(wc -l <"$work/out")" = 3 ]
}
eventually all
says '"battery":null,.*"host":"..*"kind":"Unimate PUMA.*"panic":false,.*"robot":"puma560",.*"url":"'"$site"'/puma560",.*"x":0'
"$ROBOTALK" watch "$site" --once >"$work/out"
says '^pioneer2; x 0.000 .* stands; state .* old; link up$'
"$ROBOTALK" watch "$site" --once --top >"$work/out"
says '^robot .*driven by'
says '^puma560  *stands  *Unimate PUMA '
"$ROBOTALK" watch "$site/pioneer2" --once >"$work/out"
says '^pioneer2; .* link'
fails 1 "$ROBOTALK" watch "dds://${site//[!0-9]/}/nobody" --once
says 'there is no robot'

mkfifo "$work/keys.fifo"
exec 8<>"$work/keys.fifo"
printf -v command 'stty cols 130 rows 24; %q watch %q; echo "status $?"' "$(realpath "$ROBOTALK")" "$site"
script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.fifo" >"$work/shown" &
terminal=$!
eventually says 'so101_follow' shown
eventually says 'puma560 .* stands' shown
printf P >&8
eventually says 'panic of all: 3 latched' shown
eventually says 'puma560 .* PANIC .* panic by ' shown
printf R >&8
eventually says 'reset of all: done' shown
"$ROBOTALK" watch "$site" --once --json >"$work/out"
lacks '"panic":true'
printf '\033[B' >&8
eventually says '>puma560' shown
printf p >&8
eventually says 'panic of puma560: 1 latched' shown
"$ROBOTALK" watch "$site" --once --json >"$work/out"
[ "$(grep -c '"panic":true' "$work/out")" = 1 ]
says '"panic":true.*"robot":"puma560"'
printf r >&8
eventually says 'reset of puma560: done' shown
# the panic of one whose server is silent waits for it
kill -STOP "$second"
eventually says 'puma560 .* SILENT .* silent for [0-9]* s' shown
printf p >&8
eventually says 'panic of puma560: sent; it is silent' shown
kill -CONT "$second"
panicked() {
    "$ROBOTALK" watch "$site" --once --json >"$work/out"
    says '"panic":true.*"robot":"puma560"'
}
eventually panicked
printf '\r' >&8
eventually says 'link up' shown
printf q >&8
kill "$second"
eventually says 'puma560 leaves: it was removed' shown
"$ROBOTALK" serve puma560 --listen "$site?noros" 2>"$work/third" &
eventually says 'puma560 joins, on ' shown
printf q >&8
eventually says 'status 0' shown
wait $terminal
