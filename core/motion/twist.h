/* Speeds of dofs that give a control frame a velocity, within their limits, speeds and accelerations: the frame is slowed
 * down where they could not keep up, and comes to rest where the body ends. Pure: no robot, no clock, no allocation. */
#ifndef ROBO_TWIST_H
#define ROBO_TWIST_H

#include <stdbool.h>

#include "body/model.h"

struct robo__twist {
    const robo_model *model;
    const struct robo_description *description;
    unsigned frame;
    uint64_t dofs;      /* that move it */
    double radian;      /* m that a radian counts */
    bool own_axes;      /* along the frame's own axes, not the reference's */
    double velocity[6]; /* linear m/s, angular rad/s */
    double hold;        /* s that a speed lasts before the next one comes */
};

/* The speeds to tell in posture q, where the dofs have the speeds in rate; they are replaced. Of other dofs nothing is
 * touched. Returns the share of the velocity that the body can give here, 0 to 1; what it is accelerating to is not
 * missing. jacobian: written when it is not NULL, as by robo_jacobian. */
double robo__twist_rates(const struct robo__twist *twist, const double *q, double *rate,
                         double *jacobian);

#endif
