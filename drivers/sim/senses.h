/* Readings of the sensors of simulated bodies: computed from the robot's state on request. */
#pragma once

#include "robotalk.h"

/* The `sense` of simulating drivers (struct robo_driver). Forces, temperatures and custom types have no readings. */
void robo__sim_sense(robo_device *device, const struct robo_state *state,
                     const struct robo_state *before, const uint16_t *sensor, size_t count);
