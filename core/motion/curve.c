/* The postures of a path, and the curves between them. */
#include <math.h>

#include "path.h"

/* rad, m: this close to a limit no curve leads beyond its postures */
static const double NEAR_LIMIT = 0.02;

double robo__path_number(const struct robo__path *w, unsigned posture, unsigned k)
{
    return w->number[posture * w->descent.dofs + k];
}

double robo__path_slope_after(const struct robo__path *w, unsigned i, unsigned k)
{
    return (robo__path_number(w, i + 1, k) - robo__path_number(w, i, k)) /
           (w->share[i + 1] - w->share[i]);
}

static bool near_limit(const struct robo__path *w, unsigned posture, unsigned k)
{
    double x = robo__path_number(w, posture, k);
    unsigned dof = w->descent.dof[k];
    return x < w->descent.model->low[dof] + NEAR_LIMIT ||
           x > w->descent.model->high[dof] - NEAR_LIMIT;
}

/* A slope with which a cubic stays between this posture and its neighbour (Fritsch and Carlson). */
static double tame(double slope, double between)
{
    return slope * between <= 0 ? 0 : copysign(fmin(fabs(slope), 3 * fabs(between)), slope);
}

double robo__path_slope(const struct robo__path *w, unsigned i, unsigned k)
{
    const unsigned last = w->postures - 1;
    if (last == 1)
        return robo__path_slope_after(w, 0, k);
    unsigned middle = i == 0 ? 1 : i == last ? last - 1 : i;
    double before = w->share[middle] - w->share[middle - 1],
           after = w->share[middle + 1] - w->share[middle];
    double a = robo__path_slope_after(w, middle - 1, k), b = robo__path_slope_after(w, middle, k),
           bend = (b - a) / (before + after);
    double slope = i < middle   ? a - before * bend
                   : i > middle ? b + after * bend
                                : a + before * bend;
    if (!near_limit(w, middle - 1, k) && !near_limit(w, middle, k) && !near_limit(w, middle + 1, k))
        return slope;
    if (i <= middle)
        slope = tame(slope, i < middle ? a : b);
    return i >= middle ? tame(slope, i > middle ? b : a) : slope;
}

struct robo__curve robo__path_curve(const struct robo__path *w, unsigned i, unsigned k)
{
    return (struct robo__curve){ robo__path_number(w, i, k), robo__path_number(w, i + 1, k),
                                 robo__path_slope(w, i, k), robo__path_slope(w, i + 1, k),
                                 w->share[i + 1] - w->share[i] };
}

double robo__curve_value(const struct robo__curve *c, double t)
{
    double u = t - 1, s = t * t * (3 - 2 * t);
    return c->start + s * (c->end - c->start) +
           c->length * t * u * (u * c->slope_start + t * c->slope_end);
}

double robo__curve_slope(const struct robo__curve *c, double t)
{
    return 6 * t * (1 - t) * (c->end - c->start) / c->length +
           (1 - t) * (1 - 3 * t) * c->slope_start + t * (3 * t - 2) * c->slope_end;
}

double robo__curve_bend(const struct robo__curve *c, double t)
{
    return (6 * (1 - 2 * t) * (c->end - c->start) / c->length + (6 * t - 4) * c->slope_start +
            (6 * t - 2) * c->slope_end) /
           c->length;
}

void robo__path_take(const struct robo__path *w, unsigned posture, double *q)
{
    const double *row = w->number + (size_t)posture * w->descent.dofs;
    for (unsigned k = 0; k < w->descent.dofs; k++)
        q[w->descent.dof[k]] = row[k];
}

void robo__path_between(const struct robo__path *w, unsigned i, double t, double *q)
{
    for (unsigned k = 0; k < w->descent.dofs; k++) {
        struct robo__curve c = robo__path_curve(w, i, k);
        q[w->descent.dof[k]] = robo__curve_value(&c, t);
    }
}
