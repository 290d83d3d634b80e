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

/* The struct whose member ptr points to. */
#define robo__container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
