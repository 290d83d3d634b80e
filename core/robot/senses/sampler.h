/* Samples sensors of simulations that are measured steadily, whether anybody looks or not: those whose readings come late, or count
 * on from each other (readings.h). A world has one; its thread begins with the first robot that has such sensors. In a virtual
 * world there is none: timers of the world do it. */
#ifndef ROBO_SAMPLER_H
#define ROBO_SAMPLER_H

#include <pthread.h>
#include <stdbool.h>

#include "base/timer.h"
#include "robotalk.h"

struct robo__sampler {
    pthread_mutex_t lock; /* guards all below; nothing is taken or called while it is held */
    pthread_cond_t changed, done;
    struct robo__timers timers; /* of robots: when they are due */
    const robo_robot *at;       /* the robot that is just being sampled, or NULL */
    bool running, closing;
    pthread_t thread;
};

void robo__sampler_open(struct robo__sampler *sampler);
void robo__sampler_close(struct robo__sampler *sampler); /* no robot is there any more */
void robo__sampler_free(struct robo__sampler *sampler);

/* From that instant on a robot is sampled; 0, or ROBO_ESYSTEM: there is no thread to be had. */
int robo__sampler_enter(robo_robot *robot, robo_time due);
/* It is sampled no more, also by the thread that is just at it. Without its locks; of a robot that never came it does nothing. */
void robo__sampler_leave(robo_robot *robot);

#endif
