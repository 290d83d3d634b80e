/* Questions of clients' protocols to the script (net/inbox.h). */
#include <stdio.h>
#include <string.h>

#include "net/inbox.h"
#include "runtime.h"

static void on_question(struct robo__question *question, void *owner)
{
    runtime_event(owner, EVENT_QUESTION, (lua_Integer)question->number, 0);
}

bool open_inbox(struct runtime *rt)
{
    rt->inbox = robo__inbox_open(rt->host, on_question, rt);
    if (rt->inbox)
        robo__host_use_inbox(rt->host, rt->inbox);
    return rt->inbox != NULL;
}

void close_inbox(struct runtime *rt)
{
    if (rt->inbox)
        robo__inbox_close(rt->inbox);
    rt->inbox = NULL;
}

static struct robo__question *find(lua_State *L)
{
    struct runtime *rt = runtime_of(L);
    lua_Integer number = luaL_checkinteger(L, 1);
    return rt->inbox ? robo__inbox_find(rt->inbox, (uint64_t)number) : NULL;
}

/* core.question(number), of an event "question": { number, guest, protocol, action, robot, text, body, numbers at 1 … }; nil: it is
 * answered already. guest: a number for each connection. The action "gone" is the last of a connection. */
static int l_question(lua_State *L)
{
    const struct robo__question *q = find(L);
    if (!q)
        return 0;
    /* a garbage collection in these calls may run a finalizer that answers it */
    double value[ROBO__QUESTION_NUMBERS];
    const struct robo__question now = *q;
    memcpy(value, q->value, now.count * sizeof value[0]);
    if (now.body)
        push_body(L, now.body);
    else
        lua_pushnil(L);
    lua_createtable(L, (int)now.count, 7);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "body");
    for (size_t i = 0; i < now.count; i++) {
        lua_pushnumber(L, value[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_pushinteger(L, (lua_Integer)now.number);
    lua_setfield(L, -2, "number");
    lua_pushinteger(L, (lua_Integer)now.guest);
    lua_setfield(L, -2, "guest");
    lua_pushstring(L, now.protocol);
    lua_setfield(L, -2, "protocol");
    lua_pushstring(L, now.action);
    lua_setfield(L, -2, "action");
    lua_pushstring(L, now.robot);
    lua_setfield(L, -2, "robot");
    lua_pushstring(L, now.text);
    lua_setfield(L, -2, "text");
    return 1;
}

/* core.answer(number, known, …): answers a question with numbers and booleans, and words behind them; known false: the
 * program does not do or know this. false: it was answered before. */
static int l_answer(lua_State *L)
{
    double values[ROBO__ANSWER_NUMBERS];
    const char *words = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    int given = lua_gettop(L) - 2 - (lua_type(L, -1) == LUA_TSTRING);
    luaL_checkinteger(L, 1);
    luaL_argcheck(L, given <= ROBO__ANSWER_NUMBERS, 3, "too many numbers");
    for (int i = 0; i < given; i++)
        values[i] = lua_isboolean(L, i + 3) ? lua_toboolean(L, i + 3) : luaL_checknumber(L, i + 3);
    struct robo__question *q = find(L);
    if (q)
        snprintf(q->text, sizeof q->text, "%s", words);
    if (q)
        robo__inbox_answer(q, lua_toboolean(L, 2), values, given > 0 ? (size_t)given : 0);
    lua_pushboolean(L, q != NULL);
    return 1;
}

void open_questions(lua_State *L)
{
    static const luaL_Reg functions[] = { { "question", l_question },
                                          { "answer", l_answer },
                                          { NULL, NULL } };
    luaL_setfuncs(L, functions, 0);
}
