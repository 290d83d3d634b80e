/* A server's connection of RCTP: the greeting by HTTP, and one robot between clients of two protocols. Who is let in:
 * rctp_access_test.c. What each reply of the negotiation says: rctp_negotiation_test.c; how requests are read:
 * http_request_test.c. */
#include "session_peer.h"

#include "http_client.h"
#include "net/access.h"

#define H "Host: localhost\r\n"

/* ---- the greeting ---- */

FIXTURE(enter, leave);

TEST(a_robot_s_file_is_got)
{
    struct client *c = come();
    expect(c, "GET / HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/plain");
    has(c, "\r\n\r\n/r.wrl\n/r.glb\n");
    expect(c, "GET /r.wrl HTTP/1.1\r\nHost: localhost:7077\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type: model/vrml\r\n");
    has(c, "\r\n\r\n#VRML V2.0 utf8\n");
    has(c, "\"rctp://localhost:7077/r\"");
    const char *length = strstr(c->got, "Content-Length: ");
    assert_non_null(length);
    const size_t size = strtoul(length + 16, NULL, 10);
    has(c, "\r\n\r\n");
    assert_int_equal(strlen(strstr(c->got, "\r\n\r\n") + 4), size);
    assert_false(c->conn.closing);
    /* what HEAD tells is the same, without the file */
    expect(c, "HEAD /r.wrl HTTP/1.1\r\nHost: localhost:7077\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    has(c, "Content-Length: ");
    assert_int_equal(strtoul(strstr(c->got, "Content-Length: ") + 16, NULL, 10), size);
    assert_string_equal(strstr(c->got, "\r\n\r\n"), "\r\n\r\n");
    expect(c, "GET /R.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 404 Not Found\r\n");
    expect(c, "GET /.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 404 Not Found\r\n");
    expect(c, "GET /r HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 404 Not Found\r\n");
    assert_false(c->conn.closing);
    expect(c, "GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    assert_true(c->conn.closing);
    go_away(c);
}

TEST(a_file_is_written_once_for_all_who_ask_for_the_same)
{
    const struct robo__text_cache *texts = &host.texts;
    const uint64_t before = texts->added;
    struct client *one = come(), *other = come();
    for (int i = 0; i < 20; i++) {
        expect(one, "HEAD /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
        expect(other, "GET /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
    }
    assert_int_equal(texts->added, before + 1);
    /* what it says of its place, or of how commands come, is another file */
    expect(one, "GET /r.wrl HTTP/1.1\r\nHost: localhost:7077\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    assert_int_equal(texts->added, before + 2);
    static const char *const addresses[] = {
        "rctp://localhost/r?mask",     "rctp://localhost/r?lock",
        "rctp://localhost/r?stamp=4",  "rctp://localhost/r?event",
        "rctp://localhost/r?unit=0.1", "rctp://localhost/r?least=0&most=9"
    };
    for (unsigned i = 0; i < 6; i++) {
        struct client *c = come_at(addresses[i]);
        expect(c, "HEAD /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
        assert_int_equal(texts->added, before + 3 + i);
        go_away(c);
    }
    /* eight are kept, and the first one was asked for longer ago than the others when the ninth comes */
    expect(one, "GET /r.wrl HTTP/1.1\r\nHost: localhost:1\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    expect(one, "HEAD /r.wrl HTTP/1.1\r\nHost: localhost:7077\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    assert_int_equal(texts->added, before + 9);
    expect(one, "HEAD /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
    assert_int_equal(texts->added, before + 10);
    go_away(one), go_away(other);
}

TEST(a_robot_that_is_described_anew_has_another_file)
{
    struct client *c = come();
    expect(c, "GET /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
    const uint64_t before = host.texts.added;
    struct robo_description d = make_description("r", false);
    strcpy(d.dof[3].name, "squeeze");
    assert_int_equal(robo_reload(robot, &d, NULL), 0);
    expect(c, "HEAD /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
    assert_int_equal(host.texts.added, before + 1);
    go_away(c);
}

TEST(a_file_that_is_kept_is_charged_once)
{
    struct client *c[50];
    for (int i = 0; i < 50; i++) {
        c[i] = come();
        c[i]->reads = false;
    }
    ask(c[0], "GET /r.wrl HTTP/1.1\r\n" H "\r\n");
    const size_t one = atomic_load(&world->memory.used);
    for (int i = 1; i < 50; i++)
        ask(c[i], "GET /r.wrl HTTP/1.1\r\n" H "\r\n");
    /* each has the begin of the file in its buffer, of which the rest is charged only */
    size_t buffers = 0;
    for (int i = 1; i < 50; i++)
        buffers += c[i]->conn.memory;
    assert_int_equal(atomic_load(&world->memory.used), one + buffers);
    for (int i = 0; i < 50; i++)
        go_away(c[i]);
}

TEST(requests_wait_for_the_replies_before_them)
{
    struct client *c = come();
    ask(c, "GET /r.wrl HTTP/1.1\r\n" H "\r\nHEAD / HTTP/1.1\r\n" H "\r\nASSIGN arm RCTP/1.0\r\n\r\n"
           "GET /nothing RCTP/1.0\r\n\r\n");
    static const char *const replies[] = { "#VRML", "HTTP/1.1 200 OK\r\n",
                                           "RCTP/1.0 201 OK\r\nID: 1\r\n",
                                           "RCTP/1.0 404 Not Found\r\n" };
    const char *at = c->got;
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
        at = strstr(at, replies[i]);
        assert_non_null(at);
    }
    go_away(c);
}

TEST(a_client_that_does_not_read_has_one_file_at_a_time)
{
    struct client *c = come();
    c->reads = false;
    const size_t before = atomic_load(&world->memory.used);
    for (int i = 0; i < 100; i++)
        ask(c, "GET /r.wrl HTTP/1.1\r\n" H "\r\n");
    const size_t kept = host.texts.entry[0].text->size; /* for others, once */
    /* what is under way, the file itself, and the requests behind it */
    assert_true(c->conn.out_count < 1 << 16);
    run_for(31);
    run_for(31);
    assert_true(c->conn.closing);
    assert_int_equal(c->conn.out_count, 0);
    go_away(c);
    assert_int_equal(atomic_load(&world->memory.used), before + kept);
}

TEST(a_slow_download_is_no_slow_request)
{
    struct client *c = come();
    c->reads = false;
    ask(c, "GET /r.wrl HTTP/1.1\r\n" H "\r\n");
    for (int i = 0; i < 3; i++) { /* a piece every 20 s */
        run_for(20);
        c->reads = i == 2;
        robo__conn_written(&c->conn, c->conn.out_count / 2);
        robo__conn_resume(&c->conn, robo_now(world));
    }
    settle(c);
    assert_false(c->conn.closing);
    run_for(29);
    expect(c, "GET / HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
    go_away(c);
}

TEST(http_is_answered_in_http)
{
    struct client *c = come();
    expect(c, "OPTIONS * HTTP/1.1\r\n" H "\r\n",
           "HTTP/1.1 204 No Content\r\nAllow: GET, HEAD, OPTIONS, POST\r\n");
    assert_null(strstr(c->got, "Content-Length"));
    expect(c, "DELETE /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 405 Method Not Allowed\r\nAllow: ");
    has(c, "\r\n\r\nfiles are got by GET, robots are stopped by POST, and nothing else\n");
    expect(c, "GET /r HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 404 Not Found\r\n");
    has(c, "\r\n\r\nthere is nothing here: did you mean /r.wrl?\n");
    expect(c, "POST / HTTP/1.1\r\n" H "Content-Length: 24\r\n\r\nASSIGN base RCTP/1.0\r\n\r\n",
           "HTTP/1.1 405 Method Not Allowed\r\n");
    assert_null(strstr(c->got, "RCTP"));
    expect(c, "ASSIGN base HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 505 ");
    expect(c, "GET / RCTP/1.0\r\n\r\n", "RCTP/1.0 200 OK\r\n");
    go_away(c);
}

/* ---- the negotiation ---- */

TEST(the_paper_s_conversation_moves_a_robot)
{
    struct client *c = come();
    expect(c, "GET /r.wrl HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 OK\r\n");
    expect(c, "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\nID: 1\r\nCurrent Value: 0 0\r\n");
    expect(c, "ASSIGN arm RCTP/1.0\r\n\r\n",
           "RCTP/1.0 201 OK\r\nID: 2\r\nCurrent Value: 0 0 0\r\n");
    expect(c, "ASSIGN base RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\nID: 1\r\n");
    /* the live session begins with the byte behind the empty line: a frame with base x 0.5 m/s, theta 0 */
    static const char live[] = "GO RCTP/1.0\r\n\r\n\0\x09\1\x3f\0\0\0\0\0\0\0";
    c->count = 0;
    robo__conn_receive(&c->conn, (const uint8_t *)live, sizeof live - 1, robo_now(world));
    settle(c);
    assert_memory_equal(c->got, "RCTP/1.0 201 OK\r\n", 17);
    assert_int_equal(heard(ROBO_SET_SPEED), 1);
    assert_true(heard_log[heard_count - 1].x == 0.5);
    /* with its end the robot stops, and is free */
    go_away(c);
    assert_true(heard(ROBO_STOP) > 0);
    expect_told(p, peer_cmd(p, set_speed(0, 0.1)), ROBO_SUCCESS, ROBO_WHY_NONE);
}

TEST(a_client_of_another_protocol_is_in_the_way)
{
    struct client *c = come();
    expect_told(p, peer_cmd(p, set_speed(0, 0.1)), ROBO_SUCCESS, ROBO_WHY_NONE);
    expect(c, "ASSIGN arm RCTP/1.0\r\n\r\n", "RCTP/1.0 409 Busy\r\n");
    has(c, "\r\nHolder: test 1\r\n");
    has(c, "\r\nWatch: yes\r\n");
    /* but he may look on */
    expect(c, "ASSIGN base_state RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    has(c, "\r\nMode: watch\r\n");
    peer_cmd(p, set_speed(0, 0));
    run_for(6); /* the lease is over 5 s after its last use */
    go_away(c);
    c = come();
    expect(c, "ASSIGN arm RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    expect_told(p, peer_cmd(p, joint_speed(1, 1, 0.1)), ROBO_BUSY, ROBO_WHY_LEASE);
    struct client *other = come();
    expect(other, "ASSIGN gripper RCTP/1.0\r\n\r\n", "RCTP/1.0 409 Busy\r\n");
    has(other, "\r\nRetry-After: ");
    go_away(other);
    expect(c, "RELEASE arm RCTP/1.0\r\n\r\n", "RCTP/1.0 200 OK\r\n");
    expect_told(p, peer_cmd(p, joint_speed(1, 1, 0.1)), ROBO_SUCCESS, ROBO_WHY_NONE);
    go_away(c);
}

TEST(a_panic_is_told)
{
    struct client *c = come();
    robo_panic(robot);
    expect(c, "ASSIGN arm RCTP/1.0\r\n\r\n", "RCTP/1.0 503 Service Unavailable\r\n");
    has(c, "\r\nPanic: yes\r\n");
    robo_reset(robot);
    expect(c, "ASSIGN arm RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    go_away(c);
}

TEST(a_server_that_closes_says_so_to_live_sessions)
{
    static const char text[] = "closes: the server is closing";
    struct client *c = come();
    ask(c, "ASSIGN arm RCTP/1.0\r\n\r\nGO RCTP/1.0\r\n\r\n");
    c->count = 0;
    c->conn.protocol->shutdown(c->conn.state, robo_now(world));
    settle(c);
    /* a frame with 255, subject 0, 503 (01F7), the length of the text, and the text */
    assert_int_equal(c->count, 2 + 6 + sizeof text - 1);
    assert_memory_equal(c->got, "\0\x23\xff\0\x01\xf7\0\x1d", 8);
    assert_memory_equal(c->got + 8, text, sizeof text - 1);
    go_away(c);
}

TEST(an_address_says_how_commands_come)
{
    struct client *c = come_at("rctp://localhost/r?stamp=4&unit=0.001&mask");
    expect(c, "GET /r.wrl HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n");
    has(c, "time_stamp_size 4");
    has(c, "data_mask TRUE");
    go_away(c);
    c = come_at("rctp://localhost/r?lock&event&least=20&most=500&mask");
    expect(c, "ASSIGN arm RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    has(c, "\r\nLayout: 3f stamp=0 mask=yes\r\nCommand-Interval: 20 500\r\nCommand-Mode: event\r\n"
           "Control-Lock: yes\r\nDeadman-ms: 500\r\n\r\n");
    expect(c, "ASSIGN arm_state RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    assert_null(strstr(c->got, "Command-")); /* an output has no such rules */
    expect(c, "ASSIGN command RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    has(c, "\r\nLayout: text stamp=0 mask=no\r\n\r\n"); /* a text has no mask */
    go_away(c);
    c = come_at("rctp://localhost/r?unit=0.001");
    expect(c, "ASSIGN arm RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\n");
    expect(c, "GO RCTP/1.0\r\n\r\n", "RCTP/1.0 201 OK\r\nTime-Unit-ms: 1\r\n");
    go_away(c);
}

TEST(options_that_do_not_go_together_are_refused)
{
    static const char *const bad[] = { "stamp=1",        "stamp=9",         "stamp=2.5",
                                       "stamp=-2",       "unit=0",          "least=5",
                                       "most=5",         "least=10&most=5", "least=-5&most=5",
                                       "stamp=4&unit=x", "lock=1",          "stamp=2&unit=0.0003" };
    static const char *const good[] = { "stamp=8",
                                        "least=0&most=0",
                                        "least=10&most=100&event",
                                        "lock&mask&unit=0.000001",
                                        "stamp=2&unit=0.00031",
                                        "stamp=4&unit=0.000001" };
    char text[100], why[256];
    struct robo__url url;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "rctp://localhost/r?%s", bad[i]);
        assert_int_equal(robo__url_parse(text, robo__protocols, &url, why), ROBO_EURL);
        assert_string_not_equal(why, "");
    }
    assert_int_equal(robo__url_parse("rctp://localhost/r?least=5", robo__protocols, &url, why),
                     ROBO_EURL);
    assert_string_equal(why, "least and most stand together: expected both, in ms");
    assert_int_equal(
        robo__url_parse("rctp://localhost/r?stamp=2&unit=1e-6", robo__protocols, &url, why),
        ROBO_EURL);
    assert_string_equal(
        why, "time stamps would wrap within 20 s: expected a greater unit, or a greater stamp");
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        snprintf(text, sizeof text, "rctp+local:r?%s", good[i]);
        assert_int_equal(robo__url_parse(text, robo__protocols, &url, why), 0);
    }
}
