/* Rows of commands that fall due at one instant: a stop, a panic, the deadman and devices wait for few of them. */
#include "fixture_sessions.h"

FIXTURE(open_two, close_two);

/* However much falls due at one instant: after a few of them, others get the mutex. */
TEST(a_row_that_falls_due_lets_others_in)
{
    enum { ROW = 1000 };
    send_row(a, set_speed(1.2, 1), ROW);
    uint32_t last = last_id;
    robo__robot_lock(robot);
    assert_true(robo__robot_run_due(robot, S(1.2)) <= S(1.2));
    robo__robot_unlock(robot);
    assert_int_equal(heard(ROBO_SET_SPEED), ROBO__TURN);
    run_until(1.2);
    assert_int_equal(heard(ROBO_SET_SPEED), ROW);
    assert_int_equal(take_answers(a), ROW);
    expect_signal(last, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* A long row that begins at once is begun a few at a time, too; what comes later comes behind it. */
TEST(a_row_that_begins_at_once_lets_others_in)
{
    enum { ROW = 1000 };
    send_row(a, set_speed(0, 1), ROW);
    uint32_t last = last_id, behind = send_cmd(a, set_speed(0, 2)), rest;
    assert_true(heard(ROBO_SET_SPEED) < ROW);
    rest = send_cmd(b, set_speed(0, 0));
    run_for(0);
    assert_int_equal(heard(ROBO_SET_SPEED), ROW + 2);
    assert_int_equal(heard_log[ROW - 1].id, last);
    assert_int_equal(heard_log[ROW].id, behind);
    assert_int_equal(heard_log[ROW + 1].id, rest);

    send_row(a, set_speed(0, 1), ROW);
    expect_answer(b, stop(0), ROBO_SUCCESS, ROBO_WHY_NONE);
    size_t begun = heard(ROBO_SET_SPEED);
    assert_true(begun < 2 * ROW);
    run_for(1);
    assert_int_equal(heard(ROBO_SET_SPEED), begun);
}

/* What waits in a row is as old as its package, however late that came: when the processor was away meanwhile, it is refused,
 * but for a speed of zero. */
TEST(what_waits_in_a_row_is_as_old_as_its_package)
{
    enum { ROW = 100 };
    run_until(10);
    struct robo_cmd row[ROW];
    for (uint32_t i = 0; i < ROW; i++) {
        row[i] = set_speed(0, i < ROW - 1);
        row[i].id = i + 1;
    }
    robo__session_commands(a, row, ROW, knows(a), S(9.3), S(10));
    assert_int_equal(heard(ROBO_SET_SPEED), ROBO__TURN);
    world->now = S(10.4);
    robo__session_heard(a, 0, ROBO_NO_TIME, S(10.4));
    robo__robot_lock(robot);
    robo__robot_run_due(robot, S(10.4));
    robo__robot_unlock(robot);
    assert_int_equal(take_answers(a), ROW);
    expect_signal(ROBO__TURN, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(ROBO__TURN + 1, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_signal(ROW - 1, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_signal(ROW, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* Where a session has no room to wait in, what it sends does not overtake what waits. */
TEST(a_row_without_room_overtakes_nobody)
{
    robot->revisions->body->description.deadman = 0;
    struct robo__session *s = open_session(NULL, NULL);
    send_row(a, set_speed(0, 1), 200);
    robot->timeline.queue.capacity =
        robot->timeline.queue.count - ROBO__TURN; /* as if others had it all */
    uint32_t id = send_cmd(s, set_joint(0, 1, 1, 1));
    take_answers(s);
    expect_signal(id, ROBO_ERROR, ROBO_WHY_FULL);
    assert_int_equal(heard(ROBO_SET_JOINT), 0);
    robo__session_close(s);
}

/* While the devices are away, nothing of a long package waits for them. */
TEST(a_row_while_the_devices_are_away)
{
    robot->port.detached = true;
    send_row(a, set_speed(0, 1), 200);
    assert_int_equal(take_answers(a), 200);
    expect_signal(last_id, ROBO_BUSY, ROBO_WHY_CHANGED);
    robot->port.detached = false;
}

/* A stop that comes after its date ends the whole row before it, also what has not begun. */
TEST(a_late_stop_behind_a_row)
{
    run_until(10);
    struct robo_cmd row[200];
    for (uint32_t i = 0; i < 200; i++) {
        row[i] = i < 199 ? set_speed(9.5, 1) : stop(9.6);
        row[i].id = i + 1;
    }
    uint32_t later = send_cmd(a, set_speed(10.1, 3));
    robo__session_commands(a, row, 200, knows(a), robo_now(world), robo_now(world));
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    run_until(10.05);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    run_until(10.2);
    assert_int_equal(take_answers(a), 201);
    expect_signal(199, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    expect_signal(200, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(later, ROBO_SUCCESS, ROBO_WHY_NONE);
}

/* A session that moves a joint and is silent; and a row for 1.2 s of another, which is heard, and of which one turn is
 * done so late. */
static void begin_row_late(double late)
{
    enum { ROW = 1000 };
    expect_answer(b, joint_speed(1, 1, 0.1), ROBO_SUCCESS, ROBO_WHY_NONE);
    send_row(a, set_speed(1.2, 1), ROW);
    world->now = S(late);
    robo__session_heard(a, 0, ROBO_NO_TIME, S(late));
    robo__robot_lock(robot);
    robo__robot_run_due(robot, S(late));
    robo__robot_unlock(robot);
    assert_in_range(heard(ROBO_SET_SPEED), 1, ROBO__TURN);
}

/* The deadman of who is silent does not wait for the end of others' rows. */
TEST(the_deadman_does_not_wait_for_a_row)
{
    begin_row_late(1.6);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(b->mover.silence, S(0.6));
}

/* A stop that waits for its date, which falls behind a row, ends what should have begun before it; what is later goes on. */
TEST(a_waiting_stop_does_not_wait_for_a_row)
{
    uint32_t taken_back = send_cmd(b, stop(1.1)), waiting = send_cmd(b, stop(1.21)),
             later = send_cmd(b, set_speed(1.3, 2));
    robo__session_cancel(b, taken_back, robo_now(world));
    begin_row_late(1.25);
    assert_int_equal(heard_log[heard_count - 1].op, ROBO_STOP);
    size_t begun = heard(ROBO_SET_SPEED);
    run_until(1.4);
    assert_int_equal(heard(ROBO_SET_SPEED), begun + 1);
    take_answers(b);
    expect_signal(waiting, ROBO_SUCCESS, ROBO_WHY_NONE);
    expect_signal(later, ROBO_SUCCESS, ROBO_WHY_NONE);
    take_answers(a);
    expect_signal(last_id, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
}

/* Nor does a device, which has to answer what is over. */
TEST(a_device_does_not_wait_for_a_row)
{
    acting.goal = S(0.3);
    uint32_t over = send_cmd(b, set_joint(0, 1, 2, 1));
    begin_row_late(1.35);
    take_answers(b);
    expect_signal(over, ROBO_SUCCESS, ROBO_WHY_NONE);
}
