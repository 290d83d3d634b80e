#!/bin/bash
# A gamepad at a terminal: a recording in real time, and a device of the system, whose calls a library answers: its events come by a
# FIFO, whose end is that of the device.
. "${BASH_SOURCE%/*}/lib.sh"
command -v script >/dev/null || skip "there is no script(1) here"

"$ROBOTALK" drive --gamepad=list >"$work/out"
refuses 'this is no terminal' "$ROBOTALK" drive --gamepad pioneer2 </dev/null # pioneer2 is the robot
refuses 'mapping is of a gamepad' "$ROBOTALK" drive --mapping x.lua
cat >"$work/pad.evemu" <<'END'
N: Recorded
B: 00 0b 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 81 00
B: 03 03 00 00 00 00 00 00 00
A: 00 -127 127 0 0
A: 01 -127 127 0 0
E: 1.0 0001 0137 1
E: 1.0 0000 0000 0
E: 1.5 0003 0001 -127
E: 1.5 0000 0000 0
E: 5.0 0000 0000 0
END

"$ROBOTALK" serve pioneer2 --listen "unix:$work/r.sock" >"$work/served" 2>&1 &
eventually test -S "$work/r.sock"
ask() { [ "$("$ROBOTALK" repl --connect "unix:$work/r.sock" -e "$1" 2>&1)" = true ]; }
goes() { ask 'robot:state().velocity.x > 0.1'; }
stands() { ask 'not robot:state().moving'; }

# begins NAME DEVICE: drives at a terminal, whose keys are of descriptor 8; 9 is of events
export LC_ALL=C.UTF-8
mkfifo "$work/keys.fifo"
exec 8<>"$work/keys.fifo"
begins() {
    printf -v command '%q drive --gamepad=%q %q; echo "status $?"' "$(realpath "$ROBOTALK")" "$2" "unix:$work/r.sock"
    script -qfc "exec bash -c $(printf %q "$command")" /dev/null <"$work/keys.fifo" >"$work/$1" 9>&- &
    terminal=$!
    eventually says 'hold r1 to drive\|: drives\|unplugged' "$1"
}
ends() {
    printf '\003' >&8
    eventually says 'status 0' "$1"
    wait $terminal
}

begins recorded "$work/pad.evemu"
eventually says 'Recorded: it was unplugged' recorded
ask 'robot:state().x > 0.1'
eventually stands
ends recorded

if command -v cc >/dev/null && command -v python3 >/dev/null && ! grep -qE '__(asan|tsan)_init' "$ROBOTALK"; then
    cat >"$work/pad.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
static int pad = -1;
int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list list;
    va_start(list, flags);
    const int mode = va_arg(list, int);
    va_end(list);
    if (strcmp(path, "/dev/input/event77") != 0)
        return real(path, flags, mode);
    return pad = real(getenv("PAD"), flags);
}
int ioctl(int fd, unsigned long request, ...)
{
    int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    va_list list;
    va_start(list, request);
    unsigned char *to = va_arg(list, unsigned char *);
    va_end(list);
    if (fd != pad || pad < 0)
        return real(fd, request, to);
    const unsigned number = _IOC_NR(request), size = _IOC_SIZE(request);
    memset(to, 0, size);
    if (number == _IOC_NR(EVIOCGNAME(0)))
        strcpy((char *)to, "Preloaded");
    if (number == _IOC_NR(EVIOCGBIT(0, 0)))
        to[0] = 0x0b;
    if (number == _IOC_NR(EVIOCGBIT(EV_KEY, 0)))
        to[BTN_SOUTH / 8] |= 0x81;
    if (number == _IOC_NR(EVIOCGBIT(EV_ABS, 0)))
        to[0] = 3;
    if (number >= _IOC_NR(EVIOCGABS(0)))
        *(struct input_absinfo *)to = (struct input_absinfo){ .minimum = -127, .maximum = 127 };
    return (int)size;
}
C
    cc -shared -fPIC -o "$work/pad.so" "$work/pad.c"
    mkfifo "$work/events"
    exec 9<>"$work/events"
    event() { python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("qqHHi", 0, 0, *map(int, sys.argv[1:])) + bytes(24))' "$@" >&9; }
    export PAD=$work/events LD_PRELOAD=$work/pad.so
    "$ROBOTALK" drive --gamepad=list >"$work/out"
    says '^/dev/input/event77  gamepad   Preloaded$'
    begins device auto
    unset LD_PRELOAD
    event 3 1 -127
    sleep 1
    stands
    event 3 1 0
    event 1 311 1
    event 3 1 -127
    eventually goes
    event 1 311 0
    eventually stands
    event 3 1 0
    event 1 311 1
    event 3 1 -127
    eventually goes
    exec 9>&-
    eventually says 'stopped: Preloaded: it was unplugged' device
    eventually stands
    # it is plugged in again
    exec 9<>"$work/events"
    : >"$work/device"
    eventually says 'hold r1 to drive' device
    event 1 311 1
    event 3 1 -127
    eventually goes
    ends device
fi
