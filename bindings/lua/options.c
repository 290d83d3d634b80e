/* A driver's options in Lua: a table, name -> text, number, true or false. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct robo_option *)a)->name, ((const struct robo_option *)b)->name);
}

/* Adds the option whose name and value are on top of the stack; the strings still belong to the table. */
static void take_option(lua_State *L, struct robo_option *o)
{
    size_t n, size;
    if (lua_type(L, -2) != LUA_TSTRING)
        luaL_error(L, "options: expected names");
    o->name = lua_tolstring(L, -2, &n);
    if (n != strlen(o->name))
        luaL_error(L, "options: a name with a zero in it");
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN:
        o->type = ROBO_OPTION_FLAG;
        o->value.integer = lua_toboolean(L, -1);
        break;
    case LUA_TNUMBER:
        o->type = lua_isinteger(L, -1) ? ROBO_OPTION_INTEGER : ROBO_OPTION_REAL;
        if (o->type == ROBO_OPTION_INTEGER)
            o->value.integer = lua_tointeger(L, -1);
        else
            o->value.real = lua_tonumber(L, -1);
        break;
    case LUA_TSTRING:
        o->type = ROBO_OPTION_TEXT;
        o->value.text = lua_tolstring(L, -1, &size);
        if (size == strlen(o->value.text))
            break;
        /* fall through */
    default: luaL_error(L, "option %s: expected a text, a number, true or false", o->name);
    }
}

void check_device_options(lua_State *L, int index, struct robo_binding *binding)
{
    size_t count = 0;
    index = lua_absindex(L, index);
    luaL_checktype(L, index, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        count++;
    if (count > UINT16_MAX)
        luaL_error(L, "options: there are more than %d", UINT16_MAX);
    struct robo_option *option = lua_newuserdatauv(L, count * sizeof *option + 1, 0);
    size_t i = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        take_option(L, &option[i++]);
    qsort(option, count, sizeof *option, by_name); /* sorted, independent of the table's order */
    binding->option = option;
    binding->options = (uint16_t)count;
}

void push_device_options(lua_State *L, const struct robo_binding *binding)
{
    luaL_checkstack(L, 3, NULL);
    lua_createtable(L, 0, binding->options);
    for (unsigned i = 0; i < binding->options; i++) {
        const struct robo_option *o = &binding->option[i];
        switch (o->type) {
        case ROBO_OPTION_FLAG: lua_pushboolean(L, o->value.integer != 0); break;
        case ROBO_OPTION_INTEGER: lua_pushinteger(L, o->value.integer); break;
        case ROBO_OPTION_REAL: lua_pushnumber(L, o->value.real); break;
        default: lua_pushstring(L, o->value.text);
        }
        lua_setfield(L, -2, o->name);
    }
}
