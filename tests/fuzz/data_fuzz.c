/* Any text as a file of data, a descriptor or a configuration: it is run in its sandbox, comes to an end, and gives a
 * value or an error that names the file. What it gives is checked as a descriptor, which raises nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n);

static const char script[] =
    "local descriptor = require 'robotalk.descriptor'\n"
    "return function(text)\n"
    "  local before = math.huge\n"
    "  local d, message = descriptor.read(text, 'x.lua')\n"
    "  assert(type(d) == 'table' or message:find('x.lua', 1, true), message)\n"
    "  assert(math.huge == before and ('x'):rep(2) == 'xx')\n"
    "end\n";

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t n)
{
    static struct runtime *rt;
    if (!rt) {
        rt = runtime_open();
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
