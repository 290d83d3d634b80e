/* The guard of a thread that turns a loop: what comes while it is busy lends it a real-time priority, for as long as it looks.
 * Where that is not allowed, nothing changes, and there is nothing to wait for. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../test.h"
#include "../patience.h"
#include "net/priority_lender.h"

static struct robo__lender guard;
static int fd;
static bool allowed;

static int policy(void)
{
    return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

static int begin(void **state)
{
    fd = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(policy(), SCHED_OTHER);
    robo__lender_open(&guard, fd);
    return 0;
}

static int end(void **state)
{
    robo__lender_close(&guard);
    assert_int_equal(policy(), SCHED_OTHER);
    close(fd);
    return 0;
}

static void be_busy(void)
{
    REPEAT_UNTIL(guard.started, robo__lender_turn(&guard, true));
}

static void come(void)
{
    eventfd_write(fd, 1);
    if (allowed)
        EVENTUALLY(policy() == SCHED_FIFO);
}

static void look(void)
{
    eventfd_t count;
    robo__lender_turn(&guard, true);
    assert_int_equal(policy(), allowed ? SCHED_FIFO : SCHED_OTHER);
    eventfd_read(fd, &count);
    /* the next turn, or the one after that when the first was before the guard's last step */
    REPEAT_UNTIL(policy() == SCHED_OTHER, robo__lender_turn(&guard, true));
}

/* ---- tests ---- */

FIXTURE(begin, end);

TEST(who_has_time_has_no_guard)
{
    robo_time until = robo__time_monotonic() + 3000000;
    while (robo__time_monotonic() < until)
        robo__lender_turn(&guard, false);
    assert_false(guard.started);
}

TEST(what_comes_lends_a_priority_for_a_turn)
{
    be_busy();
    for (int i = 0; i < 100; i++) {
        come();
        look();
    }
}

TEST(what_came_before_is_seen)
{
    eventfd_write(fd, 1);
    be_busy();
    come();
    look();
}

TEST(who_has_time_again_is_not_watched)
{
    be_busy();
    come();
    REPEAT_UNTIL(policy() == SCHED_OTHER, robo__lender_turn(&guard, false));
    for (int i = 0; i < 100; i++) {
        eventfd_write(fd, 1);
        robo__lender_turn(&guard, false);
        assert_int_equal(policy(), SCHED_OTHER);
    }
}

TEST(what_is_lent_is_given_back_in_the_end)
{
    be_busy();
    come();
}

static void *note_policy(void *arg)
{
    *(int *)arg = policy();
    return NULL;
}

TEST(who_begins_meanwhile_has_no_priority)
{
    pthread_t thread;
    int its = -1;
    be_busy();
    come();
    assert_int_equal(pthread_create(&thread, NULL, note_policy, &its), 0);
    pthread_join(thread, NULL);
    assert_int_equal(its, SCHED_OTHER);
    look();
}

TEST(who_has_a_policy_keeps_it)
{
    const struct sched_param none = { 0 };
    robo__lender_close(&guard);
    assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    robo__lender_open(&guard, fd);
    robo_time until = robo__time_monotonic() + 3000000;
    while (robo__time_monotonic() < until)
        robo__lender_turn(&guard, true);
    assert_false(guard.started);
    assert_int_equal(policy(), SCHED_BATCH);
    assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &none), 0);
}

static int ask_whether_allowed(void **state)
{
    const struct sched_param some = { .sched_priority = 5 }, none = { 0 };
    allowed = sched_setscheduler(0, SCHED_FIFO, &some) == 0;
    sched_setscheduler(0, SCHED_OTHER, &none);
    return 0;
}

ONCE(ask_whether_allowed, NULL);
