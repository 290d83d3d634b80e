/* The driver of serial servos when it is opened: options, what is found on the bus, coming up. */
#include "servos_arm.h"

/* Sets a servo up before the driver opens the bus. */
static void (*prepare)(struct robo__servo_bus *bus, unsigned id);

int __wrap_robo__servo_bus_add(struct robo__servo_bus *bus, const char *text,
                               char why[ROBO__SERVO_BUS_WHY]);
int __real_robo__servo_bus_add(struct robo__servo_bus *bus, const char *text,
                               char why[ROBO__SERVO_BUS_WHY]);

int __wrap_robo__servo_bus_add(struct robo__servo_bus *bus, const char *text,
                               char why[ROBO__SERVO_BUS_WHY])
{
    const int error = __real_robo__servo_bus_add(bus, text, why);
    if (prepare && error == 0)
        prepare(bus, (unsigned)atoi(strchr(text, ':') + 1));
    return error;
}

/* It was turned by hand, and its goal is where it was before. */
static void turned(struct robo__servo_bus *bus, unsigned id)
{
    const struct robo__servo_bus_touch touch = { .is_turned = true,
                                                 .angle = M_PI + (id == 1 ? 2.3 : -0.3) };
    robo__servo_bus_touch(bus, id, 0, &touch);
    robo__servo_bus_set_register(bus, id, 0, 42, 2, 2600);
}

static void open_turned(void)
{
    prepare = turned;
    open_arm(ROBO_HOLD);
    prepare = NULL;
}

TEST(servos_come_up_where_they_are)
{
    open_turned();
    for (unsigned i = 0; i < SERVOS; i++) {
        assert_true(has_torque(i));
        assert_true(is_at(i, i == 0 ? 2.3 : -0.3));
    }
    assert_true(fabs(reported(1) + 0.3) < 0.001);
    assert_true(moved_in(0.2) < A_TICK);
    close_world();
}

TEST(a_dof_that_is_found_beyond_its_limit_stays_there)
{
    open_turned();
    await_answer((struct robo_cmd){ .op = ROBO_STOP, .start = ROBO_AT_ONCE });
    robo_panic(robot);
    robo_reset(robot);
    run_for(0.2);
    assert_true(is_at(0, 2.3));
    expect_obeyed(go(1, 1.5));
    assert_true(is_at(0, 1.5));
    close_world();
}

TEST(a_speed_from_beyond_a_limit_leads_back)
{
    open_turned();
    give(run(1, -0.5));
    run_for(1);
    assert_true(angle_of(0) < 2.1 && angle_of(0) > 1.7);
    close_world();
}

/* ---- what is not opened ---- */

static void expect_refused(void (*found)(struct robo__servo_bus *, unsigned), const char *why)
{
    char text[128];
    robo_robot *none = NULL;
    prepare = found;
    describe_feetech(ROBO_HOLD);
    assert_int_equal(robo_servos_driver.check(&description, 0, text), 0);
    forget_log();
    world = robo_open(&VIRTUAL);
    assert_non_null(world);
    assert_int_equal(robo_add_drivers(world), 0);
    assert_int_equal(robo_add(world, &description, &none), ROBO_EDEVICE);
    assert_null(none);
    robo_close(world);
    prepare = NULL;
    assert_int_equal(logged(why), 1);
}

static void other_model(struct robo__servo_bus *bus, unsigned id)
{
    if (id == 2)
        robo__servo_bus_set_register(bus, id, 0, 3, 2, 2825);
}

static void other_mode(struct robo__servo_bus *bus, unsigned id)
{
    if (id == 2)
        robo__servo_bus_set_register(bus, id, 0, 33, 1, 1);
}

static void mute(struct robo__servo_bus *bus, unsigned id)
{
    char why[ROBO__SERVO_BUS_WHY];
    if (id == 3)
        robo__servo_bus_add_fault(bus, "silent:3@0+60", why);
}

TEST(another_bus_than_the_described_one_is_refused)
{
    expect_refused(other_model, "joint2: servo 2 is of model 2825, expected 777 (sts3215)");
    expect_refused(
        other_mode,
        "joint2: servo 2 is not in mode position: robotalk servos PORT set-mode 2 position");
    expect_refused(mute, "joint3: servo 3 does not answer");
}

TEST(a_model_that_is_not_simulated_is_told)
{
    char text[128];
    robo_robot *none = NULL;
    describe("sts3215 id=1", "sts3250 id=2", "sts3215 id=3", ROBO_HOLD);
    assert_int_equal(robo_servos_driver.check(&description, 0, text), 0);
    forget_log();
    world = robo_open(&VIRTUAL);
    assert_non_null(world);
    assert_int_equal(robo_add_drivers(world), 0);
    assert_int_equal(robo_add(world, &description, &none), ROBO_EDEVICE);
    robo_close(world);
    assert_int_equal(logged("joint2: "), 1);
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
        describe(cases[i].text, "sts3215 id=2", "sts3215 id=3", ROBO_HOLD);
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
    describe_feetech(ROBO_HOLD);
    TAKES(description.device[0], few);
    expect_wrong("rate: the bus carries 205 cycles a second with these 3 servos, got 300");
    few[1].value.integer = 205;
    char why[128];
    assert_int_equal(robo_servos_driver.check(&description, 0, why), 0);
    few[1] = (struct robo_option)INTEGER("baud", 2000000);
    expect_wrong("baud: sts3215 has no 2000000, expected one of 38400, 57600, 115200, 500000, "
                 "1000000");
    few[1] = (struct robo_option)INTEGER("rate", 0);
    few[4] = (struct robo_option)TEXT("joimt3", "sts3215 id=3");
    expect_wrong("joimt3: did you mean 'joint3'? expected one of port, baud, rate, delay, latency, "
                 "timeout, watchdog, tolerance, torque, profile");
}
