#!/bin/bash
# Looking at the robots of a server: lines of text, JSON, and pictures at a terminal.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"
export LC_ALL=C.UTF-8

"$ROBOTALK" serve pioneer2 puma560 --listen "unix:$work/r.sock" --listen "rctp+unix:$work/rctp" >"$work/served" 2>&1 &
server=$!
eventually test -S "$work/r.sock"

# once, of all robots or of one; a pipe gets text
"$ROBOTALK" watch "unix:$work/r.sock" --once >"$work/out"
says '^pioneer2; x 0.000 y 0.000 theta 0.000; head.pan 0.000; .* stands; state .* old; sonar 5.000, .* link'
says '^puma560; .*waist'
[ "$(wc -l <"$work/out")" = 2 ]
"$ROBOTALK" watch "unix:$work/r.sock#puma560" --once --json >"$work/out"
[ "$(wc -l <"$work/out")" = 1 ]
says '"link":{.*"up":true'
says '"robot":"puma560"'
"$ROBOTALK" watch "unix:$work/r.sock" --once --top >"$work/out"
says '^robot .* trip/ms .* driven by$'
says '^pioneer2 *stands '
[ "$(wc -l <"$work/out")" = 3 ]
# by RCTP, too: what that does not tell is not known
"$ROBOTALK" watch "rctp+unix:$work/rctp" --once --json >"$work/out"
[ "$(wc -l <"$work/out")" = 2 ]
says '"robot":"puma560"'
says '"battery":null'
says '"round_trip":null'
# again and again, until nobody reads
"$ROBOTALK" watch "unix:$work/r.sock#pioneer2" --every 0.05 | head -n 3 >"$work/out"
[ "$(wc -l <"$work/out")" = 3 ]
# it holds nothing: who drives is alone
"$ROBOTALK" repl --connect "unix:$work/r.sock#pioneer2" -e 'robot:set_speed{ theta = 0.1 }' -e 'rt.sleep(600)' \
    >"$work/other" 2>&1 &
driven() { # who drives it is there before it moves
    "$ROBOTALK" watch "unix:$work/r.sock#pioneer2" --once >"$work/out"
    says 'drives base' && says 'moves'
}
eventually driven

fails 1 "$ROBOTALK" watch "unix:$work/nobody"
says 'nobody: No such file'
fails 2 "$ROBOTALK" watch one two
fails 2 "$ROBOTALK" watch --every 0

# at a terminal
mkfifo "$work/keys.fifo"
exec 8<>"$work/keys.fifo"
printf -v command 'stty cols 100 rows 30; stty -a >%q; %q watch %q; echo "status $?"; stty -a >%q' \
    "$work/before.txt" "$(realpath "$ROBOTALK")" "unix:$work/r.sock" "$work/after.txt"
script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.fifo" >"$work/shown" &
terminal=$!
eventually says 'pioneer2  moves' shown
eventually says 'puma560' shown
eventually says 'grid' shown
printf t >&8
eventually says 'driven by' shown
printf t >&8
# who waits for resume
"$ROBOTALK" repl --connect "unix:$work/r.sock#pioneer2" -e 'robot:stop()' >"$work/heard"
for form in "" --top; do
    "$ROBOTALK" watch "unix:$work/r.sock#pioneer2" --once $form >"$work/out"
    says 'pioneer2.*: stopped by .* [0-9]* s ago, waits for resume'
done
kill $server
eventually says 'link LOST' shown
printf q >&8
eventually says 'status 0' shown
wait $terminal
cmp "$work/before.txt" "$work/after.txt"
