/* Rays and contacts in a simulation, for its world's sensors: the answers that robot/world/surroundings.h needs. Robots that are not in
 * the simulation are upright cylinders there, which nothing pushes. Any thread, without a robot's mutex and without the
 * simulation's lock, which is held for one call. */
#pragma once

#include <stdbool.h>

#include "robot/reports.h"
#include "simulation.h"

/* Bodies of a robot: from the first to the last, all that hang on its links. */
struct robo__bodies {
    int first, last; /* numbers in the model; first > last: none */
};

/* Those of the robot of that description. With the lock. */
struct robo__bodies robo__probe_bodies(const struct robo__mechanics *mechanics,
                                       const struct robo_description *description);

/* As robo__surroundings_kind has them. false: there is no model, and nothing was examined. */
bool robo__probe_rays(struct robo__simulation *simulation, robo_robot *but,
                      const struct robo__ray *ray, size_t count, double *range);
/* Contacts on the robot's sides: bodies that are in each other, and cylinders within that distance. */
bool robo__probe_contacts(struct robo__simulation *simulation, robo_robot *but,
                          const struct robo__trunk *trunk, double within, double *bearing,
                          unsigned most, unsigned *count);
