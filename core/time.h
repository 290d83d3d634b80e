/* Time, and what every room of the core needs besides. */
#ifndef ROBO_TIME_H
#define ROBO_TIME_H

#include <stddef.h>
#include <stdint.h>

#ifndef ROBO_TIME_DEFINED
#define ROBO_TIME_DEFINED
typedef int64_t robo_time; /* nanoseconds; the same as in robo_spec.h */
#endif

/* An instant that does not come. */
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

/* The struct whose member ptr points to. */
#define robo__container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
