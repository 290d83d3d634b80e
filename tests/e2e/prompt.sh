#!/bin/bash
# The prompt at a terminal: what it says, what it takes, Ctrl-C, and its end.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"
export XDG_STATE_HOME=$work/state
mkfifo "$work/keys.fifo"
exec 8<>"$work/keys.fifo"
printf -v command 'echo $$ >%q; exec %q' "$work/pid.txt" "$(realpath "$ROBOTALK")"
script -qfc "$command" /dev/null <"$work/keys.fifo" >"$work/shown" &
terminal=$!
types() { printf '%s\r' "$1" >&8; }

eventually says 'robot is pioneer2, ActivMedia Pioneer 2-DX .* help tells more' shown
types help
eventually says 'Ctrl-C ends what runs' shown
types 'robot'
eventually says 'pioneer2 in direct mode' shown
# methods are offered after a colon, and nothing else
printf 'robot:\t\t' >&8
eventually says 'robot:set_joint_speed' shown
[ "$(grep -c 'robot:tickets' "$work/shown" || true)" = 0 ]
printf '\025' >&8
# a mistake is told without the way through the library
types 'robot:set_joint("haed", {})'
eventually says "has no joint 'haed'" shown
# Ctrl-C stops the robot and says so; what is typed meanwhile is not lost
types 'robot:set_speed{ x = 0.2 }'
eventually says SUCCESS shown
printf '\003' >&8
eventually says '^stop: ' shown
types '"typed " .. "meanwhile"'
eventually says '^typed meanwhile' shown
types 'robot:state().moving or "it " .. "stands"'
eventually says '^it stands' shown
[ "$(grep -c traceback "$work/shown" || true)" = 0 ]
# a signal ends it, and what was typed is kept
kill -HUP "$(cat "$work/pid.txt")"
wait $terminal || true
grep -q set_speed "$work/state/robotalk/history"

# nor is it told where in the library a connection has failed
fails 1 "$ROBOTALK" repl --connect "unix:$work/nobody" -e 1
says 'nobody: No such file'
[ "$(grep -c traceback "$work/out" || true)" = 0 ]
