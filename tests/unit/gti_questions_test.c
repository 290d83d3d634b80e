/* What clients of the Golog-Tekkotsu interface ask the script: replies in order, a script that does not answer, clients that do not
 * read. The base is gti_serve_test.c's. */
#include "fixture_gti.h"

#include <math.h>

static double number_at(const struct client *c, size_t at)
{
    double x;
    memcpy(&x, c->got + at, sizeof x);
    return x;
}

FIXTURE(begin, end);

TEST(replies_come_in_order)
{
    struct client c;
    join(&c);
    query(&c, 5), search(&c), query(&c, 13);
    go_on(0);
    /* one after the other: what is asked behind a search is asked when it has ended */
    assert_int_equal(asked_count, 1);
    assert_true(asked[0].count == 1 && asked[0].value[0] == 5);
    answer(0, 0.5);
    assert_int_equal(c.count, 8);
    assert_true(number_at(&c, 0) == 0.5);
    assert_string_equal(asked[1].action, "search_ball");
    assert_true(asked[1].value[0] == 2);
    motion(&c, "nod.mot"); /* has no reply, and begins */
    go_on(0);
    assert_int_equal(asked_count, 3);
    assert_string_equal(asked[2].action, "motion");
    answer(1, 1);
    assert_true(c.count == 12 && c.got[8] == 1);
    assert_int_equal(asked_count, 4);
    assert_true(asked[3].value[0] == 13);
    answer_with(3, false, NULL, 0); /* nobody knows */
    assert_true(c.count == 20 && number_at(&c, 12) == 0);
    leave(&c);
}

TEST(formats_are_options)
{
    struct client c;
    const double ball[] = { 1, 0.5, -0.25, 3 };
    join_at(&c, "gti+local:?big,packed,radians");
    query(&c, 13), query(&c, 23);
    send(&c, &(struct robo_gti_request){ .type = ROBO_GTI_QUERY_BALL, .color = 1 });
    go_on(0);
    answer(0, 180), answer(1, -9.8);
    answer_with(2, true, ball, 4);
    struct robo_gti_request sensors = { .type = ROBO_GTI_QUERY_SENSORS, .count = 2 },
                            seen = { .type = ROBO_GTI_QUERY_BALL };
    struct robo_gti_reply reply;
    assert_int_equal(c.count, 16 + robo_gti_reply_size(c.format, &seen));
    assert_true(robo_gti_read_reply(c.format, &sensors, c.got, &reply));
    assert_true(fabs(reply.value[0] - 3.14159265358979) < 1e-12 && reply.value[1] == -9.8);
    assert_true(robo_gti_read_reply(c.format, &seen, c.got + 16, &reply));
    assert_true(reply.visible && reply.x == 0.5 && reply.y == -0.25 && reply.area == 3);
    leave(&c);
}

TEST(nobody_answers)
{
    struct client c;
    robo__host_use_inbox(&host, NULL);
    join(&c);
    query(&c, 5), search(&c), motion(&c, "nod.mot"), query(&c, 5);
    assert_int_equal(c.count, 20);
    walk(&c, 60);
    assert_true(speed() == 0.06);
    leave(&c);
}

/* ---- limits ---- */

TEST(a_script_that_does_not_answer_fills_no_memory_and_stops_no_stop)
{
    struct client c;
    join(&c);
    walk(&c, 60);
    for (int i = 0; i < 1000; i++)
        move(&c, 13);
    go_on(0);
    int before = asked_count;
    assert_true(before <= ROBO__QUESTIONS && c.conn.in_count > 0);
    /* in pieces, behind 900 commands that wait */
    uint8_t stop[ROBO_GTI_HEADER + ROBO_GTI_BODY];
    size_t n = robo_gti_encode(c.format, &(struct robo_gti_request){ .type = ROBO_GTI_WALK }, stop);
    say(&c, stop, 11);
    assert_true(speed() == 0.06);
    say(&c, stop + 11, n - 11);
    assert_true(speed() == 0);
    /* all are handed over in their turn, and the stop in its own */
    for (int i = 0; i < asked_count; i++) {
        go_on(0);
        if (robo__inbox_find(inbox, asked[i % 300].number))
            answer(i, 0);
        if (asked_count > 280)
            break;
    }
    assert_true(asked_count > 280 && !c.conn.closing);
    leave(&c);
}

/* Not even for the time until the script has taken what stands between them. */
TEST(a_walk_that_waits_before_a_stop_is_none)
{
    struct client c;
    join(&c);
    for (int i = 0; i < 100; i++)
        move(&c, 13);
    walk(&c, 60), walk_for(&c, 60, 1), walk(&c, 0), motion(&c, "nod.mot"), walk(&c, 30);
    go_on(0);
    for (int i = 0; i < asked_count; i++) {
        assert_true(speed() == 0);
        answer(i, 0);
        if (strcmp(asked[asked_count - 1].action, "motion") == 0)
            break;
    }
    /* what came behind the stop is carried out */
    for (int i = 40; i < asked_count; i++)
        if (robo__inbox_find(inbox, asked[i].number))
            answer(i, 0);
    assert_true(c.conn.in_count == 0 && speed() == 0.03);
    leave(&c);
}

/* Nor does one that waits before a panic that is over by its turn; the next one walks. */
TEST(a_walk_that_waits_before_a_panic_is_none)
{
    struct client c;
    join(&c);
    walk(&c, 60);
    for (int i = 0; i < 100; i++)
        move(&c, 13);
    walk(&c, 30), go_on(0);
    robo_panic(robot);
    robo_reset(robot);
    for (int i = 0; i < asked_count; i++) {
        go_on(0);
        if (robo__inbox_find(inbox, asked[i].number))
            answer(i, 0);
    }
    assert_int_equal(asked_count, 101); /* not the second walk */
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    walk(&c, 40), go_on(0);
    assert_int_equal(heard(ROBO_SET_SPEED), 2);
    leave(&c);
}

TEST(queries_without_a_search_have_no_such_bound)
{
    struct client c;
    join(&c);
    for (int i = 0; i < 250; i++)
        query(&c, 13);
    for (int i = 0; i < 250; i++) {
        go_on(0);
        assert_int_equal(asked_count, i + 1);
        answer(i, i);
    }
    assert_int_equal(c.count, 250 * 8);
    assert_true(number_at(&c, 249 * 8) == 249);
    leave(&c);
}

TEST(who_asks_for_too_much_behind_a_search_is_closed)
{
    struct client c;
    join(&c);
    search(&c);
    for (int i = 0; i < 63; i++)
        query(&c, 13);
    assert_false(c.conn.closing);
    walk(&c, 60);
    assert_true(speed() == 0.06);
    query(&c, 13);
    assert_true(c.conn.closing);
    assert_int_equal(
        logged("gti: more than 64 commands wait for their replies: the connection is closed"), 1);
    leave(&c);
}

TEST(who_takes_no_reply_is_closed)
{
    struct client c;
    join_at(&c, "gti+local:?deadman=0");
    walk(&c, 60);
    query(&c, 13);
    go_on(100);
    assert_false(c.conn.closing); /* there was none to take */
    c.reads = false;
    answer(1, 1);
    go_on(20);
    c.reads = true;
    settle(&c);
    go_on(100);
    assert_false(c.conn.closing);
    query(&c, 13);
    go_on(0);
    c.reads = false;
    answer(2, 1);
    go_on(29);
    assert_false(c.conn.closing);
    go_on(3);
    assert_true(c.conn.closing);
    assert_int_equal(logged("the client takes no reply: the connection is closed"), 1);
    leave(&c);
}

TEST(what_is_none_ends_the_connection_behind_its_replies)
{
    static const uint8_t none[8] = { 0x63 };
    struct client c;
    join(&c);
    query(&c, 1), query(&c, 2);
    say(&c, none, sizeof none);
    walk(&c, 60);
    assert_true(speed() == 0); /* nothing is read any more */
    go_on(0);
    answer(0, 1);
    assert_false(c.conn.closing);
    answer(1, 2);
    assert_true(c.conn.closing && c.count == 16);
    assert_int_equal(logged("gti: a command's type is none: the connection is closed"), 1);
    leave(&c);
    /* a search is not waited for */
    join(&c);
    search(&c);
    say(&c, none, sizeof none);
    assert_true(c.conn.closing);
    leave(&c);
    /* a browser has lost its way */
    join(&c);
    say(&c, "GET / HTTP/1.1\r\n", 16);
    assert_true(c.conn.closing && c.count == 0);
    assert_int_equal(logged("longer than any"), 1);
    leave(&c);
}

TEST(refused_here_is_not_asked)
{
    struct client c;
    join(&c);
    walk(&c, 60);
    move(&c, -1), move(&c, 18);
    motion(&c, "../secret.mot"), motion(&c, "a\\b"), motion(&c, ".hidden");
    go_on(0);
    assert_int_equal(asked_count, 1);
    assert_true(speed() == 0.06);
    assert_int_equal(logged("gti: there is no joint -1: none is moved"), 1);
    assert_int_equal(logged("gti: there is no joint 18: none is moved"), 1);
    assert_int_equal(logged("want the name of a file"), 3);
    leave(&c);
}

TEST(a_client_that_goes_in_any_state_is_told_of)
{
    for (int kind = 0; kind < 5; kind++) {
        struct client c;
        asked_count = 0;
        join(&c);
        if (kind > 0)
            query(&c, 1);
        if (kind > 1)
            search(&c), query(&c, 2);
        if (kind > 2)
            walk_for(&c, 60, 10), move(&c, 13);
        if (kind > 3)
            say(&c, "\1\0", 2);
        go_on(0.01 * kind);
        leave(&c);
        go_on(0);
        assert_int_equal(asked_count > 0, kind > 0);
        assert_true(kind == 0 || strcmp(asked[asked_count - 1].action, "gone") == 0);
        for (int i = 0; i < asked_count; i++)
            answer(i, 1);
        go_on(20);
    }
}
