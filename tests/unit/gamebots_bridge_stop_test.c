/* Bridges: stops and panics, and scripts that hang, end, or fail. */
#include "fixture_bridge.h"

/* ---- stops and panics ---- */

FIXTURE(begin, end);

TEST(a_pause_stops_without_the_script_and_before_what_it_thinks_of)
{
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.2 } };
    drive();
    say(&client, "PAUSE");
    assert_int_equal(robo_bridge_hand_over(bridge, view.epoch, &wish), ROBO_ECLOSED);
    pass(0.3);
    assert_float_equal(speed(), 0, 1e-6);
    assert_at_rest();
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_panic_waits_for_no_script_and_after_the_reset_new_lines_count)
{
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.2 } };
    drive();
    robo_panic(robot);
    pass(0.3);
    assert_float_equal(speed(), 0, 1e-6);
    robo_bridge_hand_over(bridge, view.epoch, &wish); /* it knows of no panic */
    pass(0.1);
    assert_float_equal(speed(), 0, 1e-6);
    run(0.2);
    assert_true(view.panic);
    say(&client, "DRIVE {Left 2} {Right 2}");
    assert_at_rest();
    const uint32_t during = view.epoch;
    robo_reset(robot);
    assert_int_equal(robo_bridge_hand_over(bridge, during, &wish), 0);
    assert_at_rest();
    assert_false(view.panic);
    assert_true(view.epoch > during);
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* A line may leave out what stays as it was: not what it was in an older epoch. */
TEST(a_line_after_a_reset_goes_on_with_nothing_that_was_said_before)
{
    init(&client);
    say(&client, "DRIVE {Speed 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
    robo_panic(robot);
    run(0.2);
    robo_reset(robot);
    run(0.2);
    say(&client, "DRIVE {FrontSteer 0.1}");
    assert_at_rest();
    say(&client, "DRIVE {Speed 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_cut_in_a_panic_leaves_it_latched_for_the_next_client)
{
    drive();
    robo_panic(robot);
    leave(&client);
    assert_at_rest();
    join(&client, "gamebots+local:?bridge");
    init(&client);
    say(&client, "DRIVE {Left 2} {Right 2}");
    assert_at_rest();
    assert_true(view.panic);
    robo_reset(robot);
    assert_at_rest();
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* A program of another protocol stops the robot: what was said before is over. */
TEST(a_stop_by_another_ends_the_epoch)
{
    char text[128];
    const struct robo__identity who = { .number = 99, .name = "somebody" };
    const struct robo__session_request request = { .who = &who };
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.2 } };
    struct robo__session *s = NULL;
    drive();
    assert_int_equal(
        robo__session_open(robot, NULL, &request, NULL, NULL, robo_now(world), &s, text), 0);
    struct robo_cmd stop = { .op = ROBO_STOP, .id = 1, .start = ROBO_AT_ONCE };
    const struct robo__known known = {
        .epoch = (uint16_t)robo__robot_alarm(robot).epoch,
        .stops = (uint16_t)robo__session_news(s, robo_now(world)).stops,
    };
    robo__session_commands(s, &stop, 1, known, ROBO_NO_TIME, robo_now(world));
    robo_bridge_hand_over(bridge, view.epoch, &wish); /* it has not heard of it */
    assert_at_rest();
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
    robo__session_close(s);
}

/* ---- scripts that fail ---- */

TEST(a_script_that_hangs_has_the_robot_stop_and_the_client_told)
{
    drive();
    forget(&client);
    pass(0.4);
    assert_float_equal(speed(), 0.165, 1e-6);
    pass(0.6); /* the robot's deadman time is 0.5 s */
    assert_float_equal(speed(), 0, 1e-6);
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status Failed} {Reason its script "
                                  "does not answer: the robot stops}"));
    assert_non_null(strstr(log_text, "its script does not answer"));
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0, 1e-6);
    forget(&client);
    /* it goes on: what was said before, and meanwhile, is over */
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.3 } };
    assert_int_equal(robo_bridge_hand_over(bridge, view.epoch, &wish), ROBO_ECLOSED);
    assert_at_rest();
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status OK}"));
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_script_that_ends_has_the_robot_stop_and_the_client_stays)
{
    drive();
    forget(&client);
    robo_bridge_close(bridge);
    pass(1);
    assert_float_equal(speed(), 0, 1e-6);
    assert_non_null(told(&client, "{Status Failed} {Reason no script runs: the robot stops}"));
    say(&client, "DRIVE {Left 2} {Right 2}");
    pass(3);
    assert_float_equal(speed(), 0, 1e-6); /* never without its script */
    assert_non_null(told(&client, "STA "));
    forget(&client);
    open_script();
    assert_at_rest();
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status OK}"));
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* As when it is changed: what the new one has not wished goes on no more. */
TEST(a_script_that_ends_and_begins_at_once_has_the_robot_stop)
{
    drive();
    forget(&client);
    robo_bridge_close(bridge);
    open_script();
    assert_at_rest();
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status Failed} {Reason its script "
                                  "has begun anew: the robot stops}"));
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

/* It was told to end, and has not yet: as when it computes. */
TEST(a_script_that_is_to_end_moves_nothing_any_more)
{
    int error = 0;
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.3 } };
    drive();
    robo_bridge_dismiss(world, KEY + 1); /* another one */
    run(0.2);
    assert_float_equal(speed(), 0.165, 1e-6);
    robo_bridge_dismiss(world, KEY);
    pass(1);
    assert_float_equal(speed(), 0, 1e-6);
    say(&client, "DRIVE {Left 2} {Right 2}");
    assert_at_rest();
    assert_int_equal(view.user, 0);
    assert_int_equal(robo_bridge_hand_over(bridge, view.epoch, &wish), ROBO_ECLOSED);
    assert_null(robo_bridge_open(world, "pioneer2", KEY, on_wake, NULL, &error));
    robo_bridge_close(bridge);
    open_script();
    run(0.01);
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_client_that_comes_before_the_script_waits_for_it)
{
    robo_bridge_close(bridge);
    init(&client);
    assert_non_null(told(&client, "{Reason no script runs: the robot stops}"));
    open_script();
    run(0.2);
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status OK}"));
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_script_that_fails_has_the_robot_stop_and_goes_on)
{
    const struct robo_bridge_wish wish = { .base = true, .velocity = { 0.3 } };
    drive();
    robo_bridge_fail(bridge, view.user, "mine: bridge.lua:3: a nil value");
    assert_int_equal(robo_bridge_hand_over(bridge, view.epoch, &wish), ROBO_ECLOSED);
    assert_at_rest();
    assert_non_null(told(&client, "RES {Type Bridge} {Name R1} {Status Failed} {Reason mine: "
                                  "bridge.lua:3: a nil value}"));
    say(&client, "DRIVE {Left 2} {Right 2}");
    run(3);
    assert_float_equal(speed(), 0.165, 1e-6);
}

TEST(a_script_may_end_the_talk)
{
    drive();
    robo_bridge_quit(bridge, view.user);
    pass(0.1);
    assert_true(client.conn.closing);
    leave(&client);
    assert_at_rest();
}
