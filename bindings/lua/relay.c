/* A bad link to another process (core/net/relay.c), for experiments. */
#include <math.h>

#include "robotalk/test.h"
#include "runtime.h"
#include "table.h"

static const char RELAY[] = "robotalk.relay";

struct relay {
    robo_test_relay *relay; /* NULL: closed */
};

static double opt_field(lua_State *L, const char *name)
{
    const double x = number_field(L, 1, name);
    luaL_argcheck(L, isfinite(x), 1, "want finite numbers");
    return x;
}

static robo_time opt_seconds(lua_State *L, const char *name)
{
    const double seconds = opt_field(L, name);
    luaL_argcheck(L, fabs(seconds) < 1e6, 1, "want seconds");
    return (robo_time)(seconds * 1e9);
}

static robo_test_relay *check_open(lua_State *L)
{
    struct relay *r = luaL_checkudata(L, 1, RELAY);
    luaL_argcheck(L, r->relay, 1, "it is closed");
    return r->relay;
}

void check_lag(lua_State *L, struct robo_test_lag *lag)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    const double window = opt_field(L, "window");
    luaL_argcheck(L, window >= 0 && window < 1e9, 1, "want a window of bytes");
    lua_getfield(L, 1, "seed");
    *lag = (struct robo_test_lag){ .size = sizeof *lag,
                                   .delay = opt_seconds(L, "delay"),
                                   .jitter = opt_seconds(L, "jitter"),
                                   .loss = opt_field(L, "loss"),
                                   .again = opt_seconds(L, "again"),
                                   .rate = opt_field(L, "rate"),
                                   .window = (size_t)window,
                                   .seed = (uint64_t)luaL_optinteger(L, -1, 0) };
}

/* core.relay{ to = a port of 127.0.0.1, delay =, jitter =, again = seconds, loss = a share, rate = bytes a second, window = bytes,
 * seed = }: a relay to it. nil, message, code. */
static int l_relay(lua_State *L)
{
    struct robo_test_lag lag;
    check_lag(L, &lag);
    const double to = opt_field(L, "to");
    luaL_argcheck(L, to >= 1 && to <= UINT16_MAX, 1, "want a port");
    struct relay *r = lua_newuserdatauv(L, sizeof *r, 0);
    r->relay = NULL;
    luaL_setmetatable(L, RELAY);
    const int error = robo_test_relay_open((uint16_t)to, &lag, &r->relay);
    luaL_argcheck(L, error != ROBO_EINVAL, 1, "want a link that can be");
    return error < 0 ? push_failure(L, error, NULL) : 1;
}

static int l_port(lua_State *L)
{
    lua_pushinteger(L, robo_test_relay_port(check_open(L)));
    return 1;
}

/* relay:counts(): { connections, bytes, segments, lost }, of both ways. */
static int l_counts(lua_State *L)
{
    struct robo_test_relayed relayed;
    robo_test_relay_count(check_open(L), &relayed);
    lua_createtable(L, 0, 4);
    set_integer(L, "connections", (lua_Integer)relayed.connections);
    set_integer(L, "bytes", (lua_Integer)relayed.bytes);
    set_integer(L, "segments", (lua_Integer)relayed.segments);
    set_integer(L, "lost", (lua_Integer)relayed.lost);
    return 1;
}

/* relay:cut(): bytes in it are lost, and its connections; new ones are accepted. */
static int l_cut(lua_State *L)
{
    robo_test_relay_cut(check_open(L));
    return 0;
}

static int l_close(lua_State *L)
{
    struct relay *r = luaL_checkudata(L, 1, RELAY);
    robo_test_relay_close(r->relay);
    r->relay = NULL;
    return 0;
}

void open_relay(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "port", l_port },  { "counts", l_counts }, { "cut", l_cut }, { "close", l_close },
        { "__gc", l_close }, { "__close", l_close }, { NULL, NULL },
    };
    define_type(L, RELAY, methods);
    set_function(L, "relay", l_relay);
}
