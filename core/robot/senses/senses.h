/* The senses of a robot, which embeds them: readings of its sensors, and pictures of its cameras. They know its devices, but neither
 * the robot nor its mutex: the robot tells them what they need of it when it opens them. */
#pragma once

#include <pthread.h>

#include "base/timer.h"
#include "base/workers.h"
#include "body/sensor_noise.h"
#include "body/revision.h"
#include "camera.h"
#include "readings.h"
#include "robot/devices/device.h"

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

    /* of the sampler */
    struct robo__workers_job job;
    struct robo__timer timer; /* in a virtual world */
    bool last;                /* there: it comes last of its instant now */
};

struct robo__senses {
    robo_world *world;                         /* whose clock they have */
    uint64_t seed;                             /* and whose seed */
    struct robo__timers *timers;               /* of a virtual world; NULL: it has threads */
    struct robo__revision *_Atomic *revisions; /* of the robot, the newest first */
    /* the robot's state now. Any thread, without its mutex */
    void (*read)(struct robo__senses *senses, struct robo_state *state);
    struct robo__sampling sampling;
    struct robo__cameras *_Atomic cameras; /* the newest first; NULL: it has never had any */
};

/* The members above `sampling` are set. */
void robo__senses_open(struct robo__senses *senses);
void robo__senses_close(struct robo__senses *senses);

/* The devices of a body are open, or will be closed next. Without the robot's mutex. ROBO_ENOMEM, ROBO_ESYSTEM: the sensors that they
 * simulate are not sampled, or it has no cameras. */
int robo__senses_attach(struct robo__senses *senses, robo_body *body,
                        robo_device *const device[ROBO_MAX_DEVICES]);
void robo__senses_detach(struct robo__senses *senses); /* waits for the jobs of its cameras */

/* As robo_sense. */
int robo__sense(struct robo__senses *senses, unsigned sensor, uint64_t number,
                struct robo_reading *reading, size_t size, double *value, size_t room);

/* ---- readings.c: as above, of the readings ---- */

void robo__readings_open(struct robo__senses *senses);
void robo__readings_close(struct robo__senses *senses);
int robo__readings_attach(struct robo__senses *senses, robo_device *const device[ROBO_MAX_DEVICES]);
void robo__readings_detach(struct robo__senses *senses);
/* Samples those that are due, in the order of their sensors; when the next one is. Any thread, without the robot's mutex. */
robo_time robo__readings_measure(struct robo__senses *senses, robo_time now);

/* ---- sampler.c: sensors of simulations that are measured steadily, whether anybody looks or not: those whose readings come late, or
 * count on from each other. It is a job for each robot (base/workers.h), or, in a virtual world, a timer of the world. ---- */

/* From that instant on a robot is sampled; 0, or ROBO_ESYSTEM: there is no thread to be had. */
int robo__sampler_enter(struct robo__senses *senses, robo_time due);
/* It is sampled no more, also by a worker that is just at it. Without its locks; of a robot that never came it does nothing. */
void robo__sampler_leave(struct robo__senses *senses);

/* ---- camera.c: as above, of the cameras ---- */

void robo__cameras_free(struct robo__senses *senses);
int robo__cameras_attach(struct robo__senses *senses, robo_body *body,
                         robo_device *const device[ROBO_MAX_DEVICES]);
void robo__cameras_detach(struct robo__senses *senses);
