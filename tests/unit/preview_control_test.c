/* Preview control of the zero moment point, held to its theory: the example of Kajita et al. (ICRA 2003) has a step of 5 ms, a
 * centre of mass 0.814 m high, weights 1 and 1e-6, and looks 1.6 s ahead. */

#include <math.h>
#include <string.h>

#include "../test.h"
#include "walk/preview_control.h"

static const double DT = 0.005, HEIGHT = 0.814, G = 9.80665;

static void near(double got, double expected, double within)
{
    assert_true(fabs(got - expected) <= within);
}

static struct robo__preview made(double seconds)
{
    struct robo__preview v;
    assert_true(robo__preview_make(&v, DT, HEIGHT, seconds));
    return v;
}

/* Four steps of 0.3 m, one every 0.8 s, from 2 s on; the zero moment point goes over from foot to foot within 0.1 s. */
static double place(double t)
{
    double x = 0;
    for (int i = 0; i < 4; i++)
        x += 0.3 * fmin(1, fmax(0, (t - 2 - 0.8 * i) / 0.1));
    return x;
}

/* The greatest error of the zero moment point on that way; *cart: where it ends. */
static double walk(const struct robo__preview *v, struct robo__cart *cart)
{
    double worst = 0, wanted[ROBO__MOST_AHEAD + 1];
    memset(cart, 0, sizeof *cart);
    for (int i = 0; i * DT < 9; i++) {
        for (unsigned j = 0; j <= v->ahead; j++)
            wanted[j] = place((i + (int)j) * DT);
        worst = fmax(worst, fabs(robo__preview_zmp(v, cart) - wanted[0]));
        robo__preview_step(v, wanted, cart);
    }
    return worst;
}

/* Further ahead, the pendulum forgets: each gain is exp(-dt sqrt(g / height)) of the one before it, which is the pole of a
 * pendulum of that height. */
TEST(the_gains_fall_off_as_a_pendulum_falls)
{
    const struct robo__preview v = made(1.6);
    assert_int_equal(v.ahead, 320);
    for (unsigned j = 100; j < v.ahead; j++)
        near(v.of_coming[j + 1] / v.of_coming[j], exp(-DT * sqrt(G / HEIGHT)), 1e-6);
}

/* With the gains of a plant, x(k+1) = a x + b u, the cost cannot be made less by a bit more or less of any of them. Here: of the
 * answer to a step of 0.1 m that is seen coming. */
static double cost_of(const struct robo__preview *v)
{
    double cost = 0, last = 0, wanted[ROBO__MOST_AHEAD + 1];
    struct robo__cart cart = { .jerk = 0 };
    for (int i = 0; i < 1600; i++) {
        for (unsigned j = 0; j <= v->ahead; j++)
            wanted[j] = i + (int)j >= 400 ? 0.1 : 0;
        const double error = robo__preview_zmp(v, &cart) - wanted[0], before = cart.x[2];
        robo__preview_step(v, wanted, &cart);
        const double jerk = (cart.x[2] - before) / DT;
        cost += error * error + 1e-6 * (jerk - last) * (jerk - last);
        last = jerk;
    }
    return cost;
}

TEST(no_other_gains_cost_less)
{
    const struct robo__preview v = made(2.5);
    const double best = cost_of(&v);
    for (int way = -1; way <= 1; way += 2) {
        for (int i = 0; i < 7; i++) {
            struct robo__preview other = v;
            double *gain = i == 0  ? &other.of_error
                           : i < 4 ? &other.of_state[i - 1]
                                   : &other.of_coming[(i - 3) * 20];
            *gain *= 1 + way * 1e-3;
            assert_true(cost_of(&other) > best);
        }
    }
}

TEST(the_zero_moment_point_is_where_it_shall_be)
{
    const struct robo__preview v = made(1.6), little = made(0.8);
    struct robo__cart cart;
    /* steps of 0.3 m, within 1 cm: a sole is 20 cm long */
    const double error = walk(&v, &cart);
    assert_true(error < 0.01);
    /* who looks 0.8 s ahead is further off: the paper's second example */
    assert_true(walk(&little, &cart) > 3 * error);
}

TEST(it_ends_at_rest_above_its_foot)
{
    const struct robo__preview v = made(1.6);
    struct robo__cart cart;
    walk(&v, &cart);
    near(cart.x[0], 1.2, 1e-6);
    near(cart.x[1], 0, 1e-5);
    near(cart.x[2], 0, 1e-4);
}

/* However far from where the numbers begin. */
TEST(what_stands_where_it_shall_is_not_moved)
{
    const struct robo__preview v = made(1.6);
    struct robo__cart cart = { .x = { 1000, 0, 0 } };
    double wanted[ROBO__MOST_AHEAD + 1];
    for (unsigned j = 0; j <= v.ahead; j++)
        wanted[j] = 1000;
    for (int i = 0; i < 2000; i++)
        robo__preview_step(&v, wanted, &cart);
    near(cart.x[0], 1000, 1e-7);
}

/* One that is pushed beside its place comes back there, and the sum of its errors leaves nothing over. */
TEST(an_error_is_made_good)
{
    const struct robo__preview v = made(1.6);
    struct robo__cart cart = { .x = { 0.03, 0.1, 0 }, .jerk = 3 };
    const double wanted[ROBO__MOST_AHEAD + 1] = { 0 };
    for (int i = 0; i < 2000; i++)
        robo__preview_step(&v, wanted, &cart);
    near(robo__preview_zmp(&v, &cart), 0, 1e-9);
    near(cart.x[0], 0, 1e-9);
}

/* A step of 0.1 m 0.8 s ahead is learnt of at once: the zero moment point goes off by no more than the pendulum needs, which would
 * be moved by 0.1 m * exp(-0.8 s * sqrt(g / height)) = 6 mm. */
TEST(news_of_far_ahead_move_it_little)
{
    const struct robo__preview v = made(1.6);
    struct robo__cart cart = { .jerk = 0 };
    double wanted[ROBO__MOST_AHEAD + 1];
    for (int i = 0; i * DT < 0.7; i++) {
        for (unsigned j = 0; j <= v.ahead; j++)
            wanted[j] = (i + (int)j) * DT >= 0.8 ? 0.1 : 0;
        assert_true(fabs(robo__preview_zmp(&v, &cart)) < 0.02);
        robo__preview_step(&v, wanted, &cart);
    }
}

TEST(there_are_no_gains_for_what_cannot_be)
{
    struct robo__preview v;
    assert_false(robo__preview_make(&v, 0, HEIGHT, 1.6));
    assert_false(robo__preview_make(&v, DT, 0, 1.6));
    assert_false(robo__preview_make(&v, DT, -1, 1.6));
    assert_false(robo__preview_make(&v, DT, HEIGHT, 0));
    assert_false(robo__preview_make(&v, DT, HEIGHT, DT * (ROBO__MOST_AHEAD + 1)));
    assert_false(robo__preview_make(&v, DT, NAN, 1.6));
    assert_true(robo__preview_make(&v, DT, 0.1, DT * ROBO__MOST_AHEAD));
}
