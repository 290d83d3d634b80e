/* A device, as drivers keep it. */
#pragma once

#include "robotalk.h"

robo_device *robo__device_hold(robo_device *device); /* while it is open */
void robo__device_release(robo_device *device);
