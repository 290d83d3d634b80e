#!/bin/bash
# Driving by keys at a terminal: that it moves, stops, panics, and leaves the terminal as it was.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"

# a pipe is no terminal
refuses 'this is no terminal' "$ROBOTALK" drive "unix:$work/r.sock" </dev/null
fails 2 "$ROBOTALK" drive one two

"$ROBOTALK" serve pioneer2 --listen "unix:$work/r.sock" >"$work/served" 2>&1 &
server=$!
eventually test -S "$work/r.sock"
ask() { "$ROBOTALK" repl --connect "unix:$work/r.sock" -e "$1" 2>&1; }

# begins NAME: a program at a terminal of its own, whose keys are of descriptor 8; then its stty
export LC_ALL=C.UTF-8
begins() {
    rm -f "$work/keys.fifo"
    mkfifo "$work/keys.fifo"
    exec 8<>"$work/keys.fifo"
    printf -v command 'stty -a >%q; echo $$ >%q; %q drive %q; echo "status $?"; stty -a >%q' \
        "$work/$1.before" "$work/pid.txt" "$(realpath "$ROBOTALK")" "unix:$work/r.sock" "$work/$1.after"
    script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.fifo" >"$work/$1" &
    terminal=$!
    eventually says 'speed 0.30 m/s' "$1"
}
same_terminal() { cmp "$work/$1.before" "$work/$1.after"; }
program() { pgrep -P "$(cat "$work/pid.txt")" -x robotalk; }

begins first
says 'nobody drives it' first
# it goes as long as the key comes, and stands then
holds() { local i; for i in {1..12}; do printf "$1" >&8; sleep 0.1; done; }
holds w
moved() { [ "$(ask 'robot:state().x > 0.01')" = true ]; }
eventually moved
stands() { [ "$(ask 'robot:state().moving')" = false ]; }
eventually stands
# the space bar
printf 'd' >&8
printf ' ' >&8
panicked() { [ "$(ask 'robot:state().panic')" = true ]; }
eventually panicked
eventually says 'PANIC' first
printf r >&8
eventually says 'Sure' first
printf y >&8
eventually says 'the panic is over' first
# what others drive
"$ROBOTALK" repl --connect "unix:$work/r.sock" >"$work/other" 2>&1 \
    -e 'while robot:set_speed{ theta = 0.05 } ~= "SUCCESS" do rt.sleep(0.1) end' -e 'rt.sleep(600)' &
other=$!
driven() { [ "$(ask 'robot:state().velocity.theta > 0.04')" = true ]; }
eventually driven
busy() { sleep 1; printf w >&8; says 'BUSY' first; } # between two the key is let go
eventually busy
kill $other
wait $other || true
# the robot stops when the program does, however that is
free() {
    sleep 1
    holds a &
    local got=0 keys=$!
    [ "$(ask 'for _ = 1, 10 do if robot:state().velocity.theta > 0.1 then return true end rt.sleep(0.1) end')" = true ] || got=1
    wait $keys
    return $got
}
eventually free
kill -STOP "$(program)"
eventually stands
kill -CONT "$(program)"
printf '\003' >&8
eventually says 'status 0' first
wait $terminal
same_terminal first

# also by signals: the terminal is as it was
for signal in TERM HUP INT SEGV; do
    begins "by$signal"
    printf w >&8
    kill -$signal "$(program)"
    eventually says 'status 1' "by$signal"
    wait $terminal
    same_terminal "by$signal"
    eventually stands
done
# also when setting it is interrupted; and it waits for no output, which may be held up for ever
if command -v cc >/dev/null && ! grep -qE '__(asan|tsan)_init' "$ROBOTALK"; then
    cat >"$work/set.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <termios.h>
int tcsetattr(int fd, int how, const struct termios *to)
{
    static int calls;
    int (*real)(int, int, const struct termios *) = dlsym(RTLD_NEXT, "tcsetattr");
    if (how != TCSANOW)
        abort();
    if (calls++ % 3 < 2) {
        errno = EINTR;
        return -1;
    }
    return real(fd, how, to);
}
C
    cc -shared -fPIC -o "$work/set.so" "$work/set.c"
    LD_PRELOAD=$work/set.so begins interrupted
    printf '\003' >&8
    eventually says 'status 0' interrupted
    wait $terminal
    same_terminal interrupted
fi
# Ctrl-Z stops the robot, and then the program, which leaves its terminal to the shell; fg takes it again
mkfifo "$work/go.fifo" "$work/keys.job"
exec 9<>"$work/keys.job"
printf -v command 'set -m; stty -a >%q; %q drive %q; echo "stopped $?"; stty -a >%q; read -r _ <%q; fg; echo "status $?"; stty -a >%q' \
    "$work/job.before" "$(realpath "$ROBOTALK")" "unix:$work/r.sock" "$work/job.stopped" "$work/go.fifo" "$work/job.after"
script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.job" >"$work/job" &
terminal=$!
eventually says 'speed 0.30 m/s' job
goes_on() { printf a >&9; [ "$(ask 'robot:state().velocity.theta > 0.1')" = true ]; }
eventually goes_on
printf '\032' >&9
eventually says 'stopped 148' job
eventually stands
eventually test -s "$work/job.stopped"
cmp "$work/job.before" "$work/job.stopped"
: >"$work/job" # what is drawn from now on
echo >"$work/go.fifo"
eventually says 'speed 0.30 m/s' job
eventually goes_on
printf '\003' >&9
eventually says 'status 0' job
wait $terminal
cmp "$work/job.before" "$work/job.after"
eventually stands

# one asks for what the other drives, who keeps it, and then gives it
begins giver
first_terminal=$terminal
exec 9>&8 8>&-
hold_on() { while printf w >&9; do sleep 0.1; done; }
hold_on &
holding=$!
begins taker
asks() { printf t >&8; sleep 1; says 'asks for' giver; }
eventually asks
printf n >&9
eventually says 'not yours: ' taker
: >"$work/giver"
eventually asks
printf y >&9
eventually says 'the robot is yours' taker
eventually says 'another client drives now' giver
eventually says 'robot pioneer2: .* [0-9]* took over from .* [0-9]*$' served
takes() { printf a >&8; [ "$(ask 'robot:state().velocity.theta > 0.1')" = true ]; }
eventually takes
kill $holding
printf '\003' >&8
printf '\003' >&9
eventually says 'status 0' taker
eventually says 'status 0' giver
wait $terminal $first_terminal
same_terminal taker
same_terminal giver
exec 9>&-
# and when the server goes
begins last
kill $server
eventually says 'the link is lost' last
printf '\003' >&8
eventually says 'status 0' last
wait $terminal
same_terminal last
