/* Dof speeds that give a control frame a velocity, within their limits, speeds and accelerations. The frame slows down
 * where the dofs cannot follow, and stops at the edge of the workspace. Pure: no robot, no clock, no allocation. */
#pragma once

#include <stdbool.h>

#include "body/dof_set.h"
#include "body/model.h"

struct robo__twist {
    const robo_model *model;
    const struct robo_description *description;
    unsigned frame;
    const struct robo__dof_set *dofs; /* the dofs that move it */
    double radian;                    /* weight of a radian, m */
    bool own_axes;                    /* along the frame's own axes, not the reference's */
    double velocity[6];               /* linear m/s, angular rad/s */
    double hold;                      /* s between two commands of a speed */
};

/* The speeds to command in posture q. rate: the dofs' present speeds, which are replaced; other dofs are left as they
 * are. Returns the share of the velocity that the body can reach here, 0 to 1; a velocity that it is still accelerating
 * to counts as reached. jacobian: written when it is not NULL, as by robo_jacobian. */
double robo__twist_rates(const struct robo__twist *twist, const double *q, double *rate,
                         double *jacobian);
