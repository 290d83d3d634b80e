/* The table of drivers: one line each. */
#include "drivers.h"

#include <string.h>

#include "robotalk.h"
#include "robotalk/host.h"

#include "camera/test_card.h"
#include "camera/v4l2.h"

static const robo_driver *const drivers[] = {
    &robo_can_driver,    &robo_folder_driver, &robo_pattern_driver, &robo_physics_driver,
    &robo_player_driver, &robo_servos_driver, &robo_sim_driver,     &robo_simbus_driver,
    &robo_v4l2_driver,   &robo_walk_driver,
};

const robo_driver *robo_built_in_driver(const char *name)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (strcmp(drivers[i]->name, name) == 0)
            return drivers[i];
    return NULL;
}

int robo_add_drivers(robo_world *world)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        int error = robo_add_driver(world, drivers[i]);
        if (error < 0)
            return error;
    }
    return 0;
}
