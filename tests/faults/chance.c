/* Random draws. */
#include "chance.h"

#include <math.h>

bool robo__chance(struct robo__random *r, double probability)
{
    return robo__random_uniform(r) < probability;
}

unsigned robo__pick(struct robo__random *r, unsigned n)
{
    return n ? (unsigned)(robo__random_u64(r) % n) : 0;
}

robo_time robo__about(struct robo__random *r, robo_time mean)
{
    return 1 + (robo_time)(-log(1 - robo__random_uniform(r)) * (double)mean);
}

double robo__spread(struct robo__random *r, double least, double most)
{
    return least * exp(robo__random_uniform(r) * log(most / least));
}

size_t robo__weighted(struct robo__random *r, const double *weight, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weight[i];
    double at = robo__random_uniform(r) * sum;
    for (size_t i = 0; i + 1 < n; i++)
        if ((at -= weight[i]) < 0)
            return i;
    return n - 1;
}
