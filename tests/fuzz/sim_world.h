/* A virtual world with one simulated robot that drives. deadman: in ns, 0: none. */
#ifndef FUZZ_SIM_WORLD_H
#define FUZZ_SIM_WORLD_H

#include <string.h>

#include "sim/sim.h"

static inline robo_world *open_sim_world(robo_time deadman)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    robo_world *world = robo_open(&options);
    struct robo_joint root = { .parent = 0 };
    struct robo_description d = { .name = "robot",
                                  .devices = 1,
                                  .joints = 1,
                                  .commands = ~(uint64_t)0,
                                  .deadman = deadman,
                                  .joint = &root };
    strcpy(d.device[0].driver, "sim");
    d.device[0].base = 1;
    robo_add_driver(world, &robo_sim_driver);
    robo_add(world, &d, NULL);
    return world;
}

#endif
