/* The driver of serial servos when something is lost: answers, servos, torque, the port. */
#include "servos_bus.h"

TEST(damaged_answers_are_asked_for_again)
{
    open_arm(ROBO_HOLD);
    for (int i = 0; i < 4; i++) {
        WITH_BUS(bus.servo[0].damaged = 2; bus.servo[2].damaged = 1);
        expect_obeyed(go(1, 0.2 * i));
        assert_true(is_at(0, 0.2 * i));
    }
    assert_false(in_panic());
    assert_int_equal(logged("servo"), 0);
    close_arm();
}

TEST(a_servo_that_does_not_answer_is_a_panic_with_its_name)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    wired[TIMEOUT].value.real = 3;
    begin_with(&STS, ROBO_HOLD);
    open_described();
    struct robo_cmd slow = go(2, 1.9);
    slow.body.servo.speed = 0.01;
    const uint32_t id = give(slow);
    WITH_BUS(bus.servo[1].mute = true);
    EVENTUALLY(in_panic());
    EVENTUALLY(answered(id));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, ROBO_WHY_DEVICE);
    assert_int_equal(logged("joint2: servo 2 does not answer"), 1);
    robo_reset(robot);
    expect_obeyed(go(1, 0.3)); /* the others go on */
    await_answer(go(2, 0));
    assert_int_equal(word.signal, ROBO_ERROR);
    WITH_BUS(bus.servo[1].mute = false; bus.jump = 0; put(1, 42, 2, 2500); put(1, 56, 2, 2500));
    EVENTUALLY(logged("joint2: servo 2 is back") == 1);
    assert_true(bus.jump <
                50); /* the others may have a tick or so to go; servo 2 would have hundreds */
    assert_int_equal(position_of(1), 2500);
    assert_int_equal(logged("joint2: servo 2 does not answer"), 1);
    expect_well_again(2, 0.5);
    close_arm();
}

/* Its torque is off, its registers are as at power-up; the arm has sunk. */
TEST(a_servo_that_restarts_is_a_panic_and_holds_where_it_is_afterwards)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(go(2, 1));
    WITH_BUS(put(1, 40, 1, 0); put(1, 42, 2, 0); put(1, 56, 2, 2100); bus.jump = 0);
    EVENTUALLY(in_panic());
    EVENTUALLY(logged("joint2: servo 2 has no torque: it has restarted, or shut down") == 1);
    assert_false(has_torque(1));
    robo_reset(robot);
    EVENTUALLY(has_torque(1));
    assert_int_equal(position_of(1), 2100);
    WITH_BUS(assert_true(bus.jump < 50)); /* the others had a tick or so to go */
    expect_well_again(2, 0.5);
    close_arm();
}

TEST(an_overload_is_a_panic_each_time_until_it_is_over)
{
    open_arm(ROBO_HOLD);
    WITH_BUS(bus.servo[0].error = 1 << 5);
    EVENTUALLY(in_panic());
    assert_int_equal(logged("joint1: servo 1 reports overload"), 1);
    assert_true(has_torque(0)); /* it holds as well as it can */
    robo_reset(robot);
    EVENTUALLY(logged("joint1: servo 1 reports overload") == 2);
    EVENTUALLY(in_panic());
    WITH_BUS(bus.servo[0].error = 0);
    expect_well_again(1, 0.3);
    close_arm();
}

TEST(a_low_voltage_is_a_warning)
{
    open_arm(ROBO_HOLD);
    WITH_BUS(bus.servo[0].error = 1);
    EVENTUALLY(logged("joint1: servo 1 reports voltage") == 1);
    expect_obeyed(go(1, 0.3));
    assert_false(in_panic());
    assert_int_equal(logged("reports voltage"), 1);
    close_arm();
}

TEST(a_joint_that_is_blocked_gets_no_closer_and_is_held_where_it_is_in_a_panic)
{
    open_arm(ROBO_HOLD);
    WITH_BUS(bus.step = 0);
    await_answer(go(1, 1));
    assert_int_equal(word.signal, ROBO_MODIFIED);
    assert_int_equal(word.reason, ROBO_WHY_LIMIT);
    EVENTUALLY(abs(peek(0, 42, 2) - ticks(1)) <= 1);
    robo_panic(robot);
    EVENTUALLY(peek(0, 42, 2) == 2148);
    WITH_BUS(bus.step = 400; bus.jump = 0);
    robo_reset(robot);
    const unsigned heard = bus.heard;
    EVENTUALLY(bus.heard > heard + 20);
    assert_int_equal(position_of(0), 2148);
    close_arm();
}

TEST(a_cable_that_is_pulled_is_a_panic_and_the_arm_holds_when_it_is_back)
{
    open_arm(ROBO_HOLD);
    expect_obeyed(go(1, 0.5));
    unplug();
    EVENTUALLY(in_panic());
    EVENTUALLY(logged("is gone") == 1);
    robo_reset(robot);
    await_answer(go(1, 0));
    assert_int_equal(word.signal, ROBO_ERROR);
    assert_int_equal(word.reason, ROBO_WHY_LINK);
    put(0, 42, 2, 2900); /* somebody else has moved it */
    put(0, 56, 2, 2900);
    put(1, 40, 1, 0); /* this one lost its supply */
    bus.jump = 0;
    plug_in();
    EVENTUALLY(logged("is back") >= 1);
    EVENTUALLY(has_torque(1));
    EVENTUALLY(peek(0, 42, 2) == 2900);
    assert_int_equal(bus.jump, 0);
    assert_int_equal(position_of(0), 2900);
    expect_well_again(1, 0.5);
    close_arm();
}

TEST(a_dof_that_is_found_beyond_its_limit_stays_there)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    begin_with(&STS, ROBO_HOLD);
    put(0, 56, 2, ticks(2.3));
    open_described();
    await_answer((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    robo_panic(robot);
    robo_reset(robot);
    const unsigned heard = bus.heard;
    EVENTUALLY(bus.heard > heard + 20);
    assert_int_equal(position_of(0), ticks(2.3));
    expect_obeyed(go(1, 1.5));
    close_arm();
}

TEST(in_a_panic_nothing_is_switched_on)
{
    open_arm(ROBO_HOLD);
    robo_panic(robot);
    WITH_BUS(put(0, 40, 1, 0)); /* it restarts */
    unplug();
    EVENTUALLY(logged("is gone") == 1);
    plug_in();
    EVENTUALLY(logged("is back") >= 1);
    const unsigned heard = bus.heard;
    EVENTUALLY(bus.heard > heard + 30);
    assert_false(has_torque(0));
    robo_reset(robot);
    EVENTUALLY(has_torque(0));
    assert_int_equal(position_of(0), 2148);
    close_arm();
}

/* ---- what is not opened ---- */

/* The robot is not added, and the log says this. */
static void expect_refused(const char *why)
{
    char text[128];
    robo_robot *none = NULL;
    assert_int_equal(robo_servos_driver.check(&description, 0, text), 0);
    forget_log();
    world = robo_open(&LOGGED);
    assert_int_equal(robo_add_drivers(world), 0);
    assert_int_equal(robo_add(world, &description, &none), ROBO_EDEVICE);
    assert_null(none);
    robo_close(world);
    assert_int_equal(logged(why), 1);
    assert_int_equal(bus.stored, 0);
}

TEST(another_bus_than_the_described_one_is_refused)
{
    wire("sts3215 id=1", "sts3215 id=2", "sts3215 id=3");
    begin_with(&STS, ROBO_HOLD);
    poke(1, 3, 2, 2825);
    expect_refused("joint2: servo 2 is of model 2825, expected 777 (sts3215)");
    poke(1, 3, 2, 777);
    poke(1, 33, 1, 1);
    expect_refused("joint2: servo 2 is not in the mode for positions");
    poke(1, 33, 1, 0);
    WITH_BUS(bus.servo[2].mute = true);
    expect_refused("joint3: servo 3 does not answer");
    unplug();
    expect_refused("cannot be opened: No such file or directory");
}

static void expect_wrong(const char *wanted)
{
    char why[128] = "";
    assert_int_equal(robo_servos_driver.check(&description, 0, why), ROBO_EINVAL);
    assert_string_equal(why, wanted);
}

TEST(options_that_are_wrong_are_told)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "sts3216 id=1", "joint1: expected a model first, one of sts3215, sts3250, sm8512bl, "
                          "scs0009, xl430, xm430, xl330, xl330_m077, ax12" },
        { "sts3215", "joint1: expected id=N, the number of the servo" },
        { "sts3215 id=2", "joint2: id 2 is that of joint1, too" },
        { "sts3215 id=1 sign=0", "joint1: expected sign=1 or sign=-1" },
        { "sts3215 id=300", "joint1: expected id=0 to 252, got id=300" },
        { "sts3215 id=1 mode=current", "joint1: sts3215 has no mode current" },
        { "sts3215 id=1 mode=velocity",
          "joint1: in mode velocity the joint takes no other commands than its own" },
        { "xl330 id=1", "joint2: sts3215 has other packets than the servos before it" },
        { "ax12 id=1 zero=900", "joint1: the servo reaches 0.6289, the limit is 2" },
        { "sts3215 id=1 speed=3",
          "joint1: expected id=, zero=, sign=, scale=, mode=, torque= or constant=, got speed=3" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wire(cases[i].text, "sts3215 id=2", "sts3215 id=3");
        make_servos(&STS);
        describe(ROBO_HOLD);
        expect_wrong(cases[i].why);
    }
}

TEST(a_rate_that_the_bus_does_not_carry_is_told_with_the_figure)
{
    static struct robo_option few[] = {
        TEXT("port", "/dev/null"),      INTEGER("rate", 300),
        TEXT("joint1", "sts3215 id=1"), TEXT("joint2", "sts3215 id=2"),
        TEXT("joint3", "sts3215 id=3"), REAL("delay", 0.0005)
    };
    describe(ROBO_HOLD);
    TAKES(description.device[0], few);
    expect_wrong("rate: the bus carries 205 cycles a second with these 3 servos, got 300");
    few[1].value.integer = 205;
    char why[128];
    assert_int_equal(robo_servos_driver.check(&description, 0, why), 0);
}
