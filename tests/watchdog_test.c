/* The watchdog of scripts (bindings/lua/watchdog.c), whose rounds are let go one by one. No Lua runs here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "runtime.h"

static struct runtime script;
static int dismissals; /* calls of the watchdog's */
static bool signals_again;

/* Where the watchdog waits between two rounds. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int allowed, ended; /* rounds */

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_robo_try_dismiss(robo_world *world, uint64_t key);
void __wrap_robo_readmit(robo_world *world);
void __real_robo_readmit(robo_world *world);

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    (void)ms;
    pthread_mutex_lock(&lock);
    ended++;
    pthread_cond_broadcast(&changed);
    while (allowed < ended)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return __real_poll(fds, count, 0);
}

/* The watchdog looks once. */
static void look(void)
{
    pthread_mutex_lock(&lock);
    const int round = ++allowed;
    pthread_cond_broadcast(&changed);
    while (ended <= round)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

int __wrap_robo_try_dismiss(robo_world *world, uint64_t key)
{
    (void)world, (void)key;
    dismissals++;
    return 1;
}

void __wrap_robo_readmit(robo_world *world)
{
    if (signals_again)
        watchdog_signal(&script.watched, SIGINT);
    if (signals_again)
        look();
    __real_robo_readmit(world);
    look();
}

static int set_up(void **state)
{
    robo_world *world = robo_open(NULL);
    *state = world;
    dismissals = allowed = ended = 0;
    signals_again = false;
    atomic_store(&script.watched.prompts, true);
    assert_true(watchdog_start(&script));
    watchdog_world(world);
    look();
    return 0;
}

static int tear_down(void **state)
{
    pthread_mutex_lock(&lock);
    allowed = 1 << 30;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    watchdog_world(NULL);
    watchdog_stop(&script);
    robo_close(*state);
    return 0;
}

/* The prompt is faster than the watchdog: nobody is shut out after the readmission. */
static void test_a_signal_that_is_forgotten_dismisses_nobody(void **state)
{
    (void)state;
    watchdog_signal(&script.watched, SIGINT);
    watchdog_heeded(&script.watched);
    watchdog_forget(&script.watched);
    look();
    assert_int_equal(dismissals, 0);
}

/* One that comes in the readmission dismisses after it. */
static void test_a_signal_in_the_readmission_counts(void **state)
{
    (void)state;
    watchdog_signal(&script.watched, SIGINT);
    look();
    assert_int_equal(dismissals, 1);
    watchdog_heeded(&script.watched);
    signals_again = true;
    watchdog_forget(&script.watched);
    const int before = dismissals;
    look();
    assert_int_equal(dismissals, before + 1);
    assert_int_equal(atomic_load(&script.watched.signal), SIGINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_signal_that_is_forgotten_dismisses_nobody, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_signal_in_the_readmission_counts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
