/* A way: the straight line that a control frame takes to a pose, as postures of its dofs, and how fast they go through
 * them. It is planned before anything moves, a little at a time, and tells then at which posture the dofs are meant to
 * be: within their limits, speeds and accelerations wherever they are. Where the line leads out of reach it is planned
 * anew to the nearest pose (position_error, rotation_error). Pure: no robot, no clock, no allocation. */
#ifndef ROBO_WAY_H
#define ROBO_WAY_H

#include "inverse.h"

enum { ROBO__WAY_POSTURES = 128, ROBO__WAY_NUMBERS = 1536 };

struct robo__way {
    const struct robo_description *description;
    struct robo__descent descent;
    double start[ROBO_MAX_DOFS],
        speed[ROBO_MAX_DOFS];    /* at its begin, of all dofs of the description */
    struct robo_pose from, goal; /* where it begins, and what was asked for */
    struct robo_pose end;        /* of the line: the goal, or what is nearest to it */
    double axis[3], angle;       /* the turn from its begin to its end */
    double position_error,
        rotation_error; /* from the end to the goal, m and rad; 0: it gets there */
    double hold;        /* s that a dof of a bus keeps what it is told */

    /* while it is planned */
    enum {
        ROBO__WAY_LINE,
        ROBO__WAY_NEAREST,
        ROBO__WAY_GAINS,
        ROBO__WAY_BRAKES,
        ROBO__WAY_READY
    } stage;
    unsigned
        lines; /* that were begun: to the goal, to what is nearest to it, as far as the first one came */
    unsigned steps, most;    /* of the descent: in all, and at the end of this line at the latest */
    unsigned tries;          /* to find what is nearest */
    unsigned work;           /* done, in all */
    bool loose;              /* too few dofs for a line: as near to it as they get */
    double q[ROBO_MAX_DOFS]; /* on the way to what is nearest */
    double step;             /* to the next one, as a share of the line */
    struct robo_pose
        reached; /* how far the first line could be followed, and what was missing then */
    double left;
    unsigned interval; /* whose pace is found next */

    /* postures: their shares of the line, 0 to 1; the numbers of the descent's dofs, posture by posture; and the square
       of the pace there: of the phase, whose smooth function the share is; its slope at the begin */
    unsigned postures;
    double share[ROBO__WAY_POSTURES], phase[ROBO__WAY_POSTURES], pace2[ROBO__WAY_POSTURES];
    double number[ROBO__WAY_NUMBERS], carry;
    bool
        begins; /* the dofs can go on along it from the speeds that they have; else they must come to rest first */
};

/* Where on the way. */
struct robo__way_place {
    unsigned interval; /* after which posture; the last one: at the end */
    double phase;
};

/* Begins to plan a way of a control frame by some dofs, from the posture q and their speeds to a pose. weight: m that a radian counts, 0:
 * the position alone. hold: s that a dof of a bus keeps the speed that it is told; 0: it
 * is told all along. */
void robo__way_begin(struct robo__way *way, const robo_model *model,
                     const struct robo_description *description, unsigned frame, uint64_t dofs,
                     double weight, const double *q, const struct robo_pose *goal,
                     const double *speed, double hold);

/* Plans on, about as much as fits into some tens of microseconds; true: it is ready. */
bool robo__way_plan(struct robo__way *way);

/* Goes on by so many seconds; false: it was at the end. A place of zeros is the begin. */
bool robo__way_advance(const struct robo__way *way, struct robo__way_place *place, double seconds);

/* Writes the posture there: the way's own dofs of q. */
void robo__way_posture(const struct robo__way *way, const struct robo__way_place *place, double *q);

#endif
