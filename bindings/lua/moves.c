/* Frames (ROBO_MOVE) from Lua, and what became of their parts.
 *
 *     { op = "move", start = s, place | speed = { x, y, theta }, the heading of a place may be false,
 *       setpoints = { dofs = { number, … }, value = { … }, velocity = { … }, limit = { … } }, speeds = { … }, forces = { … },
 *       frames = { { frame = number, servo = 1 | 2 | 4, free = 0 to 3, values = { six } }, … } }
 *
 * Numbers of dofs and control frames are from 0; those of a group rise. What is not there is left out. wide = true: values
 * travel as i64 even where none needs that. */
#include <math.h>
#include <string.h>

#include "runtime.h"

static const struct group {
    const char *name;
    uint8_t servo;
} groups[] = { { "setpoints", ROBO_SERVO_SETPOINT },
               { "speeds", ROBO_SERVO_SPEED },
               { "forces", ROBO_SERVO_FORCE } };
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* The table that is a field of the one at index, onto the stack, and its length; 0 and nil: it is not there. */
static size_t push_list(lua_State *L, int index, const char *name)
{
    lua_getfield(L, index, name);
    if (!lua_isnil(L, -1) && !lua_istable(L, -1))
        raise_mistake(L, "move: field '%s' wants a table, got %s", name, luaL_typename(L, -1));
    size_t n = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    if (n > UINT16_MAX)
        raise_mistake(L, "move: field '%s' is too long", name);
    return n;
}

static double check_real(lua_State *L, int list, size_t i, const char *name)
{
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : (double)NAN;
    if (!isfinite(value))
        raise_mistake(L, "move: field '%s' wants finite numbers, got %s", name,
                      luaL_typename(L, -1));
    lua_pop(L, 1);
    return value;
}

static unsigned check_number(lua_State *L, int index, const char *name, lua_Integer most)
{
    int is_whole = 0;
    lua_Integer n = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &is_whole) : 0;
    if (!is_whole || n < 0 || n > most)
        raise_mistake(L, "move: field '%s' wants a whole number, 0 to %I", name, most);
    return (unsigned)n;
}

/* A list of so many numbers in the group at the top; false: it is not there. It is put into one member of each dof. */
static bool check_column(lua_State *L, const char *name, size_t n, double *to)
{
    const size_t stride = sizeof(struct robo_move_dof) / sizeof(double);
    size_t have = push_list(L, lua_gettop(L), name);
    const bool there = lua_istable(L, -1);
    if (there && have != n)
        raise_mistake(L, "move: field '%s' wants as many numbers as there are dofs", name);
    for (size_t i = 0; there && i < n; i++)
        to[i * stride] = check_real(L, lua_gettop(L), i, name);
    lua_pop(L, 1);
    return there;
}

/* The group at the top, of n dofs. */
static void check_group(lua_State *L, const struct group *group, size_t n, struct robo_move *m)
{
    struct robo_move_dof *dof = m->dof + m->dofs;
    const bool set = group->servo == ROBO_SERVO_SETPOINT;
    lua_getfield(L, -1, "dofs");
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        dof[i] = (struct robo_move_dof){ .dof = (uint16_t)check_number(L, -1, "dofs", UINT16_MAX),
                                         .servo = group->servo };
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (!check_column(L, "value", n, &dof->value))
        raise_mistake(L, "move: field '%s' wants a value for each dof", group->name);
    if (set && check_column(L, "velocity", n, &dof->velocity))
        m->parts |= ROBO_MOVE_VELOCITIES;
    if (set && check_column(L, "limit", n, &dof->limit))
        m->parts |= ROBO_MOVE_LIMITS;
    m->dofs = (uint16_t)(m->dofs + n);
}

/* The control frame at the top. */
static void check_frame(lua_State *L, struct robo_move_frame *frame)
{
    if (!lua_istable(L, -1))
        raise_mistake(L, "move: field 'frames' wants tables, got %s", luaL_typename(L, -1));
    lua_getfield(L, -1, "frame");
    frame->frame = (uint16_t)check_number(L, -1, "frame", UINT16_MAX);
    lua_getfield(L, -2, "servo");
    frame->servo = (uint8_t)check_number(L, -1, "servo", UINT8_MAX);
    lua_getfield(L, -3, "free");
    frame->free = lua_isnil(L, -1) ? 0 : (uint8_t)check_number(L, -1, "free", 3);
    if (push_list(L, lua_gettop(L) - 3, "values") != 6)
        raise_mistake(L, "move: field 'values' wants six numbers");
    for (size_t i = 0; i < 6; i++)
        frame->value[i] = check_real(L, lua_gettop(L), i, "values");
    lua_pop(L, 4);
}

static void check_base(lua_State *L, int index, const char *name, uint16_t what,
                       struct robo_move *m)
{
    size_t n = push_list(L, index, name);
    const int top = lua_gettop(L);
    if (lua_istable(L, -1)) {
        if (n != 3 || m->parts & (ROBO_MOVE_PLACE | ROBO_MOVE_SPEED))
            raise_mistake(L, "move: wants place or speed = { x, y, theta }");
        for (size_t i = 0; i < 3; i++) {
            const bool none =
                i == 2 && what == ROBO_MOVE_PLACE && lua_rawgeti(L, -1, 3) == LUA_TBOOLEAN;
            lua_settop(L, top);
            m->base[i] = none ? NAN : check_real(L, top, i, name);
        }
        m->parts |= what;
    }
    lua_pop(L, 1);
}

/* How many dofs a group has. */
static size_t count_dofs(lua_State *L, int index, const char *group)
{
    size_t n = 0;
    push_list(L, index, group);
    if (lua_istable(L, -1)) {
        n = push_list(L, lua_gettop(L), "dofs");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return n;
}

static void check_fields(lua_State *L, int index)
{
    static const char *const fields[] = { "op",     "start",  "place",  "speed", "setpoints",
                                          "speeds", "forces", "frames", "wide" };
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        size_t i = 0;
        while (i < sizeof fields / sizeof fields[0] && strcmp(fields[i], name) != 0)
            i++;
        if (i == sizeof fields / sizeof fields[0])
            raise_mistake(L, "move: there is no field '%s'", name);
    }
}

struct robo_move *check_move(lua_State *L, int index)
{
    size_t count[GROUPS], dofs = 0;
    luaL_checkstack(L, 12, NULL);
    index = lua_absindex(L, index);
    check_fields(L, index);
    for (size_t i = 0; i < GROUPS; i++)
        dofs += count[i] = count_dofs(L, index, groups[i].name);
    size_t frames = push_list(L, index, "frames");
    lua_pop(L, 1);
    if (dofs > UINT16_MAX)
        raise_mistake(L, "move: too many dofs");
    struct robo_move *m =
        lua_newuserdatauv(L, sizeof *m + dofs * sizeof *m->dof + frames * sizeof *m->frame, 0);
    *m = (struct robo_move){ .dof = (struct robo_move_dof *)(m + 1) };
    m->frame = (struct robo_move_frame *)(m->dof + dofs);
    check_base(L, index, "place", ROBO_MOVE_PLACE, m);
    check_base(L, index, "speed", ROBO_MOVE_SPEED, m);
    for (size_t i = 0; i < GROUPS; i++) {
        lua_getfield(L, index, groups[i].name);
        if (count[i] > 0)
            check_group(L, &groups[i], count[i], m);
        lua_pop(L, 1);
    }
    m->parts |= flag_field(L, index, "wide") ? ROBO_MOVE_WIDE : 0;
    lua_getfield(L, index, "frames");
    for (; m->frames < frames; m->frames++) {
        lua_rawgeti(L, -1, (lua_Integer)m->frames + 1);
        check_frame(L, &m->frame[m->frames]);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return m;
}

bool push_parts(lua_State *L, const struct robo_part *parts, size_t n, bool brief)
{
    static const char *const kinds[] = { "base", "dof", "frame" };
    lua_Integer told = 0;
    luaL_checkstack(L, 4, NULL);
    for (size_t i = 0; i < n; i++) {
        if (brief && parts[i].signal != ROBO_NA && parts[i].reason != ROBO_WHY_LIMIT)
            continue;
        if (told++ == 0)
            lua_createtable(L, brief ? 0 : (int)n, 0);
        lua_createtable(L, 0, 4);
        set_text(L, "kind", parts[i].kind <= ROBO_PART_FRAME ? kinds[parts[i].kind] : "unknown");
        set_integer(L, "number", parts[i].number);
        set_text(L, "signal", robo_signal_name(parts[i].signal));
        set_text(L, "reason", robo_reason_name(parts[i].reason));
        lua_rawseti(L, -2, told);
    }
    return told > 0;
}

static void set_column(lua_State *L, const char *name, const double *from, size_t n)
{
    const size_t stride = sizeof(struct robo_move_dof) / sizeof(double);
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_pushnumber(L, from[i * stride]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, name);
}

static void set_group(lua_State *L, const struct group *group, const struct robo_move *m,
                      const struct robo_move_dof *dof, size_t n)
{
    lua_createtable(L, 0, 4);
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_pushinteger(L, dof[i].dof);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "dofs");
    set_column(L, "value", &dof->value, n);
    const bool set = group->servo == ROBO_SERVO_SETPOINT;
    if (set && m->parts & ROBO_MOVE_VELOCITIES)
        set_column(L, "velocity", &dof->velocity, n);
    if (set && m->parts & ROBO_MOVE_LIMITS)
        set_column(L, "limit", &dof->limit, n);
    lua_setfield(L, -2, group->name);
}

void set_move(lua_State *L, const struct robo_move *m)
{
    luaL_checkstack(L, 6, NULL);
    if (m->parts & ROBO_MOVE_WIDE)
        set_flag(L, "wide", true);
    if (m->parts & (ROBO_MOVE_PLACE | ROBO_MOVE_SPEED)) {
        push_numbers(L, m->base, 3);
        if (isnan(m->base[2])) {
            lua_pushboolean(L, 0);
            lua_rawseti(L, -2, 3);
        }
        lua_setfield(L, -2, m->parts & ROBO_MOVE_PLACE ? "place" : "speed");
    }
    size_t at = 0;
    for (size_t i = 0; i < GROUPS; i++) {
        size_t n = 0;
        while (at + n < m->dofs && m->dof[at + n].servo == groups[i].servo)
            n++;
        if (n > 0)
            set_group(L, &groups[i], m, m->dof + at, n);
        at += n;
    }
    if (m->frames == 0)
        return;
    lua_createtable(L, m->frames, 0);
    for (size_t i = 0; i < m->frames; i++) {
        lua_createtable(L, 0, 4);
        set_integer(L, "frame", m->frame[i].frame);
        set_integer(L, "servo", m->frame[i].servo);
        set_integer(L, "free", m->frame[i].free);
        set_numbers(L, "values", m->frame[i].value, 6);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "frames");
}
