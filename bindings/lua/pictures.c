/* Pictures in Lua: JPEG to pixels, regions of a colour, and the marks of test cards. */
#include <stdlib.h>

#include "runtime.h"

static const char *const formats[] = { "jpeg", "rgb", "gray", "yuyv", NULL };

enum robo_picture_format check_picture_format(lua_State *L, int at)
{
    return (enum robo_picture_format)(luaL_checkoption(L, at, NULL, formats) + 1);
}

void push_picture(lua_State *L, const struct robo_picture *p)
{
    lua_createtable(L, 0, 8);
    set_integer(L, "number", (lua_Integer)p->number);
    set_time(L, "time", p->time);
    set_integer(L, "width", p->width);
    set_integer(L, "height", p->height);
    set_text(L, "format", formats[p->format - 1]);
    lua_pushlstring(L, (const char *)p->bytes, p->size);
    lua_setfield(L, -2, "bytes");
}

/* nil, message, code of a JPEG that was refused. */
static int push_bad_jpeg(lua_State *L, int error, const uint8_t *bytes, size_t n)
{
    size_t at;
    const char *fault = error == ROBO_EBODY ? robo_jpeg_fault(bytes, n, &at) : NULL;
    if (!fault)
        return push_failure(L, error, NULL);
    lua_pushfstring(L, "it is no JPEG, or a damaged one: byte %I: %s", (LUAI_UACINT)at, fault);
    return push_failure(L, error, lua_tostring(L, -1));
}

/* core.jpeg_size(bytes): width, height; or nil, message, code. */
static int l_jpeg_size(lua_State *L)
{
    size_t n;
    unsigned width, height;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, 1, &n);
    const int error = robo_jpeg_size(bytes, n, &width, &height);
    if (error < 0)
        return push_bad_jpeg(L, error, bytes, n);
    lua_pushinteger(L, width);
    lua_pushinteger(L, height);
    return 2;
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
        return push_bad_jpeg(L, error, bytes, n);
    luaL_Buffer buffer;
    const size_t room = (size_t)width * height * (format == ROBO_RGB ? 3 : 1);
    uint8_t *pixels = (uint8_t *)luaL_buffinitsize(L, &buffer, room);
    error = robo_jpeg_decode(bytes, n, (enum robo_picture_format)format, pixels, room);
    if (error < 0)
        return push_bad_jpeg(L, error, bytes, n);
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

/* Bytes of a picture until a text is made of them. */
struct remade {
    uint8_t *bytes;
};
static const char REMADE[] = "robotalk.remade";

static int l_free_remade(lua_State *L)
{
    struct remade *keep = luaL_checkudata(L, 1, REMADE);
    free(keep->bytes);
    keep->bytes = NULL;
    return 0;
}

/* Pushes one without any; the collector frees them, also when there is no memory for the text. */
static struct remade *push_remade(lua_State *L)
{
    struct remade *keep = lua_newuserdatauv(L, sizeof *keep, 0);
    keep->bytes = NULL;
    luaL_setmetatable(L, REMADE);
    return keep;
}

static void push_text_of(lua_State *L, struct remade *keep, size_t size)
{
    lua_pushlstring(L, (const char *)keep->bytes, size);
    free(keep->bytes);
    keep->bytes = NULL;
}

static unsigned check_pixels(lua_State *L, int arg)
{
    const lua_Integer n = luaL_optinteger(L, arg, 0);
    luaL_argcheck(L, n >= 0 && n <= UINT16_MAX, arg, "want pixels");
    return (unsigned)n;
}

/* core.remake_picture({ bytes, format, width, height }, format [, quality [, width [, height]]]): bytes, width, height; or nil,
 * message, code. */
static int l_remake(lua_State *L)
{
    struct robo_picture from = { .number = 0 }, made;
    luaL_checktype(L, 1, LUA_TTABLE);
    const int format = luaL_checkoption(L, 2, NULL, formats) + 1;
    const lua_Integer quality = luaL_optinteger(L, 3, 80);
    const unsigned width = check_pixels(L, 4), height = check_pixels(L, 5);
    luaL_argcheck(L, quality >= 1 && quality <= 100, 3, "want 1 to 100");
    lua_settop(L, 1);
    lua_getfield(L, 1, "format");
    from.format = (uint8_t)(luaL_checkoption(L, 2, NULL, formats) + 1);
    lua_getfield(L, 1, "bytes");
    from.bytes = (uint8_t *)luaL_checklstring(L, 3, &from.size);
    lua_getfield(L, 1, "width");
    from.width = (uint16_t)check_pixels(L, 4);
    lua_getfield(L, 1, "height");
    from.height = (uint16_t)check_pixels(L, 5);
    struct remade *keep = push_remade(L);
    const int error = robo_picture_remake(&from, (enum robo_picture_format)format,
                                          (unsigned)quality, width, height, &made);
    if (error < 0)
        return push_bad_jpeg(L, error, from.bytes, from.size);
    keep->bytes = made.bytes;
    push_text_of(L, keep, made.size);
    lua_pushinteger(L, made.width);
    lua_pushinteger(L, made.height);
    return 3;
}

/* The pixels at the places 1 to 4: bytes, width, height, "rgb" or "gray". */
static struct robo_picture check_picture(lua_State *L)
{
    size_t n;
    const char *bytes = luaL_checklstring(L, 1, &n);
    const lua_Integer width = luaL_checkinteger(L, 2), height = luaL_checkinteger(L, 3);
    const int format = luaL_checkoption(L, 4, NULL, formats) + 1;
    luaL_argcheck(L, width >= 0 && width <= UINT16_MAX, 2, "want pixels");
    luaL_argcheck(L, height >= 0 && height <= UINT16_MAX, 3, "want pixels");
    luaL_argcheck(L, n == (size_t)(width * height * (format == ROBO_RGB ? 3 : 1)), 1,
                  "want as many pixels");
    return (struct robo_picture){ .width = (uint16_t)width,
                                  .height = (uint16_t)height,
                                  .format = (uint8_t)format,
                                  .size = n,
                                  .bytes = (uint8_t *)bytes };
}

/* core.blob(pixels, width, height, "rgb" or "gray", { hue, hue, saturation, saturation, value, value }, least): the largest region of
 * a colour that has so many pixels; nil: there is none; or nil, message, code. */
static int l_blob(lua_State *L)
{
    const struct robo_picture p = check_picture(L);
    struct robo_colour colour;
    struct robo_blob blob;
    double *const bounds[] = { colour.hue, colour.saturation, colour.value };
    luaL_checktype(L, 5, LUA_TTABLE);
    const lua_Integer least = luaL_checkinteger(L, 6);
    luaL_argcheck(L, least >= 0, 6, "want pixels");
    for (int i = 0; i < 6; i++) {
        lua_rawgeti(L, 5, i + 1);
        bounds[i / 2][i % 2] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    const int found = robo_picture_blob(&p, &colour, (uint64_t)least, &blob);
    if (found < 0)
        return push_failure(L, found, NULL);
    if (found == 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_createtable(L, 0, 8);
    set_number(L, "x", blob.x);
    set_number(L, "y", blob.y);
    set_integer(L, "left", blob.left);
    set_integer(L, "top", blob.top);
    set_integer(L, "width", blob.width);
    set_integer(L, "height", blob.height);
    set_integer(L, "area", (lua_Integer)blob.area);
    set_integer(L, "regions", (lua_Integer)blob.regions);
    return 1;
}

/* core.picture_png(pixels, width, height, "rgb" or "gray"): the bytes of a PNG file; or nil, message, code. */
static int l_png(lua_State *L)
{
    const struct robo_picture p = check_picture(L);
    size_t size;
    struct remade *keep = push_remade(L);
    const int error = robo_picture_png(&p, &keep->bytes, &size);
    if (error < 0)
        return push_failure(L, error, error == ROBO_ESYSTEM ? "PNG needs zlib (zlib1g)" : NULL);
    push_text_of(L, keep, size);
    return 1;
}

/* core.test_card(pixels, width, height, "rgb" or "gray"): number and time of the test card that they show, or nothing. */
static int l_test_card(lua_State *L)
{
    const struct robo_picture p = check_picture(L);
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
    set_function(L, "jpeg_size", l_jpeg_size);
    set_function(L, "jpeg_pixels", l_jpeg_pixels);
    set_function(L, "jpeg_library", l_jpeg_library);
    set_function(L, "remake_picture", l_remake);
    set_function(L, "blob", l_blob);
    set_function(L, "picture_png", l_png);
    set_function(L, "test_card", l_test_card);
    luaL_newmetatable(L, REMADE);
    set_function(L, "__gc", l_free_remade);
    lua_pop(L, 1);
}
