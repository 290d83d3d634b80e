/* The table of drivers: one line each, and visible to grep. */
#include "drivers.h"

#include "sim/sim.h"
#include "simbus/simbus.h"
#include "walk/walk.h"

static const robo_driver *const drivers[] = {
    &robo_sim_driver,
    &robo_simbus_driver,
    &robo_walk_driver,
};

int robo__drivers_add(robo *world)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        int error = robo_add_driver(world, drivers[i]);
        if (error < 0)
            return error;
    }
    return 0;
}
