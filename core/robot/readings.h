/* What a robot's sensors have told: a ring of readings for each sensor of a revision. Drivers write from any thread, and
 * readers wait for nobody; the robot's mutex has no part in it. Sensors of a simulation are sampled when somebody looks. */
#ifndef ROBO_READINGS_H
#define ROBO_READINGS_H

#include <pthread.h>

#include "robotalk.h"

/* Sensors that are wanted: bit n % 64 of word n / 64. */
struct robo__sensors {
    uint64_t bit[ROBO_MAX_SENSORS / 64];
};

/* Those of a simulation whose newest reading is older than their rate wants, are sampled now, unless another thread is at
 * it. Any thread, without the robot's mutex. */
void robo__readings_refresh(robo_robot *robot, const struct robo__sensors *wanted);

/* As robo_sense, of what there is: nothing is sampled. */
int robo__readings_take(const robo_robot *robot, unsigned sensor, uint64_t number,
                        struct robo_reading *reading, double *value, size_t room);

/* Of a robot: what the sampling needs. */
struct robo__sampling {
    /* guards all below; taken before the robot's mutex. Who only wants to sample does not wait for it */
    pthread_mutex_t lock;
    /* devices that simulate sensors, while they are open */
    robo_device *device[ROBO_MAX_DEVICES];
    struct robo_state *now,
        *before; /* of the two newest samplings; NULL: no device has ever simulated */
};

void robo__readings_open(robo_robot *robot);
void robo__readings_close(robo_robot *robot);

/* The devices of a body are open, or will be closed next. Without the robot's mutex. ROBO_ENOMEM: what they simulate is not
 * sampled. */
int robo__readings_attach(robo_robot *robot, robo_device *const device[ROBO_MAX_DEVICES]);
void robo__readings_detach(robo_robot *robot);

#endif
