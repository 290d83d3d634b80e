/* Stopping: no stop is refused but in a latched panic; one with start 0 sweeps all that any session has running, queued
 * or held; speeds of zero pass; and the deadman cannot be put to sleep by what is queued or what comes late. */
#include "fixture_sessions.h"

#include "modes.h"

static struct test_modes modes;

static int open_two_and_modes(void **state)
{
    test_modes_init(&modes, 1000);
    return open_two(state);
}

static struct robo__session *open_mode(const char *name, robo_time delay)
{
    struct robo__session_request request = { .name = name, .delay = delay, .gap = S(3) };
    return open_session(&modes.modes, &request);
}

/* Sends one command in a package that was made at `stamp` by somebody who knew that much. */
static uint32_t send_as(struct robo__session *s, struct robo_cmd cmd, struct robo__known known,
                        robo_time stamp)
{
    cmd.id = ++last_id;
    assert_int_equal(robo__session_commands(s, &cmd, 1, known, stamp, robo_now(world)), 1);
    return cmd.id;
}

/* ---- what a stop is not refused for ---- */

static void test_a_stop_has_no_age(void **state)
{
    (void)state;
    run_until(100);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    const robo_time stamps[] = { 1, S(2), S(99), S(4000), INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
        uint32_t id = send_as(a, stop(0), knows(a), stamps[i]);
        take_answers(a);
        expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
    /* one with a date that is long over, or can never be, acts now */
    const double starts[] = { 0.001, 50, 100 + 3601, 9e9 };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        expect_answer(a, stop(starts[i]), ROBO_SUCCESS, ROBO_WHY_NONE);
}

static void test_a_stop_has_no_epoch_and_no_revision(void **state)
{
    (void)state;
    robo_panic(robot);
    robo_reset(robot);
    struct robo_cmd cmd = stop(0);
    cmd.revision = 77;
    uint32_t id = send_as(a, cmd, (struct robo__known){ 0 }, robo_now(world));
    take_answers(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    /* nor is it a matter of what the robot says that it supports */
    robot->revisions->body->description.commands = 0;
    expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    /* in a latched panic the robot stands, and the answer says so */
    robo_panic(robot);
    expect_answer(a, stop(0), ROBO_PANIC, ROBO_WHY_PANIC);
    expect_answer(a, stop(50), ROBO_PANIC, ROBO_WHY_PANIC);
}

static void test_stops_and_speeds_of_zero_find_room(void **state)
{
    (void)state;
    robot->revisions->body->description.deadman = 0;
    struct robo__session *s = open_session(NULL, NULL);
    struct robo_cmd *cmds = calloc(ROBO__SESSION_MOST, sizeof *cmds);
    for (uint32_t i = 0; i < ROBO__SESSION_MOST; i++) {
        cmds[i] = set_speed(50, 1);
        cmds[i].id = i + 1;
    }
    assert_int_equal(robo__session_commands(s, cmds, ROBO__SESSION_MOST, knows(s), S(1), S(1)),
                     ROBO__SESSION_MOST);
    /* it may have no more unanswered, but these */
    struct robo_cmd package[] = { set_speed(0, 1), stop(40), set_speed(0, 1), set_speed(45, 0),
                                  set_speed(0, 0) };
    for (uint32_t i = 0; i < 5; i++)
        package[i].id = 100001 + i;
    assert_int_equal(robo__session_commands(s, package, 5, knows(s), S(1), S(1)), 3);
    /* the others are at the end, in their order, for the caller to refuse */
    assert_int_equal(package[3].id, 100001);
    assert_int_equal(package[4].id, 100003);
    assert_int_equal(s->queued.count, ROBO__SESSION_MOST + 2);
    take_answers(s);
    expect_signal(100005, ROBO_SUCCESS, ROBO_WHY_NONE);
    last_id = 200000;
    uint32_t now = send_cmd(s, stop(0));
    assert_int_equal(s->queued.count, 0);
    assert_int_equal(take_answers(s), ROBO__SESSION_MOST + 3);
    expect_signal(now, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(1, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(100002, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    robo__session_close(s);
    free(cmds);
}

static void test_a_speed_of_zero_has_no_age_and_sweeps_nothing(void **state)
{
    (void)state;
    run_until(100);
    uint32_t later = send_cmd(b, set_joint(101, 1, 1, 1));
    const struct robo_cmd rest[] = {
        set_speed(0, 0),
        { .op = ROBO_SET_JOINT_SPEED,
          .start = ROBO_AT_ONCE,
          .body.servo = { .joint = 1, .mask = 1, .value = { 0, 5 } } },
    };
    for (size_t i = 0; i < 2; i++) {
        uint32_t id = send_as(a, rest[i], knows(a), S(2));
        take_answers(a);
        expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
    const struct robo_cmd moves[] = {
        set_speed(0, 1e-9),
        { .op = ROBO_SET_JOINT_SPEED,
          .start = ROBO_AT_ONCE,
          .body.servo = { .joint = 1, .mask = 3, .value = { 0, 5 } } },
    };
    for (size_t i = 0; i < 2; i++) {
        uint32_t id = send_as(a, moves[i], knows(a), S(2));
        take_answers(a);
        expect_signal(id, ROBO_ERROR, ROBO_WHY_EXPIRED);
    }
    assert_int_equal(robot->queue.count, 1);
    acting.goal = S(0.1);
    run_until(100.9);
    robo__session_heard(b, ROBO_NO_TIME, robo_now(world));
    run_until(102);
    take_answers(b);
    expect_signal(later, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* While the robot is described anew its devices are away, and stand. */
/* In every one of its numbers. */
static void test_what_moves_at_all_is_no_rest(void **state)
{
    (void)state;
    struct robo_cmd base = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE },
                    frame = { .op = ROBO_SET_FRAME_SPEED, .start = ROBO_AT_ONCE },
                    joint = { .op = ROBO_SET_JOINT_SPEED, .body.servo.mask = 0x3f };
    double *number[] = { &base.body.set_speed.x, &base.body.set_speed.y,
                         &base.body.set_speed.theta };
    for (int i = 0; i < 3; i++) {
        assert_true(robo__cmd_is_rest(&base));
        *number[i] = -1e-9;
        assert_false(robo__cmd_is_rest(&base));
        *number[i] = 0;
    }
    for (int i = 0; i < 6; i++) {
        double *of_frame = i < 3 ? &frame.body.frame.linear[i] : &frame.body.frame.angular[i - 3],
               *of_joint = &joint.body.servo.value[i];
        assert_true(robo__cmd_is_rest(&frame) && robo__cmd_is_rest(&joint));
        *of_frame = *of_joint = -1e-9;
        assert_false(robo__cmd_is_rest(&frame) || robo__cmd_is_rest(&joint));
        *of_frame = *of_joint = 0;
    }
    const struct robo_cmd goal = { .op = ROBO_GO_TO, .start = ROBO_AT_ONCE };
    assert_false(robo__cmd_is_rest(&goal)); /* to where the world begins */
}

static void test_a_stop_while_the_devices_are_away(void **state)
{
    (void)state;
    uint32_t queued = send_cmd(b, set_speed(3, 1));
    robot->detached = true;
    expect_answer(a, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_CHANGED);
    expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(b);
    expect_signal(queued, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    struct robo_reply_status status;
    robo__session_status(a, &status);
    assert_int_equal(status.executed, 1);
    assert_int_equal(status.refused, 1);
    robot->detached = false;
    assert_int_equal(heard(0), 0);
}

/* However many dated ones wait for their instants. */
static void test_a_stop_at_once_behind_all_that_may_wait(void **state)
{
    (void)state;
    robot->revisions->body->description.deadman = 0;
    struct robo__session *s[] = { open_session(NULL, NULL), open_mode("delay", 0) };
    struct robo_cmd *cmds = calloc(ROBO__SESSION_MOST, sizeof *cmds);
    for (size_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < ROBO__SESSION_MOST; i++) {
            cmds[i] = set_speed(50, 1);
            cmds[i].id = i + 1;
        }
        robo__session_commands(s[k], cmds, ROBO__SESSION_MOST, knows(s[k]), S(1), S(1));
        last_id = 100000;
        for (uint32_t i = 0; i < 300; i++) {
            struct robo_cmd rest = i & 1 ? stop(60) : set_speed(55, 0);
            rest.id = ++last_id;
            robo__session_commands(s[k], &rest, 1, knows(s[k]), S(1), S(1));
        }
        take_answers(s[k]);
        uint32_t id = send_cmd(s[k], stop(0));
        take_answers(s[k]);
        expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
        assert_int_equal(robot->queue.count, 0);
    }
    robo__session_close(s[0]);
    robo__session_close(s[1]);
    free(cmds);
}

/* Who has filled its share of the queue with stops and speeds of zero gets a few places more, not the others' share. */
static void test_what_rests_leaves_room_for_others(void **state)
{
    (void)state;
    robot->revisions->body->description.deadman = 0;
    enum { MANY = 20 };
    struct robo__session *s[MANY];
    struct robo_cmd *cmds = calloc(ROBO__SESSION_MOST, sizeof *cmds);
    for (size_t k = 0; k < MANY; k++) {
        s[k] = open_session(NULL, NULL);
        for (uint32_t i = 0; i < ROBO__SESSION_MOST; i++) {
            cmds[i] = i % 1000 ? set_speed(50, 0) : set_joint(50, 1, 1, 1);
            cmds[i].id = i + 1;
        }
        robo__session_commands(s[k], cmds, ROBO__SESSION_MOST, knows(s[k]), S(1), S(1));
    }
    assert_int_equal(s[0]->queued.count, ROBO__SESSION_MOST);
    assert_in_range(s[MANY - 1]->queued.count, ROBO__SESSION_GRANTED + ROBO__SESSION_URGENT,
                    ROBO__SESSION_MOST / 8);
    uint32_t motion = send_cmd(a, set_speed(1.2, 1)), dated = send_cmd(b, stop(1.3));
    assert_int_equal(take_answers(a) + take_answers(b), 0);
    run_until(1.3);
    take_answers(a);
    expect_signal(motion, ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(b);
    expect_signal(dated, ROBO_SUCCESS, ROBO_WHY_NONE);
    /* one whose share the others have taken since keeps what it has, and its few places beside */
    while (s[0]->queued.count > ROBO__SESSION_MOST - 1000)
        robo__session_cancel(s[0], cmds[ROBO__SESSION_MOST - s[0]->queued.count].id, S(1.3));
    take_answers(s[0]);
    uint32_t rest = send_cmd(s[0], set_speed(60, 0)), more = send_cmd(s[0], set_speed(60, 1));
    assert_int_equal(take_answers(s[0]), 1);
    expect_signal(more, ROBO_ERROR, ROBO_WHY_FULL);
    assert_int_equal(robo__session_cancel(s[0], rest, S(1.3)), 1);
    for (size_t k = 0; k < MANY; k++)
        robo__session_close(s[k]);
    free(cmds);
}

/* What a session had queued once is no share of it: of the places for what rests it has as few as the others. */
static void test_a_share_that_is_over_leaves_room_for_others(void **state)
{
    (void)state;
    enum { OTHERS = 40, ROW = 8000 };
    robot->revisions->body->description.deadman = 0;
    struct robo__session *s = open_session(NULL, NULL), *other[OTHERS];
    send_row(s, set_speed(50, 0), ROW);
    robo__session_cancel(s, 0, S(1));
    take_answers(s);
    for (size_t k = 0; k < OTHERS; k++) {
        other[k] = open_session(NULL, NULL);
        send_row(other[k], set_speed(50, 0), ROW);
        take_answers(other[k]);
    }
    assert_true(robot->queue.beyond >= ROBO__QUEUE_COMMON);
    send_row(s, set_speed(50, 0), ROW);
    assert_in_range(s->queued.count, ROBO__SESSION_GRANTED,
                    ROBO__SESSION_GRANTED + ROBO__SESSION_URGENT);
    for (size_t k = 0; k < OTHERS; k++)
        robo__session_close(other[k]);
    robo__session_close(s);
}

/* A mode that holds refuses what its sender was not entitled to send, but not a stop. */
static void test_a_stop_of_a_stale_sender_in_a_mode_that_holds(void **state)
{
    (void)state;
    struct robo__session *held = open_mode("hold", 0);
    robo_panic(robot);
    robo_reset(robot);
    uint32_t frame = send_as(held, set_speed(2, 1), (struct robo__known){ 0 }, robo_now(world)),
             id = send_as(held, stop(2), (struct robo__known){ 0 }, robo_now(world));
    take_answers(held);
    expect_signal(frame, ROBO_PANIC, ROBO_WHY_STALE);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(held);
}

/* Who opens a session knows of the stops so far only when it has been told. */
static void test_a_session_opened_after_a_stop_counts_from_it(void **state)
{
    (void)state;
    expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    struct robo__session *late = open_session(NULL, NULL);
    assert_int_equal(robo__session_news(late, robo_now(world)).stops, 1);
    uint32_t id = send_as(late, set_speed(0, 1), (struct robo__known){ 0 }, robo_now(world));
    take_answers(late);
    expect_signal(id, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    robo__session_close(late);
}

/* ---- what it sweeps ---- */

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
        assert_int_equal(s[i]->held_count + s[i]->queued.count, 1);
        robo__session_close(s[i]);
    }
    assert_int_equal(heard(ROBO_STOP), 4); /* each on both devices */
}

/* A stop with a date is a frame like others (RoboTalk IV.A): it ends what runs then and leaves the rest alone. */
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

/* ---- the deadman ---- */

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

static void test_a_frame_far_away_is_no_word(void **state)
{
    (void)state;
    struct robo__session *s = open_mode("delay", 0);
    send_cmd(s, set_speed(0, 1));
    uint32_t far = send_cmd(s, set_speed(1 + 3.5, 0));
    run_until(1.49);
    assert_int_equal(heard(ROBO_STOP), 0);
    run_until(1.5); /* the gap that it stated at open is 3 s */
    assert_int_equal(heard(ROBO_STOP), 1);
    take_answers(s);
    expect_signal(far, ROBO_INTERRUPTED, ROBO_WHY_DEADMAN);
    /* within the gap it has spoken for that instant, and no further */
    robo__session_heard(s, ROBO_NO_TIME, robo_now(world));
    send_cmd(s, set_speed(0, 1));
    send_cmd(s, set_speed(1.5 + 2.9, 1));
    run_until(1.5 + 2.9 + 0.49);
    assert_int_equal(heard(ROBO_STOP), 1);
    run_until(1.5 + 2.9 + 0.5);
    assert_int_equal(heard(ROBO_STOP), 2);
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

static void test_stale_packages_are_no_sign_of_life(void **state)
{
    (void)state;
    run_until(100);
    expect_answer(a, set_speed(0, 1), ROBO_SUCCESS, ROBO_WHY_NONE);
    for (int i = 0; i < 10; i++) {
        run_for(0.04);
        send_as(a, set_speed(0, 1), knows(a), robo_now(world) - S(1) - 1);
        robo__session_heard(a, robo_now(world) - S(1) - 1, robo_now(world));
        robo__session_heard(a, robo_now(world) + S(3601), robo_now(world));
    }
    run_until(100.5);
    assert_int_equal(heard(ROBO_STOP), 1);
}

static void test_a_braking_robot_needs_no_word(void **state)
{
    (void)state;
    acting.mute = true; /* it brakes for as long as the test likes */
    uint32_t id = send_cmd(a, stop(0));
    robo_ticket ticket = heard_log[heard_count - 1].ticket;
    run_until(10);
    assert_int_equal(take_answers(a), 0);
    for (int i = 0; i < 2; i++)
        robo_post_done(robot->device[i], ticket, ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(a);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(robo__session_news(a, robo_now(world)).silence, 0);
}

/* ---- late ---- */

/* The timekeeper did not get the processor for a while: what was due then is refused, not run in one burst. */
static void test_what_fell_due_long_ago_is_refused(void **state)
{
    (void)state;
    uint32_t old = send_cmd(a, set_speed(2, 1)), young = send_cmd(a, set_speed(2.5, 2)),
             rest = send_cmd(a, set_speed(2.2, 0));
    robo__robot_lock(robot);
    robo__robot_run_due(robot, S(3.4));
    robo__robot_unlock(robot);
    take_answers(a);
    expect_signal(old, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_signal(rest, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(young, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* ---- closing ---- */

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_two_and_modes, close_two)

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
    assert_int_equal(b->queued.count, ROW);
    assert_int_equal(robot->stops, 0);
    send_row(a, one, MANY);
    assert_int_equal(b->queued.count, 0);
    take_answers(b);
    assert_int_equal(answer_count, ROW);
    assert_int_equal(answers[0].signal, ROBO_INTERRUPTED);
    assert_int_equal(answers[0].reason, ROBO_WHY_STOPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_package_of_stops_that_name_axes_ends),
        TEST(test_a_stop_has_no_age),
        TEST(test_a_stop_has_no_epoch_and_no_revision),
        TEST(test_stops_and_speeds_of_zero_find_room),
        TEST(test_a_speed_of_zero_has_no_age_and_sweeps_nothing),
        TEST(test_what_moves_at_all_is_no_rest),
        TEST(test_a_stop_while_the_devices_are_away),
        TEST(test_a_stop_at_once_behind_all_that_may_wait),
        TEST(test_what_rests_leaves_room_for_others),
        TEST(test_a_share_that_is_over_leaves_room_for_others),
        TEST(test_a_stop_of_a_stale_sender_in_a_mode_that_holds),
        TEST(test_a_session_opened_after_a_stop_counts_from_it),
        TEST(test_a_stop_sweeps_every_session),
        TEST(test_many_stops_wake_once),
        TEST(test_a_stop_reaches_a_stream),
        TEST(test_held_frames_do_not_outlive_a_stop),
        TEST(test_a_stop_at_once_in_a_buffered_mode),
        TEST(test_a_stop_among_held_frames),
        TEST(test_a_dated_stop_leaves_later_frames),
        TEST(test_a_late_stop_in_a_mode_that_shifts),
        TEST(test_a_frame_far_away_is_no_word),
        TEST(test_instants_are_judged_after_the_shift),
        TEST(test_stale_packages_are_no_sign_of_life),
        TEST(test_a_braking_robot_needs_no_word),
        TEST(test_what_fell_due_long_ago_is_refused),
        TEST(test_the_end_of_a_session_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
