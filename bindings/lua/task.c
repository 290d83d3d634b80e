/* Tasks: coroutines that wait without stopping one another. This file has their frequent operations: waiting for a key,
 * sleeping, waking, being resumed. Their begin and end are in scripts/robotalk/task.lua, whose tables stand for them. */
#include <math.h>
#include <stdlib.h>

#include "runtime.h"

/* FRESH: it has not begun. WOKEN: it is ready to go on. */
enum task_state { FRESH, WAITING, WOKEN, RUNNING, OVER };

/* A userdatum, whose value is its coroutine. Until it is over the registry has it and its table. */
struct task {
    struct task *before, *after; /* in the list that it is in */
    struct task_list *list;      /* NULL: none */
    lua_State *co;
    int own, table;    /* references in the registry */
    lua_Integer alarm; /* 0: none */
    double most;       /* seconds that it may compute without waiting; 0: as all */
    int given;         /* values at the top of co that it is resumed with */
    enum task_state state;
    bool timed_out, cancelled;
};

/* Tasks in the order in which they came. */
struct task_list {
    struct task *first, *last;
    struct task_list *next_free; /* of lists without a key */
    struct task_list *next;      /* of all that were ever made for keys */
};

struct tasks {
    struct task *current; /* NULL between them */
    /* tasks that run in this round, by turns, and those that run in the next */
    struct task_list ready[2];
    struct task_list resting; /* tasks that sleep until the world has advanced */
    struct task_list *all, *free;
    int next;      /* which of `ready` is for the next round */
    bool in_round; /* the other has not run through */
    bool rested;   /* a task has been resting since the last end_rests */
};

/* Upvalues of waits and wake-ups: key -> the list of waiting tasks; the error that a cancelled task raises. */
#define WAITS     lua_upvalueindex(1)
#define CANCELLED lua_upvalueindex(2)

static const char TASK[] = "robotalk.task";

static void append(struct task_list *list, struct task *t)
{
    t->list = list;
    t->after = NULL;
    t->before = list->last;
    *(list->last ? &list->last->after : &list->first) = t;
    list->last = t;
}

static void take_out(struct task *t)
{
    struct task_list *list = t->list;
    if (!list)
        return;
    *(t->before ? &t->before->after : &list->first) = t->after;
    *(t->after ? &t->after->before : &list->last) = t->before;
    t->list = NULL;
}

/* It waits for nothing any more. */
static void forget_wait(struct runtime *rt, struct task *t)
{
    take_out(t);
    if (t->alarm != 0)
        alarm_stop(rt, t->alarm);
    t->alarm = 0;
}

static void make_ready(struct runtime *rt, struct task *t)
{
    forget_wait(rt, t);
    t->state = WOKEN;
    append(&rt->tasks->ready[rt->tasks->next], t);
}

void task_time_out(struct runtime *rt, struct task *t)
{
    t->timed_out = true;
    make_ready(rt, t);
}

/* ---- waiting ---- */

static bool may_wait(lua_State *L)
{
    const struct runtime *rt = runtime_of(L);
    const struct task *t = rt->tasks->current;
    return t && t->co == L && lua_isyieldable(L) && !rt->ending && !t->cancelled;
}

/* The running task, if it may wait here and now; raises otherwise. */
static struct task *check_waiter(lua_State *L)
{
    const struct runtime *rt = runtime_of(L);
    struct task *t = rt->tasks->current;
    if (may_wait(L))
        return t;
    if (rt->ending)
        raise_mistake(L, "cannot wait here: the task is ending");
    if (!t || t->co != L)
        raise_mistake(L, "cannot wait here: this is not a task (robotalk.spawn makes one)");
    if (!lua_isyieldable(L))
        raise_mistake(L, "cannot wait here: this was called by a function of C, as string.gsub and "
                         "table.sort are, or by a finalizer");
    lua_pushvalue(L, CANCELLED);
    lua_error(L);
    __builtin_unreachable();
}

/* Wakes it after so many seconds; never, if that is beyond the end of all clocks. */
static void set_alarm(lua_State *L, struct task *t, double seconds)
{
    struct runtime *rt = runtime_of(L);
    runtime_need_world(L);
    /* at least a nanosecond: the rest of a wait may be below the clock's resolution, and would stay so for ever */
    seconds = seconds > 1e-9 ? seconds : seconds > 0 ? 1e-9 : 0;
    const double at = (double)robo_now(rt->world) / 1e9 + seconds;
    if (at < 9e9)
        t->alarm = alarm_start(L, (robo_time)llround(at * 1e9), t);
}

/* The list of the tasks that wait for the key at index 1, or NULL. */
static struct task_list *list_of_key(lua_State *L)
{
    lua_pushvalue(L, 1);
    lua_rawget(L, WAITS);
    struct task_list *list = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return list;
}

/* A new list for the key at index 1. Raises when there is no memory. */
static struct task_list *add_list(lua_State *L)
{
    struct tasks *tasks = runtime_of(L)->tasks;
    if (!tasks->free) {
        struct task_list *list = calloc(1, sizeof *list);
        if (!list)
            luaL_error(L, "not enough memory");
        list->next = tasks->all;
        tasks->all = tasks->free = list;
    }
    struct task_list *list = tasks->free;
    lua_pushvalue(L, 1);
    lua_pushlightuserdata(L, list);
    lua_rawset(L, WAITS);
    tasks->free = list->next_free;
    return list;
}

/* No task waits for the key at index 1 any more. */
static void drop_list(lua_State *L, struct task_list *list)
{
    struct tasks *tasks = runtime_of(L)->tasks;
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    lua_rawset(L, WAITS);
    list->next_free = tasks->free;
    tasks->free = list;
}

/* Goes on with the wait's arguments on the stack and, behind them, the arguments of wake. */
static int waited(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    const struct task *t = runtime_of(L)->tasks->current;
    if (t->timed_out || t->cancelled) { /* it may have been the last of its list */
        struct task_list *list = list_of_key(L);
        if (list && !list->first)
            drop_list(L, list);
    }
    if (t->cancelled) {
        lua_pushvalue(L, CANCELLED);
        return lua_error(L);
    }
    if (t->timed_out) {
        lua_pushnil(L);
        lua_pushliteral(L, "no answer in time");
        lua_pushliteral(L, "ETIMEOUT");
        return 3;
    }
    lua_pushboolean(L, 1);
    lua_replace(L, 2);
    return lua_gettop(L) - 1;
}

/* wait(key [, seconds]): true and the arguments of wake; nil, message, "ETIMEOUT". */
static int l_wait(lua_State *L)
{
    struct task *t = check_waiter(L);
    lua_settop(L, 2);
    const int key = lua_type(L, 1), type = lua_type(L, 2);
    if (key == LUA_TNIL || !lua_rawequal(L, 1, 1))
        raise_mistake(L, "wait: want a key, got %s", key == LUA_TNIL ? "nothing" : "NaN");
    if (type != LUA_TNIL && (type != LUA_TNUMBER || !lua_rawequal(L, 2, 2)))
        raise_mistake(L, "wait: want seconds, got %s",
                      type == LUA_TNUMBER ? "NaN" : lua_typename(L, type));
    /* all that may raise comes before the list of a new key, which would be left empty */
    if (type != LUA_TNIL)
        alarm_reserve(L);
    struct task_list *list = list_of_key(L);
    if (!list)
        list = add_list(L);
    if (type != LUA_TNIL)
        set_alarm(L, t, lua_tonumber(L, 2));
    append(list, t);
    t->timed_out = false;
    t->state = WAITING;
    return lua_yieldk(L, 0, 0, waited);
}

static int slept(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    if (!runtime_of(L)->tasks->current->cancelled)
        return 0;
    lua_pushvalue(L, CANCELLED);
    return lua_error(L);
}

/* sleep(seconds): for at least that long, and with 0 until the world has advanced. */
static int l_sleep(lua_State *L)
{
    lua_settop(L, 1);
    const double seconds = lua_type(L, 1) == LUA_TNUMBER ? lua_tonumber(L, 1) : -1;
    if (!(seconds >= 0 && seconds < 9e9))
        raise_mistake(L, "sleep: want seconds, 0 or more");
    struct task *t = check_waiter(L);
    struct tasks *tasks = runtime_of(L)->tasks;
    if (seconds > 0) {
        set_alarm(L, t, seconds);
    } else {
        append(&tasks->resting, t);
        tasks->rested = true;
    }
    t->state = WAITING;
    return lua_yieldk(L, 0, 0, slept);
}

/* wake(key, …): all that wait for the key, in the order in which they came. */
static int l_wake(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    if (lua_gettop(L) == 0)
        lua_pushnil(L);
    const int given = lua_gettop(L) - 1;
    luaL_checkstack(L, given + 3, NULL);
    struct task_list *list = list_of_key(L);
    if (!list)
        return 0;
    for (struct task *t = list->first; t && given > 0; t = t->after)
        if (!lua_checkstack(t->co, given))
            return luaL_error(L, "not enough memory");
    drop_list(L, list);
    for (struct task *t; (t = list->first) != NULL;) {
        for (int i = 0; i < given; i++)
            lua_pushvalue(L, i + 2);
        lua_xmove(L, t->co, given);
        t->given = given;
        make_ready(rt, t);
    }
    return 0;
}

/* ---- the scheduler ---- */

/* task(table, function, …): a task, which is ready, and its coroutine. */
static int l_task(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    const int n = lua_gettop(L) - 1;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    luaL_checkstack(L, 4, NULL);
    struct task *t = lua_newuserdatauv(L, sizeof *t, 1);
    lua_State *co = lua_newthread(L);
    *t = (struct task){ .co = co, .given = n - 1 };
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, TASK);
    lua_insert(L, 2);
    if (!lua_checkstack(co, n + LUA_MINSTACK))
        return luaL_error(L, "not enough memory");
    lua_xmove(L, co, n);
    lua_pushvalue(L, 2);
    t->own = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushvalue(L, 1);
    t->table = luaL_ref(L, LUA_REGISTRYINDEX);
    append(&rt->tasks->ready[rt->tasks->next], t);
    lua_getiuservalue(L, 2, 1);
    return 2;
}

/* It is over: the registry has it no longer. */
static void end(lua_State *L, struct task *t)
{
    t->state = OVER;
    luaL_unref(L, LUA_REGISTRYINDEX, t->own);
    luaL_unref(L, LUA_REGISTRYINDEX, t->table);
}

/* A task has ended: its table, and how, as core.resume returns it; 0: it has yielded without waiting. Its result or
 * error is at the top. */
static int push_end(lua_State *L, struct task *t, enum slice_end how)
{
    struct runtime *rt = runtime_of(L);
    forget_wait(rt, t);
    lua_rawgeti(L, LUA_REGISTRYINDEX, t->table);
    end(L, t);
    if (how != SLICE_WAITS)
        lua_insert(L, -2);
    return 1 + push_slice_end(L, how);
}

/* run_ready(): resumes the tasks that are ready, once each; those that become ready meanwhile have to wait for the
 * next call. false when there are none, true at the end, or when a signal waits for the script; and before that,
 * whenever one has ended, the values of push_end: call it again then. */
static int l_run_ready(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    struct tasks *tasks = rt->tasks;
    if (tasks->current)
        return luaL_error(L, "run_ready inside a task");
    if (!tasks->in_round) {
        if (!tasks->ready[tasks->next].first) {
            lua_pushboolean(L, 0);
            return 1;
        }
        tasks->in_round = true;
        tasks->next = !tasks->next;
    }
    struct task_list *round = &tasks->ready[!tasks->next];
    for (struct task *t; (t = round->first) != NULL;) {
        if (atomic_load(
                &rt->signal_waits)) { /* the script gets it first, however long the round is */
            slice_begin(rt);
            lua_pushboolean(L, 1);
            return 1;
        }
        take_out(t);
        const int given = t->given;
        t->given = 0;
        t->state = RUNNING;
        tasks->current = t;
        enum slice_end how = slice_run(L, t->co, t->most, given); /* raises nothing */
        tasks->current = NULL;
        if (how == SLICE_WAITS && t->state == WAITING)
            continue;
        slice_begin(rt); /* the scheduler's own */
        return push_end(L, t, how);
    }
    tasks->in_round = false;
    slice_begin(rt);
    lua_pushboolean(L, 1);
    return 1;
}

/* resting(): whether a task sleeps until the world has advanced. */
static int l_resting(lua_State *L)
{
    lua_pushboolean(L, runtime_of(L)->tasks->rested);
    return 1;
}

/* end_rests(): the world has advanced. */
static int l_end_rests(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    while (rt->tasks->resting.first)
        make_ready(rt, rt->tasks->resting.first);
    rt->tasks->rested = false;
    return 0;
}

/* cancel(task): every wait of it raises from now on, also the present one. Returns whether it ends at once: it has not
 * begun. */
static int l_cancel(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    struct task *t = luaL_checkudata(L, 1, TASK);
    t->cancelled = true;
    if (t->state == WAITING)
        make_ready(rt, t);
    const bool ends = t->state == FRESH;
    if (ends) {
        take_out(t);
        end(L, t);
    }
    lua_pushboolean(L, ends);
    return 1;
}

/* allow(task, seconds): that it computes no longer without waiting. */
static int l_allow(lua_State *L)
{
    struct task *t = luaL_checkudata(L, 1, TASK);
    t->most = luaL_optnumber(L, 2, 0);
    return 0;
}

/* task_state(task): "ready", "waiting", "running"; "" when it is over. */
static int l_task_state(lua_State *L)
{
    static const char *const names[] = { "ready", "waiting", "waiting", "running", "" };
    const struct task *t = luaL_checkudata(L, 1, TASK);
    lua_pushstring(L, names[t->state]);
    return 1;
}

/* ---- about the task that runs ---- */

/* current(): its table, or nil. */
static int l_current(lua_State *L)
{
    const struct task *t = runtime_of(L)->tasks->current;
    if (t)
        lua_rawgeti(L, LUA_REGISTRYINDEX, t->table);
    else
        lua_pushnil(L);
    return 1;
}

/* can_wait(): whether the running coroutine is a task that may wait. */
static int l_can_wait(lua_State *L)
{
    lua_pushboolean(L, may_wait(L));
    return 1;
}

/* is_ending(): whether the running coroutine belongs to a task that has been cancelled or has failed, and must end. */
static int l_is_ending(lua_State *L)
{
    const struct runtime *rt = runtime_of(L);
    const struct task *t = rt->tasks->current;
    lua_pushboolean(L, rt->ending || (t && t->cancelled));
    return 1;
}

void open_tasks(lua_State *L)
{
    static const luaL_Reg waits[] = {
        { "wait", l_wait },
        { "sleep", l_sleep },
        { "wake", l_wake },
        { NULL, NULL },
    };
    struct runtime *rt = runtime_of(L);
    rt->tasks = calloc(1, sizeof *rt->tasks);
    if (!rt->tasks)
        luaL_error(L, "not enough memory");
    luaL_newmetatable(L, TASK);
    lua_pop(L, 1);
    set_function(L, "task", l_task);
    set_function(L, "run_ready", l_run_ready);
    set_function(L, "resting", l_resting);
    set_function(L, "cancel", l_cancel);
    set_function(L, "allow", l_allow);
    set_function(L, "end_rests", l_end_rests);
    set_function(L, "current", l_current);
    set_function(L, "task_state", l_task_state);
    set_function(L, "can_wait", l_can_wait);
    set_function(L, "is_ending", l_is_ending);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -4, "cancelled"); /* that is raised */
    luaL_setfuncs(L, waits, 2);
}

void close_tasks(struct runtime *rt)
{
    struct tasks *tasks = rt->tasks;
    for (struct task_list *list; tasks && (list = tasks->all) != NULL;) {
        tasks->all = list->next;
        free(list);
    }
    free(tasks);
}
