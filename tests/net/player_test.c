/* A robot of this house behind another one's Player server: what the driver does there, what comes back, and what happens when the
 * server goes, is silent, and comes again. Real sockets, real clocks; nothing here measures time. */
#include "player_served.h"

#include <math.h>
#include <unistd.h>

#include "../head_and_gripper.h"
#include "../kept_log.h"
#include "drivers.h"

/* ---- two worlds ---- */

/* A base with a head and two sonars; `driver` moves all of it. */
static struct robo_description looks_around(const char *driver)
{
    static struct robo_sensor sensor[] = {
        { .name = "s0",
          .kind = "sonar",
          .position = { 0, 0, 0.2 },
          .low = 0.1,
          .high = 5,
          .rate = 50 },
        { .name = "s1",
          .kind = "sonar",
          .position = { 0, 0, 0.2 },
          .attitude = { 0, 0, 3.14 },
          .low = 0.1,
          .high = 5,
          .rate = 50 },
    };
    struct robo_description d = quick_base(driver);
    wear_head(&d);
    d.sensors = 2;
    d.sensor = sensor;
    return d;
}

static struct robo_cmd speed(double x, double theta)
{
    return (struct robo_cmd){ .op = ROBO_SET_SPEED, .body.set_speed = { x, 0, theta } };
}

static int begin(void **state)
{
    const struct robo_thing wall = { .shape = ROBO_SHAPE_BOX,
                                     .size = { 0.2, 40, 2 },
                                     .position = { 4.1, 0, 1 } };
    const struct robo_description d = looks_around("sim");
    open_worlds();
    assert_int_equal(robo_surround(far_world, &wall, 1), 0);
    there = add(far_world, &d);
    serve("player://127.0.0.1:0?rate=50");
    add_here(looks_around("player"), address, 30);
    come();
    return 0;
}

static int end(void **state)
{
    close_world_here();
    unserve();
    close_world_there();
    return 0;
}

/* Commands are answered ERROR, link until the connection is there. */
static void wait_for_link(void)
{
    EVENTUALLY(result(speed(0, 0)) == ROBO_SUCCESS);
}

/* ---- tests ---- */

FIXTURE(begin, end);

TEST(a_robot_behind_a_server_drives_and_tells_where_it_is)
{
    wait_for_link();
    assert_int_equal(result(speed(0.5, 0.25)), ROBO_SUCCESS);
    EVENTUALLY(state_of(there).twist[0] > 0.4);
    EVENTUALLY(state_of(here).twist[0] > 0.4 && state_of(here).pose[0] > 0.05);
    assert_int_equal(result(speed(9, 0)), ROBO_MODIFIED); /* 2 m/s are its limit */
    assert_int_equal(result((struct robo_cmd){ .op = ROBO_STOP }), ROBO_SUCCESS);
    EVENTUALLY(!state_of(there).moving && !state_of(here).moving);
}

TEST(a_place_is_reached_when_the_server_says_so)
{
    wait_for_link();
    const struct robo_cmd go = { .op = ROBO_GO_TO,
                                 .body.go_to = { .x = 0.5, .theta = 0.5, .speed = 1.5 } };
    assert_int_equal(result(go), ROBO_SUCCESS);
    assert_true(fabs(state_of(there).pose[0] - 0.5) < 0.06);
    assert_true(fabs(state_of(here).attitude[2] - 0.5) < 0.11);
}

TEST(a_head_turns_by_angles_and_by_speeds)
{
    wait_for_link();
    struct robo_cmd cmd = { .op = ROBO_SET_JOINT,
                            .body.servo = { .joint = 1, .mask = 3, .value = { 0.5, -0.25 } } };
    assert_int_equal(result(cmd), ROBO_SUCCESS);
    assert_true(fabs(state_of(there).position[0] - 0.5) < 0.03);
    assert_true(fabs(state_of(here).position[1] + 0.25) < 0.03);
    cmd.body.servo.value[0] = 3; /* its limit is 1 */
    assert_int_equal(result(cmd), ROBO_MODIFIED);
    cmd = (struct robo_cmd){ .op = ROBO_SET_JOINT_SPEED,
                             .body.servo = { .joint = 1, .mask = 1, .value = { -0.2 } } };
    assert_int_equal(result(cmd), ROBO_SUCCESS);
    EVENTUALLY(state_of(there).position[0] < 0.9);
    assert_int_equal(result((struct robo_cmd){ .op = ROBO_HOME }), ROBO_SUCCESS);
    assert_true(fabs(state_of(there).position[0]) < 0.03);
}

/* Each with a command of its own, as a joystick for each does. */
TEST(a_speed_for_one_dof_of_a_head_stops_no_other)
{
    struct robo_cmd cmd = { .op = ROBO_SET_JOINT_SPEED,
                            .body.servo = { .joint = 1, .mask = 1, .value = { 0.01 } } };
    wait_for_link();
    assert_int_equal(result(cmd), ROBO_SUCCESS);
    EVENTUALLY(state_of(there).speed[0] > 0.009);
    cmd.body.servo.mask = 2;
    cmd.body.servo.value[1] = -0.01;
    assert_int_equal(result(cmd), ROBO_SUCCESS);
    EVENTUALLY(state_of(there).speed[1] < -0.009);
    assert_true(state_of(there).speed[0] > 0.009);
    assert_int_equal(result((struct robo_cmd){ .op = ROBO_STOP }), ROBO_SUCCESS);
    EVENTUALLY(!state_of(there).moving);
    assert_int_equal(result(cmd), ROBO_SUCCESS); /* what a stop has ended does not go on */
    EVENTUALLY(state_of(there).speed[1] < -0.009);
    assert_true(state_of(there).speed[0] == 0);
}

TEST(sonars_see_what_stands_there)
{
    struct robo_reading reading;
    double range = 0;
    EVENTUALLY(robo_sense(here, 0, 0, &reading, sizeof reading, &range, 1) == 1);
    assert_true(fabs(range - 4) < 0.05);
    EVENTUALLY(robo_sense(here, 1, 0, &reading, sizeof reading, &range, 1) == 1);
    assert_true(fabs(range - 5) < 1e-6);
}

TEST(a_panic_here_stops_the_robot_there)
{
    wait_for_link();
    assert_int_equal(result(speed(0.5, 0)), ROBO_SUCCESS);
    EVENTUALLY(state_of(there).twist[0] > 0.4);
    robo_panic(here);
    EVENTUALLY(!state_of(there).moving);
    assert_int_equal(state_of(there).panic, 0); /* that one is of another house */
}

TEST(a_server_that_goes_ends_commands_and_is_looked_for)
{
    char url[400];
    wait_for_link();
    const struct robo_cmd go = { .op = ROBO_GO_TO, .body.go_to = { .x = 1000 } };
    const uint32_t id = give(go);
    EVENTUALLY(state_of(there).twist[0] > 0.4);
    unserve();
    const struct robo_result r = answer_to(id);
    assert_int_equal(r.signal, ROBO_ERROR);
    assert_int_equal(r.reason, ROBO_WHY_LINK);
    EVENTUALLY(!state_of(there).moving); /* its client has gone */
    assert_int_equal(result(speed(0.1, 0)), ROBO_ERROR);
    assert_false(state_of(here).moving);
    snprintf(url, sizeof url, "%s?rate=50", address);
    serve(url);
    wait_for_link();
    assert_int_equal(result(speed(0.5, 0)), ROBO_SUCCESS);
    EVENTUALLY(state_of(there).twist[0] > 0.4);
}

/* The server's data come every 10 s, and the robot is lost after 0.2 s. */
TEST(data_that_are_too_old_are_a_fault)
{
    char url[400];
    snprintf(url, sizeof url, "%s?rate=0.1", address);
    unserve();
    serve(url);
    robo_disconnect(client);
    robo_remove(here);
    robo_release(here);
    add_here(looks_around("player"), address, 0.2);
    come();
    struct robo_result r;
    EVENTUALLY((r = answer(speed(0, 0))).signal == ROBO_ERROR && r.reason == ROBO_WHY_LINK);
}

TEST(a_server_that_is_not_there_is_told_with_its_address_once, NULL)
{
    char url[64], wanted[160];
    unsigned port;
    close(listen_narrowly(url));
    assert_int_equal(sscanf(url, "player://127.0.0.1:%u", &port), 1);
    const struct robo_options options = { .size = sizeof options, .log = on_log };
    forget_log();
    world = robo_open(&options);
    assert_int_equal(robo_add_drivers(world), 0);
    add_here(quick_base("player"), url, 1);
    snprintf(wanted, sizeof wanted, "rex: player: 127.0.0.1, port %u: Connection refused\n", port);
    assert_string_equal(log_text, wanted);
    robo_release(here);
    robo_close(world);
}

TEST(options_that_cannot_be_are_told, NULL)
{
    char why[128];
    struct robo_description d = base_robot("rex", "player");
    struct robo_option option = { .name = "url",
                                  .type = ROBO_OPTION_TEXT,
                                  .value.text = "gti://x" };
    assert_int_equal(robo_player_driver.check(&d, 0, why), ROBO_EINVAL);
    assert_string_equal(
        why, "url: expected the address of a server of Player, as player://host:6665, got nothing");
    d.device[0].option = &option;
    d.device[0].options = 1;
    assert_int_equal(robo_player_driver.check(&d, 0, why), ROBO_EINVAL);
    assert_string_equal(why, "url: expected player://host:port");
    struct robo_option two[] = {
        { .name = "url", .type = ROBO_OPTION_TEXT, .value.text = "player://x" },
        { .name = "position", .type = ROBO_OPTION_TEXT, .value.text = "ptz:0" },
    };
    d.device[0].option = two;
    d.device[0].options = 2;
    assert_int_equal(robo_player_driver.check(&d, 0, why), ROBO_EINVAL);
    assert_string_equal(why, "position: expected a device of Player, as \"position2d:0\"");
    two[1].name = "sonar";
    two[1].value.text = "sonar:0";
    assert_int_equal(robo_player_driver.check(&d, 0, why), ROBO_EINVAL);
    assert_string_equal(why, "sonar: the robot has nothing of that kind on this device");
}
