/* Random problems of ordering: a chain of joints, a Jacobian of it, what its joints were sent and what is wanted. */
#pragma once

#include <stdint.h>

#include <math.h>
#include <string.h>

#include "../test.h"
#include "any.h"
#include "motion/bus_schedule.h"

enum { MOST = ROBO__SCHEDULE_SOLVED, ROWS = ROBO__SCHEDULE_ROWS };

static const enum robo_order BY_NEED[] = { ROBO_ORDER_GREATEST, ROBO_ORDER_OPTIMAL,
                                           ROBO_ORDER_PLANNED };

/* What is decided on. */
struct problem {
    struct robo__schedule o;
    double j[ROWS * MOST], u[MOST], wanted[ROWS]; /* wanted: J u */
};

static bool plans(enum robo_order scheme)
{
    return scheme == ROBO_ORDER_PLANNED;
}

static void multiply(const struct problem *p, const double *speeds, double *out)
{
    for (unsigned i = 0; i < p->o.rows; i++) {
        out[i] = 0;
        for (unsigned k = 0; k < p->o.joints; k++)
            out[i] += p->j[i * p->o.joints + k] * speeds[k];
    }
}

static void begin(struct robo__random *r, struct problem *p, enum robo_order scheme,
                  unsigned joints, unsigned rows)
{
    assert_int_equal(robo__schedule_init(&p->o, scheme, joints, rows), 0);
    for (unsigned i = 0; i < rows; i++)
        p->o.weight[i] = robo__random_range(r, 0.1, 3);
    any_numbers(r, p->o.sent, joints);
    any_numbers(r, p->j, rows * joints);
    any_numbers(r, p->u, joints);
    multiply(p, p->u, p->wanted);
}

/* Any sizes, few or as many as can be, and with what real arms have: equal joints, joints and rows that do not count,
 * joints that were told already, Jacobians of a lower rank. */
static void begin_any(struct robo__random *r, struct problem *p, enum robo_order scheme)
{
    bool many = one_in(r, 4);
    unsigned n = up_to(r, plans(scheme) ? ROBO__PLANNABLE : many ? MOST : 9);
    begin(r, p, scheme, n, up_to(r, many ? ROWS : 9));
    for (unsigned i = 0; i < p->o.rows; i++)
        if (one_in(r, 8))
            p->o.weight[i] = 0;
    for (unsigned k = 0; k < n; k++) {
        unsigned other = up_to(r, n) - 1, kind = up_to(r, 16);
        double factor = kind == 1 ? 0 : any(r, 2);
        if (kind == 3)
            p->u[k] = p->o.sent[k];
        if (kind == 4) {
            p->u[k] = p->u[other];
            p->o.sent[k] = p->o.sent[other];
            factor = 1;
        }
        for (unsigned i = 0; (kind < 3 || kind == 4) && i < p->o.rows; i++)
            p->j[i * n + k] = factor * p->j[i * n + other];
    }
    multiply(p, p->u, p->wanted);
}

/* One joint's part of the error, row by row, and its square. */
static double part_of(const struct problem *p, unsigned k, double *a)
{
    double size = 0;
    for (unsigned i = 0; i < p->o.rows; i++) {
        a[i] = p->o.weight[i] * p->j[i * p->o.joints + k] * (p->u[k] - p->o.sent[k]);
        size += a[i] * a[i];
    }
    return size;
}

/* |W (J u - wanted)|^2 with these joints told and the others as they were. */
static double error_of(const struct problem *p, unsigned told)
{
    double sum = 0;
    for (unsigned i = 0; i < p->o.rows; i++) {
        double e = -p->wanted[i];
        for (unsigned k = 0; k < p->o.joints; k++)
            e += p->j[i * p->o.joints + k] * (told >> k & 1 ? p->u[k] : p->o.sent[k]);
        sum += p->o.weight[i] * p->o.weight[i] * e * e;
    }
    return sum;
}
