/* The geometry of shapes, for Lua: shapes are named as people write them, and their sizes are a list. */
#include <string.h>

#include "robotalk/shape.h"
#include "runtime.h"

unsigned check_shape(lua_State *L, int at)
{
    const char *name = luaL_checkstring(L, at);
    for (unsigned kind = 0; robo_shape_name(kind); kind++)
        if (strcmp(robo_shape_name(kind), name) == 0)
            return kind;
    return (unsigned)luaL_argerror(L, at, lua_pushfstring(L, "invalid shape '%s'", name));
}

static void check_sizes(lua_State *L, double size[3])
{
    luaL_checktype(L, 2, LUA_TTABLE);
    for (int i = 0; i < 3; i++) {
        lua_rawgeti(L, 2, i + 1);
        size[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

/* core.shape_farthest(shape, size, x, y, z): the point that is farthest in that direction: x, y, z, m. */
static int l_farthest(lua_State *L)
{
    double along[3], size[3], point[3];
    const unsigned kind = check_shape(L, 1);
    check_sizes(L, size);
    for (int i = 0; i < 3; i++)
        along[i] = luaL_checknumber(L, 3 + i);
    robo_shape_farthest(kind, size, along, point);
    for (int i = 0; i < 3; i++)
        lua_pushnumber(L, point[i]);
    return 3;
}

/* core.shape_volume(shape, size): m3; of a mesh NaN. */
static int l_volume(lua_State *L)
{
    double size[3];
    const unsigned kind = check_shape(L, 1);
    check_sizes(L, size);
    lua_pushnumber(L, robo_shape_volume(kind, size));
    return 1;
}

void open_shapes(lua_State *L)
{
    set_function(L, "shape_farthest", l_farthest);
    set_function(L, "shape_volume", l_volume);
}
