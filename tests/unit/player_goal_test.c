/* What a robot behind a Player server was sent to: when that is over, and how. */
#include "connected_player.h"
#include "../described.h"

#include <math.h>

/* That much later, s, it is not over. */
static void expect_none_for(double seconds, uint32_t id)
{
    run_for(seconds);
    take_answers(session);
    assert_null(answer_to(id));
}

/* By then it is, and this has become of it. */
#define expect_after(seconds, id, wanted, why) \
    do {                                       \
        run_for(seconds);                      \
        take_answers(session);                 \
        expect_signal(id, wanted, why);        \
    } while (0)

FIXTURE(begin, end);

TEST(a_base_that_gets_no_further_is_blocked_and_told_to_stand)
{
    const uint32_t id = send_cmd(session, go_to(0, 1));
    run_for(4);
    tell_base(0.5, 0, 0); /* it had to think */
    expect_none_for(4.9, id);
    read_said();
    expect_after(0.2, id, ROBO_ERROR, ROBO_WHY_BLOCKED);
    read_said();
    const struct said *vel = newest(BASE, CMD, VEL);
    assert_non_null(vel); /* else it would go on once the way is free */
    assert_true(vel->value[0] == 0 && vel->value[1] == 0 && vel->value[2] == 0);
}

/* The head's limit is 10 rad/s. */
TEST(speeds_of_goals_keep_to_the_limits_of_the_description)
{
    const double most = described(robot)->base_speed[0];
    struct robo_cmd fast = go_to(0, 1), up = HEAD_UP;
    fast.body.go_to.speed = 5 * most;
    send_cmd(session, fast);
    tell_head(0, 0, 0.5);
    up.body.servo.speed = 90;
    send_cmd(session, up);
    read_said();
    assert_true(newest(BASE, CMD, POS)->value[3] == most);
    assert_true(newest(HEAD, CMD, PTZ_STATE)->value[3] == 10);
    assert_true(newest(HEAD, CMD, PTZ_STATE)->value[4] == 10);
    fast.body.go_to.speed = most / 2;
    send_cmd(session, fast);
    read_said();
    assert_true(newest(BASE, CMD, POS)->value[3] == most / 2);
}

TEST(a_base_that_creeps_or_turns_to_its_place_is_waited_for)
{
    const uint32_t id = send_cmd(session, go_to(0, 0.2));
    for (int i = 1; i <= 14; i++) { /* 10 mm and then 0.02 rad each 4 s */
        expect_none_for(4, id);
        tell_base(fmin(i, 10) * 0.01, 0, i > 10 ? 0.5 + 0.02 * i : 0.5);
    }
    tell_base(0.2, 0, 0);
    expect_after(0.1, id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Near its place it still rolls, as its data say. */
TEST(a_base_that_rolls_at_its_place_is_waited_for)
{
    const uint32_t id = send_cmd(session, go_to(0, 0.5));
    for (int i = 0; i < 3; i++) {
        tell(ROBO__FAR_BASE, BASE,
             (struct robo__player_body){ .value = { 0.46 + 0.01 * i, 0, 0, 0.1, 0, 0 } });
        expect_none_for(0.1, id);
    }
    tell(ROBO__FAR_BASE, BASE, (struct robo__player_body){ .value = { 0.5, 0, 0, 0, 0, 0.1 } });
    expect_none_for(0.1, id); /* it turns */
    tell_base(0.499, 0, 0);
    expect_after(0.1, id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* A server whose data have a speed for ever: the place says that it stands. */
TEST(a_base_that_says_that_it_moves_and_does_not_is_there)
{
    const uint32_t id = send_cmd(session, go_to(0, 0.5));
    tell(ROBO__FAR_BASE, BASE, (struct robo__player_body){ .value = { 0.49, 0, 0, 0.1, 0, 0 } });
    expect_none_for(4.9, id);
    expect_after(0.2, id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* However far off its goal is reached already: near may be 10 m, turn a half turn. */
TEST(a_base_that_creeps_to_a_wide_goal_is_waited_for)
{
    link_->bind.near = 10;
    link_->bind.turn = 3;
    const uint32_t id = send_cmd(session, go_to(0, 12));
    for (int i = 1; i <= 120; i++) { /* 0.01 m/s, then 0.02 rad/s */
        expect_none_for(1, id);
        tell_base(fmin(i, 60) * 0.01, 0, fmax(0, i - 60) * 0.02);
    }
    tell_base(2, 0, 1.2);
    expect_after(0.1, id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(a_heading_that_trembles_about_half_a_turn_is_no_turn)
{
    tell_base(0, 0, 3.141);
    const uint32_t id = send_cmd(session, go_to(0, 1));
    for (int i = 0; i < 52; i++) {
        run_for(0.1);
        tell_base(0, 0, i % 2 == 0 ? -3.141 : 3.141);
    }
    take_answers(session);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_BLOCKED);
}

TEST(a_head_that_gets_no_further_is_blocked_and_told_to_stand)
{
    tell_head(0.1, 0, 0.5);
    const uint32_t id = send_cmd(session, HEAD_UP);
    run_for(1);
    tell_head(0.3, 0.25, 0.5);
    expect_none_for(4.9, id);
    read_said();
    expect_after(0.2, id, ROBO_ERROR, ROBO_WHY_BLOCKED);
    read_said();
    const struct said *at = newest(HEAD, CMD, PTZ_STATE);
    assert_non_null(at);
    assert_true(fabs(at->value[0] - 0.3) < 1e-6 && fabs(at->value[1] - 0.25) < 1e-6);
}

/* By speeds: nobody knows where it is. */
TEST(a_head_that_tells_no_more_where_it_is_has_failed_and_is_told_to_stand)
{
    tell_head(0.1, 0, 0.5);
    const uint32_t id = send_cmd(session, HEAD_UP);
    expect_none_for(1, id);
    read_said();
    link_->head_heard -= SILENCE;
    expect_after(0.1, id, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    const struct said *mode = newest(HEAD, REQ, PTZ_MODE), *at = newest(HEAD, CMD, PTZ_STATE);
    assert_true(mode && mode->value[0] == 0);
    assert_true(at && at->value[3] == 0 && at->value[4] == 0);
}

TEST(home_with_a_head_that_gets_no_further_stops_the_gripper_and_is_answered_once)
{
    tell_head(0.1, 0, 0);
    tell_gripper(ROBO__GRIPPER_MOVING, 0);
    const uint32_t id = send_cmd(session, HOME);
    run_for(4.9);
    read_said();
    assert_true(newest(CLAW, CMD, GRIP_CLOSE) && !newest(CLAW, CMD, GRIP_STOP));
    run_for(0.2);
    read_said();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP));
    tell_gripper(ROBO__GRIPPER_CLOSED, 0);
    expect_after(0.1, id, ROBO_ERROR, ROBO_WHY_BLOCKED);
}

TEST(a_gripper_that_does_nothing_has_failed_and_is_told_to_stop)
{
    tell_gripper(ROBO__GRIPPER_OPEN, 8);
    uint32_t id = send_cmd(session, GRASP);
    expect_none_for(4.9, id);
    read_said();
    expect_after(0.2, id, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP)); /* else it would close once it can */
    id = send_cmd(session, GRASP);
    run_for(4);
    tell_gripper(ROBO__GRIPPER_MOVING, 0);
    expect_none_for(4.9, id);
    tell_gripper(ROBO__GRIPPER_CLOSED, 0);
    expect_after(0.1, id, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* 1 m there and back at 10 m/s, and 5 s. */
TEST(a_gripper_that_moves_for_ever_is_blocked_and_told_to_stop)
{
    const uint32_t id = send_cmd(session, GRASP);
    tell_gripper(ROBO__GRIPPER_MOVING, 0);
    expect_none_for(5.1, id);
    read_said();
    expect_after(0.2, id, ROBO_ERROR, ROBO_WHY_BLOCKED);
    read_said();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP));
}

TEST(a_gripper_that_tells_no_more_as_it_moves_has_failed_and_is_told_to_stop)
{
    tell_gripper(ROBO__GRIPPER_MOVING, 0);
    const uint32_t id = send_cmd(session, GRASP);
    expect_none_for(4, id);
    read_said();
    link_->grip_heard -= SILENCE;
    expect_after(0.1, id, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP));
}

/* What it told last is of before it was moved. */
TEST(a_gripper_that_was_given_up_is_not_open_because_it_was_once)
{
    struct robo_cmd release = GRASP;
    release.body.servo.value[0] = 1;
    tell_gripper(ROBO__GRIPPER_OPEN, 0);
    link_->grip_heard -= SILENCE;
    const uint32_t grasp = send_cmd(session, GRASP);
    expect_after(5.1, grasp, ROBO_ERROR, ROBO_WHY_DEVICE);
    const uint32_t id = send_cmd(session, release);
    expect_none_for(4.9, id);
    expect_after(0.2, id, ROBO_ERROR, ROBO_WHY_DEVICE);
}

/* Its server tells nothing of it any more: somebody may have opened it since, or what it held has gone. */
TEST(a_gripper_that_was_closed_long_ago_is_not_closed_for_that)
{
    static const unsigned states[] = { ROBO__GRIPPER_CLOSED, ROBO__GRIPPER_ERROR };
    for (unsigned i = 0; i < 2; i++) {
        tell_gripper(states[i], 8);
        link_->grip_heard -= SILENCE;
        uint32_t id = send_cmd(session, GRASP);
        expect_none_for(4.9, id);
        expect_after(0.2, id, ROBO_ERROR, ROBO_WHY_DEVICE);
        id = send_cmd(session, GRASP);
        tell_gripper(states[i], 8);
        expect_after(5.1, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    }
}

TEST(a_gripper_that_was_given_up_as_it_moved_is_not_said_to_move_on)
{
    tell_gripper(ROBO__GRIPPER_MOVING, 0);
    const uint32_t id = send_cmd(session, GRASP);
    expect_none_for(0.1, id);
    assert_true(read_robot(robot).moving);
    link_->grip_heard -= SILENCE;
    expect_after(0.1, id, ROBO_ERROR, ROBO_WHY_DEVICE);
    assert_false(read_robot(robot).moving);
}

/* It rests between its ends, around something, before it is told to close. */
TEST(a_gripper_that_holds_something_is_closed_already)
{
    tell_gripper(ROBO__GRIPPER_ERROR, 8);
    const uint32_t id = send_cmd(session, GRASP);
    expect_after(5.1, id, ROBO_SUCCESS, ROBO_WHY_NONE);
}
