/* One way of a bad link: when what was sent arrives, by a clock of the test's own. */

#include "../test.h"
#include "net/link_delay.h"

enum { MS = 1000000 };

static struct robo__lag lag;
static const uint8_t text[ROBO__SEGMENT] = "segments";

static void begin(const struct robo_test_lag *options)
{
    assert_int_equal(robo__lag_check(options), 0);
    robo__lag_init(&lag, options, 0);
}

static void put(size_t n, robo_time now)
{
    assert_int_equal(robo__lag_put(&lag, text, n, now), 0);
}

static size_t arrived(robo_time now)
{
    const uint8_t *bytes;
    return robo__lag_arrived(&lag, now, &bytes);
}

/* Drops the first one, which arrives at that instant and not before. */
static void arrives(robo_time at, size_t n)
{
    assert_int_equal(robo__lag_due(&lag), at);
    assert_int_equal(arrived(at - 1), 0);
    assert_int_equal(arrived(at), n);
    robo__lag_drop(&lag, n);
}

TEST(what_is_sent_arrives_after_the_delay)
{
    static const struct robo_test_lag options = { .delay = 20 * MS, .again = 200 * MS };
    begin(&options);
    assert_int_equal(robo__lag_due(&lag), ROBO_NEVER);
    put(8, 5 * MS);
    put(3, 6 * MS);
    assert_int_equal(lag.waiting, 11);
    arrives(25 * MS, 8);
    arrives(26 * MS, 3);
    assert_int_equal(lag.waiting, 0);
    assert_int_equal(robo__lag_due(&lag), ROBO_NEVER);
}

TEST(a_piece_at_a_time)
{
    static const struct robo_test_lag options = { .delay = MS };
    const uint8_t *bytes;
    begin(&options);
    put(8, 0);
    robo__lag_drop(&lag, 3);
    assert_int_equal(robo__lag_arrived(&lag, MS, &bytes), 5);
    assert_memory_equal(bytes, "ments", 5);
    robo__lag_free(&lag);
    assert_int_equal(lag.waiting, 0);
}

TEST(a_slow_link_sends_one_after_the_other)
{
    static const struct robo_test_lag options = { .delay = 10 * MS, .rate = 1e6 };
    begin(&options);
    put(1000, 0); /* takes 1 ms */
    put(500, 0);
    arrives(11 * MS, 1000);
    arrives(11 * MS + MS / 2, 500);
    put(1000, 100 * MS);
    arrives(111 * MS, 1000);
}

TEST(none_overtakes_another)
{
    static const struct robo_test_lag options = { .delay = MS, .jitter = 50 * MS, .seed = 7 };
    robo_time before = 0, least = ROBO_NEVER, most = 0;
    begin(&options);
    for (int i = 1; i <= 200; i++)
        put((size_t)i, 0);
    for (size_t i = 1; i <= 200; i++) {
        const robo_time due = robo__lag_due(&lag);
        least = due < least ? due : least;
        most = due > most ? due : most;
        before = due > before ? due : before;
        assert_int_equal(arrived(before), i);
        robo__lag_drop(&lag, i);
    }
    assert_in_range(least, MS, 5 * MS);
    assert_in_range(most, 45 * MS, 51 * MS);
}

/* The first one that is lost once, of that seed's, with so many sent behind it. */
static void lose_one(const struct robo_test_lag *options, int followers)
{
    for (uint64_t number = 0;; number++) {
        robo__lag_init(&lag, options, number);
        put(1, 0);
        for (int i = 0; i < followers; i++)
            put(2, (i + 1) * MS);
        if (lag.lost == 1 && robo__lag_due(&lag) > options->delay)
            return;
        robo__lag_free(&lag);
    }
}

TEST(what_is_lost_comes_when_it_is_sent_again)
{
    static const struct robo_test_lag options = { .delay = 10 * MS,
                                                  .loss = 0.2,
                                                  .again = 200 * MS };
    lose_one(&options, 2);
    assert_int_equal(arrived(100 * MS), 0); /* those behind it wait */
    arrives(210 * MS, 1);
    assert_int_equal(arrived(210 * MS), 2);
    robo__lag_free(&lag);
}

TEST(three_behind_it_tell_of_it_sooner)
{
    static const struct robo_test_lag options = { .delay = 10 * MS,
                                                  .loss = 0.2,
                                                  .again = 200 * MS };
    lose_one(&options, 3);
    arrives(33 * MS, 1); /* the third is sent at 3 ms; there, back and there again */
    robo__lag_free(&lag);
}

TEST(as_many_are_lost_as_was_said)
{
    static const struct robo_test_lag options = { .loss = 0.1, .again = MS, .seed = 3 };
    begin(&options);
    for (int i = 0; i < 20000; i++) {
        put(1, (robo_time)i * 100 * MS);
        const uint64_t lost = lag.lost;
        arrives(robo__lag_due(&lag), 1);
        assert_int_equal(lag.lost, lost);
    }
    assert_int_equal(lag.segments, 20000);
    /* 0.1 + 0.01 + … of 20,000 are 2,222, with a deviation of about 50 */
    assert_in_range(lag.lost, 2000, 2450);
}

TEST(a_link_that_cannot_be)
{
    static const struct robo_test_lag wrong[] = {
        { .delay = -1 }, { .jitter = 11000000000 }, { .loss = 1 }, { .loss = -0.1 }, { .rate = -1 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(robo__lag_check(&wrong[i]), ROBO_EINVAL);
}
