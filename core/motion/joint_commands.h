/* Commands of the core to many dofs at once, as servo commands to their joints, over the bus for joints on it. No
 * ticket waits for them. With the robot's mutex held; no allocation. All arrays have one number for each dof of the
 * robot. */
#pragma once

#include "bus.h"

/* Speeds. A dof that takes only set-points gets one ahead of `position`, where it should be now. */
void robo__send_speeds(struct robo__bus *bus, const struct robo__dof_set *dofs, const double *speed,
                       const double *position, robo_time now);

void robo__send_forces(struct robo__bus *bus, const struct robo__dof_set *dofs, const double *force,
                       robo_time now);

/* To rest at `position`; a dof that takes only forces gets force 0. */
void robo__send_rest(struct robo__bus *bus, const struct robo__dof_set *dofs,
                     const double *position, robo_time now);

/* Stops them within their accelerations. */
void robo__send_stop(struct robo__bus *bus, const struct robo__dof_set *dofs, robo_time now);
