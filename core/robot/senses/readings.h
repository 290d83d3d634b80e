/* The readings of a robot's sensors: a ring for each sensor of a revision. Drivers write from any thread, and readers
 * wait for nobody; the robot's mutex has no part in it. Sensors of a simulation are sampled when somebody looks; those
 * whose readings are late, or count on from each other, steadily at their rate, by the sampler. A simulation
 * gives the true values, which become the readings of its sensors here (body/sensor_noise.h). */
#pragma once

#include "robotalk.h"

struct robo__senses; /* of a robot: robo__robot_senses */

/* Sensors that are wanted: bit n % 64 of word n / 64. */
struct robo__sensors {
    uint64_t bit[ROBO_MAX_SENSORS / 64];
};

/* Those of a simulation whose newest reading is older than their rate wants, are sampled now, unless another thread is at
 * it. Any thread, without the robot's mutex. */
void robo__readings_refresh(struct robo__senses *senses, const struct robo__sensors *wanted);

/* As robo_sense, of the existing readings: nothing is sampled. */
int robo__readings_take(const struct robo__senses *senses, unsigned sensor, uint64_t number,
                        struct robo_reading *reading, double *value, size_t room);
