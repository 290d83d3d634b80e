/* A control frame that follows goals which change while it moves, as those of a stream. A reference pose goes from goal to goal on
 * straight lines, each in the time between two goals; the posture follows it by inverse kinematics, within the limits, speeds and
 * accelerations of its dofs. So the frame is a period and about 40 ms behind its goals, and a dof
 * that cannot brake in that time passes a goal that stops at once. Unlike a path (path.h), nothing is
 * planned: each tick costs the same. Pure: no robot, no clock, no allocation. */
#pragma once

#include "body/inverse.h"

struct robo__follow {
    const struct robo_description *description;
    struct robo__descent descent;
    double gain; /* 1/s, by which the posture approaches that of the reference */
    struct robo_pose from, goal;
    double way[6];     /* from the one to the other */
    double share;      /* share of it that the reference has passed */
    double period;     /* s between two goals, smoothed; 0: the next one is not expected soon */
    double pace, turn; /* greatest speeds of the reference, m/s and rad/s */
    double q[ROBO_MAX_DOFS]; /* the posture of the reference */
    /* where the dofs shall be now, and how fast; other dofs are as they were at the begin */
    double posture[ROBO_MAX_DOFS], speed[ROBO_MAX_DOFS];
};

/* Begins with a posture and its speeds; the goal is there. weight: m that a radian counts, 0: the position alone. hold: s
 * between two ticks. */
void robo__follow_begin(struct robo__follow *follow, const robo_model *model,
                        const struct robo_description *description, unsigned frame,
                        const struct robo__dof_set *dofs, double weight, double hold,
                        const double *q, const double *speed);

/* Changes the goal. since: s from the goal before; negative: that was long ago. pace, turn: greatest speeds, m/s and rad/s. */
void robo__follow_aim(struct robo__follow *follow, const struct robo_pose *goal, double since,
                      double pace, double turn);

/* Advances by so many seconds with that share of all speeds. True: the goal is reached as far as it can be, and the posture
 * rests. */
bool robo__follow_advance(struct robo__follow *follow, double seconds, double share);
