/* A live session of RCTP and resets: which panic a reset ends, and what a client may have heard by then. */
#include "fixture_rctp.h"

FIXTURE(begin, end);

TEST(a_button_that_resets_keeps_the_session)
{
    struct client a;
    struct robo_description d = make_description("buttons", false);
    d.widgets = 1;
    d.widget[0] = (struct robo_widget){ .name = "on",
                                        .kind = ROBO_WIDGET_BUTTON,
                                        .command = "reset",
                                        .joint = ROBO_WORLD,

                                        .dof = 255 };
    robo_remove(robot);
    assert_int_equal(robo_add(world, &d, &robot), 0);
    robo_release(robot); /* the world holds it */
    join(&a);
    assert_int_equal(assign(&a, "base"), BASE);
    const uint8_t button = assign(&a, "on");
    go(&a);
    robo_panic(robot);
    robo_reset(robot);
    pass(0.01);
    expect_status(&a, 0, 503);
    expect_status(&a, 0, 200);
    expect_drive(&a, 503);
    expect_nothing(&a);
    pass(HEARING);
    expect_reply(&a, button, "x", 200);
    expect_drive(&a, 200);
    leave(&a);
}

TEST(a_reset_is_of_a_panic_that_the_client_was_told_of)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    expect_panic(&a);
    robo_reset(robot);
    robo_panic(robot); /* word of that one is out, but its reset may have been before it */
    pass(0.01);
    expect_status(&a, 0, 503);
    expect_reply(&a, command, "reset", 503);
    assert_true(robo__robot_alarm(robot).panic);
    expect_reply(&a, command, "reset 1", 503);
    say_text(&a, command, "reset 2"); /* the number that it was told */
    expect_status(&a, command, 200);
    assert_false(robo__robot_alarm(robot).panic);
    pass(0.01);
    expect_status(&a, 0, 200);
    expect_drive(&a, 200);
    robo_panic(robot);
    pass(0.01);
    robo_panic(robot);
    say_text(&a, command, "reset\nreset\nreset x"); /* nor has it read what refuses the first */
    expect_status(&a, 0, 503);
    expect_status(&a, command, 503);
    expect_status(&a, command, 503);
    expect_status(&a, command, 400);
    pass(HEARING);
    say_text(&a, command, "reset"); /* of the panic that the refusal told of */
    expect_status(&a, 0, 503);
    expect_status(&a, command, 200);
    leave(&a);
}

/* As by a button that repeats while it is held. */
TEST(a_reset_that_is_repeated_faster_than_it_is_heard_succeeds)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    for (unsigned i = 0; i < 2; i++) {
        expect_panic(&a);
    }
    for (unsigned i = 0; i < 10; i++) { /* the first is of none, and is told of both */
        say_text(&a, command, "reset");
        expect_status(&a, command, 503);
        pass(0.01);
    }
    expect_reply(&a, command, "reset", 200);
    assert_false(robo__robot_alarm(robot).panic);
    leave(&a);
}

TEST(a_reset_without_number_is_of_the_first_panic_since_the_last_one)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    for (unsigned i = 0; i < 2; i++) {
        expect_panic(&a);
    }
    expect_reply(&a, command, "reset 2", 200);
    pass(0.01);
    expect_status(&a, 0, 200);
    robo_panic(robot);
    pass(HEARING);
    expect_status(&a, 0, 503);
    expect_reply(&a, command, "reset", 200);
    leave(&a);
}

TEST(a_reset_by_who_does_not_read_ends_no_panic)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    a.stalls = true;
    robo_panic(robot);
    pass(1);
    say_text(&a, command, "reset");
    assert_true(robo__robot_alarm(robot).panic);
    a.stalls = false;
    settle(&a);
    pass(HEARING);
    say_text(&a, command, "reset");
    assert_false(robo__robot_alarm(robot).panic);
    leave(&a);
}

/* A link with a round trip of 0.3 s, by which the newest bytes are under way all the time. */
static struct client *far_away;
static uint64_t acknowledged;

static size_t underway(const struct robo__conn *conn)
{
    return (size_t)(conn->written - acknowledged);
}

static void go_far_away(struct client *c)
{
    go(c);
    far_away = c;
    c->conn.underway = underway;
    acknowledged = c->conn.written;
}

TEST(resets_by_a_long_link_end_no_panic_before_word_of_it_has_come)
{
    struct client a;
    uint64_t written[50];
    join(&a);
    const uint8_t command = assign(&a, "command");
    go_far_away(&a);
    robo_panic(robot);
    unsigned i;
    for (i = 0; i < 50 && robo__robot_alarm(robot).panic; i++) { /* 30 a second */
        say_text(&a, command, "reset");
        written[i] = a.conn.written;
        pass(0.03);
        if (i >= 10)
            acknowledged = written[i - 10];
    }
    /* word of it goes out with the first answer and is under way for the last time at the 11th reset: 0.1 s later is the 15th */
    assert_int_equal(i, 15);
    leave(&a);
}

TEST(nor_does_a_command_by_a_long_link_know_of_a_stop)
{
    struct client a, b;
    join(&a), join(&b);
    assert_int_equal(assign(&a, "base"), BASE);
    const uint8_t command = assign(&b, "command");
    go_far_away(&a), go(&b);
    say_text(&b, command, "stop");
    pass(0.3);
    expect_status(&a, 0, 409);
    expect_drive(&a, 409);
    acknowledged = a.conn.written;
    pass(0.05);
    expect_drive(&a, 409);
    pass(0.05);
    expect_drive(&a, 200);
    leave(&a), leave(&b);
}

TEST(a_reset_that_was_under_way_is_of_no_panic_that_came_then)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    robo_panic(robot);
    pass(0.01);
    say_text(&a, command, "reset"); /* sent before word of the panic was read */
    expect_status(&a, 0, 503);
    expect_status(&a, command, 503);
    assert_true(robo__robot_alarm(robot).panic);
    expect_reset(&a);
    expect_drive(&a, 503);
    leave(&a);
}

TEST(who_may_not_reset_may_say_that_it_has_heard_of_all_panics)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    struct robo__access access = { .open = ROBO_ROLE_DRIVE };
    a.conn.access = &access;
    for (unsigned i = 0; i < 2; i++) {
        expect_panic(&a);
    }
    expect_reply(&a, command, "reset 2", 403);
    expect_reset(&a);
    pass(HEARING);
    say_text(&a, command, "reset"); /* of the first */
    expect_status(&a, command, 503);
    pass(HEARING);
    expect_reply(&a, command, "reset", 200);
    expect_drive(&a, 200);
    a.conn.access = NULL;
    leave(&a);
}

TEST(who_comes_in_a_panic_may_reset_it_at_once)
{
    struct client a;
    robo_panic(robot);
    const uint8_t command = join_to_command(&a);
    expect_status(&a, 0, 503);
    expect_reply(&a, command, "reset", 200);
    assert_false(robo__robot_alarm(robot).panic);
    leave(&a);
}

TEST(a_datagram_may_be_older_than_a_reset_by_the_connection)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    robo_panic(robot);
    pass(HEARING);
    expect_status(&a, 0, 503);
    say_text(&a, command, "reset");
    pass(0.01);
    expect_status(&a, command, 200);
    expect_status(&a, 0, 200);
    a.session->beside = true; /* as while a datagram is worked on */
    expect_drive(&a, 503);
    a.session->beside = false;
    expect_drive(&a, 200);
    pass(0.2);
    a.session->beside = true;
    expect_drive(&a, 200);
    leave(&a);
}
