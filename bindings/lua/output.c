/* Output of the program: writing to stdout and stderr waits for the reader; writing to the log never waits, since the
 * caller controls robots. Log lines that find no room are left out and counted. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "log_format.h"
#include "runtime.h"
#include "robotalk/host.h"
#include "robotalk/watchers.h"

static atomic_int output_error; /* the first errno of the output */

/* guards log_to, held and prompt; never held during a blocking call */
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- while a picture or a prompt has the terminal ---- */

/* Output to a terminal that shows a picture waits until that is over. So do lines of the log, of any thread, until the
 * prompt's loop hides the line that is being typed; without room the end is left out. */
/* guarded by log_mutex */
static struct held {
    bool on;
    size_t n;
    char text[1 << 14];
} held;
static robo_async *prompt; /* has the loop write lines of the log; NULL: nothing is being typed */

/* With the log's mutex: text waits. */
static void keep(const char *text, size_t n)
{
    if (n > sizeof held.text - held.n)
        n = sizeof held.text - held.n;
    memcpy(held.text + held.n, text, n);
    held.n += n;
}

/* Writes the output that has waited; not while a line is being typed. */
static void write_held(void)
{
    char text[sizeof held.text];
    pthread_mutex_lock(&log_mutex);
    const size_t n = held.on ? 0 : held.n;
    memcpy(text, held.text, n);
    held.n -= n;
    pthread_mutex_unlock(&log_mutex);
    fwrite(text, 1, n, stderr);
}

void output_show(void)
{
    const bool typing = prompt_hide();
    write_held();
    if (typing)
        prompt_show();
}

void output_prompt(robo_async *async)
{
    pthread_mutex_lock(&log_mutex);
    prompt = async;
    pthread_mutex_unlock(&log_mutex);
}

void output_hold(void)
{
    pthread_mutex_lock(&log_mutex);
    held.on = true;
    pthread_mutex_unlock(&log_mutex);
}

void output_release(void)
{
    pthread_mutex_lock(&log_mutex);
    held.on = false;
    pthread_mutex_unlock(&log_mutex);
    write_held();
}

/* ---- output ---- */

/* A line that is being typed is hidden during output and shown again afterwards. */
static bool write_out(lua_State *L, FILE *f, const char *text, size_t n)
{
    pthread_mutex_lock(&log_mutex);
    const bool waits = held.on && isatty(fileno(f));
    if (waits)
        keep(text, n);
    pthread_mutex_unlock(&log_mutex);
    if (waits)
        return true;
    bool typing = !runtime_of(L)->name && prompt_hide();
    if (typing)
        write_held();
    bool failed = fwrite(text, 1, n, f) != n || fflush(f) != 0;
    if (failed && f == stdout && output_error == 0)
        output_error = errno;
    if (typing)
        prompt_show();
    return !failed;
}

/* core.say(file, text): to "out" or "err"; false: the reader is gone. */
static int l_say(lua_State *L)
{
    static const char *const files[] = { "out", "err", NULL };
    FILE *f = luaL_checkoption(L, 1, NULL, files) == 0 ? stdout : stderr;
    size_t n;
    const char *text = luaL_checklstring(L, 2, &n);
    lua_pushboolean(L, write_out(L, f, text, n));
    return 1;
}

/* Lua's print, which also hides the line that is being typed. */
static int l_print(lua_State *L)
{
    int count = lua_gettop(L);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&b, '\t');
        luaL_tolstring(L, i, NULL);
        luaL_addvalue(&b);
    }
    luaL_addchar(&b, '\n');
    luaL_pushresult(&b);
    size_t n;
    const char *text = lua_tolstring(L, -1, &n);
    write_out(L, stdout, text, n);
    return 0;
}

/* ---- the log ---- */

/* The log's descriptor, determined with its first line. A pipe or a terminal may be full for ever, and O_NONBLOCK is
 * shared by all processes that have it open; so the log opens it again for itself where it can. */
static struct log {
    enum { LOG_UNKNOWN, LOG_FILE, LOG_SOCKET, LOG_OWN, LOG_SHARED } kind;
    int fd;
    unsigned left_out;
    bool cut;                    /* the last line was written in part */
    bool journals;               /* journald reads it */
    const robo_world *simulated; /* whose time the lines have; NULL: real time */
} log_to;

enum { STAMP = 64 }; /* bytes of a line's time */

/* Whether systemd has connected standard error with its journal, and nobody has replaced it since (systemd.exec(5)). */
static bool is_journals(const struct stat *s)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, node;
    return stream && sscanf(stream, "%llu:%llu", &device, &node) == 2 && s->st_dev == device &&
           s->st_ino == node;
}

static void find_log(struct log *log)
{
    struct stat s;
    log->fd = STDERR_FILENO;
    log->kind = LOG_FILE;
    log->journals = false;
    if (fstat(STDERR_FILENO, &s) != 0)
        return;
    log->journals = is_journals(&s);
    if (S_ISREG(s.st_mode))
        return;
    int own = -1;
    if (S_ISSOCK(s.st_mode))
        log->kind = LOG_SOCKET;
    else if ((own = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) >= 0)
        log->kind = LOG_OWN;
    else
        log->kind = LOG_SHARED;
    if (own >= 0)
        log->fd = own;
}

/* The time at which a line is logged, with a blank behind it: of a simulated world its own, "+12.345678 "; else UTC,
 * "2026-11-22T13:08:08.123Z ". The C library's calendar reads files and takes locks, so the date is computed here. */
static size_t put_time(const struct log *log, char stamp[STAMP])
{
    if (log->simulated) {
        robo_time now = robo_now(log->simulated);
        return (size_t)snprintf(stamp, STAMP, "+%lld.%06d ", (long long)(now / 1000000000),
                                (int)(now % 1000000000 / 1000));
    }
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    const int64_t second = (t.tv_sec % 86400 + 86400) % 86400; /* a clock may stand before 1970 */
    const int64_t day = (t.tv_sec - second) / 86400;
    /* eras of 400 years that begin with March, so that a leap day is the last of a year */
    int64_t days = day + 719468, era = days / 146097, of_era = days % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100),
            month = (5 * of_year + 2) / 153;
    return (size_t)snprintf(
        stamp, STAMP, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ ",
        (int)(year + era * 400 + (month >= 10)), (int)(month < 10 ? month + 3 : month - 9),
        (int)(of_year - (153 * month + 2) / 5 + 1), (int)(second / 3600), (int)(second / 60 % 60),
        (int)(second % 60), (int)(t.tv_nsec / 1000000));
}

/* guarded by log_mutex: of all lines; and the newest line in another format than text */
static enum log_format chosen;
static struct log_made made;

static enum log_format format_of(const struct log *log)
{
    return chosen != LOG_ANY ? chosen : log->journals ? LOG_JOURNAL : LOG_TEXT;
}

/* In place of the stamp and the text: none, and the line in its format. */
static void make(const struct log *log, const struct log_about *about, char stamp[STAMP],
                 size_t *stamped, const char **text, size_t *n)
{
    const enum log_format format = format_of(log);
    *stamped = put_time(log, stamp);
    if (format == LOG_TEXT)
        return;
    made.most = log->kind == LOG_SHARED ? 4000 : sizeof made.text;
    log_make(&made, format, about, stamp, *stamped - 1, *text, *n);
    *stamped = 0;
    *text = made.text;
    *n = made.n;
}

void output_robot(const char *name)
{
    pthread_mutex_lock(&log_mutex);
    log_know(name);
    pthread_mutex_unlock(&log_mutex);
}

/* Bytes of the stamp and the text that were written without waiting, or -1. */
static ssize_t write_now(struct log *log, struct iovec part[2])
{
    struct pollfd room = { .fd = log->fd, .events = POLLOUT };
    if (log->kind == LOG_SOCKET)
        return sendmsg(log->fd, &(struct msghdr){ .msg_iov = part, .msg_iovlen = 2 },
                       MSG_DONTWAIT | MSG_NOSIGNAL);
    /* a pipe of another owner: a write of at most one page does not wait, unless another writer is faster */
    if (log->kind == LOG_SHARED && (poll(&room, 1, 0) <= 0 || !(room.revents & POLLOUT)))
        return -1;
    if (log->kind == LOG_SHARED && part[1].iov_len > 4096 - part[0].iov_len)
        part[1].iov_len = 4096 - part[0].iov_len;
    return writev(log->fd, part, 2);
}

static bool write_line(struct log *log, const struct log_about *about, const char *text, size_t n)
{
    char stamp[STAMP + 1] = "\n";
    const char *begin = log->cut ? stamp : stamp + 1;
    size_t size;
    make(log, about, stamp + 1, &size, &text, &n);
    size += log->cut;
    struct iovec part[2] = { { (void *)begin, size }, { (void *)text, n } };
    ssize_t written = write_now(log, part);
    if (written > 0)
        log->cut = (size_t)written < size + n;
    return written == (ssize_t)(size + n);
}

/* Logs the number of omitted lines as soon as possible. */
static bool tell_left_out(struct log *log)
{
    char line[80];
    if (log->left_out == 0)
        return true;
    int n = snprintf(line, sizeof line,
                     "robotalk: warning: %u lines of the log were left out: nobody read it\n",
                     log->left_out);
    if (!write_line(log, &(struct log_about){ 0 }, line, (size_t)n))
        return false;
    log->left_out = 0;
    return true;
}

void output_world(const robo_world *world)
{
    pthread_mutex_lock(&log_mutex);
    log_to.simulated = world && robo_is_virtual(world) ? world : NULL;
    pthread_mutex_unlock(&log_mutex);
}

static void log_line(const struct log_about *about, const char *text, size_t n)
{
    pthread_mutex_lock(&log_mutex);
    if (log_to.kind == LOG_UNKNOWN)
        find_log(&log_to);
    if ((held.on || prompt) && isatty(STDERR_FILENO)) {
        char stamp[STAMP] = "";
        size_t stamped;
        make(&log_to, about, stamp, &stamped, &text, &n);
        keep(stamp, stamped);
        keep(text, n);
        if (!held.on)
            robo_async_post(prompt);
    } else if (!tell_left_out(&log_to) || !write_line(&log_to, about, text, n))
        log_to.left_out++;
    pthread_mutex_unlock(&log_mutex);
}

void output_log(const char *text, size_t n)
{
    log_line(&(struct log_about){ 0 }, text, n);
}

/* core.log(text, robot, client): a line to the log; never waits. Names that are nil are looked for in the text. */
static int l_log(lua_State *L)
{
    struct log_about about = { 0 };
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    about.robot = luaL_optlstring(L, 2, NULL, &about.robot_n);
    about.client = luaL_optlstring(L, 3, NULL, &about.client_n);
    log_line(&about, text, n);
    return 0;
}

/* core.log_format(name): "text", "journal" or "json" from now on; without one whether it is another one than text. */
static int l_log_format(lua_State *L)
{
    static const char *const names[] = { "text", "journal", "json", NULL };
    const int format =
        lua_isnoneornil(L, 1) ? LOG_ANY : LOG_TEXT + luaL_checkoption(L, 1, NULL, names);
    pthread_mutex_lock(&log_mutex);
    if (format != LOG_ANY)
        chosen = (enum log_format)format;
    if (log_to.kind == LOG_UNKNOWN)
        find_log(&log_to);
    lua_pushboolean(L, format_of(&log_to) != LOG_TEXT);
    pthread_mutex_unlock(&log_mutex);
    return 1;
}

int output_end(void)
{
    tell_left_out(&log_to);
    if (log_to.kind == LOG_OWN)
        close(log_to.fd);
    log_to = (struct log){ .kind = LOG_UNKNOWN };
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && output_error == 0)
        output_error = errno ? errno : EIO;
    return output_error;
}

void open_output(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "say", l_say }, { "log", l_log }, { "log_format", l_log_format }, { NULL, NULL }
    };
    luaL_setfuncs(L, functions, 0);
    lua_pushcfunction(L, l_print);
    lua_setglobal(L, "print");
}
