/* The terminal in Lua: a prompt with history and completion that leaves the loop running (libedit through its
 * readline-compatible callbacks; it is loaded by the first prompt). */
#include <editline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"
#include "robotalk/host.h"
#include "robotalk/watchers.h"

#define SYMBOLS(X)                      \
    X(add_history)                      \
    X(read_history)                     \
    X(rl_attempted_completion_function) \
    X(rl_attempted_completion_over)     \
    X(rl_callback_handler_install)      \
    X(rl_callback_handler_remove)       \
    X(rl_callback_read_char)            \
    X(rl_catch_signals)                 \
    X(rl_forced_update_display)         \
    X(rl_line_buffer)                   \
    X(using_history)                    \
    X(write_history)

static struct {
#define MEMBER(name) __typeof__(name) *name;
    SYMBOLS(MEMBER)
#undef MEMBER
    bool loaded;
} edit;

static void need_edit(lua_State *L)
{
    static const struct library_symbol symbols[] = {
#define ROW(name) { #name, &edit.name },
        SYMBOLS(ROW)
#undef ROW
            { NULL, NULL }
    };
    if (edit.loaded)
        return;
    need_library(L, "libedit.so.2", "libedit2", symbols);
    /* before it begins: its own handlers send signals on to the whole process group */
    *edit.rl_catch_signals = 0;
    edit.using_history();
    edit.loaded = true;
}

/* libedit has one terminal and no user data, so there is one prompt a process. */
static struct prompt {
    struct runtime *rt; /* NULL: there is none */
    robo_io *input;
    robo_async *lines; /* of the log */
    bool shown;
    char *line;    /* typed and not yet taken */
    bool ended;    /* end of input */
    int completer; /* reference to the Lua function */
} prompt;

static void on_line(char *line)
{
    free(prompt.line);
    prompt.line = line;
    prompt.ended = line == NULL;
    edit.rl_callback_handler_remove(); /* no prompt is shown until the script asks again */
    robo_io_stop(prompt.input);
    prompt.shown = false;
    output_prompt(NULL);
    output_show();
    runtime_event(prompt.rt, EVENT_LINE, 0, 0);
}

static void on_lines(void *owner, robo_time now)
{
    (void)owner;
    (void)now;
    output_show();
}

static void on_typed(void *owner)
{
    (void)owner;
    edit.rl_callback_read_char();
}

/* Asks the Lua function for all completions of the word at the end of the line; protected, since a raise must not pass
 * through libedit. */
static int complete_protected(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, prompt.completer);
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

static char **complete(const char *word, int start, int end)
{
    (void)start;
    lua_State *L = prompt.rt->L;
    int top = lua_gettop(L);
    char **matches = NULL;
    *edit.rl_attempted_completion_over = 1;
    lua_pushcfunction(L, complete_protected);
    lua_pushlstring(L, *edit.rl_line_buffer, (size_t)end);
    lua_pushstring(L, word);
    slice_begin(prompt.rt);
    int status = lua_pcall(L, 2, 1, 0);
    slice_end(prompt.rt);
    if (status == LUA_OK && lua_istable(L, -1)) {
        size_t n = lua_rawlen(L, -1);
        /* matches[0] is the common prefix, then each match; libedit frees them */
        if (n > 0 && (matches = calloc(n + 2, sizeof *matches)) != NULL) {
            size_t common = SIZE_MAX;
            for (size_t i = 0; i < n; i++) {
                lua_rawgeti(L, -1, (lua_Integer)i + 1);
                const char *s = lua_tostring(L, -1);
                matches[i + 1] = strdup(s ? s : "");
                size_t k = 0;
                while (k < common && matches[i + 1][k] && matches[i + 1][k] == matches[1][k])
                    k++;
                common = k;
                lua_pop(L, 1);
            }
            matches[0] = strndup(matches[1], common);
        }
    }
    lua_settop(L, top);
    return matches;
}

/* core.prompt(text, complete): shows a prompt; an event "line" comes when a line was typed. complete(line, word): a list
 * of completions of the word, the end of that line. */
static int l_prompt(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    static char text[64]; /* libedit keeps the pointer */
    const char *wanted = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    need_main(L, "prompt");
    need_edit(L);
    runtime_need_world(L);
    luaL_argcheck(L, !robo_is_virtual(rt->world), 1, "a virtual world has no terminal");
    snprintf(text, sizeof text, "%s", wanted);
    if (!prompt.rt) {
        prompt.completer = LUA_NOREF;
        prompt.input = robo_io_open(rt->loop, STDIN_FILENO, ROBO_IO_READ, on_typed, NULL);
        prompt.lines = robo_async_open(rt->loop, on_lines, NULL);
        if (!prompt.input || !prompt.lines) {
            robo_io_close(prompt.input);
            robo_async_close(prompt.lines);
            return luaL_error(L, "not enough memory");
        }
        *edit.rl_attempted_completion_function = complete;
    }
    prompt.rt = rt;
    luaL_unref(L, LUA_REGISTRYINDEX, prompt.completer);
    lua_pushvalue(L, 2);
    prompt.completer = luaL_ref(L, LUA_REGISTRYINDEX);
    edit.rl_callback_handler_install(text, on_line);
    robo_io_start(prompt.input);
    prompt.shown = true;
    output_prompt(prompt.lines);
    return 0;
}

void close_terminal(struct runtime *rt)
{
    if (prompt.rt != rt)
        return;
    output_prompt(NULL);
    if (prompt.shown)
        edit.rl_callback_handler_remove();
    prompt.shown = false;
    output_show();
    robo_async_close(prompt.lines);
    robo_io_close(prompt.input);
    luaL_unref(rt->L, LUA_REGISTRYINDEX, prompt.completer);
    free(prompt.line);
    prompt = (struct prompt){ .completer = LUA_NOREF };
}

/* core.line(): the typed line; nil at the end of input. */
static int l_line(lua_State *L)
{
    need_main(L, "line");
    if (prompt.line)
        lua_pushstring(L, prompt.line);
    else
        lua_pushnil(L);
    free(prompt.line);
    prompt.line = NULL;
    return 1;
}

/* core.prompt_off(): hides the prompt, as before leaving. */
static int l_prompt_off(lua_State *L)
{
    need_main(L, "prompt_off");
    close_terminal(runtime_of(L));
    return 0;
}

/* core.history("add", line | "load", file | "save", file) */
static int l_history(lua_State *L)
{
    static const char *const what[] = { "add", "load", "save", NULL };
    const char *text = luaL_checkstring(L, 2);
    need_main(L, "history");
    need_edit(L);
    switch (luaL_checkoption(L, 1, NULL, what)) {
    case 0: edit.add_history(text); break;
    case 1: edit.read_history(text); break;
    default: edit.write_history(text); break;
    }
    return 0;
}

bool prompt_hide(void)
{
    if (!prompt.shown)
        return false;
    fputs("\r\033[K", stdout);
    fflush(stdout);
    return true;
}

void prompt_show(void)
{
    edit.rl_forced_update_display();
}

static int l_is_terminal(lua_State *L)
{
    lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
    return 1;
}

void open_terminal(lua_State *L)
{
    set_function(L, "prompt", l_prompt);
    set_function(L, "line", l_line);
    set_function(L, "prompt_off", l_prompt_off);
    set_function(L, "history", l_history);
    set_function(L, "is_terminal", l_is_terminal);
}
