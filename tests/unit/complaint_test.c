/* Complaints of what clients can bring about as often as they like: a line a second of each kind. */
#include "../kept_log.h"
#include "fixture_host.h"

static int begin(void **state)
{
    const int error = open_host(state);
    forget_log();
    world->log = on_log;
    return error;
}

FIXTURE(begin, close_host);

TEST(a_flood_of_one_kind_is_a_line_a_second)
{
    for (int i = 0; i < 100; i++)
        robo__complain_of(&host, ROBO__IN_VAIN, i < 99 ? "no" : "never");
    assert_string_equal(log_text, "no\n");
    run_for(1);
    assert_string_equal(log_text, "no\n99 more; the last: never\n");
    run_for(5);
    assert_string_equal(log_text, "no\n99 more; the last: never\n");
}

TEST(a_flood_of_one_kind_hides_no_other)
{
    for (int i = 0; i < 100; i++)
        robo__complain_of(&host, ROBO__IN_VAIN, "no");
    robo__complain_of(&host, ROBO__OVERRULED, "it was stopped");
    robo__complain(&host, -1, "it says nothing");
    assert_string_equal(log_text, "no\nit was stopped\na client is dropped: it says nothing\n");
}
