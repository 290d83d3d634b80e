/* Fields of tables, lists of numbers, and types of userdata. What sets a field sets it in the table on top of the stack. */
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds as seconds. */
static inline void push_time(lua_State *L, int64_t time)
{
    lua_pushnumber(L, (lua_Number)time / 1e9); /* not * 1e-9: the nearest double */
}

static inline void set_time(lua_State *L, const char *name, int64_t time)
{
    push_time(L, time);
    lua_setfield(L, -2, name);
}

static inline void set_function(lua_State *L, const char *name, lua_CFunction function)
{
    lua_pushcfunction(L, function);
    lua_setfield(L, -2, name);
}

/* A type of userdata by its methods, unless the state has it already. */
static inline void define_type(lua_State *L, const char *name, const luaL_Reg *methods)
{
    if (luaL_newmetatable(L, name)) {
        luaL_setfuncs(L, methods, 0);
        lua_pushvalue(L, -1);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 1);
}

static inline void set_flag(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

static inline void set_integer(lua_State *L, const char *name, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

static inline void set_number(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

static inline void set_text(lua_State *L, const char *name, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, name);
}

/* Pushes a list. */
static inline void push_numbers(lua_State *L, const double *value, size_t n)
{
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_pushnumber(L, value[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static inline void set_numbers(lua_State *L, const char *name, const double *value, size_t n)
{
    push_numbers(L, value, n);
    lua_setfield(L, -2, name);
}

/* A field of the table at that index; false where it is missing. */
static inline bool flag_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    const bool set = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return set;
}

/* The same for a number, 0 where it is missing; raises for another type. */
static inline double number_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    const double x = luaL_optnumber(L, -1, 0);
    lua_pop(L, 1);
    return x;
}
