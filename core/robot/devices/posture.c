/* Falls, and obstacles. */
#include "posture.h"

#include <stdio.h>
#include <string.h>

#include "device.h"
#include "robot/robot.h"
#include "robot/sessions/session.h"

void robo__device_lies(robo_device *device, bool lies)
{
    robo_robot *robot = device->robot;
    if (robot->lies == lies)
        return;
    robot->lies = lies;
    robot->falls += lies;
    robo__movers_wake(&robot->movers);
}

void robo__device_blocked(robo_device *device, const char *name)
{
    robo_robot *robot = device->robot;
    if (strcmp(robot->obstacle, name) == 0)
        return;
    snprintf(robot->obstacle, sizeof robot->obstacle, "%s", name);
    robot->obstacles++;
    robo__movers_wake(&robot->movers);
}

void robo__device_look(robo_device *device, robo_time now)
{
    device->next = now;
}
