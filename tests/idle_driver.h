/* Functions of a driver that does nothing, for tests: each writes those of its driver that it watches. */
#pragma once

#include "robotalk.h"

static inline int idle_open(void *state, robo_device *device, robo_time now)
{
    (void)state, (void)device, (void)now;
    return 0;
}

/* Its state is a pointer to its device. */
static inline int idle_open_remembering(void *state, robo_device *device, robo_time now)
{
    (void)now;
    *(robo_device **)state = device;
    return 0;
}

/* Never answers. */
static inline void idle_start(void *state, const struct robo_cmd *cmd, robo_ticket ticket,
                              robo_time now)
{
    (void)state, (void)cmd, (void)ticket, (void)now;
}

static inline void idle_read(const void *state, robo_time now, struct robo_state *out)
{
    (void)state, (void)now, (void)out;
}

static inline void idle_halt(void *state, robo_time now)
{
    (void)state, (void)now;
}

static inline void idle_close(void *state)
{
    (void)state;
}
