/* A script's runtime: its state, limits, notes and clock; the first part of robotalk.core. */
#include "runtime.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "drivers.h"
#include "scripts.h"
#include "status.h"
#include "time.h"

enum { HOOK_EVERY = 100000, MEMORY_MOST = 512 << 20 };

/* A timer of a script. Belongs to the runtime's list until it has fired or was stopped. */
struct alarm {
    struct robo__timer timer;
    struct runtime *rt;
    struct alarm *next;
    lua_Integer handle;
};

static const char *const note_names[NOTE_KINDS] = { "timer",    "client", "signal",
                                                    "readable", "device", "line" };

struct runtime *runtime_of(lua_State *L)
{
    void *ud;
    lua_getallocf(L, &ud);
    return ud;
}

/* An accounting allocator: a script that wants too much gets "not enough memory" instead of the machine's. */
static void *allocate(void *ud, void *old, size_t old_size, size_t size)
{
    struct runtime *rt = ud;
    size_t before = old ? old_size : 0;
    if (size == 0) {
        rt->memory -= before;
        free(old);
        return NULL;
    }
    if (size > before && rt->memory - before + size > rt->memory_most)
        return NULL;
    void *p = realloc(old, size);
    if (p)
        rt->memory = rt->memory - before + size;
    return p;
}

void runtime_note(struct runtime *rt, enum note_kind kind, lua_Integer a, lua_Integer b)
{
    if (rt->note_count == rt->note_size) {
        size_t size = rt->note_size ? 2 * rt->note_size : 64;
        struct note *note = malloc(size * sizeof *note);
        if (!note)
            return;
        for (size_t i = 0; i < rt->note_count; i++)
            note[i] = rt->note[(rt->note_first + i) % rt->note_size];
        free(rt->note);
        rt->note = note;
        rt->note_size = size;
        rt->note_first = 0;
    }
    rt->note[(rt->note_first + rt->note_count++) % rt->note_size] =
        (struct note){ (int)kind, a, b };
}

int push_failure(lua_State *L, int error, const char *why)
{
    lua_pushnil(L);
    lua_pushstring(L, why && why[0] ? why : robo_strerror(error));
    lua_pushstring(L, robo__error_code(error));
    return 3;
}

robo_time check_time(lua_State *L, int arg)
{
    lua_Number s = luaL_checknumber(L, arg);
    luaL_argcheck(L, s > -9e9 && s < 9e9, arg,
                  "want seconds"); /* NaN fails too; 9e9 s still fit in 64 bits */
    return (robo_time)llround(s * 1e9);
}

robo_time opt_time_field(lua_State *L, int table, const char *name, robo_time otherwise)
{
    lua_getfield(L, table, name);
    robo_time t = otherwise;
    if (!lua_isnil(L, -1)) {
        int ok;
        lua_Number s = lua_tonumberx(L, -1, &ok);
        if (!ok || !(s > -9e9 && s < 9e9))
            luaL_error(L, "field '%s': want seconds", name);
        t = (robo_time)llround(s * 1e9);
    }
    lua_pop(L, 1);
    return t;
}

void push_time(lua_State *L, robo_time time)
{
    lua_pushnumber(L, (lua_Number)time * 1e-9);
}

/* ---- the world ---- */

static void on_signal_call(struct robo__call *call, robo_time now)
{
    (void)now;
    struct runtime *rt = robo__container_of(call, struct runtime, signal);
    runtime_note(rt, NOTE_SIGNAL, rt->signal_number, 0);
}

static int open_in_world(struct runtime *rt, const struct robo_options *options)
{
    rt->world = robo_open(options);
    if (!rt->world)
        return ROBO_ENOMEM;
    if (options->virtual_clock) {
        rt->host = malloc(sizeof *rt->host);
        if (rt->host)
            robo__host_init(rt->host, rt->world, NULL);
    } else {
        rt->loop = robo__loop_open(rt->world);
        rt->host = rt->loop ? &rt->loop->host : NULL;
    }
    if (!rt->host) {
        robo_close(rt->world);
        rt->world = NULL;
        return ROBO_ESYSTEM;
    }
    rt->host->modes = rt->modes ? modes_interface(rt->modes) : NULL;
    int error = robo__drivers_add(rt->world);
    return error < 0 ? error : robo_add_driver(rt->world, &lua_driver);
}

void runtime_need_world(struct runtime *rt)
{
    static const struct robo_options real;
    if (!rt->world && open_in_world(rt, &real) < 0)
        luaL_error(rt->L, "no world: %s", robo_strerror(ROBO_ESYSTEM));
}

static void stop_alarm(struct alarm *alarm)
{
    struct runtime *rt = alarm->rt;
    robo__timer_stop(rt->host->timers, &alarm->timer);
    for (struct alarm **p = &rt->alarms; *p; p = &(*p)->next) {
        if (*p == alarm) {
            *p = alarm->next;
            break;
        }
    }
    free(alarm);
}

void runtime_close_world(struct runtime *rt)
{
    if (!rt->world)
        return;
    close_servers(rt);
    close_clients(rt);
    while (rt->alarms)
        stop_alarm(rt->alarms);
    /* robots go before the host that their sessions' bells hang on; there are no sessions left */
    robo *world = rt->world;
    struct robo_options was = { .virtual_clock = world->is_virtual };
    while (world->robots)
        robo_remove(world->robots);
    if (was.virtual_clock) {
        robo__host_free(rt->host);
        free(rt->host);
    } else {
        robo__loop_close(rt->loop);
    }
    robo_close(world);
    rt->world = NULL;
    rt->loop = NULL;
    rt->host = NULL;
    rt->note_count = 0;
}

/* core.open{ virtual =, seed =, spin = }: a new world instead of the one before. */
static int l_open(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    struct robo_options options = { 0 };
    lua_getfield(L, 1, "virtual");
    options.virtual_clock = lua_toboolean(L, -1);
    lua_getfield(L, 1, "spin");
    options.spin = lua_toboolean(L, -1);
    lua_getfield(L, 1, "seed");
    options.seed = (uint64_t)luaL_optinteger(L, -1, 1);
    runtime_close_world(rt);
    int error = open_in_world(rt, &options);
    if (error < 0)
        return push_failure(L, error, NULL);
    lua_pushboolean(L, 1);
    return 1;
}

static int l_close(lua_State *L)
{
    runtime_close_world(runtime_of(L));
    return 0;
}

static int l_now(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(rt);
    push_time(L, robo_now(rt->world));
    return 1;
}

static int l_is_virtual(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_pushboolean(L, rt->world && rt->world->is_virtual);
    return 1;
}

/* A number of [0, 1) from the world's own seed. */
static int l_random(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(rt);
    lua_pushnumber(L, robo__random_uniform(&rt->host->random));
    return 1;
}

/* ---- timers and notes ---- */

static void on_alarm(struct robo__timer *timer, robo_time now)
{
    (void)now;
    struct alarm *alarm = robo__container_of(timer, struct alarm, timer);
    runtime_note(alarm->rt, NOTE_TIMER, alarm->handle, 0);
    stop_alarm(alarm);
}

/* core.alarm(at): a handle; a note "timer", handle comes at that time. */
static int l_alarm(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    robo_time at = check_time(L, 1);
    runtime_need_world(rt);
    struct alarm *alarm = calloc(1, sizeof *alarm);
    if (!alarm)
        return luaL_error(L, "not enough memory");
    alarm->rt = rt;
    alarm->timer.fire = on_alarm;
    alarm->handle = ++rt->last_handle;
    alarm->next = rt->alarms;
    rt->alarms = alarm;
    robo__timer_start(rt->host->timers, &alarm->timer, at);
    lua_pushinteger(L, alarm->handle);
    return 1;
}

static int l_disarm(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Integer handle = luaL_checkinteger(L, 1);
    for (struct alarm *a = rt->alarms; a; a = a->next) {
        if (a->handle == handle) {
            stop_alarm(a);
            break;
        }
    }
    return 0;
}

/* core.step(until): lets the world go on until there is a note, at most until then (nil: for ever). In a virtual
 * world time jumps to what is due next. false: nothing is due by then, and `until` has come. */
static int l_step(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    robo_time until = lua_isnoneornil(L, 1) ? ROBO_NEVER : check_time(L, 1);
    runtime_need_world(rt);
    rt->spent_at = (double)clock() / CLOCKS_PER_SEC;
    if (rt->note_count > 0) {
        lua_pushboolean(L, 1);
        return 1;
    }
    robo_time now = robo_now(rt->world);
    if (rt->world->is_virtual) {
        robo_time next = robo__timers_next(&rt->world->timers);
        if (next > until || next == ROBO_NEVER) {
            if (until != ROBO_NEVER && until > now)
                robo_advance(rt->world, until);
            lua_pushboolean(L, 0);
            return 1;
        }
        robo_advance(rt->world, next > now ? next : now);
    } else {
        robo__loop_once(rt->loop, until == ROBO_NEVER ? ROBO_NEVER : until > now ? until - now : 0);
    }
    rt->spent_at = (double)clock() / CLOCKS_PER_SEC;
    lua_pushboolean(L, rt->note_count > 0 || until == ROBO_NEVER || robo_now(rt->world) < until);
    return 1;
}

/* core.next(): the oldest note as kind, a, b; nothing when there is none. */
static int l_next(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    if (rt->note_count == 0)
        return 0;
    struct note n = rt->note[rt->note_first];
    rt->note_first = (rt->note_first + 1) % rt->note_size;
    rt->note_count--;
    lua_pushstring(L, note_names[n.kind]);
    lua_pushinteger(L, n.a);
    lua_pushinteger(L, n.b);
    return 3;
}

/* ---- limits ---- */

static void on_count(lua_State *L, lua_Debug *ar);

/* Fires once, then at every instruction: a pcall that catches the first error meets the next at once. */
static void fire(lua_State *L)
{
    lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
    luaL_error(L, "it has computed for %d s without waiting; the script is ended",
               (int)runtime_of(L)->budget);
}

static void on_count(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    struct runtime *rt = runtime_of(L);
    if (rt->budget > 0 && (double)clock() / CLOCKS_PER_SEC - rt->spent_at > rt->budget)
        fire(L);
}

/* core.guard(coroutine): the budget holds for it too, since hooks are per coroutine. */
static int l_guard(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    lua_sethook(co ? co : L, on_count, LUA_MASKCOUNT, HOOK_EVERY);
    return 0;
}

static int l_budget(lua_State *L)
{
    runtime_of(L)->budget = luaL_checknumber(L, 1);
    return 0;
}

/* ---- signals of the system ---- */

static struct runtime *signalled; /* who hears SIGINT and SIGTERM; the program's main runtime */

static void on_system_signal(int number)
{
    struct runtime *rt = signalled;
    if (!rt || !rt->host)
        return;
    rt->signal_number = number;
    robo__bell_ring(&rt->host->bell, &rt->signal); /* atomics and a write: allowed in a handler */
}

/* core.hear_signals(bool): SIGINT and SIGTERM become notes "signal", number, instead of ending the program. */
static int l_hear_signals(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(rt);
    bool on = lua_toboolean(L, 1);
    signalled = on ? rt : NULL;
    struct sigaction action = { .sa_handler = on ? on_system_signal : SIG_DFL };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return 0;
}

/* ---- embedded scripts ---- */

static const struct robo_script *find_script(const char *name)
{
    for (const struct robo_script *s = robo_scripts; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static int l_script(lua_State *L)
{
    const struct robo_script *s = find_script(luaL_checkstring(L, 1));
    if (!s)
        return 0;
    lua_pushlstring(L, s->text, s->size);
    return 1;
}

static int l_scripts(lua_State *L)
{
    lua_newtable(L);
    for (lua_Integer i = 0; robo_scripts[i].name; i++) {
        lua_pushstring(L, robo_scripts[i].name);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* A package searcher: robotalk.tape is robotalk/tape.lua or robotalk/tape/init.lua of the embedded ones. */
static int search_embedded(lua_State *L)
{
    const char *module = luaL_checkstring(L, 1);
    const char *path = luaL_gsub(L, module, ".", "/");
    for (int i = 0; i < 2; i++) {
        const char *name = lua_pushfstring(L, i ? "%s/init.lua" : "%s.lua", path);
        const struct robo_script *s = find_script(name);
        if (!s)
            continue;
        const char *chunk = lua_pushfstring(L, "@%s", name);
        if (luaL_loadbufferx(L, s->text, s->size, chunk, "t") != LUA_OK)
            return luaL_error(L, "%s", lua_tostring(L, -1));
        lua_pushstring(L, name);
        return 2;
    }
    lua_pushfstring(L, "no embedded script '%s'", path);
    return 1;
}

static void add_searcher(lua_State *L)
{
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchers");
    /* after the preloaded ones, before the file system: a program cannot lose its own scripts */
    for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushcfunction(L, search_embedded);
    lua_rawseti(L, -2, 2);
    lua_pop(L, 2);
}

/* core.live(): what is alive, for whoever looks for leaks. */
static int l_live(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Integer alarms = 0;
    for (struct alarm *a = rt->alarms; a; a = a->next)
        alarms++;
    lua_newtable(L);
    lua_pushinteger(L, alarms);
    lua_setfield(L, -2, "timers");
    lua_pushinteger(L, rt->world ? (lua_Integer)robo__world_count(rt->world) : 0);
    lua_setfield(L, -2, "robots");
    lua_pushboolean(L, rt->clients != NULL);
    lua_setfield(L, -2, "clients");
    lua_pushboolean(L, rt->servers != NULL);
    lua_setfield(L, -2, "servers");
    return 1;
}

/* core.modes{ name = text }: mode scripts for connections within this process; adds to those before. */
static int l_modes(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!rt->modes && !(rt->modes = modes_open()))
        return luaL_error(L, "not enough memory");
    if (rt->host)
        rt->host->modes = modes_interface(rt->modes);
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        size_t size;
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            return luaL_error(L, "want names and texts of modes");
        const char *text = lua_tolstring(L, -1, &size);
        char why[256];
        int error = modes_add(rt->modes, lua_tostring(L, -2), text, size, why);
        if (error < 0)
            return push_failure(L, error, why);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* core.run_beside(program, { argument, … }): becomes the program that lies beside this one; returns why not. */
static int l_run_beside(lua_State *L)
{
    const char *program = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    char *name = strrchr(path, '/');
    if (!name || (size_t)(name - path) + strlen(program) + 2 > sizeof path)
        return luaL_error(L, "cannot tell where this program lies");
    strcpy(name + 1, program);
    lua_Integer count = luaL_len(L, 2);
    const char **argv = lua_newuserdatauv(L, (size_t)(count + 2) * sizeof *argv, 0);
    luaL_checkstack(L, (int)count, "too many arguments");
    argv[0] = program;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 2, i);
        argv[i] = luaL_checkstring(L, -1);
    }
    argv[count + 1] = NULL;
    fflush(NULL);
    execv(path, (char *const *)argv);
    lua_pushfstring(L, "%s: %s", path, strerror(errno));
    return 1;
}

int luaopen_core(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "open", l_open },
        { "close", l_close },
        { "now", l_now },
        { "is_virtual", l_is_virtual },
        { "random", l_random },
        { "alarm", l_alarm },
        { "disarm", l_disarm },
        { "step", l_step },
        { "next", l_next },
        { "guard", l_guard },
        { "budget", l_budget },
        { "hear_signals", l_hear_signals },
        { "script", l_script },
        { "scripts", l_scripts },
        { "live", l_live },
        { "modes", l_modes },
        { "run_beside", l_run_beside },
        { NULL, NULL },
    };
    luaL_newlib(L, functions);
    lua_pushstring(L, ROBOTALK_VERSION);
    lua_setfield(L, -2, "version");
    open_clients(L);
    open_world(L);
    open_convert(L);
    open_terminal(L);
    open_ports(L);
    open_devices(L);
    return 1;
}

struct runtime *runtime_open(void)
{
    struct runtime *rt = calloc(1, sizeof *rt);
    if (!rt)
        return NULL;
    rt->memory_most = MEMORY_MOST;
    rt->signal.answer = on_signal_call;
    rt->L = lua_newstate(allocate, rt);
    if (!rt->L) {
        free(rt);
        return NULL;
    }
    luaL_openlibs(rt->L);
    add_searcher(rt->L);
    luaL_getsubtable(rt->L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(rt->L, luaopen_core);
    lua_setfield(rt->L, -2, "robotalk.core");
    lua_pop(rt->L, 1);
    return rt;
}

void runtime_close(struct runtime *rt)
{
    if (signalled == rt)
        signalled = NULL;
    runtime_close_world(rt);
    lua_close(rt->L);
    if (rt->modes)
        modes_close(rt->modes);
    free(rt->note);
    free(rt);
}
