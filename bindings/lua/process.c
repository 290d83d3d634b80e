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

const int ending_signal[ENDINGS] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction before[ENDINGS]; /* their actions before core.hear_signals */
static bool hearing;
static struct runtime *signalled; /* the runtime that gets them; NULL: none, they do nothing */
static struct watched *told;      /* it is to end; while the handlers stand */

/* Whether they come to this thread, and to threads and programs that it starts from now on; how it was before. They are the
 * watchdog's: a script that computes gets no processor on a busy machine when robots must halt. */
static sigset_t let_in(bool in)
{
    sigset_t set, was;
    sigemptyset(&set);
    for (int i = 0; i < ENDINGS; i++)
        sigaddset(&set, ending_signal[i]);
    pthread_sigmask(in ? SIG_UNBLOCK : SIG_BLOCK, &set, &was);
    return was;
}

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
        sigaction(ending_signal[i], NULL, &before[i]);
        /* nohup: the program shall outlive the terminal */
        if (ending_signal[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
            sigaction(ending_signal[i], &action, NULL);
    }
    hearing = true;
    let_in(false);
}

void close_process(struct runtime *rt)
{
    if (signalled == rt)
        signalled = NULL;
}

void restore_signals(void)
{
    for (int i = 0; i < ENDINGS && hearing && !signalled; i++)
        sigaction(ending_signal[i], &before[i], NULL);
    hearing = signalled != NULL;
    if (!hearing)
        let_in(true);
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

/* core.hear_signals([prompts]): signals that end a program halt robots and become events "signal", number, until the world is
 * closed, and a computing script is cut off. prompts: SIGINT ends the work of a typed line, and not the program. Call it again
 * after a signal was handled and the program goes on. */
static int l_hear_signals(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    need_main(L, "hear_signals");
    if (!watchdog_start(rt))
        return luaL_error(L, "the watchdog cannot be started");
    watchdog_forget(&rt->watched);
    atomic_store(&rt->watched.prompts, lua_toboolean(L, 1));
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
    const sigset_t was = let_in(true);
    execv(path, (char *const *)argv);
    pthread_sigmask(SIG_SETMASK, &was, NULL);
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
    const sigset_t was = let_in(true);
    int error = posix_spawn(&child, "/bin/sh", NULL, &attributes, argv, environ), status = 0;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    posix_spawnattr_destroy(&attributes);
    while (!error && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            error = errno;
    errno = error;
    return error ? luaL_fileresult(L, 0, NULL) : luaL_execresult(L, status);
}

/* io.popen, whose programs get signals. */
static int l_popen(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    const sigset_t was = let_in(true);
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

/* core.blocks(whether): whether the script waits for a program that a signal gives all the time to end. */
static int l_blocks(lua_State *L)
{
    atomic_store(&runtime_of(L)->watched.blocks, lua_toboolean(L, 1));
    return 0;
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
    set_function(L, "execute", l_execute);
    lua_getglobal(L, "io");
    lua_getfield(L, -1, "popen");
    lua_pushcclosure(L, l_popen, 1);
    lua_setfield(L, -2, "popen");
    lua_pop(L, 2);
    set_function(L, "hear_signals", l_hear_signals);
    set_function(L, "run_beside", l_run_beside);
    set_function(L, "uptime", l_uptime);
    set_function(L, "blocks", l_blocks);
}
