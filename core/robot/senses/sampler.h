/* Samples sensors of simulations that are measured steadily, whether anybody looks or not: those whose readings come late, or count
 * on from each other (readings.h). It is a job for each robot (base/workers.h), or, in a virtual world, a timer of the world. */
#ifndef ROBO_SAMPLER_H
#define ROBO_SAMPLER_H

#include "robotalk.h"

/* From that instant on a robot is sampled; 0, or ROBO_ESYSTEM: there is no thread to be had. */
int robo__sampler_enter(robo_robot *robot, robo_time due);
/* It is sampled no more, also by a worker that is just at it. Without its locks; of a robot that never came it does nothing. */
void robo__sampler_leave(robo_robot *robot);

#endif
