/* What the driver of a robot behind a Player server leaves alone, and what it stops. */
#include "connected_player.h"

#include <math.h>

FIXTURE(begin, end);

TEST(a_head_that_has_not_told_where_it_is_is_left_alone)
{
    expect_answer(session, HEAD_UP, ROBO_ERROR, ROBO_WHY_DEVICE);
    expect_answer(session, joint_speed(1, 1, 0.5), ROBO_ERROR, ROBO_WHY_DEVICE);
    robo_panic(robot);
    read_said();
    assert_true(newest(BASE, CMD, VEL) && !newest(HEAD, CMD, PTZ_STATE));
    robo_reset(robot);
    tell_head(0.25, 0.5, 0.75);
    send_cmd(session, joint_speed(1, 1, 0.5));
    read_said();
    const struct said *at = newest(HEAD, CMD, PTZ_STATE);
    assert_non_null(at);
    assert_true(at->value[1] == 0.5 && at->value[2] == 0.75); /* not lowered, not zoomed */
}

TEST(home_moves_nothing_before_the_head_has_told_where_it_is)
{
    tell_gripper(ROBO__GRIPPER_OPEN, 0);
    expect_answer(session, HOME, ROBO_ERROR, ROBO_WHY_DEVICE);
    read_said();
    assert_int_equal(saids, 0);
}

TEST(what_has_no_device_of_the_server_is_na, begin_bare, end)
{
    expect_answer(session, set_speed(0, 0.5), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, go_to(0, 1), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, HEAD_UP, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, joint_speed(1, 1, 0.5), ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, GRASP, ROBO_NA, ROBO_WHY_UNSUPPORTED);
    expect_answer(session, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_panic(robot);
    read_said();
    assert_int_equal(saids, 0);
}

/* What the robot is told as it is removed; everything has told where it is. */
static void tell_where_and_remove(void)
{
    tell_base(1, 0, 0);
    tell_head(0.1, 0.2, 0.5);
    tell_gripper(ROBO__GRIPPER_OPEN, 0);
    read_said(); /* what was said before */
    robo_remove(robot);
}

TEST(who_goes_leaves_alone_what_it_has_not_moved)
{
    tell_where_and_remove();
    assert_int_equal(saids, 0);
}

TEST(who_goes_stops_what_it_has_moved)
{
    send_cmd(session, set_speed(0, 0.5));
    tell_where_and_remove();
    assert_non_null(newest(BASE, CMD, VEL));
    assert_true(newest(BASE, CMD, VEL)->value[0] == 0);
    assert_int_equal(saids, 1);
}

TEST(who_goes_stops_a_head_on_its_way)
{
    tell_head(0, 0, 0.5);
    send_cmd(session, HEAD_UP);
    tell_where_and_remove();
    assert_non_null(newest(HEAD, CMD, PTZ_STATE));
    assert_true(fabs(newest(HEAD, CMD, PTZ_STATE)->value[1] - 0.2) < 1e-6);
    assert_int_equal(saids, 1);
}

/* The server reads nothing, until commands wait for it. */
static void fill(void)
{
    for (int i = 0; i < MOST / 2 && link_->out.frames < 3; i++)
        send_cmd(session, set_speed(0, 0.5));
    assert_true(link_->out.frames >= 3);
}

/* It was on its way to a place, where it would come otherwise. */
static void expect_head_to_stand(void)
{
    assert_non_null(newest(HEAD, CMD, PTZ_STATE));
    assert_true(newest(HEAD, CMD, PTZ_STATE)->value[1] == 0);
    assert_non_null(newest(BASE, CMD, VEL));
    assert_true(newest(BASE, CMD, VEL)->value[0] == 0);
}

TEST(who_goes_says_again_a_stop_that_waits_for_the_server)
{
    tell_head(0, 0, 0.5);
    send_cmd(session, HEAD_UP);
    read_said();
    fill();
    expect_answer(session, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    robo_remove(robot);
    expect_head_to_stand();
}

TEST(who_goes_says_again_a_panic_that_waits_for_the_server)
{
    tell_head(0, 0, 0.5);
    send_cmd(session, HEAD_UP);
    read_said();
    fill();
    robo_panic(robot);
    robo_reset(robot);
    robo_remove(robot);
    expect_head_to_stand();
    assert_non_null(newest(CLAW, CMD, GRIP_STOP));
}

TEST(a_panic_stops_what_others_move_too)
{
    tell_head(0, 0, 0.5);
    robo_panic(robot);
    read_said();
    assert_true(newest(BASE, CMD, VEL) && newest(HEAD, CMD, PTZ_STATE) &&
                newest(CLAW, CMD, GRIP_STOP));
}
