/* Where the robots of a world stand: one entry for each robot, on a list that only grows, so that a simulated base can look
 * at the others while its own robot's mutex is held. A driver writes its robot's entry, under that robot's mutex or while
 * it opens; anybody reads all entries, without a lock. An entry belongs to a robot from robo__world_enter to
 * robo__world_leave, then to the next that needs one; it is freed with the world. */
#pragma once

#include "base/ring.h"
#include "surroundings.h"

enum { ROBO__FOOTPRINT_WIDTH = 7, ROBO__FOOTPRINT_PLACES = 3 };

struct robo__member;

struct robo__footprint {
    struct robo__footprint *next;
    _Atomic(const robo_robot *) robot; /* whose it is; NULL: nobody's */
    _Atomic uint64_t name[8];          /* that robot's, its 63 bytes and a zero */
    struct robo__ring ring;            /* the trunk, and the velocity of its middle along x, y */
    _Atomic uint64_t word[ROBO__FOOTPRINT_PLACES * (2 + ROBO__FOOTPRINT_WIDTH)];
};

/* A robot gets its entry, in which it takes up nothing, or lets it go. The world's lock is held. ROBO_ENOMEM. */
int robo__footprint_enter(struct robo__member *member);
void robo__footprint_leave(struct robo__member *member);
