/* When commands of RCTP may and must come, and when they are carried out. Instants are numbers here: no clock runs. */

#include "../test.h"
#include "rctp/intervals.h"

#define MS(x) ((robo_time)((x)*1000000.0))

static const robo_time GO = 77000000123;
static struct robo__rctp_intervals intervals;

static void begin(struct robo__rcml_group rules)
{
    if (rules.unit == 0)
        rules.unit = MS(10);
    robo__rctp_intervals_begin(&intervals, &rules, GO);
}

static enum robo__rctp_verdict frame(double ms)
{
    return robo__rctp_intervals_accept(&intervals, GO + MS(ms));
}

TEST(by_default_commands_come_when_they_like)
{
    begin((struct robo__rcml_group){ .interval = { -1, 0 } });
    for (int i = 0; i < 10; i++)
        assert_int_equal(frame(0), ROBO__RCTP_ACCEPTED);
    assert_true(robo__rctp_intervals_due(&intervals) == ROBO_NEVER);
    assert_false(robo__rctp_intervals_permit(&intervals));
}

TEST(frame_before_the_least_interval_is_early)
{
    begin((struct robo__rcml_group){ .interval = { 20, 100 } });
    assert_int_equal(frame(1), ROBO__RCTP_ACCEPTED); /* the first may come at once */
    assert_int_equal(frame(20.9), ROBO__RCTP_EARLY);
    assert_int_equal(frame(21), ROBO__RCTP_ACCEPTED); /* what was early does not count */
    assert_int_equal(frame(40), ROBO__RCTP_EARLY);
    assert_int_equal(frame(41), ROBO__RCTP_ACCEPTED);
}

TEST(time_driven_silence_ends_after_the_greatest_interval)
{
    begin((struct robo__rcml_group){ .interval = { 0, 100 } });
    assert_true(robo__rctp_intervals_due(&intervals) == GO + MS(110)); /* and one unit of time */
    frame(50);
    assert_true(robo__rctp_intervals_due(&intervals) == GO + MS(160));
    robo__rctp_intervals_heard(&intervals, GO + MS(100)); /* a keep-alive is no command */
    assert_true(robo__rctp_intervals_due(&intervals) == GO + MS(160));
}

TEST(frames_that_are_early_do_not_keep_a_session)
{
    begin((struct robo__rcml_group){ .interval = { 90, 100 } });
    frame(0);
    assert_int_equal(frame(50), ROBO__RCTP_EARLY);
    assert_true(robo__rctp_intervals_due(&intervals) == GO + MS(110));
}

TEST(event_driven_session_is_kept_by_keep_alives)
{
    begin((struct robo__rcml_group){ .event_driven = true, .interval = { 0, 100 } });
    robo__rctp_intervals_heard(&intervals, GO + MS(90));
    assert_true(robo__rctp_intervals_due(&intervals) == GO + MS(200));
    begin((struct robo__rcml_group){ .event_driven = true, .interval = { 10, 0 } });
    assert_true(robo__rctp_intervals_due(&intervals) == ROBO_NEVER); /* no greatest interval */
    frame(1);
    assert_int_equal(frame(5), ROBO__RCTP_EARLY); /* the least holds there, too */
}

TEST(lock_lets_one_frame_wait_for_its_answer)
{
    begin((struct robo__rcml_group){ .lock = true, .interval = { 0, 100 } });
    assert_int_equal(frame(1), ROBO__RCTP_ACCEPTED); /* GO's answer was the first permission */
    assert_int_equal(frame(2), ROBO__RCTP_LOCKED);
    robo__rctp_intervals_heard(&intervals, GO + MS(90)); /* keep-alives keep who waits */
    assert_true(robo__rctp_intervals_due(&intervals) == GO + MS(200));
    assert_true(robo__rctp_intervals_permit(&intervals));
    assert_false(robo__rctp_intervals_permit(&intervals)); /* told once */
    assert_int_equal(frame(95), ROBO__RCTP_ACCEPTED);
}

static robo_time date(uint64_t stamp, double now_ms)
{
    robo_time start;
    assert_true(robo__rctp_intervals_date(&intervals, stamp, GO + MS(now_ms), &start));
    return start == ROBO_AT_ONCE ? start : start - GO;
}

TEST(stamps_date_commands_from_the_sessions_begin)
{
    begin((struct robo__rcml_group){ .stamp_size = 4 });
    assert_true(date(123, 0) == MS(1230)); /* paper 001: the period after the session starts */
    assert_true(date(0, 500) == 0);
    begin((struct robo__rcml_group){ .stamp_size = 0 });
    assert_true(date(123, 0) == ROBO_AT_ONCE);
}

TEST(stamps_wrap_and_mean_the_nearest_instant)
{
    begin((struct robo__rcml_group){ .stamp_size = 2 }); /* 65536 units are 655.36 s */
    assert_true(date(0, 655350) == MS(655360));
    assert_true(date(65535, 655360) == MS(655350));
    assert_true(date(32767, 0) == MS(327670));
    assert_true(date(32769, 0) == -MS(327670)); /* the other half is past */
    assert_true(date(5, 655360.0 * 1000) == MS(655360.0 * 1000 + 50));
    assert_int_equal(robo__rctp_intervals_stamp(&intervals, GO + MS(655370)), 1);
    assert_int_equal(robo__rctp_intervals_stamp(&intervals, GO - 1), 65535);
}

TEST(stamp_is_rounded_down_to_its_unit)
{
    begin((struct robo__rcml_group){ .stamp_size = 8 });
    assert_int_equal(robo__rctp_intervals_stamp(&intervals, GO + MS(19.9)), 1);
    assert_int_equal(robo__rctp_intervals_stamp(&intervals, GO), 0);
    assert_int_equal(robo__rctp_intervals_stamp(&intervals, GO - MS(0.1)), UINT64_MAX);
    for (int i = -5; i < 50; i++) {
        robo_time start, instant = GO + MS(i * 7);
        assert_true(robo__rctp_intervals_date(
            &intervals, robo__rctp_intervals_stamp(&intervals, instant), GO, &start));
        assert_true(start <= instant && instant - start < MS(10));
    }
}

TEST(stamps_beyond_an_hour_are_none)
{
    robo_time start;
    static const uint64_t wrong[] = { 360001, UINT64_MAX / 2, UINT64_MAX / 2 + 1,
                                      UINT64_MAX - 360001 };
    begin((struct robo__rcml_group){ .stamp_size = 8 });
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(robo__rctp_intervals_date(&intervals, wrong[i], GO, &start));
    assert_true(date(360000, 0) == ROBO__HORIZON);
    begin((struct robo__rcml_group){ .stamp_size = 8, .unit = 1 });
    assert_false(robo__rctp_intervals_date(&intervals, (uint64_t)ROBO__HORIZON + 1, GO, &start));
    assert_true(date((uint64_t)ROBO__HORIZON, 0) == ROBO__HORIZON);
}
