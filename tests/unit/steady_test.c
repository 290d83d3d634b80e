/* What a command costs the server once everything is warm, where that is exact: pairs of lock and unlock, and memory asked
 * for. What the whole costs on sockets is measured by robotalk-bench (tests/bench/steady.c). */
#include <pthread.h>

#include "../memory.h"
#include "session_peer.h"

static long locks;

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    locks++;
    return __real_pthread_mutex_lock(mutex);
}

enum { WARM = 20, ROUNDS = 100 };

/* A package of n commands, and its answers. */
static void one_package(unsigned n)
{
    peer_begin(p);
    for (unsigned i = 0; i < n; i++)
        peer_add_cmd(p, set_speed(0, 0.1));
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    assert_int_equal(p->told_count, n);
    assert_int_equal(p->told[n - 1].as.result.signal, ROBO_SUCCESS);
}

static void test_a_direct_command_locks_twice_and_asks_for_no_memory(void **state)
{
    (void)state;
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
static void test_packages_of_many_commands_ask_for_no_memory(void **state)
{
    (void)state;
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

static void test_packages_in_pieces_ask_for_no_memory(void **state)
{
    (void)state;
    in_two_pieces(1);
    memory_fail_from(1);
    for (int i = 0; i < ROUNDS; i++)
        in_two_pieces(1);
    assert_int_equal(p->told_count, 1);
    assert_false(memory_failed());
    memory_fail_at(0);
}

/* What was needed once is not kept for ever. */
static void test_a_quiet_connection_gives_its_buffers_back(void **state)
{
    (void)state;
    in_two_pieces(1);
    one_package(40);
    assert_non_null(p->conn.in);
    assert_true(p->conn.out_size > 1024);
    for (int i = 0; i < WARM; i++)
        one_package(1);
    assert_null(p->conn.in);
    assert_true(p->conn.out_size <= 512);
    in_two_pieces(200); /* too large to be kept at all */
    assert_null(p->conn.in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_direct_command_locks_twice_and_asks_for_no_memory),
        TEST(test_packages_of_many_commands_ask_for_no_memory),
        TEST(test_packages_in_pieces_ask_for_no_memory),
        TEST(test_a_quiet_connection_gives_its_buffers_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
