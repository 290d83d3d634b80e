/* What the sensors of simulated bodies tell: worked out of the robot's state when somebody looks. */
#ifndef ROBO_SIM_SENSES_H
#define ROBO_SIM_SENSES_H

#include "robotalk.h"

/* The `sense` of simulating drivers (struct robo_driver). Forces, temperatures and types of one's own are told by nobody. */
void robo__sim_sense(robo_device *device, const struct robo_state *state,
                     const struct robo_state *before, const uint16_t *sensor, size_t count);

#endif
