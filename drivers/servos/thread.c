/* The thread of a bus of servos: its cycle, and what it does about faults. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"
#include "device.h"
#include "robotalk/device.h"

static const robo_time AGAIN = 500 * 1000000; /* between two attempts at what has failed */
static const robo_time OPENING = (robo_time)20 * 1000000000; /* for all servos to come up */
static const unsigned MISSES = 3;  /* so that the driver's own delays are no silence of a servo */
static const unsigned ALARMED = 3; /* answers in a row with an alarm, so that noise is none */
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
        robo_post_lost(d->device, reason);
    else if (opened)
        robo_post_fault(d->device, reason);
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
    j->heard = robo__time_monotonic();
    j->misses = 0;
    pthread_mutex_lock(&d->lock);
    for (unsigned r = 0; r < ROBO__SERVOS_REGISTERS; r++)
        if (which >> r & 1)
            j->value[r] = value[r];
    pthread_mutex_unlock(&d->lock);
    robo__servos_sense(d, j, j->heard);
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

/* Writes the goals of all servos, or that they have no torque. */
static void write_goals(struct robo__servos *d)
{
    uint8_t out[ROBO__SERVOS_GOALS];
    pthread_mutex_lock(&d->lock);
    const size_t n = d->halted && d->panic == ROBO_LIMP
                         ? robo__servos_limp(d, out)
                         : robo__servos_goals(d, robo__time_monotonic(), out);
    robo__servos_say(d, out, n);
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
static void read_turn(struct robo__servos *d)
{
    struct robo__servos_joint *j = &d->joint[d->turn];
    const struct robo__servos_family *f = j->servo.model->family;
    struct robo__servos_group one = { .block = f->slow[j->turn], .count = 1 };
    one.servo[0] = (uint8_t)d->turn;
    j->turn = (j->turn + 1) % ROBO__SERVOS_TURNS;
    if (f->slow[j->turn].size == 0)
        j->turn = 0;
    d->turn = (d->turn + 1) % d->count;
    read_group(d, &one);
}

/* ---- coming up, and being lost ---- */

/* Lets servos rise that may; one a cycle, once all were up. Whether all are as far up as they may be. */
static bool raise_all(struct robo__servos *d)
{
    const robo_time now = robo__time_monotonic();
    bool all = true;
    for (size_t i = 0; i < d->count && !atomic_load(&d->closing) && !d->gone; i++) {
        struct robo__servos_joint *j = &d->joint[i];
        char why[96];
        pthread_mutex_lock(&d->lock);
        const uint8_t stage = j->stage;
        const bool rises =
            stage == ROBO__SERVOS_ABSENT || (stage == ROBO__SERVOS_KNOWN && d->wiring.torque &&
                                             !d->halted && !robo_device_in_panic(d->device));
        const bool first = !d->risen;
        pthread_mutex_unlock(&d->lock);
        if (!rises)
            continue;
        if (now < j->again) {
            all = false;
            continue;
        }
        const enum robo__servos_rise rise = robo__servos_rise(d, j, stage, why);
        all &= rise == ROBO__SERVOS_RISEN;
        if (rise == ROBO__SERVOS_RISEN) {
            if (j->said[0])
                robo_device_log(d->device, ROBO_LOG_INFO, "%s: servo %u is back", j->name,
                                j->servo.id);
            j->said[0] = 0;
        } else if (rise == ROBO__SERVOS_REFUSED) {
            j->again = robo__time_monotonic() + AGAIN;
            if (!d->gone && !atomic_load(&d->closing)) {
                complain(d, j, ROBO_LOG_ERROR, why[0] ? why : "does not answer");
                if (stage == ROBO__SERVOS_KNOWN || first)
                    report(d, ROBO_WHY_DEVICE);
            }
        }
        if (!first)
            break;
    }
    return all;
}

/* Servos that have not answered for too long. */
static void look(struct robo__servos *d)
{
    const robo_time now = robo__time_monotonic();
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
    d->reopen = robo__time_monotonic() + AGAIN;
    report(d, ROBO_WHY_LINK);
}

static void find_port(struct robo__servos *d)
{
    if (robo__time_monotonic() < d->reopen)
        return;
    d->reopen = robo__time_monotonic() + AGAIN;
    errno = 0;
    const int error = robo__servos_connect(d);
    if (error == 0)
        robo_device_log(d->device, ROBO_LOG_INFO, "%s is back", d->wiring.port);
    else if (!d->deaf)
        robo_device_log(d->device, ROBO_LOG_WARNING, "%s cannot be opened: %s", d->wiring.port,
                        errno ? strerror(errno) : robo_strerror(error));
    d->deaf = error < 0;
    for (size_t i = 0; i < d->count; i++)
        d->joint[i].again = 0;
}

/* ---- the thread ---- */

static void turn(struct robo__servos *d)
{
    const bool all = raise_all(d);
    pthread_mutex_lock(&d->lock);
    d->risen |= all;
    pthread_cond_signal(&d->settled);
    pthread_mutex_unlock(&d->lock);
    write_goals(d);
    for (size_t i = 0; i < d->cycle.reads && !d->gone; i++)
        read_group(d, &d->cycle.read[i]);
    if (!d->gone)
        read_turn(d);
    if (d->gone)
        lose_port(d);
    else
        look(d);
}

/* The bytes that stop servos, twice: the first may meet an answer on the bus. */
static void leave(struct robo__servos *d)
{
    for (int i = 0; i < 2 && d->fd >= 0; i++) {
        pthread_mutex_lock(&d->lock);
        robo__servos_say(d, d->still, d->stills);
        pthread_mutex_unlock(&d->lock);
        robo__servos_drain(d);
    }
    robo__servos_disconnect(d);
}

static void *run(void *arg)
{
    pthread_setname_np(pthread_self(), "servos");
    struct robo__servos *d = arg;
    robo_time next = robo__time_monotonic();
    while (!atomic_load(&d->closing)) {
        if (d->fd < 0)
            find_port(d);
        else
            turn(d);
        next += d->fd < 0 ? AGAIN : d->period;
        const robo_time now = robo__time_monotonic();
        if (next < now)
            next = now; /* cycles that were missed are left out */
        robo__servos_pause(d, next);
    }
    leave(d);
    return NULL;
}

int robo__servos_begin_thread(struct robo__servos *d)
{
    const struct timespec until = robo__timespec(robo__time_monotonic() + OPENING);
    d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    d->threaded = d->wake >= 0 && pthread_create(&d->thread, NULL, run, d) == 0;
    if (!d->threaded)
        return ROBO_ESYSTEM;
    pthread_mutex_lock(&d->lock);
    while (!d->risen && !d->failed &&
           pthread_cond_clockwait(&d->settled, &d->lock, CLOCK_MONOTONIC, &until) == 0) {
    }
    const bool good = d->risen && !d->failed;
    d->opened = good;
    pthread_mutex_unlock(&d->lock);
    return good ? 0 : ROBO_EDEVICE;
}

void robo__servos_end_thread(struct robo__servos *d)
{
    static const uint64_t one = 1;
    atomic_store(&d->closing, true);
    if (d->threaded) {
        if (write(d->wake, &one, sizeof one) < 0) {
            /* it wakes by itself, later */
        }
        pthread_join(d->thread, NULL);
    } else {
        robo__servos_disconnect(d);
    }
    if (d->wake >= 0)
        close(d->wake);
}
