/* WebSockets at a server's connection of HTTP: the handshake, frames, and what the connection within is to its client. The page's JSON and
 * its stops. */
#include "http_client.h"

#include "../base_robot.h"
#include <time.h>
#include <unistd.h>

#include "drivers.h"
#include "net/access.h"
#include "robot/robot.h"
#include "robotalk/server.h"
#include "robotalk/wire.h"
#include "web/websocket.h"

#define H       "Host: localhost\r\n"
#define UPGRADE "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
#define KEY     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define VERSION "Sec-WebSocket-Version: 13\r\n"
#define GOOD    "GET /robotalk HTTP/1.1\r\n" H UPGRADE KEY VERSION

static int open_rex(void **state)
{
    struct robo_description d = base_robot("rex", "sim");
    const struct robo_options options = virtual_options(1);
    d.base_speed[0] = d.base_speed[2] = 1;
    for (int i = 0; i < 3; i++)
        d.base_acceleration[i] = 10;
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    robo__host_init(&host, world, NULL);
    return 0;
}

FIXTURE(open_rex, close_host);

static bool in_panic(void)
{
    struct robo_state now;
    robo_robot *rex = robo_find(world, "rex");
    robo_read(rex, &now, sizeof now);
    robo_release(rex);
    return now.panic != 0;
}

/* ---- the handshake ---- */

TEST(the_key_is_answered_as_rfc_6455_has_it)
{
    static const char *const table[][2] = {
        { "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" }, /* section 1.3 */
        { "AAAAAAAAAAAAAAAAAAAAAA==", "ICX+Yqv66kxgM0FcWaLWlFLwTAI=" },
        { "x3JJHMbDL1EzLkh9GBhXDw==", "HSmrc0sMlYUkAGmm5OPpG2HaGWk=" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct client *c = come();
        char text[400], accept[80];
        snprintf(text, sizeof text,
                 "GET /robotalk HTTP/1.1\r\n" H UPGRADE VERSION "Sec-WebSocket-Key: %s\r\n\r\n",
                 table[i][0]);
        expect(c, text, "HTTP/1.1 101 Switching Protocols\r\n");
        snprintf(accept, sizeof accept, "Sec-WebSocket-Accept: %s\r\n", table[i][1]);
        has(c, accept);
        assert_null(strstr(c->got, "Sec-WebSocket-Protocol"));
        go_away(c);
    }
}

TEST(other_handshakes_are_refused)
{
    static const char *const table[][2] = {
        { "GET /other HTTP/1.1\r\n" H UPGRADE KEY VERSION, "HTTP/1.1 404 " },
        { "POST /robotalk HTTP/1.1\r\n" H UPGRADE KEY VERSION, "HTTP/1.1 400 " },
        { "GET /robotalk HTTP/1.0\r\n" H UPGRADE KEY VERSION, "HTTP/1.1 400 " },
        { "GET /robotalk HTTP/1.1\r\n" H UPGRADE KEY VERSION "Content-Length: 2\r\n",
          "HTTP/1.1 400 " },
        { "GET /robotalk HTTP/1.1\r\n" H UPGRADE KEY, "HTTP/1.1 426 " },
        { "GET /robotalk HTTP/1.1\r\n" H UPGRADE KEY "Sec-WebSocket-Version: 8\r\n",
          "HTTP/1.1 426 " },
        { "GET /robotalk HTTP/1.1\r\n" H UPGRADE VERSION, "HTTP/1.1 400 " },
        { "GET /robotalk HTTP/1.1\r\n" H UPGRADE VERSION "Sec-WebSocket-Key: short\r\n",
          "HTTP/1.1 400 " },
        { "GET /robotalk HTTP/1.1\r\n" H UPGRADE VERSION
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j!Q==\r\n",
          "HTTP/1.1 400 " },
        { "GET /robotalk HTTP/1.1\r\n" H KEY VERSION, "HTTP/1.1 426 " },
        { GOOD "Origin: http://evil.example\r\n", "HTTP/1.1 403 " },
        { GOOD "Origin: null\r\n", "HTTP/1.1 403 " },
        { "GET /robotalk HTTP/1.1\r\nHost: evil.example\r\n" UPGRADE KEY VERSION
          "Origin: http://evil.example\r\n",
          "HTTP/1.1 421 " },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct client *c = come();
        char text[600];
        snprintf(text, sizeof text, "%s\r\n", table[i][0]);
        expect(c, text, table[i][1]);
        go_away(c);
    }
}

TEST(pages_of_listed_origins_are_let_in)
{
    struct client *c =
        come_at("rctp://localhost?origin=https://a.example&origin=http://b.example:81");
    expect(c, GOOD "Origin: http://b.example:81\r\nSec-WebSocket-Protocol: x, robotalk\r\n\r\n",
           "HTTP/1.1 101 ");
    has(c, "Sec-WebSocket-Protocol: robotalk\r\n");
    go_away(c);
    c = come_at("rctp://localhost?origin=https://a.example");
    expect(c, "GET /robots.json HTTP/1.1\r\n" H "Origin: https://a.example\r\n\r\n",
           "HTTP/1.1 200 ");
    has(c, "Access-Control-Allow-Origin: https://a.example\r\n");
    has(c, "Vary: Origin\r\n");
    expect(c, GOOD "Origin: https://a.example.evil\r\n\r\n", "HTTP/1.1 403 ");
    go_away(c);
}

/* ---- frames ---- */

static struct client *come_by_websocket(void)
{
    struct client *c = come();
    expect(c, GOOD "\r\n", "HTTP/1.1 101 ");
    return c;
}

/* A frame of a client, with a mask, whose head may lie about the length. */
static size_t frame(uint8_t *out, uint8_t first, const void *payload, size_t n, size_t told)
{
    static const uint8_t mask[4] = { 0x37, 0xfa, 0x21, 0x3d };
    size_t at = 0;
    out[at++] = first;
    if (told < 126) {
        out[at++] = (uint8_t)(0x80 | told);
    } else if (told < 65536) {
        out[at++] = 0x80 | 126;
        out[at++] = (uint8_t)(told >> 8);
        out[at++] = (uint8_t)told;
    } else {
        out[at++] = 0x80 | 127;
        for (int shift = 56; shift >= 0; shift -= 8)
            out[at++] = (uint8_t)(told >> shift);
    }
    memcpy(out + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < n; i++)
        out[at++] = ((const uint8_t *)payload)[i] ^ mask[i % 4];
    return at;
}

static void send(struct client *c, const uint8_t *bytes, size_t n)
{
    c->count = 0;
    robo__conn_receive(&c->conn, bytes, n, robo_now(world));
    settle(c);
}

static void send_frame(struct client *c, uint8_t first, const void *payload, size_t n)
{
    uint8_t out[4200];
    send(c, out, frame(out, first, payload, n, n));
}

/* The close frame that has come, by its code. */
static void expect_closed(const struct client *c, unsigned code)
{
    const uint8_t *got = (const uint8_t *)c->got;
    assert_true(c->count >= 4);
    assert_int_equal(got[0], 0x88);
    assert_int_equal(got[2] << 8 | got[3], code);
    assert_true(c->conn.closing);
}

enum { BINARY = 0x82, TEXT = 0x81, PING = 0x89, CLOSE = 0x88, FIRST = 0x02, LAST = 0x80 };

/* hello, of a client with that role and token; its package. */
static size_t greet(uint8_t out[200], uint8_t role, const char *token)
{
    struct robo_package p;
    struct robo_header header = { .type = ROBO_TYPE_QUERY, .id = 1, .stamp = ROBO_NO_TIME };
    struct robo_request_hello request = {
        .lowest = ROBO_VERSION, .highest = ROBO_VERSION, .name = "page", .role = role
    };
    const struct robo_operation *op = robo_operation_find(robo__queries, ROBO_Q_HELLO);
    strcpy(request.token, token);
    assert_int_equal(robo_package_begin(&p, out, 200), 0);
    assert_int_equal(robo_package_add(&p, ROBO_Q_HELLO, 1, NULL, NULL, op->request, &request), 0);
    return (size_t)robo_package_end(&p, &header);
}

static size_t hello(uint8_t out[200], uint8_t role)
{
    return greet(out, role, "");
}

/* A reply of RoboTalk in one binary message, whose payload begins here. */
static const uint8_t *message(const struct client *c)
{
    const uint8_t *got = (const uint8_t *)c->got;
    assert_true(c->count > 4);
    assert_int_equal(got[0], BINARY);
    return got + (got[1] < 126 ? 2 : 4);
}

TEST(packages_are_binary_messages)
{
    uint8_t package[200];
    const size_t n = hello(package, ROBO_ROLE_DRIVE);
    struct client *c = come_by_websocket();
    send_frame(c, BINARY, package, n);
    struct robo_header header;
    assert_int_equal(robo_header_decode(message(c), &header), 0);
    assert_int_equal(header.type, ROBO_TYPE_REPLY);
    go_away(c);

    /* boundaries of messages and of frames mean nothing */
    c = come_by_websocket();
    uint8_t bytes[800];
    size_t at = frame(bytes, BINARY, package, 7, 7);
    at += frame(bytes + at, FIRST, package + 7, 30, 30);
    at += frame(bytes + at, PING, "hi", 2, 2);
    at += frame(bytes + at, LAST, package + 37, n - 37, n - 37);
    for (size_t i = 0; i + 1 < at; i++) {
        robo__conn_receive(&c->conn, bytes + i, 1, robo_now(world));
        settle(c);
    }
    send(c, bytes + at - 1, 1);
    assert_int_equal(robo_header_decode(message(c), &header), 0);
    go_away(c);
}

TEST(pings_are_answered)
{
    struct client *c = come_by_websocket();
    send_frame(c, PING, "are you there", 13);
    assert_int_equal((uint8_t)c->got[0], 0x8a);
    assert_memory_equal(c->got + 2, "are you there", 13);
    go_away(c);
}

TEST(frames_that_break_a_rule_close_the_connection)
{
    static const uint8_t unmasked[] = { BINARY, 1, 0 }, reserved[] = { 0xf2, 0x80, 0, 0, 0, 0 },
                         unknown[] = { 0x83, 0x80, 0, 0, 0, 0 },
                         behind_nothing[] = { 0x80, 0x80, 0, 0, 0, 0 },
                         long_ping[140] = { PING, 0xfe, 0, 126 };
    static const struct {
        const uint8_t *bytes;
        size_t n;
    } table[] = { { unmasked, sizeof unmasked },
                  { reserved, sizeof reserved },
                  { unknown, sizeof unknown },
                  { behind_nothing, sizeof behind_nothing } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct client *c = come_by_websocket();
        send(c, table[i].bytes, table[i].n);
        expect_closed(c, 1002);
        go_away(c);
    }
    struct client *c = come_by_websocket();
    send(c, long_ping, sizeof long_ping);
    assert_true(c->conn.closing);
    go_away(c);
    c = come_by_websocket();
    send_frame(c, TEXT, "{}", 2);
    expect_closed(c, 1003);
    go_away(c);
    c = come_by_websocket();
    uint8_t huge[64];
    send(c, huge, frame(huge, BINARY, "x", 1, (1 << 20) + 1));
    expect_closed(c, 1009);
    go_away(c);
    c = come_by_websocket();
    send_frame(c, CLOSE, "\x03\xe8", 2);
    expect_closed(c, 1000);
    go_away(c);
}

TEST(a_panic_waits_for_no_payload)
{
    uint8_t package[ROBO_HEADER_SIZE], bytes[100];
    struct robo_package p;
    struct robo_header header = { .flags = ROBO_FLAG_PANIC, .stamp = ROBO_NO_TIME };
    assert_int_equal(robo_package_begin(&p, package, sizeof package), 0);
    assert_int_equal(robo_package_end(&p, &header), ROBO_HEADER_SIZE);
    struct client *c = come_by_websocket();
    /* a frame of 1000 bytes of which no more than the header has come */
    send(c, bytes, frame(bytes, BINARY, package, sizeof package, 1000));
    assert_true(in_panic());
    go_away(c);
}

TEST(a_client_that_says_nothing_is_closed)
{
    struct client *c = come_by_websocket();
    c->count = 0;
    run_for(21);
    assert_memory_equal(c->got, "\x89\0", 2); /* nor does it answer the ping */
    c->count = 0;
    run_for(10);
    settle(c);
    expect_closed(c, 1000);
    go_away(c);
}

TEST(what_a_server_says_last_comes_in_frames)
{
    uint8_t package[200];
    const size_t n = hello(package, ROBO_ROLE_WATCH);
    struct client *c = come_by_websocket();
    send_frame(c, BINARY, package, n);
    c->count = 0;
    c->conn.protocol->shutdown(c->conn.state, robo_now(world));
    settle(c);
    struct robo_header header;
    const uint8_t *at = message(c);
    assert_int_equal(robo_header_decode(at, &header), 0);
    assert_int_equal(header.type, ROBO_TYPE_NOTICE);
    at += ROBO_HEADER_SIZE + header.size;
    assert_int_equal(at[0], CLOSE);
    assert_int_equal(at[2] << 8 | at[3], 1001);
    go_away(c);
}

TEST(a_token_that_is_listed_no_more_drives_no_more)
{
    static const char token[] =
        "rtk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    uint8_t package[200];
    struct robo__access access = { .listed = true, .open = ROBO_ROLE_WATCH };
    struct robo__access_entry entry = { .name = "anna", .role = ROBO_ROLE_DRIVE };
    assert_true(robo__secret_hash(token, strlen(token), entry.hash));
    assert_true(robo__access_list_add(&access.list, &entry));
    struct client *c = come();
    robo__conn_enter(&c->conn, &access, false);
    expect(c, GOOD "\r\n", "HTTP/1.1 101 ");
    send_frame(c, BINARY, package, greet(package, ROBO_ROLE_DRIVE, token));
    assert_int_equal(c->conn.role, ROBO_ROLE_DRIVE);
    assert_true(robo__conn_may_stay(&c->conn));
    robo__access_list_free(&access.list);
    assert_false(robo__conn_may_stay(&c->conn));
    c->count = 0;
    c->conn.protocol->dismiss(c->conn.state, robo_now(world));
    settle(c);
    struct robo_header header;
    const uint8_t *at = message(c);
    assert_int_equal(robo_header_decode(at, &header), 0);
    at += ROBO_HEADER_SIZE + header.size;
    assert_int_equal(at[0], CLOSE);
    assert_int_equal(at[2] << 8 | at[3], 1008);
    go_away(c);
}

/* Greeted, with nothing to say: it is asked whether it is there, and whoever answers stays. */
TEST(a_silent_client_is_pinged)
{
    uint8_t package[200];
    struct client *c = come_by_websocket();
    send_frame(c, BINARY, package, hello(package, ROBO_ROLE_WATCH));
    for (int i = 0; i < 3; i++) {
        c->count = 0;
        run_for(20.5);
        assert_memory_equal(c->got, "\x89\0", 2);
        send_frame(c, 0x8a, "", 0);
    }
    run_for(39);
    assert_false(c->conn.closing);
    run_for(2);
    assert_true(c->conn.closing);
    assert_string_equal(c->conn.refused, "it does not answer a ping");
    go_away(c);
}

TEST(a_client_that_sends_too_much_is_closed)
{
    uint8_t package[200], header[ROBO_HEADER_SIZE], out[64];
    struct client *c = come_by_websocket();
    send_frame(c, BINARY, package, hello(package, ROBO_ROLE_WATCH));
    for (uint32_t i = 1; i < 10000; i++) { /* with the first, as many as there may be at once */
        struct robo_package p;
        struct robo_header none = { .id = i + 1, .stamp = ROBO_NO_TIME };
        assert_int_equal(robo_package_begin(&p, header, sizeof header), 0);
        robo_package_end(&p, &none);
        send(c, out, frame(out, BINARY, header, sizeof header, sizeof header));
    }
    assert_false(c->conn.closing);
    run_for(1);
    for (int i = 0; i < 10000; i++)
        send_frame(c, PING, "", 0);
    assert_false(c->conn.closing);
    send_frame(c, PING, "", 0);
    expect_closed(c, 1008);
    assert_string_equal(c->got + 4, "it sends more than 10,000 frames a second");
    go_away(c);
}

TEST(one_machine_has_128_websockets)
{
    struct robo__share share = { .clients = 1 };
    struct client *c[130];
    for (int i = 0; i < 130; i++) {
        c[i] = come();
        c[i]->conn.share = &share;
        if (i == 129)
            go_away(c[0]); /* which leaves room for one */
        expect(c[i], GOOD "\r\n", "HTTP/1.1 101 ");
        c[i]->count = 0;
        run_for(0.001);
        if (i == 128)
            expect_closed(c[i], 1013);
        assert_int_equal(c[i]->conn.closing, i == 128);
        if (i == 128)
            go_away(c[i]);
    }
    for (int i = 1; i < 130; i++)
        if (i != 128)
            go_away(c[i]);
    assert_int_equal(share.sockets, 0);
}

/* A client that reads nothing has what it asks for in the connection within, until that has enough of it. */
TEST(a_client_that_does_not_read_is_overrun)
{
    enum { MANY = 200 };
    uint8_t package[200], queries[4000], out[4100];
    struct robo_package p;
    struct client *c = come_by_websocket();
    send_frame(c, BINARY, package, hello(package, ROBO_ROLE_WATCH));
    c->reads = false;
    const struct robo_operation *op = robo_operation_find(robo__queries, ROBO_Q_ROBOT);
    const struct robo_request_robot request = { .index = 0 };
    for (uint32_t id = 2; id < 4000 && !c->conn.holds; id++) {
        struct robo_header header = { .type = ROBO_TYPE_QUERY, .id = id, .stamp = ROBO_NO_TIME };
        assert_int_equal(robo_package_begin(&p, queries, sizeof queries), 0);
        for (uint32_t k = 0; k < MANY; k++)
            assert_int_equal(robo_package_add(&p, ROBO_Q_ROBOT, id * MANY + k, NULL, NULL,
                                              op->request, &request),
                             0);
        const size_t n = (size_t)robo_package_end(&p, &header);
        robo__conn_receive(&c->conn, out, frame(out, BINARY, queries, n, n), robo_now(world));
    }
    assert_true(c->conn.out_count < ROBO__CONN_OUT);
    run_for(31);
    assert_true(c->conn.closing);
    assert_non_null(c->conn.refused);
    go_away(c);
}

/* ---- the page ---- */

TEST(a_browser_gets_a_page_and_others_the_list)
{
    struct client *c = come();
    expect(c, "GET / HTTP/1.1\r\n" H "Accept: text/html,*/*;q=0.8\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n");
    has(c, "frame-ancestors 'none'");
    has(c, "<form method=\"post\" action=\"/rex/stop\">");
    expect(c, "GET / HTTP/1.1\r\n" H "Accept: */*\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type: text/plain");
    expect(c, "GET /robotalk.js HTTP/1.1\r\n" H "\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type: text/javascript");
    expect(c, "GET /rex/state.json HTTP/1.1\r\n" H "\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n");
    has(c, "{\"name\":\"rex\",");
    expect(c, "GET /rex/readings.json HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 ");
    has(c, "\r\n\r\n[]");
    expect(c, "GET /robots.json HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 ");
    expect(c, "GET /metrics HTTP/1.1\r\n" H "\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
    has(c,
        "\n# HELP robotalk_robot_panics_total panics\n# TYPE robotalk_robot_panics_total counter\n"
        "robotalk_robot_panics_total{robot=\"rex\"} 0\n# HELP ");
    expect(c, "GET /max/state.json HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 404 ");
    go_away(c);
}

TEST(a_stop_needs_a_post_of_no_foreign_page)
{
    struct client *c = come();
    expect(c, "GET /rex/panic HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 404 ");
    expect(c,
           "POST /rex/stop HTTP/1.1\r\n" H "Origin: http://localhost\r\nContent-Length: 0\r\n\r\n",
           "HTTP/1.1 303 See Other\r\nLocation: /\r\n");
    expect(c, "POST /max/stop HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 404 ");
    has(c, "there is no such robot; there are: rex");
    expect(c, "POST /rex/jump HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 405 ");
    expect(c, "POST /rex/panic HTTP/1.1\r\n" H "Origin: http://evil.example\r\n\r\n",
           "HTTP/1.1 403 ");
    assert_false(in_panic());
    go_away(c);
    c = come();
    expect(c, "POST /rex/panic HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 303 ");
    assert_true(in_panic());
    go_away(c);
}

TEST(a_link_lets_in_once_for_five_minutes)
{
    static const char secret[] =
        "rtk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    struct robo__access access = { .listed = true };
    struct robo__access_entry entry = {
        .name = "anna", .role = ROBO_ROLE_DRIVE, .is_page = true, .until = time(NULL) + 1000
    };
    char request[200], cookie[300];
    assert_true(robo__secret_hash(secret, strlen(secret), entry.hash));
    assert_true(robo__access_list_add(&access.list, &entry));
    for (int when = 0; when < 6;
         when++) { /* not yet; looked at, which spends nothing, and in time; again, too late */
        static const char *const method[] = { "POST", "HEAD", "GET", "POST", "GET", "POST" };
        static const int until[] = { 1000, 100, 100, 100, 100, -1 };
        snprintf(request, sizeof request, "%s /enter?link=%s HTTP/1.1\r\n" H "\r\n", method[when],
                 secret);
        access.list.entry->until = time(NULL) + until[when];
        struct client *c = come();
        robo__conn_enter(&c->conn, &access, false);
        expect(c, request, when >= 1 && when <= 3 ? "HTTP/1.1 200 " : "HTTP/1.1 401 ");
        assert_true((strstr(c->got, "Set-Cookie") != NULL) == (when == 3));
        assert_true((strstr(c->got, "<form") != NULL) == (when == 2));
        if (when == 3)
            snprintf(cookie, sizeof cookie,
                     "GET /robots.json HTTP/1.1\r\n" H "Cookie: a=b; %.82s\r\n\r\n",
                     strstr(c->got, "robotalk-7077=rtk_"));
        go_away(c);
    }
    struct client *c = come();
    robo__conn_enter(&c->conn, &access, false);
    expect(c, cookie, "HTTP/1.1 200 ");
    assert_int_equal(c->conn.role, ROBO_ROLE_DRIVE);
    expect(c, "GET /robots.json HTTP/1.1\r\n" H "\r\n",
           "HTTP/1.1 401 "); /* each request shows it */
    go_away(c);
    /* the secret itself is no token */
    snprintf(request, sizeof request,
             "GET /robots.json HTTP/1.1\r\n" H "Authorization: Bearer %s\r\n\r\n", secret);
    c = come();
    robo__conn_enter(&c->conn, &access, false);
    expect(c, request, "HTTP/1.1 401 ");
    go_away(c);
    /* nor is the cookie that of another server of this machine */
    c = come_at("rctp://localhost:7078");
    robo__conn_enter(&c->conn, &access, false);
    expect(c, cookie, "HTTP/1.1 401 ");
    go_away(c);
    robo__access_list_free(&access.list);
}

TEST(links_let_in_where_pages_are)
{
    struct robo__access access = { .listed = true };
    const struct robo__access_entry link = { .role = ROBO_ROLE_DRIVE, .is_page = true },
                                    token = { 0 };
    assert_false(robo__access_takes_others(&access, &robo__rctp));
    assert_true(robo__access_list_add(&access.list, &link));
    assert_true(robo__access_takes_others(&access, &robo__rctp));
    assert_false(robo__access_takes_others(&access, &robo__robotalk));
    assert_true(robo__access_list_add(&access.list, &token));
    assert_true(robo__access_takes_others(&access, &robo__robotalk));
    robo__access_list_free(&access.list);
}

/* A link that is not known yet is looked for in the file: it alone is taken over, whoever asks. */
TEST(a_strangers_link_changes_no_list)
{
    static const char *const secret[] = {
        "rtk_0000000000000000000000000000000000000000000000000000000000000000",
        "rtk_1111111111111111111111111111111111111111111111111111111111111111",
    };
    char file[] = "/tmp/robotalk-links-XXXXXX", request[200], hash[2 * ROBO__HASH + 1];
    uint8_t bytes[ROBO__HASH];
    struct robo__access access = { .listed = true, .allow = file };
    struct robo__access_entry entry = { .name = "anna", .role = ROBO_ROLE_DRIVE };
    const int fd = mkstemp(file);
    FILE *list = fdopen(fd, "w");
    assert_non_null(list);
    assert_true(robo__access_list_add(&access.list, &entry)); /* that the file has no more */
    assert_true(robo__secret_hash(secret[1], strlen(secret[1]), bytes));
    robo__secret_write_hash(bytes, hash);
    fprintf(list, "bob drive page %s %lld\nbill operate token %s\n", hash,
            (long long)time(NULL) + 100, hash);
    fclose(list);
    for (int i = 0; i < 2; i++) {
        struct client *c = come();
        robo__conn_enter(&c->conn, &access, false);
        snprintf(request, sizeof request, "POST /enter?link=%s HTTP/1.1\r\n" H "\r\n", secret[i]);
        expect(c, request, i == 0 ? "HTTP/1.1 401 " : "HTTP/1.1 200 ");
        assert_int_equal(access.list.count, 1 + i);
        assert_int_equal(access.list.tokens, 1);
        go_away(c);
        /* it is read again when it has changed, which its time says; a pause would be as good */
        access.changed = (struct timespec){ 0 };
    }
    unlink(file);
    robo__access_list_free(&access.list);
}
