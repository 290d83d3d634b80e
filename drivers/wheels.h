/* The wheels of a base: shapes of the root link that roll. Their turns from the base's motion, and the base's motion from
 * their turns. Pure functions. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "weight.h"

enum { ROBO__MOST_WHEELS = 16 };

struct robo__wheel {
    uint16_t shape; /* its number */
    uint8_t roll;   /* ROBO_ROLL_… */
    double radius, axle[3],
        ahead[2];               /* axle: along which its cylinder lies; ahead: where it rolls to */
    struct robo__weight weight; /* in the root link's frame */
    double along, across;       /* its moments about its axle, and across */
    /* kg m2: that of its motor, by its gear: as much as its share of the robot, for which gears are chosen. A wheel that slips
     * would else be so light that it sticks and slips by turns */
    double motor;
};

struct robo__wheels {
    unsigned count;
    double mass; /* of the robot */
    double
        axle; /* m: so far ahead of the root's origin lies the middle of those that roll one way; 0: there are none */
    double rear, front; /* m: where the last and the first of these are */
    struct robo__wheel wheel[ROBO__MOST_WHEELS];
    double back[3][ROBO__MOST_WHEELS]; /* from turns to the base's x, y, theta */
};

/* Those of a description. A wheel weighs as a solid one of plastic does, and no more than a twentieth of its link. */
void robo__wheels_read(const struct robo_description *description, struct robo__wheels *wheels);

/* How fast they turn, rad/s, when the base has that velocity: ahead, to the left, turning. 0 of casters. */
void robo__wheels_turn(const struct robo__wheels *wheels, const double velocity[3], double *turn);

/* The velocity that fits these turns best, as if no wheel slipped. */
void robo__wheels_move(const struct robo__wheels *wheels, const double *turn, double velocity[3]);

/* Moves a pose, x, y, theta, by so much along its axes, on an arc. */
void robo__wheels_reckon(double pose[3], const double moved[3]);
