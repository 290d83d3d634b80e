/* What a client said before it went is heard, whatever the server has to write to it. The loop is turned by hand. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../test.h"
#include "net/server.h"

enum { LONG = 5000 }; /* bytes: more than are read in one turn */

/* ---- the protocol: bytes are counted, and P is a panic ---- */

static struct robo__conn *conn;
static size_t heard, piece;               /* piece: bytes that are worked on at once; 0: all */
static int panics, closed, closed_before; /* closed_before: when a client said B */

static int open_one(void *state, struct robo__conn *fresh, const struct robo__url *url)
{
    conn = fresh;
    robo__conn_greeted(conn);
    return 0;
}

static size_t feed_one(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    conn->halfway = piece > 0 && n > piece;
    if (conn->halfway)
        n = piece;
    for (size_t i = 0; i < n; i++) {
        panics += in[i] == 'P';
        closed_before = in[i] == 'B' ? closed : closed_before;
    }
    heard += n;
    return n;
}

static void close_one(void *state)
{
    closed++;
}

static const struct robo__protocol listening = { .name = "listening",
                                                 .port = 10802,
                                                 .size = 1,
                                                 .open = open_one,
                                                 .feed = feed_one,
                                                 .close = close_one };
static const struct robo__protocol *const protocols[] = { &listening, NULL };

/* ---- the server, and one client that it has heard ---- */

static robo_world *world;
static robo_loop *loop;
static robo_server *server;
static struct robo__url url;
static struct sockaddr_un a;
static int client;

static void step_until_heard(size_t bytes)
{
    while (heard < bytes && !closed)
        robo__loop_step(loop, 1000000000);
}

static void say(const char *bytes, size_t n)
{
    assert_int_equal(send(client, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

static void come(void)
{
    client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client >= 0);
    assert_int_equal(connect(client, (struct sockaddr *)&a, sizeof a), 0);
}

/* As outputs that are due. */
static void server_writes(void)
{
    uint8_t *out = robo__conn_reserve(conn, 3);
    assert_non_null(out);
    memcpy(out, "out", 3);
    robo__conn_commit(conn, 3);
    robo__conn_kick(conn);
}

static int begin(void **state)
{
    char why[256], text[200];
    a = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(a.sun_path, sizeof a.sun_path, "/tmp/robotalk-last-%d.sock", (int)getpid());
    snprintf(text, sizeof text, "listening+unix:%s", a.sun_path);
    heard = piece = 0;
    panics = closed = closed_before = 0;
    world = robo_open(NULL);
    loop = robo_loop_open(world);
    assert_int_equal(robo__url_parse(text, protocols, &url, why), 0);
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), 0);
    come();
    say("x", 1);
    step_until_heard(1);
    return 0;
}

static int end(void **state)
{
    robo_unserve(server);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

/* ---- tests ---- */

FIXTURE(begin, end);

TEST(a_last_word_is_heard_though_a_write_fails_before)
{
    say("P", 1);
    close(client);
    server_writes();
    step_until_heard(2);
    assert_int_equal(panics, 1);
    while (!closed)
        robo__loop_step(loop, 1000000000);
}

TEST(a_last_word_behind_much_else_is_heard_too)
{
    char bytes[LONG];
    memset(bytes, 'x', sizeof bytes);
    bytes[LONG - 1] = 'P';
    say(bytes, sizeof bytes);
    close(client);
    server_writes();
    while (!closed) {
        server_writes(); /* also between its turns */
        robo__loop_step(loop, 1000000000);
    }
    assert_int_equal(panics, 1);
    assert_int_equal(heard, 1 + LONG);
}

TEST(a_last_word_that_waits_for_its_turn_is_heard_though_a_write_fails)
{
    char bytes[100];
    memset(bytes, 'x', sizeof bytes);
    bytes[99] = 'P';
    piece = 10;
    say(bytes, sizeof bytes);
    step_until_heard(11);
    close(client);
    while (!closed) {
        server_writes();
        robo__loop_step(loop, 1000000000);
    }
    assert_int_equal(panics, 1);
}

/* All of this waits when the server has its turn. */
static void go_and_come_again(void)
{
    close(client);
    come();
    say("B", 1);
    while (heard == 0 || !closed)
        robo__loop_step(loop, 1000000000);
    assert_int_equal(closed_before, 1);
    close(client);
}

TEST(who_comes_again_at_once_finds_that_it_has_gone)
{
    for (int i = 0; i < 2; i++) /* nothing is ready: what is first is told first */
        robo__loop_step(loop, 0);
    heard = 0;
    go_and_come_again();
}

TEST(and_so_it_does_when_it_said_something_before)
{
    say("x", 1);
    heard = 0;
    go_and_come_again();
}
