/* Turns of a server's clients: who is new or seldom heard is not behind those that flood, and those get all of theirs. The
 * loop is turned by hand, and the protocol only counts; nothing here measures time. */
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "net/server.h"

enum { FLOODERS = 200, BYTES = 32768 };

/* ---- the protocol: whoever says P first is noted, and everything is counted ---- */

static robo_world *world;
static size_t fed, said, before_p; /* said: fed so far when P was */
static int heard, panics, closed;  /* heard: clients that have had a turn */
static int speaker = -1;           /* who says P in the middle of a turn of the loop, once */
static int speaks_at;              /* when so many have been heard */
static robo_time work;             /* that a turn takes at least */
static size_t request;             /* bytes that are worked on at once; 0: all */
static struct robo__conn *newest;
static bool goes_on; /* what is left then is the newest one's, which is halfway */

static int open_count(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    newest = conn;
    robo__conn_greeted(conn);
    return 0;
}

static size_t feed_count(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    bool *was_heard = state;
    if (goes_on)
        newest->halfway = request > 0 && n > request;
    if (request > 0 && n > request)
        n = request;
    heard += !*was_heard;
    *was_heard = true;
    if (in[0] == 'P') {
        panics++;
        before_p = fed;
    }
    fed += n;
    if (speaker >= 0 && heard >= speaks_at) {
        send(speaker, "P", 1, MSG_NOSIGNAL);
        speaker = -1;
        said = fed;
    }
    while (robo_now(world) < now + work)
        ;
    return n;
}

static void close_count(void *state)
{
    closed++;
}

static const struct robo__protocol counting = { .name = "counting",
                                                .port = 10801,
                                                .size = sizeof(bool),
                                                .open = open_count,
                                                .feed = feed_count,
                                                .close = close_count };
static const struct robo__protocol *const protocols[] = { &counting, NULL };

/* ---- the server, and who floods it ---- */

static robo_loop *loop;
static robo_server *server;
static struct robo__url url;
static int flooder[FLOODERS];

static int connect_one(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(url.port) };
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static void turn_until(const size_t *count, size_t most)
{
    while (*count < most)
        robo__loop_step(loop, 1000000000);
}

static int begin(void **state)
{
    char why[256];
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    fed = before_p = 0;
    heard = panics = closed = 0;
    speaks_at = FLOODERS;
    work = 0;
    request = 0;
    goes_on = false;
    world = robo_open(NULL);
    loop = robo_loop_open(world);
    assert_int_equal(robo__url_parse("counting://127.0.0.1:0", protocols, &url, why), 0);
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), 0);
    for (int i = 0; i < FLOODERS; i++)
        flooder[i] = connect_one();
    while (robo_server_connections(server) < FLOODERS)
        robo__loop_step(loop, 1000000000);
    return 0;
}

/* All of it is in the sockets before the server has its next turn. */
static void flood(void)
{
    static const uint8_t bytes[BYTES];
    for (int i = 0; i < FLOODERS; i++)
        for (size_t sent = 0; sent < BYTES;) {
            ssize_t n = send(flooder[i], bytes + sent, BYTES - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (n > 0)
                sent += (size_t)n;
            else
                robo__loop_step(loop, 1000000);
        }
}

static int end(void **state)
{
    for (int i = 0; i < FLOODERS; i++)
        if (flooder[i] >= 0)
            close(flooder[i]);
    robo_unserve(server);
    robo_loop_close(loop);
    robo_close(world);
    return 0;
}

/* ---- tests ---- */

/* It is said when so many have had a turn; a round of all is 100 KiB at least. */
static void say_p(int fd, int when_heard)
{
    flood();
    speaks_at = when_heard;
    speaker = fd;
    while (panics == 0)
        robo__loop_step(loop, 0);
    assert_true(before_p - said <= 65536);
    close(fd);
}

FIXTURE(begin, end);

TEST(who_comes_in_is_not_behind_a_flood)
{
    say_p(connect_one(), FLOODERS);
}

TEST(who_is_seldom_heard_is_not_behind_a_flood)
{
    int fd = connect_one();
    send(fd, "x", 1, MSG_NOSIGNAL);
    turn_until(&fed, 1);
    say_p(fd, FLOODERS + 1);
}

/* Each turn takes so long that most of those that are ready are put off before they have been heard at all. */
TEST(who_is_seldom_heard_is_behind_nobody_but_the_unheard)
{
    int fd = connect_one();
    send(fd, "x", 1, MSG_NOSIGNAL);
    turn_until(&fed, 1);
    work = 250000;
    say_p(fd, FLOODERS + 1 - 5);
}

/* A piece of the line is one client, since its work takes longer than that. */
TEST(who_speaks_is_heard_before_the_next_piece)
{
    int fd = connect_one();
    send(fd, "x", 1, MSG_NOSIGNAL);
    turn_until(&fed, 1);
    work = 2 * ROBO__PIECE;
    say_p(fd, FLOODERS + 1);
    assert_int_equal(before_p, said);
}

/* All have sent many requests at once, which the server has read and works on one by one: who says P while they wait is behind
 * those of one round, 200 us, and of a piece of the line, not behind one of each. */
TEST(who_speaks_is_not_behind_requests_that_have_come)
{
    static const uint8_t pipelined[1024];
    int fd = connect_one();
    send(fd, "x", 1, MSG_NOSIGNAL);
    turn_until(&fed, 1);
    work = 20000;
    request = 16;
    for (int i = 0; i < FLOODERS; i++)
        send(flooder[i], pipelined, sizeof pipelined, MSG_NOSIGNAL);
    turn_until(&fed, 1 + 3 * FLOODERS * request);
    speaker = fd;
    speaks_at = 0;
    while (panics == 0)
        robo__loop_step(loop, 0);
    assert_true(before_p - said <= 20 * request);
    /* and they are all worked on */
    work = 0;
    turn_until(&fed, 2 + FLOODERS * sizeof pipelined);
    close(fd);
}

/* A protocol that is halfway has its turns also while its client does not read. */
TEST(who_reads_nothing_is_heard_to_the_end)
{
    enum {
        UNREAD = 3 << 20,
        MOST = 1000
    }; /* more than sockets take; turns, many more than needed */
    static const uint8_t sent[1024];
    int fd = connect_one();
    send(fd, "x", 1, MSG_NOSIGNAL);
    turn_until(&fed, 1);
    uint8_t *out = robo__conn_reserve(newest, UNREAD);
    assert_non_null(out);
    memset(out, 0, UNREAD);
    robo__conn_commit(newest, UNREAD);
    goes_on = true;
    request = 16;
    send(fd, sent, sizeof sent, MSG_NOSIGNAL);
    for (int i = 0; i < MOST && fed < 1 + sizeof sent; i++)
        robo__loop_step(loop, 0);
    assert_true(robo__conn_full(newest));
    assert_int_equal(fed, 1 + sizeof sent);
    close(fd);
}

/* ---- wake-ups, of which the first says P ---- */

enum { WAKEUPS = 100 };
static struct robo__wakeup wakeup[WAKEUPS];
static int woken, woken_before_p;

static void on_woken(struct robo__wakeup *w, robo_time now)
{
    woken++;
    woken_before_p += panics == 0;
    if (w == &wakeup[0])
        send(speaker, "P", 1, MSG_NOSIGNAL);
    while (robo_now(world) < now + 2 * ROBO__PIECE)
        ;
}

TEST(who_speaks_is_heard_between_wake_ups)
{
    speaker = connect_one();
    while (robo_server_connections(server) <= FLOODERS)
        robo__loop_step(loop, 1000000000);
    woken = woken_before_p = 0;
    for (int i = 0; i < WAKEUPS; i++) {
        wakeup[i].run = on_woken;
        robo__wakeup_post(&loop->host.mailbox, &wakeup[i]);
    }
    while (panics == 0 || woken < WAKEUPS)
        robo__loop_step(loop, 1000000000);
    assert_int_equal(woken, WAKEUPS);
    assert_in_range(woken_before_p, 1, 2);
    close(speaker);
    speaker = -1;
}

TEST(who_floods_gets_all_of_its_turns)
{
    flood();
    turn_until(&fed, FLOODERS * BYTES);
    /* and is heard afterwards */
    robo__loop_step(loop, 0);
    for (int i = 0; i < FLOODERS; i++)
        send(flooder[i], "x", 1, MSG_NOSIGNAL);
    turn_until(&fed, FLOODERS * (BYTES + 1));
    assert_int_equal(fed, FLOODERS * (BYTES + 1));
}

TEST(who_leaves_the_line_or_the_server_is_forgotten)
{
    flood();
    turn_until(&fed, FLOODERS * 2048);
    /* unread bytes are reset with the socket: these are lost in the middle of the line */
    for (int i = 0; i < FLOODERS; i += 3) {
        struct linger now = { .l_onoff = 1 };
        setsockopt(flooder[i], SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(flooder[i]);
        flooder[i] = -1;
    }
    while (closed < (FLOODERS + 2) / 3)
        robo__loop_step(loop, 1000000000);
    assert_int_equal(robo_server_connections(server), FLOODERS - (FLOODERS + 2) / 3);
    /* the rest is in line when the server goes */
}

TEST(a_loop_within_another_is_asked_for_until_the_line_is_empty)
{
    flood();
    struct pollfd outer = { .fd = robo_loop_fd(loop), .events = POLLIN };
    assert_true(outer.fd >= 0);
    while (fed < FLOODERS * BYTES) {
        assert_int_equal(poll(&outer, 1, -1), 1);
        robo_loop_dispatch(loop, 0);
    }
}
