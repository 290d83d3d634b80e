/* The driver `physics`: bodies that do not exist, with weight, in a world that pushes back. MuJoCo moves them (simulation.h); servos
 * (servo.h), to which this file passes commands and whose ends it answers, pull joints to where commands want them. */
#include "drivers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "base/command.h"
#include "base/mutex.h"
#include "body/gripper.h"
#include "device.h"
#include "grasp.h"
#include "robot/reports.h"
#include "../weight.h"
#include "robotalk/device.h"

static bool start_dof(struct robo__dofs *dofs, unsigned i, const struct robo_cmd *cmd,
                      robo_time now)
{
    struct robo__physics *p = robo__container_of(dofs, struct robo__physics, dofs);
    pthread_mutex_lock(&p->lock);
    const bool whole = robo__servo_give(&p->servo[i], cmd, dofs->dof[i].number, dofs->scaled, now);
    pthread_mutex_unlock(&p->lock);
    return whole;
}

/* The dofs are done with a command; a stop has the base, too. */
static void finish_dofs(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                        enum robo_signal signal, enum robo_reason reason)
{
    struct robo__physics *p = robo__container_of(dofs, struct robo__physics, dofs);
    (void)device;
    if (p->base_ticket != ticket)
        robo_done(p->device, ticket, signal, reason);
}

/* A speed of zero: the legs of a body that stands go on with their motion. */
static bool is_no_speed(const struct robo_cmd *cmd)
{
    const struct robo_set_speed *v = &cmd->body.set_speed;
    return cmd->op == ROBO_SET_SPEED && v->x == 0 && v->y == 0 && v->theta == 0;
}

static bool stops_base(const struct robo_cmd *cmd)
{
    return cmd->op == ROBO_STOP && robo__stop_has_base(&cmd->body.stop);
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct robo__physics *p = state;
    const enum robo_moves moves = robo__command_of(cmd->op)->moves;
    const bool steers = p->vehicle.present && p->vehicle.steerable;
    pthread_mutex_lock(&p->lock);
    const double charge = robo__physics_charge(p, now);
    const bool walks = p->stride.walks, lies = p->stride.lies;
    if (p->stride.present && !walks && (is_no_speed(cmd) || stops_base(cmd)))
        robo__sim_base_forget(&p->vehicle.wish); /* it stands, maybe held by an override */
    pthread_mutex_unlock(&p->lock);
    const bool goes = moves == ROBO_MOVES_ROOT || moves == ROBO_MOVES_LEG;
    if ((moves == ROBO_MOVES_LEG && !p->stride.present) || (goes && !steers)) {
        robo_done(p->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
        return;
    }
    if (goes && p->battery.capacity > 0 && charge <= 0) {
        p->base_ticket = 0;
        pthread_mutex_lock(&p->lock);
        robo__vehicle_stop(&p->vehicle, now); /* its former motion is over */
        pthread_mutex_unlock(&p->lock);
        robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
        return;
    }
    if (p->stride.present && !walks && is_no_speed(cmd)) {
        robo_done(p->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
        return;
    }
    if (lies && goes) {
        robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_FALLEN);
        return;
    }
    if (walks && moves != ROBO_MOVES_ROOT && moves != ROBO_MOVES_ALL) {
        robo_done(p->device, ticket, ROBO_BUSY, ROBO_WHY_AXIS);
        return;
    }
    if (moves == ROBO_MOVES_LEG) {
        robo__physics_step(p, cmd->body.step, ticket, now);
        return;
    }
    /* legs that walk stop with the base, whatever a stop is for */
    const bool stops = moves == ROBO_MOVES_ALL && steers &&
                       (p->stride.present ? walks : robo__stop_has_base(&cmd->body.stop));
    if (moves == ROBO_MOVES_ROOT || stops)
        robo__physics_go(p, cmd, ticket, now);
    if (moves != ROBO_MOVES_ROOT && !walks)
        robo__dofs_give(&p->dofs, (unsigned)robo_device_index(p->device), cmd, ticket, now);
}

/* A dof gets no further: so ends the command, with all its dofs. A gripper that does not close has something in it. */
static void give_up(struct robo__physics *p, unsigned dof, robo_time now)
{
    const robo_ticket ticket = p->dofs.dof[dof].ticket;
    const bool grips = p->servo[dof].grips;
    for (unsigned i = 0; i < p->dofs.count; i++) {
        if (p->dofs.dof[i].ticket != ticket)
            continue;
        p->dofs.dof[i].ticket = 0;
        if (grips) /* it goes on pressing */
            continue;
        pthread_mutex_lock(&p->lock);
        robo__servo_give_up(&p->servo[i], now);
        pthread_mutex_unlock(&p->lock);
    }
    robo_done(p->device, ticket, grips ? ROBO_MODIFIED : ROBO_ERROR, ROBO_WHY_BLOCKED);
}

static robo_time advance(void *state, robo_time now)
{
    struct robo__physics *p = state;
    robo_time next = p->vehicle.present ? robo__physics_advance_base(p, now) : ROBO_NEVER, when;
    for (unsigned i = 0; i < p->dofs.count; i++) {
        if (!p->dofs.dof[i].ticket)
            continue;
        pthread_mutex_lock(&p->lock);
        const enum robo__servo_stage stage = robo__servo_look(&p->servo[i], now, &when);
        if (when <= now)
            when = robo__physics_after_step(p, now);
        pthread_mutex_unlock(&p->lock);
        if (stage == ROBO__SERVO_ARRIVED)
            robo__dofs_end(&p->dofs, i, true);
        else if (stage == ROBO__SERVO_STUCK)
            give_up(p, i, now);
        else if (when < next)
            next = when;
    }
    return next;
}

static void halt(void *state, robo_time now)
{
    struct robo__physics *p = state;
    p->base_ticket = 0;
    robo__dofs_forget(&p->dofs, UINT_MAX);
    pthread_mutex_lock(&p->lock);
    p->stride.walks = false;
    p->stride.anew = true;
    p->stride.step.leg = 0;
    p->halted = true;
    if (p->vehicle.present)
        robo__vehicle_halt(&p->vehicle, p->panic, now);
    for (unsigned i = 0; i < p->dofs.count; i++)
        robo__servo_halt(&p->servo[i], p->panic, now);
    pthread_mutex_unlock(&p->lock);
    if (p->vehicle.present) /* it may be pushed, or fall */
        robo__device_look(p->device, now);
}

static void reset(void *state, robo_time now)
{
    struct robo__physics *p = state;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++)
        robo__servo_reset(&p->servo[i], now);
    pthread_mutex_unlock(&p->lock);
}

static void override(void *state, double share, robo_time now)
{
    struct robo__physics *p = state;
    pthread_mutex_lock(&p->lock);
    if (p->vehicle.present)
        robo__vehicle_override(&p->vehicle, share, now);
    for (unsigned i = 0; i < p->dofs.count; i++)
        robo__servo_override(&p->servo[i], share, now);
    /* a robot that stood while it was 0 has put its legs to rest, and walks on */
    const bool goes = p->stride.present && !p->halted && !p->stride.walks && !p->stride.lies &&
                      !robo__vehicle_rests(&p->vehicle);
    pthread_mutex_unlock(&p->lock);
    if (goes)
        robo__physics_walk(p, NULL);
}

/* ---- its life ---- */

static const struct robo__option_row OPTION[] = {
    { .name = "bandwidth",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct robo__physics, tuning.bandwidth),
      .otherwise = 0,
      .least = 0.1,
      .most = 50 },
    { .name = "damping",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct robo__physics, tuning.damping),
      .otherwise = 1,
      .least = 0,
      .most = 10 },
    { .name = "tolerance",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct robo__physics, tuning.tolerance),
      .otherwise = 0,
      .least = 0,
      .most = 10 },
    { .name = "step",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct robo__physics, step),
      .otherwise = 0,
      .least = 0,
      .most = 0.01 },
    { .name = "selfcollision",
      .type = ROBO_OPTION_FLAG,
      .offset = offsetof(struct robo__physics, collides),
      .otherwise = 1 },
    { .name = "show",
      .type = ROBO_OPTION_TEXT,
      .offset = offsetof(struct robo__physics, seeing.show) },
    { .name = "range",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct robo__physics, seeing.range),
      .otherwise = 5.1,
      .least = 0.01,
      .most = 1000 },
};

/* Besides those of legs: the wiring of a dof, for the driver of the hardware that this one stands for. */
static bool reads(const struct robo_description *d, unsigned device, const char *option)
{
    return robo__legs_reads(d, device, option) || robo__option_names_dof(d, device, option);
}
static const struct robo__option_table OPTIONS = { .row = OPTION,
                                                   .rows = sizeof OPTION / sizeof OPTION[0],
                                                   .reads = reads };

/* Names of its links in the model would be those of the things of the world. */
static bool is_thing(const struct robo_description *d)
{
    return strcmp(d->name, "thing") == 0;
}
static const char THING[] = "a robot cannot be called thing: what stands around it is";

static bool is_first(const struct robo_description *d, unsigned device)
{
    for (unsigned i = 0; i < device; i++)
        if (strcmp(d->device[i].driver, "physics") == 0)
            return false;
    return true;
}

static int check(const struct robo_description *d, unsigned device, char why[128])
{
    struct robo__physics options;
    if (d->links == 0) {
        snprintf(why, 128, "physics: expected a body with links");
        return ROBO_EINVAL;
    }
    if (is_thing(d)) {
        snprintf(why, 128, "physics: %s", THING);
        return ROBO_EINVAL;
    }
    int error = robo__options_read(&OPTIONS, d, device, &options, why);
    if (error == 0)
        error = robo__stride_check(d, device, why);
    if (error >= 0 && is_first(d, device)) /* robot-wide messages are logged once */
        error = robo__weights_check(d, why);
    return error < 0 ? error : robo__seeing_check(&options.seeing, why);
}

/* Of robots with legs that was not asked for: their shapes are as coarse as drawings are, and a leg that swings would brush its
 * neighbour, by which the gait of an AIBO goes astray. */
static bool collides(const struct robo__physics *p)
{
    const struct robo_description *d = robo_device_description(p->device);
    const struct robo_binding *binding = robo_device_binding(p->device);
    for (unsigned i = 0; i < d->joints; i++)
        if (d->joint[i].leg && !robo__option(binding, "selfcollision"))
            return false;
    return p->collides;
}

static bool is_gripper(const struct robo_description *d, const struct robo__dof_part *part)
{
    struct robo__gripper gripper;
    return robo__gripper_at(d, part->joint, &gripper) && gripper.dof == part->index;
}

static int open_physics(void *state, robo_device *device, robo_time now)
{
    static const struct robo__dofs_kind kind = { .start = start_dof, .done = finish_dofs };
    struct robo__physics *p = state;
    const struct robo_description *d = robo_device_description(device);
    const struct robo_state *before = robo__stride_before(device);
    const unsigned devices = 1u << robo_device_index(device), count = robo__dofs_count(d, devices);
    char why[256];
    robo__mutex_init(&p->lock);
    p->device = device;
    int error = robo__options_open(&OPTIONS, device, p);
    if (error < 0)
        return error;
    if (d->links == 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "a body without links has no weight");
        return ROBO_EINVAL;
    }
    if (is_thing(d)) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", THING);
        return ROBO_EINVAL;
    }
    error = robo__weights_check(d, why);
    if (error < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return error;
    }
    p->panic = d->panic;
    p->tuning.holds = p->tuning.bandwidth == 0;
    if (p->tuning.holds)
        p->tuning.bandwidth = 10;
    p->part = calloc(count + 1u, sizeof *p->part);
    p->port = calloc(count + 1u, sizeof *p->port);
    p->servo = calloc(count + 1u, sizeof *p->servo);
    if (!p->part || !p->port || !p->servo)
        return ROBO_ENOMEM;
    robo__dofs_init(&p->dofs, &kind, d, devices, p->part);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const unsigned index = p->dofs.dof[i].index;
        robo__servo_init(&p->servo[i], &d->dof[index], &p->tuning, now);
        p->servo[i].grips = is_gripper(d, &p->dofs.dof[i]);
        if (before)
            robo__profile_resume(&p->servo[i].profile, before->position[index]);
        if (before && p->servo[i].grips)
            p->servo[i].force = p->servo[i].press =
                robo__grasp_of(device, p->dofs.dof[i].joint, index, p->servo[i].profile.position);
    }
    const double root[3] = { 0, 0, d->link[0].position[2] };
    robo__vehicle_init(&p->vehicle, device, p->tuning.bandwidth, now);
    error = p->vehicle.present ? robo__stride_init(&p->stride, device, &p->vehicle, why) : 0;
    if (error < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return error;
    }
    if (p->tuning.holds && p->stride.present)
        robo__stride_tune(&p->stride, &p->tuning);
    robo__sim_battery_init(&p->battery, d, now);
    error = robo__feelers_init(&p->feelers, device);
    if (error < 0)
        return error;
    robo__trunk_of(d, root, 0, &p->trunk);
    p->told = now - ROBO__PHYSICS_TELL;
    if (p->vehicle.present)
        robo__device_look(device, now);
    p->actor = (struct robo__actor){ .kind = &robo__physics_actor,
                                     .device = device,
                                     .collides = collides(p),
                                     .forces = p->feelers.forces };
    error = robo__simulation_enter(&p->actor, p->step, why);
    if (error < 0)
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
    return error;
}

static int picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    struct robo__physics *p = state;
    struct robo__simulation *s = robo__simulation_of(robo_device_world(device));
    return wanted ? robo__sight_picture(robo__simulation_sight(s), &p->seeing, device, camera) : 0;
}

static void close_physics(void *state)
{
    struct robo__physics *p = state;
    /* a device that was refused has held nothing */
    for (unsigned i = 0; p->actor.rig && i < p->dofs.count; i++) {
        if (!p->servo[i].grips)
            continue;
        pthread_mutex_lock(&p->lock);
        const double position = p->servo[i].position, press = p->servo[i].press;
        pthread_mutex_unlock(&p->lock);
        robo__grasp_keep(p->device, p->dofs.dof[i].joint, p->dofs.dof[i].index, position, press);
    }
    robo__simulation_leave(&p->actor);
    free(p->part);
    free(p->port);
    free(p->servo);
    robo__feelers_close(&p->feelers);
    pthread_mutex_destroy(&p->lock);
}

const robo_driver robo_physics_driver = { .size = sizeof(robo_driver),
                                          .name = "physics",
                                          .state_size = sizeof(struct robo__physics),
                                          .open = open_physics,
                                          .start = start,
                                          .advance = advance,
                                          .read = robo__physics_read,
                                          .forces = robo__physics_forces,
                                          .sense = robo__physics_sense,
                                          .halt = halt,
                                          .reset = reset,
                                          .override = override,
                                          .parts = 1,
                                          .bounds = 1,
                                          .velocities = 1,
                                          .close = close_physics,
                                          .check = check,
                                          .picture = picture };
