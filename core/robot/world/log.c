/* The log: messages of drivers and protocols to the operator of the program. */
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "robot/devices/device.h"
#include "inside.h"
#include "robotalk/device.h"

void robo_device_log(const robo_device *device, enum robo_log_level level, const char *form, ...)
{
    const robo_world *world = robo_device_world(device);
    char line[256];
    va_list args;
    if (!world->log)
        return;
    int n = snprintf(line, sizeof line, "%s: %s: ", robo_device_description(device)->name,
                     robo_device_binding(device)->driver);
    va_start(args, form);
    vsnprintf(line + n, sizeof line - (size_t)n, form, args);
    va_end(args);
    robo__text_copy(line, sizeof line, line, sizeof line);
    world->log(world->log_owner, level, line);
}

void robo__world_log(const robo_world *world, enum robo_log_level level, const char *form, ...)
{
    char line[256];
    va_list args;
    if (!world->log)
        return;
    va_start(args, form);
    vsnprintf(line, sizeof line, form, args);
    va_end(args);
    robo__text_copy(line, sizeof line, line, sizeof line);
    world->log(world->log_owner, level, line);
}
