/* The driver of walking bodies. The body goes over the floor as a base does (sim/base.h), the gait puts the legs below
 * it on a grid of time of its own, and between two instants of the grid the legs' angles are in between. While the body
 * stands, the dofs of its legs are servos like others (core/motion/profile.h). */
#include "drivers.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/base.h"
#include "../sim/battery.h"
#include "../sim/base_obstacles.h"
#include "../sim/senses.h"
#include "../camera/test_card.h"
#include "legs.h"
#include "motion/dof_tickets.h"
#include "motion/profile.h"
#include "base/command.h"
#include "base/time.h"
#include "robot/reports.h"
#include "robotalk/device.h"
#include "robotalk/kinematics.h"

static const robo_time GRID = 10 * 1000000;

struct walk {
    robo_device *device;
    const struct robo_description *description;
    const robo_model *model;
    struct robo__legs legs;
    struct robo__sim_base base;
    struct robo__hull hull;
    struct robo__sim_battery battery;
    struct robo__profile *servo; /* of each dof of the body */
    struct robo__dof_part *part;
    struct robo__dofs dofs; /* those of this device; while the body stands, they move as servos */
    bool walking;
    robo_time at;                  /* instant of the grid that `now` belongs to */
    struct robo__gait now, coming; /* at this instant, and at the next */
    bool last;                     /* the coming one is the last: then it stands */
    robo_ticket ticket;            /* go_to, stop or step under way */
    enum robo_signal signal;       /* its later answer */
    enum robo_reason reason;
};

/* ---- opening ---- */

/* Options for --physics, which then has the device, mean nothing here. */
static bool is_of_weight(const struct robo_description *d, unsigned device, const char *option)
{
    static const char *const names[] = { "bandwidth", "damping", "tolerance", "selfcollision",
                                         "step" };
    (void)d;
    (void)device;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], option) == 0)
            return true;
    return false;
}

static int check_walk(const struct robo_description *d, unsigned device, char why[128])
{
    struct robo__legs legs;
    return robo__legs_read(d, device, is_of_weight, &legs, why);
}

static void go_on_from(struct walk *w, const struct robo_state *before)
{
    robo__sim_base_resume(&w->base, before);
    for (unsigned i = 0; i < w->dofs.count; i++) {
        const unsigned k = w->dofs.dof[i].index;
        robo__profile_resume(&w->servo[k], before->position[k]);
    }
}

static bool start_dof(struct robo__dofs *dofs, unsigned i, const struct robo_cmd *cmd,
                      robo_time now)
{
    struct walk *w = robo__container_of(dofs, struct walk, dofs);
    const struct robo__dof_part *dof = &dofs->dof[i];
    struct robo__profile *servo = &w->servo[dof->index];
    robo__profile_cut(servo, now);
    return robo__profile_give(servo, cmd, dof->number, w->description->dof[dof->index].home,
                              dofs->scaled);
}

static void finish_dofs(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                        enum robo_signal signal, enum robo_reason reason)
{
    (void)device;
    robo_done(robo__container_of(dofs, struct walk, dofs)->device, ticket, signal, reason);
}

static int open_walk(void *state, robo_device *device, robo_time now)
{
    static const struct robo__dofs_kind kind = { .start = start_dof, .done = finish_dofs };
    struct walk *w = state;
    char why[128] = "expected a body whose geometry is known";
    w->device = device;
    w->description = robo_device_description(device);
    w->model = robo_body_model(robo_device_body(device));
    if (!w->model || robo__legs_read(w->description, (unsigned)robo_device_index(device),
                                     is_of_weight, &w->legs, why) < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return ROBO_EINVAL;
    }
    w->legs.kind = &robo__gait_plain; /* which keeps to its way: here nothing weighs anything */
    robo__legs_place(&w->legs, w->model);
    robo__sim_base_init(&w->base, w->description, now);
    robo__sim_battery_init(&w->battery, w->description, now);
    const unsigned devices = 1u << robo_device_index(device);
    w->servo = calloc(w->description->dofs + 1u, sizeof *w->servo);
    w->part = calloc(robo__dofs_count(w->description, devices) + 1u, sizeof *w->part);
    if (!w->servo || !w->part)
        return ROBO_ENOMEM;
    robo__dofs_init(&w->dofs, &kind, w->description, devices, w->part);
    for (unsigned i = 0; i < w->dofs.count; i++) {
        const unsigned k = w->dofs.dof[i].index;
        robo__profile_init(&w->servo[k], &w->description->dof[k], now);
    }
    robo__legs_limit(&w->legs, &w->base);
    if (robo_device_before(device))
        go_on_from(w, robo_device_before(device));
    robo__hull_init(&w->hull, device);
    robo__hull_tell(&w->hull, &w->base, now);
    robo__gait_stand(&w->legs, &w->base, &w->now);
    return 0;
}

static void close_walk(void *state)
{
    struct walk *w = state;
    free(w->servo);
    free(w->part);
}

/* ---- walking ---- */

/* The body stands still when it would touch something; its command will be answered ERROR, blocked. */
static void stop_short(struct walk *w)
{
    const robo_time now = w->at > w->base.since ? w->at : w->base.since;
    char name[64];
    if (robo__hull_way(&w->hull, &w->base, now, now + GRID, name) == ROBO__WAY_BLOCKED) {
        robo__sim_base_cut(&w->base, now);
        if (!w->base.braking) {
            robo__device_blocked(w->device, name);
            w->signal = ROBO_ERROR;
            w->reason = ROBO_WHY_BLOCKED;
        }
        robo__sim_base_halt(&w->base);
    }
    robo__hull_tell(&w->hull, &w->base, now);
}

/* The gait one instant after `at`, for the body's way as it is now planned. */
static void look_ahead(struct walk *w)
{
    stop_short(w);
    struct robo__sim_base base = w->base;
    robo__sim_base_cut(&base, w->at + GRID);
    w->coming = w->now;
    const bool stands = !robo__gait_step(&w->legs, &base, (double)GRID * 1e-9, &w->coming),
               held = robo__sim_base_is_held(&base);
    if (stands && held)
        w->coming.phase = 0; /* it goes on as a walk begins */
    w->last = stands && !held;
}

/* Where the standing legs are. */
static void read_servos(const struct walk *w, robo_time now, double *q, double *speed)
{
    memcpy(q, w->now.q, w->description->dofs * sizeof *q);
    if (speed)
        memset(speed, 0, w->description->dofs * sizeof *speed);
    for (unsigned i = 0; i < w->dofs.count; i++) {
        const unsigned k = w->dofs.dof[i].index;
        double v;
        robo__profile_read(&w->servo[k], now, &q[k], speed ? &speed[k] : &v);
    }
}

static void begin_walking(struct walk *w, robo_time now)
{
    if (w->walking)
        return;
    double q[ROBO_MAX_DOFS];
    read_servos(w, now, q, NULL);
    robo__dofs_interrupt(&w->dofs, ROBO_WHY_AXIS); /* the legs' former motion is over */
    robo__gait_place(&w->legs, &w->base, q, &w->now);
    w->now.phase = 0;
    w->walking = true;
    w->at = now;
}

/* The legs stay as the gait has left them. */
static void stand(struct walk *w, const struct robo__gait *gait, robo_time now)
{
    w->walking = false;
    w->now = *gait;
    for (unsigned i = 0; i < w->dofs.count; i++) {
        const unsigned k = w->dofs.dof[i].index;
        robo__profile_cut(&w->servo[k], now);
        robo__profile_halt(&w->servo[k]);
        w->servo[k].position = gait->q[k];
    }
}

static void finish(struct walk *w)
{
    robo_ticket ticket = w->ticket;
    w->ticket = 0;
    if (ticket)
        robo_done(w->device, ticket, w->signal, w->reason);
}

/* Dofs of the standing legs that have reached the end of their way. */
static robo_time advance_servos(struct walk *w, robo_time now)
{
    robo_time next = ROBO_NEVER;
    for (unsigned i = 0; i < w->dofs.count; i++) {
        struct robo__profile *servo = &w->servo[w->dofs.dof[i].index];
        robo_time end = robo__profile_end(servo);
        robo__profile_advance(servo, now);
        if (!w->dofs.dof[i].ticket)
            continue;
        if (robo__profile_is_held(servo))
            continue;
        if (end == ROBO_NEVER || end <= now)
            robo__dofs_end(&w->dofs, i, true);
        else if (end < next)
            next = end;
    }
    return next;
}

static robo_time advance(void *state, robo_time now)
{
    struct walk *w = state;
    if (!w->walking)
        return advance_servos(w, now);
    while (w->walking && w->at + GRID <= now) {
        w->at += GRID;
        robo__sim_base_advance(&w->base, w->at);
        w->now = w->coming;
        if (w->last) {
            stand(w, &w->coming, w->at);
            robo__hull_tell(&w->hull, &w->base, w->at);
            finish(w);
        } else {
            look_ahead(w);
        }
    }
    return w->walking ? w->at + GRID : ROBO_NEVER;
}

/* ---- commands ---- */

static void refuse_busy(struct walk *w, robo_ticket ticket)
{
    robo_done(w->device, ticket, ROBO_BUSY, ROBO_WHY_AXIS);
}

static void set_speed(struct walk *w, const struct robo_set_speed *wanted, robo_ticket ticket,
                      robo_time now)
{
    char name[64] = "";
    double v[3] = { wanted->x, wanted->y, wanted->theta }, share = 0;
    /* the shares of the legs' work for each axis add up */
    for (int i = 0; i < 3; i++)
        share += w->base.limit[i] > 0 ? fabs(v[i]) / w->base.limit[i] : 0;
    bool whole = share <= 1;
    for (int i = 0; i < 3; i++) {
        whole &= w->base.limit[i] > 0 || v[i] == 0;
        v[i] = w->base.limit[i] > 0 ? v[i] / fmax(1, share) : 0;
    }
    const bool blocked = robo__hull_leave(&w->hull, &w->base, now, GRID, v, name);
    robo__device_blocked(w->device, blocked ? name : "");
    if (blocked && v[0] == 0 && v[1] == 0 && v[2] == 0) {
        robo__sim_base_stop(&w->base); /* its former motion is over */
        robo_done(w->device, ticket, ROBO_ERROR, ROBO_WHY_BLOCKED);
        return;
    }
    robo__sim_base_set_speed(&w->base, v);
    robo_done(w->device, ticket, whole && !blocked ? ROBO_SUCCESS : ROBO_MODIFIED,
              blocked ? ROBO_WHY_BLOCKED
              : whole ? ROBO_WHY_NONE
                      : ROBO_WHY_LIMIT);
}

/* One foot to a place on the floor; out of reach, as near as it gets. */
static void start_step(struct walk *w, const struct robo_step *step, robo_ticket ticket)
{
    double place[3] = { step->x, step->y, step->theta };
    bool whole = robo__gait_near(&w->legs, &w->now, &w->base, step->leg - 1u, place);
    double c = cos(w->base.theta), s = sin(w->base.theta);
    w->now.single = step->leg;
    w->now.most = step->speed;
    w->now.goal[0] = w->base.x + c * place[0] - s * place[1];
    w->now.goal[1] = w->base.y + s * place[0] + c * place[1];
    w->now.goal[2] = w->base.theta + place[2];
    w->ticket = ticket;
    w->signal = whole ? ROBO_SUCCESS : ROBO_MODIFIED;
    w->reason = whole ? ROBO_WHY_NONE : ROBO_WHY_LIMIT;
}

static void start_walk(struct walk *w, const struct robo_cmd *cmd, robo_ticket ticket,
                       robo_time now)
{
    if (cmd->op == ROBO_STEP && (cmd->body.step.leg < 1 || cmd->body.step.leg > w->legs.legs)) {
        robo_done(w->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
        return;
    }
    if (cmd->op == ROBO_STEP && w->walking) {
        refuse_busy(w, ticket);
        return;
    }
    begin_walking(w, now);
    robo__sim_base_cut(&w->base, now);
    double charge = robo__sim_battery_charge(&w->battery, now, w->base.path, w->base.turned);
    w->ticket = 0;
    if (w->battery.capacity > 0 && charge <= 0 && cmd->op != ROBO_STOP) {
        robo__sim_base_stop(&w->base); /* its former motion is over */
        robo_done(w->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
    } else if (cmd->op == ROBO_SET_SPEED) {
        set_speed(w, &cmd->body.set_speed, ticket, now);
    } else if (cmd->op == ROBO_STEP) {
        start_step(w, &cmd->body.step, ticket);
    } else {
        bool whole = true;
        robo__device_blocked(w->device, "");
        if (cmd->op == ROBO_GO_TO)
            whole = robo__sim_base_go_to(&w->base, &cmd->body.go_to);
        else
            robo__sim_base_stop(&w->base);
        w->now.single = 0;
        w->ticket = ticket;
        w->signal = whole ? ROBO_SUCCESS : ROBO_MODIFIED;
        w->reason = whole ? ROBO_WHY_NONE : ROBO_WHY_LIMIT;
    }
    look_ahead(w);
}

/* A speed of zero of a body that stands: its legs go on with their motion. */
static bool nothing_to_do(const struct walk *w, const struct robo_cmd *cmd)
{
    const struct robo_set_speed *v = &cmd->body.set_speed;
    return cmd->op == ROBO_SET_SPEED && !w->walking && v->x == 0 && v->y == 0 && v->theta == 0;
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct walk *w = state;
    advance(w, now);
    const enum robo_moves moves = robo__command_of(cmd->op)->moves;
    bool floor = moves == ROBO_MOVES_ROOT || moves == ROBO_MOVES_LEG;
    if (!w->walking && (moves == ROBO_MOVES_ALL || nothing_to_do(w, cmd)))
        robo__sim_base_forget(&w->base); /* it stands, maybe held by an override */
    if (nothing_to_do(w, cmd))
        robo_done(w->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    else if (floor || (moves == ROBO_MOVES_ALL && w->walking))
        start_walk(w, cmd, ticket, now);
    else if (w->walking)
        refuse_busy(w, ticket);
    else
        robo__dofs_give(&w->dofs, (unsigned)robo_device_index(w->device), cmd, ticket, now);
}

/* ---- looking ---- */

static void read(const void *state, robo_time now, struct robo_state *out)
{
    const struct walk *w = state;
    struct robo__sim_base base = w->base;
    double q[ROBO_MAX_DOFS], speed[ROBO_MAX_DOFS], sway = w->now.sway, z = w->now.z, side = 0,
                                                   rise = 0;
    robo__sim_base_cut(&base, now);
    if (w->walking) {
        /* a reading before the gait has gone on shows its next position, and nothing further */
        double grid = (double)GRID * 1e-9, share = fmin(1, (double)(now - w->at) / (double)GRID);
        for (unsigned i = 0; i < w->description->dofs; i++) {
            speed[i] = (w->coming.q[i] - w->now.q[i]) / grid;
            q[i] = w->now.q[i] + share * (w->coming.q[i] - w->now.q[i]);
        }
        side = (w->coming.sway - w->now.sway) / grid;
        rise = (w->coming.z - w->now.z) / grid;
        sway += share * (w->coming.sway - w->now.sway);
        z += share * (w->coming.z - w->now.z);
        out->moving = 1;
    } else {
        read_servos(w, now, q, speed);
    }
    for (unsigned i = 0; i < w->dofs.count; i++) {
        const unsigned k = w->dofs.dof[i].index;
        out->position[k] = q[k];
        out->speed[k] = speed[k];
        out->moving |= speed[k] != 0;
    }
    out->pose[0] = base.x - sin(base.theta) * sway;
    out->pose[1] = base.y + cos(base.theta) * sway;
    out->pose[2] = z;
    out->attitude[2] = base.theta;
    out->twist[0] = base.v[0] - base.v[2] * sway;
    out->twist[1] = base.v[1] + side;
    out->twist[2] = rise;
    out->spin[2] = base.v[2];
    out->charge = robo__sim_battery_charge(&w->battery, now, base.path, base.turned);
    out->voltage = robo__sim_battery_voltage(&w->battery, out->charge);
}

/* Whatever the policy: legs whose motors go off let the body fall, so it stands as it is. */
static void halt(void *state, robo_time now)
{
    struct walk *w = state;
    w->ticket = 0;
    robo__dofs_forget(&w->dofs, UINT_MAX);
    robo__sim_base_cut(&w->base, now);
    robo__sim_base_halt(&w->base);
    struct robo__gait still = w->now;
    if (w->walking) {
        double share = fmin(1, (double)(now - w->at) / (double)GRID);
        for (unsigned i = 0; i < w->description->dofs; i++)
            still.q[i] += share * (w->coming.q[i] - w->now.q[i]);
        still.sway += share * (w->coming.sway - w->now.sway);
        still.z += share * (w->coming.z - w->now.z);
    } else {
        read_servos(w, now, still.q, NULL);
    }
    /* it stands over its feet as it is: its former sway is part of its place now */
    w->base.x -= sin(w->base.theta) * still.sway;
    w->base.y += cos(w->base.theta) * still.sway;
    still.sway = still.envelope = 0;
    still.single = 0;
    robo__hull_tell(&w->hull, &w->base, now);
    stand(w, &still, now);
}

static void override(void *state, double share, robo_time now)
{
    struct walk *w = state;
    advance(w, now);
    robo__sim_base_cut(&w->base, now);
    robo__sim_base_override(&w->base, share);
    w->now.pace = w->coming.pace = share;
    for (unsigned i = 0; i < w->dofs.count; i++)
        robo__profile_override(&w->servo[w->dofs.dof[i].index], share, now);
    /* a speed that was held goes on */
    const double *v = w->base.wanted;
    if (share > 0 && (v[0] != 0 || v[1] != 0 || v[2] != 0))
        begin_walking(w, now);
    if (w->walking)
        look_ahead(w);
}

const robo_driver robo_walk_driver = { .size = sizeof(robo_driver),
                                       .name = "walk",
                                       .state_size = sizeof(struct walk),
                                       .open = open_walk,
                                       .start = start,
                                       .advance = advance,
                                       .read = read,
                                       .sense = robo__sim_sense,
                                       .picture = robo__card_picture,
                                       .halt = halt,
                                       .override = override,
                                       .bounds = 1,
                                       .velocities = 1,
                                       .close = close_walk,
                                       .check = check_walk };
