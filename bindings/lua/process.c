/* The process around the script: signals of the system, other programs. One runtime, the program's main one, handles
 * the signals that end a program: SIGINT, SIGTERM, SIGHUP (a terminal that was closed), SIGQUIT. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime.h"
#include "clock.h"

enum { ENDINGS = 4 };
static const int ending[ENDINGS] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction before[ENDINGS]; /* their actions before core.hear_signals */
static bool hearing;
static struct runtime *signalled; /* the runtime that gets them; NULL: none, they do nothing */
static struct watched *told;      /* it is to end; while the handlers stand */

static void on_system_signal(int number)
{
    struct runtime *rt = signalled;
    int was = errno;
    /* atomics and writes: allowed in a handler */
    watchdog_signal(told, number);
    if (rt) {
        atomic_store(&rt->signal_number, number);
        atomic_store(&rt->signal_waits, true);
        robo_loop_wake(rt->loop);
    }
    errno = was;
}

static void hear(struct runtime *rt)
{
    const struct sigaction action = { .sa_handler = on_system_signal };
    signalled = rt;
    told = &rt->watched;
    for (int i = 0; i < ENDINGS && !hearing; i++) {
        sigaction(ending[i], NULL, &before[i]);
        /* nohup: the program shall outlive the terminal */
        if (ending[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
    hearing = true;
}

void close_process(struct runtime *rt)
{
    if (signalled == rt)
        signalled = NULL;
}

void restore_signals(void)
{
    for (int i = 0; i < ENDINGS && hearing && !signalled; i++)
        sigaction(ending[i], &before[i], NULL);
    hearing = signalled != NULL;
}

void end_by_signal(int number)
{
    /* SIGQUIT would leave a core file, but everything was put in order */
    prctl(PR_SET_DUMPABLE, 0);
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number);
}

/* core.hear_signals(): signals that end a program become events "signal", number, until the world is closed, and a
 * computing script is cut off. Call it again after a signal was handled and the program goes on. */
static int l_hear_signals(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    need_main(L, "hear_signals");
    if (!watchdog_start(rt))
        return luaL_error(L, "the watchdog cannot be started");
    watchdog_forget(&rt->watched);
    hear(rt);
    return 0;
}

/* core.run_beside(program, { argument, … }): replaces this process by the program in the same folder; returns only an
 * error. */
static int l_run_beside(lua_State *L)
{
    const char *program = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_Integer count = luaL_len(L, 2);
    luaL_argcheck(L, count < 1000, 2, "too many arguments");
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    char *name = strrchr(path, '/');
    if (!name || (size_t)(name - path) + strlen(program) + 2 > sizeof path)
        return luaL_error(L, "cannot tell where this program lies");
    strcpy(name + 1, program);
    luaL_checkstack(L, (int)count + 8, "too many arguments");
    const char **argv = lua_newuserdatauv(L, (size_t)(count + 2) * sizeof(*argv), 0);
    argv[0] = program;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 2, i); /* stays on the stack, and so alive */
        argv[i] = luaL_checkstring(L, -1);
    }
    argv[count + 1] = NULL;
    fflush(NULL);
    execv(path, (char *const *)argv);
    lua_pushfstring(L, "%s: %s", path, strerror(errno));
    return 1;
}

/* os.execute(command) of Lua, without system(3), which ignores SIGINT and SIGQUIT while the command runs: Ctrl-C would
 * end the command, and the script would go on driving. */
static int l_execute(lua_State *L)
{
    const char *command = luaL_optstring(L, 1, NULL);
    if (!command) {
        lua_pushboolean(L, access("/bin/sh", X_OK) == 0);
        return 1;
    }
    char *const argv[] = { "sh", "-c", (char *)(uintptr_t)command, NULL };
    posix_spawnattr_t attributes;
    sigset_t ignored; /* ignored by this program, and not by its children */
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    pid_t child;
    errno = posix_spawnattr_init(&attributes);
    if (errno)
        return luaL_fileresult(L, 0, NULL);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(&child, "/bin/sh", NULL, &attributes, argv, environ), status = 0;
    posix_spawnattr_destroy(&attributes);
    while (!error && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            error = errno;
    errno = error;
    return error ? luaL_fileresult(L, 0, NULL) : luaL_execresult(L, status);
}

/* core.uptime(): seconds of the machine's clock since it was started, also in a simulated world. */
static int l_uptime(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)clock_read(CLOCK_MONOTONIC) * 1e-9);
    return 1;
}

void open_process(lua_State *L)
{
    lua_getglobal(L, "os");
    lua_pushcfunction(L, l_execute);
    lua_setfield(L, -2, "execute");
    lua_pop(L, 1);
    static const luaL_Reg functions[] = {
        { "hear_signals", l_hear_signals },
        { "run_beside", l_run_beside },
        { "uptime", l_uptime },
        { NULL, NULL },
    };
    luaL_setfuncs(L, functions, 0);
}
