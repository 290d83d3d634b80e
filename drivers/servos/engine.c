/* The engine of a bus of servos: its cycle, and what it does about faults. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "robot/reports.h"
#include "robotalk/device.h"

static const robo_time AGAIN = 500 * 1000000; /* between two attempts at what has failed */
static const unsigned MISSES = 3;  /* so that the driver's own delays are no silence of a servo */
static const unsigned ALARMED = 3; /* answers in a row with an alarm, so that noise is none */
enum { ALERT = 1 << 7 };           /* of an answer: the register of alarms is not 0 */
static const double TRIPPED = 5;   /* s: what a watchdog that has acted reads as, -1 */

/* ---- faults ---- */

static uint8_t stage_of(struct robo__servos *d, const struct robo__servos_joint *j)
{
    pthread_mutex_lock(&d->lock);
    const uint8_t stage = j->stage;
    pthread_mutex_unlock(&d->lock);
    return stage;
}

/* Lets it sink from a stage to a lower one; false: it is not there. */
static bool sink(struct robo__servos *d, struct robo__servos_joint *j, uint8_t from, uint8_t to)
{
    pthread_mutex_lock(&d->lock);
    const bool was = j->stage == from;
    if (was)
        j->stage = to;
    pthread_mutex_unlock(&d->lock);
    return was;
}

/* Reports that the device is lost. Without torque nothing moves that others would have to be stopped for. */
static void report(struct robo__servos *d, enum robo_reason reason)
{
    pthread_mutex_lock(&d->lock);
    const bool panics = d->wiring.torque && !d->halted, opened = d->opened;
    d->failed |= !opened;
    pthread_cond_signal(&d->settled);
    pthread_mutex_unlock(&d->lock);
    if (opened && panics)
        (d->threaded ? robo_post_lost : robo__device_lost)(d->device, reason);
    else if (opened)
        (d->threaded ? robo_post_fault : robo__device_fault)(d->device, reason);
}

/* Logs what is wrong with a servo, once until that changes. */
static void complain(struct robo__servos *d, struct robo__servos_joint *j,
                     enum robo_log_level level, const char *what)
{
    if (strncmp(j->said, what, sizeof j->said - 1) == 0)
        return;
    snprintf(j->said, sizeof j->said, "%s", what);
    robo_device_log(d->device, level, "%s: servo %u %s", j->name, j->servo.id, what);
}

static void name_alarms(const struct robo__servos_family *f, unsigned bits, char *out, size_t room)
{
    size_t used = (size_t)snprintf(out, room, "reports");
    for (unsigned i = 0; i < 8; i++)
        if (bits >> i & 1 && used < room)
            used += (size_t)snprintf(out + used, room - used, "%s %s",
                                     bits & ((1u << i) - 1) ? "," : "",
                                     f->alarm[i] ? f->alarm[i] : "an alarm");
}

/* An answer with these alarms. */
static void take_alarms(struct robo__servos *d, struct robo__servos_joint *j, unsigned bits)
{
    const struct robo__servos_family *f = j->servo.model->family;
    const unsigned mild = bits & ~f->grave & ~j->alarms;
    char what[96];
    if (mild) {
        name_alarms(f, mild, what, sizeof what);
        robo_device_log(d->device, ROBO_LOG_WARNING, "%s: servo %u %s", j->name, j->servo.id, what);
        j->alarms |= (uint8_t)mild;
    }
    j->alarmed = bits & f->grave ? j->alarmed + 1 : 0;
    if (j->alarmed < ALARMED || stage_of(d, j) != ROBO__SERVOS_LIVE)
        return;
    name_alarms(f, bits & f->grave, what, sizeof what);
    complain(d, j, ROBO_LOG_ERROR, what);
    report(d, ROBO_WHY_DEVICE); /* the halt stops it, too */
    sink(d, j, ROBO__SERVOS_LIVE, ROBO__SERVOS_KNOWN);
    j->alarmed = 0;
}

/* Its alarms are what is read next of what changes slowly. */
static void look_at_alarms(struct robo__servos *d, struct robo__servos_joint *j)
{
    const struct robo__servos_family *f = j->servo.model->family;
    const unsigned at = f->place[ROBO__SERVOS_ALARMS].address;
    if (j->alarms || stage_of(d, j) != ROBO__SERVOS_LIVE)
        return;
    d->slow = (size_t)(j - d->joint);
    for (unsigned i = 0; i < ROBO__SERVOS_SLOW; i++)
        if (at >= f->slow[i].address && at < f->slow[i].address + f->slow[i].size)
            j->slow = i;
}

static void take_torque(struct robo__servos *d, struct robo__servos_joint *j, const char *what)
{
    if (!sink(d, j, ROBO__SERVOS_LIVE, ROBO__SERVOS_KNOWN))
        return;
    complain(d, j, ROBO_LOG_ERROR, what);
    report(d, ROBO_WHY_DEVICE);
}

void robo__servos_take(struct robo__servos *d, struct robo__servos_joint *j,
                       struct robo__servos_block block, const struct robo__servos_status *status)
{
    const struct robo__servos_family *f = j->servo.model->family;
    double value[ROBO__SERVOS_REGISTERS];
    const uint32_t which = robo__servos_values(&j->servo, block, status->data, value);
    j->heard = robo__servos_now(d);
    j->misses = 0;
    pthread_mutex_lock(&d->lock);
    for (unsigned r = 0; r < ROBO__SERVOS_REGISTERS; r++)
        if (which >> r & 1)
            j->value[r] = value[r];
    j->fresh |= which >> ROBO__SERVOS_POSITION & 1;
    pthread_mutex_unlock(&d->lock);
    robo__servos_sense(d, j, j->heard);
    if (f->latched && status->error & ALERT)
        look_at_alarms(d, j);
    if (!f->latched)
        take_alarms(d, j, status->error);
    else if (which >> ROBO__SERVOS_ALARMS & 1)
        for (unsigned i = 0; i < ALARMED; i++) /* it keeps them: once is enough */
            take_alarms(d, j, (unsigned)value[ROBO__SERVOS_ALARMS]);
    if (which >> ROBO__SERVOS_TORQUE & 1 && value[ROBO__SERVOS_TORQUE] == 0)
        take_torque(d, j, "has no torque: it has restarted, or shut down");
    if (which >> ROBO__SERVOS_WATCHDOG & 1 && value[ROBO__SERVOS_WATCHDOG] > TRIPPED)
        take_torque(d, j, "was stopped by its watchdog");
}

/* ---- the cycle ---- */

void robo__servos_write_goals(struct robo__servos *d)
{
    uint8_t out[ROBO__SERVOS_GOALS];
    pthread_mutex_lock(&d->lock);
    const size_t n = d->halted && d->wiring.torque && d->panic == ROBO_LIMP
                         ? robo__servos_limp(d, out)
                         : robo__servos_goals(d, NULL, robo__servos_now(d), out);
    if (!d->by_messages && (n == 0 || robo__servos_say(d, out, n)))
        d->halts++;
    pthread_mutex_unlock(&d->lock);
}

/* Reads those of a group that are there. */
static void read_group(struct robo__servos *d, const struct robo__servos_group *g)
{
    struct robo__servos_joint *asked[ROBO__SERVOS_MOST];
    uint8_t id[ROBO__SERVOS_MOST], frame[ROBO__SERVOS_FRAME];
    struct robo__servos_status status;
    size_t n = 0, left;
    for (size_t i = 0; i < g->count; i++) {
        struct robo__servos_joint *j = &d->joint[g->servo[i]];
        if (stage_of(d, j) == ROBO__SERVOS_ABSENT)
            continue;
        asked[n] = j;
        j->misses++;
        id[n++] = j->servo.id;
    }
    if (n == 0)
        return;
    const size_t size =
        n == 1 ? robo__servos_read(d->cycle.packets, id[0], g->block.address, g->block.size, frame)
               : robo__servos_sync_read(d->cycle.packets, g->block.address, g->block.size, id, n,
                                        frame);
    const robo_time until = robo__servos_until(d, n, g->block.size);
    robo__servos_begin(d, frame, size);
    for (left = n; left > 0 && robo__servos_await(d, until, &status);)
        for (size_t i = 0; i < n; i++)
            if (asked[i] && asked[i]->servo.id == status.id && status.count == g->block.size) {
                robo__servos_take(d, asked[i], g->block, &status);
                asked[i] = NULL; /* one answer each */
                left--;
            }
}

/* Reads what changes slowly, of one servo. */
static void read_slow(struct robo__servos *d)
{
    struct robo__servos_joint *j = &d->joint[d->slow];
    const struct robo__servos_family *f = j->servo.model->family;
    struct robo__servos_group one = { .block = f->slow[j->slow], .count = 1 };
    one.servo[0] = (uint8_t)d->slow;
    j->slow = (j->slow + 1) % ROBO__SERVOS_SLOW;
    if (f->slow[j->slow].size == 0)
        j->slow = 0;
    d->slow = (d->slow + 1) % d->count;
    read_group(d, &one);
}

/* ---- coming up, and being lost ---- */

/* Brings servos up that may be; one a cycle, once all were up. Whether all are as far up as they may be. */
static bool bring_up_all(struct robo__servos *d)
{
    const robo_time now = robo__servos_now(d);
    bool all = true;
    for (size_t i = 0; i < d->count && !atomic_load(&d->closing) && !d->gone; i++) {
        struct robo__servos_joint *j = &d->joint[i];
        char why[96];
        pthread_mutex_lock(&d->lock);
        const uint8_t stage = j->stage;
        const bool may =
            stage == ROBO__SERVOS_ABSENT || (stage == ROBO__SERVOS_KNOWN && d->wiring.torque &&
                                             !d->halted && !robo_device_in_panic(d->device));
        const bool first = !d->up;
        pthread_mutex_unlock(&d->lock);
        if (!may)
            continue;
        if (now < j->again) {
            all = false;
            continue;
        }
        const enum robo__servos_bring_up outcome = robo__servos_bring_up(d, j, stage, why);
        all &= outcome == ROBO__SERVOS_UP;
        if (outcome == ROBO__SERVOS_UP) {
            if (j->said[0])
                robo_device_log(d->device, ROBO_LOG_INFO, "%s: servo %u is back", j->name,
                                j->servo.id);
            j->said[0] = 0;
        } else if (outcome == ROBO__SERVOS_REFUSED) {
            j->again = robo__servos_now(d) + AGAIN;
            if (!d->gone && !atomic_load(&d->closing)) {
                complain(d, j, ROBO_LOG_ERROR, why[0] ? why : "does not answer");
                if (stage == ROBO__SERVOS_KNOWN || first || j->restarts)
                    report(d, ROBO_WHY_DEVICE);
            }
        }
        pthread_mutex_lock(&d->lock);
        j->restarts = outcome == ROBO__SERVOS_LATER;
        pthread_mutex_unlock(&d->lock);
        if (!first)
            break;
    }
    return all;
}

/* Servos that have not answered for too long. */
static void look(struct robo__servos *d)
{
    const robo_time now = robo__servos_now(d);
    for (size_t i = 0; i < d->count; i++) {
        struct robo__servos_joint *j = &d->joint[i];
        const uint8_t stage = stage_of(d, j);
        if (stage == ROBO__SERVOS_ABSENT || now - j->heard < d->timeout || j->misses < MISSES)
            continue;
        sink(d, j, stage, ROBO__SERVOS_ABSENT);
        j->again = now + AGAIN;
        complain(d, j, ROBO_LOG_ERROR, "does not answer");
        report(d, ROBO_WHY_DEVICE);
    }
}

/* The port is gone: nothing is known about any servo any more. */
static void lose_port(struct robo__servos *d)
{
    robo__servos_disconnect(d);
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < d->count; i++)
        d->joint[i].stage = ROBO__SERVOS_ABSENT;
    pthread_mutex_unlock(&d->lock);
    robo_device_log(d->device, ROBO_LOG_ERROR, "%s is gone", d->wiring.port);
    d->reopen = robo__servos_now(d) + AGAIN;
    report(d, ROBO_WHY_LINK);
}

/* A wheel may have turned on meanwhile, also over a reset: it comes up from rest. */
static void halt_wheels(struct robo__servos *d)
{
    uint8_t out[sizeof d->still];
    pthread_mutex_lock(&d->lock);
    if (d->wiring.torque)
        robo__servos_say(d, out, robo__servos_halt_wheels(d, out));
    pthread_mutex_unlock(&d->lock);
}

static void find_port(struct robo__servos *d)
{
    if (robo__servos_now(d) < d->reopen)
        return;
    d->reopen = robo__servos_now(d) + AGAIN;
    errno = 0;
    const int error = robo__servos_connect(d);
    if (error == 0) {
        robo_device_log(d->device, ROBO_LOG_INFO, "%s is back", d->wiring.port);
        halt_wheels(d);
    } else if (!d->deaf) {
        robo_device_log(d->device, ROBO_LOG_WARNING, "%s cannot be opened: %s", d->wiring.port,
                        errno ? strerror(errno) : robo_strerror(error));
    }
    d->deaf = error < 0;
    for (size_t i = 0; i < d->count; i++)
        d->joint[i].again = 0;
}

/* ---- its cycles ---- */

static void run_cycle(struct robo__servos *d)
{
    pthread_mutex_lock(&d->lock);
    d->asks = true;
    pthread_mutex_unlock(&d->lock);
    const bool all = bring_up_all(d);
    pthread_mutex_lock(&d->lock);
    d->up |= all;
    pthread_cond_signal(&d->settled);
    pthread_mutex_unlock(&d->lock);
    robo__servos_write_goals(d);
    for (size_t i = 0; i < d->cycle.reads && !d->gone; i++)
        read_group(d, &d->cycle.read[i]);
    pthread_mutex_lock(&d->lock);
    robo__servos_base_reckon(d);
    pthread_mutex_unlock(&d->lock);
    if (!d->gone)
        read_slow(d);
    pthread_mutex_lock(&d->lock);
    d->asks = false;
    d->free_at = robo__servos_now(d);
    pthread_mutex_unlock(&d->lock);
    if (d->gone)
        lose_port(d);
    else
        look(d);
}

void robo__servos_run(struct robo__servos *d, robo_time now)
{
    if (d->next > now)
        return;
    if (d->open)
        run_cycle(d);
    else
        find_port(d);
    d->next += d->open ? d->period : AGAIN;
    now = robo__servos_now(d);
    if (d->next < now)
        d->next = now; /* cycles that were missed are left out */
}

void robo__servos_leave(struct robo__servos *d)
{
    for (int i = 0; i < 2 && d->open; i++) { /* the first may meet an answer on the bus */
        pthread_mutex_lock(&d->lock);
        robo__servos_say(d, d->still, d->stills);
        pthread_mutex_unlock(&d->lock);
        d->port.kind->drain(&d->port);
    }
    robo__servos_disconnect(d);
}
