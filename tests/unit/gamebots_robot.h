/* A robot with something of each kind that Gamebots tells, for tests of its messages: wheels as the P2DX's, a pan-tilt with a camera, an
 * arm with a gripper, sixteen sonars and one sensor of each other kind. */
#pragma once

#include <math.h>
#include <stdio.h>

#include "../scenery.h"
#include "gamebots/vehicle.h"

enum {
    LASER = 16,
    ODOMETRY,
    POSE,
    GPS,
    IMU,
    ENCODER,
    BUMPER,
    INFRARED,
    GYROSCOPE,
    ACCELEROMETER,
    COMPASS,
    OWN,
    SENSORS
};

static inline void put_joint_of(struct robo_description *d, unsigned number, const char *name,
                                unsigned parent, unsigned first, unsigned dofs)
{
    struct robo_joint *j = &d->joint[number];
    *j = (struct robo_joint){ .parent = (uint16_t)parent,
                              .child = (uint16_t)number,
                              .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
                              .rest = { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                              .first = (uint16_t)first,
                              .dofs = (uint8_t)dofs };
    snprintf(j->name, sizeof j->name, "%s", name);
    snprintf(d->link[number].name, sizeof d->link[number].name, "%s_link", name);
}

static inline void put_dof_of(struct robo_description *d, unsigned number, const char *name,
                              double y, double z, double low, double high)
{
    struct robo_dof *dof = &d->dof[number];
    *dof = (struct robo_dof){
        .axis = { 0, y, z }, .low = low, .high = high, .speed = 1.5, .acceleration = 10
    };
    snprintf(dof->name, sizeof dof->name, "%s", name);
}

static inline void put_sensor_of(struct robo_description *d, unsigned number, const char *kind,
                                 unsigned count)
{
    struct robo_sensor *s = &d->sensor[number];
    s->count = (uint16_t)count;
    snprintf(s->kind, sizeof s->kind, "%s", kind);
    snprintf(s->name, sizeof s->name, "%s", kind);
}

/* Borrowed; it stays until the program ends, with what a test changes of it. */
static inline const struct robo_description *robot_description(void)
{
    static struct robo_description d;
    static const char *const kinds[] = { "laser",     "odometry",      "pose",    "gps",
                                         "imu",       "encoder",       "bumper",  "infrared",
                                         "gyroscope", "accelerometer", "compass", "smell" };
    static const unsigned counts[] = { 181, 3, 6, 3, 9, 2, 2, 1, 3, 3, 1, 2 };
    if (d.joint)
        return &d;
    begin_description(&d, 40,
                      (struct robo_description){ .name = "r",
                                                 .links = 4,
                                                 .joints = 4,
                                                 .dofs = 5,
                                                 .shapes = 3,
                                                 .cameras = 1,
                                                 .sensors = SENSORS,
                                                 .devices = 1,
                                                 .deadman = 500000000,
                                                 .commands = UINT64_MAX,
                                                 .base_speed = { 1.65, 0, 5 },
                                                 .base_acceleration = { 1, 0, 5 } });
    strcpy(d.device[0].driver, "sim");
    d.device[0].base = 1;
    d.link[0] = (struct robo_link){
        .name = "body", .mass = 9, .com = { -0.06, 0.01, 0.13 }, .inertia = { 1, 1, 1 }
    };
    put_joint_of(&d, 0, "root", ROBO_WORLD, 0, 0);
    put_joint_of(&d, 1, "head", 0, 0, 2);
    put_joint_of(&d, 2, "shoulder", 0, 2, 1);
    put_joint_of(&d, 3, "gripper", 2, 3, 2);
    put_dof_of(&d, 0, "pan", 0, 1, -1.5, 1.6);
    put_dof_of(&d, 1, "tilt", -1, 0, -0.4, 0.5);
    put_dof_of(&d, 2, "lift", -1, 0, 1, 0); /* no limits */
    put_dof_of(&d, 3, "grip", 0, 1, 0, 1);
    put_dof_of(&d, 4, "other_finger", 0, -1, 0, 1);
    d.dof[4].mimics = 4;
    d.dof[4].ratio = 1;
    d.joint[1].inboard[0] = 0.18; /* 0.12 m before the axle */
    d.joint[1].inboard[2] = 0.15;
    for (int i = 0; i < 2; i++)
        d.shape[i] = (struct robo_shape){ .kind = ROBO_SHAPE_CYLINDER,
                                          .size = { 0.0825, 0.04 },
                                          .position = { 0, i ? -0.165 : 0.165, 0.0825 },
                                          .attitude = { M_PI / 2, 0, 0 } };
    d.shape[2] = (struct robo_shape){ .kind = ROBO_SHAPE_BOX,
                                      .size = { 0.44, 0.3, 0.18 },
                                      .position = { -0.04, 0, 0.15 } };
    d.camera[0] = (struct robo_camera){ .name = "eye",
                                        .link = 1,
                                        .position = { 0.08, 0, 0.03 },
                                        .width = 320,
                                        .height = 240,
                                        .fov = 0.8727,
                                        .rate = 25 };
    for (unsigned i = 0; i < 16; i++) {
        put_sensor_of(&d, i, "sonar", 1);
        sprintf(d.sensor[i].name, "sonar%u", i);
        d.sensor[i].opening = 0.2618;
    }
    d.sensor[0].position[0] = 0.069;
    d.sensor[0].position[1] = 0.136; /* on the left */
    d.sensor[0].attitude[2] = M_PI / 2;
    for (unsigned i = 16; i < SENSORS; i++)
        put_sensor_of(&d, i, kinds[i - 16], counts[i - 16]);
    d.sensor[LASER].fov = M_PI;
    d.sensor[ENCODER].link = 1;
    return &d;
}

static inline struct robo__gb_vehicle *make_vehicle(enum robo__gb_dialect dialect)
{
    static const struct robo__gb_class row = { .name = "P2AT" };
    return robo__gb_vehicle_make(robot_description(), dialect, &row, "R1");
}
