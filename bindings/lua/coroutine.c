/* Coroutines of scripts that can be cut off. A script computes in slices: from where its scheduler resumes a task to
 * where the task waits. A slice that takes too long gets a hook on the coroutine that runs, from the watchdog; before
 * that there is none, since Lua is half as fast with a hook. The hook suspends the coroutine where it is, which no
 * pcall can catch, and it is never resumed; below a C function, where it cannot be suspended, the hook raises an error,
 * and again at the next instruction. To know which coroutine runs, the functions that resume one are ours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime.h"

#if LUA_VERSION_RELEASE_NUM < 50406
#define lua_closethread(co, from) ((void)(from), lua_resetthread(co))
#endif

/* for the <close> variables of a failed task; and of a task whose script is to end */
static const robo_time CLOSING = 1000000000, CLOSING_LAST = 500000000;

static void begin(struct runtime *rt, robo_time limit)
{
    rt->was_cut = false;
    atomic_store(&rt->limit, limit);
    atomic_store(&rt->slice, (atomic_load(&rt->slice) | 1) + 2);
}

static robo_time budget(const struct runtime *rt)
{
    return (robo_time)llround(rt->budget * 1e9);
}

void slice_begin(struct runtime *rt)
{
    begin(rt, budget(rt));
}

void slice_end(struct runtime *rt)
{
    atomic_store(&rt->slice, (atomic_load(&rt->slice) | 1) + 1);
}

void script_place(lua_State *L, int level, char place[SCRIPT_PLACE])
{
    lua_Debug ar;
    bool ours = true;
    place[0] = 0;
    for (; ours && lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "Sl", &ar);
        ours = ar.currentline <= 0 || strncmp(ar.source, "@robotalk/", 10) == 0;
        if (ar.currentline > 0 && (!ours || !place[0]))
            snprintf(place, SCRIPT_PLACE, "%s:%d: ", ar.short_src, ar.currentline);
    }
}

/* ---- hooks ---- */

static void push_why(lua_State *L, const struct runtime *rt)
{
    const int signal = atomic_load(&rt->cut_by);
    const bool dismissed = atomic_load(&rt->dismissed);
    if (dismissed || (!signal && atomic_load(&rt->watched.heeded)))
        lua_pushfstring(L, "%sit has computed too long after %s, and was ended", rt->place,
                        !dismissed || atomic_load(&rt->watched.signal) ? "it was told to end"
                                                                       : "its script has ended");
    else if (signal)
        lua_pushfstring(L, "%sit was ended by SIG%s", rt->place, sigabbrev_np(signal));
    else
        lua_pushfstring(L, "%sit has computed for %f s without waiting and was ended", rt->place,
                        (lua_Number)atomic_load(&rt->limit) * 1e-9);
}

/* Takes away a hook that was set for a slice that has ended. */
static void clear_hook(lua_State *co)
{
    if (lua_gethook(co) == slice_cut)
        lua_sethook(co, NULL, 0, 0);
}

void slice_cut(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    struct runtime *rt = runtime_of(L);
    if (atomic_load(&rt->cut_slice) != atomic_load(&rt->slice)) {
        clear_hook(L);
        return;
    }
    if (!rt->was_cut)
        script_place(L, 0, rt->place);
    rt->was_cut = true;
    if (rt->closing > 0 && rt->chances > 0) {
        rt->chances--;
        begin(rt, atomic_load(&rt->limit)); /* for other values to be released */
        clear_hook(L);
    }
    if (rt->closing == 0 && lua_isyieldable(L)) {
        lua_yield(L, 0);
        return;
    }
    push_why(L, rt);
    lua_error(L);
}

int slice_leave(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    if (!rt->in_task)
        return luaL_error(L, "the script is to end");
    atomic_store(&rt->cut_by, 0);
    atomic_store(&rt->cut_slice, atomic_load(&rt->slice));
    rt->was_cut = true;
    script_place(L, 0, rt->place);
    lua_sethook(L, slice_cut, LUA_MASKCOUNT, 1);
    if (rt->closing == 0 && lua_isyieldable(L))
        return lua_yield(L, 0);
    return luaL_error(L, "the script is to end");
}

/* ---- tasks, for the scheduler ---- */

static lua_State *check_coroutine(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "coroutine");
    return co;
}

/* true and n values at the top of the stack; or, n being negative, false and the error. */
static int push_outcome(lua_State *L, int n)
{
    int values = n < 0 ? 1 : n;
    lua_pushboolean(L, n >= 0);
    lua_insert(L, -values - 1);
    return values + 1;
}

/* Replaces the n values at the top by the result of fn: true; or by its error, when there is no memory for that. */
static bool make(lua_State *L, lua_CFunction fn, int n)
{
    lua_pushcfunction(L, fn);
    lua_insert(L, -n - 1);
    return lua_pcall(L, n, 1, 0) == LUA_OK;
}

static int l_too_many(lua_State *L)
{
    lua_pushliteral(L, "too many results to resume");
    return 1;
}

/* Resumes co with the n values at its own top. Returns the number of its results at the top of L, or -1 with the error
 * there. */
static int go_on(lua_State *L, lua_State *co, int n)
{
    struct runtime *rt = runtime_of(L);
    int results = 0;
    atomic_store(&rt->running, co);
    int status = lua_resume(co, L, n, &results);
    atomic_store(&rt->running, L);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, results + 1)) {
        lua_pop(co, results);
        make(L, l_too_many, 0);
        return -1;
    }
    lua_xmove(co, L, results);
    return results;
}

/* The same with the n values at the top of L. */
static int resume(lua_State *L, lua_State *co, int n)
{
    if (!lua_checkstack(co, n)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, n);
    return go_on(L, co, n);
}

/* Closes co. Returns its status; unless that is LUA_OK, the error is at the top of L. */
static int unwind(lua_State *L, lua_State *co)
{
    struct runtime *rt = runtime_of(L);
    atomic_store(&rt->running, co);
    rt->closing++;
    int status = lua_closethread(co, L);
    rt->closing--;
    atomic_store(&rt->running, L);
    if (status != LUA_OK)
        lua_xmove(co, L, 1);
    return status;
}

/* Packs its arguments in a table, as table.pack does. */
static int l_pack(lua_State *L)
{
    const int n = lua_gettop(L);
    lua_createtable(L, n, 1);
    lua_insert(L, 1);
    for (int i = n; i > 0; i--)
        lua_rawseti(L, 1, i);
    set_integer(L, "n", n);
    return 1;
}

static int l_why(lua_State *L)
{
    push_why(L, runtime_of(L));
    return 1;
}

static int l_too_much(lua_State *L)
{
    const struct runtime *rt = runtime_of(L);
    lua_pushfstring(L, "%sit wants more than %d MiB of memory and was ended", rt->place,
                    (int)(rt->memory_most >> 20));
    return 1;
}

static int l_unwatched(lua_State *L)
{
    lua_pushliteral(L, "the watchdog cannot be started");
    return 1;
}

enum slice_end slice_run(lua_State *L, lua_State *co, double most, int n)
{
    struct runtime *rt = runtime_of(L);
    bool in_task = rt->in_task, own = most > 0 && !(rt->budget > 0 && rt->budget < most);
    begin(rt, own ? (robo_time)llround(most * 1e9) : budget(rt));
    if (own && rt->budget == 0 && !watchdog_start(rt)) { /* it sleeps while there are no limits */
        lua_pop(co, n);
        make(L, l_unwatched, 0);
        return SLICE_FAILED;
    }
    clear_hook(co);
    rt->in_task = true;
    n = go_on(L, co, n);
    rt->in_task = in_task;
    if (rt->was_cut && (n < 0 || lua_status(co) == LUA_YIELD)) {
        make(L, l_why, 0);
        return SLICE_CUT;
    }
    if (n >= 0 && lua_status(co) == LUA_YIELD) {
        lua_pop(L, n);
        return SLICE_WAITS;
    }
    if (n >= 0)
        return make(L, l_pack, n) ? SLICE_DONE : SLICE_FAILED;
    if (lua_status(co) == LUA_ERRMEM)
        make(L, l_too_much, 0);
    return SLICE_FAILED;
}

int push_slice_end(lua_State *L, enum slice_end end)
{
    if (end == SLICE_WAITS) {
        lua_pushinteger(L, 0);
        return 1;
    }
    if (end == SLICE_CUT)
        lua_pushnil(L);
    else
        lua_pushboolean(L, end == SLICE_DONE);
    lua_insert(L, -2);
    return 2;
}

/* core.resume(coroutine, most, …): a slice of a coroutine that is no task, as slice_run, and its end. */
static int l_resume_slice(lua_State *L)
{
    lua_State *co = check_coroutine(L);
    const double most = luaL_optnumber(L, 2, 0);
    const int n = lua_gettop(L) - 2;
    if (!lua_checkstack(co, n))
        return luaL_error(L, "too many arguments to resume");
    lua_xmove(L, co, n);
    enum slice_end end = slice_run(L, co, most, n);
    slice_begin(runtime_of(L)); /* the caller's own */
    return push_slice_end(L, end);
}

/* core.unwind(coroutine, task): closes its <close> variables when it has failed: true, or false and the error. task:
 * whether it is a task, which may not wait meanwhile. */
static int l_unwind_task(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_State *co = check_coroutine(L);
    const bool ending = rt->ending;
    rt->ending = ending || lua_toboolean(L, 2);
    const robo_time most = budget(rt),
                    closing = atomic_load(&rt->dismissed) ? CLOSING_LAST : CLOSING;
    begin(rt, most > 0 && most < closing ? most : closing);
    rt->chances = 1;
    clear_hook(co);
    int before = lua_status(co), status = unwind(L, co);
    rt->chances = 0;
    rt->ending = ending;
    slice_begin(rt);
    if (status == LUA_ERRMEM && before == LUA_ERRMEM)
        status = LUA_OK; /* the error that ended the task */
    return push_outcome(L, status == LUA_OK ? 0 : -1);
}

/* ---- what scripts call in the place of coroutine.resume, wrap and close ---- */

/* A coroutine that resumed one that was cut off is cut off too. */
static int cut_too(lua_State *L, const struct runtime *rt)
{
    if (rt->closing == 0 && lua_isyieldable(L))
        return lua_yield(L, 0);
    push_why(L, rt);
    return lua_error(L);
}

static int l_resume(lua_State *L)
{
    lua_State *co = check_coroutine(L);
    int n = resume(L, co, lua_gettop(L) - 1);
    return runtime_of(L)->was_cut ? cut_too(L, runtime_of(L)) : push_outcome(L, n);
}

static int call_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int n = resume(L, co, lua_gettop(L));
    if (runtime_of(L)->was_cut)
        return cut_too(L, runtime_of(L));
    if (n >= 0)
        return n;
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD)
        status = unwind(L, co);
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int l_wrap(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

static int l_close(lua_State *L)
{
    lua_State *co = check_coroutine(L);
    lua_Debug ar;
    if (co == L || (lua_status(co) == LUA_OK && lua_getstack(co, 0, &ar)))
        return luaL_error(L, "cannot close a coroutine that is running");
    int status = unwind(L, co);
    return runtime_of(L)->was_cut ? cut_too(L, runtime_of(L))
                                  : push_outcome(L, status == LUA_OK ? 0 : -1);
}

void open_coroutines(lua_State *L)
{
    set_function(L, "resume", l_resume_slice);
    set_function(L, "unwind", l_unwind_task);
    lua_getglobal(L, "coroutine");
    set_function(L, "resume", l_resume);
    set_function(L, "wrap", l_wrap);
    set_function(L, "close", l_close);
    lua_pop(L, 1);
}
