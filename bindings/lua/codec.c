/* Packages of the RoboTalk wire to Lua tables and back, as tests/wire has them:
 *
 *     { header = { type = "command", id = 7, session = 3, stamp = 1.25, … }, entries = { { op = "set_speed", id = 9, start = 1.5,
 *       x = 0.3, … }, … } }
 *
 * Types, ops, signals and reasons are names, or numbers where this version knows no name. Instants are seconds, or false where
 * there is none. Other fields are as in spec/messages.md: rows of bytes are strings, a u64 is the integer of the same bits, a
 * move and the parts of its result are as in moves.c. */
#include <string.h>

#include "runtime.h"
#include "robotalk/words.h"

enum { TYPES = ROBO_TYPE_NOTICE + 1, BYTES = ROBO_HEADER_SIZE + ROBO_MAX_PAYLOAD };
/* ended as check_choice wants it */
static const char *const types[TYPES + 1] = { "none",   "query",  "command", "reply",
                                              "signal", "notice", NULL };

/* Where it went wrong. */
struct place {
    size_t offset, entry; /* entry: from 1; 0: the header */
    const char *field;    /* NULL: none in particular */
};

/* nil, message, code, { offset =, entry =, field = }. */
static int push_refusal(lua_State *L, int error, const struct place *at)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", robo_strerror(error), at->field ? ": " : "",
             at->field ? at->field : "");
    push_failure(L, error, text);
    lua_createtable(L, 0, 3);
    set_integer(L, "offset", (lua_Integer)at->offset);
    if (at->entry > 0)
        set_integer(L, "entry", (lua_Integer)at->entry);
    if (at->field)
        set_text(L, "field", at->field);
    return 4;
}

/* The fields of the table at the top into the one below it. */
static void merge(lua_State *L)
{
    for (lua_pushnil(L); lua_next(L, -2);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_settable(L, -5);
    }
    lua_pop(L, 1);
}

static void merge_message(lua_State *L, const struct robo_message *message, const void *msg)
{
    push_message(L, message, msg);
    merge(L);
}

static const struct robo_message *body_of(uint8_t type, const struct robo_operation *op)
{
    return type == ROBO_TYPE_REPLY ? op->reply : op->request;
}

static const struct robo_operation *ops_of(uint8_t type)
{
    return type == ROBO_TYPE_COMMAND || type == ROBO_TYPE_SIGNAL ? robo_commands()
           : type == ROBO_TYPE_NOTICE                            ? robo_notices()
                                                                 : robo_queries();
}

/* ---- reading: everything into the table of the entry, which is at the top ---- */

static int read_message(lua_State *L, const struct robo_message *message,
                        const struct robo_entry *entry, const uint8_t *body, const char **field)
{
    void *msg = lua_newuserdatauv(L, message->size + 1, 0);
    int error = robo_message_decode_body(message, body, entry->size, msg, field);
    if (error == 0) {
        lua_insert(L, -2);
        merge_message(L, message, msg);
        lua_insert(L, -2);
    }
    lua_pop(L, 1);
    return error;
}

static int read_command(lua_State *L, const struct robo_operation *op,
                        const struct robo_entry *entry, const uint8_t *body, const char **field)
{
    struct robo_cmd cmd;
    struct robo_move move = { 0 };
    int error = op->op == ROBO_MOVE ? robo_move_decode(entry, body, NULL, &move, field)
                                    : robo_command_decode(entry, body, &cmd, field);
    if (error < 0)
        return error;
    if (op->op == ROBO_MOVE) {
        const size_t dofs = move.dofs * sizeof *move.dof, frames = move.frames * sizeof *move.frame;
        move.dof = lua_newuserdatauv(L, dofs + frames + 1, 0);
        move.frame = (struct robo_move_frame *)(void *)((char *)move.dof + dofs);
        robo_move_decode(entry, body, &cmd, &move, NULL);
        lua_insert(L, -2);
        set_move(L, &move);
        lua_remove(L, -2);
    } else {
        merge_message(L, op->request, &cmd.body);
    }
    merge_message(L, robo_message_named("robo_start"), &(struct robo_start){ .start = cmd.start });
    return 0;
}

/* The name of a number, "unknown" where there is none. */
typedef const char *word_of(int number);

/* A number that this version does not know stays one. */
static void set_word(lua_State *L, const char *field, word_of *word, int number)
{
    if (strcmp(word(number), "unknown") != 0)
        set_text(L, field, word(number));
    else
        set_integer(L, field, number);
}

static int read_signal(lua_State *L, const struct robo_entry *entry, const uint8_t *body,
                       const char **field)
{
    struct robo_result_entry result;
    struct robo_missed missed;
    *field = "size";
    const struct robo_message *head = robo_message_named("robo_result_entry"),
                              *tail = robo_message_named("robo_missed");
    ptrdiff_t used = robo_message_decode(head, body, entry->size, &result, field);
    if (used <= 0)
        return used < 0 ? (int)used : ROBO_EBODY;
    merge_message(L, head, &result);
    set_word(L, "signal", robo_signal_name, result.signal);
    set_word(L, "reason", robo_reason_name, result.reason);
    const size_t left = entry->size - (size_t)used;
    if (left < tail->bytes)
        return 0;
    ptrdiff_t more = robo_message_decode(tail, body + used, left, &missed, field);
    ptrdiff_t count = more > 0 ? robo_parts_decode(entry, body, NULL, 0) : more;
    if (count < 0)
        return (int)count;
    merge_message(L, tail, &missed);
    if (count == 0)
        return 0;
    struct robo_part *parts = lua_newuserdatauv(L, (size_t)count * sizeof *parts, 0);
    robo_parts_decode(entry, body, parts, (size_t)count);
    push_parts(L, parts, (size_t)count, false);
    lua_setfield(L, -3, "parts");
    lua_pop(L, 1);
    return 0;
}

/* The entry's table stays at the top. */
static int read_entry(lua_State *L, uint8_t type, const struct robo_entry *entry,
                      const uint8_t *body, const char **field)
{
    int error;
    lua_createtable(L, 0, 8);
    *field = "size";
    if (type == ROBO_TYPE_SIGNAL) {
        error = read_signal(L, entry, body, field);
        set_text(L, "op", robo_op_name(entry->op));
    } else {
        const struct robo_operation *op = robo_operation_find(ops_of(type), entry->op);
        if (!op) {
            *field = "op";
            return ROBO_EOP;
        }
        error = type == ROBO_TYPE_COMMAND ? read_command(L, op, entry, body, field)
                                          : read_message(L, body_of(type, op), entry, body, field);
        set_text(L, "op", op->name);
    }
    set_integer(L, "id", entry->id);
    return error;
}

static void push_header(lua_State *L, const struct robo_header *header)
{
    struct robo_header h = *header;
    const bool known = h.type < TYPES;
    push_message(L, robo_message_named("robo_header"), &h);
    if (known)
        set_text(L, "type", types[h.type]);
}

/* wire.decode(bytes, at): the package that begins at that byte, and the place behind it; false when more bytes are wanted;
 * or nil, message, code, { offset =, entry =, field = }. */
static int l_decode(lua_State *L)
{
    size_t n;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, 1, &n);
    const lua_Integer from = luaL_optinteger(L, 2, 1);
    luaL_argcheck(L, from >= 1 && (lua_Unsigned)from <= n + 1, 2, "want a place within the bytes");
    struct robo_header header;
    struct place at = { 0 };
    lua_settop(L, 2);
    bytes += from - 1;
    n -= (size_t)from - 1;
    int error = n < ROBO_HEADER_SIZE ? 0 : robo_header_decode(bytes, &header);
    if (error < 0)
        return push_refusal(L, error, &at);
    if (n < ROBO_HEADER_SIZE || n - ROBO_HEADER_SIZE < header.size) {
        lua_pushboolean(L, 0);
        return 1;
    }
    luaL_checkstack(L, 16, NULL);
    lua_createtable(L, 0, 2);
    push_header(L, &header);
    lua_setfield(L, -2, "header");
    lua_newtable(L);
    const bool entries = header.type > ROBO_TYPE_NONE && header.type < TYPES;
    struct robo_entry entry;
    const uint8_t *body, *payload = bytes + ROBO_HEADER_SIZE;
    size_t next = 0;
    int more = 0;
    while (entries && error == 0 &&
           (more = robo_next_entry(payload, header.size, &next, &entry, &body)) == 1) {
        if (at.entry++ == header.count) {
            error = ROBO_ESIZE;
            break;
        }
        error = read_entry(L, header.type, &entry, body, &at.field);
        if (error == 0) {
            at.field = NULL;
            at.offset = next;
            lua_rawseti(L, -2, (lua_Integer)at.entry);
        }
    }
    if (error == 0 && entries && (more < 0 || at.entry != header.count))
        error = ROBO_ESIZE;
    at.offset += ROBO_HEADER_SIZE;
    if (error < 0)
        return push_refusal(L, error, &at);
    lua_setfield(L, 3, "entries");
    lua_settop(L, 3);
    lua_pushinteger(L, from + ROBO_HEADER_SIZE + (lua_Integer)header.size);
    return 2;
}

/* ---- writing ---- */

/* The number of the name in that field of the table at the top, or the number that it is. */
static uint8_t check_word(lua_State *L, const char *name, word_of *word)
{
    int whole = 0;
    lua_getfield(L, -1, name);
    lua_Integer number = lua_tointegerx(L, -1, &whole);
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "unknown";
    if (!whole)
        for (number = 0; number <= UINT8_MAX && strcmp(word((int)number), text) != 0; number++)
            ;
    if (number < 0 || number > UINT8_MAX || (!whole && strcmp(text, "unknown") == 0))
        raise_mistake(L, "wire: there is no %s '%s'", name, text);
    lua_pop(L, 1);
    return (uint8_t)number;
}

static uint32_t check_id(lua_State *L)
{
    lua_getfield(L, -1, "id");
    lua_Integer id = luaL_optinteger(L, -1, 0);
    if (id < 0 || id > UINT32_MAX)
        raise_mistake(L, "wire: id: want 0 to 4294967295");
    lua_pop(L, 1);
    return (uint32_t)id;
}

/* A copy of the table at the top, without fields that are handled by hand. */
static void push_rest(lua_State *L, const char *const *without)
{
    lua_newtable(L);
    lua_pushvalue(L, -2);
    merge(L);
    for (; *without; without++) {
        lua_pushnil(L);
        lua_setfield(L, -2, *without);
    }
}

static int write_command(lua_State *L, struct robo_package *p, uint32_t id)
{
    static const char *const id_only[] = { "id", "parts", NULL };
    struct robo_cmd cmd;
    push_rest(L, id_only);
    lua_getfield(L, -1, "start");
    if (lua_isboolean(L, -1) && !lua_toboolean(L, -1)) {
        lua_pushnil(L);
        lua_setfield(L, -3, "start");
    }
    lua_pop(L, 1);
    check_command(L, -1, &cmd);
    cmd.id = id;
    return robo_package_add_command(p, &cmd);
}

/* The list of parts, which may be missing, and how many. */
static struct robo_part *check_parts(lua_State *L, size_t *count)
{
    static const char *const kinds[] = { "base", "dof", "frame", NULL };
    if (lua_getfield(L, -1, "parts") != LUA_TTABLE)
        return NULL;
    *count = lua_rawlen(L, -1);
    struct robo_part *parts = lua_newuserdatauv(L, (*count + 1) * sizeof *parts, 0);
    lua_insert(L, -2);
    for (size_t i = 0; i < *count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (!lua_istable(L, -1))
            raise_mistake(L, "wire: parts: want tables, got %s", luaL_typename(L, -1));
        lua_getfield(L, -1, "kind");
        int kind = check_choice(L, "wire: parts: kind", NULL, kinds);
        lua_pop(L, 1);
        lua_getfield(L, -1, "number");
        lua_Integer number = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
        if (number < 0 || number > UINT16_MAX)
            raise_mistake(L, "wire: parts: number: want 0 to 65535");
        parts[i] = (struct robo_part){ .kind = (uint8_t)kind, .number = (uint16_t)number };
        parts[i].signal = check_word(L, "signal", robo_signal_name);
        parts[i].reason = check_word(L, "reason", robo_reason_name);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return parts;
}

static int write_signal(lua_State *L, struct robo_package *p, uint16_t op, uint32_t id)
{
    static const char *const by_hand[] = {
        "op", "id", "signal", "reason", "position_error", "rotation_error", "parts", NULL
    };
    const struct robo_message *head = robo_message_named("robo_result_entry"),
                              *tail = robo_message_named("robo_missed");
    struct robo_result_entry entry;
    push_rest(L, by_hand);
    check_message(L, -1, head, &entry, NULL, "signal");
    lua_pop(L, 1);
    entry.signal = check_word(L, "signal", robo_signal_name);
    entry.reason = check_word(L, "reason", robo_reason_name);
    const struct robo_missed missed = { number_field(L, -1, "position_error"),
                                        number_field(L, -1, "rotation_error") };
    lua_getfield(L, -1, "position_error");
    const bool there = !lua_isnil(L, -1);
    lua_pop(L, 1);
    size_t count = 0;
    const struct robo_part *parts = check_parts(L, &count);
    if (count > 0) {
        const struct robo_result result = { .id = id,
                                            .op = op,
                                            .signal = entry.signal,
                                            .reason = entry.reason,
                                            .scheduled = entry.scheduled,
                                            .executed = entry.executed,
                                            .finished = entry.finished,
                                            .position_error = missed.position_error,
                                            .rotation_error = missed.rotation_error };
        return robo_package_add_parts(p, &result, parts, count);
    }
    return robo_package_add(p, op, id, head, &entry, there ? tail : NULL, &missed);
}

/* The entry at the top. */
static int write_entry(lua_State *L, uint8_t type, struct robo_package *p)
{
    static const char *const heads[] = { "op", "id", NULL };
    if (!lua_istable(L, -1))
        raise_mistake(L, "wire: entries: want tables, got %s", luaL_typename(L, -1));
    lua_getfield(L, -1, "op");
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    const struct robo_operation *op = robo_operation_named(ops_of(type), name);
    if (!op)
        raise_mistake(L, "wire: a package of type %s has no '%s'", types[type], name);
    lua_pop(L, 1);
    const uint32_t id = check_id(L);
    if (type == ROBO_TYPE_COMMAND)
        return write_command(L, p, id);
    if (type == ROBO_TYPE_SIGNAL)
        return write_signal(L, p, op->op, id);
    const struct robo_message *body = body_of(type, op);
    void *msg = lua_newuserdatauv(L, body->size + 1, 0);
    check_message(L, -2, body, msg, heads, name);
    return robo_package_add(p, op->op, id, NULL, NULL, body, msg);
}

static void check_header(lua_State *L, struct robo_header *header)
{
    static const char *const by_hand[] = { "type", NULL };
    if (lua_getfield(L, 1, "header") != LUA_TTABLE)
        raise_mistake(L, "wire: want header = { type =, … }");
    lua_getfield(L, -1, "type");
    header->type = (uint8_t)check_choice(L, "wire: header: type", NULL, types);
    lua_pop(L, 1);
    const uint8_t type = header->type;
    push_rest(L, by_hand);
    lua_getfield(L, -1, "stamp");
    const bool unknown = lua_isnil(L, -1);
    lua_pop(L, 1);
    check_message(L, -1, robo_message_named("robo_header"), header, NULL, "header");
    header->type = type;
    if (unknown)
        header->stamp = ROBO_NO_TIME;
    lua_pop(L, 2);
}

/* wire.encode(package): its bytes; or nil, message, code, { entry =, field = }. magic, version, count and size of the
 * header are filled in. */
static int l_encode(lua_State *L)
{
    struct robo_header header;
    struct robo_package p;
    struct place at = { 0 };
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 24, NULL);
    check_header(L, &header);
    uint8_t *out = lua_newuserdatauv(L, BYTES, 0);
    int error = robo_package_begin(&p, out, BYTES);
    lua_getfield(L, 1, "entries");
    const size_t count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    if (header.type == ROBO_TYPE_NONE && count > 0)
        raise_mistake(L, "wire: a package of type none has no entries");
    const int top = lua_gettop(L);
    while (error == 0 && at.entry < count) {
        at.offset = p.used;
        lua_rawgeti(L, top, (lua_Integer)++at.entry);
        error = write_entry(L, header.type, &p);
        lua_settop(L, top);
    }
    if (error == 0)
        at = (struct place){ 0 };
    ptrdiff_t n = error < 0 ? error : robo_package_end(&p, &header);
    if (n < 0)
        return push_refusal(L, (int)n, &at);
    lua_pushlstring(L, (const char *)out, (size_t)n);
    return 1;
}

void open_codec(lua_State *L)
{
    static const luaL_Reg functions[] = { { "decode", l_decode },
                                          { "encode", l_encode },
                                          { NULL, NULL } };
    luaL_newlib(L, functions);
    lua_setfield(L, -2, "wire");
}
