/* A seeded generator: the same numbers on every machine. */
#pragma once

#include <stdint.h>

/* xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018). */
struct robo__random {
    uint64_t state[4];
};

void robo__random_seed(struct robo__random *r, uint64_t seed);
uint64_t robo__random_u64(struct robo__random *r);
double robo__random_uniform(struct robo__random *r); /* [0, 1) */
double robo__random_range(struct robo__random *r, double lo, double hi);
double robo__random_normal(struct robo__random *r); /* mean 0, deviation 1 */

/* A stream of its own for that tag, which does not disturb r. */
struct robo__random robo__random_fork(const struct robo__random *r, uint64_t tag);
