/* What a program runs on a loop, in a virtual world: timeouts and calls, through robotalk.h alone. */
#include <unistd.h>

#include "../test.h"
#include "robotalk.h"
#include "robotalk/host.h"
#include "robotalk/watchers.h"

#define S(seconds) ((robo_time)((seconds)*1e9))

static robo_world *world;
static robo_loop *loop;

static int open_world(void **state)
{
    const struct robo_options options = { .size = sizeof options, .virtual_clock = 1, .seed = 7 };
    world = robo_open(&options);
    loop = world ? robo_loop_open(world) : NULL;
    return loop ? 0 : -1;
}

static int close_world(void **state)
{
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

/* What was called. */
struct noted {
    int times;
    robo_time at;
    robo_timeout *timeout, *other;
    robo_async *async;
};

static void note(void *owner, robo_time now)
{
    struct noted *n = owner;
    n->times++;
    n->at = now;
}

FIXTURE(open_world, close_world);

TEST(a_timeout_fires_once)
{
    struct noted n = { 0 };
    robo_timeout *timeout = robo_timeout_open(loop, note, &n);
    assert_non_null(timeout);
    assert_int_equal(robo_advance(world, S(1)), 0);
    assert_int_equal(n.times, 0); /* it was not set */
    robo_timeout_set(timeout, S(3));
    robo_timeout_set(timeout, S(2)); /* anew */
    assert_int_equal(robo_next_due(world), S(2));
    assert_int_equal(robo_advance(world, S(9)), 0);
    assert_int_equal(n.times, 1);
    assert_int_equal(n.at, S(2));
    robo_timeout_set(timeout, S(5)); /* over: in the next turn */
    assert_int_equal(robo_loop_dispatch(loop, 0), 0);
    assert_int_equal(n.times, 2);
    assert_int_equal(n.at, S(9));
    robo_timeout_set(timeout, S(10));
    robo_timeout_stop(timeout);
    robo_timeout_stop(timeout);
    assert_int_equal(robo_advance(world, S(11)), 0);
    assert_int_equal(n.times, 2);
    robo_timeout_set(timeout, S(12));
    robo_timeout_close(timeout);
    assert_int_equal(robo_advance(world, S(13)), 0);
    assert_int_equal(n.times, 2);
    robo_timeout_close(NULL);
}

static void fire_again(void *owner, robo_time now)
{
    struct noted *n = owner;
    note(n, now);
    if (n->times < 3)
        robo_timeout_set(n->timeout, now + S(1));
    else
        robo_timeout_close(n->timeout);
}

TEST(a_timeout_sets_and_closes_itself)
{
    struct noted n = { 0 };
    n.timeout = robo_timeout_open(loop, fire_again, &n);
    assert_non_null(n.timeout);
    robo_timeout_set(n.timeout, S(1));
    assert_int_equal(robo_advance(world, S(10)), 0);
    assert_int_equal(n.times, 3);
    assert_int_equal(n.at, S(3));
}

static void close_other(void *owner, robo_time now)
{
    struct noted *n = owner;
    note(n, now);
    robo_timeout_close(n->other);
    n->other = NULL;
}

TEST(a_timeout_closes_one_that_is_due_with_it)
{
    struct noted n = { 0 }, never = { 0 };
    robo_timeout *timeout = robo_timeout_open(loop, close_other, &n);
    n.other = robo_timeout_open(loop, note, &never);
    assert_true(timeout && n.other);
    robo_timeout_set(timeout, S(1));
    robo_timeout_set(n.other, S(1));
    assert_int_equal(robo_advance(world, S(2)), 0);
    assert_int_equal(n.times, 1);
    assert_int_equal(never.times, 0);
    robo_timeout_close(timeout);
}

static void close_call(void *owner, robo_time now)
{
    struct noted *n = owner;
    note(n, now);
    robo_async_close(n->async);
    n->async = NULL;
}

TEST(posts_become_one_call)
{
    struct noted n = { 0 }, closes = { 0 }, never = { 0 };
    robo_async *async = robo_async_open(loop, note, &n);
    closes.async = robo_async_open(loop, close_call, &closes);
    assert_true(async && closes.async);
    robo_async_post(async);
    robo_async_post(async);
    assert_int_equal(n.times, 0); /* not from inside the post */
    robo_async_post(closes.async);
    assert_int_equal(robo_loop_dispatch(loop, 0), 0);
    assert_int_equal(n.times, 1);
    assert_int_equal(closes.times, 1);
    robo_async_post(async);
    assert_int_equal(robo_loop_dispatch(loop, 0), 0);
    assert_int_equal(n.times, 2);
    robo_async_close(async);

    /* the first closes the second, which was posted, too; and one is closed that nobody runs any more */
    closes.async = NULL;
    robo_async *first = robo_async_open(loop, close_call, &closes);
    closes.async = robo_async_open(loop, note, &never);
    robo_async *left = robo_async_open(loop, note, &never);
    assert_true(first && closes.async && left);
    robo_async_post(first);
    robo_async_post(closes.async);
    assert_int_equal(robo_loop_dispatch(loop, 0), 0);
    assert_int_equal(closes.times, 2);
    robo_async_close(first);
    robo_async_post(left);
    robo_async_close(left);
    assert_int_equal(robo_loop_dispatch(loop, 0), 0);
    assert_int_equal(never.times, 0);
    robo_async_close(NULL);
}

TEST(they_keep_their_loop)
{
    struct noted n = { 0 };
    robo_timeout *timeout = robo_timeout_open(loop, note, &n);
    robo_async *async = robo_async_open(loop, note, &n);
    assert_true(timeout && async);
    robo_loop_close(loop);
    loop = NULL;
    robo_timeout_set(timeout, S(1));
    robo_async_post(async);
    assert_int_equal(robo_advance(world, S(2)), 0);
    assert_int_equal(n.times, 2);
    robo_timeout_close(timeout);
    robo_async_post(async);
    robo_async_close(async); /* the loop ends with it */
    assert_int_equal(n.times, 2);
}

TEST(a_virtual_world_has_no_descriptors)
{
    assert_null(robo_io_open(loop, STDIN_FILENO, ROBO_IO_READ, NULL, NULL));
    robo_io_close(NULL);
}

TEST(chance_goes_by_the_seed)
{
    robo_loop *same = robo_loop_open(world);
    assert_non_null(same);
    double before = -1;
    for (int i = 0; i < 100; i++) {
        double x = robo_loop_random(loop);
        assert_true(x >= 0 && x < 1 && x != before);
        assert_true(x == robo_loop_random(same));
        before = x;
    }
    robo_loop_close(same);
}
