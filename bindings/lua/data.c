/* Data files in Lua (descriptions, configurations): each runs in a sandbox of its own, and its result is copied out. */
#include "runtime.h"
#include "sandbox.h"

/* Our largest description takes 10,000 instructions. */
static const struct sandbox_limits limits = { .memory = 32 << 20, /* copy() says so, too */
                                              .instructions = 10000000,
                                              .time = 1000000000 };

enum { DEEPEST = 100 }; /* tables within tables */

static const char BOX[] = "robotalk.sandbox", RESULT[] = "result";

struct running {
    const char *text, *chunk;
    size_t size;
};

static int run_protected(lua_State *L)
{
    const struct running *r = lua_touserdata(L, 1);
    sandbox_run(L, r->text, r->size, r->chunk);
    lua_setfield(L, LUA_REGISTRYINDEX, RESULT);
    return 0;
}

/* Functions are copied as this one: useless, but a function. */
static int l_nothing(lua_State *L)
{
    (void)L;
    return 0;
}

struct copying {
    lua_State *from, *to;
    int seen; /* place in `to` of the tables so far */
    /* bytes of texts that may still be copied: in the sandbox one text may be shared by many fields */
    size_t left;
    const char *why; /* it has failed */
};

/* Pushes a copy of the value at the top of `from` to `to`. Only reads `from`, so that nothing is raised there, outside
 * of a pcall. false: c->why tells which limit was exceeded. */
static bool copy(struct copying *c, int depth)
{
    lua_State *from = c->from, *to = c->to;
    size_t size;
    switch (lua_type(from, -1)) {
    case LUA_TNIL: lua_pushnil(to); return true;
    case LUA_TBOOLEAN: lua_pushboolean(to, lua_toboolean(from, -1)); return true;
    case LUA_TNUMBER:
        if (lua_isinteger(from, -1))
            lua_pushinteger(to, lua_tointeger(from, -1));
        else
            lua_pushnumber(to, lua_tonumber(from, -1));
        return true;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(from, -1, &size);
        c->why = "expected at most 32 MiB of texts";
        if (size > c->left)
            return false;
        c->left -= size;
        lua_pushlstring(to, text, size);
        return true;
    }
    case LUA_TTABLE: break;
    default: lua_pushcfunction(to, l_nothing); return true;
    }
    const void *table = lua_topointer(from, -1);
    if (lua_rawgetp(to, c->seen, table) == LUA_TTABLE)
        return true;
    lua_pop(to, 1);
    c->why = "expected tables within tables to a depth of 100 at most";
    if (depth == DEEPEST || !lua_checkstack(from, 4))
        return false;
    luaL_checkstack(to, 4, NULL);
    lua_newtable(to);
    lua_pushvalue(to, -1);
    lua_rawsetp(to, c->seen, table);
    for (lua_pushnil(from); lua_next(from, -2); lua_pop(from, 1)) {
        lua_pushvalue(from, -2);
        bool good = copy(c, depth + 1);
        lua_pop(from, 1);
        if (!good || !copy(c, depth + 1))
            return false;
        lua_rawset(to, -3);
    }
    return true;
}

static int l_close_box(lua_State *L)
{
    struct sandbox **box = lua_touserdata(L, 1);
    if (*box)
        sandbox_close(*box);
    *box = NULL;
    return 0;
}

/* core.data(text, chunk): what the Lua text returns, run within limits in an environment of its own, with parts of
 * math, string and table and a few basic functions; or nil and an error text with its line. */
static int l_data(lua_State *L)
{
    struct running r;
    r.text = luaL_checklstring(L, 1, &r.size);
    r.chunk = luaL_checkstring(L, 2);
    lua_newtable(L);
    int seen = lua_gettop(L);
    struct sandbox **box = lua_newuserdatauv(L, sizeof(*box), 0);
    *box = NULL;
    luaL_setmetatable(L, BOX);
    lua_toclose(L, -1);
    *box = sandbox_open(&limits);
    if (!*box)
        return luaL_error(L, "not enough memory");
    struct sandbox_report report;
    if (!sandbox_call(*box, run_protected, &r, &report)) {
        lua_pushnil(L);
        lua_pushstring(L, report.words);
        return 2;
    }
    struct copying c = { sandbox_state(*box), L, seen, limits.memory, NULL };
    lua_getfield(c.from, LUA_REGISTRYINDEX, RESULT);
    if (!copy(&c, 0)) {
        lua_pushnil(L);
        lua_pushfstring(L, "%s:1: %s", r.chunk + (r.chunk[0] == '@'), c.why);
        return 2;
    }
    return 1;
}

void open_data(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "data", l_data },
        { NULL, NULL },
    };
    static const luaL_Reg methods[] = {
        { "__gc", l_close_box },
        { "__close", l_close_box },
        { NULL, NULL },
    };
    luaL_setfuncs(L, functions, 0);
    if (luaL_newmetatable(L, BOX))
        luaL_setfuncs(L, methods, 0);
    lua_pop(L, 1);
}
