/* The public functions of devices whose driver asks: robo_claim_… of robotalk/claim.h. */
#include "claimed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "robot/client.h"
#include "robot/reports.h"
#include "robotalk/device.h"

/* Greatest number that a device may report; the wire carries it in every unit. */
static const double FARTHEST = 1e9;

const robo_driver *robo_claim_driver(void)
{
    return &robo__claimed_driver;
}

/* ---- claims come and go ---- */

robo_claim *robo_claim_open(robo_world *world, const char *driver, void (*wake)(void *owner),
                            void *owner, int *error)
{
    int nobody;
    robo_claim *claim = malloc(sizeof *claim);
    if (!error)
        error = &nobody;
    *error = ROBO_ENOMEM;
    if (!claim)
        return NULL;
    *claim = (robo_claim){ .wake = wake, .owner = owner };
    atomic_init(&claim->holders, 1);
    claim->device = robo__claimed_find(world, driver);
    if (claim->device) {
        robo__robot_lock(claim->device->robot);
        claim->device->claim = claim;
        robo__robot_unlock(claim->device->robot);
        return claim;
    }
    *error = ROBO_ENONE;
    free(claim);
    return NULL;
}

robo_claim *robo_claim_hold(robo_claim *claim)
{
    atomic_fetch_add(&claim->holders, 1);
    return claim;
}

void robo_claim_release(robo_claim *claim)
{
    if (!claim || atomic_fetch_sub(&claim->holders, 1) > 1)
        return;
    robo__robot_lock(claim->device->robot);
    robo__claimed_leave(claim->device);
    robo__robot_unlock(claim->device->robot);
    robo__claimed_give_back(claim->device);
    free(claim);
}

const robo_device *robo_claim_device(const robo_claim *claim)
{
    return claim->device->device;
}

unsigned robo_claim_dofs(const robo_claim *claim)
{
    return claim->device->dofs;
}

/* ---- what there is to do ---- */

/* Takes the robot's mutex, if the device is still open: it, or NULL. */
static struct robo__claimed *enter(const robo_claim *claim)
{
    struct robo__claimed *d = claim->device;
    robo__robot_lock(d->robot);
    if (!d->gone)
        return d;
    robo__robot_unlock(d->robot);
    return NULL;
}

static int leave(struct robo__claimed *d, int result)
{
    robo__robot_unlock(d->robot);
    return result;
}

int robo_claim_state(const robo_claim *claim)
{
    struct robo__claimed *d = enter(claim);
    return d ? leave(d, !robo__claimed_is_silent(d)) : ROBO_ECLOSED;
}

static void show_start(struct robo__claimed *d, const struct robo__claimed_job *from,
                       struct robo_job *job)
{
    job->kind = ROBO_JOB_START;
    job->number = robo__claimed_job_number(d, from);
    job->cmd = from->cmd;
    job->base = from->base;
    memcpy(job->dof, from->dofs.word, from->dofs.words * sizeof from->dofs.word[0]);
}

int robo_claim_next(robo_claim *claim, struct robo_job *job)
{
    struct robo_job found = { 0 };
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    struct robo__claimed_job *over = robo__claimed_job_first(d, ROBO__JOB_OVER), *next;
    if (over) {
        found.kind = ROBO_JOB_OVER;
        found.number = robo__claimed_job_number(d, over);
        over->phase = ROBO__JOB_NONE;
    } else if (d->halts != d->heard) {
        found.kind = ROBO_JOB_HALT;
        found.number = -(int64_t)d->halts;
        found.why = robo__claimed_why(d);
    } else if (d->reset && !robo__claimed_is_silent(d)) {
        found.kind = ROBO_JOB_RESET;
        d->reset = false;
    } else if (!robo__claimed_is_silent(d) && (next = robo__claimed_take(d)) != NULL) {
        show_start(d, next, &found);
    }
    if (found.kind)
        *job = found;
    return leave(d, found.kind != 0);
}

int robo_claim_begin(robo_claim *claim, int64_t number)
{
    struct robo__claimed *d = enter(claim);
    return d ? leave(d, robo__claimed_begin(d, number)) : ROBO_ECLOSED;
}

int robo_claim_done(robo_claim *claim, int64_t number, enum robo_signal signal,
                    enum robo_reason reason)
{
    struct robo__claimed_job *job;
    if (strcmp(robo_signal_name((int)signal), "unknown") == 0 ||
        strcmp(robo_reason_name((int)reason), "unknown") == 0)
        return ROBO_EINVAL;
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    job = robo__claimed_job_of(d, number);
    if (!job || job->answered)
        return leave(d, ROBO_ENONE);
    robo__claimed_job_answer(d, job, signal, reason);
    return leave(d, 0);
}

int robo_claim_end(robo_claim *claim, int64_t number)
{
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    struct robo__claimed_job *job = robo__claimed_job_of(d, number);
    if (!job)
        return leave(d, ROBO_ENONE);
    job->phase = ROBO__JOB_NONE;
    robo__claimed_job_answer(d, job, ROBO_ERROR, ROBO_WHY_DEVICE);
    return leave(d, 0);
}

int robo_claim_heard(robo_claim *claim, int64_t number)
{
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    if (number != -(int64_t)d->halts || d->halts == d->heard)
        return leave(d, ROBO_ENONE);
    d->heard = d->halts;
    return leave(d, 0);
}

int64_t robo_claim_halt(robo_claim *claim)
{
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    if (!d->closing) {
        d->closing = true;
        robo__claimed_halt(d, ROBO_HALT_CLOSE);
    }
    int64_t number = -(int64_t)d->halts;
    robo__robot_unlock(d->robot);
    return number;
}

int robo_claim_fault(robo_claim *claim, enum robo_reason reason)
{
    if (reason != ROBO_WHY_DEVICE && reason != ROBO_WHY_LINK)
        return ROBO_EINVAL;
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    robo__claimed_fault(d, reason);
    return leave(d, 0);
}

/* ---- what the device does ---- */

/* Whether these may be reported. unknown: NAN is allowed. */
static bool are_good(const struct robo_numbers *numbers, size_t most, bool unknown)
{
    if (numbers->count > most)
        return false;
    for (size_t i = 0; i < numbers->count; i++)
        if (!(fabs(numbers->value[i]) <= FARTHEST) && !(unknown && isnan(numbers->value[i])))
            return false;
    return true;
}

static void put(double *to, const struct robo_numbers *numbers)
{
    if (numbers->count > 0)
        memcpy(to, numbers->value, numbers->count * sizeof *to);
}

int robo_claim_report(robo_claim *claim, const struct robo_report *report)
{
    struct robo_report r;
    const size_t dofs = claim->device->dofs;
    if (!report || robo__sized_take(&r, sizeof r, report) < 0)
        return ROBO_EINVAL;
    if (!are_good(&r.position, dofs, false) || !are_good(&r.speed, dofs, false) ||
        !are_good(&r.force, dofs, true) || !are_good(&r.pose, 3, false) ||
        !are_good(&r.twist, 3, false))
        return ROBO_ERANGE;
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    put(d->position, &r.position);
    put(d->speed, &r.speed);
    put(d->force, &r.force);
    put(d->pose, &r.pose);
    put(d->twist, &r.twist);
    return leave(d, 0);
}

int robo_claim_sensed(robo_claim *claim, unsigned sensor, robo_time time, const double *value,
                      size_t count)
{
    const struct robo__claimed *d = claim->device;
    const struct robo_description *body = robo_device_description(d->device);
    if (sensor < body->sensors && body->sensor[sensor].device != robo_device_index(d->device))
        return ROBO_ENONE;
    return robo_sensed(d->device, sensor, time, value, count);
}

/* Its device, if that gives the pictures of that camera; NULL: it does not. */
static robo_device *sees(const robo_claim *claim, unsigned camera)
{
    const struct robo__claimed *d = claim->device;
    const struct robo_description *body = robo_device_description(d->device);
    const bool own =
        camera < body->cameras && body->camera[camera].device == robo_device_index(d->device);
    return own ? d->device : NULL;
}

struct robo_picture *robo_claim_picture_open(robo_claim *claim, unsigned camera, size_t room)
{
    robo_device *device = sees(claim, camera);
    return device ? robo_picture_open(device, camera, room) : NULL;
}

int robo_claim_picture_wanted(robo_claim *claim, unsigned camera)
{
    robo_device *device = sees(claim, camera);
    return device && robo_picture_wanted(device, camera);
}

void robo_claim_picture_none(robo_claim *claim, unsigned camera, int error)
{
    robo_device *device = sees(claim, camera);
    if (device)
        robo_picture_none(device, camera, error);
}

int robo_claim_port(robo_claim *claim, int fd, const void *halt, size_t count)
{
    struct robo__claimed_port *port;
    int error = robo__claimed_port_open(fd, halt, count, &port);
    if (error < 0)
        return error;
    struct robo__claimed *d = enter(claim);
    if (d) {
        port = robo__claimed_port_swap(d, port);
        robo__robot_unlock(d->robot);
    }
    robo__claimed_port_close(port); /* the old one, or the new one of a device that is closed */
    return d ? 0 : ROBO_ECLOSED;
}

int robo_claim_alarm(robo_claim *claim, const void *bytes, size_t count)
{
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    return leave(d, d->port ? robo__claimed_port_alarm(d->port, bytes, count) : ROBO_EDEVICE);
}

int robo_claim_panics(const robo_claim *claim, struct robo_panics *out)
{
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    const struct robo__alarm alarm = robo__robot_alarm(d->robot);
    *out = (struct robo_panics){ .count = alarm.epoch,
                                 .given = robo__claimed_given(d),
                                 .written = d->alarms,
                                 .now = alarm.panic != 0,
                                 .given_now = robo__claimed_given_now(d) };
    return leave(d, 0);
}

int robo_claim_panic(robo_claim *claim, uint32_t *number)
{
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    leave(d, 0);
    *number = robo__panic_told(d->robot, d->device);
    return 0;
}

int robo_claim_reset(robo_claim *claim, uint32_t number)
{
    const struct robo__known known = { .epoch = (uint16_t)number };
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    const bool another = robo__claimed_given_now(d) || robo__robot_alarm(d->robot).epoch != number;
    if (leave(d, another))
        return ROBO_EPANIC;
    return robo__reset_known(d->robot, known, "");
}

int robo_claim_sign(robo_claim *claim, const void *bytes, size_t count)
{
    if (count > ROBO_MAX_SIGN_BYTES)
        return ROBO_ERANGE;
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    if (count > 0)
        memcpy(d->sign, bytes, count);
    d->sign_bytes = (uint8_t)count;
    return leave(d, 0);
}

int robo_claim_takes(robo_claim *claim, int parts, int bounds, int frames)
{
    struct robo__claimed *d = enter(claim);
    if (!d)
        return ROBO_ECLOSED;
    robo__device_takes(d->device, parts != 0, bounds != 0, frames != 0);
    return leave(d, 0);
}

int robo_claim_write(robo_claim *claim, int64_t number, const void *bytes, size_t count)
{
    if (count > ROBO_MAX_FRAME_BYTES)
        return ROBO_ERANGE;
    struct robo__claimed *d = enter(claim);
    return d ? leave(d, robo__claimed_write(d, number, bytes, count)) : ROBO_ECLOSED;
}
