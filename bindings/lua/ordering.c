/* The ordering decision of paper 004 for scripts, which joint gets the next message on a bus; and trials of its sections IV and V,
 * for the experiment in scripts/experiments/ordering.lua. */
#include <math.h>
#include <string.h>

#include "robotalk/order.h"
#include "runtime.h"

/* ---- trials ---- */

enum { MOST_SAMPLES = 40000 };

/* Samples of a trial: the joint of each message, and the error of the force at each part of a slot. */
struct samples {
    uint32_t messages, forces;
    double told_at[MOST_SAMPLES], told[MOST_SAMPLES], force_at[MOST_SAMPLES], force[MOST_SAMPLES];
};

static void look(void *context, double time, const struct robo_ordering_choice *choice,
                 const double *task, double force_error)
{
    struct samples *s = context;
    (void)task;
    if (choice && choice->kind == ROBO_CHOICE_SEND && s->messages < MOST_SAMPLES) {
        s->told_at[s->messages] = time;
        s->told[s->messages++] = choice->joint + 1;
    } else if (!choice && s->forces < MOST_SAMPLES) {
        s->force_at[s->forces] = time;
        s->force[s->forces++] = force_error;
    }
}

/* t[name], a number greater than 0; 0 when there is none. */
static double positive_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    double x = lua_isnil(L, -1) ? 0 : luaL_checknumber(L, -1);
    if (!lua_isnil(L, -1) && !(x > 0 && x < 1e9))
        luaL_error(L, "%s: want a number above 0", name);
    lua_pop(L, 1);
    return x;
}

/* The list t[name] of a number for each joint or row; NULL: there is none. */
static const double *list_field(lua_State *L, const char *name, double out[ROBO_TRIAL_JOINTS])
{
    const bool there = lua_getfield(L, 1, name) == LUA_TTABLE;
    for (int i = 0; there && i < ROBO_TRIAL_JOINTS; i++) {
        lua_rawgeti(L, -1, i + 1);
        out[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return there ? out : NULL;
}

/* The index of the string t[name] in a list of names; the first of them where there is none. */
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
        push_numbers(L, (const double[]){ x[i], y[i] }, 2);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, name);
}

/* core.ordering_trial{ task = line | oscillation | force | countertop, scheme = A | B | C | D | E | AE | O, rate = messages a second,
 * aware =, weights = { 7 }, shift = { 7 } added to the start's joints, acceleration =, gain =, kp =, stiffness =,
 * known_stiffness =, most_messages =, samples = }: { task =, position =, force =, worst_force =, messages =, oldest =,
 * told = { 7 }, lost = }, and with samples forces and tolds, lists of { time, N } and { time, joint }. */
static int l_ordering_trial(lua_State *L)
{
    static const char *const tasks[] = { "line", "oscillation", "force", "countertop", NULL },
                             *const schemes[] = { "A", "B", "C", "D", "E", "AE", "O", NULL };
    luaL_checktype(L, 1, LUA_TTABLE);
    double weight[ROBO_TRIAL_JOINTS], shift[ROBO_TRIAL_JOINTS];
    struct robo_trial_options trial = { .size = sizeof trial };
    struct robo_trial_result r;
    trial.rate = positive_field(L, "rate");
    luaL_argcheck(L, trial.rate >= 1 && trial.rate <= 1e5, 1,
                  "want a rate of 1 to 100000 messages a second");
    trial.task = (enum robo_trial_task)word_field(L, "task", tasks);
    trial.order = (enum robo_order)(ROBO_ORDER_SEQUENTIAL + word_field(L, "scheme", schemes));
    trial.gain = positive_field(L, "gain");
    trial.kp = positive_field(L, "kp");
    trial.stiffness = positive_field(L, "stiffness");
    trial.known_stiffness = positive_field(L, "known_stiffness");
    trial.acceleration = positive_field(L, "acceleration");
    if (lua_getfield(L, 1, "most_messages") != LUA_TNIL)
        trial.most_messages = (uint32_t)luaL_checkinteger(L, -1);
    trial.servos = (unsigned)positive_field(L, "servos");
    trial.together = (unsigned)positive_field(L, "together");
    trial.late = positive_field(L, "late");
    trial.aware = flag_field(L, 1, "aware");
    trial.weight = list_field(L, "weights", weight);
    trial.shift = list_field(L, "shift", shift);
    struct samples *samples = NULL;
    if (flag_field(L, 1, "samples")) {
        samples = lua_newuserdatauv(L, sizeof *samples, 0);
        samples->messages = samples->forces = 0;
        trial.look = look;
        trial.owner = samples;
    }
    if (robo_trial_run(&trial, &r) < 0)
        luaL_error(L, "weights, shift: want finite numbers, weights of 0 or more");

    lua_createtable(L, 0, 10);
    set_number(L, "task", r.task);
    set_number(L, "position", r.position);
    set_number(L, "force", r.force);
    set_number(L, "worst_force", r.worst_force);
    set_number(L, "messages", r.messages);
    set_number(L, "oldest", r.oldest);
    set_flag(L, "lost", r.lost);
    lua_createtable(L, ROBO_TRIAL_JOINTS, 0);
    for (int i = 0; i < ROBO_TRIAL_JOINTS; i++) {
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

/* A userdata of a script. It counts as the script's memory. */
struct schedule {
    robo_ordering *ordering;
    unsigned joints, rows;
};

static const struct schedule *check_schedule(lua_State *L)
{
    const struct schedule *s = luaL_checkudata(L, 1, SCHEDULE);
    luaL_argcheck(L, s->ordering, 1, "this schedule is gone");
    return s;
}

static int l_gc(lua_State *L)
{
    struct schedule *s = luaL_checkudata(L, 1, SCHEDULE);
    if (s->ordering)
        memory_give(L, robo_ordering_size());
    robo_ordering_close(s->ordering);
    s->ordering = NULL;
    return 0;
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
    struct robo_ordering_options o = { .size = sizeof o };
    lua_getfield(L, 1, "order");
    if (!lua_isnil(L, -1))
        o.order = (enum robo_order)(check_choice(L, "ordering: order", NULL, orders) +
                                    ROBO_ORDER_SEQUENTIAL);
    lua_getfield(L, 1, "weights");
    const bool weighed = lua_istable(L, -1);
    const double joints = opt_field(L, "joints", 0),
                 rows = opt_field(L, "rows", weighed ? (double)lua_rawlen(L, -1) : 6),
                 damping = opt_field(L, "damping", 1e-3),
                 messages = opt_field(L, "most_messages", 4 * joints);
    if (joints != floor(joints) || rows != floor(rows) || joints < 1 || rows < 1 ||
        joints > ROBO_ORDERING_JOINTS || rows > ROBO_ORDERING_ROWS ||
        (o.order == ROBO_ORDER_PLANNED && joints > ROBO_ORDERING_PLANNED))
        raise_mistake(L, "ordering: want 1 to %d joints (planned: %d) and 1 to %d rows",
                      ROBO_ORDERING_JOINTS, ROBO_ORDERING_PLANNED, ROBO_ORDERING_ROWS);
    double weight[ROBO_ORDERING_ROWS];
    for (int i = 0; weighed && i < (int)rows; i++) {
        lua_rawgeti(L, 3, i + 1);
        weight[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    o.joints = (unsigned)joints;
    o.rows = (unsigned)rows;
    o.weight = weighed ? weight : NULL;
    o.least = opt_field(L, "least", 0);
    o.damping = damping > 0 ? damping : -1; /* as they are in the header */
    o.most_messages = messages >= 1 ? (int64_t)messages : -1;
    o.most_age = (robo_time)(opt_field(L, "most_age", 0) * 1e9);
    struct schedule *s = lua_newuserdatauv(L, sizeof *s, 0);
    *s = (struct schedule){ .joints = o.joints, .rows = o.rows };
    luaL_setmetatable(L, SCHEDULE);
    int error;
    memory_take(L, robo_ordering_size());
    s->ordering = robo_ordering_open(&o, &error);
    if (s->ordering)
        return 1;
    memory_give(L, robo_ordering_size());
    if (error == ROBO_EINVAL)
        raise_mistake(L, "ordering: weights: want finite numbers, 0 or more");
    return push_failure(L, error, NULL);
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
static const double *check_jacobian(lua_State *L, const struct schedule *s)
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

static int push_choice(lua_State *L, int error, const struct robo_ordering_choice *choice)
{
    static const char *const kinds[] = { NULL, "send", "store", "synchronise" };
    if (error < 0)
        return push_failure(L, error, NULL);
    if (choice->kind == ROBO_CHOICE_NOTHING) {
        lua_pushboolean(L, 0);
        return 1;
    }
    lua_createtable(L, 0, 3);
    set_text(L, "kind", kinds[choice->kind]);
    if (choice->kind != ROBO_CHOICE_SYNCHRONISE) {
        set_integer(L, "joint", choice->joint + 1);
        set_number(L, "value", choice->value);
    }
    return 1;
}

/* schedule:pick(jacobian, speeds, now), of joints; schedule:choose(jacobian, wanted, now), of the task. */
static int choose(lua_State *L, bool of_task)
{
    const struct schedule *s = check_schedule(L);
    const robo_time now = check_time(L, 4);
    const double *jacobian = check_jacobian(L, s);
    const unsigned n = of_task ? s->rows : s->joints;
    double *speeds = lua_newuserdatauv(L, n * sizeof *speeds, 0);
    struct robo_ordering_choice choice;
    if (of_task && s->joints > ROBO_ORDERING_SOLVED)
        raise_mistake(L, "ordering: choose: want at most %d joints; pick takes more",
                      ROBO_ORDERING_SOLVED);
    check_list(L, 3, n, speeds, of_task ? "speeds of the task" : "speeds of the joints");
    int error = of_task ? robo_ordering_choose(s->ordering, jacobian, speeds, now, &choice)
                        : robo_ordering_pick(s->ordering, jacobian, speeds, now, &choice);
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

static unsigned check_joint(lua_State *L, int index, const struct schedule *s)
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
    const struct schedule *s = check_schedule(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_getfield(L, 2, "kind");
    struct robo_ordering_choice choice = { .kind = (enum robo_choice_kind)(
                                               ROBO_CHOICE_SEND +
                                               check_choice(L, "ordering: kind", NULL, kinds)) };
    if (choice.kind != ROBO_CHOICE_SYNCHRONISE) {
        lua_getfield(L, 2, "joint");
        choice.joint = check_joint(L, -1, s);
        lua_getfield(L, 2, "value");
        choice.value = luaL_checknumber(L, -1);
    }
    if (robo_ordering_sent(s->ordering, &choice, check_time(L, 3)) < 0)
        raise_mistake(L, "ordering: value: want a finite number");
    return 0;
}

/* schedule:lost(joint) */
static int l_lost(lua_State *L)
{
    const struct schedule *s = check_schedule(L);
    robo_ordering_lost(s->ordering, check_joint(L, 2, s));
    return 0;
}

/* schedule:due(): seconds, or nil. */
static int l_due(lua_State *L)
{
    const robo_time due = robo_ordering_due(check_schedule(L)->ordering);
    if (due == ROBO_NEVER)
        return 0;
    push_time(L, due);
    return 1;
}

/* schedule:speeds(): the last speed that each joint was sent. */
static int l_speeds(lua_State *L)
{
    const struct schedule *s = check_schedule(L);
    push_numbers(L, robo_ordering_speeds(s->ordering), s->joints);
    return 1;
}

void open_ordering(lua_State *L)
{
    static const luaL_Reg methods[] = { { "pick", l_pick }, { "choose", l_choose },
                                        { "sent", l_sent }, { "lost", l_lost },
                                        { "due", l_due },   { "speeds", l_speeds },
                                        { "__gc", l_gc },   { NULL, NULL } };
    define_type(L, SCHEDULE, methods);
    set_function(L, "ordering_trial", l_ordering_trial);
    lua_createtable(L, 0, 1);
    set_function(L, "open", l_open);
    lua_setfield(L, -2, "ordering");
}
