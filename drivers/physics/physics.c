/* The driver `physics`: which command goes to which servo, and what is answered when. */
#include "physics.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "base/command.h"
#include "base/mutex.h"
#include "base/time.h"
#include "motion/dofs.h"
#include "servo.h"
#include "sight.h"
#include "simulation.h"

/* A servo in the model. */
struct port {
    int actuator, position, speed; /* numbers there; -1: none */
};

struct physics {
    struct robo__actor actor;
    robo_device *device;
    struct robo__tuning tuning;
    double step; /* s; 0: as others want it */
    struct robo__seeing seeing;
    uint8_t panic;
    struct robo__dofs dofs;
    struct robo__dof_part *part; /* of these dofs */
    struct port *port;           /* likewise, of the simulation */

    /* What the robot and the steps exchange: guards servos and what follows. Taken while a robot's mutex or the simulation's
     * lock is held, for copies alone; nothing is taken or called inside. */
    pthread_mutex_t lock;
    struct robo__servo *servo; /* of the dofs */
    robo_time stepped, period; /* instant of the last step; ns from one to the next */
};

static struct physics *of(struct robo__actor *actor)
{
    return robo__container_of(actor, struct physics, actor);
}

/* ---- the side of the simulation ---- */

static void bind(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct physics *p = of(actor);
    const struct robo_description *d = robo_device_description(p->device);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const struct robo__dof_part *part = &p->dofs.dof[i];
        struct port *port = &p->port[i];
        char name[70];
        snprintf(name, sizeof name, "%s.%s", d->joint[part->joint].name, d->dof[part->index].name);
        const int joint = robo__simulation_find(now, mjOBJ_JOINT, d->name, name);
        *port = (struct port){ -1, -1, -1 };
        if (joint < 0)
            continue;
        port->actuator = robo__simulation_find(now, mjOBJ_ACTUATOR, d->name, name);
        port->position = now->model->jnt_qposadr[joint];
        port->speed = now->model->jnt_dofadr[joint];
        pthread_mutex_lock(&p->lock);
        robo__servo_load(&p->servo[i], &p->tuning, now->inertia[port->speed]);
        p->servo[i].position = now->data->qpos[port->position];
        p->servo[i].speed = now->data->qvel[port->speed];
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_lock(&p->lock);
    p->stepped = now->time;
    p->period = (robo_time)llrint(now->model->opt.timestep * 1e9);
    pthread_mutex_unlock(&p->lock);
}

static void drive(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct physics *p = of(actor);
    mjtNum *bias = now->model->actuator_biasprm, *control = now->data->ctrl;
    struct robo__pull pull;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const int k = p->port[i].actuator;
        if (k < 0)
            continue;
        robo__servo_pull(&p->servo[i], now->time, &pull);
        control[k] = pull.control;
        bias[k * mjNBIAS + 1] = -pull.stiffness;
        bias[k * mjNBIAS + 2] = -pull.damping;
    }
    pthread_mutex_unlock(&p->lock);
}

static void look(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct physics *p = of(actor);
    const mjData *data = now->data;
    pthread_mutex_lock(&p->lock);
    p->stepped = now->time;
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const struct port *port = &p->port[i];
        struct robo__servo *servo = &p->servo[i];
        if (port->actuator < 0)
            continue;
        servo->position = data->qpos[port->position];
        servo->speed = data->qvel[port->speed];
        servo->force = data->actuator_force[port->actuator];
    }
    pthread_mutex_unlock(&p->lock);
}

static const struct robo__actor_kind ACTOR = { .bind = bind, .drive = drive, .look = look };

/* ---- the side of the robot ---- */

static bool start_dof(struct robo__dofs *dofs, unsigned i, const struct robo_cmd *cmd,
                      robo_time now)
{
    struct physics *p = robo__container_of(dofs, struct physics, dofs);
    pthread_mutex_lock(&p->lock);
    const bool whole = robo__servo_give(&p->servo[i], cmd, dofs->dof[i].number, dofs->scaled, now);
    pthread_mutex_unlock(&p->lock);
    return whole;
}

static void finish_dofs(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                        enum robo_signal signal, enum robo_reason reason)
{
    struct physics *p = robo__container_of(dofs, struct physics, dofs);
    (void)device;
    robo_done(p->device, ticket, signal, reason);
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct physics *p = state;
    const enum robo_moves moves = robo__command_of(cmd->op)->moves;
    if (moves == ROBO_MOVES_LEG || moves == ROBO_MOVES_ROOT)
        robo_done(p->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    else
        robo__dofs_give(&p->dofs, (unsigned)robo_device_index(p->device), cmd, ticket, now);
}

/* A dof gets no further: so ends the command, with all its dofs. */
static void give_up(struct physics *p, unsigned dof, robo_time now)
{
    const robo_ticket ticket = p->dofs.dof[dof].ticket;
    for (unsigned i = 0; i < p->dofs.count; i++) {
        if (p->dofs.dof[i].ticket != ticket)
            continue;
        p->dofs.dof[i].ticket = 0;
        pthread_mutex_lock(&p->lock);
        robo__servo_give_up(&p->servo[i], now);
        pthread_mutex_unlock(&p->lock);
    }
    robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_BLOCKED);
}

static robo_time advance(void *state, robo_time now)
{
    struct physics *p = state;
    robo_time next = ROBO_NEVER, when, step;
    for (unsigned i = 0; i < p->dofs.count; i++) {
        if (!p->dofs.dof[i].ticket)
            continue;
        pthread_mutex_lock(&p->lock);
        const enum robo__servo_stage stage = robo__servo_look(&p->servo[i], now, &when);
        step = p->stepped + p->period;
        pthread_mutex_unlock(&p->lock);
        if (stage == ROBO__SERVO_ARRIVED)
            robo__dofs_end(&p->dofs, i, true);
        else if (stage == ROBO__SERVO_STUCK)
            give_up(p, i, now);
        else if (when <= now) /* the next step tells more */
            when = step > now ? step : now + p->period;
        if (stage == ROBO__SERVO_MOVES && when < next)
            next = when;
    }
    return next;
}

/* Slower than this is standing, m/s and rad/s: what rests on something never stands to the bit. */
static const double STANDS = 1e-3;

static void read(const void *state, robo_time now, struct robo_state *out)
{
    struct physics *p = (struct physics *)(uintptr_t)state;
    (void)now;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const unsigned k = p->dofs.dof[i].index;
        out->position[k] = p->servo[i].position;
        out->speed[k] = p->servo[i].speed;
        if (fabs(p->servo[i].speed) > STANDS)
            out->moving = 1;
    }
    pthread_mutex_unlock(&p->lock);
}

static void forces(const void *state, robo_time now, double *force)
{
    struct physics *p = (struct physics *)(uintptr_t)state;
    (void)now;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++)
        force[p->dofs.dof[i].index] = p->servo[i].force;
    pthread_mutex_unlock(&p->lock);
}

static void halt(void *state, robo_time now)
{
    struct physics *p = state;
    robo__dofs_forget(&p->dofs, UINT_MAX);
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++)
        robo__servo_halt(&p->servo[i], p->panic, now);
    pthread_mutex_unlock(&p->lock);
}

static void reset(void *state, robo_time now)
{
    struct physics *p = state;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++)
        robo__servo_reset(&p->servo[i], now);
    pthread_mutex_unlock(&p->lock);
}

static void override(void *state, double share, robo_time now)
{
    struct physics *p = state;
    pthread_mutex_lock(&p->lock);
    for (unsigned i = 0; i < p->dofs.count; i++)
        robo__servo_override(&p->servo[i], share, now);
    pthread_mutex_unlock(&p->lock);
}

/* ---- its life ---- */

static const struct robo__option_row OPTION[] = {
    { .name = "bandwidth",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct physics, tuning.bandwidth),
      .otherwise = 10,
      .least = 0.1,
      .most = 50 },
    { .name = "damping",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct physics, tuning.damping),
      .otherwise = 1,
      .least = 0,
      .most = 10 },
    { .name = "tolerance",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct physics, tuning.tolerance),
      .otherwise = 0,
      .least = 0,
      .most = 10 },
    { .name = "step",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct physics, step),
      .otherwise = 0,
      .least = 0,
      .most = 0.01 },
    { .name = "show", .type = ROBO_OPTION_TEXT, .offset = offsetof(struct physics, seeing.show) },
    { .name = "range",
      .type = ROBO_OPTION_REAL,
      .offset = offsetof(struct physics, seeing.range),
      .otherwise = 5.1,
      .least = 0.01,
      .most = 1000 },
};
static const struct robo__option_table OPTIONS = { .row = OPTION,
                                                   .rows = sizeof OPTION / sizeof OPTION[0] };

static int check(const struct robo_description *d, unsigned device, char why[128])
{
    struct physics options;
    if (d->links == 0) {
        snprintf(why, 128, "physics: expected a body with links");
        return ROBO_EINVAL;
    }
    const int error = robo__options_read(&OPTIONS, d, device, &options, why);
    return error < 0 ? error : robo__seeing_check(&options.seeing, why);
}

static int open_physics(void *state, robo_device *device, robo_time now)
{
    static const struct robo__dofs_kind kind = { .start = start_dof, .done = finish_dofs };
    struct physics *p = state;
    const struct robo_description *d = robo_device_description(device);
    const struct robo_state *before = robo_device_before(device);
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
    p->panic = d->panic;
    p->part = calloc(count + 1u, sizeof *p->part);
    p->port = calloc(count + 1u, sizeof *p->port);
    p->servo = calloc(count + 1u, sizeof *p->servo);
    if (!p->part || !p->port || !p->servo)
        return ROBO_ENOMEM;
    robo__dofs_init(&p->dofs, &kind, d, devices, p->part);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const unsigned index = p->dofs.dof[i].index;
        robo__servo_init(&p->servo[i], &d->dof[index], &p->tuning, now);
        if (before)
            robo__profile_resume(&p->servo[i].profile, before->position[index]);
    }
    p->actor = (struct robo__actor){ .kind = &ACTOR, .device = device };
    error = robo__simulation_enter(&p->actor, p->step, why);
    if (error < 0)
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
    return error;
}

static int picture(void *state, robo_device *device, unsigned camera, int wanted)
{
    struct physics *p = state;
    struct robo__simulation *s = robo__simulation_of(robo_device_world(device));
    return wanted ? robo__sight_picture(robo__simulation_sight(s), &p->seeing, device, camera) : 0;
}

static void close_physics(void *state)
{
    struct physics *p = state;
    robo__simulation_leave(&p->actor);
    free(p->part);
    free(p->port);
    free(p->servo);
    pthread_mutex_destroy(&p->lock);
}

const robo_driver robo_physics_driver = { .size = sizeof(robo_driver),
                                          .name = "physics",
                                          .state_size = sizeof(struct physics),
                                          .open = open_physics,
                                          .start = start,
                                          .advance = advance,
                                          .read = read,
                                          .forces = forces,
                                          .halt = halt,
                                          .reset = reset,
                                          .override = override,
                                          .parts = 1,
                                          .bounds = 1,
                                          .velocities = 1,
                                          .close = close_physics,
                                          .check = check,
                                          .picture = picture };
