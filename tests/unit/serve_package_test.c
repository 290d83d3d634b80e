/* The server's side of the protocol: packages byte by byte, those that are refused, come twice or out of order, and the
 * largest. spec/robotalk.md is where every expected answer stands. */
#include "base/random.h"
#include "session_peer.h"

/* ---- headers ---- */

static void bad_header(size_t at, uint8_t value, int error)
{
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    peer_begin(q);
    peer_add_cmd(q, set_speed(0, 1));
    size_t n = peer_end(q, ROBO_TYPE_COMMAND);
    q->out[at] = value;
    size_t before = heard_count;
    peer_feed(q, q->out, n);
    peer_listen(q);
    expect_fault(q, error, false);
    assert_int_equal(heard_count, before);
    peer_close(q);
}

FIXTURE(enter, leave);

TEST(bad_headers_close)
{
    bad_header(0, 0x53, ROBO_EMAGIC);
    bad_header(1, 0, ROBO_EMAGIC);
    bad_header(2, ROBO_VERSION + 1, ROBO_EVERSION);
    bad_header(2, 0, ROBO_EVERSION);
    bad_header(8, 1, ROBO_ESIZE); /* 16 MiB */
    /* where it lies does not depend on how the bytes came */
    struct peer *q = peer_open();
    peer_enter(q, NULL);
    peer_begin(q);
    peer_add_query(q, ROBO_Q_STATE, NULL);
    size_t n = peer_end(q, ROBO_TYPE_QUERY);
    memcpy(q->out + n, q->out, n);
    q->out[n + 2] = 7;
    peer_feed(q, q->out, 2 * n);
    peer_listen(q);
    assert_non_null(told_fault(q));
    assert_int_equal(told_fault(q)->offset, 2);
    peer_close(q);
}

/* ---- what a later version says ---- */

/* Types that are none of a client's are told, flags that are unknown mean nothing, and bytes behind a body neither. */
TEST(what_is_unknown_is_skipped)
{
    static const uint8_t types[] = { 3, 4, 5, 6, 77, 255 };
    for (size_t i = 0; i < sizeof types; i++) {
        peer_begin(p);
        peer_add_cmd(p, set_speed(0, 1));
        size_t n = peer_end(p, ROBO_TYPE_COMMAND);
        p->out[4] = types[i];
        p->out[7] = (uint8_t)(3 * i); /* its count is its own affair */
        peer_feed(p, p->out, n);
        peer_listen(p);
        expect_fault(p, ROBO_ETYPE, true);
    }
    peer_begin(p);
    peer_add_cmd(p, set_speed(0, 1));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    p->out[4] = ROBO_TYPE_NONE;
    peer_feed(p, p->out, n);
    peer_listen(p);
    assert_int_equal(p->received_count, 0);
    assert_int_equal(heard(0), 0);
    peer_begin(p);
    uint32_t id = peer_add_cmd(p, set_speed(0, 1));
    n = peer_end(p, ROBO_TYPE_COMMAND);
    p->out[3] = 0xfc;
    p->out[ROBO_HEADER_SIZE + 3] += 5;
    p->out[11] += 5;
    memset(p->out + n, 0xee, 5);
    peer_feed(p, p->out, n + 5);
    peer_listen(p);
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(p->received_count, 1);
    assert_int_equal(heard(0), 1);
    still_alive();
}

/* ---- ids ---- */

/* What has no id cannot be answered but by a fault; a stop is done all the same. */
TEST(id_0)
{
    const uint32_t last = p->last_entry;
    uint32_t way = peer_cmd(p, set_speed(0, 1));
    p->last_entry = UINT32_MAX;
    peer_cmd(p, set_speed(0, 2));
    expect_fault(p, ROBO_EINVAL, true);
    assert_int_equal(p->received_count, 1);
    assert_int_equal(told_fault(p)->query, 0);
    assert_int_equal(told_fault(p)->offset, ROBO_HEADER_SIZE);
    struct robo_move frame = { .parts = ROBO_MOVE_SPEED, .base = { 0.1 } };
    p->last_entry = UINT32_MAX;
    peer_cmd(p, (struct robo_cmd){ .op = ROBO_MOVE, .start = ROBO_AT_ONCE, .body.move = &frame });
    expect_fault(p, ROBO_EINVAL, true); /* and its memory is freed, as ASan sees */
    p->last_entry = UINT32_MAX;
    peer_request(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_EINVAL, true);
    assert_int_equal(p->received_count, 1);
    assert_int_equal(heard(0), 1);
    p->last_entry = UINT32_MAX;
    assert_int_equal(peer_cmd(p, stop(0)), 0);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    expect_told(p, 0, ROBO_SUCCESS, ROBO_WHY_NONE);
    p->last_entry = last + 1;
    (void)way;
}

/* A package without a number cannot be told from its copy: only stops are done. */
TEST(package_0)
{
    const uint32_t last = p->last_package;
    p->last_package = UINT32_MAX;
    uint32_t id = peer_cmd(p, set_speed(0, 1));
    expect_fault(p, ROBO_EINVAL, true);
    expect_told(p, id, ROBO_ERROR, ROBO_WHY_MALFORMED);
    p->last_package = UINT32_MAX;
    id = peer_request(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_EINVAL, true);
    assert_int_equal(told_fault(p)->query, id);
    assert_int_equal(heard(0), 0);
    p->last_package = UINT32_MAX;
    id = peer_cmd(p, stop(0));
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    /* a header alone is worked: what it says may be done twice */
    p->last_package = UINT32_MAX;
    peer_flag(p, p->session, ROBO_FLAG_PANIC);
    peer_listen(p);
    assert_int_equal(told_notices(p, ROBO_N_PANICKED), 1);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    p->last_package = last;
    robo_reset(robot);
}

/* ---- packages that are refused, the connection going on ---- */

TEST(entries_that_do_not_fill_the_payload)
{
    peer_begin(p);
    peer_add_cmd(p, set_speed(0, 1));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    p->out[7] = 2; /* two entries, it says */
    peer_feed(p, p->out, n);
    peer_listen(p);
    /* a fault for the package; the command in it has its word */
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 1);
    assert_int_equal(told_fault(p)->code, -ROBO_ESIZE);
    expect_told(p, p->last_entry, ROBO_ERROR, ROBO_WHY_MALFORMED);
    peer_begin(p);
    peer_add_cmd(p, set_speed(0, 1));
    n = peer_end(p, ROBO_TYPE_COMMAND);
    p->out[ROBO_HEADER_SIZE + 3]++; /* the entry is longer than the payload */
    peer_feed(p, p->out, n);
    peer_listen(p);
    assert_int_equal(told_fault(p)->code, -ROBO_ESIZE);
    expect_told(p, p->last_entry, ROBO_ERROR, ROBO_WHY_MALFORMED);
    assert_int_equal(heard(0), 0);
    still_alive();
}

TEST(unknown_ops)
{
    static const struct robo_message empty = { .name = "empty" };
    const uint16_t ops[] = { 0, 200, 255, 268, 512, 65535 };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        peer_begin(p);
        assert_int_equal(robo_package_add(&p->package, ops[i], 99, NULL, NULL, &empty, NULL), 0);
        peer_say(p, i & 1 ? ROBO_TYPE_COMMAND : ROBO_TYPE_QUERY);
        peer_listen(p);
        assert_int_equal(p->received_count, 1);
        if (i & 1) { /* a command of a later version: this body does not know it */
            expect_told(p, 99, ROBO_NA, ROBO_WHY_UNSUPPORTED);
            continue;
        }
        expect_fault(p, ROBO_EOP, true);
        assert_int_equal(told_fault(p)->query, 99);
        assert_int_equal(told_fault(p)->package, p->last_package);
        assert_int_equal(told_fault(p)->offset, ROBO_HEADER_SIZE);
    }
    still_alive();
}

/* "payload types cannot be mixed" (III.C) */
TEST(mixed_payload)
{
    peer_begin(p);
    uint32_t one = peer_add_cmd(p, set_speed(0, 1));
    size_t offset = p->package.used;
    uint32_t ask = peer_add_query(p, ROBO_Q_STATE, NULL), two = peer_add_cmd(p, set_speed(0, 2));
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    expect_fault(p, ROBO_EMIXED, true);
    assert_int_equal(told_fault(p)->query, ask);
    assert_int_equal(told_fault(p)->offset, offset);
    assert_null(received_of(p, ROBO_TYPE_REPLY, ask));
    expect_told(p, one, ROBO_SUCCESS, ROBO_WHY_NONE); /* the others run */
    expect_told(p, two, ROBO_SUCCESS, ROBO_WHY_NONE);
    peer_begin(p);
    ask = peer_add_query(p, ROBO_Q_STATE, NULL);
    one = peer_add_cmd(p, set_speed(0, 1));
    peer_say(p, ROBO_TYPE_QUERY);
    peer_listen(p);
    expect_told(p, one, ROBO_ERROR, ROBO_WHY_MALFORMED);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
    assert_non_null(received_of(p, ROBO_TYPE_REPLY, ask));
    assert_int_equal(heard(0), 2);
}

TEST(malformed_bodies)
{
    /* one byte short; a number that is out of range. One answer each */
    for (int short_of = 1; short_of >= 0; short_of--) {
        peer_begin(p);
        uint32_t id = peer_add_cmd(p, set_speed(0, 1));
        size_t n = peer_end(p, ROBO_TYPE_COMMAND);
        if (short_of) {
            p->out[ROBO_HEADER_SIZE + 3]--;
            p->out[11]--;
        } else {
            p->out[ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE + 8] =
                0x7f; /* x: beyond 2.25 million kilometres */
        }
        peer_feed(p, p->out, n - (size_t)short_of);
        peer_listen(p);
        expect_told(p, id, ROBO_ERROR, short_of ? ROBO_WHY_MALFORMED : ROBO_WHY_RANGE);
        assert_int_equal(p->received_count, 1);
    }
    /* a query's are told by a fault, which names the field */
    peer_begin(p);
    uint32_t id =
        peer_add_query(p, ROBO_Q_BROADCAST, &(struct robo_request_broadcast){ .period = S(1) });
    size_t n = peer_end(p, ROBO_TYPE_QUERY);
    p->out[ROBO_HEADER_SIZE + ROBO_ENTRY_SIZE] = 0x7f;
    peer_feed(p, p->out, n);
    peer_listen(p);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(told_fault(p)->query, id);
    assert_non_null(strstr(told_fault(p)->text, "period"));
    assert_int_equal(heard(0), 0);
    still_alive();
}

/* ---- the same package twice, and out of order ---- */

TEST(duplicates_are_worked_once)
{
    peer_begin(p);
    uint32_t id = peer_add_cmd(p, set_speed(0, 1));
    size_t n = peer_end(p, ROBO_TYPE_COMMAND);
    for (int i = 0; i < 3; i++)
        peer_feed(p, p->out, n);
    peer_listen(p);
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    assert_int_equal(heard(0), 1);
    assert_int_equal(told_notices(p, ROBO_N_FAULT), 0);
}

TEST(reordered_packages)
{
    /* numbers in an order of their own, each twice; all within the window of 64 */
    uint32_t base = p->last_package + 100, order[64];
    struct robo__random random;
    robo__random_seed(&random, 3);
    for (uint32_t i = 0; i < 64; i++)
        order[i] = base + i;
    for (uint32_t i = 63; i > 0; i--) {
        uint32_t k = (uint32_t)(robo__random_u64(&random) % (i + 1)), t = order[i];
        order[i] = order[k], order[k] = t;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < 64; i++) {
            p->last_package = order[i] - 1;
            peer_cmd(p, set_speed(0, i));
        }
    }
    assert_int_equal(heard(0), 64);
    /* older than the window: nobody knows whether it was worked, so it is refused and that is told */
    p->last_package = base - 2;
    uint32_t id = peer_cmd(p, set_speed(0, 1));
    expect_told(p, id, ROBO_ERROR, ROBO_WHY_EXPIRED);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(heard(0), 64);
    p->last_package = base - 2;
    id = peer_request(p, ROBO_Q_STATE, NULL);
    expect_fault(p, ROBO_ERANGE, true);
    assert_int_equal(told_fault(p)->query, id); /* who asked need not wait for ever */
    /* far ahead is new, and numbers may wrap */
    p->last_package = UINT32_MAX - 2;
    for (int i = 0; i < 6; i++)
        peer_cmd(p, set_speed(0, 1));
    assert_int_equal(heard(0), 64); /* they are older than those before */
    p->last_package = base + 0x70000000;
    peer_cmd(p, set_speed(0, 1));
    p->last_package = base + 0xe0000000;
    peer_cmd(p, set_speed(0, 1));
    assert_int_equal(heard(0), 66);
    /* after the last comes 1, and 0 is none */
    p->last_package = UINT32_MAX - 2;
    peer_cmd(p, set_speed(0, 1));
    p->last_package = 0;
    peer_cmd(p, set_speed(0, 1));
    assert_int_equal(heard(0), 68);
}

/* ---- long and slow ---- */

/* One byte a second is slow, not wrong. */
TEST(one_byte_a_second)
{
    peer_begin(p);
    uint32_t id = peer_add_cmd(p, set_speed(0, 1));
    struct robo_header header = {
        .type = ROBO_TYPE_COMMAND, .id = 500, .session = p->session, .stamp = ROBO_NO_TIME
    };
    size_t n = (size_t)robo_package_end(&p->package, &header);
    for (size_t i = 0; i < n; i++) {
        peer_feed(p, p->out + i, 1);
        run_for(1);
    }
    peer_listen(p);
    expect_told(p, id, ROBO_SUCCESS, ROBO_WHY_NONE);
    p->last_package = header.id;
    /* with a stamp it is too old when it is complete: one that knows the time is refused */
    peer_begin(p);
    id = peer_add_cmd(p, set_speed(0, 1));
    n = peer_end(p, ROBO_TYPE_COMMAND);
    for (size_t i = 0; i < n; i++) {
        peer_feed(p, p->out + i, 1);
        run_for(1);
    }
    peer_listen(p);
    expect_told(p, id, ROBO_ERROR, ROBO_WHY_EXPIRED);
}

/* The largest package there may be. */
TEST(full_package)
{
    robo_reset(robot);
    peer_begin(p);
    size_t count = 0;
    struct robo_cmd cmd = { .op = ROBO_STOP, .start = ROBO_AT_ONCE };
    for (; count < 3449; count++) { /* 8 bytes of head, 8 of start, and 3 that name nothing */
        cmd.id = ++p->last_entry;
        assert_int_equal(robo_package_add_command(&p->package, &cmd), 0);
    }
    assert_int_equal(robo_package_add_command(&p->package, &cmd), ROBO_EFULL);
    peer_say(p, ROBO_TYPE_COMMAND);
    peer_listen(p);
    size_t done = 0;
    for (size_t i = 0; i < p->received_count; i++)
        done += p->received[i].header.type == ROBO_TYPE_SIGNAL;
    assert_int_equal(done, count);
}
