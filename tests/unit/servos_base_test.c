/* The driver of serial servos with a base: three omni wheels, or two that roll one way, on its simulated bus, beside an arm. */
#include "robot/client.h"
#include "servos_arm.h"

static const double RADIUS = 0.05, REACH = 0.125; /* m: of a wheel, from the middle to it */
enum { WHEEL = 1 }; /* the first servo of a wheel; that of the arm is 0 */

static struct robo_option on_wheels[] = {
    TEXT("port", "simulated"),
    REAL("latency", 0),
    FLAG("torque", 1),
    TEXT("joint1", "sts3215 id=1"),
    TEXT("wheel1", "sts3215 id=2"),
    TEXT("wheel2", "sts3215 id=3"),
    TEXT("wheel3", "sts3215 id=4"),
};
enum { WHEELS_TORQUE = 2, WHEELS_JOINT = 3 };

static void add_wheel(uint8_t roll, double angle)
{
    description.shape[description.shapes++] =
        (struct robo_shape){ .kind = ROBO_SHAPE_CYLINDER,
                             .roll = roll,
                             .size = { RADIUS, 0.03 },
                             .position = { REACH * cos(angle), REACH * sin(angle), RADIUS },
                             .attitude = { M_PI / 2, 0, angle - M_PI / 2 } };
}

static double angle_at(unsigned wheel)
{
    return M_PI / 3 * (1 + 2 * wheel);
}

/* wheels: the texts of their servos; two roll one way, the left one backwards with its servo, three are omni wheels. */
static void describe_base(const char *const *wheels, unsigned n, uint8_t panic)
{
    on_wheels[WHEELS_TORQUE].value.integer = 1;
    on_wheels[WHEELS_JOINT].value.text = n == 2 ? "xl430 id=1" : "sts3215 id=1";
    begin_description(&description, SERVOS + 1,
                      (struct robo_description){
                          .name = "kiwi", .devices = 1, .commands = UINT64_MAX, .panic = panic });
    strcpy(description.device[0].driver, "servos");
    TAKES(description.device[0], on_wheels);
    description.device[0].options = (uint16_t)(WHEELS_JOINT + 1 + n);
    description.device[0].base = 1;
    make_chain(&description, 1, ROBO_SERVO_SETPOINT | ROBO_SERVO_SPEED,
               (struct robo_dof){ .name = "q",
                                  .axis = { 0, 0, 1 },
                                  .low = -2,
                                  .high = 2,
                                  .speed = 2,
                                  .acceleration = 10 });
    description.holonomic = n == 3;
    description.base_speed[0] = 0.23;
    description.base_speed[1] = n == 3 ? 0.23 : 0;
    description.base_speed[2] = 1.8;
    description.base_acceleration[0] = description.base_acceleration[1] = 0.5;
    description.base_acceleration[2] = 4;
    for (unsigned i = 0; i < n; i++) {
        on_wheels[WHEELS_JOINT + 1 + i].value.text = wheels[i];
        add_wheel(n == 3 ? ROBO_ROLL_OMNI : ROBO_ROLL_WHEEL,
                  n == 3 ? angle_at(i) : M_PI / 2 * (i ? -1 : 1));
    }
}

static void describe_omni(uint8_t panic)
{
    describe_base((const char *const[]){ "sts3215 id=2", "sts3215 id=3", "sts3215 id=4" }, 3,
                  panic);
}

static void open_omni(uint8_t panic)
{
    describe_omni(panic);
    open_described();
}

static struct robo_cmd drive(double x, double y, double theta)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED,
                              .start = ROBO_AT_ONCE,
                              .body.set_speed = { .x = x, .y = y, .theta = theta } };
}

static struct robo_cmd drive_to(double x, double y, double theta)
{
    return (struct robo_cmd){ .op = ROBO_GO_TO,
                              .start = ROBO_AT_ONCE,
                              .body.go_to = { .x = x, .y = y, .theta = theta } };
}

static const struct robo_cmd STOP = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };

static struct robo_state told(void)
{
    struct robo_state now;
    robo_read(robot, &now, sizeof now);
    return now;
}

/* The twist that rolls such speeds of three wheels, or their turns. */
static void twist_of(const double w[3], double v[3])
{
    v[0] = v[1] = v[2] = 0;
    for (unsigned i = 0; i < 3; i++) {
        v[0] -= sin(angle_at(i)) * w[i] * RADIUS * 2 / 3;
        v[1] += cos(angle_at(i)) * w[i] * RADIUS * 2 / 3;
        v[2] += w[i] * RADIUS / REACH / 3;
    }
}

static void expect_twist(double x, double y, double theta)
{
    double w[3], v[3];
    for (unsigned i = 0; i < 3; i++)
        w[i] = seen(WHEEL + i).speed;
    twist_of(w, v);
    const struct robo_state now = told();
    assert_true(fabs(v[0] - x) < 1e-3 && fabs(v[1] - y) < 1e-3 && fabs(v[2] - theta) < 0.01);
    assert_true(fabs(now.twist[0] - x) < 1e-3 && fabs(now.twist[1] - y) < 1e-3);
    assert_true(fabs(now.spin[2] - theta) < 0.01);
}

static bool wheels_stand(void)
{
    bool stand = true;
    for (unsigned i = 0; i < 3; i++)
        stand &= seen(WHEEL + i).speed == 0;
    return stand;
}

/* ---- driving ---- */

TEST(three_omni_wheels_go_straight_sideways_and_turn_on_the_spot)
{
    static const double TWISTS[][3] = {
        { 0.2, 0, 0 }, { 0, 0.2, 0 }, { 0, 0, 1.5 }, { -0.1, 0.05, 0.5 }
    };
    for (size_t i = 0; i < 4; i++) {
        open_omni(ROBO_HOLD);
        expect_obeyed(drive(TWISTS[i][0], TWISTS[i][1], TWISTS[i][2]));
        run_for(1);
        expect_twist(TWISTS[i][0], TWISTS[i][1], TWISTS[i][2]);
        assert_int_equal(told().moving, 1);
        await_answer(STOP);
        assert_int_equal(word.signal, ROBO_SUCCESS);
        run_for(0.05);
        assert_true(wheels_stand());
        const struct robo_state now = told();
        if (i < 3) /* 1 s with 0.5 m/s2: the ramps up and down make up for each other */
            assert_true(fabs(now.pose[0] - TWISTS[i][0]) < 0.01 &&
                        fabs(now.pose[1] - TWISTS[i][1]) < 0.01);
        assert_int_equal(now.moving, 0);
        close_world();
    }
}

TEST(the_base_accelerates_as_described)
{
    open_omni(ROBO_HOLD);
    expect_obeyed(drive(0.2, 0, 0)); /* 0.4 s to 0.2 m/s */
    run_for(0.2);
    assert_true(fabs(told().twist[0] - 0.1) < 0.015);
    run_for(0.4);
    give(STOP);
    run_for(0.2);
    assert_true(fabs(told().twist[0] - 0.1) < 0.015);
    close_world();
}

TEST(the_pose_is_that_of_what_the_shafts_have_turned)
{
    double was[3], turned[3], moved[3], pose[3] = { 0, 0, 0 };
    open_omni(ROBO_HOLD);
    for (unsigned i = 0; i < 3; i++)
        was[i] = seen(WHEEL + i).angle;
    for (int t = 0; t < 12000; t++) { /* wheels turn several times, readings are within one turn */
        if (t % 3000 == 0)
            give(t == 9000 ? STOP : drive(0.15 * cos(t), 0.15 * sin(t), t == 3000 ? -1 : 0.7));
        run_for(0.001);
        for (unsigned i = 0; i < 3; i++) {
            const double at = seen(WHEEL + i).angle;
            turned[i] = at - was[i];
            was[i] = at;
        }
        twist_of(turned, moved);
        const double half = pose[2] + moved[2] / 2;
        pose[0] += cos(half) * moved[0] - sin(half) * moved[1];
        pose[1] += sin(half) * moved[0] + cos(half) * moved[1];
        pose[2] += moved[2];
    }
    const struct robo_state now = told();
    assert_true(hypot(pose[0], pose[1]) > 0.1 && fabs(pose[2]) > 0.5);
    assert_true(fabs(now.pose[0] - pose[0]) < 1e-3 && fabs(now.pose[1] - pose[1]) < 1e-3);
    assert_true(fabs(now.attitude[2] - pose[2]) < 2e-3);
    close_world();
}

TEST(no_wheel_exceeds_its_greatest_speed_and_the_direction_stays)
{
    open_omni(ROBO_HOLD);
    await_answer(drive(0.1, 0.2, 1.6));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    assert_int_equal(word.reason, ROBO_WHY_LIMIT);
    run_for(1);
    const struct robo_state now = told();
    double most = 0;
    for (unsigned i = 0; i < 3; i++)
        most = fmax(most, fabs(seen(WHEEL + i).speed));
    assert_true(fabs(most - 4.6) < 0.01); /* 0.23 m/s sideways */
    assert_true(fabs(now.twist[1] / now.twist[0] - 2) < 0.02);
    assert_true(fabs(now.spin[2] / now.twist[0] - 16) < 0.1);
    await_answer(drive(0.92, 0.23, 0)); /* more than the base's own */
    assert_int_equal(word.signal, ROBO_MODIFIED);
    run_for(1);
    expect_twist(0.23, 0.0575, 0);
    close_world();
}

TEST(a_goal_is_reached_by_odometry)
{
    open_omni(ROBO_HOLD);
    for (int i = 0; i < 2; i++) {
        expect_obeyed(drive_to(0.3, i ? -0.1 : 0.2, i ? -1 : 2));
        const struct robo_state now = told();
        assert_true(hypot(now.pose[0] - 0.3, now.pose[1] - (i ? -0.1 : 0.2)) < 0.02);
        assert_true(fabs(remainder(now.attitude[2] - (i ? -1 : 2), 2 * M_PI)) < 0.03);
        run_for(0.05);
        assert_true(wheels_stand());
    }
    close_world();
}

TEST(a_goal_waits_while_the_override_is_0)
{
    open_omni(ROBO_HOLD);
    const uint32_t id = give(drive_to(0.4, 0, 0));
    run_for(0.6);
    assert_int_equal(robo__override_set(robot, 0), 0);
    run_for(1);
    const double x = told().pose[0];
    assert_true(x > 0.03 && x < 0.3 && fabs(told().twist[0]) < 0.005 && !answered(id));
    assert_int_equal(robo__override_set(robot, 1), 0);
    SOON(answered(id));
    assert_int_equal(word.signal, ROBO_SUCCESS);
    assert_true(fabs(told().pose[0] - 0.4) < 0.02);
    close_world();
}

TEST(the_arm_moves_while_the_base_drives)
{
    open_omni(ROBO_HOLD);
    expect_obeyed(drive(0, 0, 1));
    expect_obeyed(go(1, 1));
    assert_true(is_at(0, 1));
    expect_twist(0, 0, 1);
    struct robo_cmd part = STOP;
    part.body.stop.base = 1;
    await_answer(part);
    assert_int_equal(word.signal, ROBO_SUCCESS);
    run_for(0.05);
    assert_true(wheels_stand());
    close_world();
}

/* ---- two wheels ---- */

TEST(two_wheels_drive_and_turn)
{
    /* the left wheel's axle looks the other way than the right one's: the servo of one turns against it */
    describe_base((const char *const[]){ "xl430 id=2", "xl430 id=3" }, 2, ROBO_HOLD);
    open_described();
    await_answer(drive(0.1, 0.1, 0.5));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    assert_int_equal(word.reason, ROBO_WHY_HOLONOMIC);
    run_for(1);
    const struct robo_state now = told();
    assert_true(fabs(now.twist[0] - 0.1) < 2e-3 && fabs(now.spin[2] - 0.5) < 0.02);
    assert_true(fabs(now.twist[1]) < 1e-6);
    expect_obeyed(drive_to(-0.1, 0.2, -1));
    const struct robo_state there = told();
    assert_true(hypot(there.pose[0] + 0.1, there.pose[1] - 0.2) < 0.02);
    assert_true(fabs(remainder(there.attitude[2] + 1, 2 * M_PI)) < 0.03);
    close_world();
}

/* ---- faults ---- */

TEST(a_panic_stops_the_wheels)
{
    static const uint8_t policies[] = { ROBO_HOLD, ROBO_BRAKE, ROBO_LIMP };
    for (unsigned i = 0; i < 3; i++) {
        open_omni(policies[i]);
        expect_obeyed(drive(0.2, 0, 0));
        run_for(0.6);
        robo_panic(robot);
        run_for(policies[i] == ROBO_BRAKE ? 0.2 : 0.15);
        assert_true(wheels_stand() == (policies[i] != ROBO_BRAKE));
        run_for(0.4);
        assert_true(wheels_stand());
        robo_reset(robot);
        expect_obeyed(drive(0, 0.2, 0));
        run_for(0.8);
        expect_twist(0, 0.2, 0);
        close_world();
    }
}

TEST(a_lost_wheel_is_a_panic_and_stops_the_others)
{
    open_omni(ROBO_BRAKE);
    expect_obeyed(drive(0.2, 0, 0));
    run_for(0.6);
    fault("silent", WHEEL + 1, 5);
    SOON(in_panic());
    assert_int_equal(logged("wheel2: servo 3 does not answer"), 1);
    run_for(0.5);
    assert_true(wheels_stand());
    robo_reset(robot);
    expect_error(drive(0.1, 0, 0), ROBO_WHY_DEVICE);
    run_for(0.5);
    assert_true(wheels_stand());
    run_for(5);
    expect_obeyed(drive(0.1, 0, 0));
    run_for(0.5);
    expect_twist(0.1, 0, 0);
    close_world();
}

TEST(wheels_that_turn_while_the_cable_is_off_are_stopped)
{
    open_omni(ROBO_HOLD);
    expect_obeyed(drive(0, 0, 1));
    run_for(0.6);
    const double theta = told().attitude[2];
    arm->port.unplugged = true;
    run_for(0.1);
    assert_true(in_panic() && !wheels_stand());
    robo_reset(robot);
    arm->port.unplugged = false;
    run_for(1.5);
    assert_true(wheels_stand());
    assert_true(fabs(told().attitude[2] - theta) < 0.05); /* nobody saw it turn on */
    expect_obeyed(drive(0, 0, -1));
    run_for(0.6);
    expect_twist(0, 0, -1);
    close_world();
}

/* One wheel alone would turn the base. */
TEST(a_base_begins_when_all_its_wheels_are_up)
{
    open_omni(ROBO_LIMP);
    robo_panic(robot);
    run_for(0.2);
    robo_reset(robot);
    const uint32_t stop = give(STOP);
    SOON(answered(stop));
    expect_obeyed(drive(0.2, 0, 0));
    for (int i = 0; i < 600; i++) {
        run_for(0.001);
        const double left = seen(WHEEL).speed, right = seen(WHEEL + 2).speed;
        assert_true(fabs(left + right) < 0.2);
    }
    expect_twist(0.2, 0, 0);
    assert_true(fabs(told().attitude[2]) < 0.01);
    close_world();
}

/* A Dynamixel that has shut down takes 0.7 s for its restart. */
TEST(a_base_accelerates_from_rest_after_a_wheel_has_restarted)
{
    describe_base((const char *const[]){ "xl430 id=2", "xl430 id=3 sign=-1" }, 2, ROBO_HOLD);
    open_described();
    expect_obeyed(drive(0.1, 0, 0));
    fault("overload", WHEEL, 3);
    SOON(in_panic());
    run_for(4);
    robo_reset(robot);
    run_for(0.05);
    expect_obeyed(drive(0.2, 0, 0));
    for (int i = 0; seen(WHEEL + 1).speed == 0; i++) {
        assert_true(i < 1500 && seen(WHEEL).speed == 0);
        run_for(0.001);
    }
    run_for(0.05);
    assert_true(fabs(seen(WHEEL + 1).speed) < 1); /* 10 rad/s2 */
    run_for(1);
    assert_true(fabs(told().twist[0] - 0.2) < 2e-3);
    close_world();
}

TEST(a_base_that_brakes_does_not_go_on_when_a_lost_wheel_is_back)
{
    open_omni(ROBO_BRAKE);
    expect_obeyed(drive(0, 0.2, 0));
    run_for(0.6);
    fault("silent", WHEEL + 1, 0.3);
    SOON(in_panic());
    robo_reset(robot);
    run_for(0.2); /* its servos brake within 0.11 s */
    for (int i = 0; i < 1500; i++) {
        run_for(0.001);
        assert_true(wheels_stand());
    }
    expect_obeyed(drive(0.1, 0, 0));
    close_world();
}

TEST(a_base_without_torque_is_pushed_by_hand)
{
    describe_omni(ROBO_HOLD);
    on_wheels[WHEELS_TORQUE].value.integer = 0;
    open_described();
    await_answer(drive(0.1, 0, 0));
    assert_int_equal(word.signal, ROBO_NA);
    await_answer(STOP);
    assert_int_equal(word.signal, ROBO_SUCCESS);
    for (unsigned i = 0; i < 3; i++)
        turn_by_hand(WHEEL + i, 1);
    run_for(0.1);
    assert_true(fabs(told().attitude[2] - RADIUS / REACH) < 2e-3);
    close_world();
}

/* ---- descriptors ---- */

static void expect_why(const char *why)
{
    char text[128] = "";
    assert_int_equal(robo_servos_driver.check(&description, 0, text), ROBO_EINVAL);
    assert_string_equal(text, why);
}

TEST(bases_that_cannot_be_driven_are_refused)
{
    describe_omni(ROBO_HOLD);
    description.device[0].options--;
    expect_why("expected wheel3 = \"MODEL id=N …\": the servo of this wheel");
    describe_omni(ROBO_HOLD);
    on_wheels[WHEELS_JOINT + 2].value.text = "sts3215 id=2";
    expect_why("wheel2: id 2 is that of wheel1, too");
    on_wheels[WHEELS_JOINT + 2].value.text = "sts3215 id=3 mode=position";
    expect_why("wheel2: expected mode=velocity");
    describe_omni(ROBO_HOLD);
    on_wheels[WHEELS_JOINT + 1].value.text = "ax12 id=2";
    expect_why("wheel1: ax12 does not measure its angle all around, as odometry needs");
    describe_omni(ROBO_HOLD);
    description.shapes = 2;
    description.device[0].options--;
    expect_why("base: its 2 wheels do not decide its x");
    describe_omni(ROBO_HOLD);
    description.base_speed[1] = 0;
    expect_why("base: expected speed = { y = … }, the greatest");
    describe_base((const char *const[]){ "xl430 id=2", "xl430 id=3" }, 2, ROBO_HOLD);
    description.holonomic = 1;
    expect_why("base: its 2 wheels do not decide its y");
}

/* A command that waits for a wheel is no motion, and the halt of a panic makes none of it. */
TEST(a_panic_moves_no_base_that_has_waited)
{
    double worst = 0;
    for (int k = 1; k < 20; k++) {
        describe_base((const char *const[]){ "xl430 id=2", "xl430 id=3 sign=-1" }, 2, ROBO_BRAKE);
        open_described();
        fault("overload", WHEEL, 3);
        expect_obeyed(drive(0.1, 0, 0));
        SOON(in_panic());
        run_for(4);
        robo_reset(robot);
        run_for(0.05);
        assert_true(seen(WHEEL + 1).speed == 0);
        give(drive(0.2, 0, 0)); /* waits 0.7 s for the wheel that restarts */
        run_for(0.05 + 0.001 * k);
        assert_true(seen(WHEEL + 1).speed == 0);
        robo_panic(robot);
        for (int i = 0; i < 100; i++) {
            run_for(0.001);
            worst = fmax(worst, fabs(seen(WHEEL + 1).speed));
        }
        close_world();
    }
    assert_true(worst == 0);
}
