/* Addresses that are WebSockets of messages: which requests they accept, roles, large messages, clients that do not read. */
#include "http_client.h"

#include "../base_robot.h"
#include "drivers.h"
#include "net/access.h"
#include "net/secret.h"

#define H    "Host: localhost\r\n"
#define UP   "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define KEY  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define GOOD "GET /x HTTP/1.1\r\n" H UP KEY

static int open_rex(void **state)
{
    struct robo_description d = base_robot("rex", "sim");
    static struct robo_link link = { .name = "base" };
    const struct robo_options options = virtual_options(1);
    d.links = 1;
    d.link = &link;
    world = robo_open(&options);
    assert_non_null(world);
    assert_int_equal(robo_add_driver(world, &robo_sim_driver), 0);
    assert_int_equal(robo_add(world, &d, NULL), 0);
    robo__host_init(&host, world, NULL);
    return 0;
}

static int close_rex(void **state)
{
    assert_int_equal(atomic_load(&world->memory.used), 0);
    return close_host(state);
}

FIXTURE(open_rex, close_rex);

TEST(requests_are_refused_with_their_reasons)
{
    static const char *const table[][2] = {
        { "GET / HTTP/1.1\r\n" H, "HTTP/1.1 426 " },
        { "POST / HTTP/1.1\r\n" H UP KEY, "HTTP/1.1 400 " },
        { "GET / HTTP/1.1\r\n" H UP "Sec-WebSocket-Version: 13\r\n", "HTTP/1.1 400 " },
        { GOOD "Origin: http://evil.example\r\n", "HTTP/1.1 403 " },
        { GOOD "Origin: null\r\n", "HTTP/1.1 403 " },
        { "GET / HTTP/1.1\r\nHost: evil.example\r\n" UP KEY, "HTTP/1.1 421 " },
        { GOOD "Origin: http://localhost\r\n", "HTTP/1.1 101 " },
        { GOOD, "HTTP/1.1 101 " },
        { "GET /%zz HTTP/1.1\r\n" H UP KEY, "HTTP/1.1 400 " },
        { "drive 1 0 0", "HTTP/1.1 400 " },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct client *c = come_at("rosbridge://localhost");
        char text[600];
        snprintf(text, sizeof text, "%s\r\n", table[i][0]);
        expect(c, text, table[i][1]);
        run_for(2); /* a client that was refused is closed */
        assert_true(c->conn.closing == !strstr(table[i][1], "101"));
        go_away(c);
    }
    struct client *c = come_at("rosbridge://localhost?origin=https://a.example");
    expect(c, GOOD "Origin: https://a.example\r\n\r\n", "HTTP/1.1 101 ");
    go_away(c);
    c = come_at("rosbridge://localhost");
    expect(c, "GET / HTTP/1.1\r\n", "");
    run_for(11);
    settle(c);
    has(c, "HTTP/1.1 408 ");
    go_away(c);
}

/* Of less than 126 bytes. */
static void send_text(struct client *c, const char *text)
{
    const size_t n = strlen(text);
    uint8_t out[200] = { 0x81, (uint8_t)(0x80 | n) };
    assert_true(n < 126);
    memset(c->got, 0, 600);
    c->count = 0;
    memcpy(out + 6, text, n);
    robo__conn_receive(&c->conn, out, 6 + n, robo_now(world));
    settle(c);
}

#define PUBLISH "{\"op\":\"publish\",\"topic\":\"cmd_vel\",\"msg\":{\"linear\":{\"x\":1}}}"
#define CALL(X) "{\"op\":\"call_service\",\"id\":\"1\",\"service\":\"" X "\"}"

TEST(clients_have_their_roles)
{
    static const char token[] =
        "rtk_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    struct robo__access access = { .listed = true };
    struct robo__access_entry entry = { .name = "anna", .role = ROBO_ROLE_WATCH };
    char request[400];
    assert_true(robo__secret_hash(token, strlen(token), entry.hash));
    assert_true(robo__access_list_add(&access.list, &entry));
    struct client *c = come_at("rosbridge://localhost");
    robo__conn_enter(&c->conn, &access, false);
    expect(c, GOOD "\r\n", "HTTP/1.1 401 ");
    go_away(c);
    c = come_at("rosbridge://localhost");
    robo__conn_enter(&c->conn, &access, false);
    snprintf(request, sizeof request, GOOD "Authorization: Bearer %s\r\n\r\n", token);
    expect(c, request, "HTTP/1.1 101 ");
    send_text(c, PUBLISH);
    has(c, "this client may not drive");
    send_text(c, CALL("stop"));
    has(c, "\"success\":true");
    send_text(c, CALL("panic"));
    has(c, "\"success\":true");
    send_text(c, CALL("reset"));
    has(c, "\"success\":false");
    go_away(c);
    robo__access_list_free(&access.list);
}

TEST(a_large_message_closes_the_connection)
{
    struct client *c = come_at("rosbridge://localhost");
    expect(c, GOOD "\r\n", "HTTP/1.1 101 ");
    static const uint8_t head[] = { 0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 'x' };
    c->count = 0;
    robo__conn_receive(&c->conn, head, sizeof head, robo_now(world));
    settle(c);
    assert_int_equal((uint8_t)c->got[0], 0x88);
    assert_int_equal((uint8_t)c->got[2] << 8 | (uint8_t)c->got[3], 1009);
    go_away(c);
    c = come_at("rosbridge://localhost");
    expect(c, GOOD "\r\n", "HTTP/1.1 101 ");
    send_text(c, "\"\xff\"");
    assert_int_equal((uint8_t)c->got[2] << 8 | (uint8_t)c->got[3], 1007);
    go_away(c);
}

/* Data waits for the client; answers do not, and in the end it is dropped. */
TEST(a_client_that_does_not_read_gets_less_and_then_nothing)
{
    struct client *c = come_at("rosbridge://localhost?rate=1000");
    expect(c, GOOD "\r\n", "HTTP/1.1 101 ");
    send_text(c, "{\"op\":\"subscribe\",\"topic\":\"odom\"}");
    c->reads = false;
    run_for(10);
    assert_true(c->conn.out_count < ROBO__CONN_OUT);
    assert_false(c->conn.closing);
    for (int i = 0; i < 60000 && !c->conn.closing; i++)
        send_text(c, CALL("/rosapi/topics"));
    assert_true(c->conn.closing);
    go_away(c);
}

/* One whose link takes a part of what there is, 2 KiB each 25 ms. */
TEST(each_subscription_of_foxglove_gets_messages_by_a_slow_link)
{
    enum { SUBSCRIPTIONS = 24, ROOM = 1 << 20 };
    struct client *c = come_at("foxglove://localhost");
    static uint8_t got[ROOM];
    size_t count = 0;
    bool seen[SUBSCRIPTIONS] = { false };
    unsigned channel = 0;
    char text[100];
    expect(c, GOOD "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n", "HTTP/1.1 101 ");
    run_for(0.2);
    c->got[c->count] = 0;
    for (const char *at = c->got;
         (at = memmem(at, c->count - (size_t)(at - c->got), "{\"id\":", 6)); at++)
        if (memmem(at, 40, "/rex/state\"", 11))
            channel = (unsigned)strtoul(at + 6, NULL, 10);
    assert_true(channel > 0);
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
        snprintf(text, sizeof text,
                 "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":%d,\"channelId\":%u}]}", i,
                 channel);
        send_text(c, text);
    }
    c->reads = false;
    for (int i = 0; i < 400; i++) {
        size_t n;
        const uint8_t *out = robo__conn_output(&c->conn, &n);
        n = n < 2048 ? n : 2048;
        assert_true(count + n <= ROOM);
        if (n > 0)
            memcpy(got + count, out, n);
        count += n;
        robo__conn_written(&c->conn, n);
        run_for(0.025);
    }
    for (size_t at = 0, n; at + 9 < count; at += n) {
        const bool is_long = got[at + 1] == 126;
        n = is_long ? 4 + ((size_t)got[at + 2] << 8 | got[at + 3]) : 2 + (size_t)got[at + 1];
        const uint8_t *payload = got + at + (is_long ? 4 : 2);
        assert_true(got[at + 1] < 127);
        if (at > 1 << 17) /* the first are in memory of the connection */
            seen[payload[1]] = true;
    }
    for (int i = 0; i < SUBSCRIPTIONS; i++)
        assert_true(seen[i]);
    go_away(c);
}

TEST(last_words)
{
    struct client *c = come_at("rosbridge://localhost");
    expect(c, GOOD "\r\n", "HTTP/1.1 101 ");
    c->count = 0;
    c->conn.protocol->shutdown(c->conn.state, robo_now(world));
    settle(c);
    assert_int_equal((uint8_t)c->got[0], 0x88);
    go_away(c);
}
