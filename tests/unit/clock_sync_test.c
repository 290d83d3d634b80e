/* Clock synchronisation: the estimate follows, and its bounds hold whatever the network and the clocks do. */
#include <math.h>
#include <stdlib.h>

#include "../test.h"
#include "base/random.h"
#include "net/clock_sync.h"

/* A server clock that runs `ppm` faster and was `ahead` at time 0; ways of 1 ms plus up to 20 ms each. */
struct link {
    struct robo__random random;
    double ppm;
    robo_time ahead;
};

static robo_time server_time(const struct link *l, robo_time t)
{
    return t + l->ahead + (robo_time)(l->ppm * 1e-6 * (double)t);
}

static int exchange(struct link *l, struct robo__sync *s, robo_time t0, double jitter)
{
    robo_time arrive = t0 + 1000000 + (robo_time)(jitter * robo__random_uniform(&l->random));
    robo_time back =
        arrive + 100000 + 1000000 + (robo_time)(jitter * robo__random_uniform(&l->random));
    return robo__sync_add(s, t0, server_time(l, arrive), server_time(l, arrive + 100000), back);
}

static robo_time offset_of(const struct robo__sync *s, robo_time now)
{
    robo_time off;
    return robo__sync_offset(s, now, &off);
}

static robo_time uncertainty_of(const struct robo__sync *s, robo_time now)
{
    robo_time off;
    robo__sync_offset(s, now, &off);
    return off;
}

TEST(offset_and_drift_are_followed)
{
    struct link l = { .ppm = 200, .ahead = 123456789 };
    robo__random_seed(&l.random, 3);
    struct robo__sync s;
    robo__sync_init(&s);
    assert_false(robo__sync_ready(&s));
    robo_time t = 0;
    for (; t < 40000000000; t += 100000000) {
        assert_int_equal(exchange(&l, &s, t, 20e6), 0);
        robo_time error = offset_of(&s, t) - (server_time(&l, t) - t);
        assert_true(llabs(error) <= uncertainty_of(&s, t) + 2000000);
    }
    /* after 20 s of windows the line is good to a millisecond, where the ways vary by twenty */
    assert_true(llabs(offset_of(&s, t) - (server_time(&l, t) - t)) < 1500000);
    assert_true(fabs(robo__sync_drift(&s) - 200) < 150);
    assert_true(robo__sync_least_trip(&s) >= 2000000);
    assert_true(robo__sync_median_trip(&s) > robo__sync_least_trip(&s));
}

TEST(a_step_is_found_and_a_freak_is_not_one)
{
    struct link l = { .ahead = 0 };
    robo__random_seed(&l.random, 4);
    struct robo__sync s;
    robo__sync_init(&s);
    robo_time t = 0;
    for (; t < 5000000000; t += 100000000)
        exchange(&l, &s, t, 1e6);
    l.ahead = 1000000000;
    assert_int_equal(exchange(&l, &s, t, 1e6), 0); /* one alone is believed by nobody */
    l.ahead = 0;
    assert_int_equal(exchange(&l, &s, t += 100000000, 1e6), 0);
    assert_true(llabs(offset_of(&s, t)) < 2000000);
    l.ahead = 1000000000;
    int steps = 0;
    for (int i = 0; i < 3; i++)
        steps += exchange(&l, &s, t += 100000000, 1e6) == ROBO__SYNC_STEP;
    assert_int_equal(steps, 1);
    assert_true(llabs(offset_of(&s, t) - 1000000000) < 2000000);
}

TEST(impossible_readings_are_refused)
{
    struct robo__sync s;
    robo__sync_init(&s);
    assert_true(robo__sync_add(&s, 10, 0, 0, 5) < 0);  /* received before it was sent */
    assert_true(robo__sync_add(&s, 0, 10, 5, 20) < 0); /* replied before it was received */
    assert_true(robo__sync_add(&s, 0, 0, 20, 10) <
                0); /* the server took longer than the whole trip */
    assert_false(robo__sync_ready(&s));
}

/* ---- bounds ---- */

static const robo_time SECOND = 1000000000;

/* A server's clock that wanders within 200 ppm of ours, and a network that chooses by itself how long each way takes. */
struct adversary {
    struct robo__random random;
    robo_time now, server, least;
    double lean; /* 0: the way there has all that is slow, 1: the way back */
};

static robo_time between(struct adversary *a, double least, double most)
{
    return (robo_time)(1e9 * (least + (most - least) * robo__random_uniform(&a->random)));
}

/* Time goes on; the drift is any within its limit for up to a second. */
static void pass(struct adversary *a, robo_time span)
{
    while (span > 0) {
        robo_time part = span < SECOND ? span : SECOND;
        double drift = 200e-6 * (2 * robo__random_uniform(&a->random) - 1);
        if (robo__random_uniform(&a->random) < 0.3)
            drift = drift < 0 ? -200e-6 : 200e-6;
        a->now += part;
        a->server += part + (robo_time)(drift * (double)part);
        span -= part;
    }
}

/* As the wire has it. */
static robo_time rounded(robo_time t)
{
    return (t + 500) / 1000 * 1000;
}

static void exchange_with(struct adversary *a, struct robo__sync *s)
{
    /* now and then a trip is short, else it is slow on one side; the side changes gradually */
    robo_time slow = robo__random_uniform(&a->random) < 0.2 ? 0 : between(a, 0, 1.5);
    robo_time there = (robo_time)((double)slow * (1 - a->lean)), back = slow - there;
    robo_time t0 = rounded(a->now);
    pass(a, a->least + there);
    robo_time t1 = rounded(a->server);
    pass(a, between(a, 0, 0.01));
    robo_time t2 = rounded(a->server);
    pass(a, a->least + back);
    robo__sync_add(s, t0, t1, t2, rounded(a->now));
}

static void check_bounds(const struct adversary *a, const struct robo__sync *s)
{
    robo_time error = offset_of(s, a->now) - (a->server - a->now);
    assert_true(llabs(error) <= uncertainty_of(s, a->now));
    assert_true(robo__sync_earliest(s, a->now) <= a->server);
}

TEST(bounds_hold_whatever_clocks_and_network_do)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct adversary a = { .now = SECOND };
        robo__random_seed(&a.random, seed);
        a.server = between(&a, -1e6, 1e6);
        a.least = between(&a, 0, 0.1);
        struct robo__sync s;
        robo__sync_init(&s);
        for (int i = 0; i < 100; i++) {
            /* the attack: what is slow moves from the one way to the other, and takes the estimate along */
            a.lean = i % 50 / 49.0;
            if (robo__random_uniform(&a.random) < 0.03) /* one of the clocks was set */
                a.server += between(&a, 5, 100) * (robo__random_uniform(&a.random) < 0.5 ? 1 : -1);
            exchange_with(&a, &s);
            for (int k = 0; k < 5; k++) {
                check_bounds(&a, &s);
                pass(&a, between(&a, 0, 1));
            }
        }
    }
}

/* What is certain of a good exchange stays certain for a while, to the drift, however bad the later ones are. */
TEST(a_good_exchange_is_not_forgotten)
{
    struct link l = { .ahead = 5 * SECOND };
    robo__random_seed(&l.random, 7);
    struct robo__sync s;
    robo__sync_init(&s);
    exchange(&l, &s, 0, 0);
    for (robo_time t = SECOND; t < 10 * SECOND; t += SECOND)
        exchange(&l, &s, t, 1e9);
    assert_true(uncertainty_of(&s, 10 * SECOND) < 2 * (1100000 + 10 * 200000));
}

/* A server that has been up ten days longer, by a clock that runs fast: what it tells is of our clock to the microsecond. */
TEST(times_of_the_server_are_ours_over_any_offset)
{
    struct link l = { .ahead = 864000 * SECOND, .ppm = 100 };
    struct robo__sync s;
    robo__sync_init(&s);
    robo_time t = 0;
    for (; t < 40 * SECOND; t += SECOND / 10)
        exchange(&l, &s, t, 0);
    assert_true(fabs(robo__sync_drift(&s) - 100) < 1);
    for (robo_time at = t - 5 * SECOND; at < t + 5 * SECOND; at += SECOND / 7) {
        robo_time off, ours = robo__sync_from_server(&s, server_time(&l, at), &off);
        assert_true(llabs(ours - at) < 10000);
        assert_true(llabs(ours - at) <= off);
    }
}

/* Ways that are slower by 900 us may be so on one side alone: over 6 s that feigns a drift of 75 ppm. */
TEST(a_drift_beyond_what_slow_ways_feign_is_followed)
{
    for (int ppm = 60; ppm <= 90; ppm += 30) {
        struct link l = { .ppm = ppm };
        struct robo__sync s;
        robo__sync_init(&s);
        for (robo_time t = 0; t <= 6 * SECOND; t += 2 * SECOND) {
            robo_time slow = t > 0 ? 450000 : 0, arrive = t + 1000000 + slow;
            robo_time there = server_time(&l, arrive);
            assert_int_equal(robo__sync_add(&s, t, there, there, arrive + 1000000 + slow), 0);
        }
        assert_float_equal(robo__sync_drift(&s), ppm < 75 ? 0 : ppm, 1);
    }
}

TEST(trips_are_remembered)
{
    struct robo__sync s;
    robo__sync_init(&s);
    assert_int_equal(robo__sync_least_trip(&s), 0);
    assert_int_equal(robo__sync_median_trip(&s), 0);
    static const robo_time trip[] = { 30, 10, 50 };
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            robo__sync_add(&s, 1000 * i, 1000 * i + 5, 1000 * i + 5, 1000 * i + trip[i]), 0);
    assert_int_equal(robo__sync_least_trip(&s), 10);
    assert_int_equal(robo__sync_median_trip(&s), 30);
}
