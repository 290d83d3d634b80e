/* The path of a control frame: the straight line to a pose as postures of its dofs, and the pace along them (time
 * parametrisation). It is planned before anything moves, a piece at a time. From then on it gives the posture of each instant,
 * within the limits, speeds and accelerations of the dofs. Where the line leads out of reach, it is planned again to the
 * closest reachable pose (position_error, rotation_error). Pure: no robot, no clock, no allocation. */
#pragma once

#include "base/command.h"
#include "body/inverse.h"

enum { ROBO__PATH_POSTURES = 128, ROBO__PATH_NUMBERS = 24 * ROBO_MAX_DOFS };

struct robo__path {
    const struct robo_description *description;
    struct robo__descent descent;
    double start[ROBO_MAX_DOFS]; /* where it begins, of all dofs of the description */
    double hold;                 /* s that a dof of a bus keeps its last message; 0: no bus */
    struct robo__bounds bounds;
    bool straight;

    /* begin, end, and requested goal; the way from the first to the second */
    struct robo_pose from, end, goal;
    double way[6];
    /* from the end to the goal, m and rad; 0: it gets there */
    double position_error, rotation_error;

    /* Postures: their shares of the line, 0 to 1, and the numbers of the descent's dofs, posture by posture. The share is
     * a smooth function of the phase, 0 to 1 too; the pace is the phase's gain a second, of which the square is kept. */
    unsigned postures;
    double share[ROBO__PATH_POSTURES], phase[ROBO__PATH_POSTURES], pace2[ROBO__PATH_POSTURES];
    double number[ROBO__PATH_NUMBERS];

    /* while it is planned */
    enum robo__path_stage {
        ROBO__PATH_LINE,    /* postures along the line */
        ROBO__PATH_NEAREST, /* the line leads out of reach: the closest reachable pose */
        ROBO__PATH_GAINS,   /* the pace, forwards */
        ROBO__PATH_BRAKES,  /* and backwards */
        ROBO__PATH_READY
    } stage;
    unsigned work;           /* done, in all */
    unsigned steps, most;    /* of the descent: in all, and at the end of this line at the latest */
    unsigned lines;          /* begun: to the goal, to the nearest, as far as the first one came */
    double step;             /* to the next posture, as a share of the line */
    bool loose;              /* too few dofs for a line: as close to it as they can get */
    double q[ROBO_MAX_DOFS]; /* of the search for the closest reachable pose */
    unsigned tries;
    /* how far the first line could be followed, and the missing distance there */
    struct robo_pose reached;
    double left;
    unsigned interval; /* whose pace is found next */
};

/* A position on the path. */
struct robo__path_position {
    unsigned interval; /* after which posture; the last one: at the end */
    double phase;
};

/* Begins to plan the path of a control frame by some dofs, from rest in the posture q to a pose. weight: m that a
 * radian counts, 0: the position alone. hold: s that a dof of a bus keeps the speed of its last message, 0: no bus.
 * straight: the path ends where its line can be followed no further, even if another line leads closer. bounds: of
 * the frame's speed along its line, m/s, and its acceleration; it turns slower by the same ratio; 0: none. */
void robo__path_begin(struct robo__path *path, const robo_model *model,
                      const struct robo_description *description, unsigned frame,
                      const struct robo__dof_set *dofs, double weight, const double *q,
                      const struct robo_pose *goal, double hold, struct robo__bounds bounds,
                      bool straight);

/* Plans the next piece, which takes some tens of microseconds; true: the path is ready. */
bool robo__path_plan(struct robo__path *path);

/* Advances the position by so many seconds; false: it was at the end. A position of zeros is the begin. */
bool robo__path_advance(const struct robo__path *path, struct robo__path_position *position,
                        double seconds);

/* Writes the posture at that position: the path's own dofs of q. */
void robo__path_posture(const struct robo__path *path, const struct robo__path_position *position,
                        double *q);

/* ---- curve.c: the postures, and the curves between them; k is a dof of the path ---- */

/* A dof between two postures: the cubic with these values and slopes by the share at its ends (Hermite). */
struct robo__curve {
    double start, end, slope_start, slope_end, length;
};

double robo__path_number(const struct robo__path *path, unsigned posture, unsigned k);

/* The slope of a dof by the share, from a posture to the next one. At a posture it is that of a parabola through three
 * neighbours; near a limit, one that does not lead beyond. */
double robo__path_slope_after(const struct robo__path *path, unsigned posture, unsigned k);
double robo__path_slope(const struct robo__path *path, unsigned posture, unsigned k);

/* After a posture, to the next one. t: 0 to 1 between them. */
struct robo__curve robo__path_curve(const struct robo__path *path, unsigned posture, unsigned k);
double robo__curve_value(const struct robo__curve *curve, double t);
double robo__curve_slope(const struct robo__curve *curve, double t);
double robo__curve_bend(const struct robo__curve *curve, double t); /* the slope's slope */

/* Writes a posture, or one between it and the next: the path's own dofs of q. */
void robo__path_take(const struct robo__path *path, unsigned posture, double *q);
void robo__path_between(const struct robo__path *path, unsigned posture, double t, double *q);

/* ---- pace.c: how fast ---- */

/* A frame's greatest speeds, m/s and rad/s, with defaults where the description has none. */
double robo__path_speed(const struct robo_frame *frame);
double robo__path_turn(const struct robo_frame *frame);

/* The postures are there: at the frame's own speed, until the dofs' speeds and accelerations have been examined. */
void robo__path_begin_pace(struct robo__path *path);
/* Examines one interval more: forwards at the greatest gain of the dofs, then backwards at their greatest braking. */
void robo__path_find_pace(struct robo__path *path);
