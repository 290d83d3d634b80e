/* Time, and small helpers that all of the core uses. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifndef ROBO_TIME_DEFINED
#define ROBO_TIME_DEFINED
typedef int64_t robo_time; /* nanoseconds; the same as in robotalk/spec.h */
#endif

/* An instant in the infinite future. */
#define ROBO_NEVER INT64_MAX

/* Instants, expiries and deadman times that a client may name are at most this far away. */
#define ROBO__HORIZON ((robo_time)3600 * 1000000000)

/* Instants and spans that come from outside are cut to 73 years, so that sums and differences of three of
 * them cannot overflow. */
#define ROBO__MOST_TIME (INT64_MAX / 4)

static inline robo_time robo__time_cut(robo_time t)
{
    return t > ROBO__MOST_TIME ? ROBO__MOST_TIME : t < -ROBO__MOST_TIME ? -ROBO__MOST_TIME : t;
}

/* How long ago t was; ROBO_NEVER instead of an overflow. */
static inline robo_time robo__time_since(robo_time t, robo_time now)
{
    robo_time since;
    return __builtin_sub_overflow(now, t, &since) ? ROBO_NEVER : since;
}

/* The reading of a clock of the machine: CLOCK_MONOTONIC, or the processor time of a thread or process. */
static inline robo_time robo__time_read(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (robo_time)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The clock of worlds that are not virtual. */
static inline robo_time robo__time_monotonic(void)
{
    return robo__time_read(CLOCK_MONOTONIC);
}

/* For system calls that wait; t is 0 or more. */
static inline struct timespec robo__timespec(robo_time t)
{
    return (struct timespec){ .tv_sec = t / 1000000000, .tv_nsec = t % 1000000000 };
}

/* The struct whose member ptr points to. */
#define robo__container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
