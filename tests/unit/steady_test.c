/* What a command costs the server once everything is warm, where that is exact: pairs of lock and unlock, memory asked for,
 * packages of answers. What the whole costs on sockets is measured by robotalk-bench (tests/bench/steady.c). */
#include <pthread.h>
#include <stdatomic.h>

#include "../memory.h"
#include "session_peer.h"

/* Other tests of the program lock from several threads. */
static atomic_long locks;

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    locks++;
    return __real_pthread_mutex_lock(mutex);
}

enum { WARM = 20, ROUNDS = 100, QUIET = 260 };

/* A package of n commands, and its answers. */
static void one_package(unsigned n)
{
    peer_begin(p);
    for (unsigned i = 0; i < n; i++)
        peer_add_cmd(p, set_speed(0, 0.1));
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    assert_int_equal(p->received_count, n);
    assert_int_equal(p->received[n - 1].as.result.signal, ROBO_SUCCESS);
}

FIXTURE(enter, leave);

TEST(a_direct_command_locks_twice_and_asks_for_no_memory)
{
    for (int i = 0; i < WARM; i++)
        one_package(1);
    locks = 0;
    memory_fail_from(1);
    for (int i = 0; i < ROUNDS; i++)
        one_package(1);
    assert_false(memory_failed());
    memory_fail_at(0);
    assert_int_equal(locks, 2 * ROUNDS);
}

/* Frames of a whole body, and packages that come in two pieces. */
TEST(packages_of_many_commands_ask_for_no_memory)
{
    enum { BODY = 40 };
    for (int i = 0; i < WARM; i++)
        one_package(BODY);
    memory_fail_from(1);
    for (int i = 0; i < ROUNDS; i++)
        one_package(BODY);
    assert_false(memory_failed());
    memory_fail_at(0);
}

static void in_two_pieces(unsigned n)
{
    peer_begin(p);
    for (unsigned i = 0; i < n; i++)
        peer_add_cmd(p, set_speed(0, 0.1));
    size_t bytes = peer_end(p, ROBO_TYPE_COMMAND);
    peer_feed(p, p->out, bytes - 10);
    peer_feed(p, p->out + bytes - 10, 10);
    peer_listen(p);
}

TEST(packages_in_pieces_ask_for_no_memory)
{
    in_two_pieces(1);
    memory_fail_from(1);
    for (int i = 0; i < ROUNDS; i++)
        in_two_pieces(1);
    assert_int_equal(p->received_count, 1);
    assert_false(memory_failed());
    memory_fail_at(0);
}

/* Answers that pile up now and then, as on a busy machine, cause no allocations each time. */
TEST(bursts_now_and_then_ask_for_no_memory)
{
    enum { BETWEEN = 50, BURST = 40 };
    for (int i = 0; i < WARM; i++)
        one_package(BURST);
    memory_fail_from(1);
    for (int burst = 0; burst < 4; burst++) {
        for (int i = 0; i < BETWEEN; i++)
            one_package(1);
        one_package(BURST);
    }
    assert_false(memory_failed());
    memory_fail_at(0);
}

/* What was needed once is not kept for ever. */
TEST(a_quiet_connection_gives_its_buffers_back)
{
    in_two_pieces(1);
    one_package(40);
    assert_non_null(p->conn.in);
    assert_true(p->conn.out_size > 1024);
    for (int i = 0; i < QUIET; i++)
        one_package(1);
    assert_null(p->conn.in);
    assert_true(p->conn.out_size <= 512);
    in_two_pieces(200); /* too large to be kept at all */
    assert_null(p->conn.in);
}

/* ---- answers that nobody waits for go together ---- */

static struct test_modes modes;

static struct peer *enter_delay(void)
{
    test_modes_init(&modes, 0);
    host.modes = &modes.modes;
    struct peer *q = peer_open();
    peer_enter(q, &(struct robo_request_open){ .mode = "delay" });
    return q;
}

static void leave_delay(struct peer *q)
{
    peer_close(q);
    host.modes = NULL;
}

/* Packages of signals that have come since peer_listen, and all their entries. */
static size_t packages(const struct peer *q, size_t *entries)
{
    size_t n = 0;
    *entries = 0;
    for (size_t i = 0; i < q->received_count; i += q->received[i].header.count) {
        assert_int_equal(q->received[i].header.type, ROBO_TYPE_SIGNAL);
        *entries += q->received[i].header.count;
        n++;
    }
    return n;
}

TEST(answers_of_a_sequence_are_gathered)
{
    struct peer *q = enter_delay();
    const double start[] = { 2, 2.0005, 2.001, 2.0025, 2.1, 2.2 };
    const size_t frames = sizeof start / sizeof *start;
    size_t entries;
    peer_begin(q);
    for (size_t i = 0; i < frames; i++)
        peer_add_cmd(q, set_speed(start[i], 0.1));
    peer_say(q, ROBO_TYPE_COMMAND);
    peer_listen(q);
    assert_int_equal(q->received_count, 0);
    run_until(2.000999);
    peer_listen(q);
    assert_int_equal(q->received_count, 0); /* one is to come, a millisecond after the first */
    run_until(2.001);
    peer_listen(q);
    assert_int_equal(packages(q, &entries), 1);
    assert_int_equal(entries, 3);
    /* nothing comes soon: at once */
    for (size_t i = 3; i < frames; i++) {
        run_until(start[i]);
        peer_listen(q);
        assert_int_equal(packages(q, &entries), 1);
        assert_int_equal(entries, 1);
    }
    leave_delay(q);
}

TEST(what_went_wrong_is_not_gathered)
{
    struct peer *q = enter_delay();
    peer_begin(q);
    uint32_t good = peer_add_cmd(q, set_speed(2, 0.1));
    uint32_t bad = peer_add_cmd(q, set_joint(2.0005, 9, 1, 0));
    peer_add_cmd(q, set_speed(2.0008, 0.1));
    peer_say(q, ROBO_TYPE_COMMAND);
    run_until(2.0005);
    peer_listen(q);
    expect_told(q, good, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(the_received(q, ROBO_TYPE_SIGNAL, bad)->as.result.finished, S(2.0005));
    leave_delay(q);
}

/* Another takes back what was to come next: what waits for it goes at once. */
TEST(answers_wait_for_nothing_in_vain)
{
    struct peer *q = enter_delay();
    const struct robo_request_cancel all = { 0 };
    uint32_t id = peer_cmd(q, set_speed(2, 0.1));
    peer_cmd(p, set_speed(2.0005, 0.1));
    run_until(2.0001);
    peer_listen(q);
    assert_int_equal(q->received_count, 0);
    peer_request(p, ROBO_Q_CANCEL, &all);
    run_until(2.0002);
    peer_listen(q);
    expect_told(q, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    leave_delay(q);
}

TEST(a_stop_is_told_at_once)
{
    struct peer *q = enter_delay();
    uint32_t id = peer_cmd(q, set_speed(2, 0.1));
    peer_cmd(q, set_speed(2.0009, 0.1));
    run_until(2.0001);
    peer_cmd(p, (struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    run_until(2.0001);
    peer_listen(q);
    expect_told(q, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(told_notices(q, ROBO_N_STOPPED), 1);
    leave_delay(q);
}

/* Its owner goes while its answers wait. */
TEST(closing_while_answers_wait)
{
    struct peer *q = enter_delay(), *other = enter_delay();
    peer_cmd(q, set_speed(2, 0.1));
    uint32_t id = peer_cmd(other, set_speed(2, 0.2));
    peer_cmd(p, set_speed(2.0005, 0.1));
    run_until(2.0001);
    leave_delay(q);
    run_until(2.0002);
    peer_listen(other);
    assert_non_null(received_of(other, ROBO_TYPE_SIGNAL, id));
    leave_delay(other);
}

/* A queued frame needs nothing of it; it is published every 10 ms. */
TEST(frames_do_not_read_the_state)
{
    enum { FRAMES = 100, PUBLISHED = 11 };
    struct peer *q = enter_delay();
    for (int i = 0; i < FRAMES; i++)
        peer_cmd(q, set_speed(2 + i * 1e-3, 0.1));
    size_t before = actor_reads, frames = heard(ROBO_SET_SPEED);
    run_until(2.0995);
    assert_int_equal(heard(ROBO_SET_SPEED) - frames, FRAMES);
    assert_true(actor_reads - before <= PUBLISHED * robot->description->devices);
    leave_delay(q);
}
