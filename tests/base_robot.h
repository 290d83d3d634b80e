/* The simplest robot, for tests: a base, which one driver moves. */
#pragma once

#include <stdio.h>

#include "robotalk.h"
#include "robotalk/records.h"

static inline struct robo_description base_robot(const char *name, const char *driver)
{
    static struct robo_joint root = { .parent = ROBO_WORLD };
    struct robo_description d = {
        .devices = 1, .joints = 1, .commands = UINT64_MAX, .joint = &root
    };
    snprintf(d.name, sizeof d.name, "%s", name);
    snprintf(d.device[0].driver, sizeof d.device[0].driver, "%s", driver);
    d.device[0].base = 1;
    return d;
}
