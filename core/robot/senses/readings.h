/* The readings of a robot's sensors: a ring for each sensor of a revision. Drivers write from any thread, and readers
 * wait for nobody; the robot's mutex has no part in it. Sensors of a simulation are sampled when somebody looks; those
 * whose readings are late, or count on from each other, steadily at their rate, by the sampler. A simulation
 * gives the true values, which become the readings of its sensors here (body/blur.h). */
#ifndef ROBO_READINGS_H
#define ROBO_READINGS_H

#include <pthread.h>

#include "base/workers.h"
#include "body/blur.h"
#include "robotalk.h"

/* Sensors that are wanted: bit n % 64 of word n / 64. */
struct robo__sensors {
    uint64_t bit[ROBO_MAX_SENSORS / 64];
};

/* Those of a simulation whose newest reading is older than their rate wants, are sampled now, unless another thread is at
 * it. Any thread, without the robot's mutex. */
void robo__readings_refresh(robo_robot *robot, const struct robo__sensors *wanted);

/* As robo_sense, of the existing readings: nothing is sampled. */
int robo__readings_take(const robo_robot *robot, unsigned sensor, uint64_t number,
                        struct robo_reading *reading, double *value, size_t room);

/* A sensor that is sampled at multiples of its period. */
struct robo__steady {
    unsigned sensor;
    robo_time period, due;
    struct robo__slip slip;
};

/* The sampling state of a robot. */
struct robo__sampling {
    /* guards all below; taken before the robot's mutex. A thread that only wants to sample does not wait for it */
    pthread_mutex_t lock;
    /* devices that simulate sensors, while they are open */
    robo_device *device[ROBO_MAX_DEVICES];
    struct robo_state *now,
        *before;        /* of the two newest samplings; NULL: no device has ever simulated */
    robo_time *sampled; /* when each sensor was measured last, whatever came of it; NULL as above */
    struct robo__steady *steady;
    unsigned steadies;
    struct robo__sensors steadily; /* these */

    /* of the sampler (sampler.h) */
    struct robo__workers_job job;
    struct robo__timer timer; /* in a virtual world */
    bool last;                /* there: it comes last of its instant now */
};

/* Samples those that are due, in the order of their sensors; when the next one is. Any thread, without the robot's mutex. */
robo_time robo__readings_measure(robo_robot *robot, robo_time now);

void robo__readings_open(robo_robot *robot);
void robo__readings_close(robo_robot *robot);

/* The devices of a body are open, or will be closed next. Without the robot's mutex. ROBO_ENOMEM: the sensors that they
 * simulate are not sampled. */
int robo__readings_attach(robo_robot *robot, robo_device *const device[ROBO_MAX_DEVICES]);
void robo__readings_detach(robo_robot *robot);

#endif
