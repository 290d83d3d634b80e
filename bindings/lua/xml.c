/* XML to Lua tables by expat, for files of others: bounded, and without entities that a file defines itself. The
 * first file loads expat. */
#include <expat.h>
#include <string.h>

#include "runtime.h"

enum { TEXT_MOST = 16 << 20, DEPTH_MOST = 64, ELEMENTS_MOST = 200000 };

/* clang-format off */
#define SYMBOLS(X) \
    X(XML_ErrorString) X(XML_GetCurrentColumnNumber) X(XML_GetCurrentLineNumber) \
    X(XML_GetErrorCode) X(XML_Parse) X(XML_ParserCreate) X(XML_ParserFree) \
    X(XML_SetElementHandler) X(XML_SetStartDoctypeDeclHandler) X(XML_SetUserData) \
    X(XML_StopParser)
/* clang-format on */

/* of each thread, since each script has one */
static _Thread_local struct {
#define MEMBER(name) __typeof__(name) *name;
    SYMBOLS(MEMBER)
#undef MEMBER
    bool loaded;
} expat;

static void need_expat(lua_State *L)
{
    const struct library_symbol symbols[] = {
#define ROW(name) { #name, &expat.name },
        SYMBOLS(ROW)
#undef ROW
            { NULL, NULL }
    };
    if (!expat.loaded)
        need_library(L, "libexpat.so.1", "libexpat1", symbols);
    expat.loaded = true;
}

/* A userdatum, so that the collector frees the parser whatever happens: when Lua finds no memory within a callback it
 * jumps over expat's frames, and all memory of expat belongs to its parser. */
struct reader {
    XML_Parser parser;
    lua_State *L;
    int elements, depth,
        open;        /* open: stack index of the table of open elements, the root's list first */
    const char *why; /* why this reader has stopped; NULL: it has not */
    lua_Integer line, column; /* position of that; expat goes on to the end of the present token */
};

static const char reader_type[] = "robotalk.xml";

static lua_Integer line_of(XML_Parser parser)
{
    return (lua_Integer)expat.XML_GetCurrentLineNumber(parser);
}

static lua_Integer column_of(XML_Parser parser)
{
    return (lua_Integer)expat.XML_GetCurrentColumnNumber(parser) + 1;
}

static void stop(struct reader *r, const char *why)
{
    r->why = why;
    r->line = line_of(r->parser);
    r->column = column_of(r->parser);
    expat.XML_StopParser(r->parser, XML_FALSE);
}

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct reader *r = data;
    lua_State *L = r->L;
    if (r->why)
        return;
    if (r->depth == DEPTH_MOST) {
        stop(r, "elements are nested deeper than 64");
        return;
    }
    if (r->elements++ == ELEMENTS_MOST) {
        stop(r, "more than 200000 elements");
        return;
    }
    lua_createtable(L, 0, 5);
    set_text(L, "name", name);
    set_integer(L, "line", line_of(r->parser));
    set_integer(L, "column", column_of(r->parser));
    lua_newtable(L);
    for (; attributes[0]; attributes += 2) {
        lua_pushstring(L, attributes[1]);
        lua_setfield(L, -2, attributes[0]);
    }
    lua_setfield(L, -2, "attributes");
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "children");
    /* stack: element, its list; it goes to the list of the one that is open, its own list is open now */
    lua_rawgeti(L, r->open, r->depth + 1);
    lua_pushvalue(L, -3);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
    lua_rawseti(L, r->open, ++r->depth + 1);
    lua_pop(L, 1);
}

static void on_end(void *data, const XML_Char *name)
{
    struct reader *r = data;
    (void)name;
    if (!r->why)
        r->depth--;
}

static void on_doctype(void *data, const XML_Char *name, const XML_Char *system_id,
                       const XML_Char *public_id, int internal)
{
    (void)name, (void)system_id, (void)public_id, (void)internal;
    stop(data, "expected no DOCTYPE: entities are not expanded");
}

static int collect_reader(lua_State *L)
{
    struct reader *r = luaL_checkudata(L, 1, reader_type);
    if (r->parser)
        expat.XML_ParserFree(r->parser);
    r->parser = NULL;
    return 0;
}

static int push_wrong(lua_State *L, const char *why, lua_Integer line, lua_Integer column)
{
    lua_pushnil(L);
    lua_pushstring(L, why);
    lua_pushinteger(L, line);
    lua_pushinteger(L, column);
    return 4;
}

/* core.xml_parse(text): the root element { name, attributes, line, column, children }; or nil, message, line,
 * column. Text between elements is left out. */
static int l_xml_parse(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    lua_settop(L, 1);
    luaL_checkstack(L, 12, NULL);
    if (size > TEXT_MOST)
        return push_wrong(L, "longer than 16 MiB", 1, 1);
    need_expat(L);
    struct reader *r = lua_newuserdatauv(L, sizeof *r, 0);
    memset(r, 0, sizeof *r);
    luaL_setmetatable(L, reader_type);
    r->L = L;
    r->parser = expat.XML_ParserCreate(NULL);
    if (!r->parser)
        return luaL_error(L, "not enough memory");
    lua_newtable(L);
    r->open = lua_gettop(L);
    lua_newtable(L);
    lua_rawseti(L, r->open, 1);
    expat.XML_SetUserData(r->parser, r);
    expat.XML_SetElementHandler(r->parser, on_start, on_end);
    expat.XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    if (expat.XML_Parse(r->parser, text, (int)size, XML_TRUE) == XML_STATUS_OK) {
        lua_rawgeti(L, r->open, 1);
        lua_rawgeti(L, -1, 1);
        return 1;
    }
    if (r->why)
        return push_wrong(L, r->why, r->line, r->column);
    const char *why = expat.XML_ErrorString(expat.XML_GetErrorCode(r->parser));
    return push_wrong(L, why ? why : "not XML", line_of(r->parser), column_of(r->parser));
}

void open_xml(lua_State *L)
{
    luaL_newmetatable(L, reader_type);
    set_function(L, "__gc", collect_reader);
    lua_pop(L, 1);
    set_function(L, "xml_parse", l_xml_parse);
}
