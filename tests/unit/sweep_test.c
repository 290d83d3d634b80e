/* What a stop ends, where many wait or somebody is late to hear of it. All else is in tests/scenes/stops.txt. */
#include "fixture_modes.h"
#include "robot/step.h"

FIXTURE(open_two_and_modes, close_two);

/* However often one stops, the others are woken once, until one of them has looked; each stop counts all the same. */
TEST(many_stops_wake_once)
{
    struct robo__session *s = open_counting();
    struct robo__known before = knows(s);
    for (int i = 0; i < 100; i++)
        expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(wakes, 1);
    assert_int_equal(robo__session_news(s, robo_now(world)).stops, (uint32_t)before.stops + 100);
    expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(wakes, 2);
    expect_answer(b, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(wakes, 3);
    struct robo__known half = { before.epoch, (uint16_t)(before.stops + 100) };
    uint32_t id = send_as(s, set_speed(0, 1), half, 0);
    take_answers(s);
    expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_answer(s, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(s);
}

/* Frames that were held when another session stopped the robot do not run when the mode lets go. */
TEST(held_frames_do_not_outlive_a_stop)
{
    struct robo__session *held = open_mode("hold", 0);
    modes.shift = S(1);
    uint32_t kept = send_cmd(held, set_speed(2, 1));
    expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_finish(held, robo_now(world)); /* before it has heard */
    take_answers(held);
    expect_signal(kept, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    run_until(10);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    robo__session_close(held);
}

/* The timekeeper did not get the processor for a while: what was due then is refused, not run in one burst. */
TEST(what_fell_due_long_ago_is_refused)
{
    uint32_t old = send_cmd(a, set_speed(2, 1)), young = send_cmd(a, set_speed(2.5, 2)),
             rest = send_cmd(a, set_speed(2.2, 0));
    robo__session_heard(a, 0, ROBO_NO_TIME, S(3));
    robo__robot_lock(robot);
    robo__robot_run_due(robot, S(3.4));
    robo__robot_unlock(robot);
    take_answers(a);
    expect_signal(old, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_signal(rest, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(young, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Stops that name axes look through all that waits, under the mutex: a package of thousands of them would keep a panic
 * waiting. When it has been enough, everything stops. */
TEST(a_package_of_stops_that_name_axes_ends)
{
    enum { ROW = ROBO__SESSION_MOST, FEW = 8, MANY = 12 };
    struct robo_cmd one = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    one.body.stop.bytes = 1;
    one.body.stop.mask[0] = 1;
    send_row(b, set_speed(60, 1), ROW);
    send_row(a, one, FEW);
    assert_int_equal(b->mover.queued.count, ROW);
    assert_int_equal(robot->movers.stops, 0);
    send_row(a, one, MANY);
    assert_int_equal(b->mover.queued.count, 0);
    take_answers(b);
    assert_int_equal(answer_count, ROW);
    assert_int_equal(answers[0].signal, ROBO_INTERRUPTED);
    assert_int_equal(answers[0].reason, ROBO_WHY_STOPPED);
}

/* The mutex is taken afterwards alone: a failed assertion would keep it. */
static void finish(void)
{
    robo__robot_lock(robot);
    robo__robot_unlock(robot);
}

static void step(enum robo__step_kind kind, struct robo__mover *mover, const struct robo_cmd *cmd)
{
    struct robo__step_event event = { .kind = kind, .mover = mover };
    if (cmd)
        event.as.command.cmd = cmd;
    robo__step(robot, &event, robo_now(world));
}

/* Devices halt before any queue is looked at; what waited is answered a few at a time. */
TEST(a_panic_and_a_stop_come_before_their_paperwork)
{
    enum { ROW = 1000 };
    const struct robo_cmd all = { .op = ROBO_STOP, .id = 5000, .start = ROBO_AT_ONCE };
    expect_answer(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    send_row(b, set_speed(60, 1), ROW);
    a->mover.unanswered++;
    step(ROBO__ON_COMMAND, &a->mover, &all);
    assert_int_equal(heard(ROBO_STOP), robot->description->devices);
    assert_int_equal(b->mover.ring_count, 0);
    assert_int_equal(b->mover.queued.count, 0);
    step(ROBO__ON_CUT, NULL, NULL);
    assert_int_equal(b->mover.ring_count, ROBO__TURN);
    /* what comes meanwhile waits, and a panic ends it, too, with another signal */
    a->mover.unanswered++;
    const struct robo_cmd later = { .op = ROBO_SET_SPEED, .id = 5001, .start = S(60) };
    struct robo__step_event command = { ROBO__ON_COMMAND, &a->mover,
                                        .as.command = { &later, knows(a), ROBO_NO_TIME } };
    robo__step(robot, &command, robo_now(world));
    assert_int_equal(a->mover.queued.count, 1);
    step(ROBO__ON_PANIC, NULL, NULL);
    assert_int_equal(heard_halts(), robot->description->devices);
    assert_int_equal(b->mover.ring_count, ROBO__TURN);
    step(ROBO__ON_PANICKED, NULL, NULL);
    step(ROBO__ON_CUT, NULL, NULL);
    finish();
    take_answers(b);
    assert_int_equal(answer_count, ROW);
    for (size_t i = 0; i < ROW; i++)
        assert_int_equal(answers[i].signal, i < ROBO__TURN ? ROBO_INTERRUPTED : ROBO_PANIC);
    take_answers(a);
    expect_signal(5001, ROBO_PANIC, ROBO_WHY_PANIC);
}

/* The lease of commands that were cut off, and are not answered yet, goes on. */
TEST(a_client_that_is_cut_off_keeps_its_lease)
{
    struct robo__session *s = open_session_by(7, NULL, NULL),
                         *other = open_session_by(8, NULL, NULL);
    send_row(s, set_speed(60, 1), 300);
    for (int i = 2; i < 20; i++) { /* longer than a lease lasts without commands that wait */
        run_until(i);
        robo__session_heard(s, 0, ROBO_NO_TIME, robo_now(world));
    }
    step(ROBO__ON_PANIC, NULL, NULL);
    step(ROBO__ON_PANICKED, NULL, NULL);
    step(ROBO__ON_RESET, NULL, NULL);
    other->mover.unanswered++;
    struct robo_cmd drive = set_speed(0, 1);
    drive.id = 5002;
    struct robo__step_event command = { ROBO__ON_COMMAND, &other->mover,
                                        .as.command = { &drive, knows(other), ROBO_NO_TIME } };
    robo__step(robot, &command, robo_now(world));
    take_answers(other);
    expect_signal(5002, ROBO_BUSY, ROBO_WHY_LEASE);
    finish();
    robo__session_close(s);
    robo__session_close(other);
}

/* A session that closes in the middle of it has its answers before. */
TEST(a_session_ends_while_it_is_swept)
{
    enum { ROW = 300 };
    const struct robo_cmd all = { .op = ROBO_STOP, .id = 5000, .start = ROBO_AT_ONCE };
    send_row(b, set_speed(60, 1), ROW);
    a->mover.unanswered++;
    step(ROBO__ON_COMMAND, &a->mover, &all);
    step(ROBO__ON_CUT, NULL, NULL);
    struct robo__step_event end = { ROBO__ON_END, &b->mover, .as.reason = ROBO_WHY_CLOSED };
    robo__step(robot, &end, robo_now(world));
    assert_int_equal(robot->timeline.queue.cut, 0);
    finish();
    take_answers(b);
    assert_int_equal(answer_count, ROW);
    assert_int_equal(answers[ROW - 1].reason, ROBO_WHY_STOPPED);
    take_answers(a);
}
