/* For fuzzers of what is written in Lua: the script gives a function, which is called with each input and must not raise. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

static inline int feed_script(const char *script, const uint8_t *in, size_t n)
{
    static struct runtime *rt;
    if (!rt) {
        rt = runtime_open(NULL);
        if (!rt || luaL_dostring(rt->L, script) != LUA_OK) {
            fprintf(stderr, "%s\n", rt ? lua_tostring(rt->L, -1) : "no runtime");
            abort();
        }
    }
    lua_State *L = rt->L;
    lua_pushvalue(L, -1);
    lua_pushlstring(L, (const char *)in, n);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
        abort();
    }
    return 0;
}
