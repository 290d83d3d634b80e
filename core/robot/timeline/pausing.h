/* Rest in the middle of a sequence: the distance after the instant at which the next command should have begun. The robot's mutex is
 * held. */
#pragma once

#include <stdbool.h>

#include "body/dof_set.h"

struct robo__axes;
struct robo__mover;

/* The pose of the axes with lasting commands at an instant. */
struct robo__pausing_pose {
    bool base;
    struct robo__dof_set dofs;
    double position[3], heading, *dof;
    unsigned room; /* places of dof: the owner's */
};

/* The distance since then. */
struct robo__pausing_distance {
    double path, turn; /* the root link, m and rad */
    double dof;        /* the greatest of a dof, rad or m */
};

/* Notes the axes with lasting commands of a session, and their pose at `then`, not long ago. False: there are none. */
bool robo__pausing_note(const struct robo__axes *a, const struct robo__mover *mover, robo_time then,
                        robo_time now, struct robo__pausing_pose *pose);

struct robo__pausing_distance robo__pausing_measure(const struct robo__axes *a,
                                                    const struct robo__pausing_pose *pose,
                                                    robo_time now);
