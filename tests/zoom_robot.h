/* A robot whose camera turns and zooms, for tests: its field of view is from 0.075 to 0.85 rad, as of an EVI-D30. */
#pragma once

#include "base_robot.h"
#include "robotalk/description.h"

static inline void add_zoom_robot(robo_world *to)
{
    static struct robo_link link[] = { { .name = "base" }, { .name = "eye" } };
    static struct robo_dof dof[] = { { .name = "pan",
                                       .axis = { 0, 0, 1 },
                                       .low = -1,
                                       .high = 1,
                                       .speed = 5,
                                       .acceleration = 50 },
                                     { .name = "zoom",
                                       .axis = { 0, 0, 1 },
                                       .low = 0.075,
                                       .high = 0.85,
                                       .speed = 5,
                                       .acceleration = 50,
                                       .home = 0.85 } };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "head", .child = 1, .dofs = 2, .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED },
    };
    static struct robo_camera camera = {
        .name = "eye", .link = 1, .width = 160, .height = 120, .fov = 0.85, .rate = 25
    };
    struct robo_description d = base_robot("zoomer", "sim");
    d.links = d.joints = d.dofs = 2;
    d.link = link;
    d.joint = joint;
    d.dof = dof;
    d.cameras = 1;
    d.camera = &camera;
    assert_int_equal(robo_add(to, &d, NULL), 0);
}
