/* Structs to Lua tables and back, by the field tables of the specification: a new field needs no code here. */
#include <math.h>
#include <string.h>

#include "runtime.h"
#include "robotalk/words.h"

/* Bytes of one element in its struct. */
static size_t width(const struct robo_field *f)
{
    switch (f->kind) {
    case ROBO_FIELD_U8: return 1;
    case ROBO_FIELD_U16: return 2;
    case ROBO_FIELD_U32: return 4;
    default: return 8;
    }
}

/* A row of bytes is a string in Lua. */
static bool is_bytes(const struct robo_field *f)
{
    return f->kind == ROBO_FIELD_U8 && (f->counter != ROBO_FIELD_FIXED || f->count > 1);
}

static void push_element(lua_State *L, const struct robo_field *f, const char *at)
{
    switch (f->kind) {
    case ROBO_FIELD_U8: lua_pushinteger(L, *(const uint8_t *)at); break;
    case ROBO_FIELD_U16: lua_pushinteger(L, *(const uint16_t *)(const void *)at); break;
    case ROBO_FIELD_U32: lua_pushinteger(L, *(const uint32_t *)(const void *)at); break;
    case ROBO_FIELD_U64:
    case ROBO_FIELD_I64: lua_pushinteger(L, *(const int64_t *)(const void *)at); break;
    case ROBO_FIELD_TIME:
        if (f->none && *(const robo_time *)(const void *)at == ROBO_NO_TIME)
            lua_pushboolean(L, 0);
        else
            push_time(L, *(const robo_time *)(const void *)at);
        break;
    case ROBO_FIELD_PACKED:
    case ROBO_FIELD_REAL64:
        if (isnan(*(const double *)(const void *)at))
            lua_pushboolean(L, 0);
        else
            lua_pushnumber(L, *(const double *)(const void *)at);
        break;
    default: lua_pushnumber(L, *(const double *)(const void *)at); break;
    }
}

void push_message(lua_State *L, const struct robo_message *message, const void *msg)
{
    luaL_checkstack(L, 6, NULL);
    lua_createtable(L, 0, (int)message->nfields);
    for (size_t i = 0; i < message->nfields; i++) {
        const struct robo_field *f = &message->fields[i];
        const char *at = (const char *)msg + f->offset;
        if (f->kind == ROBO_FIELD_TEXT || f->kind == ROBO_FIELD_CHARS) {
            lua_pushstring(L, at);
        } else if (is_bytes(f)) {
            lua_pushlstring(L, at, robo_field_count(f, msg));
        } else if (f->counter == ROBO_FIELD_FIXED && f->count == 1) {
            push_element(L, f, at);
        } else {
            unsigned count = (unsigned)robo_field_count(f, msg);
            lua_createtable(L, (int)count, 0);
            for (unsigned k = 0; k < count; k++) {
                push_element(L, f, at + k * width(f));
                lua_rawseti(L, -2, (lua_Integer)k + 1);
            }
        }
        lua_setfield(L, -2, f->name);
    }
}

/* The value on top of the stack into an element; it stays there. */
static void check_element(lua_State *L, const struct robo_field *f, char *at, const char *what)
{
    if ((f->none || f->kind == ROBO_FIELD_PACKED) && lua_isboolean(L, -1) &&
        !lua_toboolean(L, -1)) {
        if (f->kind == ROBO_FIELD_REAL64 || f->kind == ROBO_FIELD_PACKED)
            *(double *)(void *)at = NAN; /* not known */
        else
            *(robo_time *)(void *)at = ROBO_NO_TIME;
        return;
    }
    if (f->kind == ROBO_FIELD_TIME || f->kind == ROBO_FIELD_REAL64 ||
        f->kind == ROBO_FIELD_REAL32 || f->kind == ROBO_FIELD_PACKED) {
        bool is_number = lua_type(L, -1) == LUA_TNUMBER;
        lua_Number x = is_number ? lua_tonumber(L, -1) : 0;
        if (!is_number || !isfinite(x))
            raise_mistake(L, "%s: field '%s' wants a finite number%s%s, got %s", what, f->name,
                          f->unit[0] ? " in " : "", f->unit,
                          is_number ? lua_tostring(L, -1) : luaL_typename(L, -1));
        if (f->kind == ROBO_FIELD_TIME) {
            if (!(x > -9e9 && x < 9e9))
                raise_mistake(L, "%s: field '%s' wants seconds", what, f->name);
            *(robo_time *)(void *)at = (robo_time)llround(x * 1e9);
        } else {
            *(double *)(void *)at = x;
        }
        return;
    }
    int ok = 0;
    lua_Integer n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &ok) : 0;
    lua_Integer most = f->kind == ROBO_FIELD_U8    ? UINT8_MAX
                       : f->kind == ROBO_FIELD_U16 ? UINT16_MAX
                                                   : UINT32_MAX;
    bool wide = f->kind == ROBO_FIELD_U64 || f->kind == ROBO_FIELD_I64;
    if (!ok || (!wide && (n < 0 || n > most)))
        raise_mistake(L, "%s: field '%s' wants a whole number, 0 to %I", what, f->name,
                      wide ? LUA_MAXINTEGER : most);
    switch (f->kind) {
    case ROBO_FIELD_U8: *(uint8_t *)at = (uint8_t)n; break;
    case ROBO_FIELD_U16: *(uint16_t *)(void *)at = (uint16_t)n; break;
    case ROBO_FIELD_U32: *(uint32_t *)(void *)at = (uint32_t)n; break;
    default: *(int64_t *)(void *)at = n; break;
    }
}

static void check_field(lua_State *L, const struct robo_field *f, void *msg, const char *what)
{
    char *at = (char *)msg + f->offset;
    if (f->kind == ROBO_FIELD_TEXT || f->kind == ROBO_FIELD_CHARS) {
        size_t n = 0;
        const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &n) : NULL;
        if (!text || n > f->max || strlen(text) != n)
            raise_mistake(L, "%s: field '%s' wants a text of at most %d bytes", what, f->name,
                          (int)f->max);
        memcpy(at, text, n + 1);
    } else if (is_bytes(f)) {
        size_t n = 0;
        const char *bytes = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &n) : NULL;
        if (!bytes || n > f->max)
            raise_mistake(L, "%s: field '%s' wants a string of at most %d bytes", what, f->name,
                          (int)f->max);
        memcpy(at, bytes, n);
    } else if (f->counter == ROBO_FIELD_FIXED && f->count == 1) {
        check_element(L, f, at, what);
    } else {
        if (lua_type(L, -1) != LUA_TTABLE || lua_rawlen(L, -1) > f->max)
            raise_mistake(L, "%s: field '%s' wants a list of at most %d numbers", what, f->name,
                          (int)f->max);
        for (lua_Unsigned k = 0; k < lua_rawlen(L, -1); k++) {
            lua_rawgeti(L, -1, (lua_Integer)k + 1);
            check_element(L, f, at + k * width(f), what);
            lua_pop(L, 1);
        }
    }
}

static bool is_field(const struct robo_message *message, const char *const *others,
                     const char *name)
{
    for (size_t i = 0; message && i < message->nfields; i++)
        if (strcmp(message->fields[i].name, name) == 0)
            return true;
    for (; others && *others; others++)
        if (strcmp(*others, name) == 0)
            return true;
    return false;
}

void check_message(lua_State *L, int index, const struct robo_message *message, void *msg,
                   const char *const *others, const char *what)
{
    luaL_checkstack(L, 8, NULL);
    memset(msg, 0, message->size);
    if (lua_isnoneornil(L, index))
        return;
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        if (lua_type(L, -2) != LUA_TSTRING || !is_field(message, others, lua_tostring(L, -2)))
            raise_mistake(L, "%s has no field '%s'", what, luaL_tolstring(L, -2, NULL));
    for (size_t i = 0; i < message->nfields; i++) {
        lua_getfield(L, index, message->fields[i].name);
        if (!lua_isnil(L, -1))
            check_field(L, &message->fields[i], msg, what);
        lua_pop(L, 1);
    }
}

/* The name of a number; a number that this version does not know is its digits. */
static void set_word(lua_State *L, const char *field, const struct robo_word *words, int number)
{
    while (words->name && words->number != number)
        words++;
    if (words->name)
        lua_pushstring(L, words->name);
    else
        lua_pushfstring(L, "%d", number);
    lua_setfield(L, -2, field);
}

void push_result(lua_State *L, const struct robo_result *r)
{
    luaL_checkstack(L, 4, NULL);
    lua_createtable(L, 0, 10);
    set_integer(L, "id", r->id);
    set_text(L, "op", robo_op_name(r->op));
    set_word(L, "signal", robo_signal_words(), r->signal);
    set_word(L, "reason", robo_reason_words(), r->reason);
    if (r->scheduled != ROBO_NO_TIME)
        set_time(L, "scheduled", r->scheduled);
    set_time(L, "finished", r->finished);
    set_time(L, "uncertainty", r->uncertainty);
    if (r->executed != ROBO_NO_TIME) {
        set_time(L, "executed", r->executed);
        set_time(L, "lateness", r->executed - r->scheduled);
    }
    if (r->position_error != 0 || r->rotation_error != 0) {
        lua_createtable(L, 0, 2);
        set_number(L, "position", r->position_error);
        set_number(L, "rotation", r->rotation_error);
        lua_setfield(L, -2, "off");
    }
}

void check_command(lua_State *L, int index, struct robo_cmd *cmd)
{
    static const char *const others[] = { "op", "start", NULL };
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    lua_getfield(L, index, "op");
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    const struct robo_operation *op = robo_operation_named(robo_commands(), name);
    if (!op)
        raise_mistake(L, "there is no command '%s'", name);
    memset(cmd, 0, sizeof *cmd);
    cmd->op = op->op;
    cmd->start = opt_time_field(L, index, "start", ROBO_AT_ONCE);
    if (op->op == ROBO_MOVE) {
        cmd->body.move = check_move(L, index);
        lua_remove(L, -2);
        return;
    }
    check_message(L, index, op->request, &cmd->body, others, name);
    lua_pop(L, 1);
}

void push_command(lua_State *L, const struct robo_cmd *cmd)
{
    const struct robo_operation *op = robo_operation_find(robo_commands(), cmd->op);
    push_message(L, op->request, &cmd->body);
    set_text(L, "op", op->name);
    if (robo_command_kind_of(cmd->op)->moves != ROBO_MOVES_JOINT)
        return;
    /* a driver that took 0 for a value that was not commanded would move that dof */
    lua_getfield(L, -1, "value");
    for (int i = 0; i < ROBO_JOINT_DOFS; i++) {
        if (cmd->body.servo.mask >> i & 1)
            continue;
        lua_pushnil(L);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pop(L, 1);
}

/* ---- the specification as data ---- */

static void push_fields(lua_State *L, const struct robo_message *message)
{
    lua_createtable(L, (int)message->nfields, 0);
    for (size_t i = 0; i < message->nfields; i++) {
        const struct robo_field *f = &message->fields[i];
        lua_createtable(L, 0, 4);
        set_text(L, "name", f->name);
        set_text(L, "unit", f->unit);
        set_text(L, "doc", f->doc);
        set_integer(L, "count", f->max);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_ops(lua_State *L, const struct robo_operation *op)
{
    lua_newtable(L);
    for (; op->name; op++) {
        lua_newtable(L);
        set_integer(L, "number", op->op);
        set_text(L, "doc", op->doc);
        set_flag(L, "retained", op->retained != 0);
        push_fields(L, op->request);
        lua_setfield(L, -2, "fields");
        lua_setfield(L, -2, op->name);
    }
}

/* Sets the kind of a command, in the table at the top. */
static void set_kind(lua_State *L, const struct robo_command_kind *kind)
{
    set_word(L, "moves", robo_moves_words(), kind->moves);
    set_integer(L, "servo", kind->servo);
    set_flag(L, "goal", kind->goal);
    set_flag(L, "lasting", kind->lasting);
}

static void push_commands(lua_State *L)
{
    push_ops(L, robo_commands());
    for (const struct robo_operation *op = robo_commands(); op->name; op++) {
        lua_getfield(L, -1, op->name);
        set_kind(L, robo_command_kind_of(op->op));
        lua_pop(L, 1);
    }
}

static void push_words(lua_State *L, const struct robo_word *word)
{
    lua_newtable(L);
    for (; word->name; word++)
        set_text(L, word->name, word->doc);
}

/* core.spec(): commands, queries, notices (name -> doc, fields, of a notice retained; of a command also moves, servo, goal, lasting, as in
 * spec/messages.lua), signals, reasons, errors (name -> doc). The same tables each time: callers must not change
 * them. */
static int l_spec(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    if (!lua_isnil(L, -1))
        return 1;
    lua_newtable(L);
    push_commands(L);
    lua_setfield(L, -2, "commands");
    push_ops(L, robo_queries());
    lua_setfield(L, -2, "queries");
    push_ops(L, robo_notices());
    lua_setfield(L, -2, "notices");
    push_words(L, robo_signal_words());
    lua_setfield(L, -2, "signals");
    push_words(L, robo_reason_words());
    lua_setfield(L, -2, "reasons");
    push_words(L, robo_error_words());
    lua_setfield(L, -2, "errors");
    lua_pushvalue(L, -1);
    lua_replace(L, lua_upvalueindex(1));
    return 1;
}

void open_convert(lua_State *L)
{
    lua_pushnil(L); /* until it is asked for */
    lua_pushcclosure(L, l_spec, 1);
    lua_setfield(L, -2, "spec");
}
