/* The physics of a world: MuJoCo's model of its robots and of the scenery, and its state, which advances by equal steps. There
 * is one for a world, made when its first device of the driver `physics` opens (robo__simulation_enter); it is one of the
 * world's surroundings (robot/world/surroundings.h), which free it.
 *
 * Its steps fall on fixed instants of the world's clock. In a virtual world a timer makes them, so that their number is a
 * function of the clock alone; else a thread, which leaves steps out when the machine is too slow.
 *
 * Its lock guards the model and the data, and is held for a step, for a look and while the model is rebuilt; it is never taken
 * while a robot's mutex is held. Devices (struct robo__actor) exchange goals and states with the steps under locks of their
 * own, which are taken inside of this lock and inside of robots' mutexes and hold nothing up.
 *
 * The model is rebuilt when a robot is added or removed and when the scenery is set. Then joints keep their positions and
 * speeds by their names: "ROBOT/DOF" of joint JOINT is "ROBOT/JOINT.DOF"; links are bodies "ROBOT/LINK", cameras
 * "ROBOT/CAMERA", the free joint of a base is "ROBOT". */
#pragma once

#include <stdbool.h>

#include "engine.h"
#include "robotalk.h"

struct robo__simulation;
struct robo__rig;

/* The simulated model, as long as the lock is held. */
struct robo__mechanics {
    const struct robo__engine *engine;
    mjModel *model; /* NULL: no robot is there */
    mjData *data;
    const double *inertia; /* kg or kg m2 that each of its speeds moves, with all robots at home */
    uint64_t build;        /* increases when the model is rebuilt: its numbers are others then */
    robo_time time;        /* of this state, on the world's clock */
};

/* The physics of a world; NULL: it has none. It stays as long as the world. Any thread, no lock. */
struct robo__simulation *robo__simulation_of(const robo_world *world);

/* Any thread, without a robot's mutex. The result may be written, too; a caller that moves something calls mj_forward. */
struct robo__mechanics *robo__simulation_lock(struct robo__simulation *simulation);
void robo__simulation_unlock(struct robo__simulation *simulation);

/* The number of the object named "ROBOT/PART" in the model, or "ROBOT" when part is NULL; -1: there is none. With the lock. */
int robo__simulation_find(const struct robo__mechanics *mechanics, mjtObj type, const char *robot,
                          const char *part);

/* How much of real time the simulation has reached, 0 to 1, over the last second or more; 1 in a virtual world. Any thread. */
double robo__simulation_share(const struct robo__simulation *simulation);

/* The scenery has changed: the model is rebuilt. 0, or why it is as before. With robo__scenery_lock. */
int robo__simulation_renew(struct robo__simulation *simulation, char why[256]);

/* Before a look: parts that other drivers than the physics move, a base of `sim` or a head on the servos of a camera, are put where
 * they are by now. Any thread, without a lock. */
void robo__simulation_follow(struct robo__simulation *simulation);

/* Its cameras' pictures. */
struct robo__sight;
struct robo__sight *robo__simulation_sight(const struct robo__simulation *simulation);

/* The model as files for MuJoCo, the world's and its robots', where these began: MJCF of that name, and the files that it names.
 * mj_deleteVFS frees them, after an error, too. 0; ROBO_ENOMEM; ROBO_ELIMIT: they are more than MuJoCo takes. Any thread, no lock. */
#define ROBO__MODEL_FILE "world.xml"
int robo__simulation_write(struct robo__simulation *simulation, mjVFS *files);

/* ---- devices ---- */

struct robo__actor;

struct robo__actor_kind {
    /* With the lock: the model was made, or was moved all at once, and the actor finds its parts in it. */
    void (*bind)(struct robo__actor *actor, const struct robo__mechanics *mechanics);
    /* With the lock, before and after each step: goals in, states out. No allocation, no wait except for a lock of its own. */
    void (*drive)(struct robo__actor *actor, const struct robo__mechanics *mechanics);
    void (*look)(struct robo__actor *actor, const struct robo__mechanics *mechanics);
    /* The same, when speeds are those after a step, and all else is as it was before it: only now contacts have their forces. */
    void (*feel)(struct robo__actor *actor, const struct robo__mechanics *mechanics);
};

/* A member of a device's state. */
struct robo__actor {
    const struct robo__actor_kind *kind;
    robo_device *device;
    struct robo__rig *rig; /* the robot in the simulation, which all its devices share */
    bool collides; /* links of its robot touch each other; that of its first device counts */
    bool forces;   /* `feel` wants those between bodies (cfrc_int), too */
    struct robo__actor *next; /* of the same robot */
};

/* For a device's open and close. actor->kind and actor->device are set. The model gets the device's robot, where the state says
 * that the device goes on from (robo_device_before) or where the description puts it. 0; ROBO_ENOMEM, ROBO_EDEVICE and why. Leaving
 * does nothing for an actor that has not entered. */
int robo__simulation_enter(struct robo__actor *actor, double step, char why[256]);
void robo__simulation_leave(struct robo__actor *actor);

/* The actor of a device that is open; NULL: it has none. Any thread, no lock. */
struct robo__actor *robo__simulation_actor(struct robo__simulation *simulation,
                                           const robo_device *device);
