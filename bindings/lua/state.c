/* A robot's state as scripts see it, with names on it: x, y, theta; joints.head.pan; battery. The names are a list that
 * scripts/robotalk/session/state.lua makes once for a body: { dofs of the body, joints, control frames }. A joint is { its name, the
 * metatable of its values, the place of its first dof, names of its dofs }, a control frame its name. */
#include "runtime.h"

enum { DOFS = 1, JOINTS = 2, FRAMES = 3 };
enum { JOINT_NAME = 1, JOINT_META = 2, JOINT_FIRST = 3 };

static lua_Integer integer_at(lua_State *L, int list, lua_Integer i)
{
    lua_rawgeti(L, list, i);
    const lua_Integer value = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Values by name for the joint at the top: of n values, one a dof of the body, the known ones; known NULL: all. */
static void push_values(lua_State *L, const double *value, const uint8_t *known, lua_Integer n)
{
    const int joint = lua_gettop(L), dofs = (int)lua_rawlen(L, joint) - JOINT_FIRST;
    const lua_Integer first = integer_at(L, joint, JOINT_FIRST);
    lua_createtable(L, 0, dofs);
    for (int k = 0; k < dofs && first + k < n; k++) {
        if (known && !known[first + k])
            continue;
        lua_rawgeti(L, joint, JOINT_FIRST + 1 + k);
        lua_pushnumber(L, value[first + k]);
        lua_rawset(L, -3);
    }
    lua_rawgeti(L, joint, JOINT_META);
    lua_setmetatable(L, -2);
}

/* joints.head.pan */
static void set_joints(lua_State *L, const char *field, int names, const double *value,
                       const uint8_t *known, lua_Integer n)
{
    lua_rawgeti(L, names, JOINTS);
    const int joints = lua_gettop(L), count = (int)lua_rawlen(L, joints);
    lua_createtable(L, 0, count);
    for (int j = 1; j <= count; j++) {
        lua_rawgeti(L, joints, j);
        push_values(L, value, known, n);
        lua_rawgeti(L, -2, JOINT_NAME);
        lua_replace(L, -3);
        lua_rawset(L, -3);
    }
    lua_setfield(L, joints - 1, field);
    lua_pop(L, 1);
}

/* frames.hand: position and attitude. */
static void set_frames(lua_State *L, int names, const struct robo_reply_state *s)
{
    lua_rawgeti(L, names, FRAMES);
    const int frames = lua_gettop(L);
    lua_createtable(L, 0, s->frames);
    for (int i = 0; i < s->frames; i++) {
        if (lua_rawgeti(L, frames, i + 1) == LUA_TNIL) { /* another of this name is behind it */
            lua_pop(L, 1);
            continue;
        }
        lua_createtable(L, 0, 2);
        set_numbers(L, "position", (const double[]){ s->x[i], s->y[i], s->z[i] }, 3);
        set_numbers(L, "attitude", (const double[]){ s->roll[i], s->pitch[i], s->yaw[i] }, 3);
        lua_rawset(L, -3);
    }
    lua_setfield(L, frames - 1, "frames");
    lua_pop(L, 1);
}

int push_state(lua_State *L, int names, unsigned more, const void *reply)
{
    const struct robo_state *s = reply;
    const struct robo_reply_state *whole = reply; /* with more */
    luaL_checkstack(L, 10, NULL);
    if (s->dofs < integer_at(L, names, DOFS))
        return push_failure(L, ROBO_EBODY, "the state is of fewer dofs than the robot has");
    lua_createtable(L, 0, 21);
    set_time(L, "time", s->time);
    set_integer(L, "epoch", s->epoch);
    set_flag(L, "panic", s->panic);
    set_flag(L, "moving", s->moving);
    set_numbers(L, "pose", s->pose, 3);
    set_numbers(L, "attitude", s->attitude, 3);
    set_numbers(L, "twist", s->twist, 3);
    set_numbers(L, "spin", s->spin, 3);
    set_number(L, "voltage", s->voltage);
    set_number(L, "battery", s->charge);
    set_number(L, "override", s->override);
    set_numbers(L, "position", s->position, s->dofs);
    set_numbers(L, "speed", s->speed, s->dofs);
    set_number(L, "x", s->pose[0]);
    set_number(L, "y", s->pose[1]);
    set_number(L, "z", s->pose[2]);
    set_number(L, "theta", s->attitude[2]);
    lua_createtable(L, 0, 3);
    set_number(L, "x", s->twist[0]);
    set_number(L, "y", s->twist[1]);
    set_number(L, "theta", s->spin[2]);
    lua_setfield(L, -2, "velocity");
    set_joints(L, "joints", names, s->position, NULL, s->dofs);
    if (more & ROBO_MORE_FORCES)
        set_joints(L, "forces", names, whole->force, whole->known, whole->forces);
    if (more & ROBO_MORE_GOALS)
        set_joints(L, "goals", names, whole->goal, whole->aimed, whole->goals);
    if (more & ROBO_MORE_FRAMES)
        set_frames(L, names, whole);
    return 1;
}
