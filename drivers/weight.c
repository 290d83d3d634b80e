/* Weights of links. */
#include "weight.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/shape.h"

/* As scripts/robotalk/urdf/unsaid.lua has them: kg, kg m2, kg/m3. */
static const double MASS = 1e-3, MOMENT = 1e-6, LEAST = 1e-12, WATER = 1000;

/* kg/m3 of its shapes, a hundredth of thin foam, and forty times any metal; kg of a link without any; m that it may reach. */
static const double LIGHTEST = 1e-3, HEAVIEST = 1e6, LEAST_MASS = 1e-6, MOST_MASS = 1e5,
                    REACH = 100;

/* Of the shapes of a link, m3; 0: not known. */
static double volume_of(const struct robo_description *d, unsigned link)
{
    double sum = 0;
    for (unsigned i = 0; i < d->shapes; i++) {
        if (d->shape[i].link == link)
            sum += robo_shape_volume(d->shape[i].kind, d->shape[i].size);
    }
    return sum > 0 ? sum : 0; /* NaN with a mesh */
}

int robo__weights_check(const struct robo_description *d, char why[128])
{
    for (unsigned i = 0; i < d->links; i++) {
        const struct robo_link *l = &d->link[i];
        const double volume = volume_of(d, i), least = volume > 0 ? LIGHTEST * volume : LEAST_MASS,
                     most = volume > 0 ? HEAVIEST * volume : MOST_MASS,
                     moment = fmax(l->inertia[0], fmax(l->inertia[1], l->inertia[2]));
        if (l->mass <= 0)
            continue;
        if (l->mass < least || l->mass > most)
            snprintf(why, 128, "link %.31s: mass: expected %.3g to %.3g kg%s, got %.3g", l->name,
                     least, most, volume > 0 ? " for shapes of that size" : "", l->mass);
        else if (moment > REACH * REACH * l->mass)
            snprintf(why, 128,
                     "link %.31s: inertia: expected at most %.3g kg m2 of %.3g kg, got %.3g",
                     l->name, REACH * REACH * l->mass, l->mass, moment);
        else
            continue;
        return ROBO_EINVAL;
    }
    return 0;
}

/* Principal moments and their axes, the columns of `axis`, by rotations that take one product after the other away (Jacobi). */
static void principal(const double inertia[6], double moment[3], double axis[3][3])
{
    double m[3][3] = { { inertia[0], inertia[3], inertia[4] },
                       { inertia[3], inertia[1], inertia[5] },
                       { inertia[4], inertia[5], inertia[2] } };
    memcpy(axis, (double[3][3]){ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, 9 * sizeof(double));
    for (int sweep = 0; sweep < 20; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (m[p][q] == 0)
                    continue;
                const double angle = atan2(2 * m[p][q], m[q][q] - m[p][p]) / 2, c = cos(angle),
                             s = sin(angle);
                for (int k = 0; k < 3; k++) {
                    const double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b;
                    m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; k++) {
                    const double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b;
                    m[q][k] = s * a + c * b;
                }
                for (int k = 0; k < 3; k++) {
                    const double a = axis[k][p], b = axis[k][q];
                    axis[k][p] = c * a - s * b;
                    axis[k][q] = s * a + c * b;
                }
            }
    for (int i = 0; i < 3; i++)
        moment[i] = m[i][i];
}

static void fill(double inertia[6], double moment)
{
    memset(inertia, 0, 6 * sizeof inertia[0]);
    inertia[0] = inertia[1] = inertia[2] = moment;
}

/* As a ball of water has them. */
static void fill_as_water(struct robo__weight *w)
{
    const double radius = cbrt(3 * w->mass / (4 * M_PI * WATER));
    fill(w->inertia, fmax(0.4 * w->mass * radius * radius, LEAST));
}

bool robo__weight_balance(struct robo__weight *w)
{
    double moment[3], axis[3][3], least = HUGE_VAL, sum = 0;
    int greatest = 0;
    principal(w->inertia, moment, axis);
    for (int i = 0; i < 3; i++) {
        least = fmin(least, moment[i]);
        sum += moment[i];
        if (moment[i] > moment[greatest])
            greatest = i;
    }
    const double most = moment[greatest], others = sum - most;
    if (most < LEAST) { /* as the rest of a hull that turns less than its wheels do */
        fill_as_water(w);
        return false;
    }
    double more = 0;
    if (least < LEAST)
        more = LEAST - least;
    if (others + 2 * more < most * (1 + 1e-10))
        more = (most * (1 + 1e-9) - others) / 2;
    if (more == 0)
        return true;
    /* about the two axes of the lesser moments */
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int k = 0; k < 6; k++)
        w->inertia[k] +=
            more * ((row[k] == column[k]) - axis[row[k]][greatest] * axis[column[k]][greatest]);
    return false;
}

void robo__weight_take(struct robo__weight *from, const struct robo__weight *part)
{
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    const double left = from->mass - part->mass;
    double com[3], a[3], b[3]; /* from the whole's centre to those of the rest and of the part */
    for (int i = 0; i < 3; i++) {
        com[i] = (from->mass * from->com[i] - part->mass * part->com[i]) / left;
        a[i] = com[i] - from->com[i];
        b[i] = part->com[i] - from->com[i];
    }
    const double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
                 bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    for (int k = 0; k < 6; k++) {
        const int i = row[k], j = column[k];
        from->inertia[k] -= part->inertia[k] + part->mass * ((i == j) * bb - b[i] * b[j]) +
                            left * ((i == j) * aa - a[i] * a[j]);
    }
    memcpy(from->com, com, sizeof com);
    from->mass = left;
}

bool robo__weigh(const struct robo_link *link, struct robo__weight *w)
{
    double moment[3], axis[3][3];
    w->mass = link->mass;
    memcpy(w->com, link->com, sizeof w->com);
    memcpy(w->inertia, link->inertia, sizeof w->inertia);
    if (link->mass <= 0) {
        w->mass = MASS;
        fill(w->inertia, MOMENT);
        return false;
    }
    principal(w->inertia, moment, axis);
    if (fmin(moment[0], fmin(moment[1], moment[2])) < LEAST) {
        fill_as_water(w);
        return false;
    }
    return robo__weight_balance(w);
}
