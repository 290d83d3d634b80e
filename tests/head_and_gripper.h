/* A head and a gripper on a base, for tests: joint 1 pans and tilts the head by up to 1 rad each way, joint 2 opens the gripper, 0 to 1 m. */
#pragma once

#include "robotalk.h"
#include "robotalk/records.h"

static inline void wear_head_and_gripper(struct robo_description *d)
{
    enum { SERVO = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED };
    static struct robo_link link[] = { { .name = "base" }, { .name = "eye" }, { .name = "claw" } };
    static struct robo_dof dof[] = {
        { .name = "pan", .axis = { 0, 0, 1 }, .low = -1, .high = 1 },
        { .name = "tilt", .axis = { 0, -1, 0 }, .low = -1, .high = 1 },
        { .name = "width", .kind = ROBO_PRISMATIC, .axis = { 0, 1, 0 }, .high = 1 },
    };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "head", .child = 1, .dofs = 2, .servo = SERVO },
        { .name = "gripper", .child = 2, .dofs = 1, .first = 2, .servo = SERVO },
    };
    for (unsigned i = 0; i < 3; i++) {
        dof[i].speed = 10;
        dof[i].acceleration = 100;
    }
    d->links = d->joints = d->dofs = 3;
    d->link = link;
    d->joint = joint;
    d->dof = dof;
}

/* The same without the gripper. */
static inline void wear_head(struct robo_description *d)
{
    wear_head_and_gripper(d);
    d->links = d->joints = d->dofs = 2;
}
