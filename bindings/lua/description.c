/* A robot's description: from the table that a descriptor file returns to the core's struct. Everything is
 * checked before anything is kept; an error names the place in the table and what was expected. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* Of any quantity: a thousand million metres, seconds, joules; what the wire can carry. */
static const double MOST = 1e9;

static _Noreturn void wrong(lua_State *L, const char *path, const char *key, const char *expected)
{
    luaL_error(L, "%s%s%s: expected %s, got %s", path, path[0] && key[0] ? "." : "", key, expected,
               lua_isnoneornil(L, -1) ? "nothing" : luaL_tolstring(L, -1, NULL));
    abort(); /* luaL_error does not return, which its declaration does not say */
}

/* What may stand where. A wrong name is told: a limit that nobody reads would protect nobody. */
static const char *const robot_names[] = { "name",     "model",   "deadman", "holonomic",
                                           "commands", "base",    "battery", "joints",
                                           "links",    "drivers", NULL };
static const char *const base_names[] = { "driver", "speed", "acceleration", "pose", NULL };
static const char *const battery_names[] = { "capacity", "voltage", NULL };
static const char *const joint_names[] = { "name",  "parent", "child", "driver",
                                           "servo", "dofs",   NULL };
static const char *const dof_names[] = { "name",  "type",         "axis", "limit",
                                         "speed", "acceleration", "rest", NULL };
static const char *const plane_names[] = { "x", "y", "theta", NULL };

/* Raises unless all keys of the table are names of the list. */
static void only(lua_State *L, int t, const char *path, const char *const *names)
{
    for (lua_pushnil(L); lua_next(L, t); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        int i = 0;
        while (key && names[i] && strcmp(names[i], key) != 0)
            i++;
        if (key && names[i])
            continue;
        luaL_Buffer b;
        if (!key)
            key = lua_pushfstring(L, "[%s]", luaL_tolstring(L, -2, NULL));
        luaL_buffinit(L, &b);
        for (i = 0; names[i]; i++) {
            luaL_addstring(&b, i ? ", " : "");
            luaL_addstring(&b, names[i]);
        }
        luaL_pushresult(&b);
        luaL_error(L, "%s%s%s: expected one of %s", path, path[0] && key[0] != '[' ? "." : "", key,
                   lua_tostring(L, -1));
    }
}

static double number(lua_State *L, int t, const char *path, const char *key, double otherwise,
                     double least)
{
    lua_getfield(L, t, key);
    double x = otherwise;
    if (!lua_isnil(L, -1)) {
        if (lua_type(L, -1) != LUA_TNUMBER || !(fabs(x = lua_tonumber(L, -1)) <= MOST) || x < least)
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
        !(-MOST <= lua_tonumber(L, -2) && lua_tonumber(L, -2) <= lua_tonumber(L, -1) &&
          lua_tonumber(L, -1) <= MOST))
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
    if (!open_table(L, t, path, key))
        return;
    int own = lua_gettop(L);
    const char *where = lua_pushfstring(L, "%s.%s", path, key);
    only(L, own, where, plane_names);
    for (int i = 0; i < 3; i++)
        out[i] = number(L, own, where, plane_names[i], 0, least);
    lua_settop(L, own - 1);
}

/* The next name in t after `last` by the alphabet, so that equal tables give equal texts; false: none. */
static bool next_name(lua_State *L, int t, const char *path, const char **last)
{
    const char *found = NULL;
    for (lua_pushnil(L); lua_next(L, t); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            lua_pushvalue(L, -2);
            wrong(L, path, "", "names of options");
        }
        const char *name = lua_tostring(L, -2);
        if ((!*last || strcmp(name, *last) > 0) && (!found || strcmp(name, found) < 0))
            found = name;
    }
    *last = found;
    return found != NULL;
}

/* name=value,… of a driver's table, without what the core itself reads. */
static void options(lua_State *L, int t, const char *path, struct robo_binding *b)
{
    for (const char *name = NULL; next_name(L, t, path, &name);) {
        if (strcmp(name, "driver") == 0)
            continue;
        int type = lua_getfield(L, t, name);
        if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
            wrong(L, path, name, "a text, a number, true or false");
        const char *value = luaL_tolstring(L, -1, NULL);
        if (strpbrk(name, ",=") || strpbrk(value, ",="))
            wrong(L, path, name, "a name and a value without ',' and '='");
        size_t used = strlen(b->options);
        const char *s = lua_pushfstring(L, "%s%s=%s", used ? "," : "", name, value);
        if (used + strlen(s) >= sizeof b->options)
            luaL_error(L, "%s: expected at most 511 characters of options", path);
        strcpy(b->options + used, s);
        lua_pop(L, 3);
    }
}

/* Where things are on the stack. */
struct places {
    int robot; /* the description */
    int seen;  /* entry of `drivers` -> number of its device */
};

/* The device that a joint or the base names: one for each entry of `drivers` that is used. */
static uint8_t device(lua_State *L, struct places at, const char *path, int t,
                      struct robo_description *d)
{
    int top = lua_gettop(L);
    char name[32];
    text(L, t, path, "driver", "sim", name, sizeof name);
    if (lua_getfield(L, at.seen, name) != LUA_TNIL) {
        uint8_t found = (uint8_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
        return found;
    }
    if (d->devices == ROBO_MAX_DEVICES)
        luaL_error(L, "%s.driver: at most %d drivers", path, ROBO_MAX_DEVICES);
    uint8_t number = d->devices++;
    struct robo_binding *b = &d->device[number];
    lua_pushinteger(L, number);
    lua_setfield(L, at.seen, name);
    strcpy(b->driver, name);
    if (open_table(L, at.robot, "", "drivers") && open_table(L, lua_gettop(L), "drivers", name)) {
        int entry = lua_gettop(L);
        const char *where = lua_pushfstring(L, "drivers.%s", name);
        /* an entry with a script is a driver in Lua */
        bool scripted = lua_getfield(L, entry, "script") != LUA_TNIL;
        text(L, entry, where, "driver", scripted ? "lua" : name, b->driver, sizeof b->driver);
        options(L, entry, where, b);
    }
    lua_settop(L, top);
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
    only(L, t, path, dof_names);
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

static uint8_t link_number(lua_State *L, int t, const char *path, const char *key, int otherwise)
{
    lua_getfield(L, t, key);
    int whole = 1;
    lua_Integer n = otherwise;
    if (!lua_isnil(L, -1))
        n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : -1;
    if (!whole || n < 0 || n > ROBO_MAX_JOINTS)
        wrong(L, path, key, "the number of a link");
    lua_pop(L, 1);
    return (uint8_t)n;
}

static void joint(lua_State *L, struct places at, const char *path, struct robo_description *d,
                  int wire)
{
    struct robo_joint *j = &d->joint[wire];
    int t = lua_gettop(L);
    only(L, t, path, joint_names);
    text(L, t, path, "name", lua_pushfstring(L, "joint%d", wire), j->name, sizeof j->name);
    lua_pop(L, 1);
    for (int i = 0; i < wire; i++)
        if (strcmp(d->joint[i].name, j->name) == 0)
            luaL_error(L, "%s.name: there are two joints '%s'", path, j->name);
    j->parent = link_number(L, t, path, "parent", wire - 1);
    j->child = link_number(L, t, path, "child", wire);
    j->servo = servo_bits(L, t, path);
    j->device = device(L, at, path, t, d);
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

/* How many joints; their numbers are those on the wire, so there may be no gap. */
static int count_joints(lua_State *L, int t)
{
    lua_Integer most = 0, count = 0;
    for (lua_pushnil(L); lua_next(L, t); lua_pop(L, 1)) {
        if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1 ||
            lua_tointeger(L, -2) >= ROBO_MAX_JOINTS) {
            lua_pushvalue(L, -2);
            wrong(L, "joints", "",
                  "joints [1] to [31] (joint 0 is the root's: it is described as `base`)");
        }
        count++;
        if (lua_tointeger(L, -2) > most)
            most = lua_tointeger(L, -2);
    }
    if (most != count)
        luaL_error(L, "joints: expected joints [1] to [%d] without a gap", (int)most);
    return (int)count;
}

/* The links that the joints tell of must be a tree with link 0 for its root. */
static void check_tree(lua_State *L, int robot, struct robo_description *d)
{
    uint8_t parent[ROBO_MAX_JOINTS + 1] = { 0 }, joint_of[ROBO_MAX_JOINTS + 1] = { 0 };
    int links = 1;
    for (int i = 1; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        if (j->child == 0 || joint_of[j->child])
            luaL_error(L, "joints[%d].child: expected a link that no other joint moves, got %d", i,
                       (int)j->child);
        joint_of[j->child] = (uint8_t)i;
        parent[j->child] = j->parent;
        if (j->child >= links)
            links = j->child + 1;
    }
    for (int i = 1; i < d->joints; i++) {
        int link = d->joint[i].child, steps = 0;
        while (link != 0 && joint_of[link] && steps++ < ROBO_MAX_JOINTS)
            link = parent[link];
        if (link != 0)
            luaL_error(L, "joints[%d].parent: expected a link that hangs on link 0, got %d", i,
                       (int)d->joint[i].parent);
    }
    d->links = (uint8_t)links;
    /* what `links` says of them is not used yet */
    if (open_table(L, robot, "", "links"))
        lua_pop(L, 1);
}

void check_description(lua_State *L, int index, struct robo_description *d)
{
    memset(d, 0, sizeof *d);
    luaL_checkstack(L, 40, NULL);
    int top = lua_gettop(L);
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    lua_newtable(L);
    struct places at = { .robot = index, .seen = lua_gettop(L) };
    only(L, index, "", robot_names);
    text(L, index, "", "name", NULL, d->name, sizeof d->name);
    text(L, index, "", "model", "", d->model, sizeof d->model);
    d->deadman = (robo_time)llround(number(L, index, "", "deadman", 0.5, 0) * 1e9);
    d->holonomic = boolean(L, index, "", "holonomic");
    /* joint 0 is the root's, between world and link 0; it has no dofs of its own: the base moves it. The keys of
       `joints` are the numbers on the wire, so the first of them is joint 1 (paper 000, VI: the head) */
    d->joint[0] = (struct robo_joint){ .name = "root", .parent = ROBO_NO_LINK };
    d->joints = 1;
    bool base = open_table(L, index, "", "base");
    if (base) {
        int t = lua_gettop(L);
        only(L, t, "base", base_names);
        uint8_t n = device(L, at, "base", t, d);
        d->device[n].base = 1;
        planar(L, t, "base", "speed", d->speed, 0);
        planar(L, t, "base", "acceleration", d->acceleration, 0);
        planar(L, t, "base", "pose", d->pose, -HUGE_VAL);
        lua_settop(L, t - 1);
    }
    if (open_table(L, index, "", "battery")) {
        only(L, lua_gettop(L), "battery", battery_names);
        d->battery = number(L, lua_gettop(L), "battery", "capacity", 0, 0);
        d->voltage = number(L, lua_gettop(L), "battery", "voltage", 0, 0);
        lua_pop(L, 1);
    }
    if (open_table(L, index, "", "joints")) {
        int t = lua_gettop(L), count = count_joints(L, t);
        for (int i = 1; i <= count; i++) {
            lua_rawgeti(L, t, i);
            const char *where = lua_pushfstring(L, "joints[%d]", i);
            if (!lua_istable(L, -2))
                wrong(L, where, "", "a table");
            lua_pushvalue(L, -2);
            joint(L, at, where, d, i);
            d->joints = (uint8_t)(i + 1);
            lua_settop(L, t);
        }
        lua_pop(L, 1);
    }
    check_tree(L, index, d);
    if (d->devices == 0)
        luaL_error(L, "expected a base or joints, got neither");
    commands(L, index, base, d);
    lua_settop(L, top);
}
