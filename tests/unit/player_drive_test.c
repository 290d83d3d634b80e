/* What clients of a Player server do to robots, and what they are told of them: commands, leases, panics, the end of a connection,
 * sensors, pictures. */
#include "fixture_player.h"

#include "../base_robot.h"

static const struct heard *last_heard(void)
{
    assert_true(heard_count > 0);
    return &heard_log[heard_count - 1];
}

/* ---- the base ---- */

static struct client c;

static int begin_joined(void **state)
{
    if (begin(state) != 0)
        return -1;
    join(&c);
    return 0;
}

static int leave_and_end(void **state)
{
    leave(&c);
    return end(state);
}

FIXTURE(begin_joined, leave_and_end);

TEST(a_velocity_holds_until_the_connection_ends, begin, end)
{
    join(&c);
    drive(&c, 0.5, 0, 0.1);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_true(last_heard()->x == 0.5);
    pass(60); /* the robot's deadman time is 0.5 s: the server's thread lives */
    assert_int_equal(heard(ROBO_STOP), 0);
    leave(&c);
    assert_int_equal(heard(ROBO_STOP), 1);
}

TEST(with_a_deadman_time_silence_stops_the_robot, begin, end)
{
    join_at(&c, "player+local:?deadman=2");
    drive(&c, 0.5, 0, 0);
    pass(1.9);
    say(&c, POSITION, 0, REQ, 1, EMPTY); /* anything is a sign of life */
    pass(1.9);
    assert_int_equal(heard(ROBO_STOP), 0);
    pass(0.2);
    assert_int_equal(heard(ROBO_STOP), 1);
    leave(&c);
}

/* The fixture's base is at once where its newest command has named a place, 2 m of a speed included. */
TEST(positions_are_those_of_the_clients_odometry)
{
    subscribe(&c, POSITION, 0);
    drive(&c, 2, 0, 0);
    pass(0.2);
    assert_true(newest(&c, POSITION)->body.value[0] == 2);
    ask(&c, POSITION, 0, 5, NUMBERS(10, 0, 0)); /* where it is now is at 10 m */
    say(&c, POSITION, 0, CMD, 2, NUMBERS(11, 0, 0, 0, 0, 0, 1));
    assert_int_equal(last_heard()->op, ROBO_GO_TO);
    assert_true(last_heard()->x == 3);
    pass(0.2);
    assert_true(newest(&c, POSITION)->body.value[0] == 11);
    ask(&c, POSITION, 0, 6, EMPTY);
    pass(0.2);
    assert_true(newest(&c, POSITION)->body.value[0] == 0);
}

TEST(odometry_turns_with_its_origin_and_back, begin, end)
{
    struct robo__player_drive d = { .next = NULL };
    const double place[3] = { 3, 4, 1.2 }, odometry[3] = { -1, 2, 0.4 };
    double out[3], back[3];
    robo__player_drive_set(&d, place, odometry);
    robo__player_drive_odometry(&d, place, out);
    robo__player_drive_world(&d, odometry, back);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(fabs(out[i] - odometry[i]) < 1e-12);
        assert_true(fabs(back[i] - place[i]) < 1e-12);
    }
    /* a metre ahead there is a metre ahead here: 0.8 rad are between the two */
    const double ahead[3] = { place[0] + cos(0.8), place[1] + sin(0.8), place[2] };
    robo__player_drive_odometry(&d, ahead, out);
    assert_true(fabs(out[0]) < 1e-12 && fabs(out[1] - 2) < 1e-12);
}

TEST(a_car_turns_by_its_axles, begin, end)
{
    join_at(&c, "player+local:?axles=2");
    say(&c, POSITION, 0, CMD, 3, NUMBERS(0.5, 0.3));
    assert_int_equal(last_heard()->op, ROBO_SET_SPEED);
    assert_true(last_heard()->x == 0.5);
    leave(&c);
}

TEST(motors_that_are_off_take_no_commands)
{
    drive(&c, 0.5, 0, 0);
    ask(&c, POSITION, 0, 2, NUMBERS(0));
    assert_int_equal(heard(ROBO_STOP), 1);
    drive(&c, 0.5, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    ask(&c, POSITION, 0, 2, NUMBERS(1));
    drive(&c, 0.5, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
}

/* ---- others ---- */

/* A stop needs no lease: by it a client stops what another one drives, as Player's own base would. */
TEST(motor_power_0_stops_the_base_whoever_drives_it, begin, end)
{
    struct client one, other;
    join(&one);
    join(&other);
    drive(&one, 0.5, 0, 0);
    drive(&other, 0, 0, 0); /* a speed of 0 is a command like others: refused */
    assert_int_equal(heard(ROBO_STOP), 0);
    ask(&other, POSITION, 0, 2, NUMBERS(0));
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    drive(&one, 0.5, 0, 0); /* the motors are off for the other alone */
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    leave(&other); /* and has moved nothing */
    assert_int_equal(heard(ROBO_STOP), 1);
    leave(&one);
}

TEST(in_a_panic_motor_power_0_is_no_refused_stop)
{
    robo_panic(robot);
    ask(&c, POSITION, 0, 2, NUMBERS(0));
    assert_int_equal(logged("player: client"), 0);
}

TEST(who_holds_the_lease_is_not_disturbed_and_that_is_logged_once, begin, end)
{
    struct client one, other;
    join(&one);
    join(&other);
    drive(&one, 0.5, 0, 0);
    for (unsigned i = 0; i < 20; i++)
        drive(&other, -1, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_int_equal(logged("player: client"), 1);
    assert_int_equal(logged("BUSY") + logged("busy"), 1);
    const struct robo__player_body key = { .array = { { .count = 8,
                                                        .raw = (const uint8_t *)"refused" } } };
    assert_true(ask(&other, POSITION, 0, 254, key)->body.value[0] == 20);
    leave(&one); /* and the lease with it */
    drive(&other, -1, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    leave(&other);
}

TEST(in_a_panic_the_base_stalls_and_motors_stay_off)
{
    subscribe(&c, POSITION, 0);
    drive(&c, 0.5, 0, 0);
    robo_panic(robot);
    drive(&c, 0.5, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    pass(0.2);
    assert_true(newest(&c, POSITION)->body.value[6] == 1);
    say(&c, POSITION, 0, REQ, 2, NUMBERS(1));
    expect(&c, POSITION, NACK, 2);
    robo_reset(robot);
    drive(&c, 0.5, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
}

/* ---- the head ---- */

TEST(a_head_goes_to_angles_or_turns_at_speeds)
{
    say(&c, PTZ, 0, CMD, 1, NUMBERS(0.5, -0.25, 1, 0, 0));
    assert_int_equal(last_heard()->op, ROBO_SET_JOINT);
    assert_true(last_heard()->x == 0.5);
    ask(&c, PTZ, 0, 2, NUMBERS(0)); /* by speeds */
    say(&c, PTZ, 0, CMD, 1, NUMBERS(0.5, -0.25, 1, 0.125, 0));
    assert_int_equal(last_heard()->op, ROBO_SET_JOINT_SPEED);
    assert_true(last_heard()->x == 0.125);
    say(&c, PTZ, 0, REQ, 2, NUMBERS(7)); /* no such mode: it is as before */
    expect(&c, PTZ, NACK, 2);
    say(&c, PTZ, 0, CMD, 1, NUMBERS(0.5, -0.25, 1, 0.25, 0));
    assert_int_equal(last_heard()->op, ROBO_SET_JOINT_SPEED);
    assert_int_equal(ask(&c, PTZ, 0, 4, EMPTY)->header.size, 72);
    assert_true(ask(&c, PTZ, 0, 5, EMPTY)->body.value[0] == 0);
}

TEST(numbers_that_are_none_move_nothing)
{
    drive(&c, NAN, 0, 0);
    drive(&c, INFINITY, 0, 0);
    say(&c, PTZ, 0, CMD, 1, NUMBERS(NAN, 0, 0, 0, 0));
    assert_int_equal(heard(0), 0);
}

/* ---- sensors and pictures: of a simulated robot ---- */

static int begin_seer(void **state)
{
    static struct robo_sensor sensor[] = {
        { .name = "s0", .kind = "sonar", .count = 1, .low = 0.1, .high = 5, .rate = 10 },
        { .name = "s1",
          .kind = "sonar",
          .count = 1,
          .low = 0.1,
          .high = 5,
          .rate = 10,
          .position = { -0.1, 0, 0.1 },
          .attitude = { 0, 0, M_PI } },
        { .name = "scan",
          .kind = "laser",
          .count = 5,
          .low = 0,
          .high = 8,
          .rate = 10,
          .fov = 2,
          .position = { 0, 0, 0.05 } },
        { .name = "hull", .kind = "bumper", .count = 2, .rate = 50 },
    };
    static struct robo_camera camera = {
        .name = "eye", .width = 160, .height = 120, .rate = 25, .device = 1
    };
    const struct robo_thing wall = { .shape = ROBO_SHAPE_BOX,
                                     .size = { 0.2, 40, 2 },
                                     .position = { 3.1, 0, 1 } };
    struct robo_description d = base_robot("seer", "sim");
    static struct robo_link link[] = { { .name = "base" }, { .name = "finger" } };
    static struct robo_dof dof = { .name = "width",
                                   .kind = ROBO_PRISMATIC,
                                   .axis = { 0, 1, 0 },
                                   .high = 0.1,
                                   .speed = 0.2,
                                   .acceleration = 2 };
    static struct robo_joint joint[] = {
        { .name = "root", .parent = ROBO_WORLD },
        { .name = "gripper", .child = 1, .dofs = 1, .servo = ROBO_SERVO_SETPOINT },
    };
    sensor[0].position[2] = 0.1;
    d.links = d.joints = 2;
    d.link = link;
    d.joint = joint;
    d.dofs = 1;
    d.dof = &dof;
    d.sensors = sizeof sensor / sizeof *sensor;
    d.sensor = sensor;
    d.cameras = 1;
    d.camera = &camera;
    d.devices = 2;
    d.battery = 1000;
    d.voltage = 12;
    strcpy(d.device[1].driver, "pattern");
    open_stage(&d, &wall);
    return 0;
}

TEST(sonars_are_one_ring_with_a_place_for_each, begin_seer, end)
{
    join(&c);
    const struct came *m = ask(&c, ROBO__PLAYER_SONAR, 0, 1, EMPTY);
    assert_int_equal(m->body.array[0].count, 2);
    assert_true(fabs(robo__player_item(&m->body.array[0], 1, 0) + 0.1) < 1e-9);
    assert_true(fabs(fabs(robo__player_item(&m->body.array[0], 1, 5)) - M_PI) < 1e-9);
    subscribe(&c, ROBO__PLAYER_SONAR, 0);
    pass(0.3);
    m = newest(&c, ROBO__PLAYER_SONAR);
    assert_int_equal(m->body.array[0].count, 2);
    /* a wall 3 m ahead, and nothing behind */
    assert_true(fabs(robo__player_item(&m->body.array[0], 0, 0) - 3) < 0.01);
    assert_true(fabs(robo__player_item(&m->body.array[0], 1, 0) - 5) < 1e-6);
    leave(&c);
}

TEST(a_scan_is_a_laser_and_a_ranger, begin_seer, end)
{
    join(&c);
    subscribe(&c, ROBO__PLAYER_LASER, 0);
    pass(0.3);
    const struct came *m = newest(&c, ROBO__PLAYER_LASER);
    assert_true(m->body.value[0] == -1 && m->body.value[1] == 1 && m->body.value[2] == 0.5);
    assert_true(m->body.value[3] == 8);
    assert_int_equal(m->body.array[0].count, 5);
    assert_true(fabs(robo__player_item(&m->body.array[0], 2, 0) - 3) < 0.01);
    assert_true(fabs(robo__player_item(&m->body.array[0], 0, 0) - 3 / cos(1)) < 0.01);
    /* the first ranger is the ring of sonars, the second the scan */
    m = ask(&c, ROBO__PLAYER_RANGER, 1, 5, EMPTY);
    assert_true(m->body.value[0] == -1 && m->body.value[2] == 0.5 && m->body.value[4] == 8);
    subscribe(&c, ROBO__PLAYER_RANGER, 1);
    pass(0.3);
    m = newest(&c, ROBO__PLAYER_RANGER);
    assert_int_equal(m->header.index, 1);
    assert_true(fabs(robo__player_item(&m->body.array[0], 2, 0) - 3) < 0.01);
    leave(&c);
}

/* As lasertoranger and sonartoranger of Player have it, by which its client computes points. */
TEST(a_ranger_has_a_place_and_a_size_for_each_part, begin_seer, end)
{
    join(&c);
    const struct came *m = ask(&c, ROBO__PLAYER_RANGER, 0, 1, EMPTY); /* the sonars */
    assert_int_equal(m->body.array[0].count, 2);
    assert_int_equal(m->body.array[1].count, 2);
    assert_true(fabs(robo__player_item(&m->body.array[0], 1, 0) + 0.1) < 1e-9);
    assert_true(robo__player_item(&m->body.array[1], 1, 0) == 0);
    m = ask(&c, ROBO__PLAYER_RANGER, 1, 1, EMPTY); /* the scan, one part at the device's place */
    assert_int_equal(m->body.array[0].count, 1);
    assert_int_equal(m->body.array[1].count, 1);
    assert_true(m->body.value[2] == 0.05);
    for (unsigned i = 0; i < 6; i++)
        assert_true(robo__player_item(&m->body.array[0], 0, i) == m->body.value[i]);
    leave(&c);
}

TEST(bumpers_and_the_battery_are_told, begin_seer, end)
{
    join(&c);
    subscribe(&c, ROBO__PLAYER_BUMPER, 0);
    subscribe(&c, ROBO__PLAYER_POWER, 0);
    assert_int_equal(ask(&c, ROBO__PLAYER_BUMPER, 0, 1, EMPTY)->body.array[0].count, 2);
    pass(0.3);
    struct client copy = c; /* it is read twice */
    const struct came *m = newest(&c, ROBO__PLAYER_BUMPER);
    assert_int_equal(m->body.array[0].count, 2);
    assert_true(robo__player_item(&m->body.array[0], 0, 0) == 0);
    m = newest(&copy, ROBO__PLAYER_POWER);
    assert_true(m->body.value[0] == (1 | 4 | 8)); /* volts, joules, percent */
    assert_true(fabs(m->body.value[1] - 12) < 0.5 && fabs(m->body.value[2] - 100) < 5);
    leave(&c);
}

static double gripper(struct client *of)
{
    return newest(of, ROBO__PLAYER_GRIPPER)->body.value[0];
}

TEST(a_gripper_opens_stops_and_closes, begin_seer, end)
{
    enum { OPEN = 1, CLOSED, MOVING, ERROR };
    join(&c);
    assert_int_equal(ask(&c, ROBO__PLAYER_GRIPPER, 0, 1, EMPTY)->header.size, 104);
    subscribe(&c, ROBO__PLAYER_GRIPPER, 0);
    pass(0.2);
    assert_true(gripper(&c) == CLOSED);
    say(&c, ROBO__PLAYER_GRIPPER, 0, CMD, 1, EMPTY);
    pass(0.3);
    assert_true(gripper(&c) == MOVING);
    pass(1);
    assert_true(gripper(&c) == OPEN);
    say(&c, ROBO__PLAYER_GRIPPER, 0, CMD, 2, EMPTY);
    pass(0.3);
    say(&c, ROBO__PLAYER_GRIPPER, 0, CMD, 3, EMPTY);
    pass(2);
    assert_true(gripper(&c) == ERROR); /* neither open nor closed, and it does not move */
    leave(&c);
}

TEST(the_stop_of_a_gripper_is_anybodys, begin_seer, end)
{
    enum { MOVING = 3 };
    struct client one, other;
    join(&one);
    join(&other);
    subscribe(&other, ROBO__PLAYER_GRIPPER, 0);
    say(&one, ROBO__PLAYER_GRIPPER, 0, CMD, 1, EMPTY);
    pass(0.3);
    assert_true(gripper(&other) == MOVING);
    say(&other, ROBO__PLAYER_GRIPPER, 0, CMD, 3, EMPTY);
    pass(2);
    assert_true(gripper(&other) == 4); /* it rests half open */
    leave(&one);
    leave(&other);
}

TEST(pictures_come_as_jpeg_as_often_as_data, begin_seer, end)
{
    unsigned count = 0, width, height;
    join_at(&c, "player+local:?rate=5");
    subscribe(&c, ROBO__PLAYER_CAMERA, 0);
    pass(1.05);
    for (const struct came *m; (m = next(&c)) != NULL; count++) {
        assert_int_equal(m->header.interf, ROBO__PLAYER_CAMERA);
        assert_true(m->body.value[0] == 160 && m->body.value[1] == 120);
        assert_true(m->body.value[4] == 1 && m->body.value[5] == 1); /* fdiv, JPEG */
        assert_int_equal(
            robo_jpeg_size(m->body.array[0].raw, m->body.array[0].count, &width, &height), 0);
        assert_int_equal(width, 160);
    }
    assert_true(count >= 4 && count <= 6);
    leave(&c);
    pass(1);
}

TEST(in_pull_mode_only_the_newest_picture_waits, begin_seer, end)
{
    join(&c);
    pull(&c);
    subscribe(&c, ROBO__PLAYER_CAMERA, 0);
    pass(3);
    ask(&c, ROBO__PLAYER_PLAYER, 0, 4, EMPTY);
    expect(&c, ROBO__PLAYER_CAMERA, DATA, 1);
    expect(&c, ROBO__PLAYER_PLAYER, SYNCH, 1);
    expect_nothing(&c);
    leave(&c);
    pass(1);
}
