/* Whether a robot has fallen over, for drivers that know. */
#ifndef ROBO_POSTURE_H
#define ROBO_POSTURE_H

#include <stdbool.h>

#include "robotalk.h"

/* For a driver's start and advance, with the robot's mutex held: its sessions are told of a change. */
void robo__device_lies(robo_device *device, bool lies);

#endif
