/* Readings of sensors. */
#include "senses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/readers.h"
#include "base/ring.h"
#include "base/sized.h"
#include "body/senses.h"
#include "robotalk/description.h"

static const double MOST = 1e9; /* of a value */
/* so long ago that any sensor is due */
static const robo_time LONG_AGO = INT64_MIN / 4;
/* share of its period after which a sensor may be looked at again: a reader that looks once a period is a little early,
 * too */
static const double NEARLY = 0.95;
/* how old a state is that a motion is seen by, at most and at least */
static const robo_time JUST = 200 * 1000000, LEAST = 500 * 1000;

/* The newest revision of that body; NULL: the robot does not have it yet, or no longer. In a section. */
static struct robo__revision *revision_of(const struct robo__senses *senses, const robo_body *body)
{
    struct robo__revision *v = *senses->revisions;
    while (v && v->body != body)
        v = v->older;
    return v;
}

/* The sampling for which this thread is calling a driver; NULL: none. */
static _Thread_local struct robo__sampling *sampling;

static struct robo__steady *steady_of(struct robo__sampling *s, unsigned sensor)
{
    for (unsigned i = 0; i < s->steadies; i++)
        if (s->steady[i].sensor == sensor)
            return &s->steady[i];
    return NULL;
}

/* Turns a simulated value into the sensor's reading; false: there is no reading. The lock is held. */
static bool worsen(const robo_device *device, struct robo__ring *ring, unsigned sensor,
                   robo_time time, double *row)
{
    const struct robo_description *d = &device->body->description;
    const struct robo_sensor *is = &d->sensor[sensor];
    struct robo__steady *steady = steady_of(sampling, sensor);
    sampling->sampled[sensor] = time;
    atomic_store_explicit(&ring->late, is->latency, memory_order_relaxed);
    if (robo__is_exact(is))
        return true;
    const uint64_t key = robo__blur_key(device->of->senses->seed, d->name, is->name);
    if (steady && robo_sensor_sense(is) == ROBO_SENSE_ODOMETRY)
        robo__slip(&steady->slip, is->slip, key, time, row);
    return robo__blur(is, key, time, row, ring->width);
}

/* In a section. */
static int sensed(robo_device *device, unsigned sensor, robo_time time, const double *value,
                  size_t count)
{
    const struct robo__revision *v = revision_of(device->of->senses, device->body);
    if (!v)
        return ROBO_ENONE;
    const struct robo_description *d = &v->body->description;
    if (sensor >= d->sensors)
        return ROBO_ENONE;
    if (count != v->reading[sensor].width)
        return ROBO_ERANGE;
    double range[2], row[ROBO_MAX_READING];
    robo__sensor_range(&d->sensor[sensor], range);
    for (size_t i = 0; i < count; i++) {
        row[i] = value[i] == INFINITY ? (range[0] < range[1] ? range[1] : NAN) : value[i];
        if (!(fabs(row[i]) <= MOST) && !isnan(row[i]))
            return ROBO_ERANGE;
    }
    const robo_time now = robo_now(device->of->senses->world);
    struct robo__ring *ring = &v->reading[sensor];
    if (time == ROBO_NO_TIME || time > now)
        time = now;
    if (sampling == &device->of->senses->sampling && !worsen(device, ring, sensor, time, row))
        return 0;
    return robo__ring_write(ring, time, row);
}

int robo_sensed(robo_device *device, unsigned sensor, robo_time time, const double *value,
                size_t count)
{
    robo__reading_begin();
    const int error = sensed(device, sensor, time, value, count);
    robo__reading_end();
    return error;
}

/* ---- sampling ---- */

/* The device that simulates a sensor, or NULL. The lock is held. */
static robo_device *simulator_of(const struct robo__senses *senses, const struct robo__revision *v,
                                 unsigned sensor)
{
    const unsigned index = v->body->description.sensor[sensor].device;
    robo_device *device = index < ROBO_MAX_DEVICES ? senses->sampling.device[index] : NULL;
    return device && device->body == v->body ? device : NULL;
}

/* Whether its newest sample is older than its rate wants. The lock is held. */
static bool is_due(const struct robo__senses *senses, const struct robo_sensor *is, unsigned sensor,
                   robo_time now)
{
    return (double)(now - senses->sampling.sampled[sensor]) * robo__sensor_rate(is) >= NEARLY * 1e9;
}

static bool has(const struct robo__sensors *set, unsigned sensor)
{
    return set->bit[sensor / 64] >> sensor % 64 & 1;
}

static void add(struct robo__sensors *set, unsigned sensor)
{
    set->bit[sensor / 64] |= UINT64_C(1) << sensor % 64;
}

/* The state now, at most `least` ns old, and an earlier one that is not long ago, or NULL. The lock is held. */
static const struct robo_state *look(struct robo__senses *senses, const struct robo__revision *v,
                                     robo_time least)
{
    struct robo__sampling *s = &senses->sampling;
    struct robo_state *state = s->before;
    if (s->now->time < robo_now(senses->world) - least) {
        senses->read(senses, state);
        s->before = s->now;
        s->now = state;
    }
    const bool just = s->before->dofs == v->body->description.dofs &&
                      s->before->time + JUST >= s->now->time && s->before->time < s->now->time;
    return just ? s->before : NULL;
}

/* Those that are due of the sensors that are sampled when somebody looks, or all that are wanted of those sampled steadily. The
 * lock is held. */
static void sample(struct robo__senses *senses, const struct robo__sensors *wanted, bool steadily)
{
    robo__reading_begin();
    struct robo__revision *v = *senses->revisions;
    const struct robo_description *d = &v->body->description;
    const robo_time now = robo_now(senses->world);
    uint16_t sensor[ROBO_MAX_SENSORS];
    for (unsigned k = 0; k < ROBO_MAX_DEVICES; k++) {
        robo_device *device = senses->sampling.device[k];
        size_t count = 0;
        for (unsigned i = 0; device && i < d->sensors; i++)
            if (has(wanted, i) && has(&senses->sampling.steadily, i) == steadily &&
                simulator_of(senses, v, i) == device &&
                (steadily || is_due(senses, &d->sensor[i], i, now)))
                sensor[count++] = (uint16_t)i;
        if (count == 0)
            continue;
        const struct robo_state *before = look(senses, v, steadily ? 0 : LEAST);
        sampling = &senses->sampling;
        if (senses->sampling.now->dofs == d->dofs)
            device->driver->sense(device, senses->sampling.now, before, sensor, count);
        sampling = NULL;
    }
    robo__reading_end();
}

void robo__readings_refresh(struct robo__senses *senses, const struct robo__sensors *wanted)
{
    if (pthread_mutex_trylock(&senses->sampling.lock) != 0)
        return; /* the thread that has it brings the newest */
    if (senses->sampling.now)
        sample(senses, wanted, false);
    pthread_mutex_unlock(&senses->sampling.lock);
}

robo_time robo__readings_measure(struct robo__senses *senses, robo_time now)
{
    struct robo__sampling *s = &senses->sampling;
    struct robo__sensors wanted = { .bit = { 0 } };
    robo_time next = ROBO_NEVER;
    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < s->steadies; i++) {
        struct robo__steady *steady = &s->steady[i];
        if (steady->due <= now) {
            add(&wanted, steady->sensor);
            steady->due = (now / steady->period + 1) * steady->period;
        }
        if (steady->due < next)
            next = steady->due;
    }
    sample(senses, &wanted, true);
    pthread_mutex_unlock(&s->lock);
    return next;
}

void robo__readings_open(struct robo__senses *senses)
{
    pthread_mutex_init(&senses->sampling.lock, NULL);
}

void robo__readings_close(struct robo__senses *senses)
{
    struct robo__sampling *s = &senses->sampling;
    free(s->now);
    free(s->before);
    free(s->sampled);
    free(s->steady);
    pthread_mutex_destroy(&s->lock);
}

/* Memory for the two states, and for the instants. */
static int make_room(struct robo__sampling *s)
{
    s->now = calloc(1, sizeof *s->now);
    s->before = calloc(1, sizeof *s->before);
    s->sampled = calloc(ROBO_MAX_SENSORS, sizeof *s->sampled);
    if (s->now && s->before && s->sampled) {
        s->now->time = s->before->time = LONG_AGO;
        return 0;
    }
    free(s->now);
    free(s->before);
    free(s->sampled);
    s->now = s->before = NULL;
    s->sampled = NULL;
    return ROBO_ENOMEM;
}

/* ---- devices ---- */

/* Whether its readings come late, or count on from each other. */
static bool is_steady(const struct robo_sensor *sensor)
{
    return sensor->latency > 0 ||
           (sensor->slip > 0 && robo_sensor_sense(sensor) == ROBO_SENSE_ODOMETRY);
}

/* Finds the sensors of these devices that are sampled steadily, from now on. The lock is held. */
static int find_steady(struct robo__sampling *s, const struct robo_description *d, robo_time now)
{
    free(s->steady);
    s->steady = NULL;
    s->steadies = 0;
    memset(&s->steadily, 0, sizeof s->steadily);
    for (unsigned i = 0; i < d->sensors; i++)
        if (is_steady(&d->sensor[i]) && d->sensor[i].device < ROBO_MAX_DEVICES &&
            s->device[d->sensor[i].device])
            add(&s->steadily, i);
    for (unsigned i = 0; i < d->sensors; i++)
        s->steadies += has(&s->steadily, i);
    if (s->steadies > 0)
        s->steady = calloc(s->steadies, sizeof *s->steady);
    if (s->steadies > 0 && !s->steady) {
        s->steadies = 0;
        memset(&s->steadily, 0, sizeof s->steadily);
        return ROBO_ENOMEM;
    }
    for (unsigned i = 0, k = 0; i < d->sensors; i++) {
        if (!has(&s->steadily, i))
            continue;
        const robo_time period = robo__sensor_period(&d->sensor[i]);
        s->steady[k++] = (struct robo__steady){ .sensor = i,
                                                .period = period,
                                                .due = (now + period - 1) / period * period };
    }
    return 0;
}

int robo__readings_attach(struct robo__senses *senses, robo_device *const device[ROBO_MAX_DEVICES])
{
    struct robo__sampling *s = &senses->sampling;
    const struct robo_description *d = NULL;
    const robo_time now = robo_now(senses->world);
    int error = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < ROBO_MAX_DEVICES; i++) {
        s->device[i] = device[i] && device[i]->driver->sense ? device[i] : NULL;
        if (s->device[i] && device[i]->body->description.sensors > 0)
            d = &device[i]->body->description;
    }
    if (d && !s->now)
        error = make_room(s);
    for (unsigned i = 0; s->sampled && i < ROBO_MAX_SENSORS; i++)
        s->sampled[i] = LONG_AGO;
    if (d && error == 0)
        error = find_steady(s, d, now);
    const bool steadily = error == 0 && s->steadies > 0;
    pthread_mutex_unlock(&s->lock);
    return steadily ? robo__sampler_enter(senses, now) : error;
}

void robo__readings_detach(struct robo__senses *senses)
{
    struct robo__sampling *s = &senses->sampling;
    robo__sampler_leave(senses);
    pthread_mutex_lock(&s->lock);
    memset(s->device, 0, sizeof s->device);
    memset(&s->steadily, 0, sizeof s->steadily);
    s->steadies = 0;
    pthread_mutex_unlock(&s->lock);
}

/* ---- reading ---- */

/* In a section. */
static int take(const struct robo__senses *senses, unsigned sensor, uint64_t number,
                struct robo_reading *reading, double *value, size_t room)
{
    const struct robo__revision *v = *senses->revisions;
    if (sensor >= v->body->description.sensors)
        return ROBO_ENONE;
    const struct robo__ring *ring = &v->reading[sensor];
    if (room < ring->width)
        return ROBO_EFULL;
    robo_time time = 0;
    const uint64_t there = robo__ring_read_at(ring, robo_now(senses->world), number, &time, value);
    *reading = (struct robo_reading){ .number = there,
                                      .time = there ? time : 0,
                                      .count = there ? ring->width : 0 };
    return there != 0;
}

int robo__readings_take(const struct robo__senses *senses, unsigned sensor, uint64_t number,
                        struct robo_reading *reading, double *value, size_t room)
{
    robo__reading_begin();
    const int took = take(senses, sensor, number, reading, value, room);
    robo__reading_end();
    return took;
}

int robo__sense(struct robo__senses *senses, unsigned sensor, uint64_t number,
                struct robo_reading *reading, size_t size, double *value, size_t room)
{
    struct robo_reading known = { .number = 0 };
    struct robo__sensors wanted = { .bit = { 0 } };
    if (sensor < ROBO_MAX_SENSORS)
        add(&wanted, sensor);
    robo__readings_refresh(senses, &wanted);
    const int took = robo__readings_take(senses, sensor, number, &known, value, room);
    if (took >= 0)
        robo__sized_copy(reading, size, &known, sizeof known);
    return took;
}
