/* The driver of serial servos when something is lost: answers, servos, torque, the port. In virtual time, on its simulated bus. */
#include "servos_arm.h"

TEST(damaged_answers_and_noise_are_asked_for_again)
{
    open_arm(ROBO_HOLD);
    for (int i = 0; i < 4; i++) {
        fault("checksum", 0, 0);
        fault("noise", 2, 0);
        fault("silent", 1, 0);
        expect_obeyed(go(1, 0.2 * i));
        assert_true(is_at(0, 0.2 * i));
    }
    assert_false(in_panic());
    assert_int_equal(logged("servo"), 0);
    close_world();
}

TEST(a_servo_that_does_not_answer_is_a_panic_with_its_name)
{
    open_arm(ROBO_HOLD);
    struct robo_cmd slow = go(2, 1.9);
    slow.body.servo.speed = 0.01;
    const uint32_t id = give(slow);
    run_for(1);
    fault("silent", 1, 5);
    SOON(in_panic());
    assert_true(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, ROBO_WHY_DEVICE);
    assert_int_equal(logged("joint2: servo 2 does not answer"), 1);
    robo_reset(robot);
    expect_obeyed(go(1, 0.3)); /* the others go on */
    expect_error(go(2, 0), ROBO_WHY_DEVICE);
    run_for(2);
    assert_int_equal(logged("joint2: servo 2 does not answer"), 1);
    assert_true(moved_in(4) < A_TICK);
    assert_int_equal(logged("joint2: servo 2 is back"), 1);
    expect_obeyed(go(2, 0.5));
    close_world();
}

/* While it is looked for, the goals of the others go out in time. */
TEST(a_silent_servo_does_not_hold_up_the_others)
{
    open_arm(ROBO_HOLD);
    fault("silent", 1, 20);
    SOON(in_panic());
    robo_reset(robot);
    give(run(1, 0.5));
    for (double t = 0.1; t < 2; t += 0.01) { /* behind by three and a half cycles at most */
        run_for(t < 0.11 ? 0.1 : 0.01);
        const double behind = 0.5 * t - angle_of(0);
        assert_true(behind > 0 && behind < 0.5 * 0.035 + 0.0125); /* to 0.5 rad/s at 10 rad/s2 */
    }
    close_world();
}

/* Its torque is off, and its registers are as at power-up. */
TEST(a_servo_that_restarts_is_a_panic_and_holds_where_it_is_afterwards)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(go(2, 1));
    fault("restart", 1, 0);
    SOON(in_panic());
    assert_false(has_torque(1));
    turn_by_hand(1, 0.8); /* the arm has sunk */
    run_for(1.5);
    robo_reset(robot);
    assert_true(moved_in(1) < A_TICK);
    assert_true(has_torque(1) && is_at(1, 0.8));
    expect_obeyed(go(2, 0.5));
    close_world();
}

TEST(an_overload_is_a_panic_each_time_until_it_is_over)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(go(1, 0.2));
    fault("overload", 0, 5);
    SOON(in_panic());
    assert_int_equal(logged("joint1: servo 1 reports overload"), 1);
    robo_reset(robot);
    SOON(logged("joint1: servo 1 reports overload") == 2 && in_panic());
    run_for(5);
    fault("restart", 0, 0); /* a Feetech servo keeps the alarm until then */
    run_for(2);
    robo_reset(robot);
    expect_obeyed(go(1, 0.3));
    close_world();
}

TEST(a_low_voltage_is_a_warning_unless_it_takes_the_torque)
{
    open_arm(ROBO_HOLD);
    fault("voltage", 0, 0.5);
    run_for(1);
    assert_int_equal(logged("joint1: servo 1 reports voltage"), 1);
    assert_false(in_panic());
    poke(0, 19, 1, 45); /* the unload mask has the bit */
    fault("voltage", 0, 0.5);
    SOON(in_panic());
    run_for(1);
    robo_reset(robot);
    expect_obeyed(go(1, 0.3));
    close_world();
}

static void stop_shaft(unsigned servo, bool stopped)
{
    const double at = seen(servo).angle;
    const struct robo__servo_bus_touch touch = { .is_stopped = stopped, .least = at, .most = at };
    assert_int_equal(robo__servo_bus_touch(arm->port.bus, servo + 1, bus_time(), &touch), 0);
}

TEST(a_joint_that_is_blocked_gets_no_closer_and_is_held_where_it_is_in_a_panic)
{
    open_arm(ROBO_HOLD);
    poke(0, 36, 1, 101); /* no overload */
    stop_shaft(0, true);
    await_answer(go(1, 1));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    assert_int_equal(word.reason, ROBO_WHY_LIMIT);
    robo_panic(robot);
    run_for(0.05);
    stop_shaft(0, false);
    robo_reset(robot);
    assert_true(moved_in(0.5) < A_TICK);
    assert_true(is_at(0, 0));
    close_world();
}

TEST(a_cable_that_is_pulled_is_a_panic_and_the_arm_holds_when_it_is_back)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(go(1, 0.5));
    arm->port.unplugged = true;
    SOON(in_panic());
    assert_int_equal(logged("simulated is gone"), 1);
    robo_reset(robot);
    expect_error(go(1, 0), ROBO_WHY_LINK);
    fault("restart", 0, 0); /* it lost its supply, and is moved */
    run_for(1);
    turn_by_hand(0, 1.2);
    arm->port.unplugged = false;
    assert_true(moved_in(1) < A_TICK);
    assert_true(logged("is back") >= 1);
    assert_true(has_torque(0) && is_at(0, 1.2));
    assert_false(in_panic());
    expect_obeyed(go(1, 0.5));
    close_world();
}

TEST(in_a_panic_nothing_is_switched_on)
{
    open_arm(ROBO_HOLD);
    robo_panic(robot);
    fault("restart", 0, 0);
    arm->port.unplugged = true;
    SOON(logged("is gone") == 1);
    arm->port.unplugged = false;
    SOON(logged("is back") >= 1);
    run_for(2);
    assert_false(has_torque(0));
    robo_reset(robot);
    run_for(0.5);
    assert_true(has_torque(0) && is_at(0, 0));
    close_world();
}

/* ---- alarms that last until a restart ---- */

/* These alarms, after which servo 3 has no torque. */
static void shut_down(const char *kind, double seconds)
{
    fault(kind, 2, seconds);
    SOON(in_panic());
    run_for(seconds);
    assert_false(has_torque(2));
}

/* The command comes while the servo has no torque: it waits for the restart. */
static void expect_restarted(void)
{
    robo_reset(robot);
    expect_obeyed(go(3, 0.2));
    assert_true(has_torque(2) && is_at(2, 0.2));
    assert_int_equal(peek(2, 70, 1), 0);
}

TEST(a_servo_that_has_shut_down_is_restarted_after_the_reset)
{
    open_dynamixels(ROBO_HOLD);
    expect_obeyed(go(3, 0.1));
    shut_down("overload", 4);
    assert_int_equal(logged("joint3: servo 3 reports overload"), 1);
    expect_restarted();
    shut_down("voltage", 0.5); /* a mild alarm, but not for this servo */
    assert_int_equal(logged("joint3: servo 3 has no torque: it has restarted, or shut down"), 1);
    expect_restarted();
    close_world();
}

TEST(a_servo_that_keeps_its_alarm_is_restarted_once_after_each_reset)
{
    open_dynamixels(ROBO_HOLD);
    shut_down("heat", 3);
    fault("heat", 2, 20);
    for (int i = 1; i <= 2; i++) {
        robo_reset(robot);
        SOON(in_panic());
        run_for(3);
        assert_int_equal(logged("servo 3 still has its alarm (0x04) after a restart"), 1);
    }
    close_world();
}
