/* A simulated base: a body on the floor that reaches commanded velocities within its acceleration.
 *
 * Its motion is cut into segments of constant acceleration. Where a segment begins and ends follows from the commands
 * alone, so looking at it in between changes nothing. A steady segment (no acceleration) is an arc in closed form,
 * however long; one with acceleration is at most 50 ms long and integrated by four-point Gauss-Legendre quadrature,
 * whose error there is far below a nanometre. A ramp of more than 25 s has longer ones, so that the end of a motion that a
 * client has made very slow is found as soon as others'. */
#pragma once

#include <stdbool.h>

#include "robotalk.h"
#include "robotalk/records.h"

enum robo__sim_stage {
    ROBO__SIM_FREE,
    ROBO__SIM_BRAKE,
    ROBO__SIM_TURN,
    ROBO__SIM_DRIVE,
    ROBO__SIM_FACE
};

/* One part of a profile: reach these velocities, hold them that long. */
struct robo__sim_leg {
    double target[3];
    robo_time hold;
};

struct robo__sim_base {
    double limit[3], acceleration[3]; /* ahead m/s, sideways m/s, turning rad/s; and a second */

    /* the segment */
    robo_time since, until; /* until ROBO_NEVER: steady */
    double x, y, theta;     /* at its begin */
    double v[3], rate[3], target[3];
    robo_time reached[3]; /* when each velocity is at its target */
    double path, turned;  /* distance so far in metres and radians, whatever the direction */

    /* a go_to or a stop under way */
    enum robo__sim_stage stage;
    struct robo__sim_leg leg[2];
    int legs, at;         /* at: the present leg */
    robo_time hold_until; /* of the leg, once its velocities are reached */
    double goal[3];
    bool braking;     /* it is a stop */
    double wanted[3]; /* of set_speed, before the override */
    /* share of all speeds but those of a stop; at 0 a go_to is held where it has braked to */
    double override;
    robo_time together; /* all velocities are at their targets then; 0: each as soon as it can */
    double speed_share, acceleration_share; /* of its limits, that a go_to takes; else 1 */
    bool standing;                          /* it has just come to its end */
};

void robo__sim_base_init(struct robo__sim_base *base, const struct robo_description *description,
                         robo_time now);
/* Right after that: it stands where the state says (robo_device_before). */
void robo__sim_base_resume(struct robo__sim_base *base, const struct robo_state *before);

/* Goes on to now. */
void robo__sim_base_advance(struct robo__sim_base *base, robo_time now);

/* Goes on to now and begins a new segment there, as a command does that comes at that instant. */
void robo__sim_base_cut(struct robo__sim_base *base, robo_time now);

/* It has waited for so long, since it was last advanced at the earliest: all that it was to do comes so much later. */
void robo__sim_base_wait(struct robo__sim_base *base, robo_time span);

/* All four begin at the instant of the cut before them. */
void robo__sim_base_set_speed(struct robo__sim_base *base, const double v[3]);
/* False: a bound is above its limit, which holds. Turning is bound by the same shares of its limits as driving. */
bool robo__sim_base_go_to(struct robo__sim_base *base, const struct robo_go_to *goal);
void robo__sim_base_stop(struct robo__sim_base *base);
void robo__sim_base_forget(struct robo__sim_base *base); /* a speed that an override of 0 holds */
void robo__sim_base_halt(struct robo__sim_base *base);   /* brakes: it stands at once */

/* From now on its speeds have that share. It stays on the arc or the line that it is on, and goes on there. */
void robo__sim_base_override(struct robo__sim_base *base, double share);
bool robo__sim_base_is_held(const struct robo__sim_base *base); /* a go_to, by an override of 0 */

/* The velocity, along its own axes, of a base that follows this motion and is at that place, x, y, theta; within its limits.
 * The motion was cut at that instant. */
void robo__sim_base_chase(const struct robo__sim_base *base, bool holonomic, const double place[3],
                          double out[3]);

/* When the go_to or the stop under way will have ended; ROBO_NEVER: none is, or it is held. */
robo_time robo__sim_base_end(const struct robo__sim_base *base);
