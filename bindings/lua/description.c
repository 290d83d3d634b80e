/* A robot's description: from the table that a descriptor file returns to the core's struct. Everything is
 * checked before anything is kept; an error names the place in the table and what was expected. */
#include <math.h>
#include <string.h>

#include "runtime.h"

static int wrong(lua_State *L, const char *path, const char *key, const char *expected)
{
    return luaL_error(L, "%s%s%s: expected %s, got %s", path, path[0] && key[0] ? "." : "", key,
                      expected, lua_isnoneornil(L, -1) ? "nothing" : luaL_tolstring(L, -1, NULL));
}

static double number(lua_State *L, int t, const char *path, const char *key, double otherwise,
                     double least)
{
    lua_getfield(L, t, key);
    double x = otherwise;
    if (!lua_isnil(L, -1)) {
        if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(x = lua_tonumber(L, -1)) || x < least)
            wrong(L, path, key, least == 0 ? "a number, 0 or more" : "a number");
    }
    lua_pop(L, 1);
    return x;
}

static bool boolean(lua_State *L, int t, const char *path, const char *key)
{
    lua_getfield(L, t, key);
    if (!lua_isnil(L, -1) && !lua_isboolean(L, -1))
        wrong(L, path, key, "true or false");
    bool b = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return b;
}

static void text(lua_State *L, int t, const char *path, const char *key, const char *otherwise,
                 char *out, size_t size)
{
    lua_getfield(L, t, key);
    const char *s = lua_isnil(L, -1)                 ? otherwise
                    : lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1)
                                                     : NULL;
    if (!s || strlen(s) >= size)
        wrong(L, path, key, lua_pushfstring(L, "a text of at most %d characters", (int)size - 1));
    memcpy(out, s, strlen(s) + 1);
    lua_pop(L, 1);
}

/* Opens t[key] as a table on the stack; false, and nothing pushed, when it is not there. */
static bool open_table(lua_State *L, int t, const char *path, const char *key)
{
    lua_getfield(L, t, key);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return false;
    }
    if (!lua_istable(L, -1))
        wrong(L, path, key, "a table");
    return true;
}

static void pair(lua_State *L, int t, const char *path, const char *key, double *low, double *high)
{
    *low = 1;
    *high = -1; /* none */
    if (!open_table(L, t, path, key))
        return;
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    if (lua_type(L, -1) != LUA_TNUMBER || lua_type(L, -2) != LUA_TNUMBER ||
        !(lua_tonumber(L, -2) <= lua_tonumber(L, -1)))
        wrong(L, path, key, "two numbers, the lower first");
    *low = lua_tonumber(L, -2);
    *high = lua_tonumber(L, -1);
    lua_pop(L, 3);
}

/* Greatest speed: a number, or { low, high } whose larger size counts. */
static double greatest(lua_State *L, int t, const char *path, const char *key)
{
    lua_getfield(L, t, key);
    bool list = lua_istable(L, -1);
    lua_pop(L, 1);
    if (!list)
        return number(L, t, path, key, 0, 0);
    double low, high;
    pair(L, t, path, key, &low, &high);
    return fmax(fabs(low), fabs(high));
}

static void planar(lua_State *L, int t, const char *path, const char *key, double out[3],
                   double least)
{
    static const char *const names[] = { "x", "y", "theta" };
    if (!open_table(L, t, path, key))
        return;
    int own = lua_gettop(L);
    const char *where = lua_pushfstring(L, "%s.%s", path, key);
    for (int i = 0; i < 3; i++)
        out[i] = number(L, own, where, names[i], 0, least);
    lua_settop(L, own - 1);
}

/* name=value,… of a driver's table, without what the core itself reads. */
static void options(lua_State *L, const char *path, struct robo_binding *b)
{
    int t = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, t);) {
        if (lua_type(L, -2) != LUA_TSTRING)
            wrong(L, path, "", "names of options");
        if (strcmp(lua_tostring(L, -2), "driver") != 0) {
            const char *value = luaL_tolstring(L, -1, NULL);
            if (strpbrk(value, ",="))
                wrong(L, path, lua_tostring(L, -3), "a value without ',' and '='");
            size_t used = strlen(b->options);
            const char *s =
                lua_pushfstring(L, "%s%s=%s", used ? "," : "", lua_tostring(L, -3), value);
            if (used + strlen(s) >= sizeof b->options)
                wrong(L, path, "", "at most 511 characters of options");
            strcpy(b->options + used, s);
            lua_pop(L, 2);
        }
        lua_pop(L, 1);
    }
}

/* The device that a joint or the base names: one for each entry of `drivers` that is used. */
static uint8_t device(lua_State *L, int robot, const char *path, int t, struct robo_description *d)
{
    char name[32];
    text(L, t, path, "driver", "sim", name, sizeof name);
    /* entry name -> device number, for the time of this check */
    luaL_getsubtable(L, robot, "\1devices");
    lua_getfield(L, -1, name);
    if (lua_isinteger(L, -1)) {
        uint8_t found = (uint8_t)lua_tointeger(L, -1);
        lua_pop(L, 2);
        return found;
    }
    lua_pop(L, 1);
    if (d->devices == ROBO_MAX_DEVICES)
        luaL_error(L, "%s.driver: at most %d drivers", path, ROBO_MAX_DEVICES);
    uint8_t number = d->devices++;
    struct robo_binding *b = &d->device[number];
    lua_pushinteger(L, number);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
    strcpy(b->driver, name);
    if (open_table(L, robot, "", "drivers")) {
        if (open_table(L, lua_gettop(L), "drivers", name)) {
            const char *where = lua_pushfstring(L, "drivers.%s", name);
            /* an entry with a script is a driver in Lua */
            bool scripted = lua_getfield(L, -2, "script") != LUA_TNIL;
            lua_pop(L, 1);
            text(L, lua_gettop(L) - 1, where, "driver", scripted ? "lua" : name, b->driver,
                 sizeof b->driver);
            lua_pushvalue(L, -2);
            options(L, where, b);
            lua_pop(L, 3);
        }
        lua_pop(L, 1);
    }
    return number;
}

static void axis(lua_State *L, int t, const char *path, double out[3])
{
    out[0] = out[1] = 0;
    out[2] = 1;
    if (!open_table(L, t, path, "axis"))
        return;
    double length = 0;
    for (int i = 0; i < 3; i++) {
        lua_rawgeti(L, -1, i + 1);
        if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1)))
            wrong(L, path, "axis", "three numbers");
        out[i] = lua_tonumber(L, -1);
        length += out[i] * out[i];
        lua_pop(L, 1);
    }
    if (length < 1e-12)
        wrong(L, path, "axis", "a direction, not all 0");
    for (int i = 0; i < 3; i++)
        out[i] /= sqrt(length);
    lua_pop(L, 1);
}

static void dof(lua_State *L, const char *path, struct robo_dof *out, int number_of)
{
    static const char *const kinds[] = { "revolute", "prismatic" };
    int t = lua_gettop(L);
    char kind[16];
    text(L, t, path, "name", lua_pushfstring(L, "%d", number_of), out->name, sizeof out->name);
    text(L, t, path, "type", "revolute", kind, sizeof kind);
    lua_pop(L, 1);
    out->kind = strcmp(kind, kinds[1]) == 0 ? ROBO_PRISMATIC : ROBO_REVOLUTE;
    if (strcmp(kind, kinds[out->kind]) != 0) {
        lua_pushstring(L, kind);
        wrong(L, path, "type", "\"revolute\" or \"prismatic\"");
    }
    axis(L, t, path, out->axis);
    pair(L, t, path, "limit", &out->low, &out->high);
    out->speed = greatest(L, t, path, "speed");
    out->acceleration = number(L, t, path, "acceleration", 0, 0);
    out->rest = number(L, t, path, "rest", 0, -HUGE_VAL);
}

static uint8_t servo_bits(lua_State *L, int t, const char *path)
{
    static const char *const names[] = { "setpoint", "speed", "force" };
    uint8_t bits = 0;
    lua_getfield(L, t, "servo");
    if (lua_isnil(L, -1)) {
        bits = ROBO_SERVO_SETPOINT;
    } else {
        if (lua_type(L, -1) == LUA_TSTRING) {
            lua_createtable(L, 1, 0);
            lua_insert(L, -2);
            lua_rawseti(L, -2, 1);
        }
        if (!lua_istable(L, -1))
            wrong(L, path, "servo", "\"setpoint\", \"speed\", \"force\" or a list of them");
        for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, -1); i++) {
            lua_rawgeti(L, -1, i);
            int k = 0;
            while (k < 3 &&
                   (lua_type(L, -1) != LUA_TSTRING || strcmp(lua_tostring(L, -1), names[k]) != 0))
                k++;
            if (k == 3)
                wrong(L, path, "servo", "\"setpoint\", \"speed\", \"force\" or a list of them");
            bits |= (uint8_t)(1u << k);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
    return bits;
}

static void joint(lua_State *L, int robot, const char *path, struct robo_description *d, int wire)
{
    struct robo_joint *j = &d->joint[wire];
    int t = lua_gettop(L);
    text(L, t, path, "name", lua_pushfstring(L, "joint%d", wire), j->name, sizeof j->name);
    lua_pop(L, 1);
    j->parent = (uint8_t)number(L, t, path, "parent", wire - 1, 0);
    j->child = (uint8_t)number(L, t, path, "child", wire, 0);
    j->servo = servo_bits(L, t, path);
    j->device = device(L, robot, path, t, d);
    if (!open_table(L, t, path, "dofs"))
        luaL_error(L, "%s.dofs: expected a list of 1 to 6 dofs, got nothing", path);
    size_t n = lua_rawlen(L, -1);
    if (n < 1 || n > ROBO_JOINT_DOFS || d->dofs + n > ROBO_MAX_DOFS)
        luaL_error(L, "%s.dofs: expected 1 to %d dofs, got %d", path, ROBO_JOINT_DOFS, (int)n);
    j->first = d->dofs;
    j->dofs = (uint8_t)n;
    for (size_t i = 0; i < n; i++) {
        const char *where = lua_pushfstring(L, "%s.dofs[%d]", path, (int)i + 1);
        lua_rawgeti(L, -2, (lua_Integer)i + 1);
        if (!lua_istable(L, -1))
            wrong(L, where, "", "a table");
        dof(L, where, &j->dof[i], (int)i);
        lua_settop(L, lua_gettop(L) - 2);
    }
    d->dofs = (uint8_t)(d->dofs + n);
    lua_settop(L, t);
}

/* The commands that a robot of this description understands, unless it says so itself. */
static void commands(lua_State *L, int robot, bool base, struct robo_description *d)
{
    const struct robo__op *op;
    if (open_table(L, robot, "", "commands")) {
        for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, -1); i++) {
            lua_rawgeti(L, -1, i);
            op = lua_type(L, -1) == LUA_TSTRING
                     ? robo__op_named(robo__commands, lua_tostring(L, -1))
                     : NULL;
            if (!op)
                wrong(L, lua_pushfstring(L, "commands[%d]", (int)i), "", "the name of a command");
            d->commands |= (uint64_t)1 << (op->op - ROBO_FIRST_OP);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
        return;
    }
    static const uint16_t always[] = { ROBO_STOP }, of_base[] = { ROBO_GO_TO, ROBO_SET_SPEED },
                          of_joints[] = { ROBO_SET_JOINT, ROBO_SET_JOINT_SPEED,
                                          ROBO_SET_JOINT_FORCE, ROBO_HOME };
    d->commands |= (uint64_t)1 << (always[0] - ROBO_FIRST_OP);
    for (size_t i = 0; base && i < 2; i++)
        d->commands |= (uint64_t)1 << (of_base[i] - ROBO_FIRST_OP);
    for (size_t i = 0; d->joints > 1 && i < 4; i++)
        d->commands |= (uint64_t)1 << (of_joints[i] - ROBO_FIRST_OP);
}

void check_description(lua_State *L, int index, struct robo_description *d)
{
    memset(d, 0, sizeof *d);
    luaL_checkstack(L, 40, NULL);
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    text(L, index, "", "name", NULL, d->name, sizeof d->name);
    text(L, index, "", "model", "", d->model, sizeof d->model);
    d->deadman = (robo_time)(number(L, index, "", "deadman", 0.5, 0) * 1e9);
    d->holonomic = boolean(L, index, "", "holonomic");
    /* joint 0 is the root's, between world and link 0; it has no dofs of its own: the base moves it. The keys of
       `joints` are the numbers on the wire, so the first of them is joint 1 (paper 000, VI: the head) */
    d->joint[0] = (struct robo_joint){ .name = "root", .parent = ROBO_NO_LINK };
    d->joints = 1;
    bool base = open_table(L, index, "", "base");
    if (base) {
        int t = lua_gettop(L);
        uint8_t n = device(L, index, "base", t, d);
        d->device[n].base = 1;
        planar(L, t, "base", "speed", d->speed, 0);
        planar(L, t, "base", "acceleration", d->acceleration, 0);
        planar(L, t, "base", "pose", d->pose, -HUGE_VAL);
        lua_settop(L, t - 1);
    }
    if (open_table(L, index, "", "battery")) {
        d->battery = number(L, lua_gettop(L), "battery", "capacity", 0, 0);
        d->voltage = number(L, lua_gettop(L), "battery", "voltage", 0, 0);
        lua_pop(L, 1);
    }
    if (open_table(L, index, "", "joints")) {
        int t = lua_gettop(L);
        for (int i = 1; i < ROBO_MAX_JOINTS; i++) {
            lua_rawgeti(L, t, i);
            if (lua_isnil(L, -1))
                break;
            const char *where = lua_pushfstring(L, "joints[%d]", i);
            if (!lua_istable(L, -2))
                wrong(L, where, "", "a table");
            lua_pushvalue(L, -2);
            joint(L, index, where, d, i);
            d->joints = (uint8_t)(i + 1);
            lua_settop(L, t);
        }
        lua_pop(L, 1);
    }
    d->links = d->joints;
    if (d->devices == 0)
        luaL_error(L, "expected a base or joints, got neither");
    commands(L, index, base, d);
    lua_pushnil(L);
    lua_setfield(L, index, "\1devices");
}
