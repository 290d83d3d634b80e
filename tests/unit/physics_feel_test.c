/* What sensors feel of the physics: it is held to what a physicist expects. */
#include "physics_body.h"

static struct robo_sensor *add_sensor(const char *kind, uint16_t link, double x)
{
    struct robo_sensor *s = &body.sensor[body.sensors++];
    *s = (struct robo_sensor){ .link = link, .position = { x, 0, 0 }, .count = 1, .high = -1 };
    snprintf(s->name, sizeof s->name, "%s%u", kind, link);
    snprintf(s->kind, sizeof s->kind, "%s", kind);
    return s;
}

static void sense(unsigned sensor, unsigned count, double value[ROBO_MAX_READING])
{
    struct robo_reading reading;
    assert_int_equal(
        robo_sense(robot, sensor, 0, &reading, sizeof reading, value, ROBO_MAX_READING), 1);
    assert_int_equal(reading.count, count);
}

/* A turning dof about z, with its link out along x: a turntable. */
static void make_turntable(void)
{
    static const double UPRIGHT[1][3] = { { 0, 0, 1 } };
    body = make_arm(1, UPRIGHT);
}

/* A box of 10 kg on four wheels of 0.1 m, whose root link begins at that height. */
static void make_cart(double height)
{
    begin_description(&body, 8,
                      (struct robo_description){ .name = "cart",
                                                 .links = 1,
                                                 .joints = 1,
                                                 .devices = 1,
                                                 .base_speed = { 1, 1, 2 },
                                                 .base_acceleration = { 1, 1, 4 },
                                                 .commands = UINT64_MAX });
    strcpy(body.device[0].driver, "physics");
    body.device[0].base = 1;
    body.joint[0] = (struct robo_joint){ .name = "root", .parent = ROBO_WORLD };
    body.link[0] = (struct robo_link){ .name = "body",
                                       .position = { 0, 0, height },
                                       .mass = 10,
                                       .com = { 0, 0, 0.15 },
                                       .inertia = { 0.3, 0.4, 0.5, 0, 0, 0 } };
    for (int i = 0; i < 4; i++)
        body.shape[body.shapes++] =
            (struct robo_shape){ .kind = ROBO_SHAPE_CYLINDER,
                                 .roll = ROBO_ROLL_WHEEL,
                                 .size = { 0.1, 0.04 },
                                 .position = { i < 2 ? 0.15 : -0.15, i % 2 ? 0.2 : -0.2, 0.1 },
                                 .attitude = { M_PI / 2, 0, 0 } };
}

FIXTURE(NULL, close_it);

TEST(at_rest_it_feels_its_weight)
{
    double value[ROBO_MAX_READING];
    make_turntable();
    add_sensor("imu", 0, 0);
    add_sensor("accelerometer", 0, 0)->attitude[1] = M_PI / 2; /* its x points down */
    open_sensing(&VIRTUAL);
    run_for(0.1);
    sense(0, 9, value);
    const double level[9] = { 0, 0, G };
    for (int i = 0; i < 9; i++)
        assert_float_equal(value[i], level[i], 1e-9);
    sense(1, 3, value);
    assert_float_equal(value[0], -G, 1e-9);
    assert_float_equal(value[1], 0, 1e-9);
    assert_float_equal(value[2], 0, 1e-9);
}

TEST(it_feels_nothing_while_it_falls)
{
    double value[ROBO_MAX_READING];
    make_cart(1);
    add_sensor("imu", 0, 0.1);
    add_sensor("bumper", 0, 0)->count = 4;
    open_sensing(&VIRTUAL);
    run_for(0.3); /* 0.44 m, and 1 m to go */
    assert_float_equal(seen().pose[2], 1 - 0.5 * G * 0.3 * 0.3, 0.01);
    sense(0, 9, value);
    for (int i = 0; i < 6; i++)
        assert_float_equal(value[i], 0, 1e-6);
    run_for(3); /* it stands */
    sense(0, 9, value);
    assert_float_equal(value[2], G, 0.05);
    sense(1, 4, value);
    for (int i = 0; i < 4; i++)
        assert_float_equal(value[i], 0, 0); /* what carries it is nothing that it bumps into */
}

TEST(a_turntable_is_felt_towards_its_axis)
{
    double value[ROBO_MAX_READING];
    make_turntable();
    add_sensor("imu", 1, 0.5);
    add_sensor("gyroscope", 1, 0);
    open_sensing(&VIRTUAL);
    give(run(1, 2));
    run_for(2);
    sense(0, 9, value);
    const double w = seen().speed[0];
    assert_float_equal(w, 2, 0.01);
    /* w^2 r inwards; it is the mean of a step, in which the body turns: half a step's turn, w dt / 2, of it is aside */
    assert_float_equal(value[0], -w * w * 0.5, 1e-3);
    assert_float_equal(value[1], 0, w * w * 0.5 * w * 0.002 / 2 + 1e-3);
    assert_float_equal(value[2], G, 1e-6);
    assert_float_equal(value[5], w, 1e-9);
    assert_float_equal(remainder(value[8] - seen().position[0], 2 * M_PI), 0, 1e-9);
    sense(1, 3, value);
    assert_float_equal(value[0], 0, 1e-9);
    assert_float_equal(value[2], w, 1e-9);
}

/* A link of 1 kg whose mass is 1 m from the axis that carries it. */
TEST(a_force_sensor_bears_what_hangs_on_its_link)
{
    double value[ROBO_MAX_READING];
    make_turntable();
    add_sensor("force", 1, 0);
    add_sensor("force", 1, 1)->attitude[2] =
        M_PI / 2; /* where its mass is: it turns nothing there */
    open_sensing(&VIRTUAL);
    run_for(0.5);
    const double expected[6] = { 0, 0, -G, 0, G, 0 };
    sense(0, 6, value);
    for (int i = 0; i < 6; i++)
        assert_float_equal(value[i], expected[i], 1e-6);
    sense(1, 6, value);
    assert_float_equal(value[2], -G, 1e-6);
    for (int i = 3; i < 6; i++)
        assert_float_equal(value[i], 0, 1e-6);
}

TEST(contacts_are_felt_by_the_link_that_touches)
{
    double value[ROBO_MAX_READING];
    const struct robo_thing shelf = { .shape = ROBO_SHAPE_BOX,
                                      .size = { 1, 1, 1 },
                                      .position = { 0, 0, 0.8 } };
    body = make_pendulum(-M_PI /
                         2); /* level; it hangs down then, with its mass at 2 m above the floor */
    body.shapes = 1;
    body.shape[0] = (struct robo_shape){
        .kind = ROBO_SHAPE_SPHERE, .size = { 0.1 }, .link = 1, .position = { 0, 0, -1 }
    };
    add_sensor("contact", 1, 0);
    add_sensor("button", 1, 0)->count = 2;
    add_sensor("contact", 0, 0);
    open_sensing(&VIRTUAL);
    assert_int_equal(robo_surround(world, &shelf, 1), 0);
    run_for(0.1);
    sense(0, 1, value);
    assert_float_equal(value[0], 0, 0);
    give((struct robo_cmd){ .op = ROBO_HOME, .start = ROBO_AT_ONCE });
    give(go(1, 0));
    run_for(3);
    sense(0, 1, value);
    assert_float_equal(value[0], 0, 0); /* the shelf is 0.6 m lower */
    struct robo_thing high = shelf;
    high.position[2] = 1.45; /* its top is at 1.95 m: the sphere's lowest point would be at 1.9 m */
    assert_int_equal(robo_surround(world, &high, 1), 0);
    run_for(0.5);
    sense(0, 1, value);
    assert_float_equal(value[0], 1, 0);
    sense(1, 2, value);
    assert_float_equal(value[0], 1, 0);
    assert_float_equal(value[1], 1, 0);
    sense(2, 1, value);
    assert_float_equal(value[0], 0, 0);
}

TEST(odometry_is_of_wheels_which_slip)
{
    double value[ROBO_MAX_READING];
    make_cart(0);
    add_sensor("odometry", 0, 0);
    add_sensor("pose", 0, 0);
    open_sensing(&VIRTUAL);
    run_for(0.5);
    give((struct robo_cmd){
        .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed = { .x = 0.4 } });
    run_for(2);
    sense(0, 3, value);
    const double driven = value[0];
    sense(1, 6, value);
    assert_float_equal(driven, value[0], 0.02);
    give((struct robo_cmd){
        .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed = { .theta = 1 } });
    run_for(2);
    sense(0, 3, value);
    const double believed = value[2];
    sense(1, 6, value);
    assert_float_equal(believed, 2, 0.3);
    assert_true(value[5] <
                0.8 * believed); /* four wheels that do not steer slide when they turn it */
}

/* The readings of a cart that falls and drives, one after the other. */
static void record(double out[60])
{
    double value[ROBO_MAX_READING];
    make_cart(0.2);
    add_sensor("imu", 0, 0.1);
    add_sensor("odometry", 0, 0);
    open_sensing(&VIRTUAL);
    give((struct robo_cmd){
        .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE, .body.set_speed = { .x = 0.4, .theta = 1 } });
    for (int i = 0; i < 5; i++) {
        run_for(0.1);
        sense(0, 9, value);
        memcpy(out + 12 * i, value, 9 * sizeof *out);
        sense(1, 3, value);
        memcpy(out + 12 * i + 9, value, 3 * sizeof *out);
    }
}

TEST(two_runs_feel_the_same_to_the_bit)
{
    double first[60], second[60];
    record(first);
    close_world();
    record(second);
    assert_memory_equal(first, second, sizeof first);
}
