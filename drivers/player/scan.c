/* A scan of a Player server, read at the angles of a laser of the descriptor. */
#include "scan.h"
#include "robotalk/description.h"

#include <math.h>

static const double MOST = 1e9;   /* m; no reading is greater */
static const double EXACT = 1e-4; /* of a step: angles come as floats */

static double told(double x)
{
    return fabs(x) <= MOST ? x : 0;
}

struct robo__scan robo__scan_of_laser(const struct robo__player_body *body)
{
    const double *v = body->value;
    return (struct robo__scan){ told(v[0]), told(v[1]), told(v[2]), told(v[3]) };
}

struct robo__scan robo__scan_of_ranger(const struct robo__player_body *body, unsigned first)
{
    const double *v = body->value + first;
    return (struct robo__scan){ told(v[0]), told(v[1]), told(v[2]), told(v[4]) };
}

/* From one of n readings to the next: as the least and greatest angle say, unless the resolution says that these are of another
 * number of readings by more than one (Stage counts one too many). Negative: the first is the leftmost one. 0: unknown. */
static double step_of(const struct robo__scan *scan, uint32_t n)
{
    const double fov = scan->greatest - scan->least, even = n > 1 ? fov / (n - 1) : 0,
                 step = fabs(scan->step);
    if (step == 0 || even == 0)
        return step == 0 ? even : scan->step;
    return fabs(fabs(fov) / step - (n - 1)) <= 1 + EXACT ? even : copysign(step, fov);
}

static double range_of(double x, double most)
{
    return !(x > 0) ? NAN : x > MOST || (most > 0 && x >= most) ? INFINITY : x;
}

void robo__scan_read(const struct robo__scan *scan, const struct robo__player_array *ranges,
                     const struct robo_sensor *laser, double *value)
{
    const unsigned n = robo_sensor_values(laser);
    const double own = n > 1 ? laser->fov / (n - 1) : 0, last = (double)ranges->count - 1,
                 step = n > 1 && own == 0 ? 0 : step_of(scan, ranges->count),
                 near = fmax(fabs(step), own) / 2 + EXACT * fabs(step);
    /* angles are counted from there: a laser that turns may go past 180 degrees */
    const double middle = scan->least + last * step / 2;
    for (unsigned k = 0; k < n; k++) {
        const double ahead = n > 1 ? own * k - laser->fov / 2 : 0,
                     angle = middle + remainder(ahead - middle, 2 * M_PI),
                     /* if one of both does not give its angle, it is the other's */
            share = step != 0 ? (angle - scan->least) / step
                    : n > 1   ? last * k / (n - 1)
                              : last / 2,
                     at = fmin(fmax(round(share), 0), last);
        const bool there = step == 0 || fabs(scan->least + at * step - angle) <= near;
        value[k] = there && last >= 0
                       ? range_of(robo__player_item(ranges, (uint32_t)at, 0), scan->most)
                       : NAN;
    }
}
