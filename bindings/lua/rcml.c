/* The RCML file of a robot, and its objects. */
#include "robotalk/description.h"
#include "robotalk/rcml.h"
#include "runtime.h"

static const char *opt_text(lua_State *L, int index, const char *key)
{
    if (lua_isnoneornil(L, index))
        return NULL;
    lua_getfield(L, index, key); /* stays on the stack, and with it the text */
    return luaL_optstring(L, -1, NULL);
}

/* core.rcml(body[, { url =, pictures =, robot = }]): the text of its file, and where it is served, if given; robot: the text of
 * another RCML_Robot for it. */
static int l_rcml(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    struct robo_rcml_options options = { .size = sizeof options };
    luaL_Buffer buffer;
    options.url = opt_text(L, 2, "url");
    options.pictures = opt_text(L, 2, "pictures");
    options.robot = opt_text(L, 2, "robot");
    ptrdiff_t used = robo_rcml_write(body, &options, NULL, 0);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    char *text = luaL_buffinitsize(L, &buffer, (size_t)used);
    used = robo_rcml_write(body, &options, text, (size_t)used);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    luaL_pushresultsize(&buffer, (size_t)used);
    return 1;
}

/* core.gltf(body): the bytes of its file, and how many meshes are not in it, since the body has no triangles of theirs. */
static int l_gltf(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    const struct robo_description *d = robo_body_description(body);
    luaL_Buffer buffer;
    lua_Integer missing = 0;
    ptrdiff_t used = robo_gltf_write(body, NULL, 0);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    used = robo_gltf_write(body, luaL_buffinitsize(L, &buffer, (size_t)used), (size_t)used);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    luaL_pushresultsize(&buffer, (size_t)used);
    for (unsigned i = 0; i < d->shapes; i++)
        missing += d->shape[i].kind == ROBO_SHAPE_MESH && !robo_body_mesh(body, i);
    lua_pushinteger(L, missing);
    return 2;
}

static void push_parameter(lua_State *L, const struct robo_rcml_item_parameter *p)
{
    lua_createtable(L, 0, 6);
    set_text(L, "name", p->name);
    set_text(L, "quantity", p->quantity);
    set_text(L, "unit", p->unit);
    set_integer(L, "which", p->which);
    set_number(L, "low", p->low);
    set_number(L, "high", p->high);
}

static void push_object(lua_State *L, const struct robo_rcml_item *o,
                        const struct robo_rcml_item_parameter *parameter)
{
    lua_createtable(L, 0, 7);
    set_text(L, "name", o->name);
    set_text(L, "type", o->type);
    set_text(L, "part", o->part);
    set_text(L, "translator", o->translator);
    set_text(L, "direction", o->output ? "output" : "input");
    set_integer(L, "number", o->number);
    lua_createtable(L, o->parameters, 0);
    for (unsigned i = 0; i < o->parameters; i++) {
        push_parameter(L, &parameter[o->first + i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "parameters");
}

/* core.rcml_objects(body): the objects of its file, a list of tables as struct robo_rcml_item. */
static int l_rcml_objects(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    size_t parameters;
    int count = robo_rcml_objects(body, NULL, 0, NULL, 0, &parameters);
    if (count < 0)
        return push_failure(L, count, NULL);
    struct robo_rcml_item *object = lua_newuserdatauv(L, (size_t)count * sizeof *object, 0);
    struct robo_rcml_item_parameter *p = lua_newuserdatauv(L, parameters * sizeof *p, 0);
    count = robo_rcml_objects(body, object, (size_t)count, p, parameters, &parameters);
    if (count < 0)
        return push_failure(L, count, NULL);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        push_object(L, &object[i], p);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

void open_rcml(lua_State *L)
{
    set_function(L, "rcml", l_rcml);
    set_function(L, "gltf", l_gltf);
    set_function(L, "rcml_objects", l_rcml_objects);
}
