/* The RCML file of a robot. */
#include "robotalk_rcml.h"
#include "runtime.h"

static const char *opt_text(lua_State *L, int index, const char *key)
{
    if (lua_isnoneornil(L, index))
        return NULL;
    lua_getfield(L, index, key); /* stays on the stack, and with it the text */
    return luaL_optstring(L, -1, NULL);
}

/* core.rcml(body[, { url =, pictures = }]): the text of its file, and where it is served, if that is to be said. */
static int l_rcml(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    struct robo_rcml_options options = { .size = sizeof options };
    luaL_Buffer buffer;
    options.url = opt_text(L, 2, "url");
    options.pictures = opt_text(L, 2, "pictures");
    ptrdiff_t used = robo_rcml_write(body, &options, NULL, 0);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    char *text = luaL_buffinitsize(L, &buffer, (size_t)used);
    used = robo_rcml_write(body, &options, text, (size_t)used);
    if (used < 0)
        return push_failure(L, (int)used, NULL);
    luaL_pushresultsize(&buffer, (size_t)used);
    return 1;
}

void open_rcml(lua_State *L)
{
    static const luaL_Reg functions[] = { { "rcml", l_rcml }, { NULL, NULL } };
    luaL_setfuncs(L, functions, 0);
}
