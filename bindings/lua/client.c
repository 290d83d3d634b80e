/* Clients in Lua: thin methods over robo_client. Nothing here waits; the scheduler in Lua does. */
#include <string.h>

#include "runtime.h"
#include "robotalk/test.h"
#include "robotalk/host.h"
#include "robotalk/link.h"
#include "robotalk/session.h"
#include "robotalk/words.h"
#include "robotalk/watchers.h"

static const char CLIENT[] = "robotalk.client";

/* The content of the userdata: closed when client is NULL, by close, by collection or with the world. */
struct client_box {
    struct runtime *rt;
    robo_client *client;
    struct client_box *next;
    lua_Integer handle;
    bool told; /* an event is waiting: one is enough */
};

/* In a method, whose upvalue is the metatable: on the path of each command twice, and its name need not be looked up. */
static struct client_box *check_box(lua_State *L)
{
    if (!lua_getmetatable(L, 1) || !lua_rawequal(L, -1, lua_upvalueindex(1)))
        luaL_checkudata(L, 1, CLIENT); /* raises */
    lua_pop(L, 1);
    return lua_touserdata(L, 1);
}

/* NULL: the connection was closed, which another task may do at any time. Then the answer of a method is that of
 * closed(). */
static robo_client *client_of(lua_State *L)
{
    return check_box(L)->client;
}

static int closed(lua_State *L)
{
    const bool dismissed = atomic_load(&runtime_of(L)->dismissed);
    return push_failure(L, ROBO_ECLOSED,
                        dismissed ? "the script is to end" : "the connection is closed");
}

/* The same for a call that acts, or asks: NULL, too, when the script is to end. */
static robo_client *acting_client_of(lua_State *L)
{
    robo_client *c = client_of(L);
    return atomic_load(&runtime_of(L)->dismissed) ? NULL : c;
}

static robo_session_id check_session(lua_State *L, int arg)
{
    lua_Integer n = luaL_checkinteger(L, arg);
    luaL_argcheck(L, n >= 0 && n <= UINT32_MAX, arg, "want the number of a session");
    return (robo_session_id){ n };
}

/* The id of a command or query, or its failure. */
static int push_id(lua_State *L, robo_id id)
{
    if (id.value < 0)
        return push_failure(L, (int)id.value, NULL);
    lua_pushinteger(L, id.value);
    return 1;
}

static void on_notify(void *owner, robo_client *client)
{
    (void)client;
    struct client_box *box = owner;
    if (!box->told)
        runtime_event(box->rt, EVENT_CLIENT, box->handle, 0);
    box->told = true;
}

static void close_box(struct client_box *box)
{
    if (!box->client)
        return;
    robo_loop *loop = box->rt->loop;
    robo_loop_lock(loop);
    robo_disconnect(box->client);
    box->client = NULL;
    TAKE_OUT(box->rt->clients, box);
    robo_loop_unlock(loop);
}

void close_clients(struct runtime *rt)
{
    while (rt->clients)
        close_box(rt->clients);
}

/* ---- dismissal, while the watchdog has the loop's lock or the script is between turns ---- */

bool dismiss_clients(struct runtime *rt)
{
    if (!atomic_load(&rt->reaches))
        return true;
    if (!robo_loop_try_lock(rt->loop))
        return false;
    for (const struct client_box *box = rt->clients; box; box = box->next)
        robo_client_dismiss(box->client);
    robo_loop_unlock(rt->loop);
    robo_loop_wake(rt->loop);
    return true;
}

void readmit_clients(struct runtime *rt)
{
    if (!rt->clients)
        return;
    robo_loop_lock(rt->loop);
    for (const struct client_box *box = rt->clients; box; box = box->next)
        robo_client_readmit(box->client);
    robo_loop_unlock(rt->loop);
}

/* A number that is 0 when the field is missing. */
static double opt_number_field(lua_State *L, int table, const char *name, double most)
{
    lua_getfield(L, table, name);
    lua_Number x = 0;
    if (!lua_isnil(L, -1))
        x = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
    if (!(x >= 0 && x <= most))
        raise_mistake(L, "channel: field '%s' wants a number from 0 to %f", name, most);
    lua_pop(L, 1);
    return x;
}

static robo_time opt_span_field(lua_State *L, int table, const char *name)
{
    robo_time t = opt_time_field(L, table, name, 0);
    if (t < 0)
        raise_mistake(L, "channel: field '%s' wants seconds, 0 or more", name);
    return t;
}

void check_channel(lua_State *L, int table, struct robo_channel *channel)
{
    luaL_checktype(L, table, LUA_TTABLE);
    channel->latency = opt_span_field(L, table, "latency");
    channel->jitter = opt_span_field(L, table, "jitter");
    channel->again = opt_span_field(L, table, "again");
    channel->rate = opt_number_field(L, table, "rate", 1e12);
    channel->loss = opt_number_field(L, table, "loss", 1);
    channel->duplicate = opt_number_field(L, table, "duplicate", 1);
    channel->reorder = opt_number_field(L, table, "reorder", 1);
    check_stall_field(L, table, &channel->stall_least, &channel->stall_most);
}

/* core.connect(url, { reconnect =, role =, token =, channel =, name =, apart = }): a client that begins to connect, and its
 * handle. */
static int l_connect(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    static const char *const roles[] = { "watch", "drive", "operate", NULL };
    const char *url = luaL_checkstring(L, 1);
    struct robo_channel channel = { .size = sizeof channel };
    struct robo_client_options options = { .size = sizeof options, .notify = on_notify };
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        options.reconnect = flag_field(L, 2, "reconnect");
        options.apart = flag_field(L, 2, "apart");
        lua_getfield(L, 2, "role");
        if (!lua_isnil(L, -1))
            options.role = luaL_checkoption(L, -1, NULL, roles) + 1;
        lua_getfield(L, 2, "name");
        options.name = lua_tostring(L, -1); /* stays on the stack, and so alive */
        lua_getfield(L, 2, "token");
        options.token = luaL_optstring(L, -1, NULL);
        lua_getfield(L, 2, "channel");
        if (!lua_isnil(L, -1)) {
            check_channel(L, lua_gettop(L), &channel);
            options.channel = &channel;
        }
    }
    runtime_need_world(L);
    if (atomic_load(&rt->dismissed))
        return closed(L);
    options.key = rt->key;
    struct client_box *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (struct client_box){ .rt = rt, .handle = ++rt->last_handle, .told = true };
    luaL_setmetatable(L, CLIENT);
    options.owner = box;
    int error;
    char why[256];
    if (strncmp(url, "local:", 6) != 0 && !robo_is_virtual(rt->world)) {
        robo_loop_share(rt->loop);
        atomic_store(&rt->reaches, true);
    }
    robo_loop_lock(rt->loop);
    box->client = robo_client_open(rt->loop, url, &options, &error, why);
    if (box->client) {
        box->next = rt->clients;
        rt->clients = box;
        if (atomic_load(&rt->watched.signal))
            robo_client_dismiss(box->client);
    }
    robo_loop_unlock(rt->loop);
    if (!box->client)
        return push_failure(L, error, why);
    /* events may have come while it was opened */
    runtime_event(rt, EVENT_CLIENT, box->handle, 0);
    lua_pushinteger(L, box->handle);
    return 2;
}

static int l_close(lua_State *L)
{
    close_box(check_box(L));
    return 0;
}

/* client:state(): "connecting", "up" or "down", and why it is down, and the code. */
static int l_state(lua_State *L)
{
    struct client_box *box = check_box(L);
    if (!box->client) {
        lua_pushliteral(L, "closed");
        return 1;
    }
    int state = robo_client_state(box->client);
    if (state < 0) {
        push_failure(L, state, robo_client_why(box->client));
        lua_pushliteral(L, "down");
        lua_replace(L, -4);
        return 3;
    }
    lua_pushstring(L, state == 1 ? "up" : "connecting");
    return 1;
}

/* client:train(count): so many small packages at once; ends as a probe does. */
static int l_train(lua_State *L)
{
    robo_client *c = client_of(L);
    if (!c)
        return closed(L);
    lua_Integer count = luaL_checkinteger(L, 2);
    luaL_argcheck(L, count >= 1 && count <= 100, 2, "want 1 to 100 packages");
    robo_loop_lock(robo_client_loop(c));
    robo_client_train(c, (uint32_t)count);
    robo_loop_unlock(robo_client_loop(c));
    return 0;
}

/* client:probe(count, seconds): begins to measure the clock; the event "reply" "sync" marks the end. */
static int l_probe(lua_State *L)
{
    robo_client *c = client_of(L);
    if (!c)
        return closed(L);
    lua_Integer count = luaL_checkinteger(L, 2);
    luaL_argcheck(L, count >= 0 && count <= 10000, 2, "want a number of exchanges");
    const robo_time span = check_time(L, 3);
    robo_loop_lock(robo_client_loop(c));
    robo_client_probe(c, (uint32_t)count, span);
    robo_loop_unlock(robo_client_loop(c));
    return 0;
}

static int l_clock(lua_State *L)
{
    robo_client *c = client_of(L);
    struct robo_timing timing;
    if (!c || robo_client_timing(c, &timing) < 0)
        return 0;
    lua_createtable(L, 0, 8);
    set_time(L, "offset", timing.offset);
    set_time(L, "uncertainty", timing.uncertainty);
    set_number(L, "drift", timing.drift);
    set_time(L, "least", timing.least);
    set_time(L, "median", timing.median);
    set_time(L, "jitter", timing.jitter);
    set_integer(L, "exchanges", timing.exchanges);
    set_integer(L, "probing", timing.probing);
    return 1;
}

static const char *opt_text_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name); /* stays on the stack, and so alive */
    if (!lua_isnil(L, -1) && lua_type(L, -1) != LUA_TSTRING)
        raise_mistake(L, "open: field '%s' wants a text, got %s", name, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

/* client:open{ robot =, mode =, options =, delay =, … }: number of the session, id of the query. */
static int l_open_session(lua_State *L)
{
    robo_client *c = acting_client_of(L);
    if (!c)
        return closed(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    struct robo_session_options o = { .size = sizeof o,
                                      .robot = opt_text_field(L, 2, "robot"),
                                      .mode = opt_text_field(L, 2, "mode"),
                                      .options = opt_text_field(L, 2, "options"),
                                      .delay = opt_time_field(L, 2, "delay", 0),
                                      .duration = opt_time_field(L, 2, "duration", 0),
                                      .deadman = opt_time_field(L, 2, "deadman", 0),
                                      .gap = opt_time_field(L, 2, "gap", 0),
                                      .newest = flag_field(L, 2, "newest"),
                                      .errors_only = flag_field(L, 2, "errors") };
    lua_getfield(L, 2, "expiry");
    if (lua_isboolean(L, -1) && !lua_toboolean(L, -1))
        o.expiry = -1000; /* none */
    else
        o.expiry = opt_time_field(L, 2, "expiry", 0);
    robo_id id;
    robo_loop_lock(robo_client_loop(c));
    const robo_session_id session = robo_session_begin(c, &o, &id);
    robo_loop_unlock(robo_client_loop(c));
    if (session.value < 0)
        return push_failure(L, (int)session.value, NULL);
    lua_pushinteger(L, session.value);
    lua_pushinteger(L, id.value);
    return 2;
}

static int l_close_session(lua_State *L)
{
    robo_client *c = client_of(L);
    robo_session_id number = check_session(L, 2);
    if (!c)
        return 0;
    robo_loop_lock(robo_client_loop(c));
    robo_session_end(c, number);
    robo_loop_unlock(robo_client_loop(c));
    return 0;
}

/* The newest retained notices, by their names, of the kinds of which there was one. */
static void push_retained(lua_State *L, const struct robo_session_news *news)
{
    lua_createtable(L, 0, ROBO_RETAINED_KINDS);
    for (const struct robo_operation *n = robo_notices(); n->name; n++) {
        if (!n->retained || !(news->told >> (n->retained - 1) & 1))
            continue;
        push_message(L, n->request, &news->retained[n->retained - 1]);
        lua_setfield(L, -2, n->name);
    }
}

/* client:session(n): its state, without a query, or nil. */
static int l_session(lua_State *L)
{
    robo_client *c = client_of(L);
    robo_session_id number = check_session(L, 2);
    struct robo_session_news news;
    if (!c || robo_session_news(c, number, &news) < 0)
        return 0;
    lua_createtable(L, 0, 14);
    set_integer(L, "role", robo_client_role(c));
    set_flag(L, "open", news.open);
    set_flag(L, "blocking", news.blocking);
    set_flag(L, "panic", news.panic);
    set_integer(L, "epoch", news.epoch);
    set_integer(L, "holder", news.holder);
    set_text(L, "holder_name", news.holder_name);
    push_retained(L, &news);
    lua_setfield(L, -2, "retained");
    set_flag(L, "latched", news.latched);
    set_integer(L, "stop", news.stop);
    set_integer(L, "stopper", news.stopper);
    set_text(L, "stopper_name", news.stopper_name);
    set_text(L, "panic_name", news.panic_name);
    set_time(L, "stopped_at", news.stopped_at);
    set_time(L, "deadman", news.deadman);
    return 1;
}

/* client:asked(session, holder): the request of that other client to this one, as struct robo_notice_asked, or nil. */
static int l_asked(lua_State *L)
{
    robo_client *c = client_of(L);
    struct robo_notice_asked asked;
    if (!c ||
        robo_session_asked(c, check_session(L, 2), (uint32_t)luaL_checkinteger(L, 3), &asked) < 0)
        return 0;
    push_message(L, robo_message_named("robo_notice_asked"), &asked);
    return 1;
}

/* client:send(session, { command, … } [, revision]): id of the first; the others follow on. revision: of the
 * description whose numbers they use. */
static int l_send(lua_State *L)
{
    robo_client *c = acting_client_of(L);
    if (!c)
        return closed(L);
    robo_session_id session = check_session(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    size_t n = lua_rawlen(L, 3);
    luaL_argcheck(L, n >= 1 && n <= 300, 3, "want 1 to 300 commands");
    struct robo_cmd few[4], *cmds = few;
    if (n > sizeof few / sizeof few[0])
        cmds = lua_newuserdatauv(L, n * sizeof *cmds, 0);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i + 1);
        luaL_checkstack(L, 4, NULL);
        const int at = lua_gettop(L);
        check_command(L, at, &cmds[i]);
        cmds[i].revision = (uint8_t)luaL_optinteger(L, 4, 0);
        lua_remove(L, at); /* a frame's body stays */
    }
    robo_loop_lock(robo_client_loop(c));
    robo_id id = robo_send(c, session, cmds, n);
    robo_loop_unlock(robo_client_loop(c));
    return push_id(L, id);
}

/* client:reload(session, body): id of the query whose reply comes when the robot has that body. */
static int l_reload(lua_State *L)
{
    robo_client *c = acting_client_of(L);
    if (!c)
        return closed(L);
    const robo_session_id session = check_session(L, 2);
    const robo_body *body = check_body(L, 3);
    robo_loop_lock(robo_client_loop(c));
    robo_id id = robo_client_reload(c, session, body);
    robo_loop_unlock(robo_client_loop(c));
    return push_id(L, id);
}

/* client:ask(session, query, fields): its id. */
static int l_request(lua_State *L)
{
    union {
        struct robo_request_hello hello;
        struct robo_request_open open;
        uint64_t others[64];
    } request;
    robo_client *c = acting_client_of(L);
    if (!c)
        return closed(L);
    robo_session_id session = check_session(L, 2);
    const struct robo_operation *op = robo_operation_named(robo_queries(), luaL_checkstring(L, 3));
    luaL_argcheck(L, op && op->request->size <= sizeof request, 3, "there is no such query");
    check_message(L, 4, op->request, &request, NULL, op->name);
    robo_loop_lock(robo_client_loop(c));
    robo_id id = robo_request(c, session, (enum robo_query)op->op, &request);
    robo_loop_unlock(robo_client_loop(c));
    return push_id(L, id);
}

/* client:take(id [, form]): the result or the answer; false when it has not come; nil, message, code when the query
 * was refused or nothing of that id is awaited. form: of a frame, true: of its parts only those that were left out or
 * clipped; of a state, the names to put on it (state.c). */
static int l_take(lua_State *L)
{
    robo_client *c = client_of(L);
    if (!c)
        return closed(L);
    lua_Integer id = luaL_checkinteger(L, 2);
    luaL_argcheck(L, id > 0 && id <= UINT32_MAX, 2, "want the id of a command or query");
    struct robo_answer a;
    int there = robo_look(c, (robo_id){ id }, &a);
    if (there < 0)
        return push_failure(L, there, "no answer is awaited under this id");
    if (there == 0) {
        lua_pushboolean(L, 0);
        return 1;
    }
    int results = 1;
    if (!a.query) {
        push_result(L, a.result);
        if (a.part && push_parts(L, a.part, a.parts, lua_toboolean(L, 3)))
            lua_setfield(L, -2, "parts");
    } else if (a.error < 0) {
        results = push_failure(L, a.error, a.error == ROBO_ECLOSED ? NULL : robo_client_why(c));
    } else if (a.op == ROBO_Q_PICTURE || a.op == ROBO_Q_VIEW) {
        push_picture(L, a.reply);
    } else if (lua_istable(L, 3)) {
        results = push_state(L, 3, a.more, a.reply);
    } else {
        const struct robo_message *reply = robo_operation_find(robo_queries(), a.op)->reply;
        if (a.size < reply->size) /* a state without more */
            reply = robo_message_named("robo_state");
        push_message(L, reply, a.reply);
    }
    robo_drop(c, (robo_id){ id });
    return results;
}

/* client:has(id): whether there is an answer to take. */
static int l_has(lua_State *L)
{
    const robo_client *c = client_of(L);
    lua_Integer id = luaL_checkinteger(L, 2);
    struct robo_answer answer;
    lua_pushboolean(L, c && robo_look(c, (robo_id){ id }, &answer) == 1);
    return 1;
}

/* client:next(): the oldest event as kind, op, session, id; nothing when there is none. */
static int l_next(lua_State *L)
{
    static const char *const kinds[] = { "", "result", "reply", "notice", "link" };
    struct client_box *box = check_box(L);
    struct robo_event e;
    box->told = false;
    if (!box->client || robo_next_event(box->client, &e, sizeof e) != 1)
        return 0;
    lua_pushstring(L, kinds[e.kind]);
    if (e.kind == ROBO_EVENT_RESULT)
        lua_pushstring(L, robo_op_name(e.op));
    else if (e.kind == ROBO_EVENT_LINK)
        lua_pushstring(L, e.op ? "down" : "up");
    else
        lua_pushstring(L, e.kind == ROBO_EVENT_NOTICE ? robo_notice_name(e.op)
                                                      : robo_query_name(e.op));
    lua_pushinteger(L, e.session.value);
    lua_pushinteger(L, e.id.value);
    return 4;
}

/* client:flag(session, "panic" or "reset"); session 0: all robots of the server. */
static int l_flag(lua_State *L)
{
    static const char *const names[] = { "panic", "reset", NULL };
    robo_client *c = client_of(L);
    if (!c)
        return closed(L);
    robo_session_id session = check_session(L, 2);
    bool panic = luaL_checkoption(L, 3, NULL, names) == 0;
    if (!panic && !acting_client_of(L))
        return closed(L);
    robo_loop_lock(robo_client_loop(c));
    int error = panic ? robo_client_panic(c, session) : robo_client_reset(c, session);
    robo_loop_unlock(robo_client_loop(c));
    return push_done(L, error, NULL);
}

/* client:cut(bool): a link within this process goes half open: bytes vanish and neither side is notified. */
static int l_cut(lua_State *L)
{
    robo_client *c = client_of(L);
    if (!c)
        return closed(L);
    luaL_argcheck(L, robo_test_cut(c, lua_toboolean(L, 2)) == 0, 1,
                  "want a link within this process");
    return 0;
}

/* client:stall(least, most): from now on the server of a link within this process waits so long before it reads a
 * package; seconds. */
static int l_stall(lua_State *L)
{
    robo_client *c = client_of(L);
    if (!c)
        return closed(L);
    robo_time least = check_time(L, 2), most = check_time(L, 3);
    luaL_argcheck(L, least >= 0 && most >= least, 2, "want seconds, the least first");
    luaL_argcheck(L, robo_test_stall(c, least, most) == 0, 1, "want a link within this process");
    return 0;
}

/* client:kill(): the link is lost at once, as if its cable were cut; reconnecting begins if that was asked for. */
static int l_kill(lua_State *L)
{
    robo_client *c = client_of(L);
    if (!c)
        return closed(L);
    robo_loop_lock(robo_client_loop(c));
    robo_test_lose(c);
    robo_loop_unlock(robo_client_loop(c));
    return 0;
}

/* client:why(): the server's message of its last refusal. */
static int l_why(lua_State *L)
{
    const robo_client *c = client_of(L);
    lua_pushstring(L, c ? robo_client_why(c) : "");
    return 1;
}

void open_clients(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "close", l_close },
        { "state", l_state },
        { "probe", l_probe },
        { "clock", l_clock },
        { "open", l_open_session },
        { "close_session", l_close_session },
        { "session", l_session },
        { "asked", l_asked },
        { "send", l_send },
        { "request", l_request },
        { "take", l_take },
        { "has", l_has },
        { "next", l_next },
        { "flag", l_flag },
        { "cut", l_cut },
        { "kill", l_kill },
        { "train", l_train },
        { "stall", l_stall },
        { "why", l_why },
        { "reload", l_reload },
        { "__gc", l_close },
        { "__close", l_close },
        { NULL, NULL },
    };
    if (luaL_newmetatable(L, CLIENT)) {
        lua_pushvalue(L, -1);
        luaL_setfuncs(L, methods, 1);
        lua_pushvalue(L, -1);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 1);
    set_function(L, "connect", l_connect);
}
