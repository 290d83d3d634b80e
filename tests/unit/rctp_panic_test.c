/* A live session of RCTP and panics: who is told of them, and what shows that a client knows. */
#include "fixture_rctp.h"

FIXTURE(begin, end);

TEST(panic_is_told_to_all_and_lasts_until_the_reset)
{
    struct client a, b;
    join(&a), join(&b);
    assert_int_equal(assign(&a, "base"), BASE);
    const uint8_t command = assign(&a, "command"), notices = assign(&b, "notices");
    go(&a), go(&b);
    expect_drive(&a, 200);
    say_text(&a, command, "panic");
    assert_int_equal(heard_halts(), 2);
    expect_status(&a, command, 200);
    pass(0.01);
    expect_status(&a, 0, 503);
    expect_status(&b, 0, 503);
    const struct robo_rctp_message *m = next(&b);
    assert_non_null(m);
    assert_int_equal(m->id, notices);
    assert_memory_equal(m->bytes, "panic: ", 7);
    expect_drive(&a, 503);
    struct client c;
    join(&c);
    const struct robo__rctp_assigned answer =
        robo__rctp_session_assign(c.session, "arm", robo_now(world));
    assert_int_equal(answer.code, 503);
    assert_true(answer.panic);
    expect_reply(&a, command, "reset", 200);
    pass(0.01);
    expect_status(&a, 0, 200);
    expect_drive(&a, 200);
    leave(&a), leave(&b), leave(&c);
}

TEST(a_client_knows_of_its_own_panic)
{
    struct client a;
    robo_panic(robot);
    robo_reset(robot); /* before it came */
    const uint8_t command = join_to_command(&a);
    say_text(&a, command, "panic\nreset"); /* it has heard nothing between */
    expect_status(&a, command, 200);
    expect_status(&a, 0, 503);
    expect_status(&a, command, 200);
    pass(0.01);
    expect_status(&a, 0, 200);
    robo_panic(robot); /* this one it cannot know of */
    expect_reply(&a, command, "reset", 503);
    leave(&a);
}

TEST(its_own_panic_and_reset_end_no_panic_of_another)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    robo_panic(robot); /* of which it has not heard */
    say_text(&a, command, "panic\nreset");
    expect_said(&a, 503, "panic: nothing is carried out before: reset 1");
    expect_status(&a, command, 200);
    expect_said(&a, 503, "panic: nothing is carried out before: reset 2");
    expect_status(&a, command, 503);
    assert_true(robo__robot_alarm(robot).panic);
    pass(HEARING);
    expect_reply(&a, command, "reset", 200);
    assert_false(robo__robot_alarm(robot).panic);
    leave(&a);
}

TEST(the_status_of_a_panic_tells_which_it_is)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    expect_panic(&a);
    say_text(&a, command, "panic");
    const struct robo_rctp_message *m = next(&a);
    assert_non_null(m);
    assert_int_equal(m->subject, command);
    assert_int_equal(m->code, 200);
    assert_int_equal(m->length, strlen("panic: reset 2"));
    assert_memory_equal(m->bytes, "panic: reset 2", m->length);
    expect_said(&a, 503, "panic: nothing is carried out before: reset 2");
    leave(&a);
}

TEST(panics_of_one_instant_are_one)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    say_text(&a, command, "panic\npanic\npanic");
    assert_int_equal(heard_halts(), 2); /* there are two devices */
    assert_int_equal(robo__robot_alarm(robot).epoch, 1);
    expect_status(&a, command, 200);
    expect_said(&a, 503, "panic: nothing is carried out before: reset 1");
    expect_status(&a, command, 200);
    expect_status(&a, command, 200);
    say_text(&a, command, "reset\npanic"); /* that one is over */
    assert_int_equal(robo__robot_alarm(robot).epoch, 2);
    assert_true(robo__robot_alarm(robot).panic);
    robo_panic(robot);
    say_text(&a, command, "panic"); /* and here is another's between */
    assert_int_equal(robo__robot_alarm(robot).epoch, 4);
    pass(0.01);
    say_text(&a, command, "panic");
    assert_int_equal(robo__robot_alarm(robot).epoch, 5);
    leave(&a);
}

static void expect_stale(struct client *c)
{
    expect_said(c, 503, "panic: nothing is carried out before: reset 1");
    expect_said(c, 200, "reset: the panic is over");
    expect_status(c, BASE, 503);
}

TEST(who_has_not_heard_of_a_panic_moves_nothing_after_its_reset_by_another)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    a.stalls = true;
    robo_panic(robot);
    robo_reset(robot);
    pass(1);
    say(&a, "00"); /* a sign of life shows that it lives, and no more */
    say(&a, "01 01 3F000000");
    pass(0.5);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    a.stalls = false;
    settle(&a);
    expect_stale(&a);
    expect_nothing(&a);
    say_text(&a, command, "reset"); /* now it has heard, and says so */
    expect_status(&a, command, 200);
    expect_drive(&a, 200);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    leave(&a);
}

TEST(a_panic_while_a_client_negotiates_is_told_once)
{
    struct client a;
    join(&a);
    assign(&a, "command");
    robo_panic(robot);
    go(&a);
    pass(0.5);
    expect_said(&a, 503, "panic: nothing is carried out before: reset 1");
    expect_nothing(&a);
    leave(&a);
}

TEST(nor_does_who_has_not_heard_of_65536_of_them)
{
    struct client a;
    join(&a);
    assert_int_equal(assign(&a, "base"), BASE);
    go(&a);
    a.stalls = true;
    for (int i = 0; i < 65536; i++)
        robo_panic(robot);
    robo_reset(robot);
    pass(1);
    say(&a, "01 01 3F000000");
    pass(0.5);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    a.stalls = false;
    settle(&a);
    expect_said(&a, 503, "panic: nothing is carried out before: reset 65536");
    expect_said(&a, 200, "reset: the panic is over");
    expect_status(&a, BASE, 503);
    leave(&a);
}

TEST(a_stamp_of_now_shows_no_knowledge_of_a_panic)
{
    struct client a;
    join_with(&a, (struct robo__rcml_group){ .mask = true, .stamp_size = 4 });
    assert_int_equal(assign(&a, "base"), BASE);
    go(&a);
    robo_panic(robot);
    robo_reset(robot);
    pass(1);
    say(&a, "01 00000064 01 3F000000"); /* 1 s since GO, in units of 10 ms */
    pass(0.1);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    expect_stale(&a);
    expect_said(&a, 503, "stale: there was a panic: expected a new session"); /* it has no words */
    leave(&a);
}

TEST(who_cannot_reset_is_sent_away_after_a_panic_and_its_lease_is_free)
{
    struct client a, b;
    join(&a), join(&b);
    assert_int_equal(assign(&a, "base"), BASE);
    go(&a);
    expect_panic(&a);
    expect_drive(&a, 503);
    assert_false(a.conn.closing); /* nobody could begin anew now */
    expect_reset(&a);
    say(&a, "00");
    say(&a, "01 00"); /* a mask of 0 commands nothing */
    expect_nothing(&a);
    assert_int_equal(assign_as(&b, "base"), 409);
    expect_drive(&a, 503);
    expect_said(&a, 503, "stale: there was a panic: expected a new session");
    assert_true(a.conn.closing);
    assert_int_equal(assign_as(&b, "base"), 201);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    leave(&a), leave(&b);
}

TEST(no_speed_of_before_a_panic_goes_on_after_it)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    say(&a, "01 03 3F000000 3F000000");
    expect_status(&a, BASE, 200);
    assert_true(newest()->x == 0.5);
    robo_panic(robot);
    pass(HEARING);
    expect_status(&a, 0, 503);
    expect_reply(&a, command, "reset", 200);
    say(&a, "01 02 3F000000");
    expect_status(&a, BASE, 200);
    assert_true(newest()->x == 0);
    leave(&a);
}

TEST(who_comes_in_a_panic_is_told_of_it)
{
    struct client a;
    robo_panic(robot);
    join(&a);
    assign(&a, "base_state");
    go(&a);
    expect_said(&a, 503, "panic: nothing is carried out before: reset 1");
    robo_reset(robot);
    pass(0.01);
    expect_said(&a, 200, "reset: the panic is over");
    leave(&a);
}

TEST(a_frame_whose_first_words_are_refused_moves_after_a_stop_by_another)
{
    struct client a, b;
    join(&a);
    join(&b);
    assert_int_equal(assign(&a, "base"), BASE);
    const uint8_t command = assign(&a, "command"), other = assign(&b, "command");
    go(&a);
    go(&b);
    expect_drive(&a, 200);
    say_text(&b, other, "stop");
    pass(1);
    expect_status(&a, 0, 409);
    expect_reply(&a, command, "resume", 200);
    expect_status(&a, 0, 100);
    say(&a, "02 00000003 666F6F 01 01 3F000000");
    expect_status(&a, command, 400);
    expect_status(&a, BASE, 200);
    leave(&a);
    leave(&b);
}

TEST(a_panic_is_told_by_the_connection_also_beside_datagrams)
{
    struct client c;
    join(&c);
    assign(&c, "base");
    const uint8_t notices = assign(&c, "notices");
    go(&c);
    c.session->datagram.has_peer = true; /* of a socket that is closed: what goes there is lost */
    c.session->datagram.watch.fd = -1;
    say(&c, "01 01 3F000000");
    expect_nothing(&c); /* its result is such */
    expect_panic(&c);
    const struct robo_rctp_message *m = next(&c);
    assert_non_null(m);
    assert_int_equal(m->id, notices);
    c.session->datagram.has_peer = false;
    leave(&c);
}
