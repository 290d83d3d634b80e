/* A client of RCTP and a robot: commands by messages, and messages that are wrong. The text of the negotiation is another test's. */
#include "fixture_rctp.h"

#include <math.h>

/* ---- commands ---- */

FIXTURE(begin, end);

TEST(one_packet_moves_the_robot_and_its_status_comes_back)
{
    struct client c;
    join(&c);
    const uint8_t arm = assign(&c, "arm");
    assert_int_equal(arm, 1);
    go(&c);
    acting.goal = S(0.2);
    say(&c, "01 02 3F000000"); /* the 2nd dof to 0.5 */
    assert_int_equal(newest()->op, ROBO_SET_JOINT);
    expect_nothing(&c); /* it is on its way */
    pass(0.2);
    expect_status(&c, arm, 200);
    expect_nothing(&c);
    leave(&c);
}

TEST(objects_of_one_frame_begin_together)
{
    struct client c;
    join(&c);
    const uint8_t arm = assign(&c, "arm"), base = assign(&c, "base"),
                  gripper = assign(&c, "gripper");
    go(&c);
    say(&c, "02 01 3E800000  03 01 40000000  00"); /* base, gripper, and a sign of life */
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_int_equal(heard(ROBO_SET_JOINT_FORCE), 1);
    assert_true(heard_log[0].at == heard_log[1].at);
    assert_true(heard_log[1].x == 2);
    expect_status(&c, base, 200);
    expect_status(&c, gripper, 200);
    say(&c, "01 00"); /* nothing to move: no command, and no status */
    assert_int_equal(heard(0), 2);
    expect_nothing(&c);
    leave(&c);
    (void)arm;
}

TEST(what_of_the_base_is_not_sent_stays)
{
    struct client c;
    join(&c);
    assign(&c, "base");
    go(&c);
    say(&c, "01 01 3E800000"); /* x */
    say(&c, "01 02 3F000000"); /* another one: x goes on */
    assert_true(newest()->x == 0.25);
    say(&c, "01 01 00000000");
    assert_true(newest()->x == 0);
    leave(&c);
}

TEST(speeds_that_were_refused_are_not_driven_later)
{
    struct client c;
    join(&c);
    const uint8_t base = assign(&c, "base");
    go(&c);
    say(&c, "01 01 3E800000");
    expect_status(&c, base, 200);
    acting.signal = ROBO_ERROR;
    say(&c, "01 03 3F000000 3F800000"); /* x 0.5, theta 1: the device does not */
    expect_status(&c, base, 400);
    acting.signal = 0;
    say(&c, "01 02 00000000");
    assert_true(newest()->x == 0.25);
    leave(&c);
}

TEST(speeds_from_before_go_to_are_not_driven_after_it)
{
    struct client c;
    join(&c);
    assign(&c, "base");
    const uint8_t command = assign(&c, "command");
    go(&c);
    say(&c, "01 01 3E800000");
    say_text(&c, command, "go_to 1 2");
    say(&c, "01 02 3F000000");
    assert_int_equal(newest()->op, ROBO_SET_SPEED);
    assert_true(newest()->x == 0);
    leave(&c);
}

TEST(all_joints_are_one_object)
{
    struct client c;
    join(&c);
    const uint8_t joints = assign(&c, "joints");
    go(&c);
    acting.goal = S(0.1);
    say(&c,
        "01 09 3F000000 40000000"); /* of arm and gripper the 1st and 4th dof: a set-point, a force */
    assert_int_equal(heard(ROBO_SET_JOINT), 1);
    assert_int_equal(heard(ROBO_SET_JOINT_FORCE), 1);
    pass(0.1);
    expect_status(&c, joints, 200);
    leave(&c);
}

TEST(a_later_command_supersedes)
{
    struct client c;
    join(&c);
    const uint8_t arm = assign(&c, "arm");
    go(&c);
    acting.goal = S(0.2);
    say(&c, "01 01 3F000000");
    say(&c, "01 01 3F800000");
    expect_status(&c, arm, 205);
    pass(0.2);
    expect_status(&c, arm, 200);
    leave(&c);
}

TEST(a_command_that_lasts_keeps_no_later_one_out)
{
    struct client c;
    join(&c);
    const uint8_t arm = assign(&c, "arm"), base = assign(&c, "base");
    go(&c);
    say(&c, "01 01 3F000000"); /* on its way, for ever */
    for (int i = 0; i < 3 * 512; i++) {
        say(&c, "02 01 3E800000");
        expect_status(&c, base, 200);
    }
    expect_nothing(&c);
    say(&c, "01 01 3F800000");
    expect_status(&c, arm, 205);
    leave(&c);
}

TEST(a_stop_acts_however_many_commands_are_unanswered)
{
    struct client c;
    join_with(&c, (struct robo__rcml_group){ .mask = true, .stamp_size = 2 });
    const uint8_t base = assign(&c, "base"), command = assign(&c, "command");
    go(&c);
    for (int i = 0; i < 512; i++)
        say(&c, "01 0064 01 3F000000"); /* 1 s after the begin */
    expect_nothing(&c);
    say(&c, "01 0064 01 3F000000");
    expect_status(&c, base, 429);
    say(&c, "02 0000 00000004 73746F70"); /* stop */
    assert_int_equal(heard(ROBO_STOP), 2);
    bool told = false;
    for (const struct robo_rctp_message *m; (m = next(&c)) != NULL;) {
        assert_int_equal(m->code, m->subject == command ? 200 : 409);
        told |= m->subject == command;
    }
    assert_true(told);
    leave(&c);
}

TEST(bare_messages_are_the_papers)
{
    struct client c;
    join(&c);
    const uint8_t arm = assign(&c, "arm");
    c.bare = true;
    go(&c);
    send(&c, "\x01\x01\x3f", 3); /* it may come in pieces */
    assert_int_equal(heard(0), 0);
    send(&c, "\x00\x00\x00\x01", 4);
    assert_int_equal(heard(ROBO_SET_JOINT), 1);
    assert_false(c.conn.closing);
    send(&c, "\x01\x3f\x00\x00\x00\x09", 6);
    assert_int_equal(heard(ROBO_SET_JOINT), 2);
    expect_status(&c, arm, 205);
    expect_status(&c, 0, 404); /* no object 9: what follows cannot be told apart */
    assert_true(c.conn.closing);
    leave(&c);
}

/* The client believes in a parameter that is none here, and has sent its value: that is no message. */
TEST(a_mask_of_more_parameters_loses_the_rest)
{
    for (int bare = 0; bare < 2; bare++) {
        struct client c;
        join(&c);
        const uint8_t arm = assign(&c, "arm");
        c.bare = bare == 1;
        go(&c);
        send(&c, bare ? "\x01\x08\x01\x01\x3f\0\0\0" : "\0\x08\x01\x08\x01\x01\x3f\0\0\0",
             bare ? 8 : 10);
        expect_status(&c, bare ? 0 : arm, 400);
        assert_int_equal(heard(0), 0);
        assert_int_equal(c.conn.closing, bare);
        leave(&c);
    }
}

TEST(texts_need_frames)
{
    struct client c;
    join(&c);
    assert_int_equal(robo__rctp_session_may_go(c.session, &(struct robo__rctp_go){ .bare = false }),
                     412);
    assign(&c, "command");
    assert_int_equal(robo__rctp_session_may_go(c.session, &(struct robo__rctp_go){ .bare = true }),
                     406);
    leave(&c);
}

/* ---- what is wrong ---- */

TEST(wrong_messages_are_refused_and_the_next_ones_read)
{
    struct client c;
    join(&c);
    const uint8_t arm = assign(&c, "arm"), out = assign(&c, "arm_state");
    go(&c);
    say(&c, "01 01 7F800000  01 01 501502F9  01 01 3F000000"); /* infinity; 1e10; right */
    expect_status(&c, arm, 400);
    expect_status(&c, arm, 400);
    assert_int_equal(heard(0), 1);
    say(&c, "02 00000000 00000000 00000000"); /* an output */
    expect_status(&c, out, 409);
    say(&c, "FF 00 00C8 0000");               /* a status from a client */
    expect_status(&c, ROBO_RCTP_STATUS, 400); /* the session's own are its ends */
    say(&c, "63  01 01 40000000");            /* nobody's number: the rest is lost */
    expect_status(&c, 0x63, 404);
    say(&c, "01 01 400000"); /* cut */
    expect_status(&c, arm, 400);
    assert_int_equal(heard(0), 1);
    assert_false(c.conn.closing);
    send(&c, "\0\0", 2); /* where the next frame begins nobody knows */
    expect_status(&c, 0, 400);
    assert_true(c.conn.closing);
    leave(&c);
}

TEST(what_was_sent_before_word_of_another_s_stop_moves_nothing)
{
    struct client a, b;
    join(&a), join(&b);
    const uint8_t base = assign(&a, "base"), own = assign(&a, "command"),
                  command = assign(&b, "command");
    go(&a), go(&b);
    say(&a, "01 01 3F000000");
    expect_status(&a, base, 200);
    say_text(&b, command, "stop");
    pass(0.01);
    expect_status(&a, 0, 409);
    say(&a, "01 01 3F000000"); /* it was under way when that was written */
    expect_status(&a, base, 409);
    a.stalls = true;
    pass(0.2);
    say_text(&b, command, "stop");
    pass(0.2);
    say(&a, "01 01 3F000000"); /* it has not read */
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    a.stalls = false;
    settle(&a);
    expect_status(&a, 0, 409);
    expect_status(&a, base, 409);
    expect_reply(&a, own, "resume", 503); /* nor has it had time to */
    pass(0.1);
    say(&a, "01 01 3F000000");
    expect_status(&a, base, 409);
    expect_reply(&a, own, "resume 1", 503);
    expect_reply(&a, own, "resume", 200);
    expect_said(&a, 100, "resume: commands that move are carried out again");
    say(&a, "01 01 3F000000");
    expect_status(&a, base, 200);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    say_text(&b, command, "stop");
    pass(0.01);
    char text[80]; /* the number is told, and counts at once */
    snprintf(text, sizeof text, "stopped: by RCTP client %u; nothing moves before: resume 3",
             (unsigned)b.session->seat.number);
    expect_said(&a, 409, text);
    expect_refusal(&a, own, "resume", "resume: the stop is younger than 0.1 s: resume NUMBER");
    expect_refusal(&a, own, "resume 2",
                   "resume: 2 is not the number of the stop that holds this client");
    say(&a, "01 01 3F000000");
    expect_status(&a, base, 409);
    expect_reply(&a, own, "resume 3", 200); /* what follows knows of the stop */
    expect_said(&a, 100, "resume: commands that move are carried out again");
    say(&a, "01 01 3F000000");
    expect_status(&a, base, 200);
    assert_int_equal(heard(ROBO_SET_SPEED), 3);
    leave(&a), leave(&b);
}

TEST(a_stop_by_name_leaves_the_rest_as_it_moves)
{
    struct client c;
    join(&c);
    const uint8_t base = assign(&c, "base"), arm = assign(&c, "arm");
    const uint8_t command = assign(&c, "command");
    go(&c);
    say(&c, "01 01 3E800000");
    expect_status(&c, base, 200);
    say(&c, "02 02 3F000000");
    say_text(&c, command, "stop arm");
    expect_status(&c, arm, 409);
    expect_status(&c, command, 200);
    assert_int_equal(newest()->op, ROBO_STOP);
    assert_int_equal(newest()->device, 1); /* the base's was told nothing */
    say(&c, "01 02 3F000000");
    expect_status(&c, base, 200);
    assert_true(newest()->x == 0.25); /* and its speed lasts */
    say_text(&c, command, "stop arm.tilt gripper.grip");
    expect_status(&c, command, 200);
    assert_int_equal(newest()->device, 1);
    say_text(&c, command, "stop base");
    expect_status(&c, command, 200);
    assert_int_equal(newest()->device, 0);
    assert_int_equal(heard(ROBO_STOP), 3);
    say(&c, "01 02 3F000000");
    expect_status(&c, base, 200);
    assert_true(newest()->x == 0);
    say_text(&c, command,
             "stop base leg"); /* what it does not know is no stop of all, nor of some */
    expect_status(&c, command, 400);
    assert_int_equal(heard(ROBO_STOP), 3);
    say_text(&c, command, "stop \tbase\v");
    expect_status(&c, command, 200);
    say_text(&c, command, "stop\t"); /* and this is one of all */
    expect_status(&c, command, 200);
    assert_int_equal(heard(ROBO_STOP), 6); /* by two devices */
    leave(&c);
}
