/* Pauses of a playback: a frame that is missing brakes, those behind it keep their distances, and what waits outlives no panic, no
 * stop and no deadman. Sources: RoboTalk V.C, spec/robotalk.md section 7. */
#include "fixture_tape.h"

#include <math.h>

/* The nth time, from 0, that the core has set a speed to 0 by itself; NULL: it has not. */
static const struct heard *brake(size_t n)
{
    for (size_t i = 0; i < heard_count; i++)
        if (heard_log[i].id == 0 && heard_log[i].op != ROBO_STOP && n-- == 0)
            return &heard_log[i];
    return NULL;
}

/* Frames 0.1 s apart from 10 s on, played 0.05 s later; number n and those behind it are `late` later than sent. */
static uint32_t ids[40];

static void play_with_a_gap(int count, int n, double late)
{
    run_until(10);
    open_session_of(0.05, 0.1, (count - 1) * 0.1);
    for (int i = 0; i < count; i++) {
        double at = 10 + 0.1 * i, end = 10 + 0.1 * n + late;
        robo_time start = S(10) + i * S(0.1);
        run_session_until(i < n || at > end ? at : end);
        ids[i] = send_at(speed(i + 1), start, start);
    }
    robo__session_finish(s, robo_now(world));
    run_session_until(10 + 0.1 * count + late + 1);
    take_answers(s);
}

FIXTURE(open_tape, close_tape);

TEST(a_missing_frame_brakes_and_the_rest_is_exact)
{
    play_with_a_gap(20, 8, 2);
    for (int i = 0; i < 20; i++) {
        expect_signal(ids[i], ROBO_SUCCESS, ROBO_WHY_NONE); /* nothing is refused */
        /* frame 8 comes 2 s late, and is played when the mode has waited as long as it wants to */
        assert_int_equal(heard_id(ids[i])->at, S(10.05) + i * S(0.1) + (i < 8 ? 0 : S(1.95)));
        assert_int_equal(answer_to(ids[i])->executed, answer_to(ids[i])->scheduled);
    }
    /* the missing frame was due at 10.85 s: a tenth of a frame later the core brakes by itself */
    assert_non_null(brake(0));
    assert_int_equal(brake(0)->at, S(10.86));
    assert_int_equal(brake(0)->op, ROBO_SET_SPEED);
    assert_true(brake(0)->x == 0);
    assert_null(brake(1));

    struct robo_reply_pauses pauses;
    robo__session_pauses(s, &pauses);
    assert_int_equal(pauses.count, 1);
    assert_int_equal(pauses.kept, 1);
    assert_int_equal(pauses.due[0], S(10.85));
    assert_int_equal(pauses.later[0], S(1.95));
    assert_int_equal(pauses.added, S(1.95));
    struct robo_reply_status status;
    robo__session_status(s, &status);
    assert_int_equal(status.delay, S(0.05));
    assert_int_equal(status.worst, 0);
    assert_true(status.underruns > 0);
    assert_int_equal(status.refused, 0);
}

/* For less than the patience nothing brakes; the rest is later by what was missing. */
TEST(a_frame_that_is_a_little_late)
{
    play_with_a_gap(20, 8, 0.055);
    for (int i = 0; i < 20; i++)
        assert_int_equal(heard_id(ids[i])->at, S(10.05) + i * S(0.1) + (i < 8 ? 0 : S(0.005)));
    assert_null(brake(0));
    struct robo_reply_pauses pauses;
    robo__session_pauses(s, &pauses);
    assert_int_equal(pauses.count, 1);
    assert_int_equal(pauses.later[0], S(0.005));
    assert_int_equal(s->paused, 0);
}

TEST(pauses_add_up)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    uint32_t id = 0;
    double late[] = { 0, 0.5, 0.8 };
    for (int i = 0; i < 30; i++) {
        double at = 10 + 0.1 * i + late[i / 10];
        run_session_until(at);
        id = send_at(speed(1), S(10) + i * S(0.1), S(at));
    }
    robo__session_finish(s, robo_now(world));
    run_session_until(20);
    assert_int_equal(heard_id(id)->at, S(12.9) + S(0.8));
    struct robo_reply_pauses pauses;
    robo__session_pauses(s, &pauses);
    assert_int_equal(pauses.count, 2);
    assert_int_equal(pauses.added, S(0.75));
}

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

/* A goal ends by itself: a pause does not touch it, nor what other sessions move. */
TEST(only_what_lasts_is_braked)
{
    acting.goal = S(3);
    robot->revisions->body->description.deadman = 0;
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    struct robo__session *other = open_session(NULL, NULL);
    uint32_t theirs = send_cmd(other, set_speed(0, 3));
    uint32_t goal = send_at(set_joint(0, 1, 1, 0.5), S(10), S(10)),
             roll = send_at(joint_speed(1, 4, 0.2), S(10), S(10));
    run_session_until(12);
    assert_non_null(brake(0));
    assert_int_equal(brake(0)->op, ROBO_SET_JOINT_SPEED);
    assert_int_equal(brake(0)->device, 1); /* the base is theirs */
    assert_null(brake(1));
    run_session_until(14);
    take_answers(s);
    expect_signal(goal, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(roll, ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(other);
    expect_signal(theirs, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(other);
}

/* A sequence that stands still when its frames end waits for nothing. */
TEST(no_pause_at_rest)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    send_at(speed(1), S(10), S(10));
    send_at(speed(0), S(10.1), S(10));
    run_session_until(20);
    assert_false(s->decision.hold);
    assert_int_equal(s->arrivals.pauses, 0);
}

/* Nor one that was stopped, whatever it moved. */
TEST(no_pause_after_a_stop)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    send_at(speed(1), S(10), S(10));
    send_at(joint_speed(1, 4, 0.2), S(10), S(10));
    send_at(stop(0), S(10.1), S(10));
    run_session_until(20);
    assert_int_equal(heard(ROBO_STOP), 2);
    assert_false(s->decision.hold);
    assert_int_equal(s->arrivals.pauses, 0);
    assert_null(brake(0));
}

TEST(no_pause_after_the_end)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0.1); /* its duration says that two frames are all */
    send_at(speed(1), S(10), S(10));
    send_at(speed(2), S(10.1), S(10));
    run_session_until(10.3);
    assert_false(s->decision.hold);
    assert_int_equal(s->arrivals.pauses, 0);
}

/* What its deadman needs is not needed at rest: the session waits as long as it must. */
TEST(a_long_pause_is_no_silence)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    send_at(speed(1), S(10), S(10));
    run_session_until(40);
    assert_int_equal(robo__session_news(s, robo_now(world)).silence, 0);
    uint32_t late = send_at(speed(1), S(10.1), S(10.1));
    run_session_until(40.2);
    take_answers(s);
    expect_signal(late, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(heard(ROBO_STOP), 0);
}

/* Frames behind the late one that are queued already keep their distance from it. */
TEST(what_is_queued_waits_too)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    uint32_t first = send_at(speed(1), S(10), S(10)), later = send_at(speed(3), S(10.8), S(10));
    run_session_until(10.5);
    uint32_t late = send_at(speed(2), S(10.3), S(10.3)); /* should have begun at 10.35 */
    run_session_until(13);
    assert_int_equal(heard_id(first)->at, S(10.05));
    assert_int_equal(heard_id(late)->at, S(10.5));
    assert_int_equal(heard_id(later)->at, S(11));
}

/* Frames of one package may stand in any order: the earliest of those that are late says how long all wait. */
TEST(a_late_package_is_as_late_as_its_earliest_frame)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    send_at(speed(1), S(10), S(10));
    uint32_t last = send_at(speed(4), S(10.8), S(10));
    run_session_until(10.5);
    struct robo_cmd cmds[2] = { set_speed(10.6, 3), set_speed(10.3, 2) };
    for (uint32_t i = 0; i < 2; i++)
        cmds[i].id = 100 + i;
    assert_int_equal(
        robo__session_commands(s, cmds, 2, (struct robo__known){ 0 }, S(10.3), robo_now(world)), 2);
    run_session_until(13);
    assert_int_equal(heard_id(101)->at, S(10.5)); /* should have begun at 10.35 */
    assert_int_equal(heard_id(100)->at, S(10.8));
    assert_int_equal(heard_id(last)->at, S(11));
    struct robo_reply_status status;
    robo__session_status(s, &status);
    assert_int_equal(status.underruns, 1);
}

/* One frame is enough to go on after a pause, when the mode has waited as long as it wants to. */
TEST(one_late_frame_is_played)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    send_at(speed(1), S(10), S(10));
    run_session_until(10.6);
    modes.wait = S(1);
    uint32_t late = send_at(speed(2), S(10.1), S(10.1));
    run_session_until(13);
    assert_int_equal(heard_id(late)->at, S(11.1));
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

TEST(panic_and_stop_in_a_pause)
{
    for (int what = 0; what < 2; what++) {
        run_for(10 - fmod((double)robo_now(world) * 1e-9, 10));
        double t = (double)robo_now(world) * 1e-9;
        open_session_of(0.05, 0.1, 0);
        send_at(speed(1), S(t), S(t));
        run_session_until(t + 0.5);
        modes.wait = S(5); /* what comes now is held */
        uint32_t held = send_at(speed(2), S(t + 0.1), S(t + 0.1));
        assert_true(s->decision.hold && s->held_count == 1);
        uint32_t halt = 0;
        if (what == 0) {
            robo_panic(robot);
            robo__session_panicked(s, robo_now(world));
            robo_reset(robot);
        } else {
            halt = send_at(stop(0), ROBO_AT_ONCE, S(t + 0.5));
        }
        run_session_until(t + 10);
        take_answers(s);
        expect_signal(held, what == 0 ? ROBO_PANIC : ROBO_INTERRUPTED,
                      what == 0 ? ROBO_WHY_PANIC : ROBO_WHY_STOPPED);
        if (halt)
            expect_signal(halt, ROBO_SUCCESS, ROBO_WHY_NONE);
        assert_null(find_heard(held));
        if (what == 0)
            robo__session_close(s);
    }
}

/* A mode is asked for what it holds: when a stop has swept all of it, neither the end nor the time that the mode wanted shifts
 * what comes later. */
TEST(what_comes_after_all_that_was_held_was_swept)
{
    for (int ends = 0; ends < 2; ends++) {
        run_until(10 + 10 * ends);
        double t = (double)robo_now(world) * 1e-9;
        if (ends)
            robo__session_close(s);
        open_session_of(1, 0.1, 0);
        send_at(speed(1), S(t), S(t));
        send_at(stop(0), ROBO_AT_ONCE, S(t));
        assert_int_equal(s->held_count, 0);
        int asked = modes.asked;
        if (ends)
            robo__session_finish(s, robo_now(world));
        run_session_until(t + 2);
        assert_int_equal(modes.asked, asked);
        uint32_t next = send_at(speed(0), S(t + 2), S(t + 2));
        run_session_until(t + 4);
        assert_int_equal(heard_id(next)->at, S(t + (ends ? 2 : 3)));
    }
}

/* How far it went on: what lasted when the frame should have come, until it does come. */
TEST(path_error)
{
    run_until(10);
    open_session_of(0.05, 0.1, 0);
    send_at(speed(0.25), S(10), S(10));
    run_session_until(11);
    /* the actor says that it is where its speed is: 0.25 m at 10.15 s, 0 after the brake */
    send_at(speed(0.25), S(10.1), S(10.1));
    run_session_until(12);
    struct robo_reply_pauses pauses;
    robo__session_pauses(s, &pauses);
    assert_float_equal(pauses.path[0], 0.25, 1e-9);
    assert_float_equal(pauses.turn[0], 0, 1e-9);
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
