/* What a script says to a client, and has the connection answer; and whose that is when clients and scripts come and go. */
#include "fixture_bridge.h"

#include "../zoom_robot.h"

static void pass_line(const char *line)
{
    assert_int_equal(robo_bridge_pass(bridge, view.user, line, strlen(line)), 0);
}

/* ---- whose it is ---- */

FIXTURE(begin, end);

TEST(what_was_said_to_a_client_that_has_gone_the_next_one_does_not_hear)
{
    init(&client);
    cycle();
    robo_bridge_say(bridge, view.user, "OLD\r\n", 5);
    leave(&client);
    join(&client, "gamebots+local:?bridge");
    init(&client);
    run(0.1);
    robo_bridge_say(bridge, view.user, "NEW\r\n", 5);
    run(0.1);
    assert_null(told(&client, "OLD"));
    assert_non_null(told(&client, "NEW\r\n"));
}

TEST(who_comes_does_not_go_by_the_quit_of_the_one_before)
{
    init(&client);
    cycle();
    robo_bridge_quit(bridge, view.user);
    leave(&client);
    join(&client, "gamebots+local:?bridge");
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_false(client.conn.closing);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(who_comes_does_not_hear_of_what_failed_before)
{
    init(&client);
    cycle();
    robo_bridge_fail(bridge, view.user, "mine: boom");
    leave(&client);
    join(&client, "gamebots+local:?bridge");
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_null(told(&client, "boom"));
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(what_a_script_that_has_ended_said_is_not_taken_for_the_next_ones)
{
    init(&client);
    cycle();
    robo_bridge_say(bridge, view.user, "OLD\r\n", 5);
    robo_bridge_close(bridge);
    open_script();
    run(0.1);
    assert_null(told(&client, "OLD"));
}

/* ---- what the connection does ---- */

TEST(the_client_is_told_how_the_wheels_are_steered)
{
    init(&client);
    say(&client, "DRIVE {Speed 2} {FrontSteer 0.2} {RearSteer -0.1}");
    run(0.3);
    forget(&client);
    run(0.2);
    assert_non_null(told(&client, "{FrontSteer 0.2000} {RearSteer -0.1000}"));
}

/* It moves nothing past the behaviours, whatever a script passes on. */
TEST(a_line_that_moves_something_is_not_carried_out_when_it_is_passed_on)
{
    init(&client);
    cycle();
    forget(&client);
    pass_line("DRIVE {Left 2} {Right 2}");
    pass_line("MISPKG {Name head} {Link 1} {Value 1}");
    pass_line("SET {Type Joint} {Name pan} {Opcode Angle} {Params 1}");
    pass_line("GETCONF {Type Robot}");
    assert_at_rest();
    assert_non_null(told(&client, "CONF {Type GroundVehicle}"));
    assert_float_equal(look_at(robot).position[0], 0, 1e-9);
}

/* ---- a camera that zooms ---- */

static int begin_zoom(void **state)
{
    int error = 0;
    only_newest = true;
    open_world(state);
    add_zoom_robot(world);
    robot = robo_find(world, "zoomer");
    robo_release(robot); /* the world holds it */
    bridge = robo_bridge_open(world, "zoomer", KEY, on_wake, NULL, &error);
    assert_non_null(bridge);
    join(&client, "gamebots+local:?bridge");
    say(&client, "INIT {ClassName zoomer} {Name Z}");
    return 0;
}

TEST(a_camera_zooms_by_what_the_script_wishes_alone, begin_zoom, end)
{
    size_t n, said;
    char room[1024];
    struct robo_bridge_wish wish;
    say(&client, "SET {Type Camera} {Name eye} {Opcode Zoom} {Params 0.4}");
    pass(0.3);
    robo_bridge_look(bridge, &view);
    const char *line = robo_bridge_line(bridge, &n);
    assert_non_null(line);
    assert_true(robo_bridge_mean(bridge, line, n, &wish, room, sizeof room, &said));
    assert_int_equal(wish.dofs, 1);
    assert_true(wish.dof[0].camera);
    assert_float_equal(wish.dof[0].value, 0.4, 1e-12);
    assert_memory_equal(room, "RES {Type Camera} {Name eye} {Status OK}\r\n", said);
    pass_line("SET {Type Camera} {Name eye} {Opcode Zoom} {Params 0.4}");
    run(2);
    assert_float_equal(look_at(robot).position[1], 0.85, 1e-9);
    robo_bridge_hand_over(bridge, view.epoch, &wish);
    run(2);
    assert_float_equal(look_at(robot).position[1], 0.4, 1e-9);
}
