/* Hosted scripts: each has a Lua state, a loop and a thread of its own, and lives in the world of the program's main
 * script, which makes it, starts and ends it, and outlives it. Nothing of Lua passes between the two: a script is given a
 * text, and the main one receives events from it. Its connections to the robots of this process (local:) have their
 * server's side on its thread, as those of a server have it on theirs. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "robotalk/bridge.h"
#include "robotalk/emergency.h"
#include "robotalk/host.h"
#include "robotalk/questions.h"
#include "robotalk/watchers.h"
#include "runtime.h"
#include "clock.h"

enum { NAME_MOST = 31, WORDS = 512 };

/* BUILT: its file is loaded, and it waits for `go`. LEFT: its connections are closed. GONE: its memory is free, too. */
enum phase { BUILDING, BUILT, RUNNING, LEFT, GONE };
static const char *const phase_names[] = { "building", "built", "running", "left", "gone" };

/* It belongs to the main script's thread, except the members that the lock guards, and those that the script's thread
 * alone uses until it is GONE. */
struct hosted {
    struct hosted *next; /* of the main runtime's */
    struct runtime *main;
    lua_Integer handle;
    pthread_t thread;
    robo_async *changed; /* has the main script look at it */

    char name[NAME_MOST + 1];
    char *given; /* its argument, a text of Lua */
    size_t given_size;

    pthread_mutex_t lock;
    pthread_cond_t moved; /* with CLOCK_MONOTONIC */
    /* under the lock */
    enum phase phase;
    bool may_go, is_to_end;
    robo_time told_at;  /* to end, the first time; of CLOCK_MONOTONIC */
    struct runtime *rt; /* NULL: it has none yet, or closes it */
    bool left_alone;    /* no thread waits for it: it frees this itself */
    bool failed;
    char words[WORDS]; /* why it has failed, or was refused */
};

static void discard(struct hosted *h)
{
    pthread_cond_destroy(&h->moved);
    pthread_mutex_destroy(&h->lock);
    free(h->given);
    free(h);
}

/* ---- the script's thread ---- */

static void enter_phase(struct hosted *h, enum phase phase)
{
    pthread_mutex_lock(&h->lock);
    h->phase = phase;
    pthread_cond_broadcast(&h->moved);
    const bool alone = h->left_alone;
    if (!alone)
        robo_async_post(h->changed);
    pthread_mutex_unlock(&h->lock);
    if (alone)
        discard(h);
}

static void fail(struct hosted *h, const char *words)
{
    pthread_mutex_lock(&h->lock);
    h->failed = true;
    snprintf(h->words, sizeof h->words, "%s", words ? words : "it raised no text");
    pthread_mutex_unlock(&h->lock);
}

/* require "robotalk.hosted"(name, given): the function that runs the script; or nil and why not. */
static int build(lua_State *L)
{
    const struct hosted *h = lua_touserdata(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "robotalk.hosted");
    lua_call(L, 1, 1);
    lua_pushstring(L, h->name);
    lua_pushlstring(L, h->given, h->given_size);
    lua_call(L, 2, 2);
    return 2;
}

/* Calls the function on the stack with n arguments, for two results: the first, if it is true, and else a failure of the script. */
static bool call(struct hosted *h, lua_State *L, int n)
{
    struct runtime *rt = runtime_of(L);
    slice_begin(rt);
    int status = lua_pcall(L, n, 2, 0);
    slice_end(rt);
    if (status == LUA_OK && lua_toboolean(L, -2)) {
        lua_pop(L, 1);
        return true;
    }
    fail(h, status == LUA_ERRMEM             ? "not enough memory"
            : lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1)
                                             : NULL);
    return false;
}

/* Waits until the script may go; false: it is to end. */
static bool await_go(struct hosted *h)
{
    enter_phase(h, BUILT);
    pthread_mutex_lock(&h->lock);
    while (!h->may_go && !h->is_to_end)
        pthread_cond_wait(&h->moved, &h->lock);
    bool go = !h->is_to_end;
    pthread_mutex_unlock(&h->lock);
    if (go)
        enter_phase(h, RUNNING);
    return go;
}

static void set_runtime(struct hosted *h, struct runtime *rt)
{
    pthread_mutex_lock(&h->lock);
    h->rt = rt;
    pthread_mutex_unlock(&h->lock);
}

/* A script that had to be given up has failed, however it went on. */
static void tell_given_up(struct hosted *h, const struct watched *w)
{
    char words[WORDS];
    const char *why = atomic_load(&w->given_up);
    if (!why)
        return;
    snprintf(words, sizeof words, "%s%s", atomic_load(&w->told) ? w->place : "", why);
    fail(h, words);
}

static uint32_t draw(void)
{
    uint32_t n;
    return getrandom(&n, sizeof n, 0) == sizeof n ? n : (uint32_t)clock_read(CLOCK_MONOTONIC);
}

static uint32_t salt; /* so that no client elsewhere can claim to be a script of this process */
static void draw_salt(void)
{
    salt = draw();
}

/* By which its sessions are known as those of one client. The upper half is that of all scripts of that name: a stop that holds one holds
 * the next, too (FNV-1a). */
static uint64_t make_key(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw_salt);
    uint32_t hash = 2166136261u ^ salt;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return (uint64_t)(hash ? hash : 1) << 32 | draw();
}

static void *live(void *arg)
{
    struct hosted *h = arg;
    char name[16]; /* of a thread, at most */
    snprintf(name, sizeof name, "%.15s", h->name);
    pthread_setname_np(pthread_self(), name);
    char fault_stack[ROBO_EMERGENCY_STACK];
    robo_emergency_stack(fault_stack);
    struct runtime *rt = runtime_open(h->name);
    if (rt && runtime_enter_world(rt, h->main->world) == 0 && watchdog_start(rt)) {
        robo_questions_take(h->main->questions, rt->loop);
        rt->key = make_key(h->name);
        set_runtime(h, rt);
        lua_pushcfunction(rt->L, build);
        lua_pushlightuserdata(rt->L, h);
        if (call(h, rt->L, 1) && await_go(h) && call(h, rt->L, 0))
            tell_given_up(h, &rt->watched);
        set_runtime(h, NULL);
    } else {
        fail(h, "not enough memory, or threads, for another script");
    }
    if (rt)
        runtime_close_world(rt);
    enter_phase(h, LEFT);
    if (rt)
        runtime_close(rt);
    enter_phase(h, GONE);
    return NULL;
}

/* ---- the main script's side ---- */

static void on_changed(void *owner, robo_time now)
{
    const struct hosted *h = owner;
    (void)now;
    runtime_event(h->main, EVENT_HOSTED, h->handle, 0);
}

static void stop(struct hosted *h)
{
    uint64_t key = 0; /* to be dismissed, after the lock */
    pthread_mutex_lock(&h->lock);
    if (!h->is_to_end)
        h->told_at = clock_read(CLOCK_MONOTONIC);
    h->is_to_end = true;
    pthread_cond_broadcast(&h->moved);
    if (h->rt) {
        key = runtime_note_dismissal(h->rt) ? h->rt->key : 0;
        atomic_store(&h->rt->signal_number, SIGTERM);
        atomic_store(&h->rt->signal_waits, true);
        watchdog_signal(&h->rt->watched, SIGTERM);
        robo_loop_wake(h->rt->loop);
    }
    pthread_mutex_unlock(&h->lock);
    if (key == 0)
        return;
    robo_dismiss(h->main->world, key);
    robo_bridge_dismiss(h->main->world, key);
}

/* Waits until its thread is over: true. The time counts from its order to end, so that many scripts that got it at once take no
 * longer than one. A script that has left the world by then, and only frees its memory, harms no other: false, and the lock is
 * held. Else the program cannot go on: the world would be closed below it. */
static bool await_end(struct hosted *h)
{
    static const robo_time LONGEST = 5000000000;
    pthread_mutex_lock(&h->lock);
    const robo_time until = h->told_at + LONGEST;
    while (h->phase != GONE) {
        const robo_time now = clock_read(CLOCK_MONOTONIC), look = now + 100000000;
        const struct timespec at = { .tv_sec = look / 1000000000, .tv_nsec = look % 1000000000 };
        h->left_alone = now > until && h->phase == LEFT;
        if (h->left_alone)
            return false;
        if (now > until || (h->rt && atomic_load(&h->rt->watched.given_up))) {
            char words[NAME_MOST + 64];
            snprintf(words, sizeof words, "script %s does not end when it is told to", h->name);
            watchdog_end(words);
        }
        pthread_cond_timedwait(&h->moved, &h->lock, &at);
    }
    pthread_mutex_unlock(&h->lock);
    return true;
}

static void end(struct hosted *h)
{
    stop(h);
    atomic_store(&h->main->watched.blocks, true);
    const bool gone = await_end(h);
    atomic_store(&h->main->watched.blocks, false);
    TAKE_OUT(h->main->hosted, h);
    robo_async_close(h->changed);
    if (gone) {
        pthread_join(h->thread, NULL);
        discard(h);
        return;
    }
    pthread_detach(h->thread);
    pthread_mutex_unlock(&h->lock);
}

void stop_hosted(struct runtime *rt)
{
    for (struct hosted *h = rt->hosted; h; h = h->next)
        stop(h);
}

void close_hosted(struct runtime *rt)
{
    while (rt->hosted)
        end(rt->hosted);
}

/* The script of the handle at 1, or NULL: it was closed. */
static struct hosted *find(lua_State *L)
{
    const lua_Integer handle = luaL_checkinteger(L, 1);
    struct hosted *h = runtime_of(L)->hosted;
    while (h && h->handle != handle)
        h = h->next;
    return h;
}

static bool start(struct hosted *h)
{
    pthread_condattr_t attributes;
    h->changed = robo_async_open(h->main->loop, on_changed, h);
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&h->moved, &attributes);
    pthread_condattr_destroy(&attributes);
    return h->changed && h->given && pthread_create(&h->thread, NULL, live, h) == 0;
}

/* core.host(name, given): a script that is built on a thread of its own: its handle; or nil, message, code. An event
 * "hosted", handle comes whenever its state has changed. */
static int l_host(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    size_t name_size, given_size;
    const char *name = luaL_checklstring(L, 1, &name_size),
               *given = luaL_checklstring(L, 2, &given_size);
    luaL_argcheck(L, name_size > 0 && name_size <= NAME_MOST, 1, "want 1 to 31 bytes");
    need_main(L, "host");
    runtime_need_world(L);
    if (robo_is_virtual(rt->world))
        raise_mistake(L, "a simulated world has one thread, and so no scripts of a server");
    if (!watchdog_start(rt))
        return push_failure(L, ROBO_ESYSTEM, NULL);
    struct hosted *h = calloc(1, sizeof *h);
    if (!h)
        return push_failure(L, ROBO_ENOMEM, NULL);
    h->main = rt;
    h->handle = ++rt->last_handle;
    memcpy(h->name, name, name_size);
    h->given = malloc(given_size + 1);
    h->given_size = given_size;
    if (h->given)
        memcpy(h->given, given, given_size);
    if (!start(h)) {
        robo_async_close(h->changed);
        discard(h);
        return push_failure(L, ROBO_ENOMEM, "not enough memory, or threads, for another script");
    }
    h->next = rt->hosted;
    rt->hosted = h;
    lua_pushinteger(L, h->handle);
    return 1;
}

/* core.hosted_go(handle): a script that is built runs from now on. */
static int l_go(lua_State *L)
{
    struct hosted *h = find(L);
    if (!h)
        return 0;
    pthread_mutex_lock(&h->lock);
    h->may_go = true;
    pthread_cond_broadcast(&h->moved);
    pthread_mutex_unlock(&h->lock);
    return 0;
}

/* core.hosted_stop(handle): it is to end, as run is by SIGTERM. */
static int l_stop(lua_State *L)
{
    struct hosted *h = find(L);
    if (h)
        stop(h);
    return 0;
}

/* core.hosted_state(handle): its phase, whether it has failed, why, memory in bytes, processor time in s, and why it cannot
 * be cut off, or nil; nothing when it was closed. */
static int l_state(lua_State *L)
{
    struct hosted *h = find(L);
    if (!h)
        return 0;
    char words[WORDS], stuck[SCRIPT_PLACE + 64] = "";
    lua_Integer memory = 0;
    lua_Number seconds = 0;
    pthread_mutex_lock(&h->lock);
    const enum phase phase = h->phase;
    const bool failed = h->failed;
    strcpy(words, h->words);
    if (h->rt) {
        const struct watched *w = &h->rt->watched;
        const char *why = atomic_load(&w->given_up);
        memory = (lua_Integer)atomic_load(&h->rt->memory);
        seconds = (lua_Number)clock_read(w->clock) * 1e-9;
        if (why)
            snprintf(stuck, sizeof stuck, "%s%s", atomic_load(&w->told) ? w->place : "", why);
    }
    pthread_mutex_unlock(&h->lock);
    lua_pushstring(L, phase_names[phase]);
    lua_pushboolean(L, failed);
    lua_pushstring(L, words);
    lua_pushinteger(L, memory);
    lua_pushnumber(L, seconds);
    if (stuck[0])
        lua_pushstring(L, stuck);
    else
        lua_pushnil(L);
    return 6;
}

/* core.hosted_close(handle): ends it, and waits for that. */
static int l_close(lua_State *L)
{
    struct hosted *h = find(L);
    if (h)
        end(h);
    return 0;
}

/* core.hosted_leave(): the script that calls is at its end: its connections are closed, and it can have no others. */
static int l_leave(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    if (!rt->name || !rt->world)
        return 0;
    if (runtime_note_dismissal(rt))
        robo_dismiss(rt->world, rt->key);
    close_bridges(rt);
    close_clients(rt);
    watchdog_heeded(&rt->watched); /* the rest of its work is tidying up */
    return 0;
}

/* core.hosted(): the name of the script that calls, when it is a hosted one. */
static int l_hosted(lua_State *L)
{
    lua_pushstring(L, runtime_of(L)->name);
    return 1;
}

void open_hosted(lua_State *L)
{
    set_function(L, "host", l_host);
    set_function(L, "hosted_go", l_go);
    set_function(L, "hosted_stop", l_stop);
    set_function(L, "hosted_state", l_state);
    set_function(L, "hosted_close", l_close);
    set_function(L, "hosted_leave", l_leave);
    set_function(L, "hosted_exit", slice_leave);
    set_function(L, "hosted", l_hosted);
}
