/* The ordering decision of paper 004 for scripts, which joint gets the next message on a bus; and trials of its section IV, for
 * the experiment in scripts/experiments/ordering.lua. */
#include <math.h>
#include <string.h>

#include "runtime.h"
#include "simbus/trial.h"

/* ---- trials ---- */

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

/* The index of the string t[name] in a list of words; the first of them where there is none. */
static int word_field(lua_State *L, const char *name, const char *const *words)
{
    lua_getfield(L, 1, name);
    int i = check_choice(L, name, words[0], words);
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

/* ---- the decision ---- */

static const char SCHEDULE[] = "robotalk.ordering.Schedule";

static const char *const orders[] = { "sequential", "updated", "synchronised", "predictive",
                                      "greatest",   "optimal", "planned",      NULL };

static struct robo__schedule *check_schedule(lua_State *L)
{
    return luaL_checkudata(L, 1, SCHEDULE);
}

/* The number that is the field of the options, 0 or more. */
static double opt_field(lua_State *L, const char *name, double otherwise)
{
    lua_getfield(L, 1, name);
    const double x = luaL_optnumber(L, -1, otherwise);
    if (!(x >= 0 && x < 1e9))
        raise_mistake(L, "ordering: %s: want a number, 0 or more", name);
    lua_pop(L, 1);
    return x;
}

static const char *const options[] = { "order",   "joints",        "rows",     "weights", "least",
                                       "damping", "most_messages", "most_age", NULL };

/* ordering.open{ order =, joints =, rows =, weights =, least =, damping =, most_messages =, most_age = } */
static int l_open(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    check_options(L, 1, "ordering", options);
    lua_getfield(L, 1, "order");
    const int order =
        check_choice(L, "ordering: order", "greatest", orders) + ROBO_ORDER_SEQUENTIAL;
    lua_getfield(L, 1, "weights");
    const bool weighed = lua_istable(L, -1);
    const double joints = opt_field(L, "joints", 0),
                 rows = opt_field(L, "rows", weighed ? (double)lua_rawlen(L, -1) : 6);
    struct robo__schedule *s = lua_newuserdatauv(L, sizeof *s, 0);
    if (joints != floor(joints) || rows != floor(rows) ||
        robo__schedule_init(s, (enum robo_order)order, (unsigned)joints, (unsigned)rows) < 0)
        raise_mistake(L, "ordering: want 1 to %d joints (planned: 10) and 1 to %d rows",
                      ROBO__SCHEDULE_MOST, ROBO__SCHEDULE_ROWS);
    luaL_setmetatable(L, SCHEDULE);
    for (unsigned i = 0; weighed && i < s->rows; i++) {
        lua_rawgeti(L, 3, (lua_Integer)i + 1);
        s->weight[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    s->least = opt_field(L, "least", s->least);
    s->damping = opt_field(L, "damping", s->damping);
    s->most_messages = (uint32_t)opt_field(L, "most_messages", s->most_messages);
    s->most_time = (robo_time)(opt_field(L, "most_age", 0) * 1e9);
    return 1;
}

/* n numbers of a list. */
static void check_list(lua_State *L, int index, unsigned n, double *to, const char *what)
{
    if (!lua_istable(L, index) || lua_rawlen(L, index) != n)
        raise_mistake(L, "ordering: %s: want a list of %d numbers", what, (int)n);
    for (unsigned i = 0; i < n; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        to[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
}

/* A list of rows, as model:jacobian gives it. */
static const double *check_jacobian(lua_State *L, const struct robo__schedule *s)
{
    if (!lua_istable(L, 2) || lua_rawlen(L, 2) != s->rows)
        raise_mistake(L, "ordering: Jacobian: want %d rows", (int)s->rows);
    double *to = lua_newuserdatauv(L, (size_t)s->rows * s->joints * sizeof *to, 0);
    for (unsigned i = 0; i < s->rows; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        check_list(L, lua_gettop(L), s->joints, to + (size_t)i * s->joints, "row of the Jacobian");
        lua_pop(L, 1);
    }
    return to;
}

static int push_choice(lua_State *L, int error, const struct robo__choice *choice)
{
    static const char *const kinds[] = { NULL, "send", "store", "synchronise" };
    if (error < 0)
        return push_failure(L, error, NULL);
    if (choice->kind == ROBO__SEND_NOTHING) {
        lua_pushboolean(L, 0);
        return 1;
    }
    lua_createtable(L, 0, 3);
    set_text(L, "kind", kinds[choice->kind]);
    if (choice->kind != ROBO__SYNCHRONISE) {
        set_integer(L, "joint", choice->joint + 1);
        set_number(L, "value", choice->value);
    }
    return 1;
}

/* schedule:pick(jacobian, speeds, now), of joints; schedule:choose(jacobian, wanted, now), of the task. */
static int choose(lua_State *L, bool of_task)
{
    struct robo__schedule *s = check_schedule(L);
    const robo_time now = check_time(L, 4);
    const double *jacobian = check_jacobian(L, s);
    const unsigned n = of_task ? s->rows : s->joints;
    double *speeds = lua_newuserdatauv(L, n * sizeof *speeds, 0);
    struct robo__choice choice;
    if (of_task && s->joints > ROBO__SCHEDULE_SOLVED)
        raise_mistake(L, "ordering: choose: want at most %d joints; pick takes more",
                      ROBO__SCHEDULE_SOLVED);
    check_list(L, 3, n, speeds, of_task ? "speeds of the task" : "speeds of the joints");
    int error = of_task ? robo__schedule_choose(s, jacobian, speeds, now, &choice)
                        : robo__schedule_pick(s, jacobian, speeds, now, &choice);
    return push_choice(L, error, &choice);
}

static int l_pick(lua_State *L)
{
    return choose(L, false);
}

static int l_choose(lua_State *L)
{
    return choose(L, true);
}

static unsigned check_joint(lua_State *L, int index, const struct robo__schedule *s)
{
    int whole = 0;
    const lua_Integer joint = lua_tointegerx(L, index, &whole);
    if (!whole || joint < 1 || joint > s->joints)
        raise_mistake(L, "ordering: joint: want 1 to %d", (int)s->joints);
    return (unsigned)joint - 1;
}

/* schedule:sent(choice, now) */
static int l_sent(lua_State *L)
{
    static const char *const kinds[] = { "send", "store", "synchronise", NULL };
    struct robo__schedule *s = check_schedule(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_getfield(L, 2, "kind");
    struct robo__choice choice = {
        .kind =
            (enum robo__message_kind)(ROBO__SEND + check_choice(L, "ordering: kind", NULL, kinds))
    };
    if (choice.kind != ROBO__SYNCHRONISE) {
        lua_getfield(L, 2, "joint");
        choice.joint = check_joint(L, -1, s);
        lua_getfield(L, 2, "value");
        choice.value = luaL_checknumber(L, -1);
    }
    robo__schedule_sent(s, &choice, check_time(L, 3));
    return 0;
}

/* schedule:lost(joint) */
static int l_lost(lua_State *L)
{
    struct robo__schedule *s = check_schedule(L);
    robo__schedule_lost(s, check_joint(L, 2, s));
    return 0;
}

/* schedule:due(): seconds, or nil. */
static int l_due(lua_State *L)
{
    const robo_time due = robo__schedule_due(check_schedule(L));
    if (due == ROBO_NEVER)
        return 0;
    push_time(L, due);
    return 1;
}

/* schedule:speeds(): the last speed that each joint was sent. */
static int l_speeds(lua_State *L)
{
    const struct robo__schedule *s = check_schedule(L);
    lua_createtable(L, (int)s->joints, 0);
    for (unsigned i = 0; i < s->joints; i++) {
        lua_pushnumber(L, s->sent[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

void open_ordering(lua_State *L)
{
    static const luaL_Reg methods[] = { { "pick", l_pick }, { "choose", l_choose },
                                        { "sent", l_sent }, { "lost", l_lost },
                                        { "due", l_due },   { "speeds", l_speeds },
                                        { NULL, NULL } };
    if (luaL_newmetatable(L, SCHEDULE)) {
        luaL_setfuncs(L, methods, 0);
        lua_pushvalue(L, -1);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, l_ordering_trial);
    lua_setfield(L, -2, "ordering_trial");
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, l_open);
    lua_setfield(L, -2, "open");
    lua_setfield(L, -2, "ordering");
}
