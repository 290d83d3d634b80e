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

eventually says 'robot is pioneer2, ActivMedia Pioneer 2-DX' shown
eventually says 'help tells more; quit ends' shown
types help
eventually says 'Ctrl-C ends what' shown
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
types 'robot:set_sped{}'
eventually says 'did you mean set_speed?' shown
# a command is told of in a line
types 'robot:set_joint("head", { pan = 0.1 })'
eventually says '^SUCCESS: took' shown
# completion looks into what calls return
printf 'robot:state().mov\t' >&8
eventually says 'state().mov.*ing' shown
printf '\025' >&8
# Ctrl-C stops the robot and says so; what is typed meanwhile is not lost
types 'robot:set_speed{ x = 0.2 } == "SUCCESS" and "it " .. "drives"'
eventually says '^it drives' shown
printf '\003' >&8
eventually says '^stop: ' shown
types '"typed " .. "meanwhile"'
eventually says '^typed meanwhile' shown
types 'while robot:state().moving do rt.sleep(0.05) end return "it " .. "stands"' # nothing else ends its speed
eventually says '^it stands' shown
# it ends what lines have begun, also in tasks, and stops nobody else
cat >"$work/other.lua" <<'LUA'
local rt = require "robotalk"
local robot = rt.connect("unix:" .. arg[1], { reconnect = false })
print(robot:set_joint_speed("head", { pan = 0.01 }))
io.stdout:flush()
rt.sleep(1e6)
LUA
types "return #rt.serve{ listen = { 'unix:$work/socket' } }:urls() .. ' address'"
eventually says '^1 address' shown
"$ROBOTALK" run "$work/other.lua" "$work/socket" >"$work/heard" 2>&1 &
other=$!
eventually says SUCCESS heard
types 'rt.spawn(function() while true do robot:set_speed{ x = 0.2 } rt.sleep(0.05) end end) rt.sleep(0.3) return "a " .. "task"'
eventually says '^a task' shown
types 'while not robot:state().moving do rt.sleep(0.05) end return "it " .. "moves"'
eventually says '^it moves' shown
printf '\003' >&8
stops() { [ "$(grep -c '^stop: SUCCESS' "$work/shown")" = "$1" ]; }
eventually stops 2
types 'rt.sleep(0.5) local s = robot:state() return "base " .. s.velocity.x'
eventually says '^base 0.0' shown
types 'local a = robot:state().joints.head.pan rt.sleep(0.3) return robot:state().joints.head.pan > a and "others " .. "go on"'
eventually says '^others go on' shown
types 'return robot:set_speed{ x = 0 } == "SUCCESS" and "it " .. "commands again"'
eventually says '^it commands again' shown
# a line of the log, of whatever thread, stands on a line of its own, and what is being typed is shown again below it
printf 'half a li' >&8
eventually says '> half a li' shown
kill -STOP $other
shown_again() { tr '\r' '\n' <"$work/shown" | grep -A3 'warning: pioneer2: deadman' | grep -q '^> half a li'; }
eventually shown_again
[ "$(grep -c 'half a li[^\r]*deadman' "$work/shown" || true)" = 0 ]
printf '\025' >&8
kill -CONT $other
kill $other
[ "$(grep -c traceback "$work/shown" || true)" = 0 ]
# a signal ends it, and what was typed is kept
kill -HUP "$(cat "$work/pid.txt")"
wait $terminal || true
grep -q set_speed "$work/state/robotalk/history"

# nor is it told where in the library a connection has failed
fails 1 "$ROBOTALK" repl --connect "unix:$work/nobody" -e 1
says 'nobody: No such file'
[ "$(grep -c traceback "$work/out" || true)" = 0 ]

# errors of piped input, and input that never ends, are a failure
pipes() { printf "$1" | "$ROBOTALK" repl; }
fails 1 pipes 'error("x")\n'
fails 1 pipes 'for i = 1, 3 do\n'
says "'end' expected"
fails 0 pipes 'return 1 + 1\nquit\nerror("x")\n'
says '^2$'

# they are not among what is printed
[ "$(printf 'return 1\nerror("x")\nreturn +\nf(' | "$ROBOTALK" repl 2>"$work/err" || true)" = 1 ]
says '^input:1: x$' err
says "^input:1: unexpected symbol near" err
[ -z "$("$ROBOTALK" repl -e 'robto:x()' 2>"$work/err" || true)" ]
says "did you mean robot?$" err

# a prompt tells what others do to its robot, and that its link has gone and come
"$ROBOTALK" serve pioneer2 --listen "unix:$work/r.sock" >"$work/served" 2>&1 &
server=$!
eventually test -S "$work/r.sock"
mkfifo "$work/more.fifo"
exec 7<>"$work/more.fifo"
printf -v command 'exec %q repl --connect %q' "$(realpath "$ROBOTALK")" "unix:$work/r.sock"
script -qfc "$command" /dev/null <"$work/more.fifo" >"$work/seen" &
terminal=$!
eventually says 'quit ends' seen
"$ROBOTALK" repl --connect "unix:$work/r.sock" -e 'robot:stop()' -e 'robot:panic()' -e 'robot:reset()' \
    -e 'robot:override(0.5)' >"$work/other"
eventually says '-- another client stopped the robot' seen
eventually says '-- PANIC' seen
eventually says '-- the panic is over' seen
eventually says '-- override 0.5' seen
eventually says 'robot pioneer2: override 0.5' served
printf 'robot:set_joint("head", { pan = 0.1 })\r' >&7 # from now on a stop latches this prompt, which is one line
eventually says 'SUCCESS' seen
"$ROBOTALK" repl --connect "unix:$work/r.sock" -e 'robot:stop()' >"$work/other"
eventually says '; robot:resume() goes on' seen
printf 'quit\r' | script -qfc "$command" /dev/null >"$work/later" # a prompt that opens later
says '-- override 0.5' later
kill "$server"
wait "$server" || true
eventually says '-- the link is lost' seen
[ "$(grep -c 'another client stopped' "$work/seen")" = 1 ]
: >"$work/served"
"$ROBOTALK" serve pioneer2 --listen "unix:$work/r.sock" >"$work/served" 2>&1 &
eventually says '-- the link is back' seen

# another client may ask for what the prompt drives: both users read what they can do
printf 'robot:set_speed{ x = 0.01 }\r' >&7
eventually says 'SUCCESS: took' seen
"$ROBOTALK" repl --connect "unix:$work/r.sock" -e 'robot:set_speed{ x = 0.02 }' -e 'robot:take()' >"$work/other" &
asker=$!
eventually says 'asks to take over base and gets it in 5 s; robot:release() gives it now' seen
printf 'robot:release()\r' >&7
wait $asker
says 'BUSY: .*: robot:take() asks for it$' other
printf 'quit\r' >&7
wait $terminal

# the port is taken, by this server or by whoever had it before: the prompt opens and says that it does not serve
"$ROBOTALK" serve pioneer2 >"$work/taken" 2>&1 &
eventually says 'robotalk: ' taken
echo 'return "it " .. "opens"' | "$ROBOTALK" repl pioneer2 --serve >"$work/out" 2>&1
says 'in use; the robot is not served'
says '^it opens'
