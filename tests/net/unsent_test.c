/* What a client has not read does not wait in the kernel in megabytes: what it reads next was chosen late. The loop is turned by hand,
 * and the protocol says which piece it is; nothing here measures time. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "net/server.h"
#include "net/socket.h"

/* PIECE: as pictures are written. READER: bytes that the reader's own buffer takes, which the kernel doubles. */
enum { PIECE = 1 << 14, READER = 1 << 14, MANY = 8 << 20 };

/* ---- the protocol: it says pieces, of bytes that are their number, as long as little waits ---- */

static uint8_t newest; /* the piece that is the newest now */
static size_t said;

struct talker {
    struct robo__conn *conn;
};

static void go_on(struct robo__conn *conn)
{
    size_t waiting;
    for (robo__conn_output(conn, &waiting); waiting <= ROBO__CONN_BUSY;
         robo__conn_output(conn, &waiting)) {
        uint8_t *out = robo__conn_reserve(conn, PIECE);
        assert_non_null(out);
        memset(out, newest, PIECE);
        robo__conn_commit(conn, PIECE);
        said += PIECE;
    }
    conn->owes = true;
}

static int open_talker(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    ((struct talker *)state)->conn = conn;
    robo__conn_greeted(conn);
    return 0;
}

static size_t feed_talker(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    go_on(((struct talker *)state)->conn);
    return n;
}

static void resume_talker(void *state, robo_time now)
{
    go_on(((struct talker *)state)->conn);
}

static void close_talker(void *state)
{
}

static const struct robo__protocol talking = { .name = "talking",
                                               .port = 10801,
                                               .size = sizeof(struct talker),
                                               .open = open_talker,
                                               .feed = feed_talker,
                                               .resume = resume_talker,
                                               .close = close_talker };
static const struct robo__protocol *const protocols[] = { &talking, NULL };

/* ---- the test ---- */

static robo_loop *loop;

/* Until a hundred turns in a row have brought nothing more. */
static void turn_until_it_is_full(void)
{
    size_t before = said;
    for (int still = 0; still < 100; still++) {
        robo__loop_step(loop, 1000000);
        if (said > before)
            still = 0;
        before = said;
    }
}

TEST(who_reads_late_reads_what_is_new)
{
    static uint8_t in[PIECE];
    struct robo__url url;
    robo_server *server;
    char why[256];
    const int small = READER;
    robo_world *world = robo_open(NULL);
    assert_non_null(world);
    loop = robo_loop_open(world);
    assert_non_null(loop);
    assert_int_equal(robo__url_parse("talking://127.0.0.1:0", protocols, &url, why), 0);
    assert_int_equal(robo__server_open(loop, &url, NULL, &server, why), 0);
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons(url.port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    newest = 1;
    assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), 1);
    turn_until_it_is_full();
    /* in the reader's buffer, in the server's kernel, and in its own buffer: a little more than was said of each */
    const size_t bound = 2 * READER + 2 * (ROBO__UNSENT + ROBO__CONN_BUSY + PIECE);
    assert_in_range(said, ROBO__UNSENT, bound);
    /* from now on there is something newer: it is read when the old that waits has been, and all that follows is it */
    newest = 2;
    size_t old = 0;
    for (size_t got = 0; got < MANY;) {
        const ssize_t n = recv(fd, in, sizeof in, MSG_DONTWAIT);
        for (ssize_t i = 0; i < n; i++) {
            old += in[i] == 1;
            assert_true(in[i] == 2 || old == got + (size_t)i + 1);
        }
        got += n > 0 ? (size_t)n : 0;
        robo__loop_step(loop, n > 0 ? 0 : 1000000);
    }
    assert_in_range(old, 1, bound);
    close(fd);
    robo_unserve(server);
    robo_loop_close(loop);
    robo_close(world);
}
