/* A body with two legs, for tests. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/driver_options.h"
#include "scenery.h"

enum { LEG_DOFS = 6 };

static const struct robo_option STEPS[] = { TEXT("feet", "sole0 sole1"), REAL("lift", 0.04),
                                            REAL("period", 0.8), REAL("sway", 0.03) };

/* Two legs: hips 3 dofs, knee 1, ankle 2. Thigh 0.255 m, shank 0.245 m, ankles 0.065 m above the floor, hips 0.125 m
 * apart; it stands with its knees bent. */
static inline void make_biped(struct robo_description *d)
{
    static const double axis[LEG_DOFS][3] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 },
                                              { 0, 1, 0 }, { 0, 1, 0 }, { 1, 0, 0 } };
    double bend = 0.35, lean = asin(0.255 / 0.245 * sin(bend));
    double home[LEG_DOFS] = { 0, 0, -bend, bend + lean, -lean, 0 };
    begin_description(d, 2 * LEG_DOFS, (struct robo_description){ .name = "biped" });
    d->links = d->joints = 7;
    d->frames = 3;
    d->dofs = 2 * LEG_DOFS;
    d->devices = 1;
    d->commands = UINT64_MAX;
    d->holonomic = 1;
    d->base_speed[0] = 0.6;
    d->base_speed[1] = 0.2;
    d->base_speed[2] = 0.8;
    d->base_acceleration[0] = d->base_acceleration[1] = 0.5;
    d->base_acceleration[2] = 1.5;
    strcpy(d->device[0].driver, "walk");
    TAKES(d->device[0], STEPS);
    d->device[0].base = 1;
    strcpy(d->link[0].name, "pelvis");
    strcpy(d->joint[0].name, "root");
    d->joint[0].parent = ROBO_WORLD;
    d->link[0].position[2] = 0.255 * cos(bend) + 0.245 * cos(lean) + 0.065;
    strcpy(d->frame[0].name, "root");
    unsigned dof = 0;
    for (unsigned leg = 0; leg < 2; leg++) {
        static const uint8_t dofs[3] = { 3, 1, 2 };
        const double down[3] = { 0, -0.255, -0.245 };
        for (unsigned part = 0; part < 3; part++) {
            unsigned n = 1 + 3 * leg + part;
            struct robo_joint *j = &d->joint[n];
            snprintf(d->link[n].name, sizeof d->link[n].name, "link%u", n);
            snprintf(j->name, sizeof j->name, "joint%u", n);
            j->parent = part ? (uint8_t)(n - 1) : 0;
            j->child = (uint8_t)n;
            j->servo = ROBO_SERVO_SETPOINT;
            j->leg = (uint8_t)(leg + 1);
            j->first = (uint8_t)dof;
            j->dofs = dofs[part];
            j->inboard[1] = part ? 0 : leg ? -0.0625 : 0.0625;
            j->inboard[2] = down[part];
            for (unsigned k = 0; k < dofs[part]; k++, dof++) {
                struct robo_dof *f = &d->dof[dof];
                snprintf(f->name, sizeof f->name, "%u", k);
                memcpy(f->axis, axis[dof % LEG_DOFS], sizeof f->axis);
                f->low = -2.2;
                f->high = 2.2;
                f->speed = 12;
                f->acceleration = 60;
                f->home = home[dof % LEG_DOFS];
            }
        }
        snprintf(d->frame[1 + leg].name, sizeof d->frame[0].name, "sole%u", leg);
        d->frame[1 + leg].link = (uint8_t)(3 + 3 * leg);
        d->frame[1 + leg].position[2] = -0.065;
    }
}
