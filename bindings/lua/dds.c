/* Topics of DDS in Lua. Samples wait in a queue until a task takes them; an event "readable" comes with the first. */
#include <stdlib.h>
#include <string.h>

#include "robotalk/dds.h"
#include "robotalk/host.h"
#include "runtime.h"

static const char TOPIC[] = "robotalk.dds";

enum { WAITING_MOST = 1024 /* samples */, WAITING_BYTES = 8 << 20 };

struct sample {
    struct sample *next;
    struct robo_dds_sample is;
    uint8_t bytes[];
};

/* A topic that is written or read: one of writer and reader is there. */
struct topic {
    struct runtime *rt;
    struct topic *next; /* of the open ones */
    robo_dds *dds;      /* NULL: closed */
    robo_dds_writer *writer;
    robo_dds_reader *reader;
    lua_Integer handle;
    struct sample *first, **last;
    size_t count, bytes;
    lua_Integer lost; /* samples for which there was no room */
};

static struct topic *check_topic(lua_State *L)
{
    struct topic *t = luaL_checkudata(L, 1, TOPIC);
    luaL_argcheck(L, t->dds, 1, "the topic is closed");
    return t;
}

static struct sample *take_first(struct topic *t)
{
    struct sample *s = t->first;
    t->first = s->next;
    if (!t->first)
        t->last = &t->first;
    t->count--;
    t->bytes -= s->is.size;
    return s;
}

static void close_topic(struct topic *t)
{
    if (!t->dds)
        return;
    robo_dds_close(t->dds);
    t->dds = NULL;
    while (t->first)
        free(take_first(t));
    TAKE_OUT(t->rt->topics, t);
}

void close_topics(struct runtime *rt)
{
    while (rt->topics)
        close_topic(rt->topics);
}

static int l_gc(lua_State *L)
{
    close_topic(luaL_checkudata(L, 1, TOPIC));
    return 0;
}

/* topic:close(): wakes a task that waits for a sample. */
static int l_close(lua_State *L)
{
    struct topic *t = luaL_checkudata(L, 1, TOPIC);
    if (t->dds)
        runtime_event(t->rt, EVENT_READABLE, t->handle, 0);
    close_topic(t);
    return 0;
}

static void on_sample(void *owner, const struct robo_dds_sample *in)
{
    struct topic *t = owner;
    while (t->first && (t->count >= WAITING_MOST || t->bytes + in->size > WAITING_BYTES)) {
        free(take_first(t));
        t->lost++;
    }
    struct sample *s = malloc(sizeof *s + in->size);
    if (!s) {
        t->lost++;
        return;
    }
    s->next = NULL;
    s->is = *in;
    if (in->size > 0)
        memcpy(s->bytes, in->bytes, in->size);
    if (!t->first)
        runtime_event(t->rt, EVENT_READABLE, t->handle, 0);
    *t->last = s;
    t->last = &s->next;
    t->count++;
    t->bytes += in->size;
}

static void on_readers(void *owner, unsigned readers)
{
    const struct topic *t = owner;
    (void)readers;
    runtime_event(t->rt, EVENT_READABLE, t->handle, 0);
}

static const char *text_field(lua_State *L, const char *name)
{
    lua_getfield(L, 2, name); /* stays on the stack, so that the text lives */
    return lua_isnil(L, -1) ? NULL : luaL_checkstring(L, -1);
}

static robo_time seconds_field(lua_State *L, const char *name)
{
    return (robo_time)(number_field(L, 2, name) * 1e9);
}

/* core.dds(url, { name =, type =, write =, partition =, keyed =, reliable =, lasting =, depth =, deadline =, liveliness =,
 * strength =, remains = }): a topic, which is written or read; nil, message, code. */
static int l_dds(lua_State *L)
{
    const char *url = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    struct robo_dds_topic wanted = { .size = sizeof wanted,
                                     .name = text_field(L, "name"),
                                     .type = text_field(L, "type"),
                                     .partition = text_field(L, "partition"),
                                     .keyed = flag_field(L, 2, "keyed"),
                                     .reliable = flag_field(L, 2, "reliable"),
                                     .lasting = flag_field(L, 2, "lasting"),
                                     .deadline = seconds_field(L, "deadline"),
                                     .liveliness = seconds_field(L, "liveliness"),
                                     .remains = flag_field(L, 2, "remains") };
    wanted.depth = (unsigned)number_field(L, 2, "depth");
    wanted.strength = (int)number_field(L, 2, "strength");
    luaL_argcheck(L, wanted.name && wanted.type, 2, "want a name and a type");
    runtime_need_world(L);
    struct runtime *rt = runtime_of(L);
    struct topic *t = lua_newuserdatauv(L, sizeof *t, 0);
    *t = (struct topic){ .rt = rt, .handle = ++rt->last_handle };
    t->last = &t->first;
    luaL_setmetatable(L, TOPIC);
    int error;
    char why[256];
    t->dds = robo_dds_open(rt->loop, url, &error, why);
    if (!t->dds)
        return push_failure(L, error, why);
    t->next = rt->topics;
    rt->topics = t;
    if (flag_field(L, 2, "write"))
        t->writer = robo_dds_write(t->dds, &wanted, on_readers, t, why);
    else
        t->reader = robo_dds_read(t->dds, &wanted, on_sample, t, why);
    if (!t->writer && !t->reader) {
        close_topic(t);
        return push_failure(L, ROBO_ESYSTEM, why);
    }
    return 1;
}

/* topic:put(bytes): true; nil, message, code. */
static int l_put(lua_State *L)
{
    const struct topic *t = check_topic(L);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    luaL_argcheck(L, t->writer, 1, "the topic is read");
    const int error = robo_dds_put(t->writer, bytes, n);
    if (error < 0)
        return push_failure(L, error, error == ROBO_ETIMEOUT ? "its readers are behind" : NULL);
    lua_pushboolean(L, 1);
    return 1;
}

/* topic:dispose(key): true; nil, message, code. */
static int l_dispose(lua_State *L)
{
    const struct topic *t = check_topic(L);
    size_t n;
    const char *key = luaL_checklstring(L, 2, &n);
    luaL_argcheck(L, t->writer, 1, "the topic is read");
    luaL_argcheck(L, n == ROBO_DDS_KEY, 2, "want 16 octets");
    const int error = robo_dds_dispose(t->writer, (const uint8_t *)key);
    if (error < 0)
        return push_failure(L, error, NULL);
    lua_pushboolean(L, 1);
    return 1;
}

/* topic:readers(): how many read what is written. */
static int l_readers(lua_State *L)
{
    const struct topic *t = check_topic(L);
    lua_pushinteger(L, t->writer ? robo_dds_readers(t->writer) : 0);
    return 1;
}

/* topic:take(): event ("sample", "disposed", "lost"), key, bytes, time in s since 1970, the writer's GUID or nil; false: none waits. */
static int l_take(lua_State *L)
{
    static const char *const events[] = { "sample", "disposed", "lost" };
    struct topic *t = luaL_checkudata(L, 1, TOPIC);
    uint8_t guid[16];
    if (!t->first) {
        if (t->dds)
            lua_pushboolean(L, 0);
        return t->dds ? 1 : push_failure(L, ROBO_ECLOSED, "the topic is closed");
    }
    struct sample *s = take_first(t);
    lua_settop(L, 1);
    lua_pushstring(L, events[s->is.event]);
    lua_pushlstring(L, (const char *)s->is.key, ROBO_DDS_KEY);
    lua_pushlstring(L, (const char *)s->bytes, s->is.size);
    lua_pushnumber(L, (lua_Number)s->is.written * 1e-9);
    if (robo_dds_source(t->reader, s->is.writer, guid) == 0)
        lua_pushlstring(L, (const char *)guid, sizeof guid);
    else
        lua_pushnil(L);
    free(s);
    return 5;
}

/* topic:guid(): its own, and that of the process's participant: 16 octets each. */
static int l_guid(lua_State *L)
{
    const struct topic *t = check_topic(L);
    uint8_t guid[16];
    if (t->writer)
        robo_dds_writer_guid(t->writer, guid);
    else
        robo_dds_reader_guid(t->reader, guid);
    lua_pushlstring(L, (const char *)guid, sizeof guid);
    robo_dds_guid(t->dds, guid);
    lua_pushlstring(L, (const char *)guid, sizeof guid);
    return 2;
}

static int l_handle(lua_State *L)
{
    lua_pushinteger(L, check_topic(L)->handle);
    return 1;
}

/* Appends a row to the table at the top. Raises without memory, out of a walk that holds no memory of its own. */
static void add_endpoint(void *owner, const struct robo_dds_endpoint *e)
{
    lua_State *L = owner;
    lua_createtable(L, 0, 7);
    set_text(L, "topic", e->topic);
    set_text(L, "type", e->type);
    set_text(L, "partition", e->partition);
    set_flag(L, "writes", e->writes);
    set_flag(L, "reliable", e->reliable);
    set_flag(L, "lasting", e->lasting);
    lua_pushlstring(L, (const char *)e->guid, sizeof e->guid);
    lua_setfield(L, -2, "guid");
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* topic:list(): each reader and writer of the domain that is known by now. */
static int l_list(lua_State *L)
{
    const struct topic *t = check_topic(L);
    lua_newtable(L);
    robo_dds_list(t->dds, add_endpoint, L);
    return 1;
}

void open_topics(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "put", l_put },       { "dispose", l_dispose }, { "readers", l_readers },
        { "take", l_take },     { "guid", l_guid },       { "list", l_list },
        { "handle", l_handle }, { "close", l_close },     { "__gc", l_gc },
        { "__close", l_close }, { NULL, NULL },
    };
    define_type(L, TOPIC, methods);
    set_function(L, "dds", l_dds);
}
