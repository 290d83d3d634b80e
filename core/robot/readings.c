/* Readings of sensors. */
#include "readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ring.h"
#include "robot.h"
#include "body/senses.h"

static const double MOST = 1e9; /* of a value */
/* share of its period after which a sensor may be looked at again: who comes once a period comes a little early, too */
static const double NEARLY = 0.95;
/* how old a state is that a motion is seen by, at most and at least */
static const robo_time JUST = 200 * 1000000, LEAST = 500 * 1000;

/* The newest revision of that body; NULL: the robot does not have it yet. */
static struct robo__revision *revision_of(const robo_robot *robot, const robo_body *body)
{
    struct robo__revision *v = robot->revisions;
    while (v && v->body != body)
        v = v->older;
    return v;
}

int robo_sensed(robo_device *device, unsigned sensor, robo_time time, const double *value,
                size_t count)
{
    const struct robo__revision *v = revision_of(device->robot, device->body);
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
    const robo_time now = robo__robot_now(device->robot);
    return robo__ring_write(&v->reading[sensor], time == ROBO_NO_TIME || time > now ? now : time,
                            row);
}

/* ---- sampling ---- */

/* The device that simulates a sensor, or NULL. The lock is held. */
static robo_device *simulator_of(const robo_robot *robot, const struct robo__revision *v,
                                 unsigned sensor)
{
    const unsigned index = v->body->description.sensor[sensor].device;
    robo_device *device = index < ROBO_MAX_DEVICES ? robot->sampling.device[index] : NULL;
    return device && device->body == v->body ? device : NULL;
}

/* Whether its newest reading is older than its rate wants. */
static bool is_due(const struct robo__revision *v, unsigned sensor, robo_time now)
{
    robo_time time;
    const double rate = robo__sensor_rate(&v->body->description.sensor[sensor]);
    return robo__ring_read(&v->reading[sensor], 0, &time, NULL) == 0 ||
           (double)(now - time) * rate >= NEARLY * 1e9;
}

static bool has(const struct robo__sensors *set, unsigned sensor)
{
    return set->bit[sensor / 64] >> sensor % 64 & 1;
}

/* The state now, and an earlier one that is not long ago, or NULL. The lock is held. */
static const struct robo_state *look(robo_robot *robot, const struct robo__revision *v)
{
    struct robo__sampling *s = &robot->sampling;
    struct robo_state *state = s->before;
    if (s->now->time < robo__robot_now(robot) - LEAST) {
        robo_read(robot, state);
        s->before = s->now;
        s->now = state;
    }
    const bool just = s->before->dofs == v->body->description.dofs &&
                      s->before->time + JUST >= s->now->time && s->before->time < s->now->time;
    return just ? s->before : NULL;
}

static void sample(robo_robot *robot, const struct robo__sensors *wanted)
{
    struct robo__revision *v = robot->revisions;
    const struct robo_description *d = &v->body->description;
    const robo_time now = robo__robot_now(robot);
    uint16_t sensor[ROBO_MAX_SENSORS];
    for (unsigned k = 0; k < ROBO_MAX_DEVICES; k++) {
        robo_device *device = robot->sampling.device[k];
        size_t count = 0;
        for (unsigned i = 0; device && i < d->sensors; i++)
            if (has(wanted, i) && simulator_of(robot, v, i) == device && is_due(v, i, now))
                sensor[count++] = (uint16_t)i;
        if (count == 0)
            continue;
        const struct robo_state *before = look(robot, v);
        if (robot->sampling.now->dofs == d->dofs)
            device->driver->sense(device, robot->sampling.now, before, sensor, count);
    }
}

void robo__readings_refresh(robo_robot *robot, const struct robo__sensors *wanted)
{
    if (pthread_mutex_trylock(&robot->sampling.lock) != 0)
        return; /* who has it brings the newest */
    if (robot->sampling.now)
        sample(robot, wanted);
    pthread_mutex_unlock(&robot->sampling.lock);
}

void robo__readings_open(robo_robot *robot)
{
    pthread_mutex_init(&robot->sampling.lock, NULL);
}

void robo__readings_close(robo_robot *robot)
{
    free(robot->sampling.now);
    free(robot->sampling.before);
    pthread_mutex_destroy(&robot->sampling.lock);
}

/* Memory for the two states. */
static int make_room(struct robo__sampling *s)
{
    s->now = calloc(1, sizeof *s->now);
    s->before = calloc(1, sizeof *s->before);
    if (s->now && s->before) {
        s->now->time = s->before->time = INT64_MIN / 4;
        return 0;
    }
    free(s->now);
    free(s->before);
    s->now = s->before = NULL;
    return ROBO_ENOMEM;
}

int robo__readings_attach(robo_robot *robot, robo_device *const device[ROBO_MAX_DEVICES])
{
    struct robo__sampling *s = &robot->sampling;
    bool any = false;
    int error = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < ROBO_MAX_DEVICES; i++) {
        s->device[i] = device[i] && device[i]->driver->sense ? device[i] : NULL;
        any |= s->device[i] && device[i]->body->description.sensors > 0;
    }
    if (any && !s->now)
        error = make_room(s);
    pthread_mutex_unlock(&s->lock);
    return error;
}

void robo__readings_detach(robo_robot *robot)
{
    pthread_mutex_lock(&robot->sampling.lock);
    memset(robot->sampling.device, 0, sizeof robot->sampling.device);
    pthread_mutex_unlock(&robot->sampling.lock);
}

/* ---- reading ---- */

int robo__readings_take(const robo_robot *robot, unsigned sensor, uint64_t number,
                        struct robo_reading *reading, double *value, size_t room)
{
    const struct robo__revision *v = robot->revisions;
    if (sensor >= v->body->description.sensors)
        return ROBO_ENONE;
    const struct robo__ring *ring = &v->reading[sensor];
    if (room < ring->width)
        return ROBO_EFULL;
    robo_time time = 0;
    const uint64_t there = robo__ring_read(ring, number, &time, value);
    *reading = (struct robo_reading){ .number = there,
                                      .time = there ? time : 0,
                                      .count = there ? ring->width : 0 };
    return there != 0;
}

int robo_sense(robo_robot *robot, unsigned sensor, uint64_t number, struct robo_reading *reading,
               double *value, size_t room)
{
    struct robo__sensors wanted = { .bit = { 0 } };
    if (sensor < ROBO_MAX_SENSORS)
        wanted.bit[sensor / 64] |= UINT64_C(1) << sensor % 64;
    robo__readings_refresh(robot, &wanted);
    return robo__readings_take(robot, sensor, number, reading, value, room);
}
