/* What a client said before it went is heard by TLS, too, also when a protocol works on that in pieces, and the client's farewell
 * is in the same segment. */
#include "tls_served.h"

/* ---- the protocol: a few bytes of what has come are worked on at once, and P is a panic ---- */

enum { SOME = 10 };

static atomic_int worked, panics, closed;

static int open_slow(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    ((struct echo *)state)->conn = conn;
    robo__conn_greeted(conn);
    return 0;
}

static size_t feed_slow(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct robo__conn *conn = ((struct echo *)state)->conn;
    const size_t used = n < SOME ? n : SOME;
    for (size_t i = 0; i < used; i++)
        atomic_fetch_add(&panics, in[i] == 'P');
    conn->halfway = used < n;
    uint8_t *out = robo__conn_reserve(conn, used); /* each piece is answered */
    if (out) {
        memcpy(out, in, used);
        robo__conn_commit(conn, used);
    }
    atomic_fetch_add(&worked, (int)used);
    return used;
}

static void close_slow(void *state)
{
    atomic_fetch_add(&closed, 1);
}

static const struct robo__protocol slow = { .name = "echo", /* as clients call it */
                                            .port = 7,
                                            .size = sizeof(struct echo),
                                            .open = open_slow,
                                            .feed = feed_slow,
                                            .close = close_slow };

/* The loop is turned by hand from then on. */
static struct robo__tls *serve_one(struct served *s)
{
    char why[256], text[512];
    atomic_store(&worked, 0);
    atomic_store(&panics, 0);
    atomic_store(&closed, 0);
    s->loop = robo_loop_open(world);
    assert_non_null(s->loop);
    assert_int_equal(parse(&s->url, ECHO, why), 0);
    s->url.protocol = &slow;
    assert_int_equal(robo__server_open(s->loop, &s->url, NULL, &s->server, why), 0);
    assert_int_equal(robo_loop_start(s->loop), 0);
    struct robo__tls *client = dial(s, join(text, TRUST, CLIENT));
    uint8_t byte = 'x';
    assert_int_equal(robo__tls_write(client, &byte, 1), 1);
    assert_int_equal(hear(client, &byte, 1), 1);
    robo_loop_stop(s->loop);
    return client;
}

static void end_serving(struct served *s)
{
    robo_unserve(s->server);
    robo_loop_close(s->loop);
}

/* So many bytes, of which the last is a panic. */
static void say(struct robo__tls *client, size_t n)
{
    uint8_t bytes[1000];
    memset(bytes, 'x', sizeof bytes);
    bytes[n - 1] = 'P';
    assert_int_equal(robo__tls_write(client, bytes, n), n);
}

/* ---- tests ---- */

FIXTURE(begin, end);

TEST(what_was_said_before_the_farewell_is_heard_to_its_end)
{
    struct served s;
    struct robo__tls *client = serve_one(&s);
    say(client, 1000); /* it fits into what is read in one turn, with the farewell */
    robo__tls_close(client);
    while (atomic_load(&closed) == 0)
        robo__loop_step(s.loop, 1000000000);
    assert_int_equal(atomic_load(&panics), 1);
    assert_int_equal(atomic_load(&worked), 1001);
    end_serving(&s);
}

TEST(a_server_may_close_while_somebody_who_has_gone_is_heard)
{
    struct served s;
    struct robo__tls *client = serve_one(&s);
    say(client, 1000);
    robo__tls_close(client);
    while (atomic_load(&worked) < 1 + SOME)
        robo__loop_step(s.loop, 1000000000);
    end_serving(&s);
    assert_int_equal(atomic_load(&closed), 1);
}
