/* The motion profile of one dof: a point on a line that reaches set-points or speeds within its acceleration,
 * in closed form (trapezoidal). */
#pragma once

#include <stdbool.h>

#include "base/command.h"
#include "robotalk/records.h"

/* Constant acceleration for a while. */
struct robo__span {
    robo_time end;
    double acceleration;
};

struct robo__profile {
    double low, high, limit, acceleration;
    double inertia, force; /* inertia that it moves; greatest force, 0: not limited */
    robo_time since;       /* begin of the span under way */
    double position, speed;
    struct robo__span span[5];
    int spans, at;
    /* exact position and speed when the target is reached; NAN: there is none. The spans `after` that are for going on with
     * that speed, and for braking before an end of the dof */
    double target, onward;
    int after;

    /* the present goal; the share of its speed that the robot's override leaves it. The override does not affect stops and
     * goals that are not scaled */
    enum robo__profile_goal {
        ROBO__PROFILE_RESTS,
        ROBO__PROFILE_MOVES,
        ROBO__PROFILE_RUNS,
        ROBO__PROFILE_PUSHES
    } goal;
    double value, velocity; /* a set-point with a velocity moves on from the instant `begun` */
    robo_time begun;
    struct robo__bounds bounds;
    double override;
    bool scaled;
};

/* A dof's greatest speed and acceleration, with defaults where the description has none. */
double robo__profile_speed(const struct robo_dof *dof);
double robo__profile_acceleration(const struct robo_dof *dof);

void robo__profile_init(struct robo__profile *profile, const struct robo_dof *dof, robo_time now);
/* Call it right after init: continues from a position (robo_device_before), within the limits; NaN: from home. */
void robo__profile_resume(struct robo__profile *profile, double position);
void robo__profile_advance(struct robo__profile *profile, robo_time now);

/* Advances to now and begins a new span there. */
void robo__profile_cut(struct robo__profile *profile, robo_time now);

/* These begin at the instant of the cut before them. The first two return false when a value had to be clipped. bounds
 * of 0: the dof's own. A moving dof that needs more to stop in time brakes harder. */
bool robo__profile_move(struct robo__profile *profile, double target, struct robo__bounds bounds);
bool robo__profile_run(struct robo__profile *profile, double speed); /* until a limit of the dof */
/* A force accelerates the dof's load, within its acceleration and until its greatest speed; before an end of the dof
 * it brakes. 0: it keeps its speed, there is no friction. False when the force had to be clipped. */
bool robo__profile_push(struct robo__profile *profile, double force);
/* Begins this dof's part of a joint command; home: its rest position. scaled: by the override, unlike those above. False
 * when a value was clipped. A set-point with a velocity moves on with that from now: the dof catches up with it, and moves
 * with it until the next command; before its end it brakes. */
bool robo__profile_give(struct robo__profile *profile, const struct robo_cmd *cmd, unsigned number,
                        double home, bool scaled);
/* From now on it has that share of its speed. At 0 it brakes, and goes on from there with the next: it is held. */
void robo__profile_override(struct robo__profile *profile, double share, robo_time now);
/* Whether it has a set-point and does not come there: it is held, or the set-point moves as fast as it can. */
bool robo__profile_is_held(const struct robo__profile *profile);
void robo__profile_stop(struct robo__profile *profile);
void robo__profile_halt(struct robo__profile *profile); /* it stands at once */
/* It is found at rest at that position, perhaps beyond its limits; its goal begins again from there. */
void robo__profile_restart(struct robo__profile *profile, double position, robo_time now);
/* The motor is off: it runs out against friction, a fifth of its greatest acceleration. */
void robo__profile_coast(struct robo__profile *profile);

/* The force of its last command, as clipped; NAN: there is none, and the necessary force is unknown. */
double robo__profile_force(const struct robo__profile *profile);

/* The end of the motion; ROBO_NEVER: none ends. */
robo_time robo__profile_end(const struct robo__profile *profile);
void robo__profile_read(const struct robo__profile *profile, robo_time now, double *position,
                        double *speed);
