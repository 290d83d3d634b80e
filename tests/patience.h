/* Waiting for another thread or process in tests with real threads. The time that it takes says nothing about the code;
 * the limit only ends a test that hangs: ./test measures how slow the machine is and hands the seconds down in
 * ROBOTALK_PATIENCE. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* In ns, for what takes a timeout. */
static inline int64_t patience(void)
{
    const char *seconds = getenv("ROBOTALK_PATIENCE");
    return (int64_t)((seconds ? atof(seconds) : 300) * 1e9);
}

static inline int64_t patience_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Repeats the statement until the condition holds. */
#define REPEAT_UNTIL(condition, ...)                    \
    do {                                                \
        int64_t until_ = patience_clock() + patience(); \
        while (!(condition)) {                          \
            if (patience_clock() > until_)              \
                fail_msg("never so: %s", #condition);   \
            __VA_ARGS__;                                \
        }                                               \
    } while (0)

#define EVENTUALLY(condition) \
    REPEAT_UNTIL(condition, nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL))
