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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_direct_command_locks_twice_and_asks_for_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
