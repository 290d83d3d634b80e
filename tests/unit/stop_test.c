/* Stops and speeds of zero find room, however much waits. All else of stops is in tests/scenes/stops.txt. */
#include "fixture_modes.h"

FIXTURE(open_two_and_modes, close_two);

TEST(stops_and_speeds_of_zero_find_room)
{
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
    assert_int_equal(s->mover.queued.count, ROBO__SESSION_MOST + 2);
    take_answers(s);
    expect_signal(100005, ROBO_SUCCESS, ROBO_WHY_NONE);
    last_id = 200000;
    uint32_t now = send_cmd(s, stop(0));
    assert_int_equal(s->mover.queued.count, 0);
    assert_int_equal(take_answers(s), ROBO__SESSION_MOST + 3);
    expect_signal(now, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(1, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(100002, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    robo__session_close(s);
    free(cmds);
}

/* In every one of its numbers. */
TEST(what_moves_at_all_is_no_rest)
{
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

/* While the robot is described anew its devices are away, and stand. */
TEST(a_stop_while_the_devices_are_away)
{
    uint32_t queued = send_cmd(b, set_speed(3, 1));
    robot->port.detached = true;
    expect_answer(a, set_speed(0, 1), ROBO_BUSY, ROBO_WHY_CHANGED);
    expect_answer(a, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(b);
    expect_signal(queued, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    struct robo_reply_status status;
    robo__session_status(a, &status);
    assert_int_equal(status.executed, 1);
    assert_int_equal(status.refused, 1);
    robot->port.detached = false;
    assert_int_equal(heard(0), 0);
}

/* However many dated ones wait for their instants. */
TEST(a_stop_at_once_behind_all_that_may_wait)
{
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
        assert_int_equal(robot->timeline.queue.count, 0);
    }
    robo__session_close(s[0]);
    robo__session_close(s[1]);
    free(cmds);
}

/* Who has filled its share of the queue with stops and speeds of zero gets a few places more, not the others' share. */
TEST(what_rests_leaves_room_for_others)
{
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
    assert_int_equal(s[0]->mover.queued.count, ROBO__SESSION_MOST);
    assert_in_range(s[MANY - 1]->mover.queued.count, ROBO__SESSION_GRANTED + ROBO__SESSION_URGENT,
                    ROBO__SESSION_MOST / 8);
    uint32_t motion = send_cmd(a, set_speed(1.2, 1)), dated = send_cmd(b, stop(1.3));
    assert_int_equal(take_answers(a) + take_answers(b), 0);
    run_until(1.3);
    take_answers(a);
    expect_signal(motion, ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(b);
    expect_signal(dated, ROBO_SUCCESS, ROBO_WHY_NONE);
    /* one whose share the others have taken since keeps what it has, and its few places beside */
    while (s[0]->mover.queued.count > ROBO__SESSION_MOST - 1000)
        robo__session_cancel(s[0], cmds[ROBO__SESSION_MOST - s[0]->mover.queued.count].id, S(1.3));
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
TEST(a_share_that_is_over_leaves_room_for_others)
{
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
    assert_true(robot->timeline.queue.beyond >= ROBO__QUEUE_COMMON);
    send_row(s, set_speed(50, 0), ROW);
    assert_in_range(s->mover.queued.count, ROBO__SESSION_GRANTED,
                    ROBO__SESSION_GRANTED + ROBO__SESSION_URGENT);
    for (size_t k = 0; k < OTHERS; k++)
        robo__session_close(other[k]);
    robo__session_close(s);
}
