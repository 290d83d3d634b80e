/* A base in the physics: wheels that are driven, or a plane on which it slides. Its wish is a motion of the kinematic
 * simulator (sim/base.h), from which a goal's pose is corrected while it drives. A member of a device's state, guarded by
 * its lock. */
#pragma once

#include <stdbool.h>

#include "../sim/base.h"
#include "mjcf.h"
#include "simulation.h"
#include "../wheels.h"

struct robo__drive {
    int actuator, position, speed; /* numbers in the model; -1: none */
    double hold;                   /* angle or place that it is driven to; of wheels */
    double stiffness, damping, most;
};

struct robo__vehicle {
    bool present;   /* the device has a base */
    bool steerable; /* it has wheels, walks, or is slid */
    bool walks;     /* by its legs (stride.h), which follow robo__vehicle_wish */
    bool holonomic;
    enum robo__footing footing;
    struct robo__wheels wheels;
    struct robo__drive drive[ROBO__MOST_WHEELS]; /* of wheels, or of x, y, theta */
    unsigned drives;
    int body, free; /* numbers of the root's body, and of its free joint's speeds; -1: none */
    double bandwidth, step; /* Hz, s */
    double axle,
        pivot; /* m ahead of the origin: the steered point, and the measured centre of its turns */

    struct robo__sim_base wish; /* of its axle, as its goal is */
    struct robo_go_to goal;
    /* The steps of some legs are planned ahead: where they will have taken the base, x, y, theta from where it is now, so much
     * later. Its wish waits when the base has got away from that. */
    bool foresees, waits;
    double ahead[3];
    robo_time later;
    robo_time wished; /* when its velocity was last asked for */
    double slip[3]; /* that legs were found to lose all the time, along its own axes, m/s, rad/s */
    bool chases;    /* a go_to is under way */
    unsigned tries; /* to come nearer, after the first */
    double from[3]; /* x, y, theta where the last one began */
    robo_time over; /* since when it should be there; ROBO_NEVER */

    /* as the last step has left it: the root link in the world; twist and spin along its own axes */
    double position[3], attitude[3], twist[3], spin[3];
    double odometry[3]; /* x, y, theta by its wheels alone */
};

void robo__vehicle_init(struct robo__vehicle *vehicle, const robo_device *device, double bandwidth,
                        robo_time now);

/* For struct robo__actor_kind. */
void robo__vehicle_bind(struct robo__vehicle *vehicle, const struct robo_description *description,
                        const struct robo__mechanics *mechanics);
void robo__vehicle_drive(struct robo__vehicle *vehicle, const struct robo__mechanics *mechanics);
void robo__vehicle_look(struct robo__vehicle *vehicle, const struct robo__mechanics *mechanics);

/* The velocity that the base is to have in the step that begins now, along its own axes. */
void robo__vehicle_wish(struct robo__vehicle *vehicle, robo_time now, double velocity[3]);

/* Whether it has nothing to do. */
bool robo__vehicle_rests(const struct robo__vehicle *vehicle);

/* The sum of the shares of its limits that a velocity takes; HUGE_VAL: along an axis that it cannot move. */
double robo__vehicle_share(const struct robo__vehicle *vehicle, const double velocity[3]);

/* Commands. The former motion is over. */
void robo__vehicle_set_speed(struct robo__vehicle *vehicle, const double velocity[3],
                             robo_time now);
bool robo__vehicle_go_to(struct robo__vehicle *vehicle, const struct robo_go_to *goal,
                         robo_time now); /* as robo__sim_base_go_to */
void robo__vehicle_stop(struct robo__vehicle *vehicle, robo_time now);
void robo__vehicle_halt(struct robo__vehicle *vehicle, unsigned policy, robo_time now);
void robo__vehicle_override(struct robo__vehicle *vehicle, double share, robo_time now);

enum robo__vehicle_stage { ROBO__VEHICLE_MOVES, ROBO__VEHICLE_ARRIVED, ROBO__VEHICLE_BLOCKED };

/* Whether a goal or a stop is over by now; *next: when to look again; now: after the next step. */
enum robo__vehicle_stage robo__vehicle_advance(struct robo__vehicle *vehicle, robo_time now,
                                               robo_time *next);
