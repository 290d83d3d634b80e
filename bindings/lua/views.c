/* Views of the world in Lua, from where no camera is. */
#include "runtime.h"

/* Three numbers of the field of that name. */
static void check_place(lua_State *L, const char *name, double place[3])
{
    lua_getfield(L, 1, name);
    luaL_checktype(L, -1, LUA_TTABLE);
    for (int i = 0; i < 3; i++) {
        lua_rawgeti(L, -1, i + 1);
        place[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static uint16_t check_pixels(lua_State *L, int arg)
{
    const lua_Integer n = luaL_checkinteger(L, arg);
    luaL_argcheck(L, n >= 1 && n <= ROBO_MAX_VIEW, 1, "want 1 to 4096 pixels");
    return (uint16_t)n;
}

/* core.look({ from =, to =, width =, height = [, fov =] [, seen =] [, fine =] }): what is seen of this process's world, as a table with
 * width, height, time, format (rgb, depth, objects) and bytes; or nil, message, code. */
static int l_look(lua_State *L)
{
    static const char *const kinds[] = { "colour", "depth", "objects", NULL }, *const made[] = {
        "rgb", "depth", "objects"
    };
    struct robo_viewpoint view = { .size = sizeof view };
    struct runtime *rt = runtime_of(L);
    char why[256] = "";
    robo_time time = 0;
    luaL_Buffer buffer;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    runtime_need_world(L);
    check_place(L, "from", view.from);
    check_place(L, "to", view.to);
    lua_getfield(L, 1, "fov");
    lua_getfield(L, 1, "width");
    lua_getfield(L, 1, "height");
    lua_getfield(L, 1, "seen");
    lua_getfield(L, 1, "fine");
    view.fov = luaL_optnumber(L, 2, 0);
    view.width = check_pixels(L, 3);
    view.height = check_pixels(L, 4);
    view.seen = (uint8_t)luaL_checkoption(L, 5, "colour", kinds);
    view.fine = (uint8_t)lua_toboolean(L, 6);
    const size_t room = (size_t)view.width * view.height * (view.seen == ROBO_SEEN_COLOUR ? 3 : 4);
    lua_createtable(L, 0, 8); /* before the buffer: it has the top */
    void *pixels = luaL_buffinitsize(L, &buffer, room);
    const int error = robo_world_look(rt->world, &view, pixels, room, &time, why);
    if (error < 0)
        return push_failure(L, error, why);
    luaL_pushresultsize(&buffer, room);
    lua_setfield(L, 7, "bytes");
    set_integer(L, "width", view.width);
    set_integer(L, "height", view.height);
    set_text(L, "format", made[view.seen]);
    push_time(L, time);
    lua_setfield(L, 7, "time");
    return 1;
}

/* core.world_object(number): what an object that was seen is called; nil: there is no such one. */
static int l_world_object(lua_State *L)
{
    char name[128];
    const lua_Integer number = luaL_checkinteger(L, 1);
    runtime_need_world(L);
    if (number < 0 || number > INT32_MAX ||
        robo_world_object(runtime_of(L)->world, (int32_t)number, name) < 0)
        return 0;
    lua_pushstring(L, name);
    return 1;
}

void open_views(lua_State *L)
{
    static const luaL_Reg functions[] = { { "look", l_look },
                                          { "world_object", l_world_object },
                                          { NULL, NULL } };
    luaL_setfuncs(L, functions, 0);
}
