/* The furnishing of a world, kept as long as the world. */
#pragma once

#include "robotalk.h"
#include "robotalk/scenery.h"

enum { ROBO__MOST_THINGS = 4096, ROBO__MOST_LIGHTS = 16, ROBO__MOST_THING_NAME = 63 };

/* A copy, with all that it points to. It never changes: readers may still look at an older one. */
struct robo__furnishing {
    struct robo_scenery is;
    struct robo__furnishing *older;
};

/* Copies the argument of robo_furnish, and checks it: 0, ROBO_EINVAL, ROBO_ELIMIT, ROBO_ENOMEM, and why. The caller
 * that made the copy keeps it, or frees it. */
int robo__scenery_make(const struct robo_scenery *given, struct robo__furnishing **made,
                       char why[256]);

/* Between these calls nobody else furnishes the world, and no robot comes to its simulation or leaves that: a refused furnishing is
 * put back before another takes its place. */
void robo__scenery_lock(robo_world *world);
void robo__scenery_unlock(robo_world *world);

/* It is the furnishing of the world from now on, and belongs to the world. Any thread. */
void robo__scenery_keep(robo_world *world, struct robo__furnishing *room);

/* The colour of its sky in a direction whose sine above the horizon is that, 0xrrggbb; below it that of the horizon.
 * room: NULL, or one without a sky: a light sky. */
uint32_t robo__scenery_sky(const struct robo_scenery *room, double sine);

/* It is refused: the world is furnished as before it, unless it never was. */
void robo__scenery_put_back(robo_world *world, struct robo__furnishing *room);

/* This one and those before it; NULL: nothing. */
void robo__sceneries_free(struct robo__furnishing *room);
