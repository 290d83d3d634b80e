/* Clocks of the machine. */
#pragma once

#include <time.h>

#include "robotalk.h"

/* CLOCK_MONOTONIC, or the processor time of a thread or process; ns. */
static inline robo_time clock_read(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (robo_time)t.tv_sec * 1000000000 + t.tv_nsec;
}
