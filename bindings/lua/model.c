/* Kinematics in Lua: the methods of bodies compute poses, Jacobians and inverse kinematics. Postures are lists with one
 * number for each dof. */
#include <math.h>
#include <string.h>

#include "runtime.h"
#include "robotalk/kinematics.h"

/* Reads a list of n finite numbers at arg. */
static void check_numbers(lua_State *L, int arg, double *out, size_t n)
{
    luaL_checktype(L, arg, LUA_TTABLE);
    size_t there = lua_rawlen(L, arg);
    if (there != n)
        luaL_argerror(L, arg, lua_pushfstring(L, "want %d numbers, got %d", (int)n, (int)there));
    for (size_t i = 0; i < n; i++) {
        bool number = lua_rawgeti(L, arg, (lua_Integer)i + 1) == LUA_TNUMBER;
        out[i] = number ? lua_tonumber(L, -1) : NAN;
        lua_pop(L, 1);
        if (!isfinite(out[i]))
            luaL_argerror(L, arg, lua_pushfstring(L, "number %d is not finite", (int)i + 1));
    }
}

static void check_posture(lua_State *L, int arg, const robo_body *body, double q[ROBO_MAX_DOFS])
{
    check_numbers(L, arg, q, robo_body_description(body)->dofs);
}

static void push_pose(lua_State *L, const struct robo_pose *pose)
{
    double attitude[3];
    robo_rotation_to_attitude(pose->rotation, attitude);
    lua_createtable(L, 0, 3);
    set_numbers(L, "position", pose->position, 3);
    set_numbers(L, "rotation", pose->rotation, 9);
    set_numbers(L, "attitude", attitude, 3);
}

/* The number of a control frame, given by that or by its name. */
static unsigned check_frame(lua_State *L, int arg, const robo_body *body)
{
    const struct robo_description *d = robo_body_description(body);
    if (lua_type(L, arg) == LUA_TNUMBER) {
        lua_Integer n = luaL_checkinteger(L, arg);
        luaL_argcheck(L, n >= 0 && n < d->frames, arg, "there is no such control frame");
        return (unsigned)n;
    }
    const char *name = luaL_checkstring(L, arg);
    for (unsigned i = 0; i < d->frames; i++)
        if (strcmp(d->frame[i].name, name) == 0)
            return i;
    luaL_argerror(L, arg, lua_pushfstring(L, "there is no control frame '%s'", name));
    return 0;
}

/* model:fk(q): poses of all links, [1] is link 0; model:fk(q, frame): the pose of that control frame. Relative to
 * the root link, or to where a root that moves by its own dofs starts from. */
static int l_fk(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    double q[ROBO_MAX_DOFS];
    check_posture(L, 2, body, q);
    if (!lua_isnoneornil(L, 3)) {
        struct robo_pose pose;
        robo_frame_pose(robo_body_model(body), q, check_frame(L, 3, body), &pose);
        push_pose(L, &pose);
        return 1;
    }
    struct robo_pose link[ROBO_MAX_LINKS];
    robo_fk(robo_body_model(body), q, link);
    lua_createtable(L, robo_body_description(body)->links, 0);
    for (int i = 0; i < robo_body_description(body)->links; i++) {
        push_pose(L, &link[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* model:jacobian(q, frame): six rows (linear x, y, z, angular x, y, z) of one number for each dof; the pose. */
static int l_jacobian(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    double q[ROBO_MAX_DOFS], jacobian[6 * ROBO_MAX_DOFS];
    struct robo_pose pose;
    check_posture(L, 2, body, q);
    robo_jacobian(robo_body_model(body), q, check_frame(L, 3, body), &pose, jacobian);
    lua_createtable(L, 6, 0);
    for (int row = 0; row < 6; row++) {
        push_numbers(L, jacobian + row * robo_body_description(body)->dofs,
                     robo_body_description(body)->dofs);
        lua_rawseti(L, -2, row + 1);
    }
    push_pose(L, &pose);
    return 2;
}

static double opt_field(lua_State *L, int table, const char *name)
{
    double x = 0;
    if (lua_istable(L, table)) {
        lua_getfield(L, table, name);
        if (!lua_isnil(L, -1) && lua_type(L, -1) != LUA_TNUMBER)
            luaL_error(L, "ik: field '%s' wants a number", name);
        x = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return x;
}

/* The names of the dofs that stand at a limit, "joint.dof". */
static void push_at_limit(lua_State *L, const struct robo_description *d, const uint64_t *at_limit)
{
    lua_newtable(L);
    for (int i = 0, n = 0; i < d->joints; i++)
        for (int k = d->joint[i].first; k < d->joint[i].first + d->joint[i].dofs; k++)
            if (at_limit[k / 64] >> k % 64 & 1) {
                lua_pushfstring(L, "%s.%s", d->joint[i].name, d->dof[k].name);
                lua_rawseti(L, -2, ++n);
            }
}

static const char *const goals[] = { "position", "attitude", "rotation", NULL };
static const char *const ik_options[] = { "position_tolerance",
                                          "rotation_tolerance",
                                          "rotation_weight",
                                          "iterations",
                                          "attempts",
                                          "seed",
                                          NULL };

/* model:ik(frame, goal [, q [, options]]): a posture that brings the control frame to the goal, { position =,
 * attitude = } (without an attitude the position alone counts), and a report; q: where to begin, home by
 * default. options: position_tolerance (m), rotation_tolerance (rad), rotation_weight (m/rad), iterations,
 * attempts, seed. nil, message, "ENONE", report when none was found; report.posture is the best. */
static int l_ik(lua_State *L)
{
    const robo_body *body = check_body(L, 1);
    const struct robo_description *d = robo_body_description(body);
    unsigned frame = check_frame(L, 2, body);
    struct robo_pose goal;
    lua_settop(L, 5);
    double attitude[3] = { 0 }, q[ROBO_MAX_DOFS];
    luaL_checktype(L, 3, LUA_TTABLE);
    check_options(L, 3, "ik: goal", goals);
    check_options(L, 5, "ik", ik_options);
    lua_getfield(L, 3, "position");
    if (!lua_istable(L, -1))
        luaL_argerror(L, 3, "want { position = { x, y, z }, attitude = { roll, pitch, yaw } }");
    check_numbers(L, lua_gettop(L), goal.position, 3);
    bool turned = lua_getfield(L, 3, "attitude") != LUA_TNIL;
    if (turned)
        check_numbers(L, lua_gettop(L), attitude, 3);
    robo_attitude_to_rotation(attitude, goal.rotation);
    for (size_t i = 0; i < d->dofs; i++)
        q[i] = d->dof[i].home;
    if (!lua_isnoneornil(L, 4))
        check_posture(L, 4, body, q);
    struct robo_ik_options options = {
        .size = sizeof options,
        .position_tolerance = opt_field(L, 5, "position_tolerance"),
        .rotation_tolerance = opt_field(L, 5, "rotation_tolerance"),
        .rotation_weight = turned ? opt_field(L, 5, "rotation_weight") : -1,
        .iterations = (unsigned)fmin(fmax(opt_field(L, 5, "iterations"), 0), 1e5),
        .attempts = (unsigned)fmin(fmax(opt_field(L, 5, "attempts"), 0), 1e4),
        .seed = (uint64_t)fmin(fabs(opt_field(L, 5, "seed")), 1e15),
    };
    struct robo_ik_report report = { 0 };
    int found = robo_ik(robo_body_model(body), frame, &goal, &options, q, &report);
    if (found < 0)
        return push_failure(L, found, NULL);
    if (!found)
        push_failure(L, ROBO_ENONE,
                     lua_pushfstring(L, "no posture found: %f m and %f rad are left",
                                     report.position_error, report.rotation_error));
    else
        push_numbers(L, q, d->dofs);
    lua_createtable(L, 0, 7);
    set_numbers(L, "posture", q, d->dofs);
    set_number(L, "position_error", report.position_error);
    set_number(L, "rotation_error", report.rotation_error);
    set_number(L, "singularity", report.singularity);
    set_number(L, "iterations", report.iterations);
    set_number(L, "attempts", report.attempts);
    push_at_limit(L, d, report.at_limit);
    lua_setfield(L, -2, "at_limit");
    return found ? 2 : 4;
}

/* model:index(joint, dof): its place in a posture, from 1; dof: its name or its number in the joint, from 0; by
 * default the first. */
static int l_index(lua_State *L)
{
    const struct robo_description *d = robo_body_description(check_body(L, 1));
    const char *joint = luaL_checkstring(L, 2), *dof = luaL_optstring(L, 3, NULL);
    for (int i = 0; i < d->joints; i++) {
        const struct robo_joint *j = &d->joint[i];
        for (int k = j->first; strcmp(j->name, joint) == 0 && k < j->first + j->dofs; k++)
            if (!dof || strcmp(d->dof[k].name, dof) == 0) {
                lua_pushinteger(L, k + 1);
                return 1;
            }
        int isnum;
        lua_Integer number = lua_tointegerx(L, 3, &isnum);
        if (strcmp(j->name, joint) == 0 && isnum && number >= 0 && number < j->dofs) {
            lua_pushinteger(L, j->first + number + 1);
            return 1;
        }
    }
    return luaL_error(L, "there is no dof '%s' of a joint '%s'", dof ? dof : "", joint);
}

/* model:home(): the posture of home. */
static int l_home(lua_State *L)
{
    const struct robo_description *d = robo_body_description(check_body(L, 1));
    lua_createtable(L, d->dofs, 0);
    for (int i = 0; i < d->dofs; i++) {
        const struct robo_dof *dof = &d->dof[i];
        lua_pushnumber(L, dof->mimics ? dof->ratio * d->dof[dof->mimics - 1].home + dof->shift
                                      : dof->home);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void open_models(lua_State *L)
{
    static const luaL_Reg methods[] = { { "fk", l_fk },     { "jacobian", l_jacobian },
                                        { "ik", l_ik },     { "index", l_index },
                                        { "home", l_home }, { NULL, NULL } };
    if (luaL_newmetatable(L, BODY)) {
        set_function(L, "__eq", body_eq);
        set_function(L, "__gc", body_gc);
        lua_newtable(L);
        luaL_setfuncs(L, methods, 0);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 1);
}
