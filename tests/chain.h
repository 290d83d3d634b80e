/* Descriptions of arms for tests: chains of joints of one dof each. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robotalk.h"
#include "scenery.h"

/* Links and joints of a chain: the root, and n joints with such a dof, each on the link of the one before. What else *d
 * says stays as it is. */
static inline void make_chain(struct robo_description *d, uint16_t n, uint8_t servo,
                              struct robo_dof dof)
{
    d->links = d->joints = (uint16_t)(n + 1);
    d->dofs = n;
    for (uint16_t i = 0; i <= n; i++) {
        struct robo_joint *j = &d->joint[i];
        snprintf(d->link[i].name, sizeof d->link[i].name, "link%u", i);
        snprintf(j->name, sizeof j->name, "joint%u", i);
        j->parent = i ? (uint16_t)(i - 1) : ROBO_WORLD;
        j->child = i;
        if (i == 0)
            continue;
        j->servo = servo;
        j->first = (uint16_t)(i - 1);
        j->dofs = 1;
        d->dof[i - 1] = dof;
    }
}

/* A flat arm that one driver moves: links of 0.3 m, control frames "root" and "tip". */
static inline void make_flat_arm(struct robo_description *d, uint16_t n, uint8_t servo,
                                 const char *driver)
{
    begin_description(d, n + 2u,
                      (struct robo_description){
                          .name = "arm", .frames = 2, .devices = 1, .commands = UINT64_MAX });
    d->frame[0] = (struct robo_frame){ .name = "root" };
    d->frame[1] = (struct robo_frame){ .name = "tip",
                                       .link = n,
                                       .servo = ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
                                       .position = { 0.3, 0, 0 },
                                       .speed = 1,
                                       .turn = 2 };
    strcpy(d->device[0].driver, driver);
    make_chain(d, n, servo,
               (struct robo_dof){ .name = "q",
                                  .axis = { 0, 0, 1 },
                                  .low = -2,
                                  .high = 2,
                                  .speed = 2,
                                  .acceleration = 8 });
    for (uint16_t i = 2; i <= n; i++)
        d->joint[i].inboard[0] = 0.3;
}

/* An arm whose axes are turned by a quarter against each other, 0.3 m before every other; its control frame is "tool". A
 * limit below 0: the dofs have none. */
static inline void make_turned_arm(struct robo_description *d, uint16_t n, double limit)
{
    begin_description(d, n + 1u, (struct robo_description){ .name = "arm", .frames = 1 });
    d->frame[0] = (struct robo_frame){ .name = "tool", .link = n, .position = { 0, 0, 0.2 } };
    make_chain(d, n, 0,
               (struct robo_dof){ .name = "q", .axis = { 0, 0, 1 }, .low = -limit, .high = limit });
    for (uint16_t i = 1; i <= n; i++) {
        const double attitude[3] = { i % 2 ? M_PI / 2 : -M_PI / 2, 0, 0 };
        robo_attitude_to_rotation(attitude, d->joint[i].rest);
        d->joint[i].inboard[2] = i % 2 ? 0.3 : 0;
    }
}
