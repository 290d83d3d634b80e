/* A device of the driver `physics`, for the files of that driver alone: physics.c opens it and takes its commands, base.c those
 * of its base, actor.c is its side of the simulation, gauges.c has its readings. Its robot's mutex guards the members that
 * `lock` does not. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "../sim/battery.h"
#include "../sim/senses.h"
#include "base/time.h"
#include "sensors.h"
#include "motion/dof_tickets.h"
#include "robot/reports.h"
#include "servo.h"
#include "cameras.h"
#include "simulation.h"
#include "stride.h"
#include "vehicle.h"

/* The base's progress in its command since that instant. */
struct robo__progress {
    robo_time since;
    double x, y, theta, path, turned;
    bool blocked;    /* it came nowhere */
    bool looks;      /* the next step checks for obstacles, */
    double along[2]; /* in this direction, and */
    char name[64];   /* finds that; "": nothing since the last command to a goal, or stop */
};

/* A servo in the model. */
struct robo__physics_port {
    int actuator, position, speed; /* numbers there; -1: none */
};

struct robo__physics {
    struct robo__actor actor;
    robo_device *device;
    struct robo__tuning tuning;
    double step;   /* s; 0: as others want it */
    bool collides; /* its links touch each other */
    struct robo__seeing seeing;
    uint8_t panic;
    struct robo__dofs dofs;
    struct robo__dof_part *part;     /* of these dofs */
    struct robo__physics_port *port; /* of the simulation */
    struct robo__sim_battery battery;
    struct robo__trunk trunk; /* of the body at 0, 0 that looks along x */
    robo_ticket base_ticket;
    bool base_clipped;
    bool halted;    /* nothing was commanded since */
    robo_time told; /* when others last got its position */

    /* The data that the robot and the steps exchange: guards servos and the members below. Taken while a robot's mutex or
     * the simulation's lock is held, for copies alone; nothing is taken or called inside. */
    pthread_mutex_t lock;
    struct robo__servo *servo; /* of the dofs */
    struct robo__vehicle vehicle;
    struct robo__progress progress;
    struct robo__stride stride; /* its plan is the simulation's (stride.h) */
    struct robo__feelers feelers;
    robo_time stepped, period; /* instant of the last step; ns from one to the next */
};

static inline struct robo__physics *robo__physics_of(struct robo__actor *actor)
{
    return robo__container_of(actor, struct robo__physics, actor);
}

/* ---- actor.c ---- */

extern const struct robo__actor_kind robo__physics_actor;

/* ---- base.c ---- */

enum { ROBO__PHYSICS_TELL = 50 * 1000000 }; /* ns, between two reports of its position */

/* With its robot's mutex. A command of its base, or a stop; a step of one foot, of legs that stand. */
void robo__physics_go(struct robo__physics *p, const struct robo_cmd *cmd, robo_ticket ticket,
                      robo_time now);
void robo__physics_step(struct robo__physics *p, struct robo_step step, robo_ticket ticket,
                        robo_time now);
/* The legs' former motion is over, and they walk. step: that they begin with; NULL: none. */
void robo__physics_walk(struct robo__physics *p, const struct robo_step *step);
/* As a driver's function of that name. */
robo_time robo__physics_advance_base(struct robo__physics *p, robo_time now);
/* When to check again values that the next step changes. */
robo_time robo__physics_after_step(const struct robo__physics *p, robo_time now);

/* ---- gauges.c ---- */

/* The remaining charge of the battery, 0 to 1. With the lock. */
double robo__physics_charge(const struct robo__physics *p, robo_time now);

/* As a driver's functions of these names. */
void robo__physics_read(const void *state, robo_time now, struct robo_state *out);
void robo__physics_forces(const void *state, robo_time now, double *force);
void robo__physics_sense(robo_device *device, const struct robo_state *state,
                         const struct robo_state *before, const uint16_t *sensor, size_t count);
