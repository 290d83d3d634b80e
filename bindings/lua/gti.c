/* The codec of the Golog-Tekkotsu interface for Lua: one side of a connection in one format. */
#include <string.h>

#include "robotalk/gti.h"
#include "runtime.h"

static const char GTI[] = "robotalk.gti";
static const char *const types[] = { "query_sensors", "query_ball", "search_ball", "move_joints",
                                     "motion",        "walk",       "walk_for",    NULL };

/* core.gti{ byte_order = little | big, packed =, short_walk = }: one side of a connection. */
static int l_gti(lua_State *L)
{
    static const char *const orders[] = { "little", "big", NULL };
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "byte_order");
    bool big = luaL_checkoption(L, -1, "little", orders) == 1;
    const bool packed = flag_field(L, 1, "packed"), short_walk = flag_field(L, 1, "short_walk");
    struct robo_gti_parser *g = lua_newuserdatauv(L, sizeof *g, 0);
    *g = (struct robo_gti_parser){ .format = { big, packed, short_walk } };
    luaL_setmetatable(L, GTI);
    return 1;
}

static void push_request(lua_State *L, const struct robo_gti_request *r)
{
    lua_createtable(L, 0, 6);
    set_text(L, "type", types[r->type]);
    lua_createtable(L, r->count, 0);
    for (int i = 0; i < r->count; i++) {
        if (r->type == ROBO_GTI_QUERY_SENSORS) {
            lua_pushinteger(L, r->sensor[i]);
        } else {
            lua_createtable(L, 0, 3);
            set_integer(L, "joint", r->joint[i].joint);
            set_number(L, "angle", r->joint[i].angle);
            set_number(L, "speed", r->joint[i].speed);
        }
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "list");
    set_integer(L, "color", r->color);
    set_text(L, "file", r->file);
    set_number(L, "dx", r->dx);
    set_number(L, "dy", r->dy);
    set_number(L, "da", r->da);
    set_number(L, "seconds", r->seconds);
}

/* gti:feed(bytes): the requests that are complete, in order; and why the connection is over, if it is. */
static int l_feed(lua_State *L)
{
    struct robo_gti_parser *g = luaL_checkudata(L, 1, GTI);
    size_t n;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, 2, &n);
    struct robo_gti_request request;
    lua_Integer count = 0;
    lua_newtable(L);
    while (robo_gti_feed(g, &bytes, &n, &request) == ROBO_GTI_REQUEST) {
        push_request(L, &request);
        lua_rawseti(L, -2, ++count);
    }
    if (g->state != ROBO_GTI_CLOSED)
        return 1;
    lua_pushstring(L, g->why);
    return 2;
}

static void check_request(lua_State *L, int index, struct robo_gti_request *r)
{
    memset(r, 0, sizeof *r);
    luaL_checktype(L, index, LUA_TTABLE);
    lua_getfield(L, index, "type");
    r->type = (enum robo_gti_type)luaL_checkoption(L, -1, NULL, types);
    lua_getfield(L, index, "color");
    r->color = (int32_t)luaL_optinteger(L, -1, 0);
    lua_getfield(L, index, "file");
    const char *file = luaL_optstring(L, -1, "");
    luaL_argcheck(L, strlen(file) <= ROBO_GTI_NAME, index, "the motion's name is too long");
    strcpy(r->file, file);
    r->dx = number_field(L, index, "dx");
    r->dy = number_field(L, index, "dy");
    r->da = number_field(L, index, "da");
    r->seconds = number_field(L, index, "seconds");
    if (lua_getfield(L, index, "list") != LUA_TTABLE)
        return;
    int list = lua_gettop(L);
    lua_Unsigned n = lua_rawlen(L, list);
    luaL_argcheck(L, n <= ROBO_GTI_MOST, index, "at most 64 sensors or joints");
    r->count = (int32_t)n;
    for (int i = 0; i < r->count; i++) {
        lua_rawgeti(L, list, i + 1);
        if (r->type == ROBO_GTI_QUERY_SENSORS) {
            r->sensor[i] = (int32_t)luaL_checkinteger(L, -1);
        } else {
            luaL_checktype(L, -1, LUA_TTABLE);
            int item = lua_gettop(L);
            r->joint[i] = (struct robo_gti_joint){ (int32_t)number_field(L, item, "joint"),
                                                   number_field(L, item, "angle"),
                                                   number_field(L, item, "speed") };
        }
        lua_pop(L, 1);
    }
}

/* gti:encode(request): the bytes of a command, and how many its reply has. */
static int l_encode(lua_State *L)
{
    const struct robo_gti_parser *g = luaL_checkudata(L, 1, GTI);
    struct robo_gti_request request;
    uint8_t out[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    check_request(L, 2, &request);
    size_t n = robo_gti_encode(g->format, &request, out);
    luaL_argcheck(L, n > 0, 2, "a motion wants a name, and numbers are finite");
    lua_pushlstring(L, (const char *)out, n);
    lua_pushinteger(L, (lua_Integer)robo_gti_reply_size(g->format, &request));
    return 2;
}

/* gti:read_reply(request, bytes): { value = { … }, visible =, x =, y =, area =, found = }; nil, message, code. */
static int l_read_reply(lua_State *L)
{
    const struct robo_gti_parser *g = luaL_checkudata(L, 1, GTI);
    struct robo_gti_request request;
    struct robo_gti_reply reply;
    size_t n;
    check_request(L, 2, &request);
    const char *bytes = luaL_checklstring(L, 3, &n);
    luaL_argcheck(L, n == robo_gti_reply_size(g->format, &request), 3, "not the reply's length");
    if (!robo_gti_read_reply(g->format, &request, (const uint8_t *)bytes, &reply))
        return push_failure(L, ROBO_EBODY, "a reply's number is none");
    lua_createtable(L, 0, 6);
    set_numbers(L, "value", reply.value, (size_t)request.count);
    set_flag(L, "visible", reply.visible);
    set_flag(L, "found", reply.found);
    set_number(L, "x", reply.x);
    set_number(L, "y", reply.y);
    set_number(L, "area", reply.area);
    return 1;
}

/* gti:reply(type, …): bytes; ({ values }), (visible, x, y, area), (found). */
static int l_reply(lua_State *L)
{
    const struct robo_gti_parser *g = luaL_checkudata(L, 1, GTI);
    uint8_t out[ROBO_GTI_MOST * 8];
    double values[ROBO_GTI_MOST];
    size_t n = 0;
    switch (luaL_checkoption(L, 2, NULL, types)) {
    case ROBO_GTI_QUERY_SENSORS: {
        luaL_checktype(L, 3, LUA_TTABLE);
        lua_Unsigned count = lua_rawlen(L, 3);
        luaL_argcheck(L, count <= ROBO_GTI_MOST, 3, "at most 64 values");
        for (lua_Unsigned i = 0; i < count; i++) {
            lua_rawgeti(L, 3, (lua_Integer)i + 1);
            values[i] = luaL_checknumber(L, -1);
            lua_pop(L, 1);
        }
        n = robo_gti_reply_sensors(g->format, values, (int32_t)count, out);
        break;
    }
    case ROBO_GTI_QUERY_BALL:
        n = robo_gti_reply_ball(g->format, lua_toboolean(L, 3), luaL_optnumber(L, 4, 0),
                                luaL_optnumber(L, 5, 0), luaL_optnumber(L, 6, 0), out);
        break;
    case ROBO_GTI_SEARCH_BALL: n = robo_gti_reply_found(g->format, lua_toboolean(L, 3), out); break;
    default: break;
    }
    lua_pushlstring(L, (const char *)out, n);
    return 1;
}

void open_gti(lua_State *L)
{
    static const luaL_Reg methods[] = { { "feed", l_feed },
                                        { "encode", l_encode },
                                        { "read_reply", l_read_reply },
                                        { "reply", l_reply },
                                        { NULL, NULL } };
    define_type(L, GTI, methods);
    set_function(L, "gti", l_gti);
}
