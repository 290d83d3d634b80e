/* Footsteps: feet stand beside each other, do not cross, end parallel; and the zero moment point of a cart that goes after
 * them stays within the soles. The body is ASIMO's: feet 12.5 cm apart, soles of 22 by 11 cm. */

#include <math.h>
#include <string.h>

#include "../test.h"
#include "walk/footsteps.h"
#include "walk/preview_control.h"

static const double DT = 0.01, AHEAD = 1.6;
static const double HEEL = -0.08, TOE = 0.14, SIDE = 0.055; /* of a sole, from below the ankle */

static const struct robo__stepping HOW = { .time = 0.7,
                                           .both = 0.175,
                                           .quicken = 1.4,
                                           .halt = 0.525,
                                           .lead = 0.8,
                                           .stand = { { 0, 0.0625, 0 }, { 0, -0.0625, 0 } },
                                           .most = { 0.2, 0.08, 0.3 } };

static struct robo__preview preview;
static struct robo__footsteps steps;
static struct robo__cart cart[2];
static int made; /* steps so far */

static int stand(void **state)
{
    made = 0;
    memset(cart, 0, sizeof cart);
    robo__footsteps_stand(&HOW, HOW.stand, &steps);
    return robo__preview_make(&preview, DT, 0.62, AHEAD) ? 0 : -1;
}

/* Corners of the soles that stand. */
static int corners(double out[8][2])
{
    int n = 0;
    for (int foot = 0; foot < 2; foot++) {
        struct robo__place at;
        if (robo__footsteps_swing(&steps, foot, &at) > 0)
            continue;
        for (int i = 0; i < 4; i++) {
            const struct robo__place corner = { i & 1 ? TOE : HEEL, i & 2 ? SIDE : -SIDE, 0 },
                                     in = robo__place_beside(&at, &corner);
            out[n][0] = in.x;
            out[n++][1] = in.y;
        }
    }
    return n;
}

/* How far a point is within what the soles span; below 0: outside. In each direction some corner is further than it. */
static double margin(const double p[2])
{
    double at[8][2], least = HUGE_VAL;
    const int n = corners(at);
    for (int i = 0; i < 360; i++) {
        double c = cos(i * M_PI / 180), s = sin(i * M_PI / 180), most = -HUGE_VAL;
        for (int k = 0; k < n; k++)
            most = fmax(most, c * (at[k][0] - p[0]) + s * (at[k][1] - p[1]));
        least = fmin(least, most);
    }
    return least;
}

/* Goes on so many seconds with that velocity; the least margin of the zero moment point in that time. */
static double go(double seconds, double x, double y, double turn, bool *going)
{
    const double velocity[3] = { x, y, turn };
    double least = HUGE_VAL;
    for (int i = 0; i < lround(seconds / DT); i++) {
        double wanted[2][ROBO__MOST_AHEAD + 1], at[2];
        const int last = steps.count > 0 ? steps.step[0].foot : -1;
        const double land = steps.count > 0 ? steps.step[0].land : 0;
        *going = robo__footsteps_go(&HOW, DT, velocity, AHEAD, &steps);
        made += last >= 0 && land <= steps.time + 1e-9;
        for (unsigned j = 0; j <= preview.ahead; j++) {
            robo__footsteps_bear(&HOW, &steps, j * DT, at);
            wanted[0][j] = at[0];
            wanted[1][j] = at[1];
        }
        for (int k = 0; k < 2; k++) {
            robo__preview_step(&preview, wanted[k], &cart[k]);
            at[k] = robo__preview_zmp(&preview, &cart[k]);
        }
        least = fmin(least, margin(at));
    }
    return least;
}

static void near(double got, double expected, double within)
{
    assert_true(fabs(got - expected) <= within);
}

static void feet_are_parallel(void)
{
    const struct robo__place other = robo__place_beside(
        &steps.foot[0], &(struct robo__place){ HOW.stand[1].x - HOW.stand[0].x,
                                               HOW.stand[1].y - HOW.stand[0].y, 0 });
    near(other.x, steps.foot[1].x, 0.003);
    near(other.y, steps.foot[1].y, 0.003);
    near(other.theta, steps.foot[1].theta, 0.01);
}

/* Walks so for 8 s and then stops. */
static void walk_and_stop(double x, double y, double turn, double least)
{
    bool going;
    assert_true(go(8, x, y, turn, &going) > least);
    assert_true(going);
    assert_true(go(4, 0, 0, 0, &going) > least);
    assert_false(going);
    feet_are_parallel();
    /* the body rests between its feet */
    near(cart[0].x[0], (steps.foot[0].x + steps.foot[1].x) / 2, 1e-3);
    near(cart[1].x[0], (steps.foot[0].y + steps.foot[1].y) / 2, 1e-3);
}

FIXTURE(stand, NULL);

/* At its greatest speed that is the foot in the air, a step that is half as long, and one beside it; slowly, the last of these alone. */
TEST(told_to_stand_it_makes_few_steps)
{
    static const double SPEEDS[] = { 0.25, -0.2, 0.05 };
    for (int i = 0; i < 3; i++)
        for (int phase = 0; phase < 14; phase++) {
            bool going;
            stand(NULL);
            go(5 + phase * 0.05, SPEEDS[i], 0, 0, &going);
            int before = made;
            assert_true(go(3 * HOW.time, 0, 0, 0, &going) > 0.03);
            assert_false(going);
            assert_true(made - before <= 3);
            feet_are_parallel();
        }
}

TEST(who_has_nowhere_to_go_stands)
{
    bool going;
    near(go(3, 0, 0, 0, &going), -HEEL, 1e-9);
    assert_false(going);
    assert_int_equal(made, 0);
}

TEST(walking_ahead_it_stays_on_its_soles)
{
    walk_and_stop(0.25, 0, 0, 0.03);
    /* 8 s less the lead; what it loses to get fast it gains when it gets slow. Within a step and a half */
    near(steps.foot[0].x, 0.25 * 7.2, 1.5 * 0.25 * 0.7);
    near(steps.foot[0].y, HOW.stand[0].y, 1e-12);
}

TEST(walking_back_it_stays_on_its_soles)
{
    walk_and_stop(-0.2, 0, 0, 0.03);
    near(steps.foot[0].x, -0.2 * 7.2, 1.5 * 0.2 * 0.7);
}

TEST(it_goes_aside_without_stepping_over_its_feet)
{
    bool going;
    for (int i = 0; i < 800; i++) {
        assert_true(go(DT, 0, -0.05, 0, &going) > 0.03);
        assert_true(steps.foot[0].y - steps.foot[1].y > 2 * SIDE);
    }
    walk_and_stop(0, -0.05, 0, 0.03);
    near(steps.foot[0].y, HOW.stand[0].y - 0.05 * 15.2, 0.1);
}

TEST(it_turns_as_fast_as_it_is_told)
{
    walk_and_stop(0, 0, 0.2, 0.03);
    near(steps.foot[0].theta, 0.2 * 7.2, 0.2 * 1.4);
}

/* An arc of radius 0.15 / 0.15: 1 m. */
TEST(it_walks_along_an_arc)
{
    walk_and_stop(0.15, 0, 0.15, 0.02);
    const struct robo__place *a = &steps.foot[0], *b = &steps.foot[1];
    near(hypot((a->x + b->x) / 2, (a->y + b->y) / 2 - 1), 1, 0.05);
}

/* The foot in the air keeps its goal, the next one goes elsewhere. */
TEST(a_change_of_mind_leaves_it_on_its_feet)
{
    bool going;
    assert_true(go(3.13, 0.25, 0, 0, &going) > 0);
    assert_true(go(2.31, -0.2, 0, 0, &going) > 0);
    assert_true(go(1.77, 0, 0.05, 0.2, &going) > 0);
    assert_true(go(0.35, 0, 0, 0, &going) > 0);
    walk_and_stop(0.2, 0, -0.2, 0);
}

/* What is said of the next lift holds, whatever is commanded until then; at a steady speed it is where the body should be. */
TEST(it_knows_where_it_will_be)
{
    bool going;
    struct robo__place told, is;
    go(5, 0.2, 0, 0, &going);
    for (int i = 0; i < 5; i++) {
        const double later = robo__footsteps_foresee(&HOW, &steps, &told);
        assert_true(later > 0 && later <= HOW.time + 1e-9);
        go(later - DT, i % 2 ? 0.2 : -0.2, 0, 0, &going);
        robo__footsteps_foresee(&HOW, &steps, &is);
        near(is.x, told.x, 1e-9);
        near(is.y, told.y, 1e-9);
        go(2 * DT, 0.2, 0, 0, &going);
    }
    go(5, 0.2, 0, 0, &going);
    const double before = steps.time + robo__footsteps_foresee(&HOW, &steps, &told);
    go(7, 0.2, 0, 0, &going);
    const double after = steps.time + robo__footsteps_foresee(&HOW, &steps, &is);
    near((is.x - told.x) / (after - before), 0.2, 1e-6);
}

/* One foot goes where it shall, and the weight between the feet; nothing is set beside it until the body is to walk. */
TEST(one_foot_steps_and_the_other_one_stays)
{
    bool going;
    const struct robo__place to = { 0.15, 0.1, 0.2 };
    for (int foot = 0; foot < 2; foot++) {
        const struct robo__place there = { to.x, foot == 0 ? to.y : -to.y,
                                           foot == 0 ? to.theta : -to.theta };
        stand(NULL);
        robo__footsteps_step(&HOW, foot, &there, foot == 0 ? 0 : 2, &steps);
        assert_true(go(foot == 0 ? 1 : 2, 0, 0, 0, &going) > 0.03);
        assert_true(going);
        assert_true(go(3, 0, 0, 0, &going) > 0.03);
        assert_false(going);
        assert_int_equal(made, 1);
        assert_memory_equal(&steps.foot[foot], &there, sizeof there);
        assert_memory_equal(&steps.foot[1 - foot], &HOW.stand[1 - foot], sizeof there);
        near(cart[0].x[0], to.x / 2, 1e-3);
        near(cart[1].x[0], (there.y + HOW.stand[1 - foot].y) / 2, 1e-3);
        walk_and_stop(0.25, 0, 0, 0.03);
    }
}

TEST(too_fast_it_goes_as_fast_as_it_can)
{
    bool going;
    go(8, 5, 0, 0, &going);
    for (int i = 0; i < steps.count; i++)
        assert_true(steps.step[i].to.x - steps.step[i].from.x <= 2 * HOW.most[0] + 1e-9);
    assert_true(steps.count < ROBO__MOST_STEPS);
}
