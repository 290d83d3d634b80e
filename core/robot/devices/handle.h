/* A device, as drivers keep it. */
#ifndef ROBO_HANDLE_H
#define ROBO_HANDLE_H

#include "robotalk.h"

robo_device *robo__device_hold(robo_device *device); /* while it is open */
void robo__device_release(robo_device *device);

#endif
