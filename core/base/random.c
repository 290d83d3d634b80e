/* A seeded generator. */
#include "random.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014): spreads any seed over the whole state. */
static uint64_t split(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void robo__random_seed(struct robo__random *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        r->state[i] = split(&seed);
}

uint64_t robo__random_u64(struct robo__random *r)
{
    uint64_t *s = r->state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double robo__random_uniform(struct robo__random *r)
{
    return (double)(robo__random_u64(r) >> 11) * 0x1p-53;
}

double robo__random_range(struct robo__random *r, double lo, double hi)
{
    return lo + (hi - lo) * robo__random_uniform(r);
}

double robo__random_normal(struct robo__random *r)
{
    /* Box and Muller 1958; 1 - u is never 0 */
    double radius = sqrt(-2 * log(1 - robo__random_uniform(r)));
    return radius * cos(2 * M_PI * robo__random_uniform(r));
}

struct robo__random robo__random_fork(const struct robo__random *r, uint64_t tag)
{
    struct robo__random copy = *r, fork;
    robo__random_seed(&fork, robo__random_u64(&copy) ^ split(&tag));
    return fork;
}
