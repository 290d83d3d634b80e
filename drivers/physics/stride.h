/* Legs in the physics: a gait (walk/gait.h) says where the dofs of the legs shall be, and servos take them there. The motion of the
 * body then follows from its weight. A gait has instants of its own, and the dofs move between two of them.
 *
 * A stride is a member of a device's state. Its plan is guarded by the simulation's lock alone, so that no command waits for a
 * plan; its inputs and outputs are copied under the device's lock. */
#pragma once

#include <stdbool.h>

#include "../walk/legs.h"
#include "servo.h"
#include "simulation.h"
#include "vehicle.h"

/* The request to a stride before a step. */
struct robo__errand {
    bool walks;
    double velocity[3];    /* that the base shall have, along its own axes */
    double pace;           /* share of its speed that the override leaves it */
    struct robo_step step; /* that it begins with; leg 0: none */
};

struct robo__stride {
    bool present; /* since it was opened, as `legs` */
    struct robo__legs legs;

    /* guarded by the simulation's lock */
    bool walking;
    struct robo__gait now,
        coming; /* at that instant, and at the next; the newest while it stands */
    bool last;  /* the coming one is the last: then it stands */
    robo_time at;
    double x, y, theta; /* of the base, as the legs have it */
    double com[3];      /* centre of mass in the world, at the instant before */
    robo_time com_at;

    /* guarded by the device's lock */
    bool walks;            /* it is requested */
    bool anew;             /* the former plan is over */
    struct robo_step step; /* requested as the first; leg 0: none */
    bool lies;
    double changed; /* s for which it has been the other way */
    double tips;    /* s for which it has leaned far, and may be falling */
};

/* Whether the options of a device are right: 0, or ROBO_EINVAL and why. */
int robo__stride_check(const struct robo_description *description, unsigned device, char why[128]);

/* The legs of a device, if its options have some. 0; ROBO_EINVAL and why. */
int robo__stride_init(struct robo__stride *stride, const robo_device *device,
                      struct robo__vehicle *vehicle, char why[128]);

/* A step of one foot: as near as it gets to that place, which becomes the place. 0: it is no step for these legs; 1: it is in reach;
 * 2: it was not. Any thread. */
int robo__stride_step(const struct robo__stride *stride, struct robo_step *step);

/* The next step begins now. q: of all dofs, where servos have them; read when it begins to walk alone. True: it walks, and servos
 * are to follow robo__stride_read. */
bool robo__stride_plan(struct robo__stride *stride, const struct robo__errand *errand,
                       const struct robo__vehicle *vehicle, const double *q,
                       const struct robo__mechanics *mechanics);

/* Gives the base the position where certain steps will have taken it. */
void robo__stride_foresee(const struct robo__stride *stride, struct robo__vehicle *vehicle);

/* Where a dof of the robot shall be. */
void robo__stride_read(const struct robo__stride *stride, unsigned dof, robo_time now,
                       double *position, double *speed);

/* How servos are tuned for the gait, unless the descriptor says it. */
void robo__stride_tune(const struct robo__stride *stride, struct robo__tuning *tuning);

/* Whether it lies, after a step: it leaned far for a while, and has not stood upright since. With the device's lock. */
void robo__stride_look(struct robo__stride *stride, const struct robo__mechanics *mechanics,
                       const struct robo__vehicle *vehicle);

/* The state from which a device goes on (robo_device_before). A walking robot that lay when it was reloaded is set on its feet
 * again, where it was, as it begins at home: then NULL. */
const struct robo_state *robo__stride_before(const robo_device *device);

/* Whether it may be falling: the motion of its base is not reported then. With the device's lock. */
bool robo__stride_tips(const struct robo__stride *stride);

/* The inertia that a dof of a leg moves besides its own, kg m2 or kg, when half of the body stands on that leg, or, as the gait's
 * servos bear it, the whole body about the floor; 0 of others. */
double robo__stride_burden(const struct robo__stride *stride, unsigned dof,
                           const struct robo__vehicle *vehicle,
                           const struct robo__mechanics *mechanics);
