/* Sines and cosines, two angles at a time. */
#include "sines.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

typedef double two __attribute__((vector_size(16)));
typedef long long two_words __attribute__((vector_size(16)));

/* A quarter turn in three parts: the first two have so few digits that a small whole number of them is exact. */
static const double PART1 = 0x1.921fb544p0, PART2 = 0x1.0b4611a6p-34, PART3 = 0x1.3198a2e037073p-69;
static const double FAR = 1e5; /* beyond it, quarter turns are not small numbers */
/* Added to a number it leaves the nearest whole one, in the last bits of the sum, where sums are as long as numbers. */
static const double WHOLE = 0x1.8p52;
static const bool SUMS_ARE_SHORT = FLT_EVAL_METHOD == 0;

static void of_two(two angle, two *sine, two *cosine)
{
    const two sum = angle * (2 / M_PI) + WHOLE, turns = sum - WHOLE;
    const two_words quarter = (two_words)sum;
    const two x = angle - turns * PART1 - turns * PART2 - turns * PART3, xx = x * x;
    /* Taylor's series of the rest, at most an eighth turn */
    const two s =
        x + x * xx *
                (-1. / 6 +
                 xx * (1. / 120 +
                       xx * (-1. / 5040 +
                             xx * (1. / 362880 +
                                   xx * (-1. / 39916800 +
                                         xx * (1. / 6227020800 + xx * (-1. / 1307674368000)))))));
    const two c =
        1 - xx * (1. / 2 -
                  xx * (1. / 24 -
                        xx * (1. / 720 - xx * (1. / 40320 -
                                               xx * (1. / 3628800 -
                                                     xx * (1. / 479001600 -
                                                           xx * (1. / 87178291200 -
                                                                 xx * (1. / 20922789888000))))))));
    const two_words swap = -(quarter & 1);
    *sine = (two)((((two_words)s & ~swap) | ((two_words)c & swap)) ^ ((quarter & 2) << 62));
    *cosine = (two)((((two_words)c & ~swap) | ((two_words)s & swap)) ^ (((quarter + 1) & 2) << 62));
}

void robo__sines(const double *angle, unsigned n, double *sine, double *cosine)
{
    for (unsigned i = 0; i < n; i += 2) {
        const unsigned last = i + 1 < n ? i + 1 : i;
        two s, c;
        if (SUMS_ARE_SHORT && fabs(angle[i]) <= FAR && fabs(angle[last]) <= FAR) {
            of_two((two){ angle[i], angle[last] }, &s, &c);
            sine[i] = s[0];
            cosine[i] = c[0];
            sine[last] = s[1];
            cosine[last] = c[1];
        } else {
            for (unsigned k = i; k <= last; k++)
                sincos(angle[k], &sine[k], &cosine[k]);
        }
    }
}
