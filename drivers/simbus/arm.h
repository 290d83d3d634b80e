/* The arm of paper 004, table I, in its task space: x, y, z of the tool, its turn as alpha, beta, gamma of Rz(alpha)
 * Ry(beta) Rz(gamma) with sin(beta) > 0, and the elbow's angle phi about the line from shoulder to wrist. Where the
 * paper leaves a convention open, this code uses the one that reproduces its figures (experiments/ordering.lua). */
#pragma once

#include "robotalk/order.h"

/* The pose of the arm; filled in by robo__arm_place. */
struct robo__arm {
    double q[ROBO_TRIAL_JOINTS];
    double axis[ROBO_TRIAL_JOINTS][3], origin[ROBO_TRIAL_JOINTS][3]; /* of each joint's frame */
    double rotation[9], tool[3];
};

void robo__arm_place(struct robo__arm *arm, const double q[ROBO_TRIAL_JOINTS]);

/* x, y, z m; alpha, beta, gamma, phi rad. */
void robo__arm_task(const struct robo__arm *arm, double task[ROBO_TRIAL_JOINTS]);

/* Jacobian of the task, row by row. Not finite where sin(beta) is 0 or the elbow lies on the line. */
void robo__arm_jacobian(const struct robo__arm *arm,
                        double jacobian[ROBO_TRIAL_JOINTS * ROBO_TRIAL_JOINTS]);
