/* What a stop ends: one with start 0 sweeps all that any session has running, queued or held, and one with a date is a frame among
 * others. And what ends otherwise: with its session, or since its instant is over. */
#include "fixture_modes.h"
#include "robot/step.h"

static void test_a_stop_sweeps_every_session(void **state)
{
    (void)state;
    acting.goal = S(10);
    struct robo__session *held = open_mode("hold", 0), *delayed = open_mode("delay", S(1));
    uint32_t mine = send_cmd(a, set_joint(2, 1, 1, 1)), running = send_cmd(b, go_to(0, 1)),
             queued = send_cmd(b, set_speed(3, 1)), kept = send_cmd(held, set_speed(2, 1)),
             shifted = send_cmd(delayed, set_speed(2, 1));
    uint32_t id = send_cmd(a, stop(0));
    take_answers(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(mine, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    take_answers(b);
    expect_signal(running, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(queued, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    take_answers(delayed);
    expect_signal(shifted, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    /* what a session holds is its owner's to answer, when it hears of the stop */
    assert_int_equal(robo__session_news(held, robo_now(world)).stops, 1);
    take_answers(held);
    expect_signal(kept, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    size_t before = heard(0);
    run_until(20);
    assert_int_equal(heard(0), before);
    robo__session_close(held);
    robo__session_close(delayed);
}

/* However often one stops, the others are woken once, until one of them has looked; each stop counts all the same. */
static void test_many_stops_wake_once(void **state)
{
    (void)state;
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

/* A stream goes on only when its sender has been told of the stop; the stopper's own commands need not wait. */
static void test_a_stop_reaches_a_stream(void **state)
{
    (void)state;
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    struct robo__known before = knows(a);
    expect_answer(b, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_answer(b, joint_speed(1, 1, 0.5), ROBO_SUCCESS, ROBO_WHY_NONE);
    for (int i = 0; i < 3; i++) {
        uint32_t id = send_as(a, set_speed(i, 1), before, robo_now(world));
        take_answers(a);
        expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    }
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_int_equal(robo__session_news(a, robo_now(world)).stops, 1);
    assert_int_equal(robo__session_news(b, robo_now(world)).stops, 0);
    uint32_t id = send_as(a, set_speed(0, 1), knows(a), robo_now(world));
    take_answers(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Frames that were held when another session stopped the robot do not run when the mode lets go. */
static void test_held_frames_do_not_outlive_a_stop(void **state)
{
    (void)state;
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

/* In every mode: the sequence's own stop at once does not wait for its turn. */
static void test_a_stop_at_once_in_a_buffered_mode(void **state)
{
    (void)state;
    struct robo__session *s[] = { open_mode("hold", 0), open_mode("delay", S(2)) };
    for (size_t i = 0; i < 2; i++) {
        struct robo_cmd package[] = { set_speed(2, 1), set_speed(3, 1), stop(0), set_speed(4, 1) };
        for (int k = 0; k < 4; k++)
            package[k].id = ++last_id;
        uint32_t first = last_id - 3;
        robo_time now = robo_now(world);
        assert_int_equal(robo__session_commands(s[i], package, 4, knows(s[i]), now, now), 4);
        take_answers(s[i]);
        expect_signal(first, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
        expect_signal(first + 1, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
        expect_signal(first + 2, ROBO_SUCCESS, ROBO_WHY_NONE);
        /* what came after it is for later, as it says */
        assert_int_equal(s[i]->held_count + s[i]->mover.queued.count, 1);
        robo__session_close(s[i]);
    }
    assert_int_equal(heard(ROBO_STOP), 4); /* each on both devices */
}

/* A date that the shift has brought beyond all dates is none: the stop acts when it is released, and each of the frames
 * around it is answered once. */
static void test_a_stop_among_held_frames(void **state)
{
    (void)state;
    struct robo__session *s = open_mode("hold", 0);
    modes.shift = S(10);
    uint32_t before = send_cmd(s, set_speed(10, 1)), far = send_cmd(s, stop(3595)),
             after = send_cmd(s, set_speed(11, 1));
    robo__session_finish(s, robo_now(world));
    assert_int_equal(take_answers(s), 2);
    expect_signal(before, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(far, ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(22);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_int_equal(take_answers(s), 1);
    expect_signal(after, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(s);
}

/* A stop with a date is a frame like others (RoboTalk IV.A): it ends what runs then and leaves the rest alone. */
static void test_a_dated_stop_leaves_later_frames(void **state)
{
    (void)state;
    acting.goal = S(10);
    struct robo__session *s = open_mode("delay", S(1));
    uint32_t drive = send_cmd(a, go_to(0, 1)), at = send_cmd(s, stop(1.1)),
             later = send_cmd(s, set_speed(1.2, 1));
    for (double t = 1.4; t < 2.1; t += 0.4) { /* the deadman is not what is tried here */
        run_until(t);
        robo__session_heard(a, ROBO_NO_TIME, S(t));
    }
    assert_int_equal(heard(ROBO_STOP), 0);
    run_until(2.3);
    take_answers(a);
    expect_signal(drive, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    take_answers(s);
    expect_signal(at, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(later, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robo__session_news(a, robo_now(world)).stops, 0);
    robo__session_close(s);
}

/* In a mode that shifts, the instant of a stop is as much later than its date as those of the frames that it is to end,
 * whether it comes before its date or after: earlier it would end nothing. When that is over too, it acts at once. */
static void test_a_late_stop_in_a_mode_that_shifts(void **state)
{
    (void)state;
    robot->revisions->body->description.deadman = 0;
    struct robo__session *s = open_mode("delay", S(2));
    run_until(10);
    uint32_t speed = send_cmd(s, set_speed(10, 1));
    run_until(10.5);
    uint32_t late = send_cmd(s, stop(10.2));
    assert_int_equal(take_answers(s), 0);
    run_until(13);
    assert_int_equal(heard_id(speed)->at, S(12));
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    assert_int_equal(heard_log[heard_count - 1].at, S(12.2));
    take_answers(s);
    expect_signal(late, ROBO_SUCCESS, ROBO_WHY_NONE);
    /* its instant is over: at once, and frames after it are left alone */
    uint32_t later = send_cmd(s, set_speed(13, 1));
    expect_answer(s, stop(10.9), ROBO_SUCCESS, ROBO_WHY_NONE);
    run_until(16);
    assert_int_equal(heard_id(later)->at, S(15));
    /* start 0 waits for nothing */
    uint32_t swept = send_cmd(s, set_speed(16, 1)), stopped = send_cmd(s, stop(0));
    take_answers(s);
    expect_signal(swept, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(stopped, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(s);
}

static void test_instants_are_judged_after_the_shift(void **state)
{
    (void)state;
    struct robo__session *s = open_mode("delay", S(100));
    expect_answer(s, set_speed(1 + 3501, 1), ROBO_ERROR, ROBO_WHY_RANGE);
    expect_answer(a, set_speed(1 + 3600.1, 1), ROBO_ERROR, ROBO_WHY_RANGE);
    expect_answer(a, set_speed(9e9, 1), ROBO_ERROR, ROBO_WHY_RANGE);
    uint32_t just = send_cmd(a, set_speed(1 + 3600, 1));
    assert_int_equal(take_answers(a), 0);
    assert_int_equal(robo__session_cancel(a, just, robo_now(world)), 1);
    /* a stop further away than that is of a clock that lies: it acts at once */
    take_answers(a);
    just = send_cmd(a, stop(1 + 3600));
    assert_int_equal(take_answers(a), 0);
    uint32_t beyond = send_cmd(a, stop(1 + 3600.1));
    take_answers(a);
    expect_signal(beyond, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(just, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    heard_count = 0;
    /* a package that comes an hour before it was made is of a clock that lies */
    uint32_t id = send_as(a, set_speed(0, 1), knows(a), S(1 + 3600.1));
    take_answers(a);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_RANGE);
    assert_int_equal(heard(0), 0);
    robo__session_close(s);
}

/* The timekeeper did not get the processor for a while: what was due then is refused, not run in one burst. */
static void test_what_fell_due_long_ago_is_refused(void **state)
{
    (void)state;
    uint32_t old = send_cmd(a, set_speed(2, 1)), young = send_cmd(a, set_speed(2.5, 2)),
             rest = send_cmd(a, set_speed(2.2, 0));
    robo__session_heard(a, ROBO_NO_TIME, S(3));
    robo__robot_lock(robot);
    robo__robot_run_due(robot, S(3.4));
    robo__robot_unlock(robot);
    take_answers(a);
    expect_signal(old, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_signal(rest, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(young, ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_the_end_of_a_session_answers(void **state)
{
    (void)state;
    acting.goal = S(10);
    struct robo__session *s = open_mode("hold", 0);
    uint32_t running = send_cmd(a, go_to(0, 1)), queued = send_cmd(a, set_speed(3, 1)),
             held = send_cmd(s, set_speed(3, 1));
    robo__session_end(a, robo_now(world));
    robo__session_end(s, robo_now(world));
    assert_int_equal(take_answers(a), 2);
    expect_signal(running, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    expect_signal(queued, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    take_answers(s);
    expect_signal(held, ROBO_INTERRUPTED, ROBO_WHY_CLOSED);
    robo__session_close(s);
}

/* Stops that name axes look through all that waits, under the mutex: a package of thousands of them would keep a panic
 * waiting. When it has been enough, everything stops. */
static void test_a_package_of_stops_that_name_axes_ends(void **state)
{
    (void)state;
    enum { ROW = ROBO__SESSION_MOST, FEW = 8, MANY = 12 };
    struct robo_cmd one = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    one.body.stop.bytes = 1;
    one.body.stop.mask[0] = 1;
    send_row(b, set_speed(60, 1), ROW);
    send_row(a, one, FEW);
    assert_int_equal(b->mover.queued.count, ROW);
    assert_int_equal(robot->axes.stops, 0);
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
static void test_a_panic_and_a_stop_come_before_their_paperwork(void **state)
{
    (void)state;
    enum { ROW = 1000 };
    const struct robo_cmd all = { .op = ROBO_STOP, .id = 5000, .start = ROBO_AT_ONCE };
    expect_answer(b, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    send_row(b, set_speed(60, 1), ROW);
    a->mover.unanswered++;
    step(ROBO__ON_COMMAND, &a->mover, &all);
    assert_int_equal(heard(ROBO_STOP), robot->description->devices);
    assert_int_equal(b->mover.ring_count, 0);
    assert_int_equal(b->mover.queued.count, 0);
    step(ROBO__ON_SWEEP, NULL, NULL);
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
    step(ROBO__ON_SWEEP, NULL, NULL);
    finish();
    take_answers(b);
    assert_int_equal(answer_count, ROW);
    for (size_t i = 0; i < ROW; i++)
        assert_int_equal(answers[i].signal, ROBO_INTERRUPTED);
    take_answers(a);
    expect_signal(5001, ROBO_PANIC, ROBO_WHY_PANIC);
}

/* A session that closes in the middle of it has its answers before. */
static void test_a_session_ends_while_it_is_swept(void **state)
{
    (void)state;
    enum { ROW = 300 };
    const struct robo_cmd all = { .op = ROBO_STOP, .id = 5000, .start = ROBO_AT_ONCE };
    send_row(b, set_speed(60, 1), ROW);
    a->mover.unanswered++;
    step(ROBO__ON_COMMAND, &a->mover, &all);
    step(ROBO__ON_SWEEP, NULL, NULL);
    struct robo__step_event end = { ROBO__ON_END, &b->mover, .as.reason = ROBO_WHY_CLOSED };
    robo__step(robot, &end, robo_now(world));
    assert_int_equal(robot->timeline.queue.cut, 0);
    finish();
    take_answers(b);
    assert_int_equal(answer_count, ROW);
    assert_int_equal(answers[ROW - 1].reason, ROBO_WHY_STOPPED);
    take_answers(a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_two_and_modes, close_two)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_package_of_stops_that_name_axes_ends),
        TEST(test_a_panic_and_a_stop_come_before_their_paperwork),
        TEST(test_a_session_ends_while_it_is_swept),
        TEST(test_a_stop_sweeps_every_session),
        TEST(test_many_stops_wake_once),
        TEST(test_a_stop_reaches_a_stream),
        TEST(test_held_frames_do_not_outlive_a_stop),
        TEST(test_a_stop_at_once_in_a_buffered_mode),
        TEST(test_a_stop_among_held_frames),
        TEST(test_a_dated_stop_leaves_later_frames),
        TEST(test_a_late_stop_in_a_mode_that_shifts),
        TEST(test_instants_are_judged_after_the_shift),
        TEST(test_what_fell_due_long_ago_is_refused),
        TEST(test_the_end_of_a_session_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
