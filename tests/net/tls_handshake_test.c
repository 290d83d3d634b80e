/* Handshakes that stall, flood, or are none. */
#include "tls_served.h"
#include "robot/world/inside.h"

FIXTURE(begin, end);

TEST(handshakes_that_stall_delay_nobody)
{
    enum { STALLED = 200 };
    struct served s;
    char why[256];
    int fd[STALLED];
    serve(&s, SERVER);
    robo_client *c = connect_by(&s, "robotalk+tls", TRUST, why);
    assert_non_null(c);
    int64_t session = open_session(c);
    for (int i = 0; i < STALLED; i++) {
        fd[i] = dial_plain(&s);
        size_t n = (size_t)i % (sizeof HELLO + 1); /* nothing, and up to all of that */
        assert_int_equal(send(fd[i], HELLO, n, MSG_NOSIGNAL), n);
        command(c, session);
    }
    EVENTUALLY(robo_server_connections(s.server) == STALLED + 1);
    for (int i = 0; i < 100; i++)
        command(c, session);
    for (int i = 0; i < STALLED; i++)
        close(fd[i]);
    EVENTUALLY(robo_server_connections(s.server) == 1);
    command(c, session);
    /* a line a second, whose counts are those of all */
    EVENTUALLY(complaints("before the handshake was done") == STALLED);
    robo_disconnect(c);
    serve_no_more(&s);
}

/* Behind a good handshake, or without TLS where a token is asked for. */
TEST(what_is_no_greeting_is_told_in_the_log)
{
    static const char nonsense[64] =
        "There once was a robot who had no name, and would not say so.";
    struct served s;
    char text[512], path[256];
    uint8_t byte;
    allow("anna's", NULL, false);
    serve(&s, join(text, SERVER, ALLOW));
    struct robo__tls *tls = dial(&s, TRUST);
    assert_int_equal(robo__tls_write(tls, (const uint8_t *)nonsense, sizeof nonsense),
                     sizeof nonsense);
    while (hear(tls, &byte, 1) > 0)
        ;
    robo__tls_close(tls);
    EVENTUALLY(complaints("what it says is no greeting") == 1);
    serve_no_more(&s);
    serve(&s, "robotalk://127.0.0.1:0?allow=%/allow");
    int fd = dial_plain(&s);
    assert_int_equal(send(fd, nonsense, sizeof nonsense, MSG_NOSIGNAL), sizeof nonsense);
    await_end(fd);
    EVENTUALLY(complaints("what it says is no greeting") == 2);
    serve_no_more(&s);
    snprintf(path, sizeof path, "%s/allow", folder);
    unlink(path);
}

TEST(who_finds_no_room_is_told_in_the_log)
{
    const struct robo_serve_options one = { .size = sizeof one, .most = 1 };
    struct served s;
    serve_with(&s, SERVER, &one);
    int first = dial_plain(&s);
    EVENTUALLY(robo_server_connections(s.server) == 1);
    await_end(dial_plain(&s));
    EVENTUALLY(complaints("there is no room for more clients") == 1);
    close(first);
    serve_no_more(&s);
}

/* Handshakes, and greetings behind them, that do not end: bounded memory, and there is room for others. */
TEST(a_thousand_that_stall_keep_nobody_out)
{
    enum { THOUSAND = 1000 };
    struct served s;
    char why[256], text[512], path[256];
    int fd[THOUSAND + 1];
    struct robo__tls *silent[ROBO__UNAUTHENTICATED / 4];
    allow("anna's", NULL, false);
    serve(&s, join(text, SERVER, ALLOW));
    robo_client *c = connect_with(&s, TRUST, "anna's", why);
    assert_non_null(c);
    int64_t session = open_session(c);
    for (int i = 0; i < ROBO__UNAUTHENTICATED / 4; i++)
        silent[i] = dial(&s, TRUST);
    size_t used = world->memory.used;
    for (int i = 0; i < THOUSAND; i++) {
        fd[i] = dial_plain(&s);
        send(fd[i], HELLO, (size_t)i % (sizeof HELLO + 1), MSG_NOSIGNAL);
        if (i % 100 == 99) {
            command(c, session);
            robo_client *other = connect_with(&s, TRUST, "anna's", why);
            if (!other)
                fail_msg("%s", why);
            assert_true(open_session(other) > 0);
            robo_disconnect(other);
        }
    }
    /* the last of the others was a stranger for a while, and left a place */
    fd[THOUSAND] = dial_plain(&s);
    EVENTUALLY(robo_server_connections(s.server) == ROBO__UNAUTHENTICATED + 1);
    assert_in_range(world->memory.used, 0, used + (size_t)ROBO__UNAUTHENTICATED * (1 << 17));
    command(c, session); /* who was let in stays */
    for (int i = 0; i <= THOUSAND; i++)
        close(fd[i]);
    for (int i = 0; i < ROBO__UNAUTHENTICATED / 4; i++)
        robo__tls_close(silent[i]);
    EVENTUALLY(robo_server_connections(s.server) == 1);
    assert_in_range(logged("is dropped"), 1, 60); /* lines of the log: one a second */
    robo_disconnect(c);
    serve_no_more(&s);
    snprintf(path, sizeof path, "%s/allow", folder);
    unlink(path);
}

TEST(a_handshake_may_take_as_long_as_a_greeting)
{
    struct served s;
    serve(&s, "hasty+tls://127.0.0.1:0?cert=%/server.pem&key=%/server.key");
    int fd = dial_plain(&s);
    assert_int_equal(send(fd, HELLO, sizeof HELLO, MSG_NOSIGNAL), sizeof HELLO);
    await_end(fd);
    EVENTUALLY(logged("127.0.0.1:") == 1 && logged("it has not finished its handshake") == 1);
    serve_no_more(&s);
}

TEST(who_floods_or_talks_nonsense_is_dropped)
{
    static uint8_t nonsense[1 << 17];
    struct served s;
    serve(&s, SERVER);
    memset(nonsense, 'x', sizeof nonsense);
    int fd = dial_plain(&s);
    send(fd, nonsense, 100, MSG_NOSIGNAL);
    await_end(fd);
    EVENTUALLY(logged("is dropped: TLS is not spoken there") == 1);
    /* records that go on and on: their headers are good */
    for (size_t at = 0; at + sizeof HELLO <= sizeof nonsense; at += 5 + 0x4000)
        memcpy(nonsense + at, HELLO, sizeof HELLO);
    fd = dial_plain(&s);
    send(fd, nonsense, sizeof nonsense, MSG_NOSIGNAL);
    await_end(fd);
    EVENTUALLY(logged(" is dropped: ") == 2);
    assert_int_equal(logged("127.0.0.1:"), 2);
    EVENTUALLY(robo_server_connections(s.server) == 0);
    serve_no_more(&s);
}
