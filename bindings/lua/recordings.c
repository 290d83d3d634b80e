/* Recorders in Lua: scripts/robotalk/recorder.lua has the interface for scripts; and replays, for scripts/robotalk/mcap/compare.lua. */
#include "robotalk/record.h"
#include "robotalk/replay.h"
#include "runtime.h"

static const char RECORDING[] = "robotalk.recorder", REPLAY[] = "robotalk.replay";

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

/* ---- replays ---- */

/* A decision as a recording has it; false and nil are no flags there, but 0 is. */
static struct robo_mode_decision check_decision(lua_State *L, int at)
{
    luaL_checktype(L, at, LUA_TTABLE);
    return (struct robo_mode_decision){ .hold = number_field(L, at, "hold") != 0,
                                        .blocking = number_field(L, at, "blocking") != 0,
                                        .buffered = number_field(L, at, "buffered") != 0,
                                        .refills = number_field(L, at, "refills") != 0,
                                        .shift = opt_time_field(L, at, "shift", 0),
                                        .again = opt_time_field(L, at, "again", 0),
                                        .expiry = opt_time_field(L, at, "expiry", -1) };
}

static robo_replay *check_replay(lua_State *L)
{
    robo_replay **box = luaL_checkudata(L, 1, REPLAY);
    if (!*box)
        luaL_error(L, "the session is closed");
    return *box;
}

static void check_query(lua_State *L, int at, const struct robo_operation *op, void *request)
{
    check_message(L, at, op->request, request, NULL, op->name);
}

/* core.replay(robot, { client =, holder =, local =, wordless =, name = }, the request open, decision): a session; nil, message, code. */
static int l_replay(lua_State *L)
{
    struct robo_request_open open;
    char why[128];
    int error = ROBO_ENONE;
    runtime_need_world(L);
    check_query(L, 3, robo_operation_find(robo_queries(), ROBO_Q_OPEN), &open);
    lua_getfield(L, 2, "name");
    const struct robo_replay_client client = { .number = (uint32_t)number_field(L, 2, "client"),
                                               .holder = (uint32_t)number_field(L, 2, "holder"),
                                               .local = number_field(L, 2, "local") != 0,
                                               .wordless = number_field(L, 2, "wordless") != 0,
                                               .name = luaL_checkstring(L, -1) };
    const struct robo_mode_decision first = check_decision(L, 4);
    robo_replay **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    luaL_setmetatable(L, REPLAY);
    robo_robot *robot = robo_find(runtime_of(L)->world, luaL_checkstring(L, 1));
    why[0] = 0;
    if (robot)
        *box = robo_replay_open(robot, &client, &open, &first, &error, why);
    robo_release(robot);
    return *box ? 1 : push_failure(L, error, why[0] ? why : NULL);
}

/* replay:decide(decision): what its mode decides next. */
static int l_decide(lua_State *L)
{
    const struct robo_mode_decision decision = check_decision(L, 2);
    return push_done(
        L, robo_replay_decide(check_replay(L), -(int)number_field(L, 2, "error"), &decision), NULL);
}

/* The stamp of a package; nil: it has none. */
static robo_time opt_stamp(lua_State *L, int at)
{
    return lua_isnoneornil(L, at) ? ROBO_NO_TIME : check_time(L, at);
}

/* replay:heard(stamp or nil) */
static int l_heard(lua_State *L)
{
    robo_replay_heard(check_replay(L), opt_stamp(L, 2));
    return 0;
}

/* replay:commands({ { id =, revision =, parts = of a move, command = as of send }, … }, epoch, stops, stamp or nil) */
static int l_commands(lua_State *L)
{
    robo_replay *replay = check_replay(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    const size_t n = lua_rawlen(L, 2);
    struct robo_cmd *cmds = lua_newuserdatauv(L, (n + 1) * sizeof *cmds, 0);
    for (size_t i = 0; i < n; i++) {
        luaL_checkstack(L, 4, NULL);
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        const int at = lua_gettop(L);
        lua_getfield(L, at, "command");
        check_command(L, at + 1, &cmds[i]);
        cmds[i].id = (uint32_t)number_field(L, at, "id");
        cmds[i].revision = (uint8_t)number_field(L, at, "revision");
        if (cmds[i].op == ROBO_MOVE)
            cmds[i].body.move->parts = (uint16_t)number_field(L, at, "parts");
        lua_remove(L, at + 1); /* a frame's body stays */
        lua_remove(L, at);
    }
    return push_done(L,
                     robo_replay_commands(replay, cmds, n, (uint16_t)luaL_checkinteger(L, 3),
                                          (uint16_t)luaL_checkinteger(L, 4), opt_stamp(L, 5)),
                     NULL);
}

/* replay:request(query, fields) */
static int l_request(lua_State *L)
{
    uint64_t request[64];
    robo_replay *replay = check_replay(L);
    const struct robo_operation *op = robo_operation_named(robo_queries(), luaL_checkstring(L, 2));
    luaL_argcheck(L, op && op->request->size <= sizeof request, 2, "there is no such query");
    check_query(L, 3, op, request);
    return push_done(L, robo_replay_request(replay, (enum robo_query)op->op, request), NULL);
}

static int l_end(lua_State *L)
{
    robo_replay **box = luaL_checkudata(L, 1, REPLAY);
    robo_replay_close(*box);
    *box = NULL;
    return 0;
}

void open_recordings(lua_State *L)
{
    static const luaL_Reg methods[] = { { "counts", l_counts },
                                        { "close", l_close },
                                        { NULL, NULL } };
    static const luaL_Reg replays[] = { { "decide", l_decide },
                                        { "heard", l_heard },
                                        { "commands", l_commands },
                                        { "request", l_request },
                                        { "close", l_end },
                                        { "__gc", l_end },
                                        { NULL, NULL } };
    define_type(L, RECORDING, methods);
    define_type(L, REPLAY, replays);
    set_function(L, "record", l_record);
    set_function(L, "replay", l_replay);
}
