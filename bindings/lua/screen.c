/* The whole terminal in Lua, for a task that shows pictures and takes keys as they are pressed: raw input, output that
 * never waits, and the terminal as it was again however the program ends or is stopped. An event "screen" comes when
 * there is input (0), or with the number of SIGTSTP, SIGCONT or SIGWINCH. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "runtime.h"
#include "robotalk/host.h"
#include "robotalk/watchers.h"

/* The other screen, no cursor; pastes and focus are reported; keys with their releases, where the terminal can
 * (kitty's keyboard protocol: that is asked for, then whether it is so, and then what any terminal answers). */
static const char BEGIN[] = "\033[?1049h\033[?25l\033[?2004h\033[?1004h\033[>11u\033[?u\033[c";
/* CAN ends a sequence that was written in part. */
static const char END[] = "\030\033[<u\033[?1004l\033[?2004l\033[0m\033[?25h\033[?1049l";

enum {
    ROOM_MS = 200
}; /* the longest wait for a terminal that takes nothing, before it is given back */

static const int told[] = { SIGTSTP, SIGCONT, SIGWINCH };
static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
enum { TOLD = sizeof told / sizeof told[0], FAULTS = sizeof faults / sizeof faults[0] };

static struct screen {
    struct runtime *rt; /* NULL: not taken */
    int fd, bell[2];    /* signals write their numbers into the bell */
    struct termios before;
    atomic_bool raw;
    robo_io *input, *rung;
    struct sigaction was[TOLD], fault[FAULTS];
} screen;

static void write_whole(const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(screen.fd, bytes, n);
        struct pollfd room = { .fd = screen.fd, .events = POLLOUT };
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && (errno != EAGAIN || poll(&room, 1, ROOM_MS) <= 0))
            return;
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
}

/* Never waits for earlier output: a terminal whose output is held up (Ctrl-S) would keep the program. */
static bool set_terminal(const struct termios *wanted)
{
    int error;
    do
        error = tcsetattr(screen.fd, TCSANOW, wanted);
    while (error != 0 && errno == EINTR);
    return error == 0;
}

/* Allowed in a handler of signals. */
void screen_restore(void)
{
    int kept = errno;
    if (atomic_exchange(&screen.raw, false)) {
        write_whole(END, sizeof END - 1);
        tcflush(screen.fd, TCIFLUSH); /* keys that are still held are no input for a shell */
        set_terminal(&screen.before);
    }
    errno = kept;
}

static bool make_raw(void)
{
    static const char POP[] = "\033[<u"; /* the requested mode of the keys is on a stack */
    struct termios raw = screen.before;
    cfmakeraw(&raw);
    if (!set_terminal(&raw)) /* typed input is kept: it may be a panic */
        return false;
    if (atomic_exchange(&screen.raw, true))
        write_whole(POP, sizeof POP - 1);
    write_whole(BEGIN, sizeof BEGIN - 1);
    return true;
}

static void on_signal(int number)
{
    int kept = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t n = write(screen.bell[1], &byte, 1);
    (void)n; /* a full bell rings anyway */
    errno = kept;
}

/* The program dies: its robots are halted first, by the handler that was there before. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    int i = 0;
    while (faults[i] != number)
        i++;
    if (screen.fault[i].sa_flags & SA_SIGINFO) {
        screen.fault[i].sa_sigaction(number, info, context);
    } else {
        sigaction(number, &screen.fault[i], NULL);
        raise(number);
    }
    screen_restore();
}

static void on_input(void *owner)
{
    (void)owner;
    robo_io_stop(screen.input); /* a read without input asks again */
    runtime_event(screen.rt, EVENT_SCREEN, 0, 0);
}

static void on_rung(void *owner)
{
    unsigned char number;
    (void)owner;
    while (read(screen.bell[0], &number, 1) == 1)
        runtime_event(screen.rt, EVENT_SCREEN, number, 0);
}

static void set_signals(bool ours)
{
    const struct sigaction tell = { .sa_handler = on_signal, .sa_flags = SA_RESTART },
                           die = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    for (int i = 0; i < TOLD; i++)
        sigaction(told[i], ours ? &tell : &screen.was[i], ours ? &screen.was[i] : NULL);
    for (int i = 0; i < FAULTS; i++)
        sigaction(faults[i], ours ? &die : &screen.fault[i], ours ? &screen.fault[i] : NULL);
}

static void let_go(void)
{
    robo_io_close(screen.input);
    robo_io_close(screen.rung);
    for (int i = 0; i < 2; i++)
        if (screen.bell[i] >= 0)
            close(screen.bell[i]);
    if (screen.fd >= 0)
        close(screen.fd);
    screen.rt = NULL;
}

void close_screen(struct runtime *rt)
{
    if (screen.rt != rt)
        return;
    screen_restore();
    set_signals(false);
    let_go();
    output_release();
}

/* core.screen(): takes the terminal: true; nil, message, code when it cannot. */
static int l_screen(lua_State *L)
{
    static bool at_exit;
    struct runtime *rt = runtime_of(L);
    need_main(L, "screen");
    runtime_need_world(L);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || robo_is_virtual(rt->world))
        return push_failure(L, ROBO_EDEVICE, "this is no terminal");
    if (screen.rt)
        return push_failure(L, ROBO_EEXISTS, "the terminal is in use");
    screen = (struct screen){ .rt = rt, .bell = { -1, -1 } };
    /* opened again: O_NONBLOCK is shared by all processes that have it open, as a shell */
    screen.fd = open("/proc/self/fd/0", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int error = screen.fd < 0 || tcgetattr(screen.fd, &screen.before) != 0 ||
                        pipe2(screen.bell, O_NONBLOCK | O_CLOEXEC) != 0
                    ? ROBO_ESYSTEM
                    : 0;
    if (!error) {
        screen.input = robo_io_open(rt->loop, screen.fd, ROBO_IO_READ, on_input, NULL);
        screen.rung = robo_io_open(rt->loop, screen.bell[0], ROBO_IO_READ, on_rung, NULL);
        error = !screen.input || !screen.rung ? ROBO_ENOMEM : !make_raw() ? ROBO_ESYSTEM : 0;
    }
    if (error) {
        int why = errno;
        let_go();
        errno = why;
        return push_failure(L, error, NULL);
    }
    if (!at_exit)
        atexit(screen_restore);
    at_exit = true;
    set_signals(true);
    output_hold();
    robo_io_start(screen.input);
    robo_io_start(screen.rung);
    lua_pushboolean(L, 1);
    return 1;
}

/* core.screen_off(): the terminal as it was. */
static int l_screen_off(lua_State *L)
{
    need_main(L, "screen_off");
    close_screen(runtime_of(L));
    return 0;
}

static void need_screen(lua_State *L)
{
    need_main(L, "screen");
    if (screen.rt != runtime_of(L))
        luaL_error(L, "nobody has the terminal");
}

/* core.screen_read(): keys as bytes; false: none, an event will come; nil: the terminal is gone. */
static int l_screen_read(lua_State *L)
{
    char bytes[1024];
    need_screen(L);
    ssize_t n = read(screen.fd, bytes, sizeof bytes);
    if (n > 0) {
        lua_pushlstring(L, bytes, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        lua_pushnil(L);
    } else {
        robo_io_start(screen.input);
        lua_pushboolean(L, 0);
    }
    return 1;
}

/* core.screen_write(bytes): how many the terminal has taken, without waiting. */
static int l_screen_write(lua_State *L)
{
    size_t n;
    const char *bytes = luaL_checklstring(L, 1, &n);
    need_screen(L);
    ssize_t written = n > 0 ? write(screen.fd, bytes, n) : 0;
    lua_pushinteger(L, written > 0 ? written : 0);
    return 1;
}

/* core.screen_size(): columns, rows; without a screen of the output, if that is a terminal. */
static int l_screen_size(lua_State *L)
{
    struct winsize size = { 0 };
    const int fd = screen.rt == runtime_of(L) ? screen.fd : STDOUT_FILENO;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
    lua_pushinteger(L, size.ws_col);
    lua_pushinteger(L, size.ws_row);
    return 2;
}

/* core.screen_pause(): the terminal as it was, and the program is stopped (Ctrl-Z), until its shell lets it go on.
 * core.screen_resume(): it was stopped by others, and goes on. */
static int l_screen_pause(lua_State *L)
{
    need_screen(L);
    screen_restore();
    sigaction(SIGTSTP, &screen.was[0], NULL);
    raise(SIGTSTP);
    unsigned char number;
    while (read(screen.bell[0], &number, 1) == 1) {
    }
    sigaction(SIGTSTP, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART },
              NULL);
    lua_pushboolean(L, make_raw());
    return 1;
}

static int l_screen_resume(lua_State *L)
{
    need_screen(L);
    lua_pushboolean(L, make_raw());
    return 1;
}

void open_screen(lua_State *L)
{
    set_function(L, "screen", l_screen);
    set_function(L, "screen_off", l_screen_off);
    set_function(L, "screen_read", l_screen_read);
    set_function(L, "screen_write", l_screen_write);
    set_function(L, "screen_size", l_screen_size);
    set_function(L, "screen_pause", l_screen_pause);
    set_function(L, "screen_resume", l_screen_resume);
}
