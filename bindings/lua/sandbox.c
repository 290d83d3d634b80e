/* Closed Lua states with limits. */
#include "sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum {
    LOOK = 100,   /* instructions between two readings of the clock */
    PIECE = 1024, /* bytes of a text that is compiled, between two readings */
    LONGEST =
        /* longest text or list that a library function takes, so that each call ends within 2 ms */
    4096,
    HEAD = 64, /* bytes that a text has beside its own, at most */
};

struct sandbox {
    lua_State *L;
    struct sandbox_limits limits;
    size_t memory;
    uint64_t instructions; /* of this call */
    robo_time began, excused;
    bool over;         /* this call has used up its time */
    bool long_text;    /* it has wanted a text that is too long */
    const char *chunk; /* that is being compiled; NULL: none */
    char where[SANDBOX_WORDS / 2];
};

static struct sandbox *sandbox_of(lua_State *L)
{
    void *box;
    lua_getallocf(L, &box);
    return box;
}

static robo_time processor_time(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* Notes the current line of the file. Allocates nothing, since memory may be short. */
static void note_where(struct sandbox *box)
{
    lua_Debug ar;
    box->where[0] = '\0';
    if (box->chunk)
        snprintf(box->where, sizeof box->where, "%s:1: ", box->chunk);
    for (int level = 0; box->L && lua_getstack(box->L, level, &ar); level++) {
        lua_getinfo(box->L, "Sl", &ar);
        if (ar.currentline <= 0)
            continue;
        snprintf(box->where, sizeof box->where, "%s:%d: ", ar.short_src, ar.currentline);
        return;
    }
}

static bool is_over(struct sandbox *box)
{
    if (!box->over && (box->instructions > box->limits.instructions ||
                       processor_time() - box->began - box->excused > box->limits.time)) {
        box->over = true;
        note_where(box);
    }
    return box->over;
}

/* Near the memory limit each instruction may cost a garbage collection, so the time is checked too. */
static void *allocate(void *ud, void *old, size_t old_size, size_t size)
{
    struct sandbox *box = ud;
    size_t before = old ? old_size : 0;
    /* for a new block Lua gives the type in place of the old size */
    if (!old && old_size == LUA_TSTRING && box->limits.text > 0 && size > box->limits.text + HEAD) {
        box->long_text = true;
        note_where(box);
        return NULL;
    }
    if (size > before && box->memory - before + size > box->limits.memory) {
        if (!is_over(box))
            note_where(box);
        return NULL;
    }
    void *p = NULL;
    if (size == 0)
        free(old);
    else if (!(p = realloc(old, size)))
        return NULL;
    box->memory = box->memory - before + size;
    return p;
}

static void look(lua_State *L)
{
    if (is_over(sandbox_of(L)))
        luaL_error(L, "it computes too long");
}

static void on_count(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    sandbox_of(L)->instructions += LOOK;
    look(L);
}

/* ---- what a file sees ---- */

static void check_length(lua_State *L, int arg)
{
    if (lua_rawlen(L, arg) > LONGEST)
        luaL_argerror(L, arg, "a text or a list of more than 4096 is too long here");
}

/* A library function whose work grows with its arguments: refuses long ones. It runs in this frame, so that its errors
 * name the function that the file has called. */
static int bounded(lua_State *L)
{
    look(L);
    for (int i = lua_gettop(L); i > 0; i--)
        check_length(L, i);
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* table.sort: without a function of the file's own it sorts numbers, since long texts take long to compare. */
static int bounded_sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    check_length(L, 1);
    for (lua_Integer i = (lua_Integer)lua_rawlen(L, 1); i > 0 && lua_isnoneornil(L, 2); i--) {
        int type = lua_rawgeti(L, 1, i);
        luaL_argcheck(L, type == LUA_TNUMBER, 1, "to sort other than numbers, want a function");
        lua_pop(L, 1);
    }
    return bounded(L);
}

/* Whether the text of a value would be its address: that differs from run to run, and must not reach untrusted code. */
static bool has_address(lua_State *L, int arg)
{
    const int type = lua_type(L, arg);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA &&
        type != LUA_TLIGHTUSERDATA && type != LUA_TTHREAD)
        return false;
    if (luaL_getmetafield(L, arg, "__tostring") == LUA_TNIL)
        return true;
    lua_pop(L, 1);
    return false;
}

/* tostring: the type of a value without a text. */
static int plain_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    if (has_address(L, 1))
        lua_pushstring(L, luaL_typename(L, 1));
    else
        luaL_tolstring(L, 1, NULL);
    return 1;
}

/* string.format: of a value without a text its type, and without %p. */
static int bounded_format(lua_State *L)
{
    size_t n;
    const char *at = luaL_checklstring(L, 1, &n), *end = at + n; /* where there is a NUL */
    while ((at = memchr(at, '%', (size_t)(end - at))) != NULL) {
        at += 1 + strspn(at + 1, "-+ #0123456789.");
        luaL_argcheck(L, *at != 'p', 1, "want no %p here");
        at += at < end;
    }
    for (int i = lua_gettop(L); i > 1; i--) {
        if (has_address(L, i)) {
            lua_pushstring(L, luaL_typename(L, i));
            lua_replace(L, i);
        }
    }
    return bounded(L);
}

/* The functions of a library that files may use. */
struct part {
    const char *name; /* NULL: its functions stand alone */
    lua_CFunction open;
    bool bounded;
    const char *given; /* names with a blank between */
};

static const struct part parts[] = {
    { NULL, luaopen_base, false, "assert error ipairs pairs select tonumber tostring type" },
    { "math", luaopen_math, false,
      "abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf "
      "pi rad sin sqrt tan tointeger type ult" },
    /* no patterns and no rep: the length of their arguments does not bound their work */
    { "string", luaopen_string, true, "byte char format len lower reverse sub upper" },
    { "table", luaopen_table, true, "concat insert pack remove sort unpack" },
};

static lua_CFunction bounded_by(const char *name, size_t n)
{
    return strncmp(name, "sort", n) == 0     ? bounded_sort
           : strncmp(name, "format", n) == 0 ? bounded_format
                                             : bounded;
}

/* Copies the allowed functions of the library at the top of the stack into the table at `target`. */
static void give(lua_State *L, const struct part *part, int target)
{
    for (const char *name = part->given; *name; name += strspn(name, " ")) {
        size_t n = strcspn(name, " ");
        lua_pushlstring(L, name, n);
        lua_pushvalue(L, -1);
        lua_gettable(L, -3);
        if (part->bounded)
            lua_pushcclosure(L, bounded_by(name, n), 1);
        else if (strncmp(name, "tostring", n) == 0)
            lua_pushcclosure(L, plain_tostring, 1);
        lua_settable(L, target);
        name += n;
    }
}

/* Replaces the global table of the state by the allowed functions. */
static int furnish(lua_State *L)
{
    lua_newtable(L);
    int globals = lua_gettop(L);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const struct part *part = &parts[i];
        int target = globals;
        if (part->name) {
            lua_newtable(L);
            lua_pushvalue(L, -1);
            lua_setfield(L, globals, part->name);
            target = lua_gettop(L);
        }
        lua_pushcfunction(L, part->open);
        lua_call(L, 0, 1);
        give(L, part, target);
        if (part->open == luaopen_string) {
            /* the methods of strings: in a table of their own, which no file can reach or change */
            lua_pushliteral(L, "");
            lua_getmetatable(L, -1);
            lua_newtable(L);
            lua_pushvalue(L, target + 1);
            give(L, part, lua_gettop(L) - 1);
            lua_pop(L, 1);
            lua_setfield(L, -2, "__index");
        }
        lua_settop(L, globals);
    }
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    return 0;
}

/* ---- from outside ---- */

struct sandbox *sandbox_open(const struct sandbox_limits *limits)
{
    struct sandbox *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    box->limits = *limits;
    box->L = lua_newstate(allocate, box);
    if (!box->L || !sandbox_call(box, furnish, NULL, &(struct sandbox_report){ 0 })) {
        sandbox_close(box);
        return NULL;
    }
    return box;
}

void sandbox_close(struct sandbox *box)
{
    if (box->L)
        lua_close(box->L);
    free(box);
}

void sandbox_limit(struct sandbox *box, const struct sandbox_limits *limits)
{
    box->limits = *limits;
}

/* Copies the error text without allocating: the error may be that memory is short. */
static void take_words(struct sandbox *box, struct sandbox_report *report, int status)
{
    lua_State *L = box->L;
    report->cut_off = box->over || status == LUA_ERRMEM;
    if (box->over)
        snprintf(report->words, SANDBOX_WORDS, "%sit computes too long", box->where);
    else if (status == LUA_ERRMEM && box->long_text)
        snprintf(report->words, SANDBOX_WORDS, "%sit makes a text of more than %zu bytes",
                 box->where, box->limits.text);
    else if (status == LUA_ERRMEM)
        snprintf(report->words, SANDBOX_WORDS, "%sit wants more than %.3g MiB of memory",
                 box->where, (double)box->limits.memory / (1 << 20));
    else
        snprintf(report->words, SANDBOX_WORDS, "%s",
                 lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "it raised no text");
}

robo_time sandbox_clock(void)
{
    return processor_time();
}

void sandbox_excuse(lua_State *L, robo_time since)
{
    sandbox_of(L)->excused += processor_time() - since;
}

bool sandbox_call(struct sandbox *box, lua_CFunction fn, void *argument,
                  struct sandbox_report *report)
{
    lua_State *L = box->L;
    box->over = box->long_text = false;
    box->chunk = NULL;
    box->instructions = 0;
    box->began = processor_time();
    box->excused = 0;
    lua_sethook(L, on_count, LUA_MASKCOUNT, LOOK);
    lua_pushcfunction(L, fn);
    lua_pushlightuserdata(L, argument);
    int status = lua_pcall(L, 1, 0, 0);
    *report = (struct sandbox_report){ .time = processor_time() - box->began };
    if (status != LUA_OK)
        take_words(box, report, status);
    lua_settop(L, 0);
    return status == LUA_OK;
}

lua_State *sandbox_state(struct sandbox *box)
{
    return box->L;
}

void sandbox_unref(struct sandbox *box, int reference)
{
    luaL_unref(box->L, LUA_REGISTRYINDEX, reference);
}

struct reading {
    const char *text;
    size_t left;
};

/* A text is read in pieces with a check of the time: compiling some texts takes more than linear time. */
static const char *read_piece(lua_State *L, void *data, size_t *size)
{
    struct reading *r = data;
    look(L);
    const char *piece = r->text;
    *size = r->left < PIECE ? r->left : PIECE;
    r->text += *size;
    r->left -= *size;
    return piece;
}

void sandbox_run(lua_State *L, const char *text, size_t size, const char *chunk)
{
    struct sandbox *box = sandbox_of(L);
    box->chunk = chunk + (chunk[0] == '@');
    struct reading reading = { text, size };
    int status = lua_load(L, read_piece, &reading, chunk, "t");
    box->chunk = NULL;
    if (status != LUA_OK)
        lua_error(L);
    lua_call(L, 0, 1);
}
