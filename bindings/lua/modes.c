/* Command modes as scripts (RoboTalk section V). Each mode has a sandbox of its own on the thread of the connections
 * that it decides for. That thread also reads panics, so a call may take only a few milliseconds. A decision is data.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "sandbox.h"

enum {
    MEMORY = 1 << 20,
    MEMORY_SESSION = 1 << 10, /* more for each session */
    INSTRUCTIONS = 200000,
    NEEDS = 4, /* calls of need that a decision may make */
    SHARE = 4, /* after a call no mode is called for that many times its duration */
};

/* Limit of a call, in processor time of the thread. In a virtual world the count of instructions is the limit, so that
 * a run is the same on every machine. */
static const robo_time TIME = 5000000, TIME_VIRTUAL = 1000000000;

/* One mode. It lives as long as it is the newest of its name here, or a loop has it. */
struct script {
    struct script *next;
    struct modes *modes;
    char *name;
    struct sandbox *box;
    unsigned holders, sessions;
    bool cut_off;            /* it exceeded a limit, and is not called again */
    struct deciding *asking; /* while its `arrived` is called */
};

struct modes {
    struct script *scripts; /* the newest of each name */
    robo_loop *loop;        /* that has them; NULL: none */
    bool is_virtual;
    robo_time free_at; /* in real time: no mode is called before */
};

/* One session's mode: the table that its script's open made, anchored in the sandbox's registry. */
struct mode {
    int instance, arrived;
};

static const char MODE[] = "mode"; /* the table of the file, in the registry */

/* The time in a field of the table at that index; what is no number there is `otherwise`. */
static robo_time time_field(lua_State *L, int table, const char *name, robo_time otherwise)
{
    lua_getfield(L, table, name);
    const bool is_number = lua_isnumber(L, -1);
    const double seconds = lua_tonumber(L, -1);
    if (is_number && !(fabs(seconds) < 9e9))
        luaL_error(L, "%s is no time", name);
    lua_pop(L, 1);
    return is_number ? (robo_time)llround(seconds * 1e9) : otherwise;
}

static int refuse(int error, const char *words, char why[128])
{
    snprintf(why, 128, "%.127s", words);
    return error;
}

/* { shift = s } or { hold = true, again = t } on top of the stack into the decision. */
static void read_decision(lua_State *L, struct robo_mode_decision *d)
{
    if (!lua_istable(L, -1))
        luaL_error(L, "want a decision: { shift = seconds } or { hold = true, again = seconds }");
    int t = lua_gettop(L);
    d->hold = flag_field(L, t, "hold");
    d->shift = time_field(L, t, "shift", 0);
    d->again = time_field(L, t, "again", 0);
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
    const struct robo_mode_request *request;
    struct robo_mode_decision *decision;
    struct mode *mode;
    int error; /* of a mode that refuses */
    char *why;
};

static int open_protected(lua_State *L)
{
    struct opening *o = lua_touserdata(L, 1);
    const struct robo_mode_request *r = o->request;
    lua_getfield(L, LUA_REGISTRYINDEX, MODE);
    int mode = lua_gettop(L);
    o->decision->blocking = flag_field(L, mode, "blocking");
    o->decision->buffered = flag_field(L, mode, "buffered");
    o->decision->refills = flag_field(L, mode, "refills");
    o->decision->expiry = time_field(L, mode, "expiry", -1);
    lua_getfield(L, mode, "open");
    if (lua_isnil(L, -1))
        return 0; /* no decision: commands pass unchanged */
    lua_newtable(L);
    set_text(L, "name", r->name);
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
        o->error = refuse(ROBO_EMODE,
                          lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "the mode refuses",
                          o->why);
        return 0;
    }
    lua_pop(L, 1);
    lua_pushvalue(L, -2);
    read_decision(L, o->decision);
    lua_pop(L, 1);
    lua_getfield(L, mode, "arrived");
    if (o->decision->hold && !(o->decision->buffered && lua_isfunction(L, -1)))
        return luaL_error(L, "a mode that holds needs buffered = true and a function 'arrived'");
    o->mode->arrived = luaL_ref(L, LUA_REGISTRYINDEX);
    o->mode->instance = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

static void release_script(struct script *script)
{
    if (--script->holders > 0)
        return;
    if (script->box)
        sandbox_close(script->box);
    free(script->name);
    free(script);
}

/* Calls fn in the mode's sandbox. false: it failed, for the reason in report.words and the log. */
static bool ask(struct script *script, lua_CFunction fn, void *argument,
                struct sandbox_report *report)
{
    sandbox_limit(script->box, &(struct sandbox_limits){
                                   MEMORY + (size_t)script->sessions * MEMORY_SESSION, 0,
                                   INSTRUCTIONS, script->modes->is_virtual ? TIME_VIRTUAL : TIME });
    bool good = sandbox_call(script->box, fn, argument, report);
    script->cut_off = report->cut_off;
    if (!good) {
        char line[SANDBOX_WORDS + 128];
        int n = snprintf(line, sizeof line, "robotalk: warning: mode %.64s %s: %s\n", script->name,
                         script->cut_off ? "is cut off" : "has failed", report->words);
        output_log(line, (size_t)n);
    }
    return good;
}

static const char CUT_OFF[] = "the mode was cut off: it used too much time or memory";

static int open_mode(void *owner, const struct robo_mode_request *request,
                     struct robo_mode_decision *decision, void **own, char why[128])
{
    struct script *script = owner;
    if (script->cut_off)
        return refuse(ROBO_EMODE, CUT_OFF, why);
    struct mode *mode = malloc(sizeof *mode);
    if (!mode)
        return ROBO_ENOMEM;
    *mode = (struct mode){ LUA_NOREF, LUA_NOREF };
    *own = mode;
    script->sessions++;
    struct sandbox_report report;
    struct opening o = { request, decision, mode, 0, why };
    if (!ask(script, open_protected, &o, &report))
        return refuse(ROBO_EMODE, report.words, why);
    return o.error;
}

struct deciding {
    struct script *script;
    const struct mode *mode;
    const struct robo_mode_seen *seen;
    struct robo_mode_decision decision;
    unsigned needs; /* times that need was called */
};

/* seen.need(certainty, rest, gap): the shift with which all of `rest` further frames are in time. It takes
 * about a millisecond, which does not count against the file's limit. */
static int l_need(lua_State *L)
{
    const struct script *script = lua_touserdata(L, lua_upvalueindex(1));
    struct deciding *a = script->asking;
    double certainty = luaL_checknumber(L, 1), rest = luaL_checknumber(L, 2),
           gap = luaL_checknumber(L, 3);
    luaL_argcheck(L, certainty >= 0 && certainty < 1, 1, "want a probability below 1");
    luaL_argcheck(L, rest >= 0 && rest < 1e9, 2, "want a number of frames");
    luaL_argcheck(L, gap > 0 && gap < 1e6, 3, "want seconds, more than 0");
    if (!a || a->needs++ == NEEDS)
        return luaL_error(L, "need: want at most %d calls, and within 'arrived'", NEEDS);
    robo_time began = sandbox_clock();
    lua_pushnumber(L, robo_mode_need(a->seen, certainty, rest, gap));
    sandbox_excuse(L, began);
    return 1;
}

static int decide_protected(lua_State *L)
{
    struct deciding *a = lua_touserdata(L, 1);
    const struct robo_mode_seen *s = a->seen;
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
    set_number(L, "gap_deviation", s->gap_deviation);
    set_flag(L, "finished", s->finished);
    set_time(L, "next_start", s->next_start);
    set_time(L, "lateness", s->lateness);
    set_time(L, "lag", s->lag);
    set_number(L, "pauses", s->pauses);
    set_number(L, "known", s->known);
    set_number(L, "service", s->service);
    set_number(L, "base", s->base);
    lua_pushlightuserdata(L, a->script);
    lua_pushcclosure(L, l_need, 1);
    lua_setfield(L, -2, "need");
    push_time(L, s->now);
    lua_call(L, 3, 1);
    read_decision(L, &a->decision);
    return 0;
}

static int decide(void *owner, void *own, const struct robo_mode_seen *seen,
                  struct robo_mode_decision *decision, char why[128])
{
    struct script *script = owner;
    struct modes *m = script->modes;
    if (script->cut_off)
        return refuse(ROBO_EMODE, CUT_OFF, why);
    if (seen->now < m->free_at) {
        decision->again = m->free_at;
        return 0;
    }
    struct sandbox_report report;
    struct deciding a = { script, own, seen, *decision, 0 };
    script->asking = &a;
    bool good = ask(script, decide_protected, &a, &report);
    script->asking = NULL;
    if (!m->is_virtual)
        m->free_at = seen->now + SHARE * report.time;
    if (!good)
        return refuse(ROBO_EMODE, report.words, why);
    *decision = a.decision;
    return 0;
}

static void close_mode(void *owner, void *own)
{
    struct script *script = owner;
    struct mode *mode = own;
    if (!mode)
        return;
    sandbox_unref(script->box, mode->instance);
    sandbox_unref(script->box, mode->arrived);
    free(mode);
    script->sessions--;
}

static void release_mode(void *owner)
{
    release_script(owner);
}

static struct robo_mode as_mode(struct script *script)
{
    return (struct robo_mode){ .size = sizeof(struct robo_mode),
                               .name = script->name,
                               .owner = script,
                               .open = open_mode,
                               .decide = decide,
                               .close = close_mode };
}

static int give(struct script *script, robo_loop *loop)
{
    struct robo_mode mode = as_mode(script);
    mode.release = release_mode;
    int error = robo_loop_add_mode(loop, &mode);
    if (error == 0)
        script->holders++;
    return error;
}

struct modes *modes_open(void)
{
    return calloc(1, sizeof(struct modes));
}

void modes_close(struct modes *m)
{
    while (m->scripts) {
        struct script *first = m->scripts;
        m->scripts = first->next;
        release_script(first);
    }
    free(m);
}

void modes_begin(struct modes *m, bool is_virtual)
{
    m->is_virtual = is_virtual;
    m->free_at = 0;
}

int modes_use(struct modes *m, robo_loop *loop, bool is_virtual)
{
    int error = 0;
    m->loop = loop;
    modes_begin(m, is_virtual);
    for (struct script *s = m->scripts; s && loop && error == 0; s = s->next)
        error = give(s, loop);
    return error;
}

size_t modes_list(struct modes *m, struct robo_mode *out, size_t room)
{
    size_t n = 0;
    for (struct script *s = m->scripts; s; s = s->next, n++)
        if (n < room)
            out[n] = as_mode(s);
    return n;
}

struct adding {
    const char *name, *text;
    size_t size;
};

/* The type of a field of a mode's file; LUA_TNONE: no mode has it. */
static int field_type(const char *name)
{
    static const struct {
        const char *name;
        int type;
    } fields[] = {
        { "name", LUA_TSTRING },      { "blocking", LUA_TBOOLEAN }, { "buffered", LUA_TBOOLEAN },
        { "refills", LUA_TBOOLEAN },  { "expiry", LUA_TNUMBER },    { "open", LUA_TFUNCTION },
        { "arrived", LUA_TFUNCTION },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(name, fields[i].name) == 0)
            return fields[i].type;
    return LUA_TNONE;
}

/* Raises for a field of the table on top of the stack that no mode has, or that is of another type. */
static void check_fields(lua_State *L, const char *mode)
{
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        const char *name =
            lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : luaL_typename(L, -2);
        int type = field_type(name);
        if (type == LUA_TNONE)
            luaL_error(L,
                       "mode %s: %s: expected one of name, blocking, buffered, refills, expiry, "
                       "open, arrived",
                       mode, name);
        if (lua_type(L, -1) != type)
            luaL_error(L, "mode %s: %s: want a %s, got %s", mode, name, lua_typename(L, type),
                       luaL_typename(L, -1));
    }
}

/* Runs the file and keeps the table that it returns. */
static int add_protected(lua_State *L)
{
    const struct adding *a = lua_touserdata(L, 1);
    sandbox_run(L, a->text, a->size, lua_pushfstring(L, "@%s.lua", a->name));
    if (!lua_istable(L, -1))
        return luaL_error(L, "mode %s: want a table, got %s", a->name, luaL_typename(L, -1));
    check_fields(L, a->name);
    lua_setfield(L, LUA_REGISTRYINDEX, MODE);
    return 0;
}

/* The newest of that name is another one from now on. */
static void enlist(struct modes *m, struct script *script)
{
    struct script **p = &m->scripts;
    while (*p && strcmp((*p)->name, script->name) != 0)
        p = &(*p)->next;
    struct script *before = *p;
    if (before) {
        *p = before->next;
        release_script(before);
    }
    script->next = m->scripts;
    m->scripts = script;
}

int modes_add(struct modes *m, const char *name, const char *text, size_t size, char why[256])
{
    struct script *script = calloc(1, sizeof *script);
    snprintf(why, 256, "%s", "");
    if (strlen(name) > ROBO_MAX_MODE_NAME) {
        free(script);
        snprintf(why, 256, "mode %.64s: a name has at most %d bytes", name, ROBO_MAX_MODE_NAME);
        return ROBO_EMODE;
    }
    if (!script)
        return ROBO_ENOMEM;
    script->holders = 1;
    script->modes = m;
    script->name = strdup(name);
    script->box = sandbox_open(&(struct sandbox_limits){ MEMORY, 0, INSTRUCTIONS, TIME_VIRTUAL });
    struct sandbox_report report = { 0 };
    int error = script->name && script->box ? 0 : ROBO_ENOMEM;
    if (!error &&
        !sandbox_call(script->box, add_protected, &(struct adding){ name, text, size }, &report)) {
        error = ROBO_EMODE;
        snprintf(why, 256, "%s", report.words);
    }
    if (!error && m->loop)
        error = give(script, m->loop);
    if (error)
        release_script(script);
    else
        enlist(m, script);
    return error;
}
