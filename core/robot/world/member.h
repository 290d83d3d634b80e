/* A robot as its world has it: a member of the list, with the instant at which it is served. The robot embeds it, and says at its start
 * what is to be run then. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/timer.h"
#include "robotalk.h"

struct robo__footprint;
struct robo__member;
struct robo__trunk;

/* A world's calls to a robot of its. */
struct robo__member_kind {
    /* Runs what is due; when there is more to run. Its mutex is held. */
    robo_time (*run)(struct robo__member *member, robo_time now);
    /* Its surroundings are new: a base that drives looks ahead from now on, and it reports where it is. Of a member that is held. */
    void (*look)(struct robo__member *member);
    void (*remove)(struct robo__member *member); /* as robo_remove; held, too */
    void (*release)(struct robo__member *member);
};

struct robo__member {
    const struct robo__member_kind *kind;
    robo_robot *robot; /* that it is */
    _Atomic uint32_t holders;
    robo_world *world;
    char name[64]; /* of all its descriptions; never changes */
    /* of the world's list, under its lock */
    struct robo__member *next;
    uint64_t number; /* in the order they were added, from 1 */
    bool there;      /* can be found: open, and not being removed */
    struct robo__footprint
        *footprint; /* where others see it stand, while it is on the world's list */

    struct robo__timer timer; /* of the timekeeper, under its lock, or of a virtual world */
    /* guarded in the same way: a thread has it, sleeps until timer.due or is at it; it has waited for its mutex */
    bool served, put_off;

    pthread_mutex_t *mutex; /* the robot's; it guards what is below */
    robo_time told; /* the instant that the timekeeper knows; 0: it does not know the robot */
};

/* Puts a robot on the list, not to be found yet: its name is taken from here on. ROBO_EEXISTS: it is taken already;
 * ROBO_ENOMEM. */
int robo__world_enter(struct robo__member *member);
/* It can be found, by its name and by walks. */
void robo__world_show(struct robo__member *member);
/* It can be found no more; false: it could not be. Its name stays taken. */
bool robo__world_hide(struct robo__member *member);
/* Takes it off the list. */
void robo__world_leave(struct robo__member *member);

/* ---- where others see it stand (footprint.h) ---- */

/* The trunk is there since that time, with that velocity along x, y (m/s). Of one writer at a time. */
void robo__footprint_stand(struct robo__footprint *footprint, const struct robo__trunk *trunk,
                           double vx, double vy, robo_time time);

/* The devices of a robot have been opened: a body that cannot drive stands where its description says. */
void robo__footprint_open(struct robo__member *member, const struct robo_description *description);
