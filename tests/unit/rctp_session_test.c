/* A live session of RCTP: its texts, its time, its outputs and its ends. */
#include "fixture_rctp.h"

#include <math.h>

/* ---- texts ---- */

FIXTURE(begin, end);

TEST(words_command)
{
    struct client c;
    join(&c);
    assign(&c, "base");
    const uint8_t command = assign(&c, "command");
    go(&c);
    acting.goal = S(0.1);
    say_text(&c, command, "go_to 1.5 -1\r\nwrong\n");
    assert_int_equal(newest()->op, ROBO_GO_TO);
    assert_true(newest()->x == 1.5);
    expect_status(&c, command, 400);
    pass(0.1);
    expect_status(&c, command, 200);
    static const char *const wrong[] = { "go_to",          "go_to 1",      "go_to 1 x",
                                         "go_to 1 2 3 -1", "go_to 1e10 1", "go_to 1 2 3 4 5",
                                         "home 1",         "go_to nan 1",  "go_to 0x1 0",
                                         "go_to 1 1,5" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        say_text(&c, command, wrong[i]);
        expect_status(&c, command, 400);
    }
    assert_int_equal(heard(0), 1);
    leave(&c);
}

TEST(texts_come_in_pieces_and_have_a_limit)
{
    struct client c;
    char hex[8192] = "01 80000400";
    join(&c);
    const uint8_t command = assign(&c, "command");
    go(&c);
    say(&c, "01 80000002 7374  00  01 00000002 6F70"); /* st, op */
    assert_int_equal(heard(ROBO_STOP), 2);
    expect_status(&c, command, 200);
    for (int i = 0; i < 1024; i++)
        strcat(hex, " 20");
    say(&c, hex);
    say(&c, "01 00000001 20");
    expect_status(&c, command, 413);
    say_text(&c, command, "stop"); /* the next one is whole again */
    expect_status(&c, command, 200);
    leave(&c);
}

TEST(texts_have_the_stamps_that_were_asked_for)
{
    struct client a;
    join(&a);
    const uint8_t command = assign(&a, "command"), base = assign(&a, "base");
    const struct robo__rctp_go headers = { .report = ROBO__RCTP_REPORT_ALL, .text_stamp = 2 };
    robo__rctp_session_go(a.session, &headers, robo_now(world));
    a.layout[command].stamp_size = 2;
    assert_int_equal(command, 1);
    say(&a, "01 0102 00000005 72 65 73 65 74"); /* reset; the stamp dates nothing */
    const struct robo_rctp_message *m = next(&a);
    assert_non_null(m);
    assert_int_equal(m->subject, command);
    assert_int_equal(m->code, 200);
    assert_int_equal(m->stamp, 0x0102);
    say(&a, "02 01 3F000000"); /* inputs keep theirs: none */
    expect_status(&a, base, 200);
    leave(&a);
}

/* As a client of the paper sends it, which has not asked for messages without lengths: 0100 is taken for one. */
TEST(a_frame_that_stays_in_part_is_answered_once)
{
    struct client c;
    join_to_drive(&c);
    send(&c, "\x01\x00", 2);
    pass(0.9);
    assert_null(next(&c));
    send(&c, "\x3f\x00", 2);
    pass(0.2);
    const struct robo_rctp_message *m = next(&c);
    assert_non_null(m);
    assert_int_equal(m->subject, 0);
    assert_int_equal(m->code, 100);
    assert_memory_equal(m->bytes, "frame: ", 7);
    pass(3);
    assert_null(next(&c));
    leave(&c);
}

TEST(a_frame_in_two_parts_is_one)
{
    struct client c;
    const uint8_t command = join_to_command(&c),
                  text[] = { 0, 9, command, 0, 0, 0, 4, 's', 't', 'o', 'p' };
    for (int i = 0; i < 3; i++) {
        send(&c, text, 5);
        pass(0.5);
        send(&c, text + 5, sizeof text - 5);
        expect_status(&c, command, 200);
    }
    pass(2);
    assert_null(next(&c));
    leave(&c);
}

/* ---- time ---- */

TEST(silence_past_the_maximum_ends_the_session)
{
    struct client c;
    join_with(&c, (struct robo__rcml_group){ .mask = true, .interval = { 20, 100 } });
    const uint8_t base = assign(&c, "base");
    go(&c);
    say(&c, "01 01 3F000000");
    expect_status(&c, base, 200);
    pass(0.01);
    say(&c, "01 01 3F800000");
    expect_status(&c, base, 425);
    pass(0.01);
    say(&c, "01 01 3F800000");
    expect_status(&c, base, 200);
    pass(0.11);
    expect_status(&c, 0, 410);
    assert_true(c.conn.closing);
    assert_int_equal(newest()->op, ROBO_STOP);
    struct client d;
    join(&d);
    assign(&d, "base"); /* and the robot is free */
    leave(&c), leave(&d);
}

static char logged[256];

static void keep_line(void *owner, enum robo_log_level level, const char *line)
{
    assert_int_equal(level, ROBO_LOG_WARNING);
    snprintf(logged, sizeof logged, "%s", line);
}

TEST(a_silent_clients_robot_stops_by_the_deadman)
{
    struct client c;
    world->log = keep_line;
    join(&c);
    const uint8_t base = assign(&c, "base");
    go(&c);
    say(&c, "01 01 3F000000");
    expect_status(&c, base, 200);
    for (int i = 0; i < 10; i++) {
        pass(0.3);
        say(&c, "00");
    }
    assert_int_equal(heard(ROBO_STOP), 0);
    assert_string_equal(logged, "");
    pass(0.6);
    assert_int_equal(heard(ROBO_STOP), 1);
    assert_string_equal(logged, "r: deadman: RCTP client 1 was not heard for 0.50 s; what it moved "
                                "was stopped");
    expect_status(&c, 0, 408);
    assert_false(c.conn.closing); /* without command_interval the session goes on */
    leave(&c);
}

/* A resume that comes before word of the deadman is out takes nothing of it. */
TEST(a_resume_leaves_the_word_of_the_deadman)
{
    struct client c;
    const uint8_t command = join_to_drive(&c);
    struct robo__timers *timers = &world->timers;
    expect_drive(&c, 200);
    while (c.session->seat.session->mover.silence == 0) {
        world->now = robo__timers_next(timers);
        robo__timers_run_first(timers, world->now, timers->arrivals);
    }
    expect_reply(&c, command, "resume", 200);
    expect_status(&c, 0, 408);
    leave(&c);
}

TEST(lock_permits_one_frame_at_a_time)
{
    struct client c;
    join_with(&c, (struct robo__rcml_group){ .mask = true, .lock = true, .stamp_size = 2 });
    const uint8_t base = assign(&c, "base");
    go(&c);
    say(&c, "01 0000 01 3F000000"); /* at the session's begin: at once */
    expect_status(&c, base, 200);
    expect_status(&c, base, 100);
    say(&c, "01 0014 01 3F800000"); /* 200 ms after it */
    expect_nothing(&c);
    say(&c, "01 0015 01 3F800000");
    expect_status(&c, base, 409);
    pass(0.1);
    say(&c, "00");
    pass(0.11);
    expect_status(&c, base, 200);
    const struct robo_rctp_message *m = next(&c);
    assert_non_null(m);
    assert_int_equal(m->code, 100);
    assert_int_equal(m->stamp, 0x14);
    say(&c, "01 0014 01 00000000");
    expect_status(&c, base, 200);
    leave(&c);
}

TEST(stamps_date_commands)
{
    struct client c;
    join_with(&c, (struct robo__rcml_group){ .mask = true, .stamp_size = 4 });
    const uint8_t base = assign(&c, "base");
    go(&c);
    const robo_time begun = robo_now(world);
    say(&c, "01 0000000A 01 3F000000  01 00000005 01 3F800000"); /* in any order */
    pass(0.2);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    assert_true(heard_log[0].at == begun + S(0.05) && heard_log[0].x == 1);
    assert_true(heard_log[1].at == begun + S(0.1) && heard_log[1].x == 0.5);
    const struct robo_rctp_message *m = next(&c);
    assert_non_null(m);
    assert_int_equal(m->stamp, 5);
    expect_status(&c, base, 200);
    say(&c, "01 7FFFFFFF 01 3F000000"); /* in 248 days */
    expect_status(&c, base, 400);
    for (int i = 0; i < 5; i++) {
        pass(0.4);
        say(&c, "00");
    }
    say(&c, "01 00000001 01 3F000000"); /* later than the session's expiry, 1 s */
    expect_status(&c, base, 408);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    leave(&c);
}

/* ---- outputs ---- */

TEST(outputs_are_told_at_the_rate_agreed_on)
{
    struct client c;
    join(&c);
    const uint8_t base = assign(&c, "base"), out = assign(&c, "base_state");
    go(&c);
    say(&c, "01 01 3E800000");
    expect_status(&c, base, 200);
    pass(0.35); /* 10 a second */
    for (int i = 0; i < 3; i++) {
        const struct robo_rctp_message *m = next(&c);
        assert_non_null(m);
        assert_int_equal(m->id, out);
        assert_true(m->value[0] == 0.25); /* this driver tells its speed as its place */
    }
    expect_nothing(&c);
    leave(&c);
}

TEST(who_does_not_read_holds_up_nobody)
{
    struct client c;
    join(&c);
    assign(&c, "base");
    assign(&c, "base_state");
    go(&c);
    c.stalls = true;
    for (int i = 0; i < 20000; i++)
        say(&c, "01 08"); /* each is refused */
    say(&c, "01 01 3F000000");
    assert_int_equal(heard(ROBO_SET_SPEED), 1); /* and commands are carried out */
    size_t waiting;
    robo__conn_output(&c.conn, &waiting);
    assert_true(waiting <= ROBO__CONN_OUT + 1024);
    assert_false(c.conn.closing);
    pass(1);
    size_t after;
    robo__conn_output(&c.conn, &after);
    assert_true(after <= waiting + 1024); /* nor are outputs piled up */
    leave(&c);
}

TEST(current_values_are_those_of_now)
{
    struct client c;
    double value[8];
    struct robo__session *driver = open_session(NULL, NULL);
    send_cmd(driver, set_speed(0, 0.5));
    join(&c);
    const struct robo__rctp_assigned a =
        robo__rctp_session_assign(c.session, "base_state", robo_now(world));
    assert_int_equal(a.code, 201);
    robo__rctp_session_values(c.session, a.object, value);
    assert_true(value[0] == 0.5);
    robo__session_close(driver);
    leave(&c);
}

TEST(a_value_that_is_not_known_keeps_no_other_back)
{
    struct client c;
    join(&c);
    const uint8_t out[] = { assign(&c, "joints_state"), assign(&c, "arm_state") };
    go(&c);
    acting.position = NAN;
    pass(0.11);
    for (int i = 0; i < 2; i++) {
        const struct robo_rctp_message *m = next(&c);
        assert_non_null(m);
        assert_int_equal(m->id, out[i]);
        assert_false(m->sent[0]);
        assert_true(m->sent[1]);
    }
    leave(&c);
}

/* ---- ends ---- */

TEST(robot_that_is_removed_ends_the_session)
{
    struct client c;
    join(&c);
    assign(&c, "arm_state");
    go(&c);
    robo_remove(robot);
    pass(0.01);
    expect_said(&c, 503, "gone: the robot was removed");
    assert_true(c.conn.closing);
    assert_int_equal(assign_as(&c, "base"), 503);
    leave(&c);
}

TEST(words_behind_a_panic_of_a_robot_that_is_gone_are_dropped)
{
    struct client c;
    join(&c);
    const uint8_t words = assign(&c, "command");
    go(&c);
    robo_remove(robot);
    say_text(&c, words, "panic\nstop\nreset");
    assert_true(c.conn.closing);
    leave(&c);
}

TEST(messages_behind_a_panic_of_a_robot_that_is_gone_are_dropped)
{
    struct client c;
    join_with(&c, (struct robo__rcml_group){ .mask = true, .lock = true });
    assign(&c, "base");
    assign(&c, "command");
    go(&c);
    robo_remove(robot);
    /* speeds of the base, and the texts panic and stop */
    say(&c, "01 01 3F000000  02 00000005 70616E6963  02 00000004 73746F70");
    assert_true(c.conn.closing);
    leave(&c);
}

TEST(close_in_each_state_stops_the_robot_and_frees_all)
{
    struct client c;
    for (int depth = 0; depth < 6; depth++) {
        const size_t stops = heard(ROBO_STOP);
        join(&c);
        if (depth > 0)
            assign(&c, "base");
        if (depth > 1)
            go(&c);
        if (depth > 2)
            say(&c, "01 01 3F000000");
        if (depth > 3)
            send(&c, "\0\7\1", 3); /* within a frame */
        if (depth > 4)
            robo_panic(robot); /* its wake-up is posted */
        leave(&c);
        assert_int_equal(heard(ROBO_STOP), stops + (depth == 3 || depth == 4));
        pass(0.01);
        robo_reset(robot);
    }
}
