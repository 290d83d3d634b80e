/* The robot's side of a driver that asks. */
#include "claimed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot/reports.h"
#include "robot/client.h"
#include "robot/world/world.h"
#include "base/command.h"
#include "base/mutex.h"
#include "base/time.h"
#include "body/body.h"
#include "robotalk/device.h"

static const robo_time AGAIN = 1000000;       /* time until a full line is tried again */
static const robo_time STOP_MOST = 500000000; /* time that it may take to begin a stop */
static const robo_time STOP_HURRIED =
    20000000; /* the same at the end of the program, whose script may be busy */

/* The open devices, in which drivers find theirs. */
static struct robo__claimed *devices;
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the line ---- */

bool robo__claimed_is_silent(const struct robo__claimed *d)
{
    return robo__robot_alarm(d->robot).panic || d->halts != d->heard || d->closing || d->last ||
           robo__device_is_removed(d->device);
}

/* Bytes were given to the line: whether a later flush is needed. */
static void look_after(struct robo__claimed *d)
{
    if (d->port && d->port->out.frames > 0)
        robo__device_look(d->device, robo__robot_now(d->robot) + AGAIN);
}

/* Whether that is the device's sign of life, and it is only for a panic that nothing else goes out. */
static bool is_sign(const struct robo__claimed *d, int64_t number, const void *bytes, size_t n)
{
    return number == 0 && n == d->sign_bytes && n > 0 && memcmp(bytes, d->sign, n) == 0 &&
           !d->closing && !d->last && !robo__device_is_removed(d->device);
}

int robo__claimed_write(struct robo__claimed *d, int64_t number, const void *bytes, size_t n)
{
    bool of_this_halt = number < 0 && number == -(int64_t)d->halts && d->halts != d->heard;
    if (robo__claimed_is_silent(d) && !of_this_halt && !is_sign(d, number, bytes, n))
        return ROBO_EPANIC;
    const struct robo__claimed_job *job = robo__claimed_job_of(d, number);
    if (number != 0 && !of_this_halt && (!job || !job->begun))
        return ROBO_ENONE;
    if (!d->port)
        return ROBO_EDEVICE;
    int error = robo__outbox_put(&d->port->out, bytes, n, number);
    look_after(d);
    return error == ROBO_EFULL ? 0 : error < 0 ? error : (int)n;
}

/* Writes the halt's bytes and has the halt handled. Commands that wait until then go on waiting. The device is not
 * notified of a panic that it has reported itself. */
static void write_halt(struct robo__claimed *d, enum robo_halt_cause why)
{
    bool told;
    const bool panics = robo__device_panics(d->device, &told);
    d->panics_told += told;
    d->halts++;
    d->why = why;
    robo__claimed_wake(d);
    if (d->port)
        d->alarms += robo__claimed_port_halt(d->port, panics && !told);
    look_after(d);
}

void robo__claimed_halt(struct robo__claimed *d, enum robo_halt_cause why)
{
    robo__claimed_end_all(d);
    write_halt(d, why);
}

uint32_t robo__claimed_given(const struct robo__claimed *d)
{
    return robo__robot_alarm(d->robot).epoch - d->panics_told;
}

bool robo__claimed_given_now(const struct robo__claimed *d)
{
    return robo__robot_alarm(d->robot).panic && robo__claimed_given(d) != d->panics_over;
}

enum robo_halt_cause robo__claimed_why(const struct robo__claimed *d)
{
    return d->last || robo__device_is_removed(d->device) ? ROBO_HALT_CLOSE : d->why;
}

void robo__claimed_fault(struct robo__claimed *d, enum robo_reason reason)
{
    robo__device_fault(d->device, reason);
    robo__claimed_end_all(d);
    robo__claimed_wake(d);
}

struct robo__claimed_port *robo__claimed_port_swap(struct robo__claimed *d,
                                                   struct robo__claimed_port *port)
{
    struct robo__claimed_port *old = d->port;
    const bool silent = robo__claimed_is_silent(d);
    if (old && !silent) /* of a halted device, the waiting bytes are the halt */
        robo__outbox_drop(&old->out, 0);
    d->port = port;
    if (port && silent && old && d->halts == d->heard && !d->closing)
        robo__claimed_port_halt(
            port, false);    /* the halt was handled: its bytes alone are for the new port, too */
    else if (port && silent) /* it was halted when there was no port yet */
        write_halt(d, d->halts != d->heard ? d->why
                      : d->closing         ? ROBO_HALT_CLOSE
                                           : ROBO_HALT_PANIC);
    return old;
}

/* ---- calls by the robot ---- */

/* For a stop that did not begin in time, and that was answered: later commands end, too. */
static void halt_instead(struct robo__claimed *d)
{
    for (size_t i = 0; i < d->jobs; i++)
        if (robo__claimed_job_lives(&d->job[i]))
            robo__claimed_job_answer(d, &d->job[i], ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    robo__claimed_halt(d, ROBO_HALT_STOP);
}

static struct robo__claimed *of(const void *state)
{
    return *(struct robo__claimed *const *)state;
}

static void start_command(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                          robo_time now)
{
    struct robo__claimed *d = of(state);
    struct robo__claimed_job fresh = {
        .phase = ROBO__JOB_WAITS, .turn = ++d->turns, .cmd = *cmd, .ticket = ticket, .at = now
    };
    robo__claimed_aim(d, &fresh);
    robo__claimed_overtake(d, &fresh);
    struct robo__claimed_job *place = robo__claimed_job_first(d, ROBO__JOB_NONE);
    if (!d->claim || d->closing) {
        robo_done(d->device, ticket, ROBO_ERROR, ROBO_WHY_DEVICE);
    } else if (place) {
        fresh.generation = place->generation + 1;
        *place = fresh;
        robo__claimed_wake(d);
    } else if (cmd->op == ROBO_STOP) { /* a stop is never refused */
        robo_done(d->device, ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
        halt_instead(d);
    } else {
        robo_done(d->device, ticket, ROBO_ERROR, ROBO_WHY_FULL);
    }
}

/* Runs on the robot's thread, also while the driver is busy: a stop that it does not begin in time becomes a halt, and a
 * full line is tried again. */
static robo_time attend(void *state, robo_time now)
{
    struct robo__claimed *d = of(state);
    robo_time next = ROBO_NEVER;
    const robo_time most =
        robo__world_hurries(robo__robot_world(d->robot)) ? STOP_HURRIED : STOP_MOST;
    for (size_t i = 0; i < d->jobs; i++) {
        struct robo__claimed_job *job = &d->job[i];
        if (!robo__claimed_job_lives(job) || job->begun || job->cmd.op != ROBO_STOP)
            continue;
        if (now - job->at >= most) {
            robo__claimed_job_answer(d, job, ROBO_SUCCESS, ROBO_WHY_NONE);
            halt_instead(d);
        } else if (job->at + most < next) {
            next = job->at + most;
        }
    }
    return d->port && robo__outbox_flush(&d->port->out) ? now + AGAIN : next;
}

static void let_go(struct robo__claimed *d)
{
    if (atomic_fetch_sub(&d->holders, 1) > 1)
        return;
    robo__device_release(d->device);
    robo_release(d->robot);
    free(d->position);
    free(d->job);
    free(d);
}

static unsigned count_dofs(const robo_device *device)
{
    const struct robo_description *body = robo_device_description(device);
    unsigned dofs = 0;
    for (size_t i = 0; i < body->joints; i++)
        if (body->joint[i].device == robo_device_index(device))
            dofs += body->joint[i].dofs;
    return dofs;
}

/* The robot's position before it was reloaded, until its driver reports a newer one. */
static void resume(struct robo__claimed *d, const struct robo_state *before)
{
    const struct robo_description *body = robo_device_description(d->device);
    size_t n = 0;
    d->pose[0] = before->pose[0];
    d->pose[1] = before->pose[1];
    d->pose[2] = before->attitude[2];
    for (size_t i = 0; i < body->joints; i++) {
        const struct robo_joint *j = &body->joint[i];
        for (size_t k = 0; j->device == robo_device_index(d->device) && k < j->dofs; k++, n++)
            if (!isnan(before->position[j->first + k])) /* there was such a dof */
                d->position[n] = before->position[j->first + k];
    }
}

static int open_device(void *state, robo_device *device, robo_time now)
{
    (void)now;
    const unsigned all = robo_device_description(device)->dofs;
    struct robo__claimed *d = calloc(1, sizeof *d);
    if (!d)
        return ROBO_ENOMEM;
    atomic_init(&d->holders, 1);
    d->device = robo__device_hold(device);
    d->robot = robo_hold(robo__device_robot(device));
    d->dofs = count_dofs(device);
    d->jobs = 3 * all > ROBO__JOBS ? 3 * all : ROBO__JOBS;
    d->position = calloc(3u * d->dofs + 1, sizeof *d->position);
    d->job = calloc(d->jobs, sizeof *d->job);
    if (!d->position || !d->job) {
        let_go(d);
        return ROBO_ENOMEM;
    }
    d->speed = d->position + d->dofs;
    d->force = d->speed + d->dofs;
    const struct robo__alarm alarm = robo__robot_alarm(d->robot);
    d->panics_over = alarm.epoch - (alarm.panic != 0); /* its origin is unknown */
    for (size_t i = 0; i < d->dofs; i++)
        d->force[i] = NAN;
    if (robo_device_before(device))
        resume(d, robo_device_before(device));
    *(struct robo__claimed **)state = d;
    pthread_mutex_lock(&devices_lock);
    d->next = devices;
    devices = d;
    pthread_mutex_unlock(&devices_lock);
    return 0;
}

static void read_state(const void *state, robo_time now, struct robo_state *out)
{
    (void)now;
    const struct robo__claimed *d = of(state);
    const struct robo_description *body = robo_device_description(d->device);
    size_t n = 0;
    if (robo_device_binding(d->device)->base) {
        out->pose[0] = d->pose[0];
        out->pose[1] = d->pose[1];
        out->attitude[2] = d->pose[2];
        out->twist[0] = d->twist[0];
        out->twist[1] = d->twist[1];
        out->spin[2] = d->twist[2];
        if (d->twist[0] != 0 || d->twist[1] != 0 || d->twist[2] != 0)
            out->moving = 1;
    }
    for (size_t i = 0; i < body->joints; i++) {
        const struct robo_joint *j = &body->joint[i];
        for (size_t k = 0; j->device == robo_device_index(d->device) && k < j->dofs; k++, n++) {
            out->position[j->first + k] = d->position[n];
            out->speed[j->first + k] = d->speed[n];
            if (d->speed[n] != 0)
                out->moving = 1;
        }
    }
}

static void read_forces(const void *state, robo_time now, double *force)
{
    (void)now;
    const struct robo__claimed *d = of(state);
    const struct robo_description *body = robo_device_description(d->device);
    size_t n = 0;
    for (size_t i = 0; i < body->joints; i++) {
        const struct robo_joint *j = &body->joint[i];
        for (size_t k = 0; j->device == robo_device_index(d->device) && k < j->dofs; k++)
            force[j->first + k] = d->force[n++];
    }
}

static void halt(void *state, robo_time now)
{
    (void)now;
    struct robo__claimed *d = of(state);
    d->last |= robo__device_is_reloading(d->device);
    robo__claimed_halt(d, d->last ? ROBO_HALT_CLOSE : ROBO_HALT_PANIC);
}

static void reset(void *state, robo_time now)
{
    (void)now;
    struct robo__claimed *d = of(state);
    d->panics_over = robo__claimed_given(d);
    d->reset = true;
    robo__claimed_wake(d);
}

static void close_device(void *state)
{
    struct robo__claimed *d = of(state);
    if (!d)
        return;
    pthread_mutex_lock(&devices_lock);
    for (struct robo__claimed **p = &devices; *p; p = &(*p)->next) {
        if (*p == d) {
            *p = d->next;
            break;
        }
    }
    pthread_mutex_unlock(&devices_lock);
    robo__robot_lock(d->robot);
    struct robo__claimed_port *port = robo__claimed_port_swap(d, NULL);
    d->gone = true;
    robo__claimed_wake(d);
    robo__robot_unlock(d->robot);
    robo__claimed_port_close(port);
    let_go(d);
}

const robo_driver robo__claimed_driver = { .size = sizeof(robo_driver),
                                           .name = "claim",
                                           .state_size = sizeof(struct robo__claimed *),
                                           .open = open_device,
                                           .start = start_command,
                                           .advance = attend,
                                           .read = read_state,
                                           .forces = read_forces,
                                           .halt = halt,
                                           .close = close_device,
                                           .reset = reset };

/* ---- claiming them ---- */

static bool is_for(const struct robo__claimed *d, const robo_world *world, const char *driver)
{
    return robo_device_world(d->device) == world &&
           strcmp(robo_device_binding(d->device)->driver, driver) == 0;
}

struct robo__claimed *robo__claimed_find(const robo_world *world, const char *driver)
{
    pthread_mutex_lock(&devices_lock);
    struct robo__claimed *d = devices;
    while (d && (d->taken || !is_for(d, world, driver)))
        d = d->next;
    if (d) {
        d->taken = true;
        atomic_fetch_add(&d->holders, 1);
    }
    pthread_mutex_unlock(&devices_lock);
    return d;
}

void robo__claimed_leave(struct robo__claimed *d)
{
    d->claim = NULL;
    if (d->gone)
        return;
    robo__device_takes_as_driver(d->device); /* until the next claim says what it takes */
    robo__claimed_halt(d, ROBO_HALT_LEFT);
    robo__device_fault(d->device, ROBO_WHY_DEVICE);
    /* the claim is gone, and needs no notice that they are over */
    for (size_t i = 0; i < d->jobs; i++)
        d->job[i].phase = ROBO__JOB_NONE;
    d->closing = false;
}

void robo__claimed_give_back(struct robo__claimed *d)
{
    pthread_mutex_lock(&devices_lock);
    d->taken = false;
    pthread_mutex_unlock(&devices_lock);
    let_go(d);
}
