/* Machines in one test (core/net/lan.c): core.lan, of which scripts/robotalk/lab.lua makes networks with names. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "robotalk/test.h"
#include "runtime.h"
#include "table.h"

static const char LAN[] = "robotalk.lan";

struct lan {
    robo_test_lan *lan; /* NULL: closed */
};

static robo_test_lan *check_open(lua_State *L)
{
    struct lan *l = luaL_checkudata(L, 1, LAN);
    luaL_argcheck(L, l->lan, 1, "it is closed");
    return l->lan;
}

static unsigned check_machine(lua_State *L)
{
    const lua_Integer n = luaL_checkinteger(L, 2);
    luaL_argcheck(L, n >= 0 && n < ROBO_TEST_MACHINES, 2, "want a machine, 0 to 63");
    return (unsigned)n;
}

/* core.lan{ delay =, jitter = seconds, loss = a share, rate = bytes a second, window = bytes, seed = }. nil, message, code. */
static int l_lan(lua_State *L)
{
    struct robo_test_lag lag;
    check_lag(L, &lag);
    struct lan *l = lua_newuserdatauv(L, sizeof *l, 0);
    l->lan = NULL;
    luaL_setmetatable(L, LAN);
    const int error = robo_test_lan_open(&lag, &l->lan);
    luaL_argcheck(L, error != ROBO_EINVAL, 1, "want a link that can be");
    return error < 0 ? push_failure(L, error, NULL) : 1;
}

/* lan:plug(machine): true; nil, message, code. */
static int l_plug(lua_State *L)
{
    robo_test_lan *l = check_open(L);
    const unsigned machine = check_machine(L);
    const int error = robo_test_lan_plug(l, machine), cause = errno;
    luaL_argcheck(L, error != ROBO_EEXISTS, 2, "it is there already");
    const char *why =
        error == ROBO_EROLE
            ? "a machine is a network namespace with a tap device: it needs CAP_SYS_ADMIN, CAP_NET_ADMIN and "
              "read and write access to /dev/net/tun; be root, or run it by `unshare -rn`"
        : error == ROBO_EDEVICE ? "a machine needs /dev/net/tun, which is not there: modprobe tun"
                                : strerror(cause);
    return push_done(L, error, why);
}

/* lan:run(machine, { program, argument, … }, file): a process there, by its number, whose output goes to that file. nil, message, code. */
static int l_run(lua_State *L)
{
    robo_test_lan *l = check_open(L);
    const unsigned machine = check_machine(L);
    luaL_checktype(L, 3, LUA_TTABLE);
    const char *file = luaL_checkstring(L, 4);
    const lua_Integer count = luaL_len(L, 3);
    luaL_argcheck(L, count >= 1 && count < 1000, 3, "want a program and its arguments");
    luaL_checkstack(L, (int)count + 8, "too many arguments");
    const char **argv = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *argv, 0);
    for (lua_Integer i = 0; i < count; i++) {
        lua_rawgeti(L, 3, i + 1); /* stays on the stack, and so alive */
        argv[i] = luaL_checkstring(L, -1);
    }
    argv[count] = NULL;
    const int out = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0)
        return push_failure(L, ROBO_ESYSTEM, strerror(errno));
    const int process = robo_test_lan_run(l, machine, (char *const *)argv, out);
    close(out);
    if (process < 0)
        return push_failure(L, (int)process,
                            process == ROBO_EINVAL ? "there is no such machine" : NULL);
    lua_pushinteger(L, process);
    return 1;
}

static int l_unplug(lua_State *L)
{
    robo_test_lan_unplug(check_open(L), check_machine(L));
    return 0;
}

/* lan:group(machine, number) */
static int l_group(lua_State *L)
{
    robo_test_lan *l = check_open(L);
    const lua_Integer group = luaL_checkinteger(L, 3);
    luaL_argcheck(L, group >= 0 && group < UINT32_MAX, 3, "want a number of a group");
    robo_test_lan_group(l, check_machine(L), (unsigned)group);
    return 0;
}

/* lan:signal(process, number): true, with 0 whether it runs; nil, message, "ENONE". */
static int l_signal(lua_State *L)
{
    const lua_Integer process = luaL_checkinteger(L, 2), number = luaL_checkinteger(L, 3);
    check_open(L);
    luaL_argcheck(L, process > 0 && process <= INT32_MAX, 2, "want a process");
    return push_done(L, robo_test_lan_signal((int)process, (int)number), NULL);
}

/* lan:counts(): { frames, lost, cut } */
static int l_counts(lua_State *L)
{
    struct robo_test_lan_counts counts;
    robo_test_lan_count(check_open(L), &counts);
    lua_createtable(L, 0, 3);
    set_integer(L, "frames", (lua_Integer)counts.frames);
    set_integer(L, "lost", (lua_Integer)counts.lost);
    set_integer(L, "cut", (lua_Integer)counts.cut);
    return 1;
}

static int l_close(lua_State *L)
{
    struct lan *l = luaL_checkudata(L, 1, LAN);
    robo_test_lan_close(l->lan);
    l->lan = NULL;
    return 0;
}

void open_lan(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "plug", l_plug },     { "unplug", l_unplug }, { "run", l_run },     { "group", l_group },
        { "signal", l_signal }, { "counts", l_counts }, { "close", l_close }, { "__gc", l_close },
        { "__close", l_close }, { NULL, NULL },
    };
    define_type(L, LAN, methods);
    set_function(L, "lan", l_lan);
}
