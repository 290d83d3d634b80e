/* The inside of a simulation: its robots, the making of its model, its clock. For simulation.c, build.c and clock.c alone. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "apart.h"
#include "base/timer.h"
#include "grasp.h"
#include "overlap.h"
#include "mjcf.h"
#include "robot/reports.h"
#include "simulation.h"
#include "text.h"

/* A robot in a simulation, from the open of its first device of the driver until the close of its last. */
struct robo__rig {
    const robo_body *body; /* its devices hold it */
    const struct robo_description *description;
    bool led;          /* others move some of it */
    robo_robot *robot; /* not held: its devices are open */
    unsigned number;   /* of all of the simulation, the lowest that is free */
    double step;       /* s, that its devices want */
    struct robo__stand stand;
    struct robo__apart apart; /* its bodies that do not touch each other */
    double *start;            /* of its dofs, where they begin */
    bool placed;              /* it was in a model */
    struct robo__inside inside;
    bool lost;       /* physics has diverged, and its devices were not notified yet */
    robo_time quiet; /* until then the log has no further line about that */
    struct robo__actor *actors;
    struct robo__rig *next; /* in the order of their numbers */
};

struct robo__simulation {
    struct robo__surroundings surroundings;
    robo_world *world; /* which frees it */
    const struct robo__engine *engine;
    struct robo__sight *sight; /* its cameras' */

    /* robots come and go, and the model is made again, with robo__scenery_lock, which is taken before this one */
    pthread_mutex_t lock;
    pthread_cond_t wake;      /* the thread shall look: `ending` */
    _Atomic unsigned waiting; /* threads that wait for the lock, except the simulation's */
    struct robo__mechanics now;
    struct robo__mechanics
        past;      /* the last model, after the last robot has left, which may come back */
    uint64_t left; /* the number of that robot (robot/world/surroundings.h) */
    struct robo__grasps grasps; /* of devices that have left */
    struct robo__rig *rigs;
    robo_time step;
    /* positions at two instants of the past, of which the older one is gone back to when physics diverges */
    double *good[2];
    double *room;                         /* the block in which these are, and now.inertia */
    const struct robo_scenery *furnished; /* the room of this model */
    mjtNum *
        elsewhere; /* positions and quaternions of this model's bodies: where they are at home; NULL: all are there */
    unsigned steps; /* since the newer one */
    bool lost;      /* of some rig */
    bool held;      /* physics has diverged: no step is made until a robot is out of panic */
    bool full;      /* this model has run out of room for touches */
    bool overflows; /* not reported yet */

    struct robo__timer timer; /* of a virtual world */
    pthread_t thread;         /* of another */
    bool runs, ending;
    _Atomic double share;
};

/* ---- build.c ---- */

/* Makes the model of the present robots, and their state from the old one. 0; ROBO_ENOMEM, ROBO_EDEVICE and why: all is as
 * before. A model with a new robot or a new room that diverges in its first steps is ROBO_EDEVICE. With robo__scenery_lock and the lock. */
int robo__simulation_build(struct robo__simulation *simulation, char why[256]);
/* Robots that fly are borne: forces on their links take their weight. */
void robo__simulation_bear(const struct robo__simulation *simulation, const mjModel *model,
                           mjData *data);
void robo__simulation_clear(struct robo__simulation *simulation);  /* the model is past */
void robo__simulation_forget(struct robo__simulation *simulation); /* there is no past */
/* Whether there was no room for all contacts: MuJoCo leaves out the rest, and bodies fall through the things below. */
bool robo__simulation_is_full(const mjData *data);

/* ---- follow.c ---- */

/* Puts parts that others move to their places at home, for a step, and back. With the lock. */
void robo__simulation_put_led(struct robo__simulation *simulation);

/* ---- clock.c ---- */

/* Whether positions and speeds are finite and within bounds, and MuJoCo has not warned of bad ones. */
bool robo__simulation_is_sound(const struct robo__mechanics *mechanics);
/* One step, of which the simulation has the lock. */
void robo__simulation_step(struct robo__simulation *simulation);
/* Notifies the devices of robots that were lost, and logs that there is no more room for contacts; without the lock. */
void robo__simulation_tell(struct robo__simulation *simulation);

void robo__simulation_prepare(struct robo__simulation *simulation); /* its clock, when it is made */
/* Steps are made from now on; 0 or ROBO_ESYSTEM. With robo__scenery_lock, without the lock. */
int robo__simulation_start(struct robo__simulation *simulation);
void robo__simulation_end(struct robo__simulation *simulation);
