/* A server's connection without its protocol, the return cache, wake-ups and the snapshot: each against what
 * its header promises. */
#include "base/wakeup.h"
#include "net/conn.h"
#include "net/origin.h"
#include "base/random.h"
#include "robotalk/cache.h"
#include "base/snapshot.h"
#include "fixture_host.h"

#include <pthread.h>

/* ---- bytes in: a protocol of packages of ten bytes, which must come in order ---- */

struct tens {
    struct robo__conn *conn;
    uint8_t next;
    size_t fed, packages;
};

static int tens_open(void *state, struct robo__conn *conn, const struct robo__url *url)
{
    *(struct tens *)state = (struct tens){ .conn = conn };
    return 0;
}

static size_t tens_feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct tens *t = state;
    size_t used = 0;
    t->fed++;
    while (n - used >= 10) {
        for (size_t i = 0; i < 10; i++)
            assert_int_equal(in[used + i], t->next++);
        used += 10;
        t->packages++;
        if (one)
            break;
    }
    return used;
}

static void tens_shutdown(void *state, robo_time now)
{
}

static void tens_close(void *state)
{
}

static const struct robo__protocol tens = { .name = "tens",
                                            .size = sizeof(struct tens),
                                            .open = tens_open,
                                            .feed = tens_feed,
                                            .shutdown = tens_shutdown,
                                            .close = tens_close };

FIXTURE(open_host, close_host);

TEST(any_pieces_make_the_same_stream)
{
    struct robo__random random;
    robo__random_seed(&random, 5);
    struct robo__conn conn;
    assert_int_equal(robo__conn_init(&conn, &host, &(struct robo__url){ .protocol = &tens }, NULL),
                     0);
    uint8_t bytes[64], next = 0;
    size_t all = 0;
    for (int i = 0; i < 20000; i++) {
        size_t n = robo__random_u64(&random) % sizeof bytes;
        for (size_t k = 0; k < n; k++)
            bytes[k] = next++;
        robo__conn_receive(&conn, bytes, n, 0);
        all += n;
        assert_int_equal(((struct tens *)conn.state)->packages, all / 10);
        assert_int_equal(conn.in_count, all % 10);
    }
    /* whole packages need no buffer, and after some it is given back */
    while (all % 10) {
        robo__conn_receive(&conn, &next, 1, 0);
        next++, all++;
    }
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 10; k++)
            bytes[k] = next++;
        robo__conn_receive(&conn, bytes, 10, 0);
    }
    assert_null(conn.in);
    robo__conn_free(&conn);
}

TEST(output_in_any_pieces)
{
    struct robo__random random;
    robo__random_seed(&random, 6);
    struct robo__conn conn;
    assert_int_equal(robo__conn_init(&conn, &host, &(struct robo__url){ .protocol = &tens }, NULL),
                     0);
    uint8_t in = 0, out = 0;
    for (int i = 0; i < 50000; i++) {
        size_t n = robo__random_u64(&random) % 700, left, waiting;
        uint8_t *at = robo__conn_reserve(&conn, n + 20); /* more than is used */
        assert_non_null(at);
        for (size_t k = 0; k < n; k++)
            at[k] = in++;
        robo__conn_commit(&conn, n);
        const uint8_t *from = robo__conn_output(&conn, &waiting);
        left = waiting ? robo__random_u64(&random) % (waiting + 1) : 0;
        if (i % 100 == 0)
            left = waiting; /* now and then it is all gone */
        for (size_t k = 0; k < left; k++)
            assert_int_equal(from[k], out++);
        robo__conn_written(&conn, left);
    }
    robo__conn_free(&conn);
}

TEST(bounds)
{
    struct robo__conn conn;
    assert_int_equal(robo__conn_init(&conn, &host, &(struct robo__url){ .protocol = &tens }, NULL),
                     0);
    size_t n = 0, waiting;
    while (!robo__conn_full(&conn)) {
        assert_non_null(robo__conn_reserve(&conn, 1000));
        robo__conn_commit(&conn, 1000);
        n += 1000;
    }
    assert_in_range(n, ROBO__CONN_OUT, ROBO__CONN_OUT + 1000);
    assert_true(robo__conn_hungry(&conn)); /* what it sends now may be a panic */
    while (robo__conn_reserve(&conn, 1000)) {
        robo__conn_commit(&conn, 1000);
        n += 1000;
    }
    assert_in_range(n, ROBO__CONN_MOST - 1000, ROBO__CONN_MOST);
    /* who does not read is dropped, with what was waiting, and stays dropped */
    assert_true(conn.closing);
    robo__conn_output(&conn, &waiting);
    assert_int_equal(waiting, 0);
    assert_null(robo__conn_reserve(&conn, 1));
    assert_false(robo__conn_hungry(&conn));
    uint8_t byte = 0;
    robo__conn_receive(&conn, &byte, 1, 0);
    assert_int_equal(((struct tens *)conn.state)->fed, 0);
    robo__conn_free(&conn);
}

static void reserve(struct robo__conn *conn, const char *text)
{
    uint8_t *out = robo__conn_reserve(conn, strlen(text));
    assert_non_null(out);
    memcpy(out, text, strlen(text));
}

TEST(taken_output)
{
    struct robo__conn conn;
    assert_int_equal(robo__conn_init(&conn, &host, &(struct robo__url){ .protocol = &tens }, NULL),
                     0);
    const uint8_t *bytes;
    size_t n;
    assert_null(robo__conn_take_output(&conn, &bytes, &n));
    reserve(&conn, "first");
    robo__conn_commit(&conn, 5);
    robo__conn_written(&conn, 2);
    uint8_t *taken = robo__conn_take_output(&conn, &bytes, &n);
    reserve(&conn, "second"); /* written while the other is under way */
    robo__conn_commit(&conn, 6);
    assert_int_equal(n, 3);
    assert_memory_equal(bytes, "rst", 3);
    robo__conn_return_output(&conn, taken); /* there is another by now */
    taken = robo__conn_take_output(&conn, &bytes, &n);
    assert_int_equal(n, 6);
    assert_memory_equal(bytes, "second", 6);
    robo__conn_return_output(&conn, taken);
    assert_ptr_equal(conn.out, taken); /* for what comes next */
    robo__conn_free(&conn);
}

/* ---- the return cache, against an array ---- */

TEST(cache_against_an_array, NULL)
{
    enum { IDS = 3000 };
    static uint8_t kept[IDS]; /* 0 not there, 1 pending, 2 done */
    struct robo__random random;
    robo__random_seed(&random, 9);
    struct robo__cache cache = { 0 };
    size_t count = 0, pending = 0;
    assert_null(robo__cache_find(&cache, 1));
    for (int i = 0; i < 300000; i++) {
        uint32_t k = (uint32_t)(robo__random_u64(&random) % IDS);
        uint32_t id = k * 64 + 1; /* ids that crowd the same homes */
        struct robo__cached_answer *a = robo__cache_find(&cache, id);
        assert_true((a != NULL) == (kept[k] != 0));
        /* fills and empties in turns, so that long runs grow and break up */
        bool filling = i / 20000 % 2 == 0;
        if (!a && (filling || i % 7 == 0)) {
            a = robo__cache_expect(&cache, id);
            assert_non_null(a);
            a->body = malloc(8);
            kept[k] = 1, count++, pending++;
        } else if (a && kept[k] == 1 && i % 2) {
            robo__cache_done(&cache, a);
            robo__cache_done(&cache, a); /* twice counts once */
            kept[k] = 2, pending--;
        } else if (a && (!filling || i % 7 == 0)) {
            robo__cache_remove(&cache, a);
            pending -= kept[k] == 1;
            kept[k] = 0, count--;
        }
        assert_int_equal(cache.count, count);
        assert_int_equal(cache.pending, pending);
    }
    for (uint32_t k = 0; k < IDS; k++) {
        struct robo__cached_answer *a = robo__cache_find(&cache, k * 64 + 1);
        assert_true((a != NULL) == (kept[k] != 0));
        if (a)
            assert_int_equal(a->id, k * 64 + 1);
    }
    assert_null(robo__cache_find(&cache, 0));
    robo__cache_free(&cache);
    assert_int_equal(cache.count, 0);
}

TEST(cache_is_bounded, NULL)
{
    struct robo__cache cache = { 0 };
    for (uint32_t id = 1; id <= ROBO__CACHE_MOST; id++)
        assert_non_null(robo__cache_expect(&cache, id));
    assert_null(robo__cache_expect(&cache, ROBO__CACHE_MOST + 1));
    assert_int_equal(cache.count, ROBO__CACHE_MOST);
    robo__cache_free(&cache);
}

/* ---- wake-ups ---- */

struct counted {
    struct robo__wakeup wakeup;
    unsigned number, answers;
};

static atomic_uint notified;

static void count_notify(struct robo__mailbox *mailbox)
{
    atomic_fetch_add(&notified, 1);
}

static unsigned order[8], order_count;

static void on_run(struct robo__wakeup *wakeup, robo_time now)
{
    struct counted *c = robo__container_of(wakeup, struct counted, wakeup);
    c->answers++;
    if (order_count < 8)
        order[order_count++] = c->number;
}

TEST(wakeup, NULL)
{
    struct robo__mailbox mailbox = { .notify = count_notify };
    struct counted c[3] = { 0 };
    atomic_store(&notified, 0);
    assert_false(robo__wakeup_drain(&mailbox, 0));
    for (unsigned i = 0; i < 3; i++) {
        c[i].wakeup.run = on_run;
        c[i].number = i;
        robo__wakeup_post(&mailbox, &c[i].wakeup);
        robo__wakeup_post(&mailbox, &c[0].wakeup);
    }
    assert_int_equal(atomic_load(&notified), 1); /* when the list was empty */
    order_count = 0;
    assert_true(robo__wakeup_drain(&mailbox, 0));
    assert_int_equal(order_count, 3); /* each once, oldest first */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(order[i], i);
    assert_false(robo__wakeup_drain(&mailbox, 0));

    /* some of them: those that are posted meanwhile come after all of them */
    order_count = 0;
    for (unsigned i = 0; i < 3; i++)
        robo__wakeup_post(&mailbox, &c[i].wakeup);
    assert_true(robo__wakeup_drain_some(&mailbox, 0, 2));
    robo__wakeup_post(&mailbox, &c[0].wakeup);
    assert_true(robo__wakeup_drain_some(&mailbox, 0, 2));
    assert_false(robo__wakeup_drain_some(&mailbox, 0, 2));
    assert_int_equal(order_count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(order[i], i % 3);
    /* what was left is drained with all */
    for (unsigned i = 0; i < 3; i++)
        robo__wakeup_post(&mailbox, &c[i].wakeup);
    robo__wakeup_drain_some(&mailbox, 0, 1);
    robo__wakeup_post(&mailbox, &c[0].wakeup);
    assert_true(robo__wakeup_drain(&mailbox, 0));
    assert_int_equal(order_count, 8);
    assert_false(robo__wakeup_drain(&mailbox, 0));
}

enum { POSTERS = 3, POSTS = 20000 };
static struct robo__mailbox shared = { .notify = count_notify };
static struct counted calls[POSTERS];

static void *post(void *arg)
{
    struct counted *c = arg;
    for (int i = 0; i < POSTS; i++)
        robo__wakeup_post(&shared, &c->wakeup);
    return NULL;
}

/* No post is lost: when all have posted, one drain runs what is left, and nothing is left then. */
TEST(wakeup_by_threads, NULL)
{
    pthread_t thread[POSTERS];
    unsigned seen[POSTERS];
    order_count = 8;
    for (int i = 0; i < POSTERS; i++) {
        calls[i].wakeup.run = on_run;
        assert_int_equal(pthread_create(&thread[i], NULL, post, &calls[i]), 0);
    }
    for (int i = 0; i < 1000; i++)
        robo__wakeup_drain(&shared, 0);
    for (int i = 0; i < POSTERS; i++) {
        pthread_join(thread[i], NULL);
        seen[i] = calls[i].answers;
    }
    robo__wakeup_drain(&shared, 0);
    for (int i = 0; i < POSTERS; i++) {
        assert_true(calls[i].answers >= 1 && calls[i].answers <= POSTS);
        assert_true(calls[i].answers - seen[i] <= 1);
        assert_false(atomic_load(&calls[i].wakeup.posted));
    }
    assert_false(robo__wakeup_drain(&shared, 0));
}

/* ---- the snapshot ---- */

enum { SNAP_DOFS = 64 };
static struct robo__snapshot snapshot;
static atomic_bool writing;

static void *write_snapshots(void *arg)
{
    struct robo_state s;
    for (int i = 0; i < 20000; i++) {
        robo__state_clear(&s, SNAP_DOFS);
        s.time = i;
        for (int k = 0; k < SNAP_DOFS; k++)
            s.position[k] = s.speed[k] = i;
        robo__snapshot_write(&snapshot, &s);
    }
    atomic_store(&writing, false);
    return NULL;
}

/* A reader sees one whole state, never parts of two, and never an older one than before. */
TEST(snapshots_are_whole, NULL)
{
    pthread_t writer;
    struct robo_state s;
    robo_time last = 0;
    _Atomic uint64_t *word = malloc(robo__snapshot_words(SNAP_DOFS) * sizeof *word);
    assert_non_null(word);
    robo__snapshot_init(&snapshot, SNAP_DOFS, word);
    atomic_store(&writing, true);
    assert_int_equal(pthread_create(&writer, NULL, write_snapshots, NULL), 0);
    while (atomic_load(&writing)) {
        robo__snapshot_read(&snapshot, &s);
        assert_true(s.time >= last);
        last = s.time;
        for (int k = 0; k < s.dofs; k++)
            assert_true(s.position[k] == (double)s.time && s.speed[k] == (double)s.time);
    }
    pthread_join(writer, NULL);
    robo__snapshot_read(&snapshot, &s);
    assert_int_equal(s.time, 19999);
    assert_int_equal(s.dofs, SNAP_DOFS);
    free(word);
}

/* ---- greeting ---- */

/* As tens, but the third package is a greeting. */
static size_t polite_feed(void *state, const uint8_t *in, size_t n, bool one, robo_time now)
{
    struct tens *t = state;
    size_t used = tens_feed(state, in, n, one, now);
    if (t->packages >= 3)
        robo__conn_greeted(t->conn);
    return used;
}

/* Sends the bytes from first on. */
static void send_bytes(struct robo__conn *conn, uint8_t first, size_t n)
{
    uint8_t bytes[40];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(first + i);
    robo__conn_receive(conn, bytes, n, robo_now(world));
}

TEST(who_does_not_greet_is_closed)
{
    struct robo__protocol polite = tens, mute = tens;
    polite.feed = polite_feed;
    polite.greeting = mute.greeting = (struct robo__greeting){ .bytes = 30, .within = S(5) };
    struct robo__conn silent, loud, good;
    assert_int_equal(
        robo__conn_init(&silent, &host, &(struct robo__url){ .protocol = &polite }, NULL), 0);
    assert_int_equal(robo__conn_init(&loud, &host, &(struct robo__url){ .protocol = &mute }, NULL),
                     0);
    assert_int_equal(
        robo__conn_init(&good, &host, &(struct robo__url){ .protocol = &polite }, NULL), 0);
    send_bytes(&silent, 0, 29);
    send_bytes(&loud, 0, 30);
    assert_false(loud.closing);
    send_bytes(&loud, 30, 10); /* is worked on all the same */
    assert_true(loud.closing && ((struct tens *)loud.state)->packages == 4);
    run_for(4.9);
    send_bytes(&good, 0, 40);
    assert_false(silent.closing || good.closing);
    run_for(0.2);
    assert_true(silent.closing);
    run_for(1000);
    send_bytes(&good, 40, 40);
    assert_false(good.closing);
    robo__conn_free(&silent);
    robo__conn_free(&loud);
    robo__conn_free(&good);
}

/* Connections of one origin that read nothing have together what one client may have. One of another origin has its share beside them. */
TEST(connections_of_one_origin_share)
{
    enum { MANY = 40, PIECE = 60000 };
    static const uint8_t from[2][ROBO__ORIGIN] = { { 10, 0, 0, 1 }, { 10, 0, 0, 2 } };
    struct robo__conn conn[MANY + 1];
    size_t got[MANY + 1] = { 0 };
    world->memory.total = 32 << 20;
    for (size_t i = 0; i < MANY + 1; i++) {
        assert_int_equal(
            robo__conn_init(&conn[i], &host, &(struct robo__url){ .protocol = &tens }, NULL), 0);
        assert_non_null(conn[i].share = robo__origin_join(&host, from[i == MANY]));
        for (; robo__conn_reserve(&conn[i], PIECE); got[i] += PIECE)
            robo__conn_commit(&conn[i], PIECE);
        if (i < MANY)
            assert_true(world->memory.used <= world->memory.total / 2);
    }
    assert_true(conn[0].share == conn[1].share && conn[0].share != conn[MANY].share);
    assert_true(got[MANY] > 3 << 20);
    for (size_t i = 0; i < MANY + 1; i++) {
        robo__conn_free(&conn[i]);
        robo__origin_leave(&host, conn[i].share);
    }
    assert_int_equal(world->memory.used, 0);
}
