/* Questions of clients' protocols to the script. */
#include <string.h>

#include "runtime.h"
#include "robotalk/questions.h"

static void on_question(void *owner, uint64_t number)
{
    runtime_event(owner, EVENT_QUESTION, (lua_Integer)number, 0);
}

bool begin_questions(struct runtime *rt)
{
    rt->questions = robo_questions_open(rt->loop, on_question, rt);
    return rt->questions != NULL;
}

void close_questions(struct runtime *rt)
{
    robo_questions_close(rt->questions);
    rt->questions = NULL;
}

/* core.question(number), of an event "question": { number, guest, protocol, action, robot, text, body, numbers at 1 … }; nil: it is
 * answered already. guest: a number for each connection. The action "gone" is the last of a connection. */
static int l_question(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    uint64_t number = (uint64_t)luaL_checkinteger(L, 1);
    struct robo_asked q;
    if (!rt->questions || robo_questions_look(rt->questions, number, &q) < 0)
        return 0;
    /* a garbage collection in these calls may run a finalizer that answers it */
    double value[ROBO_MAX_ASKED];
    char robot[32], text[ROBO_MAX_ASKED_TEXT + 1];
    memcpy(value, q.value, q.count * sizeof value[0]);
    strcpy(robot, q.robot);
    strcpy(text, q.text);
    if (q.body)
        push_body(L, q.body);
    else
        lua_pushnil(L);
    lua_createtable(L, (int)q.count, 7);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "body");
    for (size_t i = 0; i < q.count; i++) {
        lua_pushnumber(L, value[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    set_integer(L, "number", (lua_Integer)number);
    set_integer(L, "guest", (lua_Integer)q.guest);
    set_text(L, "protocol", q.protocol);
    set_text(L, "action", q.action);
    set_text(L, "robot", robot);
    set_text(L, "text", text);
    return 1;
}

/* core.answer(number, known, …): answers a question with numbers and booleans, and a text behind them; known false:
 * the program does not do or know this. false: it was answered before. */
static int l_answer(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    double values[ROBO_MAX_ANSWER];
    bool has_words = lua_type(L, -1) == LUA_TSTRING;
    const char *words = has_words ? lua_tostring(L, -1) : NULL;
    int given = lua_gettop(L) - 2 - has_words;
    uint64_t number = (uint64_t)luaL_checkinteger(L, 1);
    luaL_argcheck(L, given <= ROBO_MAX_ANSWER, 3, "too many numbers");
    for (int i = 0; i < given; i++)
        values[i] = lua_isboolean(L, i + 3) ? lua_toboolean(L, i + 3) : luaL_checknumber(L, i + 3);
    lua_pushboolean(L, rt->questions &&
                           robo_questions_answer(rt->questions, number, lua_toboolean(L, 2), values,
                                                 given > 0 ? (size_t)given : 0, words) == 0);
    return 1;
}

void open_questions(lua_State *L)
{
    set_function(L, "question", l_question);
    set_function(L, "answer", l_answer);
}
