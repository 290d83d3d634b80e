/* A descent: inverse kinematics step by step, for callers that may do only so much at a time. It changes the dofs of one
 * chain within their limits until its control frame is nearest to a pose. No allocation. */
#ifndef ROBO_INVERSE_H
#define ROBO_INVERSE_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

struct robo__descent {
    const robo_model *model;
    unsigned frame;
    double weight; /* m that a radian counts; 0: the position alone */
    unsigned dofs; /* how many may move, and which */
    uint16_t dof[ROBO_MAX_DOFS];
    struct robo_pose goal;
    /* at the posture that was looked at last */
    struct robo_pose pose;
    double distance, turn;              /* to the goal, m and rad */
    double error[6];                    /* to the goal, weighted */
    double jacobian[6 * ROBO_MAX_DOFS]; /* weighted, row by row; a column for each of these dofs */
    double sum;                         /* of the squares of the error */
    double damping;
    unsigned stalled;
};

/* Which dofs may move: of these, those that move the frame by themselves. */
void robo__descent_init(struct robo__descent *descent, const robo_model *model, unsigned frame,
                        uint64_t movable, double weight);

/* Begins at q, within the limits as it is, towards a goal. */
void robo__descent_start(struct robo__descent *descent, const struct robo_pose *goal,
                         const double *q);

/* One step (Levenberg-Marquardt), damped the more the further the goal is. False: it comes no nearer; q and what is
 * known of it are the best that was found. */
bool robo__descent_step(struct robo__descent *descent, double *q);

#endif
