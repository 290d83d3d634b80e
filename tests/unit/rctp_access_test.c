/* A server's connection of RCTP: who is let in, who is refused, and what is slow. */
#include "session_peer.h"

#include "http_client.h"
#include "net/access.h"

#define H "Host: localhost\r\n"

/* Refused with that, and closed a second later; what it says meanwhile is dropped. */
static void expect_refused(const char *request, const char *begin)
{
    struct client *c = come();
    expect(c, request, begin);
    expect(c, "ASSIGN base RCTP/1.0\r\n\r\nGO RCTP/1.0\r\n\r\n", "");
    assert_string_equal(c->got, "");
    assert_false(c->conn.closing);
    run_for(1.1);
    assert_true(c->conn.closing);
    go_away(c);
}

FIXTURE(enter, leave);

TEST(abuse_is_refused_and_the_connection_closed)
{
    static char much[20000];
    memset(much, 'a', sizeof much - 1);
    expect_refused("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ");
    expect_refused("GET / HTTP/1.1\r\n" H "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                   "HTTP/1.1 400 ");
    expect_refused("GET / HTTP/1.1\r\n" H "Content-Length: 65537\r\n\r\n", "HTTP/1.1 413 ");
    expect_refused("GET / HTTP/1.1\r\n" H "Transfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 501 ");
    expect_refused("GET /.. HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 400 ");
    expect_refused("POST / HTTP/1.1\r\n" H "Content-Length: 1\r\nExpect: 100-continue\r\n\r\n",
                   "HTTP/1.1 417 ");
    expect_refused("GET / HTTP/2.0\r\n\r\n", "HTTP/1.1 505 ");
    expect_refused("GO RCTP/2.0\r\n\r\n", "HTTP/1.1 505 ");
    expect_refused("GO RCTP/1.0\r\nX : y\r\n\r\n", "RCTP/1.0 400 ");
    expect_refused("ASSIGN a RCTP/1.0\r\nContent-Length: 1\r\n\r\n", "RCTP/1.0 400 ");
    expect_refused(much, "HTTP/1.1 414 ");
    memcpy(much, "GET / HTTP/1.1\r\n", 16);
    expect_refused(much, "HTTP/1.1 431 ");
    memcpy(much, "GO RCTP/1.0\r\n   ", 16);
    expect_refused(much, "RCTP/1.0 400 ");
}

TEST(pages_of_other_servers_are_not_let_in)
{
    expect_refused("GET /r.wrl HTTP/1.1\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 421 ");
    expect_refused("GET /r.wrl HTTP/1.1\r\n" H "Origin: http://evil.example\r\n\r\n",
                   "HTTP/1.1 403 ");
    expect_refused("ASSIGN base RCTP/1.0\r\nHost: evil.example\r\n\r\n", "RCTP/1.0 421 ");
    /* and the log says why */
    struct client *c = come();
    ask(c, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert_string_equal(c->conn.refused, "it asks for a name that is none of this server's");
    go_away(c);
    c = come();
    ask(c, "GET / HTTP/1.1\r\n" H "Origin: http://evil.example\r\n\r\n");
    assert_string_equal(c->conn.refused,
                        "a page in a browser asks, which is none of this server's");
    go_away(c);
}

TEST(slow_clients_are_told_and_closed)
{
    static const struct {
        const char *text, *expected;
        double due;
    } table[] = {
        { "", "HTTP/1.1 408 ", 30 },
        { "GET / HT", "HTTP/1.1 408 ", 10 },
        { "GET / HTTP/1.1\r\nHost: localhost\r\n", "HTTP/1.1 408 ", 10 },
        { "ASSIGN base RCTP/1.0\r\n", "RCTP/1.0 408 ", 10 },
        { "GO RCTP/1.0\r\n", "RCTP/1.0 408 ", 2 }, /* without the empty line */
        { "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 408 ", 10 },
        { "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 408 ", 30 },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct client *c = come();
        ask(c, table[i].text);
        c->count = 0;
        run_for(table[i].due - 0.01);
        assert_int_equal(c->count, 0);
        run_for(0.02);
        if (table[i]
                .text[0]) /* who has said nothing for 30 s has not greeted, and is closed at once */
            assert_memory_equal(c->got, table[i].expected, strlen(table[i].expected));
        run_for(1.1);
        assert_true(c->conn.closing);
        go_away(c);
    }
}

TEST(a_negotiation_ends_after_a_minute)
{
    struct client *c = come();
    const double begin = (double)robo_now(world) / 1e9;
    for (int i = 0; i < 60; i += 5) {
        expect(c, "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
        c->count = 0;
        run_until(begin + i + 4.9);
        assert_int_equal(c->count, 0);
    }
    run_until(begin + 60.1);
    assert_memory_equal(c->got, "RCTP/1.0 408 ", 13);
    run_for(1.1);
    assert_true(c->conn.closing);
    go_away(c);
}

TEST(a_negotiation_ends_also_while_a_file_goes_out)
{
    struct client *c = come(), *other = come();
    expect(c, "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    run_for(8);
    c->reads = false;
    ask(c, "GET /r.wrl HTTP/1.1\r\n" H "\r\n");
    for (int i = 0; i < 5; i++) { /* a little every 9.9 s, which is often enough for a file alone */
        assert_false(c->conn.closing);
        expect(other, "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 409 ");
        run_for(9.9);
        robo__conn_written(&c->conn, 100);
    }
    run_for(2.6); /* 60.1 s */
    assert_true(c->conn.closing);
    go_away(c);
    go_away(other);
}

/* ---- tokens ---- */

static struct client *come_by(struct robo__access *access)
{
    struct client *c = come();
    robo__conn_enter(&c->conn, access, true);
    return c;
}

static void add_entry(struct robo__access *access, const char *token, uint8_t role)
{
    struct robo__access_entry entry = { .name = "entry", .role = role };
    assert_true(robo__secret_hash(token, strlen(token), entry.hash));
    assert_true(robo__access_list_add(&access->list, &entry));
}

TEST(nothing_acts_before_a_listed_token)
{
    static const char assign[] = "ASSIGN base RCTP/1.0\r\nAuthorization: %s\r\n\r\n";
    static const struct {
        const char *said, *expected;
    } table[] = { { "Bearer rtk_drive", "RCTP/1.0 201 OK\r\n" },
                  { "bearer rtk_drive", "RCTP/1.0 201 OK\r\n" },
                  { "Bearer rtk_watch", "RCTP/1.0 403 " },
                  { "Bearer rtk_wrong", "RCTP/1.0 401 " },
                  { "Bearer ", "RCTP/1.0 401 " },
                  { "Basic rtk_drive", "RCTP/1.0 401 " },
                  { "rtk_drive", "RCTP/1.0 401 " } };
    struct robo__access access = { .listed = true };
    add_entry(&access, "rtk_drive", ROBO_ROLE_DRIVE);
    add_entry(&access, "rtk_watch", ROBO_ROLE_WATCH);
    add_entry(&access, "-", ROBO_ROLE_DRIVE); /* no word stands for no token */
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[200];
        struct client *c = come_by(&access);
        snprintf(text, sizeof text, assign, table[i].said);
        expect(c, text, table[i].expected);
        go_away(c);
    }
    struct client *c = come_by(&access);
    const uint32_t sessions = robot->movers.count;
    expect(c, "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 401 ");
    has(c, "\r\nWWW-Authenticate: Bearer\r\n");
    assert_int_equal(robot->movers.count, sessions);
    assert_int_equal(c->conn.role, 0);
    go_away(c);
    c = come_by(&access);
    expect(c, "GET /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 401 Unauthorized\r\n");
    has(c, "\r\nWWW-Authenticate: Bearer\r\n");
    has(c,
        "\r\n\r\nthe server wants a token: Authorization: Bearer TOKEN; or, for a page, a link: robotalk keys page\n");
    assert_null(strstr(c->got, "VRML"));
    go_away(c);
    robo__access_close(&access);
}

#define GET(token) "GET /r.wrl HTTP/1.1\r\n" H token "\r\n"
#define DRIVE      "Authorization: Bearer rtk_drive\r\n"
#define WATCH      "Authorization: Bearer rtk_watch\r\n"

/* As when a proxy has one connection for many clients. */
TEST(each_request_is_judged_by_its_own_token)
{
    static const struct {
        const char *first, *second, *expected;
    } table[] = {
        { GET(DRIVE), GET(), "HTTP/1.1 401 " },
        { GET(DRIVE), GET("Authorization: Bearer rtk_wrong\r\n"), "HTTP/1.1 401 " },
        { GET(DRIVE), GET("Authorization: Basic x\r\n"), "HTTP/1.1 401 " },
        { GET(DRIVE), GET(WATCH), "HTTP/1.1 200 " },
        { GET(DRIVE), "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 401 " },
        { GET(DRIVE), "ASSIGN base RCTP/1.0\r\n" WATCH "\r\n", "RCTP/1.0 403 " },
        { GET(WATCH), "ASSIGN base RCTP/1.0\r\n" DRIVE "\r\n", "RCTP/1.0 201 " },
        { "ASSIGN base RCTP/1.0\r\n" DRIVE "\r\n", "GO RCTP/1.0\r\n\r\n", "RCTP/1.0 401 " },
        { "ASSIGN base RCTP/1.0\r\n" DRIVE "\r\n", "GO RCTP/1.0\r\n" WATCH "\r\n",
          "RCTP/1.0 401 " },
        { "ASSIGN base RCTP/1.0\r\n" DRIVE "\r\n", "GO RCTP/1.0\r\n" DRIVE "\r\n",
          "RCTP/1.0 201 " },
        { "ASSIGN base_state RCTP/1.0\r\n" WATCH "\r\n", "ASSIGN base RCTP/1.0\r\n" DRIVE "\r\n",
          "RCTP/1.0 401 " },
    };
    struct robo__access access = { .listed = true };
    add_entry(&access, "rtk_drive", ROBO_ROLE_DRIVE);
    add_entry(&access, "rtk_watch", ROBO_ROLE_WATCH);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct client *c = come_by(&access);
        ask(c, table[i].first);
        assert_memory_equal(c->got + 9, "20", 2);
        expect(c, table[i].second, table[i].expected);
        go_away(c);
    }
    robo__access_close(&access);
}
