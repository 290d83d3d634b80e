/* Views of the world in Lua, from where no camera is. */
#include <stdlib.h>

#include "runtime.h"
#include "robotalk/view.h"

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

/* The arguments of core.look and core.begin_look, at 1. Its pixels: how many bytes. */
static size_t check_view(lua_State *L, struct robo_viewpoint *view)
{
    static const char *const kinds[] = { "colour", "depth", "objects", NULL };
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    runtime_need_world(L);
    *view = (struct robo_viewpoint){ .size = sizeof *view };
    check_place(L, "from", view->from);
    check_place(L, "to", view->to);
    view->fov = number_field(L, 1, "fov");
    view->fine = flag_field(L, 1, "fine");
    lua_getfield(L, 1, "width");
    view->width = check_pixels(L, 2);
    lua_getfield(L, 1, "height");
    view->height = check_pixels(L, 3);
    lua_getfield(L, 1, "seen");
    view->seen = (uint8_t)luaL_checkoption(L, 4, "colour", kinds);
    lua_settop(L, 1);
    return (size_t)view->width * view->height * (view->seen == ROBO_SEEN_COLOUR ? 3 : 4);
}

/* The table of a view whose bytes are at the top. */
static int push_view(lua_State *L, const struct robo_viewpoint *view, robo_time time)
{
    static const char *const made[] = { "rgb", "depth", "objects" };
    lua_createtable(L, 0, 8);
    lua_insert(L, -2);
    lua_setfield(L, -2, "bytes");
    set_integer(L, "width", view->width);
    set_integer(L, "height", view->height);
    set_text(L, "format", made[view->seen]);
    set_time(L, "time", time);
    return 1;
}

/* core.look({ from =, to =, width =, height = [, fov =] [, seen =] [, fine =] }): a view of this process's world, as a table with
 * width, height, time, format (rgb, depth, objects) and bytes; or nil, message, code. The script waits meanwhile. */
static int l_look(lua_State *L)
{
    struct robo_viewpoint view;
    char why[256] = "";
    robo_time time = 0;
    luaL_Buffer buffer;
    const size_t room = check_view(L, &view);
    void *pixels = luaL_buffinitsize(L, &buffer, room);
    const int error = robo_world_look(runtime_of(L)->world, &view, pixels, room, &time, why);
    if (error < 0)
        return push_failure(L, error, why);
    luaL_pushresultsize(&buffer, room);
    return push_view(L, &view, time);
}

/* ---- in the background ---- */

static const char LOOK[] = "robotalk.look";

/* Of a userdata. */
struct look {
    robo_drawing *drawn; /* NULL: it has ended */
    struct robo_viewpoint view;
    void *pixels; /* NULL: they were taken */
    size_t room;
    struct look *next; /* of the runtime's list */
};

static int end(struct look *k, robo_time *time, char why[256])
{
    robo_drawing *drawn = k->drawn;
    k->drawn = NULL;
    return robo_drawing_end(drawn, time, why);
}

static void forget_pixels(lua_State *L, struct look *k)
{
    if (k->pixels)
        memory_give(L, k->room);
    free(k->pixels);
    k->pixels = NULL;
}

void close_views(struct runtime *rt)
{
    robo_time time;
    char why[256];
    for (struct look *k = rt->looks; k; k = k->next)
        end(k, &time, why);
}

/* A look that is just drawn is waited for. */
static int l_look_free(lua_State *L)
{
    struct look *k = luaL_checkudata(L, 1, LOOK);
    robo_time time;
    char why[256];
    end(k, &time, why);
    TAKE_OUT(runtime_of(L)->looks, k);
    forget_pixels(L, k);
    return 0;
}

/* core.begin_look(as look): the same in the background, which look:take() asks; or nil, message, code. */
static int l_begin_look(lua_State *L)
{
    struct robo_viewpoint view;
    struct runtime *rt = runtime_of(L);
    const size_t room = check_view(L, &view);
    int error = ROBO_ENOMEM;
    struct look *k = lua_newuserdatauv(L, sizeof *k, 0);
    *k = (struct look){ .view = view, .room = room };
    luaL_setmetatable(L, LOOK);
    memory_take(L, room);
    k->pixels = malloc(room);
    if (!k->pixels)
        memory_give(L, room);
    else
        k->drawn = robo_drawing_begin(rt->world, &view, k->pixels, room, &error);
    if (!k->drawn)
        return push_failure(L, error, NULL);
    k->next = rt->looks;
    rt->looks = k;
    return 1;
}

/* look:take(): nothing while it is under way; then, once, the results of core.look. */
static int l_look_take(lua_State *L)
{
    struct look *k = luaL_checkudata(L, 1, LOOK);
    robo_time time;
    char why[256];
    luaL_argcheck(L, k->drawn, 1, "it was taken");
    if (!robo_drawing_over(k->drawn))
        return 0;
    const int error = end(k, &time, why);
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushlstring(L, k->pixels, k->room);
    forget_pixels(L, k);
    return push_view(L, &k->view, time);
}

/* core.world_object(number): the name of an object that was seen; nil: there is no such one. */
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

/* core.world_thing(name): where that thing is, position and attitude; nil: nothing is called so. */
static int l_world_thing(lua_State *L)
{
    double position[3], attitude[3];
    const char *name = luaL_checkstring(L, 1);
    runtime_need_world(L);
    if (robo_world_thing(runtime_of(L)->world, name, position, attitude) < 0)
        return 0;
    lua_createtable(L, 0, 2);
    set_numbers(L, "position", position, 3);
    set_numbers(L, "attitude", attitude, 3);
    return 1;
}

void open_views(lua_State *L)
{
    static const luaL_Reg methods[] = { { "take", l_look_take },
                                        { "__gc", l_look_free },
                                        { NULL, NULL } };
    set_function(L, "look", l_look);
    set_function(L, "begin_look", l_begin_look);
    set_function(L, "world_object", l_world_object);
    set_function(L, "world_thing", l_world_thing);
    define_type(L, LOOK, methods);
}
