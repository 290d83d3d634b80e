/* Pauses of a playback: many of them, and a deadman that the owner of the session has not heard of. All else is in
 * tests/scenes/pauses.txt. */
#include "fixture_tape.h"

FIXTURE(open_tape, close_tape);

/* The deadman comes while the rest waits, and its owner is asked to go on before it has heard of that. */
TEST(what_waits_does_not_outlive_the_deadman)
{
    acting.goal = S(30);
    run_until(10);
    open_session_of(1, 0.1, 0);
    uint32_t goal = send_at(set_joint(0, 1, 1, 0.5), S(10), S(10));
    run_session_until(11.4);
    assert_non_null(find_heard(goal));
    modes.wait = S(3);
    uint32_t late = send_at(speed(1), S(10.1), S(11.4));
    assert_true(s->pause.on);
    run_until(13.1);
    assert_true(s->mover.silence != 0);
    robo__session_decide(s, robo_now(world));
    run_until(14);
    assert_null(find_heard(late));
    take_answers(s);
    expect_signal(goal, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    expect_signal(late, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    assert_true(robo__session_news(s, robo_now(world)).silence != 0);
}

/* Between frames, a mode is asked when it wants to be. */
TEST(a_mode_that_wants_no_time_is_asked_for_each_frame_alone)
{
    modes.enough = 3;
    s = open_session(&modes.modes, &(struct robo__session_request){ .name = "hold" });
    for (int i = 1; i <= 3; i++) {
        send_at(speed(i), S(10) + i, 0);
        assert_int_equal(modes.asked, i);
        assert_true(robo__session_next(s) == ROBO_NEVER);
    }
}

TEST(only_the_newest_pauses_are_kept)
{
    run_until(10);
    open_session_of(0.01, 0.1, 0);
    double at = 10;
    for (int i = 0; i < 41; i++, at += 0.5) {
        run_session_until(at);
        send_at(speed(1), S(10) + i * S(0.1), S(at));
    }
    struct robo_reply_pauses pauses;
    robo__session_pauses(s, &pauses);
    assert_int_equal(pauses.count, 40);
    assert_int_equal(pauses.kept, ROBO__RESUMED);
    for (int i = 1; i < pauses.kept; i++)
        assert_int_equal(pauses.due[i] - pauses.due[i - 1], S(0.5));
    assert_true(llabs(pauses.added - S(40 * 0.4 - 0.01)) <= 40);
}
