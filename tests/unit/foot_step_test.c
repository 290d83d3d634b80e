/* A step of one foot of a body with weight: where that weight has to be meanwhile. */

#include <math.h>

#include "../test.h"
#include "walk/gait.h"

static struct robo__legs legs;
static struct robo__gait gait;
/* what looks along the world's y axis, a metre off */
static const struct robo__sim_base base = { .x = 1, .y = 2, .theta = M_PI / 2 };

/* Feet there, in the root's frame. */
static void stand_on(unsigned feet, const double foot[][2])
{
    legs.legs = feet;
    for (unsigned i = 0; i < feet; i++) {
        gait.foot[i].x = base.x - foot[i][1];
        gait.foot[i].y = base.y + foot[i][0];
    }
}

static const double SQUARE[4][2] = { { 0.1, 0.1 }, { 0.1, -0.1 }, { -0.1, 0.1 }, { -0.1, -0.1 } };

/* The middle of three corners of a square of 0.2 m is a third of half of its diagonal inside of that: 47 mm. */
TEST(weight_goes_away_from_the_foot_that_is_lifted)
{
    const double com[2] = { 0, 0 };
    stand_on(4, SQUARE);
    for (unsigned i = 0; i < 4; i++) {
        double out[2];
        robo__gait_unload(&legs, &gait, &base, i, com, out);
        const double within = 0.6 * 0.1 * M_SQRT2 / 3;
        for (int k = 0; k < 2; k++)
            assert_float_equal(out[k], -copysign(within / M_SQRT2, SQUARE[i][k]), 1e-6);
    }
}

TEST(weight_that_others_bear_stays_where_it_is)
{
    const double behind[2] = { -0.05, 0.01 }, middle[2] = { 0, 0 };
    double out[2];
    stand_on(4, SQUARE);
    robo__gait_unload(&legs, &gait, &base, 0, (double[2]){ -0.03, -0.03 }, out);
    assert_float_equal(out[0], 0, 1e-12);
    assert_float_equal(out[1], 0, 1e-12);
    robo__gait_unload(&legs, &gait, &base, 0, behind, out);
    assert_true(out[0] < 0 && out[1] < 0);
    const double six[6][2] = { { 0.2, 0.1 }, { 0.2, -0.1 }, { 0, 0.15 },
                               { 0, -0.15 }, { -0.2, 0.1 }, { -0.2, -0.1 } };
    stand_on(6, six);
    for (unsigned i = 0; i < 6; i++) {
        robo__gait_unload(&legs, &gait, &base, i, middle, out);
        assert_true(hypot(out[0], out[1]) < 0.03);
    }
}

/* Where all feet stand, it need not be as far inside; but it does not stay where it would tip over. */
TEST(weight_is_on_all_feet_in_the_end)
{
    double out[2];
    stand_on(4, SQUARE);
    robo__gait_unload(&legs, &gait, &base, 4, (double[2]){ 0.06, -0.06 }, out);
    assert_float_equal(out[0], 0, 1e-12);
    assert_float_equal(out[1], 0, 1e-12);
    robo__gait_unload(&legs, &gait, &base, 4, (double[2]){ 0.15, 0 }, out);
    assert_float_equal(out[0], 0.07 - 0.15, 1e-6);
    assert_float_equal(out[1], 0, 1e-6);
}

/* However far outside the weight is, it comes to be inside of every edge. */
TEST(weight_comes_in_from_anywhere)
{
    stand_on(4, SQUARE);
    for (double x = -0.5; x <= 0.5; x += 0.125)
        for (double y = -0.5; y <= 0.5; y += 0.125) {
            double out[2];
            robo__gait_unload(&legs, &gait, &base, 3, (double[2]){ x, y }, out);
            const double at[2] = { x + out[0], y + out[1] };
            assert_true(at[0] < 0.1 - 0.03 && at[1] < 0.1 - 0.03 && at[0] + at[1] > 0.03);
        }
}
