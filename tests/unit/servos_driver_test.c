/* The driver of serial servos against played ones: coming up, moving, panics. */
#include "servos_bus.h"

#include <sys/wait.h>

#include "robotalk/emergency.h"

TEST(servos_come_up_where_they_are)
{
    open_arm(ROBO_HOLD);
    for (unsigned i = 0; i < SERVOS; i++) {
        assert_true(has_torque(i));
        assert_int_equal(position_of(i), 2048 + 100 * ((int)i + 1));
    }
    EVENTUALLY(fabs(reported(1) - 200 * 2 * 3.14159265358979 / 4096) < 1e-6);
    assert_int_equal(bus.jump, 0);
    close_arm();
}

TEST(a_set_point_is_reached_on_a_path_of_points)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(go(1, 1));
    assert_true(is_at(0, 1));
    expect_obeyed(go(3, -0.5));
    assert_true(is_at(2, -0.5));
    assert_true(bus.jump < 1300); /* the whole way is more */
    close_arm();
}

TEST(a_set_point_beyond_a_limit_is_clipped)
{
    open_arm(ROBO_HOLD);
    await_answer(go(1, 9));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    EVENTUALLY(is_at(0, 2));
    close_arm();
}

TEST(a_dof_by_position_takes_speeds_and_stops)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(run(2, -1));
    EVENTUALLY(position_of(1) < 2048);
    await_answer((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    assert_int_equal(word.signal, ROBO_SUCCESS);
    EVENTUALLY(peek(1, 42, 2) == position_of(1));
    assert_false(is_at(1, -2));
    close_arm();
}

TEST(a_servo_may_turn_the_other_way_from_its_own_zero)
{
    wire("sts3215 id=1 zero=2148 sign=-1", "sts3215 id=2", "sts3215 id=3");
    begin_with(&STS, ROBO_HOLD);
    open_described();
    expect_obeyed(go(1, 0.5));
    assert_true(abs(position_of(0) - (2148 - (ticks(0.5) - 2048))) <= 25);
    close_arm();
}

TEST(a_servo_may_make_its_own_motion)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    wired[PROFILE].value.text = "servo";
    begin_with(&STS, ROBO_HOLD);
    WITH_BUS(bus.step = 20);
    open_described();
    await_answer(go(1, 1.5));
    assert_true(word.signal == ROBO_SUCCESS || word.signal == ROBO_MODIFIED);
    EVENTUALLY(is_at(0, 1.5));
    assert_int_equal(peek(0, 42, 2), ticks(1.5));
    assert_int_equal(peek(0, 41, 1), 65);   /* 10 rad/s2 */
    assert_int_equal(peek(0, 46, 2), 1304); /* 2 rad/s */
    close_arm();
}

static bool has_goal_between(unsigned servo, double low, double high)
{
    const int goal = peek(servo, 42, 2);
    return goal > ticks(low) && goal < ticks(high);
}

TEST(speeds_and_moving_set_points_go_by_points_also_with_the_servo_s_own_motion)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    wired[PROFILE].value.text = "servo";
    begin_with(&STS, ROBO_HOLD);
    open_described();
    expect_obeyed(run(1, 0.2));
    EVENTUALLY(has_goal_between(0, 0.2, 1.9));
    assert_int_equal(peek(0, 41, 1), 0);    /* the points have the acceleration */
    assert_int_equal(peek(0, 46, 2), 1630); /* a quarter above 2 rad/s */
    struct robo_cmd moving = go(1, 0.5);
    moving.body.servo.velocity[0] = 0.2;
    give(moving);
    EVENTUALLY(has_goal_between(0, 1.5, 1.9));
    EVENTUALLY(is_at(0, 2));
    const unsigned heard = bus.heard;
    EVENTUALLY(bus.heard > heard + 20);
    assert_true(is_at(0, 2)); /* the end of the dof, not where it caught up */
    close_arm();
}

/* ---- panics ---- */

TEST(a_panic_holds_where_the_arm_is)
{
    open_arm(ROBO_HOLD);
    give(run(1, -0.2));
    EVENTUALLY(position_of(0) < 2140);
    robo_panic(robot);
    EVENTUALLY(peek(0, 42, 2) == position_of(0));
    assert_true(has_torque(0) && position_of(0) > ticks(-1.9));
    robo_reset(robot);
    expect_obeyed(go(1, 0.2));
    close_arm();
}

TEST(a_limp_arm_comes_up_again_where_it_was_moved_to)
{
    open_arm(ROBO_LIMP);
    expect_obeyed(go(1, 0.5));
    robo_panic(robot);
    for (unsigned i = 0; i < SERVOS; i++)
        EVENTUALLY(!has_torque(i));
    give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE }); /* changes nothing */
    poke(0, 56, 2, 1500);                                              /* by hand */
    WITH_BUS(bus.jump = 0);
    EVENTUALLY(reported(0) < -0.8);
    assert_false(has_torque(0));
    robo_reset(robot);
    for (unsigned i = 0; i < SERVOS; i++)
        EVENTUALLY(has_torque(i));
    assert_int_equal(position_of(0), 1500);
    assert_int_equal(bus.jump, 0);
    expect_obeyed(go(1, -0.5));
    close_arm();
}

TEST(a_retreat_moves_where_the_description_says)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    begin_with(&STS, ROBO_RETREAT);
    description.dof[1].retreats = 1;
    description.dof[1].retreat = -1;
    open_described();
    robo_panic(robot);
    EVENTUALLY(is_at(1, -1));
    assert_int_equal(position_of(0), 2148);
    close_arm();
}

/* ---- wheels ---- */

static void open_wheels(const struct kind *kind, const char *one, uint8_t panic)
{
    wire(one, kind == &STS ? "sts3215 id=2" : "xl330 id=2",
         kind == &STS ? "sts3215 id=3" : "xl330 id=3");
    begin_with(kind, panic);
    put(0, kind == &STS ? 33 : 11, 1, 1);
    bus.servo[0].wheel = true;
    description.joint[1].servo = ROBO_SERVO_SPEED;
    description.dof[0].low = 1;
    description.dof[0].high = 0;
    open_described();
}

TEST(a_wheel_turns_with_its_speed_and_is_stopped_by_a_panic)
{
    static const struct kind *const kinds[] = { &STS, &XL };
    static const char *const models[] = { "sts3215 id=1", "xl330 id=1" };
    static const uint8_t policies[] = { ROBO_HOLD, ROBO_BRAKE };
    for (unsigned i = 0; i < 4; i++) {
        open_wheels(kinds[i / 2], models[i / 2], policies[i % 2]);
        expect_obeyed(run(1, -1));
        EVENTUALLY(speed_of(0) == (i / 2 ? -42 : -652));
        robo_panic(robot);
        EVENTUALLY(speed_of(0) == 0);
        close_arm();
    }
}

/* A Feetech wheel has no watchdog of its own. */
TEST(a_wheel_is_stopped_when_the_robot_is_closed)
{
    open_wheels(&STS, "sts3215 id=1", ROBO_HOLD);
    expect_obeyed(run(1, 1));
    EVENTUALLY(speed_of(0) == 652);
    close_world();
    EVENTUALLY(speed_of(0) == 0);
    unplug();
}

TEST(a_wheel_whose_cable_is_back_is_stopped_within_the_panic)
{
    open_wheels(&STS, "sts3215 id=1", ROBO_HOLD);
    expect_obeyed(run(1, 1));
    EVENTUALLY(speed_of(0) == 652);
    unplug();
    EVENTUALLY(in_panic());
    assert_int_equal(speed_of(0), 652);
    plug_in();
    EVENTUALLY(speed_of(0) == 0);
    assert_true(in_panic());
    close_arm();
}

/* The bytes are made when the robot is added: another process, which has only them, stops the wheel. */
TEST(a_wheel_is_stopped_by_a_program_that_dies)
{
    open_wheels(&STS, "sts3215 id=1", ROBO_HOLD);
    expect_obeyed(run(1, 1));
    EVENTUALLY(speed_of(0) == 652);
    const unsigned stopped = bus.stopped;
    const pid_t child = fork();
    if (child == 0) {
        robo_emergency_write();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    EVENTUALLY(bus.stopped >= stopped + 2); /* it writes twice */
    close_world();
    unplug();
}

/* ---- Dynamixel ---- */

static void open_dynamixels(uint8_t panic)
{
    wire("xl330 id=1", "xl330 id=2", "xl330 id=3");
    begin_with(&XL, panic);
    open_described();
}

TEST(dynamixel_servos_move_with_their_watchdog_armed)
{
    open_dynamixels(ROBO_HOLD);
    for (unsigned i = 0; i < SERVOS; i++)
        assert_int_equal(peek(i, 98, 1), 25); /* 0.5 s */
    expect_obeyed(go(1, 1));
    assert_true(is_at(0, 1));
    assert_int_equal(peek(0, 112, 4), 104); /* a quarter above 2 rad/s */
    close_arm();
}

TEST(a_watchdog_that_has_tripped_is_a_panic_and_is_armed_again)
{
    open_dynamixels(ROBO_HOLD);
    poke(1, 98, 1, 255);
    EVENTUALLY(in_panic());
    assert_int_equal(logged("joint2: servo 2 was stopped by its watchdog"), 1);
    expect_well_again(2, 0.2);
    assert_int_equal(peek(1, 98, 1), 25);
    close_arm();
}

TEST(a_servo_that_has_shut_down_is_restarted_after_the_reset)
{
    open_dynamixels(ROBO_HOLD);
    WITH_BUS(put(2, 64, 1, 0); put(2, 70, 1, 1 << 5); bus.servo[2].error = 0x80);
    EVENTUALLY(in_panic());
    EVENTUALLY(logged("joint3: servo 3 reports overload") == 1);
    WITH_BUS(bus.servo[2].error = 0);
    expect_well_again(3, 0.2);
    assert_true(has_torque(2));
    assert_int_equal(peek(2, 70, 1), 0);
    close_arm();
}

/* ---- by hand ---- */

TEST(servos_without_torque_are_read_and_take_no_commands)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    wired[TORQUE].value.integer = 0;
    begin_with(&STS, ROBO_HOLD);
    open_described();
    poke(0, 56, 2, 3000);
    EVENTUALLY(reported(0) > 1.4);
    await_answer(go(1, 0));
    assert_int_equal(word.signal, ROBO_NA);
    robo_panic(robot);
    robo_reset(robot);
    const unsigned heard = bus.heard;
    EVENTUALLY(bus.heard > heard + 20);
    for (unsigned i = 0; i < SERVOS; i++)
        assert_false(has_torque(i));
    close_arm();
}

/* ---- other servos ---- */

TEST(servos_without_a_sync_read_are_read_one_by_one)
{
    wire("ax12 id=1", "ax12 id=2", "ax12 id=3");
    begin_with(&AX, ROBO_HOLD);
    open_described();
    assert_true(has_torque(2));
    assert_int_equal(position_of(2), 812);
    expect_obeyed(go(1, 0.5));
    assert_true(abs(position_of(0) - (512 + 98)) <= 6);
    close_arm();
}

static struct robo_cmd push(uint8_t joint, double torque)
{
    struct robo_cmd cmd = run(joint, torque);
    cmd.op = ROBO_SET_JOINT_FORCE;
    return cmd;
}

TEST(a_servo_by_current_takes_torques_until_a_panic)
{
    wire("xl330 id=1", "xl330 id=2", "xl330 id=3");
    begin_with(&XL, ROBO_HOLD);
    put(0, 11, 1, 0);
    bus.servo[0].wheel = true;
    put(0, 102, 2, 99);
    description.joint[1].servo = ROBO_SERVO_FORCE;
    description.dof[0].force = 0.2;
    open_described();
    assert_int_equal(peek(0, 102, 2), 0);
    expect_obeyed(push(1, 0.1));
    EVENTUALLY(peek(0, 102, 2) == 283); /* mA */
    await_answer(push(1, 9));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    EVENTUALLY(peek(0, 102, 2) == 565);
    robo_panic(robot);
    EVENTUALLY(peek(0, 102, 2) == 0);
    close_arm();
}

/* ---- readings ---- */

static bool is_sensed(unsigned sensor, unsigned values, const double *wanted)
{
    struct robo_reading reading;
    double value[8];
    bool good = robo_sense(robot, sensor, 0, &reading, sizeof reading, value, 8) == 1 &&
                reading.count == values && reading.time <= robo_now(world);
    for (unsigned i = 0; i < values && good; i++)
        good = isnan(wanted[i]) ? isnan(value[i]) : fabs(value[i] - wanted[i]) < 1e-4;
    return good;
}

TEST(readings_of_servos_are_those_of_sensors)
{
    static struct robo_sensor sensors[] = {
        { .name = "angle", .kind = "encoder", .link = 1, .count = 1 },
        { .name = "heat", .kind = "temperature", .link = 2, .count = 1 },
        { .name = "supply", .kind = "battery", .link = 1, .count = 1 },
        { .name = "all",
          .kind = "servo",
          .link = 3,
          .count = 4,
          .values = "voltage position load what" },
    };
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    begin_with(&STS, ROBO_HOLD);
    description.sensors = 4;
    description.sensor = sensors;
    put(2, 60, 2, 0x400 | 250);
    open_described();
    EVENTUALLY(is_sensed(0, 1, (double[]){ 0.153398 }));
    EVENTUALLY(is_sensed(1, 1, (double[]){ 313.15 }));
    EVENTUALLY(is_sensed(2, 3, (double[]){ NAN, 12.1, 0.65 }));
    EVENTUALLY(is_sensed(3, 4, (double[]){ 12.1, 0.460194, -0.25, NAN }));
    close_arm();
}
