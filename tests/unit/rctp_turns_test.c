/* A frame of RCTP that is much work: the other clients have their turns within it. */
#include "fixture_rctp.h"

/* A frame that is being made. */
struct made {
    uint8_t bytes[4096];
    size_t n;
};

/* So many lines that are no commands, as one text; each is answered 400. */
static void add_lines(struct made *f, uint8_t id, unsigned lines)
{
    const uint8_t head[] = { id, 0, 0, (uint8_t)(2 * lines >> 8), (uint8_t)(2 * lines) };
    memcpy(f->bytes + f->n, head, sizeof head);
    f->n += sizeof head;
    for (unsigned i = 0; i < lines; i++, f->n += 2)
        memcpy(f->bytes + f->n, "x\n", 2);
}

static void add(struct made *f, const void *message, size_t n)
{
    memcpy(f->bytes + f->n, message, n);
    f->n += n;
}

static const char forward[] = "\1\1\x3f\0\0"; /* the base, object 1, at 0.5 m/s, with the NUL */

/* Two texts that are more than a turn's work, and what else. */
static struct made long_frame(uint8_t command, const void *last, size_t n)
{
    struct made f = { .n = ROBO_RCTP_HEAD };
    add_lines(&f, command, ROBO__RCTP_TURN - 56);
    add_lines(&f, command, ROBO__RCTP_TURN - 56);
    add(&f, last, n);
    robo_rctp_head(f.bytes, f.n - ROBO_RCTP_HEAD);
    return f;
}

/* As a transport: its bytes come, and the rest waits for its turn. */
static void arrive(struct client *c, const struct made *f)
{
    robo__conn_receive(&c->conn, f->bytes, f->n, robo_now(world));
}

/* Its turns until all has been carried out. */
static void go_on(struct client *c)
{
    while (robo__conn_resume(&c->conn, robo_now(world)))
        ;
}

FIXTURE(begin, end);

TEST(others_have_their_turns_within_a_long_frame)
{
    struct client a, b;
    join(&a), join(&b);
    const uint8_t base = assign(&a, "base"), command = assign(&a, "command"),
                  stop = assign(&b, "command");
    assert_int_equal(base, 1);
    go(&a), go(&b);
    const struct made f = long_frame(command, forward, 6);
    arrive(&a, &f);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    assert_true(robo__conn_waits(&a.conn));
    assert_false(robo__conn_hungry(&a.conn)); /* its end waits behind what it has said */
    say_text(&b, stop, "stop");
    assert_int_equal(heard(ROBO_STOP), 2); /* by both devices */
    expect_status(&b, stop, 200);
    go_on(&a);
    settle(&a);
    for (unsigned i = 0; i < 2 * (ROBO__RCTP_TURN - 56); i++)
        expect_status(&a, command, 400);
    assert_false(robo__conn_waits(&a.conn));
    assert_true(robo__conn_hungry(&a.conn));
    leave(&a), leave(&b);
}

TEST(the_rest_is_carried_out_in_its_order)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    const struct made f = long_frame(command, forward, 6);
    arrive(&a, &f);
    say(&a, "01 01 00000000"); /* what comes meanwhile is behind the rest */
    go_on(&a);
    settle(&a);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    assert_true(newest()->x == 0);
    for (unsigned i = 0; i < 2 * (ROBO__RCTP_TURN - 56); i++)
        expect_status(&a, command, 400);
    expect_status(&a, BASE, 200);
    expect_status(&a, BASE, 200);
    expect_nothing(&a);
    leave(&a);
}

TEST(a_frame_of_one_message_for_each_object_is_not_torn)
{
    struct client a;
    join(&a);
    assert_int_equal(assign(&a, "base"), BASE);
    go(&a);
    struct made f = { .n = ROBO_RCTP_HEAD };
    for (int i = 0; i < ROBO__RCML_OBJECTS - 1; i++)
        add(&f, "\0", 1);
    add(&f, forward, 6);
    robo_rctp_head(f.bytes, f.n - ROBO_RCTP_HEAD);
    arrive(&a, &f);
    settle(&a);
    expect_status(&a, BASE, 200);
    leave(&a);
}

TEST(frames_that_come_together_are_no_more_than_a_turn_at_once)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    struct made all = long_frame(command, "\0", 1); /* work for one turn */
    struct made last = { .n = ROBO_RCTP_HEAD };
    add(&last, forward, 6);
    robo_rctp_head(last.bytes, 6);
    add(&all, last.bytes, last.n);
    arrive(&a, &all);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    go_on(&a);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    leave(&a);
}

TEST(a_stop_in_the_rest_waits_for_no_reader)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    const uint8_t stop[] = { command, 0, 0, 0, 4, 's', 't', 'o', 'p' };
    const struct made much = long_frame(command, "\0", 1),
                      f = long_frame(command, stop, sizeof stop);
    while (!robo__conn_full(&a.conn)) {
        assert_false(a.conn.closing); /* as without memory for what is to be said */
        arrive(&a, &much);
        go_on(&a);
    }
    arrive(&a, &f);
    assert_int_equal(heard(ROBO_STOP), 0);
    go_on(&a);
    assert_int_equal(heard(ROBO_STOP), 2); /* by both devices */
    leave(&a);
}

TEST(a_client_may_go_within_its_frame)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    const struct made f = long_frame(command, "\0", 1);
    arrive(&a, &f);
    assert_true(robo__conn_waits(&a.conn));
    leave(&a); /* and its memory is given back: end() looks */
}

/* As datagrams of the client are worked on. */
static void say_beside(struct client *c, const void *bytes, size_t n)
{
    struct robo__rctp_frame frame = { .left = n };
    c->session->beside = true;
    robo__rctp_run_frame(c->session, &frame, bytes, robo_now(world));
    c->session->beside = false;
    settle(c);
}

/* A text of five letters. */
static void say_text_beside(struct client *c, uint8_t id, const char *text)
{
    uint8_t message[10] = { id, 0, 0, 0, 5 };
    assert_int_equal(strlen(text), 5);
    memcpy(message + 5, text, 5);
    say_beside(c, message, sizeof message);
}

TEST(a_datagram_is_no_end_of_a_text_that_the_connection_has_begun)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    assert_int_equal(command, 1);
    say(&a, "01 80000002 7265"); /* re */
    say_text_beside(&a, command, "panic");
    assert_true(robo__robot_alarm(robot).panic);
    expect_status(&a, command, 200);
    expect_status(&a, 0, 503);
    say(&a, "01 00000003 736574"); /* set: it was begun before the panic, and does not end it */
    expect_status(&a, command, 503);
    assert_true(robo__robot_alarm(robot).panic);
    leave(&a);
}

/* A client that wants to be sure says it by both ways, and its reset by the second. */
TEST(a_panic_by_both_ways_is_reset_at_once_by_the_second)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    for (int later = 0; later < 2; later++) {
        say_text(&a, command, "panic");
        pass(later ? 0.05 : 0);
        say_text_beside(&a, command, "panic");
        assert_int_equal(robo__robot_alarm(robot).epoch, 2 * later + 2);
        say_text(&a, command, "reset"); /* perhaps it was sent between the two */
        assert_true(robo__robot_alarm(robot).panic);
        say_text_beside(&a, command, "reset");
        assert_false(robo__robot_alarm(robot).panic);
        pass(1);
    }
    leave(&a);
}

/* But not if another client has said it between, or before. */
TEST(a_panic_by_both_ways_with_another_s_is_not)
{
    struct client a, b;
    const uint8_t command = join_to_command(&a);
    say_text(&a, command, "panic");
    robo_panic(robot);
    say_text_beside(&a, command, "panic");
    say_text_beside(&a, command, "reset");
    assert_true(robo__robot_alarm(robot).panic);
    leave(&a);
    robo_reset(robot);
    assert_int_equal(join_to_command(&b), command);
    robo_panic(robot);
    say_text(&b, command, "panic");
    say_text_beside(&b, command, "panic");
    say_text_beside(&b, command, "reset");
    assert_true(robo__robot_alarm(robot).panic);
    leave(&b);
}

/* A client that has both ways says reset by the connection, where it is held up, and then panic by a datagram. */
TEST(a_reset_does_not_end_a_panic_that_has_overtaken_it)
{
    struct client a;
    const uint8_t command = join_to_command(&a);
    expect_reply(&a, command, "panic", 200);
    expect_status(&a, 0, 503);
    pass(1);
    say_text_beside(&a, command, "panic");
    expect_status(&a, command, 200);
    expect_status(&a, 0, 503);
    say_text(&a, command, "reset"); /* of the first */
    expect_status(&a, command, 503);
    assert_true(robo__robot_alarm(robot).panic);
    say_text_beside(&a, command, "reset"); /* behind the second, by its way */
    expect_status(&a, command, 200);
    assert_false(robo__robot_alarm(robot).panic);
    leave(&a);
}

/* As a datagram that comes. */
static void receive_beside(struct client *c, uint16_t sequence, const void *bytes, size_t n)
{
    struct robo__datagram *d = &c->session->datagram;
    uint8_t in[64];
    const struct robo_rctp_datagram head = { d->token, sequence };
    robo_rctp_datagram_write(in, &head);
    memcpy(in + ROBO_RCTP_DATAGRAM, bytes, n);
    d->received(d, in, ROBO_RCTP_DATAGRAM + n, robo_now(world));
    settle(c);
}

TEST(a_datagram_is_no_end_of_a_text_that_another_has_begun)
{
    struct client a;
    uint32_t token;
    uint16_t port;
    const uint8_t command = join_to_command(&a);
    robo__rctp_session_open_datagrams(a.session, &token, &port);  /* there is no socket here */
    const uint8_t begun[] = { command, 0x80, 0, 0, 2, 's', 't' }, /* whose end is lost */
        panic[] = { command, 0, 0, 0, 5, 'p', 'a', 'n', 'i', 'c' };
    receive_beside(&a, 1, begun, sizeof begun);
    receive_beside(&a, 2, panic, sizeof panic);
    assert_true(robo__robot_alarm(robot).panic);
    leave(&a);
}

TEST(the_rest_does_not_know_of_a_panic_that_a_datagram_has_reset)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    const struct made f = long_frame(command, forward, 6);
    arrive(&a, &f);
    settle(&a);
    robo_panic(robot);
    pass(0.2);
    say_text_beside(&a, command, "reset");
    pass(0.2);
    go_on(&a);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    leave(&a);
}

/* Somebody else stops the robot within a long frame at whose end the base is to move. */
static void stop_within_a_frame(struct client *a, struct client *b)
{
    const uint8_t command = join_to_drive(a), stop = join_to_command(b);
    const struct made f = long_frame(command, forward, 6);
    arrive(a, &f);
    settle(a);
    say_text(b, stop, "stop");
    pass(0.2);
}

TEST(the_rest_does_not_know_of_a_stop_since_it_began)
{
    struct client a, b;
    stop_within_a_frame(&a, &b);
    say_beside(&a, "\0", 1); /* without it the rest is refused */
    go_on(&a);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    leave(&a), leave(&b);
}

TEST(the_rest_knows_of_no_stop_since_it_began_when_nothing_else_comes)
{
    struct client a, b;
    stop_within_a_frame(&a, &b);
    go_on(&a);
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    leave(&a), leave(&b);
}

TEST(a_reset_in_the_rest_is_of_no_panic_since_it_began)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    const uint8_t reset[] = { command, 0, 0, 0, 5, 'r', 'e', 's', 'e', 't' };
    const struct made f = long_frame(command, reset, sizeof reset);
    arrive(&a, &f);
    settle(&a);
    robo_panic(robot);
    pass(0.2);
    say_beside(&a, "\0", 1); /* which was sent knowing of the panic */
    go_on(&a);
    assert_true(robo__robot_alarm(robot).panic);
    leave(&a);
}

static void add_text(struct made *f, uint8_t id, const char *text)
{
    const uint8_t head[] = { id, 0, 0, 0, (uint8_t)strlen(text) };
    add(f, head, sizeof head);
    add(f, text, strlen(text));
}

TEST(what_stands_behind_a_reset_in_its_frame_knows_of_it)
{
    struct client a;
    const uint8_t command = join_to_drive(&a);
    char text[20];
    robo_panic(robot);
    snprintf(text, sizeof text, "reset %u", (unsigned)robo__robot_alarm(robot).epoch);
    struct made f = { .n = ROBO_RCTP_HEAD };
    add_text(&f, command, text);
    add_text(&f, command, "panic"); /* the next one after that */
    add_text(&f, command, "reset");
    add(&f, forward, 6);
    robo_rctp_head(f.bytes, f.n - ROBO_RCTP_HEAD);
    arrive(&a, &f);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    leave(&a);
}

TEST(no_permission_comes_within_a_frame)
{
    struct client a, b;
    join(&b);
    join_with(&a, (struct robo__rcml_group){ .mask = true, .lock = true });
    const uint8_t base = assign(&a, "base"), command = assign(&a, "command"),
                  stop = assign(&b, "command");
    go(&a), go(&b);
    struct made f = { .n = ROBO_RCTP_HEAD };
    add(&f, forward, 6);
    for (int i = 0; i < 3; i++)
        add_lines(&f, command, ROBO__RCTP_TURN - 56);
    robo_rctp_head(f.bytes, f.n - ROBO_RCTP_HEAD);
    arrive(&a, &f);
    assert_true(robo__conn_waits(&a.conn));
    say_text(&b, stop, "stop"); /* which is told to the first */
    pass(0.01);
    settle(&a);
    assert_true(robo__conn_waits(&a.conn));
    for (const struct robo_rctp_message *m; (m = next(&a)) != NULL;)
        assert_int_not_equal(m->code, 100);
    go_on(&a);
    settle(&a);
    unsigned permissions = 0;
    for (const struct robo_rctp_message *m; (m = next(&a)) != NULL;)
        permissions += m->code == 100 && m->subject == base;
    assert_int_equal(permissions, 1);
    leave(&a), leave(&b);
}

TEST(permission_of_a_datagram_comes_behind_the_frame)
{
    struct client a;
    join_with(&a, (struct robo__rcml_group){ .mask = true, .lock = true });
    const uint8_t base = assign(&a, "base"), command = assign(&a, "command");
    go(&a);
    const struct made f = long_frame(command, "\0", 1); /* which commands nothing */
    arrive(&a, &f);
    say_beside(&a, forward, 6);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    go_on(&a);
    settle(&a);
    unsigned permissions = 0;
    for (const struct robo_rctp_message *m; (m = next(&a)) != NULL;)
        permissions += m->code == 100 && m->subject == base;
    assert_int_equal(permissions, 1);
    leave(&a);
}
