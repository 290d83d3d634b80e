/* A client of RCTP and others who would drive its robot. */
#include "fixture_rctp.h"

#include "robot/axes/axes.h"

FIXTURE(begin, end);

TEST(first_input_takes_the_robot)
{
    struct client a, b;
    char name[64];
    robo_time left;
    join(&a), join(&b);
    assign(&a, "arm");
    assert_int_equal(assign_as(&b, "base"), 409); /* per robot, not per object */
    robo__rctp_session_holder(b.session, name, &left, robo_now(world));
    assert_string_equal(name, "RCTP client 1");
    assert_true(left > 0);
    assign(&b, "arm_state"); /* anybody may watch */
    assert_int_equal(assign_as(&b, "nose"), 404);
    pass(60); /* also when nothing moves */
    assert_int_equal(assign_as(&b, "base"), 409);
    leave(&a);
    assign(&b, "base");
    leave(&b);
}

TEST(a_client_is_called_as_it_calls_itself)
{
    struct client a, b;
    char name[64], many[100];
    robo_time left;
    memset(many, 'x', sizeof many);
    join(&a), join(&b);
    robo__rctp_session_name(a.session, many, sizeof many);
    robo__rctp_session_name(a.session, "tea\ncup\xc2\x9b", 9);
    assign(&a, "arm");
    robo__rctp_session_name(a.session, "late", 4); /* others have heard of it by now */
    assert_int_equal(assign_as(&b, "base"), 409);
    robo__rctp_session_holder(b.session, name, &left, robo_now(world));
    assert_string_equal(name, "tea?cup?? 1");
    leave(&a), leave(&b);
}

TEST(a_long_name_is_cut_between_characters)
{
    char name[64], half[64] = "", many[61] = "";
    for (int i = 0; i < 15; i++)
        strcat(many, "\xf0\x9f\xa4\x96");
    robo__rctp_call(4000000000, many, name);
    for (int i = 0; i < 12; i++) /* 51 bytes have room, of 4 each */
        strcat(half, "\xf0\x9f\xa4\x96");
    strcat(half, " 4000000000");
    assert_string_equal(name, half);
}

TEST(who_has_it_longest_is_told_to_who_has_to_wait)
{
    struct client c;
    struct robo__session *first = open_session_by(70, NULL, NULL),
                         *second = open_session_by(71, NULL, NULL);
    const struct robo_request_take base = { .base = 1 }, pan = { .bytes = 1, .mask = { 1 } };
    struct robo_reply_take reply;
    char name[64];
    robo_time left;
    join(&c);
    assert_int_equal(robo__session_request(second, ROBO_Q_TAKE, &pan, ROBO_ROLE_OPERATE, &reply,
                                           robo_now(world)),
                     0);
    pass(1);
    assert_int_equal(robo__session_request(first, ROBO_Q_TAKE, &base, ROBO_ROLE_OPERATE, &reply,
                                           robo_now(world)),
                     0);
    assert_int_equal(assign_as(&c, "arm"), 409);
    robo__rctp_session_holder(c.session, name, &left, robo_now(world));
    assert_string_equal(name, "client 70 70"); /* its name and its number */
    assert_true(left == S(5));
    pass(1);
    assert_int_equal(robo__session_request(second, ROBO_Q_TAKE, &pan, ROBO_ROLE_OPERATE, &reply,
                                           robo_now(world)),
                     0);
    robo__rctp_session_holder(c.session, name, &left, robo_now(world));
    assert_string_equal(name, "client 71 71");
    robo__session_close(first), robo__session_close(second);
    leave(&c);
}

TEST(released_inputs_give_the_robot_back)
{
    struct client a, b;
    join(&a), join(&b);
    const uint8_t arm = assign(&a, "arm");
    assert_int_equal(assign(&a, "arm"), arm); /* again: the same */
    assign(&a, "base");
    assert_int_equal(robo__rctp_session_release(a.session, "arm", robo_now(world)), 201);
    assert_int_equal(robo__rctp_session_release(a.session, "arm", robo_now(world)), 404);
    assert_int_equal(assign_as(&b, "arm"), 409);
    assert_int_equal(robo__rctp_session_release(a.session, "base", robo_now(world)), 201);
    assign(&b, "arm");
    leave(&a), leave(&b);
}

TEST(clients_of_robotalk_and_of_rctp_arbitrate_by_leases)
{
    struct client c;
    struct robo__session *driver = open_session_by(70, NULL, NULL);
    join(&c);
    send_cmd(driver, set_speed(0, 0.5));
    assert_int_equal(assign_as(&c, "arm"),
                     409); /* of the base alone, but control is of the robot */
    robo__session_close(driver);
    const uint8_t arm = assign(&c, "arm");
    go(&c);
    driver = open_session_by(71, NULL, NULL);
    uint32_t id = send_cmd(driver, set_speed(0, 0.5));
    take_answers(driver);
    expect_signal(id, ROBO_BUSY, ROBO_WHY_LEASE);
    /* one that operates may take it all the same */
    struct robo_reply_take reply;
    assert_int_equal(robo__session_request(driver, ROBO_Q_TAKE,
                                           &(struct robo_request_take){ .force = 1 },
                                           ROBO_ROLE_OPERATE, &reply, robo_now(world)),
                     0);
    pass(0.01);
    settle(&c);
    expect_status(&c, 0, 409);
    say(&c, "01 01 3F000000");
    expect_status(&c, arm, 409);
    assert_int_equal(heard(ROBO_SET_JOINT), 0);
    pass(60); /* and the client does not take it back by itself */
    id = send_cmd(driver, set_speed(0, 0.5));
    take_answers(driver);
    expect_signal(id, ROBO_SUCCESS, ROBO_WHY_NONE);
    robo__session_close(driver);
    leave(&c);
}

/* Takes the robot as a client of RoboTalk that operates. */
static void force(struct robo__session *driver)
{
    struct robo_reply_take reply;
    assert_int_equal(robo__session_request(driver, ROBO_Q_TAKE,
                                           &(struct robo_request_take){ .force = 1 },
                                           ROBO_ROLE_OPERATE, &reply, robo_now(world)),
                     0);
}

static void give_back(struct robo__session *driver)
{
    static const struct robo_request_release everything;
    assert_int_equal(robo__session_request(driver, ROBO_Q_RELEASE, &everything, ROBO_ROLE_DRIVE,
                                           NULL, robo_now(world)),
                     0);
}

TEST(what_happens_before_go_is_told_after_it)
{
    struct client c;
    struct robo__session *driver = open_session_by(70, NULL, NULL);
    join(&c);
    assign(&c, "base");
    robo_panic(robot);
    pass(0.01);
    robo_reset(robot);
    pass(0.01);
    force(driver);
    pass(0.01);
    go(&c);
    expect_status(&c, 0, 503);
    expect_status(&c, 0, 200);
    expect_status(&c, 0, 409);
    expect_nothing(&c);
    say(&c, "01 01 3F000000");
    expect_status(&c, 1, 409);
    robo__session_close(driver);
    leave(&c);
}

TEST(who_waits_for_the_robot_is_told_when_it_is_free)
{
    struct client a, b;
    join(&a), join(&b);
    assign(&a, "base");
    assign(&b, "command");
    assert_int_equal(assign_as(&b, "base"), 409);
    go(&a), go(&b);
    pass(1);
    expect_nothing(&b);
    leave(&a);
    pass(0.01);
    expect_said(&b, 100, "free: no other client controls the robot");
    join(&a);
    assign(&a, "base");
    pass(0.01);
    expect_nothing(&b);
    leave(&a);
    pass(0.01);
    expect_said(&b, 100, "free: no other client controls the robot");
    leave(&b);
}

/* Also where that goes on with commands, which are refused and renew no lease, and where the waiting client has stopped it itself. */
TEST(who_waits_for_the_robot_is_told_when_a_stop_latches_its_holder)
{
    for (int way = 0; way < 2; way++) {
        struct client a, b, stopper;
        char name[ROBO__HOLDER_NAME];
        robo_time left;
        join(&a), join(&b), join(&stopper);
        assign(&a, "base");
        const uint8_t command = assign(&b, "command"), other = assign(&stopper, "command");
        go(&a), go(&b), go(&stopper);
        expect_drive(&a, 200);
        robo__rctp_session_holder(b.session, name, &left, robo_now(world));
        assert_true(name[0] != 0);
        if (way == 0)
            expect_reply(&b, command, "stop", 200);
        else
            expect_reply(&stopper, other, "stop", 200);
        pass(0.01);
        struct client *first = way == 0 ? &b : &stopper, *second = way == 0 ? &stopper : &b;
        expect_said(first, 100, "free: no other client controls the robot");
        expect_status(second, 0, 409);
        expect_said(second, 100, "free: no other client controls the robot");
        expect_status(&a, 0, 409);
        for (int i = 0; i < 10; i++) {
            expect_drive(&a, 409);
            robo__rctp_session_holder(b.session, name, &left, robo_now(world));
            assert_string_equal(name, "");
            pass(1);
        }
        expect_nothing(&b);
        leave(&a), leave(&b), leave(&stopper);
    }
}

TEST(who_waits_for_the_robot_is_told_when_a_lease_lapses)
{
    struct client c;
    struct robo__session *driver = open_session_by(70, NULL, NULL);
    join(&c);
    assign(&c, "command");
    force(driver);
    go(&c);
    pass(3);
    force(driver); /* from now on it lasts 5 s */
    pass(4.9);
    expect_nothing(&c);
    pass(0.2);
    expect_said(&c, 100, "free: no other client controls the robot");
    pass(60);
    expect_nothing(&c);
    robo__session_close(driver);
    leave(&c);
}

TEST(control_that_was_lost_is_asked_for_anew)
{
    struct client c;
    struct robo__session *driver = open_session_by(70, NULL, NULL);
    join(&c);
    const uint8_t base = assign(&c, "base");
    force(driver);
    pass(0.01);
    assert_int_equal(assign_as(&c, "arm"), 409);
    assert_int_equal(assign_as(&c, "base"), 409);
    give_back(driver);
    pass(0.01);
    const struct robo__rctp_assigned a =
        robo__rctp_session_assign(c.session, "base", robo_now(world));
    assert_int_equal(a.code, 201);
    assert_int_equal(a.id, base);
    assert_true(a.controls);
    assert_int_equal(assign_as(&c, "command"), 201);
    go(&c);
    expect_nothing(&c);
    say(&c, "01 01 3F000000");
    expect_status(&c, base, 200);
    robo__session_close(driver);
    leave(&c);
}

/* Also not by the renewal that is due before its wake-up has run. */
TEST(control_that_was_given_back_is_not_taken_silently)
{
    struct client c;
    struct robo__session *driver = open_session_by(70, NULL, NULL);
    join(&c);
    const uint8_t base = assign(&c, "base");
    go(&c);
    force(driver);
    give_back(driver);
    c.session->renew.fire(&c.session->renew, robo_now(world));
    expect_status(&c, 0, 409);
    pass(60);
    struct client d;
    join(&d);
    assign(&d, "base");
    say(&c, "01 01 3F000000");
    expect_status(&c, base, 409);
    robo__session_close(driver);
    leave(&c), leave(&d);
}

TEST(who_asks_for_control_is_named_to_its_client)
{
    static const struct robo_request_take everything;
    struct robo_reply_take reply;
    struct client c, watcher;
    struct robo__session *driver = open_session_by(70, NULL, NULL);
    join(&c), join(&watcher);
    assign(&c, "base");
    const uint8_t notices = assign(&c, "notices");
    assign(&watcher, "base_state");
    assert_int_equal(robo__session_request(driver, ROBO_Q_TAKE, &everything, ROBO_ROLE_OPERATE,
                                           &reply, robo_now(world)),
                     0);
    assert_int_equal(reply.state, ROBO__ASKED);
    go(&c), go(&watcher); /* the question was before GO: it is told after it */
    char text[100];
    snprintf(text, sizeof text, "asks: %s 70 asks for control", driver->mover.holder->name);
    expect_said(&c, 100, text);
    const struct robo_rctp_message *m = next(&c);
    assert_non_null(m);
    assert_int_equal(m->id, notices);
    assert_int_equal(m->length, strlen(text));
    expect_nothing(&c); /* once */
    pass(4.9);
    expect_nothing(&c);
    pass(0.2); /* its silence for the lease time is a yes */
    expect_said(&c, 409, "lease: another client has taken control");
    for (const struct robo_rctp_message *o = next(&watcher); o; o = next(&watcher))
        assert_int_not_equal(o->id, ROBO_RCTP_STATUS); /* it was asked for nothing */
    robo__session_close(driver);
    leave(&c), leave(&watcher);
}

TEST(who_watches_commands_nothing)
{
    struct client a, b;
    join(&a), join(&b);
    assign(&a, "base");
    go(&a);
    say(&a, "01 01 3F000000");
    expect_status(&a, 1, 200);
    const uint8_t command = assign(&b, "command");
    go(&b);
    say_text(&b, command, "home");
    expect_status(&b, command, 409);
    say_text(&b, command, "stop");         /* but may stop it */
    assert_int_equal(heard(ROBO_STOP), 2); /* each of both devices */
    expect_status(&b, command, 200);
    pass(0.01);
    expect_status(&a, 0, 409);
    leave(&a), leave(&b);
}
