/* Data files in Lua (descriptions, configurations): each runs in a sandbox of its own, and its result is copied out. */
#include "copying.h"
#include "runtime.h"
#include "sandbox.h"

/* Our largest description takes 10,000 instructions. */
static const struct sandbox_limits limits = { .memory = 32 << 20, /* l_data says so, too */
                                              .instructions = 10000000,
                                              .time = 1000000000 };

static const char BOX[] = "robotalk.sandbox", RESULT[] = "result";

struct running {
    const char *text, *chunk;
    size_t size;
};

static int run_protected(lua_State *L)
{
    const struct running *r = lua_touserdata(L, 1);
    sandbox_run(L, r->text, r->size, r->chunk);
    lua_setfield(L, LUA_REGISTRYINDEX, RESULT);
    return 0;
}

static int l_close_box(lua_State *L)
{
    struct sandbox **box = lua_touserdata(L, 1);
    if (*box)
        sandbox_close(*box);
    *box = NULL;
    return 0;
}

/* core.data(text, chunk): the results of the Lua text, run within limits in an environment of its own, with
 * parts of math, string and table and a few basic functions; or nil and an error text with its line. */
static int l_data(lua_State *L)
{
    struct running r;
    r.text = luaL_checklstring(L, 1, &r.size);
    r.chunk = luaL_checkstring(L, 2);
    lua_newtable(L);
    int seen = lua_gettop(L);
    struct sandbox **box = lua_newuserdatauv(L, sizeof(*box), 0);
    *box = NULL;
    luaL_setmetatable(L, BOX);
    lua_toclose(L, -1);
    *box = sandbox_open(&limits);
    if (!*box)
        return luaL_error(L, "not enough memory");
    struct sandbox_report report;
    if (!sandbox_call(*box, run_protected, &r, &report)) {
        lua_pushnil(L);
        lua_pushstring(L, report.words);
        return 2;
    }
    struct copying c = {
        sandbox_state(*box), L, seen, limits.memory, "expected at most 32 MiB of texts", NULL
    };
    lua_getfield(c.from, LUA_REGISTRYINDEX, RESULT);
    if (!copy_value(&c)) {
        lua_pushnil(L);
        lua_pushfstring(L, "%s:1: %s", r.chunk + (r.chunk[0] == '@'), c.why);
        return 2;
    }
    return 1;
}

void open_data(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "__gc", l_close_box },
        { "__close", l_close_box },
        { NULL, NULL },
    };
    set_function(L, "data", l_data);
    define_type(L, BOX, methods);
}
