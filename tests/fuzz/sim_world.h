/* A virtual world with one simulated robot that drives, knows where it is, and has a camera. deadman: in ns, 0: none. */
#ifndef FUZZ_SIM_WORLD_H
#define FUZZ_SIM_WORLD_H

#include "../base_robot.h"
#include "sim/sim.h"

static inline robo_world *open_sim_world(robo_time deadman)
{
    static struct robo_sensor sensor[] = {
        { .name = "pose", .kind = "pose", .count = 6 },
        { .name = "imu", .kind = "imu", .count = 9 },
    };
    static struct robo_camera camera = { .name = "eye", .width = 52, .height = 32, .rate = 25 };
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    robo_world *world = robo_open(&options);
    struct robo_description d = base_robot("robot", "sim");
    d.deadman = deadman;
    d.sensors = sizeof sensor / sizeof *sensor;
    d.sensor = sensor;
    d.cameras = 1;
    d.camera = &camera;
    robo_add_driver(world, &robo_sim_driver);
    robo_add(world, &d, NULL);
    return world;
}

#endif
