/* When the memory of connections that have left goes back to the system. How much that is: no test's, but that it is asked for. */
#include "fixture_host.h"

#include "net/trim.h"

static struct robo__trim trim;

static int begin(void **state)
{
    open_host(state);
    robo__trim_init(&trim);
    return 0;
}

static void count_to(size_t count)
{
    while (trim.count != count)
        robo__trim_note(&trim, &host, trim.count < count ? trim.count + 1 : trim.count - 1);
}

static void pass(double seconds)
{
    robo_advance(world, robo_now(world) + S(seconds));
}

FIXTURE(begin, close_host);

TEST(few_connections_leave_nothing_worth_it)
{
    count_to(255);
    count_to(0);
    pass(10);
    assert_int_equal(trim.done, 0);
}

TEST(memory_goes_back_a_second_after_the_last_of_many_has_left)
{
    count_to(1000);
    pass(10);
    count_to(251);
    pass(10);
    assert_int_equal(trim.done, 0); /* more than a quarter is still there */
    count_to(250);
    pass(0.9);
    count_to(10);
    pass(0.9);
    assert_int_equal(trim.done, 0);
    pass(0.2);
    assert_int_equal(trim.done, 1);
    /* once, and again only after there were many again */
    count_to(0);
    pass(10);
    assert_int_equal(trim.done, 1);
    count_to(300);
    count_to(20);
    pass(1.1);
    assert_int_equal(trim.done, 2);
}

/* A hundred that have pipelined and not read leave as much behind as thousands that have not. */
TEST(memory_of_a_few_goes_back_if_it_was_much)
{
    count_to(90);
    assert_true(robo__budget_take(&world->memory, 0, 1 << 26));
    count_to(100);
    robo__budget_give(&world->memory, 1 << 26);
    count_to(0);
    pass(1.1);
    assert_int_equal(trim.done, 1);
}

TEST(who_comes_meanwhile_puts_it_off)
{
    count_to(400);
    count_to(50);
    pass(0.5);
    count_to(300);
    pass(10);
    assert_int_equal(trim.done, 0);
    count_to(50);
    pass(1.1);
    assert_int_equal(trim.done, 1);
}
