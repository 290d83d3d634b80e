/* A world from inside: its members, their locks and their owners. For core/robot alone; others have world.h. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/budget.h"
#include "base/random.h"
#include "base/timer.h"
#include "member.h"
#include "timekeeper.h"
#include "world.h"

enum {
    ROBO__MOST_DRIVERS = 32,
    ROBO__DISMISSED = 256,
    ROBO__MEMORY = 1 << 28,           /* bytes that clients may make it keep, all together, */
    ROBO__PICTURES = ROBO__MEMORY / 2 /* and of pictures beside them */
};

/* Counted: the one that robo_close lets go of, one for each robot and one for each host. Whatever lives in a world may
 * so be let go of after robo_close. */
struct robo_world {
    _Atomic uint32_t holders;
    bool is_virtual;
    robo_time now; /* virtual worlds; one thread */
    uint64_t seed;
    void (*log)(void *owner, enum robo_log_level level, const char *line);
    void *log_owner;
    struct robo__timers timers;     /* virtual worlds: every timer of every actor; one thread */
    struct robo__timekeeper keeper; /* other worlds */

    pthread_mutex_t lock; /* guards the lists; never held together with a robot's mutex */
    /* in the order they were added, also those that are being opened or removed */
    struct robo__member *robots;
    uint64_t added;                       /* robots so far */
    pthread_cond_t left;                  /* a robot was taken off the list */
    struct robo__budget memory, pictures; /* of data that clients make it keep */
    /* one furnishing at a time, until it is in place or refused, and one simulation of it, whose robots come and go; taken before all
     * other locks */
    pthread_mutex_t furnishing;
    /* the surroundings of its robots, the newest first; written under the lock */
    struct robo__surroundings *_Atomic surroundings;
    struct robo__furnishing *_Atomic room; /* its furnishings, in the same way (scenery.h) */
    /* where they stand (footprint.h): only ever grows, under the lock */
    struct robo__footprint *_Atomic footprints;
    uint64_t
        key; /* by which sessions of its own program are known as those of one client (robot/axes/axes.h) */
    /* those of clients that were dismissed, a ring of the newest; under the lock */
    uint64_t dismissed[ROBO__DISMISSED];
    uint32_t dismissals;
    bool dismisses_all; /* all of them, from now on; under the lock, too */
    atomic_bool
        hurries; /* the program's own clients were dismissed: its scripts may not come to stop what they drive */
    _Atomic robo_time lease;      /* so long leases of its robots outlast their use */
    _Atomic uint32_t connections; /* numbers that clients of its servers were given */
    struct robo__driver_entry {
        const robo_driver *given; /* the host's own; NULL: none */
        robo_driver table;
    } driver[ROBO__MOST_DRIVERS];
};

/* The next robot that can be found, held: begin with *cursor 0; NULL: there are no more. */
struct robo__member *robo__world_next(robo_world *world, uint64_t *cursor);
