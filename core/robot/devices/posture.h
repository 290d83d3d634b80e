/* Whether a robot has fallen over, and the obstacle in its way, for drivers that know. */
#ifndef ROBO_POSTURE_H
#define ROBO_POSTURE_H

#include <stdbool.h>

#include "robotalk.h"

/* For a driver's start and advance, with the robot's mutex held: its sessions are notified of a change. */
void robo__device_lies(robo_device *device, bool lies);

/* For the same callers: the obstacle that keeps the base from moving as commanded has that name; "": there is none. */
void robo__device_blocked(robo_device *device, const char *name);

/* For a driver's open and halt: advance is called at that instant, though nothing was commanded. */
void robo__device_look(robo_device *device, robo_time now);

#endif
