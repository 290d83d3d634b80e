/* Connections by TLS: bytes, links that break, servers that come and go, and what a command costs. Records are read by OpenSSL,
 * which has fuzzers of its own; there is none here. */
#include <openssl/crypto.h>

#include "tls_served.h"
#include "../ids.h"

/* ---- bytes ---- */

FIXTURE(begin, end);

TEST(much_goes_both_ways_and_comes_back_whole)
{
    enum { ALL = 1 << 20 };
    struct served s;
    serve(&s, ECHO);
    struct robo__tls *tls = dial(&s, TRUST);
    uint8_t *out = malloc(ALL), *in = malloc(ALL);
    for (size_t i = 0; i < ALL; i++)
        out[i] = (uint8_t)(i * 2654435761u >> 24);
    size_t sent = 0, heard = 0;
    /* much is said before anything is read */
    while (heard < ALL) {
        struct pollfd p = { .fd = tls->fd, .events = POLLOUT };
        if (sent < ALL && poll(&p, 1, heard < sent ? 0 : (int)(patience() / 1000000)) == 1) {
            ptrdiff_t n = robo__tls_write(tls, out + sent, ALL - sent);
            assert_true(n >= 0);
            sent += (size_t)n;
        } else {
            ptrdiff_t n = hear(tls, in + heard, ALL - heard);
            assert_true(n > 0);
            heard += (size_t)n;
        }
    }
    assert_memory_equal(in, out, ALL);
    free(in);
    free(out);
    robo__tls_close(tls);
    EVENTUALLY(robo_server_connections(s.server) == 0);
    assert_string_equal(log_text, "");
    serve_no_more(&s);
}

TEST(a_link_that_is_cut_is_lost)
{
    struct served s;
    uint8_t byte;
    serve(&s, ECHO);
    struct robo__tls *tls = dial(&s, TRUST);
    /* half closed without a word: the server counts it as lost, and says nothing about it */
    shutdown(tls->fd, SHUT_WR);
    EVENTUALLY(robo_server_connections(s.server) == 0);
    robo__tls_close(tls);
    /* the server goes: it says so */
    tls = dial(&s, TRUST);
    assert_int_equal(robo__tls_write(tls, (const uint8_t *)"x", 1), 1);
    assert_int_equal(hear(tls, &byte, 1), 1);
    serve_no_more(&s);
    assert_int_equal(hear(tls, &byte, 1), ROBO__TLS_CLOSED);
    robo__tls_close(tls);
    assert_string_equal(log_text, "");
}

/* A record that was changed on its way, after the handshake. */
TEST(what_is_not_verified_is_not_heard)
{
    static const uint8_t record[] = { 0x17, 3, 3, 0, 20, 1, 2, 3, 4, 5, 6, 7, 8,
                                      9,    0, 1, 2, 3,  4, 5, 6, 7, 8, 9, 0 };
    struct served s;
    uint8_t byte;
    serve(&s, ECHO);
    struct robo__tls *tls = dial(&s, TRUST);
    assert_int_equal(send(tls->fd, record, sizeof record, MSG_NOSIGNAL), sizeof record);
    assert_int_equal(hear(tls, &byte, 1), ROBO__TLS_LOST);
    assert_non_null(strstr(tls->why, "the other end refuses: "));
    robo__tls_close(tls);
    EVENTUALLY(logged("decryption failed or bad record mac") == 1);
    serve_no_more(&s);
}

/* ---- life and death ---- */

static atomic_bool over;
static atomic_int visits;

static void *visit(void *arg)
{
    const struct served *s = arg;
    char why[256];
    while (!atomic_load(&over)) {
        robo_client *c = connect_by(s, "robotalk+tls", TRUST, why);
        int64_t session = c ? open_session(c) : 0;
        struct robo_cmd cmd = { .op = ROBO_SET_SPEED, .start = ROBO_AT_ONCE };
        if (session > 0 && robo_send(c, (uint32_t)session, &cmd, 1) > 0)
            atomic_fetch_add(&visits, 1);
        robo_disconnect(c);
    }
    return NULL;
}

/* Ends at any moment of the handshake. */
static void *bother(void *arg)
{
    const struct served *s = arg;
    char why[256];
    struct robo__url url = s->url;
    url.medium = ROBO__TCP;
    for (size_t i = 0; !atomic_load(&over); i++) {
        int fd = robo__socket_connect(&url, patience(), why);
        if (fd < 0)
            continue;
        send(fd, HELLO, i % sizeof HELLO, MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        await_end(fd);
    }
    return NULL;
}

TEST(servers_come_and_go)
{
    pthread_t thread[4];
    for (int turn = 0; turn < 5; turn++) {
        struct served s;
        serve(&s, SERVER);
        atomic_store(&over, false);
        int before = atomic_load(&visits);
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, i < 3 ? visit : bother, &s), 0);
        EVENTUALLY(atomic_load(&visits) > before + 6);
        /* one of them goes while others are under way */
        atomic_store(&over, true);
        if (turn % 2 == 1) {
            for (int i = 0; i < 4; i++)
                pthread_join(thread[i], NULL);
            serve_no_more(&s);
        } else {
            serve_no_more(&s);
            for (int i = 0; i < 4; i++)
                pthread_join(thread[i], NULL);
        }
    }
}

/* ---- what it costs ---- */

static atomic_long allocations;

static void *count_malloc(size_t n, const char *file, int line)
{
    atomic_fetch_add(&allocations, 1);
    return __real_malloc(n);
}

static void *count_realloc(void *p, size_t n, const char *file, int line)
{
    atomic_fetch_add(&allocations, 1);
    return __real_realloc(p, n);
}

static void count_free(void *p, const char *file, int line)
{
    __real_free(p);
}

static int count_all(void **state)
{
    return CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free) == 1 ? 0 : -1;
}

ONCE(count_all, NULL);

/* OpenSSL takes a few small blocks for each record that it writes or reads (8 here: two records at two ends) and gives them
 * back; with another version of it this may be another number. Nothing else allocates. */
TEST(a_steady_command_costs_few_blocks)
{
    struct served s;
    char why[256];
    serve(&s, SERVER);
    robo_client *c = connect_by(&s, "robotalk+tls", TRUST, why);
    assert_non_null(c);
    int64_t session = open_session(c);
    for (int i = 0; i < 10; i++)
        command(c, session);
    long before = atomic_load(&allocations);
    assert_true(before > 0);
    for (int i = 0; i < 1000; i++)
        command(c, session);
    assert_in_range(atomic_load(&allocations) - before, 0, 8 * 1000);
    robo_disconnect(c);
    serve_no_more(&s);
}

/* The other end has not read what it was told, so that it is cut off, and each answer fails. */
TEST(what_is_said_last_is_heard_though_writes_fail)
{
    enum { PIECES = 3, PIECE = 2000 }; /* more than one turn has */
    static const uint8_t piece[PIECE];
    struct served s;
    serve(&s, ECHO);
    struct robo__tls *tls = dial(&s, TRUST);
    struct pollfd p = { .fd = tls->fd, .events = POLLIN };
    assert_int_equal(robo__tls_write(tls, piece, 1), 1);
    assert_int_equal(poll(&p, 1, (int)(patience() / 1000000)), 1);
    robo_loop_stop(s.loop);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(robo__tls_write(tls, piece, PIECE), PIECE);
    robo__tls_close(tls);
    while (robo_server_connections(s.server) > 0)
        robo__loop_step(s.loop, 1000000000);
    assert_int_equal(atomic_load(&echoed), 1 + PIECES * PIECE);
    serve_no_more(&s);
}
