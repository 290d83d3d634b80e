/* Pictures in Lua: JPEG to pixels, and what is drawn into test cards. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static const char *const formats[] = { "jpeg", "rgb", "gray", "yuyv", NULL };

void push_picture(lua_State *L, const struct robo_picture *p)
{
    lua_createtable(L, 0, 8);
    set_integer(L, "number", (lua_Integer)p->number);
    push_time(L, p->time);
    lua_setfield(L, -2, "time");
    set_integer(L, "width", p->width);
    set_integer(L, "height", p->height);
    set_text(L, "format", formats[p->format - 1]);
    lua_pushlstring(L, (const char *)p->bytes, p->size);
    lua_setfield(L, -2, "bytes");
}

/* core.jpeg_pixels(bytes, "rgb" or "gray"): pixels, width, height; or nil, message, code. */
static int l_jpeg_pixels(lua_State *L)
{
    size_t n;
    unsigned width, height;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, 1, &n);
    const int format = luaL_checkoption(L, 2, "rgb", formats) + 1;
    luaL_argcheck(L, format == ROBO_RGB || format == ROBO_GRAY, 2, "want rgb or gray");
    int error = robo_jpeg_size(bytes, n, &width, &height);
    if (error < 0)
        return push_failure(L, error,
                            error == ROBO_EBODY ? "it is no JPEG, or a damaged one" : NULL);
    luaL_Buffer buffer;
    const size_t room = (size_t)width * height * (format == ROBO_RGB ? 3 : 1);
    uint8_t *pixels = (uint8_t *)luaL_buffinitsize(L, &buffer, room);
    error = robo_jpeg_decode(bytes, n, (enum robo_picture_format)format, pixels, room);
    if (error < 0)
        return push_failure(L, error, error == ROBO_EBODY ? "it is a damaged JPEG" : NULL);
    luaL_pushresultsize(&buffer, room);
    lua_pushinteger(L, width);
    lua_pushinteger(L, height);
    return 3;
}

/* core.jpeg_library(): the file of libjpeg-turbo that this program needs. */
static int l_jpeg_library(lua_State *L)
{
    lua_pushstring(L, robo_jpeg_library());
    return 1;
}

/* core.test_card(pixels, width, height, "rgb" or "gray"): number and time of the test card that they show, or nothing. */
static int l_test_card(lua_State *L)
{
    size_t n;
    const char *bytes = luaL_checklstring(L, 1, &n);
    const lua_Integer width = luaL_checkinteger(L, 2), height = luaL_checkinteger(L, 3);
    const int format = luaL_checkoption(L, 4, NULL, formats) + 1;
    luaL_argcheck(L, width >= 0 && width <= UINT16_MAX, 2, "want pixels");
    luaL_argcheck(L, height >= 0 && height <= UINT16_MAX, 3, "want pixels");
    luaL_argcheck(L, n == (size_t)(width * height * (format == ROBO_RGB ? 3 : 1)), 1,
                  "want as many pixels");
    struct robo_picture p = { .width = (uint16_t)width,
                              .height = (uint16_t)height,
                              .format = (uint8_t)format,
                              .size = n,
                              .bytes = (uint8_t *)bytes };
    uint64_t number;
    robo_time time;
    if (robo_test_card(&p, &number, &time) < 0)
        return 0;
    lua_pushinteger(L, (lua_Integer)number);
    push_time(L, time);
    return 2;
}

void open_pictures(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "jpeg_pixels", l_jpeg_pixels },
        { "jpeg_library", l_jpeg_library },
        { "test_card", l_test_card },
        { NULL, NULL },
    };
    luaL_setfuncs(L, functions, 0);
}
