/* Recorders in Lua: scripts/robotalk/recorder.lua has the interface for scripts. */
#include "robotalk/record.h"
#include "runtime.h"

static const char RECORDING[] = "robotalk.recorder";

/* It stays until it is closed, or the world is. */
struct recording_box {
    struct runtime *rt;
    struct recording_box *next;
    robo_recording *recording; /* NULL: closed */
    bool all;                  /* of all robots, also those that are added later */
};

static int close_recording(struct recording_box *box, char why[256])
{
    robo_recording *recording = box->recording;
    if (!recording)
        return 0;
    box->recording = NULL;
    TAKE_OUT(box->rt->recordings, box);
    lua_pushnil(box->rt->L);
    lua_rawsetp(box->rt->L, LUA_REGISTRYINDEX, box);
    return robo_record_close(recording, why);
}

void close_recordings(struct runtime *rt)
{
    char why[256];
    while (rt->recordings)
        close_recording(rt->recordings, why);
}

void record_robot(struct runtime *rt, robo_robot *robot)
{
    for (struct recording_box *box = rt->recordings; box; box = box->next)
        if (box->all)
            robo_record_robot(box->recording, robot);
}

/* core.record(path, robot's name or nil for all, rate, images, compression): a recorder; nil, message, code. */
static int l_record(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    const char *path = luaL_checkstring(L, 1), *name = luaL_optstring(L, 2, NULL);
    const struct robo_record_options options = { .size = sizeof options,
                                                 .rate = luaL_optnumber(L, 3, 0),
                                                 .images = luaL_optnumber(L, 4, 0),
                                                 .compression = luaL_optstring(L, 5, NULL) };
    char why[256];
    int error;
    runtime_need_world(L);
    struct recording_box *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (struct recording_box){ .rt = rt, .all = !name };
    luaL_setmetatable(L, RECORDING);
    box->recording = robo_record_open(rt->world, path, &options, &error, why);
    if (!box->recording)
        return push_failure(L, error, why);
    box->next = rt->recordings;
    rt->recordings = box;
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, box);
    uint64_t cursor = 0;
    robo_robot *robot = name ? robo_find(rt->world, name) : robo_next_robot(rt->world, &cursor);
    error = robot ? 0 : name ? ROBO_ENONE : 0;
    while (robot) {
        error = error < 0 ? error : robo_record_robot(box->recording, robot);
        robo_release(robot);
        robot = name ? NULL : robo_next_robot(rt->world, &cursor);
    }
    if (error == 0)
        return 1;
    close_recording(box, why);
    return push_failure(L, error, NULL);
}

/* recorder:counts(): messages, lost; of one that is closed nothing. */
static int l_counts(lua_State *L)
{
    const struct recording_box *box = luaL_checkudata(L, 1, RECORDING);
    struct robo_record_counts counts;
    if (!box->recording)
        return 0;
    robo_record_counts(box->recording, &counts);
    lua_pushinteger(L, (lua_Integer)counts.messages);
    lua_pushinteger(L, (lua_Integer)counts.lost);
    return 2;
}

/* recorder:close(): true; nil, message, code: what was the first failure. */
static int l_close(lua_State *L)
{
    char why[256] = "";
    return push_done(L, close_recording(luaL_checkudata(L, 1, RECORDING), why), why);
}

void open_recordings(lua_State *L)
{
    static const luaL_Reg methods[] = { { "counts", l_counts },
                                        { "close", l_close },
                                        { NULL, NULL } };
    define_type(L, RECORDING, methods);
    set_function(L, "record", l_record);
}
