/* Between the frames of Gamebots and our own. */
#include "frame.h"

#include <math.h>

static const double WRITTEN = 5e-5;   /* rad: less than that below a whole turn is written as one */
static const double MOST_STEER = 1.2; /* rad: no wheel is turned further */

/* No -0, which some clients read as a text. */
static double turned(double x)
{
    return x == 0 ? 0 : -x;
}

void robo__gb_turn(const double from[3], double to[3])
{
    to[0] = from[0];
    to[1] = turned(from[1]);
    to[2] = turned(from[2]);
}

void robo__gb_turn_floor(const double from[3], double to[3])
{
    robo__gb_turn(from, to);
}

static double whole_turn(double angle)
{
    const double rest = fmod(angle, 2 * M_PI), whole = rest < 0 ? rest + 2 * M_PI : rest;
    return whole < 2 * M_PI - WRITTEN ? whole : 0;
}

void robo__gb_attitude(const double attitude[3], double to[3])
{
    robo__gb_turn(attitude, to);
    for (int i = 0; i < 3; i++)
        to[i] = whole_turn(to[i]);
}

double robo__gb_sign(const struct robo_dof *dof)
{
    double axis[3];
    int most = 0;
    robo__gb_turn(dof->axis, axis);
    for (int i = 1; i < 3; i++)
        if (fabs(axis[i]) > fabs(axis[most]))
            most = i;
    return axis[most] < 0 ? -1 : 1;
}

void robo__gb_drive(const struct robo__gb_wheels *wheels, double left, double right,
                    double velocity[3])
{
    velocity[0] = (left + right) / 2 * wheels->radius;
    velocity[1] = 0;
    velocity[2] = (right - left) * wheels->radius / wheels->separation;
}

static double cut(double angle)
{
    return fmax(fmin(angle, MOST_STEER), -MOST_STEER);
}

void robo__gb_steer(const struct robo__gb_wheels *wheels, double speed, double front, double rear,
                    double velocity[3])
{
    velocity[0] = speed * wheels->radius;
    velocity[1] = 0;
    velocity[2] = wheels->base > 0
                      ? turned(velocity[0] * (tan(cut(front)) - tan(cut(rear))) / wheels->base)
                      : 0;
}
