/* The simulator: a driver for bodies that do not exist. It passes commands to a base (base.h) and to the dofs of joints (profile.h),
 * answers them, draws on a battery (battery.h), and is exact: what it reports depends on the commands and their instants alone,
 * never on how often it was asked. */
#include "drivers.h"

#include <limits.h>
#include <stdlib.h>

#include "../camera/test_card.h"
#include "../options.h"
#include "base.h"
#include "battery.h"
#include "base_obstacles.h"
#include "senses.h"
#include "body/model.h"
#include "robot/reports.h"
#include "motion/dof_tickets.h"
#include "motion/profile.h"
#include "base/command.h"
#include "base/time.h"
#include "robotalk/device.h"

/* The motion of a dof of this device. */
struct dof {
    struct robo__profile servo;
    double home, retreat;
    bool retreats;
};

struct sim {
    robo_device *device;
    bool has_base, holonomic;
    uint8_t panic; /* the meaning of halt: ROBO_HOLD … */
    struct robo__sim_base base;
    struct robo__hull hull;
    struct robo__sim_battery battery;
    robo_ticket base_ticket;
    bool base_clipped;
    robo_time base_end;
    struct robo__dofs dofs;
    struct robo__dof_part *part; /* of these dofs */
    struct dof *dof;             /* of these parts */
};

/* The dof's part of a command. */
static bool start_dof(struct robo__dofs *dofs, unsigned i, const struct robo_cmd *cmd,
                      robo_time now)
{
    struct dof *dof = &robo__container_of(dofs, struct sim, dofs)->dof[i];
    robo__profile_cut(&dof->servo, now);
    return robo__profile_give(&dof->servo, cmd, dofs->dof[i].number, dof->home, dofs->scaled);
}

/* The dofs are done with a command; a stop has the base, too. */
static void finish_dofs(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                        enum robo_signal signal, enum robo_reason reason)
{
    struct sim *sim = robo__container_of(dofs, struct sim, dofs);
    (void)device;
    if (sim->base_ticket != ticket)
        robo_done(sim->device, ticket, signal, reason);
}

/* The inertia that dofs move; 1 in a body without a geometry. */
static void weigh(struct sim *sim)
{
    const robo_model *model = robo_body_model(robo_device_body(sim->device));
    for (unsigned i = 0; model && i < sim->dofs.count; i++)
        sim->dof[i].servo.inertia = model->inertia[sim->dofs.dof[i].index];
}

/* The wiring of a dof is for the driver of the hardware that this one stands for. */
static const struct robo__option_table OPTIONS = { .rows = 0, .reads = robo__option_names_dof };

static int check_sim(const struct robo_description *d, unsigned device, char why[128])
{
    return robo__options_read(&OPTIONS, d, device, NULL, why);
}

static int open_sim(void *state, robo_device *device, robo_time now)
{
    static const struct robo__dofs_kind kind = { .start = start_dof, .done = finish_dofs };
    struct sim *sim = state;
    const struct robo_description *d = robo_device_description(device);
    const struct robo_binding *binding = robo_device_binding(device);
    int error = robo__options_open(&OPTIONS, device, NULL);
    if (error < 0)
        return error;
    const struct robo_state *before = robo_device_before(device);
    sim->device = device;
    sim->has_base = binding->base;
    sim->holonomic = d->holonomic;
    sim->panic = d->panic;
    sim->base_end = ROBO_NEVER;
    robo__sim_base_init(&sim->base, d, now);
    robo__sim_battery_init(&sim->battery, d, now);
    if (before)
        robo__sim_base_resume(&sim->base, before);
    robo__hull_init(&sim->hull, device);
    if (sim->has_base)
        robo__hull_tell(&sim->hull, &sim->base, now);
    const unsigned devices = 1u << robo_device_index(device), count = robo__dofs_count(d, devices);
    sim->part = calloc(count + 1u, sizeof *sim->part);
    sim->dof = calloc(count + 1u, sizeof *sim->dof);
    if (!sim->part || !sim->dof)
        return ROBO_ENOMEM;
    robo__dofs_init(&sim->dofs, &kind, d, devices, sim->part);
    for (unsigned i = 0; i < sim->dofs.count; i++) {
        const unsigned index = sim->dofs.dof[i].index;
        const struct robo_dof *is = &d->dof[index];
        struct dof *dof = &sim->dof[i];
        *dof = (struct dof){ .home = is->home, .retreat = is->retreat, .retreats = is->retreats };
        robo__profile_init(&dof->servo, is, now);
        if (before)
            robo__profile_resume(&dof->servo, before->position[index]);
    }
    weigh(sim);
    return 0;
}

/* ---- obstacles ---- */

/* The base looks so far ahead, and stops short of an obstacle by as much. */
static const robo_time AHEAD = 5 * 1000000;

/* The base stops when it would touch something; its command is answered ERROR, blocked. Returns when to look
 * again. */
static robo_time look_ahead(struct sim *sim, robo_time now)
{
    char name[64];
    const enum robo__way way = robo__hull_way(&sim->hull, &sim->base, now, now + AHEAD, name);
    if (way == ROBO__WAY_UNKNOWN || (way == ROBO__WAY_STANDS && !sim->base_ticket))
        return ROBO_NEVER;
    if (way != ROBO__WAY_BLOCKED)
        return now + AHEAD;
    robo__sim_base_cut(&sim->base, now);
    const bool stops = sim->base.braking; /* which it does */
    robo__sim_base_halt(&sim->base);
    const robo_ticket ticket = sim->base_ticket;
    sim->base_ticket = 0;
    sim->base_end = ROBO_NEVER;
    if (!stops)
        robo__device_blocked(sim->device, name);
    if (ticket && !robo__dofs_wait(&sim->dofs, (unsigned)robo_device_index(sim->device), ticket))
        robo_done(sim->device, ticket, stops ? ROBO_SUCCESS : ROBO_ERROR,
                  stops ? ROBO_WHY_NONE : ROBO_WHY_BLOCKED);
    return ROBO_NEVER;
}

static robo_time advance(void *state, robo_time now)
{
    struct sim *sim = state;
    robo_time next = ROBO_NEVER, look = ROBO_NEVER;
    if (sim->has_base) {
        robo__sim_base_advance(&sim->base, now);
        if (robo__surroundings_of(robo_device_world(sim->device))) { /* else there are no readers */
            look = look_ahead(sim, now);
            robo__hull_tell(&sim->hull, &sim->base, now);
        }
        if (sim->base_ticket && sim->base_end <= now) {
            robo_ticket ticket = sim->base_ticket;
            sim->base_ticket = 0;
            sim->base_end = ROBO_NEVER;
            if (!robo__dofs_wait(&sim->dofs, (unsigned)robo_device_index(sim->device), ticket))
                robo_done(sim->device, ticket, sim->base_clipped ? ROBO_MODIFIED : ROBO_SUCCESS,
                          sim->base_clipped ? ROBO_WHY_LIMIT : ROBO_WHY_NONE);
        }
        /* a stop of the core's own has no result */
        next = sim->base_ticket ? sim->base_end : ROBO_NEVER;
    }
    for (unsigned i = 0; i < sim->dofs.count; i++) {
        struct dof *dof = &sim->dof[i];
        robo_time end = robo__profile_end(&dof->servo);
        robo__profile_advance(&dof->servo, now);
        if (!sim->dofs.dof[i].ticket)
            continue;
        if (robo__profile_is_held(&dof->servo))
            continue;
        if (end == ROBO_NEVER || end <= now)
            robo__dofs_end(&sim->dofs, i, true);
        else if (end < next)
            next = end;
    }
    return look < next ? look : next;
}

static void set_speed(struct sim *sim, const struct robo_set_speed *wanted, robo_ticket ticket,
                      robo_time now)
{
    char name[64] = "";
    double v[3] = { wanted->x, wanted->y, wanted->theta };
    enum robo_reason why = ROBO_WHY_NONE;
    for (int i = 0; i < 3; i++) {
        double most = sim->base.limit[i], clipped = v[i] > most    ? most
                                                    : v[i] < -most ? -most
                                                                   : v[i];
        if (clipped != v[i])
            why = i == 1 && !sim->holonomic ? ROBO_WHY_HOLONOMIC : why ? why : ROBO_WHY_LIMIT;
        v[i] = clipped;
    }
    if (robo__hull_leave(&sim->hull, &sim->base, now, AHEAD, v, name))
        why = ROBO_WHY_BLOCKED;
    robo__device_blocked(sim->device, why == ROBO_WHY_BLOCKED ? name : "");
    if (why == ROBO_WHY_BLOCKED && v[0] == 0 && v[1] == 0 && v[2] == 0) {
        robo__sim_base_stop(&sim->base); /* its former motion is over */
        robo_done(sim->device, ticket, ROBO_ERROR, why);
        return;
    }
    robo__sim_base_set_speed(&sim->base, v);
    robo_done(sim->device, ticket, why ? ROBO_MODIFIED : ROBO_SUCCESS, why);
}

static void start_base(struct sim *sim, const struct robo_cmd *cmd, robo_ticket ticket,
                       robo_time now)
{
    robo__sim_base_cut(&sim->base, now);
    sim->base_ticket = 0;
    sim->base_end = ROBO_NEVER;
    double charge = robo__sim_battery_charge(&sim->battery, now, sim->base.path, sim->base.turned);
    if (sim->battery.capacity > 0 && charge <= 0 && cmd->op != ROBO_STOP) {
        robo__sim_base_stop(&sim->base); /* its former motion is over */
        robo_done(sim->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
        return;
    }
    if (cmd->op == ROBO_SET_SPEED) {
        set_speed(sim, &cmd->body.set_speed, ticket, now);
        return;
    }
    robo__device_blocked(sim->device, "");
    sim->base_clipped = false;
    if (cmd->op == ROBO_GO_TO)
        sim->base_clipped = !robo__sim_base_go_to(&sim->base, &cmd->body.go_to);
    else
        robo__sim_base_stop(&sim->base);
    sim->base_ticket = ticket;
    sim->base_end = robo__sim_base_end(&sim->base);
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct sim *sim = state;
    const enum robo_moves moves = robo__command_of(cmd->op)->moves;
    if (sim->has_base && (moves == ROBO_MOVES_ROOT ||
                          (moves == ROBO_MOVES_ALL && robo__stop_has_base(&cmd->body.stop))))
        start_base(sim, cmd, ticket, now);
    if (moves == ROBO_MOVES_LEG)
        robo_done(sim->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED); /* wheels have no legs */
    else if (moves != ROBO_MOVES_ROOT)
        robo__dofs_give(&sim->dofs, (unsigned)robo_device_index(sim->device), cmd, ticket, now);
}

static void read_base(const struct sim *sim, robo_time now, struct robo_state *out)
{
    const struct robo_description *d = robo_device_description(sim->device);
    struct robo__sim_base base = sim->base;
    robo__sim_base_cut(&base, now);
    out->pose[0] = base.x;
    out->pose[1] = base.y;
    out->pose[2] = d->links > 0 ? d->link[0].position[2] : 0; /* it stays at its height */
    out->attitude[2] = base.theta;
    out->twist[0] = base.v[0];
    out->twist[1] = base.v[1];
    out->spin[2] = base.v[2];
    out->charge = robo__sim_battery_charge(&sim->battery, now, base.path, base.turned);
    out->voltage = robo__sim_battery_voltage(&sim->battery, out->charge);
    if (base.v[0] != 0 || base.v[1] != 0 || base.v[2] != 0)
        out->moving = 1;
}

static void read(const void *state, robo_time now, struct robo_state *out)
{
    const struct sim *sim = state;
    if (sim->has_base)
        read_base(sim, now, out);
    for (unsigned i = 0; i < sim->dofs.count; i++) {
        unsigned k = sim->dofs.dof[i].index;
        robo__profile_read(&sim->dof[i].servo, now, &out->position[k], &out->speed[k]);
        if (out->speed[k] != 0)
            out->moving = 1;
    }
}

static void forces(const void *state, robo_time now, double *force)
{
    (void)now;
    const struct sim *sim = state;
    for (unsigned i = 0; i < sim->dofs.count; i++)
        force[sim->dofs.dof[i].index] = robo__profile_force(&sim->dof[i].servo);
}

static void halt(void *state, robo_time now)
{
    struct sim *sim = state;
    if (sim->has_base) {
        robo__sim_base_cut(&sim->base, now);
        /* wheels without a motor are stopped by their gears */
        if (sim->panic == ROBO_HOLD)
            robo__sim_base_halt(&sim->base);
        else
            robo__sim_base_stop(&sim->base);
        robo__hull_tell(&sim->hull, &sim->base, now);
    }
    sim->base_ticket = 0;
    sim->base_end = ROBO_NEVER;
    robo__dofs_forget(&sim->dofs, UINT_MAX);
    for (unsigned i = 0; i < sim->dofs.count; i++) {
        struct dof *dof = &sim->dof[i];
        robo__profile_cut(&dof->servo, now);
        if (sim->panic == ROBO_BRAKE)
            robo__profile_stop(&dof->servo);
        else if (sim->panic == ROBO_LIMP)
            robo__profile_coast(&dof->servo);
        else if (sim->panic == ROBO_RETREAT && dof->retreats)
            robo__profile_move(&dof->servo, dof->retreat, (struct robo__bounds){ 0, 0 });
        else
            robo__profile_halt(&dof->servo);
    }
}

static void override(void *state, double share, robo_time now)
{
    struct sim *sim = state;
    if (sim->has_base) {
        robo__sim_base_cut(&sim->base, now);
        robo__sim_base_override(&sim->base, share);
        sim->base_end = sim->base_ticket ? robo__sim_base_end(&sim->base) : ROBO_NEVER;
    }
    for (unsigned i = 0; i < sim->dofs.count; i++)
        robo__profile_override(&sim->dof[i].servo, share, now);
}

static void close_sim(void *state)
{
    struct sim *sim = state;
    free(sim->part);
    free(sim->dof);
}

const robo_driver robo_sim_driver = { .size = sizeof(robo_driver),
                                      .name = "sim",
                                      .state_size = sizeof(struct sim),
                                      .open = open_sim,
                                      .start = start,
                                      .advance = advance,
                                      .read = read,
                                      .forces = forces,
                                      .sense = robo__sim_sense,
                                      .picture = robo__card_picture,
                                      .halt = halt,
                                      .override = override,
                                      .parts = 1,
                                      .bounds = 1,
                                      .velocities = 1,
                                      .close = close_sim,
                                      .check = check_sim };
