/* Values from one Lua state to another. */
#include "copying.h"

#include <lauxlib.h>

enum { DEEPEST = 100 }; /* tables within tables */

/* Functions are copied as this one: useless, but a function. */
static int l_nothing(lua_State *L)
{
    (void)L;
    return 0;
}

/* Pushes a copy of the value at the top of `from` to `to`. Only reads `from`, so that nothing is raised there,
 * outside of a pcall. false: c->why says which limit was exceeded. */
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
        c->why = c->long_words;
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

bool copy_value(struct copying *c)
{
    return copy(c, 0);
}
