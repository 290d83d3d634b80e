/* What a session hears of its robot: stops that begin, and devices that are lost. */
#include "fixture_sessions.h"

FIXTURE(open_one, close_one);

/* Who gives a command once more asks whether one of these has come between. */
TEST(stops_that_begin_and_devices_that_are_lost_are_news)
{
    struct robo__session *s = open_session(NULL, NULL);
    const struct robo__news first = robo__session_news(a, robo_now(world));
    struct robo_cmd base = stop(0), own = stop(0);
    base.body.stop.base = 1;
    base.revision = (uint8_t)robot->revisions->revision;
    own.body.stop.scope = 1;
    send_cmd(s, own);
    assert_int_equal(robo__session_news(a, robo_now(world)).begun_stops, first.begun_stops);
    send_cmd(s, base);
    assert_int_equal(robo__session_news(a, robo_now(world)).begun_stops, first.begun_stops + 1);
    assert_int_equal(robo__session_news(a, robo_now(world)).stops, first.stops);
    send_cmd(s, stop(3));
    assert_int_equal(robo__session_news(a, robo_now(world)).begun_stops, first.begun_stops + 1);
    run_until(3);
    assert_int_equal(robo__session_news(a, robo_now(world)).begun_stops, first.begun_stops + 2);
    send_cmd(s, stop(0));
    assert_int_equal(robo__session_news(a, robo_now(world)).begun_stops, first.begun_stops + 3);
    assert_int_equal(robo__session_news(a, robo_now(world)).faults, first.faults);
    robo_post_fault(robot->devices.at[0], ROBO_WHY_LINK);
    assert_int_equal(robo__session_news(a, robo_now(world)).faults, first.faults + 1);
    robo__session_close(s);
}

/* A speed of the base that waits, or lasts, is not ended by what happens to the head. */
TEST(which_stops_and_losses_were_of_the_base_is_news)
{
    struct robo__session *s = open_session(NULL, NULL);
    const uint32_t first = robo__session_news(a, robo_now(world)).base_ends;
    struct robo_cmd head = stop(0), base = stop(0);
    head.body.stop.bytes = 1;
    head.body.stop.mask[0] = 1;
    base.body.stop.base = 1;
    head.revision = base.revision = (uint8_t)robot->revisions->revision;
    send_cmd(s, head);
    robo_post_fault(robot->devices.at[1], ROBO_WHY_LINK);
    assert_int_equal(robo__session_news(a, robo_now(world)).base_ends, first);
    send_cmd(s, base);
    assert_int_equal(robo__session_news(a, robo_now(world)).base_ends, first + 1);
    send_cmd(s, stop(0));
    assert_int_equal(robo__session_news(a, robo_now(world)).base_ends, first + 2);
    robo_post_fault(robot->devices.at[0], ROBO_WHY_LINK);
    assert_int_equal(robo__session_news(a, robo_now(world)).base_ends, first + 3);
    robo__session_close(s);
}

/* Where one device moves both and stops as a whole, a stop of the head is one of the base. */
TEST(a_stop_that_reaches_the_base_is_one_of_the_base, open_two_one_device, close_two)
{
    const uint32_t first = robo__session_news(a, robo_now(world)).base_ends;
    struct robo_cmd head = stop(0);
    head.body.stop.bytes = 1;
    head.body.stop.mask[0] = 1;
    head.revision = (uint8_t)robot->revisions->revision;
    robot->devices.at[0]->traits.parts = false;
    send_cmd(b, head);
    assert_int_equal(robo__session_news(a, robo_now(world)).base_ends, first + 1);
}
