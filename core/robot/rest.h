/* Rest in the middle of a sequence: what a session has set to a speed that lasts is braked, and how far it went on
 * beyond the instant at which the next command should have begun is measured. Goals are not touched: they end by
 * themselves. The robot's mutex is held. */
#ifndef ROBO_REST_H
#define ROBO_REST_H

#include <stdbool.h>

#include "robotalk.h"

struct robo__session;

/* Where the axes that last were at an instant. */
struct robo__rest_pose {
    bool base;
    uint64_t dofs; /* bit: dof */
    double position[3], heading, dof[ROBO_MAX_DOFS];
};

/* How far they have come since. */
struct robo__rest_distance {
    double path, turn; /* the root link, m and rad */
    double dof;        /* the greatest of a dof, rad or m */
};

/* Notes what lasts of a session, and where it was at `then`, not long ago. False: nothing lasts. */
bool robo__rest_note(robo_robot *robot, const struct robo__session *session, robo_time then,
                     robo_time now, struct robo__rest_pose *pose);

/* Brakes what lasts of a session. */
void robo__rest_brake(robo_robot *robot, const struct robo__session *session, robo_time now);

struct robo__rest_distance robo__rest_measure(robo_robot *robot, const struct robo__rest_pose *pose,
                                              robo_time now);

#endif
