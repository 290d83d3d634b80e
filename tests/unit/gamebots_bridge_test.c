/* What a script in a bridge is given, and what becomes of it and of what it wishes when the link to the client is cut, in every state. */
#include "fixture_bridge.h"
#include "robot/world/inside.h"

/* ---- pipelines ---- */

FIXTURE(begin, end);

TEST(lines_wait_until_the_script_looks)
{
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(0.2);
    assert_float_equal(speed(), 0, 1e-9);
    assert_true(wakes > 0);
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(what_the_script_does_not_drive_the_connection_answers)
{
    init(&client);
    forget(&client);
    say(&client, "GETCONF {Type Robot}");
    say(&client, "DRIVE {Left 1,5} {Right 1}");
    run(0.1);
    assert_non_null(told(&client, "CONF {Type GroundVehicle} {Name P2AT}"));
    assert_non_null(told(&client, "RES {Type DRIVE} {Name R1} {Status Failed} {Reason Left: "));
}

TEST(a_flood_of_one_kind_is_its_newest_line)
{
    char line[64];
    size_t n;
    init(&client);
    cycle();
    for (int i = 0; i <= 5000; i++) {
        snprintf(line, sizeof line, "DRIVE {Left %d} {Right %d}", i % 9, i % 9);
        say(&client, line);
    }
    robo_bridge_look(bridge, &view);
    const char *only = robo_bridge_line(bridge, &n);
    assert_non_null(only);
    assert_memory_equal(only, "DRIVE {Left 5} {Right 5}", n);
    assert_null(robo_bridge_line(bridge, &n));
    assert_int_equal(view.dropped, 0);
}

TEST(lines_that_say_other_things_do_not_take_each_others_place)
{
    static const char *const lines[] = {
        "DRIVE {Left 1} {Right 1}",
        "DRIVE {Left 1} {Right 1} {Light true}",
        "DRIVE {Left 1} {Right 1} {Light false}",
        "MISPKG {Name CameraPanTilt} {Link 1} {Value 0.1}",
        "MISPKG {Name CameraPanTilt} {Link 2} {Value 0.1}",
        "HORN",
        "HORN",
    };
    size_t n;
    init(&client);
    cycle();
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++)
        say(&client, lines[i]);
    robo_bridge_look(bridge, &view);
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *line = robo_bridge_line(bridge, &n);
        assert_non_null(line);
        assert_int_equal(n, strlen(lines[i]));
        assert_memory_equal(line, lines[i], n);
    }
}

TEST(of_too_many_lines_the_newest_stay_and_the_client_is_told)
{
    char line[2048];
    size_t n;
    int first = -1, count = 0;
    memset(line, 'x', sizeof line);
    init(&client);
    cycle();
    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line, "HORN {Number %d} {Text ", i);
        line[strlen(line)] = 'x';
        line[1000] = '}';
        send(&client, line, 1001);
        send(&client, "\n", 1);
        memset(line, 'x', sizeof line);
    }
    robo_bridge_look(bridge, &view);
    for (const char *one; (one = robo_bridge_line(bridge, &n)) != NULL; count++)
        if (first < 0)
            sscanf(one, "HORN {Number %d}", &first);
    assert_int_equal(first + count, 1000); /* all from the first one on */
    assert_true(count >= 64 && count <= 131);
    assert_int_equal(view.dropped, 1000 - count);
    run(0.3);
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status Failed} {Reason too many "
                                  "lines came at once: the oldest were dropped}"));
}

TEST(a_robot_has_one_script)
{
    int error = 0;
    assert_null(robo_bridge_open(world, "pioneer2", KEY, on_wake, NULL, &error));
    assert_int_equal(error, ROBO_EEXISTS);
}

/* ---- the link is cut ---- */

TEST(a_cut_before_init_leaves_the_robot_free)
{
    say(&client, "DRIVE {Left 2} {Right 2}");
    leave(&client);
    assert_at_rest();
    join(&client, "gamebots+local:?bridge");
    drive();
}

TEST(a_cut_after_init_ends_the_epoch)
{
    init(&client);
    cycle();
    const uint32_t before = view.epoch;
    assert_true(view.user > 0);
    leave(&client);
    assert_at_rest();
    assert_int_equal(view.user, 0);
    assert_true(view.epoch > before);
}

TEST(a_cut_while_it_drives_stops_it)
{
    drive();
    leave(&client);
    assert_at_rest();
    join(&client, "gamebots+local:?bridge");
    init(&client);
    assert_at_rest(); /* it waits for new commands */
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_cut_while_the_camera_turns_stops_it)
{
    init(&client);
    say(&client, "MISPKG {Name CameraPanTilt} {Link 1} {Value 1.5} {Order 0}");
    run(0.3);
    assert_true(fabs(pan_speed()) > 0.1);
    leave(&client);
    assert_at_rest();
    assert_true(fabs(look_at(robot).position[0]) < 1.4);
    join(&client, "gamebots+local:?bridge");
    init(&client);
    assert_at_rest();
}

TEST(a_cut_while_a_joint_turns_at_a_speed_stops_it)
{
    init(&client);
    say(&client, "DRIVE {Name pan} {Value 0.2} {Order 1}");
    run(0.5);
    assert_true(fabs(pan_speed()) > 0.1);
    leave(&client);
    assert_at_rest();
}

TEST(a_cut_in_half_a_line_drives_by_no_half_line)
{
    drive();
    send(&client, "DRIVE {Left 9} {Ri", 18);
    leave(&client);
    assert_at_rest();
    join(&client, "gamebots+local:?bridge");
    init(&client);
    send(&client, "ght 9}\r\n", 8);
    assert_at_rest();
}

TEST(lines_that_the_script_has_not_taken_are_gone_with_the_client)
{
    init(&client);
    cycle();
    say(&client, "DRIVE {Left 2} {Right 2}");
    leave(&client);
    join(&client, "gamebots+local:?bridge");
    init(&client);
    assert_at_rest();
}

/* It has taken a line, and thinks, while the client goes and comes back. */
TEST(a_wish_of_a_client_that_has_gone_moves_nothing)
{
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.2 } };
    init(&client);
    cycle();
    leave(&client);
    assert_int_equal(robo_bridge_hand_over(bridge, view.epoch, &wish), ROBO_ECLOSED);
    join(&client, "gamebots+local:?bridge");
    init(&client);
    assert_int_equal(robo_bridge_hand_over(bridge, view.epoch, &wish), ROBO_ECLOSED);
    robo_bridge_say(bridge, view.user, "OLD\r\n", 5);
    robo_bridge_fail(bridge, view.user, "old");
    robo_bridge_quit(bridge, view.user);
    forget(&client);
    assert_at_rest();
    assert_null(told(&client, "OLD"));
    assert_null(told(&client, "Failed"));
    assert_false(client.conn.closing);
}

TEST(a_wish_that_the_connection_has_not_taken_goes_with_it)
{
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.2 } };
    init(&client);
    cycle();
    assert_int_equal(robo_bridge_hand_over(bridge, view.epoch, &wish), 0);
    leave(&client);
    join(&client, "gamebots+local:?bridge");
    init(&client);
    assert_at_rest();
}

TEST(with_two_clients_the_others_cut_changes_nothing)
{
    drive();
    join(&other, "gamebots+local:?bridge");
    say(&other, "INIT {ClassName USARBot.P2AT} {Name R1}");
    assert_non_null(told(&other, "{Reason another client has the robot of that name}"));
    say(&other, "DRIVE {Left -2} {Right -2}");
    leave(&other);
    run(1);
    assert_float_equal(speed(), 0.165, 1e-6);
    join(&other, "gamebots+local:?bridge");
    leave(&client);
    assert_at_rest();
    say(&other, "INIT {ClassName USARBot.P2AT} {Name R1}");
    assert_at_rest();
    say(&other, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* Another server of this program has names of its own, and so gets a robot that nobody has the lease of. */
TEST(who_gets_its_robot_back_has_the_bridge_again)
{
    static const struct robo_request_take everything = { .force = 1 };
    struct robo_reply_take reply;
    char text[128];
    const struct robo__identity who = { .number = 99, .name = "somebody" };
    const struct robo__session_request request = { .who = &who };
    struct robo__session *s = NULL;
    struct robo__host second;
    robo__host_init(&second, world, NULL);
    drive();
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s, text), 0);
    assert_int_equal(robo__session_request(s, ROBO_Q_TAKE, &everything, ROBO_ROLE_OPERATE, &reply,
                                           robo_now(world)),
                     0);
    run(1);
    robo__session_close(s);
    join_at(&second, &other, "gamebots+local:?bridge");
    init(&other);
    say(&other, "DRIVE {Left 1} {Right 1}");
    run(3);
    assert_float_equal(speed(), 0.0825, 1e-6);
    leave(&other);
    run(1);
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
    robo__host_free(&second);
}

TEST(what_waits_in_a_bridge_is_in_the_worlds_budget)
{
    const size_t total = world->memory.total, alone = atomic_load(&world->memory.used);
    assert_true(alone >= 2 * ROBO_BRIDGE_LINES + ROBO_BRIDGE_WORDS);
    init(&client);
    cycle();
    assert_true(atomic_load(&world->memory.used) >= alone + ROBO_BRIDGE_WORDS);
    robo_bridge_close(bridge);
    leave(&client);
    pass(0); /* the connection's wake-up was under way */
    assert_int_equal(atomic_load(&world->memory.used), 0);
    int error = 0;
    world->memory.total = ROBO_BRIDGE_LINES;
    bridge = robo_bridge_open(world, "pioneer2", KEY, on_wake, NULL, &error);
    assert_null(bridge);
    assert_int_equal(error, ROBO_ENOMEM);
    world->memory.total = total;
}
