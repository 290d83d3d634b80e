/* Sines and cosines of many angles: as near to the true ones as any, whatever the angle. */
#include <math.h>

#include "../test.h"
#include "base/random.h"
#include "base/sines.h"

enum { MOST = 9 };

/* Small and large angles, and those next to multiples of an eighth turn. */
static double any_angle(struct robo__random *r)
{
    const double x = robo__random_range(r, -1, 1);
    switch ((int)robo__random_range(r, 0, 6)) {
    case 0: return 1e-8 * x;
    case 1: return 1e5 * x;
    case 2: return 1e9 * x;
    case 3: return round(20 * x) * M_PI / 4 + 1e-9 * robo__random_range(r, -1, 1);
    case 4: return round(6e4 * x) * M_PI / 2;
    default: return 7 * x;
    }
}

TEST(sines_are_right)
{
    struct robo__random r;
    robo__random_seed(&r, 1);
    for (int i = 0; i < 200000; i++) {
        double angle[MOST], sine[MOST + 1], cosine[MOST + 1];
        const unsigned n = (unsigned)robo__random_range(&r, 0, MOST + 1);
        for (unsigned k = 0; k < n; k++)
            angle[k] = any_angle(&r);
        sine[n] = cosine[n] = 5; /* is not written to */
        robo__sines(angle, n, sine, cosine);
        for (unsigned k = 0; k < n; k++) {
            assert_true(fabsl(sine[k] - sinl(angle[k])) < 2e-16L);
            assert_true(fabsl(cosine[k] - cosl(angle[k])) < 2e-16L);
        }
        assert_true(sine[n] == 5 && cosine[n] == 5);
    }
}

TEST(what_has_no_sine)
{
    const double angle[5] = { 0, NAN, INFINITY, -INFINITY, 0 };
    double sine[5], cosine[5];
    robo__sines(angle, 5, sine, cosine);
    for (int i = 1; i < 4; i++)
        assert_true(isnan(sine[i]) && isnan(cosine[i]));
    for (int i = 0; i < 5; i += 4) {
        assert_true(sine[i] == 0);
        assert_true(cosine[i] == 1);
    }
}
