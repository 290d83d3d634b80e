/* Command modes as scripts (RoboTalk section V; DESIGN section 1). They run in a small Lua state of their own,
 * closed to the outside, with a budget of instructions and of memory, on the thread of the connections that
 * they decide for. What they decide is data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "time.h"

enum { INSTRUCTIONS = 2000000, MEMORY_MOST = 8 << 20 };

struct modes {
    struct robo__modes interface; /* first */
    lua_State *L;                 /* registry.modes = { name = mode table } */
    size_t memory;
};

/* One session's mode: the table that its script's open made, anchored in the registry. */
struct mode {
    int instance, arrived;
    robo_time duration;
};

static void *allocate(void *ud, void *old, size_t old_size, size_t size)
{
    struct modes *m = ud;
    size_t before = old ? old_size : 0;
    if (size > before && m->memory - before + size > MEMORY_MOST)
        return NULL;
    m->memory = m->memory - before + size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

static void on_count(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    lua_sethook(L, on_count, LUA_MASKCOUNT,
                1); /* no pcall is in reach, and if one were, it would not help */
    luaL_error(L, "the mode computes too long");
}

static void limit(lua_State *L)
{
    lua_sethook(L, on_count, LUA_MASKCOUNT, INSTRUCTIONS);
}

static void set_number(lua_State *L, const char *name, double x)
{
    lua_pushnumber(L, x);
    lua_setfield(L, -2, name);
}

static void set_time(lua_State *L, const char *name, robo_time t)
{
    set_number(L, name, (double)t * 1e-9);
}

static double number_field(lua_State *L, int table, const char *name, double otherwise)
{
    lua_getfield(L, table, name);
    double x = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : otherwise;
    lua_pop(L, 1);
    return x;
}

static bool flag_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    bool b = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return b;
}

static robo_time to_time(lua_State *L, double seconds, const char *name)
{
    if (!(fabs(seconds) < 9e9))
        luaL_error(L, "%s is no time", name);
    return (robo_time)llround(seconds * 1e9);
}

/* What was raised, without asking for memory: that there is none may be what went wrong. */
static const char *words_of(lua_State *L)
{
    return lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "it raised no text";
}

static void refuse(struct robo__decision *d, int error, const char *why)
{
    d->error = error;
    snprintf(d->text, sizeof d->text, "%s", why ? why : "");
}

/* { shift = s } or { hold = true, again = t } on top of the stack into the decision. */
static void read_decision(lua_State *L, struct robo__decision *d)
{
    if (!lua_istable(L, -1))
        luaL_error(L, "want a decision: { shift = seconds } or { hold = true, again = seconds }");
    int t = lua_gettop(L);
    d->hold = flag_field(L, t, "hold");
    d->shift = to_time(L, number_field(L, t, "shift", 0), "shift");
    d->again = to_time(L, number_field(L, t, "again", 0), "again");
}

static void push_options(lua_State *L, const char *text)
{
    lua_newtable(L);
    while (text && *text) {
        size_t n = strcspn(text, ","), name = strcspn(text, "=,");
        if (name < n) {
            lua_pushlstring(L, text, name);
            lua_pushlstring(L, text + name + 1, n - name - 1);
            lua_rawset(L, -3);
        }
        text += n + (text[n] == ',');
    }
}

struct opening {
    const struct robo__mode_request *request;
    struct robo__decision *decision;
    struct mode *mode;
};

/* Protected: everything that a script or a lack of memory may raise. */
static int open_protected(lua_State *L)
{
    struct opening *o = lua_touserdata(L, 1);
    const struct robo__mode_request *r = o->request;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "modes");
    if (lua_getfield(L, -1, r->name) != LUA_TTABLE)
        return luaL_error(L, "there is no mode '%s'", r->name);
    int mode = lua_gettop(L);
    o->decision->blocking = flag_field(L, mode, "blocking");
    o->decision->buffered = flag_field(L, mode, "buffered");
    lua_getfield(L, mode, "expiry");
    o->decision->expiry = lua_isnumber(L, -1) ? to_time(L, lua_tonumber(L, -1), "expiry") : -1;

    lua_getfield(L, mode, "open");
    if (lua_isnil(L, -1))
        return 0; /* nothing to decide: commands as they are */
    lua_newtable(L);
    lua_pushstring(L, r->name);
    lua_setfield(L, -2, "name");
    push_options(L, r->options);
    lua_setfield(L, -2, "options");
    set_time(L, "delay", r->delay);
    set_time(L, "duration", r->duration);
    set_time(L, "deadman", r->deadman);
    set_time(L, "expiry", r->expiry);
    set_time(L, "jitter", r->jitter);
    lua_call(L, 1, 3);
    /* decision, instance: or nil, why */
    if (lua_isnil(L, -3)) {
        refuse(o->decision, ROBO_EMODE,
               lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "the mode refuses");
        return 0;
    }
    lua_pop(L, 1);
    lua_pushvalue(L, -2);
    read_decision(L, o->decision);
    lua_pop(L, 1);
    lua_getfield(L, mode, "arrived");
    if (o->decision->hold && !lua_isfunction(L, -1))
        return luaL_error(L, "a mode that holds needs a function 'arrived'");
    o->mode->arrived = luaL_ref(L, LUA_REGISTRYINDEX);
    o->mode->instance = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

static void open_mode(struct robo__modes *interface, const struct robo__mode_request *request,
                      struct robo__decision *decision, void **mode)
{
    struct modes *m = (struct modes *)interface;
    *mode = NULL;
    struct mode *made = calloc(1, sizeof *made);
    if (!made) {
        refuse(decision, ROBO_ENOMEM, NULL);
        return;
    }
    made->instance = made->arrived = LUA_NOREF;
    made->duration = request->duration;
    struct opening o = { request, decision, made };
    limit(m->L);
    lua_pushcfunction(m->L, open_protected);
    lua_pushlightuserdata(m->L, &o);
    if (lua_pcall(m->L, 1, 0, 0) != LUA_OK) {
        refuse(decision, ROBO_EMODE, words_of(m->L));
    }
    lua_settop(m->L, 0);
    *mode = made;
}

struct arriving {
    struct mode *mode;
    const struct robo__arrivals *arrivals;
    robo_time now;
    struct robo__decision decision;
};

static int arrived_protected(lua_State *L)
{
    struct arriving *a = lua_touserdata(L, 1);
    const struct robo__arrivals *s = a->arrivals;
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->mode->arrived);
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->mode->instance);
    lua_newtable(L);
    set_number(L, "frames", (double)s->frames);
    set_number(L, "packages", (double)s->packages);
    set_time(L, "first_start", s->first_start);
    set_time(L, "last_start", s->last_start);
    set_time(L, "first_arrival", s->first_arrival);
    set_time(L, "last_arrival", s->last_arrival);
    set_time(L, "least", s->least);
    set_time(L, "worst", s->worst);
    set_number(L, "gap_mean", s->gap_mean);
    set_number(L, "gap_deviation",
               s->packages > 2 ? sqrt(s->gap_m2 / (double)(s->packages - 2)) : 0);
    lua_pushboolean(L, s->finished);
    lua_setfield(L, -2, "finished");
    lua_pushnumber(L, (double)a->now * 1e-9);
    lua_call(L, 3, 1);
    read_decision(L, &a->decision);
    return 0;
}

static void arrived(struct robo__modes *interface, void *mode,
                    const struct robo__arrivals *arrivals, robo_time now,
                    struct robo__decision *decision)
{
    struct modes *m = (struct modes *)interface;
    struct arriving a = { mode, arrivals, now, *decision };
    limit(m->L);
    lua_pushcfunction(m->L, arrived_protected);
    lua_pushlightuserdata(m->L, &a);
    if (lua_pcall(m->L, 1, 0, 0) == LUA_OK) {
        *decision = a.decision;
    } else {
        /* a broken mode may not hold what it was given for ever: the first frame begins now */
        fprintf(stderr, "robotalk: warning: mode: %s\n", words_of(m->L));
        decision->hold = false;
        decision->shift = now - arrivals->first_start;
    }
    lua_settop(m->L, 0);
}

static void close_mode(struct robo__modes *interface, void *mode)
{
    struct modes *m = (struct modes *)interface;
    struct mode *made = mode;
    luaL_unref(m->L, LUA_REGISTRYINDEX, made->instance);
    luaL_unref(m->L, LUA_REGISTRYINDEX, made->arrived);
    free(made);
}

/* The standard libraries of which a mode sees a part. */
static int open_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = { { "_G", luaopen_base },
                                          { "math", luaopen_math },
                                          { "string", luaopen_string },
                                          { "table", luaopen_table } };
    /* these may work for ever within one instruction, and so out of the budget's reach */
    static const char *const endless[] = { "find", "gmatch", "gsub", "match", "rep", "move" };
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
        for (size_t k = 0; i > 0 && k < sizeof endless / sizeof endless[0]; k++) {
            lua_pushnil(L);
            lua_setfield(L, -2, endless[k]);
        }
        lua_pop(L, 1);
    }
    return 0;
}

/* What one mode may use: arithmetic and text, in tables of its own, so that it cannot spoil them for others. No
 * pcall: the budget cannot be caught. */
static void push_environment(lua_State *L)
{
    static const char *const keep[] = { "math",   "string",   "table",    "pairs",
                                        "ipairs", "tonumber", "tostring", "type",
                                        "select", "error",    "assert",   NULL };
    lua_newtable(L);
    for (size_t i = 0; keep[i]; i++) {
        if (lua_getglobal(L, keep[i]) == LUA_TTABLE) {
            lua_newtable(L);
            for (lua_pushnil(L); lua_next(L, -3); lua_pop(L, 1)) {
                lua_pushvalue(L, -2);
                lua_pushvalue(L, -2);
                lua_rawset(L, -5);
            }
            lua_remove(L, -2);
        }
        lua_setfield(L, -2, keep[i]);
    }
}

struct modes *modes_open(void)
{
    struct modes *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->interface = (struct robo__modes){ open_mode, arrived, close_mode };
    m->L = lua_newstate(allocate, m);
    if (m->L)
        lua_pushcfunction(m->L, open_libraries);
    if (!m->L || lua_pcall(m->L, 0, 0, 0) != LUA_OK) {
        modes_close(m);
        return NULL;
    }
    return m;
}

void modes_close(struct modes *m)
{
    if (m->L)
        lua_close(m->L);
    free(m);
}

struct robo__modes *modes_interface(struct modes *m)
{
    return &m->interface;
}

struct adding {
    const char *name, *text;
    size_t size;
};

/* Protected: runs the script and keeps the table that it returns. */
static int add_protected(lua_State *L)
{
    const struct adding *a = lua_touserdata(L, 1);
    const char *chunk = lua_pushfstring(L, "@mode %s", a->name);
    if (luaL_loadbufferx(L, a->text, a->size, chunk, "t") != LUA_OK)
        return lua_error(L);
    push_environment(L);
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 1);
    if (!lua_istable(L, -1))
        return luaL_error(L, "mode %s: want a table, got %s", a->name, luaL_typename(L, -1));
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "modes");
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, a->name);
    return 0;
}

int modes_add(struct modes *m, const char *name, const char *text, size_t size, char why[256])
{
    struct adding a = { name, text, size };
    limit(m->L);
    lua_pushcfunction(m->L, add_protected);
    lua_pushlightuserdata(m->L, &a);
    int error = lua_pcall(m->L, 1, 0, 0) == LUA_OK ? 0 : ROBO_EMODE;
    if (error)
        snprintf(why, 256, "%s", words_of(m->L));
    lua_settop(m->L, 0);
    return error;
}
