/* A descent: inverse kinematics step by step, for callers with a bounded time a call. It changes the dofs of one chain
 * within their limits until its control frame is closest to a pose. No allocation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dof_set.h"
#include "model.h"

struct robo__descent {
    const robo_model *model;
    unsigned frame;
    double weight; /* weight of a radian, m; 0: only the position counts */
    unsigned dofs; /* the dofs that may move, and their number */
    uint16_t dof[ROBO_MAX_DOFS];
    struct robo_pose goal;
    /* at the latest posture */
    struct robo_pose pose;
    double distance, turn;              /* to the goal, m and rad */
    double error[6];                    /* to the goal, weighted */
    double jacobian[6 * ROBO_MAX_DOFS]; /* weighted, row by row; a column for each of these dofs */
    double sum;                         /* of the squares of the error */
    double damping;
    unsigned stalled;
};

/* Selects the dofs: those of the mask that move the frame by themselves. */
void robo__descent_init(struct robo__descent *descent, const robo_model *model, unsigned frame,
                        const struct robo__dof_set *movable, double weight);

/* Begins at q, clipped to the limits, towards a goal. */
void robo__descent_start(struct robo__descent *descent, const struct robo_pose *goal,
                         const double *q);

/* One step (Levenberg-Marquardt), with more damping the further away the goal is. False: it gets no closer; q is the
 * best posture. */
bool robo__descent_step(struct robo__descent *descent, double *q);
