/* Loads Lua files into a script's state: the embedded ones of the program, as the bytecode that was made with it, and
 * those of the user, all as text. Bytecode of theirs is refused, since malicious bytecode could do anything. */
#include <string.h>

#include "runtime.h"
#include "scripts.h"

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

/* core.scripts(folder): names of the embedded files there, without ".lua"; without a folder, the paths of all. */
static int l_scripts(lua_State *L)
{
    size_t n;
    const char *folder = luaL_optlstring(L, 1, NULL, &n);
    lua_newtable(L);
    lua_Integer count = 0;
    for (const struct robo_script *s = robo_scripts; s->name; s++) {
        const bool there = folder && strncmp(s->name, folder, n) == 0 && s->name[n] == '/';
        if (!folder)
            lua_pushstring(L, s->name);
        else if (there && !strchr(s->name + n + 1, '/'))
            lua_pushlstring(L, s->name + n + 1, strlen(s->name + n + 1) - 4);
        else
            continue;
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

static int load_embedded(lua_State *L, const struct robo_script *s, const char *chunk)
{
    /* the library may be of another release than that of the program's build */
    if (strstr(lua_ident, robo_scripts_release))
        return luaL_loadbufferx(L, s->code, s->code_size, chunk, "b");
    return luaL_loadbufferx(L, s->text, s->size, chunk, "t");
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
        if (load_embedded(L, s, chunk) != LUA_OK)
            return luaL_error(L, "%s", lua_tostring(L, -1));
        lua_pushstring(L, name);
        return 2;
    }
    lua_pushfstring(L, "no embedded script '%s'", path);
    return 1;
}

/* load and loadfile with "t" for their mode; upvalue 1: the original. */
static int load_text(lua_State *L)
{
    int n = lua_gettop(L), mode = (int)lua_tointeger(L, lua_upvalueindex(2));
    luaL_checkany(L, 1);
    lua_settop(L, n < mode ? mode : n);
    lua_pushliteral(L, "t");
    lua_replace(L, mode);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int after_dofile(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    return lua_gettop(L) - 1;
}

static int do_text(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);
    lua_settop(L, 1);
    if (luaL_loadfilex(L, path, "t") != LUA_OK)
        return lua_error(L);
    lua_callk(L, 0, LUA_MULTRET, 0, after_dofile);
    return after_dofile(L, 0, 0);
}

/* The searcher of Lua files in package.path. */
static int search_text(lua_State *L)
{
    const char *module = luaL_checkstring(L, 1);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchpath");
    lua_pushvalue(L, 1);
    lua_getfield(L, -3, "path");
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2))
        return 1; /* the paths that were tried */
    const char *path = lua_tostring(L, -2);
    if (luaL_loadfilex(L, path, "t") != LUA_OK)
        return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", module, path,
                          lua_tostring(L, -1));
    lua_pushstring(L, path);
    return 2;
}

void furnish_loaders(lua_State *L)
{
    static const struct {
        const char *name;
        int mode; /* the argument that says text or bytecode */
    } loaders[] = { { "load", 3 }, { "loadfile", 2 } };
    for (int i = 0; i < 2; i++) {
        lua_getglobal(L, loaders[i].name);
        lua_pushinteger(L, loaders[i].mode);
        lua_pushcclosure(L, load_text, 2);
        lua_setglobal(L, loaders[i].name);
    }
    lua_pushcfunction(L, do_text);
    lua_setglobal(L, "dofile");

    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchers");
    lua_pushcfunction(L, search_text);
    lua_rawseti(L, -2, 2); /* in place of Lua's own */
    /* after the preloaded ones, before the file system: a program cannot lose its own scripts */
    for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushcfunction(L, search_embedded);
    lua_rawseti(L, -2, 2);
    lua_pop(L, 2);
}

void open_scripts(lua_State *L)
{
    set_function(L, "script", l_script);
    set_function(L, "scripts", l_scripts);
}
