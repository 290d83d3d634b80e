/* Films in Lua: GIF, picture by picture. */
#include "robotalk/film.h"
#include "robotalk/view.h"
#include "runtime.h"

static const char GIF[] = "robotalk.gif";

struct gif {
    robo_gif *gif; /* NULL: it has ended */
    size_t pixels;
};

static struct gif *check_gif(lua_State *L)
{
    struct gif *g = luaL_checkudata(L, 1, GIF);
    luaL_argcheck(L, g->gif, 1, "the film has ended");
    return g;
}

/* core.gif(width, height): a GIF of pictures of that size; or nil, message, code. */
static int l_gif(lua_State *L)
{
    const lua_Integer width = luaL_checkinteger(L, 1), height = luaL_checkinteger(L, 2);
    luaL_argcheck(L, width >= 1 && width <= ROBO_MAX_VIEW, 1, "want 1 to 4096 pixels");
    luaL_argcheck(L, height >= 1 && height <= ROBO_MAX_VIEW, 2, "want 1 to 4096 pixels");
    struct gif *g = lua_newuserdatauv(L, sizeof *g, 0);
    *g = (struct gif){ .pixels = (size_t)(width * height) };
    luaL_setmetatable(L, GIF);
    int error;
    char why[256];
    g->gif = robo_gif_open((unsigned)width, (unsigned)height, &error, why);
    return g->gif ? 1 : push_failure(L, error, why);
}

static int push_bytes(lua_State *L, ptrdiff_t n, const uint8_t *bytes)
{
    if (n < 0)
        return push_failure(L, (int)n, NULL);
    lua_pushlstring(L, (const char *)bytes, (size_t)n);
    return 1;
}

/* gif:add(rgb, seconds): the bytes for the end of the file; or nil, message, code. */
static int l_gif_add(lua_State *L)
{
    struct gif *g = check_gif(L);
    size_t n;
    const uint8_t *bytes, *rgb = (const uint8_t *)luaL_checklstring(L, 2, &n);
    const lua_Number seconds = luaL_checknumber(L, 3);
    luaL_argcheck(L, n == 3 * g->pixels, 2, "want as many pixels");
    n = (size_t)robo_gif_add(g->gif, rgb, seconds, &bytes);
    return push_bytes(L, (ptrdiff_t)n, bytes);
}

static int l_gif_free(lua_State *L)
{
    struct gif *g = luaL_checkudata(L, 1, GIF);
    robo_gif_close(g->gif);
    g->gif = NULL;
    return 0;
}

/* gif:finish(): the last bytes; there are no more pictures. */
static int l_gif_finish(lua_State *L)
{
    const uint8_t *bytes;
    struct gif *g = check_gif(L);
    const ptrdiff_t n = robo_gif_end(g->gif, &bytes);
    const int results = push_bytes(L, n, bytes);
    robo_gif_close(g->gif);
    g->gif = NULL;
    return results;
}

void open_film(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "add", l_gif_add }, { "finish", l_gif_finish }, { "__gc", l_gif_free }, { NULL, NULL }
    };
    set_function(L, "gif", l_gif);
    define_type(L, GIF, methods);
}
