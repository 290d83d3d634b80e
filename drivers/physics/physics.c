/* The driver `physics`: which command goes to which servo, and what is answered when. */
#include "physics.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "../sim/battery.h"
#include "../sim/senses.h"
#include "base/command.h"
#include "base/mutex.h"
#include "base/time.h"
#include "body/gripper.h"
#include "motion/dofs.h"
#include "feel.h"
#include "servo.h"
#include "robot/surroundings.h"
#include "sight.h"
#include "simulation.h"
#include "vehicle.h"

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
    struct robo__sim_battery battery;
    struct robo__trunk trunk; /* of the body at 0, 0 that looks along x */
    robo_ticket base_ticket;
    bool base_clipped;
    robo_time told; /* when others were last told where it is */

    /* What the robot and the steps exchange: guards servos and what follows. Taken while a robot's mutex or the simulation's
     * lock is held, for copies alone; nothing is taken or called inside. */
    pthread_mutex_t lock;
    struct robo__servo *servo; /* of the dofs */
    struct robo__vehicle vehicle;
    struct robo__feelers feelers;
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
    robo__vehicle_bind(&p->vehicle, d, now);
    robo__feelers_bind(&p->feelers, d, now);
    p->stepped = now->time;
    p->period = (robo_time)llrint(now->model->opt.timestep * 1e9);
    pthread_mutex_unlock(&p->lock);
}

static void drive(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct physics *p = of(actor);
    struct robo__pull pull;
    pthread_mutex_lock(&p->lock);
    robo__vehicle_drive(&p->vehicle, now);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const int k = p->port[i].actuator, v = p->port[i].speed;
        if (k < 0)
            continue;
        robo__servo_pull(&p->servo[i], now->time, &pull);
        now->data->ctrl[k] = pull.force;
        if (now->model->dof_damping[v] != pull.damping) {
            /* passive forces were worked out with the damping of the step before */
            now->model->dof_damping[v] = pull.damping;
            now->data->qfrc_passive[v] = -pull.damping * now->data->qvel[v];
        }
    }
    pthread_mutex_unlock(&p->lock);
}

static void look(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct physics *p = of(actor);
    const mjData *data = now->data;
    pthread_mutex_lock(&p->lock);
    p->stepped = now->time;
    robo__vehicle_look(&p->vehicle, now);
    robo__feelers_look(&p->feelers, now);
    for (unsigned i = 0; i < p->dofs.count; i++) {
        const struct port *port = &p->port[i];
        struct robo__servo *servo = &p->servo[i];
        if (port->actuator < 0)
            continue;
        servo->position = data->qpos[port->position];
        servo->speed = data->qvel[port->speed];
        servo->force = data->actuator_force[port->actuator] - servo->drag * servo->speed;
    }
    pthread_mutex_unlock(&p->lock);
}

static void feel(struct robo__actor *actor, const struct robo__mechanics *now)
{
    struct physics *p = of(actor);
    pthread_mutex_lock(&p->lock);
    robo__feelers_feel(&p->feelers, now);
    pthread_mutex_unlock(&p->lock);
}

static const struct robo__actor_kind ACTOR = {
    .bind = bind, .drive = drive, .look = look, .feel = feel
};

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

/* The dofs are done with a command; a stop has the base, too. */
static void finish_dofs(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                        enum robo_signal signal, enum robo_reason reason)
{
    struct physics *p = robo__container_of(dofs, struct physics, dofs);
    (void)device;
    if (p->base_ticket != ticket)
        robo_done(p->device, ticket, signal, reason);
}

static void finish_base(struct physics *p, enum robo_signal signal, enum robo_reason reason)
{
    const robo_ticket ticket = p->base_ticket;
    p->base_ticket = 0;
    if (ticket && !robo__dofs_wait(&p->dofs, (unsigned)robo_device_index(p->device), ticket))
        robo_done(p->device, ticket, signal, reason);
}

static void set_speed(struct physics *p, const struct robo_set_speed *wanted, robo_ticket ticket,
                      robo_time now)
{
    double v[3] = { wanted->x, wanted->y, wanted->theta };
    enum robo_reason why = ROBO_WHY_NONE;
    for (int i = 0; i < 3; i++) {
        const double most = p->vehicle.wish.limit[i], clipped = fmin(fmax(v[i], -most), most);
        if (clipped != v[i])
            why = i == 1 && !p->vehicle.holonomic ? ROBO_WHY_HOLONOMIC : why ? why : ROBO_WHY_LIMIT;
        v[i] = clipped;
    }
    pthread_mutex_lock(&p->lock);
    robo__vehicle_set_speed(&p->vehicle, v, now);
    pthread_mutex_unlock(&p->lock);
    robo_done(p->device, ticket, why ? ROBO_MODIFIED : ROBO_SUCCESS, why);
}

/* With the lock. */
static double charge_of(const struct physics *p, robo_time now)
{
    return robo__sim_battery_charge(&p->battery, now, p->vehicle.wish.path, p->vehicle.wish.turned);
}

static void start_base(struct physics *p, const struct robo_cmd *cmd, robo_ticket ticket,
                       robo_time now)
{
    p->base_ticket = 0;
    if (cmd->op == ROBO_SET_SPEED) {
        set_speed(p, &cmd->body.set_speed, ticket, now);
        return;
    }
    p->base_clipped = false;
    pthread_mutex_lock(&p->lock);
    if (cmd->op == ROBO_GO_TO)
        p->base_clipped = !robo__vehicle_go_to(&p->vehicle, &cmd->body.go_to, now);
    else
        robo__vehicle_stop(&p->vehicle, now);
    pthread_mutex_unlock(&p->lock);
    p->base_ticket = ticket;
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct physics *p = state;
    const enum robo_moves moves = robo__command_of(cmd->op)->moves;
    const bool steers = p->vehicle.present && p->vehicle.steerable;
    pthread_mutex_lock(&p->lock);
    const double charge = charge_of(p, now);
    pthread_mutex_unlock(&p->lock);
    if (moves == ROBO_MOVES_LEG || (moves == ROBO_MOVES_ROOT && !steers)) {
        robo_done(p->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
        return;
    }
    if (moves == ROBO_MOVES_ROOT && p->battery.capacity > 0 && charge <= 0) {
        p->base_ticket = 0;
        pthread_mutex_lock(&p->lock);
        robo__vehicle_stop(&p->vehicle, now); /* what it was at is over */
        pthread_mutex_unlock(&p->lock);
        robo_done(p->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
        return;
    }
    if (moves == ROBO_MOVES_ROOT ||
        (moves == ROBO_MOVES_ALL && steers && robo__stop_has_base(&cmd->body.stop)))
        start_base(p, cmd, ticket, now);
    if (moves != ROBO_MOVES_ROOT)
        robo__dofs_give(&p->dofs, (unsigned)robo_device_index(p->device), cmd, ticket, now);
}

/* A dof gets no further: so ends the command, with all its dofs. A gripper that does not close has something in it. */
static void give_up(struct physics *p, unsigned dof, robo_time now)
{
    struct robo__gripper gripper;
    const robo_ticket ticket = p->dofs.dof[dof].ticket;
    const bool grips =
        robo__gripper_at(robo_device_description(p->device), p->dofs.dof[dof].joint, &gripper) &&
        gripper.dof == p->dofs.dof[dof].index;
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

/* What is looked at again after the next step. */
static robo_time after_step(const struct physics *p, robo_time now)
{
    const robo_time next = p->stepped + p->period;
    return next > now ? next : now + p->period;
}

static const robo_time TELL = 50 * 1000000;

/* Tells others where the base is. */
static robo_time tell(struct physics *p, robo_time now)
{
    struct robo__trunk trunk = p->trunk;
    if (now < p->told + TELL)
        return p->told + TELL;
    pthread_mutex_lock(&p->lock);
    const struct robo__vehicle *v = &p->vehicle;
    const double c = cos(v->attitude[2]), s = sin(v->attitude[2]);
    trunk.x = v->position[0] + c * p->trunk.x - s * p->trunk.y;
    trunk.y = v->position[1] + s * p->trunk.x + c * p->trunk.y;
    const double vx = c * v->twist[0] - s * v->twist[1], vy = s * v->twist[0] + c * v->twist[1];
    pthread_mutex_unlock(&p->lock);
    robo__device_stands(p->device, &trunk, vx, vy, now);
    p->told = now;
    return now + TELL;
}

static robo_time advance_base(struct physics *p, robo_time now)
{
    robo_time next = tell(p, now), when;
    if (!p->base_ticket)
        return next;
    pthread_mutex_lock(&p->lock);
    const enum robo__vehicle_stage stage = robo__vehicle_advance(&p->vehicle, now, &when);
    if (when <= now)
        when = after_step(p, now);
    pthread_mutex_unlock(&p->lock);
    if (stage == ROBO__VEHICLE_BLOCKED)
        finish_base(p, ROBO_ERROR, ROBO_WHY_BLOCKED);
    else if (stage == ROBO__VEHICLE_ARRIVED)
        finish_base(p, p->base_clipped ? ROBO_MODIFIED : ROBO_SUCCESS,
                    p->base_clipped ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
    else if (when < next)
        next = when;
    return next;
}

static robo_time advance(void *state, robo_time now)
{
    struct physics *p = state;
    robo_time next = p->vehicle.present ? advance_base(p, now) : ROBO_NEVER, when;
    for (unsigned i = 0; i < p->dofs.count; i++) {
        if (!p->dofs.dof[i].ticket)
            continue;
        pthread_mutex_lock(&p->lock);
        const enum robo__servo_stage stage = robo__servo_look(&p->servo[i], now, &when);
        if (when <= now)
            when = after_step(p, now);
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

/* Slower than this is standing, m/s and rad/s: what rests on something never stands to the bit. */
static const double STANDS = 1e-3;

static void read_base(const struct physics *p, robo_time now, struct robo_state *out)
{
    const struct robo__vehicle *v = &p->vehicle;
    memcpy(out->pose, v->position, sizeof v->position);
    memcpy(out->attitude, v->attitude, sizeof v->attitude);
    memcpy(out->twist, v->twist, sizeof v->twist);
    memcpy(out->spin, v->spin, sizeof v->spin);
    out->charge = charge_of(p, now);
    out->voltage = robo__sim_battery_voltage(&p->battery, out->charge);
    for (int i = 0; i < 3; i++)
        if (fabs(v->twist[i]) > STANDS || fabs(v->spin[i]) > STANDS)
            out->moving = 1;
}

static void read(const void *state, robo_time now, struct robo_state *out)
{
    struct physics *p = (struct physics *)(uintptr_t)state;
    pthread_mutex_lock(&p->lock);
    if (p->vehicle.present)
        read_base(p, now, out);
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
    p->base_ticket = 0;
    robo__dofs_forget(&p->dofs, UINT_MAX);
    pthread_mutex_lock(&p->lock);
    if (p->vehicle.present)
        robo__vehicle_halt(&p->vehicle, p->panic, now);
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
    if (p->vehicle.present)
        robo__vehicle_override(&p->vehicle, share, now);
    for (unsigned i = 0; i < p->dofs.count; i++)
        robo__servo_override(&p->servo[i], share, now);
    pthread_mutex_unlock(&p->lock);
}

/* ---- its life ---- */

/* By its wheels, from where the root began. */
static unsigned put_odometry(const struct physics *p, const struct robo_link *root, double *value)
{
    const double x = p->vehicle.odometry[0] - root->position[0],
                 y = p->vehicle.odometry[1] - root->position[1], c = cos(root->attitude[2]),
                 s = sin(root->attitude[2]);
    value[0] = c * x + s * y;
    value[1] = c * y - s * x;
    value[2] = p->vehicle.odometry[2] - root->attitude[2];
    return 3;
}

/* What the physics alone knows: how many values; 0: nothing. */
static unsigned put_own(struct physics *p, unsigned sensor, double *value)
{
    const struct robo_description *d = robo_device_description(p->device);
    const struct robo_sensor *s = &d->sensor[sensor];
    if (strcmp(s->kind, "physics") == 0) { /* how much of real time is reached */
        value[0] = robo__simulation_share(robo__simulation_of(robo_device_world(p->device)));
        return 1;
    }
    pthread_mutex_lock(&p->lock);
    const bool rolls = p->vehicle.present && p->vehicle.steerable;
    const unsigned count = rolls && robo_sensor_sense(s) == ROBO_SENSE_ODOMETRY
                               ? put_odometry(p, &d->link[0], value)
                               : robo__feelers_tell(&p->feelers, s, sensor, value);
    pthread_mutex_unlock(&p->lock);
    return count;
}

/* The other sensors are told of as the simple simulator does. */
static void sense(robo_device *device, const struct robo_state *state,
                  const struct robo_state *before, const uint16_t *sensor, size_t count)
{
    struct robo__actor *actor =
        robo__simulation_actor(robo__simulation_of(robo_device_world(device)), device);
    double value[ROBO_MAX_READING];
    for (size_t i = 0; i < count; i++) {
        const unsigned told = actor ? put_own(of(actor), sensor[i], value) : 0;
        if (told > 0)
            robo_sensed(device, sensor[i], state->time, value, told);
        else
            robo__sim_sense(device, state, before, &sensor[i], 1);
    }
}

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
    const double root[3] = { 0, 0, d->link[0].position[2] };
    robo__vehicle_init(&p->vehicle, device, p->tuning.bandwidth, now);
    robo__sim_battery_init(&p->battery, d, now);
    error = robo__feelers_init(&p->feelers, device);
    if (error < 0)
        return error;
    robo__trunk_of(d, root, 0, &p->trunk);
    p->told = now - TELL;
    p->actor =
        (struct robo__actor){ .kind = &ACTOR, .device = device, .forces = p->feelers.forces };
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
    robo__feelers_close(&p->feelers);
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
                                          .sense = sense,
                                          .halt = halt,
                                          .reset = reset,
                                          .override = override,
                                          .parts = 1,
                                          .bounds = 1,
                                          .velocities = 1,
                                          .close = close_physics,
                                          .check = check,
                                          .picture = picture };
