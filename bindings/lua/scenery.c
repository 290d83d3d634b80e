/* The scenery around simulated robots, from Lua: scripts/robotalk/world.lua has checked it. */
#include "robotalk/rcml.h"
#include "robotalk/scenery.h"
#include "runtime.h"

static uint32_t colour_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    const lua_Integer colour = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return (uint32_t)colour;
}

/* Three numbers; missing ones are 0. */
static void numbers_field(lua_State *L, int table, const char *name, double out[3])
{
    const int is_there = lua_getfield(L, table, name) == LUA_TTABLE;
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        if (is_there) {
            lua_rawgeti(L, -1, i + 1);
            out[i] = lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

/* Its text stays in the table. */
static const char *text_field(lua_State *L, int table, const char *name)
{
    const char *text = lua_getfield(L, table, name) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return text;
}

static uint8_t word_field(lua_State *L, int table, const char *name, const char *const *words,
                          const char *otherwise)
{
    lua_getfield(L, table, name);
    const int word = luaL_checkoption(L, -1, otherwise, words);
    lua_pop(L, 1);
    return (uint8_t)word;
}

static const char MESH[] = "robotalk.mesh";

/* core.mesh(bytes): the mesh of a file; nil, message, code. */
static int l_mesh(lua_State *L)
{
    size_t size;
    char why[256];
    int error;
    const char *bytes = luaL_checklstring(L, 1, &size);
    robo_mesh **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    luaL_setmetatable(L, MESH);
    *box = robo_mesh_read(bytes, size, &error, why);
    return *box ? 1 : push_failure(L, error, why);
}

static int l_mesh_box(lua_State *L)
{
    robo_mesh *const *box = luaL_checkudata(L, 1, MESH);
    double ends[2][3];
    robo_mesh_box(*box, ends[0], ends[1]);
    push_numbers(L, ends[0], 3);
    push_numbers(L, ends[1], 3);
    return 2;
}

static int l_mesh_release(lua_State *L)
{
    robo_mesh **box = luaL_checkudata(L, 1, MESH);
    robo_mesh_release(*box);
    *box = NULL;
    return 0;
}

robo_mesh *test_mesh(lua_State *L, int at)
{
    robo_mesh **box = luaL_testudata(L, at, MESH);
    return box ? *box : NULL;
}

/* It stays in the table. */
static robo_mesh *mesh_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    robo_mesh *mesh = test_mesh(L, -1);
    lua_pop(L, 1);
    return mesh;
}

/* A thing on top of the stack. */
static void check_thing(lua_State *L, struct robo_thing *thing)
{
    const int at = lua_gettop(L);
    luaL_checktype(L, at, LUA_TTABLE);
    lua_getfield(L, at, "shape");
    const unsigned shape = check_shape(L, -1);
    lua_pop(L, 1);
    *thing = (struct robo_thing){ .name = text_field(L, at, "name"),
                                  .shape = (uint8_t)shape,
                                  .painted = flag_field(L, at, "painted"),
                                  .part_of = (uint16_t)number_field(L, at, "part_of"),
                                  .colour = colour_field(L, at, "colour"),
                                  .mass = number_field(L, at, "mass"),
                                  .friction = number_field(L, at, "friction"),
                                  .mesh = mesh_field(L, at, "mesh") };
    numbers_field(L, at, "size", thing->size);
    numbers_field(L, at, "position", thing->position);
    numbers_field(L, at, "attitude", thing->attitude);
}

static void check_light(lua_State *L, struct robo_light *light)
{
    const int at = lua_gettop(L);
    luaL_checktype(L, at, LUA_TTABLE);
    *light = (struct robo_light){ .colour = colour_field(L, at, "colour"),
                                  .sun = flag_field(L, at, "sun") };
    numbers_field(L, at, "position", light->position);
    numbers_field(L, at, "direction", light->direction);
}

/* How long the list in a field is, which is left on the stack; nil there: 0. */
static size_t push_list(lua_State *L, int table, const char *name)
{
    return lua_getfield(L, table, name) == LUA_TTABLE ? lua_rawlen(L, -1) : 0;
}

/* The table that is the first argument; the data that it points to stays on the stack. */
static struct robo_scenery check_room(lua_State *L)
{
    static const char *const textures[] = { "plain", "checker", "stripes", NULL };
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    struct robo_scenery room = { .size = sizeof room,
                                 .gravity = number_field(L, 1, "gravity"),
                                 .step = number_field(L, 1, "step") };
    if (lua_getfield(L, 1, "floor") == LUA_TTABLE) {
        room.floor_texture = word_field(L, 2, "texture", textures, "plain");
        room.floor_colour[0] = colour_field(L, 2, "colour");
        room.floor_colour[1] = colour_field(L, 2, "other");
        room.floor_tile = number_field(L, 2, "tile");
        room.floor_friction = number_field(L, 2, "friction");
    }
    if (lua_getfield(L, 1, "sky") == LUA_TTABLE) {
        room.sky[0] = colour_field(L, 3, "top");
        room.sky[1] = colour_field(L, 3, "horizon");
    }
    lua_pop(L, 1);
    room.things = push_list(L, 1, "things");
    struct robo_thing *things = lua_newuserdatauv(L, room.things * sizeof *things + 1, 0);
    for (size_t i = 0; i < room.things; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i + 1);
        check_thing(L, &things[i]);
        lua_pop(L, 1);
    }
    room.lights = push_list(L, 1, "lights");
    struct robo_light *lights = lua_newuserdatauv(L, room.lights * sizeof *lights + 1, 0);
    for (size_t i = 0; i < room.lights; i++) {
        lua_rawgeti(L, 5, (lua_Integer)i + 1);
        check_light(L, &lights[i]);
        lua_pop(L, 1);
    }
    room.thing = things;
    room.light = lights;
    return room;
}

/* core.surround{ things = { { shape = "box", size =, position =, attitude =, mass =, … }, … }, lights = { … }, floor = { texture =,
 * colour =, other =, tile =, friction = }, sky = { top =, horizon = }, gravity =, step = }: sets the scenery of simulated robots: true;
 * nil, message, code. */
static int l_surround(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    struct robo_scenery room = check_room(L);
    char why[256] = "";
    room.why = why;
    return push_done(L, robo_furnish(rt->world, &room), why);
}

/* core.rcml_room(room): such a room as a file of VRML97; nil, message, code. */
static int l_rcml_room(lua_State *L)
{
    luaL_Buffer buffer;
    const struct robo_scenery room = check_room(L);
    ptrdiff_t used = robo_rcml_write_room(&room, NULL, 0);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    char *text = luaL_buffinitsize(L, &buffer, (size_t)used);
    used = robo_rcml_write_room(&room, text, (size_t)used);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    luaL_pushresultsize(&buffer, (size_t)used);
    return 1;
}

void open_room(lua_State *L)
{
    static const luaL_Reg methods[] = { { "box", l_mesh_box },
                                        { "__gc", l_mesh_release },
                                        { NULL, NULL } };
    set_function(L, "surround", l_surround);
    set_function(L, "mesh", l_mesh);
    set_function(L, "rcml_room", l_rcml_room);
    set_number(L, "farthest", ROBO_FARTHEST);    /* m, that a thing may be long, or away */
    set_number(L, "finest", ROBO_FINEST * 1e-6); /* m, that each side of it is at least */
    define_type(L, MESH, methods);
}
