/* Trials of section IV of paper 004, for the experiment in scripts/experiments/ordering.lua. */
#include <string.h>

#include "runtime.h"
#include "simbus/trial.h"

enum { MOST_SAMPLES = 40000 };

/* Samples of a trial: the joint of each message, and the error of the force at each part of a slot. */
struct samples {
    uint32_t messages, forces;
    double told_at[MOST_SAMPLES], told[MOST_SAMPLES], force_at[MOST_SAMPLES], force[MOST_SAMPLES];
};

static void look(void *context, double time, const struct robo__choice *choice, const double *task,
                 double force_error)
{
    struct samples *s = context;
    (void)task;
    if (choice && choice->kind == ROBO__SEND && s->messages < MOST_SAMPLES) {
        s->told_at[s->messages] = time;
        s->told[s->messages++] = choice->joint + 1;
    } else if (!choice && s->forces < MOST_SAMPLES) {
        s->force_at[s->forces] = time;
        s->force[s->forces++] = force_error;
    }
}

/* t[name], a number greater than 0, or else `otherwise`. */
static double positive_field(lua_State *L, const char *name, double otherwise)
{
    lua_getfield(L, 1, name);
    double x = lua_isnil(L, -1) ? otherwise : luaL_checknumber(L, -1);
    lua_pop(L, 1);
    if (!(x > 0 && x < 1e9))
        luaL_error(L, "%s: want a number above 0", name);
    return x;
}

/* Sets or, with `add`, changes the numbers of all joints or rows by those of the list t[name], if there is one. */
static void list_field(lua_State *L, const char *name, bool add, double *out)
{
    if (lua_getfield(L, 1, name) == LUA_TTABLE)
        for (int i = 0; i < ROBO__ARM_JOINTS; i++) {
            lua_rawgeti(L, -1, i + 1);
            out[i] = luaL_checknumber(L, -1) + (add ? out[i] : 0);
            lua_pop(L, 1);
        }
    lua_pop(L, 1);
}

/* The index of the string t[name] in a list of words. */
static int word_field(lua_State *L, const char *name, const char *const *words)
{
    lua_getfield(L, 1, name);
    int i = luaL_checkoption(L, -1, words[0], words);
    lua_pop(L, 1);
    return i;
}

static void push_pairs(lua_State *L, const char *name, const double *x, const double *y,
                       uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_createtable(L, 2, 0);
        lua_pushnumber(L, x[i]);
        lua_rawseti(L, -2, 1);
        lua_pushnumber(L, y[i]);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, name);
}

/* core.ordering_trial{ task = line | oscillation | force, scheme = A | B | C | D | E | AE | O, rate = messages a second,
 * aware =, weights = { 7 }, shift = { 7 } added to the start's joints, acceleration =, gain =, kp =, stiffness =,
 * known_stiffness =, most_messages =, samples = }: { task =, position =, force =, worst_force =, messages =, oldest =,
 * told = { 7 }, lost = }, and with samples forces and tolds, lists of { time, N } and { time, joint }. */
static int l_ordering_trial(lua_State *L)
{
    static const char *const tasks[] = { "line", "oscillation", "force", NULL },
                             *const schemes[] = { "A", "B", "C", "D", "E", "AE", "O", NULL };
    luaL_checktype(L, 1, LUA_TTABLE);
    struct robo__trial trial;
    struct robo__trial_result r;
    double rate = positive_field(L, "rate", 0);
    luaL_argcheck(L, rate >= 1 && rate <= 1e5, 1, "want a rate of 1 to 100000 messages a second");
    robo__trial_init(&trial, (enum robo__task)word_field(L, "task", tasks),
                     (enum robo_order)(ROBO_ORDER_SEQUENTIAL + word_field(L, "scheme", schemes)),
                     rate);
    trial.gain = positive_field(L, "gain", trial.gain);
    trial.kp = positive_field(L, "kp", trial.kp);
    trial.ki = trial.kp / 3;
    trial.stiffness = positive_field(L, "stiffness", trial.stiffness);
    trial.known_stiffness = positive_field(L, "known_stiffness", trial.known_stiffness);
    trial.acceleration = positive_field(L, "acceleration", trial.acceleration);
    if (lua_getfield(L, 1, "most_messages") != LUA_TNIL)
        trial.most_messages = (uint32_t)luaL_checkinteger(L, -1);
    lua_getfield(L, 1, "aware");
    trial.aware = lua_toboolean(L, -1);
    list_field(L, "weights", false, trial.weight);
    list_field(L, "shift", true, trial.start);
    struct samples *samples = NULL;
    lua_getfield(L, 1, "samples");
    if (lua_toboolean(L, -1)) {
        samples = lua_newuserdatauv(L, sizeof *samples, 0);
        samples->messages = samples->forces = 0;
        trial.look = look;
        trial.context = samples;
    }
    robo__trial_run(&trial, &r);

    lua_createtable(L, 0, 10);
    set_number(L, "task", r.task);
    set_number(L, "position", r.position);
    set_number(L, "force", r.force);
    set_number(L, "worst_force", r.worst_force);
    set_number(L, "messages", r.messages);
    set_number(L, "oldest", r.oldest);
    set_flag(L, "lost", r.lost);
    lua_createtable(L, ROBO__ARM_JOINTS, 0);
    for (int i = 0; i < ROBO__ARM_JOINTS; i++) {
        lua_pushinteger(L, r.told[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "told");
    if (samples) {
        push_pairs(L, "forces", samples->force_at, samples->force, samples->forces);
        push_pairs(L, "tolds", samples->told_at, samples->told, samples->messages);
    }
    return 1;
}

void open_ordering(lua_State *L)
{
    lua_pushcfunction(L, l_ordering_trial);
    lua_setfield(L, -2, "ordering_trial");
}
