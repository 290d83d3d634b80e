/* The server's side of the protocol on any bytes: a whole conversation cut off, in pieces and with each bit flipped, and
 * noise. */
#include "base/random.h"
#include "session_peer.h"

/* A conversation with something of everything, as one stream of bytes. */
static size_t conversation(uint8_t *bytes, size_t room, size_t *ends, size_t *packages)
{
    struct peer *q = peer_open();
    size_t n = 0;
    *packages = 0;
#define PACKAGE(type)                  \
    do {                               \
        size_t k_ = peer_end(q, type); \
        assert_true(n + k_ <= room);   \
        memcpy(bytes + n, q->out, k_); \
        n += k_;                       \
        ends[(*packages)++] = n;       \
        peer_begin(q);                 \
    } while (0)
    peer_begin(q);
    peer_add_query(q, ROBO_Q_HELLO,
                   &(struct robo_request_hello){ .lowest = ROBO_VERSION,
                                                 .highest = ROBO_VERSION,
                                                 .role = ROBO_ROLE_OPERATE });
    PACKAGE(ROBO_TYPE_QUERY);
    peer_add_query(q, ROBO_Q_OPEN, &(struct robo_request_open){ .mode = "direct", .robot = "r" });
    peer_add_query(q, ROBO_Q_OPEN, &(struct robo_request_open){ .mode = "hold" });
    PACKAGE(ROBO_TYPE_QUERY);
    q->session = 1;
    peer_add_query(q, ROBO_Q_DESCRIBE, NULL);
    peer_add_query(q, ROBO_Q_BROADCAST, &(struct robo_request_broadcast){ .period = S(0.1) });
    peer_add_query(q, ROBO_Q_SYNC, &(struct robo_request_sync){ S(5) });
    PACKAGE(ROBO_TYPE_QUERY);
    peer_add_cmd(q, set_speed(0, 1));
    peer_add_cmd(q, set_joint(0, 1, 3, 1));
    peer_add_cmd(q, go_to(1.5, 2));
    PACKAGE(ROBO_TYPE_COMMAND);
    q->session = 2;
    peer_add_cmd(q, set_speed(0, 1));
    peer_add_cmd(q, set_speed(3, 1));
    PACKAGE(ROBO_TYPE_COMMAND);
    peer_add_query(q, ROBO_Q_FINISH, NULL);
    peer_add_query(q, ROBO_Q_STATUS, NULL);
    PACKAGE(ROBO_TYPE_QUERY);
    q->session = 1;
    peer_add_query(q, ROBO_Q_CANCEL, &(struct robo_request_cancel){ 0 });
    peer_add_query(q, ROBO_Q_CLOSE, NULL);
    PACKAGE(ROBO_TYPE_QUERY);
#undef PACKAGE
    peer_close(q);
    return n;
}

static struct test_modes any_modes;

/* Feeds the bytes one at a time, lets half a second pass and looks at all that was said. */
static void feed_all(struct peer *q, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        peer_feed(q, bytes + i, 1);
    peer_listen(q);
    run_for(0.5);
    if (robo__robot_alarm(robot).panic)
        robo_reset(robot);
}

FIXTURE(enter, leave);

TEST(every_prefix)
{
    static uint8_t bytes[8192];
    size_t ends[16], packages, n = conversation(bytes, sizeof bytes, ends, &packages);
    test_modes_init(&any_modes, 2);
    host.modes = &any_modes.modes;
    for (size_t k = 0; k <= n; k++) {
        struct peer *q = peer_open();
        for (size_t i = 0; i < k; i++)
            peer_feed(q, bytes + i, 1);
        peer_listen(q);
        assert_int_equal(told_notices(q, ROBO_N_FAULT), 0);
        assert_false(q->conn.closing);
        peer_close(q); /* cut off here */
        assert_int_equal(robot->timeline.queue.count, 0);
    }
    host.modes = NULL;
}

/* Chunks of any size give the same answers as single bytes. */
TEST(chunks_do_not_matter)
{
    static uint8_t bytes[8192];
    size_t ends[16], packages, n = conversation(bytes, sizeof bytes, ends, &packages), said = 0;
    test_modes_init(&any_modes, 2);
    host.modes = &any_modes.modes;
    for (size_t chunk = 1; chunk <= n; chunk = chunk * 3 / 2 + 1) {
        struct peer *q = peer_open();
        for (size_t i = 0; i < n; i += chunk)
            peer_feed(q, bytes + i, chunk < n - i ? chunk : n - i);
        peer_listen(q);
        assert_true(q->received_count > packages);
        if (said == 0)
            said = q->received_count;
        assert_int_equal(q->received_count, said);
        peer_close(q);
    }
    host.modes = NULL;
}

TEST(every_bit_flip)
{
    static uint8_t bytes[8192], flipped[8192];
    size_t ends[16], packages, n = conversation(bytes, sizeof bytes, ends, &packages);
    test_modes_init(&any_modes, 2);
    host.modes = &any_modes.modes;
    for (size_t bit = 0; bit < 8 * n; bit++) {
        memcpy(flipped, bytes, n);
        flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
        struct peer *q = peer_open();
        feed_all(q, flipped, n);
        /* framing errors close; after anything else the connection still answers, unless it now waits for
           a longer package */
        const struct robo_notice_fault *f = told_fault(q);
        if (q->conn.closing) {
            assert_non_null(f);
            int last = 0;
            for (size_t i = 0; i < q->received_count; i++)
                if (q->received[i].entry.op == ROBO_N_FAULT)
                    last = -(int)q->received[i].as.fault.code;
            assert_true(last <= ROBO_EVERSION && last >= ROBO_ESIZE);
        } else if (q->conn.in_count == 0) {
            /* a flipped package number may make others look old, but not three around the circle */
            size_t answered = 0;
            for (uint32_t i = 0; i < 3; i++) {
                q->last_package = 100000 + i * 0x60000000;
                uint32_t id = peer_request(q, ROBO_Q_SYNC, &(struct robo_request_sync){ 1 });
                /* when hello cannot be read, that it comes first is the answer */
                f = told_fault(q);
                answered += received_of(q, ROBO_TYPE_REPLY, id) || (f && f->query == id);
            }
            assert_true(answered > 0);
        }
        peer_close(q);
    }
    host.modes = NULL;
}

/* Noise: closed at the first header, whatever it is. */
TEST(noise)
{
    struct robo__random random;
    robo__random_seed(&random, 11);
    for (int k = 0; k < 2000; k++) {
        struct peer *q = peer_open();
        uint8_t noise[128];
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = (uint8_t)robo__random_u64(&random);
        if (k & 1)
            memcpy(noise, "RT\1", 3); /* noise with the right beginning */
        peer_feed(q, noise, sizeof noise);
        peer_listen(q);
        if (!(k & 1))
            expect_fault(q, ROBO_EMAGIC, false);
        peer_close(q);
        if (robo__robot_alarm(robot).panic)
            robo_reset(robot);
    }
}
