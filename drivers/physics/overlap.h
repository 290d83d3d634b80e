/* Robots that are added, or furnished, inside of other things: physics throws them apart, so the log gets a warning. A member
 * of a robot's rig, guarded by robo__scenery_lock. */
#pragma once

#include "simulation.h"

struct robo__inside {
    double depth;              /* m; 0: of nothing, or already reported */
    char own[128], other[128]; /* its deepest part, and the other thing */
};

/* Examines the contacts of a state that has just been made. */
void robo__inside_look(struct robo__inside *inside, const char *robot,
                       const struct robo__mechanics *mechanics);

/* The name of the thing that a robot's contacts press against most in that direction along the floor; the name stays if
 * there is none. */
void robo__inside_ahead(const char *robot, const struct robo__mechanics *mechanics,
                        const double along[2], char name[64]);

/* Whether both say of the same two that one is in the other. */
bool robo__inside_same(const struct robo__inside *one, const struct robo__inside *other);

/* Logs it, once. Without the simulation's lock. */
void robo__inside_tell(struct robo__inside *inside, const robo_world *world);
