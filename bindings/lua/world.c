/* Robots and servers in Lua. */
#include <string.h>

#include "robotalk/images.h"
#include "robotalk/address.h"
#include "robotalk/host.h"
#include "robotalk/questions.h"
#include "runtime.h"

static const char SERVER[] = "robotalk.server";

enum { LISTENERS = 8 };

/* A server: a thread with a loop, listeners and a mode state of its own. */
struct server_box {
    struct runtime *rt;
    struct server_box *next;
    robo_loop *loop; /* NULL: closed */
    robo_server *server[LISTENERS];
    int count;
    struct modes *modes;
};

/* That robot of this world, held: raise nothing before robo_release. */
static robo_robot *check_robot(lua_State *L, int arg)
{
    struct runtime *rt = runtime_of(L);
    const char *name = luaL_checkstring(L, arg);
    runtime_need_world(L);
    robo_robot *robot = robo_find(rt->world, name);
    if (!robot)
        luaL_error(L, "there is no robot '%s' here", name);
    return robot;
}

/* core.add_robot(body): its name; nil, message, code when the world refuses. */
static int l_add_robot(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    robo_body *body = check_body(L, 1);
    const struct robo_description *d = robo_body_description(body);
    runtime_need_world(L);
    for (size_t i = 0; i < d->devices; i++)
        if (strcmp(d->device[i].driver, "file") != 0 &&
            !robo_find_driver(rt->world, d->device[i].driver))
            return push_failure(L, ROBO_EDEVICE,
                                lua_pushfstring(L, "there is no driver '%s'", d->device[i].driver));
    robo_robot *robot;
    output_robot(d->name);
    int error = robo_add_body(rt->world, body, &robot);
    if (error < 0)
        return push_failure(L, error, NULL);
    record_robot(rt, robot);
    robo_release(robot);
    lua_pushstring(L, d->name);
    return 1;
}

/* core.reload_robot(body): { kept =, dropped = }; nil, message, code, and the robot is as it was. The code's number is
 * behind it, for callers that pass it on, and whether the robot has no devices now. */
static int l_reload_robot(lua_State *L)
{
    robo_body *body = check_body(L, 1);
    lua_pushstring(L, robo_body_description(body)->name);
    robo_robot *robot = check_robot(L, lua_gettop(L));
    struct robo_reload_report report;
    int error = robo_reload_body(robot, body, &report);
    robo_release(robot);
    if (error < 0) {
        push_failure(L, error,
                     report.lost ? "neither the new drivers nor the old ones can be opened" : NULL);
        lua_pushinteger(L, -error);
        lua_pushboolean(L, report.lost);
        return 5;
    }
    lua_createtable(L, 0, 2);
    set_integer(L, "kept", report.kept);
    set_integer(L, "dropped", report.dropped);
    return 1;
}

static int l_remove_robot(lua_State *L)
{
    robo_robot *robot = check_robot(L, 1);
    robo_remove(robot);
    robo_release(robot);
    return 0;
}

static int l_robots(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    char name[sizeof((struct robo_description *)0)->name];
    uint64_t cursor = 0;
    lua_newtable(L);
    for (robo_robot *robot; rt->world && (robot = robo_next_robot(rt->world, &cursor)) != NULL;) {
        memcpy(name, robo_robot_name(robot), sizeof name);
        robo_release(robot); /* Lua may raise */
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    return 1;
}

/* core.robot_stopper(name): the client that stopped all of it last: its number, its name then, and whether another client
 * drove; nil: none yet. */
static int l_robot_stopper(lua_State *L)
{
    char name[64];
    robo_robot *robot = check_robot(L, 1);
    int others;
    const uint32_t number = robo_robot_stopper(robot, name, &others);
    robo_release(robot);
    if (number == 0)
        return 0;
    lua_pushinteger(L, number);
    lua_pushstring(L, name);
    lua_pushboolean(L, others);
    return 3;
}

/* core.robot_state(name): straight from the robot, for callers in the same process. */
static int l_robot_state(lua_State *L)
{
    struct robo_state state;
    robo_robot *robot = check_robot(L, 1);
    robo_read(robot, &state, sizeof state);
    robo_release(robot);
    push_message(L, robo_message_named("robo_state"), &state);
    return 1;
}

static int l_robot_panic(lua_State *L)
{
    robo_robot *robot = check_robot(L, 1);
    if (lua_toboolean(L, 2))
        robo_panic(robot);
    else
        robo_reset(robot);
    robo_release(robot);
    return 0;
}

/* ---- servers ---- */

static void close_server(lua_State *L, struct server_box *box)
{
    if (!box->loop)
        return;
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, box);
    robo_loop_stop(box->loop);
    for (int i = 0; i < box->count; i++)
        robo_unserve(box->server[i]);
    robo_loop_close(box->loop);
    if (box->modes)
        modes_close(box->modes);
    box->loop = NULL;
    TAKE_OUT(box->rt->servers, box);
}

void close_servers(struct runtime *rt)
{
    while (rt->servers)
        close_server(rt->L, rt->servers);
}

static int l_close_server(lua_State *L)
{
    close_server(L, luaL_checkudata(L, 1, SERVER));
    return 0;
}

/* server:reload(): reads the access lists again; returns how many connections end. nil, message, code. */
static int l_server_reload(lua_State *L)
{
    struct server_box *box = luaL_checkudata(L, 1, SERVER);
    char why[256] = "", other[256] = "";
    int ended = 0, error = 0;
    for (int i = 0; i < (int)box->count; i++) {
        int n = robo_server_reload(box->server[i], error < 0 ? other : why);
        if (n >= 0)
            ended += n;
        else if (error == 0)
            error = n;
    }
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushinteger(L, ended);
    return 1;
}

static int l_server_urls(lua_State *L)
{
    struct server_box *box = luaL_checkudata(L, 1, SERVER);
    char url[320];
    lua_newtable(L);
    for (int i = 0; i < box->count; i++) {
        robo_server_url(box->server[i], url);
        lua_pushstring(L, url);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* Adds the modes of the table at `index` to the server's own state. */
static void add_modes(lua_State *L, int index, struct server_box *box)
{
    char why[256];
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        size_t size;
        const char *text = luaL_checklstring(L, -1, &size);
        if (modes_add(box->modes, luaL_checkstring(L, -2), text, size, why) < 0)
            luaL_error(L, "%s", why);
    }
}

/* The text in a field of file `number` of a list, which is on the top of the stack; it stays there, under the table. */
static const char *file_field(lua_State *L, lua_Integer number, const char *name, size_t *size)
{
    lua_getfield(L, -1, name);
    if (lua_type(L, -1) != LUA_TSTRING)
        raise_mistake(L, "files: file %I: field '%s' wants a text, got %s", (LUAI_UACINT)number,
                      name, luaL_typename(L, -1));
    lua_insert(L, -2);
    return lua_tolstring(L, -2, size);
}

/* Gives a loop the files of the list at `index`: { path =, type =, bytes = }. 0; or how many values of a failure it has pushed. */
static int give_files(lua_State *L, int index, robo_loop *loop)
{
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, index); i++) {
        size_t size;
        lua_rawgeti(L, index, i);
        if (!lua_istable(L, -1))
            raise_mistake(L, "files: want a list of tables");
        const char *path = file_field(L, i, "path", NULL), *type = file_field(L, i, "type", NULL),
                   *bytes = file_field(L, i, "bytes", &size);
        const int error = robo_loop_add_file(loop, path, type, bytes, size);
        if (error < 0)
            return push_failure(L, error, lua_pushfstring(L, "%s: %s", path, robo_strerror(error)));
        lua_pop(L, 4);
    }
    return 0;
}

/* core.give{ { path =, type =, bytes = }, … }: files that servers within this process give by HTTP. true; or nil, message, code. */
static int l_give(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    runtime_need_world(L);
    const int failed = give_files(L, 1, runtime_of(L)->loop);
    if (failed)
        return failed;
    lua_pushboolean(L, true);
    return 1;
}

static void push_options(lua_State *L, const struct robo_scheme_option *options)
{
    static const char *const types[] = { "flag", "number", "file", "role", "text" };
    lua_newtable(L);
    for (int k = 0; options[k].name; k++) {
        const struct robo_scheme_option *o = &options[k];
        lua_newtable(L);
        set_text(L, "name", o->name);
        set_text(L, "type", types[o->kind]);
        set_number(L, "least", o->least);
        set_number(L, "most", o->most);
        set_number(L, "otherwise", o->otherwise);
        set_text(L, "doc", o->doc);
        lua_rawseti(L, -2, k + 1);
    }
}

/* core.protocols(): { { name, port, options = { { name, type, least, most, otherwise, doc }, … } }, … }, the options of all
 * addresses with +tls, and those of all addresses. */
static int l_protocols(lua_State *L)
{
    struct robo_scheme scheme;
    lua_newtable(L);
    for (unsigned i = 0; robo_scheme_at(i, &scheme) == 0; i++) {
        lua_newtable(L);
        set_text(L, "name", scheme.name);
        set_integer(L, "port", scheme.port);
        push_options(L, scheme.option);
        lua_setfield(L, -2, "options");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    push_options(L, robo_scheme_tls_options());
    push_options(L, robo_scheme_common_options());
    return 3;
}

static int listen_at(lua_State *L, struct server_box *box, const char *url,
                     const struct robo_serve_options *options)
{
    char why[256];
    int error;
    robo_server *server = robo_serve(box->loop, url, options, &error, why);
    if (!server)
        return push_failure(L, error, why);
    box->server[box->count++] = server;
    return 0;
}

/* core.serve{ listen = { url, … }, modes = { name = text }, files = as of give, images = a folder, most =, stall = { least, most }, lease = }: a server that runs
 * on a thread of its own, for all robots of this world. */
static int l_serve(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    need_main(L, "serve");
    runtime_need_world(L);
    if (robo_is_virtual(rt->world))
        raise_mistake(L, "serve: a simulated world has no sockets");
    struct robo_serve_options options = { .size = sizeof options };
    lua_getfield(L, 1, "most");
    int whole = 1;
    lua_Integer most = lua_isnil(L, -1) ? 0 : lua_tointegerx(L, -1, &whole);
    if (!whole || most < 0)
        raise_mistake(L, "serve: most: want a whole number, 0 or more");
    options.most = (size_t)most;
    check_stall_field(L, 1, &options.stall_least, &options.stall_most);
    options.lease = opt_time_field(L, 1, "lease", 0);
    lua_getfield(L, 1, "listen");
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) < 1 || lua_rawlen(L, -1) > LISTENERS)
        raise_mistake(L, "serve: listen: want a list of 1 to %d addresses", LISTENERS);
    int listen = lua_gettop(L);
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, listen); i++) {
        lua_rawgeti(L, listen, i);
        if (lua_type(L, -1) != LUA_TSTRING)
            raise_mistake(L, "serve: listen: want addresses as texts, got %s",
                          luaL_typename(L, -1));
    }

    lua_getfield(L, 1, "images");
    robo_images *images = lua_isnil(L, -1) ? NULL : check_image_folder(L, -1);
    int folder = lua_gettop(L);

    struct server_box *box = lua_newuserdatauv(L, sizeof *box, 1);
    *box = (struct server_box){ .rt = rt };
    lua_pushvalue(L, folder); /* lives as long */
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, SERVER);
    int self = lua_gettop(L);
    box->loop = robo_loop_open(rt->world);
    if (!box->loop)
        return push_failure(L, ROBO_ESYSTEM, NULL);
    robo_questions_take(rt->questions, box->loop);
    box->next = rt->servers;
    rt->servers = box;
    box->modes = modes_open();
    if (box->modes)
        modes_use(box->modes, box->loop, false);
    if (box->modes && lua_getfield(L, 1, "modes") == LUA_TTABLE)
        add_modes(L, lua_gettop(L), box);
    int failed =
        lua_getfield(L, 1, "files") == LUA_TTABLE ? give_files(L, lua_gettop(L), box->loop) : 0;
    const int refused = images ? robo_loop_use_images(box->loop, images) : 0;
    if (failed || refused < 0) {
        close_server(L, box);
        return failed ? failed : push_failure(L, refused, NULL);
    }
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, listen); i++) {
        lua_rawgeti(L, listen, i);
        failed = listen_at(L, box, lua_tostring(L, -1), &options);
        if (failed) {
            close_server(L, box);
            return failed;
        }
    }
    int error = robo_loop_start(box->loop);
    if (error < 0) {
        close_server(L, box);
        return push_failure(L, error, NULL);
    }
    lua_pushvalue(L, self);
    lua_rawsetp(L, LUA_REGISTRYINDEX, box); /* it goes on when the script forgets it */
    lua_pushvalue(L, self);
    return 1;
}

void open_world(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "close", l_close_server }, { "urls", l_server_urls },     { "reload", l_server_reload },
        { "__gc", l_close_server },  { "__close", l_close_server }, { NULL, NULL },
    };
    set_function(L, "add_robot", l_add_robot);
    set_function(L, "remove_robot", l_remove_robot);
    set_function(L, "robots", l_robots);
    set_function(L, "robot_state", l_robot_state);
    set_function(L, "robot_stopper", l_robot_stopper);
    set_function(L, "robot_panic", l_robot_panic);
    set_function(L, "reload_robot", l_reload_robot);
    set_function(L, "protocols", l_protocols);
    set_function(L, "serve", l_serve);
    set_function(L, "give", l_give);
    define_type(L, SERVER, methods);
}
