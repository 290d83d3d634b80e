/* robotalk-faults is the program robotalk with the fault simulator: two more functions for the experiment in
 * scripts/experiments/faults.lua. */
#include <stdlib.h>

#include "runtime.h"
#include "simulator.h"

/* The plan, with its descriptions, weights and modes in the same block. */
struct plan {
    struct robo_test_plan plan;
    struct robo_description body[];
};

/* { bodies = { { body =, weight = }, … } }: a plan, on top of the stack. */
static struct plan *check_plan(lua_State *L, int index)
{
    struct runtime *rt = runtime_of(L);
    if (!rt->modes)
        luaL_error(L, "want modes first");
    if (lua_getfield(L, index, "bodies") != LUA_TTABLE || lua_rawlen(L, -1) == 0)
        luaL_error(L, "field 'bodies': want a list");
    size_t n = lua_rawlen(L, -1);
    size_t modes = modes_list(rt->modes, NULL, 0);
    struct plan *p = lua_newuserdatauv(
        L, sizeof *p + n * (sizeof p->body[0] + sizeof(double)) + modes * sizeof(struct robo_mode),
        0);
    double *weight = (double *)(void *)&p->body[n];
    struct robo_mode *mode = (struct robo_mode *)(void *)&weight[n];
    p->plan = (struct robo_test_plan){ .size = sizeof p->plan,
                                       .body = p->body,
                                       .weight = weight,
                                       .bodies = n,
                                       .mode = mode,
                                       .modes = modes };
    modes_list(rt->modes, mode, modes);
    modes_begin(rt->modes, true);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, -2, (lua_Integer)i + 1);
        luaL_checktype(L, -1, LUA_TTABLE);
        lua_getfield(L, -1, "weight");
        weight[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
        lua_getfield(L, -1, "body");
        p->body[i] = *robo_body_description(check_body(L, lua_gettop(L)));
        lua_pop(L, 2);
    }
    lua_remove(L, -2);
    return p;
}

static void set_count(lua_State *L, const char *name, uint64_t n)
{
    set_integer(L, name, (lua_Integer)n);
}

static void push_report(lua_State *L, const struct robo_test_report *r)
{
    lua_createtable(L, 0, 16);
    set_count(L, "seed", r->seed);
    struct robo_word invariant;
    if (r->broken && robo_test_invariant(r->broken, &invariant) == 0) {
        set_text(L, "broken", invariant.name);
        set_text(L, "invariant", invariant.doc);
        set_text(L, "text", r->text);
    }
    set_count(L, "digest", r->digest);
    set_count(L, "commands", r->commands);
    set_count(L, "begun", r->begun);
    set_count(L, "answered", r->answered);
    set_count(L, "panics", r->panics);
    set_count(L, "stops", r->stops);
    set_count(L, "mishaps", r->mishaps);
    set_count(L, "links", r->links);
    set_number(L, "seconds", r->seconds);
}

/* core.fault_run({ bodies = }, seed): a report, and the trace of all its events. */
static int l_fault_run(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    uint64_t seed = (uint64_t)luaL_checkinteger(L, 2);
    const struct plan *p = check_plan(L, 1);
    struct robo_test_report report;
    char *trace;
    int error = robo_test_run(&p->plan, seed, &trace, &report);
    if (error < 0)
        return luaL_error(L, "%s", robo_strerror(error));
    lua_pushstring(L, trace); /* raises only without memory, and then the program ends */
    free(trace);
    push_report(L, &report);
    lua_insert(L, -2);
    return 2;
}

static void push_tally(lua_State *L, const struct robo_test_tally *t)
{
    const struct {
        const char *name;
        double value;
    } sums[] = { { "commands", t->commands }, { "begun", t->begun },
                 { "answered", t->answered }, { "panics", t->panics },
                 { "stops", t->stops },       { "mishaps", t->mishaps },
                 { "links", t->links },       { "seconds", t->seconds },
                 { "elapsed", t->elapsed } };
    lua_createtable(L, 0, 12);
    set_count(L, "runs", t->runs);
    set_count(L, "next", t->next);
    set_count(L, "digest", t->digest);
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        lua_pushnumber(L, sums[i].value);
        lua_setfield(L, -2, sums[i].name);
    }
    lua_newtable(L);
    for (int i = 0; i < ROBO_TEST_INVARIANTS; i++) {
        if (t->found[i] == 0)
            continue;
        push_report(L, &t->first[i]);
        set_count(L, "times", t->found[i]);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    lua_setfield(L, -2, "findings");
}

/* Calls the function at 2 with the tally so far. An error of it is raised when the processes have ended. */
static int on_progress(void *owner, const struct robo_test_tally *so_far)
{
    lua_State *L = owner;
    lua_pushvalue(L, 3);
    push_tally(L, so_far);
    return lua_pcall(L, 1, 0, 0) == LUA_OK;
}

/* core.fault_series({ bodies =, first =, runs =, jobs =, all =, patience = }, progress): the findings. */
static int l_fault_series(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    struct robo_test_series series = { .size = sizeof series, .progress = on_progress, .owner = L };
    lua_getfield(L, 1, "first");
    series.first = (uint64_t)luaL_checkinteger(L, -1);
    lua_getfield(L, 1, "runs");
    series.runs = (uint64_t)luaL_checkinteger(L, -1);
    lua_getfield(L, 1, "jobs");
    series.jobs = (unsigned)luaL_checkinteger(L, -1);
    lua_getfield(L, 1, "all");
    series.all = lua_toboolean(L, -1);
    lua_getfield(L, 1, "patience");
    series.patience = luaL_optnumber(L, -1, 60);
    lua_settop(L, 2);
    const struct plan *p = check_plan(L, 1);
    lua_insert(L, 2); /* 3: progress */
    struct robo_test_tally tally;
    int error = robo_test_run_series(&p->plan, &series, &tally);
    if (lua_gettop(L) > 3)
        return lua_error(L); /* the error that progress raised */
    if (error < 0)
        return push_failure(L, error, NULL);
    push_tally(L, &tally);
    return 1;
}

void open_faults(lua_State *L)
{
    static const luaL_Reg functions[] = { { "fault_run", l_fault_run },
                                          { "fault_series", l_fault_series },
                                          { NULL, NULL } };
    luaL_setfuncs(L, functions, 0);
}
