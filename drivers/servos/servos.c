/* The driver of servos on a serial bus: the functions that the robot calls. */
#include "drivers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/mutex.h"
#include "base/time.h"
#include "device.h"
#include "robotalk/device.h"
#include "robotalk/host.h"
#include "robot/reports.h"
#include "../servo_bus/servo_bus.h"

static const robo_time LOOK = 10 * 1000000;   /* between two looks whether a set-point is reached */
static const robo_time PATIENCE = 1000000000; /* a dof that is not there by then gets no closer */
static const double RESTS = 0.1; /* rad/s or m/s: readings of a dof that rests jitter */

/* The clock of motions, which the engine reads, too. That of a simulated bus is the robot's, or what it needs until the end of a cycle; a thread
 * needs real time also in a virtual world, whose clock stands while nobody looks. */
static robo_time clock_of(struct robo__servos *d, robo_time now)
{
    if (d->threaded)
        return d->is_virtual ? robo__time_monotonic() : now;
    d->port.kind->wait(&d->port, now);
    return robo__servos_now(d);
}

/* ---- open and close ---- */

static int check_servos(const struct robo_description *description, unsigned device, char why[128])
{
    struct robo__servos *scratch = calloc(1, sizeof *scratch);
    if (!scratch) {
        snprintf(why, 128, "not enough memory");
        return ROBO_ENOMEM;
    }
    const int error = robo__servos_wire(scratch, description, device, why);
    free(scratch);
    return error;
}

/* The dof's part of a command; with the lock. */
static bool start_dof(struct robo__dofs *dofs, unsigned i, const struct robo_cmd *cmd,
                      robo_time now)
{
    struct robo__servos *d = robo__container_of(dofs, struct robo__servos, dofs);
    struct robo__servos_joint *j = &d->joint[i];
    const struct robo_dof *dof = j->dof;
    const bool forced = robo__command_of(cmd->op)->servo == ROBO_SERVO_FORCE;
    j->over = 0;
    j->force = 0;
    if (forced) {
        const double wanted = cmd->body.servo.value[dofs->dof[i].number],
                     most = dof->force > 0 ? dof->force : HUGE_VAL;
        j->force = fmin(fmax(wanted, -most), most);
        return j->force == wanted;
    }
    robo__profile_cut(&j->profile, now);
    if (cmd->op == ROBO_STOP &&
        j->profile.speed == 0) { /* it stays where it is, also beyond a limit */
        robo__profile_halt(&j->profile);
        return true;
    }
    return robo__profile_give(&j->profile, cmd, dofs->dof[i].number, dof->home, dofs->scaled);
}

static void finish_dofs(struct robo__dofs *dofs, unsigned device, robo_ticket ticket,
                        enum robo_signal signal, enum robo_reason reason)
{
    struct robo__servos *d = robo__container_of(dofs, struct robo__servos, dofs);
    (void)device;
    if (d->base.ticket != ticket) /* a stop, which the base has, too */
        robo_done(d->device, ticket, signal, reason);
}

static void init_joints(struct robo__servos *d, robo_time now)
{
    static const struct robo__dofs_kind kind = { .start = start_dof, .done = finish_dofs };
    const struct robo_description *is = robo_device_description(d->device);
    robo__dofs_init(&d->dofs, &kind, is, 1u << robo_device_index(d->device), d->part);
    for (size_t i = 0; i < d->count; i++) {
        struct robo__servos_joint *j = &d->joint[i];
        robo__profile_init(&j->profile, j->dof, clock_of(d, now));
        for (unsigned r = 0; r < ROBO__SERVOS_REGISTERS; r++)
            j->value[r] = NAN;
    }
    robo__servos_base_init(d, clock_of(d, now));
}

/* The serial port of that path, or a bus with the described servos. */
static int choose_port(struct robo__servos *d, robo_time now, char why[128])
{
    d->port.kind = d->threaded ? &robo__servos_serial : &robo__servos_simulated;
    d->port.path = d->wiring.port;
    d->port.baud = (long)d->wiring.baud;
    d->port.closing = &d->closing;
    d->port.emergency.bytes = d->still;
    d->port.emergency.count = d->stills;
    d->port.clock = now;
    return d->threaded ? 0 : robo__servos_simulate(d, now, why);
}

static int open_servos(void *state, robo_device *device, robo_time now)
{
    struct robo__servos *d = state;
    char why[128];
    d->device = device;
    d->port.wake = -1;
    robo__mutex_init(&d->lock);
    pthread_cond_init(&d->settled, NULL);
    const int error = robo__servos_wire(d, robo_device_description(device),
                                        (unsigned)robo_device_index(device), why);
    if (error < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return error;
    }
    d->is_virtual = robo_is_virtual(robo_device_world(device));
    d->threaded = !robo__servos_is_simulated(d);
    robo__servos_make_still(d);
    if (choose_port(d, now, why) < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s", why);
        return ROBO_EDEVICE;
    }
    init_joints(d, now);
    robo__servos_find_sensors(d);
    errno = 0;
    const int lost = robo__servos_connect(d);
    if (lost < 0) {
        robo_device_log(device, ROBO_LOG_ERROR, "%s cannot be opened: %s", d->wiring.port,
                        errno ? strerror(errno) : robo_strerror(lost));
        return lost;
    }
    if (!d->threaded)
        robo__device_look(device, now);
    return robo__servos_start(d, now);
}

static void close_servos(void *state)
{
    struct robo__servos *d = state;
    robo__servos_end(d);
    robo__servo_bus_close(d->port.bus);
    pthread_cond_destroy(&d->settled);
    pthread_mutex_destroy(&d->lock);
}

/* ---- with the robot's mutex and the lock ---- */

/* Whether the command addresses that dof. */
static bool is_meant(const struct robo__servos *d, size_t i, const struct robo_cmd *cmd)
{
    const struct robo__dof_part *p = &d->part[i];
    const enum robo_moves moves = robo__command_of(cmd->op)->moves;
    if (d->joint[i].wheel || moves == ROBO_MOVES_ROOT)
        return d->joint[i].wheel && moves == ROBO_MOVES_ROOT;
    return moves == ROBO_MOVES_JOINTS ||
           (cmd->body.servo.joint == p->joint && cmd->body.servo.mask >> p->number & 1);
}

/* Why a command cannot begin; ROBO_WHY_NONE: it can. */
static enum robo_reason obstacle(const struct robo__servos *d, const struct robo_cmd *cmd)
{
    if (!d->open)
        return ROBO_WHY_LINK;
    for (size_t i = 0; i < d->count; i++)
        if (is_meant(d, i, cmd) && d->joint[i].stage == ROBO__SERVOS_ABSENT &&
            !d->joint[i].restarts)
            return ROBO_WHY_DEVICE;
    return ROBO_WHY_NONE;
}

/* The command cannot begin; what it replaces has ended. */
static void refuse(struct robo__servos *d, const struct robo_cmd *cmd, robo_ticket ticket,
                   enum robo_reason why, robo_time now)
{
    for (size_t i = 0; i < d->count; i++)
        if (is_meant(d, i, cmd)) {
            d->joint[i].force = 0;
            robo__profile_cut(&d->joint[i].profile, now);
            robo__profile_stop(&d->joint[i].profile);
        }
    if (robo__command_of(cmd->op)->moves == ROBO_MOVES_ROOT)
        robo__servos_base_halt(d, true, now);
    robo_done(d->device, ticket, ROBO_ERROR, why);
}

static void start(void *state, const struct robo_cmd *cmd, robo_ticket ticket, robo_time now)
{
    struct robo__servos *d = state;
    pthread_mutex_lock(&d->lock);
    d->halted &= cmd->op == ROBO_STOP; /* no other begins in a panic */
    const enum robo_moves moves = robo__command_of(cmd->op)->moves;
    const bool drives =
        moves == ROBO_MOVES_ROOT || (cmd->op == ROBO_STOP && robo__stop_has_base(&cmd->body.stop));
    const enum robo_reason why = cmd->op == ROBO_STOP ? ROBO_WHY_NONE : obstacle(d, cmd);
    if ((cmd->op != ROBO_STOP && !d->wiring.torque) || moves == ROBO_MOVES_LEG)
        robo_done(d->device, ticket, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    else if (why)
        refuse(d, cmd, ticket, why, clock_of(d, now));
    else {
        if (d->base.present && drives)
            robo__servos_base_start(d, cmd, ticket, clock_of(d, now));
        if (moves != ROBO_MOVES_ROOT)
            robo__dofs_give(&d->dofs, (unsigned)robo_device_index(d->device), cmd, ticket,
                            clock_of(d, now));
    }
    pthread_mutex_unlock(&d->lock);
}

/* Whether a dof's motion is over; *next: else when to look again. reached: it is where it should be. */
static bool is_over(const struct robo__servos *d, struct robo__servos_joint *j, robo_time end,
                    robo_time now, robo_time *next, bool *reached)
{
    const struct robo__profile *p = &j->profile;
    *reached = true;
    *next = now + LOOK;
    if (robo__profile_is_held(p) ||
        (j->stage != ROBO__SERVOS_LIVE && p->goal != ROBO__PROFILE_RESTS))
        return false; /* it goes on, or begins, later */
    if (end != ROBO_NEVER && end > now) {
        *next = end;
        return false;
    }
    if (j->servo.mode != ROBO__SERVOS_BY_POSITION || p->goal != ROBO__PROFILE_MOVES ||
        p->speed != 0 || fabs(j->value[ROBO__SERVOS_POSITION] - p->position) <= d->wiring.tolerance)
        return true;
    if (j->over == 0)
        j->over = now;
    *reached = false;
    return now - j->over >= PATIENCE;
}

static robo_time advance(void *state, robo_time world_now)
{
    struct robo__servos *d = state;
    robo_time first, next, now = clock_of(d, world_now);
    if (!d->threaded) {
        robo__servos_run(d, world_now);
        now = robo__servos_now(d);
    }
    pthread_mutex_lock(&d->lock);
    first = robo__servos_base_advance(d, now);
    for (unsigned i = 0; i < d->dofs.count; i++) {
        struct robo__servos_joint *j = &d->joint[i];
        const robo_time end = robo__profile_end(&j->profile);
        bool reached;
        robo__profile_advance(&j->profile, now);
        if (!d->dofs.dof[i].ticket)
            continue;
        if (is_over(d, j, end, now, &next, &reached))
            robo__dofs_end(&d->dofs, i, reached);
        else if (next < first)
            first = next;
    }
    pthread_mutex_unlock(&d->lock);
    if (!d->threaded)
        return first < d->next ? first : d->next;
    return first == ROBO_NEVER ? ROBO_NEVER : world_now + (first - now);
}

static void read_servos(const void *state, robo_time now, struct robo_state *out)
{
    /* the lock is no part of the state */
    struct robo__servos *d = (struct robo__servos *)(uintptr_t)state;
    (void)now;
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < d->count; i++) {
        const struct robo__servos_joint *j = &d->joint[i];
        const double told = j->value[ROBO__SERVOS_SPEED],
                     speed = j->stage == ROBO__SERVOS_ABSENT || isnan(told) ? 0 : told;
        if (!j->wheel) {
            out->position[j->index] = j->value[ROBO__SERVOS_POSITION];
            out->speed[j->index] = speed;
        }
        if (j->profile.speed != 0 || fabs(speed) > RESTS)
            out->moving = 1;
    }
    robo__servos_base_read(d, out);
    pthread_mutex_unlock(&d->lock);
}

static void forces(const void *state, robo_time now, double *force)
{
    struct robo__servos *d = (struct robo__servos *)(uintptr_t)state;
    (void)now;
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < d->dofs.count; i++)
        force[d->joint[i].index] =
            robo__servos_force(&d->joint[i].servo, d->joint[i].value[ROBO__SERVOS_CURRENT]);
    pthread_mutex_unlock(&d->lock);
}

static void halt(void *state, robo_time now)
{
    struct robo__servos *d = state;
    uint8_t out[ROBO__SERVOS_GOALS];
    pthread_mutex_lock(&d->lock);
    const robo_time at = clock_of(d, now);
    robo__dofs_forget(&d->dofs, UINT32_MAX);
    d->halted = true;
    d->by_messages = false;
    d->halts = 0;
    robo__servos_stop(d, at);
    if (d->wiring.torque && d->panic == ROBO_LIMP) /* made by open */
        robo__servos_say(d, d->still, d->stills);
    else
        robo__servos_say(d, out, robo__servos_goals(d, NULL, at, out));
    pthread_mutex_unlock(&d->lock);
    if (!d->threaded)
        robo__device_look(d->device, now); /* the cycles go on */
}

static void reset(void *state, robo_time now)
{
    struct robo__servos *d = state;
    (void)now;
    pthread_mutex_lock(&d->lock);
    d->halted = false;
    for (size_t i = 0; i < d->count; i++)
        d->joint[i].restarted = false;
    pthread_mutex_unlock(&d->lock);
}

static void override(void *state, double share, robo_time now)
{
    struct robo__servos *d = state;
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < d->count; i++)
        robo__profile_override(&d->joint[i].profile, share, clock_of(d, now));
    robo__servos_base_override(d, share, clock_of(d, now));
    pthread_mutex_unlock(&d->lock);
}

/* ---- messages of the robot's bus ---- */

enum {
    WAITED = 100000000, /* ns between two messages to a dof, at most: later ones count as that */
    AHEAD = 20000000,   /* ns: a message has the position of an instant a little later */
    HALTS = 2           /* cycles write a halt again, since nobody answers a sync write */
};

/* Whether all dofs have come to rest since the halt, which cycles are for. */
static bool have_rested(const struct robo__servos *d, robo_time now)
{
    bool all = true;
    for (size_t i = 0; i < d->dofs.count; i++) {
        const robo_time end = robo__profile_end(&d->joint[i].profile);
        all &= end == ROBO_NEVER || end <= now;
    }
    return all;
}

/* The goal of a message: true when it is all of it. Messages that had to wait ask for a way that the dof has not time
 * for, and a goal is no further than the dof gets meanwhile. */
static bool obey(struct robo__servos_joint *j, const struct robo_bus_message *message,
                 robo_time now)
{
    const robo_time waited = now - j->told < WAITED ? now - j->told : WAITED;
    const double room = j->most * 1e-9 * (double)(waited + AHEAD);
    double was, speed, goal = message->value;
    j->told = now;
    robo__profile_cut(&j->profile, now);
    if (message->servo == ROBO_SERVO_FORCE) {
        j->force = goal;
        return true;
    }
    robo__profile_read(&j->profile, now, &was, &speed);
    goal = fmin(fmax(goal, was - room), was + room);
    robo__profile_halt(&j->profile);
    robo__profile_restart(&j->profile, goal, now);
    return goal == message->value;
}

/* A sync write to one servo, which has no answer. */
static int send_one(struct robo__servos *d, struct robo__servos_joint *j,
                    const struct robo_bus_message *message, robo_time now)
{
    uint8_t out[ROBO__SERVOS_GOALS];
    const robo_time at = d->threaded ? clock_of(d, now) : now,
                    lasts = (robo_time)(1e9 * robo__servos_message_time(&d->cycle, &d->line));
    if (!d->open)
        return ROBO_ELINK;
    if (!d->wiring.torque || (j->stage == ROBO__SERVOS_ABSENT && !j->restarts))
        return ROBO_EDEVICE;
    if (j->stage != ROBO__SERVOS_LIVE) {
        d->halted = false; /* it may be switched on */
        return ROBO_EFULL;
    }
    /* slots may be late, and the next ones early; cycles write and end what a halt has begun */
    if (d->asks || d->free_at - at > lasts / 2 ||
        (!d->by_messages && (d->halts < HALTS || !have_rested(d, at))))
        return ROBO_EFULL;
    d->halted = false;
    const bool all = obey(j, message, clock_of(d, now));
    if (!robo__servos_say(d, out, robo__servos_goals(d, j, clock_of(d, now), out)))
        return ROBO_EFULL;
    d->by_messages = true;
    d->free_at = (d->free_at > at ? d->free_at : at) + lasts;
    return all ? 0 : ROBO_EFULL; /* what is left of the way is asked for again */
}

static int send(void *state, const struct robo_bus_message *message, robo_time now)
{
    struct robo__servos *d = state;
    int error = ROBO_EINVAL;
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < d->dofs.count; i++)
        if (d->part[i].joint == message->joint && d->part[i].number == message->dof)
            error = send_one(d, &d->joint[i], message, now);
    pthread_mutex_unlock(&d->lock);
    return error;
}

const robo_driver robo_servos_driver = { .size = sizeof(robo_driver),
                                         .name = "servos",
                                         .state_size = sizeof(struct robo__servos),
                                         .open = open_servos,
                                         .start = start,
                                         .advance = advance,
                                         .read = read_servos,
                                         .forces = forces,
                                         .halt = halt,
                                         .reset = reset,
                                         .override = override,
                                         .send = send,
                                         .parts = 1,
                                         .bounds = 1,
                                         .velocities = 1,
                                         .close = close_servos,
                                         .check = check_servos };
