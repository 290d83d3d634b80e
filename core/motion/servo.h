/* One simulated dof with a servo: a point on a line that reaches set-points or speeds within its
 * acceleration, in closed form. */
#ifndef ROBO_SERVO_H
#define ROBO_SERVO_H

#include <stdbool.h>

#include "robotalk.h"

/* Constant acceleration for a while. */
struct robo__span {
    robo_time end;
    double acceleration;
};

struct robo__servo {
    double low, high, limit, acceleration;
    double inertia, force; /* of what it moves; the greatest force, 0: not limited */
    robo_time since;       /* begin of the span under way */
    double position, speed;
    struct robo__span span[5];
    int spans, at;
    double target; /* where the last span ends, exactly; NAN: nowhere in particular */
};

/* A dof's greatest speed and acceleration, also where the description says nothing. */
double robo__servo_speed(const struct robo_dof *dof);
double robo__servo_acceleration(const struct robo_dof *dof);

void robo__servo_init(struct robo__servo *servo, const struct robo_dof *dof, robo_time now);
/* Right after that: goes on from a position (robo_device_before), within the limits; NaN: from home. */
void robo__servo_resume(struct robo__servo *servo, double position);
void robo__servo_advance(struct robo__servo *servo, robo_time now);

/* Goes on to now and begins a new span there. */
void robo__servo_cut(struct robo__servo *servo, robo_time now);

/* These begin at the instant of the cut before them. The first two return false when a value had to be clipped.
 * most 0: the dof's own greatest speed. */
bool robo__servo_move(struct robo__servo *servo, double target, double most);
bool robo__servo_run(struct robo__servo *servo, double speed); /* until a limit of the dof */
/* A force accelerates what the dof moves, within its acceleration and until its greatest speed; before an end of the dof
 * it brakes. 0: it keeps its speed, there is no friction. False when the force had to be clipped. */
bool robo__servo_push(struct robo__servo *servo, double force);
/* The part of a command that this dof of its joint has; home: where it rests. False when a value was clipped. */
bool robo__servo_give(struct robo__servo *servo, const struct robo_cmd *cmd, unsigned number,
                      double home);
void robo__servo_stop(struct robo__servo *servo);
void robo__servo_halt(struct robo__servo *servo); /* it stands at once */
/* The motor is off: it runs out against friction, a fifth of its greatest acceleration. */
void robo__servo_coast(struct robo__servo *servo);

robo_time
robo__servo_end(const struct robo__servo *servo); /* of the motion; ROBO_NEVER: none ends */
void robo__servo_read(const struct robo__servo *servo, robo_time now, double *position,
                      double *speed);

#endif
