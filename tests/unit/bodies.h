/* Random bodies for tests: trees with joints of all kinds. The same seed gives the same body. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../scenery.h"
#include "any.h"
#include "robotalk.h"

static inline void any_axis(struct robo__random *r, double out[3])
{
    double length;
    do {
        any_numbers(r, out, 3);
        length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    } while (length < 0.1);
    for (int i = 0; i < 3; i++)
        out[i] /= length;
}

enum { ANY_DOFS = 64 };

/* Up to 12 links, one or two roots, joints of 1 to 6 dofs, some of them followers, a control frame on each link. */
static inline void any_body(uint64_t seed, struct robo_description *d)
{
    struct robo__random r;
    robo__random_seed(&r, seed);
    begin_description(d, ANY_DOFS, (struct robo_description){ .name = "any" });
    d->links = (uint16_t)(2 + robo__random_u64(&r) % 11);
    d->joints = d->links;
    d->frames = d->links;
    for (uint16_t i = 0; i < d->links; i++) {
        struct robo_link *l = &d->link[i];
        struct robo_joint *j = &d->joint[i];
        struct robo_frame *f = &d->frame[i];
        snprintf(l->name, sizeof l->name, "link%u", i);
        snprintf(j->name, sizeof j->name, "joint%u", i);
        snprintf(f->name, sizeof f->name, "frame%u", i);
        l->mass = robo__random_range(&r, 0.1, 5);
        any_numbers(&r, l->com, 3);
        for (int k = 0; k < 3; k++)
            l->inertia[k] = robo__random_range(&r, 0.1, 0.2);
        bool root = i == 0 || (i == 1 && robo__random_u64(&r) % 4 == 0);
        j->parent = root ? ROBO_WORLD : (uint16_t)(robo__random_u64(&r) % i);
        j->child = i;
        j->first = d->dofs;
        j->dofs = root && robo__random_u64(&r) % 2 ? 0 : (uint8_t)(1 + robo__random_u64(&r) % 6);
        if (d->dofs + j->dofs > ANY_DOFS - 6)
            j->dofs = 1;
        any_numbers(&r, j->inboard, 3);
        any_numbers(&r, j->outboard, 3);
        double attitude[3];
        any_numbers(&r, attitude, 3);
        if (robo__random_u64(&r) % 5)
            robo_attitude_to_rotation(attitude, j->rest);
        for (uint8_t k = 0; k < j->dofs; k++) {
            struct robo_dof *dof = &d->dof[d->dofs];
            snprintf(dof->name, sizeof dof->name, "%u", k);
            dof->kind = robo__random_u64(&r) % 3 == 0;
            any_axis(&r, dof->axis);
            dof->low = 1;
            dof->high = -1;
            if (d->dofs > 0 && d->dof[0].mimics == 0 && robo__random_u64(&r) % 8 == 0) {
                dof->mimics = 1;
                dof->ratio = any(&r, 2);
                dof->shift = any(&r, 1);
            }
            d->dofs++;
        }
        f->link = i;
        any_numbers(&r, f->position, 3);
        any_numbers(&r, f->attitude, 3);
    }
}

static inline void any_posture(uint64_t seed, unsigned dofs, double *q)
{
    struct robo__random r;
    robo__random_seed(&r, seed);
    for (unsigned i = 0; i < dofs; i++)
        q[i] = any(&r, 2);
}
