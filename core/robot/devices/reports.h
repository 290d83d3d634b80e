/* Reports of drivers of this tree, besides the public ones: faults, falls, obstacles. */
#ifndef ROBO_REPORTS_H
#define ROBO_REPORTS_H

#include <stdbool.h>

#include "robotalk.h"

/* For a driver's start and advance, with the robot's mutex held: its sessions are notified of a change. */
void robo__device_lies(robo_device *device, bool lies);

/* For the same callers: the obstacle that keeps the base from moving as commanded has that name; "": there is none. */
void robo__device_blocked(robo_device *device, const char *name);

/* The device is lost: its commands are answered ERROR with that reason. The robot's mutex is held. */
void robo__device_fault(robo_device *device, enum robo_reason reason);

/* For a driver's open and halt: advance is called at that instant, though nothing was commanded. */
void robo__device_look(robo_device *device, robo_time now);

#endif
