/* A driver of cameras that moves nothing, for tests: how it opens and what it shows is theirs. */
#pragma once

#include "camera/idle.h"

/* open NULL: as a camera of no matter. picture: how one is taken when somebody looks; NULL: they are handed over as they come. */
static inline robo_driver eye_driver(const char *name,
                                     int (*open)(void *, robo_device *, robo_time),
                                     int (*picture)(void *, robo_device *, unsigned, int))
{
    return (robo_driver){ .size = sizeof(robo_driver),
                          .name = name,
                          .state_size = sizeof(struct robo__idle),
                          .open = open ? open : robo__idle_open,
                          .start = robo__idle_start,
                          .read = robo__idle_read,
                          .halt = robo__idle_halt,
                          .close = robo__idle_close,
                          .picture = picture };
}
