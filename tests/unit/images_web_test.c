/* Looking back by HTTP at a server that keeps pictures, in virtual time. Seven pictures are there, of sources a/c and b/c in turn, kept at
 * 1 to 7 s of that time; the data of each are its number. */
#include "fixture_images.h"

#include "http_client.h"

enum { PICTURES = 7, SIZE = 100 };

static int keep_some(void **state)
{
    if (open_keeping_host(state) < 0)
        return -1;
    struct client *c = come_at("images://localhost");
    for (int i = 1; i <= PICTURES; i++) {
        uint8_t frame[8 + 5 + SIZE] = { 0xff, 0, 0, 0, 3, i % 2 ? 'a' : 'b', '/', 'c' };
        make_frame(frame + 8, SIZE);
        make_jpeg(frame + 13, SIZE, (uint8_t)i);
        robo_advance(world, i * INT64_C(1000000000));
        robo__conn_receive(&c->conn, frame, sizeof frame, robo_now(world));
        run_for(0.001);
    }
    go_away(c);
    return (int)counts().kept - PICTURES;
}

/* What comes back for a request with that line; the connection is over then. */
static char got[1 << 17];

static const char *get(const char *line)
{
    char request[512];
    struct client *c = come_at("images://localhost");
    snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: localhost\r\n\r\n", line);
    ask(c, request);
    run_for(0.001);
    settle(c);
    assert_true(c->conn.closing);
    memcpy(got, c->got, c->count + 1);
    go_away(c);
    return got;
}

static void has_text(const char *text)
{
    if (!strstr(got, text))
        print_message("%s\n", got);
    assert_non_null(strstr(got, text));
}

/* The number of the picture that comes back; -1: none does. */
static int number(const char *line)
{
    get(line);
    if (memcmp(got, "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n", 42) != 0) {
        assert_memory_equal(got, "HTTP/1.1 404 Not Found", 22);
        return -1;
    }
    has_text("\r\nContent-Length: 100\r\n");
    has_text("\r\nX-Content-Type-Options: nosniff\r\n");
    const char *body = strstr(got, "\r\n\r\n") + 4, *told = strstr(got, "X-Number: ");
    assert_non_null(told);
    assert_int_equal(atoi(told + 10), body[50]);
    return body[50];
}

FIXTURE(keep_some, close_keeping_host);

TEST(a_picture_is_got_by_source_time_and_step)
{
    assert_int_equal(number("GET /a/c"), 7);
    has_text("\r\nX-Source: a/c\r\n");
    has_text("\r\nX-Timestamp: 7.000000\r\n");
    assert_int_equal(number("GET /b/c"), 6);
    assert_int_equal(number("GET /a%2Fc?step=-1"), 5);
    assert_int_equal(number("GET /a/c?at=4.5"), 3);
    assert_int_equal(number("GET /a/c?at=4.5&step=1"), 5);
    assert_int_equal(number("GET /a/c?at=5"), 5);
    assert_int_equal(number("GET /a/c?at=1970-01-01T00:00:05.9Z&step=-2"), 1);
    assert_int_equal(number("GET /a/c?at=1970-01-01T01:00:05.9%2B01:00&step=-2"), 1);
    assert_int_equal(number("GET /a/c?at=1970-01-01T01:00:05.9+01:00&step=-2"), 1);
    assert_int_equal(number("GET /a/c?at=1970-01-02"), 7);
    assert_int_equal(number("GET /a/c?step=-4"), -1);
    assert_int_equal(number("GET /a/c?step=1"), -1);
    assert_int_equal(number("GET /a/c?at=0.5"), -1);
    assert_int_equal(number("GET /nobody"), -1);
    has_text("there is no such picture; / lists those that there are");
}

TEST(a_picture_is_got_by_its_number)
{
    assert_int_equal(number("GET /000000000004.jpg"), 4);
    assert_int_equal(number("GET /000000000004.jpg?step=-1"), 3);
    assert_int_equal(number("GET /000000000004.jpg?step=3"), 7);
    assert_int_equal(number("GET /000000000004.jpg?step=4"), -1);
    assert_int_equal(number("GET /000000000008.jpg"), -1);
}

TEST(what_there_is_is_listed_as_json)
{
    get("GET /?from=2&to=3");
    has_text("\r\nContent-Type: application/json\r\n");
    has_text(
        "\r\n\r\n[{\"bytes\":100,\"number\":2,\"source\":\"b/c\",\"time\":\"1970-01-01T00:00:02.000000Z\","
        "\"time_s\":2.000000},\n"
        "{\"bytes\":100,\"number\":3,\"source\":\"a/c\",\"time\":\"1970-01-01T00:00:03.000000Z\","
        "\"time_s\":3.000000}]\n");
    get("GET /?most=1&source=b/c");
    has_text("[{\"bytes\":100,\"number\":6,");
    get("GET /?source=nobody");
    has_text("\r\n\r\n[]\n");
    assert_null(strstr(get("GET /?most=3"), "\"number\":4"));
    has_text("\"number\":5");
}

TEST(head_has_no_body)
{
    get("HEAD /a/c");
    has_text("\r\nContent-Length: 100\r\n");
    assert_string_equal(strstr(got, "\r\n\r\n"), "\r\n\r\n");
}

TEST(what_is_asked_wrong_is_told)
{
    static const char *const wrong[][2] = {
        { "GET /a/c?at=x", "at, from, to: expected a time as 2026-11-23T04:53:48.007Z" },
        { "GET /?from=1970-13-01T00:00:00Z", "at, from, to: expected a time as" },
        { "GET /?from=1970-01-01T-1:00:00Z", "at, from, to: expected a time as" },
        { "GET /?from=1970-01-01T00:00:00.5e300Z", "at, from, to: expected a time as" },
        { "GET /?to=-1", "at, from, to: expected a time as" },
        { "GET /?to=0x10", "at, from, to: expected a time as" },
        { "GET /?to=10000000000", "at, from, to: expected a time as" },
        { "GET /?from=3&to=2.5", "from: expected an instant that is not later than that of to" },
        { "GET /a/c?step=x", "step: expected a whole number" },
        { "GET /?most=10001", "most: expected 1 to 10000" },
        { "GET /?colour=red", "options: expected from, to, source or most, of a list" },
        { "GET /?step=1", "options: expected from, to, source or most, of a list" },
        { "GET /?at=1", "options: expected from, to, source or most, of a list" },
        { "GET /a/c?from=1", "options: expected at or step, of a source" },
        { "GET /a/c?most=1", "options: expected at or step, of a source" },
        { "GET /000000000003.jpg?at=5", "options: expected step, of a number" },
        { "GET /a%20b", "expected /, /ROBOT/CAMERA or /NUMBER.jpg" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        get(wrong[i][0]);
        assert_memory_equal(got, "HTTP/1.1 400", 12);
        has_text(wrong[i][1]);
    }
}

TEST(pages_of_others_get_nothing)
{
    struct client *c = come_at("images://localhost");
    expect(c, "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://elsewhere\r\n\r\n",
           "HTTP/1.1 403");
    go_away(c);
    c = come_at("images://localhost");
    expect(c, "GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n", "HTTP/1.1 421");
    go_away(c);
    c = come_at("images://localhost");
    ask(c, "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(c->conn.closing);
    assert_int_equal(c->count, 0);
    go_away(c);
}

TEST(a_request_that_does_not_come_whole_is_ended)
{
    struct client *c = come_at("images://localhost");
    ask(c, "GET / HT");
    run_for(9);
    assert_false(c->conn.closing);
    run_for(2);
    settle(c);
    assert_true(c->conn.closing);
    has(c, "408");
    go_away(c);
}

TEST(who_goes_before_the_answer_leaves_nothing)
{
    struct client *c = come_at("images://localhost");
    ask(c, "GET /a/c HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_int_equal(c->count, 0);
    go_away(c);
    run_for(0.001);
    assert_int_equal(atomic_load(&world->memory.used), 0);
}

TEST(a_list_that_is_long_goes_out_as_it_is_read)
{
    uint8_t frame[5 + SIZE];
    struct client *c = come_at("images://localhost");
    make_frame(frame, SIZE);
    for (int i = 0; i < 500; i++) {
        robo__conn_receive(&c->conn, frame, sizeof frame, robo_now(world));
        run_for(0.001);
    }
    go_away(c);
    c = come_at("images://localhost");
    c->reads = false;
    ask(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    run_for(1);
    assert_false(c->conn.closing);
    assert_true(c->conn.out_count < 50000);
    c->reads = true;
    settle(c);
    assert_true(c->conn.closing);
    assert_true(c->count > 50000);
    assert_string_equal(c->got + c->count - 3, "}]\n");
    go_away(c);
    c = come_at("images://localhost");
    c->reads = false;
    ask(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    run_for(70); /* one that reads nothing is dropped */
    assert_true(c->conn.closing);
    go_away(c);
    run_for(0.001);
    assert_int_equal(atomic_load(&world->memory.used), 0);
}

TEST(who_looks_back_leaves_half_of_the_memory_to_who_sends)
{
    uint8_t frame[5 + SIZE];
    struct robo__budget *memory = &world->memory;
    make_frame(frame, SIZE);
    assert_true(robo__budget_take(memory, 0, memory->total / 2));
    assert_memory_equal(get("GET /000000000001.jpg"), "HTTP/1.1 503 ", 13);
    assert_memory_equal(get("GET /"), "HTTP/1.1 503 ", 13);
    struct client *c = come_at("images://localhost");
    robo__conn_receive(&c->conn, frame, sizeof frame, robo_now(world));
    run_for(0.001);
    assert_int_equal(counts().kept, PICTURES + 1);
    go_away(c);
    robo__budget_give(memory, memory->total / 2);
    assert_int_equal(number("GET /000000000001.jpg"), 1);
}
