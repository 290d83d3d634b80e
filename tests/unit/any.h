/* Random numbers for tests. The same seed gives the same. */
#pragma once

#include <stdbool.h>

#include "base/random.h"

/* -most to most. */
static inline double any(struct robo__random *r, double most)
{
    return robo__random_range(r, -most, most);
}

/* Each -1 to 1. */
static inline void any_numbers(struct robo__random *r, double *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = any(r, 1);
}

/* 1 to most. */
static inline unsigned up_to(struct robo__random *r, unsigned most)
{
    return 1 + (unsigned)(robo__random_u64(r) % most);
}

/* Whether the one case in n is drawn. */
static inline bool one_in(struct robo__random *r, unsigned n)
{
    return robo__random_u64(r) % n == 0;
}
