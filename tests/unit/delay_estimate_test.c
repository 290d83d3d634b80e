/* What packages tell of their link, and how much later a sequence must be played. Links are simulated here by Lindley's
 * recursion, apart from the code under test; the oracle knows how they draw, but not what. */
#include <math.h>
#include <stdlib.h>

#include "../test.h"
#include "base/random.h"
#include "robot/timeline/delay_estimate.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

enum { REST = 640, LIVES = 2000 };

static struct robo__traffic traffic;
static struct robo__random chance;

static int open_traffic(void **state)
{
    robo__random_seed(&chance, 7);
    return robo__traffic_keep(&traffic) ? 0 : -1;
}

static int close_traffic(void **state)
{
    robo__traffic_free(&traffic);
    return 0;
}

/* ---- links ---- */

struct link {
    double latency, jitter; /* of the way: nobody waits for it */
    double least, most;     /* of the service */
    double offset;          /* that stamps are too late by */
    double arrived;
};

/* When a package that is sent then arrives. */
static double carry(struct link *l, double sent)
{
    double there = sent + l->latency + l->jitter * robo__random_uniform(&chance);
    if (there < l->arrived)
        there = l->arrived;
    return l->arrived = there + robo__random_range(&chance, l->least, l->most);
}

static double note(struct link *l, double sent)
{
    double arrived = carry(l, sent);
    robo__traffic_note(&traffic, S(sent + l->offset), S(arrived));
    return arrived;
}

/* Trains of ten, each sent when the one before has arrived. */
static double measure(struct link *l, unsigned trains)
{
    double now = l->arrived + 1;
    for (unsigned k = 0; k < trains; k++, now = l->arrived + l->latency + 0.001)
        for (unsigned i = 0; i < 10; i++)
            note(l, now);
    return now;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least shift with which REST frames, `gap` apart, are all in time with that probability, for who knows the link. */
static double oracle(const struct link *link, double gap, double certainty)
{
    static double worst[LIVES];
    for (unsigned k = 0; k < LIVES; k++) {
        struct link l = *link;
        l.arrived = -1000;
        worst[k] = 0;
        for (unsigned i = 0; i < REST; i++) {
            double late = carry(&l, i * gap) - i * gap;
            worst[k] = late > worst[k] ? late : worst[k];
        }
    }
    qsort(worst, LIVES, sizeof worst[0], by_size);
    return worst[(unsigned)(certainty * (LIVES - 1))];
}

static double need(double lateness, double gap, double rest, double certainty)
{
    const struct robo__outlook o = { .lateness = lateness,
                                     .way = lateness,
                                     .overdue = -HUGE_VAL,
                                     .send_gap = gap,
                                     .start_gap = gap,
                                     .rest = rest,
                                     .known = UINT32_MAX };
    return robo__traffic_need(&traffic, &o, certainty, 1);
}

#define assert_near(a, b, share) assert_float_equal(a, b, (share) * (b))

/* ---- tests ---- */

FIXTURE(open_traffic, close_traffic);

TEST(nothing_is_known)
{
    assert_true(robo__traffic_pace(&traffic, UINT32_MAX).service == 0);
    assert_true(need(0, 0.1, REST, 0.99) == 0);
    /* one package tells nothing of how long others wait */
    robo__traffic_note(&traffic, S(1), S(1.1));
    assert_int_equal(traffic.count, 0);
}

TEST(a_connection_that_keeps_nothing)
{
    struct robo__traffic none = { 0 };
    for (int i = 0; i < 100; i++)
        robo__traffic_note(&none, S(i), S(i + 0.1));
    assert_int_equal(none.count, 0);
    robo__traffic_free(&none);
}

/* 0.12 s a package for frames every 0.1 s: each is 0.02 s later than the one before. The clock's offset is known to half
 * of a round trip only, which makes each way look like 0.06 s. */
TEST(steady_service_above_the_frame_gap)
{
    struct link l = { .least = 0.12, .most = 0.12, .offset = 0.06 };
    measure(&l, 3);
    assert_near(robo__traffic_pace(&traffic, UINT32_MAX).service, 0.12, 1e-6);
    /* the newest frame is 0.06 s late; the first of the rest waits for it, and so on */
    assert_near(need(0.06, 0.1, 400, 0.99), 0.06 + 400 * 0.02, 1e-4);
    assert_near(need(0.06, 0.2, 400, 0.99), 0.06, 1e-4); /* and there is time enough at 5 Hz */
}

/* A way of 0.3 s keeps nobody waiting: the sequence need only be as late as that. */
TEST(a_long_way_is_no_service)
{
    struct link l = { .latency = 0.3 };
    measure(&l, 5);
    assert_true(robo__traffic_pace(&traffic, UINT32_MAX).service < 0.01);
    assert_near(robo__traffic_pace(&traffic, UINT32_MAX).base, 0.3, 0.05);
    assert_near(need(0.3, 0.1, REST, 0.99), 0.3, 1e-3);
}

/* That is no queue, but what looks like one asks for no more than twice as much. */
TEST(jitter_that_keeps_its_order)
{
    struct link l = { .latency = 0.05, .jitter = 0.3 };
    measure(&l, 30);
    double most = oracle(&l, 0.1, 0.99);
    assert_in_range((int)(1000 * need(0.2, 0.1, REST, 0.99) / most), 900, 2000);
}

/* With a minute of traffic behind it a connection knows as much as who made the link. */
TEST(as_good_as_an_oracle)
{
    const double most[] = { 0.05, 0.1, 0.12, 0.15, 0.18, 0.3, 0.4, 1.0 };
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        struct link l = { .most = most[i] };
        double sum = 0, known = oracle(&l, 0.1, 0.99);
        enum { TIMES = 8 };
        for (unsigned k = 0; k < TIMES; k++) {
            robo__traffic_free(&traffic);
            robo__traffic_keep(&traffic);
            l.arrived = 0;
            measure(&l, 100);
            sum += need(0, 0.1, REST, 0.99) / TIMES;
        }
        assert_in_range((int)(100 * sum / known), 85, 125);
    }
}

/* What little is known counts as little: few packages ask for more than many, as a rule. */
TEST(a_young_connection_is_careful)
{
    enum { TIMES = 40 };
    unsigned late = 0;
    struct link l = { .most = 0.15 };
    for (unsigned k = 0; k < TIMES; k++) {
        robo__traffic_free(&traffic);
        robo__traffic_keep(&traffic);
        l.arrived = 0;
        measure(&l, 7);
        double wait = 1.15 * need(0, 0.1, REST, 0.99), worst = 0;
        l.arrived += 10;
        for (double first = l.arrived, i = 0; i < REST; i++)
            worst = fmax(worst, carry(&l, first + 0.1 * i) - first - 0.1 * i);
        late += worst > wait;
    }
    assert_true(late <= TIMES / 5);
}

/* A sender slower than its own time stamps is later with every package. */
TEST(a_slow_sender)
{
    struct link l = { .least = 0.01, .most = 0.01 };
    measure(&l, 2);
    struct robo__outlook o = { .lateness = 0.5,
                               .way = 0.01,
                               .overdue = 0,
                               .send_gap = 0.13,
                               .start_gap = 0.1,
                               .rest = 100,
                               .known = UINT32_MAX };
    assert_near(robo__traffic_need(&traffic, &o, 0.99, 1), 0.5 + 100 * 0.03, 1e-3);
    /* one that is ahead of them need not wait at all */
    o = (struct robo__outlook){ .lateness = -1,
                                .way = 0.01,
                                .overdue = -1,
                                .send_gap = 0.1,
                                .start_gap = 0.1,
                                .rest = 100,
                                .known = UINT32_MAX };
    assert_float_equal(robo__traffic_need(&traffic, &o, 0.99, 1), -1, 1e-6);
}

/* What has not come by now is as late as that, whatever was seen before. */
TEST(a_package_that_is_overdue)
{
    struct link l = { .least = 0.02, .most = 0.02 };
    measure(&l, 2);
    struct robo__outlook o = { .lateness = 0.02,
                               .way = 0.02,
                               .overdue = 3,
                               .send_gap = 0.1,
                               .start_gap = 0.1,
                               .rest = 10,
                               .known = UINT32_MAX };
    assert_near(robo__traffic_need(&traffic, &o, 0.99, 1), 3, 1e-6);
}

TEST(the_same_question_has_the_same_answer)
{
    struct link l = { .most = 0.18 };
    measure(&l, 10);
    double once = need(0, 0.1, REST, 0.99);
    assert_true(once == need(0, 0.1, REST, 0.99));
    assert_true(need(0, 0.1, REST, 0.5) < once);
    assert_true(need(0, 0.1, 20, 0.99) < once);
}

/* A sequence of days is not gone through package by package, and the drift goes on. */
TEST(a_very_long_sequence)
{
    struct link l = { .least = 0.11, .most = 0.13 };
    measure(&l, 50);
    assert_near(need(0, 0.1, 1e7, 0.99), 0.02 * 1e7, 0.05);
}

/* Small packages have told little of what large ones take on a narrow line: only the latter count. */
TEST(larger_packages_than_before)
{
    struct link small = { .least = 0.05, .most = 0.06 }, large = { .least = 0.15, .most = 0.16 };
    double now = measure(&small, 10);
    assert_false(robo__traffic_differs(&traffic, 10));
    large.arrived = now;
    note(&large, now + 1);
    assert_true(robo__traffic_differs(&traffic, 1));
    assert_false(robo__traffic_differs(&traffic, traffic.count)); /* nothing was before */
    for (int i = 0; i < 20; i++)
        note(&large, now + 1);
    struct robo__outlook o = { .lateness = 0.15,
                               .way = 0.15,
                               .overdue = 0,
                               .send_gap = 0.1,
                               .start_gap = 0.1,
                               .rest = 100,
                               .known = 20 };
    assert_near(robo__traffic_need(&traffic, &o, 0.99, 1), 0.15 + 100 * 0.055, 0.1);
}

/* One stall in a minute may be an accident; two are the link. */
TEST(an_accident)
{
    struct link l = { .least = 0.01, .most = 0.02 }, stall = { .least = 2, .most = 2 };
    double now = measure(&l, 10);
    stall.arrived = now;
    note(&stall, now);
    struct robo__outlook o = { .lateness = 0.02,
                               .way = 0.02,
                               .send_gap = 0.1,
                               .start_gap = 0.1,
                               .rest = REST,
                               .known = UINT32_MAX,
                               .accident = true };
    assert_true(robo__traffic_need(&traffic, &o, 0.99, 1) < 0.05);
    note(&stall, now + 5);
    assert_true(robo__traffic_need(&traffic, &o, 0.99, 1) > 2);
}

TEST(only_the_newest_are_kept)
{
    struct link slow = { .least = 0.5, .most = 0.5 }, fast = { .least = 0.01, .most = 0.01 };
    measure(&slow, 100);
    fast.arrived = slow.arrived;
    measure(&fast, ROBO__PASSAGES / 10 + 1);
    assert_int_equal(traffic.count, ROBO__PASSAGES);
    assert_near(robo__traffic_pace(&traffic, UINT32_MAX).service, 0.01, 1e-6);
    assert_true(need(0.01, 0.1, REST, 0.99) < 0.1);
}

/* A client may write into its stamps what it likes. */
TEST(absurd_stamps)
{
    const robo_time absurd[] = { INT64_MIN, INT64_MAX, -1, 1, S(1e9), -S(1e9) };
    for (unsigned i = 0; i < 36; i++)
        robo__traffic_note(&traffic, absurd[i / 6], S(5000) + i);
    assert_int_equal(traffic.count, 0);
    for (unsigned i = 0; i < 36; i++)
        robo__traffic_note(&traffic,
                           absurd[i % 6] > 0 && absurd[i % 6] < 9 ? S(5001) : absurd[i % 6],
                           S(5000) + i);
    assert_true(isfinite(need(0, 0.1, REST, 0.99)));
}
