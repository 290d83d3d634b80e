/* What the core tells many dofs at once, as servo commands to their joints, over the bus where they hang on it; nobody
 * waits for an answer. With the robot's mutex held; no allocation. All numbers are of all dofs of the robot, by their indices. */
#ifndef ROBO_SEND_H
#define ROBO_SEND_H

#include "bus.h"

/* Speeds. A dof that takes set-points alone gets one ahead of where it is meant to be now, in place. */
void robo__send_speeds(struct robo__bus *bus, uint64_t dofs, const double *speed,
                       const double *position, robo_time now);

void robo__send_forces(struct robo__bus *bus, uint64_t dofs, const double *force, robo_time now);

/* To rest in place; what takes forces alone is let go. */
void robo__send_rest(struct robo__bus *bus, uint64_t dofs, const double *position, robo_time now);

/* To stop, within their accelerations. */
void robo__send_stop(struct robo__bus *bus, uint64_t dofs, robo_time now);

#endif
