/* Recordings in Lua: scripts/robotalk/mcap.lua has the interface for scripts. */
#include "robotalk/mcap.h"
#include "runtime.h"

static const char READER[] = "robotalk.mcap_reader", WRITER[] = "robotalk.mcap_writer";

struct reader {
    robo_mcap_reader *reader;       /* NULL: closed */
    struct robo_mcap_record record; /* the last one; of kind 0: none */
};

struct writer {
    robo_mcap_writer *writer; /* NULL: finished */
};

/* ---- reading ---- */

/* core.mcap_open(path): a reader; nil, message, code. */
static int l_open(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    char why[256];
    int error;
    struct reader *r = lua_newuserdatauv(L, sizeof *r, 0);
    *r = (struct reader){ NULL };
    luaL_setmetatable(L, READER);
    r->reader = robo_mcap_open(path, &error, why);
    return r->reader ? 1 : push_failure(L, error, why);
}

static struct reader *check_reader(lua_State *L)
{
    struct reader *r = luaL_checkudata(L, 1, READER);
    luaL_argcheck(L, r->reader, 1, "the recording is closed");
    return r;
}

static void push_bytes(lua_State *L, struct robo_mcap_bytes bytes)
{
    lua_pushlstring(L, bytes.size > 0 ? bytes.at : "", bytes.size);
}

/* reader:next(): kind, id, name, encoding, log time, publish time, sequence, schema, place, offset of the next record; at the end nil;
 * nil, message, code. */
static int l_next(lua_State *L)
{
    struct reader *r = check_reader(L);
    struct robo_mcap_record *record = &r->record;
    char why[256];
    const int n = robo_mcap_next(r->reader, record, why);
    if (n <= 0)
        record->kind = 0;
    if (n < 0)
        return push_failure(L, n, why);
    if (n == 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, record->kind);
    lua_pushinteger(L, record->id);
    push_bytes(L, record->name);
    push_bytes(L, record->encoding);
    lua_pushinteger(L, (lua_Integer)record->log_time);
    lua_pushinteger(L, (lua_Integer)record->publish_time);
    lua_pushinteger(L, record->sequence);
    lua_pushinteger(L, record->schema);
    lua_pushinteger(L, (lua_Integer)record->place);
    lua_pushinteger(L, (lua_Integer)record->offset);
    return 10;
}

/* reader:data(): of that record, and its map. */
static int l_data(lua_State *L)
{
    const struct reader *r = check_reader(L);
    luaL_argcheck(L, r->record.kind != 0, 1, "there is no record");
    push_bytes(L, r->record.data);
    push_bytes(L, r->record.map);
    return 2;
}

/* reader:summary(): true, and the summary is next; nil, message, code. */
static int l_summary(lua_State *L)
{
    struct reader *r = check_reader(L);
    char why[256];
    r->record.kind = 0;
    return push_done(L, robo_mcap_summary(r->reader, why), why);
}

/* reader:range(from, until): back to the beginning; ns. */
static int l_range(lua_State *L)
{
    struct reader *r = check_reader(L);
    const lua_Integer from = luaL_optinteger(L, 2, 0), until = luaL_optinteger(L, 3, -1);
    r->record.kind = 0;
    robo_mcap_range(r->reader, (uint64_t)from, (uint64_t)until);
    return 0;
}

static int l_close(lua_State *L)
{
    struct reader *r = luaL_checkudata(L, 1, READER);
    robo_mcap_close(r->reader);
    *r = (struct reader){ NULL };
    return 0;
}

/* ---- writing ---- */

/* core.mcap_create(path, compression, bytes of a chunk, ns of a chunk): a writer; nil, message, code. */
static int l_create(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    const struct robo_mcap_options options = { sizeof options, luaL_optstring(L, 2, NULL),
                                               (uint32_t)luaL_optinteger(L, 3, 0),
                                               (uint64_t)luaL_optinteger(L, 4, 0) };
    char why[256];
    int error;
    struct writer *w = lua_newuserdatauv(L, sizeof *w, 0);
    w->writer = NULL;
    luaL_setmetatable(L, WRITER);
    w->writer = robo_mcap_create(path, &options, &error, why);
    return w->writer ? 1 : push_failure(L, error, why);
}

static struct writer *check_writer(lua_State *L, int arg)
{
    struct writer *w = luaL_checkudata(L, arg, WRITER);
    luaL_argcheck(L, w->writer, arg, "the recording is finished");
    return w;
}

static struct robo_mcap_bytes opt_bytes(lua_State *L, int arg)
{
    struct robo_mcap_bytes bytes;
    bytes.at = luaL_optlstring(L, arg, "", &bytes.size);
    return bytes;
}

/* writer:write(kind, id, name, encoding, log time, publish time, sequence, schema, data, map): true; nil, message, code. */
static int l_write(lua_State *L)
{
    struct writer *w = check_writer(L, 1);
    const struct robo_mcap_record record = { .kind = (int)luaL_checkinteger(L, 2),
                                             .id = (uint16_t)luaL_optinteger(L, 3, 0),
                                             .name = opt_bytes(L, 4),
                                             .encoding = opt_bytes(L, 5),
                                             .log_time = (uint64_t)luaL_optinteger(L, 6, 0),
                                             .publish_time = (uint64_t)luaL_optinteger(L, 7, 0),
                                             .sequence = (uint32_t)luaL_optinteger(L, 8, 0),
                                             .schema = (uint16_t)luaL_optinteger(L, 9, 0),
                                             .data = opt_bytes(L, 10),
                                             .map = opt_bytes(L, 11) };
    char why[256];
    return push_done(L, robo_mcap_write(w->writer, &record, why), why);
}

/* reader:copy(writer): writes the record that was read: true; nil, message, code. */
static int l_copy(lua_State *L)
{
    const struct reader *r = check_reader(L);
    char why[256];
    return push_done(L, robo_mcap_write(check_writer(L, 2)->writer, &r->record, why), why);
}

/* writer:feed(bytes): writes the records that are whole by now: true; nil, message, code. */
static int l_feed(lua_State *L)
{
    struct writer *w = check_writer(L, 1);
    const struct robo_mcap_bytes bytes = opt_bytes(L, 2);
    char why[256];
    return push_done(L, robo_mcap_feed(w->writer, bytes.at, bytes.size, why), why);
}

static int l_flush(lua_State *L)
{
    char why[256];
    return push_done(L, robo_mcap_flush(check_writer(L, 1)->writer, why), why);
}

/* writer:finish(): true; nil, message, code; also without a call when it is collected. */
static int l_finish(lua_State *L)
{
    struct writer *w = luaL_checkudata(L, 1, WRITER);
    robo_mcap_writer *writer = w->writer;
    char why[256];
    w->writer = NULL;
    return push_done(L, robo_mcap_finish(writer, why), why);
}

void open_mcap(lua_State *L)
{
    static const luaL_Reg readers[] = {
        { "next", l_next }, { "data", l_data },   { "summary", l_summary }, { "range", l_range },
        { "copy", l_copy }, { "close", l_close }, { "__gc", l_close },      { NULL, NULL },
    };
    static const luaL_Reg writers[] = {
        { "write", l_write },   { "feed", l_feed },   { "flush", l_flush },
        { "finish", l_finish }, { "__gc", l_finish }, { NULL, NULL },
    };
    define_type(L, READER, readers);
    define_type(L, WRITER, writers);
    set_function(L, "mcap_open", l_open);
    set_function(L, "mcap_create", l_create);
}
