/* A script's runtime: its state and limits, the world's life, the embedded scripts; the first part of
 * robotalk.core. */
#include "runtime.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "robotalk/claim.h"
#include "robotalk/host.h"
#include "robotalk/words.h"
#include "robotalk/watchers.h"

/* RESERVE: of the scheduler beyond the tasks, to report a task that has used up all memory */
enum { MEMORY_MOST = 512 << 20, RESERVE = 16 << 20 };

struct runtime *runtime_of(lua_State *L)
{
    void *ud;
    lua_getallocf(L, &ud);
    return ud;
}

static size_t memory_of(struct runtime *rt)
{
    return atomic_load_explicit(&rt->memory, memory_order_relaxed);
}

static void set_memory(struct runtime *rt, size_t bytes)
{
    atomic_store_explicit(&rt->memory, bytes, memory_order_relaxed);
}

/* An accounting allocator: a script that wants too much gets "not enough memory" instead of the machine's. */
static void *allocate(void *ud, void *old, size_t old_size, size_t size)
{
    struct runtime *rt = ud;
    size_t before = old ? old_size : 0, rest = memory_of(rt) - before;
    if (size == 0) {
        set_memory(rt, rest);
        free(old);
        return NULL;
    }
    size_t most = rt->memory_most + (rt->in_task ? 0 : RESERVE);
    if (size > before && rest + size > most) {
        script_place(atomic_load(&rt->running), 0, rt->place);
        return NULL;
    }
    void *p = realloc(old, size);
    if (p)
        set_memory(rt, rest + size);
    return p;
}

void memory_take(lua_State *L, size_t bytes)
{
    struct runtime *rt = runtime_of(L);
    lua_gc(L, LUA_GCSTEP, (int)(bytes >> 10)); /* as if Lua had asked for them */
    if (memory_of(rt) + bytes > rt->memory_most)
        lua_gc(L, LUA_GCCOLLECT);
    if (memory_of(rt) + bytes > rt->memory_most)
        luaL_error(L, "not enough memory");
    set_memory(rt, memory_of(rt) + bytes);
}

void memory_give(lua_State *L, size_t bytes)
{
    struct runtime *rt = runtime_of(L);
    set_memory(rt, memory_of(rt) - bytes);
}

int push_failure(lua_State *L, int error, const char *why)
{
    int number = errno;
    lua_pushnil(L);
    if (error == ROBO_ESYSTEM && number != 0 && !why)
        lua_pushfstring(L, "%s: %s", robo_strerror(error), strerror(number));
    else
        lua_pushstring(L, why && why[0] ? why : robo_strerror(error));
    lua_pushstring(L, robo_error_name(error));
    return 3;
}

int push_done(lua_State *L, int error, const char *why)
{
    if (error < 0)
        return push_failure(L, error, why);
    lua_pushboolean(L, true);
    return 1;
}

void raise_mistake(lua_State *L, const char *form, ...)
{
    char place[SCRIPT_PLACE];
    va_list arguments;
    script_place(L, 1, place);
    lua_pushstring(L, place);
    va_start(arguments, form);
    lua_pushvfstring(L, form, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    lua_error(L);
    __builtin_unreachable();
}

int check_choice(lua_State *L, const char *what, const char *otherwise, const char *const *words)
{
    const bool absent = otherwise && lua_isnil(L, -1);
    const char *word = absent                           ? otherwise
                       : lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1)
                                                        : NULL;
    for (int i = 0; word && words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    luaL_Buffer list;
    word = word ? lua_pushfstring(L, "'%s'", word) : lua_pushstring(L, luaL_typename(L, -1));
    luaL_buffinit(L, &list);
    for (int i = 0; words[i]; i++) {
        luaL_addstring(&list, i == 0 ? "" : words[i + 1] ? ", " : " or ");
        luaL_addstring(&list, words[i]);
    }
    luaL_pushresult(&list);
    raise_mistake(L, "%s: want %s, got %s", what, lua_tostring(L, -1), word);
}

void check_options(lua_State *L, int table, const char *what, const char *const *names)
{
    table = lua_absindex(L, table);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, "robotalk.mistakes.checked") == LUA_TTABLE) {
        lua_getfield(L, -1, "options");
        lua_pushvalue(L, table);
        lua_newtable(L);
        for (; *names; names++)
            set_flag(L, *names, true);
        lua_pushstring(L, what);
        lua_call(L, 3, 0);
    }
    lua_pop(L, 2);
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
        lua_Number s = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : (lua_Number)NAN;
        if (!(s > -9e9 && s < 9e9))
            raise_mistake(L, "field '%s': want seconds", name);
        t = (robo_time)llround(s * 1e9);
    }
    lua_pop(L, 1);
    return t;
}

void check_stall_field(lua_State *L, int table, robo_time *least, robo_time *most)
{
    lua_getfield(L, table, "stall");
    if (!lua_isnil(L, -1)) {
        lua_Number a = -1, b = -1;
        if (lua_istable(L, -1)) {
            lua_rawgeti(L, -1, 1);
            lua_rawgeti(L, -2, 2);
            a = lua_isnumber(L, -2) ? lua_tonumber(L, -2) : -1;
            b = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : -1;
            lua_pop(L, 2);
        }
        if (!(a >= 0 && a <= b && b < 9e9))
            raise_mistake(L, "field 'stall': want { least, most } in seconds");
        *least = (robo_time)llround(a * 1e9);
        *most = (robo_time)llround(b * 1e9);
    }
    lua_pop(L, 1);
}

/* ---- the world ---- */

/* A line of a driver's, from any thread. */
static void on_log(void *owner, enum robo_log_level level, const char *line)
{
    char text[320];
    (void)owner;
    int n = snprintf(text, sizeof text, "robotalk: %s: %s\n",
                     level == ROBO_LOG_INFO      ? "info"
                     : level == ROBO_LOG_WARNING ? "warning"
                                                 : "error",
                     line);
    output_log(text, (size_t)n);
}

static void log_nothing(void *owner, enum robo_log_level level, const char *line)
{
    (void)owner, (void)level, (void)line;
}

static int open_in_world(struct runtime *rt, const struct robo_options *options)
{
    struct robo_options logged = *options;
    logged.log = options->log ? options->log : on_log;
    rt->world = robo_open(&logged);
    if (!rt->world)
        return ROBO_ENOMEM;
    rt->loop = robo_loop_open(rt->world);
    if (!rt->loop) {
        robo_close(rt->world);
        rt->world = NULL;
        return ROBO_ESYSTEM;
    }
    watchdog_world(rt->world);
    output_world(rt->world);
    int error = rt->modes ? modes_use(rt->modes, rt->loop, options->virtual_clock) : 0;
    if (error == 0)
        error = begin_questions(rt) ? robo_add_drivers(rt->world) : ROBO_ENOMEM;
    rt->driver = *robo_claim_driver();
    rt->driver.name = "lua";
    rt->driver.velocities = 1;
    if (error == 0)
        error = robo_add_driver(rt->world, &rt->driver);
    if (error < 0)
        runtime_close_world(rt);
    return error;
}

void runtime_need_world(lua_State *L)
{
    static const struct robo_options real = { .size = sizeof real };
    struct runtime *rt = runtime_of(L);
    if (!rt->world && rt->name)
        luaL_error(L, "the script has ended");
    int error = rt->world ? 0 : open_in_world(rt, &real);
    if (error < 0)
        luaL_error(L, "no world: %s", robo_strerror(error));
}

int runtime_enter_world(struct runtime *rt, robo_world *world)
{
    rt->loop = robo_loop_open(world);
    if (!rt->loop)
        return ROBO_ESYSTEM;
    rt->world = world;
    return 0;
}

bool runtime_note_dismissal(struct runtime *rt)
{
    return !atomic_exchange(&rt->dismissed, true);
}

void runtime_close_world(struct runtime *rt)
{
    if (!rt->world)
        return;
    if (!rt->name)
        stop_hosted(rt);
    /* motions of the script end before others are waited for */
    close_servers(rt);
    close_bridges(rt);
    close_clients(rt);
    halt_devices(rt);
    close_recordings(rt);
    if (!rt->name) {
        close_hosted(rt);
        close_process(rt);
        close_screen(rt);
        close_terminal(rt);
    }
    close_ports(rt);
    close_inputs(rt);
    close_topics(rt);
    close_images(rt);
    close_views(rt);
    close_questions(rt);
    close_events(rt);
    if (!rt->name) {
        watchdog_world(NULL);
        output_world(NULL);
        /* robots go before the loop that their devices wake; their sessions have gone with the clients */
        robo_close(rt->world);
    }
    close_devices(rt);
    watchdog_leave(rt);
    robo_loop_close(rt->loop);
    if (rt->modes)
        modes_use(rt->modes, NULL, false);
    rt->world = NULL;
    rt->loop = NULL;
    rt->event_count = 0;
    if (!rt->name)
        restore_signals();
}

void need_main(lua_State *L, const char *what)
{
    const struct runtime *rt = runtime_of(L);
    if (rt->name)
        raise_mistake(L, "%s: script %s lives in a server, whose this is", what, rt->name);
}

/* core.open{ virtual =, seed =, spin =, quiet = }: a new world instead of the one before. quiet: robots log nothing. */
static int l_open(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    need_main(L, "open");
    struct robo_options options = { .size = sizeof options };
    options.virtual_clock = flag_field(L, 1, "virtual");
    options.spin = flag_field(L, 1, "spin");
    options.log = flag_field(L, 1, "quiet") ? log_nothing : NULL;
    lua_getfield(L, 1, "seed");
    options.seed = (uint64_t)luaL_optinteger(L, -1, 1);
    runtime_close_world(rt);
    return push_done(L, open_in_world(rt, &options), NULL);
}

static int l_close(lua_State *L)
{
    runtime_close_world(runtime_of(L));
    return 0;
}

static int l_now(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    push_time(L, robo_now(rt->world));
    return 1;
}

static int l_is_virtual(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_pushboolean(L, rt->world && robo_is_virtual(rt->world));
    return 1;
}

/* A number of [0, 1) from the world's own seed. */
static int l_random(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    lua_pushnumber(L, robo_loop_random(rt->loop));
    return 1;
}

/* ---- limits ---- */

/* core.budget(seconds, mebibytes): of processor time between two waits of a task, 0: none. Of memory for the script
 * as a whole (512, unless given). */
static int l_budget(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Number seconds = luaL_checknumber(L, 1);
    lua_Integer mebibytes = luaL_optinteger(L, 2, MEMORY_MOST >> 20);
    luaL_argcheck(L, seconds >= 0 && seconds < 1e6, 1, "want seconds, 0 or more");
    luaL_argcheck(L, mebibytes >= 1 && mebibytes <= 1 << 20, 2, "want mebibytes, 1 or more");
    rt->budget = seconds;
    rt->memory_most = (size_t)mebibytes << 20;
    slice_begin(rt);
    if (seconds > 0 && !watchdog_start(rt))
        return luaL_error(L, "the watchdog cannot be started");
    return 0;
}

/* core.live(): counts of living objects, for the search for leaks. */
static int l_live(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_newtable(L);
    set_integer(L, "timers", rt->alarms);
    lua_Integer robots = 0;
    uint64_t cursor = 0;
    for (robo_robot *robot; rt->world && (robot = robo_next_robot(rt->world, &cursor)); robots++)
        robo_release(robot);
    set_integer(L, "robots", robots);
    set_flag(L, "clients", rt->clients != NULL);
    set_flag(L, "servers", rt->servers != NULL);
    set_flag(L, "ports", rt->ports != NULL);
    set_flag(L, "hosted", rt->hosted != NULL);
    return 1;
}

/* core.modes{ name = text }: mode scripts for connections within this process; adds to those before. */
static int l_modes(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!rt->modes) {
        if (!(rt->modes = modes_open()))
            return luaL_error(L, "not enough memory");
        if (rt->loop)
            modes_use(rt->modes, rt->loop, robo_is_virtual(rt->world));
    }
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

#pragma weak open_faults /* only robotalk-faults has it */

static int luaopen_core(lua_State *L)
{
    static void (*const parts[])(lua_State *) = {
        open_scripts,     open_events,     open_clients,    open_world,       open_room,
        open_shapes,      open_convert,    open_codec,      open_description, open_models,
        open_ordering,    open_relay,      open_terminal,   open_screen,      open_ports,
        open_questions,   open_pictures,   open_views,      open_film,        open_images,
        open_compression, open_mcap,       open_recordings, open_gti,         open_bridges,
        open_rctp,        open_devices,    open_process,    open_files,       open_secrets,
        open_output,      open_xml,        open_rcml,       open_vrml,        open_data,
        open_contained,   open_coroutines, open_hosted,     open_tasks,       open_inputs,
        open_topics,      open_servos,     open_lan
    };
    static const luaL_Reg functions[] = {
        { "open", l_open },     { "close", l_close },
        { "now", l_now },       { "is_virtual", l_is_virtual },
        { "random", l_random }, { "budget", l_budget },
        { "live", l_live },     { "modes", l_modes },
        { NULL, NULL },
    };
    luaL_newlib(L, functions);
    set_text(L, "version", ROBOTALK_VERSION);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i](L);
    if (open_faults)
        open_faults(L);
    return 1;
}

/* Protected: even this little may find no memory. */
static int furnish(lua_State *L)
{
    luaL_openlibs(L);
    furnish_loaders(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    set_function(L, "robotalk.core", luaopen_core);
    return 0;
}

struct runtime *runtime_open(const char *name)
{
    struct runtime *rt = calloc(1, sizeof *rt);
    if (!rt)
        return NULL;
    rt->name = rt->watched.name = name;
    rt->memory_most = MEMORY_MOST;
    rt->L = lua_newstate(allocate, rt);
    atomic_store(&rt->running, rt->L);
    if (rt->L)
        lua_pushcfunction(rt->L, furnish);
    if (!rt->L || lua_pcall(rt->L, 0, 0, 0) != LUA_OK) {
        runtime_close(rt);
        return NULL;
    }
    return rt;
}

void runtime_close(struct runtime *rt)
{
    runtime_close_world(rt);
    atomic_store(&rt->running, rt->L); /* finalizers of the script run there */
    slice_begin(rt);
    if (rt->L)
        lua_close(rt->L);
    slice_end(rt);
    atomic_store(&rt->running, NULL);
    watchdog_stop(rt);
    if (rt->modes)
        modes_close(rt->modes);
    close_tasks(rt);
    free(rt->event);
    free(rt);
}
