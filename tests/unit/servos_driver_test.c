/* The driver of serial servos on its simulated bus: the cycle, moving, panics, readings. */
#include "servos_arm.h"

TEST(a_set_point_is_reached_on_a_path_of_points)
{
    open_arm(ROBO_HOLD);
    const uint32_t id = give(go(1, 1)); /* 0.2 s to 2 rad/s, 0.3 s, 0.2 s */
    static const double at[][2] = {
        { 0.1, 0.05 }, { 0.2, 0.2 }, { 0.35, 0.5 }, { 0.5, 0.8 }, { 0.6, 0.95 }
    };
    for (size_t i = 0; i < 5;
         i++) { /* behind by a cycle of 10 ms, at 2 rad/s, and by what a servo needs */
        run_for(at[i][0] - (i > 0 ? at[i - 1][0] : 0));
        assert_true(at[i][1] - angle_of(0) > 0 && at[i][1] - angle_of(0) < 0.1);
    }
    SOON(answered(id));
    assert_int_equal(word.signal, ROBO_SUCCESS);
    assert_true(is_at(0, 1));
    close_world();
}

TEST(set_points_of_several_joints)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(go(1, 1));
    assert_true(is_at(0, 1));
    expect_obeyed(go(3, -0.5));
    assert_true(is_at(2, -0.5) && is_at(0, 1) && is_at(1, 0));
    close_world();
}

TEST(a_set_point_beyond_a_limit_is_clipped)
{
    open_arm(ROBO_HOLD);
    await_answer(go(1, 9));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    assert_true(is_at(0, 2));
    close_world();
}

TEST(a_dof_by_position_takes_speeds_and_stops)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(run(2, -1));
    run_for(0.5);
    assert_true(fabs(seen(1).speed + 1) < 0.1);
    await_answer((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    assert_int_equal(word.signal, ROBO_SUCCESS);
    run_for(0.1);
    assert_true(seen(1).speed == 0 && !is_at(1, -2));
    close_world();
}

TEST(a_servo_may_turn_the_other_way_from_its_own_zero)
{
    describe("sts3215 id=1 zero=2148 sign=-1", "sts3215 id=2", "sts3215 id=3", ROBO_HOLD);
    open_described();
    expect_obeyed(go(1, 0.5));
    assert_true(is_at(0, 100 * 2 * M_PI / 4096 - 0.5));
    close_world();
}

TEST(a_servo_may_make_its_own_motion)
{
    describe_feetech(ROBO_HOLD);
    wired[PROFILE].value.text = "servo";
    open_described();
    give(go(1, 1.5));
    run_for(0.05);
    assert_int_equal(peek(0, 42, 2), 2048 + 978); /* the goal goes out at once */
    assert_int_equal(peek(0, 41, 1), 65);         /* 10 rad/s2 */
    assert_int_equal(peek(0, 46, 2), 1304);       /* 2 rad/s */
    run_for(1.2);
    assert_true(is_at(0, 1.5));
    struct robo_cmd slow = go(1, 0); /* a command's own speed */
    slow.body.servo.speed = 0.5;
    give(slow);
    run_for(1);
    assert_true(fabs(seen(0).speed + 0.5) < 0.01);
    close_world();
}

/* A speed has no end, and a moving set-point none that stands. */
TEST(what_does_not_stand_goes_point_by_point_in_any_profile)
{
    describe_feetech(ROBO_HOLD);
    wired[PROFILE].value.text = "servo";
    open_described();
    expect_obeyed(run(1, 0.2));
    run_for(1);
    assert_true(fabs(angle_of(0) - 0.2) < 0.02);
    struct robo_cmd moving = go(2, 0.1);
    moving.body.servo.velocity[0] = -0.3;
    give(moving);
    run_for(2);
    assert_true(fabs(angle_of(1) - (0.1 - 0.6)) < 0.02);
    close_world();
}

/* ---- the rate ---- */

TEST(the_bus_carries_what_bytes_and_return_delays_allow)
{
    static const size_t counts[] = { 6, 12, 20 };
    for (size_t k = 0; k < 3; k++) {
        const size_t n = counts[k];
        struct robo__servos_servo servo[20];
        struct robo__servos_cycle cycle;
        for (size_t i = 0; i < n; i++)
            servo[i] = (struct robo__servos_servo){ .model = robo__servos_model("sts3215"),
                                                    .id = (uint8_t)(i + 1) };
        robo__servos_cycle_make(&cycle, servo, n);
        const struct robo__servos_line line = { .baud = 1e6, .delay = 0.0005 };
        /* sync write of 2 bytes each, sync read of 6 from all, and the longest answer of one: 10 us a byte */
        const double bytes = (8 + 3 * (double)n) + (8 + (double)n) + 12 * (double)n + 8 + 6 + 9;
        const double need = bytes * 1e-5 + 0.0005 * (double)(n + 1);
        assert_true(robo__servos_cycle_most(&cycle, &line) > 0.95 / need);
    }
}

/* ---- the robot's bus ---- */

/* What the driver has written: sync writes to one servo, which are 11 bytes, and others. */
static struct {
    unsigned single, others;
    uint8_t id[256];       /* of the first ones */
    robo_time last, least; /* least: between two */
} wire;

static ssize_t tap(struct robo__servos_port *p, const uint8_t *bytes, size_t n)
{
    const robo_time now = p->clock;
    if (n > 4 && bytes[4] == ROBO__SERVOS_SYNC_WRITE && n != 11)
        wire.others++;
    if (n == 11 && bytes[4] == ROBO__SERVOS_SYNC_WRITE) {
        if (wire.single < sizeof wire.id)
            wire.id[wire.single] = bytes[7];
        if (wire.single > 0 && now - wire.last < wire.least)
            wire.least = now - wire.last;
        wire.last = now;
        wire.single++;
    }
    return robo__servos_simulated.write(p, bytes, n);
}

static void order_messages(enum robo_order order, uint8_t servo)
{
    description.bus_order = order;
    description.bus_rate = 2000;
    for (unsigned i = 1; i <= SERVOS; i++)
        description.joint[i].servo = servo;
}

static void open_on_bus(enum robo_order order, uint8_t panic)
{
    static struct robo__servos_port_kind tapped;
    describe_feetech(panic);
    order_messages(order, ROBO_SERVO_SETPOINT);
    open_described();
    memset(&wire, 0, sizeof wire);
    wire.least = ROBO_NEVER;
    tapped = robo__servos_simulated;
    tapped.write = tap;
    arm->port.kind = &tapped;
}

static struct robo_reply_bus bus_report(void)
{
    struct robo_reply_bus reply;
    robo__robot_lock(robot);
    assert_int_equal(robo__bus_report(&robot->bus, &reply), 0);
    robo__robot_unlock(robot);
    return reply;
}

TEST(a_message_of_the_bus_is_a_sync_write_to_one_servo)
{
    open_on_bus(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    expect_obeyed(go(1, 1));
    assert_true(is_at(0, 1) && is_at(1, 0));
    const struct robo_reply_bus reply = bus_report();
    assert_true(wire.single > 100 && wire.single == reply.messages);
    assert_true(reply.told[0] > 0.8 * wire.single && reply.refused > 0 && reply.lost == 0);
    assert_true(wire.least >= 110000); /* ns: 11 bytes at 1,000,000 baud */
    const unsigned others = wire.others;
    run_for(1); /* cycles write no goals */
    assert_int_equal(wire.others, others);
    expect_obeyed(go(3, -0.5));
    assert_true(is_at(0, 1) && is_at(2, -0.5));
    close_world();
}

TEST(messages_go_round_where_the_order_does)
{
    open_on_bus(ROBO_ORDER_UPDATED, ROBO_HOLD);
    expect_obeyed(go(2, 0.5));
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(wire.id[i], i % 3 + 1);
    close_world();
}

/* Joint 1 falls in a panic that lets the arm limp, and joint 2 is moved after the reset. */
static void expect_no_return(enum robo_order order, robo_time age)
{
    describe_feetech(ROBO_LIMP);
    order_messages(order, ROBO_SERVO_SETPOINT);
    description.bus_age = age;
    open_described();
    expect_obeyed(go(1, 1));
    robo_panic(robot);
    run_for(0.2);
    turn_by_hand(0, -1);
    run_for(0.5);
    robo_reset(robot);
    run_for(0.5);
    expect_obeyed(go(2, 0.5));
    run_for(1);
    assert_true(is_at(0, -1));
    close_world();
}

TEST(an_arm_that_fell_stays_where_it_fell)
{
    expect_no_return(ROBO_ORDER_OPTIMAL, 0);
    expect_no_return(ROBO_ORDER_OPTIMAL, 300000000);
    expect_no_return(ROBO_ORDER_UPDATED, 0);
}

TEST(a_servo_that_is_back_obeys_messages)
{
    open_on_bus(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    fault("silent", 0, 3);
    SOON(in_panic());
    robo_reset(robot);
    give(go(1, 0.5)); /* of a servo that is lost: an error */
    run_for(5);
    expect_obeyed(go(2, 0.3));
    expect_obeyed(go(1, 0.5));
    assert_true(is_at(0, 0.5) && is_at(1, 0.3));
    close_world();
}

TEST(cycles_end_what_a_halt_has_begun_before_messages_go_on)
{
    describe_feetech(ROBO_RETREAT);
    description.dof[1].retreats = 1;
    description.dof[1].retreat = -1;
    order_messages(ROBO_ORDER_OPTIMAL, ROBO_SERVO_SETPOINT);
    open_described();
    expect_obeyed(go(1, 0.3));
    robo_panic(robot);
    run_for(0.1);
    robo_reset(robot);
    run_for(0.02);
    give(go(1, 1.5)); /* waits for the end of the retreat */
    unsigned goal = peek(0, 42, 2), most = 0;
    for (int i = 0; i < 3000; i++) {
        run_for(0.001);
        const unsigned next = peek(0, 42, 2);
        most = next > goal + most ? next - goal : most;
        goal = next;
    }
    assert_true(most * A_TICK < 0.25); /* 0.12 s at the dof's 2 rad/s */
    expect_obeyed(go(1, 0));
    assert_true(is_at(0, 0) && is_at(1, -1));
    close_world();
}

TEST(a_line_that_is_lost_ends_messages)
{
    open_on_bus(ROBO_ORDER_OPTIMAL, ROBO_HOLD);
    give(go(1, 1));
    run_for(0.1);
    arm->port.unplugged = true;
    SOON(in_panic());
    arm->port.unplugged = false;
    run_for(1);
    robo_reset(robot);
    expect_obeyed(go(1, 0.5));
    assert_true(is_at(0, 0.5));
    close_world();
}

static void expect_refused(const char *what)
{
    char why[128] = "";
    assert_int_equal(robo_servos_driver.check(&description, 0, why), ROBO_EINVAL);
    if (strcmp(why, what) != 0)
        fail_msg("expected %s, got %s", what, why);
}

TEST(a_bus_that_cannot_be_is_refused)
{
    describe_feetech(ROBO_HOLD);
    order_messages(ROBO_ORDER_OPTIMAL, ROBO_SERVO_SETPOINT);
    description.bus_rate = 9100;
    expect_refused("bus.rate: the line carries 9090 messages a second, got 9100");
    order_messages(ROBO_ORDER_OPTIMAL, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED);
    expect_refused("joint1: on a bus a servo takes set-points alone: servo = { \"setpoint\" }");
    order_messages(ROBO_ORDER_PREDICTIVE, ROBO_SERVO_SETPOINT);
    expect_refused("bus.order: servos keep no message for later: not synchronised or predictive");
}

/* ---- panics ---- */

TEST(a_panic_holds_where_the_arm_is)
{
    open_arm(ROBO_HOLD);
    give(run(1, -0.2));
    run_for(1);
    const double was = angle_of(0);
    robo_panic(robot);
    run_for(1);
    assert_true(was < -0.1 && has_torque(0) && fabs(angle_of(0) - was) < 0.01);
    robo_reset(robot);
    expect_obeyed(go(1, 0.2));
    close_world();
}

TEST(a_limp_arm_comes_up_again_where_it_was_moved_to)
{
    open_arm(ROBO_LIMP);
    expect_obeyed(go(1, 0.5));
    robo_panic(robot);
    run_for(0.05);
    for (unsigned i = 0; i < SERVOS; i++)
        assert_false(has_torque(i));
    give((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE }); /* changes nothing */
    turn_by_hand(0, -0.8);
    run_for(0.1);
    assert_true(fabs(reported(0) + 0.8) < 0.01);
    assert_false(has_torque(0));
    robo_reset(robot);
    assert_true(moved_in(0.5) < A_TICK);
    for (unsigned i = 0; i < SERVOS; i++)
        assert_true(has_torque(i));
    assert_true(is_at(0, -0.8));
    expect_obeyed(go(1, -0.5));
    close_world();
}

TEST(a_retreat_moves_where_the_description_says)
{
    describe_feetech(ROBO_RETREAT);
    description.dof[1].retreats = 1;
    description.dof[1].retreat = -1;
    open_described();
    robo_panic(robot);
    run_for(1.5);
    assert_true(is_at(1, -1) && is_at(0, 0));
    close_world();
}

/* ---- wheels ---- */

static void open_wheel(bool feetech, uint8_t panic)
{
    (feetech ? describe_feetech : describe_dynamixel)(panic);
    description.joint[1].servo = ROBO_SERVO_SPEED;
    description.dof[0].low = 1;
    description.dof[0].high = 0;
    open_described();
}

TEST(a_wheel_turns_with_its_speed_and_is_stopped_by_a_panic)
{
    static const uint8_t policies[] = { ROBO_HOLD, ROBO_BRAKE, ROBO_LIMP };
    for (unsigned i = 0; i < 6; i++) {
        open_wheel(i / 3, policies[i % 3]);
        expect_obeyed(run(1, -1));
        run_for(0.3);
        assert_true(fabs(seen(0).speed + 1) < 0.02);
        robo_panic(robot);
        run_for(0.15);
        assert_true(seen(0).speed == 0);
        close_world();
    }
}

static void expect_stopped_when_back(bool reset_first)
{
    open_wheel(true, ROBO_HOLD);
    expect_obeyed(run(1, 1));
    run_for(0.3);
    arm->port.unplugged = true;
    run_for(0.1);
    assert_true(in_panic());
    assert_true(fabs(seen(0).speed - 1) < 0.02); /* it has no watchdog */
    if (reset_first)
        robo_reset(robot);
    if (reset_first) /* its answers do not come: it does not rise */
        fault("silent", 0, 30);
    arm->port.unplugged = false;
    run_for(0.7);
    assert_true(seen(0).speed == 0);
    close_world();
}

TEST(a_wheel_whose_cable_is_back_is_stopped)
{
    expect_stopped_when_back(false);
    expect_stopped_when_back(true);
}

/* Its answers alone are lost, and a halt was: speed 0 comes again in each cycle, also after the reset. */
TEST(a_lost_wheel_gets_speed_0_until_it_is_back)
{
    open_wheel(true, ROBO_HOLD);
    expect_obeyed(run(1, 1));
    fault("silent", 0, 20);
    SOON(in_panic());
    robo_reset(robot);
    run_for(0.1);
    poke(0, 46, 2, 652);
    run_for(0.1);
    assert_int_equal(peek(0, 46, 2), 0);
    assert_true(seen(0).speed == 0);
    close_world();
}

/* ---- Dynamixel ---- */

TEST(dynamixel_servos_move_with_their_watchdog_armed)
{
    open_dynamixels(ROBO_HOLD);
    for (unsigned i = 0; i < SERVOS; i++)
        assert_int_equal(peek(i, 98, 1), 25); /* 0.5 s */
    expect_obeyed(go(1, 1));
    assert_true(is_at(0, 1));
    assert_int_equal(peek(0, 112, 4), 104); /* a quarter above 2 rad/s */
    close_world();
}

TEST(a_watchdog_that_has_tripped_is_a_panic_and_is_armed_again)
{
    open_dynamixels(ROBO_HOLD);
    poke(1, 98, 1, 255);
    SOON(in_panic());
    assert_int_equal(logged("joint2: servo 2 was stopped by its watchdog"), 1);
    robo_reset(robot);
    expect_obeyed(go(2, 0.2));
    assert_int_equal(peek(1, 98, 1), 25);
    close_world();
}

/* ---- by hand ---- */

TEST(servos_without_torque_are_read_and_take_no_commands)
{
    describe_feetech(ROBO_HOLD);
    wired[TORQUE].value.integer = 0;
    open_described();
    turn_by_hand(0, 1.4);
    run_for(0.1);
    assert_true(fabs(reported(0) - 1.4) < 0.01);
    await_answer(go(1, 0));
    assert_int_equal(word.signal, ROBO_NA);
    robo_panic(robot);
    robo_reset(robot);
    run_for(0.5);
    for (unsigned i = 0; i < SERVOS; i++)
        assert_false(has_torque(i));
    close_world();
}

/* ---- currents ---- */

static struct robo_cmd push(uint8_t joint, double torque)
{
    struct robo_cmd cmd = run(joint, torque);
    cmd.op = ROBO_SET_JOINT_FORCE;
    return cmd;
}

TEST(a_servo_in_current_mode_takes_torques_until_a_panic)
{
    describe_dynamixel(ROBO_HOLD);
    description.joint[1].servo = ROBO_SERVO_FORCE;
    description.dof[0].force = 0.2;
    open_described();
    assert_int_equal(peek(0, 102, 2), 0);
    expect_obeyed(push(1, 0.1));
    run_for(0.05);
    assert_int_equal(peek(0, 102, 2), 283); /* mA */
    await_answer(push(1, 9));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    run_for(0.05);
    assert_int_equal(peek(0, 102, 2), 565);
    robo_panic(robot);
    run_for(0.01);
    assert_int_equal(peek(0, 102, 2), 0);
    close_world();
}

/* ---- readings ---- */

static void expect_sensed(unsigned sensor, unsigned values, const double *wanted)
{
    struct robo_reading reading;
    double value[8];
    assert_int_equal(robo_sense(robot, sensor, 0, &reading, sizeof reading, value, 8), 1);
    assert_int_equal(reading.count, values);
    assert_true(reading.time <= robo_now(world));
    for (unsigned i = 0; i < values; i++)
        assert_true(isnan(wanted[i]) ? isnan(value[i]) : fabs(value[i] - wanted[i]) < 1e-4);
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
    describe_feetech(ROBO_HOLD);
    description.sensors = 4;
    description.sensor = sensors;
    open_described();
    expect_obeyed(go(1, 100 * A_TICK));
    expect_obeyed(go(3, 300 * A_TICK));
    const struct robo__servo_bus_touch pushed = { .torque = -0.25 };
    robo__servo_bus_touch(arm->port.bus, 1, bus_time(), &pushed);
    robo__servo_bus_touch(arm->port.bus, 3, bus_time(), &pushed);
    run_for(2.5); /* a temperature comes once a second */
    expect_sensed(0, 1, (double[]){ 0.153398 });
    expect_sensed(1, 1, (double[]){ 298.15 });
    expect_sensed(2, 3, (double[]){ NAN, 7.4, 0.676 }); /* a quarter of 2.7 A, in steps of 6.5 mA */
    expect_sensed(3, 4, (double[]){ 7.4, 0.460194, 0.25, NAN });
    close_world();
}
