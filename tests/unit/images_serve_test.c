/* The image server that keeps pictures: its senders, in virtual time. */
#include "fixture_images.h"

#include "http_client.h"

static struct client *come_in(void)
{
    return come_at("images://localhost");
}

static void tell(struct client *c, const void *bytes, size_t n)
{
    c->count = 0;
    robo__conn_receive(&c->conn, bytes, n, robo_now(world));
    settle(c);
    run_for(0.01);
    settle(c);
    c->got[c->count] = 0;
}

#define TELL(c, text) tell(c, text, sizeof(text) - 1)

FIXTURE(open_keeping_host, close_keeping_host);

TEST(a_picture_is_answered_when_it_is_kept)
{
    uint8_t frame[200];
    struct client *c = come_in();
    TELL(c, "OK");
    assert_string_equal(c->got, "OK");
    TELL(c, "\xff\0\0\0\x03r/c");
    assert_string_equal(c->got, "");
    tell(c, frame, make_frame(frame, 100));
    assert_string_equal(c->got, "OK");
    assert_int_equal(counts().kept, 1);
    assert_int_equal(newest().size, 100);
    assert_string_equal(newest().source, "r/c");
    assert_int_equal(newest().time, robo_now(world) / 1000 - 10000);
    go_away(c);
}

TEST(who_has_not_asked_for_answers_gets_none)
{
    uint8_t frame[200];
    struct client *c = come_in();
    tell(c, frame, make_frame(frame, 100));
    assert_int_equal(c->count, 0);
    assert_int_equal(counts().kept, 1);
    assert_string_equal(newest().source, "unknown");
    go_away(c);
}

TEST(a_picture_may_come_byte_by_byte)
{
    uint8_t frame[100];
    const size_t n = make_frame(frame, 60);
    struct client *c = come_in();
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(counts().kept, 0);
        tell(c, frame + i, 1);
    }
    assert_int_equal(counts().kept, 1);
    go_away(c);
}

TEST(what_is_no_jpeg_is_refused_and_the_next_is_not)
{
    uint8_t frame[200];
    struct client *c = come_in();
    TELL(c, "OK");
    TELL(c, "\2\0\0\0\4GIF8");
    assert_string_equal(c->got, "NO");
    assert_non_null(
        strstr(last_log, "unknown: a picture is no JPEG: byte 0: expected the beginning"));
    TELL(c, "\2\0\0\0\4GIF8");
    assert_int_equal(logs, 1); /* once for each connection */
    tell(c, frame, make_frame(frame, 100));
    assert_string_equal(c->got, "OK");
    assert_int_equal(counts().refused, 2);
    assert_int_equal(counts().frames, 3);
    go_away(c);
}

TEST(what_is_no_frame_ends_the_connection)
{
    struct client *c = come_in();
    TELL(c, "OK\7");
    assert_true(c->conn.closing);
    assert_non_null(c->conn.refused);
    assert_string_equal(c->conn.refused, "byte 2: expected a type of 1 to 5, or 255");
    go_away(c);
}

TEST(many_glued_together_are_all_answered_in_order)
{
    static uint8_t talk[100 * 110];
    size_t n = 2;
    struct client *c = come_in();
    memcpy(talk, "OK", 2);
    for (int i = 0; i < 100; i++) {
        n += make_frame(talk + n, 100);
        if (i % 3 == 0)
            talk[n - 1] = 0; /* no end of the image */
    }
    c->count = 0;
    tell(c, talk, n);
    run_for(1);
    settle(c);
    assert_int_equal(c->count, 2 + 2 * 100);
    for (int i = 0; i < 100; i++)
        assert_memory_equal(c->got + 2 + 2 * i, i % 3 == 0 ? "NO" : "OK", 2);
    go_away(c);
}

TEST(a_sender_waits_while_two_of_its_pictures_do)
{
    uint8_t frame[200];
    const size_t n = make_frame(frame, 100);
    struct client *c = come_in();
    assert_true(robo__conn_hungry(&c->conn));
    robo__conn_receive(&c->conn, frame, n, robo_now(world));
    assert_true(robo__conn_hungry(&c->conn));
    robo__conn_receive(&c->conn, frame, n, robo_now(world));
    assert_false(robo__conn_hungry(&c->conn));
    run_for(0.01);
    assert_true(robo__conn_hungry(&c->conn));
    go_away(c);
}

TEST(memory_is_that_of_what_has_come_and_not_of_what_was_announced)
{
    struct client *c = come_in();
    TELL(c, "\2\1\0\0\0abc");
    assert_true(atomic_load(&world->memory.used) < 100000);
    assert_true(atomic_load(&world->memory.used) > 0);
    go_away(c);
    run_for(0.01);
    assert_int_equal(atomic_load(&world->memory.used), 0);
}

TEST(without_memory_a_picture_is_refused_and_the_next_is_kept)
{
    static uint8_t frame[300000];
    struct client *c = come_in();
    const size_t n = make_frame(frame, 200000), total = world->memory.total;
    TELL(c, "OK");
    world->memory.total = 100000;
    tell(c, frame, n);
    assert_string_equal(c->got, "NO");
    assert_non_null(strstr(last_log, "a picture is refused: out of memory"));
    world->memory.total = total;
    tell(c, frame, n);
    assert_string_equal(c->got, "OK");
    go_away(c);
    run_for(0.01);
    assert_int_equal(atomic_load(&world->memory.used), 0);
}

TEST(who_does_not_send_the_rest_is_let_go)
{
    struct client *c = come_in();
    TELL(c, "\2\0\0\0\x10_"
            "abc");
    for (int i = 0; i < 5; i++) {
        run_for(20);
        TELL(c, "x");
        assert_false(c->conn.closing);
    }
    run_for(32);
    assert_true(c->conn.closing);
    assert_non_null(c->conn.refused);
    assert_string_equal(c->conn.refused, "it does not send the rest of its picture");
    go_away(c);
}

/* Its pictures wait for the disk, so nothing of it is read. */
TEST(who_is_not_read_from_is_not_let_go)
{
    uint8_t frame[200];
    const size_t n = make_frame(frame, 100);
    struct client *c = come_in();
    tell(c, frame, n - 10); /* one has begun */
    for (int i = 0; i < 100; i++) {
        c->conn.holds = true;
        run_for(1);
    }
    assert_false(c->conn.closing);
    c->conn.holds = false;
    run_for(31);
    assert_true(c->conn.closing);
    go_away(c);
}

TEST(who_sends_nothing_may_stay)
{
    uint8_t frame[200];
    struct client *c = come_in();
    tell(c, frame, make_frame(frame, 100));
    run_for(3600);
    assert_false(c->conn.closing);
    go_away(c);
}

TEST(who_leaves_at_once_has_its_picture_kept)
{
    uint8_t frame[200];
    struct client *c = come_in();
    robo__conn_receive(&c->conn, frame, make_frame(frame, 100), robo_now(world));
    go_away(c);
    run_for(0.01);
    assert_int_equal(counts().kept, 1);
    assert_int_equal(atomic_load(&world->memory.used), 0);
}

TEST(a_host_without_a_folder_lets_nobody_in)
{
    struct robo__url url;
    struct robo__conn conn;
    char why[256];
    assert_int_equal(robo__host_use_images(&host, NULL), 0);
    assert_int_equal(robo__url_parse("images://localhost", robo__protocols, &url, why), 0);
    assert_int_equal(url.port, 5004);
    assert_int_equal(robo__conn_init(&conn, &host, &url, NULL), ROBO_ENONE);
    assert_non_null(strstr(last_log, "nobody keeps pictures here"));
}
