/* The server's side of the protocol: stops, panics, resets and the deadman, from the bytes to the robot. */
#include "session_peer.h"

static void put32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* ---- stops ---- */

/* Bytes of a package with one command and then a stop, of which `change` is told where the stop's entry begins and may
 * spoil them; how many bytes are left. */
static void stop_of_bytes(size_t (*change)(uint8_t *stop, size_t n))
{
    uint32_t way = peer_cmd(p, set_joint(0, 1, 1, 1));
    peer_begin(p);
    uint32_t first = peer_add_cmd(p, set_speed(0, 1));
    size_t at = p->package.used;
    uint32_t id = peer_add_cmd(p, stop(5));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    n = at + change(p->out + at, n - at);
    p->out[10] = (uint8_t)((n - ROBO_HEADER_SIZE) >> 8);
    p->out[11] = (uint8_t)(n - ROBO_HEADER_SIZE);
    peer_feed(p, p->out, n);
    peer_listen(p);
    expect_told(p, way, ROBO_INTERRUPTED, ROBO_WHY_STOPPED);
    assert_non_null(received_of(p, ROBO_TYPE_SIGNAL, first));
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_false(p->conn.closing);
}

/* Nanoseconds of the calendar, say. */
static size_t never(uint8_t *entry, size_t n)
{
    entry[ROBO_ENTRY_SIZE] = 0x7f;
    return n;
}

static size_t without_start(uint8_t *entry, size_t n)
{
    n -= entry[3];
    entry[3] = 0;
    return n;
}

static size_t with_a_byte_behind(uint8_t *entry, size_t n)
{
    entry[n] = 0;
    return n + 1;
}

static size_t cut_off(uint8_t *entry, size_t n)
{
    return n - 1;
}

FIXTURE(enter, leave);

TEST(a_stop_is_done_whatever_its_bytes)
{
    stop_of_bytes(never);
    stop_of_bytes(without_start);
    stop_of_bytes(with_a_byte_behind);
    stop_of_bytes(cut_off);
}

/* ---- panic ---- */

/* A header that announces 65,536 bytes which never come (III.C: "as soon as the package header is parsed"). */
TEST(panic_at_the_header)
{
    acting.goal = S(10);
    uint32_t drive = peer_cmd(p, go_to(0, 5)), later = peer_cmd(p, go_to(1.2, 5));
    uint8_t header[ROBO_HEADER_SIZE];
    struct robo_header h = { .flags = ROBO_FLAG_PANIC, .id = 9999, .session = p->session };
    peer_begin(p);
    robo_package_end(&p->package, &h);
    memcpy(header, p->out, sizeof header);
    header[4] = ROBO_TYPE_COMMAND;
    header[7] = 1;
    put32(header + 8, ROBO_MAX_PAYLOAD);
    /* byte by byte: not one byte earlier, not one later */
    for (size_t i = 0; i < sizeof header; i++) {
        assert_int_equal(heard_halts(), 0);
        peer_feed(p, header + i, 1);
    }
    assert_int_equal(heard_halts(), 2);
    peer_listen(p);
    expect_told(p, drive, ROBO_PANIC, ROBO_WHY_PANIC);
    expect_told(p, later, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(told_notices(p, ROBO_N_PANICKED), 1);
    assert_int_equal(told_notices(p, ROBO_N_RESET), 0);
    for (size_t i = 0; i < p->received_count; i++)
        if (p->received[i].entry.op == ROBO_N_PANICKED)
            assert_int_equal(p->received[i].as.panicked.epoch, 1);
    /* the payload trickles in: it is not acted on again, and its command is of before the panic */
    uint8_t zero[256] = { 0 };
    for (int i = 0; i < 16; i++)
        peer_feed(p, zero, sizeof zero);
    assert_int_equal(heard_halts(), 2);
}

/* What a header says that can be read is a panic, whatever else is wrong with it: these fields never move. */
TEST(panic_of_a_bad_header)
{
    static const struct {
        uint8_t at, value;
    } wrong[] = { { 2, 9 }, { 3, ROBO_FLAG_PANIC | 0x80 }, { 4, 99 }, { 8, 0xff }, { 24, 0x7f } };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct peer *q = peer_open();
        struct robo_header header = { .flags = ROBO_FLAG_PANIC, .id = 1 };
        peer_begin(q);
        size_t n = (size_t)robo_package_end(&q->package, &header);
        q->out[wrong[i].at] = wrong[i].value;
        peer_feed(q, q->out, n);
        assert_int_equal(read_robot(robot).epoch, i + 1);
        peer_close(q);
    }
    /* without the letters RT it is anybody's bytes */
    struct peer *q = peer_open();
    peer_begin(q);
    struct robo_header header = { .flags = ROBO_FLAG_PANIC, .id = 1 };
    size_t n = (size_t)robo_package_end(&q->package, &header);
    q->out[1] = 'S';
    peer_feed(q, q->out, n);
    assert_int_equal(read_robot(robot).epoch, 5);
    peer_close(q);
}

TEST(panic_of_every_robot)
{
    robo_robot *each[] = { robot, add_robot("second", false), add_robot("third", false) };
    peer_flag(p, 0, ROBO_FLAG_PANIC);
    assert_int_equal(heard_halts(), 6);
    struct robo_state s;
    for (size_t i = 0; i < 3; i++) {
        robo_read(each[i], &s, sizeof s);
        assert_true(s.panic && s.epoch == 1);
    }
    /* a reset names one robot */
    peer_listen(p);
    peer_flag(p, 0, ROBO_FLAG_RESET);
    peer_listen(p);
    expect_fault(p, ROBO_ENONE, true);
    for (size_t i = 0; i < 3; i++) {
        robo_read(each[i], &s, sizeof s);
        assert_true(s.panic && s.epoch == 1);
    }
    /* both flags: the worse; a session that is unknown: all robots */
    p->epoch = 1;
    peer_flag(p, p->session, ROBO_FLAG_PANIC | ROBO_FLAG_RESET);
    peer_flag(p, 12345, ROBO_FLAG_PANIC);
    for (size_t i = 0; i < 3; i++) {
        robo_read(each[i], &s, sizeof s);
        assert_true(s.panic && s.epoch == (i == 0 ? 3 : 2));
    }
}

/* Panic and reset within one turn: everybody hears both, and nothing of before runs. */
TEST(panic_and_reset_at_once)
{
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    uint32_t later = peer_cmd(p, go_to(1.3, 5));
    robo_panic(robot);
    robo_reset(robot);
    run_for(0);
    peer_listen(p);
    expect_told(p, later, ROBO_PANIC, ROBO_WHY_PANIC);
    assert_int_equal(told_notices(p, ROBO_N_PANICKED), 1);
    assert_int_equal(told_notices(p, ROBO_N_RESET), 1);
    uint32_t id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_PANIC, ROBO_WHY_STALE);
    p->epoch = 1;
    id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_close(q);
}

/* A reset that a bad transport delivers twice does not end a panic that came in between. */
TEST(repeated_reset)
{
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    p->epoch = 1;
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    assert_false(read_robot(robot).panic);
    uint32_t reset = p->last_package;
    robo_panic(robot);
    p->last_package = reset - 1;
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    assert_true(read_robot(robot).panic);
    /* nor does one that was made before it and comes only now */
    peer_listen(p);
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    peer_listen(p);
    expect_fault(p, ROBO_EPANIC, true);
    assert_true(read_robot(robot).panic);
    p->epoch = 2;
    peer_flag(p, p->session, ROBO_FLAG_RESET);
    assert_false(read_robot(robot).panic);
    struct robo_state s;
    /* a panic always counts */
    p->last_package = reset - 2;
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    robo_read(robot, &s, sizeof s);
    assert_true(s.panic);
}

/* A panic is acted on however much its sender leaves unread, and once. */
TEST(panic_behind_unread_answers)
{
    while (!robo__conn_full(&p->conn)) {
        peer_begin(p);
        for (int i = 0; i < 100; i++)
            peer_add_query(p, ROBO_Q_STATE, NULL);
        peer_say(p, ROBO_TYPE_QUERY);
        assert_false(p->conn.closing || p->conn.overrun);
    }
    for (int i = 0; i < 3; i++) {
        peer_begin(p);
        for (int k = 0; k < 100; k++)
            peer_add_query(p, ROBO_Q_STATE, NULL);
        size_t n = peer_end(p, ROBO_TYPE_QUERY);
        peer_feed(p, p->out, n / 2); /* in pieces, as a network brings them */
        peer_feed(p, p->out + n / 2, n - n / 2);
        peer_flag(p, p->session, ROBO_FLAG_PANIC);
        assert_int_equal(read_robot(robot).epoch, i + 1);
    }
    peer_listen(p);
    while (robo__conn_resume(&p->conn, robo_now(world)) || p->conn.out_count > 0)
        peer_listen(p);
    assert_int_equal(p->conn.in_count, 0);
    assert_int_equal(read_robot(robot).epoch, 3);
    still_alive();
}
