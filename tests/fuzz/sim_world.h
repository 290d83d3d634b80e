/* A virtual world with one simulated robot that drives. deadman: in ns, 0: none. */
#ifndef FUZZ_SIM_WORLD_H
#define FUZZ_SIM_WORLD_H

#include "../base_robot.h"
#include "sim/sim.h"

static inline robo_world *open_sim_world(robo_time deadman)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    robo_world *world = robo_open(&options);
    struct robo_description d = base_robot("robot", "sim");
    d.deadman = deadman;
    robo_add_driver(world, &robo_sim_driver);
    robo_add(world, &d, NULL);
    return world;
}

#endif
