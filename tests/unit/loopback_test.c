/* The in-memory transport and its bad networks, over a protocol that says back what it hears. */
#include "net/loopback.h"

#include "base/readers.h"
#include "fixture_host.h"

/* ---- a protocol of four-byte words: answers each with itself, hangs up at a 0 ---- */

struct echo {
    struct robo__conn *conn;
};

static int echo_open(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    ((struct echo *)state)->conn = conn;
    return 0;
}

static size_t echo_feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct echo *e = state;
    size_t used = 0;
    assert_true(robo__is_reading()); /* protocols look at robots */
    while (n - used >= 4 && !e->conn->closing) {
        uint8_t *out = robo__conn_reserve(e->conn, 4);
        if (!out)
            break;
        memcpy(out, in + used, 4);
        robo__conn_commit(e->conn, 4);
        e->conn->closing = memcmp(in + used, "\0\0\0\0", 4) == 0;
        used += 4;
        if (one)
            break;
    }
    return used;
}

static void echo_shutdown(void *state, robo_time now)
{
}

static void echo_close(void *state)
{
}

static const struct robo__protocol echo = { .name = "echo",
                                            .size = sizeof(struct echo),
                                            .open = echo_open,
                                            .feed = echo_feed,
                                            .shutdown = echo_shutdown,
                                            .close = echo_close };

/* ---- the client's end: writes down what comes and when ---- */

static struct {
    uint32_t word;
    robo_time at;
} came[100000];
static size_t came_count, lost_count;
static bool close_in_deliver;

static void on_deliver(struct robo__loopback *loopback, const uint8_t *bytes, size_t n,
                       robo_time now)
{
    assert_int_equal(n % 4, 0);
    for (size_t i = 0; i < n && came_count < 100000; i += 4) {
        memcpy(&came[came_count].word, bytes + i, 4);
        came[came_count++].at = now;
    }
    if (close_in_deliver) {
        close_in_deliver = false;
        robo__loopback_close(loopback);
    }
}

static void on_lost(struct robo__loopback *loopback)
{
    lost_count++;
}

static struct robo__loopback *open_loopback(const struct robo_channel *channel)
{
    struct robo__loopback *loopback;
    came_count = lost_count = 0;
    assert_int_equal(
        robo__loopback_open(&host, &(struct robo__url){ .protocol = &echo }, channel, &loopback),
        0);
    loopback->deliver = on_deliver;
    loopback->lost = on_lost;
    return loopback;
}

static void say(struct robo__loopback *loopback, uint32_t word)
{
    robo__loopback_send(loopback, (uint8_t *)&word, 4);
}

static int open_world(void **state)
{
    close_in_deliver = false;
    return open_host(state);
}

FIXTURE(open_world, close_host);

TEST(ideal)
{
    struct robo__loopback *loopback = open_loopback(NULL);
    for (uint32_t i = 1; i <= 100; i++) {
        say(loopback, i);
        assert_int_equal(came_count, i); /* there and back before send returns */
        assert_int_equal(came[i - 1].word, i);
    }
    robo__loopback_close(loopback);
    assert_false(robo__is_reading());
}

TEST(latency)
{
    struct robo__loopback *loopback = open_loopback(&(struct robo_channel){ .latency = S(0.03) });
    say(loopback, 1);
    run_for(0.0599);
    assert_int_equal(came_count, 0);
    run_for(0.0001);
    assert_int_equal(came_count, 1);
    assert_int_equal(came[0].at, S(1.06)); /* there and back */
    robo__loopback_close(loopback);
}

TEST(rate)
{
    /* 400 bytes a second: a word takes 10 ms each way, and words wait for each other */
    struct robo__loopback *loopback = open_loopback(&(struct robo_channel){ .rate = 400 });
    for (uint32_t i = 1; i <= 10; i++)
        say(loopback, i);
    run_for(1);
    assert_int_equal(came_count, 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(came[i].at, S(1) + S(0.01) * (robo_time)(i + 2));
    robo__loopback_close(loopback);
}

/* A stream keeps its order whatever jitter and losses do; nothing is lost, nothing comes twice. */
TEST(jitter_and_loss_keep_the_order)
{
    struct robo_channel c = { .latency = S(0.01), .jitter = S(0.2), .loss = 0.2 };
    struct robo__loopback *loopback = open_loopback(&c);
    robo_time least = ROBO_NEVER, most = 0;
    for (uint32_t i = 1; i <= 1000; i++) {
        say(loopback, i);
        run_for(0.01);
    }
    run_for(10);
    assert_int_equal(came_count, 1000);
    for (size_t i = 0; i < came_count; i++) {
        assert_int_equal(came[i].word, i + 1);
        assert_true(i == 0 || came[i].at >= came[i - 1].at);
        robo_time took = came[i].at - (S(1) + S(0.01) * (robo_time)i);
        assert_true(took >= S(0.02));
        least = took < least ? took : least;
        most = took > most ? took : most;
    }
    /* a loss costs 0.2 s, and 0.4 s more when what is sent again is lost, at least once among a thousand with a fifth lost */
    assert_true(most > S(0.6));
    robo__loopback_close(loopback);
}

TEST(duplicate_and_reorder)
{
    struct robo_channel c = {
        .latency = S(0.01), .jitter = S(0.05), .duplicate = 0.3, .reorder = 0.3
    };
    struct robo__loopback *loopback = open_loopback(&c);
    for (uint32_t i = 1; i <= 1000; i++) {
        say(loopback, i);
        run_for(0.005);
    }
    run_for(10);
    size_t times[1001] = { 0 }, twice = 0, behind = 0;
    for (size_t i = 0; i < came_count; i++) {
        assert_in_range(came[i].word, 1, 1000);
        times[came[i].word]++;
        behind += i > 0 && came[i].word < came[i - 1].word;
    }
    for (size_t i = 1; i <= 1000; i++) {
        assert_true(times[i] >= 1); /* never lost */
        twice += times[i] > 1;
    }
    /* with 0.3 each way, 1 - 0.7^2 = 51 % come more than once */
    assert_in_range(twice, 400, 620);
    assert_true(behind > 50);
    robo__loopback_close(loopback);
}

TEST(cut)
{
    struct robo__loopback *loopback = open_loopback(&(struct robo_channel){ .latency = S(0.1) });
    say(loopback, 1);
    run_for(0.05);
    loopback->cut = true; /* half open: what is under way vanishes, nobody is told */
    say(loopback, 2);
    run_for(10);
    assert_int_equal(came_count, 0);
    assert_int_equal(lost_count, 0);
    loopback->cut = false;
    say(loopback, 3);
    run_for(1);
    assert_int_equal(came_count, 1);
    assert_int_equal(came[0].word, 3);
    robo__loopback_close(loopback);
}

TEST(server_hangs_up)
{
    const struct robo_channel channels[] = { { 0 }, { .latency = S(0.1) } };
    for (size_t i = 0; i < 2; i++) {
        struct robo__loopback *loopback = open_loopback(&channels[i]);
        say(loopback, 7);
        say(loopback, 0);
        say(loopback, 8);
        run_for(1);
        assert_int_equal(came_count, 2); /* its last word is delivered first */
        assert_int_equal(came[1].word, 0);
        assert_int_equal(lost_count, 1);
        say(loopback, 9);
        run_for(1);
        assert_int_equal(came_count, 2);
        assert_int_equal(lost_count, 1);
        robo__loopback_close(loopback);
    }
}

/* Whoever hears something may hang up there and then. */
TEST(close_from_inside)
{
    const struct robo_channel channels[] = { { 0 }, { .latency = S(0.1) } };
    for (size_t i = 0; i < 2; i++) {
        struct robo__loopback *loopback = open_loopback(&channels[i]);
        close_in_deliver = true;
        say(loopback, 1);
        if (i == 1) {
            run_for(0.01);
            say(loopback, 2);
            run_for(0.01);
            say(loopback, 3);
        }
        run_for(1);
        assert_int_equal(came_count, 1);
    }
}

/* The server's wait before it reads each package: congestion as paper 000 injects it (VI.B). */
TEST(stalls)
{
    struct robo_channel c = { .stall_least = S(0.1), .stall_most = S(0.3) };
    struct robo__loopback *loopback = open_loopback(&c);
    for (uint32_t i = 1; i <= 200; i++)
        say(loopback, i);
    run_for(200 * 0.3 + 1);
    assert_int_equal(came_count, 200);
    double sum = 0;
    for (size_t i = 0; i < 200; i++) {
        robo_time gap = came[i].at - (i ? came[i - 1].at : S(1));
        assert_true(gap >= S(0.1) && gap <= S(0.3));
        sum += (double)gap * 1e-9;
    }
    assert_true(sum / 200 > 0.19 && sum / 200 < 0.21); /* uniform: mean 0.2, deviation 0.0577 */
    robo__loopback_close(loopback);
}

/* A stall that has begun is waited for, and what comes behind it waits too, though there are no more stalls. */
TEST(stalls_that_end)
{
    struct robo_channel c = { .stall_least = S(2), .stall_most = S(2) };
    struct robo__loopback *loopback = open_loopback(&c);
    robo_time begin = robo_now(world);
    say(loopback, 1);
    loopback->conn.stall_least = loopback->conn.stall_most = 0;
    for (uint32_t i = 2; i <= 5; i++) {
        run_for(0.1);
        say(loopback, i);
    }
    run_for(1.5);
    assert_int_equal(came_count, 0);
    run_for(1);
    assert_int_equal(came_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(came[i].at, begin + S(2));
    say(loopback, 6);
    assert_int_equal(came_count, 6);
    robo__loopback_close(loopback);
}

/* Two runs from one seed: the same to the byte. Another seed: another run. */
static size_t run_of(uint64_t seed, uint8_t *log)
{
    struct robo_channel c = { .latency = S(0.01),
                              .jitter = S(0.1),
                              .loss = 0.1,
                              .duplicate = 0.1,
                              .reorder = 0.1,
                              .rate = 1e5,
                              .stall_most = S(0.02) };
    open_host_with(seed);
    struct robo__loopback *loopback = open_loopback(&c);
    for (uint32_t i = 1; i <= 500; i++) {
        say(loopback, i);
        run_for(0.01);
    }
    run_for(20);
    memcpy(log, came, came_count * sizeof came[0]);
    robo__loopback_close(loopback);
    close_host(NULL);
    return came_count * sizeof came[0];
}

TEST(same_seed_same_run, NULL)
{
    static uint8_t one[sizeof came], two[sizeof came], three[sizeof came];
    memset(came, 0, sizeof came); /* padding too is compared */
    size_t n = run_of(5, one), m = run_of(5, two), k = run_of(6, three);
    assert_int_equal(n, m);
    assert_memory_equal(one, two, n);
    assert_true(k != n || memcmp(one, three, n) != 0);
}
