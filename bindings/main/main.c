/* The program: a runtime and the embedded script robotalk/cli/init.lua, which runs the verbs. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime.h"
#include "robotalk/emergency.h"

static int on_error(lua_State *L)
{
    const char *message = lua_tostring(L, 1);
    luaL_traceback(L, L, message ? message : luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

/* package.loaded[module][function](), if there are such, for C strings: whether it went well. */
static int l_call(lua_State *L)
{
    bool good = true;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, lua_touserdata(L, 1)) == LUA_TTABLE &&
        lua_getfield(L, -1, lua_touserdata(L, 2)) == LUA_TFUNCTION) {
        lua_call(L, 0, 1);
        good = lua_isnil(L, -1) || lua_toboolean(L, -1);
    }
    lua_pushboolean(L, good);
    return 1;
}

static bool call(lua_State *L, const char *module, const char *function)
{
    slice_begin(runtime_of(L)); /* whatever the script has computed before */
    lua_pushcfunction(L, l_call);
    lua_pushlightuserdata(L, (void *)(uintptr_t)module);
    lua_pushlightuserdata(L, (void *)(uintptr_t)function);
    const bool good = lua_pcall(L, 2, 1, 0) == LUA_OK && lua_toboolean(L, -1);
    lua_pop(L, 1);
    return good;
}

enum { MEMORY_TO_END = 64 << 20 };

static lua_State *ending; /* the end of the program runs on it, once; NULL: that has begun */

/* However the program ends: drivers that are scripts halt, and close, while they have their ports; robots halt, and drawing for their
 * cameras ends; then files are finished, which may take long. A callee may call os.exit itself, from which this goes on: a driver
 * that does so is not called again, and others are. false: a file could not be finished, which was reported. */
static bool end_run(lua_State *L)
{
    static enum { WORLD, FILES, NOTHING } next;
    struct runtime *rt = runtime_of(L);
    /* an exiting script goes on with nothing, and has perhaps used up its stack, or all memory
     * that it may have */
    if (ending) {
        L = ending;
        ending = NULL;
        atomic_store(&rt->running, L);
        rt->in_task = rt->ending = false;
        rt->closing = rt->chances = 0;
        rt->memory_most += MEMORY_TO_END;
    }
    if (next == WORLD) {
        call(L, "robotalk.drivers", "shut_down");
        next = FILES;
        runtime_close_world(rt);
    }
    if (next == NOTHING)
        return true;
    next = NOTHING;
    return call(L, "robotalk.cli.script", "finish");
}

/* The program's exit status: 1 instead of 0 when its output could not be written, which is reported. */
static int end_output(int status)
{
    const int error = output_end();
    if (error != 0 && error != EPIPE) /* a reader that has closed the pipe knows */
        fprintf(stderr, "robotalk: error: the output cannot be written: %s\n", strerror(error));
    fflush(NULL);
    return error != 0 && status == 0 ? 1 : status;
}

/* os.exit([code]), which does not return to its caller; exit() would unload the libraries under threads that still draw. */
static int leave(lua_State *L)
{
    const int status =
        lua_isboolean(L, 1) ? !lua_toboolean(L, 1) : (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
    const bool good = end_run(L);
    _exit(end_output(good || status != 0 ? status : EXIT_FAILURE));
}

/* argc and argv as a list; require "robotalk.cli"(list) -> exit status, and the signal that has ended the program */
static int run(lua_State *L)
{
    int argc = (int)lua_tointeger(L, 1);
    char **argv = lua_touserdata(L, 2);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "robotalk.cli");
    lua_call(L, 1, 1);
    lua_createtable(L, argc, 0);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i);
    }
    lua_call(L, 1, 2);
    return 2;
}

enum { LEAST_STACK = 1 << 20 };

/* Threads have by default the limit of the main thread's stack: where that is too little, it and they get more; false: the system
 * does not allow that. */
static bool widen_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LEAST_STACK)
        return true;
    limit.rlim_cur = LEAST_STACK;
    pthread_attr_t threads;
    pthread_attr_init(&threads);
    pthread_attr_setstacksize(&threads, LEAST_STACK);
    pthread_setattr_default_np(&threads);
    pthread_attr_destroy(&threads);
    return limit.rlim_max >= LEAST_STACK && setrlimit(RLIMIT_STACK, &limit) == 0;
}

int main(int argc, char **argv)
{
    if (!widen_stack()) {
        fprintf(
            stderr,
            "robotalk: error: the stack is limited to less than 1 MiB: expected more by ulimit -s, "
            "prlimit --stack or LimitSTACK of systemd\n");
        return 1;
    }
#ifdef M_MMAP_THRESHOLD
    /* Large blocks go back to the system when they are freed. By default malloc keeps blocks as large as the largest that was freed, below
       others that are in use: a server had 10 to 20 MB more after storms of clients. */
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
#endif
    static char fault_stack[ROBO_EMERGENCY_STACK];
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of the write, not a signal */
    robo_emergency_stack(fault_stack);
    robo_emergency_on_faults();
    atexit(robo_emergency_write); /* a library may exit: devices that are still open are halted */
    struct runtime *rt = runtime_open(NULL);
    if (!rt) {
        fprintf(stderr, "robotalk: not enough memory\n");
        return 70;
    }
    lua_State *L = rt->L;
    lua_getglobal(L, "os");
    lua_pushcfunction(L, leave);
    lua_setfield(L, -2, "exit");
    lua_pop(L, 1);
    ending = lua_newthread(L);
    lua_pushcfunction(L, on_error);
    lua_pushcfunction(L, run);
    lua_pushinteger(L, argc);
    lua_pushlightuserdata(L, argv);
    int status = 70; /* EX_SOFTWARE: an internal error */
    int ended_by = 0;
    const int error = lua_pcall(L, 2, 2, 2);
    const bool good = end_run(L);
    if (error == LUA_OK) {
        status = (int)lua_tointeger(L, -2);
        ended_by = (int)lua_tointeger(L, -1);
    } else {
        fprintf(stderr, "robotalk: %s%s\n", error == LUA_ERRMEM ? rt->place : "",
                lua_tostring(L, -1));
    }
    runtime_close(rt);
    status = end_output(good || status != 0 ? status : EXIT_FAILURE);
    if (ended_by != 0)
        end_by_signal(ended_by);
    return status;
}
