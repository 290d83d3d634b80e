/* The codec of RCTP's live session for Lua: one side of a connection, and the objects that were assigned on it. */
#include <string.h>

#include "robotalk/rctp.h"
#include "runtime.h"

static const char RCTP[] = "robotalk.rctp";
enum { ROOM = 1 << 14 }; /* bytes of the longest message that is written */

/* Its first uservalue has the types of objects, by their numbers. */
struct side {
    struct robo_rctp_layout layout[ROBO_RCTP_IDS];
    struct robo_rctp_message message;
    uint8_t out[ROBO_RCTP_HEAD + ROOM];
};

/* core.rctp(): one side of a connection with frames, on which no object is assigned yet. */
static int l_rctp(lua_State *L)
{
    struct side *side = lua_newuserdatauv(L, sizeof *side, 1);
    memset(side, 0, sizeof *side);
    lua_newtable(L);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, RCTP);
    return 1;
}

/* The types of an object's parameters, a letter for each: f a float, i an integer, b a bool. */
static const uint8_t *keep_types(lua_State *L, lua_Integer id, const char *types, size_t n)
{
    lua_getiuservalue(L, 1, 1);
    uint8_t *type = lua_newuserdatauv(L, n + 1, 0);
    for (size_t i = 0; i < n; i++)
        type[i] = types[i] == 'i'   ? ROBO_RCTP_INTEGER
                  : types[i] == 'b' ? ROBO_RCTP_BOOL
                                    : ROBO_RCTP_FLOAT;
    lua_rawseti(L, -2, id);
    return type;
}

/* rctp:assign(id, { kind = control | text | binary, stamp_size = 0, masked =, types = "ffib" }) */
static int l_assign(lua_State *L)
{
    static const char *const kinds[] = { "control", "text", "binary", NULL };
    struct side *side = luaL_checkudata(L, 1, RCTP);
    const lua_Integer id = luaL_checkinteger(L, 2);
    luaL_argcheck(L, id >= 1 && id <= 254, 2, "want 1 to 254");
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_getfield(L, 3, "kind");
    const int kind = luaL_checkoption(L, -1, "control", kinds) + 1;
    lua_getfield(L, 3, "stamp_size");
    const lua_Integer stamp_size = luaL_optinteger(L, -1, 0);
    luaL_argcheck(L, stamp_size >= 0 && stamp_size <= 8 && stamp_size % 2 == 0, 3,
                  "stamp_size: want 0, 2, 4, 6 or 8");
    size_t n;
    lua_getfield(L, 3, "types");
    const char *types = luaL_optlstring(L, -1, "", &n);
    luaL_argcheck(L, n <= ROBO_RCTP_PARAMETERS && strspn(types, "fib") == n, 3,
                  "types: want f, i or b for each of at most 2048 parameters");
    side->layout[id] = (struct robo_rctp_layout){ .kind = (uint8_t)kind,
                                                  .stamp_size = (uint8_t)stamp_size,
                                                  .masked = flag_field(L, 3, "masked"),
                                                  .parameters = (uint16_t)n,
                                                  .type = keep_types(L, id, types, n) };
    return 0;
}

/* The bytes of side->message, in a frame of its own; or nil, message, code. */
static int push_frame(lua_State *L, struct side *side)
{
    const ptrdiff_t n =
        robo_rctp_encode(side->layout, &side->message, side->out + ROBO_RCTP_HEAD, ROOM);
    if (n < 0)
        return push_failure(L, (int)n, NULL);
    robo_rctp_head(side->out, (size_t)n);
    lua_pushlstring(L, (const char *)side->out, ROBO_RCTP_HEAD + (size_t)n);
    return 1;
}

static struct side *check_object(lua_State *L, uint8_t kind)
{
    struct side *side = luaL_checkudata(L, 1, RCTP);
    const lua_Integer id = luaL_checkinteger(L, 2);
    luaL_argcheck(L, id >= 1 && id <= 254 && side->layout[id].kind == kind, 2,
                  "no object of this kind was assigned that number");
    side->message.id = (uint8_t)id;
    side->message.stamp = (uint64_t)luaL_optinteger(L, 4, 0);
    return side;
}

/* rctp:control(id, { [place] = value, … }, stamp): the frame of a message; of an object without a mask all values are needed. */
static int l_control(lua_State *L)
{
    struct side *side = check_object(L, ROBO_RCTP_CONTROL);
    const unsigned parameters = side->layout[side->message.id].parameters;
    luaL_checktype(L, 3, LUA_TTABLE);
    for (unsigned i = 0; i < parameters; i++) {
        side->message.sent[i] = lua_rawgeti(L, 3, (lua_Integer)i + 1) == LUA_TNUMBER;
        side->message.value[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return push_frame(L, side);
}

/* rctp:text(id, text, stamp): the frame of a text message. */
static int l_text(lua_State *L)
{
    struct side *side = check_object(L, ROBO_RCTP_TEXT);
    size_t n;
    side->message.bytes = (const uint8_t *)luaL_checklstring(L, 3, &n);
    luaL_argcheck(L, n <= ROOM - 16 && !memchr(side->message.bytes, 0, n), 3,
                  "want at most 16000 bytes, without \\0");
    side->message.length = (uint32_t)n;
    side->message.more = 0;
    return push_frame(L, side);
}

/* rctp:alive(): the frame of a keep-alive message. */
static int l_alive(lua_State *L)
{
    struct side *side = luaL_checkudata(L, 1, RCTP);
    side->message.id = ROBO_RCTP_ALIVE;
    return push_frame(L, side);
}

static void push_what_came(lua_State *L, const struct side *side)
{
    const struct robo_rctp_message *m = &side->message;
    const struct robo_rctp_layout *layout = &side->layout[m->id];
    const bool control = m->id != ROBO_RCTP_STATUS && layout->kind == ROBO_RCTP_CONTROL;
    lua_createtable(L, 0, 5);
    set_integer(L, "id", m->id);
    set_integer(L, "stamp", (lua_Integer)m->stamp);
    if (m->id == ROBO_RCTP_STATUS) {
        set_integer(L, "subject", m->subject);
        set_integer(L, "code", m->code);
    }
    if (!control && m->bytes) {
        lua_pushlstring(L, (const char *)m->bytes, m->length);
        lua_setfield(L, -2, "text");
        set_flag(L, "more", m->more);
    }
    if (!control || m->why)
        return;
    lua_createtable(L, m->count, 0);
    for (unsigned i = 0; i < layout->parameters; i++) {
        if (!m->sent[i])
            continue;
        lua_pushnumber(L, m->value[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "values");
}

/* The rest of a frame whose messages cannot be separated any more: { id =, why = }. */
static void push_rest(lua_State *L, uint8_t id, const char *why)
{
    lua_createtable(L, 0, 2);
    set_integer(L, "id", id);
    set_text(L, "why", why);
}

/* Reads the messages of a frame into the list on top of the stack. */
static void read_messages(lua_State *L, struct side *side, const uint8_t *in, size_t n,
                          lua_Integer *count)
{
    while (n > 0) {
        const ptrdiff_t used = robo_rctp_decode(side->layout, in, n, &side->message);
        if (used > 0)
            push_what_came(L, side);
        else
            push_rest(L, in[0],
                      used == ROBO_ESIZE ? side->message.why
                      : used < 0         ? "a message is of an object that was not assigned"
                                         : "a message is longer than its frame");
        lua_rawseti(L, -2, ++*count);
        if (used <= 0)
            return;
        in += used;
        n -= (size_t)used;
    }
}

/* rctp:feed(bytes): the messages of all frames that are complete, in order, { id =, stamp =, values = | text = | code =, subject =,
 * text = }; of the rest of a frame that cannot be read { id =, why = }; the bytes that are left; and the fault, if the begin of the
 * next frame is unknown. */
static int l_feed(lua_State *L)
{
    struct side *side = luaL_checkudata(L, 1, RCTP);
    size_t n;
    const uint8_t *in = (const uint8_t *)luaL_checklstring(L, 2, &n);
    lua_Integer count = 0;
    ptrdiff_t length;
    lua_newtable(L);
    while ((length = robo_rctp_frame(in, n)) > 0) {
        read_messages(L, side, in + ROBO_RCTP_HEAD, (size_t)length, &count);
        in += ROBO_RCTP_HEAD + length;
        n -= ROBO_RCTP_HEAD + (size_t)length;
    }
    lua_pushlstring(L, (const char *)in, n);
    lua_pushstring(L, length < 0 ? "a frame of nothing" : NULL);
    return 3;
}

void open_rctp(lua_State *L)
{
    static const luaL_Reg methods[] = { { "assign", l_assign }, { "control", l_control },
                                        { "text", l_text },     { "alive", l_alive },
                                        { "feed", l_feed },     { NULL, NULL } };
    define_type(L, RCTP, methods);
    set_function(L, "rctp", l_rctp);
}
