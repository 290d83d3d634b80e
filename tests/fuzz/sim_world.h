/* A virtual world with one simulated robot that drives, knows where it is, and has a camera and a gripper. deadman: in ns, 0: none. */
#pragma once

#include "../base_robot.h"
#include "drivers.h"
#include "robotalk/description.h"

static inline robo_world *open_sim_world(robo_time deadman)
{
    static struct robo_sensor sensor[] = {
        { .name = "pose", .kind = "pose", .count = 6 },
        { .name = "imu", .kind = "imu", .count = 9 },
        { .name = "g", .kind = "gripper", .count = 6, .link = 1, .high = 0.2 },
        { .name = "beam", .kind = "beam", .count = 1, .high = 0.2 },
    };
    static struct robo_link link[] = { { .name = "body" }, { .name = "finger" } };
    static struct robo_dof dof = { .name = "gripper",
                                   .kind = ROBO_PRISMATIC,
                                   .axis = { 0, 1, 0 },
                                   .high = 0.1,
                                   .speed = 1,
                                   .acceleration = 10 };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "gripper",
          .child = 1,
          .dofs = 1,
          .servo = ROBO_SERVO_SETPOINT,
          .rest = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } },
    };
    static struct robo_camera camera = { .name = "eye", .width = 52, .height = 32, .rate = 25 };
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 1 };
    robo_world *world = robo_open(&options);
    struct robo_description d = base_robot("robot", "sim");
    d.deadman = deadman;
    d.sensors = sizeof sensor / sizeof *sensor;
    d.sensor = sensor;
    d.links = d.joints = 2;
    d.link = link;
    d.joint = joint;
    d.dofs = 1;
    d.dof = &dof;
    d.cameras = 1;
    d.camera = &camera;
    robo_add_driver(world, &robo_sim_driver);
    robo_add(world, &d, NULL);
    return world;
}
