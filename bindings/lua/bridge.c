/* A robot's bridge to a client of Gamebots, for its script (scripts/robotalk/bridge.lua). */
#include <string.h>

#include "robotalk/bridge.h"
#include "robotalk/watchers.h"
#include "runtime.h"

static const char BRIDGE[] = "robotalk.bridge";

enum { SAID = 32768 /* bytes that one line may be answered with */ };

struct bridge_box {
    struct runtime *rt;
    struct bridge_box *next; /* of the runtime's open ones */
    lua_Integer handle;
    robo_bridge *bridge; /* NULL: closed */
    robo_async *news;
    struct robo_bridge_wish wish;
};

static const char *const servos[] = {
    [ROBO_SERVO_SETPOINT] = "setpoint", [ROBO_SERVO_SPEED] = "speed", [ROBO_SERVO_FORCE] = "force"
};
_Static_assert(sizeof servos / sizeof servos[0] == ROBO_SERVOS, "a word for each");
static const char *const velocity_names[] = { "x", "y", "z", "theta" };

/* ---- life ---- */

/* On the script's thread. */
static void on_news(void *owner, robo_time now)
{
    const struct bridge_box *box = owner;
    (void)now;
    runtime_event(box->rt, EVENT_BRIDGE, box->handle, 0);
}

/* Any thread. */
static void wake(void *owner)
{
    robo_async_post(((struct bridge_box *)owner)->news);
}

static void close_box(struct bridge_box *box)
{
    if (!box->bridge)
        return;
    TAKE_OUT(box->rt->bridges, box);
    robo_bridge_close(box->bridge);
    robo_async_close(box->news);
    box->bridge = NULL;
}

void close_bridges(struct runtime *rt)
{
    while (rt->bridges)
        close_box(rt->bridges);
}

/* core.bridge(robot): the bridge of a robot of this process, and its handle, of events "bridge"; nil, message, code. */
static int l_open(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    const char *robot = luaL_checkstring(L, 1);
    int error = ROBO_ENOMEM;
    runtime_need_world(L);
    if (atomic_load(&rt->dismissed))
        return push_failure(L, ROBO_ECLOSED, "the script is to end");
    struct bridge_box *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (struct bridge_box){ .rt = rt, .handle = ++rt->last_handle };
    luaL_setmetatable(L, BRIDGE);
    box->news = robo_async_open(rt->loop, on_news, box);
    if (box->news)
        box->bridge = robo_bridge_open(rt->world, robot, rt->key, wake, box, &error);
    if (!box->bridge) {
        if (box->news)
            robo_async_close(box->news);
        return push_failure(L, error,
                            error == ROBO_EEXISTS
                                ? lua_pushfstring(L, "another script has the bridge of %s", robot)
                                : NULL);
    }
    box->next = rt->bridges;
    rt->bridges = box;
    lua_pushinteger(L, box->handle);
    return 2;
}

static struct bridge_box *check_box(lua_State *L)
{
    return luaL_checkudata(L, 1, BRIDGE);
}

/* NULL: it is closed, or its script is to end. */
static robo_bridge *bridge_of(lua_State *L)
{
    const struct bridge_box *box = check_box(L);
    return atomic_load(&box->rt->dismissed) ? NULL : box->bridge;
}

static int closed(lua_State *L)
{
    return push_failure(L, ROBO_ECLOSED, "the bridge is closed");
}

static int l_close(lua_State *L)
{
    close_box(check_box(L));
    return 0;
}

/* ---- what a client says ---- */

/* bridge:look(): takes the lines that wait: { epoch, user, panic, name, dropped }. nil, message, code when it is closed. */
static int l_look(lua_State *L)
{
    struct robo_bridge_view view;
    robo_bridge *bridge = bridge_of(L);
    if (!bridge)
        return closed(L);
    robo_bridge_look(bridge, &view);
    lua_createtable(L, 0, 5);
    set_integer(L, "epoch", view.epoch);
    set_integer(L, "user", view.user);
    set_integer(L, "dropped", (lua_Integer)view.dropped);
    set_text(L, "name", view.name);
    set_flag(L, "panic", view.panic);
    return 1;
}

/* bridge:line(): the next line that was taken; nothing when there are no more. */
static int l_line(lua_State *L)
{
    size_t n;
    robo_bridge *bridge = bridge_of(L);
    const char *line = bridge ? robo_bridge_line(bridge, &n) : NULL;
    if (!line)
        return 0;
    lua_pushlstring(L, line, n);
    return 1;
}

/* core.bridge_parse(line): { type =, { name, value }, … }, by the server's grammar; nil: it has no type. */
static int l_parse(lua_State *L)
{
    size_t n;
    struct robo_bridge_group type, group[ROBO_BRIDGE_GROUPS];
    const char *line = luaL_checklstring(L, 1, &n);
    const int groups = robo_bridge_parse(line, n, &type, group);
    if (groups < 0)
        return 0;
    lua_createtable(L, groups, 1);
    lua_pushlstring(L, type.name, type.name_size);
    lua_setfield(L, -2, "type");
    for (int i = 0; i < groups; i++) {
        lua_createtable(L, 2, 0);
        lua_pushlstring(L, group[i].name, group[i].name_size);
        lua_rawseti(L, -2, 1);
        lua_pushlstring(L, group[i].value ? group[i].value : "", group[i].value_size);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static void push_wish(lua_State *L, const struct robo_bridge_wish *wish)
{
    lua_createtable(L, (int)wish->dofs, 2);
    set_flag(L, "stops", wish->stops);
    if (wish->base) {
        lua_createtable(L, 0, 4);
        for (int i = 0; i < 4; i++)
            set_number(L, velocity_names[i], wish->velocity[i]);
        lua_setfield(L, -2, "velocity");
    }
    for (unsigned i = 0; i < wish->dofs; i++) {
        const struct robo_bridge_dof *d = &wish->dof[i];
        lua_createtable(L, 0, 4);
        set_integer(L, "dof", d->dof + 1);
        set_number(L, "value", d->value);
        set_text(L, "servo", servos[d->servo]);
        set_flag(L, "camera", d->camera);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* bridge:mean(line): its wish for the robot, { stops =, velocity = { x, y, z, theta }, { dof = (from 1), value, servo, camera }, … },
 * and the reply to the client. nil: it moves nothing, and is the connection's. */
static int l_mean(lua_State *L)
{
    size_t n, said = 0;
    char room[SAID];
    robo_bridge *bridge = bridge_of(L);
    const char *line = luaL_checklstring(L, 2, &n);
    struct bridge_box *box = check_box(L);
    if (!bridge || !robo_bridge_mean(bridge, line, n, &box->wish, room, sizeof room, &said))
        return 0;
    push_wish(L, &box->wish);
    lua_pushlstring(L, room, said);
    return 2;
}

/* ---- what the script says ---- */

static double field(lua_State *L, int at, const char *name)
{
    const double x = number_field(L, at, name);
    luaL_argcheck(L, x - x == 0, 3, "want finite numbers");
    return x;
}

static uint8_t servo_of(lua_State *L)
{
    const char *name = lua_tostring(L, -1);
    for (size_t i = 0; name && i < sizeof servos / sizeof servos[0]; i++)
        if (servos[i] && strcmp(servos[i], name) == 0)
            return (uint8_t)i;
    return 0;
}

static void check_dof(lua_State *L, struct robo_bridge_wish *wish)
{
    luaL_argcheck(L, wish->dofs < ROBO_BRIDGE_DOFS, 3, "too many dofs");
    struct robo_bridge_dof *d = &wish->dof[wish->dofs++];
    const int at = lua_gettop(L);
    luaL_argcheck(L, lua_istable(L, at), 3, "want tables of dof, value, servo");
    const double dof = field(L, at, "dof");
    luaL_argcheck(L, dof >= 1 && dof <= ROBO_MAX_DOFS, 3, "want dof, from 1");
    lua_getfield(L, at, "servo");
    *d = (struct robo_bridge_dof){ .dof = (uint16_t)(dof - 1), .servo = servo_of(L) };
    luaL_argcheck(L, d->servo, 3, "want servo setpoint, speed or force");
    lua_pop(L, 1);
    d->value = field(L, at, "value");
}

/* bridge:hand_over(epoch, wish), as of mean: true; or nil, message, code. */
static int l_hand_over(lua_State *L)
{
    struct bridge_box *box = check_box(L);
    struct robo_bridge_wish *wish = &box->wish;
    const uint32_t epoch = (uint32_t)luaL_checkinteger(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    wish->dofs = 0;
    wish->stops = flag_field(L, 3, "stops");
    wish->base = lua_getfield(L, 3, "velocity") == LUA_TTABLE;
    for (int i = 0; wish->base && i < 4; i++)
        wish->velocity[i] = field(L, 4, velocity_names[i]);
    lua_settop(L, 3);
    const lua_Integer n = luaL_len(L, 3);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 3, i);
        check_dof(L, wish);
        lua_settop(L, 3);
    }
    robo_bridge *bridge = bridge_of(L);
    if (!bridge)
        return closed(L);
    return push_done(L, robo_bridge_hand_over(bridge, epoch, wish), NULL);
}

/* bridge:say(user, lines), bridge:pass(user, line): true; or nil, message, code. */
static int leave_words(lua_State *L, int (*leave)(robo_bridge *, uint32_t, const char *, size_t))
{
    size_t n;
    robo_bridge *bridge = bridge_of(L);
    const uint32_t user = (uint32_t)luaL_checkinteger(L, 2);
    const char *words = luaL_checklstring(L, 3, &n);
    return push_done(L, bridge ? leave(bridge, user, words, n) : ROBO_ECLOSED, NULL);
}

static int l_say(lua_State *L)
{
    return leave_words(L, robo_bridge_say);
}

static int l_pass(lua_State *L)
{
    return leave_words(L, robo_bridge_pass);
}

/* bridge:fail(user, why): the robot stops, and the client is notified. */
static int l_fail(lua_State *L)
{
    robo_bridge *bridge = bridge_of(L);
    const uint32_t user = (uint32_t)luaL_checkinteger(L, 2);
    const char *why = luaL_checkstring(L, 3);
    if (bridge)
        robo_bridge_fail(bridge, user, why);
    return 0;
}

/* bridge:quit(user): the robot stops, and the client's connection ends. */
static int l_quit(lua_State *L)
{
    robo_bridge *bridge = bridge_of(L);
    const uint32_t user = (uint32_t)luaL_checkinteger(L, 2);
    if (bridge)
        robo_bridge_quit(bridge, user);
    return 0;
}

void open_bridges(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "look", l_look },           { "line", l_line },     { "mean", l_mean },
        { "hand_over", l_hand_over }, { "say", l_say },       { "pass", l_pass },
        { "fail", l_fail },           { "quit", l_quit },     { "close", l_close },
        { "__gc", l_close },          { "__close", l_close }, { NULL, NULL },
    };
    define_type(L, BRIDGE, methods);
    set_function(L, "bridge", l_open);
    set_function(L, "bridge_parse", l_parse);
}
