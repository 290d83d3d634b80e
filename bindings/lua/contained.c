/* Contained chunks: untrusted Lua text, such as a translator that a robot provides (scripts/robotalk/translator.lua), which
 * returns a table of functions. It runs in a sandbox (sandbox.h) of its own, and each call is given copies and gives copies.
 * The time and memory of a call count against the limits below, in a virtual world instructions alone, so that a run is the
 * same on every machine. A chunk that has exceeded a limit is not called again.
 *
 * A contained chunk belongs to the script's thread, as its state does; it needs no lock. */
#include <stdio.h>

#include "copying.h"
#include "runtime.h"
#include "sandbox.h"
#include "robotalk/host.h"

enum {
    MEMORY = 1 << 20,
    INSTRUCTIONS = 200000,
    TEXTS = 1 << 16, /* bytes of texts that a call is given or gives */
    SEARCHES = 4     /* calls of model:ik that a call may make */
};

/* Limit of a call, in processor time of the thread; of the first, which reads the text; and in a virtual world, where it is
 * instructions that count. */
static const robo_time TIME = 5000000, TIME_READING = 100000000, TIME_VIRTUAL = 1000000000;

static const char CONTAINED[] = "robotalk.contained";

struct contained {
    struct sandbox *box;
    bool counted, over;
    unsigned searches; /* of model:ik in this call */
};

/* Keys of the registry of the sandbox: reading them allocates nothing. */
static const char TABLE, RESULTS, CONTEXT;

/* A call: of which function, NULL: of the text itself; its arguments, in the script's state. */
struct call {
    struct contained *contained;
    lua_State *from;
    const char *text, *chunk, *function;
    size_t size;
    int first, last; /* places of the arguments; the context is not among them */
    int context;     /* place of a table whose fields become those of the context */
    robo_body *body; /* its kinematics become the context's model; NULL: none */
};

/* Pushes a copy of the value at that place of the script's stack. Raises in the sandbox. */
static void give(lua_State *L, const struct call *call, int place)
{
    lua_newtable(L);
    struct copying c = { call->from, L, lua_gettop(L), TEXTS, "expected at most 64 KiB of texts",
                         NULL };
    luaL_checkstack(L, 4, NULL);
    lua_pushvalue(call->from, place);
    if (!copy_value(&c))
        luaL_error(L, "%s", c.why);
    lua_pop(call->from, 1);
    lua_remove(L, c.seen);
}

/* model:ik(frame, goal, q): a search takes some milliseconds when there is no posture, which do not count against the limit;
 * so there are few, and none has options. */
static int l_search(lua_State *L)
{
    struct contained *c = lua_touserdata(L, lua_upvalueindex(1));
    luaL_argcheck(L, lua_isnoneornil(L, 5), 5, "want no options here");
    if (c->searches++ == SEARCHES)
        return luaL_error(L, "ik: want at most %d calls at a time", SEARCHES);
    lua_settop(L, 4);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    const robo_time began = sandbox_clock();
    lua_call(L, 4, LUA_MULTRET);
    sandbox_excuse(L, began);
    return lua_gettop(L);
}

/* The field `model` of the table on top of the stack. */
static void set_model(lua_State *L, const struct call *call)
{
    open_models(L);
    push_body_apart(L, call->body);
    lua_getmetatable(L, -1);
    lua_getfield(L, -1, "__index");
    lua_pushlightuserdata(L, call->contained);
    lua_getfield(L, -2, "ik");
    lua_pushcclosure(L, l_search, 2);
    lua_setfield(L, -2, "ik");
    lua_pop(L, 2);
    lua_setfield(L, -2, "model");
}

/* Of the functions in the table at the top of the stack the lines on which they begin, by their names: pushes a table. */
static void push_lines(lua_State *L)
{
    lua_Debug ar;
    const int table = lua_gettop(L);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, table);) {
        if (lua_type(L, -2) != LUA_TSTRING || !lua_isfunction(L, -1)) {
            lua_pop(L, 1);
            continue;
        }
        lua_getinfo(L, ">S", &ar);
        lua_pushvalue(L, -1);
        lua_pushinteger(L, ar.linedefined);
        lua_rawset(L, table + 1);
    }
}

static int run_protected(lua_State *L)
{
    const struct call *call = lua_touserdata(L, 1);
    sandbox_run(L, call->text, call->size, call->chunk);
    if (!lua_istable(L, -1))
        return luaL_error(L, "%s: want a table, got %s", call->chunk + 1, luaL_typename(L, -1));
    push_lines(L);
    lua_createtable(L, 2, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 2);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &RESULTS);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &TABLE);
    give(L, call, call->context);
    if (call->body)
        set_model(L, call);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &CONTEXT);
    return 0;
}

static int call_protected(lua_State *L)
{
    const struct call *call = lua_touserdata(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &TABLE);
    lua_pushstring(L, call->function);
    lua_rawget(L, -2);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &CONTEXT);
    const int context = lua_gettop(L);
    lua_State *from = call->from;
    for (lua_pushnil(from); lua_next(from, call->context); lua_pop(from, 1)) {
        give(L, call, -2);
        give(L, call, -1);
        lua_rawset(L, context);
    }
    for (int i = call->first; i <= call->last; i++)
        give(L, call, i);
    lua_pushvalue(L, context);
    lua_remove(L, context);
    lua_call(L, call->last - call->first + 2, 2);
    lua_createtable(L, 2, 0);
    lua_insert(L, -3);
    lua_rawseti(L, -3, 2);
    lua_rawseti(L, -2, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &RESULTS);
    return 0;
}

/* Carries it out and pushes a copy of its results. false: pushes nil, a message, and whether it was cut off. */
static bool carry_out(lua_State *L, struct call *call, lua_CFunction fn)
{
    struct contained *c = call->contained;
    const robo_world *world = runtime_of(L)->world;
    const bool exact = world && robo_is_virtual(world);
    const robo_time time = exact ? TIME_VIRTUAL : call->text ? TIME_READING : TIME;
    c->searches = 0;
    sandbox_limit(c->box, &(struct sandbox_limits){ MEMORY, TEXTS, INSTRUCTIONS, time });
    struct sandbox_report report;
    const int top = lua_gettop(L);
    bool good = sandbox_call(c->box, fn, call, &report);
    lua_settop(L, top);
    if (good) {
        lua_newtable(L);
        struct copying back = {
            sandbox_state(c->box), L, lua_gettop(L), TEXTS, "expected at most 64 KiB of texts", NULL
        };
        lua_rawgetp(back.from, LUA_REGISTRYINDEX, &RESULTS);
        good = copy_value(&back);
        lua_settop(back.from, 0);
        if (good)
            return true;
        snprintf(report.words, sizeof report.words, "%s: %s", call->chunk + 1, back.why);
    }
    c->over |= report.cut_off;
    lua_pushnil(L);
    lua_pushstring(L, report.words);
    lua_pushboolean(L, report.cut_off);
    return false;
}

static int l_close(lua_State *L)
{
    struct contained *c = luaL_checkudata(L, 1, CONTAINED);
    if (c->box)
        sandbox_close(c->box);
    c->box = NULL;
    if (c->counted)
        memory_give(L, MEMORY);
    c->counted = false;
    return 0;
}

/* core.contained(text, name, context [, model]): the chunk, and a list: a copy of the table that it returns, in which functions
 * do nothing, and their lines by their names; or nil, why. context: a table of plain values, which each function is given
 * last. */
static int l_contained(lua_State *L)
{
    struct call call = { .context = 3 };
    call.text = luaL_checklstring(L, 1, &call.size);
    const char *name = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    call.body = lua_isnoneornil(L, 4) ? NULL : check_body(L, 4);
    lua_settop(L, 4);
    call.chunk = lua_pushfstring(L, "@%s.lua", name);
    struct contained *c = lua_newuserdatauv(L, sizeof *c, 0);
    *c = (struct contained){ .box = NULL };
    luaL_setmetatable(L, CONTAINED);
    const int place = lua_gettop(L);
    memory_take(L, MEMORY);
    c->counted = true;
    c->box = sandbox_open(&(struct sandbox_limits){ MEMORY, TEXTS, INSTRUCTIONS, TIME_VIRTUAL });
    if (!c->box)
        return luaL_error(L, "not enough memory");
    call.contained = c;
    call.from = L;
    luaL_checkstack(L, 8, NULL);
    if (!carry_out(L, &call, run_protected))
        return 3;
    lua_pushvalue(L, place);
    lua_insert(L, -2);
    return 2;
}

/* contained:call(name, context, …): a list of the first two results of that function of the table; or nil, why, and
 * whether it was cut off. context: further fields of the context, from now on. */
static int l_call(lua_State *L)
{
    struct contained *c = luaL_checkudata(L, 1, CONTAINED);
    luaL_argcheck(L, c->box, 1, "it is closed");
    const int last = lua_gettop(L);
    struct call call = { .contained = c, .from = L, .first = 4, .last = last, .context = 3 };
    call.function = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    call.chunk = lua_pushfstring(L, "@%s", call.function);
    luaL_checkstack(L, 8, NULL);
    if (c->over) {
        lua_pushnil(L);
        lua_pushliteral(L, "it was cut off: it used too much time or memory");
        lua_pushboolean(L, true);
        return 3;
    }
    return carry_out(L, &call, call_protected) ? 1 : 3;
}

void open_contained(lua_State *L)
{
    static const luaL_Reg methods[] = { { "call", l_call },
                                        { "close", l_close },
                                        { "__gc", l_close },
                                        { "__close", l_close },
                                        { NULL, NULL } };
    set_function(L, "contained", l_contained);
    define_type(L, CONTAINED, methods);
}
