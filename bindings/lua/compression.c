/* Decompression in Lua. */
#include "robotalk/compression.h"
#include "runtime.h"

enum { MOST = 1 << 28 }; /* bytes */

/* core.decompress("snappy" or "zstd", bytes, size): exactly as many bytes; nil, message, code: EBODY: these are damaged. */
static int l_decompress(lua_State *L)
{
    const char *kind = luaL_checkstring(L, 1);
    size_t n;
    char why[256];
    luaL_Buffer buffer;
    const char *in = luaL_checklstring(L, 2, &n);
    const lua_Integer size = luaL_checkinteger(L, 3);
    luaL_argcheck(L, size >= 0 && size <= MOST, 3, "want at most 2^28 bytes");
    int error = robo_decompress(kind, NULL, (size_t)size, in, n, why);
    if (error < 0)
        return push_failure(L, error, why);
    char *out = luaL_buffinitsize(L, &buffer, (size_t)size);
    error = robo_decompress(kind, out, (size_t)size, in, n, why);
    luaL_pushresultsize(&buffer, (size_t)size);
    return error < 0 ? push_failure(L, error, why) : 1;
}

void open_compression(lua_State *L)
{
    set_function(L, "decompress", l_decompress);
}
