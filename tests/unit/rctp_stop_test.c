/* A stop in a live session of RCTP acts whatever else there is: also while its client leaves much unread. */
#include "session_peer.h"

#include "http_client.h"

static void say(struct client *c, const char *bytes, size_t n)
{
    robo__conn_receive(&c->conn, (const uint8_t *)bytes, n, robo_now(world));
    settle(c);
}

TEST(a_stop_acts_while_its_client_does_not_read, enter, leave)
{
    struct client *c = come();
    expect(c, "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\nID: 1\r\n");
    expect(c, "ASSIGN command RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\nID: 2\r\n");
    expect(c, "GO RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    c->reads = false;
    say(c, "\0\x09\1\x3f\0\0\0\0\0\0\0", 11);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    for (int i = 0; i < 20000; i++)
        say(c, "\0\1\x63", 3); /* each is answered 404, as long as there is room */
    assert_true(robo__conn_full(&c->conn));
    say(c, "\0\x09\2\0\0\0\4stop", 11);
    assert_true(heard(ROBO_STOP) > 0);
    assert_false(c->conn.closing);
    go_away(c);
}
