/* Waiting, in tests with real threads, for what another thread or process brings about. How long that takes says nothing
 * about the code, so the limit is only there to end a test that hangs: ./test measures how slow the machine is and hands
 * the seconds down in ROBOTALK_PATIENCE. */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdlib.h>
#include <time.h>

#include "robotalk.h"

/* For every robo_time that is a timeout, in ns. */
static inline robo_time patience(void)
{
    const char *seconds = getenv("ROBOTALK_PATIENCE");
    return (robo_time)((seconds ? atof(seconds) : 300) * 1e9);
}

static inline robo_time patience_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (robo_time)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define EVENTUALLY(condition)                                          \
    do {                                                               \
        robo_time until_ = patience_clock() + patience();              \
        while (!(condition)) {                                         \
            if (patience_clock() > until_)                             \
                fail_msg("never so: %s", #condition);                  \
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); \
        }                                                              \
    } while (0)

#endif
