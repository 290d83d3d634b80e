/* Bodies in Lua. One is made of a table of records, as scripts/robotalk/descriptor makes it from a descriptor, or of a
 * configuration block; it is checked there, once, and handed on as it is. To scripts a body is its kinematics (model.c). */
#include <string.h>

#include "runtime.h"
#include "robotalk/description.h"

/* How many records of a section a description has, and the first of them. */
static uint16_t *count_of(const struct robo_section *s, const struct robo_description *d)
{
    return (uint16_t *)(void *)((char *)d + s->count);
}

static char **first_of(const struct robo_section *s, const struct robo_description *d)
{
    return (char **)(void *)((char *)d + s->first);
}

/* Bytes that a body of this description takes, about. */
static size_t size_of(const struct robo_description *d)
{
    size_t bytes = sizeof *d;
    for (const struct robo_section *s = robo_sections(); s->noun; s++)
        bytes += *count_of(s, d) * s->size;
    return bytes;
}

/* The records of a section, in memory that is on top of the stack afterwards. */
static void check_section(lua_State *L, int index, const struct robo_section *s,
                          struct robo_description *d)
{
    static const char *const others[] = { "device", NULL };
    if (lua_getfield(L, index, s->noun) != LUA_TTABLE)
        luaL_error(L, "description: expected a list '%s'", s->noun);
    const int list = lua_gettop(L);
    const size_t count = lua_rawlen(L, list);
    if (count > s->most)
        luaL_error(L, "description: %d records '%s', at most %d are possible", (int)count, s->noun,
                   (int)s->most);
    char *records = lua_newuserdatauv(L, count * s->size + 1, 0);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        check_message(L, -1, robo_message_named(s->record), records + i * s->size, others, s->noun);
        lua_pop(L, 1);
    }
    lua_remove(L, list);
    *count_of(s, d) = (uint16_t)count;
    *first_of(s, d) = records;
}

static void check_text(lua_State *L, int index, const char *key, char *out, size_t size)
{
    lua_getfield(L, index, key);
    const char *text = lua_tostring(L, -1);
    if (!text || strlen(text) >= size)
        luaL_error(L, "device: expected a text '%s' of at most %d characters", key, (int)size - 1);
    memcpy(out, text, strlen(text) + 1);
    lua_pop(L, 1);
}

/* Sections whose records have a device each. */
static const char *const driven[] = { "joint", "sensor", "camera", NULL };

/* The device of record i of such a section; NULL: it has no more records. */
static uint8_t *device_of(const struct robo_description *d, int section, int i)
{
    return section == 0   ? (i < d->joints ? &d->joint[i].device : NULL)
           : section == 1 ? (i < d->sensors ? &d->sensor[i].device : NULL)
                          : (i < d->cameras ? &d->camera[i].device : NULL);
}

/* The drivers: a list of { driver =, options =, base = }, and each joint's, sensor's and camera's number in it. Of `keep`, a userdatum
 * with a value for each device, the options last as long as it. */
static void check_devices(lua_State *L, int index, int keep, struct robo_description *d)
{
    if (lua_getfield(L, index, "device") != LUA_TTABLE || lua_rawlen(L, -1) > ROBO_MAX_DEVICES)
        luaL_error(L, "description: expected a list 'device' of at most %d", ROBO_MAX_DEVICES);
    d->devices = (uint8_t)lua_rawlen(L, -1);
    for (int i = 0; i < d->devices; i++) {
        lua_rawgeti(L, -1, i + 1);
        int own = lua_gettop(L);
        luaL_checktype(L, own, LUA_TTABLE);
        check_text(L, own, "driver", d->device[i].driver, sizeof d->device[i].driver);
        lua_getfield(L, own, "options");
        check_device_options(L, -1, &d->device[i]);
        lua_setiuservalue(L, keep, i + 1);
        d->device[i].base = flag_field(L, own, "base");
        lua_settop(L, own - 1);
    }
    lua_pop(L, 1);
    uint8_t *device;
    for (int section = 0; driven[section]; section++) {
        lua_getfield(L, index, driven[section]);
        for (int i = 0; (device = device_of(d, section, i)) != NULL; i++) {
            lua_rawgeti(L, -1, i + 1);
            lua_getfield(L, -1, "device");
            *device = (uint8_t)lua_tointeger(L, -1);
            lua_pop(L, 2);
        }
        lua_pop(L, 1);
    }
}

/* The records stand in userdata that are on the stack afterwards. */
static void check_records(lua_State *L, int index, int keep, struct robo_description *d)
{
    static const char *const others[] = { "link",   "joint",  "dof",    "frame",  "shape",
                                          "camera", "sensor", "widget", "device", NULL };
    luaL_checkstack(L, 20, NULL);
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    check_message(L, index, robo_message_named("robo_configuration"), d, others, "description");
    for (const struct robo_section *s = robo_sections(); s->noun; s++)
        check_section(L, index, s, d);
    check_devices(L, index, keep, d);
}

static void push_records(lua_State *L, const struct robo_description *d)
{
    luaL_checkstack(L, 8, NULL);
    push_message(L, robo_message_named("robo_configuration"), d);
    for (const struct robo_section *s = robo_sections(); s->noun; s++) {
        const struct robo_message *record = robo_message_named(s->record);
        const unsigned count = *count_of(s, d);
        lua_createtable(L, (int)count, 0);
        for (unsigned k = 0; k < count; k++) {
            push_message(L, record, *first_of(s, d) + k * s->size);
            lua_rawseti(L, -2, (lua_Integer)k + 1);
        }
        lua_setfield(L, -2, s->noun);
    }
    lua_createtable(L, d->devices, 0);
    for (int i = 0; i < d->devices; i++) {
        lua_createtable(L, 0, 3);
        set_text(L, "driver", d->device[i].driver);
        push_device_options(L, &d->device[i]);
        lua_setfield(L, -2, "options");
        set_flag(L, "base", d->device[i].base);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "device");
    const uint8_t *device;
    for (int section = 0; driven[section]; section++) {
        lua_getfield(L, -1, driven[section]);
        for (int i = 0; (device = device_of(d, section, i)) != NULL; i++) {
            lua_rawgeti(L, -1, i + 1);
            set_integer(L, "device", *device);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}

/* A userdata of a script. It counts as the script's memory. */
struct box {
    robo_body *body;
    size_t counted; /* bytes */
};

/* An empty one, on top of the stack, for a body of about so many bytes; 0: they do not count. */
static struct box *push_box(lua_State *L, size_t bytes)
{
    struct box *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (struct box){ .body = NULL };
    luaL_setmetatable(L, BODY);
    if (bytes > 0)
        memory_take(L, bytes);
    box->counted = bytes;
    return box;
}

void push_body(lua_State *L, robo_body *body)
{
    push_box(L, size_of(robo_body_description(body)))->body = robo_body_hold(body);
}

void push_body_apart(lua_State *L, robo_body *body)
{
    push_box(L, 0)->body = robo_body_hold(body);
}

int body_gc(lua_State *L)
{
    struct box *box = luaL_checkudata(L, 1, BODY);
    robo_body_release(box->body);
    if (box->counted > 0)
        memory_give(L, box->counted);
    *box = (struct box){ .body = NULL };
    return 0;
}

/* Whether two are the same body, not only alike. */
int body_eq(lua_State *L)
{
    const struct box *a = luaL_testudata(L, 1, BODY), *b = luaL_testudata(L, 2, BODY);
    lua_pushboolean(L, a && b && a->body == b->body);
    return 1;
}

robo_body *check_body(lua_State *L, int arg)
{
    struct box *box = luaL_checkudata(L, arg, BODY);
    luaL_argcheck(L, box->body, arg, "this body is gone");
    return box->body;
}

/* Gives a body the triangles that a table has by the numbers of its shapes, from 1 on. */
static int set_meshes(lua_State *L, int table, robo_body *body)
{
    int error = 0;
    for (int i = 0; error >= 0 && i < robo_body_description(body)->shapes; i++) {
        lua_rawgeti(L, table, i + 1);
        robo_mesh *mesh = test_mesh(L, -1);
        lua_pop(L, 1); /* it stays in the table */
        if (mesh)
            error = robo_body_set_mesh(body, (unsigned)i, mesh);
    }
    return error;
}

/* core.body(records [, meshes of its shapes]): raises for records that make no sense. */
static int l_body(lua_State *L)
{
    char why[128] = "a shape that is no mesh has triangles";
    lua_settop(L, 2);
    struct robo_description *d = lua_newuserdatauv(L, sizeof *d, ROBO_MAX_DEVICES);
    check_records(L, 1, 3, d);
    struct box *box = push_box(L, size_of(d));
    int error = robo_body_make(d, &box->body, why);
    if (error >= 0 && lua_istable(L, 2))
        error = set_meshes(L, 2, box->body);
    if (error == ROBO_EINVAL)
        return luaL_error(L, "%s", why);
    return error < 0 ? push_failure(L, error, NULL) : 1;
}

/* The body of the robot of this process that these bytes describe, held for the caller, or NULL. room: for as many. */
static robo_body *known_body(const struct runtime *rt, const char *bytes, size_t n, void *room)
{
    robo_body *known = NULL;
    uint64_t cursor = 0;
    for (robo_robot *r; !known && rt->world && (r = robo_next_robot(rt->world, &cursor)) != NULL;
         robo_release(r)) {
        robo_body *body = robo_robot_body(r);
        if (robo_body_write(body, room, n, NULL) == (ptrdiff_t)n && memcmp(room, bytes, n) == 0)
            known = robo_body_hold(body);
        robo_body_release(body);
    }
    return known;
}

/* core.read_body(configuration block): nil, message, code for bytes that are none. For the block of a robot of this
 * process it is the body of that: it was checked, and has a model. */
static int l_read_body(lua_State *L)
{
    size_t n;
    char why[192];
    const char *bytes = luaL_checklstring(L, 1, &n);
    void *room = lua_newuserdatauv(L, n + 1, 0);
    struct box *box = push_box(L, n);
    box->body = known_body(runtime_of(L), bytes, n, room);
    if (box->body)
        return 1;
    int error = robo_body_read(bytes, n, NULL, &box->body, why);
    return error < 0 ? push_failure(L, error, why) : 1;
}

/* core.records(body): the arguments of core.body. */
static int l_records(lua_State *L)
{
    push_records(L, robo_body_description(check_body(L, 1)));
    return 1;
}

/* core.configuration(body): the configuration block, as it travels. */
static int l_configuration(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    luaL_Buffer buffer;
    char why[192];
    const size_t size = (size_t)robo_body_write(body, NULL, 0, NULL);
    const ptrdiff_t used = robo_body_write(body, luaL_buffinitsize(L, &buffer, size), size, why);
    if (used < 0)
        return push_failure(L, (int)used, why);
    luaL_pushresultsize(&buffer, (size_t)used);
    return 1;
}

/* core.check_drivers(body): refusals of its drivers, a list of { device from 1, message }; and the devices
 * whose drivers are not bundled. */
static int l_check_drivers(lua_State *L)
{
    const struct robo_description *d = robo_body_description(check_body(L, 1));
    lua_Integer count = 0, unknown = 0;
    char why[128];
    lua_newtable(L);
    lua_newtable(L);
    for (unsigned i = 0; i < d->devices; i++) {
        const char *name = d->device[i].driver;
        const robo_driver *driver = robo_built_in_driver(name);
        if (!driver && strcmp(name, "file") != 0 && strcmp(name, "lua") != 0) {
            lua_pushinteger(L, (lua_Integer)i + 1);
            lua_rawseti(L, -2, ++unknown);
        }
        if (!driver || !driver->check || driver->check(d, i, why) >= 0)
            continue;
        lua_createtable(L, 2, 0);
        lua_pushinteger(L, (lua_Integer)i + 1);
        lua_rawseti(L, -2, 1);
        lua_pushstring(L, why);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -3, ++count);
    }
    return 2;
}

void open_description(lua_State *L)
{
    set_function(L, "body", l_body);
    set_function(L, "read_body", l_read_body);
    set_function(L, "records", l_records);
    set_function(L, "configuration", l_configuration);
    set_function(L, "check_drivers", l_check_drivers);
    set_integer(L, "configuration_most", (lua_Integer)robo_body_most());
}
