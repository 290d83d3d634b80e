/* A Player server's connection: what it says first, devices and subscriptions, push and pull, and messages that are none. The robot is
 * the fixture's, a base with an arm whose joint has a pan and a tilt. */
#include "fixture_player.h"

/* ---- the beginning ---- */

static struct client c;

static int begin_joined(void **state)
{
    if (begin(state) != 0)
        return -1;
    join(&c);
    return 0;
}

static int leave_and_end(void **state)
{
    leave(&c);
    return end(state);
}

FIXTURE(begin_joined, leave_and_end);

TEST(a_server_sends_its_banner_before_anything_was_asked, begin, end)
{
    come(&c, "player+local:");
    pass(0);
    assert_int_equal(c.count, 32);
    assert_memory_equal(c.got, "Player v.3.1.1", 14);
    for (size_t i = strlen((const char *)c.got); i < 32; i++)
        assert_int_equal(c.got[i], 0);
    leave(&c);
}

/* ---- devices ---- */

TEST(a_device_list_has_the_devices_of_all_robots)
{
    add_robot("second", false);
    const struct came *m = ask(&c, ROBO__PLAYER_PLAYER, 0, 1, EMPTY);
    const struct robo__player_array *list = &m->body.array[0];
    /* position2d:0 and 1, ptz:0 and 1 */
    static const unsigned expected[][2] = { { 4, 0 }, { 4, 1 }, { 8, 0 }, { 8, 1 } };
    assert_int_equal(list->count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(robo__player_item(list, i, 1) == 6665);
        assert_true(robo__player_item(list, i, 2) == expected[i][0]);
        assert_true(robo__player_item(list, i, 3) == expected[i][1]);
    }
    add_robot("third", false); /* later: its numbers are for those who come then */
    assert_int_equal(ask(&c, ROBO__PLAYER_PLAYER, 0, 1, EMPTY)->body.array[0].count, 4);
}

TEST(an_address_with_a_robot_has_the_devices_of_that_alone, begin, end)
{
    add_robot("second", false);
    join_at(&c, "player+local:second");
    assert_int_equal(ask(&c, ROBO__PLAYER_PLAYER, 0, 1, EMPTY)->body.array[0].count, 2);
    drive(&c, 0.25, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    const struct came *m = ask(&c, ROBO__PLAYER_PLAYER, 0, 2, NUMBERS(0, 0, 4, 0));
    char name[64];
    robo__player_text(&m->body.array[0], name, sizeof name);
    assert_string_equal(name, "second");
    assert_int_equal(m->body.array[0].count, 7); /* its NUL counts */
    leave(&c);
}

TEST(numbers_of_devices_stay_when_a_robot_goes)
{
    char name[64];
    robo_robot *second = robo_hold(add_robot("second", false));
    ask(&c, ROBO__PLAYER_PLAYER, 0, 1, EMPTY);
    robo_remove(robot);
    const struct came *m = ask(&c, ROBO__PLAYER_PLAYER, 0, 2, NUMBERS(0, 0, 4, 1));
    robo__player_text(&m->body.array[0], name, sizeof name);
    assert_string_equal(name, "second");
    drive(&c, 1, 0, 0); /* of the one that is gone */
    assert_int_equal(heard(ROBO_SET_SPEED), 0);
    robo_release(second);
}

/* Describes the robot "r" anew: with a head that pans, or with one that does not, which is no pan-tilt. */
static void describe_anew(bool pans)
{
    struct robo_description d = make_description("r", false);
    if (!pans)
        strcpy(d.dof[0].name, "yaw");
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
}

TEST(a_device_is_looked_for_in_what_the_robot_is_now, begin, end)
{
    enum { GEOM = 4 };
    add_robot("second", false);
    join(&c);
    for (int i = 0; i < 2; i++) {
        describe_anew(true);
        ask(&c, PTZ, 0, GEOM, EMPTY);
        ask(&c, PTZ, 1, GEOM, EMPTY);
        ask(&c, PTZ, 1, GEOM, EMPTY);
        describe_anew(false); /* that of the second one is the first, and there is no other */
        say(&c, PTZ, 1, REQ, GEOM, EMPTY);
        expect(&c, PTZ, NACK, GEOM);
        ask(&c, PTZ, 0, GEOM, EMPTY);
    }
    leave(&c);
    join_at(&c, "player+local:r");
    describe_anew(true);
    ask(&c, PTZ, 0, GEOM, EMPTY);
    describe_anew(false);
    say(&c, PTZ, 0, REQ, GEOM, EMPTY);
    expect(&c, PTZ, NACK, GEOM);
    leave(&c);
}

TEST(an_unknown_device_has_no_driver)
{
    say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 2, NUMBERS(0, 0, 4, 7));
    assert_int_equal(expect(&c, ROBO__PLAYER_PLAYER, NACK, 2)->header.size, 0);
}

TEST(a_subscription_that_fails_is_refused_with_its_request)
{
    say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 3, NUMBERS(0, 0, 4, 7, 1));
    const struct came *m = expect(&c, ROBO__PLAYER_PLAYER, NACK, 3);
    assert_int_equal(m->header.size, 28);
    assert_true(m->body.value[2] == 4 && m->body.value[3] == 7);
    assert_true(m->body.value[4] == 3); /* error */
}

/* Nor can a client ask for that access, or end a subscription that it has not. */
TEST(an_access_that_cannot_be_is_refused_with_its_request)
{
    for (unsigned access = 0; access < 5; access++) {
        if (access == 1)
            continue;
        say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 3, NUMBERS(0, 0, 4, 0, access));
        assert_true(expect(&c, ROBO__PLAYER_PLAYER, NACK, 3)->body.value[4] == 3);
    }
}

/* ---- data ---- */

TEST(data_come_as_often_as_the_address_says, begin, end)
{
    join_at(&c, "player+local:?rate=20");
    subscribe(&c, POSITION, 0);
    pass(0.99);
    unsigned count = 0;
    while (next(&c))
        count++;
    assert_int_equal(count, 20);
    assert_int_equal(ask(&c, ROBO__PLAYER_PLAYER, 0, 3, NUMBERS(0, 0, 4, 0, 2))->body.value[4], 2);
    pass(1);
    expect_nothing(&c);
    leave(&c);
}

TEST(data_tell_place_and_speed_and_when_that_was)
{
    acting.speed = 0.5;
    subscribe(&c, POSITION, 0);
    pass(1);
    const struct came *m = newest(&c, POSITION);
    assert_int_equal(m->header.size, 52);
    assert_true(m->body.value[3] == 0.5);
    assert_true(m->body.value[6] == 0);
    assert_true(fabs(m->header.timestamp - (double)robo_now(world) / 1e9) < 0.1);
}

TEST(in_pull_mode_data_wait_until_they_are_asked_for)
{
    pull(&c);
    subscribe(&c, POSITION, 0);
    pass(0.25);
    expect_nothing(&c);
    say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 4, EMPTY);
    assert_int_equal(expect(&c, ROBO__PLAYER_PLAYER, ACK, 4)->header.size, 0);
    for (unsigned i = 0; i < 3; i++)
        expect(&c, POSITION, DATA, 1);
    const struct came *synch = expect(&c, ROBO__PLAYER_PLAYER, SYNCH, 1);
    assert_int_equal(synch->header.size, 0);
    assert_true(synch->header.timestamp == (double)robo_now(world) / 1e9);
    expect_nothing(&c);
}

TEST(a_batch_of_nothing_waits_for_the_next_data)
{
    pull(&c);
    ask(&c, ROBO__PLAYER_PLAYER, 0, 4, EMPTY);
    expect_nothing(&c);
    subscribe(&c, POSITION, 0);
    pass(0.05);
    expect(&c, POSITION, DATA, 1);
    expect(&c, ROBO__PLAYER_PLAYER, SYNCH, 1);
    pass(1);
    expect_nothing(&c);
}

TEST(a_reply_takes_along_what_waits_before_it)
{
    pull(&c);
    subscribe(&c, POSITION, 0);
    pass(0.05);
    say(&c, POSITION, 0, REQ, 1, EMPTY);
    expect(&c, POSITION, DATA, 1);
    assert_int_equal(expect(&c, POSITION, ACK, 1)->header.size, 72);
    expect_nothing(&c);
}

TEST(with_a_rule_the_newest_of_a_kind_replaces_the_one_that_waits)
{
    pull(&c);
    ask(&c, ROBO__PLAYER_PLAYER, 0, 10, NUMBERS(-1, -1, 1, -1, 1));
    subscribe(&c, POSITION, 0);
    pass(10);
    acting.speed = 1;
    pass(0.1);
    ask(&c, ROBO__PLAYER_PLAYER, 0, 4, EMPTY);
    assert_true(expect(&c, POSITION, DATA, 1)->body.value[3] == 1);
    expect(&c, ROBO__PLAYER_PLAYER, SYNCH, 1);
    expect_nothing(&c);
}

TEST(the_first_rule_that_matches_wins)
{
    ask(&c, ROBO__PLAYER_PLAYER, 0, 10, NUMBERS(8, -1, 1, -1, 0));  /* of the head all */
    ask(&c, ROBO__PLAYER_PLAYER, 0, 10, NUMBERS(-1, -1, 1, -1, 2)); /* of others nothing */
    subscribe(&c, POSITION, 0);
    subscribe(&c, PTZ, 0);
    pass(0.05);
    expect(&c, PTZ, DATA, 1);
    expect_nothing(&c);
    say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 10, NUMBERS(-1, -1, 1, -1, 3)); /* no such action */
    expect(&c, ROBO__PLAYER_PLAYER, NACK, 10);
    say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 10, NUMBERS(-1, -1, 1, -1, -16777215));
    expect(&c, ROBO__PLAYER_PLAYER, NACK, 10);
}

TEST(what_is_beyond_the_queue_is_dropped_and_counted, begin, end)
{
    join_at(&c, "player+local:?rate=1000");
    pull(&c);
    subscribe(&c, POSITION, 0);
    pass(2);
    say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 4, EMPTY);
    expect(&c, ROBO__PLAYER_PLAYER, ACK, 4);
    const struct came *m;
    unsigned data = 0;
    while ((m = next(&c)) != NULL && m->header.type == DATA)
        data++;
    assert_int_equal(data, ROBO__PLAYER_WAITING);
    assert_non_null(m);
    assert_int_equal(m->header.type, SYNCH);
    assert_int_equal(m->header.subtype, 2);
    const double dropped = m->body.value[0];
    assert_true(dropped > 900 && dropped < 1000);
    const struct robo__player_body key = { .array = { { .count = 8,
                                                        .raw = (const uint8_t *)"dropped" } } };
    while (next(&c)) {
    }
    assert_true(ask(&c, ROBO__PLAYER_PLAYER, 0, 254, key)->body.value[0] == dropped);
    leave(&c);
    assert_int_equal(logged("a client has gone: dropped"), 1);
}

TEST(a_client_that_does_not_read_keeps_what_its_queue_holds_and_gets_its_replies, begin, end)
{
    join_at(&c, "player+local:?rate=1000");
    subscribe(&c, POSITION, 0);
    c.stalls = true;
    pass(3);
    for (unsigned i = 0; i < ROBO__PLAYER_REPLIES; i++)
        say(&c, POSITION, 0, REQ, 1, EMPTY);
    size_t waiting;
    robo__conn_output(&c.conn, &waiting);
    assert_true(waiting <= ROBO__CONN_BUSY + 1024);
    assert_true(atomic_load(&world->memory.used) < 2 * ROBO__PLAYER_BYTES);
    c.stalls = false;
    settle(&c);
    unsigned replies = 0;
    for (const struct came *m; (m = next(&c)) != NULL;)
        replies += m->header.type == ACK;
    assert_int_equal(replies, ROBO__PLAYER_REPLIES);
    leave(&c);
}

/* Nothing that it sends waits meanwhile. */
TEST(a_client_that_does_not_read_stops_its_robot_and_is_closed_at_last)
{
    drive(&c, 0.5, 0, 0);
    c.stalls = true;
    for (unsigned i = 0; i < ROBO__PLAYER_REPLIES; i++)
        say(&c, POSITION, 0, REQ, 1, EMPTY);
    drive(&c, 0, 0, 0);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    for (unsigned i = 0; i < ROBO__PLAYER_REPLIES && !c.conn.closing; i++)
        say(&c, POSITION, 0, REQ, 1, EMPTY);
    assert_true(c.conn.closing);
    assert_string_equal(c.conn.refused, "it reads no replies");
}

/* ---- requests that every device has ---- */

TEST(capabilities_tell_what_there_is)
{
    ask(&c, POSITION, 0, 255, NUMBERS(CMD, 1));
    ask(&c, PTZ, 0, 255, NUMBERS(REQ, 4));
    ask(&c, POSITION, 0, 255, NUMBERS(CMD, 4));           /* velocity and heading */
    for (unsigned subtype = 7; subtype <= 9; subtype++) { /* controllers, a profile */
        say(&c, POSITION, 0, REQ, 255, NUMBERS(REQ, subtype));
        expect(&c, POSITION, NACK, 255);
        say(&c, POSITION, 0, REQ, subtype, NUMBERS(1, 2, 3));
        assert_int_equal(expect(&c, POSITION, NACK, subtype)->header.size, 0);
    }
    say(&c, POSITION, 5, REQ, 255, NUMBERS(CMD, 1)); /* no such device */
    expect(&c, POSITION, NACK, 255);
}

/* Nor do most of Player's own drivers have a source to choose, or give single pictures. */
TEST(a_camera_has_no_requests)
{
    for (unsigned subtype = 1; subtype <= 3; subtype++) {
        say(&c, ROBO__PLAYER_CAMERA, 0, REQ, subtype, EMPTY);
        assert_int_equal(expect(&c, ROBO__PLAYER_CAMERA, NACK, subtype)->header.size, 0);
    }
}

TEST(properties_tell_the_robot_and_set_the_rate, begin, end)
{
    char name[64];
    struct robo__player_body key = { .array = { { .count = 6, .raw = (const uint8_t *)"robot" },
                                                { .count = 0 } } };
    join(&c);
    robo__player_text(&ask(&c, POSITION, 0, 250, key)->body.array[1], name, sizeof name);
    assert_string_equal(name, "r");
    key = (struct robo__player_body){ .value = { 50 },
                                      .array = { { .count = 5, .raw = (const uint8_t *)"rate" } } };
    ask(&c, POSITION, 0, 251, key);
    assert_true(fabs(ask(&c, POSITION, 0, 252, key)->body.value[0] - 50) < 1e-6);
    subscribe(&c, POSITION, 0);
    pass(0.99);
    unsigned count = 0;
    while (next(&c))
        count++;
    assert_int_equal(count, 50);
    leave(&c);
}

/* ---- what is none ---- */

TEST(a_request_that_cannot_be_read_is_refused_and_the_next_one_answered)
{
    uint8_t bytes[64] = { 0 };
    struct robo__player_header h = { .interf = POSITION, .type = REQ, .subtype = 5, .size = 8 };
    robo__player_put_header(&h, bytes);
    send(&c, bytes, ROBO__PLAYER_HEADER + 8); /* a place has 24 bytes */
    expect(&c, POSITION, NACK, 5);
    assert_int_equal(logged("position2d:0, type 3, subtype 5: byte 48: expected 8 more bytes"), 1);
    h.subtype = 77; /* nobody knows that */
    robo__player_put_header(&h, bytes);
    send(&c, bytes, ROBO__PLAYER_HEADER + 8);
    assert_int_equal(c.got[c.read + 19], NACK);
    c.read = c.count;
    ask(&c, POSITION, 0, 1, EMPTY);
}

/* Beside what every connection has. */
TEST(what_a_client_makes_the_server_keep_is_counted)
{
    say(&c, ROBO__PLAYER_PLAYER, 0, REQ, 4, EMPTY); /* the buffers are there */
    const size_t first = atomic_load(&world->memory.used);
    drive(&c, 0.5, 0, 0);
    assert_true(atomic_load(&world->memory.used) >=
                first + sizeof(robo_robot *) + sizeof(struct robo__player_drive));
}

TEST(a_body_that_is_too_long_is_skipped, begin, end)
{
    static uint8_t bytes[ROBO__PLAYER_HEADER + 70000];
    const struct robo__player_header h = {
        .interf = PTZ, .type = REQ, .subtype = 1, .size = 70000
    };
    join(&c);
    robo__player_put_header(&h, bytes);
    send(&c, bytes, 1000);
    expect(&c, PTZ, NACK, 1);
    send(&c, bytes + 1000, sizeof bytes - 1000);
    expect_nothing(&c);
    const struct robo__player_body key = { .array = { { .count = 10,
                                                        .raw = (const uint8_t *)"oversized" } } };
    assert_true(ask(&c, ROBO__PLAYER_PLAYER, 0, 254, key)->body.value[0] == 1);
    ask(&c, POSITION, 0, 1, EMPTY);
    assert_int_equal(logged("byte 36: expected a body of at most 65536 bytes"), 1);
    leave(&c);
}

TEST(what_is_no_header_ends_the_connection)
{
    send(&c, "GET / HTTP/1.1\r\nHost: localhost:6665\r\n\r\n", 41);
    assert_true(c.conn.closing);
    assert_int_equal(logged("player: a header: byte 8: expected an interface of 16 bits"), 1);
}

TEST(it_does_not_matter_where_messages_are_cut, begin, end)
{
    uint8_t bytes[512];
    size_t n = 0;
    const struct robo__player_body dev = NUMBERS(0, 0, 4, 0, 1), speed = NUMBERS(0.5, 0, 0, 1),
                                   none = EMPTY;
    n += message(ROBO__PLAYER_PLAYER, 0, REQ, 3, &dev, bytes + n, sizeof bytes - n);
    n += message(POSITION, 0, CMD, 1, &speed, bytes + n, sizeof bytes - n);
    n += message(POSITION, 0, REQ, 1, &none, bytes + n, sizeof bytes - n);
    for (size_t cut = 0; cut <= n; cut++) {
        join(&c);
        const size_t before = heard(ROBO_SET_SPEED);
        send(&c, bytes, cut);
        send(&c, bytes + cut, n - cut);
        expect(&c, ROBO__PLAYER_PLAYER, ACK, 3);
        expect(&c, POSITION, ACK, 1);
        assert_int_equal(heard(ROBO_SET_SPEED), before + 1);
        leave(&c);
        pass(0.01);
    }
}
