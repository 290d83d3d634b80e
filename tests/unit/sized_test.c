/* Structs that a host fills begin with their size: older and newer hosts. */

#include "../test.h"
#include "../idle_driver.h"
#include "base/sized.h"
#include "robotalk.h"
#include "../ids.h"

struct known {
    size_t size;
    int first, second;
};

TEST(the_same_header)
{
    const struct known from = { .size = sizeof from, .first = 1, .second = 2 };
    struct known to;
    assert_int_equal(robo__sized_take(&to, sizeof to, &from), 0);
    assert_memory_equal(&to, &from, sizeof to);
    assert_int_equal(robo__sized_take(&to, sizeof to, NULL), 0);
    assert_true(to.size == sizeof to && to.first == 0 && to.second == 0);
}

TEST(an_older_header)
{
    const struct known from = { .size = offsetof(struct known, second), .first = 1, .second = 2 };
    struct known to = { .second = 7 };
    assert_int_equal(robo__sized_take(&to, sizeof to, &from), 0);
    assert_true(to.size == sizeof to && to.first == 1 && to.second == 0);
}

TEST(a_newer_header)
{
    struct {
        struct known known;
        int third, fourth;
    } from = { .known = { .size = sizeof from, .first = 1, .second = 2 } };
    struct known to = { 0 };
    assert_int_equal(robo__sized_take(&to, sizeof to, &from), 0);
    assert_true(to.size == sizeof to && to.second == 2);
    from.fourth = 1; /* what it asks for is not there */
    assert_int_equal(robo__sized_take(&to, sizeof to, &from), ROBO_EINVAL);
}

TEST(what_the_library_fills)
{
    const struct known from = { .size = sizeof from, .first = 1, .second = 2 };
    struct known older = { .size = offsetof(struct known, second), .second = 7 };
    assert_int_equal(robo__sized_give(&older, &from), 0);
    assert_true(older.size == offsetof(struct known, second) && older.first == 1 &&
                older.second == 7);
    struct {
        struct known known;
        int64_t third;
    } newer = { .known = { .size = sizeof newer }, .third = 7 };
    assert_int_equal(robo__sized_give(&newer, &from), 0);
    assert_true(newer.known.size == sizeof newer && newer.known.second == 2 && newer.third == 0);
    assert_int_equal(robo__sized_give(&(struct known){ .size = 0 }, &from), ROBO_EINVAL);
    assert_int_equal(robo__sized_give(&(struct known){ .size = 4097 }, &from), ROBO_EINVAL);
}

TEST(no_size)
{
    struct known from = { .first = 1 }, to;
    assert_int_equal(robo__sized_take(&to, sizeof to, &from), ROBO_EINVAL);
    from.size = sizeof from.size - 1;
    assert_int_equal(robo__sized_take(&to, sizeof to, &from), ROBO_EINVAL);
    from.size = (size_t)-1;
    assert_int_equal(robo__sized_take(&to, sizeof to, &from), ROBO_EINVAL);
}

/* At the functions themselves. */

TEST(worlds_and_drivers)
{
    struct robo_options options = { .virtual_clock = 1 };
    assert_null(robo_open(&options));
    options.size = offsetof(struct robo_options, seed);
    void *world = robo_open(&options);
    assert_non_null(world);
    robo_driver driver = { .name = "nothing",
                           .open = idle_open,
                           .start = idle_start,
                           .read = idle_read,
                           .halt = idle_halt,
                           .close = idle_close };
    assert_int_equal(robo_add_driver(world, &driver), ROBO_EINVAL);
    driver.size = offsetof(robo_driver, close); /* a function that it must have is beyond its end */
    assert_int_equal(robo_add_driver(world, &driver), ROBO_EINVAL);
    driver.size = offsetof(robo_driver, send);
    assert_int_equal(robo_add_driver(world, &driver), 0);
    struct robo_session_options session = { .mode = "direct" };
    robo_client *client = robo_connect(world, "local:", 1000000000, NULL, NULL);
    assert_non_null(client);
    assert_int_equal(robo_session(client, &session, 1000000000), ROBO_EINVAL);
    robo_disconnect(client);
    robo_close(world);
}
