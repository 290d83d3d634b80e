/* The footsteps of a body with two legs: which foot goes when to where, and so where the zero moment point shall be. A foot
 * steps beside the other one, ahead by the body's way in the time of a step; the foot that moves outwards takes its way aside
 * and its turn, for feet do not step over each other. A value: pure, without allocation; times are seconds since it was made. */
#pragma once

#include <stdbool.h>

enum { ROBO__MOST_STEPS = 12 };

/* A place on the floor: m, m, rad. */
struct robo__place {
    double x, y, theta;
};

/* How it steps; made once. Feet: 0 is on the left, 1 on the right. */
struct robo__stepping {
    double time, both; /* s from step to step, and the part of it in which both feet stand */
    double quicken;    /* s from standing to its greatest speed, and back */
    double halt;       /* s from its greatest speed to standing */
    double lead;       /* s from the first command to the first foot that is lifted */
    struct robo__place stand[2]; /* of the feet of the standing body, seen from it */
    struct robo__place bear; /* of the zero moment point, seen from a foot that bears the body */
    double most[3];          /* of a step: m ahead, m aside, rad */
};

struct robo__footstep {
    int foot;
    double lift, land;
    struct robo__place from, to;
};

struct robo__footsteps {
    double time;
    double velocity[3];         /* that its steps have */
    struct robo__place foot[2]; /* where they stand, or last stood */
    struct robo__footstep step[ROBO__MOST_STEPS];
    int count;
    bool single; /* its last step was one of one foot: the other one stays where it is */
    int last;    /* the foot that stepped last; -1: none since it stood */
    double since,
        rests; /* the zero moment point is on its way, from `from`, to between the feet, and is there at `rests` */
    double from[2];
};

/* The robot stands on these feet. */
void robo__footsteps_stand(const struct robo__stepping *how, const struct robo__place foot[2],
                           struct robo__footsteps *steps);

/* Goes on by dt. velocity: that the body shall have, ahead, aside and turning; its steps become as long within some of them, and with
 * none at all in as few as it can stop with. ahead: s, for which steps are planned. True while a foot has to go somewhere, or the zero moment point is on its way. */
bool robo__footsteps_go(const struct robo__stepping *how, double dt, const double velocity[3],
                        double ahead, struct robo__footsteps *steps);

/* Of a body that stands: one foot goes there, in so many s at least, and no other one until it is to move. */
void robo__footsteps_step(const struct robo__stepping *how, int foot, const struct robo__place *to,
                          double span, struct robo__footsteps *steps);

/* Where the zero moment point shall be that many seconds from now. */
void robo__footsteps_bear(const struct robo__stepping *how, const struct robo__footsteps *steps,
                          double later, double out[2]);

/* Where the body is when the next foot is lifted, and in how many s that is, or would be. Where that foot goes is not certain. */
double robo__footsteps_foresee(const struct robo__stepping *how,
                               const struct robo__footsteps *steps, struct robo__place *body);

/* Where a foot is now, and its progress through the air: 0 (it stands) to 1. */
double robo__footsteps_swing(const struct robo__footsteps *steps, int foot,
                             struct robo__place *place);

/* a, seen from `from`, in the world. */
struct robo__place robo__place_beside(const struct robo__place *from, const struct robo__place *a);
