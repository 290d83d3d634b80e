/* The playback queue: starts of any clock, a date, and how much a mode needs to hold. Modes in C; what they are told is delay_estimate_test.c's
 * and the Lua tests', and all else is in tests/scenes/pauses.txt. Sources: RoboTalk V.C, spec/robotalk.md
 * section 7. */
#include "fixture_tape.h"

#include "robot/timeline/delay_estimate.h"

/* ---- clocks ---- */

/* Five frames, 0.1 s apart, from that instant of the client's own clock; they arrive at 100, 100.1, … s. */
static void play_from(robo_time first)
{
    uint32_t id[5];
    run_until(100);
    open_session_of(0.25, 0.2, 0);
    for (int i = 0; i < 5; i++) {
        run_session_until(100 + 0.1 * i);
        id[i] = send_at(speed(i), first + i * S(0.1), 0);
    }
    robo__session_finish(s, robo_now(world));
    run_session_until(102);
    take_answers(s);
    for (int i = 0; i < 5; i++) {
        expect_signal(id[i], ROBO_SUCCESS, ROBO_WHY_NONE);
        assert_int_equal(heard_id(id[i])->at, S(100.25) + i * S(0.1));
        assert_int_equal(answer_to(id[i])->scheduled, S(100.25) + i * S(0.1));
    }
    struct robo_reply_status status;
    robo__session_status(s, &status);
    assert_int_equal(status.delay, S(0.25)); /* in terms of our clock, whatever theirs is */
    assert_int_equal(status.needed, 0);
    assert_int_equal(status.underruns, 0);
}

FIXTURE(open_tape, close_tape);

TEST(starts_before_zero)
{
    play_from(-S(0.2)); /* the third is 0: an instant like any other */
}

TEST(starts_of_unix_time)
{
    play_from(2335219200LL * 1000000000); /* in the year 2044, beyond 2^61 ns */
}

TEST(starts_of_ntp_time)
{
    play_from(4544208000LL * 1000000000); /* since 1900 */
}

TEST(starts_at_the_ends_of_the_clock)
{
    play_from(INT64_MAX - S(1));
    robo__session_close(s);
    close_fixture(state);
    open_tape(state);
    play_from(INT64_MIN + 1);
}

TEST(out_of_range_is_refused)
{
    run_until(100);
    open_session_of(0.25, 0.2, 0);
    const robo_time first = 7;
    uint32_t good = send_at(speed(0), first, 0);
    const robo_time hour = S(3600), out[] = { first + hour + 1, first - hour - 1, INT64_MAX,
                                              INT64_MIN + 1,    S(1e9),           -S(1e9) };
    for (size_t i = 0; i < sizeof out / sizeof out[0]; i++) {
        uint32_t id = send_at(speed(9), out[i], 0);
        take_answers(s);
        expect_signal(id, ROBO_ERROR, ROBO_WHY_RANGE);
    }
    uint32_t last = send_at(speed(2), first + hour, 0);
    modes.wait = -S(1); /* decided at once: an hour ahead still */
    robo__session_decide(s, robo_now(world));
    uint32_t beyond = send_at(speed(2), first + hour + 1, 0);
    run_session_until(101);
    take_answers(s);
    expect_signal(good, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(beyond, ROBO_ERROR, ROBO_WHY_RANGE);
    assert_null(answer_to(last));
    assert_int_equal(s->mover.queued.count, 1);
    assert_int_equal(heard(0), 1);
}

TEST(a_stop_without_a_time_that_makes_sense)
{
    run_until(100);
    open_session_of(0, 0.2, 0);
    uint32_t frame = send_at(speed(1), S(5), 0);
    uint32_t halt = send_at(stop(0), INT64_MIN + 1, 0); /* acts at once, and sweeps */
    take_answers(s);
    expect_signal(halt, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(frame, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(heard(ROBO_STOP), 2);
}

/* ---- what the mode can ask ---- */

TEST(need_knows_the_connection)
{
    struct robo__traffic traffic = { 0 };
    struct robo__session_request request = { .name = "tape", .traffic = &traffic };
    assert_true(robo__traffic_keep(&traffic));
    for (int k = 0; k < 4; k++) /* trains of ten, 0.12 s a package */
        for (int i = 1; i <= 10; i++)
            robo__traffic_note(&traffic, S(1 + 2 * k), S(1 + 2 * k + 0.12 * i));
    run_until(10);
    modes.wait = S(100);
    s = open_session(&modes.modes, &request);
    assert_true(robo__arrivals_need(&s->arrivals, 0.99, 100, 0.1, S(10)) ==
                0); /* nothing has come */
    run_until(10.12);
    send_at(speed(1), S(10), S(10));
    assert_int_equal(robo__arrivals_known(&s->arrivals), 40);
    assert_float_equal(robo__arrivals_pace(&s->arrivals).service, 0.12, 0.001);
    assert_float_equal(robo__arrivals_need(&s->arrivals, 0.99, 100, 0.1, S(10.12)), 0.12 + 2, 0.05);
    assert_float_equal(robo__arrivals_need(&s->arrivals, 0.99, 100, 0.2, S(10.12)), 0.12, 0.02);
    /* by then the next frame should have been here */
    assert_float_equal(robo__arrivals_need(&s->arrivals, 0.99, 100, 0.2, S(12)), 1.8, 0.05);
    robo__session_close(s);
    robo__traffic_free(&traffic);
    s = open_session(NULL, NULL);
}
