/* The scenery of a world as MJCF: its floor, its lights, fixed and movable things. Pure functions, except the files that a loader is
 * given.
 *
 * A thing is a geom "thing/NAME", or "thing/#N" when it has no name, N from 0 on in the order of the list. A thing with a mass is a
 * body of that name with a free joint of that name, whose geoms its parts are, too. The floor is the geom "floor". Painted surfaces
 * are in ROBO__ROOM_PAINT, a group of geoms that rays have to leave out, and touches nothing. */
#pragma once

#include "engine.h"
#include "robotalk.h"
#include "robotalk/scenery.h"
#include "text.h"

enum { ROBO__ROOM_PAINT = 2 };

/* Adds assets and the scenery of a world to a model. room may be NULL: a floor, and light from above. */
void robo__scenery_add(struct robo__draft *draft, const struct robo_scenery *room);

/* Adds the meshes that such a model names to the files of its loader, which has mj_defaultVFS behind it. 0; ROBO_ENOMEM; ROBO_ELIMIT:
 * more files than a loader takes. */
int robo__scenery_add_files(const struct robo__engine *engine, const struct robo_scenery *room,
                            mjVFS *files);

/* m/s2, downwards, 0 or more. */
double robo__scenery_gravity(const struct robo_scenery *room);

/* The name of a thing's geom. */
void robo__scenery_name(const struct robo_scenery *room, size_t number, char name[80]);
