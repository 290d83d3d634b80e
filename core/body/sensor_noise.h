/* Errors of simulated readings, as the sensor's description says: noise, a bias, a resolution, drop-outs, and the slip of wheels
 * in odometry. All of it follows from a key and an instant: the same sensor of the same world reads the same at an instant,
 * whatever was read before. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"

/* Whether a sensor's errors are within the bounds of a description. */
bool robo__are_errors(const struct robo_sensor *sensor);

/* Whether it has none. */
bool robo__is_exact(const struct robo_sensor *sensor);

/* Of a sensor, by the names of its robot and of itself: no two of a world have the same. */
uint64_t robo__blur_key(uint64_t seed, const char *robot, const char *sensor);

/* Adds the sensor's errors to a true reading of that instant; false: a drop-out, no reading. A drop-out of ranges
 * reads the greatest range, as where nothing is; a true reading of that value has no noise. */
bool robo__blur(const struct robo_sensor *sensor, uint64_t key, robo_time time, double *value,
                unsigned count);

/* Odometry whose wheels slip: the true pose and the reported one. All 0: nothing yet. */
struct robo__slip {
    bool begun;
    double was[3], told[3]; /* x, y, theta; m, rad */
};

/* Advances to the true pose of the base, x, y, theta, which becomes the odometry's pose. The variance of its way is share^2
 * for each metre, that of its turn share^2 for each metre and each radian. */
void robo__slip(struct robo__slip *slip, double share, uint64_t key, robo_time time,
                double pose[3]);
