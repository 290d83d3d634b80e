/* A world: a clock, the robots on it, the drivers they may use. */
#ifndef ROBO_WORLD_H
#define ROBO_WORLD_H

#include <pthread.h>
#include <stdbool.h>

#include "random.h"
#include "robotalk.h"
#include "timer.h"

enum { ROBO__MOST_DRIVERS = 32 };

struct robo {
    bool is_virtual, spin;
    robo_time now; /* virtual worlds; one thread */
    uint64_t seed;
    struct robo__timers timers; /* virtual worlds: every timer of every actor; one thread */

    pthread_mutex_t lock; /* guards the lists; never held together with a robot's mutex */
    robo_robot *robots;   /* in the order they were added */
    const robo_driver *driver[ROBO__MOST_DRIVERS];
};

const robo_driver *robo__driver_find(robo *world, const char *name);

/* The nth robot, or NULL. */
robo_robot *robo__world_robot(robo *world, size_t n);
size_t robo__world_count(robo *world);

#endif
